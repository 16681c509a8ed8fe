//! Finding the commands under test.

use std::ffi::OsString;
use std::path::PathBuf;

/// The folder of the built commands, `target/<profile>`: where this test's own executable lies.
///
/// # Panics
/// If `fpgacc` is not built.
pub fn built() -> PathBuf {
    let own = std::env::current_exe().expect("a process knows its executable");
    let mut folder = own.parent().expect("it lies in a folder").to_path_buf();
    if folder.ends_with("deps") {
        folder.pop();
    }
    assert!(
        folder.join("fpgacc").is_file() && folder.join("fpgacc-aoc").is_file(),
        "there are no fpgacc and fpgacc-aoc in {}: run `cargo build --workspace` first",
        folder.display()
    );
    folder
}

/// `$PATH` with the folder of the built commands in front.
///
/// # Panics
/// If `fpgacc` is not built.
pub fn path_with_fpgacc() -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(built()).chain(std::env::split_paths(&path));
    std::env::join_paths(folders).expect("a folder of $PATH has no colon")
}
