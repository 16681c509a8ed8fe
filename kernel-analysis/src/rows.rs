//! Rows of arrays: indices that are `length * row + column`, with a column that never leaves its row.
//!
//! An index is a polynomial of loop counters and of numbers that stay ([`crate::indices`]). Each of its coefficients
//! is a multiple of the length and what is left of it; the multiples are the row, the rest is the column (Maslov,
//! "Delinearization: an efficient way to break multiloop dependence equations", PLDI 1992). Where the column lies
//! follows from the loops and conditions around the access by Fourier-Motzkin elimination.

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, Function, Stmt, StmtKind, UnaryOp, VarId, VarRef,
};

use super::alias::Aliases;
use super::faults;
use super::indices::Indices;
use super::nest::Nests;
use crate::fourier_motzkin::{Linear, Range, range_of};
use crate::poly::{Poly, Sym};

/// What is left of coefficients beyond this is not looked at.
const LARGEST: i128 = 1 << 31;

/// An element of an array that a kernel accesses.
#[derive(Clone, Debug)]
pub struct Element {
    /// The array.
    pub array: VarId,
    /// The expressions that lead to it: the array's name, then what each index makes of it.
    pub chain: Vec<ExprId>,
    /// The indices, the outermost first.
    pub indices: Vec<ExprId>,
    /// The last index, if it can be followed.
    pub last: Option<Poly>,
    /// What is not negative where it is accessed.
    holds: Vec<Poly>,
}

/// An index in rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InRows {
    /// The row.
    pub row: Poly,
    /// The index in the row.
    pub column: Poly,
}

/// Where a number lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Nowhere: the access never happens.
    Never,
    /// From one number to another.
    Within(i128, i128),
    /// Nobody knows.
    Unknown,
}

impl Element {
    /// The last index in rows of this length, if the column is sure to be in its row.
    pub fn in_rows(&self, length: u64) -> Option<InRows> {
        let length = i128::from(length);
        let (moves, constant) = self.last.as_ref()?.split_constant();
        let (mut row, mut column) = (Poly::default(), Poly::default());
        for (symbols, by) in moves.terms() {
            let product = product(symbols)?;
            let multiples = (2 * by + length).div_euclid(2 * length);
            row = row.plus(&product, multiples);
            column = column.plus(&product, by - multiples * length);
        }
        let first = match self.reach(&column) {
            Reach::Never => constant.rem_euclid(length),
            Reach::Within(low, high) => {
                let first = (low + constant).rem_euclid(length) - low;
                let is_inside = high + first < length || faults::is_on("pad-beyond-row");
                is_inside.then_some(first)?
            }
            Reach::Unknown => return None,
        };
        Some(InRows {
            row: row.plus(&Poly::constant((constant - first) / length), 1),
            column: column.plus(&Poly::constant(first), 1),
        })
    }

    /// Where the last index lies.
    pub fn reach_of_last(&self) -> Reach {
        let last = self.last.as_ref();
        last.map_or(Reach::Unknown, |last| self.reach(last))
    }

    fn reach(&self, number: &Poly) -> Reach {
        if let Some(constant) = number.as_constant() {
            return Reach::Within(constant, constant);
        }
        let holds = self.holds.iter();
        let mut all: Vec<Linear<Var>> = holds.filter_map(linear).collect();
        let Some(number) = linear(number) else {
            return Reach::Unknown;
        };
        // The number sought is no less and no more than this.
        for by in [1, -1] {
            let mut sought = Linear::constant(0);
            let is_small = sought.add(Var::Sought, -by).is_some();
            match sought.plus(&number, by).filter(|_| is_small) {
                Some(bound) => all.push(bound),
                None => return Reach::Unknown,
            }
        }
        match range_of(&Var::Sought, &all) {
            Range::Empty => Reach::Never,
            Range::Within(Some(low), Some(high)) => Reach::Within(low, high),
            Range::Within(..) => Reach::Unknown,
        }
    }
}

/// What inequalities are about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Var {
    Sought,
    Product(Vec<Sym>),
}

fn linear(poly: &Poly) -> Option<Linear<Var>> {
    let mut linear = Linear::constant(0);
    for (symbols, by) in poly.terms() {
        if by.abs() > LARGEST * LARGEST {
            return None;
        }
        match symbols {
            [] => linear = linear.plus(&Linear::constant(by), 1)?,
            _ => linear.add(Var::Product(symbols.to_vec()), by)?,
        }
    }
    Some(linear)
}

fn product(symbols: &[Sym]) -> Option<Poly> {
    let mut factors = symbols.iter().map(|sym| Poly::sym(*sym));
    factors.try_fold(Poly::constant(1), |product, factor| product.times(&factor))
}

/// The elements of arrays that a statement accesses, with what is known of their indices there. Arrays are declared
/// variables, not pointers.
pub struct Elements<'a> {
    /// The integers of the statement.
    pub indices: Indices<'a>,
    /// The elements, in the order of the text.
    pub found: Vec<Element>,
    aliases: &'a Aliases<'a>,
}

impl<'a> Elements<'a> {
    /// Those of a statement of the function's body.
    pub fn of(aliases: &'a Aliases<'a>, nests: &'a Nests<'a>, stmt: &Stmt) -> Self {
        let mut indices = Indices::new(aliases, nests, stmt);
        // Whether the statement itself counts does not matter: loops inside do.
        indices.follow(stmt);
        let mut elements = Elements {
            indices,
            found: Vec::new(),
            aliases,
        };
        elements.stmt(stmt, &[]);
        elements
    }

    fn function(&self) -> &'a Function {
        self.aliases.function
    }

    fn stmt(&mut self, stmt: &Stmt, holds: &[Poly]) {
        for root in stmt.exprs() {
            self.expr(root, holds);
        }
        if let StmtKind::If {
            cond,
            then,
            otherwise,
        } = &stmt.kind
        {
            let inside = self.with(holds, *cond, true);
            then.stmts.iter().for_each(|stmt| self.stmt(stmt, &inside));
            let inside = self.with(holds, *cond, faults::is_on("pad-other-branch"));
            let otherwise = otherwise.iter().flat_map(|block| &block.stmts);
            otherwise.for_each(|stmt| self.stmt(stmt, &inside));
            return;
        }
        for list in stmt.lists() {
            list.iter().for_each(|stmt| self.stmt(stmt, holds));
        }
    }

    fn expr(&mut self, id: ExprId, holds: &[Poly]) {
        let exprs = &self.function().exprs;
        match *exprs.get(id) {
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => {
                self.expr(cond, holds);
                let inside = self.with(holds, cond, true);
                self.expr(then, &inside);
                let inside = self.with(holds, cond, false);
                self.expr(otherwise, &inside);
            }
            Expr::Binary {
                op: op @ (BinaryOp::And | BinaryOp::Or),
                lhs,
                rhs,
            } => {
                self.expr(lhs, holds);
                let inside = self.with(holds, lhs, op == BinaryOp::And);
                self.expr(rhs, &inside);
            }
            _ => {
                if let Some(element) = self.element(id, holds) {
                    let indices = element.indices.clone();
                    self.found.push(element);
                    indices
                        .into_iter()
                        .for_each(|index| self.expr(index, holds));
                    return;
                }
                let children = exprs.children(id);
                children.into_iter().for_each(|id| self.expr(id, holds));
            }
        }
    }

    /// The element that an expression is, if all indices are there.
    fn element(&mut self, id: ExprId, holds: &[Poly]) -> Option<Element> {
        let types = &self.aliases.module.types;
        let exprs = &self.function().exprs;
        if types.as_array(exprs.ty(id)).is_some() {
            return None;
        }
        let (mut chain, mut indices) = (Vec::new(), Vec::new());
        let mut at = id;
        while let Expr::Index { base, index } = *exprs.get(at) {
            types.as_array(exprs.ty(base))?;
            chain.push(base);
            indices.push(index);
            at = base;
        }
        chain.reverse();
        indices.reverse();
        let Expr::Var(VarRef::Local(array)) = *exprs.get(at) else {
            return None;
        };
        let last = *indices.last()?;
        let widened = self.indices.widened(last);
        let poly = self.indices.poly(widened);
        let mut holds = holds.to_vec();
        let around = self.indices.around(id).unwrap_or_default().to_vec();
        for at in around {
            self.indices.bounds(at, &mut holds);
        }
        Some(Element {
            array,
            chain,
            indices,
            last: poly,
            holds,
        })
    }

    /// What is not negative, with a condition that holds or does not.
    fn with(&mut self, holds: &[Poly], cond: ExprId, truth: bool) -> Vec<Poly> {
        let mut all = holds.to_vec();
        self.learn(cond, truth, &mut all);
        all
    }

    fn learn(&mut self, cond: ExprId, truth: bool, holds: &mut Vec<Poly>) {
        match *self.function().exprs.get(cond) {
            Expr::Binary {
                op: op @ (BinaryOp::And | BinaryOp::Or),
                lhs,
                rhs,
            } if (op == BinaryOp::And) == truth => {
                self.learn(lhs, truth, holds);
                self.learn(rhs, truth, holds);
            }
            Expr::Unary {
                op: UnaryOp::Not,
                operand,
            } => self.learn(operand, !truth, holds),
            Expr::Binary { op, lhs, rhs } => self.compared(op, (lhs, rhs), truth, holds),
            _ => {}
        }
    }

    fn compared(
        &mut self,
        op: BinaryOp,
        (lhs, rhs): (ExprId, ExprId),
        truth: bool,
        holds: &mut Vec<Poly>,
    ) {
        if !self.indices.is_signed(lhs) || !self.indices.is_signed(rhs) {
            return;
        }
        let (Some(x), Some(y)) = (self.indices.poly(lhs), self.indices.poly(rhs)) else {
            return;
        };
        let one = Poly::constant(1);
        let (above, below) = (x.plus(&y, -1), y.plus(&x, -1));
        match (op, truth) {
            (BinaryOp::Lt, true) | (BinaryOp::Ge, false) => holds.push(below.plus(&one, -1)),
            (BinaryOp::Le, true) | (BinaryOp::Gt, false) => holds.push(below),
            (BinaryOp::Gt, true) | (BinaryOp::Le, false) => holds.push(above.plus(&one, -1)),
            (BinaryOp::Ge, true) | (BinaryOp::Lt, false) => holds.push(above),
            (BinaryOp::Eq, true) | (BinaryOp::Ne, false) => holds.extend([above, below]),
            _ => {}
        }
    }
}
