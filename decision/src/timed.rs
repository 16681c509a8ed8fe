//! Times that users measured of forms of their kernels (`--measured`).
//!
//! A form that was measured has that time. What the measurements say of the other forms is learned
//! ([`fpgacc_tuning::correction`]), and used only if it would have foretold the measured times better than the model, each
//! kernel (or, where there are few, each form) left out in turn.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::source::Span;
use fpgacc_performance_model::{Board, Estimate, Form};
use fpgacc_tuning::compare::median;
use fpgacc_tuning::correction::{self, Corrected, LeftOut};
use fpgacc_tuning::strategy::{Candidate as Point, Tried};

use super::price::share_of;
use super::variant::{Candidate, Decision, Family, Origin, Part};

/// A measured time.
#[derive(Clone, Debug, PartialEq)]
pub struct Timed {
    /// The kernel.
    pub kernel: String,
    /// The form, as reports name it.
    pub form: String,
    /// Seconds of all launches together.
    pub seconds: f64,
    /// Where it stands.
    pub span: Span,
}

/// What was learned from measured times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    /// Forms that were measured.
    pub forms: usize,
    /// Kernels of these.
    pub kernels: usize,
    /// How far off predictions are, without and with the others' measurements; `None`: too few were measured to say.
    pub left_out: Option<LeftOut>,
    /// Whole kernels were left out, not only single forms.
    pub by_kernel: bool,
    /// Times that are of no form of their kernel.
    pub unknown: Vec<Timed>,
}

impl Learned {
    /// Whether the times of forms that were not measured are corrected.
    pub fn is_used(&self) -> bool {
        self.left_out.is_some_and(|check| check.is_better())
    }

    /// What is left out in turn.
    pub fn left_out_word(&self) -> &'static str {
        if self.by_kernel { "kernel" } else { "form" }
    }
}

/// Kernels are left out whole if there are so many.
const KERNELS: usize = 3;

/// A form among those of all kernels.
type CandidateRef<'a> = (&'a str, usize);

/// Takes over the times of forms that were measured, and what they say of the others. Which form is kept is not
/// decided anew.
pub fn apply(
    decisions: &mut BTreeMap<String, Decision>,
    times: &[Timed],
    board: &Board,
) -> Learned {
    let known = decisions.clone();
    let all: Vec<CandidateRef<'_>> = (known.iter())
        .flat_map(|(name, one)| (0..one.candidates.len()).map(move |at| (name.as_str(), at)))
        .collect();
    let form = |&(kernel, at): &CandidateRef<'_>| &known[kernel].candidates[at];
    let mut learned = Learned::default();
    let mut measured: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for time in times.iter().filter(|time| known.contains_key(&time.kernel)) {
        let is_own = |one: &CandidateRef<'_>| one.0 == time.kernel && form(one).label == time.form;
        match all.iter().position(is_own) {
            Some(at) => measured.entry(at).or_default().push(time.seconds),
            None => learned.unknown.push(time.clone()),
        }
    }
    let tried: Vec<Tried> = (measured.iter())
        .map(|(&at, times)| Tried {
            candidate: at,
            cost: median(times),
            area: None,
        })
        .collect();
    let kernels: BTreeSet<&str> = tried.iter().map(|one| all[one.candidate].0).collect();
    let points: Vec<Point> = (all.iter())
        .map(|one| point(one.0, form(one), &kernels, board))
        .collect();
    learned.forms = tried.len();
    learned.kernels = kernels.len();
    learned.by_kernel = kernels.len() >= KERNELS;
    learned.left_out = match learned.by_kernel {
        true => correction::left_out(&points, &tried, |at| all[at].0),
        false => correction::left_out(&points, &tried, |at| at),
    };
    let likely = match learned.is_used() {
        true => correction::correct(&points, &tried).unwrap_or_default(),
        false => Vec::new(),
    };
    for (number, (kernel, at)) in all.iter().enumerate() {
        let Some(decision) = decisions.get_mut(*kernel) else {
            continue;
        };
        let own = tried.iter().find(|one| one.candidate == number);
        let form = &mut decision.candidates[*at];
        match (own.and_then(|one| one.cost), likely.get(number)) {
            (Some(seconds), _) => set(form, Estimate::exact(seconds), Origin::Measured),
            (None, Some(&Corrected { seconds, within })) => {
                set(form, Estimate::within(seconds, within), Origin::Corrected);
                // A bound on predictions is none on what they are corrected to.
                decision.searched.floor = None;
            }
            (None, None) => {}
        }
    }
    learned
}

/// What predictions may be off by alike: a kernel's own forms, those of a family, those that memory bounds, wide ones, large
/// ones. Kernels that were not measured are alike.
fn point(kernel: &str, form: &Candidate, measured: &BTreeSet<&str>, board: &Board) -> Point {
    let parts = &form.price.parts;
    let longest = (parts.iter()).max_by(|a, b| {
        let seconds = |part: &Part| part.prediction.seconds.value * part.count;
        seconds(a).total_cmp(&seconds(b))
    });
    let (memory, wide) = longest.map_or((0.0, 0.0), |part| {
        let lanes = match part.prediction.form {
            Form::NdRange {
                simd,
                compute_units,
            } => simd * compute_units,
            Form::SingleWorkItem => 1,
        };
        let copies = part.prediction.loops.iter().map(|one| one.unroll);
        let copies = copies.max().unwrap_or(1);
        let prediction = &part.prediction;
        let memory = prediction.memory_seconds / prediction.seconds.value;
        (memory.min(1.0), ((lanes * copies) as f64).log2() / WIDEST)
    });
    let family = match form.family {
        Family::NdRange => 0.0,
        Family::SingleWorkItem => 1.0,
    };
    let area = share_of(&form.price.area, board).min(1.0);
    let mut features = vec![family, memory, wide, area];
    // Two kernels are as far apart as the families.
    features.extend(
        measured
            .iter()
            .map(|name| if *name == kernel { 0.5 } else { 0.0 }),
    );
    Point {
        features,
        predicted: Some(form.price.seconds.value),
        ..Point::default()
    }
}

/// The logarithm of the copies that count as far from one: 64.
const WIDEST: f64 = 6.0;

/// Gives a form another time than the predicted one, and all of its launches with it.
fn set(form: &mut Candidate, seconds: Estimate, origin: Origin) {
    let by = seconds.value / form.price.seconds.value;
    form.predicted = Some(form.price.seconds.value);
    form.origin = origin;
    form.price.seconds = seconds;
    for part in &mut form.price.parts {
        let one = &mut part.prediction;
        let range = |now: f64| Estimate {
            value: now,
            low: now * seconds.low / seconds.value,
            high: now * seconds.high / seconds.value,
        };
        one.seconds = range(one.seconds.value * by);
        one.cycles = range(one.cycles.value * by);
        one.busy_cycles *= by;
        one.memory_seconds *= by;
    }
    for refused in &mut form.refused {
        refused.seconds *= by;
    }
}
