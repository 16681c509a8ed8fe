//! Writing registers in place of memory.

use fpgacc_frontend::ir::{
    Expr, ExprId, Function, FunctionId, Module, Stmt, StmtKind, VarId, VarRef,
};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::place::is_loop;

use super::legality::{LoopPlan, Plan, Promotion};
use crate::around_loop::{Names, Scope, Shell, declare, private_variable};

/// Carries out a plan.
pub fn apply(module: &mut Module, id: FunctionId, plan: &Plan) {
    let names = Names::of(module, id);
    let function = &mut module.functions[id];
    let Some(mut body) = function.body.take() else {
        return;
    };
    let mut writer = Writer {
        function,
        names,
        seen: 0,
        plan,
    };
    let stmts = std::mem::take(&mut body.stmts);
    body.stmts = writer.list(stmts, Scope::Shared);
    function.body = Some(body);
}

struct Writer<'a> {
    function: &'a mut Function,
    names: Names,
    /// Loops of the original that were met.
    seen: usize,
    plan: &'a Plan,
}

impl Writer<'_> {
    fn list(&mut self, stmts: Vec<Stmt>, scope: Scope) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(stmts.len());
        for mut stmt in stmts {
            self.seen += usize::from(is_loop(&stmt));
            let plan = self.plan.loops.get(&(self.seen.wrapping_sub(1)));
            match plan.filter(|_| is_loop(&stmt)) {
                Some(plan) => self.rewrite(stmt, plan, scope, &mut out),
                None => {
                    self.inside(&mut stmt);
                    out.push(stmt);
                }
            }
        }
        out
    }

    fn inside(&mut self, stmt: &mut Stmt) {
        for (list, scope) in Scope::of_lists(stmt) {
            *list = self.list(std::mem::take(list), scope);
        }
    }

    fn rewrite(&mut self, mut stmt: Stmt, plan: &LoopPlan, scope: Scope, out: &mut Vec<Stmt>) {
        let shell = Shell::take(self.function, &mut stmt, plan.around);
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        let registers: Vec<VarId> = plan.promotions.iter().map(|p| self.register(p)).collect();
        // All places are copied before any is replaced: one may be a part of another's address.
        for (promotion, &register) in plan.promotions.iter().zip(&registers) {
            before.push(self.first_value(promotion, register));
            if promotion.store && !faults::is_on("promotion-store-lost") {
                behind.push(self.store(promotion, register));
            }
        }
        for (promotion, &register) in plan.promotions.iter().zip(&registers) {
            self.replace(promotion, register);
        }
        // Behind the replacement: inner loops may copy what was replaced.
        self.inside(&mut stmt);
        shell.close(before, stmt, behind, scope, out);
    }

    /// A variable with the name of what is pointed into.
    fn register(&mut self, promotion: &Promotion) -> VarId {
        let base = self.base(promotion.place);
        let name = self.names.fresh(&format!("{base}_kept"));
        let ty = self.function.exprs.ty(promotion.place);
        private_variable(self.function, name, ty)
    }

    fn base(&self, place: ExprId) -> String {
        let mut name = None;
        self.function.exprs.for_each(place, &mut |id| {
            if let Expr::Var(VarRef::Local(var)) = self.function.exprs.get(id) {
                name.get_or_insert_with(|| self.function.vars[*var].name.clone());
            }
        });
        name.unwrap_or_else(|| "value".to_string())
    }

    fn first_value(&mut self, promotion: &Promotion, register: VarId) -> Stmt {
        if !promotion.load {
            return Stmt::new(StmtKind::Decl {
                var: register,
                init: None,
            });
        }
        let value = self.function.exprs.duplicate(promotion.place);
        declare(register, value)
    }

    fn store(&mut self, promotion: &Promotion, register: VarId) -> Stmt {
        let place = self.function.exprs.duplicate(promotion.place);
        let value = self.function.use_var(register);
        let store = self.function.exprs.assign(None, place, value);
        Stmt::new(StmtKind::Expr(store))
    }

    fn replace(&mut self, promotion: &Promotion, register: VarId) {
        let ty = self.function.exprs.ty(promotion.place);
        for &node in &promotion.nodes {
            let value = Expr::Var(VarRef::Local(register));
            self.function.exprs.replace(node, value, ty);
        }
    }
}
