//! What the performance model says of a text.

use fpgacc_device_passes::model::{Board, LaunchShape, Prediction, predict};
use fpgacc_device_passes::pass::LaunchContract;
use fpgacc_frontend::ir::Dialect;
use fpgacc_frontend::kernel::{Input, parse, validate};
use fpgacc_frontend::source::SourceMap;

/// What is predicted of the first kernel of a text, all loops running so often.
pub fn predicted(
    text: &str,
    board: &Board,
    mut launch: LaunchShape,
    trips: Option<f64>,
) -> Prediction {
    let mut sources = SourceMap::new();
    sources.add("k.cl", text);
    let preprocessed = format!("# 1 \"k.cl\"\n{text}");
    let input = Input {
        name: "k.cl",
        preprocessed: &preprocessed,
        dialect: Dialect::Cl12,
    };
    let module = parse(&input, &mut sources);
    let module = module.unwrap_or_else(|error| panic!("{text}: {:?}", error.diagnostics()));
    assert!(validate(&module).is_ok(), "{text}: not valid");
    let kernel = module.kernels().next().expect("a kernel");
    if let (Some(trips), Some(body)) = (trips, &module.functions[kernel].body) {
        body.for_each_stmt(&mut |stmt| {
            launch.trips.extend(stmt.span.map(|span| (span, trips)));
        });
    }
    predict(&module, kernel, board, &launch, &LaunchContract::default())
}
