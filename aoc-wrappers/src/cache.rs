//! Finished builds by the digest of what they were made of, in the user's cache folder.
//!
//! An entry is a folder that appears by a rename, so that it is whole for everyone; its output's
//! own digest is checked at each use.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::emulator::cache_folder;
use crate::inputs::hex;

/// What the cache may hold unless `$FPGACC_CACHE_SIZE` says otherwise: 10 GiB, some hundred
/// bitstreams.
const DEFAULT_SIZE: u64 = 10 << 30;

/// Half-made entries older than this belong to processes that died.
const STALE: Duration = Duration::from_secs(24 * 3600);

/// A line for the bytes of each entry that was added since the folder was last looked through, below
/// one for all before. An estimate: what others do meanwhile may be missing.
const SIZES: &str = "sizes";

/// After so many lines the folder is looked through in any case.
const MOST_SIZES: usize = 1000;

/// The cache of builds.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
    max_bytes: u64,
}

/// What is known of an entry beside its files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Facts {
    /// The tool's messages.
    pub log: String,
    /// Names of the kernels, where the tool reported them.
    pub kernels: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Meta {
    sha256: String,
    facts: Facts,
}

/// An entry found.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The tool's output, checked.
    pub output: Vec<u8>,
    /// Its reports, if it made any.
    pub reports: Option<PathBuf>,
    /// The rest.
    pub facts: Facts,
}

/// What [`Cache::prune`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pruned {
    /// Entries removed.
    pub removed: usize,
    /// Entries that stay.
    pub kept: usize,
    /// Bytes that they take.
    pub bytes: u64,
}

/// The right to make an entry; others who want the same wait.
pub(crate) struct Lock {
    path: PathBuf,
    _file: Option<File>,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Those who wait for the removed file look for the entry first when they wake.
        let _ = fs::remove_file(&self.path);
    }
}

impl Cache {
    /// The user's cache: `$FPGACC_CACHE` if it names a folder, else `builds` in fpgacc's folder.
    /// `None` if `$FPGACC_CACHE` is `off` or `0`, or there is no home.
    pub fn open() -> Option<Self> {
        let root = match std::env::var_os("FPGACC_CACHE") {
            Some(value) if value == "off" || value == "0" => return None,
            Some(value) if !value.is_empty() => PathBuf::from(value),
            _ => cache_folder()?.join("builds"),
        };
        let max_bytes = std::env::var("FPGACC_CACHE_SIZE")
            .ok()
            .and_then(|text| parse_size(&text))
            .unwrap_or(DEFAULT_SIZE);
        Some(Cache { root, max_bytes })
    }

    /// A cache in a folder, of at most `max_bytes`.
    pub fn at(root: impl Into<PathBuf>, max_bytes: u64) -> Self {
        Cache {
            root: root.into(),
            max_bytes,
        }
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Waits until nobody else makes this entry. Where locks do not work, two may make it: the
    /// first one stays.
    pub(crate) fn lock(&self, key: &str, waiting: impl FnOnce()) -> Option<Lock> {
        fs::create_dir_all(&self.root).ok()?;
        let path = self.root.join(format!("{key}.lock"));
        let file = File::create(&path).ok()?;
        if matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)) {
            waiting();
            let _ = file.lock();
        }
        Some(Lock {
            path,
            _file: Some(file),
        })
    }

    /// The entry of this key, if it is whole. One that is damaged is removed.
    pub(crate) fn find(&self, key: &str) -> Option<Entry> {
        let folder = self.root.join(key);
        let meta = fs::read(folder.join("meta.json")).ok()?;
        let entry = read_entry(&folder, &meta);
        if entry.is_none() {
            self.remove(&folder);
        }
        // The time of last use, for `prune`.
        if let Ok(file) = File::options().append(true).open(folder.join("meta.json")) {
            let _ = file.set_modified(SystemTime::now());
        }
        entry
    }

    /// Adds an entry. If it cannot be stored, the build was still good: the error is for a note.
    pub(crate) fn store(
        &self,
        key: &str,
        output: &[u8],
        reports: Option<&Path>,
        facts: Facts,
    ) -> io::Result<()> {
        fs::create_dir_all(&self.root)?;
        let made = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(&self.root)?;
        let folder = made.path().join("entry");
        fs::create_dir(&folder)?;
        fs::write(folder.join("output"), output)?;
        if let Some(reports) = reports {
            copy_folder(reports, &folder.join("reports"))?;
        }
        let meta = Meta {
            sha256: hex(&Sha256::digest(output)),
            facts,
        };
        fs::write(folder.join("meta.json"), serde_json::to_vec(&meta)?)?;
        let bytes = folder_bytes(&folder);
        let path = self.root.join(key);
        if let Err(error) = fs::rename(&folder, &path)
            && !path.is_dir()
        {
            return Err(error);
        }
        if !self.has_room(bytes) {
            // Somewhat more than must go, so that the next ones have room.
            self.prune(self.max_bytes - self.max_bytes / 10)?;
        }
        Ok(())
    }

    /// Whether an entry more of so many bytes surely leaves the cache within its limit. Looking
    /// through all of its folder for each entry would take longer than many builds.
    fn has_room(&self, bytes: u64) -> bool {
        let path = self.root.join(SIZES);
        let sizes = File::options().append(true).open(&path);
        // One write, so that lines of several processes do not mix.
        let added = sizes.and_then(|mut file| file.write_all(format!("{bytes}\n").as_bytes()));
        let text = added.and_then(|()| fs::read_to_string(path));
        let sizes = text.map(|text| {
            text.lines()
                .map(str::parse)
                .collect::<Result<Vec<u64>, _>>()
        });
        let Ok(Ok(sizes)) = sizes else {
            return false;
        };
        let all = sizes
            .iter()
            .fold(0, |all: u64, one| all.saturating_add(*one));
        sizes.len() <= MOST_SIZES && all <= self.max_bytes
    }

    /// Removes the entries that were not used for longest until the rest takes at most `max_bytes`.
    pub fn prune(&self, max_bytes: u64) -> io::Result<Pruned> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.root)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = entry.path();
            if name.starts_with(".new-") {
                let age = entry.metadata()?.modified()?.elapsed().unwrap_or_default();
                if age > STALE {
                    let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
                }
            } else if path.is_dir() {
                let used = fs::metadata(path.join("meta.json")).and_then(|meta| meta.modified());
                entries.push((used.unwrap_or(SystemTime::UNIX_EPOCH), path));
            }
        }
        entries.sort();
        let mut pruned = Pruned {
            removed: 0,
            kept: 0,
            bytes: 0,
        };
        // From the last used on: what no longer fits goes.
        for (_, path) in entries.into_iter().rev() {
            let bytes = folder_bytes(&path);
            if pruned.bytes + bytes > max_bytes {
                self.remove(&path);
                pruned.removed += 1;
            } else {
                pruned.bytes += bytes;
                pruned.kept += 1;
            }
        }
        let made = tempfile::NamedTempFile::with_prefix_in(".new-", &self.root)?;
        fs::write(made.path(), format!("{}\n", pruned.bytes))?;
        made.persist(self.root.join(SIZES))?;
        Ok(pruned)
    }

    /// Removes an entry: out of sight first, so that nobody finds half of it.
    fn remove(&self, folder: &Path) {
        let made = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(&self.root);
        if let Ok(made) = made {
            let _ = fs::rename(folder, made.path().join("entry"));
        }
    }
}

fn read_entry(folder: &Path, meta: &[u8]) -> Option<Entry> {
    let meta: Meta = serde_json::from_slice(meta).ok()?;
    let output = fs::read(folder.join("output")).ok()?;
    let whole = hex(&Sha256::digest(&output)) == meta.sha256;
    whole.then(|| Entry {
        output,
        reports: Some(folder.join("reports")).filter(|path| path.is_dir()),
        facts: meta.facts,
    })
}

/// Copies a folder with all that is in it; links are followed.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_folder(&entry.path(), &target)?,
            false => fs::copy(entry.path(), target).map(|_| ())?,
        }
    }
    Ok(())
}

fn folder_bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => folder_bytes(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

/// A size such as `500M` or `20G` in bytes.
fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, shift) = match text.char_indices().last()? {
        (at, 'k' | 'K') => (&text[..at], 10),
        (at, 'm' | 'M') => (&text[..at], 20),
        (at, 'g' | 'G') => (&text[..at], 30),
        _ => (text, 0),
    };
    number.trim().parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        Facts {
            log: "warning\n".into(),
            kernels: vec!["add".into()],
        }
    }

    #[test]
    fn keeps_output_reports_and_facts() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("builds"), u64::MAX);
        assert!(cache.find("k1").is_none());
        let reports = folder.path().join("reports");
        fs::create_dir_all(reports.join("lib")).unwrap();
        fs::write(reports.join("lib/report.html"), "<html>").unwrap();
        cache
            .store("k1", b"binary", Some(&reports), facts())
            .unwrap();
        let entry = cache.find("k1").unwrap();
        assert_eq!(entry.output, b"binary");
        assert_eq!(entry.facts, facts());
        let report = entry.reports.unwrap().join("lib/report.html");
        assert_eq!(fs::read(report).unwrap(), b"<html>");
        // A second store of the same key is no error and changes nothing.
        cache.store("k1", b"other", None, facts()).unwrap();
        assert_eq!(cache.find("k1").unwrap().output, b"binary");
    }

    #[test]
    fn a_damaged_entry_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path(), u64::MAX);
        for (file, bytes) in [("output", &b"binarx"[..]), ("meta.json", b"{}")] {
            cache.store("k1", b"binary", None, facts()).unwrap();
            fs::write(folder.path().join("k1").join(file), bytes).unwrap();
            assert!(cache.find("k1").is_none());
            assert!(!folder.path().join("k1").exists());
        }
    }

    #[test]
    fn prunes_what_was_not_used_for_longest() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path(), u64::MAX);
        for (age, key) in ["old", "mid", "new"].iter().rev().enumerate() {
            cache.store(key, &[0; 1000], None, facts()).unwrap();
            let meta = File::options()
                .append(true)
                .open(folder.path().join(key).join("meta.json"))
                .unwrap();
            let time = SystemTime::now() - Duration::from_secs(1000 * (age as u64 + 1));
            meta.set_modified(time).unwrap();
        }
        // Use makes young.
        cache.find("old").unwrap();
        let pruned = cache.prune(2500).unwrap();
        assert_eq!((pruned.removed, pruned.kept), (1, 2));
        assert!(cache.find("mid").is_none());
        assert!(cache.find("old").is_some() && cache.find("new").is_some());
        assert_eq!(cache.prune(0).unwrap().removed, 2);
        let left = fs::read_dir(folder.path()).unwrap().map(Result::unwrap);
        assert!(left.map(|entry| entry.file_name()).eq([SIZES]));
    }

    #[test]
    fn the_folder_is_looked_through_when_it_may_be_full() {
        let folder = tempfile::tempdir().unwrap();
        let sizes = || fs::read_to_string(folder.path().join(SIZES)).unwrap();
        let count = || fs::read_dir(folder.path()).unwrap().count() - 1;
        let cache = Cache::at(folder.path(), 12_000);
        for number in 0..10 {
            let key = format!("k{number}");
            cache.store(&key, &[0; 1000], None, facts()).unwrap();
            assert_eq!(count(), number + 1);
            assert_eq!(sizes().lines().count(), number + 1);
        }
        // A tenth of the limit becomes free.
        cache.store("last", &[0; 1000], None, facts()).unwrap();
        assert!(cache.find("last").is_some());
        assert_eq!((count(), sizes().lines().count()), (9, 1));
        // Without the sizes, or with what are none, it is looked through too.
        for text in ["many\n", "100000\n"] {
            fs::write(folder.path().join(SIZES), text).unwrap();
            cache.store("k0", &[0; 10], None, facts()).unwrap();
            let bytes: u64 = sizes().lines().next().unwrap().parse().unwrap();
            assert!((9000..12_000).contains(&bytes), "{text}: {}", sizes());
        }
        fs::remove_file(folder.path().join(SIZES)).unwrap();
        cache.store("k1", &[0; 10], None, facts()).unwrap();
        assert_eq!(sizes().lines().count(), 1);
    }

    #[test]
    fn reads_sizes() {
        assert_eq!(parse_size("20G"), Some(20 << 30));
        assert_eq!(parse_size("512"), Some(512));
        assert_eq!(parse_size("much"), None);
        assert_eq!(parse_size(""), None);
    }
}
