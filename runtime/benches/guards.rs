//! What the runtime's checks cost at a launch: `cargo bench -p fpgacc-runtime --bench guards`.
//!
//! The kernel that is measured relies on 10 facts of its geometry, 6 scalars, 6 pairs of buffers, 2
//! buffers in constant memory, 4 that are aligned and 2 sizes of local memory. OpenCL itself does nothing here.

use std::process::Command;

use fpgacc_runtime::{SOURCES, WRAPPED, WRAPPED_LOOKUPS};

/// The most that the checks may cost, in nanoseconds.
const LIMIT: f64 = 1000.0;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    for (name, text) in SOURCES {
        std::fs::write(path(name), text).expect("a written file");
    }
    std::fs::write(path("main.c"), include_str!("guards.c")).expect("a written file");
    let sources = SOURCES.iter().map(|(name, _)| *name);
    let built = Command::new("cc")
        .args(["-O2", "-pthread", "-w", "-I", "."])
        .args(sources.filter(|name| name.ends_with(".c")))
        .args(["main.c", "-o", "main"])
        .args((WRAPPED.iter().chain(WRAPPED_LOOKUPS)).map(|name| format!("-Wl,--wrap={name}")))
        .arg("-lOpenCL")
        .current_dir(folder.path())
        .status();
    assert!(built.is_ok_and(|status| status.success()), "cc failed");
    let ran = Command::new(path("main")).output().expect("it runs");
    assert!(ran.status.success(), "{ran:?}");
    for line in String::from_utf8_lossy(&ran.stdout).lines() {
        let (what, nanoseconds) = line.rsplit_once(' ').expect("a number at the end");
        println!("{what:35} {nanoseconds:>6} ns");
        let nanoseconds: f64 = nanoseconds.parse().expect("a number");
        assert!(!what.starts_with("guards") || nanoseconds < LIMIT, "{line}");
    }
}
