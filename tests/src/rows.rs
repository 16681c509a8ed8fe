//! Random loops that divide their counter by the length of a row, for the pass `delinearise`.

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;

/// Elements of the buffers.
const ELEMENTS: usize = 1024;

/// What the body computes first: `W` is the length of a row, `A` what is added to the counter.
const FIRST: [&str; 20] = [
    "x = (i + A) % W;",
    "y = (i + A) / W;",
    "x = (i + A) % W - 1;",
    "x = (i + A) % W - 1; y = (i + A) / W; if ((i + A) % W == 0) { x = W - 1; y = y - 1; }",
    "x = i % W; y = i / W;",
    "x = i & 31; y = i >> 5;",
    "x += 2;",
    "y--;",
    "z = x > 3 ? y : x;",
    "if (x > 5) z = 3; else { z = y; }",
    "z = y * W + x;",
    "z = i % W < 4 || y == 2;",
    "z = (i / W) % 3;",
    "z = i % 64; y = i / 64; x = z / 16;",
    "if (i >= C) continue;",
    "if (C <= i) continue;",
    "if (x == 2) continue;",
    "if (n < 4) y = 7;",
    "z = n;",
    "last = i % W;",
];

/// What it does then.
const THEN: [&str; 10] = [
    "b[i] = a[(uint)(x + 3 * y + z) & 255];",
    "b[i] = x * 1000 + y * 10 + z;",
    "c[(uint)x & 63] += y;",
    "sum = sum * 3 + (int)(x - y * 5 + z);",
    "b[i] = a[i] + (int)(x > 0 ? a[i > 0 ? i - 1 : 0] : y);",
    "if (y < 3) { b[i] = sum; }",
    "if (a[i] == 3) continue;",
    "for (int j = 0; j < 3; j++) sum += a[(uint)(x + j) & 255];",
    "x += 5; b[i] = x; ",
    "if (a[i] == 77) break;",
];

/// A kernel that runs as one work-item.
#[derive(Clone, Debug)]
pub struct Rows {
    body: String,
}

impl Rows {
    /// A random one.
    pub fn random(random: &mut Random) -> Self {
        let width = random.copy(&[16usize, 17, 20, 32, 40]);
        let rows = 2 + random.below(8);
        let cut = if random.chance(40) {
            random.below(width)
        } else {
            0
        };
        let ty = random.copy(&["int", "int", "int", "uint", "long", "ulong", "short"]);
        let groups = 10 * (1 + random.below(2));
        let (head, trips) = match random.chance(25) {
            true => (
                format!(
                    "for (int g = 0; g < {rows}; g++) for (int l = 0; l < {groups}; l++) {{\n{ty} i = g * \
                     {groups} + l;"
                ),
                rows * groups,
            ),
            false => {
                let trips = rows * width + cut;
                (format!("for ({ty} i = 0; i < {trips}; i++) {{"), trips)
            }
        };
        let added = random.copy(&["0", "1", "1", "3", "W - 1", "W + 2", "2 * W", "0 - 1"]);
        let bound = random.below(trips + 20).to_string();
        let fit = |text: &str| {
            let text = text.replace("(i + A)", &format!("(i + {added})"));
            text.replace('W', &width.to_string()).replace('C', &bound)
        };
        let value = random.copy(&["int", "int", "uint", "long", "short"]);
        let mut lines = vec![format!("{value} x = 0, y = 1, z = 2;")];
        for _ in 0..1 + random.below(4) {
            lines.push(fit(random.pick(&FIRST)));
        }
        let is_inside = random.chance(25);
        if is_inside {
            let at = 1 + random.below(lines.len());
            lines.insert(at, fit("if (i < C) {"));
        }
        for _ in 0..1 + random.below(3) {
            lines.push(fit(random.pick(&THEN)));
        }
        lines.extend(is_inside.then(|| "}".to_string()));
        Rows {
            body: format!("{head}\n{}\n}}", lines.join("\n")),
        }
    }

    fn text(&self, number: usize) -> String {
        format!(
            "__kernel void k{number}(__global const int *restrict a, __global int *restrict b, __global int \
             *restrict c, int n)\n{{\nint sum = 1;\nint last = 0;\n{}\nc[100] = sum;\nc[101] = last;\n}}\n",
            self.body
        )
    }
}

/// Kernels and their launches.
pub fn job(all: &[Rows]) -> Job {
    let texts = all.iter().enumerate().map(|(number, one)| one.text(number));
    let mut job = Job::new(texts.collect::<String>());
    for number in 0..all.len() {
        let a = job.buffer(4 * ELEMENTS, Fill::ints(1, 0, 12));
        let b = job.buffer(4 * ELEMENTS, Fill::ints(2, 0, 12));
        let c = job.buffer(4 * ELEMENTS, Fill::ints(3, 0, 12));
        let args = [a, b, c, Arg::int(3 + number as i32 % 3)];
        job.launch(&format!("k{number}"), Geometry::range(&[1], &[1]), args);
    }
    job
}
