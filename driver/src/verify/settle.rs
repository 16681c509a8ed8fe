//! Differences of floating-point values, settled: both versions are built and run once more without
//! the liberties that OpenCL gives compilers. They may join `a*b+c` to one operation, which rounds
//! once, and do so in the one kernel and not in the other.

use std::path::Path;

use fpgacc_device_passes::passes::reduction;

use super::compare::{Bound, Comparison, compare};
use super::numbers::Numbers;
use super::outcome::{Outcome, Traits, name_beside};
use super::run::{self, Kernels, Run};
use crate::link;
use crate::messages::Messages;
use crate::opt_record::RecordOptions;
use crate::options::Options;
use crate::rounding::Rounding;
use crate::session::Session;

/// Where differences come from.
#[derive(Debug)]
pub enum Settled {
    /// Everything is the same, or within the bound if `reduction` fired, when no operations are
    /// joined.
    Contraction(Comparison),
    /// The same, when the emulator computes one work-item at a time as well.
    Functions(Comparison),
    /// Everything is the same when they keep their order as well, and the original's own values move
    /// as far (so much of the largest) when its operations are not joined.
    Rounding(f64),
    /// Everything is the same when they keep their order as well.
    Order,
    /// Something else.
    Other,
}

/// How many times as far as the original's own values, those of the rewritten kernels may move.
const TIMES: f64 = 4.0;
/// Where the original's values move by more than this, of the largest, they say nothing.
const TOO_FAR: f64 = 0.01;

/// Builds and runs both versions again. `None`: that does not work, and nothing is known.
pub fn settle(
    session: &Session,
    executable: &Path,
    outcome: &Outcome,
    original: &Run,
    rewritten: &Run,
) -> Option<Settled> {
    let mut options = session.options.clone();
    options.rounding = Rounding::Uncontracted;
    let folder = executable
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut again = once_more(&options, folder)?;
    if again.outcome.is_same() {
        return Some(Settled::Contraction(again.outcome.comparison));
    }
    if outcome.traits.functions {
        options.rounding = Rounding::Scalar;
        again = once_more(&options, folder)?;
        if again.outcome.is_same() {
            return Some(Settled::Functions(again.outcome.comparison));
        }
    }
    if !outcome.traits.reassociated {
        return Some(Settled::Other);
    }
    let mut uncontracted = again.original;
    uncontracted.record.take_elements(&rewritten.record);
    let own = compare(&original.record, &uncontracted.record, false);
    let reduction: &mut reduction::Options = options.pipeline.options.of_mut();
    reduction.order = reduction::Order::Strict;
    if !once_more(&options, folder)?.outcome.is_same() {
        return Some(Settled::Other);
    }
    Some(match is_rounding(&outcome.comparison, &own) {
        true => Settled::Rounding(own.drift()),
        false => Settled::Order,
    })
}

/// Whether the rewritten kernels move values no farther than the original's compiler does.
fn is_rounding(rewritten: &Comparison, own: &Comparison) -> bool {
    let pairs = rewritten.drifts.iter().zip(&own.drifts);
    let is_each = |(&rewritten, &own): (&f64, &f64)| {
        own <= TOO_FAR && rewritten <= TIMES * own.max(Bound::FLOAT.largest)
    };
    rewritten.drifts.len() == own.drifts.len() && pairs.into_iter().all(is_each)
}

/// Both versions, built in another way.
struct Again {
    original: Run,
    outcome: Outcome,
}

/// Both versions as these options make them. What there is to say of the inputs was said before.
fn once_more(options: &Options, folder: &Path) -> Option<Again> {
    let options = Options {
        save_temps: None,
        dependencies: None,
        record: RecordOptions::default(),
        quiet: true,
        ..options.clone()
    };
    let mut session = Session::new(options, Messages::mute());
    let name = name_beside(&mut session, folder).ok()?;
    let executable = name.path().to_path_buf();
    let compiled = link::build(&mut session, &executable).ok()?;
    let original = run::run(&mut session, &executable, Kernels::Original).ok()?;
    let mut rewritten = run::run(&mut session, &executable, Kernels::Rewritten).ok()?;
    rewritten.record.resolve(&Numbers::of(&compiled));
    let is_usable = !original.failed() && !original.record.readbacks.is_empty();
    is_usable.then(|| Again {
        outcome: Outcome::of(&original, &rewritten, Traits::of(&compiled)),
        original,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drifts(drifts: &[f64]) -> Comparison {
        Comparison {
            drifts: drifts.to_vec(),
            ..Comparison::default()
        }
    }

    #[test]
    fn values_may_move_as_far_as_the_original_s_own() {
        let rewritten = drifts(&[0.0, 2e-4, 3e-6]);
        assert!(is_rounding(&rewritten, &drifts(&[0.0, 1e-4, 0.0])));
        // Less sensitive, in one of the read-backs.
        assert!(!is_rounding(&rewritten, &drifts(&[1e-3, 1e-5, 0.0])));
        // So sensitive that nothing can be said.
        assert!(!is_rounding(&rewritten, &drifts(&[0.0, 0.5, 0.0])));
        // Something else than floating-point values differs, or another number of read-backs.
        assert!(!is_rounding(&drifts(&[f64::INFINITY]), &drifts(&[1e-3])));
        assert!(!is_rounding(&drifts(&[1e-4]), &drifts(&[f64::INFINITY])));
        assert!(!is_rounding(&rewritten, &drifts(&[1e-3, 1e-3])));
        assert!(!is_rounding(&drifts(&[f64::NAN]), &drifts(&[1e-3])));
    }
}
