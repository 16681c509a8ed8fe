//! Seeds of random tests: the same in every run unless the environment says otherwise, so that what
//! failed once fails again.

use std::fs;
use std::ops::Range;
use std::path::PathBuf;

/// The seeds to run: one after the other from `FPGACC_SEED` (1 if it is not set), as many as
/// `FPGACC_BATCHES` says (`batches` if it is not set).
///
/// # Panics
/// If a variable is not a number: a mistyped seed must not silently be another one.
pub fn seeds(batches: u64) -> Range<u64> {
    let first = number("FPGACC_SEED", 1);
    first..first.saturating_add(number("FPGACC_BATCHES", batches))
}

fn number(name: &str, default: u64) -> u64 {
    let Some(text) = std::env::var_os(name) else {
        return default;
    };
    let parsed = text.to_str().and_then(|text| text.parse().ok());
    parsed.unwrap_or_else(|| panic!("{name} is no number: {}", text.to_string_lossy()))
}

/// Fails a random test. The kernels that failed go to a file that stays, and the message says with
/// which seed they come again.
///
/// # Panics
/// Always.
pub fn fail(test: &str, seed: u64, source: &str, why: &str) -> ! {
    let kept = match keep(test, seed, source) {
        Ok(path) => format!("the kernels are in {}", path.display()),
        Err(error) => format!("the kernels could not be written to a file: {error}"),
    };
    panic!(
        "{test}, seed {seed}: {why}\n{source}\n{kept}; \
         again with FPGACC_SEED={seed} FPGACC_BATCHES=1 cargo test -p fpgacc-tests {test}"
    );
}

/// Fails a random test of kernels that were compared together, with the first that fails alone too: it says
/// more than all of them. `fault` compares some; `source` is the text of their program.
///
/// # Panics
/// Always.
pub fn fail_smallest<T>(
    test: &str,
    seed: u64,
    kernels: &[T],
    why: &str,
    fault: impl Fn(&[T]) -> Option<String>,
    source: impl Fn(&[T]) -> String,
) -> ! {
    let mut each = kernels.chunks(1);
    match each.find_map(|one| fault(one).map(|why| (one, why))) {
        Some((one, why)) => fail(test, seed, &source(one), &why),
        None => fail(
            test,
            seed,
            &source(kernels),
            &format!("only together: {why}"),
        ),
    }
}

fn keep(test: &str, seed: u64, source: &str) -> std::io::Result<PathBuf> {
    let folder = std::env::temp_dir().join("fpgacc-failed");
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{test}-{seed}.cl"));
    fs::write(&path, source)?;
    Ok(path)
}
