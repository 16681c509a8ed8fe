//! What tests of profiles share.

pub mod sites;

use std::collections::BTreeMap;

use fpgacc_frontend::ir::Dialect;
use fpgacc_frontend::kernel;
use fpgacc_frontend::source::SourceMap;
use fpgacc_gpu_model::profile::{Profile, Sizes, profile};

/// What the only kernel of a text does, launched with a global size and these arguments.
pub fn profile_of(text: &str, global: [u64; 3], scalars: &[(u32, i64)]) -> Profile {
    let mut sources = SourceMap::new();
    sources.add("k.cl", text);
    let input = kernel::Input::new("k.cl", text, Dialect::Cl12);
    let module = kernel::parse(&input, &mut sources).expect("OpenCL C");
    let kernel = module.functions.iter().find(|(_, f)| f.is_kernel);
    let sizes = Sizes {
        global,
        local: None,
        scalars: BTreeMap::from_iter(scalars.iter().copied()),
    };
    profile(&module, kernel.expect("a kernel").0, &sizes)
}
