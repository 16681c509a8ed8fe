//! What holds of a symbolic number whatever its inputs are: multiples, bounds, and expressions that
//! it is never less than.
//!
//! Signed arithmetic does not overflow in C, and a size that is negative before it becomes a
//! `size_t` launches nothing; sizes that wrap around otherwise keep only what survives that.

use std::collections::BTreeMap;
use std::rc::Rc;

use fpgacc_frontend::source::SourceMap;
use fpgacc_launch_facts::Symbolic;

use crate::number::{IntType, Num};
use crate::symbol::origin;
use crate::syntax::ast::BinaryOp;
use crate::value::{Form, Sym, Val};

/// Deepest nesting of an expression that is looked through.
const DEEPEST: u32 = 24;
/// Most expressions that are tried as lower bounds.
const MOST_BOUNDS: usize = 8;

/// What the counters of loops lie between that are being followed, by the numbers of their atoms.
pub(crate) type Counting = BTreeMap<u32, Counted>;

/// What holds of a loop's counter inside of the loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Counted {
    /// Least and greatest value.
    pub range: Range,
    /// What it is a multiple of; 0 if it is zero.
    pub multiple: u64,
}

/// Where a number is asked for.
#[derive(Clone, Copy)]
pub(crate) struct At<'w> {
    pub sources: &'w SourceMap,
    pub counting: &'w Counting,
}

impl At<'_> {
    /// Whether a number depends on nothing but counters of loops that are being followed.
    pub fn is_counted(self, value: &Val) -> bool {
        let mut atoms = Vec::new();
        collect(value, DEEPEST, &mut atoms);
        let known = |atom: &&Rc<Sym>| self.counting.contains_key(&atom.newest_atom());
        value.as_int().is_some() || !atoms.is_empty() && atoms.iter().all(known)
    }
}

/// What an integer lies between, whichever of several it is, and what it is a multiple of.
pub(crate) fn counted(value: &Val, at: At<'_>) -> Option<Counted> {
    let reader = Reader(at.counting);
    let one = |value: &Val| {
        let is_integer = match value {
            Val::Int(..) | Val::Zero => true,
            Val::Sym(symbol) => matches!(symbol.ty, Some(Num::Int(_))),
            _ => false,
        };
        is_integer.then(|| Counted {
            range: reader.range(value, DEEPEST),
            multiple: reader.multiple(value, DEEPEST),
        })
    };
    let mut all = value.alternatives().iter().map(one);
    let first = all.next()??;
    all.try_fold(first, |known, next| {
        let next = next?;
        Some(Counted {
            range: known.range.with(next.range),
            multiple: gcd(known.multiple, next.multiple),
        })
    })
}

/// All that is known of a symbolic number.
pub(crate) fn known(sym: &Rc<Sym>, at: At<'_>) -> Symbolic {
    let value = Val::Sym(sym.clone());
    let reader = Reader(at.counting);
    let range = reader.range(&value, DEEPEST);
    let natural = match sym.ty {
        Some(Num::Int(ty)) => bounds(ty),
        _ => Range::ALL,
    };
    let mut atoms = Vec::new();
    collect(&value, DEEPEST, &mut atoms);
    let mut inputs = BTreeMap::new();
    for atom in &atoms {
        let origin = origin(&atom.why, atom.at, at.sources);
        inputs.insert(atom.text(), origin);
    }
    Symbolic {
        text: sym.text(),
        multiple_of: match sym.ty {
            Some(Num::Int(_)) => reader.multiple(&value, DEEPEST).max(1),
            _ => 1,
        },
        min: match range.low > natural.low.max(0) {
            true => u64::try_from(range.low).ok(),
            false => None,
        },
        max: match range.high < natural.high && !is_any_type(range.high) {
            true => u64::try_from(range.high).ok(),
            false => None,
        },
        at_least: reader.lower_bounds(&value, sym, &atoms),
        inputs,
    }
}

/// Whether a greatest value is that of all numbers of a type, or larger than any size: it says nothing.
fn is_any_type(high: i128) -> bool {
    let types = [IntType::INT, IntType::UINT];
    high >= bounds(IntType::LONG).high || types.iter().any(|ty| bounds(*ty).high == high)
}

/// The highest number of an atom in a value; 0 if there is none.
pub(crate) fn newest_atom(value: &Val) -> u32 {
    let mut newest = 0;
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        match value {
            Val::OneOf(all) => work.extend(all),
            Val::Tuple(all) => work.extend(&**all),
            Val::Sym(sym) => newest = newest.max(sym.newest_atom()),
            _ => {}
        }
    }
    newest
}

fn collect<'v>(value: &'v Val, depth: u32, atoms: &mut Vec<&'v Rc<Sym>>) {
    let Val::Sym(sym) = value else {
        return;
    };
    match &sym.form {
        _ if depth == 0 => {}
        Form::Atom(_) => {
            if !atoms.contains(&sym) {
                atoms.push(sym);
            }
        }
        form => {
            for operand in form.operands() {
                collect(operand, depth - 1, atoms);
            }
        }
    }
}

/// Least and greatest value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub low: i128,
    pub high: i128,
}

impl Range {
    pub const ALL: Range = Range {
        low: i128::MIN,
        high: i128::MAX,
    };

    pub fn exactly(value: i128) -> Range {
        Range {
            low: value,
            high: value,
        }
    }

    fn of(ends: &[Option<i128>]) -> Range {
        let mut range = Range {
            low: i128::MAX,
            high: i128::MIN,
        };
        for end in ends {
            let Some(end) = end else {
                return Range::ALL;
            };
            range.low = range.low.min(*end);
            range.high = range.high.max(*end);
        }
        range
    }

    pub fn within(self, outer: Range) -> bool {
        self.low >= outer.low && self.high <= outer.high
    }

    /// All from the least of both to the greatest.
    fn with(self, other: Range) -> Range {
        Range {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// From the least of these up to a limit, which may be reached or not.
    pub fn up_to(self, limit: i128, reached: bool) -> Option<Range> {
        let high = limit.checked_sub(i128::from(!reached))?;
        Some(Range { high, ..self })
    }

    /// From the greatest of these down to a limit, which may be reached or not.
    pub fn down_to(self, limit: i128, reached: bool) -> Option<Range> {
        let low = limit.checked_add(i128::from(!reached))?;
        Some(Range { low, ..self })
    }
}

pub(crate) fn bounds(ty: IntType) -> Range {
    match ty.signed {
        true => Range {
            low: -(1 << (ty.bits - 1)),
            high: (1 << (ty.bits - 1)) - 1,
        },
        false => Range {
            low: 0,
            high: (1 << ty.bits) - 1,
        },
    }
}

/// Reads numbers where loops count.
#[derive(Clone, Copy)]
struct Reader<'c>(&'c Counting);

impl Reader<'_> {
    fn range(self, value: &Val, depth: u32) -> Range {
        let sym = match value {
            Val::Int(v, _) => return Range::exactly(*v),
            Val::Zero => return Range::exactly(0),
            Val::Sym(sym) => sym,
            _ => return Range::ALL,
        };
        let Some(Num::Int(ty)) = sym.ty else {
            return Range::ALL;
        };
        let all = bounds(ty);
        let found = match &sym.form {
            _ if depth == 0 => all,
            Form::Atom(number) => self.0.get(number).map_or(all, |counted| counted.range),
            Form::Unary(..) => all,
            Form::Cast(inner, _) => self.range(inner, depth - 1),
            Form::Binary(op, a, b) => {
                binary(*op, self.range(a, depth - 1), self.range(b, depth - 1))
            }
            Form::Call(name, args) => self.extreme(name, args, depth - 1),
        };
        match &sym.form {
            // Converted without a change of its value: negative sizes launch nothing.
            _ if found.within(all) => found,
            Form::Atom(_) => all,
            _ if ty.signed => Range {
                low: found.low.max(all.low),
                high: found.high.min(all.high),
            },
            _ => all,
        }
    }

    fn extreme(self, name: &str, args: &[Val], depth: u32) -> Range {
        let [a, b] = args else {
            return Range::ALL;
        };
        let (a, b) = (self.range(a, depth), self.range(b, depth));
        match name {
            "min" => Range {
                low: a.low.min(b.low),
                high: a.high.min(b.high),
            },
            "max" => Range {
                low: a.low.max(b.low),
                high: a.high.max(b.high),
            },
            _ => Range::ALL,
        }
    }

    /// What the value is a multiple of; 0 if it is zero.
    fn multiple(self, value: &Val, depth: u32) -> u64 {
        use BinaryOp::*;
        let sym = match value {
            Val::Int(v, _) => return u64::try_from(v.unsigned_abs()).unwrap_or(1),
            Val::Zero => return 0,
            Val::Sym(sym) if depth > 0 => sym,
            _ => return 1,
        };
        let Some(Num::Int(ty)) = sym.ty else {
            return 1;
        };
        let found = match &sym.form {
            Form::Cast(a, _) => self.multiple(a, depth - 1),
            Form::Binary(Mul, a, b) => {
                let (a, b) = (self.multiple(a, depth - 1), self.multiple(b, depth - 1));
                a.checked_mul(b).unwrap_or(1)
            }
            Form::Binary(Add | Sub, a, b) => {
                gcd(self.multiple(a, depth - 1), self.multiple(b, depth - 1))
            }
            Form::Binary(Shl, a, Val::Int(by @ 0..=31, _)) => self
                .multiple(a, depth - 1)
                .checked_mul(1 << by)
                .unwrap_or(1),
            Form::Atom(number) => self.0.get(number).map_or(1, |counted| counted.multiple),
            Form::Call(name, args) if matches!(&**name, "min" | "max") => args
                .iter()
                .fold(0, |all, arg| gcd(all, self.multiple(arg, depth - 1))),
            _ => 1,
        };
        match ty.signed || self.no_wrap(value, ty, depth) {
            true => found,
            false => 1 << found.trailing_zeros().min(u32::from(ty.bits) - 1).min(63),
        }
    }

    /// Whether unsigned arithmetic does not wrap around, given inputs that are not negative.
    fn no_wrap(self, value: &Val, ty: IntType, depth: u32) -> bool {
        self.magnitude(value, depth)
            .is_some_and(|most| most <= bounds(ty).high)
    }

    /// The greatest value that the exact result can have.
    fn magnitude(self, value: &Val, depth: u32) -> Option<i128> {
        use BinaryOp::*;
        let sym = match value {
            Val::Int(v, _) => return (*v >= 0).then_some(*v),
            Val::Zero => return Some(0),
            Val::Sym(sym) if depth > 0 => sym,
            _ => return None,
        };
        let Some(Num::Int(ty)) = sym.ty else {
            return None;
        };
        let inner = |v: &Val| self.magnitude(v, depth - 1);
        match &sym.form {
            Form::Cast(a, _) => inner(a).or(Some(bounds(ty).high)),
            Form::Binary(Mul, a, b) => inner(a)?.checked_mul(inner(b)?),
            Form::Binary(Add, a, b) => inner(a)?.checked_add(inner(b)?),
            Form::Binary(Shl, a, Val::Int(by @ 0..=63, _)) => inner(a)?.checked_mul(1 << by),
            Form::Binary(Div | Shr | Rem, a, _) => inner(a),
            Form::Atom(number) if self.0.contains_key(number) => {
                self.0.get(number).map(|counted| counted.range.high)
            }
            Form::Atom(_) => Some(match ty.bits {
                64 => bounds(IntType::LONG).high,
                _ => bounds(ty).high,
            }),
            _ => None,
        }
    }

    /// Atoms, and other operands of it, that the value is never less than.
    fn lower_bounds(self, value: &Val, own: &Sym, atoms: &[&Rc<Sym>]) -> Vec<String> {
        let is_integer = |sym: &Sym| matches!(sym.ty, Some(Num::Int(_)));
        if !is_integer(own) || matches!(own.form, Form::Atom(_)) {
            return Vec::new();
        }
        let candidates = atoms
            .iter()
            .filter(|atom| is_integer(atom) && atom.as_ref() != own);
        candidates
            .take(MOST_BOUNDS)
            .filter(|atom| {
                self.offset_above(value, atom, DEEPEST)
                    .is_some_and(|by| by >= 0)
            })
            .map(|atom| atom.text())
            .collect()
    }

    /// The greatest `k` that is found such that the value is at least `atom + k`.
    fn offset_above(self, value: &Val, atom: &Sym, depth: u32) -> Option<i128> {
        use BinaryOp::*;
        let Val::Sym(sym) = value else {
            return None;
        };
        if **sym == *atom {
            return Some(0);
        }
        if depth == 0 {
            return None;
        }
        let inner = |v: &Val| self.offset_above(v, atom, depth - 1);
        let low = |v: &Val| self.range(v, depth - 1).low;
        match &sym.form {
            Form::Cast(a, _) if widens(a, sym) => inner(a),
            Form::Call(name, args) if &**name == "max" => args.iter().filter_map(inner).max(),
            Form::Binary(Add, a, b) => {
                let left = inner(a).and_then(|k| k.checked_add(low(b)));
                let right = inner(b).and_then(|k| k.checked_add(low(a)));
                left.max(right)
            }
            Form::Binary(Sub, a, Val::Int(k, _)) => inner(a)?.checked_sub(*k),
            Form::Binary(Mul, a, b) => self
                .rounded_up(a, b, atom, depth)
                .or_else(|| self.rounded_up(b, a, atom, depth))
                .or_else(|| self.scaled(a, b, atom, depth))
                .or_else(|| self.scaled(b, a, atom, depth)),
            _ => None,
        }
    }

    /// `x * f` with `f` at least 1 and `x` not negative.
    fn scaled(self, x: &Val, factor: &Val, atom: &Sym, depth: u32) -> Option<i128> {
        let by = self.offset_above(x, atom, depth - 1)?;
        let grows =
            self.range(factor, depth - 1).low >= 1 && by >= 0 && self.range(x, depth - 1).low >= 0;
        grows.then_some(by)
    }

    /// `(x / c) * c`, `(x / c + k) * c` and `ceil(x / c) * c`.
    fn rounded_up(self, count: &Val, step: &Val, atom: &Sym, depth: u32) -> Option<i128> {
        let Val::Sym(sym) = count else {
            return None;
        };
        let positive = |v: &Val| match v {
            Val::Double(c) => *c > 0.0,
            other => self.range(other, depth).low >= 0,
        };
        if !positive(step) {
            return None;
        }
        let inner = |v: &Val| self.rounded_up(v, step, atom, depth.checked_sub(1)?);
        match &sym.form {
            Form::Cast(a, _) if widens(a, sym) => inner(a),
            Form::Binary(BinaryOp::Div, x, c) if same(c, step) => {
                // At least `x - (c - 1)`.
                let by = self.offset_above_with(x, step, atom, depth)?;
                (by >= 0).then_some(by)
            }
            Form::Binary(BinaryOp::Add, a, Val::Int(k, _)) if *k >= 1 => {
                let Val::Sym(quotient) = a else {
                    return None;
                };
                let Form::Binary(BinaryOp::Div, x, c) = &quotient.form else {
                    return None;
                };
                let by = same(c, step).then(|| self.offset_above(x, atom, depth))??;
                (by >= -1).then_some(by + 1)
            }
            Form::Call(name, args) if &**name == "ceil" && sym.ty == Some(Num::Double) => {
                let [Val::Sym(quotient)] = &args[..] else {
                    return None;
                };
                let Form::Binary(BinaryOp::Div, x, c) = &quotient.form else {
                    return None;
                };
                // Exact in double precision, since both are integers of at most 32 bits.
                let (x, c, step) = (exact_integer(x)?, exact_integer(c)?, exact_integer(step)?);
                let by = same(&c, &step).then(|| self.offset_above(&x, atom, depth))??;
                (by >= 0).then_some(by)
            }
            _ => None,
        }
    }

    /// `offset_above` of `x`, less `c - 1`.
    fn offset_above_with(self, x: &Val, c: &Val, atom: &Sym, depth: u32) -> Option<i128> {
        if let Val::Int(c, _) = c {
            return self.offset_above(x, atom, depth)?.checked_sub(c - 1);
        }
        // `n + c - 1`, with a `c` that is not constant, in its usual spellings.
        let is_atom = |v: &Val| matches!(v, Val::Sym(s) if **s == *atom);
        let one = |v: &Val| v.as_int() == Some(1);
        let form = |v: &Val| match v {
            Val::Sym(sym) => match &sym.form {
                Form::Binary(op, a, b) => Some((*op, a.clone(), b.clone())),
                _ => None,
            },
            _ => None,
        };
        use BinaryOp::{Add, Sub};
        let sum_less_one = match form(x)? {
            (Sub, sum, k) if one(&k) => matches!(form(&sum), Some((Add, a, b))
                if (is_atom(&a) && same(&b, c)) || (is_atom(&b) && same(&a, c))),
            (Add, a, b) => {
                let less_one = |v: &Val, whole: &dyn Fn(&Val) -> bool| matches!(form(v), Some((Sub, w, k)) if one(&k) && whole(&w));
                let is_c = |v: &Val| same(v, c);
                (is_atom(&a) && less_one(&b, &is_c))
                    || (is_c(&b) && less_one(&a, &is_atom))
                    || (is_atom(&b) && less_one(&a, &is_c))
                    || (is_c(&a) && less_one(&b, &is_atom))
            }
            _ => false,
        };
        sum_less_one.then_some(0)
    }
}

fn binary(op: BinaryOp, a: Range, b: Range) -> Range {
    use BinaryOp::*;
    let every = |f: fn(i128, i128) -> Option<i128>| {
        Range::of(&[
            f(a.low, b.low),
            f(a.low, b.high),
            f(a.high, b.low),
            f(a.high, b.high),
        ])
    };
    match op {
        Add => every(i128::checked_add),
        Sub => every(i128::checked_sub),
        Mul => every(i128::checked_mul),
        Div if b.low > 0 => every(i128::checked_div),
        Rem if b.low > 0 => Range {
            low: if a.low >= 0 { 0 } else { 1 - b.high },
            high: b.high - 1,
        },
        Shl if b.low == b.high && (0..64).contains(&b.low) => {
            let factor = 1i128 << b.low;
            Range::of(&[a.low.checked_mul(factor), a.high.checked_mul(factor)])
        }
        Shr if b.low == b.high && (0..64).contains(&b.low) => Range {
            low: a.low >> b.low,
            high: a.high >> b.low,
        },
        BitAnd if a.low >= 0 || b.low >= 0 => Range {
            low: 0,
            high: match (a.low >= 0, b.low >= 0) {
                (true, true) => a.high.min(b.high),
                (true, false) => a.high,
                _ => b.high,
            },
        },
        Eq | Ne | Lt | Le | Gt | Ge | And | Or => Range { low: 0, high: 1 },
        _ => Range::ALL,
    }
}

pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn widens(from: &Val, to: &Sym) -> bool {
    match (from, to.ty) {
        (Val::Sym(from), Some(Num::Int(to))) => match from.ty {
            Some(Num::Int(from)) => to.bits >= from.bits,
            // `(size_t)ceil(..)`: what is rounded up to is an integer.
            Some(Num::Double) => true,
            _ => false,
        },
        _ => false,
    }
}

/// The integer of at most 32 bits that was converted to `double`.
fn exact_integer(value: &Val) -> Option<Val> {
    match value {
        Val::Double(v) if v.fract() == 0.0 && v.abs() < 4e9 => Some(Val::size(*v as i128)),
        Val::Int(..) => Some(value.clone()),
        Val::Sym(sym) => match (&sym.form, sym.ty) {
            (_, Some(Num::Int(ty))) if ty.bits <= 32 => Some(value.clone()),
            (Form::Cast(inner, _), Some(Num::Double)) => exact_integer(inner),
            _ => None,
        },
        _ => None,
    }
}

/// Whether two values are the same number.
fn same(a: &Val, b: &Val) -> bool {
    match (a, b) {
        (Val::Int(a, _), Val::Int(b, _)) => a == b,
        (Val::Sym(a), Val::Sym(b)) => a == b,
        _ => false,
    }
}
