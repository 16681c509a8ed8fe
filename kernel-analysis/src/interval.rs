//! Between which numbers integers lie, and integer expressions, whatever their operands are.

use fpgacc_frontend::ir::{BinaryOp, Callee, Expr, ExprId, Function, Module, Scalar, VarRef};

use crate::trip_count::{Constants, integer_range};

/// All numbers from one to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The least.
    pub low: i128,
    /// The largest.
    pub high: i128,
}

impl Interval {
    /// One number.
    pub fn of(value: i128) -> Self {
        Interval::new(value, value)
    }

    /// From one number to another, which is no less.
    pub fn new(low: i128, high: i128) -> Self {
        Interval { low, high }
    }

    /// The numbers that an integer type holds; `None`: it is no integer.
    pub fn of_type(scalar: Scalar) -> Option<Self> {
        if scalar == Scalar::Bool {
            return Some(Interval::new(0, 1));
        }
        integer_range(scalar).map(|range| Interval::new(*range.start(), *range.end()))
    }

    /// Whether all numbers of another are in it.
    pub fn contains(self, other: Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// Whether no number is negative.
    pub fn is_natural(self) -> bool {
        self.low >= 0
    }

    /// Sums of numbers of two intervals.
    pub fn plus(self, other: Self) -> Option<Self> {
        let low = self.low.checked_add(other.low)?;
        Some(Interval::new(low, self.high.checked_add(other.high)?))
    }

    /// Whether a comparison holds for all numbers of both, or for none.
    pub fn compare(self, op: BinaryOp, other: Self) -> Option<bool> {
        let (less, at_most) = (self.high < other.low, self.high <= other.low);
        let (more, at_least) = (self.low > other.high, self.low >= other.high);
        let (yes, no) = match op {
            BinaryOp::Lt => (less, at_least),
            BinaryOp::Le => (at_most, more),
            BinaryOp::Gt => (more, at_most),
            BinaryOp::Ge => (at_least, less),
            BinaryOp::Eq => (at_most && at_least, less || more),
            BinaryOp::Ne => (less || more, at_most && at_least),
            _ => return None,
        };
        (yes || no).then_some(yes)
    }

    /// The numbers that an operation makes of these, before its type, which holds `all`, cuts them off.
    pub fn binary(self, op: BinaryOp, other: Self, all: Self) -> Option<Self> {
        // It is calculated in its type: beside an unsigned number a negative one is a large one.
        let [a, b] = [self, other].map(|operand| match all.contains(operand) {
            true => operand,
            false => all,
        });
        let are_natural = a.is_natural() && b.is_natural();
        match op {
            BinaryOp::Add => a.plus(b),
            BinaryOp::Sub => {
                let low = a.low.checked_sub(b.high)?;
                Some(Interval::new(low, a.high.checked_sub(b.low)?))
            }
            BinaryOp::Mul => corners(a, b, |x, y| x.checked_mul(y)),
            BinaryOp::Div if b.low > 0 => corners(a, b, |x, y| Some(x / y)),
            BinaryOp::Rem if a.is_natural() && b.low > 0 => {
                Some(Interval::new(0, a.high.min(b.high - 1)))
            }
            BinaryOp::Shr if are_natural && b.high < 64 => {
                Some(Interval::new(a.low >> b.high, a.high >> b.low))
            }
            BinaryOp::Shl if are_natural && b.high < 32 => {
                let high = a.high.checked_mul(1 << b.high)?;
                Some(Interval::new(a.low << b.low, high))
            }
            // A mask that is no negative number leaves no more than itself.
            BinaryOp::BitAnd if are_natural => Some(Interval::new(0, a.high.min(b.high))),
            BinaryOp::BitAnd if b.is_natural() => Some(Interval::new(0, b.high)),
            BinaryOp::BitAnd if a.is_natural() => Some(Interval::new(0, a.high)),
            BinaryOp::BitOr | BinaryOp::BitXor if are_natural => {
                let bits = 128 - (a.high.max(b.high) as u128).leading_zeros();
                Some(Interval::new(0, (1i128 << bits.min(126)) - 1))
            }
            _ => None,
        }
    }

    fn with(self, other: Self) -> Self {
        Interval::new(self.low.min(other.low), self.high.max(other.high))
    }
}

/// The least and the greatest of an operation that grows or falls with each operand.
fn corners(a: Interval, b: Interval, op: impl Fn(i128, i128) -> Option<i128>) -> Option<Interval> {
    let pairs = [
        (a.low, b.low),
        (a.low, b.high),
        (a.high, b.low),
        (a.high, b.high),
    ];
    let mut values = pairs.iter().map(|(x, y)| op(*x, *y).map(Interval::of));
    let first = values.next()??;
    values.try_fold(first, |found, value| Some(found.with(value?)))
}

/// How many variables are followed to what they are declared as.
const MOST_STEPS: u32 = 8;

/// The least and the greatest value of an integer expression, by its type, its constants, masks, remainders
/// and shifts. `None`: it is no integer.
pub fn interval(
    module: &Module,
    function: &Function,
    constants: &Constants<'_>,
    id: ExprId,
) -> Option<Interval> {
    let bounds = Bounds {
        module,
        function,
        constants,
    };
    bounds.of(id, 0)
}

struct Bounds<'a> {
    module: &'a Module,
    function: &'a Function,
    constants: &'a Constants<'a>,
}

impl Bounds<'_> {
    fn of(&self, id: ExprId, steps: u32) -> Option<Interval> {
        let all = self.of_type(id)?;
        let known = self.known(id, steps);
        // What does not fit into its type wraps, or is undefined.
        let known = known.filter(|known| all.contains(*known));
        Some(known.unwrap_or(all))
    }

    fn of_type(&self, id: ExprId) -> Option<Interval> {
        Interval::of_type(self.module.types.as_scalar(self.function.exprs.ty(id))?)
    }

    fn known(&self, id: ExprId, steps: u32) -> Option<Interval> {
        if let Some(value) = self.constants.value(id) {
            return Some(Interval::of(value));
        }
        match self.function.exprs.get(id) {
            Expr::Var(VarRef::Local(var)) if steps < MOST_STEPS => {
                self.of(self.constants.initialiser(*var)?, steps + 1)
            }
            Expr::Cast { operand, .. } => self.of(*operand, steps),
            Expr::Cond {
                then, otherwise, ..
            } => Some(self.of(*then, steps)?.with(self.of(*otherwise, steps)?)),
            Expr::Binary { op, lhs, rhs } => {
                let (left, right) = (self.of(*lhs, steps)?, self.of(*rhs, steps)?);
                if op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or) {
                    return Some(Interval::new(0, 1));
                }
                left.binary(*op, right, self.of_type(id)?)
            }
            Expr::Call {
                callee: Callee::Builtin(name),
                args,
            } => self.call(name, args, steps),
            _ => None,
        }
    }

    fn call(&self, name: &str, args: &[ExprId], steps: u32) -> Option<Interval> {
        let of = |at: usize| self.of(*args.get(at)?, steps);
        match (name, args.len()) {
            ("min", 2) => {
                let (a, b) = (of(0)?, of(1)?);
                Some(Interval::new(a.low.min(b.low), a.high.min(b.high)))
            }
            ("max", 2) => {
                let (a, b) = (of(0)?, of(1)?);
                Some(Interval::new(a.low.max(b.low), a.high.max(b.high)))
            }
            ("clamp", 3) => {
                let (low, high) = (of(1)?, of(2)?);
                (low.high <= high.low).then(|| Interval::new(low.low, high.high))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Interval = Interval {
        low: i32::MIN as i128,
        high: i32::MAX as i128,
    };

    #[test]
    fn operations_bound_their_results() {
        let of = |op: BinaryOp, a: (i128, i128), b: (i128, i128)| {
            let found = Interval::new(a.0, a.1).binary(op, Interval::new(b.0, b.1), INT);
            found.map(|found| (found.low, found.high))
        };
        assert_eq!(of(BinaryOp::BitAnd, (-5, 1000), (255, 255)), Some((0, 255)));
        assert_eq!(of(BinaryOp::Rem, (0, 1000), (7, 7)), Some((0, 6)));
        assert_eq!(of(BinaryOp::Rem, (-1, 1000), (7, 7)), None);
        assert_eq!(
            of(BinaryOp::Shr, (0, 0x7fff_ffff), (24, 24)),
            Some((0, 127))
        );
        assert_eq!(of(BinaryOp::Mul, (-2, 3), (-4, 5)), Some((-12, 15)));
        assert_eq!(of(BinaryOp::Div, (-7, 9), (2, 4)), Some((-3, 4)));
        assert_eq!(of(BinaryOp::BitOr, (0, 5), (0, 8)), Some((0, 15)));
        assert_eq!(of(BinaryOp::Sub, (0, 5), (1, 2)), Some((-2, 4)));
        assert_eq!(of(BinaryOp::BitXor, (-1, 5), (0, 8)), None);
    }

    #[test]
    fn beside_unsigned_numbers_negative_ones_are_large() {
        let unsigned = Interval::new(0, u32::MAX.into());
        let (small, mask) = (Interval::new(-1, 1), Interval::of(2));
        let half = small.binary(BinaryOp::Div, mask, unsigned);
        assert_eq!(half, Some(Interval::new(0, 0x7fff_ffff)));
        let masked = small.binary(BinaryOp::BitAnd, mask, unsigned);
        assert_eq!(masked, Some(Interval::new(0, 2)));
    }
}
