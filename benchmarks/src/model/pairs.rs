//! The pairs that Intel publishes, which the tests of the model have (`performance-model/tests/cases/pairs.yaml`).

use fpgacc_device_passes::pass::LaunchContract;
use fpgacc_frontend::ir::{Dialect, Module};
use fpgacc_frontend::kernel::{Input, parse};
use fpgacc_frontend::source::SourceMap;
use fpgacc_performance_model::calibration::{Pair, pairs};
use fpgacc_performance_model::predict;

use super::cases::{Case, Said};
use super::error::ModelError;

/// All times that are published.
///
/// # Errors
/// The file is not as expected.
pub fn cases() -> Result<Vec<Case>, ModelError> {
    let mut cases = Vec::new();
    for pair in pairs()? {
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
    let module = read(text, &pair.name)?;
    let kernel = module.kernels().next();
    let kernel = kernel.ok_or_else(|| ModelError::Kernel(pair.name.clone(), "none".to_string()))?;
    let launch = pair.launch(&module);
    let board = pair.board();
    let board = board.ok_or_else(|| ModelError::Board(pair.board.clone()))??;
    Ok(Case {
        set: "Intel",
        application: pair.name.clone(),
        board,
        seconds: ms / 1e3,
        mhz: None,
        predict: Box::new(move |board| Said {
            seconds: predict(&module, kernel, board, &launch, &LaunchContract::default()).seconds,
            causes: None,
        }),
    })
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
