//! The `fpgacc-bench` command.

mod options;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use fpgacc_benchmarks::accounts::Comparison;
use fpgacc_benchmarks::catalog::{self, Program};
use fpgacc_benchmarks::certify::certify;
use fpgacc_benchmarks::chart;
use fpgacc_benchmarks::check_sites;
use fpgacc_benchmarks::check_truth;
use fpgacc_benchmarks::gains;
use fpgacc_benchmarks::model::{self, spector, thesis};
use fpgacc_benchmarks::platform::{self, Platform};
use fpgacc_benchmarks::suite::{self, Suite};
use fpgacc_benchmarks::syntax;
use fpgacc_benchmarks::table::{self, Style};
use fpgacc_benchmarks::trial::{Bench, Row, Verdict};
use fpgacc_benchmarks::verification::{self, Verification};
use options::{
    BlindOptions, Command, ExpertsOptions, GainsOptions, JudgeOptions, ModelOptions, Options,
    SpectorOptions,
};

/// As fpgacc itself: the decision is timed as it runs there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
            spector,
            search_time,
            most,
            only,
        }) => judge_search(&model::optimum::Optimum {
            boyi: boyi.as_deref().zip(data.as_deref()),
            spector: spector.as_deref(),
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
        Some(Command::Variants(options)) => options.run(),
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
        channels: options.channels,
        rows: options.rows,
        explain: options.explain.as_deref(),
        fit: options.fit,
    });
    print!("{}", report.map_err(|error| error.to_string())?);
    Ok(true)
}

fn judge_search(request: &model::optimum::Optimum<'_>) -> Result<bool, String> {
    model::optimum::run(request).map_err(|error| error.to_string())
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

fn draw(rows: &[PathBuf], output: &Path) -> Result<bool, String> {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let mut text = String::new();
    for file in rows {
        text += &fs::read_to_string(file).map_err(|error| failed(file, error))?;
    }
    let chart = chart::svg(&text)?;
    fs::write(output, chart).map_err(|error| failed(output, error))?;
    Ok(true)
}

fn judge_all(options: &JudgeOptions) -> Result<bool, String> {
    let report = model::everything::run(&model::everything::Request {
        boyi: options.boyi.as_deref().zip(options.data.as_deref()),
        spector: options.spector.as_deref(),
        needleman_wunsch: options.needleman_wunsch.as_deref(),
        blind: options.blind.as_deref(),
        most: options.most,
        clocks: options.clocks,
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
    prepare(list, &folder)?;
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

/// Makes what the programs of a list need and their checkout lacks.
fn prepare(list: &Path, folder: &Path) -> Result<(), String> {
    match catalog::preparation(list).map_err(|error| error.to_string())? {
        Some(line) => suite::prepare(&line, folder).map_err(|error| error.to_string()),
        None => Ok(()),
    }
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
    run_in(options, (&catalog, &programs), folder, work)
}

/// What the options ask for of programs of a catalog: `folder` holds them, `work` is for what is made.
fn run_in(
    options: &Options,
    (catalog, programs): (&Path, &[Program]),
    folder: PathBuf,
    work: PathBuf,
) -> Result<bool, String> {
    if options.certify {
        return Ok(certify_all(programs, &folder, &work));
    }
    if options.facts {
        let fpgacc = fpgacc(options)?.ok_or("--facts wants fpgacc")?;
        let comparison = Comparison {
            fpgacc,
            programs: folder,
            work,
        };
        return Ok(compare_all(&comparison, programs));
    }
    if options.verify {
        let verification = Verification {
            fpgacc: fpgacc(options)?.ok_or("--verify wants fpgacc")?,
            programs: folder,
            options: options.with.clone(),
            fixed_time: suite::fixed_time(&work).map_err(|error| error.to_string())?,
        };
        prepare(catalog, &verification.programs)?;
        return verify_all(&verification, programs, &platforms(options)?);
    }
    if options.suite {
        let suite = Suite {
            fpgacc: fpgacc(options)?.ok_or("--suite wants fpgacc")?,
            programs: folder,
            work,
            options: options.with.clone(),
        };
        prepare(catalog, &suite.programs)?;
        return run_suite(&suite, programs, &platforms(options)?);
    }
    let bench = Bench {
        programs: folder,
        work,
        fpgacc: fpgacc(options)?,
        repeat: options.repeat,
    };
    let rows = try_all(&bench, programs, &platforms(options)?);
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
                eprintln!("{name} on {}: {}", platform.name, outcome.verdict);
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
    let mut verdicts = rows.iter().flat_map(|row| row.verdicts.values());
    Ok(!verdicts.any(suite::Verdict::is_wrong))
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
