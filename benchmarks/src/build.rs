//! Building a program: plainly, and with fpgacc.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fpgacc_aoc_wrappers::cc::{CcError, Compiler, Language};
use fpgacc_aoc_wrappers::process::{Command, ProcessError, Status};

use crate::catalog::Program;
use crate::platform::Platform;

/// A build or a run may take this long; the slowest known takes seconds.
pub const LIMIT: Duration = Duration::from_secs(300);

/// Why a program was not built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// There is no compiler.
    #[error(transparent)]
    Compiler(#[from] CcError),
    /// The compiler or fpgacc could not be run.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The compiler or fpgacc failed.
    #[error("`{line}`: {status}\n{output}")]
    Failed {
        /// The command.
        line: String,
        /// How it ended.
        status: Status,
        /// What it wrote.
        output: String,
    },
}

/// A built program.
#[derive(Clone, Debug)]
pub struct Built {
    /// The executable.
    pub executable: PathBuf,
    /// How long the build took.
    pub time: Duration,
    /// What fpgacc says that it did; nothing for an original.
    pub remarks: Vec<Remark>,
}

/// Builds the original: its hosts with the C or C++ compiler, linked with the ICD loader.
pub fn original(program: &Program, folder: &Path, output: &Path) -> Result<Built, BuildError> {
    plain(program, folder, output, &["-O2"])
}

/// Builds the original so that runs state in which line they call what.
pub fn traceable(program: &Program, folder: &Path, output: &Path) -> Result<Built, BuildError> {
    plain(program, folder, output, &["-g", "-O1", "-w"])
}

fn plain(
    program: &Program,
    folder: &Path,
    output: &Path,
    how: &[&str],
) -> Result<Built, BuildError> {
    let compiler = match program.is_cxx() {
        true => Language::Cxx,
        false => Language::C,
    };
    let mut args: Vec<OsString> = how.iter().map(OsString::from).collect();
    args.extend(["-o".into(), output.into()]);
    args.extend(language(program).map(OsString::from));
    args.extend(program.hosts().map(OsString::from));
    // Libraries among the flags are of no language.
    args.extend(language(program).map(|_| OsString::from("-xnone")));
    let flags = program.flags.iter().filter(|flag| *flag != "-xc++");
    args.extend(flags.map(OsString::from));
    args.push("-lOpenCL".into());
    let command = Compiler::find(compiler)?.command();
    run(command.args(args).dir(folder), output)
}

/// `-xc++`, which stands before the hosts that it is for, if a program has it.
pub fn language(program: &Program) -> Option<&str> {
    let mut flags = program.flags.iter().map(String::as_str);
    flags.find(|flag| *flag == "-xc++")
}

/// Builds the program with fpgacc for a platform. fpgacc gets what the user would give it: all
/// sources, the flags of the original.
pub fn with_fpgacc(
    fpgacc: &Path,
    program: &Program,
    folder: &Path,
    platform: &Platform,
    output: &Path,
) -> Result<Built, BuildError> {
    let mut args: Vec<OsString> = vec!["-O2".into(), "-Rpass".into(), "-o".into(), output.into()];
    args.push(format!("--platform={}", platform.name).into());
    args.extend(program.sources.iter().map(OsString::from));
    args.extend(program.flags.iter().map(OsString::from));
    run(Command::new(fpgacc).args(args).dir(folder), output)
}

fn run(command: Command, output: &Path) -> Result<Built, BuildError> {
    let start = Instant::now();
    let command = command.limit(LIMIT);
    let captured = command.capture()?;
    let time = start.elapsed();
    let text = captured.stderr_text();
    if !captured.status.success() {
        return Err(BuildError::Failed {
            line: command.line(),
            status: captured.status,
            output: format!("{}{text}", captured.stdout_text()),
        });
    }
    Ok(Built {
        executable: output.to_path_buf(),
        time,
        remarks: text.lines().filter_map(Remark::parse).collect(),
    })
}

/// A remark of fpgacc: `file:line:col: remark: kernel 'k': text [-Rpass=pass]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The kernel.
    pub kernel: String,
    /// The pass that rewrote it.
    pub pass: String,
    /// What it did.
    pub text: String,
}

impl Remark {
    /// Reads a line of fpgacc's output; `None` if it is no remark on a rewrite.
    pub fn parse(line: &str) -> Option<Self> {
        let (_, rest) = line.split_once(": remark: kernel '")?;
        let (kernel, rest) = rest.split_once("': ")?;
        let (text, pass) = rest
            .trim_end()
            .strip_suffix(']')?
            .rsplit_once(" [-Rpass=")?;
        Some(Remark {
            kernel: kernel.to_string(),
            pass: pass.to_string(),
            text: text.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_remarks() {
        let line =
            "k.cl:3:1: remark: kernel 'scale': runs as [one] work-item [-Rpass=ndrange-to-loop]";
        let remark = Remark::parse(line).unwrap();
        assert_eq!(remark.kernel, "scale");
        assert_eq!(remark.pass, "ndrange-to-loop");
        assert_eq!(remark.text, "runs as [one] work-item");
        let missed = "k.cl:3:1: remark: kernel 'scale': no [-Rpass-missed=reduction]";
        assert_eq!(Remark::parse(missed), None);
        assert_eq!(Remark::parse("  |  __kernel void scale()"), None);
    }
}
