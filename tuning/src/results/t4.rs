//! The results in the T4 format of the auto-tuning community (FAIR sharing of auto-tuning data; version 1.0.0 of its schema is
//! part of Kernel Tuner), so that its tools read them.

use serde_json::{Value, json};

use crate::journal;
use crate::trial::{FailedStep, Outcome};

use super::account::Account;

/// Times are in milliseconds, as in the files of others.
pub fn t4(account: &Account<'_>) -> Value {
    let results: Vec<Value> = account.trials.iter().map(|trial| {
        let outcome = journal::outcome(account.trials, trial);
        let mut result = json!({
            "configuration": trial.point,
            "objectives": ["time"],
            "invalidity": invalidity(outcome),
            "correctness": match outcome { Outcome::Measured(_) => 1, _ => 0 },
            "times": {},
            "measurements": [],
        });
        if let Outcome::Measured(one) = outcome {
            let runs: Vec<f64> = one.runs.iter().map(|seconds| seconds * 1e3).collect();
            result["times"] = json!({ "runtimes": runs });
            let mut measurements = vec![
                json!({ "name": "time", "value": one.kernel_seconds() * 1e3, "unit": "ms" }),
                json!({ "name": "program", "value": one.program_seconds() * 1e3, "unit": "ms" }),
            ];
            let area = one.area.map(|area| json!({ "name": "area", "value": area, "unit": "" }));
            measurements.extend(area);
            result["measurements"] = measurements.into();
        }
        result
    }).collect();
    json!({
        "schema_version": "1.0.0",
        "metadata": { "timeunit": "milliseconds", "device": account.device },
        "results": results,
    })
}

/// In the format's words.
fn invalidity(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Measured(_) => "correct",
        Outcome::Failed(failure) => match failure.step {
            FailedStep::Build => "compile",
            FailedStep::Run => "runtime",
            FailedStep::Time => "timeout",
            FailedStep::Results => "correctness",
        },
        Outcome::Same(_) => "constraints",
    }
}

#[cfg(test)]
mod tests {
    use super::super::account::tests::{space, trials};
    use super::*;
    use crate::trial::Objective;

    #[test]
    fn results_have_what_the_schema_wants() {
        let (space, trials) = (space(), trials());
        let written = t4(&Account {
            device: "pocl",
            objective: Objective::Kernels,
            space: &space,
            trials: &trials,
        });
        let version = written["schema_version"].as_str().unwrap();
        assert_eq!(
            version
                .split('.')
                .filter(|part| part.parse::<u32>().is_ok())
                .count(),
            3
        );
        let describe = [
            "timeout",
            "compile",
            "runtime",
            "correctness",
            "constraints",
            "correct",
        ];
        for result in written["results"].as_array().unwrap() {
            assert!(result["configuration"].is_object());
            assert!(result["times"].is_object());
            assert!(describe.contains(&result["invalidity"].as_str().unwrap()));
            assert!(result["correctness"].is_number());
            assert!(result["objectives"].is_array());
            for one in result["measurements"].as_array().unwrap() {
                assert!(
                    one["name"].is_string() && one["value"].is_number() && one["unit"].is_string()
                );
            }
        }
        assert_eq!(written["results"][1]["measurements"][0]["value"], 2.0);
        assert_eq!(written["results"][2]["invalidity"], "correctness");
    }
}
