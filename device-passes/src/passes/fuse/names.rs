//! Names: what two loops declare comes into one scope.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    Callee, Expr, Function, FunctionId, Module, Stmt, StmtKind, VarId, VarRef,
};

use crate::around_loop::Names;
use crate::pass::Context;

/// Two loops and what stands between, before they are one.
pub struct Parts<'s> {
    /// What the first one declares for its body: its counter, or nothing.
    pub counters: [VarId; 2],
    /// The bodies.
    pub bodies: [&'s mut [Stmt]; 2],
    /// What comes before both.
    pub between: &'s [Stmt],
}

/// Gives other names to what would hide, or be, something else.
pub fn separate(module: &mut Module, kernel: FunctionId, context: &Context<'_>, parts: Parts<'_>) {
    let mut names = Names::of(module, kernel);
    let function = &mut module.functions[kernel];
    let [first, second] = parts.bodies;
    let [a, b] = parts.counters;
    let [of_first, mut of_second] = [&*first, &*second].map(|stmts| Used::of(function, stmts));
    let (own_first, own_second) = (top(first), top(second));
    of_second.vars.retain(|var| !own_second.contains(var));
    let mut renamed: Vec<VarId> = Vec::new();
    {
        let name = |var: VarId| &function.vars[var].name;
        let hides = |var: VarId, used: &Used| {
            let is_hidden =
                |other: &VarId| *other != var && *other != b && name(*other) == name(var);
            used.vars.iter().any(is_hidden)
                || used.names.contains(name(var))
                || context.names.contains(name(var))
        };
        renamed.extend(
            top(parts.between)
                .into_iter()
                .filter(|var| hides(*var, &of_first)),
        );
        renamed.extend(own_first.iter().filter(|var| hides(**var, &of_second)));
        if a != b && hides(a, &of_second) {
            renamed.push(a);
        }
        let is_taken = |var: &&VarId| {
            let mut others = own_first.iter().chain([&a]);
            others.any(|other| name(*other) == name(**var))
        };
        renamed.extend(own_second.iter().filter(is_taken));
        if a != b && name(a) != name(b) {
            let inside = declared(second).into_iter();
            renamed.extend(inside.filter(|var| name(*var) == name(a)));
        }
    }
    renamed.sort_unstable();
    renamed.dedup();
    for var in renamed {
        let old = function.vars[var].name.clone();
        let named = format!("array({old})");
        for stmt in first.iter_mut().chain(second.iter_mut()) {
            forget(stmt, &named);
        }
        function.vars[var].name = names.fresh(&old);
    }
}

/// Takes pragmas that name an array off the loops of a statement: they say less then, but nothing else.
pub fn forget(stmt: &mut Stmt, named: &str) {
    if let StmtKind::For { hints, .. }
    | StmtKind::While { hints, .. }
    | StmtKind::DoWhile { hints, .. } = &mut stmt.kind
    {
        hints.pragmas.retain(|text| {
            let text: String = text.split_whitespace().collect();
            !text.contains(named)
        });
    }
    for inner in stmt.lists_mut().into_iter().flatten() {
        forget(inner, named);
    }
}

/// What a list declares.
fn top(stmts: &[Stmt]) -> Vec<VarId> {
    let declared = stmts.iter().filter_map(|stmt| match stmt.kind {
        StmtKind::Decl { var, .. } => Some(var),
        _ => None,
    });
    declared.collect()
}

/// What a list and all inside it declares.
fn declared(stmts: &[Stmt]) -> Vec<VarId> {
    let mut found = Vec::new();
    for stmt in stmts {
        stmt.for_each(&mut |stmt| {
            if let StmtKind::Decl { var, .. } = stmt.kind {
                found.push(var);
            }
        });
    }
    found
}

/// What statements use by its name.
struct Used {
    vars: BTreeSet<VarId>,
    /// What OpenCL C itself declares.
    names: BTreeSet<String>,
}

impl Used {
    fn of(function: &Function, stmts: &[Stmt]) -> Self {
        let mut used = Used {
            vars: BTreeSet::new(),
            names: BTreeSet::new(),
        };
        let mut note = |id| match function.exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => {
                used.vars.insert(*var);
            }
            Expr::BuiltinConst(name)
            | Expr::Call {
                callee: Callee::Builtin(name),
                ..
            } => {
                used.names.insert(name.clone());
            }
            _ => {}
        };
        for stmt in stmts {
            stmt.for_each_expr(&function.exprs, &mut note);
        }
        used
    }
}
