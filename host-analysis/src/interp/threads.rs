//! What may change at any time: by functions that run in other threads, in signal handlers or when
//! an event happens, and by kernels that write to memory of the host.

use fpgacc_frontend::host::ast::ExprId;

use super::{Code, Interp};
use crate::state::{Place, Root};
use crate::value::Val;

/// Functions that call one of their arguments later.
const CALL_LATER: &[&str] = &[
    "pthread_create",
    "thrd_create",
    "signal",
    "sigaction",
    "sigset",
    "timer_create",
    "std::thread",
    "std::jthread",
    "std::async",
    "thread",
    "async",
];

/// Why such a value is not known.
const REASON: &str = "it may be changed at any time";

/// Whether a function calls its arguments at times that are not known.
pub(super) fn calls_later(name: &str) -> bool {
    CALL_LATER.contains(&name) || super::opencl::is_function(name)
}

impl<'a> Interp<'a> {
    /// Functions and pointers are given to something that calls the functions with the pointers
    /// from now on.
    pub(super) fn at_any_time(&mut self, code: &Code<'a>, id: ExprId, values: &[Val]) {
        let functions: Vec<Val> = values
            .iter()
            .flat_map(Val::alternatives)
            .filter(|value| matches!(value, Val::Function(_) | Val::Closure(_)))
            .cloned()
            .collect();
        if functions.is_empty() {
            return;
        }
        self.repeats.spoil();
        for value in values {
            self.unsettle(value);
        }
        let mark = self.state.mark();
        self.called_back_on.clear();
        self.outside(REASON);
        self.called_back(code, id, &functions);
        let (changes, _) = self.take_back(mark);
        let mut roots = std::mem::take(&mut self.called_back_on);
        roots.extend(changes.sorted().iter().map(|(place, _)| place.root));
        for root in roots {
            self.unsettle_root(root);
        }
    }

    /// Functions that are passed away may be called, or not.
    pub(super) fn called_back(&mut self, code: &Code<'a>, id: ExprId, functions: &[Val]) {
        for function in functions {
            match function {
                Val::Function(name) => self.call_back(code, id, name),
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
        self.forget_root(root, REASON);
        self.unsettled.insert(root);
    }

    /// A value as it is found in a place later.
    pub(super) fn settled(&self, place: &Place, value: Val) -> Val {
        if self.unsettled.has(place.root) {
            return Val::unknown(REASON);
        }
        if self.ambiguous.has(place.root) {
            return Val::unknown("several namespaces have a variable of this name");
        }
        match self.doubt(place) {
            Some(reason) => Val::unknown(reason),
            None => value,
        }
    }
}
