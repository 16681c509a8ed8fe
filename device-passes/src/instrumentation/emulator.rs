//! What the Intel FPGA emulator must not be given as it is.
//!
//! Its vectoriser (2023.2.4) evaluates an integer division before the loop in which it stands if its
//! operands are the same in all iterations, also if the division stands behind a condition or the loop
//! does not run. In `if (i < n) u = 100 / n;` an `n` of 0 then ends the process (SIGFPE); so does the
//! least integer divided by -1. Loops over work-items are what ndrange-to-loop makes, so that
//! kernels that are right on GPUs would fail. A divisor of which a volatile variable is part stays
//! where it is. FPGAs divide by zero without harm, and get none of this.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, Function, FunctionId, Init, Module, QualType, Qualifiers, Scalar, Stmt,
    StmtKind, VarId, VarRef,
};
use fpgacc_kernel_analysis::calls::reachable;
use fpgacc_kernel_analysis::constant;
use fpgacc_kernel_analysis::variables::{self, Access};

/// Keeps the divisions of single work-items, and of the functions that they call, where they are.
pub fn keep_divisions_in_place(module: &mut Module, kernels: &BTreeSet<FunctionId>) {
    let helpers = kernels.iter().flat_map(|kernel| reachable(module, *kernel));
    let helpers: BTreeSet<FunctionId> = helpers.filter(|id| !kernels.contains(id)).collect();
    for (functions, in_loop) in [(kernels, false), (&helpers, true)] {
        for &function in functions {
            let divisors = Survey::of(module, function, in_loop);
            if !divisors.is_empty() {
                make_opaque(module, function, &divisors);
            }
        }
    }
}

/// Adds a zero that the compiler does not see through.
fn make_opaque(module: &mut Module, id: FunctionId, divisors: &[ExprId]) {
    let names = module.global_names();
    let char = module.types.scalar(Scalar::Char);
    let function = &mut module.functions[id];
    let zero = function.add_var("zero", char, &names);
    function.vars[zero].ty = QualType {
        ty: char,
        quals: Qualifiers::VOLATILE,
    };
    for &divisor in divisors {
        let exprs = &mut function.exprs;
        let (ty, span) = (exprs.ty(divisor), exprs.span(divisor));
        let own = exprs.add(exprs.get(divisor).clone(), ty, span);
        let rhs = function.use_var(zero);
        let sum = Expr::Binary {
            op: BinaryOp::Add,
            lhs: own,
            rhs,
        };
        let ty = module.types.binary(BinaryOp::Add, ty, char);
        function.exprs.replace(divisor, sum, ty);
    }
    let init = function.exprs.int(&mut module.types, 0);
    let declaration = Stmt::define(zero, init);
    let comment = "for the emulator: divisions by what may be 0 stay behind their conditions";
    function.comments.push(comment.to_string());
    if let Some(body) = &mut function.body {
        body.stmts.insert(0, declaration);
    }
}

/// Finds the divisors of divisions that may be evaluated too early.
struct Survey<'a> {
    module: &'a Module,
    function: &'a Function,
    /// Variables that are written where they are declared and nowhere else.
    constant: BTreeSet<VarId>,
    found: Vec<ExprId>,
}

/// What is known inside of a loop, or of none.
#[derive(Clone, Default)]
struct Scope {
    in_loop: bool,
    /// Variables that differ from one iteration of the innermost loop to the next.
    varying: BTreeSet<VarId>,
}

impl Survey<'_> {
    fn of(module: &Module, id: FunctionId, in_loop: bool) -> Vec<ExprId> {
        let function = &module.functions[id];
        let uses = variables::uses(&module.types, function);
        let is_constant = |accesses: &Vec<Access>| {
            accesses.iter().filter(|access| access.may_write()).count() == 1
        };
        let constant = uses.iter().filter(|(_, accesses)| is_constant(accesses));
        let mut survey = Survey {
            module,
            function,
            constant: constant.map(|(var, _)| *var).collect(),
            found: Vec::new(),
        };
        let mut scope = Scope {
            in_loop,
            ..Scope::default()
        };
        if let Some(body) = &function.body {
            survey.stmts(&body.stmts, &mut scope);
        }
        survey.found
    }

    fn stmts(&mut self, stmts: &[Stmt], scope: &mut Scope) {
        for stmt in stmts {
            self.stmt(stmt, scope);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, scope: &mut Scope) {
        let mut inner = match &stmt.kind {
            StmtKind::For { init, step, .. } => {
                self.stmts(init, scope);
                Scope {
                    in_loop: true,
                    varying: step
                        .and_then(|step| self.counter(step))
                        .into_iter()
                        .collect(),
                }
            }
            StmtKind::While { .. } | StmtKind::DoWhile { .. } => Scope {
                in_loop: true,
                ..Scope::default()
            },
            _ => scope.clone(),
        };
        for root in stmt.exprs() {
            self.expr(root, &inner);
        }
        if let StmtKind::Decl {
            var,
            init: Some(Init::Expr(value)),
        } = &stmt.kind
            && self.constant.contains(var)
            && self.varies(*value, scope)
        {
            scope.varying.insert(*var);
        }
        match &stmt.kind {
            StmtKind::For { body, .. } => self.stmts(&body.stmts, &mut inner),
            _ => {
                for list in stmt.lists() {
                    self.stmts(list, &mut inner);
                }
            }
        }
    }

    /// The variable that a loop's last part steps.
    fn counter(&self, step: ExprId) -> Option<VarId> {
        let target = match self.function.exprs.get(step) {
            Expr::IncDec { operand, .. } => *operand,
            Expr::Assign {
                op: Some(BinaryOp::Add | BinaryOp::Sub),
                lhs,
                ..
            } => *lhs,
            _ => return None,
        };
        self.function.exprs.local_var(target)
    }

    fn expr(&mut self, root: ExprId, scope: &Scope) {
        if !scope.in_loop {
            return;
        }
        let function = self.function;
        function.exprs.for_each(root, &mut |id| {
            let (lhs, rhs) = match function.exprs.get(id) {
                Expr::Binary { op, lhs, rhs } if is_division(*op) => (*lhs, *rhs),
                Expr::Assign {
                    op: Some(op),
                    lhs,
                    rhs,
                } if is_division(*op) => (*lhs, *rhs),
                _ => return,
            };
            let is_late = self.varies(lhs, scope) || self.varies(rhs, scope);
            if !is_late && self.is_integer(id) && !self.is_harmless(rhs) {
                self.found.push(rhs);
            }
        });
    }

    fn is_integer(&self, id: ExprId) -> bool {
        let scalar = self.module.types.component(self.function.exprs.ty(id));
        scalar.is_some_and(Scalar::is_integer)
    }

    /// A divisor that no dividend fails at.
    fn is_harmless(&self, divisor: ExprId) -> bool {
        let exprs = &self.function.exprs;
        matches!(exprs.get(divisor), Expr::SizeOf(_))
            || constant::integer(self.module, exprs, divisor).is_some_and(|value| value > 0)
    }

    /// Whether an expression surely looks to a compiler as if it changed with each iteration: a part of a
    /// sum or a product that does, beside parts that do not.
    fn varies(&self, id: ExprId, scope: &Scope) -> bool {
        let exprs = &self.function.exprs;
        match exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => scope.varying.contains(var),
            Expr::Cast { operand, .. } => self.varies(*operand, scope),
            Expr::Index { index, .. } => self.varies(*index, scope),
            Expr::Binary {
                op: BinaryOp::Add | BinaryOp::Sub,
                lhs,
                rhs,
            } => {
                let (left, right) = (self.varies(*lhs, scope), self.varies(*rhs, scope));
                (left && !self.mentions(*rhs, scope)) || (right && !self.mentions(*lhs, scope))
            }
            Expr::Binary {
                op: BinaryOp::Mul,
                lhs,
                rhs,
            } => {
                let scaled = |value, by| self.varies(value, scope) && self.is_harmless(by);
                scaled(*lhs, *rhs) || scaled(*rhs, *lhs)
            }
            _ => false,
        }
    }

    fn mentions(&self, root: ExprId, scope: &Scope) -> bool {
        let mut found = false;
        let exprs = &self.function.exprs;
        exprs.for_each(root, &mut |id| {
            found |= matches!(exprs.get(id), Expr::Var(VarRef::Local(var)) if scope.varying.contains(var));
        });
        found
    }
}

fn is_division(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Div | BinaryOp::Rem)
}
