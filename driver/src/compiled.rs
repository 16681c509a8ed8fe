//! Programs and what was made of them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use fpgacc_decision::Decision;
use fpgacc_decision::timed::Learned;
use fpgacc_device_passes::pipeline::Report;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::ir::Module;
use fpgacc_runtime::manifest::{self, LeftToDevice};

use crate::programs::Program;

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

impl Rewritten {
    /// What tools are given: the text with empty comments. Comments name lines of hosts, and a line more in
    /// a host is no reason to build kernels anew, which takes hours on a board. Lines stay where they are.
    pub fn text_to_build(&self) -> Cow<'_, str> {
        match self.untouched {
            true => Cow::from(&self.text),
            false => Cow::from(without_words_of_comments(&self.text)),
        }
    }
}

/// Of what the printer writes: there a comment is a line of its own.
fn without_words_of_comments(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    let lines = lines.map(|line| match line.trim_start().starts_with("// ") {
        true => "//\n",
        false => line,
    });
    lines.collect()
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
}

impl Compiled {
    /// The options of OpenCL that its text is built with. Warnings of what fpgacc wrote, such as pragmas that
    /// an emulator does not know, must stop nobody.
    pub fn cl_options(&self) -> Vec<String> {
        let mut options = self.program.options.others.clone();
        options.retain(|option| self.rewritten.untouched || option != "-Werror");
        options
    }
}
