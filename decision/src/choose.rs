//! Which of the priced forms is kept.

use super::requested::ExecutionModel;
use super::variant::{Candidate, Decision, Family};

/// Forms whose times differ by less than this factor cost the same: a guess, well below the model's errors.
pub(super) const SAME: f64 = 1.02;
/// Another family must be faster by this factor, a guess: the model knows each family better than both.
pub(super) const OTHER_FAMILY: f64 = 1.05;

/// The index of the form that is kept: the fastest that fits; of those that cost the same, the one
/// that changes least. It is never slower than the input, which is the first. `standard` is the form
/// that the passes make where nothing is decided.
pub fn choose(
    candidates: &[Candidate],
    standard: usize,
    model: ExecutionModel,
    level: u8,
) -> usize {
    if level == 0 {
        return 0;
    }
    if model != ExecutionModel::Auto {
        // The request counts, not the price; how wide the form is, --kernel-opt=3 decides.
        let family = candidates[standard].family;
        let best = fastest(candidates, Some(family), true).filter(|_| level >= 3);
        return best.map_or(standard, |at| near(candidates, at));
    }
    let input = &candidates[0];
    let own = fastest(candidates, Some(input.family), true);
    let any = fastest(candidates, None, true);
    let (Some(own), Some(any)) = (own, any) else {
        return any.unwrap_or(0);
    };
    let seconds = |at: usize| candidates[at].price.seconds.value;
    match seconds(any) * OTHER_FAMILY < seconds(own) {
        true => near(candidates, any),
        false => near(candidates, own),
    }
}

/// Why a form is not kept though the model says that it is faster; `None`: it is no faster.
pub fn why_not(decision: &Decision, at: usize) -> Option<String> {
    let (kept, other) = (decision.chosen(), &decision.candidates[at]);
    let (slow, fast) = (kept.price.seconds.value, other.price.seconds.value);
    if at == decision.chosen || fast >= slow {
        return None;
    }
    let percent = |factor: f64| (factor * 100.0 - 100.0).round();
    Some(match decision.model {
        _ if !other.price.fits => "faster, but it does not fit on the device".to_string(),
        ExecutionModel::Auto if other.family != kept.family && fast * OTHER_FAMILY >= slow => {
            format!(
                "faster, but by less than the {} % that the model asks of the other family",
                percent(OTHER_FAMILY)
            )
        }
        ExecutionModel::Auto if fast * SAME >= slow => {
            format!(
                "faster by less than {} %, and it changes more",
                percent(SAME)
            )
        }
        ExecutionModel::Auto => "faster, but it does not fit beside the other kernels".to_string(),
        asked => format!(
            "faster, but -fexecution-model={} was asked for",
            asked.word()
        ),
    })
}

/// The fastest form, of a family; of those that fit, or of all if none must.
fn fastest(candidates: &[Candidate], family: Option<Family>, must_fit: bool) -> Option<usize> {
    let wanted = |at: &usize| {
        let candidate = &candidates[*at];
        let fits = candidate.price.fits || !must_fit;
        fits && family.is_none_or(|family| family == candidate.family)
    };
    let key = |at: usize| {
        (
            !candidates[at].price.fits,
            candidates[at].price.seconds.value,
        )
    };
    (0..candidates.len()).filter(wanted).min_by(|&a, &b| {
        let ((no_a, a), (no_b, b)) = (key(a), key(b));
        no_a.cmp(&no_b).then(a.total_cmp(&b))
    })
}

/// Of the forms of one family that cost as much as the best of them, the one that changes least, but
/// none that is slower than the input.
fn near(candidates: &[Candidate], best: usize) -> usize {
    let seconds = |at: usize| candidates[at].price.seconds.value;
    let input = &candidates[0];
    let bound = match input.price.fits && input.family == candidates[best].family {
        true => (seconds(best) * SAME).min(seconds(0)),
        false => seconds(best) * SAME,
    };
    let is_near = |at: &usize| {
        let candidate = &candidates[*at];
        candidate.family == candidates[best].family
            && candidate.price.fits == candidates[best].price.fits
            && candidate.price.seconds.value <= bound
    };
    let all = (0..candidates.len()).filter(is_near);
    all.min_by_key(|&at| candidates[at].rank).unwrap_or(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Origin, Price};
    use fpgacc_device_passes::pipeline::Pipeline;
    use fpgacc_performance_model::{Estimate, Resources};

    /// A form by its family, rank and seconds; slow ones do not fit.
    fn form(family: Family, rank: u32, seconds: f64, fits: bool) -> Candidate {
        Candidate {
            label: String::new(),
            pipeline: Pipeline::default(),
            price: Price {
                seconds: Estimate::within(seconds, 2.0),
                area: Resources::default(),
                fits,
                parts: Vec::new(),
            },
            family,
            origin: Origin::Model,
            predicted: None,
            from: None,
            refused: Vec::new(),
            rank,
        }
    }

    fn chosen(forms: &[(Family, u32, f64, bool)]) -> usize {
        let forms: Vec<_> = forms
            .iter()
            .map(|&(f, r, s, fits)| form(f, r, s, fits))
            .collect();
        choose(&forms, 0, ExecutionModel::Auto, 2)
    }

    use Family::{NdRange, SingleWorkItem};

    #[test]
    fn the_fastest_that_fits_is_kept() {
        let forms = [
            (NdRange, 1, 10.0, true),
            (NdRange, 0, 8.0, true),
            (SingleWorkItem, 2, 4.0, true),
            (SingleWorkItem, 3, 1.0, false),
        ];
        assert_eq!(chosen(&forms), 2);
        assert_eq!(chosen(&forms[..2]), 1);
    }

    #[test]
    fn of_equal_forms_the_nearest_to_the_input_is_kept() {
        let forms = [
            (NdRange, 1, 10.0, true),
            (NdRange, 0, 10.0, true),
            (NdRange, 5, 9.9, true),
            (SingleWorkItem, 2, 9.8, true),
        ];
        assert_eq!(chosen(&forms), 1);
        // One that is a little slower than the input is not.
        let slower = [(NdRange, 1, 10.0, true), (NdRange, 0, 10.1, true)];
        assert_eq!(chosen(&slower), 0);
    }

    #[test]
    fn what_does_not_fit_gives_way() {
        let forms = [
            (NdRange, 1, 1.0, false),
            (SingleWorkItem, 2, 9.0, true),
            (SingleWorkItem, 3, 5.0, true),
        ];
        assert_eq!(chosen(&forms), 2);
        assert_eq!(chosen(&forms[..1]), 0);
    }

    #[test]
    fn requests_beat_prices() {
        let forms = [
            form(NdRange, 1, 1.0, true),
            form(SingleWorkItem, 3, 9.0, true),
            form(SingleWorkItem, 4, 5.0, true),
        ];
        let swi = |level| choose(&forms, 1, ExecutionModel::SingleWorkItem, level);
        assert_eq!(swi(2), 1);
        assert_eq!(swi(3), 2);
        assert_eq!(choose(&forms, 0, ExecutionModel::NdRange, 3), 0);
        assert_eq!(choose(&forms, 1, ExecutionModel::Auto, 0), 0);
    }
}
