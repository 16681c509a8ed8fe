//! The module of a text.

use fpgacc_frontend::ir::{Dialect, Module};
use fpgacc_frontend::kernel::{Input, parse};
use fpgacc_frontend::source::SourceMap;

/// Parses a text that is right; its file is `k.cl`.
pub fn module(text: &str) -> Module {
    let mut sources = SourceMap::new();
    sources.add("k.cl", text);
    let preprocessed = format!("# 1 \"k.cl\"\n{text}");
    let input = Input::new("k.cl", &preprocessed, Dialect::Cl12);
    let module = parse(&input, &mut sources);
    module.unwrap_or_else(|error| panic!("{text}: {:?}", error.diagnostics()))
}
