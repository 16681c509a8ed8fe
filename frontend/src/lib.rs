//! Kernels to typed IR and back to OpenCL C; sources, diagnostics.
//!
//! Nothing here does I/O or starts processes: the driver hands in texts and takes texts back.

pub mod diag;
pub mod ir;
pub mod kernel;
pub mod source;
