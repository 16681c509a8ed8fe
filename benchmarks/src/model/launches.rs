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
    /// Variants, by name or by family and name, whose kernel files are not what was measured, and why.
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
    /// What differs in designs whose kernels channels connect: all of the file run, at the same time.
    #[serde(default)]
    pub with_channels: Option<Box<Application>>,
    /// Of those, the kernels that have ended before the others begin, one after another.
    #[serde(default)]
    pub before: Vec<String>,
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

    /// The launches of designs whose kernels channels connect.
    pub fn connected(&self) -> Application {
        let own = self.with_channels.as_deref().cloned().unwrap_or_default();
        let all = self.changed(&own);
        Application {
            before: own.before,
            kernels: own.kernels,
            left_out: own.left_out,
            migrated_bytes: own.migrated_bytes,
            notes: own.notes,
            ..all
        }
    }

    /// Why a variant of a family is left out.
    pub fn why_left_out(&self, family: &str, variant: &str) -> Option<&String> {
        let whole = format!("{family} {variant}");
        self.left_out.get(variant).or(self.left_out.get(&whole))
    }

    /// What is said of a kernel, by its name or by what that begins with, before a `*`.
    pub fn said_of(&self, kernel: &str) -> Option<&Application> {
        let begins = |name: &str| {
            name.strip_suffix('*')
                .is_some_and(|start| kernel.starts_with(start))
        };
        let named = self.kernels.iter().find(|(name, _)| begins(name));
        self.kernels.get(kernel).or(named.map(|(_, own)| own))
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
        if !changes.branches.is_empty() {
            all.branches.clone_from(&changes.branches);
        }
        all.kernels.extend(changes.kernels.clone());
        all.args.extend(changes.args.clone());
        all.bytes.extend(changes.bytes.clone());
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn designs_with_channels_are_launched_by_what_is_said_of_them() {
        let text = "{global: [8], local: [4], migrated_bytes: 9, kernels: {one: {}}, with_channels: \
                    {local: [1], left_out: {SWI+Channel x: why}, kernels: {one*: {global: [2]}}, \
                    notes: {split: {kernels: {one_2: {global: [3]}}}}}}";
        let plain: Application = serde_yaml::from_str(text).unwrap();
        let connected = plain.connected();
        assert_eq!(
            (plain.local.as_slice(), connected.local.as_slice()),
            (&[4][..], &[1][..])
        );
        assert_eq!(
            (connected.global.as_slice(), connected.migrated_bytes),
            (&[8][..], 0.0)
        );
        assert_eq!(connected.why_left_out("SWI+Channel", "x").unwrap(), "why");
        assert_eq!(connected.why_left_out("NDRange+Channel", "x"), None);
        let global =
            |of: &Application, name: &str| of.said_of(name).map(|own| of.of_kernel(own).global);
        assert_eq!(global(&connected, "one_2"), Some(vec![2]));
        assert_eq!(global(&connected, "two"), None);
        let split = connected.noted("split", "");
        assert_eq!(global(&split, "one_2"), Some(vec![3]));
        assert_eq!(global(&split, "one_1"), Some(vec![2]));
    }
}
