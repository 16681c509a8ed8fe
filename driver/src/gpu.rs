//! The GPU or CPU that a command is asked about.

use std::path::Path;
use std::thread;

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_gpu_model::device::{Device, DeviceError};

use crate::nearly::did_you_mean;
use crate::session::{Session, Step};

/// The device that is named, of whose times something is known.
pub fn timed(session: &mut Session, name: &str) -> Step<Device> {
    let device = device(session, name, &[])?;
    if device.has_times() {
        return Ok(device);
    }
    let error = Diagnostic::error(format!(
        "the device '{}' has no units: nothing is known of its times",
        device.name
    ));
    session.fail(error.help("there are h100, h200, pocl and fpga; a file (.yaml) describes others"))
}

/// The device that is named, or that a file describes. `others`: names of what else might be meant.
pub fn device(session: &mut Session, name: &str, others: &[&str]) -> Step<Device> {
    if !name.ends_with(".yaml") && !name.ends_with(".yml") {
        return match Device::named(name) {
            Ok(device) => Ok(here(device)),
            Err(DeviceError::Unknown(name, known)) => {
                let error = Diagnostic::error(format!("nothing is known of the device '{name}'"));
                let mut help = format!("there are {known}; a file (.yaml) describes others");
                if !others.is_empty() {
                    help = format!(
                        "there are {known}, and the boards {}; a file (.yaml) describes others",
                        others.join(", ")
                    );
                }
                let known = known.split(", ").chain(others.iter().copied());
                session.fail(did_you_mean(error, &name, known).help(help))
            }
            Err(error) => session.check(Err(error.to_string())),
        };
    }
    let path = Path::new(name);
    let bytes = session.read(path)?;
    let parsed = Device::parse(&String::from_utf8_lossy(&bytes));
    session.check(parsed.map_err(|error| format!("{name}: {error}")))
}

/// A processor that is meant by its name is that of this machine: a program of an emulator runs where it is built.
fn here(device: Device) -> Device {
    match thread::available_parallelism() {
        Ok(count) => device.on_cores(u32::try_from(count.get()).unwrap_or(u32::MAX)),
        Err(_) => device,
    }
}
