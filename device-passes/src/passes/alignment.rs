//! `alignment`: pointer parameters state what the buffers that the launches pass are aligned to.
//!
//! A kernel's pointer may be passed any buffer, and any buffer may be passed to a kernel that takes it as
//! vectors of 16 elements: OpenCL lets compilers rely on pointers to be aligned to what they point to (1.2,
//! section 6.1.5), so memory that an implementation itself allocates starts at a multiple of the
//! largest type, 64 bytes at least (`CL_DEVICE_MEM_BASE_ADDR_ALIGN`, table 4.3). A compiler sees a `float *`
//! and knows of 4. The attribute gives it the rest, and accesses that it joins need no care for those that
//! are not aligned. Memory of the host may lie anywhere. The runtime looks at each buffer
//! ([`Guard::Aligned`]).

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{Attr, Function, FunctionId, Module, VarId};
use fpgacc_kernel_analysis::constant_memory::{buffers, creations};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::relation::in_host_memory;
use fpgacc_kernel_analysis::usage::{buffer_parameters, names};
use fpgacc_kernel_analysis::variables::{Access, uses};
use fpgacc_launch_facts::{Buffer, Facts, Known, Launch, Value};
use fpgacc_runtime::guard::Guard;

use crate::options::Feature;
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};

/// The attribute, of clang 3.6 and later: a pointer's alignment in bytes.
const ATTRIBUTE: &str = "align_value";

/// What memory that an implementation allocates is aligned to, in bytes, on all devices: the size of
/// `int16`, the largest type that each has. It is also the width of an FPGA board's memory.
const ALLOCATED: u64 = 64;

/// The pass.
pub struct Alignment;

impl Pass for Alignment {
    fn about(&self) -> About {
        About {
            name: "alignment",
            description: "state the alignment of pointer parameters that the launches' buffers have",
            level: 2,
            requires: &[
                Requirement::EntryPoint,
                Requirement::KnownLaunches,
                Requirement::Tool(Feature::AlignValue),
            ],
            after: &["constant-memory"],
        }
    }

    fn has_work(&self, module: &Module, kernel: FunctionId, _context: &Context<'_>) -> bool {
        !buffer_parameters(module, kernel).is_empty()
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        contract: &mut LaunchContract,
    ) -> Outcome {
        let uses = uses(&module.types, &module.functions[kernel]);
        let mut aligned: BTreeMap<u64, Vec<VarId>> = BTreeMap::new();
        let mut missed = Vec::new();
        for (index, var) in buffer_parameters(module, kernel) {
            let Some(uses) = uses.get(&var) else { continue };
            if is_stated(&module.functions[kernel], var) {
                continue;
            }
            match alignment(context, index, uses) {
                Ok(bytes) if bytes > natural(module, kernel, var) => {
                    state(&mut module.functions[kernel], var, bytes);
                    if !faults::is_on("alignment-guard-lost") {
                        let param = index;
                        contract.guard(Guard::Aligned { param, bytes });
                    }
                    aligned.entry(bytes).or_default().push(var);
                }
                Ok(_) => {}
                Err(reason) => missed.push(missed_note(&module.functions[kernel], var, &reason)),
            }
        }
        let function = &mut module.functions[kernel];
        let done = aligned
            .iter()
            .map(|(bytes, vars)| done_note(function, *bytes, vars));
        let done: Vec<Note> = done.collect();
        self.outcome(function, done, missed)
    }
}

/// Whether the source itself promises something.
fn is_stated(function: &Function, var: VarId) -> bool {
    let mut attrs = function.vars[var].attrs.iter();
    attrs.any(|attr| attr.name == ATTRIBUTE)
}

fn state(function: &mut Function, var: VarId, bytes: u64) {
    let stated = match faults::is_on("alignment-overstated") {
        true => 2 * bytes,
        false => bytes,
    };
    function.vars[var].attrs.push(Attr {
        name: ATTRIBUTE.to_string(),
        args: Some(stated.to_string()),
    });
}

/// What a parameter's type says of its alignment, in bytes.
fn natural(module: &Module, kernel: FunctionId, var: VarId) -> u64 {
    let pointer = module
        .types
        .as_pointer(module.functions[kernel].vars[var].ty.ty);
    let layout = pointer.and_then(|(pointee, _)| module.layout(pointee.ty));
    layout.map_or(1, |layout| layout.align)
}

/// The greatest power of two, in bytes and at most [`ALLOCATED`], that divides all addresses that the
/// launches pass as a parameter, or why there is none.
fn alignment(context: &Context<'_>, index: u32, uses: &[Access]) -> Result<u64, String> {
    let mut least = ALLOCATED;
    for launch in context.launches {
        let passed = passed(context, launch, index)
            .map_err(|reason| format!("the launch at {} passes {reason}", launch.site))?;
        least = least.min(passed);
    }
    // The attribute speaks of all that a variable ever holds.
    match uses.iter().any(|access| access.may_write()) {
        true => Err("the kernel assigns to it or takes its address".to_string()),
        false => Ok(least),
    }
}

/// The alignment of what a launch passes as an argument.
fn passed(context: &Context<'_>, launch: &Launch, index: u32) -> Result<u64, String> {
    let names = buffers(launch, index).filter(|_| matches!(launch.kernels, Known::Is(_)));
    let names = names.ok_or("memory that is not known")?;
    if !launch.argument_is_proved(index) && !context.options.general.seen_counts() {
        return Err("what was only seen in a run (with --keep-general it counts)".to_string());
    }
    let mut least = ALLOCATED;
    for name in names.iter().filter(|name| *name != "NULL") {
        let created = creations(context.facts, name);
        if created.is_empty() {
            return Err(format!("'{name}', whose creation is not known"));
        }
        for buffer in created {
            let aligned = memory(context.facts, buffer)
                .map_err(|reason| format!("'{name}', which {reason}"))?;
            least = least.min(aligned);
        }
    }
    Ok(least)
}

/// The alignment of a buffer's memory.
fn memory(facts: &Facts, buffer: &Buffer) -> Result<u64, String> {
    let site = &buffer.site;
    if in_host_memory(facts, buffer) {
        let how = match buffer.use_host_ptr {
            true => format!("CL_MEM_USE_HOST_PTR at {site}"),
            false => format!("clCreateSubBuffer at {site}"),
        };
        return Err(format!("lies in the host's memory ({how})"));
    }
    if !buffer.sub_buffer {
        return Ok(ALLOCATED);
    }
    let whole = buffer.parent.as_ref().map(|name| creations(facts, name));
    if whole.is_none_or(|whole| whole.is_empty()) {
        return Err(format!(
            "is a part of a buffer that is not known (clCreateSubBuffer at {site})"
        ));
    }
    let origin = buffer.origin.as_ref().and_then(power_of_two);
    origin.ok_or_else(|| {
        format!("is a part of a buffer from an origin that is not known on (clCreateSubBuffer at {site})")
    })
}

/// The greatest power of two, at most [`ALLOCATED`], that divides all that a value may be.
fn power_of_two(value: &Value) -> Option<u64> {
    let of = |number: u64| 1 << number.trailing_zeros().min(ALLOCATED.trailing_zeros());
    match value {
        Value::Const(number) => Some(of(*number)),
        Value::OneOf(all) => all.iter().map(|number| of(*number)).min(),
        Value::AnyOf(all) => {
            let all: Option<Vec<u64>> = all.iter().map(power_of_two).collect();
            all?.into_iter().min()
        }
        Value::Range { min, step, .. } => Some(of(*min | *step)),
        Value::Symbolic(_) | Value::Unknown(_) => None,
    }
}

fn done_note(function: &Function, bytes: u64, vars: &[VarId]) -> Note {
    let (noun, verb) = match vars {
        [_] => ("parameter", "is"),
        _ => ("parameters", "are"),
    };
    let text = format!(
        "{noun} {} {verb} aligned to {bytes} bytes, as the buffers of the launches are (checked at each \
         launch)",
        names(function, vars)
    );
    Note::new(text, vars.first().and_then(|var| function.vars[*var].span))
}

fn missed_note(function: &Function, var: VarId, reason: &str) -> Note {
    let variable = &function.vars[var];
    let text = format!(
        "the alignment of parameter '{}' is not stated: {reason}",
        variable.name
    );
    Note::new(text, variable.span)
}
