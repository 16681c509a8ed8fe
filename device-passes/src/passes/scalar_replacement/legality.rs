//! Which locations of memory a loop may keep in registers.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{AddressSpace, ExprId, FunctionId, Module, Stmt};
use fpgacc_kernel_analysis::accesses::{Access, Summaries};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::invariance::address_varies;
use fpgacc_kernel_analysis::location::{
    Around, Locations, Refusal, Region, by_location, is_loop, refuse,
};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::spell::spell;
use fpgacc_kernel_analysis::sure::Sure;

use crate::around_loop::Plan;
use crate::pass::{Context, Note};

/// Loops that hold more levels of loops than this are left alone: each level looks at all inside it.
const MOST_LEVELS: usize = 8;

/// A location that is kept in a register.
#[derive(Clone, Debug)]
pub struct Promotion {
    /// The location, as the loop's first access spells it.
    pub location: ExprId,
    /// All its accesses in the loop.
    pub nodes: Vec<ExprId>,
    /// It is read before the loop.
    pub load: bool,
    /// It is written after the loop.
    pub store: bool,
}

/// Plans the rewrites of a function. `alone`: no other work-item runs it.
pub fn plan(
    module: &Module,
    id: FunctionId,
    summaries: &Summaries,
    context: &Context<'_>,
    alone: bool,
) -> Plan<Promotion> {
    let function = &module.functions[id];
    let Some(body) = loops::structured_body(function) else {
        return Plan::default();
    };
    let mut judge = Judge {
        locations: Locations::of(module, id, context.called, summaries),
        alone,
        seen: 0,
        taken: BTreeSet::new(),
        plan: Plan::default(),
    };
    judge.list(&body.stmts);
    judge.plan
}

struct Judge<'a> {
    locations: Locations<'a>,
    alone: bool,
    /// Loops that were met.
    seen: usize,
    /// Accesses that an outer loop replaces.
    taken: BTreeSet<ExprId>,
    plan: Plan<Promotion>,
}

/// The accesses of a loop to one location, in order.
struct Group<'r> {
    location: Access,
    accesses: Vec<&'r Access>,
    /// Where these stand.
    nodes: BTreeSet<ExprId>,
}

impl Group<'_> {
    fn is_written(&self) -> bool {
        self.accesses.iter().any(|access| access.write)
    }

    fn is_read(&self) -> bool {
        self.accesses.iter().any(|access| !access.write)
    }

    fn holds(&self, access: &Access) -> bool {
        access.exact && self.nodes.contains(&access.at)
    }
}

impl Judge<'_> {
    /// Outer loops first: a location that is the same in two nested loops belongs to the outer one.
    fn list(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            if is_loop(stmt) {
                self.seen += 1;
                if levels_of(stmt, MOST_LEVELS + 1) <= MOST_LEVELS {
                    self.judge_loop(self.seen - 1, stmt);
                }
            }
            for list in stmt.lists() {
                self.list(list);
            }
        }
    }

    fn judge_loop(&mut self, at: usize, stmt: &Stmt) {
        let Some(region) = Region::new(&self.locations, stmt) else {
            return;
        };
        let sure = Sure::of(&self.locations, stmt);
        let groups = self.groups(&region);
        for group in groups {
            match self.check(&region, &sure, &group) {
                Ok(Some((promotion, around))) => self.promote(at, promotion, around),
                Ok(None) => {}
                Err(refusal) => self.miss(&group, refusal),
            }
        }
    }

    /// The exact accesses to memory, by location.
    fn groups<'r>(&self, region: &'r Region<'_>) -> Vec<Group<'r>> {
        let aliases = &self.locations.aliases;
        let in_memory = |access: &&Access| {
            let space = access.space;
            access.exact && matches!(space, Some(AddressSpace::Global | AddressSpace::Local))
        };
        let accesses = region.accesses.list.iter().filter(in_memory);
        let groups = by_location(
            &aliases.function.exprs,
            accesses.filter(|access| !self.taken.contains(&access.at)),
            |access| access.at,
            |access| spell(aliases.module, aliases.function, access.at),
        );
        let group = |accesses: Vec<&'r Access>| Group {
            location: self.locations.as_access(accesses[0].at),
            nodes: accesses.iter().map(|access| access.at).collect(),
            accesses,
        };
        groups.into_iter().map(group).collect()
    }

    /// What is done about one location; `None` if nobody expects anything.
    fn check(
        &self,
        region: &Region<'_>,
        sure: &Sure,
        group: &Group<'_>,
    ) -> Result<Option<(Promotion, Around)>, Refusal> {
        let location = group.location.at;
        let aliases = &self.locations.aliases;
        let types = &aliases.module.types;
        let ty = aliases.function.exprs.ty(location);
        let is_value = types.component(ty).is_some();
        let varies = address_varies(
            aliases,
            self.locations.summaries,
            location,
            &region.accesses,
        );
        if !is_value || varies.is_some() {
            return Ok(None);
        }
        if self.locations.aliases.is_volatile(location) {
            return Err(refuse("it is volatile"));
        }
        if region.has_return {
            return Err(refuse("the loop contains a return"));
        }
        self.no_other_access(region, group)?;
        let around = self.around(region, sure, group)?;
        let first = group.accesses[0];
        let exprs = &aliases.function.exprs;
        let in_cond = |access: &&Access| {
            let cond = region.cond_first;
            cond.is_some_and(|cond| exprs.any(cond, &mut |id| id == access.at))
        };
        let starts_with_write =
            first.write && sure.in_body.contains(&first.at) && !group.accesses.iter().any(in_cond);
        Ok(Some((
            Promotion {
                location,
                nodes: group.nodes.iter().copied().collect(),
                load: !starts_with_write,
                store: group.is_written(),
            },
            around,
        )))
    }

    fn no_other_access(&self, region: &Region<'_>, group: &Group<'_>) -> Result<(), Refusal> {
        let aliases = &self.locations.aliases;
        for access in region.near(aliases, &group.location) {
            let both_read = !access.write && !group.is_written();
            if both_read || group.holds(access) || !aliases.may_overlap(access, &group.location) {
                continue;
            }
            return Err(Refusal {
                reason: "another access in the loop may touch the same memory".to_string(),
                also: Some((access.at, "this may be the same memory")),
            });
        }
        Ok(())
    }

    /// Only what the first iteration is sure to do may be done around the loop. What is only sure to be
    /// read may be written back if no other work-item can write it in the meantime.
    fn around(
        &self,
        region: &Region<'_>,
        sure: &Sure,
        group: &Group<'_>,
    ) -> Result<Around, Refusal> {
        let location = group.location.at;
        let any = |nodes: &BTreeSet<ExprId>, write: bool| {
            let mut accesses = group.accesses.iter();
            accesses.any(|access| (access.write || !write) && nodes.contains(&access.at))
        };
        let synchronised = region.accesses.synchronises.is_some();
        if !group.is_written() && !synchronised && any(&sure.in_cond, false) {
            // The condition is looked at even if no iteration runs.
            return Ok(Around {
                hoist_init: self.locations.init_matters(region, location),
                guard: false,
            });
        }
        let must_write = group.is_written() && !self.alone;
        let mut around = self
            .locations
            .around(region, location, any(&sure.in_body, must_write))?;
        if faults::is_on("promotion-guard-lost") {
            around.guard = false;
        }
        Ok(around)
    }

    fn promote(&mut self, at: usize, promotion: Promotion, around: Around) {
        let function = self.locations.aliases.function;
        let name = spell(self.locations.aliases.module, function, promotion.location);
        let text = match promotion.store {
            true => format!("'{name}' is kept in a register while the loop runs"),
            false => format!("'{name}' is read once, before the loop"),
        };
        let span = function.exprs.span(promotion.location);
        self.plan.done.push(Note::new(text, span));
        self.taken.extend(&promotion.nodes);
        self.plan.keep(at, [promotion], around);
    }

    /// What is only read is cached anyway: nobody asks why it is read again.
    fn miss(&mut self, group: &Group<'_>, refusal: Refusal) {
        if !group.is_written() || !group.is_read() {
            return;
        }
        let aliases = &self.locations.aliases;
        let exprs = &aliases.function.exprs;
        let name = spell(aliases.module, aliases.function, group.location.at);
        let text = format!("'{name}' is not kept in a register: {}", refusal.reason);
        let note = refusal.note(exprs, text, exprs.span(group.location.at));
        self.plan.missed.push(note);
    }
}

/// How many levels of loops a statement is, up to a limit.
fn levels_of(stmt: &Stmt, limit: usize) -> usize {
    let own = usize::from(is_loop(stmt));
    if limit == 0 {
        return 0;
    }
    let lists = stmt.lists();
    let inner = lists.into_iter().flatten();
    own + inner
        .map(|stmt| levels_of(stmt, limit - own))
        .max()
        .unwrap_or(0)
}
