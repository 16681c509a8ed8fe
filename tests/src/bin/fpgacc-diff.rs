//! `fpgacc-diff`: whether a kernel and what fpgacc makes of it do the same.
//!
//! It is also the process that the library runs jobs in.

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::Parser;
use fpgacc_device_passes::options::{OwnOptions, PassOptions};
use fpgacc_device_passes::passes::ndrange_to_loop;
use fpgacc_device_passes::remark::Kind;
use fpgacc_tests::adhoc::{self, Requests};
use fpgacc_tests::compare::{self, Bound};
use fpgacc_tests::job::{Geometry, Job};
use fpgacc_tests::judge::{Original, Verdict};
use fpgacc_tests::rewrite::{Knowledge, Rewrites, Rewritten, rewrite};
use fpgacc_tests::run::{Platform, run};
use fpgacc_tests::worker;

/// Runs kernels and what fpgacc makes of them, and compares every byte.
///
/// Takes a file of OpenCL C: arguments are made up from their types, Oclgrind certifies the original
/// (no data race, no access out of bounds), and each rewrite alone and all together are compared with
/// it on Oclgrind, the Intel FPGA emulator and PoCL.
///
/// Or takes one or two jobs (YAML or JSON: a program, its buffers and its launches): certifies the
/// one, compares the two.
///
/// Exit codes: 0 the same, 1 different, 2 wrong usage or text, 3 not certified or nothing rewritten.
#[derive(Parser)]
#[command(name = "fpgacc-diff", version)]
struct Options {
    /// A kernel file (.cl), or one or two jobs
    #[arg(required = true, num_args = 1..=2)]
    files: Vec<String>,
    /// Kernels to run (all)
    #[arg(long)]
    kernel: Vec<String>,
    /// Global size, such as 64,4
    #[arg(long, value_delimiter = ',', default_value = "64")]
    global: Vec<u64>,
    /// Local size; NULL if not given, or what the kernel requires
    #[arg(long, value_delimiter = ',')]
    local: Vec<u64>,
    /// Global offset
    #[arg(long, value_delimiter = ',')]
    offset: Vec<u64>,
    /// Launch as a single work-item
    #[arg(long)]
    task: bool,
    /// A parameter's value, by name or index: a number; for a buffer or local memory its elements,
    /// `zero:N` or `same:OTHER`
    #[arg(long = "arg", value_name = "NAME=VALUE")]
    args: Vec<String>,
    /// Elements of a buffer
    #[arg(long, default_value_t = 4096)]
    elements: usize,
    /// Chooses what buffers hold
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Macros for the kernel file
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    defines: Vec<String>,
    /// Folders of included files
    #[arg(short = 'I', value_name = "FOLDER")]
    includes: Vec<String>,
    /// Further build options
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    options: String,
    /// What the passes know of the launch
    #[arg(long, value_parser = ["nothing", "local", "all"], default_value = "local")]
    known: String,
    /// `--max-local-size` of fpgacc
    #[arg(long, default_value_t = ndrange_to_loop::Options::DEFAULT.max_local_size)]
    max_local_size: u64,
    /// Also print the rewritten texts
    #[arg(long)]
    print: bool,
    /// Write the job of a kernel, as YAML, and stop
    #[arg(long)]
    emit_job: bool,
}

/// What is wrong, and the exit code.
type Failure = (u8, String);

fn main() -> ExitCode {
    if worker::run_if_asked() {
        return ExitCode::SUCCESS;
    }
    let options = Options::parse();
    let is_job = |file: &String| {
        [".yaml", ".yml", ".json"]
            .iter()
            .any(|end| file.ends_with(end))
    };
    let result = match options.files.as_slice() {
        files if files.iter().all(is_job) => compare_jobs(files),
        [kernels] => compare_kernels(kernels, &options),
        _ => Err((2, "two files must both be jobs".to_string())),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err((code, message)) => {
            eprintln!("fpgacc-diff: {}", message.trim_end());
            ExitCode::from(code)
        }
    }
}

fn compare_jobs(files: &[String]) -> Result<(), Failure> {
    let jobs = files.iter().map(|file| read_job(file));
    let jobs = jobs.collect::<Result<Vec<_>, _>>()?;
    let result = match jobs.as_slice() {
        [original, rewritten] => {
            compare::same(original, rewritten, &Platform::EMULATORS, &Bound::Exact)
        }
        all => all.iter().try_for_each(compare::certify),
    };
    result.map_err(|difference| (1, difference.to_string()))
}

fn read_job(path: &str) -> Result<Job, Failure> {
    let wrong = |error: &dyn std::fmt::Display| (2, format!("{path}: {error}"));
    let text = std::fs::read_to_string(path).map_err(|e| wrong(&e))?;
    serde_yaml::from_str(&text).map_err(|e| wrong(&e))
}

/// The worst of all kernels counts.
fn compare_kernels(file: &str, options: &Options) -> Result<(), Failure> {
    let text = std::fs::read_to_string(file).map_err(|e| (2, format!("{file}: {e}")))?;
    let mut program = Job::new(text);
    program.options = build_options(file, options);
    let all = adhoc::kernels(&program).map_err(|e| (2, e.to_string()))?;
    let chosen = if options.kernel.is_empty() {
        &all
    } else {
        &options.kernel
    };
    if chosen.is_empty() {
        return Err((2, format!("{file}: there is no kernel")));
    }
    let mut worst: Option<u8> = None;
    for kernel in chosen {
        let job = job_of(&program, kernel, options)?;
        if options.emit_job {
            let text = serde_yaml::to_string(&job).map_err(|e| (2, e.to_string()))?;
            print!("{text}");
            continue;
        }
        if let Err((code, message)) = compare_kernel(&job, kernel, options) {
            println!("{kernel}: {}", message.trim_end());
            // A difference is worse than what could not be tried.
            worst = Some(worst.map_or(code, |worst| worst.min(code)));
        }
    }
    match worst {
        None => Ok(()),
        Some(1) => Err((1, "a rewritten kernel does something else".to_string())),
        Some(code) => Err((code, "not every kernel could be compared".to_string())),
    }
}

fn build_options(file: &str, options: &Options) -> String {
    let mut words = Vec::new();
    words.extend(options.defines.iter().map(|define| format!("-D {define}")));
    let folder = std::path::Path::new(file).parent();
    let folder = folder.filter(|f| !f.as_os_str().is_empty());
    let own = folder.map_or(".".to_string(), |f| f.display().to_string());
    let folders = options.includes.iter().chain([&own]);
    let absolute = |folder: &String| {
        let path = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.into());
        format!("-I {}", path.display())
    };
    words.extend(folders.map(absolute));
    words.extend((!options.options.is_empty()).then(|| options.options.clone()));
    words.join(" ")
}

fn job_of(program: &Job, kernel: &str, options: &Options) -> Result<Job, Failure> {
    let usage = |message: String| (2, message);
    let mut args = BTreeMap::new();
    for arg in &options.args {
        let (name, value) = arg
            .split_once('=')
            .ok_or_else(|| usage(format!("--arg {arg}: write NAME=VALUE")))?;
        args.insert(name.to_string(), value.to_string());
    }
    let dims = options.global.len();
    let fits = |values: &[u64]| values.is_empty() || values.len() == dims;
    if dims > 3 || !fits(&options.local) || !fits(&options.offset) {
        return Err(usage(
            "sizes must have the same number of dimensions, 3 at most".to_string(),
        ));
    }
    let required = adhoc::required_size(program, kernel).map_err(|e| usage(e.to_string()))?;
    let local = match required {
        Some(sizes) if options.local.is_empty() => sizes[..dims].to_vec(),
        _ => options.local.clone(),
    };
    let requests = Requests {
        geometry: match options.task {
            true => Geometry::Task,
            false => Geometry::offset_range(&options.offset, &options.global, &local),
        },
        args,
        elements: options.elements,
        seed: options.seed,
    };
    let mut job = program.clone();
    adhoc::launch(&mut job, kernel, &requests).map_err(|e| usage(e.to_string()))?;
    Ok(job)
}

fn compare_kernel(job: &Job, kernel: &str, options: &Options) -> Result<(), Failure> {
    let platforms = Platform::EMULATORS;
    let original = Original::run(job, &platforms)
        .map_err(|why| (3, format!("the original is not certified:\n{why}")))?;
    println!("{kernel}: certified by Oclgrind");
    let buffers: Vec<usize> = (0..job.buffers.len()).collect();
    for platform in platforms {
        if let Some(what) = original.disagreement(platform, &buffers) {
            println!("  {platform:?} disagrees with Oclgrind on the original: {what}");
        }
    }
    let knowledge = match options.known.as_str() {
        "nothing" => Knowledge::Nothing,
        "all" => Knowledge::All,
        _ => Knowledge::Local,
    };
    let mut passes = PassOptions::default();
    passes.of_mut::<ndrange_to_loop::Options>().max_local_size = options.max_local_size;
    let mut rewrites = 0;
    let mut wrong = Vec::new();
    for which in Rewrites::each_and_all() {
        let rewritten = match rewrite(job, |_| knowledge, &which, &passes) {
            Ok(rewritten) => rewritten,
            Err(error) => {
                wrong.push(format!("{which}: {error}"));
                continue;
            }
        };
        for remark in rewritten
            .remarks
            .iter()
            .filter(|remark| remark.kernel == kernel)
        {
            if which == Rewrites::All {
                let verb = if remark.kind == Kind::Missed {
                    "not done"
                } else {
                    "done"
                };
                println!("  {} {verb}: {}", remark.pass, remark.note.text);
            }
        }
        if !rewritten.fired.iter().any(|name| name == kernel) {
            println!("  {which}: nothing rewritten");
            continue;
        }
        rewrites += 1;
        if options.print {
            println!("{}", rewritten.job.source);
        }
        wrong.extend(compare_rewritten(&original, &which, &rewritten, &buffers));
    }
    if !wrong.is_empty() {
        return Err((1, wrong.join("\n")));
    }
    match rewrites {
        0 => Err((3, "nothing was rewritten".to_string())),
        _ => Ok(()),
    }
}

fn compare_rewritten(
    original: &Original,
    which: &Rewrites,
    rewritten: &Rewritten,
    buffers: &[usize],
) -> Vec<String> {
    let mut wrong = Vec::new();
    for platform in [Platform::Oclgrind, Platform::Intel, Platform::Pocl] {
        let mut after = run(&rewritten.job, platform).map_err(|error| error.to_string());
        if let Ok(output) = &after
            && !output.complaints.trim().is_empty()
        {
            after = Err(output.complaints.clone());
        }
        match original.judge(platform, &after, buffers) {
            Verdict::Same => println!("  {which}: the same on {platform:?}"),
            Verdict::OriginalDisagrees(_) => {
                println!("  {which}: on {platform:?} what the original does on Oclgrind");
            }
            Verdict::BothDisagree(what) => {
                println!("  {which}: {platform:?} is no witness: {what}");
            }
            Verdict::Wrong(what) => {
                println!("  {which}: DIFFERENT on {platform:?}");
                wrong.push(format!("{which}, on {platform:?}: {what}"));
            }
        }
    }
    wrong
}
