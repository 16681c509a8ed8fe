//! The abstract store: locations and their values, with a journal that lets a branch be tried, taken
//! back and merged at a cost that depends on what it changed only.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use crate::content::{Content, Contents};
use crate::index::Index;
use crate::location::{MemoryLocation, Root, SIZE, Step};
use crate::value::Val;

/// What a path changed: each location once, with its value then; `None`: it holds nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delta {
    changes: Vec<(MemoryLocation, Option<Val>)>,
}

impl Delta {
    pub fn new() -> Delta {
        Delta::default()
    }

    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Leaves out changes.
    pub fn retain(&mut self, keep: impl Fn(&MemoryLocation, Option<&Val>) -> bool) {
        self.changes
            .retain(|(location, now)| keep(location, now.as_ref()));
    }

    /// The locations.
    pub fn locations(&self) -> impl Iterator<Item = &MemoryLocation> {
        self.changes.iter().map(|(location, _)| location)
    }

    /// The values that they got.
    pub fn values(&self) -> impl Iterator<Item = &Val> {
        self.changes.iter().filter_map(|(_, value)| value.as_ref())
    }

    /// The changes, wholes before their parts.
    pub fn sorted(&self) -> Vec<&(MemoryLocation, Option<Val>)> {
        let mut all: Vec<_> = self.changes.iter().collect();
        all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        all
    }
}

/// What is looked at is noted, while something asks for it.
#[derive(Default)]
struct Watching {
    /// How many ask.
    open: u32,
    /// Counts when somebody starts to ask; and when the last one that still asks did.
    now: u32,
    since: u32,
    log: RefCell<Vec<Root>>,
    /// How often everything was looked at.
    all: Cell<u32>,
}

impl Watching {
    fn note(&self, root: Root, content: Option<&Content>) {
        if self.open == 0 {
            return;
        }
        if let Some(content) = content {
            if content.seen.get() > self.since {
                return;
            }
            content.seen.set(self.now);
        }
        self.log.borrow_mut().push(root);
    }
}

/// Since when somebody asks what is looked at.
pub(crate) struct Watch {
    start: usize,
    all: u32,
    /// Who asked before.
    outer: u32,
}

/// The abstract store.
#[derive(Default)]
pub(crate) struct State {
    contents: Contents,
    journal: Vec<(MemoryLocation, Option<Val>)>,
    /// Room for [`State::originals`] and [`State::merge`].
    scratch: RefCell<(Index, Index)>,
    /// Changes that were looked through so far.
    looked_through: Cell<u64>,
    watching: Watching,
    /// Whether the location in the program that is looked at can be reached.
    pub reachable: bool,
}

impl State {
    pub fn mark(&self) -> usize {
        self.journal.len()
    }

    fn content(&self, root: Root) -> Option<&Content> {
        let content = self.content_unwatched(root);
        self.watching.note(root, content);
        content
    }

    /// What a variable or object holds, without a note that it was looked at.
    pub fn content_unwatched(&self, root: Root) -> Option<&Content> {
        self.contents.of(root)
    }

    /// Notes from now on what is looked at, until [`State::watched`].
    pub fn watch(&mut self) -> Watch {
        let watching = &mut self.watching;
        let watch = Watch {
            start: watching.log.get_mut().len(),
            all: watching.all.get(),
            outer: watching.since,
        };
        watching.open += 1;
        watching.since = watching.now;
        watching.now += 1;
        watch
    }

    /// Ends what [`State::watch`] began: the variables and objects whose values were looked at, or
    /// nothing if these are all or are not wanted.
    pub fn watched(&mut self, watch: &Watch, wanted: bool) -> Option<BTreeSet<Root>> {
        let watching = &mut self.watching;
        let log = watching.log.get_mut();
        let wanted = wanted && watching.all.get() == watch.all;
        let roots = wanted.then(|| log[watch.start..].iter().copied().collect());
        watching.open -= 1;
        watching.since = watch.outer;
        if watching.open == 0 {
            log.clear();
        }
        roots
    }

    /// What variables and objects held at a mark, unless it is more than so many values.
    pub fn at_mark(
        &self,
        mark: usize,
        roots: &BTreeSet<Root>,
        most: usize,
    ) -> Option<BTreeMap<Root, Content>> {
        let content = |root: &Root| self.content_unwatched(*root);
        let values: usize = roots
            .iter()
            .filter_map(content)
            .map(|c| c.parts.len())
            .sum();
        if values + self.journal.len() - mark > most {
            return None;
        }
        let now = |root: &Root| (*root, content(root).cloned().unwrap_or_default());
        let mut held: BTreeMap<Root, Content> = roots.iter().map(now).collect();
        for (location, old) in self.journal[mark..].iter().rev() {
            if let Some(content) = held.get_mut(&location.root) {
                content.replace(&location.path, old.clone());
            }
        }
        Some(held)
    }

    /// Whether a variable or object holds just this, whatever the reasons of unknown values are.
    pub fn holds(&self, root: Root, content: &Content) -> bool {
        match self.content(root) {
            Some(now) => now.is_alike(content),
            None => Content::default().is_alike(content),
        }
    }

    /// Makes changes that were made before, when variables and objects held what they hold now or
    /// were not looked at.
    pub fn apply(
        &mut self,
        changes: &Delta,
        looked_at: impl Fn(Root) -> bool,
        value: impl Fn(&Val) -> Val,
    ) {
        for (location, now) in changes.sorted() {
            let now = now.as_ref().map(&value);
            match (looked_at(location.root), now) {
                (true, now) => self.write(location.clone(), now),
                (false, Some(now)) => self.set(location, now),
                // It went when the whole was set.
                (false, None) => {}
            }
        }
    }

    fn slot(&self, root: Root, path: &[Step]) -> Option<&Val> {
        self.content(root)?.slot(path)
    }

    fn write(&mut self, location: MemoryLocation, value: Option<Val>) {
        let old = self
            .contents
            .of_mut(location.root)
            .replace(&location.path, value);
        self.journal.push((location, old));
    }

    /// Takes back everything since a mark.
    pub fn rollback(&mut self, mark: usize) {
        while self.journal.len() > mark {
            if let Some((location, old)) = self.journal.pop() {
                self.contents
                    .of_mut(location.root)
                    .replace(&location.path, old);
            }
        }
    }

    /// What has changed since a mark. Locations that held nothing and do so again, as variables of
    /// functions that have returned, do not count.
    pub fn capture(&self, mark: usize) -> Delta {
        let index = &mut self.scratch.borrow_mut().0;
        let originals = self.originals(mark, index);
        let mut changes = Vec::with_capacity(originals.len());
        for (location, old) in originals {
            let now = self.slot(location.root, &location.path);
            if old.is_some() || now.is_some() {
                changes.push((location.clone(), now.cloned()));
            }
        }
        Delta { changes }
    }

    /// The locations changed since a mark, with the values that they had then; the index says where
    /// each one stands.
    fn originals(&self, mark: usize, index: &mut Index) -> Vec<(&MemoryLocation, Option<&Val>)> {
        index.clear();
        self.count(self.journal.len() - mark);
        let mut list = Vec::with_capacity((self.journal.len() - mark).min(64));
        for (location, old) in &self.journal[mark..] {
            if index.insert(&list[..], location, list.len()) {
                list.push((location, old.as_ref()));
            }
        }
        list
    }

    fn count(&self, changes: usize) {
        self.looked_through
            .set(self.looked_through.get() + changes as u64);
    }

    /// How many changes were looked through since this was asked last.
    pub fn work(&mut self) -> u64 {
        self.looked_through.take()
    }

    /// Forgets how the changes since a mark came about. No mark may lie after it.
    pub fn compact(&mut self, mark: usize) {
        self.count(self.journal.len() - mark);
        let Self {
            journal, scratch, ..
        } = self;
        let index = &mut scratch.get_mut().0;
        index.clear();
        let mut at = mark;
        for from in mark..journal.len() {
            if index.insert(&journal[..], &journal[from].0, at) {
                journal.swap(at, from);
                at += 1;
            }
        }
        journal.truncate(at);
        let mut end = mark;
        for from in mark..self.journal.len() {
            let (location, old) = &self.journal[from];
            if old.is_some() || self.slot(location.root, &location.path).is_some() {
                self.journal.swap(end, from);
                end += 1;
            }
        }
        self.journal.truncate(end);
    }

    /// Parts of a location that have values of their own.
    pub fn parts(&self, location: &MemoryLocation) -> Vec<(MemoryLocation, Val)> {
        let Some(content) = self.content(location.root) else {
            return Vec::new();
        };
        let part = |(path, value): (&Vec<Step>, &Val)| {
            let path = path.clone();
            let root = location.root;
            (MemoryLocation { root, path }, value.clone())
        };
        content.below(&location.path).map(part).collect()
    }

    /// The values of a variable or object and its parts.
    pub fn values(&self, root: Root) -> impl Iterator<Item = &Val> {
        self.content(root).into_iter().flat_map(Content::values)
    }

    /// The first steps to parts of a location that have values of their own, each once.
    pub fn steps_inside<'s>(&'s self, location: &'s MemoryLocation) -> Vec<&'s Step> {
        let content = self.content(location.root).into_iter();
        let parts = content.flat_map(|content| content.below(&location.path));
        let mut steps: Vec<&Step> = parts.map(|(path, _)| &path[location.path.len()]).collect();
        steps.dedup();
        steps
    }

    /// Whether parts of a location have values of their own.
    pub fn has_parts(&self, location: &MemoryLocation) -> bool {
        let content = self.content(location.root);
        content.is_some_and(|c| !c.parts.is_empty() && c.below(&location.path).next().is_some())
    }

    fn havoc_parts(&mut self, location: &MemoryLocation, keep_size: bool) {
        let content = self.content_unwatched(location.root);
        let Some(content) = content.filter(|c| !c.parts.is_empty()) else {
            return;
        };
        let size = |path: &[Step]| match path {
            [Step::Field(name)] => **name == *SIZE,
            _ => false,
        };
        let below: Vec<_> = content
            .below(&location.path)
            .map(|(p, _)| p.clone())
            .filter(|p| !(keep_size && size(&p[location.path.len()..])))
            .collect();
        let root = location.root;
        for path in below {
            self.write(MemoryLocation { root, path }, None);
        }
    }

    /// Sets a whole location; its parts hold nothing of their own then. Where elements are not known
    /// any more, how many there are may still be.
    pub fn set(&mut self, location: &MemoryLocation, value: Val) {
        self.havoc_parts(location, value.is_unknown());
        self.write(location.clone(), Some(value));
    }

    /// Sets a location; its parts keep what they hold.
    pub fn set_alone(&mut self, location: &MemoryLocation, value: Val) {
        self.write(location.clone(), Some(value));
    }

    /// Havocs a location and its parts.
    pub fn havoc(&mut self, location: &MemoryLocation) {
        self.havoc_parts(location, false);
        if self.own(location).is_some() {
            self.write(location.clone(), None);
        }
    }

    /// The variables and objects that hold a value, in order.
    pub fn roots(&self) -> impl Iterator<Item = Root> {
        let holds = |c: &Content| c.own.is_some() || !c.parts.is_empty();
        self.contents()
            .filter(move |(_, content)| holds(content))
            .map(|(root, _)| root)
    }

    /// Those of some variables and objects that hold a value.
    pub fn holding(&self, roots: impl Iterator<Item = Root>) -> Vec<Root> {
        // What holds nothing may hold something another time.
        self.watching.all.set(self.watching.all.get() + 1);
        let holds = |root: &Root| {
            let content = self.content_unwatched(*root);
            content.is_some_and(|content| !content.is_empty())
        };
        roots.filter(holds).collect()
    }

    /// Whether a variable or object holds a value of which something is known.
    pub fn is_known(&self, root: Root) -> bool {
        self.content(root)
            .is_some_and(|c| c.values().any(|v| !v.is_unknown()))
    }

    fn contents(&self) -> impl Iterator<Item = (Root, &Content)> {
        self.watching.all.set(self.watching.all.get() + 1);
        self.contents.iter()
    }

    /// All locations that hold a value.
    pub fn locations(&self) -> Vec<MemoryLocation> {
        let mut locations = Vec::new();
        for (root, content) in self.contents() {
            if content.own.is_some() {
                locations.push(MemoryLocation::of(root));
            }
            let parts = content.parts.keys();
            locations.extend(parts.map(|path| MemoryLocation {
                root,
                path: path.clone(),
            }));
        }
        locations
    }

    /// The value of a location: its own, or what the location that it is a part of says.
    pub fn get(&self, location: &MemoryLocation) -> Val {
        match self.nearest(location) {
            Some((len, value)) if len == location.path.len() => value.clone(),
            Some((len, value)) => match location.path[len] {
                Step::Index(_) => element_of(value),
                Step::Field(_) => part_of(value),
            },
            None => Val::unknown("its value is not known here"),
        }
    }

    /// [`State::get`], if something is known of the value.
    pub fn known(&self, location: &MemoryLocation) -> Option<Cow<'_, Val>> {
        match self.nearest(location)? {
            (_, Val::Unknown(_)) => None,
            (len, value) if len == location.path.len() => Some(Cow::Borrowed(value)),
            (_, value @ (Val::Unset | Val::Zero)) => Some(Cow::Borrowed(value)),
            _ => None,
        }
    }

    /// The value of the smallest location around a location that has one, and how long its path is.
    fn nearest(&self, location: &MemoryLocation) -> Option<(usize, &Val)> {
        let content = self.content(location.root)?;
        let mut len = location.path.len();
        while len > 0 && !content.parts.is_empty() {
            if let Some(value) = content.parts.get(&location.path[..len]) {
                return Some((len, value));
            }
            len -= 1;
        }
        content.own.as_ref().map(|value| (0, value))
    }

    /// Whether a location holds a value of its own.
    pub fn own(&self, location: &MemoryLocation) -> Option<&Val> {
        self.slot(location.root, &location.path)
    }

    /// Merges another path, which changed `other` since `mark`, into the state.
    pub fn merge(&mut self, mark: usize, other: Delta) {
        let mut scratch = self.scratch.take();
        let (here, there) = &mut scratch;
        let originals = self.originals(mark, here);
        self.count(other.changes.len());
        there.clear();
        for (at, (location, _)) in other.changes.iter().enumerate() {
            there.insert(&other.changes[..], location, at);
        }
        let writes = match self.reachable {
            true => self.joined(&originals, here, &other, there),
            false => self.replaced(&originals, &other, there),
        };
        self.scratch.replace(scratch);
        self.reachable = true;
        for (location, value) in writes {
            self.write(location, value);
        }
    }

    /// The writes that make another path out of this one.
    fn replaced(
        &self,
        originals: &[(&MemoryLocation, Option<&Val>)],
        other: &Delta,
        there: &Index,
    ) -> Vec<(MemoryLocation, Option<Val>)> {
        let taken_back = originals.iter().filter(|(location, old)| {
            self.watching
                .note(location.root, self.content_unwatched(location.root));
            there
                .get(&other.changes[..], location.root, &location.path)
                .is_none()
                && (old.is_some() || self.own(location).is_some())
        });
        taken_back
            .map(|(location, old)| ((*location).clone(), old.cloned()))
            .chain(other.changes.iter().cloned())
            .collect()
    }

    /// The writes that join another path with this one.
    fn joined(
        &self,
        originals: &[(&MemoryLocation, Option<&Val>)],
        here: &Index,
        other: &Delta,
        there: &Index,
    ) -> Vec<(MemoryLocation, Option<Val>)> {
        let mut writes = Vec::new();
        let only_here = originals.iter().map(|(location, _)| *location);
        let only_here =
            only_here.filter(|p| there.get(&other.changes[..], p.root, &p.path).is_none());
        for location in other.changes.iter().map(|(p, _)| p).chain(only_here) {
            let now = self.own(location);
            if location.path.is_empty() && now.is_none() {
                let that = there.get(&other.changes[..], location.root, &[]);
                let before = here.get(originals, location.root, &[]);
                if that.is_none_or(|at| other.changes[at].1.is_none())
                    && before.is_none_or(|at| originals[at].1.is_none())
                {
                    continue;
                }
            }
            let that = self.there(location, originals, here, other, there);
            if let Root::Object(_) = location.root {
                let before = match (
                    there.get(&other.changes[..], location.root, &[]),
                    here.get(originals, location.root, &[]),
                ) {
                    (Some(at), _) => other.changes[at].1.as_ref(),
                    (None, Some(at)) => originals[at].1,
                    (None, None) => self.slot(location.root, &[]),
                };
                // It was made on one of the paths, and nothing holds it on the other.
                match (self.slot(location.root, &[]).is_some(), before.is_some()) {
                    (true, false) => continue,
                    (false, true) => {
                        writes.push((location.clone(), Some(that)));
                        continue;
                    }
                    _ => {}
                }
            }
            let joined = self.get(location).join(&that);
            if now != Some(&joined) {
                writes.push((location.clone(), Some(joined)));
            }
        }
        writes
    }

    /// The value of a location on another path.
    fn there(
        &self,
        location: &MemoryLocation,
        originals: &[(&MemoryLocation, Option<&Val>)],
        here: &Index,
        other: &Delta,
        there: &Index,
    ) -> Val {
        for len in (0..=location.path.len()).rev() {
            let path = &location.path[..len];
            let value = match (
                there.get(&other.changes[..], location.root, path),
                here.get(originals, location.root, path),
            ) {
                (Some(at), _) => other.changes[at].1.as_ref(),
                (None, Some(at)) => originals[at].1,
                (None, None) => self.slot(location.root, path),
            };
            if let Some(value) = value {
                return match len == location.path.len() {
                    true => value.clone(),
                    false => part_of(value),
                };
            }
        }
        Val::unknown("its value is not known on every path")
    }
}

/// What a value that stands for all elements of an array says of one.
fn element_of(all: &Val) -> Val {
    let alike = |value: &Val| matches!(value, Val::Handle(_) | Val::Int(..) | Val::Null);
    match all.alternatives().iter().all(alike) {
        true => all.clone(),
        false => part_of(all),
    }
}

/// What a value of a whole says of its parts.
pub(crate) fn part_of(whole: &Val) -> Val {
    match whole {
        Val::Unset => Val::Unset,
        Val::Zero => Val::Zero,
        Val::Unknown(reason) => Val::Unknown(reason.clone()),
        _ => Val::unknown("a part of a value that is not followed"),
    }
}
