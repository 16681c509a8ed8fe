//! The forms of a kernel as points: time against the part of the device that they take.

use serde::Serialize;

use super::data::Kernel;

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 36.0;

/// A plot, in the coordinates of its picture.
#[derive(Debug, Serialize)]
pub struct Plot {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    points: Vec<Point>,
    times: Vec<Tick>,
    areas: Vec<Tick>,
    labels: Vec<Label>,
}

/// The number of a form in the table, beside its point.
#[derive(Debug, Serialize)]
struct Label {
    x: f64,
    y: f64,
    anchor: &'static str,
    text: String,
}

/// A form.
#[derive(Debug, Serialize)]
struct Point {
    x: f64,
    y: f64,
    low: f64,
    high: f64,
    is_chosen: bool,
    is_input: bool,
    is_swi: bool,
    fits: bool,
    title: String,
}

/// A mark on an axis.
#[derive(Debug, PartialEq, Serialize)]
struct Tick {
    at: f64,
    text: String,
}

/// Time upwards, by its logarithm; area to the right.
pub fn plot(kernel: &Kernel) -> Plot {
    use fpgacc_decision::describe;
    let seconds = kernel.candidates.iter().map(|form| form.seconds);
    let low = seconds
        .clone()
        .map(|range| range.low)
        .fold(f64::MAX, f64::min);
    let high = seconds.map(|range| range.high).fold(0.0, f64::max);
    let times = time_ticks(low.max(1e-9), high.max(1e-9));
    let (low, high) = (times[0].ln(), times[times.len() - 1].ln());
    let shares = kernel.candidates.iter().map(|form| form.share);
    let widest = shares.fold(0.0, f64::max);
    let widest = [0.05, 0.1, 0.25, 0.5, 1.0]
        .into_iter()
        .find(|limit| widest <= *limit);
    let widest = widest.unwrap_or(1.5);
    let x = |share: f64| LEFT + (WIDTH - LEFT - RIGHT) * (share / widest).min(1.0);
    let y = |seconds: f64| {
        let part = (seconds.max(1e-9).ln() - low) / (high - low);
        TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - part)
    };
    let point = |(at, form): (usize, &super::data::Candidate)| Point {
        x: x(form.share),
        y: y(form.seconds.value),
        low: y(form.seconds.low),
        high: y(form.seconds.high),
        is_chosen: at == kernel.chosen,
        is_input: at == 0,
        is_swi: form.family != "NDRange",
        fits: form.fits,
        title: format!(
            "{}: {}, {:.1}% of the device",
            form.label,
            describe::seconds(form.seconds.value),
            form.share * 100.0
        ),
    };
    let times = times.into_iter().map(|seconds| Tick {
        at: y(seconds),
        text: describe::seconds(seconds),
    });
    let areas = (0..=4).map(|quarter| {
        let share = widest * f64::from(quarter) / 4.0;
        Tick {
            at: x(share),
            text: format!("{}%", describe::number(share * 100.0)),
        }
    });
    let front = front(kernel);
    let label = |at: usize| {
        let form = &kernel.candidates[at];
        let is_right = x(form.share) > WIDTH * 0.6;
        Label {
            x: x(form.share) + if is_right { -LABEL } else { LABEL },
            y: y(form.seconds.value) + 4.0,
            anchor: if is_right { "end" } else { "start" },
            text: (at + 1).to_string(),
        }
    };
    let labels = apart(front.into_iter().map(label).collect());
    Plot {
        labels,
        width: WIDTH,
        height: HEIGHT,
        left: LEFT,
        right: WIDTH - RIGHT,
        top: TOP,
        bottom: HEIGHT - BOTTOM,
        points: kernel.candidates.iter().enumerate().map(point).collect(),
        times: times.collect(),
        areas: areas.collect(),
    }
}

/// At most so many marks stand on the axis of times.
const MOST_TICKS: usize = 8;

/// The times that are marked, at least two, the first below and the last above all others: 1, 2 and 5 of each
/// power of ten, or only these powers where that were too many.
fn time_ticks(low: f64, high: f64) -> Vec<f64> {
    let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let around = |digits: &[f64]| {
        let all: Vec<f64> = powers
            .clone()
            .flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)))
            .collect();
        let first = all.iter().rposition(|&at| at <= low).unwrap_or(0);
        let last = all.iter().position(|&at| at >= high);
        let last = last.unwrap_or(all.len() - 1).max(first + 1);
        all[first..=last.min(all.len() - 1)].to_vec()
    };
    let fine = around(&[1.0, 2.0, 5.0]);
    match fine.len() <= MOST_TICKS {
        true => fine,
        false => around(&[1.0]),
    }
}

/// From a point to the number beside it.
const LABEL: f64 = 13.0;
/// Between numbers above each other.
const LINE: f64 = 12.0;

/// The forms that no other one that fits beats in both time and area, and the one that is kept.
fn front(kernel: &Kernel) -> Vec<usize> {
    let forms = &kernel.candidates;
    let beats = |a: usize, b: usize| {
        let (one, other) = (&forms[a], &forms[b]);
        let no_worse = one.seconds.value <= other.seconds.value && one.share <= other.share;
        let same = one.seconds.value == other.seconds.value && one.share == other.share;
        one.fits && no_worse && (!same || a == kernel.chosen || a < b && b != kernel.chosen)
    };
    let is_on_it = |at: &usize| {
        let others = (0..forms.len()).filter(|other| other != at);
        *at == kernel.chosen
            || forms[*at].fits && !others.into_iter().any(|other| beats(other, *at))
    };
    (0..forms.len()).filter(is_on_it).collect()
}

/// Moves numbers down that would lie over others.
fn apart(mut labels: Vec<Label>) -> Vec<Label> {
    labels.sort_by(|a, b| a.y.total_cmp(&b.y));
    for at in 1..labels.len() {
        let before = &labels[at - 1];
        if (labels[at].x - before.x).abs() < LINE {
            labels[at].y = labels[at].y.max(before.y + LINE);
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_ends_close_to_the_times() {
        assert_eq!(time_ticks(52e-6, 182e-6), [5e-5, 1e-4, 2e-4]);
        assert_eq!(time_ticks(1e-3, 1e-3), [1e-3, 2e-3]);
        assert_eq!(time_ticks(0.3, 40.0).len(), 8);
        let wide = time_ticks(3e-6, 2e-1);
        assert!(
            wide.len() == 7 && wide[0] <= 3e-6 && wide[6] >= 2e-1,
            "{wide:?}"
        );
    }
}
