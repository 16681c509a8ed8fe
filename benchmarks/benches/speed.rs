//! fpgacc's own speed: the benchmark programs (or others, `--programs FILE`) through host parsing,
//! analysis, patching, kernel parsing, passes and printing, and generated programs of 1 to 100,000
//! kernel lines. The C preprocessor and the FPGA compiler do not count.
//!
//!     cargo bench -p fpgacc-benchmarks --bench speed
//!     cargo bench -p fpgacc-benchmarks --bench speed -- \
//!         --programs $PWD/benchmarks/rodinia.yaml --folder RODINIA/opencl --lines 1000
//!
//! Exit status 1 if a program takes longer than the limit, or if the cost of a line grows with the
//! length of the input.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use fpgacc_benchmarks::stages::{Input, Times};
use fpgacc_benchmarks::{catalog, generate};

/// The same as the driver's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What one program of usual size may take.
const LIMIT: Duration = Duration::from_millis(50);
/// The cost of a line may be so much higher at the longest input than at [`BASE`] lines: what
/// caches and allocation explain, but no second power.
const GROWTH: f64 = 3.0;
/// Below this, fixed costs show.
const BASE: usize = 1000;

#[derive(Parser)]
struct Options {
    /// A list of programs as programs.yaml
    #[arg(long, value_name = "FILE")]
    programs: Option<PathBuf>,
    /// Where the programs' folders lie, if not beside the list
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// The longest generated kernel file, in lines
    #[arg(long, value_name = "N", default_value = "100000")]
    lines: usize,
    /// cargo passes this
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("speed: error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<bool, String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs.yaml");
    let path = options.programs.as_deref().unwrap_or(&own);
    let beside = path.parent().unwrap_or(Path::new("."));
    let folder = options.folder.as_deref().unwrap_or(beside);
    let programs = catalog::read_in(path, folder).map_err(|error| error.to_string())?;
    let mut good = true;

    println!(
        "                               milliseconds that passed, the fastest of several runs"
    );
    println!(
        "{:<20} {:>7} {:>7} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9}",
        "program",
        "host",
        "kernel",
        "hosts",
        "analysis",
        "patches",
        "kernels",
        "passes",
        "printing",
        "total"
    );
    for program in programs {
        let folder = folder.join(&program.name);
        let input = Input::read(&folder, &program.sources, &program.flags);
        let (times, input) = match input.and_then(|input| Ok((measure(&input)?, input))) {
            Ok(measured) => measured,
            Err(error) => {
                println!("{}: {error}", program.name);
                good = false;
                continue;
            }
        };
        let slow = times.total() > LIMIT;
        print(
            &program.name,
            &input,
            &times,
            if slow { "  TOO SLOW" } else { "" },
        );
        good &= !slow;
    }

    let mut base = None;
    let mut lines = 1;
    while lines <= options.lines {
        let (input, times) = generated(lines)?;
        let per_line = times.total().as_secs_f64() / lines as f64;
        if lines == BASE {
            base = Some(per_line);
        }
        let growth = base.map_or(0.0, |base| per_line / base);
        let verdict = match growth > GROWTH {
            true => "  GROWS",
            false => "",
        };
        good &= growth <= GROWTH;
        let note = format!("  {:.1} us a line{verdict}", per_line * 1e6);
        print(&format!("generated {lines}"), &input, &times, &note);
        lines *= 10;
    }
    Ok(good)
}

fn generated(lines: usize) -> Result<(Input, Times), String> {
    let generated = generate::program(lines);
    let texts = [
        (PathBuf::from("generated.c"), generated.host),
        (PathBuf::from("generated.cl"), generated.kernels),
    ];
    let input = Input::of_texts(&texts, Path::new("."), &[]).map_err(|error| error.to_string())?;
    let times = measure(&input).map_err(|error| error.to_string())?;
    Ok((input, times))
}

/// Each stage's fastest of several runs: for half a second, or once.
fn measure(input: &Input) -> Result<Times, fpgacc_benchmarks::stages::StageError> {
    let start = Instant::now();
    let mut best = input.measure()?;
    while start.elapsed() < Duration::from_millis(500) {
        best = best.best(input.measure()?);
    }
    Ok(best)
}

fn print(name: &str, input: &Input, times: &Times, note: &str) {
    let (host, kernel) = input.lines();
    let [hosts, analysis, patches, kernels, passes, printing] =
        times.each().map(|time| time.as_secs_f64() * 1e3);
    println!(
        "{name:<20} {host:>7} {kernel:>7} {hosts:>8.2} {analysis:>8.2} {patches:>8.2} {kernels:>8.2} \
         {passes:>8.2} {printing:>8.2} {:>9.2}{note}",
        times.total().as_secs_f64() * 1e3
    );
}
