//! Loops. The first iterations are walked; of many more, some that are spread over the rest stand for it.

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId, Stmt, StmtKind};

use super::machine::{Guess, MANY_STEPS, Machine, Ways};
use super::observed::BranchKind;
use super::stmt::Env;
use super::value::{Linear, Origin, Value};
use super::wide::{Mask, Wide, lanes};

/// Iterations of a loop whose number is not known: a guess.
const ASSUMED_TRIPS: f64 = 64.0;
/// Iterations that are walked before those that are left are counted.
const FIRST: u32 = 3;
/// Iterations of loops whose counters do not move evenly, such as `i *= 2`.
const MOST_UNEVEN: u32 = 64;

/// The parts of a loop.
struct Parts<'a> {
    init: &'a [Stmt],
    cond: Option<ExprId>,
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
struct Walk {
    /// The lanes that came to it, and those that are still in it.
    entered: Mask,
    active: Mask,
    rounds: u32,
    ways: Ways,
    idle: f64,
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
        loop {
            if (walk.rounds > 0 || !parts.is_do) && !self.goes_on(parts, walk) {
                return;
            }
            let now = self.distances(parts, walk.active);
            if walk.rounds == FIRST {
                let op = parts
                    .cond
                    .and_then(|cond| self.comparison(cond))
                    .map(|(op, ..)| op);
                let left = match (&distances, &now, op) {
                    ([Some(first), Some(second)], Some(now), Some(op)) => {
                        left(op, [first, second, now], walk.active)
                    }
                    _ => Left::Unknown,
                };
                match left {
                    Left::Each(each) => return self.spread(parts, walk, &each, true),
                    Left::Unknown => {
                        let each = vec![ASSUMED_TRIPS as u64; self.width];
                        return self.spread(parts, walk, &each, false);
                    }
                    Left::VariableTrips => {}
                }
            }
            let [_, last] = distances;
            distances = [last, now];
            self.round(parts, walk);
            if walk.active == 0 || walk.rounds >= MOST_UNEVEN || self.is_late() {
                return;
            }
        }
    }

    /// Evaluates the condition: whether some lanes go on. Where it is not known, the body is looked at once more.
    fn goes_on(&mut self, parts: &Parts<'a>, walk: &mut Walk) -> bool {
        let Some(cond) = parts.cond else {
            return true;
        };
        let value = self.one(cond, walk.active);
        self.step();
        let ways = self.ways(&value, walk.active);
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
        self.weight = weight * (ASSUMED_TRIPS / 8.0);
        walk.active = ways.yes | ways.in_doubt();
        let condition = self.guess.condition;
        self.guess.condition |= ways.differs();
        self.round(parts, walk);
        self.guess.condition = condition;
        self.weight = weight;
        let after = std::mem::replace(&mut self.env, before);
        self.join_loop(&after, &ways, walk.entered);
        // Lanes of which it is not known whether they left go on.
        (self.broken, self.skipped) = (0, 0);
        walk.active = 0;
        false
    }

    fn join_loop(&mut self, after: &Env, ways: &Ways, mask: Mask) {
        let keys: Vec<_> = self.env.keys().copied().collect();
        for key in keys {
            let now = &self.env[&key];
            let Some(then) = after.get(&key).filter(|then| *then != now) else {
                continue;
            };
            let now = now.clone();
            let joined: Vec<Wide> = (now.iter().zip(then))
                .map(|(now, then)| self.either(then, now, ways, mask))
                .collect();
            self.env.insert(key, joined);
        }
    }

    /// One iteration.
    fn round(&mut self, parts: &Parts<'a>, walk: &mut Walk) {
        let before = self.seen.operations;
        let skipped = self.guess.skipped;
        self.block(parts.body, walk.active);
        self.skipped = 0;
        self.guess.skipped = skipped;
        walk.active = self.live(walk.active);
        if let Some(step) = parts.step.filter(|_| walk.active != 0) {
            self.values(step, walk.active);
        }
        let issued = self.seen.operations - before;
        let waiting = walk.entered & !walk.active & !self.returned;
        if walk.active != 0 && waiting != 0 {
            walk.idle += issued * f64::from(waiting.count_ones()) / self.width as f64;
            (walk.ways.yes, walk.ways.no) = (walk.active, waiting);
        }
        walk.rounds += 1;
    }

    /// `lhs op rhs` of a condition, or of the first part of one, if looking at it has no effects.
    fn comparison(&self, cond: ExprId) -> Option<(BinaryOp, ExprId, ExprId)> {
        let exprs = &self.function().exprs;
        match exprs.get(cond) {
            Expr::Binary {
                op: BinaryOp::And,
                lhs,
                ..
            } => self.comparison(*lhs),
            Expr::Binary { op, lhs, rhs } if op.is_comparison() => {
                let is_plain = |id: ExprId| {
                    !exprs.any(id, &mut |id| {
                        matches!(
                            exprs.get(id),
                            Expr::IncDec { .. }
                                | Expr::Assign { .. }
                                | Expr::Call { .. }
                                | Expr::Index { .. }
                        )
                    })
                };
                (is_plain(*lhs) && is_plain(*rhs)).then_some((*op, *lhs, *rhs))
            }
            _ => None,
        }
    }

    /// How far each lane's condition is from its end.
    fn distances(&mut self, parts: &Parts<'a>, mask: Mask) -> Option<Distances> {
        let (_, lhs, rhs) = self.comparison(parts.cond?)?;
        let weight = std::mem::replace(&mut self.weight, 0.0);
        let (a, b) = (self.one(lhs, mask), self.one(rhs, mask));
        self.weight = weight;
        let distance = |lane: usize| match (a.lane(lane), b.lane(lane)) {
            (Value::Int(a), Value::Int(b)) => a.plus(b, -1),
            (Value::Pointer(a, from), Value::Pointer(b, to)) if a == b => from.plus(to, -1),
            _ => None,
        };
        Some((0..self.width).map(distance).collect())
    }

    /// How many iterations of many are looked at: fewer, the deeper the loop and the later it is.
    fn samples(&self) -> u64 {
        match (self.steps > MANY_STEPS, self.loops) {
            (true, _) => 1,
            (false, 1) => 6,
            (false, 2) => 3,
            (false, _) => 2,
        }
    }

    /// The rest of a loop, by iterations that are spread over it.
    fn spread(&mut self, parts: &Parts<'a>, walk: &mut Walk, left: &[u64], is_known: bool) {
        let most = lanes(walk.active)
            .map(|lane| left[lane])
            .max()
            .unwrap_or_default();
        let samples = self.samples().min(most);
        if samples == 0 {
            return;
        }
        // Odd, so that alignments that repeat are all seen.
        let stride = match most / samples {
            0 | 1 => 1,
            stride => stride - 1 + stride % 2,
        };
        let weight = self.weight;
        let start = self.env.clone();
        let all = walk.active;
        let mut steps: Option<Env> = None;
        for sample in 0..samples {
            let at = sample * stride;
            walk.active = all & !(self.broken | self.returned);
            let is_left = |lane: &usize| left[*lane] > at;
            walk.active &= lanes(all)
                .filter(is_left)
                .fold(0, |mask, lane| mask | 1 << lane);
            if walk.active == 0 || self.is_late() {
                break;
            }
            if walk.active != walk.entered {
                (walk.ways.yes, walk.ways.no) = (walk.active, walk.entered & !walk.active);
            }
            if sample > 0
                && let Some(steps) = &steps
            {
                self.jump(steps, stride - 1, walk.active);
            }
            self.weight = weight * most as f64 / samples as f64;
            let before = self.env.clone();
            self.round(parts, walk);
            steps = Some(self.steps_since(&before));
        }
        self.weight = weight;
        walk.active = 0;
        self.finish(&start, steps.as_ref(), left, all, is_known);
    }

    /// How far each variable moved in an iteration; variables that did not move evenly are left out.
    fn steps_since(&mut self, before: &Env) -> Env {
        let mut steps = Env::new();
        for (key, now) in &self.env {
            // What did not move needs no step.
            let moved = |old: &&Vec<Wide>| old.len() == now.len() && *old != now;
            let Some(old) = before.get(key).filter(moved) else {
                continue;
            };
            let moved = |(now, old): (&Wide, &Wide)| {
                let lane = |lane: usize| -> Option<Value> {
                    let by = match (now.lane(lane), old.lane(lane)) {
                        (Value::Int(now), Value::Int(old)) => now.plus(old, -1)?,
                        (Value::Pointer(a, now), Value::Pointer(b, old)) if a == b => {
                            now.plus(old, -1)?
                        }
                        _ => return None,
                    };
                    Some(Value::Int(by))
                };
                let is_even = lanes(self.exists).all(|at| lane(at).is_some());
                is_even.then(|| {
                    Wide::of_lanes(self.width, self.exists, |at| {
                        lane(at).unwrap_or(Value::Data)
                    })
                })
            };
            let all: Option<Vec<Wide>> = now.iter().zip(old).map(moved).collect();
            if let Some(all) = all {
                steps.insert(*key, all);
            }
        }
        steps
    }

    /// Moves variables on by so many iterations.
    fn jump(&mut self, steps: &Env, times: u64, mask: Mask) {
        for (key, step) in steps {
            let Some(now) = self.env.get(key).cloned() else {
                continue;
            };
            let pairs = now.iter().zip(step);
            let moved = pairs
                .map(|(now, step)| self.ahead(now, step, mask, |_| times))
                .collect();
            self.env.insert(*key, moved);
        }
    }

    fn ahead(&self, now: &Wide, step: &Wide, mask: Mask, times: impl Fn(usize) -> u64) -> Wide {
        Wide::of_lanes(self.width, self.exists, |lane| {
            let value = now.lane(lane);
            let Value::Int(by) = step.lane(lane) else {
                return value.clone();
            };
            let by = match mask >> lane & 1 {
                1 => by.times(i128::from(times(lane))),
                _ => None,
            };
            match (value, by) {
                (Value::Int(now), Some(by)) => Value::Int(now.plus(&by, 1).unwrap_or_default()),
                (Value::Pointer(object, now), Some(by)) => {
                    Value::Pointer(*object, now.plus(&by, 1).unwrap_or_default())
                }
                _ => value.clone(),
            }
        })
    }

    /// What variables hold after a loop, most iterations of which were not walked.
    fn finish(
        &mut self,
        start: &Env,
        steps: Option<&Env>,
        left: &[u64],
        mask: Mask,
        is_known: bool,
    ) {
        let keys: Vec<_> = self.env.keys().copied().collect();
        for key in keys {
            let (now, Some(from)) = (&self.env[&key], start.get(&key)) else {
                continue;
            };
            if now == from {
                continue;
            }
            let now = now.clone();
            let step = steps.and_then(|steps| steps.get(&key)).filter(|_| is_known);
            let ended: Vec<Wide> = match step {
                Some(step) => (from.iter().zip(step))
                    .map(|(from, step)| self.ahead(from, step, mask, |lane| left[lane]))
                    .collect(),
                None => {
                    let uniform = Ways {
                        uniform: mask,
                        ..Ways::default()
                    };
                    let pairs = now.iter().zip(from);
                    pairs
                        .map(|(now, from)| self.ended(now, from, &uniform, mask))
                        .collect()
                }
            };
            self.env.insert(key, ended);
        }
    }

    /// A value that changes in a way that is not followed.
    fn ended(&mut self, now: &Wide, from: &Wide, uniform: &Ways, mask: Mask) -> Wide {
        match (now.same(), from.same()) {
            (Some(_), Some(_)) => self.unknown(Origin::Computed),
            _ => self.either(now, from, uniform, mask),
        }
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
