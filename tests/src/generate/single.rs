//! Kernels that are single work-items already: with reductions in loops, or nests that look up neighbours.

use std::fmt::Write;

use crate::random::Random;

/// Elements of a row, and of a table of neighbours.
pub(super) const ROW: usize = 16;

/// What is read in a nest over rows, `uni` being the neighbours' table.
const LOOKED_UP: [&str; 5] = [
    "in[y * ROW + uni[x]]",
    "in[uni[y] * ROW + x]",
    "in[uni[y] * ROW + uni[x]] * 3u",
    "(x > 2 ? in[y * ROW + uni[x]] : 7u)",
    "(uint)uni[x]",
];

/// The body of a kernel that looks up rows and columns.
pub(super) fn neighbours(s: &mut Random, v: &mut Random) -> String {
    let rows = s.copy(&[ROW, ROW, 5]);
    let columns = s.copy(&[ROW, ROW, 7]);
    let mut value = format!("{} + in[y * ROW + x]", s.pick(&LOOKED_UP));
    for _ in 0..s.below(3) {
        value += &format!(" ^ {}", s.pick(&LOOKED_UP));
    }
    let skips = match s.chance(50) {
        true => "if (b == 9u) {\ncontinue;\n}\n",
        false => "",
    };
    let counts = s.pick(&["", "", "atomic_inc(&acc[b & 7u]);\n"]);
    let has_more = !skips.is_empty() || !counts.is_empty();
    let (before, line) = match v.chance(50) || has_more {
        true => (
            "uint b;\n",
            format!("b = {value};\n{counts}{skips}a = a * 5u + b;"),
        ),
        false => ("", format!("a = a * 5u + ({value});")),
    };
    let text = format!(
        "uint a = in[1];\n{before}for (int y = 0; y < {rows}; y++) {{\n\
         for (int x = 0; x < {columns}; x++) {{\n{line}\n}}\n}}\nout[0] = a;\nfout[1] = (float)(a & 63u);\n"
    );
    text.replace("ROW", &ROW.to_string())
}

/// The body of a kernel with the parameters of all generated kernels.
pub(super) fn body(s: &mut Random, v: &mut Random) -> String {
    let mut text = String::from(
        "float f = fout[0], g = 1.0f, h = -3.0f, w[4] = { 1.0f, 2.0f, 3.0f };\nuint a = in[1];\n",
    );
    for number in 0..1 + s.below(3) {
        let trips = s.copy(&["(int)n", "m * 3", "17", "40"]);
        let at = s.pick(&["i & 63", "(i * 3 + 1) & 63", "(i + m) & 63"]);
        let mut lines = String::new();
        for _ in 0..1 + s.below(3) {
            let operand = s.pick(&[
                "x",
                "(fin[i] - fin[i + 2])",
                "(fin[i + 1] + fin[i])",
                "fin[(i + 5) & 63]",
                "2.0f",
                "(x - 1.0f)",
            ]);
            let line = match s.below(11) {
                0 | 1 => format!("f += {operand};"),
                2 => format!("h = h + {operand};"),
                3 => format!("f -= {operand};"),
                4 => format!("h = fmax(h, {operand});"),
                5 => format!("if (x > 3.0f) {{\nf += {operand};\n}}"),
                6 | 7 => format!("fout[5] += {operand};"),
                8 => format!("w[2] = w[2] + {operand};"),
                9 => "g *= (i & 1) ? -1.0f : 1.0f;".to_string(),
                _ => "a += in[i & 63];".to_string(),
            };
            let _ = writeln!(lines, "{line}");
        }
        let i = match v.below(3) {
            0 => format!(
                "int i{number} = 0;\nwhile (i{number} < {trips}) {{\nint i = i{number}++;\n"
            ),
            1 => format!(
                "for (int i{number} = 0; i{number} < {trips}; ++i{number}) {{\nint i = i{number};\n"
            ),
            _ => format!("for (int i = 0; i < {trips}; i++) {{\n"),
        };
        let _ = write!(text, "{i}float x = fin[{at}];\n{lines}}}\n");
        if s.chance(40) {
            let _ = writeln!(text, "fout[{number}] = f + g;");
        }
    }
    text.push_str("fout[1] = f;\nfout[2] = g;\nfout[3] = h + w[2];\nout[0] = a;\n");
    text
}
