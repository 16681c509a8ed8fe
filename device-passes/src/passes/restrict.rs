//! `restrict`: marks pointer parameters that name distinct memory at every launch.
//!
//! After Lloyd's thesis, section 4.2.3, which looks at the whole host at once; here each launch of a
//! kernel is looked at, pair of arguments by pair. What the launches pass is proved to be distinct,
//! or it is assumed, or it is seen to be shared. Of two arguments of which none is written nothing is
//! asked. The runtime checks every pair at each launch, proved ones too
//! ([`Guard::Distinct`]).
//!
//! Of memory through which work-items exchange values at barriers the promise would be false all the same
//! ([`exchanged`]).

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{ExprId, Function, FunctionId, Module, Qualifiers, VarId};
use fpgacc_kernel_analysis::exchange::exchanged;
use fpgacc_kernel_analysis::relation::{Relation, relation};
use fpgacc_kernel_analysis::single_work_item::runs_once;
use fpgacc_kernel_analysis::usage::{Usage, buffer_parameters, names};
use fpgacc_runtime::guard::Guard;

use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};

/// The pass.
pub struct Restrict;

impl Pass for Restrict {
    fn about(&self) -> About {
        About {
            name: super::RESTRICT,
            description: "mark pointer parameters restrict where the launches pass distinct buffers",
            level: 1,
            requires: &[Requirement::EntryPoint, Requirement::KnownLaunches],
            after: &["ndrange-to-loop"],
        }
    }

    fn has_work(&self, module: &Module, kernel: FunctionId, _context: &Context<'_>) -> bool {
        let pointers = Pointers::of(module, kernel);
        pointers.all.len() >= 2 && !pointers.plain.is_empty()
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        contract: &mut LaunchContract,
    ) -> Outcome {
        let pointers = Pointers::of(module, kernel);
        let usage = Usage::of(module, kernel, context.called);
        let pairs = Pair::all(&pointers, &usage, context);
        let is_single = runs_once(module, kernel, context.geometry, contract);
        let exchanged = exchanged(module, kernel, context.called, is_single);
        let function = &module.functions[kernel];
        let mut missed = Vec::new();
        let (mut marked, mut kept) = (Vec::new(), Vec::new());
        for pointer in &pointers.plain {
            if usage.reassigned.contains(&pointer.var) {
                missed.push(reassigned_note(function, pointer));
            } else if exchanged.contains_key(&pointer.var) {
                kept.push(pointer.var);
            } else if !pairs.iter().any(|p| p.is_shared() && p.has(pointer)) {
                marked.push(*pointer);
            }
        }
        let shared = pairs.iter().filter(|pair| pair.is_shared());
        missed.extend(shared.map(|pair| pair.shared_note(function)));
        missed.extend(exchange_note(function, &kept, &exchanged));
        if marked.is_empty() {
            return Outcome::Missed(missed);
        }
        let relied: Vec<&Pair> = pairs
            .iter()
            .filter(|pair| marked.iter().any(|pointer| pair.has(pointer)))
            .collect();
        // A parameter that the source itself marks is the user's promise.
        let is_own = |pair: &Pair| [pair.a, pair.b].iter().all(|p| pointers.is_plain(*p));
        let checked = relied.iter().filter(|pair| is_own(pair));
        let guards = checked.map(|pair| Guard::Distinct(pair.a.index, pair.b.index));
        contract.guards.extend(guards);
        let function = &mut module.functions[kernel];
        for pointer in &marked {
            function.vars[pointer.var].ty.quals |= Qualifiers::RESTRICT;
        }
        let done = vec![done_note(function, &marked, &relied)];
        function
            .comments
            .push(format!("restrict: {}", done[0].text));
        if missed.is_empty() {
            Outcome::Done(done)
        } else {
            Outcome::Partly { done, missed }
        }
    }
}

/// A `__global` or `__constant` pointer parameter.
#[derive(Clone, Copy)]
struct Pointer {
    /// Its index among the parameters.
    index: u32,
    var: VarId,
}

struct Pointers {
    /// All of them.
    all: Vec<Pointer>,
    /// Those that the source does not mark.
    plain: Vec<Pointer>,
}

impl Pointers {
    fn of(module: &Module, kernel: FunctionId) -> Self {
        let function = &module.functions[kernel];
        let all: Vec<_> = buffer_parameters(module, kernel)
            .into_iter()
            .map(|(index, var)| Pointer { index, var })
            .collect();
        let marked = |var: VarId| {
            let quals = function.vars[var].ty.quals;
            quals.contains(Qualifiers::RESTRICT)
        };
        let plain = all.iter().copied().filter(|p| !marked(p.var)).collect();
        Pointers { all, plain }
    }

    fn is_plain(&self, pointer: Pointer) -> bool {
        self.plain.iter().any(|plain| plain.var == pointer.var)
    }
}

/// Two pointers of which one is written, and what the launches pass as them.
struct Pair {
    a: Pointer,
    b: Pointer,
    relation: Relation,
}

impl Pair {
    /// In order of the parameters.
    fn all(pointers: &Pointers, usage: &Usage, context: &Context<'_>) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for (at, &a) in pointers.all.iter().enumerate() {
            for &b in &pointers.all[at + 1..] {
                if !usage.written.contains(&a.var) && !usage.written.contains(&b.var) {
                    continue;
                }
                let launches = context.launches.iter();
                let relation = launches
                    .map(|launch| relation(context.facts, launch, a.index, b.index))
                    .fold(Relation::Distinct, Relation::worse);
                pairs.push(Pair { a, b, relation });
            }
        }
        pairs
    }

    fn has(&self, pointer: &Pointer) -> bool {
        self.a.var == pointer.var || self.b.var == pointer.var
    }

    fn is_shared(&self) -> bool {
        matches!(self.relation, Relation::Shared(_))
    }

    fn shared_note(&self, function: &Function) -> Note {
        let reason = match &self.relation {
            Relation::Shared(reason) | Relation::Assumed(reason) => reason.as_str(),
            Relation::Distinct => "",
        };
        let text = format!(
            "parameters {} are not made restrict: {reason}",
            names(function, &[self.a.var, self.b.var])
        );
        Note::new(text, function.vars[self.a.var].span)
    }
}

fn done_note(function: &Function, marked: &[Pointer], relied: &[&Pair]) -> Note {
    let (noun, verb) = match marked.len() {
        1 => ("parameter", "is"),
        _ => ("parameters", "are"),
    };
    let assumed: Vec<(&Pair, &str)> = relied
        .iter()
        .filter_map(|pair| match &pair.relation {
            Relation::Assumed(reason) => Some((*pair, reason.as_str())),
            _ => None,
        })
        .collect();
    let why = match assumed.as_slice() {
        [] if relied.is_empty() => "none of them is written".to_string(),
        [] => "every launch passes distinct buffers (proved)".to_string(),
        [(pair, reason), more @ ..] => {
            let others = match more.len() {
                0 => String::new(),
                1 => " and one more pair".to_string(),
                count => format!(" and {count} more pairs"),
            };
            format!(
                "that {}{others} are distinct is assumed, and checked at each launch: {reason}",
                names(function, &[pair.a.var, pair.b.var])
            )
        }
    };
    let vars: Vec<VarId> = marked.iter().map(|pointer| pointer.var).collect();
    let text = format!("{noun} {} {verb} restrict: {why}", names(function, &vars));
    Note::new(text, function.vars[marked[0].var].span).names_form("restrict")
}

fn reassigned_note(function: &Function, pointer: &Pointer) -> Note {
    let text = format!(
        "parameter '{}' is not made restrict: the kernel assigns another pointer to it",
        function.vars[pointer.var].name
    );
    Note::new(text, function.vars[pointer.var].span)
}

fn exchange_note(
    function: &Function,
    kept: &[VarId],
    exchanged: &BTreeMap<VarId, ExprId>,
) -> Option<Note> {
    let call = exchanged.get(kept.first()?)?;
    let (noun, verb, pronoun) = match kept.len() {
        1 => ("parameter", "is", "it"),
        _ => ("parameters", "are", "them"),
    };
    let text = format!(
        "{noun} {} {verb} not made restrict: after this call, a work-item may access what another wrote \
         through {pronoun}",
        names(function, kept)
    );
    Some(Note::new(text, function.exprs.span(*call)))
}
