//! The runner itself, with stand-ins for fpgacc: scripts that call the plain compiler, right and
//! wrong. The real fpgacc runs in the project's end-to-end tests.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn bench(args: &[&str]) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_fpgacc-bench"))
        .args(args)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

/// A stand-in that takes fpgacc's command line, drops what cc does not know, and goes on with
/// `then` where `$@` are arguments for cc.
fn stand_in(folder: &Path, then: &str) -> PathBuf {
    let path = folder.join("fpgacc");
    let script = format!(
        "#!/bin/sh\nfor arg; do shift\ncase $arg in --platform=*|-Rpass|*.cl) ;; *) set -- \"$@\" \
         \"$arg\";; esac\ndone\n{then}\n"
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn with_stand_in(then: &str, program: &str) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let fpgacc = stand_in(folder.path(), then);
    let fpgacc = fpgacc.to_str().unwrap();
    let args = ["--platform", "pocl", "--repeat", "1", "--filter", program];
    bench(&[&args[..], &["--fpgacc", fpgacc]].concat())
}

const REMARK: &str = "echo \"k.cl:1:1: remark: kernel 'residuals': text [-Rpass=reduction]\" >&2";

#[test]
fn originals_pass_their_own_references() {
    let (code, stdout, stderr) = bench(&["--originals-only", "--repeat", "1"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    for program in ["gaussian", "hotspot3d", "kmeans", "nn", "rlbd", "srad"] {
        let line = format!("{program} ");
        assert!(stdout.lines().any(|l| l.starts_with(&line)), "{stdout}");
    }
    assert!(!stdout.contains("FAULT"), "{stdout}");
}

#[test]
fn originals_are_free_of_races() {
    let (code, stdout, stderr) = bench(&["--certify"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert_eq!(stdout.matches(": certified\n").count(), 6, "{stdout}");
}

#[test]
fn a_faithful_compiler_gives_identical_results() {
    let (code, stdout, stderr) = with_stand_in("exec cc \"$@\" -lOpenCL", "gaussian");
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("identical"), "{stdout}");
}

#[test]
fn a_reassociated_reduction_is_run_on_integers_too() {
    let then = format!("{REMARK}; exec cc \"$@\" -lOpenCL");
    let (code, stdout, stderr) = with_stand_in(&then, "gaussian");
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("1 reduction"), "{stdout}");
    assert!(stdout.contains("gaussian (integers)"), "{stdout}");
}

/// What is read back differs, though the program's own tolerant reference passes it.
const OFF: &str = "sed 's/return (float)(lcg_bits(lcg) >> 8)/& * 1.0000002f/' ../common/workload.h \
                   > $TMP/workload.h; exec cc -I$TMP \"$@\" -lOpenCL";

#[test]
fn one_wrong_bit_is_a_fault() {
    let then = format!("TMP=`mktemp -d`; {OFF}");
    let (code, stdout, stderr) = with_stand_in(&then, "gaussian");
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("FAULT"), "{stdout}");
    assert!(stderr.contains("triangle["), "{stderr}");
}

#[test]
fn a_reduction_within_its_bound_passes() {
    let then = format!("{REMARK}; TMP=`mktemp -d`; {OFF}");
    let (code, stdout, stderr) = with_stand_in(&then, "gaussian");
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("within bounds"), "{stdout}");
}

#[test]
fn a_launch_that_falls_back_is_a_fault() {
    let then = "o=; for arg; do [ \"$o\" = -o ] && out=$arg; o=$arg; done\n\
                cc \"$@\" -lOpenCL && mv $out $out.real && printf '#!/bin/sh\\necho \
                \"gaussian.c:99: warning: kernel runs as written\" >&2\\nexec %s.real \"$@\"\\n' \
                $out > $out && chmod +x $out";
    let (code, stdout, stderr) = with_stand_in(then, "gaussian");
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stderr.contains("kernel runs as written"), "{stderr}");
}

#[test]
fn a_failing_compiler_is_a_fault_with_its_words() {
    let (code, stdout, stderr) = with_stand_in("echo no such luck >&2; exit 1", "kmeans");
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stderr.contains("no such luck"), "{stderr}");
}

#[test]
fn wrong_options_are_reported() {
    let cases: [(&[&str], &str); 4] = [
        (&["--filter", "nothing"], "no program's name contains"),
        (&["--originals-only", "--platform", "x"], "there are: "),
        (&["--fpgacc", "/nonexistent/fpgacc"], "--originals-only"),
        (&["--programs", "/nonexistent/programs.yaml"], "cannot read"),
    ];
    for (args, message) in cases {
        let (code, _, stderr) = bench(args);
        assert_eq!(code, 2, "{args:?}: {stderr}");
        assert!(stderr.contains(message), "{args:?}: {stderr}");
    }
}

/// Where a file of this folder is.
fn own(file: &str) -> String {
    format!("{}/{file}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn gains_of_variants_are_those_of_the_docs() {
    let docs = fs::read_to_string(own("../docs/tune.md")).unwrap();
    for device in ["h100", "pocl"] {
        let table = own(&format!("space/variants_{device}.csv"));
        let (code, text, error) = bench(&["variants", "--measured", &table]);
        assert_eq!((code, error.as_str()), (0, ""));
        let lines = text.lines().filter(|line| !line.starts_with(' '));
        let kernels: Vec<Vec<&str>> = lines
            .filter(|line| line.contains("local=") || line.contains("as it is"))
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(kernels.len(), 21);
        for words in kernels {
            let row = docs
                .lines()
                .find(|line| line.starts_with(&format!("| `{}` ", words[0])));
            let gains = format!("| {} |", words[3..6].join(" | "));
            assert!(
                row.is_some_and(|row| row.contains(&gains)),
                "{}: {gains}",
                words[0]
            );
        }
    }
}

#[test]
fn variants_come_with_the_plan_that_times_them() {
    let folder = tempfile::tempdir().unwrap();
    let root = own("..");
    let checkouts = folder.path().join("checkouts");
    fs::create_dir(&checkouts).unwrap();
    std::os::unix::fs::symlink(root, checkouts.join("fpgacc")).unwrap();
    let made = folder.path().join("made");
    let [checkouts, made] = [&checkouts, &made].map(|path| path.to_str().unwrap());
    let args = [
        "--checkouts",
        checkouts,
        "--folder",
        made,
        "--only",
        "relax",
        "--widest",
        "2",
    ];
    let (code, plan, error) = bench(&[&["variants"], &args[..]].concat());
    assert_eq!((code, error.as_str()), (0, ""));
    let blocks: Vec<&str> = plan
        .split("run\n")
        .filter(|block| !block.is_empty())
        .collect();
    // The kernel as it is, and each variant behind it.
    let far = blocks
        .iter()
        .position(|block| block.contains("coarsen_0_4_local_local_64x4"));
    let far = far.expect("four far apart");
    let (before, after) = (blocks[far - 1], blocks[far]);
    assert!(
        before.contains("kernel vectorise=1;coarsen=0:4:local;local=64x4 relax"),
        "{before}"
    );
    assert!(
        before.contains("global 4096 4096\nlocal 64 4\n"),
        "{before}"
    );
    assert!(after.contains("global 1024 4096\nlocal 16 4\n"), "{after}");
    assert!(after.ends_with("arg int 4096\n"), "{after}");
    let path = after.split_whitespace().nth(3).unwrap();
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains("reqd_work_group_size(16, 4, 1)"), "{text}");
    assert_eq!(plan.matches("run\n").count() % 2, 0);
}
