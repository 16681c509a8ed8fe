//! Random loops that follow each other and loops of several parts, for the passes `fuse` and `fission`: with
//! dependences of all kinds and distances, which allow that or do not.

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;

/// Elements of the buffers.
const ELEMENTS: usize = 512;
/// The first index of loops: whatever they add to it or take from it stays in the buffers.
const FIRST: usize = 16;
/// Elements of a row.
const ROW: usize = 16;
/// Arrays that are written.
const ARRAYS: [&str; 4] = ["b", "c", "d", "t"];

/// A kernel that runs as one work-item.
#[derive(Clone, Debug)]
pub struct Sequence {
    body: String,
    restrict: bool,
}

/// How loops of a kernel count.
#[derive(Clone, Copy)]
struct Head {
    ty: &'static str,
    trips: usize,
    is_known: bool,
    is_down: bool,
    step: usize,
}

impl Head {
    fn random(random: &mut Random) -> Self {
        Head {
            ty: random.copy(&["int", "int", "int", "int", "long", "uint", "short"]),
            trips: 4 + random.below(36),
            is_known: random.chance(60),
            is_down: random.chance(15),
            step: random.copy(&[1, 1, 1, 1, 2]),
        }
    }

    fn text(&self, random: &mut Random, counter: &str) -> String {
        let Head {
            ty, trips, step, ..
        } = *self;
        let end = FIRST + trips;
        let n = match self.is_known {
            true => end.to_string(),
            false => "n".to_string(),
        };
        let by = if step == 1 {
            "++".to_string()
        } else {
            format!(" += {step}")
        };
        match (self.is_down && ty != "uint", random.below(12)) {
            (true, _) => format!(
                "for ({ty} {counter} = {n} - 1; {counter} >= {FIRST}; {counter}{})",
                by.replace('+', "-")
            ),
            (false, 0) => {
                format!("for ({ty} {counter} = {FIRST}; {counter} <= {n} - 1; {counter}{by})")
            }
            (false, 1) => format!("for ({ty} {counter} = {FIRST}; {n} > {counter}; {counter}{by})"),
            (false, 2) if random.chance(30) => {
                format!("for ({ty} {counter} = {FIRST}; {counter} < {n} - 1; {counter}{by})")
            }
            (false, 3) if random.chance(30) => {
                format!(
                    "for ({ty} {counter} = {}; {counter} < {n}; {counter}{by})",
                    FIRST + 1
                )
            }
            _ => format!("for ({ty} {counter} = {FIRST}; {counter} < {n}; {counter}{by})"),
        }
    }
}

/// An index near a counter.
fn index(random: &mut Random, counter: &str) -> String {
    match random.below(24) {
        0 => format!("{counter} * 2"),
        1 => format!("80 - {counter}"),
        2 => format!("({counter} & 15) + 20"),
        3 | 4 => format!("{counter} + 1"),
        5 | 6 => format!("{counter} - 1"),
        7 => format!("{counter} + {}", 2 + random.below(3)),
        8 => format!("{counter} - {}", 2 + random.below(3)),
        _ => counter.to_string(),
    }
}

fn element(random: &mut Random, counter: &str) -> String {
    let array = random.copy(&["a", "a", "a", "b", "b", "c", "d", "t"]);
    match random.below(20) {
        0 if array != "t" => format!("*({array} + {counter})"),
        1 => format!("{array}[a[{counter}] & 63]"),
        _ => format!("{array}[{}]", index(random, counter)),
    }
}

fn value(random: &mut Random, counter: &str, vars: &[String]) -> String {
    let one = element(random, counter);
    let other = match random.below(5) {
        0 | 1 => element(random, counter),
        2 => format!("(int){counter}"),
        3 => "n".to_string(),
        _ => vars
            .get(random.below(vars.len().max(1)))
            .map_or("7".to_string(), String::clone),
    };
    let op = random.pick(&["+", "-", "*", "^", "+"]);
    match random.below(6) {
        0 => one,
        1 => other,
        2 => format!("({one} > 5 ? {other} : {counter} + 3)"),
        _ => format!("{one} {op} {other}"),
    }
}

/// Statements of a body.
fn body(random: &mut Random, counter: &str, number: usize) -> String {
    let mut vars: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    for line in 0..1 + random.below(3) {
        let target = format!("{}[{}]", random.pick(&ARRAYS), index(random, counter));
        let value = value(random, counter, &vars);
        let text = match random.below(24) {
            0 | 1 => {
                let var = match random.chance(40) {
                    true => "v".to_string(),
                    false => format!("v{number}_{line}"),
                };
                if vars.contains(&var) {
                    format!("{var} = {value};")
                } else {
                    vars.push(var.clone());
                    format!("uint {var} = {value};")
                }
            }
            2 => {
                let var = format!("w{line}");
                vars.push(var.clone());
                format!("uint {var};\n{var} = {value};")
            }
            3 => {
                let var = format!("r{line}");
                vars.push(var.clone());
                format!("int {var} = {counter} * 2 + n;")
            }
            4 => format!("s += {value};"),
            5 => format!("s = s * 3 + {value};"),
            6 => format!("u = {value};\n{target} = u + 1;"),
            7 => format!(
                "if ({}) {{\n{target} = {value};\n}}",
                element(random, counter) + " > 9"
            ),
            8 => format!("{target} += {value};"),
            9 => {
                let k = format!("k{line}");
                format!("for (int {k} = 0; {k} < 3; {k}++) {{\n{target} += {k} + {value};\n}}")
            }
            10 => format!(
                "uint p[2] = {{ 1, 2 }};\np[{counter} & 1] = {value};\n{target} = p[0] - p[1];"
            )
            .replace('p', &format!("p{line}")),
            11 if random.chance(30) => {
                format!("if ({} == 77) {{\ncontinue;\n}}", element(random, counter))
            }
            12 if random.chance(30) => {
                format!("if ({} == 77) {{\nbreak;\n}}", element(random, counter))
            }
            13 => format!("{target} = s;"),
            14 if !vars.is_empty() => format!("{} += {value};", vars[0]),
            16 | 17 => {
                // What was stored may be overwritten before it is read.
                let own = format!("{}[{counter}]", random.pick(&ARRAYS));
                let lost = match random.below(3) {
                    0 => format!("if (({counter} & 1) == 0) {{\n{own} = {counter} * 5;\n}}"),
                    1 => format!("{own} += 3;"),
                    _ => format!("for (int m = 0; m < 2; m++) {{\n{own} = {own} * 3 + m;\n}}"),
                };
                format!("{own} = {value};\n{lost}\n{target} = {own} - 1;")
            }
            18 => format!(
                "uint x{line} = {value};\nuint *q{line} = &x{line};\n*q{line} += 2;\n{target} = *q{line} + x{line};"
            ),
            15 => format!("u = u + 1;\n{target} = u;"),
            _ => format!("{target} = {value};"),
        };
        lines.push(text);
    }
    lines.join("\n")
}

/// A nest over rows and their elements.
fn nest(random: &mut Random, rows: usize) -> String {
    let at = |random: &mut Random| {
        let add = random.copy(&[
            "", "", "", " + 1", " - 1", " + 16", " - 16", " - 17", " + 15",
        ]);
        match random.below(10) {
            0 => format!("y * {ROW} + {} - x", ROW - 1),
            1 => format!("(y + 1) * {ROW} + x"),
            _ => format!("y * {ROW} + x{add}"),
        }
    };
    let (to, from, other) = (at(random), at(random), at(random));
    let array = random.pick(&ARRAYS[..3]);
    let read = random.copy(&["a", "b", "c", "d"]);
    let first = random.copy(&["2", "2", "2", "2", "3"]);
    let line = match random.below(5) {
        0 => format!("{array}[{to}] = {read}[{from}] + {array}[{other}];"),
        1 => format!("uint v = {read}[{from}];\n{array}[{to}] = v * 2;"),
        2 => format!("if (x > 3) {{\n{array}[{to}] = {read}[{from}];\n}}"),
        _ => format!("{array}[{to}] = {read}[{from}] * 3 + y;"),
    };
    let more = match random.below(6) {
        0 => format!("d[y] = {read}[y + 1];\n"),
        1 => format!(
            "for (int x = 0; x < {ROW}; x++) {{\nc[y * {ROW} + x] = {read}[{from}] + 1;\n}}\n"
        ),
        _ => String::new(),
    };
    format!(
        "for (int y = {first}; y < {rows}; y++) {{\nfor (int x = 0; x < {ROW}; x++) {{\n{line}\n}}\n{more}}}"
    )
}

impl Sequence {
    /// A random one.
    pub fn random(random: &mut Random) -> Self {
        let mut lines = Vec::new();
        let head = Head::random(random);
        let rows = 4 + random.below(5);
        for number in 0..1 + random.below(4) {
            if random.chance(25) {
                lines.push(nest(random, rows));
                continue;
            }
            let counter = random.copy(&["i", "i", "i", "j"]);
            let other = Head::random(random);
            let head = if random.chance(90) { &head } else { &other };
            let text = head.text(random, counter);
            let body = body(random, counter, number);
            lines.push(format!("{text} {{\n{body}\n}}"));
            let between = random.below(10);
            lines.push(match between {
                0 => format!("uint z{number} = {};", element(random, "20")),
                1 => "s = s * 5 + 1;".to_string(),
                2 => format!("int v{} = n * 3;", 9 + number),
                3 => format!("e[{number}] = {};", element(random, "30")),
                _ => String::new(),
            });
        }
        Sequence {
            body: lines.join("\n"),
            restrict: random.chance(90),
        }
    }

    fn text(&self, number: usize) -> String {
        let restrict = if self.restrict { "restrict " } else { "" };
        let arrays = ["b", "c", "d", "e"].map(|name| format!("__global uint *{restrict}{name}"));
        format!(
            "__kernel void k{number}(__global const uint *{restrict}a, {}, int n)\n{{\nuint s = 1, u = 2;\n\
             uint t[{ELEMENTS}];\nfor (int i = 0; i < {ELEMENTS}; i++) {{\nt[i] = a[i] + 3;\n}}\n{}\n\
             e[100] = s;\ne[101] = u;\nfor (int i = 0; i < {ELEMENTS}; i++) {{\ne[i + {ELEMENTS}] = t[i];\n}}\n}}\n",
            arrays.join(", "),
            self.body
        )
    }
}

/// Kernels and their launches.
pub fn job(all: &[Sequence]) -> Job {
    let texts = all.iter().enumerate().map(|(number, one)| one.text(number));
    let mut job = Job::new(texts.collect::<String>());
    for (number, one) in all.iter().enumerate() {
        let a = job.buffer(4 * ELEMENTS, Fill::ints(1, 0, 90));
        let others = [2, 3, 4].map(|seed| job.buffer(4 * ELEMENTS, Fill::ints(seed, 0, 90)));
        let e = job.buffer(8 * ELEMENTS, Fill::ints(5, 0, 90));
        let mut args = vec![a];
        args.extend(others);
        args.extend([e, Arg::int((FIRST + number % 24) as i32)]);
        // Some buffers are passed twice.
        if !one.restrict && number % 2 == 0 {
            args[2] = args[1].clone();
        }
        job.launch(&format!("k{number}"), Geometry::range(&[1], &[1]), args);
    }
    job
}
