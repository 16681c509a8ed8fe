//! The rule of the thesis for the number of groups and their size (T. Lloyd, section 5.3, figure 5.7), for loops
//! whose iterations are work-items: few large loops fill the device with groups of a fixed size.

/// What the rule knows of a device and a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Compute units.
    pub units: u64,
    /// Work-items that a unit holds at a time, whatever limits them.
    pub items_per_unit: u64,
    /// Work-items of a group: the thesis takes 96 in its text and 64 in its tables.
    pub group: u64,
}

/// Work-items of a group, and groups, for so many iterations.
pub fn rule(limits: &Limits, iterations: u64) -> (u64, u64) {
    if iterations <= limits.units {
        return (1, iterations);
    }
    let per_unit = limits.items_per_unit / limits.group;
    let most = per_unit * limits.units;
    (limits.group, (iterations / limits.group).min(most))
}

#[cfg(test)]
mod tests {
    use super::{Limits, rule};

    #[test]
    fn the_cases_of_the_thesis() {
        let limits = Limits {
            units: 28,
            items_per_unit: 1024,
            group: 64,
        };
        assert_eq!(rule(&limits, 10), (1, 10));
        assert_eq!(rule(&limits, 512), (64, 8));
        assert_eq!(rule(&limits, 10_000), (64, 156));
        assert_eq!(rule(&limits, 28_672), (64, 448));
        assert_eq!(rule(&limits, 1_000_000), (64, 448));
    }
}
