//! Names: every use resolves, by C's scoping, to what its handle means.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{
    Arm, Block, Callee, Expr, ExprId, Exprs, Function, FunctionId, Init, Item, Module, SizeOfArg,
    Stmt, StmtKind, Type, TypeId, VarId, VarRef, Variable,
};
use crate::source::Span;

use super::faults::Faults;

pub(super) fn check(module: &Module, faults: &mut Faults) {
    let mut file = FileScope {
        module,
        faults,
        names: BTreeMap::new(),
        defined: BTreeSet::new(),
    };
    for item in &module.items {
        file.item(item);
    }
}

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Local(VarId),
    Global(crate::ir::GlobalId),
    Function(FunctionId),
    EnumConst(crate::ir::EnumId),
    Typedef(crate::ir::TypedefId),
}

/// File scope, up to the item at hand.
struct FileScope<'a> {
    module: &'a Module,
    faults: &'a mut Faults,
    names: BTreeMap<&'a str, Meaning>,
    /// Functions that have a body by now.
    defined: BTreeSet<FunctionId>,
}

impl<'a> FileScope<'a> {
    fn item(&mut self, item: &'a Item) {
        let module = self.module;
        match item {
            Item::Enum(id) => {
                for constant in &module.enums[*id].enumerators {
                    self.declare(&constant.name, Meaning::EnumConst(*id), None);
                }
            }
            Item::Typedef(id) => {
                let typedef = &module.typedefs[*id];
                self.declare(&typedef.name, Meaning::Typedef(*id), typedef.span);
            }
            Item::Global(id) => {
                let global = &module.globals[*id];
                let variable = &global.variable;
                self.declare(&variable.name, Meaning::Global(*id), variable.span);
                if let Some(init) = &global.init {
                    let mut scopes = self.scopes(None, &module.exprs);
                    scopes.init(init);
                }
            }
            Item::Prototype(id) => self.function_name(*id),
            Item::Function(id) => {
                self.function_name(*id);
                self.body(*id);
            }
            Item::Record { .. } | Item::Pragma(_) => {}
        }
    }

    fn function_name(&mut self, id: FunctionId) {
        let function = &self.module.functions[id];
        self.declare(
            &function.name,
            function_meaning(self.module, id),
            function.span,
        );
    }

    fn declare(&mut self, name: &'a str, meaning: Meaning, span: Option<Span>) {
        if !is_identifier(name) {
            self.faults
                .add(format!("'{name}' is not a name of C"), span);
        }
        let old = self.names.insert(name, meaning);
        if old.is_some_and(|old| old != meaning) {
            let message = format!("'{name}' is declared twice at file scope");
            self.faults.add(message, span);
        }
    }

    fn body(&mut self, id: FunctionId) {
        let module = self.module;
        let function = &module.functions[id];
        self.faults.enter(Some(function));
        if !self.defined.insert(id) {
            self.faults.add("it has two definitions", function.span);
        }
        match &function.body {
            None => {
                let message = "a function without a body stands as a definition";
                self.faults.add(message, function.span);
            }
            Some(body) => {
                let mut scopes = self.scopes(Some(function), &function.exprs);
                scopes.params(function);
                scopes.stmts(&body.stmts);
                scopes.labels(body);
            }
        }
        self.faults.enter(None);
    }

    fn scopes<'b>(
        &'b mut self,
        function: Option<&'a Function>,
        exprs: &'a Exprs,
    ) -> Scopes<'a, 'b> {
        Scopes {
            module: self.module,
            function,
            exprs,
            file: &self.names,
            faults: self.faults,
            inner: vec![BTreeMap::new()],
            declared: BTreeSet::new(),
        }
    }
}

/// The scopes inside a function.
struct Scopes<'a, 'b> {
    module: &'a Module,
    function: Option<&'a Function>,
    exprs: &'a Exprs,
    file: &'b BTreeMap<&'a str, Meaning>,
    faults: &'b mut Faults,
    inner: Vec<BTreeMap<&'a str, VarId>>,
    declared: BTreeSet<VarId>,
}

impl<'a> Scopes<'a, '_> {
    fn params(&mut self, function: &'a Function) {
        for &param in &function.params {
            self.declare(function, param, function.span);
        }
    }

    fn declare(&mut self, function: &'a Function, var: VarId, span: Option<Span>) {
        let variable: &Variable = &function.vars[var];
        self.type_names(variable.ty.ty, span);
        let name = variable.name.as_str();
        if !is_identifier(name) {
            let message = format!("'{name}' is not a name of C");
            self.faults.add(message, span.or(variable.span));
        }
        if !self.declared.insert(var) {
            let message = match function.params.contains(&var) {
                true => format!("parameter '{name}' is declared again"),
                false => format!("variable '{name}' ({var:?}) is declared twice"),
            };
            self.faults.add(message, span.or(variable.span));
        }
        let scope = self.inner.last_mut().expect("a function has a scope");
        if scope.insert(name, var).is_some_and(|old| old != var) {
            let message = format!("two variables of one scope have the name '{name}'");
            self.faults.add(message, span.or(variable.span));
        }
    }

    fn nested(&mut self, stmts: &'a [Stmt]) {
        self.inner.push(BTreeMap::new());
        self.stmts(stmts);
        self.inner.pop();
    }

    fn stmts(&mut self, stmts: &'a [Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Decl { var, init } => {
                // In C the scope of a name starts before its own first value.
                if let Some(function) = self.function {
                    self.declare(function, *var, stmt.span);
                }
                if let Some(init) = init {
                    self.init(init);
                }
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
                ..
            } => {
                self.inner.push(BTreeMap::new());
                self.stmts(init);
                cond.iter().chain(step).for_each(|expr| self.expr(*expr));
                self.nested(&body.stmts);
                self.inner.pop();
            }
            StmtKind::Switch { arms, .. } => {
                stmt.exprs().into_iter().for_each(|expr| self.expr(expr));
                self.inner.push(BTreeMap::new());
                for Arm { body, .. } in arms {
                    self.stmts(body);
                }
                self.inner.pop();
            }
            _ => {
                stmt.exprs().into_iter().for_each(|expr| self.expr(expr));
                stmt.lists().into_iter().for_each(|list| self.nested(list));
            }
        }
    }

    fn init(&mut self, init: &Init) {
        let mut all = Vec::new();
        init.exprs(&mut all);
        all.into_iter().for_each(|expr| self.expr(expr));
    }

    /// The names in an expression and below it.
    fn expr(&mut self, root: ExprId) {
        let exprs = self.exprs;
        exprs.for_each(root, &mut |id| self.node(id));
    }

    fn node(&mut self, id: ExprId) {
        let span = self.exprs.span(id);
        match self.exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => {
                if let Some(function) = self.function {
                    let name = &function.vars[*var].name;
                    self.expect(name, Meaning::Local(*var), span);
                }
            }
            Expr::Var(VarRef::Global(var)) => {
                let name = &self.module.globals[*var].variable.name;
                self.expect(name, Meaning::Global(*var), span);
            }
            Expr::EnumConst(id, index) => {
                let name = &self.module.enums[*id].enumerators[*index as usize].name;
                self.expect(name, Meaning::EnumConst(*id), span);
            }
            Expr::Call { callee, .. } => match callee {
                Callee::Function(id) => {
                    let name = &self.module.functions[*id].name;
                    let meaning = function_meaning(self.module, *id);
                    self.expect(name, meaning, span);
                }
                Callee::Builtin(name) => self.expect_builtin(name, span),
            },
            Expr::BuiltinConst(name) => self.expect_builtin(name, span),
            Expr::Cast { ty, .. }
            | Expr::Compound { ty, .. }
            | Expr::SizeOf(SizeOfArg::Type(ty)) => self.type_names(ty.ty, span),
            Expr::VectorLit { .. } => self.type_names(self.exprs.ty(id), span),
            _ => {}
        }
    }

    fn lookup(&self, name: &str) -> Option<Meaning> {
        let local = self.inner.iter().rev().find_map(|scope| scope.get(name));
        match local {
            Some(var) => Some(Meaning::Local(*var)),
            None => self.file.get(name).copied(),
        }
    }

    fn expect(&mut self, name: &str, meant: Meaning, span: Option<Span>) {
        let message = match self.lookup(name) {
            Some(found) if found == meant => return,
            Some(found) => format!("'{name}' means {meant:?} here but C finds {found:?}"),
            None => format!("'{name}' ({meant:?}) is used outside its scope"),
        };
        self.faults.add(message, span);
    }

    fn expect_builtin(&mut self, name: &str, span: Option<Span>) {
        if let Some(found) = self.lookup(name) {
            let message = format!("'{name}' means OpenCL's own here but C finds {found:?}");
            self.faults.add(message, span);
        }
    }

    /// The typedefs that a type is written with.
    fn type_names(&mut self, ty: TypeId, span: Option<Span>) {
        let module = self.module;
        match module.types.get(ty) {
            Type::Pointer { pointee, .. } => self.type_names(pointee.ty, span),
            Type::Array { element, .. } => self.type_names(element.ty, span),
            Type::Pipe { packet, .. } => self.type_names(*packet, span),
            Type::Channel(element) => self.type_names(*element, span),
            Type::Typedef(id) => {
                self.expect(&module.typedefs[*id].name, Meaning::Typedef(*id), span);
            }
            Type::Named(name, _) => self.expect_builtin(name, span),
            _ => {}
        }
    }

    /// Every `goto` has its label, and only one.
    fn labels(&mut self, body: &Block) {
        let mut labels = BTreeSet::new();
        let mut gotos = Vec::new();
        body.for_each_stmt(&mut |stmt| match &stmt.kind {
            StmtKind::Label(name) if !labels.insert(name.clone()) => {
                let message = format!("label '{name}' stands twice");
                self.faults.add(message, stmt.span);
            }
            StmtKind::Goto(name) => gotos.push((name.clone(), stmt.span)),
            _ => {}
        });
        for (name, span) in gotos {
            if !labels.contains(&name) {
                let message = format!("there is no label '{name}' to go to");
                self.faults.add(message, span);
            }
        }
    }
}

/// Whether C takes this as a name of something.
pub(crate) fn is_identifier(name: &str) -> bool {
    const KEYWORDS: [&str; 28] = [
        "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double",
        "else", "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long",
        "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct",
    ];
    const MORE_KEYWORDS: [&str; 7] = [
        "switch", "typedef", "union", "unsigned", "void", "volatile", "while",
    ];
    let mut chars = name.chars();
    let first = chars
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$');
    first
        && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '$')
        && !KEYWORDS.contains(&name)
        && !MORE_KEYWORDS.contains(&name)
}

/// What a function's name means: for `overloadable` ones the first function with that name.
fn function_meaning(module: &Module, id: FunctionId) -> Meaning {
    let function = &module.functions[id];
    match function.attr("overloadable") {
        Some(_) => Meaning::Function(module.function_named(&function.name).unwrap_or(id)),
        None => Meaning::Function(id),
    }
}
