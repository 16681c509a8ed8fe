//! Ids and sizes of the original launch, over those of the smaller one.

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, FileNames, Function, Module, Stmt, VarId};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::geometry::Geometry;
use fpgacc_kernel_analysis::work_item::{Dim, Quantity, Query};

use crate::passes::coarsen::options::{Coarsening, Level, Stride};
use crate::passes::ndrange_to_loop::work_items::ids::Target;
use crate::passes::ndrange_to_loop::work_items::queries;

/// How the work-items of the original are numbered by those that are left and their lanes.
pub struct Lanes {
    /// What is merged.
    pub how: Coarsening,
    /// All launches have offset 0 in the dimension.
    no_offset: bool,
}

/// Whether the offset is left out of ids, which the runtime must then check.
pub fn relies_on_no_offset(how: Coarsening, geometry: &Geometry) -> bool {
    geometry.offset[usize::from(how.dim)] == Some(0)
}

/// Replaces the calls of work-item functions in `stmts` that the smaller launch answers otherwise.
/// `lane` is the lane's number; `None` where lanes do not differ.
pub fn replace(
    module: &mut Module,
    function: &mut Function,
    taken: &FileNames,
    stmts: &[Stmt],
    (lanes, lane): (&Lanes, Option<VarId>),
) {
    for (slot, query) in queries::find(module, function, stmts) {
        if !lanes.changes(query) {
            continue;
        }
        let mut target = Target {
            function: &mut *function,
            types: &mut module.types,
            taken,
        };
        let value = lanes.value(&mut target, slot, query, lane);
        let exprs = &mut target.function.exprs;
        exprs.replace(slot, exprs.get(value).clone(), exprs.ty(value));
    }
}

impl Lanes {
    /// For kernels with such launches.
    pub fn new(how: Coarsening, geometry: &Geometry) -> Self {
        Lanes {
            how,
            no_offset: relies_on_no_offset(how, geometry),
        }
    }

    /// For kernels that are launched without an offset, which the runtime must then check.
    pub fn without_offset(how: Coarsening) -> Self {
        Lanes {
            how,
            no_offset: true,
        }
    }

    /// Whether the smaller launch answers a query otherwise than the original.
    pub fn changes(&self, query: Query) -> bool {
        match query.dim {
            Dim::Of(d) => d == self.how.dim && self.changes_quantity(query.quantity),
            Dim::Computed(_) | Dim::None => self.changes_quantity(query.quantity),
            Dim::Beyond => false,
        }
    }

    fn changes_quantity(&self, quantity: Quantity) -> bool {
        match quantity {
            Quantity::GlobalId | Quantity::GlobalSize | Quantity::GlobalLinearId => true,
            Quantity::LocalId | Quantity::LocalSize | Quantity::LocalLinearId => {
                self.how.level == Level::Items
            }
            Quantity::GroupId | Quantity::NumGroups => self.how.level == Level::Groups,
            Quantity::GlobalOffset | Quantity::WorkDim => false,
        }
    }

    /// The original's answer to a query that [changes](Self::changes), which `slot` is.
    pub fn value(
        &self,
        target: &mut Target<'_>,
        slot: ExprId,
        query: Query,
        lane: Option<VarId>,
    ) -> ExprId {
        match (query.quantity, query.dim) {
            (Quantity::GlobalLinearId | Quantity::LocalLinearId, _) => {
                self.linear(target, query.quantity, lane)
            }
            (quantity, Dim::Computed(arg)) => {
                let own = self.own(target, quantity, lane);
                let arg = target.function.exprs.duplicate(arg);
                let dim = target.int(i64::from(self.how.dim));
                let cond = target.binary(BinaryOp::Eq, arg, dim);
                let otherwise = target.function.exprs.duplicate(slot);
                let choice = Expr::Cond {
                    cond,
                    then: own,
                    otherwise,
                };
                let size_t = target.types.size_t();
                target.function.exprs.add(choice, size_t, None)
            }
            (quantity, _) => self.own(target, quantity, lane),
        }
    }

    /// A quantity in the dimension that is coarsened.
    fn own(&self, target: &mut Target<'_>, quantity: Quantity, lane: Option<VarId>) -> ExprId {
        match quantity {
            Quantity::GlobalId => self.global_id(target, lane),
            Quantity::LocalId => {
                self.spread(target, ("get_local_id", "get_local_size"), None, lane)
            }
            Quantity::GroupId => {
                self.spread(target, ("get_group_id", "get_num_groups"), None, lane)
            }
            Quantity::GlobalSize => self.scaled(target, "get_global_size"),
            Quantity::LocalSize => self.scaled(target, "get_local_size"),
            Quantity::NumGroups => self.scaled(target, "get_num_groups"),
            Quantity::GlobalOffset => ask(target, "get_global_offset", self.how.dim),
            Quantity::WorkDim | Quantity::GlobalLinearId | Quantity::LocalLinearId => target.int(0),
        }
    }

    /// `size * factor`
    fn scaled(&self, target: &mut Target<'_>, name: &str) -> ExprId {
        let size = ask(target, name, self.how.dim);
        let factor = target.int(self.how.factor as i64);
        target.binary(BinaryOp::Mul, size, factor)
    }

    fn global_id(&self, target: &mut Target<'_>, lane: Option<VarId>) -> ExprId {
        let dim = self.how.dim;
        let index = match (self.how.level, self.how.stride) {
            (Level::Items, Stride::Of(_)) => {
                let id = ask(target, "get_global_id", dim);
                let index = match self.no_offset {
                    true => id,
                    false => {
                        let offset = ask(target, "get_global_offset", dim);
                        target.binary(BinaryOp::Sub, id, offset)
                    }
                };
                self.spread(target, ("", ""), Some(index), lane)
            }
            // The group's first, and the distance of the lane from it: (group * F + lane) * size.
            (Level::Items, Stride::Widest) => {
                let group = ask(target, "get_group_id", dim);
                let row = self.neighbours(target, group, lane);
                self.in_row(target, row)
            }
            (Level::Groups, _) => {
                let names = ("get_group_id", "get_num_groups");
                let group = self.spread(target, names, None, lane);
                self.in_row(target, group)
            }
        };
        if self.no_offset {
            return index;
        }
        let offset = ask(target, "get_global_offset", dim);
        target.binary(BinaryOp::Add, index, offset)
    }

    /// `row * get_local_size(dim) + get_local_id(dim)`
    fn in_row(&self, target: &mut Target<'_>, row: ExprId) -> ExprId {
        let size = ask(target, "get_local_size", self.how.dim);
        let first = target.binary(BinaryOp::Mul, row, size);
        let id = ask(target, "get_local_id", self.how.dim);
        target.binary(BinaryOp::Add, first, id)
    }

    /// `index * factor + lane`
    fn neighbours(&self, target: &mut Target<'_>, index: ExprId, lane: Option<VarId>) -> ExprId {
        let factor = target.int(self.how.factor as i64);
        let first = target.binary(BinaryOp::Mul, index, factor);
        match lane.filter(|_| !faults::is_on("lane-forgotten")) {
            Some(lane) => {
                let lane = target.function.use_var(lane);
                target.binary(BinaryOp::Add, first, lane)
            }
            None => first,
        }
    }

    /// The original's index for the one that `id` asks for, or is given, of `count`: that of lane 0, with
    /// lanes a stride apart.
    fn spread(
        &self,
        target: &mut Target<'_>,
        (id, count): (&str, &str),
        given: Option<ExprId>,
        lane: Option<VarId>,
    ) -> ExprId {
        let dim = self.how.dim;
        let index = given.unwrap_or_else(|| ask(target, id, dim));
        let stride = match self.how.stride {
            Stride::Of(1) => return self.neighbours(target, index, lane),
            Stride::Of(stride) => stride as i64,
            Stride::Widest => {
                let count = ask(target, count, dim);
                return match lane {
                    Some(lane) => {
                        let lane = target.function.use_var(lane);
                        let distance = target.binary(BinaryOp::Mul, lane, count);
                        target.binary(BinaryOp::Add, index, distance)
                    }
                    None => index,
                };
            }
        };
        // index / stride * (factor * stride) + index % stride + lane * stride
        let again = target.function.exprs.duplicate(index);
        let [by, row, rest] = [stride, self.how.factor as i64 * stride, stride];
        let [by, row, rest] = [by, row, rest].map(|number| target.int(number));
        let block = target.binary(BinaryOp::Div, index, by);
        let block = target.binary(BinaryOp::Mul, block, row);
        let within = target.binary(BinaryOp::Rem, again, rest);
        let first = target.binary(BinaryOp::Add, block, within);
        let Some(lane) = lane else {
            return first;
        };
        let lane = target.function.use_var(lane);
        let distance = target.int(stride);
        let distance = target.binary(BinaryOp::Mul, lane, distance);
        target.binary(BinaryOp::Add, first, distance)
    }

    fn linear(&self, target: &mut Target<'_>, quantity: Quantity, lane: Option<VarId>) -> ExprId {
        let is_global = quantity == Quantity::GlobalLinearId;
        let mut sum: Option<ExprId> = None;
        for d in [2, 1, 0] {
            let (id, size) = match is_global {
                true => (Quantity::GlobalId, Quantity::GlobalSize),
                false => (Quantity::LocalId, Quantity::LocalSize),
            };
            let mut index = self.component(target, id, d, lane);
            if is_global {
                let offset = ask(target, "get_global_offset", d);
                index = target.binary(BinaryOp::Sub, index, offset);
            }
            sum = Some(match sum {
                None => index,
                Some(before) => {
                    let size = self.component(target, size, d, lane);
                    let rows = target.binary(BinaryOp::Mul, before, size);
                    target.binary(BinaryOp::Add, rows, index)
                }
            });
        }
        sum.unwrap_or_else(|| target.int(0))
    }

    /// A quantity in any dimension.
    fn component(
        &self,
        target: &mut Target<'_>,
        quantity: Quantity,
        d: u8,
        lane: Option<VarId>,
    ) -> ExprId {
        if d == self.how.dim && self.changes_quantity(quantity) {
            return self.own(target, quantity, lane);
        }
        ask(target, &format!("get_{}", quantity.name()), d)
    }
}

/// A call of a work-item function.
fn ask(target: &mut Target<'_>, name: &str, dim: u8) -> ExprId {
    let dim = target.int(i64::from(dim));
    let size_t = target.types.size_t();
    target.function.exprs.call_builtin(name, size_t, vec![dim])
}
