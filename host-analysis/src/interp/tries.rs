//! Exceptions: what handlers may find in the places that the code before them changes.

use std::collections::{BTreeMap, BTreeSet};

use super::{Code, Interp};
use crate::place::Place;
use crate::state::{Delta, part_of};
use crate::syntax::ast::{Handler, StmtId};
use crate::value::Val;

/// A block of `try` that is being followed.
pub(super) struct Tried {
    /// Where it starts.
    mark: usize,
    /// What had changed where something was thrown.
    changed: BTreeSet<Place>,
    /// All that was assigned to what outlives its function.
    assigned: BTreeMap<Place, Val>,
    /// Code that is not given was called: what that assigned is only known as one of all values
    /// that were ever assigned.
    outside: bool,
    /// Everything was forgotten.
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

    pub fn note_assigned(&mut self, place: &Place, value: &Val) {
        match self.assigned.get_mut(place) {
            Some(before) => *before = before.join(value),
            None => {
                self.assigned.insert(place.clone(), value.clone());
            }
        }
    }

    /// What was done in a block inside of this one.
    fn contain(&mut self, inner: &Tried) {
        self.outside |= inner.outside;
        for (place, value) in &inner.assigned {
            self.note_assigned(place, value);
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
            tried.changed.extend(delta.places().cloned());
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
        for (place, value) in end.sorted() {
            tried.changed.insert(place.clone());
            if let Some(value) = value {
                tried.note_assigned(place, &value.at_other_times());
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
        let places = tried.changed.iter();
        let found: Vec<(&Place, Val)> = places
            .map(|place| (place, self.halfway(tried, place)))
            .collect();
        for (place, value) in found {
            self.state.set_alone(place, value);
        }
        self.scoped(|s| {
            if let Some(param) = &handler.param {
                let var = s.declare(code, param, false);
                s.set_unknown(&Place::var(var), "what was thrown is not followed");
            }
            s.exec(code, handler.body);
        });
        self.take_back(tried.mark)
    }

    /// What a handler may find in a place that the code before it changes: what it was before,
    /// or anything that it was set to meanwhile, if that is noted.
    fn halfway(&mut self, tried: &Tried, place: &Place) -> Val {
        if tried.all_lost || !self.lasts(place.root) {
            return Val::unknown("an exception may have left it halfway");
        }
        // Values that are zero are not noted.
        let value = self.state.get(place).join(&Val::Zero);
        let value = or_assigned(value, place, |place| tried.assigned.get(place));
        if !tried.outside {
            return value;
        }
        self.memo.invalidate();
        self.rounds.looked_at.insert(place.root);
        or_assigned(value, place, |place| {
            self.rounds.flow_insensitive.get(place)
        })
    }

    /// Notes a value that is assigned to a place that outlives its function, for handlers.
    pub(super) fn note_tried(&mut self, place: &Place, value: &Val) {
        if let Some(tried) = self.walk.tries.last_mut() {
            tried.note_assigned(place, value);
        }
        self.memo.note_assigned(place, value);
    }
}

/// A value of a place, or what was assigned to the place or to something that it is a part of.
pub(super) fn or_assigned<'v>(
    value: Val,
    place: &Place,
    assigned: impl Fn(&Place) -> Option<&'v Val>,
) -> Val {
    let mut around = place.parent();
    let mut value = match assigned(place) {
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
