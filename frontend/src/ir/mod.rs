//! The kernel IR.
