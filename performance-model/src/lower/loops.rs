//! Loops: what they carry, what they count, and what unrolling makes of them.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{Function, LoopHints, Stmt, VarRef};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::{self, Nests};
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::env::{Changes, Mark};
use super::parts::Parts;
use super::uneven::returns;
use super::value::{Pointer, Slot, Value};
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

/// What to put back behind a trial.
struct Saved {
    nodes: usize,
    accesses: usize,
    arrays_len: usize,
    arrays: BTreeMap<(usize, VarRef), usize>,
    regions: usize,
    barriers: usize,
    exits: usize,
    loops: usize,
    assumed: usize,
    mark: Mark,
    trial: bool,
    share: f64,
    segment: usize,
    step: usize,
    region: RegionId,
    returned: usize,
    channels: bool,
}

impl<'a> Lowering<'a> {
    pub(super) fn loop_stmt(&mut self, stmt: &'a Stmt) {
        let Some(parts) = Parts::of(stmt) else { return };
        parts.init.iter().for_each(|stmt| self.stmt(stmt));
        if self.trial {
            return self.loop_in_trial(&parts);
        }
        match self.unrolled_unasked(&parts) {
            Some(count) => self.unrolled(&parts, count),
            None => self.one_loop(parts),
        }
    }

    fn key(&self, parts: &Parts<'a>) -> LoopKey {
        (self.sites.clone(), std::ptr::from_ref(parts.stmt) as usize)
    }

    /// The iterations of a loop that some compilers unroll though nobody asks for it: the instructions of all of them
    /// together are few.
    fn unrolled_unasked(&mut self, parts: &Parts<'a>) -> Option<u64> {
        let is_plain = parts.hints.pragmas.is_empty() && parts.hints.attrs.is_empty();
        if !self.input.board.unrolls_small_loops || !is_plain {
            return None;
        }
        let key = self.key(parts);
        if self.large.contains(&key) || expressions(self.function, parts) > SMALL {
            return None;
        }
        let saved = self.save();
        let dynamic = self.dynamic.clone();
        self.one_loop(*parts);
        let inside = &self.graph.regions[saved.regions..];
        let count = inside
            .first()
            .filter(|region| region.trip.origin == TripOrigin::Known)
            .map(|region| region.trip.value as u64);
        let nodes = &self.graph.nodes[saved.nodes..];
        let each: u64 = nodes.iter().map(instructions).sum();
        let leaves = parts
            .body
            .stmts
            .iter()
            .any(|stmt| loops::leaves(stmt, true, false));
        let is_simple = !leaves && inside.iter().all(|region| region.barriers == 0);
        self.restore(saved);
        self.dynamic = dynamic;
        let small = count.filter(|count| is_simple && each.saturating_mul(*count) <= SMALL);
        if small.is_none() {
            // Trying it again each time that a loop around is tried would take a time that doubles with each.
            self.large.insert(key);
        }
        small
    }

    fn one_loop(&mut self, parts: Parts<'a>) {
        let changes = self.changes(&parts);
        let mark = self.env.mark();
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
        if let Some(count) = full.filter(|count| count.saturating_mul(self.copies) <= MAX_COPIES) {
            self.withdraw(region, starts);
            self.env.keep(mark);
            return self.unrolled(&parts, count);
        }
        let factor = match always {
            true => 1,
            false => asked
                .unwrap_or(1)
                .clamp(1, (MAX_COPIES / self.copies).max(1)),
        };
        self.graph.regions[region].trip = trip;
        self.graph.regions[region].uneven = self.uneven(&parts, region);
        self.graph.regions[region].unroll = factor;
        let values = &mut self.graph.values;
        values.insert(
            Sym::Iter(region),
            ((trip.value / factor as f64) - 1.0).max(0.0) / 2.0,
        );
        if factor > 1 {
            // Its iterations are several of those that the condition is about.
            self.graph.regions[region].holds.clear();
            self.rebind(&changes, &starts, region, factor);
        }
        self.body(&parts, region, factor);
        self.close(&changes, starts, region, mark);
    }

    fn save(&mut self) -> Saved {
        Saved {
            nodes: self.graph.nodes.len(),
            accesses: self.graph.accesses.len(),
            arrays_len: self.graph.arrays.len(),
            arrays: self.arrays.clone(),
            regions: self.graph.regions.len(),
            barriers: self.graph.regions[self.region].barriers,
            exits: self.graph.regions[self.region].exits.len(),
            loops: self.graph.regions[self.region].loops.len(),
            assumed: self.graph.assumed.len(),
            mark: self.env.mark(),
            trial: self.trial,
            share: self.share,
            segment: self.segment,
            step: self.step,
            region: self.region,
            returned: self.returned.len(),
            channels: self.graph.uses_channels,
        }
    }

    /// Puts everything back, and gives the values that the trial left.
    fn restore(&mut self, saved: Saved) -> Changes {
        let graph = &mut self.graph;
        graph.nodes.truncate(saved.nodes);
        graph.accesses.truncate(saved.accesses);
        graph.arrays.truncate(saved.arrays_len);
        graph.regions.truncate(saved.regions);
        graph.regions[saved.region].barriers = saved.barriers;
        graph.regions[saved.region].exits.truncate(saved.exits);
        graph.regions[saved.region].loops.truncate(saved.loops);
        graph.assumed.truncate(saved.assumed);
        graph.uses_channels = saved.channels;
        self.arrays = saved.arrays;
        self.trial = saved.trial;
        self.share = saved.share;
        self.segment = saved.segment;
        self.step = saved.step;
        self.region = saved.region;
        self.returned.truncate(saved.returned);
        self.env.undo(saved.mark)
    }

    /// An iteration without what it does to the graph.
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

    /// A loop inside a loop that is tried: all that it changes is unknown inside and behind it.
    fn loop_in_trial(&mut self, parts: &Parts<'a>) {
        let mark = self.env.mark();
        let outer = std::mem::take(&mut self.set_in_trial);
        let key = self.key(parts);
        match self.tried.get(&key).cloned() {
            // Walking it each time that a loop around is tried would take a time that doubles with each.
            Some(known) => {
                let here = known.into_iter().map(|slot| Slot {
                    frame: self.stack[slot.frame],
                    ..slot
                });
                self.set_in_trial = here.collect();
            }
            None => {
                self.one_iteration(parts);
                self.forget(&mark);
                // Once more, with what an iteration finds that is not the first.
                self.one_iteration(parts);
                self.tried.insert(key, self.outlasting());
            }
        }
        self.forget(&mark);
        self.env.keep(mark);
        self.set_in_trial.extend(outer);
    }

    /// The variables set in a trial that outlast it, with the places of their calls on the stack for
    /// frames: each walk has frames of its own.
    fn outlasting(&self) -> Vec<Slot> {
        let place = |slot: &Slot| self.stack.iter().position(|frame| *frame == slot.frame);
        let set = self.set_in_trial.iter();
        set.filter_map(|slot| {
            let frame = place(slot)?;
            Some(Slot {
                frame,
                ..slot.clone()
            })
        })
        .collect()
    }

    /// Makes the variables unknown that were set, and drops those that are new since a mark.
    fn forget(&mut self, mark: &Mark) {
        let before = self.env.before(mark);
        for (slot, _) in before.iter().filter(|(_, old)| old.is_none()) {
            self.env.remove(slot);
        }
        let set: Vec<Slot> = self.set_in_trial.iter().cloned().collect();
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
        let mut changes: LoopChanges = BTreeMap::new();
        // First to see which are set, then to see by how much they grow.
        for _ in 0..2 {
            let saved = self.save();
            self.trial = true;
            let mut marks: BTreeMap<Slot, Poly> = BTreeMap::new();
            let mut marked: BTreeSet<Sym> = BTreeSet::new();
            for slot in changes.keys() {
                let old = self.env.get(slot).cloned().unwrap_or_default();
                let (value, mark) = self.mark(&old);
                self.env.insert(slot.clone(), value.clone());
                marked.extend(mark.symbols());
                marks.insert(slot.clone(), mark);
            }
            let start = self.opaques;
            let outer = std::mem::take(&mut self.set_in_trial);
            self.one_iteration(parts);
            let after = self.restore(saved);
            let set = std::mem::replace(&mut self.set_in_trial, outer);
            let mut found: LoopChanges = BTreeMap::new();
            for slot in set {
                let (Some(Some(new)), Some(_)) = (after.get(&slot), self.env.get(&slot)) else {
                    continue;
                };
                let change = match marks.get(&slot) {
                    None => Change::Any,
                    Some(mark) => change(new, mark, start, &marked),
                };
                found.insert(slot, change);
            }
            if found.is_empty() {
                return found;
            }
            // What was found first must stay: its values inside are bound to it.
            let missing: Vec<Slot> = changes
                .keys()
                .filter(|slot| !found.contains_key(*slot))
                .cloned()
                .collect();
            found.extend(missing.into_iter().map(|slot| (slot, Change::Any)));
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
        self.graph.nodes[node].op = Op::Loop(id);
        let around = self.graph.regions[self.region].levels;
        let joined = around > 1;
        let levels = if joined {
            around - 1
        } else {
            self.levels(parts)
        };
        self.graph.regions.push(Region {
            parent: Some(self.region),
            node: Some(node),
            span: parts.stmt.span,
            trip: Trip {
                value: 1.0,
                origin: TripOrigin::Known,
            },
            holds: Vec::new(),
            unroll: 1,
            levels,
            joined,
            share: self.share,
            hints: hints(parts.hints),
            carried: Vec::new(),
            exits: Vec::new(),
            uneven: BTreeSet::new(),
            returns: returns(parts.body),
            loops: Vec::new(),
            barriers: 0,
            meets: false,
        });
        self.graph.regions[self.region].loops.push(id);
        (self.region, self.segment, self.share) = (id, 0, 1.0);
        self.step = 0;
        id
    }

    /// The levels of loops that are one loop, as the source asks. Only nests are followed that need no more
    /// than a counter for each loop; of others, how aoc joins them is not known. The loops of NDRanges,
    /// which aoc joins by itself, are priced by their work-items.
    fn levels(&self, parts: &Parts<'a>) -> u64 {
        match nest::asked(parts.hints) {
            Some(asked) if self.input.form == Form::SingleWorkItem => {
                let nests = Nests::of(self.module, self.function);
                nests.levels(parts.stmt).clamp(1, asked.max(1))
            }
            _ => 1,
        }
    }

    /// Takes a region back that is unrolled after all.
    fn withdraw(&mut self, region: RegionId, starts: BTreeMap<Slot, Value>) {
        let parent = self.graph.regions[region]
            .parent
            .expect("loops have parents");
        let node = self.graph.regions[region].node.expect("loops have nodes");
        self.share = self.graph.regions[region].share;
        self.segment = self.graph.nodes[node].segment;
        self.step = self.graph.nodes[node].step;
        self.region = parent;
        self.graph.regions[parent].loops.pop();
        self.graph.regions.truncate(region);
        self.graph.nodes.truncate(node);
        for (slot, start) in starts {
            self.env.insert(slot, start);
        }
    }

    /// Gives the variables that a loop changes their values inside. The values in front of it.
    fn bind(&mut self, changes: &LoopChanges, region: RegionId) -> BTreeMap<Slot, Value> {
        let mut starts = BTreeMap::new();
        for (slot, change) in changes {
            let start = self.env.get(slot).cloned().unwrap_or_default();
            let inputs: Vec<NodeId> = start.node.into_iter().collect();
            let phi = self.node(Op::Phi, Operator::default(), "", inputs, None);
            let name = self.name(slot);
            self.graph.regions[region].carried.push(Carried {
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
            VarRef::Local(var) if slot.frame == self.frame => self.function.vars[var].name.clone(),
            VarRef::Global(global) => self.module.globals[global].variable.name.clone(),
            _ => "a value of a caller".to_string(),
        }
    }

    fn body(&mut self, parts: &Parts<'a>, region: RegionId, factor: u64) {
        let copies = self.copies;
        self.copies *= factor;
        let idle = self.idle;
        let usual = self.graph.regions[region].trip.value.ceil() as u64;
        let mut cond = None;
        for copy in 0..factor {
            self.idle = idle || copy >= usual;
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
            self.graph.regions[region].exits.push(node);
        }
        (self.copies, self.idle) = (copies, idle);
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
            self.graph.regions[region].carried[index].next = next;
        }
        let done = &self.graph.regions[region];
        let node = done.node.expect("loops have nodes");
        let (parent, share, trip) = (
            done.parent.expect("loops have parents"),
            done.share,
            done.trip,
        );
        (self.region, self.share) = (parent, share);
        self.segment = self.graph.nodes[node].segment + 1;
        self.step = self.graph.nodes[node].step;
        for (slot, start) in starts {
            let value = self.behind(&start, &changes[&slot], node, trip);
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

    /// The value of a variable behind a loop that changes it.
    fn behind(&mut self, start: &Value, change: &Change, node: NodeId, trip: Trip) -> Value {
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
        let copies = self.copies;
        self.copies *= count.max(1);
        for _ in 0..count {
            self.block(parts.body);
            if let Some(step) = parts.step {
                self.value(step);
            }
        }
        self.copies = copies;
    }

    /// Evaluates something without a trace.
    pub(super) fn without_trace<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let saved = self.save();
        self.trial = true;
        let result = run(self);
        self.restore(saved);
        result
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

/// Instructions of the loops that aoc unrolls unasked, all iterations together: those of Spector's matrix
/// multiplication that aoc 14.1 unrolled have at most 168 here, the others at least 176. LLVM's own threshold was 150 in
/// the versions that aoc is made of.
const SMALL: u64 = 170;

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
