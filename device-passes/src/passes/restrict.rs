//! `restrict`: marks pointer parameters that name distinct buffers at every launch.
//!
//! Lloyd's thesis, section 4.2.3, with its refinement (buffers in host memory are told apart from
//! others) and sharpened: never where a launch passes one buffer twice, never with sub-buffers, and
//! what the host analysis cannot prove is checked by the runtime at each launch
//! ([`LaunchContract::distinct`]).

use std::collections::BTreeSet;

use fpgacc_frontend::facts::{Arg, ArgValue, Buffer, Facts, Launch, RecordedLaunch};
use fpgacc_frontend::ir::{AddressSpace, Function, FunctionId, Module, Qualifiers, VarId};

use crate::analysis::accesses::{Accesses, Summaries};
use crate::analysis::alias::{Aliases, Root};
use crate::faults;
use crate::pass::{Context, LaunchContract, Note, Outcome, Pass};

/// The pass.
pub struct Restrict;

impl Pass for Restrict {
    fn name(&self) -> &'static str {
        "restrict"
    }

    fn description(&self) -> &'static str {
        "mark pointer parameters restrict where the launches pass distinct buffers"
    }

    fn level(&self) -> u8 {
        1
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        contract: &mut LaunchContract,
    ) -> Outcome {
        let pointers = Pointers::of(module, kernel);
        if pointers.all.len() < 2 || pointers.plain.is_empty() {
            return Outcome::Nothing;
        }
        if let Some(reason) = refusal(kernel, context, &pointers) {
            return Outcome::Missed(vec![reason]);
        }
        let usage = Usage::of(module, kernel, context.called);
        let (reassigned, marked): (Vec<Pointer>, Vec<Pointer>) = pointers
            .plain
            .iter()
            .copied()
            .partition(|pointer| usage.reassigned.contains(&pointer.var));
        let missed = reassigned
            .iter()
            .map(|pointer| reassigned_note(&module.functions[kernel], pointer))
            .collect::<Vec<_>>();
        if marked.is_empty() {
            return Outcome::Missed(missed);
        }
        contract
            .distinct
            .extend(pairs_to_check(&marked, &pointers, &usage));
        let function = &mut module.functions[kernel];
        for pointer in &marked {
            function.vars[pointer.var].ty.quals |= Qualifiers::RESTRICT;
        }
        let done = vec![done_note(function, &marked)];
        function
            .comments
            .push(format!("restrict: {}", done[0].text));
        if missed.is_empty() {
            Outcome::Done(done)
        } else {
            Outcome::Partly { done, missed }
        }
    }
}

/// A `__global` or `__constant` pointer parameter.
#[derive(Clone, Copy)]
struct Pointer {
    /// Its place among the parameters.
    index: u32,
    var: VarId,
}

struct Pointers {
    /// All of them.
    all: Vec<Pointer>,
    /// Those that the source does not mark.
    plain: Vec<Pointer>,
}

impl Pointers {
    fn of(module: &Module, kernel: FunctionId) -> Self {
        let function = &module.functions[kernel];
        let is_buffer = |var: VarId| {
            let pointer = module.types.as_pointer(function.vars[var].ty.ty);
            matches!(
                pointer,
                Some((_, AddressSpace::Global | AddressSpace::Constant))
            )
        };
        let all: Vec<_> = (0..)
            .zip(&function.params)
            .filter(|(_, var)| is_buffer(**var))
            .map(|(index, &var)| Pointer { index, var })
            .collect();
        let marked = |var: VarId| {
            let quals = function.vars[var].ty.quals;
            quals.contains(Qualifiers::RESTRICT)
        };
        let plain = all.iter().copied().filter(|p| !marked(p.var)).collect();
        Pointers { all, plain }
    }
}

/// What a kernel does with its pointer parameters.
struct Usage {
    /// May be written through.
    written: BTreeSet<VarId>,
    /// Is given another pointer's value: C forbids that between `restrict` pointers of one scope.
    reassigned: BTreeSet<VarId>,
}

impl Usage {
    fn of(module: &Module, kernel: FunctionId, called: &BTreeSet<FunctionId>) -> Self {
        let summaries = Summaries::reachable(module, kernel, called);
        let aliases = Aliases::new(module, kernel, called);
        let function = &module.functions[kernel];
        let body = function.body.as_ref().map_or(&[][..], |body| &body.stmts);
        let accesses = Accesses::of_stmts(&aliases, &summaries, body);
        let mut written = BTreeSet::new();
        for root in accesses.writes().flat_map(|access| &access.roots) {
            match root {
                Root::Param(var) => {
                    written.insert(*var);
                }
                Root::Unknown => written.extend(&function.params),
                Root::Object(_) => {}
            }
        }
        let foreign = |var: VarId| {
            aliases
                .var_roots(var)
                .iter()
                .any(|r| *r != Root::Param(var))
        };
        let reassigned = function.params.iter().copied().filter(|v| foreign(*v));
        Usage {
            written,
            reassigned: reassigned.collect(),
        }
    }
}

/// The pairs that the runtime must find distinct: one of them newly `restrict`, one of them written.
/// A parameter that the source itself marks is the user's promise, and nothing that is only read can
/// go wrong.
fn pairs_to_check(marked: &[Pointer], pointers: &Pointers, usage: &Usage) -> Vec<(u32, u32)> {
    let mut pairs = BTreeSet::new();
    for a in marked {
        for b in &pointers.plain {
            let written = usage.written.contains(&a.var) || usage.written.contains(&b.var);
            if a.var != b.var && written {
                pairs.insert((a.index.min(b.index), a.index.max(b.index)));
            }
        }
    }
    pairs.into_iter().collect()
}

fn names(function: &Function, pointers: &[Pointer]) -> String {
    let names: Vec<_> = pointers
        .iter()
        .map(|pointer| format!("'{}'", function.vars[pointer.var].name))
        .collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

fn done_note(function: &Function, marked: &[Pointer]) -> Note {
    let (noun, verb) = match marked.len() {
        1 => ("parameter", "is"),
        _ => ("parameters", "are"),
    };
    let text = format!(
        "{noun} {} {verb} restrict: every launch passes distinct buffers",
        names(function, marked)
    );
    Note::new(text, function.vars[marked[0].var].span)
}

fn reassigned_note(function: &Function, pointer: &Pointer) -> Note {
    let text = format!(
        "parameter '{}' is not made restrict: the kernel assigns another pointer to it",
        function.vars[pointer.var].name
    );
    Note::new(text, function.vars[pointer.var].span)
}

/// Why the parameters of a kernel cannot be marked, if they cannot.
fn refusal(kernel: FunctionId, context: &Context<'_>, pointers: &Pointers) -> Option<Note> {
    let refuse = |text: String| {
        Some(Note::new(
            format!("parameters are not made restrict: {text}"),
            None,
        ))
    };
    if context.called.contains(&kernel) {
        return refuse("another function calls this kernel".to_string());
    }
    if context.launches.is_empty() {
        return refuse("no launch of this kernel is known".to_string());
    }
    for launch in context.launches {
        if let Some(reason) = conflict(launch, context.facts, pointers) {
            return refuse(format!("the launch at {} {reason}", launch.site));
        }
    }
    None
}

/// What a launch passes that may overlap, as the end of a sentence.
fn conflict(launch: &Launch, facts: &Facts, pointers: &Pointers) -> Option<String> {
    let passed: Vec<_> = pointers
        .all
        .iter()
        .map(|pointer| passed_at(&launch.args, pointer.index))
        .collect();
    for (at, variable) in passed.iter().enumerate() {
        let Some(variable) = variable else { continue };
        if passed[..at].contains(&Some(variable)) && !faults::is_on("same-buffer-twice") {
            return Some(format!("passes the buffer '{variable}' twice"));
        }
    }
    if let Some(recorded) = &launch.recorded {
        return recorded_conflict(recorded, pointers);
    }
    let kinds: Vec<_> = passed
        .iter()
        .map(|variable| BufferKind::of(facts, *variable))
        .collect();
    if let Some(site) = kinds.iter().find_map(|kind| kind.sub_buffer) {
        return Some(format!(
            "may pass a part of another buffer (clCreateSubBuffer at {})",
            site.site
        ));
    }
    let mut in_host_memory = kinds.iter().filter_map(|kind| kind.host_ptr);
    in_host_memory.next()?;
    let second = in_host_memory.next()?;
    Some(format!(
        "may pass more than one buffer that lies in host memory (CL_MEM_USE_HOST_PTR at {})",
        second.site
    ))
}

/// What runs showed says no less: it stands for all memory that was passed. What another run may
/// pass is checked when it launches.
fn recorded_conflict(recorded: &RecordedLaunch, pointers: &Pointers) -> Option<String> {
    let is_pointer = |index: u32| pointers.all.iter().any(|pointer| pointer.index == index);
    let mut pairs = recorded.overlapping.iter();
    let (first, second) = pairs.find(|(a, b)| is_pointer(*a) && is_pointer(*b))?;
    Some(format!(
        "was seen to pass the same memory as arguments {first} and {second}"
    ))
}

/// The host variable that a launch passes as an argument, if it is known.
fn passed_at(args: &[Arg], index: u32) -> Option<&str> {
    let arg = args.iter().find(|arg| arg.index == index)?;
    match &arg.value {
        ArgValue::Memory(variable) => Some(variable),
        _ => None,
    }
}

/// What an argument may be, as the call that says so.
#[derive(Clone, Copy, Default)]
struct BufferKind<'f> {
    host_ptr: Option<&'f Buffer>,
    sub_buffer: Option<&'f Buffer>,
}

impl<'f> BufferKind<'f> {
    /// Of the buffers that a host variable may hold; any buffer of the program if it is not known
    /// which.
    fn of(facts: &'f Facts, variable: Option<&str>) -> Self {
        let created_as = |buffer: &Buffer| buffer.variable.as_deref() == variable;
        let known = variable.is_some() && facts.buffers.iter().any(created_as);
        let mut kind = BufferKind::default();
        for buffer in &facts.buffers {
            // A creation whose variable is not known may be the one that is passed.
            let may_be = !known || created_as(buffer) || buffer.variable.is_none();
            if may_be && buffer.use_host_ptr {
                kind.host_ptr.get_or_insert(buffer);
            }
            if may_be && buffer.sub_buffer {
                kind.sub_buffer.get_or_insert(buffer);
            }
        }
        kind
    }
}
