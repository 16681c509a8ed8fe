//! Reasons to leave a kernel alone.

use fpgacc_frontend::ir::{
    AddressSpace, Expr, Function, FunctionId, Module, QualType, Qualifiers, Types, VarId, VarRef,
};

use fpgacc_launch_facts::{Launch, LocalSize, Value};

use crate::pass::{Context, LaunchContract, Note, chosen_local};
use crate::passes::coarsen::options::{Coarsening, Level, Stride};
use crate::passes::ndrange_to_loop::survey::survey;

/// The most work-items that become one.
const MOST: u64 = 64;

/// Of what the local size, or the number of groups, must be a multiple.
pub fn multiple(how: Coarsening) -> u64 {
    match how.stride {
        Stride::Of(stride) => how.factor.saturating_mul(stride),
        Stride::Widest => how.factor,
    }
}

/// Of so many work-items of the original each of those is a vector that are merged.
pub fn lanes_in(how: Coarsening, lanes: u64) -> u64 {
    match (how.dim, how.level) {
        (0, Level::Items) => lanes,
        _ => 1,
    }
}

/// All reasons; `vectors`: so many neighbours in dimension 0 are one already.
pub fn problems(
    module: &Module,
    kernel: FunctionId,
    (context, contract): (&Context<'_>, &LaunchContract),
    (how, vectors): (Coarsening, u64),
) -> Vec<Note> {
    let mut all = options(how);
    if !all.is_empty() {
        return all;
    }
    let function = &module.functions[kernel];
    all.extend(attributes(function, how));
    let launches = context.launches.iter();
    all.extend(
        launches
            .filter_map(|launch| does_not_divide(launch, contract, (how, vectors)))
            .next(),
    );
    let found = survey(module, kernel, context.called);
    all.extend(found.problems);
    if how.level == Level::Groups {
        all.extend(local_memory_of_others(module, kernel, &found.callees));
    }
    all.extend(races(module, kernel, context));
    all.extend(volatile_local_memory(module, kernel, &found.callees));
    all
}

/// `volatile __local` memory: by it programs do in lockstep what OpenCL wants barriers for, with
/// numbers of work-items that say which ones run together.
fn volatile_local_memory(
    module: &Module,
    kernel: FunctionId,
    callees: &[FunctionId],
) -> Option<Note> {
    let types = &module.types;
    let mut reached = callees.iter().chain([&kernel]);
    reached.find_map(|id| {
        let mut vars = module.functions[*id].vars.iter();
        vars.find_map(|(_, variable)| {
            let held = match types.as_pointer(variable.ty.ty) {
                Some((to, AddressSpace::Local)) => to.quals,
                _ if variable.space == AddressSpace::Local => elements(types, variable.ty),
                _ => return None,
            };
            let text = format!(
                "'{}' is volatile __local memory, through which work-items may rely on lockstep",
                variable.name
            );
            held.contains(Qualifiers::VOLATILE)
                .then(|| Note::new(text, variable.span))
        })
    })
}

/// The qualifiers of a variable, and of its elements.
fn elements(types: &Types, ty: QualType) -> Qualifiers {
    match types.as_array(ty.ty) {
        Some((element, _)) => ty.quals | elements(types, element),
        None => ty.quals,
    }
}

/// `__local` memory that cannot be copied for merged groups.
fn local_memory_of_others(
    module: &Module,
    kernel: FunctionId,
    callees: &[FunctionId],
) -> Option<Note> {
    let function = &module.functions[kernel];
    let is_local = |param: &&VarId| {
        let pointer = module.types.as_pointer(function.vars[**param].ty.ty);
        pointer.is_some_and(|(_, space)| space == AddressSpace::Local)
    };
    if let Some(param) = function.params.iter().find(is_local) {
        let param = &function.vars[*param];
        let text = format!("the host gives '{}' room for one work-group", param.name);
        return Some(Note::new(text, param.span));
    }
    let mut reached = callees.iter().chain([&kernel]);
    reached.find_map(|id| {
        let function = &module.functions[*id];
        let mut found = None;
        let body = function.body.as_ref()?;
        body.for_each_expr(&function.exprs, &mut |expr| {
            if let Expr::Var(VarRef::Global(global)) = function.exprs.get(expr)
                && module.globals[*global].variable.space == AddressSpace::Local
            {
                found = Some(expr);
            }
        });
        let text = "it uses __local memory of the whole file";
        found.map(|expr| Note::new(text, function.exprs.span(expr)))
    })
}

/// Requests that make no sense.
fn options(how: Coarsening) -> Vec<Note> {
    let text = match how {
        Coarsening { dim: 3.., .. } => format!("there is no dimension {}", how.dim),
        Coarsening { factor: 0 | 1, .. } => "one work-item alone is not coarsened".to_string(),
        Coarsening { factor, .. } if factor > MOST => {
            format!("no more than {MOST} become one")
        }
        Coarsening {
            stride: Stride::Of(stride),
            ..
        } if !stride.is_power_of_two() => format!("a stride of {stride} is no power of two"),
        _ => return Vec::new(),
    };
    vec![Note::new(text, None)]
}

/// Attributes that a coarsened kernel cannot have.
fn attributes(function: &Function, how: Coarsening) -> Vec<Note> {
    let mut all = Vec::new();
    for name in ["num_simd_work_items", "intel_reqd_sub_group_size"] {
        if function.attr(name).is_some() {
            let text = format!("'{name}' says how its work-items run");
            all.push(Note::new(text, function.span));
        }
    }
    let merges_items = how.level == Level::Items;
    match function.reqd_work_group_size() {
        Some(sizes) if merges_items => all.extend(odd_size(sizes[usize::from(how.dim)], how)),
        None if function.attr("reqd_work_group_size").is_some() => {
            let text = "its work-group size is no literal";
            all.push(Note::new(text, function.span));
        }
        _ => {}
    }
    all
}

fn odd_size(size: u64, how: Coarsening) -> Option<Note> {
    let of = multiple(how);
    let text = format!(
        "its work-groups of {size} in dimension {} do not divide by {of}",
        how.dim
    );
    (!size.is_multiple_of(of)).then(|| Note::new(text, None))
}

/// Why a launch that is known cannot be coarsened.
fn does_not_divide(
    launch: &Launch,
    contract: &LaunchContract,
    (how, vectors): (Coarsening, u64),
) -> Option<Note> {
    let dim = usize::from(how.dim);
    let of = multiple(how) * lanes_in(how, vectors);
    let says = |what: &str| {
        let text = format!("the launch at {} {what}", launch.site);
        Some(Note::new(text, None))
    };
    let inside = launch
        .work_dim
        .constant()
        .is_none_or(|dims| dims > dim as u64);
    if !inside {
        return says(&format!("has no dimension {dim}"));
    }
    let global = launch.global.get(dim).and_then(Value::constant);
    let local = match (chosen_local(launch, contract), &launch.local) {
        (Some(sizes), _) => Some(sizes[dim]),
        (None, LocalSize::Sizes(sizes)) => sizes.get(dim).and_then(Value::constant),
        (None, LocalSize::Null) if how.level == Level::Groups => {
            return says("gives no local size, so that it has no work-groups to merge");
        }
        (None, LocalSize::Null) if how.stride != Stride::Of(1) => {
            return says("gives no local size, and a stride needs one");
        }
        (None, LocalSize::Null) => {
            return divides("global size", global, of).and_then(|text| says(&text));
        }
        (None, LocalSize::Unknown(_)) => None,
    };
    let odd = match (how.level, global, local) {
        (Level::Items, ..) => divides("local size", local, of),
        (Level::Groups, Some(global), Some(local)) if local > 0 => {
            divides("number of work-groups", Some(global / local), of)
        }
        (Level::Groups, ..) => None,
    };
    odd.and_then(|text| says(&text))
}

/// What a launch has if its size, where it is known, is no multiple.
fn divides(what: &str, size: Option<u64>, of: u64) -> Option<String> {
    let size = size?;
    (!size.is_multiple_of(of))
        .then(|| format!("has a {what} of {size}, which {of} does not divide"))
}

/// A kernel whose work-items race relies on how GPUs run them.
fn races(module: &Module, kernel: FunctionId, context: &Context<'_>) -> Option<Note> {
    let race = context.race(module, kernel)?;
    let text = format!(
        "it relies on work-items that run in lockstep: this reads an element of '{}' that another \
         work-item writes, without a barrier between",
        race.array
    );
    Some(Note::new(text, race.read))
}
