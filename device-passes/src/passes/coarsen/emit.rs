//! Makes the coarsened kernel.

use fpgacc_frontend::ir::{Block, FileNames, Function, FunctionId, Module, Stmt, StmtKind, VarId};
use fpgacc_kernel_analysis::geometry::{Geometry, LocalGeometry};

use crate::pass::{Context, Note};
use crate::passes::coarsen::helpers::Helpers;
use crate::passes::coarsen::jam;
use crate::passes::coarsen::lanes::{self, Lanes};
use crate::passes::coarsen::local_copies::LocalCopies;
use crate::passes::coarsen::options::{Coarsening, Level};
use crate::passes::ndrange_to_loop::control::alike::Alike;
use crate::passes::ndrange_to_loop::control::schedule::{self, Barriers};
use crate::passes::ndrange_to_loop::control::split;
use crate::passes::ndrange_to_loop::control::steps::{Region, Schedule};
use crate::passes::ndrange_to_loop::live_across::carry::{self, Outside};
use crate::passes::ndrange_to_loop::live_across::spill::Layout;
use crate::passes::ndrange_to_loop::live_across::values;
use crate::passes::ndrange_to_loop::loops::{nest, returns};
use crate::passes::ndrange_to_loop::survey::Survey;
use crate::passes::ndrange_to_loop::work_items::grid::{Grid, Needs};
use crate::passes::ndrange_to_loop::work_items::ids::{Ids, Target};
use crate::passes::ndrange_to_loop::{plan, prepare, regions};

/// Rewrites the kernel; gives how many loops all lanes go through together.
///
/// # Errors
/// The reasons to leave it alone.
pub fn rewrite(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'_>,
    survey: &Survey,
    lanes: &Lanes,
) -> Result<usize, Vec<Note>> {
    let how = lanes.how;
    let reasons = plan::barrier_reasons(survey);
    if !reasons.is_empty() {
        return Err(reasons);
    }
    let taken = context.names;
    let mut function = module.functions[kernel].clone();
    let mut stmts = function.body.take().unwrap_or_default().stmts;
    let mut shared = Vec::new();
    let alike = Alike::Lanes(how.dim, how.level);
    let jammed = jam::mark(module, &mut function, taken, alike, &mut stmts);
    if plan::moves_declarations(&function, &stmts) {
        function.make_names_unique(taken);
    }
    regions::take_shared_declarations(&function, &mut stmts, &mut shared);
    prepare::copy_changed_params(module, &mut function, taken, &mut stmts);
    let how_split = (alike, Barriers::Stay);
    let mut schedule = split(module, &mut function, taken, how_split, stmts);
    if schedule.regions.len() > 1 {
        prepare::join_declarations(module, &function, &mut schedule.regions);
    }
    let values = values::decide(module, &function, &schedule, values::CHEAP)?;

    let mut target = Target {
        function: &mut function,
        types: &mut module.types,
        taken,
    };
    let mut ids = Ids::new(group_of_lanes(how), &mut target);
    let items = lane_variables(&mut target, &mut ids, how, schedule.regions.len());
    let layout = Layout::Nested(vec![(how.dim, how.factor)]);
    let outside = carry::carry(
        module,
        &mut function,
        taken,
        &mut schedule,
        &values,
        (&mut ids, &items, &layout),
    );
    let copies = LocalCopies::new(&function, &shared, how);
    copies.check(&function, &schedule, &outside)?;
    let helpers = Helpers::rewrite(module, kernel, &survey.callees, lanes);
    let mut replacer = Replacer {
        module,
        function: &mut function,
        taken,
        lanes,
        helpers: &helpers,
        copies: &copies,
    };
    replacer.all(&schedule, &outside, &items);
    copies.declare(module, &mut function);
    let body = assemble(
        module,
        &mut function,
        taken,
        (schedule, outside, shared),
        &mut ids,
        &items,
    );
    function.body = Some(Block::of(body));
    set_attributes(&mut function, how);
    module.functions[kernel] = function;
    Ok(jammed)
}

/// The lanes of a work-item as the group of a launch of one group.
fn group_of_lanes(how: Coarsening) -> Grid {
    let mut sizes = [Some(1); 3];
    sizes[usize::from(how.dim)] = Some(how.factor);
    let geometry = Geometry {
        launches: 1,
        work_dim: Some(3),
        max_dim: 3,
        known_dim: 3,
        offset: [Some(0); 3],
        global: sizes,
        local: LocalGeometry::Sizes(sizes),
    };
    let needs = Needs {
        parts: true,
        groups: true,
        dims: [true; 3],
    };
    Grid::decide(&geometry, None, needs).expect("one small group is a valid launch")
}

/// The variables of the loops over lanes, for each region.
fn lane_variables(
    target: &mut Target<'_>,
    ids: &mut Ids,
    how: Coarsening,
    regions: usize,
) -> Vec<[Option<VarId>; 3]> {
    let name = target.function.fresh_name("lane", target.taken);
    let dim = usize::from(how.dim);
    if let Some(var) = ids.items[dim] {
        target.function.vars[var].name = name;
    }
    ids.loop_variables(target.function, regions)
}

/// Replaces work-item functions.
struct Replacer<'a> {
    module: &'a mut Module,
    function: &'a mut Function,
    taken: &'a FileNames,
    lanes: &'a Lanes,
    helpers: &'a Helpers,
    copies: &'a LocalCopies,
}

impl Replacer<'_> {
    /// In all of a kernel; `items` are the loop variables of each region.
    fn all(&mut self, schedule: &Schedule, outside: &Outside, items: &[[Option<VarId>; 3]]) {
        self.list(&outside.kernel, None);
        self.list(&outside.group, None);
        let mut done_once = Vec::new();
        schedule::statements(&schedule.nodes, &mut done_once);
        for stmt in done_once {
            self.list(std::slice::from_ref(stmt), None);
        }
        let dim = usize::from(self.lanes.how.dim);
        for (region, vars) in schedule.regions.iter().zip(items) {
            self.list(&region.stmts, vars[dim]);
        }
    }

    fn list(&mut self, stmts: &[Stmt], lane: Option<VarId>) {
        let (module, function) = (&mut *self.module, &mut *self.function);
        lanes::replace(module, function, self.taken, stmts, (self.lanes, lane));
        self.helpers
            .pass_lane(module, function, self.taken, stmts, lane);
        self.copies.replace(module, function, stmts, lane);
    }
}

/// The body: regions with loops over lanes around them, and what the work-item does once.
fn assemble(
    module: &mut Module,
    function: &mut Function,
    taken: &FileNames,
    (mut schedule, mut outside, mut stmts): (Schedule, Outside, Vec<Stmt>),
    ids: &mut Ids,
    items: &[[Option<VarId>; 3]],
) -> Vec<Stmt> {
    let mut target = Target {
        function,
        types: &mut module.types,
        taken,
    };
    let regions = std::mem::take(&mut schedule.regions);
    let over_lanes = regions.into_iter().zip(items);
    let mut emitted: Vec<Vec<Stmt>> = over_lanes
        .map(|(region, vars)| over_lanes_of(&mut target, ids, region, *vars))
        .collect();
    stmts.append(&mut outside.kernel);
    stmts.append(&mut outside.group);
    stmts.extend(nest::over_steps(schedule.nodes, &mut emitted));
    stmts
}

fn over_lanes_of(
    target: &mut Target<'_>,
    ids: &mut Ids,
    mut region: Region,
    vars: [Option<VarId>; 3],
) -> Vec<Stmt> {
    let does_nothing = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Decl { init: None, .. });
    if region.stmts.iter().all(does_nothing) {
        return Vec::new();
    }
    returns::returns_to_continues(target, &mut region.stmts);
    let pragmas = ["unroll".to_string()];
    nest::over_items(target, ids, region.stmts, vars, ([0, 1, 2], &pragmas))
}

/// Attributes that speak of work-groups speak of the smaller ones.
pub fn set_attributes(function: &mut Function, how: Coarsening) {
    function
        .attrs
        .retain(|attr| attr.name != "work_group_size_hint");
    if how.level == Level::Groups {
        return;
    }
    let dim = usize::from(how.dim);
    if let Some(mut sizes) = function.reqd_work_group_size() {
        sizes[dim] /= how.factor;
        let [x, y, z] = sizes;
        function.set_attr("reqd_work_group_size", Some(format!("{x}, {y}, {z}")));
    }
    let most = function.attr("max_work_group_size");
    if let Some(mut most) = most.and_then(|attr| attr.integers()) {
        let at = if most.len() == 3 { dim } else { 0 };
        if let Some(size) = most.get_mut(at) {
            *size = (*size / how.factor).max(1);
        }
        let most: Vec<String> = most.iter().map(u64::to_string).collect();
        function.set_attr("max_work_group_size", Some(most.join(", ")));
    }
}
