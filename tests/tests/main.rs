//! What runs commands and kernels: one program, which is linked once, and whose tests, of which many take long,
//! keep all processors at work together.
//!
//! `cargo test -p fpgacc-tests --test all report::` runs those of one file.

mod accesses;
mod alignment;
mod as_is;
mod bad_inputs;
mod book;
mod build_systems;
mod check;
mod coalesce;
mod command_line;
mod composed_texts;
mod constant_memory;
mod examples;
mod facts;
mod facts_that_do_not_hold;
mod geometry;
mod guarded_divisions;
mod harness;
mod hostile;
mod hosts;
mod identity;
mod install;
mod interposed;
mod kernel_options;
mod left_to_device;
mod masked_indices;
mod measured_times;
mod on_gpu;
mod opt_record;
mod outputs;
mod passes;
mod report;
mod rolled_lanes;
mod roundtrip;
mod scalar_replacement;
mod search;
mod separate_compilation;
mod signed_zeros;
mod spare;
mod texts;
mod time_loops;
mod trace;
mod trip_counts;
mod tune;
mod types_of_ids;
mod verify;
mod whole_programs;
mod wide;
