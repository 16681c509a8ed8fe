//! What kernels do: accesses and aliases, divergence, dependences, trip counts. Passes and the performance
//! model stand on it; it changes nothing.

pub mod access_index;
pub mod accesses;
pub mod alias;
pub mod calls;
pub mod constant;
pub mod constant_memory;
pub mod dependence;
pub mod divergence;
pub mod exchange;
pub mod faults;
pub mod fourier_motzkin;
pub mod geometry;
pub mod id_range;
pub mod independence;
pub mod indices;
pub mod interval;
pub mod invariance;
pub mod liveness;
pub mod local_race;
pub mod location;
pub mod loops;
pub mod nest;
pub mod note;
pub mod observed_groups;
pub mod poly;
pub mod relation;
pub mod scalars;
pub mod short_circuit;
pub mod single_work_item;
pub mod spell;
pub mod sure;
pub mod trip_count;
pub mod usage;
pub mod variables;
pub mod work_item;
