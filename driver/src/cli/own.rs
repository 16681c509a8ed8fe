//! Flags that change what fpgacc itself does.

use clap::ValueHint;
use fpgacc_decision::{ExecutionModel, SearchTime};

use super::flag::Shape::{Either, Equals, Joined, NextOrJoined, Optional};
use super::flag::Step::{Compile, Input, Link};
use super::flag::{Flag, Step};
use crate::message_format::Format;
use crate::nearly::nearest;

/// A flag with a long name and a value.
const fn value(name: &'static str, what: &'static str, help: &'static str) -> Flag {
    Flag::two_dashes(name, help).value(Either, what)
}

/// A letter whose value may be a word of its own.
const fn letter(letter: char, id: &'static str, what: &'static str, help: &'static str) -> Flag {
    Flag::letter(letter, id, help).value(Either, what)
}

/// What is made.
pub const OUTPUT: &[Flag] = &[
    letter('o', "output", "FILE", "Write the output to FILE")
        .common("Write the output to FILE")
        .single()
        .hint(ValueHint::FilePath),
    Flag::letter(
        'c',
        "compile",
        "Compile each source to an object (.o); do not link",
    )
    .common("Compile each source to an object (.o); do not link"),
    Flag::letter(
        'S',
        "assemble",
        "Stop at assembly (hosts, .s) and at rewritten OpenCL C (kernels, .fpga.cl)",
    ),
    Flag::letter('E', "preprocess", "Stop after the preprocessor"),
    Flag::two_dashes(
        "verify",
        "Build the program, run it with its original and with the rewritten kernels, and compare \
         everything that it reads back; its arguments stand after --",
    )
    .common("Run the program with original and with rewritten kernels, and compare"),
    value(
        "emit",
        "WHAT",
        "Print a stage instead of compiling: the rewritten kernels (kernels), the patched host (host), as a \
         unified diff (host-diff), launch facts (facts), or the kernels' typed syntax tree (ast)",
    )
    .common("Print a stage: kernels, host, host-diff, facts or ast")
    .one_of(&["kernels", "host", "host-diff", "facts", "ast"]),
    value(
        "target",
        "TARGET",
        "Where the kernels will run: emulator (default), simulator (Intel's, of RTL), hardware (a board), or \
         source: nowhere, just write the rewritten sources",
    )
    .common("emulator (default), simulator, hardware, or source: only rewrite")
    .one_of(&["emulator", "simulator", "hardware", "source"])
    .refine(|arg| arg.env("FPGACC_TARGET")),
    value(
        "platform",
        "PLATFORM",
        "The emulator: Intel's FPGA emulation platform, PoCL, or aoc's own (default: the first of \
         aoc, intel and pocl that is installed); or a GPU of NVIDIA's in its place, where \
         kernels keep their form",
    )
    .one_of(&["intel", "pocl", "aoc", "nvidia"])
    .refine(|arg| arg.env("FPGACC_PLATFORM")),
    Flag::one_dash(
        "save-temps",
        "Keep intermediate files (patched hosts, rewritten kernels, manifest) in DIR",
    )
    .value(Optional("."), "DIR")
    .single(),
];

/// What becomes of kernels.
pub const KERNELS: &[Flag] = &[
    value(
        "kernel-opt",
        "LEVEL",
        "0: kernels as they are; 1: constants of the host, restrict, work-group sizes; 2 (default): \
         also single work-items and shift registers, which reassociate, where they are faster; 3: \
         also search for the width of each kernel. -O is for hosts only",
    )
    .common("How much is done to kernels, 0 to 3 (default 2); -O is for hosts")
    .one_of(&["0", "1", "2", "3"]),
    Flag::one_dash(
        "fexecution-model",
        "The form of all kernels, or of one (KERNEL:MODEL): as the host launches them (ndrange), single work-items \
         where they can be (swi), or what the performance model finds faster (auto, default)",
    )
    .common("ndrange, swi (single work-items), or auto (default)")
    .value(Equals, "MODEL")
    .refine(|arg| arg.value_parser(execution_model)),
    Flag::letter(
        'f',
        "feature",
        "Turn a pass on or off; other -f options go to the host compiler",
    )
    .common("Turn a pass on or off")
    .value(Joined, "[no-]PASS")
    .to(&[Compile, Link])
    .handed_if(|feature, _| !is_pass(switch(feature).0) && feature != "syntax-only"),
];

/// How kernels are decided on and built. The options of passes stand before them.
pub const BUILDS: &[Flag] = &[
    value(
        "search-time",
        "TIME",
        "How long --kernel-opt=3 searches for the best form of each kernel: seconds, such as 60s, or none for \
         no limit (default 1s); counted in forms, so that every machine finds the same",
    )
    .single()
    .refine(|arg| arg.value_parser(str::parse::<SearchTime>)),
    Flag::one_dash(
        "fgeometry",
        "Launch kernels that see nothing of their work-groups with the local size that suits DEVICE: pocl, h100, h200, fpga \
         or a file (.yaml); without DEVICE, pocl for emulators and fpga for boards. The host keeps what it asks for, and \
         what it is told",
    )
    .value(Optional(""), "DEVICE")
    .single(),
    Flag::two_dashes(
        "keep-general",
        "Also build each kernel as it is, for launches that differ from what its rewritten version \
         was compiled for; by default only kernels that rely on what is not proved",
    ),
    Flag::two_dashes(
        "no-general",
        "Build no kernel also as it is: less area, but launches that differ from what is assumed fail",
    )
    .refine(|arg| arg.conflicts_with("keep-general")),
    Flag::two_dashes(
        "as-on-board",
        "For an emulator, build the kernels that a board would get, and no others: a launch that was not \
         foreseen fails then, as it would there; by default it gets the kernel as it was written, with a warning, \
         and floating-point sums keep their order",
    ),
    value("stop-after", "PASS", "Run no pass after PASS").single(),
    Flag::two_dashes("print-passes", "List the passes, in their order, and exit")
        .common("List the passes"),
    value(
        "board",
        "BOARD",
        "Compile for this board (aoc -list-boards), and predict for it",
    )
    .common("Compile for this board (aoc -list-boards), and predict for it")
    .single(),
    value(
        "board-file",
        "FILE",
        "Predict for the board that FILE describes (.yaml)",
    )
    .single()
    .reads_file()
    .hint(ValueHint::FilePath),
    value(
        "use-report",
        "DIR",
        "Take intervals, area and clock from the report that aoc left in DIR, in place of predictions",
    )
    .single()
    .hint(ValueHint::DirPath),
    value(
        "measured",
        "FILE",
        "Take times of forms that were measured from FILE (.csv: kernel,form,ms), and what they say of others, \
         in place of predictions",
    )
    .single()
    .reads_file()
    .hint(ValueHint::FilePath),
    value("aoc", "PATH", "Use this aoc")
        .single()
        .hint(ValueHint::ExecutablePath)
        .refine(|arg| arg.env("FPGACC_AOC")),
    value(
        "facts",
        "FILE",
        "Use the launch facts in FILE, as if it stood among the inputs",
    )
    .common("Use the launch facts in FILE (fpgacc trace, --emit=facts)")
    .hint(ValueHint::FilePath),
    Flag::one_dash(
        "Xkernel",
        "A clBuildProgram option (-DN=16) for programs whose options the host composes at run time",
    )
    .common("A clBuildProgram option that the host composes: -Xkernel -DN=16")
    .value(Either, "OPTION"),
    Flag::one_dash("Xaoc", "Give ARG to aoc").value(Either, "ARG"),
];

/// What the host compiler and the linker get, and fpgacc looks at.
pub const HOST: &[Flag] = &[
    letter(
        'D',
        "define",
        "NAME[=VALUE]",
        "Define a macro, for hosts, and for kernels whose build options are not known",
    )
    .to(&[Compile]),
    letter('U', "undefine", "NAME", "Undefine a macro").to(&[Compile]),
    letter(
        'I',
        "include-dir",
        "DIR",
        "Search DIR for included files",
    )
    .hint(ValueHint::DirPath)
    .to(&[Compile]),
    letter('L', "library-dir", "DIR", "Search DIR for libraries")
        .hint(ValueHint::DirPath)
        .to(&[Link]),
    letter(
        'l',
        "library",
        "NAME",
        "Link with a library (OpenCL is added)",
    )
    .to(&[Input]),
    Flag::letter('W', "warning", "Given to the host compiler, as -Wall or -Wl,ARG")
        .value(Joined, "ARG")
        .to(&[Compile, Input])
        .handed_if(is_warning_for),
    Flag::letter('m', "machine", "Given to the host compiler")
        .value(Joined, "ARG")
        .to(&[Compile, Link]),
    Flag::letter(
        'O',
        "optimise",
        "Given to the host compiler; kernels have --kernel-opt",
    )
    .value(Joined, "LEVEL")
    .to(&[Compile, Link]),
    Flag::letter('g', "debug", "Debug information")
        .value(Joined, "LEVEL")
        .to(&[Compile, Link]),
    letter(
        'x',
        "language",
        "LANGUAGE",
        "Take the following files as c, c++, cl or none (by suffix)",
    ),
    Flag::letter('w', "no-warnings", "No warnings").to(&[Compile]),
    Flag::letter('s', "strip", "Strip the executable").to(&[Link]),
    Flag::letter(
        'r',
        "relocatable",
        "Join objects to one object, for a later link",
    )
    .to(&[Link]),
    value(
        "driver-mode",
        "MODE",
        "Behave as cc or as c++, which takes .c files as C++ and links with the C++ library; fpgacc \
         called as fpgacc++ behaves as c++",
    )
    .one_of(&["cc", "c++"]),
    Flag::one_dash("Xcc", "Give ARG to the host compiler")
        .value(Either, "ARG")
        .to(&[Compile])
        .value_after(""),
    Flag::one_dash("Xlinker", "Give ARG to the linker")
        .value(Either, "ARG")
        .to(&[Input])
        .value_after("-Wl,"),
];

/// Rules for make.
pub const DEPENDENCIES: &[Flag] = &[
    Flag::one_dash("MD", "Write a dependency file beside the output"),
    Flag::letter('M', "rules", "Print a rule for make instead of compiling"),
    Flag::one_dash("MM", "The same, without system headers"),
    Flag::one_dash("MMD", "The same, without system headers"),
    Flag::one_dash("MF", "Write it to FILE")
        .value(NextOrJoined, "FILE")
        .single(),
    Flag::one_dash("MT", "Name its target").value(NextOrJoined, "TARGET"),
    Flag::one_dash("MQ", "The same, with what make reads specially quoted")
        .value(NextOrJoined, "TARGET"),
    Flag::one_dash("MP", "Add an empty rule for each header"),
];

/// What is said. The names of records are LLVM's, so that what knows clang's options knows these.
pub const MESSAGES: &[Flag] = &[
    Flag::two_dashes(
        "version",
        "Print the version, and that of the host compiler",
    )
    .common("Print the version"),
    Flag::two_dashes("help", "Print a summary")
        .common("Print this summary")
        .refine(|arg| arg.short('h')),
    Flag::two_dashes("help-all", "Print all options")
        .common("Print all options, by what they are for"),
    Flag::letter('v', "verbose", "Print the commands that are run")
        .common("Print the commands that are run")
        .to(&[Compile, Link]),
    Flag::one_dash(
        "###",
        "Print the commands that make files, but run none of them",
    ),
    Flag::one_dash(
        "Rpass",
        "Report what was rewritten, by all passes or those whose name has PASS, a regular expression",
    )
    .common("Report what was rewritten, by all passes or those named like PASS")
    .value(Optional(""), "PASS")
    .single(),
    Flag::one_dash("Rpass-missed", "Report what was not rewritten, and why")
        .common("Report what was not rewritten, and why")
        .value(Optional(""), "PASS")
        .single(),
    Flag::one_dash(
        "Rpass-analysis",
        "Report what was found out about kernels, on which choices rest",
    )
    .value(Optional(""), "PASS")
    .single(),
    Flag::two_dashes("quiet", "No progress"),
    Flag::one_dash(
        "fdiagnostics-format",
        "How messages are written to standard error: text (default), json (gcc's), or sarif, for editors and code \
         scanning; those of the host compiler, too",
    )
    .value(Equals, "FORMAT")
    .one_of(&Format::WORDS),
    value("color", "WHEN", "auto (default), always or never").one_of(&["auto", "always", "never"]),
    value(
        "generate",
        "WHAT",
        "Print the man page or a shell's completions, or write all that is installed beside the \
         commands into the folder that -o names",
    )
    .one_of(&["man", "bash", "zsh", "fish", "share"])
    .refine(|arg| arg.hide(true)),
    Flag::one_dash(
        "fsave-optimization-record",
        "Write all remarks into a file that LLVM's opt-viewer and llvm-opt-report read \
         (OUTPUT.opt.yaml)",
    )
    .value(Optional("yaml"), "FORMAT")
    .one_of(&["yaml"]),
    Flag::one_dash("fno-save-optimization-record", "Do not (default)")
        .refine(|arg| arg.overrides_with("fsave-optimization-record")),
    Flag::one_dash("foptimization-record-file", "Write them to FILE")
        .value(Equals, "FILE")
        .single()
        .hint(ValueHint::FilePath),
    Flag::one_dash(
        "foptimization-record-passes",
        "Write only those of passes whose name contains PASS",
    )
    .value(Equals, "PASS")
    .single(),
];

/// `-Wl,..` is in order with the files; `-Wp,-MD,..` asks fpgacc for a rule for make.
fn is_warning_for(warning: &str, step: Step) -> bool {
    let is_for_linker = warning.starts_with("l,");
    match step {
        Input => is_for_linker,
        _ => !is_for_linker && rule_by_preprocessor(warning).is_none(),
    }
}

/// `-Wp,-MD,file`, which is `-MD -MF file`, and `-Wp,-MMD,file`: the file, and whether it is the second.
pub fn rule_by_preprocessor(warning: &str) -> Option<(&str, bool)> {
    let rest = warning.strip_prefix("p,-M")?;
    match rest.strip_prefix("MD,") {
        Some(file) => Some((file, true)),
        None => Some((rest.strip_prefix("D,")?, false)),
    }
}

/// The name in `-f<name>` or `-fno-<name>`, and whether that turns it on.
pub fn switch(feature: &str) -> (&str, bool) {
    match feature.strip_prefix("no-") {
        Some(name) => (name, false),
        None => (feature, true),
    }
}

/// Whether there is a pass with this name.
pub fn is_pass(name: &str) -> bool {
    fpgacc_device_passes::passes::ALL
        .iter()
        .any(|pass| pass.name() == name)
}

/// `auto`, or `kernel:swi`.
fn execution_model(text: &str) -> Result<String, String> {
    let word = text.rsplit_once(':').map_or(text, |(_, word)| word);
    let known = ExecutionModel::WORDS;
    match known.contains(&word) {
        true => Ok(text.to_string()),
        false => Err(match nearest(word, known) {
            Some(meant) => format!("not one of {}\ndid you mean '{meant}'?", known.join(", ")),
            None => format!("not one of {}", known.join(", ")),
        }),
    }
}
