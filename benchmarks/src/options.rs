//! The command line of `fpgacc-bench`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use fpgacc_benchmarks::{counters, geometry, model, variants};
use fpgacc_decision::SearchTime;

/// Builds every benchmark program with and without fpgacc, runs both on every OpenCL platform of
/// this machine, compares all that they read back, and prints one table.
///
/// Exit status: 0 if all is well, 1 if a program failed or read back something else, 2 if the
/// benchmark could not be run.
#[derive(Parser)]
#[command(name = "fpgacc-bench", version, args_conflicts_with_subcommands = true)]
pub struct Options {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// fpgacc [default: the one beside this program]
    #[arg(long, value_name = "FILE")]
    pub fpgacc: Option<PathBuf>,
    /// Build and run the originals only
    #[arg(long)]
    pub originals_only: bool,
    /// Run the originals under Oclgrind on small inputs: no data race, no access out of bounds
    #[arg(long, conflicts_with_all = ["fpgacc", "originals_only", "platform", "markdown"])]
    pub certify: bool,
    /// Hold what fpgacc's analysis says of the launches against what runs of the originals show
    #[arg(long, conflicts_with_all = ["originals_only", "certify", "markdown"])]
    pub facts: bool,
    /// Run the programs under `fpgacc --verify`: with their original and with their rewritten kernels
    #[arg(long, conflicts_with_all = ["originals_only", "certify", "facts", "markdown"])]
    pub verify: bool,
    /// Build the programs with the system's compiler and with fpgacc's default options, run both, and
    /// compare what they print
    #[arg(long, conflicts_with_all = ["originals_only", "certify", "facts", "verify"])]
    pub suite: bool,
    /// With --verify or --suite: an option for fpgacc, such as -fexecution-model=swi
    #[arg(
        long,
        value_name = "OPTION",
        conflicts_with_all = ["originals_only", "certify", "facts"],
        allow_hyphen_values = true
    )]
    pub with: Vec<String>,
    /// Only programs whose name contains TEXT
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    pub filter: String,
    /// Only this platform: intel, pocl, ..
    #[arg(long, value_name = "NAME")]
    pub platform: Option<String>,
    /// Run each program so often; the shortest time counts
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Keep executables and read-backs in DIR
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Print the table as Markdown
    #[arg(long)]
    pub markdown: bool,
    /// The list of programs [default: programs.yaml of the source tree]
    #[arg(long, value_name = "FILE")]
    pub programs: Option<PathBuf>,
    /// Where the programs' folders lie [default: beside the list]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

#[derive(Subcommand)]
pub enum Command {
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
        #[arg(
            long,
            value_name = "DIR",
            requires = "data",
            required_unless_present = "spector"
        )]
        boyi: Option<PathBuf>,
        /// The table of its measurements
        #[arg(long, value_name = "CSV", requires = "boyi")]
        data: Option<PathBuf>,
        /// A checkout of KastnerRG/spector: the design of each space whose knobs are least
        #[arg(long, value_name = "DIR")]
        spector: Option<PathBuf>,
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
    /// Draw predicted against measured times, of the rows that `fpgacc-bench model --rows` and `spector --rows`
    /// print (SVG)
    Chart {
        /// Files with the rows
        #[arg(required = true)]
        rows: Vec<PathBuf>,
        /// The chart
        #[arg(short, long, value_name = "SVG")]
        output: PathBuf,
    },
    /// Draw what fpgacc expects to gain of each program of a list (SVG)
    Gains(GainsOptions),
    /// Fit the performance model to all measurements whose checkouts are given, and to all but each application, which is
    /// then predicted
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
    /// Make variants of kernels for GPUs and processors with the plan that benchmarks/mended/pairs.c times, or tell what
    /// they gain
    Variants(variants::Options),
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
pub struct BlindOptions {
    /// A folder with checkouts of the repositories that the table names
    #[arg(long, value_name = "DIR")]
    pub checkouts: PathBuf,
    /// The table of measurements [default: benchmarks/model/blind.yaml of this build]
    #[arg(long, value_name = "YAML")]
    pub data: Option<PathBuf>,
    /// Only this set, board or program
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// Print what is assumed of each point, and what it waits for
    #[arg(long)]
    pub explain: bool,
}

#[derive(Args)]
pub struct ModelOptions {
    /// A checkout of the repository with the measured kernels (jjiantong/Boyi)
    #[arg(long, value_name = "DIR")]
    pub boyi: PathBuf,
    /// The table of measurements
    #[arg(long, value_name = "CSV")]
    pub data: PathBuf,
    /// The designs whose kernels channels connect, in the place of all others
    #[arg(long)]
    pub channels: bool,
    /// Print every point
    #[arg(long)]
    pub rows: bool,
    /// The launches of the applications [default: benchmarks/model/launches.yaml of this build]
    #[arg(long, value_name = "YAML")]
    pub launches: Option<PathBuf>,
    /// Fit the model's constants to the measurements anew: to all, and to all but one application, which
    /// is then predicted
    #[arg(long)]
    pub fit: bool,
    /// Print the whole prediction of the point with this name, such as 'KM SWI basic'
    #[arg(long, value_name = "POINT")]
    pub explain: Option<String>,
}

#[derive(Args)]
pub struct ExpertsOptions {
    /// A checkout of jjiantong/Boyi
    #[arg(long, value_name = "DIR", requires = "data")]
    #[arg(required_unless_present = "rodinia_fpga")]
    pub boyi: Option<PathBuf>,
    /// The table of its measurements
    #[arg(long, value_name = "CSV", requires = "boyi")]
    pub data: Option<PathBuf>,
    /// A checkout of fpga-opencl-benchmarks/rodinia_fpga
    #[arg(long, value_name = "DIR")]
    pub rodinia_fpga: Option<PathBuf>,
    /// `--kernel-opt`, of Boyi's applications
    #[arg(long, value_name = "LEVEL", default_value_t = 3)]
    pub level: u8,
    /// `--search-time`
    #[arg(long, value_name = "TIME", default_value = "1s")]
    pub search_time: SearchTime,
    /// Only this application, with all forms that matter
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
}

#[derive(Args)]
pub struct JudgeOptions {
    /// A checkout of jjiantong/Boyi
    #[arg(long, value_name = "DIR", requires = "data")]
    pub boyi: Option<PathBuf>,
    /// The table of its measurements
    #[arg(long, value_name = "CSV", requires = "boyi")]
    pub data: Option<PathBuf>,
    /// A checkout of KastnerRG/spector
    #[arg(long, value_name = "DIR")]
    pub spector: Option<PathBuf>,
    /// A checkout of cabreraam/iwocl2019_artifacts
    #[arg(long, value_name = "DIR")]
    pub needleman_wunsch: Option<PathBuf>,
    /// A folder with checkouts of the repositories that benchmarks/model/blind.yaml names
    #[arg(long, value_name = "DIR")]
    pub blind: Option<PathBuf>,
    /// Of each application of a set, so many times at most have a part
    #[arg(long, value_name = "N", default_value_t = 24)]
    pub most: usize,
    /// Fit and judge only the slopes of clocks, which takes one prediction each
    #[arg(long)]
    pub clocks: bool,
}

#[derive(Args)]
pub struct SpectorOptions {
    /// A checkout of the repository with the designs and their measurements (KastnerRG/spector)
    #[arg(long, value_name = "DIR")]
    pub spector: PathBuf,
    /// Only this application: mm, sobel, ..
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// Price one design in so many
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub every: usize,
    /// Print every design
    #[arg(long)]
    pub rows: bool,
    /// Fit the clock's slopes anew: to all, and to all but one application, whose clocks are then predicted
    #[arg(long)]
    pub fit: bool,
    /// Instead, print all that is predicted of the design of --only with these knobs
    #[arg(long, value_name = "KNOBS", requires = "only")]
    pub explain: Option<String>,
}

#[derive(Args)]
pub struct GainsOptions {
    /// Make the table anew, of the programs of a checkout that lie in DIR
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// The list of programs
    #[arg(long, value_name = "FILE", default_value = "benchmarks/rodinia.yaml")]
    pub programs: PathBuf,
    /// The table
    #[arg(
        long,
        value_name = "CSV",
        default_value = "benchmarks/rodinia_gains.csv"
    )]
    pub table: PathBuf,
    /// The chart
    #[arg(short, long, value_name = "SVG")]
    pub output: PathBuf,
    /// fpgacc [default: the one beside this program]
    #[arg(long, value_name = "FILE")]
    pub fpgacc: Option<PathBuf>,
}
