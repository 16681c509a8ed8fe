//! Which reads may be made once, before a loop.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, ExprId, Field, FunctionId, Module, RecordKind, Stmt, TypeId,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::accesses::{Access, Summaries};
use fpgacc_kernel_analysis::location::{Around, Locations, Refusal, Region, by_location, refuse};
use fpgacc_kernel_analysis::spell::spell;
use fpgacc_kernel_analysis::sure::Sure;
use fpgacc_kernel_analysis::{faults, loops, nest};

use super::address::{Address, Dim, address, are_distinct};
use super::inner::Inners;
use crate::around_loop::Plan;
use crate::pass::Note;

/// Arrays of so many elements become registers, where the loops that index them can be unrolled: a guess.
const REGISTERS: u64 = 64;
/// Structures of more bytes are not copied as a whole: a guess.
const LARGEST_STRUCTURE: u64 = 64;
/// Nobody expects an array of more elements.
const MOST_TOLD: u64 = 1 << 16;

/// Elements that may be loaded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// How many they are; see [`super::Options::most`].
    pub elements: u64,
    /// The read; `None`: a pass made it.
    pub span: Option<Span>,
}

/// Elements that are read before a loop into an array, and written back after it if the loop writes them.
#[derive(Clone, Debug)]
pub struct Promotion {
    /// The read, as the loop's first one spells it.
    pub location: ExprId,
    /// All reads and writes that become those of the array.
    pub nodes: Vec<ExprId>,
    /// It is written after the loop.
    pub store: bool,
    /// What it varies with.
    pub address: Address,
    /// The loops that index it are unrolled, so that its elements are registers.
    pub in_registers: bool,
}

impl Promotion {
    /// Elements of the array.
    pub fn elements(&self) -> u64 {
        elements(&self.address.dims)
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
        let mut elements = 0;
        let exprs = &module.functions[id].exprs;
        self.judge(module, id, &mut |mut found| {
            let known = missed
                .iter()
                .any(|(nodes, _)| nodes.contains(&found.location));
            let text = format!("'{}' is ", found.name);
            match &mut found.verdict {
                Ok((promotion, around)) => {
                    promotion.nodes.retain(|node| !taken.contains(node));
                    if promotion.nodes.is_empty() {
                        return;
                    }
                    // What a read's address reads is gone with it.
                    for node in &promotion.nodes {
                        exprs.for_each(*node, &mut |id| {
                            taken.insert(id);
                        });
                    }
                    let note = Note::new(text + &description(promotion), found.span);
                    plan.done.push(note);
                    elements += promotion.elements();
                    plan.keep(found.at, [promotion.clone()], *around);
                }
                Err(refusal) if !known => {
                    let text = format!("{text}not kept in an array: {}", refusal.reason);
                    let note = refusal.note(exprs, text, found.span);
                    missed.push((found.nodes, note));
                }
                Err(_) => {}
            }
        });
        plan.done.sort_by_key(|note| note.span);
        if let Some(first) = plan.done.first_mut() {
            first.form = Some(format!("{elements} elements loaded once"));
        }
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

    fn judge(&self, module: &Module, id: FunctionId, visit: &mut dyn FnMut(Found)) {
        let function = &module.functions[id];
        let Some(body) = loops::structured_body(function) else {
            return;
        };
        let judge = Judge {
            locations: Locations::of(module, id, self.called, self.summaries),
            most: self.most,
        };
        let mut joined = 0;
        loops::for_each(body, &mut |at, stmt| {
            // Nests that the user makes one loop of stay as they are.
            if loops::hints(stmt).is_some_and(|hints| nest::asked(hints).is_some()) {
                joined = joined.max(at + loops::count(stmt));
            }
            // The innermost loops are none that anything could be moved before.
            if loops::count(stmt) > 1 && at >= joined {
                judge.judge_loop(at, stmt, visit);
            }
        });
    }
}

fn description(promotion: &Promotion) -> String {
    let kind = match promotion.in_registers {
        true => "registers",
        false => "elements",
    };
    let elements = promotion.elements();
    match promotion.store {
        true => format!("kept in an array of {elements} {kind} while the loop runs"),
        false => format!("read once before the loop, into an array of {elements} {kind}"),
    }
}

/// A read that a loop repeats.
struct Found {
    /// The loop's index among all loops of the function.
    at: usize,
    location: ExprId,
    nodes: BTreeSet<ExprId>,
    name: String,
    span: Option<Span>,
    verdict: Result<(Promotion, Around), Refusal>,
}

struct Judge<'a> {
    locations: Locations<'a>,
    most: u64,
}

/// The reads of a loop at one location, and the writes there.
struct Group<'r> {
    location: &'r Access,
    nodes: BTreeSet<ExprId>,
    writes: BTreeSet<ExprId>,
    address: Address,
}

impl Group<'_> {
    fn holds(&self, access: &Access) -> bool {
        access.exact && self.nodes.contains(&access.at)
    }
}

impl Judge<'_> {
    fn judge_loop(&self, at: usize, stmt: &Stmt, visit: &mut dyn FnMut(Found)) {
        let Some(region) = Region::new(&self.locations, stmt) else {
            return;
        };
        if region.trips.is_some_and(|trips| trips < 2) {
            return;
        }
        let aliases = &self.locations.aliases;
        let exprs = &aliases.function.exprs;
        let inners = Inners::of(exprs, &self.locations.constants, stmt);
        let groups = self.groups(&region, &inners);
        if groups.is_empty() {
            return;
        }
        let sure = Sure::of(&self.locations, stmt);
        // Reads of addresses come before what is read there: those need not be made for themselves.
        for group in groups.into_iter().rev() {
            let verdict = self.check(&region, &sure, &group);
            let location = group.location.at;
            visit(Found {
                at,
                location,
                name: spell(aliases.module, aliases.function, location),
                span: exprs.span(location),
                verdict: verdict.map(|around| (promotion(&group, &inners), around)),
                nodes: group.nodes,
            });
        }
    }

    /// The reads and writes of `__global` memory whose addresses only vary with loops inside that count, where
    /// there are reads.
    fn groups<'r>(&self, region: &'r Region<'_>, inners: &Inners) -> Vec<Group<'r>> {
        let aliases = &self.locations.aliases;
        let mut reads = Vec::new();
        for access in &region.accesses.list {
            if !access.exact || access.space != Some(AddressSpace::Global) {
                continue;
            }
            if let Some(address) = self.address(region, inners, access) {
                reads.push((access, address));
            }
        }
        let groups = by_location(
            &aliases.function.exprs,
            reads,
            |(access, _)| access.at,
            |(access, address)| {
                let name = spell(aliases.module, aliases.function, access.at);
                let dims = address.dims.iter().map(|dim| dim.at);
                (name, dims.collect::<Vec<_>>())
            },
        );
        let group = |reads: Vec<(&'r Access, Address)>| Group {
            location: reads[0].0,
            nodes: reads.iter().map(|(access, _)| access.at).collect(),
            writes: reads
                .iter()
                .filter(|(access, _)| access.write)
                .map(|(access, _)| access.at)
                .collect(),
            address: reads[0].1.clone(),
        };
        let is_read = |reads: &Vec<(&Access, Address)>| reads.iter().any(|(it, _)| !it.write);
        groups.into_iter().filter(is_read).map(group).collect()
    }

    fn address(&self, region: &Region<'_>, inners: &Inners, read: &Access) -> Option<Address> {
        let aliases = &self.locations.aliases;
        let (types, ty) = (&aliases.module.types, aliases.function.exprs.ty(read.at));
        let is_value = types.component(ty).is_some();
        let is_value = is_value || is_small_structure(aliases.module, ty);
        let address = is_value.then(|| address(&self.locations, region, inners, read.at))??;
        (elements(&address.dims) <= MOST_TOLD).then_some(address)
    }

    fn check(
        &self,
        region: &Region<'_>,
        sure: &Sure,
        group: &Group<'_>,
    ) -> Result<Around, Refusal> {
        let aliases = &self.locations.aliases;
        let elements = elements(&group.address.dims);
        if elements > self.most {
            let most = self.most;
            let reason = format!("it would take {elements} elements, and {most} are the most");
            return Err(refuse(reason));
        }
        if aliases.is_volatile(group.location.at) {
            return Err(refuse("it is volatile"));
        }
        // Other elements are written at other times: that one location is not what another is says nothing.
        let all = Access {
            exact: false,
            ..group.location.clone()
        };
        let is_written = !group.writes.is_empty();
        let mut others = region.accesses.list.iter();
        let touches = |other: &&Access| {
            (other.write || is_written) && !group.holds(other) && aliases.may_overlap(other, &all)
        };
        if let Some(other) = others.find(touches) {
            let reason = match is_written {
                true => "another access in the loop may touch the same memory",
                false => "the loop may write the same memory",
            };
            return Err(Refusal {
                reason: reason.to_string(),
                also: Some((other.at, "this may be the same memory")),
            });
        }
        if is_written {
            self.check_written(region, group)?;
        }
        if let Some(call) = region.accesses.synchronises {
            return Err(Refusal {
                reason: "other work-items or kernels may write it while the loop runs".to_string(),
                also: Some((call, "memory is synchronised here")),
            });
        }
        // What is written back must be written anyway: another work-item may write it otherwise.
        let needed = match is_written {
            true => &group.writes,
            false => &group.nodes,
        };
        let is_sure = needed.iter().any(|node| sure.in_body.contains(node));
        if !is_sure && !faults::is_on("speculative-promotion") {
            let what = if is_written { "written" } else { "read" };
            let reason =
                format!("it is not sure to be {what}, and may be no valid memory otherwise");
            return Err(refuse(reason));
        }
        let mut around = self.locations.around(region, group.location.at, true)?;
        around.guard &= !faults::is_on("promotion-guard-lost");
        Ok(around)
    }
}

impl Judge<'_> {
    /// Whether elements that the loop writes may stand in an array meanwhile.
    fn check_written(&self, region: &Region<'_>, group: &Group<'_>) -> Result<(), Refusal> {
        if region.has_return {
            return Err(refuse("the loop contains a return"));
        }
        if !are_distinct(&self.locations, group.location.at, &group.address) {
            return Err(refuse("two of its elements may be one"));
        }
        Ok(())
    }
}

/// Whether elements are structures of numbers and vectors, which are copied by assignments.
fn is_small_structure(module: &Module, ty: TypeId) -> bool {
    let Some(record) = module.types.as_record(ty) else {
        return false;
    };
    let is_small = |size| size <= LARGEST_STRUCTURE;
    let record = &module.records[record];
    let is_plain = |field: &Field| {
        let ty = field.ty.ty;
        let is_value = module.types.component(ty).is_some();
        is_value && field.ty.quals.is_empty()
    };
    record.kind == RecordKind::Struct
        && module
            .layout(ty)
            .is_some_and(|layout| is_small(layout.size))
        && record.fields.iter().flatten().all(is_plain)
}

fn promotion(group: &Group<'_>, inners: &Inners) -> Promotion {
    let dims = &group.address.dims;
    let own = |dim: &Dim| inners.loops.get(&dim.at);
    let outermost = dims.first().and_then(own);
    let only_they = outermost.is_some_and(|outer| outer.loops == dims.len());
    let mut all = dims.iter();
    let are_free = all.all(|dim| own(dim).is_some_and(|inner| inner.may_unroll));
    Promotion {
        location: group.location.at,
        nodes: group.nodes.iter().copied().collect(),
        store: !group.writes.is_empty(),
        in_registers: elements(dims) <= REGISTERS && only_they && are_free,
        address: group.address.clone(),
    }
}
