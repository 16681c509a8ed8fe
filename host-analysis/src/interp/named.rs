//! Numbers that are not known but have a name: what is read by it is an input of what is computed
//! from it.

use std::borrow::Cow;

use super::scope::Binding;
use super::{Code, Interp};
use crate::number::Num;
use crate::syntax::ast::{ExprId, ExprKind, Type};
use crate::types::Kind;
use crate::value::Val;

/// A type as far as it is still to be looked into.
struct Typed<'t> {
    ty: Cow<'t, Type>,
    /// Dimensions of an array that are left.
    dims: usize,
    host: usize,
}

impl Typed<'_> {
    fn element(mut self) -> Option<Self> {
        match (self.dims, self.ty.pointers) {
            (1.., _) => self.dims -= 1,
            (0, 1..) => self.ty.to_mut().pointers -= 1,
            _ => return None,
        }
        Some(self)
    }
}

impl<'a> Interp<'a> {
    /// What an expression reads; a number that is not known is a value with the expression's text
    /// as its name.
    pub(super) fn named_read(&mut self, code: &Code<'a>, id: ExprId, value: Val) -> Val {
        let Val::Unknown(why) = &value else {
            return value;
        };
        let Some(num) = self.declared_number(code, id) else {
            return value;
        };
        let text = self.source_text(code, id);
        self.atom(text, Some(num), why.clone())
    }

    /// The type of numbers that an expression has by its declarations.
    pub(super) fn declared_number(&mut self, code: &Code<'a>, id: ExprId) -> Option<Num> {
        if let ExprKind::Name(name) = &code.ast().expr(id).kind
            && let Some(Binding::Var(var)) = self.binding(code, name)
        {
            let info = self.variables.info(var);
            return match info.kind {
                Kind::Num(num) if info.ty.dims.is_empty() => Some(num),
                _ => None,
            };
        }
        let binding = self.innermost(code, id)?;
        let typed = self.declared(code, id, &binding)?;
        if typed.dims > 0 {
            return None;
        }
        match self.program.kind(typed.host, &typed.ty) {
            Kind::Num(num) => Some(num),
            _ => None,
        }
    }

    /// What the name stands for that an expression takes a part of.
    fn innermost(&mut self, code: &Code<'a>, id: ExprId) -> Option<Binding> {
        let tree = code.clone();
        let mut id = id;
        loop {
            id = match &tree.ast().expr(id).kind {
                ExprKind::Name(name) => return self.binding(code, name),
                ExprKind::Paren(inner) | ExprKind::Index(inner, _) | ExprKind::Deref(inner) => {
                    *inner
                }
                ExprKind::Member { base, .. } => *base,
                _ => return None,
            };
        }
    }

    /// The declared type of an expression, given what its innermost name stands for.
    fn declared(&self, code: &Code<'a>, id: ExprId, binding: &Binding) -> Option<Typed<'_>> {
        match &code.ast().expr(id).kind {
            ExprKind::Paren(inner) => self.declared(code, *inner, binding),
            ExprKind::Name(_) => match binding {
                Binding::Var(var) => {
                    let info = self.variables.info(*var);
                    Some(Typed {
                        ty: Cow::Borrowed(&info.ty),
                        dims: info.ty.dims.len(),
                        host: info.host,
                    })
                }
                Binding::Alias(location) => {
                    let (ty, dims, host) = self.type_of(location)?;
                    Some(Typed { ty, dims, host })
                }
                Binding::Lost => None,
            },
            ExprKind::Index(base, _) | ExprKind::Deref(base) => {
                self.declared(code, *base, binding)?.element()
            }
            ExprKind::Member { base, name, arrow } => {
                let mut record = self.declared(code, *base, binding)?;
                if *arrow {
                    record = record.element()?;
                }
                let host = record.host;
                let kind = self.program.kind(host, &record.ty);
                let (Kind::Record(class), 0) = (kind, record.dims) else {
                    return None;
                };
                let (_, found) = self.program.types[host].record(&class)?;
                let field = found.fields.iter().find(|f| f.name == *name)?;
                Some(Typed {
                    ty: Cow::Borrowed(&field.ty),
                    dims: field.ty.dims.len(),
                    host,
                })
            }
            _ => None,
        }
    }
}
