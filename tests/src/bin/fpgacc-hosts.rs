//! `fpgacc-hosts`: many random programs, built by the system's compiler and by fpgacc.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use fpgacc_tests::hosts::{Bench, Counts, Found, Plan, Verdict, check, keep};
use fpgacc_tests::resumable::{Extent, State, Stop, exit_code};

/// Generates random OpenCL programs, host and kernels, builds each by the system's compiler and by fpgacc,
/// runs both on the Intel FPGA emulator or on PoCL, and compares what they print.
///
/// Goes on where it stopped. What is wrong is kept in `found/` of the state folder, what fpgacc
/// refuses in `refused/` (the first three of each cause), originals that do not run in `originals/`;
/// `reproduce.sh` in each folder shows it again.
///
/// Exit codes: 0 no failure, 1 failures, 2 wrong usage, 3 a generated host is not legal.
#[derive(Parser)]
#[command(name = "fpgacc-hosts", version)]
struct Options {
    /// How many hosts in all, with those of earlier runs
    #[arg(long, default_value_t = 1000)]
    hosts: u64,
    /// Chooses the hosts
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where counts and findings are kept
    #[arg(long, default_value = "target/hosts")]
    state: PathBuf,
    /// Run every N-th host on the Intel emulator (0: none)
    #[arg(long, default_value_t = 1)]
    intel_every: u64,
    /// Run every N-th host on PoCL, and those that would run nowhere
    #[arg(long, default_value_t = 1)]
    pocl_every: u64,
    /// Run every N-th original on the Intel emulator in any case; the others only if fpgacc's program
    /// there does not do what the original does on PoCL (0: none)
    #[arg(long, default_value_t = 50)]
    originals_every: u64,
    /// Hosts at a time (as many as there are processors)
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Stop after so many failures
    #[arg(long, default_value_t = 20)]
    stop_after: u64,
    /// Only this host
    #[arg(long)]
    only: Option<u64>,
    /// Write the host of `--only` into this folder, and do not run it
    #[arg(long, value_name = "FOLDER", requires = "only")]
    print: Option<PathBuf>,
}

fn main() -> ExitCode {
    exit_code("fpgacc-hosts", run(&Options::parse()))
}

fn run(options: &Options) -> Result<Counts, Stop> {
    let plan = Plan {
        seed: options.seed,
        intel_every: options.intel_every,
        pocl_every: options.pocl_every,
        originals_every: options.originals_every,
    };
    if let (Some(index), Some(folder)) = (options.only, &options.print) {
        let program = plan.recipe(index).program();
        program.write(folder).map_err(|e| io(folder, &e))?;
        return Ok(Counts::default());
    }
    std::fs::create_dir_all(&options.state).map_err(|e| io(&options.state, &e))?;
    let bench = Bench::new();
    if let Some(index) = options.only {
        let found = check(&bench, &plan, index).map_err(|e| not_legal(index, &e))?;
        keep_all(options, index, &found, &Counts::default())?;
        println!("{}", found.counts);
        return Ok(found.counts);
    }
    campaign(options, &plan, &bench)
}

fn campaign(options: &Options, plan: &Plan, bench: &Bench) -> Result<Counts, Stop> {
    let extent = Extent {
        folder: &options.state,
        items: options.hosts,
        failures: options.stop_after,
        threads: options.threads,
    };
    let check = |index| check(bench, plan, index);
    let take = |index, checked: Result<Found, String>, counts: &mut Counts| {
        let found = checked.map_err(|e| not_legal(index, &e))?;
        keep_all(options, index, &found, counts)?;
        counts.add(&found.counts);
        Ok(())
    };
    let state = State::run(plan, &extent, check, take)?;
    println!(
        "{:>9.1} seconds a host",
        state.seconds / state.counts.hosts.max(1) as f64
    );
    Ok(state.counts)
}

fn io(path: &Path, error: &dyn std::fmt::Display) -> Stop {
    (2, format!("{}: {error}", path.display()))
}

fn not_legal(index: u64, error: &str) -> Stop {
    (3, format!("host {index}: {error}"))
}

/// Writes what was found; of what is refused for one cause the first three.
fn keep_all(options: &Options, index: u64, found: &Found, before: &Counts) -> Result<(), Stop> {
    for failure in &found.kept {
        let (kind, what) = match &failure.trial.verdict {
            Verdict::Refused(cause) if before.refused.get(cause).is_some_and(|n| *n >= 3) => {
                continue;
            }
            Verdict::Refused(cause) => ("refused", cause),
            Verdict::Original(what) => ("originals", what),
            Verdict::Different(what) => ("found", what),
            Verdict::Same => continue,
        };
        let folder = options.state.join(kind);
        let folder = folder.join(format!("h{index}-{:?}", failure.platform).to_lowercase());
        keep(&failure.program, &failure.trial, &folder).map_err(|e| io(&folder, &e))?;
        let what = what.lines().next().unwrap_or("");
        eprintln!("\n{kind}: {}: {what}", folder.display());
    }
    Ok(())
}
