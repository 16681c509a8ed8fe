//! `unroll`: copies the bodies of loops, so that one iteration does the work of several. Which loops
//! and how often is for the decision to say.
//!
//! aoc does the copying, on a pragma. Nothing in the meaning of a loop changes.

use std::cmp::Reverse;

use fpgacc_frontend::ir::{
    BinaryOp, Callee, Expr, Function, FunctionId, LoopHints, Module, Stmt, StmtKind,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::trip_count::{Constants, trip_count};
use fpgacc_kernel_analysis::{loops, nest};

use crate::options::OwnOptions;
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass};
use crate::setting::{Setting, number};

/// The pass.
pub struct Unroll;

/// What is asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Loops to unroll.
    pub factors: Vec<Factor>,
}

impl OwnOptions for Options {
    const DEFAULT: &'static Self = &Options {
        factors: Vec::new(),
    };
}

/// How often a loop's body is to be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Factor {
    /// Which loop: its index among the kernel's loops as `unroll` finds them, outer ones first.
    pub index: usize,
    /// Copies.
    pub copies: u64,
}

/// `0:4`: the first loop, four copies.
const UNROLL: Setting = Setting::new("unroll", |options, text| {
    let (index, copies) = text.split_once(':').ok_or("expected LOOP:COPIES")?;
    let (index, copies) = (number(index)?, number(copies)?);
    let factors = &mut options.of_mut::<Options>().factors;
    factors.push(Factor { index, copies });
    Ok(())
});

/// A loop that may be unrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// See [`Factor::index`].
    pub index: usize,
    /// Where it stands; `None`: a pass made it.
    pub span: Option<Span>,
    /// How often it runs, where the text states it.
    pub trips: Option<u64>,
    /// Loops inside it, which follow it.
    pub inside: usize,
}

/// A loop around others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nested {
    /// It.
    pub outer: Candidate,
    /// The loops inside it that remain, by their indices, and how often they run.
    pub inside: Vec<(usize, u64)>,
    /// Some of these follow each other, so that not all are inside each other.
    pub is_row: bool,
}

impl Candidate {
    /// Whether so many copies are all iterations.
    fn is_whole(&self, copies: u64) -> bool {
        self.trips == Some(copies)
    }
}

impl Pass for Unroll {
    fn about(&self) -> About {
        About {
            name: "unroll",
            description: "unroll loops, where that pays",
            level: 3,
            after: &["ndrange-to-loop", "reduction", "scalar-replacement"],
            ..About::default()
        }
    }

    fn settings(&self) -> &'static [Setting] {
        &[UNROLL]
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        _contract: &mut LaunchContract,
    ) -> Outcome {
        let mut factors = context.options.of::<Options>().factors.clone();
        // Inner loops first: one that is unrolled whole is none any more, and the one around it may be
        // unrolled then.
        factors.sort_by_key(|factor| Reverse(factor.index));
        let mut done = Vec::new();
        for factor in factors {
            let all = candidates(module, &module.functions[kernel]);
            let Some(found) = all.iter().find(|c| c.index == factor.index) else {
                continue;
            };
            let (pragma, text) = match found.is_whole(factor.copies) {
                true => (
                    "unroll".to_string(),
                    format!("all {} iterations of the loop run at once", factor.copies),
                ),
                false => (
                    format!("unroll {}", factor.copies),
                    format!("the loop is unrolled {} times", factor.copies),
                ),
            };
            if let Some(body) = &mut module.functions[kernel].body {
                loops::add_pragma(body, factor.index, &pragma);
            }
            done.push(Note::new(text, found.span));
        }
        done.reverse();
        match done.is_empty() {
            true => Outcome::Nothing,
            false => Outcome::Done(done),
        }
    }
}

/// A loop, and whether it may be unrolled.
struct Found {
    candidate: Candidate,
    /// It holds no barrier and no request of the user's, and is not left when data say so.
    is_free: bool,
    /// It holds no loops that remain.
    is_innermost: bool,
    /// It is unrolled whole.
    is_whole: bool,
}

/// The loops of a kernel that hold no others, no barriers and no request of the user's, and that are not left when
/// data say so.
pub fn candidates(module: &Module, function: &Function) -> Vec<Candidate> {
    let all = all(module, function).into_iter();
    all.filter(|found| found.is_free && found.is_innermost)
        .map(|found| found.candidate)
        .collect()
}

/// Loops that may be unrolled once the loops inside them are unrolled whole.
pub fn nested(module: &Module, function: &Function) -> Vec<Nested> {
    let all = all(module, function);
    let nest = |(at, outer): (usize, &Found)| {
        let inside = &all[at + 1..=at + outer.candidate.inside];
        let remain = inside.iter().filter(|found| !found.is_whole);
        let ends = remain
            .clone()
            .map(|found| found.candidate.index + found.candidate.inside);
        let mut next = remain.clone().skip(1).zip(ends);
        let is_row = next.any(|(next, end)| next.candidate.index > end);
        let whole = |found: &Found| {
            let trips = found.candidate.trips.filter(|_| found.is_free)?;
            Some((found.candidate.index, trips))
        };
        let inside: Option<Vec<_>> = remain.map(whole).collect();
        let is_nest = outer.is_free && !outer.is_innermost;
        let outer = outer.candidate;
        inside.filter(|_| is_nest).map(|inside| Nested {
            outer,
            inside,
            is_row,
        })
    };
    all.iter().enumerate().filter_map(nest).collect()
}

/// All loops of a kernel.
fn all(module: &Module, function: &Function) -> Vec<Found> {
    let constants = Constants::new(module, function);
    let mut found = Vec::new();
    let mut joined = 0;
    let Some(body) = &function.body else {
        return found;
    };
    loops::for_each(body, &mut |index, stmt| {
        let Some(hints) = loops::hints(stmt) else {
            return;
        };
        if nest::asked(hints).is_some() {
            joined = joined.max(index + loops::count(stmt));
        }
        let is_open = index >= joined && is_asked(hints).is_none();
        let trips = trip_count(&constants, stmt);
        let ends_early = trips.is_none() && tests_data(function, stmt);
        found.push(Found {
            candidate: Candidate {
                index,
                span: stmt.span,
                trips,
                inside: loops::count(stmt) - 1,
            },
            is_free: is_open && !ends_early && !has_barrier(function, stmt),
            is_innermost: is_innermost(stmt),
            is_whole: is_asked(hints) == Some("unroll"),
        });
    });
    found
}

/// What the user, or another pass, asks of unrolling.
fn is_asked(hints: &LoopHints) -> Option<&str> {
    let pragma = hints.pragmas.iter().map(String::as_str);
    let attr = hints.attrs.iter().map(|attr| attr.name.as_str());
    let mut words = pragma.chain(attr);
    words.find(|word| word.contains("unroll") || word.starts_with("ii "))
}

/// Loops that are unrolled whole are none any more.
fn is_innermost(stmt: &Stmt) -> bool {
    let mut inner = false;
    for inside in stmt.lists().into_iter().flatten() {
        inside.for_each(&mut |stmt| {
            inner |= loops::hints(stmt).is_some_and(|hints| is_asked(hints) != Some("unroll"));
        });
    }
    !inner
}

/// Whether a loop may end in any iteration, by more than how far it has counted. Its copies would wait for each
/// other's tests, so nothing is gained; and compilers of emulators make wrong code of such.
fn tests_data(function: &Function, stmt: &Stmt) -> bool {
    let StmtKind::For {
        cond: Some(cond),
        step: Some(_),
        body,
        ..
    } = &stmt.kind
    else {
        return true;
    };
    let is_several = &mut |id| {
        let op = match function.exprs.get(id) {
            Expr::Binary { op, .. } => *op,
            _ => return false,
        };
        matches!(op, BinaryOp::And | BinaryOp::Or)
    };
    let mut inside = body.stmts.iter();
    inside.any(|stmt| loops::leaves(stmt, true, false)) || function.exprs.any(*cond, is_several)
}

/// Whether work-items wait for each other in a statement.
pub(crate) fn has_barrier(function: &Function, stmt: &Stmt) -> bool {
    stmt.any_expr(&function.exprs, &mut |id| {
        matches!(
            function.exprs.get(id),
            Expr::Call { callee: Callee::Builtin(name), .. }
                if name.contains("barrier") || name.starts_with("work_group_")
                    || name.starts_with("async_work_group_") || name == "wait_group_events"
        )
    })
}
