//! `wavefront`: what the lanes of a wavefront hand to each other stays in registers.
//!
//! Dynamic programming on a GPU walks over a tile in diagonals: in each step a work-item computes one element of its
//! column from elements that it and its neighbour stored one or two steps ago, with a barrier after the step. As a
//! single work-item that is a loop over steps with a loop over lanes inside, and through memory a step waits for the
//! one before it. Here the loop over lanes is unrolled, each lane keeps what it stored in the last steps in registers,
//! and memory is only read for what was there before the wave. So a step starts in each cycle, as in what experts
//! write (H. R. Zohouri, "High Performance Computing with FPGAs and OpenCL", 2018, on Needleman-Wunsch).
//!
//! Waves that grow in one loop and shrink in another become one where both compute the same, element by element: the
//! lanes of the second are named anew. A loop over rows, in which each element waits for the one before it in its row,
//! is skewed first: lanes begin a step later each (M. Wolfe, "Loops skewing: the wavefront method revisited", 1986).
//!
//! Loops beside the wave that go along rows of the arrays that it uses, as long as it has lanes, are unrolled as well: the
//! wave would wait for them.
//!
//! Only where indices are sums of multiples of the two counters, so that it is known which step and lane stored what is
//! read, and where no element is stored twice. What is written beside the tables must not depend on the order of lanes:
//! minima and maxima, elements of each lane's own, and what is only written.

mod arms;
mod best;
mod codegen;
mod copied;
mod element;
mod extrema;
mod held;
mod nest;
mod phase;
mod reader;
mod row_uses;
mod rows;
mod same;
mod sink;
mod space;
mod step;
mod stores;
mod swapped;
mod together;
mod turns;
mod values;
mod wave;
mod writer;

use std::ops::Range;

use fpgacc_frontend::ir::{Function, FunctionId, Module, Stmt, VarId};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::alias::Aliases;
use fpgacc_kernel_analysis::location::Refusal;
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::Nests;
use fpgacc_kernel_analysis::usage::names;

use self::nest::{Scope, branches, written};
use self::phase::Phase;
use self::wave::Wave;
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};
use crate::position::{Path, Position, list};

/// The name of the pass that keeps wavefronts in registers.
pub const WAVEFRONT: &str = "wavefront";

/// The most loops that become one wave: one in which it grows, one in which it has all its lanes, one in which it
/// shrinks.
const MOST_PHASES: usize = 3;

/// The pass.
pub struct Wavefront;

impl Pass for Wavefront {
    fn about(&self) -> About {
        About {
            name: WAVEFRONT,
            description: "keep what the lanes of a wavefront hand on in registers, in single work-items",
            level: 3,
            requires: &[Requirement::SingleWorkItem],
            after: &["ndrange-to-loop", "restrict"],
        }
    }

    fn has_work(&self, module: &Module, kernel: FunctionId, _context: &Context<'_>) -> bool {
        has_waves(&module.functions[kernel])
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        _contract: &mut LaunchContract,
    ) -> Outcome {
        let Plan {
            mut done,
            found,
            missed,
        } = plan_turned(module, kernel, context);
        let function = &module.functions[kernel];
        done.extend(found.iter().map(|found| found.note(function)));
        codegen::widen(&mut module.functions[kernel], &found);
        // The last ones first: those before them then stay where they are.
        for found in found.into_iter().rev() {
            codegen::write(module, kernel, context, found);
        }
        self.outcome(&mut module.functions[kernel], done, missed)
    }
}

/// Whether there are loops that may be waves: a look that takes no time.
pub fn has_waves(function: &Function) -> bool {
    let has_loops = || {
        !runs(function).is_empty()
            || !sink::nests(function).is_empty()
            || !copied::nests(function).is_empty()
            || !swapped::nests(function).is_empty()
    };
    loops::structured_body(function).is_some() && has_loops()
}

/// Loops that follow each other and may be phases of a wave.
struct Run {
    /// Their list.
    path: Path,
    /// Where they stand in it.
    at: Vec<usize>,
}

/// All runs of a function, in the order of the text.
fn runs(function: &Function) -> Vec<Run> {
    let mut found = Vec::new();
    if let Some(body) = &function.body {
        runs_of(function, &body.stmts, &mut Vec::new(), &mut found);
    }
    found
}

fn runs_of(function: &Function, stmts: &[Stmt], path: &mut Path, found: &mut Vec<Run>) {
    let mut at = Vec::new();
    let mut end = |at: &mut Vec<usize>, path: &Path| {
        if !at.is_empty() {
            let path = path.clone();
            let at = std::mem::take(at);
            found.push(Run { path, at });
        }
    };
    for (index, stmt) in stmts.iter().enumerate() {
        if !written(function, stmt).is_empty() {
            at.push(index);
        } else if !stmt.is_comment() {
            end(&mut at, path);
        }
    }
    end(&mut at, path);
    for (index, stmt) in stmts.iter().enumerate() {
        for (inner, list) in stmt.lists().into_iter().enumerate() {
            path.push((index, inner));
            runs_of(function, list, path, found);
            path.pop();
        }
    }
}

/// Loops that become a wave.
struct Found {
    path: Path,
    at: Range<usize>,
    phases: Vec<Phase>,
    wave: Wave,
    /// Loops of the same list whose inner loops go along rows of what the wave uses, as long as it has lanes.
    rows: Vec<usize>,
}

impl Found {
    /// Whether an array is one of its tables.
    fn stores_in(&self, array: VarId) -> bool {
        let mut tables = self.phases.iter().flat_map(|phase| &phase.tables);
        tables.any(|table| table.array == array)
    }

    /// Whether a loop is one of its own.
    fn holds(&self, nest: &Position) -> bool {
        self.path == nest.path && self.at.contains(&nest.index)
    }

    fn note(&self, function: &Function) -> Note {
        let Wave { times, lanes, .. } = self.wave;
        let first = self.phases.first();
        let tables = first.map_or(&[][..], |phase| &phase.tables);
        let tables: Vec<VarId> = tables.iter().map(|table| table.array).collect();
        let tables = names(function, &tables);
        let loops = match self.phases.len() {
            1 => String::new(),
            loops => format!("; {loops} loops become one"),
        };
        let text = format!(
            "{lanes} lanes hand on what they store in {tables} in registers, in {times} steps{loops}"
        );
        let span = first.and_then(|phase| phase.span);
        Note::new(text, span).names_form("a wavefront in registers")
    }
}

#[derive(Default)]
struct Plan {
    /// What was done before.
    done: Vec<Note>,
    found: Vec<Found>,
    missed: Vec<Note>,
}

/// Looks for waves, also where rows are copied or exchanged. Those that are no waves are so as before.
fn plan_turned(module: &mut Module, kernel: FunctionId, context: &Context<'_>) -> Plan {
    let original = module.functions[kernel].clone();
    let (mut rows, mut done, mut missed) = (Vec::new(), Vec::new(), Vec::new());
    // What is done to one moves others, so that they are looked for again.
    while let Some((turn, nest)) = to_turn(&module.functions[kernel], missed.len()) {
        let function = &module.functions[kernel];
        let span = nest.get(function).and_then(|stmt| stmt.span);
        match turn(module, kernel, context, &nest) {
            Ok((array, note)) => {
                rows.push(array);
                done.push(note);
            }
            Err(refusal) => {
                let function = &module.functions[kernel];
                missed.push(missed_note(function, &refusal, span));
            }
        }
    }
    done.reverse();
    let mut looked = plan_joined(module, kernel, context);
    let is_used = |array| looked.found.iter().any(|found| found.stores_in(array));
    if rows.into_iter().all(is_used) {
        looked.done = done;
    } else {
        missed.append(&mut looked.missed);
        module.functions[kernel] = original;
        looked = plan_joined(module, kernel, context);
    }
    missed.retain(|note| !looked.missed.contains(note));
    looked.missed.extend(missed);
    looked
}

/// Makes two rows of a loop rows of one array.
type Turn = fn(&mut Module, FunctionId, &Context<'_>, &Position) -> Result<(VarId, Note), Refusal>;

/// The last loop whose rows may be used by turns, but for so many that are not.
fn to_turn(function: &Function, but: usize) -> Option<(Turn, Position)> {
    let copied = copied::nests(function).into_iter();
    let swapped = swapped::nests(function).into_iter();
    let copied = copied.map(|nest| (copied::turn as Turn, nest));
    let all = copied.chain(swapped.map(|nest| (swapped::turn as Turn, nest)));
    all.rev().nth(but)
}

/// Looks for waves, also among loops that have to be made such before. Others stay.
fn plan_joined(module: &mut Module, kernel: FunctionId, context: &Context<'_>) -> Plan {
    let original = module.functions[kernel].clone();
    let mut missed = Vec::new();
    let mut nests = sink::nests(&original);
    nests.retain(|nest| {
        let sunk = sink::sink(module, kernel, context, nest);
        let span = nest.get(&original).and_then(|stmt| stmt.span);
        let refusal = sunk.as_ref().err();
        missed.extend(refusal.map(|refusal| missed_note(&original, refusal, span)));
        sunk.is_ok()
    });
    let branching = branching(&module.functions[kernel]);
    for nest in &branching {
        arms::join(module, kernel, nest);
    }
    let mut looked = plan(module, kernel, context);
    let is_wave = |nest: &&Position| looked.found.iter().any(|found| found.holds(nest));
    if !nests.iter().chain(&branching).all(|nest| is_wave(&nest)) {
        module.functions[kernel] = original;
        for nest in nests.iter().filter(is_wave) {
            // It could be done before.
            let _ = sink::sink(module, kernel, context, nest);
        }
        for nest in branching.iter().filter(is_wave) {
            arms::join(module, kernel, nest);
        }
        looked.found = plan(module, kernel, context).found;
    }
    looked.missed.splice(0..0, missed);
    looked
}

/// Why the lanes of a loop do not hand on.
fn missed_note(function: &Function, refusal: &Refusal, span: Option<Span>) -> Note {
    let text = format!(
        "the lanes of a loop do not hand on in registers: {}",
        refusal.reason
    );
    refusal.note(&function.exprs, text, span)
}

/// Loops whose lanes end with a store in each arm of a branch.
fn branching(function: &Function) -> Vec<Position> {
    let mut out = Vec::new();
    for Run { path, at } in runs(function) {
        let stmts = list(function, &path).unwrap_or_default();
        let at = at.into_iter().filter(|at| branches(function, &stmts[*at]));
        out.extend(at.map(|index| Position {
            path: path.clone(),
            index,
        }));
    }
    out
}

/// Looks for waves.
fn plan(module: &Module, kernel: FunctionId, context: &Context<'_>) -> Plan {
    let function = &module.functions[kernel];
    let aliases = Aliases::new(module, kernel, context.called);
    let nests = Nests::of(module, function);
    let scope = Scope {
        module,
        function,
        aliases: &aliases,
        nests: &nests,
        summaries: context.summaries(module, kernel),
    };
    let mut plan = Plan::default();
    for run in runs(function) {
        plan.look(&scope, &run);
    }
    plan
}

impl Plan {
    /// Looks at a run: as many of its loops as can become one do.
    fn look(&mut self, scope: &Scope<'_>, run: &Run) {
        let stmts = list(scope.function, &run.path).unwrap_or_default();
        let mut rest = run.at.as_slice();
        while let [first, ..] = rest {
            let most = rest.len().min(MOST_PHASES);
            let mut found = Err((Refusal::default(), None));
            let mut taken = most;
            while taken > 0 && found.is_err() {
                found = wave(scope, stmts, &rest[..taken]);
                taken -= usize::from(found.is_err());
            }
            match found {
                Ok((phases, wave)) => {
                    let at = *first..rest[taken - 1] + 1;
                    let rows = phases
                        .first()
                        .map(|phase| rows::beside(scope, stmts, &at, (phase, wave.lanes)));
                    self.found.push(Found {
                        path: run.path.clone(),
                        at,
                        phases,
                        wave,
                        rows: rows.unwrap_or_default(),
                    });
                }
                Err((refusal, span)) => {
                    self.missed
                        .push(missed_note(scope.function, &refusal, span));
                }
            }
            rest = &rest[taken.max(1)..];
        }
    }
}

/// Some loops as a wave.
///
/// # Errors
/// They are none, with where they begin.
fn wave(
    scope: &Scope<'_>,
    stmts: &[Stmt],
    at: &[usize],
) -> Result<(Vec<Phase>, Wave), (Refusal, Option<Span>)> {
    let first = at.first().and_then(|first| stmts[*first].span);
    let phases = at.iter().map(|at| {
        let stmt = &stmts[*at];
        reader::phase(scope, stmt)
    });
    let phases = phases
        .collect::<Result<Vec<_>, _>>()
        .map_err(|refusal| (refusal, first))?;
    let wave = Wave::of(scope, &phases).map_err(|refusal| (refusal, first))?;
    Ok((phases, wave))
}
