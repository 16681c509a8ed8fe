//! OpenCL objects and memory that the host makes, and what is noted of calls.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::source::Span;
use fpgacc_launch_facts::{Known, Launch, ProgramSource, QueueOrder, Value};

use crate::arguments::Arguments;
use crate::location::ObjectId;
use crate::value::Val;

/// Kinds of objects.
#[derive(Clone, Debug)]
pub(crate) enum ObjectKind {
    Program {
        sources: Known<Vec<ProgramSource>>,
        options: Vec<Known<String>>,
        /// clCompileProgram gets it.
        is_part: bool,
        kernels: Vec<Known<String>>,
    },
    Kernel {
        name: Val,
    },
    Queue {
        order: QueueOrder,
    },
    Memory {
        /// The flags, if they are known.
        flags: Option<u64>,
        /// Of a sub-buffer.
        part: Option<Part>,
        size: Value,
        /// The variable that holds the handle.
        holder: Option<String>,
        /// The holder's function has returned: the next variable is the holder.
        loose: bool,
    },
    /// Memory of malloc or new.
    Heap,
}

/// What part of another buffer a sub-buffer is.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The other buffer, if it is known.
    pub of: Option<ObjectId>,
    /// Where it starts, in bytes.
    pub origin: Value,
}

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub site: Span,
    pub kind: ObjectKind,
    /// It stands for several objects, made by one call in a loop.
    pub summary: bool,
}

/// All objects. The same call reached in the same way gives the same object.
#[derive(Default)]
pub(crate) struct Objects {
    list: Vec<Object>,
    by_way: BTreeMap<(Span, Vec<u32>), ObjectId>,
    /// Holders of memory, by name, that are not loose.
    held: BTreeSet<(String, ObjectId)>,
    /// How often something was made or may have been changed.
    changes: u64,
}

impl Objects {
    pub fn havoc_all(&mut self) {
        self.list.clear();
        self.by_way.clear();
        self.held.clear();
    }

    /// The object that a call makes when it is reached in this way, and whether it is new.
    pub fn make(
        &mut self,
        site: Span,
        way: &[u32],
        summary: bool,
        kind: ObjectKind,
    ) -> (ObjectId, bool) {
        self.changes += 1;
        let key = (site, way.to_vec());
        if let Some(&id) = self.by_way.get(&key) {
            return (id, false);
        }
        let id = ObjectId(self.list.len() as u32);
        self.list.push(Object {
            site,
            kind,
            summary,
        });
        self.by_way.insert(key, id);
        (id, true)
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// How often an object was made, or reached again where it is made, or may have been changed.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Whether nothing but dynamic memory was made since there were `len` objects.
    pub fn only_memory_since(&self, len: usize) -> bool {
        let made = &self.list[len..];
        made.iter().all(|o| matches!(o.kind, ObjectKind::Heap))
    }

    pub fn get(&self, id: ObjectId) -> &Object {
        &self.list[id.0 as usize]
    }

    pub fn get_mut(&mut self, id: ObjectId) -> &mut Object {
        self.changes += 1;
        &mut self.list[id.0 as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = &Object> {
        self.list.iter()
    }
}

/// A loop around a launch.
#[derive(Clone, Debug)]
pub(crate) struct Around {
    pub site: Span,
    /// The number of the loop's activation.
    pub activation: u32,
    /// What may differ between its iterations.
    pub changes: BTreeSet<String>,
}

/// What was noted at a location.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    pub site: Span,
    /// The launch; its `site` and `within` are filled in when visits are merged.
    pub launch: Launch,
    /// The innermost loop around it.
    pub within: Option<Around>,
    /// What is passed, if the kernel is known.
    pub arguments: Option<Arguments>,
}

impl Objects {
    /// Whether memory has no variable that holds it.
    pub fn lacks_holder(&self, id: ObjectId) -> bool {
        match &self.list[id.0 as usize].kind {
            ObjectKind::Memory { holder, loose, .. } => holder.is_none() || *loose,
            _ => false,
        }
    }

    /// Names the variable that holds memory, if it has none.
    pub fn hold(&mut self, id: ObjectId, name: String) {
        if let ObjectKind::Memory { holder, loose, .. } = &mut self.list[id.0 as usize].kind
            && (holder.is_none() || *loose)
        {
            self.changes += 1;
            let name = holder.insert(name);
            *loose = false;
            self.held.insert((name.clone(), id));
        }
    }

    /// A function returns: its variables do not name memory any more, which gets the next variable
    /// as its holder.
    pub fn loosen(&mut self, function: &str) {
        let of_function = |name: &str| {
            let variable = name.strip_prefix(function);
            variable.is_some_and(|rest| rest.starts_with("::"))
        };
        let held = self.held.iter().filter(|(name, _)| of_function(name));
        let held: Vec<_> = held.cloned().collect();
        for key in held {
            if let ObjectKind::Memory { holder, loose, .. } = &mut self.get_mut(key.1).kind
                && holder.as_ref() == Some(&key.0)
            {
                *loose = true;
            }
            self.held.remove(&key);
            self.changes += 1;
        }
    }
}
