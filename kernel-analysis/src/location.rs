//! Locations, and whether they can be read before a loop and written after it instead of in it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, Expr, ExprId, Exprs, FunctionId, Module, Stmt, StmtKind, UnaryOp, VarRef,
};
use fpgacc_frontend::source::Span;

use super::access_index::AccessIndex;
use super::accesses::{Access, Accesses, Summaries};
use super::alias::{Aliases, Root};
use super::loops::returns;
use super::trip_count::{Constants, trip_count};
use crate::note::Note;

/// Whether a statement is a loop.
pub fn is_loop(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. }
    )
}

/// A loop and what an iteration of it does.
pub struct Region<'s> {
    /// The loop.
    pub stmt: &'s Stmt,
    /// What is looked at before the first iteration. `None` for `do`, and for a `for` without condition:
    /// the body runs at least once.
    pub cond_first: Option<ExprId>,
    /// What runs before that.
    pub init: &'s [Stmt],
    /// Of every iteration.
    pub accesses: Accesses,
    /// These by what they may touch, if somebody asked.
    index: OnceCell<AccessIndex>,
    /// Iterations, if that is constant.
    pub trips: Option<u64>,
    /// The function may end in it.
    pub has_return: bool,
}

impl<'s> Region<'s> {
    /// Of a statement; `None` if it is no loop.
    pub fn new(locations: &Locations<'_>, stmt: &'s Stmt) -> Option<Self> {
        let (cond_first, init) = match &stmt.kind {
            StmtKind::For { init, cond, .. } => (*cond, init.as_slice()),
            StmtKind::While { cond, .. } => (Some(*cond), &[][..]),
            StmtKind::DoWhile { .. } => (None, &[][..]),
            _ => return None,
        };
        let accesses = Accesses::of_loop(&locations.aliases, locations.summaries, stmt);
        Some(Region {
            stmt,
            cond_first,
            init,
            index: OnceCell::new(),
            accesses,
            trips: trip_count(&locations.constants, stmt),
            has_return: returns(stmt),
        })
    }

    /// The accesses that may overlap with a location, and perhaps others.
    pub fn near<'r>(&'r self, aliases: &Aliases<'_>, location: &Access) -> Vec<&'r Access> {
        let all = || AccessIndex::new(&aliases.function.exprs, &self.accesses.list);
        let found = self.index.get_or_init(all).near(aliases, location);
        found
            .into_iter()
            .map(|at| &self.accesses.list[at])
            .collect()
    }
}

/// Why something stays as it is.
#[derive(Default)]
pub struct Refusal {
    /// In words, to stand after a colon.
    pub reason: String,
    /// A position that it is about, and what is there.
    pub also: Option<(ExprId, &'static str)>,
}

impl Refusal {
    /// What a pass says of it.
    pub fn note(&self, exprs: &Exprs, text: String, span: Option<Span>) -> Note {
        let mut note = Note::new(text, span);
        if let Some((expr, label)) = self.also
            && let Some(span) = exprs.span(expr)
        {
            note.also.push((span, label.to_string()));
        }
        note
    }
}

/// A refusal without a position.
pub fn refuse(reason: impl Into<String>) -> Refusal {
    Refusal {
        reason: reason.into(),
        also: None,
    }
}

/// What must stand around a loop so that a location is looked at outside of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Around {
    /// The loop's init must run before the location is looked at.
    pub hoist_init: bool,
    /// The location may only be looked at if the loop's condition holds at first.
    pub guard: bool,
}

impl Around {
    /// What two locations of a loop need.
    pub fn and(self, other: Around) -> Around {
        Around {
            hoist_init: self.hoist_init || other.hoist_init,
            guard: self.guard || other.guard,
        }
    }
}

/// Locations in memory may be written later than they are, unless somebody else can see it.
fn nobody_else_looks(region: &Region<'_>) -> Result<(), Refusal> {
    match region.accesses.synchronises {
        Some(call) => Err(Refusal {
            reason: "other work-items or kernels may look at it while the loop runs".to_string(),
            also: Some((call, "memory is synchronised here")),
        }),
        None => Ok(()),
    }
}

/// Items by the location that each is about, in order. `key` is the same for the same locations, so that few are
/// compared.
pub fn by_location<T, K: Ord>(
    exprs: &Exprs,
    items: impl IntoIterator<Item = T>,
    location: impl Fn(&T) -> ExprId,
    key: impl Fn(&T) -> K,
) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    let mut by_key: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for item in items {
        let near = by_key.entry(key(&item)).or_default();
        let same = |at: &usize| exprs.same(location(&groups[*at][0]), location(&item));
        match near.iter().copied().find(same) {
            Some(group) => groups[group].push(item),
            None => {
                near.push(groups.len());
                groups.push(vec![item]);
            }
        }
    }
    groups
}

/// The locations of one function.
pub struct Locations<'a> {
    /// What pointers point to.
    pub aliases: Aliases<'a>,
    /// What is constant.
    pub constants: Constants<'a>,
    /// What the functions do that it calls.
    pub summaries: &'a Summaries,
}

impl<'a> Locations<'a> {
    /// Of a function of a module. `called`: functions that another function calls.
    pub fn of(
        module: &'a Module,
        id: FunctionId,
        called: &BTreeSet<FunctionId>,
        summaries: &'a Summaries,
    ) -> Self {
        Locations {
            aliases: Aliases::new(module, id, called),
            constants: Constants::new(module, &module.functions[id]),
            summaries,
        }
    }

    /// A location as a write to it.
    pub fn as_access(&self, location: ExprId) -> Access {
        Access {
            at: location,
            write: true,
            roots: self.aliases.lvalue_roots(location),
            space: self.aliases.lvalue_space(location),
            exact: true,
        }
    }

    /// What is needed around a loop to read an invariant location before it and to write it after it,
    /// without touching memory that the original does not touch. `sure`: the first iteration is sure to
    /// access it.
    ///
    /// # Errors
    /// It cannot be done.
    pub fn around(
        &self,
        region: &Region<'_>,
        location: ExprId,
        sure: bool,
    ) -> Result<Around, Refusal> {
        let around = Around {
            hoist_init: self.init_matters(region, location),
            guard: false,
        };
        if self.is_always_valid(location) {
            return Ok(around);
        }
        nobody_else_looks(region)?;
        if !sure {
            return Err(refuse(
                "it is not updated in every iteration, and may be no valid memory otherwise",
            ));
        }
        let Some(cond) = region.cond_first else {
            return Ok(around);
        };
        if region.trips.is_some_and(|trips| trips > 0) {
            return Ok(around);
        }
        if self.aliases.function.exprs.has_effects(cond) {
            return Err(Refusal {
                reason: "it may be no valid memory if the loop does not run, and the loop's \
                         condition has effects"
                    .to_string(),
                also: Some((cond, "this condition")),
            });
        }
        Ok(Around {
            guard: true,
            ..around
        })
    }

    /// What is needed around a loop to read and write an invariant location after it, if and only if an
    /// iteration updated it.
    ///
    /// # Errors
    /// It cannot be done.
    pub fn after(&self, region: &Region<'_>, location: ExprId) -> Result<Around, Refusal> {
        nobody_else_looks(region)?;
        Ok(Around {
            hoist_init: self.init_matters(region, location),
            guard: false,
        })
    }

    /// Whether the loop's init changes which location it is, or what it holds.
    pub fn init_matters(&self, region: &Region<'_>, location: ExprId) -> bool {
        let init = Accesses::of_stmts(&self.aliases, self.summaries, region.init);
        let mut needed = Accesses::of_address(&self.aliases, self.summaries, location).list;
        needed.push(self.as_access(location));
        let declares = |access: &Access| {
            access.roots.iter().any(
                |root| matches!(root, Root::Object(VarRef::Local(var)) if init.declared.contains(var)),
            )
        };
        init.synchronises.is_some()
            || needed.iter().any(|read| {
                declares(read) || init.writes().any(|w| self.aliases.may_overlap(w, read))
            })
    }

    /// Whether a location is a part of a private variable, at constant indices within its bounds.
    pub fn is_always_valid(&self, location: ExprId) -> bool {
        let exprs = &self.aliases.function.exprs;
        match exprs.get(location) {
            Expr::Var(VarRef::Local(var)) => {
                let variable = &self.aliases.function.vars[*var];
                variable.space == AddressSpace::Private
            }
            Expr::Member {
                base, arrow: false, ..
            }
            | Expr::Swizzle { base, .. } => self.is_always_valid(*base),
            Expr::Index { base, index } => {
                let array = self.aliases.module.types.as_array(exprs.ty(*base));
                let Some((_, Some(len))) = array else {
                    return false;
                };
                let index = self.constants.value(*index);
                index.is_some_and(|index| (0..i128::from(len)).contains(&index))
                    && self.is_always_valid(*base)
            }
            Expr::Unary {
                op: UnaryOp::Deref, ..
            } => false,
            _ => false,
        }
    }
}
