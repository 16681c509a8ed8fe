//! Initialisers and compound literals.

use std::collections::BTreeMap;

use lang_c::ast::{Designator, Initializer, InitializerListItem};
use lang_c::span::Node;

use super::{Lowered, Lowerer};
use crate::ir::{Expr, ExprId, Init, InitItem, InitStep, QualType, RecordId, Type, TypeId};

impl Lowerer<'_> {
    /// An initialiser for a variable of a type, and the variable's type: an open array gets its
    /// length.
    pub(super) fn initialiser(
        &mut self,
        node: &Node<Initializer>,
        ty: QualType,
    ) -> Lowered<(Init, TypeId)> {
        match &node.node {
            Initializer::Expression(expr) => {
                let value = self.expression(expr)?;
                let is_array = self.module.types.as_array(ty.ty);
                if let Some((element, len)) = is_array {
                    let is_string = matches!(self.exprs.get(value), Expr::Str(_));
                    if !is_string {
                        let message = "an array is initialised by a list between braces";
                        return Err(self.error(node.span, message));
                    }
                    let own = self.module.types.as_array(self.exprs.ty(value));
                    let len = len.or(own.and_then(|(_, len)| len));
                    let full = self.module.types.intern(Type::Array { element, len });
                    return Ok((Init::Expr(value), full));
                }
                self.check_convertible(value, ty.ty, "used", expr.span)?;
                Ok((Init::Expr(value), ty.ty))
            }
            Initializer::List(items) => {
                let items = self.init_list(items, Some(ty.ty), node.span)?;
                let full = self.closed_array(ty.ty, &items);
                Ok((Init::List(items), full))
            }
        }
    }

    /// The elements of a list; `ty` is what they make up, if that is known.
    pub(super) fn init_list(
        &mut self,
        items: &[Node<InitializerListItem>],
        ty: Option<TypeId>,
        at: lang_c::span::Span,
    ) -> Lowered<Vec<InitItem>> {
        let mut out = Vec::with_capacity(items.len());
        // The position of the next element; unknown after elements without their own braces.
        let mut next: Option<u64> = Some(0);
        for item in items {
            let mut path = Vec::new();
            let mut element = ty;
            for designator in &item.node.designation {
                element = self.designator(designator, element, &mut path)?;
            }
            match path.first() {
                Some(InitStep::Index(index)) => next = Some(*index),
                Some(InitStep::Field(name)) => next = self.field_index(ty, name),
                None => element = next.and_then(|next| self.element_type(ty, next)),
            }
            let value = match &item.node.initializer.node {
                Initializer::Expression(expr) => {
                    let value = self.expression(expr)?;
                    if let Some(width) = self.part_of_vector(value, ty) {
                        next = next.map(|next| next + u64::from(width) - 1);
                    } else if element.is_some_and(|element| self.takes_several(value, element)) {
                        next = None;
                    } else if let Some(element) = element {
                        self.check_convertible_element(value, element, expr.span)?;
                    }
                    Init::Expr(value)
                }
                Initializer::List(below) => Init::List(self.init_list(below, element, item.span)?),
            };
            next = next.map(|next| next + 1);
            out.push(InitItem { path, value });
        }
        if let (Some(ty), Some(next)) = (ty, next) {
            self.check_count(ty, next, items.last().map_or(at, |last| last.span))?;
        }
        Ok(out)
    }

    /// How many components of a vector between braces a smaller one gives.
    fn part_of_vector(&self, value: ExprId, ty: Option<TypeId>) -> Option<u8> {
        let types = &self.module.types;
        let ((scalar, width), (own, part)) = (
            types.as_vector(ty?)?,
            types.as_vector(self.exprs.ty(value))?,
        );
        (scalar == own && part < width).then_some(part)
    }

    /// The elements of a vector all of which a list gives, some of them by smaller vectors: `(float4){v.xy, w}` is as
    /// `(float4)(v.xy, w)`.
    pub(super) fn components(&self, ty: TypeId, items: &[InitItem]) -> Option<Vec<ExprId>> {
        let (_, width) = self.module.types.as_vector(ty)?;
        let element = |item: &InitItem| match item.value {
            Init::Expr(value) if item.path.is_empty() => Some(value),
            _ => None,
        };
        let elements: Vec<ExprId> = items.iter().map(element).collect::<Option<_>>()?;
        let parts: Vec<Option<u8>> = (elements.iter())
            .map(|value| self.part_of_vector(*value, Some(ty)))
            .collect();
        let all: u32 = parts.iter().map(|part| u32::from(part.unwrap_or(1))).sum();
        let has_parts = parts.iter().any(Option::is_some);
        (has_parts && all == u32::from(width)).then_some(elements)
    }

    fn check_convertible_element(
        &mut self,
        value: ExprId,
        element: TypeId,
        at: lang_c::span::Span,
    ) -> Lowered<()> {
        if self.module.types.as_array(element).is_some() {
            return Ok(());
        }
        self.check_convertible(value, element, "used", at)
    }

    /// Refuses more elements than fit.
    fn check_count(&mut self, ty: TypeId, count: u64, at: lang_c::span::Span) -> Lowered<()> {
        let room = match self.module.types.resolve(ty) {
            Type::Array { len: Some(len), .. } => len,
            Type::Vector(_, width) => u64::from(width),
            Type::Scalar(_) | Type::Pointer { .. } | Type::Enum(_) => 1,
            _ => return Ok(()),
        };
        if count > room {
            let message = format!("{count} values for {room} elements");
            return Err(self.error(at, message));
        }
        Ok(())
    }

    /// Whether an expression for an aggregate element stands for its first part only. A scalar for
    /// a vector is all of its elements, as everywhere in OpenCL C.
    fn takes_several(&mut self, value: ExprId, element: TypeId) -> bool {
        let own = self.module.types.canonical(self.exprs.ty(value));
        let element = self.module.types.canonical(element);
        own != element
            && (self.module.types.as_record(element).is_some()
                || (self.module.types.as_array(element).is_some()
                    && !matches!(self.exprs.get(value), Expr::Str(_))))
    }

    fn designator(
        &mut self,
        node: &Node<Designator>,
        ty: Option<TypeId>,
        path: &mut Vec<InitStep>,
    ) -> Lowered<Option<TypeId>> {
        match &node.node {
            Designator::Index(expr) => {
                let index = self.constant_size(expr, "a designator")?;
                path.push(InitStep::Index(index));
                let Some((element, len)) = ty.and_then(|ty| self.module.types.as_array(ty)) else {
                    return Ok(None);
                };
                if len.is_some_and(|len| index >= len) {
                    let message = format!("the array has no element {index}");
                    return Err(self.error(node.span, message));
                }
                Ok(Some(element.ty))
            }
            Designator::Member(name) => {
                let name = &name.node.name;
                path.push(InitStep::Field(name.clone()));
                let Some(record) = ty.and_then(|ty| self.module.types.as_record(ty)) else {
                    return Ok(None);
                };
                match self.find_field(record, name) {
                    Some(found) => Ok(Some(found.ty.ty)),
                    None => {
                        let message = format!(
                            "`{}` has no field `{name}`",
                            ty.map(|ty| self.type_name(ty)).unwrap_or_default()
                        );
                        Err(self.error(node.span, message))
                    }
                }
            }
            Designator::Range(_) => Err(self.unsupported(node.span, "ranges of designators are")),
        }
    }

    fn field_index(&self, ty: Option<TypeId>, name: &str) -> Option<u64> {
        let record = self.module.types.as_record(ty?)?;
        let fields = self.module.records[record].fields.as_ref()?;
        fields
            .iter()
            .position(|field| field.name.as_deref() == Some(name))
            .map(|index| index as u64)
    }

    /// The type of the element at a position of an aggregate.
    fn element_type(&mut self, ty: Option<TypeId>, index: u64) -> Option<TypeId> {
        match self.module.types.resolve(ty?) {
            Type::Array { element, .. } => Some(element.ty),
            Type::Vector(scalar, _) => Some(self.module.types.scalar(scalar)),
            Type::Record(record) => {
                let fields = self.module.records[record].fields.as_ref()?;
                fields
                    .iter()
                    // A bit field without a name takes no value.
                    .filter(|field| field.name.is_some() || field.bits.is_none())
                    .nth(usize::try_from(index).ok()?)
                    .map(|field| field.ty.ty)
            }
            _ => ty,
        }
    }

    /// An open array's type with the length that its elements give it.
    fn closed_array(&mut self, ty: TypeId, items: &[InitItem]) -> TypeId {
        let Some((element, None)) = self.module.types.as_array(ty) else {
            return ty;
        };
        let per_element = self.scalars_in(element.ty, &mut BTreeMap::new(), 0).max(1);
        let mut len = 0;
        let mut at: u64 = 0;
        // Values that share an element without braces of its own.
        let mut partial = 0;
        for item in items {
            if let Some(InitStep::Index(index)) = item.path.first() {
                (at, partial) = (*index, 0);
            }
            let lone =
                matches!(&item.value, Init::Expr(value) if self.takes_several(*value, element.ty));
            if lone {
                partial += 1;
                len = len.max(at + 1);
                if partial == per_element {
                    (at, partial) = (at + 1, 0);
                }
            } else {
                if partial > 0 {
                    (at, partial) = (at + 1, 0);
                }
                len = len.max(at + 1);
                at += 1;
            }
        }
        self.module.types.intern(Type::Array {
            element,
            len: Some(len),
        })
    }

    /// How many scalars and vectors make up a value of a type.
    fn scalars_in(&self, ty: TypeId, known: &mut BTreeMap<RecordId, u64>, depth: usize) -> u64 {
        if depth > 256 {
            return 1;
        }
        match self.module.types.resolve(ty) {
            Type::Array { element, len } => {
                let each = self.scalars_in(element.ty, known, depth + 1);
                len.unwrap_or(0).saturating_mul(each)
            }
            Type::Record(record) => {
                if let Some(&count) = known.get(&record) {
                    return count;
                }
                let fields = self.module.records[record].fields.iter().flatten();
                let count = fields
                    .map(|field| self.scalars_in(field.ty.ty, known, depth + 1))
                    .fold(0, u64::saturating_add);
                known.insert(record, count);
                count
            }
            _ => 1,
        }
    }
}
