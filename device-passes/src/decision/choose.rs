//! Which of the priced forms is kept.

use super::{Candidate, ExecutionModel, Family};

/// Forms whose times differ by less than this factor cost the same.
const SAME: f64 = 1.02;
/// Another family must be faster by this factor: the model knows each family better than both.
const OTHER_FAMILY: f64 = 1.05;

/// The place of the form that is kept: the fastest that fits; of those that cost the same, the one
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
        // The wish counts, not the price; how wide the form is, -O3 decides.
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
