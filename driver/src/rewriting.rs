//! Taking the programs of all hosts through front end and passes.

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_runtime::manifest::LeftToDevice;

use crate::compiled::{Compiled, Programs};
use crate::facts::{self, OfHosts};
use crate::gather::{self, Gathered};
use crate::kernels::{self, Builders, Outcome};
use crate::launched_at;
use crate::left::Left;
use crate::nobody;
use crate::options::Mode;
use crate::programs::{self, Piece, Program};
use crate::required;
use crate::rounding::Rounding;
use crate::session::{Session, Step, Stop};
use crate::times_file;
use crate::wrong_calls;
use crate::wrong_kernels;

/// Analyses the hosts and takes every program through the passes.
pub fn all(session: &mut Session, gathered: &Gathered) -> Step<Programs> {
    let hosts = facts::of(session, gathered)?;
    with(session, gathered, &hosts)
}

/// Takes every program through the passes.
pub fn with(session: &mut Session, gathered: &Gathered, hosts: &OfHosts) -> Step<Programs> {
    let facts = &hosts.facts;
    let units = programs::not_included(&gathered.kernels, &gathered.hosts, facts);
    let (mut programs, diagnostics) =
        programs::pair(facts, &units, &gather::kernel_words(&session.options));
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
    let loaded = programs.iter().filter(|program| !program.is_unused);
    let texts: Vec<Vec<Piece>> = loaded.map(|program| program.pieces.clone()).collect();
    let ways_of = |pieces: &[Piece]| texts.iter().filter(|text| &text[..] == pieces).count();
    let mut compiled = Vec::new();
    let mut leaving = Leaving::default();
    let mut failed = false;
    for program in programs {
        let builders = Builders {
            hosts: &gathered.hosts,
            are_others: gathered.builds_unseen,
            may_choose: ways_of(&program.pieces) > 1 || is_one_of_texts(&program, &texts),
        };
        // Errors of all programs are reported, not only those of the first.
        match kernels::rewrite_for(session, &program, facts, builders) {
            Ok(Outcome::Rewritten(rewritten)) => compiled.push(Compiled {
                program,
                rewritten: *rewritten,
            }),
            Ok(Outcome::LeftToDevice(left)) => leaving.add(session, program, left),
            Err(Stop) => failed = true,
        }
    }
    failed |= report_errors_in_all_ways(session, &leaving.with_errors, &texts);
    failed |= report_errors_in_all_texts(session, &leaving.with_errors, &texts);
    if failed {
        return Err(Stop);
    }
    let mut left_to_device = leaving.left;
    if matches!(session.options.mode, Mode::Link | Mode::Verify) {
        let (parts, others) = without_kernels(compiled);
        left_to_device.extend(parts.iter().map(|part| Left::Part.describe(&part.program)));
        compiled = with_kernels(session, others, left_to_device.is_empty())?;
    }
    // Kernels of programs that are left to the device are not known here.
    if left_to_device.is_empty() {
        facts::warn_about_launches(session, hosts, &compiled);
        wrong_calls::warn(session, hosts, &compiled);
        nobody::warn_about_kernels(session, &compiled);
    }
    required::check(session, &gathered.given, facts, &compiled)?;
    if left_to_device.is_empty() {
        times_file::check_kernels(session, &compiled)?;
    }
    // Code that fpgacc did not compile may launch any kernel.
    let launched_at = match gathered.unseen {
        Some(_) => Vec::new(),
        None => launched_at::of(facts),
    };
    Ok(Programs {
        compiled,
        left_to_device,
        launched_at,
    })
}

/// The programs for a command that only looks at them: it says what a build would leave to the device's compiler to
/// judge.
pub fn to_look_at(
    session: &mut Session,
    gathered: &Gathered,
    hosts: &OfHosts,
) -> Step<Vec<Compiled>> {
    let compiled = with(session, gathered, hosts)?.compiled;
    for one in &compiled {
        kernels::untouched(session, one.rewritten.doubts.clone());
    }
    Ok(compiled)
}

/// Programs that are left to the device.
#[derive(Default)]
struct Leaving {
    left: Vec<LeftToDevice>,
    /// Those of known texts and options that have errors.
    with_errors: Vec<Program>,
    /// Texts of which the host makes others, as they were reported.
    composed: Vec<Vec<Piece>>,
}

impl Leaving {
    fn add(&mut self, session: &mut Session, program: Program, left: Left) {
        self.left.push(left.describe(&program));
        match left {
            Left::Composed(errors) if !self.composed.contains(&program.pieces) => {
                for warning in wrong_kernels::composed_later(&program, errors) {
                    session.report(warning);
                }
                self.composed.push(program.pieces);
            }
            Left::Errors if program.options_known && !program.is_likely => {
                self.with_errors.push(program);
            }
            _ => {}
        }
    }
}

/// Of a text that is built with several sets of options, one has to be right. Says where none is.
fn report_errors_in_all_ways(
    session: &mut Session,
    with_errors: &[Program],
    texts: &[Vec<Piece>],
) -> bool {
    let mut reported: Vec<&[Piece]> = Vec::new();
    for program in with_errors {
        let pieces = &program.pieces[..];
        let ways = texts.iter().filter(|text| &text[..] == pieces).count();
        let failing = with_errors.iter().filter(|p| p.pieces == pieces).count();
        if ways < 2 || failing < ways || reported.contains(&pieces) {
            continue;
        }
        reported.push(pieces);
        let name = program.name();
        session.report(Diagnostic::error(format!(
            "'{name}' has errors with each of the {ways} sets of options that the host builds it with"
        )));
    }
    !reported.is_empty()
}

/// Whether the hosts have other texts than a program's: it may be for devices that are not there.
fn is_one_of_texts(program: &Program, texts: &[Vec<Piece>]) -> bool {
    texts.iter().any(|text| *text != program.pieces)
}

/// Of several texts, one has to be right. Says where none is.
fn report_errors_in_all_texts(
    session: &mut Session,
    with_errors: &[Program],
    texts: &[Vec<Piece>],
) -> bool {
    let is_wrong = |text: &Vec<Piece>| with_errors.iter().any(|program| program.pieces == *text);
    let are_chosen = with_errors.iter().any(|one| is_one_of_texts(one, texts));
    let all_fail = are_chosen && texts.iter().all(is_wrong);
    if all_fail {
        let error = "none of the kernels that the hosts build is without errors";
        session.report(match session.options.no_warnings {
            true => Diagnostic::error(error).note("warnings say what they are, without -w"),
            false => Diagnostic::error(error),
        });
    }
    all_fail
}

/// Programs without kernels that others are linked with, and all others.
fn without_kernels(compiled: Vec<Compiled>) -> (Vec<Compiled>, Vec<Compiled>) {
    compiled.into_iter().partition(|compiled| {
        let parsed = compiled.rewritten.parsed.as_ref();
        let has_none = parsed.is_some_and(|module| module.kernels().next().is_none());
        has_none && compiled.program.is_part
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
