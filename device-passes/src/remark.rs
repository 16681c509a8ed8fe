//! What is reported to the user of kernels: of every rewrite that was done or missed, and of what was found
//! out about a kernel.

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::Span;

use crate::pass::Note;

/// The kinds of LLVM's optimization remarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A rewrite was done.
    Passed,
    /// A rewrite was left, for a reason.
    Missed,
    /// Something was found out, which may be the reason of a choice.
    Analysis,
}

impl Kind {
    /// The option that shows remarks of this kind.
    pub fn option(self) -> &'static str {
        match self {
            Kind::Passed => "-Rpass",
            Kind::Missed => "-Rpass-missed",
            Kind::Analysis => "-Rpass-analysis",
        }
    }
}

/// A remark about a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What kind of remark it is.
    pub kind: Kind,
    /// The pass whose remark it is.
    pub pass: &'static str,
    /// What all remarks that say the same of different positions have in common, in camel case.
    pub name: String,
    /// The kernel.
    pub kernel: String,
    /// The words; its span is set where a position is known.
    pub note: Note,
}

impl Remark {
    /// A remark about what a pass did (or not, or found) at a note's position; at `at` if it has none.
    pub fn new(
        kind: Kind,
        pass: &'static str,
        kernel: &str,
        note: &Note,
        at: Option<Span>,
    ) -> Self {
        let name = camel_case(pass);
        Remark {
            kind,
            pass,
            name: match kind {
                Kind::Missed => format!("No{name}"),
                Kind::Passed | Kind::Analysis => name,
            },
            kernel: kernel.to_string(),
            note: Note {
                span: note.span.or(at),
                ..note.clone()
            },
        }
    }

    /// The same under a name of its own.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_string();
        self
    }

    /// The remark as a message, shown by `-Rpass` and its kin.
    pub fn diagnostic(&self) -> Diagnostic {
        let text = format!("kernel '{}': {}", self.kernel, self.note.text);
        let option = format!("{}={}", self.kind.option(), self.pass);
        let mut remark = Diagnostic::remark(text).option(option);
        if let Some(span) = self.note.span {
            remark = remark.at(span);
        }
        for (span, label) in &self.note.also {
            remark = remark.also(*span, label.clone());
        }
        remark
    }
}

/// `ndrange-to-loop` as `NdrangeToLoop`.
fn camel_case(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    name.split('-').map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_named_after_their_pass() {
        let note = Note::new("there is a barrier", None);
        let missed = Remark::new(Kind::Missed, "ndrange-to-loop", "k", &note, None);
        assert_eq!(missed.name, "NoNdrangeToLoop");
        let diagnostic = missed.diagnostic();
        assert_eq!(diagnostic.message, "kernel 'k': there is a barrier");
        assert_eq!(
            diagnostic.option.as_deref(),
            Some("-Rpass-missed=ndrange-to-loop")
        );
        assert_eq!(missed.named("Barrier").name, "Barrier");
    }
}
