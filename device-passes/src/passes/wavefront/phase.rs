//! A loop over steps with a loop over lanes inside, as it stands in a kernel.

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, Function, Init, Module, Stmt, StmtKind, VarId, VarRef,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::accesses::{Accesses, Summaries};
use fpgacc_kernel_analysis::alias::{Aliases, Root};
use fpgacc_kernel_analysis::dependence::{Effects, may_be};
use fpgacc_kernel_analysis::independence::indexed;
use fpgacc_kernel_analysis::location::{Refusal, refuse};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::{Nests, only};
use fpgacc_kernel_analysis::trip_count::{Constants, Counting, counting};
use fpgacc_kernel_analysis::usage::names;

use super::arms;
use super::extrema::{Extremum, extrema};
use super::held::{Conditions, Held};
use super::space::{Affine, within};
use super::values::Values;

/// What is known of a kernel.
pub struct Scope<'a> {
    pub module: &'a Module,
    pub function: &'a Function,
    pub aliases: &'a Aliases<'a>,
    pub nests: &'a Nests<'a>,
    pub summaries: &'a Summaries,
}

/// Loops of a wave. Coordinates are the numbers of iterations: of the outer loop the time, of the inner one the lane.
pub struct Phase {
    /// How the outer loop counts, and the inner one.
    pub counts: [Counting; 2],
    /// What is done in each lane, without the conditions that are among the guards.
    pub body: Vec<Stmt>,
    /// All of a lane's statements, where some that matter are not under all guards.
    pub unguarded: Option<Vec<Stmt>>,
    /// The arrays that it stores in and reads.
    pub tables: Vec<Table>,
    /// Reads of these.
    pub reads: Vec<Own>,
    /// Elements of other arrays, which it only stores.
    pub stored: Vec<Affine>,
    /// These arrays.
    pub others: Vec<VarId>,
    /// Minima and maxima of all points.
    pub extrema: Vec<Extremum>,
    /// What holds where a lane does something in a step.
    pub guards: Vec<Affine>,
    /// Where it stands.
    pub span: Option<Span>,
    /// The loops.
    pub whole: Stmt,
}

/// An array in which each point stores an element.
pub struct Table {
    /// The array.
    pub array: VarId,
    /// The assignment.
    pub store: ExprId,
    /// The element that it writes.
    pub at: Affine,
}

/// A read of an array that is written.
pub struct Own {
    /// The expression.
    pub expr: ExprId,
    /// Which of the tables.
    pub table: usize,
    /// Its element.
    pub at: Affine,
    /// What holds where it is read.
    pub held: Vec<Held>,
    /// It comes after the store of the same point.
    pub is_after: bool,
}

/// The loop inside of a loop that is all of its body.
pub fn inner(stmt: &Stmt) -> Option<&Stmt> {
    let StmtKind::For { body, .. } = &stmt.kind else {
        return None;
    };
    only(&body.stmts).filter(|inner| matches!(inner.kind, StmtKind::For { .. }))
}

/// What the loop inside of a loop does in each iteration.
fn lane(stmt: &Stmt) -> Option<&[Stmt]> {
    match &inner(stmt)?.kind {
        StmtKind::For { body, .. } => Some(&body.stmts),
        _ => None,
    }
}

/// Arrays of the function's own that a loop inside a loop stores in and reads: a look that takes no time. For each list of
/// a lane's statements in which it stores, the innermost first.
pub fn written(function: &Function, stmt: &Stmt) -> Vec<Vec<VarId>> {
    let lane = lane(stmt).unwrap_or_default();
    if lane.iter().any(|stmt| loops::count(stmt) > 0) {
        return Vec::new();
    }
    let uses = stmt.local_uses(&function.exprs);
    let is_read = |array: &VarId| uses.iter().filter(|(_, var)| var == array).count() > 1;
    let lists = Lists::of(function, lane).0.into_iter().rev();
    let arrays = lists.map(|list| {
        let stores = list.iter().filter_map(|stmt| store_of(function, stmt));
        let mut arrays: Vec<VarId> = stores.filter_map(|store| stored(function, store)).collect();
        arrays.retain(is_read);
        arrays.sort_unstable();
        arrays.dedup();
        arrays
    });
    arrays.filter(|arrays| !arrays.is_empty()).collect()
}

/// Lists of a lane's statements, each in a branch or block of the one before it.
struct Lists<'s>(Vec<&'s [Stmt]>);

impl<'s> Lists<'s> {
    /// From the outside in, as far as there are stores inside.
    fn of(function: &Function, stmts: &'s [Stmt]) -> Self {
        let inside = stmts
            .iter()
            .filter_map(inside)
            .map(|list| Self::of(function, list));
        let mut deepest = inside
            .max_by_key(|lists| lists.0.len())
            .map_or(Vec::new(), |lists| lists.0);
        let is_store =
            |stmt| store_of(function, stmt).is_some_and(|id| stored(function, id).is_some());
        if !deepest.is_empty() || stmts.iter().any(is_store) {
            deepest.insert(0, stmts);
        }
        Lists(deepest)
    }
}

/// The statements in a block, or in a branch without another arm.
fn inside(stmt: &Stmt) -> Option<&[Stmt]> {
    match &stmt.kind {
        StmtKind::If {
            then,
            otherwise: None,
            ..
        } => Some(&then.stmts),
        StmtKind::Block(block) => Some(&block.stmts),
        _ => None,
    }
}

/// The assignment that a statement is, or the first one of a branch that stores in each arm.
fn store_of(function: &Function, stmt: &Stmt) -> Option<ExprId> {
    match &stmt.kind {
        StmtKind::Expr(expr) => Some(*expr),
        StmtKind::If {
            otherwise: Some(_), ..
        } => arms::store(function, stmt),
        _ => None,
    }
}

/// The array of the function's own in which an expression stores an element.
fn stored(function: &Function, store: ExprId) -> Option<VarId> {
    let lhs = function.exprs.written(store)?;
    let mut base = lhs;
    while let Expr::Index { base: below, .. } = *function.exprs.get(base) {
        base = below;
    }
    let array = function.exprs.local_var(base).filter(|_| base != lhs)?;
    (!function.params.contains(&array)).then_some(array)
}

/// Whether the lanes of loops store in each arm of a branch.
pub fn branches(function: &Function, stmt: &Stmt) -> bool {
    let lists = Lists::of(function, lane(stmt).unwrap_or_default());
    lists
        .0
        .into_iter()
        .flatten()
        .any(|stmt| matches!(stmt.kind, StmtKind::If { .. }) && store_of(function, stmt).is_some())
}

impl Phase {
    /// Of a loop in which [`written`] finds arrays.
    ///
    /// # Errors
    /// It is not known well enough.
    pub fn of(scope: &Scope<'_>, stmt: &Stmt) -> Result<Self, Refusal> {
        let mut first = None;
        for arrays in written(scope.function, stmt) {
            match Self::with_tables(scope, &arrays, stmt) {
                Ok(phase) => return Ok(phase),
                Err(refusal) => first = first.or(Some(refusal)),
            }
        }
        Err(first.unwrap_or_default())
    }

    /// The same, where some arrays are what it stores in.
    fn with_tables(scope: &Scope<'_>, arrays: &[VarId], stmt: &Stmt) -> Result<Self, Refusal> {
        let counts = counts(scope, stmt)?;
        let lane = lane(stmt).unwrap_or_default();
        effects(scope, stmt)?;
        let [times, lanes] = counts.map(|count| i128::from(count.trips));
        let mut reader = Reader {
            scope,
            values: Values::new(scope, stmt, counts, [Affine::TIME, Affine::LANE]),
            area: within(times, lanes),
            guards: Vec::new(),
            accesses: Accesses::of_stmts(scope.aliases, scope.summaries, lane),
        };
        if !arrays.iter().all(|array| reader.is_own_array(*array)) {
            return Err(refuse("a pointer may lead to what it writes"));
        }
        let (body, from) = reader.flat(lane, arrays)?;
        let mut phase = Phase {
            counts,
            body,
            unguarded: None,
            tables: Vec::new(),
            reads: Vec::new(),
            stored: Vec::new(),
            others: Vec::new(),
            extrema: Vec::new(),
            guards: reader.guards.clone(),
            span: stmt.span,
            whole: stmt.clone(),
        };
        reader.tables(&mut phase, arrays)?;
        reader.reads(&mut phase)?;
        reader.other_writes(&mut phase, from)?;
        Ok(phase)
    }

    /// The number of the statement of the body that an expression stands in.
    fn statement_of(&self, function: &Function, id: ExprId) -> Option<usize> {
        let mut stmts = self.body.iter();
        stmts.position(|stmt| stmt.any_expr(&function.exprs, &mut |part| part == id))
    }
}

/// What both loops count with, by the numbers of their iterations.
pub fn counters(counts: &[Counting; 2], iterations: [Affine; 2]) -> [Affine; 2] {
    let counter = |at: usize| {
        let Counting { start, by, .. } = counts[at];
        Affine::constant(start).plus(iterations[at], by)
    };
    [counter(0), counter(1)]
}

/// How both loops count.
fn counts(scope: &Scope<'_>, stmt: &Stmt) -> Result<[Counting; 2], Refusal> {
    let constants = Constants::new(scope.module, scope.function);
    let of = |stmt: &Stmt, may_be: &[&str]| {
        let StmtKind::For { init, hints, .. } = &stmt.kind else {
            return None;
        };
        let declares = matches!(init.as_slice(), [one] if matches!(one.kind, StmtKind::Decl { init: Some(Init::Expr(_)), .. }));
        let mut pragmas = hints.pragmas.iter();
        let is_free = hints.attrs.is_empty()
            && pragmas.all(|text| text.starts_with("ivdep") || may_be.contains(&text.as_str()));
        counting(&constants, stmt).filter(|_| declares && is_free)
    };
    // All lanes at once is what becomes of them.
    let both = inner(stmt).and_then(|inner| Some([of(stmt, &[])?, of(inner, &["unroll"])?]));
    both.ok_or_else(|| {
        refuse("its trip counts are not constants, or a pragma says what becomes of its loops")
    })
}

/// Refuses what may not change its place.
fn effects(scope: &Scope<'_>, stmt: &Stmt) -> Result<(), Refusal> {
    let effects = Effects::of(scope.aliases, scope.summaries, std::slice::from_ref(stmt));
    let leaves = inner(stmt).is_none_or(|inner| {
        let StmtKind::For { body, .. } = &inner.kind else {
            return true;
        };
        let mut stmts = body.stmts.iter();
        stmts.any(|stmt| loops::leaves(stmt, true, true) || loops::returns(stmt))
    });
    match () {
        () if effects.prints => Err(refuse("it prints")),
        () if effects.synchronises => {
            Err(refuse("barriers, atomics or channels order what it does"))
        }
        () if effects.is_volatile => Err(refuse("it accesses volatile memory")),
        () if leaves => Err(refuse("a lane may leave it early")),
        () => Ok(()),
    }
}

struct Reader<'a> {
    scope: &'a Scope<'a>,
    values: Values<'a>,
    /// What bounds all times and lanes.
    area: [Affine; 4],
    /// What holds beside that where a lane stores.
    guards: Vec<Affine>,
    /// Of a lane.
    accesses: Accesses,
}

impl Reader<'_> {
    /// The statements of a lane, those under conditions on the counters alone among them, and the number of the first that
    /// stands in the list in which it stores. What comes after these is left out.
    fn flat(&mut self, stmts: &[Stmt], arrays: &[VarId]) -> Result<(Vec<Stmt>, usize), Refusal> {
        let function = self.scope.function;
        let real = |stmt: &&Stmt| !matches!(stmt.kind, StmtKind::Comment(_));
        let is_store = |stmt: &Stmt| {
            let store = store_of(function, stmt).and_then(|store| stored(function, store));
            store.is_some_and(|array| arrays.contains(&array))
        };
        let own = stmts.iter().filter(real);
        if stmts.iter().any(is_store) {
            return Ok((own.cloned().collect(), 0));
        }
        let mut before = Vec::new();
        for stmt in own {
            let lists = inside(stmt).map(|list| Lists::of(function, list).0);
            let stores = lists
                .unwrap_or_default()
                .into_iter()
                .flatten()
                .any(is_store);
            let Some(list) = inside(stmt).filter(|_| stores) else {
                before.push(stmt.clone());
                continue;
            };
            if let StmtKind::If { cond, .. } = stmt.kind {
                let on_data = || refuse("whether a lane stores depends on data");
                self.guard(cond).ok_or_else(on_data)?;
            }
            let (inside, from) = self.flat(list, arrays)?;
            let from = before.len() + from;
            before.extend(inside);
            return Ok((before, from));
        }
        Err(refuse("whether a lane stores depends on data"))
    }

    /// What holds at all points.
    fn points(&self) -> Vec<Affine> {
        [&self.area, &self.guards[..]].concat()
    }

    /// Notes a condition, as inequalities that all must hold.
    fn guard(&mut self, cond: ExprId) -> Option<()> {
        let Expr::Binary { op, lhs, rhs } = *self.scope.function.exprs.get(cond) else {
            return None;
        };
        if op == BinaryOp::And {
            self.guard(lhs)?;
            return self.guard(rhs);
        }
        let [lhs, rhs] = self.values.compared([lhs, rhs], &self.points())?;
        let more = lhs.plus(rhs, -1);
        let less = rhs.plus(lhs, -1);
        let one = Affine::constant(1);
        match op {
            BinaryOp::Ge => self.guards.push(more),
            BinaryOp::Gt => self.guards.push(more.plus(one, -1)),
            BinaryOp::Le => self.guards.push(less),
            BinaryOp::Lt => self.guards.push(less.plus(one, -1)),
            BinaryOp::Eq => self.guards.extend([more, less]),
            _ => return None,
        }
        Some(())
    }

    /// What holds where a part of a statement is evaluated.
    fn held_at(&mut self, stmt: &Stmt, part: ExprId) -> Vec<Held> {
        let exprs = &self.scope.function.exprs;
        let root = match &stmt.kind {
            StmtKind::Expr(root) => match *exprs.get(*root) {
                Expr::Assign { rhs, .. } => Some(rhs),
                _ => None,
            },
            StmtKind::Decl {
                init: Some(Init::Expr(root)),
                ..
            } => Some(*root),
            _ => None,
        };
        let points = self.points();
        let compared = &mut |sides| self.values.compared(sides, &points);
        let mut conditions = Conditions { exprs, compared };
        root.map_or(Vec::new(), |root| conditions.held_at(root, part))
    }

    /// The element of an array that an lvalue is, counted from its first.
    fn element(&mut self, array: VarId, at: ExprId) -> Result<Affine, Refusal> {
        let function = self.scope.function;
        let unknown = || Refusal {
            reason: "indices are not sums of multiples of the counters".to_string(),
            also: Some((at, "here")),
        };
        let is_whole = matches!(function.exprs.get(at), Expr::Index { .. });
        let found = indexed(self.scope.aliases, at).filter(|_| is_whole);
        let (_, own) = found
            .filter(|(found, _)| *found == array)
            .ok_or_else(unknown)?;
        let mut ty = function.vars[array].ty.ty;
        let mut element = Affine::constant(0);
        for index in own {
            let (inner, len) = self.scope.module.types.as_array(ty).ok_or_else(unknown)?;
            let index = self.values.index(index, &self.area).ok_or_else(unknown)?;
            element = Affine::constant(0)
                .plus(element, i128::from(len.unwrap_or(0)))
                .plus(index, 1);
            ty = inner.ty;
        }
        match self.scope.module.types.component(ty) {
            Some(_) => Ok(element),
            None => Err(refuse("elements are arrays or structures")),
        }
    }

    /// The arrays in which each point stores an element that others read.
    fn tables(&mut self, phase: &mut Phase, arrays: &[VarId]) -> Result<(), Refusal> {
        let function = self.scope.function;
        for &array in arrays {
            if self.is_of_lanes(array) {
                continue;
            }
            let mut stores = phase.body.iter().filter_map(|stmt| match stmt.kind {
                StmtKind::Expr(store) => Some(store),
                _ => None,
            });
            let store = stores
                .find(|store| stored(function, *store) == Some(array))
                .ok_or_else(|| refuse("whether a lane stores depends on data"))?;
            let Expr::Assign { op: None, lhs, .. } = *function.exprs.get(store) else {
                return Err(refuse("it changes elements in place"));
            };
            let at = self.element(array, lhs)?;
            if at.time == 0 || at.lane == 0 {
                return Err(refuse("its steps or its lanes store the same elements"));
            }
            phase.tables.push(Table { array, store, at });
        }
        match phase.tables.is_empty() {
            true => Err(refuse("it reads nothing that it stores")),
            false => Ok(()),
        }
    }

    /// The reads of the tables.
    fn reads(&mut self, phase: &mut Phase) -> Result<(), Refusal> {
        let function = self.scope.function;
        let reads: Vec<ExprId> = self.touched(false).collect();
        for read in reads {
            for table in 0..phase.tables.len() {
                let Table { array, store, .. } = phase.tables[table];
                if !self.may_be(read, array) {
                    continue;
                }
                let at = self.element(array, read)?;
                let [own, stores] = [read, store].map(|id| phase.statement_of(function, id));
                let stmt = own.map(|own| phase.body[own].clone());
                let held = stmt.map_or(Vec::new(), |stmt| self.held_at(&stmt, read));
                phase.reads.push(Own {
                    expr: read,
                    table,
                    at,
                    held,
                    is_after: own.is_none() || own > stores,
                });
            }
        }
        Ok(())
    }

    /// Notes what else a lane writes; refuses what another may read or write.
    fn other_writes(&mut self, phase: &mut Phase, from: usize) -> Result<(), Refusal> {
        let function = self.scope.function;
        let lane = lane(&phase.whole).unwrap_or_default().to_vec();
        let extrema = extrema(self.scope, &lane, &phase.whole);
        let is_inside = |phase: &Phase, id| phase.statement_of(function, id) >= Some(from);
        let writes: Vec<ExprId> = self
            .touched(true)
            .filter(|at| !self.is_declared(*at))
            .collect();
        for write in writes {
            let is_store = |table: &Table| function.exprs.written(table.store) == Some(write);
            if phase.tables.iter().any(is_store) {
                continue;
            }
            let is_known = match extrema.iter().find(|one| one.location == write) {
                Some(one) => {
                    phase.extrema.push(one.clone());
                    true
                }
                None => self.is_apart(phase, write),
            };
            let is_outside = !is_inside(phase, write);
            let reads_outside = || phase.reads.iter().any(|read| !is_inside(phase, read.expr));
            if !is_known || is_outside && reads_outside() {
                let tables: Vec<VarId> = phase.tables.iter().map(|table| table.array).collect();
                let tables = names(function, &tables);
                return Err(refuse(format!("it writes more than {tables}")));
            }
            if is_outside {
                phase.unguarded = Some(lane.clone());
            }
        }
        Ok(())
    }

    /// Whether a write is one of an array that nothing else accesses, with an element for each point, or of one in which each
    /// lane has an element of its own.
    fn is_apart(&mut self, phase: &mut Phase, write: ExprId) -> bool {
        let found = indexed(self.scope.aliases, write).map(|(array, _)| array);
        let Some(array) = found.filter(|array| self.is_own_array(*array)) else {
            return false;
        };
        if self.is_of_lanes(array) {
            return true;
        }
        let accesses = self.accesses.list.iter();
        let is_only = accesses
            .filter(|access| may_be(self.scope.aliases, access, array))
            .count()
            == 1;
        let at = self.element(array, write).ok();
        let at = at.filter(|at| is_only && at.time != 0 && at.lane != 0);
        if let Some(at) = at {
            phase.others.push(array);
            phase.stored.push(at);
        }
        at.is_some()
    }

    /// Whether each lane has an element of its own of an array, and accesses no other.
    fn is_of_lanes(&mut self, array: VarId) -> bool {
        let own = [false, true].map(|write| self.touched(write).collect::<Vec<_>>());
        let own: Vec<ExprId> = own
            .into_iter()
            .flatten()
            .filter(|at| self.may_be(*at, array))
            .collect();
        let mut elements = own.into_iter().map(|at| self.element(array, at).ok());
        let Some(Some(first)) = elements.next() else {
            return false;
        };
        first.time == 0 && first.lane != 0 && elements.all(|other| other == Some(first))
    }

    /// What a lane writes, or reads.
    fn touched(&self, write: bool) -> impl Iterator<Item = ExprId> {
        let list = self.accesses.list.iter();
        let touched = list.filter(move |access| access.write == write);
        touched
            .map(|access| access.at)
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// Whether an access is to a variable.
    fn may_be(&self, at: ExprId, var: VarId) -> bool {
        let mut accesses = self.accesses.list.iter();
        accesses.any(|access| access.at == at && may_be(self.scope.aliases, access, var))
    }

    /// Whether what is written is a lane's own, in each step anew.
    fn is_declared(&self, at: ExprId) -> bool {
        let declared = &self.accesses.declared;
        let is_own = |root: &Root| matches!(root, Root::Object(VarRef::Local(var)) if declared.contains(var));
        let mut accesses = self.accesses.list.iter().filter(|access| access.at == at);
        accesses.all(|access| access.roots.iter().all(is_own))
    }

    /// Whether a variable is an array of the function's own that no pointer leads to.
    fn is_own_array(&self, array: VarId) -> bool {
        let function = self.scope.function;
        let types = &self.scope.module.types;
        types.as_array(function.vars[array].ty.ty).is_some()
            && !function.params.contains(&array)
            && !self.scope.aliases.is_exposed(VarRef::Local(array))
    }
}
