//! All that a build's result depends on, as one digest.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use sha2::{Digest, Sha256};

use crate::request::BuildRequest;

/// Changed when entries of older versions no longer fit.
const FORMAT: &str = "fpgacc build 2";

/// Variables that change what aoc or an OpenCL implementation makes.
const VARIABLES: [&str; 8] = [
    "AOCL_BOARD_PACKAGE_ROOT",
    "ACL_BOARD_VENDOR_PATH",
    "INTELFPGAOCLSDKROOT",
    "ALTERAOCLSDKROOT",
    "INTEL_FPGA_ROOT",
    "QUARTUS_ROOTDIR",
    "QUARTUS_ROOTDIR_OVERRIDE",
    "ACL_QSH_COMPILE_CMD",
];

/// Beginnings of names of further such variables.
const PREFIXES: [&str; 2] = ["CL_CONFIG_", "POCL_"];

/// The digest of a build by the tool `identity`, in hexadecimal. `None` if what it depends on
/// cannot be known without preprocessing it: a header whose name is a macro.
///
/// Headers count with all that any `#include` in any branch could name, in every folder where it
/// is looked for: a build may be repeated needlessly, but an outdated one is never taken.
pub(crate) fn digest(request: &BuildRequest, identity: &str) -> Option<String> {
    let mut hash = Fields(Sha256::new());
    hash.text(FORMAT);
    hash.text(identity);
    hash.text(request.target.name());
    hash.text(&format!("{:?} {:?}", request.stage, request.profile));
    hash.text(&format!(
        "{} {} {} {} {} {}",
        request.vectors,
        request.debug,
        request.report,
        request.fp_relaxed,
        request.fp_contract,
        request.legacy_emulator
    ));
    hash.text(&format!("{:?}", request.constant_cache));
    hash.text(request.board.as_deref().unwrap_or("\0default"));
    hash.list(request.defines.iter().map(String::as_bytes));
    hash.list(request.undefines.iter().map(String::as_bytes));
    hash.list(request.cl_options.iter().map(String::as_bytes));
    hash.list(request.extra.iter().map(|arg| arg.as_encoded_bytes()));
    for source in &request.sources {
        hash.text(&source.path.to_string_lossy());
        hash.text(&source.text);
        let folders: Vec<&Path> = request.header_folders(source).collect();
        headers(&mut hash, &source.text, &folders)?;
    }
    for path in named_files(&request.extra) {
        hash.file(&path);
    }
    environment(&mut hash);
    Some(hash.hex())
}

/// What distinguishes a file of a tool from another: path, size and time of change.
pub(crate) fn file_identity(path: &Path) -> String {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let Ok(metadata) = fs::metadata(&path) else {
        return path.display().to_string();
    };
    let changed = metadata
        .modified()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .map_or(0, |time| time.as_nanos());
    format!("{} {} {changed}", path.display(), metadata.len())
}

/// What distinguishes this processor from others that a cache folder may be shared with: emulators
/// compile for it.
pub(crate) fn processor_identity() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let lines = text
        .lines()
        .filter(|line| line.starts_with("model name") || line.starts_with("flags"));
    lines.take(2).collect::<Vec<_>>().join("\n")
}

/// A digest over fields, each with its length before it, so that none runs into the next.
struct Fields(Sha256);

impl Fields {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn list<'a>(&mut self, items: impl ExactSizeIterator<Item = &'a [u8]>) {
        self.0.update((items.len() as u64).to_le_bytes());
        for item in items {
            self.bytes(item);
        }
    }

    fn file(&mut self, path: &Path) {
        self.text(&path.to_string_lossy());
        match fs::read(path) {
            Ok(bytes) => self.bytes(&bytes),
            Err(_) => self.text("\0unreadable"),
        }
    }

    fn hex(self) -> String {
        hex(&self.0.finalize())
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn environment(hash: &mut Fields) {
    let mut variables: Vec<(OsString, OsString)> = std::env::vars_os()
        .filter(|(name, _)| {
            let name = name.to_string_lossy();
            VARIABLES.contains(&&*name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        })
        .collect();
    variables.sort();
    for (name, value) in variables {
        hash.bytes(name.as_encoded_bytes());
        hash.bytes(value.as_encoded_bytes());
    }
    // A board package that was updated in place.
    if let Some(root) = std::env::var_os("AOCL_BOARD_PACKAGE_ROOT") {
        hash.text(&file_identity(&Path::new(&root).join("board_env.xml")));
    }
}

/// Files that aoc's further flags name: libraries, profiling configurations and so on.
fn named_files(extra: &[OsString]) -> Vec<PathBuf> {
    let words: Vec<String> = extra
        .iter()
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    let mut folders = vec![PathBuf::new()];
    for (index, word) in words.iter().enumerate() {
        match word.strip_prefix("-L") {
            Some("") => folders.extend(words.get(index + 1).map(PathBuf::from)),
            Some(folder) => folders.push(folder.into()),
            None => {}
        }
    }
    let mut files = Vec::new();
    for word in &words {
        let value = match word.strip_prefix('-') {
            None => word.as_str(),
            Some(rest) => match (rest.split_once('='), rest.strip_prefix('l')) {
                (Some((_, value)), _) => value,
                (None, Some(library)) => library,
                (None, None) => continue,
            },
        };
        let paths = folders.iter().map(|folder| folder.join(value));
        files.extend(paths.filter(|path| path.is_file()));
    }
    files
}

fn headers(hash: &mut Fields, text: &str, folders: &[&Path]) -> Option<()> {
    let mut seen = BTreeSet::new();
    let mut waiting = includes(text)?
        .into_iter()
        .map(|name| (name, None))
        .collect::<Vec<(String, Option<PathBuf>)>>();
    while let Some((name, from)) = waiting.pop() {
        let own = from.iter().map(PathBuf::as_path);
        let found: Vec<PathBuf> = own
            .chain(folders.iter().copied())
            .map(|folder| folder.join(&name))
            .filter(|path| path.is_file())
            .collect();
        hash.text(&name);
        for path in found {
            if !seen.insert(path.clone()) {
                continue;
            }
            let bytes = fs::read(&path).ok()?;
            hash.text(&path.to_string_lossy());
            hash.bytes(&bytes);
            let folder = path.parent().map(Path::to_path_buf);
            let text = String::from_utf8_lossy(&bytes);
            waiting.extend(
                includes(&text)?
                    .into_iter()
                    .map(|name| (name, folder.clone())),
            );
        }
    }
    Some(())
}

/// The names in the `#include` lines of a text, taken or not. `None` if one is not plain.
fn includes(text: &str) -> Option<Vec<String>> {
    if text.contains("__has_include") {
        return None;
    }
    let text = text.replace("\\\r\n", "").replace("\\\n", "");
    let mut names = Vec::new();
    for line in text.lines() {
        let directive = match line.find('#') {
            Some(at) => &line[at + 1..],
            None => match line.find("%:") {
                Some(at) => &line[at + 2..],
                None => continue,
            },
        };
        let Some(at) = directive.find("include") else {
            continue;
        };
        let rest = directive[at + "include".len()..]
            .trim_start_matches("_next")
            .trim_start();
        let name = match rest.chars().next() {
            Some('"') => rest[1..].split_once('"').map(|(name, _)| name),
            Some('<') => rest[1..].split_once('>').map(|(name, _)| name),
            _ => None,
        };
        match name {
            Some(name) => names.push(name.to_string()),
            // A word in a comment or string does no harm but costs the cache.
            None => return None,
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{KernelSource, Profile, Stage, Target};

    fn request(folder: &Path, text: &str) -> BuildRequest {
        let source = KernelSource {
            path: folder.join("k.cl"),
            text: text.to_string(),
        };
        BuildRequest::new(vec![source], "k.aocx")
    }

    #[test]
    fn every_part_of_a_request_counts_but_the_output() {
        let folder = tempfile::tempdir().unwrap();
        let base = request(folder.path(), "kernel void a() {}");
        let digest = |request: &BuildRequest| super::digest(request, "aoc 1").unwrap();
        let mut all = vec![digest(&base), super::digest(&base, "aoc 2").unwrap()];
        let changes: [fn(&mut BuildRequest); 16] = [
            |r| r.sources[0].text.push(' '),
            |r| r.target = Target::Hardware,
            |r| r.stage = Stage::Rtl,
            |r| r.board = Some("a10".into()),
            |r| r.defines = vec!["AB".into()],
            |r| r.defines = vec!["A".into(), "B".into()],
            |r| r.undefines = vec!["AB".into()],
            |r| r.cl_options = vec!["AB".into()],
            |r| r.extra = vec!["AB".into()],
            |r| r.constant_cache = Some(4096),
            |r| r.vectors = false,
            |r| r.debug = true,
            |r| r.report = true,
            |r| r.profile = Some(Profile::All),
            |r| r.fp_relaxed = true,
            |r| r.fp_contract = true,
        ];
        for change in changes {
            let mut changed = base.clone();
            change(&mut changed);
            all.push(digest(&changed));
        }
        let distinct: BTreeSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
        let mut elsewhere = base.clone();
        elsewhere.output = "other.aocx".into();
        elsewhere.verbose = true;
        assert_eq!(digest(&elsewhere), all[0]);
    }

    #[test]
    fn headers_count_however_they_are_reached() {
        let folder = tempfile::tempdir().unwrap();
        let sub = folder.path().join("sub");
        fs::create_dir(&sub).unwrap();
        let text = "#if 0\n #  include \"sub/a.h\"\n#endif\n";
        let digest = || super::digest(&request(folder.path(), text), "aoc").unwrap();
        let mut all = vec![digest()];
        fs::write(sub.join("a.h"), "#inc\\\nlude <b.h>\n").unwrap();
        all.push(digest());
        fs::write(sub.join("b.h"), "1").unwrap();
        all.push(digest());
        fs::write(sub.join("b.h"), "2").unwrap();
        all.push(digest());
        fs::write(folder.path().join("b.h"), "2").unwrap();
        all.push(digest());
        let distinct: BTreeSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
    }

    #[test]
    fn a_header_named_by_a_macro_cannot_be_known() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["#include HEADER\n", "#if __has_include(<a.h>)\n#endif\n"] {
            assert_eq!(digest(&request(folder.path(), text), "aoc"), None);
        }
    }

    #[test]
    fn files_that_flags_name_count() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lib.aoclib");
        fs::write(&file, "1").unwrap();
        let shown = folder.path().display().to_string();
        for extra in [
            vec![
                "-L".to_string(),
                shown.clone(),
                "-l".into(),
                "lib.aoclib".into(),
            ],
            vec![format!("-L{shown}"), "-llib.aoclib".into()],
            vec![format!("-profile-config={}", file.display())],
        ] {
            let mut request = request(folder.path(), "");
            request.extra = extra.iter().map(OsString::from).collect();
            fs::write(&file, "1").unwrap();
            let before = digest(&request, "aoc");
            fs::write(&file, "2").unwrap();
            assert_ne!(digest(&request, "aoc"), before, "{extra:?}");
        }
    }
}
