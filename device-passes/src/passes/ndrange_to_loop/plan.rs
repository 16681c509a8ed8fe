//! All decisions about a kernel, before anything is changed.

use fpgacc_frontend::ir::{FileNames, Function, FunctionId, Module, Stmt, StmtKind, VarId};

use crate::pass::{Context, Note};
use crate::passes::ndrange_to_loop::control::alike::Alike;
use crate::passes::ndrange_to_loop::control::schedule::Barriers;
use crate::passes::ndrange_to_loop::control::steps::Schedule;
use crate::passes::ndrange_to_loop::control::{self, convergence};
use crate::passes::ndrange_to_loop::live_across::values::{self, Values};
use crate::passes::ndrange_to_loop::options::Options;
use crate::passes::ndrange_to_loop::prepare;
use crate::passes::ndrange_to_loop::regions;
use crate::passes::ndrange_to_loop::survey::{BarrierSite, Survey};
use crate::passes::ndrange_to_loop::work_items::grid::Grid;

/// All decisions, before anything is changed.
pub struct Plan<'a> {
    /// The NDRange.
    pub grid: Grid,
    /// The kernel, without its body.
    pub function: Function,
    /// The body, split into regions.
    pub schedule: Schedule,
    /// `__local` and `__constant` declarations.
    pub shared: Vec<Stmt>,
    /// What becomes of values that live across regions.
    pub values: Values,
    /// The most work-items in a group.
    pub most: u64,
    /// The module's names.
    pub taken: &'a FileNames,
}

/// Whether loops of the kernel run outside of those over work-items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// Some do.
    Loops,
    /// None does.
    No,
}

/// Decides.
///
/// # Errors
/// The reasons to leave the kernel alone.
pub fn plan<'a>(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'a>,
    (survey, moved): (&Survey, Moved),
) -> Result<Plan<'a>, Vec<Note>> {
    let mut reasons = survey.problems.clone();
    let mut function = module.functions[kernel].clone();
    let required = function.reqd_work_group_size();
    let grid = Grid::decide(context.geometry, required, survey.needs);
    let options: &Options = context.options.of();
    let grid = match options.ungrouped {
        true => grid.map(|grid| grid.ungrouped(survey.needs, required)),
        false => grid,
    };
    let groups_of_one = grid.as_ref().is_ok_and(Grid::groups_of_one);
    reasons.extend(barrier_reasons(survey));
    let grid = match grid {
        Ok(grid) if reasons.is_empty() => grid,
        Ok(_) => return Err(reasons),
        Err(text) => {
            reasons.push(Note::new(text, None));
            return Err(reasons);
        }
    };

    let taken = context.names;
    let mut stmts = function.body.take().unwrap_or_default().stmts;
    prepare::drop_unreachable(&mut stmts);
    let mut shared = Vec::new();
    if let Some(StmtKind::Return(_)) = stmts.last().map(|stmt| &stmt.kind) {
        stmts.pop();
    }
    if moves_declarations(&function, &stmts) {
        function.make_names_unique(taken);
    }
    regions::take_shared_declarations(&function, &mut stmts, &mut shared);
    regions::remove_synchronisation(&function, &mut stmts, groups_of_one);
    prepare::copy_changed_params(module, &mut function, taken, &mut stmts);
    let alone = [0, 1, 2].map(|d| !grid.clone().has_item_loop(d));
    let how = (Alike::Group(alone), Barriers::Go);
    let mut schedule = control::split(module, &mut function, taken, how, stmts);
    if schedule.regions.len() > 1 {
        prepare::join_declarations(module, &function, &mut schedule.regions);
    }
    let most_cost = match moved {
        Moved::Loops => values::INSTEAD_OF_ALL,
        Moved::No => values::CHEAP,
    };
    let values = values::decide(module, &function, &schedule, most_cost)?;
    // Without barriers, all work-items that there are may be one group.
    let keeps_all = moved == Moved::Loops && survey.barriers.is_empty();
    if keeps_all && grid.group_size().is_none() {
        no_spilled(&function, &values)?;
    }
    let allowed = max_group_size(&function, context);
    let most = group_capacity(module, &function, &values, grid.group_size(), allowed)?;
    Ok(Plan {
        grid,
        function,
        schedule,
        shared,
        values,
        most,
        taken,
    })
}

/// What loops outside of those over work-items keep has an element for each work-item, all of which may be one
/// group: no guard checks how many these are.
fn no_spilled(function: &Function, values: &Values) -> Result<(), Vec<Note>> {
    let mut classes = values.storage_classes.iter();
    let Some((var, ..)) = classes.find(|(_, class, _)| class.is_spilled()) else {
        return Ok(());
    };
    let variable = &function.vars[*var];
    let text = format!(
        "'{}' has a value for each work-item, and how many there are is not known",
        variable.name
    );
    Err(vec![Note::new(text, variable.span)])
}

/// The most bytes of the arrays for the values of a group: more fits no board, and no emulator's stack.
const MOST_SAVED: u64 = 1 << 20;

/// The fewest work-items that a group may be limited to for the sake of [`MOST_SAVED`].
const FEW_WORK_ITEMS: u64 = 64;

/// The work-items that the arrays for spilled values hold: those of a group, or, where its size is not
/// known, as many as are allowed and there is room for.
fn group_capacity(
    module: &Module,
    function: &Function,
    values: &Values,
    known: Option<u64>,
    allowed: u64,
) -> Result<u64, Vec<Note>> {
    let mut work_items = known.unwrap_or(allowed);
    loop {
        let Some((var, bytes)) = too_much(module, function, values, work_items) else {
            return Ok(work_items);
        };
        if known.is_none() && work_items / 2 >= FEW_WORK_ITEMS {
            work_items /= 2;
            continue;
        }
        let variable = &function.vars[var];
        let text = format!(
            "'{}' lives across a barrier: with {bytes} bytes for each of {work_items} work-items the \
             values of a group would take more than {} KiB (reqd_work_group_size makes groups smaller)",
            variable.name,
            MOST_SAVED >> 10,
        );
        return Err(vec![Note::new(text, variable.span)]);
    }
}

/// The variable with which the spilled values of a group get too large, and its size.
fn too_much(
    module: &Module,
    function: &Function,
    values: &Values,
    work_items: u64,
) -> Option<(VarId, u64)> {
    let mut all: u64 = 0;
    let spilled = values
        .storage_classes
        .iter()
        .filter(|(_, class, _)| class.is_spilled());
    for (var, ..) in spilled {
        let layout = module.layout(function.vars[*var].ty.ty);
        let bytes = layout.map_or(0, |layout| layout.size);
        all = all.saturating_add(bytes.saturating_mul(work_items));
        if all > MOST_SAVED {
            return Some((*var, bytes));
        }
    }
    None
}

/// Whether declarations leave their blocks, so that names must be unique.
pub fn moves_declarations(function: &Function, stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| {
        let mut shared = Vec::new();
        let mut inner: Vec<Stmt> = stmt.lists().into_iter().flatten().cloned().collect();
        regions::take_shared_declarations(function, &mut inner, &mut shared);
        !shared.is_empty() || !stmt.lists().is_empty() && convergence::holds_barrier(function, stmt)
    })
}

/// Barriers that are no statements of the kernel itself.
pub fn barrier_reasons(survey: &Survey) -> Vec<Note> {
    let unreachable = survey.barriers.iter().filter_map(|barrier| {
        let text = match barrier.site {
            BarrierSite::Statement => return None,
            BarrierSite::Expression => "the barrier stands inside an expression",
            BarrierSite::Helper => "the barrier stands in a function that the kernel calls",
        };
        Some(Note::new(text, barrier.span))
    });
    unreachable.collect()
}

/// The most work-items that a group may have where the host does not fix its size: what the kernel
/// says, else what the user says.
pub fn max_group_size(function: &Function, context: &Context<'_>) -> u64 {
    let says = function.attr("max_work_group_size");
    let sizes = says.and_then(|attr| attr.integers());
    sizes
        .and_then(|sizes| sizes.into_iter().try_fold(1u64, u64::checked_mul))
        .filter(|most| (1..=1 << 20).contains(most))
        .unwrap_or(context.options.of::<Options>().max_local_size)
}
