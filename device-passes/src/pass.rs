//! What a pass is.

use std::collections::BTreeSet;

use fpgacc_frontend::facts::{Facts, Launch};
use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_frontend::source::Span;
use fpgacc_runtime::manifest::{Form, ScalarFact};

use crate::analysis::constant_memory::{self, Launches};
use crate::geometry::Geometry;
use crate::passes::unroll::Factor;

/// Choices that passes look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassOptions {
    /// Never change the order of floating-point operations (`--strict-fp`).
    pub strict_fp: bool,
    /// Latency of a floating-point addition in cycles: the depth of shift registers. The thesis uses
    /// 8 for Stratix V.
    pub shift_register_depth: u32,
    /// The most work-items in a group where the host does not fix the local size
    /// (`--max-local-size`).
    pub max_local_size: u64,
    /// Which kernels have a version that relies on no fact.
    pub general: General,
    /// An object with launches that no fact tells of: nothing is proved of all launches then.
    pub unseen: Option<String>,
    /// Work-items that an NDRange kernel runs at a time in one pipeline (`num_simd_work_items`).
    pub simd: u64,
    /// Pipelines that an NDRange kernel has (`num_compute_units`).
    pub compute_units: u64,
    /// The dimension of work-items whose loops are innermost in single work-items, wherever their order is
    /// free; `None`: the one that moves word by word through memory.
    pub innermost: Option<u8>,
    /// Loops to unroll.
    pub unroll: Vec<Factor>,
    /// Nests to make one loop of, by the places of their outermost loops (see
    /// [`crate::passes::coalesce::Candidate::index`]).
    pub coalesce: Vec<usize>,
    /// Kernels that are launched in different ways get a version for each.
    pub versions: bool,
    /// Places of the parameters that may become constant memory; `None`: all. The decision chooses.
    pub tables: Option<BTreeSet<u32>>,
    /// The most bytes that the cache of `__constant` memory may have; `None`: any number, known or not.
    pub constant_cache: Option<u64>,
}

/// Which kernels are also built as they are, for launches that a rewritten version cannot take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum General {
    /// None: such launches fail (`--no-general`).
    Never,
    /// Those that rely on what is not proved.
    #[default]
    Assumed,
    /// All that rely on anything; what was only seen in runs counts like what is proved
    /// (`--keep-general`).
    Always,
}

impl General {
    /// Whether what was only seen in runs is relied on wherever that gains something.
    pub fn seen_counts(self) -> bool {
        self == General::Always
    }
}

impl Default for PassOptions {
    fn default() -> Self {
        PassOptions {
            strict_fp: false,
            shift_register_depth: 8,
            max_local_size: 1024,
            general: General::default(),
            unseen: None,
            simd: 1,
            compute_units: 1,
            innermost: None,
            unroll: Vec::new(),
            coalesce: Vec::new(),
            versions: true,
            tables: None,
            constant_cache: Some(constant_memory::MOST),
        }
    }
}

/// What a pass may look at besides the module.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// Choices.
    pub options: &'a PassOptions,
    /// All launch facts.
    pub facts: &'a Facts,
    /// The launches of the kernel at hand.
    pub geometry: &'a Geometry,
    /// Launches that may launch the kernel at hand.
    pub launches: &'a [&'a Launch],
    /// The launches of all kernels and versions.
    pub all_launches: &'a Launches<'a>,
    /// Functions that another function called before the passes ran.
    pub called: &'a BTreeSet<FunctionId>,
    /// The names at file scope, [`Module::global_names`].
    pub names: &'a BTreeSet<String>,
}

/// What the runtime must know of a kernel so far; passes add to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchContract {
    /// How the kernel is launched.
    pub form: Form,
    /// See [`fpgacc_runtime::manifest::Kernel::locked`].
    pub locked: bool,
    /// Pairs of parameter indices that must not overlap (see
    /// [`fpgacc_runtime::manifest::Kernel::distinct`]).
    pub distinct: Vec<(u32, u32)>,
    /// See [`fpgacc_runtime::manifest::Kernel::constants`].
    pub constants: Vec<(u32, u64)>,
    /// See [`fpgacc_runtime::manifest::Kernel::aligned`].
    pub aligned: Vec<(u32, u64)>,
    /// See [`fpgacc_runtime::manifest::Kernel::local_bytes`].
    pub local_bytes: Vec<(u32, u64)>,
    /// See [`fpgacc_runtime::manifest::Kernel::local_size`].
    pub local_size: Option<[u64; 3]>,
    /// See [`fpgacc_runtime::manifest::Kernel::scalars`].
    pub scalars: Vec<ScalarFact>,
}

impl Default for LaunchContract {
    fn default() -> Self {
        LaunchContract {
            form: Form::NdRange,
            locked: false,
            distinct: Vec::new(),
            constants: Vec::new(),
            aligned: Vec::new(),
            local_bytes: Vec::new(),
            local_size: None,
            scalars: Vec::new(),
        }
    }
}

/// What a pass did to a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It rewrote: one note for each rewrite.
    Done(Vec<Note>),
    /// It left something alone that a user might have expected to be rewritten: why.
    Missed(Vec<Note>),
    /// Both.
    Partly {
        /// What was rewritten.
        done: Vec<Note>,
        /// What was not.
        missed: Vec<Note>,
    },
    /// There was nothing to do for it.
    Nothing,
}

impl Outcome {
    /// The outcome with these notes on what was rewritten and what was not.
    pub fn of(done: Vec<Note>, missed: Vec<Note>) -> Self {
        match (done.is_empty(), missed.is_empty()) {
            (true, true) => Outcome::Nothing,
            (false, true) => Outcome::Done(done),
            (true, false) => Outcome::Missed(missed),
            (false, false) => Outcome::Partly { done, missed },
        }
    }
}

/// A sentence about a rewrite, and the place that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// One line, lower case, without a full stop.
    pub text: String,
    /// Where; the kernel's name if `None`.
    pub span: Option<Span>,
    /// Further places with a label each, such as the other end of a dependence.
    pub also: Vec<(Span, String)>,
}

impl Note {
    /// A note about a place.
    pub fn new(text: impl Into<String>, span: Option<Span>) -> Self {
        Note {
            text: text.into(),
            span,
            also: Vec::new(),
        }
    }
}

/// A rewrite of kernels.
pub trait Pass: Sync {
    /// The name of `-f<name>`, such as `ndrange-to-loop`.
    fn name(&self) -> &'static str;
    /// One line for `--print-passes`.
    fn description(&self) -> &'static str;
    /// The lowest `-O` level at which it is on.
    fn level(&self) -> u8;
    /// Rewrites one kernel, or leaves it exactly as it is.
    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        contract: &mut LaunchContract,
    ) -> Outcome;
}
