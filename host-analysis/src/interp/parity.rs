//! Counters that choose by `i % 2` or `i & 1`. Whether a counter is even changes from round to round if its step is
//! odd. As soon as the body asks, an unnamed variable says which, and the two rounds are followed one by one, as
//! those of all that changes places ([`super::orbit`]).

use fpgacc_frontend::source::Span;

use super::Interp;
use super::variables::VarInfo;
use crate::location::{MemoryLocation, VarId};
use crate::number::{IntType, Num};
use crate::symbolic::counted;
use crate::syntax::ast::{BinaryOp, Type};
use crate::value::{Form, Sym, Val};

/// Deepest nesting of an expression that is looked through.
const DEEPEST: u32 = 8;

/// A loop's counter whose parity changes in each round.
pub(super) struct Parity {
    /// The counter's number at the loop's head.
    atom: u32,
    /// The parity of its first value.
    first: i128,
    /// Where that of its value at the head is, once something asked.
    holder: Option<MemoryLocation>,
    /// The body asked for it.
    is_asked: bool,
}

impl Interp<'_> {
    /// A round of the innermost loop begins, whose counter is this number and began with this value; it goes on by
    /// an odd amount.
    pub(super) fn begin_parity(&mut self, atom: u32, first: &Val) {
        let first = first.as_int().map(|first| first.rem_euclid(2));
        let Some(frame) = self.walk.loops.last_mut() else {
            return;
        };
        match (&mut frame.parity, first) {
            (Some(known), Some(_)) => known.atom = atom,
            (known @ None, Some(first)) => {
                *known = Some(Parity {
                    atom,
                    first,
                    holder: None,
                    is_asked: false,
                });
            }
            (known, None) => *known = None,
        }
    }

    /// The innermost loop has no such counter.
    pub(super) fn no_parity(&mut self) {
        if let Some(frame) = self.walk.loops.last_mut() {
            frame.parity = None;
        }
    }

    /// Whether the body of the innermost loop relies on its counter's parity.
    pub(super) fn has_parity(&self) -> bool {
        self.parity_holder().is_some()
    }

    /// The variable that holds the parity of the innermost loop's counter.
    fn parity_holder(&self) -> Option<MemoryLocation> {
        self.walk.loops.last()?.parity.as_ref()?.holder.clone()
    }

    /// The body of the innermost loop ends: the counter goes on.
    pub(super) fn end_parity(&mut self) {
        let Some(holder) = self.parity_holder() else {
            return;
        };
        let next = match self.state.get(&holder).as_int() {
            Some(parity) => Val::int(1 - parity),
            None => Val::unknown("the parity of a counter"),
        };
        self.state.set(&holder, next);
    }

    /// Gives the innermost loop the variable that it was found to need; true if it has none yet.
    pub(super) fn hold_parity(&mut self, site: Span) -> bool {
        let parity = self
            .walk
            .loops
            .last()
            .and_then(|frame| frame.parity.as_ref());
        let Some(first) = parity
            .filter(|parity| parity.is_asked && parity.holder.is_none())
            .map(|parity| parity.first)
        else {
            return false;
        };
        let holder = MemoryLocation::var(self.holder_at(site));
        self.state.set(&holder, Val::int(first));
        if let Some(frame) = self.walk.loops.last_mut()
            && let Some(parity) = &mut frame.parity
        {
            parity.holder = Some(holder);
        }
        true
    }

    /// `value % 2` or `value & 1`, where a loop that is being followed says what it is.
    pub(super) fn by_parity(&mut self, op: BinaryOp, left: &Val, right: &Val) -> Option<Val> {
        let is = |value: &Val, number| value.as_int() == Some(number);
        let value = match op {
            BinaryOp::Rem if is(right, 2) => left,
            BinaryOp::BitAnd if is(right, 1) => left,
            BinaryOp::BitAnd if is(left, 1) => right,
            _ => return None,
        };
        let Val::Sym(symbol) = value else {
            return None;
        };
        let parity = self.parity_of(value, DEEPEST)?;
        // The rest of a negative number is negative.
        let low = counted(value, self.at()).map_or(i128::MIN, |counted| counted.range.low);
        let is_rest = op == BinaryOp::BitAnd || parity == 0 || low >= 0;
        let ty = match symbol.ty {
            Some(Num::Int(ty)) => ty,
            _ => IntType::INT,
        };
        is_rest.then_some(Val::Int(parity, ty))
    }

    /// 0 for even numbers, 1 for odd ones.
    fn parity_of(&mut self, value: &Val, depth: u32) -> Option<i128> {
        let symbol = match value {
            Val::Int(value, _) => return Some(value.rem_euclid(2)),
            Val::Zero => return Some(0),
            Val::Sym(symbol) if depth > 0 && is_integer(symbol) => symbol,
            _ => return None,
        };
        let symbol = symbol.clone();
        match &symbol.form {
            Form::Atom(atom) => self.parity_of_counter(*atom),
            Form::Cast(inner, _) => self.parity_of(inner, depth - 1),
            Form::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
                Some(self.parity_of(a, depth - 1)? ^ self.parity_of(b, depth - 1)?)
            }
            Form::Binary(BinaryOp::Mul, a, b) => {
                Some(self.parity_of(a, depth - 1)? & self.parity_of(b, depth - 1)?)
            }
            _ => None,
        }
    }

    fn parity_of_counter(&mut self, atom: u32) -> Option<i128> {
        let mut loops = self.walk.loops.iter_mut().rev();
        let parity =
            loops.find_map(|frame| frame.parity.as_mut().filter(|one| one.atom == atom))?;
        parity.is_asked = true;
        let holder = parity.holder.clone();
        // A call that is found again may be one in another loop.
        self.memo.invalidate();
        self.state.get(&holder?).as_int()
    }

    /// The variable of a loop, reached in this way.
    fn holder_at(&mut self, site: Span) -> VarId {
        let context = self.walk.context.clone();
        let known = self.variables.by_way.get(&(0, site));
        if let Some(&known) = known.and_then(|ways| ways.get(&context)) {
            return known;
        }
        let var = self.new_var(VarInfo::unnamed(Type::default(), 0));
        let ways = self.variables.by_way.entry((0, site)).or_default();
        ways.insert(context, var);
        var
    }
}

/// Whether a number is an integer of more than one bit.
fn is_integer(symbol: &Sym) -> bool {
    matches!(symbol.ty, Some(Num::Int(ty)) if ty != IntType::BOOL)
}
