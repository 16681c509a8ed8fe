//! What conditions leave open of who goes on, and who may have left.

use fpgacc_frontend::ir::ExprId;

use super::early::Flow;
use super::guess::Doubt;
use super::machine::{Machine, Ways};

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
    pub(super) fn may_have_left(&mut self, doubt: Doubt, before: Flow) {
        let pairs = [
            (self.returned != before.0, &mut self.guess.returned),
            (self.broken != before.1, &mut self.guess.broken),
            (self.skipped != before.2, &mut self.guess.skipped),
        ];
        for (_, guess) in pairs.into_iter().filter(|(has_left, _)| *has_left) {
            guess.add(doubt);
        }
    }
}
