//! How much faster kernels become on GPUs and processors as vectors, with fewer work-items and with other
//! work-groups (Magni et al., papers/000; Fang and Varbanescu, papers/004): all variants, as measured.
//!
//! `case` makes variants of a kernel, `space` says which there are, `plan` prints what `benchmarks/mended/pairs.c`
//! times, and `table` what came of it. `published` chooses without a run.

pub mod case;
mod options;
mod plan;
mod published;
pub mod space;
mod table;

pub use options::{Options, usual_list};
pub use table::{Row, read};
