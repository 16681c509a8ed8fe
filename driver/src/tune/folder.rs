//! The folder of a search: journals, one for each process that ever wrote, and a folder for each point that was built.
//!
//! Several processes may search in it at a time. Each claims a point in its journal before it begins with it; claims of
//! processes that ended count for nothing.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_tuning::journal::{self, Entry, FORMAT_VERSION, Header, Journal};
use fpgacc_tuning::space::Point;
use fpgacc_tuning::trial::{RunOff, Trial};
use sha2::{Digest, Sha256};

/// See the head of this file.
pub struct Folder {
    path: PathBuf,
    header: Header,
    /// The journal of this process, once it has something to write. It is locked while the process lives.
    own: Option<(PathBuf, File)>,
}

/// What journals hold.
#[derive(Default)]
pub struct Known {
    /// Of a point that two processes tried the first.
    pub trials: Vec<Trial>,
    /// What was run by turns.
    pub run_offs: Vec<RunOff>,
    /// Points that other processes, which still live, have begun with.
    pub busy: Vec<Point>,
}

impl Known {
    fn add(&mut self, journal: Journal, is_alive: bool) {
        for trial in journal.trials {
            if self.trials.iter().all(|known| known.point != trial.point) {
                self.trials.push(trial);
            }
        }
        self.run_offs.extend(journal.run_offs);
        if is_alive {
            self.busy.extend(journal.begun);
        }
    }
}

/// Who tries a point.
pub enum Claim {
    /// This process, from now on.
    Own,
    /// Another process does.
    Busy,
    /// It was tried.
    Known(Trial),
}

impl Folder {
    /// Opens or makes the folder of a search.
    ///
    /// # Errors
    /// It cannot be made or read, or is that of another search.
    pub fn open(path: &Path, of: String, device: String) -> Result<Folder, Diagnostic> {
        let journals = path.join("journals");
        fs::create_dir_all(&journals).map_err(|error| cannot("make", &journals, &error))?;
        let folder = Folder {
            path: path.to_path_buf(),
            header: Header {
                journal: FORMAT_VERSION,
                of,
                device,
            },
            own: None,
        };
        folder.read()?;
        Ok(folder)
    }

    /// Reads what is known of the search, also by other processes.
    ///
    /// # Errors
    /// It cannot be read, or is that of another search.
    pub fn read(&self) -> Result<Known, Diagnostic> {
        let journals = self.path.join("journals");
        let entries = fs::read_dir(&journals).map_err(|error| cannot("read", &journals, &error))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|suffix| suffix == "jsonl"));
        files.sort();
        let mut known = Known::default();
        for file in files {
            let bytes = fs::read(&file).map_err(|error| cannot("read", &file, &error))?;
            let text = String::from_utf8_lossy(&bytes[..journal::whole(&bytes)]).into_owned();
            let read = journal::read(&text).map_err(|fault| {
                let name = file.display();
                Diagnostic::error(format!(
                    "{name}:{}: not a journal: {}",
                    fault.line, fault.why
                ))
                .help("remove the file to measure again what it holds")
            })?;
            if read.header.as_ref().is_some_and(|own| *own != self.header) {
                return Err(other_search(&self.path));
            }
            let is_own = self.own.as_ref().is_some_and(|(own, _)| *own == file);
            let is_alive = !is_own && !read.begun.is_empty() && is_locked(&file);
            known.add(read, is_alive);
        }
        Ok(known)
    }

    /// Claims points: of each, who tries it.
    ///
    /// # Errors
    /// Journals cannot be read or written to.
    pub fn claim(&mut self, points: &[Point]) -> Result<Vec<Claim>, Diagnostic> {
        // One process at a time reads and writes; the lock is gone when the file is closed.
        let path = self.path.join("journals/lock");
        let opened = OpenOptions::new().append(true).create(true).open(&path);
        let lock = opened.map_err(|error| cannot("make", &path, &error))?;
        take(&lock, File::lock).map_err(|error| cannot("lock", &path, &error))?;
        let known = self.read()?;
        let mut claims = Vec::new();
        for point in points {
            let trial = known.trials.iter().find(|trial| trial.point == *point);
            claims.push(match trial {
                Some(trial) => Claim::Known(trial.clone()),
                None if known.busy.contains(point) => Claim::Busy,
                None => {
                    self.append(&Entry::Claimed {
                        claimed: point.clone(),
                    })?;
                    Claim::Own
                }
            });
        }
        Ok(claims)
    }

    /// Appends to the journal of this process, and waits until it is on the disk.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn append(&mut self, entry: &Entry) -> Result<(), Diagnostic> {
        let mut text = String::new();
        if self.own.is_none() {
            text += &journal::line(&self.header);
            self.own = Some(self.new_journal()?);
        }
        text += &journal::line(entry);
        let (_, file) = self.own.as_mut().expect("it was made");
        let written = file
            .write_all(text.as_bytes())
            .and_then(|()| file.sync_data());
        written.map_err(|error| cannot("write to", &self.path, &error))
    }

    /// A file that no other process writes to: its name is taken by making it.
    fn new_journal(&self) -> Result<(PathBuf, File), Diagnostic> {
        let mut options = OpenOptions::new();
        let options = options.append(true).create_new(true);
        for number in 1.. {
            let path = self.path.join(format!("journals/{number:04}.jsonl"));
            match options.open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => {
                    let made = made.and_then(|file| take(&file, File::lock).map(|()| file));
                    let made = made.map_err(|error| cannot("make", &path, &error));
                    return made.map(|file| (path, file));
                }
            }
        }
        unreachable!("numbers do not end")
    }

    /// Waits until nothing else of this folder is measured on this machine; as long as what is returned is kept, nothing
    /// is.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn alone(&self) -> Result<File, Diagnostic> {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let path = self.path.join(format!("measuring-{}", host.trim()));
        let opened = OpenOptions::new().append(true).create(true).open(&path);
        let lock = opened.map_err(|error| cannot("make", &path, &error))?;
        take(&lock, File::lock).map_err(|error| cannot("lock", &path, &error))?;
        Ok(lock)
    }

    /// Where a point is built.
    pub fn of_point(&self, point: &Point) -> PathBuf {
        let text = serde_json::to_string(point).unwrap_or_default();
        self.path.join("points").join(digest([text.as_bytes()]))
    }
}

/// Locks a file. Where the file system knows no locks, nothing is: then only one process may search at a time.
fn take(file: &File, lock: impl Fn(&File) -> io::Result<()>) -> io::Result<()> {
    match lock(file) {
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(()),
        done => done,
    }
}

/// Whether the process that writes to a journal lives: whatever ends it also ends its lock.
fn is_locked(path: &Path) -> bool {
    let tried = File::open(path).map(|file| file.try_lock_shared());
    matches!(tried, Ok(Err(TryLockError::WouldBlock)))
}

/// A few letters that distinguish texts.
pub fn digest<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    hash.finalize()
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn other_search(path: &Path) -> Diagnostic {
    let path = path.display();
    Diagnostic::error(format!("'{path}' is the folder of another search"))
        .note("sources, options, the program's arguments or the device were others")
        .help("name another one with --folder, or remove it")
}

/// What the system says of a file.
pub fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(format!("cannot {what} '{}': {error}", path.display()))
}
