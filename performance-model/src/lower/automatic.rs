//! Small loops that some compilers unroll although the source does not ask for it.

use fpgacc_frontend::ir::Function;
use fpgacc_kernel_analysis::loops;

use super::Lowering;
use super::parts::Parts;
use crate::graph::{Node, Op};
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
