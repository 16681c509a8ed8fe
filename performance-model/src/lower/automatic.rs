//! Small loops that some compilers unroll although the source does not ask for it.

use fpgacc_frontend::ir::Function;
use fpgacc_kernel_analysis::loops;

use super::Lowering;
use super::parts::Parts;
use crate::graph::{COUNTED, Node, NodeId, Op, RegionId};
use crate::prediction::TripOrigin;

impl<'a> Lowering<'a> {
    /// Walks a loop that some compilers unroll though nobody asks for it, if the instructions of all iterations together
    /// are few. That is seen once it is lowered as a loop; a small one's copies take its place.
    pub(super) fn perhaps_unrolled(&mut self, parts: Parts<'a>) {
        if !self.may_be_small(&parts) {
            self.one_loop(parts);
            return;
        }
        let (graph, at, env) = (self.graph.mark(), self.at.clone(), self.env.mark());
        let (regions, nodes) = (self.graph.regions.len(), self.graph.nodes.len());
        let region = self.one_loop(parts);
        let count = region.and_then(|_| self.small(&parts, regions, nodes));
        let Some(count) = count else {
            // No copy that unrolling makes of it need look again.
            self.known.large.insert(self.key(&parts));
            return self.env.keep(env);
        };
        self.graph.take_back(graph);
        self.at = at;
        self.env.undo(env);
        self.unrolled(&parts, count);
    }

    /// Whether a loop may be small, by its text.
    fn may_be_small(&self, parts: &Parts<'a>) -> bool {
        let is_plain = parts.hints.pragmas.is_empty() && parts.hints.attrs.is_empty();
        let most = self.input.board.compiler().unrolls_instructions;
        most > 0
            && is_plain
            && !self.known.large.contains(&self.key(parts))
            && expressions(self.at.function, parts) <= most
    }

    /// The iterations of a loop that was lowered from this region and these nodes on, if it is small.
    fn small(&self, parts: &Parts<'a>, region: RegionId, nodes: NodeId) -> Option<u64> {
        let most = self.input.board.compiler().unrolls_instructions;
        let trip = self.graph.regions[region].trip;
        let leaves = |stmt| loops::leaves(stmt, true, false);
        if trip.origin != TripOrigin::Known || parts.body.stmts.iter().any(leaves) {
            return None;
        }
        let count = trip.value as u64;
        let each = instructions_within(&self.graph.nodes[nodes..], nodes, region);
        let is_met = self.graph.regions[region..].iter().any(|r| r.barriers > 0);
        (!is_met && each.saturating_mul(count) <= most).then_some(count)
    }
}

/// The instructions of an iteration, `nodes`, the first of which has the number `first`. What does not change from one
/// iteration of `region` to the next counts for nothing: LLVM moves it before a loop before it unrolls it.
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
        // What a loop has counted is nothing that its iterations do.
        Op::Operator if node.what == COUNTED => 0,
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
