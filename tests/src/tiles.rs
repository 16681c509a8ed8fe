//! Random kernels whose work-items share what they read, for the pass `tile`. Buffers are as large as what is
//! read, and no larger.

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;

/// An argument that makes addresses invalid: nothing may be read with it.
const FAR: i32 = 100_000_000;

/// Groups that are launched.
const LOCALS: [[u64; 3]; 7] = [
    [8, 4, 1],
    [4, 4, 1],
    [16, 1, 1],
    [8, 2, 2],
    [5, 3, 1],
    [1, 8, 1],
    [4, 8, 1],
];

/// A kernel over images of `w` by `h`, or products of matrices.
#[derive(Clone, Debug)]
pub struct Shared {
    local: [u64; 3],
    groups: [u64; 2],
    /// The image's size: what the work-items cover and a border, or less than they cover.
    size: [i32; 2],
    /// Iterations of a loop over rows and columns.
    trips: Vec<i32>,
    radius: i32,
    /// The kernel states its work-group size.
    states: bool,
    ty: &'static str,
    head: String,
    body: String,
    offset: [u64; 2],
}

/// What bounds a work-item; `D` are the statements under the condition, `R` is the radius.
const GUARDS: [&str; 6] = [
    "if (x < w && y < h) { D }",
    "if (x >= w || y >= h) return; D",
    "if (x >= w) { return; } if (!(h > y)) return; D",
    "if (x < w) { if (h - 1 >= y) { D } }",
    "const int ok = x < w && y < h; if (ok) { D }",
    "if (w > x && y < h && m > 0) { D } else { out[at] = 7; }",
];

/// The same, of work-items that read around them.
const INSIDE: [&str; 6] = [
    "if (x >= R && y >= R && x < w - R && y < h - R) { D }",
    "if (x < R || x + R >= w || y < R || y + R >= h) return; D",
    "if (x > R - 1 && x < w - R) if (y - R >= 0 && y < h - R) { D }",
    "if (x < R || y < R) return; if (x >= w - R || y >= h - R) { out[at] = 3; return; } D",
    "const bool in_x = x >= R && x < w - R; if (!in_x) return; if (y >= R && y <= h - R - 1) { D }",
    "if (x < R || x >= w - R) { out[at] = 5; } else if (y >= R && y < h - R) { D }",
];

/// Reads at `P`, which is a column, and `Q`, which is a row.
const READS: [&str; 10] = [
    "in[(Q) * w + P]",
    "in[P + w * (Q)]",
    "*(in + (Q) * w + P)",
    "(in + w * (Q))[P]",
    "(&in[(Q) * w])[P]",
    "in[y * w + x + (int)(P - x) + (int)(Q - y) * w]",
    "in[(uint)((Q) * w + P)]",
    "in[(size_t)(Q) * w + P]",
    "pixel_TY(in, P, Q, w)",
    "along_TY(in + (Q) * w, P)",
];

/// Types of elements.
const TYPES: [&str; 5] = ["int", "uint", "short", "int2", "float"];

/// What reads for a kernel, for each type.
const FUNCTIONS: &str = "TY pixel_TY(__global const TY *image, int x, int y, int w)\n{\n\
                         return image[y * w + x];\n}\n\
                         TY along_TY(__global const TY *row, int x)\n{\nreturn row[x];\n}\n";

/// Loops over a counter `C` from `-R` to `R`.
const LOOPS: [&str; 5] = [
    "for (int C = -R; C <= R; C++)",
    "for (int C = R; C >= -R; C--)",
    "for (short C = -R; C <= R; ++C)",
    "for (long C = -R; C < R + 1; C += 1)",
    "for (C_ = -R; C_ <= R; C_++)",
];

/// What bounds a read to the image; `T` is the read's statement.
const BORDERS: [&str; 5] = [
    "if (xx >= 0 && xx < w && yy >= 0 && yy < h) T",
    "if (xx < 0 || xx >= w || yy < 0 || yy >= h) continue; T",
    "if (xx >= 0 && xx < w) if (yy > -1 && h > yy) { T }",
    "if (!(xx < 0) && !(xx >= w) && yy + 1 >= 1 && yy < h) { T }",
    "sum += xx >= 0 && xx < w && yy >= 0 && yy < h ? READ : 0;",
];

impl Shared {
    /// A random one.
    pub fn random(random: &mut Random) -> Self {
        let local = random.copy(&LOCALS);
        let groups = [1 + random.below(3) as u64, 1 + random.below(2) as u64];
        let offset = match random.chance(15) {
            true => [random.below(4) as u64, random.below(3) as u64],
            false => [0, 0],
        };
        let mut shared = Shared {
            local,
            groups,
            size: [0; 2],
            trips: vec![1],
            radius: 1 + random.below(2) as i32,
            states: random.chance(85),
            ty: random.copy(&["int", "int", "uint", "short", "int2", "float"]),
            head: String::new(),
            body: String::new(),
            offset,
        };
        match random.below(5) {
            0 => shared.inside(random),
            1 => shared.bordered(random),
            2 | 3 => shared.product(random),
            _ => shared.padded(random),
        }
        shared
    }

    /// Work-items in each dimension, from 0.
    fn covered(&self) -> [i32; 2] {
        [0, 1].map(|d| (self.local[d] * self.groups[d] + self.offset[d]) as i32)
    }

    /// An image that some work-items may be outside of.
    fn cut(&mut self, random: &mut Random) {
        let covered = self.covered();
        let around = 2 * self.radius + 1;
        self.size = covered.map(|all| match random.chance(60) {
            true => (all - random.below(6) as i32).max(around),
            false => all + random.below(9) as i32,
        });
    }

    fn ids(&mut self, types: &[&'static str], random: &mut Random) {
        let ty = random.copy(types);
        let [x, y] = match random.below(4) {
            0 if self.offset == [0, 0] => [0, 1]
                .map(|d| format!("get_group_id({d}) * get_local_size({d}) + get_local_id({d})")),
            _ => [0, 1].map(|d| format!("get_global_id({d})")),
        };
        self.head = format!("{ty} x = {x}; {ty} y = {y};\n");
    }

    fn fit(&self, text: &str) -> String {
        text.replace('R', &self.radius.to_string())
    }

    /// Reads around work-items that are not at the border.
    fn inside(&mut self, random: &mut Random) {
        self.cut(random);
        // The emulator's vectoriser loses masks that come of numbers of 64 bits.
        self.ids(&["int", "int", "const int"], random);
        let guard = self.fit(random.pick(&INSIDE));
        let reads = self.around(random, None);
        self.body = guard.replace('D', &reads);
    }

    /// Reads around work-items where that is in the image.
    fn bordered(&mut self, random: &mut Random) {
        self.cut(random);
        self.ids(&["int", "const int"], random);
        let guard = random.copy(&GUARDS);
        let border = random.copy(&BORDERS);
        let reads = self.around(random, Some(border));
        self.body = guard.replace('D', &reads);
    }

    /// An image with a border that no work-item stands for.
    fn padded(&mut self, random: &mut Random) {
        let covered = self.covered();
        let more = random.below(4) as i32;
        self.size = [
            covered[0] + 2 * self.radius + more,
            covered[1] + 2 * self.radius,
        ];
        self.ids(&["int", "uint", "size_t", "ulong"], random);
        let radius = self.radius;
        self.head = self
            .head
            .replace("; ", &format!(" + {radius}; "))
            .replace(";\n", &format!(" + {radius};\n"));
        self.body = self.around(random, None);
    }

    /// Reads of the elements around a work-item's own.
    fn around(&self, random: &mut Random, border: Option<&str>) -> String {
        let read = random.copy(&READS).replace("TY", self.ty);
        let at = |column: &str, row: &str| read.replace('P', column).replace('Q', row);
        let radius = self.radius;
        if border.is_none() && random.chance(40) {
            // A few, one by one.
            let reads = (0..2 + random.below(6)).map(|_| {
                let [dx, dy] =
                    [0, 1].map(|_| random.below(2 * radius as usize + 1) as i32 - radius);
                let offset = |id: &str, by: i32| match by {
                    0 => id.to_string(),
                    1.. => format!("{id} + {by}"),
                    _ => format!("{id} - {}", -by),
                };
                format!("sum += {};\n", at(&offset("x", dx), &offset("y", dy)))
            });
            let reads: String = reads.collect();
            return format!("{reads}out[at] = sum;\n");
        }
        let loops = |random: &mut Random, counter: &str| {
            let text = self.fit(random.pick(&LOOPS));
            text.replace("C_", &format!("o{counter}"))
                .replace('C', counter)
        };
        let (mut rows, mut columns) = (loops(random, "dy"), loops(random, "dx"));
        for (text, counter) in [(&mut rows, "dy"), (&mut columns, "dx")] {
            if text.contains(&format!("o{counter}")) {
                *text = text.replace(&format!("o{counter}"), counter);
                *text = format!("int {counter}; {text}");
            }
        }
        let (pixel, statement) = match border {
            Some(border) => {
                let read = at("xx", "yy");
                let statement = format!("sum += {read};");
                let text = border.replace("READ", &read).replace('T', &statement);
                ("int xx = x + dx; int yy = y + dy;\n", text)
            }
            None => {
                let extra =
                    random.copy(&["", "", "if (m > 0) ", "if (near) ", "if (at % 3 != 1) "]);
                // Far away, but not read then.
                let column = match extra {
                    "if (near) " => "x + dx + far",
                    _ => "x + dx",
                };
                ("", format!("{extra}sum += {};", at(column, "y + dy")))
            }
        };
        format!("{rows} {{\n{columns} {{\n{pixel}{statement}\n}}\n}}\nout[at] = sum;\n")
    }

    /// A product of two matrices, or something like it.
    fn product(&mut self, random: &mut Random) {
        self.cut(random);
        self.ids(&["int", "int", "uint", "size_t"], random);
        self.trips = match random.below(3) {
            0 => vec![0, 1, 19],
            1 => vec![16],
            _ => vec![33, 5],
        };
        let start = random.copy(&["0", "0", "0", "1", "m"]);
        let counter = random.copy(&["int", "int", "uint", "long"]);
        let end = match (self.trips.as_slice(), random.chance(30)) {
            ([trips], true) => trips.to_string(),
            _ => "n".to_string(),
        };
        let header = match random.below(4) {
            0 => format!("int k; for (k = {start}; k < {end}; k++)"),
            _ => format!("for ({counter} k = {start}; k < {end}; k++)"),
        };
        let of_a = random.copy(&[
            "in[y * n + k]",
            "in[k + n * y]",
            "*(in + n * y + k)",
            "(in + y * n)[k]",
        ]);
        let of_b = random.copy(&["in2[k * w + x]", "in2[x + w * k]", "in2[w * k + x]"]);
        let before = random.copy(&[
            "",
            "",
            "if (k % 3 == 1) continue;\n",
            "int twice = k * 2; sum += twice;\n",
        ]);
        let after = match header.starts_with("int k;") {
            true => "sum += k;\n",
            false => "",
        };
        let sum = random.copy(&[
            "sum += A * B;",
            "{ TY a = A; sum += a * B; }",
            "sum = sum * 3 + A - B;",
        ]);
        let sum = sum
            .replace('A', of_a)
            .replace('B', of_b)
            .replace("TY", self.ty);
        let loops = format!("{header} {{\n{before}{sum}\n}}\n{after}out[at] = sum;\n");
        let guard = random.copy(&GUARDS);
        let early = random.copy(&[
            "",
            "TY more = 2; sum += more;\n",
            "const TY more = sum + 1; sum += more;\n",
        ]);
        let early = early.replace("TY", self.ty);
        self.body = guard.replace('D', &format!("{early}{loops}"));
    }

    fn kernel(&self, number: usize) -> String {
        let attribute = match self.states {
            true => {
                let [x, y, z] = self.local;
                format!("__attribute__((reqd_work_group_size({x}, {y}, {z})))\n")
            }
            false => String::new(),
        };
        let (ty, head) = (self.ty, &self.head);
        let body = &self.body;
        format!(
            "{attribute}__kernel void k{number}(__global const {ty} *restrict in, __global const {ty} *restrict in2,\n\
             __global {ty} *restrict out, int w, int h, int n, int m)\n{{\n\
             size_t at = (get_global_id(1) + get_global_id(2) * 64) * 64 + get_global_id(0);\n\
             bool near = m < 100; int far = near ? 0 : m;\n{ty} sum = 1;\n{head}{body}}}\n"
        )
    }
}

/// What stands before the kernels.
pub fn functions() -> String {
    TYPES.iter().map(|ty| FUNCTIONS.replace("TY", ty)).collect()
}

/// Kernels and launches of each.
pub fn job(kernels: &[Shared]) -> Job {
    let texts = kernels.iter().enumerate();
    let source: String = texts.map(|(number, one)| one.kernel(number)).collect();
    let mut job = Job::new(functions() + &source);
    for (number, one) in kernels.iter().enumerate() {
        let bytes = match one.ty {
            "int2" => 8,
            "short" => 2,
            _ => 4,
        };
        let fill = |seed: u64| match one.ty {
            "float" => Fill::floats(seed, -2.0, 2.0),
            _ => Fill::ints(seed, 0, 9),
        };
        let [w, h] = one.size.map(|size| size as usize);
        for &trips in &one.trips {
            let is_image = one.trips == [1];
            let sizes = match is_image {
                true => [w * h, 1],
                false => [(trips as usize * h).max(1), (trips as usize * w).max(1)],
            };
            let [a, b] = sizes.map(|size| size.next_multiple_of(4 / bytes.min(4)) * bytes);
            let (a, b) = (job.buffer(a, fill(1)), job.buffer(b, fill(2)));
            let out = job.buffer(64 * 64 * 2 * bytes, Fill::Zero);
            let global = [0, 1, 2].map(|d| one.local[d] * one.groups.get(d).copied().unwrap_or(1));
            let geometry = match one.offset {
                [0, 0] => Geometry::range(&global, &one.local),
                [x, y] => Geometry::offset_range(&[x, y, 0], &global, &one.local),
            };
            let m = if one.body.contains("near") && number % 2 == 0 {
                FAR
            } else {
                1
            };
            let scalars = [w as i32, h as i32, trips, m].map(Arg::int);
            let args = [a, b, out].into_iter().chain(scalars);
            job.launch(&format!("k{number}"), geometry, args);
        }
    }
    job
}
