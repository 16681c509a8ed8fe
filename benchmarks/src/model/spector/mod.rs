//! Spector's design spaces (Gautier, Althoff, Meng and Kastner, FPT 2016): thousands of designs of small
//! applications, each built with aoc 14.1 and run on a DE5-Net, with their times, clocks and areas.
//!
//! docs/model-evaluation.md says which rules were made, and which numbers fitted, with these times known.

mod designs;
mod report;
mod rows;

use std::fs::{self, File};
use std::path::Path;

use fpgacc_aoc_wrappers::cc::{self, Compiler};
use fpgacc_device_passes::pass::LaunchContract;
use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_performance_model::calibration::clock::{self, Sample};
use fpgacc_performance_model::{Board, LaunchShape, Prediction, predict};
use matfile::{MatFile, NumericData};

use super::error::ModelError;
use super::{kernels, points};
use designs::{Design, SPACES, Space};
use rows::{Measured, Priced, Row};

/// What is judged.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// A checkout of KastnerRG/spector.
    pub checkout: &'a Path,
    /// Only the application with this name.
    pub only: Option<&'a str>,
    /// One design in so many.
    pub every: usize,
    /// With a line for each design.
    pub rows: bool,
    /// Also fit the clock's slopes: to all applications, and to all but one.
    pub fit: bool,
    /// Instead, all that is predicted of the design of `only` with these knobs, comma-separated.
    pub explain: Option<&'a str>,
}

/// Prices the designs, and gives the report as text.
///
/// # Errors
/// A file cannot be read, or there is no such application or design.
pub fn run(request: &Request<'_>) -> Result<String, ModelError> {
    let board = Board::named("de5-net").ok_or_else(|| ModelError::Board("de5-net".to_string()))?;
    let compiler = Compiler::find(cc::Language::C)?;
    let mut text = report::head();
    let mut clocks = Vec::new();
    let wanted = |space: &&Space| request.only.is_none_or(|only| only == space.name);
    let spaces: Vec<&Space> = SPACES.iter().filter(wanted).collect();
    if let (Some(only), []) = (request.only, &spaces[..]) {
        let names = SPACES.iter().map(|space| format!("'{}'", space.name));
        let why = format!(
            "no such application: {}",
            names.collect::<Vec<_>>().join(", ")
        );
        return Err(ModelError::Matrix(only.to_string(), why));
    }
    for space in spaces {
        let mut measured = read(request.checkout, space)?;
        if let Some(knobs) = request.explain {
            measured.retain(|m| report::knobs(&m.knobs) == knobs);
        } else {
            measured = measured.into_iter().step_by(request.every.max(1)).collect();
        }
        if let (Some(knobs), []) = (request.explain, &measured[..]) {
            let why = format!("no design of '{}' has these knobs", space.name);
            return Err(ModelError::Matrix(knobs.to_string(), why));
        }
        let workshop = Workshop::new(request.checkout, space, &compiler)?;
        let row = |measured: Measured| Row {
            outcome: price(&workshop, &board, &measured),
            measured,
        };
        let rows: Vec<Row> = measured.into_iter().map(row).collect();
        if request.explain.is_some() {
            return Ok(report::explain(&rows));
        }
        text.push_str(&report::space(space, &board, &rows, request.rows));
        clocks.push((space.table, samples(&rows)));
    }
    if request.fit {
        text.push_str(&report::clocks(&clocks, &board));
    }
    Ok(text)
}

/// A design, predicted with a clock that was fitted without its application.
pub struct LeftOut {
    /// Its knobs.
    pub knobs: Vec<u64>,
    /// What was measured.
    pub seconds: f64,
    /// What is predicted, if it can be.
    pub predicted: Option<f64>,
    /// The part of the device's memory blocks that its kernels take, by prediction.
    pub area: Option<f64>,
}

/// All designs of each application.
///
/// # Errors
/// A file cannot be read.
pub fn left_out(
    checkout: &Path,
    only: Option<&str>,
) -> Result<Vec<(String, Vec<LeftOut>)>, ModelError> {
    let board = Board::named("de5-net").ok_or_else(|| ModelError::Board("de5-net".to_string()))?;
    let compiler = Compiler::find(cc::Language::C)?;
    // Few designs of each tell how the clock falls.
    let mut clocks = Vec::new();
    for space in SPACES {
        let measured = read(checkout, space)?;
        let every = (measured.len() / CLOCKS).max(1);
        let workshop = Workshop::new(checkout, space, &compiler)?;
        let rows = measured.into_iter().step_by(every).map(|measured| Row {
            outcome: price(&workshop, &board, &measured),
            measured,
        });
        let rows: Vec<Row> = rows.collect();
        clocks.push((space.table, samples(&rows)));
    }
    let mut all = Vec::new();
    for space in SPACES
        .iter()
        .filter(|space| only.is_none_or(|only| space.name.starts_with(only)))
    {
        // Both spaces of spmv are the same designs.
        let is_other = |table: &str| table.split('_').next() != space.table.split('_').next();
        let others = clocks.iter().filter(|(table, _)| is_other(table));
        let others: Vec<Sample> = others.flat_map(|(_, samples)| samples.clone()).collect();
        let mut own = board.clone();
        own.clock.penalties = clock::fit(&others, &board);
        let workshop = Workshop::new(checkout, space, &compiler)?;
        let design = |measured: Measured| {
            let priced = price(&workshop, &own, &measured).ok();
            LeftOut {
                predicted: priced.as_ref().map(|priced| priced.seconds),
                area: priced.map(|priced| priced.launch.area.ram.value / board.device.ram),
                seconds: measured.seconds,
                knobs: measured.knobs,
            }
        };
        let rows = read(checkout, space)?.into_iter().map(design).collect();
        all.push((space.name.to_string(), rows));
    }
    Ok(all)
}

/// Clocks that count for an application: some of its designs, evenly spread, so that the one with the most does not
/// count for more than the others.
const CLOCKS: usize = 200;

fn samples(rows: &[Row]) -> Vec<Sample> {
    let each = (rows.len() / CLOCKS).max(1);
    let sample = |row: &Row| {
        let causes = row.outcome.as_ref().ok()?.launch.penalty_causes;
        let mhz = row.measured.mhz;
        Some(Sample { mhz, causes })
    };
    rows.iter().step_by(each).filter_map(sample).collect()
}

/// Reads an application's table.
fn read(checkout: &Path, space: &Space) -> Result<Vec<Measured>, ModelError> {
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
struct Workshop<'a> {
    folder: tempfile::TempDir,
    checkout: &'a Path,
    space: &'a Space,
    compiler: &'a Compiler,
}

impl<'a> Workshop<'a> {
    fn new(
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
    fn make(&self, design: &Design) -> Result<(Module, Vec<(FunctionId, LaunchShape)>), String> {
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
            let shape = LaunchShape {
                fp_relaxed: self.space.fp_relaxed,
                speculated: Some(0.0),
                ..points::shape(&module, kernel, &sources, sizes)
            };
            launches.push((kernel, shape));
        }
        Ok((module, launches))
    }
}

/// What the model says of a design.
fn price(workshop: &Workshop<'_>, board: &Board, measured: &Measured) -> Result<Priced, String> {
    let space = workshop.space;
    let (module, launches) = workshop.make(&(space.design)(&measured.knobs))?;
    let contract = LaunchContract::default();
    let starting = match space.is_profiled {
        true => board.launch_microseconds * 1e-6,
        false => 0.0,
    };
    let mut seconds = 0.0;
    let mut longest: Option<Prediction> = None;
    for (kernel, shape) in launches {
        let launch = predict(&module, kernel, board, &shape, &contract);
        seconds += launch.seconds.value - starting;
        if longest
            .as_ref()
            .is_none_or(|known| known.seconds.value < launch.seconds.value)
        {
            longest = Some(launch);
        }
    }
    let launch = longest.ok_or("no launch")?;
    Ok(Priced { seconds, launch })
}
