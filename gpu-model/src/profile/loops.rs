//! Loops: what an iteration changes, and what it takes over from the one before.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Block, Expr, ExprId, Function, LoopHints, VarRef,
};

use super::probe::{Frame, Probe};
use super::value::{FIRST_LOOP, POINTS, Value};
use super::work::{ASSUMED_TRIPS, Scope};

/// What variables in a loop are numbered from that are elements of arrays.
const ELEMENTS: u32 = 1 << 31;

/// A loop's condition, what follows each iteration, and its body.
pub(super) type Turn<'a> = (Option<ExprId>, Option<ExprId>, &'a Block);

impl<'a> Probe<'a> {
    pub(super) fn repeat(&mut self, frame: &mut Frame<'a>, turn: Turn<'a>, hints: &LoopHints) {
        let before = State::of(frame, self);
        let start = self.margins(frame, turn.0);
        self.quiet += 1;
        self.iteration(frame, turn);
        self.quiet -= 1;
        let after = State::of(frame, self);
        let known = trips(&start, &self.margins(frame, turn.0));
        let known = match is_geometric(frame.function, turn.1) {
            true => before.counted(frame, self, turn).or(known),
            false => known,
        };
        if let Some(copies) = known.filter(|trips| is_unrolled(hints, *trips)) {
            before.restore(frame, self);
            return self.copies(frame, turn, copies);
        }
        let trips = known.unwrap_or(ASSUMED_TRIPS);
        let around = self.profile.scopes[self.scope];
        let point = FIRST_LOOP + around.depth;
        let point = (point < POINTS).then_some(point);
        let mut middle = before.after(&after, (trips / 2.0).floor(), point);
        let carried = middle.carry(&before);
        middle.restore(frame, self);
        let outside = (self.scope, self.share);
        if self.quiet == 0 {
            self.profile.scopes.push(Scope {
                parent: self.scope,
                depth: around.depth + 1,
                trips,
                runs: around.runs * self.share * trips,
                registers: self.registers_of(frame.function, turn),
                ..Scope::default()
            });
            self.scope = self.profile.scopes.len() - 1;
            self.share = 1.0;
        }
        self.iteration(frame, turn);
        if self.quiet == 0 {
            let next = State::of(frame, self);
            self.profile.scopes[self.scope].recurrence = next.recurrence(&carried);
        }
        (self.scope, self.share) = outside;
        before.after(&after, trips, None).restore(frame, self);
    }

    /// Registers of 4 bytes for the variables of a work-item that a loop uses.
    fn registers_of(&self, function: &Function, (cond, step, body): Turn<'_>) -> f64 {
        let mut used = BTreeSet::new();
        let mut visit = |id| {
            if let Expr::Var(VarRef::Local(var)) = *function.exprs.get(id) {
                used.insert(var);
            }
        };
        body.for_each_expr(&function.exprs, &mut visit);
        for expr in cond.into_iter().chain(step) {
            function.exprs.for_each(expr, &mut visit);
        }
        let vars = used.into_iter().map(|var| &function.vars[var]);
        let own = vars.filter(|var| var.space != AddressSpace::Local);
        own.map(|var| (self.size(var.ty.ty) as f64 / 4.0).ceil())
            .sum()
    }

    /// The iterations of a loop that compilers unroll wholly: pieces of code that follow each other, in which its counter is
    /// a number.
    fn copies(&mut self, frame: &mut Frame<'a>, (_, step, body): Turn<'a>, copies: f64) {
        let outside = self.copy;
        for number in 0..copies as u32 {
            self.copy = outside.wrapping_mul(copies as u32).wrapping_add(number);
            self.block(frame, &body.stmts);
            self.quiet += 1;
            if let Some(expr) = step {
                self.value(frame, expr);
            }
            self.quiet -= 1;
        }
        self.copy = outside;
    }

    fn iteration(&mut self, frame: &mut Frame<'a>, (cond, step, body): Turn<'a>) {
        if let Some(expr) = cond {
            self.value(frame, expr);
        }
        self.block(frame, &body.stmts);
        if let Some(expr) = step {
            self.value(frame, expr);
        }
    }

    /// How far the comparisons that a loop's condition is made of are from failing.
    fn margins(&mut self, frame: &mut Frame<'a>, cond: Option<ExprId>) -> Vec<Option<i64>> {
        let Some(cond) = cond else { return Vec::new() };
        let Expr::Binary { op, lhs, rhs } = *frame.function.exprs.get(cond) else {
            return vec![None];
        };
        if op == BinaryOp::And {
            let mut both = self.margins(frame, Some(lhs));
            both.extend(self.margins(frame, Some(rhs)));
            return both;
        }
        self.quiet += 1;
        let sides = (self.value(frame, lhs).here(), self.value(frame, rhs).here());
        self.quiet -= 1;
        let (Some(a), Some(b)) = sides else {
            return vec![None];
        };
        vec![match op {
            BinaryOp::Lt => Some(b.wrapping_sub(a)),
            BinaryOp::Le => Some(b.wrapping_sub(a).wrapping_add(1)),
            BinaryOp::Gt => Some(a.wrapping_sub(b)),
            BinaryOp::Ge => Some(a.wrapping_sub(b).wrapping_add(1)),
            BinaryOp::Ne => Some(a.wrapping_sub(b).wrapping_abs()),
            _ => None,
        }]
    }
}

/// What variables hold, and elements of arrays that are registers, and how often each was written.
struct State {
    vars: Vec<Value>,
    writes: Vec<u32>,
    registers: BTreeMap<i64, (Value, u32)>,
}

impl State {
    fn of(frame: &Frame<'_>, probe: &Probe<'_>) -> Self {
        State {
            vars: frame.vars.clone(),
            writes: frame.writes.clone(),
            registers: probe.registers.clone(),
        }
    }

    /// The iterations of a loop that begins in this state and whose counter only its last expression changes; `None`: that
    /// depends on data, or they are many.
    fn counted<'a>(
        &self,
        frame: &mut Frame<'a>,
        probe: &mut Probe<'a>,
        (cond, step, _): Turn<'a>,
    ) -> Option<f64> {
        let now = State::of(frame, probe);
        self.restore(frame, probe);
        probe.quiet += 1;
        let goes_on = |margins: Vec<Option<i64>>| {
            let known: Option<Vec<i64>> = margins.into_iter().collect();
            known.map(|known| known.iter().all(|margin| *margin > 0))
        };
        let mut count = 0.0;
        let mut last = goes_on(probe.margins(frame, cond));
        while last == Some(true) && count <= MOST_COPIES {
            step.map(|step| probe.value(frame, step));
            count += 1.0;
            last = goes_on(probe.margins(frame, cond));
        }
        probe.quiet -= 1;
        now.restore(frame, probe);
        last.filter(|goes_on| !goes_on).map(|_| count)
    }

    fn restore(&self, frame: &mut Frame<'_>, probe: &mut Probe<'_>) {
        frame.vars.clone_from(&self.vars);
        probe.registers.clone_from(&self.registers);
    }

    /// The state after so many iterations of a loop, and at the loop's own point after one more; `next` is that after the
    /// first one.
    fn after(&self, next: &State, iterations: f64, point: Option<usize>) -> State {
        let moved = |before: &Value, after: &Value, is_written: bool| match is_written {
            true => Value::after(before, after, iterations, point),
            false => *before,
        };
        let vars = self.vars.iter().zip(&next.vars);
        let writes = self.writes.iter().zip(&next.writes);
        let vars = vars.zip(writes);
        let registers = next.registers.iter().map(|(at, (after, writes))| {
            let value = match self.registers.get(at) {
                Some((before, earlier)) => moved(before, after, earlier != writes),
                None => Value::unknown(u8::MAX),
            };
            (*at, (value, *writes))
        });
        State {
            vars: vars
                .map(|((before, after), (then, now))| moved(before, after, then != now))
                .collect(),
            writes: next.writes.clone(),
            registers: registers.collect(),
        }
    }

    /// Marks what depends on data and was written since a state as what an iteration takes over from the one before. The
    /// numbers of these variables.
    fn carry(&mut self, since: &State) -> BTreeSet<u32> {
        let mut all = BTreeSet::new();
        let mut mark = |value: &mut Value, number: u32| {
            if value.at.is_none() {
                *value = value.carried_by(number);
                all.insert(number);
            }
        };
        for (number, value) in self.vars.iter_mut().enumerate() {
            if self.writes[number] != since.writes[number] {
                mark(value, number as u32);
            }
        }
        for (at, (value, writes)) in &mut self.registers {
            let earlier = since.registers.get(at).map(|(_, writes)| *writes);
            if earlier.is_some_and(|earlier| earlier != *writes) {
                mark(value, element(*at));
            }
        }
        all
    }

    /// The most cycles that one of these variables takes in an iteration from its value to the next one.
    fn recurrence(&self, carried: &BTreeSet<u32>) -> f64 {
        let vars = self.vars.iter().enumerate();
        let vars = vars.map(|(number, value)| (number as u32, value));
        let registers = self.registers.iter();
        let registers = registers.map(|(at, (value, _))| (element(*at), value));
        let own = vars.chain(registers);
        let own = own.filter(|(number, _)| carried.contains(number));
        let cycles = own.filter_map(|(number, value)| value.recurrence(number));
        cycles.max().map_or(0.0, f64::from)
    }
}

/// The number of an element of an array among variables that loops carry.
fn element(at: i64) -> u32 {
    (at ^ at >> 24) as u32 | ELEMENTS
}

/// The iterations of a loop, of how far its comparisons are from failing before the first and after it; `None`: that depends
/// on data.
fn trips(before: &[Option<i64>], after: &[Option<i64>]) -> Option<f64> {
    let known = before.iter().zip(after).filter_map(|(first, next)| {
        let (first, next) = ((*first)?, (*next)?);
        if first <= 0 {
            return Some(0.0);
        }
        (next < first).then(|| (first as f64 / (first - next) as f64).ceil())
    });
    known.reduce(f64::min)
}

/// Whether a loop's counter is multiplied or divided in each iteration.
fn is_geometric(function: &Function, step: Option<ExprId>) -> bool {
    let step = step.map(|step| function.exprs.get(step));
    let Some(Expr::Assign { op: Some(op), .. }) = step else {
        return false;
    };
    matches!(
        op,
        BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Mul | BinaryOp::Div
    )
}

/// The most copies of a loop's body that are followed one by one.
const MOST_COPIES: f64 = 64.0;

/// Whether compilers are told to make as many copies of a loop's body as it has iterations.
fn is_unrolled(hints: &LoopHints, trips: f64) -> bool {
    let pragmas = hints.pragmas.iter().map(String::as_str);
    let attrs = hints.attrs.iter().map(|attr| attr.name.as_str());
    let mut copies = pragmas
        .chain(attrs)
        .filter_map(|hint| match hint.strip_prefix("unroll") {
            Some(rest) => rest
                .trim()
                .trim_matches(['(', ')'])
                .parse()
                .or(match rest.trim() {
                    "" => Ok(f64::INFINITY),
                    _ => Err(()),
                })
                .ok(),
            None => None,
        });
    trips <= MOST_COPIES && copies.any(|copies: f64| copies >= trips)
}
