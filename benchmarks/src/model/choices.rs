//! How long the decision on each kernel of a folder takes, in processor time: wall time says little on a
//! busy machine.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::cc::{self, Compiler};
use fpgacc_decision::{Request, RequestedModels, SearchTime};
use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_frontend::ir::{Block, FunctionId, Module};
use fpgacc_frontend::source::SourceMap;
use fpgacc_launch_facts::Facts;
use fpgacc_performance_model::Board;
use rustix::time::{ClockId, clock_gettime};

use super::error::ModelError;
use super::kernels;

/// Seconds that a decision may take, at `--kernel-opt=2` and `--kernel-opt=3`.
const BUDGETS: [(u8, f64); 2] = [(2, 0.1), (3, 1.0)];

/// Decides on each kernel under a folder by itself and gives a line for each, and whether all stay within
/// their budgets. Files that cannot be read are named. Launches are not known, so each form is priced for
/// one assumed launch.
///
/// # Errors
/// The folder cannot be read.
pub fn run(folder: &Path, board: &str, defines: &[String]) -> Result<(String, bool), ModelError> {
    let board = Board::named(board).ok_or_else(|| ModelError::Board(board.to_string()))?;
    let compiler = Compiler::find(cc::Language::C)?;
    let mut files = Vec::new();
    find(folder, &mut files)?;
    files.sort();
    let mut text = format!(
        "{:>9} {:>9} {:>6} {:>6}  kernel\n",
        "level 2 s", "level 3 s", "forms", "size"
    );
    let (mut kernels, mut slow) = (0, 0);
    for file in &files {
        let name = file.strip_prefix(folder).unwrap_or(file).display();
        let mut headers: Vec<PathBuf> = Vec::new();
        let within = file
            .ancestors()
            .skip(1)
            .take_while(|at| at.starts_with(folder));
        headers.extend(within.map(Path::to_path_buf));
        let (module, sources) = match kernels::parse(file, &compiler, defines, &headers) {
            Ok(read) => read,
            Err(why) => {
                let _ = writeln!(text, "not read: {name}: {why}");
                continue;
            }
        };
        for kernel in module.kernels() {
            let searches = BUDGETS.map(|(level, _)| time(&module, kernel, &sources, &board, level));
            let is_slow = searches
                .iter()
                .zip(BUDGETS)
                .any(|((time, _), (_, budget))| *time > budget);
            kernels += 1;
            slow += usize::from(is_slow);
            let [(second, _), (third, forms)] = searches;
            let mark = if is_slow { "  SLOW" } else { "" };
            let size = fpgacc_decision::size(&module, kernel);
            let function = &module.functions[kernel].name;
            let _ = writeln!(
                text,
                "{second:9.3} {third:9.3} {forms:6} {size:6}  {name}: {function}{mark}"
            );
        }
    }
    let _ = writeln!(
        text,
        "{kernels} kernels, {slow} beyond 0.1 s at level 2 or 1 s at level 3"
    );
    Ok((text, slow == 0))
}

/// All kernel files under a folder.
fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), ModelError> {
    let fault = |e| ModelError::File(folder.display().to_string(), e);
    for entry in fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|suffix| suffix == "cl") {
            files.push(path);
        }
    }
    Ok(())
}

/// Processor seconds that deciding on one kernel takes, the others being empty, and the forms that were looked at.
fn time(
    module: &Module,
    kernel: FunctionId,
    sources: &SourceMap,
    board: &Board,
    level: u8,
) -> (f64, usize) {
    let mut module = module.clone();
    for other in module
        .kernels()
        .filter(|id| *id != kernel)
        .collect::<Vec<_>>()
    {
        module.functions[other].body = Some(Block::default());
    }
    let requested = RequestedModels::default();
    let request = Request {
        fp_relaxed: false,
        emulated: false,
        on_gpu: false,
        board,
        requested: &requested,
        search_time: SearchTime::default(),
        explain: false,
        sources,
        measured: None,
        times: &[],
    };
    let pipeline = Pipeline {
        level,
        ..Pipeline::default()
    };
    let before = now();
    let decided = fpgacc_decision::run(&mut module, &Facts::default(), &pipeline, &request);
    let seconds = now() - before;
    let searched = decided.decisions.values().map(|one| one.searched.forms);
    (seconds, searched.sum())
}

fn now() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
