//! Loops: what they carry, what they count, and what unrolling makes of them.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{Expr, LoopHints, Stmt, VarRef};
use fpgacc_kernel_analysis::loops::leaves;
use fpgacc_kernel_analysis::nest::{self, Nests};
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use fpgacc_kernel_analysis::trip_count::{Constants, trip_count};

use super::env::Mark;
use super::induction::{Change, LoopChanges, LoopVariable};
use super::parts::{Parts, leaves_early, returns};
use fpgacc_kernel_analysis::loops::unroll_factor;

use super::pragmas::hints;
use super::value::{Slot, Value};
use super::{LoopKey, Lowering, MAX_COPIES};
use crate::board::Operator;
use crate::graph::{COUNTED, Carried, Made, NodeId, Op, Region, RegionId};
use crate::prediction::{Form, Trip, TripOrigin};

/// Whether a loop of so many iterations is unrolled as a whole.
fn is_whole(count: u64, hints: &LoopHints) -> bool {
    let (asked, always) = unroll_factor(hints);
    count <= 1 || asked.is_some_and(|factor| factor >= count || always)
}

impl<'a> Lowering<'a> {
    pub(super) fn loop_stmt(&mut self, stmt: &'a Stmt) {
        let Some(parts) = Parts::of(stmt) else { return };
        parts.init.iter().for_each(|stmt| self.stmt(stmt));
        if !self.builds() {
            self.inner_loop(&parts);
            return;
        }
        let nodes = self.graph.nodes.len();
        self.perhaps_unrolled(parts);
        if self.at.calls.len() == 1 {
            self.graph.made_by(std::ptr::from_ref(stmt) as usize, nodes);
        }
    }

    pub(super) fn key(&self, parts: &Parts<'a>) -> LoopKey {
        let sites = self.at.calls.iter().filter_map(|call| call.site);
        (sites.collect(), std::ptr::from_ref(parts.stmt) as usize)
    }

    /// Lowers a loop: to a region, or to copies if it is fully unrolled.
    pub(super) fn one_loop(&mut self, parts: Parts<'a>) -> Option<RegionId> {
        if let Some(count) = self.copies_by_text(&parts) {
            // What was loaded before is not known to be the same inside.
            self.known.loads.clear();
            self.unrolled(&parts, count);
            return None;
        }
        let changes = self.changes(&parts);
        let region = self.add_region(&parts);
        let mut variables = self.variables(&changes, region);
        let trip = self.trip(&parts, region, &variables);
        let (asked, always) = unroll_factor(parts.hints);
        let constant = (trip.origin == TripOrigin::Known).then_some(trip.value as u64);
        let full = constant.filter(|count| is_whole(*count, parts.hints));
        let is_shift = full.is_some() && self.is_shift(parts.body);
        if is_shift {
            self.note_shift(parts.body);
        }
        if let Some(count) = full.filter(|count| count.saturating_mul(self.at.copies) <= MAX_COPIES)
        {
            self.graph.remove_region();
            self.unrolled(&parts, count);
            return None;
        }
        if is_shift {
            // Its copies cost too much time to look at, and are wires.
            self.graph.remove_region();
            return None;
        }
        let factor = match always || self.repeats_a_channel(&parts, &changes) {
            true => 1,
            false => asked
                .unwrap_or(1)
                .clamp(1, (MAX_COPIES / self.at.copies).max(1)),
        };
        self.graph.region_mut(region).trip = trip;
        self.graph.region_mut(region).varies_in = self.varies_in(&parts, region, &variables);
        self.graph.region_mut(region).unroll = factor;
        let middle = ((trip.value / factor as f64) - 1.0).max(0.0) / 2.0;
        self.graph.set_value(Sym::Iter(region), middle);
        if factor > 1 {
            // Its iterations are several of those that the condition is about.
            self.graph.region_mut(region).holds.clear();
            for variable in &mut variables {
                variable.inside = self.inside(variable, region, factor);
            }
        }
        self.settle_series(region, trip.value / factor as f64);
        self.open(&parts, region);
        let mark = self.env.mark();
        self.carry(&variables, region);
        self.body(&parts, region, factor);
        self.close(&variables, region, mark);
        Some(region)
    }

    /// The copies that a loop becomes whose text says how often it runs: what it changes need not be found out for that. Of
    /// loops unrolled in loops that are unrolled, that would take most of the time.
    fn copies_by_text(&mut self, parts: &Parts<'a>) -> Option<u64> {
        let recorded = |span| self.input.launch.trips.contains_key(&span);
        if parts.stmt.span.is_some_and(recorded) || leaves_early(parts.body) {
            return None;
        }
        let count = self.trips_of_text(parts)?;
        let is_few = count.saturating_mul(self.at.copies) <= MAX_COPIES;
        (is_few && is_whole(count, parts.hints) && !self.is_shift(parts.body)).then_some(count)
    }

    /// The iterations of a loop, where its text alone says how many there are.
    pub(super) fn trips_of_text(&mut self, parts: &Parts<'a>) -> Option<u64> {
        let (module, function) = (self.module, self.at.function);
        let constants = &mut self.known.constants;
        let key = std::ptr::from_ref(function) as usize;
        let constants = constants.entry(key);
        let constants = constants.or_insert_with(|| Constants::new(module, function));
        let key = std::ptr::from_ref(parts.stmt) as usize;
        let count = || trip_count(constants, parts.stmt);
        *self.known.trips_of_texts.entry(key).or_insert_with(count)
    }

    fn add_region(&mut self, parts: &Parts<'a>) -> RegionId {
        let around = self.graph.regions[self.at.region].levels;
        let joined = around > 1;
        let levels = if joined {
            around - 1
        } else {
            self.levels(parts)
        };
        let is_left = parts.body.stmts.iter().any(|stmt| leaves(stmt, true, true));
        let is_endless = !is_left && !returns(parts.body) && self.always_goes_on(parts);
        self.graph.add_region(Region {
            parent: Some(self.at.region),
            span: parts.stmt.span,
            levels,
            joined,
            share: self.at.share,
            hints: hints(parts.hints),
            is_skipped: self.at.continued,
            returns: returns(parts.body),
            is_left,
            is_endless,
            branch: self.at.branch,
            ..Region::body()
        })
    }

    /// Whether the condition of a loop holds always.
    fn always_goes_on(&self, parts: &Parts<'a>) -> bool {
        let Some(cond) = parts.cond else { return true };
        let exprs = &self.at.function.exprs;
        matches!(exprs.get(cond), Expr::Int { value, .. } if *value != 0)
    }

    /// Begins a loop.
    fn open(&mut self, parts: &Parts<'a>, region: RegionId) {
        let (op, free) = (Op::Loop(region), Operator::default());
        let node = self.node(op, free, "loop", [], parts.stmt.span);
        self.graph.region_mut(region).node = Some(node);
        self.graph.region_mut(self.at.region).loops.push(region);
        self.enter(region);
    }

    fn enter(&mut self, region: RegionId) {
        (self.at.region, self.at.segment, self.at.share) = (region, 0, 1.0);
        self.at.step = 0;
        self.known.loads.clear();
    }

    /// Asks for values in an iteration, where a loop's condition stands.
    pub(super) fn ask_inside<T>(
        &mut self,
        (parts, region): (&Parts<'a>, RegionId),
        variables: &[LoopVariable],
        ask: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let (result, ..) = self.analyse(|this| {
            this.enter(region);
            for variable in variables {
                let node = this.unbuilt();
                let inside = variable.start.moved_to(variable.inside.clone(), node);
                this.env.insert(variable.slot.clone(), inside);
            }
            if parts.is_do {
                this.block(parts.body);
            }
            ask(this)
        });
        result
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

    /// The variables that a loop changes, with their values before it and inside.
    fn variables(&mut self, changes: &LoopChanges, region: RegionId) -> Vec<LoopVariable> {
        let mut variables = Vec::new();
        for (slot, change) in changes {
            let mut variable = LoopVariable {
                slot: slot.clone(),
                change: change.clone(),
                start: self.env.get(slot).cloned().unwrap_or_default(),
                inside: None,
                has_parts: self.has_parts(slot),
            };
            variable.inside = self.inside(&variable, region, 1);
            variables.push(variable);
        }
        variables
    }

    /// Gives the variables that a loop changes their values inside.
    fn carry(&mut self, variables: &[LoopVariable], region: RegionId) {
        for variable in variables {
            let start = &variable.start;
            // Whether something waits for the value from before the loop is known at its end.
            let from = start.node.filter(|_| !variable.may_be_dead());
            let phi = self.node(Op::Phi, Operator::default(), "", from, None);
            let carried = Carried {
                phi,
                next: None,
                name: self.name(&variable.slot),
                starts_at_zero: start.is_nought(),
                counts: matches!(variable.change, Change::By(_)),
                is_free: false,
            };
            self.graph.region_mut(region).carried.push(carried);
            let inside = start.moved_to(variable.inside.clone(), phi);
            self.env.insert(variable.slot.clone(), inside);
        }
    }

    /// The value of a variable in an iteration, which is `factor` of the text's.
    fn inside(&mut self, variable: &LoopVariable, region: RegionId, factor: u64) -> Option<Poly> {
        let from = variable.start.position()?;
        let counted = |by: &Poly| {
            let moved = by.times(&Poly::sym(Sym::Iter(region)))?;
            Some(from.plus(&moved, i128::from(factor)))
        };
        if let Change::By(by) = &variable.change
            && let Some(poly) = counted(by)
        {
            return Some(poly);
        }
        if let Change::Turns(turn) = &variable.change
            && let Some(poly) = self.turned(variable, turn, (region, factor))
        {
            return Some(poly);
        }
        let mut depends = self.varies(&from);
        depends.insert(Sym::Iter(region));
        let value = self.opaque(depends, false);
        match &variable.change {
            Change::Series(steps) => {
                self.start_series(&value, from, region, steps.repeat(factor as usize));
            }
            Change::Mostly(by) => {
                let usual = counted(by).into_iter().collect();
                self.note_made(&value, Made::Near(usual));
            }
            Change::By(_) | Change::Turns(_) | Change::Any => {}
        }
        value.poly
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
        let (idle, continued) = (self.at.idle, self.at.continued);
        let usual = self.graph.regions[region].trip.value.ceil() as u64;
        let mut cond = None;
        for copy in 0..factor {
            self.at.continued = false;
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
        self.at.continued = continued;
    }

    /// Ends a loop that was begun at a mark.
    fn close(&mut self, variables: &[LoopVariable], region: RegionId, mark: Mark) {
        let mut of_data = Vec::new();
        let used = self.used(region);
        for (index, variable) in variables.iter().enumerate() {
            let slot = &variable.slot;
            let phi = self.graph.regions[region].carried[index].phi;
            of_data.push(self.is_of_data(slot, region));
            let last = self.env.get(slot).map(|value| value.node);
            // A constant, or a value from around the loop, is not the one from before it.
            let keeps = last.is_none_or(|node| node == Some(phi));
            // Nor is an array whose elements an iteration writes one by one before it reads them.
            let keeps = keeps && (variable.has_parts || !self.has_parts(slot));
            let next = last.flatten();
            let next = next.filter(|node| *node != phi && self.graph.nodes[*node].region == region);
            let is_free = self.is_free(slot, region);
            let carried = &mut self.graph.region_mut(region).carried[index];
            (carried.next, carried.is_free) = (next, is_free);
            if let Some(start) = variable.start.node
                && variable.may_be_dead()
                && (keeps || used[index])
            {
                self.bring(start);
            }
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
        for (variable, is_of_data) in variables.iter().zip(of_data) {
            let value = self.after(variable, is_of_data, (node, trip));
            self.env.insert(variable.slot.clone(), value);
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

    /// Whether parts of a variable have values of their own.
    fn has_parts(&self, slot: &Slot) -> bool {
        self.env.parts(slot).len() > 1
    }

    /// Whether `ivdep` speaks of a variable that a loop carries on: of an array, some index of which is no constant. What depends on
    /// what is found out while it is memory, and that it becomes registers, as small ones do, is known only then
    /// (strongshih/Annealing: a loop of four elements in a loop starts an iteration a cycle).
    fn is_free(&self, slot: &Slot, region: RegionId) -> bool {
        let key = (self.function_id(), slot.var);
        let is_indexed = slot.frame == self.frame() && self.at.dynamic.contains(&key);
        let hints = &self.graph.regions[region].hints;
        is_indexed && hints.safe_distance(&self.name(slot)) == u64::MAX
    }

    /// Of each variable of a loop, whether an operation uses the value that it has at the start of an iteration. Each iteration
    /// writes the others first, such as what it reads of a channel.
    fn used(&self, region: RegionId) -> Vec<bool> {
        let carried = &self.graph.regions[region].carried;
        let mut used = vec![false; carried.len()];
        let Some(first) = carried.first().map(|variable| variable.phi) else {
            return used;
        };
        // They were made in a row.
        for node in &self.graph.nodes[first..] {
            for input in &node.inputs {
                if let Some(used) = used.get_mut(input.wrapping_sub(first)) {
                    *used = true;
                }
            }
        }
        used
    }

    /// Whether what an iteration of a loop leaves in a variable comes from memory.
    fn is_of_data(&self, slot: &Slot, region: RegionId) -> bool {
        let Some(value) = self.env.get(slot) else {
            return false;
        };
        if value.poly.as_ref().is_some_and(|poly| self.is_loaded(poly)) {
            return true;
        }
        let nodes = &self.graph.nodes;
        let mut left: Vec<NodeId> = value.node.into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(id) = left.pop() {
            if nodes[id].region != region || !seen.insert(id) {
                continue;
            }
            if matches!(nodes[id].op, Op::Load(_)) {
                return true;
            }
            left.extend(&nodes[id].inputs);
        }
        false
    }

    /// The value of a variable after a loop that changes it, perhaps by data.
    fn after(
        &mut self,
        variable: &LoopVariable,
        is_of_data: bool,
        (node, trip): (NodeId, Trip),
    ) -> Value {
        let (start, change) = (&variable.start, &variable.change);
        let from = start.position();
        let poly = match (change, &from) {
            (Change::By(by), Some(from)) if trip.origin == TripOrigin::Known => {
                Some(from.plus(by, trip.value as i128))
            }
            (Change::Series(steps), Some(from)) if trip.origin <= TripOrigin::Symbolic => {
                self.end_series(from, steps, trip)
            }
            (_, Some(from)) => {
                let here = self.here();
                let value = self.opaque(here, is_of_data);
                // It is as far from that of the next work-item as before.
                if matches!(change, Change::By(by) if self.is_fixed(by)) {
                    self.note_made(&value, Made::Near(vec![from.clone()]));
                }
                value.poly
            }
            _ => None,
        };
        let node = match change {
            Change::By(_) if trip.origin <= TripOrigin::Symbolic => self.without_loop(start, node),
            _ => node,
        };
        start.moved_to(poly, node)
    }

    /// What a variable is after a loop that adds the same to it each time, as often as is known before it: compilers compute
    /// that without the loop (LLVM's IndVarSimplify). A unit that stores 16 vectors for each of 1024 x 1024 entries
    /// counts them in one variable, and takes a cycle for each (someoneinjd/t2sp, ger).
    fn without_loop(&mut self, start: &Value, node: NodeId) -> NodeId {
        // Of work-items of an NDRange nothing waits for it.
        if !self.builds() || self.is_ndrange() {
            return node;
        }
        let Op::Loop(region) = self.graph.nodes[node].op else {
            return node;
        };
        if self.graph.regions[region].is_left {
            return node;
        }
        let start_of = |node: NodeId| &self.graph.nodes[node];
        let segment = match start.node.map(start_of) {
            Some(from) if from.region == self.at.region => from.segment,
            _ => start_of(node).segment,
        };
        let segment = std::mem::replace(&mut self.at.segment, segment);
        let addition = Operator {
            latency: self.table.int_add.latency,
            ..Operator::default()
        };
        let sum = self.node(Op::Operator, addition, COUNTED, start.node, None);
        self.at.segment = segment;
        sum
    }

    pub(super) fn unrolled(&mut self, parts: &Parts<'a>, count: u64) {
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

#[cfg(test)]
mod tests {
    use fpgacc_frontend::ir::Dialect;
    use fpgacc_frontend::kernel::{Input as Text, parse};
    use fpgacc_frontend::source::SourceMap;
    use fpgacc_runtime::contract::LaunchContract;

    use super::super::{Input, lower};
    use crate::board::Board;
    use crate::graph::Graph;
    use crate::launch::LaunchShape;
    use crate::prediction::Form;

    fn lowered(body: &str) -> Graph {
        let text = format!("__kernel void k(__global int *a) {{ {body} }}");
        let mut sources = SourceMap::new();
        sources.add("k.cl", text.clone());
        let input = Text {
            name: "k.cl",
            preprocessed: &format!("# 1 \"k.cl\"\n{text}"),
            dialect: Dialect::Cl12,
        };
        let module = parse(&input, &mut sources).expect("a kernel");
        let (launch, contract) = (LaunchShape::default(), LaunchContract::default());
        lower(&Input {
            module: &module,
            kernel: module.kernels().next().expect("a kernel"),
            board: &Board::named("de5a-net").expect("a board"),
            launch: &launch,
            contract: &contract,
            form: Form::SingleWorkItem,
        })
    }

    /// What an iteration changes is not asked for, which would take the longer the deeper the loops are.
    #[test]
    fn loops_that_are_unrolled_take_what_their_copies_take() {
        let step = "if (x > y) { int z = x; x = y; y = z + 1; }";
        let by_hand = lowered(&format!(
            "int x = a[0], y = a[1]; {} a[2] = x;",
            step.repeat(27)
        ));
        let nest = ["i", "j", "k"]
            .map(|i| format!("\n#pragma unroll\nfor (int {i} = 0; {i} < 3; {i}++)\n"));
        let nest = nest.concat();
        let loops = lowered(&format!(
            "int x = a[0], y = a[1]; {nest} {{ {step} }} a[2] = x;"
        ));
        assert_eq!(loops.accesses.len(), by_hand.accesses.len());
        // It would be four times as much.
        let (took, least) = (loops.depends.len(), by_hand.depends.len());
        assert!(took < 2 * least, "{took} {least}");
    }
}
