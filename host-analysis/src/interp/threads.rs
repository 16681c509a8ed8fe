//! What may change at any time: by functions that run in other threads, in signal handlers or when
//! an event happens, and by kernels that write to memory of the host.

use super::functions::{self, first_passed};
use super::tries::or_assigned;
use super::{Code, Interp};
use crate::location::{MemoryLocation, Root};
use crate::object::ObjectKind;
use crate::syntax::ast::ExprId;
use crate::types::last_name;
use crate::value::Val;

/// What is given to code that calls it later.
pub(super) struct Given<'v> {
    /// All that it gets.
    pub values: &'v [Val],
    /// The functions and lambdas among it, or to which it leads.
    pub functions: &'v [Val],
    /// What they are called with; nothing if that is not known.
    pub args: &'v [Val],
}

/// What a function that starts a thread passes on to the thread's function.
fn passed_on<'v>(name: Option<&str>, values: &'v [Val]) -> &'v [Val] {
    let Some(first) = first_passed(name) else {
        return &[];
    };
    let function = values.iter().position(Val::is_function);
    let Some(function) = function.filter(|at| *at <= first || first == 0) else {
        return &[];
    };
    values.get(first.max(function + 1)..).unwrap_or_default()
}

impl<'v> Given<'v> {
    /// What the function of this name, or the constructor of this class, gets.
    pub fn to(name: Option<&str>, values: &'v [Val], functions: &'v [Val]) -> Given<'v> {
        Given {
            values,
            functions,
            args: passed_on(name, values),
        }
    }
}

/// Why such a value is not known.
const REASON: &str = "it may be changed at any time";

impl<'a> Interp<'a> {
    /// Functions and pointers are given to something that calls the functions with the pointers
    /// from now on.
    pub(super) fn at_any_time(&mut self, code: &Code<'a>, id: ExprId, given: &Given<'_>) {
        if given.functions.is_empty() {
            return;
        }
        self.memo.invalidate();
        for value in given.values {
            for root in self.reachable(value) {
                self.share(root);
            }
        }
        // What they change they may find changed when they are called again.
        loop {
            let mark = self.state.mark();
            self.exposed.called_back_on.clear();
            self.outside(REASON);
            self.called_back(code, id, given);
            let (changes, _) = self.take_back(mark);
            let mut roots = std::mem::take(&mut self.exposed.called_back_on);
            roots.extend(changes.sorted().iter().map(|(location, _)| location.root));
            roots.retain(|root| {
                !self.exposed.unsettled.has(*root) && !self.exposed.shared.has(*root)
            });
            if roots.is_empty() {
                return;
            }
            for root in roots {
                match self.is_kernel_object(root) {
                    true => self.share(root),
                    false => self.unsettle_root(root),
                }
            }
        }
    }

    fn is_kernel_object(&self, root: Root) -> bool {
        let Root::Object(id) = root else {
            return false;
        };
        matches!(self.objects.get(id).kind, ObjectKind::Kernel { .. })
    }

    /// Several threads may use what a variable or object holds, from now on.
    fn share(&mut self, root: Root) {
        if self.exposed.shared.has(root) || self.exposed.unsettled.has(root) {
            return;
        }
        if self.rounds.is_last_round || self.budget.flat {
            return self.unsettle_root(root);
        }
        if !self.lasts(root) && !self.exposed.threaded.contains(&root) {
            // What was assigned to it so far was not noted.
            self.exposed.newly_threaded.insert(root);
            self.rounds.stale_main = true;
            return self.unsettle_root(root);
        }
        self.exposed.shared.insert(root);
        self.rounds.looked_at.insert(root);
        let all: Vec<MemoryLocation> = self
            .rounds
            .flow_insensitive
            .of(root)
            .map(|(location, _)| location)
            .collect();
        for location in all {
            let now = self.state.get(&location);
            let now = match self.state.own(&location) {
                Some(_) => now,
                None => Val::Unset,
            };
            let value = self.shared_value(&location, now);
            self.state.set(&location, value);
        }
    }

    /// What another thread may find in a location, or may have put there.
    fn shared_value(&self, location: &MemoryLocation, value: Val) -> Val {
        or_assigned(value, location, |whole| {
            self.rounds.flow_insensitive.get(whole)
        })
    }

    /// Functions that are passed away may be called, or not.
    pub(super) fn called_back(&mut self, code: &Code<'a>, id: ExprId, given: &Given<'_>) {
        for function in given.functions {
            match function {
                Val::Function(name) if functions::is_opencl(name) => {
                    self.called_somehow(code.site(code.ast().expr(id).span), last_name(name));
                }
                Val::Function(name) => self.call_back(code, id, name, given.args),
                Val::Closure(closure) => self.closure_called_back(code, id, closure),
                _ => {}
            }
        }
    }

    /// What a value points to may change at any time from now on.
    pub(super) fn unsettle(&mut self, value: &Val) {
        for root in self.reachable(value) {
            self.unsettle_root(root);
        }
    }

    fn unsettle_root(&mut self, root: Root) {
        match root {
            Root::Object(id) if self.is_kernel_object(root) => self.havoc_args_of(id, REASON),
            _ => self.havoc_root(root, REASON),
        }
        self.exposed.unsettled.insert(root);
    }

    /// A value as it is found in a location later.
    pub(super) fn settled(&self, location: &MemoryLocation, value: Val) -> Val {
        if self.exposed.unsettled.has(location.root) {
            return Val::unknown(REASON);
        }
        if self.exposed.shared.has(location.root) {
            return self.shared_value(location, value);
        }
        if self.variables.ambiguous.has(location.root) {
            return Val::unknown("several namespaces have a variable of this name");
        }
        match self.doubt(location) {
            Some(reason) => Val::unknown(reason),
            None => value,
        }
    }
}
