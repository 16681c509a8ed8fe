//! Finding and running aoc, the C and C++ compilers and the OpenCL emulators.
//!
//! The one crate beside the driver that does I/O and starts processes.

pub mod backend;
pub mod cc;
pub mod emulator;
pub mod output;
pub mod process;
pub mod request;
pub mod worker;
