//! `--verify`: builds a program, runs it with its original kernels and with the rewritten ones, and
//! compares everything that the host reads back.
//!
//! One executable serves both runs: with `FPGACC_ORIGINAL` the runtime hands the host's own texts to
//! the device's compiler. Where values differ, a second executable says whether that is only because
//! the device's compiler joins operations ([`settle`]).

mod compare;
mod excuse;
pub mod numbers;
pub mod outcome;
mod output;
mod position;
pub mod record;
mod report;
pub mod run;
pub mod settle;

use std::path::{Path, PathBuf};

use fpgacc_frontend::diag::Diagnostic;

use crate::link;
use crate::session::{Session, Step, Stop};
use excuse::Runs;
use numbers::Numbers;
use outcome::{Outcome, Traits, Verdict, name_beside};
use record::Form;
use report::Report;
use run::{Kernels, Run};
use settle::Settled;

/// Builds, runs and compares. Fails unless everything is the same.
pub fn run(session: &mut Session) -> Step<()> {
    // Where a plain build leaves it: hosts look for files beside their executable.
    let given = session.options.output.clone();
    let name = match given {
        Some(_) => None,
        None => Some(name_beside(session, Path::new("."))?),
    };
    let named = name.as_ref().map(|name| name.path().to_path_buf());
    let output = given.or(named).unwrap_or_default();
    // For the lines of calls; a level that the user chose comes after it.
    session.options.host_flags.insert(0, "-g".into());
    let compiled = link::build(session, &output)?;
    let traits = Traits::of(&compiled);
    let original = run::run(session, &output, Kernels::Original)?;
    check_original(session, &original)?;
    let mut rewritten = run::run(session, &output, Kernels::Rewritten)?;
    rewritten.record.resolve(&Numbers::of(&compiled));
    check_rewritten(session, &rewritten, &original, traits)?;
    let outcome = Outcome::of(&original, &rewritten, traits);
    let mut verdict = match outcome.is_same() {
        true => Verdict::Same,
        false => judge(session, &output, &original, traits)?,
    };
    let mut settled = None;
    if verdict == Verdict::Different && numbers::has_floats(&compiled) {
        settled = settle::settle(session, &output, &outcome, &original, &rewritten);
    }
    match settled {
        Some(Settled::Contraction(_)) => verdict = Verdict::SameUncontracted,
        Some(Settled::Functions(_)) => verdict = Verdict::SameScalar,
        Some(Settled::Rounding(_)) => verdict = Verdict::SameRounding,
        _ => {}
    }
    if verdict.is_bad() {
        let runs = Runs {
            executable: &output,
            original: &original,
            rewritten: &rewritten,
            numbers: &Numbers::of(&compiled),
            traits,
        };
        verdict = excuse::of(session, &runs, verdict)?;
    }
    if verdict.is_bad() && original.captured.status != rewritten.captured.status {
        run::show(session, &rewritten.captured);
    } else {
        run::show_runtime_messages(session, &rewritten.captured);
    }
    let report = Report {
        executable: shown_executable(session, &output),
        original: &original,
        rewritten: &rewritten,
        outcome: &outcome,
        settled,
        verdict,
    };
    let text = report.text();
    session.print(&text)?;
    match verdict.is_bad() {
        true => Err(Stop),
        false => Ok(()),
    }
}

/// A difference counts only if the original does not differ from itself.
fn judge(
    session: &mut Session,
    executable: &Path,
    original: &Run,
    traits: Traits,
) -> Step<Verdict> {
    let again = run::run(session, executable, Kernels::Original)?;
    let exact = Traits {
        reassociated: false,
        ..traits
    };
    Ok(match Outcome::of(original, &again, exact).is_same() {
        true => Verdict::Different,
        false => Verdict::Undecided,
    })
}

fn check_original(session: &mut Session, original: &Run) -> Step<()> {
    if original.failed() {
        run::show(session, &original.captured);
        let status = original.captured.status;
        return session.fail(
            Diagnostic::error(format!(
                "the program fails with its original kernels: {status}"
            ))
            .note("nothing was compared")
            .help("its arguments stand after `--`; it runs in this folder, without input"),
        );
    }
    let launches = &original.record.launches;
    if launches.iter().any(|launch| launch.form != Form::Original) {
        return session.fail(
            Diagnostic::error("the program loads an .aocx of fpgacc by itself")
                .note("there are no original kernels to compare it with")
                .help("--verify takes programs that pass kernel text to OpenCL"),
        );
    }
    Ok(())
}

/// A comparison of nothing would be a lie.
fn check_rewritten(
    session: &mut Session,
    rewritten: &Run,
    original: &Run,
    traits: Traits,
) -> Step<()> {
    if original.record.readbacks.is_empty() && !traits.prints {
        return session.fail(
            Diagnostic::error("the program reads nothing back from the device")
                .note("nothing was compared")
                .note(
                    "what counts are clEnqueueReadBuffer, clEnqueueReadBufferRect, \
                     clEnqueueReadImage, clEnqueueMapBuffer, clEnqueueMapImage, clEnqueueSVMMap \
                     and clEnqueueSVMMemcpy",
                ),
        );
    }
    let launches = &rewritten.record.launches;
    if !launches.is_empty() && launches.iter().all(|launch| launch.form == Form::Original) {
        run::show_runtime_messages(session, &rewritten.captured);
        return session.fail(
            Diagnostic::error("the program launches no kernel that fpgacc compiled")
                .note("both runs took the original kernels; nothing was compared"),
        );
    }
    Ok(())
}

/// For the lines of calls; an executable in a temporary folder is not worth naming.
fn shown_executable(session: &Session, executable: &Path) -> report::Executable {
    report::Executable {
        path: PathBuf::from(executable),
        is_kept: session.options.output.is_some(),
    }
}
