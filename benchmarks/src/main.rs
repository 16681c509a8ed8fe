//! The `fpgacc-bench` command.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use fpgacc_benchmarks::accounts::Comparison;
use fpgacc_benchmarks::catalog::{self, Program};
use fpgacc_benchmarks::certify::certify;
use fpgacc_benchmarks::chart;
use fpgacc_benchmarks::check_sites;
use fpgacc_benchmarks::check_truth;
use fpgacc_benchmarks::counters;
use fpgacc_benchmarks::gains;
use fpgacc_benchmarks::geometry;
use fpgacc_benchmarks::model::{self, spector, thesis};
use fpgacc_benchmarks::platform::{self, Platform};
use fpgacc_benchmarks::suite::{self, Suite};
use fpgacc_benchmarks::syntax;
use fpgacc_benchmarks::table::{self, Style};
use fpgacc_benchmarks::trial::{Bench, Row, Verdict};
use fpgacc_benchmarks::verification::{self, Verification};
use fpgacc_decision::SearchTime;

/// As fpgacc itself: the decision is timed as it runs there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Builds every benchmark program with and without fpgacc, runs both on every OpenCL platform of
/// this machine, compares all that they read back, and prints one table.
///
/// Exit status: 0 if all is well, 1 if a program failed or read back something else, 2 if the
/// benchmark could not be run.
#[derive(Parser)]
#[command(name = "fpgacc-bench", version, args_conflicts_with_subcommands = true)]
struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    /// fpgacc [default: the one beside this program]
    #[arg(long, value_name = "FILE")]
    fpgacc: Option<PathBuf>,
    /// Build and run the originals only
    #[arg(long)]
    originals_only: bool,
    /// Run the originals under Oclgrind on small inputs: no data race, no access out of bounds
    #[arg(long, conflicts_with_all = ["fpgacc", "originals_only", "platform", "markdown"])]
    certify: bool,
    /// Hold what fpgacc's analysis says of the launches against what runs of the originals show
    #[arg(long, conflicts_with_all = ["originals_only", "certify", "markdown"])]
    facts: bool,
    /// Run the programs under `fpgacc --verify`: with their original and with their rewritten kernels
    #[arg(long, conflicts_with_all = ["originals_only", "certify", "facts", "markdown"])]
    verify: bool,
    /// Build the programs with the system's compiler and with fpgacc's default options, run both, and
    /// compare what they print
    #[arg(long, conflicts_with_all = ["originals_only", "certify", "facts", "verify"])]
    suite: bool,
    /// With --verify or --suite: an option for fpgacc, such as -fexecution-model=swi
    #[arg(
        long,
        value_name = "OPTION",
        conflicts_with_all = ["originals_only", "certify", "facts"],
        allow_hyphen_values = true
    )]
    with: Vec<String>,
    /// Only programs whose name contains TEXT
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    filter: String,
    /// Only this platform: intel, pocl, ..
    #[arg(long, value_name = "NAME")]
    platform: Option<String>,
    /// Run each program so often; the shortest time counts
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Keep executables and read-backs in DIR
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Print the table as Markdown
    #[arg(long)]
    markdown: bool,
    /// The list of programs [default: programs.yaml of the source tree]
    #[arg(long, value_name = "FILE")]
    programs: Option<PathBuf>,
    /// Where the programs' folders lie [default: beside the list]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Judge the performance model on published measurements
    Model(ModelOptions),
    /// Time the decision on each kernel of a folder
    Choices {
        /// A folder with kernel files, such as Rodinia's `opencl`
        #[arg(long, value_name = "DIR")]
        kernels: PathBuf,
        /// Macros that the kernels need
        #[arg(short = 'D', value_name = "NAME[=VALUE]")]
        defines: Vec<String>,
        /// The board
        #[arg(long, value_name = "NAME", default_value = "de5a-net")]
        board: String,
    },
    /// Hold `fpgacc check` against sites of Rodinia's kernels that were counted by hand
    Check {
        /// Where the programs' folders lie: a checkout's folder `opencl`
        #[arg(long, value_name = "DIR")]
        folder: PathBuf,
        /// Instead, hold it against runs of these programs in Oclgrind (Debian: liboclgrind-dev, llvm-14-dev)
        #[arg(long, value_name = "FILE")]
        truth: Option<PathBuf>,
        /// Keep what these runs showed in DIR, and do not run again what is there
        #[arg(long, value_name = "DIR", requires = "truth")]
        keep: Option<PathBuf>,
        /// The sites [default: check_sites.yaml of the source tree]
        #[arg(long, value_name = "FILE")]
        sites: Option<PathBuf>,
        /// fpgacc [default: the one beside this program]
        #[arg(long, value_name = "FILE")]
        fpgacc: Option<PathBuf>,
    },
    /// Time `fpgacc --emit=kernels` beside the compilers' -fsyntax-only on the same files
    Syntax {
        /// A list of programs [default: programs.yaml of the source tree]
        #[arg(long, value_name = "FILE")]
        programs: Option<PathBuf>,
        /// Where the programs' folders lie [default: beside the list]
        #[arg(long, value_name = "DIR")]
        folder: Option<PathBuf>,
        /// fpgacc [default: the one beside this program]
        #[arg(long, value_name = "FILE")]
        fpgacc: Option<PathBuf>,
        /// Run each command so often
        #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..))]
        repeat: u32,
    },
    /// Judge the performance model and the decision on the thesis's Table 4.1
    Thesis {
        /// A checkout of Rodinia
        #[arg(long, value_name = "DIR")]
        rodinia: PathBuf,
        /// A checkout of its kernels for FPGAs (fpga-opencl-benchmarks/rodinia_fpga)
        #[arg(long, value_name = "DIR")]
        rodinia_fpga: Option<PathBuf>,
        /// Instead, print all that is predicted of this program, as it is and as the thesis left it
        #[arg(long, value_name = "PROGRAM")]
        explain: Option<String>,
    },
    /// Decide on the plain NDRange kernels of applications, and compare with what experts made of them by
    /// hand: as measured (Boyi), or by the model (Rodinia for FPGAs)
    Experts(ExpertsOptions),
    /// Search the forms of the plain kernels of measured applications, and all forms beside it: the search must
    /// come within 2 % of the best
    Optimum {
        /// A checkout of jjiantong/Boyi
        #[arg(long, value_name = "DIR")]
        boyi: PathBuf,
        /// The table of its measurements
        #[arg(long, value_name = "CSV")]
        data: PathBuf,
        /// `--search-time`
        #[arg(long, value_name = "TIME", default_value = "1s")]
        search_time: SearchTime,
        /// Kernels with more forms than are made in so many seconds of searching are left out
        #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
        most: f64,
        /// Only this application
        #[arg(long, value_name = "NAME")]
        only: Option<String>,
    },
    /// Draw predicted against measured times, of the rows that `fpgacc-bench model --rows` prints (SVG)
    Chart {
        /// A file with the rows
        rows: PathBuf,
        /// The chart
        #[arg(short, long, value_name = "SVG")]
        output: PathBuf,
    },
    /// Draw what fpgacc expects to gain of each program of a list (SVG)
    Gains(GainsOptions),
    /// Judge the performance model on all measurements whose checkouts are given, and on each application with
    /// constants that are fitted to the others
    Judge(JudgeOptions),
    /// Judge the performance model on the design spaces of Spector
    Spector(SpectorOptions),
    /// Replay the strategies of `fpgacc tune` on spaces that were measured whole
    TuneReplay(model::replay::Options),
    /// Judge the performance model on measurements of boards and programs that it was not made with
    Blind(BlindOptions),
    /// Write the plan that benchmarks/geometry/runner.c measures, or hold the sizes of work-groups that are chosen
    /// against measured ones
    Geometry(geometry::Options),
    /// Write the plan that benchmarks/counters/counters.c launches, or hold `fpgacc check` against what was counted
    Counters(counters::Options),
    /// Judge the performance model on published versions of Needleman-Wunsch
    NeedlemanWunsch {
        /// A checkout of the repository with the kernels (cabreraam/iwocl2019_artifacts)
        #[arg(long, value_name = "DIR")]
        checkout: PathBuf,
        /// Only this version: v0, v1, ..
        #[arg(long, value_name = "VERSION")]
        only: Option<String>,
    },
}

#[derive(Args)]
struct BlindOptions {
    /// A folder with checkouts of the repositories that the table names
    #[arg(long, value_name = "DIR")]
    checkouts: PathBuf,
    /// The table of measurements [default: benchmarks/model/blind.yaml of this build]
    #[arg(long, value_name = "YAML")]
    data: Option<PathBuf>,
    /// Only this set, board or program
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Print what is assumed of each point, and what it waits for
    #[arg(long)]
    explain: bool,
}

#[derive(Args)]
struct ModelOptions {
    /// A checkout of the repository with the measured kernels (jjiantong/Boyi)
    #[arg(long, value_name = "DIR")]
    boyi: PathBuf,
    /// The table of measurements
    #[arg(long, value_name = "CSV")]
    data: PathBuf,
    /// Print every point
    #[arg(long)]
    rows: bool,
    /// The launches of the applications [default: benchmarks/model/launches.yaml of this build]
    #[arg(long, value_name = "YAML")]
    launches: Option<PathBuf>,
    /// Fit the model's constants to the measurements anew: to all, and to all but one application, which
    /// is then predicted
    #[arg(long)]
    fit: bool,
    /// Print the whole prediction of the point with this name, such as 'KM SWI basic'
    #[arg(long, value_name = "POINT")]
    explain: Option<String>,
}

#[derive(Args)]
struct ExpertsOptions {
    /// A checkout of jjiantong/Boyi
    #[arg(long, value_name = "DIR", requires = "data")]
    #[arg(required_unless_present = "rodinia_fpga")]
    boyi: Option<PathBuf>,
    /// The table of its measurements
    #[arg(long, value_name = "CSV", requires = "boyi")]
    data: Option<PathBuf>,
    /// A checkout of fpga-opencl-benchmarks/rodinia_fpga
    #[arg(long, value_name = "DIR")]
    rodinia_fpga: Option<PathBuf>,
    /// `--kernel-opt`, of Boyi's applications
    #[arg(long, value_name = "LEVEL", default_value_t = 3)]
    level: u8,
    /// `--search-time`
    #[arg(long, value_name = "TIME", default_value = "1s")]
    search_time: SearchTime,
    /// Only this application, with all forms that matter
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
}

#[derive(Args)]
struct JudgeOptions {
    /// A checkout of jjiantong/Boyi
    #[arg(long, value_name = "DIR", requires = "data")]
    boyi: Option<PathBuf>,
    /// The table of its measurements
    #[arg(long, value_name = "CSV", requires = "boyi")]
    data: Option<PathBuf>,
    /// A checkout of KastnerRG/spector
    #[arg(long, value_name = "DIR")]
    spector: Option<PathBuf>,
    /// Of Spector, price one design in so many
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
    /// A checkout of cabreraam/iwocl2019_artifacts
    #[arg(long, value_name = "DIR")]
    needleman_wunsch: Option<PathBuf>,
}

#[derive(Args)]
struct SpectorOptions {
    /// A checkout of the repository with the designs and their measurements (KastnerRG/spector)
    #[arg(long, value_name = "DIR")]
    spector: PathBuf,
    /// Only this application: mm, sobel, ..
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Price one design in so many
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
    /// Print every design
    #[arg(long)]
    rows: bool,
    /// Fit the clock's slopes anew: to all, and to all but one application, whose clocks are then predicted
    #[arg(long)]
    fit: bool,
    /// Instead, print all that is predicted of the design of --only with these knobs
    #[arg(long, value_name = "KNOBS", requires = "only")]
    explain: Option<String>,
}

#[derive(Args)]
struct GainsOptions {
    /// Make the table anew, of the programs of a checkout that lie in DIR
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// The list of programs
    #[arg(long, value_name = "FILE", default_value = "benchmarks/rodinia.yaml")]
    programs: PathBuf,
    /// The table
    #[arg(
        long,
        value_name = "CSV",
        default_value = "benchmarks/rodinia_gains.csv"
    )]
    table: PathBuf,
    /// The chart
    #[arg(short, long, value_name = "SVG")]
    output: PathBuf,
    /// fpgacc [default: the one beside this program]
    #[arg(long, value_name = "FILE")]
    fpgacc: Option<PathBuf>,
}

fn main() -> ExitCode {
    // The emulators answer questions from a process of their own.
    fpgacc_aoc_wrappers::worker::run_if_asked();
    let options = Options::parse();
    let done = match &options.command {
        Some(Command::Model(options)) => judge_model(options),
        Some(Command::Choices {
            kernels,
            defines,
            board,
        }) => time_choices(kernels, board, defines),
        Some(Command::Check {
            folder,
            truth: Some(programs),
            keep,
            fpgacc,
            ..
        }) => check_truth(folder, programs, keep.as_deref(), fpgacc.as_deref()),
        Some(Command::Check {
            folder,
            sites,
            fpgacc,
            ..
        }) => check_sites(folder, sites.as_deref(), fpgacc.as_deref()),
        Some(Command::Syntax {
            programs,
            folder,
            fpgacc,
            repeat,
        }) => time_syntax(
            programs.as_deref(),
            folder.as_deref(),
            fpgacc.as_deref(),
            *repeat,
        ),
        Some(Command::Thesis {
            rodinia,
            rodinia_fpga,
            explain,
        }) => {
            let checkouts = thesis::Checkouts {
                rodinia,
                rodinia_fpga: rodinia_fpga.as_deref(),
            };
            judge_thesis(&checkouts, explain.as_deref())
        }
        Some(Command::Experts(options)) => compare_experts(options),
        Some(Command::Optimum {
            boyi,
            data,
            search_time,
            most,
            only,
        }) => judge_search(&model::optimum::Optimum {
            checkout: boyi,
            table: data,
            search_time: *search_time,
            most_seconds: *most,
            only: only.as_deref(),
        }),
        Some(Command::Chart { rows, output }) => draw(rows, output),
        Some(Command::Gains(options)) => draw_gains(options),
        Some(Command::Judge(options)) => judge_all(options),
        Some(Command::Spector(options)) => judge_designs(options),
        Some(Command::TuneReplay(options)) => replay(options),
        Some(Command::Blind(options)) => judge_unseen(options),
        Some(Command::Geometry(options)) => options.run(),
        Some(Command::Counters(options)) => options.run(),
        Some(Command::NeedlemanWunsch { checkout, only }) => {
            judge_versions(checkout, only.as_deref())
        }
        None => run(&options),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("fpgacc-bench: error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Makes the table where a folder is given, and draws it.
fn draw_gains(options: &GainsOptions) -> Result<bool, String> {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(folder) = &options.folder {
        let folder = fs::canonicalize(folder).map_err(|error| failed(folder, error))?;
        let programs = catalog::read_in(&options.programs, &folder);
        let programs = programs.map_err(|error| error.to_string())?;
        let fpgacc = given_or_beside(options.fpgacc.as_deref())?;
        let gains = gains::predict(&programs, &folder, &fpgacc)?;
        let text = gains::table(&gains)?;
        fs::write(&options.table, text).map_err(|error| failed(&options.table, error))?;
    }
    let text = fs::read_to_string(&options.table).map_err(|error| failed(&options.table, error))?;
    let chart = gains::svg(&gains::read(&text)?);
    fs::write(&options.output, chart).map_err(|error| failed(&options.output, error))?;
    Ok(true)
}

fn judge_model(options: &ModelOptions) -> Result<bool, String> {
    let report = model::run(&model::Request {
        checkout: &options.boyi,
        table: &options.data,
        launches: options.launches.as_deref(),
        rows: options.rows,
        explain: options.explain.as_deref(),
        fit: options.fit,
    });
    print!("{}", report.map_err(|error| error.to_string())?);
    Ok(true)
}

fn judge_search(request: &model::optimum::Optimum<'_>) -> Result<bool, String> {
    let (text, is_best) = model::optimum::run(request).map_err(|error| error.to_string())?;
    print!("{text}");
    Ok(is_best)
}

fn compare_experts(options: &ExpertsOptions) -> Result<bool, String> {
    if let Some((boyi, data)) = options.boyi.as_deref().zip(options.data.as_deref()) {
        let report = model::experts::run(&model::experts::Experts {
            checkout: boyi,
            table: data,
            level: options.level,
            search_time: options.search_time,
            only: options.only.as_deref(),
        });
        print!("{}", report.map_err(|error| error.to_string())?);
    }
    if let Some(checkout) = &options.rodinia_fpga {
        let report = model::rodinia_fpga::run(&model::rodinia_fpga::Request {
            checkout,
            search_time: options.search_time,
            only: options.only.as_deref(),
        });
        print!("{}", report.map_err(|error| error.to_string())?);
    }
    Ok(true)
}

fn draw(rows: &Path, output: &Path) -> Result<bool, String> {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let text = fs::read_to_string(rows).map_err(|error| failed(rows, error))?;
    let chart = chart::svg(&text).map_err(|error| format!("{}: {error}", rows.display()))?;
    fs::write(output, chart).map_err(|error| failed(output, error))?;
    Ok(true)
}

fn judge_all(options: &JudgeOptions) -> Result<bool, String> {
    let report = model::everything::run(&model::everything::Request {
        boyi: options.boyi.as_deref().zip(options.data.as_deref()),
        spector: options.spector.as_deref(),
        every: options.every,
        needleman_wunsch: options.needleman_wunsch.as_deref(),
    });
    print!("{}", report.map_err(|error| error.to_string())?);
    Ok(true)
}

fn time_choices(kernels: &Path, board: &str, defines: &[String]) -> Result<bool, String> {
    let (text, is_fast) =
        model::choices::run(kernels, board, defines).map_err(|error| error.to_string())?;
    print!("{text}");
    Ok(is_fast)
}

fn check_sites(folder: &Path, sites: Option<&Path>, fpgacc: Option<&Path>) -> Result<bool, String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = fs::canonicalize(folder).map_err(|error| error.to_string())?;
    let programs = catalog::read_in(&own.join("rodinia.yaml"), &folder);
    let programs = programs.map_err(|error| error.to_string())?;
    let usual = own.join("check_sites.yaml");
    let judged = check_sites::run(
        &programs,
        &folder,
        &given_or_beside(fpgacc)?,
        sites.unwrap_or(&usual),
    );
    let (text, is_right) = judged.map_err(|error| error.to_string())?;
    print!("{text}");
    Ok(is_right)
}

fn time_syntax(
    programs: Option<&Path>,
    folder: Option<&Path>,
    fpgacc: Option<&Path>,
    repeat: u32,
) -> Result<bool, String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs.yaml");
    let list = programs.unwrap_or(&own);
    let beside = list.parent().unwrap_or(Path::new("."));
    let folder = fs::canonicalize(folder.unwrap_or(beside)).map_err(|e| e.to_string())?;
    let programs = catalog::read_in(list, &folder).map_err(|error| error.to_string())?;
    let fpgacc = given_or_beside(fpgacc)?;
    let (text, is_fast) =
        syntax::run(&programs, &folder, &fpgacc, repeat).map_err(|error| error.to_string())?;
    print!("{text}");
    Ok(is_fast)
}

fn check_truth(
    folder: &Path,
    list: &Path,
    keep: Option<&Path>,
    fpgacc: Option<&Path>,
) -> Result<bool, String> {
    let folder = fs::canonicalize(folder).map_err(|error| error.to_string())?;
    let prepare = catalog::preparation(list).map_err(|error| error.to_string())?;
    if let Some(line) = prepare {
        suite::prepare(&line, &folder).map_err(|error| error.to_string())?;
    }
    let programs = catalog::read_in(list, &folder).map_err(|error| error.to_string())?;
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let work = match keep {
        Some(keep) => work_folder(keep)?,
        None => scratch.path().to_path_buf(),
    };
    let truth = check_truth::Truth {
        folder: &folder,
        fpgacc: &given_or_beside(fpgacc)?,
        work: &work,
    };
    print!(
        "{}",
        truth.run(&programs).map_err(|error| error.to_string())?
    );
    Ok(true)
}

/// The fpgacc that is named, or the one beside this program.
fn given_or_beside(fpgacc: Option<&Path>) -> Result<PathBuf, String> {
    match fpgacc {
        Some(path) => fs::canonicalize(path).map_err(|e| format!("{}: {e}", path.display())),
        None => Ok(std::env::current_exe()
            .map_err(|e| format!("where am I: {e}"))?
            .with_file_name("fpgacc")),
    }
}

fn judge_thesis(checkouts: &thesis::Checkouts<'_>, explain: Option<&str>) -> Result<bool, String> {
    let report = thesis::run(checkouts, explain);
    print!("{}", report.map_err(|error| error.to_string())?);
    Ok(true)
}

fn judge_designs(options: &SpectorOptions) -> Result<bool, String> {
    let report = spector::run(&spector::Request {
        checkout: &options.spector,
        only: options.only.as_deref(),
        every: options.every,
        rows: options.rows,
        fit: options.fit,
        explain: options.explain.as_deref(),
    });
    print!("{}", report.map_err(|error| error.to_string())?);
    Ok(true)
}

fn replay(options: &model::replay::Options) -> Result<bool, String> {
    let report = model::replay::run(options);
    print!("{}", report.map_err(|error| error.to_string())?);
    Ok(true)
}

fn judge_unseen(options: &BlindOptions) -> Result<bool, String> {
    let report = model::blind::run(&model::blind::Request {
        checkouts: &options.checkouts,
        table: options.data.as_deref(),
        only: options.only.as_deref(),
        explain: options.explain,
    });
    print!("{}", report.map_err(|error| error.to_string())?);
    Ok(true)
}

fn judge_versions(checkout: &Path, only: Option<&str>) -> Result<bool, String> {
    let report = model::needleman_wunsch::run(checkout, only);
    print!("{}", report.map_err(|error| error.to_string())?);
    Ok(true)
}

/// `Ok(false)` if a program failed.
fn run(options: &Options) -> Result<bool, String> {
    let catalog = match &options.programs {
        Some(path) => path.clone(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("programs.yaml"),
    };
    let catalog =
        std::path::absolute(&catalog).map_err(|e| format!("{}: {e}", catalog.display()))?;
    let folder = match &options.folder {
        Some(folder) => {
            fs::canonicalize(folder).map_err(|e| format!("{}: {e}", folder.display()))?
        }
        None => catalog.parent().unwrap_or(Path::new("/")).to_path_buf(),
    };
    let mut programs = catalog::read_in(&catalog, &folder).map_err(|error| error.to_string())?;
    programs.retain(|program| program.name.contains(&options.filter));
    if programs.is_empty() {
        return Err(format!("no program's name contains '{}'", options.filter));
    }

    // The temporary folder goes when this function returns.
    let temporary = tempfile::Builder::new().prefix("fpgacc-bench-").tempdir();
    let temporary = temporary.map_err(|e| format!("cannot make a temporary folder: {e}"))?;
    let work = work_folder(options.keep.as_deref().unwrap_or(temporary.path()))?;
    if options.certify {
        return Ok(certify_all(&programs, &folder, &work));
    }
    if options.facts {
        let fpgacc = fpgacc(options)?.ok_or("--facts wants fpgacc")?;
        let comparison = Comparison {
            fpgacc,
            programs: folder,
            work,
        };
        return Ok(compare_all(&comparison, &programs));
    }
    if options.verify {
        let verification = Verification {
            fpgacc: fpgacc(options)?.ok_or("--verify wants fpgacc")?,
            programs: folder,
            work,
            options: options.with.clone(),
        };
        return verify_all(&verification, &programs, &platforms(options)?);
    }
    if options.suite {
        let suite = Suite {
            fpgacc: fpgacc(options)?.ok_or("--suite wants fpgacc")?,
            programs: folder,
            work,
            options: options.with.clone(),
        };
        let prepare = catalog::preparation(&catalog).map_err(|error| error.to_string())?;
        if let Some(line) = prepare {
            suite::prepare(&line, &suite.programs).map_err(|error| error.to_string())?;
        }
        return run_suite(&suite, &programs, &platforms(options)?);
    }
    let bench = Bench {
        programs: folder,
        work,
        fpgacc: fpgacc(options)?,
        repeat: options.repeat,
    };
    let rows = try_all(&bench, &programs, &platforms(options)?);
    let style = match options.markdown {
        true => Style::Markdown,
        false => Style::Text,
    };
    print!("{}", table::render(&rows, style));
    let is_fault = |row: &Row| matches!(row.verdict, Verdict::Fault(_));
    Ok(!rows.iter().any(is_fault))
}

fn work_folder(folder: &Path) -> Result<PathBuf, String> {
    let made = fs::create_dir_all(folder).and_then(|()| fs::canonicalize(folder));
    made.map_err(|e| format!("cannot write to {}: {e}", folder.display()))
}

/// The fpgacc to use; `None` for originals only.
fn fpgacc(options: &Options) -> Result<Option<PathBuf>, String> {
    if options.originals_only {
        return Ok(None);
    }
    let path = match &options.fpgacc {
        Some(path) => path.clone(),
        None => {
            let own = std::env::current_exe().map_err(|e| format!("where am I: {e}"))?;
            own.with_file_name("fpgacc")
        }
    };
    let found = fs::canonicalize(&path).map_err(|e| {
        format!(
            "{}: {e}\n  help: build it with `cargo build`, or name it with --fpgacc, or use \
             --originals-only",
            path.display()
        )
    })?;
    Ok(Some(found))
}

fn platforms(options: &Options) -> Result<Vec<Platform>, String> {
    let mut platforms = platform::find();
    if platforms.is_empty() {
        return Err("no OpenCL platform: install the Debian package `pocl-opencl-icd`".to_string());
    }
    let names: Vec<String> = platforms.iter().map(|p| p.name.clone()).collect();
    if let Some(name) = &options.platform {
        platforms.retain(|platform| platform.name == *name);
    }
    if platforms.is_empty() {
        return Err(format!("no such platform; there are: {}", names.join(", ")));
    }
    Ok(platforms)
}

fn try_all(bench: &Bench, programs: &[Program], platforms: &[Platform]) -> Vec<Row> {
    let mut rows = Vec::new();
    for program in programs {
        for platform in platforms {
            for row in bench.trial(program, platform) {
                if let Verdict::Fault(fault) = &row.verdict {
                    eprintln!("{} on {}: {fault}", row.program, row.platform);
                }
                rows.push(row);
            }
        }
    }
    rows
}

fn certify_all(programs: &[Program], folder: &Path, work: &Path) -> bool {
    let mut all = true;
    for program in programs {
        match certify(program, folder, work) {
            Ok(()) => println!("{}: certified", program.name),
            Err(error) => {
                println!("{}: FAULT", program.name);
                eprintln!("{}: {error}", program.name);
                all = false;
            }
        }
    }
    all
}

/// Holds each program's analysis against its runs. Whether all went well.
fn compare_all(comparison: &Comparison, programs: &[Program]) -> bool {
    let mut all = true;
    let (mut compared_programs, mut launches) = (0, 0);
    for program in programs.iter().filter(|program| !program.runs.is_empty()) {
        match comparison.compare(program) {
            Ok(compared) => {
                compared_programs += 1;
                launches += compared.launches;
                let found = compared.contradictions.len();
                println!(
                    "{}: {} launches seen, {found} contradictions",
                    program.name, compared.launches
                );
                for reason in compared.odd_runs {
                    println!("  a run {reason}");
                }
                for line in &compared.contradictions {
                    println!("  {line}");
                }
                all &= found == 0 && compared.launches > 0;
            }
            Err(error) => {
                println!("{}: FAULT", program.name);
                eprintln!("{}: {error}", program.name);
                all = false;
            }
        }
    }
    println!("{compared_programs} programs compared, {launches} launches seen");
    all
}

/// Tries each program. Whether fpgacc's builds do what the originals do, wherever these run.
fn run_suite(suite: &Suite, programs: &[Program], platforms: &[Platform]) -> Result<bool, String> {
    let targets: Vec<&Platform> = platforms.iter().filter(|p| p.is_target).collect();
    let mut rows = Vec::new();
    for program in programs.iter().filter(|program| !program.runs.is_empty()) {
        let mut of_program: BTreeMap<Vec<String>, suite::Row> = BTreeMap::new();
        for platform in &targets {
            let outcomes = suite.outcomes(program, platform);
            for outcome in outcomes.map_err(|error| error.to_string())? {
                let name = format!("{} {}", program.title(), outcome.args.join(" "));
                let name = name.trim_end().to_string();
                eprintln!("{name} on {}: {:?}", platform.name, outcome.verdict);
                if let Some(warning) = &outcome.warning {
                    eprintln!("    warning: {warning}");
                }
                let row = of_program
                    .entry(outcome.args)
                    .or_insert_with(|| suite::Row {
                        program: name,
                        verdicts: BTreeMap::new(),
                    });
                row.verdicts.insert(platform.name.clone(), outcome.verdict);
            }
        }
        rows.extend(of_program.into_values());
    }
    let names: Vec<&str> = targets.iter().map(|p| p.name.as_str()).collect();
    println!("{}", suite::counts(&rows, &names));
    print!("{}", suite::table(&rows, &names));
    let is_wrong = |verdict: &suite::Verdict| {
        matches!(
            verdict,
            suite::Verdict::Refused(_) | suite::Verdict::Different(_)
        )
    };
    let verdicts = rows.iter().flat_map(|row| row.verdicts.values());
    Ok(!verdicts.into_iter().any(is_wrong))
}

/// Verifies each run of each program. Whether none read back something else, and some were compared.
fn verify_all(
    verification: &Verification,
    programs: &[Program],
    platforms: &[Platform],
) -> Result<bool, String> {
    let (mut same, mut different, mut undecided, mut not_compared) = (0, 0, 0, 0);
    for program in programs {
        let first = program.sources.first().map_or("", String::as_str);
        for platform in platforms.iter().filter(|platform| platform.is_target) {
            for args in &program.runs {
                let verdict = verification.verify(program, platform, args);
                let (count, line) = match verdict.map_err(|error| error.to_string())? {
                    verification::Verdict::Same(words) => (&mut same, words),
                    verification::Verdict::Different(words) => (&mut different, words),
                    verification::Verdict::Undecided(words) => (&mut undecided, words),
                    verification::Verdict::NotCompared(why) => {
                        (&mut not_compared, format!("not compared: {why}"))
                    }
                };
                *count += 1;
                let args = args.join(" ");
                println!(
                    "{} {first} {args} on {}: {line}",
                    program.name, platform.name
                );
            }
        }
    }
    println!(
        "{same} same, {different} different, {undecided} undecided, {not_compared} not compared"
    );
    Ok(different == 0 && same > 0)
}
