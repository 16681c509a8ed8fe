//! Cycles, area, clock and time, put together.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::Function;
use fpgacc_kernel_analysis::alias::{Aliases, called_functions};

use super::board::{Board, Resources};
use super::estimate::Estimate;
use super::graph::{Graph, RegionId};
use super::groups::WorkItems;
use super::launch::{Given, LaunchShape};
use super::lower::{Input, lower};
use super::lsu::{constant_fill, infer, pipelined, requests};
use super::memory::traffic;
use super::prediction::{
    Area, Assumed, Form, Limit, LoopReport, Pipelining, Prediction, Trip, TripOrigin,
};
use super::promote::promote;
use super::timing::{Latencies, Timer, Timing, mark_written};
use super::{area, clock, operations};

/// Factors by which predictions may be off. All are guesses, made on the errors of docs/model-evaluation.md.
pub(super) mod doubts {
    /// Cycles, with trip counts that are known.
    pub const CYCLES: f64 = 1.3;
    /// With those of a profile: another run may have others.
    pub const PROFILED: f64 = 1.6;
    /// With assumed ones.
    pub const ASSUMED: f64 = 8.0;
    /// With branches of which it is not known how often they are taken.
    pub const BRANCH: f64 = 1.6;
    /// In addition, where memory may set the time: it does from this part of the time for computing on.
    pub const MEMORY: f64 = 1.3;
    pub const MEMORY_FROM: f64 = 0.5;
    pub const CLOCK: f64 = 1.2;
    /// Of a time, in addition to that of its cycles: clocks are off less often than `CLOCK`.
    pub const SECONDS: f64 = 1.15;
    pub const LAUNCH: f64 = 1.3;
    pub const AREA: f64 = 1.5;
}

/// Prices a kernel in a form; `diverges`: its work-items do at a loop.
pub fn price(input: &Input<'_>, diverges: bool) -> Prediction {
    let Input {
        module,
        kernel,
        board,
        form,
        ..
    } = *input;
    let function = &module.functions[kernel];
    let launch = &input.launch.required(function.reqd_work_group_size());
    let aliases = Aliases::new(module, kernel, &called_functions(module));
    let mut graph = graph(&Input { launch, ..*input }, &aliases);
    let lsus = infer(&mut graph, board, form);
    let (simd, units) = widths(form);
    let one = area::of(&graph, board, &lsus, simd);
    let used = Resources::default().plus(one, units);
    let penalty_causes = clock::causes(&graph, board, &lsus, (one, used), (simd, units));
    let requests = requests(&lsus, graph.regions.len());
    let mut timer = Timer::new(&aliases, &graph, board, launch, requests);
    // In an NDRange, other work-items' iterations come between a work-item's own: none are scheduled.
    let scheduled = match form {
        Form::SingleWorkItem => timer.time(Latencies::scheduled(board)),
        Form::NdRange { .. } => Vec::new(),
    };
    let stretch = scheduled.iter().map(|t| t.stretch).fold(1.0, f64::max);
    let mhz = clock::predict(penalty_causes, board) / stretch;
    let on_board = timer.time(Latencies::of_board(board, mhz));
    let items = items(launch, form);
    let (busy, loops) = match form {
        Form::SingleWorkItem => (on_board[0].total, loops(&graph, &scheduled)),
        Form::NdRange { .. } => {
            let pipeline = WorkItems {
                graph: &graph,
                timings: &on_board,
                acknowledged: &timer.acknowledged(),
                units: &board.family().memory_units,
                simd,
                parts: diverges,
            };
            let cycles = pipeline.cycles(launch, units, is_sized(function));
            (cycles, work_item_loops(&graph, &on_board))
        }
    };
    let times = Times {
        busy_cycles: busy + constant_fill(&graph, board),
        memory_seconds: traffic(&graph, board, form, &lsus, &on_board, items).seconds(board),
        mhz,
    };
    let doubt = doubt(&graph, &times);
    let (operations, is_one) = operations::of(&graph, board, &lsus, (simd, units), |id| {
        timer.latency(id, &BTreeMap::new())
    });
    let reports = lsus.into_iter().map(|lsu| lsu.report);
    Prediction {
        form,
        cycles: Estimate::within(times.running() * mhz * 1e6, doubt),
        clock_mhz: Estimate::within(mhz, doubts::CLOCK),
        seconds: times.launch(board, doubt),
        area: Area::within(used, doubts::AREA),
        fits: area::fits(used, board),
        penalty_causes,
        busy_cycles: times.busy_cycles,
        stretch,
        memory_seconds: times.memory_seconds,
        loops,
        lsus: reports.chain(pipelined(&graph, form)).collect(),
        assumed: each_once(graph.assumed.iter().cloned().chain(assumed_sizes(launch))),
        operations,
        unpriced: each_once(graph.unpriced.iter().cloned()),
        parts_in_loops: operations::parts_in_loops(&graph, function, &is_one),
        comparisons: timer.comparisons,
    }
}

/// What a launch waits for, whichever is longer.
struct Times {
    /// Cycles in which the pipelines are busy.
    busy_cycles: f64,
    /// Seconds in which external memory is.
    memory_seconds: f64,
    /// The clock.
    mhz: f64,
}

impl Times {
    /// Seconds in which the pipelines are busy.
    fn computing(&self) -> f64 {
        self.busy_cycles / (self.mhz * 1e6)
    }

    /// Seconds from the first work-item to the last.
    fn running(&self) -> f64 {
        self.computing().max(self.memory_seconds)
    }

    /// Seconds of a launch, which may be off by so much.
    fn launch(&self, board: &Board, doubt: f64) -> Estimate {
        let launching = board.launch_microseconds * 1e-6;
        Estimate::within(self.running(), doubt * doubts::SECONDS)
            + Estimate::within(launching, doubts::LAUNCH)
    }
}

/// Lanes and pipelines.
fn widths(form: Form) -> (f64, f64) {
    match form {
        Form::NdRange {
            simd,
            compute_units,
        } => (simd as f64, compute_units as f64),
        Form::SingleWorkItem => (1.0, 1.0),
    }
}

/// In order, each once.
fn each_once<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    all.collect::<BTreeSet<T>>().into_iter().collect()
}

/// What a kernel does.
fn graph(input: &Input<'_>, aliases: &Aliases<'_>) -> Graph {
    let mut graph = lower(input);
    if input.form == Form::SingleWorkItem {
        promote(aliases, &mut graph);
    }
    mark_written(aliases, &mut graph);
    graph
}

/// Whether a kernel says for how many work-items hardware is made, as either attribute does ("Specifying a Maximum
/// Work-Group Size", Intel's best practices guide).
fn is_sized(function: &Function) -> bool {
    function.reqd_work_group_size().is_some() || function.attr("max_work_group_size").is_some()
}

/// Sizes of the launch that are assumed.
fn assumed_sizes(launch: &LaunchShape) -> Option<Assumed> {
    let is_assumed =
        |given: &Option<Given>| given.is_none_or(|given| given.origin == TripOrigin::Assumed);
    let unknown = launch.global.iter().all(Option::is_none);
    let any = launch
        .global
        .iter()
        .flatten()
        .any(|given| given.origin == TripOrigin::Assumed);
    if !unknown && !any && !launch.local.iter().take(1).any(is_assumed) {
        return None;
    }
    let sizes = [0, 1, 2].map(|dim| launch.sizes(dim));
    let of = |pick: fn(&(f64, f64)) -> f64| {
        let all: Vec<String> = sizes.iter().map(|size| pick(size).to_string()).collect();
        all.join(" x ")
    };
    let what = match unknown || any {
        true => format!(
            "a launch has {} work-items, in work-groups of {}",
            of(|s| s.0),
            of(|s| s.1)
        ),
        false => format!("work-groups have {} work-items", of(|s| s.1)),
    };
    Some(Assumed {
        span: None,
        what,
        remedy: "the host's sources, facts or a recorded run give them (fpgacc trace)",
    })
}

fn items(launch: &LaunchShape, form: Form) -> f64 {
    match form {
        Form::SingleWorkItem => 1.0,
        Form::NdRange { .. } => (0..3).map(|dim| launch.sizes(dim).0).product(),
    }
}

/// The factor by which cycles may be off: more where trip counts are guesses.
fn doubt(graph: &Graph, times: &Times) -> f64 {
    use super::prediction::TripOrigin as T;
    let mut factor = doubts::CYCLES;
    for region in graph.regions.iter().skip(1) {
        factor = f64::max(
            factor,
            match region.trip.origin {
                T::Known | T::Symbolic => doubts::CYCLES,
                T::Profiled => doubts::PROFILED,
                T::Assumed => doubts::ASSUMED,
            },
        );
    }
    if graph
        .assumed
        .iter()
        .any(|assumed| assumed.what.starts_with("a branch"))
    {
        factor = factor.max(doubts::BRANCH);
    }
    if times.memory_seconds > doubts::MEMORY_FROM * times.computing() {
        factor *= doubts::MEMORY;
    }
    factor
}

fn loops(graph: &Graph, timings: &[Timing]) -> Vec<LoopReport> {
    let regions = graph.regions.iter().enumerate().skip(1);
    let regions = regions.filter(|(_, region)| !region.joined);
    regions
        .map(|(at, region)| LoopReport {
            span: region.span,
            depth: graph.depth(at),
            trip: trip(graph, at),
            unroll: region.unroll,
            ii: timings[at].ii,
            limit: timings[at].limit.clone(),
            pipelined: match timings[at].serial {
                true => Pipelining::Serial,
                false => Pipelining::Pipelined,
            },
            latency: timings[at].latency,
        })
        .collect()
}

/// The iterations of a loop and those that are one with it.
fn trip(graph: &Graph, region: RegionId) -> Trip {
    let trips = graph.nest(region).map(|at| graph.regions[at].trip);
    let both = |a: Trip, b: Trip| Trip {
        value: a.value * b.value,
        most: a.most * b.most,
        origin: a.origin.max(b.origin),
    };
    trips.reduce(both).unwrap_or(graph.regions[region].trip)
}

fn work_item_loops(graph: &Graph, timings: &[Timing]) -> Vec<LoopReport> {
    let mut all = loops(graph, timings);
    for report in &mut all {
        report.ii = 1.0;
        report.limit = Limit::None;
        report.pipelined = Pipelining::WorkItems;
    }
    all
}
