//! Attributes: each belongs to the declaration, declarator, record or loop at whose tokens it stands.

use lang_c::ast::Extension;
use lang_c::span::{Node, Span as SyntaxSpan};

use super::Lowerer;
use crate::ir::{AddressSpace, Attr, Scalar, Type, TypeId};

/// A keyword of OpenCL C that stands as an attribute in the syntax tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Kernel,
    Space(AddressSpace),
    Access(&'static str),
    Channel,
    Pipe,
}

/// The keywords among a node's extensions.
pub(super) fn keywords(extensions: &[Node<Extension>]) -> impl Iterator<Item = Keyword> + '_ {
    extensions.iter().filter_map(|extension| {
        let Extension::Attribute(attribute) = &extension.node else {
            return None;
        };
        Some(match attribute.name.node.as_str() {
            "cl_kernel" => Keyword::Kernel,
            "cl_global" => Keyword::Space(AddressSpace::Global),
            "cl_local" => Keyword::Space(AddressSpace::Local),
            "cl_constant" => Keyword::Space(AddressSpace::Constant),
            "cl_private" => Keyword::Space(AddressSpace::Private),
            "cl_generic" => Keyword::Space(AddressSpace::Generic),
            "cl_read_only" => Keyword::Access("read_only"),
            "cl_write_only" => Keyword::Access("write_only"),
            "cl_read_write" => Keyword::Access("read_write"),
            "cl_channel" => Keyword::Channel,
            "cl_pipe" => Keyword::Pipe,
            _ => return None,
        })
    })
}

impl Lowerer<'_> {
    /// The attributes before tokens `from..=to`.
    pub(super) fn attrs_in(&self, from: usize, to: usize) -> Vec<Attr> {
        self.source
            .prepass
            .attrs_in(from, to)
            .iter()
            .map(|attr| attr.attr.clone())
            .collect()
    }

    /// `__attribute__((ext_vector_type(4)))` makes a vector type and is no attribute of its own.
    pub(super) fn apply_vector_attribute(
        &mut self,
        attrs: &mut Vec<Attr>,
        ty: TypeId,
        at: SyntaxSpan,
    ) -> TypeId {
        let Some(index) = attrs
            .iter()
            .position(|a| matches!(a.name.as_str(), "ext_vector_type" | "vector_size"))
        else {
            return ty;
        };
        let attr = attrs.remove(index);
        let scalar = self.module.types.as_scalar(ty).unwrap_or(Scalar::Float);
        let unit = if attr.name == "vector_size" {
            scalar.size()
        } else {
            1
        };
        let number = attr.integers().and_then(|args| args.first().copied());
        match number.map(|number| number / unit) {
            Some(width @ (2 | 3 | 4 | 8 | 16)) => {
                self.module.types.intern(Type::Vector(scalar, width as u8))
            }
            _ => {
                self.unsupported(at, "vectors of this width are");
                ty
            }
        }
    }
}
