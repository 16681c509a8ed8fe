//! What may be reassociated, and how.

use crate::options::OwnOptions;
use crate::setting::{PassFlag, Setting};

/// Whether the order of floating-point operations may change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// It may.
    #[default]
    Free,
    /// It may not (`--strict-fp`).
    Strict,
    /// The kernels are for an emulator, where a shift register gains nothing: they give what was
    /// written, to the last digit.
    Emulated,
}

impl Order {
    /// Why there is to be no shift register.
    pub(super) fn refusal(self) -> Option<&'static str> {
        match self {
            Order::Free => None,
            Order::Strict => {
                Some("that reassociates floating-point operations, which --strict-fp forbids")
            }
            Order::Emulated => Some(
                "that reassociates floating-point operations, and gains nothing on an emulator \
                 (boards get one; --as-on-board builds it here, too)",
            ),
        }
    }
}

/// What is asked of the pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether the order of floating-point operations may change.
    pub order: Order,
    /// Latency of a floating-point addition in cycles: the depth of shift registers.
    pub depth: u32,
}

impl OwnOptions for Options {
    const DEFAULT: &'static Self = &Options {
        order: Order::Free,
        // Lloyd's thesis, for Stratix V.
        depth: 8,
    };
}

/// The order of operations as text.
pub(super) const STRICT: Setting = Setting::new("strict-fp", |options, _| {
    options.of_mut::<Options>().order = Order::Strict;
    Ok(())
})
.flag(
    PassFlag::Switch("yes"),
    "Never change the order of floating-point operations",
)
.common("Never change the order of floating-point operations");
