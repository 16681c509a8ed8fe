//! The benchmark programs through the real fpgacc: on each emulator they pass their own references, and
//! all that they read back is the original's: every byte, or within the stated bound where a
//! reduction was reassociated. The benchmark runner does the work and the judging.

use fpgacc_tests::command::Workshop;

/// The forms that kernels get, and the emulators that they run on.
const WAYS: [(&str, &str); 4] = [
    ("-fexecution-model=swi", "intel"),
    ("-fexecution-model=swi", "pocl"),
    ("", "intel"),
    ("--kernel-opt=3", "pocl"),
];

/// Runs a program of `benchmarks/` in its runner, all ways; judges the table.
#[track_caller]
fn bench(program: &str) {
    bench_ways(program, &WAYS);
}

#[track_caller]
fn bench_ways(program: &str, ways: &[(&str, &str)]) {
    let shop = Workshop::new();
    for (options, platform) in ways {
        shop.write("with", format!("#!/bin/sh\nexec fpgacc {options} \"$@\"\n"));
        let line = format!(
            "chmod +x with && fpgacc-bench --fpgacc $PWD/with --repeat 1 --filter {program} \
             --platform {platform}"
        );
        let outcome = shop.sh(&line).success();
        let rows = outcome.stdout.lines();
        let rows: Vec<&str> = rows.filter(|row| row.starts_with(program)).collect();
        assert!(!rows.is_empty(), "{options} {platform}: {}", outcome.stdout);
        for row in rows {
            let judged = row.contains("identical") || row.contains("within bounds");
            assert!(
                judged && row.contains(platform),
                "{options}: {}",
                outcome.stdout
            );
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
fn rlbd() {
    // A whole search takes minutes for its 22 kernels, if fpgacc is not optimised.
    let mut ways = WAYS;
    ways[3].0 = "--kernel-opt=3 --search-time=0.1s";
    bench_ways("rlbd", &ways);
}

/// More partitions than take turns: their batches lie on the chip together.
#[test]
fn rlbd_of_several_batches() {
    let shop = Workshop::new();
    let programs = concat!(env!("CARGO_MANIFEST_DIR"), "/../benchmarks");
    let line = format!(
        "cp -r {programs}/rlbd {programs}/common . && cd rlbd && make -B && ./rlbd --data 8-8 --bytes 600000 \
         && ./rlbd --data crime --bytes 600000"
    );
    let outcome = shop.sh(&line).success();
    assert_eq!(
        outcome.stdout.matches("PASS").count(),
        2,
        "{}",
        outcome.stdout
    );
}

#[test]
fn srad() {
    bench("srad");
}
