//! Golden texts: `golden/PASS/NAME.cl` becomes `golden/PASS/NAME.snap` by the pass alone.
//!
//! Comments of an input say how the host launches it (`common/header.rs`). A line `// case: WHAT`
//! begins one of several cases; what stands before the first belongs to each. The output is what the
//! runtime must do and check, the remarks, and the kernels. `INSTA_UPDATE=always` writes the outputs
//! anew.

#[path = "common/header.rs"]
mod header;

use std::fs;
use std::path::{Path, PathBuf};

use fpgacc_device_passes::passes;
use fpgacc_device_passes::pipeline::{Report, run};
use fpgacc_frontend::diag::{Color, render};
use fpgacc_frontend::ir::Dialect;
use fpgacc_frontend::kernel::{Input, LineDirectives, parse, print, validate};
use fpgacc_frontend::source::SourceMap;
use fpgacc_runtime::manifest::Form;

/// Each pass has so many cases at least: one that it rewrites, and those that it leaves.
const CASES: usize = 2;

#[test]
fn passes_make_what_is_written() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for pass in passes::ALL {
        let folder = golden.join(pass.name());
        let inputs = inputs(&folder);
        let mut count = 0;
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(&folder);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        for input in inputs {
            let text = fs::read_to_string(&input).expect("a readable input");
            let name = input.file_stem().expect("a name").to_string_lossy();
            let cases = cases(&text);
            count += cases.len();
            let outputs: Vec<String> = cases
                .iter()
                .map(|case| rewrite(pass.name(), &format!("{name}.cl"), case))
                .collect();
            let output = outputs.join("\n");
            settings.bind(|| insta::assert_snapshot!(name.as_ref(), output));
        }
        assert!(count >= CASES, "{}: cases", folder.display());
    }
}

fn inputs(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    let is_input = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "cl");
    let mut inputs: Vec<PathBuf> = paths.filter(is_input).collect();
    inputs.sort();
    inputs
}

fn cases(text: &str) -> Vec<String> {
    let mut parts = text.split("// case");
    let common = parts.next().unwrap_or_default();
    let cases: Vec<String> = parts.map(|part| format!("{common}// case{part}")).collect();
    match cases.is_empty() {
        true => vec![text.to_string()],
        false => cases,
    }
}

fn rewrite(pass: &str, name: &str, text: &str) -> String {
    let mut sources = SourceMap::new();
    sources.add(name, text);
    let dialect = match text.contains("CL2.0") {
        true => Dialect::Cl20,
        false => Dialect::Cl12,
    };
    let input = Input::new(name, text, dialect);
    let mut module = parse(&input, &mut sources).unwrap_or_else(|error| {
        let texts = error.diagnostics().iter();
        let texts: Vec<_> = texts.map(|d| render(d, &sources, Color::Never)).collect();
        panic!("{}", texts.join(""));
    });
    let kernels = module.kernels().map(|id| module.functions[id].name.clone());
    let facts = header::facts(text, &kernels.collect::<Vec<_>>());
    let valid = validate(&module).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
    let before = print(&valid, &sources, LineDirectives::None);
    let report = run(&mut module, &facts, &header::pipeline(text, pass));
    let valid = validate(&module).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
    let title = text.lines().find_map(|line| line.strip_prefix("// case: "));
    let mut out = title.map_or(String::new(), |what| format!("// {what}\n"));
    out += &contracts(&report);
    for remark in &report.remarks {
        out += &render(&remark.diagnostic(), &sources, Color::Never);
    }
    let kernels = print(&valid, &sources, LineDirectives::None);
    match kernels == before {
        true => out + "--- unchanged\n",
        false => out + "---\n" + &kernels,
    }
}

fn contracts(report: &Report) -> String {
    let mut out = String::new();
    for (kernel, contract) in &report.contracts {
        out += &match &contract.form {
            Form::NdRange => format!("{kernel}: launched over its NDRange\n"),
            Form::Task(task) => format!("{kernel}: {task:?}\n"),
            Form::Coarsened(coarsened) => format!("{kernel}: {coarsened:?}\n"),
        };
        for sizes in &contract.local_sizes {
            out += &format!("{kernel}: {sizes:?}\n");
        }
        for guard in &contract.guards {
            out += &format!("{kernel}: {guard:?}\n");
        }
    }
    out
}
