//! What an address varies with.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, VarId, VarRef};
use fpgacc_kernel_analysis::accesses::{Access, Accesses};
use fpgacc_kernel_analysis::invariance::{opaque_part, read_varies};
use fpgacc_kernel_analysis::location::{Locations, Region};
use fpgacc_kernel_analysis::trip_count::Counting;

use super::inner::Inners;

/// Variables that stand for variables that stand for others are followed so far.
const MOST_DEPTH: usize = 8;

/// A loop that indexes an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// Its index among the loops of the one that the array stands before, which itself is the first.
    pub at: usize,
    /// How it counts.
    pub counting: Counting,
}

/// An address that is the same in each iteration of a loop, but for loops inside that count.
#[derive(Clone, Debug)]
pub struct Address {
    /// These loops, outer ones first.
    pub dims: Vec<Dim>,
    /// Variables of an iteration that it is made of, and what they are declared to be.
    pub locals: BTreeMap<VarId, ExprId>,
}

/// The address of a location; `None`: it varies with something else, or with nothing.
pub fn address(
    locations: &Locations<'_>,
    region: &Region<'_>,
    inners: &Inners,
    location: ExprId,
) -> Option<Address> {
    let counts = |at: &usize| inners.loops.get(at).is_some_and(|l| l.counting.is_some());
    if !inners.around(location).iter().any(counts) {
        return None;
    }
    let mut follow = Follow {
        locations,
        region,
        inners,
        dims: BTreeSet::new(),
        locals: BTreeMap::new(),
    };
    let (aliases, summaries) = (&locations.aliases, locations.summaries);
    let own = Accesses::of_address(aliases, summaries, location);
    follow.reads(location, &own, MOST_DEPTH)?;
    let dim = |at: &usize| {
        let counting = inners.loops.get(at)?.counting?;
        let is_used = follow.dims.contains(at);
        is_used.then_some(Dim { at: *at, counting })
    };
    let dims: Vec<Dim> = inners.around(location).iter().filter_map(dim).collect();
    (!dims.is_empty()).then_some(Address {
        dims,
        locals: follow.locals,
    })
}

/// Whether a location is another element in each iteration of the loops that its address varies with.
pub fn are_distinct(locations: &Locations<'_>, location: ExprId, address: &Address) -> bool {
    let exprs = &locations.aliases.function.exprs;
    let Expr::Index { base, index } = exprs.get(location) else {
        return false;
    };
    if !matches!(exprs.get(*base), Expr::Var(_)) || !address.locals.is_empty() {
        return false;
    }
    let mut offsets = vec![0i128];
    for dim in &address.dims {
        let Some(by) = coefficient(locations, *index, dim.counting.counter) else {
            return false;
        };
        let step = by * dim.counting.by;
        let rows = (0..i128::from(dim.counting.trips)).map(|row| row * step);
        offsets = rows
            .flat_map(|row| offsets.iter().map(move |offset| offset + row))
            .collect();
    }
    let distinct: BTreeSet<i128> = offsets.iter().copied().collect();
    let span = distinct.last().zip(distinct.first());
    // Small differences only: an index that wraps around cannot come back to the same element.
    let is_small = span.is_some_and(|(last, first)| last - first < i128::from(i32::MAX));
    is_small && distinct.len() == offsets.len()
}

/// What a counter is multiplied by in a sum; `None`: it may be anything.
fn coefficient(locations: &Locations<'_>, id: ExprId, counter: VarId) -> Option<i128> {
    let exprs = &locations.aliases.function.exprs;
    let of = |id: ExprId| coefficient(locations, id, counter);
    if !exprs.uses(id, VarRef::Local(counter)) {
        return Some(0);
    }
    let limit = i128::from(i32::MAX);
    let found = match exprs.get(id) {
        Expr::Var(VarRef::Local(var)) if *var == counter => 1,
        Expr::Cast { operand, .. } => {
            let scalar = locations.aliases.module.types.as_scalar(exprs.ty(id));
            let is_wide = scalar.is_some_and(|scalar| scalar.is_integer() && scalar.size() >= 4);
            is_wide.then(|| of(*operand))??
        }
        Expr::Binary { op, lhs, rhs } => match op {
            BinaryOp::Add => of(*lhs)? + of(*rhs)?,
            BinaryOp::Sub => of(*lhs)? - of(*rhs)?,
            BinaryOp::Mul => {
                let constant = |id: ExprId| locations.constants.value(id);
                match (constant(*lhs), constant(*rhs)) {
                    (Some(by), _) => of(*rhs)?.checked_mul(by)?,
                    (_, Some(by)) => of(*lhs)?.checked_mul(by)?,
                    _ => return None,
                }
            }
            _ => return None,
        },
        _ => return None,
    };
    (-limit..limit).contains(&found).then_some(found)
}

struct Follow<'a> {
    locations: &'a Locations<'a>,
    region: &'a Region<'a>,
    inners: &'a Inners,
    dims: BTreeSet<usize>,
    locals: BTreeMap<VarId, ExprId>,
}

impl Follow<'_> {
    /// Follows what an expression reads; `None`: it varies.
    fn reads(&mut self, root: ExprId, all: &Accesses, depth: usize) -> Option<()> {
        let aliases = &self.locations.aliases;
        if opaque_part(aliases, root).is_some() || all.writes().next().is_some() {
            return None;
        }
        for read in &all.list {
            if !self.counts(root, read.at) && !self.is_local(read.at, depth) {
                // `x[i]` may be what `x[i + 1]` was, where `i` counts.
                let read = Access {
                    exact: false,
                    ..read.clone()
                };
                if read_varies(aliases, &read, &self.region.accesses).is_some() {
                    return None;
                }
            }
        }
        Some(())
    }

    /// Whether a read is that of the counter of a loop around an expression.
    fn counts(&mut self, root: ExprId, read: ExprId) -> bool {
        let Some(var) = self.locations.aliases.function.exprs.local_var(read) else {
            return false;
        };
        let counter = |at: &&usize| {
            let inner = self.inners.loops.get(at);
            let counting = inner.and_then(|inner| inner.counting);
            counting.is_some_and(|counting| counting.counter == var)
        };
        let found = self.inners.around(root).iter().find(counter);
        self.dims.extend(found);
        found.is_some()
    }

    /// Whether a read is that of a variable of an iteration whose value can be computed before the loop.
    fn is_local(&mut self, read: ExprId, depth: usize) -> bool {
        let Some(var) = self.locations.aliases.function.exprs.local_var(read) else {
            return false;
        };
        let Locations {
            aliases,
            constants,
            summaries,
        } = self.locations;
        let (types, ty) = (&aliases.module.types, aliases.function.vars[var].ty.ty);
        let is_value = types.as_scalar(ty).is_some() || types.as_pointer(ty).is_some();
        let is_own = self.region.accesses.declared.contains(&var);
        if depth == 0 || !is_value || !is_own || aliases.is_volatile(read) {
            return false;
        }
        let Some(value) = constants.initialiser(var) else {
            return false;
        };
        if self.locals.insert(var, value).is_some() {
            return true;
        }
        let own = Accesses::of_expr(aliases, summaries, value);
        self.reads(value, &own, depth - 1).is_some()
    }
}
