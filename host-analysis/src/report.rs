//! What was noted on the way, as facts and diagnostics.

use std::collections::BTreeMap;

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::facts::{
    Arg, ArgValue, Buffer, Facts, Known, Launch, LocalSize, Program, Value,
};
use fpgacc_frontend::host::HostFile;
use fpgacc_frontend::source::{SourceMap, Span};

use crate::interp::{Interp, merge_args, merge_values};
use crate::object::ObjectKind;

/// The option that shows what the analysis could not find out.
const MISSED: &str = "-Rpass-missed=host-analysis";

/// Facts and diagnostics of an analysis.
pub(crate) fn report(
    interp: &Interp<'_>,
    hosts: &[HostFile],
    sources: &SourceMap,
) -> (Facts, Vec<Diagnostic>) {
    let mut launches: BTreeMap<Span, Launch> = BTreeMap::new();
    for visit in &interp.visits {
        let merged = match launches.get(&visit.site) {
            None => visit.launch.clone(),
            Some(now) => merge_launches(now, &visit.launch),
        };
        launches.insert(visit.site, merged);
    }
    let mut diagnostics = Vec::new();
    let mut facts = Facts::default();
    for (site, mut launch) in launches {
        launch.site = sources.location(site);
        remarks(site, &launch, &mut diagnostics);
        facts.launches.push(launch);
    }
    collect_objects(interp, sources, &mut facts);
    if facts.launches.is_empty()
        && let Some(host) = hosts.first()
    {
        let name = &sources.file(host.main().file).name;
        let what = match hosts.len() {
            1 => format!("no kernel launch found in `{name}`"),
            more => format!(
                "no kernel launch found in `{name}` and {} other files",
                more - 1
            ),
        };
        diagnostics.push(
            Diagnostic::warning(what)
                .note("launches in files or libraries that are not given are not seen")
                .option("-Wno-launch"),
        );
    }
    for part in hosts.iter().map(HostFile::main) {
        if part.ast.is_empty()
            && let Some(&error) = part.errors.first()
        {
            diagnostics.push(
                Diagnostic::warning(
                    "this file is not understood: nothing is known of its launches",
                )
                .at(sources.line_span(error.file, 1)),
            );
        }
    }
    if interp.flat {
        diagnostics.push(
            Diagnostic::remark("the host is too large to be followed through calls and loops")
                .option(MISSED),
        );
    }
    (facts, diagnostics)
}

fn merge_known<T: Clone + PartialEq>(a: &Known<Vec<T>>, b: &Known<Vec<T>>) -> Known<Vec<T>> {
    match (a, b) {
        (Known::Unknown(_), _) => a.clone(),
        (_, Known::Unknown(_)) => b.clone(),
        (Known::Is(a), Known::Is(b)) => {
            let mut all = a.clone();
            for item in b {
                if !all.contains(item) {
                    all.push(item.clone());
                }
            }
            Known::Is(all)
        }
    }
}

fn merge_sizes(a: &[Value], b: &[Value]) -> Vec<Value> {
    let count = a.len().max(b.len());
    let missing = Value::Unknown("the number of dimensions depends on the path".to_string());
    (0..count)
        .map(|i| merge_values(a.get(i).unwrap_or(&missing), b.get(i).unwrap_or(&missing)))
        .collect()
}

/// What holds for a launch that is reached in two ways.
fn merge_launches(a: &Launch, b: &Launch) -> Launch {
    let args = a.args.iter().filter_map(|arg| {
        let other = b.args.iter().find(|other| other.index == arg.index)?;
        Some(Arg {
            index: arg.index,
            value: merge_args(&arg.value, &other.value),
        })
    });
    Launch {
        site: a.site.clone(),
        kernels: merge_known(&a.kernels, &b.kernels),
        work_dim: merge_values(&a.work_dim, &b.work_dim),
        offset: merge_sizes(&a.offset, &b.offset),
        global: merge_sizes(&a.global, &b.global),
        local: match (&a.local, &b.local) {
            (LocalSize::Null, LocalSize::Null) => LocalSize::Null,
            (LocalSize::Sizes(a), LocalSize::Sizes(b)) => LocalSize::Sizes(merge_sizes(a, b)),
            (LocalSize::Unknown(_), _) => a.local.clone(),
            (_, LocalSize::Unknown(_)) => b.local.clone(),
            _ => LocalSize::Unknown("it is NULL or not, depending on the path".to_string()),
        },
        args: args.collect(),
        recorded: None,
    }
}

fn collect_objects(interp: &Interp<'_>, sources: &SourceMap, facts: &mut Facts) {
    let mut programs: BTreeMap<Span, Vec<Program>> = BTreeMap::new();
    let mut buffers: BTreeMap<Span, Vec<Buffer>> = BTreeMap::new();
    for object in interp.objects.iter() {
        let site = sources.location(object.site);
        match &object.kind {
            ObjectKind::Program {
                sources: texts,
                options,
                kernels,
            } => {
                let all = programs.entry(object.site).or_default();
                // The same text from the same call is one program.
                let same = all.iter_mut().find(|p| p.sources == *texts);
                let Some(program) = same else {
                    all.push(Program {
                        site,
                        sources: texts.clone(),
                        options: options.clone(),
                        kernels: kernels.clone(),
                        recorded: None,
                    });
                    continue;
                };
                for option in options {
                    if !program.options.contains(option) {
                        program.options.push(option.clone());
                    }
                }
                for kernel in kernels {
                    if !program.kernels.contains(kernel) {
                        program.kernels.push(kernel.clone());
                    }
                }
            }
            ObjectKind::Memory {
                use_host_ptr,
                sub_buffer,
                size,
                holder,
                ..
            } => {
                let all = buffers.entry(object.site).or_default();
                match all.iter_mut().find(|b| b.variable == *holder) {
                    Some(buffer) => {
                        buffer.use_host_ptr |= use_host_ptr;
                        buffer.size = merge_values(&buffer.size, size);
                    }
                    None => all.push(Buffer {
                        site,
                        variable: holder.clone(),
                        use_host_ptr: *use_host_ptr,
                        sub_buffer: *sub_buffer,
                        size: size.clone(),
                        recorded: None,
                    }),
                }
            }
            ObjectKind::Kernel { .. } | ObjectKind::Heap => {}
        }
    }
    facts.programs = programs.into_values().flatten().collect();
    facts.buffers = buffers.into_values().flatten().collect();
}

/// What is not known of a launch, and why.
fn remarks(site: Span, launch: &Launch, diagnostics: &mut Vec<Diagnostic>) {
    let mut tell = |what: &str, reason: &str| {
        diagnostics.push(
            Diagnostic::remark(format!("{what} of this launch is not known"))
                .at(site)
                .note(reason.to_string())
                .option(MISSED),
        );
    };
    if let Known::Unknown(reason) = &launch.kernels {
        tell("the kernel", reason);
    }
    match &launch.local {
        LocalSize::Unknown(reason) => tell("the local size", reason),
        LocalSize::Sizes(sizes) => {
            for size in sizes {
                if let Value::Unknown(reason) = size {
                    tell("the local size", reason);
                    break;
                }
            }
        }
        LocalSize::Null => {}
    }
    for arg in &launch.args {
        if let ArgValue::Unknown(reason) = &arg.value {
            tell(&format!("argument {}", arg.index), reason);
        }
    }
}
