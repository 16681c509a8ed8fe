//! Two rows, of which each step copies one into the other, or exchanges pointers to them.

use crate::random::Random;

use super::{head, more};

/// Elements of both rows beside one that are stored before it.
const NEAR: [&str; 4] = ["old[j]", "old[j - 1]", "row[j - 1]", "row[1]"];
/// Those that the step may not have stored: in all kernels, where rows begin at 0, where all of them has a value.
const FAR: [&[&str]; 3] = [
    &["row[j]"],
    &["row[j]", "old[j - 2]", "row[j - 2]"],
    &["row[j + 1]", "old[j + 1]", "old[j - 2]", "row[j - 2]"],
];

/// What a lane adds up.
fn value(random: &mut Random, far: &[&str]) -> String {
    let mut parts: Vec<&str> = (0..1 + random.below(3))
        .map(|_| random.copy(&NEAR))
        .collect();
    if random.chance(25) {
        parts.push(random.copy(far));
    }
    parts.push(random.copy(&["b[i * 7 + j]", "w", "w", "b[j] * w"]));
    parts.join(random.copy(&[" + ", " - ", " ^ ", " + "]))
}

/// What a lane does.
fn lane(random: &mut Random, far: &[&str]) -> String {
    let [first, second] = [0, 1].map(|_| value(random, far));
    match random.below(5) {
        0 => {
            let cond = random.copy(&["b[i] == b[j]", "w > b[j]", "i == j", "j == 2"]);
            format!("if ({cond}) {{\nrow[j] = {first};\n}} else {{\nrow[j] = {second};\n}}\n")
        }
        1 => format!("row[j] = {first};\nif (row[j] > best) best = row[j];\n"),
        _ => {
            let more = more(random, ["i", "j"], true);
            format!("int v = {first};\n{more}\nrow[j] = v;\n")
        }
    }
}

/// The pointers to both rows are exchanged.
fn exchange(random: &mut Random) -> String {
    let guard = random.copy(&["", "", "", "", "", "", "", "if (row[2] > 900) break;\n"]);
    let exchange = random.copy(&[
        "T *t = old;\nold = row;\nrow = t;\n",
        "T *t = row;\nrow = old;\nold = t;\n",
        "T *t;\nt = old;\nold = row;\nrow = t;\n",
    ]);
    format!("{guard}{exchange}")
}

/// A nest with such rows, and what is before and after it, in one work-item.
pub(super) fn copied(random: &mut Random) -> String {
    let columns = 2 + random.below(9);
    let width = columns + 2 + random.below(4);
    let steps = [1 + random.below(3), 3 + random.below(10)];
    let (outer, inner) = (
        head(random, "i", steps[0], steps[1]),
        head(random, "j", 2, columns),
    );
    let from = random.copy(&[1, 1, 1, 0, 2]);
    let to = columns + random.copy(&[1, 1, 1, 1, 2]);
    let exchanges = random.chance(35);
    let copy = match exchanges {
        true => exchange(random),
        false => format!("for (int k = {from}; k < {to}; k++) old[k] = row[k];\n"),
    };
    let mut start = random
        .copy(&[
            "",
            "row[1] = i;\n",
            "row[1] = i;\n",
            "row[1] = old[1] + b[i];\n",
        ])
        .to_string();
    if from == 0 || random.chance(10) {
        start += "row[0] = b[i] - 2;\n";
    }
    if random.chance(8) {
        start += random.copy(&[
            "if (w > 3) row[1] = 3;\n",
            "total += row[1];\n",
            "old[1] = 4;\n",
        ]);
    }
    let end = match random.below(10) {
        0 => format!("if (row[{columns}] > best) best = row[{columns}];\n"),
        1 => format!("dir[i] = row[{columns}] - old[{columns}];\n"),
        2 => format!("row[{}] = i - 4;\n", to - 1),
        3 => "total += row[1];\n".to_string(),
        4 => format!("old[{columns}] = 0;\n"),
        _ => String::new(),
    };
    let guard = random.copy(&["", "", "", "", "", "", "if (j > 2) ", "if (j <= i) "]);
    // Elsewhere the same elements are used, mostly, which the step has stored.
    let is_whole = from == 2 || exchanges || random.chance(15);
    let (low, high) = if is_whole { (0, width) } else { (from, to) };
    let far = match (is_whole, from) {
        (true, _) => FAR[2],
        (false, 0) => FAR[1],
        (false, _) => FAR[0],
    };
    let lane = lane(random, far);
    let [first, last] = match random.chance(30) {
        true => [copy.as_str(), ""],
        false => ["", copy.as_str()],
    };
    let all = format!("for (int x = {low}; x < {high}; x++)");
    let later = match exchanges && random.chance(20) {
        true => random.copy(&["row[1] += second[2];\n", "old = first;\n"]),
        false => random.copy(&["", "", "", "", "", "row[2] += 3;\n"]),
    };
    let other = width + random.below(3);
    let rows = match exchanges {
        true => format!("T first[{width}], second[{other}];\nT *old = first, *row = second;"),
        false => format!("T old[{width}], row[{other}];"),
    };
    format!(
        "{rows}\nint total = 0, bi = -1, bj = -1;\nT best = 0, own[64], dir[300], e[300];\n\
         for (int x = 0; x < 300; x++) {{\ndir[x] = 0;\ne[x] = b[x];\nown[x % 64] = b[x];\n}}\n\
         {all} {{\nold[x] = b[x * 3];\nrow[x] = b[x + 9];\n}}\n\
         {outer} {{\nint w = b[i * 3];\n{first}{start}{inner} {guard}{{\n{lane}}}\n{end}{last}}}\n{later}\
         {all} {{\na[x] = row[x];\na[x + 50] = old[x];\n}}\n\
         a[1500] = total;\na[1501] = best;\na[1502] = bi;\na[1503] = bj;\n\
         for (int x = 0; x < 300; x++) {{\na[1510 + x] = dir[x] + e[x] * 2 + own[x % 64] * 3;\n}}\n"
    )
}
