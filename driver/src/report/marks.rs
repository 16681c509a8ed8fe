//! What is said beside lines of sources, and what to change to gain more.

use fpgacc_decision::{Decision, describe};
use fpgacc_frontend::source::{SourceMap, Span};
use fpgacc_performance_model::{Limit, LoopReport, Pipelining};

use super::data::{Hint, Line, Mark};
use super::loops::Found;
use super::position::position;

/// A part of the time that is worth a hint.
const MATTERS: f64 = 0.5;

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
        _ => format!("II = {}", describe::number(report.ii)),
    };
    let limit = describe::limit(&report.limit, Some(sources));
    let trips = describe::number(report.trip.value);
    let known = describe::origin(report.trip.origin);
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
pub fn original<'l>(
    lines: impl Iterator<Item = &'l mut Line>,
    part: &fpgacc_decision::Part,
    sources: &SourceMap,
) {
    let line_of = |span: Option<Span>| span.map(|span| position(sources, span).line);
    for line in lines {
        let here = |span| line_of(span) == line.number && line.number.is_some();
        let loops = part.prediction.loops.iter().filter(|one| here(one.span));
        let mut marks: Vec<Mark> = loops.map(|one| loop_mark(one, sources)).collect();
        let units = part.prediction.lsus.iter().filter(|one| here(one.span));
        marks.extend(units.map(|one| Mark {
            label: if one.is_store { "store" } else { "load" }.to_string(),
            text: describe::access(one),
            is_bottleneck: one.efficiency < MATTERS,
        }));
        marks.dedup();
        line.marks.extend(marks);
    }
}

/// The same for the loops of a version's rewritten text.
pub fn rewritten(lines: &mut [Line], found: &Found, loops: &[LoopReport], sources: &SourceMap) {
    for (&at, report) in found.at.iter().zip(loops) {
        lines[at].marks.push(loop_mark(report, sources));
    }
    for &at in &found.unrolled {
        lines[at].marks.push(Mark {
            label: "unrolled".to_string(),
            text: "unrolled whole: its iterations run side by side, there is no loop in hardware"
                .to_string(),
            is_bottleneck: false,
        });
    }
}

/// What to change to gain more, the most first: what keeps loops slow, the memory, what is not known.
pub fn hints(decision: &Decision, sources: &SourceMap) -> Vec<Hint> {
    let mut hints: Vec<Hint> = Vec::new();
    for part in &decision.chosen().price.parts {
        let predicted = &part.prediction;
        let slow = predicted.loops.iter().filter(|one| is_slow(one));
        let found = slow.filter_map(|one| {
            Some(Hint {
                position: one.span.map(|span| position(sources, span)),
                what: describe::interval(one, Some(sources)),
                remedy: describe::remedy(&one.limit)?.to_string(),
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
            position: None,
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
            position: None,
            what: "numbers are assumed that the host does not give".to_string(),
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
            describe::access(unit),
            "let neighbouring iterations or work-items access neighbouring elements, or copy a tile \
             to local memory",
        ),
        None => (
            format!(
                "external memory is busy for {} of {}",
                describe::seconds(part.prediction.memory_seconds),
                describe::seconds(part.prediction.seconds.value)
            ),
            "read each value once: keep it in local memory, or use smaller types",
        ),
    };
    Hint {
        position: wasteful
            .and_then(|unit| unit.span)
            .map(|span| position(sources, span)),
        what,
        remedy: remedy.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use fpgacc_performance_model::{Trip, TripOrigin};

    use super::*;

    #[test]
    fn limits_make_marks() {
        let report = LoopReport {
            span: None,
            depth: 0,
            trip: Trip::even(64.0, TripOrigin::Known),
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
