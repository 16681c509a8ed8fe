//! Attributes: each belongs to the declaration, declarator, record or loop at whose tokens it stands.

use lang_c::ast::Extension;
use lang_c::span::{Node, Span as SyntaxSpan};

use super::Lowerer;
use crate::ir::{AddressSpace, Attr, Scalar, Type, TypeId};
use crate::kernel::token::{TokenKind, text_of, tokens_of};

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

/// Attributes of kernels whose arguments are numbers.
const SIZES: [&str; 7] = [
    "intel_reqd_sub_group_size",
    "max_global_work_dim",
    "max_work_group_size",
    "num_compute_units",
    "num_simd_work_items",
    "reqd_work_group_size",
    "work_group_size_hint",
];

/// What looks like a macro in the arguments of an attribute that takes numbers: a name without small letters.
pub(super) fn macros_in_sizes(attr: &Attr) -> Vec<String> {
    let args = match SIZES.contains(&attr.name.as_str()) {
        true => attr.args.as_deref().unwrap_or_default(),
        false => "",
    };
    let tokens = tokens_of(args);
    let names = tokens.iter().filter(|token| token.kind == TokenKind::Ident);
    let names = names.map(|token| text_of(args, token).to_string());
    let is_macro = |name: &String| {
        name.contains(|c: char| c.is_ascii_uppercase())
            && !name.contains(|c: char| c.is_ascii_lowercase())
    };
    names.filter(is_macro).collect()
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
