//! The online compilers of OpenCL implementations, run in a process of their own: one that
//! crashes takes nothing else down, and the ICD loader reads its variables before its first use.
//!
//! A program that builds for an emulator calls [`run_if_asked`] first thing in `main`.

use std::ffi::{CString, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device};
use opencl3::error_codes::{CL_DEVICE_NOT_FOUND, DLOPEN_RUNTIME_LOAD_FAILED};
use opencl3::platform::{Platform, get_platforms};
use opencl3::program::{
    CL_PROGRAM_BINARIES, CL_PROGRAM_BUILD_LOG, CL_PROGRAM_KERNEL_NAMES, Program, build_program,
    get_program_build_info, get_program_info, link_program,
};
use opencl3::types::{cl_device_id, cl_program};
use serde::{Deserialize, Serialize};

use crate::process::{Command, ProcessError, Status};
use crate::scratch::Scratch;

/// The variable that makes a program a worker; its value is the exchange folder.
const ASKED: &str = "FPGACC_WORKER_FOLDER";

/// Whether this program's `main` calls [`run_if_asked`], so that it can be its own worker.
static IS_WORKER: AtomicBool = AtomicBool::new(false);

/// An OpenCL implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Implementation {
    /// The Intel FPGA Emulation Platform for OpenCL.
    Intel,
    /// PoCL.
    Pocl,
    /// NVIDIA's, on a GPU.
    Nvidia,
}

impl Implementation {
    /// What its platform's name holds.
    fn platform_name(self) -> &'static str {
        match self {
            Implementation::Intel => "FPGA Emulation",
            Implementation::Pocl => "Portable Computing Language",
            Implementation::Nvidia => "NVIDIA",
        }
    }
}

/// What a worker is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Question {
    /// Which implementation compiles.
    pub implementation: Implementation,
    /// The program's texts, compiled apart and linked if there are several. None: only report what
    /// the implementation is.
    pub texts: Vec<String>,
    /// Options for each, as clBuildProgram takes them.
    pub options: Vec<String>,
    /// Only compile each text: no linking, no binary.
    pub check: bool,
}

/// What a worker answers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// Platform name and version.
    pub platform: String,
    /// Device name and driver version.
    pub device: String,
    /// What the compiler wrote.
    pub log: String,
    /// Names of the kernels.
    pub kernels: Vec<String>,
    /// Why there is no binary.
    pub failure: Option<Failure>,
    /// The program binary.
    #[serde(skip)]
    pub binary: Vec<u8>,
}

/// Why a worker made no binary.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Failure {
    /// libOpenCL.so.1 cannot be loaded.
    NoLoader,
    /// The loader knows no such platform.
    NoPlatform,
    /// The kernels have errors; the log says which.
    Kernels,
    /// Another call failed.
    Call(String),
}

/// A worker that gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// No program that can be a worker is installed.
    #[error(
        "cannot find `fpgacc-aoc`, which runs the OpenCL compilers: it belongs beside {}",
        .0.display()
    )]
    Missing(PathBuf),
    /// It could not be started.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// It died.
    #[error("the OpenCL compiler crashed ({status})")]
    Crashed {
        /// How.
        status: Status,
        /// What it wrote last.
        output: String,
    },
    /// The folder for the exchange could not be used.
    #[error("cannot write a temporary file: {0}")]
    Temporary(std::io::Error),
}

/// Does a worker's work and ends the process, if it was started as one. To be called first thing
/// in `main`.
pub fn run_if_asked() {
    IS_WORKER.store(true, Ordering::Relaxed);
    let Some(folder) = std::env::var_os(ASKED) else {
        return;
    };
    let code = match work(Path::new(&folder)) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("fpgacc worker: {error}");
            1
        }
    };
    std::process::exit(code)
}

/// Asks a worker. `env` are variables for it alone.
pub(crate) fn ask(question: &Question, env: &[(&str, OsString)]) -> Result<Answer, WorkerError> {
    let folder = Scratch::new().map_err(WorkerError::Temporary)?;
    let text = serde_json::to_vec(question).map_err(|e| WorkerError::Temporary(e.into()))?;
    fs::write(folder.path().join("question"), text).map_err(WorkerError::Temporary)?;
    let mut command = Command::new(program()?).env(ASKED, folder.path()).silent();
    for (name, value) in env {
        command = command.env(*name, value);
    }
    let captured = command.capture()?;
    // The answer counts even if the implementation crashes while it is unloaded.
    let answer = fs::read(folder.path().join("answer"))
        .ok()
        .and_then(|bytes| serde_json::from_slice::<Answer>(&bytes).ok());
    let Some(mut answer) = answer else {
        return Err(WorkerError::Crashed {
            status: captured.status,
            output: captured.stdout_text() + &captured.stderr_text(),
        });
    };
    if answer.failure.is_none() {
        answer.binary = fs::read(folder.path().join("binary")).unwrap_or_default();
    }
    Ok(answer)
}

/// The program to start as a worker: this one if it can be one, else `fpgacc-aoc` near it.
fn program() -> Result<PathBuf, WorkerError> {
    let own = std::env::current_exe().map_err(WorkerError::Temporary)?;
    if IS_WORKER.load(Ordering::Relaxed) {
        return Ok(own);
    }
    // Tests lie one folder below the programs that they test.
    let near = own.ancestors().skip(1).take(2);
    near.map(|folder| folder.join("fpgacc-aoc"))
        .find(|path| path.is_file())
        .or_else(|| which::which("fpgacc-aoc").ok())
        .ok_or(WorkerError::Missing(own))
}

fn work(folder: &Path) -> std::io::Result<()> {
    let question: Question = serde_json::from_slice(&fs::read(folder.join("question"))?)?;
    let mut answer = Answer::default();
    if let Err(failure) = compile(&question, &mut answer) {
        answer.failure = Some(failure);
    }
    fs::write(folder.join("binary"), &answer.binary)?;
    let text = serde_json::to_vec(&answer)?;
    // Under its name only when whole.
    fs::write(folder.join("answer.part"), text)?;
    fs::rename(folder.join("answer.part"), folder.join("answer"))
}

fn compile(question: &Question, answer: &mut Answer) -> Result<(), Failure> {
    let platform = find_platform(question.implementation)?;
    let name = platform.name().unwrap_or_default();
    let version = platform.version().unwrap_or_default();
    answer.platform = format!("{name}, {version}");
    let devices = platform
        .get_devices(CL_DEVICE_TYPE_ALL)
        .map_err(|e| call("clGetDeviceIDs", e.0))?;
    let &id = devices
        .first()
        .ok_or_else(|| call("clGetDeviceIDs", CL_DEVICE_NOT_FOUND))?;
    let device = Device::new(id);
    let name = device.name().unwrap_or_default();
    let driver = device.driver_version().unwrap_or_default();
    answer.device = format!("{name}, driver {driver}");
    if question.texts.is_empty() {
        return Ok(());
    }
    let context = Context::from_device(&device).map_err(|e| call("clCreateContext", e.0))?;
    match make_program(question, &context, id, answer)? {
        Some(program) => collect(program, answer),
        None => Ok(()),
    }
}

fn find_platform(implementation: Implementation) -> Result<Platform, Failure> {
    let platforms = get_platforms().map_err(|e| match e.0 {
        DLOPEN_RUNTIME_LOAD_FAILED => Failure::NoLoader,
        _ => Failure::NoPlatform,
    })?;
    let wanted = implementation.platform_name();
    platforms
        .into_iter()
        .find(|platform| platform.name().is_ok_and(|name| name.contains(wanted)))
        .ok_or(Failure::NoPlatform)
}

/// Builds one text, or compiles several apart and links them, as aoc does: a macro or a static
/// function of one file is unknown to the others.
fn make_program(
    question: &Question,
    context: &Context,
    device: cl_device_id,
    answer: &mut Answer,
) -> Result<Option<cl_program>, Failure> {
    let single = question.texts.len() == 1 && !question.check;
    let mut programs = Vec::new();
    for (text, options) in question.texts.iter().zip(&question.options) {
        let mut program = Program::create_from_source(context, text)
            .map_err(|e| call("clCreateProgramWithSource", e.0))?;
        let made = match single {
            true => {
                let options = CString::new(options.as_str())
                    .map_err(|_| Failure::Call("an option holds a NUL".to_string()))?;
                build_program(
                    program.get(),
                    &[device],
                    &options,
                    None,
                    std::ptr::null_mut(),
                )
            }
            false => program
                .compile(&[device], options, &[], &[])
                .map_err(|e| e.0),
        };
        append_log(program.get(), device, answer);
        made.map_err(|_| Failure::Kernels)?;
        programs.push(program.get());
        // Released with the process: releasing is where some implementations crash.
        std::mem::forget(program);
    }
    if question.check {
        return Ok(None);
    }
    if single {
        return Ok(programs.pop());
    }
    // SAFETY: the device belongs to the context, and the programs are compiled for it.
    let linked = unsafe {
        link_program(
            context.get(),
            &[device],
            c"",
            &programs,
            None,
            std::ptr::null_mut(),
        )
    };
    let linked = linked.map_err(|code| call("clLinkProgram", code))?;
    append_log(linked, device, answer);
    Ok(Some(linked))
}

fn append_log(program: cl_program, device: cl_device_id, answer: &mut Answer) {
    if let Ok(log) = get_program_build_info(program, device, CL_PROGRAM_BUILD_LOG) {
        let log = String::from(log);
        let log = log.trim_matches(['\0', '\n', ' ']);
        if !log.is_empty() {
            answer.log.push_str(log);
            answer.log.push('\n');
        }
    }
}

fn collect(program: cl_program, answer: &mut Answer) -> Result<(), Failure> {
    let names = get_program_info(program, CL_PROGRAM_KERNEL_NAMES)
        .map_err(|code| call("clGetProgramInfo(CL_PROGRAM_KERNEL_NAMES)", code))?;
    let names = String::from(names);
    answer.kernels = names
        .trim_matches('\0')
        .split(';')
        .filter(|name| !name.is_empty())
        .map(str::to_string)
        .collect();
    let binaries = get_program_info(program, CL_PROGRAM_BINARIES)
        .map_err(|code| call("clGetProgramInfo(CL_PROGRAM_BINARIES)", code))?;
    let binaries: Vec<Vec<u8>> = binaries.into();
    answer.binary = binaries.into_iter().next().unwrap_or_default();
    // A text (PTX) ends with a NUL for those who read it again.
    if answer.binary.last().is_some_and(u8::is_ascii_graphic) {
        answer.binary.push(0);
    }
    match answer.binary.is_empty() {
        true => Err(Failure::Call(
            "the implementation gave an empty binary".to_string(),
        )),
        false => Ok(()),
    }
}

fn call(function: &str, code: i32) -> Failure {
    let name = opencl3::error_codes::error_text(code);
    Failure::Call(format!("{function} failed: {name} ({code})"))
}
