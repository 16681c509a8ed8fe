//! The forms in which programs of campaigns are rewritten, in turn.

use crate::rewrite::Rewrites;

/// The ways in which programs are coarsened, in turn: vectors of so many neighbours, and what is merged.
pub(super) const COARSENINGS: [(u64, &str); 12] = [
    (1, "0:2"),
    (4, ""),
    (1, "0:4:local"),
    (1, "0:2:1:groups"),
    (1, "1:2"),
    (2, "1:2"),
    (1, "0:2:2"),
    (1, "0:2:local:groups"),
    (1, "0:4"),
    (2, ""),
    (1, "0:2:local"),
    (1, "1:2:1:groups"),
];

/// One of them, or loops over groups.
pub(super) fn coarsened(index: u64) -> Rewrites {
    if index % 16 >= 14 {
        let how = ["4", "1:2"][index as usize % 2];
        return Rewrites::GroupLoop(how.to_string());
    }
    let (lanes, how) = COARSENINGS[(index % COARSENINGS.len() as u64) as usize];
    match lanes {
        1 => Rewrites::Coarsened(how.to_string()),
        _ => Rewrites::Vectorised(lanes, Some(how.to_string()).filter(|how| !how.is_empty())),
    }
}

/// Other groups, and vectors, in turn.
pub(super) fn regrouped(index: u64) -> Rewrites {
    match index % 4 {
        0 => Rewrites::GroupLoop("2".to_string()),
        1 => Rewrites::Regrouped(
            None,
            Some(["0:2", "0:4:local", "1:2"][(index / 4 % 3) as usize].to_string()),
        ),
        2 => Rewrites::Vectorised(4, None),
        _ if index % 8 == 3 => Rewrites::Regrouped(Some(2), None),
        _ => Rewrites::Resized,
    }
}

/// Single work-items in two of several ways, and NDRanges in all: what passes do for memory that is read again
/// depends on which loops there are.
pub(super) fn reused(index: u64) -> Vec<Rewrites> {
    let grouped = match index % 6 {
        0 => Rewrites::All,
        1 => Rewrites::Interchanged,
        2 => Rewrites::Coalesced,
        3 => Rewrites::Unrolled,
        _ => Rewrites::Distributed,
    };
    let single = Rewrites::Ungrouped([1, 4, 2][(index % 3) as usize]);
    let tiled = match index % 3 {
        0 => Rewrites::Wide,
        _ => Rewrites::NdRange,
    };
    let lanes = [4, 2, 8][(index / 2 % 3) as usize];
    let rounds = ["2", "4", "1:2"][(index % 3) as usize].to_string();
    let (factor, how) = COARSENINGS[(index % COARSENINGS.len() as u64) as usize];
    let merged = match factor {
        1 => how,
        _ => "0:2",
    };
    vec![
        grouped,
        single,
        tiled,
        Rewrites::Coarsened(merged.to_string()),
        Rewrites::Vectorised(lanes, None),
        Rewrites::Resized,
        Rewrites::GroupLoop(rounds),
    ]
}

/// Single work-items in two ways: tables on the chip are for those.
pub(super) fn tables(index: u64) -> Vec<Rewrites> {
    let other = match index % 4 {
        0 => Rewrites::Unrolled,
        1 => Rewrites::Interchanged,
        2 => Rewrites::Distributed,
        _ => Rewrites::Coalesced,
    };
    vec![Rewrites::All, other]
}
