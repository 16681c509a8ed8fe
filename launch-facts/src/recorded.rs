//! What `fpgacc trace` adds to facts that it saw in runs of a program.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use fpgacc_frontend::source::Location;

/// The runs that facts were recorded in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// How many.
    pub runs: u64,
    /// The devices that they ran on, as `platform: device`, in alphabetical order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
}

/// A program as it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedProgram {
    /// Hash of its whole text, in hexadecimal: 64-bit FNV-1a up to the first NUL, without trailing
    /// white space and without `\r`.
    pub hash: String,
    /// Where in the machine code it was created: `module+0xoffset`.
    pub caller: String,
    /// The loops of its kernels (`fpgacc trace --trip-counts`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<RecordedLoop>,
    /// Their branches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<RecordedBranch>,
    /// What warps did at their accesses to memory (`fpgacc trace --accesses`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accesses: Vec<RecordedAccess>,
    /// Which ways the lanes of warps went at their branches and loops.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ways: Vec<RecordedWays>,
}

/// What warps did at an access to memory. Totals of the launches that were looked at, as some work-items of them showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedAccess {
    /// As in [`RecordedLoop::site`].
    pub site: Location,
    /// The kernel that was launched.
    pub kernel: String,
    /// It writes; it reads otherwise.
    pub write: bool,
    /// The memory is local.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub local: bool,
    /// Work-items of a warp.
    pub warp: u32,
    /// Bytes of a sector; of local memory, of a bank.
    pub sector: u32,
    /// Launches that were looked at.
    pub launches: u64,
    /// How often a warp executed it.
    pub warps: u64,
    /// Lanes that took part.
    pub lanes: u64,
    /// Sectors that were moved; turns that local memory took.
    pub sectors: u64,
    /// Sectors or turns that would have done.
    pub ideal: u64,
}

/// Which ways the lanes of warps went at the condition of a branch or a loop. Totals as in [`RecordedAccess`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedWays {
    /// The condition; as in [`RecordedLoop::site`].
    pub site: Location,
    /// It is the left operand of an `&&` or `||`, which decides whether lanes evaluate the right one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub short_circuit: bool,
    /// The kernel that was launched.
    pub kernel: String,
    /// Work-items of a warp.
    pub warp: u32,
    /// Launches that were looked at.
    pub launches: u64,
    /// How often a warp came there; to a loop: how often it entered it.
    pub warps: u64,
    /// How often its lanes went different ways.
    pub diverged: u64,
    /// Evaluations; of a loop, iterations.
    pub rounds: u64,
    /// Lanes that waited while others did what it guards, and while they did the other, added over `rounds`.
    pub idle: [u64; 2],
}

impl RecordedAccess {
    /// Adds what another run saw of the same.
    pub fn add(&mut self, more: &RecordedAccess) {
        self.launches += more.launches;
        self.warps += more.warps;
        self.lanes += more.lanes;
        self.sectors += more.sectors;
        self.ideal += more.ideal;
    }
}

impl RecordedWays {
    /// Adds what another run saw of the same.
    pub fn add(&mut self, more: &RecordedWays) {
        self.launches += more.launches;
        self.warps += more.warps;
        self.diverged += more.diverged;
        self.rounds += more.rounds;
        self.idle = [0, 1].map(|side| self.idle[side] + more.idle[side]);
    }
}

/// How often a loop of kernels was run through, by all work-items of all launches together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedLoop {
    /// Where it stands; lines of a text that is in no file are those of `<text>`.
    pub site: Location,
    /// The kernel or function that it stands in.
    pub function: String,
    /// How often it was reached.
    pub entries: u64,
    /// How often its body was begun.
    pub iterations: u64,
}

/// How often a branch of kernels was taken, by all work-items of all launches together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedBranch {
    /// The `if`, or the label of a `switch`; as in [`RecordedLoop::site`].
    pub site: Location,
    /// The kernel or function that it stands in.
    pub function: String,
    /// `if` or `case`.
    pub kind: BranchKind,
    /// How often the condition, or the value of the `switch`, was evaluated.
    pub evaluated: u64,
    /// How often the condition was true, or what stands after the label was reached, also from the
    /// case before it.
    pub taken: u64,
}

/// What a branch is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum BranchKind {
    If,
    Case,
}

/// A launch as it was seen: all launches of one kernel from one place with one `work_dim` and one
/// local size.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedLaunch {
    /// How many there were.
    pub count: u64,
    /// Where in the machine code: `module+0xoffset` of the return address.
    pub caller: String,
    /// The [`RecordedProgram::hash`] of the kernel's program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// What of it the host's text proves, where runs filled in the rest: `local` (all of it) and
    /// `argument 3`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proved: Vec<String>,
    /// Pairs of argument indices that named the same or overlapping memory in at least one launch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overlapping: Vec<(u32, u32)>,
    /// Types of the arguments by index, where the OpenCL implementation reports them, else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// Sizes of the arguments in bytes by index, as clSetKernelArg took them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<u64>,
    /// How long the kernel ran, if that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
}

/// Kernel times, in nanoseconds of the device's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// How many launches were measured.
    pub count: u64,
    /// The shortest.
    pub min_ns: u64,
    /// The longest.
    pub max_ns: u64,
    /// All together.
    pub total_ns: u64,
}

/// A buffer as it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedBuffer {
    /// Where in the machine code it was created: `module+0xoffset`.
    pub caller: String,
}
