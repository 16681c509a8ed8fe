//! Whole random programs: a host, its kernel files and headers, and how they are built and run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::random::Random;

use super::compose;
use super::parts::Parts;
use super::spell::{Seeds, spell};
use super::story::Story;
use super::style::Style;

/// What a program is made from: the same recipe gives the same program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// Chooses all.
    pub seed: u64,
    /// The scenes that it has, of those that the seed gives.
    pub scenes: Vec<usize>,
}

/// Of 100 programs so many have two scenes.
const TWO_SCENES: usize = 40;

impl Recipe {
    /// The whole program of a seed.
    pub fn whole(seed: u64) -> Self {
        let scenes = 1 + usize::from(Random::new(seed ^ 0x5ce9e5).chance(TWO_SCENES));
        Recipe {
            seed,
            scenes: (0..scenes).collect(),
        }
    }

    /// Programs of one scene each; none if this is one.
    pub fn alone(&self) -> Vec<Self> {
        let alone = |scene: &usize| Recipe {
            seed: self.seed,
            scenes: vec![*scene],
        };
        match self.scenes.len() {
            1 => Vec::new(),
            _ => self.scenes.iter().map(alone).collect(),
        }
    }

    /// The program.
    pub fn program(&self) -> Program {
        let mut r = Random::new(self.seed);
        let style = Style::new(&mut r);
        let first = Story::any(&mut r);
        let stories = [first, first.beside(&mut r)];
        let words = first.words();
        let mut parts = Parts::default();
        for scene in &self.scenes {
            let story = stories[*scene].seed();
            let made = compose::scene(story, words + 1);
            let seeds = Seeds {
                host: self.seed.wrapping_mul(31).wrapping_add(*scene as u64),
                story: !story,
            };
            spell(&made, seeds, *scene, words + 1, style, &mut parts);
        }
        let end = match style.cpp {
            true => "cpp",
            false => "c",
        };
        let mut hosts = BTreeMap::from([(format!("host.{end}"), parts.host(style))]);
        if style.is_in_two_files {
            hosts.insert(format!("more.{end}"), parts.other_file(style));
        }
        let mut files = hosts.clone();
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
            hosts: hosts.into_keys().collect(),
            kernels,
            needs_options: parts.needs_options,
            runs: match parts.is_run_twice {
                true => 2,
                false => 1,
            },
            words: (0..words).map(|at| format!("w{at}")).collect(),
            build: Build::new(first, &mut r),
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
    fn new(story: Story, r: &mut Random) -> Self {
        let mut options = story.options();
        // At this level, choosing forms takes longer than all the rest.
        if !r.chance(25) {
            options.retain(|option| *option != "--kernel-opt=3");
        }
        if r.chance(50) {
            options.push("-DDEVICE_TYPE=CL_DEVICE_TYPE_GPU");
        }
        Build {
            options: options.into_iter().map(str::to_string).collect(),
            separately: r.chance(50),
        }
    }
}

/// A program on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its files by path.
    pub files: BTreeMap<String, String>,
    /// The host's files.
    pub hosts: Vec<String>,
    /// The kernel files that fpgacc gets.
    pub kernels: Vec<String>,
    /// Those of them that do not build without options.
    pub needs_options: BTreeSet<String>,
    /// How often it runs, in one folder: what it keeps in files, its next run finds.
    pub runs: usize,
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
        match self.hosts[0].ends_with(".c") {
            true => "gcc",
            false => "g++",
        }
    }
}
