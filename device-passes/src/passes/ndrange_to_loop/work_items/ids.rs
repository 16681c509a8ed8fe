//! Expressions for what work-item functions return, over loop variables and hidden parameters.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, FileNames, Function, QualType, Scalar, Stmt, Types, VarId,
};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::work_item::Quantity;
use fpgacc_runtime::manifest::Hidden;

use crate::passes::ndrange_to_loop::work_items::grid::{Extent, Grid, INT_MAX, letter};

/// The least and the greatest value that an expression may have.
pub type Range = (i64, i64);

/// A function under change, with what is needed to add to it.
pub struct Target<'a> {
    /// The function.
    pub function: &'a mut Function,
    /// The module's types.
    pub types: &'a mut Types,
    /// The module's names, which new variables must not hide.
    pub taken: &'a FileNames,
}

impl Target<'_> {
    /// A new `int` variable.
    pub fn int_var(&mut self, hint: &str) -> VarId {
        let int = self.types.int();
        self.function.add_var(hint, int, self.taken)
    }

    /// An `int` literal.
    pub fn int(&mut self, value: i64) -> ExprId {
        self.function.exprs.int(self.types, value)
    }

    /// `lhs op rhs`
    pub fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.function.exprs.binary(self.types, op, lhs, rhs)
    }

    /// `!operand`
    pub fn not(&mut self, operand: ExprId) -> ExprId {
        self.function.exprs.not(self.types, operand)
    }

    /// `true` or `false`
    pub fn truth(&mut self, value: bool) -> ExprId {
        let ty = self.types.scalar(Scalar::Bool);
        let literal = Expr::Int {
            value: i128::from(value),
            spelling: None,
        };
        self.function.exprs.add(literal, ty, None)
    }

    /// A new `bool` variable.
    pub fn flag(&mut self, hint: &str) -> VarId {
        let ty = self.types.scalar(Scalar::Bool);
        self.function.add_var(hint, ty, self.taken)
    }

    /// `a + b`, either of which may be absent (0).
    fn sum(&mut self, a: Option<ExprId>, b: Option<ExprId>) -> Option<ExprId> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.binary(BinaryOp::Add, a, b)),
            (one, other) => one.or(other),
        }
    }
}

/// The loop variables and hidden parameters of a kernel.
pub struct Ids {
    /// The NDRange.
    pub grid: Grid,
    /// The hidden parameters that are used.
    pub hidden: BTreeMap<Hidden, VarId>,
    /// The loops over groups.
    pub groups: [Option<VarId>; 3],
    /// The loops over the work-items of a group.
    pub items: [Option<VarId>; 3],
    num_groups: [Option<VarId>; 3],
    /// Variables that hold the global ids, where the part of the kernel at hand has them.
    global_ids: [Option<VarId>; 3],
}

impl Ids {
    /// Makes the loop variables.
    pub fn new(mut grid: Grid, target: &mut Target<'_>) -> Self {
        let mut groups = [None; 3];
        let mut items = [None; 3];
        for d in 0..3 {
            if grid.groups(d) != Some(1) {
                groups[d as usize] = Some(target.int_var(&format!("group_{}", letter(d))));
            }
            if grid.has_item_loop(d) {
                items[d as usize] = Some(target.int_var(&format!("item_{}", letter(d))));
            }
        }
        Ids {
            grid,
            hidden: BTreeMap::new(),
            groups,
            items,
            num_groups: [None; 3],
            global_ids: [None; 3],
        }
    }

    /// The variables of the loops over the work-items of each region.
    pub fn loop_variables(
        &self,
        function: &mut Function,
        regions: usize,
    ) -> Vec<[Option<VarId>; 3]> {
        let mut all = vec![self.items];
        for _ in 1..regions {
            // The same names: the loops stand one after the other.
            let mut twins = self.items;
            for var in twins.iter_mut().flatten() {
                let copy = function.vars[*var].clone();
                *var = function.vars.add(copy);
            }
            all.push(twins);
        }
        all
    }

    /// The value of a quantity, if it is always the same. Not for linear ids.
    pub fn constant(&mut self, quantity: Quantity, d: u8) -> Option<i64> {
        let at = d as usize;
        match quantity {
            Quantity::GlobalId => {
                let fixed = self.groups[at].is_none() && self.items[at].is_none();
                fixed.then(|| self.grid.offset(d).constant()).flatten()
            }
            Quantity::LocalId => self.items[at].is_none().then_some(0),
            Quantity::GroupId => self.groups[at].is_none().then_some(0),
            Quantity::NumGroups => self.grid.groups(d),
            Quantity::GlobalSize => self.grid.global(d).constant(),
            Quantity::LocalSize => self.grid.local(d).constant(),
            Quantity::GlobalOffset => self.grid.offset(d).constant(),
            Quantity::WorkDim => self.grid.work_dim().constant(),
            Quantity::GlobalLinearId | Quantity::LocalLinearId => None,
        }
    }

    /// The range of a quantity's values, given that the runtime lets no `offset + global` exceed
    /// [`INT_MAX`]. Not for linear ids.
    pub fn range(&mut self, quantity: Quantity, d: u8) -> Range {
        if let Some(value) = self.constant(quantity, d) {
            return (value, value);
        }
        let most = |extent: Extent| extent.constant().unwrap_or(INT_MAX);
        match quantity {
            Quantity::GlobalId => {
                let global = self.grid.global(d).constant();
                match (self.grid.offset(d), global) {
                    (Extent::Const(offset), Some(global)) => {
                        (offset, (offset + global - 1).min(INT_MAX - 1))
                    }
                    (Extent::Const(offset), None) => (offset, INT_MAX - 1),
                    (Extent::Hidden(_), _) => (0, INT_MAX - 1),
                }
            }
            Quantity::LocalId => (0, most(self.grid.local(d)) - 1),
            Quantity::GroupId => match self.grid.groups(d) {
                Some(groups) => (0, groups - 1),
                None => (0, most(self.grid.global(d)) - 1),
            },
            Quantity::NumGroups => (0, most(self.grid.global(d))),
            Quantity::GlobalSize => (0, most(self.grid.global(d))),
            Quantity::LocalSize => (1, most(self.grid.local(d))),
            Quantity::GlobalOffset => (0, INT_MAX),
            Quantity::WorkDim => (1, 3),
            Quantity::GlobalLinearId | Quantity::LocalLinearId => (0, i64::MAX),
        }
    }

    /// An expression of type `int` for a quantity. Not for linear ids.
    pub fn expr(&mut self, target: &mut Target<'_>, quantity: Quantity, d: u8) -> ExprId {
        if let Some(value) = self.constant(quantity, d) {
            return target.int(value);
        }
        let at = d as usize;
        let value = match quantity {
            Quantity::GlobalId if self.global_ids[at].is_some() => {
                self.global_ids[at].map(|var| target.function.use_var(var))
            }
            Quantity::GlobalId => {
                let index = self.index(target, d);
                let offset = match self.grid.offset(d) {
                    Extent::Const(0) => None,
                    _ if faults::is_on("offset-forgotten") => None,
                    extent => Some(self.extent(target, extent)),
                };
                target.sum(index, offset)
            }
            Quantity::LocalId => self.items[at].map(|var| target.function.use_var(var)),
            Quantity::GroupId if faults::is_on("group-of-another-dimension") => {
                self.groups[(at + 1) % 3].map(|var| target.function.use_var(var))
            }
            Quantity::GroupId => self.groups[at].map(|var| target.function.use_var(var)),
            Quantity::NumGroups => Some(self.group_count(target, d)),
            Quantity::GlobalSize => {
                let extent = self.grid.global(d);
                Some(self.extent(target, extent))
            }
            Quantity::LocalSize => {
                let extent = match faults::is_on("local-size-is-global") {
                    true => self.grid.global(d),
                    false => self.grid.local(d),
                };
                Some(self.extent(target, extent))
            }
            Quantity::GlobalOffset => {
                let extent = self.grid.offset(d);
                Some(self.extent(target, extent))
            }
            Quantity::WorkDim => {
                let extent = self.grid.work_dim();
                Some(self.extent(target, extent))
            }
            Quantity::GlobalLinearId | Quantity::LocalLinearId => None,
        };
        value.unwrap_or_else(|| target.int(0))
    }

    /// Declares variables for the global ids that a part of the kernel asks for several times
    /// (`asked` states how often) and that are more than a variable already.
    pub fn name_global_ids(&mut self, target: &mut Target<'_>, asked: [usize; 3]) -> Vec<Stmt> {
        self.global_ids = [None; 3];
        let mut out = Vec::new();
        for d in 0..3u8 {
            let at = d as usize;
            if asked[at] < 2 || self.constant(Quantity::GlobalId, d).is_some() {
                continue;
            }
            let value = self.expr(target, Quantity::GlobalId, d);
            if matches!(target.function.exprs.get(value), Expr::Var(_)) {
                continue;
            }
            let var = target.int_var(&format!("global_id_{}", letter(d)));
            self.global_ids[at] = Some(var);
            out.push(Stmt::define(var, value));
        }
        out
    }

    /// `get_global_id(d) - get_global_offset(d)`, if it is not always 0.
    fn index(&mut self, target: &mut Target<'_>, d: u8) -> Option<ExprId> {
        let at = d as usize;
        let first = self.groups[at].map(|group| {
            let group = target.function.use_var(group);
            let size = match faults::is_on("wrong-group-size") {
                true => self.grid.global(d),
                false => self.grid.local(d),
            };
            match size {
                Extent::Const(1) => group,
                extent => {
                    let local = self.extent(target, extent);
                    target.binary(BinaryOp::Mul, group, local)
                }
            }
        });
        let item = self.items[at].map(|item| target.function.use_var(item));
        target.sum(first, item)
    }

    /// A linear id of type `size_t`, and the casts in it with the ranges of what they cast.
    pub fn linear(
        &mut self,
        target: &mut Target<'_>,
        quantity: Quantity,
    ) -> (ExprId, Vec<(ExprId, Range)>) {
        let mut marks = Vec::new();
        let mut sum: Option<ExprId> = None;
        for d in [2, 1, 0] {
            let local = quantity == Quantity::LocalLinearId;
            let (id, size) = if local {
                (Quantity::LocalId, self.grid.local(d))
            } else {
                (Quantity::GlobalId, self.grid.global(d))
            };
            if let (Some(before), false) = (sum, size == Extent::Const(1)) {
                let size = self.extent(target, size);
                let size = mark(target, size, (0, INT_MAX), &mut marks);
                sum = Some(target.binary(BinaryOp::Mul, before, size));
            }
            let index = if local {
                let item = self.items[d as usize];
                item.map(|var| target.function.use_var(var))
            } else {
                self.index(target, d)
            };
            let range = if local {
                self.range(id, d)
            } else {
                let last = self.grid.global(d).constant().unwrap_or(INT_MAX) - 1;
                (0, last)
            };
            let index = index.map(|index| mark(target, index, range, &mut marks));
            sum = target.sum(sum, index);
        }
        let value = match sum {
            Some(value) => value,
            None => {
                let zero = target.int(0);
                mark(target, zero, (0, 0), &mut marks)
            }
        };
        (value, marks)
    }

    /// A literal or a use of a hidden parameter.
    pub fn extent(&mut self, target: &mut Target<'_>, extent: Extent) -> ExprId {
        match extent {
            Extent::Const(value) => target.int(value),
            Extent::Hidden(hidden) => {
                let var = *self
                    .hidden
                    .entry(hidden)
                    .or_insert_with(|| target.int_var(&hidden_name(hidden)));
                target.function.use_var(var)
            }
        }
    }

    /// The number of groups in a dimension.
    pub fn group_count(&mut self, target: &mut Target<'_>, d: u8) -> ExprId {
        if let Some(groups) = self.grid.groups(d) {
            return target.int(groups);
        }
        if self.grid.local(d) == Extent::Const(1) || faults::is_on("group-count-is-global") {
            let global = self.grid.global(d);
            return self.extent(target, global);
        }
        let at = d as usize;
        let var = *self.num_groups[at]
            .get_or_insert_with(|| target.int_var(&format!("num_groups_{}", letter(d))));
        target.function.use_var(var)
    }

    /// Declarations of the numbers of groups that are used, for the head of the kernel.
    pub fn declarations(&mut self, target: &mut Target<'_>) -> Vec<Stmt> {
        let mut out = Vec::new();
        for d in 0..3 {
            let Some(var) = self.num_groups[d as usize] else {
                continue;
            };
            let (global, local) = (self.grid.global(d), self.grid.local(d));
            let global = self.extent(target, global);
            let local = self.extent(target, local);
            let init = target.binary(BinaryOp::Div, global, local);
            out.push(Stmt::define(var, init));
        }
        out
    }
}

/// `(size_t)value`, noted in `marks`.
pub fn mark(
    target: &mut Target<'_>,
    value: ExprId,
    range: Range,
    marks: &mut Vec<(ExprId, Range)>,
) -> ExprId {
    let size_t = target.types.size_t();
    let cast = Expr::Cast {
        ty: QualType::plain(size_t),
        operand: value,
    };
    let id = target.function.exprs.add(cast, size_t, None);
    marks.push((id, range));
    id
}

fn hidden_name(hidden: Hidden) -> String {
    match hidden {
        Hidden::Offset(d) => format!("fpgacc_offset_{}", letter(d)),
        Hidden::Global(d) => format!("fpgacc_global_{}", letter(d)),
        Hidden::Local(d) => format!("fpgacc_local_{}", letter(d)),
        Hidden::WorkDim => "fpgacc_work_dim".to_string(),
        Hidden::Steps(_) => "fpgacc_steps".into(),
    }
}
