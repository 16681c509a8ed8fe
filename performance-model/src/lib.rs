//! The performance model: how a kernel runs on a board, in cycles, area and time. `docs/model.md` has its rules.
//!
//! | step | files |
//! |---|---|
//! | the kernel becomes a graph of operations in regions (the body, and the loops that remain) | `lower/`, `graph.rs` |
//! | trip counts, also of loops that double or halve | `lower/trips.rs`, `lower/series.rs` |
//! | the part of iterations that takes a branch | `lower/guards.rs` |
//! | accesses of which branches do one or the other | `branches.rs` |
//! | loads of what was just stored | `forward.rs` |
//! | locations that stay the same in a loop | `promote.rs` |
//! | accesses that depend on each other, and at what distance | `ordering.rs`, `dependence.rs`, `iteration_space.rs` |
//! | II, latency and cycles of each loop | `timing.rs`, `critical.rs`, `variable_trips.rs` |
//! | cycles of an NDRange | `groups.rs`, `copies.rs` |
//! | load and store units, and seconds of memory | `lsu.rs`, `memory.rs` |
//! | area and clock | `area.rs`, `clock.rs` |
//! | all together, and kernels of one program | `price.rs`, `program.rs` |

mod area;
mod board;
mod branches;
pub mod calibration;
mod clock;
mod compiler;
mod copies;
mod critical;
mod dependence;
mod depends;
mod edges;
mod estimate;
mod forward;
mod graph;
mod groups;
mod hubs;
mod iteration_space;
mod launch;
mod lower;
mod lsu;
mod memory;
mod memory_edges;
mod node_map;
mod operations;
mod ordering;
mod path;
mod ports;
mod prediction;
mod price;
mod program;
mod promote;
mod timing;
mod variable_trips;

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{FunctionId, Module};

pub use board::{
    Board, BoardError, Clock, ClockPenalties, Family, FamilyRef, Memory, MemoryUnits, Operator,
    Operators, Resources,
};
pub use clock::predict as predict_clock;
pub use compiler::{Compiler, CompilerRef, Version};
pub use estimate::Estimate;
pub use launch::{Given, LaunchShape};
pub use prediction::{
    Area, Assumed, Comparisons, Form, Limit, LoopReport, LsuKind, LsuReport, Operation,
    PenaltyCauses, Pipelining, Prediction, Trip, TripOrigin, Unpriced,
};
pub use program::{Launched, Program};

use fpgacc_kernel_analysis::accesses::Summaries;
use fpgacc_kernel_analysis::divergence::divergent_loop;
use fpgacc_kernel_analysis::geometry::Geometry;
use fpgacc_kernel_analysis::single_work_item;
use fpgacc_runtime::contract::LaunchContract;

use lower::Input;

/// How a kernel runs on a board at such a launch. `contract` is what the passes ask of the runtime: it
/// names hidden parameters and makes a kernel a single work-item.
pub fn predict(
    module: &Module,
    kernel: FunctionId,
    board: &Board,
    launch: &LaunchShape,
    contract: &LaunchContract,
) -> Prediction {
    let launch = &launch.of_kernel(contract);
    let (form, diverges) = form(module, kernel, launch, contract);
    let input = Input {
        module,
        kernel,
        board,
        launch,
        contract,
        form,
    };
    price::price(&input, diverges)
}

/// The form in which aoc builds a kernel, and whether its work-items diverge at a loop.
fn form(
    module: &Module,
    kernel: FunctionId,
    launch: &LaunchShape,
    contract: &LaunchContract,
) -> (Form, bool) {
    if contract.is_task() || is_single_work_item(module, kernel, launch, contract) {
        return (Form::SingleWorkItem, false);
    }
    let attribute = |name| {
        let attr = module.functions[kernel].attr(name)?;
        attr.integers()?.first().copied()
    };
    let diverges = divergent_loop(module, kernel).is_some();
    // aoc does not vectorise kernels whose work-items diverge in loops.
    let simd = match diverges {
        true => 1,
        false => attribute("num_simd_work_items").unwrap_or(1).max(1),
    };
    let form = Form::NdRange {
        simd,
        compute_units: attribute("num_compute_units").unwrap_or(1).max(1),
    };
    (form, diverges)
}

/// Whether aoc takes a kernel for a single work-item by its text.
fn is_single_work_item(
    module: &Module,
    kernel: FunctionId,
    launch: &LaunchShape,
    contract: &LaunchContract,
) -> bool {
    let mut geometry = Geometry::unknown();
    geometry.global = launch
        .global
        .map(|size| size.map(|given| given.value as u64));
    let reached = Summaries::reachable(module, kernel, &BTreeSet::new());
    single_work_item::is_single_work_item(module, kernel, &reached, &geometry, contract)
}
