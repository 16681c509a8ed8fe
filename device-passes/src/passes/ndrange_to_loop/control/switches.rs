//! `switch` with barriers inside becomes `if`s, which other steps split into regions.

use fpgacc_frontend::ir::{
    Arm, BinaryOp, Block, CaseLabel, ExprId, LoopHints, Stmt, StmtKind, VarId, VarRef,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::faults;

use crate::passes::ndrange_to_loop::control::convergence::{
    Convergence, Surroundings, has_exit, never_ends,
};
use crate::passes::ndrange_to_loop::statements::branch;
use crate::passes::ndrange_to_loop::statements::declaration;
use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// Rewrites the switches that work-items of a group go through together.
pub fn rewrite(target: &mut Target<'_>, stmts: &mut Vec<Stmt>, around: Surroundings) {
    let none = Default::default();
    let convergence = Convergence {
        function: target.function,
        shared: &none,
    };
    let surroundings = convergence.surroundings(stmts, around);
    let convergent: Vec<bool> = stmts
        .iter()
        .zip(&surroundings)
        .map(|(stmt, around)| convergence.is_convergent(stmt, *around))
        .collect();
    let old = std::mem::take(stmts);
    for ((mut stmt, around), convergent) in old.into_iter().zip(surroundings).zip(convergent) {
        if !convergent {
            stmts.push(stmt);
            continue;
        }
        let inner = match stmt.kind {
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
                Surroundings::LOOP
            }
            _ => around,
        };
        for list in stmt.lists_mut() {
            rewrite(target, list, inner);
        }
        match stmt.kind {
            StmtKind::Switch { value, arms } => {
                stmts.extend(to_ifs(target, value, arms, stmt.span));
            }
            _ => stmts.push(stmt),
        }
    }
}

/// The statements that a switch is.
pub fn to_ifs(
    target: &mut Target<'_>,
    value: ExprId,
    mut arms: Vec<Arm>,
    span: Option<Span>,
) -> Vec<Stmt> {
    let (value, mut out) = named(target, value);
    out.extend(hoist_declarations(target, &mut arms));
    let count = arms.len();
    let is_chain = arms.iter_mut().enumerate().all(|(at, arm)| {
        let ends = at + 1 == count || never_ends(&arm.body);
        let body = match arm.body.split_last() {
            Some((last, body)) if matches!(last.kind, StmtKind::Break) => body,
            _ => &arm.body,
        };
        ends && !has_exit(body, true, false, false)
    });
    if is_chain {
        out.extend(chain(target, value, arms, span));
        return out;
    }
    let continues = arms
        .iter()
        .any(|arm| has_exit(&arm.body, false, true, false));
    if !continues {
        out.push(once(target, value, arms, span));
        return out;
    }
    // The loop around is another one now: a flag says so.
    let flag = target.flag("continued");
    let no = target.truth(false);
    out.push(declaration(flag, Some(no)));
    for arm in &mut arms {
        leave_by_flag(target, &mut arm.body, flag);
    }
    out.push(once(target, value, arms, span));
    let set = target.function.use_var(flag);
    out.push(branch(set, vec![Stmt::new(StmtKind::Continue)], None));
    out
}

/// Makes every `continue` set a flag and leave the switch, also from a switch inside.
fn leave_by_flag(target: &mut Target<'_>, list: &mut Vec<Stmt>, flag: VarId) {
    for mut stmt in std::mem::take(list) {
        match stmt.kind {
            StmtKind::Continue => {
                let yes = target.truth(true);
                list.push(target.function.assign_var(flag, yes));
                list.push(Stmt::at(StmtKind::Break, stmt.span));
                continue;
            }
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
                list.push(stmt);
                continue;
            }
            _ => {}
        }
        let continues = has_exit(std::slice::from_ref(&stmt), false, true, false);
        for inside in stmt.lists_mut() {
            leave_by_flag(target, inside, flag);
        }
        let is_switch = matches!(stmt.kind, StmtKind::Switch { .. });
        list.push(stmt);
        if is_switch && continues {
            let set = target.function.use_var(flag);
            list.push(branch(set, vec![Stmt::new(StmtKind::Break)], None));
        }
    }
}

/// A variable for the value.
fn named(target: &mut Target<'_>, value: ExprId) -> (VarId, Vec<Stmt>) {
    if let Some(var) = target.function.exprs.local_var(value) {
        let params = &target.function.params;
        if params.contains(&var) {
            return (var, Vec::new());
        }
    }
    let ty = target.function.exprs.ty(value);
    let ty = target.types.promoted(ty);
    let var = target.function.add_var("value", ty, target.taken);
    (var, vec![declaration(var, Some(value))])
}

/// A variable that an arm declares is seen in the arms after it: it moves in front.
fn hoist_declarations(target: &mut Target<'_>, arms: &mut [Arm]) -> Vec<Stmt> {
    let mut out = Vec::new();
    let count = arms.len();
    for at in 0..count {
        let (before, after) = arms.split_at_mut(at + 1);
        let Some(arm) = before.last_mut() else {
            continue;
        };
        for stmt in &mut arm.body {
            let StmtKind::Decl { var, init } = &stmt.kind else {
                continue;
            };
            let exprs = &target.function.exprs;
            let used = after.iter().flat_map(|arm| &arm.body).any(|stmt| {
                let mut found = false;
                stmt.for_each(&mut |stmt| {
                    found |= stmt
                        .exprs()
                        .iter()
                        .any(|root| exprs.uses(*root, VarRef::Local(*var)));
                });
                found
            });
            let (true, None | Some(fpgacc_frontend::ir::Init::Expr(_))) = (used, init) else {
                continue;
            };
            let (var, init) = (*var, init.clone());
            out.push(declaration(var, None));
            stmt.kind = match init {
                Some(fpgacc_frontend::ir::Init::Expr(value)) => {
                    target.function.assign_var(var, value).kind
                }
                _ => StmtKind::Block(Block::default()),
            };
        }
    }
    out
}

/// Whether a value has one of an arm's labels; `None` for `default`.
fn fits(target: &mut Target<'_>, value: VarId, labels: &[CaseLabel]) -> Option<ExprId> {
    let mut cond: Option<ExprId> = None;
    for label in labels {
        let test = match *label {
            CaseLabel::Default => return None,
            CaseLabel::Case(label) => compare(target, value, BinaryOp::Eq, label),
            CaseLabel::Range(from, to) => {
                let low = compare(target, value, BinaryOp::Ge, from);
                let high = compare(target, value, BinaryOp::Le, to);
                target.binary(BinaryOp::And, low, high)
            }
        };
        cond = Some(match cond {
            Some(before) => target.binary(BinaryOp::Or, before, test),
            None => test,
        });
    }
    cond
}

/// The label has the type of the value.
fn compare(target: &mut Target<'_>, value: VarId, op: BinaryOp, label: ExprId) -> ExprId {
    let mut label = target.function.exprs.duplicate(label);
    let value = target.function.use_var(value);
    let (ty, label_ty) = (
        target.function.exprs.ty(value),
        target.function.exprs.ty(label),
    );
    if target.types.canonical(ty) != target.types.canonical(label_ty) {
        label = target.function.exprs.cast(ty, label);
    }
    target.binary(op, value, label)
}

/// `if (v == 1) { .. } else if (v == 2) { .. } else { .. }`
fn chain(target: &mut Target<'_>, value: VarId, arms: Vec<Arm>, span: Option<Span>) -> Vec<Stmt> {
    let mut tests = Vec::new();
    let mut default = None;
    for mut arm in arms {
        if matches!(
            arm.body.last().map(|stmt| &stmt.kind),
            Some(StmtKind::Break)
        ) {
            arm.body.pop();
        }
        match fits(target, value, &arm.labels) {
            Some(cond) => tests.push((cond, arm.body)),
            None => default = Some(arm.body),
        }
    }
    let mut otherwise = default;
    for (cond, body) in tests.into_iter().rev() {
        let mut stmt = branch(cond, body, otherwise);
        stmt.span = span;
        otherwise = Some(vec![stmt]);
    }
    otherwise.unwrap_or_default()
}

/// A loop of one iteration, which `break` leaves; control that fell in goes on into the next arms.
fn once(target: &mut Target<'_>, value: VarId, arms: Vec<Arm>, span: Option<Span>) -> Stmt {
    let inside = target.flag("inside");
    let no = target.truth(false);
    let mut body = vec![declaration(inside, Some(no))];
    let all: Vec<CaseLabel> = arms
        .iter()
        .flat_map(|arm| &arm.labels)
        .filter(|label| !matches!(label, CaseLabel::Default))
        .cloned()
        .collect();
    for arm in arms {
        let mut test = match fits(target, value, &arm.labels) {
            Some(test) => test,
            None => match fits(target, value, &all) {
                Some(any) => target.not(any),
                None => target.truth(true),
            },
        };
        let fell = target.function.use_var(inside);
        if !faults::is_on("fall-through-lost") {
            test = target.binary(BinaryOp::Or, fell, test);
        }
        let yes = target.truth(true);
        let mut stmts = vec![target.function.assign_var(inside, yes)];
        stmts.extend(arm.body);
        body.push(branch(test, stmts, None));
    }
    let never = target.truth(false);
    let kind = StmtKind::DoWhile {
        body: Block::of(body),
        cond: never,
        hints: LoopHints::default(),
    };
    Stmt::at(kind, span)
}
