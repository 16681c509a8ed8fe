//! Barriers: who comes there, and how long warps of a group wait for the one that comes last.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{ExprId, FunctionId, Module};
use fpgacc_kernel_analysis::calls::{calls_builtin, reachable};
use fpgacc_kernel_analysis::divergence::{Divergence, Memory};

use super::machine::Machine;
use super::meeting::Way;
use super::observed::{Barrier, Position};
use super::wide::Mask;

/// The functions at which all work-items of a group meet.
pub(super) fn is_barrier(name: &str) -> bool {
    matches!(name, "barrier" | "work_group_barrier")
}

/// What may differ between work-items of a group, if a kernel has barriers.
pub(super) fn divergence(module: &Module, kernel: FunctionId) -> Option<Divergence<'_>> {
    let mut all = reachable(module, kernel);
    all.push(kernel);
    let has_barriers = |id: &FunctionId| calls_builtin(&module.functions[*id], is_barrier);
    let meets = all.iter().any(has_barriers);
    meets.then(|| Divergence::of(module, kernel, Memory::IsOneForAll))
}

impl Machine<'_> {
    /// A warp starts.
    pub(super) fn starts(&mut self) {
        if self.meeting.group != Some(self.sample.group) {
            self.met();
            self.meeting.group = Some(self.sample.group);
        }
        self.meeting.warps.push((self.sample.weight, Vec::new()));
        self.meeting.leave(self.seen.operations);
    }

    /// It comes to a barrier.
    pub(super) fn at_barrier(&mut self, id: ExprId, mask: Mask) {
        let Some(to) = self.position(self.function().exprs.span(id)) else {
            return;
        };
        let all = self.sample.weight * self.width as f64;
        let (times, doubt) = (self.weight / self.sample.weight, self.guess.all());
        let meeting = &mut self.meeting;
        let way = Way {
            to,
            operations: (self.seen.operations - meeting.since) / all.max(f64::MIN_POSITIVE),
            by_data: meeting.by_data,
            open: meeting.open.clone(),
            times,
            is_parted: mask != self.exists,
            is_sampled: self.is_sampling,
            doubt,
        };
        if let Some((_, ways)) = meeting.warps.last_mut() {
            ways.push(way);
        }
        meeting.leave(self.seen.operations);
    }

    /// All warps of a group that are looked at were there: each waits for the one with the longest path.
    pub(super) fn met(&mut self) {
        let warps = std::mem::take(&mut self.meeting.warps);
        self.missed(&warps);
        self.meeting.is_lost = false;
        let Some((_, first)) = warps.first() else {
            return;
        };
        let positions = |ways: &[Way]| -> Vec<Position> { ways.iter().map(|way| way.to).collect() };
        let count = first.len();
        // Warps that meet at other barriers are not followed.
        if warps.len() < 2
            || warps
                .iter()
                .any(|(_, ways)| positions(ways) != positions(first))
        {
            return;
        }
        let mut seen: BTreeMap<Position, Barrier> = std::mem::take(&mut self.seen.barriers);
        for at in 0..count {
            let longest = warps.iter().map(|(_, ways)| ways[at].operations);
            let longest = longest.fold(0.0, f64::max);
            let entry = seen.entry(first[at].to).or_default();
            for (weight, ways) in &warps {
                let way = &ways[at];
                let all = weight * self.width as f64;
                entry.operations += all * way.operations;
                entry.waiting += all * (longest - way.operations);
                entry.by_data |= way.by_data;
                entry.open.extend(&way.open);
            }
        }
        self.seen.barriers = seen;
    }

    /// The warps of a group that are looked at were there: whether all of its work-items came to each barrier, each
    /// time.
    fn missed(&mut self, warps: &[(f64, Vec<Way>)]) {
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
