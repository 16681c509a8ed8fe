//! What may be reassociated, and how.

use crate::options::OwnOptions;
use crate::setting::{PassFlag, Setting};

/// What is asked of the pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Never change the order of floating-point operations.
    pub strict_fp: bool,
    /// Latency of a floating-point addition in cycles: the depth of shift registers.
    pub depth: u32,
}

impl OwnOptions for Options {
    const DEFAULT: &'static Self = &Options {
        strict_fp: false,
        // Lloyd's thesis, for Stratix V.
        depth: 8,
    };
}

/// The order of operations as text.
pub(super) const STRICT: Setting = Setting::new("strict-fp", |options, _| {
    options.of_mut::<Options>().strict_fp = true;
    Ok(())
})
.flag(
    PassFlag::Switch("yes"),
    "Never change the order of floating-point operations",
)
.common("Never change the order of floating-point operations");
