//! What work-item functions return, without them.

pub mod grid;
pub mod helpers;
pub mod ids;
pub mod narrow;
pub mod queries;
