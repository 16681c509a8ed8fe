//! What was noted on the way, as facts and diagnostics.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::{FileId, SourceMap, Span};
use fpgacc_launch_facts::{
    Arg, ArgValue, Buffer, Facts, Known, Launch, LocalSize, Location, Program, ProgramSource,
    QueueOrder, Value, Within, memory_flags,
};

use crate::Analysis;
use crate::arguments::{Arguments, AskedKernel};
use crate::interp::Interp;
use crate::location::ObjectId;
use crate::numbers::{merge_args, merge_values};
use crate::object::{Around, Object, ObjectKind, Visit};
use crate::patch::announced_loops;
use crate::syntax::HostFile;
use crate::turns::taking_turns;
use crate::value::Val;

/// The option that shows what the analysis could not find out.
const MISSED: &str = "-Rpass-missed=host-analysis";

/// Facts and diagnostics of an analysis.
pub(crate) fn report(interp: &Interp<'_>, hosts: &[HostFile], sources: &SourceMap) -> Analysis {
    let mut diagnostics = Vec::new();
    let mut facts = Facts {
        launches: launches(interp, hosts, sources, &mut diagnostics),
        ..Facts::default()
    };
    collect_objects(interp, sources, &mut facts);
    memory_of_any(interp, &mut facts);
    stray_builds(interp, &mut facts);
    open_kernels(interp, &mut facts);
    if facts.programs.iter().any(|p| p.sources.get().is_none()) {
        facts.texts = kernel_texts(hosts, sources);
    }
    if facts.launches.is_empty() {
        diagnostics.extend(no_launch(hosts, sources));
    }
    diagnostics.extend(not_understood(hosts, sources));
    if interp.budget.flat {
        diagnostics.push(
            Diagnostic::remark("the host is too large to be followed through calls and loops")
                .option(MISSED),
        );
    }
    Analysis {
        facts,
        arguments: arguments(interp),
        asked: asked_kernels(interp),
        diagnostics,
    }
}

/// The launches, each with what all visits to it showed.
fn launches(
    interp: &Interp<'_>,
    hosts: &[HostFile],
    sources: &SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Launch> {
    let mut merged: BTreeMap<Span, Launch> = BTreeMap::new();
    for visit in &interp.trace.visits {
        let launch = match merged.get(&visit.site) {
            None => visit.launch.clone(),
            Some(now) => merge_launches(now, &visit.launch),
        };
        merged.insert(visit.site, launch);
    }
    let mut loops = loops(interp);
    let announced = announced(hosts, sources);
    let turns = taking_turns(&interp.trace.visits, &interp.trace.launched);
    let placed = merged.into_iter().map(|(site, mut launch)| {
        launch.site = sources.location(site);
        launch.same.sort_unstable();
        launch.same.dedup();
        keep_choices(&mut launch);
        launch.times = launch.times.filter(|times| *times > 1);
        let around = loops.remove(&site);
        let turn = turns.get(&site);
        let watched = around
            .as_ref()
            .and_then(|around| watched(interp, &announced, around.site, turn.is_some()));
        launch.watched = watched.is_some();
        launch.within = around.map(|around| Within {
            site: sources.location(around.site),
            changes: around.changes.into_iter().collect(),
        });
        if let Some(pair) = turn {
            take_turn(&mut launch, *pair);
        }
        remarks(site, &launch, diagnostics);
        if let Some(why) = watched.or_else(|| taking_more_turns(&launch)) {
            remark_on_row(site, &launch, &why, diagnostics);
        }
        launch
    });
    placed.collect()
}

/// Why the launches of a loop cannot be put off until its next rounds. `None`: they can.
fn watched(
    interp: &Interp<'_>,
    announced: &BTreeSet<(FileId, u32)>,
    site: Span,
    takes_turns: bool,
) -> Option<String> {
    if let Some(why) = interp.trace.watched.get(&site) {
        return Some(why.clone());
    }
    let launched = interp.trace.launched.get(&site);
    if !takes_turns && launched.is_some_and(|all| all.len() > 1) {
        return Some("there are several launches in the loop, which do not take turns".to_string());
    }
    let why = interp.trace.waiting.get(&site)?;
    let is_announced = announced.contains(&(site.file, site.start));
    (!is_announced).then(|| format!("{why}, and the loop does not say how often it goes round"))
}

/// The loops of the hosts that tell the runtime how often they go round, by their file and offset.
fn announced(hosts: &[HostFile], sources: &SourceMap) -> BTreeSet<(FileId, u32)> {
    let of_host = |host: &HostFile| {
        let (part, file) = (host.main(), host.main().file);
        let is_macro = |name: &str| host.macros.knows(name);
        let is_value = |name: &str| host.macros.is_value(name);
        let text = sources.file(file).text.as_bytes();
        let loops = announced_loops(text, &part.lines, is_macro, is_value);
        loops.into_iter().map(move |offset| (file, offset as u32))
    };
    hosts.iter().flat_map(of_host).collect()
}

/// Why launches whose buffers change places do not exchange them.
fn taking_more_turns(launch: &Launch) -> Option<String> {
    let is_one_of_more = |index: u32| {
        let mut args = launch.args.iter().filter(|arg| arg.index == index);
        args.any(|arg| matches!(&arg.value, ArgValue::AnyOf(names) if names.len() > 2))
    };
    let mut pairs = launch.apart.iter();
    let takes = pairs.any(|(one, other)| is_one_of_more(*one) && is_one_of_more(*other));
    (takes && launch.within.is_some()).then(|| "more than two buffers take turns".to_string())
}

/// Says that the launches of a loop would be ones in a row.
fn remark_on_row(site: Span, launch: &Launch, why: &str, diagnostics: &mut Vec<Diagnostic>) {
    let changes = launch.within.as_ref().map(|within| &within.changes);
    let is_like = launch.apart.iter().any(|(one, other)| {
        let both = [one, other].map(|index| format!("argument {index}"));
        changes.is_some_and(|changes| both.iter().all(|one| changes.contains(one)))
    });
    if is_like {
        let what = "the launches of this loop change their buffers, and are carried out one by one";
        let remark = Diagnostic::remark(what).at(site).note(why.to_string());
        diagnostics.push(remark.option(MISSED));
    }
}

/// Notes that the launches of a loop exchange two arguments from one to the next, this one among them.
fn take_turn(launch: &mut Launch, (one, other): (u32, u32)) {
    if !launch.apart.contains(&(one, other)) {
        launch.apart.push((one, other));
        launch.apart.sort_unstable();
    }
    if let Some(within) = &mut launch.within {
        let changes = [one, other].map(|index| format!("argument {index}"));
        let changes: BTreeSet<String> = within.changes.drain(..).chain(changes).collect();
        within.changes = changes.into_iter().collect();
    }
}

/// Of two arguments that are one buffer each the names say as much.
fn keep_choices(launch: &mut Launch) {
    let is_choice = |index: u32| {
        let mut args = launch.args.iter();
        args.any(|arg| arg.index == index && matches!(arg.value, ArgValue::AnyOf(_)))
    };
    let mut apart = std::mem::take(&mut launch.apart);
    apart.retain(|(a, b)| is_choice(*a) && is_choice(*b));
    apart.sort_unstable();
    launch.apart = apart;
}

/// The loops around launches, with what differs between their rounds.
fn loops(interp: &Interp<'_>) -> BTreeMap<Span, Around> {
    let mut loops: BTreeMap<Span, Around> = BTreeMap::new();
    let mut last: BTreeMap<Span, &Visit> = BTreeMap::new();
    for visit in &interp.trace.visits {
        let Some(around) = &visit.within else {
            continue;
        };
        let known = loops.entry(visit.site).or_insert_with(|| around.clone());
        known.changes.extend(around.changes.iter().cloned());
        if let Some(before) = last.insert(visit.site, visit)
            && before.within.as_ref().map(|a| a.activation) == Some(around.activation)
        {
            let changes = differences(&before.launch, &visit.launch);
            known.changes.extend(changes);
        }
    }
    loops
}

fn no_launch(hosts: &[HostFile], sources: &SourceMap) -> Option<Diagnostic> {
    let name = &sources.file(hosts.first()?.main().file).name;
    let what = match hosts.len() {
        1 => format!("no kernel launch found in '{name}'"),
        more => format!(
            "no kernel launch found in '{name}' and {} other files",
            more - 1
        ),
    };
    let warning = Diagnostic::warning(what)
        .note("launches in files or libraries that are not given are not seen");
    Some(warning.option("-Wlaunch"))
}

/// Warnings of files of which nothing was understood.
fn not_understood(hosts: &[HostFile], sources: &SourceMap) -> Vec<Diagnostic> {
    let empty = hosts.iter().map(HostFile::main);
    let empty = empty.filter(|part| part.ast.is_empty());
    let errors = empty.filter_map(|part| part.errors.first());
    errors
        .map(|error| {
            Diagnostic::warning("this file is not understood: nothing is known of its launches")
                .at(sources.line_span(error.file, 1))
        })
        .collect()
}

fn arguments(interp: &Interp<'_>) -> Vec<Arguments> {
    let mut found: Vec<Arguments> = Vec::new();
    let visits = interp.trace.visits.iter();
    for one in visits.filter_map(|visit| visit.arguments.as_ref()) {
        if !found.contains(one) {
            found.push(one.clone());
        }
    }
    found
}

fn asked_kernels(interp: &Interp<'_>) -> Vec<AskedKernel> {
    let mut found: Vec<AskedKernel> = Vec::new();
    for object in interp.objects.iter() {
        let ObjectKind::Kernel { name } = &object.kind else {
            continue;
        };
        for name in name.alternatives() {
            let Val::Text(text) = name else { continue };
            let Some(name) = text.chars() else { continue };
            let site = object.site;
            let asked = AskedKernel { site, name };
            if !found.contains(&asked) {
                found.push(asked);
            }
        }
    }
    found
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

/// What differs between two rounds of a loop.
fn differences(a: &Launch, b: &Launch) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |name: &str, a: &[Value], b: &[Value]| {
        for (index, (a, b)) in a.iter().zip(b).enumerate() {
            if a != b {
                found.push(format!("{name} {index}"));
            }
        }
    };
    compare("offset", &a.offset, &b.offset);
    compare("global", &a.global, &b.global);
    if let (LocalSize::Sizes(a), LocalSize::Sizes(b)) = (&a.local, &b.local) {
        compare("local", a, b);
    }
    for arg in &a.args {
        if b.args.iter().any(|o| o.index == arg.index && o != arg) {
            found.push(format!("argument {}", arg.index));
        }
    }
    found
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
        queue: match a.queue == b.queue {
            true => a.queue,
            false => QueueOrder::Unknown,
        },
        within: None,
        same: a.same.iter().chain(&b.same).copied().collect(),
        apart: (a.apart.iter().copied())
            .filter(|pair| b.apart.contains(pair))
            .collect(),
        watched: a.watched || b.watched,
        times: a.times.zip(b.times).map(|(a, b)| a.saturating_add(b)),
        recorded: None,
    }
}

/// A kernel of a program that is not followed may be one of any program.
fn open_kernels(interp: &Interp<'_>, facts: &mut Facts) {
    if !interp.trace.has_kernels_of_any {
        return;
    }
    let any =
        || Known::Unknown("a kernel is created of a program that is not followed".to_string());
    for program in &mut facts.programs {
        if program.kernels.iter().all(|kernel| kernel.get().is_some()) {
            program.kernels.push(any());
        }
    }
}

/// What a variable took at its creation has the variable's name, and so has what else it may hold: then
/// the name says nothing.
fn memory_of_any(interp: &Interp<'_>, facts: &mut Facts) {
    let made = facts.buffers.iter().filter_map(|b| b.variable.as_ref());
    let held: BTreeSet<&String> = made
        .filter(|name| interp.trace.hold_any_memory.contains(*name))
        .collect();
    let args = facts
        .launches
        .iter_mut()
        .flat_map(|launch| &mut launch.args);
    for arg in args {
        let Some(names) = arg.value.memory() else {
            continue;
        };
        if let Some(name) = names.iter().find(|name| held.contains(name)) {
            let text = format!("`{name}` may hold other memory than it was made with");
            arg.value = ArgValue::Unknown(text);
        }
    }
}

/// A program that is built nowhere may be one that is built without being followed.
fn stray_builds(interp: &Interp<'_>, facts: &mut Facts) {
    let unbuilt = facts.programs.iter_mut().filter(|p| p.options.is_empty());
    for program in unbuilt {
        program.options.clone_from(&interp.trace.stray_builds);
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
                is_part,
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
                        is_part: *is_part,
                        kernels: kernels.clone(),
                        recorded: None,
                    });
                    continue;
                };
                program.is_part |= is_part;
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
            ObjectKind::Memory { .. } => {
                let buffer = buffer(interp, object, site);
                let all = buffers.entry(object.site).or_default();
                match all.iter_mut().find(|b| b.variable == buffer.variable) {
                    Some(known) => merge_buffers(known, &buffer),
                    None => all.push(buffer),
                }
            }
            ObjectKind::Kernel { .. } | ObjectKind::Queue { .. } | ObjectKind::Heap => {}
        }
    }
    facts.programs = programs.into_values().flatten().collect();
    facts.buffers = buffers.into_values().flatten().collect();
}

/// String literals that look like programs.
fn kernel_texts(hosts: &[HostFile], sources: &SourceMap) -> Vec<ProgramSource> {
    let asts = hosts
        .iter()
        .flat_map(|host| &host.parts)
        .map(|part| &part.ast);
    let mut found: BTreeMap<Span, &str> = BTreeMap::new();
    for (text, span) in asts.flat_map(|ast| ast.strings()) {
        if text.contains("kernel") && text.contains('(') && text.contains('{') {
            found.insert(span, text);
        }
    }
    let source = |(span, text): (Span, &str)| ProgramSource::Text {
        text: text.to_string(),
        site: sources.location(span),
    };
    found.into_iter().map(source).collect()
}

/// A memory object as a fact.
fn buffer(interp: &Interp<'_>, object: &Object, site: Location) -> Buffer {
    let ObjectKind::Memory {
        flags,
        part,
        size,
        holder,
        ..
    } = &object.kind
    else {
        unreachable!("only memory is a buffer");
    };
    let held = |id: ObjectId| match &interp.objects.get(id).kind {
        ObjectKind::Memory { holder, .. } => holder.clone(),
        _ => None,
    };
    Buffer {
        site,
        variable: holder.clone(),
        use_host_ptr: flags.is_none_or(|flags| flags & memory_flags::USE_HOST_PTR != 0),
        sub_buffer: part.is_some(),
        flags: flags.map(memory_flags::names),
        parent: part.as_ref().and_then(|part| held(part.of?)),
        origin: part.as_ref().map(|part| part.origin.clone()),
        size: size.clone(),
        recorded: None,
    }
}

/// Two creations by one call that the same variable takes.
fn merge_buffers(known: &mut Buffer, other: &Buffer) {
    known.use_host_ptr |= other.use_host_ptr;
    known.size = merge_values(&known.size, &other.size);
    if known.flags != other.flags {
        known.flags = None;
    }
    if known.parent != other.parent {
        known.parent = None;
    }
    known.origin = match (&known.origin, &other.origin) {
        (Some(a), Some(b)) => Some(merge_values(a, b)),
        _ => None,
    };
}

/// What is not known of a launch, and why.
fn remarks(site: Span, launch: &Launch, diagnostics: &mut Vec<Diagnostic>) {
    let mut report = |what: &str, reason: &str| {
        diagnostics.push(
            Diagnostic::remark(format!("{what} of this launch is not known"))
                .at(site)
                .note(reason.to_string())
                .option(MISSED),
        );
    };
    if let Known::Unknown(reason) = &launch.kernels {
        report("the kernel", reason);
    }
    match &launch.local {
        LocalSize::Unknown(reason) => report("the local size", reason),
        LocalSize::Sizes(sizes) => {
            for size in sizes {
                if let Value::Unknown(reason) = size {
                    report("the local size", reason);
                    break;
                }
            }
        }
        LocalSize::Null => {}
    }
    for arg in &launch.args {
        if let ArgValue::Unknown(reason) = &arg.value {
            report(&format!("argument {}", arg.index), reason);
        }
    }
}
