//! Reading kernels from checkouts.

use std::fs;
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::cc::{self, Compiler};
use fpgacc_frontend::ir::{Dialect, Module};
use fpgacc_frontend::kernel;
use fpgacc_frontend::source::SourceMap;

/// Reads a kernel file, with macros defined and folders of headers.
///
/// # Errors
/// What is wrong with it, in a line.
pub fn parse(
    path: &Path,
    compiler: &Compiler,
    defines: &[String],
    headers: &[PathBuf],
) -> Result<(Module, SourceMap), String> {
    let text = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let text = String::from_utf8_lossy(&text).replace('\r', "");
    let name = path.display().to_string();
    let mut full = kernel::predefined(Dialect::Cl12, &[]);
    full.push_str(&format!("#line 1 \"{name}\"\n{text}"));
    let source = cc::Source {
        path,
        text: Some(full.as_bytes()),
    };
    let made = compiler.preprocess_kernel(source, defines, &[], headers);
    let made = made.map_err(|e| e.to_string())?;
    let mut sources = SourceMap::new();
    sources.add(name.as_str(), text.as_str());
    let input = kernel::Input::new(&name, &made.text, Dialect::Cl12);
    match kernel::parse(&input, &mut sources) {
        Ok(module) => Ok((module, sources)),
        Err(error) => {
            let first = error.diagnostics().first();
            Err(first.map_or("not parsed".to_string(), |d| d.message.clone()))
        }
    }
}
