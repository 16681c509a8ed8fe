//! Destructors: they run where a scope is left.

use super::scope::Binding;
use super::{FnId, Interp};
use crate::location::{MemoryLocation, VarId};
use crate::types::{Kind, class_name};
use crate::value::Val;

/// Objects in objects that are looked at.
const MOST_NESTED: usize = 8;

impl<'a> Interp<'a> {
    /// The destructors that run at a variable's end, each with its object: that of its class, those of
    /// members, and those of bases.
    fn destructors(&self, var: VarId) -> Vec<(MemoryLocation, FnId)> {
        let location = MemoryLocation::var(var);
        let mut found = Vec::new();
        if let (Some(Kind::Record(class)), Some((_, _, host))) =
            (self.kind_of(&location), self.type_of(&location))
        {
            self.add_destructors(&location, &class, host, MOST_NESTED, &mut found);
        }
        found
    }

    fn add_destructors(
        &self,
        location: &MemoryLocation,
        class: &str,
        host: usize,
        depth: usize,
        found: &mut Vec<(MemoryLocation, FnId)>,
    ) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        let short = class_name(class);
        let own = self.own_method(short, &format!("~{short}"));
        found.extend(own.map(|id| (location.clone(), id)));
        let Some((_, record)) = self.program.types[host].record(class) else {
            return;
        };
        let members = record.fields.iter().rev();
        for member in members.filter(|m| !m.is_static && m.ty.dims.is_empty()) {
            if let Kind::Record(inner) = self.program.kind(host, &member.ty) {
                self.add_destructors(&location.field(&member.name), &inner, host, depth, found);
            }
        }
        for base in &record.bases {
            self.add_destructors(location, base, host, depth, found);
        }
    }

    /// Runs the destructors of the scopes of the innermost function that are deeper than this, but
    /// for that of a variable which is returned.
    pub(super) fn leave_scopes(&mut self, depth: usize, returned: Option<&MemoryLocation>) {
        if !self.program.has_destructors || !self.state.reachable {
            return;
        }
        let Some(frame) = self.walk.frames.last() else {
            return;
        };
        let scopes = frame.scopes.iter().skip(depth);
        let mut vars: Vec<VarId> = scopes
            .flat_map(|scope| scope.bindings())
            .filter_map(|binding| match binding {
                Binding::Var(var) if frame.own.contains(var) => Some(*var),
                _ => None,
            })
            .collect();
        vars.sort();
        for var in vars.into_iter().rev() {
            let destructors = self.destructors(var);
            if destructors.is_empty() {
                continue;
            }
            let location = MemoryLocation::var(var);
            if returned.is_some_and(|r| r.root == location.root) {
                // It lives on, and is destroyed somewhere else.
                self.unsettle(&Val::Record(location));
                continue;
            }
            for (object, function) in destructors {
                let Some(id) = self.some_expression(function) else {
                    continue;
                };
                let code = self.program.file_code(function.host, function.part);
                self.inline(&code, id, function, Some(object), &[]);
            }
        }
    }
}
