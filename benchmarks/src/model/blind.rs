//! Measurements of boards and programs that the model was not made with (`model/blind.yaml`).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use fpgacc_aoc_wrappers::cc::{self, Compiler};
use fpgacc_device_passes::pass::LaunchContract;
use fpgacc_frontend::ir::Module;
use fpgacc_frontend::source::SourceMap;
use fpgacc_performance_model::{
    Board, Estimate, LaunchShape, Launched, PenaltyCauses, Prediction, Program as Built, Version,
    predict,
};
use serde::Deserialize;

use super::cases::{Case, Said};
use super::error::ModelError;
use super::judge::{median, rank_correlation};
use super::launches::{Application, Branch, Trips};
use super::{kernels, points, report_sources};

/// What is judged.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The folder of the checkouts that the table's sets name.
    pub checkouts: &'a Path,
    /// Another table than that of this source tree.
    pub table: Option<&'a Path>,
    /// Only the set, board or program of this name.
    pub only: Option<&'a str>,
    /// Also what is assumed of each point, and its loops and accesses.
    pub explain: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    sets: Vec<Set>,
}

/// Measurements that were published together.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    name: String,
    /// Where they were published: for readers of the table.
    #[serde(rename = "source")]
    _source: String,
    /// The checkout.
    folder: PathBuf,
    /// The application that all its programs are of; left out: each program's name says it, without what follows letters.
    #[serde(default)]
    application: Option<String>,
    /// Sums may be reassociated.
    #[serde(default)]
    fp_relaxed: bool,
    /// Devices have all kernels of a program's file, also those that it does not launch.
    #[serde(default)]
    whole_files: bool,
    /// Devices were built for the clock that was measured: it does not say what they would reach.
    #[serde(default)]
    clock_is_asked: bool,
    boards: BTreeMap<String, Setting>,
    programs: Vec<Program>,
}

/// A board, and the aoc that built for it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Setting {
    board: String,
    aoc: Version,
}

/// A kernel and its launch, or several.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    name: String,
    /// See [`Set::application`].
    #[serde(default)]
    application: Option<String>,
    /// The checkout, where it is not the set's.
    #[serde(default)]
    folder: Option<PathBuf>,
    /// A `report_data.js` of aoc that has the file.
    #[serde(default)]
    report: Option<PathBuf>,
    file: PathBuf,
    #[serde(default)]
    headers: Vec<PathBuf>,
    /// A header that its build system makes, of the macros in `defines`.
    #[serde(default)]
    configured: Option<PathBuf>,
    #[serde(default)]
    defines: Vec<String>,
    #[serde(default)]
    kernel: String,
    #[serde(default)]
    global: Vec<u64>,
    #[serde(default)]
    local: Vec<u64>,
    #[serde(default)]
    args: BTreeMap<String, u64>,
    #[serde(default)]
    bytes: BTreeMap<String, u64>,
    /// In the place of these: launches in a row that were timed together, by the kernel's name.
    #[serde(default)]
    launches: Vec<Application>,
    /// These run at the same time, as channels connect them.
    #[serde(default)]
    concurrent: bool,
    #[serde(default)]
    trips: Vec<Trips>,
    #[serde(default)]
    branches: Vec<Branch>,
    /// Copies of a kernel in the device, by its name, each with a bank of its own, where there are several.
    #[serde(default)]
    copies: BTreeMap<String, usize>,
    /// Banks of memory that its buffers are in, where these are not all of the board's.
    #[serde(default)]
    banks: Option<u64>,
    /// By the board's name in the set.
    measured: BTreeMap<String, Measured>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Measured {
    ms: f64,
    #[serde(default)]
    mhz: Option<f64>,
}

/// A measured launch and its prediction, or why there is none.
struct Point<'a> {
    set: &'a str,
    board: &'a str,
    program: &'a Program,
    measured: Measured,
    outcome: Result<Priced, String>,
}

/// What the model says of all launches.
struct Priced {
    seconds: Estimate,
    clock_mhz: f64,
    penalty_causes: PenaltyCauses,
    launches: Vec<Prediction>,
}

impl Point<'_> {
    fn ratio(&self) -> Option<f64> {
        let predicted = self.outcome.as_ref().ok()?.seconds.value;
        Some(predicted * 1e3 / self.measured.ms)
    }

    /// The stated range of the time.
    fn range(&self) -> Option<Estimate> {
        Some(self.outcome.as_ref().ok()?.seconds)
    }

    /// Whether the measured time lies in that range.
    fn covered(&self) -> bool {
        let seconds = self.measured.ms / 1e3;
        self.range()
            .is_some_and(|range| (range.low..=range.high).contains(&seconds))
    }
}

impl Program {
    fn launches(&self) -> Vec<Application> {
        if !self.launches.is_empty() {
            return self.launches.clone();
        }
        vec![Application {
            name: self.kernel.clone(),
            global: self.global.clone(),
            local: self.local.clone(),
            args: self.args.clone(),
            bytes: self.bytes.clone(),
            ..Application::default()
        }]
    }
}

/// Predicts all points and gives the report as text.
///
/// # Errors
/// The table cannot be read, or a board is not known. What is wrong with a point is in the report.
pub fn run(request: &Request<'_>) -> Result<String, ModelError> {
    let table = read(request.table)?;
    let compiler = Compiler::find(cc::Language::C)?;
    let mut points = Vec::new();
    for set in &table.sets {
        for program in &set.programs {
            predict_all(set, program, request, &compiler, &mut points)?;
        }
    }
    let mut text = String::new();
    render_points(&mut text, &points, request.explain);
    render_groups(&mut text, &points);
    Ok(text)
}

/// All times that can be predicted.
///
/// # Errors
/// The table cannot be read, or a board is not known.
pub fn cases(checkouts: &Path) -> Result<Vec<Case>, ModelError> {
    let table = Rc::new(read(None)?);
    let compiler = Compiler::find(cc::Language::C)?;
    let mut cases = Vec::new();
    for (at, set) in table.sets.iter().enumerate() {
        for (number, program) in set.programs.iter().enumerate() {
            let folder = checkouts.join(program.folder.as_ref().unwrap_or(&set.folder));
            let Ok(parsed) = parse(&folder, program, &compiler).map(Rc::new) else {
                continue;
            };
            for (name, measured) in &program.measured {
                let built = set.boards.get(name);
                let built = built.ok_or_else(|| ModelError::Board(name.clone()))?;
                let (table, parsed) = (Rc::clone(&table), Rc::clone(&parsed));
                let said = move |board: &Board| {
                    let set = &table.sets[at];
                    price(set, &set.programs[number], &parsed.0, &parsed.1, board)
                };
                let board = board(built, program)?;
                // Where a kernel is missing it is so on any board.
                if said(&board).is_err() {
                    continue;
                }
                cases.push(Case {
                    set: "blind",
                    application: set.application_of(program),
                    board,
                    seconds: measured.ms / 1e3,
                    mhz: set.reached(measured).mhz,
                    predict: Box::new(move |board| said(board).expect("there are kernels").said()),
                });
            }
        }
    }
    Ok(cases)
}

impl Set {
    /// What was measured, without a clock that only was asked for.
    fn reached(&self, measured: &Measured) -> Measured {
        Measured {
            mhz: measured.mhz.filter(|_| !self.clock_is_asked),
            ..*measured
        }
    }

    fn application_of(&self, program: &Program) -> String {
        let own = || {
            let end = program.name.find(|at: char| !at.is_ascii_alphabetic());
            program.name[..end.unwrap_or(program.name.len())].to_lowercase()
        };
        let said = program.application.as_ref().or(self.application.as_ref());
        said.cloned().unwrap_or_else(own)
    }
}

impl Priced {
    fn said(&self) -> Said {
        Said {
            seconds: self.seconds,
            causes: Some(self.penalty_causes),
        }
    }
}

fn read(path: Option<&Path>) -> Result<Table, ModelError> {
    let name = path.map_or("blind.yaml".to_string(), |path| path.display().to_string());
    let text = match path {
        None => include_str!("../../model/blind.yaml").to_string(),
        Some(path) => fs::read_to_string(path).map_err(|e| ModelError::File(name.clone(), e))?,
    };
    serde_yaml::from_str(&text).map_err(|e| ModelError::Launches(name, e))
}

fn predict_all<'a>(
    set: &'a Set,
    program: &'a Program,
    request: &Request<'_>,
    compiler: &Compiler,
    points: &mut Vec<Point<'a>>,
) -> Result<(), ModelError> {
    let mut module = None;
    for (name, measured) in &program.measured {
        let built = set.boards.get(name);
        let built = built.ok_or_else(|| ModelError::Board(name.clone()))?;
        let names = [&set.name, name, &program.name];
        if request
            .only
            .is_some_and(|only| names.iter().all(|name| *name != only))
        {
            continue;
        }
        let board = board(built, program)?;
        let folder = program.folder.as_ref().unwrap_or(&set.folder);
        let module =
            module.get_or_insert_with(|| parse(&request.checkouts.join(folder), program, compiler));
        let outcome = match module {
            Ok((module, sources)) => price(set, program, module, sources, &board),
            Err(why) => Err(why.clone()),
        };
        points.push(Point {
            set: &set.name,
            board: name,
            program,
            measured: set.reached(measured),
            outcome,
        });
    }
    Ok(())
}

fn board(built: &Setting, program: &Program) -> Result<Board, ModelError> {
    let board = Board::named(&built.board);
    let board = board.ok_or_else(|| ModelError::Board(built.board.clone()))?;
    let mut board = board.built_with(built.aoc);
    if let Some(banks) = program.banks {
        board.memory.banks = banks;
    }
    Ok(board)
}

fn parse(
    checkout: &Path,
    program: &Program,
    compiler: &Compiler,
) -> Result<(Module, SourceMap), String> {
    let made = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut headers: Vec<PathBuf> = program.headers.iter().map(|h| checkout.join(h)).collect();
    headers.push(made.path().to_path_buf());
    if let Some(header) = &program.configured {
        headers.push(configured(header, made.path()).map_err(|e| e.to_string())?);
    }
    let file = match &program.report {
        None => checkout.join(&program.file),
        Some(report) => report_sources::unpack(&checkout.join(report), &program.file, made.path())?,
    };
    kernels::parse(&file, compiler, &program.defines, &headers)
}

/// Makes an empty header, and a folder beside its own, from which kernels ask for it as `../folder/header.h`.
fn configured(header: &Path, made: &Path) -> io::Result<PathBuf> {
    let path = made.join(header);
    fs::create_dir_all(path.parent().unwrap_or(made))?;
    fs::write(path, "")?;
    let kernels = made.join("kernels");
    fs::create_dir_all(&kernels)?;
    Ok(kernels)
}

fn price(
    set: &Set,
    program: &Program,
    module: &Module,
    sources: &SourceMap,
    board: &Board,
) -> Result<Priced, String> {
    let mut kernels: Vec<Kernel> = Vec::new();
    for launch in program.launches() {
        let mut all = module.kernels();
        let kernel = all.find(|id| module.functions[*id].name == launch.name);
        let kernel = kernel.ok_or_else(|| format!("no kernel {}", launch.name))?;
        let launch = Application {
            trips: [launch.trips, program.trips.clone()].concat(),
            branches: [launch.branches, program.branches.clone()].concat(),
            ..launch
        };
        let shape = LaunchShape {
            fp_relaxed: set.fp_relaxed,
            ..points::shape(module, kernel, sources, &launch)
        };
        let contract = LaunchContract::default();
        kernels.push(Kernel {
            prediction: predict(module, kernel, board, &shape, &contract),
            times: launch.repeat.unwrap_or(1.0),
            again: kernels.iter().any(|before| before.name == launch.name),
            name: launch.name,
        });
    }
    if set.whole_files {
        kernels.extend(unlaunched(module, sources, board, &kernels));
    }
    kernels.extend(copies(&kernels, program));
    Ok(together(kernels, program.concurrent, board))
}

/// A kernel of a device, and how often it is launched; `again`: it is there already.
#[derive(Clone)]
struct Kernel {
    name: String,
    prediction: Prediction,
    times: f64,
    again: bool,
}

/// The copies of kernels that the table names, beyond the first: they take room, and no time, and go to banks of their own.
fn copies(kernels: &[Kernel], program: &Program) -> Vec<Kernel> {
    let first = kernels.iter().filter(|kernel| !kernel.again);
    let more = first.flat_map(|kernel| {
        let mut copy = Kernel {
            times: 0.0,
            ..kernel.clone()
        };
        copy.prediction.penalty_causes.units = 0.0;
        let copies = program.copies.get(&kernel.name).copied().unwrap_or(1);
        vec![copy; copies.saturating_sub(1)]
    });
    more.collect()
}

/// The kernels of a file that are not launched: they take room, and no time.
fn unlaunched(
    module: &Module,
    sources: &SourceMap,
    board: &Board,
    launched: &[Kernel],
) -> Vec<Kernel> {
    let kernels = module.kernels().map(|id| (id, &module.functions[id].name));
    let others = kernels.filter(|(_, name)| launched.iter().all(|one| one.name != **name));
    let priced = others.map(|(id, name)| {
        let shape = points::shape(module, id, sources, &Application::default());
        Kernel {
            name: name.clone(),
            prediction: predict(module, id, board, &shape, &LaunchContract::default()),
            times: 0.0,
            again: false,
        }
    });
    priced.collect()
}

fn together(kernels: Vec<Kernel>, concurrent: bool, board: &Board) -> Priced {
    let launched = kernels.iter().map(|kernel| Launched {
        prediction: &kernel.prediction,
        times: kernel.times,
        again: kernel.again,
    });
    let launched: Vec<Launched> = launched.collect();
    let all = match concurrent {
        true => Built::at_once(&launched, board),
        false => Built::of(&launched, board),
    };
    let launched = kernels.into_iter().filter(|kernel| kernel.times > 0.0);
    Priced {
        seconds: all.seconds,
        clock_mhz: all.clock_mhz.value,
        penalty_causes: all.penalty_causes,
        launches: launched.map(|kernel| kernel.prediction).collect(),
    }
}

fn render_points(text: &mut String, points: &[Point<'_>], explain: bool) {
    let _ = writeln!(
        text,
        "{:7} {:8} {:15} {:>11} {:>11} {:>6} {:>5} {:>5}",
        "set", "board", "program", "measured ms", "model ms", "ratio", "MHz", "model"
    );
    for point in points {
        let (name, ms) = (&point.program.name, point.measured.ms);
        let start = format!("{:7} {:8} {name:15} {ms:11.3}", point.set, point.board);
        let (prediction, ratio) = match (&point.outcome, point.ratio()) {
            (Ok(prediction), Some(ratio)) => (prediction, ratio),
            (outcome, _) => {
                let why = outcome.as_ref().err().map_or("", String::as_str);
                let _ = writeln!(text, "{start} {why}");
                continue;
            }
        };
        let mhz = point.measured.mhz;
        let _ = writeln!(
            text,
            "{start} {:11.3} {ratio:6.2} {:>5} {:5.0}",
            prediction.seconds.value * 1e3,
            mhz.map_or(String::new(), |mhz| format!("{mhz:.0}")),
            prediction.clock_mhz,
        );
        if explain {
            let launches = prediction.launches.iter();
            launches.for_each(|launch| render_causes(text, launch));
        }
    }
}

/// What is assumed, and what the launch waits for.
fn render_causes(text: &mut String, prediction: &Prediction) {
    let _ = writeln!(
        text,
        "    busy {:.0} cycles, memory {:.3} ms",
        prediction.busy_cycles,
        prediction.memory_seconds * 1e3
    );
    let _ = writeln!(
        text,
        "    {:?}, {:?}",
        prediction.area.resources(),
        prediction.penalty_causes
    );
    for assumed in &prediction.assumed {
        let _ = writeln!(text, "    assumed: {}", assumed.what);
    }
    for region in &prediction.loops {
        let _ = writeln!(text, "    {region:?}");
    }
    for unit in &prediction.lsus {
        let _ = writeln!(text, "    {unit:?}");
    }
}

/// By set and board, and of all.
fn render_groups(text: &mut String, points: &[Point<'_>]) {
    let _ = writeln!(
        text,
        "{:7} {:8} {:>6} {:>9} {:>6} {:>6} {:>6} {:>6} {:>6}",
        "set", "board", "points", "within 2x", "error", "rank", "clock", "range", "width"
    );
    let mut groups: BTreeMap<(&str, &str), Vec<&Point<'_>>> = BTreeMap::new();
    for point in points.iter().filter(|point| point.outcome.is_ok()) {
        groups
            .entry((point.set, point.board))
            .or_default()
            .push(point);
    }
    for ((set, board), own) in &groups {
        render_group(text, set, board, own);
    }
    let all: Vec<&Point<'_>> = groups.into_values().flatten().collect();
    render_group(text, "all", "", &all);
    let left = points.len() - all.len();
    if left > 0 {
        let _ = writeln!(text, "{left} of {} points are not predicted", points.len());
    }
}

fn render_group(text: &mut String, set: &str, board: &str, points: &[&Point<'_>]) {
    let ratios: Vec<f64> = points.iter().filter_map(|point| point.ratio()).collect();
    let within = ratios.iter().filter(|ratio| (0.5..=2.0).contains(*ratio));
    let errors = ratios.iter().map(|ratio| (ratio - 1.0).abs());
    let predicted: Vec<f64> = points
        .iter()
        .zip(&ratios)
        .map(|(point, ratio)| ratio * point.measured.ms)
        .collect();
    let measured: Vec<f64> = points.iter().map(|point| point.measured.ms).collect();
    let clocks = points.iter().filter_map(|point| {
        let predicted = point.outcome.as_ref().ok()?.clock_mhz;
        Some((predicted / point.measured.mhz? - 1.0).abs())
    });
    let covered = points.iter().filter(|point| point.covered()).count();
    let ranges = points.iter().filter_map(|point| point.range());
    let _ = writeln!(
        text,
        "{set:7} {board:8} {:6} {:7.0} % {:4.0} % {:6.2} {:4.0} % {:4.0} % {:6.1}",
        points.len(),
        100.0 * within.count() as f64 / ratios.len().max(1) as f64,
        100.0 * median(errors),
        rank_correlation(measured, predicted),
        100.0 * median(clocks),
        100.0 * covered as f64 / points.len().max(1) as f64,
        median(ranges.map(|range| range.high / range.low)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNELS: &str = "__kernel void k(__global const int *restrict a, __global int *restrict b) { \
                           for (int i = 0; i < 64; i++) b[i] = a[i]; }\n\
                           __kernel void other(__global int *b) { for (int i = 0; i < 64; i++) b[i * 3] += b[i]; }\n";

    /// The predicted clock, and the measured one, of the first kernel in such a set.
    fn clocks(flag: &str, copies: &str) -> (f64, Option<f64>) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("k.cl"), KERNELS).unwrap();
        let table = format!(
            "sets:\n  - {{name: s, source: own, folder: ., {flag} boards: {{b: {{board: 520n, aoc: '19.4'}}}}, programs: \
             [{{name: p, file: k.cl, kernel: k, global: [1], {copies} measured: {{b: {{ms: 1, mhz: 200}}}}}}]}}\n"
        );
        let table: Table = serde_yaml::from_str(&table).unwrap();
        let request = Request {
            checkouts: folder.path(),
            table: None,
            only: None,
            explain: false,
        };
        let compiler = Compiler::find(cc::Language::C).unwrap();
        let mut points = Vec::new();
        let set = &table.sets[0];
        predict_all(set, &set.programs[0], &request, &compiler, &mut points).unwrap();
        let said = points[0].outcome.as_ref().unwrap();
        (said.clock_mhz, points[0].measured.mhz)
    }

    #[test]
    fn all_that_a_device_holds_lowers_its_clock() {
        let (alone, measured) = clocks("", "");
        assert_eq!(measured, Some(200.0));
        assert!(clocks("whole_files: true,", "").0 < alone);
        assert!(clocks("", "copies: {k: 8},").0 < alone);
        assert_eq!(clocks("clock_is_asked: true,", ""), (alone, None));
    }
}
