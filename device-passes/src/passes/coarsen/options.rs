//! How work-items are merged.

pub use fpgacc_runtime::contract::Level;

use crate::options::OwnOptions;
use crate::setting::{PassFlag, Setting};

/// What is asked of the pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How kernels are coarsened; `None`: not at all.
    pub how: Option<Coarsening>,
}

impl OwnOptions for Options {
    const DEFAULT: &'static Self = &Options { how: None };
}

/// The option as text.
pub(super) const SETTING: Setting = Setting::new("coarsen", |options, text| {
    let how = text.parse().map_err(|no: NoCoarsening| no.to_string())?;
    options.of_mut::<Options>().how = Some(how);
    Ok(())
})
.flag(
    PassFlag::Value("DIM:FACTOR[:STRIDE[:groups]]"),
    "Let one work-item of each kernel that stays an NDRange do the work of FACTOR in dimension DIM: \
     of neighbours (STRIDE 1, default), of work-items STRIDE apart, or as far apart as there are \
     left (local); or one work-group that of FACTOR",
)
.turns_on();

/// How an NDRange kernel is coarsened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Coarsening {
    /// The dimension: 0, 1 or 2.
    pub dim: u8,
    /// As many work-items, or groups, become one.
    pub factor: u64,
    /// How far apart those are that become one.
    pub stride: Stride,
    /// What is merged.
    pub level: Level,
}

/// How far apart the work-items or groups are that become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stride {
    /// So many; 1: neighbours.
    Of(u64),
    /// As many as there are afterwards: in a group of 64 by 4, those with ids 0, 16, 32 and 48. Of
    /// work-items only.
    Widest,
}

/// What a request for coarsening is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected DIM:FACTOR, DIM:FACTOR:STRIDE or DIM:FACTOR:STRIDE:groups, where STRIDE may be 'local'"
)]
pub struct NoCoarsening;

impl std::str::FromStr for Coarsening {
    type Err = NoCoarsening;

    /// `0:4`, `0:4:1`, `0:4:local`, `0:4:1:groups`.
    fn from_str(text: &str) -> Result<Self, NoCoarsening> {
        let parts: Vec<&str> = text.split(':').collect();
        let number = |text: &str| text.parse::<u64>().map_err(|_| NoCoarsening);
        let (dim, factor, stride, level) = match parts.as_slice() {
            [dim, factor] => (dim, factor, "1", "items"),
            [dim, factor, stride] => (dim, factor, *stride, "items"),
            [dim, factor, stride, level] => (dim, factor, *stride, *level),
            _ => return Err(NoCoarsening),
        };
        let coarsening = Coarsening {
            dim: dim.parse().map_err(|_| NoCoarsening)?,
            factor: number(factor)?,
            stride: match stride {
                "local" => Stride::Widest,
                _ => Stride::Of(number(stride)?),
            },
            level: match level {
                "items" => Level::Items,
                "groups" => Level::Groups,
                _ => return Err(NoCoarsening),
            },
        };
        let is_sound = coarsening.dim < 3 && coarsening.factor > 1;
        is_sound.then_some(coarsening).ok_or(NoCoarsening)
    }
}
