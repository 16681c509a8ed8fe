//! The body of a kernel is split into regions that work-items run on their own, and control that a
//! group goes through together.

pub mod alike;
pub mod callees;
pub mod convergence;
pub mod exits;
pub mod live_ranges;
pub mod masks;
pub mod parts;
pub mod schedule;
pub mod speculation;
mod split;
pub mod steps;
pub mod switches;
pub mod uniform;

pub use split::split;
