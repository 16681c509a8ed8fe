//! Steps that gained each alone, taken together.
//!
//! The times of loops that follow each other add up, and lanes and units multiply what all of them do. Where several
//! of these gain, the form that takes all is one form further, and not as many as there are steps. Not lanes where it is
//! memory that takes the time: each may be all that it can serve.

use fpgacc_device_passes::passes::unroll::Factor;
use fpgacc_device_passes::passes::{lockstep, replicate};
use fpgacc_device_passes::pipeline::Pipeline;

use super::steps::{copies, factors, in_lockstep, with, with_factors};

/// A form with what these steps from it change of loops, and of lanes if those are wanted. Of those that change the same
/// the first counts.
pub fn combined<'p>(
    form: &Pipeline,
    steps: impl Iterator<Item = &'p Pipeline>,
    has_lanes: bool,
) -> Pipeline {
    let mut all = form.clone();
    for step in steps {
        all = with_loops(form, step, all);
        if has_lanes {
            all = with_lanes(form, step, all);
        }
    }
    all
}

/// With the loops that a step changes, if those are as they were.
fn with_loops(form: &Pipeline, step: &Pipeline, all: Pipeline) -> Pipeline {
    if let lockstep::Options::Some(loops) = in_lockstep(step)
        && in_lockstep(step) != in_lockstep(form)
    {
        return with(&all, |own: &mut lockstep::Options| {
            loops.iter().for_each(|index| own.add(*index));
        });
    }
    let is_new = |factor: &&Factor| !factors(form).contains(factor);
    let new: Vec<Factor> = factors(step).iter().filter(is_new).copied().collect();
    let is_free = |factor: &Factor| copies(&all, factor.index) == copies(form, factor.index);
    match new.iter().all(is_free) {
        true => with_factors(&all, &new),
        false => all,
    }
}

/// With the lanes and units that a step adds, if their numbers are as they were.
fn with_lanes(form: &Pipeline, step: &Pipeline, all: Pipeline) -> Pipeline {
    let of = |form: &Pipeline| *form.options.of::<replicate::Options>();
    let (before, after) = (of(form), of(step));
    with(&all, |own: &mut replicate::Options| {
        if own.simd == before.simd {
            own.simd = after.simd;
        }
        if own.units == before.units {
            own.units = after.units;
        }
    })
}
