//! A program, the memory that it works on, and its launches.

use std::collections::BTreeSet;

use fpgacc_runtime::guard::{Fact, Guard};
use fpgacc_runtime::manifest::{Hidden, NullLocal, Task};
use serde::{Deserialize, Serialize};

use crate::platform::Platform;
use crate::random::Random;

/// A program and what is done with it. Also a file: YAML or JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// OpenCL C.
    pub source: String,
    /// As clBuildProgram takes them.
    #[serde(default)]
    pub options: String,
    /// Memory that outlives a launch.
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    /// In order; each is finished before the next starts.
    pub launches: Vec<Launch>,
    /// Implementations on which the program as it is written does not end: they have faults of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hangs_on: Vec<Platform>,
    /// A part of the reason for which it cannot be rewritten, or not be launched, while nothing is known of
    /// its launches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wants_facts: Option<String>,
}

/// A buffer and what it holds before the first launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buffer {
    /// Its size.
    pub bytes: usize,
    /// Its first contents.
    pub fill: Fill,
    /// No kernel writes to it: it is made with `CL_MEM_READ_ONLY`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub read_only: bool,
    /// It is memory of the host (`CL_MEM_USE_HOST_PTR`), so many bytes after the start of a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_host: Option<usize>,
}

impl Buffer {
    /// Whether it starts at a multiple of so many bytes, a power of two of at most 64, on every device.
    pub fn is_aligned_to(&self, bytes: u64) -> bool {
        let offset = self.in_host.unwrap_or(0) as u64;
        bytes <= 64 && offset.is_multiple_of(bytes)
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Contents that are made from little.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fill {
    /// Zeros.
    Zero,
    /// These bytes, again and again.
    Bytes(Vec<u8>),
    /// 32-bit integers 0, 1, 2, ..
    Iota,
    /// Pseudo-random 32-bit integers of `low..=high`.
    Ints {
        /// Chooses the sequence.
        seed: u64,
        /// The least.
        low: i32,
        /// The greatest.
        high: i32,
    },
    /// Pseudo-random 32-bit floats of `low..high`.
    Floats {
        /// Chooses the sequence.
        seed: u64,
        /// The least.
        low: f32,
        /// What they stay below.
        high: f32,
    },
    /// Pseudo-random 64-bit floats of `low..high`.
    Doubles {
        /// Chooses the sequence.
        seed: u64,
        /// The least.
        low: f64,
        /// What they stay below.
        high: f64,
    },
}

/// One launch of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// The kernel's name.
    pub kernel: String,
    /// Over which work-items.
    pub geometry: Geometry,
    /// What is passed.
    pub args: Vec<Arg>,
}

/// The work-items of a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Geometry {
    /// clEnqueueTask.
    Task,
    /// clEnqueueNDRangeKernel.
    Range {
        /// `global_work_offset`; empty for NULL.
        #[serde(default)]
        offset: Vec<u64>,
        /// `global_work_size`; as many as there are dimensions.
        global: Vec<u64>,
        /// `local_work_size`; empty for NULL.
        #[serde(default)]
        local: Vec<u64>,
    },
}

/// A kernel argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arg {
    /// A buffer of the job, by index. One may be passed twice.
    Buffer(usize),
    /// This many bytes of `__local` memory.
    Local(usize),
    /// A value, as the bytes that clSetKernelArg takes.
    Value(Vec<u8>),
}

impl Arg {
    /// An `int`.
    pub fn int(value: i32) -> Self {
        Arg::Value(value.to_ne_bytes().to_vec())
    }

    /// A `uint`.
    pub fn uint(value: u32) -> Self {
        Arg::Value(value.to_ne_bytes().to_vec())
    }

    /// A `long`.
    pub fn long(value: i64) -> Self {
        Arg::Value(value.to_ne_bytes().to_vec())
    }

    /// A `float`.
    pub fn float(value: f32) -> Self {
        Arg::Value(value.to_ne_bytes().to_vec())
    }

    /// A `double`.
    pub fn double(value: f64) -> Self {
        Arg::Value(value.to_ne_bytes().to_vec())
    }
}

impl Geometry {
    /// An NDRange without offset; `local` may be empty for NULL.
    pub fn range(global: &[u64], local: &[u64]) -> Self {
        Geometry::Range {
            offset: Vec::new(),
            global: global.to_vec(),
            local: local.to_vec(),
        }
    }

    /// An NDRange with an offset.
    pub fn offset_range(offset: &[u64], global: &[u64], local: &[u64]) -> Self {
        Geometry::Range {
            offset: offset.to_vec(),
            global: global.to_vec(),
            local: local.to_vec(),
        }
    }
}

/// Why a launch cannot run in single work-item form: the runtime would refuse it too.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// A fact that the kernel relies on does not hold.
    #[error("the launch of '{kernel}' breaks {fact:?}, on which the kernel relies")]
    Broken {
        /// The kernel.
        kernel: String,
        /// The fact.
        fact: Fact,
    },
    /// The group is larger than the kernel's arrays.
    #[error("a group of {size} work-items, but '{kernel}' holds {limit}")]
    Group {
        /// The kernel.
        kernel: String,
        /// Work-items in a group.
        size: u64,
        /// What the kernel holds.
        limit: u64,
    },
}

impl Job {
    /// A job without launches.
    pub fn new(source: impl Into<String>) -> Self {
        Job {
            source: source.into(),
            options: String::new(),
            buffers: Vec::new(),
            launches: Vec::new(),
            hangs_on: Vec::new(),
            wants_facts: None,
        }
    }

    /// Adds a buffer; the result is it as an argument.
    pub fn buffer(&mut self, bytes: usize, fill: Fill) -> Arg {
        self.buffers.push(Buffer {
            bytes,
            fill,
            read_only: false,
            in_host: None,
        });
        Arg::Buffer(self.buffers.len() - 1)
    }

    /// Adds a buffer that no kernel writes to; the result is it as an argument.
    pub fn input(&mut self, bytes: usize, fill: Fill) -> Arg {
        let arg = self.buffer(bytes, fill);
        if let Some(buffer) = self.buffers.last_mut() {
            buffer.read_only = true;
        }
        arg
    }

    /// Adds a launch.
    pub fn launch(
        &mut self,
        kernel: &str,
        geometry: Geometry,
        args: impl IntoIterator<Item = Arg>,
    ) {
        self.launches.push(Launch {
            kernel: kernel.to_string(),
            geometry,
            args: args.into_iter().collect(),
        });
    }

    /// The same job with another text.
    pub fn with_source(&self, source: impl Into<String>) -> Self {
        Job {
            source: source.into(),
            ..self.clone()
        }
    }

    /// The same job where each launch of `kernel` starts one work-item instead, with the hidden
    /// arguments that `task` asks for.
    ///
    /// # Errors
    /// What the runtime would check at the launch.
    pub fn as_task(
        &self,
        kernel: &str,
        task: &Task,
        guards: &BTreeSet<Guard>,
    ) -> Result<Self, TaskError> {
        let mut job = self.clone();
        for launch in job.launches.iter_mut().filter(|l| l.kernel == kernel) {
            *launch = launch.as_task(task, guards)?;
        }
        Ok(job)
    }
}

impl Launch {
    /// See [`Job::as_task`].
    ///
    /// # Errors
    /// What the runtime would check at the launch.
    pub fn as_task(&self, task: &Task, guards: &BTreeSet<Guard>) -> Result<Self, TaskError> {
        let range = FullRange::of(self, task, guards);
        for guard in guards {
            range.check(&self.kernel, *guard)?;
        }
        let hidden = task.hidden.iter().map(|hidden| range.hidden(*hidden));
        let mut launch = self.clone();
        launch.args.extend(hidden);
        launch.geometry = Geometry::Task;
        Ok(launch)
    }

    /// Whether a fact holds that the runtime checks of a kernel that is launched over its NDRange.
    pub fn holds(&self, fact: Fact) -> bool {
        let is_open = matches!(&self.geometry, Geometry::Range { local, .. } if local.is_empty());
        if is_open && matches!(fact, Fact::Local(..) | Fact::OneGroup(_)) {
            return false;
        }
        let task = Task {
            hidden: Vec::new(),
            max_group_size: None,
            null_local: NullLocal::Divisor,
        };
        FullRange::of(self, &task, &BTreeSet::new()).holds(fact)
    }
}

/// An NDRange in three dimensions.
struct FullRange {
    work_dim: u64,
    offset: [u64; 3],
    global: [u64; 3],
    local: [u64; 3],
}

impl FullRange {
    fn of(launch: &Launch, task: &Task, guards: &BTreeSet<Guard>) -> Self {
        // A task is a range of one work-item.
        let one = vec![1];
        let (offset, global, local) = match &launch.geometry {
            Geometry::Task => (&Vec::new(), &one, &one),
            Geometry::Range {
                offset,
                global,
                local,
            } => (offset, global, local),
        };
        let three = |values: &[u64], beyond| [0, 1, 2].map(|d| *values.get(d).unwrap_or(&beyond));
        let global_sizes = three(global, 1);
        let local_sizes = match local.is_empty() {
            true => null_local(global_sizes, task, guards),
            false => three(local, 1),
        };
        FullRange {
            work_dim: global.len() as u64,
            offset: three(offset, 0),
            global: global_sizes,
            local: local_sizes,
        }
    }

    fn hidden(&self, hidden: Hidden) -> Arg {
        let value = match hidden {
            Hidden::Offset(dim) => self.offset[usize::from(dim)],
            Hidden::Global(dim) => self.global[usize::from(dim)],
            Hidden::Local(dim) => self.local[usize::from(dim)],
            Hidden::WorkDim => self.work_dim,
            Hidden::Steps(_) => 1,
        };
        Arg::int(value as i32)
    }

    fn holds(&self, fact: Fact) -> bool {
        match fact {
            Fact::WorkDim(value) => self.work_dim == u64::from(value),
            Fact::Offset(dim, value) => self.offset[usize::from(dim)] == value,
            Fact::Global(dim, value) => self.global[usize::from(dim)] == value,
            Fact::Local(dim, value) => self.local[usize::from(dim)] == value,
            Fact::OneGroup(dim) => self.local[usize::from(dim)] == self.global[usize::from(dim)],
        }
    }

    /// What the runtime checks of the NDRange.
    fn check(&self, kernel: &str, guard: Guard) -> Result<(), TaskError> {
        let size = self.local.iter().product();
        let kernel = kernel.to_string();
        match guard {
            Guard::Geometry(fact) if !self.holds(fact) => Err(TaskError::Broken { kernel, fact }),
            Guard::GroupSize(limit) if size > limit => Err(TaskError::Group {
                kernel,
                size,
                limit,
            }),
            _ => Ok(()),
        }
    }
}

/// The local size that the runtime takes for NULL.
fn null_local(global: [u64; 3], task: &Task, guards: &BTreeSet<Guard>) -> [u64; 3] {
    if task.null_local == NullLocal::Whole {
        return global;
    }
    let fixed = |dim: u8| {
        guards.iter().find_map(|guard| match guard {
            Guard::Geometry(Fact::Local(of, value)) if *of == dim => Some(*value),
            _ => None,
        })
    };
    let relied = [0, 1, 2].map(|dim| fixed(dim).unwrap_or(1));
    if (0..3).any(|dim| fixed(dim).is_some()) && global.iter().zip(relied).all(|(g, l)| g % l == 0)
    {
        return relied;
    }
    let limit = task.max_group_size.unwrap_or(u64::MAX).min(global[0]);
    let divisor = (1..=limit)
        .rev()
        .find(|size| global[0].is_multiple_of(*size));
    [divisor.unwrap_or(1), 1, 1]
}

impl Buffer {
    /// What it holds before the first launch.
    pub fn contents(&self) -> Vec<u8> {
        let mut bytes = self.fill.contents(self.bytes);
        bytes.resize(self.bytes, 0);
        bytes
    }
}

impl Fill {
    /// Pseudo-random floats.
    pub fn floats(seed: u64, low: f32, high: f32) -> Self {
        Fill::Floats { seed, low, high }
    }

    /// Pseudo-random integers.
    pub fn ints(seed: u64, low: i32, high: i32) -> Self {
        Fill::Ints { seed, low, high }
    }

    /// These integers, again and again.
    pub fn of_ints(values: &[i32]) -> Self {
        Fill::Bytes(values.iter().flat_map(|v| v.to_ne_bytes()).collect())
    }

    /// These floats, again and again.
    pub fn of_floats(values: &[f32]) -> Self {
        Fill::Bytes(values.iter().flat_map(|v| v.to_ne_bytes()).collect())
    }

    fn contents(&self, bytes: usize) -> Vec<u8> {
        match self {
            Fill::Zero => vec![0; bytes],
            Fill::Bytes(pattern) => pattern.iter().copied().cycle().take(bytes).collect(),
            Fill::Iota => (0..bytes as u32 / 4).flat_map(u32::to_ne_bytes).collect(),
            Fill::Ints { seed, low, high } => {
                let mut random = Random::new(*seed);
                let span = (i64::from(*high) - i64::from(*low) + 1) as u64;
                let mut next = || (i64::from(*low) + (random.bits() % span) as i64) as i32;
                (0..bytes / 4).flat_map(|_| next().to_ne_bytes()).collect()
            }
            Fill::Floats { seed, low, high } => {
                let mut random = Random::new(*seed);
                let mut next = || (random.unit() as f32).mul_add(high - low, *low);
                (0..bytes / 4).flat_map(|_| next().to_ne_bytes()).collect()
            }
            Fill::Doubles { seed, low, high } => {
                let mut random = Random::new(*seed);
                let mut next = || random.unit().mul_add(high - low, *low);
                (0..bytes / 8).flat_map(|_| next().to_ne_bytes()).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn as_task(job: &Job) -> Result<Job, TaskError> {
        let task = Task {
            hidden: vec![Hidden::Global(0), Hidden::Local(0), Hidden::WorkDim],
            max_group_size: Some(16),
            null_local: NullLocal::Divisor,
        };
        let guards = [Guard::Geometry(Fact::Global(1, 1)), Guard::GroupSize(16)];
        job.as_task("k", &task, &guards.into())
    }

    #[test]
    fn a_task_gets_the_hidden_arguments_of_its_launch() {
        let mut job = Job::new("");
        job.launch("k", Geometry::range(&[40], &[]), [Arg::float(1.0)]);
        let rewritten = as_task(&job).expect("the facts hold");
        let launch = &rewritten.launches[0];
        assert_eq!(launch.geometry, Geometry::Task);
        assert_eq!(launch.args[1..], [Arg::int(40), Arg::int(10), Arg::int(1)]);
    }

    #[test]
    fn a_launch_that_breaks_a_fact_has_no_task() {
        let mut job = Job::new("");
        job.launch("k", Geometry::range(&[4, 4], &[1, 1]), []);
        let broken = as_task(&job).expect_err("two dimensions");
        assert!(broken.to_string().contains("Global(1, 1)"), "{broken}");

        let mut job = Job::new("");
        job.launch("k", Geometry::range(&[64], &[32]), []);
        let broken = as_task(&job).expect_err("too large a group");
        assert!(broken.to_string().contains("holds 16"), "{broken}");
    }

    #[test]
    fn contents_are_the_same_every_time_and_within_bounds() {
        let buffer = Buffer {
            bytes: 4001,
            fill: Fill::ints(7, -3, 5),
            read_only: false,
            in_host: None,
        };
        let bytes = buffer.contents();
        assert_eq!(bytes.len(), 4001);
        assert_eq!(bytes, buffer.contents());
        let ints: Vec<i32> = bytes
            .chunks_exact(4)
            .map(|chunk| i32::from_ne_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]))
            .collect();
        assert!(ints.iter().all(|value| (-3..=5).contains(value)));
        assert!(ints.contains(&-3) && ints.contains(&5));
    }
}
