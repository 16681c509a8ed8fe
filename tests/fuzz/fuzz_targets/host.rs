//! Hosts: anything can be parsed, analysed and patched; patching what is patched changes nothing.
#![no_main]

use fpgacc_host_analysis::syntax::{HostFile, Language};
use fpgacc_frontend::source::SourceMap;
use fpgacc_host_analysis::{analyse, patch::patch_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let mut sources = SourceMap::new();
    let file = sources.add("h.cpp", text.as_ref());
    let host = HostFile::parse(&sources, file, &[], None, Language::Cpp);
    let lines = host.main().lines.clone();
    let patched = patch_bytes(data, "h.cpp", &lines);
    assert_eq!(patched.edits.is_empty(), patched.text == data);
    analyse(&[host], &sources);
});
