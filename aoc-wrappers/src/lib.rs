//! Finding and running aoc, the C and C++ compilers and the OpenCL emulators.
//!
//! The one crate beside the driver that does I/O and starts processes. [`backend`] is the way in
//! for building kernels, [`cc`] for hosts.

pub mod aoc;
pub mod backend;
mod build_log;
pub mod c_text;
pub mod cache;
pub mod cc;
pub mod claims;
pub mod compat;
pub mod cpu_target;
pub mod doctor;
mod durations;
pub mod emulator;
mod inputs;
pub mod library;
pub mod output;
pub mod process;
pub mod progress;
pub mod request;
pub mod scratch;
pub mod worker;
