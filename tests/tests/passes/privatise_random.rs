//! Random histograms through `privatise`: whatever it does to them, every byte stays, and no element is
//! touched to which nothing is added.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::passes::PRIVATISE;
use fpgacc_tests::compare::unchanged;
use fpgacc_tests::histograms::{Histogram, job};
use fpgacc_tests::job::Job;
use fpgacc_tests::random::Random;
use fpgacc_tests::rewrite::{Knowledge, Rewrites, rewrite};
use fpgacc_tests::seeds::{fail_smallest, seeds};

/// Kernels in one program: building costs more than running.
const BATCH: usize = 20;
fn privatised(job: &Job, rewrites: &Rewrites) -> Job {
    let made = rewrite(
        job,
        |_| Knowledge::Nothing,
        rewrites,
        &PassOptions::default(),
    );
    made.unwrap_or_else(|error| panic!("{error}")).job
}

/// Compares kernels before and after; `None` if nothing is wrong.
fn fault(histograms: &[Histogram]) -> Option<String> {
    let original = job(histograms);
    let alone = Rewrites::Only(PRIVATISE.to_string());
    [alone, Rewrites::All].iter().find_map(|rewrites| {
        let rewritten = privatised(&original, rewrites);
        unchanged(&original, &rewritten)
            .err()
            .map(|error| format!("{rewrites:?}: {error}\n{}", rewritten.source))
    })
}

fn batch(seed: u64) -> Vec<Histogram> {
    let mut random = Random::new(seed);
    (0..BATCH).map(|_| Histogram::random(&mut random)).collect()
}

#[test]
fn random_histograms_count_the_same() {
    let name = "random_histograms_count_the_same";
    let (mut fired, mut all, mut groups, mut of_items) = (0, 0, 0, 0);
    let alone = Rewrites::Only(PRIVATISE.to_string());
    for seed in seeds(2) {
        let histograms = batch(seed);
        for histogram in &histograms {
            let one = job(std::slice::from_ref(histogram));
            let made = privatised(&one, &Rewrites::All).source;
            fired += usize::from(made.contains("_counts["));
            all += 1;
            // Alone, the pass finds work-items as they are.
            if histogram.has_items {
                let made = privatised(&one, &alone).source;
                groups += usize::from(made.contains("_counts["));
                of_items += 1;
            }
        }
        if let Some(why) = fault(&histograms) {
            fail_smallest(name, seed, &histograms, &why, fault, |some| {
                job(some).source
            });
        }
    }
    println!("{fired} of {all} kernels count on the chip");
    assert!(2 * fired > all, "{fired} of {all} count on the chip");
    println!("groups of {groups} of {of_items} kernels count on their own");
    assert!(2 * groups > of_items, "groups of {groups} of {of_items}");
}
