//! `return` in a loop over work-items: the next work-item follows.

use fpgacc_frontend::ir::{Init, Stmt, StmtKind, VarId};
use fpgacc_kernel_analysis::faults;

use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// What a statement list stands in, inside the body of a loop over work-items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// In no loop: `continue` ends the work-item, also from inside a `switch`.
    Item,
    /// In a loop of the kernel, or in a `switch` in one: `break` leaves that first.
    Inner,
}

/// Makes every `return` in the body of a loop over work-items end the work-item only. A return in an
/// inner loop sets a flag, which is declared at the head of the body.
pub fn returns_to_continues(target: &mut Target<'_>, body: &mut Vec<Stmt>) {
    if let Some(Stmt {
        kind: StmtKind::Return(_),
        ..
    }) = body.last()
    {
        body.pop();
    }
    let mut returns = Returns { target, flag: None };
    returns.list(body, Within::Item);
    if let Some(flag) = returns.flag {
        let no = returns.target.truth(false);
        let decl = StmtKind::Decl {
            var: flag,
            init: Some(Init::Expr(no)),
        };
        body.insert(0, Stmt::new(decl));
    }
}

/// Makes every `return` inside a loop leave the loop, with `flag` set.
pub fn leave_loop(target: &mut Target<'_>, stmt: Stmt, flag: VarId) -> Stmt {
    let mut returns = Returns {
        target,
        flag: Some(flag),
    };
    let mut list = vec![stmt];
    returns.list(&mut list, Within::Inner);
    // After the loop stands what looks at the flag; the caller has its own way.
    list.swap_remove(0)
}

struct Returns<'t, 'a> {
    target: &'t mut Target<'a>,
    flag: Option<VarId>,
}

impl Returns<'_, '_> {
    /// Rewrites a list; returns whether it may have set the flag on its way out.
    fn list(&mut self, list: &mut Vec<Stmt>, within: Within) -> bool {
        let mut flagged = false;
        let mut out = Vec::with_capacity(list.len());
        for mut stmt in std::mem::take(list) {
            let span = stmt.span;
            match (&stmt.kind, within) {
                (StmtKind::Return(_), _) if faults::is_on("return-lost") => {}
                (StmtKind::Return(_), Within::Item) => {
                    out.push(Stmt::at(StmtKind::Continue, span));
                }
                (StmtKind::Return(_), Within::Inner) => {
                    out.push(Stmt::at(self.set_flag(), span));
                    out.push(Stmt::at(StmtKind::Break, span));
                    flagged = true;
                }
                _ => {
                    let inner = match stmt.kind {
                        StmtKind::For { .. }
                        | StmtKind::While { .. }
                        | StmtKind::DoWhile { .. } => Within::Inner,
                        _ => within,
                    };
                    let mut inside = false;
                    for list in stmt.lists_mut() {
                        inside |= self.list(list, inner);
                    }
                    let catches = inner == Within::Inner
                        && matches!(
                            stmt.kind,
                            StmtKind::For { .. }
                                | StmtKind::While { .. }
                                | StmtKind::DoWhile { .. }
                                | StmtKind::Switch { .. }
                        );
                    out.push(stmt);
                    if inside && catches {
                        out.push(self.leave_if_flagged(within));
                        flagged |= within == Within::Inner;
                    } else {
                        flagged |= inside;
                    }
                }
            }
        }
        *list = out;
        flagged
    }

    fn flag(&mut self) -> VarId {
        if let Some(flag) = self.flag {
            return flag;
        }
        let flag = self.target.flag("returned");
        self.flag = Some(flag);
        flag
    }

    fn set_flag(&mut self) -> StmtKind {
        let flag = self.flag();
        let yes = self.target.truth(true);
        self.target.function.assign_var(flag, yes).kind
    }

    fn leave_if_flagged(&mut self, within: Within) -> Stmt {
        let flag = self.flag();
        let cond = self.target.function.use_var(flag);
        let leave = match within {
            Within::Item => StmtKind::Continue,
            Within::Inner => StmtKind::Break,
        };
        Stmt::only_if(cond, vec![Stmt::new(leave)])
    }
}
