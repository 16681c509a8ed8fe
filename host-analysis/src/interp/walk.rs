//! Where the walk through the program is.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use fpgacc_frontend::source::Span;

use super::code::FnId;
use super::parity::Parity;
use super::recursion::InnerCall;
use super::returned::{Locations, Returned};
use super::scope::Scope;
use super::tries::Tried;
use crate::location::{MemoryLocation, VarId};
use crate::state::Delta;
use crate::symbolic::Counting;
use crate::value::Val;

/// A loop or switch that is being followed.
pub(super) struct Breakable {
    pub mark: usize,
    pub breaks: Vec<Delta>,
    pub continues: Vec<Delta>,
    pub is_loop: bool,
    /// Scopes of its function around it.
    pub scopes: usize,
}

/// A function that is being followed.
pub(super) struct Frame {
    pub function: Rc<str>,
    pub fn_id: FnId,
    pub class: Option<String>,
    pub this: Option<MemoryLocation>,
    pub scopes: Vec<Scope>,
    pub mark: usize,
    pub is_root: bool,
    pub returns: Vec<Delta>,
    pub result: Val,
    /// What it returns references to.
    pub locations: Locations,
    pub gotos: BTreeMap<String, Vec<Delta>>,
    pub passed_labels: BTreeSet<String>,
    pub backward_labels: Rc<BTreeSet<String>>,
    pub breakables: Vec<Breakable>,
    pub own: Vec<VarId>,
    /// The arguments for `...`.
    pub variadic: Vec<Val>,
    /// Arguments for its parameter pack, if it has one.
    pub pack: Option<usize>,
}

/// A loop: its host, the location of its body, and the way it was reached.
pub(super) type LoopKey = (usize, Span, Vec<u32>);

/// A loop that is being followed.
pub(super) struct LoopFrame {
    pub site: Span,
    /// Counts the loops that were followed: a number of this time.
    pub activation: u32,
    /// Atoms that there were before it.
    pub atoms: u32,
    /// Locations that hold one of several things at its head, since its body changes them.
    pub differing: BTreeSet<MemoryLocation>,
    /// How often it goes round, on average, where that is known.
    pub rounds: Option<f64>,
    /// How many rounds that differ are followed one by one for each that is counted.
    pub ways: usize,
    /// A counter that the body turned out to change.
    pub miscounted: Option<MemoryLocation>,
    /// Its counter is even in every other round.
    pub parity: Option<Parity>,
}

/// Functions, loops and handlers that are being followed, innermost last, and the way there.
pub(crate) struct Walk {
    pub frames: Vec<Frame>,
    pub context: Vec<u32>,
    /// The statement that is being followed.
    pub at: Option<Span>,
    /// The last reason that was written with its line, and both together.
    pub located: Option<(Span, String, Rc<str>)>,
    pub loop_depth: u32,
    /// Blocks of `try` that are being followed, innermost last.
    pub tries: Vec<Tried>,
    /// The loops that are being followed, innermost last.
    pub loops: Vec<LoopFrame>,
    pub activations: u32,
    /// What the counters of these loops lie between.
    pub counting: Counting,
    pub unroll_factor: u64,
    /// Classes whose members get their first values, outermost first, each with its host.
    pub building: Vec<(usize, String)>,
    /// Calls of functions inside of themselves.
    pub inner_calls: BTreeMap<FnId, Vec<InnerCall>>,
    /// Locations that were found to change in a loop in ways that are not known: they need not be
    /// found again when the loop is reached again in the same way.
    pub changing: BTreeMap<LoopKey, BTreeMap<MemoryLocation, Val>>,
    pub atoms: u32,
    /// What the call that ended last returned a reference to, and what the function that did.
    pub returned: Option<Returned>,
    pub left: Locations,
}

impl Default for Walk {
    fn default() -> Self {
        Walk {
            frames: Vec::new(),
            context: Vec::new(),
            at: None,
            located: None,
            loop_depth: 0,
            tries: Vec::new(),
            loops: Vec::new(),
            activations: 0,
            counting: Counting::new(),
            unroll_factor: 1,
            building: Vec::new(),
            inner_calls: BTreeMap::new(),
            changing: BTreeMap::new(),
            atoms: 0,
            returned: None,
            left: Locations::default(),
        }
    }
}

impl Walk {
    /// Goes to where nothing is followed yet.
    pub fn restart(&mut self) {
        self.frames.clear();
        self.context.clear();
        self.tries.clear();
        self.loops.clear();
        self.counting.clear();
        (self.loop_depth, self.unroll_factor) = (0, 1);
    }
}
