//! Reasons to leave a kernel alone that are seen before it is changed.

use fpgacc_frontend::ir::{
    Callee, Expr, Function, FunctionId, Module, Qualifiers, Type, builtin_has_effects,
};
use fpgacc_kernel_analysis::work_item::query;

use crate::pass::{Context, LaunchContract, Note};
use crate::passes::coarsen::lanes::Lanes;
use crate::passes::coarsen::legality as coarsening;
use crate::passes::coarsen::options::Coarsening;
use crate::passes::ndrange_to_loop::survey::{is_barrier, is_fence};

/// All reasons of a kernel whose `how.factor` neighbours are to become one.
pub fn problems(
    module: &Module,
    kernel: FunctionId,
    (context, contract): (&Context<'_>, &LaunchContract),
    how: Coarsening,
) -> Vec<Note> {
    if !matches!(how.factor, 2 | 4 | 8 | 16) {
        let text = format!("vectors have 2, 4, 8 or 16 elements, not {}", how.factor);
        return vec![Note::new(text, None)];
    }
    let mut all = coarsening::problems(module, kernel, (context, contract), (how, 1));
    if !matches!(context.geometry.offset[0], None | Some(0)) {
        all.push(Note::new(
            "its launches have an offset in dimension 0",
            None,
        ));
    }
    let function = &module.functions[kernel];
    all.extend(volatile(module, function));
    all.extend(builtins(function, &[]));
    all
}

/// Reasons that functions which the kernel still calls give.
pub fn of_callees(module: &Module, callees: &[FunctionId], lanes: &Lanes) -> Vec<Note> {
    let mut all = Vec::new();
    for id in callees {
        let function = &module.functions[*id];
        let mut asks = false;
        if let Some(body) = &function.body {
            body.for_each_expr(&function.exprs, &mut |id| {
                asks |= query(module, function, id).is_some_and(|query| lanes.changes(query));
            });
        }
        if asks {
            let text = format!("'{}', which it calls, asks for ids or sizes", function.name);
            all.push(Note::new(text, function.span));
        }
        all.extend(volatile(module, function));
        all.extend(builtins(function, &["barrier"]));
    }
    all
}

/// Memory that is accessed exactly as the source says.
fn volatile(module: &Module, function: &Function) -> Option<Note> {
    let types = &module.types;
    function.vars.iter().find_map(|(_, variable)| {
        let mut quals = variable.ty.quals;
        let mut ty = variable.ty.ty;
        loop {
            ty = match types.resolve(ty) {
                Type::Pointer { pointee, .. } => {
                    quals |= pointee.quals;
                    pointee.ty
                }
                Type::Array { element, .. } => {
                    quals |= element.quals;
                    element.ty
                }
                _ => break,
            };
        }
        let text = format!("'{}' is volatile", variable.name);
        quals
            .contains(Qualifiers::VOLATILE)
            .then(|| Note::new(text, variable.span))
    })
}

/// Builtins that work-items of a group call together or that lanes cannot call one after the other.
fn builtins(function: &Function, also: &[&str]) -> Option<Note> {
    let mut found = None;
    function
        .body
        .as_ref()?
        .for_each_expr(&function.exprs, &mut |id| {
            let Expr::Call {
                callee: Callee::Builtin(name),
                ..
            } = function.exprs.get(id)
            else {
                return;
            };
            let is_allowed = is_barrier(name) && also.is_empty()
                || is_fence(name)
                || ["atomic_", "atom_", "vstore"]
                    .iter()
                    .any(|prefix| name.starts_with(prefix))
                || matches!(
                    &name[..],
                    "fract" | "frexp" | "lgamma_r" | "modf" | "remquo" | "sincos"
                );
            if builtin_has_effects(name) && !is_allowed && found.is_none() {
                let text = format!("it calls '{name}', which lanes cannot do for each other");
                found = Some(Note::new(text, function.exprs.span(id)));
            }
        });
    found
}
