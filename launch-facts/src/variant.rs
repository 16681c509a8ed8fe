//! Variants of kernels, as `fpgacc tune` finds them and builds take them over.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How kernels are executed.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum ExecutionModel {
    /// Kernels stay as the host launches them.
    #[serde(rename = "ndrange")]
    NdRange,
    /// Kernels become single work-items, where they can.
    #[serde(rename = "swi")]
    SingleWorkItem,
    /// The performance model decides, kernel by kernel.
    #[default]
    #[serde(rename = "auto")]
    Auto,
}

impl ExecutionModel {
    /// The words of `-fexecution-model=`.
    pub const WORDS: [&'static str; 3] = ["ndrange", "swi", "auto"];

    /// The model with this word.
    pub fn named(word: &str) -> Option<Self> {
        match word {
            "ndrange" => Some(ExecutionModel::NdRange),
            "swi" => Some(ExecutionModel::SingleWorkItem),
            "auto" => Some(ExecutionModel::Auto),
            _ => None,
        }
    }

    /// The word of the option.
    pub fn word(self) -> &'static str {
        match self {
            ExecutionModel::NdRange => "ndrange",
            ExecutionModel::SingleWorkItem => "swi",
            ExecutionModel::Auto => "auto",
        }
    }
}

/// What was found on a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tuned {
    /// What it was measured on: the name of a board, or of a kind of emulator. Builds for others leave it alone.
    pub device: String,
    /// How kernels are made, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kernels: BTreeMap<String, Variant>,
    /// Further arguments of aoc.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aoc: Vec<String>,
}

/// How a kernel is made, in place of what the decision would choose. What is left out is done as nothing had been asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Its form; `auto` is that of the host.
    #[serde(default, skip_serializing_if = "is_default")]
    pub form: ExecutionModel,
    /// So many neighbouring work-items become one, with vectors: 2, 4, 8 or 16.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectorise: Option<u64>,
    /// So many work-items become one, as in `0:4:1`: in dimension 0 four, that are 1 apart (`local`: as far as the
    /// group allows); `0:4:1:groups` merges work-groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coarsen: Option<String>,
    /// So many iterations of loops become one, with vectors: 2, 4, 8 or 16.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectorise_loops: Option<u64>,
    /// The local size of its launches, as in `64x4`, where it divides a global size that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<String>,
    /// SIMD width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simd: Option<u64>,
    /// Compute units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute_units: Option<u64>,
    /// Copies of loops' bodies, by the number of the loop among those that may be unrolled, from 1, outer ones first.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unroll: BTreeMap<usize, u64>,
    /// The most elements that are loaded before loops that read them again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promote: Option<u64>,
    /// The dimension of work-items whose loop is innermost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub innermost: Option<u8>,
    /// Elements that windows move on in an iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_lanes: Option<u64>,
    /// Launches that become one, where they exchange two buffers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_steps: Option<u64>,
    /// Loops whose iterations end by a barrier, by their numbers as for `unroll`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lockstep: Vec<usize>,
    /// Nests that become one loop, by the numbers of their outermost loops, from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coalesce: Vec<usize>,
    /// Passes that are on or off, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub passes: BTreeMap<String, bool>,
}

fn is_default(model: &ExecutionModel) -> bool {
    *model == ExecutionModel::default()
}
