//! Statements, and which lanes execute them.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{Arm, CaseLabel, ExprId, Init, Stmt, StmtKind, VarRef};

use super::guess::Doubt;
use super::machine::{Machine, Values, Ways, jumps};
use super::observed::BranchKind;
use super::value::{Linear, Origin, Value};
use super::wide::{Mask, Wide, lanes};

/// How often what is not supposed to happen does: a guess.
const UNLIKELY: f64 = 0.01;
/// How often what did not happen in a run is looked at: it has a site nevertheless.
pub(super) const RARELY: f64 = 1e-6;

/// Variables by the number of their call.
pub(super) type Env = BTreeMap<(u32, VarRef), Values>;

impl<'a> Machine<'a> {
    /// Statements in a row.
    pub(super) fn block(&mut self, stmts: &'a [Stmt], mask: Mask) {
        for stmt in stmts {
            let live = self.live(mask);
            if live == 0 || self.is_late() {
                return;
            }
            self.stmt(stmt, live);
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt, mask: Mask) {
        match &stmt.kind {
            StmtKind::Decl { var, init } => self.declare(*var, init.as_ref(), mask),
            StmtKind::Expr(id) => {
                self.values(*id, mask);
            }
            StmtKind::Block(block) => self.block(&block.stmts, mask),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let otherwise = otherwise.as_ref().map_or(&[][..], |block| &block.stmts);
                self.if_stmt(*cond, &then.stmts, otherwise, mask);
            }
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
                self.loop_stmt(stmt, mask);
            }
            StmtKind::Switch { value, arms } => self.switch(*value, arms, mask),
            StmtKind::Break => self.broken |= mask,
            StmtKind::Continue => self.skipped |= mask,
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    let value = self.values(*value, mask);
                    self.result = Some(match self.result.take() {
                        Some(before) => self.replaced(&before, mask, &value),
                        None => value,
                    });
                }
                self.returned |= mask;
            }
            kind if jumps(kind) => self.not_followed("goto"),
            _ => {}
        }
    }

    fn declare(&mut self, var: fpgacc_frontend::ir::VarId, init: Option<&Init>, mask: Mask) {
        let variable = &self.function().vars[var];
        let key = (self.frame.id, VarRef::Local(var));
        let value = match init {
            Some(Init::Expr(id)) => self.values(*id, mask),
            Some(Init::List(items)) => {
                for item in items {
                    self.list_item(&item.value, mask);
                }
                vec![Wide::of_lanes(self.width, mask, |_| Value::Data)]
            }
            None => {
                let count = self.components(variable.ty.ty);
                vec![Wide::int(0); count]
            }
        };
        let before = self.env.get(&key).cloned();
        let value = match before {
            Some(before) if mask != self.exists => self.replaced(&before, mask, &value),
            _ => value,
        };
        self.env.insert(key, value);
    }

    fn list_item(&mut self, init: &Init, mask: Mask) {
        match init {
            Init::Expr(id) => {
                self.values(*id, mask);
            }
            Init::List(items) => items
                .iter()
                .for_each(|item| self.list_item(&item.value, mask)),
        }
    }

    fn if_stmt(&mut self, cond: ExprId, then: &'a [Stmt], otherwise: &'a [Stmt], mask: Mask) {
        let condition = self.one(cond, mask);
        let ways = self.ways(&condition, mask);
        self.step();
        let flow = self.flow();
        let issued = match ways.in_doubt() {
            0 => self.each_side(cond, (then, otherwise), &ways, mask),
            _ => self.both(cond, (then, otherwise), &ways, mask),
        };
        let idle = self.idle(&ways, issued);
        let span = self.function().exprs.span(cond);
        if ways.is_divergent() && ways.in_doubt() == 0 {
            self.part(span, BranchKind::If, flow, mask);
        }
        self.branch(span, BranchKind::If, &ways, (idle, issued));
    }

    /// Both branches, each by the lanes that are known to take it. Gives the operations of each.
    fn each_side(
        &mut self,
        cond: ExprId,
        (then, otherwise): (&'a [Stmt], &'a [Stmt]),
        ways: &Ways,
        mask: Mask,
    ) -> [f64; 2] {
        let (start, condition) = (self.seen.operations, self.guess.condition);
        let doubt = self.doubt(cond, ways);
        self.guess.condition.add(doubt);
        self.block(then, ways.yes);
        let middle = self.seen.operations;
        let no = self.live(ways.no);
        self.block(otherwise, no);
        let issued = [middle - start, self.seen.operations - middle];
        self.unlikely_side((then, otherwise), ways, doubt, mask);
        self.guess.condition = condition;
        issued
    }

    /// Operations of lanes that wait while others go one of two ways.
    pub(super) fn idle(&self, ways: &Ways, issued: [f64; 2]) -> f64 {
        let share = |waiting: Mask| f64::from(waiting.count_ones()) / self.width as f64;
        match ways.is_divergent() && ways.in_doubt() == 0 {
            // Lanes that left early wait for all that follows.
            true => issued[0] * share(ways.no) + issued[1] * share(ways.yes & !self.left_early()),
            false => 0.0,
        }
    }

    /// The branch that is taken only if a number is small: looked at, as it may be, and forgotten.
    fn unlikely_side(
        &mut self,
        (then, otherwise): (&'a [Stmt], &'a [Stmt]),
        ways: &Ways,
        doubt: Doubt,
        mask: Mask,
    ) {
        let other = match (ways.yes, ways.no) {
            (0, _) => then,
            (_, 0) => otherwise,
            _ => return,
        };
        let Some(sym) = ways.supposed.filter(|_| !other.is_empty()) else {
            return;
        };
        let before = (self.env.clone(), self.weight, self.unlikely.replace(sym));
        let (flow, apart) = (self.flow(), self.apart.len());
        let result = self.result.clone();
        self.weight *= UNLIKELY;
        (self.returned, self.broken, self.skipped) = (0, 0, 0);
        self.block(other, mask);
        self.doubts += u32::from(self.flow() != (0, 0, 0));
        self.may_have_left(doubt, (0, 0, 0));
        self.apart.truncate(apart);
        (self.env, self.weight, self.unlikely) = before;
        (self.returned, self.broken, self.skipped) = flow;
        self.result = result;
    }

    /// Both branches, where it is not known which is taken: each is looked at as if it were, as often as in runs or half
    /// of the time. Gives the operations of each, if it always is.
    fn both(
        &mut self,
        cond: ExprId,
        (then, otherwise): (&'a [Stmt], &'a [Stmt]),
        ways: &Ways,
        mask: Mask,
    ) -> [f64; 2] {
        let start = self.seen.operations;
        let (weight, flow, apart) = (self.weight, self.flow(), self.apart.len());
        let doubt = ways.in_doubt();
        let taken = self.taken(cond, BranchKind::If);
        self.weight = weight * taken[0];
        let condition = self.guess.condition;
        let may_leave = self.doubt(cond, ways);
        self.guess.condition.add(may_leave);
        let before = self.env.clone();
        self.block(then, ways.yes | doubt);
        let middle = self.seen.operations;
        let left_then = (self.returned, self.broken, self.skipped);
        let after_then = std::mem::replace(&mut self.env, before);
        (self.returned, self.broken, self.skipped) = flow;
        self.weight = weight * taken[1];
        self.block(otherwise, ways.no | doubt);
        let left_else = self.flow();
        // Lanes of which it is not known go on.
        self.meet(apart, true);
        self.guess.condition = condition;
        self.doubts += u32::from(left_then != flow || left_else != flow);
        // Lanes of which it is not known whether they left go on; which do is a guess from now on.
        self.returned |= left_then.0;
        self.broken |= left_then.1;
        self.skipped |= left_then.2;
        self.may_have_left(may_leave, flow);
        (self.returned, self.broken, self.skipped) = flow;
        self.weight = weight;
        let issued = [middle - start, self.seen.operations - middle];
        self.join(&after_then, ways, mask);
        [0, 1].map(|side| issued[side] / taken[side])
    }

    /// How often either side of a branch in doubt is taken: as in runs, or half of the time.
    pub(super) fn taken(&mut self, cond: ExprId, kind: BranchKind) -> [f64; 2] {
        let run = self.run(cond, kind);
        let taken = run.map_or([0.5; 2], |run| run.taken());
        taken.map(|part| part.max(RARELY))
    }

    /// What variables hold after one branch or another.
    pub(super) fn join(&mut self, after_then: &Env, ways: &Ways, mask: Mask) {
        let keys: Vec<_> = self.env.keys().copied().collect();
        for key in keys {
            let now = &self.env[&key];
            let Some(then) = after_then.get(&key).filter(|then| *then != now) else {
                continue;
            };
            let now = now.clone();
            let joined = now
                .iter()
                .zip(then)
                .map(|(now, then)| self.either(then, now, ways, mask));
            let joined: Values = joined.collect();
            self.env.insert(key, joined);
        }
    }

    /// One value or the other, by a condition that is not known for all lanes.
    pub(super) fn either(
        &mut self,
        then: &Wide,
        otherwise: &Wide,
        ways: &Ways,
        mask: Mask,
    ) -> Wide {
        if then == otherwise && then.same().is_some() {
            return then.clone();
        }
        if ways.uniform != 0 && ways.data | ways.unclear == 0 {
            return self.shifted(then, otherwise, mask);
        }
        let open = ways.open;
        Wide::of_lanes(self.width, self.exists, |lane| {
            let (a, b) = (then.lane(lane), otherwise.lane(lane));
            let bit = 1 << lane;
            match () {
                () if mask & bit == 0 => b.clone(),
                () if ways.yes & bit != 0 => a.clone(),
                () if ways.no & bit != 0 => b.clone(),
                () if a == b && a.is_one() => a.clone(),
                () => match open {
                    Some(sym) if ways.data == 0 => Value::Open(sym),
                    _ => Value::Data,
                },
            }
        })
    }

    /// One of two values, the same for all lanes: an unknown number plus the distance of lanes, where that is the
    /// same in both.
    fn shifted(&mut self, a: &Wide, b: &Wide, mask: Mask) -> Wide {
        let unknown = self.fresh(Origin::Computed);
        let Some(first) = lanes(mask).next() else {
            return a.clone();
        };
        let distance = |wide: &Wide, lane: usize| -> Option<Linear> {
            match (wide.lane(lane), wide.lane(first)) {
                (Value::Int(own), Value::Int(first)) => own.plus(first, -1),
                (Value::Pointer(o, own), Value::Pointer(p, first)) if o == p => own.plus(first, -1),
                (Value::Float(own), Value::Float(first)) if own == first => Some(Linear::default()),
                _ => None,
            }
        };
        let object = match (a.lane(first), b.lane(first)) {
            (Value::Pointer(a, _), Value::Pointer(b, _)) if a == b => Some(*a),
            (Value::Pointer(..), _) | (_, Value::Pointer(..)) => {
                Some(super::value::Object::Unknown)
            }
            _ => None,
        };
        Wide::of_lanes(self.width, self.exists, |lane| {
            if mask >> lane & 1 == 0 {
                return b.lane(lane).clone();
            }
            let (x, y) = (distance(a, lane), distance(b, lane));
            let position = x.filter(|x| Some(x) == y.as_ref());
            let position = position.and_then(|x| Linear::sym(unknown).plus(&x, 1));
            match (position, object) {
                (Some(position), Some(object)) => Value::Pointer(object, position),
                (Some(position), None) => Value::Int(position),
                (None, _) if [a.lane(lane), b.lane(lane)].contains(&&Value::Data) => Value::Data,
                (None, _) => Value::Open(unknown),
            }
        })
    }

    pub(super) fn replaced(&self, before: &Values, mask: Mask, by: &Values) -> Values {
        let pairs = before.iter().zip(by);
        let mut all: Values = pairs
            .map(|(now, by)| now.replaced(self.width, mask, by))
            .collect();
        all.extend(by.iter().skip(before.len()).cloned());
        all
    }

    /// Lanes enter at the arm whose label fits, and fall through.
    fn switch(&mut self, value: ExprId, arms: &'a [Arm], mask: Mask) {
        let values = self.one(value, mask);
        self.step();
        let is_known = lanes(mask).all(|lane| values.lane(lane).known().is_some());
        let entered = match is_known {
            true => self.entered(arms, &values, mask),
            false => vec![mask; arms.len()],
        };
        let (weight, flow, apart) = (self.weight, self.flow(), self.apart.len());
        let mut ways = Ways::default();
        match (is_known, values.same()) {
            (true, _) => {
                let first = entered.iter().copied().find(|fits| *fits != 0);
                ways.yes = first.unwrap_or_default();
                ways.no = mask & !ways.yes;
            }
            (false, Some(_)) => ways.uniform = mask,
            (false, None) => ways.data = mask,
        }
        let condition = self.guess.condition;
        if !is_known {
            self.weight /= arms.len().max(1) as f64;
            let doubt = self.doubt(value, &ways);
            self.guess.condition.add(doubt);
        }
        let idle = self.arms(arms, &entered, mask);
        (self.weight, self.guess.condition) = (weight, condition);
        let idle = (idle + self.meet(apart, false)) * f64::from(u8::from(is_known));
        self.broken = flow.1;
        let span = self.function().exprs.span(value);
        if ways.is_divergent() {
            self.part(span, BranchKind::Switch, flow, mask);
        }
        self.branch(span, BranchKind::Switch, &ways, (idle, [0.0; 2]));
    }

    /// The lanes that enter each arm.
    fn entered(&mut self, arms: &'a [Arm], values: &Wide, mask: Mask) -> Vec<Mask> {
        let mut left = mask;
        let mut entered: Vec<Mask> = Vec::new();
        for arm in arms {
            let fits = left & self.fitting(arm, values, left);
            left &= !fits;
            entered.push(fits);
        }
        if let Some(default) = arms.iter().position(is_default) {
            entered[default] |= left;
        }
        entered
    }

    /// Walks through the arms; gives the operations of lanes of a mask that wait for those in another one.
    fn arms(&mut self, arms: &'a [Arm], entered: &[Mask], mask: Mask) -> f64 {
        let mut inside: Mask = 0;
        let mut idle = 0.0;
        for (arm, fits) in arms.iter().zip(entered) {
            inside |= fits;
            let live = self.live(inside);
            let waiting = mask & !live & !self.left_early();
            let before = self.seen.operations;
            self.block(&arm.body, live);
            let issued = self.seen.operations - before;
            idle += issued * f64::from(waiting.count_ones()) / self.width as f64;
        }
        idle
    }

    /// The lanes whose value one of an arm's labels names.
    fn fitting(&mut self, arm: &Arm, values: &Wide, mask: Mask) -> Mask {
        let mut fits = 0;
        for label in &arm.labels {
            let mut known = |id: &ExprId| self.one(*id, mask).same().and_then(Value::known);
            let range = match label {
                CaseLabel::Case(id) => known(id).map(|value| (value, value)),
                CaseLabel::Range(from, to) => known(from).zip(known(to)),
                CaseLabel::Default => None,
            };
            if let Some((from, to)) = range {
                let is_in = |lane: &usize| {
                    values
                        .lane(*lane)
                        .known()
                        .is_some_and(|value| (from..=to).contains(&value))
                };
                fits |= lanes(mask)
                    .filter(is_in)
                    .fold(0, |fits, lane| fits | 1 << lane);
            }
        }
        fits
    }
}

fn is_default(arm: &Arm) -> bool {
    arm.labels
        .iter()
        .any(|label| matches!(label, CaseLabel::Default))
}
