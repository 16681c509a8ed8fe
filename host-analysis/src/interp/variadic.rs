//! Arguments for `...`, and the `va_list` that goes through them: what is left of them, in order.

use super::lvalue::Target;
use super::{Code, Interp};
use crate::number::{IntType, Num};
use crate::syntax::ast::ExprId;
use crate::value::Val;

impl<'a> Interp<'a> {
    /// A macro of `<stdarg.h>`, or what it stands for; nothing if it is none.
    pub(super) fn variadic(&mut self, code: &Code<'a>, name: &str, args: &[ExprId]) -> Option<Val> {
        let name = name.strip_prefix("__builtin_").unwrap_or(name);
        let (&list, rest) = args.split_first()?;
        match name {
            "va_start" => {
                let frame = self.walk.frames.last()?;
                let all = Val::Tuple(frame.variadic.clone().into());
                self.set_list(code, list, all);
                Some(Val::Unset)
            }
            "va_copy" => {
                let from = self.eval(code, *rest.first()?);
                self.set_list(code, list, from);
                Some(Val::Unset)
            }
            "va_end" => Some(Val::Unset),
            "va_arg" => Some(self.next_argument(code, list)),
            _ => None,
        }
    }

    /// `va_arg(list, type)`.
    fn next_argument(&mut self, code: &Code<'a>, list: ExprId) -> Val {
        let all = self.eval(code, list);
        let next = match &all {
            Val::Tuple(all) => {
                let first = all.split_first();
                first.map(|(next, left)| (next.clone(), Val::Tuple(left.into())))
            }
            _ => None,
        };
        let (next, left) = next.unwrap_or_else(|| {
            self.lose_arguments();
            let lost = Val::unknown("which of the arguments for `...` it is, is not known");
            (lost.clone(), lost)
        });
        self.set_list(code, list, left);
        next
    }

    /// Which of the arguments for `...` is used is not known.
    pub(super) fn lose_arguments(&mut self) {
        let frames = self.walk.frames.iter();
        let every: Vec<Val> = frames.flat_map(|f| f.variadic.iter().cloned()).collect();
        every.iter().for_each(|value| self.escape_value(value));
    }

    fn set_list(&mut self, code: &Code<'a>, list: ExprId, value: Val) {
        match self.plain_target(code, list) {
            Target::Location(location) => self.put(&location, value),
            _ => self.escape_value(&value),
        }
    }
}

/// A value as it is passed for `...`.
pub(super) fn promoted(value: &Val) -> Val {
    match value {
        Val::Float(_) => value.convert(Num::Double),
        Val::Int(_, ty) if ty.bits < IntType::INT.bits => value.convert(Num::Int(IntType::INT)),
        _ => value.clone(),
    }
}
