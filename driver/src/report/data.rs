//! What a report says, in the form that `--json` writes. Times are in seconds, clocks in MHz.

use fpgacc_performance_model::{Estimate, Resources};
use serde::Serialize;

use crate::check::OnGpu;

/// The version of the format.
pub const FORMAT_VERSION: u32 = 1;

/// All of a program.
#[derive(Debug, Serialize)]
pub struct Report {
    /// [`FORMAT_VERSION`].
    pub version: u32,
    /// What made the report: `fpgacc 0.2.0`.
    pub tool: String,
    /// The words of the command after `fpgacc`, without those that name the output.
    pub command: Vec<String>,
    /// The files that it was made of, as the command names them.
    pub inputs: Vec<InputFile>,
    /// The board that is predicted for.
    pub board: Board,
    /// `-O`
    pub level: u8,
    /// Each text that is built with its options.
    pub programs: Vec<Program>,
    /// Sizes of work-groups for a device, if they are asked for (`--geometry`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub geometry: Option<Sizes>,
}

/// Sizes of work-groups for a device.
#[derive(Debug, Serialize)]
pub struct Sizes {
    /// The device's short name.
    pub device: String,
    /// Its full name.
    pub title: String,
    /// What its units, its warps and the sectors of memory are called.
    pub words: [&'static str; 3],
    /// In order of the sources.
    pub kernels: Vec<KernelSizes>,
}

/// Sizes for the launches of a kernel.
#[derive(Debug, Serialize)]
pub struct KernelSizes {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub position: Option<Position>,
    /// What sees the size of its groups, so that it cannot change.
    pub observed: Option<Seen>,
    /// Those that differ; of a kernel that sees its groups none.
    pub launches: Vec<LaunchSizes>,
}

/// What in a kernel sees the size of its groups.
#[derive(Debug, Serialize)]
pub struct Seen {
    /// Such as `get_local_id`.
    pub what: String,
    /// Where.
    pub position: Option<Position>,
}

/// Sizes for a launch.
#[derive(Debug, PartialEq, Serialize)]
pub struct LaunchSizes {
    /// The call.
    pub position: Position,
    /// The global size, if it is known; 1 beyond the launch's dimensions.
    pub global: Option<[u64; 3]>,
    /// The host's local size, if it is known.
    pub own: Option<[u64; 3]>,
    /// What `-fgeometry` takes.
    pub chosen: Option<[u64; 3]>,
    /// All that divide the global size, best first.
    pub shapes: Vec<ShapeTime>,
    /// As many groups of the best size are better one group in a loop (`-fgroup-loop`).
    pub rounds: Option<RoundsTime>,
}

/// What a local size costs.
#[derive(Debug, PartialEq, Serialize)]
pub struct ShapeTime {
    /// The local size.
    pub local: [u64; 3],
    /// The time of the launch.
    pub seconds: f64,
    /// Units that get a group.
    pub units: u64,
    /// Warps that a unit holds at a time.
    pub warps: f64,
    /// Sectors that an access moves, on average.
    pub sectors: f64,
    /// What limits it most.
    pub limit: &'static str,
    /// It is the host's.
    pub is_own: bool,
}

/// What a loop over groups gains.
#[derive(Debug, PartialEq, Serialize)]
pub struct RoundsTime {
    /// As many groups are one.
    pub factor: u64,
    /// The time of the launch.
    pub seconds: f64,
}

/// A file that a report was made of.
#[derive(Debug, Serialize)]
pub struct InputFile {
    /// Its name.
    pub file: String,
    /// The digest of its bytes.
    pub sha256: String,
}

/// A board.
#[derive(Debug, Serialize)]
pub struct Board {
    /// Short.
    pub name: String,
    /// Full.
    pub title: String,
    /// Nobody named it.
    pub is_default: bool,
    /// All of the device.
    pub device: Resources,
    /// What the board's interface takes of it.
    pub interface: Resources,
}

/// A text with its options.
#[derive(Debug, Serialize)]
pub struct Program {
    /// Its files.
    pub name: String,
    /// Its kernels, in order of the source.
    pub kernels: Vec<Kernel>,
    /// All of them on one device.
    pub total: Total,
    /// What measured times said; `None`: there are none of its kernels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned: Option<Learned>,
    /// Buffers of the host that its kernels access.
    pub buffers: Vec<Buffer>,
}

/// What measured times said of a program's forms (`--measured`).
#[derive(Debug, Serialize)]
pub struct Learned {
    /// Forms that were measured.
    pub forms: usize,
    /// Kernels that these are of.
    pub kernels: usize,
    /// What was left out in turn to see whether the others foretell it: `kernel` or `form`.
    pub left_out: &'static str,
    /// The median factor by which predictions are off; `None`: too few were measured to say.
    pub predicted: Option<f64>,
    /// The same, each corrected by what was not left out.
    pub corrected: Option<f64>,
    /// Times of forms that were not measured are corrected.
    pub is_used: bool,
    /// All of this as text.
    pub text: String,
}

/// The kernels of a program in one image: their launches one after another, at one clock.
#[derive(Debug, Serialize)]
pub struct Total {
    /// Seconds of all launches as the input is.
    pub before: Range,
    /// Seconds of all launches.
    pub seconds: Range,
    /// How often faster than the input that is.
    pub gain: f64,
    /// The clock of all kernels.
    pub clock_mhz: Range,
    /// What all kernels take.
    pub area: Resources,
    /// Of each resource the part of the device that kernels and the board's interface take.
    pub used: Resources,
    /// Whether they fit beside the board's interface.
    pub fits: bool,
}

/// A buffer of the host.
#[derive(Debug, PartialEq, Serialize)]
pub struct Buffer {
    /// The host's variable.
    pub name: String,
    /// Where it is created.
    pub position: Option<Position>,
    /// Its bytes, as text: a number, or what is known of it.
    pub size: String,
    /// Its bytes, if they are one number.
    pub bytes: Option<u64>,
    /// The kernels that access it.
    pub uses: Vec<Use>,
}

/// A kernel's access to a buffer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Use {
    /// The kernel.
    pub kernel: String,
    /// The parameter's name.
    pub parameter: String,
    /// It loads from it.
    pub loads: bool,
    /// It stores to it.
    pub stores: bool,
    /// Only some launches pass this buffer, or it may be another one.
    pub is_one_of_many: bool,
}

/// A kernel.
#[derive(Debug, Serialize)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub position: Option<Position>,
    /// What was asked for: `ndrange`, `swi`, `auto`.
    pub asked: String,
    /// The forms that were tried, that of the input first.
    pub candidates: Vec<Candidate>,
    /// Which of them is kept.
    pub chosen: usize,
    /// Forms that were made and priced: `candidates` are those that matter.
    pub forms: usize,
    /// Seconds below which no form is that the search, which ended early, could have come to by widening;
    /// `None`: it ended by itself.
    pub floor: Option<f64>,
    /// The steps by which the search came to the form that is kept.
    pub steps: Vec<Taken>,
    /// The steps that would follow, and are not worth it.
    pub refused: Vec<Refused>,
    /// How often faster than the input it is.
    pub gain: f64,
    /// What aoc's report says otherwise than the model; `None`: there is none of any of the forms.
    pub disagreements: Option<Vec<String>>,
    /// The kept form at each launch.
    pub parts: Vec<Part>,
    /// Which of them takes most time.
    pub main: usize,
    /// What was done to it.
    pub done: Vec<String>,
    /// What was not done, and why.
    pub missed: Vec<Remark>,
    /// What to change to gain more.
    pub hints: Vec<Hint>,
    /// What it wastes on a GPU.
    pub gpu: OnGpu,
    /// Operations that the model knows nothing of.
    pub unpriced: Vec<Unpriced>,
    /// What the user's lines take of the device in the kept form, at the launch that takes most time.
    pub lines: Vec<LineCost>,
    /// What is known of its launches.
    pub launches: Vec<String>,
    /// The user's own lines.
    pub original: Vec<Line>,
    /// The lines that the FPGA compiler gets.
    pub rewritten: Vec<Line>,
}

/// A step of the search.
#[derive(Debug, Serialize)]
pub struct Taken {
    /// What is done.
    pub what: String,
    /// How many times faster that is.
    pub gain: f64,
}

/// A step that is not taken.
#[derive(Debug, Serialize)]
pub struct Refused {
    /// What would be done.
    pub what: String,
    /// Seconds of all launches together then.
    pub seconds: f64,
    /// Whether that fits on the device.
    pub fits: bool,
}

/// An operation that the model knows nothing of.
#[derive(Debug, PartialEq, Serialize)]
pub struct Unpriced {
    /// Where it stands.
    pub position: Option<Position>,
    /// Its name.
    pub name: String,
    /// What it is priced as.
    pub priced_as: String,
}

impl Kernel {
    /// The operations that the model knows nothing of, each once with its positions.
    pub fn unpriced_by_name(&self) -> Vec<(&Unpriced, Vec<&Position>)> {
        let mut found: Vec<(&Unpriced, Vec<&Position>)> = Vec::new();
        for one in &self.unpriced {
            let what = (&one.name, &one.priced_as);
            match found
                .iter_mut()
                .find(|(known, _)| (&known.name, &known.priced_as) == what)
            {
                Some((_, positions)) => positions.extend(&one.position),
                None => found.push((one, one.position.iter().collect())),
            }
        }
        found
    }
}

/// What a line of the source takes.
#[derive(Debug, PartialEq, Serialize)]
pub struct LineCost {
    /// The line; `None`: what is of no line.
    pub position: Option<Position>,
    /// Its operations: `2 x float addition`.
    pub operations: Vec<String>,
    /// What they take of the device.
    pub area: Resources,
    /// Cycles of the slowest of them.
    pub latency: f64,
    /// Which one that is.
    pub slowest: String,
}

/// A position in a source.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Position {
    /// The file, as the user names it.
    pub file: String,
    /// From 1.
    pub line: u32,
}

/// A line of a source.
#[derive(Debug, Serialize)]
pub struct Line {
    /// Its number, in the user's file or in the program that fpgacc prints; `None` between versions.
    pub number: Option<u32>,
    /// The other side has no such line, blanks and braces aside.
    pub changed: bool,
    /// Its text.
    pub text: String,
    /// What is to be said of it.
    pub marks: Vec<Mark>,
}

/// Words beside a line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mark {
    /// Short: `II = 8`.
    pub label: String,
    /// The reason.
    pub text: String,
    /// It costs time.
    pub is_bottleneck: bool,
}

/// A form of a kernel.
#[derive(Debug, Serialize)]
pub struct Candidate {
    /// What it is.
    pub label: String,
    /// `NDRange` or `single work-item`.
    pub family: String,
    /// Seconds of all launches together.
    pub seconds: Range,
    /// What it takes of the device.
    pub area: Resources,
    /// The largest part of a resource that it takes, 1: all that the board's interface leaves.
    pub share: f64,
    /// Whether it fits.
    pub fits: bool,
    /// Its numbers are those of aoc's report.
    pub is_measured: bool,
    /// Where its time comes from: `model`, `aoc`, `corrected` by measured times of other forms, `measured`.
    pub origin: &'static str,
    /// Seconds that the model predicts, where its time comes from elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicted: Option<f64>,
    /// Why it is not kept though it is faster.
    pub why_not: Option<String>,
}

/// A number and the range in which the true one is expected.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Range {
    /// Most likely.
    pub value: f64,
    /// At least.
    pub low: f64,
    /// At most.
    pub high: f64,
}

impl From<Estimate> for Range {
    fn from(estimate: Estimate) -> Self {
        Range {
            value: estimate.value,
            low: estimate.low,
            high: estimate.high,
        }
    }
}

/// A version of a kernel at a launch.
#[derive(Debug, Serialize)]
pub struct Part {
    /// Its name.
    pub version: String,
    /// The launch; `None`: none is known.
    pub launch: Option<Position>,
    /// How often it is launched so, as far as is known.
    pub count: f64,
    /// `NDRange, SIMD width 4`
    pub form: String,
    /// Cycles of a launch.
    pub cycles: Range,
    /// The clock.
    pub clock_mhz: Range,
    /// Seconds of a launch.
    pub seconds: Range,
    /// Of which the memory is busy.
    pub memory_seconds: f64,
    /// Its loops in hardware.
    pub loops: Vec<Loop>,
    /// Its loops that are unrolled whole, which are none in hardware.
    pub unrolled: Vec<Unrolled>,
    /// Its accesses to memory.
    pub accesses: Vec<Access>,
    /// What is assumed.
    pub assumed: Vec<String>,
}

/// A loop that is unrolled whole.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unrolled {
    /// Its name: `for i`.
    pub name: String,
    /// Its line among the rewritten ones.
    pub rewritten_line: u32,
    /// Where it stands; `None`: fpgacc made it, or it is not known.
    pub position: Option<Position>,
    /// Whether fpgacc made it.
    pub is_made: bool,
}

/// A loop in hardware.
#[derive(Debug, Serialize)]
pub struct Loop {
    /// As in the source, `for i`, or as fpgacc names what it made.
    pub name: String,
    /// Its line among the rewritten ones, if it is known.
    pub rewritten_line: Option<u32>,
    /// Where it stands; `None`: fpgacc made it.
    pub position: Option<Position>,
    /// Loops around it.
    pub depth: usize,
    /// Iterations each time that it is entered.
    pub trips: f64,
    /// How that is known: `known`, `from the host`, `recorded`, `assumed`.
    pub trips_are: String,
    /// Copies of its body.
    pub unroll: u64,
    /// Cycles from the start of an iteration to the start of the next.
    pub ii: f64,
    /// Cycles from the start of an iteration to its end.
    pub latency: f64,
    /// `pipelined`, `serial`, `work-items`
    pub overlap: String,
    /// What sets the interval.
    pub limit: Option<String>,
}

/// An access to memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Access {
    /// Units that are the same: those of copies of a loop's body.
    pub count: u64,
    /// Where it stands.
    pub position: Option<Position>,
    /// The array.
    pub array: String,
    /// Whether it stores.
    pub is_store: bool,
    /// The unit that aoc builds for it.
    pub unit: String,
    /// Bytes of one access.
    pub bytes_wide: u64,
    /// Bytes to the next; `None`: it varies.
    pub stride: Option<i64>,
    /// The part of what is transferred that is used.
    pub efficiency: f64,
}

/// Something that was not done.
#[derive(Debug, PartialEq, Serialize)]
pub struct Remark {
    /// Which pass.
    pub pass: String,
    /// Where.
    pub position: Option<Position>,
    /// Why.
    pub text: String,
}

/// Something to change.
#[derive(Debug, PartialEq, Serialize)]
pub struct Hint {
    /// Where.
    pub position: Option<Position>,
    /// What costs time.
    pub what: String,
    /// What helps.
    pub remedy: String,
}
