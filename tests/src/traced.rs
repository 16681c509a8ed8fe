//! Programs of `tests/trace`, run under `fpgacc trace`.

use std::path::Path;

use fpgacc_launch_facts::Facts;
use fpgacc_launch_facts::recorded::RecordedProgram;

use crate::command::Workshop;

/// A workshop with a host of `tests/trace` as `app`, and its kernels.
///
/// # Panics
/// If it cannot be built.
pub fn shop(program: &str) -> Workshop {
    let shop = Workshop::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("trace");
    for name in [format!("{program}.c"), format!("{program}.cl")] {
        shop.write(&name, std::fs::read(folder.join(&name)).expect("a file"));
    }
    shop.sh(&format!("cc -g {program}.c -o app -lOpenCL"))
        .success();
    shop
}

/// What `facts.yaml` says that was recorded of its only program.
///
/// # Panics
/// If there is no such program.
pub fn recorded(shop: &Workshop) -> RecordedProgram {
    let facts: Facts = serde_yaml::from_slice(&shop.read("facts.yaml")).expect("facts");
    let [program] = &facts.programs[..] else {
        panic!("{:?}", facts.programs);
    };
    program.recorded.clone().expect("what was recorded")
}
