//! Which statements of a loop's body become loops of their own.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Expr, ExprId, Function, FunctionId, Init, Module, Stmt, StmtKind,
    Storage, UnaryOp, VarId, VarRef,
};
use fpgacc_kernel_analysis::accesses::Access;
use fpgacc_kernel_analysis::alias::{Aliases, Root};
use fpgacc_kernel_analysis::dependence::{Body, Effects, may_be, sets};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::independence::Later;
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::{Header, Nests, Writes};
use fpgacc_kernel_analysis::trip_count::{Constants, counting};
use fpgacc_kernel_analysis::usage::names;

use crate::pass::Context;
use crate::position::Position;

/// Bodies with more statements are left: all are compared with all.
const MOST_STATEMENTS: usize = 48;
/// Bytes of an array that holds a value for each iteration.
const MOST_BYTES: u64 = 64 << 10;

/// How a loop is distributed.
pub struct Plan {
    /// The loops, each with its statements in the order of the text.
    pub groups: Vec<Vec<usize>>,
    /// Declarations that each loop that needs them has, by their statements.
    pub recomputed: BTreeMap<VarId, usize>,
    /// Values that an array holds, and the loop that computes each.
    pub expanded: Vec<(VarId, usize)>,
    /// The counter.
    pub counter: VarId,
    /// Its first value, and iterations, where values are held.
    pub counted: Option<(i128, u64)>,
}

impl Plan {
    /// What is done.
    pub fn text(&self, function: &Function) -> String {
        let text = format!("a loop becomes {}", self.groups.len());
        let vars: Vec<VarId> = self.expanded.iter().map(|(var, _)| *var).collect();
        match (vars.is_empty(), self.counted) {
            (false, Some((_, trips))) => {
                format!(
                    "{text}; {} in arrays of {trips} elements",
                    names(function, &vars)
                )
            }
            _ => text,
        }
    }
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It has loops.
    Nest,
    /// Iterations depend on those before.
    Carried,
    /// They do not.
    Free,
}

/// How a loop can be distributed.
///
/// # Errors
/// It cannot be; what is said of that, if anything.
pub fn plan(
    module: &Module,
    kernel: FunctionId,
    context: &Context<'_>,
    position: &Position,
) -> Result<Plan, Option<String>> {
    let function = &module.functions[kernel];
    let stmt = position.get(function).ok_or(None)?;
    let header = Header::of(function, stmt).ok_or(None)?;
    let StmtKind::For { body, hints, .. } = &stmt.kind else {
        return Err(None);
    };
    let stmts = &body.stmts;
    let refuse = |reason: &str| Err(Some(reason.to_string()));
    let is_plain = |text: &String| text.starts_with("ivdep");
    if !hints.attrs.is_empty() || !hints.pragmas.iter().all(is_plain) {
        return refuse("a pragma or attribute is about all of it");
    }
    let is_pragma = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Pragma(_));
    if stmts.iter().any(is_pragma) {
        return refuse("a pragma stands in it");
    }
    if stmts.len() > MOST_STATEMENTS {
        return refuse("it has too many statements");
    }
    if stmts.iter().any(|stmt| loops::leaves(stmt, true, true)) {
        return refuse("an iteration may leave it, or end before its end");
    }
    let nests = Nests::of(module, function);
    if nests.levels(stmt) == 0 {
        return refuse("its counter or its bound changes while it runs");
    }
    let aliases = Aliases::new(module, kernel, context.called);
    let summaries = context.summaries(module, kernel);
    let effects = Effects::of(&aliases, summaries, stmts);
    if effects.synchronises || effects.is_volatile || effects.prints {
        return refuse(
            "what it does is seen in its order: barriers, atomics, volatile memory or prints",
        );
    }
    let Some(order) = Body::of(&aliases, summaries, &nests, stmt) else {
        return Err(None);
    };
    let constants = Constants::new(module, function);
    let counted = counting(&constants, stmt).filter(|counted| counted.by == 1);
    let mut planner = Planner {
        module,
        function,
        aliases: &aliases,
        order,
        stmts,
        writes: nests.writes(stmt),
        counter: header.counter,
        counted: counted.map(|counted| (counted.start, counted.trips)),
        recomputed: BTreeMap::new(),
    };
    planner.plan()
}

struct Planner<'a> {
    module: &'a Module,
    function: &'a Function,
    aliases: &'a Aliases<'a>,
    order: Body<'a>,
    stmts: &'a [Stmt],
    writes: Writes,
    counter: VarId,
    counted: Option<(i128, u64)>,
    recomputed: BTreeMap<VarId, usize>,
}

/// A variable that the body declares.
struct Value {
    var: VarId,
    /// Its declaration, and statements that write it.
    writers: Vec<usize>,
    readers: Vec<usize>,
    /// Whether an array can hold it for all iterations.
    can_expand: bool,
}

impl Planner<'_> {
    fn plan(&mut self) -> Result<Plan, Option<String>> {
        for (at, stmt) in self.stmts.iter().enumerate() {
            if let StmtKind::Decl {
                var,
                init: Some(Init::Expr(value)),
            } = &stmt.kind
                && self.is_recomputed(*var, *value)
            {
                self.recomputed.insert(*var, at);
            }
        }
        let is_node = |at: &usize| match self.stmts[*at].kind {
            StmtKind::Comment(_) => false,
            StmtKind::Decl { var, .. } => !self.recomputed.contains_key(&var),
            _ => true,
        };
        let nodes: Vec<usize> = (0..self.stmts.len()).filter(is_node).collect();
        let values = self.values(&nodes);
        let memory = self.memory(&nodes, &values);
        let mut tied: BTreeSet<VarId> = BTreeSet::new();
        loop {
            let edges = with_values(&memory, &values, &tied);
            let parts = self.parts(&nodes, &edges);
            if parts.len() < 2 && tied.is_empty() {
                return Err(Some(
                    "its statements depend on each other in a circle".to_string(),
                ));
            }
            let kinds: Vec<Kind> = parts.iter().map(|part| self.kind(part)).collect();
            let (groups, kinds) = self.groups(&parts, &kinds, &edges);
            let expanded = expanded(&values, &groups);
            let cannot = expanded.iter().find(|(var, writer, readers)| {
                let mut ends = readers.iter().chain([writer]);
                ends.any(|at| kinds[*at] == Kind::Nest) || !self.is_small(*var)
            });
            if let Some((var, ..)) = cannot {
                tied.insert(*var);
                continue;
            }
            if groups.len() < 2 {
                return Err(match tied.is_empty() {
                    true => None,
                    false => {
                        let tied: Vec<VarId> = tied.into_iter().collect();
                        let names = names(self.function, &tied);
                        Some(format!(
                            "no small array can hold {names} for all iterations"
                        ))
                    }
                });
            }
            return Ok(Plan {
                groups,
                recomputed: std::mem::take(&mut self.recomputed),
                expanded: expanded
                    .into_iter()
                    .map(|(var, writer, _)| (var, writer))
                    .collect(),
                counter: self.counter,
                counted: self.counted,
            });
        }
    }

    /// Whether a variable has one value in an iteration that each part may compute: an integer made of what stays
    /// and of the counter.
    fn is_recomputed(&self, var: VarId, value: ExprId) -> bool {
        let variable = &self.function.vars[var];
        let scalar = self.module.types.as_scalar(variable.ty.ty);
        scalar.is_some_and(|scalar| scalar.is_integer())
            && self.writes.get(&var) == Some(&1)
            && !self.aliases.is_exposed(VarRef::Local(var))
            && variable.storage == Storage::None
            && variable.space == AddressSpace::Private
            && self.is_cheap(value)
    }

    fn is_cheap(&self, id: ExprId) -> bool {
        let exprs = &self.function.exprs;
        let scalar = self.module.types.as_scalar(exprs.ty(id));
        if !scalar.is_some_and(|scalar| scalar.is_integer()) {
            return false;
        }
        match *exprs.get(id) {
            Expr::Int { .. } | Expr::EnumConst(..) => true,
            Expr::Var(VarRef::Local(var)) => {
                let stays = self.writes.get(&var).is_none_or(|times| *times == 0)
                    && !self.aliases.is_exposed(VarRef::Local(var));
                stays || var == self.counter || self.recomputed.contains_key(&var)
            }
            Expr::Unary {
                op: UnaryOp::Plus | UnaryOp::Minus | UnaryOp::Not | UnaryOp::Complement,
                operand,
            }
            | Expr::Cast { operand, .. } => self.is_cheap(operand),
            Expr::Binary { op, lhs, rhs } => {
                let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
                !divides && self.is_cheap(lhs) && self.is_cheap(rhs)
            }
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => [cond, then, otherwise].iter().all(|id| self.is_cheap(*id)),
            _ => false,
        }
    }

    /// The variables that the body declares, but for those that are computed again.
    fn values(&self, nodes: &[usize]) -> Vec<Value> {
        let mut values = Vec::new();
        for &at in nodes {
            let StmtKind::Decl { var, ref init } = self.stmts[at].kind else {
                continue;
            };
            let of = |write: bool| -> Vec<usize> {
                let does = |node: &usize| {
                    let mut list = self.order.accesses(*node).list.iter();
                    list.any(|access| access.write == write && may_be(self.aliases, access, var))
                };
                nodes.iter().copied().filter(does).collect()
            };
            let mut writers = of(true);
            writers.push(at);
            writers.sort_unstable();
            writers.dedup();
            // Whoever takes its address may go on to look at it.
            let is_exposed = self.aliases.is_exposed(VarRef::Local(var));
            let names = |node: &usize| {
                let uses = self.stmts[*node].local_uses(&self.function.exprs);
                is_exposed && *node != at && uses.iter().any(|(_, used)| *used == var)
            };
            let mut readers = of(false);
            readers.extend(nodes.iter().copied().filter(names));
            readers.sort_unstable();
            readers.dedup();
            let first = writers
                .iter()
                .chain(&readers)
                .copied()
                .filter(|user| *user != at)
                .min();
            let is_set = init.is_some()
                || first.is_none_or(|first| sets(self.function, &self.stmts[first], var));
            let variable = &self.function.vars[var];
            let types = &self.module.types;
            let ty = variable.ty.ty;
            let is_value = types.component(ty).is_some();
            values.push(Value {
                var,
                writers,
                readers,
                can_expand: is_set
                    && is_value
                    && variable.ty.quals.is_empty()
                    && variable.attrs.is_empty()
                    && variable.storage == Storage::None
                    && variable.space == AddressSpace::Private
                    && !is_exposed,
            });
        }
        values
    }

    /// Which statement must come before which, for what they access but the body's own variables.
    fn memory(&mut self, nodes: &[usize], values: &[Value]) -> Edges {
        let own: BTreeSet<VarId> = values.iter().map(|value| value.var).collect();
        let passes = |access: &Access| {
            let var = only_root(access);
            var.is_none_or(|var| !own.contains(&var))
        };
        let mut edges = Edges::new();
        for (at, &first) in nodes.iter().enumerate() {
            for &second in &nodes[at + 1..] {
                let mut meet = |a, b, by| self.order.dependence_of(a, b, by, &passes).is_some();
                if meet(first, second, Later::SameOrLater) {
                    edges.insert((first, second));
                }
                if !faults::is_on("fission-circle-split") && meet(second, first, Later::Later) {
                    edges.insert((second, first));
                }
            }
        }
        edges
    }

    /// Statements that depend on each other in circles, in the order of their first ones.
    fn parts(&self, nodes: &[usize], edges: &Edges) -> Vec<Vec<usize>> {
        let reach: BTreeMap<usize, BTreeSet<usize>> =
            nodes.iter().map(|at| (*at, reached(*at, edges))).collect();
        let mut parts: Vec<Vec<usize>> = Vec::new();
        for &at in nodes {
            let known = parts.iter_mut().find(|part| {
                let other = part[0];
                reach[&other].contains(&at) && reach[&at].contains(&other)
            });
            match known {
                Some(part) => part.push(at),
                None => parts.push(vec![at]),
            }
        }
        parts
    }

    fn kind(&mut self, part: &[usize]) -> Kind {
        let has_loops = |at: &usize| loops::count(&self.stmts[*at]) > 0;
        if part.iter().any(has_loops) {
            return Kind::Nest;
        }
        for &first in part {
            for &second in part {
                if self.order.dependence(first, second, Later::Later).is_some() {
                    return Kind::Carried;
                }
            }
        }
        Kind::Free
    }

    /// Parts in an order that keeps what they depend on, those of a kind together.
    fn groups(
        &self,
        parts: &[Vec<usize>],
        kinds: &[Kind],
        edges: &Edges,
    ) -> (Vec<Vec<usize>>, Vec<Kind>) {
        let part_of = |at: usize| parts.iter().position(|part| part.contains(&at));
        let mut left: Vec<usize> = (0..parts.len()).collect();
        let (mut groups, mut of_groups): (Vec<Vec<usize>>, Vec<Kind>) = (Vec::new(), Vec::new());
        while !left.is_empty() {
            let is_ready = |part: &&usize| {
                let waits = |(first, second): &(usize, usize)| {
                    let before = part_of(*first);
                    parts[**part].contains(second)
                        && before != Some(**part)
                        && before.is_some_and(|before| left.contains(&before))
                };
                !edges.iter().any(waits)
            };
            let ready: Vec<usize> = left.iter().filter(is_ready).copied().collect();
            let now = of_groups.last().copied().filter(|kind| *kind != Kind::Nest);
            let same = ready.iter().find(|part| Some(kinds[**part]) == now);
            let Some(&next) = same.or(ready.first()) else {
                // There are no circles among parts.
                return (Vec::new(), Vec::new());
            };
            left.retain(|part| *part != next);
            match (same.is_some(), groups.last_mut()) {
                (true, Some(group)) => group.extend(&parts[next]),
                _ => {
                    groups.push(parts[next].clone());
                    of_groups.push(kinds[next]);
                }
            }
        }
        for group in &mut groups {
            group.sort_unstable();
        }
        (groups, of_groups)
    }

    /// Whether an array can hold a value for each iteration.
    fn is_small(&self, var: VarId) -> bool {
        let ty = self.function.vars[var].ty.ty;
        let types = &self.module.types;
        let size = match types.as_vector(ty) {
            Some((scalar, width)) => scalar.size() * u64::from(width).next_power_of_two(),
            None => types.as_scalar(ty).map_or(u64::MAX, |scalar| scalar.size()),
        };
        let counted = self
            .counted
            .filter(|(start, _)| i64::try_from(*start).is_ok());
        counted.is_some_and(|(_, trips)| {
            let bytes = trips.checked_mul(size);
            trips > 0 && bytes.is_some_and(|bytes| bytes <= MOST_BYTES)
        })
    }
}

/// Which statement comes before which.
type Edges = BTreeSet<(usize, usize)>;

/// The same, with what declared variables ask for: those who write one are together, and come before those who
/// read it, or are together with them, too.
fn with_values(memory: &Edges, values: &[Value], tied: &BTreeSet<VarId>) -> Edges {
    let mut edges = memory.clone();
    for value in values {
        let [first, ..] = value.writers[..] else {
            continue;
        };
        let last = value.writers[value.writers.len() - 1];
        let is_apart = value.can_expand && !tied.contains(&value.var);
        for &writer in &value.writers {
            edges.extend([(first, writer), (writer, first)]);
        }
        for &reader in &value.readers {
            edges.insert((first, reader));
            if !is_apart || reader < last {
                edges.insert((reader, first));
            }
        }
    }
    edges.retain(|(first, second)| first != second);
    edges
}

/// What comes after a statement.
fn reached(from: usize, edges: &Edges) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for (_, next) in edges.range((at, 0)..=(at, usize::MAX)) {
            if found.insert(*next) {
                open.push(*next);
            }
        }
    }
    found
}

/// Values that flow from one group to others, with that group and the others.
fn expanded(values: &[Value], groups: &[Vec<usize>]) -> Vec<(VarId, usize, Vec<usize>)> {
    let group_of = |at: &usize| groups.iter().position(|group| group.contains(at));
    let mut found = Vec::new();
    for value in values {
        let Some(writer) = value.writers.first().and_then(group_of) else {
            continue;
        };
        let readers: BTreeSet<usize> = value.readers.iter().filter_map(group_of).collect();
        let others: Vec<usize> = readers.into_iter().filter(|at| *at != writer).collect();
        if !others.is_empty() {
            found.push((value.var, writer, others));
        }
    }
    found
}

/// The variable that an access is to, if it can be to nothing else.
fn only_root(access: &Access) -> Option<VarId> {
    match access.roots.first() {
        Some(Root::Object(VarRef::Local(var))) if access.roots.len() == 1 => Some(*var),
        _ => None,
    }
}
