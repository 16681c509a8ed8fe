//! Candidates by the indices of their values: which one differs from another in one parameter.

use std::collections::BTreeMap;

use super::candidate::Candidate;

/// See the head of this file.
pub struct Neighbours<'a> {
    candidates: &'a [Candidate],
    by_indices: BTreeMap<&'a [usize], usize>,
    /// Of each parameter, how many values there are.
    widths: Vec<usize>,
}

impl<'a> Neighbours<'a> {
    /// Of these candidates.
    pub fn of(candidates: &'a [Candidate]) -> Self {
        let indices = candidates.iter().map(|one| one.indices.as_slice());
        let count = indices.clone().map(<[usize]>::len).max().unwrap_or(0);
        let width = |at: usize| indices.clone().filter_map(|one| one.get(at)).max();
        Neighbours {
            candidates,
            widths: (0..count)
                .map(|at| width(at).map_or(0, |most| most + 1))
                .collect(),
            by_indices: indices.clone().zip(0..).collect(),
        }
    }

    /// How many values a parameter has, of each.
    pub fn widths(&self) -> &[usize] {
        &self.widths
    }

    /// The candidate with these values.
    pub fn at(&self, indices: &[usize]) -> Option<usize> {
        self.by_indices.get(indices).copied()
    }

    /// Those that differ in one parameter.
    pub fn beside(&self, candidate: usize) -> Vec<usize> {
        let own = &self.candidates[candidate].indices;
        let mut found = Vec::new();
        for (parameter, &width) in self.widths.iter().enumerate() {
            let mut indices = own.clone();
            for index in (0..width).filter(|index| own[parameter] != *index) {
                indices[parameter] = index;
                found.extend(self.at(&indices));
            }
        }
        found
    }
}
