//! `fpgacc report --geometry`: sizes of work-groups for a device, best first, with what limits each.

use std::fmt::Write;

use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_frontend::source::{SourceMap, Span};
use fpgacc_gpu_model::device::Device;
use fpgacc_gpu_model::geometry::shape::Shape;
use fpgacc_gpu_model::geometry::{Ranked, Rounds};
use fpgacc_kernel_analysis::observed_groups::observed;
use fpgacc_launch_facts::{Facts, Launch};

use super::data::{KernelSizes, LaunchSizes, Position, RoundsTime, Seen, ShapeTime, Sizes};
use super::position::position;
use crate::compiled::Compiled;
use crate::local_sizes::Ranking;
use crate::session::{Session, Step};
use crate::{facts, gather, gpu, rewriting};

/// Sizes that are shown of a launch.
const SHOWN: usize = 5;

/// The report on the kernels of the inputs as text; empty if there is none.
pub fn text(session: &mut Session, device: &str) -> Step<String> {
    let gathered = gather::read_sources(session)?;
    let hosts = facts::of(session, &gathered)?;
    let compiled = rewriting::to_look_at(session, &gathered, &hosts)?;
    let sizes = sizes(session, device, &hosts.facts, &compiled)?;
    let mut text = String::new();
    if !sizes.kernels.is_empty() {
        let _ = writeln!(text, "On {}:", sizes.title);
    }
    for kernel in &sizes.kernels {
        sizes.write(&mut text, kernel);
    }
    Ok(text)
}

/// The sizes for all kernels of programs.
pub fn sizes(
    session: &mut Session,
    device: &str,
    facts: &Facts,
    compiled: &[Compiled],
) -> Step<Sizes> {
    let device = gpu::timed(session, device)?;
    let modules = (compiled.iter()).filter_map(|one| one.rewritten.parsed.as_ref());
    let mut kernels = Vec::new();
    for module in modules {
        for kernel in module.kernels() {
            let scene = Scene {
                device: &device,
                sources: &session.sources,
                module,
                kernel,
            };
            kernels.push(scene.kernel(facts));
        }
    }
    Ok(Sizes {
        device: device.name.clone(),
        title: device.title.clone(),
        words: device.description(),
        kernels,
    })
}

/// A kernel and the device that it is to run on.
struct Scene<'a> {
    device: &'a Device,
    sources: &'a SourceMap,
    module: &'a Module,
    kernel: FunctionId,
}

impl Scene<'_> {
    fn kernel(&self, facts: &Facts) -> KernelSizes {
        let function = &self.module.functions[self.kernel];
        let observed = observed(self.module, self.kernel).map(|seen| Seen {
            position: self.position(seen.span),
            what: seen.what,
        });
        let launched = |launch: &&Launch| {
            let names = launch.kernels.get();
            observed.is_none() && names.is_some_and(|names| names.contains(&function.name))
        };
        let mut launches = Vec::new();
        for launch in facts.launches.iter().filter(launched) {
            let one = self.launch(launch);
            if !launches.contains(&one) {
                launches.push(one);
            }
        }
        KernelSizes {
            name: function.name.clone(),
            position: self.position(function.span),
            observed,
            launches,
        }
    }

    /// The sizes for one launch.
    fn launch(&self, launch: &Launch) -> LaunchSizes {
        let ranking = Ranking::of(self.device, self.module, self.kernel, launch);
        let ranking = ranking.as_ref();
        let own = ranking.and_then(|ranking| ranking.own);
        let shapes = ranking.map_or(&[][..], |ranking| ranking.ranked.as_slice());
        LaunchSizes {
            position: Position {
                file: launch.site.file.clone(),
                line: launch.site.line,
            },
            global: ranking.map(|ranking| ranking.global),
            own: own.map(|own| own.0),
            chosen: ranking.and_then(Ranking::chosen).map(|one| one.shape.0),
            shapes: shapes.iter().map(|one| shape_time(one, own)).collect(),
            rounds: ranking
                .and_then(|ranking| ranking.rounds)
                .map(|Rounds { factor, seconds }| RoundsTime { factor, seconds }),
        }
    }

    fn position(&self, span: Option<Span>) -> Option<Position> {
        span.map(|span| position(self.sources, span))
    }
}

fn shape_time(one: &Ranked, own: Option<Shape>) -> ShapeTime {
    let of = &one.prediction;
    ShapeTime {
        local: one.shape.0,
        seconds: of.seconds,
        units: of.units,
        warps: of.warps,
        sectors: of.sectors,
        limit: of.limit.description(),
        is_own: Some(one.shape) == own,
    }
}

impl Sizes {
    fn write(&self, text: &mut String, kernel: &KernelSizes) {
        let _ = writeln!(text, "{}{}", kernel.name, at(kernel.position.as_ref()));
        if let Some(seen) = &kernel.observed {
            let _ = writeln!(
                text,
                "  the size of its work-groups is part of what it does: {}{}",
                seen.what,
                at(seen.position.as_ref())
            );
            return;
        }
        if kernel.launches.is_empty() {
            text.push_str("  no host launches it: give its host, or the facts of a run\n");
        }
        for launch in &kernel.launches {
            self.write_launch(text, launch);
        }
    }

    fn write_launch(&self, text: &mut String, launch: &LaunchSizes) {
        let position = format!("{}:{}", launch.position.file, launch.position.line);
        let Some(global) = launch.global else {
            let _ = writeln!(
                text,
                "  launched at {position} over a global size that is not known: `fpgacc trace` records it"
            );
            return;
        };
        let own = launch.own.map(Shape);
        let _ = writeln!(
            text,
            "  launched at {position} over {}, work-groups of {}",
            Shape(global),
            own.map_or_else(
                || "a size that is left open".to_string(),
                |own| own.to_string()
            ),
        );
        let Some(first) = launch.shapes.first() else {
            return;
        };
        let [units, warps, sectors] = self.words;
        let _ = writeln!(
            text,
            "         size       time           {units}  {warps}  {sectors:>7}  limited by"
        );
        let shown = launch.shapes.iter().take(SHOWN);
        let beyond = launch.shapes.iter().skip(SHOWN).find(|one| one.is_own);
        for one in shown.chain(beyond) {
            let note = if one.is_own { " (the host's size)" } else { "" };
            let _ = writeln!(text, "{}{note}", row(one, first.seconds));
        }
        if let Some(rounds) = &launch.rounds {
            let _ = writeln!(
                text,
                "    with -fgroup-loop={}, which starts fewer work-groups: {}, {:.2} times as fast",
                rounds.factor,
                time(rounds.seconds),
                first.seconds / rounds.seconds
            );
        }
    }
}

fn at(position: Option<&Position>) -> String {
    position.map_or_else(String::new, |at| format!(" at {}:{}", at.file, at.line))
}

/// A shape, its time, and why.
fn row(one: &ShapeTime, best: f64) -> String {
    // What is taken to be equal is ranked by a rule of thumb.
    let by = (one.seconds / best).max(1.0);
    format!(
        "    {:>9}  {:>9}  {by:5.2}x  {:>5}  {:>5}  {:>7.1}  {}",
        Shape(one.local).to_string(),
        time(one.seconds),
        one.units,
        one.warps,
        one.sectors,
        one.limit
    )
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} us", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.1} s"),
    }
}
