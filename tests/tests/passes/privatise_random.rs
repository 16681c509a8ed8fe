//! Random histograms through `privatise`: whatever it does to them, every byte stays, and no element is
//! touched to which nothing is added.

use fpgacc_device_passes::passes::PRIVATISE;
use fpgacc_tests::histograms::{Histogram, job};
use fpgacc_tests::job::Job;
use fpgacc_tests::rewrite::{Rewrites, Rewritten};
use fpgacc_tests::trial::{Trial, Way, many};

#[test]
fn random_histograms_count_the_same() {
    let trial = Trial {
        test: "random_histograms_count_the_same",
        programs: 2,
        kernels: |seed| many(20, seed, Histogram::random),
        job: |all, _| job(all),
        ways: |_| vec![Way::alone(PRIVATISE), Way::by(Rewrites::All)],
    };
    let counts = |_: &Job, made: &Rewritten| made.job.source.contains("_counts[");
    trial.fires((1, 2), |_| Way::by(Rewrites::All), counts);
    // Alone, the pass finds work-items as they are: groups count on their own.
    let of_items = |one: &Histogram| one.has_items;
    trial.fires_where((1, 2), |_| Way::alone(PRIVATISE), of_items, counts);
    trial.compare();
}
