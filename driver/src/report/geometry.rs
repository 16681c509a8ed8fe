//! `fpgacc report --geometry`: sizes of work-groups for a GPU, best first, with what limits each.

use std::collections::BTreeMap;
use std::fmt::Write;

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_frontend::source::{SourceMap, Span};
use fpgacc_gpu_model::device::Device;
use fpgacc_gpu_model::geometry::legality::observed;
use fpgacc_gpu_model::geometry::shape::Shape;
use fpgacc_gpu_model::geometry::{self, Ranked};
use fpgacc_gpu_model::profile::{self, Sizes};
use fpgacc_kernel_analysis::geometry::{Geometry, LocalGeometry};
use fpgacc_launch_facts::{ArgValue, Launch, Value};

use crate::session::{Session, Step};
use crate::{facts, gather, gpu, rewriting};

/// Sizes that are shown of a launch.
const SHOWN: usize = 5;

/// The report on the kernels of the inputs; empty if there is none.
pub fn text(session: &mut Session, device: &str) -> Step<String> {
    let device = gpu::device(session, device, &[])?;
    if device.units.is_none() {
        let error = Diagnostic::error(format!(
            "the device '{}' has no units: nothing is known of its times",
            device.name
        ));
        return session.fail(error.help("there is h200; a file (.yaml) describes others"));
    }
    let gathered = gather::read_sources(session)?;
    let hosts = facts::of(session, &gathered)?;
    let compiled = rewriting::with(session, &gathered, &hosts)?.compiled;
    let modules = (compiled.iter()).filter_map(|one| one.rewritten.parsed.as_ref());
    let mut text = String::new();
    for module in modules {
        if text.is_empty() && module.kernels().next().is_some() {
            let _ = writeln!(text, "On {}:", device.title);
        }
        for kernel in module.kernels() {
            let name = &module.functions[kernel].name;
            let launched = |launch: &&Launch| {
                let names = launch.kernels.get();
                names.is_some_and(|names| names.contains(name))
            };
            let launches: Vec<&Launch> = hosts.facts.launches.iter().filter(launched).collect();
            let scene = Scene {
                device: &device,
                sources: &session.sources,
                module,
                kernel,
            };
            scene.write(&mut text, &launches);
        }
    }
    Ok(text)
}

/// A kernel and the device that it is to run on.
struct Scene<'a> {
    device: &'a Device,
    sources: &'a SourceMap,
    module: &'a Module,
    kernel: FunctionId,
}

impl Scene<'_> {
    fn write(&self, text: &mut String, launches: &[&Launch]) {
        let function = &self.module.functions[self.kernel];
        let _ = writeln!(
            text,
            "{}{}",
            function.name,
            self.place(function.span, " at ")
        );
        if let Some(observed) = observed(self.module, self.kernel) {
            let place = self.place(observed.span, " at ");
            let _ = writeln!(
                text,
                "  the size of its groups is part of what it does: {}{place}",
                observed.what
            );
            return;
        }
        if launches.is_empty() {
            text.push_str("  no host launches it: give its host, or the facts of a run\n");
        }
        let mut told = Vec::new();
        for launch in launches {
            let told_of = self.launch(launch);
            if !told.contains(&told_of) {
                text.push_str(&told_of);
                told.push(told_of);
            }
        }
    }

    /// The sizes for one launch.
    fn launch(&self, launch: &Launch) -> String {
        let place = format!("{}:{}", launch.site.file, launch.site.line);
        let known = Geometry::of([launch]);
        let [Some(x), Some(y), Some(z)] = known.global else {
            return format!(
                "  launched at {place} over a global size that is not known: `fpgacc trace` records it\n"
            );
        };
        let global = [x, y, z];
        let sizes = Sizes {
            global,
            scalars: scalars(launch),
        };
        let profile = profile::profile(self.module, self.kernel, &sizes);
        let ranked = geometry::rank(self.device, &profile, global);
        let own = match known.local {
            LocalGeometry::Sizes([Some(x), Some(y), Some(z)]) => Some(Shape([x, y, z])),
            _ => None,
        };
        let mut text = format!(
            "  launched at {place} over {}, groups of {}\n",
            Shape(global),
            own.map_or_else(
                || "a size that is left open".to_string(),
                |own| own.to_string()
            ),
        );
        let Some(first) = ranked.first() else {
            return text;
        };
        text.push_str("         size       time           units  warps  sectors  limited by\n");
        let is_own = |one: &&Ranked| Some(one.shape) == own;
        let shown = ranked.iter().take(SHOWN);
        let beyond = ranked.iter().skip(SHOWN).find(is_own);
        for one in shown.chain(beyond) {
            let note = if is_own(&one) {
                " (the host's size)"
            } else {
                ""
            };
            let _ = writeln!(text, "{}{note}", row(one, first.prediction.seconds));
        }
        text
    }

    fn place(&self, span: Option<Span>, before: &str) -> String {
        span.map_or_else(String::new, |span| {
            let at = self.sources.location(span);
            format!("{before}{}:{}", at.file, at.line)
        })
    }
}

/// A shape, its time, and why.
fn row(one: &Ranked, best: f64) -> String {
    let of = &one.prediction;
    // What is taken to be equal is ranked by a rule of thumb.
    let by = (of.seconds / best).max(1.0);
    format!(
        "    {:>9}  {:>9}  {by:5.2}x  {:>5}  {:>5}  {:>7.1}  {}",
        one.shape.to_string(),
        time(of.seconds),
        of.units,
        of.warps,
        of.sectors,
        of.limit.words()
    )
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} us", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.1} s"),
    }
}

/// Integer arguments that are constants.
fn scalars(launch: &Launch) -> BTreeMap<u32, i64> {
    let known = launch.args.iter().filter_map(|arg| match arg.value {
        ArgValue::Scalar(Value::Const(value)) => Some((arg.index, value as i64)),
        _ => None,
    });
    known.collect()
}
