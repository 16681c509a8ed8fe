//! OpenCL implementations.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// An OpenCL implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Platform {
    /// The Intel FPGA Emulation Platform.
    Intel,
    /// PoCL.
    Pocl,
    /// Oclgrind: slow, finds races, accesses out of bounds and divergent barriers.
    Oclgrind,
    /// The driver of an NVIDIA GPU: fast, where there is one.
    Nvidia,
}

impl Platform {
    /// The two that results are compared on.
    pub const EMULATORS: [Platform; 2] = [Platform::Intel, Platform::Pocl];

    /// All that campaigns compare on beside Oclgrind.
    pub const OTHERS: [Platform; 3] = [Platform::Intel, Platform::Pocl, Platform::Nvidia];

    /// What its platform's name holds.
    pub fn name(self) -> &'static str {
        match self {
            Platform::Intel => "FPGA Emulation",
            Platform::Pocl => "Portable Computing Language",
            Platform::Oclgrind => "Oclgrind",
            Platform::Nvidia => "NVIDIA CUDA",
        }
    }

    /// Only a kernel that never ends may reach this, also on a machine that does other work.
    pub fn limit(self) -> Duration {
        Duration::from_secs(match self {
            Platform::Intel | Platform::Pocl | Platform::Nvidia => 600,
            Platform::Oclgrind => 1200,
        })
    }
}
