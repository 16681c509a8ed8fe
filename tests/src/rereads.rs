//! Random loops that read the same memory again, for the pass `promote`.

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;

/// Elements of the buffers.
const ELEMENTS: usize = 512;
/// Work-items.
const ITEMS: usize = 16;
/// An argument that makes addresses invalid: nothing may be read with it.
const FAR: i32 = 100_000_000;

/// Loops that read again; `n` iterations, but for the last two, which make at least one.
const OUTER: [&str; 8] = [
    "for (int i = 0; i < n; i++)",
    "int i; for (i = n - 1; i >= 0; --i)",
    "int i = 0; while (i < n)",
    "uint i = n; while (i > 0)",
    "for (int i = 0, base = m + 1; i < n; i++)",
    "int i = -1; while (++i < n)",
    "int i = 0; do",
    "for (int i = 0; ; i++)",
];

/// Loops that count; `C` is the counter. Its values are from 0 to 7.
const INNER: [&str; 9] = [
    "for (int C = 0; C < 4; C++)",
    "for (int C = 7; C > 1; C -= 2)",
    "for (uint C = 2; C < 7; C = C + 3)",
    "for (size_t C = 0; C <= 5; ++C)",
    "for (short C = 4; C != 0; C--)",
    "for (C_ = 1; C_ < 4; C_++)",
    "for (uchar C = 0; C < 3; C += 1)",
    "for (int C = 0; C < 0; C++)",
    "for (int C = 0; C < n; C++)",
];

/// Indices; `X` and `Y` are counters.
const INDICES: [&str; 16] = [
    "X",
    "X * 8 + Y",
    "X * m + g",
    "m + X",
    "at[X]",
    "at[X + Y] + g",
    "g * 4 + X",
    "X + (int)i * 2 + 8",
    "(X & 3) + g",
    "191 - X - Y * 8",
    "X * m + Y",
    "far + X",
    "own",
    "Y * 2 + m",
    "other + Y",
    "own + other",
];

/// Reads at an index `I`.
const READS: [&str; 11] = [
    "a[I]",
    "a[I] * a[I]",
    "*(a + (I))",
    "(&a[I])[0]",
    "v[(I) & 31].x",
    "v[(I) & 31].y + v[(I) & 31].x",
    "s[(I) & 31].two",
    "b[I]",
    "(near ? a[I] : 1)",
    "row[I]",
    "(row + X)[I & 7]",
];

/// Statements before a read.
const BEFORE: [&str; 8] = [
    "if (!near) continue;",
    "if (!near) break;",
    "if (near)",
    "if (sum == 77) break;",
    "if (n > 9) return;",
    "while (sum > 1000000) sum /= 2;",
    "switch (n) { case 1: sum++; break; default: sum--; }",
    "for (int z = 0; z < 2; z++)",
];

/// Statements that write, or look at what others wrote.
const WRITES: [&str; 12] = [
    "b[256 + g * 16 + X] = sum;",
    "out[g] += sum;",
    "b[256 + g * 16 + (sum & 15)] += 1;",
    "s[32 + g].two = sum;",
    "mem_fence(CLK_GLOBAL_MEM_FENCE);",
    "atomic_add(&c[g], 1);",
    "sum += c[g];",
    "sum ^= b[256 + g * 16 + X];",
    "b[256 + g * 16 + X] += sum; if (sum == 55) break;",
    "b[256 + g * 16 + 2 * X] ^= sum; sum += b[256 + 2 * X + g * 16];",
    "if (near) b[256 + g * 16 + X + Y] += sum;",
    "b[256 + Y + g * 16 + X] = b[256 + Y + g * 16 + X] * 3 + sum; sum -= i;",
];

fn nest(random: &mut Random, text: &mut String) {
    let counters: Vec<String> = (0..1 + random.below(2))
        .map(|at| format!("k{at}"))
        .collect();
    for counter in &counters {
        let header = match random.chance(80) {
            true => random.copy(&INNER[..7]),
            false => random.copy(&INNER),
        };
        text.push_str(
            &header
                .replace("C_", &format!("o{counter}"))
                .replace('C', counter),
        );
        if header.contains("C_") {
            text.push_str(&format!(" {{ int {counter} = o{counter};\n"));
        } else {
            text.push_str(" {\n");
        }
    }
    let last = counters.len() - 1;
    let (x, y) = (&counters[0], &counters[last]);
    let (x, y) = if random.chance(30) { (y, x) } else { (x, y) };
    let fit = |text: &str| {
        text.replace('X', &format!("(int){x}"))
            .replace('Y', &format!("(int){y}"))
    };
    text.push_str(&fit(
        "int own = X * 3 + g; uchar other = (Y + own) & 15;\n__global const int *row = b + X * 8;\n",
    ));
    if random.chance(25) {
        text.push_str(random.pick(&BEFORE));
    }
    text.push_str("{\n");
    for _ in 0..1 + random.below(3) {
        let index = fit(random.pick(&INDICES));
        let read = fit(&random.pick(&READS).replace('I', &index));
        text.push_str(&format!("sum = sum * 3 + {read};\n"));
    }
    text.push_str("}\n");
    if random.chance(30) {
        text.push_str(&fit(random.pick(&WRITES)));
    }
    text.push_str(&"}\n".repeat(counters.len()));
}

/// A kernel, and whether its loop runs at least once.
fn text(random: &mut Random, number: usize) -> (String, bool) {
    let mut body = String::new();
    let outer = random.copy(&OUTER);
    for _ in 0..1 + random.below(2) {
        if random.chance(10) {
            body.push_str(random.pick(&BEFORE));
        }
        nest(random, &mut body);
    }
    let whole = match outer {
        _ if outer.ends_with(" do") => format!("{outer} {{\n{body}}} while (++i < n);\n"),
        _ if outer.contains("; ; ") => format!("{outer} {{\n{body}if (i + 1 >= n) break;\n}}\n"),
        _ if outer.starts_with("int i = 0; while") => {
            format!(
                "{outer} {{\n{}i++;\n}}\n",
                body.replace("continue;", "{ i++; continue; }")
            )
        }
        _ if outer.starts_with("uint i = n") => {
            format!(
                "{outer} {{\n{}i--;\n}}\n",
                body.replace("continue;", "{ i--; continue; }")
            )
        }
        _ => format!("{outer} {{\n{body}}}\n"),
    };
    let [restrict, quals] = [
        ["restrict ", "restrict ", "", "restrict "],
        ["const ", "", "const ", ""],
    ];
    let mut pointer =
        |ty: &str, name: &str| format!("__global {ty} *{}{name}", random.pick(&restrict));
    let params = [
        pointer("int", "b"),
        pointer("const int", "at"),
        pointer("int", "out"),
        pointer("int", "c"),
        pointer("const int2", "v"),
        pointer("pair", "s"),
    ];
    let volatile = if random.chance(5) { "volatile " } else { "" };
    let first = format!(
        "__global {volatile}{}int *{}a",
        random.pick(&quals),
        random.pick(&restrict)
    );
    let text = format!(
        "__kernel void k{number}({first}, {}, int n, int m)\n{{\nint g = get_global_id(0), sum = g, ok0, \
         ok1;\nbool near = m < 100;\nint far = near ? 0 : m;\n{whole}out[g] += sum;\n}}\n",
        params.join(", ")
    );
    (text, outer.ends_with(" do") || outer.contains("; ; "))
}

/// A kernel's text, whether its loop runs at least once, and whether its buffers may be one.
pub type Kernel = (String, bool, bool);

/// A random kernel, `k` and its number.
pub fn kernel(random: &mut Random, number: usize) -> Kernel {
    let (text, runs) = text(random, number);
    // Without `restrict`, two of them may be one.
    let is_shared = !text.contains("restrict") && random.chance(50);
    (text, runs, is_shared)
}

/// What stands before the kernels.
pub const FUNCTIONS: &str = "typedef struct { int one; int two; } pair;\n";

/// Kernels and launches of each.
pub fn job(kernels: &[Kernel]) -> Job {
    let texts: String = kernels.iter().map(|(text, ..)| text.as_str()).collect();
    let mut job = Job::new(format!("{FUNCTIONS}{texts}"));
    for (text, runs, is_shared) in kernels {
        let name: String = text.chars().skip(14).take_while(|c| *c != '(').collect();
        for (n, m) in [(0, FAR), (1, 3), (6, 8)] {
            if m == FAR && *runs {
                continue;
            }
            let ints = |seed: u64| Fill::ints(seed, 0, 16);
            let a = job.buffer(4 * ELEMENTS, ints(1));
            let b = match is_shared {
                true => a.clone(),
                false => job.buffer(4 * ELEMENTS, ints(2)),
            };
            let at = job.buffer(4 * ELEMENTS, ints(3));
            let out = job.buffer(4 * ITEMS, ints(4));
            let c = job.buffer(4 * ITEMS, ints(5));
            let v = job.buffer(8 * 64, ints(6));
            let s = job.buffer(8 * 64, ints(7));
            let args = [a, b, at, out, c, v, s, Arg::int(n), Arg::int(m)];
            job.launch(&name, Geometry::range(&[ITEMS as u64], &[8]), args);
        }
    }
    job
}
