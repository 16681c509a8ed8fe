//! Facts that the user gives: they fill what the analysis does not know and win where it knows less;
//! where they contradict what it proves, that is an error.

use fpgacc_decision::tuned;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_launch_facts::{
    Arg, ArgValue, Buffer, Facts, Known, Launch, LocalSize, Program, QueueOrder, Value,
};

use crate::agree::{self, is_same_call};
use crate::session::{Session, Step};
use crate::tool;

/// Puts what the user gave into the facts of the analysis.
///
/// # Errors
///
/// Facts of the host that exclude what was given, all of them.
pub fn apply(session: &mut Session, facts: &mut Facts, given: &Facts) -> Step<()> {
    let mut wrong = agree::contradictions(facts, given);
    let last = wrong.pop();
    for one in wrong {
        let error = contradicted(session, &one);
        session.report(error);
    }
    if let Some(one) = last {
        let error = contradicted(session, &one);
        return session.fail(error);
    }
    for launch in &given.launches {
        fill(&mut facts.launches, launch, |l| &l.site, fill_launch);
    }
    for program in &given.programs {
        fill(&mut facts.programs, program, |p| &p.site, fill_program);
    }
    for buffer in &given.buffers {
        fill(&mut facts.buffers, buffer, |b| &b.site, fill_buffer);
    }
    Ok(())
}

/// Takes over how kernels are to be executed.
///
/// # Errors
///
/// Two files want different things of a kernel.
pub fn take_models(session: &mut Session, facts: &mut Facts, given: &Facts) -> Step<()> {
    for (kernel, &model) in &given.execution_models {
        let before = facts.execution_models.insert(kernel.clone(), model);
        if let Some(before) = before.filter(|before| *before != model) {
            let (before, model) = (before.word(), model.word());
            let message = format!(
                "kernel '{kernel}' is to be executed as {before} by one file of facts, as {model} \
                 by another"
            );
            return session.fail(Diagnostic::error(message).help("leave it out of one of them"));
        }
    }
    Ok(())
}

/// Takes over the variants of kernels that were found on the device that is built for.
///
/// # Errors
///
/// A variant asks for what there is not, or there are two of a kernel.
pub fn take_tuned(session: &mut Session, facts: &mut Facts, given: &Facts) -> Step<()> {
    let device = tool::device(&session.options);
    for tuned in &given.tuned {
        if Some(tuned.device.as_str()) != device.as_deref() {
            let message = format!("facts that were tuned on '{}' are left out", tuned.device);
            let built = device.as_deref().unwrap_or("no device");
            let note = format!("this build is for '{built}'");
            session.report(Diagnostic::warning(message).note(note));
            continue;
        }
        for (kernel, variant) in &tuned.kernels {
            let mut known = facts.tuned.iter();
            if known.any(|known| known.kernels.contains_key(kernel)) {
                let message = format!(
                    "there are two variants of kernel '{kernel}' for '{}'",
                    tuned.device
                );
                return session.fail(Diagnostic::error(message).help("leave one of them out"));
            }
            if let Err(wrong) = tuned::pipeline(kernel, variant, facts, &session.options.pipeline) {
                let message = format!("tuned: kernels: {kernel}: {wrong}");
                return session.fail(
                    Diagnostic::error(message).help("fpgacc tune makes such facts: measure again"),
                );
            }
        }
        let aoc_args = &mut session.options.aoc_args;
        let new = tuned.aoc.iter().filter(|arg| !aoc_args.contains(arg));
        let new: Vec<String> = new.cloned().collect();
        aoc_args.extend(new);
        facts.tuned.push(tuned.clone());
    }
    Ok(())
}

fn contradicted(session: &Session, one: &agree::Contradiction) -> Diagnostic {
    let message = format!(
        "{} is {} in the given facts, but the host says {}",
        one.what, one.second, one.first
    );
    let error = Diagnostic::error(message);
    let error = match session.sources.find(&one.site.file) {
        Some(file) => error.at(session.sources.line_span(file, one.site.line)),
        None => error.note(format!("at {}", one.site)),
    };
    error.help("correct the file of facts, or leave this fact out of it")
}

/// Fills the entries of a call, or adds one.
fn fill<T: Clone>(
    entries: &mut Vec<T>,
    given: &T,
    site: impl Fn(&T) -> &fpgacc_launch_facts::Location,
    with: impl Fn(&mut T, &T),
) {
    let mut here = entries
        .iter_mut()
        .filter(|entry| is_same_call(site(entry), site(given)))
        .peekable();
    if here.peek().is_none() {
        drop(here);
        entries.push(given.clone());
        entries.sort_by(|a, b| site(a).cmp(site(b)));
        return;
    }
    for entry in here {
        with(entry, given);
    }
}

fn fill_known<T: Clone>(known: &mut Known<T>, given: &Known<T>) {
    if given.get().is_some() {
        *known = given.clone();
    }
}

fn fill_value(known: &mut Value, given: &Value) {
    if given.is_known() {
        *known = given.clone();
    }
}

fn fill_values(known: &mut Vec<Value>, given: &[Value]) {
    for (index, value) in given.iter().enumerate() {
        match known.get_mut(index) {
            Some(known) => fill_value(known, value),
            None => known.push(value.clone()),
        }
    }
}

fn fill_launch(known: &mut Launch, given: &Launch) {
    fill_known(&mut known.kernels, &given.kernels);
    fill_value(&mut known.work_dim, &given.work_dim);
    fill_values(&mut known.offset, &given.offset);
    fill_values(&mut known.global, &given.global);
    match (&mut known.local, &given.local) {
        (_, LocalSize::Unknown(_)) => {}
        (LocalSize::Sizes(known), LocalSize::Sizes(given)) => fill_values(known, given),
        (known, given) => *known = given.clone(),
    }
    for arg in &given.args {
        fill_arg(&mut known.args, arg);
    }
    known.args.sort_by_key(|arg| arg.index);
    if given.queue != QueueOrder::Unknown {
        known.queue = given.queue;
    }
    if given.within.is_some() {
        known.within.clone_from(&given.within);
    }
    known.times = given.times.or(known.times);
}

fn fill_arg(known: &mut Vec<Arg>, given: &Arg) {
    let Some(arg) = known.iter_mut().find(|arg| arg.index == given.index) else {
        known.push(given.clone());
        return;
    };
    match (&mut arg.value, &given.value) {
        (_, ArgValue::Unknown(_)) => {}
        (ArgValue::Scalar(known), ArgValue::Scalar(given))
        | (ArgValue::Local(known), ArgValue::Local(given)) => fill_value(known, given),
        (known, given) => *known = given.clone(),
    }
}

fn fill_program(known: &mut Program, given: &Program) {
    fill_known(&mut known.sources, &given.sources);
    if !given.options.is_empty() {
        known.options.clone_from(&given.options);
    }
    if !given.kernels.is_empty() {
        known.kernels.clone_from(&given.kernels);
    }
}

fn fill_buffer(known: &mut Buffer, given: &Buffer) {
    fill_value(&mut known.size, &given.size);
    if given.variable.is_some() {
        known.variable.clone_from(&given.variable);
    }
    if given.flags.is_some() {
        known.flags.clone_from(&given.flags);
        known.use_host_ptr = given.use_host_ptr;
    }
    if given.parent.is_some() {
        known.parent.clone_from(&given.parent);
    }
    if given.origin.is_some() {
        known.origin.clone_from(&given.origin);
    }
}
