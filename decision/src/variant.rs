//! The forms that a kernel can be given, and what is decided of them.

use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_performance_model::{Estimate, Prediction, Resources};

use super::requested::ExecutionModel;

/// The decision on a kernel.
#[derive(Clone, Debug)]
pub struct Decision {
    /// What the user asks for.
    pub model: ExecutionModel,
    /// The forms that matter of those that were tried, the one of the input first.
    pub candidates: Vec<Candidate>,
    /// The one that is kept.
    pub chosen: usize,
    /// The form that the passes make where nothing is decided.
    pub(super) standard: usize,
    /// How far the search for forms went.
    pub searched: Searched,
    /// What aoc said otherwise than the model; `None`: there is no report of any of the forms.
    pub disagreements: Option<Vec<String>>,
}

impl Decision {
    /// The form that is kept.
    pub fn chosen(&self) -> &Candidate {
        &self.candidates[self.chosen]
    }

    /// The steps by which the search came to the form that is kept, from a form that is tried in any case.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut after = self.chosen();
        while let Some(before) = after.from.map(|at| &self.candidates[at]) {
            steps.push(Step {
                what: step(&before.label, &after.label),
                gain: before.price.seconds.value / after.price.seconds.value,
            });
            after = before;
        }
        steps.reverse();
        steps
    }

    /// The form of the input.
    pub fn input(&self) -> &Candidate {
        &self.candidates[0]
    }
}

/// How far a search went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Searched {
    /// Forms that were made and priced; those that matter are reported.
    pub forms: usize,
    /// Where the search ended before its end, seconds below which no form that it could have come to by
    /// widening is, by the model; `None`: nothing was left that could be faster.
    pub floor: Option<f64>,
}

/// A form of a kernel, and its price.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What it is, as a text that distinguishes it from the others of its kernel.
    pub label: String,
    /// How it is made.
    pub pipeline: Pipeline,
    /// Its price.
    pub price: Price,
    /// The family that it belongs to.
    pub family: Family,
    /// Where its time comes from.
    pub origin: Origin,
    /// The seconds that the model predicts, where its time comes from elsewhere.
    pub predicted: Option<f64>,
    /// The form that it is a step of the search away from; `None`: it is tried in any case.
    pub from: Option<usize>,
    /// What was tried a step further, and is no faster or does not fit.
    pub refused: Vec<Refused>,
    /// Of forms that cost the same, the one with the lowest is kept.
    pub(super) rank: u32,
}

/// Where the time of a form comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The model predicts it.
    #[default]
    Model,
    /// The model, with figures of aoc's report.
    Compiler,
    /// The model, corrected by measured times of other forms.
    Corrected,
    /// It was measured.
    Measured,
}

/// A step that a form does not take.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// What would be done, as text.
    pub what: String,
    /// Seconds of all launches together then.
    pub seconds: f64,
    /// Whether that fits on the device.
    pub fits: bool,
}

/// A step of the search.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What is done, as text.
    pub what: String,
    /// How many times faster it makes the form before it.
    pub gain: f64,
}

/// The two families of forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Work-items flow through a pipeline.
    NdRange,
    /// One work-item with loops.
    SingleWorkItem,
}

impl Family {
    /// Its name, as in messages.
    pub fn name(self) -> &'static str {
        match self {
            Family::NdRange => "NDRange",
            Family::SingleWorkItem => "single work-item",
        }
    }
}

/// What a form costs.
#[derive(Clone, Debug)]
pub struct Price {
    /// Seconds of all launches together, each as often as facts state it, or once.
    pub seconds: Estimate,
    /// What all its versions take of the device.
    pub area: Resources,
    /// Whether it fits on the device, alone.
    pub fits: bool,
    /// Each version and launch that was priced.
    pub parts: Vec<Part>,
}

/// A version of a kernel at a launch.
#[derive(Clone, Debug)]
pub struct Part {
    /// The version's name.
    pub version: String,
    /// The launch's index among the facts; `None`: none is known.
    pub launch: Option<usize>,
    /// How often it is launched so.
    pub count: f64,
    /// What the model says.
    pub prediction: Prediction,
}

/// What a form has that the one before it has not, by their labels.
pub fn step(before: &str, after: &str) -> String {
    let known: Vec<&str> = before.split(", ").collect();
    let new: Vec<&str> = after
        .split(", ")
        .filter(|part| !known.contains(part))
        .collect();
    match new.is_empty() {
        true => after.to_string(),
        false => new.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_what_is_new() {
        let before = "NDRange, restrict, SIMD width 2";
        let after = "NDRange, restrict, SIMD width 4, for i at line 7 unrolled 2 times";
        assert_eq!(
            step(before, after),
            "SIMD width 4, for i at line 7 unrolled 2 times"
        );
        assert_eq!(step(before, "NDRange"), "NDRange");
    }
}
