//! The parts of a random host.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::random::Random;

use super::helpers::{COMMON, HELPERS};
use super::style::Style;
use super::texts::{Constants, Text};

/// A program in the making.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// Macros and enumerations.
    pub defines: String,
    /// Variables.
    pub globals: String,
    /// Functions of scenes.
    pub functions: String,
    /// The first lines of those functions of scenes that may be called from another file.
    pub prototypes: String,
    /// Functions that stand in a file of their own.
    pub elsewhere: String,
    /// Calls of scenes.
    pub main: String,
    /// Helpers that are called.
    needed: BTreeSet<&'static str>,
    /// Kernel files: name and text.
    pub files: BTreeMap<String, String>,
    /// Kernel files that do not build without options.
    pub needs_options: BTreeSet<String>,
    /// The program is to run twice in the same folder.
    pub is_run_twice: bool,
    /// Texts that stand in the host.
    literals: BTreeMap<String, String>,
}

impl Parts {
    /// A helper is called.
    pub fn need(&mut self, name: &'static str) {
        self.needed.insert(name);
    }

    /// Whether a text stands in the host, and not in a file; the first scene that asks decides.
    pub fn is_literal(&mut self, text: &Text, r: &mut Random) -> bool {
        if self.files.contains_key(&text.stem) {
            return false;
        }
        if self.literals.contains_key(&text.stem) {
            return true;
        }
        let literal = r.chance(30);
        if matches!(text.constants, Constants::Required | Constants::Header) {
            self.needs_options.insert(format!("{}.cl", text.stem));
        }
        let texts = match literal {
            true => &mut self.literals,
            false => &mut self.files,
        };
        texts.insert(text.stem.clone(), text.body.clone());
        literal
    }

    /// The host.
    pub fn host(&self, style: Style) -> String {
        let linkage = match style.is_in_two_files {
            true => "",
            false => "static ",
        };
        let mut out = self.beginning(style, linkage);
        let _ = write!(
            out,
            "{}\nint main(int argc, char **argv) {{\n    setup();\n{}    printf(\"end\\n\");\n    \
             return 0;\n}}\n",
            self.functions, self.main
        );
        out
    }

    /// The other file of the host.
    pub fn other_file(&self, style: Style) -> String {
        self.beginning(style, "extern ") + &self.elsewhere
    }

    fn beginning(&self, style: Style, linkage: &str) -> String {
        // Headers not without need: `vector` alone costs each of three compilers a quarter of a second.
        let headers = ["vector", "utility"].into_iter();
        let headers = headers.filter(|name| self.needed.contains(name));
        let mut out: String = headers.map(|name| format!("#include <{name}>\n")).collect();
        let version = match self.needed.contains("svm_filled") {
            true => 200,
            false => 120,
        };
        let _ = writeln!(out, "{}", style.opencl(version));
        let _ = writeln!(
            out,
            "{linkage}cl_context context;\n{linkage}cl_command_queue queue;\n{linkage}cl_device_id device;"
        );
        let _ = writeln!(
            out,
            "{COMMON}\n{}\n{}\n{}",
            style.definition(),
            self.defines,
            self.globals
        );
        for (stem, text) in &self.literals {
            let _ = writeln!(out, "static const char *text_{stem} =");
            for line in text.lines() {
                let line = line.replace('\\', "\\\\").replace('"', "\\\"");
                let _ = writeln!(out, "    \"{line}\\n\"");
            }
            out.push_str("    ;\n");
        }
        for (name, text) in HELPERS {
            if self.needed.contains(name) {
                let _ = writeln!(out, "\n{text}");
            }
        }
        out + &self.prototypes
    }
}
