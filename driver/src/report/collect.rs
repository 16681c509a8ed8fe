//! From decisions to what a report says.

use fpgacc_decision::{Decision, words};
use fpgacc_device_passes::remark::Kind;
use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_frontend::kernel::LineDirectives;
use fpgacc_frontend::source::{SourceMap, Span};
use fpgacc_launch_facts::{Facts, Launch};
use fpgacc_performance_model::{Assumed, Form, Limit, LoopReport, LsuReport, Pipelining};

use super::data::{
    Access, Board, Candidate, FORMAT_VERSION, Hint, Kernel, Line, Loop, Mark, Part, Place, Program,
    Refused, Remark, Report, Taken,
};
use super::excerpt;
use crate::compiled::Compiled;
use crate::rewriting;
use crate::session::{Session, Step};
use crate::{board, explain, facts, gather, kernels};

/// A part of the time that is worth a hint.
const MATTERS: f64 = 0.5;

/// Takes the inputs through everything but the build.
pub fn collect(session: &mut Session) -> Step<Report> {
    let gathered = gather::read_sources(session)?;
    let hosts = facts::of(session, &gathered)?;
    let compiled = rewriting::with(session, &gathered, &hosts)?.compiled;
    let board = board::of(session)?;
    let mut programs = Vec::new();
    for one in &compiled {
        let scene = Scene {
            facts: &hosts.facts,
            board: &board,
            compiled: one,
            printed: printed(session, one)?,
        };
        programs.push(Program {
            name: one.program.name(),
            kernels: scene.kernels(&session.sources),
        });
    }
    Ok(Report {
        version: FORMAT_VERSION,
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
    board: &'a fpgacc_performance_model::Board,
    compiled: &'a Compiled,
    printed: String,
}

impl Scene<'_> {
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
        let mut original = function.span.map(|span| excerpt::original(sources, span));
        let versions: Vec<String> = std::iter::once(name.clone())
            .chain(report.versions.of(name))
            .collect();
        let mut rewritten = excerpt::rewritten(&self.printed, &versions);
        mark_original(original.iter_mut().flatten(), decision, sources);
        mark_rewritten(&mut rewritten, decision, sources);
        Kernel {
            name: name.clone(),
            place: function.span.map(|span| place(sources, span)),
            asked: decision.model.word().to_string(),
            candidates: decision
                .candidates
                .iter()
                .map(|c| self.candidate(c))
                .collect(),
            chosen: decision.chosen,
            forms: decision.searched.forms,
            floor: decision.searched.floor,
            steps: steps(decision),
            refused: refused(decision),
            gain: seconds(decision.input()) / seconds(decision.chosen()),
            disagreements: decision.disagreements.clone(),
            parts: (decision.chosen().price.parts.iter())
                .map(|one| self.part(one, sources))
                .collect(),
            main: main_part(decision),
            done: done.map(|(pass, text)| format!("{pass}: {text}")).collect(),
            missed: missed
                .map(|remark| Remark {
                    pass: remark.pass.to_string(),
                    place: remark.note.span.map(|span| place(sources, span)),
                    text: remark.note.text.clone(),
                })
                .collect(),
            hints: hints(decision, sources),
            launches: self.launches(name, decision),
            original: original.unwrap_or_default(),
            rewritten,
        }
    }

    fn candidate(&self, candidate: &fpgacc_decision::Candidate) -> Candidate {
        Candidate {
            label: candidate.label.clone(),
            family: candidate.family.name().to_string(),
            seconds: candidate.price.seconds.into(),
            area: candidate.price.area,
            share: fpgacc_decision::share_of(&candidate.price.area, self.board),
            fits: candidate.price.fits,
            is_measured: candidate.is_measured,
        }
    }

    fn part(&self, part: &fpgacc_decision::Part, sources: &SourceMap) -> Part {
        let predicted = &part.prediction;
        let launch = part.launch.and_then(|at| self.facts.launches.get(at));
        Part {
            version: part.version.clone(),
            launch: launch.map(|launch| Place {
                file: launch.site.file.clone(),
                line: launch.site.line,
            }),
            count: part.count,
            form: form(predicted.form),
            cycles: predicted.cycles.into(),
            clock_mhz: predicted.clock_mhz.into(),
            seconds: predicted.seconds.into(),
            memory_seconds: predicted.memory_seconds,
            loops: predicted
                .loops
                .iter()
                .map(|one| loop_of(one, sources))
                .collect(),
            accesses: predicted
                .lsus
                .iter()
                .map(|one| access(one, sources))
                .collect(),
            assumed: predicted
                .assumed
                .iter()
                .map(|one| assumed(one, sources))
                .collect(),
        }
    }

    /// What is known of the launches of a kernel, in words.
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

fn place(sources: &SourceMap, span: Span) -> Place {
    let at = sources.location(span);
    Place {
        file: at.file,
        line: at.line,
    }
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
                text.push_str(&format!(", {simd} work-items at a time"));
            }
            if compute_units > 1 {
                text.push_str(&format!(", {compute_units} compute units"));
            }
            text
        }
    }
}

fn loop_of(report: &LoopReport, sources: &SourceMap) -> Loop {
    Loop {
        place: report.span.map(|span| place(sources, span)),
        depth: report.depth,
        trips: report.trip.value,
        trips_are: words::origin(report.trip.origin).to_string(),
        unroll: report.unroll,
        ii: report.ii,
        overlap: match report.pipelined {
            Pipelining::Pipelined => "pipelined",
            Pipelining::Serial => "serial",
            Pipelining::WorkItems => "work-items",
        }
        .to_string(),
        limit: words::limit(&report.limit, Some(sources)),
    }
}

fn access(report: &LsuReport, sources: &SourceMap) -> Access {
    Access {
        place: report.span.map(|span| place(sources, span)),
        array: report.array.clone(),
        is_store: report.is_store,
        unit: words::unit(report.kind).to_string(),
        bytes_wide: report.bytes_wide,
        stride: report.stride,
        efficiency: report.efficiency,
    }
}

/// Whether a loop costs time that it need not. That an outer loop waits for the iterations of an inner
/// one is no fault.
fn is_slow(report: &LoopReport) -> bool {
    let lowers_clock = matches!(report.limit, Limit::Chain { .. });
    let is_late = report.ii > 1.5 || report.pipelined == Pipelining::Serial;
    lowers_clock || (report.limit != Limit::None && is_late)
}

fn loop_mark(report: &LoopReport, sources: &SourceMap) -> Mark {
    let label = match report.pipelined {
        Pipelining::Serial => "serial".to_string(),
        _ => format!("II = {}", words::number(report.ii)),
    };
    let limit = words::limit(&report.limit, Some(sources));
    let trips = words::number(report.trip.value);
    let known = words::origin(report.trip.origin);
    Mark {
        label,
        text: match limit {
            Some(limit) => format!("{limit}; {trips} iterations ({known})"),
            None => format!("{trips} iterations ({known})"),
        },
        is_bottleneck: is_slow(report),
    }
}

/// What the chosen form's loops and accesses are, beside the user's lines.
fn mark_original<'l>(
    lines: impl Iterator<Item = &'l mut Line>,
    decision: &Decision,
    sources: &SourceMap,
) {
    let Some(part) = decision.chosen().price.parts.get(main_part(decision)) else {
        return;
    };
    let line_of = |span: Option<Span>| span.map(|span| sources.location(span).line);
    for line in lines {
        let here = |span| line_of(span) == line.number && line.number.is_some();
        let loops = part.prediction.loops.iter().filter(|one| here(one.span));
        let mut marks: Vec<Mark> = loops.map(|one| loop_mark(one, sources)).collect();
        let units = part.prediction.lsus.iter().filter(|one| here(one.span));
        marks.extend(units.map(|one| Mark {
            label: if one.is_store { "store" } else { "load" }.to_string(),
            text: words::access(one),
            is_bottleneck: one.efficiency < MATTERS,
        }));
        marks.dedup();
        line.marks.extend(marks);
    }
}

/// The same for loops of the rewritten text, if they are those that the model saw.
fn mark_rewritten(lines: &mut [Line], decision: &Decision, sources: &SourceMap) {
    let parts = &decision.chosen().price.parts;
    let mut reports: Vec<&LoopReport> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for part in parts {
        if !seen.contains(&part.version.as_str()) {
            seen.push(&part.version);
            reports.extend(&part.prediction.loops);
        }
    }
    let places = excerpt::loops(lines);
    if places.len() != reports.len() {
        return;
    }
    for (at, report) in places.into_iter().zip(reports) {
        lines[at].marks.push(loop_mark(report, sources));
    }
}

/// What to change to gain more, the most first: what keeps loops slow, the memory, what is not known.
fn hints(decision: &Decision, sources: &SourceMap) -> Vec<Hint> {
    let mut hints: Vec<Hint> = Vec::new();
    for part in &decision.chosen().price.parts {
        let predicted = &part.prediction;
        let slow = predicted.loops.iter().filter(|one| is_slow(one));
        let found = slow.filter_map(|one| {
            Some(Hint {
                place: one.span.map(|span| place(sources, span)),
                what: words::interval(one, Some(sources)),
                remedy: words::remedy(&one.limit)?.to_string(),
            })
        });
        hints.extend(found);
        if predicted.memory_seconds > MATTERS * predicted.seconds.value {
            hints.push(memory_hint(part, sources));
        }
    }
    if decision
        .chosen()
        .price
        .parts
        .iter()
        .any(|part| part.launch.is_none())
    {
        hints.push(Hint {
            place: None,
            what: "no launch of this kernel is known: sizes are assumed".to_string(),
            remedy: "give the host too, or facts: fpgacc trace records them".to_string(),
        });
    } else if decision
        .chosen()
        .price
        .parts
        .iter()
        .any(|part| !part.prediction.assumed.is_empty())
    {
        hints.push(Hint {
            place: None,
            what: "numbers are assumed that the host does not tell".to_string(),
            remedy: "record a run (fpgacc trace --trip-counts) and give the facts".to_string(),
        });
    }
    let mut unique: Vec<Hint> = Vec::new();
    for hint in hints {
        if !unique.contains(&hint) {
            unique.push(hint);
        }
    }
    unique
}

/// The memory is what the kernel waits for: which access wastes most of it.
fn memory_hint(part: &fpgacc_decision::Part, sources: &SourceMap) -> Hint {
    let units = part.prediction.lsus.iter();
    let worst = units.min_by(|a, b| a.efficiency.total_cmp(&b.efficiency));
    let wasteful = worst.filter(|unit| unit.efficiency < MATTERS);
    let (what, remedy) = match wasteful {
        Some(unit) => (
            words::access(unit),
            "let neighbouring iterations or work-items access neighbouring elements, or copy a tile \
             to local memory",
        ),
        None => (
            format!(
                "external memory is busy for {} of {}",
                words::seconds(part.prediction.memory_seconds),
                words::seconds(part.prediction.seconds.value)
            ),
            "read each value once: keep it in local memory, or use smaller types",
        ),
    };
    Hint {
        place: wasteful
            .and_then(|unit| unit.span)
            .map(|span| place(sources, span)),
        what,
        remedy: remedy.to_string(),
    }
}

/// Something that is assumed, with its place and what would make it known.
fn assumed(one: &Assumed, sources: &SourceMap) -> String {
    let line = one
        .span
        .map(|span| format!("line {}: ", sources.location(span).line));
    format!("{}{}; {}", line.unwrap_or_default(), one.what, one.remedy)
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
    use fpgacc_performance_model::{Trip, TripOrigin};

    use super::*;

    #[test]
    fn forms_have_names() {
        let wide = Form::NdRange {
            simd: 4,
            compute_units: 2,
        };
        assert_eq!(
            form(wide),
            "NDRange, 4 work-items at a time, 2 compute units"
        );
        let plain = Form::NdRange {
            simd: 1,
            compute_units: 1,
        };
        assert_eq!(form(plain), "NDRange");
    }

    #[test]
    fn limits_make_marks() {
        let report = LoopReport {
            span: None,
            depth: 0,
            trip: Trip {
                value: 64.0,
                origin: TripOrigin::Known,
            },
            unroll: 1,
            ii: 8.0,
            limit: Limit::Bandwidth,
            pipelined: Pipelining::Pipelined,
            latency: 20.0,
        };
        let mark = loop_mark(&report, &SourceMap::new());
        assert_eq!(mark.label, "II = 8");
        assert!(mark.is_bottleneck);
        assert!(
            mark.text.ends_with("64 iterations (known)"),
            "{}",
            mark.text
        );
    }
}
