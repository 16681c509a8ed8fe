//! Predicted sizes of work-groups against measured ones.

mod fit;
mod judge;
mod kernels;
mod measured;
mod options;
mod table;

pub use options::Options;
