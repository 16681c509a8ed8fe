//! All flags.

use std::ffi::OsString;

use clap::ArgMatches;

use super::flag::{Flag, Step};
use super::{host_compiler, own};

const HOST: &str = "Host compiler and linker";

/// All flags, by the heading under which the help shows them.
pub const TABLES: [(&str, &[Flag]); 6] = [
    ("Output", own::OUTPUT),
    ("Kernels", own::KERNELS),
    (HOST, own::HOST),
    (HOST, host_compiler::FLAGS),
    ("Dependency files", own::DEPENDENCIES),
    ("Messages", own::MESSAGES),
];

/// All flags, in the order of the help.
pub fn flags() -> impl Iterator<Item = &'static Flag> {
    TABLES.iter().flat_map(|(_, flags)| *flags)
}

/// The words of a command line that a step of the host compiler gets, each with its index.
pub fn handed(matches: &ArgMatches, step: Step) -> Vec<(usize, Vec<OsString>)> {
    let mut words: Vec<_> = flags()
        .flat_map(|flag| flag.handed(matches, step))
        .collect();
    words.sort();
    words
}

/// The flags whose values are files that are read.
pub fn read_files() -> impl Iterator<Item = &'static str> {
    flags()
        .filter(|flag| flag.names_read_file())
        .map(|flag| flag.id)
}
