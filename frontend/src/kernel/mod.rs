//! Kernels: preprocessed OpenCL C to [`crate::ir`] and back.
//!
//! [`parse`] is a front end in stages: `prepass` makes the text fit for lang-c and notes what it
//! blanks, lang-c makes a syntax tree, `lower` resolves and types it. [`validate`] checks a module
//! against the IR's contract; its proof is what [`print()`] demands.

#[cfg(test)]
mod handmade;
mod print;
mod validate;

pub use print::{PrintOptions, print};
pub use validate::{Validated, validate};
