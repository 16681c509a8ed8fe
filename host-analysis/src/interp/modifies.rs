//! What a function that is not followed may change: found by the syntax of all that it calls, at a
//! cost that grows with their text only.

use std::collections::BTreeSet;
use std::rc::Rc;

use fpgacc_frontend::source::Span;

use super::{FnId, Interp};
use crate::place::{Place, Root, VarId};
use crate::syntax::ast::{Ast, ExprId, ExprKind, StmtId, StmtKind};
use crate::syntax::lex;
use crate::types::{Kind, last_name};

/// What a function and all that it calls may change.
#[derive(Default)]
pub(super) struct Modified {
    /// Names that are assigned, or whose address is taken.
    changed: BTreeSet<String>,
    /// All names.
    names: BTreeSet<String>,
    /// Variables of functions that outlive them.
    statics: BTreeSet<Span>,
    /// It stores through pointers, or passes something to a function that may.
    indirect: bool,
    /// It calls functions that are not given.
    outside: bool,
    /// It calls OpenCL.
    opencl: bool,
    /// It calls what may be any function.
    anything: bool,
}

/// Names that code calls, as far as they are still to be looked at.
type Calls = Vec<String>;

impl Modified {
    fn walk(&mut self, ast: &Ast, body: StmtId, calls: &mut Calls) {
        let (mut stmts, mut exprs) = (vec![body], Vec::new());
        loop {
            if let Some(id) = exprs.pop() {
                self.expr(ast, id, &mut stmts, calls);
                exprs.extend(ast.children(id));
            } else if let Some(id) = stmts.pop() {
                self.stmt(ast, id, &mut stmts, &mut exprs, calls);
            } else {
                return;
            }
        }
    }

    fn stmt(
        &mut self,
        ast: &Ast,
        id: StmtId,
        stmts: &mut Vec<StmtId>,
        exprs: &mut Vec<ExprId>,
        calls: &mut Calls,
    ) {
        ast.parts(id, stmts, exprs);
        match &ast.stmt(id).kind {
            StmtKind::Declare(variables) => {
                for variable in variables {
                    if variable.is_static {
                        self.statics.insert(variable.span);
                    }
                    if let (true, Some(init)) = (variable.ty.reference, variable.init) {
                        self.target(ast, init);
                    }
                    // Its constructor.
                    calls.push(last_name(&variable.ty.base).to_string());
                }
            }
            StmtKind::RangeFor { range, .. } => self.target(ast, *range),
            StmtKind::Opaque { names, .. } => self.opaque(names, calls),
            _ => {}
        }
    }

    fn opaque(&mut self, names: &[String], calls: &mut Calls) {
        self.indirect = true;
        for name in names {
            self.changed.insert(name.clone());
            calls.push(name.clone());
        }
    }

    fn expr(&mut self, ast: &Ast, id: ExprId, stmts: &mut Vec<StmtId>, calls: &mut Calls) {
        match &ast.expr(id).kind {
            ExprKind::Name(name) => {
                self.names.insert(name.clone());
            }
            ExprKind::Call { callee, args } => {
                match &ast.expr(ast.skip_parens(*callee)).kind {
                    ExprKind::Name(name) => calls.push(name.clone()),
                    ExprKind::Member { base, name, .. } => {
                        self.target(ast, *base);
                        calls.push(name.clone());
                    }
                    _ => self.anything = true,
                }
                for &arg in args {
                    self.argument(ast, arg);
                }
                self.indirect |= !args.is_empty();
            }
            ExprKind::Construct(ty, args) => {
                calls.push(last_name(&ty.base).to_string());
                for &arg in args {
                    self.argument(ast, arg);
                }
            }
            ExprKind::New { ty, args, .. } => {
                calls.push(last_name(&ty.base).to_string());
                for &arg in args {
                    self.argument(ast, arg);
                }
            }
            ExprKind::Assign(_, target, _) | ExprKind::Step { target, .. } => {
                self.target(ast, *target)
            }
            ExprKind::AddressOf(inner) => self.target(ast, *inner),
            ExprKind::Statement(stmt) => stmts.push(*stmt),
            ExprKind::Lambda(lambda) => {
                if let Some(function) = ast.functions.get(lambda.function) {
                    stmts.push(function.body);
                }
            }
            ExprKind::Opaque { names, .. } => self.opaque(names, calls),
            _ => {}
        }
    }

    /// What is passed by reference, perhaps. Handles of OpenCL are not, in C.
    fn argument(&mut self, ast: &Ast, arg: ExprId) {
        if let ExprKind::Name(name) = &ast.expr(ast.skip_parens(arg)).kind {
            self.names.insert(format!("&{name}"));
        }
    }

    fn target(&mut self, ast: &Ast, id: ExprId) {
        let (name, indirect) = ast.changed_by_assigning(id);
        self.changed.extend(name.map(str::to_string));
        self.indirect |= indirect;
    }
}

/// The variables at file scope among the names in [`Modified`].
pub(super) struct ModifiedGlobals {
    /// Those that are named, or that C++ may pass by reference.
    reached: Vec<VarId>,
    /// Those that are named.
    named: Vec<VarId>,
    /// Those that are assigned, or whose address is taken.
    changed: Vec<VarId>,
}

impl<'a> Interp<'a> {
    /// The variables at file scope that a function and all that it calls may change.
    fn globals_modified_by(&mut self, callee: FnId, modified: &Modified) -> Rc<ModifiedGlobals> {
        if let Some(known) = self.summaries.modified_globals.get(&callee) {
            return known.clone();
        }
        let global = |name: &str| self.variables.global(callee.host, name);
        // C++ may pass it by reference; what is a handle or number keeps its value in C.
        let is_cpp = self.is_cpp_host(callee.host);
        let reached = modified.names.iter().filter_map(|name| {
            let name = match name.strip_prefix('&') {
                Some(name) if is_cpp => name,
                Some(_) => return None,
                None => name,
            };
            global(last_name(name))
        });
        let found = Rc::new(ModifiedGlobals {
            reached: reached.collect(),
            named: modified.names.iter().filter_map(|n| global(n)).collect(),
            changed: {
                let changed = modified.changed.iter();
                changed.filter_map(|n| global(last_name(n))).collect()
            },
        });
        // While the first values of these variables are found, not all of them are there.
        if self.variables.has_globals {
            self.summaries
                .modified_globals
                .insert(callee, found.clone());
        }
        found
    }

    /// What a function and all that it calls may change.
    fn modified_by(&mut self, callee: FnId) -> Rc<Modified> {
        if let Some(known) = self.summaries.modified.get(&callee) {
            return known.clone();
        }
        let found = Rc::new(self.find_modified(callee));
        self.summaries.modified.insert(callee, found.clone());
        found
    }

    /// Whether neither a function nor anything that it calls uses OpenCL.
    pub(super) fn is_foreign(&mut self, callee: FnId) -> bool {
        let modified = self.modified_by(callee);
        !modified.opencl && !modified.anything
    }

    fn find_modified(&self, callee: FnId) -> Modified {
        let mut all = Modified::default();
        let mut functions = BTreeSet::from([callee]);
        let mut waiting = vec![callee];
        let mut seen: BTreeSet<(usize, String)> = BTreeSet::new();
        while let Some(id) = waiting.pop() {
            let mut calls = Vec::new();
            let ast = &self.program.hosts[id.host].parts[id.part].ast;
            let function = self.program.function(id);
            all.walk(ast, function.body, &mut calls);
            for (field, args) in &function.initialisers {
                calls.push(field.clone());
                for &arg in args {
                    let mut stmts = Vec::new();
                    all.expr(ast, arg, &mut stmts, &mut calls);
                }
            }
            let mut names: Vec<String> = all.names.iter().cloned().collect();
            // Functions that are named may be called by what they are given to.
            names.retain(|name| {
                self.program.hosts[id.host].macros.knows(name)
                    || self.program.functions.contains_key(&**name)
            });
            calls.extend(names);
            while let Some(name) = calls.pop() {
                if !seen.insert((id.host, name.clone())) {
                    continue;
                }
                self.note_call(id, &name, &mut all, &mut calls);
                let short = last_name(name.split_once('<').map_or(&*name, |(name, _)| name));
                for &inner in self.program.functions.get(short).into_iter().flatten() {
                    if functions.insert(inner) {
                        waiting.push(inner);
                    }
                }
            }
        }
        all
    }

    /// What the call of a name means where no function is given.
    fn note_call(&self, id: FnId, name: &str, all: &mut Modified, calls: &mut Calls) {
        let macros = &self.program.hosts[id.host].macros;
        if let Some((_, definition)) = macros.at(name, macros.end()) {
            let words: Vec<String> = lex::names(&definition.body).map(str::to_string).collect();
            if !definition.system {
                all.indirect = true;
                all.changed.extend(words.iter().cloned());
            }
            if definition.params.is_some() && !definition.system {
                // Its arguments may be changed.
                let passed = all.names.iter().filter_map(|n| n.strip_prefix('&'));
                let passed: Vec<String> = passed.map(str::to_string).collect();
                all.changed.extend(passed);
            }
            calls.extend(words);
            return;
        }
        let code = self.program.file_code(id.host, id.part);
        let known = self.program.functions.contains_key(last_name(name))
            || self.program.types[id.host].is_type(name)
            || self.is_library(&code, name);
        all.opencl |= super::functions::is_opencl(name)
            || name.starts_with("cl::")
            || self.program.types[id.host].wrapper(name).is_some()
            || matches!(name, "setArg" | "enqueueNDRangeKernel");
        all.outside |= !known && self.program.prototypes[id.host].contains_key(name);
        let variable = self.variables.global(id.host, name);
        let pointer = |var: crate::place::VarId| {
            let info = self.variables.info(var);
            info.kind == Kind::Pointer || info.kind == Kind::Other
        };
        // A pointer to a function.
        all.anything |= self
            .program
            .function(id)
            .params
            .iter()
            .any(|p| p.name == name && p.ty.function)
            || variable.is_some_and(pointer);
    }

    /// Forgets what a function that is not followed may change, as far as its arguments do not lead
    /// there.
    pub(super) fn forget_modified(&mut self, callee: FnId, reason: &str) {
        let modified = self.modified_by(callee);
        if modified.anything {
            return self.forget_lasting(reason);
        }
        let globals = self.globals_modified_by(callee, &modified);
        let mut all: Vec<Root> = Vec::new();
        if modified.indirect {
            for &var in &globals.reached {
                let place = Place::var(var);
                if self.is_aggregate(&place) || self.state.has_parts(&place) {
                    all.push(Root::Var(var));
                }
            }
        }
        all.extend(globals.changed.iter().copied().map(Root::Var));
        for span in &modified.statics {
            all.extend(
                self.variables
                    .statics
                    .get(&(*span, None))
                    .map(|v| Root::Var(*v)),
            );
        }
        if modified.indirect {
            let named = globals.named.iter().copied().map(Root::Var).collect();
            self.forget_behind(Vec::new(), named, reason);
        }
        for root in all {
            self.forget_root(root, reason);
        }
        if modified.opencl {
            self.forget_args(reason);
        }
        if modified.outside {
            self.outside(reason);
        }
    }

    fn is_cpp_host(&self, host: usize) -> bool {
        self.program.hosts[host].language == crate::syntax::Language::Cpp
    }
}
