//! Devices that options name.

use fpgacc_gpu_model::device::Device;

/// The device that a name or a file stands for.
///
/// # Errors
///
/// There is no such device, or the file describes none.
pub fn find(name: &str) -> Result<Device, String> {
    let device = match std::fs::read_to_string(name) {
        Ok(text) => Device::parse(&text),
        Err(_) => Device::named(name),
    };
    device.map_err(|error| error.to_string())
}
