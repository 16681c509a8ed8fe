//! The benchmark programs through the real fpgacc: on each emulator they pass their own references, and
//! all that they read back is the original's: every byte, or within the stated bound where a
//! reduction was reassociated. The benchmark runner does the work and the judging.

use fpgacc_tests::command::Workshop;

/// Runs a program of `benchmarks/` in its runner; gives the table.
#[track_caller]
fn bench(program: &str) {
    let shop = Workshop::new();
    let line = format!("fpgacc-bench --repeat 1 --filter {program} --platform");
    for platform in ["intel", "pocl"] {
        let outcome = shop.sh(&format!("{line} {platform}")).success();
        let rows = outcome.stdout.lines();
        let rows: Vec<&str> = rows.filter(|row| row.starts_with(program)).collect();
        assert!(!rows.is_empty(), "{platform}: {}", outcome.stdout);
        for row in rows {
            let judged = row.contains("identical") || row.contains("within bounds");
            assert!(judged && row.contains(platform), "{}", outcome.stdout);
        }
    }
}

#[test]
fn gaussian() {
    bench("gaussian");
}

#[test]
fn hotspot3d() {
    bench("hotspot3d");
}

#[test]
fn kmeans() {
    bench("kmeans");
}

#[test]
fn nn() {
    bench("nn");
}

#[test]
fn srad() {
    bench("srad");
}
