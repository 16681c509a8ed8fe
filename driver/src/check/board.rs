//! The same on an FPGA board: units of memory that move more than is used, loops whose iterations do not overlap, and
//! loops that keep work-items from running side by side. The performance model says all of it.

use std::fmt::Write as _;

use fpgacc_decision::describe;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_frontend::source::{SourceMap, Span};
use fpgacc_gpu_model::check::{Site as Found, Thresholds};
use fpgacc_kernel_analysis::divergence::divergent_loop;
use fpgacc_launch_facts::Launch;
use fpgacc_performance_model::{
    Board, Form, LaunchShape, Limit, LoopReport, LsuKind, LsuReport, Pipelining, Prediction,
    predict,
};
use fpgacc_runtime::contract::LaunchContract;
use serde::Serialize;

use super::describe as describe_gpu;

/// A kernel on a board: of its launches, that which takes longest.
pub struct OnBoard<'a> {
    module: &'a Module,
    kernel: FunctionId,
    launch: Option<&'a Launch>,
    prediction: Prediction,
    sites: Vec<Site>,
}

/// Something that the board does at a position of the kernel.
struct Site {
    span: Option<Span>,
    what: What,
    is_warning: bool,
}

enum What {
    Access(LsuReport),
    Loop(LoopReport),
    /// A loop that work-items may leave at different iterations, or skip.
    Divergent,
    /// A barrier to which not all work-items of a group come.
    MissedBarrier(Box<Found>),
}

/// A kernel as the board runs it, as it is written. `missed`: barriers to which not all work-items of a group come.
pub fn check<'a>(
    module: &'a Module,
    kernel: FunctionId,
    launches: &[&'a Launch],
    board: &Board,
    thresholds: &Thresholds,
    missed: Vec<Found>,
) -> OnBoard<'a> {
    let at = |launch: Option<&'a Launch>| {
        let shape = launch.map_or_else(LaunchShape::default, |launch| LaunchShape::of(&[launch]));
        let contract = LaunchContract::default();
        (launch, predict(module, kernel, board, &shape, &contract))
    };
    let first = launches.first().copied();
    let longest = launches.iter().skip(1).fold(at(first), |longest, launch| {
        let one = at(Some(launch));
        match one.1.seconds.value > longest.1.seconds.value {
            true => one,
            false => longest,
        }
    });
    let (launch, prediction) = longest;
    let mut sites = sites(module, kernel, &prediction, thresholds);
    sites.extend(missed.into_iter().map(|found| Site {
        span: Some(found.span),
        is_warning: found.is_warning,
        what: What::MissedBarrier(Box::new(found)),
    }));
    sites.sort_by_key(|site| site.span.map(|span| (span.file, span.start)));
    OnBoard {
        module,
        kernel,
        launch,
        prediction,
        sites,
    }
}

fn sites(
    module: &Module,
    kernel: FunctionId,
    prediction: &Prediction,
    thresholds: &Thresholds,
) -> Vec<Site> {
    let memory = prediction.memory_seconds / prediction.seconds.value.max(f64::MIN_POSITIVE);
    let mut sites: Vec<Site> = Vec::new();
    for unit in &prediction.lsus {
        let is_external = unit.kind != LsuKind::Pipelined;
        let is_wasteful = unit.efficiency * thresholds.sectors < 1.0;
        let known = sites.iter().any(|site| {
            matches!(&site.what, What::Access(other) if other == unit) && site.span == unit.span
        });
        // Copies of a loop's body have units that are the same.
        if !known {
            sites.push(Site {
                span: unit.span,
                what: What::Access(unit.clone()),
                is_warning: is_external && is_wasteful && memory >= thresholds.traffic,
            });
        }
    }
    for one in &prediction.loops {
        let is_late = one.ii > 1.5 || one.pipelined == Pipelining::Serial;
        let lowers_clock = matches!(one.limit, Limit::Chain { .. });
        sites.push(Site {
            span: one.span,
            what: What::Loop(one.clone()),
            is_warning: lowers_clock || one.limit != Limit::None && is_late,
        });
    }
    let is_ndrange = matches!(prediction.form, Form::NdRange { .. });
    if let Some(span) = is_ndrange.then(|| divergent_loop(module, kernel)).flatten() {
        sites.push(Site {
            span,
            what: What::Divergent,
            is_warning: true,
        });
    }
    sites
}

impl OnBoard<'_> {
    fn name(&self) -> &str {
        &self.module.functions[self.kernel].name
    }

    /// Warnings, in the order of the text.
    pub fn warnings(&self, board: &Board, sources: &SourceMap) -> Vec<Diagnostic> {
        let sites = self.sites.iter().filter(|site| site.is_warning);
        sites
            .map(|site| self.warning(site, board, sources))
            .collect()
    }

    fn warning(&self, site: &Site, board: &Board, sources: &SourceMap) -> Diagnostic {
        let (message, option) = headline(&site.what);
        let mut warning = Diagnostic::warning(message).option(option);
        if let Some(span) = site.span {
            warning = warning.at(span);
        }
        let launched = self.launch.map(|launch| {
            let at = &launch.site;
            format!(", launched in {}:{}", at.file, at.line)
        });
        warning = warning.note(format!(
            "kernel '{}' on {}{}: {}",
            self.name(),
            board.name,
            launched.unwrap_or_default(),
            self.cost(&site.what, sources)
        ));
        match advice(&site.what) {
            Some(advice) => warning.help(advice),
            None => warning,
        }
    }

    /// What it costs.
    fn cost(&self, what: &What, sources: &SourceMap) -> String {
        match what {
            What::Access(unit) => {
                let memory = self.prediction.memory_seconds / self.prediction.seconds.value;
                let part = (100.0 * memory).min(100.0);
                format!(
                    "{}; memory is busy for {part:.0}% of the kernel's time",
                    describe::access(unit)
                )
            }
            What::Loop(one) => {
                let limit = describe::limit(&one.limit, Some(sources));
                let trips = format!(
                    "{} iterations ({}), each takes {} cycles",
                    describe::number(one.trip.value),
                    describe::origin(one.trip.origin),
                    describe::number(one.latency)
                );
                match limit {
                    Some(limit) => format!("{limit}; {trips}"),
                    None => trips,
                }
            }
            What::MissedBarrier(found) => describe_gpu::share(found, true),
            What::Divergent => {
                let serial = "one work-item starts in a cycle at most";
                match self.prediction.penalty_causes.divergent > 0.0 {
                    true => {
                        format!("{serial}; those that are done wait for the others at a barrier")
                    }
                    false => serial.to_string(),
                }
            }
        }
    }

    /// A line for the kernel.
    pub fn summary(&self, board: &Board) -> String {
        let count =
            |is_it: fn(&What) -> bool| self.sites.iter().filter(|site| is_it(&site.what)).count();
        let (accesses, loops) = (
            count(|what| matches!(what, What::Access(_))),
            count(|what| matches!(what, What::Loop(_))),
        );
        let mut text = format!(
            "kernel {} on {}: {}, {}",
            self.name(),
            board.name,
            several(accesses, "access", "accesses"),
            several(loops, "loop", "loops")
        );
        let _ = match self.sites.iter().filter(|site| site.is_warning).count() {
            0 => write!(text, ", nothing to mend"),
            warnings => write!(text, ", {warnings} to mend"),
        };
        let _ = writeln!(
            text,
            "; {} a launch by the model",
            describe::seconds(self.prediction.seconds.value)
        );
        let assumed = self.prediction.assumed.len();
        if assumed > 0 {
            let _ = writeln!(
                text,
                "  {} assumed; record a run (fpgacc trace --trip-counts)",
                several(assumed, "number is", "numbers are")
            );
        }
        text
    }
}

fn several(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn headline(what: &What) -> (String, &'static str) {
    match what {
        What::MissedBarrier(found) => describe_gpu::headline(found),
        What::Access(unit) => {
            let does = if unit.is_store { "writes" } else { "reads" };
            let moved = unit.bytes_wide as f64 / unit.efficiency.max(1e-3);
            let message = format!(
                "memory moves {} bytes where this {does} {}",
                describe::number(moved.round()),
                unit.bytes_wide
            );
            (message, "-Wuncoalesced")
        }
        What::Loop(one) => {
            let message = match one.pipelined {
                Pipelining::Serial => "iterations of this loop run one after another".to_string(),
                _ if one.ii > 1.5 => format!(
                    "this loop starts an iteration only every {} cycles",
                    describe::number(one.ii)
                ),
                _ => "this loop lowers the clock of the kernel".to_string(),
            };
            (message, "-Wserial-loop")
        }
        What::Divergent => (
            "this loop keeps work-items from running side by side (num_simd_work_items): it may have a non-uniform \
             trip count, or some may skip it"
                .to_string(),
            "-Wdivergent-loop",
        ),
    }
}

fn advice(what: &What) -> Option<&'static str> {
    match what {
        What::MissedBarrier(_) => Some(describe_gpu::MEET),
        What::Access(_) => Some(
            "let neighbouring iterations or work-items access neighbouring elements, or copy a tile to local memory",
        ),
        What::Loop(one) => describe::remedy(&one.limit),
        What::Divergent => Some(
            "give the loop the same bounds for all work-items of a work-group, with a condition around what it does",
        ),
    }
}

/// All kernels, for machines.
#[derive(Serialize)]
pub struct Report {
    version: u32,
    device: String,
    kernels: Vec<KernelData>,
}

#[derive(Serialize)]
struct KernelData {
    name: String,
    /// The launch that takes longest.
    #[serde(skip_serializing_if = "Option::is_none")]
    launch: Option<String>,
    /// Seconds of that launch, and those for which memory is busy.
    seconds: f64,
    memory_seconds: f64,
    sites: Vec<SiteData>,
}

#[derive(Serialize)]
struct SiteData {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(flatten)]
    what: WhatData,
    warning: bool,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum WhatData {
    Access {
        array: String,
        write: bool,
        unit: &'static str,
        bytes: u64,
        /// What the memory moves for it.
        moved_bytes: f64,
        stride_bytes: Option<i64>,
    },
    Loop {
        trips: f64,
        ii: f64,
        latency: f64,
        overlap: &'static str,
        limit: Option<String>,
    },
    NoSimd,
    MissedBarrier {
        verdict: &'static str,
        /// The part of the times that a group comes there at which some work-items do not.
        missed: f64,
    },
}

/// Everything that was looked at, worth a warning or not.
pub fn report(checked: &[OnBoard], board: &Board, sources: &SourceMap) -> Report {
    let kernel = |one: &OnBoard| KernelData {
        name: one.name().to_string(),
        launch: one
            .launch
            .map(|launch| format!("{}:{}", launch.site.file, launch.site.line)),
        seconds: one.prediction.seconds.value,
        memory_seconds: one.prediction.memory_seconds,
        sites: one
            .sites
            .iter()
            .map(|site| site_data(site, sources))
            .collect(),
    };
    Report {
        version: super::data::FORMAT_VERSION,
        device: board.name.clone(),
        kernels: checked.iter().map(kernel).collect(),
    }
}

fn site_data(site: &Site, sources: &SourceMap) -> SiteData {
    let position = site
        .span
        .map(|span| sources.location(sources.nearest(span)));
    SiteData {
        line: position.as_ref().map(|position| position.line),
        column: position.as_ref().map(|position| position.column),
        file: position.map(|position| position.file),
        warning: site.is_warning,
        what: match &site.what {
            What::Access(unit) => WhatData::Access {
                array: unit.array.clone(),
                write: unit.is_store,
                unit: describe::unit(unit.kind),
                bytes: unit.bytes_wide,
                moved_bytes: match unit.kind {
                    LsuKind::Pipelined => 0.0,
                    _ => unit.bytes_wide as f64 / unit.efficiency.max(1e-3),
                },
                stride_bytes: unit.stride,
            },
            What::Loop(one) => WhatData::Loop {
                trips: one.trip.value,
                ii: one.ii,
                latency: one.latency,
                overlap: match one.pipelined {
                    Pipelining::Pipelined => "pipelined",
                    Pipelining::Serial => "serial",
                    Pipelining::WorkItems => "work-items",
                },
                limit: describe::limit(&one.limit, Some(sources)),
            },
            What::Divergent => WhatData::NoSimd,
            What::MissedBarrier(found) => WhatData::MissedBarrier {
                verdict: found.verdict.name(),
                missed: found.share,
            },
        },
    }
}
