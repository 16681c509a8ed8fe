//! Random kernels whose work-items walk through planes of memory, for loops that run outside of those over
//! work-items.

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;

/// Work-items in a row.
const WIDTH: u64 = 8;
/// Rows.
const HEIGHT: u64 = 4;
/// Elements of a plane.
const PLANE: usize = 32;
/// Elements of the buffers: more planes than any kernel walks through.
const ELEMENTS: usize = PLANE * 40;

/// Whether work-items exchange values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Barriers {
    None,
    Some,
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct Planes {
    body: String,
    restrict: bool,
    /// What `n` is in each launch.
    bounds: Vec<i32>,
}

impl Planes {
    /// A random one.
    pub fn random(random: &mut Random) -> Self {
        Self::of(random, Barriers::None)
    }

    /// One whose work-items exchange values before and after the loop.
    pub fn with_barriers(random: &mut Random) -> Self {
        Self::of(random, Barriers::Some)
    }

    fn of(random: &mut Random, barriers: Barriers) -> Self {
        let exchanges = barriers == Barriers::Some;
        let id = match random.chance(70) {
            true => "int",
            false => random.copy(&["uint", "long", "long", "ulong", "short"]),
        };
        let mut lines = vec![
            "int i = get_global_id(0), j = get_global_id(1);".to_string(),
            format!("{id} c = i + j * 8;"),
            "int side = i == 0 ? i + j * 8 : i + j * 8 - 1;".to_string(),
            "int sum = 0, t0 = 0, t1 = 0, t2 = 0;".to_string(),
        ];
        if exchanges {
            lines.splice(0..0, shared_memory());
        }
        if random.chance(15) && !exchanges {
            lines.push("if (i > 5) return;".to_string());
        }
        let turned = random.below(4);
        lines.extend(prologue(random, turned));
        if exchanges {
            lines.extend(exchange(random));
        }
        // Then the loop goes on where this began.
        let usual = if turned == 3 { 15 } else { 85 };
        if random.chance(usual) {
            lines.push("c += 32;".to_string());
            lines.push("side += 32;".to_string());
        }
        let first = random.below(3);
        let bound = random.copy(&["n", "n", "n - 1", "6", "m + n", "i"]);
        let compare = random.copy(&["<", "<", "<", "<="]);
        let header = format!("for (int k = {first}; k {compare} {bound}; k++)");
        let mut walk = vec![format!("{header} {{")];
        let sums = random.chance(25);
        let inside = match exchanges {
            true => &SHARED_USES[..],
            false => &[],
        };
        walk.extend(body(random, turned, sums, inside));
        walk.push("}".to_string());
        if random.chance(40) {
            walk.push(format!("out[{}] += t0 + 2 * t1 + t2;", index(random)));
        }
        match random.chance(15) {
            true => {
                lines.push("if (i + j > 2) {".to_string());
                lines.append(&mut walk);
                lines.push("}".to_string());
            }
            false => lines.append(&mut walk),
        }
        if exchanges {
            lines.push(BARRIER.to_string());
            lines.push("sum += mine[7 - l] * 2;".to_string());
            lines.push(BARRIER.to_string());
            for _ in 0..random.below(3) {
                lines.extend(exchange(random));
            }
        }
        let last = [
            "out[i + j * 8 + 736] = c;",
            "out[i + j * 8 + 736] = t0 + t1;",
            "out[i + j * 8 + 736] = sum + t0 * 3 + t1 * 5 + t2 + side;",
            "out[i + j * 8 + 736] = sum;",
        ];
        let last = if sums || exchanges {
            &last[..]
        } else {
            &last[..2]
        };
        lines.push(random.pick(last).to_string());
        let mut bounds = vec![random.below(3) as i32, 3 + random.below(4) as i32];
        bounds.truncate(1 + random.below(2));
        Planes {
            body: lines.join("\n"),
            restrict: random.chance(93),
            bounds,
        }
    }

    fn text(&self, number: usize) -> String {
        let restrict = if self.restrict { "restrict " } else { "" };
        format!(
            "__kernel void k{number}(__global const int *{restrict}in, __global int *{restrict}out, int n, \
             int m)\n{{\n{}\n}}\n",
            self.body
        )
    }
}

/// An index that belongs to a work-item.
fn index(random: &mut Random) -> &'static str {
    random.copy(&["c", "c", "i + j * 8", "(int)c + 32"])
}

/// What variables hold before the loop: mostly what the loop would have left there.
fn prologue(random: &mut Random, turned: usize) -> Vec<String> {
    let first = [
        "t2 = in[c];",
        "t1 = t2 = in[c];",
        "t2 = in[c + 32]; t1 = in[c];",
        "t0 = t1 = in[c]; t2 = in[c + 32];",
    ];
    let other = [
        "t2 = in[side];",
        "t1 = i;",
        "t2 = in[c] + 1;",
        "t0 = in[c + 1];",
    ];
    let mut lines = vec![first[turned].to_string()];
    if random.chance(10) {
        lines.push(random.pick(&other).to_string());
    }
    lines
}

const BARRIER: &str = "barrier(CLK_LOCAL_MEM_FENCE);";

/// What a loop does with local memory: each work-item changes its own elements, and nobody changes what all read.
const SHARED_USES: [&str; 4] = [
    "mine[l] += t2 + k;",
    "mine[l] = mine[l] * 3 + share[7 - l];",
    "out[c] += share[7 - l];",
    "mine[l] ^= (int)c;",
];

/// Local memory, and what it holds first.
fn shared_memory() -> Vec<String> {
    let lines = [
        "__local int share[8], mine[8];",
        "int l = get_local_id(0) + get_local_id(1) * 4;",
        "share[l] = l;",
        "mine[l] = l * 3;",
        BARRIER,
    ];
    lines.map(ToString::to_string).to_vec()
}

/// Each work-item gives another one a value; in a loop, mostly not.
fn exchange(random: &mut Random) -> Vec<String> {
    let given = random.copy(&["sum", "t0 + t2", "(int)c", "side", "t1 - sum"]);
    let taken = random.copy(&["sum", "t0", "t1"]);
    let mut lines = vec![
        format!("share[l] = {given};"),
        BARRIER.to_string(),
        format!("{taken} += share[7 - l];"),
        BARRIER.to_string(),
    ];
    if random.chance(25) {
        let rounds = random.copy(&["2", "n", "m"]);
        lines.insert(0, format!("for (int r = 0; r < {rounds}; r++) {{"));
        lines.push("}".to_string());
    }
    lines
}

fn body(random: &mut Random, turned: usize, sums: bool, more: &[&'static str]) -> Vec<String> {
    let turns = [
        vec!["out[c] = t2;", "t2 = in[c];"],
        vec!["t1 = t2;", "t2 = in[c];"],
        vec!["t0 = t1;", "t1 = t2;", "t2 = in[c + 32];"],
        vec!["t1 = t2;", "t2 = in[c + 64];", "t0 = t1;"],
    ];
    let mut lines: Vec<String> = turns[turned].iter().map(ToString::to_string).collect();
    let uses = [
        "out[c] = t0 + 2 * t1 + 3 * t2 + in[side];",
        "out[c] = t1 - t2 * 5 + k;",
        "out[c] += t1;",
        "out[c] = side + (int)c * 2;",
        "{ int own = t2 + k; out[c] ^= own; }",
        "for (int l = 0; l < 3; l++) out[c] += in[c + l] * l;",
        "sum += in[c] * 3;",
        "sum += in[side] + t2;",
        "sum = sum * 3 + in[k * 32 + i + j * 8];",
        "if (t2 > 7) sum += t1;",
        "if (i == 3) t0 = k;",
        "out[k * 32 + i + j * 8] = sum;",
    ];
    let uses = if sums { &uses[..] } else { &uses[..6] };
    let uses = [uses, more].concat();
    for _ in 0..1 + random.below(3) {
        let at = random.below(lines.len() + 1);
        lines.insert(at, random.pick(&uses).to_string());
    }
    let grows = [
        "c += 32;",
        "c += 32;",
        "c = c + 32;",
        "c += m * 32;",
        "c += 32 * k;",
    ];
    lines.push(random.pick(&grows).to_string());
    if random.chance(85) {
        lines.push("side += 32;".to_string());
    }
    if random.chance(10) {
        let at = random.below(lines.len());
        let late = lines.pop().unwrap_or_default();
        lines.insert(at, late);
    }
    if random.chance(5) {
        lines.push("if (t2 == 5) break;".to_string());
    }
    lines
}

/// Kernels and their launches.
pub fn job(all: &[Planes]) -> Job {
    let texts = all
        .iter()
        .enumerate()
        .map(|(number, planes)| planes.text(number));
    let mut job = Job::new(texts.collect::<String>());
    for (number, planes) in all.iter().enumerate() {
        for bound in &planes.bounds {
            let input = job.input(4 * ELEMENTS, Fill::ints(3, 0, 16));
            let output = job.buffer(4 * ELEMENTS, Fill::ints(4, 0, 16));
            let args = [input, output, Arg::int(*bound), Arg::int(1)];
            let range = Geometry::range(&[WIDTH, HEIGHT], &[4, 2]);
            job.launch(&format!("k{number}"), range, args);
        }
    }
    job
}
