//! How often a loop's body runs, where that is known at compile time.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, Function, IncDecOp, Init, Module, Scalar, Stmt, StmtKind, UnaryOp,
    VarId, VarRef,
};

/// How a `for` counts: its variable is `start`, `start + by`, .. in iterations whose number is constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counting {
    /// What counts; only the loop's step changes it.
    pub counter: VarId,
    /// Its first value.
    pub start: i128,
    /// By how much it grows.
    pub by: i128,
    /// Iterations, unless a `break` or `return` leaves the loop earlier.
    pub trips: u64,
}

/// The most often that a loop's body runs: exactly so often, unless a `break` or `return` leaves it
/// earlier. `None` if it depends on anything but constants.
pub fn trip_count(constants: &Constants<'_>, stmt: &Stmt) -> Option<u64> {
    if let StmtKind::DoWhile { cond, .. } = &stmt.kind {
        // The idiom `do { .. } while (0)`.
        return (constants.value(*cond) == Some(0)).then_some(1);
    }
    counting(constants, stmt).map(|counting| counting.trips)
}

/// How a loop counts; `None` if that depends on anything but constants.
pub fn counting(constants: &Constants<'_>, stmt: &Stmt) -> Option<Counting> {
    let StmtKind::For {
        init,
        cond: Some(cond),
        step: Some(step),
        body,
        ..
    } = &stmt.kind
    else {
        return None;
    };
    let Constants {
        module, function, ..
    } = constants;
    let exprs = &function.exprs;
    let (var, by) = constants.step(*step)?;
    let start = init
        .iter()
        .rev()
        .find_map(|stmt| constants.start(stmt, var))?;
    let (op, bound, bound_expr) = constants.bound(*cond, var)?;
    if constants.is_written(var, &body.stmts) || constants.exposed.contains(&var) {
        return None;
    }
    let count = count(start, op, bound, by)?;
    let last = start + i128::from(count) * by;
    let fits = |ty| {
        let scalar = module.types.as_scalar(ty)?;
        let range = integer_range(scalar)?;
        [start, last, bound]
            .iter()
            .all(|value| range.contains(value))
            .then_some(())
    };
    fits(function.vars[var].ty.ty)?;
    fits(exprs.ty(bound_expr))?;
    Some(Counting {
        counter: var,
        start,
        by,
        trips: count,
    })
}

/// The iterations of `for (i = start; i op bound; i += by)`, without overflow.
fn count(start: i128, op: BinaryOp, bound: i128, by: i128) -> Option<u64> {
    let distance = match (op, by.signum()) {
        (BinaryOp::Lt, 1) => bound - start,
        (BinaryOp::Le, 1) => bound - start + 1,
        (BinaryOp::Gt, -1) => start - bound,
        (BinaryOp::Ge, -1) => start - bound + 1,
        (BinaryOp::Ne, 1) if (bound - start) % by == 0 && bound >= start => bound - start,
        (BinaryOp::Ne, -1) if (bound - start) % by == 0 && bound <= start => start - bound,
        _ => return None,
    };
    let by = by.abs();
    u64::try_from((distance.max(0) + by - 1) / by).ok()
}

/// The numbers of an integer type; `None`: it is no integer, or `bool`.
pub fn integer_range(scalar: Scalar) -> Option<std::ops::RangeInclusive<i128>> {
    if scalar.is_float() || scalar == Scalar::Bool {
        return None;
    }
    let bits = scalar.size() * 8;
    if scalar.is_signed_integer() {
        let top = 1i128 << (bits - 1);
        return Some(-top..=top - 1);
    }
    Some(0..=(1i128 << bits) - 1)
}

/// Integer constants of a function.
pub struct Constants<'a> {
    module: &'a Module,
    function: &'a Function,
    /// Locals whose address is taken.
    exposed: BTreeSet<VarId>,
    /// Locals that keep the value of their initialiser.
    fixed: BTreeMap<VarId, ExprId>,
}

impl<'a> Constants<'a> {
    /// Looks through a function.
    pub fn new(module: &'a Module, function: &'a Function) -> Self {
        let mut constants = Constants {
            module,
            function,
            exposed: BTreeSet::new(),
            fixed: BTreeMap::new(),
        };
        let Some(body) = &function.body else {
            return constants;
        };
        let mut fixed = BTreeMap::new();
        body.for_each_stmt(&mut |stmt| {
            if let StmtKind::Decl {
                var,
                init: Some(Init::Expr(value)),
            } = &stmt.kind
            {
                fixed.insert(*var, *value);
            }
        });
        let exprs = &function.exprs;
        body.for_each_expr(exprs, &mut |id| {
            let exposed = exprs.exposed_var(id);
            constants.exposed.extend(exposed);
            if let Some(var) = exprs.written_var(id).or(exposed) {
                fixed.remove(&var);
            }
        });
        constants.fixed = fixed;
        constants
    }

    /// Whether statements leave a variable as it is.
    pub fn stays_in(&self, var: VarId, stmts: &[Stmt]) -> bool {
        !self.is_written(var, stmts) && !self.exposed.contains(&var)
    }

    /// Whether a loop's step makes a variable larger by 1.
    pub fn one_by_one(&self, step: ExprId, var: VarId) -> bool {
        self.step(step) == Some((var, 1))
    }

    /// What a local is declared to be, if it stays that and nothing points to it.
    pub fn initialiser(&self, var: VarId) -> Option<ExprId> {
        self.fixed.get(&var).copied()
    }

    /// The value of an integer expression, if it is a constant that its type holds.
    pub fn value(&self, id: ExprId) -> Option<i128> {
        let value = self.unchecked(id, 0)?;
        let scalar = self.module.types.as_scalar(self.function.exprs.ty(id))?;
        integer_range(scalar)?.contains(&value).then_some(value)
    }

    fn unchecked(&self, id: ExprId, depth: u32) -> Option<i128> {
        let exprs = &self.function.exprs;
        let scalar = self.module.types.as_scalar(exprs.ty(id))?;
        let value = match exprs.get(id) {
            Expr::Int { value, .. } => *value,
            Expr::EnumConst(id, at) => {
                i128::from(self.module.enums[*id].enumerators[*at as usize].value)
            }
            Expr::Var(VarRef::Local(var)) if depth < 8 => {
                self.unchecked(*self.fixed.get(var)?, depth + 1)?
            }
            Expr::Unary { op, operand } => {
                let operand = self.unchecked(*operand, depth)?;
                match op {
                    UnaryOp::Plus => operand,
                    UnaryOp::Minus => -operand,
                    _ => return None,
                }
            }
            Expr::Cast { operand, .. } => self.unchecked(*operand, depth)?,
            Expr::Binary { op, lhs, rhs } => {
                let (x, y) = (self.unchecked(*lhs, depth)?, self.unchecked(*rhs, depth)?);
                match op {
                    BinaryOp::Add => x + y,
                    BinaryOp::Sub => x - y,
                    BinaryOp::Mul => x.checked_mul(y)?,
                    BinaryOp::Div if y != 0 => x / y,
                    BinaryOp::Rem if y != 0 => x % y,
                    BinaryOp::Shl if (0..31).contains(&y) => x << y,
                    BinaryOp::Shr if (0..31).contains(&y) => x >> y,
                    _ => return None,
                }
            }
            _ => return None,
        };
        // A value that its type does not hold would wrap or be undefined: not followed.
        integer_range(scalar)?.contains(&value).then_some(value)
    }

    fn is_var(&self, id: ExprId, var: VarId) -> bool {
        *self.function.exprs.get(id) == Expr::Var(VarRef::Local(var))
    }

    /// Whether statements assign to a variable (its declaration is no assignment).
    fn is_written(&self, var: VarId, stmts: &[Stmt]) -> bool {
        let exprs = &self.function.exprs;
        let is_write = |id| exprs.written_var(id) == Some(var);
        stmts
            .iter()
            .any(|stmt| stmt.any_expr(exprs, &mut |id| is_write(id)))
    }

    /// The variable that a loop's step changes, and by how much.
    fn step(&self, step: ExprId) -> Option<(VarId, i128)> {
        let exprs = &self.function.exprs;
        let var = |id: ExprId| exprs.local_var(id);
        let (var, by) = match exprs.get(step) {
            Expr::IncDec { op, operand } => {
                let by = match op {
                    IncDecOp::PreInc | IncDecOp::PostInc => 1,
                    IncDecOp::PreDec | IncDecOp::PostDec => -1,
                };
                (var(*operand)?, by)
            }
            Expr::Assign {
                op: Some(op),
                lhs,
                rhs,
            } => {
                let by = self.value(*rhs)?;
                match op {
                    BinaryOp::Add => (var(*lhs)?, by),
                    BinaryOp::Sub => (var(*lhs)?, -by),
                    _ => return None,
                }
            }
            Expr::Assign { op: None, lhs, rhs } => {
                let target = var(*lhs)?;
                let Expr::Binary { op, lhs: x, rhs: y } = exprs.get(*rhs) else {
                    return None;
                };
                let by = match op {
                    BinaryOp::Add if self.is_var(*x, target) => self.value(*y)?,
                    BinaryOp::Add if self.is_var(*y, target) => self.value(*x)?,
                    BinaryOp::Sub if self.is_var(*x, target) => -self.value(*y)?,
                    _ => return None,
                };
                (target, by)
            }
            _ => return None,
        };
        (by != 0).then_some((var, by))
    }

    /// The value that a statement of a loop's init gives to a variable.
    fn start(&self, stmt: &Stmt, var: VarId) -> Option<i128> {
        match &stmt.kind {
            StmtKind::Decl {
                var: declared,
                init: Some(Init::Expr(value)),
            } if *declared == var => self.value(*value),
            StmtKind::Expr(expr) => match self.function.exprs.get(*expr) {
                Expr::Assign { op: None, lhs, rhs } if self.is_var(*lhs, var) => self.value(*rhs),
                _ => None,
            },
            _ => None,
        }
    }

    /// `var op constant` of a condition; also the comparison's other side, for its type.
    fn bound(&self, cond: ExprId, var: VarId) -> Option<(BinaryOp, i128, ExprId)> {
        let Expr::Binary { op, lhs, rhs } = self.function.exprs.get(cond) else {
            return None;
        };
        if self.is_var(*lhs, var) {
            return Some((*op, self.value(*rhs)?, *rhs));
        }
        let is_bound = self.is_var(*rhs, var);
        is_bound.then_some((op.mirrored(), self.value(*lhs)?, *lhs))
    }
}
