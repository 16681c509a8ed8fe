//! `group-loop`: one work-group of an NDRange kernel does the work of several, one after the other.
//!
//! The body of the kernel becomes that of a loop whose rounds are consecutive groups of the original launch. Each
//! work-item goes through all rounds, and sees in each the ids and sizes that it had there. Groups of an NDRange
//! share nothing but global memory, in no order; in rounds of one group they also share its `__local` memory, so
//! that a barrier stands between them where there is any. It is block-level coarsening (Chen and Wu et al., *Enabling
//! and Exploiting Flexible Task Assignment on GPU through SM-Centric Program Transformations*, ICS 2015, call its
//! other end persistent threads): fewer groups are started, and what the compiler can take out of the loop is done
//! once.
//!
//! Unlike [`coarsen`](crate::passes::coarsen) it copies no `__local` memory, leaves barriers where they stand, and
//! needs not know which control is the same for all work-items.

use fpgacc_frontend::ir::{
    AddressSpace, Block, Expr, Function, FunctionId, Module, Stmt, StmtKind, Type, VarId, VarRef,
};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::geometry::{Geometry, LocalGeometry};
use fpgacc_launch_facts::Launch;
use fpgacc_runtime::contract::{Coarsened, Form, Level};
use fpgacc_runtime::guard::{Fact, Guard, Multiple};

use crate::options::OwnOptions;
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement, chosen_local};
use crate::passes::coarsen::COARSEN;
use crate::passes::coarsen::helpers::Helpers;
use crate::passes::coarsen::lanes::{self, Lanes};
use crate::passes::coarsen::options::{Coarsening, Stride};
use crate::passes::geometry::GEOMETRY;
use crate::passes::ndrange_to_loop::loops::returns;
use crate::passes::ndrange_to_loop::statements::count;
use crate::passes::ndrange_to_loop::survey::survey;
use crate::passes::ndrange_to_loop::work_items::ids::Target;
use crate::passes::ndrange_to_loop::{plan, prepare, regions};
use crate::setting::{PassFlag, Setting};

/// The name of the pass.
pub const GROUP_LOOP: &str = "group-loop";

/// The pass.
pub struct LoopOverGroups;

/// What is asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How work-groups become rounds of others; `None`: not at all.
    pub how: Option<GroupLoop>,
}

impl OwnOptions for Options {
    const DEFAULT: &'static Self = &Options { how: None };
}

/// Which work-groups become rounds of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupLoop {
    /// The dimension: 0, 1 or 2.
    pub dim: u8,
    /// As many consecutive groups are one; at least 2.
    pub factor: u64,
}

/// What a request for a loop over groups is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected FACTOR or DIM:FACTOR, with a factor from 2 to {MOST_ROUNDS}")]
pub struct NoGroupLoop;

/// The most groups that become one.
const MOST_ROUNDS: u64 = 1 << 20;

impl std::str::FromStr for GroupLoop {
    type Err = NoGroupLoop;

    /// `4`, `1:4`.
    fn from_str(text: &str) -> Result<Self, NoGroupLoop> {
        let (dim, factor) = text.split_once(':').unwrap_or(("0", text));
        let looped = GroupLoop {
            dim: dim.parse().map_err(|_| NoGroupLoop)?,
            factor: factor.parse().map_err(|_| NoGroupLoop)?,
        };
        let is_sound = looped.dim < 3 && (2..=MOST_ROUNDS).contains(&looped.factor);
        is_sound.then_some(looped).ok_or(NoGroupLoop)
    }
}

const SETTING: Setting = Setting::new(GROUP_LOOP, |options, text| {
    let how = text.parse().map_err(|no: NoGroupLoop| no.to_string())?;
    options.of_mut::<Options>().how = Some(how);
    Ok(())
})
.flag(
    PassFlag::OneDash("fgroup-loop", "[DIM:]FACTOR"),
    "Let one work-group of each kernel that stays an NDRange do the work of FACTOR consecutive ones, in a loop",
)
.turns_on();

impl Pass for LoopOverGroups {
    fn about(&self) -> About {
        About {
            name: GROUP_LOOP,
            description: "let one work-group of NDRange kernels do the work of several in a loop, if asked to",
            level: 3,
            requires: &[Requirement::ManyWorkItems, Requirement::EntryPoint],
            after: &["specialise", "ndrange-to-loop", COARSEN, GEOMETRY],
        }
    }

    fn settings(&self) -> &'static [Setting] {
        &[SETTING]
    }

    fn has_work(&self, _module: &Module, _kernel: FunctionId, context: &Context<'_>) -> bool {
        context.options.of::<Options>().how.is_some()
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        contract: &mut LaunchContract,
    ) -> Outcome {
        let Some(how) = context.options.of::<Options>().how else {
            return Outcome::Nothing;
        };
        let problems = problems(module, kernel, context, (contract, how));
        if !problems.is_empty() {
            return Outcome::Missed(problems);
        }
        let has_local = rewrite(module, kernel, context, how);
        state(contract, how, context);
        let note = Note::new(describe(how, has_local), None);
        self.outcome(&mut module.functions[kernel], vec![note], Vec::new())
    }
}

fn describe(how: GroupLoop, has_local: bool) -> String {
    let GroupLoop { dim, factor } = how;
    let barrier = match has_local {
        true => ", with a barrier between them",
        false => "",
    };
    format!("{factor} consecutive work-groups in dimension {dim} are rounds of one{barrier}")
}

/// Reasons to leave a kernel alone.
fn problems(
    module: &Module,
    kernel: FunctionId,
    context: &Context<'_>,
    (contract, how): (&LaunchContract, GroupLoop),
) -> Vec<Note> {
    if contract.coarsened().is_some() {
        let text = "its work-items or work-groups are merged already";
        return vec![Note::new(text, None)];
    }
    let mut launches = context.launches.iter();
    let odd = launches.find_map(|launch| does_not_divide(launch, contract, how));
    let found = survey(module, kernel, context.called);
    odd.into_iter().chain(found.problems).collect()
}

/// Why a launch that is known has no groups to loop over.
fn does_not_divide(launch: &Launch, contract: &LaunchContract, how: GroupLoop) -> Option<Note> {
    let dim = usize::from(how.dim);
    let known = Geometry::of([launch]);
    let says = |what: String| {
        Some(Note::new(
            format!("the launch at {} {what}", launch.site),
            None,
        ))
    };
    if known.work_dim.is_some_and(|dims| dims as usize <= dim) {
        return says(format!("has no dimension {dim}"));
    }
    let local = match (chosen_local(launch, contract), known.local) {
        (Some(chosen), _) => Some(chosen[dim]),
        (None, LocalGeometry::Sizes(sizes)) => sizes[dim],
        (None, LocalGeometry::Null) => {
            return says(
                "gives no local size, so that it has no work-groups to loop over".to_string(),
            );
        }
        (None, LocalGeometry::Unknown) => None,
    };
    let groups = known.global[dim]? / local.filter(|size| *size > 0)?;
    match groups.is_multiple_of(how.factor) {
        true => None,
        false => says(format!(
            "has {groups} work-groups in dimension {dim}, which {} does not divide",
            how.factor
        )),
    }
}

/// Rewrites the kernel; returns whether a barrier stands between rounds.
fn rewrite(module: &mut Module, kernel: FunctionId, context: &Context<'_>, how: GroupLoop) -> bool {
    let taken = context.names;
    let callees = survey(module, kernel, context.called).callees;
    let has_local = has_local_memory(module, kernel, &callees);
    let lanes = Lanes::new(merged(how), context.geometry);
    let mut function = module.functions[kernel].clone();
    let mut stmts = function.body.take().unwrap_or_default().stmts;
    let mut body = Vec::new();
    if plan::moves_declarations(&function, &stmts) {
        function.make_names_unique(taken);
    }
    take_out(module, &function, &mut stmts, &mut body);
    prepare::copy_changed_params(module, &mut function, taken, &mut stmts);
    let helpers = Helpers::rewrite(module, kernel, &callees, &lanes);
    let int = module.types.int();
    let round = function.add_var("round", int, taken);
    let in_round = Some(round).filter(|_| !faults::is_on("round-forgotten"));
    lanes::replace(module, &mut function, taken, &stmts, (&lanes, in_round));
    helpers.pass_lane(module, &mut function, taken, &stmts, in_round);
    let mut target = Target {
        function: &mut function,
        types: &mut module.types,
        taken,
    };
    returns::returns_to_continues(&mut target, &mut stmts);
    if has_local && !faults::is_on("round-barrier-lost") {
        // At the head, where work-items that are done early come by, too.
        stmts.insert(0, target.function.exprs.local_barrier(target.types));
    }
    let rounds = match faults::is_on("last-round-lost") {
        true => how.factor - 1,
        false => how.factor,
    };
    let bound = target.int(rounds as i64);
    body.push(count(&mut target, round, bound, stmts));
    function.body = Some(Block::of(body));
    function
        .attrs
        .retain(|attr| attr.name != "work_group_size_hint");
    module.functions[kernel] = function;
    has_local
}

/// What can only be declared at the head of a kernel: memory that work-items share, and samplers.
fn take_out(module: &Module, function: &Function, stmts: &mut Vec<Stmt>, out: &mut Vec<Stmt>) {
    regions::take_shared_declarations(function, stmts, out);
    let is_sampler = |stmt: &Stmt| match stmt.kind {
        StmtKind::Decl { var, .. } => {
            let ty = module.types.resolve(function.vars[var].ty.ty);
            matches!(ty, Type::Opaque(name) if name == "sampler_t")
        }
        _ => false,
    };
    out.extend(stmts.extract_if(.., |stmt| is_sampler(stmt)));
}

/// How the original's groups are numbered by those that are left and their rounds.
fn merged(how: GroupLoop) -> Coarsening {
    Coarsening {
        dim: how.dim,
        factor: how.factor,
        stride: Stride::Of(1),
        level: Level::Groups,
    }
}

/// Whether a kernel, or what it calls, knows `__local` memory.
fn has_local_memory(module: &Module, kernel: FunctionId, callees: &[FunctionId]) -> bool {
    let mut reached = callees.iter().chain([&kernel]);
    reached.any(|id| {
        let function = &module.functions[*id];
        let mut vars = function.vars.iter();
        vars.any(|(var, _)| is_local(module, function, var)) || uses_local_of_file(module, function)
    })
}

fn is_local(module: &Module, function: &Function, var: VarId) -> bool {
    let variable = &function.vars[var];
    let pointer = module.types.as_pointer(variable.ty.ty);
    variable.space == AddressSpace::Local
        || pointer.is_some_and(|(_, space)| space == AddressSpace::Local)
}

fn uses_local_of_file(module: &Module, function: &Function) -> bool {
    let mut found = false;
    if let Some(body) = &function.body {
        body.for_each_expr(&function.exprs, &mut |expr| {
            if let Expr::Var(VarRef::Global(global)) = function.exprs.get(expr) {
                found |= module.globals[*global].variable.space == AddressSpace::Local;
            }
        });
    }
    found
}

/// How the kernel is launched now, and what its launches must be like.
fn state(contract: &mut LaunchContract, how: GroupLoop, context: &Context<'_>) {
    let GroupLoop { dim, factor } = how;
    contract.form = Form::Coarsened(Coarsened {
        dim,
        factor,
        level: Level::Groups,
        lanes: 1,
    });
    contract.guard(Guard::Multiple(Multiple {
        dim,
        of: factor,
        of_groups: true,
        null_local: false,
    }));
    if lanes::relies_on_no_offset(merged(how), context.geometry) {
        contract.guard(Guard::Geometry(Fact::Offset(dim, 0)));
    }
}
