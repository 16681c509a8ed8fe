//! Proofs that a loop carries no dependence through an array.
//!
//! An index is a polynomial of loop counters and of numbers that stay while the loop runs. Rows are distinguished
//! apart first: where `i * n + j` has `0 <= j < n`, two of them are equal only if `i` and `j` are (the idea of
//! Maslov, "Delinearization: an efficient way to break multiloop dependence equations", PLDI 1992). What is
//! linear then goes, with the conditions of the loops, into Fourier-Motzkin elimination.
//!
//! What is proved is asserted to a compiler for hardware, where a mistake is seen by no emulator. So only arrays
//! are looked at that no other access in the loop can reach.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{AddressSpace, Expr, ExprId, Stmt, StmtKind, VarId, VarRef};

use super::accesses::{Access, Accesses, Summaries};
use super::alias::{Aliases, Root, Roots};
use super::indices::Indices;
use super::nest::{Header, Nests};
use crate::fourier_motzkin::{Linear, Range, range_of};
use crate::poly::{Poly, Sym};

/// Loops with more accesses to one array than this are left alone: all pairs are compared.
const MOST_ACCESSES: usize = 24;

/// The arrays, of those that are wanted, that a loop writes and accesses at another location, too, in which its
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
    let mut proof = Proof::new(aliases, nests, stmt, &region.declared);
    let arrays: BTreeSet<VarId> = region
        .writes()
        .filter_map(|write| proof.array_of(write))
        .filter(|array| is_wanted(*array) && proof.meeting(&region, *array).nth(1).is_some())
        .collect();
    // The walk costs most: only where there is something to prove.
    if arrays.is_empty() || !proof.indices.follow(stmt) {
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

/// An access to the array at hand.
pub(crate) struct IndexedAccess {
    write: bool,
    /// The index in each dimension.
    indices: Vec<Poly>,
    /// What is not negative there.
    holds: Vec<Poly>,
}

impl IndexedAccess {
    /// Whether both access the same element in each iteration.
    pub(crate) fn is_at(&self, other: &IndexedAccess) -> bool {
        let pairs = self.indices.iter().zip(&other.indices);
        let is_same = |(x, y): (&Poly, &Poly)| x.plus(y, -1).as_constant() == Some(0);
        self.indices.len() == other.indices.len() && pairs.into_iter().all(is_same)
    }
}

/// The variable that an lvalue indexes, and the indices, the outermost first. Fields and components of
/// an element are the element.
pub fn indexed(aliases: &Aliases<'_>, at: ExprId) -> Option<(VarId, Vec<ExprId>)> {
    let exprs = &aliases.function.exprs;
    match *exprs.get(at) {
        Expr::Index { base, index } => {
            if let Some(var) = exprs.local_var(base) {
                return Some((var, vec![index]));
            }
            if aliases.is_pointer(base) {
                return None;
            }
            let is_index = matches!(exprs.get(base), Expr::Index { .. });
            let (var, mut indices) = indexed(aliases, base).filter(|_| is_index)?;
            indices.push(index);
            Some((var, indices))
        }
        Expr::Member {
            base, arrow: false, ..
        }
        | Expr::Swizzle { base, .. } => indexed(aliases, base),
        _ => None,
    }
}

/// How many iterations one access is later than another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Later {
    /// None: both are in the same one.
    Same,
    /// None, or any number.
    SameOrLater,
    /// At least one.
    Later,
}

pub(crate) struct Proof<'a> {
    aliases: &'a Aliases<'a>,
    pub(crate) indices: Indices<'a>,
    declared: &'a [VarId],
}

impl<'a> Proof<'a> {
    pub(crate) fn new(
        aliases: &'a Aliases<'a>,
        nests: &'a Nests<'a>,
        stmt: &Stmt,
        declared: &'a [VarId],
    ) -> Self {
        Proof {
            aliases,
            indices: Indices::new(aliases, nests, stmt),
            declared,
        }
    }

    /// The array that an access writes, if a pragma can name it and its iterations may meet there.
    fn array_of(&self, access: &Access) -> Option<VarId> {
        let (array, _) = indexed(self.aliases, access.at)?;
        let function = self.aliases.function;
        let variable = &function.vars[array];
        let names = function
            .vars
            .iter()
            .filter(|(_, v)| v.name == variable.name);
        let is_stable = self
            .indices
            .writes
            .get(&array)
            .is_none_or(|times| *times == 0)
            || self.aliases.module.types.as_array(variable.ty.ty).is_some();
        let is_outside = !self.declared.contains(&array);
        (is_stable && is_outside && names.count() == 1 && access.exact).then_some(array)
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
        let mut locations = Vec::new();
        for access in self.meeting(region, array).collect::<Vec<_>>() {
            match self.location(access, array) {
                Some(location) if locations.len() < MOST_ACCESSES => locations.push(location),
                _ => return false,
            }
        }
        let pairs = locations
            .iter()
            .flat_map(|x| locations.iter().map(move |y| (x, y)));
        // One store alone orders nothing.
        locations.len() > 1
            && pairs
                .filter(|(x, y)| x.write || y.write)
                .all(|(x, y)| self.are_apart(x, y, Later::Later))
    }

    pub(crate) fn location(&mut self, access: &Access, array: VarId) -> Option<IndexedAccess> {
        let (named, indices) = indexed(self.aliases, access.at)?;
        if named != array || !access.exact || self.aliases.is_volatile(access.at) {
            return None;
        }
        let around = self.indices.around(access.at)?.to_vec();
        let indices = indices.into_iter().map(|index| {
            let index = self.indices.widened(index);
            self.indices.poly(index)
        });
        let indices = indices.collect::<Option<Vec<Poly>>>()?;
        // The loop itself must be around: its condition is not.
        around.first().filter(|first| **first == 0)?;
        let mut holds = Vec::new();
        for at in &around {
            self.indices.bounds(*at, &mut holds);
        }
        Some(IndexedAccess {
            write: access.write,
            indices,
            holds,
        })
    }

    /// Whether the second access never touches, so much later, what the first touched.
    pub(crate) fn are_apart(
        &self,
        earlier: &IndexedAccess,
        later: &IndexedAccess,
        by: Later,
    ) -> bool {
        if earlier.indices.len() != later.indices.len() {
            return false;
        }
        let mut all = self.inequalities(earlier, Side::Earlier);
        all.extend(self.inequalities(later, Side::Later));
        let least = if by == Later::Later { -1 } else { 0 };
        let mut bounds = vec![(least, 1)];
        bounds.extend((by == Later::Same).then_some((0, -1)));
        for (constant, factor) in bounds {
            let mut bound = Linear::constant(constant);
            if bound.add(Var::Distance, factor).is_none() {
                return false;
            }
            all.push(bound);
        }
        // Each dimension must be the same; those that cannot be followed say nothing.
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

    fn inequalities(&self, location: &IndexedAccess, side: Side) -> Vec<Linear<Var>> {
        let holds = location.holds.iter();
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
                        let step = self.indices.counting[0].step?;
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
