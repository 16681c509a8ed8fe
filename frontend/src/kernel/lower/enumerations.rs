//! Enumerations.
//!
//! C has enumerators of type `int` only. OpenCL's compilers, which are clang's, take greater ones, too: the
//! enumeration is the first of `uint`, `ulong` (`long` with a negative one) that has all of them, and so is
//! each that `int` has not. The IR knows none of these: they become numbers of that type.

use lang_c::ast::EnumType;
use lang_c::span::{Node, Span as SyntaxSpan};

use super::scope::{Symbol, Tag};
use super::{Lowered, Lowerer};
use crate::ir::{Enum, EnumId, Enumerator, ExprId, Item, Scalar, Type, TypeId};

/// Whether `int` has a value.
fn is_narrow(value: i128) -> bool {
    i32::try_from(value).is_ok()
}

impl Lowerer<'_> {
    /// An enumeration's type.
    pub(super) fn enumeration(&mut self, node: &Node<EnumType>) -> Lowered<TypeId> {
        let tag = node.node.identifier.as_ref();
        let tag = tag.map(|id| self.name(id)).transpose()?;
        if node.node.enumerators.is_empty() {
            return self.known_enumeration(tag.unwrap_or_default(), node.span);
        }
        if let Some(tag) = tag
            && self.scopes.find_tag_here(tag).is_some()
        {
            let message = format!("`{tag}` is defined twice");
            return Err(self.error(node.span, message));
        }
        let name = tag.map(|tag| {
            if self.scopes.at_file() || !self.tag_taken(tag) {
                tag.to_string()
            } else {
                self.fresh_tag(tag)
            }
        });
        let id = self.module.enums.add(Enum {
            tag: name,
            enumerators: Vec::new(),
            span: self.source.span(node.span),
        });
        let named = self.enumerators(node, id)?;
        let wide = self.widened(id, &named);
        if wide.is_none() {
            self.module.items.push(Item::Enum(id));
        }
        if let Some(tag) = tag {
            let meaning = wide.map_or(Tag::Enum(id), Tag::WideEnum);
            self.scopes.declare_tag(tag, meaning);
        }
        Ok(match wide {
            Some(scalar) => self.module.types.scalar(scalar),
            None => self.module.types.intern(Type::Enum(id)),
        })
    }

    /// The type that `enum NAME` names.
    fn known_enumeration(&mut self, name: &str, at: SyntaxSpan) -> Lowered<TypeId> {
        match self.scopes.find_tag(name) {
            Some(Tag::Enum(id)) => Ok(self.module.types.intern(Type::Enum(id))),
            Some(Tag::WideEnum(scalar)) => Ok(self.module.types.scalar(scalar)),
            _ => Err(self.error(at, format!("`enum {name}` is not defined"))),
        }
    }

    /// Declares the constants of an enumeration; their names and values.
    fn enumerators<'n>(
        &mut self,
        node: &'n Node<EnumType>,
        id: EnumId,
    ) -> Lowered<Vec<(&'n str, i128)>> {
        let mut named: Vec<(&'n str, i128)> = Vec::new();
        for enumerator in &node.node.enumerators {
            let name = self.name(&enumerator.node.identifier)?;
            let mut value = named.last().map_or(0, |(_, last)| last + 1);
            let mut written = None;
            if let Some(expr) = &enumerator.node.expression {
                let given = self.expression(expr)?;
                let Some(known) = self.constant(given) else {
                    return Err(self.error(expr.span, "an enumerator's value must be constant"));
                };
                value = known;
                written = Some(given);
            }
            if value > i128::from(u64::MAX) {
                let message = format!("the value of `{name}` is beyond 64 bits");
                return Err(self.error(enumerator.span, message));
            }
            self.redeclared(name, enumerator.span)?;
            self.enumerator(id, name, value, written);
            named.push((name, value));
        }
        Ok(named)
    }

    fn enumerator(&mut self, id: EnumId, name: &str, value: i128, written: Option<ExprId>) {
        if !is_narrow(value) {
            // What follows in the definition may speak of it.
            let given = written.and_then(|expr| self.module.types.as_scalar(self.exprs.ty(expr)));
            let next = i64::try_from(value).map_or(Scalar::ULong, |_| Scalar::Long);
            let meaning = Symbol::WideConst(value, given.unwrap_or(next));
            return self.scopes.declare(name, meaning);
        }
        // What stands in a function may speak of its variables.
        let written = written.filter(|_| self.scopes.at_file());
        let unique = self.hoisted_name(name);
        let constants = &mut self.module.enums[id].enumerators;
        let index = constants.len() as u32;
        constants.push(Enumerator {
            name: unique,
            written,
            value: value as i64,
        });
        self.scopes.declare(name, Symbol::EnumConst(id, index));
    }

    /// The type of an enumeration beyond `int`, whose constants are numbers from here on.
    fn widened(&mut self, id: EnumId, named: &[(&str, i128)]) -> Option<Scalar> {
        if named.iter().all(|(_, value)| is_narrow(*value)) {
            return None;
        }
        let is_uint = |(_, value): &(&str, i128)| u32::try_from(*value).is_ok();
        let scalar = if named.iter().any(|(_, value)| *value < 0) {
            Scalar::Long
        } else if named.iter().all(is_uint) {
            Scalar::UInt
        } else {
            Scalar::ULong
        };
        for (name, value) in named {
            let own = if is_narrow(*value) {
                Scalar::Int
            } else {
                scalar
            };
            self.scopes.declare(name, Symbol::WideConst(*value, own));
        }
        let definition = &mut self.module.enums[id];
        (definition.tag, definition.enumerators) = (None, Vec::new());
        Some(scalar)
    }
}
