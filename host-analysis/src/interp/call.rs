//! Calls: of functions in the given files, which are followed, and of all others.

use super::code::Arg;
use super::error_checks::ErrorCheck;
use super::functions;
use super::lvalue::Target;
use super::not_followed::{is_callable, is_nothing};
use super::opencl_free::Summary;
use super::scope::Binding;
use super::threads::Given;
use super::variadic::promoted;
use super::{Code, FnId, Interp, MAX_CALLS};
use crate::location::{MemoryLocation, Root};
use crate::object::ObjectKind;
use crate::syntax::ast::{BinaryOp, ExprId, ExprKind, Function, Type, Variable};
use crate::types::{Kind, class_name, last_name};
use crate::value::Val;

/// How a parameter gets its argument.
#[derive(Clone)]
pub(super) enum Passed {
    Value(Val),
    Reference(Option<MemoryLocation>),
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
                if let Some(value) = self.variadic(code, name, args) {
                    return value;
                }
                if let Some((index, site)) = self.macro_of(code, callee, name)
                    && self.program.hosts[code.host]
                        .macros
                        .get(index)
                        .params
                        .is_some()
                {
                    return self.run_macro(code, index, Some(args), site);
                }
                let args = self.spread(code, args);
                if let Some((inner_code, inner)) = self.macro_expression(code, callee, name) {
                    let inner = inner_code.ast().skip_parens(inner);
                    if let ExprKind::Name(name) = &inner_code.clone().ast().expr(inner).kind {
                        return self.call_name(code, id, name, &args);
                    }
                }
                self.call_name(code, id, name, &args)
            }
            ExprKind::Member { base, name, arrow } => {
                let args = self.spread(code, args);
                let name = name.strip_prefix("template ").unwrap_or(name);
                self.method(code, id, *base, name, *arrow, &args)
            }
            _ => {
                let args = self.spread(code, args);
                let value = match self.named_object(code, callee) {
                    (Target::Location(location), Val::Record(_)) => Val::Record(location),
                    (_, value) => value,
                };
                self.call_value(code, id, value, &args)
            }
        }
    }

    fn call_name(&mut self, code: &Code<'a>, id: ExprId, name: &str, args: &[Arg<'a>]) -> Val {
        if let Some(binding) = self.binding(code, name) {
            let value = match binding {
                Binding::Var(var) => self.read(&MemoryLocation::var(var)),
                Binding::Alias(location) => self.read(&location),
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
            Val::Record(location) if self.own_operator(&location, "operator()").is_some() => {
                let found = self.own_operator(&location, "operator()");
                let methods: Vec<FnId> = found.into_iter().collect();
                self.any_method(code, id, &methods, &location, args)
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
        // Not the method that hides it.
        if (name.starts_with("cl::CommandQueue::") || name.starts_with("cl::Kernel::"))
            && let Some(value) = self.wrapper_function(code, id, name, args)
        {
            return value;
        }
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
        let ty = Type {
            base: name.to_string(),
            ..Type::default()
        };
        if let Kind::Record(_) | Kind::Container(_) = self.program.kind(code.host, &ty) {
            return self.object_of(code, id, &ty, args);
        }
        if let [(arg_code, arg)] = args
            && self.program.types[code.host].is_type(name)
        {
            let value = self.eval(arg_code, *arg);
            return self.cast(code, &ty, value);
        }
        if functions::is_opencl(name) {
            self.memo.note_opencl();
            return self.opencl(code, id, name, args);
        }
        if functions::returns_again(name) {
            self.havoc_all("longjmp may come back here with other values");
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
        if functions::finds_by_name(name)
            && let Some(found) = self.found_by_name(args)
        {
            return found;
        }
        self.unknown_call(code, id, Some(name), args)
    }

    /// OpenCL's function that a program asks for by its name: `dlsym(library, "clCreateKernel")`. Nothing
    /// happens if it is another one.
    fn found_by_name(&mut self, args: &[Arg<'a>]) -> Option<Val> {
        let mark = self.state.mark();
        let values = self.values(args);
        let name = values.get(1).and_then(|name| self.chars_of(name));
        let name = name.filter(|name| functions::is_opencl(name));
        if name.is_none() {
            self.state.rollback(mark);
        }
        name.map(|name| Val::Function(name.into()))
    }

    /// Whether a name that is called may be a function, a method only within its class or by its class's name.
    /// `N::Class(..)` makes an object: nobody calls its constructor.
    pub(super) fn may_mean(&self, host: usize, name: &str, function: &Function) -> bool {
        let qualifier = name.rsplit_once("::").map(|(qualifier, _)| qualifier);
        if qualifier.is_some_and(is_of_library) && !is_of_library(&function.name) {
            return false;
        }
        let inside = self.walk.frames.last().and_then(|f| f.class.as_ref());
        match (&function.class, qualifier) {
            (None, _) => true,
            (Some(class), _) if class_name(class) == last_name(&function.name) => false,
            // `Platform::get` in a class that has a method `get`.
            (Some(class), Some(of)) => {
                class_name(class) == class_name(of)
                    || self.program.types[host].wrapper(of).is_none()
            }
            (class, None) => class.as_ref() == inside,
        }
    }

    /// The function that a call means, if there is just one.
    pub(super) fn find_function(&self, code: &Code<'a>, name: &str, count: usize) -> Option<FnId> {
        let candidates = self.program.functions.get(name).or_else(|| {
            let (name, _) = name.split_once('<').unwrap_or((name, ""));
            self.program.functions.get(last_name(name))
        })?;
        let meant = |id: &FnId| {
            let f = self.program.function(*id);
            let visible = !f.is_static || id.host == code.host;
            let own = self.may_mean(code.host, name, f);
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
        this: Option<MemoryLocation>,
        args: &[Arg<'a>],
    ) -> Val {
        let function = self.program.function(callee);
        let recursive = self.is_recursive(callee, args.len());
        let is_left = self.budget.flat || recursive || self.walk.frames.len() >= MAX_CALLS;
        if is_left && !recursive {
            // It may have been followed elsewhere, from other arguments.
            self.trace.unfollowed.insert(callee);
        }
        if is_left || this.is_none() && self.is_tedious(callee) {
            // Another call of what is followed may stand elsewhere.
            self.memo.invalidate();
            if let Some(this) = &this {
                self.escape_value(&Val::Pointer(this.clone()));
            }
            return self.not_followed(code, id, &[callee], args);
        }
        if this.is_none()
            && !function.params.iter().any(|p| p.ty.reference)
            && let Some(summary) = self.opencl_free_function(code, &function.name)
        {
            let result = self.summed_up(code, id, callee, args, &summary);
            self.returns_unknown(code, id, callee);
            return result;
        }
        if this.is_none()
            && args.len() == function.params.len()
            && let Some(error_check) = self.error_check(callee)
        {
            return self.report(code, id, callee, &error_check, args);
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
        error_check: &ErrorCheck,
        args: &[Arg<'a>],
    ) -> Val {
        let values = self.values(args);
        if !self.state.reachable {
            return Val::Unset;
        }
        let observed = error_check.observed(&values);
        let known = observed
            .as_ref()
            .and_then(|observed| self.reported(callee, error_check, observed));
        if let Some(returns) = known {
            self.state.reachable = returns;
            return Val::Unset;
        }
        let passed = values.into_iter().map(Passed::Value).collect();
        let result = self.follow(code, id, callee, None, passed);
        if let Some(observed) = observed {
            self.note_outcome(callee, observed, self.state.reachable);
        }
        result
    }

    /// What a function's parameters get.
    pub(super) fn pass(&mut self, function: &'a Function, args: &[Arg<'a>]) -> Vec<Passed> {
        let pack = function.pack().map(|(_, pack)| pack);
        let count = match pack {
            Some(_) => function.params.len() - 1,
            None => function.params.len(),
        };
        let mut passed = Vec::new();
        for (param, arg) in function.params[..count].iter().zip(args) {
            passed.push(self.pass_one(param, arg));
        }
        for arg in args.iter().skip(count) {
            passed.push(match pack {
                Some(pack) => self.pass_one(pack, arg),
                None => {
                    let value = self.eval(&arg.0, arg.1);
                    Passed::Value(promoted(&value))
                }
            });
        }
        passed
    }

    /// What a parameter gets.
    fn pass_one(&mut self, param: &Variable, (arg_code, arg): &Arg<'a>) -> Passed {
        if let Some(made) = self.made_of_braces(arg_code, *arg, &param.ty) {
            return match param.ty.reference {
                true => Passed::Reference(Some(made)),
                false => Passed::Value(self.read(&made)),
            };
        }
        if !param.ty.reference || is_number(arg_code, *arg) || is_lambda(arg_code, *arg) {
            return Passed::Value(self.eval(arg_code, *arg));
        }
        match self.plain_target(arg_code, *arg) {
            Target::Location(location) if !self.makes_string(arg_code, &param.ty, &location) => {
                Passed::Reference(Some(location))
            }
            _ if param.ty.is_const => Passed::Value(self.eval(arg_code, *arg)),
            _ => Passed::Reference(None),
        }
    }

    /// The container or object that a parameter's type makes of values in braces.
    fn made_of_braces(
        &mut self,
        code: &Code<'a>,
        arg: ExprId,
        param: &Type,
    ) -> Option<MemoryLocation> {
        let tree = code.clone();
        let is_list = matches!(tree.ast().expr(arg).kind, ExprKind::InitList(_));
        if !is_list || param.reference && !param.is_const {
            return None;
        }
        let ty = Type {
            reference: false,
            ..param.clone()
        };
        match self.program.kind(code.host, &ty) {
            Kind::Container(_) | Kind::Record(_) => {}
            _ => return None,
        }
        let location = self.unnamed(code, arg, &ty);
        self.initialise(code, &location, arg);
        Some(location)
    }

    /// Whether what is passed by reference is a new `std::string`, made of characters.
    fn makes_string(&self, code: &Code<'a>, param: &Type, from: &MemoryLocation) -> bool {
        param.is_const
            && self.program.kind(code.host, param) == Kind::String
            && matches!(self.sort_of(from), (true, _) | (_, Some(Kind::Pointer)))
    }

    /// Follows a function whose arguments are known, or repeats what it did before.
    fn follow(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        callee: FnId,
        this: Option<MemoryLocation>,
        passed: Vec<Passed>,
    ) -> Val {
        if !self.state.reachable {
            return Val::Unset;
        }
        let mut record = None;
        if self.takes_long(callee)
            && !self.program.function(callee).result.reference
            && passed.len() >= self.program.function(callee).params.len()
            && let Some(values) = passed.iter().map(Passed::value).collect()
        {
            let call = self.call_of(callee, &this, values);
            if let Some(result) = self.memoised(&call) {
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
        let says_types = says_template_arguments(code, id);
        for (index, param) in function.params.iter().enumerate() {
            let param = &match says_types {
                true => without_deduction(param),
                false => param.clone(),
            };
            if param.ty.is_pack {
                self.bind_pack(&callee_code, param, passed.by_ref());
                continue;
            }
            match passed.next() {
                Some(Passed::Reference(location)) => {
                    let binding = location.map_or(Binding::Lost, Binding::Alias);
                    self.bind(&param.name, binding);
                }
                Some(Passed::Value(value)) => self.bind_value(&callee_code, param, value),
                None => {
                    let var = self.declare(&callee_code, param, false);
                    self.state.set(&MemoryLocation::var(var), Val::Unset);
                    let default = declared.and_then(|(part, params)| {
                        let init = params.get(index)?.init?;
                        Some((self.program.file_code(code.host, part), init))
                    });
                    if let Some(init) = param.init {
                        self.initialise(&callee_code, &MemoryLocation::var(var), init);
                    } else if let Some((declared_code, init)) = default {
                        self.initialise(&declared_code, &MemoryLocation::var(var), init);
                    }
                }
            }
        }
        let variadic = passed.filter_map(|one| one.value()).collect();
        if let Some(frame) = self.frame() {
            frame.variadic = variadic;
        }
        let result = self.run_body(&callee_code, function);
        self.walk.context.pop();
        let places = std::mem::take(&mut self.walk.left);
        if function.result.reference {
            self.returns(code, id, &places);
        }
        result
    }

    /// Declares a parameter with its value.
    pub(super) fn bind_value(&mut self, code: &Code<'a>, param: &Variable, value: Val) {
        let var = self.declare(code, param, false);
        self.adopt_type(var, &value);
        self.state.set(&MemoryLocation::var(var), Val::Unset);
        self.assign(&MemoryLocation::var(var), value);
    }

    /// A function that only computes: what it may change is havocked.
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
            self.havoc_root(*root, &reason);
        }
        if summary.outside {
            for value in &values {
                self.escape_value(value);
            }
        }
        self.havoc_from(values, roots, &reason);
        self.havoc_escaped(&reason);
        if summary.outside {
            self.outside(&reason);
        }
        let text = self.source_text(code, id);
        self.unnamed_atom(text, reason)
    }

    /// A new location in dynamic memory.
    pub(super) fn heap(&mut self, site: fpgacc_frontend::source::Span) -> MemoryLocation {
        let summary = self.walk.loop_depth > 0;
        let (id, _) = self
            .objects
            .make(site, &self.walk.context, summary, ObjectKind::Heap);
        MemoryLocation::object(id)
    }

    /// The constructor of a variable.
    pub(super) fn construct(
        &mut self,
        code: &Code<'a>,
        location: &MemoryLocation,
        args: &[ExprId],
    ) {
        let args = self.spread(code, args);
        self.construct_with(location, &args);
    }

    /// The same with arguments of any location.
    pub(super) fn construct_with(&mut self, location: &MemoryLocation, args: &[Arg<'a>]) {
        match self.kind_of(location) {
            Some(Kind::Num(_) | Kind::Pointer) if args.len() == 1 => {
                let value = self.eval(&args[0].0, args[0].1);
                self.assign(location, value);
            }
            Some(Kind::String | Kind::FileStream | Kind::StringStream) => {
                self.construct_text(location, args);
            }
            Some(Kind::Pointer) if args.len() == 2 => self.construct_owner(location, args),
            Some(Kind::Container(_)) => self.construct_container(location, args),
            Some(Kind::Wrapper(wrapper)) => self.construct_wrapper(location, wrapper, args),
            Some(Kind::Record(class)) => {
                let code = match args.first() {
                    Some((code, _)) => code.clone(),
                    None => {
                        return self.set_unknown(location, "a constructor that is not followed");
                    }
                };
                self.construct_record(&code, location, &class, args);
            }
            _ => {
                // A class that is not given may keep what it gets, and call it: `std::thread`.
                let values = self.values(args);
                let functions: Vec<Val> =
                    values.iter().flat_map(|v| self.functions_in(v)).collect();
                let class = self.type_of(location).map(|(ty, ..)| ty.base.clone());
                if functions::first_passed(class.as_deref()).is_none() {
                    for value in &values {
                        self.escape_value(value);
                    }
                }
                if let Some((code, id)) = args.first() {
                    let given = Given::to(class.as_deref(), &values, &functions);
                    self.at_any_time(code, *id, &given);
                }
                self.set_unknown(location, "a constructor that is not followed");
            }
        }
    }

    /// A pointer that owns what it points to, and what is called when nobody needs that any more.
    fn construct_owner(&mut self, location: &MemoryLocation, args: &[Arg<'a>]) {
        let values = self.values(args);
        let ([pointer, deleter], [(code, id), ..]) = (&values[..], args) else {
            return self.set_unknown(location, "a constructor that is not followed");
        };
        if !self.only_deletes(code, *id, deleter, pointer) {
            let functions = self.functions_in(deleter);
            self.escape_value(deleter);
            self.escape_value(pointer);
            self.at_any_time(code, *id, &Given::to(None, &values, &functions));
        }
        self.assign(location, pointer.clone());
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

/// Whether a call says what the parameters of a template are: `set<float>(x)`.
fn says_template_arguments(code: &Code<'_>, id: ExprId) -> bool {
    let ast = code.ast();
    let ExprKind::Call { callee, .. } = &ast.expr(id).kind else {
        return false;
    };
    match &ast.expr(ast.skip_parens(*callee)).kind {
        ExprKind::Name(name) | ExprKind::Member { name, .. } => name.contains('<'),
        _ => false,
    }
}

/// A parameter whose argument does not say its type.
fn without_deduction(param: &Variable) -> Variable {
    let mut param = param.clone();
    if param.ty.base == "auto" {
        param.ty.base = "<template>".to_string();
    }
    param
}

/// Whether a name is one of OpenCL's C++ bindings or of the standard library, by its namespace.
fn is_of_library(name: &str) -> bool {
    let name = name.strip_prefix("::").unwrap_or(name);
    let first = name.split_once("::").map_or(name, |(first, _)| first);
    matches!(first, "cl" | "std")
}

/// Whether an expression is a lambda: a reference to it is one to an object without a name.
fn is_lambda(code: &Code<'_>, id: ExprId) -> bool {
    let ast = code.ast();
    matches!(ast.expr(ast.skip_parens(id)).kind, ExprKind::Lambda(_))
}

/// Whether an expression is a number that no variable holds: a reference to it is one to a copy.
fn is_number(code: &Code<'_>, id: ExprId) -> bool {
    let ast = code.ast();
    match &ast.expr(ast.skip_parens(id)).kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Char(_) | ExprKind::Bool(_) => true,
        ExprKind::Binary(op, a, b) if *op != BinaryOp::Shl && *op != BinaryOp::Shr => {
            is_number(code, *a) || is_number(code, *b)
        }
        _ => false,
    }
}
