//! What users see while a search goes on: a bar with the best so far, or lines where nobody watches.

use fpgacc_tuning::space::{Space, describe};
use fpgacc_tuning::trial::{Objective, Outcome, Trial};
use indicatif::{ProgressBar, ProgressStyle};

/// See the head of this file.
pub struct Progress {
    bar: ProgressBar,
    quiet: bool,
    /// The least cost yet, and the point's words.
    best: Option<(f64, String)>,
    tried: usize,
}

impl Progress {
    /// Nothing was tried yet.
    pub fn new(quiet: bool) -> Self {
        let bar = match quiet {
            true => ProgressBar::hidden(),
            false => ProgressBar::new_spinner(),
        };
        let style = ProgressStyle::with_template("{spinner} {pos} tried, {msg} [{elapsed}]");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        Progress {
            bar,
            quiet,
            best: None,
            tried: 0,
        }
    }

    /// Points are being built.
    pub fn building(&self, count: usize) {
        if count > 0 {
            self.say(&format!("building {count}"));
        }
    }

    /// A point is being measured.
    pub fn measuring(&self) {
        self.say("measuring");
    }

    /// What is being done.
    pub fn say(&self, what: &str) {
        let best = match &self.best {
            Some((_, describe)) => format!("best: {describe}; {what}"),
            None => what.to_string(),
        };
        self.bar.set_message(best);
        self.bar.tick();
    }

    /// A point was tried.
    pub fn tried(&mut self, space: &Space, trial: &Trial, objective: Objective) {
        self.tried += 1;
        self.bar.set_position(self.tried as u64);
        let point = describe(space, &trial.point);
        let outcome = match &trial.outcome {
            Outcome::Measured(measured) => {
                let own = objective.cost(measured);
                if self.best.as_ref().is_none_or(|(best, _)| own < *best) {
                    self.best = Some((own, point.clone()));
                }
                let seconds = measured.kernel_seconds() * 1e3;
                match measured.speedup() {
                    Some(speedup) => format!("{seconds:10.3} ms {speedup:6.2}x"),
                    None => format!("{seconds:10.3} ms"),
                }
            }
            Outcome::Failed(failure) => {
                format!("failed ({}): {}", failure.step.word(), failure.why)
            }
            Outcome::Same(_) => "the same as another".to_string(),
        };
        let line = format!("{:4} {outcome}  {point}", self.tried);
        match self.bar.is_hidden() {
            true if !self.quiet => eprintln!("{line}"),
            _ => self.bar.println(line),
        }
    }

    /// The search is over.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}
