//! Designs with what was measured and what is predicted.

use fpgacc_performance_model::{Prediction, Program};

/// A measured design.
#[derive(Clone, Debug)]
pub struct Measured {
    pub knobs: Vec<u64>,
    pub seconds: f64,
    pub mhz: f64,
    /// Adaptive logic modules, with the board's interface.
    pub alm: f64,
    /// Memory blocks, with the board's interface.
    pub ram: f64,
    /// Multiplier blocks.
    pub dsp: f64,
}

/// A measured design and what the model says of it.
pub struct Row {
    pub measured: Measured,
    pub outcome: Result<Priced, String>,
}

/// What the model says of a design.
pub struct Priced {
    pub seconds: f64,
    /// Its kernels, which share a clock and the device.
    pub together: Program,
    /// Of the kernel that takes the longest.
    pub launch: Prediction,
}
