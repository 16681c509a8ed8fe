//! The OpenCL implementations that stand in for a board: where they are, how they are run.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::build_log;
use crate::cpu_target::{
    Environment, cpu_target, gives_width, is_width_refused, with_own_vectors, without_vectors,
};
use crate::request::BuildRequest;
use crate::scratch::Scratch;
use crate::worker::{self, Answer, Failure, Implementation, Question, WorkerError};

/// The folder that the ICD loader reads by default.
const VENDORS: &str = "/etc/OpenCL/vendors";

/// What to do without PoCL.
pub(crate) const POCL_REMEDY: &str = "install the Debian package `pocl-opencl-icd`";

/// The emulator's library.
const LIBRARY: &str = "libintelocl_emu.so";

/// Where the dynamic linker looks on the common systems.
const LIBRARY_FOLDERS: [&str; 5] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
    "/lib/x86_64-linux-gnu",
];

/// What went wrong with an emulator.
#[derive(Debug, thiserror::Error)]
pub enum EmulatorError {
    /// The Intel emulator is not installed.
    #[error(
        "cannot find the Intel FPGA Emulation Platform ({LIBRARY}): install it with \
         `python3 -m venv {venv} && {venv}/bin/pip install intel-opencl-rt==2023.2.4 \
         intel-cmplr-lib-rt==2023.2.4`, or name the library in $FPGACC_INTEL_EMULATOR",
        venv = .0.display()
    )]
    NoIntel(PathBuf),
    /// `$FPGACC_INTEL_EMULATOR` names nothing.
    #[error("$FPGACC_INTEL_EMULATOR names {}, which is no file", .0.display())]
    BadVariable(PathBuf),
    /// PoCL is not installed.
    #[error("cannot find PoCL ({}): {POCL_REMEDY}", looked_in())]
    NoPocl,
    /// There is no driver of NVIDIA's.
    #[error(
        "cannot find NVIDIA's OpenCL: install its driver; a file in {VENDORS} with the line \
         `libnvidia-opencl.so.1` names it"
    )]
    NoNvidia,
    /// libOpenCL.so.1 is not installed.
    #[error(
        "cannot load libOpenCL.so.1, the OpenCL ICD loader: install the Debian package \
         `ocl-icd-libopencl1`"
    )]
    NoLoader,
    /// The library is there, but the ICD loader does not take it.
    #[error("{name} does not load ({what}): {hint}")]
    NoPlatform {
        /// The implementation.
        name: &'static str,
        /// Its library, or where the loader looks.
        what: String,
        /// The way out.
        hint: &'static str,
    },
    /// The kernels have errors.
    #[error("the kernels do not compile")]
    Kernels {
        /// The compiler's messages.
        log: String,
    },
    /// A call of OpenCL failed.
    #[error("{call}")]
    Call {
        /// Which, and its error code.
        call: String,
        /// The compiler's messages.
        log: String,
    },
    /// The compiler's process gave no answer.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// A temporary file could not be written.
    #[error("cannot write a temporary file: {0}")]
    Temporary(std::io::Error),
}

/// An OpenCL implementation that compiles kernels on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emulator {
    implementation: Implementation,
    library: PathBuf,
}

/// What an implementation makes of kernels.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    /// The program binary, as clCreateProgramWithBinary takes it.
    pub binary: Vec<u8>,
    /// The compiler's messages.
    pub log: String,
    /// Names of the kernels.
    pub kernels: Vec<String>,
}

/// What an implementation says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Platform name and version.
    pub platform: String,
    /// Device name and driver version.
    pub device: String,
}

/// The folder under the user's cache folder that is fpgacc's own: `$XDG_CACHE_HOME/fpgacc` or
/// `~/.cache/fpgacc`. `None` where neither variable is set.
pub fn cache_folder() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let root = match set("XDG_CACHE_HOME").map(PathBuf::from) {
        Some(root) if root.is_absolute() => root,
        _ => Path::new(&set("HOME")?).join(".cache"),
    };
    Some(root.join("fpgacc"))
}

impl Emulator {
    /// The Intel FPGA Emulation Platform: `$FPGACC_INTEL_EMULATOR`, then fpgacc's own copy under
    /// the user's cache folder, then what the ICD loader's folder names, then the SDK's own.
    pub fn find_intel() -> Result<Self, EmulatorError> {
        let found = |library| {
            Ok(Emulator {
                implementation: Implementation::Intel,
                library,
            })
        };
        if let Some(named) = std::env::var_os("FPGACC_INTEL_EMULATOR") {
            let path = PathBuf::from(named);
            return match path.is_file() {
                true => found(absolute(&path)),
                false => Err(EmulatorError::BadVariable(path)),
            };
        }
        let own = cache_folder().map(|folder| folder.join("intel-emu"));
        let mut paths: Vec<PathBuf> = own
            .iter()
            .map(|venv| venv.join("lib").join(LIBRARY))
            .collect();
        paths.extend(vendor_libraries().filter(|library| library.ends_with(LIBRARY)));
        if let Some(root) = std::env::var_os("INTELFPGAOCLSDKROOT") {
            paths.push(Path::new(&root).join("host/linux64/lib").join(LIBRARY));
        }
        match paths.into_iter().find(|path| path.is_file()) {
            Some(path) => found(path),
            None => {
                Err(EmulatorError::NoIntel(own.unwrap_or_else(|| {
                    PathBuf::from("~/.cache/fpgacc/intel-emu")
                })))
            }
        }
    }

    /// PoCL, as the ICD loader's folder names it.
    pub fn find_pocl() -> Result<Self, EmulatorError> {
        Self::of_vendor(Implementation::Pocl, "pocl").ok_or(EmulatorError::NoPocl)
    }

    /// NVIDIA's GPUs, as the ICD loader's folder names their driver.
    pub fn find_nvidia() -> Result<Self, EmulatorError> {
        Self::of_vendor(Implementation::Nvidia, "nvidia").ok_or(EmulatorError::NoNvidia)
    }

    fn of_vendor(implementation: Implementation, name: &str) -> Option<Self> {
        let library =
            vendor_libraries().find(|library| library.to_string_lossy().contains(name))?;
        Some(Emulator {
            implementation,
            library,
        })
    }

    /// Which implementation it is.
    pub fn implementation(&self) -> Implementation {
        self.implementation
    }

    /// A name for messages.
    pub fn name(&self) -> &'static str {
        match self.implementation {
            Implementation::Intel => "the Intel FPGA Emulation Platform",
            Implementation::Pocl => "PoCL",
            Implementation::Nvidia => "NVIDIA's OpenCL",
        }
    }

    /// Its library: what an executable must name to the ICD loader to run on it.
    pub fn library(&self) -> &Path {
        &self.library
    }

    /// Its library as a file: a bare name is looked up where the dynamic linker would.
    pub(crate) fn library_file(&self) -> PathBuf {
        if self.library.is_absolute() {
            return self.library.clone();
        }
        LIBRARY_FOLDERS
            .iter()
            .map(|folder| Path::new(folder).join(&self.library))
            .find(|path| path.is_file())
            .unwrap_or_else(|| self.library.clone())
    }

    /// Loads it and asks for its names and versions.
    pub fn describe(&self) -> Result<Description, EmulatorError> {
        let question = Question {
            implementation: self.implementation,
            texts: Vec::new(),
            options: Vec::new(),
            check: false,
        };
        let answer = self.ask(&question, cpu_target())?;
        Ok(Description {
            platform: answer.platform,
            device: answer.device,
        })
    }

    /// Compiles kernels to a program binary.
    pub(crate) fn compile(&self, request: &BuildRequest) -> Result<Compiled, EmulatorError> {
        let answer = self.run(request, false)?;
        Ok(Compiled {
            binary: answer.binary,
            log: answer.log,
            kernels: answer.kernels,
        })
    }

    /// Compiles each source of a request by itself, and gives the messages: warnings.
    pub fn check(&self, request: &BuildRequest) -> Result<String, EmulatorError> {
        Ok(self.run(request, true)?.log)
    }

    fn run(&self, request: &BuildRequest, check: bool) -> Result<Answer, EmulatorError> {
        let links = Scratch::new().map_err(EmulatorError::Temporary)?;
        let mut texts = Vec::new();
        let mut options = Vec::new();
        for source in &request.sources {
            let mut words = Vec::new();
            for folder in request.header_folders(source) {
                words.push(format!("-I{}", option_path(folder, links.path())?));
            }
            words.extend(request.cl_options.iter().cloned());
            if request.debug {
                words.push("-g".to_string());
            }
            texts.push(request.online_text(source));
            options.push(words.join(" "));
        }
        let question = Question {
            implementation: self.implementation,
            texts,
            options,
            check,
        };
        let mut answer = match request.vectors {
            true => self.ask_for_vectors(&question)?,
            false => self.ask(&question, without_vectors())?,
        };
        if !request.verbose {
            answer.log = build_log::messages(&answer.log);
        }
        Ok(answer)
    }

    /// Asks for vectors of the width that is right for this CPU, where no kernel has another one.
    fn ask_for_vectors(&self, question: &Question) -> Result<Answer, EmulatorError> {
        let is_refused = |answer: &Result<Answer, EmulatorError>| matches!(answer, Err(EmulatorError::Kernels { log }) if is_width_refused(log));
        let variables = cpu_target();
        let is_given = gives_width(&variables);
        let answer = self.ask(question, variables);
        if !is_given || !is_refused(&answer) {
            return answer;
        }
        // Those with channels have no vectors, and some functions are not there for so many elements.
        let answer = self.ask(question, without_vectors());
        match is_refused(&answer) {
            true => self.ask(question, with_own_vectors()),
            false => answer,
        }
    }

    fn ask(&self, question: &Question, variables: Environment) -> Result<Answer, EmulatorError> {
        let vendors = Scratch::new().map_err(EmulatorError::Temporary)?;
        let mut env: Vec<(_, OsString)> = Vec::new();
        if self.implementation == Implementation::Intel {
            // The two common ICD loaders: ocl-icd reads the first, Khronos' also the second.
            let line = format!("{}\n", self.library.display());
            fs::write(vendors.path().join("intel.icd"), line).map_err(EmulatorError::Temporary)?;
            env.push(("OCL_ICD_VENDORS", vendors.path().into()));
            env.push(("OCL_ICD_FILENAMES", self.library.clone().into()));
            env.extend(
                variables
                    .into_iter()
                    .map(|(name, value)| (name, value.into())),
            );
        }
        let answer = worker::ask(question, &env)?;
        let log = build_log::messages(&answer.log);
        match &answer.failure {
            None => Ok(answer),
            Some(Failure::NoLoader) => Err(EmulatorError::NoLoader),
            Some(Failure::NoPlatform) => Err(self.no_platform()),
            Some(Failure::Kernels) => Err(EmulatorError::Kernels { log }),
            Some(Failure::Call(call)) => Err(EmulatorError::Call {
                call: call.clone(),
                log,
            }),
        }
    }

    fn no_platform(&self) -> EmulatorError {
        let (hint, what) = match self.implementation {
            Implementation::Intel => (
                "it needs the PyPI package intel-cmplr-lib-rt==2023.2.4 in the same environment",
                self.library.display().to_string(),
            ),
            Implementation::Pocl => (POCL_REMEDY, looked_in()),
            Implementation::Nvidia => (
                "is there a GPU, and does `nvidia-smi` see it?",
                self.library.display().to_string(),
            ),
        };
        EmulatorError::NoPlatform {
            name: self.name(),
            what,
            hint,
        }
    }
}

/// Tries to load the ICD loader.
pub(crate) fn try_loader() -> Result<(), EmulatorError> {
    let any = Emulator {
        implementation: Implementation::Pocl,
        library: PathBuf::new(),
    };
    match any.describe() {
        Ok(_) | Err(EmulatorError::NoPlatform { .. } | EmulatorError::Call { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// What stands in for the folder of .icd files: another one, or such a file.
fn named_vendors() -> Option<PathBuf> {
    let named = std::env::var_os("OCL_ICD_VENDORS").filter(|named| !named.is_empty());
    named.map(PathBuf::from)
}

/// Where .icd files are looked for, for people.
fn looked_in() -> String {
    match named_vendors() {
        Some(named) => format!("looked in {}, as $OCL_ICD_VENDORS says", named.display()),
        None => format!("looked in {VENDORS}"),
    }
}

/// The libraries that the .icd files name, in order of file name.
fn vendor_libraries() -> impl Iterator<Item = PathBuf> {
    let named = named_vendors().unwrap_or_else(|| PathBuf::from(VENDORS));
    let entries = fs::read_dir(&named).into_iter().flatten();
    let mut files: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .chain([named])
        .filter(|path| path.extension().is_some_and(|ext| ext == "icd"))
        .collect();
    files.sort();
    files.into_iter().filter_map(|path| {
        let text = fs::read_to_string(path).ok()?;
        let line = text.lines().next()?.trim();
        (!line.is_empty()).then(|| PathBuf::from(line))
    })
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// A folder as it can stand in the options of clBuildProgram, which know no quoting: one with a
/// blank gets a link without.
fn option_path(folder: &Path, links: &Path) -> Result<String, EmulatorError> {
    let folder = absolute(folder);
    let text = folder.to_string_lossy();
    if !text.contains([' ', '\t', '"', '\'', '\\']) {
        return Ok(text.into_owned());
    }
    let count = fs::read_dir(links)
        .map_err(EmulatorError::Temporary)?
        .count();
    let link = links.join(format!("i{count}"));
    std::os::unix::fs::symlink(&folder, &link).map_err(EmulatorError::Temporary)?;
    Ok(link.to_string_lossy().into_owned())
}
