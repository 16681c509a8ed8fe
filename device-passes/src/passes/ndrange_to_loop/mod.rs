//! NDRange kernels become single work-items: loops over groups and work-items (section 4.2.1 of the
//! thesis).
//!
//! The steps: `survey`(mod@survey) looks for reasons to leave the kernel alone, and `plan` decides
//! everything before `emit` changes anything.
//!
//! - `group_calls`: functions with barriers, and those that a whole group calls together, become part
//!   of the kernel.
//! - `control`: the body is split into regions at its barriers. `control::convergence` states what a group
//!   does together, `control::uniform` what is uniform; `control::live_ranges`,
//!   `control::switches` and `control::exits` make it structured; `control::schedule` makes of it
//!   regions that work-items run on their own, and control around them, under `control::masks`
//!   where it may differ between work-items.
//! - `live_across`: what becomes of values that live across regions.
//! - `work_items`: what is constant of the NDRange, and expressions for ids and sizes.
//! - `interchange`(mod@interchange): a kernel's own loops outside of those over work-items.
//! - `loops`: loops around regions and groups, in the order that suits memory, and what the language
//!   guarantees of them.
//!
//! Why it is right: without barriers between them work-items may run in any order, so one after the
//! other is as good as any, and each region between two barriers is run by all work-items of a group
//! before the next begins. A kernel whose work-items wait for each other by other means (spinning on
//! memory) promises nothing in OpenCL; where such a loop is seen, the kernel is left alone.

mod atomics;
pub(crate) mod control;
mod emit;
pub(super) mod group_calls;
mod interchange;
pub(super) mod live_across;
pub(super) mod loops;
pub mod options;
pub(super) mod plan;
pub(super) mod prepare;
pub(super) mod regions;
mod remarks;
pub(super) mod statements;
pub(super) mod survey;
pub(super) mod work_items;

use fpgacc_frontend::ir::{Function, FunctionId, Module};
use fpgacc_kernel_analysis::geometry::LocalGeometry;

use fpgacc_runtime::manifest::Form;

use self::group_calls::lift::GroupCalls;
use self::group_calls::{collective, inline};
pub use self::options::Options;
use self::plan::Moved;
use self::survey::{Survey, survey};
use self::work_items::grid::{Grid, Needs};
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass};
use crate::setting::Setting;

/// The pass.
pub struct NdrangeToLoop;

impl Pass for NdrangeToLoop {
    fn about(&self) -> About {
        About {
            name: super::NDRANGE_TO_LOOP,
            description: "make NDRange kernels single work-items with loops over work-groups and work-items",
            level: 1,
            after: &["specialise"],
            ..About::default()
        }
    }

    fn settings(&self) -> &'static [Setting] {
        options::SETTINGS
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
        if let Some(note) = races(module, kernel, context) {
            return Outcome::Missed(vec![note]);
        }
        let calls = inline::group_calls(module, kernel);
        if !inline::has_work(&module.functions[kernel], &calls) {
            return with_loops(module, kernel, context, contract, &survey);
        }
        let original = module.functions[kernel].clone();
        let outcome = convert_whole(module, kernel, context, contract, &calls, survey);
        if matches!(outcome, Outcome::Missed(_)) {
            module.functions[kernel] = original;
        }
        outcome
    }
}

/// [`convert`], with the kernel's own loops where the options want them.
fn with_loops(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'_>,
    contract: &mut LaunchContract,
    survey: &Survey,
) -> Outcome {
    match context.options.of::<Options>().interchange {
        true => interchanged(module, kernel, context, contract, survey),
        false => convert(module, kernel, context, contract, (survey, Moved::No)),
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
    let needs = Needs {
        groups: true,
        ..survey.needs
    };
    let replaced = match Grid::decide(context.geometry, required, needs) {
        Ok(grid) => {
            let most = plan::max_group_size(&function, context);
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
    let outcome = with_loops(module, kernel, context, contract, &survey);
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
    (survey, moved): (&Survey, Moved),
) -> Outcome {
    let plan = match plan::plan(module, kernel, context, (survey, moved)) {
        Ok(plan) => plan,
        Err(reasons) => return Outcome::Missed(reasons),
    };
    let rewritten = emit::rewrite(module, kernel, context, survey, plan);
    contract.form = Form::Task(rewritten.task);
    contract.guards.extend(rewritten.guards);
    Outcome::Done(rewritten.notes)
}

/// [`convert`] of a kernel whose own loops run outside of those over work-items, where they can.
fn interchanged(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'_>,
    contract: &mut LaunchContract,
    survey: &Survey,
) -> Outcome {
    let original = module.functions[kernel].clone();
    // What is printed comes in the order of the ids, and what atomic operations give.
    let (moved, mut stayed) = match survey.prints || survey.atomics {
        true => Default::default(),
        false => interchange::mark(module, kernel, context),
    };
    let has_moved = if moved.is_empty() {
        Moved::No
    } else {
        Moved::Loops
    };
    let mut outcome = convert(module, kernel, context, contract, (survey, has_moved));
    if let (Outcome::Missed(reasons), false) = (&outcome, moved.is_empty()) {
        stayed.extend(reasons.iter().map(|reason| {
            let text = format!(
                "loops stay inside of those over work-items: {}",
                reason.text
            );
            Note::new(text, reason.span)
        }));
        module.functions[kernel] = original;
        outcome = convert(module, kernel, context, contract, (survey, Moved::No));
    } else if let Outcome::Done(done) = &mut outcome {
        done.extend(moved);
    }
    match outcome {
        Outcome::Done(done) => Outcome::of(done, stayed),
        other => other,
    }
}

/// A kernel whose work-items race relies on how GPUs run them, and a loop would give another result.
fn races(module: &Module, kernel: FunctionId, context: &Context<'_>) -> Option<Note> {
    let function = &module.functions[kernel];
    let has_groups = function.reqd_work_group_size().is_some()
        || !matches!(context.geometry.local, LocalGeometry::Null);
    let race = has_groups.then(|| context.race(module, kernel))??;
    let text = format!(
        "it relies on work-items that run in lockstep: this reads an element of '{}' that another work-item \
         writes, without a barrier between (a data race by OpenCL's rules)",
        race.array
    );
    let mut note = Note::new(text, race.read);
    if let Some(write) = race.write {
        note.also.push((write, "written here".to_string()));
    }
    Some(note)
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
    if says_so || contract.is_task() {
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
            "nothing in it depends on the work-item: it is a single work-item kernel already",
            None,
        )
    })
}
