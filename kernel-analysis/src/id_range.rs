//! Between which numbers expressions of ids lie, where the launches' sizes are known, and which conditions
//! these decide.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, Function, Module, Qualifiers, TypeId, UnaryOp, VarId, VarRef,
};
use fpgacc_runtime::guard::Fact;

use super::geometry::{Geometry, LocalGeometry};
use super::trip_count::{Constants, integer_range};
use super::work_item::{Dim, Quantity, query};

/// Variables that stand for others are followed so far.
const MOST_DEPTH: u32 = 8;

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

    fn new(low: i128, high: i128) -> Self {
        Interval { low, high }
    }

    /// Sums of numbers of two intervals.
    pub fn plus(self, other: Self) -> Option<Self> {
        let low = self.low.checked_add(other.low)?;
        Some(Interval::new(low, self.high.checked_add(other.high)?))
    }

    fn minus(self, other: Self) -> Option<Self> {
        let low = self.low.checked_sub(other.high)?;
        Some(Interval::new(low, self.high.checked_sub(other.low)?))
    }

    /// Of numbers that are not negative.
    fn times(self, other: Self) -> Option<Self> {
        let low = self.low.checked_mul(other.low)?;
        let high = self.high.checked_mul(other.high)?;
        (self.low >= 0 && other.low >= 0).then_some(Interval::new(low, high))
    }

    /// Of numbers that are not negative, by positive ones.
    fn over(self, other: Self) -> Option<Self> {
        let is_natural = self.low >= 0 && other.low > 0;
        is_natural.then(|| Interval::new(self.low / other.high, self.high / other.low))
    }

    fn modulo(self, other: Self) -> Option<Self> {
        let is_natural = self.low >= 0 && other.low > 0;
        let high = self.high.min(other.high - 1);
        is_natural.then(|| Interval::new(0, high))
    }

    fn compare(self, op: BinaryOp, other: Self) -> Option<bool> {
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
}

/// What facts something relies on.
pub type Relied = BTreeSet<Fact>;

/// The intervals of a kernel's expressions.
pub struct Ranges<'a> {
    /// The module.
    pub module: &'a Module,
    /// The kernel.
    pub function: &'a Function,
    /// Its constants.
    pub constants: Constants<'a>,
    /// Its launches.
    pub geometry: &'a Geometry,
}

/// A variable that has other values than its declaration says.
pub type Known = Option<(VarId, Interval)>;

impl Ranges<'_> {
    /// Whether a condition holds for all work-items, or for none. `known`: where a variable lies then.
    pub fn decide(&self, cond: ExprId, known: Known, relied: &mut Relied) -> Option<bool> {
        let mut own = Relied::new();
        let decided = self.decide_here(cond, known, &mut own)?;
        relied.extend(own);
        Some(decided)
    }

    fn decide_here(&self, cond: ExprId, known: Known, relied: &mut Relied) -> Option<bool> {
        match self.function.exprs.get(cond) {
            Expr::Binary {
                op: op @ (BinaryOp::And | BinaryOp::Or),
                lhs,
                rhs,
            } => {
                // `false && ..`, `true || ..`
                let ends = *op == BinaryOp::Or;
                let (mut of_lhs, mut of_rhs) = (Relied::new(), Relied::new());
                let left = self.decide_here(*lhs, known, &mut of_lhs);
                let right = self.decide_here(*rhs, known, &mut of_rhs);
                if left == Some(ends) {
                    relied.extend(of_lhs);
                    return left;
                }
                relied.extend(of_rhs);
                if right == Some(ends) {
                    return right;
                }
                relied.extend(of_lhs);
                left.and(right)
            }
            Expr::Unary {
                op: UnaryOp::Not,
                operand,
            } => self.decide_here(*operand, known, relied).map(|it| !it),
            Expr::Binary { op, lhs, rhs } if op.is_comparison() => {
                let sides = [*lhs, *rhs].map(|side| self.interval(side, known, relied));
                let [Some(left), Some(right)] = sides else {
                    return None;
                };
                // Beside an unsigned number a negative one is a large one.
                let is_natural = left.low >= 0 && right.low >= 0;
                let are_signed = [*lhs, *rhs].iter().all(|side| self.is_signed(*side));
                let compared = (is_natural || are_signed).then(|| left.compare(*op, right));
                compared.flatten()
            }
            _ => {
                let value = self.interval(cond, known, relied)?;
                value.compare(BinaryOp::Ne, Interval::of(0))
            }
        }
    }

    fn is_signed(&self, id: ExprId) -> bool {
        let scalar = self.module.types.as_scalar(self.function.exprs.ty(id));
        scalar.is_some_and(|scalar| scalar.is_signed_integer() || scalar.size() < 4)
    }

    /// Where a value lies, if nothing wraps around on the way to it.
    pub fn interval(&self, id: ExprId, known: Known, relied: &mut Relied) -> Option<Interval> {
        self.deep(id, known, relied, MOST_DEPTH)
    }

    fn deep(&self, id: ExprId, known: Known, relied: &mut Relied, depth: u32) -> Option<Interval> {
        let exprs = &self.function.exprs;
        if let Some(value) = self.constants.value(id) {
            return Some(Interval::of(value));
        }
        let found = match exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => match known {
                Some((known, value)) if known == *var => value,
                _ => self.variable(*var, relied, depth.checked_sub(1)?)?,
            },
            Expr::Cast { operand, .. } => self.deep(*operand, known, relied, depth)?,
            Expr::Binary { op, lhs, rhs } => {
                let mut side = |id| self.deep(id, known, relied, depth);
                let (left, right) = (side(*lhs)?, side(*rhs)?);
                if !self.fits(id, left) || !self.fits(id, right) {
                    return None;
                }
                match op {
                    BinaryOp::Add => left.plus(right)?,
                    BinaryOp::Sub => left.minus(right)?,
                    BinaryOp::Mul => left.times(right)?,
                    BinaryOp::Div => left.over(right)?,
                    BinaryOp::Rem => left.modulo(right)?,
                    _ => return None,
                }
            }
            _ => self.query(id, relied)?,
        };
        self.fits(id, found).then_some(found)
    }

    fn fits(&self, id: ExprId, value: Interval) -> bool {
        self.fits_type(self.function.exprs.ty(id), value)
    }

    fn fits_type(&self, ty: TypeId, value: Interval) -> bool {
        let scalar = self.module.types.as_scalar(ty);
        let range = scalar.and_then(integer_range);
        range.is_some_and(|range| range.contains(&value.low) && range.contains(&value.high))
    }

    /// Whether a variable of its type holds these numbers.
    pub fn holds(&self, var: VarId, value: Interval) -> bool {
        self.fits_type(self.function.vars[var].ty.ty, value)
    }

    /// A variable that stays what it is declared to be, at whatever time that was.
    fn variable(&self, var: VarId, relied: &mut Relied, depth: u32) -> Option<Interval> {
        let quals = self.function.vars[var].ty.quals;
        let value = self.constants.initialiser(var)?;
        let found = self.deep(value, None, relied, depth)?;
        let holds = self.holds(var, found) && !quals.contains(Qualifiers::VOLATILE);
        holds.then_some(found)
    }

    fn query(&self, id: ExprId, relied: &mut Relied) -> Option<Interval> {
        let query = query(self.module, self.function, id)?;
        let d = match query.dim {
            Dim::Of(d) => d,
            Dim::Beyond => return Some(Interval::of(query.quantity.beyond().into())),
            Dim::None | Dim::Computed(_) => return None,
        };
        let at = usize::from(d);
        let global = self.geometry.global[at].filter(|size| *size > 0)?;
        let local = match self.geometry.local {
            LocalGeometry::Sizes(sizes) => sizes[at].filter(|size| *size > 0),
            _ => None,
        };
        let divides = local.filter(|size| global % size == 0);
        let to = |size: u64| Interval::new(0, i128::from(size) - 1);
        let (found, facts) = match query.quantity {
            Quantity::GlobalSize => (Interval::of(global.into()), vec![Fact::Global(d, global)]),
            Quantity::GlobalId => {
                let offset = self.geometry.offset[at]?;
                let facts = vec![Fact::Global(d, global), Fact::Offset(d, offset)];
                (to(global).plus(Interval::of(offset.into()))?, facts)
            }
            Quantity::LocalId => (to(divides?), vec![Fact::Local(d, divides?)]),
            Quantity::LocalSize => {
                let facts = vec![Fact::Local(d, divides?), Fact::Global(d, global)];
                (Interval::of(divides?.into()), facts)
            }
            Quantity::GroupId | Quantity::NumGroups => {
                let groups = global / divides?;
                let facts = vec![Fact::Local(d, divides?), Fact::Global(d, global)];
                match query.quantity {
                    Quantity::GroupId => (to(groups), facts),
                    _ => (Interval::of(groups.into()), facts),
                }
            }
            _ => return None,
        };
        relied.extend(facts);
        Some(found)
    }
}
