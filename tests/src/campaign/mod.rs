//! Campaigns: many generated kernels, rewritten and compared.

mod case;
mod counts;
mod forms;
mod outputs;
mod undefined;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use fpgacc_aoc_wrappers::process::Command;
use serde::{Deserialize, Serialize};

use crate::cause::{Cause, Known};
use crate::generate::{Batch, Focus, batch};
use crate::job::Job;
use crate::judge::{Original, Verdict, first_difference};
use crate::random::Random;
use crate::reduce;
use crate::rewrite::{Knowledge, RewriteError, Rewrites, Rewritten};
use crate::roundtrip::CLANG;
use crate::run::{Output, Platform, run};

pub use case::{Case, rewrite_safely, run_cleanly, run_impatiently};
pub use counts::Counts;
use forms::{coarsened, regrouped, reused, tables};

/// How long a kernel may take that is run again, alone, ..
const PATIENCE: Duration = Duration::from_secs(120);
/// .. and one that may never end.
const IMPATIENCE: Duration = Duration::from_secs(60);

/// What a campaign does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Chooses the kernels.
    pub seed: u64,
    /// Kernels in a program.
    pub batch: usize,
    /// One program in so many also runs on the Intel emulator; 0: none.
    pub intel_every: u64,
    /// The same for PoCL.
    pub pocl_every: u64,
    /// The same for an NVIDIA GPU.
    #[serde(default)]
    pub nvidia_every: u64,
    /// In one program in so many, what C leaves undefined is looked for ([`crate::undefined`]); 0: in none.
    #[serde(default)]
    pub undefined_every: u64,
    /// What kernels have much of. States of older campaigns lack it.
    #[serde(default)]
    pub focus: Focus,
    /// Each program is only coarsened, in two ways.
    #[serde(default)]
    pub coarsened: bool,
}

impl Plan {
    fn runs_on(&self, platform: Platform, index: u64) -> bool {
        let every = match platform {
            Platform::Intel => self.intel_every,
            Platform::Pocl => self.pocl_every,
            Platform::Nvidia => self.nvidia_every,
            Platform::Oclgrind => 1,
        };
        is_turn(every, index)
    }

    /// The ways in which a program is rewritten, each from the original.
    ///
    /// With barriers in focus that is all passes, or one alone: by chance, so that each goes with each
    /// implementation. With loops in focus each program becomes single work-items, in turn with
    /// coalesced loop nests, with loops distributed, with unrolled loops or with their own loops outside, wide NDRanges,
    /// coarsened ones, and ones with other groups or with vectors. With reuse in focus it becomes single work-items,
    /// and NDRanges in each of these ways; with tables in focus, single work-items in two ways.
    pub fn rewrites(&self, index: u64) -> Vec<Rewrites> {
        if self.coarsened {
            return vec![coarsened(index), coarsened(index + 1)];
        }
        match self.focus {
            Focus::Reuse => return reused(index),
            Focus::Tables => return tables(index),
            Focus::Barriers | Focus::Loops => {}
        }
        if self.focus == Focus::Loops {
            let single = match index % 4 {
                0 => Rewrites::Coalesced,
                2 => Rewrites::Distributed,
                1 => Rewrites::Interchanged,
                _ => Rewrites::Unrolled,
            };
            return vec![single, Rewrites::Wide, coarsened(index), regrouped(index)];
        }
        vec![match Random::new(index).below(10) {
            0..=4 => Rewrites::All,
            5 => Rewrites::Interchanged,
            6 => coarsened(index),
            7 => Rewrites::Only("ndrange-to-loop".to_string()),
            8 if index.is_multiple_of(2) => Rewrites::Resized,
            8 => Rewrites::Wide,
            _ => Rewrites::Only("reduction".to_string()),
        }]
    }

    fn seed_of(&self, index: u64) -> u64 {
        Random::new(self.seed.wrapping_mul(0x0100_0000_01b3) ^ index).bits()
    }
}

fn is_turn(every: u64, index: u64) -> bool {
    every != 0 && index.is_multiple_of(every)
}

/// A kernel that is not what a campaign wants: a fault of the generator or of Oclgrind.
#[derive(Clone, Debug, thiserror::Error)]
#[error("program {index}, seed {seed}: {what}")]
pub struct NotLegal {
    /// The program.
    pub index: u64,
    /// Its seed.
    pub seed: u64,
    /// What Oclgrind says.
    pub what: String,
    /// The program's text.
    pub text: String,
}

/// What a program of a campaign gave.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Numbers.
    pub counts: Counts,
    /// Kernels whose rewritten form is wrong, each alone.
    pub failures: Vec<Case>,
    /// Kernels on which implementations disagree, each alone, and why.
    pub disagreements: Vec<(Cause, Case)>,
}

/// A program as it is run.
pub fn program(plan: &Plan, index: u64) -> Job {
    made(plan, index).job
}

fn made(plan: &Plan, index: u64) -> Batch {
    let mut batch = batch(plan.seed_of(index), plan.batch, plan.focus);
    // What compilers do with a kernel differs with their optimisations.
    if Random::new(!index).chance(50) {
        batch.job.options = "-cl-opt-disable".to_string();
    }
    batch
}

/// What a program becomes in each of its forms: how that came about, and its text with all that matters at a
/// launch. What changes the insides of passes only leaves it as it is.
pub fn outputs(plan: &Plan, index: u64) -> Vec<(String, String)> {
    outputs::of(&made(plan, index), plan.rewrites(index))
}

/// A program that is known to be legal, and what it does under Oclgrind.
#[derive(Debug)]
pub struct Prepared {
    index: u64,
    batch: Batch,
    reference: Output,
}

/// Makes a program.
///
/// # Errors
/// It is not legal.
pub fn prepare(plan: &Plan, index: u64) -> Result<Prepared, Box<NotLegal>> {
    let batch = made(plan, index);
    let not_legal = |what: String| {
        Box::new(NotLegal {
            index,
            seed: plan.seed_of(index),
            what,
            text: batch.job.source.clone(),
        })
    };
    let reference = run_cleanly(&batch.job, Platform::Oclgrind).map_err(not_legal)?;
    twins_agree(&batch, &reference).map_err(not_legal)?;
    Ok(Prepared {
        index,
        batch,
        reference,
    })
}

impl Prepared {
    /// Rewrites the program and compares, under Oclgrind and on what the plan says.
    pub fn check(&self, plan: &Plan) -> Found {
        let mut original = Original {
            reference: self.reference.clone(),
            others: Vec::new(),
        };
        let mut check = Check {
            rewrites: Rewrites::All,
            found: Found::default(),
            original: original.clone(),
            disagreeing: BTreeSet::new(),
            alone: BTreeMap::new(),
            batch: &self.batch,
        };
        check.count();
        let forms = check.forms(plan.rewrites(self.index));
        let remarks: Vec<_> = forms.iter().flat_map(|f| f.1.remarks.clone()).collect();
        check.found.counts.remarks(&remarks);
        check.compare_forms(Platform::Oclgrind, &original, &forms);
        for platform in Platform::OTHERS {
            if !forms.is_empty() && plan.runs_on(platform, self.index) {
                let output = run(&self.batch.job, platform).map_err(|error| error.to_string());
                original.others.push((platform, output));
                check.compare_forms(platform, &original, &forms);
            }
        }
        if !forms.is_empty() && is_turn(plan.undefined_every, self.index) {
            check.undefined(&forms);
        }
        check.found
    }
}

/// Makes, rewrites and compares a program.
///
/// # Errors
/// It is not legal.
pub fn check(plan: &Plan, index: u64) -> Result<Found, Box<NotLegal>> {
    Ok(prepare(plan, index)?.check(plan))
}

/// Kernels that differ in their spelling only compute the same.
fn twins_agree(batch: &Batch, output: &Output) -> Result<(), String> {
    for kernel in &batch.kernels {
        let Some(twin) = kernel.twin else { continue };
        let other = &batch.kernels[twin];
        let pairs = kernel.own.iter().zip(&other.own);
        if pairs
            .into_iter()
            .any(|(a, b)| output.buffers[*a] != output.buffers[*b])
        {
            return Err(format!(
                "'{}' and its twin '{}' differ",
                kernel.name, other.name
            ));
        }
    }
    Ok(())
}

struct Check<'b> {
    /// How the form at hand came about.
    rewrites: Rewrites,
    found: Found,
    original: Original,
    /// Kernels whose original is known to disagree; `None`: the whole program.
    disagreeing: BTreeSet<(Platform, Option<usize>)>,
    /// What originals do as programs of their own.
    alone: BTreeMap<(Platform, usize), Result<Output, String>>,
    batch: &'b Batch,
}

impl Check<'_> {
    fn count(&mut self) {
        let kernels = &self.batch.kernels;
        let counts = &mut self.found.counts;
        counts.kernels = kernels.len() as u64;
        counts.with_barriers = kernels.iter().filter(|k| k.barriers > 0).count() as u64;
        counts.twins = kernels.iter().filter(|k| k.twin.is_some()).count() as u64;
    }

    fn knowledge(&self, name: &str) -> Knowledge {
        let found = self.batch.kernels.iter().find(|kernel| kernel.name == name);
        found.map_or(Knowledge::Nothing, |kernel| kernel.knowledge)
    }

    /// The program in all forms in which it can be rewritten.
    fn forms(&mut self, all: Vec<Rewrites>) -> Vec<(Rewrites, Rewritten)> {
        let mut forms = Vec::new();
        for rewrites in all {
            self.rewrites = rewrites.clone();
            forms.extend(self.rewritten().map(|rewritten| (rewrites, rewritten)));
        }
        forms
    }

    fn compare_forms(
        &mut self,
        platform: Platform,
        original: &Original,
        forms: &[(Rewrites, Rewritten)],
    ) {
        for (rewrites, rewritten) in forms {
            self.rewrites = rewrites.clone();
            self.original = original.clone();
            self.compare(platform, rewritten);
        }
    }

    /// The program rewritten; if that fails, the kernels at fault are found.
    fn rewritten(&mut self) -> Option<Rewritten> {
        let made = rewrite_safely(&self.batch.job, |name| self.knowledge(name), &self.rewrites);
        let error = match made {
            Ok(rewritten) => return Some(rewritten),
            Err(error) => error,
        };
        let before = self.found.failures.len();
        for kernel in 0..self.batch.kernels.len() {
            let case = self.case(kernel, Platform::Oclgrind, String::new());
            if let Err(error) = case.rewritten() {
                self.fail(Case {
                    what: error.to_string(),
                    ..case
                });
            }
        }
        if self.found.failures.len() == before {
            let case = self.case(0, Platform::Oclgrind, error.to_string());
            let job = self.batch.job.clone();
            self.fail(Case { job, ..case });
        }
        None
    }

    fn case(&self, kernel: usize, platform: Platform, what: String) -> Case {
        Case {
            what,
            platform,
            knowledge: self.batch.kernels[kernel].knowledge,
            rewrites: self.rewrites.clone(),
            job: self.batch.only(kernel),
        }
    }

    fn fail(&mut self, case: Case) {
        self.found.counts.failures += 1;
        self.found.failures.push(case);
    }

    /// Compares all kernels; if the program does not run as a whole, each alone.
    fn compare(&mut self, platform: Platform, rewritten: &Rewritten) {
        let after = run_cleanly(&rewritten.job, platform);
        let others = &self.original.others;
        let original_runs = others.iter().all(|(p, o)| *p != platform || o.is_ok());
        if !original_runs {
            self.program_fails(platform);
        }
        if after.is_err() && original_runs {
            return self.compare_each(platform, &rewritten.job);
        }
        for kernel in 0..self.batch.kernels.len() {
            let mut alone = None;
            if !original_runs {
                self.run_original_alone(platform, kernel);
                alone = after
                    .is_err()
                    .then(|| self.rewritten_alone(platform, kernel));
            }
            let own = &self.batch.kernels[kernel].own;
            let after = alone.as_ref().unwrap_or(&after);
            let verdict = self.original.judge(platform, after, own);
            self.take(platform, kernel, verdict);
        }
    }

    /// What a kernel, rewritten as a program of its own, does.
    fn rewritten_alone(&self, platform: Platform, kernel: usize) -> Result<Output, String> {
        let alone = self.case(kernel, platform, String::new()).rewritten();
        let alone = alone.map_err(|error| error.to_string())?;
        run_cleanly(&alone.job, platform)
    }

    /// Notes why an original program does not run as a whole.
    fn program_fails(&mut self, platform: Platform) {
        if !self.disagreeing.insert((platform, None)) {
            return;
        }
        let kernels = self.batch.kernels.iter();
        let buffers: Vec<usize> = kernels.flat_map(|kernel| kernel.own.clone()).collect();
        let known = Known {
            job: &self.batch.job,
            reference: &self.original.reference,
            buffers: &buffers,
        };
        let cause = known.cause(platform, PATIENCE);
        let cause = cause.unwrap_or(Cause::NotAlways);
        self.found.counts.cause(platform, "whole program", cause);
        let case = self.case(0, platform, format!("the whole program: {cause}"));
        let job = self.batch.job.clone();
        self.found.disagreements.push((cause, Case { job, ..case }));
    }

    /// What a kernel does where its program does not run.
    fn run_original_alone(&mut self, platform: Platform, kernel: usize) {
        let known = self.alone.entry((platform, kernel));
        let output = known.or_insert_with(|| {
            run(&self.batch.only(kernel), platform).map_err(|error| error.to_string())
        });
        self.original.others.retain(|(p, _)| *p != platform);
        self.original.others.push((platform, output.clone()));
    }

    /// Runs each rewritten kernel as a program of its own, until one is found at fault.
    fn compare_each(&mut self, platform: Platform, whole: &Job) {
        let failures = self.found.failures.len();
        let disagreements = self.found.disagreements.len();
        for kernel in 0..self.batch.kernels.len() {
            let after = self.rewritten_alone(platform, kernel);
            let own = &self.batch.kernels[kernel].own;
            let verdict = self.original.judge(platform, &after, own);
            self.take(platform, kernel, verdict);
            if self.found.failures.len() > failures {
                return;
            }
        }
        if self.found.disagreements.len() == disagreements {
            self.only_together(platform, whole);
        }
    }

    /// Notes why a rewritten program does not run as a whole, though each of its kernels alone does.
    fn only_together(&mut self, platform: Platform, whole: &Job) {
        let kernels = self.batch.kernels.iter();
        let buffers: Vec<usize> = kernels.flat_map(|kernel| kernel.own.clone()).collect();
        let known = Known {
            job: whole,
            reference: &self.original.reference,
            buffers: &buffers,
        };
        let cause = known.cause(platform, PATIENCE);
        let cause = cause.unwrap_or(Cause::NotAlways);
        let case = self.case(
            0,
            platform,
            format!("the whole program, rewritten: {cause}"),
        );
        let job = self.batch.job.clone();
        let case = Case { job, ..case };
        if !cause.is_a_part() {
            return self.fail(case);
        }
        let counts = &mut self.found.counts;
        counts.cause(platform, "rewritten, whole program", cause);
        self.found.disagreements.push((cause, case));
    }

    fn take(&mut self, platform: Platform, kernel: usize, verdict: Verdict) {
        let counts = &mut self.found.counts;
        *counts.compared.entry(platform).or_default() += 1;
        match verdict {
            Verdict::Same => {}
            Verdict::Wrong(what) => {
                let case = self.case(kernel, platform, what);
                let Some(cause) = self.fault_of_platform(platform, kernel, &case) else {
                    return self.fail(case);
                };
                let counts = &mut self.found.counts;
                counts.cause(platform, "rewritten", cause);
                self.disagree(case, cause);
            }
            Verdict::OriginalDisagrees(what) => {
                let case = self.case(kernel, platform, what);
                self.original_disagrees(kernel, case);
            }
            Verdict::BothDisagree(what) => {
                *counts.no_witness.entry(platform).or_default() += 1;
                let case = self.case(kernel, platform, what);
                let cause = self.cause_of_rewritten(platform, kernel, &case);
                if let Some(cause) = cause {
                    self.found.counts.cause(platform, "rewritten", cause);
                }
                self.original_disagrees(kernel, case);
            }
        }
    }

    fn original_disagrees(&mut self, kernel: usize, case: Case) {
        if !self.disagreeing.insert((case.platform, Some(kernel))) {
            return;
        }
        let counts = &mut self.found.counts;
        *counts.disagreements.entry(case.platform).or_default() += 1;
        let known = Known {
            job: &case.job,
            reference: &self.original.reference,
            buffers: &self.batch.kernels[kernel].own,
        };
        let cause = known.cause(case.platform, PATIENCE);
        let cause = cause.unwrap_or(Cause::OnlyTogether);
        counts.cause(case.platform, "original", cause);
        self.disagree(case, cause);
    }

    fn disagree(&mut self, case: Case, cause: Cause) {
        let what = format!("{cause}: {}", case.what);
        self.found
            .disagreements
            .push((cause, Case { what, ..case }));
    }

    /// Why a rewritten kernel is wrong as a program of its own.
    fn cause_of_rewritten(&self, platform: Platform, kernel: usize, case: &Case) -> Option<Cause> {
        let rewritten = case.rewritten().ok()?;
        let known = Known {
            job: &rewritten.job,
            reference: &self.original.reference,
            buffers: &self.batch.kernels[kernel].own,
        };
        known.cause(platform, PATIENCE)
    }

    /// The part of an implementation that alone gets a rewritten kernel wrong, its optimiser or its loops
    /// over work-items: without it, the kernel is right there, right elsewhere with and without
    /// optimisations, and Oclgrind complains of nothing, values that nobody has set included.
    fn fault_of_platform(&self, platform: Platform, kernel: usize, case: &Case) -> Option<Cause> {
        if platform == Platform::Oclgrind {
            return None;
        }
        let rewritten = case.rewritten().ok()?;
        let known = Known {
            job: &rewritten.job,
            reference: &self.original.reference,
            buffers: &self.batch.kernels[kernel].own,
        };
        if !known.is_clean(PATIENCE) {
            return None;
        }
        let cause = match known.cause(platform, PATIENCE)? {
            Cause::WorkItemLoops => Cause::WorkItemLoops,
            _ if known.is_right_unoptimised(platform, PATIENCE) => Cause::Optimiser,
            _ => return None,
        };
        let mut others = Platform::EMULATORS.into_iter();
        let all_right =
            others.all(|other| other == platform || known.is_right_either_way(other, PATIENCE));
        all_right.then_some(cause)
    }
}

/// The smallest case found that fails as this one does, in at most `tries` attempts.
pub fn reduced(case: &Case, tries: usize) -> Case {
    let kind = case.rewritten().err().map(|error| kind(&error));
    let fails = |job: &Job| {
        let candidate = Case {
            job: job.clone(),
            ..case.clone()
        };
        still_fails(&candidate, kind.as_deref())
    };
    let job = reduce::reduce(&case.job, tries, fails);
    Case {
        job,
        ..case.clone()
    }
}

/// The smallest case found on which an implementation disagrees with Oclgrind on the original for the
/// same cause; `None`: it agrees.
pub fn reduced_disagreement(case: &Case, tries: usize) -> Option<Case> {
    let buffers: Vec<usize> = (0..case.job.buffers.len()).collect();
    let reference = run_impatiently(&case.job, Platform::Oclgrind).ok()?;
    let known = Known {
        job: &case.job,
        reference: &reference,
        buffers: &buffers,
    };
    let expected = known.cause(case.platform, IMPATIENCE)?;
    let job = reduce::reduce(&case.job, tries, |job| {
        let Ok(reference) = run_impatiently(job, Platform::Oclgrind) else {
            return false;
        };
        let known = Known {
            job,
            reference: &reference,
            buffers: &buffers,
        };
        is_well_defined(job) && known.is_wrong_for(expected, case.platform, IMPATIENCE)
    });
    Some(Case {
        what: format!("{expected}: {}", case.what),
        job,
        ..case.clone()
    })
}

/// What an error is, without what may change while it is made small.
fn kind(error: &RewriteError) -> String {
    match error {
        RewriteError::Text(_) => "text".to_string(),
        RewriteError::Invalid(text) => text.chars().take(24).collect(),
        RewriteError::Contract { .. } => "contract".to_string(),
    }
}

fn still_fails(case: &Case, expected: Option<&str>) -> bool {
    let rewritten = match (case.rewritten(), expected) {
        (Err(error), Some(expected)) if kind(&error) == expected => None,
        (Ok(rewritten), None) => Some(rewritten),
        _ => return false,
    };
    if !is_well_defined(&case.job) {
        return false;
    }
    let Ok(reference) = run_impatiently(&case.job, Platform::Oclgrind) else {
        return false;
    };
    let Some(rewritten) = rewritten else {
        return true;
    };
    let buffers: Vec<usize> = (0..case.job.buffers.len()).collect();
    let wrong = |platform| match run_impatiently(&rewritten.job, platform) {
        Err(_) => true,
        Ok(after) => first_difference(&reference, &after, &buffers).is_some(),
    };
    if case.platform == Platform::Oclgrind {
        return wrong(Platform::Oclgrind);
    }
    let original = run_impatiently(&case.job, case.platform);
    let agrees = original.is_ok_and(|o| first_difference(&reference, &o, &buffers).is_none());
    agrees && wrong(case.platform)
}

/// Whether clang sees nothing that has no meaning: Oclgrind would run it.
fn is_well_defined(job: &Job) -> bool {
    const WARNINGS: [&str; 5] = [
        "-Werror=return-type",
        "-Werror=uninitialized",
        "-Werror=sometimes-uninitialized",
        "-Werror=division-by-zero",
        "-Werror=infinite-recursion",
    ];
    let Ok(folder) = tempfile::tempdir() else {
        return false;
    };
    let file = folder.path().join("k.cl");
    if std::fs::write(&file, &job.source).is_err() {
        return false;
    }
    let command = Command::new(CLANG)
        .args(["-x", "cl", "-cl-std=CL1.2", "-fsyntax-only"])
        .args([
            "-Xclang",
            "-finclude-default-header",
            "-Xclang",
            "-fdeclare-opencl-builtins",
        ])
        .args(WARNINGS)
        .arg(&file);
    command
        .capture()
        .is_ok_and(|captured| captured.status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Campaigns of versions without a focus go on as they began.
    #[test]
    fn a_plan_without_focus_is_one_of_barriers() {
        let text = "seed: 848484\nbatch: 50\nintel_every: 10\npocl_every: 20\n";
        let plan: Plan = serde_yaml::from_str(text).expect("a plan");
        assert_eq!(plan.focus, Focus::Barriers);
        let forms: BTreeSet<_> = (0..1000).map(|index| plan.rewrites(index)).collect();
        assert!(forms.iter().all(|forms| forms.len() == 1));
        // Two are loops over groups, and one has other local sizes.
        assert_eq!(forms.len(), 8 + forms::COARSENINGS.len());
    }

    /// Windows, tiles, vectors and rounds each want another form.
    #[test]
    fn with_reuse_in_focus_every_program_takes_all_forms() {
        let plan = Plan {
            seed: 1,
            batch: 1,
            intel_every: 0,
            pocl_every: 0,
            nvidia_every: 0,
            undefined_every: 0,
            focus: Focus::Reuse,
            coarsened: false,
        };
        let forms: BTreeSet<_> = (0..24).flat_map(|index| plan.rewrites(index)).collect();
        assert!((0..24).all(|index| plan.rewrites(index).len() == 7));
        let single = [Rewrites::All, Rewrites::Interchanged, Rewrites::Coalesced];
        assert!(single.iter().all(|form| forms.contains(form)));
        assert!(
            [1, 2, 4]
                .iter()
                .all(|lanes| forms.contains(&Rewrites::Ungrouped(*lanes)))
        );
    }

    /// Each kernel must be a single work-item in one form and an NDRange in another, or half of the
    /// passes see none.
    #[test]
    fn with_loops_in_focus_every_program_takes_both_forms() {
        let plan = Plan {
            seed: 1,
            batch: 1,
            intel_every: 0,
            pocl_every: 0,
            nvidia_every: 0,
            undefined_every: 0,
            focus: Focus::Loops,
            coarsened: false,
        };
        let forms =
            |index, single| vec![single, Rewrites::Wide, coarsened(index), regrouped(index)];
        assert_eq!(plan.rewrites(6), forms(6, Rewrites::Distributed));
        assert_eq!(plan.rewrites(8), forms(8, Rewrites::Coalesced));
        assert_eq!(plan.rewrites(7), forms(7, Rewrites::Unrolled));
        assert_eq!(plan.rewrites(9), forms(9, Rewrites::Interchanged));
    }
}
