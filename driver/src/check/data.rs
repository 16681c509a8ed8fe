//! Findings for machines.

use fpgacc_frontend::source::{SourceMap, Span};
use fpgacc_gpu_model::check::{Site, Verdict, What};
use fpgacc_gpu_model::device::Device;
use fpgacc_gpu_model::lanes::observed::BranchKind;
use serde::Serialize;

use super::checked::Checked;

/// The version of the layout.
pub const FORMAT_VERSION: u32 = 1;

/// All kernels.
#[derive(Serialize)]
pub struct Report {
    version: u32,
    device: String,
    kernels: Vec<Kernel>,
}

#[derive(Debug, Serialize)]
struct Kernel {
    name: String,
    /// Bytes that the largest launch moves, and those that no lane uses.
    traffic_bytes: f64,
    wasted_bytes: f64,
    is_cut: bool,
    not_followed: Vec<&'static str>,
    sites: Vec<SiteData>,
}

/// A kernel of a report on a GPU.
#[derive(Debug, Serialize)]
pub struct OnGpu {
    device: String,
    #[serde(flatten)]
    kernel: Kernel,
}

#[derive(Debug, Serialize)]
struct SiteData {
    file: String,
    line: u32,
    column: u32,
    #[serde(flatten)]
    what: WhatData,
    /// In words.
    says: String,
    verdict: &'static str,
    /// What would settle it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    depends_on: Vec<String>,
    /// The local sizes in which it is worth a warning, where the host leaves the size open and that decides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warns_in: Vec<[u64; 3]>,
    /// Of the kernel's traffic (global memory) or lane-operations (others).
    share: f64,
    /// The share and totals are estimates.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rough: bool,
    warning: bool,
    /// The launch that wastes most.
    #[serde(skip_serializing_if = "Option::is_none")]
    launch: Option<String>,
    /// By the model, the launch takes so many times as long as if this were mended.
    #[serde(skip_serializing_if = "Option::is_none")]
    gain: Option<f64>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum WhatData {
    Global {
        write: bool,
        bytes: u64,
        /// None are known where it depends on data which they are.
        sectors_a_warp: Option<f64>,
        ideal_sectors: Option<f64>,
        wasted_bytes: f64,
        stride_bytes: Option<i64>,
    },
    Local {
        write: bool,
        turns_a_warp: f64,
        ideal_turns: f64,
        stride_bytes: Option<i64>,
    },
    Branch {
        decides: &'static str,
        diverged_warps: f64,
    },
    Barrier {
        /// Of the time since the barrier before.
        waiting: f64,
    },
    MissedBarrier {
        /// The part of the times that a group comes there at which some work-items do not.
        missed: f64,
    },
}

/// Everything that was looked at, worth a warning or not.
pub fn report(checked: &[Checked], device: &Device, sources: &SourceMap) -> Report {
    Report {
        version: FORMAT_VERSION,
        device: device.name.clone(),
        kernels: checked.iter().map(|one| of_kernel(one, sources)).collect(),
    }
}

/// A kernel, for a report of more than this.
pub fn on_gpu(checked: &Checked, device: &Device, sources: &SourceMap) -> OnGpu {
    OnGpu {
        device: device.name.clone(),
        kernel: of_kernel(checked, sources),
    }
}

fn of_kernel(checked: &Checked, sources: &SourceMap) -> Kernel {
    let findings = &checked.findings;
    Kernel {
        name: checked.module.functions[checked.kernel].name.clone(),
        traffic_bytes: findings.traffic,
        wasted_bytes: findings.wasted,
        is_cut: findings.is_cut,
        not_followed: findings.not_followed.iter().copied().collect(),
        sites: findings
            .sites
            .iter()
            .map(|site| of_site(checked, site, sources))
            .collect(),
    }
}

fn of_site(checked: &Checked, site: &Site, sources: &SourceMap) -> SiteData {
    let position = sources.location(sources.nearest(Span { ..site.span }));
    let launch = site.launch.and_then(|at| checked.launches.get(at));
    SiteData {
        file: position.file,
        line: position.line,
        column: position.column,
        what: what(&site.what),
        says: super::describe::headline(site).0,
        verdict: site.verdict.name(),
        depends_on: match &site.verdict {
            Verdict::Unknown(facts) | Verdict::Provided(facts) => facts.iter().cloned().collect(),
            Verdict::Assumed([x, y, z]) => vec![format!("a local size of {x}x{y}x{z}")],
            _ => Vec::new(),
        },
        warns_in: site
            .by_size
            .as_ref()
            .map(|sizes| sizes.warned.clone())
            .unwrap_or_default(),
        share: site.share,
        rough: site.is_rough,
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
            ..
        } => WhatData::Global {
            write: *write,
            bytes: *bytes,
            sectors_a_warp: Some(*sectors).filter(|sectors| *sectors > 0.0),
            ideal_sectors: Some(*ideal).filter(|_| *sectors > 0.0),
            wasted_bytes: *wasted,
            stride_bytes: small(stride),
        },
        What::Local {
            write,
            turns,
            ideal,
            stride,
        } => WhatData::Local {
            write: *write,
            turns_a_warp: *turns,
            ideal_turns: *ideal,
            stride_bytes: small(stride),
        },
        What::Barrier { waiting } => WhatData::Barrier { waiting: *waiting },
        What::MissedBarrier { missed } => WhatData::MissedBarrier { missed: *missed },
        What::Branch { kind, diverged } => WhatData::Branch {
            decides: match kind {
                BranchKind::If => "if",
                BranchKind::Loop => "loop",
                BranchKind::Select => "select",
                BranchKind::ShortCircuit => "short circuit",
                BranchKind::Switch => "switch",
            },
            diverged_warps: *diverged,
        },
    }
}
