//! What kernels get besides rewrites: counters, logs, an argument that only the runtime sets, and divisors that
//! the emulator's compiler does not see through. No pass.

pub mod count;
pub mod emulator;
mod hidden;
pub mod lock;
pub mod log;
