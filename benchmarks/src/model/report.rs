//! The report as text.

use std::fmt::Write;

use super::data::number;
use super::judge::{Application, Family, Judgement, median};
use super::points::{CHANNELS, Point};

/// Renders all figures.
pub fn render(points: &[Point], judgement: &Judgement, rows: bool) -> String {
    let mut text = String::new();
    if rows {
        render_rows(&mut text, points, judgement.scale);
    }
    let left: Vec<&Point> = points.iter().filter(|p| p.outcome.is_err()).collect();
    let channels = left.iter().filter(|p| is_not_asked_for(p)).count();
    let _ = writeln!(
        text,
        "{} of {} points predicted; {channels} use channels",
        points.len() - left.len(),
        points.len()
    );
    for point in left.iter().filter(|p| !is_not_asked_for(p)) {
        let m = &point.measured;
        let reason = point.outcome.as_ref().err().map_or("", String::as_str);
        let _ = writeln!(
            text,
            "  not predicted: {} {} {}: {reason}",
            m.app, m.model, m.variant
        );
    }
    render_applications(&mut text, judgement);
    render_area(&mut text, points);
    if !judgement.far_off.is_empty() {
        let _ = writeln!(text, "off by more than 3x:");
    }
    for &index in &judgement.far_off {
        let (m, predicted) = (&points[index].measured, seconds(&points[index]));
        let _ = writeln!(
            text,
            "  {} {} {}: measured {:.3} ms, predicted {:.3} ms",
            m.app,
            m.model,
            m.variant,
            m.ms,
            predicted * judgement.scale * 1e3
        );
    }
    text
}

/// A design with channels, which are priced where they are asked for.
fn is_not_asked_for(point: &Point) -> bool {
    point.outcome.as_ref().is_err_and(|why| why == CHANNELS)
}

fn seconds(point: &Point) -> f64 {
    point.outcome.as_ref().map_or(0.0, |p| p.seconds.value)
}

/// A line for each point, times multiplied by a scale.
pub fn render_rows(text: &mut String, points: &[Point], scale: f64) {
    let _ = writeln!(
        text,
        "{:4} {:7} {:28} {:>11} {:>11} {:>6} {:>6} {:>6} {:>7} {:>7}",
        "app",
        "family",
        "variant",
        "measured ms",
        "model ms",
        "ratio",
        "MHz",
        "model",
        "ALUT k",
        "model"
    );
    for point in points {
        let Ok(predicted) = &point.outcome else {
            continue;
        };
        let m = &point.measured;
        let ms = predicted.seconds.value * scale * 1e3;
        let area = &predicted.program.area;
        let _ = writeln!(
            text,
            "{:4} {:7} {:28} {:11.3} {:11.3} {:6.2} {:6.0} {:6.0} {:7.1} {:7.1} ram {:.0} {:.0} mem {:.3}",
            m.app,
            m.model,
            m.variant,
            m.ms,
            ms,
            ms / m.ms,
            m.clk_mhz.unwrap_or(0.0),
            predicted.program.clock_mhz.value,
            m.alut.unwrap_or(0.0) / 1e3,
            (area.alut.value + 43_500.0) / 1e3,
            number(&m.ram).unwrap_or(0.0),
            area.ram.value + 226.0,
            predicted.memory_seconds() * 1e3,
        );
    }
}

fn render_applications(text: &mut String, judgement: &Judgement) {
    let apps = &judgement.applications;
    render_table(text, apps.iter().map(|(name, app)| (name.as_str(), app)));
    let right = apps
        .values()
        .filter(|a| a.best.is_some_and(|(x, y)| x == y))
        .count();
    let mean = apps.values().map(|a| a.rank).sum::<f64>() / apps.len() as f64;
    let _ = writeln!(
        text,
        "right family {right} of {}; mean rank correlation {mean:.2}; scale {:.2}; median error {:.0} %",
        apps.len(),
        judgement.scale,
        judgement.median_error * 100.0,
    );
}

/// A line for each application.
pub fn render_table<'a>(
    text: &mut String,
    applications: impl Iterator<Item = (&'a str, &'a Application)>,
) {
    let _ = writeln!(
        text,
        "{:6} {:>6} {:>8} {:>8} {:>6} {:>8} {:>6} {:>6} {:>6} {:>6}",
        "app", "points", "best", "model", "rank", "error", "in 2x", "pick", "cover", "width"
    );
    for (name, app) in applications {
        let (best, model) = app
            .best
            .map_or(("", ""), |(best, model)| (short(best), short(model)));
        let _ = writeln!(
            text,
            "{name:6} {:>6} {best:>8} {model:>8} {:>6.2} {:>7.0}% {:>5.0}% {:>6.2} {:>5.0}% {:>6.1}",
            app.points,
            app.rank,
            app.error * 100.0,
            app.within_2x * 100.0,
            app.regret,
            app.covered * 100.0,
            app.width,
        );
    }
}

fn short(family: Family) -> &'static str {
    match family {
        Family::NdRange => "NDRange",
        Family::SingleWorkItem => "single",
    }
}

fn render_area(text: &mut String, points: &[Point]) {
    let ratio = |of: fn(&Point) -> Option<(f64, f64)>| {
        let all: Vec<f64> = points
            .iter()
            .filter_map(of)
            .map(|(measured, model)| (model / measured - 1.0).abs())
            .collect();
        median(all.into_iter()) * 100.0
    };
    let clock = ratio(|p| {
        Some((
            p.measured.clk_mhz?,
            p.outcome.as_ref().ok()?.program.clock_mhz.value,
        ))
    });
    let alut = ratio(|p| {
        Some((
            p.measured.alut?,
            p.outcome.as_ref().ok()?.program.area.alut.value + 43_500.0,
        ))
    });
    let ram = ratio(|p| {
        let measured = number(&p.measured.ram).filter(|ram| *ram < 3000.0)?;
        Some((
            measured,
            p.outcome.as_ref().ok()?.program.area.ram.value + 226.0,
        ))
    });
    let _ = writeln!(
        text,
        "median error of the clock {clock:.0} %, of ALUT {alut:.0} %, of memory blocks {ram:.0} %"
    );
}
