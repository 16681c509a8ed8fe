//! A page for browsers, which needs nothing but itself: the front, the history, the effect of each parameter.

use minijinja::{AutoEscape, Environment, context};
use serde::Serialize;

use crate::journal;
use crate::space::describe;
use crate::trial::Outcome;

use super::account::Account;
use super::effect::effects;

/// Width and height of plots.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 220.0;

/// A point of a plot.
#[derive(Serialize)]
struct Dot {
    x: f64,
    y: f64,
    title: String,
    is_best: bool,
}

#[derive(Serialize)]
struct Row {
    number: usize,
    describe: String,
    outcome: String,
    milliseconds: String,
    speedup: String,
    program: String,
    area: String,
    is_winner: bool,
    is_on_front: bool,
}

#[derive(Serialize)]
struct Bar {
    parameter: String,
    value: String,
    trials: usize,
    best: String,
    median: String,
    /// Of the best, in parts of the worst of all.
    width: f64,
}

/// The page.
///
/// # Errors
/// The template is wrong.
pub fn page(account: &Account<'_>) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.add_template("page", include_str!("page.html"))?;
    let rows = rows(account);
    environment.get_template("page")?.render(context! {
        device => account.device,
        objective => account.objective.word(),
        width => WIDTH,
        height => HEIGHT,
        winner => rows.iter().find(|row| row.is_winner),
        measured => account.measured().len(),
        history => history(account),
        steps => steps(account),
        front => front(account),
        second => if account.measured().iter().any(|(_, one)| one.area.is_some()) { "area" } else { "program" },
        effects => bars(account),
        rows => rows,
    })
}

/// Three digits that count.
fn short(number: f64) -> String {
    match number.abs() {
        large if large >= 100.0 => format!("{number:.0}"),
        middle if middle >= 1.0 => format!("{number:.2}"),
        _ => format!("{number:.4}"),
    }
}

fn rows(account: &Account<'_>) -> Vec<Row> {
    let winner = account.winner().map(|(at, _)| at);
    let front = account.front();
    let row = |(at, trial): (usize, &crate::trial::Trial)| {
        let outcome = journal::outcome(account.trials, trial);
        let measured = match outcome {
            Outcome::Measured(measured) => Some(measured),
            _ => None,
        };
        let text = |number: Option<f64>| number.map(short).unwrap_or_default();
        Row {
            number: at + 1,
            describe: describe(account.space, &trial.point),
            outcome: match outcome {
                Outcome::Measured(_) => "measured".to_string(),
                Outcome::Failed(failure) => {
                    format!("failed ({}): {}", failure.step.word(), failure.why)
                }
                Outcome::Same(_) => "the same as another".to_string(),
            },
            milliseconds: text(measured.map(|one| one.kernel_seconds() * 1e3)),
            speedup: text(measured.and_then(|one| one.speedup())),
            program: text(measured.map(|one| one.program_seconds() * 1e3)),
            area: text(measured.and_then(|one| one.area)),
            is_winner: winner == Some(at),
            is_on_front: front.contains(&at),
        }
    };
    account.trials.iter().enumerate().map(row).collect()
}

/// Places of numbers on a logarithmic scale, between 0 and 1.
fn scaled(numbers: &[f64]) -> Vec<f64> {
    let logs: Vec<f64> = numbers
        .iter()
        .map(|number| number.max(f64::MIN_POSITIVE).ln())
        .collect();
    let least = logs.iter().copied().fold(f64::INFINITY, f64::min);
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = (most - least).max(1e-9);
    logs.iter().map(|log| (log - least) / range).collect()
}

/// Cost over the number of the trial.
fn history(account: &Account<'_>) -> Vec<Dot> {
    let measured = account.measured();
    let costs: Vec<f64> = measured
        .iter()
        .map(|(_, one)| account.objective.cost(one))
        .collect();
    let count = account.trials.len().max(2) - 1;
    let mut least = f64::INFINITY;
    let dots = measured
        .iter()
        .zip(scaled(&costs))
        .zip(&costs)
        .map(|(((at, _), y), cost)| {
            let is_best = *cost < least;
            least = least.min(*cost);
            Dot {
                x: 10.0 + (WIDTH - 20.0) * *at as f64 / count as f64,
                y: 10.0 + (HEIGHT - 20.0) * (1.0 - y),
                title: format!(
                    "{}: {}, {}",
                    at + 1,
                    short(*cost),
                    describe(account.space, &account.trials[*at].point)
                ),
                is_best,
            }
        });
    dots.collect()
}

/// The best yet, as a line of an SVG.
fn steps(account: &Account<'_>) -> String {
    let mut path = String::new();
    let mut before = None;
    for dot in history(account).iter().filter(|dot| dot.is_best) {
        path += &match before {
            None => format!("M{:.1} {:.1}", dot.x, dot.y),
            Some(_) => format!(" H{:.1} V{:.1}", dot.x, dot.y),
        };
        before = Some(dot.y);
    }
    match before {
        Some(_) => format!("{path} H{:.1}", WIDTH - 10.0),
        None => path,
    }
}

/// Kernels' time over the second objective.
fn front(account: &Account<'_>) -> Vec<Dot> {
    let measured = account.measured();
    let first: Vec<f64> = measured
        .iter()
        .map(|(_, one)| one.kernel_seconds())
        .collect();
    let second: Vec<f64> = measured
        .iter()
        .map(|(_, one)| account.second(one))
        .collect();
    let on = account.front();
    let indices = scaled(&first).into_iter().zip(scaled(&second));
    let dots = measured.iter().zip(indices).map(|((at, one), (x, y))| Dot {
        x: 10.0 + (WIDTH - 20.0) * x,
        y: 10.0 + (HEIGHT - 20.0) * (1.0 - y),
        title: format!(
            "{}: {} ms, {}: {}",
            at + 1,
            short(one.kernel_seconds() * 1e3),
            short(account.second(one)),
            describe(account.space, &account.trials[*at].point)
        ),
        is_best: on.contains(at),
    });
    dots.collect()
}

fn bars(account: &Account<'_>) -> Vec<Bar> {
    let effects = effects(account);
    let worst = effects
        .iter()
        .map(|one| one.median)
        .fold(f64::MIN_POSITIVE, f64::max);
    let bar = |one: &super::effect::Effect| Bar {
        parameter: one.parameter.clone(),
        value: one.value.to_string(),
        trials: one.trials,
        best: short(one.best),
        median: short(one.median),
        width: 200.0 * one.best / worst,
    };
    effects.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::super::account::tests::{space, trials};
    use super::*;
    use crate::trial::Objective;

    #[test]
    fn a_page_tells_all_and_escapes_what_others_say() {
        let (space, trials) = (space(), trials());
        let text = page(&Account {
            device: "pocl",
            objective: Objective::Kernels,
            space: &space,
            trials: &trials,
        })
        .unwrap();
        assert!(text.contains("k.coarsen=2"));
        assert_eq!(text.matches("<circle").count(), 2 * 3, "{text}");
        assert!(
            text.contains("&lt;at all&gt;") && !text.contains("<at all>"),
            "{text}"
        );
        assert!(!text.contains("http://") && !text.contains("https://"));
    }
}
