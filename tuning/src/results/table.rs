//! All trials as a table and as JSON.

use crate::journal;
use crate::trial::Outcome;

use super::account::Account;

/// A line for each trial: its values, what became of it, seconds of kernels and of the program, the speedup, the area.
///
/// # Errors
/// What was measured is no text that a table can hold.
pub fn csv(account: &Account<'_>) -> Result<String, csv::Error> {
    let mut table = csv::Writer::from_writer(Vec::new());
    let names = account.space.parameters.iter().map(|one| one.name.as_str());
    let heads = ["outcome", "kernels_s", "program_s", "speedup", "area"];
    table.write_record(names.clone().chain(heads))?;
    for trial in account.trials {
        let value = |name: &str| {
            trial
                .point
                .get(name)
                .map(ToString::to_string)
                .unwrap_or_default()
        };
        let mut row: Vec<String> = names.clone().map(value).collect();
        let number =
            |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
        row.extend(match journal::outcome(account.trials, trial) {
            Outcome::Measured(one) => [
                "measured".to_string(),
                one.kernel_seconds().to_string(),
                one.program_seconds().to_string(),
                number(one.speedup()),
                number(one.area),
            ],
            Outcome::Failed(failure) => {
                let [a, b, c, d] = [const { String::new() }; 4];
                [format!("failed: {}", failure.step.word()), a, b, c, d]
            }
            Outcome::Same(_) => [const { String::new() }; 5],
        });
        table.write_record(&row)?;
    }
    let bytes = table.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// All that is known, as JSON.
///
/// # Errors
/// A number is none.
pub fn json(account: &Account<'_>) -> Result<String, serde_json::Error> {
    let mut value = serde_json::to_value(account)?;
    value["version"] = 1.into();
    value["winner"] = account.winner().map(|(at, _)| at).into();
    value["front"] = account.front().into();
    Ok(serde_json::to_string_pretty(&value)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::super::account::tests::{account, space, trials};
    use super::*;

    #[test]
    fn a_table_has_all_trials() {
        let (space, trials) = (space(), trials());
        let account = account(&space, &trials);
        let expected = "k.form,k.coarsen,outcome,kernels_s,program_s,speedup,area\n\
                        ndrange,1,measured,0.004,0.6,1,\n\
                        ndrange,2,measured,0.002,0.8,2,\n\
                        ndrange,4,failed: results,,,,\n\
                        swi,1,measured,0.003,0.7,1.3333333333333333,\n";
        assert_eq!(csv(&account).unwrap(), expected);
        let read: serde_json::Value = serde_json::from_str(&json(&account).unwrap()).unwrap();
        assert_eq!(read["winner"], 1);
        assert_eq!(read["trials"].as_array().unwrap().len(), 4);
    }
}
