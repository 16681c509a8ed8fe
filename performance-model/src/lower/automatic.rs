//! Small loops that some compilers unroll although the source does not ask for it.

use fpgacc_frontend::ir::Function;
use fpgacc_kernel_analysis::loops;

use super::Lowering;
use super::parts::Parts;
use crate::graph::{Node, NodeId, Op, RegionId};
use crate::prediction::TripOrigin;

impl<'a> Lowering<'a> {
    /// The iterations of a loop that some compilers unroll though nobody asks for it: the instructions of all of them
    /// together are few.
    pub(super) fn automatically_unrolled(&mut self, parts: &Parts<'a>) -> Option<u64> {
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
        let each = instructions_within(&self.graph.nodes[nodes..], nodes, regions);
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
}

/// The instructions of an iteration, `nodes`, the first of which has the number `first`. What does not change from one
/// iteration of `region` to the next counts for nothing: LLVM moves it in front of a loop before it unrolls it.
fn instructions_within(nodes: &[Node], first: usize, region: RegionId) -> u64 {
    let mut varies = vec![true; nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        let is_value = matches!(node.op, Op::Operator | Op::FloatAdd | Op::Select);
        let from_varying = |input: &NodeId| input.checked_sub(first).is_some_and(|at| varies[at]);
        varies[at] = !is_value || node.region != region || node.inputs.iter().any(from_varying);
    }
    let changing = nodes.iter().zip(varies).filter(|(_, varies)| *varies);
    changing.map(|(node, _)| instructions(node)).sum()
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
