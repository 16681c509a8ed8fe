//! Files that appear whole or not at all.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::scratch::Scratch;

/// An output that could not be written. What was there before is still there.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The system's reason.
    #[error("cannot write {}: {source}", .path.display())]
    Io {
        /// The output.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The output's folder is missing.
    #[error("cannot write {}: the folder {} does not exist", .path.display(), .folder.display())]
    NoFolder {
        /// The output.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
}

/// Whether a new file can be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// rw for all, less the umask.
    Plain,
    /// rwx for all, less the umask.
    Executable,
}

impl Mode {
    fn bits(self) -> u32 {
        match self {
            Mode::Plain => 0o666,
            Mode::Executable => 0o777,
        }
    }
}

/// Writes a file: into a temporary file in the same folder, then in place of `path`. A file that
/// exists keeps its permissions; a symbolic link is written through; `/dev/null`, pipes and the
/// like are written to directly.
pub fn write(path: &Path, bytes: &[u8], mode: Mode) -> Result<(), OutputError> {
    write_all(&[(path.to_path_buf(), bytes, mode)])
}

/// Writes files as [`write()`] does, all of them or none: none is put in place before all are written.
pub fn write_all(files: &[(PathBuf, &[u8], Mode)]) -> Result<(), OutputError> {
    let mut staged = Vec::new();
    for (path, bytes, mode) in files.iter().filter(|(path, ..)| !is_special(path)) {
        staged.push(stage(path, bytes, *mode)?);
    }
    for (path, bytes, _) in files.iter().filter(|(path, ..)| is_special(path)) {
        let failed = |source| OutputError::Io {
            path: path.clone(),
            source,
        };
        let mut file = fs::OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(failed)?;
        file.write_all(bytes).map_err(failed)?;
    }
    staged.into_iter().try_for_each(Staged::commit)
}

/// Which file a path leads to, whatever it is called: links and other spellings of a path give the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Identity {
    /// A file that exists.
    File {
        /// Of its file system.
        device: u64,
        /// Within it.
        inode: u64,
    },
    /// One that does not exist yet.
    New {
        /// Its folder, without links.
        folder: PathBuf,
        /// Its name there.
        name: OsString,
    },
}

impl Identity {
    /// The file that is read from, or written to at `path`. `None` for what cannot be overwritten, such
    /// as a device, and for what cannot be written as its folder does not exist.
    pub fn of(path: &Path) -> Option<Self> {
        if is_special(path) {
            return None;
        }
        let target = target(path);
        if let Ok(metadata) = fs::metadata(&target) {
            return Some(Identity::File {
                device: metadata.dev(),
                inode: metadata.ino(),
            });
        }
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        Some(Identity::New {
            folder: fs::canonicalize(folder).ok()?,
            name: target.file_name()?.to_os_string(),
        })
    }
}

/// Where a path is written to: a link is written through, as compilers do, also where it leads nowhere
/// yet.
fn target(path: &Path) -> PathBuf {
    match fs::canonicalize(path) {
        Ok(real) => real,
        Err(_) => fs::read_link(path).map_or_else(
            |_| path.to_path_buf(),
            |link| path.parent().unwrap_or(Path::new("")).join(link),
        ),
    }
}

/// Whether a path is something else than a file or a folder: a device, a pipe.
pub fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

fn stage(path: &Path, bytes: &[u8], mode: Mode) -> Result<Staged, OutputError> {
    let failed = |source| OutputError::Io {
        path: path.to_path_buf(),
        source,
    };
    let staged = Staged::new(path)?;
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode.bits())
        .open(staged.path())
        .map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.flush().map_err(failed)?;
    Ok(staged)
}

/// An output in the making: another tool writes [`Staged::path`], a file of the output's own name
/// in a temporary folder beside it; [`Staged::commit`] puts it in place. Dropped without a commit,
/// it leaves nothing, and the output is as it was.
#[derive(Debug)]
pub struct Staged {
    target: PathBuf,
    shown: PathBuf,
    folder: Scratch,
}

impl Staged {
    /// Prepares the output `path`. Its folder must exist.
    pub fn new(path: &Path) -> Result<Self, OutputError> {
        let failed = |source| OutputError::Io {
            path: path.to_path_buf(),
            source,
        };
        let target = target(path);
        if target.is_dir() {
            return Err(failed(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        if target.file_name().is_none() {
            return Err(failed(io::Error::from(io::ErrorKind::InvalidFilename)));
        }
        // Read-only is respected, though a rename would get around it.
        if let Ok(metadata) = fs::metadata(&target)
            && metadata.permissions().mode() & 0o222 == 0
        {
            return Err(failed(io::Error::from(io::ErrorKind::PermissionDenied)));
        }
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        if !parent.is_dir() {
            return Err(OutputError::NoFolder {
                path: path.to_path_buf(),
                folder: parent,
            });
        }
        let folder = Scratch::beside(&parent).map_err(failed)?;
        Ok(Staged {
            target,
            shown: path.to_path_buf(),
            folder,
        })
    }

    /// Where to write.
    pub fn path(&self) -> PathBuf {
        // `new` has seen that there is a file name.
        self.folder
            .path()
            .join(self.target.file_name().unwrap_or_default())
    }

    /// The temporary folder, free for other files. It goes away.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Puts what was written in place of the output.
    pub fn commit(self) -> Result<(), OutputError> {
        let made = self.path();
        let failed = |source| OutputError::Io {
            path: self.shown.clone(),
            source,
        };
        if let Ok(old) = fs::metadata(&self.target) {
            // What can be executed can be afterwards, too, as ld has it.
            let executable = fs::metadata(&made).map_err(failed)?.permissions().mode() & 0o111;
            let kept = fs::Permissions::from_mode(old.permissions().mode() | executable);
            fs::set_permissions(&made, kept).map_err(failed)?;
        }
        fs::rename(&made, &self.target).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn writes_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.aocx");
        write(&path, b"one", Mode::Plain).unwrap();
        write(&path, b"two", Mode::Plain).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(folder.path()), ["k.aocx"]);
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o111,
            0,
            "a plain file is not executable"
        );
    }

    #[test]
    fn keeps_permissions_of_an_existing_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app");
        write(&path, b"one", Mode::Executable).unwrap();
        assert_ne!(fs::metadata(&path).unwrap().permissions().mode() & 0o100, 0);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write(&path, b"two", Mode::Executable).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path) & 0o666, 0o640);
        assert_ne!(mode(&path) & 0o100, 0, "an executable is one");
        let plain = folder.path().join("plain");
        for kept in [0o600, 0o755] {
            write(&plain, b"one", Mode::Plain).unwrap();
            fs::set_permissions(&plain, fs::Permissions::from_mode(kept)).unwrap();
            write(&plain, b"two", Mode::Plain).unwrap();
            assert_eq!(mode(&plain), kept);
        }
    }

    #[test]
    fn writes_through_links_and_to_devices() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().join("real");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("real", &link).unwrap();
        write(&link, b"x", Mode::Plain).unwrap();
        write(&link, b"y", Mode::Plain).unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"y");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        write(Path::new("/dev/null"), b"x", Mode::Plain).unwrap();
        assert!(!Path::new("/dev/null").is_file());
    }

    #[test]
    fn a_file_is_the_same_under_all_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a"), "").unwrap();
        fs::write(path("b"), "").unwrap();
        fs::create_dir(path("d")).unwrap();
        fs::hard_link(path("a"), path("hard")).unwrap();
        std::os::unix::fs::symlink("a", path("soft")).unwrap();
        std::os::unix::fs::symlink("new", path("ahead")).unwrap();
        std::os::unix::fs::symlink("d", path("e")).unwrap();
        let same = |a: &str, b: &str| Identity::of(&path(a)) == Identity::of(&path(b));
        for (a, b) in [
            ("a", "./a"),
            ("a", "d/../a"),
            ("a", "hard"),
            ("a", "soft"),
            ("new", "ahead"),
            ("d/new", "e/new"),
        ] {
            assert!(same(a, b), "{a} {b}");
        }
        for (a, b) in [("a", "b"), ("new", "newer"), ("new", "d/new"), ("a", "new")] {
            assert!(!same(a, b), "{a} {b}");
        }
        assert_eq!(Identity::of(Path::new("/dev/null")), None);
        assert_eq!(Identity::of(&path("none/x")), None);
    }

    #[test]
    fn a_full_disk_leaves_what_was_there() {
        // /dev/full refuses every byte as a full disk does.
        let error = write(Path::new("/dev/full"), b"x", Mode::Plain).unwrap_err();
        assert!(error.to_string().contains("/dev/full"), "{error}");
        assert!(error.to_string().contains("No space left"), "{error}");
    }

    #[test]
    fn an_abandoned_output_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.aocx");
        fs::write(&path, "old").unwrap();
        let staged = Staged::new(&path).unwrap();
        fs::write(staged.path(), "half").unwrap();
        drop(staged);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["k.aocx"]);
    }

    #[test]
    fn of_several_files_all_are_written_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| (folder.path().join(name), &b"new"[..], Mode::Plain);
        fs::write(folder.path().join("a"), "old").unwrap();
        assert!(write_all(&[file("a"), file("no/b")]).is_err());
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"old");
        write_all(&[file("a"), file("b")]).unwrap();
        assert_eq!(names(folder.path()), ["a", "b"]);
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"new");
    }

    #[test]
    fn names_path_and_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no/k.aocx");
        let error = write(&path, b"", Mode::Plain).unwrap_err().to_string();
        assert!(
            error.contains("k.aocx") && error.contains("does not exist"),
            "{error}"
        );
        let error = write(folder.path(), b"", Mode::Plain)
            .unwrap_err()
            .to_string();
        assert!(error.contains("directory"), "{error}");
        let read_only = folder.path().join("ro");
        fs::write(&read_only, "old").unwrap();
        fs::set_permissions(&read_only, fs::Permissions::from_mode(0o444)).unwrap();
        assert!(write(&read_only, b"new", Mode::Plain).is_err());
        assert_eq!(fs::read(&read_only).unwrap(), b"old");
    }
}
