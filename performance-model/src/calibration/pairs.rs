//! Pairs of forms of a loop, and how much faster the second is, as Intel publishes it.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::Module;
use fpgacc_kernel_analysis::loops::hints;
use serde::Deserialize;

use crate::board::{Board, BoardError};
use crate::launch::LaunchShape;

const PAIRS: &str = include_str!("../../tests/cases/pairs.yaml");

/// Two forms of a loop.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// What differs.
    pub name: String,
    /// Where the speed-up comes from.
    pub why: String,
    /// The name of the board that ran both.
    #[serde(default = "card")]
    pub board: String,
    /// Latencies of operators that differ from the board's.
    #[serde(default)]
    pub latencies: BTreeMap<String, f64>,
    /// How often each loop runs; where it is not given, the text states it.
    #[serde(default)]
    pub trips: Option<f64>,
    /// How often loops in loops run.
    #[serde(default)]
    pub inner_trips: Option<f64>,
    /// How much faster the second is.
    pub measured: f64,
    /// How long both ran, where that is published.
    pub milliseconds: Option<[f64; 2]>,
    /// The first.
    pub slow: String,
    /// The second.
    pub fast: String,
}

fn card() -> String {
    "pac-a10".to_string()
}

/// All pairs.
///
/// # Errors
/// The file is not as expected.
pub fn pairs() -> Result<Vec<Pair>, BoardError> {
    Ok(serde_yaml::from_str(PAIRS)?)
}

impl Pair {
    /// The board that ran both; `None`: its name is not known.
    pub fn board(&self) -> Option<Result<Board, BoardError>> {
        Board::named(&self.board).map(|board| board.with_latencies(&self.latencies))
    }

    /// The launch of the first kernel of a module, with the trip counts of its loops.
    pub fn launch(&self, module: &Module) -> LaunchShape {
        let mut launch = LaunchShape::default();
        let mut kernels = module.kernels();
        let Some(body) = kernels.find_map(|kernel| module.functions[kernel].body.as_ref()) else {
            return launch;
        };
        body.for_each_stmt(&mut |stmt| {
            let trips = |trips| stmt.span.map(|span| (span, trips));
            launch.trips.extend(self.trips.and_then(trips));
            if let Some(trips) = self.inner_trips.filter(|_| hints(stmt).is_some()) {
                let inner = stmt.lists().into_iter().flatten();
                let inner = inner.filter_map(|stmt| Some((stmt.span?, trips)));
                launch.trips.extend(inner);
            }
        });
        launch
    }
}
