//! Why an implementation does something else with a job than Oclgrind: found by running the
//! job there again, alone and with one part of the implementation switched off.
//!
//! A cause is named only if switching that part off makes the results right. What is left is
//! [`Cause::Unexplained`], and somebody has to look.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::job::Job;
use crate::judge::first_difference;
use crate::run::{NO_OPTIMISATION, Output, Platform, RunError, Setting, run_with};

/// What of an implementation is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// It refuses the text.
    DoesNotBuild,
    /// Its process dies.
    Crashes,
    /// It does not end in time.
    NeverEnds,
    /// Nothing is wrong when the kernel is a program of its own.
    OnlyTogether,
    /// PoCL puts regions between barriers into loops over work-items; right when it copies them for
    /// each work-item instead.
    WorkItemLoops,
    /// The Intel emulator computes several work-items at once; right when it does not.
    Vectoriser,
    /// Right with `-cl-opt-disable`.
    Optimiser,
    /// Wrong with `-cl-opt-disable` only.
    Unoptimised,
    /// Right when tried again.
    NotAlways,
    /// None of these.
    Unexplained,
}

impl Cause {
    /// Whether it blames a part of the implementation without which all is right.
    pub fn is_a_part(self) -> bool {
        matches!(
            self,
            Cause::WorkItemLoops | Cause::Vectoriser | Cause::Optimiser | Cause::Unoptimised
        )
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::DoesNotBuild => "it does not build",
            Cause::Crashes => "it crashes",
            Cause::NeverEnds => "it does not end",
            Cause::OnlyTogether => "right as a program of its own",
            Cause::WorkItemLoops => "right without loops over work-items",
            Cause::Vectoriser => "right without the vectoriser",
            Cause::Optimiser => "right with -cl-opt-disable",
            Cause::Unoptimised => "right without -cl-opt-disable",
            Cause::NotAlways => "right when tried again",
            Cause::Unexplained => "NOT EXPLAINED",
        })
    }
}

/// A job whose right results are known.
#[derive(Clone, Copy, Debug)]
pub struct Known<'j> {
    /// The job.
    pub job: &'j Job,
    /// What it does under Oclgrind.
    pub reference: &'j Output,
    /// The buffers that count.
    pub buffers: &'j [usize],
}

impl Known<'_> {
    /// Why the job is wrong on a platform; `None`: it is right.
    pub fn cause(&self, platform: Platform, limit: Duration) -> Option<Cause> {
        let own = match run_with(self.job, platform, limit, &[]) {
            Ok(output) if self.is_right(&output) => return None,
            Ok(_) => None,
            Err(error) => Some(of_error(&error)),
        };
        let found = switchable(platform, self.job)
            .into_iter()
            .find(|cause| self.is_right_without(*cause, platform, limit));
        Some(found.or(own).unwrap_or(Cause::Unexplained))
    }

    /// Whether the job is wrong on a platform, and right with what a cause blames switched off; for
    /// other causes, whether it is the cause.
    pub fn is_wrong_for(&self, cause: Cause, platform: Platform, limit: Duration) -> bool {
        if !switchable(platform, self.job).contains(&cause) {
            return self.cause(platform, limit) == Some(cause);
        }
        let own = run_with(self.job, platform, limit, &[]);
        own.is_ok_and(|output| !self.is_right(&output))
            && self.is_right_without(cause, platform, limit)
    }

    fn is_right_without(&self, cause: Cause, platform: Platform, limit: Duration) -> bool {
        let output = match cause {
            Cause::WorkItemLoops => {
                run_with(self.job, platform, limit, &[Setting::NoWorkItemLoops])
            }
            Cause::Vectoriser => run_with(self.job, platform, limit, &[Setting::NoVectoriser]),
            _ => run_with(&other_optimisation(self.job), platform, limit, &[]),
        };
        output.is_ok_and(|output| self.is_right(&output))
    }

    /// Whether the job, which is built with optimisations, is right without.
    pub fn is_right_unoptimised(&self, platform: Platform, limit: Duration) -> bool {
        switchable(platform, self.job).contains(&Cause::Optimiser)
            && self.is_right_without(Cause::Optimiser, platform, limit)
    }

    /// Whether Oclgrind complains of nothing, values that nobody has set included.
    pub fn is_clean(&self, limit: Duration) -> bool {
        let settings = [Setting::Uninitialised];
        let output = run_with(self.job, Platform::Oclgrind, limit, &settings);
        output.is_ok_and(|output| output.complaints.trim().is_empty() && self.is_right(&output))
    }

    /// Whether the job is right on a platform with and without optimisations.
    pub fn is_right_either_way(&self, platform: Platform, limit: Duration) -> bool {
        let jobs = [self.job, &other_optimisation(self.job)];
        jobs.into_iter().all(|job| {
            run_with(job, platform, limit, &[]).is_ok_and(|output| self.is_right(&output))
        })
    }

    /// Whether these results are the right ones.
    pub fn is_right(&self, output: &Output) -> bool {
        first_difference(self.reference, output, self.buffers).is_none()
    }
}

/// The causes that switching something off shows, the narrowest first.
fn switchable(platform: Platform, job: &Job) -> Vec<Cause> {
    let part = match platform {
        Platform::Intel => Some(Cause::Vectoriser),
        Platform::Pocl => Some(Cause::WorkItemLoops),
        Platform::Oclgrind | Platform::Nvidia => None,
    };
    let optimisation = match job.options.contains(NO_OPTIMISATION) {
        true => Cause::Unoptimised,
        false => Cause::Optimiser,
    };
    part.into_iter().chain([optimisation]).collect()
}

/// The job built with optimisations if it was without, and the other way round.
pub fn other_optimisation(job: &Job) -> Job {
    let mut other = job.clone();
    other.options = match job.options.contains(NO_OPTIMISATION) {
        true => job.options.replace(NO_OPTIMISATION, ""),
        false => format!("{} {NO_OPTIMISATION}", job.options),
    };
    other.options = other.options.trim().to_string();
    other
}

fn of_error(error: &RunError) -> Cause {
    match error {
        RunError::Failed { message, .. } if message.contains("clBuildProgram failed") => {
            Cause::DoesNotBuild
        }
        RunError::TimedOut { .. } => Cause::NeverEnds,
        _ => Cause::Crashes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optimisation_is_switched_and_other_options_stay() {
        let mut job = Job::new("");
        job.options = "-D N=3".to_string();
        let off = other_optimisation(&job);
        assert_eq!(off.options, "-D N=3 -cl-opt-disable");
        assert_eq!(other_optimisation(&off), job);
    }

    #[test]
    fn errors_are_distinguished() {
        let failed = |message: &str| RunError::Failed {
            platform: Platform::Pocl,
            message: message.to_string(),
        };
        let build = failed("clBuildProgram failed: CL_BUILD_PROGRAM_FAILURE (-11)\n");
        assert_eq!(of_error(&build), Cause::DoesNotBuild);
        assert_eq!(
            of_error(&failed("the process ended with killed by signal 11")),
            Cause::Crashes
        );
    }
}
