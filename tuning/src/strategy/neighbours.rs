//! Candidates by the places of their values: which one differs from another in one parameter.

use std::collections::BTreeMap;

use super::candidate::Candidate;

/// See the head of this file.
pub struct Neighbours<'a> {
    candidates: &'a [Candidate],
    by_places: BTreeMap<&'a [usize], usize>,
    /// Of each parameter, how many values there are.
    widths: Vec<usize>,
}

impl<'a> Neighbours<'a> {
    /// Of these candidates.
    pub fn of(candidates: &'a [Candidate]) -> Self {
        let places = candidates.iter().map(|one| one.places.as_slice());
        let count = places.clone().map(<[usize]>::len).max().unwrap_or(0);
        let width = |at: usize| places.clone().filter_map(|one| one.get(at)).max();
        Neighbours {
            candidates,
            widths: (0..count)
                .map(|at| width(at).map_or(0, |most| most + 1))
                .collect(),
            by_places: places.clone().zip(0..).collect(),
        }
    }

    /// How many values a parameter has, of each.
    pub fn widths(&self) -> &[usize] {
        &self.widths
    }

    /// The candidate with these values.
    pub fn at(&self, places: &[usize]) -> Option<usize> {
        self.by_places.get(places).copied()
    }

    /// Those that differ in one parameter.
    pub fn beside(&self, candidate: usize) -> Vec<usize> {
        let own = &self.candidates[candidate].places;
        let mut found = Vec::new();
        for (parameter, &width) in self.widths.iter().enumerate() {
            let mut places = own.clone();
            for place in (0..width).filter(|place| own[parameter] != *place) {
                places[parameter] = place;
                found.extend(self.at(&places));
            }
        }
        found
    }
}
