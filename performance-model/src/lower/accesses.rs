//! Reads and writes of memory.

use fpgacc_frontend::ir::TypeId;
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::Lowering;
use super::value::Value;
use crate::board::Operator;
use crate::graph::{Access, Made, NodeId, Op};

impl Lowering<'_> {
    pub(super) fn load(
        &mut self,
        array: usize,
        address: Poly,
        inputs: Vec<NodeId>,
        span: Option<Span>,
        ty: TypeId,
    ) -> Value {
        let index = self.graph.accesses.len();
        let depends = self.varies(&address);
        let bytes = self.size(ty);
        let made = Made::Loaded(address.clone());
        let key = (array, address.clone(), bytes);
        let node = self.access(Op::Load(index), array, address, inputs, span, bytes);
        let mut value = self.opaque(depends, true);
        // What is read again is the same, if nothing was stored in between (LLVM's global value numbering).
        match self.known.loads.get(&key) {
            Some(same) => value.poly = Some(same.clone()),
            None => {
                let is_volatile = self.graph.arrays.get(array).is_none_or(|a| a.volatile);
                if let Some(poly) = value.poly.clone().filter(|_| !is_volatile) {
                    self.known.loads.insert(key, poly);
                }
                self.note_made(&value, made);
            }
        }
        Value {
            node: Some(node),
            ..value
        }
    }

    pub(super) fn store(
        &mut self,
        array: usize,
        address: Poly,
        inputs: Vec<NodeId>,
        (value, ty): (Option<NodeId>, TypeId),
        span: Option<Span>,
    ) {
        let op = Op::Store(self.graph.accesses.len());
        let bytes = self.size(ty);
        let inputs = inputs.into_iter().chain(value).collect();
        self.access(op, array, address, inputs, span, bytes);
        if self.builds() {
            let is_here = |node: &NodeId| self.graph.nodes[*node].region == self.at.region;
            self.graph.set_written(value.filter(is_here));
        }
    }

    /// Whether an address comes from memory anew for each iteration or work-item.
    fn jumps(&self, address: &Poly) -> bool {
        let (iteration, item) = (Sym::Iter(self.at.region), Sym::LocalId(0));
        address.symbols().iter().any(|sym| match sym {
            Sym::Opaque(number) if self.known.opaques[*number].loaded => {
                let depends = &self.known.opaques[*number].depends;
                self.at.region == 0 || depends.contains(&iteration) || depends.contains(&item)
            }
            _ => false,
        })
    }

    /// A read or write of memory.
    pub(super) fn access(
        &mut self,
        op: Op,
        array: usize,
        address: Poly,
        inputs: Vec<NodeId>,
        span: Option<Span>,
        bytes: u64,
    ) -> NodeId {
        if matches!(op, Op::Store(_) | Op::Atomic(_)) {
            self.known.loads.clear();
        }
        let node = self.node(op, Operator::default(), "", inputs, span);
        if !self.builds() {
            return node;
        }
        let indirect = self.jumps(&address);
        self.graph.add_access(Access {
            array,
            node,
            span,
            is_store: matches!(op, Op::Store(_) | Op::Atomic(_)),
            is_atomic: matches!(op, Op::Atomic(_)),
            address: Some(address),
            value: None,
            bytes,
            region: self.at.region,
            share: self.at.share,
            picked: self.at.picked,
            branch: self.at.branch,
            indirect,
            prefetched: false,
            hits: false,
        });
        node
    }
}
