//! Flags of cc that fpgacc hands on.
//!
//! Build systems ask a compiler many things before they trust it. What stands here is taken as the
//! host compiler takes it; what changes what fpgacc itself does, such as `-c` or `-M`, stands in
//! the other tables.

use super::flag::Shape::{Either, Equals, Next, NextOrJoined};
use super::flag::Step::{Ask, Compile, Link, Show};
use super::flag::{Flag, Step};

const HANDED: &str = "Given to the host compiler";
const LINKER: &str = "Given to the linker";
const ASKED: &str = "Ask the host compiler, and exit";

/// Steps that make the program, all of them.
const BOTH: &[Step] = &[Compile, Link];

const fn compile(name: &'static str, help: &'static str) -> Flag {
    Flag::one_dash(name, help).to(&[Compile])
}

const fn show(name: &'static str, help: &'static str) -> Flag {
    Flag::one_dash(name, help).to(&[Show])
}

const fn link(name: &'static str, help: &'static str) -> Flag {
    Flag::one_dash(name, help).to(&[Link])
}

const fn both(name: &'static str, help: &'static str) -> Flag {
    Flag::one_dash(name, help).to(BOTH)
}

const fn ask(name: &'static str) -> Flag {
    Flag::one_dash(name, ASKED).to(&[Ask])
}

/// All of them.
pub const FLAGS: &[Flag] = &[
    compile("std", "Language standard of the hosts").value(Equals, "STANDARD"),
    compile("include", "Include FILE first")
        .value(NextOrJoined, "FILE")
        .reads_file(),
    compile("imacros", "Take the macros of FILE first")
        .value(NextOrJoined, "FILE")
        .reads_file(),
    compile("isystem", "Search DIR for system headers").value(NextOrJoined, "DIR"),
    compile("iquote", "Search DIR for headers in quotes").value(NextOrJoined, "DIR"),
    compile("idirafter", "Search DIR for headers last").value(NextOrJoined, "DIR"),
    compile("iprefix", HANDED).value(NextOrJoined, "PREFIX"),
    compile("iwithprefix", HANDED).value(NextOrJoined, "DIR"),
    compile("iwithprefixbefore", HANDED).value(NextOrJoined, "DIR"),
    both("isysroot", "Root of the system's headers").value(NextOrJoined, "DIR"),
    Flag::two_dashes("sysroot", "Root of headers and libraries")
        .value(Either, "DIR")
        .to(BOTH),
    both("specs", HANDED).value(Equals, "FILE"),
    Flag::two_dashes("param", HANDED)
        .value(Either, "NAME=VALUE")
        .to(BOTH),
    both("stdlib", HANDED).value(Equals, "LIBRARY"),
    link("rtlib", HANDED).value(Equals, "LIBRARY"),
    link("unwindlib", HANDED).value(Equals, "LIBRARY"),
    compile("Xpreprocessor", "Give ARG to the preprocessor").value(Next, "ARG"),
    compile("Xassembler", "Give ARG to the assembler").value(Next, "ARG"),
    compile("Xclang", HANDED).value(Next, "ARG"),
    compile("nostdinc", "Do not search the standard system directories"),
    compile("nostdinc++", "Nor those of C++"),
    compile("ansi", HANDED),
    compile("pedantic", HANDED),
    compile("pedantic-errors", HANDED),
    compile("trigraphs", HANDED),
    compile("undef", HANDED),
    compile("remap", HANDED),
    compile("traditional-cpp", HANDED),
    show("dM", "With -E: show all macros"),
    show("dD", "With -E: keep definitions of macros"),
    show("dN", "With -E: keep names of macros"),
    show("dI", "With -E: keep #include"),
    show("dU", "With -E: keep used macros"),
    show("CC", "With -E: keep comments, also in macros"),
    both("pthread", "Compile and link with POSIX threads"),
    both("pie", "Make a position-independent executable"),
    both("no-pie", "Make a position-dependent executable"),
    both("pipe", HANDED),
    both("pg", "Make a program for gprof"),
    Flag::two_dashes("coverage", "Make a program for gcov").to(BOTH),
    both("no-canonical-prefixes", HANDED),
    link("shared", "Make a shared library"),
    link("static", "Link statically"),
    link(
        "static-pie",
        "Make a static position-independent executable",
    ),
    link("static-libgcc", HANDED),
    link("static-libstdc++", HANDED),
    link("shared-libgcc", HANDED),
    link("rdynamic", "Export all symbols"),
    link("symbolic", LINKER),
    link(
        "nostdlib",
        "Link with nothing that is not named; programs with OpenCL need the C library",
    ),
    link("nodefaultlibs", "Link with no library that is not named"),
    link("nostartfiles", "Link without the system's start files"),
    link("nolibc", HANDED),
    ask("print-file-name").value(Equals, "NAME"),
    ask("print-prog-name").value(Equals, "NAME"),
    ask("print-libgcc-file-name"),
    ask("print-multi-directory"),
    ask("print-multi-lib"),
    ask("print-multi-os-directory"),
    ask("print-multiarch"),
    ask("print-resource-dir"),
    ask("print-search-dirs"),
    ask("print-sysroot"),
    ask("print-sysroot-headers-suffix"),
    ask("print-target-triple"),
    ask("dumpfullversion"),
    ask("dumpmachine"),
    ask("dumpspecs"),
    ask("dumpversion"),
    Flag::two_dashes("target-help", ASKED).to(&[Ask]),
    Flag::letter('T', "script", LINKER)
        .value(Next, "ARG")
        .reads_file()
        .to(&[Link]),
    Flag::letter('u', "undefined", LINKER)
        .value(Next, "ARG")
        .to(&[Link]),
    Flag::letter('z', "keyword", LINKER)
        .value(Next, "ARG")
        .to(&[Link]),
    Flag::letter('e', "entry", LINKER)
        .value(Next, "ARG")
        .to(&[Link]),
    Flag::letter('B', "prefix", HANDED)
        .value(Next, "ARG")
        .to(BOTH),
    Flag::letter('A', "assertion", HANDED)
        .value(Next, "ARG")
        .to(&[Compile]),
    Flag::letter('P', "no-line-markers", HANDED).to(&[Show]),
    Flag::letter('C', "comments", HANDED).to(&[Show]),
    Flag::letter('H', "show-headers", HANDED).to(&[Compile]),
    Flag::letter('t', "trace-links", LINKER).to(&[Link]),
];
