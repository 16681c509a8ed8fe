//! How long builds took, to say how long the next one may take. Nothing but what a terminal shows rests on it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Builds of one kind that are remembered.
const KEPT: usize = 5;

/// The times of builds by their kind: the tool, the target and the board.
pub(crate) struct Durations {
    file: PathBuf,
}

impl Durations {
    /// Those that are kept in a folder.
    pub fn of(folder: &Path) -> Self {
        Durations {
            file: folder.join("durations.json"),
        }
    }

    /// How long a build of this kind takes: the middle one of the last. `None`: there was none.
    pub fn estimate(&self, kind: &str) -> Option<Duration> {
        let mut seconds = self.read().remove(kind)?;
        seconds.sort_unstable();
        let middle = *seconds.get(seconds.len() / 2)?;
        Some(Duration::from_secs(middle))
    }

    /// Remembers a build. If it cannot be written, nothing is lost but an estimate.
    pub fn note(&self, kind: &str, took: Duration) {
        let mut all = self.read();
        let own = all.entry(kind.to_string()).or_default();
        own.push(took.as_secs_f64().round() as u64);
        let first = own.len().saturating_sub(KEPT);
        own.drain(..first);
        let Ok(text) = serde_json::to_string(&all) else {
            return;
        };
        // In one piece: builds side by side read it.
        let folder = self.file.parent().unwrap_or(Path::new("."));
        let made = tempfile::Builder::new().prefix(".new-").tempdir_in(folder);
        if let Ok(made) = made {
            let new = made.path().join("durations");
            let _ = fs::write(&new, text).and_then(|()| fs::rename(&new, &self.file));
        }
    }

    /// Seconds of the last builds of each kind; nothing, where the file is none of ours.
    fn read(&self) -> BTreeMap<String, Vec<u64>> {
        let bytes = fs::read(&self.file).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_the_last_builds_is_the_estimate() {
        let folder = tempfile::tempdir().unwrap();
        let durations = Durations::of(folder.path());
        assert_eq!(durations.estimate("aoc"), None);
        for seconds in [9000, 40, 50, 30, 60, 20] {
            durations.note("aoc", Duration::from_secs(seconds));
        }
        durations.note("pocl", Duration::from_millis(1600));
        // The first one is forgotten.
        assert_eq!(durations.estimate("aoc"), Some(Duration::from_secs(40)));
        assert_eq!(durations.estimate("pocl"), Some(Duration::from_secs(2)));
        fs::write(folder.path().join("durations.json"), "{oops").unwrap();
        assert_eq!(durations.estimate("aoc"), None);
        durations.note("aoc", Duration::from_secs(1));
        assert_eq!(durations.estimate("aoc"), Some(Duration::from_secs(1)));
    }
}
