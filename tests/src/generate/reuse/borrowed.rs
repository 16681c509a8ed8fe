//! Kernels of the tests of single passes, which know best what nearly breaks their rules. Here other passes
//! meet them, too.

use crate::histograms::{self, Histogram};
use crate::job::{Arg, Fill, Job};
use crate::neighbours::{self, Neighbours};
use crate::padded::{self, Padded};
use crate::planes::{self, Planes};
use crate::random::Random;
use crate::recurrences::{self, Recurrence};
use crate::rereads;
use crate::rounds::{self, Rounds};
use crate::rows::{self, Rows};
use crate::sizes;
use crate::stencils::{self, Stencil};
use crate::tiles::{self, Shared};
use crate::vector_loops;
use crate::vectors;
use crate::waves::{self, Wave};

/// What stands before all of them.
pub(super) fn functions() -> String {
    let texts = [rounds::FUNCTIONS, rereads::FUNCTIONS, vectors::FUNCTIONS];
    texts.concat() + &tiles::functions()
}

/// A program of one kernel, `k0`, and its launches: with tables on the chip.
pub(super) fn table(random: &mut Random) -> Job {
    match random.chance(50) {
        true => waves::job(&[Wave::random(random)]),
        false => padded::job(&[Padded::random(random)]),
    }
}

/// One of any kind.
pub(super) fn any(random: &mut Random) -> Job {
    match random.below(18) {
        0 => stencils::job(&[Stencil::random(random, false)]),
        1 => stencils::job(&[Stencil::random(random, true)]),
        2 | 11 => tiles::job(&[Shared::random(random)]),
        3 | 12 | 14 => neighbours::job(&[Neighbours::random(random)]),
        4 | 13 => recurrences::job(&[Recurrence::random(random)]),
        5 => rounds::job(&[Rounds::random(random)]),
        6 => planes::job(&[Planes::random(random)]),
        7 => rows::job(&[Rows::random(random)]),
        8 => vector_loops::job(random, 1),
        9 => match random.chance(50) {
            true => vectors::job(random, 1),
            false => sizes::job(&[sizes::one(random, 0)]),
        },
        10 => rereads::job(&[rereads::kernel(random, 0)]),
        16 | 17 => table(random),
        _ => histograms::job(&[Histogram::random(random)]),
    }
}

/// Whether floats grow beyond what they hold exactly, so that a compiler's fused operations show.
fn grows(job: &Job) -> bool {
    job.source.contains("\nfloat sum") && job.source.contains("sum = sum * 3")
}

/// Appends the kernel of such a program, with this name and one of its launches.
pub(super) fn kernel(
    job: &mut Job,
    name: &str,
    random: &mut Random,
    program: fn(&mut Random) -> Job,
) {
    let mut from = program(random);
    while grows(&from) {
        from = program(random);
    }
    let mut text = from.source.as_str();
    for functions in [
        rounds::FUNCTIONS,
        rereads::FUNCTIONS,
        vectors::FUNCTIONS,
        &tiles::functions(),
    ] {
        text = text.strip_prefix(functions).unwrap_or(text);
    }
    job.source
        .push_str(&text.replacen("void k0(", &format!("void {name}("), 1));
    let launch = &from.launches[random.below(from.launches.len())];
    let mut buffers = Vec::new();
    let args: Vec<Arg> = launch
        .args
        .iter()
        .map(|arg| moved(arg, &from, job, &mut buffers))
        .collect();
    job.launch(name, launch.geometry.clone(), args);
}

/// An argument of a program as one of another, which gets its buffer; one that is passed twice stays one.
fn moved(arg: &Arg, from: &Job, to: &mut Job, buffers: &mut Vec<(usize, usize)>) -> Arg {
    let Arg::Buffer(number) = arg else {
        return arg.clone();
    };
    if let Some((_, known)) = buffers.iter().find(|(old, _)| old == number) {
        return Arg::Buffer(*known);
    }
    let mut buffer = from.buffers[*number].clone();
    if matches!(buffer.fill, Fill::Floats { .. }) {
        // Sums that are exact in any order.
        buffer.fill = Fill::of_floats(&[1.0, -2.0, 5.0, 0.0, 3.0, -1.0, 2.0]);
    }
    to.buffers.push(buffer);
    let known = to.buffers.len() - 1;
    buffers.push((*number, known));
    Arg::Buffer(known)
}
