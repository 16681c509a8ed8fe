//! Rewrites of the kernel IR and the analyses they stand on.
//!
//! Each pass is one file under `passes/`; facts that several passes need are computed under
//! `analysis/`. [`pipeline::run`] applies the enabled passes in order and tells, kernel by kernel,
//! what was done or why it was not, and what the runtime must do at a launch.

pub mod analysis;
mod around_loop;
mod assumed;
pub mod count;
pub mod decision;
pub mod emulator;
pub mod faults;
pub mod geometry;
pub mod groups;
pub mod lock;
pub mod model;
pub mod pass;
pub mod passes;
pub mod pipeline;
pub mod remark;
pub mod versions;
