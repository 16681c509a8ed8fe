//! What a comparison of two runs comes to.

use std::path::Path;

use fpgacc_aoc_wrappers::scratch::ScratchName;
use fpgacc_frontend::diag::Diagnostic;

use super::compare::{self, Comparison};
use super::numbers;
use super::output;
use super::run::Run;
use crate::compiled::Compiled;
use crate::kernel_options::identifiers;
use crate::session::{Session, Step};

/// What the comparison comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All that counts is the same.
    Same,
    /// It is, once the device's compiler joins no operations.
    SameUncontracted,
    /// It is, once the emulator computes one work-item at a time as well.
    SameScalar,
    /// It is, once operations also keep their order, and the differences are of the size that the
    /// original has when its compiler joins operations or does not.
    SameRounding,
    /// It is, where memory that nobody wrote holds the same in both runs.
    SameFilled,
    /// Something is not.
    Different,
    /// Something is not, and the original is not the same as itself either.
    Undecided,
    /// Something is not, where the original depends on memory that nobody wrote.
    Unwritten,
    /// Something is not, but is where the device's compiler does not optimise the original.
    Optimised,
}

impl Verdict {
    /// Whether the rewritten kernels are not known to be right.
    pub fn is_bad(self) -> bool {
        matches!(
            self,
            Verdict::Different | Verdict::Undecided | Verdict::Unwritten | Verdict::Optimised
        )
    }
}

/// What is known of the kernels from their compilation.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// A rewrite changed the order of floating-point operations.
    pub reassociated: bool,
    /// A kernel prints.
    pub prints: bool,
    /// A kernel calls functions whose last bits are the implementation's choice.
    pub functions: bool,
}

/// Two runs, compared.
pub struct Outcome {
    /// What they read back.
    pub comparison: Comparison,
    /// What they print.
    pub output: output::Difference,
    /// Whether their exit codes are the same.
    pub same_exit: bool,
    /// What is known of the kernels.
    pub traits: Traits,
}

impl Outcome {
    /// Compares two runs.
    pub fn of(original: &Run, other: &Run, traits: Traits) -> Self {
        let (a, b) = (&original.record, &other.record);
        Outcome {
            comparison: compare::compare(a, b, traits.reassociated),
            output: output::compare(&original.captured.stdout, &other.captured.stdout),
            same_exit: original.captured.status == other.captured.status,
            traits,
        }
    }

    /// Whether nothing differs.
    pub fn is_same(&self) -> bool {
        self.comparison.first.is_none() && self.same_exit && self.is_output_same()
    }

    /// A host that was given the same bytes can print other numbers only of clocks and the like;
    /// kernels can print others.
    pub fn is_output_same(&self) -> bool {
        match self.output {
            output::Difference::None => true,
            // No rule says which work-item prints first.
            output::Difference::Order(_) => self.traits.prints,
            output::Difference::Numbers(_) => !self.traits.prints,
            output::Difference::Words(_) => false,
        }
    }
}

impl Traits {
    /// Those of these programs.
    pub fn of(compiled: &[Compiled]) -> Self {
        let mut traits = Traits {
            reassociated: false,
            prints: false,
            functions: numbers::calls_functions_within_bounds(compiled),
        };
        for Compiled { rewritten, .. } in compiled {
            let mut done = rewritten.report.done.values().flatten();
            traits.reassociated |= done.any(|(pass, _)| *pass == "reduction");
            traits.prints |= identifiers(&rewritten.text)
                .iter()
                .any(|name| name == "printf");
        }
        traits
    }
}

/// A name for an executable that goes away again, in a folder of the user's.
pub fn name_beside(session: &mut Session, folder: &Path) -> Step<ScratchName> {
    match ScratchName::beside(folder) {
        Ok(name) => Ok(name),
        Err(error) => {
            let message = format!(
                "cannot make an executable in '{}': {error}",
                folder.display()
            );
            session.fail(
                Diagnostic::error(message).help(
                    "--verify runs the program from where a plain build leaves it: -o names it",
                ),
            )
        }
    }
}
