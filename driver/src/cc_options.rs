//! Options of cc that fpgacc hands on: which there are, how they are written, and which steps they
//! concern.
//!
//! Build systems ask a compiler many things before they trust it. What stands here is taken as the
//! host compiler takes it; what changes what fpgacc itself does, such as `-c` or `-M`, is defined in
//! [`crate::cli`].

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches};

/// How an option is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// `-shared`
    Flag,
    /// `-std=c99`
    Equals,
    /// `-include file`
    Next,
    /// `--sysroot=folder` or `--sysroot folder`
    Either,
}

/// What an option is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Preprocessing and compiling.
    Compile,
    /// What `-E` shows.
    Show,
    /// Linking.
    Link,
    /// All of it.
    Both,
    /// It is a question about the compiler.
    Ask,
}

/// An option of cc with a long name.
pub struct CcOption {
    /// Without dashes.
    pub name: &'static str,
    shape: Shape,
    step: Step,
    what: &'static str,
    help: &'static str,
}

const fn flag(name: &'static str, step: Step, help: &'static str) -> CcOption {
    CcOption {
        name,
        shape: Shape::Flag,
        step,
        what: "",
        help,
    }
}

const fn value(
    name: &'static str,
    shape: Shape,
    step: Step,
    what: &'static str,
    help: &'static str,
) -> CcOption {
    CcOption {
        name,
        shape,
        step,
        what,
        help,
    }
}

use Shape::{Either, Equals, Next};
use Step::{Ask, Both, Compile, Link, Show};

const HANDED: &str = "Given to the host compiler";
const LINKER: &str = "Given to the linker";
const ASKED: &str = "Ask the host compiler, and exit";

/// All of them. cc writes those with one dash that [`has_two_dashes`] does not name.
pub const OPTIONS: &[CcOption] = &[
    value(
        "std",
        Equals,
        Compile,
        "STANDARD",
        "Language standard of the hosts",
    ),
    value("include", Next, Compile, "FILE", "Include FILE first"),
    value(
        "imacros",
        Next,
        Compile,
        "FILE",
        "Take the macros of FILE first",
    ),
    value(
        "isystem",
        Next,
        Compile,
        "DIR",
        "Search DIR for system headers",
    ),
    value(
        "iquote",
        Next,
        Compile,
        "DIR",
        "Search DIR for headers in quotes",
    ),
    value(
        "idirafter",
        Next,
        Compile,
        "DIR",
        "Search DIR for headers last",
    ),
    value("iprefix", Next, Compile, "PREFIX", HANDED),
    value("iwithprefix", Next, Compile, "DIR", HANDED),
    value("iwithprefixbefore", Next, Compile, "DIR", HANDED),
    value(
        "isysroot",
        Next,
        Both,
        "DIR",
        "Root of the system's headers",
    ),
    value(
        "sysroot",
        Either,
        Both,
        "DIR",
        "Root of headers and libraries",
    ),
    value("specs", Equals, Both, "FILE", HANDED),
    value("param", Either, Both, "NAME=VALUE", HANDED),
    value("stdlib", Equals, Both, "LIBRARY", HANDED),
    value("rtlib", Equals, Link, "LIBRARY", HANDED),
    value("unwindlib", Equals, Link, "LIBRARY", HANDED),
    value(
        "Xpreprocessor",
        Next,
        Compile,
        "ARG",
        "Give ARG to the preprocessor",
    ),
    value(
        "Xassembler",
        Next,
        Compile,
        "ARG",
        "Give ARG to the assembler",
    ),
    value("Xclang", Next, Compile, "ARG", HANDED),
    flag(
        "nostdinc",
        Compile,
        "Do not search the standard system directories",
    ),
    flag("nostdinc++", Compile, "Nor those of C++"),
    flag("ansi", Compile, HANDED),
    flag("pedantic", Compile, HANDED),
    flag("pedantic-errors", Compile, HANDED),
    flag("trigraphs", Compile, HANDED),
    flag("undef", Compile, HANDED),
    flag("remap", Compile, HANDED),
    flag("traditional-cpp", Compile, HANDED),
    flag("dM", Show, "With -E: show all macros"),
    flag("dD", Show, "With -E: keep definitions of macros"),
    flag("dN", Show, "With -E: keep names of macros"),
    flag("dI", Show, "With -E: keep #include"),
    flag("dU", Show, "With -E: keep used macros"),
    flag("CC", Show, "With -E: keep comments, also in macros"),
    flag("pthread", Both, "Compile and link with POSIX threads"),
    flag("pie", Both, "Make a position-independent executable"),
    flag("no-pie", Both, "Make a position-dependent executable"),
    flag("pipe", Both, HANDED),
    flag("pg", Both, "Make a program for gprof"),
    flag("coverage", Both, "Make a program for gcov"),
    flag("no-canonical-prefixes", Both, HANDED),
    flag("shared", Link, "Make a shared library"),
    flag("static", Link, "Link statically"),
    flag(
        "static-pie",
        Link,
        "Make a static position-independent executable",
    ),
    flag("static-libgcc", Link, HANDED),
    flag("static-libstdc++", Link, HANDED),
    flag("shared-libgcc", Link, HANDED),
    flag("rdynamic", Link, "Export all symbols"),
    flag("symbolic", Link, LINKER),
    flag(
        "nostdlib",
        Link,
        "Link with nothing that is not named; programs with OpenCL need the C library",
    ),
    flag(
        "nodefaultlibs",
        Link,
        "Link with no library that is not named",
    ),
    flag(
        "nostartfiles",
        Link,
        "Link without the system's start files",
    ),
    flag("nolibc", Link, HANDED),
    value("print-file-name", Equals, Ask, "NAME", ASKED),
    value("print-prog-name", Equals, Ask, "NAME", ASKED),
    flag("print-libgcc-file-name", Ask, ASKED),
    flag("print-multi-directory", Ask, ASKED),
    flag("print-multi-lib", Ask, ASKED),
    flag("print-multi-os-directory", Ask, ASKED),
    flag("print-multiarch", Ask, ASKED),
    flag("print-resource-dir", Ask, ASKED),
    flag("print-search-dirs", Ask, ASKED),
    flag("print-sysroot", Ask, ASKED),
    flag("print-sysroot-headers-suffix", Ask, ASKED),
    flag("print-target-triple", Ask, ASKED),
    flag("dumpfullversion", Ask, ASKED),
    flag("dumpmachine", Ask, ASKED),
    flag("dumpspecs", Ask, ASKED),
    flag("dumpversion", Ask, ASKED),
    flag("target-help", Ask, ASKED),
];

/// Options of one letter that are handed on with a value: `-T script`.
const LETTERS: [(&str, char, Step); 6] = [
    ("script", 'T', Link),
    ("undefined", 'u', Link),
    ("keyword", 'z', Link),
    ("entry", 'e', Link),
    ("prefix", 'B', Both),
    ("assertion", 'A', Compile),
];

/// Flags of one letter that are handed on.
const LETTER_FLAGS: [(&str, char, Step); 4] = [
    ("no-line-markers", 'P', Show),
    ("comments", 'C', Show),
    ("show-headers", 'H', Compile),
    ("trace-links", 't', Link),
];

/// Whether cc writes an option with two dashes.
pub fn has_two_dashes(name: &str) -> bool {
    matches!(name, "sysroot" | "param" | "coverage" | "target-help")
}

/// The definition with a name that is followed by its value in a word of its own, or begins a word with
/// its value: `-isystem/usr/include`.
pub fn joined(word: &str) -> Option<(&'static str, &str)> {
    let names = OPTIONS.iter().filter(|one| one.shape == Next);
    let names = names
        .map(|one| one.name)
        .filter(|name| name.starts_with('i'));
    let mut found: Vec<_> = names
        .filter_map(|name| Some((name, word.strip_prefix(name)?)))
        .filter(|(_, value)| !value.is_empty() && !value.starts_with('='))
        .collect();
    found.sort_by_key(|(name, _)| name.len());
    found.pop()
}

/// Whether the word after an option is its value.
pub fn takes_next(name: &str) -> bool {
    let long = OPTIONS.iter().find(|one| one.name == name);
    let is_letter = |letter: char| name.chars().eq([letter]);
    long.is_some_and(|one| matches!(one.shape, Next | Either))
        || LETTERS.iter().any(|(_, letter, _)| is_letter(*letter))
}

/// Their definitions.
pub fn args(heading: &'static str) -> Vec<Arg> {
    let long = OPTIONS.iter().map(|one| {
        let arg = Arg::new(one.name)
            .long(one.name)
            .help_heading(heading)
            .help(one.help);
        match one.shape {
            Shape::Flag => arg.action(ArgAction::SetTrue),
            _ => arg
                .action(ArgAction::Append)
                .allow_hyphen_values(true)
                .require_equals(one.shape == Equals)
                .value_name(one.what),
        }
    });
    let letters = LETTERS.iter().map(|(name, letter, step)| {
        Arg::new(*name)
            .short(*letter)
            .action(ArgAction::Append)
            .allow_hyphen_values(true)
            .value_name("ARG")
            .help_heading(heading)
            .help(if *step == Link { LINKER } else { HANDED })
    });
    let flags = LETTER_FLAGS.iter().map(|(name, letter, step)| {
        Arg::new(*name)
            .short(*letter)
            .action(ArgAction::SetTrue)
            .help_heading(heading)
            .help(if *step == Link { LINKER } else { HANDED })
    });
    long.chain(letters).chain(flags).collect()
}

/// The words of a command line that concern a step, each with its place.
pub fn words(matches: &ArgMatches, wanted: &[Step]) -> Vec<(usize, Vec<OsString>)> {
    let mut out = Vec::new();
    let dashes = |name: &str| if has_two_dashes(name) { "--" } else { "-" };
    for one in OPTIONS.iter().filter(|one| wanted.contains(&one.step)) {
        let option = format!("{}{}", dashes(one.name), one.name);
        match one.shape {
            Shape::Flag => out.extend(place(matches, one.name).map(|at| (at, vec![option.into()]))),
            Equals | Either => out.extend(
                values(matches, one.name)
                    .map(|(at, value)| (at, vec![format!("{option}={value}").into()])),
            ),
            Next => out.extend(
                values(matches, one.name)
                    .map(|(at, value)| (at, vec![option.clone().into(), value.into()])),
            ),
        }
    }
    for (name, letter, _) in LETTERS.iter().filter(|(.., step)| wanted.contains(step)) {
        let option = format!("-{letter}");
        out.extend(
            values(matches, name)
                .map(|(at, value)| (at, vec![option.clone().into(), value.into()])),
        );
    }
    for (name, letter, _) in LETTER_FLAGS
        .iter()
        .filter(|(.., step)| wanted.contains(step))
    {
        out.extend(place(matches, name).map(|at| (at, vec![format!("-{letter}").into()])));
    }
    out
}

/// Where a flag stands, if it was given.
fn place(matches: &ArgMatches, name: &str) -> Option<usize> {
    let is_given = matches.value_source(name) == Some(ValueSource::CommandLine);
    is_given.then(|| matches.index_of(name).unwrap_or_default())
}

fn values<'a>(matches: &'a ArgMatches, name: &str) -> impl Iterator<Item = (usize, &'a String)> {
    let values = matches.get_many::<String>(name).into_iter().flatten();
    matches.indices_of(name).into_iter().flatten().zip(values)
}
