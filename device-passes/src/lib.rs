//! Rewrites of the kernel IR.
//!
//! Each pass is one file under `passes/`; facts that several passes need are computed by
//! `kernel-analysis`. [`pipeline::run`] applies the enabled passes in order and says, kernel by kernel,
//! what was done or why it was not, and what the runtime must do at a launch.

mod around_loop;
mod copy;
pub mod instrumentation;
pub mod options;
pub mod pass;
pub mod passes;
pub mod pipeline;
mod position;
pub mod remark;
pub mod requirement;
pub mod setting;
pub mod versions;
