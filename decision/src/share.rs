//! The kernels of a program share a device: where their forms do not fit together, some get smaller
//! ones.

use std::collections::BTreeMap;

use fpgacc_performance_model::{Board, Resources};

use super::price::share_of;
use super::requested::ExecutionModel;
use super::variant::{Candidate, Decision};

/// A part of the device that is none: sums of floats are not exact.
const NOTHING: f64 = 1e-9;

/// Makes the chosen forms fit on the device together, if they can: step by step the smaller form that
/// costs least time for the area that it frees. As such a step may free more than is needed, one or two kernels then get
/// other forms as long as that takes less time.
pub fn fit_together(decisions: &mut BTreeMap<String, Decision>, board: &Board) {
    if share_of(&total(decisions), board) <= 1.0 {
        return;
    }
    make_smaller(decisions, board);
    while share_of(&total(decisions), board) <= 1.0 {
        let Some(better) = better(decisions, board) else {
            return;
        };
        for (name, to) in better {
            if let Some(decision) = decisions.get_mut(&name) {
                decision.chosen = to;
            }
        }
    }
}

/// The smaller forms, step by step.
fn make_smaller(decisions: &mut BTreeMap<String, Decision>, board: &Board) {
    // Each step makes a kernel smaller, and there are not more forms than these.
    let forms = decisions.values().map(|decision| decision.candidates.len());
    for _ in 0..forms.sum::<usize>() {
        if share_of(&total(decisions), board) <= 1.0 {
            return;
        }
        let steps = decisions
            .iter()
            .filter(|(_, decision)| decision.model == ExecutionModel::Auto)
            .flat_map(|(name, decision)| smaller(name, decision, board));
        let Some(step) = steps.min_by(|a, b| a.cost.total_cmp(&b.cost)) else {
            return;
        };
        let name = step.kernel.to_string();
        let to = step.to;
        if let Some(decision) = decisions.get_mut(&name) {
            decision.chosen = to;
        }
    }
}

/// Another form of a kernel.
#[derive(Clone, Copy)]
struct Change<'a> {
    kernel: &'a str,
    to: usize,
    /// Seconds that it takes more.
    seconds: f64,
    /// What it takes more of the device.
    area: Resources,
}

/// Less time than this is none: sums of floats are not exact.
const NO_GAIN: f64 = 1e-6;

/// Other forms of one or two kernels that all fit together and take least time; `None`: there are none that are faster.
fn better<'d>(
    decisions: &'d BTreeMap<String, Decision>,
    board: &Board,
) -> Option<Vec<(String, usize)>> {
    let now = total(decisions);
    let seconds = decisions
        .values()
        .map(|one| one.chosen().price.seconds.value);
    let least = seconds.sum::<f64>() * NO_GAIN;
    let auto = decisions
        .iter()
        .filter(|(_, one)| one.model == ExecutionModel::Auto);
    let changes: Vec<Change<'_>> = auto.flat_map(|(name, one)| changes(name, one)).collect();
    let faster = changes.iter().filter(|change| change.seconds < -least);
    let mut best: Option<(f64, Vec<Change<'d>>)> = None;
    let mut take = |taken: &[Change<'d>]| {
        let seconds: f64 = taken.iter().map(|change| change.seconds).sum();
        let bound = best.as_ref().map_or(-least, |(seconds, _)| *seconds);
        let area = || {
            taken
                .iter()
                .fold(now, |sum, change| sum.plus(change.area, 1.0))
        };
        if seconds < bound && share_of(&area(), board) <= 1.0 {
            best = Some((seconds, taken.to_vec()));
        }
    };
    for first in faster {
        take(&[*first]);
        let others = changes.iter().filter(|other| other.kernel != first.kernel);
        others.for_each(|other| take(&[*first, *other]));
    }
    let (_, taken) = best?;
    let forms = taken
        .iter()
        .map(|change| (change.kernel.to_string(), change.to));
    Some(forms.collect())
}

/// The other forms of a kernel that are not slower than its input.
fn changes<'a>(kernel: &'a str, decision: &'a Decision) -> impl Iterator<Item = Change<'a>> {
    let now = &decision.chosen().price;
    allowed(decision)
        .filter(|(to, _)| *to != decision.chosen)
        .map(move |(to, candidate)| Change {
            kernel,
            to,
            seconds: candidate.price.seconds.value - now.seconds.value,
            area: candidate.price.area.plus(now.area, -1.0),
        })
}

/// The forms of a kernel that are not slower than its input, and that.
fn allowed(decision: &Decision) -> impl Iterator<Item = (usize, &Candidate)> {
    let limit = decision.input().price.seconds.value;
    let all = decision.candidates.iter().enumerate();
    all.filter(move |(at, candidate)| *at == 0 || candidate.price.seconds.value <= limit)
}

struct Step<'a> {
    kernel: &'a str,
    to: usize,
    /// Seconds lost for the part of the device that becomes free.
    cost: f64,
}

fn total(decisions: &BTreeMap<String, Decision>) -> Resources {
    let areas = decisions
        .values()
        .map(|decision| decision.chosen().price.area);
    areas.fold(Resources::default(), |sum, area| sum.plus(area, 1.0))
}

/// The steps to smaller forms of a kernel that are not slower than its input.
fn smaller<'a>(
    kernel: &'a str,
    decision: &'a Decision,
    board: &'a Board,
) -> impl Iterator<Item = Step<'a>> {
    let now = decision.chosen();
    allowed(decision).filter_map(move |(to, candidate)| {
        let freed = share_of(&now.price.area, board) - share_of(&candidate.price.area, board);
        let lost = candidate.price.seconds.value - now.price.seconds.value;
        (freed > NOTHING).then_some(Step {
            kernel,
            to,
            cost: lost / freed,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Family, Origin, Price, Searched};
    use fpgacc_device_passes::pipeline::Pipeline;
    use fpgacc_performance_model::Estimate;

    /// A form that takes a part of the device's multipliers.
    fn form(board: &Board, seconds: f64, share: f64) -> Candidate {
        let dsp = (board.device.dsp - board.interface.dsp) * share;
        Candidate {
            label: String::new(),
            pipeline: Pipeline::default(),
            price: Price {
                seconds: Estimate::exact(seconds),
                area: Resources {
                    dsp,
                    ..Resources::default()
                },
                fits: share <= 1.0,
                parts: Vec::new(),
            },
            family: Family::NdRange,
            origin: Origin::Model,
            predicted: None,
            from: None,
            refused: Vec::new(),
            rank: 0,
        }
    }

    fn decision(board: &Board, forms: &[(f64, f64)], chosen: usize) -> Decision {
        Decision {
            model: ExecutionModel::Auto,
            candidates: forms.iter().map(|(t, a)| form(board, *t, *a)).collect(),
            chosen,
            standard: 0,
            searched: Searched::default(),
            disagreements: None,
        }
    }

    #[test]
    fn the_kernel_that_loses_least_gets_smaller() {
        let board = Board::named("de5a-net").unwrap();
        let decision = |forms: &[(f64, f64)], chosen| decision(&board, forms, chosen);
        let mut decisions = BTreeMap::from([
            (
                "a".to_string(),
                decision(&[(9.0, 0.1), (3.0, 0.4), (1.0, 0.8)], 2),
            ),
            ("b".to_string(), decision(&[(100.0, 0.1), (10.0, 0.6)], 1)),
        ]);
        fit_together(&mut decisions, &board);
        let chosen = |name: &str| decisions[name].chosen;
        assert_eq!((chosen("a"), chosen("b")), (1, 1));
    }

    #[test]
    fn what_a_step_frees_beyond_what_is_needed_is_used() {
        let board = Board::named("de5a-net").unwrap();
        let decision = |forms: &[(f64, f64)], chosen| decision(&board, forms, chosen);
        let mut decisions = BTreeMap::from([
            (
                "a".to_string(),
                decision(&[(9.0, 0.1), (1.5, 0.3), (1.3, 0.55), (1.0, 0.7)], 3),
            ),
            (
                "b".to_string(),
                decision(&[(9.0, 0.1), (8.0, 0.4), (5.0, 0.65)], 1),
            ),
        ]);
        fit_together(&mut decisions, &board);
        let chosen = |name: &str| decisions[name].chosen;
        // The best step takes a form of `a` that leaves what a faster form of `b` takes.
        assert_eq!((chosen("a"), chosen("b")), (1, 2));
    }
}
