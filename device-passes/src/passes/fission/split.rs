//! Writing several loops in place of one.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Block, ExprId, Function, FunctionId, Init, LoopHints, Module, QualType,
    Stmt, StmtKind, Type, Types, VarId,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::faults;

use super::plan::Plan;
use crate::around_loop::{Names, private_variable};
use crate::copy::redirect_all;
use crate::position::{Position, list_mut};

/// Carries out a plan. The conditions of the loops, which are not looked at again.
pub fn apply(
    module: &mut Module,
    kernel: FunctionId,
    position: &Position,
    plan: &Plan,
) -> Vec<ExprId> {
    let mut names = Names::of(module, kernel);
    let (types, function) = (&mut module.types, &mut module.functions[kernel]);
    let Some(list) = list_mut(function, &position.path) else {
        return Vec::new();
    };
    let stmt = list.remove(position.index);
    let span = stmt.span;
    let StmtKind::For {
        init,
        cond: Some(cond),
        step: Some(step),
        body,
        hints,
    } = stmt.kind
    else {
        return Vec::new();
    };
    let mut made = Vec::new();
    let mut arrays = BTreeMap::new();
    for (var, _) in &plan.expanded {
        let trips = plan.counted.map_or(1, |(_, trips)| trips);
        let array = array(function, types, &mut names, *var, trips);
        arrays.insert(*var, array);
        made.push(Stmt::declare(array));
    }
    let mut splitter = Splitter {
        function,
        types,
        plan,
        arrays,
        stmts: body.stmts,
        head: Head {
            init,
            cond,
            step,
            hints,
            span,
        },
    };
    let mut conds = Vec::new();
    for group in 0..plan.groups.len() {
        let stmt = splitter.group(group);
        if let StmtKind::For { cond, .. } = &stmt.kind {
            conds.extend(*cond);
        }
        made.push(stmt);
    }
    if let Some(list) = list_mut(&mut module.functions[kernel], &position.path) {
        list.splice(position.index..position.index, made);
    }
    conds
}

/// An array for the values of all iterations.
fn array(
    function: &mut Function,
    types: &mut Types,
    names: &mut Names,
    var: VarId,
    trips: u64,
) -> VarId {
    let element = QualType::plain(function.vars[var].ty.ty);
    let name = names.fresh(&format!("{}_all", function.vars[var].name));
    let ty = types.intern(Type::Array {
        element,
        len: Some(trips),
    });
    let array = private_variable(function, name, ty);
    debug_assert_eq!(function.vars[array].space, AddressSpace::Private);
    array
}

/// What stands before a body.
struct Head {
    init: Vec<Stmt>,
    cond: ExprId,
    step: ExprId,
    hints: LoopHints,
    span: Option<Span>,
}

struct Splitter<'a> {
    function: &'a mut Function,
    types: &'a mut Types,
    plan: &'a Plan,
    arrays: BTreeMap<VarId, VarId>,
    stmts: Vec<Stmt>,
    head: Head,
}

impl Splitter<'_> {
    /// A loop.
    fn group(&mut self, at: usize) -> Stmt {
        let plan = self.plan;
        let mut needed = BTreeSet::new();
        let mut used = BTreeSet::new();
        for stmt in &plan.groups[at] {
            used.extend(uses(self.function, &self.stmts[*stmt]));
        }
        self.need(&used, &mut needed);
        // Variables of the copy, by those of the original.
        let mut own: BTreeMap<VarId, VarId> = BTreeMap::new();
        let is_declared = matches!(
            self.head.init.first().map(|stmt| &stmt.kind),
            Some(StmtKind::Decl { .. })
        );
        if at > 0 {
            if is_declared {
                self.copy_of(plan.counter, &mut own);
            }
            for stmt in &needed {
                if let StmtKind::Decl { var, .. } = self.stmts[*stmt].kind {
                    self.copy_of(var, &mut own);
                }
            }
        }
        let mut body = Vec::new();
        let mut reloaded = Vec::new();
        for (var, writer) in &plan.expanded {
            if *writer != at && used.contains(var) {
                self.copy_of(*var, &mut own);
                reloaded.push(*var);
            }
        }
        for var in reloaded {
            let element = self.element(var, &own);
            body.push(Stmt::define(own[&var], element));
        }
        let all: BTreeSet<usize> = plan.groups[at].iter().chain(&needed).copied().collect();
        for stmt in all {
            let is_copied = at > 0 && needed.contains(&stmt);
            let taken = match is_copied {
                true => self.declared_again(stmt, &own),
                false if needed.contains(&stmt) => self.stmts[stmt].clone(),
                false => {
                    let empty = Stmt::new(StmtKind::Block(Block::default()));
                    let taken = std::mem::replace(&mut self.stmts[stmt], empty);
                    replace(self.function, &taken, &own);
                    taken
                }
            };
            body.push(taken);
        }
        for (var, writer) in &plan.expanded {
            if *writer == at {
                let element = self.element(*var, &own);
                let value = self.function.use_var(*var);
                let store = self.function.exprs.assign(None, element, value);
                body.push(Stmt::new(StmtKind::Expr(store)));
            }
        }
        self.around(at, &own, body)
    }

    /// The head of a loop around a body.
    fn around(&mut self, at: usize, own: &BTreeMap<VarId, VarId>, body: Vec<Stmt>) -> Stmt {
        let mut copied = |id: ExprId| {
            // The first loop has what the original had.
            if at == 0 {
                return id;
            }
            let copy = self.function.exprs.duplicate(id);
            replace(self.function, &Stmt::new(StmtKind::Expr(copy)), own);
            copy
        };
        let mut init = self.head.init.clone();
        for stmt in &mut init {
            match &mut stmt.kind {
                StmtKind::Decl { var, init } => {
                    *var = own.get(var).copied().unwrap_or(*var);
                    if let Some(init) = init {
                        init.map_exprs(&mut copied);
                    }
                }
                StmtKind::Expr(id) => *id = copied(*id),
                _ => {}
            }
        }
        let kind = StmtKind::For {
            init,
            cond: Some(copied(self.head.cond)),
            step: Some(copied(self.head.step)),
            body: Block::of(body),
            hints: self.head.hints.clone(),
        };
        Stmt::at(kind, self.head.span)
    }

    /// The declarations that variables need, and those that these need.
    fn need(&self, used: &BTreeSet<VarId>, needed: &mut BTreeSet<usize>) {
        for var in used {
            if let Some(at) = self.plan.recomputed.get(var)
                && needed.insert(*at)
            {
                self.need(&uses(self.function, &self.stmts[*at]), needed);
            }
        }
    }

    fn copy_of(&mut self, var: VarId, own: &mut BTreeMap<VarId, VarId>) {
        let variable = self.function.vars[var].clone();
        own.insert(var, self.function.vars.add(variable));
    }

    /// A declaration of a variable that has the same value in another loop.
    fn declared_again(&mut self, at: usize, own: &BTreeMap<VarId, VarId>) -> Stmt {
        let mut stmt = self.stmts[at].clone();
        if let StmtKind::Decl { var, init } = &mut stmt.kind {
            *var = own.get(var).copied().unwrap_or(*var);
            if let Some(init) = init {
                *init = Init::duplicate(init, &mut self.function.exprs);
            }
        }
        replace(self.function, &stmt, own);
        stmt
    }

    /// The element that holds a value of this iteration.
    fn element(&mut self, var: VarId, own: &BTreeMap<VarId, VarId>) -> ExprId {
        let counter = own.get(&self.plan.counter).copied();
        let counter = counter.unwrap_or(self.plan.counter);
        let mut index = self.function.use_var(counter);
        let start = self.plan.counted.map_or(0, |(start, _)| start);
        if start != 0 {
            let exprs = &mut self.function.exprs;
            let by = exprs.int(self.types, start.unsigned_abs() as i64);
            let op = if start > 0 {
                BinaryOp::Sub
            } else {
                BinaryOp::Add
            };
            index = exprs.binary(self.types, op, index, by);
        }
        if faults::is_on("fission-values-shared") {
            index = self.function.exprs.int(self.types, 0);
        }
        let array = self.function.use_var(self.arrays[&var]);
        self.function.exprs.index(self.types, array, index)
    }
}

/// Puts other variables in the place of some.
fn replace(function: &mut Function, stmt: &Stmt, own: &BTreeMap<VarId, VarId>) {
    redirect_all(function, stmt.local_uses(&function.exprs), own);
}

/// The variables that a statement uses.
fn uses(function: &Function, stmt: &Stmt) -> BTreeSet<VarId> {
    let uses = stmt.local_uses(&function.exprs).into_iter();
    uses.map(|(_, var)| var).collect()
}
