//! The figures of replays where something is predicted.

use std::fmt::Write;

use fpgacc_tuning::front::{adrs, front};
use fpgacc_tuning::replay::{builds_until, quantile, replay, replay_with_areas};
use fpgacc_tuning::strategy::{
    Model, Pareto, Randomly, Settings, Strategy, Trade, Tried, Walk, Way,
};

use super::table::Table;
use crate::means::geometric_mean;

/// A design counts as found if it costs at most this much of the best.
const NEAR: f64 = 1.02;
/// One design in so many is left out of a search, each time others: otherwise each search of the model would be the same.
const LEFT_OUT: u64 = 10;
/// One design in so many is built for the front, and where a part of a space is asked for.
pub const FEW: usize = 20;

/// How long searches are, and how many.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Searches of a space.
    pub seeds: u64,
    /// Builds of a search.
    pub most: usize,
}

/// The figures of each table, which `line` makes, side by side.
pub fn each<R: Send>(tables: &[Table], line: impl Fn(&Table) -> R + Sync) -> Vec<R> {
    std::thread::scope(|scope| {
        let line = &line;
        let started: Vec<_> = (tables.iter())
            .map(|table| scope.spawn(move || line(table)))
            .collect();
        let ended = started.into_iter().map(std::thread::ScopedJoinHandle::join);
        ended
            .map(|line| line.expect("a replay does not panic"))
            .collect()
    })
}

/// A line for each table, and the builds of all searches.
pub fn text(title: &str, tables: &[Table], effort: Effort) -> String {
    let mut text = format!(
        "\n{title}\n{:12} {:>7} {:>5} | {:>6} {:>5} | {:>6} {:>5} {:>6} {:>6} {:>6} | {:>5} {:>6} | {:>6} {:>6} | {:>5} {:>6}\n",
        "",
        "designs",
        "near",
        "random",
        "p90",
        "model",
        "p90",
        "at 8",
        "at 20",
        "at 5 %",
        "stops",
        "at",
        "9/10",
        "p90",
        "front",
        "at"
    );
    let (mut all, mut fewer, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    for line in each(tables, |table| line(table, effort)) {
        text.push_str(&line.text);
        all.extend(line.builds);
        fewer.extend(line.of_part);
        missing.push(line.after_few);
    }
    let mean = geometric_mean(missing.into_iter());
    let _ = writeln!(
        text,
        "after one design in {FEW}: {:.1} % of the speed of the best, in the geometric mean",
        100.0 / mean
    );
    for (what, builds) in [("all searches", all), ("of 9 of 10 designs", fewer)] {
        let _ = writeln!(
            text,
            "{what}: {} builds in the median, 90th percentile {}",
            number(quantile(&builds, 0.5)),
            number(quantile(&builds, 0.9))
        );
    }
    text
}

/// The strategy, which goes on until it is stopped.
pub fn endless(seed: u64) -> Model {
    let settings = Settings {
        hope: 0.0,
        ..Settings::of_search()
    };
    Model::with(settings, seed)
}

/// How much longer than the best takes what was found.
pub fn regret(table: &Table, history: &[Tried]) -> f64 {
    let costs = history.iter().filter_map(|tried| tried.cost);
    costs.fold(f64::INFINITY, f64::min) / table.best()
}

type Builds = Vec<Option<usize>>;

/// What searches of a table came to.
struct Line {
    text: String,
    /// The builds of all searches by the model.
    builds: Builds,
    /// Those of searches of nine designs of ten.
    of_part: Builds,
    /// How much longer than the best takes what is found after one build in twenty.
    after_few: f64,
}

fn line(table: &Table, Effort { seeds, most }: Effort) -> Line {
    let Table {
        name,
        candidates,
        costs,
        ..
    } = table;
    let until =
        |strategy: &dyn Strategy, most| builds_until(strategy, candidates, costs, NEAR, most);
    let is_near = |at: &usize| costs[*at].is_some_and(|cost| cost <= table.best() * NEAR);
    let random: Builds = (0..seeds)
        .map(|seed| Randomly { seed }.next(candidates, &[], costs.len()))
        .map(|order| order.iter().position(is_near).map(|at| at + 1))
        .collect();
    let model: Builds = (0..seeds).map(|seed| until(&endless(seed), most)).collect();
    let fewer: Builds = (0..seeds)
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
    let few = costs.len().div_ceil(FEW);
    let course = replay(&endless(1), candidates, costs, 1, |history| {
        history.len() >= few.max(20)
    });
    let after = |builds: usize| regret(table, &course[..course.len().min(builds)]);
    let stopped = replay(&Model::new(1), candidates, costs, 1, |history| {
        history.len() >= most
    });
    let pareto = Pareto {
        only_moderate: false,
    };
    let pruned = replay(&pareto, candidates, costs, most, |_| false);
    let text = format!(
        "{name:12} {:7} {:5} | {:>6} {:>5} | {:>6} {:>5} {:6.3} {:6.3} {:6.3} | {:5} {:6.3} | {:>6} {:>6} | {:5} {:6.3}\n",
        costs.len(),
        table.near(NEAR),
        number(quantile(&random, 0.5)),
        number(quantile(&random, 0.9)),
        number(quantile(&model, 0.5)),
        number(quantile(&model, 0.9)),
        after(8),
        after(20),
        after(few),
        stopped.len(),
        regret(table, &stopped),
        number(quantile(&fewer, 0.5)),
        number(quantile(&fewer, 0.9)),
        pruned.len(),
        regret(table, &pruned),
    );
    Line {
        text,
        builds: model,
        of_part: fewer,
        after_few: after(few),
    }
}

/// A number of builds; `-`: the search ends before.
fn number(builds: Option<usize>) -> String {
    builds.map_or_else(|| "-".to_string(), |builds| builds.to_string())
}

/// How much of the front of time and area one build in twenty finds: the average distance from the reference set, and
/// the part of the dominated hypervolume that is missing, by the strategy for fronts, by analytic pruning, and at random.
pub fn fronts(title: &str, tables: &[Table], seeds: u64) -> String {
    let mut text = format!(
        "\n{title}: the front of time and logic\n{:12} {:>7} {:>6} {:>6} | {:>7} {:>7} | {:>7} {:>7} | {:>7} {:>7}\n",
        "", "designs", "front", "builds", "front", "volume", "pareto", "volume", "random", "volume"
    );
    let lines = each(tables, |table| front_line(table, seeds));
    let (lines, off): (Vec<String>, Vec<f64>) = lines.into_iter().flatten().unzip();
    if lines.is_empty() {
        return String::new();
    }
    text.extend(lines);
    let mean = off.iter().sum::<f64>() / off.len() as f64;
    let _ = writeln!(text, "distance in the mean: {:.1} %", 100.0 * mean);
    text
}

/// `None`: areas were not measured.
fn front_line(table: &Table, seeds: u64) -> Option<(String, f64)> {
    let both = |at: usize| Some([table.costs[at]?, table.areas[at]?]);
    let all: Option<Vec<[f64; 2]>> = (0..table.costs.len()).map(both).collect();
    let all = all?;
    let truth: Vec<[f64; 2]> = front(&all).into_iter().map(|at| all[at]).collect();
    let builds = all.len().div_ceil(FEW);
    let worst = [0, 1].map(|cost| all.iter().map(|one| one[cost]).fold(f64::MIN, f64::max));
    let judge = |strategy: &dyn Strategy| {
        let costs = (&table.costs[..], &table.areas[..]);
        let history = replay_with_areas(strategy, &table.candidates, costs, builds);
        let found: Vec<[f64; 2]> = history.iter().map(|one| all[one.candidate]).collect();
        let missing = 1.0 - volume(&found, worst) / volume(&all, worst);
        [adrs(&truth, &found), missing]
    };
    let trade = judge(&Trade::default());
    let pareto = judge(&Pareto {
        only_moderate: false,
    });
    let random: Vec<[f64; 2]> = (0..seeds).map(|seed| judge(&Randomly { seed })).collect();
    let mean = [0, 1].map(|at| random.iter().map(|one| one[at]).sum::<f64>() / seeds as f64);
    let mut text = format!(
        "{:12} {:7} {:6} {builds:6}",
        table.name,
        all.len(),
        truth.len()
    );
    for [distance, missing] in [trade, pareto, mean] {
        let _ = write!(
            text,
            " | {:6.1}% {:6.1}%",
            100.0 * distance,
            100.0 * missing
        );
    }
    text.push('\n');
    Some((text, trade[0]))
}

/// The area that costs dominate, up to the worst ones.
fn volume(costs: &[[f64; 2]], worst: [f64; 2]) -> f64 {
    let mut volume = 0.0;
    let mut height = worst[1];
    for at in front(costs) {
        let [first, second] = costs[at];
        volume += (worst[0] - first) * (height - second).max(0.0);
        height = height.min(second);
    }
    volume
}

/// The best of what each strategy finds with the same number of builds, as a part of the best of all, where nothing is
/// predicted.
pub fn blind(title: &str, tables: &[Table], Effort { seeds, most }: Effort) -> String {
    let ours = |seed| Box::new(endless(seed)) as Box<dyn Strategy>;
    let walk = |way| move |seed| Box::new(Walk { way, seed }) as Box<dyn Strategy>;
    let random = |seed| Box::new(Randomly { seed }) as Box<dyn Strategy>;
    let of_table = |table: &Table| {
        [
            found(table, &ours, seeds, most),
            found(table, &walk(Way::Greedy), seeds, most),
            found(table, &walk(Way::Genetic), seeds, most),
            found(table, &random, seeds, most),
        ]
    };
    let budgets = budgets(most);
    let names = ["model", "greedy", "genetic", "random"];
    let mut text = format!(
        "\n{title}, after {budgets:?} builds\n{:32} {:>7}",
        "", "points"
    );
    for name in names {
        let _ = write!(text, " | {name:23}");
    }
    text.push('\n');
    let mut sums = [[0.0; 3]; 4];
    for (table, found) in tables.iter().zip(each(tables, of_table)) {
        let _ = write!(text, "{:32} {:7}", table.name, table.costs.len());
        parts(&mut text, &found);
        for (sum, found) in sums.iter_mut().zip(found) {
            sum.iter_mut()
                .zip(found)
                .for_each(|(sum, found)| *sum += found);
        }
    }
    let count = tables.len().max(1) as f64;
    let _ = write!(text, "{:32} {:7}", "mean", "");
    parts(&mut text, &sums.map(|sum| sum.map(|sum| sum / count)));
    text
}

fn parts(text: &mut String, found: &[[f64; 3]; 4]) {
    for found in found {
        let words: Vec<String> = found
            .iter()
            .map(|part| format!("{:5.1} %", 100.0 * part))
            .collect();
        let _ = write!(text, " | {:23}", words.join(" "));
    }
    text.push('\n');
}

/// Builds at which searches are compared.
fn budgets(most: usize) -> [usize; 3] {
    [most / 8, most / 2, most]
}

/// The mean over searches of the best time over the best found one, after each budget.
fn found(
    table: &Table,
    strategy: &dyn Fn(u64) -> Box<dyn Strategy>,
    seeds: u64,
    most: usize,
) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for seed in 0..seeds {
        let strategy = strategy(seed);
        let history = replay(&*strategy, &table.candidates, &table.costs, 1, |history| {
            history.len() >= most
        });
        for (sum, budget) in sums.iter_mut().zip(budgets(most)) {
            *sum += 1.0 / regret(table, &history[..history.len().min(budget)]);
        }
    }
    sums.map(|sum| sum / seeds as f64)
}
