//! Takes calls in which a whole group takes part (barriers, and functions that reach one) out of
//! expressions, so that each is a statement, an assignment to a variable or a declaration's value.
//!
//! What is evaluated before such a call is put into variables, so that all happens in the order
//! in which compilers evaluate: operands from left to right, the value of an assignment before its
//! target.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    BinaryOp, Block, Callee, Expr, ExprId, Function, FunctionId, Init, Stmt, StmtKind, Type,
    TypeId, UnaryOp, VarId, VarRef,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::variables::accesses;

use crate::pass::Note;
use crate::passes::ndrange_to_loop::group_calls::collective::is_collective;
use crate::passes::ndrange_to_loop::statements::declaration;
use crate::passes::ndrange_to_loop::survey::is_barrier;
use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// The calls in which a whole group takes part.
#[derive(Clone, Debug, Default)]
pub struct GroupCalls {
    /// The functions that reach a barrier or a collective builtin, and kernels that are called.
    pub functions: BTreeSet<FunctionId>,
}

impl GroupCalls {
    /// Whether an expression is such a call.
    pub fn is_call(&self, function: &Function, id: ExprId) -> bool {
        match function.exprs.get(id) {
            Expr::Call {
                callee: Callee::Builtin(name),
                ..
            } => is_barrier(name) || is_collective(name),
            Expr::Call {
                callee: Callee::Function(callee),
                ..
            } => self.functions.contains(callee),
            _ => false,
        }
    }

    /// Whether evaluating an expression makes such a call.
    pub fn inside(&self, function: &Function, id: ExprId) -> bool {
        if matches!(function.exprs.get(id), Expr::SizeOf(_)) {
            return false;
        }
        self.is_call(function, id)
            || function
                .exprs
                .children(id)
                .into_iter()
                .any(|child| self.inside(function, child))
    }
}

/// What [`lift`] did.
#[derive(Default)]
pub struct Lifted {
    /// Expressions went into other scopes: names must be made unique.
    pub moved: bool,
    /// What could not be done.
    pub problems: Vec<Note>,
}

/// Takes the calls out of all expressions in `stmts`.
pub fn lift(target: &mut Target<'_>, calls: &GroupCalls, stmts: &mut Vec<Stmt>) -> Lifted {
    let changed = changed(target, stmts);
    let mut lifter = Lifter {
        target,
        calls,
        changed,
        span: None,
        lifted: Lifted::default(),
    };
    lifter.list(stmts);
    lifter.lifted
}

/// The variables that change after their declaration.
pub fn changed(target: &Target<'_>, stmts: &[Stmt]) -> BTreeSet<VarId> {
    let mut changed = BTreeSet::new();
    for stmt in stmts {
        stmt.for_each(&mut |stmt| {
            for root in stmt.exprs() {
                accesses(
                    target.types,
                    &target.function.exprs,
                    root,
                    &mut |var, access, _| {
                        if access.may_write() {
                            changed.insert(var);
                        }
                    },
                );
            }
        });
    }
    changed
}

struct Lifter<'l, 't> {
    target: &'l mut Target<'t>,
    calls: &'l GroupCalls,
    changed: BTreeSet<VarId>,
    /// The statement at hand.
    span: Option<Span>,
    lifted: Lifted,
}

impl Lifter<'_, '_> {
    fn get(&self, id: ExprId) -> &Expr {
        self.target.function.exprs.get(id)
    }

    fn ty(&self, id: ExprId) -> TypeId {
        self.target.function.exprs.ty(id)
    }

    fn inside(&self, id: ExprId) -> bool {
        self.calls.inside(self.target.function, id)
    }

    fn is_scalar(&self, id: ExprId) -> bool {
        self.target.types.as_vector(self.ty(id)).is_none()
    }

    fn push(&self, out: &mut Vec<Stmt>, kind: StmtKind) {
        out.push(Stmt::at(kind, self.span));
    }

    fn list(&mut self, list: &mut Vec<Stmt>) {
        let mut out = Vec::with_capacity(list.len());
        for stmt in std::mem::take(list) {
            self.span = stmt.span;
            self.stmt(stmt, &mut out);
        }
        *list = out;
    }

    fn stmt(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        let roots = stmt.exprs();
        let holds = roots.iter().any(|root| self.inside(*root));
        match &stmt.kind {
            StmtKind::For { init, .. } if self.holds(init) => return self.for_init(stmt, out),
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } if holds => {
                return self.loop_head(stmt, out);
            }
            StmtKind::Expr(root) if holds => return self.effect(*root, out),
            StmtKind::Decl {
                init: Some(Init::Expr(value)),
                ..
            } if self.calls.is_call(self.target.function, *value) => {
                let args = self.target.function.exprs.children(*value);
                self.operands(&args, out);
            }
            _ if holds => self.operands(&roots, out),
            _ => {}
        }
        for list in stmt.lists_mut() {
            self.list(list);
        }
        out.push(stmt);
    }

    fn holds(&self, stmts: &[Stmt]) -> bool {
        let mut roots = stmts.iter().flat_map(Stmt::exprs);
        roots.any(|root| self.inside(root))
    }

    /// `for (int i = call(); ..)` becomes `int i = call(); for (; ..)`.
    fn for_init(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        self.lifted.moved = true;
        if let StmtKind::For { init, .. } = &mut stmt.kind {
            for first in std::mem::take(init) {
                self.stmt(first, out);
            }
        }
        self.stmt(stmt, out);
    }

    /// A loop whose condition or step makes a call.
    fn loop_head(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        self.lifted.moved = true;
        let span = stmt.span;
        match &mut stmt.kind {
            StmtKind::While { cond, body, .. } => {
                let mut head = self.leave_unless(*cond);
                self.list(&mut body.stmts);
                head.append(&mut body.stmts);
                body.stmts = head;
                *cond = self.target.int(1);
            }
            StmtKind::DoWhile { cond, body, .. } => {
                self.no_continue(&body.stmts, "condition", span);
                self.list(&mut body.stmts);
                let ty = self.target.types.int();
                let again = self.new_var("again", ty);
                out.push(declaration(again, None));
                self.value(*cond, &mut body.stmts);
                let value = self.truth(*cond);
                body.stmts
                    .push(self.target.function.assign_var(again, value));
                *cond = self.target.function.use_var(again);
            }
            StmtKind::For {
                cond, step, body, ..
            } => {
                let mut head = Vec::new();
                if let Some(test) = cond.filter(|cond| self.inside(*cond)) {
                    head = self.leave_unless(test);
                    *cond = None;
                }
                self.list(&mut body.stmts);
                if let Some(last) = step.filter(|step| self.inside(*step)) {
                    self.no_continue(&body.stmts, "step", span);
                    self.span = span;
                    self.effect(last, &mut body.stmts);
                    *step = None;
                }
                head.append(&mut body.stmts);
                body.stmts = head;
            }
            _ => {}
        }
        out.push(stmt);
    }

    /// `if (!cond) break;`
    fn leave_unless(&mut self, cond: ExprId) -> Vec<Stmt> {
        let mut out = Vec::new();
        self.value(cond, &mut out);
        let cond = self.target.function.exprs.not(self.target.types, cond);
        let then = Block::of(vec![Stmt::new(StmtKind::Break)]);
        self.push(
            &mut out,
            StmtKind::If {
                cond,
                then,
                otherwise: None,
            },
        );
        out
    }

    fn no_continue(&mut self, body: &[Stmt], what: &str, span: Option<Span>) {
        if let Some(at) = continue_in(body) {
            let text = format!(
                "all work-items of a group take part in a call in the {what} of the loop, to which a \
                 'continue' leads"
            );
            let mut note = Note::new(text, span);
            note.also
                .extend(at.map(|at| (at, "the continue".to_string())));
            self.lifted.problems.push(note);
        }
    }

    /// Appends statements that evaluate an expression only for its effects.
    fn effect(&mut self, id: ExprId, out: &mut Vec<Stmt>) {
        if !self.inside(id) {
            if self.target.function.exprs.has_effects(id) {
                self.push(out, StmtKind::Expr(id));
            }
            return;
        }
        match self.get(id).clone() {
            Expr::Cast { operand, .. } => return self.effect(operand, out),
            Expr::Comma { lhs, rhs } => {
                self.effect(lhs, out);
                return self.effect(rhs, out);
            }
            Expr::Cond {
                cond,
                then,
                otherwise,
            } if self.is_scalar(cond) => {
                self.value(cond, out);
                return self.branch(cond, Some(then), Some(otherwise), out);
            }
            Expr::Binary {
                op: op @ (BinaryOp::And | BinaryOp::Or),
                lhs,
                rhs,
            } if self.is_scalar(id) => {
                self.value(lhs, out);
                return match op {
                    BinaryOp::And => self.branch(lhs, Some(rhs), None, out),
                    _ => self.branch(lhs, None, Some(rhs), out),
                };
            }
            Expr::Call { args, .. } if self.calls.is_call(self.target.function, id) => {
                self.operands(&args, out);
            }
            Expr::Assign { op: None, lhs, rhs }
                if self.calls.is_call(self.target.function, rhs)
                    && matches!(self.get(lhs), Expr::Var(VarRef::Local(_))) =>
            {
                let args = self.target.function.exprs.children(rhs);
                self.operands(&args, out);
            }
            _ => {
                self.value(id, out);
                if !self.target.function.exprs.has_effects(id) {
                    return;
                }
            }
        }
        self.push(out, StmtKind::Expr(id));
    }

    /// `if (cond) yes; else no;`
    fn branch(
        &mut self,
        cond: ExprId,
        yes: Option<ExprId>,
        no: Option<ExprId>,
        out: &mut Vec<Stmt>,
    ) {
        let mut side = |id: Option<ExprId>| {
            let mut stmts = Vec::new();
            if let Some(id) = id {
                self.effect(id, &mut stmts);
            }
            stmts
        };
        let (then, otherwise) = (side(yes), side(no));
        self.branches(cond, then, otherwise, out);
    }

    fn branches(
        &mut self,
        mut cond: ExprId,
        mut then: Vec<Stmt>,
        mut otherwise: Vec<Stmt>,
        out: &mut Vec<Stmt>,
    ) {
        if then.is_empty() {
            std::mem::swap(&mut then, &mut otherwise);
            cond = self.target.function.exprs.not(self.target.types, cond);
        }
        let otherwise = (!otherwise.is_empty()).then(|| Block::of(otherwise));
        self.push(
            out,
            StmtKind::If {
                cond,
                then: Block::of(then),
                otherwise,
            },
        );
    }

    /// Rewrites an expression in place so that it makes no call, and appends what must be done before.
    fn value(&mut self, id: ExprId, out: &mut Vec<Stmt>) {
        if !self.inside(id) {
            return;
        }
        match self.get(id).clone() {
            Expr::Call { args, .. } if self.calls.is_call(self.target.function, id) => {
                self.operands(&args, out);
                let hint = self.name_for(id);
                self.put_in_variable(id, &hint, out);
            }
            Expr::Assign { lhs, rhs, .. } => {
                self.value(rhs, out);
                if self.inside(lhs) {
                    self.keep(rhs, out);
                    self.value(lhs, out);
                }
            }
            Expr::Comma { lhs, rhs } => {
                self.effect(lhs, out);
                self.value(rhs, out);
                let exprs = &mut self.target.function.exprs;
                exprs.replace(id, exprs.get(rhs).clone(), exprs.ty(rhs));
            }
            Expr::Cond {
                cond,
                then,
                otherwise,
            } if self.is_scalar(cond) => {
                self.value(cond, out);
                if self.inside(then) || self.inside(otherwise) {
                    let ty = self.ty(id);
                    self.choose(id, ty, cond, (then, otherwise), out);
                }
            }
            Expr::Binary {
                op: op @ (BinaryOp::And | BinaryOp::Or),
                lhs,
                rhs,
            } if self.is_scalar(id) && self.inside(rhs) => {
                self.value(lhs, out);
                let int = self.target.types.int();
                let fixed = self.target.int(i64::from(op == BinaryOp::Or));
                let sides = match op {
                    BinaryOp::And => (rhs, fixed),
                    _ => (fixed, rhs),
                };
                self.choose(id, int, lhs, sides, out);
            }
            _ => {
                let operands = self.target.function.exprs.children(id);
                self.operands(&operands, out);
            }
        }
    }

    /// `cond ? then : otherwise` of a type as a variable. The operands of `&&` and `||` are compared
    /// with 0.
    fn choose(
        &mut self,
        id: ExprId,
        ty: TypeId,
        cond: ExprId,
        (then, otherwise): (ExprId, ExprId),
        out: &mut Vec<Stmt>,
    ) {
        let logical = matches!(self.get(id), Expr::Binary { .. });
        let chosen = self.new_var("chosen", ty);
        out.push(declaration(chosen, None));
        let mut side = |value: ExprId| {
            let mut stmts = Vec::new();
            self.value(value, &mut stmts);
            let value = if logical { self.truth(value) } else { value };
            stmts.push(self.target.function.assign_var(chosen, value));
            stmts
        };
        let (then, otherwise) = (side(then), side(otherwise));
        self.branches(cond, then, otherwise, out);
        let expr = Expr::Var(VarRef::Local(chosen));
        self.target.function.exprs.replace(id, expr, ty);
    }

    /// `value != 0`, unless it is a truth value already.
    fn truth(&mut self, value: ExprId) -> ExprId {
        let is_truth = match self.get(value) {
            Expr::Binary { op, .. } => {
                op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or)
            }
            Expr::Unary {
                op: UnaryOp::Not, ..
            } => true,
            Expr::Int { value, .. } => matches!(value, 0 | 1),
            _ => false,
        };
        if is_truth {
            return value;
        }
        let zero = self.target.int(0);
        self.target.binary(BinaryOp::Ne, value, zero)
    }

    /// Operands that are evaluated one after the other.
    fn operands(&mut self, operands: &[ExprId], out: &mut Vec<Stmt>) {
        let Some(last) = operands.iter().rposition(|id| self.inside(*id)) else {
            return;
        };
        for &operand in &operands[..last] {
            self.value(operand, out);
            self.keep(operand, out);
        }
        self.value(operands[last], out);
    }

    /// Puts the value of an expression into a variable, unless no later call can change it.
    fn keep(&mut self, id: ExprId, out: &mut Vec<Stmt>) {
        if self.target.types.as_array(self.ty(id)).is_some() {
            return self.keep_location(id, out);
        }
        if !self.stays(id) {
            self.put_in_variable(id, "before", out);
        }
    }

    /// [`Self::keep`] of the parts that name an array.
    fn keep_location(&mut self, id: ExprId, out: &mut Vec<Stmt>) {
        match self.get(id).clone() {
            Expr::Index { base, index } => {
                self.keep(base, out);
                self.keep(index, out);
            }
            Expr::Member {
                base, arrow: false, ..
            } => self.keep_location(base, out),
            Expr::Member { base, .. } => self.keep(base, out),
            Expr::Unary { operand, .. } => self.keep(operand, out),
            _ => {}
        }
    }

    fn stays(&self, id: ExprId) -> bool {
        match self.get(id) {
            Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Str(_)
            | Expr::EnumConst(..)
            | Expr::BuiltinConst(_)
            | Expr::SizeOf(_) => true,
            Expr::Var(VarRef::Local(var)) => !self.changed.contains(var),
            Expr::Cast { operand, .. }
            | Expr::Unary {
                op: UnaryOp::Plus | UnaryOp::Minus | UnaryOp::Not | UnaryOp::Complement,
                operand,
            } => self.stays(*operand),
            Expr::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => matches!(self.get(*operand), Expr::Var(_)),
            _ => false,
        }
    }

    /// Moves an expression into the declaration of a new variable, which takes its place.
    fn put_in_variable(&mut self, id: ExprId, hint: &str, out: &mut Vec<Stmt>) {
        let ty = self.ty(id);
        if matches!(self.target.types.resolve(ty), Type::Void) {
            return;
        }
        let var = self.new_var(hint, ty);
        let exprs = &mut self.target.function.exprs;
        let moved = exprs.add(exprs.get(id).clone(), ty, exprs.span(id));
        exprs.replace(id, Expr::Var(VarRef::Local(var)), ty);
        self.push(
            out,
            StmtKind::Decl {
                var,
                init: Some(Init::Expr(moved)),
            },
        );
    }

    fn new_var(&mut self, hint: &str, ty: TypeId) -> VarId {
        self.target.function.add_var(hint, ty, self.target.taken)
    }

    fn name_for(&self, call: ExprId) -> String {
        match self.get(call) {
            Expr::Call {
                callee: Callee::Builtin(name),
                ..
            } => {
                name.trim_start_matches("work_group_")
                    .trim_start_matches("async_")
                    .to_string()
                    + "_value"
            }
            _ => "result".to_string(),
        }
    }
}

/// The first `continue` that belongs to a loop with this body.
fn continue_in(body: &[Stmt]) -> Option<Option<Span>> {
    body.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Continue => Some(stmt.span),
        StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => None,
        _ => stmt.lists().into_iter().find_map(continue_in),
    })
}
