//! A kernel as warps go through it: values lane by lane, as far as they are known, and which lanes take part.
//!
//! A few warps of a launch stand for all of it, and a few iterations for those of a long loop ([`range`], `loops`).
//! Ids are numbers, so that guards, `/`, `%`, shifts, `min` and `max` need no rules; what is not known (arguments,
//! sizes, what memory holds) is a symbol where it is the same for all lanes, and lost where it is not ([`value`]).
//! The idea of following how an expression differs between lanes, rather than its value, is Lloyd's (thesis,
//! chapter 6, arithmetic control forms); launches, sizes and arguments make most of his symbols numbers.

mod apart;
mod barriers;
mod calls;
mod choice;
mod closeness;
mod doubts;
mod early;
mod expr;
mod guess;
mod loops;
mod machine;
mod meeting;
pub(crate) mod memory;
pub mod observed;
mod ops;
pub mod range;
mod spread;
mod stmt;
pub mod value;
pub(crate) mod wide;

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{FunctionId, Module};

use crate::device::Device;
use crate::recorded::Seen;
use machine::Machine;
use observed::{Observed, Tallies};
use range::{Class, Launch};
use value::Origin;

/// What the warps of a launch do, and where numbers come from that are not known, by symbol.
#[derive(Clone)]
pub struct Walk {
    /// What was seen.
    pub seen: Observed,
    /// The origins of symbols.
    pub origins: Vec<Origin>,
}

/// Goes through a kernel as some warps of a launch do, each of which stands for others.
/// What is not known is done as often as runs showed.
pub fn walk(
    module: &Module,
    kernel: FunctionId,
    launch: &Launch,
    device: &Device,
    runs: &Seen,
) -> Walk {
    let (samples, closeness) = choice::choose((module, kernel, launch, device, runs));
    let mut machine = Machine::new(module, kernel, launch, device, runs);
    machine.closeness = closeness;
    machine.divergence = barriers::divergence(module, kernel);
    let mut tallies: BTreeMap<Class, Tallies> = BTreeMap::new();
    for sample in samples {
        let before = machine.seen.tally_of_warps();
        machine.warp(sample);
        if sample.weight > 1.0 {
            let own = machine.seen.tally_of_warps().since(&before, sample.weight);
            let class = launch.class(device.warp, sample);
            tallies.entry(class).or_default().add(own);
        }
    }
    for of_class in tallies.values() {
        machine.seen.differ(of_class);
    }
    machine.met();
    Walk {
        seen: machine.seen,
        origins: machine.origins,
    }
}
