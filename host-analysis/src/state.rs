//! The abstract store: places and their values, with a journal that lets a branch be tried, taken
//! back and merged at a cost that depends on what it changed only.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use crate::content::{Content, Contents};
use crate::index::Index;
use crate::place::{Place, Root, SIZE, Step};
use crate::value::Val;

/// What a path changed: each place once, with its value then; `None`: it holds nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delta {
    changes: Vec<(Place, Option<Val>)>,
}

impl Delta {
    pub fn new() -> Delta {
        Delta::default()
    }

    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Leaves out changes.
    pub fn retain(&mut self, keep: impl Fn(&Place, Option<&Val>) -> bool) {
        self.changes
            .retain(|(place, now)| keep(place, now.as_ref()));
    }

    /// The places.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.changes.iter().map(|(place, _)| place)
    }

    /// The values that they got.
    pub fn values(&self) -> impl Iterator<Item = &Val> {
        self.changes.iter().filter_map(|(_, value)| value.as_ref())
    }

    /// The changes, wholes before their parts.
    pub fn sorted(&self) -> Vec<&(Place, Option<Val>)> {
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
    journal: Vec<(Place, Option<Val>)>,
    /// Room for [`State::originals`] and [`State::merge`].
    scratch: RefCell<(Index, Index)>,
    /// Changes that were looked through so far.
    looked_through: Cell<u64>,
    watching: Watching,
    /// Whether the place in the program that is looked at can be reached.
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
        for (place, old) in self.journal[mark..].iter().rev() {
            if let Some(content) = held.get_mut(&place.root) {
                content.replace(&place.path, old.clone());
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
        for (place, now) in changes.sorted() {
            let now = now.as_ref().map(&value);
            match (looked_at(place.root), now) {
                (true, now) => self.write(place.clone(), now),
                (false, Some(now)) => self.set(place, now),
                // It went when the whole was set.
                (false, None) => {}
            }
        }
    }

    fn slot(&self, root: Root, path: &[Step]) -> Option<&Val> {
        self.content(root)?.slot(path)
    }

    fn write(&mut self, place: Place, value: Option<Val>) {
        let old = self.contents.of_mut(place.root).replace(&place.path, value);
        self.journal.push((place, old));
    }

    /// Takes back everything since a mark.
    pub fn rollback(&mut self, mark: usize) {
        while self.journal.len() > mark {
            if let Some((place, old)) = self.journal.pop() {
                self.contents.of_mut(place.root).replace(&place.path, old);
            }
        }
    }

    /// What has changed since a mark. Places that held nothing and do so again, as variables of
    /// functions that have returned, do not count.
    pub fn capture(&self, mark: usize) -> Delta {
        let index = &mut self.scratch.borrow_mut().0;
        let originals = self.originals(mark, index);
        let mut changes = Vec::with_capacity(originals.len());
        for (place, old) in originals {
            let now = self.slot(place.root, &place.path);
            if old.is_some() || now.is_some() {
                changes.push((place.clone(), now.cloned()));
            }
        }
        Delta { changes }
    }

    /// The places changed since a mark, with the values that they had then; the index says where
    /// each one stands.
    fn originals(&self, mark: usize, index: &mut Index) -> Vec<(&Place, Option<&Val>)> {
        index.clear();
        self.count(self.journal.len() - mark);
        let mut list = Vec::with_capacity((self.journal.len() - mark).min(64));
        for (place, old) in &self.journal[mark..] {
            if index.insert(&list[..], place, list.len()) {
                list.push((place, old.as_ref()));
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
            let (place, old) = &self.journal[from];
            if old.is_some() || self.slot(place.root, &place.path).is_some() {
                self.journal.swap(end, from);
                end += 1;
            }
        }
        self.journal.truncate(end);
    }

    /// Parts of a place that have values of their own.
    pub fn parts(&self, place: &Place) -> Vec<(Place, Val)> {
        let Some(content) = self.content(place.root) else {
            return Vec::new();
        };
        let part = |(path, value): (&Vec<Step>, &Val)| {
            let path = path.clone();
            let root = place.root;
            (Place { root, path }, value.clone())
        };
        content.below(&place.path).map(part).collect()
    }

    /// The values of a variable or object and its parts.
    pub fn values(&self, root: Root) -> impl Iterator<Item = &Val> {
        self.content(root).into_iter().flat_map(Content::values)
    }

    /// The first steps to parts of a place that have values of their own, each once.
    pub fn steps_inside<'s>(&'s self, place: &'s Place) -> Vec<&'s Step> {
        let content = self.content(place.root).into_iter();
        let parts = content.flat_map(|content| content.below(&place.path));
        let mut steps: Vec<&Step> = parts.map(|(path, _)| &path[place.path.len()]).collect();
        steps.dedup();
        steps
    }

    /// Whether parts of a place have values of their own.
    pub fn has_parts(&self, place: &Place) -> bool {
        let content = self.content(place.root);
        content.is_some_and(|c| !c.parts.is_empty() && c.below(&place.path).next().is_some())
    }

    fn havoc_parts(&mut self, place: &Place, keep_size: bool) {
        let content = self.content_unwatched(place.root);
        let Some(content) = content.filter(|c| !c.parts.is_empty()) else {
            return;
        };
        let size = |path: &[Step]| match path {
            [Step::Field(name)] => **name == *SIZE,
            _ => false,
        };
        let below: Vec<_> = content
            .below(&place.path)
            .map(|(p, _)| p.clone())
            .filter(|p| !(keep_size && size(&p[place.path.len()..])))
            .collect();
        let root = place.root;
        for path in below {
            self.write(Place { root, path }, None);
        }
    }

    /// Sets a whole place; its parts hold nothing of their own then. Where elements are not known
    /// any more, how many there are may still be.
    pub fn set(&mut self, place: &Place, value: Val) {
        self.havoc_parts(place, value.is_unknown());
        self.write(place.clone(), Some(value));
    }

    /// Sets a place; its parts keep what they hold.
    pub fn set_alone(&mut self, place: &Place, value: Val) {
        self.write(place.clone(), Some(value));
    }

    /// Havocs a place and its parts.
    pub fn havoc(&mut self, place: &Place) {
        self.havoc_parts(place, false);
        if self.own(place).is_some() {
            self.write(place.clone(), None);
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

    /// All places that hold a value.
    pub fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        for (root, content) in self.contents() {
            if content.own.is_some() {
                places.push(Place::of(root));
            }
            let parts = content.parts.keys();
            places.extend(parts.map(|path| Place {
                root,
                path: path.clone(),
            }));
        }
        places
    }

    /// The value of a place: its own, or what the place that it is a part of says.
    pub fn get(&self, place: &Place) -> Val {
        match self.nearest(place) {
            Some((len, value)) if len == place.path.len() => value.clone(),
            Some((len, value)) => match place.path[len] {
                Step::Index(_) => element_of(value),
                Step::Field(_) => part_of(value),
            },
            None => Val::unknown("its value is not known here"),
        }
    }

    /// [`State::get`], if something is known of the value.
    pub fn known(&self, place: &Place) -> Option<Cow<'_, Val>> {
        match self.nearest(place)? {
            (_, Val::Unknown(_)) => None,
            (len, value) if len == place.path.len() => Some(Cow::Borrowed(value)),
            (_, value @ (Val::Unset | Val::Zero)) => Some(Cow::Borrowed(value)),
            _ => None,
        }
    }

    /// The value of the smallest place around a place that has one, and how long its path is.
    fn nearest(&self, place: &Place) -> Option<(usize, &Val)> {
        let content = self.content(place.root)?;
        let mut len = place.path.len();
        while len > 0 && !content.parts.is_empty() {
            if let Some(value) = content.parts.get(&place.path[..len]) {
                return Some((len, value));
            }
            len -= 1;
        }
        content.own.as_ref().map(|value| (0, value))
    }

    /// Whether a place holds a value of its own.
    pub fn own(&self, place: &Place) -> Option<&Val> {
        self.slot(place.root, &place.path)
    }

    /// Merges another path, which changed `other` since `mark`, into the state.
    pub fn merge(&mut self, mark: usize, other: Delta) {
        let mut scratch = self.scratch.take();
        let (here, there) = &mut scratch;
        let originals = self.originals(mark, here);
        self.count(other.changes.len());
        there.clear();
        for (at, (place, _)) in other.changes.iter().enumerate() {
            there.insert(&other.changes[..], place, at);
        }
        let writes = match self.reachable {
            true => self.joined(&originals, here, &other, there),
            false => self.replaced(&originals, &other, there),
        };
        self.scratch.replace(scratch);
        self.reachable = true;
        for (place, value) in writes {
            self.write(place, value);
        }
    }

    /// The writes that make another path out of this one.
    fn replaced(
        &self,
        originals: &[(&Place, Option<&Val>)],
        other: &Delta,
        there: &Index,
    ) -> Vec<(Place, Option<Val>)> {
        let taken_back = originals.iter().filter(|(place, old)| {
            self.watching
                .note(place.root, self.content_unwatched(place.root));
            there
                .get(&other.changes[..], place.root, &place.path)
                .is_none()
                && (old.is_some() || self.own(place).is_some())
        });
        taken_back
            .map(|(place, old)| ((*place).clone(), old.cloned()))
            .chain(other.changes.iter().cloned())
            .collect()
    }

    /// The writes that join another path with this one.
    fn joined(
        &self,
        originals: &[(&Place, Option<&Val>)],
        here: &Index,
        other: &Delta,
        there: &Index,
    ) -> Vec<(Place, Option<Val>)> {
        let mut writes = Vec::new();
        let only_here = originals.iter().map(|(place, _)| *place);
        let only_here =
            only_here.filter(|p| there.get(&other.changes[..], p.root, &p.path).is_none());
        for place in other.changes.iter().map(|(p, _)| p).chain(only_here) {
            let now = self.own(place);
            if place.path.is_empty() && now.is_none() {
                let that = there.get(&other.changes[..], place.root, &[]);
                let before = here.get(originals, place.root, &[]);
                if that.is_none_or(|at| other.changes[at].1.is_none())
                    && before.is_none_or(|at| originals[at].1.is_none())
                {
                    continue;
                }
            }
            let that = self.there(place, originals, here, other, there);
            if let Root::Object(_) = place.root {
                let before = match (
                    there.get(&other.changes[..], place.root, &[]),
                    here.get(originals, place.root, &[]),
                ) {
                    (Some(at), _) => other.changes[at].1.as_ref(),
                    (None, Some(at)) => originals[at].1,
                    (None, None) => self.slot(place.root, &[]),
                };
                // It was made on one of the paths, and nothing holds it on the other.
                match (self.slot(place.root, &[]).is_some(), before.is_some()) {
                    (true, false) => continue,
                    (false, true) => {
                        writes.push((place.clone(), Some(that)));
                        continue;
                    }
                    _ => {}
                }
            }
            let joined = self.get(place).join(&that);
            if now != Some(&joined) {
                writes.push((place.clone(), Some(joined)));
            }
        }
        writes
    }

    /// The value of a place on another path.
    fn there(
        &self,
        place: &Place,
        originals: &[(&Place, Option<&Val>)],
        here: &Index,
        other: &Delta,
        there: &Index,
    ) -> Val {
        for len in (0..=place.path.len()).rev() {
            let path = &place.path[..len];
            let value = match (
                there.get(&other.changes[..], place.root, path),
                here.get(originals, place.root, path),
            ) {
                (Some(at), _) => other.changes[at].1.as_ref(),
                (None, Some(at)) => originals[at].1,
                (None, None) => self.slot(place.root, path),
            };
            if let Some(value) = value {
                return match len == place.path.len() {
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
