//! Lambdas: what they capture, and calls of them.

use std::rc::Rc;

use super::code::Arg;
use super::scope::{Binding, Name};
use super::{Code, FnId, Interp, MAX_CALLS, VarInfo};
use crate::place::{Place, VarId};
use crate::state::Delta;
use crate::syntax::ast::{ExprId, Lambda, Type};
use crate::types::Kind;
use crate::value::{Closure, Val};

impl<'a> Interp<'a> {
    /// A variable that the host does not name.
    pub(super) fn hidden(&mut self, ty: Type, host: usize) -> VarId {
        let var = self.new_var(VarInfo {
            name: Rc::from("<value>"),
            function: Rc::from(""),
            ty,
            dims: Vec::new(),
            kind: Kind::Other,
            host,
            lasting: false,
        });
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
        let mut captures: Vec<(Rc<str>, Place)> = Vec::new();
        for capture in &lambda.captures {
            let name: Rc<str> = Rc::from(capture.name.as_str());
            let place = match (capture.init, capture.reference) {
                (Some(init), false) => {
                    let value = self.eval(code, init);
                    self.captured(code, None, value)
                }
                (Some(init), true) => match self.reference(code, init) {
                    Some(place) => place,
                    None => continue,
                },
                (None, by_reference) => match self.local(&name) {
                    Some(place) if by_reference => place,
                    Some(place) => self.captured_copy(code, &place),
                    None => continue,
                },
            };
            captures.push((name, place));
        }
        for name in &lambda.names {
            if captures.iter().any(|(known, _)| **known == **name) {
                continue;
            }
            let Some(place) = self.local(name) else {
                continue;
            };
            let place = match lambda.by_value {
                true => self.captured_copy(code, &place),
                false => place,
            };
            captures.push((Rc::from(name.as_str()), place));
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
    fn local(&self, name: &str) -> Option<Place> {
        let scopes = self.walk.frames.last()?.scopes.iter().rev();
        let name = Name::of(name);
        let found = scopes.filter_map(|scope| scope.get(name)).next()?;
        match found {
            Binding::Var(var) => Some(Place::var(*var)),
            Binding::Alias(place) => Some(place.clone()),
            Binding::Lost => None,
        }
    }

    fn captured_copy(&mut self, code: &Code<'a>, place: &Place) -> Place {
        if self.is_array(place) {
            return place.clone();
        }
        let ty = self.whole_type(place);
        let value = self.read(place);
        self.captured(code, ty, value)
    }

    fn captured(&mut self, code: &Code<'a>, ty: Option<(Type, usize)>, value: Val) -> Place {
        let ty = ty.or_else(|| self.value_type(&value));
        let (mut ty, host) = ty.unwrap_or((Type::default(), code.host));
        ty.reference = false;
        let copy = Place::var(self.hidden(ty, host));
        self.state.set(&copy, Val::Unset);
        self.assign(&copy, value);
        copy
    }

    /// The type of a struct or container that is copied.
    pub(super) fn value_type(&self, value: &Val) -> Option<(Type, usize)> {
        match value {
            Val::Record(place) => self.whole_type(place),
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
        for (name, place) in &closure.captures {
            self.bind(name, Binding::Alias(place.clone()));
        }
    }

    pub(super) fn escape_captures(&mut self, closure: &Closure) {
        for (_, place) in &closure.captures {
            self.escape_value(&Val::Pointer(place.clone()));
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
        let changes = self.try_closure(code, id, closure);
        for (place, _) in changes.sorted() {
            if self.state.own(place).is_some() {
                self.set_unknown(place, "a lambda that is passed as an argument changes it");
            }
        }
        let mark = self.state.mark();
        let changes = self.try_closure(code, id, closure);
        self.state.merge(mark, changes);
    }

    /// What a call of a lambda with arguments that are not known changes; the call is taken back.
    fn try_closure(&mut self, code: &Code<'a>, id: ExprId, closure: &Closure) -> Delta {
        let callee = Self::closure_id(closure);
        let function = self.program.function(callee);
        let callee_code = self.program.file_code(callee.host, callee.part);
        let mark = self.state.mark();
        self.walk
            .context
            .push(code.site(code.ast().expr(id).span).start);
        self.enter_closure(closure);
        for param in &function.params {
            let reason = format!("parameter `{}` of a lambda", param.name);
            match param.ty.reference {
                true => self.bind(&param.name, Binding::Lost),
                false => {
                    let var = self.declare(&callee_code, param, false);
                    self.set_unknown(&Place::var(var), &reason);
                }
            }
        }
        self.run_body(&callee_code, function);
        self.walk.context.pop();
        self.take_back(mark).0
    }
}
