//! Launch facts: what is known of a host's OpenCL programs, kernels, buffers and launches.
//!
//! host-analysis makes them, device-passes and the driver use them; they are also a file,
//! `facts.yaml`, that users can read, write and keep. What is not proved is checked at launch by
//! the runtime, so a wrong fact can cost a launch, never a result.
//!
//! `fpgacc trace` makes them of a run. Its entries carry a [`recorded`] part: they say what was
//! seen, and nothing is proved by that.

mod checked;
pub mod memory_flags;
pub mod recorded;
mod symbolic;
pub mod variant;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use recorded::{RecordedBuffer, RecordedLaunch, RecordedProgram, Recording};

pub use fpgacc_frontend::source::Location;
pub use symbolic::Symbolic;
pub use variant::{ExecutionModel, Tuned, Variant};

/// The version of the file format that this build reads and writes.
pub const FORMAT_VERSION: u32 = 1;

/// All that is known of the hosts of one executable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// [`FORMAT_VERSION`].
    pub version: u32,
    /// The runs that recorded facts come from; `None`: there are no recorded facts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<Recording>,
    /// Each call that creates an OpenCL program.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        with = "serde_yaml::with::singleton_map_recursive"
    )]
    #[schemars(with = "Vec<Program>")]
    pub programs: Vec<Program>,
    /// Strings of the hosts that hold kernels, if there are programs of which the sources are not
    /// known: they may be made from these.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        with = "serde_yaml::with::singleton_map_recursive"
    )]
    #[schemars(with = "Vec<ProgramSource>")]
    pub texts: Vec<ProgramSource>,
    /// Each call that creates a buffer or sub-buffer.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        with = "serde_yaml::with::singleton_map_recursive"
    )]
    #[schemars(with = "Vec<Buffer>")]
    pub buffers: Vec<Buffer>,
    /// Each call that launches a kernel.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        with = "serde_yaml::with::singleton_map_recursive"
    )]
    #[schemars(with = "Vec<Launch>")]
    pub launches: Vec<Launch>,
    /// How kernels are to be executed, by name: the user's choice, of which no host states anything.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub execution_models: BTreeMap<String, ExecutionModel>,
    /// The variants of kernels that `fpgacc tune` found to be the fastest, by the device that they were measured on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tuned: Vec<Tuned>,
}

/// The JSON schema of `facts.yaml`.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Facts)
}

impl Default for Facts {
    fn default() -> Self {
        Facts {
            version: FORMAT_VERSION,
            recording: None,
            programs: Vec::new(),
            texts: Vec::new(),
            buffers: Vec::new(),
            launches: Vec::new(),
            execution_models: BTreeMap::new(),
            tuned: Vec::new(),
        }
    }
}

/// A call of clCreateProgramWithSource and what is built from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The creating call.
    pub site: Location,
    /// Where its text comes from, in the order of concatenation.
    #[serde(deserialize_with = "checked::sources")]
    pub sources: Known<Vec<ProgramSource>>,
    /// The options of each clBuildProgram call on it, as one string each.
    pub options: Vec<Known<String>>,
    /// It goes through clCompileProgram: clLinkProgram makes a program of it, alone or with others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_part: bool,
    /// Names that clCreateKernel asks of it; `All` after clCreateKernelsInProgram.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kernels: Vec<Known<String>>,
    /// What a run showed of it; `None`: it was analysed or given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<RecordedProgram>,
}

/// One piece of a program's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProgramSource {
    /// The contents of a file, by the name that the host opens.
    File(String),
    /// A string in the host: its value, and where it starts.
    Text {
        /// The text as the compiler sees it.
        text: String,
        /// The first string literal of it.
        site: Location,
    },
}

/// A value that is known, or the reason why it is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Known<T> {
    /// The value.
    Is(T),
    /// Not known at compile time, for this reason.
    Unknown(String),
}

impl<T> Known<T> {
    /// The value, if it is known.
    pub fn get(&self) -> Option<&T> {
        match self {
            Known::Is(value) => Some(value),
            Known::Unknown(_) => None,
        }
    }
}

/// A number of the host at a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// The same number whenever the launch is reached.
    Const(u64),
    /// One of these, in ascending order, depending on the path or differing from launch to launch.
    OneOf(Vec<u64>),
    /// One of these, constants or expressions, depending on the path.
    AnyOf(Vec<Value>),
    /// Any of `min + i * step` up to `max`.
    Range {
        /// The least value.
        min: u64,
        /// The greatest value.
        max: u64,
        /// The distance, at least 1, of which all differences are multiples.
        step: u64,
    },
    /// An expression over named values of the host.
    Symbolic(Symbolic),
    /// Not known, for this reason.
    Unknown(String),
}

impl Value {
    /// The constant, if it is one.
    pub fn constant(&self) -> Option<u64> {
        match self {
            Value::Const(value) => Some(*value),
            _ => None,
        }
    }

    /// An expression of which nothing more is known.
    pub fn symbolic(text: impl Into<String>) -> Value {
        Value::Symbolic(Symbolic::new(text))
    }

    /// Whether it is one number: a constant, or an expression that is a negative or floating-point
    /// literal.
    pub fn is_number(&self) -> bool {
        match self {
            Value::Const(_) => true,
            Value::Symbolic(symbolic) => {
                let text = symbolic.text.trim_start_matches('-');
                let is_literal = text.starts_with(|c: char| c.is_ascii_digit());
                let digits = text.strip_suffix('f').unwrap_or(text);
                is_literal && digits.parse::<f64>().is_ok()
            }
            _ => false,
        }
    }

    /// Whether it is a constant, an expression, or one of several of them.
    pub fn is_known(&self) -> bool {
        match self {
            Value::Unknown(_) => false,
            Value::AnyOf(all) => all.iter().all(Value::is_known),
            _ => true,
        }
    }
}

/// The local size of a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LocalSize {
    /// NULL: the implementation chooses.
    Null,
    /// Given by the host, one value a dimension.
    Sizes(Vec<Value>),
    /// It is not known whether it is NULL, for this reason.
    Unknown(String),
}

impl LocalSize {
    /// Sizes that are constants.
    pub fn constants(sizes: impl IntoIterator<Item = u64>) -> Self {
        LocalSize::Sizes(sizes.into_iter().map(Value::Const).collect())
    }
}

/// A call of clEnqueueNDRangeKernel or clEnqueueTask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// The call.
    pub site: Location,
    /// Names of all kernels that may be launched here.
    pub kernels: Known<Vec<String>>,
    /// `work_dim`; 1 for clEnqueueTask.
    #[serde(deserialize_with = "checked::dimensions")]
    pub work_dim: Value,
    /// `global_work_offset`, one value a dimension, all 0 if it is NULL.
    #[serde(deserialize_with = "checked::range")]
    pub offset: Vec<Value>,
    /// `global_work_size`, one value a dimension.
    #[serde(deserialize_with = "checked::range")]
    pub global: Vec<Value>,
    /// `local_work_size`.
    #[serde(deserialize_with = "checked::local")]
    pub local: LocalSize,
    /// The arguments that clSetKernelArg calls set for this launch, by index; what is not listed is
    /// not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Arg>,
    /// Whether its queue executes commands in order.
    #[serde(default, skip_serializing_if = "QueueOrder::is_unknown")]
    pub queue: QueueOrder,
    /// The innermost loop that it is launched in, in its function or in a caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Within>,
    /// Pairs of argument indices that name the same memory on one of the ways to the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<(u32, u32)>,
    /// Pairs of argument indices that name memory of two names on every way to the call, though one of
    /// several each: buffers that change places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<(u32, u32)>,
    /// Between its rounds the host waits, asks for events, or has its queues do something else.
    #[serde(default, skip_serializing_if = "is_false")]
    pub watched: bool,
    /// How often a run comes by, as the loops around it say; branches may keep it from some. `None`:
    /// once, or it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// What runs showed of it; `None`: it was analysed or given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<RecordedLaunch>,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Launch {
    /// What it passes as an argument, if that is known.
    pub fn argument(&self, index: u32) -> Option<&ArgValue> {
        let arg = self.args.iter().find(|arg| arg.index == index)?;
        Some(&arg.value)
    }

    /// A launch of one of these kernels, of which nothing else is known.
    pub fn of(site: Location, kernels: Vec<String>) -> Self {
        let unknown = || "not known".to_string();
        Launch {
            site,
            kernels: Known::Is(kernels),
            work_dim: Value::Unknown(unknown()),
            offset: Vec::new(),
            global: Vec::new(),
            local: LocalSize::Unknown(unknown()),
            args: Vec::new(),
            queue: QueueOrder::Unknown,
            within: None,
            same: Vec::new(),
            apart: Vec::new(),
            watched: false,
            times: None,
            recorded: None,
        }
    }

    /// Whether the launches of a loop follow each other with two buffers exchanged, of these arguments, and all else
    /// the same.
    pub fn exchanges(&self, one: u32, other: u32) -> bool {
        let changes = [one, other].map(|index| format!("argument {index}"));
        let is_pair = |pair: &(u32, u32)| [(one, other), (other, one)].contains(pair);
        // Three buffers that take turns are not exchanged.
        let is_more = |arg: &Arg| matches!(&arg.value, ArgValue::AnyOf(names) if names.len() > 2);
        let mut own = self
            .args
            .iter()
            .filter(|arg| [one, other].contains(&arg.index));
        self.queue == QueueOrder::InOrder
            && !self.watched
            && !own.any(is_more)
            && self.apart.iter().any(is_pair)
            && self.within.as_ref().is_some_and(|within| {
                within.changes.len() == 2 && changes.iter().all(|one| within.changes.contains(one))
            })
    }

    /// Whether it [exchanges](Self::exchanges) two buffers.
    pub fn has_rows(&self) -> bool {
        self.apart
            .iter()
            .any(|(one, other)| self.exchanges(*one, *other))
    }

    /// Whether it may be one of a kernel.
    pub fn may_be_of(&self, kernel: &str) -> bool {
        match &self.kernels {
            Known::Is(names) => names.iter().any(|name| name == kernel),
            Known::Unknown(_) => true,
        }
    }

    /// Whether an argument was not only seen in runs.
    pub fn argument_is_proved(&self, index: u32) -> bool {
        self.is_proved(&argument_word(index))
    }

    /// Whether the local size was not only seen in runs.
    pub fn local_is_proved(&self) -> bool {
        self.is_proved(LOCAL_WORD)
    }

    fn is_proved(&self, word: &str) -> bool {
        let recorded = self.recorded.as_ref();
        recorded.is_none_or(|recorded| recorded.proved.iter().any(|one| one == word))
    }
}

/// The word for an argument among [`Within::changes`] and [`RecordedLaunch::proved`].
pub fn argument_word(index: u32) -> String {
    format!("argument {index}")
}

/// The word for all of a local size among [`RecordedLaunch::proved`].
pub const LOCAL_WORD: &str = "local";

/// The order in which a queue executes commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueueOrder {
    /// In the order of the calls.
    InOrder,
    /// `CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE` is set.
    OutOfOrder,
    /// It is not known.
    #[default]
    Unknown,
}

impl QueueOrder {
    fn is_unknown(&self) -> bool {
        *self == QueueOrder::Unknown
    }
}

/// The loop of a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Within {
    /// The loop.
    pub site: Location,
    /// What may differ between its iterations: `global 0`, `local 1`, `offset 0`, `argument 3`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
}

/// A kernel argument at a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arg {
    /// Its index, from 0.
    #[serde(deserialize_with = "checked::index")]
    pub index: u32,
    /// What is passed.
    pub value: ArgValue,
}

/// What is passed as a kernel argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArgValue {
    /// A memory object: the host variable or expression that holds it, spelled the same way for
    /// the same variable of the same scope.
    Memory(String),
    /// One of several memory objects, named as in [`Self::Memory`]; `NULL` is none.
    AnyOf(Vec<String>),
    /// `__local` memory of this many bytes.
    Local(#[serde(deserialize_with = "checked::value")] Value),
    /// A scalar. Negative integers are recorded as two's complement in their size.
    Scalar(#[serde(deserialize_with = "checked::value")] Value),
    /// Floating-point numbers or values of several parts that were seen, each as text: the shortest
    /// decimal number that reads back as the same, or bytes in hexadecimal after `0x`.
    Seen(Vec<String>),
    /// Not known, for this reason.
    Unknown(String),
}

impl ArgValue {
    /// The memory objects that it may be, by name; `None`: it may be something else.
    pub fn memory(&self) -> Option<&[String]> {
        match self {
            ArgValue::Memory(name) => Some(std::slice::from_ref(name)),
            ArgValue::AnyOf(names) => Some(names),
            _ => None,
        }
    }
}

/// A call of clCreateBuffer or clCreateSubBuffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Buffer {
    /// The call.
    pub site: Location,
    /// The host variable or expression that takes the handle, as in [`ArgValue::Memory`].
    pub variable: Option<String>,
    /// `CL_MEM_USE_HOST_PTR` may be among its flags.
    pub use_host_ptr: bool,
    /// It is a part of another buffer (clCreateSubBuffer).
    pub sub_buffer: bool,
    /// Its flags without `CL_MEM_`, in order of value; `None`: they are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flags: Option<Vec<String>>,
    /// Of a sub-buffer: the buffer that it is a part of, as in [`Self::variable`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Of a sub-buffer: where it starts, in bytes.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "checked::option"
    )]
    pub origin: Option<Value>,
    /// Its size in bytes.
    #[serde(deserialize_with = "checked::value")]
    pub size: Value,
    /// What runs showed of it; `None`: it was analysed or given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<RecordedBuffer>,
}

impl Buffer {
    /// A whole buffer of the device, of which nothing else is known.
    pub fn of(site: Location, variable: impl Into<String>) -> Self {
        Buffer {
            site,
            variable: Some(variable.into()),
            use_host_ptr: false,
            sub_buffer: false,
            flags: None,
            parent: None,
            origin: None,
            size: Value::Unknown("not known".to_string()),
            recorded: None,
        }
    }
}
