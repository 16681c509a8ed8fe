//! A space of which every design was measured.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use fpgacc_tuning::strategy::Candidate;

/// A design.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// Its knobs, by name; one that it lacks is 0.
    pub knobs: BTreeMap<String, f64>,
    /// What the model predicts; `None`: nothing.
    pub predicted: Option<f64>,
    /// The logic that it takes by prediction, as a part of the device.
    pub area: Option<f64>,
    /// What was measured; `None`: it failed.
    pub seconds: Option<f64>,
    /// The logic that it was measured to take, as a part of the device.
    pub measured_area: Option<f64>,
}

/// All designs of an application.
pub struct Table {
    /// Its name.
    pub name: String,
    /// What strategies see.
    pub candidates: Vec<Candidate>,
    /// Measured seconds.
    pub costs: Vec<Option<f64>>,
    /// Measured logic.
    pub areas: Vec<Option<f64>>,
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
        let mut indices: Vec<Vec<usize>> = designs.iter().map(|_| Vec::new()).collect();
        for name in names {
            let all: Vec<f64> = designs.iter().map(|one| scaled(one, name)).collect();
            let mut values = all.clone();
            values.sort_by(f64::total_cmp);
            values.dedup();
            let (least, most) = (values[0], values[values.len() - 1]);
            if most <= least {
                continue;
            }
            for (at, own) in all.into_iter().enumerate() {
                features[at].push((own - least) / (most - least));
                let index = values.iter().position(|value| *value == own);
                indices[at].push(index.unwrap_or_default());
            }
        }
        let each = features.into_iter().zip(indices).zip(&designs);
        let candidates = each.map(|((features, indices), design)| Candidate {
            features,
            indices,
            predicted: design.predicted,
            // What was built did fit.
            area: design.area.map(|area| area.min(1.0)),
            occupancy: design.area.map(|area| area.min(1.0)),
        });
        Table {
            name: name.to_string(),
            candidates: candidates.collect(),
            costs: designs.iter().map(|one| one.seconds).collect(),
            areas: designs.iter().map(|one| one.measured_area).collect(),
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
            areas: kept.iter().map(|&at| self.areas[at]).collect(),
        }
    }
}
