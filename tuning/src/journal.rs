//! Trials as lines of text: one JSON object a line, only ever appended to, each process to a file of its own. Whatever ends a
//! process, only its last line may be torn; that trial is then made again.
//!
//! A process claims a point before it begins with it, so that others that search at the same time leave it alone.

use serde::{Deserialize, Serialize};

use crate::space::Point;
use crate::trial::{Outcome, RunOff, Trial};

/// The version of the format.
pub const FORMAT_VERSION: u32 = 1;

/// The first line of a journal: what it is of. Trials of other programs, spaces or devices are worth nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT_VERSION`].
    pub journal: u32,
    /// A digest of the sources, the options and the program's arguments.
    pub of: String,
    /// Where it was measured.
    pub device: String,
}

/// A line after the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Entry {
    /// A point was tried.
    Tried(Trial),
    /// The process begins with a point.
    Claimed {
        /// The point.
        claimed: Point,
    },
    /// The best points were run by turns.
    RunOff {
        /// What came of it.
        run_off: RunOff,
    },
}

/// What a journal holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    /// Of the first line.
    pub header: Option<Header>,
    /// In order.
    pub trials: Vec<Trial>,
    /// In order.
    pub run_offs: Vec<RunOff>,
    /// Points that the process began with and did not end; while it lives they are its own.
    pub begun: Vec<Point>,
}

impl Journal {
    fn add(&mut self, entry: Entry) {
        match entry {
            Entry::Tried(trial) => {
                self.begun.retain(|point| *point != trial.point);
                self.trials.push(trial);
            }
            Entry::Claimed { claimed } => self.begun.push(claimed),
            Entry::RunOff { run_off } => self.run_offs.push(run_off),
        }
    }
}

/// What is wrong with a journal: only ever appended lines cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub why: String,
}

/// A header or trial as a line.
pub fn line<T: Serialize>(of: &T) -> String {
    let mut text = serde_json::to_string(of).expect("numbers, texts and lists of these");
    text.push('\n');
    text
}

/// Reads a journal. What stands after the last end of a line is torn, and left out.
///
/// # Errors
/// A whole line is none of a journal.
pub fn read(text: &str) -> Result<Journal, Fault> {
    let mut journal = Journal::default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    for (at, line) in whole.lines().enumerate() {
        let fault = |error: serde_json::Error| Fault {
            line: at + 1,
            why: error.to_string(),
        };
        match at {
            0 => journal.header = Some(serde_json::from_str(line).map_err(fault)?),
            _ => journal.add(serde_json::from_str(line).map_err(fault)?),
        }
    }
    Ok(journal)
}

/// Where a journal is to be cut before more is appended: after its last whole line.
pub fn whole(text: &[u8]) -> usize {
    let end = text.iter().rposition(|&byte| byte == b'\n');
    end.map_or(0, |at| at + 1)
}

/// The outcome of a trial; of one that is the same as another, the other's.
pub fn outcome<'t>(trials: &'t [Trial], trial: &'t Trial) -> &'t Outcome {
    match &trial.outcome {
        Outcome::Same(point) => {
            let own = trials.iter().find(|other| other.point == *point);
            own.map_or(&trial.outcome, |other| &other.outcome)
        }
        outcome => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{FailedStep, Failure, Measurement};

    fn trials() -> (Header, Vec<Trial>) {
        let header = Header {
            journal: FORMAT_VERSION,
            of: "abc".into(),
            device: "pocl".into(),
        };
        let point = |value: u64| {
            [("k.coarsen".to_string(), value.into())]
                .into_iter()
                .collect()
        };
        let measured = Measurement {
            runs: vec![0.1, 0.30000000000000004],
            program: vec![1.0],
            ..Measurement::default()
        };
        let failure = Failure {
            step: FailedStep::Build,
            why: "two\nlines".into(),
        };
        let trials = vec![
            Trial {
                point: point(1),
                outcome: Outcome::Measured(measured),
            },
            Trial {
                point: point(2),
                outcome: Outcome::Failed(failure),
            },
            Trial {
                point: point(4),
                outcome: Outcome::Same(point(1)),
            },
        ];
        (header, trials)
    }

    #[test]
    fn what_is_written_is_read() {
        let (header, trials) = trials();
        let mut text = line(&header);
        trials.iter().for_each(|trial| text += &line(trial));
        let journal = read(&text).unwrap();
        assert_eq!(journal.header, Some(header));
        assert_eq!(journal.trials, trials);
        assert_eq!(outcome(&trials, &trials[2]), &trials[0].outcome);
    }

    #[test]
    fn what_was_claimed_is_begun_until_it_was_tried() {
        let (header, trials) = trials();
        let claim = |at: usize| Entry::Claimed {
            claimed: trials[at].point.clone(),
        };
        let run_off = RunOff {
            points: vec![trials[0].point.clone()],
            runs: vec![vec![0.1, 0.2]],
        };
        let mut text = line(&header) + &line(&claim(0)) + &line(&claim(1));
        text += &line(&Entry::Tried(trials[0].clone()));
        text += &line(&Entry::RunOff {
            run_off: run_off.clone(),
        });
        let journal = read(&text).unwrap();
        assert_eq!(journal.begun, [trials[1].point.clone()]);
        assert_eq!(journal.trials, trials[..1]);
        assert_eq!(journal.run_offs, [run_off]);
    }

    #[test]
    fn wherever_a_journal_breaks_off_whole_lines_are_read() {
        let (header, trials) = trials();
        let mut text = line(&header);
        trials.iter().for_each(|trial| text += &line(trial));
        for end in 0..text.len() {
            let journal = read(&text[..end]).unwrap();
            let lines = text[..end].matches('\n').count();
            assert_eq!(journal.trials.len(), lines.saturating_sub(1));
            assert_eq!(
                whole(&text.as_bytes()[..end]),
                text[..end].rfind('\n').map_or(0, |at| at + 1)
            );
        }
    }

    #[test]
    fn a_wrong_line_is_named() {
        let (header, _) = trials();
        let text = line(&header) + "{}\n";
        assert_eq!(read(&text).unwrap_err().line, 2);
        assert_eq!(read("x\n").unwrap_err().line, 1);
    }
}
