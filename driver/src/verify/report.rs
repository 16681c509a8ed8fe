//! The table that `--verify` prints.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use super::compare::{Bound, Comparison, Difference, What, value_at};
use super::outcome::{Outcome, Verdict};
use super::output;
use super::position;
use super::record::Form;
use super::run::Run;
use super::settle::Settled;

const ORDER: &str = "without contraction: different; with --strict-fp as well: all the same";

const SCALAR: &str = "without contraction: different; one work-item at a time as well";

/// The program that ran.
pub struct Executable {
    /// Where it lies.
    pub path: PathBuf,
    /// Whether it is still there afterwards.
    pub is_kept: bool,
}

/// Everything that is reported of a comparison.
pub struct Report<'a> {
    /// The program.
    pub executable: Executable,
    /// The run with the original kernels.
    pub original: &'a Run,
    /// The run with the rewritten ones.
    pub rewritten: &'a Run,
    /// Their comparison.
    pub outcome: &'a Outcome,
    /// Where its differences come from, if that was looked for.
    pub settled: Option<Settled>,
    /// What it comes to.
    pub verdict: Verdict,
}

impl Report<'_> {
    /// The text.
    pub fn text(&self) -> String {
        let mut out = self.table();
        self.kernels(&mut out);
        self.readbacks(&mut out);
        self.output(&mut out);
        self.settled(&mut out);
        self.verdict(&mut out);
        out
    }

    fn table(&self) -> String {
        let row = |name: &str, of: &dyn Fn(&Run) -> String| {
            let (original, rewritten) = (of(self.original), of(self.rewritten));
            format!("{name:<16}{original:>12}{rewritten:>12}\n")
        };
        let lines = |run: &Run| output::lines(&run.captured.stdout).len();
        let mut out = format!("{:<16}{:>12}{:>12}\n", "", "original", "rewritten");
        out += &row("launches", &|run| run.record.launches.len().to_string());
        out += &row("read-backs", &|run| run.record.readbacks.len().to_string());
        out += &row("bytes", &|run| run.record.size().to_string());
        out += &row("exit code", &|run| run.captured.status.code().to_string());
        out += &row("lines printed", &|run| lines(run).to_string());
        out.push('\n');
        out
    }

    /// Which kernels the second run took, and how.
    fn kernels(&self, out: &mut String) {
        let mut counts: BTreeMap<(&str, Form), (usize, usize)> = BTreeMap::new();
        for launch in &self.rewritten.record.launches {
            let count = counts.entry((&launch.kernel, launch.form)).or_default();
            count.0 += 1;
            count.1 += usize::from(launch.error != 0);
        }
        for ((kernel, form), (launches, failed)) in counts {
            let how = match form {
                Form::Task => "as one work-item",
                Form::NdRange => "as the host says",
                Form::Coarsened => "with several work-items or work-groups as one",
                Form::Original => "with its original text: fpgacc did not compile it",
            };
            let failed = match failed {
                0 => String::new(),
                failed => format!(", {failed} of them refused"),
            };
            let times = plural(launches, "launch", "launches");
            let _ = writeln!(out, "kernel {kernel}: {times} {how}{failed}");
        }
    }

    fn readbacks(&self, out: &mut String) {
        let comparison = &self.outcome.comparison;
        let compared = plural(comparison.readbacks, "read-back", "read-backs");
        let _ = write!(out, "compared: {compared}, {} bytes: ", comparison.bytes);
        let _ = match (&comparison.first, comparison.within_bounds) {
            (None, 0) => writeln!(out, "all the same"),
            (None, within) => writeln!(out, "the same but for {within} floating-point values"),
            (Some(_), _) => writeln!(out, "{} different", comparison.different),
        };
        if comparison.within_bounds > 0 {
            let bound = |name: &str, bound: Bound| {
                format!(
                    "{name} {:e} of the value or {:e} of the largest",
                    bound.value, bound.largest
                )
            };
            let _ = writeln!(
                out,
                "bound: {}, {}: `reduction` changed the order of operations (--strict-fp keeps it)",
                bound("float", Bound::FLOAT),
                bound("double", Bound::DOUBLE),
            );
        }
        if let Some(difference) = &comparison.first {
            self.difference(out, difference);
        }
        let unfinished = self.rewritten.record.unfinished;
        if unfinished > 0 {
            let _ = writeln!(
                out,
                "not compared: {} that the program does not wait for",
                plural(unfinished, "read-back", "read-backs")
            );
        }
    }

    fn difference(&self, out: &mut String, difference: &Difference) {
        let (original, rewritten) = (&self.original.record, &self.rewritten.record);
        let index = difference.index;
        let sides = (
            original.readbacks.get(index),
            rewritten.readbacks.get(index),
        );
        let Some(shown) = sides.0.or(sides.1) else {
            return;
        };
        let position = position::of(&self.executable.path, &shown.from);
        let buffer = shown
            .buffer
            .map_or(String::new(), |number| format!(", buffer {number}"));
        let _ = writeln!(
            out,
            "first difference: read-back {}, {position}, {}{buffer}",
            index + 1,
            shown.call
        );
        match (&difference.what, sides) {
            (What::Bytes { first, count }, (Some(a), Some(b))) => {
                let (left, right) = (original.data(a), rewritten.data(b));
                let size = left.len();
                let _ = writeln!(
                    out,
                    "  {count} of {size} bytes differ, the first at offset {first}\n  original:  \
                     {}\n  rewritten: {}",
                    value_at(left, *first, b),
                    value_at(right, *first, b)
                );
            }
            (What::Error(a, b), _) => {
                let _ = writeln!(out, "  the original gives error {a}, the rewritten {b}");
            }
            (What::Length(a, b), _) => {
                let _ = writeln!(out, "  the original reads {a} bytes, the rewritten {b}");
            }
            (What::Call, (_, Some(other))) => {
                let position = position::of(&self.executable.path, &other.from);
                let _ = writeln!(out, "  the rewritten has {} there, {position}", other.call);
            }
            _ => {
                let who = match sides.0.is_some() {
                    true => "original",
                    false => "rewritten",
                };
                let _ = writeln!(out, "  only the {who} program has it");
            }
        }
    }

    fn output(&self, out: &mut String) {
        let (what, line) = match &self.outcome.output {
            output::Difference::None => return,
            output::Difference::Order(line) => ("the same lines in another order", line),
            output::Difference::Numbers(line) => ("numbers differ", line),
            output::Difference::Words(line) => ("words differ", line),
        };
        let side = |text: &Option<String>| match text {
            Some(text) => format!("`{}`", shortened(text)),
            None => "(no more lines)".to_string(),
        };
        let _ = writeln!(
            out,
            "printed: {what}, first in line {}\n  original:  {}\n  rewritten: {}",
            line.number,
            side(&line.original),
            side(&line.other)
        );
        if self.outcome.comparison.first.is_some() {
            return;
        }
        out.push_str(match (&self.outcome.output, self.outcome.is_output_same()) {
            (output::Difference::Order(_), true) => "  (work-items print in no defined order)\n",
            (_, true) => "  (a host that gets the same bytes: taken for times and the like)\n",
            (_, false) => {
                "  (with the same bytes read back: by something else that the device says, such \
                 as a work-group size, or by kernels that print)\n"
            }
        });
    }

    /// What the versions without contraction do.
    fn settled(&self, out: &mut String) {
        let Some(settled) = &self.settled else {
            return;
        };
        let drift = self.outcome.comparison.drift();
        if drift > 0.0 {
            let _ = writeln!(
                out,
                "floating-point values differ by up to {drift:.1e} of the largest in their read-back"
            );
        }
        let _ = match settled {
            Settled::Contraction(comparison) => same(out, "without contraction", comparison),
            Settled::Functions(comparison) => same(out, SCALAR, comparison),
            Settled::Rounding(own) => writeln!(
                out,
                "the original's own values differ by up to {own:.1e} without contraction\n{ORDER}"
            ),
            Settled::Order => writeln!(out, "{ORDER}"),
            Settled::Other => writeln!(out, "without contraction: different"),
        };
    }

    fn verdict(&self, out: &mut String) {
        if !self.outcome.same_exit {
            let (a, b) = (
                self.original.captured.status,
                self.rewritten.captured.status,
            );
            let _ = writeln!(out, "ended: the original with {a}, the rewritten with {b}");
        }
        out.push_str(match self.verdict {
            Verdict::Same if self.outcome.comparison.within_bounds > 0 => {
                "verdict: same within the bound\n"
            }
            Verdict::Same => "verdict: same\n",
            Verdict::SameUncontracted => {
                "verdict: same without contraction: the device's compiler joins a*b+c, or \
                 simplifies as the build options allow, in the one kernel and not in the other\n"
            }
            Verdict::SameScalar => {
                "verdict: same without vectors: for several work-items at a time the emulator takes \
                 other functions, whose last bits are others, as OpenCL allows (sin, native_exp, ..)\n"
            }
            Verdict::SameRounding => {
                "verdict: same but for rounding, to which the program is sensitive: `reduction` \
                 changed the order of operations (--strict-fp keeps it)\n"
            }
            Verdict::SameFilled => {
                "verdict: same where memory that nobody wrote holds the same in both runs\n"
            }
            Verdict::Different if matches!(self.settled, Some(Settled::Order)) => {
                "verdict: different: `reduction` changed the order of operations, and values are \
                 beyond the bound (--strict-fp keeps it)\n"
            }
            Verdict::Different => "verdict: different (the original gives the same twice)\n",
            Verdict::Undecided => {
                "verdict: undecided: the original differs from itself when it runs again\n  \
                 help: to compare, it has to do the same twice: a fixed seed for random numbers (not \
                 the time), no data races, no memory that nobody wrote\n"
            }
            Verdict::Unwritten => {
                "verdict: undecided: what differs depends on memory that nobody wrote\n  \
                 help: to compare, write all of a buffer before it is read (clEnqueueFillBuffer)\n"
            }
            Verdict::Optimised => {
                "verdict: undecided: without optimisation (-cl-opt-disable) the original gives what \
                 the rewritten kernels give\n  \
                 help: the device's compiler may be wrong, or the original has a data race or a \
                 barrier that not all work-items reach: another emulator (--platform=) or Oclgrind \
                 may say which\n"
            }
        });
        if self.executable.is_kept && self.verdict.is_bad() {
            let _ = writeln!(
                out,
                "{} runs the original kernels with FPGACC_ORIGINAL=1",
                self.executable.path.display()
            );
        }
    }
}

/// What is the same in builds of another kind.
fn same(out: &mut String, how: &str, comparison: &Comparison) -> std::fmt::Result {
    match comparison.within_bounds {
        0 => writeln!(out, "{how}: all the same"),
        within => writeln!(
            out,
            "{how}: the same but for {within} floating-point values, which are within the bound"
        ),
    }
}

fn plural(count: usize, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {many}"),
    }
}

fn shortened(line: &str) -> String {
    const LONGEST: usize = 100;
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_string(),
    }
}
