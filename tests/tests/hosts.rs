//! A few random hosts, the same each time.

use fpgacc_tests::command::Workshop;
use fpgacc_tests::hosts::{Bench, Counts, Plan, check};

/// Built by the system's compiler and by fpgacc, they do the same.
#[test]
fn random_hosts_do_the_same_when_fpgacc_builds_them() {
    let plan = Plan {
        seed: 3,
        intel_every: 1,
        pocl_every: 3,
        originals_every: 1,
    };
    let bench = Bench::new();
    let mut counts = Counts::default();
    for index in 0..6 {
        let found = check(&bench, &plan, index).unwrap_or_else(|e| panic!("host {index}: {e}"));
        counts.add(&found.counts);
        for failure in &found.kept {
            println!("host {index}: {:?}", failure.trial.verdict);
        }
    }
    println!("{counts}");
    assert_eq!((counts.failures, counts.originals), (0, 0), "{counts}");
    assert!(counts.same.values().sum::<u64>() >= 4, "{counts}");
}

/// A host whose header gives a name of OpenCL's another meaning.
const COUNTING: &str = include_str!("inputs/hosts_counting.c");

/// The macro's function is called, and the launch in it is fpgacc's.
#[test]
fn a_macro_of_a_header_keeps_its_meaning() {
    let shop = Workshop::new();
    shop.write("counted.h", "#define clEnqueueNDRangeKernel counted\n");
    shop.write("host.c", COUNTING);
    shop.fpgacc("-w host.c -o app").success();
    let ran = shop.sh("FPGACC_VERBOSE=1 ./app").success();
    assert_eq!(ran.stdout, "0, 1 launches\n");
    assert!(ran.stderr.contains("kernel `k`"), "{}", ran.stderr);
}
