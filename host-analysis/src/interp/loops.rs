//! Loops: followed round by round if the rounds are few and known, else until nothing changes.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::source::Span;
use fpgacc_launch_facts::{ArgValue, Value};

use super::orbit::Orbit;
use super::walk::{Breakable, LoopFrame, LoopKey};
use super::{Code, Interp};
use crate::location::MemoryLocation;
use crate::state::Delta;
use crate::syntax::ast::{ExprId, ExprKind, Loop, StmtId, Variable};
use crate::types::Kind;
use crate::value::{Val, one_root};

/// Most rounds of a loop that are followed one by one.
const MOST_ROUNDS: i128 = 64;
/// Most rounds of nested loops together.
const MOST_ROUNDS_TOGETHER: u64 = 512;
/// Most steps that following a loop round by round may take.
const MOST_STEPS_UNROLLED: u64 = 4_000;
/// Passes over a loop's body until everything that still changes is given up.
const MOST_PASSES: u32 = 6;

impl<'a> Interp<'a> {
    pub(super) fn enter_loop(&mut self, site: Span) {
        self.walk.activations += 1;
        self.walk.loops.push(LoopFrame {
            site,
            activation: self.walk.activations,
            atoms: self.walk.atoms,
            differing: BTreeSet::new(),
            rounds: None,
            ways: 1,
            miscounted: None,
            parity: None,
        });
    }

    /// The activation of the innermost loop whose iterations find other things in a location; 0 if
    /// there is none.
    pub(super) fn differs_in(&self, location: &MemoryLocation) -> u32 {
        let found = self
            .walk
            .loops
            .iter()
            .rev()
            .find(|l| l.differing.contains(location));
        found.map_or(0, |l| l.activation)
    }

    pub(super) fn push_breakable(&mut self, mark: usize, is_loop: bool) {
        if let Some(frame) = self.frame() {
            frame.breakables.push(Breakable {
                mark,
                breaks: Vec::new(),
                continues: Vec::new(),
                is_loop,
                scopes: frame.scopes.len(),
            });
        }
    }

    pub(super) fn pop_breakable(&mut self) -> Option<Breakable> {
        self.frame()?.breakables.pop()
    }

    pub(super) fn follow_loop(&mut self, code: &Code<'a>, site: Span, shape: &Loop) {
        if let Some(init) = shape.init {
            self.exec(code, init);
        }
        if !self.state.reachable {
            return;
        }
        if shape.body_first && is_false(code, shape.condition) {
            return self.follow_once(code, shape);
        }
        if let Some(rounds) = self.known_rounds(code, shape)
            && !self.takes_too_long(code, shape, rounds)
        {
            self.enter_unrolled(site);
            let followed = self.unroll(code, shape, rounds);
            self.walk.loops.pop();
            if followed {
                return;
            }
            let key = (code.host, code.ast().stmt(shape.body).span);
            self.summaries.too_long.insert(key, rounds);
        }
        if self.goes_through_arguments() && self.follow_while_known(code, site, shape) {
            return;
        }
        if self.opencl_free_loop(code, shape) {
            return;
        }
        let counters = self.counters(code, shape);
        let key = self.loop_key(code, shape.body);
        let mut counter = self.counter(code, shape);
        self.fixpoint(site, key, counters, |s| {
            if shape.body_first {
                s.exec_scoped(code, shape.body);
                return s.next_round(code, shape, true);
            }
            let truth = s.test(code, shape.condition);
            let mark = s.loop_mark();
            let exit = (truth != Some(true)).then(|| s.state.capture(mark));
            if truth == Some(false) {
                s.state.reachable = false;
            }
            s.begin_counted(code, &mut counter);
            s.exec_scoped(code, shape.body);
            s.merge_continues();
            s.end_counted(code, &mut counter);
            s.next_round(code, shape, false);
            exit
        });
    }

    /// `do { .. } while (0)`, which is no loop.
    fn follow_once(&mut self, code: &Code<'a>, shape: &Loop) {
        let mark = self.state.mark();
        self.push_breakable(mark, true);
        self.exec_scoped(code, shape.body);
        let Some(breakable) = self.pop_breakable() else {
            return;
        };
        for delta in breakable.continues.into_iter().chain(breakable.breaks) {
            self.state.merge(mark, delta);
        }
    }

    /// Merges `continue`s at the end of a body.
    fn merge_continues(&mut self) {
        let taken = self.frame().and_then(|f| f.breakables.last_mut());
        if let Some(breakable) = taken {
            let mark = breakable.mark;
            for delta in std::mem::take(&mut breakable.continues) {
                self.state.merge(mark, delta);
            }
        }
    }

    /// Merges `continue`s at the end of a body, steps, and tests if the test stands at the end.
    /// Gives what the end of the loop finds there.
    fn next_round(&mut self, code: &Code<'a>, shape: &Loop, test: bool) -> Option<Delta> {
        self.merge_continues();
        if !self.state.reachable {
            return None;
        }
        if let Some(step) = shape.step {
            self.eval(code, step);
        }
        if !test {
            return None;
        }
        let truth = self.test(code, shape.condition);
        let mark = self.loop_mark();
        let exit = (truth != Some(true) && self.state.reachable).then(|| self.state.capture(mark));
        if truth == Some(false) {
            self.state.reachable = false;
        }
        exit
    }

    /// The mark of the innermost loop.
    fn loop_mark(&self) -> usize {
        let breakable = self.walk.frames.last().and_then(|f| f.breakables.last());
        breakable.map_or(self.state.mark(), |b| b.mark)
    }

    fn test(&mut self, code: &Code<'a>, condition: Option<ExprId>) -> Option<bool> {
        match condition {
            Some(condition) => self.plain_value(code, condition).truth(),
            None => Some(true),
        }
    }

    /// The number of rounds of `for (i = a; i < b; i++)` if it is known and small, or, of a test of
    /// several parts, what it is at most. Nothing happens.
    fn known_rounds(&mut self, code: &Code<'a>, shape: &Loop) -> Option<i128> {
        let mark = self.state.mark();
        let noted = self.trace.visits.len();
        let rounds = self.count_rounds(code, shape);
        self.state.rollback(mark);
        self.state.reachable = true;
        self.trace.visits.truncate(noted);
        rounds
    }

    fn count_rounds(&mut self, code: &Code<'a>, shape: &Loop) -> Option<i128> {
        if self.budget.flat {
            return None;
        }
        let head = self.counting_head(code, shape)?;
        let first = self.variable(code, &head.name)?;
        let first = self.state.get(&first).as_int()?;
        let limit = match head.limit {
            Some(limit) => self.eval(code, limit).as_int()?,
            None => 0,
        };
        let rounds = head.rounds(first, limit, MOST_ROUNDS)?;
        let together = self.walk.unroll_factor.saturating_mul(rounds.max(1) as u64);
        (together <= MOST_ROUNDS_TOGETHER).then_some(rounds)
    }

    /// Whether a loop was given up with so many rounds.
    fn takes_too_long(&self, code: &Code<'a>, shape: &Loop, rounds: i128) -> bool {
        let key = (code.host, code.ast().stmt(shape.body).span);
        code.env.is_none()
            && self
                .summaries
                .too_long
                .get(&key)
                .is_some_and(|r| rounds >= *r)
    }

    /// Follows a loop round by round, unless its first round shows that this takes too long: then
    /// nothing has happened, and the result is false. The test is still evaluated: the body may
    /// change the counter.
    fn unroll(&mut self, code: &Code<'a>, shape: &Loop, rounds: i128) -> bool {
        let mark = self.state.mark();
        let (steps, noted, made) = (
            self.budget.steps,
            self.trace.visits.len(),
            self.objects.len(),
        );
        let before = self.walk.unroll_factor;
        self.walk.unroll_factor = before.saturating_mul(rounds.max(1) as u64);
        let mut exits = Vec::new();
        for round in 0.. {
            let truth = self.test(code, shape.condition);
            if !self.state.reachable {
                break;
            }
            if truth != Some(true) {
                exits.push(self.state.capture(mark));
            }
            if truth == Some(false) {
                self.state.reachable = false;
                break;
            }
            let is_endless = round > 2 * MOST_ROUNDS || self.spent(0);
            if is_endless && !self.objects.only_memory_since(made) {
                self.havoc_all("a loop without an end");
                break;
            }
            let breaks = self.follow_round(code, shape, mark, round as u32);
            let all = (self.budget.steps - steps).saturating_mul(rounds.max(1) as u64);
            let too_long = round == 0 && rounds > 1 && all > MOST_STEPS_UNROLLED;
            // OpenCL objects that a round makes are distinguished by the round.
            if (too_long || is_endless) && self.objects.only_memory_since(made) {
                self.state.rollback(mark);
                self.state.reachable = true;
                self.trace.visits.truncate(noted);
                self.walk.unroll_factor = before;
                return false;
            }
            exits.extend(breaks);
            if !self.state.reachable {
                break;
            }
        }
        self.walk.unroll_factor = before;
        for delta in exits {
            self.state.merge(mark, delta);
        }
        true
    }

    /// One round of a loop that is followed round by round; what leaves it.
    fn follow_round(
        &mut self,
        code: &Code<'a>,
        shape: &Loop,
        mark: usize,
        round: u32,
    ) -> Vec<Delta> {
        self.walk.context.push(round);
        self.push_breakable(mark, true);
        self.exec_scoped(code, shape.body);
        self.next_round(code, shape, false);
        self.walk.context.pop();
        self.pop_breakable().map(|b| b.breaks).unwrap_or_default()
    }

    /// Whether the function that is followed has arguments for `...`: its loops go through them, as far as a
    /// text of formats or a last argument says.
    fn goes_through_arguments(&self) -> bool {
        let frame = self.walk.frames.last();
        let function = frame.map(|frame| self.program.function(frame.fn_id));
        function.is_some_and(|function| {
            let is_list = |param: &Variable| param.ty.base.ends_with("va_list");
            function.is_variadic || function.params.iter().any(is_list)
        })
    }

    /// Follows a loop round by round as long as its test is known. Where it is not, nothing has happened, and the
    /// result is false.
    fn follow_while_known(&mut self, code: &Code<'a>, site: Span, shape: &Loop) -> bool {
        if self.budget.flat || shape.body_first {
            return false;
        }
        let mark = self.state.mark();
        let (noted, made) = (self.trace.visits.len(), self.objects.len());
        self.enter_unrolled(site);
        let exits = self.rounds_while_known(code, shape, mark);
        self.walk.loops.pop();
        if let Some(exits) = exits {
            for delta in exits {
                self.state.merge(mark, delta);
            }
            return true;
        }
        if !self.objects.only_memory_since(made) {
            self.havoc_all("a loop whose rounds are not known");
            return true;
        }
        self.state.rollback(mark);
        self.state.reachable = true;
        self.trace.visits.truncate(noted);
        false
    }

    /// What leaves a loop whose test is known in each round; nothing if it is not.
    fn rounds_while_known(
        &mut self,
        code: &Code<'a>,
        shape: &Loop,
        mark: usize,
    ) -> Option<Vec<Delta>> {
        let mut exits = Vec::new();
        for round in 0..MOST_ROUNDS as u32 {
            let truth = self.test(code, shape.condition);
            if self.state.reachable && truth == Some(false) {
                exits.push(self.state.capture(mark));
                self.state.reachable = false;
            }
            if !self.state.reachable {
                return Some(exits);
            }
            if truth.is_none() || self.spent(0) {
                return None;
            }
            exits.extend(self.follow_round(code, shape, mark, round));
        }
        None
    }

    fn loop_key(&self, code: &Code<'a>, body: StmtId) -> Option<LoopKey> {
        let span = code.ast().stmt(body).span;
        let own = code.env.is_none();
        own.then(|| (code.host, span, self.walk.context.clone()))
    }

    /// Follows a loop whose rounds are not known: `round` goes once from its head to its head and
    /// gives what leaves it at the test, as seen from the head.
    fn fixpoint(
        &mut self,
        site: Span,
        key: Option<LoopKey>,
        counters: Vec<MemoryLocation>,
        mut round: impl FnMut(&mut Self) -> Option<Delta>,
    ) {
        if self.budget.flat {
            self.havoc_all("a loop of a host that is too large to be followed");
        }
        self.walk.loop_depth += 1;
        self.enter_loop(site);
        let noted = self.trace.visits.len();
        let mut changing = match &key {
            Some(key) => self.walk.changing.get(key).cloned().unwrap_or_default(),
            None => BTreeMap::new(),
        };
        self.take_as_changing(&mut changing);
        for location in counters {
            self.forget_number(location, &mut changing);
        }
        let mut orbit = Orbit::default();
        for pass in 0.. {
            self.trace.visits.truncate(noted);
            let pass = pass.min(MOST_PASSES);
            let (exits, is_fixed) = self.follow_body(&mut orbit, pass, &mut changing, &mut round);
            if is_fixed && !self.hold_parity(site) {
                self.state.reachable = false;
                let mark = self.state.mark();
                for delta in exits {
                    self.state.merge(mark, delta);
                }
                break;
            }
        }
        self.walk.loop_depth -= 1;
        self.walk.loops.pop();
        if let Some(key) = key
            && !changing.is_empty()
        {
            self.walk.changing.insert(key, changing);
        }
    }

    /// Numbers that changed when the loop was followed before: they are not known from the start.
    fn take_as_changing(&mut self, changing: &mut BTreeMap<MemoryLocation, Val>) {
        for (location, value) in changing {
            if let Val::Sym(symbol) = value {
                // A number of this activation.
                *value = self.atom(symbol.text(), symbol.ty, symbol.why.clone());
            }
            let now = self.state.own(location);
            if now.is_some_and(|now| !now.is_unknown()) {
                self.state.set(location, value.clone());
            }
        }
    }

    /// Puts a number that is not known into a location that changes.
    fn forget_number(
        &mut self,
        location: MemoryLocation,
        changing: &mut BTreeMap<MemoryLocation, Val>,
    ) {
        let number = self.changing_number(&location);
        self.state.set(&location, number.clone());
        changing.insert(location, number);
    }

    /// Follows a loop's body once from its head, with each combination of variables that swap. Gives what leaves
    /// the loop, and whether that is all: the state at the head holds for another round too, or no pass is left.
    fn follow_body(
        &mut self,
        orbit: &mut Orbit,
        pass: u32,
        changing: &mut BTreeMap<MemoryLocation, Val>,
        round: &mut impl FnMut(&mut Self) -> Option<Delta>,
    ) -> (Vec<Delta>, bool) {
        let mut exits = Vec::new();
        let (mut is_stable, mut is_orbit, mut is_counted) = (true, true, true);
        let mut at = 0;
        while at < orbit.rounds() {
            let mark = self.state.mark();
            for (location, value) in orbit.combination(at).into_iter().flatten() {
                self.state.set(location, value.clone());
            }
            if let Some(frame) = self.walk.loops.last_mut() {
                frame.ways = orbit.rounds();
            }
            self.push_breakable(mark, true);
            exits.extend(round(self));
            exits.extend(self.pop_breakable().into_iter().flat_map(|b| b.breaks));
            let (mut back, returns_to_head) = self.take_back(mark);
            if returns_to_head && !self.budget.flat {
                is_orbit &= !orbit.follow(self, at, &mut back);
                if let Some(frame) = self.walk.loops.last_mut() {
                    let differing = orbit.combination(0).into_iter().flatten();
                    frame
                        .differing
                        .extend(differing.map(|(location, _)| location.clone()));
                }
                is_stable &= !self.widen(&back, pass, changing);
            }
            if let Some(location) = self.miscounted() {
                // Nothing that was found with the counter between its bounds may stay.
                self.forget_number(location, changing);
                is_counted = false;
            }
            at += 1;
        }
        let is_fixed = is_orbit && is_counted && (is_stable || pass == MOST_PASSES);
        (exits, is_fixed)
    }

    /// The counter of the innermost loop, if its body turned out to change it.
    fn miscounted(&mut self) -> Option<MemoryLocation> {
        self.walk.loops.last_mut()?.miscounted.take()
    }

    /// Makes the state at a loop's head hold for another round too; true if it had to be changed.
    fn widen(
        &mut self,
        back: &Delta,
        pass: u32,
        changing: &mut BTreeMap<MemoryLocation, Val>,
    ) -> bool {
        let mut changed = false;
        for (location, end) in back.sorted() {
            let head = self.state.get(location);
            let Some(end) = end else {
                continue;
            };
            // Any number, whatever the body makes of it.
            if matches!(head, Val::Sym(_)) && changing.get(location) == Some(&head) {
                continue;
            }
            let next = match widened(&head, end, pass) {
                Widened::Value(value) => value,
                Widened::Number => self.changing_number(location),
            };
            if next == head {
                continue;
            }
            match &next {
                Val::Unknown(_) | Val::Sym(_) => {
                    changing.insert(location.clone(), next.clone());
                }
                Val::OneOf(_) => {
                    if let Some(frame) = self.walk.loops.last_mut() {
                        frame.differing.insert(location.clone());
                    }
                }
                _ => {}
            }
            self.state.set(location, next);
            changed = true;
        }
        changed
    }

    /// The number in a location at a loop's head: one of this activation of the loop and this round.
    fn changing_number(&mut self, location: &MemoryLocation) -> Val {
        let line = self
            .walk
            .loops
            .last()
            .map(|l| self.program.sources.location(l.site));
        let why = match line {
            Some(site) => format!("it changes in the loop at {}:{}", site.file, site.line),
            None => "it changes in a loop".to_string(),
        };
        let ty = match self.kind_of(location) {
            Some(Kind::Num(num)) => Some(num),
            _ => None,
        };
        let name = self.short_name(location);
        self.atom(name, ty, why)
    }

    pub(super) fn range_for(
        &mut self,
        code: &Code<'a>,
        site: Span,
        (variable, range, body): (&Variable, ExprId, StmtId),
    ) {
        if let Some(elements) = self.range_elements(code, range) {
            self.enter_unrolled(site);
            self.over_elements(code, variable, elements, body);
            self.walk.loops.pop();
            return;
        }
        let list = match &code.clone().ast().expr(range).kind {
            ExprKind::InitList(items) => Some(items.iter().map(|i| i.1).collect::<Vec<_>>()),
            _ => None,
        };
        let location = match list {
            Some(_) => None,
            None => self.reference(code, range),
        };
        let element = match (&location, variable.ty.reference && !variable.ty.is_const) {
            (Some(location), true) => {
                self.set_unknown(location, "changed by a loop over its elements");
                Val::unknown("an element in a loop")
            }
            (Some(location), false) => self.any_element(location),
            (None, _) => match list {
                Some(items) => {
                    let all = items.iter().map(|&item| self.eval(code, item));
                    let all: Vec<Val> = all.collect();
                    for value in &all {
                        self.note_pointed(value);
                    }
                    all.into_iter()
                        .reduce(|a, b| a.join(&b))
                        .unwrap_or(Val::Unset)
                }
                None => Val::unknown("an element in a loop"),
            },
        };
        let code = code.clone();
        let key = self.loop_key(&code, body);
        self.fixpoint(site, key, Vec::new(), |s| {
            let exit = Some(Delta::new());
            s.scoped(|s| {
                s.bind_element(
                    &code,
                    variable,
                    super::ranges::Element::Value(element.clone()),
                );
                s.exec(&code, body);
            });
            s.merge_continues();
            exit
        });
    }
}

/// Whether a condition is spelled as one that never holds.
fn is_false(code: &Code<'_>, condition: Option<ExprId>) -> bool {
    let ast = code.ast();
    let Some(condition) = condition else {
        return false;
    };
    match &ast.expr(ast.skip_parens(condition)).kind {
        ExprKind::Int(word) => word == "0",
        ExprKind::Bool(value) => !value,
        ExprKind::Name(name) => name == "false",
        _ => false,
    }
}

/// What stands at a loop's head.
enum Widened {
    /// This.
    Value(Val),
    /// A number that is another one in each round.
    Number,
}

/// Why a value is not known that an expression was assigned to in the body of a loop.
pub(super) const SET_EARLIER: &str = "it may be set in an earlier round of a loop";

/// The value at a loop's head, given that at its end.
fn widened(head: &Val, end: &Val, pass: u32) -> Widened {
    let joined = head.join(end);
    if joined == *head {
        return Widened::Value(joined);
    }
    if let (Val::Text(before), Val::Text(after)) = (head, end) {
        // A text that grows by pieces of one file.
        let mut grown = (**before).clone();
        grown.append(after);
        if before.pieces.is_empty() || grown == **after || after.grows_from(before) {
            return Widened::Value(end.clone());
        }
        return Widened::Value(Val::unknown("a string that changes in a loop"));
    }
    // Names mean other values in the next round; of alternatives, only if they do not stay.
    let may_stay = pass == 0 && end.alternatives().len() > 1;
    if !may_stay && end.alternatives().iter().any(is_expression) {
        return Widened::Value(Val::unknown(SET_EARLIER));
    }
    if pass == 0 && joined == *end && end.is_choice() {
        return Widened::Value(joined);
    }
    let is_symbol = |v: &Val| matches!(v, Val::Sym(_));
    let any_symbol = end.alternatives().iter().any(is_symbol);
    let first = pass == 0 && matches!(head, Val::Unset) && !any_symbol;
    let number = |v: &Val| {
        matches!(
            v,
            Val::Int(..) | Val::Float(_) | Val::Double(_) | Val::Sym(_)
        )
    };
    let may_be_number = |v: &Val| number(v) || matches!(v, Val::Zero | Val::Unset);
    let all = joined.alternatives();
    match all.iter().any(number) && !first {
        true if all.iter().all(may_be_number) => Widened::Number,
        true => Widened::Value(Val::unknown("changes in a loop")),
        false if pass >= 1 && moves(all) => match one_root(&pointers_of(all)) {
            Some(root) => Widened::Value(Val::Into(root)),
            None => Widened::Value(Val::unknown("changes in a loop")),
        },
        false if pass >= 3 => Widened::Value(Val::unknown("changes in a loop")),
        false => Widened::Value(joined),
    }
}

/// The pointers among values.
fn pointers_of(values: &[Val]) -> Vec<Val> {
    let pointer = |v: &&Val| matches!(v, Val::Pointer(_) | Val::Into(_));
    values.iter().filter(pointer).cloned().collect()
}

/// Whether values are pointers that step through one array.
fn moves(values: &[Val]) -> bool {
    let fine = |v: &Val| matches!(v, Val::Pointer(_) | Val::Into(_) | Val::Unset);
    let pointers = pointers_of(values);
    values.iter().all(fine) && pointers.len() > 1 && one_root(&pointers).is_some()
}

/// Whether a value is an argument that is spelled with names.
fn is_expression(value: &Val) -> bool {
    let Val::Arg(argument) = value else {
        return false;
    };
    let value = match &argument.fact {
        ArgValue::Scalar(value) | ArgValue::Local(value) => value,
        _ => return false,
    };
    !matches!(value, Value::Const(_) | Value::OneOf(_) | Value::Unknown(_))
}
