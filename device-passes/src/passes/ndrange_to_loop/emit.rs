//! Carries out what [`crate::passes::ndrange_to_loop::plan`] decided: makes the single work-item.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{Block, FileNames, Function, FunctionId, Module, Stmt, VarId};
use fpgacc_kernel_analysis::work_item::{Dim, Quantity};
use fpgacc_runtime::guard::Guard;
use fpgacc_runtime::manifest::{Hidden, NullLocal, Task};

use crate::pass::{Context, Note};
use crate::passes::ndrange_to_loop::atomics;
use crate::passes::ndrange_to_loop::control::schedule;
use crate::passes::ndrange_to_loop::control::steps::{Region, Schedule};
use crate::passes::ndrange_to_loop::live_across::carry::{self, Outside};
use crate::passes::ndrange_to_loop::live_across::spill::Layout;
use crate::passes::ndrange_to_loop::live_across::values::Values;
use crate::passes::ndrange_to_loop::loops::ivdep::{Independent, spell};
use crate::passes::ndrange_to_loop::loops::local_memory::{self, Moved};
use crate::passes::ndrange_to_loop::loops::nest;
use crate::passes::ndrange_to_loop::loops::order::{self, Order};
use crate::passes::ndrange_to_loop::loops::returns;
use crate::passes::ndrange_to_loop::options::Options;
use crate::passes::ndrange_to_loop::plan::Plan;
use crate::passes::ndrange_to_loop::remarks;
use crate::passes::ndrange_to_loop::survey::Survey;
use crate::passes::ndrange_to_loop::work_items::helpers::Helpers;
use crate::passes::ndrange_to_loop::work_items::ids::{Ids, Target};
use crate::passes::ndrange_to_loop::work_items::narrow;
use crate::passes::ndrange_to_loop::work_items::queries::{self, Marks, Source};

/// What [`rewrite`] gives.
pub struct Rewritten {
    /// How the kernel is launched.
    pub task: Task,
    /// What launches must be like.
    pub guards: Vec<Guard>,
    /// What was done.
    pub notes: Vec<Note>,
}

/// Rewrites the kernel.
pub fn rewrite(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'_>,
    survey: &Survey,
    plan: Plan<'_>,
) -> Rewritten {
    let most = plan.most;
    let mut emitter = Emitter::new(module, plan);
    let marks = emitter.replace_queries(kernel, survey);
    let barrier_regions = emitter.barrier_regions();
    let masked = std::mem::take(&mut emitter.schedule.masked);
    let moved = emitter.move_local_memory(context);
    let guards = moved.guards.clone();
    let nest = emitter.nest(moved, survey, context.options.of());
    let innermost = nest.innermost;
    let stmts = emitter.with_declarations(nest.stmts);
    let mut summary = remarks::summary(&emitter.ids, barrier_regions);
    if let Some(dim) = innermost {
        summary.push_str(&format!(", dimension {dim} innermost"));
    }
    let mut notes = emitter.notes(survey, &summary);
    if let Some(first) = notes.first_mut() {
        first.form = remarks::form(&emitter.ids, innermost);
    }
    notes.extend(masked.into_iter().map(remarks::mask_note));
    let bound = emitter.bound();
    let rewritten = Rewritten {
        task: task(&emitter.ids, survey, bound, most),
        guards: emitter.guards(guards, bound),
        notes,
    };
    emitter.finish(kernel, stmts, marks, &summary);
    rewritten
}

/// A kernel on its way to a single work-item.
struct Emitter<'m> {
    module: &'m mut Module,
    taken: &'m FileNames,
    function: Function,
    schedule: Schedule,
    /// `__local` and `__constant` declarations.
    shared: Vec<Stmt>,
    values: Values,
    ids: Ids,
    /// The loop variables of each region.
    items: Vec<[Option<VarId>; 3]>,
    layout: Layout,
    outside: Outside,
}

impl<'m> Emitter<'m> {
    /// Names the ids and gives values that live across regions their places.
    fn new(module: &'m mut Module, plan: Plan<'m>) -> Self {
        let Plan {
            grid,
            mut function,
            mut schedule,
            shared,
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
        let items = ids.loop_variables(target.function, schedule.regions.len());
        let layout = Layout::of(&mut ids, most);
        let outside = carry::carry(
            module,
            &mut function,
            taken,
            &mut schedule,
            &values,
            (&mut ids, &items, &layout),
        );
        Emitter {
            module,
            taken,
            function,
            schedule,
            shared,
            values,
            ids,
            items,
            layout,
            outside,
        }
    }

    /// Puts ids in the place of work-item functions, here and in the functions that it calls. Gives the casts
    /// that were made.
    fn replace_queries(&mut self, kernel: FunctionId, survey: &Survey) -> Marks {
        let mut helpers = Helpers::find(self.module, &survey.callees, &mut self.ids);
        helpers.rewrite(self.module, kernel, &mut self.ids);
        let replacer = Replacer {
            module: self.module,
            function: &mut self.function,
            taken: self.taken,
            ids: &mut self.ids,
            helpers: &helpers,
            marks: Marks::new(),
        };
        replacer.all(&mut self.schedule, &self.outside, &self.items)
    }

    fn has_groups(&self) -> bool {
        self.ids.groups.iter().any(Option::is_some)
    }

    fn barrier_regions(&self) -> usize {
        let regions = self.schedule.regions.iter();
        regions.filter(|region| !region.stmts.is_empty()).count()
    }

    /// Gives each group its own `__local` memory, where there is a loop over groups.
    fn move_local_memory(&mut self, context: &Context<'_>) -> Moved {
        if !self.has_groups() {
            return Moved::default();
        }
        let stmts = all_statements(&self.schedule, &self.outside);
        let function = &mut self.function;
        local_memory::move_into_groups(self.module, function, context, &stmts, &mut self.shared)
    }

    /// Puts loops around the regions, and around all of them.
    fn nest(&mut self, moved: Moved, survey: &Survey, options: &Options) -> Nest {
        let regions: Vec<&Stmt> = self
            .schedule
            .regions
            .iter()
            .flat_map(|region| &region.stmts)
            .collect();
        let arrays = moved.arrays();
        let independent = Independent::of(self.module, &self.function, &regions, arrays, survey);
        let has_groups = self.has_groups();
        let mut target = Target {
            function: &mut self.function,
            types: &mut self.module.types,
            taken: self.taken,
        };
        let mut loops = Loops {
            target: &mut target,
            ids: &mut self.ids,
            independent: &independent,
            orders: Orders {
                is_plain: survey.prints || survey.atomics,
                asked: options.innermost,
                innermost: None,
            },
            score: [0; 3],
            written: BTreeSet::new(),
        };
        let regions = std::mem::take(&mut self.schedule.regions);
        let mut emitted: Vec<Vec<Stmt>> = regions
            .into_iter()
            .zip(&self.items)
            .map(|(region, vars)| loops.over_items(region, *vars))
            .collect();
        let order = loops.orders.of(loops.score, loops.ids.groups);
        let (innermost, written) = (loops.orders.innermost, loops.written);

        let of_groups = spell(target.function, written);
        let mut group = moved.declarations;
        group.append(&mut self.outside.group);
        let nodes = std::mem::take(&mut self.schedule.nodes);
        group.extend(nest::over_steps(nodes, &mut emitted));
        if has_groups {
            returns::returns_to_continues(&mut target, &mut group);
        }
        let stmts = nest::over_groups(&mut target, &mut self.ids, group, (order, &of_groups));
        Nest { stmts, innermost }
    }

    /// The body: what all groups share, and the loops.
    fn with_declarations(&mut self, loops: Vec<Stmt>) -> Vec<Stmt> {
        let mut target = Target {
            function: &mut self.function,
            types: &mut self.module.types,
            taken: self.taken,
        };
        let mut stmts = self.ids.declarations(&mut target);
        stmts.append(&mut self.shared);
        stmts.append(&mut self.outside.kernel);
        stmts.extend(loops);
        atomics::make_plain(&mut target, &mut stmts);
        stmts
    }

    /// Makes a kernel of it, in the place of the one that was.
    fn finish(mut self, kernel: FunctionId, stmts: Vec<Stmt>, marks: Marks, summary: &str) {
        let body = Block::of(stmts);
        let function = &mut self.function;
        let (types, functions) = (&mut self.module.types, &self.module.functions);
        narrow::narrow(types, functions, function, &body, marks);
        function.params.extend(self.ids.hidden.values());
        set_attributes(function);
        let comment = format!("ndrange-to-loop: {summary}");
        function.comments.push(comment);
        function.body = Some(body);
        self.module.functions[kernel] = self.function;
    }

    fn notes(&self, survey: &Survey, summary: &str) -> Vec<Note> {
        let function = &self.function;
        let storage_classes =
            remarks::storage_classes(function, &self.values, &self.outside.spilled);
        remarks::notes(survey, &self.ids, format!("{summary}{storage_classes}"))
    }

    /// The most work-items that arrays for spilled values hold, if there are any.
    fn bound(&self) -> Option<u64> {
        let has_arrays = !self.outside.spilled.is_empty();
        self.layout.bound().filter(|_| has_arrays)
    }

    fn guards(&self, mut guards: Vec<Guard>, bound: Option<u64>) -> Vec<Guard> {
        guards.push(Guard::IntLoops);
        guards.extend(self.ids.grid.facts().map(Guard::Geometry));
        guards.extend(bound.map(Guard::GroupSize));
        guards
    }
}

/// The loops of a single work-item.
struct Nest {
    stmts: Vec<Stmt>,
    /// The dimension that is innermost somewhere because it was asked for.
    innermost: Option<u8>,
}

/// All statements of a kernel under change, wherever they stand.
fn all_statements<'s>(schedule: &'s Schedule, outside: &'s Outside) -> Vec<&'s Stmt> {
    let mut stmts: Vec<&Stmt> = outside.kernel.iter().chain(&outside.group).collect();
    schedule::statements(&schedule.nodes, &mut stmts);
    stmts.extend(schedule.regions.iter().flat_map(|region| &region.stmts));
    stmts
}

/// Replaces work-item functions.
struct Replacer<'a> {
    module: &'a mut Module,
    function: &'a mut Function,
    taken: &'a FileNames,
    ids: &'a mut Ids,
    helpers: &'a Helpers,
    marks: Marks,
}

impl Replacer<'_> {
    /// In all of a kernel; `items` are the loop variables of each region. Gives the casts that were
    /// made.
    fn all(
        mut self,
        schedule: &mut Schedule,
        outside: &Outside,
        items: &[[Option<VarId>; 3]],
    ) -> Marks {
        self.list(&outside.kernel);
        self.list(&outside.group);
        let mut done_once = Vec::new();
        schedule::statements(&schedule.nodes, &mut done_once);
        for stmt in done_once {
            self.list(std::slice::from_ref(stmt));
        }
        for (region, vars) in schedule.regions.iter_mut().zip(items) {
            self.ids.items = *vars;
            let asked = global_id_queries(self.module, self.function, &region.stmts);
            let mut target = Target {
                function: self.function,
                types: &mut self.module.types,
                taken: self.taken,
            };
            let named = self.ids.name_global_ids(&mut target, asked);
            self.list(&region.stmts);
            region.stmts.splice(0..0, named);
        }
        self.marks
    }

    fn list(&mut self, stmts: &[Stmt]) {
        let (module, function) = (&mut *self.module, &mut *self.function);
        let mut source = Source::Kernel(self.ids);
        let marks = &mut self.marks;
        queries::replace(module, function, self.taken, stmts, &mut source, marks);
        let helpers = self.helpers;
        helpers.pass_ids(module, function, self.taken, stmts, &mut source);
    }
}

/// Puts loops over work-items around regions, and learns what the loops over groups should be.
struct Loops<'l, 'a> {
    target: &'l mut Target<'a>,
    ids: &'l mut Ids,
    independent: &'l Independent,
    orders: Orders,
    score: order::Score,
    /// Arrays that loops over groups may name.
    written: BTreeSet<VarId>,
}

impl Loops<'_, '_> {
    fn over_items(&mut self, mut region: Region, vars: [Option<VarId>; 3]) -> Vec<Stmt> {
        if region.stmts.is_empty() {
            return Vec::new();
        }
        let has_items = vars.iter().any(Option::is_some);
        if has_items || self.ids.groups.iter().any(Option::is_some) {
            returns::returns_to_continues(self.target, &mut region.stmts);
        }
        let function = &*self.target.function;
        let pragmas = self.independent.pragmas(function, &region.stmts);
        let written = self.independent.of_groups(function, &region.stmts);
        self.written.extend(written);
        let fastest = [0, 1, 2].map(|d| vars[d].or(self.ids.groups[d]));
        let score = order::score(self.target.types, function, &region.stmts, fastest);
        for (sum, score) in self.score.iter_mut().zip(score) {
            *sum += score;
        }
        let order = self.orders.of(score, fastest);
        nest::over_items(self.target, self.ids, region.stmts, vars, (order, &pragmas))
    }
}

/// The orders of loops over dimensions.
struct Orders {
    /// What is printed comes in the order of the ids, and what atomic operations give.
    is_plain: bool,
    /// See [`Options::innermost`].
    asked: Option<u8>,
    /// The dimension that is innermost somewhere because it was asked for.
    innermost: Option<u8>,
}

impl Orders {
    /// The order for a score of loops with these variables.
    fn of(&mut self, score: order::Score, vars: [Option<VarId>; 3]) -> Order {
        if self.is_plain {
            return order::PLAIN;
        }
        let best = order::best(score);
        let order = self.asked.map_or(best, order::with_innermost);
        let has_loop = |d: &u8| vars[usize::from(*d)].is_some();
        let loops = |order: Order| order.into_iter().filter(has_loop);
        if !loops(order).eq(loops(best)) {
            self.innermost = loops(order).next();
        }
        order
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

fn task(ids: &Ids, survey: &Survey, spilled: Option<u64>, most: u64) -> Task {
    let takes_local = ids
        .hidden
        .keys()
        .any(|hidden| matches!(hidden, Hidden::Local(_)));
    // Local memory of a fixed size holds no group of any size that the runtime may choose; the host knows
    // what it holds. Only arrays for spilled values are fpgacc's own.
    let bound = spilled.or_else(|| (takes_local && survey.needs.groups).then_some(most));
    let whole = bound.is_none() && ids.grid.whole_group_is_fine();
    Task {
        hidden: ids.hidden.keys().copied().collect(),
        max_group_size: bound,
        null_local: if whole {
            NullLocal::Whole
        } else {
            NullLocal::Divisor
        },
    }
}
