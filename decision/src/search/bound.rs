//! How fast a form can become at most by widening.

use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_performance_model::{Board, Form, LsuKind, LsuReport, Prediction};

use crate::price::Made;

use super::steps::{Loops, more_steps};

/// Seconds below which no wider form of this one comes, by the model: what starts a launch stays, what
/// is moved to and from external memory is no less, and of computing no more is done at a time than all
/// numbers of copies together allow, or all multipliers.
pub fn floor(made: &Made, pipeline: &Pipeline, loops: &Loops, board: &Board) -> f64 {
    let widening = loops.widening(pipeline);
    let least = |prediction: &Prediction| {
        let widening = widening.min(multipliers(prediction, board));
        let running = prediction.cycles.value / (prediction.clock_mhz.value * 1e6);
        let launching = (prediction.seconds.value - running).max(0.0);
        let cycles = prediction.busy_cycles / widening.max(1.0);
        let computing = cycles / (board.clock.highest_mhz * 1e6);
        launching + computing.max(prediction.memory_seconds * needed(prediction, board))
    };
    let parts = made.price.parts.iter();
    let all: f64 = parts.map(|part| least(&part.prediction) * part.count).sum();
    all / more_steps(pipeline, made)
}

/// How often the device has the multipliers that a form takes: each copy takes its own.
fn multipliers(prediction: &Prediction, board: &Board) -> f64 {
    let taken = prediction.area.dsp.value;
    match taken >= 1.0 {
        true => (board.device.dsp - board.interface.dsp) / taken,
        false => f64::MAX,
    }
}

/// The part of the traffic that remains where accesses become as wide as the memory. Where work-items take
/// turns in a loop, each access takes a whole word of the memory, though all that it moves is used.
fn needed(prediction: &Prediction, board: &Board) -> f64 {
    let takes_turns = !prediction.loops.is_empty() && prediction.form != Form::SingleWorkItem;
    let needed = |lsu: &LsuReport| match takes_turns {
        true => lsu
            .efficiency
            .min(lsu.bytes_wide as f64 / board.memory.width_bytes as f64),
        false => lsu.efficiency,
    };
    let external = prediction.lsus.iter();
    let external = external.filter(|lsu| lsu.kind != LsuKind::Pipelined);
    external.map(needed).fold(1.0, f64::min)
}
