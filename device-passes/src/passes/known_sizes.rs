//! `known-sizes`: conditions on ids that hold for all work-items of the launches, or for none, go; loops
//! that walk through a row by the size of the launch, or of a group, become their bodies where they run once,
//! and count their rounds where each work-item has as many.
//!
//! `if (get_global_id(0) < n)` guards against the work-items with which a size was rounded up, and where
//! the host need not round there are none. `for (i = get_global_id(0); i < n; i += get_global_size(0))`
//! takes any number of work-items, and is run by as many as there are elements. A branch or a loop
//! that depends on ids keeps aoc from running several work-items at a time, and what stands under a
//! condition is not sure to happen. The runtime compares the sizes at each launch.

mod rounds;

use fpgacc_frontend::ir::{
    Block, Expr, ExprId, Exprs, FunctionId, Init, Module, Stmt, StmtKind, VarId, VarRef,
};
use fpgacc_kernel_analysis::id_range::{Ranges, Relied};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::trip_count::Constants;
use fpgacc_runtime::guard::Guard;

use self::rounds::{Rounds, added_to};
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};

/// The pass.
pub struct KnownSizes;

impl Pass for KnownSizes {
    fn about(&self) -> About {
        About {
            name: "known-sizes",
            description: "drop conditions and loops that the launches' sizes decide",
            level: 2,
            requires: &[Requirement::EntryPoint, Requirement::KnownLaunches],
            after: &["specialise"],
        }
    }

    fn has_work(&self, _module: &Module, _kernel: FunctionId, context: &Context<'_>) -> bool {
        // Of launches that are not known, other passes report.
        !context.launches.is_empty()
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        contract: &mut LaunchContract,
    ) -> Outcome {
        let Some(body) = loops::structured_body(&module.functions[kernel]).cloned() else {
            return Outcome::Nothing;
        };
        let mut decider = Decider {
            ranges: Ranges {
                module,
                function: &module.functions[kernel],
                constants: Constants::new(module, &module.functions[kernel]),
                geometry: context.geometry,
            },
            relied: Relied::new(),
            rounds: Vec::new(),
            done: Vec::new(),
        };
        let stmts = decider.list(body.stmts);
        let Decider {
            relied,
            rounds,
            mut done,
            ..
        } = decider;
        if done.is_empty() {
            return Outcome::Nothing;
        }
        let seen = context.launches.iter().find(|l| l.recorded.is_some());
        if let Some(launch) = seen.filter(|_| !context.options.general.seen_counts()) {
            for note in &mut done {
                note.text = format!(
                    "what the launch at {} decides stays: it was only seen in a run (with \
                     --keep-general it goes)",
                    launch.site
                );
            }
            return Outcome::Missed(done);
        }
        for fact in relied {
            contract.guard(Guard::Geometry(fact));
        }
        module.functions[kernel].body = Some(Block::of(stmts));
        rounds::apply(module, kernel, context.names, &rounds);
        self.outcome(&mut module.functions[kernel], done, Vec::new())
    }
}

struct Decider<'a> {
    ranges: Ranges<'a>,
    relied: Relied,
    rounds: Vec<Rounds>,
    done: Vec<Note>,
}

/// A loop over a row.
struct Walk<'s> {
    counter: VarId,
    first: ExprId,
    by: ExprId,
    init: &'s Stmt,
}

impl Decider<'_> {
    fn list(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            self.counted(&stmt, &out);
            self.stmt(stmt, &mut out);
        }
        out
    }

    fn stmt(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        let made = self.decided(&stmt).or_else(|| self.walked(&stmt));
        if let Some(stmts) = made {
            let stmts = self.list(stmts);
            let declares = stmts
                .iter()
                .any(|stmt| matches!(stmt.kind, StmtKind::Decl { .. }));
            match declares {
                true => out.push(Stmt::at(StmtKind::Block(Block::of(stmts)), span)),
                false => out.extend(stmts),
            }
            return;
        }
        for list in stmt.lists_mut() {
            *list = self.list(std::mem::take(list));
        }
        out.push(stmt);
    }

    /// Notes a loop that all work-items run equally often.
    fn counted(&mut self, stmt: &Stmt, before: &[Stmt]) {
        if let Some(rounds) = rounds::rounds(&self.ranges, stmt, before, &mut self.relied) {
            let text = format!("the loop runs {} times for each work-item", rounds.trips);
            self.note(&text, rounds.cond);
            self.rounds.push(rounds);
        }
    }

    /// The branch that is taken, of a condition that is decided.
    fn decided(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let StmtKind::If {
            cond,
            then,
            otherwise,
        } = &stmt.kind
        else {
            return None;
        };
        let exprs = &self.ranges.function.exprs;
        if exprs.has_effects(*cond) || is_constant(exprs, *cond) {
            return None;
        }
        let holds = self.ranges.decide(*cond, None, &mut self.relied)?;
        let text = match holds {
            true => "the condition holds for all work-items",
            false => "the condition holds for no work-item",
        };
        self.note(text, *cond);
        Some(match (holds, otherwise) {
            (true, _) => then.stmts.clone(),
            (false, Some(otherwise)) => otherwise.stmts.clone(),
            (false, None) => Vec::new(),
        })
    }

    fn note(&mut self, text: &str, at: ExprId) {
        let text = format!("{text} of the launches (their sizes are checked at each launch)");
        let span = self.ranges.function.exprs.span(at);
        self.done.push(Note::new(text, span));
    }

    /// What is left of a loop that runs once at most.
    fn walked(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let StmtKind::For {
            cond: Some(cond),
            step: Some(step),
            body,
            ..
        } = &stmt.kind
        else {
            return None;
        };
        let walk = self.walk(stmt)?;
        let Ranges {
            function,
            constants,
            ..
        } = &self.ranges;
        let is_left = body
            .stmts
            .iter()
            .any(|stmt| loops::leaves(stmt, true, true));
        if is_left
            || function.exprs.has_effects(*cond)
            || !constants.stays_in(walk.counter, &body.stmts)
        {
            return None;
        }
        let mut relied = Relied::new();
        let first = self.ranges.interval(walk.first, None, &mut relied)?;
        let by = self.ranges.interval(walk.by, None, &mut relied)?;
        let second = first.plus(by)?;
        let holds = |value| self.ranges.holds(walk.counter, value);
        if relied.is_empty() || !holds(first) || !holds(second) {
            return None;
        }
        let again = Some((walk.counter, second));
        if self.ranges.decide(*cond, again, &mut relied)? {
            return None;
        }
        let at_first = Some((walk.counter, first));
        let runs = self.ranges.decide(*cond, at_first, &mut relied);
        let is_own = matches!(walk.init.kind, StmtKind::Decl { .. });
        let mut stmts = body.stmts.clone();
        if !is_own {
            stmts.push(Stmt::at(StmtKind::Expr(*step), stmt.span));
        }
        let mut out = vec![walk.init.clone()];
        match runs {
            Some(true) => out.extend(stmts),
            Some(false) => return None,
            None => {
                let kind = StmtKind::If {
                    cond: *cond,
                    then: Block::of(stmts),
                    otherwise: None,
                };
                out.push(Stmt::at(kind, stmt.span));
            }
        }
        self.relied.extend(relied);
        let text = match runs {
            Some(_) => "the loop runs once for each work-item",
            None => "the loop runs once at most for each work-item",
        };
        self.note(text, *cond);
        Some(out)
    }

    fn walk<'s>(&self, stmt: &'s Stmt) -> Option<Walk<'s>> {
        let StmtKind::For {
            init,
            step: Some(step),
            ..
        } = &stmt.kind
        else {
            return None;
        };
        let [init] = init.as_slice() else {
            return None;
        };
        let exprs = &self.ranges.function.exprs;
        let (counter, first) = match &init.kind {
            StmtKind::Decl {
                var,
                init: Some(Init::Expr(first)),
            } => (*var, *first),
            StmtKind::Expr(expr) => match exprs.get(*expr) {
                Expr::Assign { op: None, lhs, rhs } => (exprs.local_var(*lhs)?, *rhs),
                _ => return None,
            },
            _ => return None,
        };
        let (changed, by) = added_to(exprs, *step)?;
        if changed != counter {
            return None;
        }
        Some(Walk {
            counter,
            first,
            by,
            init,
        })
    }
}

/// What no size decides is the user's business.
fn is_constant(exprs: &Exprs, cond: ExprId) -> bool {
    !exprs.any(cond, &mut |id| {
        matches!(
            exprs.get(id),
            Expr::Var(VarRef::Local(_)) | Expr::Call { .. }
        )
    })
}
