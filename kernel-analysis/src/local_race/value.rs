//! What work-items have: a value each, of which some are known only to be the same in all of them.

use fpgacc_frontend::ir::{BinaryOp, FunctionId, UnaryOp, VarId};

use crate::constant;
use crate::work_item::Quantity;

/// A number that nobody knows, the same in all work-items of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    Parameter(VarId),
    Query(Quantity, u8),
    /// The result of an operation on such numbers.
    Computed(usize),
}

/// A variable in `__local` memory, or a parameter that points there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Root {
    pub function: FunctionId,
    pub var: VarId,
}

impl Root {
    pub fn of(function: FunctionId, var: VarId) -> Self {
        Root { function, var }
    }
}

/// What a work-item has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Unknown,
    Int(i128),
    /// A number that nobody knows, and what is added to it.
    Sum(Symbol, i128),
    /// A truth: where it holds for one work-item, it holds for all with a lower rank.
    Ranked(i128),
    /// Bytes after the start of local memory.
    Pointer(Root, i64),
}

impl Value {
    pub fn truth(self) -> Option<bool> {
        match self {
            Value::Int(value) => Some(value != 0),
            Value::Pointer(..) => Some(true),
            Value::Unknown | Value::Sum(..) | Value::Ranked(_) => None,
        }
    }

    /// The number that is not known, and what is added to it.
    fn parts(self) -> Option<(Option<Symbol>, i128)> {
        match self {
            Value::Int(value) => Some((None, value)),
            Value::Sum(symbol, value) => Some((Some(symbol), value)),
            Value::Unknown | Value::Ranked(_) | Value::Pointer(..) => None,
        }
    }
}

/// Whether all work-items have the same.
pub fn are_same(values: &[Value]) -> bool {
    let first = values.first();
    first.is_some_and(|first| *first != Value::Unknown && values.iter().all(|value| value == first))
}

/// An operation on numbers of which not all are known. That none wraps is taken for granted.
pub fn combined(op: BinaryOp, left: Value, right: Value) -> Value {
    let (Some((a, left)), Some((b, right))) = (left.parts(), right.parts()) else {
        return Value::Unknown;
    };
    if a == b {
        let keeps = matches!(op, BinaryOp::Sub) || op.is_comparison();
        let value = constant::binary(op, left, right).filter(|_| keeps);
        return value.map_or(Value::Unknown, Value::Int);
    }
    match (op, a, b) {
        (BinaryOp::Add, Some(symbol), None) | (BinaryOp::Add, None, Some(symbol)) => {
            Value::Sum(symbol, left + right)
        }
        (BinaryOp::Sub, Some(symbol), None) => Value::Sum(symbol, left - right),
        (BinaryOp::Lt | BinaryOp::Le, ..) => Value::Ranked(left - right),
        (BinaryOp::Gt | BinaryOp::Ge, ..) => Value::Ranked(right - left),
        _ => Value::Unknown,
    }
}

/// `&&` and `||`.
pub fn joined(op: BinaryOp, left: Value, right: Value) -> Value {
    let decides = op == BinaryOp::Or;
    match (left.truth(), right.truth()) {
        (Some(truth), _) | (_, Some(truth)) if truth == decides => Value::Int(i128::from(truth)),
        (Some(_), Some(truth)) => Value::Int(i128::from(truth)),
        (Some(_), None) => right,
        (None, Some(_)) => left,
        (None, None) => match (left, right) {
            (Value::Ranked(a), Value::Ranked(b)) if decides => Value::Ranked(a.min(b)),
            (Value::Ranked(a), Value::Ranked(b)) => Value::Ranked(a.max(b)),
            (Value::Ranked(rank), Value::Sum(..)) | (Value::Sum(..), Value::Ranked(rank)) => {
                Value::Ranked(rank)
            }
            _ => Value::Unknown,
        },
    }
}

/// An operation on a number that is known.
pub fn unary(op: UnaryOp, value: i128) -> Option<i128> {
    Some(match op {
        UnaryOp::Plus => value,
        UnaryOp::Minus => -value,
        UnaryOp::Complement => !value,
        UnaryOp::Not => i128::from(value == 0),
        UnaryOp::Deref | UnaryOp::AddressOf => return None,
    })
}

/// Another location, so many elements of a size away.
pub fn moved(var: Root, from: i64, by: i128, size: i64) -> Value {
    let by = i64::try_from(by).ok().and_then(|by| by.checked_mul(size));
    match by.and_then(|by| from.checked_add(by)) {
        Some(at) => Value::Pointer(var, at),
        None => Value::Unknown,
    }
}
