//! Destructors: they run where a scope is left.

use super::scope::Binding;
use super::{FnId, Interp};
use crate::location::{MemoryLocation, VarId};
use crate::types::{Kind, last_name};
use crate::value::Val;

impl<'a> Interp<'a> {
    /// The destructor of a variable's class.
    fn destructor(&self, var: VarId) -> Option<FnId> {
        let location = MemoryLocation::var(var);
        let Some(Kind::Record(class)) = self.kind_of(&location) else {
            return None;
        };
        let class = last_name(&class);
        let class = class.split_once('<').map_or(class, |(name, _)| name);
        self.own_operator(&location, &format!("~{class}"))
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
            let location = MemoryLocation::var(var);
            let Some(function) = self.destructor(var) else {
                continue;
            };
            if returned.is_some_and(|r| r.root == location.root) {
                // It lives on, and is destroyed somewhere else.
                self.unsettle(&Val::Record(location));
                continue;
            }
            let Some(id) = self.some_expression(function) else {
                continue;
            };
            let code = self.program.file_code(function.host, function.part);
            self.inline(&code, id, function, Some(location), &[]);
        }
    }
}
