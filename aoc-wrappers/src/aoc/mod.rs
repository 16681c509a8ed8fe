//! Intel's offline compiler aoc: finding it, asking its version, running it.

mod error;
mod flags;
mod installed;
mod run;
pub(crate) mod table;
mod version;

pub use error::AocError;
pub use flags::arguments;
pub use installed::Aoc;
pub(crate) use run::{replace_folder, reports_folder};
pub use version::AocVersion;
