//! What a work-item does, and the launch that it does it in.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::source::Span;

use super::value::{POINTS, Root};

/// The iterations of a loop whose end depends on data: a guess.
pub const ASSUMED_TRIPS: f64 = 16.0;

/// A launch, as far as it matters to what a work-item does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sizes {
    /// Work-items in each dimension; 1 beyond the launch's own.
    pub global: [u64; 3],
    /// Work-items of a group, for kernels that look at their position in it; `None`: that is not known.
    pub local: Option<[u64; 3]>,
    /// Integer arguments by the parameter's index.
    pub scalars: BTreeMap<u32, i64>,
}

/// What a work-item does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// The code outside of loops first, then the loops, outer before inner.
    pub scopes: Vec<Scope>,
    /// In the order of the source.
    pub accesses: Vec<Access>,
    /// Accesses behind conditions on ids that few work-items meet: those in the middle of the NDRange do not.
    pub seldom: Vec<Access>,
    /// Instructions of the code, each once, by the dimensions along which they may compute something else (as bits:
    /// 1 for the first one). Compilers compute before a loop what is the same in all its iterations.
    pub code: [f64; 8],
    /// Barriers that a work-item comes to.
    pub barriers: f64,
    /// It calls functions of the library that are more than an instruction.
    pub calls_library: bool,
    /// The copy of loops' bodies that each of them stands in, of those that compilers unroll wholly; 0: in none, or the first
    /// one.
    pub copies: Vec<u32>,
    /// Where each of them stands: in several positions, if compilers read once what is read in all of them.
    pub positions: Vec<BTreeSet<Span>>,
}

/// A loop's body, or what is outside of all loops.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scope {
    /// The loop around; itself for what is outside of loops.
    pub parent: usize,
    /// Loops around its statements.
    pub depth: usize,
    /// Iterations, on average, each time that it is reached.
    pub trips: f64,
    /// How often its body runs in a work-item.
    pub runs: f64,
    /// Instructions of one run, without those of loops inside, where each component of a vector takes one.
    pub operations: f64,
    /// The same where a vector of OpenCL C takes one, by its bytes: [`Scope::SIZES`].
    pub by_size: [f64; 6],
    /// Instructions among these that processors have no vectors for: divisions of integers, component by component.
    pub serial: f64,
    /// Cycles from what an iteration takes over from the one before to what it hands on, at least; 0: nothing.
    pub recurrence: f64,
    /// Registers of 4 bytes that a work-item needs in its iterations, about: what they use; 0: unknown.
    pub registers: f64,
}

impl Scope {
    /// Bytes of vectors; what is no vector counts among the first.
    pub const SIZES: [i64; 6] = [4, 8, 16, 32, 64, 128];

    /// Instructions of one run where registers have so many bytes.
    pub fn instructions(&self, register: u32) -> f64 {
        let register = f64::from(register);
        let each = self.by_size.iter().zip(Scope::SIZES);
        each.map(|(count, bytes)| count * (bytes as f64 / register).max(1.0))
            .sum()
    }
}

/// A read or a write of memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Access {
    /// What is accessed; `None` where a pointer cannot be followed.
    pub root: Option<Root>,
    /// A write; a read otherwise.
    pub write: bool,
    /// Bytes for each work-item.
    pub bytes: u32,
    /// The scope that it stands in.
    pub scope: usize,
    /// How often it happens each time that the scope's body runs.
    pub share: f64,
    /// The byte that is accessed, at each point; `None`: it depends on data.
    pub at: Option<[i64; POINTS]>,
    /// The points at which it may be another byte, as bits.
    pub varies: u8,
    /// The points to which it moves by a multiple of an argument of the kernel, as bits.
    pub scaled: u8,
    /// The points at which conditions on the way to it may have another result, as bits.
    pub guard: u8,
}

impl Access {
    /// Bytes from the work-item's address to that of a point; `None`: it depends on data.
    pub fn stride(&self, point: usize) -> Option<i64> {
        self.at.map(|at| at[point].wrapping_sub(at[0]))
    }

    /// Whether it is the same access of the same piece of code, whatever conditions are around.
    pub fn is_same(&self, other: &Access) -> bool {
        let here = |access: &Access| access.at.map(|at| at[0]);
        // Most differ in this, and there are many.
        here(self) == here(other)
            && self.at == other.at
            && (self.root, self.write, self.bytes) == (other.root, other.write, other.bytes)
            && (self.scope, self.varies) == (other.scope, other.varies)
            && self.share == other.share
    }

    /// Whether it moves to a point by a multiple of an argument of the kernel.
    pub fn is_scaled(&self, point: usize) -> bool {
        self.scaled & 1 << point != 0
    }

    /// Whether conditions on the way to it may have another result at a point.
    pub fn is_guarded(&self, point: usize) -> bool {
        self.guard & 1 << point != 0
    }

    /// Whether it is, or may be, another byte at a point.
    pub fn moves(&self, point: usize) -> bool {
        self.varies & 1 << point != 0
    }
}
