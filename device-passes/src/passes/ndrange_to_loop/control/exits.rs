//! Takes `break`, `continue` and `return` out of code with barriers, where they are not the same for
//! all work-items of a group: what they skip goes under conditions instead.
//!
//! `if (c) return; rest` becomes `if (!c) { rest }`. Where the rest stands further out, a flag says
//! it, and loops end when the flag is set. What is left has one way in and one way out; the
//! conditions become masks later.

use fpgacc_frontend::ir::{BinaryOp, Block, Expr, ExprId, Stmt, StmtKind, UnaryOp, VarId};
use fpgacc_kernel_analysis::faults;

use crate::passes::ndrange_to_loop::control::convergence::{
    Convergence, Surroundings, holds_barrier, never_ends,
};
use crate::passes::ndrange_to_loop::control::parts::Parts;
use crate::passes::ndrange_to_loop::control::switches;
use crate::passes::ndrange_to_loop::control::uniform::Uniform;
use crate::passes::ndrange_to_loop::loops::returns;
use crate::passes::ndrange_to_loop::statements::{branch, declaration};
use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// Rewrites `stmts`; returns whether there was something to rewrite, so that what is uniform has to be
/// found again.
pub fn eliminate(target: &mut Target<'_>, uniform: &Uniform, stmts: &mut Vec<Stmt>) -> bool {
    let mut exits = Exits {
        target,
        uniform,
        returned: None,
        loops: Vec::new(),
        changed: false,
    };
    let list = std::mem::take(stmts);
    let (mut list, _) = exits.list(list, Surroundings::default(), ListSite::default());
    let changed = exits.changed;
    if let Some(flag) = exits.returned {
        list.insert(0, exits.declare(flag));
    }
    *stmts = list;
    changed
}

/// A loop that `break` and `continue` may belong to.
#[derive(Clone, Copy, Default)]
struct Loop {
    /// Set where a work-item leaves it.
    left: Option<VarId>,
    /// Set where a work-item skips the rest of an iteration.
    skipped: Option<VarId>,
    /// What the group does at the end of the body must not be skipped.
    end_matters: bool,
}

/// Where a list stands.
#[derive(Clone, Copy, Default)]
struct ListSite {
    /// Not all work-items of the loop's iteration, or of the kernel, come here.
    masked_in_loop: bool,
    masked: bool,
    /// Something follows the list that who returns, or continues, must skip.
    flag_return: bool,
    flag_continue: bool,
}

/// The flags that a list may set.
#[derive(Clone, Copy, Default)]
struct Flagged {
    returned: Option<VarId>,
    left: Option<VarId>,
    skipped: Option<VarId>,
}

impl Flagged {
    fn and(self, other: Flagged) -> Flagged {
        Flagged {
            returned: self.returned.or(other.returned),
            left: self.left.or(other.left),
            skipped: self.skipped.or(other.skipped),
        }
    }

    fn vars(self) -> impl Iterator<Item = VarId> {
        [self.returned, self.left, self.skipped]
            .into_iter()
            .flatten()
    }

    fn is_empty(self) -> bool {
        self.vars().next().is_none()
    }
}

type Rewritten = (Vec<Stmt>, Flagged);

struct Exits<'t, 'a> {
    target: &'t mut Target<'a>,
    uniform: &'t Uniform,
    returned: Option<VarId>,
    /// The loops with barriers around the statement at hand.
    loops: Vec<Loop>,
    changed: bool,
}

/// What surrounds a statement, and whether the group must go through it together.
type Known = (Surroundings, bool);

impl Exits<'_, '_> {
    fn list(&mut self, list: Vec<Stmt>, around: Surroundings, site: ListSite) -> Rewritten {
        let convergence = Convergence {
            function: self.target.function,
            shared: &self.uniform.vars,
        };
        let surroundings = convergence.surroundings(&list, around).into_iter();
        let known: Vec<Known> = (list.iter().zip(surroundings))
            .map(|(stmt, around)| (around, convergence.is_convergent(stmt, around)))
            .collect();
        self.known_list(list, &known, around, site)
    }

    /// A list, or the end of one: what is known of a statement depends on it and on what comes after it.
    fn known_list(
        &mut self,
        list: Vec<Stmt>,
        known: &[Known],
        around: Surroundings,
        site: ListSite,
    ) -> Rewritten {
        let Some(at) = known.iter().position(|(_, convergent)| *convergent) else {
            return (list, Flagged::default());
        };
        let mut out = list;
        let mut rest = out.split_off(at).into_iter();
        let Some(stmt) = rest.next() else {
            return (out, Flagged::default());
        };
        let (stmts, flagged, after) =
            self.convergent(stmt, rest.collect(), known[at].0, around, site);
        out.extend(stmts);
        if after.is_empty() {
            return (out, flagged);
        }
        let (after, more) = self.known_list(after, &known[at + 1..], around, site);
        if flagged.is_empty() {
            out.extend(after);
        } else {
            let cond = self.none_set(flagged);
            out.push(branch(cond, after, None));
        }
        (out, flagged.and(more))
    }

    /// Rewrites a statement. Gives what stands for it, the flags that it may set, and what is still
    /// to come after it: all of `after` as it is, or nothing.
    fn convergent(
        &mut self,
        stmt: Stmt,
        after: Vec<Stmt>,
        here: Surroundings,
        around: Surroundings,
        site: ListSite,
    ) -> (Vec<Stmt>, Flagged, Vec<Stmt>) {
        let span = stmt.span;
        match stmt.kind {
            StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => {
                let (stmts, flagged) = self.exit(stmt, site);
                (stmts, flagged, Vec::new())
            }
            StmtKind::Block(block) => {
                let inner = self.site_before(site, &after);
                let (stmts, flagged) = self.list(block.stmts, here, inner);
                (
                    vec![Stmt::at(StmtKind::Block(Block::of(stmts)), span)],
                    flagged,
                    after,
                )
            }
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let (then, otherwise) = (then.stmts, otherwise.map(|block| block.stmts));
                self.branches((cond, span), (then, otherwise), after, (here, around, site))
            }
            StmtKind::Switch { value, arms } => {
                // What is uniform in it is not known yet: the next round sees to its exits.
                self.changed = true;
                let stmts = switches::to_ifs(self.target, value, arms, span);
                (stmts, Flagged::default(), after)
            }
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
                let (stmts, flagged) = match holds_barrier(self.target.function, &stmt) {
                    true => self.convergent_loop(stmt, site),
                    false => self.plain_loop(stmt),
                };
                (stmts, flagged, after)
            }
            _ => (vec![stmt], Flagged::default(), after),
        }
    }

    /// The site of a statement in a list at `location`, with `after` after it.
    fn site_before(&self, site: ListSite, after: &[Stmt]) -> ListSite {
        let follows = !after.is_empty();
        ListSite {
            flag_return: site.flag_return || follows,
            flag_continue: site.flag_continue || follows,
            ..site
        }
    }

    fn exit(&mut self, stmt: Stmt, site: ListSite) -> Rewritten {
        let end_matters = self.loops.last().is_some_and(|around| around.end_matters);
        let stays = match stmt.kind {
            StmtKind::Return(_) => !site.masked,
            StmtKind::Continue => !site.masked_in_loop && !end_matters,
            _ => !site.masked_in_loop,
        };
        if stays {
            return (vec![stmt], Flagged::default());
        }
        self.changed = true;
        let mut flagged = Flagged::default();
        match stmt.kind {
            StmtKind::Return(_) if site.flag_return => {
                flagged.returned = Some(self.returned_flag());
            }
            StmtKind::Continue if site.flag_continue => {
                flagged.skipped = self.loop_flag(|around| &mut around.skipped, "skipped");
            }
            StmtKind::Break => flagged.left = self.loop_flag(|around| &mut around.left, "left"),
            _ => {}
        };
        let stmts = flagged.vars().map(|flag| self.set(flag)).collect();
        (stmts, flagged)
    }

    fn branches(
        &mut self,
        (cond, span): (ExprId, Option<fpgacc_frontend::source::Span>),
        (mut then, mut otherwise): (Vec<Stmt>, Option<Vec<Stmt>>),
        mut after: Vec<Stmt>,
        (here, around, site): (Surroundings, Surroundings, ListSite),
    ) -> (Vec<Stmt>, Flagged, Vec<Stmt>) {
        let masks = !self.uniform.evaluates(cond);
        let mut inner = site;
        inner.masked |= masks;
        inner.masked_in_loop |= masks;
        let (mut inside, mut inside_other, mut cond) = (here, here, cond);
        // What follows is only for those who do not leave: it goes to the other branch.
        if masks && !after.is_empty() {
            let leaves = never_ends(&then);
            let other_leaves = otherwise.as_deref().is_some_and(never_ends);
            if leaves || other_leaves {
                self.changed = true;
                let stays = match leaves {
                    true => otherwise.get_or_insert_default(),
                    false => &mut then,
                };
                stays.append(&mut after);
                // The exits of the branch that leaves are to go, whether they matter or not.
                let leaving = Surroundings {
                    return_matters: true,
                    ..around
                };
                (inside, inside_other) = match leaves {
                    true => (leaving, around),
                    false => (around, leaving),
                };
            }
        }
        let inner = self.site_before(inner, &after);
        let (mut then, mut flagged) = self.list(then, inside, inner);
        let mut otherwise = match otherwise {
            Some(stmts) => {
                let (stmts, more) = self.list(stmts, inside_other, inner);
                flagged = flagged.and(more);
                Some(stmts).filter(|stmts| !stmts.is_empty())
            }
            None => None,
        };
        if then.is_empty()
            && let Some(stmts) = otherwise.take()
        {
            cond = self.negate(cond);
            then = stmts;
        }
        let mut stmt = branch(cond, then, otherwise);
        stmt.span = span;
        (vec![stmt], flagged, after)
    }

    /// A loop without barriers in which a work-item may return.
    fn plain_loop(&mut self, stmt: Stmt) -> Rewritten {
        self.changed = true;
        let flag = self.returned_flag();
        let stmt = returns::leave_loop(self.target, stmt, flag);
        let flagged = Flagged {
            returned: Some(flag),
            ..Flagged::default()
        };
        (vec![stmt], flagged)
    }

    fn convergent_loop(&mut self, stmt: Stmt, site: ListSite) -> Rewritten {
        let parts = Parts::of(stmt);
        let is_own = |root: Option<ExprId>| root.is_some_and(|root| !self.uniform.evaluates(root));
        let masked = is_own(parts.cond);
        let inner = ListSite {
            masked_in_loop: false,
            masked: site.masked || masked,
            flag_return: true,
            flag_continue: false,
        };
        self.loops.push(Loop {
            end_matters: masked || is_own(parts.step),
            ..Loop::default()
        });
        let (mut body, flagged) = self.list(parts.body, Surroundings::LOOP, inner);
        self.loops.pop();
        if let Some(skipped) = flagged.skipped {
            body.insert(0, self.declare(skipped));
        }
        let ends = Flagged {
            skipped: None,
            ..flagged
        };
        if ends.is_empty() {
            return (vec![Parts { body, ..parts }.join()], Flagged::default());
        }
        let mut out: Vec<Stmt> = flagged
            .left
            .map(|left| self.declare(left))
            .into_iter()
            .collect();
        let stays = self.none_set(ends);
        let cond = match parts.cond {
            Some(cond) => self.target.binary(BinaryOp::And, stays, cond),
            None => stays,
        };
        if let Some(step) = parts.step {
            self.step_before_continues(&mut body, step, ends);
            body.push(self.step(step, ends));
        }
        let joined = Parts {
            body,
            cond: Some(cond),
            step: None,
            ..parts
        };
        out.push(joined.join());
        let flagged = Flagged {
            returned: flagged.returned,
            ..Flagged::default()
        };
        (out, flagged)
    }

    /// A loop's step, for those who stay in it.
    fn step(&mut self, step: ExprId, ends: Flagged) -> Stmt {
        let stays = self.none_set(ends);
        branch(stays, vec![Stmt::new(StmtKind::Expr(step))], None)
    }

    /// The step becomes the end of the body, which every `continue` that is left would skip.
    fn step_before_continues(&mut self, list: &mut Vec<Stmt>, step: ExprId, ends: Flagged) {
        if faults::is_on("step-skipped") {
            return;
        }
        for mut stmt in std::mem::take(list) {
            match stmt.kind {
                StmtKind::Continue => {
                    let step = self.target.function.exprs.duplicate(step);
                    list.push(self.step(step, ends));
                }
                // What continues in there continues an inner loop.
                StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => {}
                _ => {
                    for inside in stmt.lists_mut() {
                        self.step_before_continues(inside, step, ends);
                    }
                }
            }
            list.push(stmt);
        }
    }

    fn returned_flag(&mut self) -> VarId {
        if let Some(flag) = self.returned {
            return flag;
        }
        let flag = self.target.flag("returned");
        self.returned = Some(flag);
        flag
    }

    fn declare(&mut self, flag: VarId) -> Stmt {
        let no = self.target.truth(false);
        declaration(flag, Some(no))
    }

    /// A flag of the innermost loop.
    fn loop_flag(
        &mut self,
        field: impl Fn(&mut Loop) -> &mut Option<VarId>,
        hint: &str,
    ) -> Option<VarId> {
        let known = *field(self.loops.last_mut()?);
        if known.is_some() {
            return known;
        }
        let flag = self.target.flag(hint);
        *field(self.loops.last_mut()?) = Some(flag);
        Some(flag)
    }

    fn set(&mut self, flag: VarId) -> Stmt {
        let yes = self.target.truth(true);
        self.target.function.assign_var(flag, yes)
    }

    /// `!a && !b`
    fn none_set(&mut self, flagged: Flagged) -> ExprId {
        let mut cond: Option<ExprId> = None;
        for flag in flagged.vars() {
            if faults::is_on("exit-flag-lost") {
                break;
            }
            let set = self.target.function.use_var(flag);
            let clear = self.target.not(set);
            cond = Some(match cond {
                Some(before) => self.target.binary(BinaryOp::And, before, clear),
                None => clear,
            });
        }
        cond.unwrap_or_else(|| self.target.truth(true))
    }

    /// A condition that holds where `cond` does not.
    fn negate(&mut self, cond: ExprId) -> ExprId {
        let exprs = &self.target.function.exprs;
        match *exprs.get(cond) {
            Expr::Unary {
                op: UnaryOp::Not,
                operand,
            } => operand,
            Expr::Binary { op, lhs, rhs } if self.is_integer(lhs) && self.is_integer(rhs) => {
                match op.negated() {
                    Some(op) => self.target.binary(op, lhs, rhs),
                    None => self.target.not(cond),
                }
            }
            _ => self.target.not(cond),
        }
    }

    fn is_integer(&self, id: ExprId) -> bool {
        let ty = self.target.function.exprs.ty(id);
        self.target.types.resolve(ty).is_integer()
    }
}
