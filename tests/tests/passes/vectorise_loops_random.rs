//! Iterations that become vectors leave results as they are: random loops, on all implementations.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::passes::vectorise;
use fpgacc_tests::compare::{Bound, certify, same};
use fpgacc_tests::random::Random;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, rewrite};
use fpgacc_tests::run::Platform;
use fpgacc_tests::seeds::{fail, seeds};
use fpgacc_tests::vector_loops::job;

/// Kernels in one program: building costs more than running.
const BATCH: usize = 24;
#[test]
fn random_loops_compute_the_same_bytes() {
    let name = "random_loops_compute_the_same_bytes";
    let (mut fired, mut all) = (0, 0);
    for seed in seeds(3) {
        let original = job(&mut Random::new(seed), BATCH);
        certify(&original)
            .unwrap_or_else(|error| fail(name, seed, &original.source, &error.to_string()));
        let lanes = [4, 2, 8][seed as usize % 3];
        let mut options = PassOptions::default();
        options.of_mut::<vectorise::LoopOptions>().lanes = Some(lanes);
        let alone = Rewrites::Only("vectorise-loops".to_string());
        let made = rewrite(&original, |_| Knowledge::Nothing, &alone, &options)
            .unwrap_or_else(|error| panic!("{error}"));
        all += BATCH;
        fired += made.fired.len();
        let emulator = Platform::EMULATORS[seed as usize % 2];
        if let Err(difference) = same(
            &original,
            &made.job,
            &[Platform::Oclgrind, emulator],
            &Bound::Exact,
        ) {
            fail(
                name,
                seed,
                &original.source,
                &format!("{lanes} lanes: {difference}"),
            );
        }
    }
    println!("{fired} of {all} kernels have vectors");
    assert!(
        2 * fired > all && fired < all,
        "{fired} of {all} have vectors"
    );
}
