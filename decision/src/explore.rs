//! What may be varied of a kernel, and what becomes of it then: for those who measure what the model only predicts.

use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_frontend::ir::Module;
use fpgacc_kernel_analysis::alias::called_functions;
use fpgacc_launch_facts::{Facts, Variant};

use super::alone::Without;
pub use super::price::Timer;
use super::price::{Made, Pricing, share_of};
use super::tuned::{self, NoVariant};
use super::variant::Family;
use super::{Request, profile, side_by_side, size};

/// A variant that was made.
#[derive(Clone)]
pub struct Explored {
    made: Made,
    /// The part of the device that it takes, by prediction.
    pub area: f64,
    /// Seconds of all launches together where the board is not, by the model that was given for that.
    pub elsewhere: Option<f64>,
}

impl Explored {
    /// Its family.
    pub fn family(&self) -> Family {
        self.made.family
    }

    /// Seconds of all launches together, by prediction.
    pub fn seconds(&self) -> f64 {
        self.made.price.seconds.value
    }

    /// Loops that may be unrolled: their numbers, from 1, and trip counts.
    pub fn loops(&self) -> Vec<(usize, Option<u64>)> {
        let loops = self.made.loops.iter();
        loops.map(|one| (one.index + 1, one.trips)).collect()
    }

    /// Numbers of elements that may be loaded once, in ascending order.
    pub fn promotable(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> = self
            .made
            .promotable
            .iter()
            .map(|one| one.elements)
            .collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// Loops whose iterations may end by a barrier: their numbers, from 1.
    pub fn lockstep(&self) -> Vec<usize> {
        self.made.lockstep.iter().map(|one| one.index + 1).collect()
    }

    /// Nests that may become one loop: the numbers of their outermost loops, from 1.
    pub fn nests(&self) -> Vec<usize> {
        self.made.nests.iter().map(|one| one.index + 1).collect()
    }

    /// Whether a pass rewrote something.
    pub fn did(&self, pass: &str) -> bool {
        let mut done = self.made.report.done.values().flatten();
        done.any(|(name, _)| *name == pass)
    }

    /// Whether several launches become one that the host has in a row.
    pub fn does_rows(&self) -> bool {
        let mut contracts = self.made.report.contracts.values();
        self.made.has_rows && contracts.any(|contract| contract.steps().is_some())
    }

    /// Whether the passes made the same of another variant.
    pub fn is_same(&self, other: &Explored) -> bool {
        self.made.is_like(&other.made)
    }
}

/// A kernel of which variants are made.
pub struct Explorer<'a> {
    kernel: String,
    pricing: Pricing<'a>,
    base: &'a Pipeline,
    timer: Option<&'a Timer<'a>>,
}

impl Explorer<'_> {
    /// Makes and prices variants, several at a time.
    ///
    /// # Errors
    /// A variant asks for what there is not.
    pub fn make(&self, variants: &[Variant]) -> Result<Vec<Explored>, NoVariant> {
        let facts = self.pricing.facts;
        let pipeline = |one| tuned::pipeline(&self.kernel, one, facts, self.base);
        let pipelines: Vec<Pipeline> = variants.iter().map(pipeline).collect::<Result<_, _>>()?;
        let make = |one: &Pipeline| match self.timer {
            Some(timer) => self.pricing.make_timed(one, timer),
            None => (self.pricing.make(one, std::iter::empty()), None),
        };
        let made = side_by_side::map(&pipelines, make);
        let explored = made.into_iter().map(|(made, elsewhere)| Explored {
            area: share_of(&made.price.area, self.pricing.board),
            made,
            elsewhere,
        });
        Ok(explored.collect())
    }

    /// The global sizes of the kernel's launches, where they are known.
    pub fn globals(&self) -> Vec<[u64; 3]> {
        tuned::globals(&self.kernel, self.pricing.facts).collect()
    }

    /// Operations and operands of the kernel.
    pub fn size(&self) -> usize {
        let module = &self.pricing.module;
        let kernels = module.kernels().map(|kernel| size(module, kernel));
        kernels.max().unwrap_or(0)
    }
}

/// Has a look at each kernel that nothing calls, by name. `timer` knows the device, if it is no board.
pub fn each<R>(
    module: &Module,
    facts: &Facts,
    base: &Pipeline,
    (request, timer): (&Request<'_>, Option<&Timer<'_>>),
    mut look: impl FnMut(&str, &Explorer<'_>) -> R,
) -> Vec<R> {
    let called = called_functions(module);
    let without = Without::new(module, &called);
    let profile = profile::Profile::of(module, facts, request.sources);
    let kernels = module.kernels().filter(|kernel| !called.contains(kernel));
    let looked = kernels.map(|kernel| {
        let explorer = Explorer {
            kernel: module.functions[kernel].name.clone(),
            pricing: request.pricing(without.with(module, kernel), &called, facts, &profile),
            base,
            timer,
        };
        look(&explorer.kernel, &explorer)
    });
    looked.collect()
}
