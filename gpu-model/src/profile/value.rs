//! Integers at several points at once: a work-item in the middle of the NDRange, its neighbours, and the next
//! iterations of the loops around.

use fpgacc_frontend::ir::GlobalId;

/// Points at which a kernel is followed.
pub const POINTS: usize = 8;
/// The first point that is a loop's next iteration; those before are the work-item and its three neighbours.
pub const FIRST_LOOP: usize = 4;

/// What memory a pointer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Root {
    /// That of a parameter of the kernel.
    Buffer(u32),
    /// A program-scope variable.
    Table(GlobalId),
    /// Local memory.
    Local,
    /// A variable of the work-item.
    Private,
}

/// A value of a kernel, as far as it can be followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// The integer, or the bytes from the start of `root`, at each point; `None` if it depends on data.
    pub at: Option<[i64; POINTS]>,
    /// The points at which it may be another one, as bits. Of a known value it is not used.
    may_vary: u8,
    /// Where it points to.
    pub root: Option<Root>,
}

impl Value {
    /// The same integer everywhere.
    pub fn constant(value: i64) -> Self {
        Value::known([value; POINTS])
    }

    /// An integer at each point.
    pub fn known(at: [i64; POINTS]) -> Self {
        Value {
            at: Some(at),
            may_vary: 0,
            root: None,
        }
    }

    /// A value that depends on data, and at which points it may differ.
    pub fn unknown(may_vary: u8) -> Self {
        Value {
            at: None,
            may_vary,
            root: None,
        }
    }

    /// The start of a piece of memory.
    pub fn start_of(root: Root) -> Self {
        Value {
            root: Some(root),
            ..Value::constant(0)
        }
    }

    /// The same, as a position in a piece of memory, or as a plain number.
    pub fn within(self, root: Option<Root>) -> Self {
        Value { root, ..self }
    }

    /// The points at which it is, or may be, another value than at the first, as bits.
    pub fn varies(&self) -> u8 {
        let Some(at) = self.at else {
            return self.may_vary;
        };
        let differs = (0..POINTS).filter(|&point| at[point] != at[0]);
        differs.fold(0, |bits, point| bits | 1 << point)
    }

    /// The value at the work-item itself.
    pub fn here(&self) -> Option<i64> {
        self.at.map(|at| at[0])
    }

    /// Whether it is not 0 at the work-item itself.
    pub fn is_true(&self) -> Option<bool> {
        self.here().map(|value| value != 0)
    }

    /// A function of two values; where it has no value, the result depends on data.
    pub fn combine(&self, other: &Value, with: impl Fn(i64, i64) -> Option<i64>) -> Self {
        let root = self.root.or(other.root);
        let both = self.at.zip(other.at);
        let at = both.and_then(|(a, b)| {
            let mut at = [0; POINTS];
            for (point, to) in at.iter_mut().enumerate() {
                *to = with(a[point], b[point])?;
            }
            Some(at)
        });
        Value {
            at,
            may_vary: self.varies() | other.varies(),
            root,
        }
    }

    /// A function of one value.
    pub fn map(&self, with: impl Fn(i64) -> i64) -> Self {
        Value {
            at: self.at.map(|at| at.map(with)),
            may_vary: self.varies(),
            root: self.root,
        }
    }

    /// One value where the condition holds, the other where it does not, point by point.
    pub fn select(condition: &Value, then: &Value, otherwise: &Value) -> Self {
        let root = then.root.or(otherwise.root);
        let may_vary = condition.varies() | then.varies() | otherwise.varies();
        let unknown = Value {
            root,
            ..Value::unknown(may_vary)
        };
        let (Some(condition), Some(a), Some(b)) = (condition.at, then.at, otherwise.at) else {
            return unknown;
        };
        let mut at = [0; POINTS];
        for (point, to) in at.iter_mut().enumerate() {
            *to = if condition[point] != 0 {
                a[point]
            } else {
                b[point]
            };
        }
        Value {
            at: Some(at),
            ..unknown
        }
    }

    /// A variable that a loop writes: what it was before, and after one iteration. The value after `iterations`, and at
    /// the loop's own point after one more.
    pub fn after(before: &Value, after: &Value, iterations: f64, point: Option<usize>) -> Self {
        let varies = before.varies() | after.varies() | point.map_or(0, |point| 1 << point);
        let unknown = Value {
            root: after.root,
            ..Value::unknown(varies)
        };
        let (Some(first), Some(next)) = (before.at, after.at) else {
            return unknown;
        };
        if before.root != after.root {
            return unknown;
        }
        let mut at = first;
        for (at_point, to) in at.iter_mut().enumerate() {
            let more = if Some(at_point) == point { 1.0 } else { 0.0 };
            let by = next[at_point].wrapping_sub(first[at_point]);
            *to = to.wrapping_add(by.wrapping_mul((iterations + more) as i64));
        }
        Value {
            at: Some(at),
            ..unknown
        }
    }
}
