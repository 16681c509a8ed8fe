//! What kernels get besides rewrites: counters, an argument that only the runtime sets, and divisors that
//! the emulator's compiler does not see through. No pass; nothing here depends on another part of it.

pub mod count;
pub mod emulator;
pub mod lock;
