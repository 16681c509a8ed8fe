//! The report as text.

use std::fmt::Write;

use fpgacc_performance_model::calibration::clock::{self, Sample};
use fpgacc_performance_model::{Board, predict_clock};

use super::designs::Space;
use super::rows::{Measured, Priced, Row};
use crate::model::judge::{median, rank_correlation};

/// The head of the table.
pub fn head() -> String {
    format!(
        "{:10} {:>7} {:>6} {:>6} {:>7} {:>6} {:>6} {:>6} {:>8} {:>6} {:>6} {:>6} {:>6}\n",
        "",
        "designs",
        "pick",
        "rank",
        "p/m",
        "error",
        "in 2x",
        "in 3x",
        "cycles",
        "MHz",
        "ALM",
        "RAM",
        "DSP"
    )
}

/// The figures of an application: how many designs, what picking the fastest by prediction costs, the rank correlation of
/// times, the median ratio of predicted and measured time, the median error after that ratio, the part of designs within 2x
/// and 3x after it, and the median ratios of cycles, clocks and areas.
pub fn space(space: &Space, board: &Board, rows: &[Row], each: bool) -> String {
    let mut text = String::new();
    let priced: Vec<(&Measured, &Priced)> = rows
        .iter()
        .filter_map(|row| Some((&row.measured, row.outcome.as_ref().ok()?)))
        .collect();
    if each {
        for (measured, priced) in &priced {
            line(&mut text, space, board, measured, priced);
        }
    }
    if priced.is_empty() {
        let _ = writeln!(text, "{:10} {:>7}", space.name, 0);
    } else {
        figures(&mut text, space, board, &priced);
    }
    let mut faults: Vec<&str> = rows
        .iter()
        .filter_map(|row| row.outcome.as_ref().err().map(String::as_str))
        .collect();
    let all = faults.len();
    faults.sort_unstable();
    faults.dedup();
    for fault in faults {
        let _ = writeln!(text, "  of {all} not predicted: {fault}");
    }
    text
}

fn figures(text: &mut String, space: &Space, board: &Board, priced: &[(&Measured, &Priced)]) {
    let of = |ratio: &dyn Fn(&Measured, &Priced) -> f64| -> Vec<f64> {
        priced.iter().map(|(m, p)| ratio(m, p)).collect()
    };
    let middle = |ratio: &dyn Fn(&Measured, &Priced) -> f64| median(of(ratio).into_iter());
    let times = of(&|m, p| p.seconds / m.seconds);
    let scale = median(times.iter().copied());
    let error = median(times.iter().map(|ratio| (ratio / scale - 1.0).abs()));
    let within = |factor: f64| {
        let inside = times.iter().filter(|ratio| {
            let off = **ratio / scale;
            off <= factor && off >= 1.0 / factor
        });
        100.0 * inside.count() as f64 / times.len() as f64
    };
    let rank = rank_correlation(of(&|m, _| m.seconds), of(&|_, p| p.seconds));
    let _ = writeln!(
        text,
        "{:10} {:7} {:6.2} {rank:6.2} {scale:7.2} {:5.0}% {:5.0}% {:5.0}% {:8.2} {:6.2} {:6.2} {:6.2} {:6.2}",
        space.name,
        priced.len(),
        pick(priced),
        100.0 * error,
        within(2.0),
        within(3.0),
        middle(&|m, p| cycles(p) / (m.seconds * m.mhz * 1e6)),
        middle(&|m, p| p.together.clock_mhz.value / m.mhz),
        middle(&|m, p| alm(board, p) / m.alm),
        middle(&|m, p| (board.interface.ram + p.together.area.ram.value) / m.ram),
        middle(&|m, p| (1.0 + p.together.area.dsp.value) / (1.0 + m.dsp)),
    );
}

/// How much slower than the fastest design the one is that is predicted to be the fastest.
fn pick(priced: &[(&Measured, &Priced)]) -> f64 {
    let fastest = priced
        .iter()
        .min_by(|(_, a), (_, b)| a.seconds.total_cmp(&b.seconds));
    let best = priced
        .iter()
        .map(|(measured, _)| measured.seconds)
        .fold(f64::INFINITY, f64::min);
    fastest.map_or(1.0, |(measured, _)| measured.seconds / best)
}

/// The kernel's cycles and all else that took time, in cycles of the predicted clock.
fn cycles(priced: &Priced) -> f64 {
    priced.seconds * priced.together.clock_mhz.value * 1e6
}

/// Adaptive logic modules: what look-up tables and registers made in the 318 designs for which Boyi's table has all
/// three (median error 4 %).
pub fn alm(board: &Board, priced: &Priced) -> f64 {
    let area = &priced.together.area;
    0.519 * (board.interface.alut + area.alut.value) + 0.178 * (board.interface.ff + area.ff.value)
}

/// The clock's slopes as fitted to all applications, and the median error of each application's clocks with slopes that
/// were fitted to the others.
pub fn clocks(clocks: &[(&str, Vec<Sample>)], board: &Board) -> String {
    let but = |left: &str| -> Vec<Sample> {
        let others = clocks.iter().filter(|(table, _)| *table != left);
        others.flat_map(|(_, samples)| samples.clone()).collect()
    };
    let mut text = format!(
        "fitted: {:?}\n",
        clock::fit(&but(""), &board.clock.penalties)
    );
    for (table, samples) in clocks {
        let mut board = board.clone();
        board.clock.penalties = clock::fit(&but(table), &board.clock.penalties);
        let error =
            |sample: &Sample| (predict_clock(sample.causes, &board) / sample.mhz - 1.0).abs();
        let error = median(samples.iter().map(error));
        let fall = board.clock.penalties;
        let _ = writeln!(
            text,
            "{table:12} left out: {:3.0} %, {fall:?}",
            100.0 * error
        );
    }
    text
}

fn line(text: &mut String, space: &Space, board: &Board, measured: &Measured, priced: &Priced) {
    let _ = writeln!(
        text,
        "{:10} {:28} {:9.4} ms {:9.4} ms {:6.2} | {:4.0} {:4.0} MHz | {:7.0} {:7.0} ALM | {:5.0} {:5.0} RAM | {:4.0} {:4.0} DSP",
        space.name,
        knobs(&measured.knobs),
        measured.seconds * 1e3,
        priced.seconds * 1e3,
        priced.seconds / measured.seconds,
        measured.mhz,
        priced.together.clock_mhz.value,
        measured.alm,
        alm(board, priced),
        measured.ram,
        board.interface.ram + priced.together.area.ram.value,
        measured.dsp,
        priced.together.area.dsp.value,
    );
}

/// A design's name: its knobs.
pub fn knobs(knobs: &[u64]) -> String {
    let words: Vec<String> = knobs.iter().map(u64::to_string).collect();
    words.join(",")
}

/// All that is predicted.
pub fn explain(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let _ = writeln!(text, "{:#?}", row.measured);
        let _ = match &row.outcome {
            Ok(priced) => writeln!(text, "{} s\n{:#?}", priced.seconds, priced.launch),
            Err(why) => writeln!(text, "{why}"),
        };
    }
    text
}
