//! The arms of branches, and how often at least one of some accesses in them happens: those of two arms of a branch never
//! do together, so that their shares add up.

use std::collections::BTreeMap;

/// An arm of a branch; the first one is the kernel's body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arm {
    /// The arm around it, by number; none has one with a higher number.
    pub around: usize,
    /// The branch that it is an arm of, by number.
    pub branch: usize,
    /// The part of its region's iterations that take it.
    pub share: f64,
}

/// The part of a region's iterations in which at least one of some accesses happens, each given by its arm and its share;
/// `outermost` is the arm that the region is in. What different branches in a row do may happen in the same iterations: the
/// one that does it most often counts.
pub fn any_of(
    arms: &[Arm],
    outermost: usize,
    accesses: impl IntoIterator<Item = (usize, f64)>,
) -> f64 {
    let mut covered: BTreeMap<usize, f64> = BTreeMap::new();
    let raise = |covered: &mut BTreeMap<usize, f64>, arm: usize, to: f64| {
        let most = covered.entry(arm).or_default();
        *most = most.max(to);
    };
    for (arm, share) in accesses {
        raise(&mut covered, arm, share);
    }
    // From the inside out: of each arm that was left, what its branches cover.
    let mut branches: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    while let Some((inner, own)) = covered.pop_last() {
        let share = match inner == outermost {
            true => 1.0,
            false => arms[inner].share,
        };
        let inside = branches.range((inner, 0)..=(inner, usize::MAX));
        let all = inside.map(|(_, part)| part.min(share)).fold(own, f64::max);
        if inner <= outermost {
            return all.min(1.0);
        }
        let Arm { around, branch, .. } = arms[inner];
        *branches.entry((around, branch)).or_default() += all;
        raise(&mut covered, around, 0.0);
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm(around: usize, branch: usize, share: f64) -> Arm {
        Arm {
            around,
            branch,
            share,
        }
    }

    /// The body; both arms of a branch; of the first one, both arms of another; and an arm of a branch after them.
    fn arms() -> [Arm; 6] {
        [
            arm(0, 0, 1.0),
            arm(0, 1, 0.5),
            arm(0, 1, 0.5),
            arm(1, 2, 0.25),
            arm(1, 2, 0.25),
            arm(0, 3, 0.5),
        ]
    }

    fn any(of: &[usize]) -> f64 {
        let arms = arms();
        any_of(&arms, 0, of.iter().map(|at| (*at, arms[*at].share)))
    }

    #[test]
    fn arms_of_one_branch_add_up() {
        assert_eq!(any(&[1, 2]), 1.0);
        assert_eq!(any(&[2, 3]), 0.75);
        assert_eq!(any(&[3, 4]), 0.5);
        assert_eq!(any(&[2, 3, 4]), 1.0);
    }

    #[test]
    fn what_an_arm_around_does_is_not_counted_again() {
        assert_eq!(any(&[1, 3]), 0.5);
        assert_eq!(any(&[0, 2, 3]), 1.0);
        assert_eq!(any(&[]), 0.0);
    }

    #[test]
    fn of_branches_in_a_row_the_one_that_does_most_counts() {
        assert_eq!(any(&[1, 5]), 0.5);
        assert_eq!(any(&[3, 5]), 0.5);
        assert_eq!(any(&[1, 2, 5]), 1.0);
    }

    #[test]
    fn a_region_in_an_arm_counts_by_itself() {
        let arms = [
            arm(0, 0, 1.0),
            arm(0, 1, 0.125),
            arm(1, 2, 0.5),
            arm(1, 2, 0.5),
        ];
        assert_eq!(any_of(&arms, 1, [(2, 0.5), (3, 0.5)]), 1.0);
        assert_eq!(any_of(&arms, 1, [(2, 0.5)]), 0.5);
    }
}
