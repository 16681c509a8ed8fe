//! Random kernels that look up tables in all ways in which kernels do, and two launches of each that do not
//! pass the same buffers.

use crate::job::{Fill, Geometry, Job};
use crate::random::Random;

/// Elements of a table at the launch that is known.
const ELEMENTS: usize = 64;

/// Types of elements, their bytes, and how an integer is made of one.
const TYPES: [(&str, usize, &str); 7] = [
    ("uchar", 1, "(ulong)E"),
    ("int", 4, "(ulong)E"),
    ("uint", 4, "(ulong)E"),
    ("ulong", 8, "E"),
    ("float", 4, "(ulong)as_uint(E)"),
    ("uint4", 16, "(ulong)(E.x ^ E.w)"),
    ("entry", 16, "(ulong)(E.at[1] + E.step)"),
];

/// Reads of a table `P` that a `__constant` one allows too.
const READS: [&str; 9] = [
    "P[0]",
    "P[j]",
    "P[(g + j) & 31]",
    "P[(int)(bits & 15)]",
    "*P",
    "*(P + j)",
    "(P + 2)[j]",
    "(&P[1])[j]",
    "*(1 + P)",
];

/// Statements with variables and choices that hold nothing but addresses in a table `P` of elements `T`;
/// `V(..)` makes an integer of one.
const WALKS: [&str; 5] = [
    "    { __global const T *q = P + 1; bits += V(q[0]) + V(*q++) + V(*q); }\n",
    "    { __global const T *q; q = P; q += 2; bits ^= V(q[j]) + (ulong)(q - P); }\n",
    "    for (__global const T *q = P; q < P + 4; q += 2) bits = bits * 7 + V(*q);\n",
    "    bits += V(*((j & 1) ? P : P + 1));\n",
    "    { __global const T *q = P, *r = q + 3; if (j == g) q = r; bits += V(q[1]); }\n",
];

/// Statements that want a `__global` pointer.
const OTHERS: [&str; 4] = [
    "    { __global const T *q[2] = {P, P + 1}; bits += V(q[j & 1][0]); }\n",
    "    if (P) bits += V(((__global const T *)(__global const char *)P)[j]);\n",
    "    { __global const T *q = P; __global const T **r = &q; bits += V((*r)[j]); }\n",
    "    bits += V(*((ulong)P & 1 ? P : P + 1));\n",
];

/// A kernel `k` that reads tables, and two launches: the buffers of the second are others, which may be
/// larger or not read-only.
pub fn job(random: &mut Random) -> Job {
    let tables: Vec<_> = (0..1 + random.below(3))
        .map(|_| random.copy(&TYPES))
        .collect();
    let params = (0..).zip(&tables).map(|(i, (ty, ..))| {
        let quals = random.pick(&["const ", "", "const ", "volatile "]);
        format!(", __global {quals}{ty} *p{i}")
    });
    let params: String = params.collect();
    let mut body = String::new();
    for (i, table) in tables.iter().enumerate() {
        for _ in 0..1 + random.below(4) {
            body.push_str(&statement(random, &format!("p{i}"), *table));
        }
    }
    let mut job = Job::new(format!(
        "typedef struct {{ uint at[3]; uint step; }} entry;\n\
         __kernel void k(__global ulong *out{params}) {{\n    int g = get_global_id(0);\n    \
         ulong bits = g;\n    for (int j = 0; j < 8; j++) {{\n{body}    }}\n    \
         out[g] = bits;\n}}\n"
    ));
    for which in 0..2 {
        let mut args = vec![job.buffer(32 * 8, Fill::Zero)];
        for (_, size, _) in &tables {
            let fill = Fill::Ints {
                seed: random.bits(),
                low: 0,
                high: 1 << 20,
            };
            let differs = which == 1 && random.chance(40);
            let elements = match differs && random.chance(50) {
                true => ELEMENTS * 2,
                false => ELEMENTS,
            };
            let is_written = match which {
                0 => random.chance(10),
                _ => differs && elements == ELEMENTS,
            };
            args.push(match is_written {
                true => job.buffer(elements * size, fill),
                false => job.input(elements * size, fill),
            });
        }
        job.launch("k", Geometry::range(&[32], &[8]), args);
    }
    job
}

fn statement(random: &mut Random, table: &str, (ty, _, value): (&str, usize, &str)) -> String {
    let as_value = |read: &str| value.replace('E', &format!("({read})"));
    let is_scalar = !matches!(ty, "entry" | "uint4");
    let text = match random.below(12) {
        0 => random.pick(&OTHERS).to_string(),
        10 | 11 => random.pick(&WALKS).to_string(),
        1 | 2 if is_scalar => {
            let part = match ty {
                "float" => "(ulong)as_uint(vload2(j, P).y)",
                _ => "(ulong)vload2(j, P).y",
            };
            format!("    bits = bits * 5 + {part} + sizeof(*P);\n")
        }
        3 if ty == "entry" => "    bits += (P + 1)->at[j % 3] ^ P[j].step;\n".to_string(),
        4 if ty == "entry" => "    bits += *(&P[j].step) + *P[j].at;\n".to_string(),
        _ => {
            let read = random.pick(&READS).to_string();
            let condition = random.pick(&["", "if (g & 1) ", "if (j > 2) "]);
            format!("    {condition}bits = bits * 3 + V({read});\n")
        }
    };
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("V(") {
        let end = closing(after);
        out.push_str(before);
        out.push_str(&as_value(&after[..end]));
        rest = &after[end + 1..];
    }
    out.push_str(rest);
    out.replace("T *", &format!("{ty} *")).replace('P', table)
}

/// The place of the bracket that ends what stands in front.
fn closing(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return at,
            ')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}
