//! Fields of records and components of vectors.

use lang_c::ast::{MemberExpression, MemberOperator};
use lang_c::span::{Node, Span as SyntaxSpan};

use super::{Lowered, Lowerer};
use crate::diag::Diagnostic;
use crate::ir::{Expr, ExprId, QualType, RecordId, Type};
use crate::kernel::builtins::nearest;

/// A field, perhaps inside anonymous members.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Indices from the record inwards.
    pub path: Vec<(RecordId, u32)>,
    pub ty: QualType,
}

impl Lowerer<'_> {
    /// Finds a field by name.
    pub(super) fn find_field(&self, record: RecordId, name: &str) -> Option<Found> {
        self.find_field_at(record, name, 0)
    }

    fn find_field_at(&self, record: RecordId, name: &str, depth: usize) -> Option<Found> {
        let fields = self.module.records[record].fields.as_ref()?;
        if let Some(index) = fields
            .iter()
            .position(|field| field.name.as_deref() == Some(name))
        {
            return Some(Found {
                path: vec![(record, index as u32)],
                ty: fields[index].ty,
            });
        }
        if depth > 64 {
            return None;
        }
        for (index, field) in fields.iter().enumerate() {
            let anonymous = field.name.is_none().then_some(field.ty.ty);
            let Some(inner) = anonymous.and_then(|ty| self.module.types.as_record(ty)) else {
                continue;
            };
            if let Some(mut found) = self.find_field_at(inner, name, depth + 1) {
                found.path.insert(0, (record, index as u32));
                return Some(found);
            }
        }
        None
    }

    /// `base.name` or `base->name`
    pub(super) fn member(&mut self, node: &Node<MemberExpression>) -> Lowered<ExprId> {
        let base = self.expression(&node.node.expression)?;
        let arrow = node.node.operator.node == MemberOperator::Indirect;
        let name = &node.node.identifier.node.name;
        self.member_of(base, name, arrow, node.span, node.node.identifier.span)
    }

    /// A member of a lowered base. `at` is the whole expression, `name_at` the name.
    pub(super) fn member_of(
        &mut self,
        base: ExprId,
        name: &str,
        arrow: bool,
        at: SyntaxSpan,
        name_at: SyntaxSpan,
    ) -> Lowered<ExprId> {
        let ty = self.value_type(base);
        let object = if arrow {
            let Some((pointee, _)) = self.module.types.as_pointer(ty) else {
                let message = format!("`->` needs a pointer, not `{}`", self.type_name(ty));
                return Err(self.error(at, message));
            };
            pointee.ty
        } else {
            ty
        };
        if let Some((scalar, width)) = self.module.types.as_vector(object) {
            if arrow {
                // `p->x` of a pointer to a vector is `(*p).x`.
                let deref = Expr::Unary {
                    op: crate::ir::UnaryOp::Deref,
                    operand: base,
                };
                let base = self.add(deref, object, at)?;
                return self.swizzle(base, name, scalar, width, at, name_at);
            }
            return self.swizzle(base, name, scalar, width, at, name_at);
        }
        let Some(record) = self.module.types.as_record(object) else {
            if !arrow && self.module.types.as_pointer(object).is_some() {
                let diagnostic = Diagnostic::error(format!(
                    "`.` needs a struct or a vector, not the pointer `{}`",
                    self.type_name(ty)
                ));
                return Err(self.report(at, diagnostic.help("write `->`")));
            }
            let message = format!("a value of type `{}` has no members", self.type_name(ty));
            return Err(self.error(at, message));
        };
        if self.module.records[record].fields.is_none() {
            let message = format!("`{}` is only declared, not defined", self.type_name(object));
            return Err(self.error(at, message));
        }
        let Some(found) = self.find_field(record, name) else {
            return Err(self.unknown_field(record, name, object, name_at));
        };
        let mut expr = base;
        let mut arrow = arrow;
        for (record, field) in found.path {
            let ty = match &self.module.records[record].fields {
                Some(fields) => fields[field as usize].ty.ty,
                None => found.ty.ty,
            };
            let member = Expr::Member {
                base: expr,
                record,
                field,
                arrow,
            };
            expr = self.add(member, ty, at)?;
            arrow = false;
        }
        Ok(expr)
    }

    fn unknown_field(
        &mut self,
        record: RecordId,
        name: &str,
        ty: crate::ir::TypeId,
        at: SyntaxSpan,
    ) -> super::Reported {
        let message = match self.module.records[record].tag {
            Some(_) => format!("`{}` has no field `{name}`", self.type_name(ty)),
            None => format!("the struct has no field `{name}`"),
        };
        let names: Vec<String> = self.module.records[record]
            .fields
            .iter()
            .flatten()
            .filter_map(|field| field.name.clone())
            .collect();
        let diagnostic = Diagnostic::error(message);
        let diagnostic = match nearest(name, names.iter()) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        };
        self.report(at, diagnostic)
    }

    fn swizzle(
        &mut self,
        base: ExprId,
        name: &str,
        scalar: crate::ir::Scalar,
        width: u8,
        at: SyntaxSpan,
        name_at: SyntaxSpan,
    ) -> Lowered<ExprId> {
        let components = match components(name, width) {
            Ok(components) => components,
            Err(message) => {
                let vector = format!("{}{width}", scalar.name());
                return Err(self.error(name_at, format!("`.{name}` of a `{vector}`: {message}")));
            }
        };
        let ty = match components.len() {
            1 => self.module.types.scalar(scalar),
            count => self.module.types.intern(Type::Vector(scalar, count as u8)),
        };
        let swizzle = Expr::Swizzle {
            base,
            components,
            spelling: name.to_string(),
        };
        self.add(swizzle, ty, at)
    }
}

/// The components that a name such as `xyz`, `s03` or `hi` selects from a vector of a width.
fn components(name: &str, width: u8) -> Result<Vec<u8>, String> {
    // Halves of a vector of three are those of four, the fourth one undefined.
    let full = if width == 3 { 4 } else { width };
    let half = full / 2;
    match name {
        "lo" => return Ok((0..half).collect()),
        "hi" => return Ok((half..full).collect()),
        "even" => return Ok((0..full).step_by(2).collect()),
        "odd" => return Ok((1..full).step_by(2).collect()),
        _ => {}
    }
    let numbered = name.strip_prefix(['s', 'S']);
    let indices: Option<Vec<u8>> = match numbered {
        Some(digits) => digits
            .chars()
            .map(|c| c.to_digit(16).map(|digit| digit as u8))
            .collect(),
        None => name.chars().map(letter_index).collect(),
    };
    let Some(indices) = indices.filter(|indices| !indices.is_empty()) else {
        return Err("vectors have no such component".to_string());
    };
    if let Some(beyond) = indices.iter().find(|&&index| index >= width) {
        return Err(format!("there is no component {beyond}"));
    }
    if !matches!(indices.len(), 1 | 2 | 3 | 4 | 8 | 16) {
        return Err(format!("{} components make no vector", indices.len()));
    }
    Ok(indices)
}

fn letter_index(letter: char) -> Option<u8> {
    Some(match letter {
        'x' | 'r' => 0,
        'y' | 'g' => 1,
        'z' | 'b' => 2,
        'w' | 'a' => 3,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_select_components() {
        let check = |name, width, expected: &[u8]| {
            assert_eq!(components(name, width).as_deref(), Ok(expected), "{name}");
        };
        check("x", 2, &[0]);
        check("wzyx", 4, &[3, 2, 1, 0]);
        check("s0f", 16, &[0, 15]);
        check("sAb", 16, &[10, 11]);
        check("lo", 8, &[0, 1, 2, 3]);
        check("hi", 3, &[2, 3]);
        check("odd", 2, &[1]);
        check("even", 3, &[0, 2]);
        for (name, width) in [
            ("z", 2),
            ("s4", 4),
            ("s", 4),
            ("xyzwx", 4),
            ("q", 4),
            ("x0", 4),
        ] {
            assert!(components(name, width).is_err(), "{name}");
        }
    }
}
