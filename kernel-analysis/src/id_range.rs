//! Between which numbers expressions of ids lie, where the launches' sizes are known, and which conditions
//! these decide.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, Function, Module, Qualifiers, TypeId, UnaryOp, VarId, VarRef,
};
use fpgacc_runtime::guard::Fact;

use super::geometry::{Geometry, LocalGeometry};
use super::interval::Interval;
use super::trip_count::Constants;
use super::work_item::{Dim, Quantity, query};

/// Variables that stand for others are followed so far.
const MOST_DEPTH: u32 = 8;

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
                let is_natural = left.is_natural() && right.is_natural();
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
                left.binary(*op, right, self.of_type(self.function.exprs.ty(id))?)?
            }
            _ => self.query(id, relied)?,
        };
        self.fits(id, found).then_some(found)
    }

    fn fits(&self, id: ExprId, value: Interval) -> bool {
        let range = self.of_type(self.function.exprs.ty(id));
        range.is_some_and(|range| range.contains(value))
    }

    fn of_type(&self, ty: TypeId) -> Option<Interval> {
        Interval::of_type(self.module.types.as_scalar(ty)?)
    }

    /// Whether a variable of its type holds these numbers.
    pub fn holds(&self, var: VarId, value: Interval) -> bool {
        let range = self.of_type(self.function.vars[var].ty.ty);
        range.is_some_and(|range| range.contains(value))
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
