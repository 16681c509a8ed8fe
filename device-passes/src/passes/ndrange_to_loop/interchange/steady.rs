//! What stays the same while a kernel runs, and what is the same for all work-items.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Expr, ExprId, Function, FunctionId, Init, Module, Stmt, StmtKind,
    Types, UnaryOp, VarId, VarRef,
};
use fpgacc_kernel_analysis::accesses::Accesses;
use fpgacc_kernel_analysis::alias::{Aliases, Root, Roots};
use fpgacc_kernel_analysis::variables::{Access, accesses_of_stmt};

use crate::pass::Context;

/// Of a kernel before it is changed. Variables that are added later are not known to it, and are nothing that
/// stays.
pub struct Steady {
    /// Pointer parameters to memory that nobody writes while the kernel runs.
    unwritten: BTreeSet<VarId>,
    /// Variables whose address is taken.
    exposed: BTreeSet<VarId>,
    /// How often variables are written.
    writes: BTreeMap<VarId, usize>,
    /// The first values of variables that have one.
    first: BTreeMap<VarId, ExprId>,
    params: BTreeSet<VarId>,
    types: Types,
}

impl Steady {
    /// Looks through a kernel.
    pub fn of(module: &Module, kernel: FunctionId, context: &Context<'_>) -> Self {
        let function = &module.functions[kernel];
        let stmts = function.body.iter().flat_map(|body| &body.stmts);
        let (mut exposed, mut first) = (BTreeSet::new(), BTreeMap::new());
        let mut writes: BTreeMap<VarId, usize> = BTreeMap::new();
        for stmt in stmts {
            accesses_of_stmt(&module.types, function, stmt, &mut |var, access| {
                *writes.entry(var).or_default() += usize::from(access.may_write());
                if access == Access::Address {
                    exposed.insert(var);
                }
            });
            stmt.for_each(&mut |stmt| {
                if let StmtKind::Decl {
                    var,
                    init: Some(Init::Expr(value)),
                } = stmt.kind
                {
                    first.insert(var, value);
                }
            });
        }
        Steady {
            unwritten: unwritten(module, kernel, context),
            exposed,
            writes,
            first,
            params: function.params.iter().copied().collect(),
            types: module.types.clone(),
        }
    }

    /// Whether a variable's address is taken.
    pub fn is_exposed(&self, var: VarId) -> bool {
        self.exposed.contains(&var)
    }

    /// Whether nobody writes the memory that a parameter points to, nor the parameter.
    pub fn is_unwritten(&self, var: VarId) -> bool {
        self.unwritten.contains(&var)
    }

    /// Whether a variable is a parameter that keeps its value.
    pub fn is_fixed_parameter(&self, var: VarId) -> bool {
        self.params.contains(&var) && self.is_never_written(var)
    }

    fn is_never_written(&self, var: VarId) -> bool {
        self.writes.get(&var).is_none_or(|times| *times == 0)
    }

    /// How often variables are written in a statement.
    pub fn writes_in(&self, function: &Function, stmt: &Stmt) -> BTreeMap<VarId, usize> {
        let mut writes: BTreeMap<VarId, usize> = BTreeMap::new();
        accesses_of_stmt(&self.types, function, stmt, &mut |var, access| {
            *writes.entry(var).or_default() += usize::from(access.may_write());
        });
        writes
    }

    /// Whether a number is the same for all work-items: made of constants and parameters.
    pub fn is_alike(&self, function: &Function, id: ExprId) -> bool {
        let exprs = &function.exprs;
        if self.types.as_scalar(exprs.ty(id)).is_none() {
            return false;
        }
        match *exprs.get(id) {
            Expr::Int { .. } | Expr::EnumConst(..) => true,
            Expr::Var(VarRef::Local(var)) => {
                let is_single = self.writes.get(&var) == Some(&1) && !self.is_exposed(var);
                let first = self.first.get(&var).filter(|_| is_single);
                self.is_fixed_parameter(var) && !self.is_exposed(var)
                    || first.is_some_and(|value| self.is_alike(function, *value))
            }
            Expr::Unary {
                op: UnaryOp::Plus | UnaryOp::Minus,
                operand,
            }
            | Expr::Cast { operand, .. } => self.is_alike(function, operand),
            Expr::Binary { op, lhs, rhs } => {
                let is_plain = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
                is_plain && self.is_alike(function, lhs) && self.is_alike(function, rhs)
            }
            _ => false,
        }
    }
}

fn unwritten(module: &Module, kernel: FunctionId, context: &Context<'_>) -> BTreeSet<VarId> {
    let function = &module.functions[kernel];
    let aliases = Aliases::new(module, kernel, context.called);
    let stmts = function.body.as_ref().map_or(&[][..], |body| &body.stmts);
    let all = Accesses::of_stmts(&aliases, context.summaries(module, kernel), stmts);
    if all.synchronises.is_some() {
        return BTreeSet::new();
    }
    let is_unwritten = |param: &VarId| {
        let ty = function.vars[*param].ty.ty;
        let Some((to, space)) = module.types.as_pointer(ty) else {
            return false;
        };
        let roots = Roots::from([Root::Param(*param)]);
        let is_own =
            *aliases.var_roots(*param) == roots && !aliases.is_exposed(VarRef::Local(*param));
        let is_memory = matches!(space, AddressSpace::Global | AddressSpace::Constant);
        let is_volatile = to.quals.contains(fpgacc_frontend::ir::Qualifiers::VOLATILE);
        let mut written = all.writes();
        let own = VarRef::Local(*param);
        is_own
            && is_memory
            && !is_volatile
            && !written.any(|write| {
                aliases.object(write.at) == Some(own) || aliases.roots_meet(&write.roots, &roots)
            })
    };
    let params = function.params.iter().copied();
    params.filter(is_unwritten).collect()
}
