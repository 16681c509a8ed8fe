//! Numbers that are expressions over values which only the run of a host gives.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An expression over named values of the host, and what holds whatever they are.
///
/// In files it is just the expression where nothing else is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Written", into = "Written")]
#[schemars(with = "Written")]
pub struct Symbolic {
    /// The expression, as the host spells it.
    pub text: String,
    /// Its value is a multiple of this; at least 1.
    pub multiple_of: u64,
    /// Its value is at least this.
    pub min: Option<u64>,
    /// Its value is at most this.
    pub max: Option<u64>,
    /// Expressions that are not greater than it.
    pub at_least: Vec<String>,
    /// The named values in it, and where each comes from.
    pub inputs: BTreeMap<String, String>,
}

impl Symbolic {
    /// An expression of which nothing more is known.
    pub fn new(text: impl Into<String>) -> Symbolic {
        Symbolic {
            text: text.into(),
            multiple_of: 1,
            ..Symbolic::default()
        }
    }
}

/// An expression, as the host spells it, and what else holds of it.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Written {
    /// Just the expression.
    Text(String),
    /// The expression and what holds of its value.
    Full(Full),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Full {
    /// The expression.
    text: String,
    /// Its value is a multiple of this.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    multiple_of: u64,
    /// Its value is at least this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min: Option<u64>,
    /// Its value is at most this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max: Option<u64>,
    /// Expressions that are not greater than it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    at_least: Vec<String>,
    /// The named values in it, and where each comes from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    inputs: BTreeMap<String, String>,
}

fn one() -> u64 {
    1
}

fn is_one(value: &u64) -> bool {
    *value == 1
}

impl From<Written> for Symbolic {
    fn from(written: Written) -> Symbolic {
        match written {
            Written::Text(text) => Symbolic::new(text),
            Written::Full(full) => Symbolic {
                text: full.text,
                multiple_of: full.multiple_of.max(1),
                min: full.min,
                max: full.max,
                at_least: full.at_least,
                inputs: full.inputs,
            },
        }
    }
}

impl From<Symbolic> for Written {
    fn from(symbolic: Symbolic) -> Written {
        if symbolic == Symbolic::new(symbolic.text.as_str()) {
            return Written::Text(symbolic.text);
        }
        Written::Full(Full {
            text: symbolic.text,
            multiple_of: symbolic.multiple_of,
            min: symbolic.min,
            max: symbolic.max,
            at_least: symbolic.at_least,
            inputs: symbolic.inputs,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    #[test]
    fn both_spellings_are_read() {
        let plain = Value::symbolic("n");
        assert_eq!(serde_yaml::to_string(&plain).unwrap(), "!symbolic n\n");
        let mut full = Symbolic::new("n * 256");
        full.multiple_of = 256;
        full.inputs.insert("n".into(), "a result of `atoi`".into());
        for value in [plain, Value::Symbolic(full)] {
            let text = serde_yaml::to_string(&value).unwrap();
            assert_eq!(serde_yaml::from_str::<Value>(&text).unwrap(), value);
        }
    }
}
