//! The body of a kernel as its groups go through it: regions that each work-item runs on its own, and
//! uniform control around them.
//!
//! Where control with a barrier inside is not known to be the same for all work-items, each keeps a
//! mask: whether it takes part. A loop then runs while anyone does. OpenCL lets nobody pass a barrier
//! that others of the group never reach, so that masks of work-items that meet at barriers are alike
//! in every valid program; the masks keep it right also where a program only works because the devices
//! that it was written for do the same.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    BinaryOp, Block, Expr, ExprId, LoopHints, Stmt, StmtKind, VarId, VarRef,
};
use fpgacc_kernel_analysis::faults;

use crate::passes::ndrange_to_loop::control::convergence::{
    Convergence, Surroundings, is_barrier_stmt,
};
use crate::passes::ndrange_to_loop::control::masks::{self, Masked};
use crate::passes::ndrange_to_loop::control::parts::Parts;
use crate::passes::ndrange_to_loop::control::steps::{Node, Region, Schedule};
use crate::passes::ndrange_to_loop::control::uniform::Uniform;
use crate::passes::ndrange_to_loop::statements::{branch, conjunction, declaration};
use crate::passes::ndrange_to_loop::survey::{SPLIT, builtin_stmt};
use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// A condition that work-items keep each for itself: all of these hold, or do not.
type Mask = Vec<(VarId, bool)>;

/// What becomes of barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barriers {
    /// A group is one work-item, which waits for nobody.
    Go,
    /// Others wait there, too.
    Stay,
}

/// Splits a kernel's body into regions.
pub fn build(
    target: &mut Target<'_>,
    uniform: &Uniform,
    stmts: Vec<Stmt>,
    barriers: Barriers,
) -> Schedule {
    let mut builder = Builder {
        target,
        uniform,
        barriers,
        schedule: Schedule {
            shared: uniform.vars.clone(),
            parents: vec![None],
            ..Schedule::default()
        },
        masks: Vec::new(),
        after_barrier: BTreeSet::new(),
    };
    let (nodes, _) = builder.list(stmts, Surroundings::default(), 0, &Vec::new());
    builder.schedule.nodes = nodes;
    if builder.schedule.regions.is_empty() {
        builder.schedule.regions.push(Region::default());
        builder.schedule.nodes.push(Node::Region(0));
    }
    let Builder {
        mut schedule,
        masks,
        after_barrier,
        ..
    } = builder;
    masks::apply(target, &mut schedule, masks);
    merge(&mut schedule.nodes, &mut schedule.regions, &after_barrier);
    schedule
}

/// Makes one of regions that no barrier parts.
fn merge(nodes: &mut Vec<Node>, regions: &mut [Region], after_barrier: &BTreeSet<usize>) {
    let mut out: Vec<Node> = Vec::with_capacity(nodes.len());
    for mut node in std::mem::take(nodes) {
        if let (Node::Region(next), Some(Node::Region(last))) = (&node, out.last())
            && !after_barrier.contains(next)
        {
            let stmts = std::mem::take(&mut regions[*next].stmts);
            regions[*last].stmts.extend(stmts);
            continue;
        }
        if let Node::Control(_, lists) = &mut node {
            for list in lists {
                merge(list, regions, after_barrier);
            }
        }
        out.push(node);
    }
    *nodes = out;
}

/// What is under construction: a list of steps, and the region at its end.
struct Open {
    nodes: Vec<Node>,
    region: Vec<Stmt>,
    list: usize,
    mask: Mask,
    /// A barrier stands before the next region.
    barrier: bool,
}

struct Builder<'t, 'a> {
    target: &'t mut Target<'a>,
    uniform: &'t Uniform,
    barriers: Barriers,
    schedule: Schedule,
    /// The masks of the regions.
    masks: Vec<Masked>,
    /// The regions with a barrier before them.
    after_barrier: BTreeSet<usize>,
}

impl Builder<'_, '_> {
    /// Splits a list; returns whether a barrier stands at its end.
    fn list(
        &mut self,
        stmts: Vec<Stmt>,
        around: Surroundings,
        list: usize,
        mask: &Mask,
    ) -> (Vec<Node>, bool) {
        let mut open = Open {
            nodes: Vec::new(),
            region: Vec::new(),
            list,
            mask: mask.clone(),
            barrier: false,
        };
        self.fill(&mut open, stmts, around);
        self.close_region(&mut open, Vec::new());
        (open.nodes, open.barrier)
    }

    fn fill(&mut self, open: &mut Open, stmts: Vec<Stmt>, around: Surroundings) {
        let convergence = Convergence {
            function: self.target.function,
            shared: &self.uniform.vars,
        };
        let surroundings = convergence.surroundings(&stmts, around);
        let convergent: Vec<bool> = stmts
            .iter()
            .zip(&surroundings)
            .map(|(stmt, around)| convergence.is_convergent(stmt, *around))
            .collect();
        for ((stmt, around), convergent) in stmts.into_iter().zip(surroundings).zip(convergent) {
            if convergent {
                self.convergent(open, stmt, around);
            } else if self.uniform.runs(self.target.function, &stmt) {
                self.once(open, stmt);
            } else {
                open.region.push(stmt);
            }
        }
    }

    /// Ends the region under construction; `after` is outside of its mask.
    fn close_region(&mut self, open: &mut Open, after: Vec<Stmt>) {
        if open.region.is_empty() && after.is_empty() {
            return;
        }
        let number = self.schedule.regions.len();
        self.schedule.regions.push(Region {
            stmts: std::mem::take(&mut open.region),
            list: open.list,
        });
        self.masks.push(Masked {
            mask: open.mask.clone(),
            after,
        });
        if std::mem::take(&mut open.barrier) {
            self.after_barrier.insert(number);
        }
        open.nodes.push(Node::Region(number));
    }

    /// A statement for the group.
    fn once(&mut self, open: &mut Open, stmt: Stmt) {
        let vars = changed_by(self.target, &stmt);
        for var in &vars {
            let lists = self.schedule.changes.entry(*var).or_default();
            if !matches!(stmt.kind, StmtKind::Decl { .. }) {
                lists.insert(open.list);
            }
        }
        let mentioned = open
            .region
            .iter()
            .any(|item| mentions(self.target, item, &vars));
        if mentioned || self.uniform.is_fragile(&stmt) {
            self.close_region(open, Vec::new());
        }
        open.nodes.push(Node::Once(stmt));
    }

    fn convergent(&mut self, open: &mut Open, stmt: Stmt, around: Surroundings) {
        if is_barrier_stmt(self.target.function, &stmt) {
            self.close_region(open, Vec::new());
            let is_split = builtin_stmt(self.target.function, &stmt) == Some(SPLIT);
            match self.barriers {
                Barriers::Stay if !is_split => open.nodes.push(Node::Once(stmt)),
                Barriers::Stay => {}
                Barriers::Go => open.barrier = true,
            }
            return;
        }
        match stmt.kind {
            StmtKind::Block(block) => self.fill(open, block.stmts, around),
            StmtKind::If { .. } => self.branch(open, stmt, around),
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
                self.repeat(open, stmt);
            }
            _ => {
                self.close_region(open, Vec::new());
                open.nodes.push(Node::Once(stmt));
            }
        }
    }

    fn new_list(&mut self, parent: usize) -> usize {
        self.schedule.parents.push(Some(parent));
        self.schedule.parents.len() - 1
    }

    fn branch(&mut self, open: &mut Open, stmt: Stmt, around: Surroundings) {
        let StmtKind::If {
            cond,
            then,
            otherwise,
        } = stmt.kind
        else {
            return;
        };
        if self.uniform.evaluates(cond) {
            self.note_changes(cond, open.list);
            self.close_region(open, Vec::new());
            let mut lists = Vec::new();
            for block in std::iter::once(then).chain(otherwise) {
                let list = self.new_list(open.list);
                let (nodes, _) = self.list(block.stmts, around, list, &open.mask);
                lists.push(nodes);
            }
            let otherwise = (lists.len() > 1).then(Vec::new);
            let mut control = branch(cond, Vec::new(), otherwise);
            control.span = stmt.span;
            open.nodes.push(Node::Control(control, lists));
            return;
        }
        self.schedule
            .masked
            .extend(self.target.function.exprs.span(cond));
        let (taken, decide) = self.mask(open, cond, "taken");
        // The region that decides has its number, and index, before those inside.
        self.close_region(open, vec![decide]);
        let decides = self.schedule.regions.len() - 1;
        let after_region = open.nodes.len() - 1;
        let mut then_mask = open.mask.clone();
        then_mask.push((taken, true));
        let list = self.new_list(open.list);
        let (then, mut barrier) = self.list(then.stmts, around, list, &then_mask);
        let otherwise = otherwise.map(|block| {
            let mut mask = open.mask.clone();
            mask.push((taken, false));
            let list = self.new_list(open.list);
            let (nodes, at_end) = self.list(block.stmts, around, list, &mask);
            barrier |= at_end;
            nodes
        });
        open.barrier |= barrier;
        let mut wrapped = Vec::new();
        for (nodes, holds) in
            std::iter::once((then, true)).chain(otherwise.map(|nodes| (nodes, false)))
        {
            if nodes.iter().all(|node| matches!(node, Node::Region(_))) {
                wrapped.push((None, nodes));
                continue;
            }
            // What the group does once must not be done for nobody.
            let any = self.any((&open.mask, taken, holds), decides);
            let declared = self.declare_any(any);
            open.nodes.insert(after_region, declared);
            wrapped.push((Some(any), nodes));
        }
        for (any, nodes) in wrapped {
            match any {
                None => open.nodes.extend(nodes),
                Some(any) => {
                    let cond = self.target.function.use_var(any);
                    let control = branch(cond, Vec::new(), None);
                    open.nodes.push(Node::Control(control, vec![nodes]));
                }
            }
        }
    }

    /// Whether any work-item of those in a mask takes a side of a branch: a flag that the region sets which decides.
    fn any(&mut self, (mask, taken, holds): (&Mask, VarId, bool), decides: usize) -> VarId {
        let any = self.target.flag("any");
        let mut mask = mask.clone();
        mask.push((taken, holds));
        let test = conjunction(self.target, &mask);
        let yes = self.target.truth(true);
        let set = self.target.function.assign_var(any, yes);
        let set = branch(test, vec![set], None);
        self.masks[decides].after.push(set);
        any
    }

    fn declare_any(&mut self, any: VarId) -> Node {
        self.schedule.shared.insert(any);
        let no = self.target.truth(false);
        Node::Once(declaration(any, Some(no)))
    }

    /// A mask variable, and its declaration: under the mask at hand, the condition.
    fn mask(&mut self, open: &Open, cond: ExprId, hint: &str) -> (VarId, Stmt) {
        let var = self.target.flag(hint);
        let value = match open.mask.is_empty() {
            true => cond,
            false => {
                let outer = conjunction(self.target, &open.mask);
                self.target.binary(BinaryOp::And, outer, cond)
            }
        };
        (var, declaration(var, Some(value)))
    }

    fn note_changes(&mut self, root: ExprId, list: usize) {
        let stmt = Stmt::new(StmtKind::Expr(root));
        for var in changed_by(self.target, &stmt) {
            self.schedule.changes.entry(var).or_default().insert(list);
        }
    }

    fn repeat(&mut self, open: &mut Open, stmt: Stmt) {
        let Parts {
            init,
            cond,
            step,
            body,
            hints,
            at_end,
            span,
        } = Parts::of(stmt);
        if cond.is_some_and(|cond| !self.uniform.evaluates(cond)) {
            self.fill(open, init, Surroundings::default());
            self.masked_loop(open, (cond, step, body), hints, at_end);
            return;
        }
        let function = &*self.target.function;
        let in_header = init.iter().all(|stmt| self.uniform.runs(function, stmt));
        let mut header = Vec::new();
        if in_header {
            header = init;
            self.close_region(open, Vec::new());
        } else {
            self.fill(open, init, Surroundings::default());
            self.close_region(open, Vec::new());
        }
        for root in cond.iter().chain(&step) {
            self.note_changes(*root, open.list);
        }
        for stmt in &header {
            if !matches!(stmt.kind, StmtKind::Decl { .. }) {
                for root in stmt.exprs() {
                    self.note_changes(root, open.list);
                }
            }
        }
        let list = self.new_list(open.list);
        let mut inner = Open {
            nodes: Vec::new(),
            region: Vec::new(),
            list,
            mask: open.mask.clone(),
            barrier: false,
        };
        self.fill(&mut inner, body, Surroundings::LOOP);
        let mut step = step;
        if let Some(own) = step
            && !self.uniform.evaluates(own)
        {
            inner.region.push(Stmt::new(StmtKind::Expr(own)));
            step = None;
        }
        self.close_region(&mut inner, Vec::new());
        let control = Parts {
            init: header,
            cond,
            step,
            body: Vec::new(),
            hints,
            at_end,
            span,
        };
        open.nodes
            .push(Node::Control(control.join(), vec![inner.nodes]));
    }

    /// A loop that runs while any work-item takes part.
    fn masked_loop(
        &mut self,
        open: &mut Open,
        (cond, step, body): (Option<ExprId>, Option<ExprId>, Vec<Stmt>),
        hints: LoopHints,
        at_end: bool,
    ) {
        let spans = cond.and_then(|cond| self.target.function.exprs.span(cond));
        self.schedule.masked.extend(spans);
        let runs = self.target.flag("running");
        let start = conjunction(self.target, &open.mask);
        self.close_region(open, vec![declaration(runs, Some(start))]);
        let any = self.target.flag("any");
        if at_end {
            let declared = self.declare_any(any);
            open.nodes.push(declared);
        }
        let list = self.new_list(open.list);
        let mut inner = Open {
            nodes: Vec::new(),
            region: Vec::new(),
            list,
            mask: Mask::new(),
            barrier: false,
        };
        let decide = self.decide(runs, any, cond);
        if at_end {
            let no = self.target.truth(false);
            let clear = self.target.function.assign_var(any, no);
            inner.nodes.push(Node::Once(clear));
        } else {
            let declared = self.declare_any(any);
            inner.nodes.push(declared);
            inner.region.extend(decide.iter().cloned());
            self.close_region(&mut inner, Vec::new());
            let nobody = self.target.function.use_var(any);
            let nobody = self.target.not(nobody);
            let leave = branch(nobody, vec![Stmt::new(StmtKind::Break)], None);
            inner.nodes.push(Node::Once(leave));
        }
        inner.mask = vec![(runs, true)];
        self.fill(&mut inner, body, Surroundings::LOOP);
        if let Some(step) = step {
            inner.region.push(Stmt::new(StmtKind::Expr(step)));
        }
        if at_end {
            self.close_region(&mut inner, decide);
        } else {
            self.close_region(&mut inner, Vec::new());
        }
        let body = Block::default();
        let kind = match at_end {
            true => {
                let cond = self.target.function.use_var(any);
                StmtKind::DoWhile { body, cond, hints }
            }
            false => StmtKind::For {
                init: Vec::new(),
                cond: None,
                step: None,
                body,
                hints,
            },
        };
        open.nodes
            .push(Node::Control(Stmt::new(kind), vec![inner.nodes]));
    }

    /// `if (running) { running = cond; } if (running) { any = true; }`
    fn decide(&mut self, runs: VarId, any: VarId, cond: Option<ExprId>) -> Vec<Stmt> {
        let mut out = Vec::new();
        if let Some(cond) = cond.filter(|_| !faults::is_on("step-wrong")) {
            let taking_part = self.target.function.use_var(runs);
            let goes_on = self.target.binary(BinaryOp::And, taking_part, cond);
            out.push(self.target.function.assign_var(runs, goes_on));
        }
        let taking_part = self.target.function.use_var(runs);
        let yes = self.target.truth(true);
        let set = self.target.function.assign_var(any, yes);
        out.push(branch(taking_part, vec![set], None));
        out
    }
}

/// The statements that a group does once; control comes without what is in it.
pub fn statements<'n>(nodes: &'n [Node], out: &mut Vec<&'n Stmt>) {
    for node in nodes {
        match node {
            Node::Region(_) => {}
            Node::Once(stmt) => out.push(stmt),
            Node::Control(stmt, lists) => {
                out.push(stmt);
                for list in lists {
                    statements(list, out);
                }
            }
        }
    }
}

/// The variables that a statement declares or changes as a whole.
fn changed_by(target: &Target<'_>, stmt: &Stmt) -> BTreeSet<VarId> {
    let mut vars = BTreeSet::new();
    let exprs = &target.function.exprs;
    stmt.for_each(&mut |inside| {
        if let StmtKind::Decl { var, .. } = inside.kind {
            vars.insert(var);
        }
        for root in inside.exprs() {
            exprs.for_each(root, &mut |id| vars.extend(exprs.written_var(id)));
        }
    });
    vars
}

fn mentions(target: &Target<'_>, stmt: &Stmt, vars: &BTreeSet<VarId>) -> bool {
    let exprs = &target.function.exprs;
    stmt.any_expr(
        exprs,
        &mut |id| matches!(exprs.get(id), Expr::Var(VarRef::Local(var)) if vars.contains(var)),
    )
}
