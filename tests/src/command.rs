//! Finding the commands under test, and running them in a folder of their own.

use std::ffi::{OsStr, OsString};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use fpgacc_aoc_wrappers::cpu_target::cpu_target;
use fpgacc_aoc_wrappers::emulator::Emulator;

/// The folder of the built commands, `target/<profile>`: where this test's own executable lies.
///
/// # Panics
/// If `fpgacc` is not built.
pub fn built() -> PathBuf {
    let own = std::env::current_exe().expect("a process knows its executable");
    let mut folder = own.parent().expect("it lies in a folder").to_path_buf();
    if folder.ends_with("deps") {
        folder.pop();
    }
    assert!(
        folder.join("fpgacc").is_file() && folder.join("fpgacc-aoc").is_file(),
        "there are no fpgacc and fpgacc-aoc in {}: run `cargo build --workspace` first",
        folder.display()
    );
    folder
}

/// `$PATH` with the folder of the built commands in front.
///
/// # Panics
/// If `fpgacc` is not built.
pub fn path_with_fpgacc() -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(built()).chain(std::env::split_paths(&path));
    std::env::join_paths(folders).expect("a folder of $PATH has no colon")
}

/// The implementations on which programs run as they are: names, and shell words that choose them.
///
/// # Panics
/// If the emulator is not installed.
pub fn implementations() -> [(&'static str, String); 2] {
    let emulator = Emulator::find_intel().expect("make deps installs the emulator");
    let mut intel = format!("OCL_ICD_VENDORS={}", emulator.library().display());
    for (name, value) in cpu_target() {
        intel += &format!(" {name}={value}");
    }
    [("pocl", String::new()), ("intel", intel)]
}

/// What a command did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its exit code; `None` if a signal killed it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Outcome {
    /// Itself, if the command succeeded.
    ///
    /// # Panics
    /// If it failed; with all that it said.
    #[track_caller]
    pub fn success(self) -> Self {
        assert_eq!(self.code, Some(0), "{}{}", self.stdout, self.stderr);
        self
    }

    /// Itself, if the command failed with exit code 1 and did not panic.
    ///
    /// # Panics
    /// If not.
    #[track_caller]
    pub fn failure(self) -> Self {
        assert_eq!(self.code, Some(1), "{}{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }
}

/// A temporary folder in which commands run as a user would run them: fpgacc is in the path, no
/// variable of the tester's own reaches it.
#[derive(Debug)]
pub struct Workshop {
    folder: tempfile::TempDir,
}

impl Default for Workshop {
    fn default() -> Self {
        Self::new()
    }
}

impl Workshop {
    /// An empty one.
    ///
    /// # Panics
    /// If there is no place for it.
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("fpgacc-test-").tempdir();
        Workshop {
            folder: folder.expect("a temporary folder"),
        }
    }

    /// One with the host and the kernels of `tests/fixture`.
    ///
    /// # Panics
    /// If they cannot be copied.
    pub fn with_fixture() -> Self {
        let shop = Self::new();
        for name in ["host.c", "k.cl"] {
            let from = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("fixture")
                .join(name);
            std::fs::copy(from, shop.path(name)).expect("the fixture is there");
        }
        shop
    }

    /// The path of a file in it.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, with the folders above it.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(path, bytes).expect("a file");
    }

    /// The path of a program in it that says that it is an aoc of this version, and nothing else.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn aoc(&self, version: &str) -> String {
        let name = format!("aoc-{version}");
        let text = format!(
            "#!/bin/sh\necho 'Intel(R) FPGA SDK for OpenCL(TM), 64-Bit Offline Compiler'\n\
             echo 'Version {version} Build 1'\n"
        );
        self.write(&name, text);
        let program = self.path(&name);
        std::fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("a file of ours");
        program.display().to_string()
    }

    /// The bytes of a file.
    ///
    /// # Panics
    /// If it is not there.
    #[track_caller]
    pub fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        let path = self.path(name);
        match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => panic!("{}: {error}", path.display()),
        }
    }

    /// A file as text.
    ///
    /// # Panics
    /// If it is not there.
    #[track_caller]
    pub fn text(&self, name: impl AsRef<Path>) -> String {
        String::from_utf8_lossy(&self.read(name)).into_owned()
    }

    /// Everything in it, sorted: paths below it, folders with a slash after them.
    ///
    /// # Panics
    /// If it cannot be read.
    pub fn entries(&self) -> Vec<String> {
        let mut names = Vec::new();
        list(self.folder.path(), "", &mut names);
        names.sort();
        names
    }

    /// A command that will run in it.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.folder.path())
            .env("PATH", path_with_fpgacc())
            .env("LC_ALL", "C");
        for name in [
            "CC",
            "CXX",
            "FPGACC_TARGET",
            "FPGACC_PLATFORM",
            "FPGACC_AOC",
            "INTELFPGAOCLSDKROOT",
            "ALTERAOCLSDKROOT",
            "MAKEFLAGS",
            "MAKELEVEL",
        ] {
            command.env_remove(name);
        }
        command
    }

    /// Runs `fpgacc` with words split at blanks.
    pub fn fpgacc(&self, words: &str) -> Outcome {
        self.run(self.command("fpgacc").args(words.split_whitespace()))
    }

    /// Runs a line of shell.
    pub fn sh(&self, line: &str) -> Outcome {
        self.run(self.command("sh").args(["-c", line]))
    }

    /// Runs a command to its end.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn run(&self, command: &mut Command) -> Outcome {
        let output = command.output().expect("the command starts");
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

fn list(folder: &Path, prefix: &str, names: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            list(&entry.path(), &format!("{name}/"), names);
            names.push(format!("{name}/"));
        } else {
            names.push(name);
        }
    }
}

/// Asserts that a text contains all parts.
#[track_caller]
pub fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}
