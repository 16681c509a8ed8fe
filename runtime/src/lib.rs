//! The C library that is linked into patched hosts, and the manifest that it reads.
//!
//! The driver describes the kernels that it compiled as a [`Manifest`], turns it into C with
//! [`Manifest::to_c`], and links the result with the library's own sources ([`SOURCES`]) into the
//! executable. At run time the library replaces program creation and launches as the manifest says.

mod emit;
pub mod manifest;

pub use manifest::Manifest;
