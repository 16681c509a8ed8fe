//! What a window holds.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{ExprId, TypeId, VarId};
use fpgacc_kernel_analysis::poly::Poly;

use super::address::Address;

/// An element of an array that is read at a constant distance from where the nest is.
#[derive(Clone, Debug)]
pub struct Tap {
    /// The distance.
    pub offset: i128,
    /// An index that is it.
    pub index: ExprId,
    /// Counters of loops in the body, where the index is it.
    pub copies: BTreeMap<VarId, i128>,
}

/// Elements of an array that are kept while a nest walks over it.
#[derive(Clone, Debug)]
pub struct Window {
    /// The array.
    pub array: VarId,
    /// The type of its elements.
    pub element: TypeId,
    /// The least and the largest distance.
    pub hull: (i128, i128),
    /// Between these distances from where the nest is at first the original is sure to read; of loops with
    /// bounds that are not known, in each iteration.
    pub sure: (i128, i128),
    /// Distances that are read.
    pub distances: usize,
    /// What indices have beside counters of the nest and distances.
    pub rest: Poly,
    /// Indices are `long`.
    pub is_long: bool,
    /// Elements whose index an expression is, of which no two have one distance, in order.
    pub taps: Vec<Tap>,
    /// The reads, each with its address.
    pub reads: Vec<(ExprId, Address)>,
}

impl Window {
    /// Its length.
    pub fn elements(&self) -> i128 {
        self.hull.1 - self.hull.0 + 1
    }
}
