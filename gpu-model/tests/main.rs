//! What the GPU model says of small kernels.

mod common;

mod barriers;
mod check;
mod cores;
mod geometry;
mod merged;
mod ways;
