//! How often branches are taken: the part of work-items and iterations for which a condition on ids,
//! counters and known numbers holds.

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, UnaryOp};
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::Lowering;
use super::value::Value;
use crate::graph::Made;
use crate::prediction::TripOrigin;

/// The part that a branch on data takes where no run was seen: a guess. Measured: a store for each number that is not 0, of
/// numbers half of which are 0, waits half as long as one for each number (Boyi's SC).
const HALF: f64 = 0.5;
/// The part for which an integer that moves, over a range that is not known, is one number: a guess, as 16 trips are.
const RARE: f64 = 1.0 / 16.0;
/// Values of a remainder from which on it is rarely one of them: a guess.
const FEW: i128 = 4;

impl Lowering<'_> {
    /// The part of work-items and iterations for which a condition holds; where that is not known, half for data, and all for
    /// what guards against ids and counters beyond a bound.
    pub(super) fn part_taken(&self, cond: ExprId) -> f64 {
        let unknown = || if self.is_data(cond) { HALF } else { 1.0 };
        self.part(cond).unwrap_or_else(unknown)
    }

    /// Whether nothing but a guess says how often a condition holds.
    pub(super) fn is_guessed(&self, cond: ExprId) -> bool {
        self.part(cond).is_none() && self.is_data(cond)
    }

    /// Whether what decides a condition is data: it comes from memory, or is computed with floats.
    fn is_data(&self, cond: ExprId) -> bool {
        let function = self.at.function;
        let mut found = false;
        function.exprs.for_each(cond, &mut |id| {
            found |= match function.exprs.get(id) {
                Expr::Index { .. }
                | Expr::Unary {
                    op: UnaryOp::Deref, ..
                } => true,
                Expr::Var(var) => self.is_data_variable(self.env.get(&self.slot(*var))),
                _ => false,
            };
        });
        found
    }

    fn is_data_variable(&self, value: Option<&Value>) -> bool {
        match value {
            Some(Value {
                pointer: Some(_), ..
            })
            | None => false,
            Some(Value {
                poly: Some(poly), ..
            }) => self.is_loaded(poly),
            // A float, or a structure.
            Some(value) => value.node.is_some(),
        }
    }

    /// The part for which it does not hold; 1 where that is not known.
    pub(super) fn part_left(&self, cond: ExprId) -> f64 {
        match self.part_taken(cond) {
            taken if taken < 1.0 => 1.0 - taken,
            _ => 1.0,
        }
    }

    /// Whether a condition that is not decided usually holds: of equal integers no.
    pub(super) fn usually(&self, cond: &Value) -> Option<bool> {
        if cond.usual.is_some() {
            return cond.usual;
        }
        let (op, x, y) = cond.compared.as_ref()?;
        self.rarely_equal(&x.plus(y, -1)).then_some(())?;
        match op {
            BinaryOp::Eq => Some(false),
            BinaryOp::Ne => Some(true),
            _ => None,
        }
    }

    /// The same of two conditions joined: a conjunction usually fails if one of them does, a disjunction usually holds if one
    /// of them does.
    pub(super) fn usually_joined(&self, op: BinaryOp, sides: [&Value; 2]) -> Option<bool> {
        let decides = match op {
            BinaryOp::And => false,
            BinaryOp::Or => true,
            _ => return None,
        };
        match sides.map(|side| self.usually(side)) {
            [Some(a), Some(b)] if a == b => Some(a),
            [a, b] if a.or(b).is_some() => [a, b].contains(&Some(decides)).then_some(decides),
            _ => None,
        }
    }

    /// Whether an integer is 0 only now and then: it differs from iteration to iteration or between work-items, and is
    /// not made of a remainder that has few values.
    fn rarely_equal(&self, difference: &Poly) -> bool {
        let symbols = difference.symbols();
        let moves = |sym: &Sym| self.known.marks.contains(sym) || !self.is_fixed(&Poly::sym(*sym));
        let remainder = |sym: &Sym| match sym {
            Sym::Opaque(number) => match &self.known.opaques[*number].made {
                Some(Made::Remainder(of, by)) => Some((of.clone(), by.as_constant())),
                _ => None,
            },
            _ => None,
        };
        let has_few = |sym: &Sym| {
            let by = remainder(sym).and_then(|(_, by)| by);
            by.is_some_and(|by| by < FEW)
        };
        let wraps =
            |sym: &Sym| remainder(sym).is_some_and(|(of, _)| of.symbols().iter().any(moves));
        let differs = symbols.iter().any(|sym| moves(sym) || wraps(sym));
        differs && !symbols.iter().any(has_few)
    }

    /// Whether a condition asks which work-item of a row it is.
    pub(super) fn picks(&self, cond: ExprId) -> bool {
        let Expr::Binary { op, lhs, rhs } = self.at.function.exprs.get(cond) else {
            return false;
        };
        match op {
            BinaryOp::And | BinaryOp::Or => self.picks(*lhs) || self.picks(*rhs),
            BinaryOp::Eq | BinaryOp::Ne => [lhs, rhs].into_iter().any(|side| {
                let value = self.peek(*side);
                value.is_some_and(|poly| poly.symbols().contains(&Sym::LocalId(0)))
            }),
            _ => false,
        }
    }

    /// As [`Self::part_taken`], if it is known. Parts of a conjunction count as independent.
    fn part(&self, cond: ExprId) -> Option<f64> {
        let (op, lhs, rhs) = match self.at.function.exprs.get(cond) {
            Expr::Binary { op, lhs, rhs } => (op, lhs, rhs),
            Expr::Unary {
                op: UnaryOp::Not,
                operand,
            } => return Some(1.0 - self.part(*operand)?),
            // `if (n)`, of a number of the launch.
            _ => {
                let known = self.exact(&self.peek(cond)?)?;
                return Some(f64::from(u8::from(known != 0.0)));
            }
        };
        match op {
            BinaryOp::And => match (self.part(*lhs), self.part(*rhs)) {
                (Some(a), Some(b)) => Some(a * b),
                (a, b) => a.or(b),
            },
            BinaryOp::Or => Some(1.0 - (1.0 - self.part(*lhs)?) * (1.0 - self.part(*rhs)?)),
            op if op.is_comparison() => {
                let difference = self.peek(*lhs)?.plus(&self.peek(*rhs)?, -1);
                if let Some(range) = self.range(&difference) {
                    return Some(range.part(*op));
                }
                let is_rare = self.rarely_equal(&difference) && !self.is_loaded(&difference);
                match op {
                    BinaryOp::Eq if is_rare => Some(RARE),
                    BinaryOp::Ne if is_rare => Some(1.0 - RARE),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The values that a polynomial takes over all work-items and iterations, if some of them move it and
    /// all else is known.
    fn range(&self, poly: &Poly) -> Option<Range> {
        let mut rest = poly.clone();
        let mut range = Range::default();
        for sym in poly.symbols() {
            let Some(count) = self.count_of(sym)? else {
                continue;
            };
            let factor = self.graph.evaluate(&rest.coefficient(sym)?)?;
            rest = rest.without(sym);
            range.widen(factor, count);
        }
        let start = self.graph.evaluate(&rest)?;
        range.low += start;
        range.high += start;
        let is_known = self.is_fixed(poly);
        (range.step > 0.0 || is_known).then_some(range)
    }

    /// How many values a symbol takes; `Some(None)` if it is one known number, `None` if nothing is known.
    fn count_of(&self, sym: Sym) -> Option<Option<f64>> {
        let known = |sym: Sym| self.graph.values.get(&sym).copied();
        match sym {
            Sym::LocalId(dim) => Some(Some(known(Sym::LocalSize(dim))?)),
            Sym::GroupId(dim) => Some(Some(known(Sym::NumGroups(dim))?)),
            Sym::Iter(region) => {
                let region = &self.graph.regions[region];
                let trip = region.trip;
                // Copies of the body go on by several of the text's iterations at once.
                let count = (trip.value / region.unroll as f64).max(1.0);
                (trip.origin != TripOrigin::Assumed).then_some(Some(count))
            }
            // Over the iterations of the loop that doubles or halves it, the mean stands for it.
            Sym::Opaque(number) if self.known.series.contains_key(&number) => {
                known(sym).map(|_| None)
            }
            Sym::Opaque(number) if !self.known.opaques[number].depends.is_empty() => None,
            other => known(other).map(|_| None),
        }
    }

    /// What an expression of plain variables and ids is, without evaluating anything.
    fn peek(&self, id: ExprId) -> Option<Poly> {
        match self.at.function.exprs.get(id) {
            Expr::Int { value, .. } => Some(Poly::constant(*value)),
            Expr::Var(var) => self.env.get(&self.slot(*var))?.poly.clone(),
            Expr::Cast { operand, .. } => self.peek(*operand),
            Expr::Binary { op, lhs, rhs } => {
                let (a, b) = (self.peek(*lhs)?, self.peek(*rhs)?);
                match op {
                    BinaryOp::Add => Some(a.plus(&b, 1)),
                    BinaryOp::Sub => Some(a.plus(&b, -1)),
                    BinaryOp::Mul => a.times(&b),
                    _ => None,
                }
            }
            Expr::Call { .. } => {
                let query =
                    fpgacc_kernel_analysis::work_item::query(self.module, self.at.function, id)?;
                self.query_poly(query)
            }
            _ => None,
        }
    }
}

/// Values at even distances, all as likely as each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Range {
    low: f64,
    high: f64,
    /// The distance; 0: it is one value.
    step: f64,
}

impl Range {
    /// Adds `factor` times each of so many numbers from 0 on.
    fn widen(&mut self, factor: f64, count: f64) {
        let reach = factor * (count - 1.0);
        if reach == 0.0 {
            return;
        }
        self.low += reach.min(0.0);
        self.high += reach.max(0.0);
        self.step = match self.step == 0.0 {
            true => factor.abs(),
            false => self.step.min(factor.abs()),
        };
    }

    /// The part of the values that compare so with 0.
    fn part(self, op: BinaryOp) -> f64 {
        if self.step == 0.0 {
            let holds = match op {
                BinaryOp::Lt => self.low < 0.0,
                BinaryOp::Le => self.low <= 0.0,
                BinaryOp::Gt => self.low > 0.0,
                BinaryOp::Ge => self.low >= 0.0,
                BinaryOp::Eq => self.low == 0.0,
                _ => self.low != 0.0,
            };
            return f64::from(u8::from(holds));
        }
        let all = (self.high - self.low) / self.step + 1.0;
        let below = |bound: f64| ((bound - self.low) / self.step).ceil().clamp(0.0, all) / all;
        let meets = self.low <= 0.0 && self.high >= 0.0;
        let equal = if meets { 1.0 / all } else { 0.0 };
        match op {
            BinaryOp::Lt => below(0.0),
            BinaryOp::Le => below(1.0),
            BinaryOp::Gt => 1.0 - below(1.0),
            BinaryOp::Ge => 1.0 - below(0.0),
            BinaryOp::Eq => equal,
            _ => 1.0 - equal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_ranges_are_counted() {
        // Ids below 10, compared with 4: `id - 4`.
        let mut ids = Range::default();
        ids.widen(1.0, 10.0);
        (ids.low, ids.high) = (ids.low - 4.0, ids.high - 4.0);
        assert_eq!(ids.part(BinaryOp::Lt), 0.4);
        assert_eq!(ids.part(BinaryOp::Le), 0.5);
        assert_eq!(ids.part(BinaryOp::Gt), 0.5);
        assert_eq!(ids.part(BinaryOp::Ge), 0.6);
        assert_eq!(ids.part(BinaryOp::Eq), 0.1);
        assert_eq!(ids.part(BinaryOp::Ne), 0.9);
        // Groups of 10 beside each other: all ids below 100, compared with 100.
        ids.widen(10.0, 10.0);
        (ids.low, ids.high) = (ids.low - 96.0, ids.high - 96.0);
        assert_eq!((ids.low, ids.high, ids.step), (-100.0, -1.0, 1.0));
        assert_eq!(ids.part(BinaryOp::Lt), 1.0);
        assert_eq!(ids.part(BinaryOp::Eq), 0.0);
    }
}
