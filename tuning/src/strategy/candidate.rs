//! What strategies see, and what they are.

use std::collections::BTreeSet;

/// A point, as a strategy sees it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidate {
    /// Where it lies among the others: see [`crate::space::Space::features`].
    pub features: Vec<f64>,
    /// The indices of its values among those of each parameter, for what goes from neighbour to neighbour.
    pub indices: Vec<usize>,
    /// Seconds that a model predicts; `None`: it says nothing.
    pub predicted: Option<f64>,
    /// The part of the device that it takes, by prediction; beyond 1 it cannot be built.
    pub area: Option<f64>,
    /// What a variant does at a time, for the front of predictions: its parallelism, between 0 and 1.
    pub occupancy: Option<f64>,
}

impl Candidate {
    /// Whether it is thought to fit on the device.
    pub fn fits(&self) -> bool {
        self.area.is_none_or(|area| area <= 1.0)
    }
}

/// A candidate that was tried.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tried {
    /// Which one.
    pub candidate: usize,
    /// What is to be small, such as seconds; `None`: it failed.
    pub cost: Option<f64>,
    /// The part of the device that it takes, if that is known.
    pub area: Option<f64>,
}

/// A way to search.
pub trait Strategy {
    /// Its name on command lines.
    fn name(&self) -> &'static str;

    /// The next candidates, at most so many; none: the search is over.
    fn next(&self, candidates: &[Candidate], history: &[Tried], most: usize) -> Vec<usize>;
}

/// Those that were not tried.
pub fn untried(candidates: &[Candidate], history: &[Tried]) -> Vec<usize> {
    let tried: BTreeSet<usize> = history.iter().map(|one| one.candidate).collect();
    let all = 0..candidates.len();
    all.filter(|at| !tried.contains(at)).collect()
}

/// Those that were not tried. What the model takes for too large is among them only where nothing else is left.
pub fn untried_that_fit(candidates: &[Candidate], history: &[Tried]) -> Vec<usize> {
    let mut left = untried(candidates, history);
    if left.iter().any(|at| candidates[*at].fits()) {
        left.retain(|at| candidates[*at].fits());
    }
    left
}
