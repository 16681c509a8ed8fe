//! Which points are tried next.
//!
//! A strategy sees candidates by number, and the history of what was tried. It names the next ones, none twice, and
//! none when nothing is left that is worth trying. It has no state but what history and seed determine.

mod candidate;
mod exhaustive;
mod gaussian;
mod model;
mod neighbours;
mod normal;
mod pareto;
mod random;
mod relevance;
mod residual;
mod trade;
mod trees;
mod turns;
mod twins;
mod walk;

pub use candidate::{Candidate, Strategy, Tried};
pub use exhaustive::Exhaustive;
pub use model::Model;
pub use pareto::Pareto;
pub use random::Randomly;
pub use residual::Settings;
pub(crate) use residual::{Posterior, Prior, Seen};
pub use trade::Trade;
pub use walk::{Walk, Way};

/// The names of all strategies.
pub const NAMES: [&str; 8] = [
    "model",
    "front",
    "pareto",
    "pareto-few",
    "genetic",
    "greedy",
    "random",
    "exhaustive",
];

/// The strategy of a name.
pub fn named(name: &str, seed: u64) -> Option<Box<dyn Strategy>> {
    Some(match name {
        "exhaustive" => Box::new(Exhaustive),
        "random" => Box::new(Randomly { seed }),
        "pareto" => Box::new(Pareto {
            only_moderate: false,
        }),
        "pareto-few" => Box::new(Pareto {
            only_moderate: true,
        }),
        "front" => Box::new(Trade::default()),
        "genetic" => Box::new(Walk {
            way: Way::Genetic,
            seed,
        }),
        "greedy" => Box::new(Walk {
            way: Way::Greedy,
            seed,
        }),
        "model" => Box::new(Model::new(seed)),
        _ => return None,
    })
}
