//! Which lanes take part is a guess at times, and so is whether all work-items of a group do.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::ExprId;

use super::machine::{Machine, Ways};
use super::value::Sym;

/// Why it is not known who goes on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Doubt {
    /// Which lanes of the warp take part is a guess.
    pub lanes: bool,
    /// Whether all work-items of the group do depends on what memory holds, or on this number.
    pub by_data: bool,
    pub open: Option<Sym>,
}

impl Doubt {
    /// Adds what another one leaves open.
    pub fn add(&mut self, other: Doubt) {
        self.lanes |= other.lanes;
        self.by_data |= other.by_data;
        self.open = self.open.or(other.open);
    }
}

/// Which lanes take part is a guess where memory decides, or what is not followed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Guess {
    /// The condition of a branch or loop around.
    pub condition: Doubt,
    /// Some lanes may have returned from this function.
    pub returned: Doubt,
    /// Some may have left the innermost loop.
    pub broken: Doubt,
    /// Some may have left its iteration.
    pub skipped: Doubt,
}

impl Guess {
    /// All of it.
    pub fn all(self) -> Doubt {
        let mut all = self.condition;
        [self.returned, self.broken, self.skipped]
            .into_iter()
            .for_each(|one| all.add(one));
        all
    }
}

impl Machine<'_> {
    /// What the ways at a condition leave open.
    pub(super) fn doubt(&self, cond: ExprId, ways: &Ways) -> Doubt {
        let lanes = ways.differs();
        if !lanes && ways.uniform == 0 && ways.supposed.is_none() || !self.may_part(cond) {
            return Doubt {
                lanes,
                ..Doubt::default()
            };
        }
        Doubt {
            lanes,
            by_data: ways.data | ways.uniform != 0,
            open: ways.open.filter(|_| ways.unclear != 0).or(ways.supposed),
        }
    }

    /// Whether a condition may differ between work-items of a group. Of functions that are called, nobody knows with
    /// what.
    fn may_part(&self, cond: ExprId) -> bool {
        let divergence = self.divergence.as_ref();
        divergence
            .is_some_and(|of_kernel| self.frame.function != self.kernel || of_kernel.differs(cond))
    }

    /// Some lanes may have left since `before`, of which it is not known.
    pub(super) fn may_have_left(&mut self, doubt: Doubt, before: super::early::Flow) {
        let pairs = [
            (self.returned != before.0, &mut self.guess.returned),
            (self.broken != before.1, &mut self.guess.broken),
            (self.skipped != before.2, &mut self.guess.skipped),
        ];
        for (_, guess) in pairs.into_iter().filter(|(has_left, _)| *has_left) {
            guess.add(doubt);
        }
    }

    /// The warps of a group that are looked at were there: whether all of its work-items came to each barrier, each
    /// time.
    pub(super) fn missed(&mut self, warps: &[(f64, Vec<super::meeting::Way>)]) {
        let barriers: BTreeSet<_> = warps
            .iter()
            .flat_map(|(_, ways)| ways.iter().map(|way| way.to))
            .collect();
        let weight: f64 = warps.iter().map(|(weight, _)| weight).sum();
        let is_whole = !self.meeting.is_lost && !self.seen.is_cut;
        for barrier in barriers {
            // How often some come, all of a warp, and at least some of a warp.
            let (mut most, mut whole, mut parted) = (0.0f64, f64::INFINITY, 0.0f64);
            let entry = self.seen.comings.entry(barrier).or_default();
            for (_, ways) in warps {
                let own = || ways.iter().filter(|way| way.to == barrier);
                let times: f64 = own().map(|way| way.times).sum();
                let apart = own().filter(|way| way.is_parted).map(|way| way.times);
                let apart: f64 = apart.sum();
                (most, whole, parted) =
                    (most.max(times), whole.min(times - apart), parted.max(apart));
                for way in own() {
                    entry.is_sampled |= way.is_sampled && is_whole;
                    entry.by_data |= way.doubt.by_data;
                    entry.open.extend(way.doubt.open);
                }
            }
            let missed = if is_whole { most - whole } else { parted };
            entry.times += weight * most;
            // Rounding is none of it.
            if missed > most * 1e-6 {
                entry.missed += weight * missed;
            }
        }
    }
}
