//! The search: strategies name points, which are built and measured, until nothing promises to be faster.
//!
//! A search is played from the start each time that it runs. What journals know of a point is taken from there, so that one
//! that was cut off goes on where it was.

use std::collections::BTreeMap;
use std::time::Duration;

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_launch_facts::Tuned;
use fpgacc_tuning::compare;
use fpgacc_tuning::journal::Entry;
use fpgacc_tuning::space::Point;
use fpgacc_tuning::strategy::{self, Strategy, Tried};
use fpgacc_tuning::trial::{Failure, Measurement, Objective, Outcome, RunOff, Trial, median};

use super::build::{self, Job};
use super::folder::{Claim, Folder};
use super::measure::Meter;
use super::plan::Plan;
use super::program::{Program, Track, variants_of};
use super::progress::Progress;
use super::{slurm, variants};
use crate::session::Session;
use crate::verify::outcome::Traits;

/// What is not faster by this part is not worth another variant.
pub const GAIN: f64 = 0.02;
/// Points that the program as it is is run off against.
const FINALISTS: usize = 3;
/// Between looks at what another process does.
const PAUSE: Duration = Duration::from_millis(500);

/// See the head of this file.
pub struct Search<'a> {
    /// What is asked.
    pub plan: &'a Plan,
    /// What is tuned.
    pub program: Program,
    /// The words of this program before `--`, for those that build.
    pub words: &'a [String],
    /// What facts are made for.
    pub device: &'a str,
    /// Where all is kept.
    pub folder: Folder,
    /// What measures.
    pub meter: Meter,
    /// What users see.
    pub progress: Progress,
    /// What was tried, in order.
    pub trials: Vec<Trial>,
    /// The best of them beside the program as it is.
    pub run_off: Option<RunOff>,
}

/// A candidate of a kernel that is to be tried.
#[derive(Clone, Copy)]
struct Proposal {
    track: usize,
    candidate: usize,
}

/// The state of a kernel.
struct Course {
    strategy: Box<dyn Strategy>,
    history: Vec<Tried>,
}

impl Course {
    /// The best candidate yet; the first where none is measured.
    fn best(&self) -> usize {
        let measured = self
            .history
            .iter()
            .filter_map(|tried| Some((tried.candidate, tried.cost?)));
        let best = measured.min_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(0, |(candidate, _)| candidate)
    }
}

impl Search<'_> {
    /// Tries points until the strategies or the budget end.
    ///
    /// # Errors
    /// What is known cannot be kept, or the program does not run as it is.
    pub fn run(&mut self, session: &mut Session) -> Result<(), Diagnostic> {
        let first = self.point(&[], &[]);
        self.meter.first = self.job(&first).executable();
        self.try_all(session, &[first])?;
        if let Some(Outcome::Failed(Failure { why, .. })) =
            self.trials.first().map(|one| &one.outcome)
        {
            return Err(Diagnostic::error(format!(
                "the program cannot be measured as it is: {why}"
            ))
            .note(format!(
                "its build is in '{}'",
                self.folder.of_point(&self.trials[0].point).display()
            ))
            .help(format!(
                "its arguments stand after `--`; it runs in this folder, without input; once that is mended, \
                 remove '{}' to measure it again",
                self.plan.folder.display()
            )));
        }
        let mut courses = self.courses();
        let is_separable = self.plan.objective == Objective::Kernels;
        loop {
            let round = self.round(&courses, is_separable)?;
            if round.is_empty() {
                break;
            }
            self.play(session, &mut courses, &round)?;
            for (track, course) in courses.iter().enumerate() {
                self.program.widen(session, track, course.best());
            }
        }
        // What was best for each kernel, together.
        let best: Vec<usize> = courses.iter().map(Course::best).collect();
        let point = self.point(&best, &[]);
        self.try_all(session, std::slice::from_ref(&point))?;
        self.try_builds(session, &point)?;
        self.run_off(session)
    }

    /// Tries the best point with all other values of what may be varied of a build, such as aoc's seed. What that gains is
    /// luck with the placement, and says nothing of other points: so it comes last.
    fn try_builds(&mut self, session: &mut Session, best: &Point) -> Result<(), Diagnostic> {
        let others = self.program.build.points(usize::MAX).into_iter().skip(1);
        let point = |build: Point| {
            let mut point = best.clone();
            point.extend(build);
            point
        };
        let points: Vec<Point> = others.map(point).collect();
        for some in points.chunks(self.plan.jobs.max(1)) {
            let left = self.plan.budget.saturating_sub(self.trials.len());
            self.try_all(session, &some[..some.len().min(left)])?;
        }
        Ok(())
    }

    fn courses(&self) -> Vec<Course> {
        let course = |(at, track): (usize, &Track)| {
            let name = &self.plan.strategy;
            let strategy = strategy::named(name, self.plan.seed.wrapping_add(at as u64));
            let cost = self.cost_of(track, &self.trials[0]);
            Course {
                strategy: strategy.expect("clap knows the names"),
                history: vec![Tried {
                    candidate: 0,
                    cost,
                    area: track.candidates[0].area,
                }],
            }
        };
        self.program.tracks.iter().enumerate().map(course).collect()
    }

    /// The next trials, but for those that other processes are busy with, unless nothing else is left.
    fn round(
        &self,
        courses: &[Course],
        is_separable: bool,
    ) -> Result<Vec<Vec<Proposal>>, Diagnostic> {
        // The best of several kernels are tried together at the end.
        let is_open = |track: &&Track| track.candidates.len() > 1;
        let together = usize::from(self.program.tracks.iter().filter(is_open).count() > 1);
        let left = self
            .plan
            .budget
            .saturating_sub(self.trials.len() + together);
        let batch = self.plan.jobs.max(1).min(left);
        let busy = self.folder.read()?.busy;
        if batch == 0 {
            return Ok(Vec::new());
        }
        let mut round = self.proposals(courses, is_separable, batch + busy.len());
        let best: Vec<usize> = courses.iter().map(Course::best).collect();
        let is_free = |trial: &Vec<Proposal>| !busy.contains(&self.point(&best, trial));
        if round.iter().any(is_free) {
            round.retain(is_free);
        }
        round.truncate(batch);
        Ok(round)
    }

    /// Trials: in each a candidate of every kernel that has one, or of one kernel where kernels cannot be distinguished.
    fn proposals(&self, courses: &[Course], is_separable: bool, most: usize) -> Vec<Vec<Proposal>> {
        let mut round: Vec<Vec<Proposal>> = Vec::new();
        for (track, course) in courses.iter().enumerate() {
            if !self.is_launched(track) {
                continue;
            }
            let candidates = &self.program.tracks[track].candidates;
            let next = course.strategy.next(candidates, &course.history, most);
            for (at, candidate) in next.into_iter().enumerate() {
                if round.len() <= at {
                    round.push(Vec::new());
                }
                round[at].push(Proposal { track, candidate });
            }
            if !is_separable && !round.is_empty() {
                break;
            }
        }
        round
    }

    /// Whether the program, with these arguments, launches a kernel: others may be anything.
    fn is_launched(&self, track: usize) -> bool {
        match self.trials.first().map(|trial| &trial.outcome) {
            Some(Outcome::Measured(first)) => first
                .kernels
                .contains_key(&self.program.tracks[track].kernel),
            _ => true,
        }
    }

    /// Tries a round and notes what came of it.
    fn play(
        &mut self,
        session: &mut Session,
        courses: &mut [Course],
        round: &[Vec<Proposal>],
    ) -> Result<(), Diagnostic> {
        let best: Vec<usize> = courses.iter().map(Course::best).collect();
        let points: Vec<Point> = round.iter().map(|trial| self.point(&best, trial)).collect();
        self.try_all(session, &points)?;
        // Which of several variants makes a program fail, a build of each alone shows.
        let failed = points.iter().zip(round).filter(|(point, trial)| {
            trial.len() > 1 && matches!(self.outcome(point), Some(Outcome::Failed(_)))
        });
        let alone: Vec<[Proposal; 1]> = failed
            .flat_map(|(_, trial)| trial.iter().map(|one| [*one]))
            .collect();
        let singles: Vec<Point> = alone.iter().map(|one| self.point(&best, one)).collect();
        self.try_all(session, &singles)?;
        for (point, trial) in points.iter().zip(round) {
            for proposal in trial {
                let single = self.point(&best, std::slice::from_ref(proposal));
                let own = match singles.contains(&single) {
                    true => &single,
                    false => point,
                };
                let tried = self.trials.iter().find(|one| one.point == *own);
                let track = &self.program.tracks[proposal.track];
                let cost = tried.and_then(|trial| self.cost_of(track, trial));
                courses[proposal.track].history.push(Tried {
                    candidate: proposal.candidate,
                    cost,
                    area: track.candidates[proposal.candidate].area,
                });
            }
        }
        Ok(())
    }

    fn outcome(&self, point: &Point) -> Option<&Outcome> {
        let trial = self.trials.iter().find(|one| one.point == *point);
        trial.map(|trial| &trial.outcome)
    }

    /// What a trial says of a kernel.
    fn cost_of(&self, track: &Track, trial: &Trial) -> Option<f64> {
        let Outcome::Measured(measured) = &trial.outcome else {
            return None;
        };
        if self.plan.objective != Objective::Kernels {
            return Some(self.plan.objective.cost(measured));
        }
        let own = measured.kernels.get(&track.kernel).copied();
        // A kernel that this run of the program does not launch costs nothing.
        let own = own.unwrap_or(0.0).max(1e-9);
        let baseline = median(&measured.baseline).filter(|seconds| *seconds > 0.0);
        Some(own / baseline.unwrap_or(1.0))
    }

    /// A point of the whole space: of each kernel this candidate, or the first, but for the proposed ones.
    fn point(&self, best: &[usize], proposals: &[Proposal]) -> Point {
        let mut point = self.program.build.first();
        for (at, track) in self.program.tracks.iter().enumerate() {
            let proposed = proposals.iter().find(|proposal| proposal.track == at);
            let candidate = proposed.map(|proposal| proposal.candidate);
            let candidate = candidate.or_else(|| best.get(at).copied()).unwrap_or(0);
            point.extend(track.points[candidate].clone());
        }
        point
    }

    /// Tries points that were not tried: those that journals know are taken from there, those that other processes try are
    /// waited for, and the others are built together and measured one by one.
    fn try_all(&mut self, session: &mut Session, points: &[Point]) -> Result<(), Diagnostic> {
        let mut left: Vec<Point> = Vec::new();
        for point in points {
            let is_tried = self.trials.iter().any(|trial| trial.point == *point);
            if !is_tried && !left.contains(point) {
                left.push(point.clone());
            }
        }
        while !left.is_empty() {
            let claims = self.folder.claim(&left)?;
            let mut own = Vec::new();
            let mut busy = Vec::new();
            for (point, claim) in left.into_iter().zip(claims) {
                match claim {
                    Claim::Own => own.push(point),
                    Claim::Busy => busy.push(point),
                    Claim::Known(trial) => self.note(trial),
                }
            }
            if own.is_empty() && !busy.is_empty() {
                self.progress.say("another search is at the next variant");
                std::thread::sleep(PAUSE);
            }
            self.try_own(session, &own)?;
            left = busy;
        }
        Ok(())
    }

    /// Tries points that this process has claimed.
    fn try_own(&mut self, session: &mut Session, points: &[Point]) -> Result<(), Diagnostic> {
        let jobs: Vec<Job> = points.iter().map(|point| self.job(point)).collect();
        let failures = self.build(&jobs)?;
        for ((point, job), failure) in points.iter().zip(&jobs).zip(failures) {
            let outcome = match failure {
                Some(failure) => Outcome::Failed(failure),
                None => self.measure(session, point, job)?,
            };
            let trial = Trial {
                point: point.clone(),
                outcome,
            };
            self.folder.append(&Entry::Tried(trial.clone()))?;
            self.note(trial);
        }
        Ok(())
    }

    fn build(&self, jobs: &[Job]) -> Result<Vec<Option<Failure>>, Diagnostic> {
        for job in jobs {
            job.prepare()?;
        }
        self.progress.building(jobs.len());
        Ok(match &self.plan.slurm {
            Some(options) => slurm::all(jobs, self.words, options, &self.progress)?,
            None => build::all(jobs, self.words, self.plan.jobs, self.plan.build_limit),
        })
    }

    fn measure(
        &mut self,
        session: &mut Session,
        point: &Point,
        job: &Job,
    ) -> Result<Outcome, Diagnostic> {
        let mut traits = Traits::of(&self.program.compiled);
        traits.reassociated = self.chosen(point).any(|(track, at)| track.reassociates[at]);
        let area = self
            .chosen(point)
            .map(|(track, at)| track.candidates[at].area);
        let area: Option<f64> = area.sum();
        self.progress.measuring();
        let _alone = self.folder.alone()?;
        let measured = (self.meter).measure(session, &job.executable(), traits, &job.facts());
        Ok(match measured {
            Ok(measured) => Outcome::Measured(Measurement { area, ..measured }),
            Err(failure) => Outcome::Failed(failure),
        })
    }

    /// The candidates that a point is made of.
    fn chosen<'s>(&'s self, point: &'s Point) -> impl Iterator<Item = (&'s Track, usize)> {
        self.program.tracks.iter().filter_map(|track| {
            let is_own = |own: &Point| {
                own.iter()
                    .all(|(name, value)| point.get(name) == Some(value))
            };
            Some((track, track.points.iter().position(is_own)?))
        })
    }

    fn job(&self, point: &Point) -> Job {
        Job {
            folder: self.folder.of_point(point),
            tuned: self.tuned(point),
        }
    }

    /// A point as facts.
    pub fn tuned(&self, point: &Point) -> Tuned {
        Tuned {
            device: self.device.to_string(),
            kernels: variants_of(&self.program.tracks, point),
            aoc: variants::aoc_options(point),
        }
    }

    fn note(&mut self, trial: Trial) {
        self.progress
            .tried(&self.program.space(), &trial, self.plan.objective);
        self.trials.push(trial);
    }

    /// Runs the program as it is by turns with the best of what looked faster, in rounds of another order each, unless a
    /// journal knows what came of it. What is built for another objective than time is not run.
    fn run_off(&mut self, session: &mut Session) -> Result<(), Diagnostic> {
        let finalists = self.finalists();
        if finalists.len() < 2 {
            return Ok(());
        }
        let known = self.folder.read()?.run_offs.into_iter();
        let is_own =
            |known: &RunOff| known.points == finalists && known.runs[0].len() == self.plan.run_off;
        if let Some(known) = { known }.find(is_own) {
            self.run_off = Some(known);
            return Ok(());
        }
        let jobs: Vec<Job> = finalists.iter().map(|point| self.job(point)).collect();
        let failures = self.build(&jobs)?;
        self.progress.say("running the best by turns");
        let _alone = self.folder.alone()?;
        let mut runs: Vec<Vec<f64>> = vec![Vec::new(); jobs.len()];
        let mut has_failed: Vec<bool> = failures.iter().map(Option::is_some).collect();
        for round in 0..self.plan.run_off {
            for at in compare::turns(jobs.len(), round, self.plan.seed) {
                if has_failed[at] {
                    continue;
                }
                let executable = jobs[at].executable();
                match (self.meter).run_once(session, &executable, self.plan.objective) {
                    Ok(seconds) => runs[at].push(seconds),
                    Err(_) => has_failed[at] = true,
                }
            }
        }
        let run_off = RunOff {
            points: finalists,
            runs,
        };
        self.folder.append(&Entry::RunOff {
            run_off: run_off.clone(),
        })?;
        self.run_off = Some(run_off);
        Ok(())
    }

    /// The program as it is and what looked faster, as many as the run-off can distinguish from it.
    fn finalists(&self) -> Vec<Point> {
        let mut measured = self.measured();
        let Some(first) = measured.next() else {
            return Vec::new();
        };
        let cost = |one: &(&Trial, &Measurement)| self.plan.objective.cost(one.1);
        let mut faster: Vec<_> = measured.filter(|one| cost(one) < cost(&first)).collect();
        faster.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
        faster.truncate(FINALISTS.min(compare::proves(self.plan.run_off)));
        if self.plan.objective == Objective::Area {
            faster.clear();
        }
        let all = std::iter::once(first).chain(faster);
        all.map(|(trial, _)| trial.point.clone()).collect()
    }

    fn measured(&self) -> impl Iterator<Item = (&Trial, &Measurement)> {
        self.trials.iter().filter_map(|trial| match &trial.outcome {
            Outcome::Measured(measured) => Some((trial, measured)),
            _ => None,
        })
    }

    /// The best of all trials; the first one, of the program as it is, unless the run-off shows that another is faster.
    /// Areas do not depend on chance: of these the least counts.
    pub fn winner(&self) -> Option<(&Trial, &Measurement)> {
        let first = self.measured().next()?;
        if self.plan.objective == Objective::Area {
            let cost = |one: &(&Trial, &Measurement)| self.plan.objective.cost(one.1);
            let best = self.measured().min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
            let is_worth_it = cost(&best) < cost(&first) * (1.0 - GAIN);
            return Some(if is_worth_it { best } else { first });
        }
        let won = self
            .run_off
            .as_ref()
            .and_then(|run_off| run_off.winner(GAIN));
        let best = won.and_then(|(point, _)| self.measured().find(|one| one.0.point == *point));
        Some(best.unwrap_or(first))
    }

    /// How many trials failed, by what failed.
    pub fn failures(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for trial in &self.trials {
            if let Outcome::Failed(failure) = &trial.outcome {
                *counts.entry(failure.step.word()).or_insert(0) += 1;
            }
        }
        counts
    }
}
