//! Values of the analysis as launch facts, and facts where several ways meet.

use fpgacc_launch_facts::{ArgValue, Symbolic, Value};

use crate::symbolic::{self, At};
use crate::value::Val;

/// Most alternatives of a fact.
const MOST_ALTERNATIVES: usize = 32;

/// What a kernel argument was set to, from a kernel object's store.
pub(crate) fn joined_arg(value: &Val) -> ArgValue {
    let mut result: Option<ArgValue> = None;
    for value in value.alternatives() {
        let one = match value {
            Val::Arg(arg) => arg.fact.clone(),
            Val::Unset => continue,
            Val::Unknown(reason) => ArgValue::Unknown(reason.to_string()),
            other => ArgValue::Unknown(other.describe()),
        };
        result = Some(match result {
            None => one,
            Some(now) => merge_args(&now, &one),
        });
    }
    result.unwrap_or_else(|| ArgValue::Unknown("it is not set".to_string()))
}

/// An argument that is one of two.
pub(crate) fn merge_args(a: &ArgValue, b: &ArgValue) -> ArgValue {
    match (a, b) {
        _ if a == b => a.clone(),
        (ArgValue::Unknown(_), _) => a.clone(),
        (_, ArgValue::Unknown(_)) => b.clone(),
        (ArgValue::Scalar(a), ArgValue::Scalar(b)) => ArgValue::Scalar(merge_values(a, b)),
        (ArgValue::Local(a), ArgValue::Local(b)) => ArgValue::Local(merge_values(a, b)),
        _ => match (a.memory(), b.memory()) {
            (Some(a), Some(b)) => merge_memory(a, b),
            _ => ArgValue::Unknown("it differs from path to path".to_string()),
        },
    }
}

fn merge_memory(a: &[String], b: &[String]) -> ArgValue {
    let mut all = [a, b].concat();
    all.sort();
    all.dedup();
    match all.len() > MOST_ALTERNATIVES {
        true => ArgValue::Unknown("it is one of many memory objects".to_string()),
        false => ArgValue::AnyOf(all),
    }
}

/// A value that is one of two.
pub(crate) fn merge_values(a: &Value, b: &Value) -> Value {
    match (a, b) {
        _ if a == b => a.clone(),
        (Value::Unknown(_), _) => a.clone(),
        (_, Value::Unknown(_)) => b.clone(),
        _ => any_of(alternatives(a).chain(alternatives(b)).cloned().collect()),
    }
}

fn alternatives(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::AnyOf(all) => Box::new(all.iter()),
        one => Box::new(std::iter::once(one)),
    }
}

/// One of several values.
fn any_of(values: Vec<Value>) -> Value {
    let mut numbers = Vec::new();
    // Of numbers that are too many to be listed, what all distances are multiples of.
    let mut step = 0;
    let mut others: Vec<Value> = Vec::new();
    for value in values {
        match value {
            Value::Const(number) => numbers.push(number),
            Value::OneOf(more) => numbers.extend(more),
            Value::Range { min, max, step: by } => {
                numbers.extend([min, max]);
                step = symbolic::gcd(step, by);
            }
            Value::Unknown(_) => return value,
            other if others.contains(&other) => {}
            Value::Symbolic(new) => match others.iter_mut().find_map(|o| same_text(o, &new)) {
                Some(known) => unite(known, &new),
                None => others.push(Value::Symbolic(new)),
            },
            other => others.push(other),
        }
    }
    numbers.sort_unstable();
    numbers.dedup();
    if others.is_empty() && (step > 0 || numbers.len() > MOST_ALTERNATIVES) {
        return range_of(&numbers, step);
    }
    if step > 0 || numbers.len() + others.len() > MOST_ALTERNATIVES {
        return Value::Unknown("it has many different values, depending on the path".to_string());
    }
    match (&numbers[..], others.is_empty()) {
        ([one], true) => Value::Const(*one),
        (_, true) => Value::OneOf(numbers),
        _ => {
            let mut all: Vec<Value> = numbers.into_iter().map(Value::Const).collect();
            all.append(&mut others);
            match all.len() {
                1 => all.remove(0),
                _ => Value::AnyOf(all),
            }
        }
    }
}

/// All numbers from the first of these to the last at such distances. There are some, in order.
fn range_of(numbers: &[u64], step: u64) -> Value {
    let (min, max) = (numbers[0], numbers[numbers.len() - 1]);
    let distances = numbers.iter().map(|number| number - min);
    match distances.fold(step, symbolic::gcd) {
        0 => Value::Const(min),
        step => Value::Range { min, max, step },
    }
}

/// A value that is spelled like an expression.
fn same_text<'v>(value: &'v mut Value, new: &Symbolic) -> Option<&'v mut Symbolic> {
    match value {
        Value::Symbolic(known) if known.text == new.text => Some(known),
        _ => None,
    }
}

/// What holds of an expression in two locations, with inputs of the same names.
fn unite(known: &mut Symbolic, new: &Symbolic) {
    known.multiple_of = symbolic::gcd(known.multiple_of, new.multiple_of);
    known.min = known.min.zip(new.min).map(|(a, b)| a.min(b));
    known.max = known.max.zip(new.max).map(|(a, b)| a.max(b));
    known.at_least.retain(|bound| new.at_least.contains(bound));
    for (name, origin) in &new.inputs {
        let origins = known.inputs.entry(name.clone()).or_default();
        if origins.is_empty() {
            *origins = origin.clone();
        } else if !origins.split("; ").any(|o| o == origin) {
            *origins = format!("{origins}; {origin}");
        }
    }
}

/// A number as a fact.
pub(crate) fn to_value(value: &Val, at: At<'_>) -> Value {
    match value {
        Val::Int(v, _) => match u64::try_from(*v) {
            Ok(v) => Value::Const(v),
            Err(_) => Value::symbolic(v.to_string()),
        },
        Val::Zero => Value::Const(0),
        Val::Float(v) => Value::symbolic(format!("{v:?}f")),
        Val::Double(v) => Value::symbolic(format!("{v:?}")),
        Val::Sym(sym) => Value::Symbolic(symbolic::known(sym, at)),
        Val::Unknown(reason) => Value::Unknown(reason.to_string()),
        Val::Unset => Value::Unknown("it is not set on any path to this point".to_string()),
        Val::OneOf(all) => any_of(all.iter().map(|v| to_value(v, at)).collect()),
        other => Value::Unknown(format!("it is {}", other.describe())),
    }
}
