//! Random kernels with arrays on the chip whose rows become longer, or must not.

use crate::job::{Fill, Geometry, Job};
use crate::random::Random;

/// Elements of the buffers.
const ELEMENTS: usize = 1024;

/// A kernel.
#[derive(Clone, Debug)]
pub struct Padded {
    rows: usize,
    length: usize,
    /// `t[row][column]`; else `t[length * row + column]`.
    is_nested: bool,
    space: &'static str,
    sections: Vec<String>,
}

impl Padded {
    /// A random one.
    pub fn random(random: &mut Random) -> Self {
        let mut kernel = Padded {
            rows: 4 + random.below(5),
            // Mostly such as become longer.
            length: match random.chance(6) {
                true => 8,
                false => random.copy(&[5, 6, 7, 9, 10, 12, 17]),
            },
            is_nested: random.chance(20),
            space: random.copy(&["", "", "__local "]),
            sections: Vec::new(),
        };
        for _ in 0..1 + random.below(3) {
            let section = kernel.section(random);
            kernel.sections.push(section);
        }
        kernel
    }

    /// An element in one of the ways that sources have, of those that are sure.
    fn at(&self, random: &mut Random, row: &str, column: &str) -> String {
        let length = self.length;
        if self.is_nested {
            return format!("t[{row}][{column}]");
        }
        match random.below(6) {
            0 => format!("t[{column} + ({row}) * {length}]"),
            1 => format!("t[{length} * ({row}) + {column}]"),
            2 => format!("t[({row}) * ({} + 1) + ({column})]", length - 1),
            3 => format!("t[({row}) * {length} + ({column}) * 1]"),
            4 => format!("t[(size_t)(({column}) - -({row}) * {length})]"),
            _ => format!("t[({row} + 1) * {length} - {length} + {column}]"),
        }
    }

    fn section(&self, random: &mut Random) -> String {
        let (rows, length) = (self.rows, self.length);
        let op = random.copy(&["+=", "^=", "=", "-="]);
        let value = random.copy(&["n", "in[r * 3 + c]", "r * 5 - c", "all % 7"]);
        let here = self.at(random, "r", "c");
        // Copies of a row's elements are in banks.
        let unroll = random.copy(&["", "", "\n#pragma unroll\n"]);
        let every =
            format!("for (int r = 0; r < {rows}; r++) {unroll}for (int c = 0; c < {length}; c++)");
        match random.below(if self.is_nested { 5 } else { 10 }) {
            0 => format!("{every} {here} {op} {value};"),
            // Along diagonals.
            1 | 2 => {
                let at = self.at(random, "m - c", "c");
                format!(
                    "for (int m = 0; m < {}; m++) for (int c = 0; c < {length}; c++) \
                     if (c <= m && m - c < {rows}) {{ int r = m; {at} {op} {value}; }}",
                    rows + length
                )
            }
            // Beside the end of a row, in one of the branches.
            3 => {
                let next = self.at(random, "r", "c + 1");
                let (no, yes) = (
                    format!("{here} {op} {value};"),
                    format!("{next} {op} {value};"),
                );
                match random.below(3) {
                    0 => format!("{every} if (c + 1 < {length}) {yes} else {no}"),
                    1 => format!("{every} if (c >= {length} - 1) {no} else {yes}"),
                    _ => format!("{every} all += c < {} ? {next} : {here};", length - 1),
                }
            }
            4 => {
                let back = self.at(random, "r - 1", "c - 1");
                format!("{every} if (r > 0 && !(c < 1)) {here} {op} {back} + {value};")
            }
            // Elements that a variable names, or that nobody knows.
            5 | 6 => format!("{every} {{ int at = r * {length} + c; t[at] {op} {value}; }}"),
            7 => format!("{every} t[r * {length} + (in[c] & 3)] {op} {value};"),
            // Through rows, or beyond their ends.
            8 => format!(
                "for (int k = 0; k < {}; k++) {{ int r = k, c = 1; t[k] {op} {value}; }}",
                rows * length
            ),
            _ => format!(
                "{every} if (r + 1 < {rows}) {{ {here} {op} {value}; all += t[r * {length} + c + {}]; }}",
                random.below(length)
            ),
        }
    }

    fn text(&self, number: usize) -> String {
        let (rows, length) = (self.rows, self.length);
        let (dims, at) = match self.is_nested {
            true => (format!("[{rows}][{length}]"), "t[r][c]".to_string()),
            false => (
                format!("[{rows} * {length}]"),
                format!("t[r * {length} + c]"),
            ),
        };
        let every = format!("for (int r = 0; r < {rows}; r++) for (int c = 0; c < {length}; c++)");
        let sections = self.sections.join("\n");
        format!(
            "__kernel void k{number}(__global const int *restrict in, __global int *restrict out, int n)\n{{\n\
             {}int t{dims};\nint all = 0;\n{every} {at} = in[r * {length} + c];\n{sections}\n\
             {every} out[r * {length} + c] = {at};\nout[{}] = all;\n}}\n",
            self.space,
            rows * length,
        )
    }
}

/// Kernels and their launches.
pub fn job(all: &[Padded]) -> Job {
    let numbered = all.iter().enumerate();
    let texts = numbered.map(|(number, padded)| padded.text(number));
    let mut job = Job::new(texts.collect::<String>());
    for number in 0..all.len() {
        let input = job.input(4 * ELEMENTS, Fill::ints(3, 0, 16));
        let output = job.buffer(4 * ELEMENTS, Fill::ints(4, 0, 16));
        let args = [input, output, crate::job::Arg::int(7)];
        job.launch(&format!("k{number}"), Geometry::range(&[1], &[1]), args);
    }
    job
}
