//! Kernels that count their loops and branches, or keep a log of their accesses: made while the program
//! runs, in a process of their own, which the layer starts (`fpgacc trace --instrument BASE ASKED --
//! OPTIONS`).
//!
//! The layer writes `BASE.cl`, the program's whole text, and `BASE.front`, definitions that make the
//! preprocessor take the same parts of it as the device's compiler would. It finds `BASE.counted.cl`,
//! the `BASE.options` to build it with, and the number of counters in `BASE.counters`, which is written
//! last, with whether kernels have arguments for counters and for a log. `BASE.sites`, what they count,
//! and `BASE.noted`, what the log notes, are read when the program has ended.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fpgacc_device_passes::instrumentation::count::{self, Kind};
use fpgacc_device_passes::instrumentation::log;
use fpgacc_frontend::kernel::LineDirectives;
use fpgacc_frontend::source::TEXT;
use fpgacc_launch_facts::recorded::{BranchKind, RecordedBranch, RecordedLoop};
use fpgacc_launch_facts::{Location, ProgramSource};
use serde::{Deserialize, Serialize};

use super::texts::Texts;
use crate::cli;
use crate::kernel_options::KernelOptions;
use crate::kernels;
use crate::messages::Messages;
use crate::options::Options;
use crate::programs::{Piece, Program};
use crate::session::{Session, Step};

/// What kernels are asked to record.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked {
    /// How often loops and branches are taken.
    pub counts: bool,
    /// What is accessed, and by which ways.
    pub accesses: bool,
}

impl Asked {
    /// The one word that the layer hands on.
    pub fn word(self) -> Option<&'static str> {
        match (self.counts, self.accesses) {
            (false, false) => None,
            (true, false) => Some("counts"),
            (false, true) => Some("accesses"),
            (true, true) => Some("counts,accesses"),
        }
    }

    /// Of that word.
    pub fn of(word: &str) -> Self {
        let has = |name| word.split(',').any(|part| part == name);
        Asked {
            counts: has("counts"),
            accesses: has("accesses"),
        }
    }
}

/// What a pair of counters counts.
#[derive(Debug, Serialize, Deserialize)]
pub struct Site {
    /// `None`: a loop.
    branch: Option<BranchKind>,
    at: Location,
    function: String,
    /// Number of the counter of entries or evaluations.
    reached: usize,
    /// Number of the counter of iterations, or of how often it was taken.
    taken: usize,
}

/// A site that a log notes, with its number in the log.
#[derive(Debug, Serialize, Deserialize)]
pub struct Noted {
    /// The number.
    pub number: u32,
    /// Where.
    pub at: Location,
    /// What.
    pub what: NotedWhat,
}

/// What is noted at a site.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotedWhat {
    /// An access.
    Access {
        /// It reads.
        reads: bool,
        /// It writes.
        writes: bool,
        /// The memory is local.
        is_local: bool,
        /// Bytes from the noted address on.
        offset: u64,
        /// Bytes that are accessed.
        bytes: u64,
    },
    /// The condition of an `if` or `?:`.
    Branch,
    /// The left operand of an `&&` or `||`.
    ShortCircuit,
    /// The condition of a loop.
    Loop,
}

fn beside(base: &Path, suffix: &str) -> PathBuf {
    let mut path = base.as_os_str().to_os_string();
    path.push(".");
    path.push(suffix);
    path.into()
}

/// Makes a program that counts. The exit code is 1 where it cannot: why is reported.
pub fn command(base: &Path, asked: Asked, options: &str, mut messages: Messages) -> ExitCode {
    let text = beside(base, "cl");
    let matches = cli::command().get_matches_from(["fpgacc".as_ref(), text.as_os_str()]);
    let own = match Options::from_matches(&matches, false) {
        Ok(own) => own,
        Err(error) => return crate::fail(&mut messages, error, crate::FAILED),
    };
    messages.configure(&own);
    let mut session = Session::new(own, messages);
    match make(&mut session, base, asked, options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => {
            session.messages.pass_on(
                "fpgacc: note: the kernels of this program run as they are, and count nothing",
            );
            ExitCode::from(crate::FAILED)
        }
    }
}

fn make(session: &mut Session, base: &Path, asked: Asked, options: &str) -> Step<()> {
    let read = |suffix| std::fs::read(beside(base, suffix));
    let (text, front) = (session.check(read("cl"))?, session.check(read("front"))?);
    let text = session.check(String::from_utf8(text))?;
    let front = String::from_utf8_lossy(&front).into_owned();
    let program = Program {
        pieces: pieces(front, text, asked),
        options: KernelOptions::parse(options),
        options_known: true,
        is_likely: false,
        is_part: false,
        is_unused: false,
        stem: String::new(),
    };
    let preprocessed = kernels::preprocess(session, &program)?;
    let Some(mut module) = kernels::parse(session, &program, &preprocessed.text)? else {
        return Err(crate::session::Stop);
    };
    let counting = match asked.counts {
        true => count::count(&mut module),
        false => count::Counting::default(),
    };
    let noted = match asked.accesses {
        true => log::log(&mut module).unwrap_or_default(),
        false => Vec::new(),
    };
    let text = kernels::print(session, &module, LineDirectives::None)?;
    let sites: Vec<Site> = counting
        .sites
        .iter()
        .map(|site| self::site(session, site))
        .collect();
    let sites = serde_json::to_string(&sites);
    let sites = session.check(sites)?;
    let noted: Vec<Noted> = (1..)
        .zip(&noted)
        .map(|(number, site)| self::noted(session, number, site))
        .collect();
    let noted = session.check(serde_json::to_string(&noted))?;
    let others = program.options.others.iter();
    // Warnings of a text that the user did not write must not be errors.
    let others: Vec<&str> = others
        .map(String::as_str)
        .filter(|o| *o != "-Werror")
        .collect();
    let parts = [
        ("counted.cl", text),
        ("options", others.join(" ")),
        ("sites", sites),
        ("noted", noted),
        (
            "counters",
            format!(
                "{} {} {}",
                counting.counters,
                u8::from(asked.counts),
                u8::from(asked.accesses)
            ),
        ),
    ];
    for (suffix, text) in parts {
        let written = std::fs::write(beside(base, suffix), text);
        session.check(written)?;
    }
    Ok(())
}

/// The text after its front, as far as possible as the files that it was read from.
fn pieces(front: String, text: String, asked: Asked) -> Vec<Piece> {
    let piece = |name: &str, text: String| Piece {
        name: name.to_string(),
        folder: PathBuf::from("."),
        text,
        bytes: None,
        site: None,
    };
    let nowhere = Location {
        file: TEXT.to_string(),
        line: 1,
        column: 1,
    };
    let mut pieces = vec![piece(kernels::OWN_PIECE, front)];
    if asked.accesses {
        pieces.push(piece("<fpgacc>", log::TEXT.to_string()));
    }
    let sources = Texts::below(Path::new(".")).sources(std::slice::from_ref(&text), &nowhere);
    match &sources[..] {
        [ProgramSource::File(name)] => pieces.push(piece(name, text)),
        [
            ProgramSource::Text { text: before, .. },
            ProgramSource::File(name),
        ] if before.ends_with('\n') => {
            let after = text[before.len()..].to_string();
            pieces.push(piece(TEXT, before.clone()));
            pieces.push(piece(name, after));
        }
        _ => pieces.push(piece(TEXT, text)),
    }
    pieces
}

fn position(session: &Session, span: Option<fpgacc_frontend::source::Span>) -> Location {
    let at = span.map(|span| session.sources.location(span));
    at.unwrap_or_else(|| Location::new(TEXT, 0, 0))
}

fn site(session: &Session, site: &count::Site) -> Site {
    Site {
        branch: match site.kind {
            Kind::Loop => None,
            Kind::If => Some(BranchKind::If),
            Kind::Case => Some(BranchKind::Case),
        },
        at: position(session, site.span),
        function: site.function.clone(),
        reached: site.reached as usize,
        taken: site.taken as usize,
    }
}

fn noted(session: &Session, number: u32, site: &log::Site) -> Noted {
    Noted {
        number,
        at: position(session, site.span),
        what: match site.what {
            log::What::Access {
                reads,
                writes,
                is_local,
                offset,
                bytes,
            } => NotedWhat::Access {
                reads,
                writes,
                is_local,
                offset,
                bytes,
            },
            log::What::Branch => NotedWhat::Branch,
            log::What::ShortCircuit => NotedWhat::ShortCircuit,
            log::What::Loop => NotedWhat::Loop,
        },
    }
}

/// What the log of a program notes, and the log; nothing if its files are gone.
pub fn log_of(base: &Path) -> (Vec<Noted>, Vec<u8>) {
    let read = |suffix| std::fs::read(beside(base, suffix)).unwrap_or_default();
    let noted = serde_json::from_slice(&read("noted")).unwrap_or_default();
    (noted, read("log"))
}

/// What the counters of a program count; nothing if its file is gone.
pub fn sites(base: &Path) -> Vec<Site> {
    let text = std::fs::read(beside(base, "sites")).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Loops and branches with their counts.
pub fn counted(sites: &[Site], counters: &[u64]) -> (Vec<RecordedLoop>, Vec<RecordedBranch>) {
    let count = |at: usize| counters.get(at).copied().unwrap_or(0);
    let (mut loops, mut branches) = (Vec::new(), Vec::new());
    for site in sites {
        let (reached, taken) = (count(site.reached), count(site.taken));
        let (at, function) = (site.at.clone(), site.function.clone());
        match site.branch {
            None => loops.push(RecordedLoop {
                site: at,
                function,
                entries: reached,
                iterations: taken,
            }),
            Some(kind) => branches.push(RecordedBranch {
                site: at,
                function,
                kind,
                evaluated: reached,
                taken,
            }),
        }
    }
    (loops, branches)
}
