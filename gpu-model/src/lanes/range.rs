//! The NDRange of a launch, as far as it is known, and which of its warps are looked at.

use std::collections::BTreeMap;

/// Sizes and scalar arguments of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// Its dimensions, 1 to 3.
    pub work_dim: u32,
    /// Global size by dimension; `None`: not known; 1 beyond `work_dim`.
    pub global: [Option<u64>; 3],
    /// Local size by dimension, which is known or supposed.
    pub local: [u64; 3],
    /// Offset by dimension; `None`: not known.
    pub offset: [Option<u64>; 3],
    /// Integer arguments by index, where they are known.
    pub scalars: Vec<Option<i128>>,
}

/// Warps that are looked at, and for how many each stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The group.
    pub group: [u64; 3],
    /// The warp in its group: its first lane is the work-item with this number times the warp's width.
    pub warp: u64,
    /// Warps of the launch that it stands for.
    pub weight: f64,
}

/// Which warps stand for each other: those of groups that are in all dimensions the first, the last, or between; and,
/// where a group has few warps, those with one number.
pub type Class = ([(bool, bool); 3], Option<u64>);

/// The most groups of a class, and warps of a group, that are looked at where not all warps are.
const MOST_GROUPS: u64 = 4;
const MOST_WARPS: u64 = 8;

impl Launch {
    /// Work-items of a group.
    pub fn group_items(&self) -> u64 {
        self.local.iter().product::<u64>().max(1)
    }

    /// The integer arguments that are known, by index.
    pub fn known_scalars(&self) -> BTreeMap<u32, i64> {
        let known = self.scalars.iter().enumerate();
        let known =
            known.filter_map(|(index, value)| Some((index as u32, i64::try_from((*value)?).ok()?)));
        known.collect()
    }

    /// Groups by dimension; where the global size is not known, enough that most are in the middle.
    pub fn groups(&self) -> [u64; 3] {
        [0, 1, 2].map(|dim| match self.global[dim] {
            Some(size) => size.div_ceil(self.local[dim].max(1)).max(1),
            None => 64,
        })
    }

    /// Whether a group is the last of several in some dimension: where guards against the end of arrays split warps.
    pub fn is_last(&self, group: [u64; 3]) -> bool {
        let groups = self.groups();
        (0..3).any(|dim| groups[dim] > 1 && group[dim] + 1 == groups[dim])
    }

    /// The class that a warp stands for a part of.
    pub fn class(&self, width: u32, sample: Sample) -> Class {
        let groups = self.groups();
        let ends = |dim: usize| (sample.group[dim] == 0, sample.group[dim] + 1 == groups[dim]);
        let is_each = self.warps(width) <= MOST_WARPS;
        ([0, 1, 2].map(ends), is_each.then_some(sample.warp))
    }

    /// Work-items of the launch.
    pub fn items(&self) -> f64 {
        let groups = self.groups();
        (0..3)
            .map(|dim| groups[dim] as f64 * self.local[dim] as f64)
            .product()
    }

    /// The warps to look at. Groups at the borders of the NDRange do other things than those in the middle: each
    /// dimension's first and last group, and those between, are a class of their own. Launches of up to `all` warps are
    /// looked at whole.
    pub fn samples(&self, width: u32, all: u64) -> Vec<Sample> {
        let warps = self.warps(width);
        let is_small = self.groups().iter().product::<u64>().saturating_mul(warps) <= all;
        self.spread(
            width,
            if is_small {
                (all, all)
            } else {
                (MOST_GROUPS, MOST_WARPS)
            },
        )
    }

    /// As [`Self::samples`], about `most` warps, where the number of groups is only supposed: at least one group of each
    /// class, or, if these are too many as well, three along the diagonal.
    pub fn few_samples(&self, width: u32, most: u64) -> Vec<Sample> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let densities = [MOST_GROUPS, 2, 1].map(|groups| (groups, MOST_WARPS));
        let mut spreads = densities
            .into_iter()
            .map(|density| self.spread(width, density));
        if let Some(samples) = spreads.find(|samples| samples.len() <= most) {
            return samples;
        }
        let all = self.groups().iter().product::<u64>() as f64 * self.warps(width) as f64;
        let mut parts: Vec<[u64; 3]> = vec![
            [0; 3],
            self.groups().map(|count| count / 2),
            self.groups().map(|count| count - 1),
        ];
        parts.dedup();
        let mut samples = Vec::new();
        for (at, group) in parts.iter().enumerate() {
            let groups = if at == 1 { all } else { 1.0 };
            let picked = spread(0, self.warps(width), MOST_WARPS);
            samples.extend(picked.map(|(warp, share)| Sample {
                group: *group,
                warp,
                weight: groups * share,
            }));
        }
        let sum: f64 = samples.iter().map(|sample| sample.weight).sum();
        samples
            .iter_mut()
            .for_each(|sample| sample.weight *= all / sum);
        samples
    }

    /// Warps of a group.
    fn warps(&self, width: u32) -> u64 {
        self.group_items().div_ceil(u64::from(width.max(1)))
    }

    /// At most so many groups between the first and the last one of each dimension, and warps of each.
    fn spread(&self, width: u32, most: (u64, u64)) -> Vec<Sample> {
        let warps = self.warps(width);
        let groups = self.groups();
        let parts = groups.map(|count| classes(count, most.0));
        let mut samples = Vec::new();
        for x in &parts[0] {
            for y in &parts[1] {
                for z in &parts[2] {
                    let weight = x.1 * y.1 * z.1;
                    let picked = spread(0, warps, most.1);
                    samples.extend(picked.map(|(warp, share)| Sample {
                        group: [x.0, y.0, z.0],
                        warp,
                        weight: weight * share,
                    }));
                }
            }
        }
        samples
    }
}

/// Groups of a dimension, and for how many each stands.
fn classes(count: u64, most: u64) -> Vec<(u64, f64)> {
    match count {
        0 => Vec::new(),
        1 => vec![(0, 1.0)],
        2 => vec![(0, 1.0), (1, 1.0)],
        _ => {
            let middle = spread(1, count - 1, most);
            let ends = [(0, 1.0), (count - 1, 1.0)];
            let mut all: Vec<_> = ends.into_iter().chain(middle).collect();
            all.sort_by_key(|(at, _)| *at);
            all
        }
    }
}

/// At most so many numbers of a range, the first and the last among them, each standing for a like share.
fn spread(from: u64, to: u64, most: u64) -> impl Iterator<Item = (u64, f64)> {
    let count = to.saturating_sub(from);
    let picked = count.min(most);
    (0..picked).map(move |at| {
        let position = match picked {
            1 => count / 2,
            _ => at * (count - 1) / (picked - 1),
        };
        (from + position, count as f64 / picked as f64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_samples_stand_for_all_warps_too() {
        let launch = Launch {
            work_dim: 2,
            global: [None, None, Some(1)],
            local: [16, 16, 1],
            ..Launch::default()
        };
        for (most, count) in [(1000, 6 * 6 * 8), (80, 3 * 3 * 8), (1, 3 * 8)] {
            let samples = launch.few_samples(32, most);
            let warps: f64 = samples.iter().map(|one| one.weight).sum();
            assert_eq!(samples.len(), count);
            assert!((warps - 64.0 * 64.0 * 8.0).abs() < 1e-6, "{warps}");
        }
    }

    #[test]
    fn samples_stand_for_all_warps() {
        let launch = Launch {
            work_dim: 2,
            global: [Some(1024), Some(48), Some(1)],
            local: [16, 16, 1],
            ..Launch::default()
        };
        let samples = launch.samples(32, 100);
        let warps: f64 = samples.iter().map(|one| one.weight).sum();
        assert_eq!(warps, 64.0 * 3.0 * 8.0);
        assert!(
            samples
                .iter()
                .any(|one| one.group == [63, 2, 0] && one.warp == 7)
        );
        assert!(samples.len() <= 6 * 3 * 8, "{}", samples.len());
    }
}
