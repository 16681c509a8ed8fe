//! The constants of the model that are fitted to measured times.
//!
//! Each starts from what documents say or, where none says anything, from a guess that is written down
//! here, so that a fit that does not see the application that decides keeps a value that owes nothing to it.

use crate::board::{Board, Family, FamilyRef};

/// A constant of a board.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Its name in the board's or family's file.
    pub name: &'static str,
    /// Where the search starts.
    pub start: f64,
    /// Where the start comes from.
    pub source: &'static str,
    /// Where it lies.
    pub value: fn(&mut Board) -> &mut f64,
}

impl Constant {
    /// Its value on a board.
    pub fn of(&self, board: &Board) -> f64 {
        *(self.value)(&mut board.clone())
    }
}

fn family(board: &mut Board) -> &mut Family {
    match &mut board.family {
        FamilyRef::Own(family) => family,
        FamilyRef::Named(_) => unreachable!("built-in boards hold their families"),
    }
}

/// All that are searched for. The clock's slopes are not among them: clocks are measured by themselves.
pub const CONSTANTS: [Constant; 11] = [
    Constant {
        name: "memory.efficiency",
        start: 0.85,
        source: "one 256-bit store on DDR4-1866: 12.7 of 14.9 GB/s (Davila-Guzman)",
        value: |board| &mut board.memory.efficiency,
    },
    Constant {
        name: "memory.scattered_factor",
        start: 1.0,
        source: "a row miss of 27 ns, four at once (tFAW) in each of two banks",
        value: |board| &mut board.memory.scattered_factor,
    },
    Constant {
        name: "memory.interleaved_factor",
        start: 1.0,
        source: "the same, and the word itself at the peak rate",
        value: |board| &mut board.memory.interleaved_factor,
    },
    Constant {
        name: "memory.atomic_factor",
        start: 1.0,
        source: "2 tRCD + 2 tRP + tWR (Davila-Guzman)",
        value: |board| &mut board.memory.atomic_factor,
    },
    Constant {
        name: "memory.coalescing_wait_ns",
        start: 100.0,
        source: "a guess",
        value: |board| &mut board.memory.coalescing_wait_ns,
    },
    Constant {
        name: "host_gigabytes_per_second",
        start: 6.0,
        source: "three quarters of PCI Express 3.0 x8",
        value: |board| &mut board.host_gigabytes_per_second,
    },
    Constant {
        name: "memory_units.local_store_latency",
        start: 1.0,
        source: "aoc's reports for Arria 10",
        value: |board| &mut family(board).memory_units.local_store_latency,
    },
    Constant {
        name: "memory_units.forwarded_latency",
        start: 4.0,
        source: "a local load in aoc's reports: nothing is forwarded",
        value: |board| &mut family(board).memory_units.forwarded_latency,
    },
    Constant {
        name: "memory_units.arbitration_wait",
        start: 4.0,
        source: "a guess: one other load in front",
        value: |board| &mut family(board).memory_units.arbitration_wait,
    },
    Constant {
        name: "memory_units.local_atomic_interval",
        start: 4.0,
        source: "a guess: the latency of a local load",
        value: |board| &mut family(board).memory_units.local_atomic_interval,
    },
    Constant {
        name: "memory_units.groups_in_flight",
        start: 2.0,
        source: "a guess: one group runs while the next one enters",
        value: |board| &mut family(board).memory_units.groups_in_flight,
    },
];
