//! The table that `benchmarks/counters/lines.py` prints.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    program: String,
    kernel: String,
    local: String,
    line: u32,
    kind: Kind,
    executed: f64,
    sectors: f64,
    ideal: f64,
    diverged: f64,
}

/// What instructions of a line do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Loads from global memory.
    Read,
    /// Stores to it.
    Write,
    /// Atomic operations on it.
    Atomic,
    /// Loads from local memory.
    LocalRead,
    /// Stores to it, and atomic operations on it.
    LocalWrite,
    /// Branches.
    Branch,
}

/// What was counted of a line's instructions of one kind, in one launch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Instructions that warps executed.
    pub executed: f64,
    /// Sectors of memory that they moved; turns that local memory took.
    pub sectors: f64,
    /// Sectors or turns that would have done.
    pub ideal: f64,
    /// Those after which lanes went different ways.
    pub diverged: f64,
}

/// A launch that was counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// Its local size.
    pub local: Vec<u64>,
    /// Lines of its kernel that have instructions of these kinds: those that move as many sectors a warp together.
    pub lines: BTreeMap<(u32, Kind), Vec<Counts>>,
}

impl Counted {
    /// Reads the table: launches by program and kernel.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn read(path: &Path) -> Result<BTreeMap<(String, String), Self>, csv::Error> {
        let mut all: BTreeMap<(String, String), Self> = BTreeMap::new();
        for row in csv::Reader::from_path(path)?.deserialize() {
            let row: Row = row?;
            let launch = all.entry((row.program, row.kernel)).or_default();
            launch.local = row
                .local
                .split('x')
                .filter_map(|size| size.parse().ok())
                .collect();
            let counts = Counts {
                executed: row.executed,
                sectors: row.sectors,
                ideal: row.ideal,
                diverged: row.diverged,
            };
            launch
                .lines
                .entry((row.line, row.kind))
                .or_default()
                .push(counts);
        }
        Ok(all)
    }

    /// Sectors of all its accesses to global memory.
    pub fn traffic(&self) -> f64 {
        let global = |(_, kind): &(u32, Kind)| !matches!(kind, Kind::LocalRead | Kind::LocalWrite);
        let lines = self.lines.iter().filter(|(key, _)| global(key));
        lines
            .flat_map(|(_, counts)| counts)
            .map(|counts| counts.sectors)
            .sum()
    }
}
