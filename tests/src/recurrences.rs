//! Random recurrences in memory, for the pass `forward`.

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;

/// Elements of the buffers.
const ELEMENTS: usize = 512;
/// An offset that makes addresses invalid: nothing may be read with it.
const FAR: i32 = 100_000_000;

/// Loops, and the index that moves on with them, so far that what is before and after it is there.
const LOOPS: [(&str, &str); 9] = [
    ("for (int i = 1; i < n; i++)", "i"),
    ("for (int i = 0; i < n; ++i)", "i + 2"),
    ("for (int i = n; i > 0; i--)", "i"),
    ("for (int i = 4; i <= n * 3; i += 3)", "i"),
    ("int i; for (i = 2; i < n + 2; i = i + 1)", "i"),
    ("for (long i = n - 1; i >= 0; --i)", "i * 2 + 4"),
    ("for (int i = 3; i < 9; i++)", "i * w + 1"),
    ("for (short i = 1; i < n; i++)", "i"),
    ("for (int i = 1; i < 1; i++)", "i"),
];

/// What is read: `E` is the element's index, `S` how far it moves.
const READS: [&str; 14] = [
    "a[E - S]",
    "a[E - S]",
    "a[E - S] * 3",
    "a[(E) - 2 * S]",
    "a[(E) - 3 * S]",
    "(b[E] > 5 ? a[E - 2 * S] : a[(E) - 4 * S])",
    "a[E]",
    "a[E + S]",
    "b[E - S]",
    "(b[E] > 7 ? a[E - S] : 1)",
    "a[before]",
    "a[E - 1]",
    "max(a[E - S], b[E])",
    "(char)a[E - S]",
];

/// What is done beside.
const OTHERS: [&str; 10] = [
    "sum += a[E - S];",
    "if (b[E] > 7) sum += a[before];",
    "for (int j = 0; j < 3; j++) sum += a[E - S] + j;",
    "b[E] = sum;",
    "a[E + 40] = sum;",
    "if (b[E] == 3) continue;",
    "if (b[E] == 5) break;",
    "c[E] = sum * 2;",
    "{ long before = E - S; sum ^= a[before]; }",
    "if (b[E] > 9) a[E] = 4;",
];

/// A kernel that runs as one work-item.
#[derive(Clone, Debug)]
pub struct Recurrence {
    body: String,
    restrict: bool,
    /// Two of its buffers are one.
    shared: bool,
    ty: &'static str,
    trips: Vec<i32>,
}

impl Recurrence {
    /// A random one.
    pub fn random(random: &mut Random) -> Self {
        let (header, index) = random.copy(&LOOPS);
        let moved = match header {
            _ if header.contains("long i") => "(-2)",
            _ if header.contains("i--") => "(-1)",
            _ if header.contains("i += 3") => "3",
            _ if index.contains('w') => "w",
            _ => "1",
        };
        let fit = |text: &str| {
            let index = format!("(m + {index})");
            text.replace('E', &index).replace('S', moved)
        };
        let mut lines = vec![fit("long before = E - S;")];
        let mut value = random.pick(&READS).to_string();
        for _ in 0..random.below(3) {
            value += &format!(" + {}", random.pick(&READS));
        }
        let mut store = fit(&format!("a[E] = {value};"));
        if random.chance(8) {
            store = format!("if (b[3] > 4) {store}");
        }
        lines.push(store);
        for _ in 0..random.below(5) / 2 {
            let at = 1 + random.below(lines.len());
            lines.insert(at, fit(random.pick(&OTHERS)));
        }
        let restrict = random.chance(85);
        Recurrence {
            body: format!("{header} {{\n{}\n}}", lines.join("\n")),
            restrict,
            shared: !restrict && random.chance(60),
            ty: random.copy(&["int", "int", "short", "long", "uint"]),
            trips: vec![0, 1, 2 + random.below(9) as i32],
        }
    }

    fn text(&self, number: usize) -> String {
        let restrict = if self.restrict { "restrict " } else { "" };
        let ty = self.ty;
        let body = self
            .body
            .replace("max(", &format!("max(({ty})"))
            .replace(", b[", &format!(", ({ty})b["));
        format!(
            "__kernel void k{number}(__global {ty} *{restrict}a, __global int *{restrict}b, __global int \
             *{restrict}c, int n, int m, int w)\n{{\nint sum = 1;\n{body}\nc[0] = sum;\n}}\n"
        )
    }
}

/// Kernels and their launches: without iterations, with buffers that are far away.
pub fn job(all: &[Recurrence]) -> Job {
    let texts = all.iter().enumerate().map(|(number, one)| one.text(number));
    let mut job = Job::new(texts.collect::<String>());
    for (number, one) in all.iter().enumerate() {
        for trips in &one.trips {
            let a = job.buffer(8 * ELEMENTS, Fill::ints(1, 0, 12));
            let b = match one.shared && one.ty == "int" {
                true => a.clone(),
                false => job.buffer(8 * ELEMENTS, Fill::ints(2, 0, 12)),
            };
            let c = job.buffer(4 * ELEMENTS, Fill::ints(3, 0, 12));
            let never = one.body.contains("i < n;") && *trips == 0;
            let far = if never { FAR } else { 16 };
            let args = [a, b, c, Arg::int(*trips), Arg::int(far), Arg::int(8)];
            job.launch(&format!("k{number}"), Geometry::range(&[1], &[1]), args);
        }
    }
    job
}
