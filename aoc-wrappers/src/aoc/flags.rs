//! The command line for a build, as each version of aoc wants it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::error::AocError;
use super::table::{Era, era, spelled};
use super::version::AocVersion;
use crate::request::{BuildRequest, Profile, Stage, Target};

/// The arguments that make `version` build `request` from the files `sources` to `output`.
pub fn arguments(
    version: &AocVersion,
    request: &BuildRequest,
    sources: &[PathBuf],
    output: &Path,
) -> Result<Vec<OsString>, AocError> {
    let mut args = target(version, request)?;
    if let Some(board) = &request.board {
        args.extend(spelled(version, "board", Some(board)));
    }
    if request.report {
        args.extend(spelled(version, "report", None));
    }
    args.extend(profile(version, request)?);
    if request.fp_relaxed {
        args.extend(spelled(version, "fp-relaxed", None));
    }
    if request.fp_contract {
        args.extend(spelled(version, "fpc", None));
    }
    if let Some(bytes) = request.constant_cache {
        let bytes = bytes.to_string();
        args.extend(spelled(version, "const-cache-bytes", Some(&bytes)));
    }
    if request.debug {
        args.push("-g".to_string());
    }
    if request.verbose {
        args.push("-v".to_string());
    }
    args.extend(request.defines.iter().map(|define| format!("-D{define}")));
    args.extend(request.undefines.iter().map(|name| format!("-U{name}")));
    let mut args: Vec<OsString> = args.into_iter().map(OsString::from).collect();
    for folder in header_folders(request) {
        let mut arg = OsString::from("-I");
        arg.push(folder);
        args.push(arg);
    }
    args.extend(request.cl_options.iter().map(OsString::from));
    args.extend(request.extra.iter().cloned());
    args.push("-o".into());
    args.push(output.into());
    args.extend(sources.iter().map(OsString::from));
    Ok(args)
}

fn target(version: &AocVersion, request: &BuildRequest) -> Result<Vec<String>, AocError> {
    let unsupported = |what, remedy| AocError::Unsupported {
        version: version.clone(),
        what,
        remedy,
    };
    let mut args = Vec::new();
    match request.target {
        Target::Hardware => {}
        Target::Emulator => args.push("-march=emulator".to_string()),
        Target::Simulator if version.two_dashes() => {
            return Err(unsupported("simulator", "use --target=emulator"));
        }
        Target::Simulator => args.push("-march=simulator".to_string()),
    }
    if request.legacy_emulator && request.target == Target::Emulator {
        match era(version, "legacy-emulator") {
            Era::NotYet => {}
            Era::Known => args.extend(spelled(version, "legacy-emulator", None)),
            Era::Gone => return Err(unsupported("-legacy-emulator", "leave it out")),
        }
    }
    match request.stage {
        Stage::Full => {}
        Stage::Rtl if era(version, "rtl") == Era::Known => {
            args.extend(spelled(version, "rtl", None))
        }
        Stage::Object | Stage::Rtl => args.push("-c".to_string()),
    }
    Ok(args)
}

fn profile(version: &AocVersion, request: &BuildRequest) -> Result<Vec<String>, AocError> {
    let Some(profile) = request.profile else {
        return Ok(Vec::new());
    };
    let value = match profile {
        Profile::Default => return Ok(spelled(version, "profile", None)),
        Profile::All => "all",
        Profile::Autorun => "autorun",
        Profile::Enqueued => "enqueued",
    };
    match (version.two_dashes(), profile) {
        (false, _) => Ok(spelled(version, "profile", Some(value))),
        // All kernels, or those of the queue, are what it knows.
        (true, Profile::All | Profile::Enqueued) => Ok(spelled(version, "profile", None)),
        (true, _) => Err(AocError::Unsupported {
            version: version.clone(),
            what: "-profile=autorun",
            remedy: "use -profile",
        }),
    }
}

/// Each source's own folder, then the given ones, each once.
fn header_folders(request: &BuildRequest) -> Vec<&Path> {
    let mut folders = Vec::new();
    for source in &request.sources {
        for folder in request.header_folders(source) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::KernelSource;

    fn line(version: &str, change: impl Fn(&mut BuildRequest)) -> Result<String, AocError> {
        let version = AocVersion::parse(&format!("Version {version} Build 1")).unwrap();
        let source = KernelSource {
            path: "src/k.cl".into(),
            text: String::new(),
        };
        let mut request = BuildRequest::new(vec![source], "k.aocx");
        request.target = Target::Hardware;
        change(&mut request);
        let args = arguments(
            &version,
            &request,
            &["w/k.cl".into()],
            Path::new("w/k.aocx"),
        )?;
        let args: Vec<_> = args.iter().map(|arg| arg.to_str().unwrap()).collect();
        Ok(args.join(" "))
    }

    fn everything(request: &mut BuildRequest) {
        request.board = Some("a10".into());
        request.report = true;
        request.profile = Some(Profile::All);
        request.fp_relaxed = true;
        request.fp_contract = true;
        request.constant_cache = Some(32768);
        request.debug = true;
        request.defines = vec!["N=4".into()];
        request.includes = vec!["inc".into()];
        request.extra = vec!["-seed=7".into(), "--weird".into()];
    }

    #[test]
    fn spells_everything_as_16_1() {
        assert_eq!(
            line("16.1.0", everything).unwrap(),
            "--board a10 --report --profile --fp-relaxed --fpc --const-cache-bytes 32768 -g -DN=4 -Isrc -Iinc -seed=7 \
             --weird -o w/k.aocx w/k.cl"
        );
    }

    #[test]
    fn spells_everything_as_19_4() {
        assert_eq!(
            line("19.4.0", everything).unwrap(),
            "-board=a10 -report -profile=all -fp-relaxed -fpc -const-cache-bytes=32768 -g -DN=4 -Isrc -Iinc -seed=7 \
             --weird -o w/k.aocx w/k.cl"
        );
    }

    #[test]
    fn spells_everything_as_22_4() {
        assert_eq!(
            line("22.4.0", everything).unwrap(),
            "-board=a10 -report -profile=all -ffp-reassociate -ffp-contract=fast -const-cache-bytes=32768 -g -DN=4 -Isrc \
             -Iinc -seed=7 --weird -o w/k.aocx w/k.cl"
        );
    }

    #[test]
    fn targets_and_stages() {
        let emulator = |request: &mut BuildRequest| {
            request.target = Target::Emulator;
            request.legacy_emulator = true;
        };
        let rest = "-Isrc -o w/k.aocx w/k.cl";
        let cases = [
            ("16.1.0", format!("-march=emulator {rest}")),
            ("19.4.0", format!("-march=emulator -legacy-emulator {rest}")),
        ];
        for (version, expected) in cases {
            assert_eq!(line(version, emulator).unwrap(), expected);
        }
        let error = line("22.4.0", emulator).unwrap_err().to_string();
        assert_eq!(error, "aoc 22.4.0 has no -legacy-emulator: leave it out");
        let simulator = |request: &mut BuildRequest| request.target = Target::Simulator;
        assert!(line("16.1.0", simulator).is_err());
        assert_eq!(
            line("22.4.0", simulator).unwrap(),
            format!("-march=simulator {rest}")
        );
        let rtl = |request: &mut BuildRequest| request.stage = Stage::Rtl;
        assert_eq!(line("16.1.0", rtl).unwrap(), format!("-c {rest}"));
        assert_eq!(line("19.4.0", rtl).unwrap(), format!("-rtl {rest}"));
    }
}
