//! The pairs that Intel publishes, which the tests of the model have (`performance-model/tests/cases/pairs.yaml`).

use std::collections::BTreeMap;

use fpgacc_device_passes::pass::LaunchContract;
use fpgacc_frontend::ir::{Dialect, Module, Stmt, StmtKind};
use fpgacc_frontend::kernel::{Input, parse};
use fpgacc_frontend::source::SourceMap;
use fpgacc_performance_model::{Board, FamilyRef, LaunchShape, predict};
use serde::Deserialize;

use super::cases::{Case, Said};
use super::error::ModelError;

/// Two forms of a loop; what else the file has is for its readers and the tests.
#[derive(Deserialize)]
struct Pair {
    name: String,
    #[serde(default = "card")]
    board: String,
    #[serde(default)]
    latencies: BTreeMap<String, f64>,
    #[serde(default)]
    trips: Option<f64>,
    #[serde(default)]
    inner_trips: Option<f64>,
    #[serde(default)]
    milliseconds: Option<[f64; 2]>,
    slow: String,
    fast: String,
}

fn card() -> String {
    "pac-a10".to_string()
}

/// All times that are published.
///
/// # Errors
/// The file is not as expected.
pub fn cases() -> Result<Vec<Case>, ModelError> {
    let text = include_str!("../../../performance-model/tests/cases/pairs.yaml");
    let fault = |e| ModelError::Launches("pairs.yaml".to_string(), e);
    let pairs: Vec<Pair> = serde_yaml::from_str(text).map_err(fault)?;
    let mut cases = Vec::new();
    for pair in pairs {
        for (text, ms) in [&pair.slow, &pair.fast]
            .into_iter()
            .zip(pair.milliseconds.into_iter().flatten())
        {
            cases.push(case(&pair, text, ms)?);
        }
    }
    Ok(cases)
}

fn case(pair: &Pair, text: &str, ms: f64) -> Result<Case, ModelError> {
    let (module, mut launch) = (read(text, &pair.name)?, LaunchShape::default());
    let kernel = module.kernels().next();
    let kernel = kernel.ok_or_else(|| ModelError::Kernel(pair.name.clone(), "none".to_string()))?;
    if let Some(body) = &module.functions[kernel].body {
        body.for_each_stmt(&mut |stmt| {
            if let Some(trips) = pair.trips {
                launch.trips.extend(stmt.span.map(|span| (span, trips)));
            }
            if let Some(trips) = pair.inner_trips.filter(|_| is_loop(stmt)) {
                let inner = stmt.lists().into_iter().flatten();
                launch
                    .trips
                    .extend(inner.filter_map(|stmt| Some((stmt.span?, trips))));
            }
        });
    }
    let own = board(&pair.board, &pair.latencies)?;
    Ok(Case {
        set: "Intel",
        application: pair.name.clone(),
        board: own,
        seconds: ms / 1e3,
        mhz: None,
        predict: Box::new(move |board| Said {
            seconds: predict(&module, kernel, board, &launch, &LaunchContract::default()).seconds,
            causes: None,
        }),
    })
}

fn is_loop(stmt: &Stmt) -> bool {
    use StmtKind::{DoWhile, For, While};
    matches!(stmt.kind, For { .. } | While { .. } | DoWhile { .. })
}

fn read(text: &str, name: &str) -> Result<Module, ModelError> {
    let mut sources = SourceMap::new();
    sources.add(name, text);
    let preprocessed = format!("# 1 \"{name}\"\n{text}");
    parse(
        &Input::new(name, &preprocessed, Dialect::Cl12),
        &mut sources,
    )
    .map_err(|error| {
        let first = error.diagnostics().first().map(|d| d.message.clone());
        ModelError::Kernel(name.to_string(), first.unwrap_or_default())
    })
}

/// A board with other latencies of some operators.
fn board(name: &str, latencies: &BTreeMap<String, f64>) -> Result<Board, ModelError> {
    let mut board = Board::named(name).ok_or_else(|| ModelError::Board(name.to_string()))?;
    let fault = |e| ModelError::Launches(name.to_string(), e);
    let mut family = serde_yaml::to_value(board.family()).map_err(fault)?;
    for (operator, latency) in latencies {
        family["operators"][operator.as_str()]["latency"] = (*latency).into();
    }
    board.family = FamilyRef::Own(serde_yaml::from_value(family).map_err(fault)?);
    Ok(board)
}
