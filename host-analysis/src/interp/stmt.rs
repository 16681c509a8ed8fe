//! Statements: paths that part and meet.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use fpgacc_frontend::host::ast::{
    Ast, BinaryOp, Designator, ExprId, ExprKind, Function, Loop, StmtId, StmtKind, Type, Variable,
};

use super::{Binding, Breakable, Code, FnId, Frame, Interp, MAX_NESTING, VarInfo};
use crate::state::{Delta, Place, VarId};
use crate::types::Kind;
use crate::value::{Text, Val};

/// Most rounds of a loop that are followed one by one.
const MOST_ROUNDS: i128 = 64;
/// Most rounds of nested loops together.
const MOST_ROUNDS_TOGETHER: u64 = 512;
/// Passes over a loop's body until everything that still changes is given up.
const MOST_PASSES: u32 = 6;

impl<'a> Interp<'a> {
    /// Starts a function.
    pub(super) fn enter(&mut self, id: FnId, this: Option<Place>, is_root: bool) {
        let function = self.function(id);
        self.visited.insert(function.span);
        let backward_labels = match self.labels.get(&id) {
            Some(labels) => labels.clone(),
            None => {
                let ast = &self.hosts[id.host].parts[id.part].ast;
                let labels = Rc::new(backward_labels(ast, function));
                self.labels.insert(id, labels.clone());
                labels
            }
        };
        self.frames.push(Frame {
            function: Rc::from(function.name.as_str()),
            fn_id: id,
            class: function.class.clone(),
            this,
            scopes: vec![BTreeMap::new()],
            mark: self.state.mark(),
            is_root,
            returns: Vec::new(),
            result: Val::Unset,
            gotos: BTreeMap::new(),
            passed_labels: BTreeSet::new(),
            backward_labels,
            breakables: Vec::new(),
            own: Vec::new(),
        });
    }

    /// Follows the body of the function that was entered last, and leaves it.
    pub(super) fn run_body(&mut self, code: &Code<'a>, function: &'a Function) -> Val {
        for (field, args) in &function.initialisers {
            let value = match args[..] {
                [only] => self.eval(code, only),
                _ => Val::Unset,
            };
            if let Some(place) = self.field_of_this(field) {
                self.assign(&place, value);
            }
        }
        self.exec(code, function.body);
        let Some(mut frame) = self.frames.pop() else {
            return Val::Unset;
        };
        if frame.is_root {
            return Val::Unset;
        }
        for delta in std::mem::take(&mut frame.returns) {
            self.state.merge(frame.mark, delta);
        }
        for var in &frame.own {
            self.state.forget(&Place::var(*var));
        }
        let prefix = format!("{}::", frame.function);
        self.loosen_holders(&prefix);
        frame.result
    }

    fn frame(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    /// A new variable of the function that is followed.
    pub(super) fn declare(&mut self, code: &Code<'a>, variable: &Variable, lasting: bool) -> VarId {
        let dims = self.dims(code, &variable.ty);
        let function = match self.frames.last() {
            Some(frame) => frame.function.clone(),
            None => Rc::from(""),
        };
        let var = self.new_var(VarInfo {
            name: Rc::from(variable.name.as_str()),
            function,
            ty: variable.ty.clone(),
            dims,
            host: code.host,
            lasting,
        });
        self.bind(&variable.name, Binding::Var(var));
        if let Some(frame) = self.frame()
            && !lasting
        {
            frame.own.push(var);
        }
        var
    }

    pub(super) fn bind(&mut self, name: &str, binding: Binding) {
        if let Some(scope) = self.frame().and_then(|f| f.scopes.last_mut()) {
            scope.insert(name.to_string(), binding);
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
        if self.nesting > MAX_NESTING {
            return self.forget_all("the program is nested too deeply here");
        }
        self.nesting += 1;
        self.exec_inner(code, id);
        self.nesting -= 1;
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
                    if !s.state.reachable && !has_label(tree.ast(), stmt) {
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
            StmtKind::Loop(shape) => self.scoped(|s| s.follow_loop(code, shape)),
            StmtKind::RangeFor {
                variable,
                range,
                body,
            } => self.scoped(|s| s.range_for(code, variable, *range, *body)),
            StmtKind::Switch { value, body } => self.switch(code, *value, *body),
            StmtKind::Return(value) => self.leave(code, *value),
            StmtKind::Break => self.jump_out(false),
            StmtKind::Continue => self.jump_out(true),
            StmtKind::Goto(label) => self.goto(label),
            StmtKind::Label(label) => self.label(label),
            // A label outside of its switch's own block.
            StmtKind::Case(_) => self.forget_all("a jump into a nested block"),
            StmtKind::Try { body, handlers } => self.try_block(code, *body, handlers),
            StmtKind::Throw(value) => {
                if let Some(value) = value {
                    self.eval(code, *value);
                }
                self.state.reachable = false;
            }
            StmtKind::Empty => {}
            StmtKind::Opaque { names, inner } => {
                for &expr in inner {
                    self.eval(code, expr);
                }
                self.state.reachable = true;
                self.forget_names(code, names);
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
                self.forget_all("a jump into a nested block");
                self.exec(code, stmt);
            }
        }
    }

    pub(super) fn scoped(&mut self, inside: impl FnOnce(&mut Self)) {
        if let Some(frame) = self.frame() {
            frame.scopes.push(BTreeMap::new());
        }
        let depth = self.frames.len();
        inside(self);
        if self.frames.len() == depth
            && let Some(frame) = self.frame()
        {
            frame.scopes.pop();
        }
    }

    fn declare_local(&mut self, code: &Code<'a>, variable: &Variable) {
        if variable.is_extern {
            let var = self.globals.get(&(None, variable.name.clone()));
            let binding = var.map_or(Binding::Lost, |v| Binding::Var(*v));
            return self.bind(&variable.name, binding);
        }
        if variable.is_static {
            return self.declare_static(code, variable);
        }
        if variable.ty.reference {
            let binding = match variable.init.map(|init| self.reference(code, init)) {
                Some(Some(place)) => Binding::Alias(place),
                _ => Binding::Lost,
            };
            return self.bind(&variable.name, binding);
        }
        let var = self.declare(code, variable, false);
        let place = Place::var(var);
        let kind = self.kind_of(&place);
        let empty = match kind {
            Some(Kind::String | Kind::StringStream) if variable.ty.dims.is_empty() => {
                Val::text(Text::default())
            }
            _ => Val::Unset,
        };
        self.state.set(&place, empty);
        if let Some(init) = variable.init {
            self.initialise(code, &place, init);
        }
    }

    /// A variable that keeps its value between calls.
    fn declare_static(&mut self, code: &Code<'a>, variable: &Variable) {
        let site = code.env.as_ref().map(|env| env.site);
        if let Some(&var) = self.statics.get(&(variable.span, site)) {
            self.bind(&variable.name, Binding::Var(var));
            if self.state.own(&Place::var(var)).is_some()
                || !self.state.parts(&Place::var(var)).is_empty()
            {
                return;
            }
        }
        let var = match self.statics.get(&(variable.span, site)) {
            Some(&var) => var,
            None => self.declare(code, variable, true),
        };
        self.statics.insert((variable.span, site), var);
        let place = Place::var(var);
        self.state.set(&place, Val::Zero);
        if let Some(init) = variable.init {
            self.initialise(code, &place, init);
        }
        // A function that is called at unknown times may have changed it.
        let ever = self.ever.clone();
        if !self
            .frames
            .iter()
            .any(|f| f.is_root && &*f.function == "main")
        {
            for (at, value) in ever.iter().filter(|(at, _)| at.root == place.root) {
                let now = self.state.get(at);
                self.state.set(at, now.join(value));
            }
        }
    }

    /// Gives a variable its first value.
    pub(super) fn initialise(&mut self, code: &Code<'a>, place: &Place, init: ExprId) {
        let tree = code.clone();
        let info = self.info_of(place).cloned();
        let is_array = info.as_ref().is_some_and(|i| !i.ty.dims.is_empty());
        match &tree.ast().expr(tree.ast().skip_parens(init)).kind {
            ExprKind::InitList(items) => self.init_list(code, place, items),
            ExprKind::Construct(_, args) if !is_array => {
                let args = args.clone();
                self.construct(code, place, &args);
            }
            ExprKind::Str(text) if is_array => {
                let text = Text::literal(text, Some(code.site(tree.ast().expr(init).span)));
                self.assign_text(place, Val::text(text));
            }
            _ => {
                let value = self.eval(code, init);
                if is_array {
                    match self.text_of(&value) {
                        Some(text) => self.assign_text(place, Val::Text(text)),
                        None => self.set_unknown(place, "an array with an unusual initialiser"),
                    }
                    return;
                }
                self.assign(place, value);
            }
        }
    }

    fn init_list(
        &mut self,
        code: &Code<'a>,
        place: &Place,
        items: &[(Option<Designator>, ExprId)],
    ) {
        let fields = self.field_names(place);
        let scalar = fields.is_none() && !self.is_aggregate(place);
        if let ([(None, only)], true) = (items, scalar) {
            let value = self.eval(code, *only);
            return self.assign(place, value);
        }
        self.state.set(place, Val::Zero);
        let mut next = 0i64;
        for (designator, value) in items {
            let target = match designator {
                Some(Designator::Field(name)) => {
                    if let Some(fields) = &fields {
                        let at = fields.iter().position(|f| f == name);
                        next = at.map_or(next, |at| at as i64);
                    }
                    place.field(name)
                }
                Some(Designator::Index(index)) => {
                    match self.eval(code, *index).as_int().map(i64::try_from) {
                        Some(Ok(index)) => next = index,
                        _ => return self.set_unknown(place, "a designated initialiser"),
                    }
                    place.index(next)
                }
                None => match &fields {
                    Some(fields) => match usize::try_from(next).ok().and_then(|i| fields.get(i)) {
                        Some(name) => place.field(name),
                        None => return,
                    },
                    None => place.index(next),
                },
            };
            next += 1;
            let tree = code.clone();
            match &tree.ast().expr(*value).kind {
                ExprKind::InitList(inner) => self.init_list(code, &target, inner),
                _ => {
                    let value = self.eval(code, *value);
                    // `int m[2][2] = {1, 2, 3, 4}`: braces left out.
                    if self.is_aggregate(&target) && !matches!(value, Val::Record(_) | Val::Text(_))
                    {
                        return self.set_unknown(place, "an initialiser without inner braces");
                    }
                    match self.is_aggregate(&target) {
                        true if matches!(value, Val::Text(_)) => self.assign_text(&target, value),
                        _ => self.assign(&target, value),
                    }
                }
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
        let truth = self.eval(code, condition).truth();
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

    fn exec_scoped(&mut self, code: &Code<'a>, stmt: StmtId) {
        self.scoped(|s| s.exec(code, stmt));
    }

    /// What happened since a mark, taken back; and whether its end was reachable.
    pub(super) fn take_back(&mut self, mark: usize) -> (Delta, bool) {
        let reached = self.state.reachable;
        let delta = match reached {
            true => self.state.capture(mark),
            false => Delta::new(),
        };
        self.steps += delta.len() as u64 / 8;
        self.state.rollback(mark);
        self.state.reachable = true;
        (delta, reached)
    }

    fn leave(&mut self, code: &Code<'a>, value: Option<ExprId>) {
        let mut result = match value {
            Some(value) => self.eval(code, value),
            None => Val::Unset,
        };
        if !self.state.reachable {
            return;
        }
        let Some(frame) = self.frames.last() else {
            return;
        };
        let (mark, is_root, id) = (frame.mark, frame.is_root, frame.fn_id);
        if let Val::Record(place) = &result {
            result = self.copy_out(place.clone());
        }
        let ty = &self.function(id).result;
        if let Kind::Num(num) = self.types[id.host].kind(ty, &self.hosts[id.host]) {
            result = result.convert(num);
        } else if let Kind::String = self.types[id.host].kind(ty, &self.hosts[id.host]) {
            result = match self.text_of(&result) {
                Some(text) => Val::Text(text),
                None => Val::unknown("a string that is not followed"),
            };
        }
        let delta = match is_root {
            true => Delta::new(),
            false => self.state.capture(mark),
        };
        self.steps += delta.len() as u64 / 8;
        if let Some(frame) = self.frame() {
            frame.result = frame.result.join(&result);
            if !is_root {
                frame.returns.push(delta);
            }
        }
        self.state.reachable = false;
    }

    fn jump_out(&mut self, to_next_round: bool) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let target = frame
            .breakables
            .iter_mut()
            .rev()
            .find(|b| b.is_loop || !to_next_round);
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
        let Some(frame) = self.frames.last_mut() else {
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
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        frame.passed_labels.insert(label.to_string());
        let backward = frame.backward_labels.contains(label);
        let mark = frame.mark;
        for delta in frame.gotos.remove(label).unwrap_or_default() {
            self.state.merge(mark, delta);
        }
        if backward {
            self.forget_all("a backward goto");
        }
    }

    fn try_block(&mut self, code: &Code<'a>, body: StmtId, handlers: &[StmtId]) {
        let mark = self.state.mark();
        self.exec(code, body);
        if handlers.is_empty() {
            return;
        }
        let changed: Vec<Place> = self.state.capture(mark).into_keys().collect();
        let (after, reached) = self.take_back(mark);
        let mut ends = Vec::new();
        for &handler in handlers {
            let mark = self.state.mark();
            for place in &changed {
                self.state
                    .set(place, Val::unknown("an exception may have left it halfway"));
            }
            self.exec(code, handler);
            let (delta, reached) = self.take_back(mark);
            ends.extend(reached.then_some(delta));
        }
        self.state.reachable = false;
        for delta in ends.into_iter().chain(reached.then_some(after)) {
            self.state.merge(mark, delta);
        }
    }

    fn switch(&mut self, code: &Code<'a>, value: ExprId, body: StmtId) {
        let value = self.eval(code, value);
        let tree = code.clone();
        let stmts = match &tree.ast().stmt(body).kind {
            StmtKind::Block(stmts) => stmts.clone(),
            _ => return self.forget_all("a switch without a block"),
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
                    if s.state.reachable || has_label(tree.ast(), stmt) {
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

    fn push_breakable(&mut self, mark: usize, is_loop: bool) {
        if let Some(frame) = self.frame() {
            frame.breakables.push(Breakable {
                mark,
                breaks: Vec::new(),
                continues: Vec::new(),
                is_loop,
            });
        }
    }

    fn pop_breakable(&mut self) -> Option<Breakable> {
        self.frame()?.breakables.pop()
    }

    fn follow_loop(&mut self, code: &Code<'a>, shape: &Loop) {
        if let Some(init) = shape.init {
            self.exec(code, init);
        }
        if !self.state.reachable {
            return;
        }
        if let Some(rounds) = self.known_rounds(code, shape) {
            return self.unroll(code, shape, rounds);
        }
        self.fixpoint(|s| {
            if shape.body_first {
                s.exec_scoped(code, shape.body);
                return s.next_round(code, shape, true);
            }
            let truth = s.test(code, shape.condition);
            let mark = s.loop_mark();
            let exit = (truth != Some(true)).then(|| s.state.capture(mark));
            if truth == Some(false) {
                s.state.reachable = false;
            }
            s.exec_scoped(code, shape.body);
            s.next_round(code, shape, false);
            exit
        });
    }

    /// Merges `continue`s at the end of a body, steps, and tests if the test stands at the end.
    /// Gives what the end of the loop finds there.
    fn next_round(&mut self, code: &Code<'a>, shape: &Loop, test: bool) -> Option<Delta> {
        let taken = self.frame().and_then(|f| f.breakables.last_mut());
        if let Some(breakable) = taken {
            let mark = breakable.mark;
            for delta in std::mem::take(&mut breakable.continues) {
                self.state.merge(mark, delta);
            }
        }
        if !self.state.reachable {
            return None;
        }
        if let Some(step) = shape.step {
            self.eval(code, step);
        }
        if !test {
            return None;
        }
        let truth = self.test(code, shape.condition);
        let mark = self.loop_mark();
        let exit = (truth != Some(true) && self.state.reachable).then(|| self.state.capture(mark));
        if truth == Some(false) {
            self.state.reachable = false;
        }
        exit
    }

    /// The mark of the innermost loop.
    fn loop_mark(&self) -> usize {
        let breakable = self.frames.last().and_then(|f| f.breakables.last());
        breakable.map_or(self.state.mark(), |b| b.mark)
    }

    fn test(&mut self, code: &Code<'a>, condition: Option<ExprId>) -> Option<bool> {
        match condition {
            Some(condition) => self.eval(code, condition).truth(),
            None => Some(true),
        }
    }

    /// The number of rounds of `for (i = a; i < b; i++)` if it is known and small.
    fn known_rounds(&mut self, code: &Code<'a>, shape: &Loop) -> Option<i128> {
        if self.flat || shape.body_first {
            return None;
        }
        let tree = code.clone();
        let ast = tree.ast();
        let ExprKind::Binary(op, left, right) = ast.expr(ast.skip_parens(shape.condition?)).kind
        else {
            return None;
        };
        let ExprKind::Name(counter) = &ast.expr(ast.skip_parens(left)).kind else {
            return None;
        };
        let by = match &ast.expr(shape.step?).kind {
            ExprKind::Step { target, by, .. } => {
                matches!(&ast.expr(*target).kind, ExprKind::Name(n) if n == counter)
                    .then_some(i128::from(*by))?
            }
            ExprKind::Assign(Some(op @ (BinaryOp::Add | BinaryOp::Sub)), target, value) => {
                matches!(&ast.expr(*target).kind, ExprKind::Name(n) if n == counter)
                    .then_some(())?;
                let by = self.eval(code, *value).as_int()?;
                if *op == BinaryOp::Add { by } else { -by }
            }
            _ => return None,
        };
        let from = self.eval(code, left).as_int()?;
        let to = self.eval(code, right).as_int()?;
        let span = match op {
            BinaryOp::Lt if by > 0 => to - from,
            BinaryOp::Le if by > 0 => to - from + 1,
            BinaryOp::Gt if by < 0 => from - to,
            BinaryOp::Ge if by < 0 => from - to + 1,
            BinaryOp::Ne if by == 1 => to - from,
            _ => return None,
        };
        let rounds = span.max(0).checked_add(by.abs() - 1)? / by.abs();
        let together = self.unroll_factor.saturating_mul(rounds.max(1) as u64);
        (rounds <= MOST_ROUNDS && together <= MOST_ROUNDS_TOGETHER).then_some(rounds)
    }

    /// Follows a loop round by round. The test is still evaluated: the body may change the counter.
    fn unroll(&mut self, code: &Code<'a>, shape: &Loop, rounds: i128) {
        let mark = self.state.mark();
        let before = self.unroll_factor;
        self.unroll_factor = before.saturating_mul(rounds.max(1) as u64);
        let mut exits = Vec::new();
        for round in 0.. {
            let truth = self.test(code, shape.condition);
            if !self.state.reachable {
                break;
            }
            if truth != Some(true) {
                exits.push(self.state.capture(mark));
            }
            if truth == Some(false) {
                self.state.reachable = false;
                break;
            }
            if round > 2 * MOST_ROUNDS || self.spent(0) {
                self.forget_all("a loop without an end");
                break;
            }
            self.context.push(round as u32);
            self.push_breakable(mark, true);
            self.exec_scoped(code, shape.body);
            self.next_round(code, shape, false);
            self.context.pop();
            exits.extend(self.pop_breakable().map(|b| b.breaks).unwrap_or_default());
            if !self.state.reachable {
                break;
            }
        }
        self.unroll_factor = before;
        for delta in exits {
            self.state.merge(mark, delta);
        }
    }

    /// Follows a loop whose rounds are not known: `round` goes once from its head to its head and
    /// gives what leaves it at the test, as seen from the head.
    fn fixpoint(&mut self, mut round: impl FnMut(&mut Self) -> Option<Delta>) {
        if self.flat {
            self.forget_all("a loop of a host that is too large to be followed");
        }
        self.loop_depth += 1;
        let noted = self.visits.len();
        for pass in 0..=MOST_PASSES {
            self.visits.truncate(noted);
            let mark = self.state.mark();
            self.push_breakable(mark, true);
            let exit = round(self);
            let breaks = self.pop_breakable().map(|b| b.breaks).unwrap_or_default();
            let (back, returns_to_head) = self.take_back(mark);
            let stable = self.flat || !returns_to_head || !self.widen(&back, pass);
            if stable || pass == MOST_PASSES {
                self.state.reachable = false;
                let mark = self.state.mark();
                for delta in exit.into_iter().chain(breaks) {
                    self.state.merge(mark, delta);
                }
                break;
            }
        }
        self.loop_depth -= 1;
    }

    /// Makes the state at a loop's head hold for another round too; true if it had to be changed.
    fn widen(&mut self, back: &Delta, pass: u32) -> bool {
        let mut changed = false;
        for (place, end) in back {
            let head = self.state.get(place);
            let end = match end {
                Some(end) => end.clone(),
                None => continue,
            };
            let next = widened(&head, &end, pass);
            if next != head {
                self.state.set(place, next);
                changed = true;
            }
        }
        changed
    }

    fn range_for(&mut self, code: &Code<'a>, variable: &Variable, range: ExprId, body: StmtId) {
        let place = self.reference(code, range);
        let element = match (&place, variable.ty.reference && !variable.ty.is_const) {
            (Some(place), true) => {
                self.set_unknown(place, "changed by a loop over its elements");
                Val::unknown("an element in a loop")
            }
            (Some(place), false) => self.any_element(place),
            (None, _) => Val::unknown("an element in a loop"),
        };
        let code = code.clone();
        self.fixpoint(|s| {
            let exit = Some(Delta::new());
            s.scoped(|s| {
                let var = s.declare(&code, variable, false);
                s.state.set(&Place::var(var), Val::Unset);
                s.assign(&Place::var(var), element.clone());
                s.exec(&code, body);
            });
            let taken = s.frame().and_then(|f| f.breakables.last_mut());
            if let Some(breakable) = taken {
                let mark = breakable.mark;
                for delta in std::mem::take(&mut breakable.continues) {
                    s.state.merge(mark, delta);
                }
            }
            exit
        });
    }

    /// Forgets all values.
    pub(super) fn forget_all(&mut self, reason: &str) {
        for place in self.state.places() {
            let constant = match place.root {
                crate::state::Root::Var(var) => {
                    let ty = &self.vars[var.0 as usize].ty;
                    ty.is_const
                }
                crate::state::Root::Object(_) => false,
            };
            if !constant {
                self.state.set(&place, Val::unknown(reason));
            }
        }
        self.state.reachable = true;
    }

    /// Forgets the variables of these names.
    pub(super) fn forget_names(&mut self, code: &Code<'a>, names: &[String]) {
        for name in names {
            if let Some(place) = self.variable(code, name) {
                self.set_unknown(&place, "code that fpgacc does not understand uses it");
            }
        }
    }
}

/// The value at a loop's head, given that at its end.
fn widened(head: &Val, end: &Val, pass: u32) -> Val {
    let joined = head.join(end);
    if joined == *head {
        return joined;
    }
    let numeric = |v: &Val| {
        v.alternatives().iter().any(|v| {
            matches!(
                v,
                Val::Int(..) | Val::Float(_) | Val::Double(_) | Val::Sym(_)
            )
        })
    };
    if let (Val::Text(before), Val::Text(after)) = (head, end) {
        // A text that grows by pieces of one file.
        let mut grown = (**before).clone();
        grown.append(after);
        if before.pieces.is_empty() || grown == **after {
            return end.clone();
        }
        return Val::unknown("a string that changes in a loop");
    }
    let first = pass == 0 && matches!(head, Val::Unset) && !matches!(end, Val::Sym(_));
    if pass >= 3 || (numeric(&joined) && !first) {
        return Val::unknown("changes in a loop");
    }
    joined
}

/// Whether a statement has a label inside that a `goto` may name.
fn has_label(ast: &Ast, stmt: StmtId) -> bool {
    match &ast.stmt(stmt).kind {
        StmtKind::Label(_) => true,
        StmtKind::Block(stmts) => stmts.iter().any(|&s| has_label(ast, s)),
        StmtKind::If {
            then, otherwise, ..
        } => has_label(ast, *then) || otherwise.is_some_and(|o| has_label(ast, o)),
        StmtKind::Loop(shape) => has_label(ast, shape.body),
        StmtKind::Switch { body, .. } => has_label(ast, *body),
        _ => false,
    }
}

/// Labels that a `goto` behind them jumps back to.
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
                stack.extend(handlers.iter().rev());
                stack.push(*body);
            }
            _ => {}
        }
    }
    backward
}
