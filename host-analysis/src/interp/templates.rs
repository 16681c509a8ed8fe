//! Functions of the C++ standard library that are templates, and objects that they make.

use super::code::Arg;
use super::lvalue::Target;
use super::wrappers::named_type;
use super::{Code, Interp};
use crate::location::{MemoryLocation, Step};
use crate::syntax::ast::{ExprId, Type};
use crate::types::{Kind, Wrapper, last_name, without_arguments};
use crate::value::Val;

impl<'a> Interp<'a> {
    /// Functions of the standard library that are templates.
    pub(super) fn template_function(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Val> {
        let base = without_arguments(name);
        let targets = crate::types::template::arguments(name).map(|(_, args)| args);
        let target = targets.as_ref().and_then(|t| t.first());
        match (last_name(base), target, args) {
            ("make_unique" | "make_shared", Some(target), _) => {
                let ty = crate::types::template::parse(target);
                let location = self.new_object(code, id, &ty);
                match (self.program.kind(code.host, &ty), args) {
                    (Kind::Num(_) | Kind::Pointer, [(arg_code, arg)]) => {
                        let value = self.eval(arg_code, *arg);
                        let value = self.cast(code, &ty, value);
                        self.assign(&location, value);
                    }
                    _ => self.construct_with(&location, args),
                }
                Some(Val::Pointer(location))
            }
            ("make_pair", None, [_, _]) => {
                let ty = named_type("std::pair<auto,auto>");
                let pair = MemoryLocation::var(self.hidden(ty, code.host));
                self.construct_with(&pair, args);
                Some(Val::Record(pair))
            }
            ("move" | "forward" | "ref" | "cref" | "as_const", _, [(arg_code, arg)]) => {
                Some(self.eval(arg_code, *arg))
            }
            ("accumulate", None, [first, last, start]) if self.program.is_cpp(code) => {
                self.sum_of_texts(first, last, start)
            }
            ("swap", _, [first, second]) if self.program.is_cpp(code) => self.swap(first, second),
            ("begin" | "end" | "size" | "data" | "cbegin" | "cend", None, [(arg_code, arg)])
                if self.program.is_cpp(code) =>
            {
                let Target::Location(location) = self.plain_target(arg_code, *arg) else {
                    return None;
                };
                self.container_method(arg_code, &location, last_name(base), &[])
            }
            _ => None,
        }
    }

    /// `std::accumulate` of strings: these one after another; nothing for others.
    fn sum_of_texts(&mut self, first: &Arg<'a>, last: &Arg<'a>, start: &Arg<'a>) -> Option<Val> {
        let [first, last, mut sum] =
            [first, last, start].map(|(code, argument)| self.eval(code, *argument));
        let (Val::Pointer(first), Val::Pointer(last)) = (first, last) else {
            return None;
        };
        let all = first
            .parent()
            .filter(|all| last.parent().as_ref() == Some(all))?;
        let (Some(Step::Index(from)), Some(Step::Index(to))) =
            (first.path.last(), last.path.last())
        else {
            return None;
        };
        self.text_of(&sum)?;
        for at in *from..*to {
            let element = self.read(&all.index(at));
            sum = self.concatenation(&sum, &element, true)?;
        }
        Some(sum)
    }

    /// `std::swap` of two variables that are no objects of classes; nothing for others.
    fn swap(&mut self, first: &Arg<'a>, second: &Arg<'a>) -> Option<Val> {
        let [a, b] = [first, second].map(|(code, arg)| self.plain_target(code, *arg));
        let (Target::Location(a), Target::Location(b)) = (a, b) else {
            return None;
        };
        let is_plain = |location| match self.kind_of(location) {
            Some(Kind::Num(_) | Kind::Pointer) => true,
            Some(Kind::Wrapper(wrapper)) => wrapper == Wrapper::Memory,
            _ => false,
        };
        if !is_plain(&a) || !is_plain(&b) {
            return None;
        }
        let [of_a, of_b] = [&a, &b].map(|location| self.read(location));
        self.assign(&a, of_b);
        self.assign(&b, of_a);
        Some(Val::Unset)
    }

    /// Memory of `new` for an object of a class.
    pub(super) fn new_object(&mut self, code: &Code<'a>, id: ExprId, ty: &Type) -> MemoryLocation {
        let location = self.heap(Self::site_of(code, id));
        self.state.set(&location, Val::Unset);
        if let crate::location::Root::Object(object) = location.root
            && let Kind::Record(_) | Kind::Container(_) | Kind::Wrapper(_) =
                self.program.kind(code.host, ty)
        {
            self.variables
                .heap_types
                .insert(object, (ty.clone(), code.host));
        }
        location.index(0)
    }
}
