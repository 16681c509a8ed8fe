//! How near the shapes that are chosen come to the fastest ones, beside other ways to choose.

use std::path::Path;
use std::time::{Duration, Instant};

use fpgacc_aoc_wrappers::cc::{Compiler, Language};
use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_gpu_model::device::Device;
use fpgacc_gpu_model::geometry::model::Prediction;
use fpgacc_gpu_model::geometry::{self, rule, shape::Shape};
use fpgacc_gpu_model::profile::{self, Sizes};

use super::kernels::{Data, Entry};
use super::measured::Measured;
use crate::model::kernels;

/// A kernel that was measured.
pub struct Case {
    /// Its program and name.
    pub name: String,
    /// Its program.
    pub program: String,
    module: Module,
    kernel: FunctionId,
    sizes: Sizes,
    author: Option<[u64; 3]>,
    measured: Measured,
    best: (Shape, f64),
}

/// A kernel's times by the ways to choose, each as a part of the fastest shape's: 1 is best.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// Its program and name.
    pub name: String,
    /// The fastest shape and its microseconds.
    pub best: (Shape, f64),
    /// The shape that is chosen, what is predicted of it, and how near it comes.
    pub chosen: (Shape, Prediction, f64),
    /// What is predicted of the fastest.
    pub of_best: Option<Prediction>,
    /// The author's, if there is one.
    pub author: Option<f64>,
    /// The local size left open.
    pub open: Option<f64>,
    /// The thesis's rule.
    pub rule: Option<f64>,
    /// The largest group.
    pub largest: Option<f64>,
    /// The time that the choice took.
    pub took: Duration,
}

impl Case {
    /// Reads the kernel of an entry, below the folder with the checkouts.
    ///
    /// # Errors
    ///
    /// The kernel cannot be read, or was not measured.
    pub fn read(
        entry: &Entry,
        data: Data,
        measured: &Measured,
        root: &Path,
    ) -> Result<Self, String> {
        let name = format!("{} {}", entry.program, entry.kernel);
        let path = root.join(&entry.file);
        let compiler = Compiler::find(Language::C).map_err(|e| e.to_string())?;
        let options = entry.options(data);
        let words = options.split_whitespace();
        let defines = words.filter_map(|word| word.strip_prefix("-D"));
        let defines: Vec<String> = defines.map(String::from).collect();
        let folders: Vec<_> = path.parent().map(Path::to_path_buf).into_iter().collect();
        let parsed = kernels::parse(&path, &compiler, &defines, &folders);
        let (module, _) = parsed.map_err(|e| format!("{name}: {e}"))?;
        let is_meant = |id: &FunctionId| {
            let function = &module.functions[*id];
            function.name == entry.kernel && function.body.is_some()
        };
        let kernel = module.functions.ids().find(is_meant);
        let kernel = kernel.ok_or_else(|| format!("{name}: no such kernel"))?;
        let best = measured.best();
        let (best, least) = best.ok_or_else(|| format!("{name}: not measured"))?;
        Ok(Case {
            program: entry.program.clone(),
            kernel,
            sizes: Sizes {
                global: entry.global(data)?,
                local: None,
                scalars: entry.scalars(data),
            },
            author: entry.author(),
            measured: measured.clone(),
            best: (Shape(best), least),
            name,
            module,
        })
    }

    /// How near a shape comes to the fastest; `None`: it was not measured.
    fn near(&self, shape: [u64; 3]) -> Option<f64> {
        let time = self.measured.shapes.get(&shape);
        time.map(|time| self.best.1 / time)
    }

    /// The longest group of one dimension that divides the launch and is no longer than this.
    fn line(&self, wanted: u64) -> Option<f64> {
        let most = wanted.min(self.measured.most.max(1));
        let fits = |x: &u64| self.sizes.global[0].is_multiple_of(*x);
        let x = (1..=most).rev().find(fits)?;
        self.near([x, 1, 1])
    }

    /// Judges the choice for a device; `None`: no shape that it would choose was measured.
    pub fn judge(&self, device: &Device) -> Option<Judgement> {
        let global = self.sizes.global;
        let start = Instant::now();
        let profile = profile::profile(&self.module, self.kernel, &self.sizes);
        let ranked = geometry::rank(device, &profile, global);
        let taken = geometry::choose(&ranked, self.author.map(Shape));
        let took = start.elapsed();
        let mut measured = (taken.into_iter().chain(&ranked))
            .filter_map(|one| Some((one.shape, one.prediction, self.near(one.shape.0)?)));
        let chosen = measured.next()?;
        let of_best = ranked.iter().find(|one| one.shape == self.best.0);
        let rule = limits(device).and_then(|limits| {
            let (group, _) = rule::rule(&limits, global.iter().product());
            self.line(group)
        });
        let most = device.max_group_size()?;
        Some(Judgement {
            name: self.name.clone(),
            best: self.best,
            chosen,
            of_best: of_best.map(|one| one.prediction),
            author: self.author.and_then(|shape| self.near(shape)),
            open: self.measured.open.map(|time| self.best.1 / time),
            rule,
            largest: self.line(u64::from(most)),
            took,
        })
    }
}

/// What the thesis's rule knows of a device.
fn limits(device: &Device) -> Option<rule::Limits> {
    let units = device.units.as_ref();
    let units = units.map(|units| (units.count, units.max_warps * device.warp));
    let cores = device.cores.as_ref();
    let cores = cores.map(|cores| (cores.count, cores.max_group_size));
    let (units, items_per_unit) = units.or(cores)?;
    Some(rule::Limits {
        units: u64::from(units),
        items_per_unit: u64::from(items_per_unit),
        group: 64,
    })
}
