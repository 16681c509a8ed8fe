//! Kernels: preprocessed OpenCL C to [`crate::ir`] and back.
