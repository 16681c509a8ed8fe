//! Loops: what they carry, what they count, and what unrolling makes of them.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{Function, LoopHints, Stmt, VarRef};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::{self, Nests};
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::env::Mark;
use super::parts::Parts;
use super::value::{Pointer, Slot, Value};
use super::variable_trips::returns;
use super::{LoopKey, Lowering, MAX_COPIES};
use crate::board::Operator;
use crate::graph::{Carried, Hints, Node, NodeId, Op, Region, RegionId};
use crate::prediction::{Form, Trip, TripOrigin};

/// How an iteration changes a variable.
#[derive(Clone, Debug, PartialEq)]
enum Change {
    /// It adds this, the same in each iteration.
    By(Poly),
    /// In another way.
    Any,
}

type LoopChanges = BTreeMap<Slot, Change>;

impl<'a> Lowering<'a> {
    pub(super) fn loop_stmt(&mut self, stmt: &'a Stmt) {
        let Some(parts) = Parts::of(stmt) else { return };
        parts.init.iter().for_each(|stmt| self.stmt(stmt));
        if self.at.speculative.is_some() {
            return self.speculative_loop(&parts);
        }
        match self.automatically_unrolled(&parts) {
            Some(count) => self.unrolled(&parts, count),
            None => self.one_loop(parts),
        }
    }

    fn key(&self, parts: &Parts<'a>) -> LoopKey {
        let sites = self.at.calls.iter().filter_map(|call| call.site);
        (sites.collect(), std::ptr::from_ref(parts.stmt) as usize)
    }

    /// The iterations of a loop that some compilers unroll though nobody asks for it: the instructions of all of them
    /// together are few.
    fn automatically_unrolled(&mut self, parts: &Parts<'a>) -> Option<u64> {
        let is_plain = parts.hints.pragmas.is_empty() && parts.hints.attrs.is_empty();
        let most = self.input.board.compiler().unrolls_instructions;
        if most == 0 || !is_plain {
            return None;
        }
        let key = self.key(parts);
        if self.known.large.contains(&key) || expressions(self.at.function, parts) > most {
            return None;
        }
        let (regions, nodes) = (self.graph.regions.len(), self.graph.nodes.len());
        let before = self.checkpoint();
        self.one_loop(*parts);
        let inside = &self.graph.regions[regions..];
        let count = inside
            .first()
            .filter(|region| region.trip.origin == TripOrigin::Known)
            .map(|region| region.trip.value as u64);
        let nodes = self.graph.nodes[nodes..].iter();
        let each: u64 = nodes.map(instructions).sum();
        let leaves = parts
            .body
            .stmts
            .iter()
            .any(|stmt| loops::leaves(stmt, true, false));
        let is_simple = !leaves && inside.iter().all(|region| region.barriers == 0);
        self.roll_back(before);
        let small = count.filter(|count| is_simple && each.saturating_mul(*count) <= most);
        if small.is_none() {
            // Walking it again each time that a loop around is walked would take a time that doubles with each.
            self.known.large.insert(key);
        }
        small
    }

    fn one_loop(&mut self, parts: Parts<'a>) {
        let changes = self.changes(&parts);
        let mark = self.env.mark();
        let before = self.checkpoint();
        let region = self.open(&parts);
        let starts = self.bind(&changes, region);
        let trip = self.trip(&parts, region);
        let (asked, always) = unroll_factor(parts.hints);
        let constant = (trip.origin == TripOrigin::Known).then_some(trip.value as u64);
        let full = match (asked, constant) {
            (_, Some(0 | 1)) => constant,
            (Some(factor), Some(count)) if factor >= count || always => Some(count),
            _ => None,
        };
        if let Some(count) = full.filter(|count| count.saturating_mul(self.at.copies) <= MAX_COPIES)
        {
            self.roll_back(before);
            self.env.keep(mark);
            return self.unrolled(&parts, count);
        }
        self.keep(before);
        let factor = match always {
            true => 1,
            false => asked
                .unwrap_or(1)
                .clamp(1, (MAX_COPIES / self.at.copies).max(1)),
        };
        self.graph.region_mut(region).trip = trip;
        self.graph.region_mut(region).varies_in = self.varies_in(&parts, region);
        self.graph.region_mut(region).unroll = factor;
        let middle = ((trip.value / factor as f64) - 1.0).max(0.0) / 2.0;
        self.graph.set_value(Sym::Iter(region), middle);
        if factor > 1 {
            // Its iterations are several of those that the condition is about.
            self.graph.region_mut(region).holds.clear();
            self.rebind(&changes, &starts, region, factor);
        }
        self.body(&parts, region, factor);
        self.close(&changes, starts, region, mark);
    }

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

    /// A loop inside a loop that is walked speculatively: all that it changes is unknown inside and after it.
    fn speculative_loop(&mut self, parts: &Parts<'a>) {
        let mark = self.env.mark();
        let outer = self.at.speculative.replace(BTreeSet::new());
        let key = self.key(parts);
        match self.known.set_by_loops.get(&key).cloned() {
            // Walking it each time that a loop around is walked would take a time that doubles with each.
            Some(known) => {
                let here = known.into_iter().map(|slot| Slot {
                    frame: self.at.calls[slot.frame].frame,
                    ..slot
                });
                self.at.speculative = Some(here.collect());
            }
            None => {
                self.one_iteration(parts);
                self.havoc(&mark);
                // Once more, with what an iteration finds that is not the first.
                self.one_iteration(parts);
                let outlasting = self.outlasting();
                self.known.set_by_loops.insert(key, outlasting);
            }
        }
        self.havoc(&mark);
        self.env.keep(mark);
        let set = self.at.speculative.get_or_insert_default();
        set.extend(outer.into_iter().flatten());
    }

    /// The variables set in a speculative walk that outlast it, with the depths of their calls for frames: each walk
    /// has frames of its own.
    fn outlasting(&self) -> Vec<Slot> {
        let calls = &self.at.calls;
        let depth = |slot: &Slot| calls.iter().position(|call| call.frame == slot.frame);
        let set = self.at.speculative.iter().flatten();
        set.filter_map(|slot| {
            let frame = depth(slot)?;
            Some(Slot {
                frame,
                ..slot.clone()
            })
        })
        .collect()
    }

    /// Makes the variables unknown that were set, and drops those that are new since a mark.
    fn havoc(&mut self, mark: &Mark) {
        let before = self.env.before(mark);
        for (slot, _) in before.iter().filter(|(_, old)| old.is_none()) {
            self.env.remove(slot);
        }
        let set: Vec<Slot> = self.at.speculative.iter().flatten().cloned().collect();
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
    fn changes(&mut self, parts: &Parts<'a>) -> LoopChanges {
        let mut changes = LoopChanges::new();
        // First to see which are set, then to see by how much they grow.
        for _ in 0..2 {
            let mut marks: BTreeMap<Slot, Poly> = BTreeMap::new();
            let first_inside = self.known.opaques.len() + changes.len();
            let ((), set, after) = self.speculate(|this| {
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
                let (Some(Some(new)), Some(_)) = (after.get(&slot), self.env.get(&slot)) else {
                    continue;
                };
                let change = match marks.get(&slot) {
                    None => Change::Any,
                    Some(mark) => change(new, mark, first_inside, &marked),
                };
                found.insert(slot, change);
            }
            if found.is_empty() {
                return found;
            }
            // What was found first must stay: its values inside are bound to it.
            for slot in changes.into_keys() {
                found.entry(slot).or_insert(Change::Any);
            }
            changes = found;
        }
        changes
    }

    /// A value that stands for that of any iteration.
    fn mark(&mut self, old: &Value) -> (Value, Poly) {
        let mut value = self.opaque(BTreeSet::new(), false);
        let mark = value.poly.clone().unwrap_or_default();
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

    fn open(&mut self, parts: &Parts<'a>) -> RegionId {
        let node = self.node(
            Op::Loop(0),
            Operator::default(),
            "loop",
            [],
            parts.stmt.span,
        );
        let id = self.graph.regions.len();
        self.graph.node_mut(node).op = Op::Loop(id);
        let around = self.graph.regions[self.at.region].levels;
        let joined = around > 1;
        let levels = if joined {
            around - 1
        } else {
            self.levels(parts)
        };
        self.graph.add_region(Region {
            parent: Some(self.at.region),
            node: Some(node),
            span: parts.stmt.span,
            levels,
            joined,
            share: self.at.share,
            hints: hints(parts.hints),
            returns: returns(parts.body),
            ..Region::body()
        });
        self.graph.region_mut(self.at.region).loops.push(id);
        (self.at.region, self.at.segment, self.at.share) = (id, 0, 1.0);
        self.at.step = 0;
        id
    }

    /// The levels of loops that are one loop, as the source asks. Only nests are followed that need no more
    /// than a counter for each loop; of others, how aoc joins them is not known. The loops of NDRanges,
    /// which aoc joins by itself, are priced by their work-items.
    fn levels(&self, parts: &Parts<'a>) -> u64 {
        match nest::asked(parts.hints) {
            Some(asked) if self.input.form == Form::SingleWorkItem => {
                let nests = Nests::of(self.module, self.at.function);
                nests.levels(parts.stmt).clamp(1, asked.max(1))
            }
            _ => 1,
        }
    }

    /// Gives the variables that a loop changes their values inside. The values before it.
    fn bind(&mut self, changes: &LoopChanges, region: RegionId) -> BTreeMap<Slot, Value> {
        let mut starts = BTreeMap::new();
        for (slot, change) in changes {
            let start = self.env.get(slot).cloned().unwrap_or_default();
            let inputs: Vec<NodeId> = start.node.into_iter().collect();
            let phi = self.node(Op::Phi, Operator::default(), "", inputs, None);
            let name = self.name(slot);
            self.graph.region_mut(region).carried.push(Carried {
                phi,
                next: None,
                name,
                starts_at_zero: start.is_nought(),
                counts: matches!(change, Change::By(_)),
            });
            let inside = self.inside(&start, change, region, 1, phi);
            self.env.insert(slot.clone(), inside);
            starts.insert(slot.clone(), start);
        }
        starts
    }

    /// Again, where an iteration is `factor` of the text's.
    fn rebind(
        &mut self,
        changes: &LoopChanges,
        starts: &BTreeMap<Slot, Value>,
        region: RegionId,
        factor: u64,
    ) {
        for (index, (slot, change)) in changes.iter().enumerate() {
            let phi = self.graph.regions[region].carried[index].phi;
            let inside = self.inside(&starts[slot], change, region, factor, phi);
            self.env.insert(slot.clone(), inside);
        }
    }

    fn inside(
        &mut self,
        start: &Value,
        change: &Change,
        region: RegionId,
        factor: u64,
        phi: NodeId,
    ) -> Value {
        let from = start.position();
        let counted = match (change, &from) {
            (Change::By(by), Some(from)) => by
                .times(&Poly::sym(Sym::Iter(region)))
                .map(|moved| from.plus(&moved, i128::from(factor))),
            _ => None,
        };
        let poly = match (counted, from) {
            (Some(poly), _) => Some(poly),
            (None, Some(from)) => {
                let mut depends = self.varies(&from);
                depends.insert(Sym::Iter(region));
                self.opaque(depends, false).poly
            }
            (None, None) => None,
        };
        start.moved_to(poly, phi)
    }

    fn name(&self, slot: &Slot) -> String {
        match slot.var {
            VarRef::Local(var) if slot.frame == self.frame() => {
                self.at.function.vars[var].name.clone()
            }
            VarRef::Global(global) => self.module.globals[global].variable.name.clone(),
            _ => "a value of a caller".to_string(),
        }
    }

    fn body(&mut self, parts: &Parts<'a>, region: RegionId, factor: u64) {
        let copies = self.at.copies;
        self.at.copies *= factor;
        let idle = self.at.idle;
        let usual = self.graph.regions[region].trip.value.ceil() as u64;
        let mut cond = None;
        for copy in 0..factor {
            self.at.idle = idle || copy >= usual;
            if !parts.is_do
                && let Some(expr) = parts.cond
            {
                let value = self.value(expr);
                if copy == 0 {
                    cond = value.node;
                }
            }
            self.block(parts.body);
            if let Some(step) = parts.step {
                self.value(step);
            }
        }
        if parts.is_do
            && let Some(expr) = parts.cond
        {
            cond = self.value(expr).node;
        }
        let is_here = |node: &NodeId| self.graph.nodes[*node].region == region;
        if let Some(node) = cond.filter(is_here) {
            self.graph.region_mut(region).exits.push(node);
        }
        (self.at.copies, self.at.idle) = (copies, idle);
    }

    /// Ends a loop that was begun at a mark.
    fn close(
        &mut self,
        changes: &LoopChanges,
        starts: BTreeMap<Slot, Value>,
        region: RegionId,
        mark: Mark,
    ) {
        for (index, slot) in changes.keys().enumerate() {
            let phi = self.graph.regions[region].carried[index].phi;
            let next = self.env.get(slot).and_then(|value| value.node);
            let next = next.filter(|node| *node != phi && self.graph.nodes[*node].region == region);
            self.graph.region_mut(region).carried[index].next = next;
        }
        let done = &self.graph.regions[region];
        let node = done.node.expect("loops have nodes");
        let (parent, share, trip) = (
            done.parent.expect("loops have parents"),
            done.share,
            done.trip,
        );
        (self.at.region, self.at.share) = (parent, share);
        self.at.segment = self.graph.nodes[node].segment + 1;
        self.at.step = self.graph.nodes[node].step;
        for (slot, start) in starts {
            let value = self.after(&start, &changes[&slot], node, trip);
            self.env.insert(slot, value);
        }
        // What was made inside and is no variable from outside ends with the loop.
        let nodes = &self.graph.nodes;
        let is_inside = |value: &Value| value.node.is_some_and(|n| nodes[n].region == region);
        for (slot, _) in self.env.before(&mark) {
            if self.env.get(&slot).is_some_and(is_inside) {
                self.env.remove(&slot);
            }
        }
        self.env.keep(mark);
    }

    /// The value of a variable after a loop that changes it.
    fn after(&mut self, start: &Value, change: &Change, node: NodeId, trip: Trip) -> Value {
        let from = start.position();
        let poly = match (change, &from) {
            (Change::By(by), Some(from)) if trip.origin == TripOrigin::Known => {
                Some(from.plus(by, trip.value as i128))
            }
            (_, Some(_)) => {
                let here = self.here();
                self.opaque(here, false).poly
            }
            _ => None,
        };
        start.moved_to(poly, node)
    }

    fn unrolled(&mut self, parts: &Parts<'a>, count: u64) {
        let copies = self.at.copies;
        self.at.copies *= count.max(1);
        for _ in 0..count {
            self.block(parts.body);
            if let Some(step) = parts.step {
                self.value(step);
            }
        }
        self.at.copies = copies;
    }
}

/// What was added to a marked value, if it is the same in each iteration: made of nothing that is numbered
/// from `first_inside` on, and of no marked value.
fn change(new: &Value, mark: &Poly, first_inside: usize, marked: &BTreeSet<Sym>) -> Change {
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
    match by.symbols().into_iter().any(moves) {
        true => Change::Any,
        false => Change::By(by),
    }
}

/// Instructions of aoc's that an operation counts for where it unrolls loops by their instructions. Guesses: an address
/// and an access; a loop's counter, step, comparison and branch.
fn instructions(node: &Node) -> u64 {
    match node.op {
        // Values that meet, and private arrays, which are no memory by then.
        Op::Phi | Op::Select => 0,
        Op::Load(_) | Op::Store(_) | Op::Atomic(_) => 2,
        Op::Loop(_) => 4,
        Op::Operator | Op::FloatAdd | Op::Channel => 1,
    }
}

/// The expressions in a loop's body. They are counted faster than instructions, and small loops have few.
fn expressions(function: &Function, parts: &Parts<'_>) -> u64 {
    let mut count = 0;
    parts
        .body
        .for_each_expr(&function.exprs, &mut |_| count += 1);
    count
}

/// The factor that the source asks for, and whether it asks for all of the loop.
fn unroll_factor(hints: &LoopHints) -> (Option<u64>, bool) {
    for pragma in &hints.pragmas {
        let words: Vec<&str> = pragma.split_whitespace().collect();
        match words.as_slice() {
            ["unroll"] => return (Some(u64::MAX), true),
            ["unroll", factor] => {
                let digits = factor.trim_matches(['(', ')']);
                return (digits.parse().ok(), false);
            }
            ["nounroll"] => return (Some(1), false),
            _ => {}
        }
    }
    let attr = hints
        .attrs
        .iter()
        .find(|attr| attr.name == "opencl_unroll_hint");
    match attr {
        Some(attr) => match attr.integers().as_deref() {
            Some([factor, ..]) => (Some(*factor), false),
            _ => (Some(u64::MAX), true),
        },
        None => (None, false),
    }
}

/// What pragmas say of a loop's pipelining.
fn hints(written: &LoopHints) -> Hints {
    let mut hints = Hints::default();
    for pragma in &written.pragmas {
        let (name, rest) = pragma
            .split_once(char::is_whitespace)
            .unwrap_or((pragma, ""));
        let number = || rest.trim().trim_matches(['(', ')']).parse::<f64>().ok();
        match name {
            "ivdep" => {
                let within = |word: &str| {
                    let at = rest.find(word)? + word.len();
                    let inner = rest[at..].trim_start().strip_prefix('(')?;
                    Some(inner.split(')').next()?.trim().to_string())
                };
                let safe = within("safelen")
                    .and_then(|n| n.parse().ok())
                    .unwrap_or(u64::MAX);
                match within("array") {
                    Some(array) => {
                        hints.ivdep_arrays.insert(array, safe);
                    }
                    None => hints.ivdep = Some(safe),
                }
            }
            "ii" => hints.ii = number(),
            "speculated_iterations" => hints.speculated = number(),
            "max_concurrency" => hints.concurrency = number(),
            "disable_loop_pipelining" => hints.serial = true,
            _ => {}
        }
    }
    hints
}
