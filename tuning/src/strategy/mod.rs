//! Which points are tried next.
//!
//! A strategy sees candidates by number, and the history of what was tried. It names the next ones, none twice, and
//! none when nothing is left that is worth trying. It has no state but what history and seed determine.

mod candidate;
mod exhaustive;
mod gaussian;
mod model;
mod pareto;
mod random;

pub use candidate::{Candidate, Strategy, Tried};
pub use exhaustive::Exhaustive;
pub use model::{Model, Settings};
pub use pareto::Pareto;
pub use random::Randomly;

/// The names of all strategies.
pub const NAMES: [&str; 5] = ["model", "pareto", "pareto-few", "random", "exhaustive"];

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
        "model" => Box::new(Model::new(seed)),
        _ => return None,
    })
}
