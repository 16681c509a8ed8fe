//! Who takes part in what is executed.

use std::collections::BTreeSet;

use super::value::Value;

/// Whether a work-item takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Active {
    No,
    Maybe,
    Yes,
}

/// Who takes part, and who left the statements of the innermost loop.
pub struct Frame {
    pub active: Vec<Active>,
    pub broken: Vec<Active>,
    pub continued: Vec<Active>,
}

impl Frame {
    pub fn of(active: Vec<Active>) -> Self {
        let none = vec![Active::No; active.len()];
        Frame {
            active,
            broken: none.clone(),
            continued: none,
        }
    }

    pub fn is_idle(&self) -> bool {
        self.active.iter().all(|active| *active == Active::No)
    }
}

/// The same, of whom nobody takes part for sure.
pub fn maybe(active: &[Active]) -> Vec<Active> {
    active.iter().map(|one| (*one).min(Active::Maybe)).collect()
}

/// Those of whom a condition is what is asked for.
pub fn masked(active: &[Active], cond: &[Value], wanted: bool) -> Vec<Active> {
    let one = |(active, cond): (&Active, &Value)| match cond.truth() {
        Some(truth) if truth == wanted => *active,
        Some(_) => Active::No,
        None => (*active).min(Active::Maybe),
    };
    active.iter().zip(cond).map(one).collect()
}

/// Who takes part leaves; of whom that is not known may stay.
pub fn leave(active: &mut [Active], mut to: Option<&mut Vec<Active>>) {
    for (at, one) in active.iter_mut().enumerate() {
        if let Some(to) = &mut to {
            to[at] = to[at].max(*one);
        }
        if *one == Active::Yes {
            *one = Active::No;
        }
    }
}

/// In which order a condition that nobody knows holds for work-items: where for one, then for all before it.
pub type Ranks = Vec<Option<i128>>;

/// A condition that nobody knows is taken to hold for so many lots of work-items, where it holds for any.
const LOTS: usize = 4;

/// Who takes part where a condition that nobody knows is what is asked for: those of whom it is known, and the first lots
/// of the others.
pub fn assumed(active: &[Active], cond: &[Value], wanted: bool) -> Option<(Vec<Active>, Ranks)> {
    let open = || {
        active
            .iter()
            .zip(cond)
            .filter(|(active, _)| **active == Active::Yes)
    };
    let mut sums = open().filter(|(_, cond)| matches!(cond, Value::Sum(..)));
    let is_ranked = open().any(|(_, cond)| matches!(cond, Value::Ranked(_)));
    let are_same = match sums.next() {
        Some((_, first)) => !is_ranked && sums.all(|(_, cond)| cond == first),
        None => true,
    };
    let rank = |(active, cond): (&Active, &Value)| match cond {
        _ if *active != Active::Yes => None,
        Value::Ranked(rank) if wanted => Some(*rank),
        Value::Ranked(rank) => Some(-rank),
        Value::Sum(..) => Some(0),
        _ => None,
    };
    let ranks: Ranks = active.iter().zip(cond).map(rank).collect();
    let lots: BTreeSet<i128> = ranks.iter().flatten().copied().collect();
    let last = lots.iter().take(LOTS).next_back().filter(|_| are_same)?;
    let mut taking = masked(active, cond, wanted);
    for (taking, rank) in taking.iter_mut().zip(&ranks) {
        if rank.is_some_and(|rank| rank <= *last) {
            *taking = Active::Yes;
        }
    }
    Some((taking, ranks))
}
