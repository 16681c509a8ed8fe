//! Building and running hosts against the runtime, on each OpenCL implementation.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};

use fpgacc_aoc_wrappers::cpu_target::cpu_target;
use fpgacc_runtime::contract::LaunchContract;
use fpgacc_runtime::guard::Guard;
use fpgacc_runtime::manifest::{
    Form, Hidden, Kernel, NullLocal, Param, ParamKind, Program, Target, Task, text_hash,
};
use fpgacc_runtime::{Manifest, SOURCES, WRAPPED, WRAPPED_LOOKUPS};
use tempfile::TempDir;

/// The OpenCL implementations that every test runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Implementation {
    Intel,
    Pocl,
}

/// Makes a test of each function for both implementations.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod intel {
            $(#[test] fn $name() { super::$name($crate::support::Case::new($crate::support::Implementation::Intel)) })*
        }
        mod pocl {
            $(#[test] fn $name() { super::$name($crate::support::Case::new($crate::support::Implementation::Pocl)) })*
        }
    };
}
pub(crate) use on_both;

/// The agreed place of the Intel FPGA emulator.
pub fn intel_library() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache")))
        .expect("neither XDG_CACHE_HOME nor HOME is set");
    let library = cache.join("fpgacc/intel-emu/lib/libintelocl_emu.so");
    assert!(
        library.exists(),
        "the Intel FPGA emulator is missing: {} should come from the PyPI packages \
         intel-opencl-rt==2023.2.4 and intel-cmplr-lib-rt==2023.2.4; `make test` installs them",
        library.display()
    );
    library
}

fn require(path: &str, package: &str) {
    assert!(
        Path::new(path).exists(),
        "{path} is missing: install the Debian package {package}"
    );
}

impl Implementation {
    pub fn target(self) -> Target {
        match self {
            Implementation::Intel => Target::IntelEmulator {
                library: Some(intel_library().to_str().unwrap().to_owned()),
            },
            Implementation::Pocl => Target::Pocl,
        }
    }

    /// What the ICD loader needs for a program that is not linked with the runtime.
    fn vendors(self) -> PathBuf {
        match self {
            Implementation::Intel => intel_library(),
            Implementation::Pocl => PathBuf::from("pocl.icd"),
        }
    }
}

/// A temporary folder with one executable, its kernels and its .aocx files.
pub struct Case {
    pub on: Implementation,
    folder: TempDir,
}

/// What a run left.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// The standard output of a run that went well and said nothing on stderr.
    #[track_caller]
    pub fn quiet(self) -> String {
        assert_eq!(
            (self.code, self.stderr.as_str()),
            (Some(0), ""),
            "{}",
            self.stdout
        );
        self.stdout
    }
}

/// How a host's text is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patch {
    /// With the calls changed, as fpgacc compiles a host.
    Calls,
    /// Untouched, as in a prebuilt object: only the link knows of the runtime.
    Nothing,
}

#[track_caller]
pub fn succeed(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?} failed:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

fn scratch() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runtime");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Where PoCL keeps what it compiled: many tests have the same kernels.
fn pocl_cache() -> PathBuf {
    scratch().join("pocl-cache")
}

/// The library's sources in a folder.
pub fn write_sources(folder: &Path) {
    for (name, text) in SOURCES {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

/// The compiled library: its folder and objects. Compiled once a test run, with every warning an
/// error.
pub fn library() -> &'static (PathBuf, Vec<PathBuf>) {
    static LIBRARY: OnceLock<(PathBuf, Vec<PathBuf>)> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        require("/usr/include/CL/cl.h", "opencl-c-headers");
        require("/etc/OpenCL/vendors/pocl.icd", "pocl-opencl-icd");
        let folder = scratch().join("library");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        write_sources(&folder);
        let mut objects = Vec::new();
        for (name, _) in SOURCES.iter().filter(|(name, _)| name.ends_with(".c")) {
            let object = folder.join(name).with_extension("o");
            succeed(
                Command::new("cc")
                    .args([
                        "-std=c99",
                        "-pedantic",
                        "-Wall",
                        "-Wextra",
                        "-Werror",
                        "-g",
                        "-O1",
                    ])
                    .arg("-c")
                    .arg(folder.join(name))
                    .arg("-o")
                    .arg(&object),
            );
            objects.push(object);
        }
        (folder, objects)
    })
}

fn make_aocx_tool() -> &'static Path {
    static TOOL: OnceLock<PathBuf> = OnceLock::new();
    TOOL.get_or_init(|| {
        let folder = scratch();
        std::fs::write(folder.join("ocl.h"), include_str!("hosts/ocl.h")).unwrap();
        std::fs::write(
            folder.join("make_aocx.c"),
            include_str!("hosts/make_aocx.c"),
        )
        .unwrap();
        let tool = folder.join("make_aocx");
        succeed(
            Command::new("cc")
                .arg(folder.join("make_aocx.c"))
                .arg("-o")
                .arg(&tool)
                .arg("-lOpenCL"),
        );
        tool
    })
}

impl Case {
    pub fn new(on: Implementation) -> Self {
        library();
        Case {
            on,
            folder: TempDir::new().unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), contents).unwrap();
    }

    /// Compiles kernels for the implementation, as fpgacc-aoc would.
    pub fn aocx(&self, name: &str, kernels: &str, options: &str) {
        type Key = (Implementation, String, String);
        static MADE: Mutex<BTreeMap<Key, Vec<u8>>> = Mutex::new(BTreeMap::new());
        let key = (self.on, kernels.to_owned(), options.to_owned());
        let known = MADE.lock().unwrap().get(&key).cloned();
        if let Some(bytes) = known {
            return self.write(name, bytes);
        }
        self.write("compiled.cl", kernels);
        succeed(
            Command::new(make_aocx_tool())
                .arg(self.path("compiled.cl"))
                .arg(self.path(name))
                .arg(options)
                .env("OCL_ICD_VENDORS", self.on.vendors())
                .envs(cpu_target())
                .env("POCL_CACHE_DIR", pocl_cache()),
        );
        let bytes = std::fs::read(self.path(name)).unwrap();
        MADE.lock().unwrap().insert(key, bytes);
    }

    /// The manifest of an executable with these programs.
    pub fn manifest(&self, programs: Vec<Program>) -> Manifest {
        Manifest {
            target: self.on.target(),
            programs,
            left_to_device: Vec::new(),
            launched_at: Vec::new(),
        }
    }

    /// Makes `app` from one C host and the runtime.
    pub fn link(&self, programs: Vec<Program>, host: &str, patch: Patch) {
        self.link_manifest(&self.manifest(programs), host, patch);
    }

    /// As [`Self::link`], with a manifest of the caller's.
    pub fn link_manifest(&self, manifest: &Manifest, host: &str, patch: Patch) {
        self.compile("host.c", "cc", &[], manifest, host, patch);
        self.link_objects("cc", &[]);
    }

    /// Compiles a host and a manifest.
    pub fn compile(
        &self,
        file: &str,
        compiler: &str,
        options: &[&str],
        manifest: &Manifest,
        host: &str,
        patch: Patch,
    ) {
        let (folder, _) = library();
        self.write("ocl.h", include_str!("hosts/ocl.h"));
        self.write("manifest.c", manifest.to_c());
        let text = match patch {
            Patch::Calls => patched(file, host),
            Patch::Nothing => host.to_owned(),
        };
        self.write(file, text);
        succeed(
            Command::new("cc")
                .args(["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-c"])
                .arg("-I")
                .arg(folder)
                .arg(self.path("manifest.c"))
                .arg("-o")
                .arg(self.path("manifest.o")),
        );
        succeed(
            Command::new(compiler)
                .args(["-Wall", "-Wextra", "-Werror", "-Wno-unused-variable", "-c"])
                .args(options)
                .arg("-I")
                .arg(folder)
                .arg(self.path(file))
                .arg("-o")
                .arg(self.path("host.o")),
        );
    }

    /// Links what [`Self::compile`] left with the runtime.
    pub fn link_objects(&self, compiler: &str, options: &[String]) {
        let (_, objects) = library();
        succeed(
            Command::new(compiler)
                .arg(self.path("host.o"))
                .arg(self.path("manifest.o"))
                .args(objects)
                .args(
                    (WRAPPED.iter().chain(WRAPPED_LOOKUPS))
                        .map(|name| format!("-Wl,--wrap={name}")),
                )
                .args(options)
                .arg("-o")
                .arg(self.path("app"))
                .args(["-lOpenCL", "-pthread"]),
        );
    }

    /// Makes `libNAME.so`.
    pub fn shared_library(&self, name: &str, text: &str) {
        let source = self.path(&format!("{name}.c"));
        std::fs::write(&source, text).unwrap();
        succeed(
            Command::new("cc")
                .args(["-shared", "-fPIC"])
                .arg(source)
                .arg("-o")
                .arg(self.path(&format!("lib{name}.so")))
                .arg("-ldl"),
        );
    }

    /// Runs `app` in its folder with an environment that chooses nothing.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, &[])
    }

    pub fn run_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
        let mut command = Command::new(self.path("app"));
        for name in ["OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"] {
            command.env_remove(name);
        }
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("FPGACC_") {
                command.env_remove(name);
            }
        }
        let output = command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("POCL_CACHE_DIR", pocl_cache())
            .envs(environment.iter().copied())
            .output()
            .unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// What the host prints when the device's own compiler builds the original kernels.
    pub fn run_original(&self, arguments: &[&str]) -> String {
        let ran = self.run_with(arguments, &[("FPGACC_ORIGINAL", "1")]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.stdout
    }
}

/// A host as fpgacc compiles it.
fn patched(file: &str, host: &str) -> String {
    let mut text = host.to_owned();
    for call in [
        "clEnqueueNDRangeKernel",
        "clEnqueueTask",
        "clCreateProgramWithSource",
        "clBuildProgram",
    ] {
        text = text.replace(
            &format!("{call}("),
            &format!("fpgacc_{call}(__FILE__, __LINE__, "),
        );
    }
    format!("#include \"fpgacc_rt.h\"\n#line 1 \"{file}\"\n{text}")
}

/// `app.aocx` of one program.
pub fn program(name: &str, text: &str, kernels: Vec<Kernel>) -> Program {
    Program {
        name: name.to_owned(),
        source_hash: text_hash(text.as_bytes()),
        aocx: "app.aocx".to_owned(),
        build: None,
        defines: Vec::new(),
        macro_names: Vec::new(),
        any_macro: false,
        options: Vec::new(),
        folders: Vec::new(),
        headers: Vec::new(),
        kernels: Some(kernels),
    }
}

/// A kernel; as a single work-item it counts in `int`, and holds no larger groups than the runtime chooses.
pub fn kernel(name: &str, form: Form, params: Vec<Param>) -> Kernel {
    let mut guards = BTreeSet::new();
    if let Form::Task(task) = &form {
        guards.insert(Guard::IntLoops);
        guards.extend(task.max_group_size.map(Guard::GroupSize));
    }
    Kernel {
        name: name.to_owned(),
        params,
        reqd_work_group_size: None,
        contract: LaunchContract {
            form,
            guards,
            ..LaunchContract::default()
        },
        others: Vec::new(),
        spare: false,
    }
}

/// The kernels of `fill.cl`, as single work-items.
pub fn fill_kernels() -> Vec<Kernel> {
    let kernels = ["fill", "twice"].map(|name| {
        kernel(
            name,
            Form::Task(task(vec![Hidden::Global(0)])),
            vec![param("out", "int*", ParamKind::Global, 8)],
        )
    });
    kernels.to_vec()
}

pub fn task(hidden: Vec<Hidden>) -> Task {
    Task {
        hidden,
        max_group_size: None,
        null_local: NullLocal::Divisor,
    }
}

pub fn param(name: &str, type_name: &str, kind: ParamKind, size: u32) -> Param {
    Param {
        name: name.to_owned(),
        type_name: type_name.to_owned(),
        kind,
        size,
        is_const: false,
        is_volatile: false,
        is_restrict: false,
    }
}

/// Every part of the geometry.
pub fn all_hidden() -> Vec<Hidden> {
    let mut hidden: Vec<Hidden> = (0..3).map(Hidden::Offset).collect();
    hidden.extend((0..3).map(Hidden::Global));
    hidden.extend((0..3).map(Hidden::Local));
    hidden.push(Hidden::WorkDim);
    hidden
}
