//! What the project's tests share: running kernels on several OpenCL implementations and comparing
//! what they leave in memory.
//!
//! A [`job::Job`] is a program with launches; [`run::run`] runs it on one implementation, in a
//! process of its own; [`compare::same`] says whether two jobs, an original and a rewritten one,
//! do the same everywhere.
//!
//! ```no_run
//! use fpgacc_tests::compare::{self, Bound};
//! use fpgacc_tests::job::{Arg, Fill, Geometry, Job};
//! use fpgacc_tests::run::Platform;
//!
//! let text = "__kernel void add(__global const float *a, __global float *b, float c) {
//!     int i = get_global_id(0);
//!     b[i] = a[i] + c;
//! }";
//! let mut job = Job::new(text);
//! let a = job.buffer(64 * 4, Fill::floats(1, -1.0, 1.0));
//! let b = job.buffer(64 * 4, Fill::Zero);
//! job.launch("add", Geometry::range(&[64], &[16]), [a, b, Arg::float(0.5)]);
//!
//! // The original is certified by Oclgrind, then both run on both emulators.
//! let rewritten = job.with_source("...");
//! compare::certify(&job).unwrap();
//! compare::same(&job, &rewritten, &Platform::EMULATORS, &Bound::Exact).unwrap();
//! ```
//!
//! A kernel in single work-item form takes hidden arguments: [`job::Job::as_task`] appends them as
//! the runtime would.
//!
//! Tests that run kernels live in this package's `tests/`: only there does cargo build the program
//! `fpgacc-diff`, in which jobs run.

pub mod adhoc;
pub mod aligned;
pub mod book;
pub mod campaign;
pub mod cause;
pub mod command;
pub mod compare;
pub mod exchanges;
pub mod generate;
pub mod half_known;
pub mod histograms;
pub mod hosts;
pub mod in_a_row;
pub mod job;
pub mod judge;
pub mod neighbours;
pub mod one_pass;
pub mod padded;
pub mod planes;
pub mod platform;
pub mod random;
pub mod recurrences;
pub mod reduce;
pub mod reference;
pub mod rereads;
pub mod resumable;
pub mod rewrite;
pub mod rounds;
pub mod roundtrip;
pub mod rows;
pub mod run;
pub mod scalars;
pub mod seeds;
pub mod sequences;
pub mod sizes;
pub mod stencils;
pub mod tables;
pub mod tiles;
pub mod time_loops;
pub mod together;
pub mod traced;
pub mod trial;
pub mod undefined;
pub mod vector_loops;
pub mod vectors;
pub mod waves;
pub mod worker;

pub use command::path_with_fpgacc;
