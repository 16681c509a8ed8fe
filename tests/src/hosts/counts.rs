//! What a campaign of hosts has seen.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::resumable::{Tally, merge};
use crate::run::Platform;

use super::trial::{Trial, Verdict};

/// Numbers of programs, if nothing else is said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Generated.
    pub hosts: u64,
    /// Their scenes.
    pub scenes: u64,
    /// That do the same, by implementation.
    pub same: BTreeMap<Platform, u64>,
    /// Of these, compared with the original on another implementation.
    pub elsewhere: u64,
    /// Scenes of others that do the same as programs of their own.
    pub alone: BTreeMap<Platform, u64>,
    /// That fpgacc refuses to build or to launch, by cause.
    pub refused: BTreeMap<String, u64>,
    /// What programs that do the same warn of.
    pub warnings: BTreeMap<String, u64>,
    /// Whose original does not run.
    pub originals: u64,
    /// That do something else.
    pub failures: u64,
}

impl Tally for Counts {
    const ITEMS: &'static str = "hosts";

    fn items(&self) -> u64 {
        self.hosts
    }

    fn failures(&self) -> u64 {
        self.failures
    }
}

impl Counts {
    /// Counts a trial.
    pub fn count(&mut self, platform: Platform, trial: &Trial) {
        match &trial.verdict {
            Verdict::Same => {
                *self.same.entry(platform).or_default() += 1;
                self.elsewhere += u64::from(trial.reference != platform);
                for warning in &trial.warnings {
                    *self.warnings.entry(warning.clone()).or_default() += 1;
                }
            }
            Verdict::Refused(cause) => *self.refused.entry(cause.clone()).or_default() += 1,
            Verdict::Original(_) => self.originals += 1,
            Verdict::Different(_) => self.failures += 1,
        }
    }

    /// Adds what another count has seen.
    pub fn add(&mut self, other: &Counts) {
        self.hosts += other.hosts;
        self.scenes += other.scenes;
        self.originals += other.originals;
        self.failures += other.failures;
        self.elsewhere += other.elsewhere;
        merge(&mut self.same, &other.same);
        merge(&mut self.alone, &other.alone);
        merge(&mut self.refused, &other.refused);
        merge(&mut self.warnings, &other.warnings);
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:>9} hosts with {} scenes", self.hosts, self.scenes)?;
        for (platform, count) in &self.same {
            writeln!(f, "{count:>9} the same on {platform:?}")?;
        }
        writeln!(f, "{:>9} of these as the original on PoCL", self.elsewhere)?;
        for (platform, count) in &self.alone {
            writeln!(f, "{count:>9} scenes of others the same on {platform:?}")?;
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
