//! How a nest with windows runs: over all elements between its first and its last, in their order.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{ExprId, VarId};
use fpgacc_kernel_analysis::poly::Poly;

use super::guard::Guard;
use super::nests::Level;
use super::row::Row;
use super::slots::Window;
use super::when::Interval;

/// The most elements that are read before a loop, each by itself.
const MOST_PRIMED: i128 = 32;
/// Iterations that a loop is entered and left in: a guess, only to choose between nests.
const ENTRY: i128 = 16;
/// Counters and indices beyond this might overflow.
pub const LARGEST: i128 = 1 << 30;

/// A nest with windows.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Its loops, the outermost first.
    pub levels: Vec<Step>,
    /// Its windows.
    pub windows: Vec<Window>,
    /// It becomes one loop over these locations of the arrays; otherwise it is one loop that stays, and what its
    /// first iteration finds in the window is read before it.
    pub positions: Option<Interval>,
    /// The first and the last location of the original, if known.
    pub span: Option<Interval>,
    /// Locations in an iteration.
    pub lanes: i128,
    /// There may be no iteration.
    pub may_be_empty: bool,
    /// Iterations.
    pub iterations: i128,
    /// Counters of loops in the body that are to be unrolled, by their numbers.
    pub copied: BTreeMap<usize, VarId>,
    /// Expressions that are a location plus what stays.
    pub moving: Vec<(ExprId, Poly)>,
    /// What symbols for numbers that stay mean.
    pub meanings: Vec<ExprId>,
    /// All counters, by their numbers.
    pub counters: Vec<VarId>,
    /// The numbers of those of the levels.
    pub numbers: Vec<usize>,
    /// A condition that holds in all iterations that are left.
    pub guard: Option<Guard>,
    /// How it does several launches in a row.
    pub row: Option<Row>,
}

/// A loop of it.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it counts with.
    pub counter: VarId,
    /// By how many elements an iteration moves on.
    pub stride: i128,
    /// Its first value.
    pub start: ExprId,
    /// The values that it walks over.
    pub range: Interval,
    /// The body runs from here on.
    pub from: Option<i128>,
    /// It runs up to here.
    pub to: Option<i128>,
}

/// How the loops run that have these windows.
///
/// # Errors
/// They cannot.
pub fn decide(
    levels: &[Level<'_>],
    strides: &[i128],
    windows: Vec<Window>,
    values: Option<&[Interval]>,
    (lanes, in_a_row): (i128, bool),
) -> Result<Walk, String> {
    let longest = windows.iter().map(Window::elements).max().unwrap_or(0);
    let step = |(level, stride): (&Level<'_>, &i128)| Step {
        counter: level.header.counter,
        stride: *stride,
        start: level.header.start,
        range: (0, 0),
        from: None,
        to: None,
    };
    let mut walk = Walk {
        levels: levels.iter().zip(strides).map(step).collect(),
        windows,
        positions: None,
        span: None,
        lanes: 1,
        may_be_empty: values.is_none(),
        iterations: 1,
        copied: BTreeMap::new(),
        moving: Vec::new(),
        meanings: Vec::new(),
        counters: Vec::new(),
        numbers: Vec::new(),
        guard: None,
        row: None,
    };
    // What stands before a loop is written as the indices of the original are.
    let has_taps = walk.windows.iter().all(|window| !window.taps.is_empty());
    let is_short = levels.len() == 1 && longest - 1 <= MOST_PRIMED && has_taps;
    let Some(values) = values else {
        let reason = format!("the loop runs an unknown number of times, for {longest} elements");
        return if is_short { Ok(walk) } else { Err(reason) };
    };
    let declared = levels.iter().all(Level::declares_counter);
    if is_short && (lanes == 1 && !in_a_row || !declared) {
        let (first, last) = values[0];
        walk.span = Some(values[0]);
        walk.iterations = last - first + 1 + longest + ENTRY;
        return Ok(walk);
    }
    if !declared {
        return Err("a counter is seen after its loop".to_string());
    }
    walk.collapse(values, lanes)?;
    Ok(walk)
}

impl Walk {
    /// Has it do several launches in a row.
    pub fn in_a_row(&mut self, row: Row) {
        if let Some(oldest) = row.oldest(self.lanes) {
            let own = self.windows.iter_mut().filter(|w| w.array == row.from);
            own.for_each(|window| window.hull.0 = window.hull.0.min(oldest));
        }
        self.row = Some(row);
    }

    /// Makes one loop over whole rows, early enough that the window is filled.
    fn collapse(&mut self, values: &[Interval], lanes: i128) -> Result<(), String> {
        let rows = self.rows(values)?;
        let strides = self.levels.iter().map(|step| step.stride);
        let at_first = strides
            .zip(values)
            .map(|(stride, (first, _))| stride * first);
        let position: i128 = at_first.sum();
        let missing = |window: &Window| {
            let first = (position + window.hull.0).max(window.sure.0);
            position + window.hull.1 - first
        };
        let missing = self.windows.iter().map(missing).max().unwrap_or(0).max(0);
        let early = early(&self.levels, values, &rows, missing);
        let original: i128 = values
            .iter()
            .map(|(first, last)| last - first + 1)
            .product();
        let innermost = self.levels.len() - 1;
        // Lanes of one iteration are in one row.
        let is_whole = innermost == 0 || rows[innermost] % lanes == 0;
        self.lanes = if is_whole { lanes } else { 1 };
        let (mut span, mut positions) = ((0, 0), (0, 0));
        let mut all = 1;
        for (at, step) in self.levels.iter_mut().enumerate() {
            let (first, last) = values[at];
            let begin = first - early[at];
            let mut end = if at == 0 { last } else { begin + rows[at] - 1 };
            if innermost == 0 {
                end += (begin - end - 1).rem_euclid(self.lanes);
            }
            step.range = (begin, end);
            step.from = Some(first).filter(|_| begin < first);
            step.to = Some(last).filter(|_| end > last);
            span.0 += step.stride * first;
            span.1 += step.stride * last;
            positions.0 += step.stride * begin;
            positions.1 += step.stride * end;
            all *= end - begin + 1;
        }
        self.span = Some(span);
        self.positions = Some(positions);
        self.iterations = all / self.lanes;
        let offsets = self.windows.iter().flat_map(|w| [w.hull.0, w.hull.1]);
        let mut numbers = offsets.chain([positions.0, positions.1]);
        if numbers.any(|number| number.abs() >= LARGEST) {
            return Err("its indices are too large".to_string());
        }
        if all > 2 * original {
            return Err("its rows are much longer than what the loops walk over".to_string());
        }
        Ok(())
    }

    /// Iterations of each loop that make up one of the loop around.
    fn rows(&self, values: &[Interval]) -> Result<Vec<i128>, String> {
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
fn early(steps: &[Step], values: &[Interval], rows: &[i128], missing: i128) -> Vec<i128> {
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
