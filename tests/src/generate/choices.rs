//! What is chosen for a kernel, and what its work-items share.

use serde::{Deserialize, Serialize};

/// What kernels have much of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Focus {
    /// Barriers, and control around them.
    #[default]
    Barriers,
    /// Also loops that gather something at one place, and `__local` parameters; most launches are known.
    Loops,
    /// Memory that work-items or iterations read again, or that others of them wrote.
    Reuse,
    /// Tables on the chip, which are filled in waves, or have rows that become longer.
    Tables,
}

/// What work-items may do with an array until the next barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Each reads and writes its own element.
    Own,
    /// All read all elements.
    Read,
    /// All change all elements by the array's atomic function, and ignore what it returns.
    Atomic,
    /// Only the first work-item accesses it.
    First,
    /// Nobody accesses it: a copy to it is under way.
    Copied,
}

/// Where an array lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// `__local`.
    Local,
    /// `__local`, with a row for each line of work-items.
    Rows,
    /// A `__local` parameter.
    Parameter,
    /// A part of a buffer for each group.
    Global,
}

/// An array with an element for each work-item of a group.
#[derive(Clone, Debug)]
pub struct Shared {
    /// Its name.
    pub name: String,
    /// Where it lies.
    pub home: Home,
    /// The atomic function of [`State::Atomic`].
    pub atomic: &'static str,
    /// Its elements are `float` rather than `uint`.
    pub float: bool,
}

/// Where a group's copies go in the buffer `back`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Each group has a piece of it.
    Pieces,
    /// Each group has every `n`th element, of `n` groups.
    Interleaved,
}
