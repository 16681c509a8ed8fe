//! Exceptions: what handlers may find in the locations that the code before them changes.

use std::collections::{BTreeMap, BTreeSet};

use super::{Code, Interp};
use crate::location::MemoryLocation;
use crate::state::{Delta, part_of};
use crate::syntax::ast::{Handler, StmtId};
use crate::value::Val;

/// A block of `try` that is being followed.
pub(super) struct Tried {
    /// Where it starts.
    mark: usize,
    /// What had changed where something was thrown.
    changed: BTreeSet<MemoryLocation>,
    /// All that was assigned to what outlives its function.
    assigned: BTreeMap<MemoryLocation, Val>,
    /// Code that is not given was called: what that assigned is only known as one of all values
    /// that were ever assigned.
    outside: bool,
    /// Everything was havocked.
    all_lost: bool,
}

impl Tried {
    fn at(mark: usize) -> Tried {
        Tried {
            mark,
            changed: BTreeSet::new(),
            assigned: BTreeMap::new(),
            outside: false,
            all_lost: false,
        }
    }

    pub fn note_outside(&mut self) {
        self.outside = true;
    }

    pub fn lose_all(&mut self) {
        self.all_lost = true;
    }

    pub fn note_assigned(&mut self, location: &MemoryLocation, value: &Val) {
        match self.assigned.get_mut(location) {
            Some(before) => *before = before.join(value),
            None => {
                self.assigned.insert(location.clone(), value.clone());
            }
        }
    }

    /// What was done in a block inside of this one.
    fn contain(&mut self, inner: &Tried) {
        self.outside |= inner.outside;
        for (location, value) in &inner.assigned {
            self.note_assigned(location, value);
        }
    }
}

impl<'a> Interp<'a> {
    /// Something is thrown: what was changed since the innermost `try`, its handlers find changed.
    pub(super) fn note_thrown(&mut self) {
        // Its handlers must see that each time.
        self.memo.invalidate();
        if let Some(tried) = self.walk.tries.last_mut() {
            let delta = self.state.capture(tried.mark);
            tried.changed.extend(delta.locations().cloned());
        }
    }

    pub(super) fn try_block(&mut self, code: &Code<'a>, body: StmtId, handlers: &[Handler]) {
        let mark = self.state.mark();
        self.walk.tries.push(Tried::at(mark));
        self.exec(code, body);
        let Some(mut tried) = self.walk.tries.pop() else {
            return;
        };
        if let Some(outer) = self.walk.tries.last_mut() {
            outer.contain(&tried);
        }
        if handlers.is_empty() {
            return;
        }
        let end = self.state.capture(mark);
        for (location, value) in end.sorted() {
            tried.changed.insert(location.clone());
            if let Some(value) = value {
                tried.note_assigned(location, &value.at_other_times());
            }
        }
        let (after, reached) = self.take_back(mark);
        let mut ends = Vec::new();
        for handler in handlers {
            let (delta, reached) = self.handle(code, &tried, handler);
            ends.extend(reached.then_some(delta));
        }
        self.state.reachable = false;
        for delta in ends.into_iter().chain(reached.then_some(after)) {
            self.state.merge(mark, delta);
        }
    }

    /// Follows a handler, from the start of its `try`; gives what has changed then, and whether its
    /// end is reached.
    fn handle(&mut self, code: &Code<'a>, tried: &Tried, handler: &Handler) -> (Delta, bool) {
        // What was changed before something was thrown is seen by handlers only. Of a whole that was
        // set, the parts have changed too.
        let locations = tried.changed.iter();
        let found: Vec<(&MemoryLocation, Val)> = locations
            .map(|location| (location, self.halfway(tried, location)))
            .collect();
        for (location, value) in found {
            self.state.set_alone(location, value);
        }
        self.scoped(|s| {
            if let Some(param) = &handler.param {
                let var = s.declare(code, param, false);
                s.set_unknown(&MemoryLocation::var(var), "what was thrown is not followed");
            }
            s.exec(code, handler.body);
        });
        self.take_back(tried.mark)
    }

    /// What a handler may find in a location that the code before it changes: what it was before,
    /// or anything that it was set to meanwhile, if that is noted.
    fn halfway(&mut self, tried: &Tried, location: &MemoryLocation) -> Val {
        if tried.all_lost || !self.lasts(location.root) {
            return Val::unknown("an exception may have left it halfway");
        }
        // Values that are zero are not noted.
        let value = self.state.get(location).join(&Val::Zero);
        let value = or_assigned(value, location, |location| tried.assigned.get(location));
        if !tried.outside {
            return value;
        }
        self.memo.invalidate();
        self.rounds.looked_at.insert(location.root);
        or_assigned(value, location, |location| {
            self.rounds.flow_insensitive.get(location)
        })
    }

    /// Notes a value that is assigned to a location that outlives its function, for handlers.
    pub(super) fn note_tried(&mut self, location: &MemoryLocation, value: &Val) {
        if let Some(tried) = self.walk.tries.last_mut() {
            tried.note_assigned(location, value);
        }
        self.memo.note_assigned(location, value);
    }
}

/// A value of a location, or what was assigned to the location or to something that it is a part of.
pub(super) fn or_assigned<'v>(
    value: Val,
    location: &MemoryLocation,
    assigned: impl Fn(&MemoryLocation) -> Option<&'v Val>,
) -> Val {
    let mut around = location.parent();
    let mut value = match assigned(location) {
        Some(assigned) => value.join(assigned),
        None => value,
    };
    while let Some(whole) = around {
        if let Some(assigned) = assigned(&whole) {
            value = value.join(&part_of(assigned));
        }
        around = whole.parent();
    }
    value
}
