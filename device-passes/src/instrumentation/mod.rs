//! What kernels get besides rewrites: counters, logs, an argument that only the runtime sets, and what keeps
//! emulators' compilers from what they get wrong. No pass.

pub mod count;
pub mod emulator;
mod hidden;
pub mod lock;
pub mod log;
pub mod pocl;
