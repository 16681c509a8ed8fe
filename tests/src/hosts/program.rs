//! Whole random programs: a host, its kernel files and headers, and how they are built and run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::random::Random;

use super::compose;
use super::helpers::Parts;
use super::spell::spell;
use super::style::Style;

/// What a program is made from: the same recipe gives the same program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// Chooses all.
    pub seed: u64,
    /// The scenes that it has, of those that the seed gives.
    pub scenes: Vec<usize>,
}

/// The most scenes of a program.
const MOST_SCENES: usize = 4;

impl Recipe {
    /// The whole program of a seed.
    pub fn whole(seed: u64) -> Self {
        let mut r = Random::new(seed ^ 0x5ce9e5);
        Recipe {
            seed,
            scenes: (0..1 + r.below(MOST_SCENES)).collect(),
        }
    }

    /// The same without a scene; `None` if nothing would be left.
    pub fn without(&self, scene: usize) -> Option<Self> {
        let mut less = self.clone();
        less.scenes.retain(|other| *other != scene);
        (!less.scenes.is_empty()).then_some(less)
    }

    /// The program.
    pub fn program(&self) -> Program {
        let mut r = Random::new(self.seed);
        let style = Style::new(&mut r);
        let words = r.copy(&[0, 0, 1, 2]);
        let mut parts = Parts::default();
        for scene in &self.scenes {
            let seed = self.seed.wrapping_mul(31).wrapping_add(*scene as u64);
            let made = compose::scene(seed, words + 1);
            spell(&made, !seed, *scene, words + 1, style, &mut parts);
        }
        let host = match style.cpp {
            true => "host.cpp",
            false => "host.c",
        };
        let mut files = BTreeMap::from([(host.to_string(), parts.host(style))]);
        files.extend(headers());
        let kernels: Vec<String> = parts
            .files
            .keys()
            .map(|stem| format!("{stem}.cl"))
            .collect();
        let texts = parts.files.into_iter();
        files.extend(texts.map(|(stem, text)| (format!("{stem}.cl"), text)));
        Program {
            files,
            host: host.to_string(),
            kernels,
            needs_options: parts.needs_options,
            words: (0..words).map(|at| format!("w{at}")).collect(),
            build: Build::new(&mut r),
        }
    }
}

/// `conf.h` of two folders.
fn headers() -> BTreeMap<String, String> {
    let header = |a: u32, b: u32| format!("#define KA {a}\n#define KB {b}\n");
    BTreeMap::from([
        ("inc_a/conf.h".to_string(), header(21, 22)),
        ("inc_b/conf.h".to_string(), header(31, 32)),
    ])
}

/// How fpgacc builds a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// Options.
    pub options: Vec<String>,
    /// `-c` for each source, and then a link.
    pub separately: bool,
}

impl Build {
    fn new(r: &mut Random) -> Self {
        let mut options: Vec<String> = Vec::new();
        if r.chance(50) {
            options.push("-DDEVICE_TYPE=CL_DEVICE_TYPE_GPU".to_string());
        }
        if r.chance(50) {
            let further = [
                "-fexecution-model=swi",
                "-fexecution-model=ndrange",
                "--keep-general",
                "--kernel-opt=3",
                "--kernel-opt=1",
                "--kernel-opt=0",
                "--strict-fp",
                "-fno-specialise",
                "-fno-restrict",
            ];
            options.push(r.pick(&further).to_string());
            if r.chance(30) {
                options.push(r.pick(&further).to_string());
            }
        }
        Build {
            options,
            separately: r.chance(20),
        }
    }
}

/// A program on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its files by path.
    pub files: BTreeMap<String, String>,
    /// The host's file.
    pub host: String,
    /// The kernel files that fpgacc gets.
    pub kernels: Vec<String>,
    /// Those of them that do not build without options.
    pub needs_options: BTreeSet<String>,
    /// Its command line.
    pub words: Vec<String>,
    /// How fpgacc builds it.
    pub build: Build,
}

impl Program {
    /// Writes the files into a folder.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        for (name, text) in &self.files {
            let path = folder.join(name);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(path, text)?;
        }
        Ok(())
    }

    /// The compiler that builds the original.
    pub fn compiler(&self) -> &'static str {
        match self.host.ends_with(".c") {
            true => "gcc",
            false => "g++",
        }
    }
}
