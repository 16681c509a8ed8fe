//! The C and C++ compilers: preprocessing kernels and hosts, compiling, linking, data in objects.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::c_text;
use crate::output::{OutputError, Staged};
use crate::process::{self, Captured, Command, ProcessError, Status};
use crate::scratch::Scratch;

/// What went wrong with the C or C++ compiler.
#[derive(Debug, thiserror::Error)]
pub enum CcError {
    /// No compiler is installed.
    #[error(
        "cannot find a {language} compiler (tried {tried}): install the Debian package `{package}`, \
         or name one in ${variable}"
    )]
    Missing {
        /// `C` or `C++`.
        language: &'static str,
        /// The names that were looked for.
        tried: String,
        /// The package that brings one.
        package: &'static str,
        /// The environment variable that names one.
        variable: &'static str,
    },
    /// The compiler that was found runs fpgacc, which would look for a compiler again, without end.
    #[error(
        "the {language} compiler that fpgacc runs is fpgacc again: name the compiler of hosts in ${variable}"
    )]
    Itself {
        /// `C` or `C++`.
        language: &'static str,
        /// The environment variable that names one.
        variable: &'static str,
    },
    /// A tool of binutils is not installed.
    #[error("cannot find `{0}`: install the Debian package `binutils`")]
    MissingBinutils(&'static str),
    /// `$CC` or `$CXX` cannot be read as a command.
    #[error("cannot read ${variable}='{value}' as a command: unbalanced quotes")]
    Unreadable {
        /// The environment variable.
        variable: &'static str,
        /// Its value.
        value: String,
    },
    /// It ran and failed. Its own messages say why.
    #[error("{} failed ({status})", .program.display())]
    Failed {
        /// The compiler.
        program: PathBuf,
        /// How it ended.
        status: Status,
        /// Its messages, with the user's own file names.
        diagnostics: String,
    },
    /// Macros made too much of a kernel file; see [`EXPANSION_LIMIT`].
    #[error("the preprocessed text is longer than {} MiB", EXPANSION_LIMIT >> 20)]
    TooLong {
        /// The text up to where it was cut off.
        text: String,
    },
    /// It could not be run.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// Its output could not be put in place.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A temporary file could not be written.
    #[error("cannot write a temporary file: {0}")]
    Temporary(io::Error),
    /// A file that it wrote could not be read.
    #[error("cannot read {}: {source}", .path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl CcError {
    /// The compiler's own messages, if it ran.
    pub fn diagnostics(&self) -> Option<&str> {
        match self {
            CcError::Failed { diagnostics, .. } => Some(diagnostics),
            _ => None,
        }
    }
}

/// Macros and included files may add so many bytes to a kernel file: each takes some hundred bytes of
/// memory when it is parsed.
pub const EXPANSION_LIMIT: usize = 8 << 20;

/// A host language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cxx,
}

impl Language {
    /// What `-x` calls it.
    pub fn name(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Cxx => "c++",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Language::C => "C",
            Language::Cxx => "C++",
        }
    }

    /// The environment variable that names its compiler.
    pub fn variable(self) -> &'static str {
        match self {
            Language::C => "CC",
            Language::Cxx => "CXX",
        }
    }

    fn itself(self) -> CcError {
        CcError::Itself {
            language: self.title(),
            variable: self.variable(),
        }
    }

    fn candidates(self) -> &'static [&'static str] {
        match self {
            Language::C => &["cc", "gcc", "clang"],
            Language::Cxx => &["c++", "g++", "clang++"],
        }
    }

    fn package(self) -> &'static str {
        match self {
            Language::C => "gcc",
            Language::Cxx => "g++",
        }
    }
}

/// A source for the compiler: a file of the user's, perhaps with other text in its place.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its path as the user gave it: in messages, in `__FILE__` and for quoted includes.
    pub path: &'a Path,
    /// What to read instead of the file; hosts need not be UTF-8.
    pub text: Option<&'a [u8]>,
}

/// Text that the preprocessor made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preprocessed {
    /// The text, with line markers and, where asked for, `#define` lines.
    pub text: String,
    /// Warnings that it gave.
    pub warnings: String,
}

/// What a link came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linked {
    /// What it wrote on standard output: an answer to `-Wl,--version`.
    pub stdout: Vec<u8>,
    /// Its messages.
    pub warnings: String,
    /// It made its output.
    pub is_made: bool,
}

/// Set for the compiler that fpgacc runs. Whatever stands between them, a script or a launcher, fpgacc
/// knows by it that it is that compiler.
const INSIDE: &str = "FPGACC_RUNS_COMPILER";

/// A compiler of C or C++.
#[derive(Clone, Debug)]
pub struct Compiler {
    program: PathBuf,
    args: Vec<OsString>,
    language: Language,
}

impl Compiler {
    /// The compiler that `$CC` or `$CXX` names, with the arguments given there; else the first of
    /// the usual names in `$PATH`. Where `$CC` names one of C++ (`g++`), it is that of C++ if `$CXX`
    /// names none, and its sibling (`gcc`) is that of C.
    pub fn find(language: Language) -> Result<Self, CcError> {
        if std::env::var_os(INSIDE).is_some() {
            return Err(language.itself());
        }
        let named = match language {
            Language::C => std::env::var_os("CC").map(|cc| as_c_compiler(&cc)),
            Language::Cxx => {
                let cc = || std::env::var_os("CC").filter(|cc| names_cxx(cc));
                std::env::var_os("CXX").or_else(cc)
            }
        };
        Self::find_in(
            language,
            named.as_deref(),
            std::env::var_os("PATH").as_deref(),
        )
    }

    /// [`Compiler::find`], given the two variables.
    pub fn find_in(
        language: Language,
        named: Option<&OsStr>,
        path: Option<&OsStr>,
    ) -> Result<Self, CcError> {
        let here = std::env::current_dir().unwrap_or_default();
        let missing = |tried: String| CcError::Missing {
            language: language.title(),
            tried,
            package: language.package(),
            variable: language.variable(),
        };
        if let Some(named) = named.filter(|named| !named.is_empty()) {
            let value = named.to_string_lossy();
            let words = shlex::split(&value).ok_or_else(|| CcError::Unreadable {
                variable: language.variable(),
                value: value.to_string(),
            })?;
            // Also where a launcher runs it: `CC='ccache fpgacc'`.
            let is_own = words.iter().any(|word| names_fpgacc(word));
            let mut words = words.into_iter();
            if let Some(name) = words.next().filter(|_| !is_own) {
                let program = which::which_in(&name, path, &here)
                    .map_err(|_| missing(format!("${}={value}", language.variable())))?;
                return Ok(Compiler {
                    program,
                    args: words.map(OsString::from).collect(),
                    language,
                });
            }
        }
        let program = language
            .candidates()
            .iter()
            .find_map(|name| {
                let found = which::which_in_all(name, path, &here).ok()?;
                let mut found = found.filter(|program| !names_fpgacc(&program.to_string_lossy()));
                found.next()
            })
            .ok_or_else(|| missing(language.candidates().join(", ")))?;
        Ok(Compiler {
            program,
            args: Vec::new(),
            language,
        })
    }

    /// Its path.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// A command line that starts with this compiler, in the user's folder.
    pub fn command(&self) -> Command {
        Command::new(&self.program)
            .args(self.args.iter().cloned())
            .env(INSIDE, "1")
    }

    /// The first line of `--version`.
    pub fn version(&self) -> Result<String, CcError> {
        let captured = self.checked(self.command().arg("--version"))?.0;
        let text = captured.stdout_text();
        let line = text.lines().next().unwrap_or_default();
        match line.starts_with("fpgacc ") {
            true => Err(self.language.itself()),
            false => Ok(line.to_string()),
        }
    }

    /// Flags that say how side files are called, and the paths that objects record of them: they begin
    /// with `start`, and go on with the name of the source without its suffix.
    pub fn side_file_flags(&self, start: &Path, source: &str) -> Vec<OsString> {
        // Clang names them after its output, whatever it is.
        if self
            .version()
            .is_ok_and(|version| version.contains("clang"))
        {
            return Vec::new();
        }
        let suffix = source.rfind('.').map_or("", |at| &source[at..]);
        let mut flags: Vec<OsString> = vec!["-dumpdir".into(), start.into()];
        flags.extend(["-dumpbase", source, "-dumpbase-ext", suffix].map(OsString::from));
        flags
    }

    /// Preprocesses a kernel file: no predefined macros but the given ones and those of C99,
    /// which OpenCL C extends, no system headers. `defines` are as after `-D`, `undefines` as after `-U`. Macro
    /// definitions stay in the text (`-dD`).
    pub fn preprocess_kernel(
        &self,
        source: Source,
        defines: &[String],
        undefines: &[String],
        includes: &[PathBuf],
    ) -> Result<Preprocessed, CcError> {
        let mut flags: Vec<OsString> = ["-undef", "-nostdinc", "-std=gnu99", "-Wno-error"]
            .map(OsString::from)
            .into();
        flags.extend(defines.iter().map(|define| format!("-D{define}").into()));
        flags.extend(undefines.iter().map(|name| format!("-U{name}").into()));
        for folder in includes {
            flags.push("-I".into());
            flags.push(folder.into());
        }
        let own = match source.text {
            Some(text) => text.len(),
            None => fs::metadata(source.path).map_or(0, |meta| meta.len() as usize),
        };
        let limit = own.saturating_add(EXPANSION_LIMIT);
        self.preprocess(source, Language::C, &flags, Some(limit))
    }

    /// Preprocesses a host with the user's flags. Macro definitions stay in the text (`-dD`).
    pub fn preprocess_host(
        &self,
        source: Source,
        flags: &[OsString],
    ) -> Result<Preprocessed, CcError> {
        self.preprocess(source, self.language, flags, None)
    }

    fn preprocess(
        &self,
        source: Source,
        language: Language,
        flags: &[OsString],
        limit: Option<usize>,
    ) -> Result<Preprocessed, CcError> {
        let input = Input::new(source)?;
        let mut command = self
            .command()
            .args(input.quote_flags())
            .args(flags.iter().cloned())
            .args(["-E", "-dD", "-x", language.name()])
            .arg(input.path());
        if let Some(limit) = limit {
            command = command.at_most(limit);
        }
        match self.checked_input(command, &input) {
            Ok((captured, warnings)) => {
                let text = input.renamed_markers(&c_text::decode(&captured.stdout).text);
                Ok(Preprocessed { text, warnings })
            }
            Err(CcError::Process(ProcessError::TooMuch { start, .. })) => {
                let text = input.renamed_markers(&String::from_utf8_lossy(&start));
                Err(CcError::TooLong { text })
            }
            Err(error) => Err(error),
        }
    }

    /// Compiles a host to an object, whole or not at all. Gives the compiler's warnings.
    ///
    /// A text that stands for the file is compiled from a temporary file of the same name, with
    /// quoted includes looked up beside the original; neither object nor messages show it.
    pub fn compile(
        &self,
        source: Source,
        flags: &[OsString],
        output: &Path,
    ) -> Result<String, CcError> {
        self.translate(source, ("-c", flags), output, leaves_side_files(flags))
    }

    /// Compiles to assembly (`-S`), whole or not at all. Gives the compiler's warnings.
    pub fn assembly(
        &self,
        source: Source,
        flags: &[OsString],
        output: &Path,
    ) -> Result<String, CcError> {
        self.translate(source, ("-S", flags), output, false)
    }

    /// `direct`: the compiler writes the output itself, and files beside it.
    fn translate(
        &self,
        source: Source,
        (step, flags): (&str, &[OsString]),
        output: &Path,
        direct: bool,
    ) -> Result<String, CcError> {
        let input = Input::new(source)?;
        let staged = Staged::new(output)?;
        let command = self
            .command()
            .args(input.quote_flags())
            .args(flags.iter().cloned())
            .args([step, "-x", self.language.name()])
            .arg(input.path())
            .arg("-o")
            .arg(match direct {
                true => output.to_path_buf(),
                false => staged.path(),
            });
        if process::is_dry() {
            command.show();
            return Ok(String::new());
        }
        let (_, warnings) = self.checked_input(command, &input)?;
        if !direct {
            staged.commit()?;
        }
        Ok(warnings)
    }

    /// Looks for mistakes, and makes nothing. Gives the compiler's warnings.
    pub fn check_syntax(&self, source: Source, flags: &[OsString]) -> Result<String, CcError> {
        let input = Input::new(source)?;
        let command = self
            .command()
            .args(input.quote_flags())
            .args(flags.iter().cloned())
            .args(["-fsyntax-only", "-x", self.language.name()])
            .arg(input.path());
        Ok(self.checked_input(command, &input)?.1)
    }

    /// Runs it with these words, whatever they ask. Gives what it wrote, and its messages.
    pub fn hand_on(
        &self,
        args: &[OsString],
        stdin: Option<Vec<u8>>,
    ) -> Result<(Captured, String), CcError> {
        let command = self.command().args(args.iter().cloned());
        self.checked(command.stdin(stdin.unwrap_or_default()))
    }

    /// Makes an object that carries `data` in a section that no executable takes over
    /// (`SHF_EXCLUDE`).
    pub fn data_object(&self, section: &str, data: &[u8], output: &Path) -> Result<(), CcError> {
        let staged = Staged::new(output)?;
        let assembly = format!(
            ".section {section},\"e\",@progbits\n.incbin \"data\"\n\
             .section .note.GNU-stack,\"\",@progbits\n"
        );
        let write = |name: &str, bytes: &[u8]| {
            fs::write(staged.folder().join(name), bytes).map_err(CcError::Temporary)
        };
        write("data", data)?;
        write("data.s", assembly.as_bytes())?;
        let command = self
            .command()
            .args(["-c", "-x", "assembler", "data.s", "-o", "data.o"])
            .dir(staged.folder());
        if process::is_dry() {
            command.show();
            return Ok(());
        }
        self.checked(command)?;
        fs::rename(staged.folder().join("data.o"), staged.path()).map_err(CcError::Temporary)?;
        Ok(staged.commit()?)
    }

    /// Links, whole or not at all. `args` are objects, libraries and flags in the user's order.
    pub fn link(&self, args: &[OsString], output: &Path) -> Result<Linked, CcError> {
        let staged = Staged::new(output)?;
        let command = self
            .command()
            .args(args.iter().cloned())
            .arg("-o")
            .arg(staged.path());
        if process::is_dry() {
            command.show();
            return Ok(Linked::default());
        }
        let (captured, warnings) = self.checked(command)?;
        // A linker that was only asked for its version makes nothing.
        let is_made = staged.path().exists();
        if is_made {
            staged.commit()?;
        }
        Ok(Linked {
            stdout: captured.stdout,
            warnings,
            is_made,
        })
    }

    /// Runs it in a folder.
    pub(crate) fn run_in(
        &self,
        folder: &Path,
        args: impl IntoIterator<Item = OsString>,
    ) -> Result<(), CcError> {
        let command = self.command().args(args).dir(folder);
        if process::is_dry() {
            command.show();
            return Ok(());
        }
        self.checked(command).map(|_| ())
    }

    fn checked(&self, command: Command) -> Result<(Captured, String), CcError> {
        check(&self.program, &command, |text| text)
    }

    fn checked_input(
        &self,
        command: Command,
        input: &Input,
    ) -> Result<(Captured, String), CcError> {
        check(&self.program, &command, |text| input.renamed(&text))
    }
}

/// Whether `$CC` names a compiler of C++, which takes .c files as C++: makefiles say `CC = g++`.
pub fn cc_is_cxx() -> bool {
    std::env::var_os("CC").is_some_and(|cc| names_cxx(&cc))
}

/// The compilers of C++, and those of C that come with them.
const SIBLINGS: [(&str, &str); 3] = [("clang++", "clang"), ("g++", "gcc"), ("c++", "cc")];

/// The compiler of C in place of that of C++, if a word of a command names one.
fn c_sibling(word: &str) -> Option<String> {
    if word.starts_with('-') || names_fpgacc(word) {
        return None;
    }
    let (folder, name) = word.split_at(word.rfind('/').map_or(0, |at| at + 1));
    let (cxx, c) = SIBLINGS.iter().find(|(cxx, _)| name.contains(cxx))?;
    Some(format!("{folder}{}", name.replacen(cxx, c, 1)))
}

fn names_cxx(command: &OsStr) -> bool {
    let words = shlex::split(&command.to_string_lossy()).unwrap_or_default();
    words.iter().any(|word| c_sibling(word).is_some())
}

/// A command with the C compiler in place of that of C++, launchers and arguments as they are.
fn as_c_compiler(command: &OsStr) -> OsString {
    let words = shlex::split(&command.to_string_lossy()).filter(|_| names_cxx(command));
    let words = words.unwrap_or_default().into_iter();
    let words: Vec<String> = words.map(|word| c_sibling(&word).unwrap_or(word)).collect();
    match shlex::try_join(words.iter().map(String::as_str)) {
        Ok(joined) if !joined.is_empty() => joined.into(),
        _ => command.to_os_string(),
    }
}

/// Whether a command is fpgacc: `CC=fpgacc` in a makefile reaches fpgacc itself through the
/// environment, and does not say which compiler hosts are for.
fn names_fpgacc(command: &str) -> bool {
    let path = Path::new(command);
    let own = std::env::current_exe().and_then(fs::canonicalize);
    let is_own = |own: PathBuf| fs::canonicalize(path).is_ok_and(|real| real == own);
    let name = path.file_name().unwrap_or_default();
    name == "fpgacc" || name == "fpgacc++" || own.is_ok_and(is_own)
}

/// Whether flags make the compiler write further files beside the object and record their places:
/// then it must write to the object's own place, although not at once.
pub fn leaves_side_files(flags: &[OsString]) -> bool {
    const FLAGS: [&str; 6] = [
        "--coverage",
        "-ftest-coverage",
        "-fprofile-arcs",
        "-gsplit-dwarf",
        "-fstack-usage",
        "-save-temps",
    ];
    flags.iter().any(|flag| {
        let flag = flag.to_string_lossy();
        FLAGS.contains(&&*flag) || flag.starts_with("-save-temps=")
    })
}

/// Adds a section with `data` to an object, replacing one of that name. No executable takes it
/// over (`SHF_EXCLUDE`); `ld -r` and archives keep it.
pub fn attach_section(object: &Path, section: &str, data: &[u8]) -> Result<(), CcError> {
    let objcopy = which::which("objcopy").map_err(|_| CcError::MissingBinutils("objcopy"))?;
    let staged = Staged::new(object)?;
    let file = staged.folder().join("section");
    fs::write(&file, data).map_err(CcError::Temporary)?;
    let mut add = OsString::from(format!("{section}="));
    add.push(&file);
    let command = Command::new(&objcopy)
        .arg("--remove-section")
        .arg(section)
        .arg("--add-section")
        .arg(add)
        .arg("--set-section-flags")
        .arg(format!("{section}=exclude,readonly"))
        .arg(object)
        .arg(staged.path());
    if process::is_dry() {
        command.show();
        return Ok(());
    }
    check(&objcopy, &command, |text| text)?;
    Ok(staged.commit()?)
}

fn check(
    program: &Path,
    command: &Command,
    rename: impl Fn(String) -> String,
) -> Result<(Captured, String), CcError> {
    let captured = command.capture()?;
    let diagnostics = rename(captured.stderr_text());
    match captured.status.success() {
        true => Ok((captured, diagnostics)),
        false => Err(CcError::Failed {
            program: program.to_path_buf(),
            status: captured.status,
            diagnostics,
        }),
    }
}

/// What the compiler reads: the user's file, or a text in a folder of its own under the same base
/// name, so that neither a quoted include nor the object's contents depend on where it lies.
struct Input<'a> {
    source: Source<'a>,
    folder: Option<Scratch>,
}

impl<'a> Input<'a> {
    fn new(source: Source<'a>) -> Result<Self, CcError> {
        let Some(text) = source.text else {
            return Ok(Input {
                source,
                folder: None,
            });
        };
        let folder = Scratch::new().map_err(CcError::Temporary)?;
        let input = Input {
            source,
            folder: Some(folder),
        };
        let first = format!("#line 1 {}\n", c_string(&source.path.to_string_lossy()));
        // A byte order mark is one only at the very start.
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let whole = [first.as_bytes(), text].concat();
        fs::write(input.path(), whole).map_err(CcError::Temporary)?;
        Ok(input)
    }

    fn path(&self) -> PathBuf {
        let name = self.source.path.file_name().unwrap_or(OsStr::new("source"));
        match &self.folder {
            Some(folder) => folder.path().join(name),
            // Not to be taken for an option.
            None if self
                .source
                .path
                .as_os_str()
                .as_encoded_bytes()
                .starts_with(b"-") =>
            {
                Path::new(".").join(self.source.path)
            }
            None => self.source.path.to_path_buf(),
        }
    }

    /// The folder of the user's file as one would write it before a slash; empty for the working
    /// folder.
    fn home(&self) -> &Path {
        self.source.path.parent().unwrap_or(Path::new(""))
    }

    /// Flags that make a text elsewhere behave as the user's file.
    fn quote_flags(&self) -> Vec<OsString> {
        let Some(folder) = &self.folder else {
            return Vec::new();
        };
        let home = match self.home().as_os_str().is_empty() {
            true => Path::new("."),
            false => self.home(),
        };
        // Debug information would otherwise name the temporary folder.
        let mut map = OsString::from("-ffile-prefix-map=");
        map.push(folder.path());
        map.push("=");
        map.push(home);
        let mut flags = vec!["-iquote".into(), home.into(), map];
        if self.home().as_os_str().is_empty() {
            // `__FILE__` in headers beside the user's file; see `renamed`.
            flags.push("-ffile-prefix-map=./=".into());
        }
        flags
    }

    /// Messages with the user's file name in place of the temporary one.
    fn renamed(&self, text: &str) -> String {
        if self.folder.is_none() {
            return text.to_string();
        }
        let text = text.replace(
            &*self.path().to_string_lossy(),
            &self.source.path.to_string_lossy(),
        );
        if !self.home().as_os_str().is_empty() {
            return text;
        }
        // Headers beside the user's file would be found without `./`, were it the compiler's input.
        let mut renamed = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let line = line.strip_prefix("./").unwrap_or(line);
            renamed.push_str(&line.replace(" from ./", " from "));
        }
        renamed
    }

    /// Line markers with the user's file name in place of the temporary one.
    fn renamed_markers(&self, text: &str) -> String {
        if self.folder.is_none() {
            return text.to_string();
        }
        let from = format!("\"{}\"", self.path().to_string_lossy());
        let to = c_string(&self.source.path.to_string_lossy());
        let here = self.home().as_os_str().is_empty();
        let mut renamed = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let marker = line.starts_with("# ");
            match marker {
                true if line.contains(&from) => renamed.push_str(&line.replace(&from, &to)),
                true if here => renamed.push_str(&line.replacen(" \"./", " \"", 1)),
                _ => renamed.push_str(line),
            }
        }
        renamed
    }
}

/// A string literal of C.
pub(crate) fn c_string(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace('\n', "\\n"))
}

#[cfg(test)]
mod tests;
