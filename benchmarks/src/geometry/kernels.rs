//! The kernels whose local sizes are measured: `benchmarks/geometry/kernels.yaml`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

/// A kernel and how it is launched.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its program, such as `rodinia/nn`.
    pub program: String,
    /// Its name.
    pub kernel: String,
    /// Its file, from the folder that holds the checkouts.
    pub file: String,
    /// Build options.
    #[serde(default)]
    pub options: String,
    /// What the names in sizes stand for.
    sizes: BTreeMap<String, u64>,
    /// The same, for a CPU.
    small: BTreeMap<String, u64>,
    /// Products of names and numbers.
    global: Vec<String>,
    /// The local size that its author chose; `None`: left open.
    pub local: Option<Vec<u64>>,
    /// Other local sizes that it may be launched with.
    #[serde(default)]
    locals: Vec<Vec<u64>>,
    /// Its arguments.
    args: Vec<String>,
}

/// Which of the sizes are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Data {
    /// Those for a GPU.
    Large,
    /// Those for a CPU.
    Small,
}

impl Entry {
    /// Reads the list.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn read(path: &Path) -> Result<Vec<Self>, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        serde_yaml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Whether its program and name contain a text; all are meant if none is given.
    pub fn is_meant(&self, only: Option<&str>) -> bool {
        let name = format!("{} {}", self.program, self.kernel);
        only.is_none_or(|text| name.contains(text))
    }

    /// A product of names and numbers; `None`: it is something else.
    fn product(&self, text: &str, data: Data) -> Option<u64> {
        let sizes = match data {
            Data::Large => &self.sizes,
            Data::Small => &self.small,
        };
        text.split('*').try_fold(1u64, |product, factor| {
            let factor = factor.trim();
            let named = sizes.get(factor).copied();
            product.checked_mul(named.or_else(|| factor.parse().ok())?)
        })
    }

    /// Words, each of which that is a product is replaced by its value.
    fn spelled(&self, text: &str, data: Data) -> String {
        let words = text
            .split_whitespace()
            .map(|word| match self.product(word, data) {
                Some(value) => value.to_string(),
                None => word.to_string(),
            });
        words.collect::<Vec<String>>().join(" ")
    }

    /// The entry once for each local size that it may be launched with. Its data may depend on that: `l` stands for
    /// the work-items of a group.
    pub fn in_each_size(&self) -> Vec<Self> {
        let mut sizes: Vec<&Vec<u64>> = self.local.iter().chain(&self.locals).collect();
        sizes.dedup();
        let of_size = |local: &Vec<u64>| {
            let mut entry = self.clone();
            for sizes in [&mut entry.sizes, &mut entry.small] {
                sizes.insert("l".to_string(), local.iter().product());
            }
            entry.local = Some(local.clone());
            entry
        };
        sizes.into_iter().map(of_size).collect()
    }

    /// The global size.
    ///
    /// # Errors
    ///
    /// A size is no product of names and numbers.
    pub fn dims(&self, data: Data) -> Result<Vec<u64>, String> {
        let global = self.global(data)?;
        Ok(global[..self.global.len().min(3)].to_vec())
    }

    /// The global size; 1 beyond the launch's own dimensions.
    ///
    /// # Errors
    ///
    /// A size is no product of names and numbers.
    pub fn global(&self, data: Data) -> Result<[u64; 3], String> {
        let mut global = [1; 3];
        for (to, text) in global.iter_mut().zip(&self.global) {
            let value = self.product(text, data);
            *to = value.ok_or_else(|| format!("{} {}: '{text}'", self.program, self.kernel))?;
        }
        Ok(global)
    }

    /// The local size that its author chose.
    pub fn author(&self) -> Option<[u64; 3]> {
        let local = self.local.as_ref()?;
        let at = |dim: usize| local.get(dim).copied().unwrap_or(1);
        Some([at(0), at(1), at(2)])
    }

    /// Build options, with the sizes in them.
    pub fn options(&self, data: Data) -> String {
        let words = self
            .options
            .split_whitespace()
            .map(|word| match word.split_once('=') {
                Some((name, value)) => format!("{name}={}", self.spelled(value, data)),
                None => word.to_string(),
            });
        words.collect::<Vec<String>>().join(" ")
    }

    /// Integer arguments by their index.
    pub fn scalars(&self, data: Data) -> BTreeMap<u32, i64> {
        let all = self.args.iter().enumerate().filter_map(|(index, text)| {
            let (kind, value) = text.split_once(' ')?;
            let is_integer = matches!(kind, "int" | "uint" | "long" | "short");
            let value = self.spelled(value, data).parse().ok()?;
            is_integer.then_some((index as u32, value))
        });
        all.collect()
    }

    /// Bytes of `__local` arguments by their index.
    pub fn local_bytes(&self, data: Data) -> impl Iterator<Item = (u32, u64)> {
        let args = self.args.iter().enumerate();
        args.filter_map(move |(index, text)| {
            let bytes = self.product(text.strip_prefix("local ")?, data)?;
            Some((index as u32, bytes))
        })
    }

    /// The arguments, with the sizes in them.
    pub fn spelled_args(&self, data: Data) -> impl Iterator<Item = String> {
        self.args.iter().map(move |arg| self.spelled(arg, data))
    }

    /// What the runner is given of it; files start with `root`.
    pub fn plan(&self, root: &str, data: Data) -> String {
        let mut plan = format!(
            "kernel {} {} {root}/{}\n",
            self.program, self.kernel, self.file
        );
        let options = self.options(data);
        if !options.is_empty() {
            let _ = writeln!(plan, "options {options}");
        }
        let local = self.local.as_ref().map(|sizes| {
            let words: Vec<String> = sizes.iter().map(u64::to_string).collect();
            words.join(" ")
        });
        let global = self.spelled(&self.global.join(" "), data);
        let _ = writeln!(plan, "global {global}");
        let _ = writeln!(plan, "local {}", local.as_deref().unwrap_or("null"));
        for arg in self.spelled_args(data) {
            let _ = writeln!(plan, "arg {arg}");
        }
        plan.push_str("run\n");
        plan
    }
}
