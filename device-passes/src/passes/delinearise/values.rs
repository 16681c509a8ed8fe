//! What a loop's body computes of its counter: sums of the counters of a nest whose remainder is in a range.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, Function, Module, Scalar, TypeId, UnaryOp, VarId, VarRef,
};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use fpgacc_kernel_analysis::trip_count::{Constants, integer_range};

/// The row: the quotient.
pub const ROW: Sym = Sym::Iter(0);
/// The element of the row: the remainder.
pub const COLUMN: Sym = Sym::Iter(1);
/// The counter of the outer of two loops that count as one.
pub const OUTER: Sym = Sym::GroupId(0);
/// The counter of the inner.
pub const INNER: Sym = Sym::LocalId(0);

/// From the first to the last of some numbers.
pub type Interval = (i128, i128);

/// The iterations of a loop, as those of a nest.
#[derive(Clone, Debug)]
pub struct Nest {
    /// Elements of a row.
    pub width: i128,
    /// Rows, the last of which may be cut.
    pub rows: i128,
    /// Of two loops that count as one, iterations of the outer and of the inner.
    pub pair: Option<(i128, i128)>,
    /// The values of the counters of loops around.
    pub around: Vec<(VarId, Interval)>,
}

impl Nest {
    /// The iteration of the loop, as the nest counts it. Rows of one element are the iterations.
    pub fn flat(&self) -> Poly {
        if self.width == 1 {
            return Poly::sym(ROW);
        }
        let rows = Poly::default().plus(&Poly::sym(ROW), self.width);
        rows.plus(&Poly::sym(COLUMN), 1)
    }

    /// A sum in which two loops count as one wherever it holds both of their counters.
    fn joined(&self, poly: Poly) -> Poly {
        let Some((_, inner)) = self.pair else {
            return poly;
        };
        let by = |sym| poly.coefficient(sym).and_then(|by| by.as_constant());
        match (by(OUTER), by(INNER)) {
            (Some(outer), Some(by)) if by != 0 && outer == by * inner => {
                poly.without(OUTER).without(INNER).plus(&self.flat(), by)
            }
            _ => poly,
        }
    }
}

/// What is known where the remainder is in a range.
#[derive(Clone, Debug)]
pub struct Case {
    /// The range of the remainder.
    pub column: Interval,
    /// The values of variables.
    pub known: BTreeMap<VarId, Poly>,
}

/// Follows integers.
pub struct Values<'a> {
    /// The program.
    pub module: &'a Module,
    /// The function.
    pub function: &'a Function,
    /// Constants.
    pub constants: &'a Constants<'a>,
    /// The nest.
    pub nest: &'a Nest,
}

impl Values<'_> {
    /// The integer type of an expression or variable.
    pub fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        let scalar = self.module.types.as_scalar(ty)?;
        (scalar.is_integer() && scalar != Scalar::Bool).then_some(scalar)
    }

    /// The numbers between which a sum is; `None`: it is no sum of known counters.
    pub fn range(&self, case: &Case, poly: &Poly) -> Option<Interval> {
        let mut range = (0, 0);
        for (symbols, by) in poly.terms() {
            let (low, high) = match symbols {
                [] => (1, 1),
                [only] => self.of_counter(case, *only)?,
                _ => return None,
            };
            let (x, y) = (by.checked_mul(low)?, by.checked_mul(high)?);
            range = (range.0 + x.min(y), range.1 + x.max(y));
        }
        Some(range)
    }

    fn of_counter(&self, case: &Case, sym: Sym) -> Option<Interval> {
        let up_to = |count: i128| (0, count - 1);
        match sym {
            ROW => Some(up_to(self.nest.rows)),
            COLUMN => Some(case.column),
            OUTER => self.nest.pair.map(|(outer, _)| up_to(outer)),
            INNER => self.nest.pair.map(|(_, inner)| up_to(inner)),
            Sym::Opaque(at) => self.nest.around.get(at).map(|(_, values)| *values),
            _ => None,
        }
    }

    /// A sum, if all of its values are numbers of a type.
    pub fn fitting(&self, case: &Case, poly: Poly, ty: TypeId) -> Option<Poly> {
        let all = integer_range(self.scalar(ty)?)?;
        let (low, high) = self.range(case, &poly)?;
        (all.contains(&low) && all.contains(&high)).then_some(poly)
    }

    /// An integer expression; `None` unless its value is exactly this sum, without wrapping on the way.
    pub fn number(&self, case: &Case, id: ExprId) -> Option<Poly> {
        let exprs = &self.function.exprs;
        let ty = exprs.ty(id);
        self.scalar(ty)?;
        let poly = match *exprs.get(id) {
            Expr::Int { value, .. } => Poly::constant(value),
            Expr::Var(VarRef::Local(var)) => match case.known.get(&var) {
                Some(poly) => poly.clone(),
                None => match self.around(var) {
                    Some(at) => Poly::sym(Sym::Opaque(at)),
                    None => Poly::constant(self.constants.value(id)?),
                },
            },
            Expr::Unary {
                op: op @ (UnaryOp::Plus | UnaryOp::Minus),
                operand,
            } => {
                let value = self.number(case, operand)?;
                match op {
                    UnaryOp::Minus => Poly::default().plus(&value, -1),
                    _ => value,
                }
            }
            Expr::Cast { operand, .. } => self.number(case, operand)?,
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => match self.truth(case, cond)? {
                true => self.number(case, then)?,
                false => self.number(case, otherwise)?,
            },
            Expr::Binary { op, lhs, rhs } => self.binary(case, ty, (op, lhs, rhs))?,
            _ => Poly::constant(self.constants.value(id)?),
        };
        self.fitting(case, self.nest.joined(poly), ty)
    }

    fn around(&self, var: VarId) -> Option<usize> {
        let mut around = self.nest.around.iter();
        around.position(|(counter, _)| *counter == var)
    }

    fn binary(
        &self,
        case: &Case,
        ty: TypeId,
        (op, lhs, rhs): (BinaryOp, ExprId, ExprId),
    ) -> Option<Poly> {
        // Operands become numbers of the result's type first.
        let operand = |id| self.fitting(case, self.number(case, id)?, ty);
        match op {
            BinaryOp::Add => Some(operand(lhs)?.plus(&operand(rhs)?, 1)),
            BinaryOp::Sub => Some(operand(lhs)?.plus(&operand(rhs)?, -1)),
            BinaryOp::Mul => operand(lhs)?.times(&operand(rhs)?),
            _ => {
                let (by, is_quotient) = self.divisor((op, rhs))?;
                let (quotient, rest) = self.divided(case, &operand(lhs)?, by)?;
                Some(if is_quotient { quotient } else { rest })
            }
        }
    }

    /// What an operator divides numbers by that are not negative, and whether it gives the quotient.
    pub fn divisor(&self, (op, rhs): (BinaryOp, ExprId)) -> Option<(i128, bool)> {
        let by = self.constants.value(rhs)?;
        let (by, is_quotient) = match op {
            BinaryOp::Div => (by, true),
            BinaryOp::Rem => (by, false),
            BinaryOp::Shr if (0..31).contains(&by) => (1 << by, true),
            BinaryOp::BitAnd if (by + 1).count_ones() == 1 => (by + 1, false),
            _ => return None,
        };
        (by > 0).then_some((by, is_quotient))
    }

    /// The quotient and the remainder of a sum by a number.
    fn divided(&self, case: &Case, poly: &Poly, by: i128) -> Option<(Poly, Poly)> {
        if self.range(case, poly)?.0 < 0 {
            return None;
        }
        let (mut quotient, mut rest) = (Poly::default(), Poly::default());
        for (symbols, factor) in poly.terms() {
            let term = symbols.iter().try_fold(Poly::constant(1), |product, sym| {
                product.times(&Poly::sym(*sym))
            })?;
            match factor % by == 0 && !symbols.is_empty() {
                true => quotient = quotient.plus(&term, factor / by),
                false => rest = rest.plus(&term, factor),
            }
        }
        let (low, high) = self.range(case, &rest)?;
        let whole = low.div_euclid(by);
        let is_lost = self.nest.width > 1 && faults::is_on("delinearise-border-lost");
        (whole == high.div_euclid(by) || is_lost).then(|| {
            let constant = Poly::constant(1);
            (
                quotient.plus(&constant, whole),
                rest.plus(&constant, -whole * by),
            )
        })
    }

    /// Whether a condition holds, if it holds for all or for none.
    pub fn truth(&self, case: &Case, cond: ExprId) -> Option<bool> {
        let exprs = &self.function.exprs;
        match *exprs.get(cond) {
            Expr::Unary {
                op: UnaryOp::Not,
                operand,
            } => self.truth(case, operand).map(|truth| !truth),
            Expr::Binary {
                op: op @ (BinaryOp::And | BinaryOp::Or),
                lhs,
                rhs,
            } => {
                let decides = op == BinaryOp::Or;
                match self.truth(case, lhs)? == decides {
                    true => Some(decides),
                    false => self.truth(case, rhs),
                }
            }
            Expr::Binary { op, lhs, rhs } if op.is_comparison() => {
                let (low, high) = self.difference(case, lhs, rhs)?;
                compared(op, low, high)
            }
            _ => {
                let number = self.number(case, cond)?;
                let (low, high) = self.range(case, &number)?;
                compared(BinaryOp::Ne, low, high)
            }
        }
    }

    /// Between which numbers the difference of two is that are compared.
    fn difference(&self, case: &Case, lhs: ExprId, rhs: ExprId) -> Option<Interval> {
        let (left, right) = self.pair(case, lhs, rhs)?;
        self.range(case, &left.plus(&right, -1))
    }

    /// Two numbers that are compared, as they are.
    pub fn pair(&self, case: &Case, lhs: ExprId, rhs: ExprId) -> Option<(Poly, Poly)> {
        let exprs = &self.function.exprs;
        let (left, right) = (self.number(case, lhs)?, self.number(case, rhs)?);
        let is_unsigned = |id| {
            let scalar = self.scalar(exprs.ty(id));
            scalar.is_some_and(|scalar| !scalar.is_signed_integer() && scalar.size() >= 4)
        };
        // One that is negative becomes a large one beside one without sign.
        if is_unsigned(lhs) || is_unsigned(rhs) {
            let low = self.range(case, &left)?.0.min(self.range(case, &right)?.0);
            return (low >= 0).then_some((left, right));
        }
        Some((left, right))
    }
}

/// What a comparison with 0 gives for all numbers of a range, if that is one thing.
fn compared(op: BinaryOp, low: i128, high: i128) -> Option<bool> {
    let (holds, fails) = match op {
        BinaryOp::Lt => (high < 0, low >= 0),
        BinaryOp::Le => (high <= 0, low > 0),
        BinaryOp::Gt => (low > 0, high <= 0),
        BinaryOp::Ge => (low >= 0, high < 0),
        BinaryOp::Eq => (low == 0 && high == 0, low > 0 || high < 0),
        BinaryOp::Ne => (low > 0 || high < 0, low == 0 && high == 0),
        _ => return None,
    };
    (holds || fails).then_some(holds)
}
