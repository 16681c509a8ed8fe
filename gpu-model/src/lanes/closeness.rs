//! How closely loops are looked at: as closely as time allows.

/// How many iterations of a loop are walked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Closeness {
    /// Of those beyond the first few whose number is known: of a loop, one in it, and those in that.
    pub samples: [u64; 3],
    /// Where each condition is known, but not their number.
    pub followed: u32,
}

/// From the closest on. The numbers bound the time.
pub(super) const ALL: [Closeness; 4] = [
    Closeness {
        samples: [64, 64, 64],
        followed: 1024,
    },
    Closeness {
        samples: [64, 16, 4],
        followed: 256,
    },
    Closeness {
        samples: [16, 8, 4],
        followed: 64,
    },
    LEAST,
];

/// The one that takes most time.
pub(super) const CLOSEST: Closeness = ALL[0];

/// The one that takes least.
pub(super) const LEAST: Closeness = Closeness {
    samples: [6, 3, 2],
    followed: 64,
};
