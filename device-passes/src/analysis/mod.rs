//! Facts about kernels that passes share.

pub mod accesses;
pub mod alias;
pub mod invariance;
pub mod single_work_item;
pub mod spell;
pub mod trip_count;
