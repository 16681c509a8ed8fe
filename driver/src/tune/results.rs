//! What came out: a summary, the winner as facts, and all trials for people and programs.

use std::path::PathBuf;

use fpgacc_aoc_wrappers::output::Mode as FileMode;
use fpgacc_launch_facts::Facts;
use fpgacc_tuning::results::{self, Account};
use fpgacc_tuning::space::describe;
use fpgacc_tuning::trial::{Measurement, Objective, Outcome};

use super::search::{GAIN, Search};
use crate::session::{Session, Step};

/// Writes all files that were asked for, and the summary.
pub fn write(session: &mut Session, search: &Search<'_>) -> Step<()> {
    let wanted = &search.plan.results;
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    if let (Some(path), Some((trial, _))) = (&wanted.facts, search.winner()) {
        let facts = Facts {
            tuned: vec![search.tuned(&trial.point)],
            ..Facts::default()
        };
        let text = session.check(serde_yaml::to_string(&facts))?;
        files.push((path.clone(), text));
    }
    files.extend(tables(session, search)?);
    let files: Vec<(PathBuf, &[u8], FileMode)> = (files.iter())
        .map(|(path, text)| (path.clone(), text.as_bytes(), FileMode::Plain))
        .collect();
    session.write_all(&files)?;
    session.print(&summary(search))
}

/// All trials, for people and for other programs.
fn tables(session: &mut Session, search: &Search<'_>) -> Step<Vec<(PathBuf, String)>> {
    let wanted = &search.plan.results;
    let space = search.program.space();
    let account = Account {
        device: search.device,
        objective: search.plan.objective,
        space: &space,
        trials: &search.trials,
    };
    let mut files = Vec::new();
    if let Some(path) = &wanted.html {
        files.push((path.clone(), session.check(results::page(&account))?));
    }
    if let Some(path) = &wanted.csv {
        files.push((path.clone(), session.check(results::csv(&account))?));
    }
    if let Some(path) = &wanted.json {
        files.push((path.clone(), session.check(results::json(&account))?));
    }
    if let Some(path) = &wanted.t4 {
        files.push((path.clone(), format!("{:#}\n", results::t4(&account))));
    }
    if let Some(path) = &wanted.t1 {
        let program = results::Program {
            file: &search.program.compiled[0].program.name(),
            kernel: &search.program.tracks[0].kernel,
        };
        files.push((
            path.clone(),
            format!("{:#}\n", results::t1(&space, program)),
        ));
    }
    Ok(files)
}

fn summary(search: &Search<'_>) -> String {
    let points: usize = search
        .program
        .tracks
        .iter()
        .map(|track| track.points.len())
        .sum();
    let measured = search
        .trials
        .iter()
        .filter(|one| matches!(one.outcome, Outcome::Measured(_)))
        .count();
    let kernels = search.program.tracks.len();
    let mut text = format!("{measured} builds measured; {points} variants of {kernels} kernels");
    for (step, count) in search.failures() {
        text += &format!(", {count} failed ({step})");
    }
    if search.program.tracks.iter().any(|track| !track.is_whole()) {
        text += ", of more that there are";
    }
    text.push('\n');
    let Some((trial, best)) = search.winner() else {
        return text;
    };
    let most = match search.plan.objective {
        Objective::Kernels | Objective::Program => "fastest",
        Objective::Area => "smallest",
    };
    let space = search.program.space();
    text += &format!("{most}: {}\n", describe(&space, &trial.point));
    text += &times(best, trial.point == space.first());
    text += &run_off(search);
    text
}

/// What the run-off showed.
fn run_off(search: &Search<'_>) -> String {
    let Some(run_off) = &search.run_off else {
        return String::new();
    };
    let rounds = search.plan.run_off;
    match run_off.winner(GAIN) {
        Some((_, ratio)) => format!(
            "{rounds} runs of each by turns: {ratio:.2} times as fast as the program as it is\n"
        ),
        None => {
            format!("{rounds} runs of each by turns do not show that another is faster by 2 %\n")
        }
    }
}

/// What the best point takes. The original is as fast as itself, whatever other times it was measured.
fn times(best: &Measurement, is_original: bool) -> String {
    let milliseconds = best.kernel_seconds() * 1e3;
    match best.speedup().filter(|_| !is_original) {
        Some(speedup) => {
            format!(
                "kernels take {milliseconds:.3} ms, {speedup:.2} times as fast as the original\n"
            )
        }
        None => format!("kernels take {milliseconds:.3} ms\n"),
    }
}
