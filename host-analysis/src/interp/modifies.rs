//! What a function that is not followed may change: found by the syntax of all that it calls, at a
//! cost that grows with their text only.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::mentions::Mentions;
use super::{FnId, Interp};
use crate::location::{MemoryLocation, Root, VarId};
use crate::syntax::lex;
use crate::types::{Kind, last_name};

/// What a function and all that it calls may change.
#[derive(Default)]
pub(super) struct Modified {
    /// What they mention: they may change all names of arrays that are zeroed too.
    all: Mentions,
    /// It calls functions that are not given.
    outside: bool,
    /// It calls OpenCL.
    opencl: bool,
}

/// Names that code calls, as far as they are still to be looked at.
type Calls = Vec<String>;

/// The variables at file scope among the names in [`Modified`].
pub(super) struct ModifiedGlobals {
    /// Those that are named, or that C++ may pass by reference.
    reached: Vec<VarId>,
    /// Those that are named.
    named: Vec<VarId>,
    /// Those that are assigned, or whose address is taken.
    changed: Vec<VarId>,
}

impl<'a> Interp<'a> {
    /// The variables at file scope that a function and all that it calls may change.
    fn globals_modified_by(&mut self, callee: FnId, modified: &Modified) -> Rc<ModifiedGlobals> {
        if let Some(known) = self.summaries.modified_globals.get(&callee) {
            return known.clone();
        }
        let global = |name: &str| self.variables.global(callee.host, name);
        // C++ may pass it by reference; what is a handle or number keeps its value in C.
        let is_cpp = self.is_cpp_host(callee.host);
        let passed = modified.all.passed.iter().filter(|_| is_cpp);
        let reached = passed.chain(&modified.all.names);
        let found = Rc::new(ModifiedGlobals {
            reached: reached.filter_map(|n| global(last_name(n))).collect(),
            named: modified
                .all
                .names
                .iter()
                .filter_map(|n| global(n))
                .collect(),
            changed: {
                let changed = modified.all.changed.iter();
                changed.filter_map(|n| global(last_name(n))).collect()
            },
        });
        // While the first values of these variables are found, not all of them are there.
        if self.variables.has_globals {
            self.summaries
                .modified_globals
                .insert(callee, found.clone());
        }
        found
    }

    /// What a function and all that it calls may change.
    fn modified_by(&mut self, callee: FnId) -> Rc<Modified> {
        if let Some(known) = self.summaries.modified.get(&callee) {
            return known.clone();
        }
        let found = Rc::new(self.find_modified(callee));
        self.summaries.modified.insert(callee, found.clone());
        found
    }

    /// Whether neither a function nor anything that it calls uses OpenCL.
    pub(super) fn is_foreign(&mut self, callee: FnId) -> bool {
        let modified = self.modified_by(callee);
        !modified.opencl && !modified.all.anything
    }

    fn find_modified(&self, callee: FnId) -> Modified {
        let mut all = Modified::default();
        let mut functions = BTreeSet::from([callee]);
        let mut waiting = vec![callee];
        let mut seen: BTreeSet<(usize, String)> = BTreeSet::new();
        while let Some(id) = waiting.pop() {
            let ast = &self.program.hosts[id.host].parts[id.part].ast;
            let own = self.mentions(id);
            let first_values = Mentions::of_initialisers(ast, self.program.function(id));
            all.all.add(&own);
            all.all.add(&first_values);
            let mut calls = own.called.clone();
            calls.extend(first_values.called);
            // Functions that are named may be called by what they are given to.
            let names = own.names.iter().chain(&first_values.names);
            let named = names.filter(|name| {
                self.program.hosts[id.host].macros.knows(name)
                    || self.program.functions.contains_key(&***name)
            });
            calls.extend(named.cloned());
            while let Some(name) = calls.pop() {
                if !seen.insert((id.host, name.clone())) {
                    continue;
                }
                self.note_call(id, &name, &mut all, &mut calls);
                let short = last_name(name.split_once('<').map_or(&*name, |(name, _)| name));
                for &inner in self.program.named(short) {
                    if functions.insert(inner) {
                        waiting.push(inner);
                    }
                }
            }
        }
        let zeroed = std::mem::take(&mut all.all.zeroed);
        all.all.indirect |= !zeroed.is_empty();
        all.all.changed.extend(zeroed);
        all
    }

    /// What the call of a name means where no function is given.
    fn note_call(&self, id: FnId, name: &str, all: &mut Modified, calls: &mut Calls) {
        let macros = &self.program.hosts[id.host].macros;
        if let Some((_, definition)) = macros.at(name, macros.end()) {
            let words: Vec<String> = lex::names(&definition.body).map(str::to_string).collect();
            if !definition.system {
                all.all.indirect = true;
                all.all.changed.extend(words.iter().cloned());
            }
            if definition.params.is_some() && !definition.system {
                // Its arguments may be changed.
                all.all.changed.extend(all.all.passed.iter().cloned());
            }
            calls.extend(words);
            return;
        }
        let code = self.program.file_code(id.host, id.part);
        let known = self.program.functions.contains_key(last_name(name))
            || self.program.types[id.host].is_type(name)
            || self.program.is_library(&code, name);
        all.opencl |= super::functions::is_opencl(name)
            || name.starts_with("cl::")
            || self.program.types[id.host].wrapper(name).is_some()
            || matches!(name, "setArg" | "enqueueNDRangeKernel");
        all.outside |= !known && self.program.prototypes[id.host].contains_key(name);
        let variable = self.variables.global(id.host, name);
        let pointer = |var: crate::location::VarId| {
            let info = self.variables.info(var);
            info.kind == Kind::Pointer || info.kind == Kind::Other
        };
        // A pointer to a function.
        all.all.anything |= self
            .program
            .function(id)
            .params
            .iter()
            .any(|p| p.name == name && p.ty.function)
            || variable.is_some_and(pointer);
    }

    /// Havocs what a function that is not followed may change, as far as its arguments do not lead
    /// there.
    pub(super) fn havoc_modified(&mut self, callee: FnId, reason: &str) {
        let modified = self.modified_by(callee);
        if modified.all.anything {
            return self.havoc_lasting(reason);
        }
        let globals = self.globals_modified_by(callee, &modified);
        let mut all: Vec<Root> = Vec::new();
        if modified.all.indirect {
            for &var in &globals.reached {
                let location = MemoryLocation::var(var);
                if self.is_aggregate(&location) || self.state.has_parts(&location) {
                    all.push(Root::Var(var));
                }
            }
        }
        all.extend(globals.changed.iter().copied().map(Root::Var));
        for span in &modified.all.statics {
            all.extend(
                self.variables
                    .statics
                    .get(&(*span, None))
                    .map(|v| Root::Var(*v)),
            );
        }
        if modified.all.indirect {
            let named = globals.named.iter().copied().map(Root::Var).collect();
            self.havoc_from(Vec::new(), named, reason);
        }
        for root in all {
            self.havoc_root(root, reason);
        }
        if modified.opencl {
            self.havoc_args(reason);
        }
        if modified.outside {
            self.outside(reason);
        }
    }

    fn is_cpp_host(&self, host: usize) -> bool {
        self.program.hosts[host].language == crate::syntax::Language::Cpp
    }
}
