//! A space of which every design was measured.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use fpgacc_tuning::strategy::Candidate;

/// A design.
pub struct Design {
    /// Its knobs, by name; one that it lacks is 0.
    pub knobs: BTreeMap<String, f64>,
    /// What the model predicts; `None`: nothing.
    pub predicted: Option<f64>,
    /// The logic that it takes by prediction, as a part of the device.
    pub area: Option<f64>,
    /// What was measured; `None`: it failed.
    pub seconds: Option<f64>,
}

/// All designs of an application.
pub struct Table {
    /// Its name.
    pub name: String,
    /// What strategies see.
    pub candidates: Vec<Candidate>,
    /// Measured seconds.
    pub costs: Vec<Option<f64>>,
}

impl Table {
    /// Knobs become numbers between 0 and 1, on a logarithmic scale.
    pub fn of<D: Borrow<Design>>(name: &str, designs: &[D]) -> Table {
        let designs: Vec<&Design> = designs.iter().map(Borrow::borrow).collect();
        let names: BTreeSet<&String> = designs.iter().flat_map(|one| one.knobs.keys()).collect();
        let scaled = |design: &Design, name: &String| {
            let knob = design.knobs.get(name).copied().unwrap_or(0.0);
            (knob.abs() + 1.0).log2() * knob.signum()
        };
        let mut features: Vec<Vec<f64>> = designs.iter().map(|_| Vec::new()).collect();
        for name in names {
            let all: Vec<f64> = designs.iter().map(|one| scaled(one, name)).collect();
            let least = all.iter().copied().fold(f64::MAX, f64::min);
            let most = all.iter().copied().fold(f64::MIN, f64::max);
            if most > least {
                for (features, own) in features.iter_mut().zip(all) {
                    features.push((own - least) / (most - least));
                }
            }
        }
        let candidates = features
            .into_iter()
            .zip(&designs)
            .map(|(features, design)| Candidate {
                features,
                predicted: design.predicted,
                area: None,
                occupancy: design.area.map(|area| area.min(1.0)),
            });
        Table {
            name: name.to_string(),
            candidates: candidates.collect(),
            costs: designs.iter().map(|one| one.seconds).collect(),
        }
    }

    /// The least cost.
    pub fn best(&self) -> f64 {
        self.costs
            .iter()
            .flatten()
            .copied()
            .fold(f64::INFINITY, f64::min)
    }

    /// Designs that cost at most `factor` of the least.
    pub fn near(&self, factor: f64) -> usize {
        let best = self.best();
        self.costs
            .iter()
            .flatten()
            .filter(|cost| **cost <= best * factor)
            .count()
    }

    /// Without those designs whose number `leaves_out`.
    pub fn without(&self, leaves_out: impl Fn(usize) -> bool) -> Table {
        let kept: Vec<usize> = (0..self.costs.len())
            .filter(|at| !leaves_out(*at))
            .collect();
        Table {
            name: self.name.clone(),
            candidates: kept.iter().map(|&at| self.candidates[at].clone()).collect(),
            costs: kept.iter().map(|&at| self.costs[at]).collect(),
        }
    }
}
