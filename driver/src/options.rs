//! The command line, understood: what to do with which files.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use fpgacc_aoc_wrappers::cc::Language;
use fpgacc_decision::{ExecutionModel, RequestedModels, SearchTime};
use fpgacc_device_passes::options::{General, PassOptions};
use fpgacc_device_passes::passes;
use fpgacc_device_passes::pipeline::{Pipeline, nearest_pass};
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_kernel_analysis::constant_memory;

use crate::advice;
use crate::cli::{self, Step, is_pass, pass_flags, rule_by_preprocessor, switch};
use crate::depfile::{self, DependencyOptions};
use crate::message_format::Format;
use crate::names::Names;
use crate::nearly::did_you_mean;
use crate::opt_record::RecordOptions;
use crate::rounding::Rounding;

/// The level of kernels where `--kernel-opt` is not given.
const DEFAULT_LEVEL: u8 = 2;
/// What is written most often.
const USE: &str = "fpgacc host.c kernels.cl -o app";

/// What is made of the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `-E`
    Preprocess,
    /// `-M`, `-MM`
    Rules,
    /// `-fsyntax-only`
    Syntax,
    /// A question that the host compiler answers: `-dumpmachine`.
    Ask,
    /// `-S`
    Assemble,
    /// `-c`
    Compile,
    /// An executable and its .aocx.
    Link,
    /// The same; then it is run with its original and with its rewritten kernels.
    Verify,
    /// `--emit=..`: text on standard output or in a file.
    Emit(Stage),
}

/// What the link step makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum LinkKind {
    Executable,
    /// `-shared`
    Shared,
    /// `-r`
    Relocatable,
}

/// A stage that `--emit` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Stage {
    Kernels,
    Host,
    HostDiff,
    Facts,
    Ast,
}

/// Where the kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Target {
    Emulator,
    Simulator,
    Hardware,
    /// Nowhere: the rewritten sources are the output.
    Source,
}

/// What an input file is, by its suffix or `-x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum InputKind {
    Host(Language),
    Kernels,
    Facts,
    /// What the host compiler makes an object of without fpgacc: assembly, headers to precompile. With
    /// the language that `-x` names.
    Foreign(Option<&'static str>),
    /// An object, archive, shared library or anything else that the linker takes.
    Linker,
}

/// An input or a link argument, in the user's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file.
    File {
        /// As the user gave it.
        path: PathBuf,
        /// What it is.
        kind: InputKind,
    },
    /// An argument for the linker whose position matters: `-lm`, `-Wl,..`.
    Argument(OsString),
}

/// Everything that a run needs to know of the command line.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is made.
    pub mode: Mode,
    /// `-o`
    pub output: Option<PathBuf>,
    /// Files and link arguments, in order.
    pub inputs: Vec<Input>,
    /// Behave as c++ rather than cc.
    pub cxx_mode: bool,
    /// Files that are read besides the inputs.
    pub also_read: Vec<PathBuf>,
    /// Arguments of the program that `--verify` runs.
    pub program_args: Vec<String>,
    /// Where the kernels run.
    pub target: Target,
    /// `--as-on-board`: an emulator gets no kernels that a board would not get.
    pub as_on_board: bool,
    /// `--platform`: the emulator to use.
    pub platform: Option<String>,
    /// `--board`
    pub board: Option<String>,
    /// `--board-file`
    pub board_file: Option<PathBuf>,
    /// `--use-report`
    pub aoc_report: Option<PathBuf>,
    /// `--measured`
    pub times: Option<PathBuf>,
    /// `-fexecution-model`
    pub requested: RequestedModels,
    /// `--search-time`
    pub search_time: SearchTime,
    /// Price all forms of all kernels: somebody will read it.
    pub explain: bool,
    /// `--aoc`
    pub aoc: Option<PathBuf>,
    /// `-Xaoc`
    pub aoc_args: Vec<String>,
    /// `-Xkernel`, split into words.
    pub kernel_args: Vec<String>,
    /// `-D`, without the letter.
    pub defines: Vec<String>,
    /// `-U`, without the letter.
    pub undefines: Vec<String>,
    /// `-I`
    pub include_dirs: Vec<PathBuf>,
    /// `-L`
    pub library_dirs: Vec<PathBuf>,
    /// `-W`, without the letter.
    pub warnings: Vec<String>,
    /// Flags of the host compiler for preprocessing and compiling.
    pub host_flags: Vec<OsString>,
    /// Further ones for `-E`.
    pub show_flags: Vec<OsString>,
    /// Those of them that objects must agree on: `-m32`, `-march=..`.
    pub machine_flags: Vec<OsString>,
    /// Flags of the host compiler for linking.
    pub link_flags: Vec<OsString>,
    /// What the link step makes.
    pub link_kind: LinkKind,
    /// What the host compiler is asked.
    pub questions: Vec<OsString>,
    /// `-fgeometry`: the device whose local sizes launches get; empty: that which kernels are built for.
    pub geometry: Option<String>,
    /// Passes.
    pub pipeline: Pipeline,
    /// `-Rpass`: passes whose rewrites are reported.
    pub remarks: Option<Names>,
    /// `-Rpass-missed`
    pub missed_remarks: Option<Names>,
    /// `-Rpass-analysis`
    pub analysis_remarks: Option<Names>,
    /// `-fsave-optimization-record` and its kin.
    pub record: RecordOptions,
    /// Dependency files.
    pub dependencies: Option<DependencyOptions>,
    /// `--save-temps`
    pub save_temps: Option<PathBuf>,
    /// `-v`
    pub verbose: bool,
    /// `-###`
    pub dry_run: bool,
    /// `-w`
    pub no_warnings: bool,
    /// `--quiet`, or messages for machines
    pub quiet: bool,
    /// `-fdiagnostics-format`
    pub format: Format,
    /// How device compilers may round.
    pub rounding: Rounding,
}

impl Options {
    /// Reads what clap matched. `called_as_cxx`: the command's own name says c++.
    ///
    /// # Errors
    /// What the options say together cannot be done.
    pub fn from_matches(matches: &ArgMatches, called_as_cxx: bool) -> Result<Self, Diagnostic> {
        let mode = mode(matches);
        let cxx_mode = match one(matches, "driver-mode") {
            Some(mode) => mode == "c++",
            None => called_as_cxx,
        };
        advice::check(matches)?;
        let pipeline = pipeline(matches)?;
        let record = record(matches);
        let format = one(matches, "fdiagnostics-format");
        let format = format.map_or(Format::Text, |word| Format::named(&word));
        let options = Options {
            mode,
            output: one(matches, "output").map(PathBuf::from),
            inputs: inputs(matches, cxx_mode)?,
            cxx_mode,
            also_read: cli::read_files()
                .flat_map(|name| all(matches, name))
                .map(PathBuf::from)
                .collect(),
            program_args: Vec::new(),
            target: match one(matches, "target").as_deref() {
                Some("simulator") => Target::Simulator,
                Some("hardware") => Target::Hardware,
                Some("source") => Target::Source,
                _ => Target::Emulator,
            },
            as_on_board: matches.get_flag("as-on-board"),
            platform: one(matches, "platform"),
            board: one(matches, "board"),
            board_file: one(matches, "board-file").map(PathBuf::from),
            aoc_report: one(matches, "use-report").map(PathBuf::from),
            times: one(matches, "measured").map(PathBuf::from),
            requested: requested(matches),
            search_time: matches.get_one("search-time").copied().unwrap_or_default(),
            explain: record.is_wanted || one(matches, "Rpass-analysis").is_some(),
            aoc: one(matches, "aoc").map(PathBuf::from),
            aoc_args: all(matches, "Xaoc"),
            kernel_args: kernel_args(matches)?,
            defines: all(matches, "define"),
            undefines: all(matches, "undefine"),
            include_dirs: all(matches, "include-dir")
                .into_iter()
                .map(PathBuf::from)
                .collect(),
            library_dirs: all(matches, "library-dir")
                .into_iter()
                .map(PathBuf::from)
                .collect(),
            warnings: all(matches, "warning"),
            host_flags: handed(matches, Step::Compile),
            show_flags: handed(matches, Step::Show),
            machine_flags: all(matches, "machine")
                .into_iter()
                .map(|flag| format!("-m{flag}").into())
                .collect(),
            link_flags: handed(matches, Step::Link),
            link_kind: match (matches.get_flag("relocatable"), matches.get_flag("shared")) {
                (true, _) => LinkKind::Relocatable,
                (_, true) => LinkKind::Shared,
                _ => LinkKind::Executable,
            },
            questions: questions(matches),
            geometry: geometry(matches),
            pipeline,
            remarks: names(matches, "Rpass")?,
            missed_remarks: names(matches, "Rpass-missed")?,
            analysis_remarks: names(matches, "Rpass-analysis")?,
            record,
            dependencies: dependencies(matches),
            save_temps: save_temps(matches),
            verbose: matches.get_flag("verbose"),
            dry_run: matches.get_flag("###"),
            no_warnings: matches.get_flag("no-warnings"),
            quiet: matches.get_flag("quiet") || format != Format::Text,
            format,
            rounding: Rounding::default(),
        };
        options.check()?;
        if matches.get_flag("verify") {
            options.check_verify()?;
        }
        Ok(options)
    }

    /// The same for `fpgacc NAME`.
    ///
    /// # Errors
    /// What the options say together cannot be done.
    pub fn of_command(matches: &ArgMatches, name: &str) -> Result<Self, Diagnostic> {
        Self::from_matches(matches, false).map_err(|mut error| {
            for help in &mut error.helps {
                *help = help.replace(USE, &format!("fpgacc {name} host.c kernels.cl"));
            }
            error
        })
    }

    /// The file that the record of a stage lies beside: the output, or else the first input in the
    /// current folder.
    pub fn record_base(&self) -> PathBuf {
        let output = self.output.clone();
        let output = output.filter(|path| path.as_os_str() != "-");
        output.unwrap_or_else(|| {
            let first = self.files(|_| true).next().and_then(Path::file_name);
            PathBuf::from(first.unwrap_or_default())
        })
    }

    /// Which levels count, for `-v`.
    pub fn levels(&self) -> String {
        let is_level = |flag: &&OsString| flag.as_encoded_bytes().starts_with(b"-O");
        let host = self.host_flags.iter().rfind(is_level);
        let host = host.map_or_else(|| "-O0".into(), |flag| flag.to_string_lossy());
        format!(
            "fpgacc: hosts {host}, kernels --kernel-opt={}",
            self.pipeline.level
        )
    }

    /// Whether the performance model has a say, or is asked for its opinion.
    pub fn decides(&self) -> bool {
        let asked = |model: &ExecutionModel| *model == ExecutionModel::Auto;
        let by_kernel = self.requested.kernels.values().any(asked);
        self.explain
            || self.pipeline.level >= 3
            || asked(&self.requested.all.unwrap_or_default())
            || by_kernel
    }

    /// Whether kernels are built for a GPU in place of a board, and nobody looks at what a board would get.
    pub fn on_gpu(&self) -> bool {
        let is_there = matches!(self.target, Target::Emulator | Target::Source);
        let for_board = self.as_on_board || self.mode == Mode::Verify;
        is_there && !for_board && self.platform.as_deref() == Some("nvidia")
    }

    /// Whether an emulator gets the kernels, and nobody looks at what a board would get: they are also built as
    /// they are for launches that nobody foresees, and sums keep their order.
    pub fn is_emulated(&self) -> bool {
        let is_built = self.mode == Mode::Link && !self.explain;
        is_built && self.target == Target::Emulator && !self.as_on_board
    }

    /// Whether aoc is informed that it may change the order of floating-point operations; its newer name is
    /// `-ffp-reassociate`.
    pub fn is_fp_relaxed(&self) -> bool {
        let names = ["fp-relaxed", "ffp-reassociate"];
        let mut given = self.aoc_args.iter();
        given.any(|arg| names.contains(&arg.trim_start_matches('-')))
    }

    /// The input files of one kind, in order.
    pub fn files(&self, want: impl Fn(InputKind) -> bool) -> impl Iterator<Item = &Path> {
        self.inputs.iter().filter_map(move |input| match input {
            Input::File { path, kind } if want(*kind) => Some(path.as_path()),
            _ => None,
        })
    }

    fn check(&self) -> Result<(), Diagnostic> {
        let sources = self
            .files(|kind| !matches!(kind, InputKind::Facts | InputKind::Linker))
            .count();
        // As in cc, what is for the linker alone is an input too: -Wl,--version.
        if self.inputs.is_empty() && self.mode != Mode::Ask {
            let error = Diagnostic::error("no input files");
            return Err(error.help(format!("give a host and its kernels: {USE}")));
        }
        let one_each = matches!(
            self.mode,
            Mode::Compile | Mode::Assemble | Mode::Preprocess | Mode::Rules
        );
        let rules = self
            .dependencies
            .as_ref()
            .filter(|_| self.mode == Mode::Rules);
        let named = match rules.is_some_and(|rules| rules.file.is_some()) {
            true => Some("-MF"),
            false => self.output.as_ref().map(|_| "-o"),
        };
        if let Some(option) = named.filter(|_| one_each && sources > 1) {
            return Err(Diagnostic::error(format!(
                "{option} cannot name the output of {sources} sources"
            ))
            .help(format!("compile them one by one, or leave {option} out")));
        }
        Ok(())
    }

    fn check_verify(&self) -> Result<(), Diagnostic> {
        if self.mode != Mode::Verify || self.dry_run {
            let message = "--verify builds and runs a program: it goes with none of -c, -S, -E, \
                           --emit and -###";
            return Err(Diagnostic::error(message));
        }
        if self.target != Target::Emulator {
            return Err(Diagnostic::error("--verify runs programs on an emulator").help(
                "boards have no compiler for the original kernels: leave --target out to verify \
                 the rewrites",
            ));
        }
        Ok(())
    }
}

fn one(matches: &ArgMatches, name: &str) -> Option<String> {
    matches.get_one::<String>(name).cloned()
}

fn names(matches: &ArgMatches, name: &str) -> Result<Option<Names>, Diagnostic> {
    let text = one(matches, name);
    text.map(|text| Names::new(&format!("-{name}"), &text))
        .transpose()
}

fn all(matches: &ArgMatches, name: &str) -> Vec<String> {
    matches
        .get_many::<String>(name)
        .into_iter()
        .flatten()
        .cloned()
        .collect()
}

fn mode(matches: &ArgMatches) -> Mode {
    if let Some(stage) = one(matches, "emit") {
        return Mode::Emit(match stage.as_str() {
            "kernels" => Stage::Kernels,
            "host" => Stage::Host,
            "host-diff" => Stage::HostDiff,
            "facts" => Stage::Facts,
            _ => Stage::Ast,
        });
    }
    if !questions(matches).is_empty() {
        return Mode::Ask;
    }
    let checks = all(matches, "feature").iter().any(|f| f == "syntax-only");
    // As in cc, the earliest stage wins.
    let modes = [
        ("rules", Mode::Rules),
        ("MM", Mode::Rules),
        ("preprocess", Mode::Preprocess),
        ("assemble", Mode::Assemble),
        ("compile", Mode::Compile),
    ];
    let asked = modes.iter().find(|(name, _)| matches.get_flag(name));
    match asked {
        Some((_, mode @ (Mode::Rules | Mode::Preprocess))) => *mode,
        _ if checks => Mode::Syntax,
        Some((_, mode)) => *mode,
        None if matches.get_flag("verify") => Mode::Verify,
        None => Mode::Link,
    }
}

fn pipeline(matches: &ArgMatches) -> Result<Pipeline, Diagnostic> {
    // Not -O: what a makefile wants for its hosts says nothing of kernels.
    let level = one(matches, "kernel-opt").and_then(|level| level.parse().ok());
    let mut switches = BTreeMap::new();
    for feature in all(matches, "feature") {
        let (name, on) = switch(&feature);
        if is_pass(name) {
            switches.insert(name.to_string(), on);
        } else if let Some(nearest) = nearest_pass(name) {
            // Other names are the C compiler's business.
            let no = if on { "" } else { "no-" };
            return Err(
                Diagnostic::error(format!("-f{feature}: there is no pass '{name}'"))
                    .help(format!("did you mean -f{no}{nearest}?")),
            );
        }
    }
    if geometry(matches).is_some() {
        switches.insert(passes::GEOMETRY.to_string(), true);
    }
    let mut options = PassOptions {
        general: general(matches),
        ..PassOptions::default()
    };
    options.of_mut::<passes::constant_memory::Options>().cache =
        constant_cache(&all(matches, "Xaoc"));
    pass_flags::read(matches, &mut options, &mut switches).map_err(Diagnostic::error)?;
    let stop_after = one(matches, "stop-after");
    if let Some(name) = stop_after.as_deref().filter(|name| !is_pass(name)) {
        let error = Diagnostic::error(format!("--stop-after: there is no pass '{name}'"));
        let names = passes::ALL.iter().map(|pass| pass.name());
        let error = did_you_mean(error, name, names);
        return Err(error.help("fpgacc --print-passes lists them"));
    }
    Ok(Pipeline {
        level: level.unwrap_or(DEFAULT_LEVEL),
        options,
        switches,
        stop_after,
    })
}

/// The device of the last `-fgeometry`, unless `-fno-geometry` stands after it.
fn geometry(matches: &ArgMatches) -> Option<String> {
    let (on, device) = cli::values(matches, "fgeometry").last()?;
    let off = (cli::values(matches, "feature"))
        .filter(|(_, feature)| switch(feature) == (passes::GEOMETRY, false))
        .map(|(at, _)| at)
        .last();
    off.is_none_or(|off| off < on).then(|| device.clone())
}

fn general(matches: &ArgMatches) -> General {
    if matches.get_flag("keep-general") {
        return General::Always;
    }
    match matches.get_flag("no-general") {
        true => General::Never,
        false => General::Assumed,
    }
}

/// The bytes of the cache of constant memory that the user gives to aoc, or may be given.
fn constant_cache(aoc_args: &[String]) -> Option<u64> {
    let at = aoc_args.iter().position(|arg| asks_for_cache(arg));
    let given = at.and_then(|at| match aoc_args[at].split_once('=') {
        Some((_, bytes)) => bytes.parse().ok(),
        None => aoc_args.get(at + 1)?.parse().ok(),
    });
    Some(given.unwrap_or(constant_memory::MOST))
}

/// Whether an argument of aoc is the size of the cache of constant memory.
pub fn asks_for_cache(aoc_arg: &str) -> bool {
    aoc_arg.contains("const-cache-bytes")
}

/// The folder; cc's own words for two of them are taken, too.
fn save_temps(matches: &ArgMatches) -> Option<PathBuf> {
    let word = one(matches, "save-temps")?;
    let output = one(matches, "output").unwrap_or_default();
    let beside = Path::new(&output).parent();
    Some(match word.as_str() {
        "cwd" => PathBuf::from("."),
        "obj" => Path::new(".").join(beside.unwrap_or(Path::new(""))),
        folder => PathBuf::from(folder),
    })
}

fn kernel_args(matches: &ArgMatches) -> Result<Vec<String>, Diagnostic> {
    let mut words = Vec::new();
    for arg in all(matches, "Xkernel") {
        let split = shlex::split(&arg).ok_or_else(|| {
            Diagnostic::error(format!("-Xkernel: unbalanced quotes in '{arg}'"))
                .help("its value is split at blanks, and quotes group, as in clBuildProgram")
        })?;
        words.extend(split);
    }
    Ok(words)
}

/// The words that a step of the host compiler gets, in the order of the command line.
fn handed(matches: &ArgMatches, step: Step) -> Vec<OsString> {
    let words = cli::handed(matches, step).into_iter();
    words.flat_map(|(_, words)| words).collect()
}

/// What the host compiler is asked. As in cc, `-v` alone is a question.
fn questions(matches: &ArgMatches) -> Vec<OsString> {
    let mut words = handed(matches, Step::Ask);
    let has_input = ["inputs", "library", "Xlinker"]
        .iter()
        .any(|name| matches.contains_id(name));
    let alone = matches.get_flag("verbose") && !has_input && one(matches, "facts").is_none();
    if alone && !all(matches, "warning").iter().any(|w| w.starts_with("l,")) {
        words.push("-v".into());
    }
    words
}

/// Files and link arguments in the order of the command line, with `-x` applied.
fn inputs(matches: &ArgMatches, cxx_mode: bool) -> Result<Vec<Input>, Diagnostic> {
    enum Word {
        File(String),
        Facts(String),
        Language(String),
        Argument(OsString),
    }
    let given = |name: &'static str, word: fn(String) -> Word| {
        cli::values(matches, name).map(move |(at, value)| (at, word(value.clone())))
    };
    let arguments = cli::handed(matches, Step::Input).into_iter();
    let mut words: Vec<_> = given("inputs", Word::File)
        .chain(given("facts", Word::Facts))
        .chain(given("language", Word::Language))
        .chain(arguments.flat_map(|(at, words)| {
            words
                .into_iter()
                .map(move |word| (at, Word::Argument(word)))
        }))
        .collect();
    words.sort_by_key(|(at, _)| *at);
    let mut language = None;
    let mut out = Vec::new();
    for (_, word) in words {
        match word {
            Word::Language(name) => language = forced_kind(&name)?,
            Word::Facts(name) => out.push(Input::File {
                path: PathBuf::from(name),
                kind: InputKind::Facts,
            }),
            Word::Argument(arg) => out.push(Input::Argument(arg)),
            Word::File(name) => {
                let path = PathBuf::from(name);
                let kind = match (language, kind_by_suffix(&path, cxx_mode)) {
                    // Makefiles say `-x c++` of hosts; no host is called .cl.
                    (Some(InputKind::Host(_)) | None, InputKind::Kernels) => InputKind::Kernels,
                    (forced, by_suffix) => forced.unwrap_or(by_suffix),
                };
                out.push(Input::File { path, kind });
            }
        }
    }
    Ok(out)
}

/// Languages that are the host compiler's business.
const FOREIGN: [&str; 8] = [
    "assembler",
    "assembler-with-cpp",
    "c-header",
    "c++-header",
    "c++-system-header",
    "c++-user-header",
    "objective-c",
    "objective-c++",
];

fn forced_kind(language: &str) -> Result<Option<InputKind>, Diagnostic> {
    Ok(match language {
        "c" | "cpp-output" => Some(InputKind::Host(Language::C)),
        "c++" | "c++-cpp-output" => Some(InputKind::Host(Language::Cxx)),
        "cl" => Some(InputKind::Kernels),
        "none" => None,
        other => {
            if let Some(known) = FOREIGN.iter().find(|known| **known == other) {
                return Ok(Some(InputKind::Foreign(Some(known))));
            }
            return Err(
                Diagnostic::error(format!("unknown language '{other}' after -x"))
                    .help("fpgacc takes c, c++, cl and none"),
            );
        }
    })
}

fn kind_by_suffix(path: &Path, cxx_mode: bool) -> InputKind {
    // Standard input has no suffix: it is in the language of the compiler's name.
    if path.as_os_str() == "-" {
        return InputKind::Host(if cxx_mode { Language::Cxx } else { Language::C });
    }
    match path.extension().and_then(|suffix| suffix.to_str()) {
        Some("c") if cxx_mode => InputKind::Host(Language::Cxx),
        Some("c" | "i") => InputKind::Host(Language::C),
        Some("cc" | "cp" | "ii" | "cpp" | "cxx" | "c++" | "C" | "CPP") => {
            InputKind::Host(Language::Cxx)
        }
        Some("cl" | "CL" | "clc" | "ocl" | "opencl") => InputKind::Kernels,
        Some("yaml" | "yml") => InputKind::Facts,
        Some("s" | "S" | "sx" | "h" | "hh" | "hpp" | "hxx" | "m" | "mm") => {
            InputKind::Foreign(None)
        }
        _ => InputKind::Linker,
    }
}

/// The last word on all kernels, and the last on each that is named.
fn requested(matches: &ArgMatches) -> RequestedModels {
    let mut requested = RequestedModels::default();
    for value in all(matches, "fexecution-model") {
        let (kernel, word) = match value.rsplit_once(':') {
            Some((kernel, word)) => (Some(kernel), word),
            None => (None, value.as_str()),
        };
        // The parser of the option lets no other words through.
        let model = ExecutionModel::named(word).unwrap_or_default();
        match kernel {
            Some(kernel) => drop(requested.kernels.insert(kernel.to_string(), model)),
            None => requested.all = Some(model),
        }
    }
    requested
}

/// As in clang, a name for the file asks for the file.
fn record(matches: &ArgMatches) -> RecordOptions {
    let file = one(matches, "foptimization-record-file").map(PathBuf::from);
    let asked = one(matches, "fsave-optimization-record").is_some() || file.is_some();
    RecordOptions {
        is_wanted: asked && !matches.get_flag("fno-save-optimization-record"),
        file,
        passes: one(matches, "foptimization-record-passes"),
    }
}

fn dependencies(matches: &ArgMatches) -> Option<DependencyOptions> {
    let warnings = all(matches, "warning");
    let by_preprocessor = warnings.iter().rev().find_map(|w| rule_by_preprocessor(w));
    let flags = ["MD", "MMD", "MM", "rules"];
    if by_preprocessor.is_none() && !flags.iter().any(|name| matches.get_flag(name)) {
        return None;
    }
    let no_system = matches.get_flag("MMD") || matches.get_flag("MM");
    let file = one(matches, "MF").map(PathBuf::from);
    Some(DependencyOptions {
        no_system: no_system || by_preprocessor.is_some_and(|(_, no_system)| no_system),
        file: file.or_else(|| by_preprocessor.map(|(file, _)| PathBuf::from(file))),
        targets: dependency_targets(matches),
        phony: matches.get_flag("MP"),
    })
}

/// `-MT` and `-MQ`, in the order of the command line.
fn dependency_targets(matches: &ArgMatches) -> Vec<String> {
    let plain = cli::values(matches, "MT").map(|(at, target)| (at, target.clone()));
    let quoted = cli::values(matches, "MQ").map(|(at, target)| (at, depfile::make_word(target)));
    let mut targets: Vec<_> = plain.chain(quoted).collect();
    targets.sort();
    targets.into_iter().map(|(_, target)| target).collect()
}
