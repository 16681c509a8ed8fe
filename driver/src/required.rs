//! Launches whose local size is not the one that their kernel requires: none of them can run.

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::Span;
use fpgacc_launch_facts::{Facts, Launch, LocalSize};

use crate::agree::{describe, may_be};
use crate::compiled::Compiled;
use crate::facts::at_site;
use crate::session::{Session, Step};

/// A kernel's `reqd_work_group_size`, and where the kernel stands.
type Required = ([u64; 3], Option<Span>);

/// Refuses launches that contradict `reqd_work_group_size`, whoever knew of them.
///
/// # Errors
///
/// There are some: all of them are reported.
pub fn check(session: &mut Session, facts: &Facts, compiled: &[Compiled]) -> Step<()> {
    if compiled.iter().any(|one| one.rewritten.untouched) {
        return Ok(());
    }
    let launches = facts.launches.iter();
    let errors = launches.filter_map(|launch| contradiction(session, launch, compiled));
    let mut errors: Vec<Diagnostic> = errors.collect();
    let Some(last) = errors.pop() else {
        return Ok(());
    };
    for error in errors {
        session.report(error);
    }
    session.fail(last)
}

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
    let mut error = at_site(Diagnostic::error(message), &session.sources, &launch.site);
    if let Some(span) = span {
        error = error.also(*span, "reqd_work_group_size of this kernel");
    }
    Some(error.help(
        "launch it with the size that it requires, or require another one; where the size comes \
         from a file of facts, correct it there",
    ))
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
