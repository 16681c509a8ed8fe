//! What a predicted launch waits for, in a few lines.

use std::fmt::Write;

use fpgacc_frontend::source::{SourceMap, Span};
use fpgacc_performance_model::{Limit, LoopReport, Pipelining, Prediction};

/// The time of computing beside that of memory, and each loop that does not start an iteration a cycle.
pub fn why(kernel: &str, launch: &Prediction, sources: &SourceMap) -> String {
    let computing = launch.busy_cycles / launch.clock_mhz.value / 1e3;
    let memory = launch.memory_seconds * 1e3;
    let mut text = format!("    {kernel}: computing {computing:.3} ms, memory {memory:.3} ms\n");
    let line = |span: Option<Span>| span.map_or(0, |span| sources.location(span).line);
    for report in launch.loops.iter().filter(|report| is_slow(report)) {
        let _ = writeln!(
            text,
            "      loop of line {}: {} times, every {} cycles: {}",
            line(report.span),
            report.trip.value,
            report.ii,
            limit(report, sources)
        );
    }
    for unit in launch.lsus.iter().filter(|unit| unit.efficiency < 0.5) {
        let _ = writeln!(
            text,
            "      line {}: {} of {}, {} bytes wide, {:.0} % of what it moves is used",
            line(unit.span),
            if unit.is_store { "store" } else { "load" },
            unit.array,
            unit.bytes_wide,
            unit.efficiency * 100.0
        );
    }
    text
}

fn is_slow(report: &LoopReport) -> bool {
    report.ii > 1.0 || report.pipelined == Pipelining::Serial
}

fn limit(report: &LoopReport, sources: &SourceMap) -> String {
    let line = |span: &Option<Span>| span.map_or(0, |span| sources.location(span).line);
    match &report.limit {
        Limit::Recurrence { what, latency, .. } => format!("{what}, {latency} cycles"),
        Limit::MemoryDependence {
            array,
            load,
            store,
            latency,
            ..
        } => format!(
            "lines {} and {} access {array}, {latency} cycles",
            line(load),
            line(store)
        ),
        Limit::VariableTrips(inside) => {
            format!("the loop of line {} runs not equally often", line(inside))
        }
        other => format!("{other:?}"),
    }
}
