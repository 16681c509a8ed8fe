//! Dependences between the statements of a loop's body, in one iteration and from one to later ones: what says
//! whether loops can be fused, and a body distributed over several loops (Kennedy and Allen, "Optimizing
//! Compilers for Modern Architectures", 2001, chapters 5 and 6).
//!
//! Two accesses that may touch the same memory, one of them writing, are a dependence unless the indices prove
//! that they never meet ([`independence`](super::independence)).

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, Callee, Expr, ExprId, Function, FunctionId, Module, Qualifiers, Stmt, StmtKind,
    Storage, VarId, VarRef,
};

use super::accesses::{Access, Accesses, Summaries};
use super::alias::{Aliases, Root, Roots, spaces_differ};
use super::independence::{IndexedAccess, Later, Proof, indexed};
use super::nest::Nests;
use super::usage::names;

/// Pairs of accesses that are compared by their indices; all others may meet. It only bounds the time.
const MOST_PAIRS: usize = 1500;

/// Two accesses that may meet.
#[derive(Clone, Debug)]
pub struct Dependence {
    /// The access that comes first.
    pub first: ExprId,
    /// The other one.
    pub second: ExprId,
    /// Why they may meet, after "since".
    pub reason: String,
}

/// The statements of a loop's body and what they access.
pub struct Body<'a> {
    aliases: &'a Aliases<'a>,
    proof: Proof<'a>,
    /// Whether the loop counts by a constant, so that indices say something.
    counts: bool,
    /// By statement.
    accesses: Vec<Accesses>,
    /// Variables that each iteration makes anew.
    own: BTreeSet<VarId>,
    /// Elements that were looked at.
    elements: BTreeMap<(ExprId, bool), Option<(VarId, IndexedAccess)>>,
    pairs: usize,
}

impl<'a> Body<'a> {
    /// Of a counting loop. `None`: it is no `for`.
    pub fn of(
        aliases: &'a Aliases<'a>,
        summaries: &Summaries,
        nests: &'a Nests<'a>,
        stmt: &Stmt,
    ) -> Option<Self> {
        let StmtKind::For { body, .. } = &stmt.kind else {
            return None;
        };
        let accesses: Vec<Accesses> = body
            .stmts
            .iter()
            .map(|stmt| Accesses::of_stmts(aliases, summaries, std::slice::from_ref(stmt)))
            .collect();
        let is_own = |var: &VarId| {
            let variable = &aliases.function.vars[*var];
            variable.space == AddressSpace::Private && variable.storage == Storage::None
        };
        let declared = accesses.iter().flat_map(|part| &part.declared).copied();
        let mut proof = Proof::new(aliases, nests, stmt, &[]);
        let counts = proof.indices.follow(stmt);
        Some(Body {
            aliases,
            proof,
            counts,
            own: declared.filter(is_own).collect(),
            accesses,
            elements: BTreeMap::new(),
            pairs: MOST_PAIRS,
        })
    }

    /// The accesses of a statement.
    pub fn accesses(&self, stmt: usize) -> &Accesses {
        &self.accesses[stmt]
    }

    /// Two accesses that may meet, the first in one statement and the second, so much later, in another.
    pub fn dependence(&mut self, first: usize, second: usize, by: Later) -> Option<Dependence> {
        self.dependence_of(first, second, by, &|_| true)
    }

    /// The same, of accesses that pass.
    pub fn dependence_of(
        &mut self,
        first: usize,
        second: usize,
        by: Later,
        passes: &dyn Fn(&Access) -> bool,
    ) -> Option<Dependence> {
        let of = |body: &Self, at: usize| -> Vec<Access> {
            let list = body.accesses[at].list.iter();
            list.filter(|access| passes(access)).cloned().collect()
        };
        let (firsts, seconds) = (of(self, first), of(self, second));
        for x in &firsts {
            for y in seconds.iter().filter(|y| x.write || y.write) {
                if !self.are_apart(x, y, by) {
                    return Some(Dependence {
                        first: x.at,
                        second: y.at,
                        reason: self.reason(x, y),
                    });
                }
            }
        }
        None
    }

    /// Whether an access never touches, so much later, what another touched.
    pub fn are_apart(&mut self, first: &Access, second: &Access, by: Later) -> bool {
        if spaces_differ(first.space, second.space)
            || !self.aliases.roots_meet(&first.roots, &second.roots)
            || by == Later::Later && self.is_own(first) && self.is_own(second)
        {
            return true;
        }
        if !self.counts || !first.exact || !second.exact || self.pairs == 0 {
            return false;
        }
        self.pairs -= 1;
        self.note(first);
        self.note(second);
        let element = |access: &Access| {
            let known = self.elements.get(&(access.at, access.write));
            known.and_then(Option::as_ref)
        };
        match (element(first), element(second)) {
            (Some((x, first)), Some((y, second))) => {
                x == y && self.proof.are_apart(first, second, by)
            }
            _ => false,
        }
    }

    /// Whether two accesses touch the same element in each iteration.
    pub fn are_same(&mut self, first: &Access, second: &Access) -> bool {
        if !self.counts {
            return false;
        }
        self.note(first);
        self.note(second);
        let element = |access: &Access| {
            let known = self.elements.get(&(access.at, access.write));
            known.and_then(Option::as_ref)
        };
        match (element(first), element(second)) {
            (Some((x, first)), Some((y, second))) => x == y && first.is_at(second),
            _ => false,
        }
    }

    /// Whether an access is to a variable that each iteration makes anew.
    fn is_own(&self, access: &Access) -> bool {
        let is_own = |root: &Root| match root {
            Root::Object(VarRef::Local(var)) => self.own.contains(var),
            _ => false,
        };
        access.roots.iter().all(is_own)
    }

    /// Looks at an access's element.
    fn note(&mut self, access: &Access) {
        let key = (access.at, access.write);
        if !self.elements.contains_key(&key) {
            let element = self.element(access);
            self.elements.insert(key, element);
        }
    }

    /// The element of an array, or of what a pointer that stays points to.
    fn element(&mut self, access: &Access) -> Option<(VarId, IndexedAccess)> {
        let (array, _) = indexed(self.aliases, access.at)?;
        let ty = self.aliases.function.vars[array].ty.ty;
        let is_array = self.aliases.module.types.as_array(ty).is_some();
        let writes = self.proof.indices.writes.get(&array);
        let stays = writes.is_none_or(|times| *times == 0)
            && !self.aliases.is_exposed(VarRef::Local(array));
        if !is_array && !stays {
            return None;
        }
        let element = self.proof.location(access, array)?;
        Some((array, element))
    }

    fn reason(&self, first: &Access, second: &Access) -> String {
        let vars = |access: &Access| -> Vec<VarId> {
            let roots = access.roots.iter();
            let vars = roots.filter_map(|root| match root {
                Root::Object(VarRef::Local(var)) | Root::Param(var) => Some(*var),
                _ => None,
            });
            vars.collect()
        };
        let function = self.aliases.function;
        let (x, y) = (vars(first), vars(second));
        match (x.as_slice(), y.as_slice()) {
            ([x], [y]) if x == y => {
                match self.aliases.is_address(first.at) || is_element(self.aliases, first.at) {
                    true => format!(
                        "they may touch the same element of {}",
                        names(function, &[*x])
                    ),
                    false => format!("both use {}", names(function, &[*x])),
                }
            }
            ([x], [y]) => format!("{} may be the same memory", names(function, &[*x, *y])),
            _ => "they may touch the same memory".to_string(),
        }
    }
}

/// Whether an lvalue is a part of an array, or what a pointer points to.
fn is_element(aliases: &Aliases<'_>, at: ExprId) -> bool {
    aliases.function.exprs.any(at, &mut |id| {
        matches!(
            aliases.function.exprs.get(id),
            Expr::Index { .. } | Expr::Unary { .. }
        )
    })
}

/// What must not be reordered, or merged with what else happens, though no dependence says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Something is printed.
    pub prints: bool,
    /// Memory is ordered against others: barriers, fences, atomics, channels.
    pub synchronises: bool,
    /// Volatile memory is accessed.
    pub is_volatile: bool,
}

impl Effects {
    /// Of statements.
    pub fn of(aliases: &Aliases<'_>, summaries: &Summaries, stmts: &[Stmt]) -> Self {
        let accesses = Accesses::of_stmts(aliases, summaries, stmts);
        let through = |pointer: ExprId| {
            let ty = aliases.function.exprs.ty(pointer);
            let pointee = aliases.module.types.as_pointer(ty);
            pointee.is_some_and(|(pointee, _)| pointee.quals.contains(Qualifiers::VOLATILE))
        };
        let is_volatile =
            |access: &Access| aliases.is_volatile(access.at) || !access.exact && through(access.at);
        let mut seen = BTreeSet::new();
        Effects {
            prints: stmts
                .iter()
                .any(|stmt| prints(aliases.module, &aliases.function.exprs, stmt, &mut seen)),
            synchronises: accesses.synchronises.is_some(),
            is_volatile: accesses.list.iter().any(is_volatile),
        }
    }
}

/// Whether a statement prints, by itself or by functions that it calls.
fn prints(
    module: &Module,
    exprs: &fpgacc_frontend::ir::Exprs,
    stmt: &Stmt,
    seen: &mut BTreeSet<FunctionId>,
) -> bool {
    let mut callees = Vec::new();
    let mut found = false;
    stmt.for_each_expr(exprs, &mut |id| match exprs.get(id) {
        Expr::Call {
            callee: Callee::Builtin(name),
            ..
        } => found |= name == "printf",
        Expr::Call {
            callee: Callee::Function(callee),
            ..
        } => callees.push(*callee),
        _ => {}
    });
    found
        || callees.into_iter().any(|callee| {
            let function = &module.functions[callee];
            let stmts = function.body.as_ref().map_or(&[][..], |body| &body.stmts);
            let is_new = seen.insert(callee);
            is_new
                && stmts
                    .iter()
                    .any(|stmt| prints(module, &function.exprs, stmt, seen))
        })
}

/// Whether two pieces of code may touch the same memory, one of them writing: what can change places where they
/// do not.
pub fn may_conflict(aliases: &Aliases<'_>, a: &Accesses, b: &Accesses) -> bool {
    a.list.iter().any(|x| {
        b.list.iter().any(|y| {
            (x.write || y.write)
                && !spaces_differ(x.space, y.space)
                && aliases.roots_meet(&x.roots, &y.roots)
        })
    })
}

/// Whether an access may be to a variable itself.
pub fn may_be(aliases: &Aliases<'_>, access: &Access, var: VarId) -> bool {
    let roots = Roots::from([Root::Object(VarRef::Local(var))]);
    aliases.roots_meet(&access.roots, &roots)
}

/// Whether an access may touch what a variable is, or points to.
pub fn touches(aliases: &Aliases<'_>, access: &Access, var: VarId) -> bool {
    let ty = aliases.function.vars[var].ty.ty;
    let roots = match aliases.module.types.as_pointer(ty) {
        Some(_) => aliases.var_roots(var).clone(),
        None => Roots::from([Root::Object(VarRef::Local(var))]),
    };
    aliases.roots_meet(&access.roots, &roots)
}

/// Whether a statement gives a variable a value, `var = value;`, that is made without it.
pub fn sets(function: &Function, stmt: &Stmt, var: VarId) -> bool {
    let exprs = &function.exprs;
    let StmtKind::Expr(root) = stmt.kind else {
        return false;
    };
    match *exprs.get(root) {
        Expr::Assign { op: None, lhs, rhs } => {
            exprs.local_var(lhs) == Some(var) && !exprs.uses(rhs, VarRef::Local(var))
        }
        _ => false,
    }
}
