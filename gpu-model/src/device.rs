//! GPUs and CPUs that run work-items side by side, as YAML files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_yaml::Value;

/// A device that runs the work-items of a group in warps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// Its short name, such as `h200`.
    pub name: String,
    /// Its full name.
    pub title: String,
    /// Where the numbers come from.
    pub sources: Vec<String>,
    /// Work-items that execute an instruction together: a warp of NVIDIA, a wavefront of AMD.
    pub warp: u32,
    /// The least that memory moves, in bytes.
    pub sector_bytes: u32,
    /// Banks of local memory; 0 where it has none of its own.
    pub local_banks: u32,
    /// The width of a bank, in bytes.
    pub local_bank_bytes: u32,
    /// Of its runtime: where hosts leave the local size open, groups are as long in the first dimension as divides the
    /// launch, up to this, and 1 in the others; `None`: not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_group: Option<u32>,
    /// What times of kernels follow from; `None`: only how lanes behave is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<Units>,
    /// The same, of a CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<Cores>,
    /// The same, of an FPGA.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<Pipeline>,
}

/// What a compiler makes of a kernel for an FPGA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pipeline {
    /// Its clock, in MHz.
    pub clock_mhz: f64,
    /// The most work-items that enter it in a cycle (`num_simd_work_items`).
    pub most_lanes: u32,
    /// Work-items of the largest group that it is made for.
    pub max_group_size: u32,
    /// Cycles between groups.
    pub group_cycles: f64,
    /// The least time of a launch, in microseconds.
    pub launch_us: f64,
}

/// The cores of a CPU, each of which runs one group after the other as a loop over its work-items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cores {
    /// Cores. [`Device::on_cores`] replaces it.
    pub count: u32,
    /// Their clock, in GHz.
    pub clock_ghz: f64,
    /// Bytes of the vectors that compilers choose.
    pub vector_bytes: u32,
    /// Work-items of the largest group.
    pub max_group_size: u32,
    /// Nanoseconds from one group's end to the next one's start on a core.
    pub start_ns: f64,
    /// Cycles that a row of work-items takes to begin.
    pub row_cycles: f64,
    /// Instructions up to which compilers unroll a loop of known length wholly.
    pub unrolled_instructions: f64,
    /// Iterations up to which they do so where that makes conditions known.
    pub unrolled_iterations: u32,
    /// Compilers make vectors only of loops in which steps that an argument gives are 1, and look at that in the
    /// program: other steps leave the work-items one by one.
    pub expects_unit_steps: bool,
    /// Operations for each work-item of a vector whose access is not beside its neighbour's.
    pub gather_operations: f64,
    /// Cycles of an operation.
    pub operation_cycles: f64,
    /// Operations of an instruction of a vector that is the same in all rows, where each row computes it again.
    pub repeated_operations: f64,
    /// Bytes of a line of the caches.
    pub line_bytes: u32,
    /// Cycles until a line comes from the second cache.
    pub line_cycles: f64,
    /// Nanoseconds until the lines of a row follow each other again, for each buffer, where a group goes on in another row
    /// and the second cache does not hold the buffers; if it is left out, none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_wait_ns: Option<f64>,
    /// Instructions that a core has under way at a time, of which some wait for others; if it is left out, one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// The sets of a core's first cache, and the lines of each; if it is left out, all lines are found again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_cache: Option<[u32; 2]>,
    /// Bytes that stay in the caches from one launch to the next.
    pub cache_bytes: u64,
    /// What the memory moves, in GB/s.
    pub memory_gb_per_s: f64,
    /// The least time of a launch, in microseconds.
    pub launch_us: f64,
}

impl Device {
    /// The device with so many cores, which its title then says; without a change if it has none.
    #[must_use]
    pub fn on_cores(mut self, count: u32) -> Self {
        let Some(cores) = &mut self.cores else {
            return self;
        };
        cores.count = count;
        self.title = format!("{}, {count} cores", self.title);
        self
    }

    /// Whether times of kernels follow from what is known.
    pub fn has_times(&self) -> bool {
        self.max_group_size().is_some()
    }

    /// The largest group that is worth a thought; `None`: nothing is known of times.
    pub fn max_group_size(&self) -> Option<u32> {
        let units = self.units.as_ref().map(|units| units.max_group_size);
        let cores = self.cores.as_ref().map(|cores| cores.max_group_size);
        let pipeline = self
            .pipeline
            .as_ref()
            .map(|pipeline| pipeline.max_group_size);
        units.or(cores).or(pipeline)
    }

    /// What units, warps and sectors are called on it: of each kind a word.
    pub fn description(&self) -> [&'static str; 3] {
        match (&self.units, &self.cores) {
            (Some(_), _) => ["units", "warps", "sectors"],
            (None, Some(_)) => ["cores", "lanes", "lines"],
            (None, None) => ["units", "lanes", "lines"],
        }
    }
}

/// The units of a device that run groups, and the memory that they share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Units {
    /// Compute units.
    pub count: u32,
    /// Their clock, in GHz.
    pub clock_ghz: f64,
    /// Instructions of warps that a unit starts in a cycle.
    pub issue: f64,
    /// Warps that a unit holds at a time.
    pub max_warps: u32,
    /// Groups that a unit holds at a time.
    pub max_groups: u32,
    /// Registers of a unit, of 32 bits.
    pub registers: u32,
    /// Work-items of the largest group that a kernel is compiled for which says nothing of its groups.
    pub max_group_size: u32,
    /// Nanoseconds between the starts of two groups on the whole device.
    pub group_start_ns: f64,
    /// Cycles from a group's start to its end beside those of its work-items.
    pub group_cycles: f64,
    /// Bytes of a unit's cache.
    pub cache_bytes: u64,
    /// Bytes of its cache's lines.
    pub line_bytes: u32,
    /// Cycles in which the cache is busy with an access of a warp, however little it touches.
    pub access_cycles: f64,
    /// Lines that the cache looks up in a cycle.
    pub lines_per_cycle: f64,
    /// Cycles that a warp waits for each line of an access; if it is left out, those of a look-up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_wait_cycles: Option<f64>,
    /// Bytes that the cache moves in a cycle.
    pub cache_bytes_per_cycle: f64,
    /// Sectors that a unit gets from the shared cache in a cycle.
    pub sectors_per_cycle: f64,
    /// Cycles that the shared cache takes for a write of a part of a sector, before the next one to the same sector; if
    /// it is left out, none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sector_write_cycles: Option<f64>,
    /// Cycles until an operation's result can be used.
    pub operation_cycles: f64,
    /// Cycles of a read that the unit's cache answers.
    pub hit_cycles: f64,
    /// Cycles of a read that the shared cache or the memory answers.
    pub miss_cycles: f64,
    /// What the shared cache moves, in GB/s.
    pub shared_gb_per_s: f64,
    /// What the memory moves, in GB/s.
    pub memory_gb_per_s: f64,
    /// The least time of a launch, in microseconds.
    pub launch_us: f64,
}

/// The devices that are built in: their names and files.
const BUILT_IN: [(&str, &str); 7] = [
    ("warp32", include_str!("../devices/warp32.yaml")),
    ("wave64", include_str!("../devices/wave64.yaml")),
    ("h100", include_str!("../devices/h100.yaml")),
    ("h200", include_str!("../devices/h200.yaml")),
    ("fpga", include_str!("../devices/fpga.yaml")),
    ("pocl", include_str!("../devices/pocl.yaml")),
    ("pocl-zen4", include_str!("../devices/pocl-zen4.yaml")),
];

/// Why a device file was not taken.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// No built-in device has this name.
    #[error("no device is called '{0}': there are {1}")]
    Unknown(String, String),
    /// The file is not a device.
    #[error("{0}")]
    Malformed(#[from] serde_yaml::Error),
    /// What the file extends is not built in.
    #[error("{EXTENDS}: {0}")]
    Base(Box<DeviceError>),
}

/// The key of a device file that names the built-in device whose entries it takes over, but for those that it states.
const EXTENDS: &str = "extends";

impl Device {
    /// Reads a device file.
    ///
    /// # Errors
    ///
    /// What is wrong with it, with line and column if it extends no other.
    pub fn parse(yaml: &str) -> Result<Self, DeviceError> {
        let stated: Value = serde_yaml::from_str(yaml)?;
        match stated.get(EXTENDS).and_then(Value::as_str) {
            None => Ok(serde_yaml::from_str(yaml)?),
            Some(base) => Self::extended(base, &stated),
        }
    }

    fn extended(base: &str, stated: &Value) -> Result<Self, DeviceError> {
        let base = Self::file(base).map_err(|error| DeviceError::Base(Box::new(error)))?;
        let mut whole = serde_yaml::from_str(base)?;
        overlay(&mut whole, stated);
        if let Some(entries) = whole.as_mapping_mut() {
            entries.remove(EXTENDS);
        }
        Ok(serde_yaml::from_value(whole)?)
    }

    /// The names of the built-in devices.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// A built-in device.
    ///
    /// # Errors
    ///
    /// No device has this name.
    pub fn named(name: &str) -> Result<Self, DeviceError> {
        Self::parse(Self::file(name)?)
    }

    fn file(name: &str) -> Result<&'static str, DeviceError> {
        let built_in = BUILT_IN.iter().find(|(built_in, _)| *built_in == name);
        built_in.map(|(_, yaml)| *yaml).ok_or_else(|| {
            let names: Vec<&str> = Self::names().collect();
            DeviceError::Unknown(name.to_owned(), names.join(", "))
        })
    }
}

/// Puts what is stated in place of what was there, entry by entry of mappings.
fn overlay(whole: &mut Value, stated: &Value) {
    match (whole, stated) {
        (Value::Mapping(whole), Value::Mapping(stated)) => {
            for (key, value) in stated {
                overlay(whole.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (whole, stated) => *whole = stated.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::Device;

    #[test]
    fn built_in_devices_have_the_names_of_their_files() {
        for name in Device::names() {
            assert_eq!(Device::named(name).expect("a device").name, name);
        }
    }

    #[test]
    fn a_file_takes_over_what_it_extends_but_for_what_it_states() {
        let file = "name: mine\nextends: pocl\ncores: {count: 12}\n";
        let [mine, pocl] =
            [Device::parse(file), Device::named("pocl")].map(|d| d.expect("a device"));
        assert_eq!((mine.name.as_str(), &mine.sources), ("mine", &pocl.sources));
        let (mine, mut pocl) = (mine.cores.expect("cores"), pocl.cores.expect("cores"));
        assert_ne!(mine, pocl);
        pocl.count = 12;
        assert_eq!(mine, pocl);
    }

    #[test]
    fn what_a_file_extends_has_to_be_there_and_what_it_states_to_be_known() {
        let error = |file: &str| Device::parse(file).expect_err("malformed").to_string();
        assert!(
            error("extends: h20\n").starts_with("extends: no device is called 'h20': there are")
        );
        let unknown = error("extends: h200\nunits: {registrs: 1}\n");
        assert!(unknown.contains("unknown field `registrs`"), "{unknown}");
    }

    #[test]
    fn only_a_device_with_cores_gets_another_number_of_them() {
        let [pocl, h200] = ["pocl", "h200"].map(|name| Device::named(name).expect("a device"));
        let more = pocl.clone().on_cores(7);
        assert_eq!(more.title, "PoCL on a CPU with AVX-512, 7 cores");
        assert_eq!(more.cores.expect("cores").count, 7);
        assert_eq!(h200.clone().on_cores(7), h200);
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let error = Device::named("h20").expect_err("no such device");
        assert_eq!(
            error.to_string(),
            "no device is called 'h20': there are warp32, wave64, h100, h200, fpga, pocl, pocl-zen4"
        );
    }
}
