//! Vectors and coarsening of the kernels in `benchmarks/space/lanes.cl`, all variants measured on a GPU
//! (`lanes_h200.csv`), each predicted by the model that chooses sizes of work-groups.

use std::collections::BTreeMap;
use std::path::Path;

use fpgacc_aoc_wrappers::cc::{self, Compiler};
use fpgacc_decision::explore::{self, Explorer, Timer};
use fpgacc_decision::{Request, RequestedModels, SearchTime};
use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_frontend::ir::Module;
use fpgacc_frontend::source::SourceMap;
use fpgacc_gpu_model::device::Device;
use fpgacc_gpu_model::launched;
use fpgacc_launch_facts::{ExecutionModel, Value, Variant};
use fpgacc_performance_model::Board;
use serde::Deserialize;

use super::kept::Space;
use super::table::Design;
use crate::model::error::ModelError;
use crate::model::facts::{self, Launched};
use crate::model::kernels::parse;

/// Rows of each kernel, as `lanes_plan.py` has them, and its groups.
const ROWS: [(&str, u64); 4] = [
    ("multiply", 1024),
    ("convolve", 2048),
    ("options", 2048),
    ("relax", 2048),
];
const LOCAL: [u64; 2] = [64, 4];

/// A variant that was measured.
#[derive(Deserialize)]
struct Row {
    /// `vectorise=2;coarsen=1:4:local`.
    program: String,
    kernel: String,
    after_us: f64,
}

/// A space for each kernel of the table, which lies beside the kernels.
pub fn spaces(table: &Path) -> Result<Vec<Space>, ModelError> {
    let rows = csv::Reader::from_path(table)?.into_deserialize();
    let rows: Vec<Row> = rows.collect::<Result<_, _>>()?;
    let compiler = Compiler::find(cc::Language::C)?;
    let kernels = table.with_file_name("lanes.cl");
    let fault = |why| ModelError::Kernel(kernels.display().to_string(), why);
    let (module, sources) = parse(&kernels, &compiler, &[], &[]).map_err(fault)?;
    let device = Device::named("h200").map_err(|error| fault(error.to_string()))?;
    let of = |(kernel, columns): (&str, u64)| {
        let own: Vec<&Row> = rows.iter().filter(|row| row.kernel == kernel).collect();
        Ok(Space {
            set: format!("Vectors and coarsening, {}", device.title),
            name: kernel.to_string(),
            designs: designs(&module, &sources, &device, (kernel, columns), &own).map_err(fault)?,
        })
    };
    ROWS.into_iter().map(of).collect()
}

fn designs(
    module: &Module,
    sources: &SourceMap,
    device: &Device,
    (kernel, columns): (&str, u64),
    rows: &[&Row],
) -> Result<Vec<Design>, String> {
    let launched = Launched {
        kernel,
        global: vec![Value::Const(columns); 2],
        local: &LOCAL,
        args: BTreeMap::from([("n", Value::Const(columns))]),
    };
    let facts = facts::of(module, std::iter::once(launched))?;
    // Its prices are not looked at.
    let board = Board::named("de5a-net").expect("it is built in");
    let requested = RequestedModels::default();
    let request = Request {
        fp_relaxed: false,
        emulated: false,
        board: &board,
        requested: &requested,
        search_time: SearchTime::default(),
        explain: false,
        sources,
        measured: None,
        times: &[],
    };
    let timer = |module: &_, kernel, contract: &_, launch: &_| {
        launched::seconds(device, module, kernel, contract, launch)
    };
    let variants: Vec<Variant> = rows.iter().map(|row| variant(&row.program)).collect();
    let look = |name: &str, explorer: &Explorer<'_>| {
        (name == kernel).then(|| explorer.make(&variants).map_err(|e| e.to_string()))
    };
    let with = (&request, Some(&timer as &Timer<'_>));
    let made = explore::each(module, &facts, &Pipeline::default(), with, look);
    let made = made
        .into_iter()
        .flatten()
        .next()
        .ok_or("no such kernel")??;
    let each = rows.iter().zip(made);
    let design = each.map(|(row, made)| Design {
        knobs: knobs(&row.program),
        predicted: made.elsewhere,
        area: None,
        seconds: Some(row.after_us * 1e-6),
        measured_area: None,
    });
    Ok(design.collect())
}

/// The values of a program's name.
fn values(program: &str) -> BTreeMap<&str, &str> {
    let pairs = program.split(';').filter_map(|pair| pair.split_once('='));
    pairs.collect()
}

fn variant(program: &str) -> Variant {
    let values = values(program);
    let lanes = values.get("vectorise").and_then(|lanes| lanes.parse().ok());
    let coarsen = values.get("coarsen").filter(|one| one.contains(':'));
    Variant {
        form: ExecutionModel::NdRange,
        vectorise: lanes.filter(|lanes| *lanes > 1),
        coarsen: coarsen.map(ToString::to_string),
        ..Variant::default()
    }
}

/// The same as numbers: what is merged along each dimension, and whether it lies far apart.
fn knobs(program: &str) -> BTreeMap<String, f64> {
    let values = values(program);
    let lanes = values.get("vectorise").and_then(|lanes| lanes.parse().ok());
    let mut knobs = BTreeMap::from([("vectorise".to_string(), lanes.unwrap_or(1.0))]);
    let coarsen = values.get("coarsen").copied().unwrap_or_default();
    if let [dim, factor, stride] = coarsen.split(':').collect::<Vec<_>>()[..] {
        knobs.insert(format!("coarsen {dim}"), factor.parse().unwrap_or(1.0));
        knobs.insert("far".to_string(), f64::from(stride == "local"));
    }
    knobs
}
