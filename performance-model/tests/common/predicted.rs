//! What the performance model says of a text.

use fpgacc_frontend::kernel::validate;
use fpgacc_performance_model::{Board, Given, LaunchShape, Prediction, TripOrigin, predict};
use fpgacc_runtime::contract::LaunchContract;

use super::module::module;

/// A size or argument that is known as an expression of the host's.
pub fn given(value: f64) -> Option<Given> {
    Some(Given {
        value,
        origin: TripOrigin::Symbolic,
    })
}

/// What is predicted of the first kernel of a text, launched in this way.
pub fn on(board: &str, text: &str, launch: LaunchShape) -> Prediction {
    predicted(text, &Board::named(board).unwrap(), launch, None)
}

/// What is predicted of the first kernel of a text, all loops running so often.
pub fn predicted(
    text: &str,
    board: &Board,
    mut launch: LaunchShape,
    trips: Option<f64>,
) -> Prediction {
    let module = module(text);
    assert!(validate(&module).is_ok(), "{text}: not valid");
    let kernel = module.kernels().next().expect("a kernel");
    if let (Some(trips), Some(body)) = (trips, &module.functions[kernel].body) {
        body.for_each_stmt(&mut |stmt| {
            launch.trips.extend(stmt.span.map(|span| (span, trips)));
        });
    }
    predict(&module, kernel, board, &launch, &LaunchContract::default())
}

/// Holds a predicted time against one that was measured, in milliseconds; `within` as a factor.
#[track_caller]
pub fn assert_time(what: &str, prediction: &Prediction, measured: f64, within: f64) {
    let milliseconds = prediction.seconds.value * 1e3;
    let fits = (1.0 / within..=within).contains(&(milliseconds / measured));
    assert!(fits, "{what}: {milliseconds} ms, measured {measured} ms");
}
