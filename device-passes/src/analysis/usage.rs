//! What a kernel does with its pointer parameters.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{FunctionId, Module, VarId};

use super::accesses::{Accesses, Summaries};
use super::alias::{Aliases, Root};

/// What a kernel does with its pointer parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// May be written through.
    pub written: BTreeSet<VarId>,
    /// Is given another pointer's value: C forbids that between `restrict` pointers of one scope.
    pub reassigned: BTreeSet<VarId>,
}

impl Usage {
    /// Of a kernel; `called` holds the functions that others call.
    pub fn of(module: &Module, kernel: FunctionId, called: &BTreeSet<FunctionId>) -> Self {
        let summaries = Summaries::reachable(module, kernel, called);
        let aliases = Aliases::new(module, kernel, called);
        let function = &module.functions[kernel];
        let body = function.body.as_ref().map_or(&[][..], |body| &body.stmts);
        let accesses = Accesses::of_stmts(&aliases, &summaries, body);
        let mut written = BTreeSet::new();
        for root in accesses.writes().flat_map(|access| &access.roots) {
            match root {
                Root::Param(var) => {
                    written.insert(*var);
                }
                Root::Unknown => written.extend(&function.params),
                Root::Object(_) => {}
            }
        }
        let foreign = |var: VarId| {
            aliases
                .var_roots(var)
                .iter()
                .any(|r| *r != Root::Param(var))
        };
        let reassigned = function.params.iter().copied().filter(|v| foreign(*v));
        Usage {
            written,
            reassigned: reassigned.collect(),
        }
    }
}
