//! What a campaign of hosts has seen.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::run::Platform;

/// Numbers of programs, if nothing else is said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Generated.
    pub hosts: u64,
    /// Their scenes.
    pub scenes: u64,
    /// That do the same, by implementation.
    pub same: BTreeMap<Platform, u64>,
    /// That fpgacc refuses to build or to launch, by cause.
    pub refused: BTreeMap<String, u64>,
    /// What programs that do the same warn of.
    pub warnings: BTreeMap<String, u64>,
    /// Whose original does not run.
    pub originals: u64,
    /// That do something else.
    pub failures: u64,
}

impl Counts {
    /// Adds what another count has seen.
    pub fn add(&mut self, other: &Counts) {
        self.hosts += other.hosts;
        self.scenes += other.scenes;
        self.originals += other.originals;
        self.failures += other.failures;
        merge(&mut self.same, &other.same);
        merge(&mut self.refused, &other.refused);
        merge(&mut self.warnings, &other.warnings);
    }
}

fn merge<K: Ord + Clone>(into: &mut BTreeMap<K, u64>, from: &BTreeMap<K, u64>) {
    for (key, count) in from {
        *into.entry(key.clone()).or_default() += count;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:>9} hosts with {} scenes", self.hosts, self.scenes)?;
        for (platform, count) in &self.same {
            writeln!(f, "{count:>9} the same on {platform:?}")?;
        }
        for (cause, count) in &self.refused {
            writeln!(f, "{count:>9} refused: {cause}")?;
        }
        for (cause, count) in &self.warnings {
            writeln!(f, "{count:>9} warn: {cause}")?;
        }
        writeln!(f, "{:>9} whose original does not run", self.originals)?;
        write!(f, "{:>9} failures", self.failures)
    }
}
