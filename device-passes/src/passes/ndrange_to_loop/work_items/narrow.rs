//! Takes `(size_t)` casts off ids where the value stays the same without them.
//!
//! Work-item functions yield `size_t`, ids are computed in `int`; so each call becomes `(size_t)id`.
//! Most of these casts change nothing: in `int i = (size_t)id`, `a[(size_t)id]`, `(size_t)id < 16`.
//! Some do: `(size_t)id < n` holds for a negative `n` of type `int`. A cast goes only where the
//! ranges of the values prove that it does nothing; where 32 unsigned bits do, it becomes `(uint)`.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    BinaryOp, Block, Callee, CaseLabel, Expr, ExprId, Function, Init, QualType, Scalar,
    SharedArena, Stmt, StmtKind, TypeId, Types, UnaryOp,
};
use fpgacc_kernel_analysis::faults;

use crate::passes::ndrange_to_loop::work_items::ids::Range;

const INT: Range = (i32::MIN as i64, i32::MAX as i64);
const UINT: Range = (0, u32::MAX as i64);

/// What the context of an expression demands of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// Type and value stay.
    Type,
    /// The value stays as a number.
    Value,
    /// The value stays when it is extended, by its sign, to 64 bits.
    Bits64,
    /// The low 32 bits stay.
    Bits32,
}

/// Takes casts off in all of `body`. `marks` are the casts, with the ranges of what they cast.
pub fn narrow(
    types: &mut Types,
    functions: &SharedArena<Function>,
    function: &mut Function,
    body: &Block,
    marks: BTreeMap<ExprId, Range>,
) {
    let marked = marked(function, body, &marks);
    let mut narrower = Narrower {
        types,
        functions,
        function,
        marks,
        marked,
        known: BTreeMap::new(),
    };
    body.for_each_stmt(&mut |stmt| narrower.stmt(stmt));
}

struct Narrower<'a> {
    types: &'a mut Types,
    functions: &'a SharedArena<Function>,
    function: &'a mut Function,
    marks: BTreeMap<ExprId, Range>,
    /// The expressions with casts of ours in or below them, as they were at first.
    marked: BTreeSet<ExprId>,
    /// Results of [`Self::exact`]: it is asked before an expression is changed, never after.
    known: BTreeMap<ExprId, Option<(Scalar, Range)>>,
}

/// The expressions of `body` that hold one of `marks`.
fn marked(function: &Function, body: &Block, marks: &BTreeMap<ExprId, Range>) -> BTreeSet<ExprId> {
    let mut out = BTreeSet::new();
    body.for_each_stmt(&mut |stmt| {
        for root in stmt.exprs() {
            // Parents come first, so the reverse order knows of all below.
            let mut order = Vec::new();
            function.exprs.for_each(root, &mut |id| order.push(id));
            for id in order.into_iter().rev() {
                let below = function.exprs.children(id);
                if marks.contains_key(&id) || below.iter().any(|child| out.contains(child)) {
                    out.insert(id);
                }
            }
        }
    });
    out
}

impl Narrower<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Decl {
                var,
                init: Some(Init::Expr(init)),
            } => {
                let need = self.need_of(self.function.vars[*var].ty.ty);
                self.fit(*init, need);
            }
            StmtKind::Expr(expr) => self.fit(*expr, Need::Type),
            StmtKind::If { cond, .. }
            | StmtKind::While { cond, .. }
            | StmtKind::DoWhile { cond, .. } => self.fit(*cond, Need::Bits64),
            StmtKind::For { cond, step, .. } => {
                if let Some(cond) = cond {
                    self.fit(*cond, Need::Bits64);
                }
                if let Some(step) = step {
                    self.fit(*step, Need::Type);
                }
            }
            StmtKind::Switch { value, arms } => {
                // The labels are converted to the type of the value.
                let small = arms.iter().flat_map(|arm| &arm.labels).all(|label| {
                    let fits = |id: &ExprId| {
                        matches!(self.function.exprs.get(*id),
                            Expr::Int { value, .. } if (0..=i128::from(i32::MAX)).contains(value))
                    };
                    match label {
                        CaseLabel::Default => true,
                        CaseLabel::Case(id) => fits(id),
                        CaseLabel::Range(from, to) => fits(from) && fits(to),
                    }
                });
                self.fit(*value, if small { Need::Value } else { Need::Type });
            }
            StmtKind::Return(Some(value)) => {
                let need = self.need_of(self.function.ret.ty);
                self.fit(*value, need);
            }
            _ => {
                for expr in stmt.exprs() {
                    self.fit(expr, Need::Type);
                }
            }
        }
    }

    /// What a conversion to `ty` needs.
    fn need_of(&self, ty: TypeId) -> Need {
        match self.types.as_scalar(ty) {
            Some(Scalar::Bool | Scalar::Long | Scalar::ULong) => Need::Bits64,
            Some(scalar) if scalar.is_float() => Need::Value,
            Some(_) => Need::Bits32,
            None => Need::Type,
        }
    }

    fn scalar(&self, id: ExprId) -> Option<Scalar> {
        self.types.as_scalar(self.function.exprs.ty(id))
    }

    fn has_marks(&self, id: ExprId) -> bool {
        self.marked.contains(&id)
    }

    /// Rewrites an expression, keeping what `need` says.
    fn fit(&mut self, id: ExprId, need: Need) {
        if !self.has_marks(id) {
            return;
        }
        let narrows = match need {
            Need::Type => false,
            Need::Value => self.exact(id).is_some_and(|(_, range)| range.0 >= 0),
            Need::Bits64 | Need::Bits32 => self.exact(id).is_some(),
        };
        if narrows {
            self.apply(id);
        } else if need == Need::Bits32 {
            self.low_bits(id);
        } else {
            self.keep(id);
        }
    }

    /// The type, `Int` or `UInt`, that an expression gets without its casts, and its range, if its
    /// value is the same then: as a number where that is not negative, else as 64 bits by its sign.
    fn exact(&mut self, id: ExprId) -> Option<(Scalar, Range)> {
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let result = self.find_exact(id);
        self.known.insert(id, result);
        result
    }

    fn find_exact(&mut self, id: ExprId) -> Option<(Scalar, Range)> {
        if let Some(&range) = self.marks.get(&id) {
            return Some((Scalar::Int, range));
        }
        let own = self.scalar(id)?;
        let expr = self.function.exprs.get(id);
        if own != Scalar::ULong {
            return leaf(expr, own);
        }
        match *expr {
            Expr::Binary { op, lhs, rhs } => self.exact_binary(op, lhs, rhs),
            Expr::Unary { op, operand } => {
                let (ty, range) = self.exact(operand)?;
                match op {
                    UnaryOp::Plus => Some((ty, range)),
                    UnaryOp::Minus if ty == Scalar::Int => {
                        within(Scalar::Int, (-range.1, -range.0))
                    }
                    UnaryOp::Complement if ty == Scalar::Int => {
                        Some((ty, (-range.1 - 1, -range.0 - 1)))
                    }
                    _ => None,
                }
            }
            Expr::Cond {
                then, otherwise, ..
            } => {
                let (a, b) = (self.exact(then)?, self.exact(otherwise)?);
                let range = (a.1.0.min(b.1.0), a.1.1.max(b.1.1));
                if a.0 == b.0 {
                    Some((a.0, range))
                } else {
                    within(Scalar::UInt, range)
                }
            }
            _ => None,
        }
    }

    fn exact_binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Option<(Scalar, Range)> {
        if op == BinaryOp::Shl || op == BinaryOp::Shr {
            return self.exact_shift(op, lhs, rhs);
        }
        let (a, b) = (self.exact(lhs)?, self.exact(rhs)?);
        let (x, y) = (a.1, b.1);
        let common = a.0.max(b.0);
        let both_positive = x.0 >= 0 && y.0 >= 0;
        match op {
            BinaryOp::Add => within(common, (x.0 + y.0, x.1 + y.1)),
            BinaryOp::Sub if faults::is_on("id-too-narrow") => Some((common, (0, x.1))),
            BinaryOp::Sub => within(common, (x.0 - y.1, x.1 - y.0)),
            BinaryOp::Mul => within(common, product(x, y)?),
            BinaryOp::Div if both_positive => Some((common, (0, x.1 / y.0.max(1)))),
            BinaryOp::Rem if both_positive => Some((common, (0, x.1.min((y.1 - 1).max(0))))),
            // A negative divisor is a huge one in 64 bits, and in 32 as well.
            BinaryOp::Div | BinaryOp::Rem if x.0 >= 0 && x.1 <= INT.1 && b.0 == Scalar::Int => {
                Some((Scalar::UInt, (0, x.1)))
            }
            BinaryOp::BitAnd if both_positive => Some((common, (0, x.1.min(y.1)))),
            BinaryOp::BitAnd if common == Scalar::Int => {
                let most = if x.0 >= 0 {
                    x.1
                } else if y.0 >= 0 {
                    y.1
                } else {
                    INT.1
                };
                Some((common, (if x.0 >= 0 || y.0 >= 0 { 0 } else { INT.0 }, most)))
            }
            BinaryOp::BitOr | BinaryOp::BitXor if both_positive => {
                let bits = 64 - (x.1 | y.1).leading_zeros();
                Some((common, (0, (1i64 << bits) - 1)))
            }
            BinaryOp::BitOr | BinaryOp::BitXor if common == Scalar::Int => Some((common, INT)),
            _ => None,
        }
    }

    fn exact_shift(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Option<(Scalar, Range)> {
        let (ty, x) = self.exact(lhs)?;
        let (_, count) = self.exact(rhs)?;
        if count.0 != count.1 || !(0..31).contains(&count.0) || x.0 < 0 {
            return None;
        }
        match op {
            BinaryOp::Shl => within(ty, (x.0 << count.0, x.1 << count.0)),
            _ => Some((ty, (x.0 >> count.0, x.1 >> count.0))),
        }
    }

    /// Takes the casts off an expression for which [`Self::exact`] holds, and sets its types anew.
    fn apply(&mut self, id: ExprId) {
        if self.marks.contains_key(&id) {
            self.strip(id);
            return;
        }
        if !self.has_marks(id) {
            return;
        }
        if self.scalar(id) != Some(Scalar::ULong) {
            self.keep(id);
            return;
        }
        match self.function.exprs.get(id).clone() {
            Expr::Binary { op, lhs, rhs } => {
                let wrap = matches!(op, BinaryOp::Div | BinaryOp::Rem)
                    && self.exact(rhs).is_some_and(|(_, range)| range.0 < 0);
                self.apply(lhs);
                self.apply(rhs);
                if wrap {
                    self.wrap(lhs, Scalar::UInt);
                }
            }
            Expr::Unary { operand, .. } => self.apply(operand),
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => {
                self.fit(cond, Need::Bits64);
                self.apply(then);
                self.apply(otherwise);
            }
            _ => {}
        }
        self.retype(id);
        self.simplify(id);
    }

    /// Drops what adds nothing: `x + 0`, `0 * x`, `x * 1`, where a pass made the literal.
    fn simplify(&mut self, id: ExprId) {
        let exprs = &self.function.exprs;
        let Expr::Binary { op, lhs, rhs } = *exprs.get(id) else {
            return;
        };
        let made = |at| match exprs.get(at) {
            Expr::Int {
                value,
                spelling: None,
            } => Some(*value),
            _ => None,
        };
        let kept = match (op, made(lhs), made(rhs)) {
            (BinaryOp::Add, Some(0), _) | (BinaryOp::Mul, Some(1), _) => rhs,
            (BinaryOp::Add | BinaryOp::Sub, _, Some(0))
            | (BinaryOp::Mul | BinaryOp::Div, _, Some(1)) => lhs,
            (BinaryOp::Mul, Some(0), _) if !exprs.has_effects(rhs) => lhs,
            (BinaryOp::Mul, _, Some(0)) if !exprs.has_effects(lhs) => rhs,
            _ => return,
        };
        if exprs.ty(kept) == exprs.ty(id) {
            self.function.exprs.replace_by(id, kept);
        }
    }

    /// Computes the type of an operation again.
    fn retype(&mut self, id: ExprId) {
        let exprs = &self.function.exprs;
        let expr = exprs.get(id).clone();
        let ty = match &expr {
            Expr::Binary {
                op: BinaryOp::Shl | BinaryOp::Shr,
                lhs,
                ..
            } => self.types.promoted(exprs.ty(*lhs)),
            Expr::Binary { op, .. } if op.is_comparison() => return,
            Expr::Binary {
                op: BinaryOp::And | BinaryOp::Or,
                ..
            } => return,
            Expr::Binary { lhs, rhs, .. } => self.types.usual(exprs.ty(*lhs), exprs.ty(*rhs)),
            Expr::Unary {
                op: UnaryOp::Plus | UnaryOp::Minus | UnaryOp::Complement,
                operand,
            } => self.types.promoted(exprs.ty(*operand)),
            Expr::Cond {
                then, otherwise, ..
            } => self.types.usual(exprs.ty(*then), exprs.ty(*otherwise)),
            _ => return,
        };
        self.function.exprs.replace(id, expr, ty);
    }

    /// Replaces a cast by what it casts.
    fn strip(&mut self, id: ExprId) {
        let exprs = &mut self.function.exprs;
        if let Expr::Cast { operand, .. } = *exprs.get(id) {
            exprs.replace_by(id, operand);
        }
        self.marks.remove(&id);
    }

    /// Puts a cast around an expression.
    fn wrap(&mut self, id: ExprId, to: Scalar) {
        let ty = match to {
            Scalar::ULong => self.types.size_t(),
            other => self.types.scalar(other),
        };
        let exprs = &mut self.function.exprs;
        let inner = exprs.add(exprs.get(id).clone(), exprs.ty(id), exprs.span(id));
        let cast = Expr::Cast {
            ty: QualType::plain(ty),
            operand: inner,
        };
        exprs.replace(id, cast, ty);
    }

    /// Rewrites an expression of which only the low 32 bits matter.
    fn low_bits(&mut self, id: ExprId) {
        let Expr::Binary { op, lhs, rhs } = *self.function.exprs.get(id) else {
            return self.keep(id);
        };
        let ring = matches!(
            op,
            BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor
        );
        if !ring || self.scalar(id) != Some(Scalar::ULong) {
            return self.keep(id);
        }
        self.fit(lhs, Need::Bits32);
        self.fit(rhs, Need::Bits32);
        let is_signed = |at| self.scalar(at).is_some_and(|ty| ty <= Scalar::Int);
        let arithmetic = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
        if is_signed(lhs) && is_signed(rhs) && arithmetic {
            // Signed arithmetic must not overflow; unsigned wraps around as 64 bits cut down do.
            self.wrap(lhs, Scalar::UInt);
        } else if self.scalar(lhs) == Some(Scalar::Long) || self.scalar(rhs) == Some(Scalar::Long) {
            let other = if self.scalar(lhs) == Some(Scalar::Long) {
                rhs
            } else {
                lhs
            };
            if self.scalar(other).is_some_and(|ty| ty < Scalar::Long) {
                self.wrap(other, Scalar::ULong);
            }
        }
        self.retype(id);
        self.simplify(id);
    }

    /// Rewrites the operands of an expression that keeps its type.
    fn keep(&mut self, id: ExprId) {
        if self.marks.contains_key(&id) {
            return;
        }
        match self.function.exprs.get(id).clone() {
            Expr::Binary { op, lhs, rhs } => self.keep_binary(id, op, lhs, rhs),
            Expr::Assign { op, lhs, rhs } => self.keep_assign(op, lhs, rhs),
            Expr::Index { base, index } => {
                self.fit(base, Need::Type);
                self.fit(index, Need::Bits64);
            }
            Expr::Cast { ty, operand } => {
                let need = self.need_of(ty.ty);
                self.fit(operand, need);
                // `(int)get_local_id(0)` casts an int now.
                if self.function.exprs.ty(operand) == ty.ty {
                    let inner = self.function.exprs.get(operand).clone();
                    self.function.exprs.replace(id, inner, ty.ty);
                }
            }
            Expr::Unary { op, operand } => {
                let need = match op {
                    UnaryOp::Not => Need::Bits64,
                    _ => Need::Type,
                };
                self.fit(operand, need);
            }
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => {
                self.fit(cond, Need::Bits64);
                self.fit(then, Need::Type);
                self.fit(otherwise, Need::Type);
            }
            Expr::VectorLit { elements } => {
                let element = self.types.as_vector(self.function.exprs.ty(id));
                for at in elements {
                    let need = match (element, self.scalar(at)) {
                        (Some((scalar, _)), Some(_)) => {
                            let ty = self.types.scalar(scalar);
                            self.need_of(ty)
                        }
                        _ => Need::Type,
                    };
                    self.fit(at, need);
                }
            }
            Expr::Call { callee, args } => self.keep_call(&callee, &args),
            Expr::SizeOf(_) => {}
            _ => {
                for child in self.function.exprs.children(id) {
                    self.fit(child, Need::Type);
                }
            }
        }
    }

    fn keep_call(&mut self, callee: &Callee, args: &[ExprId]) {
        let needs: Vec<Need> = match callee {
            // The types of its arguments say which function is called.
            Callee::Function(callee) if self.functions[*callee].attr("overloadable").is_some() => {
                Vec::new()
            }
            Callee::Function(callee) => {
                let callee = &self.functions[*callee];
                let types = callee.params.iter().map(|param| callee.vars[*param].ty.ty);
                types.map(|ty| self.need_of(ty)).collect()
            }
            // These take an offset of type size_t; other builtins are chosen by their arguments' types.
            Callee::Builtin(name) if name.starts_with("vload") => vec![Need::Bits64],
            Callee::Builtin(name) if name.starts_with("vstore") => {
                vec![Need::Type, Need::Bits64]
            }
            Callee::Builtin(_) => Vec::new(),
        };
        for (index, arg) in args.iter().enumerate() {
            let need = needs.get(index).copied().unwrap_or(Need::Type);
            self.fit(*arg, need);
        }
    }

    fn keep_assign(&mut self, op: Option<BinaryOp>, lhs: ExprId, rhs: ExprId) {
        self.fit(lhs, Need::Type);
        let target = self.scalar(lhs);
        let is_pointer = self.types.as_pointer(self.function.exprs.ty(lhs)).is_some();
        match op {
            None => {
                let need = self.need_of(self.function.exprs.ty(lhs));
                self.fit(rhs, need);
            }
            Some(BinaryOp::Add | BinaryOp::Sub) if is_pointer => self.fit(rhs, Need::Bits64),
            Some(BinaryOp::Shl | BinaryOp::Shr) => self.fit(rhs, Need::Value),
            Some(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) => match target {
                Some(Scalar::ULong) => self.fit(rhs, Need::Bits64),
                Some(scalar) if scalar.is_float() => self.fit(rhs, Need::Value),
                Some(Scalar::UInt) => self.fit(rhs, Need::Bits32),
                Some(Scalar::Int) if self.has_marks(rhs) => {
                    self.fit(rhs, Need::Bits32);
                    if self.scalar(rhs).is_some_and(|ty| ty <= Scalar::Int) {
                        self.wrap(rhs, Scalar::UInt);
                    }
                }
                _ => self.fit(rhs, Need::Type),
            },
            Some(_) => self.fit(rhs, Need::Type),
        }
    }

    fn keep_binary(&mut self, id: ExprId, op: BinaryOp, lhs: ExprId, rhs: ExprId) {
        let (left, right) = (self.scalar(lhs), self.scalar(rhs));
        match op {
            BinaryOp::And | BinaryOp::Or => {
                self.fit(lhs, Need::Bits64);
                self.fit(rhs, Need::Bits64);
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                self.fit(lhs, Need::Type);
                self.fit(rhs, Need::Value);
            }
            _ if left.is_none() || right.is_none() => {
                // Beside a pointer an integer is a distance; beside a vector it is widened.
                let pointer = |at| {
                    let ty = self.function.exprs.ty(at);
                    self.types.as_pointer(ty).is_some() || self.types.as_array(ty).is_some()
                };
                let is_distance =
                    |other| matches!(op, BinaryOp::Add | BinaryOp::Sub) && pointer(other);
                let left_need = if is_distance(rhs) {
                    Need::Bits64
                } else {
                    Need::Type
                };
                let right_need = if is_distance(lhs) {
                    Need::Bits64
                } else {
                    Need::Type
                };
                self.fit(lhs, left_need);
                self.fit(rhs, right_need);
            }
            _ if op.is_comparison() => self.keep_comparison(lhs, rhs),
            _ => self.keep_arithmetic(id, op, lhs, rhs),
        }
    }

    /// `lhs op rhs` that stays 64 bits wide (or floating): one operand must keep its width.
    fn keep_arithmetic(&mut self, id: ExprId, op: BinaryOp, lhs: ExprId, rhs: ExprId) {
        let need = match self.scalar(id) {
            Some(scalar) if scalar.is_float() => Need::Value,
            Some(Scalar::ULong) if matches!(op, BinaryOp::Div | BinaryOp::Rem) => Need::Value,
            Some(Scalar::ULong) => Need::Bits64,
            _ => Need::Type,
        };
        if need == Need::Type || self.scalar(id).is_some_and(Scalar::is_float) {
            self.fit_operand(lhs, need, rhs);
            self.fit_operand(rhs, need, lhs);
            return;
        }
        // An operand without casts that is unsigned and 64 bits wide makes the operation so.
        let wide = |this: &Self, at| !this.has_marks(at) && this.scalar(at) == Some(Scalar::ULong);
        if wide(self, rhs) {
            self.fit(lhs, need);
        } else if wide(self, lhs) {
            self.fit(rhs, need);
        } else if self.has_marks(lhs) {
            self.keep_wide(lhs, need);
            self.fit(rhs, need);
        } else {
            self.keep_wide(rhs, need);
        }
    }

    /// Beside a floating-point operand the type of the other does not matter.
    fn fit_operand(&mut self, id: ExprId, need: Need, beside: ExprId) {
        let float = self.scalar(beside).is_some_and(Scalar::is_float);
        self.fit(id, if float { need } else { Need::Type });
    }

    /// Rewrites an operand so that it stays of type `size_t` as a whole.
    fn keep_wide(&mut self, id: ExprId, need: Need) {
        self.fit(id, need);
        if self.scalar(id) != Some(Scalar::ULong) {
            self.wrap(id, Scalar::ULong);
        }
    }

    fn keep_comparison(&mut self, lhs: ExprId, rhs: ExprId) {
        let is_wide = |at| self.scalar(at) == Some(Scalar::ULong);
        if !is_wide(lhs) && !is_wide(rhs) {
            self.fit(lhs, Need::Type);
            self.fit(rhs, Need::Type);
            return;
        }
        if let (Some((left, x)), Some((right, y))) = (self.exact(lhs), self.exact(rhs)) {
            let small = |range: Range| range.0 >= 0 && range.1 <= INT.1;
            if x.0 >= 0 && y.0 >= 0 {
                self.apply(lhs);
                self.apply(rhs);
                return;
            }
            // A negative int is above every id, in 64 unsigned bits and in 32.
            if small(x) && left == Scalar::Int && right == Scalar::Int {
                self.apply(lhs);
                self.apply(rhs);
                self.wrap(lhs, Scalar::UInt);
                return;
            }
            if small(y) && left == Scalar::Int && right == Scalar::Int {
                self.apply(lhs);
                self.apply(rhs);
                self.wrap(rhs, Scalar::UInt);
                return;
            }
        }
        let wide = |this: &Self, at| {
            !this.has_marks(at)
                && this
                    .scalar(at)
                    .is_some_and(|ty| ty == Scalar::ULong || ty.is_float())
        };
        if wide(self, rhs) {
            self.fit(lhs, Need::Value);
        } else if wide(self, lhs) {
            self.fit(rhs, Need::Value);
        } else {
            let at = if self.has_marks(lhs) { lhs } else { rhs };
            let other = if at == lhs { rhs } else { lhs };
            self.keep_wide(at, Need::Value);
            self.fit(other, Need::Bits64);
        }
    }
}

/// Type and range of an expression without casts of ours.
fn leaf(expr: &Expr, own: Scalar) -> Option<(Scalar, Range)> {
    if let Expr::Int { value, .. } = expr {
        let value = i64::try_from(*value).ok()?;
        let ty = match own {
            Scalar::UInt => Scalar::UInt,
            scalar if scalar <= Scalar::Int => Scalar::Int,
            // A wider literal keeps the operation wide.
            _ => return None,
        };
        return Some((ty, (value, value)));
    }
    Some(match own {
        Scalar::Bool => (Scalar::Int, (0, 1)),
        Scalar::Char => (Scalar::Int, (-128, 127)),
        Scalar::UChar => (Scalar::Int, (0, 255)),
        Scalar::Short => (Scalar::Int, (-32768, 32767)),
        Scalar::UShort => (Scalar::Int, (0, 65535)),
        Scalar::Int => (Scalar::Int, INT),
        Scalar::UInt => (Scalar::UInt, UINT),
        _ => return None,
    })
}

fn within(ty: Scalar, range: Range) -> Option<(Scalar, Range)> {
    let (least, most) = if ty == Scalar::UInt { UINT } else { INT };
    (range.0 >= least && range.1 <= most).then_some((ty, range))
}

fn product(x: Range, y: Range) -> Option<Range> {
    let mut corners = [0; 4];
    for (corner, (a, b)) in corners
        .iter_mut()
        .zip([(x.0, y.0), (x.0, y.1), (x.1, y.0), (x.1, y.1)])
    {
        *corner = i64::checked_mul(a, b)?;
    }
    Some((*corners.iter().min()?, *corners.iter().max()?))
}
