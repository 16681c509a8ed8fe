//! Between which numbers an integer expression lies, whatever its operands are.

use fpgacc_frontend::ir::{BinaryOp, Callee, Expr, ExprId, Function, Module, Scalar, VarRef};

use crate::trip_count::{Constants, integer_range};

/// How many variables are followed to what they are declared as.
const MOST_STEPS: u32 = 8;

/// The least and the greatest value of an integer expression, by its type, its constants, masks, remainders
/// and shifts. `None`: it is no integer.
pub fn interval(
    module: &Module,
    function: &Function,
    constants: &Constants<'_>,
    id: ExprId,
) -> Option<(i128, i128)> {
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
    fn of(&self, id: ExprId, steps: u32) -> Option<(i128, i128)> {
        let all = self.of_type(id)?;
        let known = self.known(id, steps);
        // What does not fit into its type wraps, or is undefined.
        let known = known.filter(|known| all.0 <= known.0 && known.1 <= all.1);
        Some(known.unwrap_or(all))
    }

    fn of_type(&self, id: ExprId) -> Option<(i128, i128)> {
        let scalar = self.module.types.as_scalar(self.function.exprs.ty(id))?;
        if scalar == Scalar::Bool {
            return Some((0, 1));
        }
        integer_range(scalar).map(|range| (*range.start(), *range.end()))
    }

    fn known(&self, id: ExprId, steps: u32) -> Option<(i128, i128)> {
        if let Some(value) = self.constants.value(id) {
            return Some((value, value));
        }
        match self.function.exprs.get(id) {
            Expr::Var(VarRef::Local(var)) if steps < MOST_STEPS => {
                self.of(self.constants.initialiser(*var)?, steps + 1)
            }
            Expr::Cast { operand, .. } => self.of(*operand, steps),
            Expr::Cond {
                then, otherwise, ..
            } => {
                let (a, b) = (self.of(*then, steps)?, self.of(*otherwise, steps)?);
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            Expr::Binary { op, lhs, rhs } => {
                binary(*op, self.of(*lhs, steps)?, self.of(*rhs, steps)?)
            }
            Expr::Call {
                callee: Callee::Builtin(name),
                args,
            } => self.call(name, args, steps),
            _ => None,
        }
    }

    fn call(&self, name: &str, args: &[ExprId], steps: u32) -> Option<(i128, i128)> {
        let of = |at: usize| self.of(*args.get(at)?, steps);
        match (name, args.len()) {
            ("min", 2) => {
                let (a, b) = (of(0)?, of(1)?);
                Some((a.0.min(b.0), a.1.min(b.1)))
            }
            ("max", 2) => {
                let (a, b) = (of(0)?, of(1)?);
                Some((a.0.max(b.0), a.1.max(b.1)))
            }
            ("clamp", 3) => {
                let (low, high) = (of(1)?, of(2)?);
                (low.1 <= high.0).then_some((low.0, high.1))
            }
            _ => None,
        }
    }
}

/// The numbers that an operation makes of operands between these, before its type cuts them off.
fn binary(op: BinaryOp, a: (i128, i128), b: (i128, i128)) -> Option<(i128, i128)> {
    let is_natural = a.0 >= 0 && b.0 >= 0;
    match op {
        BinaryOp::Add => Some((a.0 + b.0, a.1 + b.1)),
        BinaryOp::Sub => Some((a.0 - b.1, a.1 - b.0)),
        BinaryOp::Mul => corners(a, b, |x, y| x.checked_mul(y)),
        BinaryOp::Div if b.0 > 0 => corners(a, b, |x, y| Some(x / y)),
        BinaryOp::Rem if a.0 >= 0 && b.0 > 0 => Some((0, a.1.min(b.1 - 1))),
        BinaryOp::Shr if a.0 >= 0 && b.0 >= 0 && b.1 < 64 => Some((a.0 >> b.1, a.1 >> b.0)),
        BinaryOp::Shl if a.0 >= 0 && b.0 >= 0 && b.1 < 32 => {
            let high = a.1.checked_mul(1 << b.1)?;
            Some((a.0 << b.0, high))
        }
        // A mask that is no negative number leaves no more than itself.
        BinaryOp::BitAnd if is_natural => Some((0, a.1.min(b.1))),
        BinaryOp::BitAnd if b.0 >= 0 => Some((0, b.1)),
        BinaryOp::BitAnd if a.0 >= 0 => Some((0, a.1)),
        BinaryOp::BitOr | BinaryOp::BitXor if is_natural => {
            let bits = 128 - (a.1.max(b.1) as u128).leading_zeros();
            Some((0, (1i128 << bits.min(126)) - 1))
        }
        _ if op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or) => Some((0, 1)),
        _ => None,
    }
}

/// The least and the greatest of an operation that grows or falls with each operand.
fn corners(
    a: (i128, i128),
    b: (i128, i128),
    op: impl Fn(i128, i128) -> Option<i128>,
) -> Option<(i128, i128)> {
    let mut found: Option<(i128, i128)> = None;
    for (x, y) in [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)] {
        let value = op(x, y)?;
        let (low, high) = found.unwrap_or((value, value));
        found = Some((low.min(value), high.max(value)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_bound_their_results() {
        assert_eq!(
            binary(BinaryOp::BitAnd, (-5, 1000), (255, 255)),
            Some((0, 255))
        );
        assert_eq!(binary(BinaryOp::Rem, (0, 1000), (7, 7)), Some((0, 6)));
        assert_eq!(binary(BinaryOp::Rem, (-1, 1000), (7, 7)), None);
        assert_eq!(
            binary(BinaryOp::Shr, (0, 0xffff_ffff), (24, 24)),
            Some((0, 255))
        );
        assert_eq!(binary(BinaryOp::Mul, (-2, 3), (-4, 5)), Some((-12, 15)));
        assert_eq!(binary(BinaryOp::Div, (-7, 9), (2, 4)), Some((-3, 4)));
        assert_eq!(binary(BinaryOp::BitOr, (0, 5), (0, 8)), Some((0, 15)));
        assert_eq!(binary(BinaryOp::Sub, (0, 5), (1, 2)), Some((-2, 4)));
        assert_eq!(binary(BinaryOp::BitXor, (-1, 5), (0, 8)), None);
    }
}
