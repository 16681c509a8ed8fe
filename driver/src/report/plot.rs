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

/// Time upwards by powers of ten, area to the right.
pub fn plot(kernel: &Kernel) -> Plot {
    use fpgacc_decision::words;
    let seconds = kernel.candidates.iter().map(|form| form.seconds);
    let low = seconds
        .clone()
        .map(|range| range.low)
        .fold(f64::MAX, f64::min);
    let high = seconds.map(|range| range.high).fold(0.0, f64::max);
    let (low, high) = (low.max(1e-9).log10().floor(), high.max(1e-9).log10().ceil());
    let high = high.max(low + 1.0);
    let shares = kernel.candidates.iter().map(|form| form.share);
    let widest = shares.fold(0.0, f64::max);
    let widest = [0.05, 0.1, 0.25, 0.5, 1.0]
        .into_iter()
        .find(|limit| widest <= *limit);
    let widest = widest.unwrap_or(1.5);
    let x = |share: f64| LEFT + (WIDTH - LEFT - RIGHT) * (share / widest).min(1.0);
    let y = |seconds: f64| {
        let part = (seconds.max(1e-9).log10() - low) / (high - low);
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
            words::seconds(form.seconds.value),
            form.share * 100.0
        ),
    };
    let times = (low as i32..=high as i32).map(|power| Tick {
        at: y(10f64.powi(power)),
        text: words::seconds(10f64.powi(power)),
    });
    let areas = (0..=4).map(|quarter| {
        let share = widest * f64::from(quarter) / 4.0;
        Tick {
            at: x(share),
            text: format!("{}%", words::number(share * 100.0)),
        }
    });
    Plot {
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
