//! The element of an array that an lvalue is, also where rows are used by turns.
//!
//! `s[i & 1][j]` and `s[(i % 2) * 65 + j]` are elements of row `i` of a table of which two rows are kept: which one, and
//! where in it, is known apart from each other.

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, UnaryOp, VarId};
use fpgacc_kernel_analysis::independence::indexed;
use fpgacc_kernel_analysis::location::Refusal;

use super::nest::Scope;
use super::space::{Affine, follows};
use super::values::Values;

/// The most rows that are used by turns.
const MOST_ROWS: i128 = 4;

/// A row of which only some are kept, the others are written over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rolling {
    /// Its number.
    pub row: Affine,
    /// How many there are.
    pub rows: i128,
    /// How far they are apart, in elements; 0: there is one.
    pub stride: i128,
}

impl Rolling {
    /// The only row, which each step writes over.
    pub const ONE: Self = Rolling {
        row: Affine::TIME,
        rows: 1,
        stride: 0,
    };

    /// Whether elements so far from its first are its own, at all points that fulfil something.
    pub fn holds(self, at: Affine, known: &[Affine]) -> bool {
        let last = Affine::constant(self.stride.abs() - 1);
        self.stride == 0 || follows(known, at) && follows(known, last.plus(at, -1))
    }

    fn times(self, by: i128) -> Self {
        let stride = self.stride * by;
        Rolling { stride, ..self }
    }

    /// The row after it.
    fn next(self) -> Self {
        let row = self.row.plus(Affine::constant(1), 1);
        Rolling { row, ..self }
    }
}

/// A sum, and what is added for the row.
#[derive(Clone, Copy, Debug)]
pub struct Index {
    /// Without the row.
    pub sum: Affine,
    /// The row.
    pub rolling: Option<Rolling>,
}

impl Index {
    fn plain(sum: Affine) -> Self {
        let rolling = None;
        Index { sum, rolling }
    }

    fn times(self, by: i128) -> Self {
        Index {
            sum: Affine::constant(0).plus(self.sum, by),
            rolling: self.rolling.map(|rolling| rolling.times(by)),
        }
    }

    fn plus(self, other: Self) -> Option<Self> {
        if self.rolling.is_some() && other.rolling.is_some() {
            return None;
        }
        Some(Index {
            sum: self.sum.plus(other.sum, 1),
            rolling: self.rolling.or(other.rolling),
        })
    }

    /// What is subtracted: `1 - (i & 1)` is the other of two rows.
    fn negated(self) -> Option<Self> {
        match self.rolling {
            None => Some(self.times(-1)),
            Some(rolling) if rolling.rows == 2 => Some(Index {
                sum: Affine::constant(-rolling.stride).plus(self.sum, -1),
                rolling: Some(rolling.next()),
            }),
            Some(_) => None,
        }
    }

    /// The other of two rows.
    fn flipped(self) -> Option<Self> {
        let is_row = self.sum == Affine::constant(0);
        let rolling = self
            .rolling
            .filter(|rolling| is_row && rolling.rows == 2 && rolling.stride == 1)?;
        Some(Index {
            sum: self.sum,
            rolling: Some(rolling.next()),
        })
    }

    /// What it is, if there is no row.
    pub fn plain_sum(self) -> Option<Affine> {
        self.rolling.is_none().then_some(self.sum)
    }

    /// Whether it is the same as another one at all points that fulfil something.
    pub fn is_same(self, other: Self, known: &[Affine]) -> bool {
        let apart = self.sum.plus(other.sum, -1);
        let is_zero = || follows(known, apart) && follows(known, apart.negated_sum());
        self.rolling == other.rolling && is_zero()
    }

    /// What it is in the step before the first, of each lane.
    fn before_first(self) -> Affine {
        let before = |sum: Affine| sum.over(Affine::constant(-1), Affine::LANE);
        let sum = before(self.sum);
        let row = self.rolling.map_or(0, |rolling| {
            rolling.stride * before(rolling.row).constant.rem_euclid(rolling.rows)
        });
        sum.plus(Affine::constant(row), 1)
    }
}

/// An element.
pub struct Element {
    /// Counted from the first one of the array.
    pub at: Index,
    /// The indices of the one that the same expression is in the step before the first.
    pub before_first: Vec<Affine>,
}

/// What is looked at to know an index.
pub struct Elements<'e, 'a> {
    pub scope: &'a Scope<'a>,
    pub values: &'e mut Values<'a>,
    /// What bounds all times and lanes.
    pub area: &'e [Affine],
}

impl Elements<'_, '_> {
    /// The element of an array that an lvalue is.
    pub fn element(&mut self, array: VarId, at: ExprId) -> Result<Element, Refusal> {
        let function = self.scope.function;
        let unknown = || Refusal {
            reason: "indices are not sums of multiples of the counters".to_string(),
            also: Some((at, "here")),
        };
        let is_whole = matches!(function.exprs.get(at), Expr::Index { .. });
        let found = indexed(self.scope.aliases, at).filter(|_| is_whole);
        let (_, own) = found
            .filter(|(found, _)| *found == array)
            .ok_or_else(unknown)?;
        let mut ty = function.vars[array].ty.ty;
        let mut at = Index::plain(Affine::constant(0));
        let mut before_first = Vec::new();
        for index in own {
            let (inner, len) = self.scope.module.types.as_array(ty).ok_or_else(unknown)?;
            let index = self.index(index).ok_or_else(unknown)?;
            let outer = at.times(i128::from(len.unwrap_or(0)));
            at = outer.plus(index).ok_or_else(unknown)?;
            before_first.push(index.before_first());
            ty = inner.ty;
        }
        match self.scope.module.types.component(ty) {
            Some(_) => Ok(Element { at, before_first }),
            None => Err(Refusal {
                reason: "elements are arrays or structures".to_string(),
                also: None,
            }),
        }
    }

    fn index(&mut self, id: ExprId) -> Option<Index> {
        if let Some(sum) = self.values.index(id, self.area) {
            return Some(Index::plain(sum));
        }
        let exprs = &self.scope.function.exprs;
        match *exprs.get(id) {
            Expr::Binary { op, lhs, rhs } => self.binary(op, lhs, rhs),
            Expr::Unary {
                op: UnaryOp::Not,
                operand,
            } => self.index(operand)?.flipped(),
            Expr::Cast { operand, .. } if self.is_wide(id) && self.is_wide(operand) => {
                self.index(operand)
            }
            Expr::Var(_) => {
                let var = exprs.local_var(id)?;
                let value = self.values.fixed(var)?;
                let is_wide = self.is_wide(id) && self.is_wide(value);
                is_wide.then(|| self.index(value))?
            }
            _ => None,
        }
    }

    fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Option<Index> {
        match op {
            BinaryOp::BitAnd => {
                let (mask, of) = self.with_constant(lhs, rhs)?;
                let row = self.values.integer(of)?.sum;
                let rows = mask.checked_add(1)?;
                let is_mask = rows > 0 && rows & mask == 0;
                rolling(row, rows).filter(|_| is_mask)
            }
            BinaryOp::Rem => {
                let rows = self.constant(rhs)?;
                let row = self.values.index(lhs, self.area)?;
                rolling(row, rows).filter(|_| follows(self.area, row))
            }
            BinaryOp::BitXor => {
                let (one, of) = self.with_constant(lhs, rhs)?;
                (one == 1).then(|| self.index(of))??.flipped()
            }
            BinaryOp::Add => {
                let (lhs, rhs) = (self.index(lhs)?, self.index(rhs)?);
                lhs.plus(rhs)
            }
            BinaryOp::Sub => {
                let (lhs, rhs) = (self.index(lhs)?, self.index(rhs)?.negated()?);
                lhs.plus(rhs)
            }
            BinaryOp::Mul => {
                let (by, of) = self.with_constant(lhs, rhs)?;
                Some(self.index(of)?.times(by))
            }
            _ => None,
        }
    }

    /// Which of two operands is a constant, its value first.
    fn with_constant(&mut self, lhs: ExprId, rhs: ExprId) -> Option<(i128, ExprId)> {
        if let Some(value) = self.constant(lhs) {
            return Some((value, rhs));
        }
        Some((self.constant(rhs)?, lhs))
    }

    fn constant(&mut self, id: ExprId) -> Option<i128> {
        self.values.integer(id)?.sum.as_constant()
    }

    /// Whether an expression is an integer that no index makes narrower.
    fn is_wide(&self, id: ExprId) -> bool {
        let ty = self.scope.function.exprs.ty(id);
        let scalar = self.scope.module.types.as_scalar(ty);
        scalar.is_some_and(|scalar| scalar.is_integer() && scalar.size() >= 4)
    }
}

/// The row of a number, of so many.
fn rolling(row: Affine, rows: i128) -> Option<Index> {
    let is_known = row.lane == 0 && row.time != 0 && (2..=MOST_ROWS).contains(&rows);
    let stride = 1;
    is_known.then_some(Index {
        sum: Affine::constant(0),
        rolling: Some(Rolling { row, rows, stride }),
    })
}
