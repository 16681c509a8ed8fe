//! The names at file scope.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::module::Module;

/// Names at file scope: what a new variable or function must not have.
#[derive(Clone, Debug, Default)]
pub struct FileNames {
    /// Those that copies of a module share ([`Module::keep_names`]).
    kept: Arc<BTreeSet<String>>,
    /// The others.
    own: BTreeSet<String>,
}

impl FileNames {
    /// Whether a name is taken.
    pub fn contains(&self, name: &str) -> bool {
        self.own.contains(name) || self.kept.contains(name)
    }

    /// Takes a name.
    pub fn insert(&mut self, name: String) {
        self.own.insert(name);
    }
}

impl Extend<String> for FileNames {
    fn extend<I: IntoIterator<Item = String>>(&mut self, names: I) {
        self.own.extend(names);
    }
}

impl FromIterator<String> for FileNames {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        FileNames {
            kept: Arc::default(),
            own: names.into_iter().collect(),
        }
    }
}

/// Names that were collected once.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    names: Arc<BTreeSet<String>>,
    /// How many functions they are of. All else at file scope is in them.
    functions: usize,
}

impl Module {
    /// All names at file scope.
    pub fn global_names(&self) -> FileNames {
        let Some(kept) = &self.kept_names else {
            return self.collect_names().collect();
        };
        let added = self.functions.iter().skip(kept.functions);
        FileNames {
            kept: Arc::clone(&kept.names),
            own: added.map(|(_, function)| function.name.clone()).collect(),
        }
    }

    /// Collects the names at file scope for all copies that are made of this module from now on. What is
    /// added to them may only be functions, which keep their names: rewriting one kernel of thousands then
    /// does not begin with the names of all.
    pub fn keep_names(&mut self) {
        let names = self.collect_names().collect();
        self.kept_names = Some(Kept {
            names: Arc::new(names),
            functions: self.functions.len(),
        });
    }

    fn collect_names(&self) -> impl Iterator<Item = String> {
        let functions = self.functions.iter().map(|(_, f)| f.name.clone());
        let globals = self.globals.iter().map(|(_, g)| g.variable.name.clone());
        let typedefs = self.typedefs.iter().map(|(_, t)| t.name.clone());
        let enumerators = self.enums.iter().flat_map(|(_, e)| &e.enumerators);
        let constants = enumerators.map(|constant| constant.name.clone());
        functions.chain(globals).chain(typedefs).chain(constants)
    }
}
