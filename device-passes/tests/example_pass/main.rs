//! The example of CONTRIBUTING: a whole pass, `zero_offset.rs`, on a kernel.

mod zero_offset;

use std::cell::OnceCell;
use std::collections::BTreeSet;

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::pass::{Context, LaunchContract, Outcome, Pass};
use fpgacc_device_passes::pipeline::launches_by_kernel;
use fpgacc_frontend::ir::Dialect;
use fpgacc_frontend::kernel::{Input, LineDirectives, parse, print, validate};
use fpgacc_frontend::source::SourceMap;
use fpgacc_kernel_analysis::geometry::{Geometry, LocalGeometry};
use fpgacc_launch_facts::Facts;
use fpgacc_runtime::guard::{Fact, Guard};
use zero_offset::ZeroOffset;

const KERNEL: &str = "__kernel void scale(__global float *a) { a[get_global_id(0)] *= 2.0f; }\n";

/// What the pass makes of the kernel where launches have this offset, its guards, and its text.
fn run(offset: Option<u64>) -> (Outcome, Vec<Guard>, String) {
    let mut sources = SourceMap::new();
    sources.add("k.cl", KERNEL);
    let input = Input::new("k.cl", KERNEL, Dialect::Cl12);
    let mut module = parse(&input, &mut sources).expect("a kernel");
    let kernel = module.kernels().next().expect("a kernel");
    let (facts, options) = (Facts::default(), PassOptions::default());
    let geometry = Geometry {
        launches: 1,
        offset: [offset, Some(0), Some(0)],
        local: LocalGeometry::Null,
        ..Geometry::unknown()
    };
    let (called, names) = (BTreeSet::new(), module.global_names());
    let all_launches = launches_by_kernel(&module, &facts);
    let context = Context {
        kernel: "scale",
        options: &options,
        facts: &facts,
        geometry: &geometry,
        launches: &[],
        all_launches: &all_launches,
        called: &called,
        names: &names,
        summaries: OnceCell::new(),
    };
    assert!(ZeroOffset.has_work(&module, kernel, &context));
    let mut contract = LaunchContract::default();
    let outcome = ZeroOffset.run(&mut module, kernel, &context, &mut contract);
    let valid = validate(&module).unwrap_or_else(|faults| panic!("{faults:?}"));
    let text = print(&valid, &sources, LineDirectives::None);
    (outcome, contract.guards.into_iter().collect(), text)
}

#[test]
fn the_example_says_what_launches_have_and_relies_on_it() {
    let (outcome, guards, text) = run(Some(0));
    assert!(matches!(outcome, Outcome::Done(_)), "{outcome:?}");
    let offsets = [0, 1, 2].map(|dim| Guard::Geometry(Fact::Offset(dim, 0)));
    assert_eq!(guards, offsets);
    assert!(
        text.contains("__attribute__((uses_global_work_offset(0)))"),
        "{text}"
    );
}

#[test]
fn the_example_leaves_what_may_have_an_offset() {
    for offset in [Some(64), None] {
        let (outcome, guards, text) = run(offset);
        assert!(matches!(outcome, Outcome::Missed(_)), "{outcome:?}");
        assert!(
            guards.is_empty() && !text.contains("uses_global_work_offset"),
            "{text}"
        );
    }
}
