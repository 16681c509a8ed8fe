//! Which reads of which tables may be neighbours' indices.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    Expr, ExprId, FunctionId, Module, Scalar, Stmt, StmtKind, VarId, VarRef,
};
use fpgacc_kernel_analysis::accesses::{Access, Accesses, Summaries};
use fpgacc_kernel_analysis::indices::Indices;
use fpgacc_kernel_analysis::location::{Locations, is_loop};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::{self, Nests};
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use fpgacc_kernel_analysis::sure::Sure;
use fpgacc_kernel_analysis::trip_count::counting;

use crate::pass::Note;

/// A nest that reads tables.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The outermost loop's index among the loops of the function, outer ones first.
    pub at: usize,
    /// Its tables.
    pub tables: Vec<Table>,
    /// What is rewritten.
    pub done: Vec<Note>,
}

/// A table, one element for each value of a counter.
#[derive(Clone, Debug)]
pub struct Table {
    /// The array.
    pub array: VarId,
    /// The counter of a loop of the nest, which begins at 0.
    pub counter: VarId,
    /// Its values.
    pub count: i128,
    /// The reads of the table.
    pub reads: Vec<ExprId>,
}

/// A loop of a nest.
struct Level {
    counter: VarId,
    count: i128,
}

/// What becomes of a function's nests, and why others stay.
pub fn plan(
    module: &Module,
    id: FunctionId,
    summaries: &Summaries,
    called: &BTreeSet<FunctionId>,
) -> (Vec<Planned>, Vec<Note>) {
    let function = &module.functions[id];
    let Some(body) = loops::structured_body(function) else {
        return Default::default();
    };
    let locations = Locations::of(module, id, called, summaries);
    let mut planner = Planner {
        locations: &locations,
        nests: &Nests::of(module, function),
        seen: 0,
        found: Vec::new(),
        missed: Vec::new(),
    };
    planner.list(&body.stmts);
    (planner.found, planner.missed)
}

struct Planner<'a> {
    locations: &'a Locations<'a>,
    nests: &'a Nests<'a>,
    /// Loops that were met.
    seen: usize,
    found: Vec<Planned>,
    missed: Vec<Note>,
}

impl<'a> Planner<'a> {
    /// The nests of a list that stand in no loop: their tables are looked through once.
    fn list(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            if is_loop(stmt) {
                let found = self.nest(self.seen, stmt);
                self.found.extend(found);
                self.seen += loops::count(stmt);
                continue;
            }
            for list in stmt.lists() {
                self.list(list);
            }
        }
    }

    fn nest(&mut self, at: usize, stmt: &Stmt) -> Option<Planned> {
        let (levels, innermost) = self.levels(stmt);
        let aliases = &self.locations.aliases;
        let mut indices = Indices::new(aliases, self.nests, stmt);
        if levels.is_empty() || self.asks_for_sizes(stmt) || !indices.follow(stmt) {
            return None;
        }
        let region = Accesses::of_loop(aliases, self.locations.summaries, stmt);
        let sure = Sure::of(self.locations, innermost);
        let mut tables: BTreeMap<(VarId, VarId), Table> = BTreeMap::new();
        for id in self.in_addresses(innermost, &indices) {
            let Some((array, level)) = self.looked_up(id, &levels, &mut indices) else {
                continue;
            };
            if let Some(reason) = self.obstacle(id, &region, &sure) {
                self.miss(id, array, reason);
                continue;
            }
            let new = || Table {
                array,
                counter: level.counter,
                count: level.count,
                reads: Vec::new(),
            };
            let table = tables.entry((array, level.counter)).or_insert_with(new);
            table.reads.push(id);
        }
        let tables: Vec<Table> = tables.into_values().collect();
        let done = tables.iter().map(|table| self.note(table)).collect();
        (!tables.is_empty()).then_some(Planned { at, tables, done })
    }

    /// Whether a statement has `sizeof`, whose operand a copy of the nest would share.
    fn asks_for_sizes(&self, stmt: &Stmt) -> bool {
        let exprs = &self.locations.aliases.function.exprs;
        stmt.any_expr(exprs, &mut |id| matches!(exprs.get(id), Expr::SizeOf(_)))
    }

    /// The loops of a nest, each of which is all of the one around, and the innermost.
    fn levels<'s>(&self, stmt: &'s Stmt) -> (Vec<Level>, &'s Stmt) {
        let (mut levels, mut innermost) = (Vec::new(), stmt);
        let mut next = Some(stmt);
        while let Some(stmt) = next {
            let (Some(counts), StmtKind::For { body, .. }) =
                (counting(&self.locations.constants, stmt), &stmt.kind)
            else {
                break;
            };
            let is_left = body
                .stmts
                .iter()
                .any(|stmt| loops::leaves(stmt, true, false));
            let ty = self.locations.aliases.function.vars[counts.counter].ty.ty;
            let is_int = self.locations.aliases.module.types.as_scalar(ty) == Some(Scalar::Int);
            if counts.start != 0 || counts.by != 1 || counts.trips == 0 || is_left || !is_int {
                break;
            }
            levels.push(Level {
                counter: counts.counter,
                count: i128::from(counts.trips),
            });
            innermost = stmt;
            next = nest::only(&body.stmts);
        }
        (levels, innermost)
    }

    /// What addresses in a loop's body are made of, also by way of variables.
    fn in_addresses(&self, stmt: &Stmt, indices: &Indices<'_>) -> BTreeSet<ExprId> {
        let exprs = &self.locations.aliases.function.exprs;
        let mut left = Vec::new();
        stmt.for_each_expr(exprs, &mut |id| {
            if let Expr::Index { index, .. } = exprs.get(id) {
                left.push(*index);
            }
        });
        let mut found = BTreeSet::new();
        while let Some(root) = left.pop() {
            exprs.for_each(root, &mut |id| {
                if !found.insert(id) {
                    return;
                }
                if let Expr::Var(VarRef::Local(var)) = exprs.get(id) {
                    left.extend(indices.fixed(*var));
                }
            });
        }
        found
    }

    /// The table and the counter of a read, if it reads a table by the counter.
    fn looked_up<'l>(
        &self,
        id: ExprId,
        levels: &'l [Level],
        indices: &mut Indices<'_>,
    ) -> Option<(VarId, &'l Level)> {
        let aliases = &self.locations.aliases;
        let (function, types) = (aliases.function, &aliases.module.types);
        let Expr::Index { base, index } = *function.exprs.get(id) else {
            return None;
        };
        let array = function.exprs.local_var(base)?;
        let is_int = types.as_scalar(function.exprs.ty(id)) == Some(Scalar::Int);
        types.as_pointer(function.vars[array].ty.ty)?;
        let stays = indices.writes.get(&array).is_none_or(|times| *times == 0)
            && !aliases.is_exposed(VarRef::Local(array));
        let index = indices.widened(index);
        let poly = indices.poly(index)?;
        let number = (0..indices.counting.len()).find(|at| poly == Poly::sym(Sym::Iter(*at)))?;
        let counter = indices.counting[number].header.counter;
        let level = levels.iter().find(|level| level.counter == counter)?;
        (is_int && stays && !aliases.is_volatile(id)).then_some((array, level))
    }

    /// Why a table may not be looked through before the nest.
    fn obstacle(&self, id: ExprId, region: &Accesses, sure: &Sure) -> Option<&'static str> {
        let aliases = &self.locations.aliases;
        let access = Access {
            at: id,
            write: false,
            roots: aliases.lvalue_roots(id),
            space: aliases.lvalue_space(id),
            // Any of its elements.
            exact: false,
        };
        let mut writes = region.writes();
        match () {
            () if region.synchronises.is_some() => Some("memory is synchronised in the loop"),
            () if writes.any(|write| aliases.may_overlap(write, &access)) => {
                Some("an access in the loop may write to it")
            }
            () if !sure.in_body.contains(&id) => {
                Some("not all of its elements are sure to be read")
            }
            () => None,
        }
    }

    fn note(&self, table: &Table) -> Note {
        let function = self.locations.aliases.function;
        let name = &function.vars[table.array].name;
        let text = format!(
            "'{name}' is looked through once; where its {} elements are the indices before or after their own, \
             they come from the counter",
            table.count
        );
        Note::new(text, function.exprs.span(table.reads[0])).names_form("neighbours computed")
    }

    fn miss(&mut self, id: ExprId, array: VarId, reason: &str) {
        let function = self.locations.aliases.function;
        let name = &function.vars[array].name;
        let text = format!("'{name}' is not looked through before the loop: {reason}");
        self.missed.push(Note::new(text, function.exprs.span(id)));
    }
}
