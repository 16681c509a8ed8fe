//! Findings for machines.

use fpgacc_frontend::source::{SourceMap, Span};
use fpgacc_gpu_model::check::{Site, Verdict, What};
use fpgacc_gpu_model::device::Device;
use fpgacc_gpu_model::lanes::observed::BranchKind;
use serde::Serialize;

use super::Checked;

/// The version of the layout.
const FORMAT_VERSION: u32 = 1;

/// All kernels.
#[derive(Serialize)]
pub struct Report {
    version: u32,
    device: String,
    kernels: Vec<Kernel>,
}

#[derive(Serialize)]
struct Kernel {
    name: String,
    /// Bytes that the largest launch moves, and those that no lane uses.
    traffic_bytes: f64,
    wasted_bytes: f64,
    is_cut: bool,
    not_followed: Vec<&'static str>,
    sites: Vec<SiteData>,
}

#[derive(Serialize)]
struct SiteData {
    file: String,
    line: u32,
    column: u32,
    #[serde(flatten)]
    what: WhatData,
    verdict: &'static str,
    /// What would settle it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    depends_on: Vec<String>,
    /// Of the kernel's traffic (global memory) or lane-operations (others).
    share: f64,
    warning: bool,
    /// The launch that wastes most.
    #[serde(skip_serializing_if = "Option::is_none")]
    launch: Option<String>,
    /// By the model, the launch takes so many times as long as if this were mended.
    #[serde(skip_serializing_if = "Option::is_none")]
    gain: Option<f64>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum WhatData {
    Global {
        write: bool,
        bytes: u64,
        sectors_a_warp: f64,
        ideal_sectors: f64,
        wasted_bytes: f64,
        stride_bytes: Option<i64>,
    },
    Local {
        write: bool,
        turns_a_warp: f64,
        stride_bytes: Option<i64>,
    },
    Branch {
        decides: &'static str,
        diverged_warps: f64,
    },
}

/// Everything that was looked at, worth a warning or not.
pub fn report(checked: &[Checked], device: &Device, sources: &SourceMap) -> Report {
    let kernel = |one: &Checked| Kernel {
        name: one.module.functions[one.kernel].name.clone(),
        traffic_bytes: one.findings.traffic,
        wasted_bytes: one.findings.wasted,
        is_cut: one.findings.is_cut,
        not_followed: one.findings.not_followed.iter().copied().collect(),
        sites: one
            .findings
            .sites
            .iter()
            .map(|site| of_site(one, site, sources))
            .collect(),
    };
    Report {
        version: FORMAT_VERSION,
        device: device.name.clone(),
        kernels: checked.iter().map(kernel).collect(),
    }
}

fn of_site(checked: &Checked, site: &Site, sources: &SourceMap) -> SiteData {
    let place = sources.location(Span { ..site.span });
    let launch = site.launch.and_then(|at| checked.launches.get(at));
    SiteData {
        file: place.file,
        line: place.line,
        column: place.column,
        what: what(&site.what),
        verdict: site.verdict.name(),
        depends_on: match &site.verdict {
            Verdict::Unknown(facts) | Verdict::Provided(facts) => facts.iter().cloned().collect(),
            _ => Vec::new(),
        },
        share: site.share,
        warning: site.is_warning,
        launch: launch.map(|launch| format!("{}:{}", launch.site.file, launch.site.line)),
        gain: site.gain.map(|gain| gain.times),
    }
}

fn what(what: &What) -> WhatData {
    let small = |stride: &Option<i128>| stride.and_then(|bytes| i64::try_from(bytes).ok());
    match what {
        What::Global {
            write,
            bytes,
            sectors,
            ideal,
            wasted,
            stride,
        } => WhatData::Global {
            write: *write,
            bytes: *bytes,
            sectors_a_warp: *sectors,
            ideal_sectors: *ideal,
            wasted_bytes: *wasted,
            stride_bytes: small(stride),
        },
        What::Local {
            write,
            turns,
            stride,
        } => WhatData::Local {
            write: *write,
            turns_a_warp: *turns,
            stride_bytes: small(stride),
        },
        What::Branch { kind, diverged } => WhatData::Branch {
            decides: match kind {
                BranchKind::If => "if",
                BranchKind::Loop => "loop",
                BranchKind::Select => "select",
                BranchKind::Switch => "switch",
            },
            diverged_warps: *diverged,
        },
    }
}
