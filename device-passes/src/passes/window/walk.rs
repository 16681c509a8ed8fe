//! How a nest with windows runs: over all elements between its first and its last, one an iteration.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{ExprId, VarId};

use super::nests::Level;
use super::slots::Window;

/// The most elements that are read before a loop, each by itself.
const MOST_PRIMED: i128 = 32;
/// Iterations that a loop is entered and left in: a guess, only to choose between nests.
const ENTRY: i128 = 16;
/// Counters and indices beyond this might overflow.
const LARGEST: i128 = 1 << 30;

/// A nest with windows.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Its loops, the outermost first.
    pub levels: Vec<Step>,
    /// Its windows.
    pub windows: Vec<Window>,
    /// Counters of loops in the body that are to be unrolled, by their numbers.
    pub copied: BTreeMap<usize, VarId>,
    /// The elements that the first iteration finds in the window are read before the loop; otherwise there
    /// are iterations for it.
    pub is_primed: bool,
    /// There may be no iteration.
    pub may_be_empty: bool,
    /// The first and the last place of the nest, if known.
    pub span: Option<(i128, i128)>,
    /// Iterations.
    pub iterations: i128,
}

/// A loop of it.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it counts with.
    pub counter: VarId,
    /// By how many elements an iteration moves on.
    pub stride: i128,
    /// Its first value, and what that becomes.
    pub start: (ExprId, Option<i128>),
    /// What the counter is compared with, and what that becomes.
    pub bound: (ExprId, Option<i128>),
    /// The body runs from here on.
    pub from: Option<i128>,
    /// It runs up to here.
    pub to: Option<i128>,
}

/// How the loops run that have these windows.
pub fn decide(
    levels: &[Level<'_>],
    strides: &[i128],
    windows: Vec<Window>,
    values: Option<&[(i128, i128)]>,
    copied: BTreeMap<usize, VarId>,
) -> Result<Walk, String> {
    let longest = windows.iter().map(Window::elements).max().unwrap_or(0);
    let is_primed = levels.len() == 1 && longest - 1 <= MOST_PRIMED;
    let step = |(level, stride): (&Level<'_>, &i128)| Step {
        counter: level.header.counter,
        stride: *stride,
        start: (level.header.start, None),
        bound: (level.header.bound, None),
        from: None,
        to: None,
    };
    let mut walk = Walk {
        levels: levels.iter().zip(strides).map(step).collect(),
        windows,
        copied,
        is_primed,
        may_be_empty: values.is_none(),
        span: None,
        iterations: 1,
    };
    let Some(values) = values else {
        let reason = format!("the loop runs an unknown number of times, for {longest} elements");
        return if is_primed { Ok(walk) } else { Err(reason) };
    };
    walk.iterations = values
        .iter()
        .map(|(first, last)| last - first + 1)
        .product();
    if is_primed {
        walk.span = Some(values[0]);
        walk.iterations += longest + ENTRY;
        return Ok(walk);
    }
    if !levels.iter().all(Level::declares_counter) {
        return Err("a counter is seen after its loop".to_string());
    }
    walk.extend(levels, values)?;
    Ok(walk)
}

impl Walk {
    /// Makes inner loops run over whole rows, and the outermost early enough that the window is filled.
    fn extend(&mut self, levels: &[Level<'_>], values: &[(i128, i128)]) -> Result<(), String> {
        let rows = self.rows(values)?;
        let place: i128 = self
            .levels
            .iter()
            .zip(values)
            .map(|(step, (first, _))| step.stride * first)
            .sum();
        let missing = |window: &Window| {
            let first = (place + window.hull.0).max(window.sure.0);
            place + window.hull.1 - first
        };
        let missing = self.windows.iter().map(missing).max().unwrap_or(0).max(0);
        let early = early(&self.levels, values, &rows, missing);
        let original: i128 = values
            .iter()
            .map(|(first, last)| last - first + 1)
            .product();
        self.iterations = 1;
        let mut span = (0, 0);
        for (at, level) in levels.iter().enumerate() {
            let (first, last) = values[at];
            let begin = first - early[at];
            let end = if at == 0 { last } else { begin + rows[at] - 1 };
            let step = &mut self.levels[at];
            if begin != first {
                step.start.1 = Some(begin);
                step.from = Some(first);
            }
            if end != last {
                step.bound.1 = Some(level.bound_for(end));
                step.to = Some(last).filter(|last| *last < end);
            }
            span.0 += step.stride * begin;
            span.1 += step.stride * end;
            self.iterations *= end - begin + 1;
        }
        self.span = Some(span);
        let offsets = self.windows.iter().flat_map(|w| [w.hull.0, w.hull.1]);
        let mut numbers = offsets.chain([span.0, span.1]);
        if numbers.any(|number| number.abs() >= LARGEST) {
            return Err("its indices are too large".to_string());
        }
        if self.iterations > 2 * original {
            return Err("its rows are much longer than what the loops walk over".to_string());
        }
        Ok(())
    }

    /// Iterations of each loop that make up one of the loop around.
    fn rows(&self, values: &[(i128, i128)]) -> Result<Vec<i128>, String> {
        let mut rows = vec![0];
        for (pair, (first, last)) in self.levels.windows(2).zip(&values[1..]) {
            let (outer, inner) = (pair[0].stride, pair[1].stride);
            if inner <= 0 || outer % inner != 0 || outer / inner < last - first + 1 {
                return Err("its rows do not follow each other as the loops do".to_string());
            }
            rows.push(outer / inner);
        }
        Ok(rows)
    }
}

/// By how many iterations each loop begins earlier, so that at least so many elements are read before.
fn early(steps: &[Step], values: &[(i128, i128)], rows: &[i128], missing: i128) -> Vec<i128> {
    let mut left = missing;
    let mut early: Vec<i128> = Vec::new();
    for step in steps {
        early.push(left / step.stride);
        left %= step.stride;
    }
    let mut gaps = values.iter().zip(rows).zip(&early).skip(1);
    let fits = gaps.all(|(((first, last), row), early)| early + last - first < *row);
    if fits {
        return early;
    }
    let mut whole = vec![0; steps.len()];
    whole[0] = (missing + steps[0].stride - 1) / steps[0].stride;
    whole
}
