//! How much of a space must be measured: the figure of Liang et al. (papers/003), whose analytic pruning comes to 98 % of the
//! speed that all points give with 1.4 % of them, in a 46th of the time.

use std::fmt::Write;

use fpgacc_tuning::replay::replay;
use fpgacc_tuning::strategy::{Pareto, Randomly, Strategy, Tried};

use super::report::{each, endless, regret};
use super::table::Table;
use crate::means::geometric_mean;

/// One point in so many is measured: 1.4 %.
const PART: f64 = 0.014;

/// What a strategy finds with so few points.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Found {
    /// Its speed, as a part of the best one.
    speed: f64,
    /// Seconds that what it measured runs, each point once.
    seconds: f64,
}

/// Of a space.
struct Line {
    name: String,
    points: usize,
    few: usize,
    /// Seconds that all points run.
    seconds: f64,
    /// By the model, at random, and by pruning, which says itself how many it takes.
    found: [Found; 3],
    pruned: usize,
}

/// What is found in each space after 1.4 % of its points, and how much less time they run than all points.
pub fn text(title: &str, tables: &[Table], seeds: u64) -> String {
    let lines = each(tables, |table| line(table, seeds));
    let mut text = format!(
        "\n{title}: after {:.1} % of the points\n{:24} {:>6} {:>4} | {:>8} {:>7} | {:>8} {:>7} | {:>5} {:>8} {:>7}\n",
        100.0 * PART,
        "",
        "points",
        "few",
        "model",
        "time",
        "random",
        "time",
        "POSF",
        "",
        "time"
    );
    for line in &lines {
        let _ = write!(text, "{:24} {:6} {:4}", line.name, line.points, line.few);
        row(
            &mut text,
            line.found
                .map(|found| (found.speed, line.seconds / found.seconds)),
            line.pruned,
        );
    }
    let all = [0, 1, 2].map(|way| {
        let speeds = lines.iter().map(|line| line.found[way].speed);
        let whole: f64 = lines.iter().map(|line| line.seconds).sum();
        let part: f64 = lines.iter().map(|line| line.found[way].seconds).sum();
        (geometric_mean(speeds), whole / part)
    });
    let sum = |of: &dyn Fn(&Line) -> usize| lines.iter().map(of).sum::<usize>();
    let _ = write!(
        text,
        "{:24} {:6} {:4}",
        "together",
        sum(&|line| line.points),
        sum(&|line| line.few)
    );
    row(&mut text, all, sum(&|line| line.pruned));
    text
}

fn row(text: &mut String, [model, random, pruned]: [(f64, f64); 3], count: usize) {
    for (speed, less) in [model, random] {
        let _ = write!(text, " | {:6.1} % {less:6.1}x", 100.0 * speed);
    }
    let (speed, less) = pruned;
    let _ = writeln!(text, " | {count:5} {:6.1} % {less:6.1}x", 100.0 * speed);
}

fn line(table: &Table, seeds: u64) -> Line {
    let few = ((table.costs.len() as f64 * PART).ceil() as usize).max(1);
    let search = |strategy: &dyn Strategy, most: usize| {
        let history = replay(strategy, &table.candidates, &table.costs, 1, |history| {
            history.len() >= most
        });
        of(table, &history)
    };
    let pareto = Pareto {
        only_moderate: true,
    };
    let pruned = replay(&pareto, &table.candidates, &table.costs, usize::MAX, |_| {
        false
    });
    Line {
        name: table.name.clone(),
        points: table.costs.len(),
        few,
        seconds: table.costs.iter().flatten().sum(),
        found: [
            mean(seeds, |seed| search(&endless(seed), few)),
            mean(seeds, |seed| search(&Randomly { seed }, few)),
            of(table, &pruned),
        ],
        pruned: pruned.len(),
    }
}

fn of(table: &Table, history: &[Tried]) -> Found {
    Found {
        speed: 1.0 / regret(table, history),
        seconds: history.iter().filter_map(|tried| tried.cost).sum(),
    }
}

/// Of all searches.
fn mean(seeds: u64, search: impl Fn(u64) -> Found) -> Found {
    let all: Vec<Found> = (0..seeds.max(1)).map(search).collect();
    Found {
        speed: geometric_mean(all.iter().map(|one| one.speed)),
        seconds: all.iter().map(|one| one.seconds).sum::<f64>() / all.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::replay::table::Design;

    #[test]
    fn few_points_are_held_against_all() {
        let design = |at: u32| Design {
            knobs: BTreeMap::from([("width".to_string(), f64::from(at))]),
            predicted: Some(f64::from(at + 1)),
            area: Some(0.4),
            seconds: Some(f64::from(at + 1)),
            measured_area: None,
        };
        let designs: Vec<Design> = (0..100).map(design).collect();
        let line = line(&Table::of("s", &designs), 3);
        assert_eq!((line.points, line.few, line.seconds), (100, 2, 5050.0));
        // What is predicted is what is measured: the first is the best.
        assert_eq!(line.found[0].speed, 1.0);
        assert!(line.found[0].seconds < 150.0);
        assert_eq!((line.pruned, line.found[2].speed), (1, 1.0));
    }
}
