//! Rows that are copied, as rows that are used by turns.
//!
//! `for i { for j { now[j] = f(before[j], now[j - 1]); } for j { before[j] = now[j]; } }` moves a whole row in each step, so
//! that the next one finds it elsewhere. Where each step stores all of a row before it reads it, the two are rows of one
//! array by turns, and nothing has to be moved.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Expr, ExprId, Function, FunctionId, Module, QualType, Qualifiers, Stmt,
    StmtKind, Type, Types, VarId,
};
use fpgacc_kernel_analysis::alias::Aliases;
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::location::{Refusal, refuse};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::{Nests, only};
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use fpgacc_kernel_analysis::rows::{Element, Elements, Reach};
use fpgacc_kernel_analysis::trip_count::{Constants, Counting, counting};

use crate::pass::{Context, Note};
use crate::position::{Path, Position, list, list_mut};

/// Loops that begin or end with a copy of a row: a look that takes no time.
pub fn nests(function: &Function) -> Vec<Position> {
    let mut found = Vec::new();
    if let Some(body) = &function.body {
        nests_of(function, &body.stmts, &mut Vec::new(), &mut found);
    }
    found
}

fn nests_of(function: &Function, stmts: &[Stmt], path: &mut Path, found: &mut Vec<Position>) {
    for (index, stmt) in stmts.iter().enumerate() {
        if copy_in(function, stmt).is_some() {
            let path = path.clone();
            found.push(Position { path, index });
            continue;
        }
        for (inner, list) in stmt.lists().into_iter().enumerate() {
            path.push((index, inner));
            nests_of(function, list, path, found);
            path.pop();
        }
    }
}

/// The copy of a row in a loop's body.
#[derive(Clone, Copy)]
struct Copy {
    /// What a step stores.
    now: VarId,
    /// What it finds the step before in.
    before: VarId,
    /// Where the copy stands in the body.
    at: usize,
    /// It is the first that a step does, and not the last.
    is_first: bool,
}

fn copy_in(function: &Function, stmt: &Stmt) -> Option<Copy> {
    let StmtKind::For { body, .. } = &stmt.kind else {
        return None;
    };
    let is_real = |stmt: &Stmt| !stmt.is_comment();
    let first = body.stmts.iter().position(is_real)?;
    let last = body.stmts.iter().rposition(is_real)?;
    let ends = [(last, false), (first, true)];
    let mut copies = ends.into_iter().filter(|_| first < last);
    copies.find_map(|(at, is_first)| {
        let (before, now) = copied(function, &body.stmts[at])?;
        Some(Copy {
            now,
            before,
            at,
            is_first,
        })
    })
}

/// The rows of `for (..) to[k] = from[k];`
fn copied(function: &Function, stmt: &Stmt) -> Option<(VarId, VarId)> {
    let StmtKind::For { body, .. } = &stmt.kind else {
        return None;
    };
    let StmtKind::Expr(copy) = only(&body.stmts)?.kind else {
        return None;
    };
    let Expr::Assign { op: None, lhs, rhs } = *function.exprs.get(copy) else {
        return None;
    };
    let element = |id| match *function.exprs.get(id) {
        Expr::Index { base, index } => Some((
            function.exprs.local_var(base)?,
            function.exprs.local_var(index)?,
        )),
        _ => None,
    };
    let ((to, at), (from, same)) = (element(lhs)?, element(rhs)?);
    (at == same && to != from).then_some((to, from))
}

/// Two rows that may be used by turns.
struct Turns {
    copy: Copy,
    outer: Counting,
    /// Where both are declared in the list of the loop.
    declared: [usize; 2],
    /// An element's type, and how many there are in a row.
    element: QualType,
    len: u64,
}

/// Uses two rows of a loop by turns, in place of copying them: their array, and what is done.
///
/// # Errors
/// They stay as they are.
pub fn turn(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'_>,
    at: &Position,
) -> Result<(VarId, Note), Refusal> {
    let turns = look(module, kernel, context, at)?;
    let function = &module.functions[kernel];
    let name = |var: VarId| &function.vars[var].name;
    let Copy { now, before, .. } = turns.copy;
    let text = format!(
        "'{}' and '{}' are rows of one array by turns: none is copied",
        name(before),
        name(now)
    );
    let span = at.get(function).and_then(|stmt| stmt.span);
    let rows = turns.write(module, kernel, context, at);
    Ok((rows, Note::new(text, span)))
}

fn look(
    module: &Module,
    kernel: FunctionId,
    context: &Context<'_>,
    at: &Position,
) -> Result<Turns, Refusal> {
    let function = &module.functions[kernel];
    let stmts = list(function, &at.path).unwrap_or_default();
    let nest = stmts.get(at.index).ok_or_else(Refusal::default)?;
    let copy = copy_in(function, nest).ok_or_else(Refusal::default)?;
    let (declared, element, len) = declared(module, function, &stmts[..at.index], copy)
        .ok_or_else(|| refuse("a row that it copies is no array beside the loop"))?;
    let constants = Constants::new(module, function);
    let outer = counting(&constants, nest)
        .filter(|outer| outer.by == 1 && outer.trips > 0)
        .ok_or_else(|| refuse("its trip counts are not constants"))?;
    let parts = Parts::of(&constants, nest, copy)?;
    let rows = [copy.now, copy.before];
    let uses = Uses::of(module, kernel, context, rows)?;
    if !uses.are_within(&parts.range) {
        return Err(refuse("not all of a row is copied that is used"));
    }
    let writes = |stmts, row| !uses.stores(function, stmts, row).is_empty();
    if parts.others().any(|stmts| writes(stmts, copy.before)) {
        return Err(refuse("the row of the step before is written"));
    }
    if rows.iter().any(|row| writes(&stmts[at.index + 1..], *row)) {
        return Err(refuse("a row that it copies is written after it"));
    }
    let stored = Stored::of(function, &uses, &parts, copy.now)?;
    if !stored.is_whole() && !faults::is_on("wavefront-part-of-a-row") {
        return Err(refuse(
            "a step does not store all of the row that is copied",
        ));
    }
    if !stored.is_before_reads(function, &uses, copy.now) {
        return Err(refuse("a step reads its row before it is stored"));
    }
    Ok(Turns {
        copy,
        outer,
        declared,
        element,
        len,
    })
}

/// Where both rows are declared among the statements before the loop, with the type and number of their elements.
fn declared(
    module: &Module,
    function: &Function,
    stmts: &[Stmt],
    copy: Copy,
) -> Option<([usize; 2], QualType, u64)> {
    let row = |row: VarId| {
        let is_own =
            |stmt: &Stmt| matches!(stmt.kind, StmtKind::Decl { var, init: None } if var == row);
        let at = stmts.iter().position(is_own)?;
        let variable = &function.vars[row];
        let is_plain = variable.space == AddressSpace::Private
            && variable.attrs.is_empty()
            && !variable.ty.quals.contains(Qualifiers::VOLATILE);
        let (element, len) = module.types.as_array(variable.ty.ty).filter(|_| is_plain)?;
        let is_flat = module.types.as_array(element.ty).is_none();
        is_flat.then_some((at, element, len?))
    };
    let (now, element, len) = row(copy.now)?;
    let (before, other, other_len) = row(copy.before)?;
    let at = [now.min(before), now.max(before)];
    (element == other).then_some((at, element, len.max(other_len)))
}

/// The statements of a step.
struct Parts<'s> {
    /// What stands before the loop that stores a row.
    start: &'s [Stmt],
    /// What that loop does in each iteration.
    lane: &'s [Stmt],
    /// How it counts.
    inner: Counting,
    /// What stands after it.
    end: &'s [Stmt],
    /// The elements that are copied.
    range: RangeInclusive<i128>,
}

impl<'s> Parts<'s> {
    /// All but the copy.
    fn others(&self) -> impl Iterator<Item = &'s [Stmt]> {
        [self.start, self.lane, self.end].into_iter()
    }

    fn of(constants: &Constants<'_>, nest: &'s Stmt, copy: Copy) -> Result<Self, Refusal> {
        let StmtKind::For { body, .. } = &nest.kind else {
            return Err(Refusal::default());
        };
        let forward = |stmt| {
            let found = counting(constants, stmt);
            let found = found.filter(|found| found.by == 1 && found.trips > 0);
            found.ok_or_else(|| refuse("its trip counts are not constants"))
        };
        let copied = forward(&body.stmts[copy.at])?;
        let others = match copy.is_first {
            true => &body.stmts[copy.at + 1..],
            false => &body.stmts[..copy.at],
        };
        let at = others.iter().position(|stmt| loops::count(stmt) > 0);
        let at = at.ok_or_else(|| refuse("beside the copy of a row there is no loop"))?;
        let (start, rest) = others.split_at(at);
        let StmtKind::For { body: lane, .. } = &rest[0].kind else {
            return Err(refuse(
                "beside the copy of a row there is no loop that counts",
            ));
        };
        let leaves = |stmt: &Stmt| loops::leaves(stmt, true, true) || loops::returns(stmt);
        if others.iter().chain(&lane.stmts).any(leaves) {
            return Err(refuse("the loop over steps may end early"));
        }
        Ok(Parts {
            start,
            lane: &lane.stmts,
            inner: forward(&rest[0])?,
            end: &rest[1..],
            range: copied.start..=copied.start + i128::from(copied.trips) - 1,
        })
    }
}

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
struct Uses(BTreeMap<ExprId, Use>);

impl Uses {
    /// # Errors
    /// There are others than elements.
    fn of(
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
    fn are_within(&self, range: &RangeInclusive<i128>) -> bool {
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
    fn stores(&self, function: &Function, stmts: &[Stmt], row: VarId) -> Vec<Store> {
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
struct Store {
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
struct Stored<'p> {
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
    fn of(
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
    fn is_whole(&self) -> bool {
        let is_stored = |at: &i128| self.along.contains(at) || self.border.contains(at);
        self.parts.range.clone().all(|at| is_stored(&at))
    }

    /// Whether no element of the row is read before it is stored.
    fn is_before_reads(&self, function: &Function, uses: &Uses, row: VarId) -> bool {
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

/// Where a row is used.
#[derive(Clone, Copy)]
enum When {
    BeforeLoop,
    InLoop,
    AfterLoop,
}

impl Turns {
    /// The row of the array that one of the two is.
    fn row(
        &self,
        function: &mut Function,
        types: &mut Types,
        (is_now, when): (bool, When),
    ) -> ExprId {
        let Counting {
            counter,
            start,
            trips,
            ..
        } = self.outer;
        let last = start + i128::from(trips) - 1;
        let step = match (when, self.copy.is_first) {
            (When::InLoop, _) => {
                let mut step = function.use_var(counter);
                if !is_now {
                    let one = function.exprs.int(types, 1);
                    step = function.exprs.binary(types, BinaryOp::Add, step, one);
                }
                let one = function.exprs.int(types, 1);
                return function.exprs.binary(types, BinaryOp::BitAnd, step, one);
            }
            // The first step finds there what it copies.
            (When::BeforeLoop, is_first) if is_now == is_first => start - 1,
            (When::BeforeLoop, _) => start,
            (When::AfterLoop, true) if !is_now => last - 1,
            (When::AfterLoop, _) => last,
        };
        function.exprs.int(types, step.rem_euclid(2) as i64)
    }

    /// What names the rows, and which of them and where.
    fn slots(&self, function: &Function, at: &Position) -> Vec<(ExprId, bool, When)> {
        let stmts = list(function, &at.path).unwrap_or_default();
        let mut found = Vec::new();
        for (index, stmt) in stmts.iter().enumerate() {
            let when = match index.cmp(&at.index) {
                Ordering::Less => When::BeforeLoop,
                Ordering::Equal => When::InLoop,
                Ordering::Greater => When::AfterLoop,
            };
            for (slot, var) in stmt.local_uses(&function.exprs) {
                if [self.copy.now, self.copy.before].contains(&var) {
                    found.push((slot, var == self.copy.now, when));
                }
            }
        }
        found
    }

    /// Declares the array, names it where the rows are named, and takes out the copy.
    fn write(
        self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        at: &Position,
    ) -> VarId {
        let function = &mut module.functions[kernel];
        let row = module.types.intern(Type::Array {
            element: self.element,
            len: Some(self.len),
        });
        let ty = module.types.intern(Type::Array {
            element: QualType::plain(row),
            len: Some(2),
        });
        let hint = format!("{}_rows", function.vars[self.copy.now].name);
        let rows = function.add_var(&hint, ty, context.names);
        for (slot, is_now, when) in self.slots(function, at) {
            let row = self.row(function, &mut module.types, (is_now, when));
            let base = function.use_var(rows);
            let named = function.exprs.index(&module.types, base, row);
            function.exprs.replace_by(slot, named);
        }
        if let Some(Stmt {
            kind: StmtKind::For { body, .. },
            ..
        }) = at.get_mut(function)
        {
            body.stmts.remove(self.copy.at);
        }
        let [first, second] = self.declared;
        if let Some(stmts) = list_mut(function, &at.path) {
            stmts[first].kind = StmtKind::Decl {
                var: rows,
                init: None,
            };
            stmts.remove(second);
        }
        rows
    }
}
