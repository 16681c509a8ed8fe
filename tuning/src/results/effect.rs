//! What each value of a parameter does.

use crate::space::Setting;
use crate::trial::median;

use super::account::Account;

/// The trials with one value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The parameter.
    pub parameter: String,
    /// The value.
    pub value: Setting,
    /// How many there are.
    pub trials: usize,
    /// The least cost among them.
    pub best: f64,
    /// Their median cost.
    pub median: f64,
}

/// The effects of all values that were tried, of parameters of which several were.
pub fn effects(account: &Account<'_>) -> Vec<Effect> {
    let measured = account.measured();
    let mut all = Vec::new();
    for parameter in &account.space.parameters {
        let of = |value: &Setting| {
            let own = measured
                .iter()
                .filter(|(at, _)| account.trials[*at].point.get(&parameter.name) == Some(value));
            let costs: Vec<f64> = own.map(|(_, one)| account.objective.cost(one)).collect();
            Some(Effect {
                parameter: parameter.name.clone(),
                value: value.clone(),
                trials: costs.len(),
                best: costs.iter().copied().reduce(f64::min)?,
                median: median(&costs)?,
            })
        };
        let effects: Vec<Effect> = parameter.values.iter().filter_map(of).collect();
        if effects.len() > 1 {
            all.extend(effects);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::account::tests::{space, trials};
    use super::*;
    use crate::trial::Objective;

    #[test]
    fn values_are_distinguished() {
        let (space, trials) = (space(), trials());
        let effects = effects(&Account {
            device: "pocl",
            objective: Objective::Kernels,
            space: &space,
            trials: &trials,
        });
        let described: Vec<String> = (effects.iter())
            .map(|one| {
                format!(
                    "{}={} {} {} {}",
                    one.parameter, one.value, one.trials, one.best, one.median
                )
            })
            .collect();
        let expected = [
            "k.form=ndrange 2 0.5 0.75",
            "k.form=swi 1 0.75 0.75",
            "k.coarsen=1 2 0.75 0.875",
            "k.coarsen=2 1 0.5 0.5",
        ];
        assert_eq!(described, expected);
    }
}
