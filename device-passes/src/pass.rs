//! What a pass is.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use fpgacc_frontend::ir::{FileNames, Function, FunctionId, Module};
use fpgacc_kernel_analysis::accesses::Summaries;
use fpgacc_kernel_analysis::constant_memory::Launches;
use fpgacc_kernel_analysis::geometry::{Geometry, LocalGeometry};
use fpgacc_kernel_analysis::local_race::{self, Race};
use fpgacc_launch_facts::{Facts, Launch};

use crate::options::{Feature, PassOptions};
use crate::setting::Setting;

pub use fpgacc_kernel_analysis::note::Note;
pub use fpgacc_runtime::contract::LaunchContract;

/// What a pass may look at besides the module.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// The kernel at hand, as the source names it; versions of it have names of their own.
    pub kernel: &'a str,
    /// Choices.
    pub options: &'a PassOptions,
    /// All launch facts.
    pub facts: &'a Facts,
    /// The launches of the kernel at hand; of a coarsened one, the smaller ones that it has.
    pub geometry: &'a Geometry,
    /// Launches that may launch the kernel at hand.
    pub launches: &'a [&'a Launch],
    /// The launches of all kernels and versions.
    pub all_launches: &'a Launches<'a>,
    /// Functions that another function called before the passes ran.
    pub called: &'a BTreeSet<FunctionId>,
    /// The names at file scope, [`Module::global_names`].
    pub names: &'a FileNames,
    /// See [`Context::summaries`].
    pub summaries: OnceCell<Summaries>,
}

impl Context<'_> {
    /// What the kernel at hand and all that it calls access, as they were when this was first asked.
    pub fn summaries(&self, module: &Module, kernel: FunctionId) -> &Summaries {
        let compute = || Summaries::reachable(module, kernel, self.called);
        self.summaries.get_or_init(compute)
    }

    /// A race of the kernel's work-items in work-groups of the launches' size; where nothing is known of it, of
    /// a wavefront's.
    pub fn race(&self, module: &Module, kernel: FunctionId) -> Option<Race> {
        const WAVEFRONT: u64 = 64;
        let sizes = match (
            module.functions[kernel].reqd_work_group_size(),
            &self.geometry.local,
        ) {
            (Some(required), _) => required.map(Some),
            (None, LocalGeometry::Sizes(sizes)) => *sizes,
            (None, LocalGeometry::Unknown | LocalGeometry::Null) => [None; 3],
        };
        let [x, y, z] = sizes;
        let sizes = [x.unwrap_or(WAVEFRONT), y.unwrap_or(1), z.unwrap_or(1)];
        local_race::find(module, kernel, sizes.map(|size| size.max(1)))
    }
}

/// The local size that the runtime passes in place of the host's, if it does and the launch's global size is known.
pub fn chosen_local(launch: &Launch, contract: &LaunchContract) -> Option<[u64; 3]> {
    match Geometry::of([launch]).global {
        [Some(x), Some(y), Some(z)] => contract.chosen_local([x, y, z]),
        _ => None,
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

/// What a pass needs of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// A launch of it is known.
    KnownLaunches,
    /// No other function calls it: such a call passes what no launch does, in work-groups of its own.
    EntryPoint,
    /// It runs as a single work-item.
    SingleWorkItem,
    /// It runs as many work-items.
    ManyWorkItems,
    /// The tool that builds it knows what the pass writes.
    Tool(Feature),
}

/// What a pass says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The name of `-f<name>`, such as `ndrange-to-loop`.
    pub name: &'static str,
    /// One line for `--print-passes`.
    pub description: &'static str,
    /// The lowest `-O` level at which it is on.
    pub level: u8,
    /// What it needs of a kernel; if that is not so it is not run.
    pub requires: &'static [Requirement],
    /// The passes that run before it where they are on: it needs what they make, or takes it apart.
    pub after: &'static [&'static str],
}

/// A rewrite of kernels.
pub trait Pass: Sync {
    /// What it is called, when it is on, and what it needs.
    fn about(&self) -> About;
    /// See [`About::name`].
    fn name(&self) -> &'static str {
        self.about().name
    }
    /// Its options as text.
    fn settings(&self) -> &'static [Setting] {
        &[]
    }
    /// Whether a kernel has anything that it could rewrite. Without that it is not run, and nothing is
    /// reported.
    fn has_work(&self, _module: &Module, _kernel: FunctionId, _context: &Context<'_>) -> bool {
        true
    }
    /// Rewrites one kernel, or leaves it exactly as it is.
    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        contract: &mut LaunchContract,
    ) -> Outcome;
    /// The outcome of what was done in a function and what was not, with comments there on what was.
    fn outcome(&self, function: &mut Function, done: Vec<Note>, missed: Vec<Note>) -> Outcome {
        self.comment(function, &done);
        Outcome::of(done, missed)
    }
    /// Adds comments to a function that say what was done. Several statements may be rewritten alike.
    fn comment(&self, function: &mut Function, done: &[Note]) {
        for note in done {
            let comment = format!("{}: {}", self.name(), note.text);
            if !function.comments.contains(&comment) {
                function.comments.push(comment);
            }
        }
    }
}
