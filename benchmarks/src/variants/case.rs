//! A kernel with its launch, and what the passes make of it.

use std::collections::BTreeMap;
use std::path::Path;

use fpgacc_aoc_wrappers::cc::{Compiler, Language};
use fpgacc_decision::tuned;
use fpgacc_device_passes::options::General;
use fpgacc_device_passes::pass::LaunchContract;
use fpgacc_device_passes::passes::unroll::{self, Candidate};
use fpgacc_device_passes::passes::{COARSEN, VECTORISE};
use fpgacc_device_passes::pipeline::{self, Pipeline};
use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_frontend::kernel::{self, LineDirectives};
use fpgacc_frontend::source::SourceMap;
use fpgacc_gpu_model::device::Device;
use fpgacc_gpu_model::launched;
use fpgacc_launch_facts::{Facts, Value, Variant};

use crate::geometry::kernels::{Data, Entry};
use crate::model::facts::{self, Launched};
use crate::model::kernels;

use super::space::Point;

/// The most iterations of a loop, or a nest, that is unrolled whole: a window of 5 x 5 has fewer.
const MOST_ITERATIONS: u64 = 32;

/// A kernel that is launched in work-groups of one size.
pub struct Case {
    /// How it is launched.
    pub entry: Entry,
    /// With which sizes.
    pub data: Data,
    module: Module,
    sources: SourceMap,
    facts: Facts,
}

/// What the passes made of it.
pub struct Made {
    module: Module,
    kernel: FunctionId,
    contract: LaunchContract,
}

impl Case {
    /// Reads the kernel of an entry that states a local size, below the folder with the checkouts.
    ///
    /// # Errors
    ///
    /// The kernel cannot be read.
    pub fn read(entry: &Entry, data: Data, root: &Path) -> Result<Self, String> {
        let path = root.join(&entry.file);
        let compiler = Compiler::find(Language::C).map_err(|error| error.to_string())?;
        let parsed = kernels::parse(&path, &compiler, &[], &[]);
        let (module, sources) = parsed.map_err(|why| format!("{}: {why}", entry.file))?;
        Ok(Case {
            facts: launch_facts(entry, data, &module)?,
            entry: entry.clone(),
            data,
            module,
            sources,
        })
    }

    /// Makes a point; `None`: the passes do not do all that it asks for.
    ///
    /// # Errors
    ///
    /// The point asks for what there is not.
    pub fn make(&self, point: &Point) -> Result<Option<Made>, String> {
        let mut variant = point.variant();
        let made = self.variant(&variant)?;
        if !point.unrolled {
            return Ok(made);
        }
        let kernel = kernel_named(&self.module, &self.entry.kernel)?;
        let source = unrollable(&self.module, kernel).into_iter();
        let source: Vec<Candidate> = source.map(|(outer, _)| outer).collect();
        let unroll = made.map(|made| made.short_loops(&source));
        variant.unroll = unroll.unwrap_or_default();
        match variant.unroll.is_empty() {
            true => Ok(None),
            false => self.variant(&variant),
        }
    }

    fn variant(&self, variant: &Variant) -> Result<Option<Made>, String> {
        let name = &self.entry.kernel;
        let made = tuned::pipeline(name, variant, &self.facts, &Pipeline::default());
        let mut passes = made.map_err(|why| why.to_string())?;
        // Nobody launches it in another way.
        passes.options.general = General::Never;
        let mut module = self.module.clone();
        let report = pipeline::run(&mut module, &self.facts, &passes);
        let asked = [
            (COARSEN, variant.coarsen.is_some()),
            (VECTORISE, variant.vectorise.is_some()),
        ];
        let done = report.done.get(name);
        let did = |pass: &str| done.is_some_and(|notes| notes.iter().any(|(one, _)| *one == pass));
        if asked.iter().any(|(pass, is_asked)| *is_asked && !did(pass)) {
            return Ok(None);
        }
        let kernel = kernel_named(&module, name)?;
        Ok(Some(Made {
            contract: report.contracts.get(name).cloned().unwrap_or_default(),
            kernel,
            module,
        }))
    }

    /// The text of what was made.
    ///
    /// # Errors
    ///
    /// The passes made what is no program.
    pub fn text(&self, made: &Made) -> Result<String, String> {
        let valid = kernel::validate(&made.module).map_err(|faults| {
            let first = faults.first().map(|fault| fault.message.clone());
            first.unwrap_or_default()
        })?;
        Ok(kernel::print(&valid, &self.sources, LineDirectives::None))
    }

    /// The seconds of a launch on a device, by prediction.
    pub fn seconds(&self, made: &Made, device: &Device) -> Option<f64> {
        let launch = self.facts.launches.first()?;
        launched::seconds(device, &made.module, made.kernel, &made.contract, launch)
    }
}

impl Made {
    /// The source's loops of a known trip count, and nests of them, that are short enough to be unrolled whole: the numbers
    /// of the loops, from 1, and their iterations.
    fn short_loops(&self, source: &[Candidate]) -> BTreeMap<usize, u64> {
        let is_of_source = |one: &Candidate| source.iter().any(|known| known.span == one.span);
        let loops = unrollable(&self.module, self.kernel).into_iter();
        let loops = loops.filter(|(outer, _)| is_of_source(outer));
        let loops = loops.filter_map(|(outer, inside)| {
            let all = [vec![(outer.index, outer.trips?)], inside].concat();
            let iterations: u64 = all.iter().map(|(_, trips)| trips).product();
            (iterations <= MOST_ITERATIONS).then_some(all)
        });
        let short = loops.flatten();
        short.map(|(index, trips)| (index + 1, trips)).collect()
    }

    /// By how much the global and the local size of a dimension are divided.
    pub fn divides(&self, dim: usize) -> (u64, u64) {
        let coarsened = self.contract.coarsened();
        coarsened.map_or((1, 1), |how| how.divides(dim))
    }
}

/// Loops that may be unrolled, each with the loops inside that go with it: their indices and iterations.
fn unrollable(module: &Module, kernel: FunctionId) -> Vec<(Candidate, Vec<(usize, u64)>)> {
    let function = &module.functions[kernel];
    let alone = unroll::candidates(module, function).into_iter();
    let nests = unroll::nested(module, function).into_iter();
    let alone = alone.map(|one| (one, Vec::new()));
    alone
        .chain(nests.map(|nest| (nest.outer, nest.inside)))
        .collect()
}

fn kernel_named(module: &Module, name: &str) -> Result<FunctionId, String> {
    let mut kernels = module.kernels();
    let found = kernels.find(|id| module.functions[*id].name == name);
    found.ok_or_else(|| format!("no kernel {name}"))
}

fn launch_facts(entry: &Entry, data: Data, module: &Module) -> Result<Facts, String> {
    let function = &module.functions[kernel_named(module, &entry.kernel)?];
    let named = |(index, value): (u32, u64)| {
        let param = function.params.get(index as usize)?;
        Some((function.vars[*param].name.as_str(), Value::Const(value)))
    };
    let scalars = entry.scalars(data).into_iter();
    let scalars = scalars.filter_map(|(index, value)| Some((index, u64::try_from(value).ok()?)));
    let known = scalars.chain(entry.local_bytes(data));
    let args: BTreeMap<&str, Value> = known.filter_map(named).collect();
    let launched = Launched {
        kernel: &entry.kernel,
        global: entry.dims(data)?.into_iter().map(Value::Const).collect(),
        local: entry.local.as_deref().unwrap_or_default(),
        args,
    };
    facts::of(module, std::iter::once(launched))
}
