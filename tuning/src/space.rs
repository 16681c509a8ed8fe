//! Parameters, their values, and which combinations of these there are.

use std::fmt;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::random::Random;

/// A value of a parameter.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(untagged)]
pub enum Setting {
    /// A number, such as a factor.
    Number(u64),
    /// A word, such as the name of a form.
    Word(String),
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Number(number) => number.fmt(f),
            Setting::Word(word) => word.fmt(f),
        }
    }
}

impl From<u64> for Setting {
    fn from(number: u64) -> Self {
        Setting::Number(number)
    }
}

impl From<&str> for Setting {
    fn from(word: &str) -> Self {
        Setting::Word(word.to_string())
    }
}

/// Something that may be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its values, of which the first changes nothing.
    pub values: Vec<Setting>,
}

impl Parameter {
    /// A parameter with these values.
    pub fn new<T: Into<Setting>>(
        name: impl Into<String>,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        Parameter {
            name: name.into(),
            values: values.into_iter().map(Into::into).collect(),
        }
    }
}

/// What a combination must hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Rule {
    /// A parameter has a value that changes nothing, unless another has one of some values.
    Needs {
        /// The parameter.
        parameter: String,
        /// The value that changes nothing.
        unless: Setting,
        /// The other one.
        needs: String,
        /// The values.
        to_be: Vec<Setting>,
    },
    /// The product of numbers is limited.
    Product {
        /// The parameters.
        product_of: Vec<String>,
        /// The limit.
        at_most: u64,
    },
}

impl Rule {
    /// The parameters that it speaks of.
    pub fn names(&self) -> Vec<&String> {
        match self {
            Rule::Needs {
                parameter, needs, ..
            } => vec![parameter, needs],
            Rule::Product { product_of, .. } => product_of.iter().collect(),
        }
    }
}

/// A combination of values, by name.
pub type Point = IndexMap<String, Setting>;

/// What may be chosen together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Space {
    /// What may be chosen.
    pub parameters: Vec<Parameter>,
    /// What combinations must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
}

impl Space {
    /// How many combinations there would be without rules.
    pub fn product(&self) -> u128 {
        let sizes = self.parameters.iter().map(|one| one.values.len() as u128);
        sizes.fold(1, u128::saturating_mul)
    }

    /// The combinations that hold all rules, in the order of the values, the last parameter first; no more than `most`.
    pub fn points(&self, most: usize) -> Vec<Point> {
        let mut points = Vec::new();
        self.extend(&mut Vec::new(), &mut points, most);
        points
    }

    fn extend<'s>(&'s self, chosen: &mut Vec<&'s Setting>, points: &mut Vec<Point>, most: usize) {
        if points.len() == most || !self.rules.iter().all(|rule| self.holds(rule, chosen)) {
            return;
        }
        let Some(parameter) = self.parameters.get(chosen.len()) else {
            let names = self.parameters.iter().map(|one| one.name.clone());
            points.push(names.zip(chosen.iter().map(|&one| one.clone())).collect());
            return;
        };
        for value in &parameter.values {
            chosen.push(value);
            self.extend(chosen, points, most);
            chosen.pop();
        }
    }

    /// Whether a rule holds for the values that are chosen yet.
    fn holds(&self, rule: &Rule, chosen: &[&Setting]) -> bool {
        let index = |name: &String| self.parameters.iter().position(|one| one.name == *name);
        let value = |name: &String| chosen.get(index(name)?).copied();
        match rule {
            Rule::Needs {
                parameter,
                unless,
                needs,
                to_be,
            } => {
                let is_neutral = value(parameter).is_none_or(|value| value == unless);
                is_neutral || value(needs).is_none_or(|value| to_be.contains(value))
            }
            Rule::Product {
                product_of,
                at_most,
            } => {
                let numbers = product_of.iter().filter_map(value);
                let product = numbers.fold(1, |product: u64, value| match value {
                    Setting::Number(number) => product.saturating_mul(*number),
                    Setting::Word(_) => product,
                });
                product <= *at_most
            }
        }
    }

    /// Whether a combination has a value for each parameter, and holds all rules.
    pub fn has(&self, point: &Point) -> bool {
        let chosen: Option<Vec<&Setting>> = (self.parameters.iter())
            .map(|one| point.get(&one.name).filter(|v| one.values.contains(v)))
            .collect();
        let is_complete = point.len() == self.parameters.len();
        let holds = |chosen: Vec<&Setting>| self.rules.iter().all(|rule| self.holds(rule, &chosen));
        is_complete && chosen.is_some_and(holds)
    }

    /// The combination of all first values.
    pub fn first(&self) -> Point {
        let first = |one: &Parameter| Some((one.name.clone(), one.values.first()?.clone()));
        self.parameters.iter().filter_map(first).collect()
    }

    /// The indices of a point's values among those of each parameter.
    pub fn indices(&self, point: &Point) -> Vec<usize> {
        let index = |one: &Parameter| {
            let value = point.get(&one.name)?;
            one.values.iter().position(|own| own == value)
        };
        let indices = self.parameters.iter().map(index);
        indices.map(Option::unwrap_or_default).collect()
    }

    /// A point whose values are drawn one after the other, each of those that hold the rules; `None`: the values that came
    /// first leave none for another.
    pub(crate) fn draw(&self, random: &mut Random) -> Option<Point> {
        let mut chosen: Vec<&Setting> = Vec::new();
        for parameter in &self.parameters {
            let mut left = Vec::new();
            for value in &parameter.values {
                chosen.push(value);
                if self.rules.iter().all(|rule| self.holds(rule, &chosen)) {
                    left.push(value);
                }
                chosen.pop();
            }
            if left.is_empty() {
                return None;
            }
            chosen.push(left[random.below(left.len())]);
        }
        let names = self.parameters.iter().map(|one| one.name.clone());
        Some(names.zip(chosen.into_iter().cloned()).collect())
    }

    /// The points that another value of one parameter leads to. What needs the value that was there takes the value that
    /// changes nothing; what breaks another rule is no neighbour.
    pub fn neighbours(&self, point: &Point) -> Vec<Point> {
        let mut found = Vec::new();
        for parameter in &self.parameters {
            for value in &parameter.values {
                if point.get(&parameter.name) == Some(value) {
                    continue;
                }
                let mut other = point.clone();
                other.insert(parameter.name.clone(), value.clone());
                self.mend(&mut other);
                if other.get(&parameter.name) == Some(value) && self.has(&other) {
                    found.push(other);
                }
            }
        }
        found
    }

    /// Gives parameters that need what is not there the value that changes nothing.
    fn mend(&self, point: &mut Point) {
        for _ in 0..self.rules.len() {
            let broken = self.rules.iter().find_map(|rule| match rule {
                Rule::Needs {
                    parameter,
                    unless,
                    needs,
                    to_be,
                } if point.get(parameter) != Some(unless)
                    && !point.get(needs).is_some_and(|value| to_be.contains(value)) =>
                {
                    Some((parameter, unless))
                }
                _ => None,
            });
            let Some((parameter, unless)) = broken else {
                return;
            };
            point.insert(parameter.clone(), unless.clone());
        }
    }

    /// A point as numbers between 0 and 1, for distances: the index of a number among the numbers, on a logarithmic
    /// scale; a index of its own for each word.
    pub fn features(&self, point: &Point) -> Vec<f64> {
        let mut features = Vec::new();
        for parameter in &self.parameters {
            let value = point.get(&parameter.name);
            let numbers: Option<Vec<f64>> = parameter.values.iter().map(scale).collect();
            match (numbers, value.and_then(scale)) {
                (Some(all), Some(own)) => {
                    let least = all.iter().copied().fold(f64::MAX, f64::min);
                    let most = all.iter().copied().fold(f64::MIN, f64::max);
                    features.push(match most > least {
                        true => (own - least) / (most - least),
                        false => 0.0,
                    });
                }
                _ => {
                    let others = parameter.values.iter().skip(1);
                    features.extend(others.map(|word| f64::from(u8::from(value == Some(word)))));
                }
            }
        }
        features
    }
}

fn scale(value: &Setting) -> Option<f64> {
    match value {
        Setting::Number(number) => Some((*number as f64 + 1.0).log2()),
        Setting::Word(_) => None,
    }
}

/// A point as text: what is not as at first.
pub fn describe(space: &Space, point: &Point) -> String {
    let first = space.first();
    let other = point
        .iter()
        .filter(|(name, value)| first.get(*name) != Some(value));
    let describe: Vec<String> = other
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    match describe.is_empty() {
        true => "as it is".to_string(),
        false => describe.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space() -> Space {
        Space {
            parameters: vec![
                Parameter::new("form", ["ndrange", "swi"]),
                Parameter::new("simd", [1, 2, 4]),
                Parameter::new("units", [1, 2, 4]),
            ],
            rules: vec![
                Rule::Needs {
                    parameter: "simd".into(),
                    unless: 1.into(),
                    needs: "form".into(),
                    to_be: vec!["ndrange".into()],
                },
                Rule::Product {
                    product_of: vec!["simd".into(), "units".into()],
                    at_most: 4,
                },
            ],
        }
    }

    #[test]
    fn points_hold_all_rules() {
        let points = space().points(100);
        // NDRanges: 9 without the three products beyond 4; single work-items: simd 1.
        assert_eq!(points.len(), 6 + 3);
        assert!(points.iter().all(|point| space().has(point)));
        assert_eq!(points[0], space().first());
        let mut wrong = points[0].clone();
        wrong.insert("simd".into(), 3.into());
        assert!(!space().has(&wrong));
        wrong.insert("simd".into(), 4.into());
        assert!(space().has(&wrong));
        wrong.insert("form".into(), "swi".into());
        assert!(!space().has(&wrong));
        wrong.shift_remove("form");
        assert!(!space().has(&wrong));
        assert_eq!(space().points(2).len(), 2);
    }

    #[test]
    fn every_point_is_reached_from_neighbour_to_neighbour() {
        let space = space();
        let mut found = vec![space.first()];
        let mut at = 0;
        while at < found.len() {
            for point in space.neighbours(&found[at]) {
                assert!(space.has(&point), "{point:?}");
                if !found.contains(&point) {
                    found.push(point);
                }
            }
            at += 1;
        }
        assert_eq!(found.len(), space.points(100).len());
        // The other form is a neighbour of all, whatever it cannot have.
        let last = &space.points(100)[5];
        assert!(
            space
                .neighbours(last)
                .iter()
                .any(|point| point["form"] == "swi".into())
        );
    }

    #[test]
    fn every_point_is_drawn() {
        let space = space();
        let mut random = Random::new(1);
        let mut drawn: Vec<Vec<usize>> = (0..500)
            .filter_map(|_| space.draw(&mut random))
            .map(|point| space.indices(&point))
            .collect();
        drawn.sort();
        drawn.dedup();
        assert_eq!(drawn.len(), space.points(100).len());
    }

    #[test]
    fn features_lie_between_0_and_1() {
        let points = space().points(100);
        let features: Vec<Vec<f64>> = points.iter().map(|p| space().features(p)).collect();
        assert_eq!(features[0], [0.0; 3]);
        assert_eq!(features.last().unwrap(), &[1.0, 0.0, 1.0]);
        let mut distinct = features.clone();
        distinct.sort_by(|a, b| a.partial_cmp(b).unwrap());
        distinct.dedup();
        assert_eq!(distinct.len(), points.len());
    }

    #[test]
    fn words_tell_what_differs() {
        let points = space().points(100);
        assert_eq!(describe(&space(), &points[0]), "as it is");
        assert_eq!(describe(&space(), &points[1]), "units=2");
    }
}
