//! The folder of a search: journals, one for each process that ever wrote, and a folder for each point that was built.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_tuning::journal::{self, FORMAT_VERSION, Header};
use fpgacc_tuning::space::Point;
use fpgacc_tuning::trial::Trial;
use sha2::{Digest, Sha256};

/// See the head of this file.
pub struct Folder {
    path: PathBuf,
    header: Header,
    /// The journal of this process, once it has something to write.
    own: Option<File>,
}

impl Folder {
    /// Opens or makes the folder of a search, and reads what is known of it. Of a point that two processes tried the
    /// first counts.
    ///
    /// # Errors
    /// It cannot be made or read, or is that of another search.
    pub fn open(
        path: &Path,
        of: String,
        device: String,
    ) -> Result<(Folder, Vec<Trial>), Diagnostic> {
        let header = Header {
            journal: FORMAT_VERSION,
            of,
            device,
        };
        let journals = path.join("journals");
        fs::create_dir_all(&journals).map_err(|error| cannot("make", &journals, &error))?;
        let entries = fs::read_dir(&journals).map_err(|error| cannot("read", &journals, &error))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|suffix| suffix == "jsonl"));
        files.sort();
        let mut trials: Vec<Trial> = Vec::new();
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
            if read.header.as_ref().is_some_and(|own| *own != header) {
                return Err(other_search(path));
            }
            for trial in read.trials {
                if trials.iter().all(|known| known.point != trial.point) {
                    trials.push(trial);
                }
            }
        }
        let folder = Folder {
            path: path.to_path_buf(),
            header,
            own: None,
        };
        Ok((folder, trials))
    }

    /// Appends a trial to the journal of this process, and waits until it is on the disk.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn append(&mut self, trial: &Trial) -> Result<(), Diagnostic> {
        let mut text = String::new();
        if self.own.is_none() {
            text += &journal::line(&self.header);
            self.own = Some(self.new_journal()?);
        }
        text += &journal::line(trial);
        let file = self.own.as_mut().expect("it was made");
        let written = file
            .write_all(text.as_bytes())
            .and_then(|()| file.sync_data());
        written.map_err(|error| cannot("write to", &self.path, &error))
    }

    /// A file that no other process writes to: its name is taken by making it.
    fn new_journal(&self) -> Result<File, Diagnostic> {
        let mut options = OpenOptions::new();
        let options = options.append(true).create_new(true);
        for number in 1.. {
            let path = self.path.join(format!("journals/{number:04}.jsonl"));
            match options.open(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                made => return made.map_err(|error| cannot("make", &path, &error)),
            }
        }
        unreachable!("numbers do not end")
    }

    /// Where a point is built.
    pub fn of_point(&self, point: &Point) -> PathBuf {
        let text = serde_json::to_string(point).unwrap_or_default();
        self.path.join("points").join(digest([text.as_bytes()]))
    }
}

/// A few letters that tell texts apart.
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
