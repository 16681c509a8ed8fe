//! The manifest as C.
