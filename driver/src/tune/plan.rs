//! What a command line asks of `fpgacc tune`.

use std::path::PathBuf;
use std::time::Duration;

use clap::ArgMatches;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_tuning::compare;
use fpgacc_tuning::trial::Objective;

/// See the head of this file.
#[derive(Clone, Debug)]
pub struct Plan {
    /// `--strategy`
    pub strategy: String,
    /// `--objective`
    pub objective: Objective,
    /// `--budget`: the most points that are tried.
    pub budget: usize,
    /// `--seed`
    pub seed: u64,
    /// `--runs`: of the program, for each point.
    pub runs: usize,
    /// `--run-off`: rounds in which the best points are run by turns with the program as it is.
    pub run_off: usize,
    /// `--run-limit`
    pub run_limit: Duration,
    /// `--build-limit`
    pub build_limit: Duration,
    /// `--jobs`: builds at a time.
    pub jobs: usize,
    /// `--slurm`: builds are jobs of a cluster, with these options of sbatch.
    pub slurm: Option<String>,
    /// `--folder`: where builds and journals are.
    pub folder: PathBuf,
    /// `--space`
    pub space: Option<PathBuf>,
    /// `--show-space`
    pub show_space: bool,
    /// Files that results go to.
    pub results: Results,
    /// Only builds the point in this folder (`--build`).
    pub build: Option<PathBuf>,
}

/// Files that results go to.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// `-o`: facts that builds consume.
    pub facts: Option<PathBuf>,
    /// `--html`
    pub html: Option<PathBuf>,
    /// `--csv`
    pub csv: Option<PathBuf>,
    /// `--json`
    pub json: Option<PathBuf>,
    /// `--t4`
    pub t4: Option<PathBuf>,
    /// `--t1`
    pub t1: Option<PathBuf>,
}

impl Results {
    /// All of them.
    pub fn paths(&self) -> Vec<PathBuf> {
        let all = [
            &self.facts,
            &self.html,
            &self.csv,
            &self.json,
            &self.t4,
            &self.t1,
        ];
        all.into_iter().flatten().cloned().collect()
    }
}

impl Plan {
    /// Reads what clap matched.
    ///
    /// # Errors
    /// A number is none, or 0.
    pub fn from_matches(matches: &ArgMatches) -> Result<Self, Diagnostic> {
        let path = |name: &str| matches.get_one::<String>(name).map(PathBuf::from);
        let word = |name: &str| matches.get_one::<String>(name).cloned();
        let number = |name: &str, otherwise: u64| match word(name) {
            None => Ok(otherwise),
            Some(text) => text
                .parse()
                .ok()
                .filter(|number| *number > 0)
                .ok_or_else(|| {
                    Diagnostic::error(format!("--{name}: '{text}' is no number of at least 1"))
                }),
        };
        let objective = word("objective").and_then(|word| Objective::named(&word));
        Ok(Plan {
            strategy: word("strategy").unwrap_or_else(|| "model".to_string()),
            objective: objective.unwrap_or_default(),
            budget: number("budget", u64::from(u32::MAX))? as usize,
            seed: number("seed", 1)?,
            runs: number("runs", 5)? as usize,
            run_off: run_off(number("run-off", 20)?)?,
            run_limit: Duration::from_secs(number("run-limit", 600)?),
            build_limit: Duration::from_secs(number("build-limit", 48 * 3600)?),
            jobs: number("jobs", 1)? as usize,
            slurm: word("slurm"),
            folder: path("folder").unwrap_or_else(|| PathBuf::from("fpgacc-tune")),
            space: path("space"),
            show_space: matches.get_flag("show-space"),
            results: Results {
                facts: path("output"),
                html: path("html"),
                csv: path("csv"),
                json: path("json"),
                t4: path("t4"),
                t1: path("t1"),
            },
            build: path("build"),
        })
    }
}

/// Rounds of the run-off.
fn run_off(rounds: u64) -> Result<usize, Diagnostic> {
    match compare::proves(rounds as usize) {
        0 => Err(Diagnostic::error(format!(
            "--run-off: {rounds} rounds cannot show that anything is faster"
        ))
        .help("give 7 or more")),
        _ => Ok(rounds as usize),
    }
}
