//! Random kernels with loops that access global memory, of which all work-items of a group go through some equally
//! often: for barriers in loops.

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;

/// Elements of each buffer, `N` of the kernels.
const ELEMENTS: usize = 1024;

/// Loops that all work-items of a group go through equally often; `n` is 5, `l` the id in the group of `L`, and `at` the
/// work-item's own element.
const UNIFORM: [&str; 10] = [
    "for (int i = 0; i < n; i++) v += in[(at + i * 16) % N];",
    "for (int i = n; i > 0; i--) { out[at] = v + i; v = v * 3 + in[(i * 7 + l) % N]; }",
    "for (int i = 0; i < 4; i++) for (int j = 0; j < i + n; j++) v ^= in[(at + i * 8 + j) % N];",
    "for (int i = 0; i < n; i++) t[(l + i) % L + i * L] = in[(at + i) % N]; barrier(CLK_LOCAL_MEM_FENCE); \
     for (int i = 0; i < n; i++) v += t[(l * 3 + i) % L + i * L]; barrier(CLK_LOCAL_MEM_FENCE);",
    "if (get_group_id(0) % 2) for (int i = 0; i < n; i++) if ((l + i) % 3 == 0) v -= in[(at + i) % N];",
    "{ int i = 0; while (i < n) { v = v * 5 + in[(at * 2 + i) % N]; i += 2; } }",
    "{ int i = 3; do { v += in[(at + i) % N]; } while (--i); }",
    "{ int part = 0; for (int i = 0; i < n + (int)get_group_id(0) % 3; i++) { int one = in[(at + i * 3) % N]; part += one; } v ^= part; }",
    "for (int i = 0; i < n; i++) { switch (i) { case 1: v += in[at]; break; default: v -= in[(at + i) % N]; } }",
    "if (n > 100) return; for (int i = 0; i < 3; i++) { out[at] += in[(at + i) % N]; v += out[at]; }",
];

/// What only some work-items do, or do differently often.
const APART: [&str; 8] = [
    "for (int i = 0; i < l; i++) v += in[(at + i) % N];",
    "if (l % 3 == 1) for (int i = 0; i < n; i++) v += in[(at + i * 2) % N];",
    "for (int i = 0; i < n; i++) { if (in[(at + i) % N] % 5 == 2) break; v += in[i]; }",
    "for (int i = 0; i < n; i++) { if ((v + i) % 4 == 1) continue; v += in[(at + i) % N]; }",
    "{ int often = 0; while (in[(at + often) % N] % 3 != 0 && often < 6) often++; for (int i = 0; i < often; i++) v += in[i + l]; }",
    "{ int m = n; if (l & 1) m += 2; for (int i = 0; i < m; i++) v ^= in[(at + i) % N]; }",
    "{ int m = 2; for (int i = 0; i < m; i++) { v += in[(at + i) % N]; if (v % 7 == 0 && m < 6) m++; } }",
    "if (v % 5 == 3) { out[at] = v; return; }",
];

/// A kernel and its launch.
#[derive(Clone, Debug)]
pub struct Together {
    lines: Vec<&'static str>,
    groups: u64,
    local: [u64; 2],
}

impl Together {
    /// A random one.
    pub fn random(random: &mut Random) -> Self {
        let lines = (0..1 + random.below(4)).map(|_| match random.chance(65) {
            true => random.copy(&UNIFORM),
            false => random.copy(&APART),
        });
        let mut lines: Vec<&str> = lines.collect();
        // What some leave at stands last: those that stay would wait for them.
        lines.sort_by_key(|line| line.ends_with("return; }"));
        Together {
            lines,
            groups: random.copy(&[1, 4, 7]),
            local: random.copy(&[[16, 1], [8, 1], [4, 2]]),
        }
    }

    /// Whether it has a loop that a barrier may stand in.
    pub fn has_uniform_loop(&self) -> bool {
        UNIFORM.contains(&self.lines[0])
    }

    fn text(&self, number: usize) -> String {
        let [width, height] = self.local;
        let lines: String = self
            .lines
            .iter()
            .map(|line| format!("    {line}\n"))
            .collect();
        format!(
            "__attribute__((reqd_work_group_size({width}, {height}, 1)))\n__kernel void k{number}(__global const int *in, __global int *out, int n)\n{{\n\
             \x20   __local int t[16 * 8];\n\
             \x20   int l = get_local_id(1) * get_local_size(0) + get_local_id(0);\n\
             \x20   int L = get_local_size(0) * get_local_size(1);\n\
             \x20   size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);\n\
             \x20   int v = in[at] + n;\n{lines}    out[at] = v;\n}}\n"
        )
    }

    fn launch(&self, number: usize, job: &mut Job) {
        let input = job.input(4 * ELEMENTS, Fill::ints(3, 0, 64));
        let output = job.buffer(4 * ELEMENTS, Fill::ints(4, 0, 64));
        let mut global = self.local;
        global[0] *= self.groups;
        let range = Geometry::range(&global, &self.local);
        job.launch(
            &format!("k{number}"),
            range,
            vec![input, output, Arg::int(5)],
        );
    }
}

/// Kernels and their launches.
pub fn job(all: &[Together]) -> Job {
    let mut text = format!("#define N {ELEMENTS}\n");
    for (number, kernel) in all.iter().enumerate() {
        text += &kernel.text(number);
    }
    let mut job = Job::new(text);
    for (number, kernel) in all.iter().enumerate() {
        kernel.launch(number, &mut job);
    }
    job
}
