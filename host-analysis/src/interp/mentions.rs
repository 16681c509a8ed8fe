//! What a piece of code mentions, by its syntax: found at a cost that grows with its text only.

use std::collections::BTreeSet;

use fpgacc_frontend::source::Span;

use crate::syntax::ast::{Ast, ExprId, ExprKind, Function, Loop, StmtId, StmtKind};
use crate::types::last_name;

/// What a piece of code mentions.
#[derive(Clone, Default)]
pub(crate) struct Mentions {
    /// All names in it.
    pub names: BTreeSet<String>,
    /// Names of functions that are called.
    pub calls: BTreeSet<String>,
    /// The same with those of methods and constructors, in the order of the walk.
    pub called: Vec<String>,
    /// Names that are arguments: they are passed by reference, perhaps.
    pub passed: BTreeSet<String>,
    /// Names that are assigned, or whose address is taken.
    pub changed: BTreeSet<String>,
    /// Names that are counted up or down.
    pub counters: BTreeSet<String>,
    /// Names that are assigned as a whole.
    pub replaced: BTreeSet<String>,
    /// Names of arrays whose elements are set to zero, which are not among those that change.
    pub zeroed: BTreeSet<String>,
    /// Names that it declares.
    pub declared: BTreeSet<String>,
    /// Variables that it declares and that outlive it.
    pub statics: BTreeSet<Span>,
    /// It has loops.
    pub loops: bool,
    /// It returns.
    pub returns: bool,
    /// It stores through pointers, or passes something to a function that may, but for what is
    /// zeroed.
    pub indirect: bool,
    /// It calls what may be any function.
    pub anything: bool,
    /// It cannot be summed up: it jumps, or is not understood.
    pub odd: bool,
}

impl Mentions {
    /// What a function's body mentions; parameters count as declared there.
    pub fn of_function(ast: &Ast, function: &Function) -> Mentions {
        let mut found = Mentions::default();
        found.walk(ast, vec![function.body], Vec::new());
        let params = function.params.iter();
        found
            .declared
            .extend(params.map(|param| param.name.clone()));
        found
    }

    /// What the first values of members mention.
    pub fn of_initialisers(ast: &Ast, function: &Function) -> Mentions {
        let mut found = Mentions::default();
        for (field, args) in &function.initialisers {
            found.called.push(field.clone());
            for &arg in args {
                found.expr(ast, arg, &mut Vec::new());
            }
        }
        found
    }

    /// What a loop mentions.
    pub fn of_loop(ast: &Ast, shape: &Loop) -> Mentions {
        let mut found = Mentions::default();
        let exprs = shape.condition.iter().chain(&shape.step).copied();
        found.walk(ast, vec![shape.body], exprs.collect());
        found
    }

    /// Adds what another piece of code mentions, but for the order of its calls.
    pub fn add(&mut self, more: &Mentions) {
        let sets = [
            (&mut self.names, &more.names),
            (&mut self.calls, &more.calls),
            (&mut self.passed, &more.passed),
            (&mut self.changed, &more.changed),
            (&mut self.counters, &more.counters),
            (&mut self.replaced, &more.replaced),
            (&mut self.zeroed, &more.zeroed),
            (&mut self.declared, &more.declared),
        ];
        for (all, more) in sets {
            all.extend(more.iter().cloned());
        }
        self.statics.extend(&more.statics);
        self.loops |= more.loops;
        self.returns |= more.returns;
        self.indirect |= more.indirect;
        self.anything |= more.anything;
        self.odd |= more.odd;
    }

    fn walk(&mut self, ast: &Ast, mut stmts: Vec<StmtId>, mut exprs: Vec<ExprId>) {
        loop {
            if let Some(id) = exprs.pop() {
                self.expr(ast, id, &mut stmts);
                exprs.extend(ast.children(id));
            } else if let Some(id) = stmts.pop() {
                ast.parts(id, &mut stmts, &mut exprs);
                self.stmt(ast, id);
            } else {
                return;
            }
        }
    }

    fn stmt(&mut self, ast: &Ast, id: StmtId) {
        match &ast.stmt(id).kind {
            StmtKind::Declare(variables) => {
                for variable in variables {
                    self.odd |= variable.is_static || variable.ty.reference;
                    self.declared.insert(variable.name.clone());
                    if variable.is_static {
                        self.statics.insert(variable.span);
                    }
                    if let (true, Some(init)) = (variable.ty.reference, variable.init) {
                        self.target(ast, init);
                    }
                    // Its constructor.
                    self.called.push(last_name(&variable.ty.base).to_string());
                }
            }
            StmtKind::Loop(_) => self.loops = true,
            StmtKind::Return(_) => self.returns = true,
            StmtKind::RangeFor { range, .. } => {
                self.odd = true;
                self.target(ast, *range);
            }
            StmtKind::Throw(_) | StmtKind::Goto(_) | StmtKind::Label(_) | StmtKind::Try { .. } => {
                self.odd = true;
            }
            StmtKind::Opaque { names, .. } => self.opaque(names),
            _ => {}
        }
    }

    fn opaque(&mut self, names: &[String]) {
        self.odd = true;
        self.indirect = true;
        self.changed.extend(names.iter().cloned());
        self.called.extend(names.iter().cloned());
    }

    fn expr(&mut self, ast: &Ast, id: ExprId, stmts: &mut Vec<StmtId>) {
        match &ast.expr(id).kind {
            ExprKind::Name(name) if self.names.contains(name) => {}
            ExprKind::Name(name) => {
                self.names.insert(name.clone());
            }
            ExprKind::Call { callee, args } => {
                self.callee(ast, *callee);
                self.arguments(ast, args);
                self.indirect |= !args.is_empty();
            }
            ExprKind::Construct(ty, args) | ExprKind::New { ty, args, .. } => {
                self.odd = true;
                self.called.push(last_name(&ty.base).to_string());
                self.arguments(ast, args);
            }
            ExprKind::Assign(op, target, value) => {
                let name = match &ast.expr(*target).kind {
                    ExprKind::Name(name) => Some(name.clone()),
                    _ => None,
                };
                match op {
                    Some(_) => self.counters.extend(name),
                    None if self.zeroing(ast, *target, *value) => return,
                    None => self.replaced.extend(name),
                }
                self.target(ast, *target);
            }
            ExprKind::Step { target, .. } => {
                if let ExprKind::Name(name) = &ast.expr(*target).kind {
                    self.counters.insert(name.clone());
                }
                self.target(ast, *target);
            }
            ExprKind::AddressOf(inner) => self.target(ast, *inner),
            ExprKind::Statement(stmt) => stmts.push(*stmt),
            ExprKind::Lambda(lambda) => {
                self.odd = true;
                stmts.extend(ast.functions.get(lambda.function).map(|f| f.body));
            }
            ExprKind::Opaque { names, .. } => self.opaque(names),
            _ => {}
        }
    }

    fn callee(&mut self, ast: &Ast, callee: ExprId) {
        match &ast.expr(ast.skip_parens(callee)).kind {
            ExprKind::Name(name) => {
                self.calls.insert(name.clone());
                self.called.push(name.clone());
            }
            ExprKind::Member { base, name, .. } => {
                self.odd = true;
                self.target(ast, *base);
                self.called.push(name.clone());
            }
            _ => {
                self.odd = true;
                self.anything = true;
            }
        }
    }

    fn arguments(&mut self, ast: &Ast, args: &[ExprId]) {
        for &arg in args {
            if let ExprKind::Name(name) = &ast.expr(ast.skip_parens(arg)).kind {
                self.passed.insert(name.clone());
            }
        }
    }

    /// `name[i] = 0`.
    fn zeroing(&mut self, ast: &Ast, target: ExprId, value: ExprId) -> bool {
        if let ExprKind::Char(0) = ast.expr(value).kind
            && let ExprKind::Index(base, _) = ast.expr(target).kind
            && let ExprKind::Name(name) = &ast.expr(base).kind
        {
            self.zeroed.insert(name.clone());
            return true;
        }
        false
    }

    fn target(&mut self, ast: &Ast, id: ExprId) {
        let (name, indirect) = ast.changed_by_assigning(id);
        self.changed.extend(name.map(str::to_string));
        self.indirect |= indirect;
    }
}
