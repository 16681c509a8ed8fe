//! All measured times in one form, whatever they are of: what judging them together needs.

use fpgacc_performance_model::{Board, Estimate, PenaltyCauses};

/// What the model says of a measured time.
#[derive(Clone, Copy, Debug)]
pub struct Said {
    /// Its range.
    pub seconds: Estimate,
    /// What lowers the clock, if one clock was measured.
    pub causes: Option<PenaltyCauses>,
}

/// A measured time, and what predicts it.
pub struct Case {
    /// The measurements that it belongs to.
    pub set: &'static str,
    /// The application that it is of: left out together, on all boards and in all sets.
    pub application: String,
    /// The board, with the compiler that built for it.
    pub board: Board,
    /// Seconds.
    pub seconds: f64,
    /// The clock, if it was measured.
    pub mhz: Option<f64>,
    /// Prices it on a board.
    pub predict: Box<dyn Fn(&Board) -> Said>,
}

/// At most so many cases of each application of a set, evenly spread.
pub fn some(cases: &[Case], most: usize) -> Vec<&Case> {
    let mut kept = Vec::new();
    let mut names: Vec<(&str, &str)> = cases.iter().map(Case::name).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let own = || cases.iter().filter(|case| case.name() == name);
        let every = own().count().div_ceil(most.max(1)).max(1);
        kept.extend(own().step_by(every));
    }
    kept
}

impl Case {
    /// The set and the application.
    pub fn name(&self) -> (&str, &str) {
        (self.set, &self.application)
    }
}
