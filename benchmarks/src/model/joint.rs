//! All measurements together: constants and slopes of clocks are fitted once to all of them, and once without each
//! application, whose times are then predicted.
//!
//! A constant that several boards' files have alike is one number; what a file has otherwise is another. Each starts from
//! a document or a guess (`calibration/constants.rs`), so that one which only the left-out application knows falls back to
//! that.

use std::collections::BTreeMap;
use std::fmt::Write;

use fpgacc_performance_model::calibration::{Fitted, Fitting, Sample};
use fpgacc_performance_model::{Board, Estimate};

use super::cases::{Case, some};
use super::clocks::{Clocks, Slopes};
use super::judge::{Application, judge_times, median};

/// A fit, and the application that had no part in it; `None`: all had.
struct Fold<'a> {
    left_out: Option<&'a str>,
    constants: Fitted,
    clocks: Slopes,
}

impl Fold<'_> {
    /// A board with what was fitted.
    fn on(&self, board: &Board) -> Board {
        self.clocks.on(self.constants.on(board))
    }
}

/// Fits, leaves each application out, and reports. At most `most` times of each application of a set have a part.
pub fn report(cases: &[Case], most: usize) -> String {
    let cases = some(cases, most);
    let samples = cases.iter().map(|case| Sample {
        application: &case.application,
        board: &case.board,
        seconds: case.seconds,
        mhz: case.mhz,
        predict: Box::new(|board: &Board| (case.predict)(board).seconds.value),
    });
    let mut fitting = Fitting::new(samples.collect());
    let mut names: Vec<&str> = cases.iter().map(|case| case.application.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let clocks = Clocks::of(&cases);
    let mut fold = |left_out| Fold {
        left_out,
        constants: fitting.fit(left_out),
        clocks: clocks.fit(left_out),
    };
    let all = fold(None);
    let folds: Vec<Fold<'_>> = names.iter().map(|name| fold(Some(name))).collect();
    let mut text = String::new();
    render_constants(&mut text, &all, &folds);
    render_applications(&mut text, &cases, &all, &folds);
    text
}

fn render_constants(text: &mut String, all: &Fold<'_>, folds: &[Fold<'_>]) {
    let _ = writeln!(
        text,
        "{:34} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "constant", "start", "in files", "all", "least", "most"
    );
    for (at, (parameter, value)) in all.constants.values().iter().enumerate() {
        let without = folds.iter().map(|fold| fold.constants.values()[at].1);
        let least = without.clone().fold(*value, f64::min);
        let most = without.fold(*value, f64::max);
        let constant = parameter.constant();
        let _ = writeln!(
            text,
            "{:34} {:9.3} {:9.3} {value:9.3} {least:9.3} {most:9.3}",
            constant.name,
            constant.start,
            parameter.shipped(),
        );
    }
}

/// A measured time and its prediction.
type Time = (f64, Estimate);

fn times(cases: &[&Case], fold: &Fold<'_>, name: (&str, &str)) -> Vec<Time> {
    let own = cases.iter().filter(|case| case.name() == name);
    let said = |case: &&Case| (case.seconds, (case.predict)(&fold.on(&case.board)).seconds);
    own.map(said).collect()
}

fn render_applications(text: &mut String, cases: &[&Case], all: &Fold<'_>, folds: &[Fold<'_>]) {
    let _ = writeln!(
        text,
        "\nfitted to all, and to all other applications\n{:28} {:6} {:>13} {:>15} {:>13} {:>13} {:>6} {:>6}",
        "application", "times", "rank", "error %", "in 2x %", "picked", "cover", "width"
    );
    let mut sets: BTreeMap<(&str, &str), [Vec<Time>; 2]> = BTreeMap::new();
    for fold in folds {
        for set in cases
            .iter()
            .map(|case| case.set)
            .collect::<std::collections::BTreeSet<_>>()
        {
            let name = (set, fold.left_out.unwrap_or_default());
            let of = |fold: &Fold<'_>| times(cases, fold, name);
            let both = [of(all), of(fold)];
            if !both[0].is_empty() {
                sets.insert(name, both);
            }
        }
    }
    let mut judged = Vec::new();
    for ((set, name), both) in &sets {
        let each = both.each_ref().map(|times| judge_times(times));
        line(text, &format!("{set} {name}"), &each);
        judged.push(each);
    }
    let whole = [0, 1].map(|at| {
        let times: Vec<Time> = sets.values().flat_map(|both| both[at].clone()).collect();
        judge_times(&times)
    });
    line(text, "all", &whole);
    // Of two or three times a rank says nothing.
    let several = || judged.iter().filter(|[seen, _]| seen.points >= 4);
    let of = |at: usize, figure: fn(&Application) -> f64| {
        several()
            .map(|each| figure(&each[at]))
            .collect::<Vec<f64>>()
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let least = |values: &[f64]| values.iter().copied().fold(1.0, f64::min);
    if several().next().is_none() {
        return;
    }
    for (what, at) in [("fitted to all", 0), ("left out", 1)] {
        let (ranks, picked) = (of(at, |a| a.rank), of(at, |a| a.regret));
        let _ = writeln!(
            text,
            "{what}: of {} applications with 4 times or more, mean rank {:.2}, lowest {:.2}; picked {:.2} (median), \
             {:.2} at worst; median of their errors {:.0} %",
            ranks.len(),
            mean(&ranks),
            least(&ranks),
            median(picked.iter().copied()),
            picked.iter().copied().fold(1.0, f64::max),
            100.0 * median(of(at, |a| a.error).into_iter()),
        );
    }
}

/// The figures of both fits.
fn line(text: &mut String, name: &str, [seen, unseen]: &[Application; 2]) {
    let two = |figure: fn(&Application) -> f64, digits: usize| {
        format!("{:.digits$} {:>6.digits$}", figure(seen), figure(unseen))
    };
    let _ = writeln!(
        text,
        "{name:28.28} {:6} {:>13} {:>15} {:>13} {:>13} {:5.0}% {:6.1}",
        seen.points,
        two(|a| a.rank, 2),
        two(|a| 100.0 * a.error, 0),
        two(|a| 100.0 * a.within_2x, 0),
        two(|a| a.regret, 2),
        100.0 * unseen.covered,
        unseen.width,
    );
}
