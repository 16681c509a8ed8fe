//! What names stand for in a block.

use std::hash::Hasher;

use crate::location::{MemoryLocation, VarId};
use crate::syntax::NameHasher;

/// What a name stands for in a function.
#[derive(Clone)]
pub(super) enum Binding {
    Var(VarId),
    /// A C++ reference.
    Alias(MemoryLocation),
    /// A reference to something that is not followed.
    Lost,
}

/// A name that is looked up, with a number that distinguishes it from most others.
#[derive(Clone, Copy)]
pub(super) struct Name<'n> {
    text: &'n str,
    hash: u64,
}

impl<'n> Name<'n> {
    pub fn of(text: &'n str) -> Name<'n> {
        let mut hasher = NameHasher::default();
        hasher.write(text.as_bytes());
        let hash = hasher.finish();
        Name { text, hash }
    }
}

struct Named {
    hash: u64,
    name: String,
    binding: Binding,
}

/// The names of a block: few, so that a look at all of them is faster than a table.
#[derive(Default)]
pub(super) struct Scope {
    names: Vec<Named>,
}

impl Scope {
    /// What its references name.
    pub fn references(&self) -> impl Iterator<Item = &MemoryLocation> {
        self.names.iter().filter_map(|named| match &named.binding {
            Binding::Alias(location) => Some(location),
            _ => None,
        })
    }

    pub fn get(&self, name: Name<'_>) -> Option<&Binding> {
        let mut all = self.names.iter();
        let found = all.find(|n| n.hash == name.hash && *n.name == *name.text)?;
        Some(&found.binding)
    }

    /// Lets a name stand for something from now on.
    pub fn bind(&mut self, name: &str, binding: Binding) {
        let hash = Name::of(name).hash;
        let mut all = self.names.iter_mut();
        if let Some(known) = all.find(|n| n.hash == hash && *n.name == *name) {
            known.binding = binding;
            return;
        }
        let name = name.to_string();
        self.names.push(Named {
            hash,
            name,
            binding,
        });
    }

    /// What its names stand for.
    pub fn bindings(&self) -> impl Iterator<Item = &Binding> {
        self.names.iter().map(|n| &n.binding)
    }
}
