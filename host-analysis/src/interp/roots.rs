//! Functions that nobody given calls, or that code which is not followed may call: the analysis
//! starts from each of them too. Those that have nothing to do with OpenCL are not followed where
//! there is a `main`: all that they could say is what they assign to variables that outlive them,
//! and these count as unknown then.

use std::collections::BTreeSet;

use super::mentions::Mentions;
use super::{FnId, Interp};
use crate::location::{MemoryLocation, Root};
use crate::syntax::Language;
use crate::syntax::lex;
use crate::types::last_name;
use crate::value::Val;

impl<'a> Interp<'a> {
    /// All names that a function and what it calls may mention, if none of them is OpenCL's. Only
    /// for C: in C++, functions are called without being named.
    fn without_opencl(&self, id: FnId) -> Option<(BTreeSet<String>, Vec<FnId>)> {
        let mut seen = BTreeSet::new();
        let mut functions = BTreeSet::from([id]);
        let mut waiting = vec![id];
        let hosts = self.program.hosts;
        let macros = &hosts[id.host].macros;
        while let Some(id) = waiting.pop() {
            if hosts[id.host].language != Language::C {
                return None;
            }
            let mentions = self.mentions(id);
            if mentions.keeps_state {
                return None;
            }
            let Mentions {
                names,
                members,
                hidden,
                ..
            } = &*mentions;
            let all = names.iter().chain(members).chain(hidden);
            let mut names: Vec<&str> = all.map(String::as_str).collect();
            while let Some(name) = names.pop() {
                if super::functions::is_opencl(name) {
                    return None;
                }
                if seen.contains(name) {
                    continue;
                }
                seen.insert(name.to_string());
                if macros.knows(name) {
                    let (_, definition) = macros.at(name, macros.end())?;
                    if definition.body.contains("##") {
                        return None;
                    }
                    names.extend(lex::names(&definition.body));
                }
                for &inner in self.program.named(name) {
                    if functions.insert(inner) {
                        waiting.push(inner);
                    }
                }
            }
        }
        Some((seen, functions.into_iter().collect()))
    }

    /// Leaves a function out that has nothing to do with OpenCL; false if it must be followed.
    pub(super) fn leave_out(&mut self, id: FnId) -> bool {
        let Some((names, functions)) = self.without_opencl(id) else {
            return false;
        };
        let reason = format!("`{}` may change it", self.program.function(id).name);
        let vars = names
            .iter()
            .filter_map(|n| self.variables.global(id.host, n));
        let mut work: Vec<Root> = vars.map(Root::Var).collect();
        let mut seen = BTreeSet::new();
        while let Some(root) = work.pop() {
            if !seen.insert(root) {
                continue;
            }
            if let Root::Var(var) = root
                && self.variables.info(var).ty.is_const
            {
                continue;
            }
            let whole = MemoryLocation::of(root);
            let assigned = self
                .flow_insensitive_values(&whole)
                .into_iter()
                .map(|(_, v)| v);
            let values: Vec<Val> = assigned.chain([self.state.get(&whole)]).collect();
            for value in values.iter().flat_map(|v| v.alternatives()) {
                if let Val::Pointer(MemoryLocation { root, .. })
                | Val::Record(MemoryLocation { root, .. })
                | Val::Into(root) = value
                {
                    work.push(*root);
                }
            }
            self.grow_flow_insensitive(&whole, Val::unknown(&reason));
        }
        for id in functions {
            let span = self.program.function(id).span;
            self.seen(span);
        }
        true
    }

    /// Functions that were not reached: first those that no other one calls. And those that code
    /// which is not followed may call.
    pub(super) fn other_roots(&mut self, last: bool) {
        let all: BTreeSet<FnId> = self.program.functions.values().flatten().copied().collect();
        let mut started = BTreeSet::new();
        if all.iter().all(|&id| self.is_visited(id)) && self.trace.unfollowed.is_empty() {
            return;
        }
        for id in self.program.uncalled().clone() {
            let span = self.program.function(id).span;
            self.seen(span);
        }
        let called = self.program.called_names().clone();
        self.start();
        if self.program.functions.contains_key("main") {
            for &id in &all {
                if !self.is_visited(id) {
                    self.leave_out(id);
                }
            }
        }
        self.widen_globals(last);
        let start = self.state.mark();
        for only_uncalled in [true, false] {
            for &id in &all {
                let name = &self.program.function(id).name;
                let short = last_name(name);
                if self.is_visited(id) || (only_uncalled && called.contains(short)) {
                    continue;
                }
                started.insert(self.program.function(id).span);
                self.root(id, false, start);
            }
        }
        // Following these may find more.
        loop {
            let mut left: Vec<FnId> = self.trace.unfollowed.iter().copied().collect();
            left.retain(|id| started.insert(self.program.function(*id).span));
            if left.is_empty() {
                return;
            }
            for id in left {
                self.root(id, false, start);
            }
        }
    }
}
