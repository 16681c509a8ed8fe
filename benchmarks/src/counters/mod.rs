//! What `fpgacc check` says of kernels against an NVIDIA GPU's own counters.
//!
//! `benchmarks/counters/` has the program that launches the kernels of a plan under Nsight Compute, and the script
//! that makes a table of what it counted of each source line.

mod counted;
mod judge;
mod options;
mod record;

pub use options::Options;
