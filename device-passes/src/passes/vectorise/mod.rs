//! `vectorise`: neighbouring work-items of an NDRange kernel become one, and what they compute vectors.
//!
//! The lanes are the components of vectors: `float` variables that differ between them become `float4`, and
//! accesses to neighbouring elements become `vload4` and `vstore4`. What is the same for all lanes stays
//! scalar, as do ids, of which the others follow from lane 0's. What has no vector form is done lane by
//! lane. It is the inter-vectorisation of Fang and Varbanescu (*CLVectorizer*), with rules when it is right.
//!
//! Why it is right: between barriers work-items may run in any order, so also a statement at a time, all
//! lanes together. Control that differs between lanes is tested once for all; where they differ indeed, they
//! go one after the other. No vector operation is used whose results OpenCL does not fix.
//!
//! - `legality`: reasons to leave a kernel alone.
//! - `shapes`: how values differ between lanes.
//! - `guards`: returns of some lanes only.
//! - `loops`: the same of iterations. `width`: how many users may ask for.
//! - `emitter`, `vectors`, `statements`: make the code. `builtins`: functions of vectors.

mod builtins;
mod emitter;
mod guards;
mod legality;
mod loops;
mod shapes;
mod statements;
mod vectors;
mod width;

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{Block, ExprId, Function, FunctionId, Module};
use fpgacc_kernel_analysis::accesses::Summaries;
use fpgacc_kernel_analysis::calls;
use fpgacc_kernel_analysis::work_item::Query;
use fpgacc_runtime::contract::{Coarsened, Form};
use fpgacc_runtime::guard::{Fact, Guard, Multiple};

pub use self::loops::{LoopOptions, VECTORISE_LOOPS, VectoriseLoops};

use self::emitter::{Emitter, First};
use self::shapes::{Shapes, WorkItems};
use crate::options::OwnOptions;
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};
use crate::passes::coarsen::emit::set_attributes;
use crate::passes::coarsen::lanes::Lanes;
use crate::passes::coarsen::options::{Coarsening, Level, Stride};
use crate::passes::geometry::GEOMETRY;
use crate::passes::ndrange_to_loop::group_calls::inline;
use crate::passes::ndrange_to_loop::prepare;
use crate::passes::ndrange_to_loop::work_items::ids::Target;
use crate::setting::{PassFlag, Setting, number};

/// The name of the pass that makes vectors.
pub const VECTORISE: &str = "vectorise";

/// The pass.
pub struct Vectorise;

/// What is asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// As many neighbouring work-items become one; `None`: none.
    pub lanes: Option<u64>,
}

impl OwnOptions for Options {
    const DEFAULT: &'static Self = &Options { lanes: None };
}

const SETTING: Setting = Setting::new(VECTORISE, |options, text| {
    options.of_mut::<Options>().lanes = Some(number(text)?);
    Ok(())
})
.flag(
    PassFlag::Value("LANES"),
    "Let one work-item of each kernel that stays an NDRange do the work of LANES neighbours (2, 4, 8 or \
     16) in dimension 0, with vectors",
)
.checked(width::check)
.turns_on();

impl Pass for Vectorise {
    fn about(&self) -> About {
        About {
            name: VECTORISE,
            description: "make vectors of what neighbouring work-items of NDRange kernels compute",
            level: 3,
            requires: &[Requirement::ManyWorkItems, Requirement::EntryPoint],
            after: &["specialise", "ndrange-to-loop", GEOMETRY],
        }
    }

    fn settings(&self) -> &'static [Setting] {
        &[SETTING]
    }

    fn has_work(&self, _module: &Module, _kernel: FunctionId, context: &Context<'_>) -> bool {
        context.options.of::<Options>().lanes.is_some()
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        contract: &mut LaunchContract,
    ) -> Outcome {
        let Some(width) = context.options.of::<Options>().lanes else {
            return Outcome::Nothing;
        };
        let how = Coarsening {
            dim: 0,
            factor: width,
            stride: Stride::Of(1),
            level: Level::Items,
        };
        let original = module.clone();
        match vectorise(module, kernel, (context, contract), how) {
            Ok(note) => {
                state(contract, how);
                self.outcome(&mut module.functions[kernel], vec![note], Vec::new())
            }
            Err(reasons) => {
                *module = original;
                Outcome::Missed(reasons)
            }
        }
    }
}

/// Ids of lane 0.
struct FirstItem<'a>(&'a Lanes);

impl First for FirstItem<'_> {
    fn query(&self, target: &mut Target<'_>, slot: ExprId, query: Query) -> ExprId {
        match self.0.changes(query) {
            true => self.0.value(target, slot, query, None),
            false => target.function.exprs.duplicate(slot),
        }
    }
}

/// Vectorises a kernel, or leaves it as something that the caller puts back.
fn vectorise(
    module: &mut Module,
    kernel: FunctionId,
    (context, contract): (&Context<'_>, &LaunchContract),
    how: Coarsening,
) -> Result<Note, Vec<Note>> {
    let problems = legality::problems(module, kernel, (context, contract), how);
    if !problems.is_empty() {
        return Err(problems);
    }
    inline::inline_all(module, kernel, context.names);
    let lanes = Lanes::without_offset(how);
    let callees = calls::reachable(module, kernel);
    let problems = legality::of_callees(module, &callees, &lanes);
    if !problems.is_empty() {
        return Err(problems);
    }
    let called: BTreeSet<FunctionId> = callees.iter().copied().collect();
    let summaries = Summaries::reachable(module, kernel, &called);
    let mut function = module.functions[kernel].clone();
    let mut stmts = function.body.take().unwrap_or_default().stmts;
    prepare::copy_changed_params(module, &mut function, context.names, &mut stmts);
    let mut shapes = Shapes::of(module, &function, &summaries, &WorkItems, &stmts);
    let mut target = Target {
        function: &mut function,
        types: &mut module.types,
        taken: context.names,
    };
    if guards::into_branches(&mut target, &shapes, &mut stmts) {
        shapes = Shapes::of(module, &function, &summaries, &WorkItems, &stmts);
    }
    let target = Target {
        function: &mut function,
        types: &mut module.types,
        taken: context.names,
    };
    let first = FirstItem(&lanes);
    let mut emitter = Emitter::new(target, &shapes, &first, how.factor as u8);
    let body = emitter.list(&stmts);
    let (problems, vectors, serial) = (emitter.problems, emitter.vectors, emitter.serial);
    if !problems.is_empty() {
        return Err(problems);
    }
    if vectors == 0 {
        return Err(vec![Note::new("nothing in it has a vector form", None)]);
    }
    function.body = Some(Block::of(body));
    finish(&mut function, how);
    module.functions[kernel] = function;
    let form = format!("vectors of {}", how.factor);
    Ok(Note::new(describe(how.factor, serial), None).names_form(form))
}

fn finish(function: &mut Function, how: Coarsening) {
    set_attributes(function, how);
    function.attrs.retain(|attr| attr.name != "vec_type_hint");
}

/// What was done, briefly.
fn describe(width: u64, serial: usize) -> String {
    let rest = match serial {
        0 => String::new(),
        1 => "; 1 expression or statement is done one by one".to_string(),
        count => format!("; {count} expressions and statements are done one by one"),
    };
    format!("{width} neighbouring work-items become one, with vectors of {width}{rest}")
}

/// How the kernel is launched now, and what its launches must be like.
fn state(contract: &mut LaunchContract, how: Coarsening) {
    let Coarsening {
        dim, factor, level, ..
    } = how;
    contract.form = Form::Coarsened(Coarsened {
        dim,
        factor,
        level,
        lanes: 1,
    });
    contract.guard(Guard::Multiple(Multiple {
        dim,
        of: factor,
        of_groups: false,
        null_local: true,
    }));
    contract.guard(Guard::Geometry(Fact::Offset(dim, 0)));
}
