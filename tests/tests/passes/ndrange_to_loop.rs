//! Kernels in single work-item form do what the originals do: each case of `cases/loops` is
//! certified by Oclgrind, rewritten with several sets of facts, and run against the original on
//! both emulators.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fpgacc_tests::compare::{self, Bound, difference};
use fpgacc_tests::job::{Fill, Geometry, Job};
use fpgacc_tests::rewrite::Knowledge;
use fpgacc_tests::run::{Platform, run as run_job};

use super::as_tasks::as_tasks;

#[test]
fn rewritten_kernels_do_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/loops");
    let only = std::env::var("FPGACC_CASE").unwrap_or_default();
    let mut cases: Vec<(String, Job)> = fs::read_dir(folder)
        .expect("the cases are there")
        .map(|entry| entry.expect("a readable entry").path())
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a readable case");
            let job = serde_yaml::from_str(&text).unwrap_or_else(|e| panic!("{path:?}: {e}"));
            let name = path.file_stem().expect("a name").to_string_lossy();
            (name.into_owned(), job)
        })
        .filter(|(name, _)| name.contains(&only))
        .collect();
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((name, job)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let problems = check(name, job);
                    let problems = problems.into_iter().map(|text| format!("{name}: {text}"));
                    failures.lock().expect("no panic before").extend(problems);
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panic before");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// The five barrier kernels give what the Intel emulator gives, on every platform: also those that
/// PoCL gets wrong or hangs on before they are rewritten.
#[test]
fn barrier_kernels_give_the_expected_values() {
    let source = include_str!("../../cases/barriers.cl");
    let expected = include_str!("../../cases/barriers.expected");
    for (kernel, arg) in [
        ("k1", None),
        ("k2", None),
        ("k3", Some(3)),
        ("k4", Some(1)),
        ("k5", None),
    ] {
        let only = kernel_alone(source, kernel);
        let mut job = Job::new(only);
        let out = job.buffer(64, fpgacc_tests::job::Fill::Zero);
        let args = std::iter::once(out).chain(arg.map(fpgacc_tests::job::Arg::int));
        job.launch(kernel, Geometry::range(&[16], &[8]), args);
        for knowledge in [Knowledge::Nothing, Knowledge::Local, Knowledge::All] {
            let task = as_tasks(&job, knowledge).unwrap_or_else(|e| panic!("{kernel}: {e}"));
            for platform in Platform::EMULATORS {
                let after = run_job(&task, platform).unwrap_or_else(|e| panic!("{kernel}: {e}"));
                let values: Vec<String> = after.buffers[0]
                    .chunks_exact(4)
                    .map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]]).to_string())
                    .collect();
                let line = format!("{kernel}: {}", values.join(" "));
                assert!(
                    expected.lines().any(|l| l == line),
                    "{platform:?}: {line}\n{}",
                    task.source
                );
            }
        }
    }
}

/// The text of one kernel, with the function that it calls: PoCL hangs on one of the others.
fn kernel_alone(source: &str, kernel: &str) -> String {
    let start = match kernel {
        "k5" => source.find("void h("),
        _ => source.find(&format!("__kernel void {kernel}(")),
    };
    let source = &source[start.expect("the kernel")..];
    let at = source.find("__kernel").expect("the kernel");
    let length = at + source[at..].find("\n}").expect("its end") + 3;
    source[..length].to_string()
}

/// Functions by which a group computes something together: neither emulator has them, so that the
/// kernels with plain code in their place are what the rewritten ones must equal.
#[test]
fn group_functions_do_what_plain_code_does() {
    let kernels = include_str!("../../cases/group_functions/kernels.cl");
    let reference = include_str!("../../cases/group_functions/reference.h");
    let job = |prelude: &str| {
        let mut job = Job::new(format!("{prelude}\n{kernels}"));
        let ints = |seed, low, high| Fill::Ints { seed, low, high };
        let o = job.buffer(512, ints(14, -50, 50));
        let u = job.buffer(512, ints(4, 0, 500));
        let f = job.buffer(
            256,
            Fill::Floats {
                seed: 5,
                low: -3.0,
                high: 50.0,
            },
        );
        let line = Geometry::range(&[64], &[16]);
        job.launch("line", line, [o.clone(), u.clone(), f]);
        job.launch("block", Geometry::range(&[16, 8], &[8, 4]), [o, u]);
        job
    };
    let (original, reference) = (job("#define SCRATCH"), job(reference));
    if let Err(problem) = compare::certify(&reference) {
        panic!("not certified: {problem}");
    }
    for knowledge in [Knowledge::Nothing, Knowledge::Local, Knowledge::All] {
        let rewritten = as_tasks(&original, knowledge).unwrap_or_else(|reason| panic!("{reason}"));
        for platform in Platform::EMULATORS {
            let [before, after] = [&reference, &rewritten].map(|job| {
                run_job(job, platform).unwrap_or_else(|e| panic!("{e}\n{}", job.source))
            });
            let found = difference(&before.buffers, &after.buffers, &Bound::Exact);
            assert!(
                found.is_none(),
                "{knowledge:?}: {platform:?}: {found:?}\n{}",
                rewritten.source
            );
        }
    }
}

fn check(name: &str, job: &Job) -> Vec<String> {
    if let Err(difference) = compare::certify(job) {
        return vec![format!("not certified: {difference}")];
    }
    // Where the original does not end, Intel's emulator says what is right.
    let before: Vec<_> = Platform::EMULATORS
        .iter()
        .map(|platform| match job.hangs_on.contains(platform) {
            true => Platform::Intel,
            false => *platform,
        })
        .map(|platform| run_job(job, platform).unwrap_or_else(|e| panic!("{name}: {e}")))
        .collect();
    let mut problems = Vec::new();
    for knowledge in [Knowledge::Nothing, Knowledge::Local, Knowledge::All] {
        let rewritten = match as_tasks(job, knowledge) {
            Ok(rewritten) => rewritten,
            Err(reason) => {
                let wants =
                    |wanted: &String| knowledge == Knowledge::Nothing && reason.contains(wanted);
                if !job.wants_facts.as_ref().is_some_and(wants) {
                    problems.push(format!("{knowledge:?}: {reason}"));
                }
                continue;
            }
        };
        for (platform, before) in Platform::EMULATORS.iter().zip(&before) {
            match run_job(&rewritten, *platform) {
                Ok(after) => {
                    let found = difference(&before.buffers, &after.buffers, &Bound::Exact);
                    problems.extend(found.map(|at| {
                        format!("{knowledge:?}: {platform:?}: {at}\n{}", rewritten.source)
                    }));
                }
                Err(error) => {
                    problems.push(format!("{knowledge:?}: {error}\n{}", rewritten.source));
                }
            }
        }
    }
    problems
}
