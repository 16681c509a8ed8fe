//! Which lanes take part is a guess at times, and so is whether all work-items of a group do.

use super::value::Sym;

/// Why it is not known who goes on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Doubt {
    /// Which lanes of the warp take part is a guess.
    pub lanes: bool,
    /// Whether all work-items of the group do depends on what memory holds, or on this number.
    pub by_data: bool,
    pub open: Option<Sym>,
}

impl Doubt {
    /// Adds what another one leaves open.
    pub fn add(&mut self, other: Doubt) {
        self.lanes |= other.lanes;
        self.by_data |= other.by_data;
        self.open = self.open.or(other.open);
    }
}

/// Which lanes take part is a guess where memory decides, or what is not followed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Guess {
    /// The condition of a branch or loop around.
    pub condition: Doubt,
    /// Some lanes may have returned from this function.
    pub returned: Doubt,
    /// Some may have left the innermost loop.
    pub broken: Doubt,
    /// Some may have left its iteration.
    pub skipped: Doubt,
}

impl Guess {
    /// All of it.
    pub fn all(self) -> Doubt {
        let mut all = self.condition;
        [self.returned, self.broken, self.skipped]
            .into_iter()
            .for_each(|one| all.add(one));
        all
    }
}
