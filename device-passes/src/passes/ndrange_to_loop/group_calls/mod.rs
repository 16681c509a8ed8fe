//! Functions in which a whole group takes part become statements of the kernel.

pub mod collective;
pub mod import;
pub mod inline;
pub mod lift;
pub mod single_exit;
