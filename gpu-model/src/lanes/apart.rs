//! Lanes that left early (`return`, `break`, `continue`): they wait until the others are there, too.

use fpgacc_frontend::source::Span;

use super::early::{Apart, Flow, Until};
use super::machine::Machine;
use super::observed::BranchKind;
use super::wide::Mask;

impl Machine<'_> {
    pub(super) fn flow(&self) -> Flow {
        (self.returned, self.broken, self.skipped)
    }

    /// The lanes that left early at some branch: what they wait for is counted there.
    pub(super) fn left_early(&self) -> Mask {
        self.apart.iter().fold(0, |all, one| all | one.lanes)
    }

    /// Notes lanes of a mask that left since `before`, at a branch that sends lanes different ways.
    pub(super) fn part(&mut self, span: Option<Span>, kind: BranchKind, before: Flow, mask: Mask) {
        let Some(position) = self.position(span) else {
            return;
        };
        if self.live(mask) == 0 {
            return;
        }
        let known = self.left_early();
        let since = self.seen.operations;
        for (now, before, until) in [
            (self.returned, before.0, Until::Return),
            (self.broken, before.1, Until::Left),
            (self.skipped, before.2, Until::Round),
        ] {
            let lanes = now & !before & mask & !known;
            if lanes != 0 {
                self.apart.push(Apart {
                    at: (position, kind),
                    lanes,
                    until,
                    since,
                });
            }
        }
    }

    /// Lanes that left since there were `from` of these meet the others: at the end of a function all of them, and
    /// else those that did not return. Gives what those waited for that left a loop or `switch`.
    pub(super) fn meet(&mut self, from: usize, is_end: bool) -> f64 {
        let mut idle = 0.0;
        let all = self.apart.split_off(from.min(self.apart.len()));
        for one in all {
            if one.until == Until::Return && !is_end {
                self.apart.push(one);
                continue;
            }
            let share = f64::from(one.lanes.count_ones()) / self.width as f64;
            let waited = (self.seen.operations - one.since) * share;
            match one.until {
                Until::Left => idle += waited,
                _ => self.seen.branches.entry(one.at).or_default().idle += waited,
            }
        }
        idle
    }
}
