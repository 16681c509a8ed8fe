//! Random nests that look up neighbours in tables, for the pass `neighbour-tables`.

use crate::job::{Fill, Geometry, Job};
use crate::random::Random;

/// Elements of the buffers.
const ELEMENTS: usize = 1024;

/// What a table of `N` elements holds; the first two are neighbours.
const TABLES: [&str; 8] = [
    "i > 0 ? i - 1 : 0",
    "i < N - 1 ? i + 1 : N - 1",
    "i > 0 ? i - 1 : 0",
    "i < N - 1 ? i + 1 : N - 1",
    "i == 3 ? 0 : i > 0 ? i - 1 : 0",
    "i > 0 ? i - 1 : N - 1",
    "i < N - 1 ? i + 1 : 0",
    "i * 7 % N",
];

/// What is read: `t` holds columns, `u` holds rows.
const READS: [&str; 9] = [
    "a[y * W + t[x]]",
    "a[u[y] * W + x]",
    "a[t[x] + y * W] + a[y * W + x]",
    "a[u[y] * W + t[x]]",
    "(x > 2 ? a[y * W + t[x]] : 1)",
    "a[W * u[y] + x] * 2",
    "(t[x] + 1)",
    "(a[y * W + t[x]] + a[y * W + x])",
    "a[at]",
];

/// A kernel that runs as one work-item.
#[derive(Clone, Debug)]
pub struct Neighbours {
    tables: [&'static str; 2],
    sizes: [usize; 2],
    body: String,
}

impl Neighbours {
    /// A random one.
    pub fn random(random: &mut Random) -> Self {
        let mut value = random.pick(&READS).to_string();
        for _ in 0..random.below(3) {
            value += &format!(" + {}", random.pick(&READS));
        }
        let mut lines = vec![
            "int at = u[y] * W + x;".to_string(),
            format!("b[y * W + x] = {value};"),
        ];
        if random.chance(10) {
            lines.push("if (x == 5) t[2] = 2;".to_string());
        }
        if random.chance(20) {
            lines.insert(1, "if (a[y * W + x] == 3) continue;".to_string());
        }
        Neighbours {
            tables: [random.copy(&TABLES), random.copy(&TABLES)],
            sizes: [4 + random.below(20), 1 + random.below(12)],
            body: lines.join("\n"),
        }
    }

    fn text(&self, number: usize) -> String {
        let [width, height] = self.sizes;
        let [t, u] = self.tables;
        let (t, u) = (
            t.replace('N', &width.to_string()),
            u.replace('N', &height.to_string()),
        );
        let body = self.body.replace('W', &width.to_string());
        format!(
            "__kernel void k{number}(__global const int *restrict a, __global int *restrict b, __global int \
             *restrict t, __global int *restrict u)\n{{\nfor (int i = 0; i < {width}; i++) t[i] = {t};\nfor \
             (int i = 0; i < {height}; i++) u[i] = {u};\nfor (int y = 0; y < {height}; y++)\nfor (int x = 0; \
             x < {width}; x++) {{\n{body}\n}}\n}}\n"
        )
    }
}

/// Kernels and their launches.
pub fn job(all: &[Neighbours]) -> Job {
    let texts = all.iter().enumerate().map(|(number, one)| one.text(number));
    let mut job = Job::new(texts.collect::<String>());
    for number in 0..all.len() {
        let args = [1, 2, 3, 4].map(|seed| job.buffer(4 * ELEMENTS, Fill::ints(seed, 0, 12)));
        job.launch(&format!("k{number}"), Geometry::range(&[1], &[1]), args);
    }
    job
}
