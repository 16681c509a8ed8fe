//! `fuse`: loops of single work-items that follow each other and run equally often become one.
//!
//! A pipeline is filled once in place of twice, and what the first loop stores and the second reads at the same
//! index stays in a register; an array that held such values for all iterations goes. Barrier regions that
//! became loops over the same work-items are such loops: where work-items use what they themselves computed,
//! the barrier between was none of theirs.
//!
//! Two loops are fused where no iteration of the second touches what a later one of the first touches, one of
//! them writing (Kennedy and Allen, "Optimizing Compilers for Modern Architectures", 2001, section 6.2). Nests
//! are fused as deep as both are perfect, or not at all. Each iteration computes what it did: no operation
//! changes its operands.

mod candidates;
mod legality;
mod merge;
mod names;
mod registers;

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{Function, FunctionId, Module, StmtKind};
use fpgacc_kernel_analysis::location::{Refusal, refuse};
use fpgacc_kernel_analysis::loops;

use self::candidates::Pair;
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};

pub use self::candidates::has_pairs;

/// The name of the pass that makes one loop of several.
pub const FUSE: &str = "fuse";

/// The pass.
pub struct Fuse;

impl Pass for Fuse {
    fn about(&self) -> About {
        About {
            name: FUSE,
            description: "make one loop of loops that follow each other, in single work-items",
            level: 3,
            requires: &[Requirement::SingleWorkItem],
            after: &["ndrange-to-loop", "delinearise", "restrict"],
        }
    }

    fn has_work(&self, module: &Module, kernel: FunctionId, _context: &Context<'_>) -> bool {
        candidates::next(&module.functions[kernel], &BTreeSet::new()).is_some()
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        _contract: &mut LaunchContract,
    ) -> Outcome {
        let (mut done, mut missed) = (Vec::new(), Vec::new());
        if loops::structured_body(&module.functions[kernel]).is_none() {
            return Outcome::Nothing;
        }
        let mut refused = BTreeSet::new();
        while let Some(pair) = candidates::next(&module.functions[kernel], &refused) {
            let spans = pair.spans(&module.functions[kernel]);
            let note = |text: String| {
                let mut note = Note::new(text, spans[1].or(spans[0]));
                let first = spans[0].filter(|_| spans[1].is_some());
                note.also
                    .extend(first.map(|span| (span, "the first one".to_string())));
                note
            };
            match fused(module, kernel, context, &pair) {
                Ok(fused) => {
                    let text = fused.text(&module.functions[kernel]);
                    done.push(note(text).names_form("loops fused"));
                }
                Err(Refusal { reason, also }) => {
                    let mut note = note(format!("two loops are not fused: {reason}"));
                    let function = &module.functions[kernel];
                    let also = also.and_then(|(at, label)| Some((function.exprs.span(at)?, label)));
                    note.also
                        .extend(also.map(|(span, label)| (span, label.to_string())));
                    missed.push(note);
                    refused.insert(pair.key(function));
                }
            }
        }
        self.outcome(&mut module.functions[kernel], done, missed)
    }
}

/// What was fused.
struct Fused {
    /// Loops of each nest.
    levels: usize,
    kept: registers::Kept,
}

impl Fused {
    fn text(&self, function: &Function) -> String {
        let text = match self.levels {
            1 => "two loops become one".to_string(),
            levels => format!("two nests of {levels} loops become one"),
        };
        text + &self.kept.text(function)
    }
}

/// Fuses two loops, and those inside if there is nothing else.
///
/// # Errors
/// They stay as they are.
fn fused(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'_>,
    pair: &Pair,
) -> Result<Fused, Refusal> {
    let before = module.functions[kernel].clone();
    let result = fused_or_changed(module, kernel, context, pair);
    if result.is_err() {
        module.functions[kernel] = before;
    }
    result
}

/// The same; where they are not fused, the function is not what it was.
fn fused_or_changed(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'_>,
    pair: &Pair,
) -> Result<Fused, Refusal> {
    legality::between(module, kernel, context, pair)?;
    let counters = legality::heads(module, kernel, pair)?;
    let inner = pair.inner(&module.functions[kernel]);
    let at = pair.position();
    let merged = merge::merge(module, kernel, context, pair, counters);
    let merged = merged.ok_or_else(|| refuse("they do not count"))?;
    let pragmas = legality::check(module, kernel, context, (&at, &merged))?;
    if let Some(StmtKind::For { hints, .. }) = at
        .get_mut(&mut module.functions[kernel])
        .map(|stmt| &mut stmt.kind)
    {
        hints.pragmas = pragmas;
    }
    if let Some(inner) = inner {
        let fused = fused_or_changed(module, kernel, context, &inner).map_err(|why| {
            let reason = match why.reason.starts_with(INSIDE) {
                true => why.reason,
                false => format!("{INSIDE}{}", why.reason),
            };
            Refusal { reason, ..why }
        })?;
        return Ok(Fused {
            levels: fused.levels + 1,
            ..fused
        });
    }
    let kept = registers::keep(module, kernel, context, &at);
    Ok(Fused { levels: 1, kept })
}

/// What stands before why loops inside are not fused.
const INSIDE: &str = "of the loops inside, ";
