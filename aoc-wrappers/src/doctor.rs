//! What is installed, what is missing, and what brings it.

use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

use crate::aoc::{Aoc, AocError};
use crate::backend::Backend;
use crate::cc::{CcError, Compiler, Language, Source};
use crate::emulator::{self, Emulator, EmulatorError, POCL_REMEDY};
use crate::process::Command;
use crate::progress::Progress;
use crate::request::{BuildRequest, KernelSource};

/// Whether a tool can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is there and does its work.
    Works,
    /// It is not there.
    Missing,
    /// It is there and fails.
    Broken,
}

impl State {
    /// The word in the table.
    pub fn name(self) -> &'static str {
        match self {
            State::Works => "ok",
            State::Missing => "missing",
            State::Broken => "broken",
        }
    }
}

/// What a tool is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Nothing works without it.
    Always,
    /// One of these is needed.
    Backend,
    /// Tests and some commands use it.
    Sometimes,
}

/// One tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub name: &'static str,
    /// What it is for.
    pub need: Need,
    /// Whether it works.
    pub state: State,
    /// Version and place, or what is wrong.
    pub detail: String,
    /// What to do if it does not work.
    pub remedy: String,
}

/// All tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// In the order of the table.
    pub items: Vec<Item>,
}

impl Report {
    /// Whether programs can be compiled and run here: all that is always needed works, and one
    /// backend does.
    pub fn usable(&self) -> bool {
        let works = |item: &Item| item.state == State::Works;
        let of = |need| self.items.iter().filter(move |item| item.need == need);
        of(Need::Always).all(works) && of(Need::Backend).any(works)
    }

    /// The report as text, a line for each tool and one for each remedy.
    pub fn table(&self) -> String {
        let width = self.items.iter().map(|item| item.name.len()).max();
        let width = width.unwrap_or_default();
        let mut text = String::new();
        for item in &self.items {
            let state = item.state.name();
            text += &format!("{state:<8} {:<width$}  {}\n", item.name, item.detail);
            if item.state != State::Works {
                text += &format!("{:8} {:width$}  -> {}\n", "", "", item.remedy);
            }
        }
        text += match self.usable() {
            true => "fpgacc can compile and run programs here.\n",
            false => "fpgacc cannot compile and run programs here yet: see the lines with ->.\n",
        };
        text
    }
}

/// Looks at every tool, and builds a small kernel with every backend.
pub fn examine() -> Report {
    let (cc, c_compiler) = compiler("C compiler", Language::C);
    let mut items = vec![
        c_compiler,
        compiler("C++ compiler", Language::Cxx).1,
        program("linker", Need::Always, &["ld"], "binutils"),
        program("objcopy", Need::Always, &["objcopy"], "binutils"),
    ];
    items.push(headers(&cc));
    items.push(link_library(&cc));
    items.push(loader());
    items.push(emulator(
        "Intel FPGA emulator",
        Emulator::find_intel(),
        "run `make deps` in fpgacc's source folder",
    ));
    items.push(emulator("PoCL", Emulator::find_pocl(), POCL_REMEDY));
    items.push(aoc());
    items.push(program(
        "Oclgrind",
        Need::Sometimes,
        &["oclgrind"],
        "oclgrind",
    ));
    let clangs = ["clang-14", "clang", "clang-15", "clang-16"];
    items.push(program("clang", Need::Sometimes, &clangs, "clang-14"));
    Report { items }
}

fn install(package: &str) -> String {
    format!("install the Debian package `{package}`")
}

/// The compiler of a language, if it runs, and what is said of it.
fn compiler(name: &'static str, language: Language) -> (Result<Compiler, CcError>, Item) {
    let named = |compiler: Compiler| compiler.version().map(|version| (compiler, version));
    let found = Compiler::find(language).and_then(named);
    let (state, detail, remedy) = match &found {
        Ok((compiler, version)) => {
            let detail = format!("{version}, {}", compiler.program().display());
            (State::Works, detail, String::new())
        }
        Err(error @ CcError::Missing { .. }) => {
            (State::Missing, "not found".to_string(), error.to_string())
        }
        Err(error) => {
            let remedy = "correct $CC and $CXX, or install the package again";
            (State::Broken, error.to_string(), remedy.to_string())
        }
    };
    let item = Item {
        name,
        need: Need::Always,
        state,
        detail,
        remedy,
    };
    (found.map(|(compiler, _)| compiler), item)
}

/// A program that says its version.
fn program(name: &'static str, need: Need, names: &[&str], package: &str) -> Item {
    let found = names.iter().find_map(|name| which::which(name).ok());
    let (state, detail) = match &found {
        Some(path) => (State::Works, said_version(path)),
        None => (State::Missing, "not found".to_string()),
    };
    Item {
        name,
        need,
        state,
        detail,
        remedy: install(package),
    }
}

fn said_version(path: &Path) -> String {
    let text = Command::new(path)
        .arg("--version")
        .capture()
        .map(|captured| captured.stdout_text())
        .unwrap_or_default();
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    format!("{}, {}", line.unwrap_or("version unknown"), path.display())
}

fn headers(cc: &Result<Compiler, CcError>) -> Item {
    tried(
        "OpenCL headers",
        "opencl-headers",
        "CL/cl.h found",
        cc,
        |cc, source, _| cc.preprocess_host(source, &[]).map(|_| ()),
    )
}

fn link_library(cc: &Result<Compiler, CcError>) -> Item {
    tried(
        "OpenCL library",
        "ocl-icd-opencl-dev",
        "-lOpenCL links",
        cc,
        |cc, source, folder| {
            let object = folder.join("test.o");
            cc.compile(source, &[], &object)?;
            let args: [OsString; 2] = [object.into(), "-lOpenCL".into()];
            cc.link(&args, &folder.join("test")).map(|_| ())
        },
    )
}

/// Something that the C compiler does if a package is installed.
fn tried(
    name: &'static str,
    package: &str,
    fine: &str,
    cc: &Result<Compiler, CcError>,
    attempt: impl Fn(&Compiler, Source, &Path) -> Result<(), CcError>,
) -> Item {
    const TEST: &str = "#define CL_TARGET_OPENCL_VERSION 120\n#include <CL/cl.h>\n\
                        int main(void) { return clGetPlatformIDs(0, 0, 0) == 1; }\n";
    let folder = tempfile::tempdir();
    let done = match (cc, &folder) {
        (Ok(cc), Ok(folder)) => {
            let source = Source {
                path: Path::new("test.c"),
                text: Some(TEST.as_bytes()),
            };
            attempt(cc, source, folder.path()).map_err(|error| error.to_string())
        }
        (Err(_), _) => Err("cannot be tried without a C compiler".to_string()),
        (_, Err(error)) => Err(format!("cannot be tried: {error}")),
    };
    let (state, detail) = match done {
        Ok(()) => (State::Works, fine.to_string()),
        Err(error) => (State::Missing, error),
    };
    Item {
        name,
        need: Need::Always,
        state,
        detail,
        remedy: install(package),
    }
}

fn loader() -> Item {
    let (state, detail) = match emulator::try_loader() {
        Ok(()) => (State::Works, "libOpenCL.so.1 loads".to_string()),
        Err(EmulatorError::NoLoader) => {
            (State::Missing, "libOpenCL.so.1 does not load".to_string())
        }
        Err(error) => (State::Broken, error.to_string()),
    };
    Item {
        name: "OpenCL ICD loader",
        need: Need::Always,
        state,
        detail,
        remedy: install("ocl-icd-libopencl1"),
    }
}

fn emulator(
    name: &'static str,
    found: Result<Emulator, EmulatorError>,
    remedy: &'static str,
) -> Item {
    let mut item = Item {
        name,
        need: Need::Backend,
        state: State::Works,
        detail: String::new(),
        remedy: remedy.to_string(),
    };
    let emulator = match found {
        Ok(emulator) => emulator,
        Err(error) => {
            item.state = State::Missing;
            item.detail = "not found".to_string();
            // It says what to do, with what the environment names.
            item.remedy = error.to_string();
            return item;
        }
    };
    let described = emulator.describe().map_err(|error| error.to_string());
    let built = described.and_then(|description| {
        let time = small_build(Backend::Emulator(emulator.clone()))?;
        Ok(format!(
            "{}; {}; {}; {time}",
            description.platform,
            description.device,
            emulator.library().display()
        ))
    });
    match built {
        Ok(detail) => item.detail = detail,
        Err(error) => {
            item.state = State::Broken;
            item.detail = error;
        }
    }
    item
}

fn aoc() -> Item {
    let mut item = Item {
        name: "aoc (for hardware)",
        need: Need::Backend,
        state: State::Works,
        detail: String::new(),
        remedy: "install Intel's FPGA SDK for OpenCL and source its init_opencl.sh, or name aoc \
                 in $FPGACC_AOC; emulators need none"
            .to_string(),
    };
    let aoc = match Aoc::find(None) {
        Ok(aoc) => aoc,
        Err(AocError::Missing) => {
            item.state = State::Missing;
            item.detail = "not found".to_string();
            return item;
        }
        Err(error) => {
            item.state = State::Broken;
            item.detail = error.to_string();
            return item;
        }
    };
    let boards = aoc.boards().unwrap_or_default();
    let boards = match boards.is_empty() {
        true => "no boards".to_string(),
        false => format!("boards {}", boards.join(", ")),
    };
    item.detail = format!("{}, {}; {boards}", aoc.version(), aoc.program().display());
    match small_build(Backend::Aoc(aoc)) {
        Ok(time) => item.detail += &format!("; {time}"),
        Err(error) => {
            item.state = State::Broken;
            item.detail += &format!("; {error}");
        }
    }
    item
}

/// Builds a kernel for the emulator and says how long it took, or why it failed.
fn small_build(backend: Backend) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let source = KernelSource {
        path: "test.cl".into(),
        text: "__kernel void test(__global int *a) { a[get_global_id(0)] = 1; }\n".to_string(),
    };
    let request = BuildRequest::new(vec![source], folder.path().join("test.aocx"));
    let start = Instant::now();
    backend
        .build(&request, None, Progress::Quiet)
        .map_err(|error| format!("a small build fails: {error}"))?;
    Ok(format!("builds in {:.1} s", start.elapsed().as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(need: Need, state: State) -> Item {
        Item {
            name: "tool",
            need,
            state,
            detail: "detail".into(),
            remedy: "install it".into(),
        }
    }

    #[test]
    fn usable_with_all_that_is_needed_and_one_backend() {
        let usable = |items: &[(Need, State)]| {
            let items = items.iter().map(|&(need, state)| item(need, state));
            let report = Report {
                items: items.collect(),
            };
            report.usable()
        };
        use Need::*;
        use State::*;
        assert!(usable(&[
            (Always, Works),
            (Backend, Missing),
            (Backend, Works),
            (Sometimes, Missing)
        ]));
        assert!(!usable(&[
            (Always, Works),
            (Backend, Missing),
            (Backend, Broken)
        ]));
        assert!(!usable(&[(Always, Missing), (Backend, Works)]));
    }

    #[test]
    fn the_table_names_the_remedy_of_what_does_not_work() {
        let report = Report {
            items: vec![
                item(Need::Always, State::Works),
                item(Need::Backend, State::Missing),
            ],
        };
        assert_eq!(
            report.table(),
            "ok       tool  detail\nmissing  tool  detail\n               -> install it\n\
             fpgacc cannot compile and run programs here yet: see the lines with ->.\n"
        );
    }
}
