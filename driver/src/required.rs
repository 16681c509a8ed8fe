//! Launches whose local size is not the one that their kernel requires: none of them can run.

use fpgacc_frontend::diag::{Diagnostic, Severity};
use fpgacc_frontend::source::Span;
use fpgacc_launch_facts::{Facts, Launch, LocalSize};

use crate::agree::describe;
use crate::compiled::Compiled;
use crate::facts::at_site;
use crate::impossible::fits;
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
