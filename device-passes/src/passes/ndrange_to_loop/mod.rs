//! NDRange kernels become single work-items: loops over groups and work-items (section 4.2.1 of the
//! thesis).
//!
//! The steps, each in a file: [`mod@inline`] makes functions with barriers part of the kernel, with the
//! help of [`mod@lift`], [`import`] and [`mod@single_exit`]; [`mod@survey`] looks for reasons to leave the kernel
//! alone; [`grid`] takes from the launches what is constant. Then the body is taken apart at its
//! barriers: [`convergence`] tells what a group does together, [`uniform`] what it has once (with
//! the help of [`callees`]),
//! [`switches`] and [`exits`] leave structured control only, and [`mod@schedule`] makes of it regions that
//! work-items run on their own and control around them, under [`masks`] where it may differ between
//! work-items. [`prepare`], [`values`] and [`carry`] see to what lives across regions; [`returns`] makes
//! an early return end a work-item only; [`queries`] and [`helpers`] replace work-item functions, by
//! expressions that [`ids`] makes; [`mod@narrow`] takes casts off again; [`nest`] puts the loops
//! around, in the [`order`] that suits memory, about which [`ivdep`] tells what the language guarantees.
//!
//! Why it is right: without barriers between them work-items may run in any order, so one after the
//! other is as good as any, and each stretch between two barriers is run by all work-items of a group
//! before the next begins. A kernel whose work-items wait for each other by other means (spinning on
//! memory) promises nothing in OpenCL; where such a loop is seen, the kernel is left alone.

mod atomics;
mod callees;
mod carry;
mod collective;
mod convergence;
mod exits;
mod grid;
mod helpers;
mod ids;
mod import;
mod inline;
mod ivdep;
mod lift;
mod live_ranges;
mod local_memory;
mod masks;
mod narrow;
mod nest;
mod order;
mod prepare;
mod queries;
mod regions;
mod returns;
mod save;
mod schedule;
mod single_exit;
mod speculation;
mod survey;
mod switches;
mod uniform;
mod values;

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{Block, Function, FunctionId, Module, Stmt, VarId};
use fpgacc_frontend::source::Span;
use fpgacc_runtime::manifest::{Form, NullLocal, Task};

use self::convergence::Surroundings;
use self::grid::Grid;
use self::helpers::Helpers;
use self::ids::{Ids, Target};
use self::ivdep::Independent;
use self::lift::GroupCalls;
use self::local_memory::Moved;
use self::queries::{Marks, Source};
use self::save::Layout;
use self::schedule::Schedule;
use self::survey::{Place, Survey, survey};
use self::values::{Fate, Values};
use crate::analysis::work_item::{Dim, Quantity};
use crate::pass::{Context, LaunchContract, Note, Outcome, Pass};

/// The pass.
pub struct NdrangeToLoop;

impl Pass for NdrangeToLoop {
    fn name(&self) -> &'static str {
        "ndrange-to-loop"
    }

    fn description(&self) -> &'static str {
        "make NDRange kernels single work-items with loops over groups and work-items"
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
        let survey = survey(module, kernel, context.called);
        if let Some(note) = is_task_already(&module.functions[kernel], &survey, context, contract) {
            return Outcome::Missed(vec![note]);
        }
        let calls = inline::group_calls(module, kernel);
        if !inline::has_work(&module.functions[kernel], &calls) {
            return convert(module, kernel, context, contract, &survey);
        }
        let original = module.functions[kernel].clone();
        let outcome = convert_whole(module, kernel, context, contract, &calls, survey);
        if matches!(outcome, Outcome::Missed(_)) {
            module.functions[kernel] = original;
        }
        outcome
    }
}

/// [`convert`] of a kernel with what its whole groups call made part of it.
fn convert_whole(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'_>,
    contract: &mut LaunchContract,
    calls: &GroupCalls,
    survey: Survey,
) -> Outcome {
    let mut function = module.functions[kernel].clone();
    let inlined = match inline::inline(module, kernel, &mut function, context.names, calls) {
        Ok(inlined) => inlined,
        Err(reasons) => {
            let mut all = survey.problems;
            all.extend(reasons);
            return Outcome::Missed(all);
        }
    };
    let required = function.reqd_work_group_size();
    let needs = grid::Needs {
        groups: true,
        ..survey.needs
    };
    let replaced = match Grid::decide(context.geometry, required, needs) {
        Ok(grid) => {
            let most = max_group_size(&function, context);
            let types = &mut module.types;
            collective::replace(&mut function, types, context.names, &grid, most)
        }
        Err(text) => Err(vec![Note::new(text, None)]),
    };
    if let Err(reasons) = replaced {
        return Outcome::Missed(reasons);
    }
    module.functions[kernel] = function;
    let atomics = survey.atomics;
    let mut survey = self::survey::survey(module, kernel, context.called);
    survey.atomics |= atomics;
    let outcome = convert(module, kernel, context, contract, &survey);
    match outcome {
        Outcome::Done(mut notes) => {
            notes.extend(inline::note(module, &inlined));
            inline::drop_unused(module, &inlined);
            Outcome::Done(notes)
        }
        other => other,
    }
}

fn convert(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'_>,
    contract: &mut LaunchContract,
    survey: &Survey,
) -> Outcome {
    let plan = match plan(module, kernel, context, survey) {
        Ok(plan) => plan,
        Err(reasons) => return Outcome::Missed(reasons),
    };
    let rewritten = rewrite(module, kernel, context, survey, plan);
    contract.form = Form::Task(rewritten.task);
    contract.local_bytes.extend(rewritten.local_bytes);
    Outcome::Done(rewritten.notes)
}

fn is_task_already(
    kernel: &Function,
    survey: &Survey,
    context: &Context<'_>,
    contract: &LaunchContract,
) -> Option<Note> {
    let says_so = kernel.attr("task").is_some()
        || kernel.attr("autorun").is_some()
        || kernel
            .attr("max_global_work_dim")
            .is_some_and(|attr| attr.integers().as_deref() == Some(&[0]));
    if says_so || matches!(contract.form, Form::Task(_)) {
        return Some(Note::new("it is a single work-item kernel already", None));
    }
    // By this rule aoc itself decides. A launch that is known to have more work-items overrules it.
    let geometry = context.geometry;
    let one = geometry.launches == 0
        || geometry.global == [Some(1); 3]
        || kernel.reqd_work_group_size() == Some([1; 3]);
    let tells_apart = survey.has_queries || !survey.barriers.is_empty();
    (one && !tells_apart).then(|| {
        Note::new(
            "nothing in it tells work-items apart: it is a single work-item kernel already",
            None,
        )
    })
}

/// All decisions, before anything is changed.
struct Plan<'a> {
    grid: Grid,
    function: Function,
    schedule: Schedule,
    /// `__local` and `__constant` declarations.
    shared: Vec<Stmt>,
    values: Values,
    /// The most work-items in a group.
    most: u64,
    taken: &'a BTreeSet<String>,
}

fn plan<'a>(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'a>,
    survey: &Survey,
) -> Result<Plan<'a>, Vec<Note>> {
    let mut reasons = survey.problems.clone();
    let mut function = module.functions[kernel].clone();
    let required = function.reqd_work_group_size();
    let grid = Grid::decide(context.geometry, required, survey.needs);
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
    let mut shared = Vec::new();
    if moves_declarations(&function, &stmts) {
        function.make_names_unique(taken);
    }
    regions::take_shared_declarations(&function, &mut stmts, &mut shared);
    regions::remove_synchronisation(&function, &mut stmts, groups_of_one);
    prepare::copy_changed_params(module, &mut function, taken, &mut stmts);
    let mut schedule = schedule(module, &mut function, taken, &grid, stmts);
    if schedule.regions.len() > 1 {
        prepare::join_declarations(module, &function, &mut schedule.regions);
    }
    let values = values::decide(module, &function, &schedule)?;
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

/// The most bytes of the arrays for the values of a group: more fits no board, and no emulator's stack.
const MOST_SAVED: u64 = 1 << 20;

/// The fewest work-items that a group may be limited to for the sake of [`MOST_SAVED`].
const FEW_WORK_ITEMS: u64 = 64;

/// The work-items that the arrays for saved values hold: those of a group, or, where its size is not
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

/// The variable with which the saved values of a group get too large, and its size.
fn too_much(
    module: &Module,
    function: &Function,
    values: &Values,
    work_items: u64,
) -> Option<(VarId, u64)> {
    let mut all: u64 = 0;
    let saved = values.fates.iter().filter(|(_, fate, _)| fate.is_saved());
    for (var, ..) in saved {
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
fn moves_declarations(function: &Function, stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| {
        let mut shared = Vec::new();
        let mut inner: Vec<Stmt> = stmt.lists().into_iter().flatten().cloned().collect();
        regions::take_shared_declarations(function, &mut inner, &mut shared);
        !shared.is_empty() || !stmt.lists().is_empty() && convergence::holds_barrier(function, stmt)
    })
}

/// Takes the body apart: at its barriers, and at the control that they stand in.
fn schedule(
    module: &mut Module,
    function: &mut Function,
    taken: &BTreeSet<String>,
    grid: &Grid,
    mut stmts: Vec<Stmt>,
) -> Schedule {
    let alone = [0, 1, 2].map(|d| !grid.clone().has_item_loop(d));
    prepare::split_steps(function, &mut stmts);
    let mut target = Target {
        function,
        types: &mut module.types,
        taken,
    };
    let has_barriers = stmts
        .iter()
        .any(|stmt| convergence::holds_barrier(target.function, stmt));
    if has_barriers {
        live_ranges::split(&mut target, &mut stmts);
        switches::rewrite(&mut target, &mut stmts, Surroundings::default());
    }
    loop {
        let uniform = uniform::find(module, function, &stmts, alone);
        let mut target = Target {
            function: &mut *function,
            types: &mut module.types,
            taken,
        };
        if exits::eliminate(&mut target, &uniform, &mut stmts) {
            continue;
        }
        return schedule::build(&mut target, &uniform, stmts);
    }
}

/// Barriers that are no statements of the kernel itself.
fn barrier_reasons(survey: &Survey) -> Vec<Note> {
    let unreachable = survey.barriers.iter().filter_map(|barrier| {
        let text = match barrier.place {
            Place::Statement => return None,
            Place::Expression => "the barrier stands inside an expression",
            Place::Helper => "the barrier stands in a function that the kernel calls",
        };
        Some(Note::new(text, barrier.span))
    });
    unreachable.collect()
}

/// What [`rewrite`] gives.
struct Rewritten {
    task: Task,
    local_bytes: Vec<(u32, u64)>,
    notes: Vec<Note>,
}

fn rewrite(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'_>,
    survey: &Survey,
    plan: Plan<'_>,
) -> Rewritten {
    let Plan {
        grid,
        mut function,
        mut schedule,
        mut shared,
        values,
        most,
        taken,
    } = plan;
    let mut target = Target {
        function: &mut function,
        types: &mut module.types,
        taken,
    };
    let mut ids = Ids::new(grid, &mut target);
    let items = loop_variables(&mut target, &ids, schedule.regions.len());
    let layout = Layout::of(&mut ids, most);
    let mut outside = carry::carry(
        module,
        &mut function,
        taken,
        &mut schedule,
        &values,
        (&mut ids, &items, &layout),
    );

    let mut helpers = Helpers::find(module, &survey.callees, &mut ids);
    helpers.rewrite(module, kernel, &mut ids);
    let mut marks = Marks::new();
    let mut replace =
        |module: &mut Module, function: &mut Function, ids: &mut Ids, stmts: &[Stmt]| {
            let mut source = Source::Kernel(ids);
            queries::replace(module, function, taken, stmts, &mut source, &mut marks);
            helpers.pass_ids(module, function, taken, stmts, &mut source);
        };
    replace(module, &mut function, &mut ids, &outside.kernel);
    replace(module, &mut function, &mut ids, &outside.group);
    let mut done_once = Vec::new();
    schedule::statements(&schedule.nodes, &mut done_once);
    for stmt in done_once {
        replace(module, &mut function, &mut ids, std::slice::from_ref(stmt));
    }
    for (region, vars) in schedule.regions.iter_mut().zip(&items) {
        let region = &mut region.stmts;
        ids.items = *vars;
        let asked = global_id_queries(module, &function, region);
        let mut target = Target {
            function: &mut function,
            types: &mut module.types,
            taken,
        };
        let named = ids.name_global_ids(&mut target, asked);
        replace(module, &mut function, &mut ids, region);
        region.splice(0..0, named);
    }

    let masked = std::mem::take(&mut schedule.masked);
    let regions = schedule.regions.iter();
    let barrier_regions = regions.filter(|region| !region.stmts.is_empty()).count();
    let mut moved = Moved::default();
    if ids.groups.iter().any(Option::is_some) {
        let mut stmts: Vec<&Stmt> = outside.kernel.iter().chain(&outside.group).collect();
        schedule::statements(&schedule.nodes, &mut stmts);
        stmts.extend(schedule.regions.iter().flat_map(|region| &region.stmts));
        moved = local_memory::move_into_groups(module, &mut function, context, &stmts, &mut shared);
    }
    let independent = {
        let regions = schedule.regions.iter().flat_map(|region| &region.stmts);
        let stmts: Vec<&Stmt> = regions.collect();
        Independent::of(module, &function, &stmts, moved.arrays(), survey)
    };
    let mut target = Target {
        function: &mut function,
        types: &mut module.types,
        taken,
    };
    let mut group = moved.declarations;
    group.append(&mut outside.group);
    let mut emitted = Vec::with_capacity(schedule.regions.len());
    let mut of_groups = Vec::new();
    let mut all_scores: order::Score = [0; 3];
    for (mut region, vars) in schedule.regions.into_iter().zip(items) {
        let has_items = vars.iter().any(Option::is_some);
        if has_items || ids.groups.iter().any(Option::is_some) {
            returns::returns_to_continues(&mut target, &mut region.stmts);
        }
        let pragmas = independent.pragmas(target.function, &region.stmts);
        // Groups of one: the loops over groups are those over work-items.
        if !has_items {
            of_groups = independent.pragmas_of_groups(target.function, &region.stmts);
        }
        let fastest = [0, 1, 2].map(|d| vars[d].or(ids.groups[d]));
        let score = order::score(target.types, target.function, &region.stmts, fastest);
        for (sum, score) in all_scores.iter_mut().zip(score) {
            *sum += score;
        }
        let order = loop_order(survey, score);
        emitted.push(match region.stmts.is_empty() {
            true => Vec::new(),
            false => nest::over_items(&mut target, &mut ids, region.stmts, vars, (order, &pragmas)),
        });
    }
    group.extend(nest::over_steps(schedule.nodes, &mut emitted));
    if ids.groups.iter().any(Option::is_some) {
        returns::returns_to_continues(&mut target, &mut group);
    }
    let order = loop_order(survey, all_scores);
    let groups = nest::over_groups(&mut target, &mut ids, group, (order, &of_groups));
    let mut stmts = ids.declarations(&mut target);
    stmts.append(&mut shared);
    stmts.append(&mut outside.kernel);
    stmts.extend(groups);
    atomics::make_plain(&mut target, &mut stmts);

    let body = Block::of(stmts);
    narrow::narrow(
        &mut module.types,
        &module.functions,
        &mut function,
        &body,
        marks,
    );
    function.params.extend(ids.hidden.values());
    let summary = summary(&ids, barrier_regions);
    set_attributes(&mut function);
    function
        .comments
        .push(format!("ndrange-to-loop: {summary}"));
    function.body = Some(body);
    module.functions[kernel] = function;

    let saved = outside.saves.then(|| layout.bound()).flatten();
    let mut notes = notes(module, kernel, survey, &values, &ids, summary);
    notes.extend(masked.into_iter().map(mask_note));
    Rewritten {
        task: task(&ids, survey, saved, most),
        local_bytes: moved.local_bytes,
        notes,
    }
}

/// The order of loops over dimensions. What is printed comes in the order of the ids, and what atomic
/// operations give.
fn loop_order(survey: &Survey, score: order::Score) -> order::Order {
    match survey.prints || survey.atomics {
        true => order::PLAIN,
        false => order::best(score),
    }
}

/// How often a part of the kernel asks for the global id in each dimension.
fn global_id_queries(module: &Module, function: &Function, region: &[Stmt]) -> [usize; 3] {
    let mut asked = [0; 3];
    for (_, query) in queries::find(module, function, region) {
        if let (Quantity::GlobalId, Dim::Of(d)) = (query.quantity, query.dim) {
            asked[d as usize] += 1;
        }
    }
    asked
}

/// The variables of the loops over work-items, for each part of the kernel.
fn loop_variables(target: &mut Target<'_>, ids: &Ids, regions: usize) -> Vec<[Option<VarId>; 3]> {
    let mut out = vec![ids.items];
    for _ in 1..regions {
        // The same names: the loops stand one behind the other.
        let mut twins = ids.items;
        for var in twins.iter_mut().flatten() {
            let copy = target.function.vars[*var].clone();
            *var = target.function.vars.add(copy);
        }
        out.push(twins);
    }
    out
}

/// The most work-items that a group may have where the host does not fix its size: what the kernel
/// says, else what the user says.
fn max_group_size(function: &Function, context: &Context<'_>) -> u64 {
    let says = function.attr("max_work_group_size");
    let sizes = says.and_then(|attr| attr.integers());
    sizes
        .and_then(|sizes| sizes.into_iter().try_fold(1u64, u64::checked_mul))
        .filter(|most| (1..=1 << 20).contains(most))
        .unwrap_or(context.options.max_local_size)
}

/// Attributes that speak of work-groups are illegal on a single work-item.
fn set_attributes(function: &mut Function) {
    const OF_NDRANGES: [&str; 7] = [
        "reqd_work_group_size",
        "work_group_size_hint",
        "max_work_group_size",
        "num_simd_work_items",
        "num_compute_units",
        "uses_global_work_offset",
        "intel_reqd_sub_group_size",
    ];
    function
        .attrs
        .retain(|attr| !OF_NDRANGES.contains(&attr.name.as_str()));
    function.set_attr("max_global_work_dim", Some("0".to_string()));
}

fn task(ids: &Ids, survey: &Survey, saved: Option<u64>, most: u64) -> Task {
    let relies_on = ids.grid.facts();
    let takes_local = ids
        .hidden
        .keys()
        .any(|hidden| matches!(hidden, fpgacc_runtime::manifest::Hidden::Local(_)));
    // Local memory of a fixed size holds no group of any size; saved values neither.
    let bound = saved.or_else(|| (takes_local && survey.needs.groups).then_some(most));
    let whole = bound.is_none() && ids.grid.whole_group_is_fine();
    Task {
        hidden: ids.hidden.keys().copied().collect(),
        relies_on,
        max_group_size: bound,
        null_local: if whole {
            NullLocal::Whole
        } else {
            NullLocal::Divisor
        },
        int_ids: (),
    }
}

/// What was done, in a few words.
fn summary(ids: &Ids, regions: usize) -> String {
    let groups = ids.groups.iter().flatten().count();
    let items = ids.items.iter().flatten().count();
    let plural = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    let loops = match (groups, items) {
        (0, 0) => "one work-item, no loops".to_string(),
        (0, _) => format!("{} over work-items of one group", plural(items, "loop")),
        (_, 0) => format!("{} over groups of one work-item", plural(groups, "loop")),
        _ => format!(
            "{} over groups, {} over their work-items",
            plural(groups, "loop"),
            plural(items, "loop")
        ),
    };
    let parts = match regions {
        1 => String::new(),
        count => format!(", {count} barrier regions"),
    };
    let local = [0, 1, 2].map(|d| ids.grid.known_local(d));
    let size = match local {
        [Some(x), Some(y), Some(z)] if items > 0 && groups > 0 => {
            format!(", local size {x} x {y} x {z}")
        }
        _ => String::new(),
    };
    format!("{loops}{parts}{size}")
}

fn notes(
    module: &Module,
    kernel: FunctionId,
    survey: &Survey,
    values: &Values,
    ids: &Ids,
    summary: String,
) -> Vec<Note> {
    let mut text = format!("single work-item: {summary}");
    let kinds = [
        "saved for each work-item",
        "computed once a group",
        "recomputed",
    ];
    for kind in kinds {
        let vars = values
            .fates
            .iter()
            .filter(|(_, fate, _)| what_was_done(*fate) == kind);
        let names: Vec<String> = vars
            .map(|(var, ..)| format!("'{}'", module.functions[kernel].vars[*var].name))
            .collect();
        if !names.is_empty() {
            text.push_str(&format!("; {kind}: {}", names.join(", ")));
        }
    }
    if ids.grid.local_is_chosen && survey.needs.groups {
        text.push_str("; the host leaves the work-group size open: groups of one work-item");
    }
    let mut out = vec![Note::new(text, None)];
    if survey.prints {
        out.push(Note::new(
            "work-items run in the order of their ids, group by group, and so print in that order",
            None,
        ));
    }
    out
}

/// Barriers under a condition are the user's business: each work-item of a group must find the same.
fn mask_note(condition: Span) -> Note {
    let text = "a barrier depends on this condition, which is not known to be the same for all \
                work-items of a group: each keeps in mind whether it takes part";
    Note::new(text, Some(condition))
}

fn what_was_done(fate: Fate) -> &'static str {
    match fate {
        Fate::Uniform { .. } => "computed once a group",
        Fate::Recomputed => "recomputed",
        Fate::Copied | Fate::Replaced => "saved for each work-item",
    }
}
