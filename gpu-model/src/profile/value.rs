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
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// The integer, or the bytes from the start of `root`, at each point; `None` if it depends on data.
    pub at: Option<[i64; POINTS]>,
    /// The points at which it may be another one, as bits. Of a known value it is not used.
    may_vary: u8,
    /// Where it points to.
    pub root: Option<Root>,
    /// It is computed from an argument of the kernel.
    from_argument: bool,
    /// The points to which it moves by a multiple of an argument, as bits.
    scaled: u8,
    /// What of an earlier iteration it is computed from.
    carried: Option<Carried>,
    /// The number of its components, if it is a vector of which they are followed.
    pub vector: Option<u32>,
}

/// A value that an iteration of a loop takes over from the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The variable.
    pub of: u32,
    /// Cycles from that value to what is computed from it.
    pub cycles: u32,
}

impl Value {
    /// The same, as what a loop's variable has before an iteration.
    pub fn carried_by(self, of: u32) -> Self {
        Value {
            carried: Some(Carried { of, cycles: 0 }),
            ..self
        }
    }

    /// The same, if it is computed from values within so many cycles.
    pub fn computed_from<'v>(
        self,
        values: impl IntoIterator<Item = &'v Value>,
        cycles: u32,
    ) -> Self {
        let carried = values.into_iter().filter_map(|value| value.carried);
        let last = carried.max_by_key(|carried| carried.cycles);
        Value {
            carried: last.map(|last| Carried {
                cycles: last.cycles + cycles,
                ..last
            }),
            ..self
        }
    }

    /// The same, as a vector whose components have a number.
    pub fn with_components(self, number: u32) -> Self {
        Value {
            vector: Some(number),
            ..self
        }
    }

    /// Cycles that an iteration takes from a variable's value before it to that after it, which this is; `None`: it is not
    /// computed from that.
    pub fn recurrence(&self, of: u32) -> Option<u32> {
        let carried = self.carried.filter(|carried| carried.of == of)?;
        Some(carried.cycles)
    }

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
            from_argument: false,
            scaled: 0,
            carried: None,
            vector: None,
        }
    }

    /// A value that depends on data, and at which points it may differ.
    pub fn unknown(may_vary: u8) -> Self {
        Value {
            at: None,
            may_vary,
            root: None,
            from_argument: false,
            scaled: 0,
            carried: None,
            vector: None,
        }
    }

    /// The value of an argument.
    pub fn of_argument(self) -> Self {
        Value {
            from_argument: true,
            ..self
        }
    }

    /// The product of two values: where one moves, it does so by multiples of the other.
    pub fn as_product_of(self, a: &Value, b: &Value) -> Self {
        let by = |moves: &Value, by: &Value| match by.from_argument {
            true => moves.varies(),
            false => 0,
        };
        Value {
            scaled: self.scaled | by(a, b) | by(b, a),
            ..self
        }
    }

    /// The points to which it moves by a multiple of an argument, as bits.
    pub fn scaled(&self) -> u8 {
        self.scaled & self.varies()
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

    /// Whether two values are the same, wherever they come from.
    pub fn is_same(&self, other: &Value) -> bool {
        (self.at, self.may_vary, self.root, self.vector)
            == (other.at, other.may_vary, other.root, other.vector)
    }

    /// The points at which it is, or may be, another value than at the first, as bits.
    pub fn varies(&self) -> u8 {
        let Some(at) = self.at else {
            return self.may_vary;
        };
        let differs = (0..POINTS).filter(|&point| at[point] != at[0]);
        differs.fold(0, |bits, point| bits | 1 << point)
    }

    /// The points at which what it was computed of is, or may be, another value, as bits.
    pub fn operands_vary(&self) -> u8 {
        self.may_vary
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
            from_argument: self.from_argument | other.from_argument,
            scaled: self.scaled | other.scaled,
            carried: None,
            vector: None,
        }
        .computed_from([self, other], 0)
    }

    /// A function of one value.
    pub fn map(&self, with: impl Fn(i64) -> i64) -> Self {
        Value {
            at: self.at.map(|at| at.map(with)),
            may_vary: self.varies(),
            vector: None,
            ..*self
        }
    }

    /// One value where the condition holds, the other where it does not, point by point.
    pub fn select(condition: &Value, then: &Value, otherwise: &Value) -> Self {
        let root = then.root.or(otherwise.root);
        let may_vary = condition.varies() | then.varies() | otherwise.varies();
        let unknown = Value {
            root,
            from_argument: then.from_argument | otherwise.from_argument,
            scaled: then.scaled | otherwise.scaled,
            ..Value::unknown(may_vary).computed_from([condition, then, otherwise], 0)
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
            from_argument: before.from_argument | after.from_argument,
            scaled: before.scaled | after.scaled,
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
