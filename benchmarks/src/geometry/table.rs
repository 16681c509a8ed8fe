//! The table of judged kernels.

use std::fmt::Write;

use fpgacc_gpu_model::geometry::model::Prediction;

use super::judge::Judgement;
use crate::means::geometric_mean;

/// A line for each kernel, then the geometric means, the least, and how many are near; with `parts`, what
/// each limit of the chosen and of the fastest shape takes, in microseconds.
pub fn table(all: &[Judgement], parts: bool) -> String {
    let mut text = String::new();
    let ways = ["chosen", "author", "open", "rule", "largest"];
    let _ = writeln!(
        text,
        "{:52} {:>9} {:>9} {:>9}  {}",
        "kernel",
        "best",
        "us",
        "shape",
        ways.join("  ")
    );
    for one in all {
        let _ = write!(
            text,
            "{:52} {:>9} {:9.1} {:>9}",
            one.name,
            one.best.0.to_string(),
            one.best.1,
            one.chosen.0.to_string()
        );
        for (way, near) in ways.iter().zip(near(one)) {
            let width = way.len() + 2;
            match near {
                Some(near) => {
                    let _ = write!(text, "{near:width$.2}");
                }
                None => {
                    let _ = write!(text, "{:>width$}", "-");
                }
            }
        }
        let _ = writeln!(text, "  {}", one.chosen.1.limit.description());
        if parts {
            explain(&mut text, "chosen", Some(&one.chosen.1));
            explain(&mut text, "best", one.of_best.as_ref());
        }
    }
    for (at, way) in ways.iter().enumerate() {
        let _ = writeln!(
            text,
            "{way:10} {}",
            summary(all.iter().filter_map(|one| near(one)[at]))
        );
    }
    let slowest = all.iter().map(|one| one.took).max().unwrap_or_default();
    let behind = all.iter().filter(|one| {
        one.author
            .is_some_and(|author| one.chosen.2 < 0.98 * author)
    });
    let _ = writeln!(
        text,
        "{} kernels, {} below 98 % of the author's size; the slowest choice took {:.0} us",
        all.len(),
        behind.count(),
        slowest.as_secs_f64() * 1e6
    );
    text
}

fn near(one: &Judgement) -> [Option<f64>; 5] {
    [
        Some(one.chosen.2),
        one.author,
        one.open,
        one.rule,
        one.largest,
    ]
}

fn summary(near: impl Iterator<Item = f64>) -> String {
    let all: Vec<f64> = near.collect();
    let mean = geometric_mean(all.iter().copied());
    let least = all.iter().copied().fold(1.0, f64::min);
    let low = all.iter().filter(|near| **near < 0.85).count();
    format!(
        "geomean {mean:.3}, least {least:.2}, {low} of {} below 0.85",
        all.len()
    )
}

fn explain(text: &mut String, which: &str, of: Option<&Prediction>) {
    let Some(of) = of else { return };
    let parts: Vec<String> = of
        .parts
        .iter()
        .map(|part| format!("{:.1}", part * 1e6))
        .collect();
    let _ = writeln!(
        text,
        "    {which}: {:.1} us = starts, issue, cache, shared, memory, latency {}; {} units, {} warps, {:.1} sectors",
        of.seconds * 1e6,
        parts.join(" "),
        of.units,
        of.warps,
        of.sectors
    );
}
