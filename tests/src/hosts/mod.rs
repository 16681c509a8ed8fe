//! Random hosts: whole OpenCL programs, built by the system's compiler and by fpgacc, which must do
//! the same.

mod compose;
mod counts;
mod helpers;
mod kernels;
mod parts;
mod program;
mod scene;
mod spell;
mod story;
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
    /// One program in so many runs on the Intel emulator; 0: none.
    pub intel_every: u64,
    /// The same for PoCL; those that run nowhere else run there.
    pub pocl_every: u64,
    /// One original in so many runs on the Intel emulator in any case; the others only if fpgacc's
    /// program there does not do what the original does on PoCL. 0: none.
    pub originals_every: u64,
}

impl Plan {
    /// The recipe of a program.
    pub fn recipe(&self, index: u64) -> Recipe {
        let seed = self.seed.wrapping_mul(0x0100_0000_01b3) ^ index;
        Recipe::whole(Random::new(seed).bits())
    }

    /// Where a program runs.
    pub fn platforms(&self, index: u64) -> Vec<Platform> {
        let mut platforms = Vec::new();
        if is_one(index, self.pocl_every) || !is_one(index, self.intel_every) {
            platforms.push(Platform::Pocl);
        }
        if is_one(index, self.intel_every) {
            platforms.push(Platform::Intel);
        }
        platforms
    }

    /// Where an original may have run that a program on an implementation is compared with first.
    fn others(&self, index: u64, platform: Platform) -> &'static [Platform] {
        let is_own = platform == Platform::Pocl || is_one(index, self.originals_every);
        match is_own {
            true => &[],
            false => &[Platform::Pocl],
        }
    }
}

fn is_one(index: u64, every: u64) -> bool {
    every != 0 && index.is_multiple_of(every)
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
    let program = recipe.program();
    let mut stage = bench.stage(&program)?;
    for platform in plan.platforms(index) {
        let trial = stage.trial(platform, plan.others(index, platform))?;
        found.counts.count(platform, &trial);
        if trial.verdict == Verdict::Same {
            continue;
        }
        let whole = (program.clone(), trial);
        for (program, trial) in alone(bench, &recipe, platform, whole, &mut found.counts)? {
            found.kept.push(Failure {
                platform,
                program,
                trial,
            });
        }
    }
    Ok(found)
}

/// A program that does not do the same: those of its scenes that do not either, each as a program of its own, or
/// else all of it. So what one scene meets does not hide the others.
fn alone(
    bench: &Bench,
    recipe: &Recipe,
    platform: Platform,
    whole: (Program, Trial),
    counts: &mut Counts,
) -> Result<Vec<(Program, Trial)>, String> {
    let kind = std::mem::discriminant(&whole.1.verdict);
    let mut kept = Vec::new();
    for part in recipe.alone() {
        let program = part.program();
        let trial = bench.stage(&program)?.trial(platform, &[])?;
        match &trial.verdict {
            Verdict::Same => *counts.alone.entry(platform).or_default() += 1,
            Verdict::Different(_) if kind != std::mem::discriminant(&trial.verdict) => {
                counts.failures += 1;
            }
            _ => {}
        }
        if trial.verdict != Verdict::Same {
            kept.push((program, trial));
        }
    }
    let is_there = |(_, trial): &(Program, Trial)| std::mem::discriminant(&trial.verdict) == kind;
    if !kept.iter().any(is_there) {
        kept.push(whole);
    }
    Ok(kept)
}
