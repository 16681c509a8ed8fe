//! Calls: of functions in the given files, which are followed, and of all others.

use super::code::Arg;
use super::functions;
use super::lvalue::Target;
use super::plain::Summary;
use super::reporters::Reporter;
use super::scope::Binding;
use super::threads::Given;
use super::{Code, FnId, Interp, MAX_CALLS};
use crate::object::ObjectKind;
use crate::place::{ObjectId, Place, Root};
use crate::syntax::ast::{ExprId, ExprKind, Function, Type};
use crate::types::{Kind, last_name};
use crate::value::Val;

/// Times that a function is followed that is called any number of times, before all that it
/// changes is given up.
const MOST_CALLS_BACK: u32 = 3;

/// How a parameter gets its argument.
#[derive(Clone)]
pub(super) enum Passed {
    Value(Val),
    Reference(Option<Place>),
}

impl Passed {
    fn value(&self) -> Option<Val> {
        match self {
            Passed::Value(value) => Some(value.clone()),
            Passed::Reference(_) => None,
        }
    }
}

impl<'a> Interp<'a> {
    /// A call expression.
    pub(super) fn call(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        callee: ExprId,
        args: &[ExprId],
    ) -> Val {
        let tree = code.clone();
        let ast = tree.ast();
        let callee = ast.skip_parens(callee);
        match &ast.expr(callee).kind {
            ExprKind::Name(name) => {
                if let Some((index, site)) = self.macro_of(code, callee, name)
                    && self.program.hosts[code.host]
                        .macros
                        .get(index)
                        .params
                        .is_some()
                {
                    return self.run_macro(code, index, Some(args), site);
                }
                let args = spread(code, args);
                if let Some((inner_code, inner)) = self.macro_expression(code, callee, name) {
                    let inner = inner_code.ast().skip_parens(inner);
                    if let ExprKind::Name(name) = &inner_code.clone().ast().expr(inner).kind {
                        return self.call_name(code, id, name, &args);
                    }
                }
                self.call_name(code, id, name, &args)
            }
            ExprKind::Member { base, name, arrow } => {
                let args = spread(code, args);
                let name = name.strip_prefix("template ").unwrap_or(name);
                self.method(code, id, *base, name, *arrow, &args)
            }
            _ => {
                let args = spread(code, args);
                let value = self.eval(code, callee);
                self.call_value(code, id, value, &args)
            }
        }
    }

    fn call_name(&mut self, code: &Code<'a>, id: ExprId, name: &str, args: &[Arg<'a>]) -> Val {
        if let Some(binding) = self.binding(code, name) {
            let value = match binding {
                Binding::Var(var) => self.read(&Place::var(var)),
                Binding::Alias(place) => self.read(&place),
                Binding::Lost => Val::Unset,
            };
            return self.call_value(code, id, value, args);
        }
        self.call_function(code, id, name, args)
    }

    /// A call of what a value is.
    pub(super) fn call_value(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        value: Val,
        args: &[Arg<'a>],
    ) -> Val {
        match value {
            Val::Function(name) => self.call_function(code, id, &name, args),
            Val::Closure(closure) => self.call_closure(code, id, &closure, args),
            Val::Record(place) if self.own_operator(&place, "operator()").is_some() => {
                let found = self.own_operator(&place, "operator()");
                let methods: Vec<FnId> = found.into_iter().collect();
                self.any_method(code, id, &methods, &place, args)
            }
            Val::OneOf(all) if all.iter().all(is_callable) => {
                let all: Vec<Val> = all.into_iter().filter(|v| !is_nothing(v)).collect();
                self.on_any(&all, |s, one| s.call_value(code, id, one.clone(), args))
            }
            value => match self.call_handle(code, id, &value, args) {
                Some(result) => result,
                None => {
                    self.any_may_be_called(None, args.len());
                    self.unknown_call(code, id, None, args)
                }
            },
        }
    }

    /// A call of the function of this name, whatever variables are called so too.
    fn call_function(&mut self, code: &Code<'a>, id: ExprId, name: &str, args: &[Arg<'a>]) -> Val {
        let name = name.strip_prefix("::").unwrap_or(name);
        if let Some(function) = self.find_function(code, name, args.len()) {
            let this = match self.program.function(function).class {
                Some(_) => self.walk.frames.last().and_then(|f| f.this.clone()),
                None => None,
            };
            if let Some(this) = &this
                && let Some(methods) = self.overriding(function, this, name, args.len())
            {
                return self.any_method(code, id, &methods, &this.clone(), args);
            }
            return self.inline(code, id, function, this, args);
        }
        let overloads = self.overloads(code, name, args);
        match overloads[..] {
            [] => {}
            [only] => return self.inline(code, id, only, None, args),
            _ => return self.one_of(code, id, &overloads, None, args),
        }
        if let ([(arg_code, arg)], true) = (args, self.program.types[code.host].is_type(name)) {
            let value = self.eval(arg_code, *arg);
            let ty = Type {
                base: name.to_string(),
                ..Type::default()
            };
            return self.cast(code, &ty, value);
        }
        if functions::is_opencl(name) {
            self.repeats.note_opencl();
            return self.opencl(code, id, name, args);
        }
        if functions::returns_again(name) {
            self.forget_all("longjmp may come back here with other values");
        }
        if let Some(value) = self.wrapper_function(code, id, name, args) {
            return value;
        }
        if let Some(value) = self.template_function(code, id, name, args) {
            return value;
        }
        if let Some(value) = self.library(code, id, name, args) {
            return value;
        }
        self.unknown_call(code, id, Some(name), args)
    }

    /// The function that a call means, if there is just one.
    pub(super) fn find_function(&self, code: &Code<'a>, name: &str, count: usize) -> Option<FnId> {
        let candidates = self.program.functions.get(name).or_else(|| {
            let (name, _) = name.split_once('<').unwrap_or((name, ""));
            self.program.functions.get(last_name(name))
        })?;
        let inside = self.walk.frames.last().and_then(|f| f.class.as_ref());
        let meant = |id: &FnId| {
            let f = self.program.function(*id);
            let visible = !f.is_static || id.host == code.host;
            let own = f.class.is_none() || f.class.as_ref() == inside || name.contains("::");
            visible && own && self.program.takes(code.host, *id, count)
        };
        let here = |id: &FnId| id.host == code.host && meant(id);
        let is_here = candidates.iter().any(here);
        let mut found = candidates.iter().filter(|id| match is_here {
            true => here(id),
            false => meant(id),
        });

        let first = *found.next()?;
        // A function of a header that several units include is one function.
        let span = self.program.function(first).span;
        found
            .all(|id| self.program.function(*id).span == span)
            .then_some(first)
    }

    /// Follows a function.
    pub(super) fn inline(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        callee: FnId,
        this: Option<Place>,
        args: &[Arg<'a>],
    ) -> Val {
        let function = self.program.function(callee);
        let recursive = self.walk.frames.iter().any(|f| f.fn_id == callee);
        let is_left = self.budget.flat || recursive || self.walk.frames.len() >= MAX_CALLS;
        if is_left && !recursive {
            // It may have been followed elsewhere, from other arguments.
            self.trace.unfollowed.insert(callee);
        }
        if is_left || this.is_none() && self.is_tedious(callee) {
            // Another call of what is followed may stand elsewhere.
            self.repeats.spoil();
            if let Some(this) = &this {
                self.escape_value(&Val::Pointer(this.clone()));
            }
            return self.not_followed(code, id, &[callee], args);
        }
        if this.is_none()
            && !function.params.iter().any(|p| p.ty.reference)
            && let Some(summary) = self.plain_function(code, &function.name)
        {
            return self.summed_up(code, id, callee, args, &summary);
        }
        if this.is_none()
            && args.len() == function.params.len()
            && let Some(reporter) = self.reporter(callee)
        {
            return self.report(code, id, callee, &reporter, args);
        }
        let passed = self.pass(function, args);
        self.follow(code, id, callee, this, passed)
    }

    /// Calls a function that only reports.
    fn report(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        callee: FnId,
        reporter: &Reporter,
        args: &[Arg<'a>],
    ) -> Val {
        let values = self.values(args);
        if !self.state.reachable {
            return Val::Unset;
        }
        let told = reporter.told(&values);
        let known = told
            .as_ref()
            .and_then(|told| self.reported(callee, reporter, told));
        if let Some(returns) = known {
            self.state.reachable = returns;
            return Val::Unset;
        }
        let passed = values.into_iter().map(Passed::Value).collect();
        let result = self.follow(code, id, callee, None, passed);
        if let Some(told) = told {
            self.note_outcome(callee, told, self.state.reachable);
        }
        result
    }

    /// What a function's parameters get.
    pub(super) fn pass(&mut self, function: &'a Function, args: &[Arg<'a>]) -> Vec<Passed> {
        let mut passed = Vec::new();
        for (index, param) in function.params.iter().enumerate() {
            let Some((arg_code, arg)) = args.get(index) else {
                continue;
            };
            passed.push(match param.ty.reference {
                true => match self.plain_target(arg_code, *arg) {
                    Target::Place(place) => Passed::Reference(Some(place)),
                    _ if param.ty.is_const => Passed::Value(self.eval(arg_code, *arg)),
                    _ => Passed::Reference(None),
                },
                false => Passed::Value(self.eval(arg_code, *arg)),
            });
        }
        for (arg_code, arg) in args.iter().skip(function.params.len()) {
            self.eval(arg_code, *arg);
        }
        passed
    }

    /// Follows a function whose arguments are known, or repeats what it did before.
    fn follow(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        callee: FnId,
        this: Option<Place>,
        passed: Vec<Passed>,
    ) -> Val {
        if !self.state.reachable {
            return Val::Unset;
        }
        let mut record = None;
        if self.takes_long(callee)
            && passed.len() == self.program.function(callee).params.len()
            && let Some(values) = passed.iter().map(Passed::value).collect()
        {
            let call = self.call_of(callee, &this, values);
            if let Some(result) = self.repeat(&call) {
                return result;
            }
            record = Some(self.record(call));
        }
        let effort = self.effort();
        let mark = self.state.mark();
        let (again, whose) = (passed.clone(), this.clone());
        let result = self.follow_with(code, id, callee, passed, |s| s.enter(callee, this, false));
        if !self.walk.inner_calls.is_empty() {
            self.follow_again((code, id), callee, whose, again, mark);
        }
        self.note_effort(callee, effort);
        if let Some(record) = record {
            self.keep(record, &result);
        }
        result
    }

    /// Follows a function that is entered in some way, whatever it did before.
    pub(super) fn follow_with(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        callee: FnId,
        passed: Vec<Passed>,
        enter: impl FnOnce(&mut Self),
    ) -> Val {
        if !self.state.reachable {
            return Val::Unset;
        }
        let function = self.program.function(callee);
        let callee_code = self.program.file_code(callee.host, callee.part);
        self.walk
            .context
            .push(code.site(code.ast().expr(id).span).start);
        enter(self);
        let mut passed = passed.into_iter();
        let declared = self.program.declaration_of(code.host, callee);
        for (index, param) in function.params.iter().enumerate() {
            match passed.next() {
                Some(Passed::Reference(place)) => {
                    let binding = place.map_or(Binding::Lost, Binding::Alias);
                    self.bind(&param.name, binding);
                }
                Some(Passed::Value(value)) => {
                    let var = self.declare(&callee_code, param, false);
                    self.adopt_type(var, &value);
                    self.state.set(&Place::var(var), Val::Unset);
                    self.assign(&Place::var(var), value);
                }
                None => {
                    let var = self.declare(&callee_code, param, false);
                    self.state.set(&Place::var(var), Val::Unset);
                    let default = declared.and_then(|(part, params)| {
                        let init = params.get(index)?.init?;
                        Some((self.program.file_code(code.host, part), init))
                    });
                    if let Some(init) = param.init {
                        self.initialise(&callee_code, &Place::var(var), init);
                    } else if let Some((declared_code, init)) = default {
                        self.initialise(&declared_code, &Place::var(var), init);
                    }
                }
            }
        }
        let result = self.run_body(&callee_code, function);
        self.walk.context.pop();
        result
    }

    /// A function that only computes: what it may change is forgotten.
    fn summed_up(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        callee: FnId,
        args: &[Arg<'a>],
        summary: &Summary,
    ) -> Val {
        let function = self.program.function(callee);
        self.seen(function.span);
        let reason = format!("`{}` computes it in loops", function.name);
        let values = self.values(args);
        let callee_code = self.program.file_code(callee.host, callee.part);
        let mut roots = Vec::new();
        for name in &summary.changed {
            // Only names at file scope: others are its own.
            let found = self.variables.global(callee_code.host, name);
            roots.extend(found.map(Root::Var));
        }
        for root in &roots {
            self.forget_root(*root, &reason);
        }
        if summary.outside {
            for value in &values {
                self.escape_value(value);
            }
        }
        self.forget_behind(values, roots, &reason);
        self.forget_escaped(&reason);
        if summary.outside {
            self.outside(&reason);
        }
        let text = self.source_text(code, id);
        self.unnamed_atom(text, reason)
    }

    /// One of several functions is called, when calls are not followed any more.
    pub(super) fn none_followed(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        callees: &[FnId],
        this: Option<Place>,
        args: &[Arg<'a>],
    ) -> Val {
        for &callee in callees {
            if !self.walk.frames.iter().any(|f| f.fn_id == callee) {
                self.trace.unfollowed.insert(callee);
            }
        }
        self.repeats.spoil();
        if let Some(this) = this {
            self.escape_value(&Val::Pointer(this));
        }
        self.not_followed(code, id, callees, args)
    }

    /// Functions of the given files, one of which is called and not followed: what they and all that
    /// they call may change is forgotten.
    pub(super) fn not_followed(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        callees: &[FnId],
        args: &[Arg<'a>],
    ) -> Val {
        let name = callees
            .first()
            .map_or("", |id| &self.program.function(*id).name);
        let reason = format!("the call of `{name}` is not followed");
        let values = self.values(args);
        for &callee in callees {
            self.note_inner_call(callee, values.clone());
        }
        for (index, (arg_code, arg)) in args.iter().enumerate() {
            self.escape_value(&values[index]);
            let is_changed = |callee: &FnId| {
                let param = self.program.function(*callee).params.get(index);
                param.is_none_or(|p| p.ty.reference)
            };
            if callees.iter().any(is_changed)
                && let Target::Place(place) = self.plain_target(arg_code, *arg)
            {
                self.set_unknown(&place, &reason);
            }
        }
        self.forget_escaped(&reason);
        if self.budget.flat {
            self.forget_lasting(&reason);
        } else {
            for &callee in callees {
                self.forget_modified(callee, &reason);
            }
        }
        let text = self.source_text(code, id);
        self.unnamed_atom(text, reason)
    }

    /// Code that is not given may call any function that is: variables that outlive their function
    /// may then hold any value that was ever assigned to them. It may itself assign those that are
    /// declared `extern`.
    pub(super) fn outside(&mut self, reason: &str) {
        self.repeats.spoil();
        if let Some(tried) = self.walk.tries.last_mut() {
            tried.note_outside();
        }
        if self.budget.flat {
            return self.forget_lasting(reason);
        }
        let objects = (0..self.objects.len() as u32).map(|id| Root::Object(ObjectId(id)));
        let lasting = self.variables.lasting.iter().map(|&var| Root::Var(var));
        for root in lasting.chain(objects) {
            if self.state.is_known(root) {
                self.rounds.looked_at.insert(root);
            }
        }
        for root in self.rounds.ever.roots() {
            if !self.state.is_known(root) {
                continue;
            }
            for (place, value) in self.rounds.ever.of(root) {
                let Some(now) = self.state.known(&place) else {
                    continue;
                };
                if *now == *value {
                    continue;
                }
                let joined = now.join(value);
                if joined != *now {
                    self.state.set(&place, joined);
                }
            }
        }
        let shared = self.variables.globals.get(&None).into_iter().flatten();
        let shared: Vec<_> = shared
            .filter(|(name, _)| self.program.shared_names.contains(&***name))
            .map(|(_, var)| *var)
            .collect();
        for &var in &shared {
            // And what they lead to.
            self.escape_value(&Val::Pointer(Place::var(var)));
        }
        if !shared.is_empty() {
            self.forget_escaped(reason);
        }
        for var in shared {
            self.forget_root(Root::Var(var), reason);
        }
    }

    /// All variables that outlive their function, and all memory, may change.
    pub(super) fn forget_lasting(&mut self, reason: &str) {
        let objects = (0..self.objects.len() as u32).map(|id| Root::Object(ObjectId(id)));
        let lasting = self.variables.lasting.iter().map(|&var| Root::Var(var));
        for root in self.state.holding(lasting.chain(objects)) {
            if let Root::Object(id) = root
                && let ObjectKind::Kernel { .. } = self.objects.get(id).kind
            {
                self.forget_args_of(id, reason);
            }
            self.forget_root(root, reason);
        }
    }

    /// A function that is not among the given files.
    pub(super) fn unknown_call(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        name: Option<&str>,
        args: &[Arg<'a>],
    ) -> Val {
        let shown = name.unwrap_or("a function pointer");
        let reason = format!("`{shown}` is not among the given files");
        let library = name.is_some_and(|n| self.program.is_library(code, n));
        let prototype = name.and_then(|n| self.program.prototypes[code.host].get(n).copied());
        // Whether functions that it is given are called by it, and only now.
        let later = name.is_some_and(functions::calls_later);
        let known = name.is_some_and(|n| n.starts_with("std::") || functions::takes_values(n));
        let first_passed = functions::first_passed(name);
        let may_call = !known || name.is_some_and(functions::calls_back);
        let by_value = !self.program.is_cpp(code) || name.is_some_and(functions::takes_values);
        let mut callbacks = Vec::new();
        let mut values: Vec<Val> = Vec::new();
        for (index, (arg_code, arg)) in args.iter().enumerate() {
            let value = self.eval(arg_code, *arg);
            let param = prototype.and_then(|(_, params)| params.get(index));
            match may_call {
                true => callbacks.extend(self.functions_in(&value)),
                false if is_callable(&value) => callbacks.push(value.clone()),
                false => {}
            }
            values.push(value.clone());
            if first_passed.is_some_and(|first| index >= first) {
                continue;
            }
            let reads_only = param.is_some_and(|p| p.ty.pointee_const && p.ty.pointers == 1);
            if !reads_only {
                match library {
                    true => self.forget_pointee(&value, &reason),
                    false => self.escape_value(&value),
                }
            }
            let by_reference = match param {
                Some(param) => param.ty.reference && !param.ty.is_const,
                None => !by_value,
            };
            if by_reference && let Target::Place(place) = self.plain_target(arg_code, *arg) {
                self.set_unknown(&place, &reason);
            }
        }
        let given = Given::to(name, &values, &callbacks);
        match later || library && !known {
            true => self.at_any_time(code, id, &given),
            false => self.called_back(code, id, &given),
        }
        if !library {
            self.forget_escaped(&reason);
            self.outside(&reason);
        }
        let text = self.source_text(code, id);
        self.unnamed_atom(text, reason)
    }

    /// A function whose address is passed away may be called, or not.
    pub(super) fn call_back(&mut self, code: &Code<'a>, id: ExprId, name: &str, args: &[Val]) {
        let Some(&function) = self.program.named(name).first() else {
            return;
        };
        if self.walk.frames.len() >= MAX_CALLS
            || self.walk.frames.iter().any(|f| f.fn_id == function)
        {
            self.repeats.spoil();
            self.trace.unfollowed.insert(function);
            return self.forget_lasting("a function that is passed as a pointer may change it");
        }
        // What it changes it finds changed when it is called again.
        for pass in 0..=MOST_CALLS_BACK {
            let mark = self.state.mark();
            self.run_called_back(code, id, function, args);
            let (delta, reached) = self.take_back(mark);
            let changes = delta.sorted();
            let changes = changes
                .into_iter()
                .filter_map(|(p, v)| Some((p, v.as_ref()?)));
            let is_change = |(place, value): &(&Place, &Val)| {
                let now = self.state.known(place);
                now.is_some_and(|now| now.join(value) != *now)
            };
            let changed: Vec<Place> = changes.filter(is_change).map(|(p, _)| p.clone()).collect();
            let touched: Vec<Root> = delta.sorted().iter().map(|(place, _)| place.root).collect();
            self.exposed.called_back_on.extend(touched);
            if reached {
                self.state.merge(mark, delta);
            }
            if changed.is_empty() || !reached {
                return;
            }
            if pass + 1 == MOST_CALLS_BACK {
                for place in &changed {
                    self.set_unknown(place, "a function that is passed as a pointer changes it");
                }
            }
        }
    }

    /// Follows a function that something else calls, with arguments that are known in part.
    fn run_called_back(&mut self, code: &Code<'a>, id: ExprId, callee: FnId, args: &[Val]) {
        self.walk
            .context
            .push(code.site(code.ast().expr(id).span).start);
        let function = self.program.function(callee);
        // A method gets its object first.
        let (this, args) = match (&function.class, args) {
            (Some(_), [Val::Pointer(this), rest @ ..]) => (Some(this.clone()), rest),
            (Some(_), _) => (None, &[][..]),
            (None, args) => (None, args),
        };
        self.enter(callee, this, false);
        let callee_code = self.program.file_code(callee.host, callee.part);
        for (index, param) in function.params.iter().enumerate() {
            let var = self.declare(&callee_code, param, false);
            let place = Place::var(var);
            if let (Some(value), false) = (args.get(index), param.ty.reference) {
                self.state.set(&place, Val::Unset);
                self.assign(&place, value.clone());
                continue;
            }
            let reason = format!("parameter `{}` of `{}`", param.name, function.name);
            self.set_unknown(&place, &reason);
        }
        self.run_body(&callee_code, function);
        self.walk.context.pop();
    }

    /// What a pointer points to is changed by a function that keeps no pointer.
    pub(super) fn forget_pointee(&mut self, value: &Val, reason: &str) {
        for value in value.alternatives() {
            match value {
                Val::Pointer(place) => {
                    let parent = match place.path.last() {
                        Some(crate::place::Step::Index(_)) => place.parent(),
                        _ => None,
                    };
                    if let Some(array) = parent.filter(|array| self.is_container(array)) {
                        self.forget_elements(&array, reason);
                        continue;
                    }
                    let mut place = place.clone();
                    while let Some(crate::place::Step::Index(_)) = place.path.last() {
                        place.path.pop();
                    }
                    match place.path.is_empty() {
                        true => self.forget_root(place.root, reason),
                        false => self.set_unknown(&place, reason),
                    }
                }
                Val::Into(root) => self.forget_root(*root, reason),
                Val::Record(_) => {}
                _ => {}
            }
        }
    }

    /// A new place in dynamic memory.
    pub(super) fn heap(&mut self, site: fpgacc_frontend::source::Span) -> Place {
        let summary = self.walk.loop_depth > 0;
        let (id, _) = self
            .objects
            .make(site, &self.walk.context, summary, ObjectKind::Heap);
        Place::object(id)
    }

    /// The constructor of a variable.
    pub(super) fn construct(&mut self, code: &Code<'a>, place: &Place, args: &[ExprId]) {
        let args = spread(code, args);
        self.construct_with(place, &args);
    }

    /// The same with arguments of any place.
    pub(super) fn construct_with(&mut self, place: &Place, args: &[Arg<'a>]) {
        match self.kind_of(place) {
            Some(Kind::Num(_) | Kind::Pointer) if args.len() == 1 => {
                let value = self.eval(&args[0].0, args[0].1);
                self.assign(place, value);
            }
            Some(Kind::String | Kind::FileStream | Kind::StringStream) => {
                self.construct_text(place, args);
            }
            Some(Kind::Container(_)) => self.construct_container(place, args),
            Some(Kind::Wrapper(wrapper)) => self.construct_wrapper(place, wrapper, args),
            Some(Kind::Record(class)) => {
                let code = match args.first() {
                    Some((code, _)) => code.clone(),
                    None => return self.set_unknown(place, "a constructor that is not followed"),
                };
                self.construct_record(&code, place, &class, args);
            }
            _ => {
                // A class that is not given may keep what it gets, and call it: `std::thread`.
                let values = self.values(args);
                let functions: Vec<Val> =
                    values.iter().flat_map(|v| self.functions_in(v)).collect();
                let class = self.type_of(place).map(|(ty, ..)| ty.base.clone());
                if functions::first_passed(class.as_deref()).is_none() {
                    for value in &values {
                        self.escape_value(value);
                    }
                }
                if let Some((code, id)) = args.first() {
                    let given = Given::to(class.as_deref(), &values, &functions);
                    self.at_any_time(code, *id, &given);
                }
                self.set_unknown(place, "a constructor that is not followed");
            }
        }
    }

    /// The values of all arguments, in order.
    pub(super) fn values(&mut self, args: &[Arg<'a>]) -> Vec<Val> {
        args.iter()
            .map(|(arg_code, arg)| self.eval(arg_code, *arg))
            .collect()
    }

    /// The result of a call that has no value that is followed.
    pub(super) fn result(&mut self, code: &Code<'a>, id: ExprId, why: &str) -> Val {
        let text = self.source_text(code, id);
        self.unnamed_atom(text, why)
    }
}

/// Whether a call of a value can be followed, or cannot be made at all.
fn is_callable(value: &Val) -> bool {
    matches!(value, Val::Function(_) | Val::Closure(_)) || is_nothing(value)
}

/// Whether a value is a pointer to nothing.
fn is_nothing(value: &Val) -> bool {
    matches!(value, Val::Null | Val::Zero | Val::Unset)
}

/// Arguments with `__VA_ARGS__` replaced by what it stands for.
fn spread<'a>(code: &Code<'a>, args: &[ExprId]) -> Vec<Arg<'a>> {
    let mut all = Vec::new();
    for &arg in args {
        match (&code.ast().expr(arg).kind, &code.env) {
            (ExprKind::Name(name), Some(env)) if name == "__VA_ARGS__" => {
                all.extend(env.rest.iter().cloned());
            }
            _ => all.push((code.clone(), arg)),
        }
    }
    all
}
