//! Kernels that are single work-items already, with reductions in loops.

use std::fmt::Write;

use crate::random::Random;

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
            let operand = s.pick(&["x", "x", "fin[(i + 5) & 63]", "2.0f", "(x - 1.0f)"]);
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
