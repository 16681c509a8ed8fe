//! Predicted sizes of work-groups against measured ones.

pub(crate) mod device;
mod fit;
mod judge;
pub(crate) mod kernels;
mod measured;
mod options;
mod table;

pub use options::Options;
