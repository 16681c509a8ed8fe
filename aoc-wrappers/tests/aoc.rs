//! Builds through the stand-in for aoc, which checks command lines for versions 16.1, 19.4 and
//! 22.4.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fpgacc_aoc_wrappers::aoc::{Aoc, AocError};
use fpgacc_aoc_wrappers::backend::{Backend, BuildError, Built};
use fpgacc_aoc_wrappers::cache::Cache;
use fpgacc_aoc_wrappers::process::Status;
use fpgacc_aoc_wrappers::progress::Progress;
use fpgacc_aoc_wrappers::request::{BuildRequest, KernelSource, Profile, Stage, Target};

const VERSIONS: [&str; 3] = ["16.1", "19.4", "22.4"];

/// A folder with a stand-in, a cache and an output.
struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new(version: &str) -> Self {
        let bench = Bench {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(bench.path("sdk")).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stand-in/aoc");
        fs::copy(script, bench.path("sdk/aoc")).unwrap();
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(bench.path("sdk/aoc"), mode).unwrap();
        fs::create_dir(bench.path("out")).unwrap();
        bench.set("version", version);
        bench.set("mode", "ok");
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn set(&self, name: &str, text: &str) {
        fs::write(self.path("sdk").join(name), text).unwrap();
    }

    fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("sdk/calls")).unwrap_or_default();
        text.lines().map(|line| line.trim().to_string()).collect()
    }

    fn request(&self) -> BuildRequest {
        let source = KernelSource {
            path: "src/my-kernel.cl".into(),
            text: "kernel void add() {}\n".into(),
        };
        let mut request = BuildRequest::new(vec![source], self.path("out/k.aocx"));
        request.target = Target::Hardware;
        request
    }

    fn aoc(&self) -> Aoc {
        Aoc::at(&self.path("sdk/aoc")).unwrap()
    }

    fn build(&self, request: &BuildRequest) -> Result<Built, BuildError> {
        let cache = Cache::at(self.path("cache"), u64::MAX);
        Backend::Aoc(self.aoc()).build(request, Some(&cache), Progress::Quiet)
    }

    /// What lies in the output's folder.
    fn outputs(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.path("out"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

#[test]
fn every_version_takes_its_command_line() {
    for version in VERSIONS {
        let bench = Bench::new(version);
        let mut request = bench.request();
        request.board = Some("a10_ref".into());
        request.report = true;
        request.profile = Some(Profile::All);
        request.fp_relaxed = true;
        request.fp_contract = true;
        request.debug = true;
        request.defines = vec!["N=4".into()];
        request.undefines = vec!["M".into()];
        request.includes = vec![bench.path("out")];
        request.cl_options = vec!["-cl-mad-enable".into()];
        request.extra = vec!["-seed=7".into()];
        let built = bench.build(&request).unwrap();
        assert!(
            built.log.contains("Selected target board a10_ref"),
            "{}",
            built.log
        );
        let output = fs::read_to_string(&request.output).unwrap();
        assert_eq!(
            output,
            format!("aocx {version}\n#line 1 \"src/my-kernel.cl\"\nkernel void add() {{}}\n")
        );
        let calls = bench.calls();
        assert_eq!(calls.len(), 1);
        let expected = match version {
            "16.1" => "--board a10_ref --report --profile --fp-relaxed --fpc -g -DN=4 -UM",
            "19.4" => "-board=a10_ref -report -profile=all -fp-relaxed -fpc -g -DN=4 -UM",
            _ => {
                "-board=a10_ref -report -profile=all -ffp-reassociate -ffp-contract=fast -g -DN=4 -UM"
            }
        };
        assert!(calls[0].starts_with(expected), "{}", calls[0]);
        assert!(calls[0].contains(" -seed=7 -o "), "{}", calls[0]);
        assert!(calls[0].ends_with("/my_kernel.cl"), "{}", calls[0]);
        let reports = built.reports.unwrap();
        assert_eq!(reports, bench.path("out/k.aocx.reports"));
        let report = fs::read_to_string(reports.join("reports/report.html")).unwrap();
        assert_eq!(report, "<html>a10_ref</html>\n");
        assert_eq!(bench.outputs(), ["k.aocx", "k.aocx.reports"]);
        assert_eq!(bench.aoc().boards().unwrap(), ["a10_ref"]);
    }
}

#[test]
fn every_version_builds_for_every_target_it_has() {
    for version in VERSIONS {
        let bench = Bench::new(version);
        for (target, stage) in [
            (Target::Emulator, Stage::Full),
            (Target::Emulator, Stage::Object),
            (Target::Hardware, Stage::Object),
            (Target::Hardware, Stage::Rtl),
            (Target::Simulator, Stage::Full),
        ] {
            let mut request = bench.request();
            request.target = target;
            request.stage = stage;
            let built = bench.build(&request);
            if version == "16.1" && target == Target::Simulator {
                let error = built.unwrap_err().to_string();
                assert_eq!(error, "aoc 16.1.0 has no simulator: use --target=emulator");
            } else {
                built.unwrap();
            }
        }
    }
}

#[test]
fn the_same_build_runs_aoc_once() {
    let bench = Bench::new("19.4");
    let request = bench.request();
    assert!(!bench.build(&request).unwrap().cached);
    let first = fs::read(&request.output).unwrap();
    fs::remove_file(&request.output).unwrap();
    fs::remove_dir_all(bench.path("out/k.aocx.reports")).unwrap();
    let again = bench.build(&request).unwrap();
    assert!(again.cached);
    assert_eq!(fs::read(&request.output).unwrap(), first);
    assert!(again.log.contains("Hardware generation completed"));
    let reports = again.reports.unwrap();
    assert!(reports.join("reports/report.html").is_file());
    assert!(reports.join("build.log").is_file());
    assert!(
        !reports.join("quartus.db").exists(),
        "only what people read is kept"
    );
    assert_eq!(bench.calls().len(), 1);
    // Into another file, over an old one.
    let mut elsewhere = request.clone();
    elsewhere.output = bench.path("out/other.aocx");
    fs::write(&elsewhere.output, "old").unwrap();
    assert!(bench.build(&elsewhere).unwrap().cached);
    assert_eq!(fs::read(&elsewhere.output).unwrap(), first);
    assert_eq!(bench.calls().len(), 1);
}

#[test]
fn a_change_of_kernel_flag_board_or_tool_builds_anew() {
    let bench = Bench::new("19.4");
    let request = bench.request();
    bench.build(&request).unwrap();
    let changes: [fn(&mut BuildRequest); 4] = [
        |request| request.sources[0].text.push_str("// more\n"),
        |request| request.board = Some("a10_ref".into()),
        |request| request.fp_relaxed = true,
        |request| request.extra = vec!["-seed=2".into()],
    ];
    for (count, change) in changes.iter().enumerate() {
        let mut changed = request.clone();
        change(&mut changed);
        assert!(!bench.build(&changed).unwrap().cached);
        assert_eq!(bench.calls().len(), count + 2);
    }
    bench.set("version", "22.4");
    assert!(!bench.build(&request).unwrap().cached);
    assert!(bench.build(&request).unwrap().cached);
    // A patched tool of the same version.
    let script = bench.path("sdk/aoc");
    let text = fs::read_to_string(&script).unwrap();
    fs::write(&script, text + "# patched\n").unwrap();
    assert!(!bench.build(&request).unwrap().cached);
}

#[test]
fn a_damaged_entry_of_the_cache_builds_anew() {
    let bench = Bench::new("19.4");
    let request = bench.request();
    bench.build(&request).unwrap();
    let entries = fs::read_dir(bench.path("cache")).unwrap().flatten();
    let mut entries = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir());
    let entry = entries.next().expect("an entry");
    fs::write(entry.join("output"), "aocx 19.5\n").unwrap();
    assert!(!bench.build(&request).unwrap().cached);
    assert!(
        fs::read_to_string(&request.output)
            .unwrap()
            .starts_with("aocx 19.4\n")
    );
    assert!(bench.build(&request).unwrap().cached);
}

#[test]
fn two_who_want_the_same_build_run_aoc_once() {
    let bench = Bench::new("22.4");
    bench.set("mode", "wait");
    let mut outputs = Vec::new();
    std::thread::scope(|scope| {
        let builds: Vec<_> = (0..4)
            .map(|index| {
                let mut request = bench.request();
                request.output = bench.path(&format!("out/k{index}.aocx"));
                fs::write(&request.output, "old").unwrap();
                outputs.push(request.output.clone());
                let bench = &bench;
                scope.spawn(move || bench.build(&request).unwrap())
            })
            .collect();
        while bench.calls().is_empty() {
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(200));
        // While aoc runs, with half an output, the old ones stay.
        for output in &outputs {
            assert_eq!(fs::read(output).unwrap(), b"old");
        }
        bench.set("release", "");
        let cached = builds.into_iter().filter_map(|build| {
            let built = build.join().unwrap();
            built.cached.then_some(())
        });
        assert_eq!(cached.count(), 3);
    });
    assert_eq!(bench.calls().len(), 1);
    for output in outputs {
        assert!(
            fs::read_to_string(output)
                .unwrap()
                .starts_with("aocx 22.4\n")
        );
    }
}

#[test]
fn a_failure_is_handed_on_and_leaves_the_old_output() {
    for (mode, status, shown) in [
        ("fail", Status::Code(7), "exit code 7"),
        ("crash", Status::Signal(11), "SIGSEGV"),
    ] {
        for version in VERSIONS {
            let bench = Bench::new(version);
            let request = bench.request();
            fs::write(&request.output, "old").unwrap();
            bench.set("mode", mode);
            let error = bench.build(&request).unwrap_err();
            let text = error.to_string();
            assert!(text.contains(shown), "{text}");
            assert!(error.log().unwrap().contains("Selected target board"));
            let BuildError::Aoc(AocError::Failed {
                status: got, kept, ..
            }) = error
            else {
                panic!("{text}");
            };
            assert_eq!(got, status);
            assert_eq!(fs::read(&request.output).unwrap(), b"old");
            // Its logs stay.
            assert!(kept.unwrap().join("build.log").is_file());
            assert_eq!(bench.outputs(), ["k.aocx", "k.aocx.failed"]);
            // A failure is not remembered.
            bench.set("mode", "ok");
            assert!(!bench.build(&request).unwrap().cached);
        }
    }
}

#[test]
fn success_without_an_output_is_a_failure() {
    let bench = Bench::new("19.4");
    bench.set("mode", "nothing");
    let error = bench.build(&bench.request()).unwrap_err().to_string();
    assert!(
        error.contains("did not write") && error.contains("k.aocx"),
        "{error}"
    );
    assert!(bench.outputs().is_empty());
}

#[test]
fn errors_in_kernels_come_as_aoc_says_them() {
    let bench = Bench::new("19.4");
    let mut request = bench.request();
    request.sources[0].text = "syntax_error;\n".into();
    let error = bench.build(&request).unwrap_err();
    assert!(
        error
            .log()
            .unwrap()
            .contains("k.cl:1:1: error: unknown type name")
    );
    assert!(bench.outputs().is_empty());
}

#[test]
fn an_emulator_does_not_pretend_to_build_hardware() {
    use fpgacc_aoc_wrappers::emulator::Emulator;
    let bench = Bench::new("19.4");
    let emulator = Emulator::find_pocl().expect("install pocl-opencl-icd");
    let built = Backend::Emulator(emulator).build(&bench.request(), None, Progress::Quiet);
    let error = built.unwrap_err().to_string();
    assert_eq!(
        error,
        "PoCL cannot build for --target=hardware: that needs Intel's SDK with aoc"
    );
    assert!(bench.outputs().is_empty());
}
