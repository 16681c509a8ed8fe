//! Reading a command line of aoc's, in old and new spellings, where there is only an emulator.

use std::path::PathBuf;

use crate::aoc::table::{FLAGS, Flag, Meaning, Value};
use crate::request::{Profile, Stage};
use crate::worker::Implementation;

/// What to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Action {
    /// Compile.
    #[default]
    Build,
    /// Print the version.
    Version,
    /// Print the flags.
    Help,
    /// Print the boards.
    ListBoards,
    /// Print the board packages.
    ListPackages,
}

/// A command line, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    pub action: Action,
    pub inputs: Vec<PathBuf>,
    pub output: Option<PathBuf>,
    pub stage: Option<Stage>,
    /// The value of `-march=`.
    pub march: Option<String>,
    pub platform: Option<Implementation>,
    pub defines: Vec<String>,
    pub undefines: Vec<String>,
    pub includes: Vec<PathBuf>,
    pub cl_options: Vec<String>,
    pub board: Option<String>,
    pub channel_depth: Option<String>,
    pub debug: bool,
    pub verbose: bool,
    pub quiet: bool,
    /// Flags that mean nothing here, as written, and why.
    pub idle: Vec<String>,
}

/// Reads a command line; the first mistake ends it.
pub(super) fn parse(args: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if !arg.starts_with('-') {
            options.inputs.push(arg.into());
            continue;
        }
        let mut next = || args.next().cloned();
        if let Some(taken) = options.short(arg, &mut next) {
            taken?;
            continue;
        }
        let name = arg.trim_start_matches('-');
        let (name, given) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (name, None),
        };
        let found = FLAGS.iter().find(|flag| flag.name == name);
        let flag = found.ok_or_else(|| unknown(arg))?;
        let value = match (flag.value, given) {
            (Value::None, Some(_)) => return Err(format!("{arg}: -{name} takes no value")),
            (Value::Needed, None) => {
                let value = next().filter(|value| !value.starts_with('-') || value.len() == 1);
                // What is handed to one of aoc's own tools may look like a flag.
                let is_arg = name.ends_with("-arg");
                match value.or_else(|| is_arg.then(String::new)) {
                    Some(value) => Some(value),
                    None => return Err(format!("{arg} needs a value")),
                }
            }
            (_, given) => given,
        };
        options.apply(flag, arg, value.unwrap_or_default())?;
    }
    Ok(options)
}

impl Options {
    /// The flags of C compilers, whose values may follow at once, and OpenCL's own. `None`: another.
    fn short(
        &mut self,
        arg: &str,
        next: &mut dyn FnMut() -> Option<String>,
    ) -> Option<Result<(), String>> {
        if arg.starts_with("-cl-") || arg == "-w" || arg == "-Werror" {
            self.cl_options.push(arg.to_string());
            return Some(Ok(()));
        }
        // Warnings by name: the emulators' compilers know none. `-L` finds libraries, which are
        // refused where one is named.
        if (arg.starts_with("-W") || arg.starts_with("-L")) && arg.len() > 2 {
            self.idle.push(arg.to_string());
            return Some(Ok(()));
        }
        let head = arg
            .get(..2)
            .filter(|head| ["-D", "-U", "-I"].contains(head))?;
        let value = match &arg[2..] {
            "" => next(),
            joined => Some(joined.to_string()),
        };
        let Some(value) = value.filter(|value| !value.is_empty()) else {
            return Some(Err(format!("{arg} needs a value")));
        };
        match head {
            "-D" => self.defines.push(value),
            "-U" => self.undefines.push(value),
            _ => self.includes.push(value.into()),
        }
        Some(Ok(()))
    }

    fn apply(&mut self, flag: &Flag, arg: &str, value: String) -> Result<(), String> {
        match flag.meaning {
            Meaning::March => match value.as_str() {
                "emulator" | "simulator" => self.march = Some(value),
                _ => return Err(format!("-march={value}: expected -march=emulator")),
            },
            Meaning::Stage(stage) => match self.stage.replace(stage) {
                Some(other) if other != stage => {
                    return Err("-c and -rtl exclude each other".to_string());
                }
                _ => {}
            },
            Meaning::Output => self.output = Some(value.into()),
            Meaning::Board => self.board = Some(value),
            Meaning::ListBoards => self.action = Action::ListBoards,
            Meaning::ListPackages => self.action = Action::ListPackages,
            Meaning::Version => self.action = Action::Version,
            Meaning::Help => self.action = Action::Help,
            Meaning::Verbose => self.verbose = true,
            Meaning::Quiet => self.quiet = true,
            Meaning::Debug => self.debug = true,
            Meaning::NoWarnings => self.cl_options.push("-w".to_string()),
            Meaning::ChannelDepth => match value.as_str() {
                "default" | "strict" | "ignore-depth" => self.channel_depth = Some(value),
                _ => {
                    return Err(format!(
                        "{arg}: expected default, strict or ignore-depth, not '{value}'"
                    ));
                }
            },
            Meaning::Platform => self.platform = Some(platform(&value)?),
            Meaning::Idle | Meaning::FloatingPoint => {
                // A wrong value is as wrong without a board.
                if flag.name == "profile" {
                    profile(&value)?;
                }
                // `--ggdb` once was short for this.
                if flag.name == "ggdb" {
                    self.march = Some("emulator".to_string());
                    self.debug = true;
                }
                self.idle.push(arg.to_string());
            }
            Meaning::Sdk => {
                return Err(format!(
                    "{arg}: libraries of RTL or compiled kernels need Intel's aoc (Intel FPGA SDK \
                     for OpenCL)"
                ));
            }
        }
        Ok(())
    }
}

/// An emulator by the name that users give it.
pub(super) fn platform(name: &str) -> Result<Implementation, String> {
    match name {
        "intel" => Ok(Implementation::Intel),
        "pocl" => Ok(Implementation::Pocl),
        "nvidia" => Ok(Implementation::Nvidia),
        _ => Err(format!(
            "unknown platform '{name}': expected intel, pocl or nvidia"
        )),
    }
}

fn profile(value: &str) -> Result<Profile, String> {
    Ok(match value {
        "" => Profile::Default,
        "all" => Profile::All,
        "autorun" => Profile::Autorun,
        "enqueued" => Profile::Enqueued,
        _ => {
            return Err(format!(
                "-profile={value}: expected all, autorun or enqueued"
            ));
        }
    })
}

/// The message for an unknown flag, with the nearest known one.
/// Whether there is such a flag.
pub(super) fn is_known(flag: &str) -> bool {
    let name = flag.trim_start_matches('-');
    FLAGS.iter().any(|known| known.name == name)
}

fn unknown(arg: &str) -> String {
    let name = arg.trim_start_matches('-');
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    let nearest = FLAGS
        .iter()
        .map(|flag| (strsim::levenshtein(name, flag.name), flag.name))
        .min();
    match nearest {
        Some((distance, nearest)) if distance <= 1 + name.len() / 4 => {
            format!("unknown flag {arg}; did you mean -{nearest}?")
        }
        _ => format!("unknown flag {arg}; -help lists the known ones"),
    }
}

/// The text of `-help`.
pub(super) fn help() -> String {
    let mut text = String::from(
        "Usage: fpgacc-aoc -march=emulator [flags] KERNELS.cl... | KERNELS.aoco\n\n\
         Compiles OpenCL kernels for an emulator with the command line of Intel's aoc; flags are\n\
         taken in the spellings of versions 16.1 to 22.4, with one dash or two.\n\nFlags:\n\
         \x20 -D NAME[=VALUE], -U NAME: define, undefine a macro\n\
         \x20 -I FOLDER: look for headers there\n\
         \x20 -cl-...: OpenCL's own options\n\
         \x20 -w, -Werror: no warnings, warnings are errors\n",
    );
    for flag in FLAGS.iter().filter(|flag| !flag.help.is_empty()) {
        text += &format!("  {}\n", flag.help);
    }
    text += "\nAccepted without effect on an emulator:\n";
    let idle = FLAGS
        .iter()
        .filter(|flag| matches!(flag.meaning, Meaning::Idle | Meaning::FloatingPoint));
    let mut line = String::from(" ");
    for flag in idle {
        if line.len() + flag.name.len() > 76 {
            text += &format!("{line}\n");
            line = String::from(" ");
        }
        line += &format!(" -{}", flag.name);
    }
    text + &line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, String> {
        let args: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        parse(&args)
    }

    #[test]
    fn old_and_new_spellings_mean_the_same() {
        let old =
            read("-march=emulator --board a10 --report --profile --fp-relaxed k.cl -o k.aocx");
        let new = read("-march=emulator -board=a10 -report -profile -fp-relaxed k.cl -o k.aocx");
        let [mut old, mut new] = [old, new].map(Result::unwrap);
        assert_eq!(old.idle, ["--report", "--profile", "--fp-relaxed"]);
        old.idle.clear();
        new.idle.clear();
        assert_eq!(old, new);
        assert_eq!(new.board.as_deref(), Some("a10"));
        assert_eq!(new.inputs, [PathBuf::from("k.cl")]);
    }

    #[test]
    fn reads_the_flags_of_c_compilers() {
        let options = read("-DA=1 -D B -UC -Ix -I y -cl-mad-enable -W -Wall -Werror").unwrap();
        assert_eq!(options.defines, ["A=1", "B"]);
        assert_eq!(options.undefines, ["C"]);
        assert_eq!(options.includes, [PathBuf::from("x"), PathBuf::from("y")]);
        assert_eq!(options.cl_options, ["-cl-mad-enable", "-w", "-Werror"]);
        assert_eq!(options.idle, ["-Wall"]);
    }

    #[test]
    fn command_lines_of_public_projects_are_taken() {
        for line in [
            "--board de5net_a7 -D SIMD_WORK_ITEMS=1 --report --profile Fan1.cl -o a.aocx",
            "-march=emulator -g -v -emulator-channel-depth-model=strict -DII=8 k.cl -o k.aocx",
            "-v -report -no-interleaving=default -const-cache-bytes=16384 -fpc -fp-relaxed \
             -seed=3 -fast-compile -board=p520_hpc_sg280l k.cl",
            "-march=emulator -legacy-emulator -board=p520 --emulator-channel-depth-model strict \
             k.cl",
            "-bsp-flow=flat -seed=2 -parallel=16 -ffp-contract=fast -ffp-reassociate -O3 -I../.. k.cl",
            "-opt-arg -nocaching -march=emulator k.cl",
        ] {
            read(line).unwrap();
        }
    }

    #[test]
    fn mistakes_are_named() {
        let cases = [
            ("-bord=a10", "unknown flag -bord=a10; did you mean -board?"),
            ("-xyzzy", "unknown flag -xyzzy; -help lists the known ones"),
            ("-board", "-board needs a value"),
            ("-o -v", "-o needs a value"),
            ("-D", "-D needs a value"),
            ("-v=2", "-v=2: -v takes no value"),
            ("-c -rtl", "-c and -rtl exclude each other"),
            ("-march=gpu", "-march=gpu: expected -march=emulator"),
            (
                "-profile=some",
                "-profile=some: expected all, autorun or enqueued",
            ),
            (
                "-platform=amd",
                "unknown platform 'amd': expected intel, pocl or nvidia",
            ),
            (
                "-emulator-channel-depth-model=deep",
                "-emulator-channel-depth-model=deep: expected default, strict or ignore-depth, \
                 not 'deep'",
            ),
        ];
        for (line, message) in cases {
            assert_eq!(read(line).unwrap_err(), message);
        }
        assert!(read("-l lib.aoclib").unwrap_err().contains("Intel's aoc"));
    }

    #[test]
    fn help_names_every_flag() {
        let text = help();
        for flag in FLAGS {
            if flag.help.is_empty() && flag.meaning != Meaning::Idle {
                continue;
            }
            assert!(text.contains(&format!("-{}", flag.name)), "{}", flag.name);
        }
        assert!(text.lines().all(|line| line.len() < 100));
    }
}
