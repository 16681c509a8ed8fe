//! `coarsen`: one work-item of an NDRange kernel does the work of several.
//!
//! Each part of the kernel between two barriers is run for each of the merged work-items, its *lanes*,
//! in an unrolled loop; barriers stay, once. Control that is the same for all lanes is done once, with
//! the lanes inside, so that what they load alike is loaded once. It is thread coarsening (Magni,
//! Dubach and O'Boyle, *A Large-Scale Cross-Architecture Evaluation of Thread-Coarsening*, SC 2013);
//! the machinery is that of `ndrange-to-loop`, with the lanes in the place of a group's work-items.
//!
//! Why it is right: between barriers work-items may run in any order, and lanes pass each barrier
//! together, as OpenCL demands of the work-items that they stand for.
//!
//! - `options`: how work-items are merged.
//! - `legality`: reasons to leave a kernel alone.
//! - `jam`: which loops are gone through by all lanes together.
//! - `lanes`: ids and sizes of the original launch; `helpers`: of functions that ask for them.
//! - `local_copies`: `__local` memory of merged groups.
//! - `emit`: makes the kernel.

pub(super) mod emit;
pub(crate) mod helpers;
mod jam;
pub(crate) mod lanes;
pub(super) mod legality;
mod local_copies;
pub mod options;

use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_runtime::contract::{Coarsened, Form};
use fpgacc_runtime::guard::{Fact, Guard, Multiple};

use self::lanes::Lanes;
pub use self::options::Options;
use self::options::{Coarsening, Level, Stride};
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};
use crate::passes::geometry::GEOMETRY;
use crate::passes::ndrange_to_loop::group_calls::inline;
use crate::passes::ndrange_to_loop::survey::survey;
use crate::setting::Setting;

/// The name of the pass that merges work-items.
pub const COARSEN: &str = "coarsen";

/// The pass.
pub struct Coarsen;

impl Pass for Coarsen {
    fn about(&self) -> About {
        About {
            name: COARSEN,
            description: "let one work-item of NDRange kernels do the work of several, where that pays",
            level: 3,
            requires: &[Requirement::ManyWorkItems, Requirement::EntryPoint],
            after: &["specialise", "ndrange-to-loop", GEOMETRY],
        }
    }

    fn settings(&self) -> &'static [Setting] {
        &[options::SETTING]
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
        let lanes = contract.coarsened().map_or(1, |vectors| vectors.factor);
        let original = module.functions[kernel].clone();
        match coarsen(module, kernel, (context, contract), (how, lanes)) {
            Ok(note) => {
                state(contract, (how, lanes), context);
                self.outcome(&mut module.functions[kernel], vec![note], Vec::new())
            }
            Err(reasons) => {
                module.functions[kernel] = original;
                Outcome::Missed(reasons)
            }
        }
    }
}

/// Coarsens a kernel, or leaves it as something that the caller puts back.
fn coarsen(
    module: &mut Module,
    kernel: FunctionId,
    (context, contract): (&Context<'_>, &LaunchContract),
    (how, vectors): (Coarsening, u64),
) -> Result<Note, Vec<Note>> {
    let problems = legality::problems(module, kernel, (context, contract), (how, vectors));
    if !problems.is_empty() {
        return Err(problems);
    }
    let calls = inline::group_calls(module, kernel);
    let mut inlined = Default::default();
    if inline::has_work(&module.functions[kernel], &calls) {
        let mut function = module.functions[kernel].clone();
        inlined = inline::inline(module, kernel, &mut function, context.names, &calls)?;
        module.functions[kernel] = function;
    }
    let survey = survey(module, kernel, context.called);
    let lanes = Lanes::new(how, context.geometry);
    let jammed = emit::rewrite(module, kernel, context, &survey, &lanes)?;
    inline::drop_unused(module, &inlined);
    let merged = describe(how);
    Ok(Note::new(merged.clone() + &details(how, jammed), None).names_form(merged))
}

/// What was done, briefly.
fn describe(how: Coarsening) -> String {
    let (factor, dim) = (how.factor, how.dim);
    let what = match how.level {
        Level::Items => "work-items",
        Level::Groups => "work-groups",
    };
    format!("{factor} {what} become one in dimension {dim}")
}

fn details(how: Coarsening, jammed: usize) -> String {
    let apart = match how.stride {
        Stride::Of(1) => ", neighbours".to_string(),
        Stride::Of(stride) => format!(", {stride} apart"),
        Stride::Widest => ", as far apart as there are left".to_string(),
    };
    let loops = match jammed {
        0 => String::new(),
        1 => "; they go through 1 loop together".to_string(),
        count => format!("; they go through {count} loops together"),
    };
    apart + &loops
}

/// How the kernel is launched now, and what its launches must be like.
fn state(contract: &mut LaunchContract, (how, lanes): (Coarsening, u64), context: &Context<'_>) {
    let Coarsening {
        dim,
        factor,
        stride,
        level,
    } = how;
    contract.form = Form::Coarsened(Coarsened {
        dim,
        factor,
        level,
        lanes,
    });
    contract.guard(Guard::Multiple(Multiple {
        dim,
        of: legality::multiple(how) * legality::lanes_in(how, lanes),
        of_groups: level == Level::Groups,
        null_local: level == Level::Items && stride == Stride::Of(1),
    }));
    if lanes::relies_on_no_offset(how, context.geometry) {
        contract.guard(Guard::Geometry(Fact::Offset(dim, 0)));
    }
}
