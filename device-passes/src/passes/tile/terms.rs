//! Integers of a kernel as polynomials of what differs between the work-items of a group (local ids and
//! counters of loops) and of uniform numbers.
//!
//! Unlike `Indices`, which proves things of loops, this follows unsigned arithmetic, too: for each integer it
//! is known modulo what it equals its polynomial.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    BinaryOp, Callee, Expr, ExprId, Function, Module, Scalar, Type, TypeId, Types, UnaryOp, VarId,
    VarRef,
};
use fpgacc_kernel_analysis::calls::builtin_computes;
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use fpgacc_kernel_analysis::trip_count::{Constants, integer_range};
use fpgacc_kernel_analysis::work_item::{Dim, Quantity, query};

/// Variables that stand for others are followed so far.
const MOST_DEPTH: u32 = 12;
/// Sums of ids and constants below this do not overflow 64 bits.
const SMALL: i128 = 1 << 24;

/// A number that all work-items of a group share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Uniform {
    /// An expression over parameters, constants and sizes.
    Expr(ExprId),
    /// The global id of the first work-item of the group.
    First(u8),
    /// The first iteration of a strip.
    Strip,
}

/// Modulo what an integer equals its polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Modulo {
    /// 2^32.
    Word,
    /// 2^64.
    Long,
    /// It is equal, if the original does not overflow.
    Exact,
}

impl Modulo {
    fn of(scalar: Scalar) -> Self {
        match scalar.size() {
            8 => Modulo::Long,
            _ => Modulo::Word,
        }
    }
}

/// An integer.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its polynomial.
    pub poly: Poly,
    /// How far it equals that.
    pub modulo: Modulo,
    /// It is exact, and not negative.
    pub natural: bool,
    /// It is an id of a work-item, or a number as small: the guards of the kernel let it fit into `int`.
    is_id: bool,
}

impl Value {
    /// Of a counter that is cut into strips, as a number of 64 bits.
    pub fn of_strip(poly: Poly) -> Self {
        Value::exact(poly, false)
    }

    fn exact(poly: Poly, natural: bool) -> Self {
        Value {
            poly,
            modulo: Modulo::Exact,
            natural,
            is_id: false,
        }
    }
}

/// A loop that counts.
#[derive(Clone, Debug)]
pub struct Counter {
    /// What counts.
    pub var: VarId,
    /// Its number in [`Sym::Iter`].
    pub number: usize,
    /// The least and the greatest value of that symbol.
    pub range: (i128, i128),
    /// The counter is the first iteration of the strip and this symbol.
    pub is_strip: bool,
    /// What is declared in the loop, the counter too if it is.
    pub declared: BTreeSet<VarId>,
}

/// The integers of a kernel.
pub struct Terms<'a> {
    /// The module.
    pub module: &'a Module,
    /// The kernel.
    pub function: &'a Function,
    /// Its constants.
    pub constants: Constants<'a>,
    /// The local size.
    pub local: [u64; 3],
    /// The loops around what is looked at, outer ones first.
    pub scope: Vec<Counter>,
    /// What opaque symbols mean.
    pub uniform: Vec<Uniform>,
}

/// Whether a symbol differs between the work-items of a group, or from iteration to iteration.
pub fn varies(sym: Sym) -> bool {
    matches!(sym, Sym::LocalId(_) | Sym::Iter(_))
}

/// Whether a polynomial is uniform.
pub fn is_uniform(poly: &Poly) -> bool {
    !poly.symbols().into_iter().any(varies)
}

impl<'a> Terms<'a> {
    /// Of a kernel with a local size.
    pub fn new(module: &'a Module, function: &'a Function, local: [u64; 3]) -> Self {
        Terms {
            module,
            function,
            constants: Constants::new(module, function),
            local,
            scope: Vec::new(),
            uniform: Vec::new(),
        }
    }

    /// The type of an integer.
    pub fn scalar(&self, id: ExprId) -> Option<Scalar> {
        let ty = self.function.exprs.ty(id);
        let scalar = self.module.types.as_scalar(ty)?;
        (scalar.is_integer() && scalar != Scalar::Bool).then_some(scalar)
    }

    /// An integer expression, where it stands.
    pub fn value(&mut self, id: ExprId) -> Option<Value> {
        self.deep(id, MOST_DEPTH)
    }

    fn deep(&mut self, id: ExprId, depth: u32) -> Option<Value> {
        let scalar = self.scalar(id)?;
        if let Some(value) = self.constants.value(id) {
            return Some(Value::exact(Poly::constant(value), value >= 0));
        }
        let followed = match *self.function.exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => self.variable(var, scalar, depth),
            Expr::Cast { operand, .. } => {
                let from = self.scalar(operand)?;
                let value = self.deep(operand, depth)?;
                convert(value, from, scalar)
            }
            Expr::Binary { op, lhs, rhs } => self.arithmetic(op, [lhs, rhs], scalar, depth),
            Expr::Unary {
                op: UnaryOp::Minus,
                operand,
            } => {
                let zero = Value::exact(Poly::default(), true);
                let value = self.operand(operand, scalar, depth)?;
                combine(BinaryOp::Sub, &zero, &value, scalar)
            }
            _ => self.query(id),
        };
        let followed = followed.map(|value| Value {
            is_id: value.is_id || self.is_id(&value),
            ..value
        });
        followed.or_else(|| self.opaque(id, scalar))
    }

    /// Whether a number is a work-item's global id, put together, or that of its group's first work-item.
    fn is_id(&self, value: &Value) -> bool {
        let is_part = |d: u8, (symbols, by): (&[Sym], i128)| {
            let is_local = symbols == [Sym::LocalId(d)] && by == 1;
            is_local || self.is_first(symbols, by, d)
        };
        let is_one = |d: u8| {
            let firsts = value
                .poly
                .terms()
                .filter(|(s, by)| self.is_first(s, *by, d));
            firsts.count() == 1 && value.poly.terms().all(|term| is_part(d, term))
        };
        value.natural && (0..3).any(is_one)
    }

    fn operand(&mut self, id: ExprId, into: Scalar, depth: u32) -> Option<Value> {
        let from = self.scalar(id)?;
        let value = self.deep(id, depth)?;
        convert(value, from, into)
    }

    fn arithmetic(
        &mut self,
        op: BinaryOp,
        [lhs, rhs]: [ExprId; 2],
        scalar: Scalar,
        depth: u32,
    ) -> Option<Value> {
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                let left = self.operand(lhs, scalar, depth)?;
                let right = self.operand(rhs, scalar, depth)?;
                combine(op, &left, &right, scalar)
            }
            BinaryOp::Shl => {
                let by = self
                    .constants
                    .value(rhs)
                    .filter(|by| (0..31).contains(by))?;
                let left = self.operand(lhs, scalar, depth)?;
                let poly = left.poly.times(&Poly::constant(1 << by))?;
                // What is shifted out is gone, also of signed numbers.
                let modulo = left.modulo.min(Modulo::of(scalar));
                Some(Value {
                    poly,
                    modulo,
                    natural: false,
                    is_id: false,
                })
            }
            _ => None,
        }
    }

    fn variable(&mut self, var: VarId, scalar: Scalar, depth: u32) -> Option<Value> {
        let counter = self.scope.iter().rev().find(|one| one.var == var).cloned();
        if let Some(counter) = counter {
            let mut poly = Poly::sym(Sym::Iter(counter.number));
            if counter.is_strip {
                poly = poly.plus(&self.first_of_strip(), 1);
            }
            let natural = !counter.is_strip && counter.range.0 >= 0;
            return Some(Value::exact(poly, natural));
        }
        let value = self.constants.initialiser(var)?;
        let from = self.scalar(value)?;
        let value = self.deep(value, depth.checked_sub(1)?)?;
        let value = self.is_current(&value, var).then_some(value)?;
        convert(value, from, scalar)
    }

    /// Whether what a variable was declared to be is still that: a counter that the declaration names may have
    /// had another value then.
    pub fn is_current(&self, value: &Value, var: VarId) -> bool {
        value.poly.symbols().into_iter().all(|sym| match sym {
            Sym::Iter(number) => {
                let mut scope = self.scope.iter();
                scope.any(|one| one.number == number && one.declared.contains(&var))
            }
            _ => true,
        })
    }

    /// No way from the start of a buffer.
    pub fn none(&self) -> Value {
        Value::exact(Poly::default(), true)
    }

    /// A pointer's way from the start of its buffer, moved by an index.
    pub fn offset(&mut self, way: Value, index: ExprId, op: BinaryOp) -> Option<Value> {
        let by = self.operand(index, Scalar::Long, MOST_DEPTH)?;
        combine(op, &way, &by, Scalar::Long)
    }

    /// Whether a product is the global id of a group's first work-item, but for the offset.
    pub fn is_first(&self, symbols: &[Sym], by: i128, d: u8) -> bool {
        let [Sym::Opaque(number)] = symbols else {
            return false;
        };
        match self.uniform[*number] {
            Uniform::First(of) => of == d && by == 1,
            Uniform::Expr(id) => {
                let query = query(self.module, self.function, id);
                let is_group = query.is_some_and(|query| {
                    query.quantity == Quantity::GroupId && query.dim == Dim::Of(d)
                });
                is_group && by == i128::from(self.local[usize::from(d)])
            }
            Uniform::Strip => false,
        }
    }

    /// The first iteration of a strip.
    pub fn first_of_strip(&mut self) -> Poly {
        self.symbol(Uniform::Strip)
    }

    /// The type `long`, which the pass makes before it looks.
    pub fn long(&self) -> TypeId {
        self.named(Scalar::Long)
    }

    /// The type `int`.
    pub fn int(&self) -> TypeId {
        self.named(Scalar::Int)
    }

    fn named(&self, scalar: Scalar) -> TypeId {
        let ty = self.module.types.lookup(&Type::Scalar(scalar));
        ty.expect("the pass makes the types that it needs")
    }

    fn query(&mut self, id: ExprId) -> Option<Value> {
        let query = query(self.module, self.function, id)?;
        let Dim::Of(d) = query.dim else { return None };
        let local_id = match self.local[usize::from(d)] {
            1 => Poly::default(),
            _ => Poly::sym(Sym::LocalId(d)),
        };
        let poly = match query.quantity {
            Quantity::GlobalId => self.symbol(Uniform::First(d)).plus(&local_id, 1),
            Quantity::LocalId => local_id,
            Quantity::LocalSize => Poly::constant(self.local[usize::from(d)].into()),
            _ => return None,
        };
        Some(Value {
            is_id: true,
            ..Value::exact(poly, true)
        })
    }

    /// A number that the whole group shares.
    fn opaque(&mut self, id: ExprId, scalar: Scalar) -> Option<Value> {
        if !self.is_uniform(id, MOST_DEPTH) {
            return None;
        }
        let is_query = query(self.module, self.function, id).is_some();
        let poly = self.symbol(Uniform::Expr(id));
        Some(Value {
            is_id: is_query,
            ..Value::exact(poly, !scalar.is_signed_integer())
        })
    }

    fn symbol(&mut self, uniform: Uniform) -> Poly {
        let exprs = &self.function.exprs;
        let known = self
            .uniform
            .iter()
            .position(|known| match (known, uniform) {
                (Uniform::Expr(a), Uniform::Expr(b)) => exprs.same(*a, b),
                (known, uniform) => *known == uniform,
            });
        let number = known.unwrap_or_else(|| {
            self.uniform.push(uniform);
            self.uniform.len() - 1
        });
        Poly::sym(Sym::Opaque(number))
    }

    /// Whether a number can be computed anywhere in the kernel, and is the same for all work-items of a group:
    /// it is made of parameters and constants, reads no memory, and divides by constants only.
    pub fn is_uniform(&self, id: ExprId, depth: u32) -> bool {
        let exprs = &self.function.exprs;
        let is_scalar = self.module.types.as_scalar(exprs.ty(id)).is_some();
        let of = |id: &ExprId| self.is_uniform(*id, depth);
        is_scalar
            && match exprs.get(id) {
                Expr::Int { .. }
                | Expr::Float { .. }
                | Expr::EnumConst(..)
                | Expr::BuiltinConst(_) => true,
                Expr::Var(VarRef::Local(var)) => self.is_steady(*var, depth),
                Expr::Unary {
                    op: UnaryOp::Plus | UnaryOp::Minus | UnaryOp::Not | UnaryOp::Complement,
                    operand,
                }
                | Expr::Cast { operand, .. } => of(operand),
                Expr::Binary {
                    op: BinaryOp::Div | BinaryOp::Rem,
                    lhs,
                    rhs,
                } => {
                    let is_real = |id: &ExprId| {
                        let scalar = self.module.types.as_scalar(exprs.ty(*id));
                        scalar.is_some_and(Scalar::is_float)
                    };
                    let by = self.constants.value(*rhs);
                    let divides = by.is_some_and(|by| by > 0) || is_real(lhs) || is_real(rhs);
                    divides && of(lhs) && of(rhs)
                }
                Expr::Binary { lhs, rhs, .. } => of(lhs) && of(rhs),
                Expr::Cond {
                    cond,
                    then,
                    otherwise,
                } => [cond, then, otherwise].into_iter().all(of),
                Expr::Call {
                    callee: Callee::Builtin(name),
                    args,
                } => match query(self.module, self.function, id) {
                    Some(query) => {
                        let of_group = !query.quantity.differs_in_group();
                        of_group && !matches!(query.dim, Dim::Computed(_))
                    }
                    None => {
                        builtin_computes(self.module, self.function, name, args)
                            && args.iter().all(of)
                    }
                },
                _ => false,
            }
    }

    /// Whether a variable has one value, which is uniform.
    fn is_steady(&self, var: VarId, depth: u32) -> bool {
        if self.function.params.contains(&var) {
            let body = self.function.body.as_ref();
            return body.is_some_and(|body| self.constants.stays_in(var, &body.stmts));
        }
        let Some(left) = depth.checked_sub(1) else {
            return false;
        };
        let value = self.constants.initialiser(var);
        value.is_some_and(|value| self.is_uniform(value, left))
    }
}

/// An integer as one of another type.
fn convert(value: Value, from: Scalar, into: Scalar) -> Option<Value> {
    let (held, room) = (integer_range(from)?, integer_range(into)?);
    if let (Some(constant), Modulo::Exact) = (value.poly.as_constant(), value.modulo)
        && room.contains(&constant)
    {
        return Some(value);
    }
    if from == into || value.is_id && into.size() >= 4 {
        return Some(value);
    }
    if into.size() < 4 && !(room.contains(held.start()) && room.contains(held.end())) {
        return None;
    }
    let is_wider = into.size() > from.size().max(4);
    if value.modulo == Modulo::Exact {
        let holds = room.contains(held.end()) && (value.natural || room.contains(held.start()));
        return Some(match holds {
            true => value,
            false => Value {
                modulo: Modulo::of(into),
                natural: false,
                ..value
            },
        });
    }
    // What is known of the lower half says nothing of the upper one.
    let modulo = value.modulo.min(Modulo::of(into));
    (!is_wider || value.modulo > Modulo::Word).then_some(Value {
        modulo,
        natural: false,
        ..value
    })
}

/// A sum, difference or product of two integers of the type that it has.
fn combine(op: BinaryOp, left: &Value, right: &Value, scalar: Scalar) -> Option<Value> {
    let poly = match op {
        BinaryOp::Add => left.poly.plus(&right.poly, 1),
        BinaryOp::Sub => left.poly.plus(&right.poly, -1),
        _ => left.poly.times(&right.poly)?,
    };
    let (are_exact, are_natural) = (
        left.modulo == Modulo::Exact && right.modulo == Modulo::Exact,
        left.natural && right.natural && op != BinaryOp::Sub,
    );
    // Signed arithmetic does not overflow, and sums of ids are far from 2^64.
    let is_small = |value: &Value| {
        let mut terms = value.poly.terms();
        let is_id = value.is_id || value.poly.as_constant().is_some();
        is_id && terms.all(|(_, by)| by.abs() < SMALL)
    };
    let fits = scalar.is_signed_integer()
        || are_natural && scalar.size() == 8 && is_small(left) && is_small(right);
    let is_exact = are_exact && fits;
    let modulo = match is_exact {
        true => Modulo::Exact,
        false => left.modulo.min(right.modulo).min(Modulo::of(scalar)),
    };
    Some(Value {
        poly,
        modulo,
        natural: is_exact && are_natural,
        is_id: false,
    })
}

/// Writes polynomials as expressions.
pub struct Writer<'w> {
    /// The kernel.
    pub function: &'w mut Function,
    /// The module's types.
    pub types: &'w mut Types,
    /// What opaque symbols mean.
    pub uniform: &'w [Uniform],
    /// The first iteration of the strip.
    pub strip: Option<VarId>,
    /// The global ids of a group's first work-item.
    pub firsts: [Option<VarId>; 3],
    /// What variables are declared to be.
    pub declared: &'w BTreeMap<VarId, ExprId>,
}

impl Writer<'_> {
    /// A polynomial in arithmetic that wraps, of type `uint` or `ulong`: right modulo what that holds. `of` gives
    /// symbols that vary as numbers that are not negative.
    pub fn poly(
        &mut self,
        poly: &Poly,
        is_wide: bool,
        of: &mut dyn FnMut(&mut Function, Sym) -> ExprId,
    ) -> ExprId {
        let scalar = if is_wide { Scalar::ULong } else { Scalar::UInt };
        let ty = self.types.scalar(scalar);
        let (mut first, mut later) = (Vec::new(), Vec::new());
        for (symbols, by) in poly.terms() {
            // The constant last, and nothing taken away first.
            let location = if by > 0 && !symbols.is_empty() {
                &mut first
            } else {
                &mut later
            };
            location.push((symbols.to_vec(), by));
        }
        later.sort_by_key(|(symbols, by)| (*by < 0, symbols.is_empty()));
        let mut sum: Option<ExprId> = None;
        for (symbols, by) in first.into_iter().chain(later) {
            let factors = symbols.into_iter().map(|sym| match sym {
                Sym::Opaque(number) => self.uniform(number),
                _ => of(self.function, sym),
            });
            let factors: Vec<ExprId> = factors.collect();
            let product = self.product(factors, by.unsigned_abs(), ty, is_wide);
            sum = Some(match sum {
                Some(sum) => {
                    let op = if by < 0 { BinaryOp::Sub } else { BinaryOp::Add };
                    self.wrapping(op, sum, product, ty)
                }
                None if by < 0 => {
                    let zero = self.number(0, ty, is_wide);
                    self.wrapping(BinaryOp::Sub, zero, product, ty)
                }
                None => product,
            });
        }
        match sum {
            Some(sum) => sum,
            None => self.number(0, ty, is_wide),
        }
    }

    fn product(&mut self, factors: Vec<ExprId>, by: u128, ty: TypeId, is_wide: bool) -> ExprId {
        // What is as wide as the product makes it wrap: it comes first.
        let (wrapping, other): (Vec<ExprId>, Vec<ExprId>) =
            factors.into_iter().partition(|factor| self.is(*factor, ty));
        let mut all = wrapping.into_iter().chain(other);
        let mut product = all.next();
        for factor in all {
            product = product.map(|product| self.wrapping(BinaryOp::Mul, product, factor, ty));
        }
        match product {
            Some(product) if by == 1 => self.short(product, ty),
            Some(product) => {
                let number = self.number(by, ty, is_wide);
                self.wrapping(BinaryOp::Mul, product, number, ty)
            }
            None => self.number(by, ty, is_wide),
        }
    }

    fn is(&self, id: ExprId, ty: TypeId) -> bool {
        let given = self.function.exprs.ty(id);
        self.types.resolve(given) == self.types.resolve(ty)
    }

    /// An operand that does not make an operation wider than a type.
    fn short(&mut self, id: ExprId, ty: TypeId) -> ExprId {
        let size = |ty| self.types.as_scalar(ty).map_or(0, Scalar::size);
        match size(self.function.exprs.ty(id)) > size(ty) {
            true => self.converted(id, ty),
            false => id,
        }
    }

    /// An operation that wraps: one of its operands at least is of the type.
    pub fn wrapping(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId, ty: TypeId) -> ExprId {
        let (mut lhs, rhs) = (self.short(lhs, ty), self.short(rhs, ty));
        if !self.is(lhs, ty) && !self.is(rhs, ty) {
            lhs = self.converted(lhs, ty);
        }
        self.function.exprs.binary(self.types, op, lhs, rhs)
    }

    fn number(&mut self, value: u128, ty: TypeId, is_wide: bool) -> ExprId {
        let bits = if is_wide {
            u128::from(u64::MAX)
        } else {
            u128::from(u32::MAX)
        };
        let suffix = if is_wide { "ul" } else { "u" };
        let value = value & bits;
        let expr = Expr::Int {
            value: value as i128,
            spelling: Some(format!("{value}{suffix}")),
        };
        self.function.exprs.add(expr, ty, None)
    }

    /// A value as one of a type.
    pub fn converted(&mut self, id: ExprId, ty: TypeId) -> ExprId {
        self.function.exprs.converted(self.types, id, ty)
    }

    fn uniform(&mut self, number: usize) -> ExprId {
        match self.uniform[number] {
            Uniform::Expr(id) => self.expanded(id),
            Uniform::First(d) => {
                let first = self.firsts[usize::from(d)].expect("it is declared");
                self.function.use_var(first)
            }
            Uniform::Strip => {
                let strip = self.strip.expect("strips have a first iteration");
                self.function.use_var(strip)
            }
        }
    }

    /// A call of a work-item function.
    pub fn query(&mut self, name: &str, dim: u8) -> ExprId {
        let ret = self.types.size_t();
        let dim = self.function.exprs.int(self.types, dim.into());
        self.function.exprs.call_builtin(name, ret, vec![dim])
    }

    /// A copy of a uniform expression that only names parameters: it can stand anywhere.
    pub fn expanded(&mut self, id: ExprId) -> ExprId {
        let copy = self.function.exprs.duplicate(id);
        self.expand(copy);
        copy
    }

    fn expand(&mut self, id: ExprId) {
        let exprs = &self.function.exprs;
        if let Some(var) = exprs.local_var(id) {
            if let Some(value) = self.declared.get(&var) {
                let ty = self.function.vars[var].ty.ty;
                let value = self.expanded(*value);
                let value = self.converted(value, ty);
                self.function.exprs.replace_by(id, value);
            }
            return;
        }
        for child in exprs.children(id) {
            self.expand(child);
        }
    }
}
