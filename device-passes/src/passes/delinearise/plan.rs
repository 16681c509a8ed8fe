//! Which loops become nests.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, FunctionId, Init, Module, Stmt, StmtKind, VarId, VarRef,
};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::location::is_loop;
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::only;
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use fpgacc_kernel_analysis::trip_count::{Constants, counting};
use fpgacc_kernel_analysis::variables::{Access, accesses_of_stmt};

use super::prefix::Follower;
use super::values::{Case, INNER, Interval, Nest, OUTER, ROW, Values};
use crate::pass::Note;

/// Shorter rows are left: a loop costs more than a quotient of a small number.
const SHORTEST: i128 = 16;
/// Counters are `int`.
const MOST: i128 = i32::MAX as i128;

/// A loop that becomes a nest.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Its index among the loops of the function, outer ones first.
    pub at: usize,
    /// Loops that count as one: 1 or 2.
    pub levels: usize,
    /// The nest.
    pub nest: Nest,
    /// Iterations.
    pub trips: i128,
    /// The counter, if the body uses it.
    pub counter: Option<VarId>,
    /// Conditions of the body on all of an iteration: fewer iterations stand for them.
    pub conditions: Vec<Condition>,
    /// Statements of the body that the values replace.
    pub replaced: usize,
    /// What these declare, in order, and the values that it gets; none: it gets none.
    pub values: Vec<(VarId, Vec<Piece>)>,
    /// Pragmas of both loops.
    pub pragmas: Vec<String>,
    /// What is rewritten.
    pub done: Note,
}

/// A condition of a body on all that comes after it.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    /// Its index in the list, with those before it taken out.
    pub at: usize,
    /// What it decides stands inside it; otherwise it goes on to the next iteration.
    pub holds_rest: bool,
}

/// A value for a range of the remainder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The last of the range; it begins after that of the piece before.
    pub last: i128,
    /// The value.
    pub value: Poly,
}

/// What becomes of a function's loops: nests, and why others stay.
pub fn plan(module: &Module, id: FunctionId) -> (Vec<Rows>, Vec<Note>) {
    let function = &module.functions[id];
    let Some(body) = loops::structured_body(function) else {
        return Default::default();
    };
    let mut exposed = BTreeSet::new();
    for stmt in &body.stmts {
        accesses_of_stmt(&module.types, function, stmt, &mut |var, access| {
            if access == Access::Address {
                exposed.insert(var);
            }
        });
    }
    let mut planner = Planner {
        module,
        id,
        constants: Constants::new(module, function),
        exposed,
        seen: 0,
        found: Vec::new(),
        missed: Vec::new(),
    };
    planner.list(&body.stmts, &[]);
    (planner.found, planner.missed)
}

struct Planner<'a> {
    module: &'a Module,
    id: FunctionId,
    constants: Constants<'a>,
    exposed: BTreeSet<VarId>,
    /// Loops that were met.
    seen: usize,
    found: Vec<Rows>,
    missed: Vec<Note>,
}

/// A loop, or two that count as one.
struct Flat<'s> {
    /// Counters, the outer first, and their iterations.
    counters: Vec<(VarId, i128)>,
    /// What an iteration does.
    body: &'s [Stmt],
    /// Pragmas of all of them.
    pragmas: Vec<String>,
}

/// What a body says before all else.
struct Survey<'s> {
    stmts: Vec<&'s Stmt>,
    conditions: Vec<Condition>,
    trips: i128,
    /// Divisions of the counter plus a number by a number.
    divisions: Vec<(ExprId, i128, i128)>,
}

impl Planner<'_> {
    fn list(&mut self, stmts: &[Stmt], around: &[(VarId, Interval)]) {
        for stmt in stmts {
            let mut inside = around.to_vec();
            if is_loop(stmt) {
                let at = self.seen;
                let rows = self
                    .flat(stmt)
                    .and_then(|flat| self.rows(at, &flat, around));
                if let Some(rows) = rows {
                    self.seen += loops::count(stmt);
                    self.found.push(rows);
                    continue;
                }
                self.seen += 1;
                inside.extend(self.counted(stmt));
            }
            for list in stmt.lists() {
                self.list(list, &inside);
            }
        }
    }

    /// The values of a counter.
    fn counted(&self, stmt: &Stmt) -> Option<(VarId, Interval)> {
        let counting = counting(&self.constants, stmt)?;
        let last = counting.start + counting.by * (i128::from(counting.trips.max(1)) - 1);
        let values = (counting.start.min(last), counting.start.max(last));
        Some((counting.counter, values))
    }

    /// A loop that counts from 0 by one, with the one that is all of its body, if that does too.
    fn flat<'s>(&self, stmt: &'s Stmt) -> Option<Flat<'s>> {
        let outer = self.level(stmt)?;
        let Some(inner) = only(outer.body).and_then(|stmt| self.level(stmt)) else {
            return Some(outer);
        };
        let both = inner.pragmas.into_iter();
        Some(Flat {
            counters: [outer.counters, inner.counters].concat(),
            body: inner.body,
            pragmas: both
                .filter(|pragma| outer.pragmas.contains(pragma))
                .collect(),
        })
    }

    /// A loop that counts from 0 by one, alone.
    fn level<'s>(&self, stmt: &'s Stmt) -> Option<Flat<'s>> {
        let StmtKind::For {
            init, body, hints, ..
        } = &stmt.kind
        else {
            return None;
        };
        let counting = counting(&self.constants, stmt)?;
        let counter = counting.counter;
        let declares =
            |stmt: &Stmt| matches!(stmt.kind, StmtKind::Decl { var, .. } if var == counter);
        let is_plain = matches!(&init[..], [only] if declares(only));
        let is_free = |pragma: &String| {
            pragma.split_whitespace().next() == Some("ivdep") && !pragma.contains("safelen")
        };
        let may_go = hints.attrs.is_empty() && hints.pragmas.iter().all(is_free);
        let mut stmts = body.stmts.iter();
        let leaves = stmts.any(|stmt| loops::leaves(stmt, true, false));
        let counts = counting.start == 0 && counting.by == 1 && counting.trips > 0;
        let own = !self.exposed.contains(&counter);
        (is_plain && may_go && !leaves && counts && own).then(|| Flat {
            counters: vec![(counter, i128::from(counting.trips))],
            body: &body.stmts,
            pragmas: hints.pragmas.clone(),
        })
    }

    fn rows(&mut self, at: usize, flat: &Flat<'_>, around: &[(VarId, Interval)]) -> Option<Rows> {
        let trips = flat
            .counters
            .iter()
            .map(|(_, trips)| trips)
            .product::<i128>();
        if trips > MOST {
            return None;
        }
        let pair = match flat.counters[..] {
            [(_, outer), (_, inner)] => Some((outer, inner)),
            _ => None,
        };
        let mut nest = Nest {
            width: 1,
            rows: trips,
            pair,
            around: around.to_vec(),
        };
        let survey = self.survey(flat, &mut nest)?;
        let trips = survey.trips;
        let widths = survey.divisions.iter().map(|(_, _, by)| *by);
        let widths: BTreeSet<i128> = widths.filter(|by| (SHORTEST..trips).contains(by)).collect();
        let found = widths.iter().find_map(|&width| {
            let mut nest = nest.clone();
            nest.width = width;
            nest.rows = match faults::is_on("delinearise-tail-lost") {
                true => trips / width,
                false => (trips + width - 1) / width,
            };
            self.of_width(at, flat, &survey, nest)
        });
        if found.is_none() && !widths.is_empty() {
            let exprs = &self.module.functions[self.id].exprs;
            let text = "the loop stays flat: its body does more with its counters than to compute rows and \
                        elements of rows before all else";
            let span = exprs.span(survey.divisions[0].0);
            self.missed.push(Note::new(text, span));
        }
        found
    }

    /// The nest whose rows have a certain width, if the body computes quotients by it before all else.
    fn of_width(
        &self,
        at: usize,
        flat: &Flat<'_>,
        survey: &Survey<'_>,
        nest: Nest,
    ) -> Option<Rows> {
        let (trips, width) = (survey.trips, nest.width);
        if nest.rows * width > MOST {
            return None;
        }
        let mut cases = cases(survey, &nest, flat);
        let values = self.values(&nest);
        let mut follower = Follower {
            values: &values,
            exposed: &self.exposed,
            declared: BTreeSet::new(),
        };
        let steps = survey.stmts.iter();
        let replaced = steps
            .take_while(|stmt| follower.step(&mut cases, stmt))
            .count();
        let (before, rest) = survey.stmts.split_at(replaced);
        let solved = self.expressions(before);
        let mut divisions = survey.divisions.iter();
        let first = divisions.find(|(id, _, by)| *by == width && solved.contains(id))?;
        let used = self.used(rest);
        let declared = before.iter().filter_map(|stmt| match stmt.kind {
            StmtKind::Decl { var, .. } => Some(var),
            _ => None,
        });
        let mut given = Vec::new();
        for var in declared.filter(|var| used.contains(var)) {
            given.push((var, pieces(&values, &cases, var)?));
        }
        let counters: Vec<VarId> = flat.counters.iter().map(|(counter, _)| *counter).collect();
        let is_used = used.contains(&counters[0]);
        if counters.len() > 1 && counters.iter().any(|counter| used.contains(counter)) {
            return None;
        }
        let text = format!(
            "a loop over {trips} elements becomes one over {} rows of {width}",
            nest.rows
        );
        let span = self.module.functions[self.id].exprs.span(first.0);
        Some(Rows {
            at,
            levels: counters.len(),
            counter: is_used.then_some(counters[0]),
            conditions: survey.conditions.clone(),
            replaced,
            values: given,
            pragmas: flat.pragmas.clone(),
            done: Note::new(text, span).names_form("nests over rows"),
            trips,
            nest,
        })
    }

    fn values<'v>(&'v self, nest: &'v Nest) -> Values<'v> {
        Values {
            module: self.module,
            function: &self.module.functions[self.id],
            constants: &self.constants,
            nest,
        }
    }

    /// Looks through a body for divisions of the counter, and for conditions on all of an iteration, which
    /// change how many there are.
    fn survey<'s>(&mut self, flat: &Flat<'s>, nest: &mut Nest) -> Option<Survey<'s>> {
        let mut stmts: Vec<&Stmt> = flat.body.iter().collect();
        let mut conditions = Vec::new();
        let mut found: BTreeMap<ExprId, (i128, i128)> = BTreeMap::new();
        let mut odd = Vec::new();
        let mut declared = BTreeSet::new();
        let mut case = Case {
            column: (0, 0),
            known: counters(nest, flat),
        };
        let mut at = 0;
        while at < stmts.len() {
            let stmt = stmts[at];
            let values = self.values(nest);
            let is_last = stmts[at + 1..].iter().all(|stmt| stmt.is_comment());
            if let Some((bound, inside)) = condition(&values, &case, stmt, is_last) {
                stmts.splice(at..=at, inside);
                conditions.push(Condition {
                    at,
                    holds_rest: !inside.is_empty(),
                });
                nest.rows = nest.rows.min(bound);
                if nest.rows <= 0 {
                    return None;
                }
                continue;
            }
            for id in self.expressions(&[stmt]) {
                match division(&values, &case, id) {
                    Some((offset, Some(by))) => _ = found.insert(id, (offset, by)),
                    Some((_, None)) => odd.push(id),
                    None => {}
                }
            }
            stmt.for_each(&mut |stmt| {
                if let StmtKind::Decl { var, .. } = stmt.kind {
                    declared.insert(var);
                }
            });
            let written = self.written(stmt);
            if !self.is_simple(stmt) || !written.is_subset(&declared) {
                break;
            }
            let mut follower = Follower {
                values: &values,
                exposed: &self.exposed,
                declared: std::mem::take(&mut declared),
            };
            let mut now = vec![case];
            if !follower.step(&mut now, stmt) {
                now[0].known.retain(|var, _| !written.contains(var));
            }
            declared = follower.declared;
            case = now.remove(0);
            at += 1;
        }
        let exprs = &self.module.functions[self.id].exprs;
        if let Some(id) = odd.first().filter(|_| found.is_empty()) {
            let text = "the loop stays flat: the length of its rows is not a constant";
            self.missed.push(Note::new(text, exprs.span(*id)));
        }
        Some(Survey {
            stmts,
            conditions,
            trips: nest.rows,
            divisions: found
                .into_iter()
                .map(|(id, (offset, by))| (id, offset, by))
                .collect(),
        })
    }

    /// All expressions of statements.
    fn expressions(&self, stmts: &[&Stmt]) -> BTreeSet<ExprId> {
        let exprs = &self.module.functions[self.id].exprs;
        let mut found = BTreeSet::new();
        for stmt in stmts {
            stmt.for_each_expr(exprs, &mut |id| _ = found.insert(id));
        }
        found
    }

    /// The variables that statements name.
    fn used(&self, stmts: &[&Stmt]) -> BTreeSet<VarId> {
        let exprs = &self.module.functions[self.id].exprs;
        let all = self.expressions(stmts).into_iter();
        all.filter_map(|id| exprs.local_var(id)).collect()
    }

    fn written(&self, stmt: &Stmt) -> BTreeSet<VarId> {
        let mut written = BTreeSet::new();
        let function = &self.module.functions[self.id];
        accesses_of_stmt(&self.module.types, function, stmt, &mut |var, access| {
            if access.may_write() {
                written.insert(var);
            }
        });
        written
    }

    /// Whether a statement does nothing that is seen outside of the iteration, if its variables are not: it
    /// gives values to variables.
    fn is_simple(&self, stmt: &Stmt) -> bool {
        let exprs = &self.module.functions[self.id].exprs;
        let is_pure = |id: ExprId| !exprs.has_effects(id) && !exprs.touches_memory(id);
        let is_variable = |id: ExprId| matches!(exprs.get(id), Expr::Var(VarRef::Local(_)));
        match &stmt.kind {
            StmtKind::Comment(_) => true,
            StmtKind::Decl { init, .. } => match init {
                None => true,
                Some(Init::Expr(value)) => is_pure(*value),
                Some(Init::List(_)) => false,
            },
            StmtKind::Expr(id) => match *exprs.get(*id) {
                Expr::Assign { lhs, rhs, .. } => is_variable(lhs) && is_pure(rhs),
                Expr::IncDec { operand, .. } => is_variable(operand),
                _ => false,
            },
            StmtKind::Block(block) => block.stmts.iter().all(|stmt| self.is_simple(stmt)),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let otherwise = otherwise.iter().flat_map(|block| &block.stmts);
                let mut all = then.stmts.iter().chain(otherwise);
                is_pure(*cond) && all.all(|stmt| self.is_simple(stmt))
            }
            _ => false,
        }
    }
}

/// What the counters of a loop are at first.
fn counters(nest: &Nest, flat: &Flat<'_>) -> BTreeMap<VarId, Poly> {
    match flat.counters[..] {
        [(outer, _), (inner, _)] => [(outer, Poly::sym(OUTER)), (inner, Poly::sym(INNER))].into(),
        _ => [(flat.counters[0].0, nest.flat())].into(),
    }
}

/// The ranges of the remainder in which all quotients are one sum.
fn cases(survey: &Survey<'_>, nest: &Nest, flat: &Flat<'_>) -> Vec<Case> {
    let of_rows = survey
        .divisions
        .iter()
        .filter(|(_, _, by)| *by == nest.width);
    let begins = of_rows.map(|(_, offset, _)| (-offset).rem_euclid(nest.width));
    let mut begins: BTreeSet<i128> = begins.chain([0]).collect();
    if faults::is_on("delinearise-border-lost") {
        begins = [0].into();
    }
    let ends = begins.iter().skip(1).copied().chain([nest.width]);
    let known = counters(nest, flat);
    begins
        .iter()
        .zip(ends)
        .map(|(begin, end)| Case {
            column: (*begin, end - 1),
            known: known.clone(),
        })
        .collect()
}

/// The values of a variable by the range of the remainder; none: it has none. `None`: one cannot be written.
fn pieces(values: &Values<'_>, cases: &[Case], var: VarId) -> Option<Vec<Piece>> {
    let mut pieces: Vec<(Interval, Poly)> = Vec::new();
    for case in cases {
        let Some(value) = case.known.get(&var) else {
            continue;
        };
        if !is_writable(values, case, value) {
            return None;
        }
        let is_same = |range: Interval, other: &Poly, mine: &Poly| {
            let at = |poly: &Poly| {
                poly.with_values(&|sym| (sym == super::values::COLUMN).then_some(range.0))
            };
            mine == other || range.0 == range.1 && at(mine) == at(other)
        };
        match pieces.last_mut() {
            // One element of a row is often the same sum as the others.
            Some((range, known)) if is_same(case.column, known, value) => range.1 = case.column.1,
            Some((range, known)) if is_same(*range, value, known) => {
                *range = (range.0, case.column.1);
                *known = value.clone();
            }
            _ => pieces.push((case.column, value.clone())),
        }
    }
    let pieces = pieces.into_iter();
    Some(
        pieces
            .map(|((_, last), value)| Piece { last, value })
            .collect(),
    )
}

/// Whether a sum can be computed in `int`, in any order, of the counters of the nest and of those around.
fn is_writable(values: &Values<'_>, case: &Case, value: &Poly) -> bool {
    let mut all = 0i128;
    for (symbols, by) in value.terms() {
        if symbols.contains(&OUTER) || symbols.contains(&INNER) {
            return false;
        }
        let term = symbols
            .iter()
            .fold(Poly::constant(1), |_, sym| Poly::sym(*sym));
        let Some((low, high)) = values.range(case, &term) else {
            return false;
        };
        all += by.abs() * low.abs().max(high.abs());
    }
    all <= MOST
}

/// A condition on all that is left of a body, which holds for the first iterations: their number, and the
/// statements inside it.
fn condition<'s>(
    values: &Values<'_>,
    case: &Case,
    stmt: &'s Stmt,
    is_last: bool,
) -> Option<(i128, &'s [Stmt])> {
    let StmtKind::If {
        cond,
        then,
        otherwise: None,
    } = &stmt.kind
    else {
        return None;
    };
    let Expr::Binary { op, lhs, rhs } = *values.function.exprs.get(*cond) else {
        return None;
    };
    let (left, right) = values.pair(case, lhs, rhs)?;
    let (rest, constant) = left.plus(&right, -1).split_constant();
    let is_up = rest == Poly::sym(ROW);
    let is_down = rest == Poly::default().plus(&Poly::sym(ROW), -1);
    // The first iterations for which `iteration + constant op 0` holds, or for which it does not.
    let skips = matches!(&then.stmts[..], [only] if matches!(only.kind, StmtKind::Continue));
    let bound = match (op, skips) {
        (BinaryOp::Lt, false) | (BinaryOp::Ge, true) if is_up => -constant,
        (BinaryOp::Le, false) | (BinaryOp::Gt, true) if is_up => 1 - constant,
        (BinaryOp::Gt, false) | (BinaryOp::Le, true) if is_down => constant,
        (BinaryOp::Ge, false) | (BinaryOp::Lt, true) if is_down => constant + 1,
        _ => return None,
    };
    match skips {
        true => Some((bound, &[])),
        false => is_last.then_some((bound, &then.stmts)),
    }
}

/// What is added to the counter before an expression divides it, and by what; `None` there: by what is not
/// constant.
fn division(values: &Values<'_>, case: &Case, id: ExprId) -> Option<(i128, Option<i128>)> {
    let Expr::Binary { op, lhs, rhs } = *values.function.exprs.get(id) else {
        return None;
    };
    let by = values.divisor((op, rhs));
    if by.is_none() && !matches!(op, BinaryOp::Div | BinaryOp::Rem) {
        return None;
    }
    let (rest, offset) = values.number(case, lhs)?.split_constant();
    let is_counter = |sym: &Sym| *sym == ROW;
    let is_flat = rest == Poly::sym(ROW) && rest.symbols().iter().all(is_counter);
    is_flat.then_some((offset, by.map(|(by, _)| by)))
}
