//! Random conditions and loops over ids, through `known-sizes`: whatever it decides, every byte stays.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::remark::Kind;
use fpgacc_tests::compare::unchanged;
use fpgacc_tests::job::Job;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, Rewritten, rewrite};
use fpgacc_tests::seeds::{fail, seeds};
use fpgacc_tests::sizes::{BATCH, job, kernels};

/// The name of the pass.
const PASS: &str = "known-sizes";
fn decided(seed: u64, job: &Job) -> Result<Rewritten, String> {
    let rewrites = match seed % 2 {
        0 => Rewrites::All,
        _ => Rewrites::Only(PASS.to_string()),
    };
    rewrite(job, |_| Knowledge::All, &rewrites, &PassOptions::default())
        .map_err(|error| error.to_string())
}

/// What is wrong with a program after the pass; `None`: nothing.
fn fault(seed: u64, original: &Job) -> Option<String> {
    let made = match decided(seed, original) {
        Ok(made) => made.job,
        Err(error) => return Some(error),
    };
    let compared = unchanged(original, &made);
    compared.err().map(|error| error.to_string())
}

#[test]
fn random_conditions_on_ids_stay_what_they_are() {
    let name = "random_conditions_on_ids_stay_what_they_are";
    let mut rewrites = 0;
    for seed in seeds(2) {
        let kernels = kernels(seed);
        let original = job(&kernels);
        if let Ok(made) = decided(seed, &original) {
            let done = made
                .remarks
                .iter()
                .filter(|remark| remark.pass == PASS && remark.kind == Kind::Passed)
                .count();
            assert!(done >= BATCH / 4, "seed {seed}: {}", original.source);
            rewrites += done;
        }
        let Some(why) = fault(seed, &original) else {
            continue;
        };
        // The first that fails alone too says more than all.
        let mut alone = kernels.chunks(1).map(job);
        let found = alone.find_map(|one| fault(seed, &one).map(|why| (why, one)));
        match found {
            Some((why, one)) => fail(name, seed, &one.source, &why),
            None => fail(
                name,
                seed,
                &original.source,
                &format!("only together: {why}"),
            ),
        }
    }
    println!("{rewrites} conditions and loops were decided");
}
