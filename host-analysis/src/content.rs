//! What variables and objects hold.

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::location::{MemoryLocation, ObjectId, Root, Step, VarId};
use crate::value::Val;

/// What a variable or object holds: as a whole, and in parts by their paths.
#[derive(Clone, Default)]
pub(crate) struct Content {
    pub own: Option<Val>,
    pub parts: BTreeMap<Vec<Step>, Val>,
    /// When it was looked at last, in the count of [`crate::state::State::watch`].
    pub seen: Cell<u32>,
}

impl Content {
    pub fn slot(&self, path: &[Step]) -> Option<&Val> {
        match path.is_empty() {
            true => self.own.as_ref(),
            false => self.parts.get(path),
        }
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.own.is_none() && self.parts.is_empty()
    }

    /// The whole and its parts with their values, in order.
    pub fn locations(&self, root: Root) -> impl Iterator<Item = (MemoryLocation, &Val)> {
        let own = self
            .own
            .iter()
            .map(move |value| (MemoryLocation::of(root), value));
        let part = move |(path, value)| {
            let path: &Vec<Step> = path;
            let path = path.clone();
            (MemoryLocation { root, path }, value)
        };
        own.chain(self.parts.iter().map(part))
    }

    /// The values of the whole and its parts.
    pub fn values(&self) -> impl Iterator<Item = &Val> {
        self.own.iter().chain(self.parts.values())
    }

    pub fn is_alike(&self, other: &Content) -> bool {
        let own = match (&self.own, &other.own) {
            (Some(a), Some(b)) => a.is_alike(b),
            (a, b) => a.is_none() && b.is_none(),
        };
        let mut parts = self.parts.iter().zip(&other.parts);
        own && self.parts.len() == other.parts.len()
            && parts.all(|((p, a), (q, b))| p == q && a.is_alike(b))
    }

    /// Stores a value and gives the one before.
    pub fn replace(&mut self, path: &[Step], value: Option<Val>) -> Option<Val> {
        match (path.is_empty(), value) {
            (true, value) => std::mem::replace(&mut self.own, value),
            (false, None) => self.parts.remove(path),
            (false, Some(value)) => match self.parts.get_mut(path) {
                Some(slot) => Some(std::mem::replace(slot, value)),
                None => self.parts.insert(path.to_vec(), value),
            },
        }
    }

    /// Paths below a path that hold values, in order.
    pub fn below<'s>(&'s self, path: &'s [Step]) -> impl Iterator<Item = (&'s Vec<Step>, &'s Val)> {
        self.parts
            .range::<[Step], _>((std::ops::Bound::Excluded(path), std::ops::Bound::Unbounded))
            .take_while(move |(p, _)| p.starts_with(path))
    }
}

/// What each variable and object holds, found by its number.
#[derive(Default)]
pub(crate) struct Contents {
    vars: Vec<Content>,
    objects: Vec<Content>,
}

impl Contents {
    pub fn of(&self, root: Root) -> Option<&Content> {
        match root {
            Root::Var(id) => self.vars.get(id.0 as usize),
            Root::Object(id) => self.objects.get(id.0 as usize),
        }
    }

    pub fn of_mut(&mut self, root: Root) -> &mut Content {
        let (list, id) = match root {
            Root::Var(id) => (&mut self.vars, id.0 as usize),
            Root::Object(id) => (&mut self.objects, id.0 as usize),
        };
        if list.len() <= id {
            list.resize_with(id + 1, Content::default);
        }
        &mut list[id]
    }

    /// All of them: variables, then objects, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Root, &Content)> {
        let vars = self.vars.iter().enumerate();
        let vars = vars.map(|(i, c)| (Root::Var(VarId(i as u32)), c));
        let objects = self.objects.iter().enumerate();
        vars.chain(objects.map(|(i, c)| (Root::Object(ObjectId(i as u32)), c)))
    }
}

/// Every value that was assigned to a location that outlives its function.
#[derive(Default)]
pub(crate) struct FlowInsensitive(Contents);

impl FlowInsensitive {
    pub fn clear(&mut self) {
        *self = FlowInsensitive::default();
    }

    pub fn get(&self, location: &MemoryLocation) -> Option<&Val> {
        self.0.of(location.root)?.slot(&location.path)
    }

    /// Adds a value; false if it was there before.
    pub fn grow(&mut self, location: &MemoryLocation, value: Val) -> bool {
        let all = self.0.of_mut(location.root);
        let grown = match all.slot(&location.path) {
            Some(now) if now.is_unknown() || *now == value => return false,
            Some(now) => {
                let joined = now.join(&value);
                if joined == *now {
                    return false;
                }
                joined
            }
            None => value,
        };
        all.replace(&location.path, Some(grown));
        true
    }

    /// What was assigned to a variable or object and its parts, in order.
    pub fn of(&self, root: Root) -> impl Iterator<Item = (MemoryLocation, &Val)> {
        self.0
            .of(root)
            .into_iter()
            .flat_map(move |c| c.locations(root))
    }

    /// The same of all, in order.
    pub fn iter(&self) -> impl Iterator<Item = (MemoryLocation, &Val)> {
        self.0
            .iter()
            .flat_map(|(root, content)| content.locations(root))
    }

    /// The variables and objects to which something was assigned, in order.
    pub fn roots(&self) -> impl Iterator<Item = Root> {
        let assigned = |(_, content): &(Root, &Content)| !content.is_empty();
        self.0.iter().filter(assigned).map(|(root, _)| root)
    }
}
