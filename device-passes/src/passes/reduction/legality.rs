//! Which candidates may become shift registers: the five checks of Lloyd's section 4.2.2, and what
//! is needed besides to keep a program's meaning.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    Expr, ExprId, Function, FunctionId, LoopHints, Module, Scalar, Stmt, StmtKind, TypeId, VarRef,
};
use fpgacc_kernel_analysis::access_index::fixed_element;
use fpgacc_kernel_analysis::accesses::{Access, Summaries};
use fpgacc_kernel_analysis::alias::Root;
use fpgacc_kernel_analysis::invariance::address_varies;
use fpgacc_kernel_analysis::location::{
    Around, Locations, Refusal, Region, by_location, is_loop, refuse,
};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::spell::spell;
use fpgacc_kernel_analysis::trip_count::trip_count;

use super::matching::{Candidate, Combine, Form, candidates};
use crate::around_loop::Plan;
use crate::pass::{Context, Note};
use crate::passes::reduction::options::Options;

/// A reduction statement that becomes a shift register.
#[derive(Clone, Debug)]
pub struct Register {
    /// See [`Candidate::key`].
    pub key: ExprId,
    /// The location that is reduced into.
    pub location: ExprId,
    /// Its reads in the statement.
    pub reads: Vec<ExprId>,
    /// How partial results are combined.
    pub combine: Combine,
    /// How the statement is written.
    pub form: Form,
    /// Number of partial results.
    pub depth: u32,
    /// The location, spelled.
    pub name: String,
    /// The location is a private variable: it can be updated where it is. Otherwise it is loaded and
    /// stored once.
    pub in_variable: bool,
    /// The location may be no valid memory where no iteration updates it: only then is it looked at.
    pub if_updated: bool,
}

/// The depth of the shift register for a reduction of a type: the one line that decides it.
fn depth(options: &Options, _ty: Scalar, _combine: &Combine) -> u32 {
    options.depth.max(1)
}

/// Plans the rewrites of a function's innermost loops.
pub fn plan(
    module: &Module,
    id: FunctionId,
    summaries: &Summaries,
    context: &Context<'_>,
) -> Plan<Register> {
    let function = &module.functions[id];
    let mut plan = Plan::default();
    let Some(body) = loops::structured_body(function) else {
        return plan;
    };
    let mut loops = Loops::default();
    loops.collect(&body.stmts);
    let judge = Judge {
        locations: Locations::of(module, id, context.called, summaries),
        options: context.options.of(),
    };
    for (at, stmt) in loops.innermost {
        judge.judge_loop(at, stmt, &mut plan);
    }
    plan
}

/// The loops of a function.
#[derive(Default)]
struct Loops<'s> {
    /// How many there are.
    count: usize,
    /// Those that contain no other, with their indices among all.
    innermost: Vec<(usize, &'s Stmt)>,
}

impl<'s> Loops<'s> {
    fn collect(&mut self, stmts: &'s [Stmt]) {
        for stmt in stmts {
            let at = self.count;
            self.count += usize::from(is_loop(stmt));
            let before_inner = self.count;
            for list in stmt.lists() {
                self.collect(list);
            }
            if is_loop(stmt) && self.count == before_inner {
                self.innermost.push((at, stmt));
            }
        }
    }
}

struct Judge<'a> {
    locations: Locations<'a>,
    options: &'a Options,
}

impl Judge<'_> {
    fn function(&self) -> &Function {
        self.locations.aliases.function
    }

    fn module(&self) -> &Module {
        self.locations.aliases.module
    }

    fn judge_loop(&self, at: usize, stmt: &Stmt, plan: &mut Plan<Register>) {
        let exprs = &self.function().exprs;
        let (StmtKind::For { body, hints, .. }
        | StmtKind::While { body, hints, .. }
        | StmtKind::DoWhile { body, hints, .. }) = &stmt.kind
        else {
            return;
        };
        let mut found = candidates(exprs, &body.stmts);
        found.retain(|candidate| self.is_floating(exprs.ty(candidate.location)));
        if found.is_empty() {
            return;
        }
        // An unrolled loop is no pipeline: nobody expects a register there.
        if is_unrolled(hints, trip_count(&self.locations.constants, stmt)) {
            return;
        }
        let Some(region) = Region::new(&self.locations, stmt) else {
            return;
        };
        for group in self.groups(found) {
            self.judge_group(at, &region, &group, plan);
        }
    }

    /// Candidates by location.
    fn groups(&self, found: Vec<Candidate>) -> Vec<Vec<Candidate>> {
        let exprs = &self.function().exprs;
        let key = |candidate: &Candidate| {
            let var = match exprs.get(candidate.location) {
                Expr::Var(var) => Some(*var),
                _ => None,
            };
            (var, fixed_element(exprs, candidate.location))
        };
        by_location(exprs, found, |candidate| candidate.location, key)
    }

    fn judge_group(
        &self,
        at: usize,
        region: &Region<'_>,
        group: &[Candidate],
        plan: &mut Plan<Register>,
    ) {
        let exprs = &self.function().exprs;
        let location = group[0].location;
        let object = self.locations.aliases.object(location);
        if matches!(object, Some(VarRef::Local(var)) if region.accesses.declared.contains(&var)) {
            // A new variable in each iteration carries nothing from one to the next.
            return;
        }
        let name = spell(self.module(), self.function(), location);
        let span = exprs.span(group[0].key).or(region.stmt.span);
        let (registers, around) = match self.check(region, group, &name) {
            Ok(fine) => fine,
            Err(refusal) => {
                let text = format!(
                    "'{name}' is not accumulated in a shift register: {}",
                    refusal.reason
                );
                let note = refusal.note(exprs, text, span);
                plan.missed.push(note);
                return;
            }
        };
        for register in &registers {
            let text = format!(
                "the {} in '{name}' is accumulated in a shift register of {}, which reassociates \
                 floating-point operations",
                register.combine.noun(),
                register.depth
            );
            let form = format!("shift registers of {}", register.depth);
            let note = Note::new(text, exprs.span(register.key).or(span));
            plan.done.push(note.names_form(form));
        }
        plan.keep(at, registers, around);
    }

    fn is_floating(&self, ty: TypeId) -> bool {
        let types = &self.module().types;
        let scalar = types.component(ty);
        scalar.is_some_and(Scalar::is_float)
    }

    /// All checks on the reductions into one location.
    fn check(
        &self,
        region: &Region<'_>,
        group: &[Candidate],
        name: &str,
    ) -> Result<(Vec<Register>, Around), Refusal> {
        let exprs = &self.function().exprs;
        let location = group[0].location;
        // 1: the type.
        let scalar = match self.module().types.as_scalar(exprs.ty(location)) {
            Some(scalar @ (Scalar::Float | Scalar::Double)) => scalar,
            _ => return Err(refuse("its type is neither float nor double")),
        };
        if self.locations.aliases.is_volatile(location) {
            return Err(refuse("it is volatile"));
        }
        // 3: base and index are invariant.
        if let Some(culprit) = address_varies(
            &self.locations.aliases,
            self.locations.summaries,
            location,
            &region.accesses,
        ) {
            return Err(Refusal {
                reason: "it is another element in each iteration".to_string(),
                also: Some((culprit, "this changes in the loop")),
            });
        }
        // 4: the operations.
        let combine = self.common_operation(group)?;
        // 2: no other use.
        self.no_other_use(region, group)?;
        if region.has_return {
            return Err(refuse("the loop contains a return"));
        }
        // 5: the trip count.
        let depth = depth(self.options, scalar, &combine);
        if let Some(trips) = region.trips
            && trips < u64::from(depth)
        {
            return Err(refuse(format!(
                "the loop runs {trips} times, less than the register's depth of {depth}"
            )));
        }
        let sure = group.iter().any(|candidate| candidate.sure);
        let is_valid = self.locations.is_always_valid(location);
        // A minimum starts as the location's value, which is read before the loop.
        let if_updated = !sure && !is_valid && !combine.is_idempotent();
        let around = match if_updated {
            true => self.locations.after(region, location)?,
            false => self.locations.around(region, location, sure)?,
        };
        if let Some(why) = self.options.order.refusal() {
            return Err(refuse(why));
        }
        let in_variable = is_valid && matches!(exprs.get(location), Expr::Var(_));
        let registers = group.iter().filter_map(|candidate| {
            let (combine, form) = candidate.how.clone()?;
            Some(Register {
                key: candidate.key,
                location,
                reads: candidate.reads.clone(),
                combine,
                form,
                depth,
                name: name.to_string(),
                in_variable,
                if_updated,
            })
        });
        Ok((registers.collect(), around))
    }

    fn common_operation(&self, group: &[Candidate]) -> Result<Combine, Refusal> {
        let mut common: Option<Combine> = None;
        for candidate in group {
            let Some((combine, _)) = &candidate.how else {
                return Err(Refusal {
                    reason: "the operation is not associative and commutative".to_string(),
                    also: (candidate.key != group[0].key)
                        .then_some((candidate.key, "this operation")),
                });
            };
            match &common {
                Some(first) if first != combine => {
                    return Err(Refusal {
                        reason: "different operations are mixed on it in one loop".to_string(),
                        also: Some((candidate.key, "another operation")),
                    });
                }
                _ => common = Some(combine.clone()),
            }
        }
        Ok(common.expect("a group has a candidate"))
    }

    fn no_other_use(&self, region: &Region<'_>, group: &[Candidate]) -> Result<(), Refusal> {
        let location = self.locations.as_access(group[0].location);
        let nodes = |candidate: &'_ Candidate| {
            let location = std::iter::once(candidate.location);
            location.chain(candidate.reads.clone()).collect::<Vec<_>>()
        };
        let own_nodes: BTreeSet<ExprId> = group.iter().flat_map(nodes).collect();
        let own = |access: &Access| access.exact && own_nodes.contains(&access.at);
        let is_other_param = |access: &Access| {
            let mut roots = access.roots.iter();
            roots.all(|root| matches!(root, Root::Param(_))) && access.roots != location.roots
        };
        for access in region.near(&self.locations.aliases, &location) {
            if own(access) || !self.locations.aliases.may_overlap(access, &location) {
                continue;
            }
            let exprs = &self.function().exprs;
            let (reason, label) = if exprs.same(access.at, group[0].location) {
                ("its value is used elsewhere in the loop", "used here")
            } else if is_other_param(access) {
                (
                    "another pointer in the loop may point to it, since neither is restrict",
                    "this may be the same memory",
                )
            } else {
                (
                    "another access in the loop may touch the same memory",
                    "this may be the same memory",
                )
            };
            return Err(Refusal {
                reason: reason.to_string(),
                also: Some((access.at, label)),
            });
        }
        Ok(())
    }
}

/// Whether a loop's hints unroll it wholly.
fn is_unrolled(hints: &LoopHints, trips: Option<u64>) -> bool {
    let by = |factor: Option<&str>| match factor.map(str::trim) {
        None | Some("") => true,
        Some(factor) => match (factor.trim_matches(['(', ')']).trim().parse::<u64>(), trips) {
            (Ok(factor), Some(trips)) => factor > 1 && factor >= trips,
            _ => false,
        },
    };
    let pragma = |text: &String| {
        text.strip_prefix("unroll")
            .is_some_and(|rest| by(Some(rest)))
    };
    hints.pragmas.iter().any(pragma)
        || hints
            .attrs
            .iter()
            .any(|attr| attr.name == "opencl_unroll_hint" && by(attr.args.as_deref()))
}
