//! Random loops for vectorising: what is stored element by element, sums of integers, branches, gathers, and loops
//! whose iterations depend on each other.

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;

/// Elements of a row; each work-item has one.
const ROW: usize = 64;
const ROWS: usize = 4;

/// Statements over `j`; the first may be vectors, and the last must not be.
const BODIES: [&str; 16] = [
    "out[y * 64 + j] = a[j] * 3 + b[y * 64 + j];",
    "out[y * 64 + j] += a[j + 1] - (y << 1);",
    "int t = a[j] & 15; t = t > 7 ? t - b[j] : t * 2; out[y * 64 + j] = t;",
    "if (a[j] > 2) out[y * 64 + j] = b[j];",
    "if (a[j] > 0) sum += b[j]; else sum += 3;",
    "sum += a[j] * b[j];",
    "wide += (long)a[j] << 20; bits ^= a[j];",
    "wide -= b[2 * j & 63]; mask &= a[j] | 0xff00;",
    "float x = a[j]; x = x * 0.5f + j; if (x < 3.0f) x = 1.0f; out[y * 64 + j] = (int)x;",
    "short s = (short)(a[j] + j); uchar c = (uchar)s; out[j + y * 64] ^= c + (s >> 2);",
    "int t[2] = {a[j], 1}; t[1] += t[0]; t[j & 1] ^= 5; out[y * 64 + j] = t[1] - t[0];",
    "__local int *p = row + 64 * y; p[j] = a[j] + 1; bits |= p[j];",
    "out[y * 64 + j] = a[b[j] & 63] + (j & 3 ? a[63 - j] : y);",
    "out[y * 64 + j] = out[y * 64 + j] * 2 + min(a[j], b[j]);",
    "out[y * 64 + 63 - j] += sum;",
    "if (j > 0) out[y * 64 + j] += out[y * 64 + j - 1] & 7;",
];

fn kernel(name: &str, random: &mut Random) -> String {
    let bounds = ["n", "n - 3", "64", "5", "y + 2", "0"];
    let mut text = format!(
        "__kernel void {name}(__global const int *a, __global const int *b, __global int *restrict out, \
         __global long *restrict sums, __local int *restrict row, int n, uint u)\n{{\n    int y = get_global_id(0);\n    \
         int sum = y, bits = 3, mask = -1;\n    long wide = 7;\n"
    );
    for _ in 0..1 + random.below(3) {
        let body = random.pick(&BODIES);
        let (ty, bound) = match random.below(5) {
            0 => ("uint", "u"),
            _ => ("int", random.pick(&bounds)),
        };
        let op = if bound == "64" || random.chance(80) {
            "<"
        } else {
            "<="
        };
        let start = random.pick(&["0", "1", "0", "3"]);
        text.push_str(&format!(
            "    for ({ty} j = {start}; j {op} {bound}; j++) {{ {body} }}\n"
        ));
    }
    text.push_str("    sums[y] = wide + sum * 5 + bits * 3 + mask;\n}\n");
    text
}

/// `count` kernels with a launch each.
pub fn job(random: &mut Random, count: usize) -> Job {
    let text: String = (0..count)
        .map(|number| kernel(&format!("k{number}"), random))
        .collect();
    let mut job = Job::new(text);
    let a = job.buffer(512 * 4, Fill::ints(random.bits(), -9, 9));
    let b = job.buffer(512 * 4, Fill::ints(random.bits(), -9, 9));
    for number in 0..count {
        let out = job.buffer(ROW * ROWS * 4, Fill::Iota);
        let sums = job.buffer(ROWS * 8, Fill::Zero);
        let [n, u] = [0, 1].map(|_| random.copy(&[63, 62, 40, 7]));
        let args = [
            a.clone(),
            b.clone(),
            out,
            sums,
            Arg::Local(64 * ROWS * 4),
            Arg::int(n),
            Arg::uint(n.min(u) as u32),
        ];
        job.launch(
            &format!("k{number}"),
            Geometry::range(&[ROWS as u64], &[ROWS as u64]),
            args,
        );
    }
    job
}
