//! All flags.

use std::ffi::OsString;

use clap::ArgMatches;

use super::flag::{Flag, Step};
use super::{host_compiler, own, pass_flags};

const KERNELS: &str = "Kernels";
const HOST: &str = "Host compiler and linker";

/// All flags, by the heading under which the help shows them.
pub fn tables() -> [(&'static str, &'static [Flag]); 8] {
    [
        ("Output", own::OUTPUT),
        (KERNELS, own::KERNELS),
        (KERNELS, &pass_flags::FLAGS),
        (KERNELS, own::BUILDS),
        (HOST, own::HOST),
        (HOST, host_compiler::FLAGS),
        ("Dependency files", own::DEPENDENCIES),
        ("Messages", own::MESSAGES),
    ]
}

/// All flags, in the order of the help.
pub fn flags() -> impl Iterator<Item = &'static Flag> {
    tables().into_iter().flat_map(|(_, flags)| flags)
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
