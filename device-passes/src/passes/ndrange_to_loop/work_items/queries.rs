//! Replaces calls of work-item functions.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, FileNames, Function, Module, QualType, Stmt, TypeId, VarId,
};
use fpgacc_kernel_analysis::work_item::{self, Dim, Quantity, Query};

use crate::passes::ndrange_to_loop::work_items::ids::{Ids, Range, Target};

/// The casts that replace calls, with the ranges of what they cast.
pub type Marks = BTreeMap<ExprId, Range>;

/// Where ids come from.
pub enum Source<'i> {
    /// The loops and hidden parameters of the kernel.
    Kernel(&'i mut Ids),
    /// Parameters of a function that the kernel calls, for what is not constant.
    Helper {
        /// Constants and ranges.
        ids: &'i mut Ids,
        /// The parameters; linear ids have dimension 0.
        params: &'i BTreeMap<(Quantity, u8), VarId>,
    },
}

impl Source<'_> {
    fn ids(&mut self) -> &mut Ids {
        match self {
            Source::Kernel(ids) | Source::Helper { ids, .. } => ids,
        }
    }

    /// An expression of type `int` for a quantity that is no linear id.
    pub fn expr(&mut self, target: &mut Target<'_>, quantity: Quantity, d: u8) -> ExprId {
        match self {
            Source::Kernel(ids) => ids.expr(target, quantity, d),
            Source::Helper { ids, params } => match ids.constant(quantity, d) {
                Some(value) => target.int(value),
                None => target.function.use_var(params[&(quantity, d)]),
            },
        }
    }

    /// An expression of type `size_t` for a linear id.
    pub fn linear(
        &mut self,
        target: &mut Target<'_>,
        quantity: Quantity,
    ) -> (ExprId, Vec<(ExprId, Range)>) {
        match self {
            Source::Kernel(ids) => ids.linear(target, quantity),
            Source::Helper { params, .. } => {
                (target.function.use_var(params[&(quantity, 0)]), Vec::new())
            }
        }
    }
}

/// The calls of work-item functions in `stmts`, inner ones first.
pub fn find(module: &Module, function: &Function, stmts: &[Stmt]) -> Vec<(ExprId, Query)> {
    let mut found = Vec::new();
    for stmt in stmts {
        stmt.for_each_expr(&function.exprs, &mut |id| {
            if let Some(query) = work_item::query(module, function, id) {
                found.push((id, query));
            }
        });
    }
    found.reverse();
    found
}

/// Replaces all calls of work-item functions in `stmts` by casts of ids, which are noted in `marks`.
pub fn replace(
    module: &mut Module,
    function: &mut Function,
    taken: &FileNames,
    stmts: &[Stmt],
    source: &mut Source<'_>,
    marks: &mut Marks,
) {
    for (slot, query) in find(module, function, stmts) {
        let mut target = Target {
            function: &mut *function,
            types: &mut module.types,
            taken,
        };
        replace_one(&mut target, slot, query, source, marks);
    }
}

fn replace_one(
    target: &mut Target<'_>,
    slot: ExprId,
    query: Query,
    source: &mut Source<'_>,
    marks: &mut Marks,
) {
    let Query { quantity, dim } = query;
    let size_t = target.types.size_t();
    match (dim, quantity) {
        (_, Quantity::GlobalLinearId | Quantity::LocalLinearId) => {
            let (root, inner) = source.linear(target, quantity);
            let exprs = &mut target.function.exprs;
            exprs.replace(slot, exprs.get(root).clone(), exprs.ty(root));
            let moved = |id| if id == root { slot } else { id };
            marks.extend(inner.into_iter().map(|(id, range)| (moved(id), range)));
        }
        (Dim::None, _) => {
            let ty = target.types.scalar(fpgacc_frontend::ir::Scalar::UInt);
            let value = source.expr(target, quantity, 0);
            let range = source.ids().range(quantity, 0);
            cast(target, slot, ty, value, range, marks);
        }
        (Dim::Of(d), _) => {
            let value = source.expr(target, quantity, d);
            let range = source.ids().range(quantity, d);
            cast(target, slot, size_t, value, range, marks);
        }
        (Dim::Beyond, _) => {
            let beyond = quantity.beyond();
            let value = target.int(beyond);
            cast(target, slot, size_t, value, (beyond, beyond), marks);
        }
        (Dim::Computed(arg), _) => {
            let (value, range) = choose(target, quantity, arg, source);
            cast(target, slot, size_t, value, range, marks);
        }
    }
}

/// `arg == 0 ? x : arg == 1 ? y : arg == 2 ? z : beyond`, without the cases that equal the last.
fn choose(
    target: &mut Target<'_>,
    quantity: Quantity,
    arg: ExprId,
    source: &mut Source<'_>,
) -> (ExprId, Range) {
    let beyond = quantity.beyond();
    let mut value = target.int(beyond);
    let mut range = (beyond, beyond);
    let mut all_same = true;
    for d in [2, 1, 0] {
        if all_same && source.ids().constant(quantity, d) == Some(beyond) {
            continue;
        }
        all_same = false;
        let then = source.expr(target, quantity, d);
        let here = source.ids().range(quantity, d);
        range = (range.0.min(here.0), range.1.max(here.1));
        let arg = target.function.exprs.duplicate(arg);
        let number = target.int(i64::from(d));
        let cond = target.binary(BinaryOp::Eq, arg, number);
        let int = target.types.int();
        let choice = Expr::Cond {
            cond,
            then,
            otherwise: value,
        };
        value = target.function.exprs.add(choice, int, None);
    }
    (value, range)
}

fn cast(
    target: &mut Target<'_>,
    slot: ExprId,
    ty: TypeId,
    operand: ExprId,
    range: Range,
    marks: &mut Marks,
) {
    let cast = Expr::Cast {
        ty: QualType::plain(ty),
        operand,
    };
    target.function.exprs.replace(slot, cast, ty);
    marks.insert(slot, range);
}
