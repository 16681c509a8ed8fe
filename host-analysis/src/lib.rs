//! Hosts to launch facts; patches of host sources.
//!
//! [`syntax`] parses hosts. [`analyse`] follows the whole host program and reports what is known of each OpenCL program,
//! buffer and launch. It claims only what holds whenever the location is reached; everything else is
//! symbolic, or unknown with the reason. [`patch`] rewrites the calls that fpgacc's runtime takes
//! over.

mod arguments;
mod arith;
mod content;
mod counted_loops;
mod index;
mod interp;
mod location;
mod number;
mod numbers;
mod object;
pub mod patch;
mod report;
mod state;
mod symbol;
mod symbolic;
pub mod syntax;
mod text;
mod turns;
mod types;
mod value;

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::SourceMap;
use fpgacc_launch_facts::Facts;

pub use arguments::{Arguments, AskedKernel, SetArgument};

use crate::syntax::HostFile;

/// Stack of the thread that follows the host: its depth is bounded, but deep.
const STACK_BYTES: usize = 512 << 20;

/// What is known of the hosts of one executable.
#[derive(Default)]
pub struct Analysis {
    /// Their programs, buffers and launches.
    pub facts: Facts,
    /// What each way to a launch passes to its kernel, where the kernel is known.
    pub arguments: Vec<Arguments>,
    /// The kernels that are asked for by names that are known, launched or not.
    pub asked: Vec<AskedKernel>,
    /// Remarks where something about a launch is not known, and a warning if there is no launch.
    pub diagnostics: Vec<Diagnostic>,
}

/// Launch facts of all hosts of one executable, and what is to be reported of them.
pub fn analyse(hosts: &[HostFile], sources: &SourceMap) -> Analysis {
    let work = || {
        let mut interp = interp::Interp::new(hosts, sources);
        interp.run();
        report::report(&interp, hosts, sources)
    };
    // Where no thread can be had, there is no analysis: nothing is claimed then.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work);
        match thread.map(|t| t.join()) {
            Ok(Ok(result)) => result,
            _ => Analysis {
                diagnostics: vec![Diagnostic::warning("the host could not be analysed")],
                ..Analysis::default()
            },
        }
    })
}
