//! What the layer of `runtime/trace` writes of one process.

use std::path::PathBuf;

use serde::Deserialize;

/// A process's OpenCL calls.
#[derive(Debug, Deserialize)]
pub struct Record {
    /// Texts that programs were made of.
    pub programs: Vec<Program>,
    /// Buffers, sub-buffers and images.
    pub memory: Vec<Memory>,
    /// Launches that were enqueued.
    pub launches: Vec<Launch>,
    /// `platform: device` of each queue.
    pub devices: Vec<String>,
}

impl Record {
    /// Reads a record; `None`: it is none.
    pub fn parse(bytes: &[u8]) -> Option<Record> {
        serde_json::from_str(&String::from_utf8_lossy(bytes)).ok()
    }
}

/// Where a call stands.
#[derive(Debug, Default, Deserialize)]
pub struct Site {
    /// Return addresses, the innermost first.
    pub frames: Vec<Frame>,
    /// The line of Python, if the program is in Python.
    pub script: Option<Script>,
}

/// A line of a script.
#[derive(Debug, Deserialize)]
pub struct Script {
    /// As the interpreter names it.
    pub file: String,
    /// From 1.
    pub line: u32,
}

/// A return address.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame {
    /// The executable or library.
    pub module: String,
    /// As its debug information counts.
    pub offset: u64,
}

/// See `struct program` in `trace.h`.
#[derive(Debug, Deserialize)]
pub struct Program {
    /// Where it was created.
    pub site: Site,
    /// Empty: it was not made from source.
    pub strings: Vec<String>,
    /// Of each build that differs.
    pub options: Vec<String>,
    /// Names of kernels that were created.
    pub kernels: Vec<String>,
    /// What its kernels counted.
    pub counts: Vec<Counts>,
}

/// See `struct count_text` in `trace.h`.
#[derive(Debug, Deserialize)]
pub struct Counts {
    /// Path of the files of [`super::instrument`], without their suffixes.
    pub base: PathBuf,
    /// By number.
    pub counters: Vec<u64>,
    /// The kernels of the launches in the log, by number.
    pub logged: Vec<String>,
}

/// See `struct memory` in `trace.h`.
#[derive(Debug, Deserialize)]
pub struct Memory {
    /// Where it was created.
    pub site: Site,
    /// The OpenCL function.
    pub call: String,
    /// `cl_mem_flags`
    pub flags: u64,
    /// In bytes.
    pub size: Values,
    /// Of a sub-buffer: index of its buffer.
    pub parent: Option<usize>,
    /// Of a sub-buffer: its start in bytes.
    pub origin: Option<Values>,
}

/// See `struct launch` in `trace.h`.
#[derive(Debug, Deserialize)]
pub struct Launch {
    /// Where the call stands.
    pub site: Site,
    /// The kernel's name.
    pub kernel: String,
    /// Index of its program.
    pub program: Option<usize>,
    /// `work_dim`
    pub work_dim: u32,
    /// A value a dimension.
    pub offset: Vec<Values>,
    /// A value a dimension.
    pub global: Vec<Values>,
    /// `None`: NULL.
    pub local: Option<Vec<u64>>,
    /// How many launches.
    pub count: u64,
    /// Of the queue.
    pub out_of_order: bool,
    /// By index.
    pub arguments: Vec<Argument>,
    /// Pairs of arguments that shared memory in at least one launch.
    pub overlapping: Vec<(u32, u32)>,
    /// Kernel times.
    pub time: Option<fpgacc_launch_facts::recorded::Time>,
}

/// See `struct argument_seen` in `trace.h`.
#[derive(Debug, Deserialize)]
pub struct Argument {
    /// What it was: mostly one of these.
    pub kinds: Vec<Kind>,
    /// As OpenCL spells it; empty: not reported.
    #[serde(rename = "type")]
    pub type_name: String,
    /// In bytes.
    pub size: Values,
    /// Indices of the memory objects that were passed.
    #[serde(default)]
    pub memory: Vec<usize>,
    /// NULL was passed too.
    #[serde(default)]
    pub null: bool,
    /// Others than those of `memory` were passed too.
    #[serde(default)]
    pub other: bool,
    /// Scalars of up to 8 bytes as numbers.
    pub value: Option<Values>,
    /// Values as bytes in hexadecimal.
    #[serde(default)]
    pub bytes: Vec<String>,
    /// There were others than those of `bytes`.
    #[serde(default)]
    pub many: bool,
}

/// What an argument was.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Kind {
    Unset,
    Memory,
    Local,
    Value,
    Svm,
    Sampler,
}

/// Numbers that were seen.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Values {
    /// In ascending order; empty: none.
    Seen(Vec<u64>),
    /// Too many to list.
    Range {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
        /// Divides all differences.
        step: u64,
    },
}
