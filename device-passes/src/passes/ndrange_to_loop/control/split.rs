//! A kernel's body becomes a schedule.

use fpgacc_frontend::ir::{FileNames, Function, Module, Stmt};

use crate::passes::ndrange_to_loop::control::alike::Alike;
use crate::passes::ndrange_to_loop::control::convergence::{self, Surroundings};
use crate::passes::ndrange_to_loop::control::exits;
use crate::passes::ndrange_to_loop::control::live_ranges;
use crate::passes::ndrange_to_loop::control::schedule::{self, Barriers};
use crate::passes::ndrange_to_loop::control::steps::Schedule;
use crate::passes::ndrange_to_loop::control::switches;
use crate::passes::ndrange_to_loop::control::uniform;
use crate::passes::ndrange_to_loop::prepare;
use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// Splits the body into regions at its barriers, and at the control that they stand in. `alike` states which
/// work-items run its regions in turn.
pub fn split(
    module: &mut Module,
    function: &mut Function,
    taken: &FileNames,
    (alike, barriers): (Alike, Barriers),
    mut stmts: Vec<Stmt>,
) -> Schedule {
    prepare::split_steps(function, &mut stmts);
    let mut target = Target {
        function,
        types: &mut module.types,
        taken,
    };
    let has_barriers = stmts
        .iter()
        .any(|stmt| convergence::holds_barrier(target.function, stmt));
    if has_barriers {
        live_ranges::split(&mut target, &mut stmts);
        switches::rewrite(&mut target, &mut stmts, Surroundings::default());
    }
    loop {
        let uniform = uniform::find(module, function, &stmts, alike);
        let mut target = Target {
            function: &mut *function,
            types: &mut module.types,
            taken,
        };
        if exits::eliminate(&mut target, &uniform, &mut stmts) {
            continue;
        }
        let schedule = schedule::build(&mut target, &uniform, stmts, barriers);
        return Schedule { alike, ..schedule };
    }
}
