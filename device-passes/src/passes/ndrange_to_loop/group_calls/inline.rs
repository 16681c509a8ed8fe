//! Functions in which a whole group takes part become part of the kernel: those that reach a barrier
//! or a collective builtin, and kernels that the kernel calls.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, Arena, Callee, Expr, ExprId, FileNames, Function, FunctionId, Global, Init, Item,
    Module, QualType, Qualifiers, SharedArena, Stmt, StmtKind, Type, TypeId, Types, VarId, VarRef,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::calls;
use fpgacc_kernel_analysis::variables::{Access, accesses_of_stmt};

use crate::pass::Note;
use crate::passes::ndrange_to_loop::group_calls::import::{Import, Stand};
use crate::passes::ndrange_to_loop::group_calls::lift::{self, GroupCalls};
use crate::passes::ndrange_to_loop::group_calls::single_exit::{Value, returns, single_exit};
use crate::passes::ndrange_to_loop::statements::declaration;
use crate::passes::ndrange_to_loop::survey::builtin_stmt;
use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// Makes all functions part of a kernel, where they can be.
pub fn inline_all(module: &mut Module, kernel: FunctionId, taken: &FileNames) {
    let calls = GroupCalls {
        functions: calls::reachable(module, kernel).into_iter().collect(),
    };
    if calls.functions.is_empty() {
        return;
    }
    let mut function = module.functions[kernel].clone();
    if let Ok(inlined) = inline(module, kernel, &mut function, taken, &calls) {
        module.functions[kernel] = function;
        drop_unused(module, &inlined);
    }
}

/// The most expressions that a kernel may grow to.
const MOST_EXPRESSIONS: usize = 200_000;

/// The calls in `kernel` in which a whole group takes part, with the functions that make such calls.
pub fn group_calls(module: &Module, kernel: FunctionId) -> GroupCalls {
    let mut calls = GroupCalls::default();
    let reachable = calls::reachable(module, kernel);
    loop {
        let before = calls.functions.len();
        for &id in &reachable {
            let function = &module.functions[id];
            if function.is_kernel && function.body.is_some() || makes_calls(function, &calls) {
                calls.functions.insert(id);
            }
        }
        if calls.functions.len() == before {
            return calls;
        }
    }
}

fn makes_calls(function: &Function, calls: &GroupCalls) -> bool {
    let mut found = false;
    if let Some(body) = &function.body {
        body.for_each_expr(&function.exprs, &mut |id| {
            found |= calls.is_call(function, id);
        });
    }
    found
}

/// Whether [`inline`] has anything to do: calls of functions, or calls inside expressions.
pub fn has_work(function: &Function, calls: &GroupCalls) -> bool {
    let mut found = false;
    if let Some(body) = &function.body {
        body.for_each_stmt(&mut |stmt| {
            let plain = builtin_stmt(function, stmt)
                .is_some_and(crate::passes::ndrange_to_loop::survey::is_barrier);
            found |= !plain && stmt.exprs().iter().any(|id| calls.inside(function, *id));
        });
    }
    found
}

/// Makes the functions of `calls` part of a kernel, and each other call in which a whole group takes
/// part a statement, an assignment to a variable or a declaration's value. Gives the functions that are
/// part of it now.
///
/// # Errors
/// What stands in the way, with its position.
pub fn inline(
    module: &mut Module,
    kernel: FunctionId,
    function: &mut Function,
    taken: &FileNames,
    calls: &GroupCalls,
) -> Result<BTreeSet<FunctionId>, Vec<Note>> {
    let Module {
        functions,
        types,
        globals,
        ..
    } = module;
    let problems = obstacles(functions, types, kernel, calls);
    if !problems.is_empty() {
        return Err(problems);
    }
    let taken = names(functions, taken, calls);
    let mut body = function.body.take().unwrap_or_default();
    let mut inliner = Inliner {
        functions,
        globals,
        target: Target {
            function,
            types,
            taken: &taken,
        },
        calls,
        inlined: BTreeSet::new(),
        moved: false,
        problems: Vec::new(),
    };
    inliner.all(&mut body.stmts);
    let (inlined, moved, mut problems) = (inliner.inlined, inliner.moved, inliner.problems);
    if !inlined.is_empty() {
        problems.extend(unhide(function, &taken));
    }
    if moved {
        function.make_names_unique(&taken);
    }
    function.body = Some(body);
    match problems.is_empty() {
        true => Ok(inlined),
        false => Err(problems),
    }
}

/// What inlining cannot do.
fn obstacles(
    functions: &SharedArena<Function>,
    types: &Types,
    kernel: FunctionId,
    calls: &GroupCalls,
) -> Vec<Note> {
    let mut out = Vec::new();
    for &id in &calls.functions {
        let function = &functions[id];
        let mut problem = |what: &str| {
            let text = format!(
                "all work-items of a work-group take part in '{}', {what}",
                function.name
            );
            out.push(Note::new(text, function.span));
        };
        if id == kernel || reaches_itself(functions, id) {
            problem("which calls itself");
        }
        let mut jumps = false;
        if let Some(body) = &function.body {
            body.for_each_stmt(&mut |stmt| jumps |= matches!(stmt.kind, StmtKind::Goto(_)));
        }
        if jumps {
            problem("which uses goto");
        }
        let opaque = matches!(types.resolve(function.ret.ty), Type::Opaque(_))
            && !matches!(types.resolve(function.ret.ty), Type::Opaque(name) if name == "event_t");
        if opaque {
            problem("which returns what cannot be kept in a variable");
        }
    }
    out
}

fn reaches_itself(functions: &SharedArena<Function>, root: FunctionId) -> bool {
    let mut seen = BTreeSet::new();
    let mut stack = vec![root];
    while let Some(at) = stack.pop() {
        for (callee, _) in calls::callees(&functions[at]) {
            if callee == root {
                return true;
            }
            if seen.insert(callee) {
                stack.push(callee);
            }
        }
    }
    false
}

/// The names that a local of the kernel must not hide: those of file scope, and of the builtins that
/// the functions use.
fn names(functions: &SharedArena<Function>, taken: &FileNames, calls: &GroupCalls) -> FileNames {
    let mut names = taken.clone();
    for &id in &calls.functions {
        let function = &functions[id];
        let Some(body) = &function.body else { continue };
        body.for_each_expr(&function.exprs, &mut |id| match function.exprs.get(id) {
            Expr::Call {
                callee: Callee::Builtin(name),
                ..
            }
            | Expr::BuiltinConst(name) => {
                names.insert(name.clone());
            }
            _ => {}
        });
    }
    names
}

/// Renames the locals that hide one of `names`. Parameters of a kernel keep their names.
fn unhide(function: &mut Function, names: &FileNames) -> Vec<Note> {
    let mut problems = Vec::new();
    for var in function.vars.ids().collect::<Vec<_>>() {
        let variable = &function.vars[var];
        if !names.contains(&variable.name) {
            continue;
        }
        if function.params.contains(&var) {
            let text = format!(
                "the parameter '{}' hides what functions that the kernel calls may mean",
                variable.name
            );
            problems.push(Note::new(text, variable.span));
            continue;
        }
        let fresh = function.fresh_name(&format!("{}_2", variable.name), names);
        function.vars[var].name = fresh;
    }
    problems
}

struct Inliner<'n, 't> {
    functions: &'n SharedArena<Function>,
    globals: &'n Arena<Global>,
    target: Target<'t>,
    calls: &'n GroupCalls,
    inlined: BTreeSet<FunctionId>,
    moved: bool,
    problems: Vec<Note>,
}

/// What is done with the value of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Nothing,
    Assigns(VarId),
    Declares(VarId),
}

impl Inliner<'_, '_> {
    fn all(&mut self, stmts: &mut Vec<Stmt>) {
        let lifted = lift::lift(&mut self.target, self.calls, stmts);
        self.moved |= lifted.moved;
        let failed = !lifted.problems.is_empty();
        self.problems.extend(lifted.problems);
        if !failed {
            self.list(stmts);
        }
    }

    fn list(&mut self, list: &mut Vec<Stmt>) {
        let mut out = Vec::with_capacity(list.len());
        for mut stmt in std::mem::take(list) {
            if let Some((callee, call, used)) = self.call(&stmt) {
                out.append(&mut self.expand(callee, call, used, stmt.span));
                continue;
            }
            for inner in stmt.lists_mut() {
                self.list(inner);
            }
            out.push(stmt);
        }
        *list = out;
    }

    /// The call of a function of the group that a statement is.
    fn call(&self, stmt: &Stmt) -> Option<(FunctionId, ExprId, Use)> {
        let exprs = &self.target.function.exprs;
        let (call, used) = match &stmt.kind {
            StmtKind::Expr(root) => match exprs.get(*root) {
                Expr::Assign { op: None, lhs, rhs } => match exprs.get(*lhs) {
                    Expr::Var(VarRef::Local(var)) => (*rhs, Use::Assigns(*var)),
                    _ => return None,
                },
                _ => (*root, Use::Nothing),
            },
            StmtKind::Decl {
                var,
                init: Some(Init::Expr(value)),
            } => (*value, Use::Declares(*var)),
            _ => return None,
        };
        match exprs.get(call) {
            Expr::Call {
                callee: Callee::Function(callee),
                ..
            } if self.calls.functions.contains(callee) => Some((*callee, call, used)),
            _ => None,
        }
    }

    fn expand(
        &mut self,
        callee: FunctionId,
        call: ExprId,
        used: Use,
        span: Option<Span>,
    ) -> Vec<Stmt> {
        let from = &self.functions[callee];
        if self.target.function.exprs.len() + from.exprs.len() > MOST_EXPRESSIONS {
            let text = format!("the kernel would grow too long with '{}' in it", from.name);
            self.problems.push(Note::new(text, span));
            return Vec::new();
        }
        self.inlined.insert(callee);
        let args = self.target.function.exprs.children(call);
        let mut out = Vec::new();
        let vars = self.bind(from, &args, &mut out);
        let mut import = Import {
            target: &mut self.target,
            from,
            vars,
        };
        let mut body = match &from.body {
            Some(body) => import.stmts(&body.stmts),
            None => Vec::new(),
        };
        if let (Some(last), false) = (last_value(&body), used == Use::Nothing)
            && !returns(&body[..body.len() - 1])
        {
            body.pop();
            out.append(&mut body);
            out.push(self.result(last, from.ret.ty, used, span));
        } else {
            self.exits(&mut body, from.ret.ty, used, span, &mut out);
        }
        self.all(&mut out);
        out
    }

    /// Rewrites a body with any `return`s.
    fn exits(
        &mut self,
        body: &mut Vec<Stmt>,
        ret: TypeId,
        used: Use,
        span: Option<Span>,
        out: &mut Vec<Stmt>,
    ) {
        self.moved |= returns(body);
        let mut after = None;
        let value = match used {
            Use::Nothing => Value::Dropped,
            Use::Assigns(var) | Use::Declares(var) => {
                let ty = self.target.function.vars[var].ty;
                let same = self.same(ty.ty, ret);
                let is_const = ty.quals.contains(Qualifiers::CONST);
                if !same || is_const {
                    let result = self
                        .target
                        .function
                        .add_var("result", ret, self.target.taken);
                    out.push(declaration(result, None));
                    let value = self.target.function.use_var(result);
                    after = Some(self.result(value, ret, used, span));
                    Value::To(result)
                } else {
                    if let Use::Declares(var) = used {
                        out.push(Stmt::at(StmtKind::Decl { var, init: None }, span));
                    }
                    Value::To(var)
                }
            }
        };
        single_exit(&mut self.target, body, value);
        out.append(body);
        out.extend(after);
    }

    /// `var = value;` or `T var = value;`, where a function returns `value` as a `ret`.
    fn result(&mut self, value: ExprId, ret: TypeId, used: Use, span: Option<Span>) -> Stmt {
        let exprs = &mut self.target.function.exprs;
        let value = match self.target.types.resolve(exprs.ty(value))
            == self.target.types.resolve(ret)
            || self.target.types.as_scalar(ret).is_none()
        {
            true => value,
            false => exprs.cast(ret, value),
        };
        let mut stmt = match used {
            Use::Declares(var) => declaration(var, Some(value)),
            Use::Assigns(var) => self.target.function.assign_var(var, value),
            Use::Nothing => Stmt::new(StmtKind::Expr(value)),
        };
        stmt.span = span;
        stmt
    }

    fn same(&self, a: TypeId, b: TypeId) -> bool {
        self.target.types.resolve(a) == self.target.types.resolve(b)
    }

    /// Gives the parameters their values, in order.
    fn bind(
        &mut self,
        from: &Function,
        args: &[ExprId],
        out: &mut Vec<Stmt>,
    ) -> BTreeMap<VarId, Stand> {
        let Uses {
            used,
            changed,
            named,
        } = uses(self.target.types, from);
        let kernel_changes = self.changed_here();
        let mut vars = BTreeMap::new();
        for (&param, &arg) in from.params.iter().zip(args) {
            if !used.contains(&param) && !self.target.function.exprs.has_effects(arg) {
                continue;
            }
            let keeps = !changed.contains(&param) && !named.contains(&param);
            if keeps && self.may_replace(from, param, arg, &kernel_changes) {
                vars.insert(param, Stand::Expr(arg));
                continue;
            }
            let mut copy = from.vars[param].clone();
            if let Type::Opaque(name) = self.target.types.resolve(copy.ty.ty)
                && name != "event_t"
            {
                let text = format!(
                    "all work-items of a work-group take part in '{}', and its argument '{}' cannot be \
                     kept in a variable",
                    from.name, copy.name
                );
                let span = self.target.function.exprs.span(arg);
                self.problems.push(Note::new(text, span));
            }
            copy.ty.quals.remove(Qualifiers::RESTRICT);
            copy.name = self
                .target
                .function
                .fresh_name(&copy.name, self.target.taken);
            let copy = self.target.function.vars.add(copy);
            out.push(declaration(copy, Some(arg)));
            vars.insert(param, Stand::Var(copy));
        }
        vars
    }

    /// The variables of the kernel that change after their declaration: all that any expression that
    /// was ever made for it changes.
    fn changed_here(&self) -> BTreeSet<VarId> {
        let function = &self.target.function;
        let mut changed = BTreeSet::new();
        for root in function.exprs.ids() {
            let writes = matches!(
                function.exprs.get(root),
                Expr::Assign { .. }
                    | Expr::IncDec { .. }
                    | Expr::Unary {
                        op: fpgacc_frontend::ir::UnaryOp::AddressOf,
                        ..
                    }
            );
            if writes {
                fpgacc_kernel_analysis::variables::accesses(
                    self.target.types,
                    &function.exprs,
                    root,
                    &mut |var, access, _| {
                        if access.may_write() {
                            changed.insert(var);
                        }
                    },
                );
            }
        }
        changed
    }

    /// Whether an argument may stand for a parameter that the function never changes.
    fn may_replace(
        &self,
        from: &Function,
        param: VarId,
        arg: ExprId,
        changed: &BTreeSet<VarId>,
    ) -> bool {
        let types = &self.target.types;
        let function = &self.target.function;
        let fixed = match function.exprs.get(arg) {
            Expr::Int { .. } | Expr::Float { .. } | Expr::BuiltinConst(_) => true,
            Expr::Var(VarRef::Local(var)) => {
                let is_array = types.as_array(function.vars[*var].ty.ty).is_some();
                is_array || !changed.contains(var)
            }
            Expr::Var(VarRef::Global(var)) => {
                self.globals[*var].variable.space == AddressSpace::Constant
            }
            _ => false,
        };
        let (to, given) = (from.vars[param].ty, function.exprs.ty(arg));
        if !fixed || to.quals.contains(Qualifiers::VOLATILE) {
            return false;
        }
        let pointee = |ty: TypeId| -> Option<QualType> {
            types
                .as_pointer(ty)
                .map(|(pointee, _)| pointee)
                .or(types.as_array(ty).map(|(element, _)| element))
        };
        let space = |ty: TypeId| types.as_pointer(ty).map(|(_, space)| space);
        match (pointee(to.ty), pointee(given)) {
            (Some(to_one), Some(given_one)) => {
                let given_space = space(given).or(match function.exprs.get(arg) {
                    Expr::Var(VarRef::Local(var)) => Some(function.vars[*var].space),
                    Expr::Var(VarRef::Global(var)) => Some(self.globals[*var].variable.space),
                    _ => None,
                });
                // A function that may not write there does not.
                let quals = to_one.quals - Qualifiers::CONST;
                to_one.ty == given_one.ty
                    && quals == given_one.quals - Qualifiers::CONST
                    && space(to.ty) == given_space
            }
            // The elements of an array in a record may change by way of a pointer.
            (None, None) => self.same(to.ty, given) && types.as_record(given).is_none(),
            _ => false,
        }
    }
}

/// The value of a `return` at the end of a body.
fn last_value(body: &[Stmt]) -> Option<ExprId> {
    match body.last()?.kind {
        StmtKind::Return(value) => value,
        _ => None,
    }
}

/// How a function uses its variables.
#[derive(Default)]
struct Uses {
    used: BTreeSet<VarId>,
    changed: BTreeSet<VarId>,
    /// Their type is asked for.
    named: BTreeSet<VarId>,
}

fn uses(types: &Types, function: &Function) -> Uses {
    let mut uses = Uses::default();
    for stmt in function.body.iter().flat_map(|body| &body.stmts) {
        accesses_of_stmt(types, function, stmt, &mut |var, access| {
            uses.used.insert(var);
            if access == Access::Named {
                uses.named.insert(var);
            } else if access.may_write() {
                uses.changed.insert(var);
            }
        });
    }
    uses
}

/// What was done.
pub fn note(module: &Module, inlined: &BTreeSet<FunctionId>) -> Option<Note> {
    let names = inlined
        .iter()
        .map(|id| format!("'{}'", module.functions[*id].name));
    let names: Vec<String> = names.collect();
    let text = format!(
        "made part of it, since all work-items of a work-group take part: {}",
        names.join(", ")
    );
    (!names.is_empty()).then(|| Note::new(text, None))
}

/// Takes functions that nothing calls any more out of the module.
pub fn drop_unused(module: &mut Module, functions: &BTreeSet<FunctionId>) {
    let mut left: BTreeSet<FunctionId> = functions
        .iter()
        .copied()
        .filter(|id| !module.functions[*id].is_kernel)
        .collect();
    loop {
        let used: BTreeSet<FunctionId> = module
            .functions
            .iter()
            .flat_map(|(_, function)| calls::callees(function))
            .map(|(callee, _)| callee)
            .collect();
        let unused: BTreeSet<FunctionId> = left.difference(&used).copied().collect();
        if unused.is_empty() {
            return;
        }
        for id in &unused {
            left.remove(id);
            module.functions[*id].body = None;
        }
        module.items.retain(|item| match item {
            Item::Function(id) | Item::Prototype(id) => !unused.contains(id),
            _ => true,
        });
    }
}
