//! Random hosts: whole OpenCL programs, built by the system's compiler and by fpgacc, which must do
//! the same.

mod compose;
mod counts;
mod helpers;
mod kernels;
mod program;
mod scene;
mod spell;
mod style;
mod texts;
mod trial;

use serde::{Deserialize, Serialize};

use crate::random::Random;
use crate::run::Platform;

pub use counts::Counts;
pub use program::{Program, Recipe};
pub use trial::{Bench, Trial, Verdict, keep};

/// What a campaign does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Chooses the programs.
    pub seed: u64,
    /// Every how manieth program runs on the Intel emulator; 0: none.
    pub intel_every: u64,
    /// The same for PoCL; those that run nowhere else run there.
    pub pocl_every: u64,
}

impl Plan {
    /// The recipe of a program.
    pub fn recipe(&self, index: u64) -> Recipe {
        let seed = self.seed.wrapping_mul(0x0100_0000_01b3) ^ index;
        Recipe::whole(Random::new(seed).bits())
    }

    /// Where a program runs.
    pub fn platforms(&self, index: u64) -> Vec<Platform> {
        let on = |every: u64| every != 0 && index.is_multiple_of(every);
        let mut platforms = Vec::new();
        if on(self.intel_every) {
            platforms.push(Platform::Intel);
        }
        if on(self.pocl_every) || platforms.is_empty() {
            platforms.push(Platform::Pocl);
        }
        platforms
    }
}

/// A program that fails, made small.
#[derive(Debug)]
pub struct Failure {
    /// Where.
    pub platform: Platform,
    /// The program.
    pub program: Program,
    /// What came of it.
    pub trial: Trial,
}

/// What a program of a campaign gave.
#[derive(Debug, Default)]
pub struct Found {
    /// Numbers.
    pub counts: Counts,
    /// What is wrong, what was refused, and originals that do not run.
    pub kept: Vec<Failure>,
}

/// Builds and runs a program of a campaign.
///
/// # Errors
/// The host is not legal C or C++, or it cannot be tried.
pub fn check(bench: &Bench, plan: &Plan, index: u64) -> Result<Found, String> {
    let recipe = plan.recipe(index);
    let mut found = Found::default();
    found.counts.hosts = 1;
    found.counts.scenes = recipe.scenes.len() as u64;
    for platform in plan.platforms(index) {
        one(bench, &recipe, platform, &mut found)?;
    }
    Ok(found)
}

fn one(
    bench: &Bench,
    recipe: &Recipe,
    platform: Platform,
    found: &mut Found,
) -> Result<(), String> {
    let program = recipe.program();
    let trial = bench.trial(&program, platform)?;
    let counts = &mut found.counts;
    match &trial.verdict {
        Verdict::Same => {
            *counts.same.entry(platform).or_default() += 1;
            for warning in &trial.warnings {
                *counts.warnings.entry(warning.clone()).or_default() += 1;
            }
            return Ok(());
        }
        Verdict::Refused(cause) => *counts.refused.entry(cause.clone()).or_default() += 1,
        Verdict::Original(_) => counts.originals += 1,
        Verdict::Different(_) => counts.failures += 1,
    }
    let (program, trial) = reduced(bench, recipe, platform, program, trial)?;
    found.kept.push(Failure {
        platform,
        program,
        trial,
    });
    Ok(())
}

/// Leaves out scenes as long as the verdict is of the same kind.
fn reduced(
    bench: &Bench,
    recipe: &Recipe,
    platform: Platform,
    program: Program,
    trial: Trial,
) -> Result<(Program, Trial), String> {
    let kind = std::mem::discriminant(&trial.verdict);
    let mut best = (recipe.clone(), program, trial);
    for scene in &recipe.scenes {
        let Some(less) = best.0.without(*scene) else {
            continue;
        };
        let program = less.program();
        let trial = bench.trial(&program, platform)?;
        if std::mem::discriminant(&trial.verdict) == kind {
            best = (less, program, trial);
        }
    }
    Ok((best.1, best.2))
}
