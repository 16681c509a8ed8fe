//! Random kernels whose work-items exchange values through `__global` memory, at barriers.

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;

/// Work-items of a group, and elements of an array that belong to it.
const GROUP: usize = 16;
/// Groups of a launch.
const GROUPS: usize = 3;

/// What work-items do with an array until the next barrier: each of these alone is no race.
const OF_ALL: [&str; 6] = [
    // Each has its own element.
    "A[b + l] = v + C;",
    "A[b + l] += v; v ^= A[b + l] >> C;",
    "if ((v + l) % 3 == 1) A[b + l] = v * C;",
    // All read all.
    "v += A[b + (l + C) % L];",
    "for (int i = 0; i < 3; i++) v = v * 5 + A[b + (v + i) % L];",
    "v ^= same(A, b + C) + A[b];",
];

/// The same with an array of which one element counts.
const OF_ONE: [&str; 5] = [
    "v = v * 3 + A[b];",
    "if (A[b] % 2 == 0) v += C;",
    "v ^= same(A, b);",
    "if (l == C) A[b] = v;",
    "if (l == C) A[b] += v;",
];

/// What orders the work-items of a group, whose memory is global.
const BARRIERS: [&str; 3] = [
    "barrier(CLK_GLOBAL_MEM_FENCE);",
    "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
    "meet();",
];

/// A kernel and its launch.
#[derive(Clone, Debug)]
pub struct Exchange {
    lines: Vec<String>,
    arrays: usize,
}

impl Exchange {
    /// A random one.
    pub fn random(random: &mut Random) -> Self {
        let arrays = 2 + random.below(3);
        let mut lines = Vec::new();
        for _ in 0..1 + random.below(3) {
            let mut regions = Vec::new();
            for _ in 0..1 + random.below(3) {
                regions.push(region(random, arrays));
                regions.push(random.pick(&BARRIERS).to_string());
            }
            let (head, tail) = match random.below(3) {
                0 => ("for (int k = 0; k < n; k++) {", "}"),
                1 => ("if (n > 1) {", "}"),
                _ => ("{", "}"),
            };
            lines.push(head.to_string());
            lines.extend(regions);
            lines.push(tail.to_string());
        }
        lines.push("a1[b + l] = v;".to_string());
        Exchange { lines, arrays }
    }

    fn text(&self, number: usize) -> String {
        let params: String = (0..self.arrays)
            .map(|a| format!("__global uint *a{a}, "))
            .collect();
        let lines: String = self
            .lines
            .iter()
            .map(|line| format!("    {line}\n"))
            .collect();
        format!(
            "__kernel void k{number}({params}int n)\n{{\n    uint l = get_local_id(0), L = get_local_size(0);\n    \
             uint b = get_group_id(0) * L, v = get_global_id(0) * 7 + n;\n{lines}}}\n"
        )
    }

    fn launch(&self, number: usize, job: &mut Job) {
        let bytes = 4 * GROUP * GROUPS;
        let seeds = number as u64 * 8..;
        let arrays = seeds.take(self.arrays);
        let mut args: Vec<Arg> = arrays
            .map(|seed| job.buffer(bytes, Fill::ints(seed, 0, 64)))
            .collect();
        args.push(Arg::int(3));
        let global = [(GROUP * GROUPS) as u64];
        let range = Geometry::offset_range(&[0], &global, &[GROUP as u64]);
        job.launch(&format!("k{number}"), range, args);
    }
}

/// Each array is used in one way, or not at all. Of every other one, one element counts.
fn region(random: &mut Random, arrays: usize) -> String {
    let mut parts = Vec::new();
    for array in 0..arrays {
        if random.chance(60) {
            let text = match array % 2 {
                0 => random.pick(&OF_ONE),
                _ => random.pick(&OF_ALL),
            };
            let text = text.replace('C', &random.below(GROUP).to_string());
            parts.push(text.replace('A', &format!("a{array}")));
        }
    }
    parts.join(" ")
}

/// Kernels and their launches.
pub fn job(all: &[Exchange]) -> Job {
    let mut text = "void meet(void)\n{\n    barrier(CLK_GLOBAL_MEM_FENCE);\n}\n\
                    uint same(__global const uint *a, uint at)\n{\n    return a[at] * 3;\n}\n"
        .to_string();
    for (number, exchange) in all.iter().enumerate() {
        text += &exchange.text(number);
    }
    let mut job = Job::new(text);
    for (number, exchange) in all.iter().enumerate() {
        exchange.launch(number, &mut job);
    }
    job
}
