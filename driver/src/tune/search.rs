//! The search: strategies name points, which are built and measured, until nothing promises to be faster.
//!
//! A search is played from the start each time that it runs. What journals know of a point is taken from there, so that one
//! that was cut off goes on where it was.

use std::collections::BTreeMap;

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_launch_facts::Tuned;
use fpgacc_tuning::space::Point;
use fpgacc_tuning::strategy::{self, Strategy, Tried};
use fpgacc_tuning::trial::{Failure, Measurement, Objective, Outcome, Trial, median};

use super::build::{self, Job};
use super::folder::Folder;
use super::measure::Meter;
use super::plan::Plan;
use super::program::{Program, Track, variants_of};
use super::progress::Progress;
use super::slurm;
use crate::session::Session;
use crate::verify::outcome::Traits;

/// What is not faster by this part is not worth another variant.
const GAIN: f64 = 0.02;

/// See the head of this file.
pub struct Search<'a> {
    /// What is asked.
    pub plan: &'a Plan,
    /// What is tuned.
    pub program: &'a Program,
    /// The words of this program before `--`, for those that build.
    pub words: &'a [String],
    /// What facts are made for.
    pub device: &'a str,
    /// Where all is kept.
    pub folder: Folder,
    /// What is known of earlier runs.
    pub known: Vec<Trial>,
    /// What measures.
    pub meter: Meter,
    /// What users see.
    pub progress: Progress,
    /// What was tried, in order.
    pub trials: Vec<Trial>,
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
            .help("its arguments stand after `--`; it runs in this folder, without input"));
        }
        let mut courses = self.courses();
        let is_separable = self.plan.objective == Objective::Kernels;
        loop {
            let round = self.round(&courses, is_separable);
            if round.is_empty() {
                break;
            }
            self.play(session, &mut courses, &round)?;
        }
        // What was best for each kernel, together.
        let best: Vec<usize> = courses.iter().map(Course::best).collect();
        let point = self.point(&best, &[]);
        self.try_all(session, &[point])
    }

    fn courses(&self) -> Vec<Course> {
        let course = |(at, track): (usize, &Track)| {
            let name = &self.plan.strategy;
            let strategy = strategy::named(name, self.plan.seed.wrapping_add(at as u64));
            let cost = self.cost_of(track, &self.trials[0]);
            Course {
                strategy: strategy.expect("clap knows the names"),
                history: vec![Tried { candidate: 0, cost }],
            }
        };
        self.program.tracks.iter().enumerate().map(course).collect()
    }

    /// The next trials: in each a candidate of every kernel that has one, or of one kernel where kernels cannot be told
    /// apart.
    fn round(&self, courses: &[Course], is_separable: bool) -> Vec<Vec<Proposal>> {
        let left = self.plan.budget.saturating_sub(self.trials.len());
        let batch = self.plan.jobs.max(1).min(left);
        let mut round: Vec<Vec<Proposal>> = Vec::new();
        for (track, course) in courses.iter().enumerate() {
            if !self.is_launched(track) {
                continue;
            }
            let candidates = &self.program.tracks[track].candidates;
            let next = course.strategy.next(candidates, &course.history, batch);
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
        // Which of several variants makes a program fail, each alone tells.
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
        let mut point = Point::new();
        for (at, track) in self.program.tracks.iter().enumerate() {
            let proposed = proposals.iter().find(|proposal| proposal.track == at);
            let candidate = proposed.map(|proposal| proposal.candidate);
            let candidate = candidate.or_else(|| best.get(at).copied()).unwrap_or(0);
            point.extend(track.points[candidate].clone());
        }
        point
    }

    /// Tries points that were not tried: those that journals know are taken from there, the others are built together and
    /// measured one by one.
    fn try_all(&mut self, session: &mut Session, points: &[Point]) -> Result<(), Diagnostic> {
        let mut new: Vec<&Point> = Vec::new();
        for point in points {
            let is_tried = self.trials.iter().any(|trial| trial.point == *point);
            if is_tried || new.contains(&point) {
                continue;
            }
            match self
                .known
                .iter()
                .find(|trial| trial.point == *point)
                .cloned()
            {
                Some(trial) => self.note(trial),
                None => new.push(point),
            }
        }
        let jobs: Vec<Job> = new.iter().map(|point| self.job(point)).collect();
        for job in &jobs {
            job.prepare()?;
        }
        self.progress.building(jobs.len());
        let failures = match &self.plan.slurm {
            Some(options) => slurm::all(&jobs, self.words, options, &self.progress)?,
            None => build::all(&jobs, self.words, self.plan.jobs, self.plan.build_limit),
        };
        for ((point, job), failure) in new.iter().zip(&jobs).zip(failures) {
            let outcome = match failure {
                Some(failure) => Outcome::Failed(failure),
                None => self.measure(session, point, job),
            };
            let trial = Trial {
                point: (*point).clone(),
                outcome,
            };
            self.folder.append(&trial)?;
            self.note(trial);
        }
        Ok(())
    }

    fn measure(&mut self, session: &mut Session, point: &Point, job: &Job) -> Outcome {
        let mut traits = Traits::of(&self.program.compiled);
        traits.reassociated = self.chosen(point).any(|(track, at)| track.reassociates[at]);
        let area = self
            .chosen(point)
            .map(|(track, at)| track.candidates[at].area);
        let area: Option<f64> = area.sum();
        self.progress.measuring();
        match self
            .meter
            .measure(session, &job.executable(), traits, &job.facts())
        {
            Ok(measured) => Outcome::Measured(Measurement { area, ..measured }),
            Err(failure) => Outcome::Failed(failure),
        }
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
            aoc: Vec::new(),
        }
    }

    fn note(&mut self, trial: Trial) {
        self.progress
            .tried(&self.program.space(), &trial, self.plan.objective);
        self.trials.push(trial);
    }

    /// The best of all trials; the first one, of the program as it is, unless another is faster by more than noise.
    pub fn winner(&self) -> Option<(&Trial, &Measurement)> {
        let measured = self.trials.iter().filter_map(|trial| match &trial.outcome {
            Outcome::Measured(measured) => Some((trial, measured)),
            _ => None,
        });
        let cost = |one: &(&Trial, &Measurement)| self.plan.objective.cost(one.1);
        let first = measured.clone().next()?;
        let best = measured.min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
        match cost(&best) < cost(&first) * (1.0 - GAIN) {
            true => Some(best),
            false => Some(first),
        }
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
