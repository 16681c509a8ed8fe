//! Tables of which few rows are kept and used by turns, with borders that are set before a row and what is done after it.

use crate::random::Random;

use super::{Table, filled, head, more};

/// Elements beside one, by rows and columns, mostly such as are stored before it.
const NEAR: [(i64, i64); 9] = [
    (-1, 0),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (0, -1),
    (-1, -1),
    (0, -2),
    (-1, 1),
    (0, 0),
];
/// The same with few that may not be.
const BEFORE: [(i64, i64); 4] = [(-1, 0), (0, -1), (-1, -1), (0, -2)];

/// How a kernel names rows.
struct Rows {
    table: Table,
    kept: usize,
    /// The outer loop says which row is which.
    is_named: bool,
}

impl Rows {
    fn at(&self, random: &mut Random, by: i64, column: &str) -> String {
        self.table.at(&self.row(random, by), column)
    }

    /// The row so many before, or after, that of the outer loop.
    fn row(&self, random: &mut Random, by: i64) -> String {
        let named = usize::from(self.is_named);
        match (self.kept, by.rem_euclid(2)) {
            (1, _) => "0".to_string(),
            (2, 0) => {
                let ways = ["i & 1", "i % 2", "(i + 2) % 2", "(i + 1 & 1)^1", "cur"];
                random.copy(&ways[..4 + named]).to_string()
            }
            (2, _) => {
                let ways = [
                    "(i + 1) & 1",
                    "(i - 1) % 2",
                    "1 - (i & 1)",
                    "!(i & 1)",
                    "1 - cur",
                    "prev",
                ];
                random.copy(&ways[..4 + 2 * named]).to_string()
            }
            (kept, _) => format!("(i + {}) % {kept}", kept as i64 + by),
        }
    }

    fn value(&self, random: &mut Random, near: &[(i64, i64)]) -> String {
        let mut parts: Vec<String> = (0..1 + random.below(3))
            .map(|_| {
                let (row, column) = random.copy(near);
                self.at(random, row, &format!("j + {column}").replace("+ -", "- "))
            })
            .collect();
        parts.push(
            random
                .copy(&["b[i * 7 + j]", "w", "w", "b[j] * w"])
                .to_string(),
        );
        parts.join(random.copy(&[" + ", " - ", " ^ ", " + "]))
    }

    /// What stands before the loop over a row.
    fn before(&self, random: &mut Random) -> String {
        let (border, above) = (self.at(random, 0, "1"), self.at(random, -1, "1"));
        let further = self.at(random, 0, "0");
        match random.below(12) {
            0..=3 => String::new(),
            4..=6 => format!("{border} = i;\n"),
            7 => format!("{border} = {above} + b[i];\n"),
            8 => format!("{border} = b[i];\n"),
            9 => format!("if (b[i] > 5) {border} = 3;\n"),
            10 => format!("{border} = i;\n{further} = 2;\n"),
            _ => "c[i] = i;\n".to_string(),
        }
    }

    /// What stands after it.
    fn after(&self, random: &mut Random, columns: usize) -> String {
        let last = self.at(random, 0, &columns.to_string());
        let next = self.at(random, 0, &(columns + 1).to_string());
        match random.below(12) {
            0..=5 => String::new(),
            6 => format!("dir[i] = {last};\n"),
            7 => format!("if ({last} > best) best = {last};\n"),
            8 => format!("own[i] += {last};\n"),
            9 => format!("total += {last};\n"),
            10 => format!("{next} = i - 4;\n"),
            _ => format!("if ({last} >= best) {{ best = {last}; bi = i; }}\n"),
        }
    }
}

/// Such a table, in one work-item.
pub(super) fn turns(random: &mut Random) -> String {
    let columns = 2 + random.below(9);
    let rows = Rows {
        table: Table {
            width: columns + 2 + random.below(3),
            is_flat: random.chance(40),
        },
        kept: random.copy(&[2, 2, 2, 3, 1]),
        is_named: random.chance(50),
    };
    let last = 1 + random.below(10);
    let (outer, inner) = (
        head(random, "i", 2, 1 + last),
        head(random, "j", 2, columns),
    );
    let near: &[(i64, i64)] = if random.chance(70) { &BEFORE } else { &NEAR };
    let own = rows.at(random, 0, "j");
    let stores = match random.below(4) {
        0 => {
            let cond = random.copy(&["b[i] == b[j]", "w > b[j]", "i == j", "j == 2"]);
            let [first, second] = [0, 1].map(|_| rows.value(random, near));
            format!(
                "if ({cond}) {{\n{own} = {first};\n}} else {{\nT v = {second};\n{own} = v;\n}}\n"
            )
        }
        _ => {
            let value = rows.value(random, near);
            let more = more(random, ["i", "j"], true);
            format!("int v = {value};\n{more}\n{own} = v;\n")
        }
    };
    let guard = random.copy(&["", "", "", "", "", "if (j > 2) ", "if (j <= i) "]);
    let names = match rows.is_named {
        true => "int cur = i & 1, prev = 1 - cur;\n",
        false => "",
    };
    let (before, after) = (rows.before(random), rows.after(random, columns));
    let nest = format!(
        "{outer} {{\n{names}int w = b[i * 3];\n{before}{inner} {guard}{{\n{stores}}}\n{after}}}\n"
    );
    filled(&rows.table, rows.kept, &nest)
}
