//! What a work-item of a kernel does, seen at one of them: its operations, its accesses to memory with their
//! strides along the dimensions and the loops, and how often each happens. No data are known: a loop whose end
//! depends on them is taken to run [`ASSUMED_TRIPS`] times, a branch half of the times.

mod arithmetic;
mod calls;
mod counts;
mod loops;
mod probe;
mod value;
mod vectors;
mod work;

pub use probe::profile;
pub use value::{FIRST_LOOP, POINTS, Root};
pub use work::{ASSUMED_TRIPS, Access, Profile, Scope, Sizes};
