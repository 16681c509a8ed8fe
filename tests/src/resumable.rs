//! Campaigns that go on where they stopped, with several items at a time.

use std::collections::BTreeMap;
use std::fmt::{Debug, Display};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The file of a state folder that holds a [`State`].
const FILE: &str = "state.yaml";

/// Items that each processor gets before the state is saved.
const BETWEEN_SAVES: u64 = 4;

/// Why a campaign stops: an exit code and a message.
pub type Stop = (u8, String);

/// The exit code of a campaign; prints why it stopped.
pub fn exit_code<C: Tally>(program: &str, end: Result<C, Stop>) -> ExitCode {
    match end {
        Ok(counts) if counts.failures() == 0 => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err((code, message)) => {
            eprintln!("{program}: {message}");
            ExitCode::from(code)
        }
    }
}

/// Adds counts to others.
pub fn merge<K: Ord + Clone>(into: &mut BTreeMap<K, u64>, from: &BTreeMap<K, u64>) {
    for (key, count) in from {
        *into.entry(key.clone()).or_default() += count;
    }
}

/// What a campaign counts.
pub trait Tally: Default + Display + Serialize + DeserializeOwned {
    /// What its items are called.
    const ITEMS: &'static str;

    /// Items that are done.
    fn items(&self) -> u64;

    /// Those that failed.
    fn failures(&self) -> u64;
}

/// How far a campaign goes.
#[derive(Clone, Copy, Debug)]
pub struct Extent<'a> {
    /// Where its state is kept.
    pub folder: &'a Path,
    /// Items in all.
    pub items: u64,
    /// Failures after which it stops.
    pub failures: u64,
    /// Items at a time; 0: as many as there are processors.
    pub threads: usize,
}

/// What is kept between runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State<P, C> {
    /// What the campaign does.
    pub plan: P,
    /// The first item that is not done.
    pub next: u64,
    /// How long it took so far.
    pub seconds: f64,
    /// What it has seen.
    pub counts: C,
}

impl<P, C> State<P, C>
where
    P: Clone + PartialEq + Debug + Serialize + DeserializeOwned,
    C: Tally,
{
    /// Goes on where a campaign stopped, to its end: checks items, hands what each gave to `take` in their order, and
    /// prints what was counted.
    ///
    /// # Errors
    /// Those of `take` and of the folder.
    pub fn run<T: Send>(
        plan: &P,
        extent: &Extent<'_>,
        check: impl Fn(u64) -> T + Sync,
        mut take: impl FnMut(u64, T, &mut C) -> Result<(), Stop>,
    ) -> Result<Self, Stop> {
        let mut state = Self::resumed(extent.folder, plan).map_err(|e| (2, e))?;
        while state.counts.items() < extent.items && state.counts.failures() < extent.failures {
            state.advance(extent.threads, &check, &mut take)?;
            state.save(extent.folder).map_err(|e| (2, e))?;
            let (items, failures) = (state.counts.items(), state.counts.failures());
            eprint!("\r{items} {}, {failures} failures", C::ITEMS);
        }
        eprintln!();
        println!("{}", state.counts);
        Ok(state)
    }

    /// The state in a folder, or the beginning of a campaign.
    ///
    /// # Errors
    /// The folder holds the state of a campaign with another plan, or something else.
    fn resumed(folder: &Path, plan: &P) -> Result<Self, String> {
        let file = folder.join(FILE);
        let Ok(text) = std::fs::read_to_string(&file) else {
            return Ok(State {
                plan: plan.clone(),
                next: 0,
                seconds: 0.0,
                counts: C::default(),
            });
        };
        let wrong = |what: String| format!("{}: {what}", file.display());
        let state: Self = serde_yaml::from_str(&text).map_err(|e| wrong(e.to_string()))?;
        match state.plan == *plan {
            true => Ok(state),
            false => Err(wrong(format!(
                "this is a campaign with other options ({:?}): give it another --state",
                state.plan
            ))),
        }
    }

    /// Checks the next items, `threads` at a time (0: as many as there are processors), hands what each gave to `take`
    /// in their order.
    ///
    /// # Errors
    /// Those of `take`.
    fn advance<T: Send, E>(
        &mut self,
        threads: usize,
        check: impl Fn(u64) -> T + Sync,
        mut take: impl FnMut(u64, T, &mut C) -> Result<(), E>,
    ) -> Result<(), E> {
        let start = Instant::now();
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            count => count,
        };
        let end = self.next + threads as u64 * BETWEEN_SAVES;
        for (index, checked) in side_by_side(self.next..end, threads, check) {
            take(index, checked, &mut self.counts)?;
            self.next = index + 1;
        }
        self.seconds += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Keeps the state in its folder.
    ///
    /// # Errors
    /// It cannot be written.
    fn save(&self, folder: &Path) -> Result<(), String> {
        let file = folder.join(FILE);
        let new = file.with_extension("new");
        let wrong = |what: &dyn std::fmt::Display| format!("{}: {what}", new.display());
        let text = serde_yaml::to_string(self).map_err(|e| wrong(&e))?;
        std::fs::write(&new, text).map_err(|e| wrong(&e))?;
        std::fs::rename(&new, &file).map_err(|e| wrong(&e))
    }
}

/// Whoever is done takes the next.
fn side_by_side<T: Send>(
    items: std::ops::Range<u64>,
    threads: usize,
    check: impl Fn(u64) -> T + Sync,
) -> Vec<(u64, T)> {
    let next = AtomicU64::new(items.start);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= items.end {
                return done;
            }
            done.push((index, check(index)));
        }
    };
    let mut all: Vec<(u64, T)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let joined = workers.into_iter().map(|worker| {
            worker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        joined.flatten().collect()
    });
    all.sort_by_key(|(index, _)| *index);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Plan(u64);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Squares(u64);

    impl Display for Squares {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "{} squares", self.0)
        }
    }

    impl Tally for Squares {
        const ITEMS: &'static str = "squares";

        fn items(&self) -> u64 {
            self.0
        }

        fn failures(&self) -> u64 {
            0
        }
    }

    #[test]
    fn a_campaign_goes_on_where_it_stopped_and_keeps_to_its_plan() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut seen = Vec::new();
        for items in [1, 13] {
            let extent = Extent {
                folder: folder.path(),
                items,
                failures: 1,
                threads: 3,
            };
            let take = |index: u64, square: u64, sum: &mut Squares| {
                assert_eq!(square, index * index);
                seen.push(index);
                sum.0 += 1;
                Ok(())
            };
            State::run(&Plan(7), &extent, |index| index * index, take).expect("nothing goes wrong");
        }
        assert_eq!(seen, (0..24).collect::<Vec<_>>());
        let state = State::<Plan, Squares>::resumed(folder.path(), &Plan(7)).expect("a state");
        assert_eq!((state.next, state.counts), (24, Squares(24)));
        assert!(State::<Plan, Squares>::resumed(folder.path(), &Plan(8)).is_err());
    }
}
