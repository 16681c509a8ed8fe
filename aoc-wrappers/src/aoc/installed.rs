//! Finding aoc, and asking its version.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::AocError;
use super::flags;
use super::table::spelled;
use super::version::AocVersion;
use crate::process::Command;
use crate::request::BuildRequest;

/// How long `aoc -version` may take: perl, from a network folder, behind a licence check.
const VERSION_LIMIT: Duration = Duration::from_secs(60);

/// An aoc on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aoc {
    pub(super) program: PathBuf,
    pub(super) version: AocVersion,
    banner: String,
}

impl Aoc {
    /// The command for a build, for people.
    pub(crate) fn command_line(&self, request: &BuildRequest, sources: &[PathBuf]) -> String {
        let args = flags::arguments(&self.version, request, sources, request.destination());
        Command::new(&self.program)
            .args(args.unwrap_or_default())
            .line()
    }

    /// Finds it: `named` (from an option), `$FPGACC_AOC`, `$PATH`, `$INTELFPGAOCLSDKROOT/bin`,
    /// `$ALTERAOCLSDKROOT/bin`, in this order. A program called aoc in `$PATH` that is none
    /// (ours, for one) is passed over.
    pub fn find(named: Option<&Path>) -> Result<Self, AocError> {
        Self::find_in(named, &|name| std::env::var_os(name))
    }

    /// [`Aoc::find`], given the environment.
    pub fn find_in(
        named: Option<&Path>,
        variable: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Self, AocError> {
        if let Some(path) = named {
            return Self::named("--aoc", path, variable("PATH"));
        }
        if let Some(path) = variable("FPGACC_AOC").filter(|path| !path.is_empty()) {
            return Self::named("$FPGACC_AOC", Path::new(&path), variable("PATH"));
        }
        let mut refused = None;
        let here = std::env::current_dir().unwrap_or_default();
        let in_path = which::which_in_all("aoc", variable("PATH"), here);
        let in_path = in_path.into_iter().flatten();
        let in_sdk = ["INTELFPGAOCLSDKROOT", "ALTERAOCLSDKROOT"]
            .into_iter()
            .filter_map(variable)
            .filter_map(|root| which::which(Path::new(&root).join("bin/aoc")).ok());
        for program in in_path.chain(in_sdk) {
            match Self::at(&program) {
                Ok(aoc) => return Ok(aoc),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        match refused {
            // Ours under aoc's name is no failed SDK.
            Some(AocError::NotAoc { said, .. }) if said.starts_with("fpgacc-aoc") => {
                Err(AocError::Missing)
            }
            Some(error) => Err(error),
            None => Err(AocError::Missing),
        }
    }

    fn named(
        origin: &'static str,
        path: &Path,
        folders: Option<OsString>,
    ) -> Result<Self, AocError> {
        let here = std::env::current_dir().unwrap_or_default();
        let program = which::which_in(path, folders, here).map_err(|_| AocError::BadPath {
            origin,
            path: path.to_path_buf(),
        })?;
        Self::at(&program)
    }

    /// The aoc at this path.
    pub fn at(program: &Path) -> Result<Self, AocError> {
        Self::at_within(program, VERSION_LIMIT)
    }

    fn at_within(program: &Path, limit: Duration) -> Result<Self, AocError> {
        let mut said = String::new();
        // 17.1 and later know -version, all before --version.
        for flag in ["-version", "--version"] {
            let captured = Command::new(program).arg(flag).limit(limit).capture()?;
            let text = captured.stdout_text() + &captured.stderr_text();
            if text.contains("Offline Compiler")
                && let Some(version) = AocVersion::parse(&text)
            {
                return Ok(Aoc {
                    program: program.to_path_buf(),
                    version,
                    banner: text.trim().to_string(),
                });
            }
            if said.is_empty() {
                said = text.lines().next().unwrap_or_default().to_string();
            }
        }
        Err(AocError::NotAoc {
            path: program.to_path_buf(),
            said,
        })
    }

    /// Its path.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Its version.
    pub fn version(&self) -> &AocVersion {
        &self.version
    }

    /// What it says when asked for its version.
    pub fn banner(&self) -> &str {
        &self.banner
    }

    /// The boards that it can build for, as it lists them.
    pub fn boards(&self) -> Result<Vec<String>, AocError> {
        let captured = Command::new(&self.program)
            .args(spelled(&self.version, "list-boards", None))
            .limit(VERSION_LIMIT)
            .capture()?;
        Ok(parse_boards(&captured.stdout_text()))
    }
}

/// Board names from `aoc -list-boards`: the least indented lines below the heading that hold one
/// word; their memories, channels and packages stand indented further or after a colon.
fn parse_boards(text: &str) -> Vec<String> {
    text.lines()
        .skip_while(|line| !line.starts_with("Board list"))
        .skip(1)
        .filter(|line| {
            let indent = line.len() - line.trim_start().len();
            indent > 0 && indent <= 2 && !line.contains(':')
        })
        .map(|line| line.trim().trim_end_matches(" (default)").to_string())
        .filter(|name| !name.contains(' ') && !name.is_empty())
        .collect()
}

/// A file name that every version of aoc takes: it refuses or rewrites other characters.
pub(super) fn plain_name(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    let plain: String = name
        .chars()
        .map(|c| match c.is_ascii_alphanumeric() || c == '_' {
            true => c,
            false => '_',
        })
        .collect();
    match plain.is_empty() {
        true => "kernels".to_string(),
        false => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_list_of_boards() {
        let old = "Board list:\n  de5net_a7\n\n  p385a_sch_ax115\n     Memories: DDR, QDR\n\n";
        assert_eq!(parse_boards(old), ["de5net_a7", "p385a_sch_ax115"]);
        let new = "Board list:\n  pac_a10 (default)\n     Board Package: /opt/bsp\n  pac_s10\n     \
                   Board Package: /opt/bsp\n     Channels:      kernel_input\n";
        assert_eq!(parse_boards(new), ["pac_a10", "pac_s10"]);
        assert!(parse_boards("Board list:\n  none found\n").is_empty());
    }

    #[test]
    fn says_what_is_missing_and_the_way_out() {
        let text = AocError::Missing.to_string();
        for word in ["INTELFPGAOCLSDKROOT", "FPGACC_AOC", "init_opencl.sh"] {
            assert!(text.contains(word), "{text}");
        }
        let error = Aoc::named("$FPGACC_AOC", Path::new("/nonexistent/aoc"), None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "$FPGACC_AOC names /nonexistent/aoc, which cannot be run"
        );
    }

    /// A program that answers every call with `text`.
    fn program(path: &Path, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn saying(version: &str) -> String {
        format!(
            "echo 'Intel(R) FPGA SDK for OpenCL(TM), 64-Bit Offline Compiler'; echo 'Version \
             {version} Build 1'"
        )
    }

    #[test]
    fn another_program_is_not_taken_for_aoc() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("aoc");
        program(&path, "echo Art of Conversation");
        let error = Aoc::at(&path).unwrap_err().to_string();
        assert!(error.ends_with("says 'Art of Conversation'"), "{error}");
    }

    #[test]
    fn a_version_question_does_not_hang() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("aoc");
        program(&path, "exec sleep 60");
        let error = Aoc::at_within(&path, Duration::from_millis(50)).unwrap_err();
        assert!(error.to_string().contains("did not answer"), "{error}");
    }

    #[test]
    fn looks_where_the_sdk_puts_it() {
        let folder = tempfile::tempdir().unwrap();
        let paths = [
            "named/aoc",
            "variable/aoc",
            "path/aoc",
            "intel/bin/aoc",
            "altera/bin/aoc",
        ];
        for (path, version) in paths.iter().zip(["22.1", "22.2", "22.3", "20.1", "16.1"]) {
            program(&folder.path().join(path), &saying(version));
        }
        // Ours may stand before it in the path.
        program(&folder.path().join("ours/aoc"), "echo fpgacc-aoc 0.1.0");
        let at = |path: &str| folder.path().join(path).into_os_string();
        let mut path = at("ours");
        path.push(":");
        path.push(at("path"));
        let mut variables = vec![
            ("FPGACC_AOC", at("variable/aoc"), (22, 2)),
            ("PATH", path, (22, 3)),
            ("INTELFPGAOCLSDKROOT", at("intel"), (20, 1)),
            ("ALTERAOCLSDKROOT", at("altera"), (16, 1)),
        ];
        let named = Aoc::find_in(Some(&folder.path().join("named/aoc")), &|_| None).unwrap();
        assert!(named.version().at_least(22, 1) && !named.version().at_least(22, 2));
        while !variables.is_empty() {
            let expected = variables[0].2;
            let found = Aoc::find_in(None, &|name| {
                let set = variables.iter().find(|variable| variable.0 == name);
                set.map(|variable| variable.1.clone())
            });
            let version = found.unwrap().version;
            assert_eq!((version.major, version.minor), expected);
            variables.remove(0);
        }
        for path in ["nothing", "ours"] {
            let error = Aoc::find_in(None, &|name| (name == "PATH").then(|| at(path)));
            assert!(matches!(error, Err(AocError::Missing)));
        }
    }
}
