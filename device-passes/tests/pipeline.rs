//! Kernels of one module that are rewritten in different ways.

#[path = "../../kernel-analysis/tests/common/module.rs"]
mod module;

use std::collections::BTreeMap;

use fpgacc_device_passes::pipeline::{Pipeline, run_each};
use fpgacc_launch_facts::Facts;
use module::module;

const KERNELS: &str = "__kernel void scale(__global float *a, float f) { a[get_global_id(0)] *= f; }\n\
    __kernel void other(__global float *a, float f) { a[get_global_id(0)] *= f; }\n";

#[test]
fn kernels_have_pipelines_of_their_own() {
    let mut module = module(KERNELS);
    let loops = Pipeline {
        level: 1,
        ..Pipeline::default()
    };
    let own = BTreeMap::from([("other".to_string(), Pipeline::default())]);
    let report = run_each(&mut module, &Facts::default(), &loops, &own);
    let rewritten = |kernel: &str| !report.done[kernel].is_empty();
    assert!(rewritten("scale"));
    assert!(!report.done.contains_key("other") || !rewritten("other"));
}
