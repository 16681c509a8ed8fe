//! Random kernels whose work-groups work together: with `__local` memory, barriers, ids of groups and early
//! returns, for loops over groups.

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;

/// The most elements of a buffer, `N` of the kernels.
const ELEMENTS: usize = 1024;

/// Statements that all work-items of a group come by; `D` is a dimension.
const TOGETHER: [&str; 12] = [
    "v += (int)get_group_id(D) * 7 + (int)get_num_groups(D);",
    "v ^= (int)(get_global_id(D) + get_global_size(D) * 3 + get_global_offset(D));",
    "v = v * 3 + helper(v, D);",
    "v += asks(D) - (int)get_local_size(D);",
    "n += get_group_id(D); v += n;",
    "{ int own[4]; for (int i = 0; i < 4; i++) own[i] = v + i; v = own[v & 3] - own[1]; }",
    "@t[l] = v; barrier(CLK_LOCAL_MEM_FENCE); v += t[L - 1 - l];",
    "@for (int i = 0; i < 3; i++) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = v + i; \
     barrier(CLK_LOCAL_MEM_FENCE); v += t[(l + i) % L]; }",
    "@if (l == 0) t[0] = get_group_id(D) * 5; barrier(CLK_LOCAL_MEM_FENCE); v ^= t[0];",
    "out[at] = v; if (get_group_id(D) % 3 == 1) return;",
    "out[at] = v; for (int i = 0; i < 5; i++) { if (i + get_group_id(D) == 4) return; v += i; }",
    "v -= in[(at + 3) % N] * (int)get_group_id(D);",
];

/// What work-items end with, each in its way.
const APART: [&str; 5] = [
    "if (l % 4 == 1) { out[at] = v * 5; return; }",
    "for (int i = 0; i < 6; i++) { v += in[(at + i) % N]; if (v % 7 == 3) { out[at] = v; return; } }",
    "switch (v & 3) { case 0: v++; break; case 1: out[at] = v; return; default: v--; }",
    "for (int i = 0; i < 4; i++) { for (int j = 0; j < i; j++) if (v % 5 == j) { out[at] = j; return; } v += 3; }",
    "v = v > 100 ? v - (int)get_group_id(D) : v + (int)get_global_id(D);",
];

/// A kernel and its launch.
#[derive(Clone, Debug)]
pub struct Rounds {
    lines: Vec<String>,
    /// The host gives its memory.
    has_room: bool,
    offset: Vec<u64>,
    groups: Vec<u64>,
    local: Vec<u64>,
}

impl Rounds {
    /// A random one.
    pub fn random(random: &mut Random) -> Self {
        let dims = 1 + random.below(2);
        let line =
            |random: &mut Random, text: &str| text.replace('D', &random.below(dims).to_string());
        // Only what uses the memory again waits before: rounds must not count on it.
        let mut has_stored = false;
        let mut lines = Vec::new();
        for _ in 0..1 + random.below(5) {
            let text = random.copy(&TOGETHER);
            let text = match text.strip_prefix('@') {
                Some(rest) if has_stored => format!("barrier(CLK_LOCAL_MEM_FENCE); {rest}"),
                Some(rest) => {
                    has_stored = true;
                    rest.to_string()
                }
                None => text.to_string(),
            };
            lines.push(line(random, &text));
        }
        if random.chance(60) {
            let text = random.copy(&APART);
            lines.push(line(random, text));
        }
        let mut some = |from: &[u64]| (0..dims).map(|_| random.copy(from)).collect::<Vec<u64>>();
        Rounds {
            lines,
            offset: some(&[0, 0, 5]),
            groups: some(&[4, 8, 4, 6]),
            local: some(&[1, 2, 4]),
            has_room: random.chance(30),
        }
    }

    fn text(&self, number: usize) -> String {
        let (room, tile) = match self.has_room {
            true => (", __local int *t", ""),
            false => ("", "    __local int t[16];\n"),
        };
        let lines: String = self
            .lines
            .iter()
            .map(|line| format!("    {line}\n"))
            .collect();
        format!(
            "__kernel void k{number}(__global const int *in, __global int *out, int n{room})\n{{\n{tile}\
             \x20   int l = get_local_id(1) * get_local_size(0) + get_local_id(0);\n\
             \x20   int L = get_local_size(0) * get_local_size(1);\n\
             \x20   size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);\n\
             \x20   size_t at = y * get_global_size(0) + x;\n\
             \x20   int v = in[at] + n;\n{lines}    out[at] = v;\n}}\n"
        )
    }

    fn launch(&self, number: usize, job: &mut Job) {
        let input = job.input(4 * ELEMENTS, Fill::ints(3, 0, 64));
        let output = job.buffer(4 * ELEMENTS, Fill::ints(4, 0, 64));
        let mut args = vec![input, output, Arg::int(9)];
        args.extend(self.has_room.then_some(Arg::Local(16 * 4)));
        let sizes = self.groups.iter().zip(&self.local);
        let global: Vec<u64> = sizes.map(|(groups, local)| groups * local).collect();
        let range = Geometry::offset_range(&self.offset, &global, &self.local);
        job.launch(&format!("k{number}"), range, args);
    }
}

/// What stands before the kernels.
pub const FUNCTIONS: &str = "#define N 1024
int asks(int d)
{
    return d ? get_group_id(1) * 3 : get_num_groups(0) - get_group_id(0);
}
int helper(int v, uint d)
{
    return v * 2 + asks(d) + (int)get_global_id(d);
}
";

/// Kernels and their launches.
pub fn job(all: &[Rounds]) -> Job {
    let mut text = FUNCTIONS.to_string();
    for (number, rounds) in all.iter().enumerate() {
        text += &rounds.text(number);
    }
    let mut job = Job::new(text);
    for (number, rounds) in all.iter().enumerate() {
        rounds.launch(number, &mut job);
    }
    job
}
