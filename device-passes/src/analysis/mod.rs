//! Facts about kernels that passes share.

pub mod access_index;
pub mod accesses;
pub mod alias;
pub mod calls;
pub mod constant;
pub mod constant_memory;
pub mod divergence;
pub mod independence;
pub mod invariance;
pub mod liveness;
pub mod local_race;
pub mod loops;
pub mod nest;
pub mod place;
pub mod relation;
pub mod scalars;
pub mod single_work_item;
pub mod spell;
pub mod trip_count;
pub mod usage;
pub mod variables;
pub mod work_item;
