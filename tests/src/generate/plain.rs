//! Kernels as most programs for GPUs have them: each work-item stores what it makes of the elements around its own,
//! and knows nothing of its group.

use crate::random::Random;

use super::shape::Shape;

/// Elements of a row of the inputs, where work-items have rows.
const ROW: usize = 16;
/// What a work-item does by itself.
const ALONE: [&str; 8] = [
    "atomic_inc(&acc[a & 7u]);",
    "for (int i = 0; i < 3; i++) {\natomic_inc(&acc[(a + (uint)i) & 7u]);\n}",
    "a = a * 3u + (uint)x;",
    "a ^= (a >> 3) + n;",
    "if ((a & 1u) != 0u) {\na += 5u;\n} else {\na ^= 9u;\n}",
    "f = f > 2.0f ? f - 1.0f : f + 3.0f;",
    "if (x > 2) {\nf += 4.0f;\n}",
    "f += (float)(a & 7u);",
];
/// Reads of the elements around, `P` being the place of the work-item's own and `T` a number of them.
const AROUND: [&str; 5] = [
    "for (int i = 0; i < T; i++) {\na += in[P + i] * (uint)(i + 1);\n}",
    "for (int i = 0; i < T; i++) {\nf += fin[P + i] * 2.0f;\n}",
    "a += in[P + 2] ^ in[P + 1];\nf += fin[P + T];",
    "for (int i = 0; i < m; i++) {\na += in[P + i];\n}",
    "a += in[P] - in[P + T] * 3u;",
];
/// The same in rows.
const IN_ROWS: [&str; 4] = [
    "for (int j = 0; j < 3; j++) {\nfor (int i = 0; i < T; i++) {\na += in[(y + j) * ROW + x + i];\n}\n}",
    "for (int k = 0; k < T; k++) {\na += in[y * ROW + k] * in[k * ROW + x];\n}",
    "for (int k = 0; k < m; k++) {\nf += fin[y * ROW + k] + fin[k * ROW + x];\n}",
    "a += in[y * ROW + x + 1] + in[(y + 1) * ROW + x] * 5u;",
];
/// Which work-items store, of `D`.
const STORES: [&str; 5] = [
    "D",
    "D",
    "if (x < n) {\nD}",
    "if (x >= n) {\nreturn;\n}\nD",
    "if (m > 3 || x < n) {\nD}",
];

/// Groups that vectors of four, and rounds of two, divide.
pub(super) fn shape(s: &mut Random) -> Shape {
    let dims = s.copy(&[1, 1, 2]);
    let (local, groups) = match dims {
        1 => (
            s.copy(&[[8, 1, 1], [16, 1, 1], [4, 1, 1]]),
            s.copy(&[[1, 1, 1], [2, 1, 1], [4, 1, 1], [3, 1, 1]]),
        ),
        _ => (
            s.copy(&[[4, 4, 1], [8, 2, 1], [4, 2, 1]]),
            s.copy(&[[1, 1, 1], [2, 1, 1], [2, 2, 1], [1, 2, 1]]),
        ),
    };
    Shape {
        dims,
        local,
        groups,
        offset: [0; 3],
        null_local: s.chance(5),
    }
}

/// The body of a kernel with the parameters of all generated kernels.
pub(super) fn body(s: &mut Random, v: &mut Random, shape: &Shape) -> String {
    let id = v.pick(&["int", "uint", "size_t"]);
    let width = shape.global(0).to_string();
    let width = v.copy(&["get_global_size(0)", &width]).to_string();
    let (ids, own, at) = match shape.dims {
        1 => (
            format!("{id} x = get_global_id(0);\n"),
            "x".to_string(),
            "x".to_string(),
        ),
        _ => (
            format!("{id} x = get_global_id(0), y = get_global_id(1);\n"),
            format!("y * {ROW} + x"),
            format!("y * {width} + x"),
        ),
    };
    let mut text = format!("{ids}uint a = in[{own}];\nfloat f = fin[{own}];\n");
    for _ in 0..2 + s.below(3) {
        let line = match (s.below(4), shape.dims) {
            (0, _) => s.pick(&ALONE),
            (1 | 2, 2) => s.pick(&IN_ROWS),
            _ => s.pick(&AROUND),
        };
        let trips = (2 + s.below(4)).to_string();
        let line = line.replace("ROW", &ROW.to_string()).replace('P', &own);
        text += &format!("{}\n", line.replace('T', &trips));
    }
    let stores = format!("out[{at}] = a;\nfout[{at}] = f;\n");
    text + &s.pick(&STORES).replace('D', &stores)
}
