//! Taking the programs of all hosts through front end and passes.

use fpgacc_frontend::diag::Diagnostic;

use crate::compiled::{Compiled, Programs};
use crate::facts::{self, OfHosts};
use crate::gather::{self, Gathered};
use crate::kernels::{self, Builders, Outcome};
use crate::nobody;
use crate::options::Mode;
use crate::programs;
use crate::required;
use crate::rounding::Rounding;
use crate::session::{Session, Step, Stop};
use crate::times_file;
use crate::wrong_calls;

/// Analyses the hosts and takes every program through the passes.
pub fn all(session: &mut Session, gathered: &Gathered) -> Step<Programs> {
    let hosts = facts::of(session, gathered)?;
    with(session, gathered, &hosts)
}

/// Takes every program through the passes.
pub fn with(session: &mut Session, gathered: &Gathered, hosts: &OfHosts) -> Step<Programs> {
    let facts = &hosts.facts;
    let (mut programs, diagnostics) = programs::pair(
        facts,
        &gathered.kernels,
        &gather::kernel_words(&session.options),
    );
    if session.options.rounding != Rounding::AsBuilt {
        for program in &mut programs {
            program.options.forbid_contraction();
        }
    }
    for diagnostic in diagnostics {
        session.report(diagnostic);
    }
    let unseen = gathered.unseen.as_ref();
    session.options.pipeline.options.unseen = unseen.map(|path| path.display().to_string());
    let builders = Builders {
        hosts: &gathered.hosts,
        are_others: gathered.builds_unseen,
    };
    let mut compiled = Vec::new();
    let mut left_to_device = Vec::new();
    let mut failed = false;
    for program in programs {
        // Errors of all programs are reported, not only those of the first.
        match kernels::rewrite_for(session, &program, facts, builders) {
            Ok(Outcome::Rewritten(rewritten)) => compiled.push(Compiled {
                program,
                rewritten: *rewritten,
            }),
            Ok(Outcome::LeftToDevice(left)) => left_to_device.push(left.describe(&program)),
            Err(Stop) => failed = true,
        }
    }
    if failed {
        return Err(Stop);
    }
    if matches!(session.options.mode, Mode::Link | Mode::Verify) {
        compiled = with_kernels(session, compiled, left_to_device.is_empty())?;
    }
    // Kernels of programs that are left to the device are not known here.
    if left_to_device.is_empty() {
        facts::warn_about_launches(session, facts, &compiled);
        wrong_calls::warn(session, hosts, &compiled);
        nobody::warn_about_kernels(session, &compiled);
    }
    required::check(session, facts, &compiled)?;
    if left_to_device.is_empty() {
        times_file::check_kernels(session, &compiled)?;
    }
    Ok(Programs {
        compiled,
        left_to_device,
    })
}

/// The programs that hold kernels. Files of helpers may be given too: they are included by others.
fn with_kernels(
    session: &mut Session,
    compiled: Vec<Compiled>,
    are_all: bool,
) -> Step<Vec<Compiled>> {
    let (with, without): (Vec<_>, Vec<_>) = compiled.into_iter().partition(|compiled| {
        let parsed = compiled.rewritten.parsed.as_ref();
        parsed.is_none_or(|module| module.kernels().next().is_some())
    });
    let is_needed = with.is_empty() && are_all;
    for Compiled { program, .. } in &without {
        let message = format!("there is no kernel in '{}'", program.name());
        session.report(match is_needed {
            true => Diagnostic::error(message)
                .help("a kernel is a function that starts with `kernel` or `__kernel`"),
            false => Diagnostic::warning(message).note("it is left out"),
        });
    }
    match is_needed && !without.is_empty() {
        true => Err(Stop),
        false => Ok(with),
    }
}
