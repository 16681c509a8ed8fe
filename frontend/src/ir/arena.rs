//! Typed handles into vectors.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// A handle to a `T` in an [`Arena<T>`].
pub struct Id<T> {
    index: u32,
    marker: PhantomData<fn() -> T>,
}

impl<T> Id<T> {
    /// The handle of the element at `index`.
    pub(crate) fn from_index(index: usize) -> Self {
        Id {
            index: u32::try_from(index).expect("an arena holds less than 2^32 elements"),
            marker: PhantomData,
        }
    }

    /// The element's place in its arena, for side tables.
    pub fn index(self) -> usize {
        self.index as usize
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Id<T> {}
impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}
impl<T> Eq for Id<T> {}
impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.index.cmp(&other.index)
    }
}
impl<T> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
    }
}
impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.index)
    }
}

/// A vector whose elements are named by handles. Elements are never removed.
#[derive(Clone, Debug)]
pub struct Arena<T> {
    items: Vec<T>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Arena { items: Vec::new() }
    }
}

impl<T> Arena<T> {
    /// Appends an element.
    pub fn add(&mut self, item: T) -> Id<T> {
        self.items.push(item);
        Id::from_index(self.items.len() - 1)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Elements with their handles, in order of creation.
    pub fn iter(&self) -> impl Iterator<Item = (Id<T>, &T)> {
        self.items
            .iter()
            .enumerate()
            .map(|(index, item)| (Id::from_index(index), item))
    }

    /// The handles, in order of creation.
    pub fn ids(&self) -> impl Iterator<Item = Id<T>> + use<T> {
        (0..self.items.len()).map(Id::from_index)
    }

    /// The element, if the handle is of this arena's range.
    pub fn get(&self, id: Id<T>) -> Option<&T> {
        self.items.get(id.index())
    }
}

impl<T> Index<Id<T>> for Arena<T> {
    type Output = T;
    fn index(&self, id: Id<T>) -> &T {
        &self.items[id.index()]
    }
}

impl<T> IndexMut<Id<T>> for Arena<T> {
    fn index_mut(&mut self, id: Id<T>) -> &mut T {
        &mut self.items[id.index()]
    }
}

/// An arena whose copies share their elements until one changes: a copy costs a handle for each.
#[derive(Clone, Debug)]
pub struct SharedArena<T> {
    items: Vec<Arc<T>>,
}

impl<T> Default for SharedArena<T> {
    fn default() -> Self {
        SharedArena { items: Vec::new() }
    }
}

impl<T> SharedArena<T> {
    /// Appends an element.
    pub fn add(&mut self, item: T) -> Id<T> {
        self.items.push(Arc::new(item));
        Id::from_index(self.items.len() - 1)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Elements with their handles, in order of creation.
    pub fn iter(&self) -> impl Iterator<Item = (Id<T>, &T)> {
        let items = self.items.iter().enumerate();
        items.map(|(index, item)| (Id::from_index(index), &**item))
    }

    /// The handles, in order of creation.
    pub fn ids(&self) -> impl Iterator<Item = Id<T>> + use<T> {
        (0..self.items.len()).map(Id::from_index)
    }

    /// The element, if the handle is of this arena's range.
    pub fn get(&self, id: Id<T>) -> Option<&T> {
        self.items.get(id.index()).map(|item| &**item)
    }

    /// Puts another arena's element in the place of this one's, and shares it.
    pub fn share(&mut self, id: Id<T>, other: &SharedArena<T>) {
        self.items[id.index()] = other.items[id.index()].clone();
    }
}

impl<T> Index<Id<T>> for SharedArena<T> {
    type Output = T;
    fn index(&self, id: Id<T>) -> &T {
        &self.items[id.index()]
    }
}

impl<T: Clone> IndexMut<Id<T>> for SharedArena<T> {
    fn index_mut(&mut self, id: Id<T>) -> &mut T {
        Arc::make_mut(&mut self.items[id.index()])
    }
}
