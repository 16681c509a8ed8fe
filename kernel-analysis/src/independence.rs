//! Proofs that a loop carries no dependence through an array.
//!
//! An index is a polynomial of loop counters and of numbers that stay while the loop runs. Rows are told
//! apart first: where `i * n + j` has `0 <= j < n`, two of them are equal only if `i` and `j` are (the idea of
//! Maslov, "Delinearization: an efficient way to break multiloop dependence equations", PLDI 1992). What is
//! linear then goes, with the conditions of the loops, into Fourier-Motzkin elimination.
//!
//! What is proved is told to a compiler for hardware, where a mistake is seen by no emulator. So nothing is
//! taken as known that C does not say: only signed arithmetic, which may not overflow, is followed, and only
//! arrays that no other access in the loop can reach.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Expr, ExprId, Init, Scalar, Stmt, StmtKind, TypeId, UnaryOp, VarId,
    VarRef,
};

use super::accesses::{Access, Accesses, Summaries};
use super::alias::{Aliases, Root, Roots};
use super::loops;
use super::nest::{Header, Nests, Writes, variable};
use crate::fourier_motzkin::{Linear, Range, range_of};
use crate::poly::{Poly, Sym};

/// Loops with more accesses to one array than this are left alone: all pairs are compared.
const MOST_ACCESSES: usize = 24;
/// Expressions of a loop that are followed: variables that stand for others may stand for very many.
const MOST_EXPRESSIONS: usize = 4000;
/// Numbers beyond this are not followed.
const LARGEST: i128 = 1 << 31;

/// The arrays, of those that are wanted, that a loop writes and accesses at another place, too, in which its
/// iterations never meet, in the order of their declaration.
pub fn independent_arrays(
    aliases: &Aliases<'_>,
    summaries: &Summaries,
    nests: &Nests<'_>,
    stmt: &Stmt,
    is_wanted: impl Fn(VarId) -> bool,
) -> Vec<VarId> {
    if Header::of(aliases.function, stmt).is_none() || has_labels(stmt) {
        return Vec::new();
    }
    let region = Accesses::of_loop(aliases, summaries, stmt);
    if region.synchronises.is_some() {
        return Vec::new();
    }
    let mut proof = Proof::new(aliases, nests, stmt, &region);
    let arrays: BTreeSet<VarId> = region
        .writes()
        .filter_map(|write| proof.array_of(write))
        .filter(|array| is_wanted(*array) && proof.meeting(&region, *array).nth(1).is_some())
        .collect();
    // The walk costs most: only where there is something to prove.
    if arrays.is_empty() || !proof.follow(stmt) {
        return Vec::new();
    }
    let is_proved = |array: &VarId| proof.never_meet(&region, *array);
    arrays.into_iter().filter(is_proved).collect()
}

/// Whether control may come into a loop from elsewhere.
fn has_labels(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.for_each(&mut |stmt| found |= matches!(stmt.kind, StmtKind::Label(_)));
    found
}

/// What inequalities are about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Var {
    /// Iterations of the loop from the earlier access to the later one.
    Distance,
    /// The loop's counter at the earlier access.
    First,
    /// The counter of a loop inside, at an access.
    Inside(Side, usize),
    /// A product of numbers that stay.
    Same(Vec<Sym>),
}

/// One of two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Earlier,
    Later,
}

/// A counting loop: the one that is looked at, or one inside.
#[derive(Clone, Copy)]
struct Counting {
    header: Header,
    /// What is added in each iteration, if that is a constant.
    step: Option<i128>,
}

/// An access to the array at hand.
struct Place {
    write: bool,
    /// The index in each dimension.
    indices: Vec<Poly>,
    /// What is not negative there.
    holds: Vec<Poly>,
}

struct Proof<'a> {
    aliases: &'a Aliases<'a>,
    nests: &'a Nests<'a>,
    writes: Writes,
    /// First the loop, then those inside in the order of the text.
    counting: Vec<Counting>,
    /// The counting loops around an expression, by the expression.
    around: BTreeMap<ExprId, Vec<usize>>,
    /// Variables that get their one value where they are declared in the loop.
    fixed: BTreeMap<VarId, ExprId>,
    declared: &'a [VarId],
    /// Expressions that stay while the loop runs, by the numbers of their symbols.
    staying: Vec<ExprId>,
    /// Expressions that may still be looked at.
    left: usize,
}

impl<'a> Proof<'a> {
    fn new(
        aliases: &'a Aliases<'a>,
        nests: &'a Nests<'a>,
        stmt: &'a Stmt,
        region: &'a Accesses,
    ) -> Self {
        Proof {
            aliases,
            nests,
            writes: nests.writes(stmt),
            counting: Vec::new(),
            around: Default::default(),
            fixed: Default::default(),
            declared: &region.declared,
            staying: Vec::new(),
            left: MOST_EXPRESSIONS,
        }
    }

    /// Looks through the loop; false if it does not count by a constant.
    fn follow(&mut self, stmt: &Stmt) -> bool {
        self.walk(stmt, &[]);
        let own = Header::of(self.aliases.function, stmt);
        let counts = |first: &Counting| {
            own.is_some_and(|own| own.counter == first.header.counter) && first.step.is_some()
        };
        self.counting.first().is_some_and(counts)
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
                // Of one that stands in two places, nothing is known.
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
    fn is_signed(&self, id: ExprId) -> bool {
        let scalar = self.scalar(id);
        scalar.is_some_and(|s| s.is_integer() && (s.is_signed_integer() || s.size() < 4))
    }

    fn scalar(&self, id: ExprId) -> Option<Scalar> {
        let ty = self.aliases.function.exprs.ty(id);
        self.aliases.module.types.as_scalar(ty)
    }

    /// The array that an access writes, if a pragma can name it and its iterations may meet there.
    fn array_of(&self, access: &Access) -> Option<VarId> {
        let (array, _) = self.indexed(access.at)?;
        let function = self.aliases.function;
        let variable = &function.vars[array];
        let names = function
            .vars
            .iter()
            .filter(|(_, v)| v.name == variable.name);
        let is_stable = self.writes.get(&array).is_none_or(|times| *times == 0)
            || self.aliases.module.types.as_array(variable.ty.ty).is_some();
        let is_outside = !self.declared.contains(&array);
        (is_stable && is_outside && names.count() == 1 && access.exact).then_some(array)
    }

    /// The variable that an lvalue indexes, and the indices, the outermost first. Fields and components of
    /// an element are the element.
    fn indexed(&self, at: ExprId) -> Option<(VarId, Vec<ExprId>)> {
        let exprs = &self.aliases.function.exprs;
        match *exprs.get(at) {
            Expr::Index { base, index } => {
                if let Some(var) = variable(self.aliases.function, base) {
                    return Some((var, vec![index]));
                }
                if self.aliases.is_pointer(base) {
                    return None;
                }
                let is_index = matches!(exprs.get(base), Expr::Index { .. });
                let (var, mut indices) = self.indexed(base).filter(|_| is_index)?;
                indices.push(index);
                Some((var, indices))
            }
            Expr::Member {
                base, arrow: false, ..
            }
            | Expr::Swizzle { base, .. } => self.indexed(base),
            _ => None,
        }
    }

    /// What an array is, if only its name leads to it.
    fn roots(&self, array: VarId) -> Option<Roots> {
        let function = self.aliases.function;
        let types = &self.aliases.module.types;
        let ty = function.vars[array].ty.ty;
        if types.as_array(ty).is_some() {
            let object = VarRef::Local(array);
            let is_hidden = !self.aliases.is_exposed(object);
            return is_hidden.then(|| Roots::from([Root::Object(object)]));
        }
        // `ivdep` of a pointer also holds for all that may alias it in the compiler's eyes: of `__local`
        // pointers these are more than in ours.
        let (_, space) = types.as_pointer(ty)?;
        let roots = Roots::from([Root::Param(array)]);
        let is_own = function.params.contains(&array) && *self.aliases.var_roots(array) == roots;
        (is_own && space == AddressSpace::Global).then_some(roots)
    }

    /// The accesses that may reach an array.
    fn meeting<'r>(
        &self,
        region: &'r Accesses,
        array: VarId,
    ) -> impl Iterator<Item = &'r Access> + use<'r, 'a, '_> {
        let roots = self.roots(array);
        let aliases = self.aliases;
        region.list.iter().filter(move |access| {
            let meets = |roots: &Roots| aliases.roots_meet(&access.roots, roots);
            roots.as_ref().is_some_and(meets)
        })
    }

    /// Whether no two iterations touch the same element of an array, one of them writing it.
    fn never_meet(&mut self, region: &Accesses, array: VarId) -> bool {
        let mut places = Vec::new();
        for access in self.meeting(region, array).collect::<Vec<_>>() {
            match self.place(access, array) {
                Some(place) if places.len() < MOST_ACCESSES => places.push(place),
                _ => return false,
            }
        }
        let pairs = places
            .iter()
            .flat_map(|x| places.iter().map(move |y| (x, y)));
        // One store alone orders nothing.
        places.len() > 1
            && pairs
                .filter(|(x, y)| x.write || y.write)
                .all(|(x, y)| x.indices.len() == y.indices.len() && self.are_apart(x, y))
    }

    fn place(&mut self, access: &Access, array: VarId) -> Option<Place> {
        let (named, indices) = self.indexed(access.at)?;
        if named != array || !access.exact || self.aliases.is_volatile(access.at) {
            return None;
        }
        let around = self.around.get(&access.at)?.clone();
        let indices = indices.into_iter().map(|index| {
            let index = self.widened(index);
            self.poly(index)
        });
        let indices = indices.collect::<Option<Vec<Poly>>>()?;
        // The loop itself must be around: its condition is not.
        around.first().filter(|first| **first == 0)?;
        let mut holds = Vec::new();
        for at in &around {
            self.conditions(*at, &mut holds);
        }
        Some(Place {
            write: access.write,
            indices,
            holds,
        })
    }

    /// An index without a cast to 64 bits, which changes no address.
    fn widened(&self, id: ExprId) -> ExprId {
        match *self.aliases.function.exprs.get(id) {
            Expr::Cast { operand, .. } => {
                let size = |id| self.scalar(id).filter(|s| s.is_integer()).map(Scalar::size);
                let is_widening = size(id) == Some(8) && self.is_signed(operand);
                if is_widening { operand } else { id }
            }
            _ => id,
        }
    }

    /// What is not negative in the body of a loop.
    fn conditions(&mut self, at: usize, holds: &mut Vec<Poly>) {
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
        let is_plain = variable(function, header.compared) == Some(header.counter);
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

    /// An integer as a polynomial of counters of the loops around it and of numbers that stay.
    fn poly(&mut self, id: ExprId) -> Option<Poly> {
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
        let (x, y) = (self.poly(lhs)?, self.poly(rhs)?);
        match op {
            BinaryOp::Add => Some(x.plus(&y, 1)),
            BinaryOp::Sub => Some(x.plus(&y, -1)),
            _ => {
                let product = x.times(&y)?;
                let is_small = |(_, by): (&[Sym], i128)| by.abs() < LARGEST * LARGEST;
                let is_followed = product.terms().all(is_small);
                is_followed.then_some(product)
            }
        }
    }

    /// The counting loop around an expression that counts with a variable.
    fn counter(&self, id: ExprId, var: VarId) -> Option<usize> {
        let around = self.around.get(&id)?.iter().copied();
        let mut counting = around.filter(|at| self.counting[*at].header.counter == var);
        counting.next()
    }

    /// A value that becomes one of a type, if that does not change it.
    fn converted(&mut self, value: ExprId, ty: TypeId) -> Option<Poly> {
        let into = self.aliases.module.types.as_scalar(ty)?;
        let fits = self.is_signed(value) && self.scalar(value)?.size() <= into.size();
        if !fits || !into.is_signed_integer() {
            return None;
        }
        self.poly(value)
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

    /// Whether the second access never touches, in a later iteration, what the first touched.
    fn are_apart(&self, earlier: &Place, later: &Place) -> bool {
        let mut all = self.inequalities(earlier, Side::Earlier);
        all.extend(self.inequalities(later, Side::Later));
        let mut next = Linear::constant(-1);
        if next.add(Var::Distance, 1).is_none() {
            return false;
        }
        all.push(next);
        // Each dimension must be the same; those that cannot be followed tell nothing.
        for (x, y) in earlier.indices.iter().zip(&later.indices) {
            for difference in self.differences(x, y, &all) {
                let opposite = Linear::constant(0).plus(&difference, -1);
                all.extend(opposite);
                all.push(difference);
            }
        }
        range_of(&Var::Distance, &all) == Range::Empty
    }

    /// Differences that are all 0 if two indices are equal and `all` holds. `i * n + j` is `k * n + l` only
    /// where `i` is `k` and `j` is `l`, if `j` and `l` are always less than `n` apart.
    fn differences(&self, x: &Poly, y: &Poly, all: &[Linear<Var>]) -> Vec<Linear<Var>> {
        let (mut x, mut y) = (x.clone(), y.clone());
        let mut found = Vec::new();
        while let Some((difference, quotients)) = lengths(&[&x, &y])
            .into_iter()
            .find_map(|length| self.split((&x, &y), length, all))
        {
            found.push(difference);
            (x, y) = quotients;
        }
        found.extend(self.difference(&x, &y));
        found
    }

    /// The difference of what two indices are without multiples of a length, if that is always less than the
    /// length, and how many multiples they are.
    fn split(
        &self,
        (x, y): (&Poly, &Poly),
        length: Sym,
        all: &[Linear<Var>],
    ) -> Option<(Linear<Var>, (Poly, Poly))> {
        let quotients = (quotient(x, length)?, quotient(y, length)?);
        let difference = self.difference(&x.without(length), &y.without(length))?;
        let length = self.linear(&Poly::sym(length), Side::Earlier)?;
        let is_impossible = |by: i128| {
            let case = Linear::constant(0).plus(&difference, by)?;
            let mut cases = all.to_vec();
            cases.push(case.plus(&length, -1)?);
            (range_of(&Var::Distance, &cases) == Range::Empty).then_some(())
        };
        is_impossible(1)?;
        is_impossible(-1)?;
        Some((difference, quotients))
    }

    /// A value at the earlier access minus one at the later.
    fn difference(&self, x: &Poly, y: &Poly) -> Option<Linear<Var>> {
        let y = self.linear(y, Side::Later)?;
        self.linear(x, Side::Earlier)?.plus(&y, -1)
    }

    fn inequalities(&self, place: &Place, side: Side) -> Vec<Linear<Var>> {
        let holds = place.holds.iter();
        holds.filter_map(|poly| self.linear(poly, side)).collect()
    }

    /// A polynomial at one of the accesses; `None`: it is not linear in what changes.
    fn linear(&self, poly: &Poly, side: Side) -> Option<Linear<Var>> {
        let mut linear = Linear::constant(0);
        for (monomial, by) in poly.terms() {
            match monomial {
                [] => linear = linear.plus(&Linear::constant(by), 1)?,
                [Sym::Iter(0)] => {
                    linear.add(Var::First, by)?;
                    if side == Side::Later {
                        let step = self.counting[0].step?;
                        linear.add(Var::Distance, by.checked_mul(step)?)?;
                    }
                }
                [Sym::Iter(inner)] => linear.add(Var::Inside(side, *inner), by)?,
                _ if monomial.iter().any(|sym| matches!(sym, Sym::Iter(_))) => return None,
                _ => linear.add(Var::Same(monomial.to_vec()), by)?,
            }
        }
        Some(linear)
    }
}

/// Numbers that stay by which counters are multiplied.
fn lengths(indices: &[&Poly]) -> BTreeSet<Sym> {
    let terms = indices.iter().flat_map(|index| index.terms());
    let is_counter = |sym: &Sym| matches!(sym, Sym::Iter(_));
    let products = terms.filter(|(symbols, _)| symbols.iter().any(is_counter));
    let symbols = products.flat_map(|(symbols, _)| symbols.to_vec());
    symbols.filter(|sym| !is_counter(sym)).collect()
}

/// What the terms with a symbol are multiples of it by.
fn quotient(poly: &Poly, by: Sym) -> Option<Poly> {
    let mut sum = Poly::default();
    for (symbols, factor) in poly.terms() {
        let Some(at) = symbols.iter().position(|sym| *sym == by) else {
            continue;
        };
        let others = symbols.iter().enumerate().filter(|(other, _)| *other != at);
        let product = others.map(|(_, sym)| Poly::sym(*sym));
        let product = product
            .into_iter()
            .try_fold(Poly::constant(1), |a, b| a.times(&b))?;
        sum = sum.plus(&product, factor);
    }
    Some(sum)
}
