//! The figures of replays.

use std::fmt::Write;

use fpgacc_tuning::replay::{builds_until, quantile, replay};
use fpgacc_tuning::strategy::{Model, Pareto, Randomly, Settings, Strategy, Tried};

use super::table::Table;

/// A design counts as found if it costs at most this much of the best.
const NEAR: f64 = 1.02;
/// One design in so many is left out of a search, each time others: otherwise each search of the model would be the same.
const LEFT_OUT: u64 = 10;

/// A line for each table.
pub fn text(title: &str, tables: &[Table], seeds: u64, most: usize) -> String {
    let mut text = format!(
        "\n{title}\n{:24} {:>7} {:>5} | {:>6} {:>5} | {:>6} {:>5} {:>6} {:>6} | {:>5} {:>6} | {:>6} {:>6} | {:>5} {:>6}\n",
        "",
        "designs",
        "near",
        "random",
        "p90",
        "model",
        "p90",
        "at 8",
        "at 20",
        "stops",
        "at",
        "9/10",
        "p90",
        "front",
        "at"
    );
    let mut all = Vec::new();
    for table in tables {
        let builds = line(&mut text, table, seeds, most);
        all.extend(builds);
    }
    let _ = writeln!(
        text,
        "all searches: {} builds in the median, 90th percentile {}",
        number(quantile(&all, 0.5)),
        number(quantile(&all, 0.9))
    );
    text
}

/// The strategy, which goes on until it is stopped.
fn endless(seed: u64) -> Model {
    let settings = Settings {
        hope: 0.0,
        ..Settings::default()
    };
    Model::with(settings, seed)
}

/// The builds of all searches by the model.
fn line(text: &mut String, table: &Table, seeds: u64, most: usize) -> Vec<Option<usize>> {
    let Table {
        name,
        candidates,
        costs,
    } = table;
    let until =
        |strategy: &dyn Strategy, most| builds_until(strategy, candidates, costs, NEAR, most);
    let is_near = |at: &usize| costs[*at].is_some_and(|cost| cost <= table.best() * NEAR);
    let random: Vec<_> = (0..seeds)
        .map(|seed| Randomly { seed }.next(candidates, &[], costs.len()))
        .map(|order| order.iter().position(is_near).map(|at| at + 1))
        .collect();
    let model: Vec<_> = (0..seeds).map(|seed| until(&endless(seed), most)).collect();
    let fewer: Vec<_> = (0..seeds)
        .map(|seed| {
            let part = table.without(|at| {
                (at as u64)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .wrapping_add(seed)
                    .rotate_left(23)
                    % LEFT_OUT
                    == 0
            });
            builds_until(&endless(seed), &part.candidates, &part.costs, NEAR, most)
        })
        .collect();
    let course = replay(&endless(1), candidates, costs, 1, |history| {
        history.len() >= 20
    });
    let regret = |history: &[Tried]| {
        let found = history
            .iter()
            .filter_map(|tried| tried.cost)
            .fold(f64::INFINITY, f64::min);
        found / table.best()
    };
    let stopped = replay(&Model::new(1), candidates, costs, 1, |history| {
        history.len() >= most
    });
    let front = replay(
        &Pareto {
            only_moderate: false,
        },
        candidates,
        costs,
        most,
        |_| false,
    );
    let _ = writeln!(
        text,
        "{name:24} {:7} {:5} | {:>6} {:>5} | {:>6} {:>5} {:6.3} {:6.3} | {:5} {:6.3} | {:>6} {:>6} | {:5} {:6.3}",
        costs.len(),
        table.near(NEAR),
        number(quantile(&random, 0.5)),
        number(quantile(&random, 0.9)),
        number(quantile(&model, 0.5)),
        number(quantile(&model, 0.9)),
        regret(&course[..course.len().min(8)]),
        regret(&course),
        stopped.len(),
        regret(&stopped),
        number(quantile(&fewer, 0.5)),
        number(quantile(&fewer, 0.9)),
        front.len(),
        regret(&front),
    );
    model
}

/// A number of builds; `-`: the search ends before.
fn number(builds: Option<usize>) -> String {
    builds.map_or_else(|| "-".to_string(), |builds| builds.to_string())
}
