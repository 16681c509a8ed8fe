//! Calls of methods of objects: of one that is known, or of one of a few.

use super::code::Arg;
use super::lvalue::Target;
use super::{Code, Interp};
use crate::place::Place;
use crate::syntax::ast::ExprId;
use crate::types::Kind;
use crate::value::Val;

/// Most objects that a call of a method is followed for.
const MOST_OBJECTS: usize = 8;

/// The objects that a value points to, if it surely points to one of them.
fn objects(value: &Val) -> Vec<Place> {
    let mut places = Vec::new();
    for value in value.alternatives() {
        match value {
            Val::Pointer(place) => places.push(place.clone()),
            // There is no object to call a method of.
            Val::Null | Val::Zero | Val::Unset => {}
            _ => return Vec::new(),
        }
    }
    match places.len() <= MOST_OBJECTS {
        true => places,
        false => Vec::new(),
    }
}

impl<'a> Interp<'a> {
    /// `base.method(..)`, `base->method(..)`.
    pub(super) fn method(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        base: ExprId,
        name: &str,
        arrow: bool,
        args: &[Arg<'a>],
    ) -> Val {
        let places = match arrow {
            true => objects(&self.eval(code, base)),
            false => match self.target(code, base) {
                Target::Place(place) => vec![place],
                _ => Vec::new(),
            },
        };
        match &places[..] {
            [] => {}
            [place] => return self.method_of(code, id, place, name, args),
            several => {
                return self.on_any(several, |s, place| s.method_of(code, id, place, name, args));
            }
        }
        let temporary = match arrow {
            false => self.eval(code, base),
            true => Val::Unset,
        };
        if let Some(value) = self.text_value_method(&temporary, name) {
            return value;
        }
        self.unknown_method(code, id, name, None, args)
    }

    /// A method of an object that is known.
    fn method_of(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        place: &Place,
        name: &str,
        args: &[Arg<'a>],
    ) -> Val {
        if let Some(value) = self.container_method(code, place, name, args) {
            return value;
        }
        if let Some(value) = self.wrapper_method(code, id, place, name, args) {
            return value;
        }
        if let Some(value) = self.text_method(code, place, name, args) {
            return value;
        }
        if let Some(value) = self.owner_method(place, name, args) {
            return value;
        }
        let Some(Kind::Record(class)) = self.kind_of(place) else {
            return self.unknown_method(code, id, name, Some(place.clone()), args);
        };
        let found = self.methods_of(&class, name, args.len());
        match found[..] {
            [function] => self.inline(code, id, function, Some(place.clone()), args),
            // A field that holds a function, or a method that is not given.
            [] => match self.read(&place.field(name)) {
                value @ (Val::Function(_) | Val::Closure(_) | Val::Handle(_)) => {
                    self.call_value(code, id, value, args)
                }
                _ => self.unknown_method(code, id, name, Some(place.clone()), args),
            },
            _ => self.any_method(code, id, &found, place, args),
        }
    }

    /// A method of a pointer that owns what it points to: `unique_ptr`, `shared_ptr`.
    fn owner_method(&mut self, place: &Place, name: &str, args: &[Arg<'a>]) -> Option<Val> {
        if self.kind_of(place) != Some(Kind::Pointer) {
            return None;
        }
        match (name, args) {
            ("get", []) => Some(self.read(place)),
            ("release", []) => {
                let value = self.read(place);
                self.assign(place, Val::Null);
                Some(value)
            }
            ("reset", []) => {
                self.assign(place, Val::Null);
                Some(Val::Unset)
            }
            ("reset", [(code, value)]) => {
                let value = self.eval(code, *value);
                self.assign(place, value);
                Some(Val::Unset)
            }
            _ => None,
        }
    }

    /// Does one of several things: afterwards, any of them may have been done.
    pub(super) fn on_any<T>(
        &mut self,
        all: &[T],
        mut done: impl FnMut(&mut Self, &T) -> Val,
    ) -> Val {
        let mark = self.state.mark();
        let mut ends = Vec::new();
        let mut result = Val::Unset;
        for one in all {
            let value = done(self, one);
            let (delta, reached) = self.take_back(mark);
            if reached {
                ends.push(delta);
                result = result.join(&value);
            }
        }
        self.state.reachable = false;
        for delta in ends {
            self.state.merge(mark, delta);
        }
        result
    }

    /// Whether an object may be of a class of the given files.
    fn may_be_users(&self, place: &Place) -> bool {
        matches!(
            self.kind_of(place),
            Some(Kind::Record(_) | Kind::Pointer | Kind::Other) | None
        )
    }

    /// A method that is not given.
    fn unknown_method(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        name: &str,
        place: Option<Place>,
        args: &[Arg<'a>],
    ) -> Val {
        let reason = format!("the method `{name}` is not followed");
        if place.as_ref().is_none_or(|place| self.may_be_users(place)) {
            self.any_may_be_called(Some(name), args.len());
        }
        for (arg_code, arg) in args {
            let value = self.eval(arg_code, *arg);
            self.escape_value(&value);
            self.havoc_pointee(&value, &reason);
            if let Target::Place(place) = self.plain_target(arg_code, *arg) {
                self.set_unknown(&place, &reason);
            }
        }
        match (name, place) {
            ("data" | "begin", Some(place)) => return Val::Pointer(place.index(0)),
            ("size" | "empty" | "at" | "front" | "back" | "end" | "count" | "find", _) => {}
            (_, Some(place)) => {
                let user = matches!(self.kind_of(&place), Some(Kind::Record(_)));
                self.set_unknown(&place, &reason);
                if user {
                    self.havoc_escaped(&reason);
                    self.outside(&reason);
                }
            }
            (_, None) => {
                self.havoc_escaped(&reason);
                self.outside(&reason);
            }
        }
        let text = self.source_text(code, id);
        self.unnamed_atom(text, reason)
    }
}
