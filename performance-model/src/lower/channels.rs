//! Loops that channels keep from being unrolled.

use fpgacc_frontend::ir::{Callee, Expr, ExprId, VarRef};

use super::Lowering;
use super::induction::LoopChanges;
use super::parts::Parts;

/// Whether a builtin reads or writes a channel or a pipe.
pub(super) fn is_channel_call(name: &str) -> bool {
    name.contains("_channel_") || name.contains("_pipe")
}

impl<'a> Lowering<'a> {
    /// Whether copies of a loop's body would read or write one channel in several places, which some compilers cannot make.
    pub(super) fn repeats_a_channel(&self, parts: &Parts<'a>, changes: &LoopChanges) -> bool {
        if !self.input.board.compiler().one_call_per_channel {
            return false;
        }
        let exprs = &self.at.function.exprs;
        let is_changed = |var: VarRef| changes.keys().any(|slot| slot.var == var);
        let mut repeats = false;
        parts.body.for_each_expr(exprs, &mut |id| {
            if let Expr::Call {
                callee: Callee::Builtin(name),
                args,
                ..
            } = exprs.get(id)
                && is_channel_call(name)
                && let Some(channel) = args.first()
            {
                repeats |= !self.mentions(*channel, &is_changed);
            }
        });
        repeats
    }

    fn mentions(&self, root: ExprId, is_sought: &dyn Fn(VarRef) -> bool) -> bool {
        let exprs = &self.at.function.exprs;
        let mut found = false;
        exprs.for_each(root, &mut |id| {
            found |= matches!(exprs.get(id), Expr::Var(var) if is_sought(*var));
        });
        found
    }
}
