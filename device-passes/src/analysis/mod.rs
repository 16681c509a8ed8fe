//! Facts about kernels that passes share.
