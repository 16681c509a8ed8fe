//! Writing registers in place of memory.

use fpgacc_frontend::ir::{Function, FunctionId, Module, Stmt, VarId};
use fpgacc_kernel_analysis::faults;

use super::legality::Promotion;
use crate::around_loop::{self, Names, Plan, Rewrite, name_in, private_variable, store};

/// Carries out a plan.
pub fn apply(module: &mut Module, id: FunctionId, plan: &Plan<Promotion>) {
    around_loop::apply(module, id, plan, |function, _, names| Writer {
        function,
        names,
    });
}

struct Writer<'a> {
    function: &'a mut Function,
    names: Names,
}

impl Rewrite for Writer<'_> {
    type Kept = Promotion;

    const NESTED: bool = true;

    fn function(&mut self) -> &mut Function {
        self.function
    }

    fn rewrite(&mut self, _stmt: &mut Stmt, promotions: &[Promotion]) -> [Vec<Stmt>; 2] {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let registers: Vec<VarId> = promotions.iter().map(|p| self.register(p)).collect();
        // All locations are copied before any is replaced: one may be a part of another's address.
        for (promotion, &register) in promotions.iter().zip(&registers) {
            before.push(self.first_value(promotion, register));
            if promotion.store && !faults::is_on("promotion-store-lost") {
                after.push(store(self.function, promotion.location, register));
            }
        }
        for (promotion, &register) in promotions.iter().zip(&registers) {
            self.replace(promotion, register);
        }
        [before, after]
    }
}

impl Writer<'_> {
    /// A variable with the name of what is pointed into.
    fn register(&mut self, promotion: &Promotion) -> VarId {
        let base = name_in(self.function, promotion.location);
        let name = self.names.fresh(&format!("{base}_kept"));
        let ty = self.function.exprs.ty(promotion.location);
        private_variable(self.function, name, ty)
    }

    fn first_value(&mut self, promotion: &Promotion, register: VarId) -> Stmt {
        if !promotion.load {
            return Stmt::declare(register);
        }
        let value = self.function.exprs.duplicate(promotion.location);
        Stmt::define(register, value)
    }

    fn replace(&mut self, promotion: &Promotion, register: VarId) {
        for &node in &promotion.nodes {
            self.function.point_to(node, register);
        }
    }
}
