//! The thesis's Table 4.1: the forms that it measured, priced as they were, and what fpgacc chooses; and what
//! shift registers gain in the programs of its section 4.3.2.
//!
//! The thesis's loops carry no `ivdep`: it did not use that work-items are independent. So the marks
//! that the pass leaves are taken away again before its forms are priced.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::cc::{self, Compiler};
use fpgacc_decision::SearchTime;
use fpgacc_device_passes::passes;
use fpgacc_device_passes::pipeline::{self, Pipeline};
use fpgacc_frontend::ir::{Block, FunctionId, Module, Stmt, StmtKind};
use fpgacc_frontend::source::SourceMap;
use fpgacc_launch_facts::Facts;
use fpgacc_performance_model::{Board, LaunchShape, Prediction, predict};
use serde::Deserialize;

use super::deciding::{Deciding, decide};
use super::error::ModelError;
use super::facts::{self, Sizes};
use super::kernels;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    board: String,
    /// What a program takes besides its kernels.
    host_seconds: f64,
    /// Those of Table 4.1, of Rodinia.
    programs: Vec<Program>,
    /// Those of section 4.3.2 that another author wrote as single work-items.
    hand_written: Vec<Program>,
}

/// What was measured.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum Measured {
    /// Seconds of the whole program: as it is, and rewritten.
    Seconds(f64, f64),
    /// How many times faster it became.
    Gain(f64),
}

impl Measured {
    fn gain(self) -> f64 {
        match self {
            Measured::Seconds(original, rewritten) => original / rewritten,
            Measured::Gain(gain) => gain,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    name: String,
    file: String,
    /// Folders of headers.
    #[serde(default)]
    headers: Vec<String>,
    /// Macros.
    #[serde(default)]
    defines: Vec<String>,
    /// What the thesis applied.
    rewrites: Vec<String>,
    /// Kernels that it could not rewrite.
    #[serde(default)]
    kept: Vec<String>,
    measured: Measured,
    launches: Vec<Sizes>,
}

/// A program that was read.
struct Read {
    module: Module,
    sources: SourceMap,
    facts: Facts,
}

/// What is judged.
#[derive(Clone, Copy, Debug)]
pub struct Checkouts<'a> {
    /// Rodinia.
    pub rodinia: &'a Path,
    /// Its kernels as others wrote them for FPGAs (fpga-opencl-benchmarks/rodinia_fpga).
    pub rodinia_fpga: Option<&'a Path>,
}

/// Prices all programs, and gives the report as text; or all that is predicted of one of them, as it is
/// and as the thesis left it.
///
/// # Errors
/// A file cannot be read.
pub fn run(checkouts: &Checkouts<'_>, explain: Option<&str>) -> Result<String, ModelError> {
    let text = include_str!("../../model/thesis.yaml");
    let table: Table = serde_yaml::from_str(text)
        .map_err(|e| ModelError::Launches("thesis.yaml".to_string(), e))?;
    let board = Board::named(&table.board).ok_or_else(|| ModelError::Board(table.board.clone()))?;
    let compiler = Compiler::find(cc::Language::C)?;
    let folder = kernels_of(checkouts.rodinia);
    let mut text = format!(
        "{:10} {:>9} {:>10} {:>10} {:>9} {:>10} {:>9} {:>10} {:>9}\n",
        "program",
        "measured",
        "original s",
        "thesis s",
        "predicted",
        "level 2 s",
        "gain",
        "level 3 s",
        "gain"
    );
    let mut choices = String::new();
    for program in &table.programs {
        let fault = |why| ModelError::Kernel(program.file.clone(), why);
        if explain.is_some_and(|name| program.name != name) {
            continue;
        }
        let read = read(program, &folder, &compiler).map_err(fault)?;
        if explain.is_some() {
            return Ok(explanation(program, &read, &board));
        }
        let host = table.host_seconds;
        let original = host + price(program, &read, &board, &only(&[]), &[]);
        let thesis = host + rewritten(program, &read, &board);
        let [second, third] =
            [2, 3].map(|level| host + choose(program, &read, &board, level, &mut choices));
        let _ = writeln!(
            text,
            "{:10} {:8.2}x {original:10.3} {thesis:10.3} {:8.2}x {second:10.3} {:8.2}x {third:10.3} {:8.2}x",
            program.name,
            program.measured.gain(),
            original / thesis,
            original / second,
            original / third,
        );
        if let Some(line) = reduction(program, &read, &board) {
            choices.push_str(&line);
        }
    }
    text.push_str(&choices);
    let Some(checkout) = checkouts.rodinia_fpga.filter(|_| explain.is_none()) else {
        return Ok(text);
    };
    let folder = kernels_of(checkout);
    for program in &table.hand_written {
        let fault = |why| ModelError::Kernel(program.file.clone(), why);
        let read = read(program, &folder, &compiler).map_err(fault)?;
        let before = price(program, &read, &board, &only(&[]), &[]);
        let after = rewritten(program, &read, &board);
        let _ = writeln!(
            text,
            "{}, single work-item: reduction: {:.2}x measured, {:.2}x predicted ({before:.3} s, {after:.3} s)",
            program.name,
            program.measured.gain(),
            before / after,
        );
    }
    Ok(text)
}

/// The folder with the kernels of a checkout.
pub fn kernels_of(checkout: &Path) -> PathBuf {
    let nested = checkout.join("opencl");
    match nested.is_dir() {
        true => nested,
        false => checkout.to_path_buf(),
    }
}

fn read(program: &Program, folder: &Path, compiler: &Compiler) -> Result<Read, String> {
    let path = folder.join(&program.file);
    let mut headers: Vec<PathBuf> = program.headers.iter().map(|h| folder.join(h)).collect();
    headers.extend(path.parent().map(Path::to_path_buf));
    let (module, sources) = kernels::parse(&path, compiler, &program.defines, &headers)?;
    let facts = facts::of(&module, program.launches.iter().map(Sizes::launched))?;
    Ok(Read {
        module,
        sources,
        facts,
    })
}

/// These passes and no others.
fn only(names: &[&str]) -> Pipeline {
    let switch = |name: &'static str| (name.to_string(), names.contains(&name));
    Pipeline {
        level: 2,
        switches: passes::ALL.iter().map(|pass| switch(pass.name())).collect(),
        ..Pipeline::default()
    }
}

/// All that is predicted of each launch, before and after the thesis's rewrites.
fn explanation(program: &Program, read: &Read, board: &Board) -> String {
    let forms = [
        ("as it is", only(&[])),
        ("rewritten", only(&program.rewrites())),
    ];
    let mut text = String::new();
    for (form, passes) in forms {
        for (sizes, launch) in predictions(program, read, board, &passes, &program.kept) {
            let _ = writeln!(text, "{form}: {sizes:?}\n{launch:#?}");
        }
    }
    text
}

impl Program {
    /// The passes that its author's rewrites are.
    fn rewrites(&self) -> Vec<&str> {
        self.rewrites.iter().map(String::as_str).collect()
    }
}

/// The seconds of a program as it was rewritten.
fn rewritten(program: &Program, read: &Read, board: &Board) -> f64 {
    price(
        program,
        read,
        board,
        &only(&program.rewrites()),
        &program.kept,
    )
}

/// Seconds of all launches, in the forms that these passes make of all kernels but some.
fn price(program: &Program, read: &Read, board: &Board, passes: &Pipeline, kept: &[String]) -> f64 {
    let launches = predictions(program, read, board, passes, kept);
    let seconds = |(sizes, launch): (&Sizes, Prediction)| launch.seconds.value * sizes.count as f64;
    launches.into_iter().map(seconds).sum()
}

/// What is predicted of each launch.
fn predictions<'a>(
    program: &'a Program,
    read: &Read,
    board: &Board,
    passes: &Pipeline,
    kept: &[String],
) -> Vec<(&'a Sizes, Prediction)> {
    let mut module = read.module.clone();
    let own = kept.iter().map(|name| (name.clone(), only(&[]))).collect();
    let report = pipeline::run_each(&mut module, &read.facts, passes, &own);
    for id in module.kernels().collect::<Vec<FunctionId>>() {
        if let Some(body) = &mut module.functions[id].body {
            without_ivdep(body);
        }
    }
    let mut all = Vec::new();
    for kernel in module.kernels() {
        let name = &module.functions[kernel].name;
        let contract = report.contracts.get(name).cloned().unwrap_or_default();
        for index in report.launches.get(name).into_iter().flatten() {
            let shape = LaunchShape::of(&[&read.facts.launches[*index]]);
            let launch = predict(&module, kernel, board, &shape, &contract);
            all.push((&program.launches[*index], launch));
        }
    }
    all
}

/// Takes the marks away that say that iterations are independent.
fn without_ivdep(block: &mut Block) {
    block.stmts.iter_mut().for_each(clear);
}

fn clear(stmt: &mut Stmt) {
    match &mut stmt.kind {
        StmtKind::Block(body) => without_ivdep(body),
        StmtKind::If {
            then, otherwise, ..
        } => {
            without_ivdep(then);
            otherwise.iter_mut().for_each(without_ivdep);
        }
        StmtKind::For { body, hints, .. }
        | StmtKind::While { body, hints, .. }
        | StmtKind::DoWhile { body, hints, .. } => {
            hints.pragmas.retain(|pragma| !pragma.starts_with("ivdep"));
            without_ivdep(body);
        }
        StmtKind::Switch { arms, .. } => {
            arms.iter_mut()
                .flat_map(|arm| &mut arm.body)
                .for_each(clear);
        }
        _ => {}
    }
}

/// Seconds of what fpgacc chooses at a level, with a line for each kernel.
fn choose(program: &Program, read: &Read, board: &Board, level: u8, lines: &mut String) -> f64 {
    let how = Deciding {
        board,
        fp_relaxed: false,
        level,
        search_time: SearchTime::default(),
    };
    let mut seconds = 0.0;
    let decided = decide(&read.module, &read.sources, &read.facts, &how);
    for (name, decision) in &decided.decisions {
        let count = |part: &fpgacc_decision::Part| {
            part.launch
                .map_or(1.0, |index| program.launches[index].count as f64)
        };
        let all = |candidate: &fpgacc_decision::Candidate| -> f64 {
            let parts = candidate.price.parts.iter();
            parts
                .map(|part| part.prediction.seconds.value * count(part))
                .sum()
        };
        let (input, chosen) = (all(decision.input()), all(decision.chosen()));
        seconds += chosen;
        let _ = writeln!(
            lines,
            "{} --kernel-opt={level}: {name}: {} ({:.4} s, input {input:.4} s)",
            program.name,
            decision.chosen().label,
            chosen,
        );
    }
    seconds
}

/// What the shift registers change in the thesis's form.
fn reduction(program: &Program, read: &Read, board: &Board) -> Option<String> {
    let rewrites = program.rewrites();
    let without: Vec<&str> = rewrites
        .iter()
        .copied()
        .filter(|name| *name != passes::REDUCTION)
        .collect();
    let mut with = without.clone();
    with.push(passes::REDUCTION);
    let before = price(program, read, board, &only(&without), &program.kept);
    let after = price(program, read, board, &only(&with), &program.kept);
    (before != after).then(|| {
        format!(
            "{}: reduction in the thesis's form: {:.2}x\n",
            program.name,
            before / after
        )
    })
}
