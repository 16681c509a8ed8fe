//! Locations: variables and objects, and parts of them.

use std::rc::Rc;

/// Number of a variable: one for each activation of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct VarId(pub u32);

/// Number of an object that the host makes: memory, a kernel, a program, ..
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectId(pub u32);

/// Where a location starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Root {
    Var(VarId),
    Object(ObjectId),
}

/// Variables and objects.
#[derive(Clone, Default)]
pub(crate) struct RootSet {
    all: bool,
    vars: Vec<bool>,
    objects: Vec<bool>,
}

impl RootSet {
    pub fn clear(&mut self) {
        *self = RootSet::default();
    }

    pub fn insert_all(&mut self) {
        self.all = true;
    }

    pub fn insert(&mut self, root: Root) {
        let (list, id) = match root {
            Root::Var(id) => (&mut self.vars, id.0 as usize),
            Root::Object(id) => (&mut self.objects, id.0 as usize),
        };
        if list.len() <= id {
            list.resize(id + 1, false);
        }
        list[id] = true;
    }

    /// Those that were inserted one by one: variables, then objects, in order.
    pub fn iter(&self) -> impl Iterator<Item = Root> {
        let vars = self.vars.iter().enumerate().filter(|(_, is_in)| **is_in);
        let vars = vars.map(|(id, _)| Root::Var(VarId(id as u32)));
        let objects = self.objects.iter().enumerate();
        let objects = objects.filter(|(_, is_in)| **is_in);
        vars.chain(objects.map(|(id, _)| Root::Object(ObjectId(id as u32))))
    }

    pub fn has(&self, root: Root) -> bool {
        let slot = match root {
            Root::Var(id) => self.vars.get(id.0 as usize),
            Root::Object(id) => self.objects.get(id.0 as usize),
        };
        self.all || slot.copied().unwrap_or(false)
    }
}

/// A step into an aggregate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Step {
    Index(i64),
    Field(Rc<str>),
}

/// The part of a container that is the number of its elements.
pub(crate) const SIZE: &str = "#size";

/// The part of a container that any of its elements may be.
pub(crate) const ANY: &str = "#any";

/// A location that holds a value: a variable, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MemoryLocation {
    pub root: Root,
    pub path: Vec<Step>,
}

impl MemoryLocation {
    pub fn of(root: Root) -> MemoryLocation {
        MemoryLocation {
            root,
            path: Vec::new(),
        }
    }

    pub fn var(id: VarId) -> MemoryLocation {
        MemoryLocation::of(Root::Var(id))
    }

    pub fn object(id: ObjectId) -> MemoryLocation {
        MemoryLocation::of(Root::Object(id))
    }

    pub fn is_variable(&self) -> bool {
        matches!(self.root, Root::Var(_))
    }

    pub fn only_indices(&self) -> bool {
        self.path.iter().all(|s| matches!(s, Step::Index(_)))
    }

    pub fn step(&self, step: Step) -> MemoryLocation {
        let mut path = self.path.clone();
        path.push(step);
        MemoryLocation {
            root: self.root,
            path,
        }
    }

    pub fn index(&self, index: i64) -> MemoryLocation {
        self.step(Step::Index(index))
    }

    pub fn field(&self, name: &str) -> MemoryLocation {
        self.step(Step::Field(Rc::from(name)))
    }

    pub fn parent(&self) -> Option<MemoryLocation> {
        let (_, path) = self.path.split_last()?;
        Some(MemoryLocation {
            root: self.root,
            path: path.to_vec(),
        })
    }

    /// The location `by` elements after this one in its array.
    pub fn moved(&self, by: i64) -> Option<MemoryLocation> {
        if by == 0 {
            return Some(self.clone());
        }
        match self.path.last() {
            Some(Step::Index(at)) => {
                let mut moved = self.clone();
                *moved.path.last_mut()? = Step::Index(at.checked_add(by)?);
                Some(moved)
            }
            _ => None,
        }
    }
}
