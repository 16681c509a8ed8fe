//! Pairing the host's programs with kernel texts and build options.
//!
//! The host creates programs from text and builds them with options; the user gave kernel files. Each
//! pair of a text and an option string that the host may ask for becomes a [`Program`], compiled to
//! one .aocx. What the analysis knows decides; where it does not know, kernel names and file names
//! do; the runtime recognises texts and options again and never loads the wrong one.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_launch_facts::{Facts, Known, Location, Program as ProgramFact, ProgramSource};

use crate::kernel_options::KernelOptions;
use crate::unit::{HostUnit, KernelUnit};

/// A part of a program's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where it stands, for people: a file, or a string in a host.
    pub name: String,
    /// The folder in which its quoted includes are looked up.
    pub folder: PathBuf,
    /// The text.
    pub text: String,
    /// Its bytes, if the text is not what they are: they are no UTF-8.
    pub bytes: Option<Vec<u8>>,
    /// Where it starts, if it is a string in a host; without a file if it is put together of several.
    pub site: Option<Location>,
}

/// A name as a line directive has it.
pub fn quoted(name: &str) -> String {
    let name = name.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", name.replace('\n', "\\n"))
}

/// A program to compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its text, in order of concatenation.
    pub pieces: Vec<Piece>,
    /// What it is built with.
    pub options: KernelOptions,
    /// The options are the host's own, rather than those of the command line.
    pub options_known: bool,
    /// The text is a guess: the host composes it when it runs, perhaps from this one and others.
    pub is_likely: bool,
    /// It is linked when the host runs, alone or with others.
    pub is_part: bool,
    /// A file that no program of the hosts loads, as far as these are known.
    pub is_unused: bool,
    /// The part of its .aocx's name that distinguishes it from others.
    pub stem: String,
}

impl Program {
    /// Its name for people.
    pub fn name(&self) -> String {
        let names: Vec<_> = self
            .pieces
            .iter()
            .map(|piece| piece.name.as_str())
            .collect();
        names.join(" + ")
    }

    /// Where includes are looked up after the folder of the first piece.
    pub fn include_folders(&self) -> Vec<PathBuf> {
        let others = self.pieces.iter().skip(1);
        let others = others.map(|piece| piece.folder.clone());
        self.options.folders().cloned().chain(others).collect()
    }

    /// Whether it stands in strings of hosts.
    pub fn is_string(&self) -> bool {
        self.pieces.iter().all(|piece| piece.site.is_some())
    }

    /// The whole text.
    pub fn text(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| piece.text.as_str())
            .collect()
    }

    /// The whole text as the host passes it.
    pub fn bytes(&self) -> Vec<u8> {
        let bytes = |piece: &Piece| match &piece.bytes {
            Some(bytes) => bytes.clone(),
            None => piece.text.clone().into_bytes(),
        };
        self.pieces.iter().flat_map(bytes).collect()
    }
}

/// The programs of an executable, and what there is to say about them. `words` are the command
/// line's options for kernels.
pub fn pair(
    facts: &Facts,
    units: &[KernelUnit],
    words: &[String],
) -> (Vec<Program>, Vec<Diagnostic>) {
    let mut pairing = Pairing {
        units,
        words,
        texts: &facts.texts,
        used: vec![false; units.len()],
        programs: Vec::new(),
        diagnostics: Vec::new(),
    };
    for program in &facts.programs {
        pairing.add(program);
    }
    pairing.note_included();
    pairing.add_unused(facts);
    name_stems(&mut pairing.programs);
    (pairing.programs, pairing.diagnostics)
}

/// The kernel files but for those that hosts include and do not load: these are text of the hosts, such as a string.
pub fn not_included<'u>(
    units: &'u [KernelUnit],
    hosts: &[HostUnit],
    facts: &Facts,
) -> Cow<'u, [KernelUnit]> {
    let is_included = |unit: &KernelUnit| {
        let mut headers = hosts.iter().flat_map(|host| &host.headers);
        headers.any(|(name, _)| clean(Path::new(name)) == clean(&unit.path))
    };
    let is_loaded = |unit: &KernelUnit| {
        let sources = facts.programs.iter().filter_map(|one| one.sources.get());
        let is_it = |source: &ProgramSource| match source {
            ProgramSource::File(name) => Path::new(name).file_name() == unit.path.file_name(),
            ProgramSource::Text { .. } => false,
        };
        sources.flatten().any(is_it)
    };
    let is_own = |unit: &KernelUnit| !is_included(unit) || is_loaded(unit);
    match units.iter().all(is_own) {
        true => Cow::Borrowed(units),
        false => units.iter().filter(|unit| is_own(unit)).cloned().collect(),
    }
}

/// A kernel file as a program of its own.
pub fn of_unit(unit: &KernelUnit) -> Program {
    Program {
        pieces: vec![piece(unit)],
        options: KernelOptions::from_words(unit.options.clone()),
        options_known: false,
        is_likely: false,
        is_part: false,
        is_unused: false,
        stem: String::new(),
    }
}

struct Pairing<'a> {
    units: &'a [KernelUnit],
    /// The command line's options for kernels in strings of the hosts; files have their own.
    words: &'a [String],
    texts: &'a [ProgramSource],
    used: Vec<bool>,
    programs: Vec<Program>,
    diagnostics: Vec<Diagnostic>,
}

impl Pairing<'_> {
    fn add(&mut self, fact: &ProgramFact) {
        let alternatives = match &fact.sources {
            Known::Is(sources) => self.known_pieces(sources, &fact.site).into_iter().collect(),
            Known::Unknown(_) => match self.likely_texts(fact) {
                texts if texts.is_empty() => self.likely_units(fact),
                texts => texts,
            },
        };
        for (pieces, fallback) in alternatives {
            for (options, known) in variants(fact, &fallback) {
                self.push(Program {
                    pieces: pieces.clone(),
                    options,
                    options_known: known,
                    is_likely: fact.sources.get().is_none(),
                    is_part: fact.is_part,
                    is_unused: false,
                    stem: String::new(),
                });
            }
        }
    }

    /// Adds a program, unless there is one of this text and these options.
    fn push(&mut self, new: Program) {
        let same = |p: &&mut Program| p.pieces == new.pieces && p.options == new.options;
        match self.programs.iter_mut().find(same) {
            Some(program) => {
                program.is_part |= new.is_part;
                program.is_likely &= new.is_likely;
            }
            None => self.programs.push(new),
        }
    }

    /// The pieces of a program whose sources are known, and the command line's options for it.
    fn known_pieces(
        &mut self,
        sources: &[ProgramSource],
        site: &Location,
    ) -> Option<(Vec<Piece>, KernelOptions)> {
        let mut pieces = Vec::new();
        let mut words = Vec::new();
        for source in sources {
            match source {
                ProgramSource::Text { text, site } => pieces.push(text_piece(text, site)),
                ProgramSource::File(name) => match self.unit_named(name) {
                    Some(at) => {
                        self.used[at] = true;
                        words.extend(self.units[at].options.iter().cloned());
                        pieces.push(piece(&self.units[at]));
                    }
                    None => {
                        self.not_given(name, site);
                        return None;
                    }
                },
            }
        }
        if words.is_empty() {
            words = self.words.to_vec();
        }
        Some((pieces, KernelOptions::from_words(words)))
    }

    fn not_given(&mut self, name: &str, site: &Location) {
        let message = format!("the host loads '{name}' ({site}), which is not among the inputs");
        self.diagnostics.push(
            Diagnostic::warning(message)
                .note("its kernels will run as they are, where the device has an online compiler")
                .help(format!("give it to fpgacc too: fpgacc .. {name}")),
        );
    }

    /// The unit that a host means by a file name: the same path, or else the same base name.
    fn unit_named(&self, name: &str) -> Option<usize> {
        let wanted = clean(Path::new(name));
        let same = |unit: &KernelUnit| clean(&unit.path) == wanted;
        if let Some(at) = self.units.iter().position(same) {
            return Some(at);
        }
        let mut by_base = (0..self.units.len())
            .filter(|&at| self.units[at].path.file_name() == wanted.file_name());
        match (by_base.next(), by_base.next()) {
            (Some(at), None) => Some(at),
            _ => None,
        }
    }

    /// Strings of the hosts that a program of unknown source may be made from: those that hold a
    /// kernel that the host asks of it and that no file holds; if no name is known and there is no
    /// file, all that hold a kernel.
    fn likely_texts(&self, fact: &ProgramFact) -> Vec<(Vec<Piece>, KernelOptions)> {
        let in_files: Vec<String> = self
            .units
            .iter()
            .flat_map(|u| kernel_names(&u.text))
            .collect();
        let asked: Vec<&String> = fact.kernels.iter().filter_map(Known::get).collect();
        let holds = |text: &str| {
            let names = kernel_names(text);
            if asked.is_empty() && self.units.is_empty() {
                return !names.is_empty();
            }
            let mut wanted = asked.iter().filter(|name| !in_files.contains(name));
            wanted.any(|name| names.contains(name))
        };
        let texts = self.texts.iter().filter_map(|source| match source {
            ProgramSource::Text { text, site } if holds(text) => Some(text_piece(text, site)),
            _ => None,
        });
        texts
            .map(|piece| {
                let words = self.words.iter().cloned();
                (vec![piece], KernelOptions::from_words(words))
            })
            .collect()
    }

    /// The files that a program of unknown source may be made from: those that hold a kernel that
    /// the host asks of it; all of them if no name is known.
    fn likely_units(&mut self, fact: &ProgramFact) -> Vec<(Vec<Piece>, KernelOptions)> {
        let asked: Vec<&String> = fact.kernels.iter().filter_map(Known::get).collect();
        let holds = |unit: &KernelUnit| {
            let names = kernel_names(&unit.text);
            asked.iter().any(|name| names.contains(name))
        };
        let mut found: Vec<usize> = (0..self.units.len())
            .filter(|&at| holds(&self.units[at]))
            .collect();
        if found.is_empty() {
            found = (0..self.units.len()).collect();
        }
        let mut out = Vec::new();
        for at in found {
            self.used[at] = true;
            let unit = &self.units[at];
            out.push((
                vec![piece(unit)],
                KernelOptions::from_words(unit.options.clone()),
            ));
        }
        out
    }

    /// Takes note of files that texts of programs include: no host need load them.
    fn note_included(&mut self) {
        let mut texts: Vec<String> = self.programs.iter().map(Program::text).collect();
        while let Some(text) = texts.pop() {
            for name in included(&text) {
                if let Some(at) = self.unit_named(name).filter(|at| !self.used[*at]) {
                    self.used[at] = true;
                    texts.push(self.units[at].text.clone());
                }
            }
        }
    }

    /// Files that no program of the host was paired with.
    fn add_unused(&mut self, facts: &Facts) {
        for at in 0..self.units.len() {
            let unit = &self.units[at];
            // With other options, or from another folder, it is another program.
            let is_again = self.units[..at].contains(unit);
            if self.used[at] || is_again {
                continue;
            }
            // A host that is not there to be analysed, such as a prebuilt object, may load it.
            let mut program = of_unit(unit);
            program.is_unused = !facts.programs.is_empty();
            self.push(program);
            // A file of helpers is not loaded, but included.
            if !facts.programs.is_empty() && !kernel_names(&unit.text).is_empty() {
                let message = format!(
                    "no program of the host is known to load '{}'",
                    unit.path.display()
                );
                self.diagnostics
                    .push(Diagnostic::warning(message).note("it is compiled all the same"));
            }
        }
    }
}

/// The files that a text includes, by the names that it gives them.
fn included(text: &str) -> impl Iterator<Item = &str> {
    let words = text.lines().filter_map(|line| {
        let directive = line.trim_start().strip_prefix('#')?;
        directive.trim_start().strip_prefix("include")
    });
    words.filter_map(|words| {
        let named = words.trim_start();
        let end = match named.chars().next()? {
            '"' => '"',
            '<' => '>',
            _ => return None,
        };
        named[1..].split_once(end).map(|(name, _)| name)
    })
}

/// The option strings that a program may be built with, and whether they are the host's own: beside one that
/// is not known, what is known may be a part of it.
fn variants(fact: &ProgramFact, fallback: &KernelOptions) -> Vec<(KernelOptions, bool)> {
    let are_known = fact.options.iter().all(|options| options.get().is_some());
    let mut out: Vec<(KernelOptions, bool)> = Vec::new();
    for options in &fact.options {
        out.push(match options {
            // Include folders of the command line help the host's own find files at compile time.
            Known::Is(text) => {
                let mut options = KernelOptions::parse(text);
                let more = fallback.includes.iter().cloned();
                options.more_includes.extend(more);
                (options, are_known)
            }
            Known::Unknown(_) => (fallback.clone(), false),
        });
    }
    out.retain(|(options, _)| !options.are_unfinished());
    if out.is_empty() {
        out.push((fallback.clone(), false));
    }
    out
}

fn text_piece(text: &str, site: &Location) -> Piece {
    // A text that is put together of several has no place.
    let name = match site.file.is_empty() {
        true => "<host>".to_string(),
        false => format!("{}:{}", site.file, site.line),
    };
    Piece {
        name,
        folder: folder_of(Path::new(&site.file)),
        text: text.to_string(),
        bytes: None,
        site: Some(site.clone()),
    }
}

fn piece(unit: &KernelUnit) -> Piece {
    Piece {
        name: unit.path.display().to_string(),
        folder: folder_of(&unit.path),
        text: unit.text.clone(),
        bytes: unit.bytes.clone(),
        site: None,
    }
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// A path without `./`.
fn clean(path: &Path) -> PathBuf {
    path.components()
        .filter(|part| !matches!(part, std::path::Component::CurDir))
        .collect()
}

fn name_stems(programs: &mut [Program]) {
    for at in 0..programs.len() {
        let first = &programs[at].pieces[0].name;
        let base = Path::new(first)
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy();
        let base: String = base
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let taken = |stem: &str| programs[..at].iter().any(|p| p.stem == stem);
        let stem = (1..)
            .map(|n| {
                if n == 1 {
                    base.clone()
                } else {
                    format!("{base}-{n}")
                }
            })
            .find(|stem| !taken(stem))
            .expect("there are more numbers than programs");
        programs[at].stem = stem;
    }
}

/// The names of the kernels in a text, found without preprocessing it: after `__kernel` or `kernel`,
/// the word before the parameters.
pub fn kernel_names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut words = Words { rest: text };
    while let Some(word) = words.next() {
        if word == "__kernel" || word == "kernel" {
            names.extend(declared_name(&mut words));
        }
    }
    names
}

/// The name that a kernel's declarator gives: attributes before it, with their arguments, are
/// skipped.
fn declared_name(words: &mut Words<'_>) -> Option<String> {
    let (mut depth, mut last, mut attribute) = (0u32, None, false);
    for word in words {
        match word {
            "__attribute__" | "__attribute" => attribute = true,
            "(" if depth == 0 && !attribute => return last,
            "(" => depth += 1,
            ")" => {
                depth = depth.checked_sub(1)?;
                attribute &= depth > 0;
            }
            _ if depth > 0 => {}
            _ if is_name(word) => last = Some(word.to_string()),
            _ => return None,
        }
    }
    None
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Words, numbers and punctuation of C, without comments.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("//") {
                self.rest = comment.find('\n').map_or("", |end| &comment[end..]);
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                self.rest = comment.find("*/").map_or("", |end| &comment[end + 2..]);
            } else {
                break;
            }
        }
        let first = self.rest.chars().next()?;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let len = match is_word(first) {
            true => self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len()),
            false => first.len_utf8(),
        };
        let (word, rest) = self.rest.split_at(len);
        self.rest = rest;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_names_are_found_after_attributes() {
        let text = "/* kernel void no() */ __kernel __attribute__((reqd_work_group_size(8, 1, 1)))\n\
                    void a (int x) {}\nkernel void b(global int *p) { kernel_count(p); }";
        assert_eq!(kernel_names(text), ["a", "b"]);
    }

    #[test]
    fn a_string_is_paired_by_its_kernels_where_the_source_is_not_known() {
        let site = Location::new("h.c", 3, 1);
        let text = |text: &str| ProgramSource::Text {
            text: text.into(),
            site: site.clone(),
        };
        let mut facts = Facts {
            programs: vec![ProgramFact {
                site: site.clone(),
                sources: Known::Unknown("another file sets it".into()),
                options: vec![Known::Is("-DN=2".into())],
                is_part: false,
                kernels: vec![Known::Is("b".into())],
                recorded: None,
            }],
            texts: vec![text("kernel void a() {}"), text("kernel void b() {}")],
            ..Facts::default()
        };
        let (programs, diagnostics) = pair(&facts, &[], &[]);
        assert!(diagnostics.is_empty());
        let texts: Vec<_> = programs.iter().map(Program::text).collect();
        assert_eq!(texts, ["kernel void b() {}"]);
        assert_eq!(programs[0].pieces[0].name, "h.c:3");
        assert!(programs[0].options_known);

        // Where no name is known either, it may be each of them.
        facts.programs[0].kernels = vec![Known::Unknown("a library asks for it".into())];
        assert_eq!(pair(&facts, &[], &[]).0.len(), 2);
    }

    #[test]
    fn a_file_is_paired_by_its_name_and_gets_the_hosts_options() {
        let unit = |path: &str, text: &str| KernelUnit {
            path: path.into(),
            text: text.into(),
            bytes: None,
            options: vec!["-DN=4".into()],
        };
        let units = [
            unit("src/a.cl", "kernel void a() {}"),
            unit("b.cl", "kernel void b() {}"),
        ];
        let site = Location::new("h.c", 1, 1);
        let facts = Facts {
            programs: vec![
                ProgramFact {
                    site: site.clone(),
                    sources: Known::Is(vec![ProgramSource::File("./a.cl".into())]),
                    options: vec![Known::Is("-DN=8".into()), Known::Is("-DN=9".into())],
                    is_part: false,
                    kernels: vec![],
                    recorded: None,
                },
                ProgramFact {
                    site,
                    sources: Known::Unknown("read from a socket".into()),
                    options: vec![],
                    is_part: false,
                    kernels: vec![Known::Is("b".into())],
                    recorded: None,
                },
            ],
            ..Facts::default()
        };
        let (programs, diagnostics) = pair(&facts, &units, &[]);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let shown: Vec<_> = programs
            .iter()
            .map(|p| {
                (
                    p.name(),
                    p.stem.as_str(),
                    p.options.defines[0].as_str(),
                    p.options_known,
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("src/a.cl".to_string(), "a", "N=8", true),
                ("src/a.cl".to_string(), "a-2", "N=9", true),
                ("b.cl".to_string(), "b", "N=4", false),
            ]
        );
    }
}
