//! Rodinia as experts wrote it for FPGAs, version after version (fpga-opencl-benchmarks/rodinia_fpga), beside
//! what fpgacc makes of its plain NDRange kernels. All times are the model's: nothing of it was measured on
//! one board with one compiler.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::cc::{self, Compiler};
use fpgacc_decision::{Candidate, Decided, SearchTime};
use fpgacc_device_passes::pass::LaunchContract;
use fpgacc_frontend::ir::Module;
use fpgacc_frontend::source::SourceMap;
use fpgacc_launch_facts::Facts;
use fpgacc_performance_model::{self as model, Board, LaunchShape, Prediction, predict};
use serde::Deserialize;

use super::deciding::{Deciding, decide, forms};
use super::error::ModelError;
use super::facts::{self, Sizes};
use super::launches::Trips;
use super::{kernels, points, thesis, why};
use crate::means::geometric_mean;

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The checkout with the kernels.
    pub checkout: &'a Path,
    /// `--search-time`.
    pub search_time: SearchTime,
    /// Only the program of this name, with all forms that matter.
    pub only: Option<&'a str>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    board: String,
    fp_relaxed: bool,
    programs: Vec<Program>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    name: String,
    /// What it computes on, as text.
    input: String,
    /// The plain one first.
    versions: Vec<Version>,
}

/// A program as somebody wrote it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Version {
    /// Its name, such as v3, and its macros if there are several of them.
    name: String,
    file: String,
    /// Folders of headers.
    #[serde(default)]
    headers: Vec<String>,
    #[serde(default)]
    defines: Vec<String>,
    #[serde(default)]
    launches: Vec<Sizes>,
    #[serde(default)]
    trips: Vec<Trips>,
    /// Why it is not priced.
    #[serde(default)]
    left_out: Option<String>,
}

/// Kernels that were read, and how they are launched.
struct Read {
    module: Module,
    sources: SourceMap,
    facts: Facts,
}

/// A version, or what fpgacc made, by the model.
#[derive(Clone, Debug)]
struct Priced {
    seconds: f64,
    mhz: f64,
    fits: bool,
    /// What each launch waits for.
    why: String,
}

/// A program's times: of the first version of this name that fits, and of the best.
#[derive(Clone, Copy, Debug, Default)]
struct Ratios {
    first_expert: Option<f64>,
    best: Option<f64>,
}

/// The version that experts wrote first as a single work-item for speed.
const FIRST_EXPERT: &str = "v3";

/// `--kernel-opt` of what is compared; the last one is held against the experts.
const LEVELS: [u8; 2] = [2, 3];

/// Prices all versions and what fpgacc makes of the plain ones, and gives the comparison as text.
///
/// # Errors
/// The table cannot be read, or there is no C compiler. What is wrong with a version is in the text.
pub fn run(request: &Request<'_>) -> Result<String, ModelError> {
    let table = table()?;
    let board = Board::named(&table.board).ok_or_else(|| ModelError::Board(table.board.clone()))?;
    let compiler = Compiler::find(cc::Language::C)?;
    let folder = thesis::kernels_of(request.checkout);
    let wanted = |program: &&Program| request.only.is_none_or(|only| program.name == only);
    let (mut text, mut all) = (String::new(), Vec::new());
    for program in table.programs.iter().filter(wanted) {
        let comparison = Comparison {
            program,
            board: &board,
            fp_relaxed: table.fp_relaxed,
            request,
        };
        all.push(comparison.write(&mut text, &folder, &compiler));
    }
    let of = |ratio: fn(&Ratios) -> Option<f64>| geometric_mean(all.iter().filter_map(ratio));
    if request.only.is_none() {
        let _ = writeln!(
            text,
            "geometric means: fpgacc / {FIRST_EXPERT} {:.2}, fpgacc / best {:.2}",
            of(|ratios| ratios.first_expert),
            of(|ratios| ratios.best),
        );
    }
    Ok(text)
}

fn table() -> Result<Table, ModelError> {
    let name = "rodinia_fpga.yaml";
    serde_yaml::from_str(include_str!("../../model/rodinia_fpga.yaml"))
        .map_err(|e| ModelError::Launches(name.to_string(), e))
}

/// A program, and what is asked of it.
struct Comparison<'a> {
    program: &'a Program,
    board: &'a Board,
    fp_relaxed: bool,
    request: &'a Request<'a>,
}

impl Comparison<'_> {
    /// Writes a line for each version and level, and gives the ratios that matter.
    fn write(&self, text: &mut String, folder: &Path, compiler: &Compiler) -> Ratios {
        let _ = writeln!(text, "{}: {}", self.program.name, self.program.input);
        let mut experts: Vec<(&str, f64)> = Vec::new();
        for (index, version) in self.program.versions.iter().enumerate() {
            let priced = version
                .read(folder, compiler)
                .map(|read| self.price(version, &read));
            let _ = match &priced {
                Ok(priced) => writeln!(text, "  {:20} {}", version.name, priced.line()),
                Err(why) => writeln!(text, "  {:20} not priced: {why}", version.name),
            };
            if let (Ok(priced), Some(_)) = (&priced, self.request.only) {
                text.push_str(&priced.why);
            }
            let fitting = priced.ok().filter(|priced| priced.fits && index > 0);
            experts.extend(fitting.map(|priced| (version.name.as_str(), priced.seconds)));
        }
        let mut made = None;
        for level in LEVELS {
            match self.decide(folder, compiler, level) {
                Ok((priced, labels)) => {
                    let name = format!("fpgacc, level {level}");
                    let _ = writeln!(text, "  {name:20} {}", priced.line());
                    text.push_str(&labels);
                    made = Some(priced.seconds);
                }
                Err(why) => {
                    let _ = writeln!(text, "  fpgacc, level {level}: {why}");
                }
            }
        }
        let ratios = ratios(&experts, made);
        for (what, ratio) in [(FIRST_EXPERT, ratios.first_expert), ("best", ratios.best)] {
            let stated = ratio.map_or("none".to_string(), |ratio| format!("{ratio:.2}"));
            let _ = writeln!(text, "  fpgacc / {what}: {stated}");
        }
        ratios
    }

    fn price(&self, version: &Version, read: &Read) -> Priced {
        let (mut all, mut reasons) = (Vec::new(), String::new());
        for kernel in read.module.kernels() {
            let name = &read.module.functions[kernel].name;
            let launches = read.facts.launches.iter().zip(&version.launches);
            let own = launches.filter(|(_, sizes)| sizes.kernel == *name);
            for (index, (launch, sizes)) in own.enumerate() {
                let shape = LaunchShape {
                    fp_relaxed: self.fp_relaxed,
                    trips: points::trips(&read.module, &read.sources, &version.trips),
                    ..LaunchShape::of(&[launch])
                };
                let contract = LaunchContract::default();
                let prediction = predict(&read.module, kernel, self.board, &shape, &contract);
                reasons.push_str(&why::why(name, &prediction, &read.sources));
                all.push((prediction, sizes.count as f64, index > 0));
            }
        }
        Priced {
            why: reasons,
            ..self.together(&all)
        }
    }

    /// Launches of kernels that are built into one image: predictions, how often, and whether the kernel is
    /// that of the one before.
    fn together(&self, all: &[(Prediction, f64, bool)]) -> Priced {
        let launched = all
            .iter()
            .map(|(prediction, times, again)| model::Launched {
                prediction,
                times: *times,
                again: *again,
            });
        let program = model::Program::of(&launched.collect::<Vec<_>>(), self.board);
        Priced {
            seconds: program.seconds.value,
            mhz: program.clock_mhz.value,
            fits: program.fits,
            why: String::new(),
        }
    }

    /// What fpgacc makes of the plain kernels, with a line for each kernel.
    fn decide(
        &self,
        folder: &Path,
        compiler: &Compiler,
        level: u8,
    ) -> Result<(Priced, String), String> {
        let plain = self.program.versions.first().ok_or("no versions")?;
        let read = plain.read(folder, compiler)?;
        let how = Deciding {
            board: self.board,
            fp_relaxed: self.fp_relaxed,
            level,
            search_time: self.request.search_time,
        };
        let decided = decide(&read.module, &read.sources, &read.facts, &how);
        let mut lines = String::new();
        for (name, decision) in &decided.decisions {
            let seconds = |form: &Candidate| plain.seconds(form);
            let chosen = decision.chosen();
            let ms = seconds(chosen) * 1e3;
            let _ = writeln!(lines, "    {name}: {ms:.3} ms, {}", chosen.label);
            if self.request.only.is_some() {
                lines.push_str(&forms(name, decision, &seconds));
            }
        }
        Ok((self.together(&plain.chosen(&decided)), lines))
    }
}

impl Version {
    fn read(&self, folder: &Path, compiler: &Compiler) -> Result<Read, String> {
        if let Some(why) = &self.left_out {
            return Err(why.clone());
        }
        let path = folder.join(&self.file);
        let mut headers: Vec<PathBuf> = self.headers.iter().map(|h| folder.join(h)).collect();
        headers.extend(path.parent().map(Path::to_path_buf));
        let (module, sources) = kernels::parse(&path, compiler, &self.defines, &headers)?;
        let mut facts = facts::of(&module, self.launches.iter().map(Sizes::launched))?;
        facts::record_trips(&mut facts, &module, &sources, &self.trips);
        Ok(Read {
            module,
            sources,
            facts,
        })
    }

    /// How many launches the one at a index of the facts stands for.
    fn count(&self, launch: Option<usize>) -> f64 {
        launch.map_or(1.0, |index| self.launches[index].count as f64)
    }

    /// Seconds of all launches of a form.
    fn seconds(&self, form: &Candidate) -> f64 {
        let parts = form.price.parts.iter();
        parts
            .map(|part| part.prediction.seconds.value * part.count * self.count(part.launch))
            .sum()
    }

    /// The launches of the forms that are kept.
    fn chosen(&self, decided: &Decided) -> Vec<(Prediction, f64, bool)> {
        let mut all = Vec::new();
        for decision in decided.decisions.values() {
            let parts = &decision.chosen().price.parts;
            for (index, part) in parts.iter().enumerate() {
                let again = index > 0 && parts[index - 1].version == part.version;
                let times = part.count * self.count(part.launch);
                all.push((part.prediction.clone(), times, again));
            }
        }
        all
    }
}

impl Priced {
    fn line(&self) -> String {
        let fits = if self.fits { "" } else { ", does not fit" };
        format!("{:12.2} ms, {:3.0} MHz{fits}", self.seconds * 1e3, self.mhz)
    }
}

/// What fpgacc's time is of those of the versions that fit.
fn ratios(experts: &[(&str, f64)], made: Option<f64>) -> Ratios {
    let fastest = |wanted: &dyn Fn(&str) -> bool| {
        let times = experts.iter().filter(|(name, _)| wanted(name));
        times.map(|(_, time)| *time).min_by(f64::total_cmp)
    };
    let first = fastest(&|name| name.split(' ').next() == Some(FIRST_EXPERT));
    let ratio = |expert: Option<f64>| Some(made? / expert?);
    Ratios {
        first_expert: ratio(first),
        best: ratio(fastest(&|_| true)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fpgacc_launch_facts::Value;

    use super::*;

    #[test]
    fn the_table_says_of_each_version_how_it_is_launched() {
        let table = table().expect("the table is read");
        assert!(Board::named(&table.board).is_some());
        for program in &table.programs {
            let names: BTreeSet<&str> = program.versions.iter().map(|v| v.name.as_str()).collect();
            assert_eq!(names.len(), program.versions.len(), "{}", program.name);
            assert!(program.versions[0].name.starts_with("v0"));
            for version in &program.versions {
                let named = format!("{} {}", program.name, version.name);
                assert_eq!(
                    version.launches.is_empty(),
                    version.left_out.is_some(),
                    "{named}"
                );
                for launch in &version.launches {
                    assert!(launch.count > 0 && !launch.global.is_empty(), "{named}");
                }
            }
        }
    }

    #[test]
    fn sizes_may_differ_from_launch_to_launch() {
        let text = "{kernel: k, global: [{min: 16, max: 64, step: 16}, 2], args: {n: 5}, count: 4}";
        let sizes: Sizes = serde_yaml::from_str(text).expect("sizes");
        let launched = sizes.launched();
        let range = Value::Range {
            min: 16,
            max: 64,
            step: 16,
        };
        assert_eq!(launched.global, [range, Value::Const(2)]);
        assert_eq!(launched.args["n"], Value::Const(5));
    }

    #[test]
    fn the_best_is_the_fastest_of_all_versions() {
        let experts = [("v1", 9.0), ("v3 4", 4.0), ("v3 8", 3.0), ("v5", 2.0)];
        let ratios = ratios(&experts, Some(6.0));
        assert_eq!(ratios.first_expert, Some(2.0));
        assert_eq!(ratios.best, Some(3.0));
    }
}
