//! How well predictions and measurements agree.

use std::collections::BTreeMap;

use fpgacc_performance_model::Estimate;

use super::points::Point;

/// The two families that are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Work-items in a pipeline.
    NdRange,
    /// A single work-item with loops.
    SingleWorkItem,
}

/// All figures.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// By application.
    pub applications: BTreeMap<String, Application>,
    /// Measured over predicted time: the median over all points.
    pub scale: f64,
    /// The median of the relative errors of all points after that scale.
    pub median_error: f64,
    /// Points off by more than a factor of 3 after that scale, by index.
    pub far_off: Vec<usize>,
}

/// The figures of one application.
#[derive(Clone, Debug, Default)]
pub struct Application {
    /// Points that were predicted.
    pub points: usize,
    /// The family of the fastest measured point, and of the fastest predicted one.
    pub best: Option<(Family, Family)>,
    /// Spearman's rank correlation of predicted and measured time.
    pub rank: f64,
    /// The median relative error.
    pub error: f64,
    /// The part of the points that are predicted within a factor of 2.
    pub within_2x: f64,
    /// The part of the points whose time lies in the stated range.
    pub covered: f64,
    /// The median width of that range: its upper end over its lower one.
    pub width: f64,
    /// The measured time of the point that is predicted to be the fastest over the least measured time.
    pub regret: f64,
}

/// Judges the predicted points.
pub fn judge(points: &[Point]) -> Judgement {
    let all: Vec<Pair> = points.iter().enumerate().filter_map(pair).collect();
    let scale = scale(&all);
    let mut judgement = Judgement {
        scale,
        median_error: median(all.iter().map(|p| p.error(scale))),
        far_off: all
            .iter()
            .filter(|p| p.factor(scale) > 3.0)
            .map(|p| p.index)
            .collect(),
        ..Judgement::default()
    };
    let mut names: Vec<&str> = all.iter().map(|p| p.app).collect();
    names.dedup();
    for name in names {
        let own: Vec<Pair> = all.iter().copied().filter(|p| p.app == name).collect();
        let figures = figures(&own, scale);
        judgement.applications.insert(name.to_string(), figures);
    }
    judgement
}

/// The figures of times and what is predicted of them, whatever they are of.
pub fn judge_times(times: &[(f64, Estimate)]) -> Application {
    let pair = |(index, (measured, predicted)): (usize, &(f64, Estimate))| Pair {
        index,
        app: "",
        family: Family::NdRange,
        measured: *measured,
        predicted: predicted.value,
        low: predicted.low,
        high: predicted.high,
    };
    figures(&times.iter().enumerate().map(pair).collect::<Vec<_>>(), 1.0)
}

/// The figures of the points of one application, without any scale.
pub fn judge_one(points: &[Point]) -> Application {
    let all: Vec<Pair> = points.iter().enumerate().filter_map(pair).collect();
    figures(&all, 1.0)
}

fn figures(own: &[Pair], scale: f64) -> Application {
    Application {
        points: own.len(),
        best: best(own),
        rank: spearman(own),
        error: median(own.iter().map(|p| p.error(scale))),
        within_2x: part(own, |p| p.factor(scale) <= 2.0),
        covered: part(own, |p| {
            p.low * scale <= p.measured && p.measured <= p.high * scale
        }),
        width: median(own.iter().map(|p| p.high / p.low)),
        regret: regret(own),
    }
}

/// The part of the pairs for which something holds.
fn part(pairs: &[Pair], holds: impl Fn(&Pair) -> bool) -> f64 {
    pairs.iter().filter(|pair| holds(pair)).count() as f64 / pairs.len().max(1) as f64
}

fn regret(pairs: &[Pair]) -> f64 {
    let picked = pairs
        .iter()
        .min_by(|a, b| a.predicted.total_cmp(&b.predicted));
    let least = pairs
        .iter()
        .map(|p| p.measured)
        .fold(f64::INFINITY, f64::min);
    picked.map_or(1.0, |picked| picked.measured / least)
}

/// A measured and a predicted time.
#[derive(Clone, Copy)]
struct Pair<'a> {
    index: usize,
    app: &'a str,
    family: Family,
    measured: f64,
    predicted: f64,
    low: f64,
    high: f64,
}

impl Pair<'_> {
    fn error(&self, scale: f64) -> f64 {
        (self.predicted * scale / self.measured - 1.0).abs()
    }

    fn factor(&self, scale: f64) -> f64 {
        let ratio = self.predicted * scale / self.measured;
        ratio.max(1.0 / ratio)
    }
}

fn pair((index, point): (usize, &Point)) -> Option<Pair<'_>> {
    let predicted = point.outcome.as_ref().ok()?;
    Some(Pair {
        index,
        app: &point.measured.app,
        family: match point.measured.model.starts_with("NDRange") {
            true => Family::NdRange,
            false => Family::SingleWorkItem,
        },
        measured: point.measured.ms / 1000.0,
        predicted: predicted.seconds.value,
        low: predicted.seconds.low,
        high: predicted.seconds.high,
    })
}

/// The factor that makes the median ratio 1.
fn scale(pairs: &[Pair]) -> f64 {
    median(pairs.iter().map(|p| p.measured / p.predicted))
}

fn best(pairs: &[Pair]) -> Option<(Family, Family)> {
    let least = |time: fn(&Pair) -> f64| {
        let first = pairs.iter().min_by(|a, b| time(a).total_cmp(&time(b)));
        first.map(|p| p.family)
    };
    Some((least(|p| p.measured)?, least(|p| p.predicted)?))
}

/// The middle value; of an even number, the mean of the two middle ones; 0 of none.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        len if len % 2 == 1 => values[len / 2],
        len => (values[len / 2 - 1] + values[len / 2]) / 2.0,
    }
}

/// Spearman's rank correlation: Pearson's, of ranks, equal values sharing the mean of theirs.
fn spearman(pairs: &[Pair]) -> f64 {
    let measured = pairs.iter().map(|p| p.measured).collect();
    let predicted = pairs.iter().map(|p| p.predicted).collect();
    rank_correlation(measured, predicted)
}

/// Spearman's rank correlation of as many values each.
pub fn rank_correlation(x: Vec<f64>, y: Vec<f64>) -> f64 {
    let mean = (x.len() as f64 + 1.0) / 2.0;
    let (x, y) = (ranks(x), ranks(y));
    let dot = |a: &[f64], b: &[f64]| -> f64 {
        let products = a.iter().zip(b).map(|(x, y)| (x - mean) * (y - mean));
        products.sum()
    };
    dot(&x, &y) / (dot(&x, &x) * dot(&y, &y)).sqrt()
}

fn ranks(values: Vec<f64>) -> Vec<f64> {
    let below = |v: f64| values.iter().filter(|other| **other < v).count() as f64;
    let same = |v: f64| values.iter().filter(|other| **other == v).count() as f64;
    values
        .iter()
        .map(|&v| below(v) + (same(v) + 1.0) / 2.0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(times: &[(f64, f64)]) -> Vec<Pair<'static>> {
        let pair = |(index, &(measured, predicted))| Pair {
            index,
            app: "A",
            family: Family::NdRange,
            measured,
            predicted,
            low: predicted,
            high: predicted,
        };
        times.iter().enumerate().map(pair).collect()
    }

    #[test]
    fn ranks_agree_whatever_the_scale() {
        assert_eq!(
            spearman(&pairs(&[(1.0, 10.0), (2.0, 400.0), (3.0, 500.0)])),
            1.0
        );
        assert_eq!(
            spearman(&pairs(&[(1.0, 9.0), (2.0, 4.0), (3.0, 1.0)])),
            -1.0
        );
        // By hand: ranks 1 2 3 4 against 1.5 1.5 3 4.
        let tied = spearman(&pairs(&[(1.0, 5.0), (2.0, 5.0), (3.0, 6.0), (4.0, 7.0)]));
        assert!((tied - 0.948_683).abs() < 1e-6);
    }

    #[test]
    fn the_scale_is_the_median_ratio() {
        let all = pairs(&[(1.0, 1.0), (2.0, 1.0), (30.0, 1.0)]);
        assert_eq!(scale(&all), 2.0);
        assert_eq!(median([1.0, 3.0].into_iter()), 2.0);
    }
}
