//! `fpgacc-faults`: whether campaigns find mistakes in the passes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use fpgacc_device_passes::options::{General, PassOptions};
use fpgacc_device_passes::passes::{
    DELINEARISE, FISSION, FORWARD, FUSE, NEIGHBOUR_TABLES, PAD, WAVEFRONT, WINDOW,
};
use fpgacc_kernel_analysis::faults::{ALL, Fault, inject};
use fpgacc_tests::campaign::{Found, Plan, Prepared, prepare, rewrite_safely, run_impatiently};
use fpgacc_tests::compare::{Bound, Difference, certify, difference, same};
use fpgacc_tests::exchanges::{self, Exchange};
use fpgacc_tests::generate::Focus;
use fpgacc_tests::job::Job;
use fpgacc_tests::neighbours::{self, Neighbours};
use fpgacc_tests::padded::{self, Padded};
use fpgacc_tests::planes::{self, Planes};
use fpgacc_tests::random::Random;
use fpgacc_tests::recurrences::{self, Recurrence};
use fpgacc_tests::rewrite::{Knowledge, Rewrites, rewrite_knowing};
use fpgacc_tests::rounds::{self, Rounds};
use fpgacc_tests::rows::{self, Rows};
use fpgacc_tests::run::Platform;
use fpgacc_tests::sequences::{self, Sequence};
use fpgacc_tests::stencils::{self, Stencil};
use fpgacc_tests::tiles::{self, Shared};
use fpgacc_tests::together::{self, Together};
use fpgacc_tests::waves::{self, Wave};
use fpgacc_tests::{aligned, scalars, sizes, tables, vector_loops, vectors};

/// Makes the passes commit one mistake after the other and runs generated kernels until one shows it.
///
/// Exit codes: 0 all are found, 1 not all, 3 a generated kernel is not legal.
#[derive(Parser)]
#[command(name = "fpgacc-faults", version)]
struct Options {
    /// Chooses the kernels
    #[arg(long, default_value_t = 2026)]
    seed: u64,
    /// Programs to try for each mistake, of each focus of campaigns
    #[arg(long, default_value_t = 12)]
    programs: u64,
    /// Kernels in a program
    #[arg(long, default_value_t = 25)]
    batch: usize,
    /// Only programs of campaigns with this focus, for all mistakes
    #[arg(long, value_enum)]
    focus: Option<Focus>,
    /// Only these mistakes
    #[arg(long)]
    only: Vec<String>,
}

/// A program and the kernels that are wrong in it without any mistake.
struct Sound {
    program: Prepared,
    wrong: BTreeSet<String>,
}

/// A campaign, and its first programs as far as they were needed.
struct Ground {
    plan: Plan,
    programs: Vec<Sound>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    // Panics are findings here; their messages are in the table.
    std::panic::set_hook(Box::new(|_| {}));
    let mut grounds: Vec<Ground> = match options.focus {
        Some(focus) => vec![ground(&options, focus)],
        None => [Focus::Barriers, Focus::Loops]
            .map(|focus| ground(&options, focus))
            .into(),
    };
    let mut lost = 0;
    let chosen =
        |fault: &&Fault| options.only.is_empty() || options.only.iter().any(|n| n == fault.name);
    println!("{:28} {:>7}  by", "mistake", "kernels");
    for fault in ALL.iter().filter(chosen) {
        match hunt(&mut grounds, &options, *fault) {
            Ok(Some((kernels, what))) => println!("{:28} {kernels:>7}  {what}", fault.name),
            Ok(None) => {
                lost += 1;
                println!("{:28} {:>7}  NOT FOUND: {}", fault.name, "-", fault.what);
            }
            Err(message) => {
                eprintln!("fpgacc-faults: {message}");
                return ExitCode::from(3);
            }
        }
    }
    match lost {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn ground(options: &Options, focus: Focus) -> Ground {
    Ground {
        plan: Plan {
            seed: options.seed,
            batch: options.batch,
            intel_every: 0,
            pocl_every: 0,
            nvidia_every: 0,
            undefined_every: 0,
            focus,
            coarsened: false,
        },
        programs: Vec::new(),
    }
}

/// The rewrites that a mistake is in, and kernels that these have something to do with.
type Own = (Rewrites, fn(&mut Random) -> Job);

/// Programs of a mistake's own kernels are smaller than those of campaigns: so many times as many are tried.
const OWN_PROGRAMS: u64 = 5;

/// After how many kernels a mistake is found, and what shows it.
fn hunt(
    grounds: &mut [Ground],
    options: &Options,
    fault: Fault,
) -> Result<Option<(usize, String)>, String> {
    let only = |pass: &str| Rewrites::Only(pass.to_string());
    let own: Option<Own> = match fault.name {
        name if name.starts_with("scalar-") => Some((only("specialise"), scalars::job)),
        "constant-guard-lost" => Some((only("constant-memory"), tables::job)),
        "exchange-missed" => Some((only("restrict"), exchanges)),
        name if name.starts_with("alignment-") => Some((only("alignment"), aligned::job)),
        "vector-sum-lost" => {
            let alone = only("vectorise-loops");
            Some((alone, |random| vector_loops::job(random, 4)))
        }
        name if name.starts_with("vector-") => Some((Rewrites::Vectorised(4, None), |random| {
            vectors::job(random, 4)
        })),
        name if name.starts_with("window-") => Some((only(WINDOW), stencil)),
        name if name.starts_with("stage-") => Some((Rewrites::InARow(1, 5), in_a_row)),
        name if name.starts_with("delinearise-") => Some((only(DELINEARISE), rows)),
        name if name.starts_with("fuse-") => Some((only(FUSE), sequences)),
        name if name.starts_with("wavefront-") => Some((only(WAVEFRONT), waves)),
        name if name.starts_with("fission-") => Some((only(FISSION), sequences)),
        name if name.starts_with("neighbours-") => Some((only(NEIGHBOUR_TABLES), neighbours)),
        name if name.starts_with("forward-") => Some((only(FORWARD), recurrences)),
        "known-trip-lost" => Some((only("known-sizes"), sizes::walks)),
        "lockstep-apart" => Some((Rewrites::NdRange, together)),
        name if name.starts_with("tile-") => Some((Rewrites::NdRange, shared)),
        name if name.contains("round-") => Some((
            Rewrites::GroupLoop("2".to_string()),
            rounds as fn(&mut Random) -> Job,
        )),
        name if name.starts_with("pad-") => Some((only(PAD), padded)),
        name if name.starts_with("interchange-") => Some((Rewrites::Interchanged, walk)),
        _ => None,
    };
    if let Some((rewrites, job)) = own.filter(|_| options.focus.is_none()) {
        return hunt_launches(options, fault, &rewrites, job);
    }
    let mut tried = 0;
    for ground in grounds {
        for index in 0..options.programs {
            tried += options.batch;
            if let Some(what) = ground.finds(fault, index)? {
                return Ok(Some((tried, what)));
            }
        }
    }
    Ok(hunt_cases(fault)?.map(|case| (tried, format!("not these, but the case {case}"))))
}

impl Ground {
    /// What shows a mistake in a program, if it does. Programs are asked for in order.
    fn finds(&mut self, fault: Fault, index: u64) -> Result<Option<String>, String> {
        if self.programs.len() as u64 <= index {
            let program = prepare(&self.plan, index).map_err(|error| error.to_string())?;
            let wrong = names(&program.check(&self.plan));
            self.programs.push(Sound { program, wrong });
        }
        let Sound { program, wrong } = &self.programs[index as usize];
        inject(Some(fault));
        let found = program.check(&self.plan);
        inject(None);
        let mut failures = found.failures.iter();
        let new = failures.find(|case| !wrong.contains(&case.job.launches[0].kernel));
        Ok(new.map(|case| {
            let line = case.what.lines().next().unwrap_or_default();
            line.chars().take(60).collect()
        }))
    }
}

/// The same among the kernels of `cases/loops`, which the tests run each time: for mistakes that one of
/// tens of thousands of generated kernels shows.
fn hunt_cases(fault: Fault) -> Result<Option<String>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/loops");
    let entries = fs::read_dir(&folder).map_err(|error| error.to_string())?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
        let job: Job = serde_yaml::from_str(&text).map_err(|error| error.to_string())?;
        inject(Some(fault));
        let right = is_right(&job);
        inject(None);
        if !right && is_right(&job) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            return Ok(Some(name.into_owned()));
        }
    }
    Ok(None)
}

/// Whether a job does the same when it is rewritten, in a short time: mistakes make loops that never end.
fn is_right(job: &Job) -> bool {
    let Ok(made) = rewrite_safely(job, |_| Knowledge::All, &Rewrites::All) else {
        return false;
    };
    let [before, after] = [job, &made.job].map(|job| run_impatiently(job, Platform::Oclgrind));
    let (Ok(before), Ok(after)) = (before, after) else {
        return false;
    };
    difference(&before.buffers, &after.buffers, &Bound::Exact).is_none()
}

/// The same for a pass that relies on what launches pass: the first of two launches is reported, and the second
/// is another one, for which there is a general version.
fn hunt_launches(
    options: &Options,
    fault: Fault,
    rewrites: &Rewrites,
    job: fn(&mut Random) -> Job,
) -> Result<Option<(usize, String)>, String> {
    // Of rows of launches all are known.
    let knows_all = matches!(rewrites, Rewrites::InARow(..));
    let knowledge = |launch| match launch {
        0 => Knowledge::All,
        _ if knows_all => Knowledge::All,
        _ => Knowledge::Nothing,
    };
    let passes = PassOptions {
        general: General::Always,
        ..PassOptions::default()
    };
    // Of the compilers, Oclgrind's makes nothing of `restrict`.
    let platforms = match fault.name {
        "exchange-missed" => &Platform::EMULATORS[..],
        _ => &[Platform::Oclgrind],
    };
    for number in 0..OWN_PROGRAMS * options.programs {
        let job = job(&mut Random::new(options.seed + number));
        certify(&job).map_err(|difference| difference.to_string())?;
        inject(Some(fault));
        let rewritten = rewrite_knowing(&job, knowledge, rewrites, &passes);
        inject(None);
        let found = match rewritten {
            Ok(rewritten) => differs(&job, &rewritten.job, platforms)?,
            Err(error) => Some(error.to_string()),
        };
        if let Some(what) = found {
            let line = what.lines().next().unwrap_or_default();
            let line = line.chars().take(60).collect();
            return Ok(Some((number as usize + 1, line)));
        }
    }
    Ok(None)
}

/// What shows that a rewritten job is wrong, if anything does.
///
/// # Errors
/// The original does not run, as where an implementation is missing: that shows nothing.
fn differs(job: &Job, rewritten: &Job, platforms: &[Platform]) -> Result<Option<String>, String> {
    let found = match same(job, rewritten, platforms, &Bound::Exact) {
        Err(missing @ Difference::Original(_)) => return Err(missing.to_string()),
        compared => compared.and_then(|()| certify(rewritten)),
    };
    Ok(found.err().map(|difference| difference.to_string()))
}

/// Stencils that are launched again and again.
fn in_a_row(random: &mut Random) -> Job {
    let stencils: Vec<Stencil> = (0..8).map(|_| Stencil::random(random, true)).collect();
    stencils::job_in_a_row(&stencils, random)
}

/// Loops over neighbours.
fn stencil(random: &mut Random) -> Job {
    let stencils: Vec<Stencil> = (0..8).map(|_| Stencil::random(random, false)).collect();
    stencils::job(&stencils)
}

/// Work-items that exchange values in global memory.
fn exchanges(random: &mut Random) -> Job {
    let all: Vec<Exchange> = (0..8).map(|_| Exchange::random(random)).collect();
    exchanges::job(&all)
}

/// Loops that read what the iteration before stored.
fn recurrences(random: &mut Random) -> Job {
    let all: Vec<Recurrence> = (0..8).map(|_| Recurrence::random(random)).collect();
    recurrences::job(&all)
}

/// Loops that divide their counter by the length of rows.
fn rows(random: &mut Random) -> Job {
    let all: Vec<Rows> = (0..8).map(|_| Rows::random(random)).collect();
    rows::job(&all)
}

/// Tables that are filled by rows, or in diagonals.
fn waves(random: &mut Random) -> Job {
    let all: Vec<Wave> = (0..40).map(|_| Wave::random(random)).collect();
    waves::job(&all)
}

/// Loops that follow each other, or of several parts.
fn sequences(random: &mut Random) -> Job {
    let all: Vec<Sequence> = (0..8).map(|_| Sequence::random(random)).collect();
    sequences::job(&all)
}

/// Nests that look up neighbours in tables.
fn neighbours(random: &mut Random) -> Job {
    let all: Vec<Neighbours> = (0..8).map(|_| Neighbours::random(random)).collect();
    neighbours::job(&all)
}

/// Groups that work together.
fn rounds(random: &mut Random) -> Job {
    let all: Vec<Rounds> = (0..8).map(|_| Rounds::random(random)).collect();
    rounds::job(&all)
}

fn together(random: &mut Random) -> Job {
    let all: Vec<Together> = (0..8).map(|_| Together::random(random)).collect();
    together::job(&all)
}

/// Walks through planes.
fn walk(random: &mut Random) -> Job {
    let all: Vec<Planes> = (0..8).map(|_| Planes::random(random)).collect();
    planes::job(&all)
}

/// Arrays with rows.
fn padded(random: &mut Random) -> Job {
    let all: Vec<Padded> = (0..8).map(|_| Padded::random(random)).collect();
    padded::job(&all)
}

/// Work-items that share what they read.
fn shared(random: &mut Random) -> Job {
    let all: Vec<Shared> = (0..8).map(|_| Shared::random(random)).collect();
    tiles::job(&all)
}

fn names(found: &Found) -> BTreeSet<String> {
    let cases = found.failures.iter();
    cases
        .map(|case| case.job.launches[0].kernel.clone())
        .collect()
}
