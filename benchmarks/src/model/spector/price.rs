//! What the model says of designs: kernels made of Spector's sources, launched as its hosts do.

use std::fs::{self, File};
use std::path::Path;

use fpgacc_aoc_wrappers::cc::Compiler;
use fpgacc_device_passes::pass::LaunchContract;
use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_performance_model::calibration::clock::Sample;
use fpgacc_performance_model::{Board, LaunchShape, Launched, Prediction, Program, predict};
use matfile::{MatFile, NumericData};

use super::designs::{Design, Space};
use super::rows::{Measured, Priced, Row};
use crate::model::error::ModelError;
use crate::model::launched_program::LaunchedProgram;
use crate::model::launches::Application;
use crate::model::{kernels, points};

/// Clocks that count for an application: some of its designs, evenly spread, so that the one with the most does not
/// count for more than the others.
const CLOCKS: usize = 200;

pub fn samples(rows: &[Row], board: &Board) -> Vec<Sample> {
    let each = (rows.len() / CLOCKS).max(1);
    let sample = |row: &Row| {
        let causes = row.outcome.as_ref().ok()?.together.penalty_causes;
        Some(Sample::new(row.measured.mhz, board, causes))
    };
    rows.iter().step_by(each).filter_map(sample).collect()
}

/// Reads an application's table.
pub fn read(checkout: &Path, space: &Space) -> Result<Vec<Measured>, ModelError> {
    let path = checkout
        .join("results_and_analysis")
        .join(format!("{}.mat", space.table));
    let name = path.display().to_string();
    let fault = |why: &str| ModelError::Matrix(name.clone(), why.to_string());
    let file = File::open(&path).map_err(|e| ModelError::File(name.clone(), e))?;
    let tables = MatFile::parse(file).map_err(|e| fault(&e.to_string()))?;
    // One application has other names for the same columns.
    let column = |names: [&str; 2]| {
        let found = names.iter().find_map(|name| tables.find_by_name(name));
        let found = found.ok_or_else(|| fault(&format!("no '{}'", names[0])))?;
        Ok::<_, ModelError>((found.size().to_vec(), numbers(found.data())))
    };
    let (size, knobs) = column(["knob_settings"; 2])?;
    let &[designs, width] = &size[..] else {
        return Err(fault("'knob_settings' is not a table"));
    };
    let (_, seconds) = column(["run_results_timing"; 2])?;
    let (_, mhz) = column(["fmax"; 2])?;
    let (_, alm) = column(["logic_util"; 2])?;
    let (_, ram) = column(["ram_util", "ram"])?;
    let (_, dsp) = column(["dsp_util", "dsp"])?;
    if [&seconds, &mhz, &alm, &ram, &dsp]
        .iter()
        .any(|column| column.len() != designs)
        || knobs.len() != designs * width
    {
        return Err(fault("columns differ in length"));
    }
    let row = |row: usize| Measured {
        knobs: (0..width)
            .map(|at| knobs[at * designs + row] as u64)
            .collect(),
        seconds: seconds[row] * space.seconds,
        mhz: mhz[row],
        alm: alm[row],
        ram: ram[row],
        dsp: dsp[row],
    };
    Ok((0..designs).map(row).collect())
}

/// The numbers of a table, column by column.
fn numbers(data: &NumericData) -> Vec<f64> {
    fn all<T: Copy + Into<f64>>(values: &[T]) -> Vec<f64> {
        values.iter().map(|&value| value.into()).collect()
    }
    match data {
        NumericData::UInt8 { real, .. } => all(real),
        NumericData::Int8 { real, .. } => all(real),
        NumericData::UInt16 { real, .. } => all(real),
        NumericData::Int16 { real, .. } => all(real),
        NumericData::UInt32 { real, .. } => all(real),
        NumericData::Int32 { real, .. } => all(real),
        NumericData::UInt64 { real, .. } => real.iter().map(|&value| value as f64).collect(),
        NumericData::Int64 { real, .. } => real.iter().map(|&value| value as f64).collect(),
        NumericData::Single { real, .. } => all(real),
        NumericData::Double { real, .. } => real.clone(),
    }
}

/// Where designs are made: a temporary folder with the kernels, for headers that differ by design.
pub struct Workshop<'a> {
    folder: tempfile::TempDir,
    checkout: &'a Path,
    space: &'a Space,
    compiler: &'a Compiler,
}

impl<'a> Workshop<'a> {
    /// Of an application's sources.
    pub fn new(
        checkout: &'a Path,
        space: &'a Space,
        compiler: &'a Compiler,
    ) -> Result<Self, ModelError> {
        let from = checkout.join(space.folder);
        let fault = |at: &Path, e| ModelError::File(at.display().to_string(), e);
        let folder = tempfile::tempdir().map_err(|e| fault(Path::new("temporary folder"), e))?;
        for entry in fs::read_dir(&from).map_err(|e| fault(&from, e))?.flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|suffix| suffix == "cl") {
                let to = folder.path().join(entry.file_name());
                fs::copy(&path, to).map_err(|e| fault(&path, e))?;
            }
        }
        Ok(Workshop {
            folder,
            checkout,
            space,
            compiler,
        })
    }

    /// A design's kernels and their launches.
    fn make(&self, design: &Design) -> Result<(Module, Vec<Launch>), String> {
        let program = self.program(design)?;
        let launch = |(kernel, sizes): &(FunctionId, Application)| Launch {
            kernel: *kernel,
            shape: LaunchShape {
                fp_relaxed: self.space.fp_relaxed,
                speculated: Some(0.0),
                ..points::shape(&program.module, *kernel, &program.sources, sizes)
            },
            times: sizes.repeat.unwrap_or(1.0),
        };
        let launches = program.launches.iter().map(launch).collect();
        Ok((program.module, launches))
    }

    /// A design, to be decided on.
    ///
    /// # Errors
    /// It cannot be read: why.
    pub fn program(&self, design: &Design) -> Result<LaunchedProgram, String> {
        if let Some(header) = &design.header {
            let template = self.checkout.join(header.template);
            let text = fs::read_to_string(&template)
                .map_err(|e| format!("{}: {e}", template.display()))?;
            // The last first: `%1` is also the beginning of `%10`.
            let values = header.values.iter().enumerate().rev();
            let text = values.fold(text, |text, (index, value)| {
                text.replace(&format!("%{}", index + 1), value)
            });
            let to = self.folder.path().join(header.name);
            fs::write(&to, text).map_err(|e| format!("{}: {e}", to.display()))?;
        }
        let path = self.folder.path().join(&design.file);
        let headers = [self.folder.path().to_path_buf()];
        let (module, sources) = kernels::parse(&path, self.compiler, &design.defines, &headers)?;
        let mut launches = Vec::new();
        for (name, sizes) in &design.launches {
            let kernel = module
                .kernels()
                .find(|kernel| module.functions[*kernel].name == *name)
                .ok_or_else(|| format!("no kernel '{name}'"))?;
            launches.push((kernel, sizes.clone()));
        }
        let trips = design.launches.iter().flat_map(|(_, sizes)| &sizes.trips);
        Ok(LaunchedProgram {
            trips: trips.cloned().collect(),
            module,
            sources,
            launches,
        })
    }
}

/// So many launches of a kernel.
struct Launch {
    kernel: FunctionId,
    shape: LaunchShape,
    times: f64,
}

/// A design's kernels and their launches, ready to be priced.
pub struct Ready {
    module: Module,
    launches: Vec<Launch>,
    is_profiled: bool,
}

impl Ready {
    pub fn of(workshop: &Workshop<'_>, measured: &Measured) -> Result<Ready, String> {
        let space = workshop.space;
        let design = (space.design)(&measured.knobs);
        if design.launches.is_empty() {
            return Err("no launch".to_string());
        }
        let (module, launches) = workshop.make(&design)?;
        Ok(Ready {
            module,
            launches,
            is_profiled: space.is_profiled,
        })
    }

    /// What the model says of it.
    pub fn price(&self, board: &Board) -> Priced {
        let contract = LaunchContract::default();
        let starting = match self.is_profiled {
            true => board.launch_microseconds * 1e-6,
            false => 0.0,
        };
        let launched =
            |one: &Launch| predict(&self.module, one.kernel, board, &one.shape, &contract);
        let launches: Vec<Prediction> = self.launches.iter().map(launched).collect();
        let each = launches.iter().zip(&self.launches).enumerate();
        let each = each.map(|(at, (prediction, launch))| Launched {
            prediction,
            times: launch.times,
            again: (self.launches[..at].iter()).any(|before| before.kernel == launch.kernel),
        });
        let each: Vec<Launched<'_>> = each.collect();
        let together = Program::of(&each, board);
        let started: f64 = each.iter().map(|launch| launch.times).sum();
        Priced {
            seconds: together.seconds.value - starting * started,
            together,
            // Of equal ones the first.
            launch: (launches.into_iter())
                .reduce(
                    |longest, one| match longest.seconds.value < one.seconds.value {
                        true => one,
                        false => longest,
                    },
                )
                .expect("there is one"),
        }
    }
}

/// What the model says of a design.
pub fn price(
    workshop: &Workshop<'_>,
    board: &Board,
    measured: &Measured,
) -> Result<Priced, String> {
    Ok(Ready::of(workshop, measured)?.price(board))
}
