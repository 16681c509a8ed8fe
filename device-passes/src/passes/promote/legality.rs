//! Which reads may be made once, before a loop.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{AddressSpace, ExprId, Exprs, FunctionId, Module, Stmt, VarRef};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::accesses::{Access, Summaries};
use fpgacc_kernel_analysis::alias::Aliases;
use fpgacc_kernel_analysis::invariance::address_varies_but_for;
use fpgacc_kernel_analysis::place::{Around, Places, Refusal, Region, by_place, refuse};
use fpgacc_kernel_analysis::spell::spell;
use fpgacc_kernel_analysis::sure::Sure;
use fpgacc_kernel_analysis::trip_count::{Constants, Counting};
use fpgacc_kernel_analysis::{faults, loops};

use super::inner::Inners;
use crate::around_loop::Plan;
use crate::pass::Note;

/// Arrays of so many elements become registers, where the loops that index them can be unrolled: a guess.
const REGISTERS: u64 = 64;

/// Elements that may be loaded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// How many they are; see [`crate::options::PassOptions::promote`].
    pub elements: u64,
    /// The read; `None`: a pass made it.
    pub span: Option<Span>,
}

/// Elements that are read before a loop into an array.
#[derive(Clone, Debug)]
pub struct Promotion {
    /// The read, as the loop's first one spells it.
    pub place: ExprId,
    /// All reads that become reads of the array.
    pub nodes: Vec<ExprId>,
    /// What the address varies with, outer loops first.
    pub dims: Vec<Dim>,
    /// The loops that index it are unrolled, so that its elements are registers.
    pub in_registers: bool,
}

/// A loop that indexes an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// Its index among the loops of the one that the array stands before, which itself is the first.
    pub at: usize,
    /// How it counts.
    pub counting: Counting,
}

impl Promotion {
    /// Elements of the array.
    pub fn elements(&self) -> u64 {
        elements(&self.dims)
    }
}

fn elements(dims: &[Dim]) -> u64 {
    let trips = dims.iter().map(|dim| dim.counting.trips);
    trips.fold(1, u64::saturating_mul)
}

/// How reads are looked for.
pub struct Search<'a> {
    /// What functions do.
    pub summaries: &'a Summaries,
    /// Functions that others call.
    pub called: &'a BTreeSet<FunctionId>,
    /// The most elements of an array.
    pub most: u64,
}

impl Search<'_> {
    /// Plans the rewrites of a function: outer loops first, which read the least.
    pub fn plan(&self, module: &Module, id: FunctionId) -> Plan<Promotion> {
        let mut plan = Plan::default();
        let mut taken = BTreeSet::new();
        let mut missed: Vec<(BTreeSet<ExprId>, Note)> = Vec::new();
        self.judge(module, id, &mut |found| {
            let known = missed.iter().any(|(nodes, _)| nodes.contains(&found.place));
            let text = format!("'{}' is ", found.name);
            match found.verdict {
                _ if taken.contains(&found.place) => {}
                Ok((promotion, around)) => {
                    taken.extend(&promotion.nodes);
                    let note = Note::new(text + &words(&promotion), found.span);
                    plan.done.push(note);
                    plan.keep(found.at, [promotion], around);
                }
                Err((refusal, exprs)) if !known => {
                    let text = format!("{text}not read before the loop: {}", refusal.reason);
                    let note = refusal.note(exprs, text, found.span);
                    missed.push((found.nodes, note));
                }
                Err(_) => {}
            }
        });
        missed.retain(|(nodes, _)| nodes.is_disjoint(&taken));
        plan.missed.extend(missed.into_iter().map(|(_, note)| note));
        plan
    }

    /// What may be promoted, one by one: of two loops that a read may be moved before, each counts.
    pub fn candidates(&self, module: &Module, id: FunctionId) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        self.judge(module, id, &mut |found| {
            if let Ok((promotion, _)) = &found.verdict {
                candidates.push(Candidate {
                    elements: promotion.elements(),
                    span: found.span,
                });
            }
        });
        candidates
    }

    fn judge(&self, module: &Module, id: FunctionId, visit: &mut dyn FnMut(Found<'_>)) {
        let function = &module.functions[id];
        let Some(body) = &function.body else { return };
        if loops::has_labels(body) {
            return;
        }
        let judge = Judge {
            places: Places {
                aliases: Aliases::new(module, id, self.called),
                constants: Constants::new(module, function),
                summaries: self.summaries,
            },
            most: self.most,
        };
        loops::for_each(body, &mut |at, stmt| {
            // The innermost loops are none that anything could be moved before.
            if loops::count(stmt) > 1 {
                judge.judge_loop(at, stmt, visit);
            }
        });
    }
}

fn words(promotion: &Promotion) -> String {
    let kind = match promotion.in_registers {
        true => "registers",
        false => "elements",
    };
    let elements = promotion.elements();
    format!("read once before the loop, into an array of {elements} {kind}")
}

/// A read that a loop repeats.
struct Found<'a> {
    /// The loop's index among all loops of the function.
    at: usize,
    place: ExprId,
    nodes: BTreeSet<ExprId>,
    name: String,
    span: Option<Span>,
    verdict: Result<(Promotion, Around), (Refusal, &'a Exprs)>,
}

struct Judge<'a> {
    places: Places<'a>,
    most: u64,
}

/// The reads of a loop at one place.
struct Group<'r> {
    place: &'r Access,
    nodes: BTreeSet<ExprId>,
    dims: Vec<Dim>,
}

impl Judge<'_> {
    fn judge_loop(&self, at: usize, stmt: &Stmt, visit: &mut dyn FnMut(Found<'_>)) {
        let Some(region) = Region::new(&self.places, stmt) else {
            return;
        };
        if region.trips.is_some_and(|trips| trips < 2) {
            return;
        }
        let aliases = &self.places.aliases;
        let exprs = &aliases.function.exprs;
        let inners = Inners::of(exprs, &self.places.constants, stmt);
        let groups = self.groups(&region, &inners);
        if groups.is_empty() {
            return;
        }
        let sure = Sure::of(&self.places, stmt);
        for group in groups {
            let verdict = self.check(&region, &sure, &group);
            let place = group.place.at;
            visit(Found {
                at,
                place,
                name: spell(aliases.module, aliases.function, place),
                span: exprs.span(place),
                verdict: match verdict {
                    Ok(around) => Ok((promotion(&group, &inners), around)),
                    Err(refusal) => Err((refusal, exprs)),
                },
                nodes: group.nodes,
            });
        }
    }

    /// The reads of `__global` memory whose addresses only vary with loops inside that count.
    fn groups<'r>(&self, region: &'r Region<'_>, inners: &Inners) -> Vec<Group<'r>> {
        let aliases = &self.places.aliases;
        let mut reads = Vec::new();
        for access in &region.accesses.list {
            if access.write || !access.exact || access.space != Some(AddressSpace::Global) {
                continue;
            }
            if let Some(dims) = self.dims(region, inners, access) {
                reads.push((access, dims));
            }
        }
        let groups = by_place(
            &aliases.function.exprs,
            reads,
            |(access, _)| access.at,
            |(access, dims)| {
                let name = spell(aliases.module, aliases.function, access.at);
                (name, dims.iter().map(|dim| dim.at).collect::<Vec<_>>())
            },
        );
        let group = |reads: Vec<(&'r Access, Vec<Dim>)>| Group {
            place: reads[0].0,
            nodes: reads.iter().map(|(access, _)| access.at).collect(),
            dims: reads[0].1.clone(),
        };
        groups.into_iter().map(group).collect()
    }

    /// The loops that a read's address varies with; `None`: it varies with anything else, or with nothing.
    fn dims(&self, region: &Region<'_>, inners: &Inners, read: &Access) -> Option<Vec<Dim>> {
        let aliases = &self.places.aliases;
        let (types, exprs) = (&aliases.module.types, &aliases.function.exprs);
        let ty = exprs.ty(read.at);
        if types.as_scalar(ty).is_none() && types.as_vector(ty).is_none() {
            return None;
        }
        let dim = |at: &usize| {
            let counting = inners.loops.get(at)?.counting?;
            let is_used = exprs.uses(read.at, VarRef::Local(counting.counter));
            is_used.then_some(Dim { at: *at, counting })
        };
        let dims: Vec<Dim> = inners.around(read.at).iter().filter_map(dim).collect();
        if dims.is_empty() {
            return None;
        }
        let counters = dims.iter().map(|dim| dim.counting.counter).collect();
        let (summaries, all) = (self.places.summaries, &region.accesses);
        let varies = address_varies_but_for(aliases, summaries, read.at, all, &counters);
        varies.is_none().then_some(dims)
    }

    fn check(
        &self,
        region: &Region<'_>,
        sure: &Sure,
        group: &Group<'_>,
    ) -> Result<Around, Refusal> {
        let aliases = &self.places.aliases;
        let elements = elements(&group.dims);
        if elements > self.most {
            let most = self.most;
            let reason = format!("it would take {elements} elements, and {most} are the most");
            return Err(refuse(reason));
        }
        if aliases.is_volatile(group.place.at) {
            return Err(refuse("it is volatile"));
        }
        // Other elements are written at other times: that one place is not what another is says nothing.
        let all = Access {
            exact: false,
            ..group.place.clone()
        };
        let mut writes = region.accesses.writes();
        if let Some(write) = writes.find(|write| aliases.may_overlap(write, &all)) {
            return Err(Refusal {
                reason: "the loop may write the same memory".to_string(),
                also: Some((write.at, "this may be the same memory")),
            });
        }
        if let Some(call) = region.accesses.synchronises {
            return Err(Refusal {
                reason: "other work-items or kernels may write it while the loop runs".to_string(),
                also: Some((call, "memory is synchronised here")),
            });
        }
        let is_sure = group.nodes.iter().any(|node| sure.in_body.contains(node));
        if !is_sure && !faults::is_on("speculative-promotion") {
            let reason = "it is not sure to be read, and may be no valid memory otherwise";
            return Err(refuse(reason));
        }
        let mut around = self.places.around(region, group.place.at, true)?;
        around.guard &= !faults::is_on("promotion-guard-lost");
        Ok(around)
    }
}

fn promotion(group: &Group<'_>, inners: &Inners) -> Promotion {
    let own = |dim: &Dim| inners.loops.get(&dim.at);
    let outermost = group.dims.first().and_then(own);
    let only_they = outermost.is_some_and(|outer| outer.loops == group.dims.len());
    let mut dims = group.dims.iter();
    let are_free = dims.all(|dim| own(dim).is_some_and(|inner| inner.may_unroll));
    Promotion {
        place: group.place.at,
        nodes: group.nodes.iter().copied().collect(),
        in_registers: elements(&group.dims) <= REGISTERS && only_they && are_free,
        dims: group.dims.clone(),
    }
}
