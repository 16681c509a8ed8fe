//! Calls of methods of objects: of one that is known, or of one of a few.

use super::code::Arg;
use super::lvalue::Target;
use super::{Code, Interp};
use crate::location::MemoryLocation;
use crate::syntax::ast::ExprId;
use crate::types::Kind;
use crate::value::Val;

/// Most objects that a call of a method is followed for.
const MOST_OBJECTS: usize = 8;

/// The objects that a value points to, if it surely points to one of them.
fn objects(value: &Val) -> Vec<MemoryLocation> {
    let mut locations = Vec::new();
    for value in value.alternatives() {
        match value {
            Val::Pointer(location) => locations.push(location.clone()),
            // There is no object to call a method of.
            Val::Null | Val::Zero | Val::Unset => {}
            _ => return Vec::new(),
        }
    }
    match locations.len() <= MOST_OBJECTS {
        true => locations,
        false => Vec::new(),
    }
}

/// What a method is called of.
pub(super) struct Object {
    /// What it is; nothing if its value is a pointer to it.
    target: Option<Target>,
    value: Val,
}

impl Object {
    /// The one object that it surely is.
    pub(super) fn only(&self) -> Option<&MemoryLocation> {
        match (&self.target, &self.value) {
            (Some(Target::Location(location)), _) | (None, Val::Pointer(location)) => {
                Some(location)
            }
            _ => None,
        }
    }
}

/// Whether a method of the standard library changes nothing.
fn only_asks(name: &str) -> bool {
    matches!(
        name,
        "size" | "empty" | "at" | "front" | "back" | "end" | "count" | "find"
    )
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
        let object = self.object(code, base, arrow);
        self.method_on(code, id, object, name, args)
    }

    /// The object that a method is called of: what it is, or a pointer to it.
    pub(super) fn object(&mut self, code: &Code<'a>, base: ExprId, arrow: bool) -> Object {
        match arrow {
            true => Object {
                target: None,
                value: self.arrow(code, base),
            },
            false => {
                let (target, value) = self.named_object(code, base);
                Object {
                    target: Some(target),
                    value,
                }
            }
        }
    }

    /// A method of an object that was looked up.
    pub(super) fn method_on(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        object: Object,
        name: &str,
        args: &[Arg<'a>],
    ) -> Val {
        let Object { target, value } = object;
        let locations = match &target {
            None => objects(&value),
            Some(Target::Location(location)) => vec![location.clone()],
            Some(Target::OneOf(all)) if all.len() <= MOST_OBJECTS => all.clone(),
            Some(_) => Vec::new(),
        };
        match &locations[..] {
            [] => {}
            [location] => return self.method_of(code, id, location, name, args),
            several => {
                return self.on_any(several, |s, location| {
                    s.method_of(code, id, location, name, args)
                });
            }
        }
        if target.is_some()
            && let Some(value) = self.text_value_method(&value, name)
        {
            return value;
        }
        let all = match &target {
            Some(Target::Element(of) | Target::Part(of, _)) => vec![of.root],
            Some(Target::Into(root)) => vec![*root],
            Some(Target::OneOf(all)) => all.iter().map(|location| location.root).collect(),
            _ => Vec::new(),
        };
        if !only_asks(name) {
            for root in all {
                self.havoc_root(root, "a method of one of several objects is called");
            }
        }
        self.unknown_method(code, id, name, None, args)
    }

    /// A method of an object that is known.
    fn method_of(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        location: &MemoryLocation,
        name: &str,
        args: &[Arg<'a>],
    ) -> Val {
        if let Some(value) = self.container_method(code, location, name, args) {
            self.library_returns(code, id, location, name);
            return value;
        }
        if let Some(value) = self.wrapper_method(code, id, location, name, args) {
            return value;
        }
        if let Some(value) = self.text_method(code, location, name, args) {
            self.library_returns(code, id, location, name);
            return value;
        }
        if let Some(value) = self.owner_method(location, name, args) {
            return value;
        }
        let Some(Kind::Record(class)) = self.kind_of(location) else {
            return self.unknown_method(code, id, name, Some(location.clone()), args);
        };
        // `set<3>(x)`: what depends on the arguments of a template is not known.
        let bare = name.strip_suffix('>').and_then(|name| name.split_once('<'));
        let name = bare.map_or(name, |(name, _)| name);
        let found = self.methods_of(&class, name, args.len());
        match found[..] {
            [function] => self.inline(code, id, function, Some(location.clone()), args),
            // A field that holds a function, or a method that is not given.
            [] => match self.read(&location.field(name)) {
                value @ (Val::Function(_) | Val::Closure(_) | Val::Handle(_)) => {
                    self.call_value(code, id, value, args)
                }
                _ => self.unknown_method(code, id, name, Some(location.clone()), args),
            },
            _ => self.any_method(code, id, &found, location, args),
        }
    }

    /// A method of a pointer that owns what it points to: `unique_ptr`, `shared_ptr`.
    fn owner_method(
        &mut self,
        location: &MemoryLocation,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Val> {
        if self.kind_of(location) != Some(Kind::Pointer) {
            return None;
        }
        match (name, args) {
            ("get", []) => Some(self.read(location)),
            ("release", []) => {
                let value = self.read(location);
                self.assign(location, Val::Null);
                Some(value)
            }
            ("reset", []) => {
                self.assign(location, Val::Null);
                Some(Val::Unset)
            }
            ("reset", [(code, value)]) => {
                let value = self.eval(code, *value);
                self.assign(location, value);
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
    fn may_be_users(&self, location: &MemoryLocation) -> bool {
        matches!(
            self.kind_of(location),
            Some(Kind::Record(_) | Kind::Pointer | Kind::Other) | None
        )
    }

    /// A method that is not given.
    fn unknown_method(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        name: &str,
        location: Option<MemoryLocation>,
        args: &[Arg<'a>],
    ) -> Val {
        let reason = format!("the method `{name}` is not followed");
        if self.enqueued_somewhere(code, id, name, args) {
            return self.unnamed_atom(self.source_text(code, id), reason);
        }
        if location
            .as_ref()
            .is_none_or(|location| self.may_be_users(location))
        {
            self.any_may_be_called(Some(name), args.len());
        }
        for (arg_code, arg) in args {
            let value = self.eval(arg_code, *arg);
            self.escape_value(&value);
            self.havoc_pointee(&value, &reason);
            if let Target::Location(location) = self.plain_target(arg_code, *arg) {
                self.set_unknown(&location, &reason);
            }
        }
        match (name, location) {
            ("data" | "begin", Some(location)) => return Val::Pointer(location.index(0)),
            (name, _) if only_asks(name) => {}
            (_, Some(location)) => {
                let user = matches!(self.kind_of(&location), Some(Kind::Record(_)));
                self.set_unknown(&location, &reason);
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
