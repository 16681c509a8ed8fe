//! How the measured applications launch their kernels.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::error::ModelError;

/// All launches.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launches {
    /// The board that was measured on.
    pub board: String,
    /// Sums may be reassociated.
    pub fp_relaxed: bool,
    /// Iterations that loops speculate.
    pub speculated: f64,
    /// By application.
    pub applications: Vec<Application>,
}

/// An application's launches.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Application {
    /// Its name in the table.
    #[serde(default)]
    pub name: String,
    /// Launches in the measured time.
    #[serde(default)]
    pub repeat: Option<f64>,
    /// Global size.
    #[serde(default)]
    pub global: Vec<u64>,
    /// Local size.
    #[serde(default)]
    pub local: Vec<u64>,
    /// Integer arguments by the parameter's name.
    #[serde(default)]
    pub args: BTreeMap<String, u64>,
    /// Bytes of small buffers by the parameter's name.
    #[serde(default)]
    pub bytes: BTreeMap<String, u64>,
    /// Average trip counts.
    #[serde(default)]
    pub trips: Vec<Trips>,
    /// How often branches are taken.
    #[serde(default)]
    pub branches: Vec<Branch>,
    /// Variants whose kernel files are not what was measured, and why.
    #[serde(default)]
    pub left_out: BTreeMap<String, String>,
    /// Bytes that move between host and board at each launch.
    #[serde(default)]
    pub migrated_bytes: f64,
    /// Kernels of one program that are launched in order, by name, where it is not only the first one of the file: what is
    /// left out of one holds for all.
    #[serde(default)]
    pub kernels: BTreeMap<String, Application>,
    /// What differs where the table has this note, or for the variant of this name.
    #[serde(default)]
    pub notes: BTreeMap<String, Application>,
}

/// How often a loop runs on average.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trips {
    /// The text of its condition.
    pub cond: String,
    /// The function that it is in, where others have loops of the same text.
    #[serde(default)]
    pub function: Option<String>,
    /// How often.
    pub trips: f64,
    /// How often for the work-item that has the most to do, where that is more.
    #[serde(default)]
    pub most: Option<f64>,
}

/// The part of the times that a branch is taken.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Branch {
    /// The text of its condition.
    pub cond: String,
    /// From 0 to 1.
    pub taken: f64,
}

const TEXT: &str = include_str!("../../model/launches.yaml");

/// Reads launches; of `None`, those of this source tree.
pub fn read(path: Option<&Path>) -> Result<Launches, ModelError> {
    let Some(path) = path else {
        return serde_yaml::from_str(TEXT)
            .map_err(|e| ModelError::Launches("launches.yaml".to_string(), e));
    };
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|e| ModelError::File(name.clone(), e))?;
    serde_yaml::from_str(&text).map_err(|e| ModelError::Launches(name, e))
}

impl Application {
    /// With what a note, or else the variant's name, changes.
    pub fn noted(&self, note: &str, variant: &str) -> Application {
        match self.notes.get(note).or_else(|| self.notes.get(variant)) {
            Some(changes) => self.changed(changes),
            None => self.clone(),
        }
    }

    /// The launches of one of its kernels.
    pub fn of_kernel(&self, kernel: &Application) -> Application {
        self.changed(kernel)
    }

    /// With what is said elsewhere in the place of what is said here.
    fn changed(&self, changes: &Application) -> Application {
        let mut all = self.clone();
        all.repeat = changes.repeat.or(all.repeat);
        let lists = [
            (&mut all.global, &changes.global),
            (&mut all.local, &changes.local),
        ];
        for (here, there) in lists.into_iter().filter(|(_, there)| !there.is_empty()) {
            here.clone_from(there);
        }
        if !changes.trips.is_empty() {
            all.trips.clone_from(&changes.trips);
        }
        all.args.extend(changes.args.clone());
        all.bytes.extend(changes.bytes.clone());
        all
    }
}
