//! `replicate`: a SIMD width for kernels that stay NDRanges: more work-items in one pipeline
//! (`num_simd_work_items`), or in pipelines of their own that take whole work-groups
//! (`num_compute_units`). How many is for the decision to say.
//!
//! Neither changes what a kernel means: OpenCL promises no order of work-items between barriers, and
//! none of work-groups.

use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_kernel_analysis::divergence::divergent_loop;

use crate::options::OwnOptions;
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};
use crate::setting::{Setting, number};

/// The pass.
pub struct Replicate;

/// What is asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Work-items that run at a time in one pipeline (`num_simd_work_items`).
    pub simd: u64,
    /// Pipelines (`num_compute_units`).
    pub units: u64,
}

impl OwnOptions for Options {
    const DEFAULT: &'static Self = &Options { simd: 1, units: 1 };
}

const SETTINGS: &[Setting] = &[
    Setting::new("simd", |options, text| {
        options.of_mut::<Options>().simd = number(text)?;
        Ok(())
    }),
    Setting::new("units", |options, text| {
        options.of_mut::<Options>().units = number(text)?;
        Ok(())
    }),
];

impl Pass for Replicate {
    fn about(&self) -> About {
        About {
            name: "replicate",
            description: "run several work-items or work-groups of NDRange kernels at a time, where that pays",
            level: 3,
            requires: &[Requirement::ManyWorkItems, Requirement::EntryPoint],
            after: &["work-group-size"],
        }
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn has_work(&self, _module: &Module, _kernel: FunctionId, context: &Context<'_>) -> bool {
        context.options.of::<Options>() != Options::DEFAULT
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        _contract: &mut LaunchContract,
    ) -> Outcome {
        let Options { simd, units } = *context.options.of();
        let (mut done, mut missed) = (Vec::new(), Vec::new());
        if simd > 1 {
            match simd_obstacle(module, kernel, simd) {
                Some(note) => missed.push(note),
                None => {
                    set(module, kernel, "num_simd_work_items", simd);
                    done.push(note(format!("SIMD width {simd}")));
                }
            }
        }
        if units > 1 {
            if module.functions[kernel].attr("num_compute_units").is_some() {
                missed.push(Note::new("it says its compute units itself", None));
            } else {
                set(module, kernel, "num_compute_units", units);
                done.push(note(format!("{units} compute units")));
            }
        }
        self.comment(&mut module.functions[kernel], &done);
        match (done.is_empty(), missed.is_empty()) {
            (true, _) => Outcome::Missed(missed),
            (false, true) => Outcome::Done(done),
            (false, false) => Outcome::Partly { done, missed },
        }
    }
}

fn note(text: String) -> Note {
    Note::new(text.clone(), None).names_form(text)
}

fn set(module: &mut Module, kernel: FunctionId, attribute: &str, number: u64) {
    module.functions[kernel].set_attr(attribute, Some(number.to_string()));
}

/// Why aoc would not take `num_simd_work_items`, or would ignore it.
fn simd_obstacle(module: &Module, kernel: FunctionId, width: u64) -> Option<Note> {
    let function = &module.functions[kernel];
    if function.attr("num_simd_work_items").is_some() {
        return Some(Note::new("it states its SIMD width itself", None));
    }
    if !width.is_power_of_two() || width > 16 {
        let text = format!("SIMD width {width} is none of 2, 4, 8 and 16");
        return Some(Note::new(text, None));
    }
    let Some([x, ..]) = function.reqd_work_group_size() else {
        let text = "no SIMD width: that needs a known work-group size";
        return Some(Note::new(text, None));
    };
    if x % width != 0 {
        let text = format!("{x} work-items in a row do not divide into {width} at a time");
        return Some(Note::new(text, None));
    }
    let span = divergent_loop(module, kernel)?;
    let text = "no SIMD width: this loop may have a non-uniform trip count, or some may skip it";
    Some(Note::new(text, span))
}
