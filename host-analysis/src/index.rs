//! A table from locations to their positions in a list of locations, which is emptied at no cost.

use std::hash::{Hash, Hasher};

use crate::location::{MemoryLocation, Root, Step};
use crate::syntax::NameHasher;
use crate::value::Val;

/// A list with locations.
pub(crate) trait Locations {
    fn location(&self, at: usize) -> &MemoryLocation;
}

impl Locations for [(MemoryLocation, Option<Val>)] {
    fn location(&self, at: usize) -> &MemoryLocation {
        &self[at].0
    }
}

impl Locations for [(&MemoryLocation, Option<&Val>)] {
    fn location(&self, at: usize) -> &MemoryLocation {
        self[at].0
    }
}

/// The position of a part: of the list that was indexed at this time.
#[derive(Clone, Copy, Default)]
struct Slot {
    when: u32,
    at: u32,
    hash: u64,
}

/// Positions of locations. Wholes are found by their numbers, parts by hashes of their paths.
#[derive(Default)]
pub(crate) struct Index {
    vars: Vec<(u32, u32)>,
    objects: Vec<(u32, u32)>,
    /// As many as a power of two; at least half of them are free.
    parts: Vec<Slot>,
    parts_used: usize,
    now: u32,
}

impl Index {
    pub fn clear(&mut self) {
        match self.now.checked_add(1) {
            Some(next) => self.now = next,
            None => *self = Index::default(),
        }
        self.now = self.now.max(1);
        self.parts_used = 0;
    }

    pub fn get<L: Locations + ?Sized>(&self, list: &L, root: Root, path: &[Step]) -> Option<usize> {
        if !path.is_empty() {
            if self.parts_used == 0 {
                return None;
            }
            let slot = self.parts[self.slot(list, root, path, hash(root, path))];
            return (slot.when == self.now).then_some(slot.at as usize);
        }
        let slot = match root {
            Root::Var(id) => self.vars.get(id.0 as usize),
            Root::Object(id) => self.objects.get(id.0 as usize),
        };
        let &(when, at) = slot?;
        (when == self.now).then_some(at as usize)
    }

    /// Notes the position that a location has or gets in the list, unless it is there already; true if
    /// it is new.
    pub fn insert<L: Locations + ?Sized>(
        &mut self,
        list: &L,
        location: &MemoryLocation,
        at: usize,
    ) -> bool {
        let at = at as u32;
        if !location.path.is_empty() {
            return self.insert_part(list, location, at);
        }
        let (positions, id) = match location.root {
            Root::Var(id) => (&mut self.vars, id.0 as usize),
            Root::Object(id) => (&mut self.objects, id.0 as usize),
        };
        if positions.len() <= id {
            positions.resize(id + 1, (0, 0));
        }
        let slot = &mut positions[id];
        if slot.0 == self.now {
            return false;
        }
        *slot = (self.now, at);
        true
    }

    fn insert_part<L: Locations + ?Sized>(
        &mut self,
        list: &L,
        location: &MemoryLocation,
        at: u32,
    ) -> bool {
        if 2 * (self.parts_used + 1) > self.parts.len() {
            self.grow();
        }
        let hash = hash(location.root, &location.path);
        let slot = self.slot(list, location.root, &location.path, hash);
        if self.parts[slot].when == self.now {
            return false;
        }
        self.parts_used += 1;
        self.parts[slot] = Slot {
            when: self.now,
            at,
            hash,
        };
        true
    }

    fn grow(&mut self) {
        let room = (2 * self.parts.len()).max(16);
        let before = std::mem::replace(&mut self.parts, vec![Slot::default(); room]);
        for slot in before.into_iter().filter(|slot| slot.when == self.now) {
            let free = self.probe(slot.hash, |_| false);
            self.parts[free] = slot;
        }
    }

    /// The slot of a part, or the one that it gets.
    fn slot<L: Locations + ?Sized>(&self, list: &L, root: Root, path: &[Step], hash: u64) -> usize {
        self.probe(hash, |slot| {
            let location = list.location(slot.at as usize);
            slot.hash == hash && location.root == root && *location.path == *path
        })
    }

    /// The first slot after a hash that is the one which is looked for, or free.
    fn probe(&self, hash: u64, is_it: impl Fn(&Slot) -> bool) -> usize {
        let mask = self.parts.len() - 1;
        let mut slot = hash as usize & mask;
        while self.parts[slot].when == self.now && !is_it(&self.parts[slot]) {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

fn hash(root: Root, path: &[Step]) -> u64 {
    let mut hasher = NameHasher::default();
    (root, path).hash(&mut hasher);
    hasher.finish()
}
