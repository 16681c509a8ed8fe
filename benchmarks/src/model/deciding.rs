//! What fpgacc decides on kernels of which a table says how they are launched.

use std::fmt::Write;

use fpgacc_decision::{Candidate, Decided, Decision, Request, RequestedModels, SearchTime};
use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_frontend::ir::Module;
use fpgacc_frontend::source::SourceMap;
use fpgacc_launch_facts::Facts;
use fpgacc_performance_model::Board;

/// How it is decided.
#[derive(Clone, Copy, Debug)]
pub struct Deciding<'a> {
    /// The board.
    pub board: &'a Board,
    /// Sums may be reassociated.
    pub fp_relaxed: bool,
    /// `--kernel-opt`.
    pub level: u8,
    /// `--search-time`.
    pub search_time: SearchTime,
}

/// Decides on all kernels of a module, and leaves it as it is.
pub fn decide(module: &Module, sources: &SourceMap, facts: &Facts, how: &Deciding<'_>) -> Decided {
    let requested = RequestedModels::default();
    let request = Request {
        board: how.board,
        requested: &requested,
        fp_relaxed: how.fp_relaxed,
        emulated: false,
        on_gpu: false,
        search_time: how.search_time,
        explain: true,
        sources,
        measured: None,
        times: &[],
    };
    let pipeline = Pipeline {
        level: how.level,
        ..Pipeline::default()
    };
    fpgacc_decision::run(&mut module.clone(), facts, &pipeline, &request)
}

/// All forms of a kernel, the fastest first, with the seconds of all its launches.
pub fn forms(kernel: &str, decision: &Decision, seconds: &dyn Fn(&Candidate) -> f64) -> String {
    let mut all: Vec<(f64, &Candidate)> = decision
        .candidates
        .iter()
        .map(|form| (seconds(form), form))
        .collect();
    all.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let searched = decision.searched;
    let mut text = format!("{kernel}: {} forms, of which matter:\n", searched.forms);
    if let Some(floor) = searched.floor {
        // The floor is of the sum that the search compares.
        let input = decision.input();
        let each = seconds(input) / input.price.seconds.value;
        let _ = writeln!(
            text,
            "the search ended early: nothing is below {:.3} ms",
            floor * each * 1e3
        );
    }
    for (seconds, form) in all {
        let fits = if form.price.fits {
            ""
        } else {
            " (does not fit)"
        };
        let _ = writeln!(text, "{:12.3} ms  {}{fits}", seconds * 1e3, form.label);
    }
    for refused in &decision.chosen().refused {
        let why = if refused.fits {
            "no faster"
        } else {
            "does not fit"
        };
        let _ = writeln!(text, "not taken then: {} ({why})", refused.what);
    }
    text
}
