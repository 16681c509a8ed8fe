//! Products, quotients and comparisons of integers that are followed.

use fpgacc_frontend::ir::{BinaryOp, Scalar};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::value::Value;
use super::{Lowering, ops};
use crate::board::Operator;
use crate::graph::Made;

impl<'a> Lowering<'a> {
    /// Products, quotients, shifts and comparisons of integers that are followed.
    pub(super) fn fold(
        &mut self,
        op: BinaryOp,
        x: &Value,
        y: &Value,
        scalar: Scalar,
        span: Option<Span>,
    ) -> Option<Value> {
        let (a, b) = (x.poly.as_ref()?, y.poly.as_ref()?);
        let poly = match (op, a.as_constant(), b.as_constant()) {
            (BinaryOp::Mul, _, _) => a.times(b)?,
            (BinaryOp::Shl, _, Some(by @ 0..=31)) => a.times(&Poly::constant(1 << by))?,
            (BinaryOp::Div, Some(p), Some(q)) if q != 0 => Poly::constant(p / q),
            (BinaryOp::Rem, Some(p), Some(q)) if q != 0 => Poly::constant(p % q),
            (BinaryOp::Shr, Some(p), Some(q @ 0..=63)) => Poly::constant(p >> q),
            (BinaryOp::BitAnd, Some(p), Some(q)) => Poly::constant(p & q),
            (BinaryOp::BitOr, Some(p), Some(q)) => Poly::constant(p | q),
            (BinaryOp::Lt, Some(p), Some(q)) => Poly::constant(i128::from(p < q)),
            (BinaryOp::Le, Some(p), Some(q)) => Poly::constant(i128::from(p <= q)),
            (BinaryOp::Gt, Some(p), Some(q)) => Poly::constant(i128::from(p > q)),
            (BinaryOp::Ge, Some(p), Some(q)) => Poly::constant(i128::from(p >= q)),
            (BinaryOp::Eq, Some(p), Some(q)) => Poly::constant(i128::from(p == q)),
            (BinaryOp::Ne, Some(p), Some(q)) => Poly::constant(i128::from(p != q)),
            (BinaryOp::Div | BinaryOp::Rem, None, Some(q)) if divides(a, q).is_some() => {
                let (quotient, rest) = divides(a, q)?;
                match op {
                    BinaryOp::Div => quotient,
                    _ => Poly::constant(rest),
                }
            }
            (BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shr, None, Some(q)) if q > 0 => {
                return self.scaled_down(op, x, y, q, scalar, span);
            }
            _ => return None,
        };
        if let Some(value) = poly.as_constant() {
            return Some(Value::integer(Poly::constant(value)));
        }
        let (operator, what) = self.cheap(op, a, b, scalar);
        let mut value = self.compute(operator, what, &[x.clone(), y.clone()], span);
        value.poly = Some(poly);
        Some(value)
    }

    /// Multiplying by a power of two is no operation, and by another constant a few additions, which take no
    /// multiplier block.
    fn cheap(&self, op: BinaryOp, a: &Poly, b: &Poly, scalar: Scalar) -> (Operator, &'static str) {
        let is_power = |poly: &Poly| {
            let value = poly.as_constant().unwrap_or(0);
            value > 0 && value & (value - 1) == 0
        };
        if op == BinaryOp::Shl || is_power(a) || is_power(b) {
            return (Operator::default(), "shift");
        }
        match a.as_constant().or(b.as_constant()) {
            Some(factor) if op == BinaryOp::Mul => {
                let add = ops::binary(self.table, BinaryOp::Add, scalar).0;
                (ops::sum_of(add, digits(factor)), "multiplication")
            }
            _ => ops::binary(self.table, op, scalar),
        }
    }

    /// A quotient or remainder by a constant: its value is known where the dividend's is. By a power of two it is
    /// no division: a remainder is a mask, of a signed number after an addition.
    fn scaled_down(
        &mut self,
        op: BinaryOp,
        x: &Value,
        y: &Value,
        by: i128,
        scalar: Scalar,
        span: Option<Span>,
    ) -> Option<Value> {
        let is_power = op == BinaryOp::Shr || by & (by - 1) == 0;
        let masked = match scalar.is_signed_integer() {
            true => BinaryOp::Sub,
            false => BinaryOp::BitAnd,
        };
        let (operator, what) = match (is_power, op) {
            (true, BinaryOp::Rem) => ops::binary(self.table, masked, scalar),
            (true, _) => (Operator::default(), "division"),
            (false, _) => ops::binary(self.table, op, scalar),
        };
        let poly = x.poly.as_ref()?;
        let mut value = self.compute(operator, what, &[x.clone(), y.clone()], span);
        let of = (poly.clone(), y.poly.clone()?);
        self.number(op, scalar, of, &mut value);
        Some(value)
    }

    /// Gives the result of an operation that is not followed the name that the same operation on the
    /// same integers got before: addresses made of it can then be compared.
    pub(super) fn number(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        of: (Poly, Poly),
        value: &mut Value,
    ) {
        let Some(poly) = value.poly.clone() else {
            return;
        };
        let known = self.known.numbered.entry(of.clone()).or_default();
        match known.iter().find(|(o, s, _)| *o == op && *s == scalar) {
            Some((.., same)) => value.poly = Some(same.clone()),
            None => known.push((op, scalar, poly)),
        }
        self.trace(op, of, value);
    }

    /// Notes how such a result is made, and what it is at this launch, or on average.
    fn trace(&mut self, op: BinaryOp, (a, b): (Poly, Poly), value: &Value) {
        let power = |mask: &Poly| {
            let all = mask.as_constant()?.checked_add(1)?;
            (all > 1 && all & (all - 1) == 0).then(|| Poly::constant(all))
        };
        let made = match op {
            BinaryOp::Div => Made::Quotient(a, b),
            BinaryOp::Shr => match b.as_constant() {
                Some(by @ 0..=62) => Made::Quotient(a, Poly::constant(1 << by)),
                _ => return,
            },
            BinaryOp::Rem => Made::Remainder(a, b),
            BinaryOp::BitAnd => match (power(&a), power(&b)) {
                (_, Some(by)) => Made::Remainder(a, by),
                (Some(by), _) => Made::Remainder(b, by),
                _ => match (a.as_constant(), b.as_constant()) {
                    // The last bits are cleared.
                    (_, Some(mask)) if mask < 0 => Made::Near(vec![a]),
                    (Some(mask), _) if mask < 0 => Made::Near(vec![b]),
                    _ => return,
                },
            },
            _ => return,
        };
        let at = match &made {
            Made::Quotient(of, by) => {
                let by = self.graph.evaluate(by).filter(|by| *by != 0.0);
                by.and_then(|by| Some((self.graph.evaluate(of)? / by).floor()))
            }
            Made::Remainder(of, by) => {
                let by = self.exact(by).filter(|by| *by != 0.0);
                by.map(|by| match self.exact(of) {
                    Some(of) => of % by,
                    None => (by - 1.0) / 2.0,
                })
            }
            _ => None,
        };
        if let (Some(at), Some(sym)) = (at, super::sole_symbol(value)) {
            self.graph.set_value(sym, at);
        }
        self.note_made(value, made);
    }
}

/// The quotient and the remainder of a multiple of a number and a constant: of a counter that a loop unrolled by 8 steps,
/// and of its copies.
fn divides(poly: &Poly, by: i128) -> Option<(Poly, i128)> {
    let (moves, constant) = poly.split_constant();
    // None of these is below 0.
    let counts = |sym: &Sym| matches!(sym, Sym::Iter(_) | Sym::LocalId(_) | Sym::GroupId(_));
    let is_multiple = |(symbols, factor): (&[Sym], i128)| {
        factor > 0 && factor % by == 0 && symbols.iter().all(counts)
    };
    if by <= 1 || constant < 0 || !moves.terms().all(is_multiple) {
        return None;
    }
    let mut quotient = Poly::constant(constant / by);
    for (symbols, factor) in moves.terms() {
        let mut term = Poly::constant(factor / by);
        for sym in symbols {
            term = term.times(&Poly::sym(*sym))?;
        }
        quotient = quotient.plus(&term, 1);
    }
    Some((quotient, constant % by))
}

/// The fewest powers of two that a number is the sum or difference of (its canonical signed digits).
fn digits(value: i128) -> u32 {
    let value = value.unsigned_abs();
    (value ^ (value.saturating_mul(3))).count_ones()
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn a_factor_is_a_sum_of_few_powers_of_two() {
        // 66 = 64 + 2, 129 = 128 + 1, 25 = 32 - 8 + 1, 7 = 8 - 1.
        assert_eq!([66, 129, 25, -7, 8, 0].map(digits), [2, 2, 3, 2, 1, 0]);
    }
}
