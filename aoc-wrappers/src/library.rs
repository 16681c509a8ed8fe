//! A C library that comes as sources and is compiled with the host's compiler, once: its object is
//! kept in the cache.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::cache::{Cache, Facts};
use crate::cc::{CcError, Compiler};
use crate::inputs::{file_identity, hex};
use crate::output::{self, Mode};
use crate::process;
use crate::scratch::Scratch;

/// Compiles `sources` (file names and texts, headers among them) to one object, or takes it from the
/// cache.
///
/// # Errors
/// The compiler fails, or the object cannot be written.
pub fn object(
    compiler: &Compiler,
    sources: &[(&str, &str)],
    flags: &[OsString],
    cache: Option<&Cache>,
    output: &Path,
) -> Result<(), CcError> {
    let key = digest(compiler, sources, flags);
    if let Some(entry) = cache.and_then(|cache| cache.find(&key)) {
        return Ok(output::write(output, &entry.output, Mode::Plain)?);
    }
    let folder = Scratch::new().map_err(CcError::Temporary)?;
    for (name, text) in sources {
        fs::write(folder.path().join(name), text).map_err(CcError::Temporary)?;
    }
    let names = sources
        .iter()
        .filter_map(|(name, _)| name.strip_suffix(".c"));
    let files = |suffix: &str| -> Vec<String> {
        names
            .clone()
            .map(|name| format!("{name}.{suffix}"))
            .collect()
    };
    // In that folder, under relative names: the object does not depend on where it lies.
    compiler.run_in(
        folder.path(),
        flags
            .iter()
            .cloned()
            .chain(["-c".into()])
            .chain(files("c").into_iter().map(OsString::from)),
    )?;
    let whole = ["-r", "-nostdlib", "-o", "library.o"].map(OsString::from);
    let machine = flags
        .iter()
        .filter(|flag| flag.to_string_lossy().starts_with("-m"));
    compiler.run_in(
        folder.path(),
        machine
            .cloned()
            .chain(whole)
            .chain(files("o").into_iter().map(OsString::from)),
    )?;
    if process::is_dry() {
        return Ok(());
    }
    let made = folder.path().join("library.o");
    let bytes = fs::read(&made).map_err(|source| CcError::Unread { path: made, source })?;
    if let Some(cache) = cache {
        // A cache that cannot be written costs time, nothing else.
        let _ = cache.store(&key, &bytes, None, Facts::default());
    }
    Ok(output::write(output, &bytes, Mode::Plain)?)
}

/// Links `sources` to a shared library that exports what is marked as visible.
///
/// # Errors
/// As for [`object`].
pub fn shared(
    compiler: &Compiler,
    sources: &[(&str, &str)],
    flags: &[OsString],
    cache: Option<&Cache>,
    output: &Path,
) -> Result<(), CcError> {
    let folder = Scratch::new().map_err(CcError::Temporary)?;
    let library = folder.path().join("library.o");
    object(compiler, sources, flags, cache, &library)?;
    let mut args: Vec<OsString> = vec!["-shared".into(), library.into()];
    args.extend(["-Wl,-Bsymbolic", "-lpthread", "-ldl"].map(OsString::from));
    compiler.link(&args, output).map(|_| ())
}

fn digest(compiler: &Compiler, sources: &[(&str, &str)], flags: &[OsString]) -> String {
    let mut hash = Sha256::new();
    let mut add = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    add(b"fpgacc library 1");
    add(file_identity(compiler.program()).as_bytes());
    add(compiler.command().line().as_bytes());
    for flag in flags {
        add(flag.as_encoded_bytes());
    }
    for variable in [
        "CPATH",
        "C_INCLUDE_PATH",
        "COMPILER_PATH",
        "GCC_EXEC_PREFIX",
    ] {
        let value = std::env::var_os(variable).unwrap_or_default();
        add(value.as_encoded_bytes());
    }
    for (name, text) in sources {
        add(name.as_bytes());
        add(text.as_bytes());
    }
    hex(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::Language;

    #[test]
    fn the_object_holds_all_sources_and_is_compiled_once() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("cache"), u64::MAX);
        let compiler = Compiler::find(Language::C).unwrap();
        let sources = [
            ("a.h", "int b(void);\n"),
            ("a.c", "#include \"a.h\"\nint a(void) { return b(); }\n"),
            ("b.c", "int b(void) { return 7; }\n"),
        ];
        let make = |name: &str| {
            let output = folder.path().join(name);
            object(&compiler, &sources, &["-O2".into()], Some(&cache), &output).unwrap();
            fs::read(output).unwrap()
        };
        assert_eq!(make("1.o"), make("2.o"));
        let entries = fs::read_dir(cache.root()).unwrap().flatten();
        let entries = entries.filter(|entry| entry.path().is_dir());
        assert_eq!(entries.count(), 1);
        let main = folder.path().join("main.c");
        fs::write(&main, "int a(void);\nint main(void) { return a(); }\n").unwrap();
        let program = folder.path().join("main");
        let args = [main, folder.path().join("1.o")].map(OsString::from);
        compiler.link(&args, &program).unwrap();
        let status = process::Command::new(program).capture().unwrap().status;
        assert_eq!(status, process::Status::Code(7));
    }
}
