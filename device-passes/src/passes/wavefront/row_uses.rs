//! Where a kernel uses rows, and whether a step stores all of its row before it reads it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use fpgacc_frontend::ir::{Expr, ExprId, Function, FunctionId, Module, Stmt, StmtKind, VarId};
use fpgacc_kernel_analysis::alias::Aliases;
use fpgacc_kernel_analysis::location::{Refusal, refuse};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::Nests;
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use fpgacc_kernel_analysis::rows::{Element, Elements, Reach};

use super::step::Parts;
use crate::pass::Context;

/// Where an element is.
enum Place {
    /// Always there.
    At(i128),
    /// So far from a loop's counter.
    From(VarId, i128),
    Elsewhere,
}

impl Place {
    fn of(part: &Elements<'_>, index: &Poly) -> Self {
        let (moves, by) = index.split_constant();
        let mut terms = moves.terms();
        match (terms.next(), terms.next()) {
            (None, _) => Place::At(by),
            (Some(([Sym::Iter(at)], 1)), None) => {
                Place::From(part.indices.counting[*at].header.counter, by)
            }
            _ => Place::Elsewhere,
        }
    }
}

/// A use of a row.
struct Use {
    row: VarId,
    place: Place,
    reach: Reach,
}

/// The uses of both rows in a kernel, by the expressions that name them.
pub struct Uses(BTreeMap<ExprId, Use>);

impl Uses {
    /// # Errors
    /// There are others than elements.
    pub fn of(
        module: &Module,
        kernel: FunctionId,
        context: &Context<'_>,
        rows: [VarId; 2],
    ) -> Result<Self, Refusal> {
        let function = &module.functions[kernel];
        let body = loops::structured_body(function).ok_or_else(Refusal::default)?;
        let aliases = Aliases::new(module, kernel, context.called);
        let nests = Nests::of(module, function);
        let (mut all, mut named) = (BTreeMap::new(), 0);
        for stmt in &body.stmts {
            let uses = stmt.local_uses(&function.exprs).into_iter();
            let own = uses.filter(|(_, var)| rows.contains(var)).count();
            if own == 0 {
                continue;
            }
            named += own;
            let part = Elements::of(&aliases, &nests, stmt);
            let found = part
                .found
                .iter()
                .filter(|found| rows.contains(&found.array));
            all.extend(found.filter_map(|found| {
                let slot = *found.chain.first()?;
                Some((slot, Use::of(&part, found)))
            }));
        }
        match all.len() == named {
            true => Ok(Uses(all)),
            false => Err(refuse(
                "a row that it copies is not only used by its elements",
            )),
        }
    }

    /// Whether all are among these elements.
    pub fn are_within(&self, range: &RangeInclusive<i128>) -> bool {
        self.0.values().all(|found| match found.reach {
            Reach::Never => true,
            Reach::Within(low, high) => range.contains(&low) && range.contains(&high),
            Reach::Unknown => false,
        })
    }

    /// Those of a row in statements.
    fn of_row(&self, function: &Function, stmts: &[Stmt], row: VarId) -> Vec<ExprId> {
        let uses = stmts
            .iter()
            .flat_map(|stmt| stmt.local_uses(&function.exprs));
        let own = uses.filter(|(_, var)| *var == row);
        own.map(|(slot, _)| slot).collect()
    }

    /// Those of a row in statements that write an element.
    pub fn stores(&self, function: &Function, stmts: &[Stmt], row: VarId) -> Vec<Store> {
        let mut found = Vec::new();
        for stmt in stmts {
            stmt.for_each_expr(&function.exprs, &mut |id| {
                found.extend(
                    self.store(function, id)
                        .filter(|store| self.row(store.slot) == Some(row)),
                );
            });
        }
        found
    }

    fn row(&self, slot: ExprId) -> Option<VarId> {
        self.0.get(&slot).map(|found| found.row)
    }

    /// The store in an element of a row that an expression is.
    fn store(&self, function: &Function, id: ExprId) -> Option<Store> {
        let Expr::Index { base, .. } = *function.exprs.get(function.exprs.written(id)?) else {
            return None;
        };
        let is_plain = matches!(function.exprs.get(id), Expr::Assign { op: None, .. });
        self.0.contains_key(&base).then_some(Store {
            slot: base,
            is_plain,
        })
    }

    /// Whether a statement is sure to store an element of a row.
    fn is_sure(&self, function: &Function, stmt: &Stmt, row: VarId) -> bool {
        let any = |stmts: &[Stmt]| stmts.iter().any(|stmt| self.is_sure(function, stmt, row));
        match &stmt.kind {
            StmtKind::Expr(id) => self
                .store(function, *id)
                .is_some_and(|store| store.is_plain && self.row(store.slot) == Some(row)),
            StmtKind::Block(block) => any(&block.stmts),
            StmtKind::If {
                then,
                otherwise: Some(otherwise),
                ..
            } => any(&then.stmts) && any(&otherwise.stmts),
            _ => false,
        }
    }
}

/// A store in an element.
pub struct Store {
    /// The expression that names the row.
    slot: ExprId,
    /// It does not read the element.
    is_plain: bool,
}

impl Use {
    fn of(part: &Elements<'_>, found: &Element) -> Self {
        let last = found.last.as_ref();
        Use {
            row: found.array,
            place: last.map_or(Place::Elsewhere, |last| Place::of(part, last)),
            reach: found.reach_of_last(),
        }
    }
}

/// How a step stores its row.
pub struct Stored<'p> {
    parts: &'p Parts<'p>,
    /// The elements before the loop.
    border: BTreeSet<i128>,
    /// Those in the loop, one in each iteration.
    along: RangeInclusive<i128>,
    /// How far from the counter they are.
    offset: i128,
    /// The statement of an iteration that stores its element.
    at: usize,
}

impl<'p> Stored<'p> {
    /// # Errors
    /// It is not known.
    pub fn of(
        function: &Function,
        uses: &Uses,
        parts: &'p Parts<'p>,
        row: VarId,
    ) -> Result<Self, Refusal> {
        let mut border = BTreeSet::new();
        for stmt in parts.start {
            let named = uses.of_row(function, std::slice::from_ref(stmt), row);
            let is_border =
                uses.is_sure(function, stmt, row) && matches!(stmt.kind, StmtKind::Expr(_));
            match (named.as_slice(), is_border) {
                ([], _) => {}
                ([slot], true) => border.extend(uses.0.get(slot).and_then(Use::constant)),
                _ => return Err(refuse("a row is read before the loop that stores it")),
            }
        }
        let mut lane = parts.lane.iter();
        let at = lane.position(|stmt| uses.is_sure(function, stmt, row));
        let stores = uses.stores(function, parts.lane, row);
        let counter = parts.inner.counter;
        let offsets = stores
            .iter()
            .map(|store| uses.0.get(&store.slot)?.from(counter));
        let offsets: BTreeSet<Option<i128>> = offsets.collect();
        let mut offsets = offsets.into_iter();
        let (Some(at), Some(Some(offset)), None) = (at, offsets.next(), offsets.next()) else {
            return Err(refuse(
                "not each iteration of a step stores its element of the row",
            ));
        };
        let first = parts.inner.start + offset;
        Ok(Stored {
            parts,
            border,
            along: first..=first + i128::from(parts.inner.trips) - 1,
            offset,
            at,
        })
    }

    /// Whether each element that is copied is stored in each step.
    pub fn is_whole(&self) -> bool {
        let is_stored = |at: &i128| self.along.contains(at) || self.border.contains(at);
        self.parts.range.clone().all(|at| is_stored(&at))
    }

    /// Whether no element of the row is read before it is stored.
    pub fn is_before_reads(&self, function: &Function, uses: &Uses, row: VarId) -> bool {
        let lane = self.parts.lane;
        let stores = uses.stores(function, lane, row).into_iter();
        let plain = stores.filter(|store| store.is_plain);
        let plain: BTreeSet<ExprId> = plain.map(|store| store.slot).collect();
        let later = uses.of_row(function, &lane[self.at + 1..], row);
        let later: BTreeSet<ExprId> = later.into_iter().collect();
        let has_border = (*self.parts.range.start()..*self.along.start())
            .all(|border| self.border.contains(&border));
        let is_stored = |slot: &ExprId| match uses.0.get(slot) {
            Some(found) => match found.from(self.parts.inner.counter) {
                Some(by) => {
                    has_border && (by < self.offset || by == self.offset && later.contains(slot))
                }
                None => found.constant().is_some_and(|at| self.border.contains(&at)),
            },
            None => false,
        };
        let mut reads = uses.of_row(function, lane, row).into_iter();
        reads.all(|slot| plain.contains(&slot) || is_stored(&slot))
    }
}

impl Use {
    fn constant(&self) -> Option<i128> {
        match self.place {
            Place::At(at) => Some(at),
            _ => None,
        }
    }

    /// How far from this counter it is.
    fn from(&self, counter: VarId) -> Option<i128> {
        match self.place {
            Place::From(own, by) if own == counter => Some(by),
            _ => None,
        }
    }
}
