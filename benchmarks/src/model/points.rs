//! Predicting the measured points.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::cc::{self, Compiler};
use fpgacc_device_passes::pass::LaunchContract;
use fpgacc_frontend::ir::{FunctionId, Module, StmtKind};
use fpgacc_frontend::source::{SourceMap, Span};
use fpgacc_performance_model::{
    Board, Estimate, Given, LaunchShape, Launched, Prediction, Program, TripOrigin, predict,
};

use super::data::Measured;
use super::error::ModelError;
use super::kernels;
use super::launches::{Application, Branch, Launches, Trips};

/// A measured point and what the model says of it.
#[derive(Clone, Debug)]
pub struct Point {
    /// What was measured.
    pub measured: Measured,
    /// What is predicted, or why nothing is.
    pub outcome: Result<Predicted, String>,
}

/// A prediction of all that was timed.
#[derive(Clone, Debug)]
pub struct Predicted {
    /// Seconds, with launches and what moves between host and board.
    pub seconds: Estimate,
    /// Seconds that moving takes.
    pub moving: f64,
    /// Of the program.
    pub program: Program,
    /// Of one launch of each kernel.
    pub launches: Vec<Prediction>,
}

impl Predicted {
    /// Seconds that the traffic with external memory takes, in the longest launch.
    pub fn memory_seconds(&self) -> f64 {
        let launches = self.launches.iter().map(|launch| launch.memory_seconds);
        launches.fold(0.0, f64::max)
    }
}

/// A measured point and its kernel, ready to be predicted.
pub struct Subject {
    /// What was measured.
    pub measured: Measured,
    /// The kernel and its launch, or why there is none.
    pub kernel: Result<Ready, String>,
}

/// Why a design with channels is not priced where others are.
pub const CHANNELS: &str = "channels";

/// A program's kernels and their launches.
pub struct Ready {
    module: Module,
    kernels: Vec<Kernel>,
    /// The kernels that do not come before run at the same time.
    connected: bool,
    migrated_bytes: f64,
}

struct Kernel {
    id: FunctionId,
    shape: LaunchShape,
    /// Launches in the time that was measured.
    times: f64,
    /// It has ended before others begin.
    before: bool,
}

impl Ready {
    /// All that was timed, on a board.
    pub fn predict(&self, board: &Board) -> Predicted {
        let contract = LaunchContract::default();
        let priced =
            |kernel: &Kernel| predict(&self.module, kernel.id, board, &kernel.shape, &contract);
        let launches: Vec<Prediction> = self.kernels.iter().map(priced).collect();
        let each = launches.iter().zip(&self.kernels);
        let launched = each.map(|(prediction, kernel)| Launched {
            prediction,
            times: kernel.times,
            again: false,
        });
        let launched: Vec<Launched<'_>> = launched.collect();
        let program = Program::in_rounds(&self.rounds(&launched), board);
        let moving = self.migrated_bytes / (board.host_gigabytes_per_second * 1e9);
        Predicted {
            seconds: program.seconds + Estimate::exact(moving),
            moving,
            program,
            launches,
        }
    }
}

impl Ready {
    /// The launches that run at the same time.
    fn rounds<'a>(&self, launched: &'a [Launched<'a>]) -> Vec<&'a [Launched<'a>]> {
        let alone = |kernel: &&Kernel| kernel.before || !self.connected;
        let alone = self.kernels.iter().take_while(alone).count();
        let (before, at_once) = launched.split_at(alone);
        let rest = (!at_once.is_empty()).then_some(at_once);
        before.chunks(1).chain(rest).collect()
    }
}

impl Subject {
    /// What a board makes of it.
    pub fn predict(&self, board: &Board) -> Point {
        let outcome = match &self.kernel {
            Ok(ready) => Ok(ready.predict(board)),
            Err(why) => Err(why.clone()),
        };
        Point {
            measured: self.measured.clone(),
            outcome,
        }
    }
}

/// What a board makes of all of them.
pub fn predict_all(subjects: &[Subject], board: &Board) -> Vec<Point> {
    subjects
        .iter()
        .map(|subject| subject.predict(board))
        .collect()
}

/// The board that was measured on.
pub fn board(launches: &Launches) -> Result<Board, ModelError> {
    Board::named(&launches.board).ok_or_else(|| ModelError::Board(launches.board.clone()))
}

/// Reads the kernels of all points; of those with channels, if these are asked for.
pub fn read_all(
    checkout: &Path,
    launches: &Launches,
    measured: &[Measured],
    channels: bool,
) -> Result<Vec<Subject>, ModelError> {
    let compiler = Compiler::find(cc::Language::C)?;
    let folder = folder(checkout);
    let mut subjects = Vec::new();
    for row in measured {
        let application = launches.applications.iter().find(|app| app.name == row.app);
        let application = application.map(|app| match row.has_channels() {
            true => app.connected(),
            false => app.clone(),
        });
        let kernel = match application {
            None => Err("no launch facts".to_string()),
            Some(_) if row.has_channels() && !channels => Err(CHANNELS.to_string()),
            Some(application) => match application.why_left_out(&row.model, &row.variant) {
                Some(why) => Err(why.clone()),
                None => {
                    let application = application.noted(&row.note, &row.variant);
                    read_one(&folder, &compiler, launches, &application, row)
                }
            },
        };
        subjects.push(Subject {
            measured: row.clone(),
            kernel,
        });
    }
    Ok(subjects)
}

fn read_one(
    folder: &Path,
    compiler: &Compiler,
    launches: &Launches,
    application: &Application,
    row: &Measured,
) -> Result<Ready, String> {
    let (module, sources) = text(folder, compiler, row)?;
    let shape = |kernel: FunctionId, application: &Application| LaunchShape {
        fp_relaxed: launches.fp_relaxed,
        speculated: Some(launches.speculated),
        ..shape(&module, kernel, &sources, application)
    };
    let launch = |kernel: FunctionId, application: &Application| Kernel {
        id: kernel,
        shape: shape(kernel, application),
        times: application.repeat.unwrap_or(1.0),
        before: false,
    };
    let connected = row.has_channels();
    let named = |kernel: FunctionId| {
        let name = &module.functions[kernel].name;
        let kernel = match application.said_of(name) {
            Some(own) => launch(kernel, &application.of_kernel(own)),
            None if connected => launch(kernel, application),
            None => return None,
        };
        Some(Kernel {
            before: application.before.contains(name),
            ..kernel
        })
    };
    let mut kernels: Vec<Kernel> = module.kernels().filter_map(named).collect();
    if kernels.is_empty() {
        let first = module.kernels().next().ok_or("no kernel in the file")?;
        kernels.push(launch(first, application));
    }
    Ok(Ready {
        kernels,
        connected,
        module,
        migrated_bytes: application.migrated_bytes,
    })
}

/// The folder of a checkout in which the applications are.
pub fn folder(checkout: &Path) -> PathBuf {
    let nested = checkout.join("OpenCL_applications_on_FPGAs");
    match nested.is_dir() {
        true => nested,
        false => checkout.to_path_buf(),
    }
}

/// The kernels of a measured point.
///
/// # Errors
/// There are none, or they cannot be read: why.
pub fn text(
    folder: &Path,
    compiler: &Compiler,
    row: &Measured,
) -> Result<(Module, SourceMap), String> {
    let path = kernel_file(folder, row).ok_or("no kernel file")?;
    // Some variants lack the headers that all share.
    let headers = folder
        .join(&row.app)
        .join(format!("{}_test/device", row.app));
    kernels::parse(&path, compiler, &[], &[headers])
}

fn kernel_file(folder: &Path, row: &Measured) -> Option<PathBuf> {
    let variant = match row.variant.as_str() {
        "None" | "" => "baseline",
        other => other,
    };
    let family = folder.join(&row.app).join(&row.model);
    let exact = family.join(variant).join(format!("{variant}.cl"));
    if exact.is_file() {
        return Some(exact);
    }
    let near = family.join(variant.replace("_+=", "+="));
    let mut files: Vec<PathBuf> = fs::read_dir(near)
        .ok()?
        .flatten()
        .map(|e| e.path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|suffix| suffix == "cl"));
    files.sort();
    files.into_iter().next()
}

/// A launch as the model takes it; how the compiler is called is not reported.
pub fn shape(
    module: &Module,
    kernel: FunctionId,
    sources: &SourceMap,
    application: &Application,
) -> LaunchShape {
    let given = |value: &u64| Given {
        value: *value as f64,
        origin: TripOrigin::Symbolic,
    };
    let sizes = |of: &[u64]| [0, 1, 2].map(|dim| of.get(dim).map(given));
    let function = &module.functions[kernel];
    let (mut scalars, mut bytes) = (BTreeMap::new(), BTreeMap::new());
    for (index, &param) in function.params.iter().enumerate() {
        if let Some(value) = application.args.get(&function.vars[param].name) {
            scalars.insert(index as u32, given(value));
        }
        if let Some(size) = application.bytes.get(&function.vars[param].name) {
            bytes.insert(index as u32, *size);
        }
    }
    LaunchShape {
        global: sizes(&application.global),
        local: sizes(&application.local),
        scalars,
        bytes,
        trips: trips(module, sources, &application.trips),
        most_trips: said(module, sources, &application.trips, |trips| trips.most),
        branches: branches(module, sources, &application.branches),
        ..LaunchShape::default()
    }
}

/// The loops whose conditions have known average trip counts.
pub fn trips(module: &Module, sources: &SourceMap, given: &[Trips]) -> BTreeMap<Span, f64> {
    said(module, sources, given, |trips| Some(trips.trips))
}

/// The loops of whose conditions trips say something.
fn said(
    module: &Module,
    sources: &SourceMap,
    given: &[Trips],
    of: fn(&Trips) -> Option<f64>,
) -> BTreeMap<Span, f64> {
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let mut found = BTreeMap::new();
    for (_, function) in module.functions.iter() {
        let Some(body) = &function.body else { continue };
        body.for_each_stmt(&mut |stmt| {
            let cond = match &stmt.kind {
                StmtKind::For {
                    cond: Some(cond), ..
                }
                | StmtKind::While { cond, .. }
                | StmtKind::DoWhile { cond, .. } => *cond,
                _ => return,
            };
            let (Some(span), Some(at)) = (function.exprs.span(cond), stmt.span) else {
                return;
            };
            let text = squeezed(sources.text(span));
            let here = |t: &&Trips| t.function.as_ref().is_none_or(|f| *f == function.name);
            let known = given
                .iter()
                .filter(here)
                .find(|t| squeezed(&t.cond) == text);
            found.extend(known.and_then(of).map(|trips| (at, trips)));
        });
    }
    found
}

/// The branches of which it is known how often they are taken.
fn branches(module: &Module, sources: &SourceMap, given: &[Branch]) -> BTreeMap<Span, f64> {
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let mut found = BTreeMap::new();
    for (_, function) in module.functions.iter() {
        let Some(body) = &function.body else { continue };
        body.for_each_stmt(&mut |stmt| {
            let StmtKind::If { cond, .. } = &stmt.kind else {
                return;
            };
            let (Some(span), Some(at)) = (function.exprs.span(*cond), stmt.span) else {
                return;
            };
            let text = squeezed(sources.text(span));
            if let Some(known) = given.iter().find(|branch| squeezed(&branch.cond) == text) {
                found.insert(at, known.taken);
            }
        });
    }
    found
}
