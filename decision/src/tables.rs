//! Which tables of a form become constant memory.
//!
//! Good for some and bad for others: each is tried on top of those that gain, then all together. Forms
//! that are made of a form take over its choice.

use std::collections::BTreeSet;

use fpgacc_device_passes::pass::LaunchContract;
use fpgacc_device_passes::passes::{CONSTANT_MEMORY, constant_memory};
use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_performance_model::Board;

use super::price::{GAIN, Made, share_of};

/// A form as it is made, and what became of it.
pub type Form = (Pipeline, Made);

/// Makes a form with the tables in constant memory that make it faster, or smaller and no slower; with all,
/// if the user turns that on.
pub fn choose(pipeline: Pipeline, board: &Board, make: &dyn Fn(Pipeline) -> Form) -> Form {
    let forced = pipeline.switches.get(CONSTANT_MEMORY) == Some(&true);
    let is_chosen = forced || chosen(&pipeline).is_some();
    let all = make(pipeline.clone());
    let tables = moved(&all.1);
    if is_chosen || tables.is_empty() {
        return all;
    }
    let with = |tables: BTreeSet<u32>| {
        let mut form = pipeline.clone();
        choose_these(&mut form, tables);
        make(form)
    };
    let mut best = with(BTreeSet::new());
    for &table in tables.iter().filter(|_| tables.len() > 1) {
        let mut more = chosen(&best.0).clone().unwrap_or_default();
        more.insert(table);
        let next = with(more);
        if gains(&next.1, &best.1, board) {
            best = next;
        }
    }
    if !gains(&all.1, &best.1, board) {
        return best;
    }
    let (mut form, made) = all;
    choose_these(&mut form, tables);
    (form, made)
}

/// The parameters that a form may move; `None`: all.
fn chosen(form: &Pipeline) -> &Option<BTreeSet<u32>> {
    &form.options.of::<constant_memory::Options>().tables
}

fn choose_these(form: &mut Pipeline, tables: BTreeSet<u32>) {
    form.options.of_mut::<constant_memory::Options>().tables = Some(tables);
}

/// The parameters that became constant memory in some version.
fn moved(made: &Made) -> BTreeSet<u32> {
    let contracts = made.report.contracts.values();
    let moved = contracts.flat_map(LaunchContract::constants);
    moved.map(|(param, _)| param).collect()
}

/// Whether a form with more constant memory is worth it.
fn gains(with: &Made, without: &Made, board: &Board) -> bool {
    let [seconds, others] = [with, without].map(|made| made.price.seconds.value);
    let [area, other_area] = [with, without].map(|made| share_of(&made.price.area, board));
    let is_better = seconds * GAIN <= others || seconds <= others && area < other_area;
    with.price.fits >= without.price.fits && is_better
}
