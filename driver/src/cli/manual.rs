//! What help and manual pages say of the commands beside their options.

use clap::Command;

use super::commands;
use super::environment::Reader;

/// A command, as its manual page describes it.
pub struct Manual {
    /// Its options, and its name: `fpgacc report`.
    pub command: fn() -> Command,
    /// Its words in the place of options, a line each.
    pub synopsis: &'static [&'static str],
    /// What it does, in paragraphs.
    pub description: &'static [&'static str],
    /// Who looks at the variables that its page lists.
    pub reader: Reader,
    /// What a line is for, and the line.
    pub examples: &'static [(&'static str, &'static str)],
}

/// The command itself.
pub const FPGACC: Manual = Manual {
    command: super::command,
    synopsis: &[
        "fpgacc [OPTIONS] FILE...",
        "fpgacc --verify [OPTIONS] FILE... -- ARGUMENTS",
        "fpgacc COMMAND ...",
    ],
    description: &[
        "fpgacc compiles an OpenCL program written for GPUs, host and kernels together, for an FPGA. \
         It reads the host to learn how kernels are launched, rewrites the kernels into the shape that \
         an FPGA compiler pipelines well, compiles them with Intel's offline compiler aoc or for the \
         emulator, and links a host whose launches match. The sources stay as they are.",
        "fpgacc++ is fpgacc that takes .c files as C++ and links with the C++ library.",
    ],
    reader: Reader::All,
    examples: &[
        (
            "Compile a program, and run it:",
            "fpgacc host.c kernels.cl -o app && ./app",
        ),
        (
            "Say what was done to kernels, and what was not:",
            "fpgacc -Rpass -Rpass-missed host.c kernels.cl -o app",
        ),
        (
            "Compare the rewritten program with the original one:",
            "fpgacc --verify host.c kernels.cl -- arguments of the program",
        ),
        (
            "Compile for a board:",
            "fpgacc --target=hardware --board=p385a_sch_ax115 host.c kernels.cl -o app",
        ),
    ],
};

/// The commands that have options of their own, in the order of the help.
pub const COMMANDS: [Manual; 7] = [
    Manual {
        command: commands::doctor_command,
        synopsis: &["fpgacc doctor"],
        description: &[
            "Looks for C compilers, Intel's aoc and emulators, builds a small kernel with each, and \
             says for what is missing which package brings it. The exit code is 0 if programs can be \
             built.",
        ],
        reader: Reader::Build,
        examples: &[("See what can be used here:", "fpgacc doctor")],
    },
    Manual {
        command: commands::facts_command,
        synopsis: &[
            "fpgacc facts explain FILE:LINE [FILES AND OPTIONS OF A BUILD]",
            "fpgacc facts compare A.yaml B.yaml",
            "fpgacc facts schema",
        ],
        description: &[
            "Launch facts are what is known of a host's launches: proved by its text, recorded from a \
             run, or given in a file.",
        ],
        reader: Reader::Build,
        examples: &[
            (
                "Write down what the host's text says:",
                "fpgacc --emit=facts host.c kernels.cl >facts.yaml",
            ),
            (
                "Explain what is known of the launch in a line:",
                "fpgacc facts explain host.c:79 host.c kernels.cl",
            ),
            (
                "See whether a run contradicts the analysis:",
                "fpgacc facts compare facts.yaml recorded.yaml",
            ),
        ],
    },
    Manual {
        command: commands::report_command,
        synopsis: &["fpgacc report [--html | --json] [-o FILE] FILES AND OPTIONS OF A BUILD"],
        description: &[
            "Takes all options of a build, builds nothing, and reports which form each kernel gets \
             on the board, the initiation interval of each loop and what limits it, the units that \
             access memory, clock, area and time of all forms that were tried, and what to change to \
             gain more.",
        ],
        reader: Reader::Build,
        examples: &[
            (
                "Tables for the terminal:",
                "fpgacc report host.c kernels.cl",
            ),
            (
                "A page for browsers:",
                "fpgacc report --html -o report.html host.c kernels.cl",
            ),
            (
                "Numbers of an earlier run of aoc:",
                "fpgacc report --use-report app host.c kernels.cl",
            ),
            (
                "Times that were measured of some forms, and what they say of the others:",
                "fpgacc report --measured times.csv host.c kernels.cl",
            ),
        ],
    },
    Manual {
        command: commands::check_command,
        synopsis: &[
            "fpgacc check [--device=DEVICE] [--json | --sarif] [-o FILE] FILES AND OPTIONS OF A BUILD",
        ],
        description: &[
            "Takes all options of a build, builds nothing, and goes through each kernel as the warps of its \
             launches do: how many sectors of memory each access moves and how many would do, conflicts of \
             banks of local memory, branches at which lanes go different ways. It warns of what is proved, or \
             was recorded, and matters; --json has all of it.",
        ],
        reader: Reader::Build,
        examples: &[
            ("Warnings:", "fpgacc check host.c kernels.cl"),
            (
                "For code scanning:",
                "fpgacc check --sarif -o check.sarif host.c kernels.cl",
            ),
        ],
    },
    Manual {
        command: commands::tune_command,
        synopsis: &[
            "fpgacc tune [-o tuned.yaml] FILES AND OPTIONS OF A BUILD -- ARGUMENTS OF THE PROGRAM",
        ],
        description: &[
            "Takes all options of a build, finds out what may be varied of each kernel (its form, \
             coarsening, copies of loops, what is loaded once, on boards also lanes, compute units and \
             windows), and builds and runs the program with one variant after the other, as long as \
             one promises to be faster. Results are compared with those of the original kernels.",
            "What was measured is kept in a folder: the same command again goes on where it was ended, \
             however that happened. The fastest variant is written as facts, which builds for the same \
             device take with --facts.",
        ],
        reader: Reader::Build,
        examples: &[
            (
                "Find the fastest variant for this processor, and build it:",
                "fpgacc tune --platform=pocl -o tuned.yaml host.c kernels.cl -- 1024\n\
                 fpgacc --platform=pocl --facts tuned.yaml host.c kernels.cl -o app",
            ),
            (
                "See what may be varied, leave some of it out, and try all the rest:",
                "fpgacc tune --show-space host.c kernels.cl >space.yaml\n\
                 fpgacc tune --space space.yaml --strategy=exhaustive host.c kernels.cl",
            ),
        ],
    },
    Manual {
        command: commands::trace_command,
        synopsis: &[
            "fpgacc trace -o FILE [--append] [--trip-counts] [--accesses] -- PROGRAM [ARGUMENTS]",
            "fpgacc trace -o FILE --merge FILES",
        ],
        description: &[
            "Runs any OpenCL program as it is, in any language and on any implementation, and writes \
             down which kernels it launches, with which sizes and arguments. The exit code is the \
             program's own.",
        ],
        reader: Reader::Build,
        examples: &[
            (
                "Record a run, and use what was seen:",
                "fpgacc trace -o facts.yaml -- ./app\nfpgacc host.c kernels.cl --facts facts.yaml -o app",
            ),
            (
                "Record how often loops and branches are taken, too:",
                "fpgacc trace --trip-counts -o facts.yaml -- python3 app.py",
            ),
            (
                "Record what depends on data, and look at it:",
                "fpgacc trace --accesses -o seen.yaml -- ./app && fpgacc check --facts seen.yaml host.c k.cl",
            ),
        ],
    },
    Manual {
        command: commands::run_command,
        synopsis: &["fpgacc run --aocx FILE [--facts FILE] -- PROGRAM [ARGUMENTS]"],
        description: &[
            "Starts a program that cannot be built again, in any language, and has it use kernels that \
             fpgacc compiled without a host. The exit code is the program's own.",
        ],
        reader: Reader::All,
        examples: &[(
            "A program in Python:",
            "fpgacc trace -o facts.yaml -- python3 app.py\nfpgacc kernels.cl --facts facts.yaml -o app.aocx\n\
             fpgacc run --aocx app.aocx --facts facts.yaml -- python3 app.py",
        )],
    },
];

/// The words after `fpgacc` that are commands.
pub fn names() -> impl Iterator<Item = &'static str> {
    let synopses = COMMANDS.iter().map(|manual| manual.synopsis[0]);
    synopses.filter_map(|synopsis| synopsis.split(' ').nth(1))
}

/// The commands, a line each.
pub fn commands() -> String {
    let lines = COMMANDS.iter().map(|manual| {
        let command = (manual.command)();
        let name = command.get_bin_name().unwrap_or_default().to_string();
        let about = command.get_about().map(ToString::to_string);
        format!("  {name:<14}  {}\n", about.unwrap_or_default())
    });
    lines.collect()
}
