//! A few random hosts, the same each time.

use fpgacc_tests::command::Workshop;
use fpgacc_tests::hosts::{Bench, Counts, Plan, check, keep};
use fpgacc_tests::run::Platform;

const PLAN: Plan = Plan {
    seed: 3,
    intel_every: 1,
    pocl_every: 3,
    originals_every: 1,
};

/// Built by the system's compiler and by fpgacc, they do the same.
#[test]
fn random_hosts_do_the_same_when_fpgacc_builds_them() {
    let plan = PLAN;
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

/// What a host keeps in files for its next run is not found by the other program.
#[test]
fn what_is_kept_of_a_host_shows_it_again() {
    let mut programs = (0..).map(|index| PLAN.recipe(index).program());
    let program = programs
        .find(|program| program.runs == 2)
        .expect("some keep binaries");
    let bench = Bench::new();
    let mut stage = bench.stage(&program).expect("it is legal");
    let trial = stage.trial(Platform::Pocl, &[]).expect("it runs");
    let shop = Workshop::new();
    keep(&program, &trial, &shop.path("kept")).expect("it is written");
    shop.sh("cd kept && sh reproduce.sh").success();
    let printed = |name: &str| std::fs::read_to_string(shop.path(name)).expect("it ran");
    assert_eq!(printed("kept/plain.txt").matches("end\n").count(), 2);
    assert_eq!(printed("kept/ours.txt"), printed("kept/plain.txt"));
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
