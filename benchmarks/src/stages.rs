//! fpgacc's own stages on a program, each timed: what the driver does between the preprocessor and
//! the FPGA compiler, without files and processes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fpgacc_aoc_wrappers::cc::{self, CcError, Compiler};
use fpgacc_device_passes::pipeline::{self, Pipeline};
use fpgacc_frontend::diag::{self, Color, Diagnostic};
use fpgacc_frontend::ir::Dialect;
use fpgacc_frontend::kernel::{self, LineDirectives};
use fpgacc_frontend::source::SourceMap;
use fpgacc_host_analysis::patch::patch_bytes;
use fpgacc_host_analysis::syntax::{HostFile, Language, Preprocessed, Unit, parse_all};
use fpgacc_launch_facts::{Facts, Known, ProgramSource};

/// A program, read and preprocessed.
#[derive(Clone, Debug)]
pub struct Input {
    hosts: Vec<Host>,
    kernels: Vec<KernelText>,
}

#[derive(Clone, Debug)]
struct Host {
    name: String,
    text: String,
    /// The user's headers: names and texts.
    headers: Vec<(String, String)>,
    /// What the preprocessor made of it.
    preprocessed: String,
    language: Language,
}

#[derive(Clone, Debug)]
struct KernelText {
    name: String,
    text: String,
    preprocessed: String,
}

/// How long each stage took. Hosts are parsed side by side, as the driver does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Reading what the preprocessor says of hosts, and parsing them.
    pub hosts: Duration,
    /// Host analysis.
    pub analysis: Duration,
    /// Patching hosts.
    pub patches: Duration,
    /// Parsing kernels, to the typed IR.
    pub kernels: Duration,
    /// The passes at --kernel-opt=2.
    pub passes: Duration,
    /// Validating and printing.
    pub printing: Duration,
}

impl Times {
    /// For each stage the shorter time.
    pub fn best(self, other: Times) -> Times {
        Times {
            hosts: self.hosts.min(other.hosts),
            analysis: self.analysis.min(other.analysis),
            patches: self.patches.min(other.patches),
            kernels: self.kernels.min(other.kernels),
            passes: self.passes.min(other.passes),
            printing: self.printing.min(other.printing),
        }
    }

    /// The sum.
    pub fn total(&self) -> Duration {
        self.each().iter().sum()
    }

    /// All stages, in order.
    pub fn each(&self) -> [Duration; 6] {
        [
            self.hosts,
            self.analysis,
            self.patches,
            self.kernels,
            self.passes,
            self.printing,
        ]
    }
}

/// Why a program cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// A source cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// It does not preprocess.
    #[error("{}", described(.0))]
    Preprocess(#[from] CcError),
    /// fpgacc does not take it: rendered diagnostics.
    #[error("{0}")]
    Refused(String),
}

impl Input {
    /// Reads a program's sources from a folder and preprocesses them. Kernel texts are those that the
    /// hosts load or hold, with the options that they build them with, as far as the analysis shows;
    /// else the kernel files as they are.
    pub fn read(folder: &Path, sources: &[String], flags: &[String]) -> Result<Self, StageError> {
        let mut texts = Vec::new();
        for source in sources {
            let path = folder.join(source);
            let bytes = fs::read(&path).map_err(|source| StageError::Read {
                path: path.clone(),
                source,
            })?;
            texts.push((path, String::from_utf8_lossy(&bytes).into_owned()));
        }
        Self::of_texts(&texts, folder, flags)
    }

    /// [`Input::read`], given the texts. `folder` is where `-I` flags lead from.
    pub fn of_texts(
        texts: &[(PathBuf, String)],
        folder: &Path,
        flags: &[String],
    ) -> Result<Self, StageError> {
        let is_kernel = |path: &Path| path.extension().is_some_and(|suffix| suffix == "cl");
        let flags = host_flags(folder, flags);
        let mut hosts = Vec::new();
        for (path, text) in texts.iter().filter(|(path, _)| !is_kernel(path)) {
            hosts.push(Host::preprocess(path, text, &flags)?);
        }
        let mut input = Input {
            hosts,
            kernels: Vec::new(),
        };
        let facts = input.facts();
        let kernel = |path: &Path, text: &str, options: &[String]| {
            KernelText::preprocess(path, text, options, &includes(folder, path, &flags))
        };
        for (path, text) in texts.iter().filter(|(path, _)| is_kernel(path)) {
            let options = options_of(&facts, path);
            input.kernels.push(kernel(path, text, &options)?);
        }
        for program in &facts.programs {
            let Known::Is(pieces) = &program.sources else {
                continue;
            };
            if let [ProgramSource::Text { text, site }] = &pieces[..] {
                let options = known_options(program.options.first());
                let path = Path::new(&site.file);
                input.kernels.push(kernel(path, text, &options)?);
            }
        }
        Ok(input)
    }

    /// Lines of hosts and of kernels, without headers.
    pub fn lines(&self) -> (usize, usize) {
        let hosts = self.hosts.iter().map(|host| host.text.lines().count());
        let kernels = self.kernels.iter().map(|k| k.text.lines().count());
        (hosts.sum(), kernels.sum())
    }

    fn parse(&self, sources: &mut SourceMap) -> Vec<HostFile> {
        let units = self.hosts.iter();
        let units: Vec<_> = units.map(|host| host.unit(sources)).collect();
        parse_all(sources, &units)
    }

    fn facts(&self) -> Facts {
        let mut sources = SourceMap::new();
        let hosts = self.parse(&mut sources);
        fpgacc_host_analysis::analyse(&hosts, &sources).facts
    }

    /// Runs all stages once. What they make is thrown away after the clock was read.
    pub fn measure(&self) -> Result<Times, StageError> {
        let mut times = Times::default();
        let mut sources = SourceMap::new();
        let hosts = timed(&mut times.hosts, || self.parse(&mut sources));
        let analysed = || fpgacc_host_analysis::analyse(&hosts, &sources).facts;
        let facts = timed(&mut times.analysis, analysed);
        let patch = |(host, parsed): (&Host, &HostFile)| {
            patch_bytes(host.text.as_bytes(), &host.name, &parsed.main().lines)
        };
        let patched: Vec<_> = timed(&mut times.patches, || {
            self.hosts.iter().zip(&hosts).map(patch).collect()
        });
        for kernel in &self.kernels {
            kernel.measure(&facts, &mut sources, &mut times)?;
        }
        drop(patched);
        Ok(times)
    }
}

impl Host {
    fn preprocess(path: &Path, text: &str, flags: &[String]) -> Result<Self, StageError> {
        let name = path.display().to_string();
        let as_cxx = flags.iter().any(|flag| flag == "-xc++");
        let is_c = path.extension().is_some_and(|suffix| suffix == "c") && !as_cxx;
        let (language, compiler) = match is_c {
            true => (Language::C, cc::Language::C),
            false => (Language::Cpp, cc::Language::Cxx),
        };
        let source = cc::Source {
            path,
            text: Some(text.as_bytes()),
        };
        let flags: Vec<_> = flags.iter().map(Into::into).collect();
        let made = Compiler::find(compiler)?.preprocess_host(source, &flags)?;
        let headers = Preprocessed::read(&made.text)
            .user_headers(&name)
            .into_iter();
        let headers =
            headers.filter_map(|name| Some((name.clone(), fs::read_to_string(name).ok()?)));
        Ok(Host {
            headers: headers.collect(),
            name,
            text: text.to_string(),
            preprocessed: made.text,
            language,
        })
    }

    fn unit(&self, sources: &mut SourceMap) -> Unit<'_> {
        let main = sources.add(self.name.as_str(), self.text.as_str());
        let add = |(name, text): &(String, String)| sources.add(name.as_str(), text.as_str());
        let headers: Vec<_> = self.headers.iter().map(add).collect();
        Unit {
            main,
            headers,
            preprocessed: Some(&self.preprocessed),
            language: self.language,
        }
    }
}

impl KernelText {
    fn preprocess(
        path: &Path,
        text: &str,
        options: &[String],
        includes: &[PathBuf],
    ) -> Result<Self, StageError> {
        let name = path.display().to_string();
        let mut full = kernel::predefined(Dialect::Cl12, &[]);
        full.push_str(&format!("#line 1 \"{name}\"\n{text}"));
        let source = cc::Source {
            path,
            text: Some(full.as_bytes()),
        };
        let compiler = Compiler::find(cc::Language::C)?;
        let made = compiler.preprocess_kernel(source, options, &[], includes)?;
        Ok(KernelText {
            name,
            text: text.to_string(),
            preprocessed: made.text,
        })
    }

    fn measure(
        &self,
        facts: &Facts,
        sources: &mut SourceMap,
        times: &mut Times,
    ) -> Result<(), StageError> {
        sources.add(self.name.as_str(), self.text.as_str());
        let input = kernel::Input::new(&self.name, &self.preprocessed, Dialect::Cl12);
        let parsed = timed(&mut times.kernels, || kernel::parse(&input, sources));
        let mut module = parsed.map_err(|error| refused(error.diagnostics(), sources))?;
        let pipeline = Pipeline {
            level: 2,
            ..Pipeline::default()
        };
        let run = || pipeline::run(&mut module, facts, &pipeline);
        let report = timed(&mut times.passes, run);
        let print = || {
            let valid = kernel::validate(&module)?;
            Ok(kernel::print(&valid, sources, LineDirectives::Needed))
        };
        let printed: Result<String, Vec<Diagnostic>> = timed(&mut times.printing, print);
        printed.map_err(|faults| refused(&faults, sources))?;
        drop(report);
        Ok(())
    }
}

/// An error of the preprocessor with its messages.
fn described(error: &CcError) -> String {
    match error.diagnostics() {
        Some(text) => format!("{error}\n{text}"),
        None => error.to_string(),
    }
}

fn timed<T>(time: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *time += start.elapsed();
    result
}

fn refused(diagnostics: &[Diagnostic], sources: &SourceMap) -> StageError {
    let render = |diagnostic| diag::render(diagnostic, sources, Color::Never);
    StageError::Refused(diagnostics.iter().map(render).collect())
}

/// What concerns the preprocessor, with `-I` folders made absolute.
fn host_flags(folder: &Path, flags: &[String]) -> Vec<String> {
    let flag = |flag: &String| match flag.strip_prefix("-I") {
        Some(include) => Some(format!("-I{}", folder.join(include).display())),
        None => {
            let concerns = ["-D", "-U", "-xc++"]
                .iter()
                .any(|start| flag.starts_with(start));
            concerns.then(|| flag.clone())
        }
    };
    flags.iter().filter_map(flag).collect()
}

/// Where kernels find what they include: beside themselves, in the program's folder, and where the
/// flags say.
fn includes(folder: &Path, path: &Path, flags: &[String]) -> Vec<PathBuf> {
    let beside = path.parent().map(Path::to_path_buf);
    let given = flags.iter().filter_map(|flag| flag.strip_prefix("-I"));
    let own = [beside, Some(folder.to_path_buf())].into_iter().flatten();
    own.chain(given.map(PathBuf::from)).collect()
}

/// The `-D` options that the hosts build a kernel file with, as after `-D`.
fn options_of(facts: &Facts, path: &Path) -> Vec<String> {
    let base = path.file_name();
    let holds = |source: &ProgramSource| match source {
        ProgramSource::File(name) => Path::new(name).file_name() == base,
        ProgramSource::Text { .. } => false,
    };
    // Where the host's file name is not known but there is one program, it is this file's.
    let only = facts.programs.len() == 1;
    let mut programs = facts.programs.iter();
    let program = programs.find(|p| match &p.sources {
        Known::Is(sources) => sources.iter().any(holds),
        Known::Unknown(_) => only,
    });
    known_options(program.and_then(|program| program.options.first()))
}

fn known_options(options: Option<&Known<String>>) -> Vec<String> {
    let Some(Known::Is(options)) = options else {
        return Vec::new();
    };
    let mut words = options.split_whitespace();
    let mut defines = Vec::new();
    while let Some(word) = words.next() {
        match word.strip_prefix("-D") {
            Some("") => defines.extend(words.next().map(str::to_string)),
            Some(define) => defines.push(define.to_string()),
            None => {}
        }
    }
    defines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn options_in_both_spellings() {
        let known = Known::Is("-DA=1 -D B=2 -cl-mad-enable -D C".to_string());
        assert_eq!(known_options(Some(&known)), ["A=1", "B=2", "C"]);
        assert!(known_options(Some(&Known::Unknown("?".into()))).is_empty());
    }

    #[test]
    fn a_generated_program_goes_through_all_stages() {
        let generated = generate::program(60);
        let texts = [
            (PathBuf::from("generated.c"), generated.host),
            (PathBuf::from("generated.cl"), generated.kernels),
        ];
        let input = Input::of_texts(&texts, Path::new("."), &[]).unwrap();
        assert_eq!(input.lines().1, 60);
        let times = input.measure().unwrap();
        assert!(times.kernels > Duration::ZERO && times.total() > times.kernels);
    }

    #[test]
    fn what_is_wrong_is_reported() {
        let texts = [(
            PathBuf::from("a.cl"),
            "__kernel void f() { x; }".to_string(),
        )];
        let input = Input::of_texts(&texts, Path::new("."), &[]).unwrap();
        let error = input.measure().unwrap_err().to_string();
        assert!(error.contains("a.cl:1:21: error:"), "{error}");
    }
}
