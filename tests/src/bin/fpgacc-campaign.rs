//! `fpgacc-campaign`: many generated kernels, rewritten and compared.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use fpgacc_tests::campaign::{
    Case, Counts, Found, NotLegal, Plan, check, outputs, reduced, reduced_disagreement, run_cleanly,
};
use fpgacc_tests::cause::{Cause, other_optimisation};
use fpgacc_tests::generate::Focus;
use fpgacc_tests::job::Job;
use fpgacc_tests::resumable::{Extent, State, Stop, exit_code};
use fpgacc_tests::run::Platform;
use sha2::{Digest, Sha256};

/// Generates random kernels, rewrites them, and compares what they do with what the originals do:
/// all under Oclgrind, some programs also on the Intel FPGA emulator and on PoCL.
///
/// Goes on where it stopped. Failing kernels are made small and written to `found/` of the state
/// folder; kernels on which implementations disagree to `disagreements/`.
///
/// Exit codes: 0 no failure, 1 failures, 2 wrong usage, 3 a generated kernel is not legal.
#[derive(Parser)]
#[command(name = "fpgacc-campaign", version)]
struct Options {
    /// How many kernels in all, with those of earlier runs
    #[arg(long, default_value_t = 1000)]
    kernels: u64,
    /// Chooses the kernels
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where counts and findings are kept
    #[arg(long, default_value = "target/campaign")]
    state: PathBuf,
    /// Kernels in a program
    #[arg(long, default_value_t = 50)]
    batch: usize,
    /// Run every N-th program on the Intel emulator, too (0: none)
    #[arg(long, default_value_t = 10)]
    intel_every: u64,
    /// Run every N-th program on PoCL, too (0: none)
    #[arg(long, default_value_t = 20)]
    pocl_every: u64,
    /// Run every N-th program on an NVIDIA GPU, too (0: none)
    #[arg(long, default_value_t = 0)]
    nvidia_every: u64,
    /// Look for what C leaves undefined in every N-th program (0: none; wants clang-14)
    #[arg(long, default_value_t = 0)]
    undefined_every: u64,
    /// What kernels have much of: barriers, each program rewritten in one way; or loops, too, each
    /// program rewritten to single work-items and to wide NDRanges; or memory that is read again, each
    /// program rewritten in seven ways; or tables on the chip, each program rewritten in two ways
    #[arg(long, value_enum, default_value_t = Focus::Barriers)]
    focus: Focus,
    /// Only coarsen NDRanges, each program in two ways
    #[arg(long)]
    coarsened: bool,
    /// Programs at a time (as many as there are processors)
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Candidates tried to make a failing kernel small (0: leave it)
    #[arg(long, default_value_t = 400)]
    reduce: usize,
    /// Stop after so many failures
    #[arg(long, default_value_t = 20)]
    stop_after: u64,
    /// Only this program
    #[arg(long)]
    only: Option<u64>,
    /// Run a case (a file that a campaign wrote) instead: what its job and the rewritten one do
    #[arg(long, value_name = "FILE")]
    case: Option<PathBuf>,
    /// Make the `--case`, on which implementations disagree or which fails, small, and write it to
    /// this file
    #[arg(long, value_name = "FILE", requires = "case")]
    explain: Option<PathBuf>,
    /// Print the program of `--only`
    #[arg(long, requires = "only")]
    print: bool,
    /// Run nothing: print a digest of what each program becomes, or with `--only` the texts. After a
    /// change that must change no output, compare with what the command printed before
    #[arg(long)]
    outputs: bool,
}

fn main() -> ExitCode {
    exit_code("fpgacc-campaign", run(&Options::parse()))
}

fn run(options: &Options) -> Result<Counts, Stop> {
    if let Some(path) = &options.case {
        return match &options.explain {
            Some(to) => explain(path, to, options.reduce),
            None => case(path),
        };
    }
    let plan = Plan {
        seed: options.seed,
        batch: options.batch.max(1),
        intel_every: options.intel_every,
        pocl_every: options.pocl_every,
        nvidia_every: options.nvidia_every,
        undefined_every: options.undefined_every,
        focus: options.focus,
        coarsened: options.coarsened,
    };
    if options.outputs {
        print_outputs(options, &plan);
        return Ok(Counts::default());
    }
    let io = |error: &dyn std::fmt::Display| (2, format!("{}: {error}", options.state.display()));
    for folder in ["found", "disagreements"] {
        std::fs::create_dir_all(options.state.join(folder)).map_err(|e| io(&e))?;
    }
    if let Some(index) = options.only {
        return one(options, &plan, index);
    }
    let extent = Extent {
        folder: &options.state,
        items: options.kernels,
        failures: options.stop_after,
        threads: options.threads,
    };
    let take = |index, checked: Result<Found, Box<NotLegal>>, counts: &mut Counts| {
        let found = checked.map_err(|error| not_legal(options, &error))?;
        counts.add(&found.counts);
        keep(options, index, &found).map_err(|e| io(&e))
    };
    let state = State::run(&plan, &extent, |index| check(&plan, index), take)?;
    println!(
        "{:>9.1} kernels a second",
        state.counts.kernels as f64 / state.seconds.max(0.001)
    );
    Ok(state.counts)
}

/// What programs become: digests, or the texts of one program.
fn print_outputs(options: &Options, plan: &Plan) {
    let programs = options.kernels.div_ceil(plan.batch as u64);
    let indices = options.only.map_or(0..programs, |one| one..one + 1);
    for index in indices {
        for (form, text) in outputs(plan, index) {
            match options.only {
                Some(_) => println!("{form}\n{text}"),
                None => println!("{index} {form} {:x}", Sha256::digest(text)),
            }
        }
    }
}

/// Makes small what implementations disagree on.
fn explain(path: &Path, to: &Path, tries: usize) -> Result<Counts, Stop> {
    let case = Case::read(path).map_err(|error| (2, error))?;
    let small = reduced_disagreement(&case, tries).unwrap_or_else(|| reduced(&case, tries));
    println!("{}\n{}", small.job.source, small.what);
    small.write(to).map_err(|error| (2, error))?;
    Ok(Counts::default())
}

/// Shows what a case does.
fn case(path: &Path) -> Result<Counts, Stop> {
    let case = Case::read(path).map_err(|error| (2, error))?;
    let rewritten = case.rewritten().map_err(|error| (1, error.to_string()))?;
    println!("{}", rewritten.job.source);
    for remark in &rewritten.remarks {
        println!("{}: {}", remark.pass, remark.note.text);
    }
    let known = [Platform::Oclgrind, Platform::Intel, Platform::Pocl];
    let own = Some(case.platform).filter(|platform| !known.contains(platform));
    for platform in known.into_iter().chain(own) {
        let show = |name: &str, job: &Job| match run_cleanly(job, platform) {
            Err(error) => println!("{name} on {platform:?}: {error}"),
            Ok(output) => {
                for (index, bytes) in output.buffers.iter().enumerate() {
                    if *bytes != job.buffers[index].contents() {
                        println!("{name} on {platform:?}, buffer {index}: {:?}", words(bytes));
                    }
                }
            }
        };
        show("original", &case.job);
        show("rewritten", &rewritten.job);
        if case.platform == platform && platform != Platform::Oclgrind {
            let other = other_optimisation(&rewritten.job);
            show("rewritten, with the other optimisation", &other);
        }
    }
    match case.fault(&Platform::EMULATORS) {
        Ok(None) => Ok(Counts::default()),
        Ok(Some(what)) => Err((1, what)),
        Err(what) => Err((3, what)),
    }
}

/// The first of a buffer's values.
fn words(bytes: &[u8]) -> Vec<i32> {
    let words = bytes.chunks_exact(4).take(40);
    words
        .map(|word| i32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

fn one(options: &Options, plan: &Plan, index: u64) -> Result<Counts, Stop> {
    let found = check(plan, index).map_err(|error| not_legal(options, &error))?;
    if options.print {
        println!("{}", fpgacc_tests::campaign::program(plan, index).source);
    }
    keep(options, index, &found).map_err(|error| (2, error))?;
    println!("{}", found.counts);
    Ok(found.counts)
}

fn not_legal(options: &Options, error: &NotLegal) -> Stop {
    let path = options.state.join("not-legal.cl");
    let saved = std::fs::write(&path, &error.text);
    let place = match saved {
        Ok(()) => format!("\nits text: {}", path.display()),
        Err(_) => String::new(),
    };
    (3, format!("{error}{place}"))
}

/// Writes what was found; failures are made small first, one of each kind a program.
fn keep(options: &Options, index: u64, found: &Found) -> Result<(), String> {
    for (number, case) in found.failures.iter().enumerate() {
        let kernel = &case.job.launches[0].kernel;
        let path = options
            .state
            .join("found")
            .join(format!("p{index}-{kernel}.yaml"));
        case.write(&path)?;
        eprintln!(
            "\nfailure: {}: {}",
            path.display(),
            case.what.lines().next().unwrap_or("")
        );
        if options.reduce > 0 && number == 0 {
            let small = reduced(case, options.reduce);
            small.write(&path.with_extension("small.yaml"))?;
        }
    }
    let (unexplained, others): (Vec<_>, Vec<_>) = found
        .disagreements
        .iter()
        .partition(|(cause, _)| *cause == Cause::Unexplained);
    for (_, case) in unexplained.into_iter().chain(others.into_iter().take(2)) {
        let kernel = &case.job.launches[0].kernel;
        let name = format!("p{index}-{kernel}-{:?}.yaml", case.platform);
        case.write(&options.state.join("disagreements").join(name))?;
    }
    Ok(())
}
