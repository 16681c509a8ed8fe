//! What is to be built: kernels, options, target. The same for every backend.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::cc::c_string;

/// Where the kernels will run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// On an emulator, on this machine's processor.
    Emulator,
    /// In an RTL simulator (needs Intel's SDK).
    Simulator,
    /// On an FPGA board (needs Intel's SDK).
    Hardware,
}

impl Target {
    /// What `--target=` calls it.
    pub fn name(self) -> &'static str {
        match self {
            Target::Emulator => "emulator",
            Target::Simulator => "simulator",
            Target::Hardware => "hardware",
        }
    }
}

/// How far to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// To an .aoco: parsed (`aoc -c`).
    Object,
    /// To an .aocr: RTL and reports (`aoc -rtl`).
    Rtl,
    /// To an .aocx.
    Full,
}

/// Which profiling counters go into the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// `-profile`: the version's default.
    Default,
    /// `-profile=all`.
    All,
    /// `-profile=autorun`.
    Autorun,
    /// `-profile=enqueued`.
    Enqueued,
}

/// A text of kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelSource {
    /// The file's path as the user gave it: in messages, and for quoted includes.
    pub path: PathBuf,
    /// What it holds, or what is to be compiled in its place.
    pub text: String,
}

/// One build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildRequest {
    /// The kernels.
    pub sources: Vec<KernelSource>,
    /// The file to make.
    pub output: PathBuf,
    /// Where the output will be at last, if not there: reports, and what a failed build leaves, are
    /// put beside it. In the same file system.
    pub destination: Option<PathBuf>,
    /// Where they will run.
    pub target: Target,
    /// How far to build.
    pub stage: Stage,
    /// `-board=`; `None`: the tool's default.
    pub board: Option<String>,
    /// Macros, `NAME` or `NAME=VALUE`, in order.
    pub defines: Vec<String>,
    /// Macros to undefine, after the definitions.
    pub undefines: Vec<String>,
    /// Folders of headers (`-I`), in order. A source's own folder comes before them.
    pub includes: Vec<PathBuf>,
    /// Options of OpenCL's own (`-cl-mad-enable`, `-cl-std=CL1.2`, `-w`, `-Werror`).
    pub cl_options: Vec<String>,
    /// `-g`.
    pub debug: bool,
    /// `-report`: the estimate is also printed.
    pub report: bool,
    /// `-profile`.
    pub profile: Option<Profile>,
    /// Floating-point operations may be reordered (`-fp-relaxed`).
    pub fp_relaxed: bool,
    /// Intermediate roundings may be dropped (`-fpc`).
    pub fp_contract: bool,
    /// Emulators may compute several work-items at a time. Intel's has other library functions then.
    pub vectors: bool,
    /// The emulator of before 19.1 (`-legacy-emulator`).
    pub legacy_emulator: bool,
    /// `-v`.
    pub verbose: bool,
    /// The bytes of the cache of `__constant` memory (`-const-cache-bytes`); `None`: the tool's
    /// default.
    pub constant_cache: Option<u64>,
    /// Further flags for aoc, handed on untouched.
    pub extra: Vec<OsString>,
}

impl BuildRequest {
    /// A full build for the emulator without any option.
    pub fn new(sources: Vec<KernelSource>, output: impl Into<PathBuf>) -> Self {
        BuildRequest {
            sources,
            output: output.into(),
            destination: None,
            target: Target::Emulator,
            stage: Stage::Full,
            board: None,
            defines: Vec::new(),
            undefines: Vec::new(),
            includes: Vec::new(),
            cl_options: Vec::new(),
            debug: false,
            report: false,
            profile: None,
            fp_relaxed: false,
            fp_contract: false,
            legacy_emulator: false,
            verbose: false,
            vectors: true,
            constant_cache: None,
            extra: Vec::new(),
        }
    }

    /// Where the output will be at last.
    pub fn destination(&self) -> &Path {
        self.destination.as_deref().unwrap_or(&self.output)
    }

    /// The text of a source for an online compiler: macros as `#define` lines, which need no
    /// quoting, and the file's name for messages.
    pub(crate) fn online_text(&self, source: &KernelSource) -> String {
        let mut text = String::new();
        if let Some(board) = &self.board {
            text += &define_line(&format!("AOCL_BOARD_{board}=1"));
        }
        for define in &self.defines {
            text += &define_line(define);
        }
        for name in &self.undefines {
            text += &format!("#undef {name}\n");
        }
        let name = c_string(&source.path.to_string_lossy());
        text += &format!("#line 1 {name}\n");
        text + &source.text
    }

    /// Every folder in which a header of `source` is looked for, in order.
    pub(crate) fn header_folders<'a>(
        &'a self,
        source: &'a KernelSource,
    ) -> impl Iterator<Item = &'a Path> {
        let own = match source.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        std::iter::once(own).chain(self.includes.iter().map(PathBuf::as_path))
    }
}

/// A `-D` as a line of source: `A` is `#define A 1`, `F(x)=x` is `#define F(x) x`.
fn define_line(define: &str) -> String {
    match define.split_once('=') {
        Some((name, value)) => format!("#define {name} {value}\n"),
        None => format!("#define {define} 1\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_become_lines_before_the_text() {
        let source = KernelSource {
            path: "d/k \"1\".cl".into(),
            text: "int a;\n".into(),
        };
        let mut request = BuildRequest::new(vec![source.clone()], "k.aocx");
        request.defines = vec!["N".into(), "S=\"a b\"".into(), "F(x)=(x)".into()];
        request.undefines = vec!["N".into()];
        assert_eq!(
            request.online_text(&source),
            "#define N 1\n#define S \"a b\"\n#define F(x) (x)\n#undef N\n\
             #line 1 \"d/k \\\"1\\\".cl\"\nint a;\n"
        );
        let folders: Vec<_> = request.header_folders(&source).collect();
        assert_eq!(folders, [Path::new("d")]);
    }
}
