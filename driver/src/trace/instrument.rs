//! Kernels that count their loops and branches: made while the program runs, in a process of their
//! own, which the layer starts (`fpgacc trace --instrument BASE -- OPTIONS`).
//!
//! The layer writes `BASE.cl`, the program's whole text, and `BASE.front`, definitions that make the
//! preprocessor take the same parts of it as the device's compiler would. It finds `BASE.counted.cl`,
//! the `BASE.options` to build it with, and the number of counters in `BASE.counters`, which is written
//! last. `BASE.sites`, what they count, is read when the program has ended.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fpgacc_device_passes::instrumentation::count::{self, Kind};
use fpgacc_frontend::kernel::LineDirectives;
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

/// The name of a text that is in no file.
const TEXT: &str = "<text>";

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

fn beside(base: &Path, suffix: &str) -> PathBuf {
    let mut path = base.as_os_str().to_os_string();
    path.push(".");
    path.push(suffix);
    path.into()
}

/// Makes a program that counts. The exit code is 1 where it cannot: why is told.
pub fn command(base: &Path, options: &str, mut messages: Messages) -> ExitCode {
    let text = beside(base, "cl");
    let matches = cli::command().get_matches_from(["fpgacc".as_ref(), text.as_os_str()]);
    let own = match Options::from_matches(&matches, false) {
        Ok(own) => own,
        Err(error) => return crate::fail(&mut messages, error, crate::FAILED),
    };
    messages.configure(&own);
    let mut session = Session::new(own, messages);
    match make(&mut session, base, options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => {
            session.messages.pass_on(
                "fpgacc: note: the kernels of this program run as they are, and count nothing",
            );
            ExitCode::from(crate::FAILED)
        }
    }
}

fn make(session: &mut Session, base: &Path, options: &str) -> Step<()> {
    let read = |suffix| std::fs::read(beside(base, suffix));
    let (text, front) = (session.check(read("cl"))?, session.check(read("front"))?);
    let text = session.check(String::from_utf8(text))?;
    let front = String::from_utf8_lossy(&front).into_owned();
    let program = Program {
        pieces: pieces(front, text),
        options: KernelOptions::parse(options),
        options_known: true,
        stem: String::new(),
    };
    let preprocessed = kernels::preprocess(session, &program)?;
    let Some(mut module) = kernels::parse(session, &program, &preprocessed.text)? else {
        return Err(crate::session::Stop);
    };
    let counting = count::count(&mut module);
    let text = kernels::print(session, &module, LineDirectives::None)?;
    let sites: Vec<Site> = counting
        .sites
        .iter()
        .map(|site| self::site(session, site))
        .collect();
    let sites = serde_json::to_string(&sites);
    let sites = session.check(sites)?;
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
        ("counters", counting.counters.to_string()),
    ];
    for (suffix, text) in parts {
        let written = std::fs::write(beside(base, suffix), text);
        session.check(written)?;
    }
    Ok(())
}

/// The text after its front, as far as possible as the files that it was read from.
fn pieces(front: String, text: String) -> Vec<Piece> {
    let piece = |name: &str, text: String| Piece {
        name: name.to_string(),
        folder: PathBuf::from("."),
        text,
        bytes: None,
    };
    let nowhere = Location {
        file: TEXT.to_string(),
        line: 1,
        column: 1,
    };
    let mut pieces = vec![piece("<device>", front)];
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

fn site(session: &Session, site: &count::Site) -> Site {
    let at = site.span.map(|span| session.sources.location(span));
    Site {
        branch: match site.kind {
            Kind::Loop => None,
            Kind::If => Some(BranchKind::If),
            Kind::Case => Some(BranchKind::Case),
        },
        at: at.unwrap_or_else(|| Location {
            file: TEXT.to_string(),
            line: 0,
            column: 0,
        }),
        function: site.function.clone(),
        reached: site.reached as usize,
        taken: site.taken as usize,
    }
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
