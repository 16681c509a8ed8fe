//! Judging a rewritten job by what the original does on several implementations.
//!
//! Implementations have faults of their own. The rewritten kernel must do on each what the original
//! does there; where the originals disagree, Oclgrind, which interprets, is the one to follow.

use crate::job::Job;
use crate::run::{Output, Platform, run};

/// What an original does.
#[derive(Clone, Debug)]
pub struct Original {
    /// Under Oclgrind.
    pub reference: Output,
    /// Elsewhere, or why it does not run there.
    pub others: Vec<(Platform, Result<Output, String>)>,
}

/// What was found of some buffers on an implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The rewritten job does the same.
    Same,
    /// The original differs from the reference, or does not run; the rewritten job does what the
    /// reference does.
    OriginalDisagrees(String),
    /// The rewritten job differs from the reference here, though not under Oclgrind, and the original
    /// differs from it too: the implementation is no witness.
    BothDisagree(String),
    /// The rewritten job is wrong.
    Wrong(String),
}

impl Original {
    /// Runs a job under Oclgrind and on other implementations.
    ///
    /// # Errors
    /// It does not run under Oclgrind, or Oclgrind complains: it is not legal.
    pub fn run(job: &Job, platforms: &[Platform]) -> Result<Self, String> {
        let reference = run(job, Platform::Oclgrind).map_err(|error| error.to_string())?;
        if !reference.complaints.trim().is_empty() {
            return Err(first_complaint(&reference.complaints));
        }
        let others = platforms
            .iter()
            .filter(|platform| **platform != Platform::Oclgrind)
            .map(|platform| (*platform, run(job, *platform).map_err(|e| e.to_string())))
            .collect();
        Ok(Original { reference, others })
    }

    /// What of the original's own results differs from the reference.
    pub fn disagreement(&self, platform: Platform, buffers: &[usize]) -> Option<String> {
        let (_, output) = self.others.iter().find(|(p, _)| *p == platform)?;
        match output {
            Err(error) => Some(error.clone()),
            Ok(output) => first_difference(&self.reference, output, buffers),
        }
    }

    /// Judges the rewritten job's output on a platform, by these buffers.
    pub fn judge(
        &self,
        platform: Platform,
        after: &Result<Output, String>,
        buffers: &[usize],
    ) -> Verdict {
        let against_reference = match after {
            Err(error) => Some(format!("it does not run: {error}")),
            Ok(after) => first_difference(&self.reference, after, buffers),
        };
        match (self.disagreement(platform, buffers), against_reference) {
            (None, None) => Verdict::Same,
            (None, Some(what)) => Verdict::Wrong(what),
            (Some(what), None) => Verdict::OriginalDisagrees(what),
            (Some(original), Some(rewritten)) => {
                Verdict::BothDisagree(format!("original: {original}; rewritten: {rewritten}"))
            }
        }
    }
}

/// Oclgrind repeats itself for each element: the first complaint says it.
pub fn first_complaint(complaints: &str) -> String {
    let lines = complaints.trim().lines();
    let named = lines
        .clone()
        .filter(|line| line.trim().starts_with("Kernel: "));
    let more = named.count().saturating_sub(1);
    let first: Vec<&str> = lines.take(14).collect();
    format!("{}\n({more} more)", first.join("\n").trim_end())
}

/// The first place at which these buffers differ.
pub fn first_difference(before: &Output, after: &Output, buffers: &[usize]) -> Option<String> {
    let differing = buffers
        .iter()
        .filter(|index| before.buffers.get(**index) != after.buffers.get(**index));
    differing.into_iter().next().map(|&index| {
        let (a, b) = (&before.buffers[index], &after.buffers[index]);
        let at = a.iter().zip(b).position(|(x, y)| x != y).unwrap_or(0) / 4 * 4;
        let word = |bytes: &[u8]| {
            let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
            word.map_or(0, i32::from_ne_bytes)
        };
        format!("buffer {index}, byte {at}: {} became {}", word(a), word(b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(value: u8) -> Output {
        Output {
            buffers: vec![vec![value; 4]],
            complaints: String::new(),
            printed: String::new(),
        }
    }

    #[test]
    fn an_implementation_that_is_wrong_is_no_witness() {
        let original = Original {
            reference: output(1),
            others: vec![
                (Platform::Pocl, Ok(output(2))),
                (Platform::Intel, Ok(output(1))),
            ],
        };
        let judge = |platform, value| original.judge(platform, &Ok(output(value)), &[0]);
        assert_eq!(judge(Platform::Intel, 1), Verdict::Same);
        assert!(matches!(judge(Platform::Intel, 2), Verdict::Wrong(_)));
        assert!(matches!(
            judge(Platform::Pocl, 1),
            Verdict::OriginalDisagrees(_)
        ));
        assert!(matches!(judge(Platform::Pocl, 2), Verdict::BothDisagree(_)));
        assert!(matches!(judge(Platform::Oclgrind, 2), Verdict::Wrong(_)));
    }
}
