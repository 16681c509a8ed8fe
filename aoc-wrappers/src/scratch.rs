//! Temporary folders that also vanish when a signal ends the program, with the tools that it runs.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// What a signal has to end: folders and files to remove, processes to stop.
#[derive(Default)]
struct Open {
    folders: BTreeSet<PathBuf>,
    prefixes: BTreeSet<PathBuf>,
    processes: BTreeSet<u32>,
}

static OPEN: Mutex<Open> = Mutex::new(Open {
    folders: BTreeSet::new(),
    prefixes: BTreeSet::new(),
    processes: BTreeSet::new(),
});

/// See [`Attached`].
static IS_ATTACHED: AtomicBool = AtomicBool::new(false);

fn open() -> MutexGuard<'static, Open> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary folder. It goes away with its owner, or with the program.
#[derive(Debug)]
pub struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    /// One in the system's folder for such (`$TMPDIR`).
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new() -> io::Result<Self> {
        Self::within(&std::env::temp_dir(), "fpgacc-")
    }

    /// A hidden one in a folder of the user's, so that files can be renamed from one to the other.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn beside(folder: &Path) -> io::Result<Self> {
        Self::within(folder, ".fpgacc-")
    }

    fn within(parent: &Path, prefix: &str) -> io::Result<Self> {
        // Held while the folder is made: a signal in between would forget it.
        let mut open = open();
        let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(parent)?;
        open.folders.insert(folder.path().to_path_buf());
        Ok(Scratch { folder })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let path = self.folder.path().to_path_buf();
        // What cannot be removed now, cannot be removed later.
        let _ = std::fs::remove_dir_all(&path);
        open().folders.remove(&path);
    }
}

/// A name in a folder of the user's that no file has, nor begins with. All files whose names begin with it go
/// away with their owner, or with the program.
#[derive(Debug)]
pub struct ScratchName {
    path: PathBuf,
}

impl ScratchName {
    /// One in a folder.
    ///
    /// # Errors
    /// No file can be made there.
    pub fn beside(folder: &Path) -> io::Result<Self> {
        let mut open = open();
        let file = tempfile::Builder::new()
            .prefix(".fpgacc-")
            .rand_bytes(12)
            .tempfile_in(folder)?;
        // As the folder is named: a program sees how it was started.
        let path = folder.join(file.path().file_name().unwrap_or_default());
        drop(file);
        open.prefixes.insert(path.clone());
        Ok(ScratchName { path })
    }

    /// The path with this name.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ScratchName {
    fn drop(&mut self) {
        remove_prefix(&self.path);
        open().prefixes.remove(&self.path);
    }
}

/// Removes all files whose names begin as a path.
fn remove_prefix(path: &Path) {
    let start = path.file_name().unwrap_or_default().as_encoded_bytes();
    let folder = path.parent().into_iter().flat_map(std::fs::read_dir);
    for entry in folder.flatten().flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(start) {
            // What cannot be removed now, cannot be removed later.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// A process that a signal to this program stops too.
pub(crate) struct Running(Vec<u32>);

impl Running {
    /// Notes processes.
    pub fn new(processes: Vec<u32>) -> Self {
        open().processes.extend(&processes);
        Running(processes)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut open = open();
        for process in &self.0 {
            open.processes.remove(process);
        }
    }
}

/// A process of the user's own has the terminal: an interrupt from the keyboard goes to it too, and it
/// decides what becomes of it.
pub(crate) struct Attached;

impl Attached {
    /// Until this is dropped.
    pub fn new() -> Self {
        IS_ATTACHED.store(true, Ordering::Relaxed);
        Attached
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        IS_ATTACHED.store(false, Ordering::Relaxed);
    }
}

/// From now on, a signal that ends the program first stops the tools that it runs and removes its
/// temporary folders. A signal that is ignored, as under nohup, stays so.
pub fn clean_up_on_signals() {
    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter();
    let wanted: Vec<i32> = wanted.filter(|&signal| !is_ignored(signal)).collect();
    let Ok(mut signals) = Signals::new(wanted) else {
        return;
    };
    std::thread::spawn(move || {
        let is_ours = |signal: &i32| *signal != SIGINT || !IS_ATTACHED.load(Ordering::Relaxed);
        if let Some(signal) = signals.forever().find(is_ours) {
            // Not released any more: nothing new begins.
            let open = open();
            for &process in &open.processes {
                stop(process);
            }
            for folder in &open.folders {
                let _ = std::fs::remove_dir_all(folder);
            }
            for prefix in &open.prefixes {
                remove_prefix(prefix);
            }
            let _ = emulate_default_handler(signal);
        }
    });
}

fn is_ignored(signal: i32) -> bool {
    // SAFETY: sigaction only writes the old action, for which there is room.
    unsafe {
        let mut old: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut old) == 0
            && old.sa_sigaction == libc::SIG_IGN
    }
}

fn stop(process: u32) {
    // SAFETY: it is a child that was not waited for yet, so that its number is not reused.
    unsafe {
        libc::kill(process as libc::pid_t, libc::SIGTERM);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_go_with_the_owner_of_their_name() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(".fpgacc-"), "").unwrap();
        let name = ScratchName::beside(folder.path()).unwrap();
        std::fs::write(name.path(), "").unwrap();
        std::fs::write(name.path().with_added_extension("aocx"), "").unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
        drop(name);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_goes_with_its_owner() {
        let scratch = Scratch::new().unwrap();
        let path = scratch.path().to_path_buf();
        std::fs::write(path.join("a"), "").unwrap();
        assert!(open().folders.contains(&path));
        drop(scratch);
        assert!(!path.exists());
        assert!(!open().folders.contains(&path));
    }
}
