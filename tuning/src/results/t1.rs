//! The space in the T1 format of the auto-tuning community (the input that its tuners read; version 1.0.0 of its schema is
//! part of Kernel Tuner).

use serde_json::{Value, json};

use crate::space::{Rule, Setting, Space};

/// What the format wants to know of a program besides its space.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The kernels' file.
    pub file: &'a str,
    /// The first of its kernels.
    pub kernel: &'a str,
}

/// The space of a program. Its sizes are the host's, which no tuner sets.
pub fn t1(space: &Space, program: Program<'_>) -> Value {
    let parameters: Vec<Value> = space
        .parameters
        .iter()
        .map(|parameter| {
            let is_number = parameter
                .values
                .iter()
                .all(|value| matches!(value, Setting::Number(_)));
            json!({
                "Name": name(&parameter.name),
                "Type": if is_number { "int" } else { "string" },
                "Values": list(&parameter.values),
                "Default": parameter.values.first().map(ToString::to_string),
            })
        })
        .collect();
    let conditions: Vec<Value> = space
        .rules
        .iter()
        .map(|rule| {
            let names: Vec<String> = rule.names().into_iter().map(|one| name(one)).collect();
            json!({ "Parameters": names, "Expression": expression(rule) })
        })
        .collect();
    json!({
        "General": { "FormatVersion": 1, "TimeUnit": "Milliseconds", "OutputFormat": "JSON" },
        "ConfigurationSpace": { "TuningParameters": parameters, "Conditions": conditions },
        "KernelSpecification": {
            "Language": "OpenCL",
            "KernelName": program.kernel,
            "KernelFile": program.file,
            "GlobalSizeType": "OpenCL",
            "GlobalSize": { "X": "1" },
            "LocalSize": { "X": "1" },
        },
    })
}

/// As names of variables, which conditions consist of.
fn name(of: &str) -> String {
    of.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

/// A value in Python, which the format's lists and conditions are in.
fn value(of: &Setting) -> String {
    match of {
        Setting::Number(number) => number.to_string(),
        Setting::Word(word) => format!("'{}'", word.replace('\\', "\\\\").replace('\'', "\\'")),
    }
}

fn list(values: &[Setting]) -> String {
    let values: Vec<String> = values.iter().map(value).collect();
    format!("[{}]", values.join(", "))
}

fn expression(rule: &Rule) -> String {
    match rule {
        Rule::Needs {
            parameter,
            unless,
            needs,
            to_be,
        } => format!(
            "{} == {} or {} in {}",
            name(parameter),
            value(unless),
            name(needs),
            list(to_be)
        ),
        Rule::Product {
            product_of,
            at_most,
        } => {
            let names: Vec<String> = product_of.iter().map(|one| name(one)).collect();
            format!("{} <= {at_most}", names.join(" * "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::account::tests::space;
    use super::*;

    #[test]
    fn the_space_has_what_the_schema_wants() {
        let written = t1(
            &space(),
            Program {
                file: "k.cl",
                kernel: "k",
            },
        );
        let space = &written["ConfigurationSpace"];
        for parameter in space["TuningParameters"].as_array().unwrap() {
            assert!(
                ["Name", "Type", "Values"]
                    .iter()
                    .all(|field| parameter[field].is_string())
            );
        }
        let types: Vec<&Value> = space["TuningParameters"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["Type"])
            .collect();
        assert_eq!(types, ["string", "int"]);
        let conditions: Vec<&str> = (space["Conditions"].as_array().unwrap().iter())
            .map(|one| one["Expression"].as_str().unwrap())
            .collect();
        assert_eq!(
            conditions,
            ["k_coarsen == 1 or k_form in ['ndrange']", "k_coarsen <= 4"]
        );
        let kernel = &written["KernelSpecification"];
        for field in ["Language", "KernelName", "KernelFile"] {
            assert!(kernel[field].is_string(), "{field}");
        }
        assert!(kernel["GlobalSize"]["X"].is_string() && kernel["LocalSize"]["X"].is_string());
    }
}
