//! Commands of pages that explain: indented by four blanks, with what they do after a `#`.
//!
//! Pages that lead from one command to the next are the business of [`crate::book`]. These commands
//! stand alone, on files that any program has: those of `fixture/reference`. Patterns, such as
//! `fpgacc check [--json] FILES`, and commands that take hours are not run; their options must exist.

use std::collections::BTreeSet;
use std::path::Path;

use crate::book;
use crate::command::{Outcome, Workshop};

/// A command that a page shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The line of the page, from 1.
    pub line: usize,
    /// The program, as in `$PATH`.
    pub program: String,
    /// What follows it.
    pub words: Vec<String>,
    /// It runs in a folder that the page goes to.
    pub is_elsewhere: bool,
}

/// The programs of the project.
const PROGRAMS: [&str; 6] = [
    "fpgacc",
    "fpgacc-aoc",
    "fpgacc-bench",
    "fpgacc-campaign",
    "fpgacc-diff",
    "fpgacc-hosts",
];
/// How pages start the benchmarks' program from a checkout.
const BY_CARGO: [&str; 2] = [
    "cargo run -p fpgacc-benchmarks -- ",
    "cargo run --release -p fpgacc-benchmarks -- ",
];

/// The commands of a page that start a program of the project.
pub fn commands(page: &str) -> Vec<Shown> {
    let mut shown = Vec::new();
    let mut lines = page.lines().enumerate().peekable();
    let (mut is_block, mut is_elsewhere) = (false, false);
    while let Some((at, line)) = lines.next() {
        is_block ^= line.starts_with("```");
        is_elsewhere &= line.starts_with("    ");
        is_elsewhere |= line.starts_with("    cd ");
        let Some(command) = line.strip_prefix("    ").filter(|_| !is_block) else {
            continue;
        };
        let mut command = without_remark(command).to_string();
        while command.ends_with('\\') {
            command.pop();
            let (_, next) = lines.next().expect("a command ends");
            command.push_str(without_remark(next.trim()));
        }
        for start in BY_CARGO {
            if let Some(rest) = command.strip_prefix(start) {
                command = format!("fpgacc-bench {rest}");
            }
        }
        let mut words = command.split_whitespace().map(str::to_string);
        let Some(program) = words.next().filter(|word| PROGRAMS.contains(&&**word)) else {
            continue;
        };
        let words: Vec<String> = words.collect();
        // Meson's variables have names, too.
        if words.first().is_some_and(|word| word == "=") {
            continue;
        }
        shown.push(Shown {
            line: at + 1,
            program,
            words,
            is_elsewhere,
        });
    }
    shown
}

fn without_remark(command: &str) -> &str {
    command.split(" # ").next().unwrap_or_default().trim_end()
}

impl Shown {
    /// Whether it can be run as it stands, in the time of a test.
    pub fn runs(&self) -> bool {
        let is_ours = matches!(&*self.program, "fpgacc" | "fpgacc-aoc" | "fpgacc-diff");
        let is_short = self.words.first().is_none_or(|word| word != "tune");
        is_ours
            && is_short
            && !self.is_elsewhere
            && !self.words.iter().any(|word| is_placeholder(word))
    }

    /// The options that it names.
    fn options(&self) -> BTreeSet<&str> {
        let own = self.words.iter().take_while(|word| *word != "--");
        let each = own.flat_map(|word| word.split('|'));
        let bare = each.map(|word| word.trim_matches(['[', ']']));
        let named = bare.filter_map(|word| word.split(['=', '[']).next());
        named.filter(|word| word.starts_with("--")).collect()
    }

    /// The options that its program does not have.
    ///
    /// # Panics
    /// If the program does not print its options.
    pub fn unknown_options(&self, shop: &Workshop) -> Vec<&str> {
        let command = self.words.first().filter(|word| is_command(word));
        let mut help = match &*self.program {
            "fpgacc" => shop.sh("fpgacc --help-all").success().stdout,
            program => shop.sh(&format!("{program} --help")).success().stdout,
        };
        if let Some(command) = command {
            let line = format!("{} {command} --help", self.program);
            help += &shop.sh(&line).stdout;
        }
        let known = |option: &&str| help.contains(option);
        let options = self.options().into_iter();
        options.filter(|option| !known(option)).collect()
    }

    /// Whether all files are in the folder that it reads, by the suffixes of what it names. What others leave there, such as
    /// a report of aoc's, is never there.
    pub fn has_inputs(&self, shop: &Workshop) -> bool {
        let named = self.words.iter().zip(self.words.iter().skip(1));
        let outputs: BTreeSet<&String> = named
            .filter_map(|(option, word)| (option == "-o").then_some(word))
            .collect();
        let is_read = |word: &&String| {
            let is_file = [".c", ".cl", ".cpp", ".yaml", ".csv", ".py"];
            let is_file = is_file.iter().any(|end| word.ends_with(end));
            (is_file || word.starts_with("./")) && !outputs.contains(word)
        };
        let all_there = self.words.iter().filter(is_read);
        let is_left = self.words.iter().any(|word| word == "--use-report");
        all_there.clone().all(|word| shop.path(word).exists()) && !is_left
    }

    /// Runs it in a folder of [`folder`], where Intel's aoc is installed if it asks for that.
    pub fn run(&self, shop: &Workshop) -> Outcome {
        let words = self.words.join(" ");
        let path = match words.contains("--target=hardware") {
            true => "$PWD/aoc:$PWD/bin",
            false => "$PWD/bin",
        };
        shop.sh(&format!("PATH={path}:$PATH; {} {words}", self.program))
    }
}

/// `FILES`, `--state=DIR`, `[--json]`: to be replaced.
fn is_placeholder(word: &str) -> bool {
    let value = word.rsplit('=').next().unwrap_or_default();
    let is_name = value.len() > 1 && value.chars().all(|c| c.is_ascii_uppercase());
    word.contains('[') || is_name
}

/// `check`, but not `host.c` or `-o`.
fn is_command(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-')
}

/// A folder with what the commands of reference pages name.
///
/// # Panics
/// If it cannot be made.
pub fn folder() -> Workshop {
    let shop = Workshop::new();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixture/reference");
    let example = book::repository().join("examples/python");
    for folder in [own, example] {
        for file in std::fs::read_dir(folder).expect("a folder").flatten() {
            let text = std::fs::read(file.path()).expect("a file");
            shop.write(file.file_name(), text);
        }
    }
    book::python(&shop);
    book::stand_in(&shop, "aoc");
    shop.sh(
        "cc host.c -lOpenCL -o app && fpgacc trace --trip-counts -o counts.yaml -- ./app \
         && cp counts.yaml facts.yaml && mkdir device && cp kernels.cl device/k.cl",
    )
    .success();
    shop
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: usize, program: &str, words: &str) -> Shown {
        Shown {
            line,
            program: program.to_string(),
            words: words.split(' ').map(str::to_string).collect(),
            is_elsewhere: false,
        }
    }

    #[test]
    fn commands_are_indented_lines_that_start_a_program() {
        let page = "Text.\n\n    fpgacc a.c \\\n        -o a   # makes it\n    fpgacc: error: x\n    make\n\
                    ```\n    fpgacc b.c\n```\n    cargo run -p fpgacc-benchmarks -- model --rows\n";
        let expected = [
            shown(3, "fpgacc", "a.c -o a"),
            shown(10, "fpgacc-bench", "model --rows"),
        ];
        assert_eq!(commands(page), expected);
    }

    #[test]
    fn patterns_and_long_commands_are_not_run() {
        assert!(shown(1, "fpgacc", "-DN=4 host.c -o app").runs());
        assert!(!shown(1, "fpgacc", "check [--json] host.c").runs());
        assert!(!shown(1, "fpgacc", "check --device=DEVICE host.c").runs());
        assert!(!shown(1, "fpgacc", "tune host.c").runs());
        assert!(!shown(1, "fpgacc-bench", "chart").runs());
    }

    #[test]
    fn options_are_those_of_the_command_itself() {
        let command = shown(
            1,
            "fpgacc",
            "check [--json|--sarif] [--device=D] a.c -- --own",
        );
        let options: Vec<&str> = command.options().into_iter().collect();
        assert_eq!(options, ["--device", "--json", "--sarif"]);
    }
}
