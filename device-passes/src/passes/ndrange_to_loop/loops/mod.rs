//! The loops over groups and work-items.

pub mod ivdep;
pub mod local_memory;
pub mod nest;
pub mod order;
pub mod returns;
