//! Boards and the operators of their device families, as YAML files.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::compiler::{Compiler, CompilerRef, Version};

/// An FPGA board: its device, memory and the operators that aoc builds on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Its short name, such as `de5a-net`.
    pub name: String,
    /// Its full name.
    pub title: String,
    /// Where the numbers come from.
    pub sources: Vec<String>,
    /// The device family: `stratix5`, `arria10`, `stratix10`, or one defined here.
    pub family: FamilyRef,
    /// The names by which `aoc -list-boards` knows it.
    #[serde(default)]
    pub aoc_names: Vec<String>,
    /// All of the device.
    pub device: Resources,
    /// What the board's interface takes of it.
    pub interface: Resources,
    /// The clock of kernels.
    pub clock: Clock,
    /// External memory.
    pub memory: Memory,
    /// From a launch to the end of a kernel that does nothing.
    pub launch_microseconds: f64,
    /// What moves between host and board in a second.
    pub host_gigabytes_per_second: f64,
    /// The version of aoc that its kernels are built with where no aoc says its own, such as "18.1"; or all that its
    /// compiler does.
    #[serde(default)]
    pub compiler: CompilerRef,
    /// Fields of older board files that [`Compiler`] has now. They still say what they said.
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    overlaps_uneven_loops: Option<bool>,
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    unrolls_small_loops: Option<bool>,
}

/// A built-in family by name, or a family of one's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FamilyRef {
    /// A built-in one.
    Named(String),
    /// All its numbers.
    Own(Box<Family>),
}

/// A device family.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// Its name.
    pub name: String,
    /// Whether a float accumulator that starts at 0 takes one cycle.
    pub single_cycle_float_accumulator: bool,
    /// Arithmetic.
    pub operators: Operators,
    /// Loads and stores.
    pub memory_units: MemoryUnits,
    /// What every kernel takes besides its operators.
    pub kernel_overhead: Resources,
}

/// A number of each kind of resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resources {
    /// Look-up tables.
    #[serde(default)]
    pub alut: f64,
    /// Registers.
    #[serde(default)]
    pub ff: f64,
    /// Memory blocks (M20K).
    #[serde(default)]
    pub ram: f64,
    /// Multiplier blocks.
    #[serde(default)]
    pub dsp: f64,
}

impl Resources {
    /// The sum of this and `times` another.
    pub fn plus(self, other: Resources, times: f64) -> Self {
        Resources {
            alut: self.alut + other.alut * times,
            ff: self.ff + other.ff * times,
            ram: self.ram + other.ram * times,
            dsp: self.dsp + other.dsp * times,
        }
    }
}

/// An operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Operator {
    /// Cycles from operands to result.
    pub latency: f64,
    /// Look-up tables.
    #[serde(default)]
    pub alut: f64,
    /// Registers.
    #[serde(default)]
    pub ff: f64,
    /// Memory blocks (M20K).
    #[serde(default)]
    pub ram: f64,
    /// Multiplier blocks.
    #[serde(default)]
    pub dsp: f64,
}

impl Operator {
    /// What it takes.
    pub fn resources(self) -> Resources {
        Resources {
            alut: self.alut,
            ff: self.ff,
            ram: self.ram,
            dsp: self.dsp,
        }
    }
}

/// The operators of a family. 32 bits wide where not said otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Operators {
    pub float_add: Operator,
    pub float_multiply: Operator,
    pub float_divide: Operator,
    pub float_compare: Operator,
    pub float_sqrt: Operator,
    pub float_exp: Operator,
    pub float_trigonometry: Operator,
    pub double_add: Operator,
    pub double_multiply: Operator,
    pub double_divide: Operator,
    pub double_compare: Operator,
    pub double_function: Operator,
    pub convert: Operator,
    pub int_add: Operator,
    pub int_multiply: Operator,
    pub int_divide: Operator,
    pub int_compare: Operator,
    pub int_logic: Operator,
    pub int_shift: Operator,
    pub select: Operator,
    pub float_accumulator: Operator,
    pub channel: Operator,
}

fn one() -> f64 {
    1.0
}

/// Units that access memory: latencies in cycles, and areas.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryUnits {
    /// A burst-coalesced load from external memory.
    pub load_latency: f64,
    /// A store to external memory of which nothing waits for the end.
    pub store_latency: f64,
    /// A store that something waits for.
    pub store_acknowledge: f64,
    /// A prefetching load.
    pub prefetch_latency: f64,
    /// A load that the unit's cache holds.
    #[serde(default = "cached_latency")]
    pub cached_latency: f64,
    /// A load through the constant cache.
    pub constant_latency: f64,
    /// A load from on-chip memory.
    pub local_load_latency: f64,
    /// A store to on-chip memory.
    pub local_store_latency: f64,
    /// An atomic operation on external memory.
    pub atomic_latency: f64,
    /// An atomic operation on on-chip memory.
    pub local_atomic_latency: f64,
    /// A read and a write, in turn, of one element of on-chip memory of which no copies are made.
    pub forwarded_latency: f64,
    /// What an access to on-chip memory waits for its turn, where there are more than ports.
    pub arbitration_wait: f64,
    /// From an atomic operation on on-chip memory to the next.
    pub local_atomic_interval: f64,
    /// Work-groups that a compute unit holds at once, a number.
    pub groups_in_flight: f64,
    /// A burst-coalesced load of 4 bytes.
    pub burst_load: Resources,
    /// For each byte more.
    pub burst_load_per_byte: Resources,
    /// A burst-coalesced load with a cache.
    pub cached_load: Resources,
    /// A prefetching load.
    pub prefetching_load: Resources,
    /// A load through the constant cache.
    pub constant_load: Resources,
    /// A burst-coalesced store of 4 bytes.
    pub burst_store: Resources,
    /// For each byte more.
    pub burst_store_per_byte: Resources,
    /// An atomic unit.
    pub atomic: Resources,
    /// A load from on-chip memory.
    pub local_load: Resources,
    /// A store to on-chip memory.
    pub local_store: Resources,
}

/// Where a family says nothing else: that of the constant cache. Chains of loads that hit take about as long, 36 and 34 ns a
/// link on a DE5-Net (`benchmarks/model/blind.yaml`, latency), 10 cycles at 280 MHz.
fn cached_latency() -> f64 {
    9.0
}

/// The clock of kernels on a board.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    /// Of kernels of middling size, in MHz.
    pub typical_mhz: f64,
    /// Of a kernel that does nothing, in MHz.
    pub highest_mhz: f64,
    /// What lowers it; `fall` in older files.
    #[serde(alias = "fall")]
    pub penalties: ClockPenalties,
}

/// What each thing that makes wires longer takes off the logarithm of the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClockPenalties {
    /// Any logic at all.
    pub any_logic: f64,
    /// All look-up tables of the device.
    pub logic: f64,
    /// All memory blocks of the device.
    pub ram: f64,
    /// Barriers in loops that do not run equally often for all work-items.
    pub divergent: f64,
    /// Each doubling of the widest on-chip access beyond 64 bytes.
    pub wide: f64,
    /// Each factor of e in the blocks that the largest on-chip array spans.
    pub deep: f64,
    /// Each factor of e in the units that store to one on-chip array: from two on they take turns.
    #[serde(default)]
    pub stores: f64,
    /// Each factor of e in the units that share the way to external memory.
    #[serde(default)]
    pub units: f64,
    /// Each factor of e in the loops, of which the slowest sets the clock, and one.
    #[serde(default)]
    pub loops: f64,
}

impl ClockPenalties {
    /// How many there are.
    pub const COUNT: usize = 9;
    /// Their names.
    pub const NAMES: [&str; Self::COUNT] = [
        "any_logic",
        "logic",
        "ram",
        "divergent",
        "wide",
        "deep",
        "stores",
        "units",
        "loops",
    ];

    /// In the order of their names.
    pub fn slopes(&self) -> [f64; Self::COUNT] {
        [
            self.any_logic,
            self.logic,
            self.ram,
            self.divergent,
            self.wide,
            self.deep,
            self.stores,
            self.units,
            self.loops,
        ]
    }

    /// Of slopes in the order of their names.
    pub fn of(slopes: [f64; Self::COUNT]) -> Self {
        let [
            any_logic,
            logic,
            ram,
            divergent,
            wide,
            deep,
            stores,
            units,
            loops,
        ] = slopes;
        ClockPenalties {
            any_logic,
            logic,
            ram,
            divergent,
            wide,
            deep,
            stores,
            units,
            loops,
        }
    }
}

/// External memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// It is the host's, which opens rows for others, too.
    #[serde(default)]
    pub through_host: bool,
    /// Independent banks; aoc interleaves buffers over them.
    pub banks: u64,
    /// The peak of one bank.
    pub bank_gigabytes_per_second: f64,
    /// The part of the peak that streams reach.
    pub efficiency: f64,
    /// Bytes of one word of the memory interface.
    pub width_bytes: u64,
    /// The most words in a burst.
    pub burst_words: u64,
    /// tRCD + tRP: what opening another row takes.
    pub row_miss_ns: f64,
    /// How long a unit waits for neighbours of an access before it asks the memory, where the next
    /// access waits for this one.
    pub coalescing_wait_ns: f64,
    /// What a load takes where something waits for it, beside that; left out: what aoc schedules for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_ns: Option<f64>,
    /// The same for a store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_ns: Option<f64>,
    /// Measured times of scattered words over those that follow from the timing: [`Memory::scattered_word_ns`].
    #[serde(default = "one")]
    pub scattered_factor: f64,
    /// The same for words where work-items take turns: [`Memory::interleaved_word_ns`].
    #[serde(default = "one")]
    pub interleaved_factor: f64,
    /// The same for atomic operations: [`Memory::atomic_ns`].
    #[serde(default = "one")]
    pub atomic_factor: f64,
    /// tWR: what a write takes before its row can be closed.
    pub write_recovery_ns: f64,
    /// Rows that are open at a time, for each bus: one in each bank of its chips.
    #[serde(default = "open_rows")]
    pub open_rows: u64,
    /// Bytes that a cached unit keeps.
    pub cache_bytes: f64,
}

/// Rows that a bank opens at a time, in the window of tFAW: four, by that timing's name (JEDEC, DDR3 and DDR4).
const ROWS_AT_ONCE: f64 = 4.0;

/// Rows that a memory has open at a time, for each of its buses: one in each bank of its chips, of which DDR4 has 16,
/// and DDR3 8 in each of two ranks (JEDEC).
fn open_rows() -> u64 {
    16
}

/// Words in a row: a bus of 64 bits has eight chips of 1 KB (JEDEC), and moves a word in eight transfers; one of 32 bits has
/// half of both.
const ROW_WORDS: u64 = 128;

impl Memory {
    /// The peak of all banks, in bytes per second.
    pub fn peak_bandwidth(&self) -> f64 {
        self.banks as f64 * self.bank_gigabytes_per_second * 1e9
    }

    /// Of a buffer so small that all of its rows stay open, so that words at random cost no more than others: the part of
    /// the banks that it is in. Banks take turns by bursts.
    pub fn open_banks(&self, bytes: u64) -> Option<f64> {
        let bursts = bytes.div_ceil(self.burst_bytes()).max(1);
        let is_open = bytes <= self.banks * self.open_rows * self.row_bytes();
        (is_open && !self.through_host).then(|| bursts.min(self.banks) as f64 / self.banks as f64)
    }

    /// Bytes of a row of a bus.
    fn row_bytes(&self) -> u64 {
        ROW_WORDS * self.width_bytes
    }

    /// The banks, of all chips, that words at a distance from each other go to in turn, of addresses whose rows take turns on
    /// the banks; `None`: all, or of a memory that others use, too.
    pub fn banks_in_turn(&self, stride: u128) -> Option<f64> {
        let rows = u128::from(self.row_bytes() * self.banks);
        let is_even = stride > 0 && stride.is_multiple_of(rows) && !self.through_host;
        let step = u64::try_from(stride / rows).ok().filter(|_| is_even)?;
        let shared = (1..=self.open_rows).rev();
        let shared = shared
            .into_iter()
            .find(|by| step.is_multiple_of(*by) && self.open_rows.is_multiple_of(*by));
        Some((self.open_rows / shared.unwrap_or(1)) as f64)
    }

    /// What a bank takes to open a row, move a word of it and close it again: tRP + tRCD + tCL, which are alike (JEDEC), the
    /// word, and the time that a write takes.
    pub fn row_cycle_ns(&self) -> f64 {
        1.5 * self.row_miss_ns + self.banks as f64 * self.word_ns() + self.write_recovery_ns
    }

    /// Bytes of the longest burst.
    pub fn burst_bytes(&self) -> u64 {
        self.burst_words * self.width_bytes
    }

    /// From one row that is opened to the next, in whatever bank.
    pub fn row_ns(&self) -> f64 {
        self.row_miss_ns / (ROWS_AT_ONCE * self.banks as f64)
    }

    /// What a word at a far or random address takes, many of them at once: each opens a row.
    pub fn scattered_word_ns(&self) -> f64 {
        self.row_ns() * self.scattered_factor
    }

    /// What a word takes in a loop of an NDRange kernel without barriers, where work-items come by in
    /// short runs: a row and the word itself.
    pub fn interleaved_word_ns(&self) -> f64 {
        (self.row_ns() + self.word_ns()) * self.interleaved_factor
    }

    /// What an access through the constant cache takes that it does not hold, one after another: a row and the word. This cache
    /// has nothing that hides latencies (Best Practices Guide, section 8.3.1). Measured on a DE1-SoC: 30.6 ns for 4 bytes
    /// and 28.9 ns for 16 (`benchmarks/model/blind.yaml`, SLR).
    pub fn constant_miss_ns(&self) -> f64 {
        self.row_miss_ns + self.word_ns()
    }

    /// What a word takes at the memory's peak.
    fn word_ns(&self) -> f64 {
        self.width_bytes as f64 / self.peak_bandwidth() * 1e9
    }

    /// What an atomic operation takes: 2 tRCD + 2 tRP + tWR (Davila-Guzman et al., "Analytical model of
    /// memory-bound applications compiled with high level synthesis", FCCM 2020).
    pub fn atomic_ns(&self) -> f64 {
        (2.0 * self.row_miss_ns + self.write_recovery_ns) * self.atomic_factor
    }
}

/// What is wrong with a board file.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    /// It is no YAML, or a field is missing, misspelt or of another type.
    #[error("{0}")]
    Yaml(#[from] serde_yaml::Error),
    /// No family has this name.
    #[error("no device family has the name '{0}' (known are {known})", known = family_names())]
    UnknownFamily(String),
    /// Other latencies are those of an operator that there is not.
    #[error("no operator has the name '{0}'")]
    NoOperator(String),
    /// A number makes no sense.
    #[error("{0} must be greater than 0")]
    NotPositive(&'static str),
    /// Another one.
    #[error("{0} must not be negative")]
    Negative(&'static str),
}

/// What `unrolls_small_loops` meant: what this version does.
const UNROLLS: Version = Version {
    major: 14,
    minor: 1,
};

const FAMILIES: &[(&str, &str)] = &[
    ("cyclone5", include_str!("../boards/families/cyclone5.yaml")),
    ("stratix5", include_str!("../boards/families/stratix5.yaml")),
    ("arria10", include_str!("../boards/families/arria10.yaml")),
    (
        "stratix10",
        include_str!("../boards/families/stratix10.yaml"),
    ),
];

const BOARDS: &[(&str, &str)] = &[
    ("de5-net", include_str!("../boards/de5-net.yaml")),
    ("de5a-net", include_str!("../boards/de5a-net.yaml")),
    ("385a", include_str!("../boards/385a.yaml")),
    ("pac-a10", include_str!("../boards/pac-a10.yaml")),
    ("520n", include_str!("../boards/520n.yaml")),
    ("pac-d5005", include_str!("../boards/pac-d5005.yaml")),
    ("s5phq", include_str!("../boards/s5phq.yaml")),
    ("s5phq-d8", include_str!("../boards/s5phq-d8.yaml")),
    ("harp-a10", include_str!("../boards/harp-a10.yaml")),
    ("s10gx", include_str!("../boards/s10gx.yaml")),
    ("s10mx", include_str!("../boards/s10mx.yaml")),
    ("c5soc", include_str!("../boards/c5soc.yaml")),
    ("c5gt", include_str!("../boards/c5gt.yaml")),
];

fn family_names() -> String {
    let names: Vec<&str> = FAMILIES.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

impl Board {
    /// The names of the built-in boards.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BOARDS.iter().map(|(name, _)| *name)
    }

    /// The built-in board with this name, or the one that `aoc -list-boards` calls so. aoc's names may
    /// have a part in front or after, such as `bsp:p385a_sch_ax115`.
    pub fn named(name: &str) -> Option<Self> {
        let wanted = normal(name);
        let boards = BOARDS
            .iter()
            .map(|(_, text)| Board::from_yaml(text).expect("the built-in boards are tested"));
        let mut boards: Vec<Board> = boards.collect();
        let exact = boards.iter().position(|board| {
            let names = board.aoc_names.iter().chain([&board.name]);
            names.map(|name| normal(name)).any(|name| name == wanted)
        });
        let within = || {
            boards.iter().position(|board| {
                let mut names = board.aoc_names.iter().map(|name| normal(name));
                names.any(|name| wanted.contains(&name))
            })
        };
        let at = exact.or_else(within)?;
        Some(boards.swap_remove(at))
    }

    /// Reads a board file.
    ///
    /// # Errors
    /// It is no YAML of this schema, or names a family that does not exist.
    pub fn from_yaml(text: &str) -> Result<Self, BoardError> {
        let mut board: Board = serde_yaml::from_str(text)?;
        if let FamilyRef::Named(name) = &board.family {
            let known = FAMILIES.iter().find(|(known, _)| known == name);
            let (_, text) = known.ok_or_else(|| BoardError::UnknownFamily(name.clone()))?;
            board.family = FamilyRef::Own(serde_yaml::from_str(text)?);
        }
        board.move_fields();
        board.check()?;
        Ok(board)
    }

    /// Fields of its file that have moved to its `compiler`, and what to write there.
    pub fn moved_fields(&self) -> impl Iterator<Item = (&'static str, String)> {
        let compiler = self.compiler();
        let overlaps = compiler.overlaps_variable_trip_counts;
        let unrolls = compiler.unrolls_instructions;
        let named = [
            (
                self.overlaps_uneven_loops,
                "overlaps_uneven_loops",
                format!("overlaps_variable_trip_counts: {overlaps}"),
            ),
            (
                self.unrolls_small_loops,
                "unrolls_small_loops",
                format!("unrolls_instructions: {unrolls}"),
            ),
        ];
        let there = named.into_iter().filter(|(value, ..)| value.is_some());
        there.map(|(_, old, new)| (old, new))
    }

    /// What its compiler does.
    pub fn compiler(&self) -> &Compiler {
        self.compiler.get()
    }

    /// The board where this version of aoc builds, unless its file says all that the compiler does.
    pub fn built_with(mut self, version: Version) -> Self {
        if let CompilerRef::Version(of_board) = &mut self.compiler {
            *of_board = version;
        }
        self
    }

    /// The JSON schema of board files.
    pub fn schema() -> schemars::Schema {
        schemars::schema_for!(Board)
    }

    /// The same with other latencies of some operators.
    ///
    /// # Errors
    /// There is no such operator.
    pub fn with_latencies(mut self, latencies: &BTreeMap<String, f64>) -> Result<Self, BoardError> {
        let mut family = serde_yaml::to_value(self.family())?;
        for (name, latency) in latencies {
            let operator = family["operators"].get_mut(name.as_str());
            let operator = operator.ok_or_else(|| BoardError::NoOperator(name.clone()))?;
            operator["latency"] = (*latency).into();
        }
        self.family = FamilyRef::Own(serde_yaml::from_value(family)?);
        Ok(self)
    }

    /// The device family.
    pub fn family(&self) -> &Family {
        match &self.family {
            FamilyRef::Own(family) => family,
            FamilyRef::Named(_) => unreachable!("from_yaml looks families up"),
        }
    }

    fn check(&self) -> Result<(), BoardError> {
        let positive = [
            ("device.alut", self.device.alut),
            ("device.ff", self.device.ff),
            ("device.ram", self.device.ram),
            ("device.dsp", self.device.dsp),
            ("clock.typical_mhz", self.clock.typical_mhz),
            ("clock.highest_mhz", self.clock.highest_mhz),
            ("memory.banks", self.memory.banks as f64),
            (
                "memory.bank_gigabytes_per_second",
                self.memory.bank_gigabytes_per_second,
            ),
            ("memory.efficiency", self.memory.efficiency),
            ("memory.width_bytes", self.memory.width_bytes as f64),
            ("memory.burst_words", self.memory.burst_words as f64),
        ];
        match positive
            .into_iter()
            .find(|(_, value)| *value <= 0.0 || value.is_nan())
        {
            Some((name, _)) => Err(BoardError::NotPositive(name)),
            None if self.compiler().speculated_iterations < 0.0 => {
                Err(BoardError::Negative("compiler.speculated_iterations"))
            }
            None => Ok(()),
        }
    }

    /// Gives the compiler what older fields say of it.
    fn move_fields(&mut self) {
        if self.moved_fields().next().is_none() {
            return;
        }
        let mut own = *self.compiler();
        if let Some(overlaps) = self.overlaps_uneven_loops {
            own.overlaps_variable_trip_counts = overlaps;
        }
        if let Some(unrolls) = self.unrolls_small_loops {
            own.unrolls_instructions = match unrolls {
                true => Compiler::of(UNROLLS).unrolls_instructions,
                false => 0,
            };
        }
        self.compiler = CompilerRef::Own(own);
    }
}

/// A name without case, `-` and `_`.
fn normal(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_boards_are_read_and_known_by_their_names() {
        for &(name, text) in BOARDS {
            let board = Board::from_yaml(text).unwrap();
            assert_eq!(board.name, name);
            assert_eq!(Board::named(name), Some(board.clone()));
            for aoc in &board.aoc_names {
                assert_eq!(Board::named(aoc), Some(board.clone()), "{aoc}");
            }
        }
        assert_eq!(Board::named("bsp:p385a_sch_ax115").unwrap().name, "385a");
        assert_eq!(Board::named("DE5A-NET").unwrap().name, "de5a-net");
        assert_eq!(Board::named("zc706"), None);
    }

    /// Lines with a number that has no source: neither the line itself nor those right before it begin with a comment.
    fn without_source(text: &str) -> Vec<&str> {
        let mut covered = false;
        let mut bare = Vec::new();
        for line in text.lines() {
            let (value, comment) = line.split_once('#').unwrap_or((line, ""));
            if value.trim().is_empty() {
                covered = !comment.is_empty();
                continue;
            }
            let (key, value) = value.split_once(':').unwrap_or_default();
            let names =
                ["name", "title", "family", "aoc_names"].contains(&key) || key.contains('-');
            let is_number = !names && value.contains(|c: char| c.is_ascii_digit());
            covered &= is_number && comment.is_empty();
            if is_number && comment.is_empty() && !covered {
                bare.push(line);
            }
        }
        bare
    }

    #[test]
    fn each_number_has_a_source_beside_it() {
        assert_eq!(
            without_source("# a\nx: 1\ny: 2\nz: 3  # b\nv: 4\nm:\n  w: 5"),
            ["v: 4", "  w: 5"]
        );
        let compilers = include_str!("../compilers.yaml");
        let files = BOARDS.iter().chain(FAMILIES).map(|(_, text)| *text);
        for text in files.chain([compilers]) {
            assert_eq!(without_source(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn faults_of_board_files_are_named() {
        let text = BOARDS[1].1;
        let unknown = Board::from_yaml(&text.replace("family: arria10", "family: arria11"));
        assert_eq!(
            unknown.unwrap_err().to_string(),
            "no device family has the name 'arria11' (known are cyclone5, stratix5, arria10, stratix10)"
        );
        let zero = Board::from_yaml(&text.replace("banks: 2", "banks: 0"));
        assert_eq!(
            zero.unwrap_err().to_string(),
            "memory.banks must be greater than 0"
        );
        let misspelt = Board::from_yaml(&text.replace("banks:", "bancs:"));
        assert!(misspelt.unwrap_err().to_string().contains("bancs"));
        let no_field = Board::from_yaml(&format!("{text}\nunrols: true\n"));
        assert!(no_field.unwrap_err().to_string().contains("unrols"));
    }

    #[test]
    fn the_compiler_is_that_of_the_aoc_that_builds_unless_the_file_describes_it() {
        let text = BOARDS[1].1;
        assert!(text.contains("compiler: \"16.1\""));
        let version = Version {
            major: 19,
            minor: 1,
        };
        let board = Board::from_yaml(text).unwrap();
        assert_eq!(board.compiler().unrolls_instructions, 140);
        let other = board.built_with(version);
        assert_eq!(other.compiler().unrolls_instructions, 0);
        let own = "{unrolls_instructions: 8, overlaps_variable_trip_counts: true, speculated_iterations: 0}";
        let own = text.replace("compiler: \"16.1\"", &format!("compiler: {own}"));
        let board = Board::from_yaml(&own).unwrap().built_with(version);
        assert_eq!(board.compiler().unrolls_instructions, 8);
        let negative = own.replace("iterations: 0", "iterations: -1");
        assert_eq!(
            Board::from_yaml(&negative).unwrap_err().to_string(),
            "compiler.speculated_iterations must not be negative"
        );
    }

    #[test]
    fn fields_that_have_moved_still_say_what_they_said() {
        let text = BOARDS[1].1.replace("compiler: \"16.1\"", "");
        let board = Board::from_yaml(&text).unwrap();
        assert_eq!(board.compiler, CompilerRef::default());
        assert_eq!(board.moved_fields().count(), 0);
        let text = text.replace("penalties:", "fall:");
        let old = format!("{text}\nunrolls_small_loops: true\noverlaps_uneven_loops: true\n");
        let board = Board::from_yaml(&old).unwrap();
        assert_eq!(board.compiler().unrolls_instructions, 140);
        assert!(board.compiler().overlaps_variable_trip_counts);
        let moved: Vec<_> = board.moved_fields().collect();
        assert_eq!(moved[1].0, "unrolls_small_loops");
        assert_eq!(moved[1].1, "unrolls_instructions: 140");
    }
}
