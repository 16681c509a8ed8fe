//! Loops that count. `for (i = a; i < b; i += c)`, or the same as `while`, says what `i` lies between inside of the loop and how often the
//! loop goes round, if the body leaves `i` alone. Whether it does is seen when the body was followed.

use fpgacc_frontend::source::Span;

use super::{Code, Interp};
use crate::location::MemoryLocation;
use crate::number::{IntType, Num};
use crate::symbolic::{At, Counted, Range, bounds, counted, gcd};
use crate::syntax::ast::{Ast, BinaryOp, ExprId, ExprKind, Loop, StmtId, StmtKind};
use crate::value::{Form, Val};

/// Most rounds of a loop that are counted one by one.
const MOST_COUNTED: i128 = 4096;

/// How a counter goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Advance {
    /// By adding this, which may be negative but not 0.
    Add(i128),
    /// By multiplying with this, at least 2.
    Times(i128),
    /// By dividing by this, at least 2.
    Over(i128),
}

impl Advance {
    fn by(op: BinaryOp, amount: i128) -> Option<Advance> {
        match op {
            BinaryOp::Add if amount != 0 => Some(Advance::Add(amount)),
            BinaryOp::Sub if amount != 0 => Some(Advance::Add(-amount)),
            BinaryOp::Mul if amount >= 2 => Some(Advance::Times(amount)),
            BinaryOp::Div if amount >= 2 => Some(Advance::Over(amount)),
            BinaryOp::Shl if (1..=30).contains(&amount) => Some(Advance::Times(1 << amount)),
            BinaryOp::Shr if (1..=62).contains(&amount) => Some(Advance::Over(1 << amount)),
            _ => None,
        }
    }

    fn next(self, value: i128) -> Option<i128> {
        match self {
            Advance::Add(by) => value.checked_add(by),
            Advance::Times(by) => value.checked_mul(by),
            Advance::Over(by) => Some(value / by),
        }
    }

    /// The value after so many rounds.
    fn after(self, first: i128, rounds: i128) -> Option<i128> {
        match self {
            Advance::Add(by) => first.checked_add(by.checked_mul(rounds)?),
            _ => (0..rounds).try_fold(first, |value, _| self.next(value)),
        }
    }
}

/// How a loop's head is written: its counter, how that is compared with what, and how it goes on.
pub(super) struct Head {
    pub name: String,
    pub compare: BinaryOp,
    /// `None`: 0.
    pub limit: Option<ExprId>,
    pub advance: Advance,
    /// The step, and whether it stands in the body.
    step: ExprId,
    is_in_body: bool,
    /// All that is done between two rounds, where that is more than the step: it may lead to the counter, too.
    between: Option<ExprId>,
    /// The comparison is the whole test.
    pub is_whole: bool,
}

impl Head {
    /// How often a loop goes round, if that is not more often than this.
    pub fn rounds(&self, first: i128, limit: i128, most: i128) -> Option<i128> {
        if let Advance::Add(by) = self.advance {
            let span = match self.compare {
                BinaryOp::Lt if by > 0 => limit - first,
                BinaryOp::Le if by > 0 => limit - first + 1,
                BinaryOp::Gt if by < 0 => first - limit,
                BinaryOp::Ge if by < 0 => first - limit + 1,
                BinaryOp::Ne if is_hit(first, limit, by) => (limit - first).abs(),
                _ => return None,
            };
            let rounds = span.max(0).checked_add(by.abs() - 1)? / by.abs();
            return (rounds <= most).then_some(rounds);
        }
        let (mut value, mut rounds) = (first, 0);
        while holds(self.compare, value, limit)? {
            rounds += 1;
            let next = self.advance.next(value)?;
            if rounds > most || next == value {
                return None;
            }
            value = next;
        }
        Some(rounds)
    }

    /// What the counter lies between inside of the loop, given its first values and those of what it is compared
    /// with.
    fn inside(&self, ty: IntType, first: Range, limit: Range) -> Option<Range> {
        use BinaryOp::{Ge, Gt, Le, Lt, Ne};
        let natural = bounds(ty);
        // `i += (unsigned)-30` subtracts.
        if matches!(self.advance, Advance::Add(by) if by.abs() > natural.high) {
            return None;
        }
        let reached = matches!(self.compare, Le | Ge);
        let range = match (self.advance, self.compare) {
            (Advance::Add(by), Lt | Le) if by > 0 => first.up_to(limit.high, reached),
            (Advance::Add(by), Ne) if by > 0 && are_hit(first, limit, by) => {
                first.up_to(limit.high, false)
            }
            (Advance::Add(by), Ne) if by < 0 && are_hit(first, limit, by) => {
                first.down_to(limit.low, false)
            }
            (Advance::Add(by), Gt | Ge) if by < 0 => first.down_to(limit.low, reached),
            (Advance::Times(_), Lt | Le) if first.low >= 1 => first.up_to(limit.high, reached),
            (Advance::Over(_), Gt | Ge) if limit.low >= 0 => first.down_to(limit.low, reached),
            (Advance::Over(_), Ne) if first.low >= 0 && limit == Range::exactly(0) => {
                first.down_to(0, false)
            }
            _ => None,
        }?;
        let range = self.on_its_steps(range, first);
        if range.low > range.high {
            return None;
        }
        // The last step must not wrap around either; signed ones do not, if they are not narrow.
        let wraps = !ty.signed || ty.bits < 32;
        let ends = [
            self.advance.next(range.low)?,
            self.advance.next(range.high)?,
        ];
        let stays = |end: &i128| Range::exactly(*end).within(natural);
        // A limit that may be any number says nothing.
        let high = match limit.high >= natural.high {
            true => natural.high,
            false => range.high,
        };
        (!wraps || ends.iter().all(stays)).then_some(Range { high, ..range })
    }

    /// A range whose ends are values that a counter has, if its first one is known.
    fn on_its_steps(&self, range: Range, first: Range) -> Range {
        let Advance::Add(by) = self.advance else {
            return range;
        };
        if first.low != first.high || range.low > range.high {
            return range;
        }
        let rest = (range.high - range.low) % by.abs();
        match by > 0 {
            true => Range {
                high: range.high - rest,
                ..range
            },
            false => Range {
                low: range.low + rest,
                ..range
            },
        }
    }
}

/// Whether a counter comes to a number exactly.
fn is_hit(first: i128, limit: i128, by: i128) -> bool {
    (limit - first).signum() * by.signum() >= 0 && (limit - first) % by == 0
}

/// Whether a counter that starts anywhere in one range comes to each number of another.
fn are_hit(first: Range, limit: Range, by: i128) -> bool {
    let is_point = |range: Range| range.low == range.high;
    let apart = match by > 0 {
        true => first.high <= limit.low,
        false => first.low >= limit.high,
    };
    match is_point(first) && is_point(limit) {
        true => is_hit(first.low, limit.low, by),
        false => by.abs() == 1 && apart,
    }
}

fn holds(compare: BinaryOp, a: i128, b: i128) -> Option<bool> {
    Some(match compare {
        BinaryOp::Lt => a < b,
        BinaryOp::Le => a <= b,
        BinaryOp::Gt => a > b,
        BinaryOp::Ge => a >= b,
        BinaryOp::Ne => a != b,
        _ => return None,
    })
}

/// A loop's counter.
pub(super) struct Counter {
    head: Head,
    location: MemoryLocation,
    ty: IntType,
    /// Its first value.
    first: Val,
    /// Of the round that is being followed: its value at the start, and that which it must have at the end.
    now: Option<(Val, Val)>,
}

impl<'a> Interp<'a> {
    /// How the head of a loop counts, if it does.
    pub(super) fn counting_head(&mut self, code: &Code<'a>, shape: &Loop) -> Option<Head> {
        if shape.body_first {
            return None;
        }
        let tree = code.clone();
        let ast = tree.ast();
        let tests = conjuncts(ast, shape.condition?);
        let steps = match shape.step {
            Some(step) => parts(ast, step),
            None => steps_of_body(ast, shape.body),
        };
        if shape.step.is_some() && !steps.iter().all(|step| is_change(ast, *step)) {
            return None;
        }
        for &test in &tests {
            let Some((name, compare, limit)) = comparison(ast, test, &steps) else {
                continue;
            };
            let mut own = steps.iter().filter(|step| changes(ast, **step, &name));
            let (Some(step), None) = (own.next(), own.next()) else {
                return None;
            };
            return Some(Head {
                advance: self.advance(code, *step, &name)?,
                step: *step,
                is_in_body: shape.step.is_none(),
                between: shape.step.filter(|_| steps.len() > 1),
                is_whole: tests.len() == 1,
                name,
                compare,
                limit,
            });
        }
        None
    }

    fn advance(&mut self, code: &Code<'a>, step: ExprId, name: &str) -> Option<Advance> {
        let tree = code.clone();
        let ast = tree.ast();
        let (op, amount) = match &ast.expr(step).kind {
            ExprKind::Step { by, .. } => return Some(Advance::Add(i128::from(*by))),
            ExprKind::Assign(Some(op), _, amount) => (*op, *amount),
            ExprKind::Assign(None, _, value) => match ast.expr(ast.skip_parens(*value)).kind {
                ExprKind::Binary(op, a, b) if is_name(ast, a, name) => (op, b),
                ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Mul), a, b)
                    if is_name(ast, b, name) =>
                {
                    (op, a)
                }
                _ => return None,
            },
            _ => return None,
        };
        if !is_plain(ast, amount) {
            return None;
        }
        Advance::by(op, self.eval(code, amount).as_int()?)
    }

    /// The counter of a loop of which the first round is about to begin.
    pub(super) fn counter(&mut self, code: &Code<'a>, shape: &Loop) -> Option<Counter> {
        let head = self.counting_head(code, shape)?;
        let condition = shape.condition.filter(|test| is_plain(code.ast(), *test));
        condition?;
        let location = self.variable(code, &head.name)?;
        let Some(crate::types::Kind::Num(Num::Int(ty))) = self.kind_of(&location) else {
            return None;
        };
        let first = self.state.get(&location);
        Some(Counter {
            head,
            location,
            ty,
            first,
            now: None,
        })
    }

    /// The test of a loop held: the counter is on this side of the limit.
    pub(super) fn begin_counted(&mut self, code: &Code<'a>, counter: &mut Option<Counter>) {
        let Some(known) = counter else {
            return;
        };
        known.now = None;
        self.set_rounds(None);
        let now = self.state.get(&known.location);
        let Val::Sym(symbol) = &now else {
            return;
        };
        let Form::Atom(number) = symbol.form else {
            return;
        };
        let Some(advance) = self.advance(code, known.head.step, &known.head.name) else {
            // The body changes by how much it goes on.
            let location = known.location.clone();
            *counter = None;
            return self.miscount(location);
        };
        known.head.advance = advance;
        if matches!(advance, Advance::Add(by) if by % 2 != 0) {
            self.begin_parity(number, &known.first);
        } else {
            self.no_parity();
        }
        let limit = match known.head.limit {
            Some(limit) => self.eval(code, limit),
            None => Val::int(0),
        };
        let inside = self.inside(known, &limit);
        let rounds = match known.head.is_whole {
            true => self.rounds_of(known, &limit),
            false => None,
        };
        if inside.is_some() || rounds.is_some() || self.has_parity() {
            let end = match known.head.is_in_body {
                true => self.stepped(code, known, known.head.step),
                false => now.clone(),
            };
            known.now = Some((now.clone(), end));
        }
        self.walk
            .counting
            .extend(inside.map(|inside| (number, inside)));
        self.set_rounds(rounds);
    }

    /// What a counter is after a step. Nothing happens.
    fn stepped(&mut self, code: &Code<'a>, counter: &Counter, step: ExprId) -> Val {
        let mark = self.state.mark();
        self.eval(code, step);
        let value = self.state.get(&counter.location);
        self.state.rollback(mark);
        value
    }

    fn miscount(&mut self, location: MemoryLocation) {
        self.no_parity();
        if let Some(frame) = self.walk.loops.last_mut() {
            frame.rounds = None;
            frame.miscounted = Some(location);
        }
    }

    fn set_rounds(&mut self, rounds: Option<f64>) {
        if let Some(frame) = self.walk.loops.last_mut() {
            frame.rounds = rounds;
        }
    }

    /// What holds of a counter inside of its loop.
    fn inside(&self, counter: &Counter, limit: &Val) -> Option<Counted> {
        let first = counted(&counter.first, self.at())?;
        let until = counted(limit, self.at())?;
        // A negative number that is compared with an unsigned one is a large one.
        let is_unsigned = !counter.ty.signed || limit.alternatives().iter().any(is_unsigned);
        if is_unsigned && (first.range.low < 0 || until.range.low < 0) {
            return None;
        }
        let range = counter.head.inside(counter.ty, first.range, until.range)?;
        let multiple = match counter.head.advance {
            Advance::Add(by) => gcd(first.multiple, u64::try_from(by.unsigned_abs()).ok()?),
            Advance::Times(_) => first.multiple,
            Advance::Over(_) => 1,
        };
        Some(Counted { range, multiple })
    }

    /// The body of a loop ends: whether it left the counter alone, as what is done beside the step will.
    pub(super) fn end_counted(&mut self, code: &Code<'a>, counter: &mut Option<Counter>) {
        let Some(known) = counter else {
            return;
        };
        let Some((start, end)) = &known.now else {
            return;
        };
        if let Val::Sym(symbol) = start {
            self.walk.counting.remove(&symbol.newest_atom());
        }
        let is_left = self.state.get(&known.location) == *end
            && known.head.between.is_none_or(|all| {
                self.stepped(code, known, all) == self.stepped(code, known, known.head.step)
            });
        if self.state.reachable && !is_left {
            let location = known.location.clone();
            self.miscount(location);
            *counter = None;
            return;
        }
        self.end_parity();
    }

    /// How often a loop goes round, on average over the rounds of those around it.
    fn rounds_of(&self, counter: &Counter, limit: &Val) -> Option<f64> {
        if let (Some(first), Some(limit)) = (usual(&counter.first), usual(limit)) {
            let most = match counter.head.advance {
                Advance::Add(_) => i128::from(u32::MAX),
                _ => MOST_COUNTED,
            };
            let rounds = counter.head.rounds(first, limit, most)?;
            let last = counter.head.advance.after(first, rounds)?;
            let stays = Range::exactly(last).within(bounds(counter.ty));
            return stays.then_some(rounds as f64);
        }
        let Advance::Add(by) = counter.head.advance else {
            return None;
        };
        let (first, limit) = (self.mean(&counter.first)?, self.mean(limit)?);
        let last = match counter.head.compare {
            BinaryOp::Le | BinaryOp::Ge => limit + by.signum() as f64,
            _ => limit,
        };
        Some(((last - first) / by as f64).max(0.0))
    }

    /// The mean of a number that only loops change that are being followed.
    fn mean(&self, value: &Val) -> Option<f64> {
        let counted = counted(value, self.at())?;
        let known = self.at().is_counted(value);
        known.then_some((counted.range.low as f64 + counted.range.high as f64) / 2.0)
    }

    /// How often what is followed now is reached by the loops around it, if that is known of all of them.
    pub(super) fn times(&self) -> Option<u64> {
        let all = self.walk.loops.iter();
        let all = all.map(|frame| Some(frame.rounds? / frame.ways as f64));
        let product = all.product::<Option<f64>>()?;
        Some((product.round() as u64).max(1))
    }

    /// Where numbers are asked for.
    pub(super) fn at(&self) -> At<'_> {
        At {
            sources: self.program.sources,
            counting: &self.walk.counting,
        }
    }

    /// A number as a fact.
    pub(super) fn fact(&self, value: &Val) -> fpgacc_launch_facts::Value {
        crate::numbers::to_value(value, self.at())
    }

    /// A loop whose rounds are followed one by one.
    pub(super) fn enter_unrolled(&mut self, site: Span) {
        self.enter_loop(site);
        if let Some(frame) = self.walk.loops.last_mut() {
            frame.rounds = Some(1.0);
        }
    }
}

fn is_unsigned(value: &Val) -> bool {
    let ty = match value {
        Val::Int(_, ty) => Some(Num::Int(*ty)),
        Val::Sym(symbol) => symbol.ty,
        _ => None,
    };
    matches!(ty, Some(Num::Int(ty)) if !ty.signed)
}

/// A number that is known, or the only one of several that is: what a host takes if it is given nothing.
fn usual(value: &Val) -> Option<i128> {
    let mut known = value.alternatives().iter().filter_map(Val::as_int);
    match (known.next(), known.next()) {
        (Some(one), None) => Some(one),
        _ => None,
    }
}

/// What all must hold for a test to hold.
fn conjuncts(ast: &Ast, test: ExprId) -> Vec<ExprId> {
    let test = ast.skip_parens(test);
    match ast.expr(test).kind {
        ExprKind::Binary(BinaryOp::And, a, b) => [conjuncts(ast, a), conjuncts(ast, b)].concat(),
        _ => vec![test],
    }
}

/// What is done one after the other.
fn parts(ast: &Ast, step: ExprId) -> Vec<ExprId> {
    let step = ast.skip_parens(step);
    match ast.expr(step).kind {
        ExprKind::Comma(a, b) => [parts(ast, a), parts(ast, b)].concat(),
        _ => vec![step],
    }
}

/// What stands alone in a body: `while (i < n) { ..; i++; }`.
fn steps_of_body(ast: &Ast, body: StmtId) -> Vec<ExprId> {
    let StmtKind::Block(inner) = &ast.stmt(body).kind else {
        return Vec::new();
    };
    let alone = inner.iter().filter_map(|&stmt| match ast.stmt(stmt).kind {
        StmtKind::Expr(expr) => Some(parts(ast, expr)),
        _ => None,
    });
    alone.flatten().collect()
}

/// `i < n`, `n > i`, `i` and `i != 0`, where a step changes `i`.
fn comparison(
    ast: &Ast,
    test: ExprId,
    steps: &[ExprId],
) -> Option<(String, BinaryOp, Option<ExprId>)> {
    let counter = |side: ExprId| match &ast.expr(ast.skip_parens(side)).kind {
        ExprKind::Name(name) if steps.iter().any(|step| changes(ast, *step, name)) => {
            Some(name.clone())
        }
        _ => None,
    };
    if let Some(name) = counter(test) {
        return Some((name, BinaryOp::Ne, None));
    }
    let ExprKind::Binary(op, left, right) = ast.expr(test).kind else {
        return None;
    };
    if let Some(name) = counter(left) {
        return Some((name, op, Some(right)));
    }
    let mirrored = match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        BinaryOp::Ne => BinaryOp::Ne,
        _ => return None,
    };
    Some((counter(right)?, mirrored, Some(left)))
}

fn is_name(ast: &Ast, expr: ExprId, name: &str) -> bool {
    matches!(&ast.expr(ast.skip_parens(expr)).kind, ExprKind::Name(n) if n == name)
}

/// Whether a step is one of this variable.
fn changes(ast: &Ast, step: ExprId, name: &str) -> bool {
    match ast.expr(step).kind {
        ExprKind::Step { target, .. } | ExprKind::Assign(_, target, _) => {
            is_name(ast, target, name)
        }
        _ => false,
    }
}

/// Whether an expression is one change, and calls nothing.
fn is_change(ast: &Ast, step: ExprId) -> bool {
    match ast.expr(step).kind {
        ExprKind::Step { target, .. } => is_plain(ast, target),
        ExprKind::Assign(_, target, value) => is_plain(ast, target) && is_plain(ast, value),
        _ => false,
    }
}

/// Whether evaluating an expression calls and changes nothing.
fn is_plain(ast: &Ast, expr: ExprId) -> bool {
    let own = matches!(
        ast.expr(expr).kind,
        ExprKind::Name(_)
            | ExprKind::Int(_)
            | ExprKind::Char(_)
            | ExprKind::Bool(_)
            | ExprKind::Paren(_)
            | ExprKind::Binary(..)
            | ExprKind::Cast(..)
            | ExprKind::Unary(..)
            | ExprKind::Index(..)
            | ExprKind::Member { .. }
    );
    own && ast
        .children(expr)
        .into_iter()
        .all(|part| is_plain(ast, part))
}
