//! What is reported to the user of a rewrite.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{Function, VarId};
use fpgacc_frontend::source::Span;

use crate::pass::Note;
use crate::passes::ndrange_to_loop::live_across::values::{StorageClass, Values};
use crate::passes::ndrange_to_loop::survey::Survey;
use crate::passes::ndrange_to_loop::work_items::ids::Ids;

/// What was done, briefly.
pub fn summary(ids: &Ids, regions: usize) -> String {
    let groups = ids.groups.iter().flatten().count();
    let items = ids.items.iter().flatten().count();
    let plural = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    let loops = match (groups, items) {
        (0, 0) => "one work-item, no loops".to_string(),
        (0, _) => format!(
            "{} over work-items of one work-group",
            plural(items, "loop")
        ),
        (_, 0) => format!(
            "{} over work-groups of one work-item",
            plural(groups, "loop")
        ),
        _ => format!(
            "{} over work-groups, {} over their work-items",
            plural(groups, "loop"),
            plural(items, "loop")
        ),
    };
    let parts = match regions {
        1 => String::new(),
        count => format!(", {count} barrier regions"),
    };
    let local = [0, 1, 2].map(|d| ids.grid.known_local(d));
    let size = match local {
        [Some(x), Some(y), Some(z)] if items > 0 && groups > 0 => {
            format!(", local size {x} x {y} x {z}")
        }
        _ => String::new(),
    };
    format!("{loops}{parts}{size}")
}

/// What a form is called by, beside others that are loops over work-items; see [`Note::form`].
pub fn form(ids: &Ids, innermost: Option<u8>) -> Option<String> {
    let has_loops = ids.groups.iter().chain(&ids.items).any(Option::is_some);
    match innermost {
        _ if !has_loops => Some("stated as one work-item".to_string()),
        innermost => innermost.map(|dim| format!("dimension {dim} innermost")),
    }
}

/// What became of values that live across barriers; `spilled` are those with an array.
pub fn storage_classes(kernel: &Function, values: &Values, spilled: &BTreeSet<VarId>) -> String {
    let kinds = [
        "spilled for each work-item",
        "uniform, computed once a work-group",
        "recomputed",
    ];
    let mut text = String::new();
    for kind in kinds {
        let vars = values.storage_classes.iter().filter(|(var, class, _)| {
            what_was_done(*class) == kind && (!class.is_spilled() || spilled.contains(var))
        });
        let names: Vec<String> = vars
            .map(|(var, ..)| format!("'{}'", kernel.vars[*var].name))
            .collect();
        if !names.is_empty() {
            text.push_str(&format!("; {kind}: {}", names.join(", ")));
        }
    }
    text
}

/// The remarks; `done` says what was done.
pub fn notes(survey: &Survey, ids: &Ids, done: String) -> Vec<Note> {
    let mut text = format!("single work-item: {done}");
    if ids.grid.local_is_chosen && survey.needs.groups {
        text.push_str("; the host leaves the work-group size open: work-groups of one work-item");
    }
    let mut out = vec![Note::new(text, None)];
    if survey.prints {
        out.push(Note::new(
            "work-items run in the order of their ids, work-group by work-group, and so print in that order",
            None,
        ));
    }
    out
}

/// Barriers under a condition are the user's business: each work-item of a group must find the same.
pub fn mask_note(condition: Span) -> Note {
    let text = "a barrier depends on this condition, which is not known to be the same for all \
                work-items of a group: each keeps in mind whether it takes part";
    Note::new(text, Some(condition))
}

fn what_was_done(class: StorageClass) -> &'static str {
    match class {
        StorageClass::Uniform { .. } => "uniform, computed once a work-group",
        StorageClass::Recomputed => "recomputed",
        StorageClass::Copied | StorageClass::Replaced => "spilled for each work-item",
    }
}
