//! A short campaign, the same each time, and every kernel that ever failed.

use std::collections::BTreeMap;
use std::path::Path;

use fpgacc_device_passes::passes::{self, BANKS, PAD, WAVEFRONT};
use fpgacc_tests::campaign::{Case, Counts, Plan, check};
use fpgacc_tests::generate::Focus;
use fpgacc_tests::run::Platform;

/// Passes for what the focus on reuse has much of.
const REUSE: [&str; 15] = [
    "fuse",
    "fission",
    "window",
    "tile",
    "neighbour-tables",
    "promote",
    "forward",
    "privatise",
    "coarsen",
    "vectorise",
    "vectorise-loops",
    "delinearise",
    "geometry",
    "group-loop",
    "known-sizes",
];

/// What the first programs of a campaign give, none of which may be wrong.
fn counts_of(plan: &Plan, programs: u64) -> Counts {
    let mut counts = Counts::default();
    for index in 0..programs {
        let found = check(plan, index).unwrap_or_else(|e| panic!("{e}\n{}", e.text));
        counts.add(&found.counts);
        for case in &found.failures {
            println!("{}\n{}", case.what, case.job.source);
        }
    }
    println!("{counts}");
    assert_eq!(counts.failures, 0);
    assert_eq!(counts.undefined, BTreeMap::new());
    counts
}

/// 0.1 per cent of a full campaign; on all three implementations.
#[test]
fn generated_kernels_do_the_same_when_rewritten() {
    let plan = Plan {
        seed: 2026,
        batch: 25,
        intel_every: 4,
        pocl_every: 4,
        nvidia_every: 0,
        undefined_every: 4,
        focus: Focus::Barriers,
        coarsened: false,
    };
    let counts = counts_of(&plan, 4);
    assert_eq!(counts.kernels, 100);
    assert!(counts.fired["ndrange-to-loop"] > 50, "{counts}");
}

/// The same for kernels that give every pass something to do.
#[test]
fn every_pass_rewrites_kernels_that_do_the_same() {
    let plan = Plan {
        seed: 2026,
        batch: 25,
        intel_every: 3,
        pocl_every: 3,
        nvidia_every: 0,
        undefined_every: 4,
        focus: Focus::Loops,
        coarsened: false,
    };
    let counts = counts_of(&plan, 4);
    let fired = |name: &str| counts.fired.get(name).copied().unwrap_or(0);
    let names = passes::ALL.iter().map(|pass| pass.name());
    let rare: Vec<&str> = names.filter(|name| fired(name) < 5).collect();
    assert!(rare.is_empty(), "{rare:?}\n{counts}");
}

/// Passes for memory that is read again find enough that they rewrite.
#[test]
fn kernels_that_read_again_do_the_same() {
    let plan = Plan {
        seed: 2026,
        batch: 25,
        intel_every: 3,
        pocl_every: 0,
        nvidia_every: 0,
        undefined_every: 3,
        focus: Focus::Reuse,
        coarsened: false,
    };
    let counts = counts_of(&plan, 3);
    let fired = |name: &&str| counts.fired.get(*name).copied().unwrap_or(0);
    let rare: Vec<&str> = REUSE.into_iter().filter(|name| fired(name) < 4).collect();
    assert!(rare.is_empty(), "{rare:?}\n{counts}");
}

/// Tables on the chip are filled in waves, and their rows become longer and have banks.
#[test]
fn kernels_with_tables_do_the_same() {
    let plan = Plan {
        seed: 2026,
        batch: 25,
        intel_every: 3,
        pocl_every: 3,
        nvidia_every: 0,
        undefined_every: 3,
        focus: Focus::Tables,
        coarsened: false,
    };
    let counts = counts_of(&plan, 6);
    for name in [WAVEFRONT, PAD, BANKS] {
        assert!(counts.fired[name] > 10, "{counts}");
    }
}

/// One work-item does the work of several, in any kernel.
#[test]
fn coarsened_kernels_do_the_same() {
    for focus in [Focus::Barriers, Focus::Loops] {
        let plan = Plan {
            seed: 2026,
            batch: 25,
            intel_every: 3,
            pocl_every: 3,
            nvidia_every: 0,
            undefined_every: 0,
            focus,
            coarsened: true,
        };
        let counts = counts_of(&plan, 4);
        assert!(counts.fired["coarsen"] > 30, "{counts}");
    }
}

#[test]
fn what_once_failed_stays_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/found");
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "yaml"))
        .collect();
    names.sort();
    assert!(!names.is_empty());
    let mut wrong = Vec::new();
    for path in names {
        let case = Case::read(&path).unwrap_or_else(|e| panic!("{e}"));
        match case.fault(&Platform::EMULATORS) {
            Ok(None) => {}
            Ok(Some(what)) => wrong.push(format!("{}: {what}", path.display())),
            Err(what) => wrong.push(format!("{}: not legal: {what}", path.display())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
