//! Values that live across barriers.

pub mod carry;
pub mod save;
pub mod values;
