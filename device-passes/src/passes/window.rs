//! `window`: what a loop reads of an array at constant distances is read once, and kept in a shift register.
//!
//! A nest that walks over an array and reads `a[i - 1]`, `a[i]` and `a[i + 1]`, or the elements above and below
//! in rows of constant length, reads each element several times. Here it reads one element an iteration, the
//! newest, and takes the others from a register that moves on by one element in each iteration: Intel's
//! sliding window ("Single work-item kernel design", best-practices guide), with the least length, which
//! is the distance from the oldest to the newest (Chi, Cong, Wei and Zhou, "SODA: stencil with optimized
//! dataflow architecture", ICCAD 2018). Inner loops that walk over parts of rows then walk over whole rows,
//! and the outermost begins early enough that the register is filled; the body runs where it ran.
//!
//! Only elements are read that the original reads, or that lie between two such, hence in the same buffer.
//! Nobody writes the array meanwhile: the nest neither writes it nor synchronises.

mod address;
mod codegen;
mod collapse;
mod guard;
mod nests;
mod plan;
mod reads;
mod row;
mod slots;
mod stages;
mod steps;
mod walk;
mod when;

use fpgacc_frontend::ir::{FunctionId, Module};

use crate::options::OwnOptions;
use crate::pass::{About, Context, LaunchContract, Outcome, Pass, Requirement};
use crate::setting::{PassFlag, Setting, number};

/// Nests are looked at again so often: one walk has windows of one stride only.
const ROUNDS: usize = 4;

/// The pass.
pub struct Window;

/// What is asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Elements that nests move on in an iteration, where rows are multiples of that.
    pub lanes: u64,
    /// The most elements of a window.
    pub elements: u64,
    /// Launches that a kernel does in a row, where they exchange two buffers: odd.
    pub steps: u64,
}

impl OwnOptions for Options {
    const DEFAULT: &'static Self = &Options {
        lanes: 1,
        elements: 32768,
        steps: 1,
    };
}

/// Elements of windows that hold planes: what the largest devices have room for.
pub const LONG: u64 = 1 << 20;

const ELEMENTS: Setting = Setting::new("elements", |options, text| {
    options.of_mut::<Options>().elements = number(text)?;
    Ok(())
});

const LANES: Setting = Setting::new("lanes", |options, text| {
    options.of_mut::<Options>().lanes = number(text)?;
    Ok(())
});

const STEPS: Setting = Setting::new("time-steps", |options, text| {
    options.of_mut::<Options>().steps = number(text)?;
    Ok(())
})
.flag(
    PassFlag::Value("N"),
    "let stencils do the work of up to N launches in one, where the host launches them in a row and exchanges the \
     buffers that they read and write (temporal blocking); N is odd",
)
.turns_on()
.checked(|text| match text.parse::<u64>() {
    Ok(steps) if steps % 2 == 1 && steps <= MOST_STEPS => Ok(()),
    _ => Err(format!("'{text}' is no odd number up to {MOST_STEPS}")),
});

/// The most launches that a kernel does in a row: a guess, well beyond what fits on a device.
const MOST_STEPS: u64 = 63;

impl Pass for Window {
    fn about(&self) -> About {
        About {
            name: super::WINDOW,
            description: "read arrays once, through sliding windows, in single work-items",
            level: 3,
            requires: &[Requirement::SingleWorkItem],
            after: &["ndrange-to-loop", "restrict", "scalar-replacement"],
        }
    }

    fn settings(&self) -> &'static [Setting] {
        &[LANES, ELEMENTS, STEPS]
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        contract: &mut LaunchContract,
    ) -> Outcome {
        let (mut done, mut missed) = (Vec::new(), Vec::new());
        let mut options: Options = *context.options.of();
        // Only a single work-item has arguments of the runtime's.
        if !contract.is_task() {
            options.steps = 1;
        }
        for round in 0..ROUNDS {
            let summaries = context.summaries(module, kernel);
            let (mut planned, others) =
                plan::plan(module, kernel, summaries, context.called, &options);
            if round == 0 || !planned.is_empty() {
                missed = others;
            }
            missed.extend(planned.iter_mut().filter_map(|nest| nest.unlike.take()));
            options.steps = 1;
            if planned.is_empty() {
                break;
            }
            if round == 0 {
                module.functions[kernel].make_names_unique(context.names);
            }
            if let [nest] = &mut planned[..] {
                steps::launched(module, kernel, &mut nest.walk, contract, context.names);
            }
            // The last first: the indices of the others stay.
            for nest in planned.iter().rev() {
                codegen::apply(module, kernel, nest);
            }
            done.extend(planned.into_iter().flat_map(|nest| nest.done));
        }
        self.outcome(&mut module.functions[kernel], done, missed)
    }
}
