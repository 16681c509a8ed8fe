//! Whether parsing and printing keep a kernel file's meaning: the original and the printed text are
//! compiled by clang to LLVM IR, and must give the same.

use std::fs;
use std::path::{Path, PathBuf};

use fpgacc_aoc_wrappers::cc::{Compiler, Language, Source};
use fpgacc_aoc_wrappers::process::Command;
use fpgacc_frontend::diag::{Color, render};
use fpgacc_frontend::ir::{Dialect, Module};
use fpgacc_frontend::kernel::{
    Input, LineDirectives, ParseError, parse, predefined, print, validate,
};
use fpgacc_frontend::source::{SourceMap, without_bom};

use crate::job::Job;
use crate::run::{Platform, run};

/// clang, as Debian names the version that tests use.
pub(crate) const CLANG: &str = "clang-14";

/// How kernel files are read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// As after `-D`.
    pub defines: Vec<String>,
    /// As after `-I`, beside the file's own folder.
    pub includes: Vec<PathBuf>,
    /// Build the printed text on the emulators too, where they build the original.
    pub build: bool,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// clang does not accept the original.
    Rejected(String),
    /// The front end says that it does not take this.
    Unsupported(String),
    /// The front end finds errors where clang finds none.
    Refused(String),
    /// Lowering made a module that breaks the IR's contract.
    Invalid(String),
    /// The printed text does not parse.
    Unreadable(String),
    /// The printed text prints as another text.
    Unstable(String),
    /// clang does not accept the printed text.
    Uncompilable(String),
    /// The printed text means something else.
    Different(String),
    /// An emulator builds the original but not the printed text.
    Unbuildable(String),
    /// All is well.
    Same,
}

impl Outcome {
    /// One word.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Rejected(_) => "rejected",
            Outcome::Unsupported(_) => "unsupported",
            Outcome::Refused(_) => "refused",
            Outcome::Invalid(_) => "invalid",
            Outcome::Unreadable(_) => "unreadable",
            Outcome::Unstable(_) => "unstable",
            Outcome::Uncompilable(_) => "uncompilable",
            Outcome::Different(_) => "different",
            Outcome::Unbuildable(_) => "unbuildable",
            Outcome::Same => "same",
        }
    }

    /// Why.
    pub fn detail(&self) -> &str {
        match self {
            Outcome::Rejected(text)
            | Outcome::Unsupported(text)
            | Outcome::Refused(text)
            | Outcome::Invalid(text)
            | Outcome::Unreadable(text)
            | Outcome::Unstable(text)
            | Outcome::Uncompilable(text)
            | Outcome::Different(text)
            | Outcome::Unbuildable(text) => text,
            Outcome::Same => "",
        }
    }

    /// Whether the front end or the printer did what it must not.
    pub fn is_failure(&self) -> bool {
        !matches!(
            self,
            Outcome::Rejected(_) | Outcome::Unsupported(_) | Outcome::Same
        )
    }
}

/// Whether an emulator builds a file's texts.
#[derive(Clone, Debug)]
pub struct Build {
    /// Where.
    pub platform: Platform,
    /// Whether it builds the original; without that, the printed text is not tried.
    pub original: bool,
    /// Whether it builds the printed text.
    pub printed: bool,
}

/// A file's outcome and its printed text, if it came so far.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What became of it.
    pub outcome: Outcome,
    /// The printed text.
    pub printed: Option<String>,
    /// What the emulators built, if [`Options::build`] is set.
    pub builds: Vec<Build>,
}

impl From<Outcome> for Checked {
    fn from(outcome: Outcome) -> Self {
        Checked {
            outcome,
            printed: None,
            builds: Vec::new(),
        }
    }
}

/// Intel's extensions for a clang that does not know them: a channel is a variable, reading and
/// writing it are assignments.
const EXTENSIONS: [&str; 12] = [
    "channel=__global",
    "write_channel_intel(c,v)=((c)=(v))",
    "read_channel_intel(c)=(c)",
    "write_channel_nb_intel(c,v)=((c)=(v),true)",
    "read_channel_nb_intel(c,ok)=(*(ok)=true,(c))",
    "write_channel_altera(c,v)=((c)=(v))",
    "read_channel_altera(c)=(c)",
    "write_channel_nb_altera(c,v)=((c)=(v),true)",
    "read_channel_nb_altera(c,ok)=(*(ok)=true,(c))",
    "get_compute_id(d)=((int)get_group_id(d))",
    "__fpga_reg(x)=(x)",
    "CLK_CHANNEL_MEM_FENCE=4",
];

/// Checks one file, as OpenCL C 1.2 or, if clang refuses it as that, as 2.0, or as 2.0 with Intel's
/// extensions.
pub fn check(path: &Path, options: &Options) -> Checked {
    let attempts = [
        File::new(path, options, Dialect::Cl12, &[]),
        File::new(path, options, Dialect::Cl20, &[]),
        File::new(path, options, Dialect::Cl20, &EXTENSIONS),
    ];
    let mut refusal = None;
    for file in attempts {
        match file.clang(path) {
            Ok(before) => return file.check(&before),
            Err(message) => _ = refusal.get_or_insert(message),
        }
    }
    Outcome::Rejected(refusal.unwrap_or_default()).into()
}

/// A file in one dialect.
struct File<'a> {
    path: &'a Path,
    options: &'a Options,
    dialect: Dialect,
    includes: Vec<PathBuf>,
    /// Macros for clang alone.
    extensions: &'static [&'static str],
}

impl<'a> File<'a> {
    fn new(
        path: &'a Path,
        options: &'a Options,
        dialect: Dialect,
        extensions: &'static [&'static str],
    ) -> Self {
        let mut includes: Vec<PathBuf> = path.parent().map(Path::to_path_buf).into_iter().collect();
        includes.extend(options.includes.iter().cloned());
        File {
            path,
            options,
            dialect,
            includes,
            extensions,
        }
    }

    fn std(&self) -> &'static str {
        std_flag(self.dialect)
    }

    fn check(&self, before: &str) -> Checked {
        let texts = match self.print(&self.clang_macros()) {
            Ok(texts) => texts,
            Err(outcome) => return outcome.into(),
        };
        let mut checked = Checked {
            outcome: self.judge(&texts, before),
            printed: Some(texts.plain),
            builds: Vec::new(),
        };
        if self.options.build && !checked.outcome.is_failure() {
            self.build(&mut checked);
        }
        checked
    }

    fn judge(&self, texts: &Texts, before: &str) -> Outcome {
        match self.reprint(&texts.plain) {
            Ok(again) if again.plain == texts.plain => {}
            Ok(again) => {
                return Outcome::Unstable(first_difference(&texts.plain, &again.plain));
            }
            Err(outcome) => return Outcome::Unreadable(outcome.detail().to_string()),
        }
        for text in [&texts.plain, &texts.with_lines] {
            match self.compiled(text) {
                Ok(after) if after == before => {}
                Ok(after) => return Outcome::Different(first_difference(before, &after)),
                Err(message) => return Outcome::Uncompilable(message),
            }
        }
        Outcome::Same
    }

    /// What clang makes of a printed text.
    fn compiled(&self, text: &str) -> Result<String, String> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let path = folder.path().join("printed.cl");
        fs::write(&path, text).map_err(|e| e.to_string())?;
        self.clang(&path)
    }

    /// Parses, validates and prints the file.
    fn print(&self, macros: &[String]) -> Result<Texts, Outcome> {
        let mut defines = self.options.defines.clone();
        defines.extend_from_slice(macros);
        let text = fs::read(self.path).map_err(|e| Outcome::Refused(e.to_string()))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        self.print_text(without_bom(&text), &defines)
    }

    /// The same for a text that was printed: it needs no macros.
    fn reprint(&self, text: &str) -> Result<Texts, Outcome> {
        self.print_text(text, &[])
    }

    fn print_text(&self, text: &str, defines: &[String]) -> Result<Texts, Outcome> {
        let name = self.path.to_string_lossy();
        let lead = predefined(self.dialect, &[self.std()]);
        let whole = format!("{lead}#line 1 \"{name}\"\n{text}");
        let compiler = Compiler::find(Language::C).map_err(|e| Outcome::Refused(e.to_string()))?;
        let source = Source {
            path: self.path,
            text: Some(whole.as_bytes()),
        };
        let preprocessed = compiler
            .preprocess_kernel(source, defines, &[], &self.includes)
            .map_err(|e| Outcome::Refused(e.to_string()))?;
        let mut sources = SourceMap::new();
        sources.add(name.as_ref(), text);
        let input = Input::new(&name, &preprocessed.text, self.dialect);
        let module = parse(&input, &mut sources).map_err(|error| {
            let reports: String = error
                .diagnostics()
                .iter()
                .map(|diagnostic| render(diagnostic, &sources, Color::Never))
                .collect();
            match error {
                ParseError::Invalid(_) => Outcome::Refused(reports),
                ParseError::Unsupported(_) => Outcome::Unsupported(reports),
            }
        })?;
        print_module(&module, &sources)
    }

    /// The macros that clang defines of itself for OpenCL C: extensions and features.
    fn clang_macros(&self) -> Vec<String> {
        let command = Command::new(CLANG)
            .args(["-x", "cl", "-target", "spir64", self.std(), "-dM", "-E"])
            .arg("/dev/null");
        let text = match command.capture() {
            Ok(captured) => captured.stdout_text(),
            Err(_) => String::new(),
        };
        text.lines()
            .filter_map(|line| line.strip_prefix("#define ")?.split_once(' '))
            .filter(|(name, _)| {
                ["cl_", "__opencl_c_", "__SPIR"]
                    .iter()
                    .any(|prefix| name.starts_with(prefix))
                    && !name.contains('(')
            })
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
    }

    fn clang(&self, path: &Path) -> Result<String, String> {
        let mut flags = vec![self.std().to_string()];
        flags.extend(["INTELFPGA_CL=1", "ALTERA_CL=1"].map(|define| format!("-D{define}")));
        let options = self.options;
        flags.extend(options.defines.iter().map(|define| format!("-D{define}")));
        flags.extend(self.extensions.iter().map(|define| format!("-D{define}")));
        for folder in &self.includes {
            flags.push(format!("-I{}", folder.display()));
        }
        llvm_ir(path, &flags)
    }

    /// Builds both texts on the emulators. They lack extensions that clang claims to have: here the
    /// text is printed as the compiler driver would.
    fn build(&self, checked: &mut Checked) {
        let text = match self.print(&[]) {
            Ok(texts) => texts.plain,
            Err(outcome) => {
                checked.outcome = outcome;
                return;
            }
        };
        let original = fs::read(self.path).unwrap_or_default();
        let mut original = Job::new(String::from_utf8_lossy(&original));
        let mut options = vec![self.std().to_string()];
        options.extend(self.options.defines.iter().map(|d| format!("-D{d}")));
        options.extend(self.includes.iter().map(|i| format!("-I{}", i.display())));
        original.options = options.join(" ");
        let printed = original.with_source(text);
        for platform in Platform::EMULATORS {
            let before = run(&original, platform).is_ok();
            let after = before.then(|| run(&printed, platform));
            checked.builds.push(Build {
                platform,
                original: before,
                printed: matches!(after, Some(Ok(_))),
            });
            if let Some(Err(error)) = after {
                checked.outcome = Outcome::Unbuildable(error.to_string());
            }
        }
    }
}

/// What clang makes of a text: LLVM IR without what only names it. It is not optimised, so that
/// nothing of the text is lost, but has what optimisation needs to know of types and lifetimes.
///
/// # Errors
/// clang's messages.
pub fn meaning(text: &str, dialect: Dialect) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let path = folder.path().join("text.cl");
    fs::write(&path, text).map_err(|e| e.to_string())?;
    llvm_ir(&path, &[std_flag(dialect).to_string()])
}

fn std_flag(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Cl12 => "-cl-std=CL1.2",
        Dialect::Cl20 => "-cl-std=CL2.0",
    }
}

fn llvm_ir(path: &Path, flags: &[String]) -> Result<String, String> {
    let captured = Command::new(CLANG)
        .args(["-x", "cl", "-target", "spir64", "-O1"])
        .args(["-Xclang", "-disable-llvm-passes"])
        .args(["-emit-llvm", "-S", "-w", "-o", "-"])
        .args(flags.iter().cloned())
        .arg(path)
        .capture()
        .map_err(|e| e.to_string())?;
    match captured.status.success() {
        true => Ok(normal(&captured.stdout_text())),
        false => Err(captured.stderr_text()),
    }
}

/// A module's two texts.
struct Texts {
    plain: String,
    /// With `#line`.
    with_lines: String,
}

fn print_module(module: &Module, sources: &SourceMap) -> Result<Texts, Outcome> {
    let valid = validate(module).map_err(|faults| {
        let reports = faults.iter().map(|f| render(f, sources, Color::Never));
        Outcome::Invalid(reports.collect())
    })?;
    Ok(Texts {
        plain: print(&valid, sources, LineDirectives::None),
        with_lines: print(&valid, sources, LineDirectives::Needed),
    })
}

/// LLVM IR without the file's name, and with record types named by the order in which they occur: a
/// record without a tag may get one in print.
fn normal(ir: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut out = String::new();
    for line in ir.lines() {
        if line.starts_with("; ModuleID") || line.starts_with("source_filename") {
            continue;
        }
        let mut rest = line;
        while let Some(at) = ["%struct.", "%union."]
            .iter()
            .filter_map(|kind| rest.find(kind))
            .min()
        {
            let (before, from) = rest.split_at(at);
            let is_name = |c: char| c.is_alphanumeric() || "._%".contains(c);
            let end = from.find(|c| !is_name(c)).unwrap_or(from.len());
            let (name, after) = from.split_at(end);
            let index = match names.iter().position(|known| known == name) {
                Some(index) => index,
                None => {
                    names.push(name.to_string());
                    names.len() - 1
                }
            };
            out.push_str(&format!("{before}%record{index}"));
            rest = after;
        }
        out.push_str(rest);
        out.push('\n');
    }
    out
}

/// The first lines that differ, with what is around them.
fn first_difference(before: &str, after: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let at = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let mut out = String::new();
    for line in a.iter().skip(at.saturating_sub(2)).take(2.min(at)) {
        out.push_str(&format!("  {line}\n"));
    }
    for line in a.iter().skip(at).take(3) {
        out.push_str(&format!("- {line}\n"));
    }
    for line in b.iter().skip(at).take(3) {
        out.push_str(&format!("+ {line}\n"));
    }
    out
}
