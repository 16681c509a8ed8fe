//! What facts cannot say, refused where it is read: the file's place is known then.

use serde::de::{Deserialize, Deserializer, Error};

use super::{Known, LocalSize, ProgramSource, Value};

/// The most work-items in a dimension: their numbers are `int`.
const MOST_ITEMS: u64 = i32::MAX as u64;
/// The most arguments of a kernel.
const MOST_ARGUMENTS: u32 = 4096;

/// The sources of a program.
pub(super) fn sources<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Known<Vec<ProgramSource>>, D::Error> {
    let sources = Known::<Vec<ProgramSource>>::deserialize(from)?;
    match &sources {
        Known::Is(pieces) if pieces.is_empty() => Err(D::Error::custom(
            "a program has at least one source; where it is not known, say `unknown` and why",
        )),
        _ => Ok(sources),
    }
}

/// `work_dim`
pub(super) fn dimensions<'de, D: Deserializer<'de>>(from: D) -> Result<Value, D::Error> {
    let value = value(from)?;
    if numbers(&value).all(|number| (1..=3).contains(&number)) {
        return Ok(value);
    }
    Err(D::Error::custom("work_dim is 1, 2 or 3"))
}

/// A number.
pub(super) fn value<'de, D: Deserializer<'de>>(from: D) -> Result<Value, D::Error> {
    let value = Value::deserialize(from)?;
    check(&value).map_err(D::Error::custom)?;
    Ok(value)
}

/// A number that may be missing.
pub(super) fn option<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    let value = Option::<Value>::deserialize(from)?;
    if let Some(value) = &value {
        check(value).map_err(D::Error::custom)?;
    }
    Ok(value)
}

/// A number a dimension.
pub(super) fn range<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Value>, D::Error> {
    let values = Vec::<Value>::deserialize(from)?;
    check_all(&values).map_err(D::Error::custom)?;
    Ok(values)
}

/// `local_work_size`
pub(super) fn local<'de, D: Deserializer<'de>>(from: D) -> Result<LocalSize, D::Error> {
    let local = LocalSize::deserialize(from)?;
    if let LocalSize::Sizes(sizes) = &local {
        check_all(sizes).map_err(D::Error::custom)?;
        let mut all = sizes.iter().flat_map(numbers);
        if let Some(wrong) = all.find(|size| !(1..=MOST_ITEMS).contains(size)) {
            let message = format!("a local size is from 1 to {MOST_ITEMS}, not {wrong}");
            return Err(D::Error::custom(message));
        }
    }
    Ok(local)
}

/// The index of an argument.
pub(super) fn index<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    let index = u32::deserialize(from)?;
    match index < MOST_ARGUMENTS {
        true => Ok(index),
        false => Err(D::Error::custom(format!(
            "a kernel has no argument {index}: indices start at 0"
        ))),
    }
}

fn check_all(values: &[Value]) -> Result<(), String> {
    if values.len() > 3 {
        return Err(format!(
            "a range has at most 3 dimensions, not {}",
            values.len()
        ));
    }
    values.iter().try_for_each(check)
}

fn check(value: &Value) -> Result<(), String> {
    let problem = match value {
        Value::OneOf(all) if all.is_empty() => "`one_of` names at least one number",
        Value::AnyOf(all) if all.is_empty() => "`any_of` names at least one value",
        Value::AnyOf(all) => return all.iter().try_for_each(check),
        Value::Range { step: 0, .. } => "the `step` of a range is at least 1",
        Value::Range { min, max, .. } if min > max => "the `min` of a range is at most its `max`",
        _ => return Ok(()),
    };
    Err(problem.to_string())
}

/// The numbers that a value names: all, or the least and the greatest.
fn numbers(value: &Value) -> Box<dyn Iterator<Item = u64> + '_> {
    match value {
        Value::Const(number) => Box::new(std::iter::once(*number)),
        Value::OneOf(all) => Box::new(all.iter().copied()),
        Value::AnyOf(all) => Box::new(all.iter().flat_map(numbers)),
        Value::Range { min, max, .. } => Box::new([*min, *max].into_iter()),
        Value::Symbolic(_) | Value::Unknown(_) => Box::new(std::iter::empty()),
    }
}
