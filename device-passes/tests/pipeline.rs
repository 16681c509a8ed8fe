//! Kernels of one module that are rewritten in different ways.

#[path = "../../kernel-analysis/tests/common/module.rs"]
mod module;

use std::collections::BTreeMap;

use fpgacc_device_passes::options::General;
use fpgacc_device_passes::passes::unroll::Factor;
use fpgacc_device_passes::passes::{self, coalesce, lockstep, replicate, unroll};
use fpgacc_device_passes::pipeline::begun::Begun;
use fpgacc_device_passes::pipeline::{Pipeline, run, run_each};
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

const NESTS: &str = "__kernel void sums(__global const int *a, __global int *b)\n\
    {\n\
        int i = get_global_id(0), sum = 0;\n\
        for (int y = 0; y < 3; y++) for (int x = 0; x < 3; x++) sum += a[i + y * 64 + x];\n\
        for (int k = 0; k < 99; k++) sum += a[k * 64 + i];\n\
        b[i] = sum;\n\
    }\n";

/// Pipelines that ask different things of the last passes.
fn widened(form: &Pipeline) -> Vec<Pipeline> {
    let mut lanes = form.clone();
    *lanes.options.of_mut() = replicate::Options { simd: 2, units: 3 };
    let mut copied = form.clone();
    copied.options.of_mut::<unroll::Options>().factors = vec![Factor {
        index: 1,
        copies: 3,
    }];
    let mut joined = form.clone();
    joined.options.of_mut::<coalesce::Options>().nests = vec![0];
    let mut together = form.clone();
    together.options.of_mut::<lockstep::Options>().add(2);
    vec![form.clone(), lanes, copied, joined, together]
}

#[test]
fn what_begins_alike_may_be_begun_once() {
    let original = module(NESTS);
    let facts = Facts::default();
    let mut form = Pipeline {
        level: 3,
        ..Pipeline::default()
    };
    form.options.general = General::Never;
    let mut ndrange = form.clone();
    ndrange
        .switches
        .insert("ndrange-to-loop".to_string(), false);
    for form in [form, ndrange] {
        let opened = Begun::new(&original, &facts, &form.opening()).expect("no channels");
        let begun = opened.go_on(&form.beginning());
        for pipeline in widened(&form) {
            assert_eq!(pipeline.opening(), form.opening());
            assert_eq!(pipeline.beginning(), form.beginning());
            let mut at_once = original.clone();
            let whole = run(&mut at_once, &facts, &pipeline);
            let (made, report) = begun.end(&pipeline);
            assert_eq!(format!("{made:?}"), format!("{at_once:?}"));
            assert_eq!(report.done, whole.done);
            assert_eq!(report.contracts, whole.contracts);
        }
    }
}

#[test]
fn what_opens_alike_may_be_opened_once() {
    let original = module(NESTS);
    let facts = Facts::default();
    let mut form = Pipeline {
        level: 3,
        ..Pipeline::default()
    };
    form.options.general = General::Never;
    let opened = Begun::new(&original, &facts, &form.opening()).expect("no channels");
    for pass in passes::ALL.iter().map(|pass| pass.name()) {
        for is_on in [false, true] {
            let mut other = form.clone();
            other.switches.insert(pass.to_string(), is_on);
            if other.opening() != form.opening() {
                continue;
            }
            let mut at_once = original.clone();
            let whole = run(&mut at_once, &facts, &other);
            let (made, report) = opened.go_on(&other.beginning()).end(&other);
            assert_eq!(format!("{made:?}"), format!("{at_once:?}"), "{pass}");
            assert_eq!(report.done, whole.done, "{pass}");
        }
    }
    // What the loops are made of is no part of what is alike.
    let mut ndrange = form.clone();
    ndrange
        .switches
        .insert("ndrange-to-loop".to_string(), false);
    assert_ne!(ndrange.opening(), form.opening());
}

#[test]
fn loops_around_short_loops_may_be_unrolled_with_these() {
    let module = module(NESTS);
    let kernel = module.kernels().next().expect("a kernel");
    let nested = unroll::nested(&module, &module.functions[kernel]);
    let found: Vec<_> = nested
        .iter()
        .map(|nest| (nest.outer.index, nest.outer.trips, nest.inside.clone()))
        .collect();
    assert_eq!(found, [(0, Some(3), vec![(1, 3)])]);
    assert!(!nested[0].is_row);
}

const ROWS: &str = "__kernel void tiles(__global const int *a, __global int *b, int n)\n\
    {\n\
        int t[4][4];\n\
        for (int i = 0; i < n; i++) {\n\
            for (int y = 0; y < 4; y++) for (int x = 0; x < 4; x++) t[y][x] = a[i * 16 + y * 4 + x];\n\
            for (int y = 0; y < 4; y++) for (int x = 0; x < 4; x++) b[i * 16 + y * 4 + x] = t[x][y];\n\
        }\n\
    }\n";

#[test]
fn short_nests_may_follow_each_other_in_a_loop() {
    let module = module(ROWS);
    let kernel = module.kernels().next().expect("a kernel");
    let nested = unroll::nested(&module, &module.functions[kernel]);
    let found = nested
        .iter()
        .map(|nest| (nest.outer.index, nest.inside.len(), nest.is_row));
    let found: Vec<_> = found.collect();
    assert_eq!(found, [(0, 4, true), (1, 1, false), (3, 1, false)]);
}
