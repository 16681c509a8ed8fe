//! Jobs with their kernels in single work-item form.

use std::fs;
use std::process::Command;

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::pipeline::{Pipeline, Report, run};
use fpgacc_frontend::ir::{Dialect, Module};
use fpgacc_frontend::kernel::{Input, PrintOptions, parse, predefined, print, validate};
use fpgacc_frontend::source::SourceMap;
use fpgacc_launch_facts::{Facts, Known, Launch, LocalSize, Location, QueueOrder, Value};
use fpgacc_runtime::manifest::Form;
use fpgacc_tests::job::{Geometry, Job};

/// What the pass is told of the launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Nothing.
    Nothing,
    /// The number of dimensions and the local sizes.
    Local,
    /// All.
    All,
}

/// The job with every kernel that it launches in single work-item form, or why there is none.
pub fn as_tasks(job: &Job, told: Told) -> Result<Job, String> {
    let (text, report) = rewrite(job, told);
    let mut rewritten = job.with_source(&text);
    for (kernel, contract) in &report.contracts {
        if job.launches.iter().all(|launch| launch.kernel != *kernel) {
            continue;
        }
        let Form::Task(task) = &contract.form else {
            return Err(format!("'{kernel}': {:?}", report.remarks));
        };
        rewritten = rewritten
            .as_task(kernel, task, &contract.guards)
            .map_err(|error| format!("{error}\n{text}"))?;
    }
    Ok(rewritten)
}

/// The rewritten text, and what the pass says.
pub fn rewrite(job: &Job, told: Told) -> (String, Report) {
    let mut sources = SourceMap::new();
    let mut module = module_of(&job.source, &mut sources);
    let pipeline = Pipeline {
        level: 0,
        switches: [("ndrange-to-loop".to_string(), true)].into(),
        options: PassOptions::default(),
        stop_after: None,
    };
    let report = run(&mut module, &facts(job, told), &pipeline);
    let valid = validate(&module).unwrap_or_else(|faults| {
        panic!("{:?}\n{:?}", job.source, faults);
    });
    let options = PrintOptions {
        line_directives: false,
    };
    (print(&valid, &sources, &options), report)
}

fn module_of(source: &str, sources: &mut SourceMap) -> Module {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("case.cl");
    let dialect = Dialect::Cl12;
    fs::write(folder.path().join("pre.h"), predefined(dialect, &[])).expect("a written file");
    fs::write(&file, source).expect("a written file");
    sources.add("case.cl", source);
    let output = Command::new("cc")
        .args(["-E", "-dD", "-undef", "-nostdinc", "-std=gnu99", "-x", "c"])
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
            queue: QueueOrder::Unknown,
            within: None,
            same: Vec::new(),
            recorded: None,
        });
    }
    facts
}
