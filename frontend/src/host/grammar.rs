//! Names of the grammar's fields and kinds of nodes, looked up once: a look-up by name costs more
//! than what it finds.

use std::num::NonZeroU16;
use std::sync::LazyLock;

use tree_sitter::{Language, Node};

/// Fields of nodes.
#[derive(Clone, Copy)]
pub(super) enum Field {
    Alternative,
    Argument,
    Arguments,
    Body,
    Captures,
    Condition,
    Consequence,
    Declarator,
    DefaultValue,
    Designator,
    Selected,
    Function,
    Indices,
    Initializer,
    Label,
    Left,
    Length,
    Name,
    Operator,
    Parameters,
    Right,
    Size,
    Type,
    Update,
    Value,
}

const FIELDS: [&str; 25] = [
    "alternative",
    "argument",
    "arguments",
    "body",
    "captures",
    "condition",
    "consequence",
    "declarator",
    "default_value",
    "designator",
    "field",
    "function",
    "indices",
    "initializer",
    "label",
    "left",
    "length",
    "name",
    "operator",
    "parameters",
    "right",
    "size",
    "type",
    "update",
    "value",
];

struct Grammar {
    fields: [Option<NonZeroU16>; FIELDS.len()],
    kinds: Vec<&'static str>,
}

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| Language::from(tree_sitter_cpp::LANGUAGE));

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| {
    let language: &'static Language = &LANGUAGE;
    let kinds = 0..language.node_kind_count() as u16;
    Grammar {
        fields: FIELDS.map(|name| language.field_id_for_name(name)),
        kinds: kinds
            .map(|id| language.node_kind_for_id(id).unwrap_or(""))
            .collect(),
    }
});

impl Field {
    /// The field's number; one that no node has if the grammar does not know it.
    pub(super) fn id(self) -> u16 {
        self.key().get()
    }

    /// The same as a number that is not 0.
    pub(super) fn key(self) -> NonZeroU16 {
        GRAMMAR.fields[self as usize].unwrap_or(NonZeroU16::MAX)
    }
}

/// [`Node::kind`].
pub(super) fn kind_of<'t>(node: Node<'t>) -> &'t str {
    match GRAMMAR.kinds.get(usize::from(node.kind_id())) {
        Some(kind) => kind,
        // Errors have a number of their own.
        None => node.kind(),
    }
}
