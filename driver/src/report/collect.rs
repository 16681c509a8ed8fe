//! From decisions to what a report says.

use std::path::Path;

use fpgacc_decision::{Decision, Origin, TOO_LARGE, describe, timed};
use fpgacc_device_passes::remark::{self, Kind};
use fpgacc_frontend::diag::{Diagnostic, Severity};
use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_frontend::kernel::LineDirectives;
use fpgacc_frontend::source::{SourceMap, Span};
use fpgacc_launch_facts::{Facts, Launch};
use fpgacc_performance_model::{Assumed, Form, LoopReport, LsuReport, Pipelining};
use sha2::{Digest, Sha256};

use super::data::{
    Access, Board, Candidate, FORMAT_VERSION, InputFile, Kernel, Learned, Line, Loop, Part,
    Position, Program, Refused, Remark, Report, Taken, Unpriced,
};
use super::loops::{self, Found};
use super::position::position;
use super::{difference, excerpt, geometry, lines, marks, memory, total};
use crate::check::Launches;
use crate::compiled::Compiled;
use crate::rewriting;
use crate::session::{Session, Step};
use crate::{board, check, explain, facts, gather, kernels};

/// Takes the inputs through everything but the build; `words` are those of the command, and `device` is that
/// which sizes of work-groups are asked for.
pub fn collect(session: &mut Session, words: &[String], device: Option<&str>) -> Step<Report> {
    let gathered = gather::read_sources(session)?;
    let hosts = facts::of(session, &gathered)?;
    let compiled = rewriting::to_look_at(session, &gathered, &hosts)?;
    let board = board::of(session)?;
    let mut programs = Vec::new();
    for one in &compiled {
        warn_of_unpriced(session, &one.rewritten.report.remarks);
        let scene = Scene {
            facts: &hosts.facts,
            launches: Launches::of(&hosts.facts, &gathered),
            board: &board,
            compiled: one,
            printed: printed(session, one)?,
        };
        programs.push(scene.program(&session.sources));
    }
    let geometry = match device {
        Some(device) => Some(geometry::sizes(session, device, &hosts.facts, &compiled)?),
        None => None,
    };
    Ok(Report {
        geometry,
        version: FORMAT_VERSION,
        tool: format!("fpgacc {}", env!("CARGO_PKG_VERSION")),
        command: without_output(words),
        inputs: inputs(session)?,
        board: Board {
            name: board.name.clone(),
            title: board.title.clone(),
            is_default: session.options.board.is_none() && session.options.board_file.is_none(),
            device: board.device,
            interface: board.interface,
        },
        level: session.options.pipeline.level,
        programs,
    })
}

/// Warns of kernels that the report leaves out.
fn warn_of_unpriced(session: &mut Session, remarks: &[remark::Remark]) {
    for remark in remarks.iter().filter(|remark| remark.name == TOO_LARGE) {
        let said = remark.diagnostic();
        session.report(Diagnostic {
            severity: Severity::Warning,
            option: None,
            ..said.note("it is not in the report")
        });
    }
}

/// The words of a command but for those that name the output: the same report, wherever it goes.
fn without_output(words: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-o" => drop(words.next()),
            _ if word.starts_with("-o") => {}
            _ => kept.push(word.clone()),
        }
    }
    kept
}

/// The files that were read, but for those of the system.
fn inputs(session: &mut Session) -> Step<Vec<InputFile>> {
    let files: Vec<_> = session
        .dependencies
        .own_files()
        .map(Path::to_path_buf)
        .collect();
    let mut inputs = Vec::new();
    for path in files.iter().filter(|path| path.is_file()) {
        let digest = Sha256::digest(session.read(path)?);
        inputs.push(InputFile {
            file: path.display().to_string(),
            sha256: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        });
    }
    Ok(inputs)
}

/// The rewritten program as people read it.
fn printed(session: &mut Session, compiled: &Compiled) -> Step<String> {
    match &compiled.rewritten.module {
        Some(module) => kernels::print(session, module, LineDirectives::None),
        None => Ok(String::new()),
    }
}

/// A program and all that is known of it.
struct Scene<'a> {
    facts: &'a Facts,
    launches: Launches<'a>,
    board: &'a fpgacc_performance_model::Board,
    compiled: &'a Compiled,
    printed: String,
}

/// What a version's rewritten lines are.
struct Version {
    name: String,
    lines: Vec<Line>,
    loops: Found,
}

impl Scene<'_> {
    fn program(&self, sources: &SourceMap) -> Program {
        let rewritten = &self.compiled.rewritten;
        let decisions: Vec<&Decision> = rewritten.decisions.values().collect();
        let buffers = rewritten
            .parsed
            .as_ref()
            .map(|module| memory::buffers(self.facts, module, &rewritten.decisions));
        Program {
            name: self.compiled.program.name(),
            kernels: self.kernels(sources),
            total: total::of(&decisions, self.board),
            learned: rewritten.learned.as_ref().map(learned),
            buffers: buffers.unwrap_or_default(),
        }
    }

    /// The versions of a kernel as the rewritten text has them, with what is said of their loops.
    fn versions(&self, kernel: &str, decision: &Decision, sources: &SourceMap) -> Vec<Version> {
        let versions = self.compiled.rewritten.report.versions.of(kernel);
        let names = std::iter::once(kernel.to_string()).chain(versions);
        let version = |name: String| {
            let mut lines = excerpt::rewritten(&self.printed, &name);
            let parts = &decision.chosen().price.parts;
            let part = parts.iter().find(|part| part.version == name);
            let mut loops = Found::default();
            if let Some(part) = part {
                loops = loops::find(&lines, &part.prediction.loops, sources);
                marks::rewritten(&mut lines, &loops, &part.prediction.loops, sources);
            }
            Version { name, lines, loops }
        };
        names.map(version).collect()
    }

    /// Where the loops of a version are from, in their order.
    fn loop_spans(&self, version: &str) -> Vec<Option<Span>> {
        let mut spans = Vec::new();
        let module = self.compiled.rewritten.module.as_ref();
        let function =
            module.and_then(|module| Some(&module.functions[module.function_named(version)?]));
        if let Some(body) = function.and_then(|function| function.body.as_ref()) {
            fpgacc_kernel_analysis::loops::for_each(body, &mut |_, stmt| spans.push(stmt.span));
        }
        spans
    }

    fn kernels(&self, sources: &SourceMap) -> Vec<Kernel> {
        let Some(module) = &self.compiled.rewritten.parsed else {
            return Vec::new();
        };
        let kernel = |id| {
            let name = &module.functions[id].name;
            let decision = self.compiled.rewritten.decisions.get(name)?;
            Some(self.kernel(module, id, decision, sources))
        };
        module.kernels().filter_map(kernel).collect()
    }

    fn kernel(
        &self,
        module: &Module,
        id: FunctionId,
        decision: &Decision,
        sources: &SourceMap,
    ) -> Kernel {
        let function = &module.functions[id];
        let name = &function.name;
        let report = &self.compiled.rewritten.report;
        let own =
            |kernel: &str| kernel == name || report.versions.of(name).iter().any(|v| v == kernel);
        let done = report.done.iter().filter(|(kernel, _)| own(kernel));
        let done = done.flat_map(|(_, notes)| notes);
        let missed = report
            .remarks
            .iter()
            .filter(|r| r.kind == Kind::Missed && own(&r.kernel));
        let seconds = |candidate: &fpgacc_decision::Candidate| candidate.price.seconds.value;
        let parts = &decision.chosen().price.parts;
        let main = main_part(decision);
        let excerpt = function.span.map(|span| excerpt::original(sources, span));
        let mut original = excerpt.unwrap_or_default();
        let versions = self.versions(name, decision, sources);
        let described = |part| self.part(part, &versions, sources);
        let described: Vec<Part> = parts.iter().map(described).collect();
        let mut rewritten = joined(versions);
        if let Some(part) = parts.get(main) {
            marks::original(original.iter_mut(), part, sources);
        }
        difference::mark(&mut original, &mut rewritten);
        let operations = parts.get(main).map(|part| &part.prediction.operations);
        Kernel {
            name: name.clone(),
            position: function.span.map(|span| position(sources, span)),
            asked: decision.model.word().to_string(),
            candidates: (0..decision.candidates.len())
                .map(|at| self.candidate(decision, at))
                .collect(),
            chosen: decision.chosen,
            forms: decision.searched.forms,
            floor: decision.searched.floor,
            steps: steps(decision),
            refused: refused(decision),
            gain: seconds(decision.input()) / seconds(decision.chosen()),
            disagreements: decision.disagreements.clone(),
            parts: described,
            main,
            done: done
                .map(|(pass, note)| format!("{pass}: {}", note.text))
                .collect(),
            missed: missed
                .map(|remark| Remark {
                    pass: remark.pass.to_string(),
                    position: remark.note.span.map(|span| position(sources, span)),
                    text: remark.note.text.clone(),
                })
                .collect(),
            hints: marks::hints(decision, sources),
            gpu: check::of_kernel(module, id, &self.launches, sources),
            unpriced: unpriced(decision, sources),
            lines: operations.map_or(Vec::new(), |all| lines::costs(all, sources)),
            launches: self.launches(name, decision),
            original,
            rewritten,
        }
    }

    fn candidate(&self, decision: &Decision, at: usize) -> Candidate {
        let candidate = &decision.candidates[at];
        Candidate {
            label: candidate.label.clone(),
            family: candidate.family.name().to_string(),
            seconds: candidate.price.seconds.into(),
            area: candidate.price.area,
            share: fpgacc_decision::share_of(&candidate.price.area, self.board),
            fits: candidate.price.fits,
            is_measured: candidate.origin == Origin::Compiler,
            origin: describe::of(candidate.origin),
            predicted: candidate.predicted,
            why_not: fpgacc_decision::why_not(decision, at),
        }
    }

    fn part(
        &self,
        part: &fpgacc_decision::Part,
        versions: &[Version],
        sources: &SourceMap,
    ) -> Part {
        let predicted = &part.prediction;
        let version = versions.iter().find(|one| one.name == part.version);
        let line = |at: usize| {
            let version = version?;
            let at = *version.loops.at.get(at)?;
            version.lines.get(at)
        };
        let spans = self.loop_spans(&part.version);
        let unrolled = version.map(|one| one.loops.unrolled(&one.lines, &spans, sources));
        let launch = part.launch.and_then(|at| self.facts.launches.get(at));
        Part {
            version: part.version.clone(),
            launch: launch.map(|launch| Position {
                file: launch.site.file.clone(),
                line: launch.site.line,
            }),
            count: part.count,
            form: form(predicted.form),
            cycles: predicted.cycles.into(),
            clock_mhz: predicted.clock_mhz.into(),
            seconds: predicted.seconds.into(),
            memory_seconds: predicted.memory_seconds,
            loops: (predicted.loops.iter().enumerate())
                .map(|(at, one)| loop_of(one, line(at), sources))
                .collect(),
            unrolled: unrolled.unwrap_or_default(),
            accesses: accesses(&predicted.lsus, sources),
            assumed: assumed(&predicted.assumed, sources),
        }
    }

    /// What is known of the launches of a kernel, as text.
    fn launches(&self, kernel: &str, decision: &Decision) -> Vec<String> {
        let of_kernel = |launch: &&Launch| {
            let names = launch.kernels.get();
            names.is_none_or(|names| names.iter().any(|name| name == kernel))
        };
        let mut known: Vec<String> = Vec::new();
        for launch in self.facts.launches.iter().filter(of_kernel) {
            let text = explain::explain(self.facts, &launch.site);
            if !known.contains(&text) {
                known.push(text);
            }
        }
        if known.is_empty()
            && decision
                .chosen()
                .price
                .parts
                .iter()
                .all(|p| p.launch.is_none())
        {
            known.push("no launch of this kernel is known\n".to_string());
        }
        known
    }
}

/// What measured times said.
fn learned(found: &timed::Learned) -> Learned {
    Learned {
        forms: found.forms,
        kernels: found.kernels,
        left_out: found.left_out_word(),
        predicted: found.left_out.map(|check| check.predicted),
        corrected: found.left_out.map(|check| check.corrected),
        is_used: found.is_used(),
        text: describe::learned(found),
    }
}

/// The version and launch that take most of a kernel's time.
fn main_part(decision: &Decision) -> usize {
    let parts = &decision.chosen().price.parts;
    let seconds = |at: usize| parts[at].prediction.seconds.value * parts[at].count;
    let all = 0..parts.len();
    // Of equal ones the first.
    all.rev()
        .max_by(|&a, &b| seconds(a).total_cmp(&seconds(b)))
        .unwrap_or(0)
}

fn form(form: Form) -> String {
    match form {
        Form::SingleWorkItem => "single work-item".to_string(),
        Form::NdRange {
            simd,
            compute_units,
        } => {
            let mut text = "NDRange".to_string();
            if simd > 1 {
                text.push_str(&format!(", SIMD width {simd}"));
            }
            if compute_units > 1 {
                text.push_str(&format!(", {compute_units} compute units"));
            }
            text
        }
    }
}

/// A loop, and its line of the rewritten text if that is known.
fn loop_of(report: &LoopReport, line: Option<&Line>, sources: &SourceMap) -> Loop {
    let own = report
        .span
        .and_then(|span| loops::source_name(sources, span));
    let made = || line.and_then(|line| loops::name(&line.text));
    let name = own.or_else(made).unwrap_or_else(|| "loop".to_string());
    Loop {
        name,
        rewritten_line: line.and_then(|line| line.number),
        position: report.span.map(|span| position(sources, span)),
        depth: report.depth,
        trips: report.trip.value,
        trips_are: describe::origin(report.trip.origin).to_string(),
        unroll: report.unroll,
        ii: report.ii,
        latency: report.latency,
        overlap: match report.pipelined {
            Pipelining::Pipelined => "pipelined",
            Pipelining::Serial => "serial",
            Pipelining::WorkItems => "work-items",
        }
        .to_string(),
        limit: describe::limit(&report.limit, Some(sources)),
    }
}

/// The units that access memory, those that are the same together.
fn accesses(reports: &[LsuReport], sources: &SourceMap) -> Vec<Access> {
    let mut found: Vec<Access> = Vec::new();
    for report in reports {
        let one = access(report, sources);
        let same = |other: &&mut Access| {
            Access {
                count: 1,
                ..one.clone()
            } == Access {
                count: 1,
                ..(*other).clone()
            }
        };
        match found.iter_mut().find(same) {
            Some(other) => other.count += 1,
            None => found.push(one),
        }
    }
    found
}

fn access(report: &LsuReport, sources: &SourceMap) -> Access {
    Access {
        count: 1,
        position: report.span.map(|span| position(sources, span)),
        array: report.array.clone(),
        is_store: report.is_store,
        unit: describe::unit(report.kind).to_string(),
        bytes_wide: report.bytes_wide,
        stride: report.stride,
        efficiency: report.efficiency,
    }
}

/// What is assumed, each once with its lines and what would make it known.
fn assumed(all: &[Assumed], sources: &SourceMap) -> Vec<String> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for one in all {
        let text = format!("{}; {}", one.what, one.remedy);
        let line = one
            .span
            .map(|span| position(sources, span).line.to_string());
        match found.iter_mut().find(|(known, _)| *known == text) {
            Some((_, lines)) => lines.extend(line),
            None => found.push((text, line.into_iter().collect())),
        }
    }
    let with_lines = found
        .into_iter()
        .map(|(text, lines)| match lines.as_slice() {
            [] => text,
            [line] => format!("line {line}: {text}"),
            _ => format!("lines {}: {text}", lines.join(", ")),
        });
    with_lines.collect()
}

/// The versions one after another.
fn joined(versions: Vec<Version>) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::new();
    for version in versions.into_iter().filter(|one| !one.lines.is_empty()) {
        if !out.is_empty() {
            out.push(Line {
                number: None,
                changed: false,
                text: String::new(),
                marks: Vec::new(),
            });
        }
        out.extend(version.lines);
    }
    out
}

/// What the model knows nothing of in the form that is kept, each position once.
fn unpriced(decision: &Decision, sources: &SourceMap) -> Vec<Unpriced> {
    let mut found: Vec<Unpriced> = Vec::new();
    let parts = decision.chosen().price.parts.iter();
    for one in parts.flat_map(|part| &part.prediction.unpriced) {
        let one = Unpriced {
            position: one.span.map(|span| position(sources, span)),
            name: one.name.clone(),
            priced_as: one.as_what.to_string(),
        };
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

fn steps(decision: &Decision) -> Vec<Taken> {
    let steps = decision.steps().into_iter();
    steps
        .map(|step| Taken {
            what: step.what,
            gain: step.gain,
        })
        .collect()
}

fn refused(decision: &Decision) -> Vec<Refused> {
    let refused = decision.chosen().refused.iter();
    refused
        .map(|step| Refused {
            what: step.what.clone(),
            seconds: step.seconds,
            fits: step.fits,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_have_names() {
        let wide = Form::NdRange {
            simd: 4,
            compute_units: 2,
        };
        assert_eq!(form(wide), "NDRange, SIMD width 4, 2 compute units");
        let plain = Form::NdRange {
            simd: 1,
            compute_units: 1,
        };
        assert_eq!(form(plain), "NDRange");
    }
}
