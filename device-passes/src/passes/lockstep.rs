//! `lockstep`: keeps the work-items of a work-group in the same iteration of a loop, by a barrier at its end. Which
//! loops is for the decision to say.
//!
//! aoc joins accesses to external memory that follow each other in time and place. Work-items that
//! are side by side access neighbours, but in a loop those of different iterations take turns at the unit, and what it
//! is asked for jumps to and fro. With a barrier in each iteration a work-group passes the unit as one, so that its
//! accesses are bursts. What that costs is the pipeline of the loop, which drains in each iteration.
//!
//! A barrier changes nothing in a kernel whose work-items do not race, where all of a work-group come by equally often.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, Callee, Expr, ExprId, Function, FunctionId, Module, Stmt, Types, UnaryOp,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::calls;
use fpgacc_kernel_analysis::divergence::uniform_loops;
use fpgacc_kernel_analysis::loops;

use crate::options::OwnOptions;
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};
use crate::passes::unroll::has_barrier;
use crate::setting::{PassFlag, Setting, number};

/// The name of the pass.
pub const LOCKSTEP: &str = "lockstep";

/// The pass.
pub struct Lockstep;

/// Which loops are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Options {
    /// Those with these indices ([`Candidate::index`]).
    Some(BTreeSet<usize>),
    /// All that can be.
    All,
}

impl Options {
    /// Whether a loop is.
    pub fn has(&self, index: usize) -> bool {
        match self {
            Options::Some(indices) => indices.contains(&index),
            Options::All => true,
        }
    }

    /// How many are named.
    pub fn count(&self) -> usize {
        match self {
            Options::Some(indices) => indices.len(),
            Options::All => 0,
        }
    }

    /// One loop more.
    pub fn add(&mut self, index: usize) {
        if let Options::Some(indices) = self {
            indices.insert(index);
        }
    }
}

impl OwnOptions for Options {
    const DEFAULT: &'static Self = &Options::Some(BTreeSet::new());
}

const ALL: &str = "all";

/// `1`: the second loop; `all`.
const SETTING: Setting = Setting::new(LOCKSTEP, |options, text| {
    let own = options.of_mut::<Options>();
    match text {
        ALL => *own = Options::All,
        _ => own.add(number(text)?),
    }
    Ok(())
})
.flag(
    PassFlag::Pass(ALL),
    "End each iteration of loops that access global memory by a barrier, in kernels that stay NDRanges, so that \
     work-items side by side access it together; else the model decides for which loops that pays",
);

/// A loop that a barrier may stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its index among the kernel's loops, outer ones first.
    pub index: usize,
    /// Where it stands; `None`: a pass made it.
    pub span: Option<Span>,
}

impl Pass for Lockstep {
    fn about(&self) -> About {
        About {
            name: LOCKSTEP,
            description: "keep the work-items of NDRange kernels in the same iteration of a loop, where that pays",
            level: 3,
            requires: &[Requirement::ManyWorkItems, Requirement::EntryPoint],
            after: &["work-group-size", "tile"],
        }
    }

    fn settings(&self) -> &'static [Setting] {
        &[SETTING]
    }

    fn has_work(&self, _module: &Module, _kernel: FunctionId, context: &Context<'_>) -> bool {
        context.options.of::<Options>() != Options::DEFAULT
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        _contract: &mut LaunchContract,
    ) -> Outcome {
        let options: &Options = context.options.of();
        let function = &module.functions[kernel];
        if function.reqd_work_group_size().is_none() {
            let text = "no barrier is added: the work-group size is not stated";
            return Outcome::Missed(vec![Note::new(text, None)]);
        }
        let all = candidates(module, kernel);
        let wanted = all.into_iter().filter(|found| options.has(found.index));
        let wanted: Vec<Candidate> = wanted.collect();
        let Module {
            functions, types, ..
        } = module;
        let function = &mut functions[kernel];
        let mut done = Vec::new();
        for Candidate { index, span } in wanted {
            end_by_barrier(function, types, index);
            let text = "a barrier ends each iteration of the loop: the work-items of a work-group stay together";
            done.push(Note::new(text, span));
        }
        self.outcome(function, done, Vec::new())
    }
}

/// Loops of a kernel with a stated work-group size that hold no others and no barrier, access global memory, and are gone
/// through by all work-items of a work-group equally often.
pub fn candidates(module: &Module, kernel: FunctionId) -> Vec<Candidate> {
    let function = &module.functions[kernel];
    let is_one = function.reqd_work_group_size() == Some([1; 3]);
    let Some(body) = loops::structured_body(function).filter(|_| !is_one) else {
        return Vec::new();
    };
    // Work-items that wait for another kernel would wait for each other, too; and users read what is printed.
    if calls::talks_to_kernels(module, kernel)
        || calls::calls_builtin(function, |name| name == "printf")
    {
        return Vec::new();
    }
    let uniform = uniform_loops(module, kernel);
    let mut found = Vec::new();
    loops::for_each(body, &mut |index, stmt| {
        let fits = uniform.contains(&index) && may_end_by_barrier(function, stmt);
        if fits && accesses_global_memory(module, function, stmt) {
            found.push(Candidate {
                index,
                span: stmt.span,
            });
        }
    });
    found
}

/// Whether all iterations come to the end of a loop's body, where there is no barrier yet, and no request of the user's
/// to copy it.
fn may_end_by_barrier(function: &Function, stmt: &Stmt) -> bool {
    let is_asked =
        loops::hints(stmt).is_none_or(|hints| !hints.pragmas.is_empty() || !hints.attrs.is_empty());
    let mut body = stmt.lists().into_iter().flatten();
    !is_asked
        && loops::count(stmt) == 1
        && !has_barrier(function, stmt)
        && !body.any(|inside| loops::leaves(inside, true, true))
}

fn accesses_global_memory(module: &Module, function: &Function, stmt: &Stmt) -> bool {
    let is_global = |pointer: ExprId| {
        let pointer = module.types.as_pointer(function.exprs.ty(pointer));
        pointer.is_some_and(|(_, space)| space == AddressSpace::Global)
    };
    stmt.any_expr(&function.exprs, &mut |id| match function.exprs.get(id) {
        Expr::Index { base, .. } => is_global(*base),
        Expr::Unary {
            op: UnaryOp::Deref,
            operand,
        } => is_global(*operand),
        Expr::Member {
            base, arrow: true, ..
        } => is_global(*base),
        Expr::Call {
            args,
            callee: Callee::Builtin(_),
        } => args.iter().any(|arg| is_global(*arg)),
        _ => false,
    })
}

/// The barrier is the last statement of a loop's body.
fn end_by_barrier(function: &mut Function, types: &mut Types, index: usize) {
    let barrier = function.exprs.local_barrier(types);
    let Some(body) = &mut function.body else {
        return;
    };
    loops::change(&mut body.stmts, index, &mut |stmt| {
        if let Some(body) = stmt.lists_mut().pop() {
            body.push(barrier.clone());
        }
    });
}
