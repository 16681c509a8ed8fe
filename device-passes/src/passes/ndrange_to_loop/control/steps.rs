//! What a kernel's body is split into: regions, and the steps in which a group runs them.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{Stmt, StmtKind, VarId};
use fpgacc_frontend::source::Span;

use crate::passes::ndrange_to_loop::control::alike::Alike;
use crate::passes::ndrange_to_loop::control::convergence::never_ends;

/// A part of a kernel that each work-item runs on its own, from one barrier to the next.
#[derive(Debug, Default)]
pub struct Region {
    /// Its statements.
    pub stmts: Vec<Stmt>,
    /// The list of steps that it stands in.
    pub list: usize,
}

/// A step of a group.
#[derive(Debug)]
pub enum Node {
    /// All work-items run a region, by its number.
    Region(usize),
    /// A statement that is done once.
    Once(Stmt),
    /// A loop or an `if`; the statement's own lists are empty, and these take their places: the body, or
    /// the branches.
    Control(Stmt, Vec<Vec<Node>>),
}

/// A kernel's body.
#[derive(Debug, Default)]
pub struct Schedule {
    /// The regions.
    pub regions: Vec<Region>,
    /// The steps.
    pub nodes: Vec<Node>,
    /// For each list of steps, the one that the control stands in of which it is a part; list 0 is
    /// [`Self::nodes`].
    pub(super) parents: Vec<Option<usize>>,
    /// The lists in which uniform variables are changed.
    pub(super) changes: BTreeMap<VarId, BTreeSet<usize>>,
    /// The work-items that run the regions in turn.
    pub alike: Alike,
    /// The uniform variables.
    pub shared: BTreeSet<VarId>,
    /// The conditions of masks, where the source has them.
    pub masked: Vec<Span>,
}

impl Schedule {
    /// Whether `list` is `of` or inside it.
    pub fn is_inside(&self, mut list: usize, of: usize) -> bool {
        loop {
            if list == of {
                return true;
            }
            match self.parents[list] {
                Some(parent) => list = parent,
                None => return false,
            }
        }
    }

    /// Whether a uniform variable keeps its value while a list is run.
    pub fn is_steady(&self, var: VarId, list: usize) -> bool {
        self.changes
            .get(&var)
            .is_none_or(|lists| !lists.iter().any(|at| self.is_inside(*at, list)))
    }

    /// Whether there is more than regions one after the other: a group may leave some out.
    pub fn has_control(&self) -> bool {
        !self
            .nodes
            .iter()
            .all(|node| matches!(node, Node::Region(_)))
    }

    /// The regions that may be run next after each.
    pub fn successors(&self) -> Vec<BTreeSet<usize>> {
        let mut flow = Flow {
            next: vec![BTreeSet::new(); self.regions.len()],
            loops: Vec::new(),
        };
        flow.list(&self.nodes, BTreeSet::new());
        flow.next
    }
}

/// Finds which region follows which.
struct Flow {
    /// For each region, those that may be run next.
    next: Vec<BTreeSet<usize>>,
    /// Of the loops around: the regions before a `break`, and of a `continue`.
    loops: Vec<[BTreeSet<usize>; 2]>,
}

type Regions = BTreeSet<usize>;

impl Flow {
    /// Follows a list; `before` are the regions that were run last. Gives those at its end.
    fn list(&mut self, nodes: &[Node], mut before: Regions) -> Regions {
        for node in nodes {
            match node {
                Node::Region(number) => {
                    for last in before {
                        self.next[last].insert(*number);
                    }
                    before = Regions::from([*number]);
                }
                Node::Once(stmt) => before = self.once(stmt, before),
                Node::Control(stmt, lists) => before = self.control(stmt, lists, before),
            }
        }
        before
    }

    fn once(&mut self, stmt: &Stmt, before: Regions) -> Regions {
        match &stmt.kind {
            StmtKind::Return(_) => Regions::new(),
            StmtKind::Break | StmtKind::Continue => {
                let kind = usize::from(matches!(stmt.kind, StmtKind::Continue));
                if let Some(innermost) = self.loops.last_mut() {
                    innermost[kind].extend(before);
                }
                Regions::new()
            }
            // `if (!any) break;`
            StmtKind::If { then, .. } if never_ends(&then.stmts) => {
                if let Some(innermost) = self.loops.last_mut() {
                    innermost[0].extend(before.iter().copied());
                }
                before
            }
            _ => before,
        }
    }

    fn control(&mut self, stmt: &Stmt, lists: &[Vec<Node>], before: Regions) -> Regions {
        if let StmtKind::If { otherwise, .. } = &stmt.kind {
            let mut after = Regions::new();
            for list in lists {
                after.extend(self.list(list, before.clone()));
            }
            if otherwise.is_none() {
                after.extend(before);
            }
            return after;
        }
        let body = lists.first().map_or(&[][..], Vec::as_slice);
        let mut first = before.clone();
        let mut after = before;
        // Twice: what is last in the body comes before what is first.
        for _ in 0..2 {
            self.loops.push(Default::default());
            let mut last = self.list(body, first.clone());
            let [left, continued] = self.loops.pop().unwrap_or_default();
            last.extend(continued);
            first.extend(last.iter().copied());
            after.extend(last);
            after.extend(left);
        }
        after
    }
}
