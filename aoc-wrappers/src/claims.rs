//! No output file is an input file, and none is written twice.
//!
//! Files are compared, not their names: links, and `./a.c` beside `a.c`, are found.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::output::Identity;

/// Why files may not be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Clash {
    /// An output is an input.
    #[error("input file '{}' is the same as output file '{}'", .input.display(), .output.display())]
    Input {
        /// As it was given.
        input: PathBuf,
        /// As it was given.
        output: PathBuf,
    },
    /// Two outputs are one file.
    #[error("two outputs have the same file: {}", both(.first, .second))]
    Twice {
        /// As it was given.
        first: PathBuf,
        /// As it was given.
        second: PathBuf,
    },
}

fn both(first: &Path, second: &Path) -> String {
    match first == second && first.as_os_str() == second.as_os_str() {
        true => format!("'{}'", first.display()),
        false => format!("'{}' is '{}'", first.display(), second.display()),
    }
}

/// Whether files may be written while others are read.
///
/// # Errors
/// An output that is an input, or another output too.
pub fn check<'a>(
    inputs: impl IntoIterator<Item = &'a Path>,
    outputs: &[PathBuf],
) -> Result<(), Clash> {
    let mut written: BTreeMap<Identity, &PathBuf> = BTreeMap::new();
    for output in outputs {
        let Some(identity) = Identity::of(output) else {
            continue;
        };
        if let Some(first) = written.insert(identity, output) {
            return Err(Clash::Twice {
                first: first.clone(),
                second: output.clone(),
            });
        }
    }
    for input in inputs {
        let output = Identity::of(input).and_then(|identity| written.get(&identity));
        if let Some(output) = output {
            return Err(Clash::Input {
                input: input.to_path_buf(),
                output: (*output).clone(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {

    #[test]
    fn outputs_are_no_inputs_and_no_other_outputs() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a.c"), "").unwrap();
        std::os::unix::fs::symlink("a.c", path("link")).unwrap();
        let check = |outputs: &[&str]| {
            let outputs: Vec<_> = outputs.iter().map(|name| path(name)).collect();
            super::check([path("a.c").as_path()], &outputs).map_err(|clash| clash.to_string())
        };
        assert_eq!(check(&["a", "a.d", "../none/a.c"]), Ok(()));
        assert!(check(&["a", "link"]).unwrap_err().contains("input file"));
        assert!(check(&["x", "./x"]).unwrap_err().contains("two outputs"));
    }
}
