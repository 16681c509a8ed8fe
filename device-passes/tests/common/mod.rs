//! From text to rewritten text.

use fpgacc_device_passes::pass::LaunchContract;
use fpgacc_device_passes::pipeline::{Pipeline, Report, run};
use fpgacc_device_passes::remark::Remark;
use fpgacc_frontend::diag::{Color, Diagnostic, render};
use fpgacc_frontend::ir::Dialect;
use fpgacc_frontend::kernel::{Input, LineDirectives, ParseError, parse, print, validate};
use fpgacc_frontend::source::SourceMap;
use fpgacc_launch_facts::Facts;

/// What became of a kernel file.
pub struct Rewritten {
    /// OpenCL C.
    pub text: String,
    /// The remarks, rendered, without source lines.
    pub remarks: Vec<String>,
    /// What the passes reported of their work.
    pub report: Report,
}

impl Rewritten {
    /// The contract of the only kernel.
    #[allow(dead_code)]
    pub fn contract(&self) -> &LaunchContract {
        self.report.contracts.values().next().expect("a kernel")
    }
}

/// Parses, runs passes and prints; the module is validated before and after them.
pub fn rewrite(source: &str, facts: &Facts, pipeline: &Pipeline) -> Rewritten {
    let mut sources = SourceMap::new();
    sources.add("k.cl", source);
    let preprocessed = format!("# 1 \"k.cl\"\n{source}");
    let input = Input::new("k.cl", &preprocessed, Dialect::Cl12);
    let mut module = match parse(&input, &mut sources) {
        Ok(module) => module,
        Err(ParseError::Invalid(errors) | ParseError::Unsupported(errors)) => {
            panic!("{}", rendered(&errors, &sources).join("\n"))
        }
    };
    if let Err(faults) = validate(&module) {
        panic!("before: {}", rendered(&faults, &sources).join("\n"));
    }
    let report = run(&mut module, facts, pipeline);
    let valid = match validate(&module) {
        Ok(valid) => valid,
        Err(faults) => panic!("after: {}", rendered(&faults, &sources).join("\n")),
    };
    let remarks: Vec<_> = report.remarks.iter().map(Remark::diagnostic).collect();
    Rewritten {
        text: print(&valid, &sources, LineDirectives::None),
        remarks: rendered(&remarks, &sources),
        report,
    }
}

fn rendered(diagnostics: &[Diagnostic], sources: &SourceMap) -> Vec<String> {
    let lines = diagnostics.iter().map(|diagnostic| {
        let text = render(diagnostic, sources, Color::Never);
        text.lines().next().unwrap_or_default().to_string()
    });
    lines.collect()
}
