//! Kernels that read again what they or their neighbours have read or stored: stencils, rows and tiles that
//! work-items share, tables of neighbours, recurrences, counts, loops over rows and loops for vectors. What
//! passes for such memory rewrite, and what nearly is such.
//!
//! Some kernels are those of the passes' own tests (`borrowed`); the others are put together of parts
//! (`parts`) that several passes meet in one kernel, each for a place of an image (`scene`): a work-item,
//! or an iteration of a nest in a single one.

mod around;
mod borders;
mod borrowed;
mod composer;
mod loops;
mod parts;
mod scene;
mod sequences;

use crate::job::Job;
use crate::random::Random;
use crate::rewrite::Knowledge;

use super::{Focus, Generated};

/// What stands before all kernels.
pub(super) fn functions() -> String {
    scene::functions() + &borrowed::functions()
}

/// Appends a kernel and its launch.
pub(super) fn kernel(
    job: &mut Job,
    number: usize,
    random: &mut Random,
    (knowledge, focus): (Knowledge, Focus),
) -> Generated {
    let name = format!("k{number}");
    let (first, start) = (job.buffers.len(), job.source.len());
    match focus {
        Focus::Tables => borrowed::kernel(job, &name, random, borrowed::table),
        _ if random.chance(30) => borrowed::kernel(job, &name, random, borrowed::any),
        _ => composer::kernel(job, &name, random),
    }
    Generated {
        name,
        knowledge,
        twin: None,
        own: (first..job.buffers.len()).collect(),
        barriers: job.source[start..].matches("barrier(").count(),
        text: 0..0,
    }
}
