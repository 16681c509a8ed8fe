//! Golden texts of the pass ndrange-to-loop: `ndrange_to_loop/NAME.cl` becomes `NAME.out`.
//!
//! The first line of an input tells what the host fixes: `// host: dim=1 global=64 local=32` (`null`
//! for a NULL local size, `?` for a number that is not known), or `// host: unknown`. The output is
//! what the runtime must do, the remarks, and the kernels. `FPGACC_BLESS=1` writes the outputs anew.

use std::fs;
use std::path::{Path, PathBuf};

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::pipeline::{Pipeline, Report, run};
use fpgacc_frontend::diag::{Color, render};
use fpgacc_frontend::ir::Dialect;
use fpgacc_frontend::kernel::{Input, PrintOptions, parse, print, validate};
use fpgacc_frontend::source::SourceMap;
use fpgacc_launch_facts::{
    Arg, ArgValue, Facts, Known, Launch, LocalSize, Location, QueueOrder, Value,
};
use fpgacc_runtime::guard::{Fact, Guard};
use fpgacc_runtime::manifest::Form;

#[test]
fn outputs_are_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ndrange_to_loop");
    let mut inputs: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the inputs are there")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "cl"))
        .collect();
    inputs.sort();
    assert!(inputs.len() > 20, "inputs are missing");
    let bless = std::env::var_os("FPGACC_BLESS").is_some();
    let mut wrong = Vec::new();
    for input in inputs {
        let text = fs::read_to_string(&input).expect("a readable input");
        let name = input.file_name().expect("a name").to_string_lossy();
        let output = rewrite(&name, &text);
        let expected = input.with_extension("out");
        if bless {
            fs::write(&expected, &output).expect("a written output");
        } else if fs::read_to_string(&expected).unwrap_or_default() != output {
            wrong.push(format!("{name} gives\n{output}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn rewrite(name: &str, text: &str) -> String {
    let mut sources = SourceMap::new();
    sources.add(name, text);
    let dialect = match text.contains("CL2.0") {
        true => Dialect::Cl20,
        false => Dialect::Cl12,
    };
    let input = Input {
        name,
        preprocessed: text,
        dialect,
    };
    let mut module = match parse(&input, &mut sources) {
        Ok(module) => module,
        Err(error) => {
            let texts = error.diagnostics().iter();
            let texts: Vec<_> = texts.map(|d| render(d, &sources, Color::Never)).collect();
            panic!("{}", texts.join(""));
        }
    };
    let pipeline = Pipeline {
        level: 0,
        switches: [("ndrange-to-loop".to_string(), true)].into(),
        options: PassOptions::default(),
        stop_after: None,
    };
    let facts = facts(
        &module
            .kernels()
            .map(|id| module.functions[id].name.clone())
            .collect::<Vec<_>>(),
        text,
    );
    let report = run(&mut module, &facts, &pipeline);
    let valid = validate(&module).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
    let options = PrintOptions {
        line_directives: false,
    };
    let printed = print(&valid, &sources, &options);
    let mut out = contracts(&report);
    for remark in &report.remarks {
        out.push_str(&render(&remark.diagnostic(), &sources, Color::Never));
    }
    out.push_str("---\n");
    out.push_str(&printed);
    out
}

fn contracts(report: &Report) -> String {
    let mut out = String::new();
    for (kernel, contract) in &report.contracts {
        let guards = contract.guards.iter();
        let facts: Vec<Fact> = guards
            .filter_map(|guard| match guard {
                Guard::Geometry(fact) => Some(*fact),
                _ => None,
            })
            .collect();
        let mut guards = contract.guards.iter();
        let holds_no_more = guards.any(|guard| matches!(guard, Guard::GroupSize(_)));
        out.push_str(&match &contract.form {
            Form::NdRange => format!("{kernel}: launched over its NDRange\n"),
            Form::Task(task) => format!(
                "{kernel}: a task with {:?}, relying on {:?}, groups of at most {:?}{}, NULL is {:?}\n",
                task.hidden,
                facts,
                task.max_group_size,
                match task.max_group_size.is_some() && !holds_no_more {
                    true => " or as the host says",
                    false => "",
                },
                task.null_local
            ),
        });
        for (param, bytes) in contract.local_bytes() {
            out.push_str(&format!(
                "{kernel}: argument {param} has at most {bytes} bytes\n"
            ));
        }
    }
    out
}

/// `1:64`: argument 1 is 64 bytes of `__local` memory.
fn local_argument(text: &str) -> Arg {
    let (index, bytes) = text.split_once(':').expect("index and bytes");
    Arg {
        index: index.parse().expect("an index"),
        value: ArgValue::Local(Value::Const(bytes.parse().expect("bytes"))),
    }
}

/// The launches of all kernels, from the first line of an input.
fn facts(kernels: &[String], text: &str) -> Facts {
    let mut facts = Facts::default();
    let hosts = text
        .lines()
        .filter_map(|line| line.strip_prefix("// host: "));
    for host in hosts.filter(|host| *host != "unknown") {
        let get = |key: &str| {
            host.split_whitespace()
                .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
        };
        let value = |text: &str| match text.parse() {
            Ok(value) => Value::Const(value),
            Err(_) => Value::Unknown("not known".to_string()),
        };
        let values = |text: Option<&str>| {
            text.unwrap_or("0,0,0")
                .split(',')
                .map(value)
                .collect::<Vec<_>>()
        };
        let only = get("kernel").map(|name| vec![name.to_string()]);
        facts.launches.push(Launch {
            site: Location {
                file: "host.c".to_string(),
                line: 1,
                column: 1,
            },
            kernels: Known::Is(only.unwrap_or_else(|| kernels.to_vec())),
            work_dim: value(get("dim").unwrap_or("?")),
            offset: values(get("offset")),
            global: values(Some(get("global").unwrap_or("?,?,?"))),
            local: match get("local") {
                Some("null") => LocalSize::Null,
                Some(sizes) => LocalSize::Sizes(values(Some(sizes))),
                None => LocalSize::Unknown("not known".to_string()),
            },
            args: get("bytes").into_iter().map(local_argument).collect(),
            queue: QueueOrder::Unknown,
            within: None,
            same: Vec::new(),
            recorded: None,
        });
    }
    facts
}
