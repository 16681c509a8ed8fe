//! Rewriting loops as planned: values of locations that are read before a loop, kept in variables while it
//! runs, and written after it.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, Block, Callee, Expr, ExprId, Function, FunctionId, Init, Module, Stmt, StmtKind,
    TypeId, Types, UnaryOp, VarId, VarRef, Variable,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::location::{Around, is_loop};
use fpgacc_kernel_analysis::loops;

use crate::pass::{Note, Outcome, Pass};

/// What becomes of one function.
#[derive(Clone, Debug)]
pub struct Plan<T> {
    /// What is kept in variables, and what their locations need, by the loop's index among all loops of the
    /// function, outer ones first.
    pub loops: BTreeMap<usize, (Vec<T>, Around)>,
    /// What is rewritten.
    pub done: Vec<Note>,
    /// What is not.
    pub missed: Vec<Note>,
}

impl<T> Default for Plan<T> {
    fn default() -> Self {
        Plan {
            loops: BTreeMap::new(),
            done: Vec::new(),
            missed: Vec::new(),
        }
    }
}

impl<T> Plan<T> {
    /// Keeps more in variables while a loop runs.
    pub fn keep(&mut self, at: usize, kept: impl IntoIterator<Item = T>, around: Around) {
        let (all, needed) = self.loops.entry(at).or_default();
        *needed = needed.and(around);
        all.extend(kept);
    }
}

/// How a pass rewrites a loop.
pub trait Rewrite {
    /// What is kept in a variable.
    type Kept;

    /// Loops in a loop with a plan may have plans, too.
    const NESTED: bool;

    /// The function.
    fn function(&mut self) -> &mut Function;

    /// Rewrites a loop. What goes before it and after it.
    fn rewrite(&mut self, stmt: &mut Stmt, kept: &[Self::Kept]) -> [Vec<Stmt>; 2];
}

/// Carries out a function's plan with what `writer` makes of the function, the module's types and the function's
/// names. Names stay as they are: what is new has names of its own, and a location's expression is only copied from
/// a loop's body to just around that loop, where all that it uses is declared and visible.
pub fn apply<'a, R: Rewrite>(
    module: &'a mut Module,
    id: FunctionId,
    plan: &Plan<R::Kept>,
    writer: impl FnOnce(&'a mut Function, &'a mut Types, Names) -> R,
) {
    let names = Names::of(module, id);
    let mut writer = writer(&mut module.functions[id], &mut module.types, names);
    let Some(mut body) = writer.function().body.take() else {
        return;
    };
    let mut walk = Walk {
        writer: &mut writer,
        plan,
        seen: 0,
    };
    walk.list(&mut body.stmts, Scope::Shared);
    writer.function().body = Some(body);
}

/// Rewrites functions, each by a plan of its own.
pub fn apply_all<T>(
    pass: &dyn Pass,
    module: &mut Module,
    functions: impl Iterator<Item = FunctionId>,
    plan: impl Fn(&Module, FunctionId) -> Plan<T>,
    apply: impl Fn(&mut Module, FunctionId, &Plan<T>),
) -> Outcome {
    let (mut done, mut missed) = (Vec::new(), Vec::new());
    for function in functions {
        let mut plan = plan(module, function);
        missed.append(&mut plan.missed);
        if plan.loops.is_empty() {
            continue;
        }
        apply(module, function, &plan);
        pass.comment(&mut module.functions[function], &plan.done);
        done.append(&mut plan.done);
    }
    Outcome::of(done, missed)
}

/// The name of what an expression is first made of.
pub fn name_in(function: &Function, location: ExprId) -> &str {
    let uses = function.exprs.local_uses(location);
    uses.first()
        .map_or("value", |(_, var)| function.vars[*var].name.as_str())
}

struct Walk<'a, R: Rewrite> {
    writer: &'a mut R,
    plan: &'a Plan<R::Kept>,
    /// Loops of the original that were met.
    seen: usize,
}

impl<R: Rewrite> Walk<'_, R> {
    fn list(&mut self, stmts: &mut Vec<Stmt>, scope: Scope) {
        let mut out = Vec::with_capacity(stmts.len());
        for mut stmt in std::mem::take(stmts) {
            let at = self.seen;
            self.seen += usize::from(is_loop(&stmt));
            let plan = self.plan.loops.get(&at).filter(|_| is_loop(&stmt));
            let Some((kept, around)) = plan else {
                self.inside(&mut stmt);
                out.push(stmt);
                continue;
            };
            let within = loops::count(&stmt) - 1;
            let shell = Shell::take(self.writer.function(), &mut stmt, *around);
            let [before, after] = self.writer.rewrite(&mut stmt, kept);
            // Last: inner loops may copy what was replaced.
            match R::NESTED {
                true => self.inside(&mut stmt),
                false => self.seen += within,
            }
            shell.close(before, stmt, after, scope, &mut out);
        }
        *stmts = out;
    }

    fn inside(&mut self, stmt: &mut Stmt) {
        for (list, scope) in Scope::of_lists(stmt) {
            self.list(list, scope);
        }
    }
}

/// Names that a new variable must not have, and the numbers that were given out.
pub struct Names {
    used: BTreeSet<String>,
    next: BTreeMap<String, u32>,
}

impl Names {
    /// Of a function: its variables, and what it may use of file scope.
    pub fn of(module: &Module, id: FunctionId) -> Self {
        let function = &module.functions[id];
        let variables = function.vars.iter().map(|(_, var)| var.name.clone());
        let typedefs = module.typedefs.iter().map(|(_, t)| t.name.clone());
        let enumerators = module.enums.iter().flat_map(|(_, e)| &e.enumerators);
        let mut used: BTreeSet<String> = variables.chain(typedefs).collect();
        used.extend(enumerators.map(|e| e.name.clone()));
        if let Some(body) = &function.body {
            body.for_each_expr(
                &function.exprs,
                &mut |expr| match function.exprs.get(expr) {
                    Expr::Var(VarRef::Global(global)) => {
                        used.insert(module.globals[*global].variable.name.clone());
                    }
                    Expr::Call {
                        callee: Callee::Function(callee),
                        ..
                    } => {
                        used.insert(module.functions[*callee].name.clone());
                    }
                    _ => {}
                },
            );
        }
        Names {
            used,
            next: BTreeMap::new(),
        }
    }

    /// `hint`, or `hint` with the next number after it.
    pub fn fresh(&mut self, hint: &str) -> String {
        if self.used.insert(hint.to_string()) {
            return hint.to_string();
        }
        let next = self.next.entry(hint.to_string()).or_insert(2);
        loop {
            let name = format!("{hint}_{next}");
            *next += 1;
            if self.used.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Who else sees the declarations of a list of statements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Other statements, or parameters.
    Shared,
    /// The list is a block of its own, with one statement only.
    Own,
    /// The arms after this arm of a switch.
    Arm,
}

impl Scope {
    /// The lists of a statement, and who else sees what they declare.
    fn of_lists(stmt: &mut Stmt) -> impl Iterator<Item = (&mut Vec<Stmt>, Scope)> {
        let in_switch = matches!(stmt.kind, StmtKind::Switch { .. });
        stmt.lists_mut().into_iter().map(move |list| {
            let scope = match list.len() {
                _ if in_switch => Scope::Arm,
                1 => Scope::Own,
                _ => Scope::Shared,
            };
            (list, scope)
        })
    }
}

/// What is taken from a loop to stand before it, and what will be put around it.
struct Shell {
    hoisted: Vec<Stmt>,
    guard: Option<ExprId>,
    span: Option<Span>,
}

impl Shell {
    /// Takes from a loop, before anything in it is changed, what must stand before it.
    fn take(function: &mut Function, stmt: &mut Stmt, around: Around) -> Self {
        let guard = match &stmt.kind {
            StmtKind::For {
                cond: Some(cond), ..
            }
            | StmtKind::While { cond, .. }
                if around.guard =>
            {
                Some(function.exprs.duplicate(*cond))
            }
            _ => None,
        };
        let mut hoisted = Vec::new();
        if let StmtKind::For { init, .. } = &mut stmt.kind
            && (around.hoist_init
                || guard.is_some_and(|cond| !holds_at_first(function, cond, init)))
        {
            hoisted = std::mem::take(init);
        }
        Shell {
            hoisted,
            guard,
            span: stmt.span,
        }
    }

    /// Appends the loop with what was taken, and with `before` and `after` around it, to a list.
    fn close(
        self,
        before: Vec<Stmt>,
        stmt: Stmt,
        after: Vec<Stmt>,
        scope: Scope,
        out: &mut Vec<Stmt>,
    ) {
        let mut inner = before;
        inner.push(stmt);
        inner.extend(after);
        if let Some(cond) = self.guard {
            let kind = StmtKind::If {
                cond,
                then: Block::of(inner),
                otherwise: None,
            };
            inner = vec![Stmt::at(kind, self.span)];
        }
        // What the loop's init declares keeps its scope; an array in an arm of a switch must not be
        // jumped over.
        let in_block = match scope {
            Scope::Shared => !self.hoisted.is_empty(),
            Scope::Own => false,
            Scope::Arm => true,
        };
        let mut made = self.hoisted;
        made.append(&mut inner);
        if in_block {
            out.push(Stmt::at(StmtKind::Block(Block::of(made)), self.span));
        } else {
            out.append(&mut made);
        }
    }
}

/// Makes a loop's condition one on the first value of the variable that the loop declares. False if that
/// cannot be done.
fn holds_at_first(function: &mut Function, cond: ExprId, init: &[Stmt]) -> bool {
    let (var, value) = match init {
        [] => return true,
        [only] => match &only.kind {
            StmtKind::Decl {
                var,
                init: Some(Init::Expr(value)),
            } => (*var, *value),
            _ => return false,
        },
        _ => return false,
    };
    let exprs = &mut function.exprs;
    let is_text = matches!(exprs.get(value), Expr::Str(_));
    if is_text || exprs.has_effects(value) || exprs.touches_memory(value) {
        return false;
    }
    let mut uses = Vec::new();
    let mut is_pointed_to = false;
    exprs.for_each(cond, &mut |id| match exprs.get(id) {
        Expr::Var(VarRef::Local(used)) if *used == var => uses.push(id),
        Expr::Unary {
            op: UnaryOp::AddressOf,
            ..
        } => is_pointed_to = true,
        _ => {}
    });
    if is_pointed_to {
        return false;
    }
    for used in uses {
        function.put_value(used, value);
    }
    true
}

/// Adds a private variable to a function.
pub fn private_variable(function: &mut Function, name: String, ty: TypeId) -> VarId {
    function
        .vars
        .add(Variable::new(name, ty, AddressSpace::Private))
}

/// Stores a variable into a location.
pub fn store(function: &mut Function, location: ExprId, var: VarId) -> Stmt {
    let location = function.exprs.duplicate(location);
    let value = function.use_var(var);
    let store = function.exprs.assign(None, location, value);
    Stmt::new(StmtKind::Expr(store))
}
