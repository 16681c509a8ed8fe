//! What may excuse a difference: memory that nobody wrote, and the device's compiler.

use std::path::Path;

use super::compare;
use super::numbers::Numbers;
use super::outcome::{Outcome, Traits, Verdict};
use super::run::{self, Kernels, Run};
use crate::session::{Session, Step};

/// Two runs that differ.
pub struct Runs<'a> {
    /// The program.
    pub executable: &'a Path,
    /// The run with its original kernels.
    pub original: &'a Run,
    /// The run with the rewritten ones.
    pub rewritten: &'a Run,
    /// Of what type the read-backs of rewritten kernels are.
    pub numbers: &'a Numbers,
    /// What is known of the kernels.
    pub traits: Traits,
}

/// What a verdict of a difference comes to, when the program has run in other surroundings.
pub fn of(session: &mut Session, runs: &Runs, verdict: Verdict) -> Step<Verdict> {
    if runs.original.captured.status != runs.rewritten.captured.status {
        return Ok(verdict);
    }
    let mut verdict = verdict;
    let filled = run::run_filled(session, runs.executable, Kernels::Original)?;
    if verdict == Verdict::Different && is_unwritten(runs, &filled) {
        verdict = Verdict::Unwritten;
    }
    if verdict != Verdict::Different && is_same_filled(session, runs, &filled)? {
        return Ok(Verdict::SameFilled);
    }
    if verdict == Verdict::Different && is_same_unoptimised(session, runs)? {
        return Ok(Verdict::Optimised);
    }
    Ok(verdict)
}

/// Whether all that differs are values that are others in the original, too, where new buffers do
/// not hold what they would.
fn is_unwritten(runs: &Runs, filled: &Run) -> bool {
    let records = [&runs.rewritten.record, &filled.record];
    compare::differ_only_where(&runs.original.record, records)
}

/// Whether the rewritten kernels do what the original does where new memory holds the same in both
/// runs. The original has to do so twice: a race may hide in one run.
fn is_same_filled(session: &mut Session, runs: &Runs, filled: &Run) -> Step<bool> {
    if filled.failed() || filled.record.readbacks.is_empty() {
        return Ok(false);
    }
    let again = run::run_filled(session, runs.executable, Kernels::Original)?;
    let exact = Traits {
        reassociated: false,
        ..runs.traits
    };
    if !Outcome::of(filled, &again, exact).is_same() {
        return Ok(false);
    }
    let mut rewritten = run::run_filled(session, runs.executable, Kernels::Rewritten)?;
    rewritten.record.resolve(runs.numbers);
    Ok(Outcome::of(filled, &rewritten, runs.traits).is_same())
}

/// Whether the original does what the rewritten kernels do where the device's compiler does not
/// optimise it.
fn is_same_unoptimised(session: &mut Session, runs: &Runs) -> Step<bool> {
    let plain = run::run_unoptimised(session, runs.executable)?;
    let is_usable = !plain.failed() && !plain.record.readbacks.is_empty();
    Ok(is_usable && Outcome::of(&plain, runs.rewritten, runs.traits).is_same())
}
