//! Lambdas: what they capture, and calls of them.

use std::rc::Rc;

use super::code::Arg;
use super::scope::{Binding, Name};
use super::{Code, FnId, Interp, MAX_CALLS, VarInfo};
use crate::location::{MemoryLocation, Root, VarId};
use crate::state::Delta;
use crate::syntax::ast::{ExprId, Lambda, Type};
use crate::value::{Closure, Val};

impl<'a> Interp<'a> {
    /// A variable that the host does not name.
    pub(super) fn hidden(&mut self, ty: Type, host: usize) -> VarId {
        let var = self.new_var(VarInfo::unnamed(ty, host));
        if let Some(frame) = self.frame() {
            frame.own.push(var);
        }
        self.memo.note_declared(var);
        var
    }

    /// The value of a lambda expression.
    pub(super) fn closure(&mut self, code: &Code<'a>, lambda: &Lambda) -> Val {
        if code.env.is_some() {
            // The functions of macros have no names.
            self.havoc_names(code, &lambda.names);
            return Val::unknown("a lambda in a macro");
        }
        let mut captures: Vec<(Rc<str>, MemoryLocation)> = Vec::new();
        for capture in &lambda.captures {
            let name: Rc<str> = Rc::from(capture.name.as_str());
            let location = match (capture.init, capture.reference) {
                (Some(init), false) => {
                    let value = self.eval(code, init);
                    self.captured(code, None, value)
                }
                (Some(init), true) => match self.reference(code, init) {
                    Some(location) => location,
                    None => continue,
                },
                (None, by_reference) => match self.local(&name) {
                    Some(location) if by_reference => location,
                    Some(location) => self.captured_copy(code, &location),
                    None => continue,
                },
            };
            captures.push((name, location));
        }
        for name in &lambda.names {
            if captures.iter().any(|(known, _)| **known == **name) {
                continue;
            }
            let Some(location) = self.local(name) else {
                continue;
            };
            let location = match lambda.by_value {
                true => self.captured_copy(code, &location),
                false => location,
            };
            captures.push((Rc::from(name.as_str()), location));
        }
        let frame = self.walk.frames.last();
        Val::Closure(Rc::new(Closure {
            function: (code.host, code.part, lambda.function),
            captures,
            this: frame.and_then(|f| f.this.clone()),
            class: frame.and_then(|f| f.class.as_deref().map(Rc::from)),
        }))
    }

    /// What a name of the function that is followed stands for.
    fn local(&self, name: &str) -> Option<MemoryLocation> {
        let scopes = self.walk.frames.last()?.scopes.iter().rev();
        let name = Name::of(name);
        let found = scopes.filter_map(|scope| scope.get(name)).next()?;
        match found {
            Binding::Var(var) => Some(MemoryLocation::var(*var)),
            Binding::Alias(location) => Some(location.clone()),
            Binding::Lost => None,
        }
    }

    fn captured_copy(&mut self, code: &Code<'a>, location: &MemoryLocation) -> MemoryLocation {
        if self.is_array(location) {
            return location.clone();
        }
        let ty = self.whole_type(location);
        let value = self.read(location);
        self.captured(code, ty, value)
    }

    fn captured(
        &mut self,
        code: &Code<'a>,
        ty: Option<(Type, usize)>,
        value: Val,
    ) -> MemoryLocation {
        let ty = ty.or_else(|| self.value_type(&value));
        let (mut ty, host) = ty.unwrap_or((Type::default(), code.host));
        ty.reference = false;
        let copy = MemoryLocation::var(self.hidden(ty, host));
        self.state.set(&copy, Val::Unset);
        self.assign(&copy, value);
        copy
    }

    /// The type of a struct or container that is copied.
    pub(super) fn value_type(&self, value: &Val) -> Option<(Type, usize)> {
        match value {
            Val::Record(location) => self.whole_type(location),
            _ => None,
        }
    }

    fn closure_id(closure: &Closure) -> FnId {
        let (host, part, index) = closure.function;
        FnId { host, part, index }
    }

    /// Calls a lambda.
    pub(super) fn call_closure(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        closure: &Closure,
        args: &[Arg<'a>],
    ) -> Val {
        let callee = Self::closure_id(closure);
        let function = self.program.function(callee);
        let recursive = self.walk.frames.iter().any(|f| f.fn_id == callee);
        if self.budget.flat || recursive || self.walk.frames.len() >= MAX_CALLS {
            self.escape_captures(closure);
            self.closure_may_be_called(closure);
            return self.not_followed(code, id, &[callee], args);
        }
        let passed = self.pass(function, args);
        self.follow_with(code, id, callee, passed, |s| s.enter_closure(closure))
    }

    fn enter_closure(&mut self, closure: &Closure) {
        self.enter(Self::closure_id(closure), closure.this.clone(), false);
        if let Some(frame) = self.frame() {
            frame.class = closure.class.as_deref().map(str::to_string);
        }
        for (name, location) in &closure.captures {
            self.bind(name, Binding::Alias(location.clone()));
        }
    }

    pub(super) fn escape_captures(&mut self, closure: &Closure) {
        for (_, location) in &closure.captures {
            self.escape_value(&Val::Pointer(location.clone()));
        }
        if let Some(this) = &closure.this {
            self.escape_value(&Val::Pointer(this.clone()));
        }
    }

    /// A lambda is passed to a function that is not given: it may be called any number of times,
    /// now or later.
    pub(super) fn closure_called_back(&mut self, code: &Code<'a>, id: ExprId, closure: &Closure) {
        self.escape_captures(closure);
        let callee = Self::closure_id(closure);
        let busy = self.walk.frames.iter().any(|f| f.fn_id == callee);
        if self.budget.flat || busy || self.walk.frames.len() >= MAX_CALLS {
            let reason = "a lambda that is passed as an argument may change it";
            self.closure_may_be_called(closure);
            self.havoc_escaped(reason);
            return self.havoc_lasting(reason);
        }
        // What it changes is not known from its second call on.
        let changes = self.try_closure(code, id, closure, &[]);
        for (location, _) in changes.sorted() {
            if self.state.own(location).is_some() {
                self.set_unknown(
                    location,
                    "a lambda that is passed as an argument changes it",
                );
            }
        }
        let mark = self.state.mark();
        let changes = self.try_closure(code, id, closure, &[]);
        self.state.merge(mark, changes);
    }

    /// Whether a lambda that is called with a pointer when nobody needs any more what it points to changes nothing
    /// else, as deleters do that release handles.
    pub(super) fn only_deletes(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        deleter: &Val,
        pointer: &Val,
    ) -> bool {
        let (Val::Closure(closure), Val::Pointer(owned)) = (deleter, pointer) else {
            return false;
        };
        let callee = Self::closure_id(closure);
        let busy = self.walk.frames.iter().any(|f| f.fn_id == callee);
        if self.budget.flat || busy || self.walk.frames.len() >= MAX_CALLS {
            return false;
        }
        let launches = self.trace.visits.len();
        let changes = self.try_closure(code, id, closure, std::slice::from_ref(pointer));
        let is_kept = |location: &&MemoryLocation| match location.root {
            Root::Var(var) => {
                self.variables.info(var).lasting || self.state.is_known(location.root)
            }
            Root::Object(_) => true,
        };
        let mut kept = changes.locations().filter(is_kept);
        self.trace.visits.len() == launches && kept.all(|location| location.root == owned.root)
    }

    /// What a call of a lambda changes with these arguments, and others that are not known; the call is taken back.
    fn try_closure(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        closure: &Closure,
        args: &[Val],
    ) -> Delta {
        let callee = Self::closure_id(closure);
        let function = self.program.function(callee);
        let callee_code = self.program.file_code(callee.host, callee.part);
        let mark = self.state.mark();
        self.walk
            .context
            .push(code.site(code.ast().expr(id).span).start);
        self.enter_closure(closure);
        for (index, param) in function.params.iter().enumerate() {
            let reason = format!("parameter `{}` of a lambda", param.name);
            match param.ty.reference {
                true => self.bind(&param.name, Binding::Lost),
                false => {
                    let var = self.declare(&callee_code, param, false);
                    let location = MemoryLocation::var(var);
                    match args.get(index) {
                        Some(value) => self.assign(&location, value.clone()),
                        None => self.set_unknown(&location, &reason),
                    }
                }
            }
        }
        self.run_body(&callee_code, function);
        self.walk.context.pop();
        self.take_back(mark).0
    }
}
