//! Writing arrays of counts: zeros before the loop, what was counted to memory after it.

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, Function, FunctionId, Module, QualType, Scalar, Stmt, StmtKind, Type,
    TypeId, Types, UnaryOp, VarId,
};
use fpgacc_kernel_analysis::faults;

use super::legality::{Atomic, Counts};
use crate::around_loop::{self, Names, Plan, Rewrite, private_variable};

/// Carries out a plan.
pub fn apply(module: &mut Module, id: FunctionId, plan: &Plan<Counts>) {
    around_loop::apply(module, id, plan, |function, types, names| Writer {
        function,
        types,
        names,
    });
}

struct Writer<'a> {
    function: &'a mut Function,
    types: &'a mut Types,
    names: Names,
}

impl Rewrite for Writer<'_> {
    type Kept = Counts;

    const NESTED: bool = false;

    fn function(&mut self) -> &mut Function {
        self.function
    }

    fn rewrite(&mut self, _stmt: &mut Stmt, kept: &[Counts]) -> [Vec<Stmt>; 2] {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for counts in kept {
            let array = self.array(counts);
            before.push(Stmt::declare(array));
            before.push(self.zeros(counts, array));
            for atomic in &counts.atomics {
                self.count(counts, atomic, array);
            }
            after.push(self.merge(counts, array));
        }
        [before, after]
    }
}

impl Writer<'_> {
    /// An array of unsigned numbers, which wrap as atomics do.
    fn array(&mut self, counts: &Counts) -> VarId {
        let base = &self.function.vars[counts.base].name;
        let name = self.names.fresh(&format!("{base}_counts"));
        let element = self.unsigned(counts.ty);
        let element = QualType::plain(element);
        let len = Some(counts.elements);
        let ty = self.types.intern(Type::Array { element, len });
        private_variable(self.function, name, ty)
    }

    fn unsigned(&mut self, ty: TypeId) -> TypeId {
        let is_long = self
            .types
            .as_scalar(ty)
            .is_some_and(|scalar| scalar.size() == 8);
        self.types.scalar(match is_long {
            true => Scalar::ULong,
            false => Scalar::UInt,
        })
    }

    fn zeros(&mut self, counts: &Counts, array: VarId) -> Stmt {
        let counter = self.counter();
        let element = self.element(array, counter);
        let zero = self.function.exprs.int(self.types, 0);
        let clear = self.function.exprs.assign(None, element, zero);
        self.counted(counts.elements, counter, Stmt::new(StmtKind::Expr(clear)))
    }

    /// An atomic becomes an addition to the array.
    fn count(&mut self, counts: &Counts, atomic: &Atomic, array: VarId) {
        let index = match atomic.index {
            Some(index) => index,
            None => self.function.exprs.int(self.types, 0),
        };
        let amount = match atomic.amount {
            Some(amount) => self.function.exprs.converted(self.types, amount, counts.ty),
            None => self.function.exprs.int(self.types, 1),
        };
        let array = self.function.use_var(array);
        let element = self.function.exprs.index(self.types, array, index);
        let op = match atomic.is_sub {
            true => BinaryOp::Sub,
            false => BinaryOp::Add,
        };
        let exprs = &mut self.function.exprs;
        let sum = exprs.assign(Some(op), element, amount);
        exprs.replace_by(atomic.call, sum);
    }

    /// Adds what was counted to memory; where nothing was, memory is not touched.
    fn merge(&mut self, counts: &Counts, array: VarId) -> Stmt {
        let counter = self.counter();
        let count = self.element(array, counter);
        let zero = self.function.exprs.int(self.types, 0);
        let cond = self
            .function
            .exprs
            .binary(self.types, BinaryOp::Ne, count, zero);
        let pointer = self.pointer(counts, counter);
        let count = self.element(array, counter);
        let amount = self.function.exprs.converted(self.types, count, counts.ty);
        let function = match faults::is_on("old-counts-lost") {
            true => "atomic_xchg",
            false => counts.atomics[0].add,
        };
        let exprs = &mut self.function.exprs;
        let add = exprs.call_builtin(function, counts.ty, vec![pointer, amount]);
        let body = Stmt::only_if(cond, vec![Stmt::new(StmtKind::Expr(add))]);
        self.counted(counts.elements, counter, body)
    }

    /// The address of an element in memory.
    fn pointer(&mut self, counts: &Counts, counter: VarId) -> ExprId {
        let ty = self.function.vars[counts.base].ty.ty;
        let base = self.function.use_var(counts.base);
        let index = self.function.use_var(counter);
        let exprs = &mut self.function.exprs;
        let operand = exprs.index(self.types, base, index);
        let op = UnaryOp::AddressOf;
        exprs.add(Expr::Unary { op, operand }, ty, None)
    }

    fn element(&mut self, array: VarId, counter: VarId) -> ExprId {
        let (array, index) = (self.function.use_var(array), self.function.use_var(counter));
        self.function.exprs.index(self.types, array, index)
    }

    fn counter(&mut self) -> VarId {
        let name = self.names.fresh("element");
        let ty = self.types.int();
        private_variable(self.function, name, ty)
    }

    /// A loop over all elements.
    fn counted(&mut self, elements: u64, counter: VarId, body: Stmt) -> Stmt {
        let start = self.function.exprs.int(self.types, 0);
        let end = self.function.exprs.int(self.types, elements as i64);
        let one = self.function.exprs.int(self.types, 1);
        let use_counter = self.function.use_var(counter);
        let cond = self
            .function
            .exprs
            .binary(self.types, BinaryOp::Lt, use_counter, end);
        let use_counter = self.function.use_var(counter);
        let step = self
            .function
            .exprs
            .assign(Some(BinaryOp::Add), use_counter, one);
        Stmt::counting((counter, start), (cond, step), vec![body])
    }
}
