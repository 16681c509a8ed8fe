//! Integers in a wave's loops as sums of multiples of time and lane.
//!
//! Unsigned arithmetic wraps, so that of it only the rest by a power of two is known: `t - l` of `uint`s is that of
//! the difference. What is also known not to be negative is the sum itself.

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, Scalar, Stmt, UnaryOp, VarId};
use fpgacc_kernel_analysis::indices::Indices;
use fpgacc_kernel_analysis::trip_count::Counting;

use super::nest::{Scope, counters};
use super::space::{Affine, follows};

/// Expressions of loops that are followed: variables that stand for others may stand for very many.
const MOST_EXPRESSIONS: usize = 4000;
/// Numbers beyond this are not followed.
const LARGEST: i128 = 1 << 31;

/// What is known of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    /// What it is, or what has the same rest.
    pub sum: Affine,
    /// By two to the power of so many bits the rest is known; `None`: it is the sum.
    pub bits: Option<u64>,
}

impl Integer {
    fn exact(sum: Affine) -> Self {
        Integer { sum, bits: None }
    }

    /// A value of one type as one of another; `None`: it is not known any more.
    fn converted(self, from: Scalar, to: Scalar) -> Option<Self> {
        let bits = 8 * to.size();
        let holds_all =
            from.size() < to.size() || from.size() == to.size() && from.is_signed_integer();
        match self.bits {
            _ if bits < 32 => None,
            None if to.is_signed_integer() && holds_all => Some(self),
            // What is wider than what is known may be anything.
            Some(known) if known < bits => None,
            _ => Some(Integer {
                bits: Some(bits),
                ..self
            }),
        }
    }

    fn times(self, by: i128) -> Self {
        let sum = Affine::constant(0).plus(self.sum, by);
        Integer { sum, ..self }
    }
}

/// The integers of loops.
pub struct Values<'a> {
    scope: &'a Scope<'a>,
    indices: Indices<'a>,
    counts: [Counting; 2],
    /// The counters, by time and lane.
    counters: [Affine; 2],
    /// Expressions that may still be looked at.
    left: usize,
}

impl<'a> Values<'a> {
    /// Of loops that count like this and whose iterations are these.
    pub fn new(
        scope: &'a Scope<'a>,
        stmt: &Stmt,
        counts: [Counting; 2],
        iterations: [Affine; 2],
    ) -> Self {
        let mut indices = Indices::new(scope.aliases, scope.nests, stmt);
        // For what variables stand for: the loops are known to count.
        let _ = indices.follow(stmt);
        Values {
            scope,
            indices,
            counts,
            counters: counters(&counts, iterations),
            left: MOST_EXPRESSIONS,
        }
    }

    /// The expression that a variable stands for.
    pub fn fixed(&self, var: VarId) -> Option<ExprId> {
        self.indices.fixed(var)
    }

    /// What two integers that are compared are at points that fulfil some inequalities.
    pub fn compared(&mut self, sides: [ExprId; 2], points: &[Affine]) -> Option<[Affine; 2]> {
        let [lhs, rhs] = sides.map(|side| self.scalar(side));
        let common = lhs?.usual(rhs?);
        let [lhs, rhs] = sides.map(|side| self.itself(side, common, points));
        Some([lhs?, rhs?])
    }

    /// What an integer is as one of a type.
    fn itself(&mut self, id: ExprId, ty: Scalar, points: &[Affine]) -> Option<Affine> {
        let Integer { sum, bits } = self.integer(id)?.converted(self.scalar(id)?, ty)?;
        let below = Affine::constant(LARGEST - 1).plus(sum, -1);
        let is_itself = bits.is_none() || follows(points, sum) && follows(points, below);
        is_itself.then_some(sum)
    }

    /// What an index is at points of a box, if it is one of an array that is shorter than most numbers.
    pub fn index(&mut self, id: ExprId, points: &[Affine]) -> Option<Affine> {
        let Integer { sum, bits } = self.integer(self.widened(id))?;
        let largest = Affine::constant(LARGEST - 1);
        let is_small = || {
            [1, -1]
                .iter()
                .all(|sign| follows(points, largest.plus(sum, *sign)))
        };
        // Of all numbers with its rest one alone may be in the array, and it is.
        (bits.is_none() || is_small()).then_some(sum)
    }

    /// An index without a cast to 64 bits, which changes no address.
    fn widened(&self, id: ExprId) -> ExprId {
        match *self.scope.function.exprs.get(id) {
            Expr::Cast { operand, .. } => {
                let of = |id| self.scalar(id).filter(|scalar| scalar.size() >= 4);
                let is_widening = of(id).is_some_and(|to| to.size() == 8) && of(operand).is_some();
                if is_widening { operand } else { id }
            }
            _ => id,
        }
    }

    /// An integer, as far as it is known.
    pub fn integer(&mut self, id: ExprId) -> Option<Integer> {
        self.left = self.left.checked_sub(1)?;
        let ty = self.scalar(id)?;
        match *self.scope.function.exprs.get(id) {
            Expr::Int { value, .. } if value.abs() < LARGEST => {
                Some(Integer::exact(Affine::constant(value)))
            }
            Expr::Binary { op, lhs, rhs } => self.arithmetic(op, [lhs, rhs], ty),
            Expr::Unary {
                op: UnaryOp::Minus,
                operand,
            } => Some(self.as_type(operand, ty)?.times(-1)),
            Expr::Cast { operand, .. } => self.as_type(operand, ty),
            Expr::Var(_) => self.variable(id, ty),
            _ => None,
        }
    }

    fn as_type(&mut self, id: ExprId, ty: Scalar) -> Option<Integer> {
        let from = self.scalar(id)?;
        self.integer(id)?.converted(from, ty)
    }

    fn variable(&mut self, id: ExprId, ty: Scalar) -> Option<Integer> {
        let var = self.scope.function.exprs.local_var(id)?;
        let mut counted = self.counts.iter().zip(self.counters);
        if let Some((_, counter)) = counted.find(|(count, _)| count.counter == var) {
            return Some(Integer::exact(counter));
        }
        self.as_type(self.fixed(var)?, ty)
    }

    fn arithmetic(&mut self, op: BinaryOp, sides: [ExprId; 2], ty: Scalar) -> Option<Integer> {
        if !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) {
            return None;
        }
        let [x, y] = sides.map(|side| self.as_type(side, ty));
        let (x, y) = (x?, y?);
        let sum = match op {
            BinaryOp::Add => x.sum.plus(y.sum, 1),
            BinaryOp::Sub => x.sum.plus(y.sum, -1),
            _ => match (x.sum.as_constant(), y.sum.as_constant()) {
                (Some(by), _) => y.times(by).sum,
                (_, Some(by)) => x.times(by).sum,
                _ => return None,
            },
        };
        let bits = x.bits.or(y.bits);
        Some(Integer { sum, bits })
    }

    fn scalar(&self, id: ExprId) -> Option<Scalar> {
        let ty = self.scope.function.exprs.ty(id);
        let scalar = self.scope.module.types.as_scalar(ty);
        scalar.filter(|scalar| scalar.is_integer())
    }
}
