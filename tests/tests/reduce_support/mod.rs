//! From text to text with reductions in shift registers, and numbers to reduce.

use std::collections::BTreeMap;

use fpgacc_device_passes::pipeline::{Pipeline, run};
use fpgacc_frontend::ir::Dialect;
use fpgacc_frontend::kernel::{Input, PrintOptions, parse, print, validate};
use fpgacc_frontend::source::SourceMap;
use fpgacc_launch_facts::Facts;

/// The text with only `reduction` applied.
pub fn reduced(source: &str) -> String {
    let mut sources = SourceMap::new();
    let input = Input {
        name: "k.cl",
        preprocessed: source,
        dialect: Dialect::Cl12,
    };
    let mut module = parse(&input, &mut sources).expect("the case is valid");
    let pipeline = Pipeline {
        switches: BTreeMap::from([("reduction".to_string(), true)]),
        ..Pipeline::default()
    };
    run(&mut module, &Facts::default(), &pipeline);
    let valid = validate(&module).expect("the pass keeps the module valid");
    let options = PrintOptions {
        line_directives: false,
    };
    print(&valid, &sources, &options)
}

/// Numbers that look random, from -8 to 8.
pub fn small_integers(seed: u32) -> impl Iterator<Item = i32> {
    std::iter::successors(Some(seed), |x| {
        Some(x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
    })
    .skip(1)
    .map(|x| (x >> 16) as i32 % 17 - 8)
}
