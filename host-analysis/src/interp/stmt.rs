//! Statements: paths that part and meet.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::returned::Locations;
use super::scope::{Binding, Scope};
use super::walk::{Breakable, Frame};
use super::{Code, FnId, Interp, MAX_NESTING, VarInfo};
use crate::location::{MemoryLocation, Root, VarId};
use crate::state::Delta;
use crate::syntax::ast::{Ast, BinaryOp, ExprId, Function, StmtId, StmtKind, Type, Variable};
use crate::text::Text;
use crate::types::Kind;
use crate::value::Val;

impl<'a> Interp<'a> {
    /// Starts a function.
    pub(super) fn enter(&mut self, id: FnId, this: Option<MemoryLocation>, is_root: bool) {
        let function = self.program.function(id);
        self.trace.visited.insert(function.span);
        let backward_labels = match self.summaries.labels.get(&id) {
            Some(labels) => labels.clone(),
            None => {
                let ast = &self.program.hosts[id.host].parts[id.part].ast;
                let labels = Rc::new(backward_labels(ast, function));
                self.summaries.labels.insert(id, labels.clone());
                labels
            }
        };
        self.walk.frames.push(Frame {
            function: Rc::from(function.name.as_str()),
            fn_id: id,
            class: function.class.clone(),
            this,
            scopes: vec![Scope::default()],
            mark: self.state.mark(),
            is_root,
            returns: Vec::new(),
            result: Val::Unset,
            locations: Locations::default(),
            gotos: BTreeMap::new(),
            passed_labels: BTreeSet::new(),
            backward_labels,
            breakables: Vec::new(),
            own: Vec::new(),
            variadic: Vec::new(),
            pack: None,
        });
        self.memo.note_entered(id, self.walk.frames.len());
    }

    /// Follows the body of the function that was entered last, and leaves it.
    pub(super) fn run_body(&mut self, code: &Code<'a>, function: &'a Function) -> Val {
        self.member_initialisers(code, &function.initialisers);
        self.exec(code, function.body);
        let Some(mut frame) = self.walk.frames.pop() else {
            return Val::Unset;
        };
        if frame.is_root {
            return Val::Unset;
        }
        for delta in std::mem::take(&mut frame.returns) {
            self.state.merge(frame.mark, delta);
        }
        for var in &frame.own {
            self.state.havoc(&MemoryLocation::var(*var));
            self.exposed.escaped.remove(&Root::Var(*var));
        }
        self.state.compact(frame.mark);
        self.objects.loosen(&frame.function);
        self.walk.left = frame.locations;
        frame.result
    }

    pub(super) fn frame(&mut self) -> Option<&mut Frame> {
        self.walk.frames.last_mut()
    }

    /// A new variable of the function that is followed.
    pub(super) fn declare(&mut self, code: &Code<'a>, variable: &Variable, lasting: bool) -> VarId {
        let dims = self.dims(code, &variable.ty);
        // A function is followed once at a time, so a variable of its own is there once; macros may
        // be used inside of each other.
        let var = match code.env.is_none() && !lasting && variable.name != "<value>" {
            true => self.var_by_way(code, variable, dims),
            false => self.declare_new(code, variable, dims, lasting),
        };
        self.bind(&variable.name, Binding::Var(var));
        if let Some(frame) = self.frame()
            && !lasting
        {
            frame.own.push(var);
            self.memo.note_declared(var);
        }
        var
    }

    fn declare_new(
        &mut self,
        code: &Code<'a>,
        variable: &Variable,
        dims: Vec<Option<u64>>,
        lasting: bool,
    ) -> VarId {
        let function = match self.walk.frames.last() {
            Some(frame) => frame.function.clone(),
            None => Rc::from(""),
        };
        self.new_var(VarInfo {
            name: Rc::from(variable.name.as_str()),
            function,
            ty: variable.ty.clone(),
            dims,
            kind: Kind::Other,
            host: code.host,
            lasting,
        })
    }

    fn var_by_way(
        &mut self,
        code: &Code<'a>,
        variable: &Variable,
        dims: Vec<Option<u64>>,
    ) -> VarId {
        let new = VarId(self.variables.len() as u32);
        let ways = self.variables.by_way.entry((code.host, variable.span));
        let ways = ways.or_default();
        let Some(&var) = ways.get(self.walk.context.as_slice()) else {
            ways.insert(self.walk.context.clone(), new);
            return self.declare_new(code, variable, dims, false);
        };
        let kind = self.program.kind(code.host, &variable.ty);
        let info = self.variables.info_mut(var);
        info.dims = dims;
        if variable.ty.base == "auto" {
            // Its value says its type, which may have been another one the last time.
            (info.ty, info.kind) = (variable.ty.clone(), kind);
        }
        self.state.havoc(&MemoryLocation::var(var));
        var
    }

    pub(super) fn bind(&mut self, name: &str, binding: Binding) {
        if let Some(scope) = self.frame().and_then(|f| f.scopes.last_mut()) {
            scope.bind(name, binding);
        }
    }

    /// The dimensions of an array type.
    pub(super) fn dims(&mut self, code: &Code<'a>, ty: &Type) -> Vec<Option<u64>> {
        ty.dims
            .iter()
            .map(|dim| {
                let value = self.eval(code, (*dim)?);
                value.as_int().and_then(|v| u64::try_from(v).ok())
            })
            .collect()
    }

    /// Follows a statement.
    pub(super) fn exec(&mut self, code: &Code<'a>, id: StmtId) {
        if !self.state.reachable || self.spent(1) {
            return;
        }
        if self.budget.nesting > MAX_NESTING {
            return self.havoc_all("the program is nested too deeply here");
        }
        self.budget.nesting += 1;
        let outer = self.walk.at;
        let span = code.ast().stmt(id).span;
        self.walk.at = Some(code.site(span));
        self.exec_inner(code, id);
        self.walk.at = outer;
        self.budget.nesting -= 1;
    }

    fn exec_inner(&mut self, code: &Code<'a>, id: StmtId) {
        let tree = code.clone();
        match &tree.ast().stmt(id).kind {
            StmtKind::Expr(value) => {
                self.eval(code, *value);
            }
            StmtKind::Declare(variables) => {
                for variable in variables {
                    self.declare_local(code, variable);
                }
            }
            StmtKind::Block(stmts) => self.scoped(|s| {
                for &stmt in stmts {
                    if !s.state.reachable && !has_inside(tree.ast(), stmt, &is_label) {
                        continue;
                    }
                    s.exec_or_label(code, stmt);
                }
            }),
            StmtKind::If {
                init,
                condition,
                then,
                otherwise,
            } => self.scoped(|s| {
                if let Some(init) = init {
                    s.exec(code, *init);
                }
                s.branch(code, *condition, *then, *otherwise);
            }),
            StmtKind::Loop(shape) => {
                let site = code.site(tree.ast().stmt(id).span);
                self.scoped(|s| s.follow_loop(code, site, shape));
            }
            StmtKind::RangeFor {
                variable,
                range,
                body,
            } => {
                let site = code.site(tree.ast().stmt(id).span);
                self.scoped(|s| s.range_for(code, site, (variable, *range, *body)));
            }
            StmtKind::Switch { value, body } => self.switch(code, *value, *body),
            StmtKind::Return(value) => self.leave(code, *value),
            StmtKind::Break => self.jump_out(false),
            StmtKind::Continue => self.jump_out(true),
            StmtKind::Goto(label) => self.goto(label),
            StmtKind::Label(label) => self.label(label),
            // A label outside of its switch's own block.
            StmtKind::Case(_) => self.havoc_all("a jump into a nested block"),
            StmtKind::Try { body, handlers } => self.try_block(code, *body, handlers),
            StmtKind::Throw(value) => {
                if let Some(value) = value {
                    self.eval(code, *value);
                }
                self.note_thrown();
                self.state.reachable = false;
            }
            StmtKind::Empty => {}
            StmtKind::Opaque { names, inner } => {
                let visits = self.trace.visits.len();
                for &expr in inner {
                    self.eval(code, expr);
                }
                self.state.reachable = true;
                let site = code.site(tree.ast().stmt(id).span);
                self.not_understood(code, site, names, visits);
            }
        }
    }

    /// In a block, a label is reached although the statement before it is not left.
    fn exec_or_label(&mut self, code: &Code<'a>, stmt: StmtId) {
        match &code.clone().ast().stmt(stmt).kind {
            StmtKind::Label(label) => self.label(label),
            _ if self.state.reachable => self.exec(code, stmt),
            // A label deeper inside: what follows it must be looked at.
            _ => {
                self.havoc_all("a jump into a nested block");
                self.exec(code, stmt);
            }
        }
    }

    pub(super) fn scoped(&mut self, inside: impl FnOnce(&mut Self)) {
        if let Some(frame) = self.frame() {
            frame.scopes.push(Scope::default());
        }
        let depth = self.walk.frames.len();
        inside(self);
        if let Some(scopes) = self.walk.frames.last().map(|f| f.scopes.len())
            && self.walk.frames.len() == depth
        {
            self.leave_scopes(scopes - 1, None);
        }
        if self.walk.frames.len() == depth
            && let Some(frame) = self.frame()
        {
            frame.scopes.pop();
        }
    }

    fn declare_local(&mut self, code: &Code<'a>, variable: &Variable) {
        if variable.is_extern {
            let shared = self.variables.globals.get(&None);
            let var = shared.and_then(|g| g.get(&variable.name));
            let binding = var.map_or(Binding::Lost, |v| Binding::Var(*v));
            return self.bind(&variable.name, binding);
        }
        if variable.is_static {
            return self.declare_static(code, variable);
        }
        if variable.name.starts_with('[') {
            let whole = self.parts_of(code, variable);
            return self.destructure(variable, whole);
        }
        if variable.ty.reference {
            let binding = match variable.init.map(|init| self.reference(code, init)) {
                Some(Some(location)) => Binding::Alias(location),
                _ => Binding::Lost,
            };
            return self.bind(&variable.name, binding);
        }
        let var = self.declare(code, variable, false);
        let location = MemoryLocation::var(var);
        let kind = self.kind_of(&location);
        let empty = match kind {
            Some(Kind::String | Kind::StringStream) if variable.ty.dims.is_empty() => {
                Val::text(Text::default())
            }
            _ => Val::Unset,
        };
        self.state.set(&location, empty);
        match variable.init {
            Some(init) => self.initialise(code, &location, init),
            None => self.default_value(code, &location),
        }
    }

    /// A variable that keeps its value between calls.
    fn declare_static(&mut self, code: &Code<'a>, variable: &Variable) {
        let site = code.env.as_ref().map(|env| env.site);
        if let Some(&var) = self.variables.statics.get(&(variable.span, site)) {
            self.bind(&variable.name, Binding::Var(var));
            if self.state.own(&MemoryLocation::var(var)).is_some()
                || self.state.has_parts(&MemoryLocation::var(var))
            {
                return;
            }
        }
        let var = match self.variables.statics.get(&(variable.span, site)) {
            Some(&var) => var,
            None => self.declare(code, variable, true),
        };
        self.variables.statics.insert((variable.span, site), var);
        let location = MemoryLocation::var(var);
        self.state.set(&location, Val::Zero);
        if let Some(init) = variable.init {
            self.initialise(code, &location, init);
        }
        // A function that is called at unknown times may have changed it.
        if !self
            .walk
            .frames
            .iter()
            .any(|f| f.is_root && &*f.function == "main")
        {
            for (at, value) in self.flow_insensitive_values(&location) {
                let now = self.state.get(&at);
                self.state.set(&at, now.join(&value));
            }
        }
    }

    fn branch(
        &mut self,
        code: &Code<'a>,
        condition: ExprId,
        then: StmtId,
        otherwise: Option<StmtId>,
    ) {
        let truth = self.plain_value(code, condition).truth();
        if !self.state.reachable {
            return;
        }
        match (truth, otherwise) {
            (Some(true), _) => return self.exec_scoped(code, then),
            (Some(false), Some(otherwise)) => return self.exec_scoped(code, otherwise),
            (Some(false), None) => return,
            (None, _) => {}
        }
        let mark = self.state.mark();
        self.exec_scoped(code, then);
        let (delta, reached) = self.take_back(mark);
        if let Some(otherwise) = otherwise {
            self.exec_scoped(code, otherwise);
        }
        if reached {
            self.state.merge(mark, delta);
        }
    }

    pub(super) fn exec_scoped(&mut self, code: &Code<'a>, stmt: StmtId) {
        self.scoped(|s| s.exec(code, stmt));
    }

    /// What happened since a mark, taken back; and whether its end was reachable.
    pub(super) fn take_back(&mut self, mark: usize) -> (Delta, bool) {
        let reached = self.state.reachable;
        let delta = match reached {
            true => self.state.capture(mark),
            false => Delta::new(),
        };
        self.budget.steps += delta.len() as u64 / 8;
        self.state.rollback(mark);
        self.state.reachable = true;
        (delta, reached)
    }

    fn leave(&mut self, code: &Code<'a>, value: Option<ExprId>) {
        let Some(id) = self.walk.frames.last().map(|frame| frame.fn_id) else {
            return;
        };
        let by_reference = self.program.function(id).result.reference;
        let mut result = match value {
            Some(value) if by_reference => self.refer(code, value),
            Some(value) => self.eval(code, value),
            None => Val::Unset,
        };
        let ty = &self.program.function(id).result;
        let kind = self.program.kind(id.host, ty);
        // A string is made of no null pointer: the library throws.
        if kind == Kind::String && matches!(result, Val::Null | Val::Int(0, _)) {
            self.note_thrown();
            self.state.reachable = false;
        }
        if !self.state.reachable {
            return;
        }
        let Some(frame) = self.walk.frames.last() else {
            return;
        };
        let (mark, is_root) = (frame.mark, frame.is_root);
        let returned = match &result {
            Val::Record(location) if !by_reference => Some(location.clone()),
            _ => None,
        };
        if let Val::Record(location) = &result {
            result = self.copy_out(location.clone());
        }
        self.leave_scopes(0, returned.as_ref());
        if !self.state.reachable {
            return;
        }
        result = match (kind, result) {
            (Kind::Num(num), result) => result.convert(num),
            (Kind::Pointer, Val::Int(0, _)) => Val::Null,
            (Kind::String, result) => {
                let texts = self.one_of_texts(&result);
                texts.unwrap_or_else(|| Val::unknown("a string that is not followed"))
            }
            (_, result) => result,
        };
        let delta = match is_root {
            true => Delta::new(),
            false => self.state.capture(mark),
        };
        self.budget.steps += delta.len() as u64 / 8;
        if let Some(frame) = self.frame() {
            frame.result = frame.result.join(&result);
            if !is_root {
                frame.returns.push(delta);
            }
        }
        self.state.reachable = false;
    }

    fn jump_out(&mut self, to_next_round: bool) {
        let is_target = |b: &&Breakable| b.is_loop || !to_next_round;
        let around = self.walk.frames.last().and_then(|f| {
            let target = f.breakables.iter().rev().find(is_target)?;
            Some(target.scopes)
        });
        if let Some(scopes) = around {
            self.leave_scopes(scopes, None);
        }
        let Some(frame) = self.walk.frames.last_mut().filter(|_| self.state.reachable) else {
            return;
        };
        let target = frame.breakables.iter_mut().rev().find(|b| is_target(&&**b));
        if let Some(target) = target {
            let delta = self.state.capture(target.mark);
            match to_next_round {
                true => target.continues.push(delta),
                false => target.breaks.push(delta),
            }
        }
        self.state.reachable = false;
    }

    fn goto(&mut self, label: &str) {
        let state = &mut self.state;
        let Some(frame) = self.walk.frames.last_mut() else {
            return;
        };
        if !frame.passed_labels.contains(label) {
            let delta = state.capture(frame.mark);
            frame
                .gotos
                .entry(label.to_string())
                .or_default()
                .push(delta);
        }
        state.reachable = false;
    }

    fn label(&mut self, label: &str) {
        let Some(frame) = self.walk.frames.last_mut() else {
            return;
        };
        frame.passed_labels.insert(label.to_string());
        let backward = frame.backward_labels.contains(label);
        let mark = frame.mark;
        for delta in frame.gotos.remove(label).unwrap_or_default() {
            self.state.merge(mark, delta);
        }
        if backward {
            self.havoc_all("a backward goto");
        }
    }

    fn switch(&mut self, code: &Code<'a>, value: ExprId, body: StmtId) {
        let value = self.eval(code, value);
        let tree = code.clone();
        let stmts = match &tree.ast().stmt(body).kind {
            StmtKind::Block(stmts) => stmts.clone(),
            _ => return self.havoc_all("a switch without a block"),
        };
        let mark = self.state.mark();
        self.push_breakable(mark, false);
        // The path that has not found its label yet.
        let mut searching = true;
        let mut has_default = false;
        let mut found = false;
        self.state.reachable = false;
        self.scoped(|s| {
            for &stmt in &stmts {
                let StmtKind::Case(label) = &tree.ast().stmt(stmt).kind else {
                    // Duff's device: in the midst of it begins what was jumped over before.
                    if has_inside(tree.ast(), stmt, &|kind| matches!(kind, StmtKind::Case(_))) {
                        s.havoc_all("a case inside of a statement");
                    }
                    if s.state.reachable || has_inside(tree.ast(), stmt, &is_label) {
                        s.exec_or_label(code, stmt);
                    }
                    continue;
                };
                let hit = match label {
                    Some(label) => {
                        let reachable = s.state.reachable;
                        s.state.reachable = true;
                        let label = s.eval(code, *label);
                        s.state.reachable = reachable;
                        crate::arith::binary(BinaryOp::Eq, &value, &label).truth()
                    }
                    // `default` may stand before the label that fits.
                    None => {
                        has_default = true;
                        None
                    }
                };
                if !searching || hit == Some(false) {
                    continue;
                }
                s.state.merge(mark, Delta::new());
                if hit == Some(true) {
                    found = true;
                    searching = false;
                }
            }
        });
        let breaks = self.pop_breakable().map(|b| b.breaks).unwrap_or_default();
        for delta in breaks {
            self.state.merge(mark, delta);
        }
        if !has_default && !found {
            self.state.merge(mark, Delta::new());
        }
    }

    /// Havocs all values.
    pub(super) fn havoc_all(&mut self, reason: &str) {
        for tried in &mut self.walk.tries {
            tried.lose_all();
        }
        for location in self.state.locations() {
            let constant = match location.root {
                crate::location::Root::Var(var) => {
                    let ty = &self.variables.info(var).ty;
                    ty.is_const
                }
                crate::location::Root::Object(_) => false,
            };
            if !constant {
                self.state.set(&location, Val::unknown(reason));
            }
        }
        self.state.reachable = true;
    }

    /// Havocs the variables of these names.
    pub(super) fn havoc_names(&mut self, code: &Code<'a>, names: &[String]) {
        for name in names {
            if let Some(location) = self.variable(code, name) {
                self.set_unknown(&location, "code that fpgacc does not understand uses it");
            }
        }
    }
}

/// Whether it is a label that a `goto` may name.
fn is_label(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::Label(_))
}

/// Whether a statement is such a one, or has one inside. A `case` belongs to the innermost `switch`.
fn has_inside(ast: &Ast, stmt: StmtId, is_one: &impl Fn(&StmtKind) -> bool) -> bool {
    let kind = &ast.stmt(stmt).kind;
    let has = |stmt: StmtId| has_inside(ast, stmt, is_one);
    is_one(kind)
        || match kind {
            StmtKind::Block(stmts) => stmts.iter().any(|&stmt| has(stmt)),
            StmtKind::If {
                then, otherwise, ..
            } => has(*then) || otherwise.is_some_and(has),
            StmtKind::Loop(shape) => has(shape.body),
            StmtKind::Switch { body, .. } => !is_one(&StmtKind::Case(None)) && has(*body),
            _ => false,
        }
}

/// Labels that a `goto` after them jumps back to.
fn backward_labels(ast: &Ast, function: &Function) -> BTreeSet<String> {
    let mut labels = BTreeSet::new();
    let mut backward = BTreeSet::new();
    let mut stack = vec![function.body];
    while let Some(id) = stack.pop() {
        match &ast.stmt(id).kind {
            StmtKind::Label(name) => {
                labels.insert(name.clone());
            }
            StmtKind::Goto(name) if labels.contains(name) => {
                backward.insert(name.clone());
            }
            StmtKind::Block(stmts) => stack.extend(stmts.iter().rev()),
            StmtKind::If {
                then, otherwise, ..
            } => {
                stack.extend(otherwise);
                stack.push(*then);
            }
            StmtKind::Loop(shape) => stack.push(shape.body),
            StmtKind::RangeFor { body, .. } | StmtKind::Switch { body, .. } => stack.push(*body),
            StmtKind::Try { body, handlers } => {
                stack.extend(handlers.iter().rev().map(|handler| handler.body));
                stack.push(*body);
            }
            _ => {}
        }
    }
    backward
}
