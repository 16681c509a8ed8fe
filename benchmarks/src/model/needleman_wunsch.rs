//! Needleman-Wunsch: published versions of one program on one board, from a loss of sixty times to a gain
//! of as much. Not one of them was used to fit constants; two were known when rules were chosen
//! (docs/model-evaluation.md).

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use fpgacc_aoc_wrappers::cc::{self, Compiler};
use fpgacc_device_passes::pass::LaunchContract;
use fpgacc_frontend::ir::{FunctionId, Module, StmtKind};
use fpgacc_performance_model::{Board, Given, LaunchShape, Prediction, TripOrigin, predict};
use serde::Deserialize;

use super::cases::{Case, Said};
use super::error::ModelError;
use super::kernels;

/// All versions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    board: String,
    fp_relaxed: bool,
    speculated: f64,
    /// Cells in a row, with the first column.
    width: u64,
    versions: Vec<Version>,
}

/// A measured version.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Version {
    name: String,
    form: String,
    file: String,
    #[serde(default)]
    defines: Vec<String>,
    /// Cells along a tile's side: launches go over the diagonals of tiles, first those that grow, by
    /// the first kernel, then those that shrink, by the second.
    #[serde(default)]
    tile: Option<u64>,
    #[serde(default)]
    args: std::collections::BTreeMap<String, u64>,
    /// Equal launches of the first kernel.
    #[serde(default = "once")]
    launches: u64,
    /// How often its loop runs.
    #[serde(default)]
    trips: Option<f64>,
    mhz: f64,
    ms: f64,
}

/// Diagonals that are priced of each half, and where constants are fitted, which takes thousands of predictions.
const SAMPLES: u64 = 16;
const FITTED: u64 = 2;

fn once() -> u64 {
    1
}

/// A version with its kernels.
struct Ready {
    table: Rc<Table>,
    /// Its index in the table.
    at: usize,
    module: Module,
}

/// Reads all versions under a checkout.
fn read(checkout: &Path) -> Result<(Board, Vec<Ready>), ModelError> {
    let text = include_str!("../../model/needleman_wunsch.yaml");
    let table: Table = serde_yaml::from_str(text)
        .map_err(|e| ModelError::Launches("needleman_wunsch.yaml".to_string(), e))?;
    let board = Board::named(&table.board).ok_or_else(|| ModelError::Board(table.board.clone()))?;
    let compiler = Compiler::find(cc::Language::C)?;
    let nested = checkout.join("code/nw");
    let folder = match nested.is_dir() {
        true => nested,
        false => checkout.to_path_buf(),
    };
    let table = Rc::new(table);
    let ready = |(at, version): (usize, &Version)| {
        let path = folder.join(&version.file);
        let headers: [PathBuf; 1] = [folder.clone()];
        let fault = |why| ModelError::Kernel(version.file.clone(), why);
        let (module, _) =
            kernels::parse(&path, &compiler, &version.defines, &headers).map_err(fault)?;
        if module.kernels().next().is_none() {
            return Err(fault("no kernel in the file".to_string()));
        }
        Ok(Ready {
            table: Rc::clone(&table),
            at,
            module,
        })
    };
    let versions = table.versions.iter().enumerate().map(ready);
    Ok((board, versions.collect::<Result<_, _>>()?))
}

/// All versions and their times.
///
/// # Errors
/// A file cannot be read.
pub fn cases(checkout: &Path) -> Result<Vec<Case>, ModelError> {
    let (board, versions) = read(checkout)?;
    let case = |ready: Ready| Case {
        set: "NW",
        application: "nw".to_string(),
        board: board.clone(),
        seconds: ready.version().ms / 1e3,
        mhz: Some(ready.version().mhz),
        predict: Box::new(move |board| {
            let (seconds, longest) = ready.time(board, FITTED);
            Said {
                seconds: longest.seconds * (seconds / longest.seconds.value),
                causes: Some(longest.penalty_causes),
            }
        }),
    };
    Ok(versions.into_iter().map(case).collect())
}

/// Predicts all versions under a checkout, or only one, and gives the report as text.
///
/// # Errors
/// A file cannot be read.
pub fn run(checkout: &Path, only: Option<&str>) -> Result<String, ModelError> {
    let (board, versions) = read(checkout)?;
    let mut text = format!(
        "{:8} {:18} {:>10} {:>10} {:>6} {:>5} {:>5}\n",
        "version", "form", "measured s", "model s", "ratio", "MHz", "model"
    );
    let mut times = Vec::new();
    let wanted = |ready: &&Ready| only.is_none_or(|only| ready.version().name == only);
    for ready in versions.iter().filter(wanted) {
        let version = ready.version();
        let (seconds, launch) = ready.time(&board, SAMPLES);
        let mhz = launch.clock_mhz.value;
        let measured = version.ms / 1000.0;
        let name = match (version.tile, version.defines.last()) {
            (Some(tile), _) => format!("{} {tile}", version.name),
            (None, Some(define)) => {
                format!("{} {}", version.name, define.trim_start_matches("PAR="))
            }
            _ => version.name.clone(),
        };
        let _ = writeln!(
            text,
            "{name:8} {:18} {measured:10.3} {seconds:10.3} {:6.2} {:5.0} {mhz:5.0}",
            version.form,
            seconds / measured,
            version.mhz,
        );
        times.push((name, measured, seconds));
    }
    if only.is_none() {
        compare(&mut text, &times);
    }
    Ok(text)
}

/// What the versions teach: who is slower than whom, and by how much.
fn compare(text: &mut String, times: &[(String, f64, f64)]) {
    let of = |name: &str| times.iter().find(|(known, ..)| known == name);
    for (what, slow, fast) in [
        ("loss of the straight loop", "v1", "v0 64"),
        ("loss of the straight loop", "v1", "v0 128"),
        ("loss of the straight loop", "v1", "v0 256"),
        ("recovery by register and ivdep", "v1", "v3"),
        ("gain of v3", "v0 128", "v3"),
        ("gain of SIMD", "v0 128", "v2 8"),
    ] {
        let (Some((_, m1, p1)), Some((_, m2, p2))) = (of(slow), of(fast)) else {
            continue;
        };
        let _ = writeln!(
            text,
            "{what:32} {slow:>7} / {fast:7} measured {:7.1}x, predicted {:7.1}x",
            m1 / m2,
            p1 / p2
        );
    }
    let four = ["v1", "v0 128", "v3", "v2 8"].map(of);
    let in_order = four.windows(2).all(|pair| match pair {
        [Some((.., slow)), Some((.., fast))] => slow > fast,
        _ => false,
    });
    let _ = writeln!(
        text,
        "v1 > v0 > v3 > v2 (tiles of 128 and 8): {}",
        if in_order { "right" } else { "wrong" }
    );
}

impl Ready {
    fn version(&self) -> &Version {
        &self.table.versions[self.at]
    }

    /// Seconds of all launches, and the last one.
    fn time(&self, board: &Board, samples: u64) -> (f64, Prediction) {
        let version = self.version();
        let kernels: Vec<FunctionId> = self.module.kernels().collect();
        let priced = |kernel: FunctionId, tiles: Option<(u64, u64)>| -> Prediction {
            let shape = shape(&self.table, version, &self.module, kernel, tiles);
            predict(
                &self.module,
                kernel,
                board,
                &shape,
                &LaunchContract::default(),
            )
        };
        let first = kernels[0];
        let Some(tile) = version.tile else {
            let launch = priced(first, None);
            return (launch.seconds.value * version.launches as f64, launch);
        };
        let diagonals = (self.table.width - 1) / tile;
        let second = *kernels.get(1).unwrap_or(&first);
        // Times grow evenly with the tiles of a diagonal: some stand for their neighbours.
        let each = (diagonals / samples).max(1);
        let mut seconds = 0.0;
        let mut last = None;
        for tiles in (1..=diagonals).step_by(each as usize) {
            let stands_for = each.min(diagonals + 1 - tiles) as f64;
            let middle = tiles + (stands_for as u64 - 1) / 2;
            for kernel in [first, second] {
                let launch = priced(kernel, Some((tile, middle)));
                seconds += launch.seconds.value * stands_for;
                last = Some(launch);
            }
        }
        (seconds, last.expect("there is a diagonal"))
    }
}

/// A launch: of so many tiles with sides of so many cells.
fn shape(
    table: &Table,
    version: &Version,
    module: &Module,
    kernel: FunctionId,
    tiles: Option<(u64, u64)>,
) -> LaunchShape {
    let given = |value: u64| Given {
        value: value as f64,
        origin: TripOrigin::Symbolic,
    };
    let mut shape = LaunchShape {
        fp_relaxed: table.fp_relaxed,
        speculated: Some(table.speculated),
        ..LaunchShape::default()
    };
    let (mut args, ones) = (version.args.clone(), Some(given(1)));
    if let Some((tile, tiles)) = tiles {
        shape.global = [Some(given(tile * tiles)), ones, ones];
        shape.local = [Some(given(tile)), ones, ones];
        args.insert("cols".to_string(), table.width);
    }
    let function = &module.functions[kernel];
    for (index, &param) in function.params.iter().enumerate() {
        if let Some(value) = args.get(&function.vars[param].name) {
            shape.scalars.insert(index as u32, given(*value));
        }
    }
    let (Some(trips), Some(body)) = (version.trips, &function.body) else {
        return shape;
    };
    body.for_each_stmt(&mut |stmt| {
        if let (StmtKind::While { .. }, Some(span)) = (&stmt.kind, stmt.span) {
            shape.trips.insert(span, trips);
        }
    });
    shape
}
