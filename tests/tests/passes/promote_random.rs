//! Random loops that read the same memory again, through `promote`: whatever it does to them, every byte
//! stays, and nothing is read that the original does not read.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::remark::Kind;
use fpgacc_tests::compare::unchanged;
use fpgacc_tests::job::Job;
use fpgacc_tests::random::Random;
use fpgacc_tests::rereads::{Kernel, job, kernel};
use fpgacc_tests::rewrite::{Knowledge, Rewrites, Rewritten, rewrite};
use fpgacc_tests::seeds::{fail, seeds};

/// The name of the pass.
const PASS: &str = "promote";
/// Kernels in one program: building costs more than running.
const BATCH: usize = 16;
fn kernels(seed: u64) -> Vec<Kernel> {
    let mut random = Random::new(seed);
    (0..BATCH)
        .map(|number| kernel(&mut random, number))
        .collect()
}

fn ways(seed: u64) -> (Rewrites, Knowledge) {
    match seed % 3 {
        0 => (Rewrites::Only(PASS.to_string()), Knowledge::Nothing),
        1 => (Rewrites::All, Knowledge::All),
        _ => (Rewrites::Unrolled, Knowledge::Nothing),
    }
}

fn promoted(seed: u64, job: &Job) -> Result<Rewritten, String> {
    let (rewrites, knowledge) = ways(seed);
    rewrite(job, |_| knowledge, &rewrites, &PassOptions::default())
        .map_err(|error| error.to_string())
}

/// What is wrong with a program after the pass; `None`: nothing.
fn fault(seed: u64, original: &Job) -> Option<String> {
    let made = match promoted(seed, original) {
        Ok(made) => made.job,
        Err(error) => return Some(error),
    };
    let compared = unchanged(original, &made);
    compared.err().map(|error| error.to_string())
}

#[test]
fn random_loops_read_once_compute_the_same_bytes() {
    let name = "random_loops_read_once_compute_the_same_bytes";
    let mut rewritten = 0;
    for seed in seeds(3) {
        let kernels = kernels(seed);
        let original = job(&kernels);
        if let Ok(made) = promoted(seed, &original) {
            let mut fired: Vec<&str> = made
                .remarks
                .iter()
                .filter(|remark| remark.pass == PASS && remark.kind == Kind::Passed)
                .map(|remark| &*remark.kernel)
                .collect();
            fired.dedup();
            rewritten += fired.len();
            assert!(fired.len() >= BATCH / 8, "seed {seed}: {}", original.source);
        }
        let Some(why) = fault(seed, &original) else {
            continue;
        };
        // The first that fails alone too says more than all.
        let alone = kernels.chunks(1).map(job);
        let alone = alone.map(|one| (fault(seed, &one), one));
        match alone.into_iter().find(|(why, _)| why.is_some()) {
            Some((Some(why), one)) => fail(name, seed, &one.source, &why),
            _ => fail(
                name,
                seed,
                &original.source,
                &format!("only together: {why}"),
            ),
        }
    }
    println!("{rewritten} kernels were rewritten");
}
