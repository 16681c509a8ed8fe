//! The work-item functions of OpenCL C.

use fpgacc_frontend::ir::{Callee, Expr, ExprId, Function, Module};

use super::constant;

/// What a work-item function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Quantity {
    GlobalId,
    LocalId,
    GroupId,
    NumGroups,
    GlobalSize,
    LocalSize,
    GlobalOffset,
    WorkDim,
    GlobalLinearId,
    LocalLinearId,
}

impl Quantity {
    /// What the builtin with this name returns.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "get_global_id" => Quantity::GlobalId,
            "get_local_id" => Quantity::LocalId,
            "get_group_id" => Quantity::GroupId,
            "get_num_groups" => Quantity::NumGroups,
            "get_global_size" => Quantity::GlobalSize,
            // All groups of a launch have one size, so these are the same.
            "get_local_size" | "get_enqueued_local_size" => Quantity::LocalSize,
            "get_global_offset" => Quantity::GlobalOffset,
            "get_work_dim" => Quantity::WorkDim,
            "get_global_linear_id" => Quantity::GlobalLinearId,
            "get_local_linear_id" => Quantity::LocalLinearId,
            _ => return None,
        })
    }

    /// Whether it may differ between the work-items of a group.
    pub fn differs_in_group(self) -> bool {
        matches!(
            self,
            Quantity::GlobalId
                | Quantity::LocalId
                | Quantity::GlobalLinearId
                | Quantity::LocalLinearId
        )
    }

    /// Whether it may differ between groups.
    pub fn differs_between_groups(self) -> bool {
        matches!(
            self,
            Quantity::GlobalId | Quantity::GroupId | Quantity::GlobalLinearId
        )
    }

    /// What it is in a dimension beyond `work_dim`.
    pub fn beyond(self) -> i64 {
        match self {
            Quantity::NumGroups | Quantity::GlobalSize | Quantity::LocalSize => 1,
            _ => 0,
        }
    }

    /// The middle of a variable's name for it, such as `global_id`.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::GlobalId => "global_id",
            Quantity::LocalId => "local_id",
            Quantity::GroupId => "group_id",
            Quantity::NumGroups => "num_groups",
            Quantity::GlobalSize => "global_size",
            Quantity::LocalSize => "local_size",
            Quantity::GlobalOffset => "global_offset",
            Quantity::WorkDim => "work_dim",
            Quantity::GlobalLinearId => "global_linear_id",
            Quantity::LocalLinearId => "local_linear_id",
        }
    }
}

/// The dimension that a work-item function is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dim {
    /// It takes none.
    None,
    /// 0, 1 or 2.
    Of(u8),
    /// A constant beyond 2.
    Beyond,
    /// This expression, which is not constant.
    Computed(ExprId),
}

/// A call of a work-item function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// What it asks for.
    pub quantity: Quantity,
    /// In which dimension.
    pub dim: Dim,
}

/// The query that an expression is, if it is one.
pub fn query(module: &Module, function: &Function, id: ExprId) -> Option<Query> {
    let Expr::Call {
        callee: Callee::Builtin(name),
        args,
    } = function.exprs.get(id)
    else {
        return None;
    };
    let quantity = Quantity::of(name)?;
    let dim = match args.first() {
        None => Dim::None,
        Some(&arg) => match constant::integer(module, &function.exprs, arg) {
            Some(value @ 0..=2) => Dim::Of(value as u8),
            Some(_) => Dim::Beyond,
            None => Dim::Computed(arg),
        },
    };
    Some(Query { quantity, dim })
}
