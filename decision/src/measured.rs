//! What aoc itself said of kernels that it compiled, in place of the model's own figures.
//!
//! A report is that of one form. It is the first one, beginning with the one that is chosen without
//! it, whose loops, lanes and compute units are those of the report; the others keep the model's
//! figures. Intervals of NDRanges are not compared: aoc gives none that mean anything.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::source::{SourceMap, Span};
use fpgacc_performance_model::{
    Board, Estimate, Form, LoopReport, Pipelining, Prediction, Resources,
};

use super::variant::{Candidate, Decision, Family, Origin, Part};

/// Intervals that differ by no more than this are the same: aoc's are whole numbers.
const SAME_INTERVAL: f64 = 0.5;

/// A compilation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// The clock that Quartus reached, in MHz; `None`: it did not run.
    pub clock_mhz: Option<f64>,
    /// Its kernels, by name.
    pub kernels: BTreeMap<String, MeasuredKernel>,
}

/// A kernel as aoc compiled it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasuredKernel {
    /// Its family.
    pub family: Option<Family>,
    /// SIMD width, and compute units.
    pub copies: Option<(u64, u64)>,
    /// What it takes of the device, as aoc estimates it.
    pub area: Option<Resources>,
    /// Its loops that are not unrolled whole.
    pub loops: Vec<MeasuredLoop>,
}

/// A loop as aoc compiled it.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredLoop {
    /// Its line; `None`: aoc does not say.
    pub line: Option<u32>,
    /// Copies of its body.
    pub unroll: u64,
    /// Its interval in cycles; `None`: its iterations do not overlap, or it is not known.
    pub ii: Option<f64>,
}

/// Replaces the figures of the form that a report is of. What the report says otherwise than the model,
/// as text; `None`: it is of none of the forms.
pub fn apply(
    decision: &mut Decision,
    kernel: &str,
    measured: &Measured,
    sources: &SourceMap,
    board: &Board,
) -> Option<Vec<String>> {
    let found = measured.kernels.get(kernel)?;
    let chosen = decision.chosen;
    let others = (0..decision.candidates.len()).filter(|at| *at != chosen);
    let mut order = std::iter::once(chosen).chain(others);
    let at = order.find(|&at| is_of(&decision.candidates[at], kernel, found, sources))?;
    let candidate = &mut decision.candidates[at];
    let mut disagreements = Vec::new();
    let mut seconds = Estimate::exact(0.0);
    for part in &mut candidate.price.parts {
        if part.version == kernel {
            replace(
                part,
                found,
                measured.clock_mhz,
                sources,
                board,
                &mut disagreements,
            );
        }
        seconds = seconds + part.prediction.seconds * part.count;
    }
    candidate.predicted = Some(candidate.price.seconds.value);
    candidate.price.seconds = seconds;
    let is_all = candidate
        .price
        .parts
        .iter()
        .all(|part| part.version == kernel);
    if let Some(area) = found.area.filter(|_| is_all) {
        disagreements.push(format!(
            "area: aoc says {:.0} ALUT, {:.0} RAM and {:.0} DSP, the model {:.0}, {:.0} and {:.0}",
            area.alut,
            area.ram,
            area.dsp,
            candidate.price.area.alut,
            candidate.price.area.ram,
            candidate.price.area.dsp
        ));
        candidate.price.area = area;
        candidate.price.fits = super::price::fits(&area, board);
    }
    candidate.origin = Origin::Compiler;
    disagreements.dedup();
    Some(disagreements)
}

/// Whether a report may be that of a form.
fn is_of(candidate: &Candidate, kernel: &str, found: &MeasuredKernel, sources: &SourceMap) -> bool {
    let mut parts = candidate.price.parts.iter();
    let Some(part) = parts.find(|part| part.version == kernel) else {
        return false;
    };
    let copies = match part.prediction.form {
        Form::NdRange {
            simd,
            compute_units,
        } => (simd, compute_units),
        Form::SingleWorkItem => (1, 1),
    };
    let predicted: BTreeSet<(u32, u64)> = (part.prediction.loops.iter())
        .filter_map(|one| Some((line_of(one.span, sources)?, one.unroll)))
        .collect();
    // aoc joins loops, and gives loops that fpgacc made the lines of what stands near.
    let unrolled = found.loops.iter().filter(|one| one.unroll > 1);
    let mut unrolled = unrolled.filter_map(|one| Some((one.line?, one.unroll)));
    let of_model = predicted.iter().filter(|(_, copies)| *copies > 1).count();
    found.family.is_none_or(|family| family == candidate.family)
        && found.copies.is_none_or(|known| known == copies)
        && unrolled.all(|one| predicted.contains(&one))
        && found.loops.iter().filter(|one| one.unroll > 1).count() >= of_model
}

fn line_of(span: Option<Span>, sources: &SourceMap) -> Option<u32> {
    span.map(|span| sources.location(span).line)
}

fn replace(
    part: &mut Part,
    found: &MeasuredKernel,
    clock_mhz: Option<f64>,
    sources: &SourceMap,
    board: &Board,
    disagreements: &mut Vec<String>,
) {
    let predicted = &mut part.prediction;
    let slower = match predicted.form {
        Form::SingleWorkItem => intervals(predicted, found, sources, disagreements),
        Form::NdRange { .. } => 1.0,
    };
    let launching = board.launch_microseconds * 1e-6;
    let mhz = predicted.clock_mhz.value;
    let now = clock_mhz.unwrap_or(mhz);
    if clock_mhz.is_some() {
        disagreements.push(format!("clock: aoc says {now:.0} MHz, the model {mhz:.0}"));
        predicted.clock_mhz = Estimate::exact(now);
    }
    // Cycles of a kernel that waits for memory are those of the memory's time.
    let computing = predicted.cycles.value * slower / (now * 1e6);
    let running = computing.max(predicted.memory_seconds);
    let factor = running / (predicted.seconds.value - launching).max(1e-12);
    predicted.cycles = Estimate::within(
        running * now * 1e6,
        predicted.cycles.high / predicted.cycles.value,
    );
    let seconds = predicted.seconds;
    let shifted = |value: f64| ((value - launching).max(0.0) * factor + launching).max(0.0);
    predicted.seconds = Estimate {
        value: shifted(seconds.value),
        low: shifted(seconds.low),
        high: shifted(seconds.high),
    };
}

/// Takes the report's intervals over. By how much slower the loops without others inside get, weighed
/// by their iterations.
fn intervals(
    predicted: &mut Prediction,
    found: &MeasuredKernel,
    sources: &SourceMap,
    disagreements: &mut Vec<String>,
) -> f64 {
    let executions = executions(&predicted.loops);
    let (mut before, mut after) = (0.0, 0.0);
    let depths: Vec<usize> = predicted.loops.iter().map(|one| one.depth).collect();
    for (at, report) in predicted.loops.iter_mut().enumerate() {
        let is_innermost = depths.get(at + 1).is_none_or(|next| *next <= depths[at]);
        let own = report.ii;
        if let Some(line) = line_of(report.span, sources) {
            let mut same = found.loops.iter().filter(|one| one.line == Some(line));
            if let Some(MeasuredLoop { ii: Some(ii), .. }) = same.next()
                && report.pipelined == Pipelining::Pipelined
            {
                if is_innermost && (ii - own).abs() > SAME_INTERVAL {
                    disagreements.push(format!(
                        "line {line}: aoc says II = {ii:.0}, the model {own:.0}"
                    ));
                }
                report.ii = *ii;
            }
        }
        if is_innermost {
            before += executions[at] * own;
            after += executions[at] * report.ii;
        }
    }
    if before > 0.0 { after / before } else { 1.0 }
}

/// How often the body of each loop runs.
fn executions(loops: &[LoopReport]) -> Vec<f64> {
    let mut around: Vec<f64> = Vec::new();
    let runs = loops.iter().map(|one| {
        around.truncate(one.depth);
        let outer = around.last().copied().unwrap_or(1.0);
        let runs = outer * one.trip.value.max(1.0);
        around.resize(one.depth, outer);
        around.push(runs);
        runs
    });
    runs.collect()
}
