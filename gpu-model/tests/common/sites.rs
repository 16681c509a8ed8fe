//! What tests of `check` share: small kernels, their launches, and sites as lines.

use fpgacc_frontend::ir::Dialect;
use fpgacc_frontend::kernel::{Input, parse};
use fpgacc_frontend::source::{Location, SourceMap};
use fpgacc_gpu_model::check::{Findings, Site, Thresholds, What, check};
use fpgacc_gpu_model::device::Device;
use fpgacc_gpu_model::recorded::Seen;
use fpgacc_launch_facts::{Arg, ArgValue, Launch, LocalSize, Value};

/// A launch with these sizes; no local size is NULL. `scalars`: arguments by index.
pub fn launch(global: &[u64], local: &[u64], scalars: &[(u32, u64)]) -> Launch {
    let site = Location {
        file: "h.c".to_string(),
        line: 1,
        column: 1,
    };
    let mut launch = Launch::of(site, vec!["k".to_string()]);
    launch.work_dim = Value::Const(global.len() as u64);
    launch.offset = vec![Value::Const(0); global.len()];
    launch.global = global.iter().map(|size| Value::Const(*size)).collect();
    launch.local = match local {
        [] => LocalSize::Null,
        local => LocalSize::constants(local.iter().copied()),
    };
    let arg = |(index, value): &(u32, u64)| Arg {
        index: *index,
        value: ArgValue::Scalar(Value::Const(*value)),
    };
    launch.args = scalars.iter().map(arg).collect();
    launch
}

/// What is found of a kernel with a body on one line a statement, on a device.
pub fn found_on(device: &str, text: &str, launch: &Launch) -> (Findings, SourceMap) {
    let mut sources = SourceMap::new();
    let module =
        parse(&Input::new("k.cl", text, Dialect::Cl12), &mut sources).expect("it is valid");
    let kernel = module.kernels().next().expect("a kernel");
    let device = Device::named(device).expect("a device");
    let findings = check(
        &module,
        kernel,
        &[launch],
        &device,
        &Thresholds::default(),
        &Seen::default(),
    );
    (findings, sources)
}

/// A kernel whose work-item `i`, number `l` of its work-group, does this.
pub fn kernel(body: &str) -> String {
    format!(
        "__kernel void k(__global float *a, __global float *o) {{\n\
         int i = get_global_id(0), l = get_local_id(0); float v = 0;\n\
         {body}\n\
         o[i] = v;\n\
         }}\n"
    )
}

/// A line a site: `LINE what verdict`, with `!` where it is worth a warning.
pub fn told(text: &str, launch: &Launch) -> Vec<String> {
    told_on("warp32", text, launch)
}

/// As [`told`], on a device.
pub fn told_on(device: &str, text: &str, launch: &Launch) -> Vec<String> {
    let (findings, sources) = found_on(device, text, launch);
    let line = |site: &Site| {
        let what = match &site.what {
            What::Global {
                write,
                sectors,
                ideal,
                ..
            } => format!(
                "{} {sectors:.1}/{ideal:.1}",
                if *write { "write" } else { "read" }
            ),
            What::Local {
                write,
                turns,
                ideal,
                ..
            } => format!(
                "local {} {turns:.1}/{ideal:.0}",
                if *write { "write" } else { "read" }
            ),
            What::Branch { diverged, .. } => format!("branch {diverged:.2}"),
            What::MissedBarrier { missed } => format!("missed {missed:.2}"),
            What::Barrier { waiting } => format!("barrier {waiting:.2}"),
        };
        let mark = if site.is_warning { " !" } else { "" };
        let at = sources.location(site.span).line;
        format!("{at} {what} {}{mark}", site.verdict.name())
    };
    findings.sites.iter().map(line).collect()
}
