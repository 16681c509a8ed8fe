//! Loop nests over groups and work-items.

use fpgacc_frontend::ir::{BinaryOp, Block, ExprId, Stmt, StmtKind, VarId};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::work_item::Quantity;

use crate::passes::ndrange_to_loop::control::steps::Node;
use crate::passes::ndrange_to_loop::loops::order::Order;
use crate::passes::ndrange_to_loop::statements::count;
use crate::passes::ndrange_to_loop::work_items::ids::{Ids, Target};

/// Puts loops over the work-items of a group around `body`, each with `pragmas`.
pub fn over_items(
    target: &mut Target<'_>,
    ids: &mut Ids,
    mut body: Vec<Stmt>,
    vars: [Option<VarId>; 3],
    (order, pragmas): (Order, &[String]),
) -> Vec<Stmt> {
    for d in order {
        if let Some(var) = vars[d as usize] {
            let mut bound = ids.expr(target, Quantity::LocalSize, d);
            if faults::is_on("last-item-lost") {
                bound = one_less(target, bound);
            }
            body = vec![with_pragmas(count(target, var, bound, body), pragmas)];
        }
    }
    body
}

/// Puts loops over groups around `body`, each with `pragmas`.
pub fn over_groups(
    target: &mut Target<'_>,
    ids: &mut Ids,
    mut body: Vec<Stmt>,
    (order, pragmas): (Order, &[String]),
) -> Vec<Stmt> {
    for d in order {
        if let Some(var) = ids.groups[d as usize] {
            let mut bound = ids.group_count(target, d);
            if faults::is_on("last-group-lost") {
                bound = one_less(target, bound);
            }
            body = vec![with_pragmas(count(target, var, bound, body), pragmas)];
        }
    }
    body
}

/// For [`faults`].
fn one_less(target: &mut Target<'_>, bound: ExprId) -> ExprId {
    let one = target.int(1);
    target.binary(BinaryOp::Sub, bound, one)
}

fn with_pragmas(mut stmt: Stmt, pragmas: &[String]) -> Stmt {
    if let StmtKind::For { hints, .. } = &mut stmt.kind {
        hints.pragmas.extend_from_slice(pragmas);
    }
    stmt
}

/// The statements of a group; `regions` are those of each region, with the loops over work-items
/// around them.
pub fn over_steps(mut nodes: Vec<Node>, regions: &mut [Vec<Stmt>]) -> Vec<Stmt> {
    let mut out = Vec::new();
    if faults::is_on("region-swapped") && nodes.len() > 1 {
        let last = nodes.len() - 1;
        nodes.swap(last - 1, last);
    }
    for node in nodes {
        match node {
            Node::Region(number) => out.append(&mut regions[number]),
            Node::Once(stmt) => out.push(stmt),
            Node::Control(mut stmt, lists) => {
                let lists: Vec<Vec<Stmt>> = lists
                    .into_iter()
                    .map(|list| over_steps(list, regions))
                    .collect();
                let is_empty = lists.iter().all(Vec::is_empty);
                fill(&mut stmt, lists);
                if !is_empty || !matches!(stmt.kind, StmtKind::If { .. }) {
                    out.push(stmt);
                }
            }
        }
    }
    out
}

/// Puts statements into a loop's body, or into the branches of an `if`.
fn fill(stmt: &mut Stmt, lists: Vec<Vec<Stmt>>) {
    let mut lists = lists.into_iter();
    match &mut stmt.kind {
        StmtKind::If {
            then, otherwise, ..
        } => {
            then.stmts = lists.next().unwrap_or_default();
            *otherwise = lists
                .next()
                .filter(|list| !list.is_empty() && !faults::is_on("else-lost"))
                .map(Block::of);
        }
        StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. } => body.stmts = lists.next().unwrap_or_default(),
        _ => {}
    }
}
