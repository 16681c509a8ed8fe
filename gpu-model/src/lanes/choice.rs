//! Which warps are looked at, and how closely: as time allows.

use fpgacc_frontend::ir::{FunctionId, Module};

use super::closeness::{ALL, Closeness, LEAST};
use super::machine::{MANY_STEPS, Machine};
use super::range::{Launch, Sample};
use crate::device::Device;
use crate::recorded::Seen;

/// Operations that are enough where nobody knows how many groups there are: it only bounds the time.
const OPEN_STEPS: u64 = 4_000;

/// A kernel, a launch of it, the device, and runs.
pub(super) type Scene<'a> = (&'a Module, FunctionId, &'a Launch, &'a Device, &'a Seen<'a>);

/// Operations of a warp that is looked at so closely, up to `most`.
fn steps(scene: Scene, how: Closeness, of: Sample, most: u64) -> u64 {
    let (module, kernel, launch, device, runs) = scene;
    let mut machine = Machine::new(module, kernel, launch, device, runs);
    (machine.closeness, machine.most_steps) = (how, most);
    machine.warp(of);
    machine.steps.max(1)
}

/// The warps that are looked at, by how long the first one takes, and how closely they may be.
pub(super) fn choose(scene: Scene) -> (Vec<Sample>, Closeness) {
    let (_, _, launch, device, _) = scene;
    let first = launch.samples(device.warp, 0).first().copied();
    let Some(first) = first else {
        return (Vec::new(), LEAST);
    };
    let least = steps(scene, LEAST, first, MANY_STEPS);
    let warps = match launch.global.iter().all(Option::is_some) {
        true => launch.samples(device.warp, MANY_STEPS / least),
        false => launch.few_samples(device.warp, OPEN_STEPS / least),
    };
    let share = MANY_STEPS / (warps.len() as u64).max(1);
    let some = [0, warps.len() / 2, warps.len().saturating_sub(1)];
    let fits = |how: &&Closeness| {
        let mut taken = some.iter().filter_map(|at| warps.get(*at));
        taken.all(|warp| steps(scene, **how, *warp, share) <= share)
    };
    // What takes least is tried first: one that takes too much ends it.
    let closer = ALL.iter().rev().skip(1);
    let how = closer.take_while(fits).last().copied().unwrap_or(LEAST);
    (warps, how)
}
