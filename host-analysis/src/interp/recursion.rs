//! Functions that call themselves: what they launch is found by following their body again, from
//! all that it may find when it is called from inside.

use super::call::Passed;
use super::{Code, FnId, Interp};
use crate::location::{MemoryLocation, Root};
use crate::state::Delta;
use crate::syntax::ast::ExprId;
use crate::value::Val;

/// Most times that a body is followed again.
const MOST_PASSES: u32 = 4;
/// Why a parameter is not known.
const REASON: &str = "it differs from call to call of a recursive function";

/// A call of a function inside of itself: its arguments, and what has changed since the outer call.
pub(super) type InnerCall = (Vec<Val>, Delta);

impl<'a> Interp<'a> {
    /// A call is not followed: it is noted if it is one of a function inside of itself.
    pub(super) fn note_inner_call(&mut self, callee: FnId, args: Vec<Val>) {
        let outer = self.walk.frames.iter().find(|f| f.fn_id == callee);
        if let Some(outer) = outer.filter(|_| !self.budget.flat) {
            let changes = self.state.capture(outer.mark);
            let calls = self.walk.inner_calls.entry(callee).or_default();
            calls.push((args, changes));
        }
    }

    /// Follows a function that called itself, for what it launches then; `mark` is where the state
    /// was when it was called.
    pub(super) fn follow_again(
        &mut self,
        (code, id): (&Code<'a>, ExprId),
        callee: FnId,
        this: Option<MemoryLocation>,
        mut passed: Vec<Passed>,
        mark: usize,
    ) {
        let Some(mut calls) = self.walk.inner_calls.remove(&callee) else {
            return;
        };
        let (end, reached) = self.take_back(mark);
        self.walk.loop_depth += 1;
        for pass in 0..MOST_PASSES {
            let here = self.state.mark();
            let mut changed = pass == 0;
            for (args, changes) in calls {
                changed |= self.widen_arguments(callee, &mut passed, &args, pass);
                self.state.merge(here, changes);
            }
            if pass > 0 {
                self.havoc_modified(callee, REASON);
            }
            if !changed {
                break;
            }
            let here = self.state.mark();
            let this = this.clone();
            self.follow_with(code, id, callee, passed.clone(), |s| {
                s.enter(callee, this, false);
            });
            self.take_back(here);
            calls = self.walk.inner_calls.remove(&callee).unwrap_or_default();
        }
        self.walk.loop_depth -= 1;
        self.state.rollback(mark);
        self.state.reachable = false;
        if reached {
            self.state.merge(mark, end);
        }
    }

    /// Makes parameters hold for another call too; true if one had to be changed.
    fn widen_arguments(
        &self,
        callee: FnId,
        passed: &mut [Passed],
        args: &[Val],
        pass: u32,
    ) -> bool {
        let name = &self.program.function(callee).name;
        let own = |value: &Val| match value {
            Val::Pointer(MemoryLocation {
                root: Root::Var(var),
                ..
            })
            | Val::Into(Root::Var(var)) => {
                let info = self.variables.info(*var);
                *info.function == **name && !info.lasting
            }
            _ => false,
        };
        let mut changed = false;
        for (index, param) in passed.iter_mut().enumerate() {
            let Passed::Value(now) = param else {
                changed |= !matches!(param, Passed::Reference(None));
                *param = Passed::Reference(None);
                continue;
            };
            let joined = match args.get(index) {
                Some(arg) if arg == now && !own(arg) => continue,
                Some(arg @ (Val::Handle(_) | Val::Pointer(_) | Val::Text(_) | Val::Null))
                    if !own(arg) && pass + 2 < MOST_PASSES =>
                {
                    now.join(arg)
                }
                _ => Val::unknown(REASON),
            };
            if joined != *now && !(joined.is_unknown() && now.is_unknown()) {
                *now = joined;
                changed = true;
            }
        }
        changed
    }
}
