//! Programs and what was made of them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use fpgacc_aoc_wrappers::request::KernelSource;
use fpgacc_decision::Decision;
use fpgacc_decision::timed::Learned;
use fpgacc_device_passes::pipeline::Report;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::ir::Module;
use fpgacc_frontend::source::{Location, SourceMap};
use fpgacc_runtime::manifest::{self, LaunchedAt, LeftToDevice};

use crate::programs::{Program, quoted};

/// A program after the rewrites.
pub struct Rewritten {
    /// OpenCL C for the FPGA compiler.
    pub text: String,
    /// The file in which the text starts, for messages.
    pub path: PathBuf,
    /// The text is the user's own, with its options still to be applied.
    pub untouched: bool,
    /// Its errors end no build: they need not be any when the host runs.
    pub may_be_wrong: bool,
    /// Errors that the front end found. The device's compiler may take the text all the same, and decides.
    pub doubts: Vec<Diagnostic>,
    /// What the runtime must know; without its .aocx's name.
    pub manifest: manifest::Program,
    /// What the passes did; empty if the text is untouched.
    pub report: Report,
    /// What was decided about its kernels, and why.
    pub decisions: BTreeMap<String, Decision>,
    /// What measured times said of its kernels.
    pub learned: Option<Learned>,
    /// The bytes of a cache that holds all constant memory, if that is known.
    pub constant_cache: Option<u64>,
    /// The module as it was parsed, for `--emit=ast`.
    pub parsed: Option<Module>,
    /// The module after the passes.
    pub module: Option<Module>,
}

/// A program with its rewritten text.
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// Its kernels.
    pub rewritten: Rewritten,
}

/// What became of all programs.
#[derive(Default)]
pub struct Programs {
    /// Those that are compiled.
    pub compiled: Vec<Compiled>,
    /// Those that the device's own compiler builds when the host runs.
    pub left_to_device: Vec<LeftToDevice>,
    /// Where their kernels are launched.
    pub launched_at: Vec<LaunchedAt>,
}

impl Compiled {
    /// What tools are given. Hosts' line numbers are not in it, since a line more in a host is no reason to build
    /// kernels anew, which takes hours on a board: comments, which name positions of launches, are empty,
    /// and strings of hosts have names of their own. Lines stay where they are.
    pub fn source_to_build(&self) -> KernelSource {
        let Rewritten { path, text, .. } = &self.rewritten;
        let name = path.to_string_lossy();
        let named = self.strings().find(|(position, _)| *position == name);
        let lines = text.split_inclusive('\n').map(|line| {
            // What the printer writes: there a comment is a line of its own.
            if !self.rewritten.untouched && line.trim_start().starts_with("// ") {
                return Cow::from("//\n");
            }
            self.without_position(line)
                .map_or(Cow::from(line), Cow::from)
        });
        KernelSource {
            path: named.map_or(path.clone(), |(_, name)| name.into()),
            text: lines.collect(),
        }
    }

    /// A line directive that names a string of the host by its position, with the string's own name.
    fn without_position(&self, line: &str) -> Option<String> {
        let (number, name) = line.strip_prefix("#line ")?.trim_end().split_once(' ')?;
        let mut strings = self.strings();
        let (_, own) = strings.find(|(position, _)| quoted(position) == name)?;
        Some(format!("#line {number} {}\n", quoted(&own)))
    }

    /// What a tool said of [`Self::source_to_build`], with the positions of strings in their hosts.
    pub fn with_positions(&self, said: &str, sources: &SourceMap) -> String {
        let named = self
            .strings()
            .fold(said.to_string(), |said, (position, own)| {
                said.replace(&own, position)
            });
        let lines = named.split_inclusive('\n');
        lines
            .map(|line| match self.in_host(line, sources) {
                Some(found) => Cow::Owned(found),
                None => Cow::Borrowed(line),
            })
            .collect()
    }

    /// A line that starts with a position in a string of a host, with that in the host.
    fn in_host(&self, line: &str, sources: &SourceMap) -> Option<String> {
        self.strings().find_map(|(name, _)| {
            let mut parts = line.strip_prefix(name)?.strip_prefix(':')?.splitn(3, ':');
            let mut number = || parts.next()?.parse().ok();
            let at = Location::new(name, number()?, number()?);
            let span = sources.nearest(sources.span_at(&at)?);
            Some(format!("{}:{}", sources.location(span), parts.next()?))
        })
    }

    /// Strings of the host that the text is made of: their positions, and names that do not change when these do.
    fn strings(&self) -> impl Iterator<Item = (&str, String)> {
        let strings = self
            .program
            .pieces
            .iter()
            .filter(|piece| piece.site.is_some());
        (1..).zip(strings).map(|(number, piece)| {
            let file = piece.name.rsplit_once(':').map_or("host", |(file, _)| file);
            (piece.name.as_str(), format!("{file}.string-{number}.cl"))
        })
    }

    /// The options of OpenCL that its text is built with. Warnings of what fpgacc wrote, such as pragmas that
    /// an emulator does not know, must stop nobody.
    pub fn cl_options(&self) -> Vec<String> {
        let mut options = self.program.options.others.clone();
        options.retain(|option| self.rewritten.untouched || option != "-Werror");
        options
    }
}
