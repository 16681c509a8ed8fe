//! Kernels and the buffers between them as a picture: kernels left, buffers right, what is loaded and stored as lines.

use serde::Serialize;

use super::data::{Program, Use};

const WIDTH: f64 = 900.0;
const ROW: f64 = 40.0;
const TOP: f64 = 8.0;
const BOX: f64 = 28.0;
/// Right ends of kernels and left ends of buffers.
const KERNELS: f64 = 260.0;
const BUFFERS: f64 = 520.0;
/// Characters of a name that its box has room for.
const MOST: usize = 34;

/// A picture, in its own coordinates.
#[derive(Debug, Serialize)]
pub struct Picture {
    width: f64,
    height: f64,
    kernels: Vec<Node>,
    buffers: Vec<Node>,
    edges: Vec<Edge>,
}

/// A box.
#[derive(Debug, Serialize)]
struct Node {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    name: String,
    /// Beside the name.
    more: String,
    /// In full.
    title: String,
}

/// A line from what is read to what reads it.
#[derive(Debug, Serialize)]
struct Edge {
    path: String,
    loads: bool,
    stores: bool,
    is_one_of_many: bool,
    title: String,
}

/// The picture; `None`: no launch states which buffers the kernels access.
pub fn picture(program: &Program) -> Option<Picture> {
    if program.buffers.is_empty() {
        return None;
    }
    let rows = program.kernels.len().max(program.buffers.len()) as f64;
    let height = rows * ROW + 2.0 * TOP;
    let y = |at: usize, all: usize| {
        let free = (rows - all as f64) * ROW / 2.0;
        TOP + free + at as f64 * ROW + (ROW - BOX) / 2.0
    };
    let kernel = |at: usize| y(at, program.kernels.len());
    let buffer = |at: usize| y(at, program.buffers.len());
    let kernels = program.kernels.iter().enumerate().map(|(at, one)| Node {
        x: 1.0,
        y: kernel(at),
        width: KERNELS - 1.0,
        height: BOX,
        name: cut(&one.name),
        more: String::new(),
        title: one.name.clone(),
    });
    let buffers = program.buffers.iter().enumerate().map(|(at, one)| {
        let size = one.bytes.map_or(one.size.clone(), bytes);
        Node {
            x: BUFFERS,
            y: buffer(at),
            width: WIDTH - BUFFERS - 1.0,
            height: BOX,
            name: cut(&one.name),
            title: format!("{}: {size}", one.name),
            more: cut(&size),
        }
    });
    let mut edges = Vec::new();
    for (at, one) in program.buffers.iter().enumerate() {
        for (from, user) in program.kernels.iter().enumerate() {
            let uses: Vec<&Use> = one
                .uses
                .iter()
                .filter(|used| used.kernel == user.name)
                .collect();
            if !uses.is_empty() {
                let ends = (kernel(from) + BOX / 2.0, buffer(at) + BOX / 2.0);
                edges.push(edge(&uses, &one.name, ends));
            }
        }
    }
    Some(Picture {
        width: WIDTH,
        height,
        kernels: kernels.collect(),
        buffers: buffers.collect(),
        edges,
    })
}

/// What one kernel does with one buffer, from a height on the left to one on the right.
fn edge(uses: &[&Use], buffer: &str, (left, right): (f64, f64)) -> Edge {
    let middle = (KERNELS + BUFFERS) / 2.0;
    let does = |used: &&Use| match (used.loads, used.stores) {
        (true, true) => format!("loads and stores '{}'", used.parameter),
        (true, false) => format!("loads '{}'", used.parameter),
        _ => format!("stores '{}'", used.parameter),
    };
    let does: Vec<String> = uses.iter().map(does).collect();
    Edge {
        path: format!("M{KERNELS} {left} C{middle} {left} {middle} {right} {BUFFERS} {right}"),
        loads: uses.iter().any(|used| used.loads),
        stores: uses.iter().any(|used| used.stores),
        is_one_of_many: uses.iter().all(|used| used.is_one_of_many),
        title: format!("{} and {buffer}: {}", uses[0].kernel, does.join(", ")),
    }
}

/// A name that fits into its box.
fn cut(name: &str) -> String {
    match name.chars().count() > MOST {
        true => name.chars().take(MOST - 1).chain(['…']).collect(),
        false => name.to_string(),
    }
}

/// A number of bytes as people read it.
fn bytes(bytes: u64) -> String {
    let (scaled, unit) = match bytes {
        b if b >= 1 << 30 => (b as f64 / f64::from(1 << 30), "GiB"),
        b if b >= 1 << 20 => (b as f64 / f64::from(1 << 20), "MiB"),
        b if b >= 10 << 10 => (b as f64 / 1024.0, "KiB"),
        b => (b as f64, "bytes"),
    };
    format!("{} {unit}", fpgacc_decision::describe::number(scaled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_by_people() {
        for (number, text) in [
            (40, "40 bytes"),
            (10 << 10, "10 KiB"),
            (3 << 19, "1.50 MiB"),
            (2 << 30, "2 GiB"),
        ] {
            assert_eq!(bytes(number), text);
        }
        assert_eq!(cut(&"x".repeat(40)).chars().count(), MOST);
    }
}
