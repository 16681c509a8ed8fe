//! Launches whose local size is not the one that their kernel requires: none of them can run.

use std::borrow::Cow;

use fpgacc_frontend::diag::{Diagnostic, Severity};
use fpgacc_frontend::ir::{Function, Module};
use fpgacc_frontend::source::Span;
use fpgacc_launch_facts::{Facts, Known, Launch, LocalSize};

use crate::agree::{describe, may_be};
use crate::compiled::Compiled;
use crate::facts::at_site;
use crate::recorded::is_recorded;
use crate::session::{Session, Step};
use crate::wrong_calls::SIZES;

/// A kernel's `reqd_work_group_size`, and where the kernel stands.
type Required = ([u64; 3], Option<Span>);

/// Refuses given launches that contradict `reqd_work_group_size`, and warns of those of hosts: a host may expect
/// that they fail, or never get there.
///
/// # Errors
///
/// A given one does: all of them are reported.
pub fn check(
    session: &mut Session,
    given: &[Facts],
    facts: &Facts,
    compiled: &[Compiled],
) -> Step<()> {
    if compiled.iter().any(|one| one.rewritten.untouched) {
        return Ok(());
    }
    let given = given.iter().filter(|facts| !is_recorded(facts));
    let given = given.flat_map(|facts| &facts.launches);
    let errors = given.filter_map(|launch| contradiction(session, launch, compiled));
    let mut errors: Vec<Diagnostic> = errors
        .map(|what| {
            what.help("correct the size in the file of facts, or let the kernel require another")
        })
        .collect();
    if let Some(last) = errors.pop() {
        errors.into_iter().for_each(|error| session.report(error));
        return session.fail(last);
    }
    let launches = facts.launches.iter();
    let warnings = launches.filter_map(|launch| contradiction(session, launch, compiled));
    let warnings: Vec<Diagnostic> = warnings.collect();
    for mut warning in warnings {
        warning.severity = Severity::Warning;
        let warning = warning
            .note("the launch returns CL_INVALID_WORK_GROUP_SIZE")
            .help("launch it with the size that it requires, or require another one");
        session.report(warning.option(SIZES));
    }
    Ok(())
}

/// The facts without the kernels of launches that none of a module's kernels can have: they fail.
pub fn possible<'f>(facts: &'f Facts, module: &Module) -> Cow<'f, Facts> {
    let can_be = |launch: &Launch| {
        let Some([kernel]) = launch.kernels.get().map(Vec::as_slice) else {
            return true;
        };
        let mut functions = module.kernels().map(|id| &module.functions[id]);
        let function = functions.find(|function| function.name == *kernel);
        let required = function.and_then(Function::reqd_work_group_size);
        required.is_none_or(|sizes| fits(launch, &sizes))
    };
    if facts.launches.iter().all(can_be) {
        return Cow::Borrowed(facts);
    }
    let mut facts = facts.clone();
    for launch in &mut facts.launches {
        if !can_be(launch) {
            launch.kernels = Known::Is(Vec::new());
        }
    }
    Cow::Owned(facts)
}

/// What is wrong with the size of a launch, as an error.
fn contradiction(session: &Session, launch: &Launch, compiled: &[Compiled]) -> Option<Diagnostic> {
    let [kernel] = launch.kernels.get()?.as_slice() else {
        return None;
    };
    let required = required_by(kernel, compiled)?;
    // Programs of other options may have other kernels of this name.
    if required.iter().any(|(sizes, _)| fits(launch, sizes)) {
        return None;
    }
    let LocalSize::Sizes(local) = &launch.local else {
        return None;
    };
    let (sizes, span) = required.first()?;
    let given: Vec<String> = local.iter().map(describe).collect();
    let [x, y, z] = sizes;
    let message = format!(
        "kernel '{kernel}' is launched with work-groups of {}, but it requires {x} x {y} x {z}",
        given.join(" x ")
    );
    let error = at_site(Diagnostic::error(message), &session.sources, &launch.site);
    Some(match span {
        Some(span) => error.also(*span, "reqd_work_group_size of this kernel"),
        None => error,
    })
}

/// What all kernels of a name require; nothing if one of them requires nothing.
fn required_by(kernel: &str, compiled: &[Compiled]) -> Option<Vec<Required>> {
    let modules = compiled
        .iter()
        .filter_map(|one| one.rewritten.parsed.as_ref());
    let mut all = Vec::new();
    for module in modules {
        let functions = module.kernels().map(|id| &module.functions[id]);
        for function in functions.filter(|function| function.name == kernel) {
            all.push((function.reqd_work_group_size()?, function.span));
        }
    }
    (!all.is_empty()).then_some(all)
}

/// Whether a launch may have these sizes.
fn fits(launch: &Launch, required: &[u64; 3]) -> bool {
    let LocalSize::Sizes(local) = &launch.local else {
        return true;
    };
    let is_whole = launch.work_dim.constant() == Some(local.len() as u64);
    required
        .iter()
        .enumerate()
        .all(|(at, &size)| match local.get(at) {
            Some(value) => may_be(value, size),
            None => !is_whole || size == 1,
        })
}
