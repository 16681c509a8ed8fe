//! Fitting the model's constants to measurements. Whoever has some gives times, clocks and a way to predict them; no
//! prediction needs it.

pub mod clock;
mod constants;
mod pairs;
mod search;

pub use constants::{CONSTANTS, Constant};
pub use pairs::{Pair, pairs};
pub use search::{Fitted, Fitting, Parameter, Sample};
