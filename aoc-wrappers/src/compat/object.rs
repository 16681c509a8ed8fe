//! Our .aoco and .aocr files: checked kernels with their flags, waiting for the last step.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::request::{BuildRequest, KernelSource};

/// What distinguishes our files from Intel's.
const MAGIC: &str = "fpgacc kernels 1";

/// The contents of an .aoco or .aocr.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Object {
    magic: String,
    path: PathBuf,
    text: String,
    board: Option<String>,
    defines: Vec<String>,
    undefines: Vec<String>,
    /// Absolute, the source's own first: the last step may run elsewhere.
    includes: Vec<PathBuf>,
    cl_options: Vec<String>,
    debug: bool,
}

impl Object {
    /// One source of a request with the request's flags.
    pub fn new(request: &BuildRequest, source: &KernelSource) -> Self {
        let absolute = |folder: &Path| std::path::absolute(folder).unwrap_or(folder.to_path_buf());
        Object {
            magic: MAGIC.to_string(),
            path: source.path.clone(),
            text: source.text.clone(),
            board: request.board.clone(),
            defines: request.defines.clone(),
            undefines: request.undefines.clone(),
            includes: request.header_folders(source).map(absolute).collect(),
            cl_options: request.cl_options.clone(),
            debug: request.debug,
        }
    }

    /// The file's bytes.
    pub fn bytes(&self) -> Vec<u8> {
        // Strings and lists: nothing that JSON cannot hold.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads such a file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let bytes = fs::read(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
        serde_json::from_slice(&bytes)
            .ok()
            .filter(|object: &Object| object.magic == MAGIC)
            .ok_or_else(|| {
                format!(
                    "{shown} was not made by fpgacc-aoc: compile the .cl file again with \
                     `fpgacc-aoc -c -march=emulator`"
                )
            })
    }

    /// Puts source and flags into a request for the last step.
    pub fn fill(self, request: &mut BuildRequest) {
        request.sources.push(KernelSource {
            path: self.path,
            text: self.text,
        });
        request.board = self.board;
        request.defines = self.defines;
        request.undefines = self.undefines;
        request.includes = self.includes;
        request.cl_options = self.cl_options;
        request.debug |= self.debug;
    }
}
