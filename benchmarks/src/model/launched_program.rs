//! Kernels of which a table says how they are launched, to be decided on.

use std::collections::BTreeMap;

use fpgacc_decision::Decision;
use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_frontend::source::SourceMap;
use fpgacc_launch_facts::{Facts, Value};

use super::deciding::{Deciding, decide};
use super::facts::{self, Launched};
use super::launches::{Application, Trips};

/// A program's kernels and their launches.
pub struct LaunchedProgram {
    /// The kernels.
    pub module: Module,
    /// Their texts.
    pub sources: SourceMap,
    /// The launches, in order, each with its own part of the table.
    pub launches: Vec<(FunctionId, Application)>,
    /// Average trip counts of all kernels.
    pub trips: Vec<Trips>,
}

impl LaunchedProgram {
    /// What is decided on each kernel, by its name.
    ///
    /// # Errors
    /// There is no such kernel.
    pub fn decisions(&self, how: &Deciding<'_>) -> Result<BTreeMap<String, Decision>, String> {
        let facts = self.facts()?;
        Ok(decide(&self.module, &self.sources, &facts, how).decisions)
    }

    fn facts(&self) -> Result<Facts, String> {
        let each = self.launches.iter().map(|(kernel, own)| Launched {
            kernel: &self.module.functions[*kernel].name,
            global: own.global.iter().copied().map(Value::Const).collect(),
            local: &own.local,
            args: own
                .args
                .iter()
                .map(|(name, value)| (name.as_str(), Value::Const(*value)))
                .collect(),
        });
        let mut facts = facts::of(&self.module, each)?;
        facts::record_trips(&mut facts, &self.module, &self.sources, &self.trips);
        Ok(facts)
    }
}
