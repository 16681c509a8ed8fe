//! `fpgacc facts explain`: what is known of a call, how, and what ended the trail where it is not.

use std::fmt::Write;

use fpgacc_launch_facts::recorded::{BranchKind, RecordedProgram};
use fpgacc_launch_facts::{
    Arg, ArgValue, Buffer, Facts, Known, Launch, LocalSize, Location, Program, ProgramSource,
    QueueOrder, Value,
};

use crate::agree::{describe, is_same_call};

/// Width of the column of names.
const NAMES: usize = 18;

/// All facts of the calls at a line, for people; empty if there are none.
pub fn explain(facts: &Facts, site: &Location) -> String {
    let mut text = String::new();
    for launch in facts
        .launches
        .iter()
        .filter(|l| is_same_call(&l.site, site))
    {
        explain_launch(&mut text, facts, launch);
    }
    for program in facts
        .programs
        .iter()
        .filter(|p| is_same_call(&p.site, site))
    {
        explain_program(&mut text, program);
    }
    for buffer in facts.buffers.iter().filter(|b| is_same_call(&b.site, site)) {
        explain_buffer(&mut text, buffer);
    }
    let recorded = facts.programs.iter().filter_map(|p| p.recorded.as_ref());
    for recorded in recorded {
        explain_counts(&mut text, recorded, site);
    }
    text
}

/// What runs counted at a line of kernels.
fn explain_counts(text: &mut String, recorded: &RecordedProgram, site: &Location) {
    let loops = recorded.loops.iter();
    for one in loops.filter(|l| is_same_call(&l.site, site)) {
        head(text, &one.site, &format!("a loop of `{}`", one.function));
        let (entries, iterations) = (one.entries, one.iterations);
        let counted = format!("entered {entries} times, {iterations} iterations");
        let counted = match entries {
            0 => "never entered".to_string(),
            _ => format!(
                "{counted}: {:.1} each time",
                iterations as f64 / entries as f64
            ),
        };
        line(text, "recorded", &counted);
    }
    let branches = recorded.branches.iter();
    for one in branches.filter(|b| is_same_call(&b.site, site)) {
        let what = match one.kind {
            BranchKind::If => "a branch",
            BranchKind::Case => "a case of a switch",
        };
        head(text, &one.site, &format!("{what} of `{}`", one.function));
        let (evaluated, taken) = (one.evaluated, one.taken);
        let counted = match evaluated {
            0 => "never reached".to_string(),
            _ => {
                let part = 100.0 * taken as f64 / evaluated as f64;
                format!("taken {taken} times of {evaluated}: {part:.1} %")
            }
        };
        line(text, "recorded", &counted);
    }
}

/// Calls of the file that something is known of, in order of lines.
pub fn known_calls(facts: &Facts, site: &Location) -> Vec<Location> {
    let launches = facts.launches.iter().map(|l| &l.site);
    let programs = facts.programs.iter().map(|p| &p.site);
    let buffers = facts.buffers.iter().map(|b| &b.site);
    let mut calls: Vec<Location> = launches
        .chain(programs)
        .chain(buffers)
        .filter(|call| {
            let line = call.line;
            is_same_call(
                call,
                &Location {
                    line,
                    ..site.clone()
                },
            )
        })
        .cloned()
        .collect();
    calls.sort();
    calls.dedup_by_key(|call| call.line);
    calls
}

fn head(text: &mut String, site: &Location, what: &str) {
    let _ = writeln!(text, "{}:{}: {what}", site.file, site.line);
}

fn line(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "  {name:<NAMES$}{value}");
}

/// A number with where its inputs come from.
fn number(text: &mut String, name: &str, value: &Value) {
    match value {
        Value::Unknown(reason) => line(text, name, &format!("not known: {reason}")),
        _ => line(text, name, &describe(value)),
    }
    let mut inputs = Vec::new();
    collect_inputs(value, &mut inputs);
    for (input, origin) in inputs {
        line(text, "", &format!("where `{input}`: {origin}"));
    }
}

fn collect_inputs(value: &Value, inputs: &mut Vec<(String, String)>) {
    match value {
        Value::Symbolic(symbolic) => {
            for (name, origin) in &symbolic.inputs {
                let input = (name.clone(), origin.clone());
                if !inputs.contains(&input) {
                    inputs.push(input);
                }
            }
        }
        Value::AnyOf(all) => {
            for value in all {
                collect_inputs(value, inputs);
            }
        }
        _ => {}
    }
}

fn explain_launch(text: &mut String, facts: &Facts, launch: &Launch) {
    head(text, &launch.site, "a kernel is launched");
    match &launch.kernels {
        Known::Is(names) => line(text, "kernel", &names.join(" or ")),
        Known::Unknown(reason) => line(text, "kernel", &format!("not known: {reason}")),
    }
    number(text, "work_dim", &launch.work_dim);
    for (index, value) in launch.offset.iter().enumerate() {
        if *value != Value::Const(0) {
            number(text, &format!("global offset {index}"), value);
        }
    }
    for (index, value) in launch.global.iter().enumerate() {
        number(text, &format!("global size {index}"), value);
    }
    match &launch.local {
        LocalSize::Null => line(text, "local size", "NULL: the implementation chooses"),
        LocalSize::Sizes(sizes) => {
            for (index, value) in sizes.iter().enumerate() {
                number(text, &format!("local size {index}"), value);
            }
        }
        LocalSize::Unknown(reason) => line(text, "local size", &format!("not known: {reason}")),
    }
    for arg in &launch.args {
        explain_arg(text, facts, arg);
    }
    match launch.queue {
        QueueOrder::InOrder => line(text, "queue", "in order"),
        QueueOrder::OutOfOrder => line(text, "queue", "out of order"),
        QueueOrder::Unknown => line(text, "queue", "not known"),
    }
    if let Some(within) = &launch.within {
        let changes = match within.changes.is_empty() {
            true => "nothing that is known changes between its rounds".to_string(),
            false => format!("between its rounds change: {}", within.changes.join(", ")),
        };
        let site = &within.site;
        line(
            text,
            "loop",
            &format!("{}:{}; {changes}", site.file, site.line),
        );
    }
    if let Some(times) = launch.times {
        line(
            text,
            "times",
            &format!("{times}, as the loops around it say"),
        );
    }
    if let Some(recorded) = &launch.recorded {
        let seen = format!(
            "{} launches in recorded runs: checked at each launch",
            recorded.count
        );
        line(text, "recorded", &seen);
    }
}

fn explain_arg(text: &mut String, facts: &Facts, arg: &Arg) {
    let name = format!("argument {}", arg.index);
    match &arg.value {
        ArgValue::Memory(variable) => {
            line(text, &name, &format!("the memory object `{variable}`"));
            let created = |b: &&Buffer| b.variable.as_ref() == Some(variable);
            for buffer in facts.buffers.iter().filter(created) {
                let made = format!(
                    "{}:{}: {}",
                    buffer.site.file,
                    buffer.site.line,
                    made(buffer)
                );
                line(text, "", &format!("created at {made}"));
            }
        }
        ArgValue::AnyOf(names) => {
            line(
                text,
                &name,
                &format!("one of the memory objects {}", names.join(", ")),
            );
        }
        ArgValue::Local(bytes) => {
            number(text, &name, bytes);
            line(text, "", "bytes of local memory");
        }
        ArgValue::Scalar(value) => number(text, &name, value),
        ArgValue::Seen(all) => line(text, &name, &all.join(" or ")),
        ArgValue::Unknown(reason) => line(text, &name, &format!("not known: {reason}")),
    }
}

fn made(buffer: &Buffer) -> String {
    let flags = match &buffer.flags {
        Some(flags) if flags.is_empty() => "no flags".to_string(),
        Some(flags) => flags.join(" "),
        None => "flags not known".to_string(),
    };
    format!("{flags}, {} bytes", describe(&buffer.size))
}

fn explain_program(text: &mut String, program: &Program) {
    head(text, &program.site, "a program is created");
    match &program.sources {
        Known::Is(sources) => {
            for source in sources {
                match source {
                    ProgramSource::File(name) => {
                        line(text, "source", &format!("the file `{name}`"))
                    }
                    ProgramSource::Text { text: code, site } => {
                        let position = format!("{}:{}", site.file, site.line);
                        line(
                            text,
                            "source",
                            &format!("{} bytes of text at {position}", code.len()),
                        );
                    }
                }
            }
        }
        Known::Unknown(reason) => line(text, "source", &format!("not known: {reason}")),
    }
    for options in &program.options {
        match options {
            Known::Is(options) => line(text, "build options", &format!("\"{options}\"")),
            Known::Unknown(reason) => line(text, "build options", &format!("not known: {reason}")),
        }
    }
    for kernel in &program.kernels {
        match kernel {
            Known::Is(kernel) => line(text, "kernel", kernel),
            Known::Unknown(reason) => line(text, "kernel", &format!("not known: {reason}")),
        }
    }
}

fn explain_buffer(text: &mut String, buffer: &Buffer) {
    let what = match buffer.sub_buffer {
        true => "a sub-buffer is created",
        false => "a buffer is created",
    };
    head(text, &buffer.site, what);
    let held = buffer.variable.as_deref().unwrap_or("not known");
    line(text, "held by", held);
    match &buffer.flags {
        Some(flags) => line(text, "flags", &flags.join(" ")),
        None => line(text, "flags", "not known"),
    }
    number(text, "bytes", &buffer.size);
    if let Some(parent) = &buffer.parent {
        line(text, "part of", parent);
    }
    if let Some(origin) = &buffer.origin {
        number(text, "from byte", origin);
    }
}
