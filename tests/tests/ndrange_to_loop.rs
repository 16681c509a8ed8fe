//! Kernels in single work-item form do what the originals do: each case of `cases/loops` is
//! certified by Oclgrind, rewritten with several sets of facts, and run against the original on
//! both emulators.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fpgacc_device_passes::pass::PassOptions;
use fpgacc_device_passes::pipeline::{Pipeline, Report, run};
use fpgacc_frontend::facts::{Facts, Known, Launch, LocalSize, Location, Value};
use fpgacc_frontend::ir::{Dialect, Module};
use fpgacc_frontend::kernel::{Input, PrintOptions, parse, predefined, print, validate};
use fpgacc_frontend::source::SourceMap;
use fpgacc_runtime::manifest::Form;
use fpgacc_tests::compare::{self, Bound, difference};
use fpgacc_tests::job::{Geometry, Job};
use fpgacc_tests::run::{Platform, run as run_job};

/// What the pass is told of the launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    /// Nothing.
    Nothing,
    /// The number of dimensions and the local sizes.
    Local,
    /// All.
    All,
}

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

/// Every launch of the five barrier kernels does the same, and of those whose barriers are not at the
/// top level nothing is changed.
#[test]
fn barrier_kernels_are_right_or_left_alone() {
    let source = include_str!("../cases/barriers.cl");
    for (kernel, arg) in [
        ("k1", None),
        ("k2", None),
        ("k3", Some(3)),
        ("k4", Some(1)),
        ("k5", None),
    ] {
        let mut job = Job::new(source);
        let out = job.buffer(64, fpgacc_tests::job::Fill::Zero);
        let args = std::iter::once(out).chain(arg.map(fpgacc_tests::job::Arg::int));
        job.launch(kernel, Geometry::range(&[16], &[8]), args);
        let (_, report) = rewrite(&job, Told::All);
        assert!(
            matches!(report.contracts[kernel].form, Form::NdRange),
            "{kernel}"
        );
        assert!(
            report.remarks.iter().any(|remark| {
                remark.message.contains(kernel) && remark.message.contains("barrier")
            }),
            "{kernel}: {:?}",
            report.remarks
        );
    }
}

/// Cases that cannot be rewritten, or not be launched, as long as nothing is known of the host, and a
/// word of the reason.
const WANT_FACTS: [(&str, &str); 2] = [
    ("groups_of_one", "inside a loop"),
    ("unused_dimension", "Global(1, 1)"),
];

fn check(name: &str, job: &Job) -> Vec<String> {
    if let Err(difference) = compare::certify(job) {
        return vec![format!("not certified: {difference}")];
    }
    let before: Vec<_> = Platform::EMULATORS
        .iter()
        .map(|platform| run_job(job, *platform).unwrap_or_else(|e| panic!("{name}: {e}")))
        .collect();
    let mut problems = Vec::new();
    for told in [Told::Nothing, Told::Local, Told::All] {
        let rewritten = match as_tasks(job, told) {
            Ok(rewritten) => rewritten,
            Err(reason) => {
                let expected = WANT_FACTS.iter().any(|(case, word)| {
                    *case == name && told == Told::Nothing && reason.contains(word)
                });
                if !expected {
                    problems.push(format!("{told:?}: {reason}"));
                }
                continue;
            }
        };
        for (platform, before) in Platform::EMULATORS.iter().zip(&before) {
            match run_job(&rewritten, *platform) {
                Ok(after) => {
                    let found = difference(&before.buffers, &after.buffers, &Bound::Exact);
                    problems.extend(
                        found.map(|at| {
                            format!("{told:?}: {platform:?}: {at}\n{}", rewritten.source)
                        }),
                    );
                }
                Err(error) => {
                    problems.push(format!("{told:?}: {error}\n{}", rewritten.source));
                }
            }
        }
    }
    problems
}

/// The job with every kernel in single work-item form, or why there is none.
fn as_tasks(job: &Job, told: Told) -> Result<Job, String> {
    let (text, report) = rewrite(job, told);
    let mut rewritten = job.with_source(&text);
    for (kernel, contract) in &report.contracts {
        let Form::Task(task) = &contract.form else {
            return Err(format!("'{kernel}': {:?}", report.remarks));
        };
        rewritten = rewritten
            .as_task(kernel, task)
            .map_err(|error| format!("{error}\n{text}"))?;
    }
    Ok(rewritten)
}

fn rewrite(job: &Job, told: Told) -> (String, Report) {
    let mut sources = SourceMap::new();
    let mut module = module_of(&job.source, &mut sources);
    let pipeline = Pipeline {
        level: 0,
        switches: [("ndrange-to-loop".to_string(), true)].into(),
        options: PassOptions::default(),
        stop_after: None,
    };
    let report = run(&mut module, &facts(job, told), &pipeline);
    let proof = validate(&module).unwrap_or_else(|faults| {
        panic!("{:?}\n{:?}", job.source, faults);
    });
    let options = PrintOptions {
        line_directives: false,
    };
    (print(&module, &proof, &sources, &options), report)
}

fn module_of(source: &str, sources: &mut SourceMap) -> Module {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("case.cl");
    let dialect = Dialect::Cl12;
    fs::write(folder.path().join("pre.h"), predefined(dialect, &[])).expect("a written file");
    fs::write(&file, source).expect("a written file");
    sources.add("case.cl", source);
    let output = Command::new("cc")
        .args(["-E", "-dD", "-undef", "-nostdinc", "-x", "c"])
        .args(["-include", "pre.h", "case.cl"])
        .current_dir(folder.path())
        .output()
        .expect("cc runs");
    let preprocessed = String::from_utf8(output.stdout).expect("UTF-8");
    let input = Input {
        name: "case.cl",
        preprocessed: &preprocessed,
        dialect,
    };
    parse(&input, sources).unwrap_or_else(|error| panic!("{error:?}"))
}

fn facts(job: &Job, told: Told) -> Facts {
    let mut facts = Facts::default();
    if told == Told::Nothing {
        return facts;
    }
    for launch in &job.launches {
        let Geometry::Range {
            offset,
            global,
            local,
        } = &launch.geometry
        else {
            continue;
        };
        let known = |value: u64| match told {
            Told::All => Value::Const(value),
            _ => Value::Unknown("not told".to_string()),
        };
        let consts = |values: &[u64]| values.iter().map(|value| Value::Const(*value)).collect();
        let offset: Vec<u64> = match offset.is_empty() {
            true => vec![0; global.len()],
            false => offset.clone(),
        };
        facts.launches.push(Launch {
            site: Location {
                file: "host.c".to_string(),
                line: 1,
                column: 1,
            },
            kernels: Known::Is(vec![launch.kernel.clone()]),
            work_dim: Value::Const(global.len() as u64),
            offset: offset.iter().map(|value| known(*value)).collect(),
            global: global.iter().map(|value| known(*value)).collect(),
            local: match local.is_empty() {
                true => LocalSize::Null,
                false => LocalSize::Sizes(consts(local)),
            },
            args: Vec::new(),
        });
    }
    facts
}
