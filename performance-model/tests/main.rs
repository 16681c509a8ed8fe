//! What the performance model says of small kernels.

#[path = "../../kernel-analysis/tests/common/module.rs"]
mod module;
#[path = "common/predicted.rs"]
mod predicted;

mod at_once;
mod channels;
mod clocks;
mod graphs;
mod ii;
mod ndrange;
mod reads;
mod streams;
mod systolic;
mod tables;
mod traffic;
mod turns;
mod walks;
mod windows;
