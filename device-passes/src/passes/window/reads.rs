//! What the body of a nest reads of arrays in memory: at which addresses, and in which iterations.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Callee, Expr, ExprId, Scalar, Stmt, StmtKind, UnaryOp, VarId, VarRef,
};
use fpgacc_kernel_analysis::alias::Aliases;
use fpgacc_kernel_analysis::indices::Indices;
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::Header;
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use fpgacc_kernel_analysis::trip_count::{Constants, trip_count};

use super::address::{Address, Cond, Reach, anchored};
use super::when::{Interval, When, compares};

/// The most iterations of loops in the body that are looked at one by one.
const MOST_COPIES: u64 = 128;
/// The most addresses between which one read chooses.
const MOST_CHOICES: usize = 64;
/// What 32 bits without sign hold.
const LARGEST_UINT: i128 = (1 << 32) - 1;
/// The most reads that are looked at.
const MOST_READS: usize = 2048;

/// A read of an element of an array.
#[derive(Clone, Debug)]
pub struct Read {
    /// The array.
    pub array: VarId,
    /// Its address, of all counters.
    pub address: Address,
    /// All addresses that it may have.
    pub reaches: Vec<Reach>,
    /// When it is reached, with the counters of loops around it in the body.
    visits: Vec<(When, BTreeMap<usize, i128>)>,
}

/// A write of an element of an array, at an address that does not depend on loops in the body.
#[derive(Clone, Debug)]
pub struct Store {
    /// The array.
    pub array: VarId,
    /// Its address, of the counters of the nest.
    pub poly: Poly,
}

/// Looks through the body of a nest.
pub struct Reader<'r, 'a> {
    /// What points where.
    pub aliases: &'r Aliases<'a>,
    /// The integers of the nest.
    pub indices: &'r mut Indices<'a>,
    /// Constants.
    pub constants: &'r Constants<'a>,
    /// What was found, by expression.
    pub reads: BTreeMap<ExprId, Read>,
    /// What was found to be written, by expression.
    pub stores: BTreeMap<ExprId, Store>,
    /// When each `if` is reached.
    pub ifs: Vec<When>,
    /// Reads of which nothing is known: an index may wrap.
    wrapping: BTreeSet<ExprId>,
    /// What is known of the nest's counters.
    counters: BTreeMap<usize, Interval>,
    /// Counters of the loops around in the body.
    copies: BTreeMap<usize, i128>,
    /// Iterations of these.
    copied: u64,
}

impl<'r, 'a> Reader<'r, 'a> {
    /// Of a nest.
    pub fn new(
        aliases: &'r Aliases<'a>,
        indices: &'r mut Indices<'a>,
        constants: &'r Constants<'a>,
        counters: BTreeMap<usize, Interval>,
    ) -> Self {
        Reader {
            counters,
            wrapping: BTreeSet::new(),
            aliases,
            indices,
            constants,
            reads: BTreeMap::new(),
            stores: BTreeMap::new(),
            ifs: Vec::new(),
            copies: BTreeMap::new(),
            copied: 1,
        }
    }

    /// Statements that run one after the other.
    pub fn list(&mut self, stmts: &[Stmt], mut when: When) {
        for stmt in stmts {
            when = self.stmt(stmt, when);
        }
    }

    /// The largest parts of expressions that move on with the nest as its windows do, but for variables: these
    /// are declared with such.
    pub fn moving(
        &mut self,
        stmts: &[Stmt],
        is_moving: &dyn Fn(&Poly) -> bool,
    ) -> Vec<(ExprId, Poly)> {
        let mut found = Vec::new();
        for stmt in stmts {
            stmt.for_each(&mut |stmt| {
                let mut left = stmt.exprs();
                while let Some(id) = left.pop() {
                    let expr = self.aliases.function.exprs.get(id);
                    let is_sum = !matches!(expr, Expr::Var(_) | Expr::SizeOf(_));
                    let poly = self.integer(id).filter(|_| is_sum);
                    match poly.filter(|poly| is_moving(poly)) {
                        Some(poly) => found.push((id, poly)),
                        None if matches!(expr, Expr::SizeOf(_)) => {}
                        None => left.extend(self.aliases.function.exprs.children(id)),
                    }
                }
            });
        }
        found
    }

    /// An integer of counters and of numbers that stay; one without sign but for multiples of what its type
    /// can hold.
    fn integer(&mut self, id: ExprId) -> Option<Poly> {
        let ty = self.aliases.function.exprs.ty(id);
        match self.aliases.module.types.as_scalar(ty)? {
            Scalar::Int | Scalar::Long => self.poly(id),
            _ => self.modular(id),
        }
    }

    /// A statement; when what follows it is reached.
    fn stmt(&mut self, stmt: &Stmt, when: When) -> When {
        if let StmtKind::If {
            cond,
            then,
            otherwise,
        } = &stmt.kind
        {
            self.value(*cond, &when);
            let of = self.ifs.len();
            self.ifs.push(when.clone());
            let so = self.assume(when.clone(), *cond, true).taking(of, true);
            self.list(&then.stmts, so);
            let not_so = self.assume(when.clone(), *cond, false);
            let not_so = not_so.taking(of, false);
            if let Some(otherwise) = otherwise {
                self.list(&otherwise.stmts, not_so);
            } else if matches!(then.stmts.last(), Some(last) if matches!(last.kind, StmtKind::Continue))
                && !then.stmts[..then.stmts.len() - 1].iter().any(leaves)
            {
                return not_so;
            }
        } else if loops::hints(stmt).is_some() {
            self.inner_loop(stmt, &when);
        } else {
            for root in stmt.exprs() {
                self.value(root, &when);
            }
            let inside = match &stmt.kind {
                StmtKind::Block(_) => when.clone(),
                _ => when.clone().perhaps(),
            };
            for list in stmt.lists() {
                self.list(list, inside.clone());
            }
        }
        if leaves(stmt) { when.perhaps() } else { when }
    }

    /// A loop in the body: each of its iterations, if they are few.
    fn inner_loop(&mut self, stmt: &Stmt, when: &When) {
        let (StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. }) = &stmt.kind
        else {
            return;
        };
        let Some((at, values)) = self.values(stmt) else {
            return self.list(&body.stmts, when.clone().perhaps());
        };
        let is_left = body
            .stmts
            .iter()
            .any(|stmt| loops::leaves(stmt, true, false));
        let inside = if is_left {
            when.clone().perhaps()
        } else {
            when.clone()
        };
        let trips = values.len() as u64;
        self.copied *= trips.max(1);
        for value in values {
            self.copies.insert(at, value);
            self.list(&body.stmts, inside.clone());
        }
        self.copies.remove(&at);
        self.copied /= trips.max(1);
    }

    /// The number of a loop's counter and its values, if they are constant and few.
    fn values(&self, stmt: &Stmt) -> Option<(usize, Vec<i128>)> {
        let hints = loops::hints(stmt)?;
        // Some copies are not all.
        if !hints.attrs.is_empty() || hints.pragmas.iter().any(|text| text != "unroll") {
            return None;
        }
        let header = Header::of(self.aliases.function, stmt)?;
        let mut counting = self.indices.counting.iter();
        let at = counting.position(|counting| counting.header.counter == header.counter)?;
        let step = self.indices.counting[at].step?;
        let start = self.constants.value(header.start)?;
        let trips = trip_count(self.constants, stmt)?;
        let is_few = trips.checked_mul(self.copied)? <= MOST_COPIES;
        let values = (0..i128::from(trips)).map(|iteration| start + iteration * step);
        is_few.then(|| (at, values.collect()))
    }

    fn value(&mut self, id: ExprId, when: &When) {
        let exprs = &self.aliases.function.exprs;
        match *exprs.get(id) {
            Expr::SizeOf(_) => {}
            Expr::Binary {
                op: op @ (BinaryOp::And | BinaryOp::Or),
                lhs,
                rhs,
            } => {
                self.value(lhs, when);
                let when = self.assume(when.clone(), lhs, op == BinaryOp::And);
                self.value(rhs, &when);
            }
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => {
                self.value(cond, when);
                let so = self.assume(when.clone(), cond, true);
                self.value(then, &so);
                let not_so = self.assume(when.clone(), cond, false);
                self.value(otherwise, &not_so);
            }
            Expr::Assign { lhs, rhs, .. } => {
                self.store(lhs, when);
                self.parts(lhs, when);
                self.value(rhs, when);
            }
            Expr::IncDec { operand, .. }
            | Expr::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => self.parts(operand, when),
            Expr::Index { base, index } => {
                self.read(id, base, index, when);
                self.parts(id, when);
            }
            _ => self.parts(id, when),
        }
    }

    /// What an expression is made of.
    fn parts(&mut self, id: ExprId, when: &When) {
        for child in self.aliases.function.exprs.children(id) {
            self.value(child, when);
        }
    }

    fn store(&mut self, id: ExprId, when: &When) {
        let Expr::Index { base, index } = *self.aliases.function.exprs.get(id) else {
            return;
        };
        if !self.copies.is_empty() {
            return;
        }
        let Some(array) = self.array(id, base) else {
            return;
        };
        if let Some(Address::At { poly, wraps, .. }) = self.index(index)
            && (!wraps || is_within(&poly, &when.counters, LARGEST_UINT))
        {
            self.stores.insert(id, Store { array, poly });
        }
    }

    fn read(&mut self, id: ExprId, base: ExprId, index: ExprId, when: &When) {
        let Some(array) = self.array(id, base) else {
            return;
        };
        let is_known = self.reads.contains_key(&id);
        if when.is_never || !is_known && self.reads.len() >= MOST_READS {
            return;
        }
        let address = match self.reads.get(&id) {
            Some(known) => known.address.clone(),
            None => match self.index(index) {
                Some(address) => address,
                None => return,
            },
        };
        let mut reaches = Vec::new();
        if !self.reach(&address, when.clone(), 0, &mut reaches) {
            self.wrapping.insert(id);
        }
        if self.wrapping.contains(&id) {
            self.reads.remove(&id);
            return;
        }
        let read = self.reads.entry(id).or_insert(Read {
            array,
            address,
            reaches: Vec::new(),
            visits: Vec::new(),
        });
        read.reaches.append(&mut reaches);
        read.visits.push((when.clone(), self.copies.clone()));
    }

    /// Lets bounds at borders move on with the counters of a nest.
    pub fn anchor(&mut self, numbers: &[usize]) {
        let is_choice = |read: &Read| read.address.choices() > 1;
        let choices = self.reads.iter().filter(|(_, read)| is_choice(read));
        let choices: Vec<(ExprId, Read)> = choices.map(|(id, r)| (*id, r.clone())).collect();
        for (id, read) in choices {
            let address = anchored(&read.address, &read.reaches, numbers);
            let moved = address.filter(|address| address.choices() <= MOST_CHOICES);
            let moved = moved.and_then(|address| self.again(&read, address));
            self.reads.extend(moved.map(|moved| (id, moved)));
        }
    }

    /// A read at another address, which is the same number.
    fn again(&mut self, read: &Read, address: Address) -> Option<Read> {
        let mut reaches = Vec::new();
        for (when, copies) in &read.visits {
            self.copies = copies.clone();
            let is_known = self.reach(&address, when.clone(), 0, &mut reaches);
            self.copies.clear();
            is_known.then_some(())?;
        }
        Some(Read {
            address,
            reaches,
            ..read.clone()
        })
    }

    /// The array whose element an expression is: a pointer into global memory that stays.
    fn array(&self, id: ExprId, base: ExprId) -> Option<VarId> {
        let (types, function) = (&self.aliases.module.types, self.aliases.function);
        let array = function.exprs.local_var(base)?;
        let ty = function.exprs.ty(id);
        let is_value = types.component(ty).is_some();
        let (_, space) = types.as_pointer(function.vars[array].ty.ty)?;
        let stays = self
            .indices
            .writes
            .get(&array)
            .is_none_or(|times| *times == 0)
            && !self.aliases.is_exposed(VarRef::Local(array));
        let is_fit = is_value && stays && space == AddressSpace::Global;
        (is_fit && !self.aliases.is_volatile(id)).then_some(array)
    }

    /// All that an address may be, the first of which is counted as `leaf`; false if it is not known where it
    /// wraps.
    fn reach(
        &mut self,
        address: &Address,
        when: When,
        leaf: usize,
        found: &mut Vec<Reach>,
    ) -> bool {
        match address {
            _ if when.is_never => true,
            Address::At { expr, poly, wraps } => {
                let poly = self.copy(poly);
                let fits = !wraps || is_within(&poly, &when.counters, LARGEST_UINT);
                found.push(Reach {
                    poly,
                    expr: *expr,
                    copies: self.copies.clone(),
                    when,
                    leaf,
                });
                fits
            }
            Address::Choice {
                cond,
                then,
                otherwise,
            } => {
                let range = |at: usize| match self.copies.get(&at) {
                    Some(value) => Some((*value, *value)),
                    None => self.counters.get(&at).copied(),
                };
                let is_small = cond.is_small(&range);
                let so = self.where_so(when.clone(), cond, true);
                let not_so = self.where_so(when, cond, false);
                is_small
                    && self.reach(then, so, leaf, found)
                    && self.reach(otherwise, not_so, leaf + then.choices(), found)
            }
        }
    }

    fn where_so(&mut self, when: When, cond: &Cond, truth: bool) -> When {
        match cond {
            Cond::Given(cond) => self.assume(when, *cond, truth),
            Cond::Sign(poly, op) => {
                let op = if truth { Some(*op) } else { (*op).negated() };
                match op {
                    Some(op) => compare(when, &self.copy(poly), op),
                    None => when.perhaps(),
                }
            }
        }
    }

    /// The address that an index is. One of 64 bits without sign wraps as addresses do.
    fn index(&mut self, index: ExprId) -> Option<Address> {
        let widened = self.indices.widened(index);
        if let Some(address) = self.address(widened) {
            return Some(address);
        }
        let poly = self.modular(index)?;
        Some(Address::At {
            expr: Some(index),
            poly,
            wraps: self.scalar(index)?.size() < 8,
        })
    }

    fn scalar(&self, id: ExprId) -> Option<Scalar> {
        let ty = self.aliases.function.exprs.ty(id);
        self.aliases.module.types.as_scalar(ty)
    }

    /// An unsigned integer but for multiples of what its type can hold.
    fn modular(&mut self, id: ExprId) -> Option<Poly> {
        let into = self.scalar(id)?;
        if !matches!(into, Scalar::UInt | Scalar::ULong) {
            return None;
        }
        if let Some(poly) = self.followed(id) {
            return Some(poly);
        }
        match *self.aliases.function.exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => {
                let value = self.indices.fixed(var)?;
                self.as_modular(value, into)
            }
            Expr::Cast { operand, .. } => self.as_modular(operand, into),
            Expr::Binary { op, lhs, rhs } => {
                let (x, y) = (self.as_modular(lhs, into)?, self.as_modular(rhs, into)?);
                match op {
                    BinaryOp::Add => Some(x.plus(&y, 1)),
                    BinaryOp::Sub => Some(x.plus(&y, -1)),
                    BinaryOp::Mul => x.times(&y),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A value where it becomes one of an unsigned type. What is widened must be what it seems.
    fn as_modular(&mut self, value: ExprId, into: Scalar) -> Option<Poly> {
        let from = self.scalar(value)?;
        if self.indices.is_signed(value) {
            return self.followed(value);
        }
        let poly = self.modular(value)?;
        let is_same = from.size() >= into.size();
        (is_same || is_within(&poly, &self.counters, LARGEST_UINT)).then_some(poly)
    }

    /// A polynomial in the iteration at hand of the loops in the body.
    fn copy(&self, poly: &Poly) -> Poly {
        poly.with_values(&|sym| match sym {
            Sym::Iter(at) => self.copies.get(&at).copied(),
            _ => None,
        })
    }

    /// An integer of counters and of numbers that stay, as constant as possible.
    fn poly(&mut self, id: ExprId) -> Option<Poly> {
        if let Some(poly) = self.followed(id) {
            return Some(poly);
        }
        let poly = self.modular(id)?;
        is_within(&poly, &self.counters, LARGEST_UINT).then_some(poly)
    }

    /// The same of signed arithmetic, which does not wrap.
    fn followed(&mut self, id: ExprId) -> Option<Poly> {
        let poly = self.indices.poly(id)?;
        let (indices, constants) = (&*self.indices, self.constants);
        Some(poly.with_values(&|sym| match sym {
            Sym::Opaque(number) => constants.value(indices.meanings()[number]),
            _ => None,
        }))
    }

    fn address(&mut self, id: ExprId) -> Option<Address> {
        if let Some(poly) = self.poly(id) {
            let expr = Some(id);
            return Some(Address::At {
                expr,
                poly,
                wraps: false,
            });
        }
        let exprs = &self.aliases.function.exprs;
        let found = match *exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => {
                let value = self.indices.fixed(var)?;
                self.widening(value, id)?
            }
            Expr::Cast { operand, .. } => self.widening(operand, id)?,
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => {
                if !self.is_settled(cond) {
                    return None;
                }
                let then = self.widening(then, id)?;
                let otherwise = self.widening(otherwise, id)?;
                Address::Choice {
                    cond: Cond::Given(cond),
                    then: Box::new(then),
                    otherwise: Box::new(otherwise),
                }
            }
            Expr::Call {
                callee: Callee::Builtin(ref name),
                ref args,
            } => self.bounded(name, args, id)?,
            Expr::Binary {
                op: op @ (BinaryOp::Add | BinaryOp::Sub),
                lhs,
                rhs,
            } => {
                let x = self.widening(lhs, id)?;
                let y = self.widening(rhs, id)?;
                if x.choices() * y.choices() > MOST_CHOICES {
                    return None;
                }
                x.plus(&y, if op == BinaryOp::Add { 1 } else { -1 })
            }
            Expr::Binary {
                op: BinaryOp::Mul,
                lhs,
                rhs,
            } => {
                let (x, y) = (self.widening(lhs, id)?, self.widening(rhs, id)?);
                let number = |address: &Address| match address {
                    Address::At { poly, .. } => poly.as_constant(),
                    Address::Choice { .. } => None,
                };
                match (number(&x), number(&y)) {
                    (Some(by), _) => y.times(by),
                    (_, Some(by)) => x.times(by),
                    _ => return None,
                }
            }
            _ => return None,
        };
        (found.choices() <= MOST_CHOICES).then_some(found)
    }

    /// What `min`, `max` and `clamp` give.
    fn bounded(&mut self, name: &str, args: &[ExprId], id: ExprId) -> Option<Address> {
        let ops: &[BinaryOp] = match name {
            "max" => &[BinaryOp::Ge],
            "min" => &[BinaryOp::Le],
            "clamp" => &[BinaryOp::Ge, BinaryOp::Le],
            _ => return None,
        };
        let (first, bounds) = args.split_first()?;
        let mut bounded = self.widening(*first, id)?;
        for (op, bound) in ops.iter().zip(bounds) {
            let bound = self.widening(*bound, id)?;
            if bounded.choices() * bound.choices() * 2 > MOST_CHOICES {
                return None;
            }
            bounded = bounded.extreme(&bound, *op);
        }
        (bounds.len() == ops.len()).then_some(bounded)
    }

    /// The address that a value is where it becomes one of the type of `into`, if that does not change it.
    fn widening(&mut self, value: ExprId, into: ExprId) -> Option<Address> {
        let exprs = &self.aliases.function.exprs;
        let types = &self.aliases.module.types;
        let from = types.as_scalar(exprs.ty(value))?;
        let into = types.as_scalar(exprs.ty(into))?;
        let fits = self.indices.is_signed(value)
            && into.is_integer()
            && into.is_signed_integer()
            && from.size() <= into.size();
        fits.then(|| self.address(value)).flatten()
    }

    /// Whether a condition is made of comparisons of what is followed. It has the same value wherever it
    /// stands in an iteration.
    fn is_settled(&mut self, cond: ExprId) -> bool {
        match *self.aliases.function.exprs.get(cond) {
            Expr::Binary {
                op: BinaryOp::And | BinaryOp::Or,
                lhs,
                rhs,
            } => self.is_settled(lhs) && self.is_settled(rhs),
            Expr::Unary {
                op: UnaryOp::Not,
                operand,
            } => self.is_settled(operand),
            Expr::Binary { op, lhs, rhs } if op.is_comparison() => {
                self.poly(lhs).is_some() && self.poly(rhs).is_some()
            }
            _ => false,
        }
    }

    /// The iterations of these in which a condition is true, or false.
    pub fn assume(&mut self, when: When, cond: ExprId, truth: bool) -> When {
        match *self.aliases.function.exprs.get(cond) {
            Expr::Int { value, .. } => when.if_so((value != 0) == truth),
            Expr::Unary {
                op: UnaryOp::Not,
                operand,
            } => self.assume(when, operand, !truth),
            Expr::Binary {
                op: op @ (BinaryOp::And | BinaryOp::Or),
                lhs,
                rhs,
            } => {
                if (op == BinaryOp::And) == truth {
                    let first = self.assume(when, lhs, truth);
                    return self.assume(first, rhs, truth);
                }
                // One of the two decides, unless the other cannot.
                let first = self.assume(when.clone(), lhs, truth);
                let second = self.assume(when.clone(), rhs, truth);
                match (first.is_never, second.is_never) {
                    (true, _) => second,
                    (_, true) => first,
                    _ => when.perhaps(),
                }
            }
            Expr::Binary { op, lhs, rhs } if op.is_comparison() => {
                let op = if truth { Some(op) } else { op.negated() };
                match (op, self.difference(lhs, rhs)) {
                    (Some(op), Some(difference)) => compare(when, &difference, op),
                    _ => when.perhaps(),
                }
            }
            _ => when.perhaps(),
        }
    }

    /// How much larger one integer is than another, if they are compared as what they are.
    fn difference(&mut self, lhs: ExprId, rhs: ExprId) -> Option<Poly> {
        let (x, y) = (self.poly(lhs)?, self.poly(rhs)?);
        if !self.indices.is_signed(lhs) || !self.indices.is_signed(rhs) {
            let is_small = |poly: &Poly| is_within(poly, &self.counters, LARGEST_UINT);
            if !is_small(&x) || !is_small(&y) {
                return None;
            }
        }
        Some(self.copy(&x.plus(&y, -1)))
    }
}

/// Whether a polynomial of known counters is neither less than 0 nor more than this.
fn is_within(poly: &Poly, counters: &BTreeMap<usize, Interval>, most: i128) -> bool {
    let (rest, constant) = poly.split_constant();
    let mut range = (constant, constant);
    for (symbols, factor) in rest.terms() {
        let [Sym::Iter(at)] = symbols else {
            return false;
        };
        let Some((first, last)) = counters.get(at) else {
            return false;
        };
        let ends = [factor * first, factor * last];
        range.0 += ends[0].min(ends[1]);
        range.1 += ends[0].max(ends[1]);
    }
    range.0 >= 0 && range.1 <= most
}

/// The iterations of these in which a polynomial compares with 0 so.
fn compare(when: When, poly: &Poly, op: BinaryOp) -> When {
    let (rest, constant) = poly.split_constant();
    let mut terms = rest.terms();
    match (terms.next(), terms.next()) {
        (None, _) => when.if_so(compares(constant, op)),
        (Some(([Sym::Iter(counter)], factor)), None) => {
            when.where_linear(*counter, factor, constant, op)
        }
        _ => when.perhaps(),
    }
}

/// Whether the rest of an iteration may be left out after a statement.
fn leaves(stmt: &Stmt) -> bool {
    loops::leaves(stmt, true, true)
}
