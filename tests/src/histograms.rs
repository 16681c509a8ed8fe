//! Random histograms, for the pass `privatise`.

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;

/// Numbers that are counted.
const NUMBERS: usize = 96;

/// Indices, by what bounds them, and how many elements they reach of numbers from 0 to 15 and of any.
const INDICES: [(&str, usize, usize); 9] = [
    ("v & 255", 16, 256),
    ("v % 13u", 13, 13),
    ("v >> 26", 1, 64),
    ("(uchar)v", 16, 256),
    ("min(v, 9u)", 10, 10),
    ("clamp((int)v, 0, 7)", 8, 8),
    ("i & 7", 8, 8),
    ("(v >> 2 & 3) + 2 * (v % 3)", 8, 8),
    ("(v > 4 ? v & 31 : 1)", 16, 32),
];
const AMOUNTS: [&str; 5] = ["1", "v", "(int)(v & 3) - 2", "i * 3L", "a[i]"];

/// A loop that counts in two arrays.
#[derive(Clone, Debug)]
pub struct Histogram {
    /// Work-items run it, instead of a loop.
    pub has_items: bool,
    /// Work-items without a number leave before they count.
    leaves: bool,
    /// The numbers are small, and the arrays as small as these let them be.
    is_small: bool,
    ty: &'static str,
    /// The elements of both arrays.
    elements: [usize; 2],
    body: String,
}

impl Histogram {
    /// A random one.
    pub fn random(random: &mut Random) -> Self {
        let mut histogram = Histogram {
            has_items: random.chance(50),
            leaves: random.chance(30),
            is_small: random.chance(50),
            ty: random.copy(&["int", "uint"]),
            elements: [1; 2],
            body: String::new(),
        };
        for _ in 0..1 + random.below(4) {
            let line = histogram.atomic(random);
            histogram.body += &line;
        }
        histogram
    }

    fn atomic(&mut self, random: &mut Random) -> String {
        let at = random.below(2);
        let array = ["h", "g"][at];
        let (index, small, large) = random.copy(&INDICES);
        let reached = if self.is_small { small } else { large };
        let pointer = match random.below(4) {
            0 => array.to_string(),
            1 => format!("{array} + ({index})"),
            _ => format!("&{array}[{index}]"),
        };
        if pointer != array {
            self.elements[at] = self.elements[at].max(reached);
        }
        let amount = random.copy(&AMOUNTS);
        let call = match random.below(4) {
            0 => format!("atomic_inc({pointer});\n"),
            1 => format!("atomic_dec({pointer});\n"),
            2 => format!("(void)atomic_sub({pointer}, {amount});\n"),
            _ => format!("atomic_add({pointer}, {amount});\n"),
        };
        match random.below(3) {
            0 => format!("if (v % 3 == 1) {call}"),
            1 => format!("for (int j = 0; j < (int)(v & 3); j++) {call}"),
            _ => call,
        }
    }

    fn kernel(&self, number: usize) -> String {
        let head = match self.has_items {
            true if self.leaves => {
                "int i = get_global_id(1) * get_global_size(0) + get_global_id(0);\nif (i >= n) return;\n"
            }
            true => "int i = get_global_id(0);\n",
            false => "for (int i = 0; i < n; i++)\n",
        };
        let (ty, body) = (self.ty, &self.body);
        format!(
            "__kernel void k{number}(__global const uint *restrict a, __global {ty} *restrict h,\n\
             __global {ty} *restrict g, int n)\n{{\n{head}{{\nuint v = a[i];\n{body}}}\n}}\n"
        )
    }
}

/// Kernels and their launches.
pub fn job(histograms: &[Histogram]) -> Job {
    let kernels = histograms.iter().enumerate();
    let source: String = kernels.map(|(number, h)| h.kernel(number)).collect();
    let mut job = Job::new(source);
    for (number, histogram) in histograms.iter().enumerate() {
        let (low, high) = match histogram.is_small {
            true => (0, 15),
            false => (i32::MIN, i32::MAX),
        };
        let a = job.buffer(4 * NUMBERS, Fill::ints(number as u64, low, high));
        let mut counts = histogram
            .elements
            .map(|elements| job.buffer(4 * elements, Fill::ints(7, -5, 5)))
            .into_iter();
        let mut next = || counts.next().expect("two arrays");
        let numbers = match histogram.has_items && histogram.leaves {
            true => NUMBERS - 2,
            false => NUMBERS,
        };
        let args = [a, next(), next(), Arg::int(numbers as i32)];
        let range = match histogram.has_items {
            true if histogram.leaves => Geometry::range(&[NUMBERS as u64 / 3 + 2, 3], &[2, 3]),
            true => Geometry::range(&[NUMBERS as u64], &[8]),
            false => Geometry::range(&[1], &[1]),
        };
        job.launch(&format!("k{number}"), range, args);
    }
    job
}
