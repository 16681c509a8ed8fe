//! Loops. Iterations are walked as long as it is known which lanes go on; of many, the first ones and some that are
//! spread over the rest ([`super::spread`]) stand for all.

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, IncDecOp, Stmt, StmtKind};

use super::guess::Guess;
use super::machine::{MANY_STEPS, Machine, Ways};
use super::observed::{BranchKind, Tally};
use super::stmt::{Env, RARELY};
use super::value::{Linear, Value};
use super::wide::{Mask, Wide, lanes};

/// Iterations of a loop whose number is not known: a guess.
const ASSUMED_TRIPS: f64 = 64.0;
/// How often a condition holds again that is not known, once iterations were walked: a guess.
const ASSUMED_AGAIN: f64 = 8.0;
/// Iterations that are walked before those that are left are counted.
const FIRST: u32 = 3;
/// Iterations of loops whose counters do not move evenly, such as `i *= 2`, before it is asked how many more are walked.
const MOST_UNEVEN: u32 = 64;

/// The parts of a loop.
pub(super) struct Parts<'a> {
    init: &'a [Stmt],
    pub cond: Option<ExprId>,
    step: Option<ExprId>,
    body: &'a [Stmt],
    is_do: bool,
}

impl<'a> Parts<'a> {
    fn of(stmt: &'a Stmt) -> Option<Self> {
        let (init, cond, step, body, is_do) = match &stmt.kind {
            StmtKind::For {
                init,
                cond,
                step,
                body,
                ..
            } => (&init[..], *cond, *step, body, false),
            StmtKind::While { cond, body, .. } => (&[][..], Some(*cond), None, body, false),
            StmtKind::DoWhile { body, cond, .. } => (&[][..], Some(*cond), None, body, true),
            _ => return None,
        };
        Some(Parts {
            init,
            cond,
            step,
            body: &body.stmts,
            is_do,
        })
    }
}

/// What is known of a loop while it is walked.
pub(super) struct Walk {
    /// The lanes that came to it, and those that are still in it.
    pub entered: Mask,
    pub active: Mask,
    rounds: u32,
    pub ways: Ways,
    pub idle: f64,
    /// Its condition was only supposed to hold.
    is_supposed: bool,
    /// Decisions to leave it that were in doubt, of those of the warp.
    doubts: u32,
    /// All of its iterations are walked.
    is_whole: bool,
}

/// How far the condition of each lane is from its end.
type Distances = Vec<Option<Linear>>;

/// The iterations that are left.
enum Left {
    /// By lane.
    Each(Vec<u64>),
    /// Nobody knows.
    Unknown,
    /// The counter does not move evenly, but is known.
    VariableTrips,
}

/// How a loop is looked at from here on.
enum Plan {
    /// The next iteration is walked.
    Walk,
    /// Some iterations stand for those that are left, by lane; whether their number is known.
    Spread(Vec<u64>, bool),
    /// There is no time for more.
    Stop,
}

/// One side of a comparison: an expression that has no effects, plus a constant; `None`: only the constant.
type Side = (Option<ExprId>, i128);

impl<'a> Machine<'a> {
    pub(super) fn loop_stmt(&mut self, stmt: &'a Stmt, mask: Mask) {
        let Some(parts) = Parts::of(stmt) else { return };
        for stmt in parts.init {
            self.block(std::slice::from_ref(stmt), mask);
        }
        let outer = (self.broken, self.skipped, self.weight, self.guess);
        (self.broken, self.skipped) = (0, 0);
        self.loops += 1;
        let mut walk = Walk {
            entered: mask,
            active: mask,
            rounds: 0,
            ways: Ways::default(),
            idle: 0.0,
            is_supposed: false,
            doubts: self.doubts,
            is_whole: false,
        };
        let before = self.seen.operations;
        self.walk(&parts, &mut walk);
        let issued = [self.seen.operations - before, 0.0];
        self.loops -= 1;
        (self.broken, self.skipped, self.weight) = (outer.0, outer.1, outer.2);
        // After it, all that entered it go on together.
        self.guess = Guess {
            returned: self.guess.returned,
            ..outer.3
        };
        let function = self.function();
        let span = parts
            .cond
            .and_then(|cond| function.exprs.span(cond))
            .or(stmt.span);
        self.branch(span, BranchKind::Loop, &walk.ways, (walk.idle, issued));
    }

    fn walk(&mut self, parts: &Parts<'a>, walk: &mut Walk) {
        // At the conditions of the two iterations before.
        let mut distances: [Option<Distances>; 2] = [None, None];
        // What variables held at the last of these.
        let mut before = Env::new();
        // What was counted before the last of the first iterations.
        let mut counted = Tally::default();
        loop {
            if (walk.rounds > 0 || !parts.is_do) && !self.goes_on(parts, walk) {
                return;
            }
            let now = self.distances(parts, walk.active);
            if walk.rounds >= FIRST && !(walk.is_whole && walk.rounds <= 2 * MOST_UNEVEN) {
                let left = self.left(parts, [&distances[0], &distances[1], &now], walk.active);
                match self.plan(parts, walk, left) {
                    Plan::Walk => {}
                    Plan::Spread(left, is_known) => {
                        let last = self.seen.tally().since(&counted, self.weight);
                        let steps = self.steps_since(&before);
                        let last = (steps, (walk.rounds == FIRST).then_some(last));
                        return self.spread(parts, walk, (&left, is_known), last);
                    }
                    Plan::Stop => {
                        self.meeting.is_lost = true;
                        return self.seen.is_rough = true;
                    }
                }
            }
            let [_, last] = distances;
            distances = [last, now];
            if walk.rounds + 1 == FIRST {
                counted = self.seen.tally();
            }
            if walk.rounds < FIRST || walk.rounds + 1 == MOST_UNEVEN {
                before = self.env.clone();
            }
            self.round(parts, walk);
            if walk.active == 0 || self.is_late() {
                return;
            }
        }
    }

    /// The iterations that are left, from the distances at three conditions in a row.
    fn left(&self, parts: &Parts<'a>, at: [&Option<Distances>; 3], active: Mask) -> Left {
        let op = self.comparison(parts).map(|(op, ..)| op);
        match (at, op) {
            ([Some(first), Some(second), Some(now)], Some(op)) => {
                left(op, [first, second, now], active)
            }
            _ => Left::Unknown,
        }
    }

    /// How the rest of a loop is looked at. `left`: the iterations of it.
    fn plan(&mut self, parts: &Parts<'a>, walk: &mut Walk, left: Left) -> Plan {
        let most = |each: &[u64]| lanes(walk.active).map(|lane| each[lane]).max();
        let is_followed = !walk.is_supposed && self.doubts == walk.doubts;
        let is_first = walk.rounds == FIRST;
        match left {
            Left::Each(each) if is_first && most(&each) <= Some(self.samples()) => {
                walk.is_whole = true;
                Plan::Walk
            }
            Left::Each(each) if is_first || walk.rounds == MOST_UNEVEN => Plan::Spread(each, true),
            Left::Unknown if is_first && !is_followed => self.assumed(parts, walk),
            _ if walk.rounds < MOST_UNEVEN => Plan::Walk,
            _ if is_followed && self.follows(walk.rounds) => Plan::Walk,
            _ => Plan::Stop,
        }
    }

    /// As many iterations more as runs showed, or a guess.
    fn assumed(&mut self, parts: &Parts<'a>, walk: &Walk) -> Plan {
        let run = parts.cond.and_then(|cond| self.run(cond, BranchKind::Loop));
        let trips = match run {
            Some(run) => (run.rounds - f64::from(walk.rounds)).round() as u64,
            None => ASSUMED_TRIPS as u64,
        };
        Plan::Spread(vec![trips; self.width], false)
    }

    /// Whether there is time for more iterations after these.
    fn follows(&self, rounds: u32) -> bool {
        rounds < self.closeness.followed && self.steps <= MANY_STEPS
    }

    /// Evaluates the condition; lanes that left the loop wait for that.
    pub(super) fn condition(&mut self, cond: ExprId, walk: &mut Walk) -> Wide {
        let (before, waiting) = (self.seen.operations, self.waiting(walk));
        let value = self.one(cond, walk.active);
        self.step();
        walk.idle += self.waited(waiting, before);
        value
    }

    /// The lanes that left the loop and wait for the others. Those that returned wait for what follows it, too.
    fn waiting(&self, walk: &Walk) -> Mask {
        walk.entered & !walk.active & !self.left_early() & !self.returned
    }

    /// What these lanes waited for since all operations were `before`.
    fn waited(&self, waiting: Mask, before: f64) -> f64 {
        (self.seen.operations - before) * f64::from(waiting.count_ones()) / self.width as f64
    }

    /// Evaluates the condition: whether some lanes go on. Where it is not known, the body is looked at once more.
    fn goes_on(&mut self, parts: &Parts<'a>, walk: &mut Walk) -> bool {
        let Some(cond) = parts.cond else {
            return true;
        };
        let value = self.condition(cond, walk);
        let ways = self.ways(&value, walk.active);
        walk.is_supposed |= ways.supposed.is_some();
        if ways.supposed.is_some() {
            let doubt = self.doubt(cond, &ways);
            self.guess.broken.add(doubt);
        }
        if ways.in_doubt() == 0 {
            if ways.yes != 0 && ways.yes != walk.entered {
                // Some wait for others from now on.
                (walk.ways.yes, walk.ways.no) = (ways.yes, walk.entered & !ways.yes);
            }
            walk.active = ways.yes;
            return ways.yes != 0;
        }
        walk.ways.data |= ways.data;
        walk.ways.unclear |= ways.unclear;
        walk.ways.open = walk.ways.open.or(ways.open);
        let before = self.env.clone();
        let weight = self.weight;
        let trips = match self.run(cond, BranchKind::Loop) {
            Some(run) => (run.rounds - f64::from(walk.rounds)).max(RARELY),
            None => ASSUMED_AGAIN,
        };
        self.weight = weight * trips;
        walk.active = ways.yes | ways.in_doubt();
        let condition = self.guess.condition;
        let doubt = self.doubt(cond, &ways);
        self.guess.condition.add(doubt);
        self.round(parts, walk);
        self.guess.condition = condition;
        self.weight = weight;
        let after = std::mem::replace(&mut self.env, before);
        self.join(&after, &ways, walk.entered);
        // Lanes of which it is not known whether they left go on.
        (self.broken, self.skipped) = (0, 0);
        walk.active = 0;
        false
    }

    /// One iteration.
    pub(super) fn round(&mut self, parts: &Parts<'a>, walk: &mut Walk) {
        let (before, apart) = (self.seen.operations, self.apart.len());
        let skipped = self.guess.skipped;
        let (active, waiting) = (walk.active, self.waiting(walk));
        self.block(parts.body, active);
        let waited = self.waited(waiting, before) + self.meet(apart, false);
        self.skipped = 0;
        self.guess.skipped = skipped;
        walk.active = self.live(active);
        let (before, waiting) = (self.seen.operations, self.waiting(walk));
        if walk.active != 0 {
            if let Some(step) = parts.step {
                self.values(step, walk.active);
            }
            if waiting != 0 {
                (walk.ways.yes, walk.ways.no) = (walk.active, waiting);
            }
        }
        walk.idle += waited + self.waited(waiting, before);
        walk.rounds += 1;
    }

    /// `lhs op rhs` of a loop's condition, or of the first part of one, where looking at it has no effects; a counter
    /// that the condition itself moves (`k--`) is taken as what it was. `for (;;) { if (..) break; ..` has one too.
    fn comparison(&self, parts: &Parts<'a>) -> Option<(BinaryOp, Side, Side)> {
        match parts.cond {
            Some(cond) => self.compared(cond),
            None => {
                let exit = first_exit(parts.body)?;
                let is_one = self.compared(exit).filter(|_| !self.is_joined(exit));
                let (op, lhs, rhs) = is_one?;
                Some((op.negated()?, lhs, rhs))
            }
        }
    }

    /// Whether a condition has parts.
    fn is_joined(&self, cond: ExprId) -> bool {
        let op = match self.function().exprs.get(cond) {
            Expr::Binary { op, .. } => Some(*op),
            _ => None,
        };
        matches!(op, Some(BinaryOp::And | BinaryOp::Or))
    }

    fn compared(&self, cond: ExprId) -> Option<(BinaryOp, Side, Side)> {
        match self.function().exprs.get(cond) {
            Expr::Binary {
                op: BinaryOp::And,
                lhs,
                ..
            } => self.compared(*lhs),
            Expr::Binary { op, lhs, rhs } if op.is_comparison() => {
                Some((*op, self.side(*lhs)?, self.side(*rhs)?))
            }
            _ => Some((BinaryOp::Ne, self.side(cond)?, (None, 0))),
        }
    }

    fn side(&self, id: ExprId) -> Option<Side> {
        let exprs = &self.function().exprs;
        let (id, before) = match exprs.get(id) {
            Expr::IncDec { op, operand } => match op {
                IncDecOp::PostInc => (*operand, -1),
                IncDecOp::PostDec => (*operand, 1),
                IncDecOp::PreInc | IncDecOp::PreDec => (*operand, 0),
            },
            _ => (id, 0),
        };
        let has_effects = exprs.any(id, &mut |id| {
            matches!(
                exprs.get(id),
                Expr::IncDec { .. } | Expr::Assign { .. } | Expr::Call { .. } | Expr::Index { .. }
            )
        });
        (!has_effects).then_some((Some(id), before))
    }

    /// How far each lane's condition is from its end.
    fn distances(&mut self, parts: &Parts<'a>, mask: Mask) -> Option<Distances> {
        let (_, lhs, rhs) = self.comparison(parts)?;
        let weight = std::mem::replace(&mut self.weight, 0.0);
        let mut of = |(id, _): Side| id.map_or(Wide::int(0), |id| self.one(id, mask));
        let (a, b) = (of(lhs), of(rhs));
        self.weight = weight;
        let before = Linear::constant(lhs.1 - rhs.1);
        let distance = |lane: usize| match (a.lane(lane), b.lane(lane)) {
            (Value::Int(a), Value::Int(b)) => a.plus(b, -1)?.plus(&before, 1),
            (Value::Pointer(a, from), Value::Pointer(b, to)) if a == b => from.plus(to, -1),
            _ => None,
        };
        Some((0..self.width).map(distance).collect())
    }
}

/// The condition on which the first statement leaves a loop.
fn first_exit(body: &[Stmt]) -> Option<ExprId> {
    match &body.first()?.kind {
        StmtKind::If {
            cond,
            then,
            otherwise: None,
        } => match &then.stmts[..] {
            [only] if matches!(only.kind, StmtKind::Break) => Some(*cond),
            _ => None,
        },
        _ => None,
    }
}

/// The iterations that are left, from the distances at three conditions in a row.
fn left(op: BinaryOp, distances: [&Distances; 3], active: Mask) -> Left {
    let mut each = vec![0; distances[2].len()];
    for lane in lanes(active) {
        let [Some(first), Some(second), Some(now)] = distances.map(|all| all[lane].as_ref()) else {
            return Left::Unknown;
        };
        let steps = [second.plus(first, -1), now.plus(second, -1)];
        let [Some(step), Some(again)] = steps.map(|step| step.and_then(|step| step.known())) else {
            return Left::Unknown;
        };
        let Some(from) = now.known() else {
            return Left::Unknown;
        };
        let up = |from: i128| (step > 0 && from > 0).then(|| (from + step - 1) / step);
        let down = |from: i128| (step < 0 && from > 0).then(|| (from - step - 1) / -step);
        let count = match op {
            BinaryOp::Lt => up(-from),
            BinaryOp::Le => up(-from + 1),
            BinaryOp::Gt => down(from),
            BinaryOp::Ge => down(from + 1),
            BinaryOp::Ne => up(-from).or(down(from)),
            _ => None,
        };
        match count.filter(|_| step == again) {
            Some(count) => each[lane] = u64::try_from(count).unwrap_or(u64::MAX),
            // Counters that double or halve are walked.
            None => return Left::VariableTrips,
        }
    }
    Left::Each(each)
}
