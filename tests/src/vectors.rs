//! Random kernels for vectorising: numbers of all types, casts, choices, offsets, gathers, loops and branches
//! that work-items take alike or not, private arrays, `__local` memory and barriers.

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;

/// Work-items in dimension 0.
const ITEMS: u64 = 64;
/// Rows.
const ROWS: u64 = 2;
/// Elements of an input.
const ELEMENTS: usize = 2048;

const TYPES: [&str; 9] = [
    "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float",
];

/// What stands beside the kernel.
pub const FUNCTIONS: &str = "int pick(int a, int b) { return a > b ? a : b - 1; }
float blend(float a, int k) { if (k > 2) return a; return a * 2.0f + k; }
int nearby(__global const int *p, int at) { int sum = 0; for (int j = 0; j < 3; j++) sum += p[at + j]; return sum; }
#define perm(x) (2 * ((x) ^ 5))
";

/// A kernel under construction.
struct Maker<'r> {
    random: &'r mut Random,
    text: String,
    indent: usize,
    /// Names and types.
    vars: Vec<(String, &'static str)>,
    /// Loop counters that are the same for all work-items.
    counters: Vec<String>,
    /// Work-items may differ in whether they get here.
    is_divergent: bool,
    has_barriers: bool,
    number: usize,
}

impl Maker<'_> {
    fn line(&mut self, text: &str) {
        let indent = "    ".repeat(self.indent);
        self.text.push_str(&format!("{indent}{text}\n"));
    }

    fn fresh(&mut self, hint: &str) -> String {
        self.number += 1;
        format!("{hint}{}", self.number)
    }

    /// An element of the inputs that lies in them.
    fn index(&mut self) -> String {
        if self.random.chance(8) {
            return format!("({}) & 63", self.int(1));
        }
        let plain = [
            "i",
            "i",
            "i + 3",
            "y * 64 + i",
            "2 * i + 1",
            "i * n + y",
            "g",
            "g + 1",
            "u",
            "l",
            "n",
        ];
        self.random.pick(&plain).to_string()
    }

    fn load(&mut self, ty: &str) -> String {
        let index = self.index();
        match (ty, self.random.below(8)) {
            ("float", 0..=5) => format!("floats[{index}]"),
            ("char", 0..=5) => format!("bytes[{index}]"),
            ("ushort", 0..=5) => format!("shorts[{index}]"),
            ("long", 0..=5) => format!("longs[{index}]"),
            _ if ty == "float" => format!("(float)ints[{index}]"),
            (_, 6) => format!("(int)floats[{index}]"),
            _ => format!("ints[{index}]"),
        }
    }

    /// A number of type `int` that is small.
    fn int(&mut self, depth: usize) -> String {
        self.expression("int", depth)
    }

    /// Numbers stay so small that nothing overflows and floats are exact.
    fn expression(&mut self, ty: &'static str, depth: usize) -> String {
        if depth == 0 || self.random.chance(15) {
            return self.leaf(ty);
        }
        let is_float = ty == "float";
        let other = if is_float {
            "int"
        } else {
            self.random.copy(&TYPES[..8])
        };
        match self.random.below(14) {
            0 | 1 => {
                let (a, b) = (
                    self.expression(ty, depth - 1),
                    self.expression(ty, depth - 1),
                );
                format!("({a} {} {b})", self.random.pick(&["+", "-"]))
            }
            2 => {
                let (a, b) = (self.leaf(ty), self.leaf(ty));
                format!("({a} * {b})")
            }
            3 | 4 => {
                let cond = self.condition(depth - 1);
                let (a, b) = (
                    self.expression(ty, depth - 1),
                    self.expression(ty, depth - 1),
                );
                format!("({cond} ? {a} : {b})")
            }
            5 => format!("({ty})({})", self.leaf(other)),
            6 => format!("-({})", self.leaf(ty)),
            7 if !is_float => {
                let (a, b) = (self.expression(ty, depth - 1), self.leaf("int"));
                format!("(({a}) / (({b} & 3) + 1))")
            }
            8 if !is_float => {
                let (a, b) = (self.expression(ty, depth - 1), self.leaf("int"));
                let op = self.random.pick(&["&", "|", "^"]);
                format!("({a} {op} {b})")
            }
            9 if !is_float => {
                let (a, b) = (self.leaf(ty), self.leaf("int"));
                format!("(({a}) >> ({b} & 3))")
            }
            10 => match is_float {
                true => {
                    let (a, b) = (self.leaf("float"), self.leaf("float"));
                    match self.random.below(4) {
                        0 => format!("fmax({a}, {b})"),
                        1 => format!("fabs({a})"),
                        2 => format!("floor({a} * 0.25f)"),
                        _ => format!("fma({a}, {b}, 1.0f)"),
                    }
                }
                false => {
                    let (a, b) = (self.leaf("int"), self.leaf("int"));
                    match self.random.below(4) {
                        0 => format!("max((int)({a}), (int)({b}))"),
                        1 => format!("(int)abs((int)({a}))"),
                        2 => format!("convert_uchar_sat((int)({a}))"),
                        _ => format!("(int)popcount((uint)({a}))"),
                    }
                }
            },
            11 if !is_float => {
                let (a, b) = (self.leaf("int"), self.leaf("int"));
                match self.random.chance(70) {
                    true => format!("pick({a}, {b})"),
                    false => format!("nearby(ints, ({a}) & 63)"),
                }
            }
            12 if !is_float => self.condition(depth - 1),
            13 if is_float => {
                let (a, b) = (self.leaf("float"), self.leaf("int"));
                format!("blend({a}, {b})")
            }
            _ => self.leaf(ty),
        }
    }

    fn leaf(&mut self, ty: &'static str) -> String {
        let fits = |var: &&(String, &'static str)| (var.1 == "float") == (ty == "float");
        let vars: Vec<String> = self
            .vars
            .iter()
            .filter(fits)
            .map(|var| var.0.clone())
            .collect();
        match self.random.below(10) {
            0..=4 if !vars.is_empty() => vars[self.random.below(vars.len())].clone(),
            5 if ty != "float" => match self.counters.last() {
                Some(counter) => counter.clone(),
                None => "y".to_string(),
            },
            6 if ty == "float" => "f".to_string(),
            7 if ty != "float" => self
                .random
                .pick(&["i & 15", "l", "n", "(int)(g & 7)"])
                .to_string()
                .replace("i & 15", "(i & 15)"),
            8 => {
                let value = self.random.below(7) as i64 - 2;
                if ty == "float" {
                    format!("{value}.5f")
                } else {
                    format!("{value}")
                }
            }
            _ => match self.counters.is_empty() {
                // Arrays are read in loops, too.
                true => self.load(ty),
                false => format!("({})", self.load(ty)),
            },
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let op = self.random.pick(&["<", ">", "<=", ">=", "==", "!="]);
        match self.random.below(8) {
            0 => format!("n {op} {}", self.random.below(6)),
            1 if depth > 0 => {
                let (a, b) = (self.condition(0), self.condition(0));
                format!("({a} {} {b})", self.random.pick(&["&&", "||"]))
            }
            2 if depth > 0 => format!("!({})", self.condition(depth - 1)),
            3 => {
                let (a, b) = (self.leaf("float"), self.leaf("float"));
                format!("({a} {op} {b})")
            }
            4 => format!("(i {op} {})", self.random.below(64)),
            5 => format!("isnan({})", self.leaf("float")),
            _ => {
                let ty = self.random.copy(&TYPES[..8]);
                let (a, b) = (self.leaf(ty), self.leaf("int"));
                format!("(({ty})({a}) {op} {b})")
            }
        }
    }

    /// What a variable of a type may hold, so that it stays small.
    fn kept(ty: &str, value: &str) -> String {
        match ty {
            "float" => format!("(float)((int)({value}) & 31) * 0.5f"),
            _ => format!("({ty})(({value}) & 31)"),
        }
    }

    fn assign(&mut self) {
        let at = self.random.below(self.vars.len());
        let (name, ty) = self.vars[at].clone();
        let value = self.expression(ty, 2);
        let value = Self::kept(ty, &value);
        let text = match self.random.below(6) {
            0 if ty != "float" => format!("{name}++;"),
            1 if ty != "float" => format!("{name} ^= {value};"),
            2 => format!("{name} = {value}; {name} += 1;"),
            _ => format!("{name} = {value};"),
        };
        self.line(&text);
        if text.contains("++") || text.contains("+=") || text.contains("^=") {
            let kept = Self::kept(ty, &name);
            self.line(&format!("{name} = {kept};"));
        }
    }

    fn declare(&mut self) {
        let ty = self.random.copy(&TYPES);
        let name = self.fresh("v");
        let value = self.expression(ty, 2);
        let value = Self::kept(ty, &value);
        self.line(&format!("{ty} {name} = {value};"));
        self.vars.push((name, ty));
    }

    fn block(&mut self, statements: usize) {
        let vars = self.vars.len();
        self.indent += 1;
        for _ in 0..statements {
            self.statement();
        }
        self.indent -= 1;
        self.vars.truncate(vars);
    }

    fn statement(&mut self) {
        if self.indent > 3 {
            return self.assign();
        }
        match self.random.below(20) {
            0..=5 => self.assign(),
            6 | 7 => self.declare(),
            8..=10 => self.branch(),
            11 | 12 => self.counted(),
            13 => self.store(),
            14 if !self.is_divergent => self.exchange(),
            15 => self.private_array(),
            16 => self.pointer(),
            17 => self.pair(),
            18 if self.random.chance(40) => self.switch(),
            _ => self.assign(),
        }
    }

    fn branch(&mut self) {
        let cond = self.condition(1);
        let before = self.is_divergent;
        self.is_divergent = true;
        self.line(&format!("if ({cond}) {{"));
        let many = 1 + self.random.below(3);
        self.block(many);
        if self.random.chance(40) {
            self.line("} else {");
            self.block(1);
        }
        self.line("}");
        self.is_divergent = before;
    }

    fn counted(&mut self) {
        let counter = self.fresh("k");
        let bound = self.random.pick(&["n", "3", "4", "y + 2"]);
        self.line(&format!(
            "for (int {counter} = 0; {counter} < {bound}; {counter}++) {{"
        ));
        // Rows of a group are not alike.
        let before = self.is_divergent;
        self.is_divergent |= bound.contains('y');
        self.counters.push(counter);
        let many = 1 + self.random.below(2);
        self.block(many);
        self.counters.pop();
        self.is_divergent = before;
        self.line("}");
    }

    fn switch(&mut self) {
        let value = self.leaf("int");
        let before = self.is_divergent;
        self.is_divergent = true;
        self.line(&format!("switch (({value}) & 3) {{"));
        for (label, end) in [("case 0:", "}"), ("case 1:", "} break;"), ("default:", "}")] {
            self.line(&format!("{label} {{"));
            self.block(1);
            self.line(end);
        }
        self.line("}");
        self.is_divergent = before;
    }

    fn store(&mut self) {
        let op = self.random.pick(&["=", "+=", "^="]);
        let value = self.expression("int", 2);
        let place = self
            .random
            .copy(&["out[at]", "out[at]", "wide[2 * at + 1]", "wide[perm(at)]"]);
        self.line(&format!("{place} {op} ({value}) & 255;"));
    }

    /// Work-items that are neighbours in dimension 0 of a work-group exchange values through `__local` memory.
    fn exchange(&mut self) {
        self.has_barriers = true;
        let value = self.expression("int", 2);
        self.line(&format!("tile[ly][l + 1] = ({value}) & 31;"));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        let from = ["l + 1", "(l ^ 1) + 1", "(7 - l) + 1", "3", "l", "l + 2"];
        let from = self.random.pick(&from);
        let at = self.random.below(self.vars.len());
        let (name, ty) = self.vars[at].clone();
        let value = match ty {
            "float" => format!("tile[ly][{from}] * 0.5f"),
            _ => format!("({ty})tile[ly][{from}]"),
        };
        self.line(&format!("{name} = {value};"));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
    }

    fn private_array(&mut self) {
        let name = self.fresh("a");
        let (value, index) = (self.leaf("int"), self.leaf("int"));
        let index = match self.random.chance(50) {
            true => format!("({index}) & 3"),
            false => "2".to_string(),
        };
        let second = self.random.below(9);
        self.line(&format!("int {name}[4] = {{1, {second}}};"));
        self.line(&format!("{name}[{index}] += ({value}) & 15;"));
        self.line(&format!(
            "for (int j = 0; j < 4; j++) {name}[j] ^= {name}[(j + 1) & 3];"
        ));
        self.line(&format!("out[at] += {name}[({index}) ^ 1] & 31;"));
    }

    fn pointer(&mut self) {
        let name = self.fresh("p");
        let from = self
            .random
            .pick(&["ints + i", "ints + 5", "ints + (i & 7) * 3"]);
        self.line(&format!("__global const int *{name} = {from};"));
        let element = self.random.pick(&["0", "n", "i & 3"]);
        self.line(&format!("out[at] ^= {name}[{element}] & 15;"));
    }

    fn pair(&mut self) {
        let name = self.fresh("w");
        let (a, b) = (self.leaf("int"), self.leaf("int"));
        self.line(&format!("int2 {name} = (int2)({a}, {b}) & 15;"));
        self.line(&format!("{name}.x += {name}.y;"));
        self.line(&format!("out[at] += {name}.x;"));
    }
}

/// The text of a kernel.
fn kernel(name: &str, random: &mut Random) -> String {
    let mut maker = Maker {
        random,
        text: String::new(),
        indent: 1,
        vars: Vec::new(),
        counters: Vec::new(),
        is_divergent: false,
        has_barriers: false,
        number: 0,
    };
    for _ in 0..3 {
        maker.declare();
    }
    for _ in 0..6 {
        maker.statement();
    }
    let sums: Vec<String> = maker
        .vars
        .iter()
        .map(|var| format!("(long)({} * 2)", var.0))
        .collect();
    let last = format!("    out[at] += {};\n", sums.join(" + 3 * "));
    let guard = match (maker.has_barriers, maker.random.below(4)) {
        (true, _) | (_, 0 | 1) => "",
        (false, 2) => "    if (i >= most)\n        return;\n",
        (false, _) => "    if (i > most || y * 9 + i >= 60) return;\n",
    };
    let first = maker.random.pick(&[
        "int i = get_global_id(0);",
        "int i = get_group_id(0) * get_local_size(0) + get_local_id(0);",
    ]);
    let filled = match maker.has_barriers {
        true => {
            "    tile[ly][l + 1] = l;\n    if (l == 0) { tile[ly][0] = 7; tile[ly][9] = 8; }\n    \
             barrier(CLK_LOCAL_MEM_FENCE);\n"
        }
        false => "",
    };
    format!(
        "__kernel void {name}(__global const int *ints, __global const float *floats, __global const char *bytes, \
         __global const ushort *shorts, __global const long *longs, __global long *out, __global int *wide, int n, \
         int most, float f)\n{{\n    __local int tile[2][10];\n    {first}\n    size_t g = get_global_id(0);\n    \
         uint u = get_global_id(0);\n    int y = get_global_id(1), l = get_local_id(0), ly = get_local_id(1);\n    \
         int at = y * 64 + i;\n{guard}{filled}{}{last}}}\n",
        maker.text
    )
}

/// `count` kernels with a launch each.
pub fn job(random: &mut Random, count: usize) -> Job {
    let mut text = FUNCTIONS.to_string();
    for number in 0..count {
        text.push_str(&kernel(&format!("k{number}"), random));
    }
    let mut job = Job::new(text);
    let ints = job.buffer(ELEMENTS * 4, Fill::ints(random.bits(), -8, 8));
    let small: Vec<u8> = (0..ELEMENTS)
        .flat_map(|at| ((at * 7 % 16) as f32 - 8.0).to_ne_bytes())
        .collect();
    let floats = job.buffer(ELEMENTS * 4, Fill::Bytes(small));
    let bytes: Vec<u8> = (0..ELEMENTS).map(|at| (at * 5 % 13) as u8).collect();
    let bytes = job.buffer(ELEMENTS, Fill::Bytes(bytes));
    let shorts: Vec<u8> = (0..ELEMENTS)
        .flat_map(|at| ((at * 11 % 23) as u16).to_ne_bytes())
        .collect();
    let shorts = job.buffer(ELEMENTS * 2, Fill::Bytes(shorts));
    let longs: Vec<u8> = (0..ELEMENTS)
        .flat_map(|at| ((at % 17) as i64 - 8).to_ne_bytes())
        .collect();
    let longs = job.buffer(ELEMENTS * 8, Fill::Bytes(longs));
    for number in 0..count {
        let out = job.buffer(256 * 8, Fill::Iota);
        let wide = job.buffer(1024 * 4, Fill::Iota);
        let inputs = [&ints, &floats, &bytes, &shorts, &longs].map(Arg::clone);
        let scalars = [
            Arg::int(2 + random.below(4) as i32),
            Arg::int(random.copy(&[64, 61, 50, 33, 5])),
            Arg::float(random.copy(&[0.5, 2.0, -1.0])),
        ];
        let args = inputs.into_iter().chain([out, wide]).chain(scalars);
        job.launch(
            &format!("k{number}"),
            Geometry::range(&[ITEMS, ROWS], &[8, random.copy(&[1, 2])]),
            args,
        );
    }
    job
}
