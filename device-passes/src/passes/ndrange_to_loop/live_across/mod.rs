//! Values that live across barriers.

pub mod carry;
pub mod spill;
pub mod values;
