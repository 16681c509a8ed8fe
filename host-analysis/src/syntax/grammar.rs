//! The grammar: the parser's run, and the names of its fields and kinds of nodes, looked up once: a
//! look-up by name costs more than what it finds.

use std::num::NonZeroU16;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Tree};

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

/// Steps (of some hundred actions each) that the parser may spend on repairing errors, for any text
/// and for each so many bytes of it. Source texts need none or a few; each costs about a
/// millisecond.
const REPAIRS_AT_LEAST: usize = 100;
const BYTES_PER_REPAIR: usize = 200;
const MOST_REPAIRS: usize = 1000;

/// Parses a text, unless it is noise.
pub(super) fn tree(text: &[u8]) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&LANGUAGE).ok()?;
    let most = (REPAIRS_AT_LEAST + text.len() / BYTES_PER_REPAIR).min(MOST_REPAIRS);
    let mut repairs = 0;
    let mut progress = |state: &ParseState| {
        repairs += usize::from(state.has_error());
        match repairs > most {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| text.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}
