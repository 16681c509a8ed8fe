//! `fpgacc-aoc`: aoc's command line, for emulators.

mod flags;
mod object;

use std::fs;
use std::path::{Path, PathBuf};

use crate::backend::{Backend, BuildError};
use crate::c_text;
use crate::cache::Cache;
use crate::claims;
use crate::emulator::Emulator;
use crate::output::{self, Mode};
use crate::progress::Progress;
use crate::request::{BuildRequest, KernelSource, Stage};
use crate::worker::Implementation;

use flags::{Action, Options};
use object::Object;

/// Runs the command with its arguments (without the program's name) and gives its exit code: 0,
/// or 1 with the reason on standard error.
pub fn run(args: &[String]) -> i32 {
    match flags::parse(args).and_then(|options| obey(&options)) {
        Ok(()) => 0,
        Err(message) => {
            eprintln!("fpgacc-aoc: error: {message}");
            1
        }
    }
}

/// What the command says of its options.
pub fn help() -> String {
    flags::help()
}

/// Whether aoc, of some version, has this flag; with its dashes, without a value.
pub fn is_flag(flag: &str) -> bool {
    flags::is_known(flag)
}

fn obey(options: &Options) -> Result<(), String> {
    match options.action {
        Action::Build => return build(options),
        Action::Help => print(&help()),
        Action::Version => print(&format!(
            "fpgacc-aoc {}, a compiler of OpenCL kernels for emulators with aoc's command line\n",
            env!("CARGO_PKG_VERSION")
        )),
        Action::ListBoards => print("Board list:\n  none found\n"),
        Action::ListPackages => print("Installed board packages:\n  none found\n"),
    }
    Ok(())
}

/// A closed standard output is no error.
fn print(text: &str) {
    use std::io::Write;
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn build(options: &Options) -> Result<(), String> {
    if options.inputs.is_empty() {
        return Err("no kernel file given; -help lists the flags".to_string());
    }
    let request = request(options)?;
    let emulator = find_emulator(options)?;
    say_idle(options, &emulator);
    match options.stage {
        None => link(options, request, emulator),
        Some(stage) => check(options, &request, stage, &emulator),
    }
}

/// Reads the inputs.
fn request(options: &Options) -> Result<BuildRequest, String> {
    let mut request = BuildRequest::new(Vec::new(), "");
    request.board = options.board.clone();
    request.defines = options.defines.clone();
    request.undefines = options.undefines.clone();
    request.includes = options.includes.clone();
    request.cl_options = options.cl_options.clone();
    request.debug = options.debug;
    request.verbose = options.verbose;
    let mut objects = 0;
    for path in &options.inputs {
        let shown = path.display();
        match path.extension().and_then(|suffix| suffix.to_str()) {
            Some("cl") => request.sources.push(read_source(path)?),
            Some("aoco" | "aocr") => {
                Object::read(path)?.fill(&mut request);
                objects += 1;
            }
            _ => return Err(format!("{shown}: expected a .cl, .aoco or .aocr file")),
        }
    }
    if objects > 0 && objects < options.inputs.len() {
        return Err("cannot mix .cl files with .aoco or .aocr files".to_string());
    }
    if objects == 0 && options.march.as_deref() != Some("emulator") {
        return Err(needs_sdk(options));
    }
    if objects > 0 && options.march.as_deref() == Some("simulator") {
        return Err(needs_sdk(options));
    }
    Ok(request)
}

fn needs_sdk(options: &Options) -> String {
    let input = options.inputs[0].display();
    let what = match options.march.as_deref() {
        Some("simulator") => "for the simulator",
        _ => "for an FPGA board",
    };
    format!(
        "to compile {input} {what} needs Intel's aoc (Intel FPGA SDK for OpenCL); fpgacc-aoc \
         compiles for emulators only: add -march=emulator"
    )
}

fn read_source(path: &Path) -> Result<KernelSource, String> {
    let bytes =
        fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    // A byte order mark is one only at the very start, where a line directive will stand.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    Ok(KernelSource {
        path: path.to_path_buf(),
        text: c_text::decode(bytes).text,
    })
}

/// The emulator that is asked for, else the best one there is.
fn find_emulator(options: &Options) -> Result<Emulator, String> {
    let variable = std::env::var("FPGACC_PLATFORM").ok();
    let named = match (options.platform, variable.filter(|name| !name.is_empty())) {
        (Some(platform), _) => Some(platform),
        (None, Some(name)) => {
            Some(flags::platform(&name).map_err(|error| format!("$FPGACC_PLATFORM: {error}"))?)
        }
        (None, None) => None,
    };
    match named {
        Some(Implementation::Intel) => Emulator::find_intel().map_err(|e| e.to_string()),
        Some(Implementation::Pocl) => Emulator::find_pocl().map_err(|e| e.to_string()),
        Some(Implementation::Nvidia) => Emulator::find_nvidia().map_err(|e| e.to_string()),
        None => Emulator::find_intel().or_else(|intel| {
            Emulator::find_pocl().map_err(|pocl| format!("{intel}; or else: {pocl}"))
        }),
    }
}

fn say_idle(options: &Options, emulator: &Emulator) {
    // This one changes results, so it is always said.
    if let Some(model) = options
        .channel_depth
        .as_deref()
        .filter(|&model| model != "default")
    {
        eprintln!(
            "fpgacc-aoc: note: the emulator takes the channel depth model when the program runs: \
             set CL_CONFIG_CHANNEL_DEPTH_EMULATION_MODE={model} there"
        );
    }
    if options.verbose {
        eprintln!("fpgacc-aoc: compiling with {}", emulator.name());
        for flag in &options.idle {
            eprintln!("fpgacc-aoc: note: {flag} means nothing on an emulator");
        }
    }
}

/// `-c`, `-rtl`: each source to a file of its own.
fn check(
    options: &Options,
    request: &BuildRequest,
    stage: Stage,
    emulator: &Emulator,
) -> Result<(), String> {
    let suffix = match stage {
        Stage::Rtl => "aocr",
        _ => "aoco",
    };
    if options.output.is_some() && request.sources.len() > 1 {
        return Err("-o cannot name the output of several files".to_string());
    }
    let outputs: Result<Vec<PathBuf>, String> = (options.inputs.iter())
        .map(|input| output_path(options, input, suffix))
        .collect();
    let outputs = outputs?;
    may_write(options, &outputs)?;
    let log = emulator
        .check(request)
        .map_err(|error| failure(&error.into()))?;
    warn(options, &log);
    for (source, output) in request.sources.iter().zip(&outputs) {
        let bytes = Object::new(request, source).bytes();
        output::write(output, &bytes, Mode::Plain).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// To an .aocx.
fn link(options: &Options, mut request: BuildRequest, emulator: Emulator) -> Result<(), String> {
    request.output = output_path(options, &options.inputs[0], "aocx")?;
    may_write(options, std::slice::from_ref(&request.output))?;
    let progress = Progress::unless(options.quiet);
    let cache = Cache::open();
    let built = Backend::Emulator(emulator)
        .build(&request, cache.as_ref(), progress)
        .map_err(|error| failure(&error))?;
    warn(options, &built.log);
    if options.verbose {
        let from = if built.cached {
            " (from the cache)"
        } else {
            ""
        };
        let output = request.output.display();
        eprintln!(
            "fpgacc-aoc: wrote {output}{from}: {}",
            built.kernels.join(", ")
        );
    }
    Ok(())
}

fn may_write(options: &Options, outputs: &[PathBuf]) -> Result<(), String> {
    let inputs = options.inputs.iter().map(PathBuf::as_path);
    claims::check(inputs, outputs).map_err(|clash| clash.to_string())
}

fn warn(options: &Options, log: &str) {
    if !options.quiet {
        eprint!("{log}");
    }
}

/// Messages of the compiler first, as compilers have it.
fn failure(error: &BuildError) -> String {
    eprint!("{}", error.log().unwrap_or_default());
    error.to_string()
}

/// `-o`, with the suffix added where it has none of aoc's; else the input's name in the working
/// folder, with `_` for what aoc does not take.
fn output_path(options: &Options, input: &Path, suffix: &str) -> Result<PathBuf, String> {
    let Some(output) = &options.output else {
        let stem = input.file_stem().unwrap_or_default().to_string_lossy();
        let plain: String = stem
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        return Ok(PathBuf::from(format!("{plain}.{suffix}")));
    };
    let given = output.extension().and_then(|suffix| suffix.to_str());
    // `-o /dev/null` checks the kernels.
    let special = fs::metadata(output).is_ok_and(|metadata| !metadata.is_file());
    match given {
        _ if special => Ok(output.clone()),
        Some(given) if given == suffix => Ok(output.clone()),
        Some(given @ ("aoco" | "aocr" | "aocx")) => Err(format!(
            "-o {}: this step writes an .{suffix}, not an .{given}",
            output.display()
        )),
        _ => {
            let mut name = output.clone().into_os_string();
            name.push(format!(".{suffix}"));
            Ok(PathBuf::from(name))
        }
    }
}
