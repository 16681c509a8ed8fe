//! Integers in a loop as polynomials of its counters, of those of loops inside, and of numbers that stay
//! while it runs.
//!
//! What is proved with them is asserted to a compiler for hardware, where a mistake is seen by no emulator. So
//! nothing is taken as known that C does not say: only signed arithmetic, which may not overflow, is followed.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, Init, Scalar, Stmt, StmtKind, TypeId, UnaryOp, VarId, VarRef,
};

use super::alias::Aliases;
use super::loops;
use super::nest::{Header, Nests, Writes};
use crate::poly::{Poly, Sym};

/// Expressions of a loop that are followed: variables that stand for others may stand for very many.
const MOST_EXPRESSIONS: usize = 4000;
/// Numbers beyond this are not followed.
const LARGEST: i128 = 1 << 31;

/// A counting loop: the one that is looked at, or one inside.
#[derive(Clone, Copy, Debug)]
pub struct Counting {
    /// What it says before its body.
    pub header: Header,
    /// What is added in each iteration, if that is a constant.
    pub step: Option<i128>,
}

/// The integers of a loop.
pub struct Indices<'a> {
    aliases: &'a Aliases<'a>,
    nests: &'a Nests<'a>,
    /// How often variables are written in the loop.
    pub writes: Writes,
    /// First the loop, then those inside in the order of the text; [`Sym::Iter`] of a location is the counter.
    pub counting: Vec<Counting>,
    /// The counting loops around an expression, by the expression.
    around: BTreeMap<ExprId, Vec<usize>>,
    /// Variables that get their one value where they are declared in the loop.
    fixed: BTreeMap<VarId, ExprId>,
    /// Expressions that stay while the loop runs, by the numbers of their symbols.
    staying: Vec<ExprId>,
    /// Expressions that may still be looked at.
    left: usize,
}

impl<'a> Indices<'a> {
    /// Of a loop that is not looked through yet.
    pub fn new(aliases: &'a Aliases<'a>, nests: &'a Nests<'a>, stmt: &Stmt) -> Self {
        Indices {
            aliases,
            nests,
            writes: nests.writes(stmt),
            counting: Vec::new(),
            around: Default::default(),
            fixed: Default::default(),
            staying: Vec::new(),
            left: MOST_EXPRESSIONS,
        }
    }

    /// Looks through the loop; false if it does not count by a constant.
    pub fn follow(&mut self, stmt: &Stmt) -> bool {
        self.walk(stmt, &[]);
        let own = Header::of(self.aliases.function, stmt);
        let counts = |first: &Counting| {
            own.is_some_and(|own| own.counter == first.header.counter) && first.step.is_some()
        };
        self.counting.first().is_some_and(counts)
    }

    /// The counting loops around an expression of the loop.
    pub fn around(&self, id: ExprId) -> Option<&[usize]> {
        self.around.get(&id).map(Vec::as_slice)
    }

    /// The expressions that symbols for numbers that stay mean, by their numbers.
    pub fn meanings(&self) -> &[ExprId] {
        &self.staying
    }

    /// The value that a variable has from its declaration on.
    pub fn fixed(&self, var: VarId) -> Option<ExprId> {
        self.fixed.get(&var).copied()
    }

    /// Notes the loops around each expression, and variables that get one value.
    fn walk(&mut self, stmt: &Stmt, around: &[usize]) {
        if let StmtKind::Decl {
            var,
            init: Some(Init::Expr(value)),
        } = stmt.kind
            && self.writes.get(&var) == Some(&1)
        {
            self.fixed.insert(var, value);
        }
        let mut inside = around.to_vec();
        if let Some(counting) = self.counting_loop(stmt) {
            inside.push(self.counting.len());
            self.counting.push(counting);
        }
        // Conditions and steps also run after the last iteration: nothing is known of counters there.
        let is_loop = loops::hints(stmt).is_some();
        self.note(stmt, if is_loop { around } else { &inside });
        let lists = stmt.lists();
        let body = lists.len() - usize::from(!lists.is_empty());
        for (at, list) in lists.into_iter().enumerate() {
            // The init of a loop runs before it.
            let is_init = matches!(stmt.kind, StmtKind::For { .. }) && at < body;
            for stmt in list {
                self.walk(stmt, if is_init { around } else { &inside });
            }
        }
    }

    /// Notes the loops around the expressions that stand directly in a statement.
    fn note(&mut self, stmt: &Stmt, around: &[usize]) {
        let exprs = &self.aliases.function.exprs;
        for root in stmt.exprs() {
            exprs.for_each(root, &mut |id| {
                let known = self.around.entry(id);
                // Of one that stands at two sites, nothing is known.
                known
                    .and_modify(Vec::clear)
                    .or_insert_with(|| around.to_vec());
            });
        }
    }

    fn counting_loop(&self, stmt: &Stmt) -> Option<Counting> {
        let header = Header::of(self.aliases.function, stmt)?;
        let is_wide = self.is_wide(self.aliases.function.vars[header.counter].ty.ty);
        if !is_wide || !self.nests.is_own(header.counter, &self.writes) {
            return None;
        }
        let by = match header.by {
            None => Some(1),
            Some(by) => match self.aliases.function.exprs.get(by) {
                Expr::Int { value, .. } if (1..LARGEST).contains(value) => Some(*value),
                _ => None,
            }
            .filter(|_| self.is_signed(by)),
        };
        let step = by.map(|by| if header.down { -by } else { by });
        Some(Counting { header, step })
    }

    /// `int` and `long`: their arithmetic does not wrap.
    fn is_wide(&self, ty: TypeId) -> bool {
        let scalar = self.aliases.module.types.as_scalar(ty);
        matches!(scalar, Some(Scalar::Int | Scalar::Long))
    }

    /// Whether values of an expression's type are compared and added as signed numbers.
    pub fn is_signed(&self, id: ExprId) -> bool {
        let scalar = self.scalar(id);
        scalar.is_some_and(|s| s.is_integer() && (s.is_signed_integer() || s.size() < 4))
    }

    fn scalar(&self, id: ExprId) -> Option<Scalar> {
        let ty = self.aliases.function.exprs.ty(id);
        self.aliases.module.types.as_scalar(ty)
    }

    /// An index without a cast to 64 bits, which changes no address.
    pub fn widened(&self, id: ExprId) -> ExprId {
        match *self.aliases.function.exprs.get(id) {
            Expr::Cast { operand, .. } => {
                let size = |id| self.scalar(id).filter(|s| s.is_integer()).map(Scalar::size);
                let is_widening = size(id) == Some(8) && self.is_signed(operand);
                if is_widening { operand } else { id }
            }
            _ => id,
        }
    }

    /// An integer as a polynomial of counters of the loops around it and of numbers that stay.
    pub fn poly(&mut self, id: ExprId) -> Option<Poly> {
        self.left = self.left.checked_sub(1)?;
        let function = self.aliases.function;
        let ty = function.exprs.ty(id);
        let followed = match *function.exprs.get(id) {
            Expr::Int { value, .. } => {
                return (value.abs() < LARGEST).then(|| Poly::constant(value));
            }
            _ if !self.is_wide(ty) => None,
            Expr::Var(VarRef::Local(var)) => match self.counter(id, var) {
                Some(at) => Some(Poly::sym(Sym::Iter(at))),
                None => {
                    let value = self.fixed.get(&var).copied();
                    value.and_then(|value| self.converted(value, ty))
                }
            },
            Expr::Binary { op, lhs, rhs } => self.arithmetic(op, lhs, rhs),
            Expr::Unary {
                op: UnaryOp::Minus,
                operand,
            } => self
                .poly(operand)
                .map(|poly| Poly::default().plus(&poly, -1)),
            Expr::Cast { operand, .. } => self.converted(operand, ty),
            _ => None,
        };
        followed.or_else(|| self.staying(id))
    }

    fn arithmetic(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Option<Poly> {
        if !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) {
            return None;
        }
        combined(op, self.poly(lhs)?, self.poly(rhs)?)
    }

    /// A polynomial that has the same rest as an integer by two to the power of 32: what wraps keeps that.
    pub fn rest(&mut self, id: ExprId) -> Option<Poly> {
        self.left = self.left.checked_sub(1)?;
        let function = self.aliases.function;
        let is_long = |id: &ExprId| {
            self.scalar(*id)
                .is_some_and(|s| s.is_integer() && s.size() >= 4)
        };
        let followed = match *function.exprs.get(id) {
            _ if !is_long(&id) => None,
            Expr::Var(VarRef::Local(var)) => self.fixed.get(&var).copied().filter(is_long),
            Expr::Cast { operand, .. } => Some(operand).filter(is_long),
            Expr::Binary { op, lhs, rhs } => {
                let [x, y] = [lhs, rhs].map(|side| self.rest(side));
                return combined(op, x?, y?);
            }
            _ => None,
        };
        match followed {
            Some(value) => self.rest(value),
            None => self.poly(id),
        }
    }

    /// The counting loop around an expression that counts with a variable.
    fn counter(&self, id: ExprId, var: VarId) -> Option<usize> {
        let around = self.around.get(&id)?.iter().copied();
        let mut counting = around.filter(|at| self.counting[*at].header.counter == var);
        counting.next()
    }

    /// A value that becomes one of a type, if that does not change it.
    pub fn converted(&mut self, value: ExprId, ty: TypeId) -> Option<Poly> {
        let into = self.aliases.module.types.as_scalar(ty)?;
        let fits = self.is_signed(value) && self.scalar(value)?.size() <= into.size();
        if !fits || !into.is_signed_integer() {
            return None;
        }
        self.poly(value)
    }

    /// What is not negative in the body of a counting loop, by its number.
    pub fn bounds(&mut self, at: usize, holds: &mut Vec<Poly>) {
        let Counting { header, step } = self.counting[at];
        let counter = Poly::sym(Sym::Iter(at));
        let function = self.aliases.function;
        let ty = function.vars[header.counter].ty.ty;
        if let Some(start) = self.converted(header.start, ty) {
            match step {
                Some(step) if step > 0 => holds.push(counter.plus(&start, -1)),
                Some(_) => holds.push(start.plus(&counter, -1)),
                None => {}
            }
        }
        let is_plain = function.exprs.local_var(header.compared) == Some(header.counter);
        if !is_plain || !self.is_signed(header.bound) {
            return;
        }
        let Some(bound) = self.poly(header.bound) else {
            return;
        };
        let below = bound.plus(&counter, -1);
        let above = counter.plus(&bound, -1);
        let one = Poly::constant(1);
        holds.extend(match header.op {
            BinaryOp::Lt => Some(below.plus(&one, -1)),
            BinaryOp::Le => Some(below),
            BinaryOp::Gt => Some(above.plus(&one, -1)),
            BinaryOp::Ge => Some(above),
            _ => None,
        });
    }

    /// An integer that stays while the loop runs, as a symbol.
    fn staying(&mut self, id: ExprId) -> Option<Poly> {
        let is_integer = self.scalar(id).is_some_and(Scalar::is_integer);
        if !is_integer || !self.nests.stays(id, &self.writes) {
            return None;
        }
        let exprs = &self.aliases.function.exprs;
        let known = self.staying.iter().position(|known| exprs.same(*known, id));
        let number = known.unwrap_or_else(|| {
            self.staying.push(id);
            self.staying.len() - 1
        });
        Some(Poly::sym(Sym::Opaque(number)))
    }
}

/// A sum, difference or product.
fn combined(op: BinaryOp, x: Poly, y: Poly) -> Option<Poly> {
    match op {
        BinaryOp::Add => Some(x.plus(&y, 1)),
        BinaryOp::Sub => Some(x.plus(&y, -1)),
        BinaryOp::Mul => {
            let product = x.times(&y)?;
            let is_small = |(_, by): (&[Sym], i128)| by.abs() < LARGEST * LARGEST;
            let is_followed = product.terms().all(is_small);
            is_followed.then_some(product)
        }
        _ => None,
    }
}
