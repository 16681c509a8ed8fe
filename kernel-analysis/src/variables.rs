//! How expressions use the variables of their function.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    Expr, ExprId, Exprs, Function, SizeOfArg, Stmt, StmtKind, Types, UnaryOp, VarId, VarRef,
};

/// The variables that statements declare, wherever in them.
pub fn declared(stmts: &[Stmt]) -> BTreeSet<VarId> {
    let mut own = BTreeSet::new();
    for stmt in stmts {
        stmt.for_each(&mut |stmt| {
            if let StmtKind::Decl { var, .. } = stmt.kind {
                own.insert(var);
            }
        });
    }
    own
}

/// One way in which an expression uses a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Its type is asked for (`sizeof`).
    Named,
    /// Its value, or a part of it, is read.
    Read,
    /// All of it is overwritten.
    Write,
    /// A part of it is overwritten: a component, field or element.
    WritePart,
    /// It is read and overwritten: `op=`, `++`.
    Update,
    /// Its address goes somewhere: `&`, or an array that becomes a pointer.
    Address,
}

impl Access {
    /// Whether it may change the variable at once or later.
    pub fn may_write(self) -> bool {
        !matches!(self, Access::Named | Access::Read)
    }
}

/// Calls `visit` for each use of a variable in an expression, in an order of evaluation that C
/// allows: the value of an assignment before its target. `conditional` states that the use is not
/// evaluated whenever the expression is (after `&&`, `||` or `?:`).
pub fn accesses(
    types: &Types,
    exprs: &Exprs,
    root: ExprId,
    visit: &mut dyn FnMut(VarId, Access, bool),
) {
    let mut walk = Walk {
        types,
        exprs,
        visit,
    };
    walk.value(root, false);
}

/// [`accesses`] of every expression in a statement and all statements inside it, and of the
/// declarations with an initialiser (as [`Access::Write`]).
pub fn accesses_of_stmt(
    types: &Types,
    function: &Function,
    stmt: &Stmt,
    visit: &mut dyn FnMut(VarId, Access),
) {
    stmt.for_each(&mut |stmt| {
        for root in stmt.exprs() {
            accesses(types, &function.exprs, root, &mut |var, access, _| {
                visit(var, access);
            });
        }
        if let StmtKind::Decl { var, init: Some(_) } = &stmt.kind {
            visit(*var, Access::Write);
        }
    });
}

/// How a function uses its variables; what it does not use is not there.
pub fn uses(types: &Types, function: &Function) -> BTreeMap<VarId, Vec<Access>> {
    let mut uses: BTreeMap<VarId, Vec<Access>> = BTreeMap::new();
    for stmt in function.body.iter().flat_map(|body| &body.stmts) {
        accesses_of_stmt(types, function, stmt, &mut |var, access| {
            uses.entry(var).or_default().push(access);
        });
    }
    uses
}

struct Walk<'a> {
    types: &'a Types,
    exprs: &'a Exprs,
    visit: &'a mut dyn FnMut(VarId, Access, bool),
}

impl Walk<'_> {
    /// An expression whose value is used.
    fn value(&mut self, id: ExprId, conditional: bool) {
        match self.exprs.get(id) {
            Expr::Var(_) | Expr::Index { .. } | Expr::Member { .. } | Expr::Swizzle { .. } => {
                let is_array = self.types.as_array(self.exprs.ty(id)).is_some();
                let access = if is_array {
                    Access::Address
                } else {
                    Access::Read
                };
                self.location(id, access, conditional);
            }
            Expr::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => self.location(*operand, Access::Address, conditional),
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => self.element(*operand, Access::Read, conditional),
            Expr::Assign { op, lhs, rhs } => {
                let access = match op {
                    None => Access::Write,
                    Some(_) => Access::Update,
                };
                self.value(*rhs, conditional);
                self.location(*lhs, access, conditional);
            }
            Expr::IncDec { operand, .. } => self.location(*operand, Access::Update, conditional),
            Expr::Binary {
                op: fpgacc_frontend::ir::BinaryOp::And | fpgacc_frontend::ir::BinaryOp::Or,
                lhs,
                rhs,
            } => {
                self.value(*lhs, conditional);
                self.value(*rhs, true);
            }
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => {
                self.value(*cond, conditional);
                self.value(*then, true);
                self.value(*otherwise, true);
            }
            Expr::SizeOf(SizeOfArg::Expr(operand)) => {
                for (_, var) in self.exprs.local_uses(*operand) {
                    (self.visit)(var, Access::Named, conditional);
                }
            }
            _ => {
                for child in self.exprs.children(id) {
                    self.value(child, conditional);
                }
            }
        }
    }

    /// An lvalue (or a part of a value) that is used as `access` says.
    fn location(&mut self, id: ExprId, access: Access, conditional: bool) {
        let part = match access {
            Access::Write | Access::Update => Access::WritePart,
            other => other,
        };
        match self.exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => (self.visit)(*var, access, conditional),
            Expr::Var(VarRef::Global(_)) => {}
            Expr::Index { base, index } => {
                self.value(*index, conditional);
                self.element(*base, part, conditional);
            }
            Expr::Member {
                base, arrow: false, ..
            }
            | Expr::Swizzle { base, .. } => {
                if access == Access::Update {
                    self.location(*base, Access::Read, conditional);
                }
                self.location(*base, part, conditional);
            }
            Expr::Member {
                base, arrow: true, ..
            } => self.element(*base, part, conditional),
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => self.element(*operand, part, conditional),
            _ => self.value(id, conditional),
        }
    }

    /// What `base[..]`, `*base` or `base->` reach into.
    fn element(&mut self, base: ExprId, access: Access, conditional: bool) {
        if self.types.as_array(self.exprs.ty(base)).is_some() {
            self.location(base, access, conditional);
        } else {
            self.value(base, conditional);
        }
    }
}
