//! The abstract store: places and their values, with a journal that lets a branch be tried, taken
//! back and merged at a cost that depends on what it changed only.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::value::{ObjectId, Val};

/// Number of a variable: one for each activation of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct VarId(pub u32);

/// Where a place starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Root {
    Var(VarId),
    Object(ObjectId),
}

/// A step into an aggregate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Index(i64),
    Field(Rc<str>),
}

/// A place that holds a value: a variable, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub root: Root,
    pub path: Vec<Step>,
}

impl Place {
    pub fn of(root: Root) -> Place {
        Place {
            root,
            path: Vec::new(),
        }
    }

    pub fn var(id: VarId) -> Place {
        Place::of(Root::Var(id))
    }

    pub fn object(id: ObjectId) -> Place {
        Place::of(Root::Object(id))
    }

    pub fn is_variable(&self) -> bool {
        matches!(self.root, Root::Var(_))
    }

    pub fn only_indices(&self) -> bool {
        self.path.iter().all(|s| matches!(s, Step::Index(_)))
    }

    pub fn step(&self, step: Step) -> Place {
        let mut path = self.path.clone();
        path.push(step);
        Place {
            root: self.root,
            path,
        }
    }

    pub fn index(&self, index: i64) -> Place {
        self.step(Step::Index(index))
    }

    pub fn field(&self, name: &str) -> Place {
        self.step(Step::Field(Rc::from(name)))
    }

    pub fn parent(&self) -> Option<Place> {
        let (_, path) = self.path.split_last()?;
        Some(Place {
            root: self.root,
            path: path.to_vec(),
        })
    }

    /// The place `by` elements behind this one in its array.
    pub fn moved(&self, by: i64) -> Option<Place> {
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

    fn contains(&self, other: &Place) -> bool {
        self.root == other.root && other.path.starts_with(&self.path)
    }
}

/// What a path changed: each place with its value then; `None`: it holds nothing.
pub(crate) type Delta = BTreeMap<Place, Option<Val>>;

/// The abstract store.
#[derive(Default)]
pub(crate) struct State {
    values: BTreeMap<Place, Val>,
    journal: Vec<(Place, Option<Val>)>,
    /// Whether the place in the program that is looked at can be reached.
    pub reachable: bool,
}

impl State {
    pub fn mark(&self) -> usize {
        self.journal.len()
    }

    fn write(&mut self, place: Place, value: Option<Val>) {
        let old = match value {
            Some(value) => self.values.insert(place.clone(), value),
            None => self.values.remove(&place),
        };
        self.journal.push((place, old));
    }

    /// Takes back everything since a mark.
    pub fn rollback(&mut self, mark: usize) {
        while self.journal.len() > mark {
            if let Some((place, old)) = self.journal.pop() {
                match old {
                    Some(value) => self.values.insert(place, value),
                    None => self.values.remove(&place),
                };
            }
        }
    }

    /// What has changed since a mark. Places that held nothing and do so again, as variables of
    /// functions that have returned, do not count.
    pub fn capture(&self, mark: usize) -> Delta {
        self.originals(mark)
            .into_iter()
            .map(|(place, old)| (place, old, self.values.get(place)))
            .filter(|(_, old, now)| old.is_some() || now.is_some())
            .map(|(place, _, now)| (place.clone(), now.cloned()))
            .collect()
    }

    /// The values that the changed places had at a mark.
    fn originals(&self, mark: usize) -> BTreeMap<&Place, Option<&Val>> {
        let changes = self.journal[mark..].iter().rev();
        changes.map(|(place, old)| (place, old.as_ref())).collect()
    }

    fn descendants(&self, place: &Place) -> Vec<Place> {
        self.values
            .range(place.clone()..)
            .map(|(p, _)| p)
            .skip_while(|p| *p == place)
            .take_while(|p| place.contains(p))
            .cloned()
            .collect()
    }

    /// Parts of a place that have values of their own.
    pub fn parts(&self, place: &Place) -> Vec<(Place, Val)> {
        self.values
            .range(place.clone()..)
            .take_while(|(p, _)| place.contains(p))
            .filter(|(p, _)| *p != place)
            .map(|(p, v)| (p.clone(), v.clone()))
            .collect()
    }

    /// Sets a whole place; its parts hold nothing of their own then.
    pub fn set(&mut self, place: &Place, value: Val) {
        for part in self.descendants(place) {
            self.write(part, None);
        }
        self.write(place.clone(), Some(value));
    }

    /// Forgets a place and its parts.
    pub fn forget(&mut self, place: &Place) {
        for part in self.descendants(place) {
            self.write(part, None);
        }
        if self.values.contains_key(place) {
            self.write(place.clone(), None);
        }
    }

    /// All places that hold a value.
    pub fn places(&self) -> Vec<Place> {
        self.values.keys().cloned().collect()
    }

    /// The value of a place: its own, or what the place that it is a part of says.
    pub fn get(&self, place: &Place) -> Val {
        if let Some(value) = self.values.get(place) {
            return value.clone();
        }
        let mut outer = place.parent();
        while let Some(at) = outer {
            if let Some(value) = self.values.get(&at) {
                return part_of(value);
            }
            outer = at.parent();
        }
        Val::unknown("its value is not known here")
    }

    /// Whether a place holds a value of its own.
    pub fn own(&self, place: &Place) -> Option<&Val> {
        self.values.get(place)
    }

    /// Merges another path, which changed `other` since `mark`, into the state.
    pub fn merge(&mut self, mark: usize, other: Delta) {
        let originals = self.originals(mark);
        if !self.reachable {
            let taken_back: Vec<_> = originals
                .into_iter()
                .filter(|(place, old)| {
                    !other.contains_key(*place)
                        && (old.is_some() || self.values.contains_key(*place))
                })
                .map(|(place, old)| (place.clone(), old.cloned()))
                .collect();
            self.reachable = true;
            for (place, value) in taken_back.into_iter().chain(other) {
                self.write(place, value);
            }
            return;
        }
        let mut joined = Vec::new();
        let only_here = originals.keys().copied();
        let only_here = only_here.filter(|place| !other.contains_key(*place));
        for place in other.keys().chain(only_here) {
            let gone = |value: Option<&Option<Val>>| value.is_none_or(Option::is_none);
            if place.path.is_empty()
                && !self.values.contains_key(place)
                && gone(other.get(place))
                && originals.get(place).is_none_or(|old| old.is_none())
            {
                continue;
            }
            let here = self.get(place);
            let there = self.there(place, &originals, &other);
            joined.push((place.clone(), here.join(&there)));
        }
        for (place, value) in joined {
            if self.values.get(&place) != Some(&value) {
                self.write(place, Some(value));
            }
        }
    }

    /// The value of a place on another path.
    fn there(
        &self,
        place: &Place,
        originals: &BTreeMap<&Place, Option<&Val>>,
        other: &Delta,
    ) -> Val {
        let mut at = Some(place.clone());
        while let Some(here) = at {
            let value = match (other.get(&here), originals.get(&here)) {
                (Some(value), _) => value.as_ref(),
                (None, Some(value)) => *value,
                (None, None) => self.values.get(&here),
            };
            if let Some(value) = value {
                return match here == *place {
                    true => value.clone(),
                    false => part_of(value),
                };
            }
            at = here.parent();
        }
        Val::unknown("its value is not known on every path")
    }
}

/// What a value of a whole says of its parts.
fn part_of(whole: &Val) -> Val {
    match whole {
        Val::Unset => Val::Unset,
        Val::Zero => Val::Zero,
        Val::Unknown(reason) => Val::Unknown(reason.clone()),
        _ => Val::unknown("a part of a value that is not followed"),
    }
}
