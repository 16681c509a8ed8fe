//! Random stencils, for the pass `window`.

#![expect(
    clippy::needless_range_loop,
    reason = "a dimension is an index of several arrays"
)]

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;

/// The elements with which buffers are filled, again and again.
const ELEMENTS: usize = 1024;

/// A stencil over the first elements of a buffer.
#[derive(Clone, Debug)]
pub struct Stencil {
    /// Elements of rows, rows of planes, planes.
    size: [i32; 3],
    /// Loops, the innermost first.
    dims: usize,
    /// The first and the last value of each counter.
    range: [(i32, i32); 3],
    ty: &'static str,
    /// What the body says.
    body: String,
    /// The bound of the innermost loop is the parameter `n`, which these launches give.
    trips: Vec<i32>,
    /// How loops compare.
    compare: usize,
    /// Work-items in place of loops.
    pub items: bool,
    /// The type of their ids.
    id: &'static str,
    /// Work-items too many in each dimension, which do nothing.
    beyond: [i32; 3],
}

const COUNTERS: [&str; 3] = ["x", "y", "z"];

impl Stencil {
    /// A random one; `items`: of work-items, not of loops.
    pub fn random(random: &mut Random, items: bool) -> Self {
        let dims = 1 + random.below(3);
        let mut size = [1; 3];
        for (dim, most) in [24, 9, 5].into_iter().enumerate().take(dims) {
            size[dim] = 3 + random.below(most) as i32;
        }
        let mut stencil = Stencil {
            size,
            dims,
            range: [(0, 0); 3],
            ty: random.copy(&["float", "int", "short", "uchar", "float2"]),
            body: String::new(),
            trips: Vec::new(),
            compare: random.below(4),
            items,
            id: random.copy(&["int", "int", "uint", "size_t", "const unsigned", "long"]),
            beyond: [0; 3],
        };
        if items && random.chance(40) {
            stencil.beyond = [0; 3].map(|_| random.below(4) as i32);
        }
        let style = random.below(8);
        for dim in 0..dims {
            let last = size[dim] - 1;
            stencil.range[dim] = match style {
                // All, with borders by conditions.
                0..=2 => (0, last),
                3 => (1, last - 1),
                _ => {
                    let first = random.below(2) as i32;
                    (first, last - random.below(2) as i32)
                }
            };
        }
        stencil.body = match style {
            0 => stencil.chosen(random),
            1 => stencil.guarded(random),
            2 => stencil.convolution(random),
            6 | 7 => stencil.bounded(random),
            _ => stencil.plain(random),
        };
        if dims == 1 && random.chance(50) && !items {
            let all = stencil.range[0].1 - stencil.range[0].0 + 1;
            stencil.trips = [0, 1, 2].into_iter().filter(|trips| *trips < all).collect();
            stencil.trips.push(all);
        }
        stencil
    }

    fn strides(&self) -> [i32; 3] {
        [1, self.size[0], self.size[0] * self.size[1]]
    }

    /// The index of the element at some counters, plus a constant, in one of several spellings.
    fn index(&self, random: &mut Random, moved: [i32; 3]) -> String {
        let strides = self.strides();
        let mut terms = Vec::new();
        let mut constant = 0;
        for dim in (0..self.dims).rev() {
            let counter = COUNTERS[dim];
            let own = if random.chance(50) && moved[dim] != 0 {
                format!("({counter} + {})", moved[dim])
            } else {
                constant += moved[dim] * strides[dim];
                counter.to_string()
            };
            terms.push(match strides[dim] {
                1 => own,
                stride if random.chance(30) => format!("{stride} * {own}"),
                stride => format!("{own} * {stride}"),
            });
        }
        let sum = terms.join(" + ");
        match constant {
            0 => sum,
            _ => format!("{sum} + ({constant})"),
        }
    }

    /// A move that stays within the array at all counters of the loops, if `limited`.
    fn moved(&self, random: &mut Random, limited: bool) -> [i32; 3] {
        let mut moved = [0; 3];
        for dim in 0..self.dims {
            let (first, last) = self.range[dim];
            let (least, most) = match limited {
                true => ((-first).max(-2), (self.size[dim] - 1 - last).min(2)),
                false => (-1, 1),
            };
            moved[dim] = least + random.below((most - least + 1) as usize) as i32;
        }
        moved
    }

    /// Reads at constant distances.
    fn plain(&self, random: &mut Random) -> String {
        let mut body = String::from("T sum = 0;\n");
        for line in 0..2 + random.below(5) {
            let moved = self.moved(random, true);
            let index = self.index(random, moved);
            body += &match random.below(8) {
                0 => format!("int c{line} = {index}; sum += a[c{line}];\n"),
                1 => format!("if (q[{line}] > 0) sum += a[{index}];\n"),
                2 => format!("sum += q[{line}] > 1 ? a[{index}] : b[{index}];\n"),
                3 => format!("if (q[{line}] == 3) continue;\nsum += a[{index}];\n"),
                4 => format!("sum += b[{index}];\n"),
                _ => format!("sum += a[{index}];\n"),
            };
        }
        if self.dims == 1 && random.chance(20) && !self.items {
            body += "if (q[x & 7] == 4) break;\n";
        }
        body + &self.store(random)
    }

    /// Neighbours, or the element itself at borders.
    fn chosen(&self, random: &mut Random) -> String {
        let strides = self.strides();
        let here = self.index(random, [0; 3]);
        let mut body = format!("int c = {here};\nT sum = a[c];\n");
        for (dim, stride) in strides.into_iter().enumerate().take(self.dims) {
            let (counter, last) = (COUNTERS[dim], self.size[dim] - 1);
            body += &match random.below(4) {
                0 => format!(
                    "int p{dim} = ({counter} == 0) ? c : c - {stride};\n\
                     int n{dim} = {counter} == {last} ? c : c + {stride};\n\
                     sum += a[p{dim}] + a[n{dim}];\n"
                ),
                1 => format!(
                    "int p{dim} = {counter} > 0 ? -{stride} : 0;\n\
                     int n{dim} = ({counter} < {last}) ? {stride} : 0;\n\
                     sum += a[c + p{dim}] - a[c + n{dim}];\n"
                ),
                2 => format!(
                    "if ({counter} > 0) sum += a[c - {stride}];\n\
                     if ({counter} != {last}) sum -= a[c + {stride}];\n"
                ),
                _ => format!(
                    "sum += {counter} >= 1 && q[{dim}] > 0 ? a[c - {stride}] : a[c];\n\
                     sum += !({counter} >= {last}) ? a[c + {stride}] : (T)1;\n"
                ),
            };
        }
        body + &self.store(random)
    }

    /// Neighbours where they all exist.
    fn guarded(&self, random: &mut Random) -> String {
        let mut conds = Vec::new();
        for dim in 0..self.dims {
            let (counter, last) = (COUNTERS[dim], self.size[dim] - 1);
            let [low, high] = match random.below(3) {
                0 => [format!("{counter} > 0"), format!("{counter} < {last}")],
                1 => [format!("{counter} >= 1"), format!("{counter} != {last}")],
                _ => [format!("{counter} + 1 > 1"), format!("{last} > {counter}")],
            };
            conds.extend([low, high]);
        }
        let mut sum = String::from("T sum = 0;\n");
        for _ in 0..2 + random.below(6) {
            let moved = self.moved(random, false);
            sum += &format!("sum += a[{}];\n", self.index(random, moved));
        }
        sum += &self.store(random);
        let all = conds.join(" && ");
        let here = self.index(random, [0; 3]);
        match random.below(4) {
            0 => format!("if ({all}) {{\n{sum}}}\n"),
            // Borders are copied.
            3 => format!(
                "if (!({all})) {{ out[{here}] = a[{here}]; continue; }}\n\
                 T own = a[{here}];\n{sum}out[{here}] += own;\n"
            ),
            1 => format!("if (!({all})) continue;\n{sum}"),
            _ => {
                let none: Vec<String> = conds.iter().map(|cond| format!("!({cond})")).collect();
                format!("if ({}) continue;\n{sum}", none.join(" || "))
            }
        }
    }

    /// Loops over neighbours, zero beyond borders.
    fn convolution(&self, random: &mut Random) -> String {
        let reach = 1 + random.below(2) as i32;
        let strides = self.strides();
        let mut body = String::from("T sum = 0;\n");
        let mut conds = Vec::new();
        let mut terms = Vec::new();
        for dim in (0..self.dims).rev() {
            let (counter, size) = (COUNTERS[dim], self.size[dim]);
            let step = random.copy(&["++", " += 2"]);
            body += &format!("for (int d{dim} = -{reach}; d{dim} <= {reach}; d{dim}{step})\n");
            conds.push(format!(
                "{counter} + d{dim} >= 0 && {counter} + d{dim} < {size}"
            ));
            terms.push(format!("({counter} + d{dim}) * {}", strides[dim]));
        }
        let (all, index) = (conds.join(" && "), terms.join(" + "));
        body += &match random.chance(50) {
            true => format!("if ({all}) sum += a[{index}] * (T)(d0 + 3);\n"),
            false => format!("sum += ({all}) ? a[{index}] : (T)0;\n"),
        };
        body + &self.store(random)
    }

    /// Neighbours, or the last element before the border, or one as far on this side of it.
    fn bounded(&self, random: &mut Random) -> String {
        let reach = 1 + random.below(2) as i32;
        let strides = self.strides();
        let mut body = String::from("T sum = 0;\n");
        let mut terms = Vec::new();
        for dim in (0..self.dims).rev() {
            let (counter, last) = (COUNTERS[dim], self.size[dim] - 1);
            let by = match random.below(4) {
                0 => format!("({})", random.below(5) as i32 - 2),
                _ => {
                    body += &format!("for (int d{dim} = -{reach}; d{dim} <= {reach}; d{dim}++)\n");
                    format!("d{dim}")
                }
            };
            let place = format!("(int){counter} + {by}");
            let bounded = match random.below(6) {
                0 => format!("clamp({place}, 0, {last})"),
                1 => format!("min(max({place}, 0), {last})"),
                2 => format!("max(min({last}, {place}), 0)"),
                3 => format!("({place} < 0 ? 0 : {place} > {last} ? {last} : {place})"),
                4 => format!("({place} < 0 ? 0 : min({place}, {last}))"),
                // No farther than one row is long, as there are at least three.
                _ => format!(
                    "({place} < 0 ? -({place}) : {place} > {last} ? 2 * {last} - ({place}) : {place})"
                ),
            };
            terms.push(match strides[dim] {
                1 => bounded,
                stride => format!("{bounded} * {stride}"),
            });
        }
        let index = terms.join(" + ");
        body += &match random.below(3) {
            0 => format!("{{ int at = {index}; sum += a[at]; }}\n"),
            1 => format!("sum += a[{index}] * (T)3;\n"),
            _ => format!("sum += a[{index}];\n"),
        };
        body + &self.store(random)
    }

    fn store(&self, random: &mut Random) -> String {
        let index = self.index(random, [0; 3]);
        let mut store = format!("out[{index}] = sum;\n");
        // A wave that keeps its state before the last there.
        match random.below(12) {
            0 => store = format!("out[{index}] = sum - out[{index}];\n"),
            1 => store = format!("{{ T old = out[{index}]; out[{index}] = old + sum; }}\n"),
            2 if !self.items => {
                let moved = self.moved(random, true);
                let other = self.index(random, moved);
                store = format!("out[{index}] = sum + out[{other}];\n");
            }
            _ => {}
        }
        // A vector is no condition.
        match self.ty != "float2" && random.chance(15) {
            true => format!("if (sum > (T)1) {store}"),
            false => store,
        }
    }

    /// A body for work-items of which there are too many.
    fn guarded_by_size(&self, body: &str) -> String {
        let dims = (0..self.dims).filter(|dim| self.beyond[*dim] > 0);
        let conds: Vec<String> = dims
            .map(|dim| format!("{} > {}", COUNTERS[dim], self.range[dim].1))
            .collect();
        match (conds.len(), self.compare) {
            (0, _) => body.to_string(),
            (_, 0) => format!("if (!({})) {{\n{body}}}\n", conds.join(" || ")),
            _ => format!("if ({}) return;\n{body}", conds.join(" || ")),
        }
    }

    fn kernel(&self, number: usize) -> String {
        let mut text = String::new();
        for dim in (0..self.dims).rev().filter(|_| !self.items) {
            let counter = COUNTERS[dim];
            let (first, last) = self.range[dim];
            let (op, bound) = match self.compare {
                0 => ("<=", last.to_string()),
                1 => ("!=", (last + 1).to_string()),
                _ => ("<", (last + 1).to_string()),
            };
            let (op, bound) = match dim == 0 && !self.trips.is_empty() {
                true => ("<", format!("n + {first}")),
                false => (op, bound),
            };
            text +=
                &format!("for (int {counter} = {first}; {counter} {op} {bound}; {counter}++)\n");
        }
        let (ty, body) = (self.ty, &self.body);
        let mut body = body
            .replace("(T)", &format!("({ty})"))
            .replace("T sum", &format!("{ty} sum"))
            .replace("T old", &format!("{ty} old"))
            .replace("T own", &format!("{ty} own"));
        if self.items {
            body = self.guarded_by_size(&body.replace("continue", "return"));
            for dim in 0..self.dims {
                let (counter, first) = (COUNTERS[dim], self.range[dim].0);
                let id = self.id;
                body = format!("{id} {counter} = get_global_id({dim}) + {first};\n{body}");
            }
        }
        format!(
            "__kernel void k{number}(__global const {ty} *restrict a, __global const {ty} *b,\n\
             __global const int *restrict q, int n, __global {ty} *restrict out)\n\
             {{\n{text}{{\n{body}}}\n}}\n"
        )
    }
}

fn fill(ty: &str, seed: u64) -> Fill {
    match ty {
        "float" | "float2" => {
            let mut random = Random::new(seed);
            let values = (0..ELEMENTS).map(|_| random.below(33) as f32 - 16.0);
            Fill::of_floats(&values.collect::<Vec<_>>())
        }
        // Sums of them must not go beyond what an int holds: that has no meaning in C.
        "int" => Fill::ints(seed, -(1 << 20), 1 << 20),
        _ => Fill::ints(seed, i32::MIN, i32::MAX),
    }
}

fn bytes(ty: &str) -> usize {
    match ty {
        "uchar" => 1,
        "short" => 2,
        "float2" => 8,
        _ => 4,
    }
}

/// The kernels of these stencils in one program, each launched over buffers without an element too many.
pub fn job(stencils: &[Stencil]) -> Job {
    let kernels = stencils.iter().enumerate();
    let source: String = kernels.map(|(number, s)| s.kernel(number)).collect();
    let mut job = Job::new(source);
    let q = job.buffer(32, Fill::ints(3, 0, 4));
    for (number, stencil) in stencils.iter().enumerate() {
        // No element more than the stencil may read.
        let elements: i32 = stencil.size.iter().product();
        let size = elements as usize * bytes(stencil.ty);
        let trips = match stencil.trips.is_empty() {
            true => vec![0],
            false => stencil.trips.clone(),
        };
        let a = job.buffer(size, fill(stencil.ty, number as u64));
        let b = job.buffer(size, fill(stencil.ty, number as u64 + 100));
        for trips in trips {
            let out = job.buffer(size, Fill::Zero);
            let args = [a.clone(), b.clone(), q.clone(), Arg::int(trips), out];
            let range = stencil.range[..stencil.dims].iter().zip(&stencil.beyond);
            let sizes: Vec<u64> = range
                .map(|((first, last), beyond)| (last - first + 1 + beyond) as u64)
                .collect();
            let geometry = match stencil.items {
                true => Geometry::range(&sizes, &vec![1; stencil.dims]),
                false => Geometry::range(&[1], &[1]),
            };
            job.launch(&format!("k{number}"), geometry, args);
        }
    }
    job
}

/// The kernels of these stencils, each launched again and again, so that what it reads and what it writes change
/// places. All of work-items, and of integers, of which any number of launches is exact.
pub fn job_in_a_row(stencils: &[Stencil], random: &mut Random) -> Job {
    let mut stencils = stencils.to_vec();
    for stencil in &mut stencils {
        if stencil.ty.starts_with("float") {
            stencil.ty = "int";
        }
    }
    let once = job(&stencils);
    let mut all = once.clone();
    all.launches.clear();
    for launch in &once.launches {
        let last = launch.args.len() - 1;
        let Arg::Buffer(out) = launch.args[last] else {
            continue;
        };
        // What the first launch leaves as it was is seen by the second.
        all.buffers[out].fill = Fill::ints(out as u64, -9, 9);
        let mut launch = launch.clone();
        for _ in 0..1 + random.below(9) {
            all.launches.push(launch.clone());
            // Now and then one does not.
            if !random.chance(5) {
                launch.args.swap(0, last);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_stay_within_the_array() {
        for stencil in (0..500).map(|seed| Stencil::random(&mut Random::new(seed), false)) {
            let (first, last) = stencil.range[0];
            let longest = stencil.trips.iter().max();
            assert!(longest.is_none_or(|trips| *trips == last - first + 1));
        }
    }
}
