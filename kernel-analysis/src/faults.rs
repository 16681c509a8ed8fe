//! Mistakes that tests make the passes commit, to see that tests find them. What a mutant of the code is
//! as well (`make mutants`) is none of them.
//!
//! Without the feature `faults`, [`is_on`] is constantly false and the mistakes are not compiled.

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What [`is_on`] asks for.
    pub name: &'static str,
    /// What goes wrong.
    pub what: &'static str,
}

const fn fault(name: &'static str, what: &'static str) -> Fault {
    Fault { name, what }
}

/// All mistakes.
pub const ALL: &[Fault] = &[
    fault("offset-forgotten", "global ids lack the global offset"),
    fault(
        "group-of-another-dimension",
        "group ids are those of another dimension",
    ),
    fault("wrong-group-size", "groups are spaced by the global size"),
    fault("local-size-is-global", "the local size is the global size"),
    fault(
        "group-count-is-global",
        "there are as many groups as work-items",
    ),
    fault("last-item-lost", "loops over work-items end one too early"),
    fault("last-group-lost", "loops over groups end one too early"),
    fault("spill-dropped", "values are not spilled after a region"),
    fault(
        "reload-dropped",
        "spilled values are not reloaded before a region",
    ),
    fault("spill-shared", "all work-items spill to one element"),
    fault(
        "spill-unscaled",
        "rows of a flat array of spilled values overlap",
    ),
    fault(
        "initialiser-lost",
        "a spilled variable loses its first value",
    ),
    fault(
        "varying-is-uniform",
        "what differs between work-items is kept once for all",
    ),
    fault(
        "group-ids-differ-not",
        "what differs between groups is kept from the first",
    ),
    fault("region-swapped", "two regions change places"),
    fault(
        "mask-missed",
        "a region runs for work-items that do not take part",
    ),
    fault("mask-inverted", "a region runs for the wrong work-items"),
    fault(
        "step-skipped",
        "a loop's step is skipped where its body continues",
    ),
    fault("else-lost", "the other branch of a condition is gone"),
    fault(
        "liveness-of-next-only",
        "a value is spilled only where the next region needs it",
    ),
    fault("return-lost", "a work-item that returns goes on"),
    fault(
        "fall-through-lost",
        "an arm of a switch does not fall into the next",
    ),
    fault("exit-flag-lost", "a loop with barriers is not left early"),
    fault(
        "step-wrong",
        "a loop with barriers goes on for those who left it",
    ),
    fault("id-too-narrow", "casts of ids that matter are taken off"),
    fault(
        "known-trip-lost",
        "a loop that all run equally often lacks its last round",
    ),
    fault(
        "lockstep-apart",
        "a barrier stands in a loop that work-items go through differently often",
    ),
    fault("round-forgotten", "all rounds are the first group's"),
    fault(
        "round-barrier-lost",
        "a group's next round begins while its last one is read",
    ),
    fault(
        "last-round-lost",
        "the last of the groups that are one is left out",
    ),
    fault(
        "lane-forgotten",
        "merged work-items all do the work of the first",
    ),
    fault(
        "vector-lane-lost",
        "of lanes that diverge the last does nothing",
    ),
    fault(
        "vector-select-swapped",
        "lanes keep what those that branch otherwise compute",
    ),
    fault(
        "vector-sum-lost",
        "what the last lane added up is lost after a loop",
    ),
    fault(
        "vector-stride-ignored",
        "elements that are 2 apart are loaded as neighbours",
    ),
    fault(
        "same-buffer-twice",
        "restrict, though a launch passes a buffer twice",
    ),
    fault(
        "reduction-start-lost",
        "a reduction starts from another value",
    ),
    fault("reduction-tail-lost", "a partial sum is not added"),
    fault("reduction-shift-wrong", "a shift register does not shift"),
    fault("reduction-store-lost", "a reduction's result is not stored"),
    fault(
        "promotion-store-lost",
        "what a loop keeps in a register is not stored after it",
    ),
    fault(
        "promotion-guard-lost",
        "memory is read and written for loops that do not run",
    ),
    fault(
        "speculative-promotion",
        "what may not be read at all is read before a loop",
    ),
    fault(
        "window-shifted",
        "a window gives the element before the one that is read",
    ),
    fault(
        "window-beyond",
        "a window takes in elements that nobody is sure to read",
    ),
    fault(
        "stage-finds-nothing",
        "a launch in a row does not find what the launch before it left as it was",
    ),
    fault(
        "stage-too-few",
        "of launches in a row one does the work of one less",
    ),
    fault(
        "stage-any-writes",
        "launches are done in a row though what they write depends on what they read",
    ),
    fault(
        "stage-old-next",
        "a stage takes the element after the one that it writes for what was there",
    ),
    fault(
        "stage-writes-one",
        "a row of launches that read what they write leaves one buffer as it was",
    ),
    fault(
        "window-border-narrow",
        "a bound is taken for what it is at the first place of a border",
    ),
    fault(
        "forward-forgotten",
        "a register goes to the next iteration as it is",
    ),
    fault(
        "forward-chain-short",
        "of a chain of registers one does not move on",
    ),
    fault(
        "forward-guard-lost",
        "memory is read for loops that do not run",
    ),
    fault(
        "forward-over-writes",
        "what is stored is forwarded over other writes",
    ),
    fault(
        "wavefront-border-lost",
        "lanes at the border of a wave read registers that nobody stored to",
    ),
    fault(
        "wavefront-extremum-lost",
        "what the lanes of a wave found best is not put together",
    ),
    fault(
        "wavefront-late",
        "lanes of a wave read what was stored a step too early",
    ),
    fault(
        "wavefront-part-of-a-row",
        "rows are used by turns though a step stores only a part of its row",
    ),
    fault(
        "wavefront-row-lost",
        "lanes of rows that are used by turns do not begin with what was there",
    ),
    fault(
        "wavefront-ties-lost",
        "of equal ones that the lanes of a wave found, another one is kept than the first",
    ),
    fault(
        "wavefront-order-ignored",
        "loops become a wave though they read what is stored later",
    ),
    fault(
        "fuse-dependence-ignored",
        "loops are fused whatever their iterations do to each other",
    ),
    fault(
        "fuse-trips-unchecked",
        "loops are fused that do not run equally often",
    ),
    fault(
        "fuse-write-forgotten",
        "what is stored is read from a register after it was overwritten",
    ),
    fault(
        "fission-circle-split",
        "statements that need each other in turn become loops of their own",
    ),
    fault(
        "fission-values-shared",
        "what all iterations compute for another loop is kept in one element",
    ),
    fault(
        "delinearise-border-lost",
        "quotients of a row's last elements are those of its first",
    ),
    fault(
        "delinearise-tail-lost",
        "a last row that is cut is not gone through",
    ),
    fault(
        "neighbours-unchecked",
        "tables are taken for those of neighbours without a look",
    ),
    fault(
        "neighbours-border-lost",
        "the last index has a neighbour after it",
    ),
    fault(
        "tile-border-lost",
        "a tile lacks what lies around its group",
    ),
    fault(
        "tile-unguarded",
        "a tile is filled with what no work-item reads",
    ),
    fault(
        "tile-barrier-lost",
        "work-items read a tile before all have filled it",
    ),
    fault(
        "tile-remainder-lost",
        "the last strip runs as far as the others",
    ),
    fault(
        "interchange-last-lost",
        "what grows in a loop lacks its last step after it",
    ),
    fault(
        "interchange-reread-anywhere",
        "what the first iteration finds in a variable is read from elsewhere",
    ),
    fault(
        "pad-beyond-row",
        "columns of rows that become longer may be in the next row",
    ),
    fault(
        "pad-other-branch",
        "what holds in a branch is taken to hold in its else, too",
    ),
    fault(
        "group-size-misstated",
        "a kernel states another work-group size than its launches have",
    ),
    fault(
        "local-memory-short",
        "a __local parameter gets half of what the launches give",
    ),
    fault(
        "constant-written",
        "what a kernel writes becomes constant memory",
    ),
    fault(
        "exchange-missed",
        "memory through which work-items exchange values is restrict",
    ),
    fault(
        "constant-guard-lost",
        "that a buffer is small and read-only is not checked at launch",
    ),
    fault(
        "alignment-guard-lost",
        "that a buffer is aligned is not checked at launch",
    ),
    fault(
        "alignment-overstated",
        "a parameter states twice the alignment that its buffers have",
    ),
    fault("scalar-wrong", "a scalar argument becomes another constant"),
    fault(
        "scalar-guard-lost",
        "the constant of a scalar argument is not checked at launch",
    ),
    fault(
        "old-counts-lost",
        "what was counted on the chip takes the place of what memory held",
    ),
    fault(
        "counts-unmet",
        "a work-group adds what it counted before all have counted",
    ),
];

#[cfg(feature = "faults")]
mod injected {
    use std::sync::Mutex;

    static ON: Mutex<Option<&'static str>> = Mutex::new(None);

    /// Commits this mistake from now on, or none.
    pub fn inject(fault: Option<super::Fault>) {
        if let Ok(mut on) = ON.lock() {
            *on = fault.map(|fault| fault.name);
        }
    }

    /// Whether the passes are to commit this mistake.
    pub fn is_on(name: &str) -> bool {
        debug_assert!(super::ALL.iter().any(|fault| fault.name == name));
        ON.lock().is_ok_and(|on| *on == Some(name))
    }
}

#[cfg(feature = "faults")]
pub use injected::{inject, is_on};

/// Whether the passes are to commit this mistake.
#[cfg(not(feature = "faults"))]
pub const fn is_on(_: &str) -> bool {
    false
}
