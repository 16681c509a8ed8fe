//! What a piece of code mentions, by its syntax: found at a cost that grows with its text only.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::source::Span;

use crate::syntax::ast::{Ast, BinaryOp, ExprId, ExprKind, Function, Loop, StmtId, StmtKind};
use crate::types::last_name;

/// What a piece of code mentions.
#[derive(Clone, Default)]
pub(crate) struct Mentions {
    /// All names in it.
    pub names: BTreeSet<String>,
    /// Names of members that it accesses.
    pub members: BTreeSet<String>,
    /// Names in what is not understood.
    pub hidden: BTreeSet<String>,
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
    /// Names that are assigned constants, perhaps, and these.
    pub constants: BTreeMap<String, Vec<ExprId>>,
    /// Names that change in another way than by such assignments.
    pub computed: BTreeSet<String>,
    /// Names of arrays whose elements are set to zero, which are not among those that change.
    pub zeroed: BTreeSet<String>,
    /// Names that it declares.
    pub declared: BTreeSet<String>,
    /// Operators in it, as they are written, but for the `=` of `+=`: classes may define them.
    pub operators: BTreeSet<&'static str>,
    /// Variables that it declares and that outlive it.
    pub statics: BTreeSet<Span>,
    /// Some of these are not constant.
    pub keeps_state: bool,
    /// What it computes and prints, of one function.
    pub reports: Reports,
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

/// What code computes and prints, unless it does more than that.
#[derive(Clone, Default)]
pub(crate) struct Reports {
    /// It does more than computing with its own variables, branching, and calling functions by name.
    pub acts: bool,
    /// Names whose values it computes with.
    pub computed: BTreeSet<String>,
    /// Names that are assigned.
    pub assigned: BTreeSet<String>,
    /// Its calls.
    pub calls: Vec<NamedCall>,
}

/// A call of a function by its name.
#[derive(Clone)]
pub(crate) struct NamedCall {
    pub name: String,
    /// How many arguments it has.
    pub count: usize,
    /// Arguments that are just a name.
    pub names: Vec<String>,
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
            (&mut self.members, &more.members),
            (&mut self.hidden, &more.hidden),
            (&mut self.calls, &more.calls),
            (&mut self.passed, &more.passed),
            (&mut self.changed, &more.changed),
            // Constants are parts of the other code.
            (&mut self.computed, &more.changed),
            (&mut self.counters, &more.counters),
            (&mut self.replaced, &more.replaced),
            (&mut self.zeroed, &more.zeroed),
            (&mut self.declared, &more.declared),
        ];
        for (all, more) in sets {
            all.extend(more.iter().cloned());
        }
        self.operators.extend(&more.operators);
        self.statics.extend(&more.statics);
        self.keeps_state |= more.keeps_state;
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
                let mut inner = ast.children(id);
                if let ExprKind::Call { .. } = ast.expr(id).kind {
                    // What a call does with a name is for its function to say.
                    inner.retain(|part| !self.named_in_call(ast, *part));
                }
                exprs.extend(inner);
            } else if let Some(id) = stmts.pop() {
                ast.parts(id, &mut stmts, &mut exprs);
                self.stmt(ast, id);
            } else {
                return;
            }
        }
    }

    fn named_in_call(&mut self, ast: &Ast, part: ExprId) -> bool {
        let ExprKind::Name(name) = &ast.expr(part).kind else {
            return false;
        };
        self.names.insert(name.clone());
        true
    }

    fn stmt(&mut self, ast: &Ast, id: StmtId) {
        self.reports.acts |= !only_branches(&ast.stmt(id).kind);
        match &ast.stmt(id).kind {
            StmtKind::Declare(variables) => {
                for variable in variables {
                    self.odd |= variable.is_static || variable.ty.reference;
                    self.declared.insert(variable.name.clone());
                    if variable.is_static {
                        self.statics.insert(variable.span);
                        self.keeps_state |= !variable.ty.is_const;
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
        self.hidden.extend(names.iter().cloned());
        self.changed.extend(names.iter().cloned());
        self.computed.extend(names.iter().cloned());
        self.called.extend(names.iter().cloned());
    }

    fn expr(&mut self, ast: &Ast, id: ExprId, stmts: &mut Vec<StmtId>) {
        self.reports.expr(ast, id);
        self.operators.extend(operator(&ast.expr(id).kind));
        match &ast.expr(id).kind {
            ExprKind::Name(name) if self.names.contains(name) => {}
            ExprKind::Name(name) => {
                self.names.insert(name.clone());
            }
            ExprKind::Member { name, .. } => {
                self.members.insert(name.clone());
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
                    // `now ^= 1`, which does not count.
                    Some(BinaryOp::BitXor) => self.replaced.extend(name),
                    Some(_) => self.counters.extend(name),
                    None if self.zeroing(ast, *target, *value) => return,
                    None => {
                        if let (Some(name), true) = (&name, may_be_constant(ast, *value)) {
                            self.changed.insert(name.clone());
                            let constants = self.constants.entry(name.clone());
                            constants.or_default().push(*value);
                            self.replaced.insert(name.clone());
                            return;
                        }
                        self.replaced.extend(name);
                    }
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
        self.computed.extend(name.map(str::to_string));
        self.indirect |= indirect;
    }
}

/// Whether an expression is a number, or a name that may be one's.
fn may_be_constant(ast: &Ast, id: ExprId) -> bool {
    matches!(
        ast.expr(ast.skip_parens(id)).kind,
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Name(_)
    )
}

impl Reports {
    fn expr(&mut self, ast: &Ast, id: ExprId) {
        match &ast.expr(id).kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Char(_)
            | ExprKind::Str(_)
            | ExprKind::Bool(_)
            | ExprKind::Null
            | ExprKind::Unary(..)
            | ExprKind::Cast(..)
            | ExprKind::Paren(_)
            | ExprKind::Binary(..)
            | ExprKind::Comma(..)
            | ExprKind::Conditional(..) => {}
            ExprKind::Name(name) if self.computed.contains(name) => {}
            ExprKind::Name(name) => {
                self.computed.insert(name.clone());
            }
            ExprKind::Assign(_, target, _) | ExprKind::Step { target, .. } => {
                match &ast.expr(ast.skip_parens(*target)).kind {
                    ExprKind::Name(name) => {
                        self.assigned.insert(name.clone());
                    }
                    _ => self.acts = true,
                }
            }
            ExprKind::Call { callee, args } => {
                let ExprKind::Name(name) = &ast.expr(ast.skip_parens(*callee)).kind else {
                    self.acts = true;
                    return;
                };
                let name_of = |arg: &ExprId| match &ast.expr(*arg).kind {
                    ExprKind::Name(name) => Some(name.clone()),
                    _ => None,
                };
                self.calls.push(NamedCall {
                    name: name.clone(),
                    count: args.len(),
                    names: args.iter().filter_map(name_of).collect(),
                });
            }
            _ => self.acts = true,
        }
    }
}

/// Whether a statement only branches, or declares a variable of its function's own.
fn only_branches(kind: &StmtKind) -> bool {
    match kind {
        StmtKind::Declare(variables) => variables.iter().all(|variable| {
            let ty = &variable.ty;
            !variable.is_static && !variable.is_extern && !ty.reference && ty.dims.is_empty()
        }),
        StmtKind::If { init, .. } => init.is_none(),
        StmtKind::Return(value) => value.is_none(),
        StmtKind::Expr(_)
        | StmtKind::Block(_)
        | StmtKind::Switch { .. }
        | StmtKind::Case(_)
        | StmtKind::Break
        | StmtKind::Empty => true,
        _ => false,
    }
}

/// How the operator of an expression is written, without the `=` of `+=`, if classes may define it.
fn operator(kind: &ExprKind) -> Option<&'static str> {
    match kind {
        ExprKind::Binary(op, ..) => Some(op.spelling()),
        ExprKind::Unary(op, _) => Some(op.spelling()),
        ExprKind::Assign(None, ..) => Some("="),
        ExprKind::Assign(Some(op), ..) => Some(op.spelling()),
        ExprKind::Step { by, .. } => Some(if *by > 0 { "++" } else { "--" }),
        ExprKind::Index(..) => Some("[]"),
        ExprKind::Deref(_) => Some("*"),
        ExprKind::Member { arrow: true, .. } => Some("->"),
        ExprKind::Comma(..) => Some(","),
        _ => None,
    }
}
