//! What a lane of a wave does in a step: in which arrays it stores, and what it reads of them.

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, Stmt, StmtKind, VarId, VarRef};
use fpgacc_kernel_analysis::accesses::Accesses;
use fpgacc_kernel_analysis::alias::Root;
use fpgacc_kernel_analysis::dependence::{Effects, may_be};
use fpgacc_kernel_analysis::independence::indexed;
use fpgacc_kernel_analysis::location::{Refusal, refuse};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::trip_count::Counting;
use fpgacc_kernel_analysis::usage::names;

use super::best::bests;
use super::element::{Element, Elements, Rolling};
use super::extrema::extrema;
use super::held::{Conditions, Held, inequalities};
use super::nest::{Scope, counts, inside, lane, lists, stores_of, written};
use super::phase::{Own, Phase, Table};
use super::space::{Affine, follows, within};
use super::stores::{Region, Regions, is_after, place, stored, stores_in};
use super::values::Values;

/// What a loop does in which [`written`] finds arrays.
///
/// # Errors
/// It is not known well enough.
pub fn phase(scope: &Scope<'_>, stmt: &Stmt) -> Result<Phase, Refusal> {
    let mut first = None;
    for arrays in written(scope.function, stmt) {
        match with_tables(scope, &arrays, stmt) {
            Ok(phase) => return Ok(phase),
            Err(refusal) => first = first.or(Some(refusal)),
        }
    }
    Err(first.unwrap_or_default())
}

/// The same, where some arrays are what it stores in.
fn with_tables(scope: &Scope<'_>, arrays: &[VarId], stmt: &Stmt) -> Result<Phase, Refusal> {
    let counts = counts(scope, stmt)?;
    let lane = lane(stmt).unwrap_or_default();
    effects(scope, stmt)?;
    let mut reader = Reader::new(scope, stmt, counts);
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
        bests: Vec::new(),
        guards: reader.guards.clone(),
        span: stmt.span,
        whole: stmt.clone(),
    };
    reader.tables(&mut phase, arrays)?;
    reader.reads(&mut phase)?;
    reader.other_writes(&mut phase, from)?;
    Ok(phase)
}

/// Refuses what may not change its place.
fn effects(scope: &Scope<'_>, stmt: &Stmt) -> Result<(), Refusal> {
    let effects = Effects::of(scope.aliases, scope.summaries, std::slice::from_ref(stmt));
    let leaves = lane(stmt).is_none_or(|stmts| {
        let mut stmts = stmts.iter();
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

/// Looks at what a lane does.
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

impl<'a> Reader<'a> {
    /// For loops that count like this.
    fn new(scope: &'a Scope<'a>, stmt: &Stmt, counts: [Counting; 2]) -> Self {
        let [times, lanes] = counts.map(|count| i128::from(count.trips));
        let lane = lane(stmt).unwrap_or_default();
        Reader {
            scope,
            values: Values::new(scope, stmt, counts, [Affine::TIME, Affine::LANE]),
            area: within(times, lanes),
            guards: Vec::new(),
            accesses: Accesses::of_stmts(scope.aliases, scope.summaries, lane),
        }
    }

    /// The statements of a lane, those under conditions on the counters alone among them, and the number of the first that
    /// stands in the list in which it stores. What comes after these is left out.
    fn flat(&mut self, stmts: &[Stmt], arrays: &[VarId]) -> Result<(Vec<Stmt>, usize), Refusal> {
        let function = self.scope.function;
        let is_store = |stmt: &Stmt| {
            let mut stores = stores_of(function, stmt).into_iter();
            stores.any(|store| stored(function, store).is_some_and(|array| arrays.contains(&array)))
        };
        let own = stmts.iter().filter(|stmt| !stmt.is_comment());
        if stmts.iter().any(is_store) {
            return Ok((own.cloned().collect(), 0));
        }
        let mut before = Vec::new();
        for stmt in own {
            let stores = |list: &&[Stmt]| lists(function, list).into_iter().flatten().any(is_store);
            let Some(list) = inside(stmt).filter(stores) else {
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

    /// What holds where an expression of statements is evaluated.
    fn held_at(&mut self, stmts: &[Stmt], part: ExprId) -> Vec<Held> {
        let exprs = &self.scope.function.exprs;
        let points = self.points();
        let compared = &mut |sides| self.values.compared(sides, &points);
        Conditions { exprs, compared }.held_in(stmts, part)
    }

    /// The element of an array that an lvalue is.
    fn element(&mut self, array: VarId, at: ExprId) -> Result<Element, Refusal> {
        let mut elements = Elements {
            scope: self.scope,
            values: &mut self.values,
            area: &self.area,
        };
        elements.element(array, at)
    }

    /// The arrays in which each point stores an element that others read.
    fn tables(&mut self, phase: &mut Phase, arrays: &[VarId]) -> Result<(), Refusal> {
        for &array in arrays {
            if !self.is_of_lanes(array) {
                let table = self.table(phase, array)?;
                phase.tables.push(table);
            }
        }
        match phase.tables.is_empty() {
            true => Err(refuse("it reads nothing that it stores")),
            false => Ok(()),
        }
    }

    fn table(&mut self, phase: &Phase, array: VarId) -> Result<Table, Refusal> {
        let function = self.scope.function;
        let points = self.points();
        let held = self.region(phase, array, &points)?;
        let stores = stores_in(function, &phase.body).into_iter();
        let stores: Vec<ExprId> = stores
            .filter(|store| stored(function, *store) == Some(array))
            .collect();
        let mut found = Vec::new();
        for store in &stores {
            let Expr::Assign { op: None, lhs, .. } = *function.exprs.get(*store) else {
                return Err(refuse("it changes elements in place"));
            };
            found.push((self.element(array, lhs)?, lhs));
        }
        // At a border one alone may be named.
        let names_all = |one: &(Element, ExprId)| one.0.at.sum.lane != 0;
        let first = found.iter().position(names_all).unwrap_or(0);
        let (Element { at, before_first }, element) = found.swap_remove(first);
        for (other, lhs) in found {
            let held = self.held_at(&phase.body, lhs);
            let known = [&points[..], &inequalities(&held, &points)].concat();
            if !at.is_same(other.at, &known) {
                return Err(refuse("the arms of a branch store different elements"));
            }
        }
        let rolling = match at.rolling {
            None if at.sum.time == 0 => Some(Rolling::ONE),
            rolling => rolling,
        };
        let known = [&points[..], &held].concat();
        let all = points[self.area.len()..].iter().chain(&held);
        match rolling {
            None if at.sum.time == 0 || at.sum.lane == 0 => {
                Err(refuse("its steps or its lanes store the same elements"))
            }
            Some(_) if at.sum.time != 0 || at.sum.lane == 0 => {
                Err(refuse("its steps or its lanes store the same elements"))
            }
            Some(_) if all.clone().any(|one| one.time != 0) => Err(refuse(
                "not all steps store the same elements of rows that are used by turns",
            )),
            Some(rolling) if !rolling.holds(at.sum, &known) => Err(refuse(
                "it is not known that rows that are used by turns do not overlap",
            )),
            _ => Ok(Table {
                array,
                stores,
                element,
                at: at.sum,
                held,
                rolling,
                before_first,
            }),
        }
    }

    /// What holds where a lane stores in an array, among points that fulfil some inequalities.
    fn region(
        &mut self,
        phase: &Phase,
        array: VarId,
        points: &[Affine],
    ) -> Result<Vec<Affine>, Refusal> {
        let function = self.scope.function;
        let compared = &mut |sides| self.values.compared(sides, points);
        let mut regions = Regions {
            function,
            array,
            conditions: Conditions {
                exprs: &function.exprs,
                compared,
            },
            points,
        };
        match regions.of(&phase.body) {
            Some(Region::Where(held)) => Ok(held),
            _ => Err(refuse("whether a lane stores depends on data")),
        }
    }

    /// The reads of the tables.
    fn reads(&mut self, phase: &mut Phase) -> Result<(), Refusal> {
        let function = self.scope.function;
        let reads: Vec<ExprId> = self.touched(false).collect();
        for read in reads {
            for table in 0..phase.tables.len() {
                let array = phase.tables[table].array;
                if !self.may_be(read, array) {
                    continue;
                }
                let Element { at, .. } = self.element(array, read)?;
                let own = place(function, &phase.body, read);
                let held = self.held_at(&phase.body, read);
                let comes_after = |own: &Vec<(usize, usize)>| {
                    let mut stores = phase.tables[table].stores.iter();
                    stores.any(|store| {
                        let store = place(function, &phase.body, *store);
                        store.is_some_and(|store| is_after(own, &store))
                    })
                };
                let named = self.renamed(at.sum, phase.tables[table].at, &held);
                phase.reads.push(Own {
                    expr: read,
                    table,
                    at: named,
                    rolling: at.rolling,
                    held,
                    is_after: own.is_none_or(|own| comes_after(&own)),
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
        let bests = bests(self.scope, &lane, &phase.whole);
        let is_inside = |phase: &Phase, id| phase.statement_of(function, id) >= Some(from);
        let writes: Vec<ExprId> = self
            .touched(true)
            .filter(|at| !self.is_declared(*at))
            .collect();
        for write in writes {
            let mut stores = phase.tables.iter().flat_map(|table| &table.stores);
            if stores.any(|store| function.exprs.written(*store) == Some(write)) {
                continue;
            }
            let extremum = extrema.iter().find(|one| one.location == write);
            let best = bests.iter().find(|one| one.writes(write));
            let is_known = match (extremum, best) {
                (Some(one), _) => {
                    phase.extrema.push(one.clone());
                    true
                }
                (None, Some(one)) => {
                    let is_first = one.location == write;
                    phase.bests.extend(is_first.then(|| one.clone()));
                    true
                }
                _ => self.is_apart(phase, write),
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
        let at = at.and_then(|element| element.at.plain_sum());
        // It may be done where not all guards hold.
        let area = self.area;
        let held = self.region(phase, array, &area).unwrap_or_default();
        // One lane may have a row of them.
        let is_of_all = |at: Affine| at.lane != 0 || self.only_lane(&held).is_some();
        let at = at.filter(|at| is_only && at.time != 0 && is_of_all(*at));
        if let Some(at) = at {
            phase.others.push(array);
            phase.stored.push((at, held));
        }
        at.is_some()
    }

    /// The only lane that does what is done where something holds, if it is the first or the last.
    fn only_lane(&self, held: &[Affine]) -> Option<i128> {
        let known = [&self.area[..], held].concat();
        let [_, _, first, last] = self.area;
        let is_at = |lane: &i128| {
            let lane = Affine::constant(*lane).plus(Affine::LANE, -1);
            follows(&known, lane) && follows(&known, lane.negated_sum())
        };
        [-first.constant, last.constant].into_iter().find(is_at)
    }

    /// An element that one lane reads, named as a table's are.
    fn renamed(&self, at: Affine, table: Affine, held: &[Held]) -> Affine {
        let held = inequalities(held, &self.points());
        match self.only_lane(&held) {
            None => at,
            Some(lane) => {
                let zero = Affine::LANE.plus(Affine::constant(lane), -1);
                at.plus(zero, table.lane - at.lane)
            }
        }
    }

    /// Whether each lane has an element of its own of an array, and accesses no other.
    fn is_of_lanes(&mut self, array: VarId) -> bool {
        let own = [false, true].map(|write| self.touched(write).collect::<Vec<_>>());
        let own: Vec<ExprId> = own
            .into_iter()
            .flatten()
            .filter(|at| self.may_be(*at, array))
            .collect();
        let mut elements = own.into_iter().map(|at| {
            let element = self.element(array, at).ok()?;
            element.at.plain_sum()
        });
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
