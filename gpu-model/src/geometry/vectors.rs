//! What LLVM makes of the loops over the work-items of a group that PoCL puts around a kernel: a loop for each
//! dimension in which the group has several, the first one innermost, of a length that is known, since a kernel is
//! compiled for each size of its groups (PoCL 3.1, `lib/llvmopencl/WorkitemLoops.cc`). The passes of `-O3` follow
//! (`lib/CL/pocl_llvm_wg.cc`):
//!
//! 1. Loops of few instructions are unrolled wholly (`LoopUnroll`, `-unroll-threshold-aggressive`): a row of few
//!    work-items is scalar code, and so are a few rows copies.
//! 2. The innermost loop that is left becomes vectors (`LoopVectorize`). A kernel's own loops are never unrolled, since
//!    PoCL has them marked so (`UnrollLoops = false` in `lib/CL/pocl_llvm_build.cc`): in kernels with loops work-items
//!    run one by one.
//!    So they do where it calls functions of the library (`exp`), which are code with branches.
//! 3. Vectors of a row, if they are few, are unrolled wholly. What is the same in all rows is then computed before the
//!    loop over them (`LICM`), if there is one.

use crate::device::Cores;
use crate::profile::{Access, Profile};

use super::shape::Shape;

/// Instructions of an innermost loop beside its body: the next index, its comparison, the jump, the global id.
const LOOP: f64 = 4.0;

/// The same of a loop around one, with what leads to that, as seen in the code that PoCL keeps.
const OUTER_LOOP: f64 = 6.0;

/// What `LoopUnrollPass` adds to its threshold for few iterations, whose indices become numbers: up to four times
/// as much (`-unroll-max-percent-threshold-boost`), but as seen a third.
const FEW_ITERATIONS: f64 = 4.0 / 3.0;

/// Bytes of the widest element of vectors: those of OpenCL C do not become parts of others.
const WIDEST: u32 = 8;

/// The rows of work-items that a group is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rows {
    /// The dimension that the rows lie along.
    pub dim: usize,
    /// Work-items of a row along its dimension.
    pub length: u64,
    /// Work-items of a vector; 1: they run one by one.
    pub lanes: u64,
    /// Copies of the code in a row, for work-items beside each other along dimensions that were unrolled.
    pub copies: u64,
    /// Iterations of the loop over the row's vectors, or work-items; 0: it is one piece of code.
    pub iterations: u64,
    /// The rows are iterations of a loop: what is the same in all of them is computed once.
    pub is_repeated: bool,
}

/// How a group of a shape is compiled.
pub fn rows(cores: &Cores, profile: &Profile, shape: Shape) -> Rows {
    let dims: Vec<usize> = (0..3).filter(|dim| shape.0[*dim] > 1).collect();
    let nest = Nest {
        cores,
        profile,
        shape,
        dims: &dims,
    };
    let has_loops = profile.scopes.iter().any(|scope| scope.depth > 0);
    let inner = (0..dims.len()).find(|at| !nest.is_unrolled(*at, None));
    match inner {
        Some(inner) if !has_loops => nest.vectors(inner),
        _ => {
            let dim = dims.first().copied().unwrap_or(0);
            Rows {
                dim,
                length: shape.0[dim],
                lanes: 1,
                copies: 1,
                iterations: if has_loops { shape.0[dim] } else { 0 },
                is_repeated: false,
            }
        }
    }
}

/// Bytes of the widest element that is accessed.
fn widest(profile: &Profile) -> u32 {
    let all = profile.accesses.iter().map(|access| access.bytes);
    all.max().unwrap_or(4)
}

/// Whether LLVM asks in the program if a step is 1 that is an argument of the kernel, and so another number: that of an
/// access along the dimension of the vectors, or, up to LLVM 15, along the loop around where it does not move along
/// the former (`getStrideFromPointer` in `lib/Analysis/LoopAccessAnalysis.cpp` does not ask whose step it is).
fn expects_other(profile: &Profile, dim: usize, outside: Option<usize>) -> bool {
    let asks = |access: &Access| {
        let is_same = access.stride(1 + dim) == Some(0);
        let is_own = access.is_scaled(1 + dim);
        let of_next = outside.is_some_and(|next| is_same && access.is_scaled(1 + next));
        is_own || of_next
    };
    profile.accesses.iter().any(asks)
}

/// The loops over a group's work-items, innermost first.
struct Nest<'a> {
    cores: &'a Cores,
    profile: &'a Profile,
    shape: Shape,
    dims: &'a [usize],
}

impl Nest<'_> {
    /// The rows where a loop is the innermost one that is left.
    fn vectors(&self, inner: usize) -> Rows {
        let dim = self.dims[inner];
        let length = self.shape.0[dim];
        let next = self.dims.get(inner + 1).copied();
        let is_repeated = next.is_some() && !self.is_unrolled(inner + 1, Some(inner));
        let lanes = self.lanes(inner, next.filter(|_| is_repeated));
        let vectors = length / lanes;
        let copies = self.dims[..inner].iter().map(|dim| self.shape.0[*dim]);
        Rows {
            dim,
            length,
            lanes,
            copies: copies.product(),
            iterations: match lanes > 1 && self.is_one_piece(inner, vectors) {
                true => 0,
                false => vectors,
            },
            is_repeated,
        }
    }

    /// Work-items of the vectors that the innermost loop becomes; 1: it becomes none. Copies of conditional code in its
    /// body keep it from that, as seen.
    fn lanes(&self, inner: usize, outside: Option<usize>) -> u64 {
        let dim = self.dims[inner];
        let widest = widest(self.profile).max(1);
        let lanes = u64::from(self.cores.vector_bytes / widest);
        let is_speculation =
            self.cores.expects_unit_steps && expects_other(self.profile, dim, outside);
        let may_be = widest <= WIDEST && !self.profile.calls_library;
        match inner == 0 && may_be && self.shape.0[dim] >= lanes && !is_speculation {
            true => lanes,
            false => 1,
        }
    }

    /// Whether all vectors of a row are unrolled.
    fn is_one_piece(&self, inner: usize, vectors: u64) -> bool {
        let most = match vectors <= u64::from(self.cores.unrolled_iterations) {
            true => self.cores.unrolled_instructions * FEW_ITERATIONS,
            false => self.cores.unrolled_instructions,
        };
        self.instructions(inner, None) * vectors as f64 <= most
    }

    /// Instructions of the body of a loop, with all loops inside unrolled but one.
    fn instructions(&self, at: usize, kept: Option<usize>) -> f64 {
        let inside = &self.dims[..=at];
        let all = self.profile.code.iter().enumerate();
        let of_body = all.map(|(along, count)| {
            let varies = |dim: &&usize| along >> **dim & 1 == 1;
            if !inside.iter().any(|dim| varies(&dim)) {
                return 0.0;
            }
            let unrolled = self.dims[..at].iter().enumerate();
            let unrolled = unrolled.filter(|(level, dim)| Some(*level) != kept && varies(dim));
            let copies: u64 = unrolled.map(|(_, dim)| self.shape.0[*dim]).product();
            count * copies as f64
        });
        let outside = if kept.is_some() { OUTER_LOOP } else { 0.0 };
        of_body.sum::<f64>() + LOOP + outside
    }

    /// Whether a loop is unrolled wholly, with all loops inside unrolled but one.
    fn is_unrolled(&self, at: usize, kept: Option<usize>) -> bool {
        let iterations = self.shape.0[self.dims[at]];
        self.instructions(at, kept) * iterations as f64 <= self.cores.unrolled_instructions
    }
}
