//! What is reported to the user of decisions, as remarks.

use std::collections::BTreeMap;

use fpgacc_device_passes::pass::Note;
use fpgacc_device_passes::remark::{Kind, Remark};
use fpgacc_frontend::ir::Module;
use fpgacc_frontend::source::Span;
use fpgacc_performance_model::{Board, Limit, LoopReport};

use super::describe;
use super::variant::{Decision, Part};

/// The name under which the decision reports.
pub const PASS: &str = "decision";

/// The remarks on all decisions.
pub fn remarks(
    module: &Module,
    decisions: &BTreeMap<String, Decision>,
    board: &Board,
) -> Vec<Remark> {
    let mut out = Vec::new();
    for (kernel, decision) in decisions {
        let span = module.function_named(kernel);
        let span = span.and_then(|id| module.functions[id].span);
        let mut writer = Writer {
            kernel,
            span,
            out: &mut out,
        };
        writer.decision(decision, board);
    }
    out
}

struct Writer<'a> {
    kernel: &'a str,
    span: Option<Span>,
    out: &'a mut Vec<Remark>,
}

impl Writer<'_> {
    fn add(&mut self, kind: Kind, name: &str, note: &Note) {
        let remark = Remark::new(kind, PASS, self.kernel, note, self.span);
        self.out.push(remark.named(name));
    }

    fn decision(&mut self, decision: &Decision, board: &Board) {
        let chosen = decision.chosen();
        let text = verdict(decision, board);
        let kind = match decision.chosen == 0 {
            true => Kind::Analysis,
            false => Kind::Passed,
        };
        self.add(kind, "ExecutionModel", &Note::new(text, None));
        for (at, candidate) in decision.candidates.iter().enumerate() {
            let price = &candidate.price;
            let chosen = if at == decision.chosen {
                ", chosen"
            } else {
                ""
            };
            let fits = if price.fits { "" } else { ", does not fit" };
            let text = format!(
                "{}: {} (between {} and {}){fits}{chosen}",
                candidate.label,
                describe::seconds(price.seconds.value),
                describe::seconds(price.seconds.low),
                describe::seconds(price.seconds.high),
            );
            self.add(Kind::Analysis, "Candidate", &Note::new(text, None));
        }
        for text in decision.disagreements.iter().flatten() {
            self.add(
                Kind::Analysis,
                "Disagreement",
                &Note::new(text.clone(), None),
            );
        }
        for part in &chosen.price.parts {
            self.part(part);
        }
    }

    /// Loops, memory units and assumptions of a version at a launch.
    fn part(&mut self, part: &Part) {
        for report in &part.prediction.loops {
            let note = interval_note(report);
            self.add(Kind::Analysis, "InitiationInterval", &note);
        }
        for report in &part.prediction.lsus {
            let note = Note::new(describe::access(report), report.span);
            self.add(Kind::Analysis, "MemoryAccess", &note);
        }
        for assumed in &part.prediction.assumed {
            let text = format!("{}; {}", assumed.what, assumed.remedy);
            self.add(Kind::Analysis, "Assumed", &Note::new(text, assumed.span));
        }
    }
}

/// What was chosen, and what that gains.
fn verdict(decision: &Decision, board: &Board) -> String {
    let (input, chosen) = (decision.input(), decision.chosen());
    let times = (input.price.seconds.value, chosen.price.seconds.value);
    let predicted = describe::seconds(times.1);
    let board = &board.name;
    if decision.chosen == 0 {
        let others = decision.candidates.len() - 1;
        return format!(
            "stays as it is: {predicted} predicted on {board}, and none of {others} other forms is \
             faster"
        );
    }
    format!(
        "{}: {predicted} predicted on {board}, {} as it is ({}x)",
        chosen.label,
        describe::seconds(times.0),
        describe::number(times.0 / times.1)
    )
}

/// The interval of a loop, with the places of what sets it.
fn interval_note(report: &LoopReport) -> Note {
    let mut text = describe::interval(report, None);
    if report.span.is_none() {
        text = format!("loop that fpgacc made: {text}");
    }
    let mut note = Note::new(text, report.span);
    let ends = match &report.limit {
        Limit::Recurrence { from, to, .. } => [(from, "needed here"), (to, "made here")],
        Limit::MemoryDependence { load, store, .. } => [(load, "the load"), (store, "the store")],
        _ => [(&None, ""), (&None, "")],
    };
    for (span, label) in ends {
        note.also.extend(span.map(|span| (span, label.to_string())));
    }
    note
}
