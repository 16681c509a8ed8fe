//! Spaces as files: what may be chosen, to read, to restrict and to give back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::space::{Rule, Space};

/// The version of the format.
pub const FORMAT_VERSION: u32 = 1;

/// The file of `--space`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpaceFile {
    /// [`FORMAT_VERSION`].
    pub version: u32,
    /// The values that may be chosen, by parameter. A parameter that is left out keeps its first value.
    pub parameters: Vec<crate::space::Parameter>,
    /// Further rules; those that the program itself makes always hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Fault {
    /// What is wrong.
    pub what: String,
    /// A way out, if there is one to name.
    pub help: Option<String>,
    /// What stands at the position at fault; empty: the position is known otherwise.
    pub word: String,
    /// Line and column, from 1, if YAML gives them.
    pub position: Option<(usize, usize)>,
}

impl Fault {
    /// One that has no position.
    pub fn of(what: String) -> Self {
        Fault::at("", what, None)
    }

    fn at(word: &str, what: String, help: Option<String>) -> Self {
        Fault {
            what,
            help,
            word: word.to_string(),
            position: None,
        }
    }
}

/// The JSON schema of the file.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(SpaceFile)
}

/// A space as a file.
pub fn text(space: &Space) -> String {
    let file = SpaceFile {
        version: FORMAT_VERSION,
        parameters: space.parameters.clone(),
        rules: space.rules.clone(),
    };
    serde_yaml::to_string(&file).expect("numbers, texts and lists of these")
}

/// Reads a file.
///
/// # Errors
/// It is no file of a space.
pub fn read(text: &str) -> Result<SpaceFile, Fault> {
    let reader = serde_yaml::Deserializer::from_str(text);
    let file: SpaceFile = serde_path_to_error::deserialize(reader).map_err(|error| {
        let path = error.path().to_string();
        let error = error.into_inner();
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        Fault {
            what: match path.as_str() {
                "." => format!("not a space: {message}"),
                path => format!(
                    "not a space: {path}: {}",
                    message.trim_start_matches(&format!("{path}: "))
                ),
            },
            help: Some("fpgacc tune --show-space shows the format".to_string()),
            word: String::new(),
            position: error
                .location()
                .map(|position| (position.line(), position.column())),
        }
    })?;
    match file.version {
        FORMAT_VERSION => Ok(file),
        other => Err(Fault::at(
            "version",
            format!("a space of version {other}, not {FORMAT_VERSION}"),
            Some("make it again: fpgacc tune --show-space".to_string()),
        )),
    }
}

/// The part of a space that a file leaves.
///
/// # Errors
/// The file names what the space does not have.
pub fn restricted(space: &Space, file: &SpaceFile) -> Result<Space, Fault> {
    let mut left = space.clone();
    for given in &file.parameters {
        let Some(own) = space.parameters.iter().find(|own| own.name == given.name) else {
            let names = space.parameters.iter().map(|one| one.name.as_str());
            let names: Vec<&str> = names.collect();
            return Err(Fault::at(
                &given.name,
                format!("there is no parameter '{}'", given.name),
                Some(format!("there are {}", names.join(", "))),
            ));
        };
        if given.values.is_empty() {
            let what = format!("'{}' has no value", given.name);
            return Err(Fault::at(
                &given.name,
                what,
                Some("name one, or leave the parameter out".into()),
            ));
        }
        if let Some(wrong) = given
            .values
            .iter()
            .find(|value| !own.values.contains(value))
        {
            let values: Vec<String> = own.values.iter().map(ToString::to_string).collect();
            return Err(Fault::at(
                &given.name,
                format!("'{}' cannot be {wrong}", given.name),
                Some(format!("it can be {}", values.join(", "))),
            ));
        }
    }
    for own in &mut left.parameters {
        let given = file.parameters.iter().find(|given| given.name == own.name);
        match given {
            Some(given) => own.values.retain(|value| given.values.contains(value)),
            None => own.values.truncate(1),
        }
    }
    let is_own = |rule: &Rule| space.rules.contains(rule);
    for rule in file.rules.iter().filter(|rule| !is_own(rule)) {
        let names = rule.names();
        let is_known = |name: &&String| space.parameters.iter().any(|own| own.name == **name);
        if let Some(unknown) = names.iter().find(|name| !is_known(name)) {
            let what = format!("a rule speaks of '{unknown}', which is no parameter");
            return Err(Fault::at(unknown, what, None));
        }
        left.rules.push(rule.clone());
    }
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Parameter;

    fn space() -> Space {
        Space {
            parameters: vec![
                Parameter::new("k.form", ["ndrange", "swi"]),
                Parameter::new("k.coarsen", [1, 2, 4]),
            ],
            rules: vec![Rule::Needs {
                parameter: "k.coarsen".into(),
                unless: 1.into(),
                needs: "k.form".into(),
                to_be: vec!["ndrange".into()],
            }],
        }
    }

    fn fault(text: &str) -> String {
        match read(text).and_then(|file| restricted(&space(), &file)) {
            Ok(_) => "none".to_string(),
            Err(fault) => fault.what,
        }
    }

    #[test]
    fn what_is_shown_is_read_and_restricts_nothing() {
        let file = read(&text(&space())).unwrap();
        assert_eq!(restricted(&space(), &file).unwrap(), space());
    }

    #[test]
    fn values_and_parameters_are_left_out() {
        let file = read("version: 1\nparameters: [{name: k.coarsen, values: [4, 1]}]\n").unwrap();
        let left = restricted(&space(), &file).unwrap();
        assert_eq!(left.points(9).len(), 2);
        assert_eq!(left.parameters[0].values.len(), 1);
    }

    #[test]
    fn faults_say_what_and_where() {
        let wrong = "version: 1\nparameters: [{name: k.coarsen, values: [3]}]\n";
        assert_eq!(fault(wrong), "'k.coarsen' cannot be 3");
        let unknown = "version: 1\nparameters: [{name: k.simd, values: [1]}]\n";
        assert_eq!(fault(unknown), "there is no parameter 'k.simd'");
        let none = "version: 1\nparameters: [{name: k.form, values: []}]\n";
        assert_eq!(fault(none), "'k.form' has no value");
        assert_eq!(
            fault("version: 2\nparameters: []\n"),
            "a space of version 2, not 1"
        );
        let field = read("version: 1\nparameters: [{nam: x}]\n").unwrap_err();
        assert!(field.what.contains("parameters[0]"), "{field}");
        assert_eq!(field.position.map(|(line, _)| line), Some(2));
        let rule = "version: 1\nparameters: []\nrules: [{product_of: [k.x], at_most: 2}]\n";
        assert_eq!(fault(rule), "a rule speaks of 'k.x', which is no parameter");
    }
}
