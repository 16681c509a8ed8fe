//! GPUs and CPUs that run work-items side by side, as YAML files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
}

/// The devices that are built in: their names and files.
const BUILT_IN: [(&str, &str); 3] = [
    ("warp32", include_str!("../devices/warp32.yaml")),
    ("wave64", include_str!("../devices/wave64.yaml")),
    ("h200", include_str!("../devices/h200.yaml")),
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
}

impl Device {
    /// Reads a device file.
    ///
    /// # Errors
    ///
    /// What is wrong with it, with line and column.
    pub fn parse(yaml: &str) -> Result<Self, DeviceError> {
        Ok(serde_yaml::from_str(yaml)?)
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
        match BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
            Some((_, yaml)) => Self::parse(yaml),
            None => {
                let names: Vec<&str> = Self::names().collect();
                Err(DeviceError::Unknown(name.to_owned(), names.join(", ")))
            }
        }
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
    fn an_unknown_name_lists_the_known_ones() {
        let error = Device::named("h20").expect_err("no such device");
        assert_eq!(
            error.to_string(),
            "no device is called 'h20': there are warp32, wave64, h200"
        );
    }
}
