//! What a launch passes as two arguments: memory that is distinct, may be, or is not.

use fpgacc_launch_facts::{Buffer, Facts, Launch, RecordedLaunch, Value};

use crate::constant_memory::creations;
use crate::faults;

/// What two arguments name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Distinct memory, as the facts prove.
    Distinct,
    /// Probably distinct memory; why that is not proved.
    Assumed(String),
    /// The same memory, or parts of it; how that is seen.
    Shared(String),
}

impl Relation {
    /// What is left to say of two launches. Of two reasons the first stays.
    pub fn worse(self, other: Relation) -> Relation {
        match (&self, &other) {
            (Relation::Shared(_), _) | (Relation::Assumed(_), Relation::Distinct) => self,
            (Relation::Assumed(_), Relation::Assumed(_)) => self,
            _ => other,
        }
    }
}

/// What a launch passes as the arguments `a` and `b`.
pub fn relation(facts: &Facts, launch: &Launch, a: u32, b: u32) -> Relation {
    let site = &launch.site;
    if let Some(recorded) = &launch.recorded
        && overlap_was_seen(recorded, a, b)
    {
        return Relation::Shared(format!(
            "the launch at {site} was seen to pass the same memory as arguments {a} and {b}"
        ));
    }
    if launch.same.contains(&(a.min(b), a.max(b))) && !faults::is_on("same-buffer-twice") {
        return Relation::Shared(format!(
            "the launch at {site} passes one buffer as arguments {a} and {b} on one of the ways to it"
        ));
    }
    let passed = [a, b].map(|at| launch.argument(at)?.memory());
    let relation = match &passed {
        [Some(first), Some(second)] => match [a, b].map(|at| launch.argument_is_proved(at)) {
            [true, true] => {
                let apart = launch.apart.contains(&(a.min(b), a.max(b)));
                all_with_all(facts, first, second, apart)
            }
            // The names of recorded memory are those of the calls that made it, in loops as well.
            [false, false] => match all_with_all(facts, first, second, false) {
                Relation::Distinct => only_seen(),
                other => other,
            },
            // Names of two accounts.
            _ => only_seen(),
        },
        _ => Relation::Assumed("passes memory that is not known".to_string()),
    };
    match relation {
        Relation::Distinct => Relation::Distinct,
        Relation::Assumed(text) => Relation::Assumed(format!("the launch at {site} {text}")),
        Relation::Shared(text) => Relation::Shared(format!("the launch at {site} {text}")),
    }
}

fn only_seen() -> Relation {
    Relation::Assumed("was only seen to pass distinct memory".into())
}

fn overlap_was_seen(recorded: &RecordedLaunch, a: u32, b: u32) -> bool {
    let mut pairs = recorded.overlapping.iter();
    pairs.any(|&(x, y)| (x, y) == (a, b) || (y, x) == (a, b))
}

/// Two arguments that are one of some memory objects each. If there is a choice for both, which one
/// is not independent: buffers that change places between launches are never the same, which is proved where
/// their names are `apart`.
fn all_with_all(facts: &Facts, a: &[String], b: &[String], apart: bool) -> Relation {
    let is_choice = a.len() > 1 && b.len() > 1;
    let mut worst = Relation::Distinct;
    for first in a {
        for second in b {
            if apart && first == second {
                continue;
            }
            let one = match names(facts, first, second) {
                Relation::Shared(_) if is_choice => {
                    Relation::Assumed("passes one of several buffers".to_string())
                }
                other => other,
            };
            worst = worst.worse(one);
        }
    }
    worst
}

fn names(facts: &Facts, a: &str, b: &str) -> Relation {
    if a == "NULL" || b == "NULL" {
        return Relation::Distinct;
    }
    if a == b {
        return match faults::is_on("same-buffer-twice") {
            true => Relation::Distinct,
            false => Relation::Shared(format!("passes the buffer '{a}' twice")),
        };
    }
    let (first, second) = (creations(facts, a), creations(facts, b));
    for (name, buffers) in [(a, &first), (b, &second)] {
        if buffers.is_empty() {
            return Relation::Assumed(format!("passes '{name}', whose creation is not known"));
        }
    }
    let mut worst = Relation::Distinct;
    for x in &first {
        for y in &second {
            worst = worst.worse(buffers(facts, x, y));
        }
    }
    worst
}

/// Two creations into different variables.
fn buffers(facts: &Facts, a: &Buffer, b: &Buffer) -> Relation {
    let whole = |buffer: &Buffer| match buffer.sub_buffer {
        true => buffer.parent.clone(),
        false => buffer.variable.clone(),
    };
    if (a.sub_buffer || b.sub_buffer) && (whole(a).is_none() || whole(b).is_none()) {
        let part = if a.sub_buffer { a } else { b };
        return Relation::Assumed(format!(
            "passes a part of a buffer that is not known (clCreateSubBuffer at {})",
            part.site
        ));
    }
    if (a.sub_buffer || b.sub_buffer) && whole(a) == whole(b) {
        return parts(a, b);
    }
    if in_host_memory(facts, a) && in_host_memory(facts, b) {
        return Relation::Assumed(format!(
            "passes two buffers that lie in host memory (CL_MEM_USE_HOST_PTR at {} and {})",
            a.site, b.site
        ));
    }
    Relation::Distinct
}

/// Whether a buffer, or the one that it is a part of, may use memory of the host.
pub fn in_host_memory(facts: &Facts, buffer: &Buffer) -> bool {
    let is_whole = |whole: &&Buffer| buffer.parent.is_some() && whole.variable == buffer.parent;
    let mut wholes = facts.buffers.iter().filter(is_whole);
    buffer.use_host_ptr || wholes.any(|whole| whole.use_host_ptr)
}

/// Parts of one buffer, or a part and the whole.
fn parts(a: &Buffer, b: &Buffer) -> Relation {
    let part = if a.sub_buffer { a } else { b };
    let range = |buffer: &Buffer| {
        let origin = buffer.origin.as_ref().and_then(Value::constant)?;
        let size = buffer.size.constant()?;
        Some((origin, origin.checked_add(size)?))
    };
    match (range(a), range(b)) {
        _ if !(a.sub_buffer && b.sub_buffer) => Relation::Shared(format!(
            "passes a buffer and a part of it (clCreateSubBuffer at {})",
            part.site
        )),
        (Some((from, to)), Some((start, end))) if from < end && start < to => {
            Relation::Shared(format!(
                "passes parts of one buffer that overlap (clCreateSubBuffer at {} and {})",
                a.site, b.site
            ))
        }
        (Some(_), Some(_)) => Relation::Distinct,
        _ => Relation::Assumed(format!(
            "passes parts of one buffer (clCreateSubBuffer at {} and {})",
            a.site, b.site
        )),
    }
}
