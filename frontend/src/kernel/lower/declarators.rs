//! Declarators: from `*a[3]` and a base type to a name and its type.

use lang_c::ast::{
    ArraySize, Declarator, DeclaratorKind, DerivedDeclarator, FunctionDeclarator, PointerQualifier,
    TypeQualifier,
};
use lang_c::span::{Node, Span as SyntaxSpan};

use super::attributes::{Keyword, keywords};
use super::types::Specs;
use super::{Lowered, Lowerer};
use crate::ir::{AddressSpace, QualType, Qualifiers, Type};

/// An object's type and the space that the source names for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Object {
    pub ty: QualType,
    pub space: Option<AddressSpace>,
}

/// A function's parameters as written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Params<'s> {
    /// `()`
    None,
    List(&'s Node<FunctionDeclarator>),
}

/// What is declared.
#[derive(Clone, Copy, Debug)]
enum Shape<'s> {
    Object(Object),
    Function { ret: Object, params: Params<'s> },
}

/// A declarator understood.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared<'s> {
    pub name: Option<&'s str>,
    /// Where the name stands; the whole declarator if it has none.
    pub at: SyntaxSpan,
    shape: Shape<'s>,
}

impl<'s> Declared<'s> {
    /// The object; an error for a function.
    pub fn object(&self, lowerer: &mut Lowerer<'_>, at: SyntaxSpan) -> Lowered<Object> {
        match self.shape {
            Shape::Object(object) => {
                lowerer.check_restrict(object.ty, at)?;
                Ok(object)
            }
            Shape::Function { .. } => Err(lowerer.error(at, "a function cannot stand here")),
        }
    }

    /// Result and parameters of a function.
    pub fn function(&self) -> Option<(QualType, Params<'s>)> {
        match self.shape {
            Shape::Function { ret, params } => Some((ret.ty, params)),
            Shape::Object(_) => None,
        }
    }
}

impl Lowerer<'_> {
    /// Refuses `restrict` on what is no pointer.
    pub(super) fn check_restrict(&mut self, ty: QualType, at: SyntaxSpan) -> Lowered<()> {
        let types = &self.module.types;
        if ty.quals.contains(Qualifiers::RESTRICT) && types.as_pointer(ty.ty).is_none() {
            return Err(self.error(at, "`restrict` belongs to pointers only"));
        }
        Ok(())
    }

    /// Understands a declarator.
    pub(super) fn declarator<'s>(
        &mut self,
        node: &'s Node<Declarator>,
        specs: &Specs,
    ) -> Lowered<Declared<'s>> {
        let shape = Shape::Object(Object {
            ty: specs.ty,
            space: specs.space,
        });
        self.derive(node, shape)
    }

    fn derive<'s>(&mut self, node: &'s Node<Declarator>, base: Shape<'s>) -> Lowered<Declared<'s>> {
        let mut shape = base;
        let derived = &node.node.derived;
        // Pointers bind to the base first; arrays and parameters apply from the right.
        for part in derived {
            if let DerivedDeclarator::Pointer(qualifiers) = &part.node {
                shape = self.pointer(shape, qualifiers, part.span)?;
            }
        }
        for part in derived.iter().rev() {
            match &part.node {
                DerivedDeclarator::Pointer(_) => {}
                DerivedDeclarator::Array(array) => {
                    shape = self.array(shape, &array.node.size, part.span)?;
                }
                DerivedDeclarator::Function(function) => {
                    shape = self.function_shape(shape, Params::List(function), part.span)?;
                }
                DerivedDeclarator::KRFunction(names) if names.is_empty() => {
                    shape = self.function_shape(shape, Params::None, part.span)?;
                }
                DerivedDeclarator::KRFunction(_) => {
                    return Err(self.unsupported(part.span, "parameters in the style of K&R are"));
                }
                DerivedDeclarator::Block(_) => {
                    return Err(self.unsupported(part.span, "blocks are"));
                }
            }
        }
        match &node.node.kind.node {
            DeclaratorKind::Abstract => Ok(Declared {
                name: None,
                at: node.span,
                shape,
            }),
            DeclaratorKind::Identifier(name) => Ok(Declared {
                name: Some(self.name(name)?),
                at: name.span,
                shape,
            }),
            DeclaratorKind::Declarator(inner) => self.derive(inner, shape),
        }
    }

    fn pointer<'s>(
        &mut self,
        shape: Shape<'s>,
        qualifiers: &[Node<PointerQualifier>],
        at: SyntaxSpan,
    ) -> Lowered<Shape<'s>> {
        let Shape::Object(target) = shape else {
            return Err(self.error(at, "OpenCL C has no pointers to functions"));
        };
        self.check_restrict(target.ty, at)?;
        let mut quals = Qualifiers::empty();
        let mut space = None;
        for qualifier in qualifiers {
            match &qualifier.node {
                PointerQualifier::TypeQualifier(qualifier) => match qualifier.node {
                    TypeQualifier::Const => quals |= Qualifiers::CONST,
                    TypeQualifier::Volatile => quals |= Qualifiers::VOLATILE,
                    TypeQualifier::Restrict => quals |= Qualifiers::RESTRICT,
                    _ => {}
                },
                PointerQualifier::Extension(extensions) => {
                    for keyword in keywords(extensions) {
                        if let Keyword::Space(named) = keyword {
                            space = Some(named);
                        }
                    }
                }
            }
        }
        let ty = self.module.types.intern(Type::Pointer {
            pointee: target.ty,
            space: target.space.unwrap_or(self.default_space()),
        });
        Ok(Shape::Object(Object {
            ty: QualType { ty, quals },
            space,
        }))
    }

    fn array<'s>(
        &mut self,
        shape: Shape<'s>,
        size: &ArraySize,
        at: SyntaxSpan,
    ) -> Lowered<Shape<'s>> {
        let Shape::Object(element) = shape else {
            return Err(self.error(at, "an array cannot hold functions"));
        };
        self.check_restrict(element.ty, at)?;
        if matches!(self.module.types.resolve(element.ty.ty), Type::Void) {
            return Err(self.error(at, "an array cannot hold `void`"));
        }
        if self.is_incomplete_record(element.ty.ty) {
            return Err(self.error(at, "an array cannot hold an incomplete type"));
        }
        let open = |(_, len): (_, Option<u64>)| len.is_none();
        if self.module.types.as_array(element.ty.ty).is_some_and(open) {
            return Err(self.error(at, "only the first length of an array may be left out"));
        }
        let len = match size {
            ArraySize::Unknown | ArraySize::VariableUnknown => None,
            ArraySize::VariableExpression(len) | ArraySize::StaticExpression(len) => {
                Some(self.constant_size(len, "an array's length")?)
            }
        };
        let ty = self.module.types.intern(Type::Array {
            element: element.ty,
            len,
        });
        Ok(Shape::Object(Object {
            ty: QualType::plain(ty),
            space: element.space,
        }))
    }

    fn function_shape<'s>(
        &mut self,
        shape: Shape<'s>,
        params: Params<'s>,
        at: SyntaxSpan,
    ) -> Lowered<Shape<'s>> {
        match shape {
            Shape::Object(ret) => Ok(Shape::Function { ret, params }),
            Shape::Function { .. } => Err(self.error(at, "a function cannot return a function")),
        }
    }
}
