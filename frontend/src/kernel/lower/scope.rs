//! Scopes: what each name means.

use std::collections::BTreeMap;

use crate::ir::{AddressSpace, EnumId, FunctionId, RecordId, Scalar, TypedefId, VarRef};

/// What an ordinary name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Var(VarRef),
    Function(FunctionId),
    /// A typedef, perhaps with the address space that it puts on objects.
    Typedef(TypedefId, Option<AddressSpace>),
    EnumConst(EnumId, u32),
    /// A constant of an enumeration beyond `int`, with its type.
    WideConst(i128, Scalar),
    /// Its declaration was wrong, which has been reported.
    Broken,
}

/// What a tag means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Record(RecordId),
    Enum(EnumId),
    /// An enumeration beyond `int`: the type that compilers give it.
    WideEnum(Scalar),
}

#[derive(Debug, Default)]
struct Scope {
    names: BTreeMap<String, Symbol>,
    tags: BTreeMap<String, Tag>,
}

/// The scopes that are open, file scope first.
#[derive(Debug)]
pub(super) struct Scopes {
    open: Vec<Scope>,
}

impl Default for Scopes {
    fn default() -> Self {
        Scopes {
            open: vec![Scope::default()],
        }
    }
}

impl Scopes {
    pub fn enter(&mut self) {
        self.open.push(Scope::default());
    }

    pub fn leave(&mut self) {
        // File scope stays open.
        if self.open.len() > 1 {
            self.open.pop();
        }
    }

    pub fn at_file(&self) -> bool {
        self.open.len() == 1
    }

    /// The innermost meaning of a name.
    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.open
            .iter()
            .rev()
            .find_map(|scope| scope.names.get(name).copied())
    }

    /// The meaning of a name at file scope, whatever is open.
    pub fn find_at_file(&self, name: &str) -> Option<Symbol> {
        self.open[0].names.get(name).copied()
    }

    /// The meaning of a name in the innermost scope alone.
    pub fn find_here(&self, name: &str) -> Option<Symbol> {
        self.open.last()?.names.get(name).copied()
    }

    pub fn declare(&mut self, name: &str, symbol: Symbol) {
        if let Some(scope) = self.open.last_mut() {
            scope.names.insert(name.to_string(), symbol);
        }
    }

    /// Declares at file scope, whatever is open.
    pub fn declare_at_file(&mut self, name: &str, symbol: Symbol) {
        self.open[0].names.insert(name.to_string(), symbol);
    }

    pub fn find_tag(&self, name: &str) -> Option<Tag> {
        self.open
            .iter()
            .rev()
            .find_map(|scope| scope.tags.get(name).copied())
    }

    pub fn find_tag_here(&self, name: &str) -> Option<Tag> {
        self.open.last()?.tags.get(name).copied()
    }

    /// Whether any scope but the innermost has this tag.
    pub fn tag_in_outer(&self, name: &str) -> bool {
        let outer = self.open.len() - 1;
        self.open[..outer].iter().any(|s| s.tags.contains_key(name))
    }

    pub fn declare_tag(&mut self, name: &str, tag: Tag) {
        if let Some(scope) = self.open.last_mut() {
            scope.tags.insert(name.to_string(), tag);
        }
    }

    /// All names in sight, for "did you mean".
    pub fn names(&self) -> Vec<&str> {
        self.open
            .iter()
            .flat_map(|scope| scope.names.keys().map(String::as_str))
            .collect()
    }
}
