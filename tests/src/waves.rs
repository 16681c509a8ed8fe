//! Random kernels of dynamic programming, for `wavefront`: tables that one work-item fills by rows or in diagonals,
//! and tiles in `__local` memory that work-groups fill in diagonals.

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;

mod copied;
mod turns;

/// Elements of the buffers.
const ELEMENTS: usize = 2048;

/// A kernel that runs as one work-item, or as work-groups.
#[derive(Clone, Debug)]
pub struct Wave {
    body: String,
    ty: &'static str,
    items: usize,
    params: &'static str,
}

/// A table, as a kernel names its elements.
struct Table {
    width: usize,
    is_flat: bool,
}

impl Table {
    fn at(&self, row: &str, column: &str) -> String {
        match self.is_flat {
            true => format!("s[({row}) * {} + {column}]", self.width),
            false => format!("s[{row}][{column}]"),
        }
    }

    fn declared(&self, rows: usize) -> String {
        match self.is_flat {
            true => format!("s[{}]", rows * self.width),
            false => format!("s[{rows}][{}]", self.width),
        }
    }
}

/// Elements beside one, by rows and columns, which are stored before it.
const BEFORE: [(i64, i64); 3] = [(-1, 0), (0, -1), (-1, -1)];
/// The same of tables by rows, whose first two rows and columns stay.
const FAR_BEFORE: [(i64, i64); 5] = [(-1, 0), (0, -1), (-1, -1), (-2, 0), (-1, -2)];
/// Such as may be stored later.
const AROUND: [(i64, i64); 8] = [
    (0, 0),
    (0, -1),
    (1, -1),
    (0, -1),
    (-1, 1),
    (1, 0),
    (0, 1),
    (1, -1),
];

/// What is stored at a row and a column, made of elements near it.
fn value(
    random: &mut Random,
    table: &Table,
    [row, column]: [&str; 2],
    near: &[(i64, i64)],
) -> String {
    let read = |rows: i64, columns: i64| {
        let moved = |text: &str, by: i64| match by {
            0 => text.to_string(),
            by if by < 0 => format!("{text} - {}", -by),
            by => format!("{text} + {by}"),
        };
        table.at(&moved(row, rows), &moved(column, columns))
    };
    let mut parts: Vec<String> = (0..1 + random.below(3))
        .map(|_| {
            let (rows, columns) = random.copy(near);
            read(rows, columns)
        })
        .collect();
    let own = format!("b[({row}) * 7 + {column}]");
    match random.below(6) {
        0 => parts.push(format!("({own} > 5 ? {} : n)", read(-1, -1))),
        1 => parts.push(format!("max({}, {own})", read(-1, 0))),
        _ => parts.push(own),
    }
    parts.join(random.copy(&[" + ", " - ", " ^ ", " + "]))
}

/// What else a lane does: mostly nothing. It may end early only where no barrier comes after.
fn more(random: &mut Random, [row, column]: [&str; 2], may_end: bool) -> String {
    let text = match random.below(44) {
        // What each lane keeps beside the table, other tables, and what is only stored.
        24 | 25 => "if (v > best) best = v;",
        26 => "best = best <= v ? v : best;",
        // Where the best is: the first, or the last.
        6..=8 => "if (v > best) { best = v; bi = R; bj = C; }",
        9 => "if (v >= best) { best = v; bj = C; bi = R * 20 + C; }",
        10 => "if (best > v) { bi = b[R]; best = v; }",
        11 => "if (v <= best) { best = v; bi = R; }",
        12 => "if (v > best) { best = v; bi = R; bj += C; }",
        13 => "if (v > best) { bi = R; best = v; } bj = bi;",
        27 if may_end => "own[C] += v;",
        28 if may_end => "own[R + 1] = v - own[R + 1];",
        29 if may_end => "dir[R * 20 + C] = v > 3;",
        30 if may_end => "if (v > 5) dir[R * 20 + C] = v;",
        31 | 32 if may_end => {
            "e[R * 20 + C + 20] = e[R * 20 + C + 19] + b[C]; v += e[R * 20 + C + 20];"
        }
        33 if may_end => "v += e[R * 20 + C + 20]; e[R * 20 + C + 20] = e[R * 20 + C] - v;",
        34 if may_end => "dir[R * 20 + C / 2] = v;",
        0 => "c[R * 17 + C] = v;",
        1 => "if (v > 100) { v -= 90; }",
        2 => "int w = v * 2; v = w - 3;",
        3 => "total += v;",
        4 => "for (int k = 0; k < 2; k++) { v += k * b[C]; }",
        5 if may_end => "if (v == 77) continue;",
        _ => "",
    };
    text.replace('R', &format!("({row})"))
        .replace('C', &format!("({column})"))
}

/// A loop's head, by its first and last value.
fn head(random: &mut Random, counter: &str, first: usize, last: usize) -> String {
    match random.below(9) {
        0 => format!("for (int {counter} = {first}; {counter} <= {last}; ++{counter})"),
        2 => format!(
            "for (uint {counter} = {first}; {counter} < {}; {counter}++)",
            last + 1
        ),
        3 => format!("for (size_t {counter} = {first}; {counter} <= {last}; {counter}++)"),
        1 => format!(
            "for (short {counter} = {first}; {counter} < {}; {counter}++)",
            last + 1
        ),
        _ => format!(
            "for (int {counter} = {first}; {counter} < {}; {counter}++)",
            last + 1
        ),
    }
}

/// A branch that stores in each arm, of data or at borders, mostly.
fn arms(random: &mut Random, table: &Table, near: &[(i64, i64)]) -> String {
    let mut cond = || {
        random.copy(&[
            "b[i] == b[j]",
            "b[j] > 4",
            "i == 2 || j == 2",
            "i == 2",
            "j == 2",
            "i == j",
            "i > 2 && j > 2",
            "i > j && b[i] > 3",
        ])
    };
    let conds = [cond(), cond()];
    let mut store = || {
        let value = value(random, table, ["i", "j"], near);
        format!("{} = {value};", table.at("i", "j"))
    };
    let [first, second, third] = [store(), store(), store()];
    match random.below(8) {
        0 => format!("if ({}) {first}", conds[0]),
        1 => format!("if ({}) {{ c[i] = j; {first} }} else {second}", conds[0]),
        2 | 3 => format!(
            "if ({}) {{ {first} }} else if ({}) {second} else {{ {third} }}",
            conds[0], conds[1]
        ),
        _ => format!("if ({}) {first} else {second}", conds[0]),
    }
}

/// A table by rows, in one work-item.
fn rows(random: &mut Random) -> String {
    let (rows, columns) = (2 + random.below(9), 2 + random.below(9));
    let table = Table {
        width: columns + 2 + random.below(3),
        is_flat: random.chance(60),
    };
    let near: &[(i64, i64)] = match random.chance(40) {
        true => &AROUND,
        false => &FAR_BEFORE,
    };
    let (outer, inner) = (
        head(random, "i", 2, rows + 1),
        head(random, "j", 2, columns),
    );
    let store = match random.chance(30) {
        true => arms(random, &table, near),
        false => {
            let value = value(random, &table, ["i", "j"], near);
            let more = more(random, ["i", "j"], true);
            format!("int v = {value};\n{more}\n{} = v;", table.at("i", "j"))
        }
    };
    let guard = random.copy(&[
        "",
        "",
        "",
        "j <= i",
        "i + j < 9 && j >= 2",
        "b[j] > 2",
        "j != i",
    ]);
    let body = match guard {
        "" => store,
        guard => format!("if ({guard}) {{\n{store}\n}}"),
    };
    let again = match random.below(8) {
        0 => format!("{outer} {{\n{inner} {{\n{body}\n}}\n}}\n"),
        _ => String::new(),
    };
    filled(
        &table,
        rows + 3,
        &format!("{outer} {{\n{inner} {{\n{body}\n}}\n}}\n{again}"),
    )
}

/// A table in diagonals, in one work-item: as they grow, and perhaps as they shrink.
fn diagonals(random: &mut Random) -> String {
    let size = 2 + random.below(10);
    let table = Table {
        width: size + 1 + random.below(3),
        is_flat: random.chance(60),
    };
    let items = random.copy(&[
        "for (int t = 0; t < SIZE; t++)",
        "for (int t = 0; t < SIZE; t++)",
        "for (uint t = 0; t < SIZE; t++)",
        "for (size_t t = 0; t < SIZE; t++)",
    ]);
    let lines = phases(random, &table, size, items, "");
    filled(&table, size + 2, &lines.replace("SIZE", &size.to_string()))
}

/// Both loops over diagonals of a square, with `items` around what each work-item or lane does, and `barrier` after.
fn phases(random: &mut Random, table: &Table, size: usize, items: &str, barrier: &str) -> String {
    let grows = value(random, table, ["(m - t + 1)", "(t + 1)"], &BEFORE);
    // Lanes that are work-items each store at elements of their own.
    let own = match barrier {
        "" => "t",
        _ => "g * 20 + t",
    };
    let more = more(random, [own, "m"], barrier.is_empty());
    let lane = |row: &str, column: &str, value: &str| {
        let value = value.replace("(m - t + 1)", row).replace("(t + 1)", column);
        format!("int v = {value};\n{more}\n{} = v;", table.at(row, column))
    };
    let first = lane("(m - t + 1)", "(t + 1)", &grows);
    let second = lane(
        &format!("({size} - t)"),
        &format!("(t + {size} - m)"),
        &grows,
    );
    // Mostly the next diagonal; the same one is stored twice.
    let start = size as i64 - random.copy(&[2, 2, 2, 2, 2, 3, 1]);
    let bound = random.copy(&["t <= m", "t <= m", "t <= m", "t <= m", "m >= t", "t < m"]);
    let grown = random.copy(&["int", "int", "int", "uint", "long"]);
    let shrinks = format!(
        "for (int m = {start}; m >= 0; m--) {{\n{items} {{\nif (t <= m) {{\n{second}\n}}\n}}\n{barrier}}}\n"
    );
    let shrinks = match random.chance(80) {
        true => shrinks,
        false => String::new(),
    };
    format!(
        "for ({grown} m = 0; m < {size}; m++) {{\n{items} {{\nif ({bound}) {{\n{first}\n}}\n}}\n{barrier}}}\n{shrinks}"
    )
}

/// A table with a first row and column from memory, what is done to it, and all of it as a result.
fn filled(table: &Table, rows: usize, body: &str) -> String {
    let (width, cell) = (table.width, table.at("y", "x"));
    let all =
        format!("for (int y = 0; y < {rows}; y++) {{\nfor (int x = 0; x < {width}; x++) {{\n");
    format!(
        "T {};\nint total = 0, bi = -1, bj = -1;\nT best = 0, own[64], dir[300], e[300];\n\
         for (int x = 0; x < 300; x++) {{\ndir[x] = 0;\ne[x] = b[x];\nown[x % 64] = b[x];\n}}\n\
         {all}{cell} = b[y * 5 + x * 3];\n}}\n}}\n{body}\
         {all}a[y * {width} + x] = {cell};\n}}\n}}\na[1500] = total;\na[1501] = best;\na[1502] = bi;\na[1503] = bj;\n\
         for (int x = 0; x < 300; x++) {{\na[1510 + x] = dir[x] + e[x] * 2 + own[x % 64] * 3;\n}}\n",
        table.declared(rows)
    )
}

/// A tile of a larger table, which a work-group fills.
fn tiles(random: &mut Random, items: usize) -> String {
    let table = Table {
        width: items + 1 + random.below(3),
        is_flat: random.chance(70),
    };
    let barrier = "barrier(CLK_LOCAL_MEM_FENCE);\n";
    let lines = phases(random, &table, items, "", barrier);
    let (own, above, left) = (
        table.at("y + 1", "t + 1"),
        table.at("0", "t + 1"),
        table.at("t + 1", "0"),
    );
    let corner = table.at("0", "0");
    format!(
        "__local T {};\nint t = get_local_id(0), g = get_group_id(0);\nint total = 0, bi = -1, bj = -1;\nT best = 0;\nif (t == 0) {corner} = b[g];\n\
         {above} = b[g + t + 1];\n{left} = b[g * 3 + t * 5 + 2];\nfor (int y = 0; y < {items}; y++) {{\n{own} = 0;\n}}\n\
         {barrier}{lines}\
         for (int y = 0; y < {items}; y++) {{\na[(g * {items} + y) * {items} + t] = {own};\n}}\n\
         a[1500 + g * 20 + t] = best;\na[1600 + g * 20 + t] = bi * 1000 + bj;\n",
        table.declared(items + 1)
    )
}

impl Wave {
    /// A random one.
    pub fn random(random: &mut Random) -> Self {
        let ty = random.copy(&["int", "int", "int", "float", "long", "short"]);
        let items = random.copy(&[4, 8, 16]);
        let (body, items) = match random.below(7) {
            0 => (rows(random), 1),
            1 => (diagonals(random), 1),
            2 | 3 => (turns::turns(random), 1),
            4 | 5 => (copied::copied(random), 1),
            _ => (tiles(random, items), items),
        };
        let params = "__global int *restrict a, __global const int *restrict b, __global int *restrict c, int n";
        let operators = match ty {
            "float" => body.replace(" ^ ", " + "),
            _ => body,
        };
        Wave {
            body: operators
                .replace("T ", &format!("{ty} "))
                .replace("max(", &format!("max(({ty})")),
            ty,
            items,
            params,
        }
    }

    fn text(&self, number: usize) -> String {
        // Both operands of `max` have the elements' type.
        let body = self.body.replace(", b[", &format!(", ({})b[", self.ty));
        format!("__kernel void k{number}({})\n{{\n{body}}}\n", self.params)
    }
}

/// Kernels and their launches.
pub fn job(all: &[Wave]) -> Job {
    let texts = all.iter().enumerate().map(|(number, one)| one.text(number));
    let mut job = Job::new(texts.collect::<String>());
    for (number, one) in all.iter().enumerate() {
        let [a, b, c] = [1, 2, 3].map(|seed| job.buffer(4 * ELEMENTS, Fill::ints(seed, 0, 12)));
        let args = [a, b, c, Arg::int(9)];
        let items = one.items as u64;
        let groups = if items == 1 { 1 } else { 3 };
        job.launch(
            &format!("k{number}"),
            Geometry::range(&[items * groups], &[items]),
            args,
        );
    }
    job
}
