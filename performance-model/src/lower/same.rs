//! Operations of single work-items that were done before: on the same integers in the same iteration they are one (LLVM's
//! GVN). Of what copies of an unrolled loop compute alike, there is one (aoc's report of someoneinjd/t2sp's gemm has one
//! remainder where its text has 1280).

use fpgacc_frontend::ir::{BinaryOp, Scalar, TypeId};
use fpgacc_kernel_analysis::poly::Poly;

use super::Lowering;
use super::value::Value;
use crate::graph::{NodeId, RegionId};

/// An operation, where it is done, and on what.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Operation {
    place: (RegionId, usize, bool),
    op: (u8, Scalar, TypeId),
    operands: [(Option<NodeId>, Poly); 2],
}

/// What it gives, with what tells its node from another one of the same number.
#[derive(Debug)]
pub(super) struct Done {
    value: Value,
    what: &'static str,
    inputs: Vec<NodeId>,
}

impl Lowering<'_> {
    pub(super) fn operation_key(
        &self,
        (op, scalar, ty): (BinaryOp, Scalar, TypeId),
        x: &Value,
        y: &Value,
    ) -> Option<Operation> {
        if !self.builds() || self.is_ndrange() {
            return None;
        }
        let operand = |value: &Value| Some((value.node, value.poly.clone()?));
        Some(Operation {
            place: (self.at.region, self.at.segment, self.at.idle),
            op: (op as u8, scalar, ty),
            operands: [operand(x)?, operand(y)?],
        })
    }

    pub(super) fn done_before(&self, key: &Operation) -> Option<Value> {
        let done = self.known.operations.get(key)?;
        // Numbers of operations that were taken back are given again.
        let node = self.graph.nodes.get(done.value.node?)?;
        let is_same = node.what == done.what && node.inputs == done.inputs;
        let is_here = (node.region, node.segment, node.idle) == key.place;
        (is_same && is_here).then(|| done.value.clone())
    }

    pub(super) fn note_operation(&mut self, key: Operation, value: &Value) {
        let Some(node) = value.node.and_then(|node| self.graph.nodes.get(node)) else {
            return;
        };
        let done = Done {
            value: value.clone(),
            what: node.what,
            inputs: node.inputs.clone(),
        };
        self.known.operations.insert(key, done);
    }
}
