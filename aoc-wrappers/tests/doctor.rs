//! The doctor on a machine where these tests can run at all.

use fpgacc_aoc_wrappers::doctor::{self, State};

#[test]
fn finds_what_the_tests_need() {
    let report = doctor::examine();
    println!("{}", report.table());
    for item in &report.items {
        // Few have an SDK.
        if item.name.starts_with("aoc") {
            assert_ne!(item.state, State::Broken, "{}", report.table());
            continue;
        }
        assert_eq!(item.state, State::Works, "{}", report.table());
    }
    assert!(report.usable());
}
