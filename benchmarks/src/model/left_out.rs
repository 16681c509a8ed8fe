//! Leave-one-application-out: constants fitted to all applications but one, which is then predicted.

use std::fmt::Write;

use fpgacc_performance_model::calibration::{CONSTANTS, Fitting, Sample, clock};
use fpgacc_performance_model::{Board, ClockPenalties};

use super::judge::{Application, judge, judge_one, median};
use super::points::{Point, Subject, predict_all};
use super::report;

/// A board whose constants are fitted without one application.
struct Fold<'a> {
    /// The application; `None`: all are seen.
    left_out: Option<&'a str>,
    board: Board,
}

/// Fits, predicts and reports.
pub fn report(subjects: &[Subject], board: &Board, rows: bool) -> String {
    let mut names: Vec<&str> = subjects.iter().map(|s| s.measured.app.as_str()).collect();
    names.dedup();
    let samples = subjects.iter().filter_map(|subject| sample(subject, board));
    let mut fitting = Fitting::new(samples.collect());
    let mut fold = |left_out| {
        let fitted = fitting.fit(left_out).on(board);
        Fold {
            left_out,
            board: with_clock(fitted, subjects, left_out),
        }
    };
    let all = fold(None);
    let folds: Vec<Fold> = names.iter().map(|name| fold(Some(name))).collect();
    let mut text = String::new();
    render_constants(&mut text, board, &all, &folds);
    render_folds(&mut text, subjects, &folds, rows);
    text
}

/// Of each application, the board with constants that are fitted without it, to about so many points of each other one.
pub fn boards(subjects: &[Subject], board: &Board, points: usize) -> Vec<(String, Board)> {
    let mut names: Vec<&str> = subjects.iter().map(|s| s.measured.app.as_str()).collect();
    names.dedup();
    let some = names.iter().flat_map(|name| {
        let own = subjects.iter().filter(|one| one.measured.app == *name);
        let every = (own.clone().count() / points).max(1);
        own.step_by(every)
    });
    let mut fitting = Fitting::new(some.filter_map(|one| sample(one, board)).collect());
    let mut fitted = |name: &str| {
        let fitted = fitting.fit(Some(name)).on(board);
        (name.to_string(), with_clock(fitted, subjects, Some(name)))
    };
    names.into_iter().map(&mut fitted).collect()
}

/// The time of a point that can be predicted.
fn sample<'a>(subject: &'a Subject, board: &'a Board) -> Option<Sample<'a>> {
    let ready = subject.kernel.as_ref().ok()?;
    Some(Sample {
        application: &subject.measured.app,
        board,
        seconds: subject.measured.ms / 1000.0,
        mhz: subject.measured.clk_mhz,
        predict: Box::new(|board| ready.predict(board).seconds.value),
    })
}

fn with_clock(mut board: Board, subjects: &[Subject], left_out: Option<&str>) -> Board {
    let sample = |point: &Point| {
        let causes = point.outcome.as_ref().ok()?.program.penalty_causes;
        Some(clock::Sample::new(point.measured.clk_mhz?, &board, causes))
    };
    let points = predict_all(subjects, &board);
    let seen = points
        .iter()
        .filter(|p| Some(p.measured.app.as_str()) != left_out);
    let samples: Vec<clock::Sample> = seen.filter_map(sample).collect();
    board.clock.penalties = clock::fit(&samples, &board.clock.penalties);
    board
}

fn render_constants(text: &mut String, shipped: &Board, all: &Fold, folds: &[Fold]) {
    let _ = write!(
        text,
        "\nfitted constants\n{:34} {:>9} {:>9} {:>9}",
        "", "start", "in file", "all"
    );
    for fold in folds {
        let _ = write!(
            text,
            " {:>9}",
            format!("-{}", fold.left_out.unwrap_or_default())
        );
    }
    text.push('\n');
    let boards: Vec<&Board> = [shipped, &all.board]
        .into_iter()
        .chain(folds.iter().map(|fold| &fold.board))
        .collect();
    for constant in CONSTANTS {
        let _ = write!(text, "{:34} {}", constant.name, short(constant.start));
        for board in &boards {
            let _ = write!(text, " {}", short(constant.of(board)));
        }
        let _ = writeln!(text, "  {}", constant.source);
    }
    let each: Vec<_> = boards
        .iter()
        .map(|board| board.clock.penalties.slopes())
        .collect();
    for (at, name) in ClockPenalties::NAMES.iter().enumerate() {
        if each[0][at] == 0.0 {
            continue;
        }
        let _ = write!(
            text,
            "{:34} {}",
            format!("clock.penalties.{name}"),
            short(0.0)
        );
        for slopes in &each {
            let _ = write!(text, " {}", short(slopes[at]));
        }
        text.push('\n');
    }
}

/// Three significant digits in nine columns.
fn short(value: f64) -> String {
    match value.abs() {
        large if large >= 1000.0 => format!("{value:9.0}"),
        middle if middle >= 10.0 => format!("{value:9.1}"),
        _ => format!("{value:9.3}"),
    }
}

fn render_folds(text: &mut String, subjects: &[Subject], folds: &[Fold], rows: bool) {
    let mut unseen: Vec<Point> = Vec::new();
    let mut judged: Vec<(&str, Application)> = Vec::new();
    let mut far = String::new();
    for fold in folds {
        let Some(name) = fold.left_out else { continue };
        let points = predict_all(subjects, &fold.board);
        let (own, others): (Vec<Point>, Vec<Point>) =
            points.into_iter().partition(|p| p.measured.app == name);
        let scale = judge(&others).scale;
        let own: Vec<Point> = own.into_iter().map(|point| scaled(point, scale)).collect();
        if rows {
            report::render_rows(text, &own, 1.0);
        }
        for point in own.iter().filter(|p| factor(p) > 3.0) {
            let m = &point.measured;
            let ratio = ratio(point).unwrap_or(0.0);
            let _ = writeln!(
                far,
                "  {} {} {}: {ratio:.2} of the measured time",
                m.app, m.model, m.variant
            );
        }
        judged.push((name, judge_one(&own)));
        unseen.extend(own);
    }
    let _ = writeln!(
        text,
        "\nleave-one-application-out: constants, clock and scale fitted to the others"
    );
    report::render_table(text, judged.iter().map(|(name, app)| (*name, app)));
    let errors = unseen
        .iter()
        .filter_map(ratio)
        .map(|ratio| (ratio - 1.0).abs());
    let right = judged
        .iter()
        .filter(|(_, app)| app.best.is_some_and(|(x, y)| x == y));
    let ranks: Vec<f64> = judged.iter().map(|(_, app)| app.rank).collect();
    let _ = writeln!(
        text,
        "right family {} of {}; mean rank correlation {:.2}, lowest {:.2}; median error {:.0} % of all \
         points, {:.0} % of the applications",
        right.count(),
        judged.len(),
        ranks.iter().sum::<f64>() / ranks.len() as f64,
        ranks.iter().copied().fold(1.0, f64::min),
        median(errors) * 100.0,
        median(judged.iter().map(|(_, app)| app.error)) * 100.0,
    );
    let all = judge_one(&unseen);
    let picked: Vec<f64> = judged.iter().map(|(_, app)| app.regret).collect();
    let _ = writeln!(
        text,
        "within 2x {:.0} % of all points; {:.0} % of the measured times lie in the stated range, whose ends are a factor \
         of {:.1} apart (median); picked within {:.2}x of the best, {:.2}x at worst",
        all.within_2x * 100.0,
        all.covered * 100.0,
        all.width,
        median(picked.iter().copied()),
        picked.iter().copied().fold(1.0, f64::max),
    );
    if !far.is_empty() {
        let _ = write!(text, "off by more than 3x:\n{far}");
    }
}

fn scaled(mut point: Point, scale: f64) -> Point {
    if let Ok(predicted) = &mut point.outcome {
        predicted.seconds = predicted.seconds * scale;
    }
    point
}

/// Predicted over measured time.
fn ratio(point: &Point) -> Option<f64> {
    let predicted = point.outcome.as_ref().ok()?;
    Some(predicted.seconds.value * 1000.0 / point.measured.ms)
}

fn factor(point: &Point) -> f64 {
    ratio(point).map_or(1.0, |ratio| ratio.max(1.0 / ratio))
}
