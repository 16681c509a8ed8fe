//! Random conditions and loops over ids, for the pass `known-sizes`.

use crate::job::{Fill, Geometry, Job};
use crate::random::Random;

/// Kernels in one program: building costs more than running.
pub const BATCH: usize = 20;
/// Launches: offset, global and local size.
const LAUNCHES: [([u64; 2], [u64; 2], [u64; 2]); 5] = [
    ([0, 0], [16, 2], [4, 2]),
    ([0, 0], [8, 8], [8, 1]),
    ([3, 1], [12, 4], [6, 2]),
    ([0, 0], [64, 1], [16, 1]),
    ([0, 5], [1, 32], [1, 8]),
];
const QUERIES: [&str; 8] = [
    "get_global_id(0)",
    "get_global_id(1)",
    "get_local_id(0)",
    "get_group_id(1)",
    "get_global_size(0)",
    "get_local_size(0)",
    "get_num_groups(0)",
    "get_global_id(2)",
];
const TYPES: [&str; 7] = ["int", "uint", "size_t", "long", "short", "uchar", "char"];
const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];
const BOUNDS: [i32; 12] = [0, 1, 2, 4, 8, 12, 15, 16, 17, 63, 64, 300];

fn value(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.chance(35) {
        return match random.below(4) {
            0 => random.copy(&BOUNDS).to_string(),
            1 => random.pick(&["x", "y", "z"]).to_string(),
            _ => random.pick(&QUERIES).to_string(),
        };
    }
    let left = value(random, depth - 1);
    match random.below(7) {
        0 => format!("({left} + {})", value(random, depth - 1)),
        1 => format!("({left} - {})", value(random, depth - 1)),
        2 => format!("({left} * {})", 1 + random.below(5)),
        3 => format!("({left} / {})", 1 + random.below(5)),
        4 => format!("({left} % {})", 1 + random.below(20)),
        5 => format!("(-{left})"),
        _ => format!("({}){left}", random.pick(&TYPES)),
    }
}

fn condition(random: &mut Random, depth: usize) -> String {
    if depth > 0 && random.chance(30) {
        let (left, right) = (condition(random, depth - 1), condition(random, depth - 1));
        return match random.below(3) {
            0 => format!("({left} && {right})"),
            1 => format!("({left} || {right})"),
            _ => format!("!({left})"),
        };
    }
    // What guards look like, mostly.
    let left = match random.chance(50) {
        true => random.pick(&QUERIES).to_string(),
        false => value(random, 2),
    };
    let right = match random.chance(60) {
        true => random.copy(&BOUNDS).to_string(),
        false => value(random, 1),
    };
    format!("{left} {} {right}", random.pick(&COMPARISONS))
}

fn statement(random: &mut Random, number: usize) -> String {
    let work = format!("sum = sum * 3 + {number};");
    let cond = condition(random, 2);
    match random.below(5) {
        0 => format!("if ({cond}) {{ int x = {number}; sum += x; }} else {work}\n"),
        1 => format!("if ({cond}) {work}\n"),
        2 if number > 2 => format!("if ({cond}) {{ out[at] = sum; return; }}\n"),
        _ => walk(random),
    }
}

/// A loop that walks through a row.
fn walk(random: &mut Random) -> String {
    let d = random.below(2);
    let [first, by] = [["global_id", "global_size"], ["local_id", "local_size"]][random.below(2)];
    let bound = random.copy(&BOUNDS[3..]);
    let ty = random.copy(&TYPES[..5]);
    let (own, after) = match random.chance(50) {
        true => (format!("{ty} i"), ""),
        false => ("j".to_string(), "sum += j;"),
    };
    let i = if after.is_empty() { "i" } else { "j" };
    let step = match random.chance(70) {
        true => format!("get_{by}({d})"),
        false => random.copy(&BOUNDS[4..]).to_string(),
    };
    let step = match random.chance(70) {
        true => format!("{i} += {step}"),
        false => format!("{i} = {i} + {step}"),
    };
    let left = if random.chance(10) {
        "if (sum == 5) break;"
    } else {
        ""
    };
    let cond = format!("{i} {} {bound}", random.pick(&["<", "<", "<="]));
    let work = format!("{left} sum = sum * 3 + {i} * 5;");
    match random.chance(40) {
        true => format!(
            "{{ {own} = get_{first}({d}); while ({cond}) {{ {work} {step}; }} sum += {i}; }}\n{after}\n"
        ),
        false => {
            format!("for ({own} = get_{first}({d}); {cond}; {step}) {{ {work} }}\n{after}\n")
        }
    }
}

fn kernel(random: &mut Random, number: usize) -> String {
    let mut body = String::new();
    for (name, from) in ["x", "y", "z"].into_iter().zip(0..) {
        let ty = random.pick(&TYPES);
        let value = random.pick(&QUERIES[..4]);
        let add = if random.chance(30) { from } else { 0 };
        body.push_str(&format!("{ty} {name} = {value} + {add};\n"));
    }
    if random.chance(20) {
        body.push_str("x += 1;\n");
    }
    for at in 0..2 + random.below(4) {
        body.push_str(&statement(random, at));
    }
    text(number, &body)
}

fn text(number: usize, body: &str) -> String {
    format!(
        "__kernel void k{number}(__global int *out)\n{{\nint at = (get_global_id(1) - \
         get_global_offset(1)) * get_global_size(0) + get_global_id(0) - get_global_offset(0);\n\
         int sum = at, j = 0;\n{body}out[at] = sum;\n}}\n"
    )
}

/// Kernels, each with the number of its launch.
pub fn kernels(seed: u64) -> Vec<(usize, String)> {
    let mut random = Random::new(seed);
    (0..BATCH).map(|number| one(&mut random, number)).collect()
}

/// A kernel with the number of its launch.
pub fn one(random: &mut Random, number: usize) -> (usize, String) {
    (random.below(LAUNCHES.len()), kernel(random, number))
}

/// A program of kernels, with a launch each.
pub fn job(kernels: &[(usize, String)]) -> Job {
    let texts: String = kernels.iter().map(|(_, text)| text.as_str()).collect();
    let mut job = Job::new(texts);
    for (launch, text) in kernels {
        let name: String = text.chars().skip(14).take_while(|c| *c != '(').collect();
        let (offset, global, local) = LAUNCHES[*launch];
        let out = job.buffer(4 * 64, Fill::ints(1, 0, 16));
        job.launch(
            &name,
            Geometry::offset_range(&offset, &global, &local),
            [out],
        );
    }
    job
}

/// A kernel of nothing but loops.
pub fn walks(random: &mut Random) -> Job {
    let loops: String = (0..6).map(|_| walk(random)).collect();
    let launch = random.below(LAUNCHES.len());
    job(&[(launch, text(0, &loops))])
}
