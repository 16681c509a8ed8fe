//! Writing arrays, and the loops that fill them.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{
    BinaryOp, ExprId, Function, FunctionId, Module, QualType, Stmt, StmtKind, Type, Types, VarId,
};
use fpgacc_kernel_analysis::trip_count::Counting;
use fpgacc_kernel_analysis::{faults, loops};

use super::address::Dim;
use super::legality::Promotion;
use crate::around_loop::{self, Names, Plan, Rewrite, name_in, private_variable};

const UNROLL: &str = "unroll";

/// Carries out a plan.
pub fn apply(module: &mut Module, id: FunctionId, plan: &Plan<Promotion>) {
    around_loop::apply(module, id, plan, |function, types, names| Writer {
        function,
        types,
        names,
    });
}

/// Where elements are copied to.
#[derive(Clone, Copy)]
enum Way {
    /// The array.
    In,
    /// Memory.
    Out,
}

struct Writer<'a> {
    function: &'a mut Function,
    types: &'a mut Types,
    names: Names,
}

impl Rewrite for Writer<'_> {
    type Kept = Promotion;

    const NESTED: bool = true;

    fn function(&mut self) -> &mut Function {
        self.function
    }

    fn rewrite(&mut self, stmt: &mut Stmt, promotions: &[Promotion]) -> [Vec<Stmt>; 2] {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let mut arrays = Vec::new();
        // All are copied before any is replaced: one may be a part of another's address.
        for promotion in promotions {
            let array = self.array(promotion);
            before.push(Stmt::declare(array));
            before.push(self.copy(promotion, array, Way::In));
            if promotion.store && !faults::is_on("promotion-store-lost") {
                after.push(self.copy(promotion, array, Way::Out));
            }
            arrays.push(array);
        }
        for (promotion, array) in promotions.iter().zip(arrays) {
            for node in &promotion.nodes {
                let counters = promotion
                    .address
                    .dims
                    .iter()
                    .map(|dim| dim.counting.counter);
                let element = self.element(promotion, array, &counters.collect::<Vec<_>>());
                self.function.exprs.replace_by(*node, element);
            }
            if promotion.in_registers {
                unroll(stmt, &promotion.address.dims);
            }
        }
        [before, after]
    }
}

impl Writer<'_> {
    /// An array with the name of what is pointed into.
    fn array(&mut self, promotion: &Promotion) -> VarId {
        let base = name_in(self.function, promotion.location);
        let name = self.names.fresh(&format!("{base}_kept"));
        let element = QualType::plain(self.function.exprs.ty(promotion.location));
        let len = Some(promotion.elements());
        let ty = self.types.intern(Type::Array { element, len });
        private_variable(self.function, name, ty)
    }

    /// The loops that copy all elements.
    fn copy(&mut self, promotion: &Promotion, array: VarId, way: Way) -> Stmt {
        let counters: Vec<VarId> = promotion
            .address
            .dims
            .iter()
            .map(|dim| self.counter(dim))
            .collect();
        let location = self.function.exprs.duplicate(promotion.location);
        self.expand(location, &promotion.address.locals);
        for (id, var) in self.function.exprs.local_uses(location) {
            let mut dims = promotion.address.dims.iter();
            if let Some(dim) = dims.position(|dim| dim.counting.counter == var) {
                self.function.point_to(id, counters[dim]);
            }
        }
        let element = self.element(promotion, array, &counters);
        let (to, from) = match way {
            Way::In => (element, location),
            Way::Out => (location, element),
        };
        let store = self.function.exprs.assign(None, to, from);
        let mut stmt = Stmt::new(StmtKind::Expr(store));
        for (dim, counter) in promotion.address.dims.iter().zip(counters).rev() {
            stmt = self.counted(dim, counter, stmt, promotion.in_registers);
        }
        stmt
    }

    /// Puts what variables are declared to be in their place.
    fn expand(&mut self, root: ExprId, locals: &BTreeMap<VarId, ExprId>) {
        for (id, var) in self.function.exprs.local_uses(root) {
            let Some(value) = locals.get(&var) else {
                continue;
            };
            self.function.put_value(id, *value);
            self.expand(id, locals);
        }
    }

    /// A variable that counts as a loop's counter does.
    fn counter(&mut self, dim: &Dim) -> VarId {
        let variable = &self.function.vars[dim.counting.counter];
        let (name, ty) = (self.names.fresh(&variable.name), variable.ty.ty);
        private_variable(self.function, name, ty)
    }

    fn int(&mut self, value: i128) -> ExprId {
        // Counters' values fit into their types.
        self.function.exprs.int(self.types, value as i64)
    }

    fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.function.exprs.binary(self.types, op, lhs, rhs)
    }

    /// A loop that counts as another one.
    fn counted(&mut self, dim: &Dim, counter: VarId, body: Stmt, is_unrolled: bool) -> Stmt {
        let counting = dim.counting;
        let start = self.int(counting.start);
        let end = counting.start + i128::from(counting.trips) * counting.by;
        let (end, var) = (self.int(end), self.function.use_var(counter));
        let op = match counting.by > 0 {
            true => BinaryOp::Lt,
            false => BinaryOp::Gt,
        };
        let cond = self.binary(op, var, end);
        let (op, by) = match counting.by > 0 {
            true => (BinaryOp::Add, counting.by),
            false => (BinaryOp::Sub, -counting.by),
        };
        let (by, var) = (self.int(by), self.function.use_var(counter));
        let step = self.function.exprs.assign(Some(op), var, by);
        let counted = Stmt::counting((counter, start), (cond, step), vec![body]);
        match is_unrolled {
            true => counted.under(UNROLL),
            false => counted,
        }
    }

    /// The element of an array for the values of counters: rows of rows, the innermost loop's side by side.
    fn element(&mut self, promotion: &Promotion, array: VarId, counters: &[VarId]) -> ExprId {
        let mut index = None;
        for (dim, counter) in promotion.address.dims.iter().zip(counters) {
            let own = self.iteration(&dim.counting, *counter);
            index = Some(match index {
                None => own,
                Some(outer) => {
                    let trips = self.int(i128::from(dim.counting.trips));
                    let row = self.binary(BinaryOp::Mul, outer, trips);
                    self.binary(BinaryOp::Add, row, own)
                }
            });
        }
        let index = index.expect("an address varies with a loop");
        let array = self.function.use_var(array);
        self.function.exprs.index(self.types, array, index)
    }

    /// Iterations that a loop has made when its counter has its value.
    fn iteration(&mut self, counting: &Counting, counter: VarId) -> ExprId {
        let counter = self.function.use_var(counter);
        let start = self.int(counting.start.abs());
        let distance = match (counting.start, counting.by > 0) {
            (0, true) => counter,
            (1.., true) => self.binary(BinaryOp::Sub, counter, start),
            (_, true) => self.binary(BinaryOp::Add, counter, start),
            (_, false) => {
                let start = self.int(counting.start);
                self.binary(BinaryOp::Sub, start, counter)
            }
        };
        match counting.by.abs() {
            1 => distance,
            by => {
                let by = self.int(by);
                self.binary(BinaryOp::Div, distance, by)
            }
        }
    }
}

/// Unrolls loops inside a loop wholly.
fn unroll(stmt: &mut Stmt, dims: &[Dim]) {
    for dim in dims {
        let mut is_asked = false;
        let mut at = 0;
        stmt.for_each(&mut |inner| {
            if let Some(hints) = loops::hints(inner) {
                is_asked |= at == dim.at && hints.pragmas.iter().any(|text| text == UNROLL);
                at += 1;
            }
        });
        if !is_asked {
            loops::add_pragma_in(std::slice::from_mut(stmt), dim.at, UNROLL);
        }
    }
}
