//! Kernels to typed IR and back to OpenCL C; hosts to syntax; sources, diagnostics.
//!
//! Nothing here does I/O or starts processes: the driver hands in texts and takes texts back.

pub mod diag;
pub mod host;
pub mod ir;
pub mod kernel;
pub mod source;
mod threads;
