//! What changes places from round to round of a loop: the buffers of a ping-pong, the numbers that choose them. Its
//! few combinations are followed one by one, so that what holds of each (that the two buffers are two) is not
//! lost where the head of the loop would join them. Everything else is joined as ever. This is trace
//! partitioning (Mauborgne and Rival, ESOP 2005) by the values of these variables.

use std::collections::{BTreeMap, BTreeSet};

use super::Interp;
use crate::location::MemoryLocation;
use crate::object::ObjectKind;
use crate::state::Delta;
use crate::value::Val;

/// Most combinations.
const MOST_COMBINATIONS: usize = 4;
/// Most variables.
const MOST_VARIABLES: usize = 16;
/// How often some variables may turn out to do something else.
const MOST_TRIES: u32 = 3;

/// What some variables hold at a loop's head, in its first round, the next, and so on, until that of the
/// first comes back. Empty if there are none.
#[derive(Default)]
pub(super) struct Orbit {
    combinations: Vec<BTreeMap<MemoryLocation, Val>>,
    /// The first one was seen to come back.
    is_closed: bool,
    /// Variables that did something else.
    others: BTreeSet<MemoryLocation>,
    tries: u32,
}

impl Orbit {
    /// How often a pass follows the body.
    pub fn rounds(&self) -> usize {
        self.combinations.len().max(1)
    }

    /// What the variables hold in a round.
    pub fn combination(&self, round: usize) -> Option<&BTreeMap<MemoryLocation, Val>> {
        self.combinations.get(round)
    }

    /// Compares what a round ends with with what the next one is to begin with. `back` is what the
    /// round changed, and is left without the variables. True if another pass has to look.
    pub fn follow(&mut self, interp: &Interp<'_>, round: usize, back: &mut Delta) -> bool {
        if self.combinations.is_empty() {
            self.find(interp, back);
            back.retain(|location, _| !self.has(location));
            return !self.combinations.is_empty();
        }
        let mut ends = self.combinations[round].clone();
        for (location, value) in back.sorted() {
            if let Some(end) = ends.get_mut(location) {
                // It holds nothing of its own where the whole was set.
                *end = value.clone().unwrap_or(Val::Unset);
            }
        }
        let is_last = round + 1 == self.combinations.len();
        let next = &self.combinations[if is_last { 0 } else { round + 1 }];
        if ends == *next {
            let is_new = is_last && !self.is_closed;
            self.is_closed |= is_last;
            back.retain(|location, _| !self.has(location));
            return is_new;
        }
        let may_grow = is_last && !self.is_closed && self.combinations.len() < MOST_COMBINATIONS;
        // What comes again is the first one, or none.
        let is_new = !self.combinations.contains(&ends);
        if may_grow && is_new && ends.values().all(|value| is_exact(interp, value)) {
            self.combinations.push(ends);
            back.retain(|location, _| !self.has(location));
            return true;
        }
        let differ = ends
            .iter()
            .filter(|(location, end)| next.get(location) != Some(end));
        self.others
            .extend(differ.map(|(location, _)| location.clone()));
        self.combinations.clear();
        self.is_closed = false;
        self.tries += 1;
        true
    }

    fn has(&self, location: &MemoryLocation) -> bool {
        self.combinations
            .first()
            .is_some_and(|first| first.contains_key(location))
    }

    /// Looks for variables that have each other's values at the end of the first round.
    fn find(&mut self, interp: &Interp<'_>, back: &Delta) {
        if self.tries >= MOST_TRIES {
            return;
        }
        let mut found: Vec<(&MemoryLocation, Val, &Val)> = Vec::new();
        for (location, end) in back.sorted() {
            let head = interp.state.get(location);
            let Some(end) = end.as_ref().filter(|end| **end != head) else {
                continue;
            };
            let is_one = is_exact(interp, &head) && is_exact(interp, end);
            if is_one && !self.others.contains(location) {
                found.push((location, head, end));
            }
        }
        if found.len() > MOST_VARIABLES {
            return;
        }
        // A number of 0 or 1 may be set to the other one.
        let is_switch =
            |head: &Val, end: &Val| [head, end].iter().all(|v| matches!(v, Val::Int(0 | 1, _)));
        loop {
            let is_kept = |(_, head, end): &(&MemoryLocation, Val, &Val)| {
                let comes = found.iter().any(|(_, other, _)| other == *end);
                let goes = found.iter().any(|(_, _, other)| *other == head);
                comes && goes || is_switch(head, end)
            };
            let kept: Vec<bool> = found.iter().map(is_kept).collect();
            if kept.iter().all(|kept| *kept) {
                break;
            }
            let mut kept = kept.into_iter();
            found.retain(|_| kept.next().unwrap_or(false));
        }
        if found.is_empty() {
            return;
        }
        let heads = found
            .iter()
            .map(|(location, head, _)| ((*location).clone(), head.clone()));
        let ends = found
            .iter()
            .map(|(location, _, end)| ((*location).clone(), (*end).clone()));
        self.combinations = vec![heads.collect(), ends.collect()];
    }
}

/// Whether a value is one number, pointer, or memory object that was made once.
fn is_exact(interp: &Interp<'_>, value: &Val) -> bool {
    match value {
        Val::Int(..) | Val::Pointer(_) => true,
        Val::Handle(id) => {
            let object = interp.objects.get(*id);
            matches!(object.kind, ObjectKind::Memory { .. }) && !object.summary
        }
        _ => false,
    }
}
