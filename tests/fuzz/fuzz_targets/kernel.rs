//! Kernels: whatever parses is valid by our own validator, prints, and parses again to the same text.
#![no_main]

use fpgacc_frontend::ir::Dialect;
use fpgacc_frontend::kernel::{Input, LineDirectives, parse, print, validate};
use fpgacc_frontend::source::SourceMap;
use libfuzzer_sys::fuzz_target;

fn printed(text: &str) -> Option<String> {
    let mut sources = SourceMap::new();
    sources.add("k.cl", text);
    let preprocessed = format!("# 1 \"k.cl\"\n{text}");
    let input = Input::new("k.cl", &preprocessed, Dialect::Cl12);
    let module = parse(&input, &mut sources).ok()?;
    let valid = validate(&module).unwrap_or_else(|faults| panic!("{faults:?}"));
    Some(print(&valid, &sources, LineDirectives::None))
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Some(once) = printed(text) {
        let twice = printed(&once).unwrap_or_else(|| panic!("does not parse again:\n{once}"));
        assert_eq!(once, twice);
    }
});
