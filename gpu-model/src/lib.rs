//! How kernels run on a GPU: which lanes of a warp take which way, how many sectors of memory an access moves, and
//! which sizes of work-groups suit a device. It changes nothing.

pub mod check;
pub mod device;
mod fields;
pub mod gain;
pub mod geometry;
pub mod lanes;
pub mod launched;
pub mod profile;
pub mod recorded;
mod shapes;
