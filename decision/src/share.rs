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
/// costs least time for the area that it frees.
pub fn fit_together(decisions: &mut BTreeMap<String, Decision>, board: &Board) {
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
    let limit = decision.input().price.seconds.value;
    let is_allowed = move |candidate: &Candidate| candidate.price.seconds.value <= limit;
    let all = decision.candidates.iter().enumerate();
    all.filter(move |(at, candidate)| *at == 0 || is_allowed(candidate))
        .filter_map(move |(to, candidate)| {
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

    #[test]
    fn the_kernel_that_loses_least_gets_smaller() {
        let board = Board::named("de5a-net").unwrap();
        let decision = |forms: &[(f64, f64)], chosen| Decision {
            model: ExecutionModel::Auto,
            candidates: forms.iter().map(|(t, a)| form(&board, *t, *a)).collect(),
            chosen,
            standard: 0,
            searched: Searched::default(),
            disagreements: None,
        };
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
}
