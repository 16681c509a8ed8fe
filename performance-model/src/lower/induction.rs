//! Induction variables: which variables an iteration of a loop changes, and which of them by the same amount each time.
//!
//! The values in an iteration are asked for twice, with nothing built: first to see which variables it sets, then with
//! values that stand for those of any iteration, to see by how much they grow.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::Lowering;
use super::env::Mark;
use super::parts::{Parts, leaves_early};
use super::series::Step;
use super::value::{Pointer, Slot, Value};
use crate::depends::Depends;
use crate::graph::Made;

/// An iteration is followed so often at most: each time may find what the last one's values leave alone, such as the row
/// that begins where a column is the last.
const MAX_ROUNDS: usize = 6;

/// Choices in a row, of branches and remainders, up to which the usual way of a variable through an iteration is followed.
const MAX_CHOICES: usize = 8;

/// How an iteration changes a variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    /// It adds this, the same in each iteration.
    By(Poly),
    /// It takes these steps.
    Series(Vec<Step>),
    /// It mostly adds this; at times it does something else, such as to start again.
    Mostly(Poly),
    /// It moves once in so many iterations, or starts again after so many.
    Turns(Turn),
    /// In another way.
    Any,
}

/// A counter that does not move in each iteration, or starts again.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Turn {
    /// It moves once in so many iterations.
    pub each: i128,
    /// By so much.
    pub by: i128,
    /// After so many moves it starts again.
    pub period: Option<i128>,
}

/// A variable that a loop changes.
pub(super) struct LoopVariable {
    pub slot: Slot,
    pub change: Change,
    /// Before the loop.
    pub start: Value,
    /// In an iteration: the integer, or where a pointer points.
    pub inside: Option<Poly>,
    /// Parts of it had values of their own before the loop.
    pub has_parts: bool,
}

impl LoopVariable {
    /// Whether its value from before the loop may be of no use.
    pub(super) fn may_be_dead(&self) -> bool {
        matches!(self.change, Change::Any)
    }
}

/// The variables that an iteration changes.
pub(super) type LoopChanges = BTreeMap<Slot, Change>;

impl<'a> Lowering<'a> {
    /// One iteration of the text.
    fn one_iteration(&mut self, parts: &Parts<'a>) {
        if !parts.is_do
            && let Some(cond) = parts.cond
        {
            self.value(cond);
        }
        self.block(parts.body);
        if let Some(step) = parts.step {
            self.value(step);
        }
        if parts.is_do
            && let Some(cond) = parts.cond
        {
            self.value(cond);
        }
    }

    /// A loop in what is analysed: all that it changes is unknown inside and after it, but what it adds a constant to, as often as
    /// its text says.
    pub(super) fn inner_loop(&mut self, parts: &Parts<'a>) {
        let mark = self.env.mark();
        let outer = self.at.analysed.replace(BTreeSet::new());
        let key = self.key(parts);
        let added = match self.known.set_by_loops.get(&key).cloned() {
            // Following it each time that a loop around is followed would take a time that doubles with each.
            Some(known) => {
                let here = known.into_iter().map(|(slot, by)| {
                    let frame = self.at.calls[slot.frame].frame;
                    (Slot { frame, ..slot }, by)
                });
                let here: BTreeMap<Slot, Option<i128>> = here.collect();
                self.at.analysed = Some(here.keys().cloned().collect());
                here
            }
            None => {
                let added = self.two_iterations(parts, &mark);
                let outlasting = self.outlasting(&added);
                self.known.set_by_loops.insert(key, outlasting);
                added
            }
        };
        let ends = self.ends(parts, &added, &mark);
        self.havoc(&mark);
        for (slot, end) in ends {
            self.env.insert(slot, Value::integer(end));
        }
        self.env.keep(mark);
        let set = self.at.analysed.get_or_insert_default();
        set.extend(outer.into_iter().flatten());
    }

    /// Follows an iteration of a loop that is analysed, and once more, with what an iteration finds that is not the first: what
    /// both add to the variables that they set, where that is the same constant.
    fn two_iterations(&mut self, parts: &Parts<'a>, mark: &Mark) -> BTreeMap<Slot, Option<i128>> {
        self.one_iteration(parts);
        let before = self.env.before(mark);
        let first = |slot: &Slot| self.added_to(slot, before.get(slot)?.as_ref()?);
        let set = self.at.analysed.iter().flatten();
        let first: BTreeMap<Slot, Option<i128>> =
            set.map(|slot| (slot.clone(), first(slot))).collect();
        self.havoc(mark);
        let unknown: BTreeMap<&Slot, Value> = first
            .keys()
            .filter_map(|slot| Some((slot, self.env.get(slot)?.clone())))
            .collect();
        self.one_iteration(parts);
        let second = |slot: &Slot| self.added_to(slot, unknown.get(slot)?);
        let set = self.at.analysed.iter().flatten();
        let both = |slot: &Slot| {
            let by = first.get(slot).copied().flatten()?;
            (second(slot) == Some(by)).then_some(by)
        };
        set.map(|slot| (slot.clone(), both(slot))).collect()
    }

    /// The constant by which a variable is more than it was.
    fn added_to(&self, slot: &Slot, old: &Value) -> Option<i128> {
        let new = self.env.get(slot)?.poly.as_ref()?;
        new.plus(old.poly.as_ref()?, -1).as_constant()
    }

    /// What the variables are after a loop that it adds a constant to.
    fn ends(
        &mut self,
        parts: &Parts<'a>,
        added: &BTreeMap<Slot, Option<i128>>,
        mark: &Mark,
    ) -> Vec<(Slot, Poly)> {
        if leaves_early(parts.body) || added.values().all(Option::is_none) {
            return Vec::new();
        }
        let Some(count) = self.trips_of_text(parts) else {
            return Vec::new();
        };
        let before = self.env.before(mark);
        let end = |(slot, by): (&Slot, &Option<i128>)| {
            let by = by.as_ref()?.checked_mul(i128::from(count))?;
            let old = match before.get(slot) {
                Some(old) => old.as_ref()?,
                None => self.env.get(slot)?,
            };
            let poly = old.poly.as_ref().filter(|_| old.pointer.is_none())?;
            Some((slot.clone(), poly.plus(&Poly::constant(by), 1)))
        };
        added.iter().filter_map(end).collect()
    }

    /// The variables set in what is analysed that outlast it, with the depths of their calls for frames: each time that
    /// it is followed has frames of its own.
    fn outlasting(&self, added: &BTreeMap<Slot, Option<i128>>) -> Vec<(Slot, Option<i128>)> {
        let calls = &self.at.calls;
        let depth = |slot: &Slot| calls.iter().position(|call| call.frame == slot.frame);
        let outlasting = |(slot, by): (&Slot, &Option<i128>)| {
            let frame = depth(slot)?;
            let slot = Slot {
                frame,
                ..slot.clone()
            };
            Some((slot, *by))
        };
        added.iter().filter_map(outlasting).collect()
    }

    /// Makes the variables unknown that were set, and drops those that are new since a mark.
    fn havoc(&mut self, mark: &Mark) {
        let before = self.env.before(mark);
        for (slot, _) in before.iter().filter(|(_, old)| old.is_none()) {
            self.env.remove(slot);
        }
        let set: Vec<Slot> = self.at.analysed.iter().flatten().cloned().collect();
        for slot in set {
            let now = || self.env.get(&slot).cloned();
            let Some(old) = before.get(&slot).cloned().unwrap_or_else(now) else {
                continue;
            };
            let here = self.here();
            let mut value = self.opaque(here, false);
            match old.pointer.clone() {
                Some(Pointer::Memory(array, _)) => {
                    let offset = value.poly.take().unwrap_or_default();
                    value.pointer = Some(Pointer::Memory(array, offset));
                }
                pointer => value.pointer = pointer,
            }
            self.env.insert(slot, value);
        }
    }

    /// Which variables an iteration changes, and how.
    pub(super) fn changes(&mut self, parts: &Parts<'a>) -> LoopChanges {
        let mut changes = LoopChanges::new();
        // First to see which are set, then to see by how much they grow, and again if the first iteration left some alone.
        for round in 1..=MAX_ROUNDS {
            let mut marks: BTreeMap<Slot, Poly> = BTreeMap::new();
            let first_inside = self.known.opaques.len() + changes.len();
            let ((), set, after) = self.analyse(|this| {
                for slot in changes.keys() {
                    let old = this.env.get(slot).cloned().unwrap_or_default();
                    let (value, mark) = this.mark(&old);
                    this.env.insert(slot.clone(), value);
                    marks.insert(slot.clone(), mark);
                }
                this.one_iteration(parts);
            });
            let marked: BTreeSet<Sym> = marks.values().flat_map(Poly::symbols).collect();
            let mut found = LoopChanges::new();
            for slot in set {
                let (Some(Some(new)), Some(old)) = (after.get(&slot), self.env.get(&slot).cloned())
                else {
                    continue;
                };
                self.goes_to_both(old.pointer.as_ref(), new.pointer.as_ref());
                let change = match marks.get(&slot) {
                    None => Change::Any,
                    Some(mark) => self.change(new, mark, first_inside, &marked),
                };
                found.insert(slot, change);
            }
            self.find_turns(&mut found, &marks, &after);
            if found.is_empty() {
                return found;
            }
            let is_new = found.keys().any(|slot| !marks.contains_key(slot));
            // What was found first must stay: its values inside are bound to it.
            for slot in changes.into_keys() {
                found.entry(slot).or_insert(Change::Any);
            }
            changes = found;
            if round > 1 && !is_new {
                break;
            }
        }
        changes
    }

    /// A value that stands for that of any iteration.
    fn mark(&mut self, old: &Value) -> (Value, Poly) {
        let mut value = self.opaque(Depends::default(), false);
        let mark = value.poly.clone().unwrap_or_default();
        self.known.marks.extend(mark.symbols());
        match &old.pointer {
            Some(Pointer::Memory(array, _)) => {
                value.poly = None;
                value.pointer = Some(Pointer::Memory(*array, mark.clone()));
            }
            Some(slot) => {
                value.poly = None;
                value.pointer = Some(slot.clone());
            }
            None if old.poly.is_none() => value.poly = None,
            None => {}
        }
        (value, mark)
    }

    /// How a marked value has changed: what was added, if it is the same in each iteration, made of nothing that is
    /// numbered from `first_inside` on, and of no marked value; or the steps that it took.
    fn change(
        &self,
        new: &Value,
        mark: &Poly,
        first_inside: usize,
        marked: &BTreeSet<Sym>,
    ) -> Change {
        let poly = match (&new.pointer, &new.poly) {
            (Some(Pointer::Memory(_, offset)), _) => offset,
            (_, Some(poly)) => poly,
            _ => return Change::Any,
        };
        let by = poly.plus(mark, -1);
        let moves = |sym: Sym| match sym {
            Sym::Opaque(number) => number >= first_inside || marked.contains(&sym),
            _ => false,
        };
        if !by.symbols().into_iter().any(moves) {
            return Change::By(by);
        }
        let own = mark.symbols().into_iter().next();
        match own.and_then(|own| self.steps(poly, own)) {
            Some(steps) if new.pointer.is_none() => return Change::Series(steps),
            _ => {}
        }
        let mut found = Vec::new();
        self.mostly(poly, mark, &moves, MAX_CHOICES, &mut found);
        // Of what is chosen between, that counts which moves.
        found.sort_by_key(|by: &Poly| by.as_constant() == Some(0));
        found.dedup();
        match found.as_slice() {
            [by] => Change::Mostly(by.clone()),
            [by, none] if none.as_constant() == Some(0) => Change::Mostly(by.clone()),
            _ => Change::Any,
        }
    }

    /// What may have been added to a marked value, each the same in each iteration: remainders go on until they wrap,
    /// and of what is chosen between, that counts which the marked value is in.
    fn mostly(
        &self,
        poly: &Poly,
        mark: &Poly,
        moves: &dyn Fn(Sym) -> bool,
        depth: usize,
        found: &mut Vec<Poly>,
    ) {
        let by = poly.plus(mark, -1);
        let own = mark.symbols();
        let moving = by.symbols().into_iter().filter(|sym| moves(*sym));
        let Some(moving) = moving.max_by_key(|sym| !own.contains(sym)) else {
            return found.push(by);
        };
        let Sym::Opaque(number) = moving else { return };
        let made = self.known.opaques.get(number).and_then(|o| o.made.as_ref());
        let (Some(made), Some(factor), true) = (made, poly.coefficient(moving), depth > 0) else {
            return;
        };
        let Some(factor) = factor.as_constant() else {
            return;
        };
        let rest = poly.plus(&Poly::sym(moving), -factor);
        let choices = match made {
            Made::Remainder(of, _) => std::slice::from_ref(of),
            Made::Near(choices) => choices,
            Made::Quotient(..) | Made::Series(_) | Made::Loaded(_) | Made::Row(..) => return,
        };
        for choice in choices {
            self.mostly(&rest.plus(choice, factor), mark, moves, depth - 1, found);
        }
    }
}
