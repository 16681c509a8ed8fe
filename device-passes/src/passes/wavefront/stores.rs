//! Where among a lane's statements elements are stored, and at which points.

use fpgacc_frontend::ir::{Expr, ExprId, Function, Stmt, StmtKind, VarId};

use super::held::Conditions;
use super::space::{Affine, follows};

/// The points at which statements store in an array, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Region {
    /// None.
    Nowhere,
    /// Those that fulfil all of these.
    Where(Vec<Affine>),
}

/// The array of the function's own in which an expression stores an element.
pub fn stored(function: &Function, store: ExprId) -> Option<VarId> {
    let lhs = function.exprs.written(store)?;
    let mut base = lhs;
    while let Expr::Index { base: below, .. } = *function.exprs.get(base) {
        base = below;
    }
    let array = function.exprs.local_var(base).filter(|_| base != lhs)?;
    (!function.params.contains(&array)).then_some(array)
}

/// All stores in arrays of the function's own in statements, also in arms of branches.
pub fn stores_in(function: &Function, stmts: &[Stmt]) -> Vec<ExprId> {
    let mut found = Vec::new();
    for stmt in stmts {
        match stmt.kind {
            StmtKind::Expr(store) if stored(function, store).is_some() => found.push(store),
            _ => {
                let lists = stmt.lists().into_iter();
                found.extend(lists.flat_map(|list| stores_in(function, list)));
            }
        }
    }
    found
}

/// Looks for the points at which statements store in an array.
pub struct Regions<'r, 'c> {
    pub function: &'r Function,
    pub array: VarId,
    pub conditions: Conditions<'c>,
    /// What all points fulfil.
    pub points: &'r [Affine],
}

impl Regions<'_, '_> {
    /// Where statements do; `None`: this is not known, or some do so twice.
    pub fn of(&mut self, stmts: &[Stmt]) -> Option<Region> {
        let mut found = Region::Nowhere;
        for stmt in stmts {
            match (self.of_stmt(stmt)?, &found) {
                (Region::Nowhere, _) => {}
                (one, Region::Nowhere) => found = one,
                _ => return None,
            }
        }
        Some(found)
    }

    fn of_stmt(&mut self, stmt: &Stmt) -> Option<Region> {
        match &stmt.kind {
            StmtKind::Expr(store) => Some(match stored(self.function, *store) {
                Some(array) if array == self.array => Region::Where(Vec::new()),
                _ => Region::Nowhere,
            }),
            StmtKind::Block(block) => self.of(&block.stmts),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let then = self.of(&then.stmts)?;
                let otherwise = match otherwise {
                    Some(otherwise) => self.of(&otherwise.stmts)?,
                    None => Region::Nowhere,
                };
                self.of_arms(*cond, then, otherwise)
            }
            _ => {
                let mut stores = stores_in(self.function, std::slice::from_ref(stmt)).into_iter();
                let is_free = stores.all(|store| stored(self.function, store) != Some(self.array));
                is_free.then_some(Region::Nowhere)
            }
        }
    }

    fn of_arms(&mut self, cond: ExprId, then: Region, otherwise: Region) -> Option<Region> {
        let points = self.points;
        let mut known = |is_true| self.conditions.exact(cond, is_true, points);
        let both = |mut all: Vec<Affine>, more: Vec<Affine>| {
            all.extend(more);
            Some(Region::Where(all))
        };
        match (then, otherwise) {
            (Region::Nowhere, Region::Nowhere) => Some(Region::Nowhere),
            (Region::Where(then), Region::Nowhere) => both(known(true)?, then),
            (Region::Nowhere, Region::Where(otherwise)) => both(known(false)?, otherwise),
            (Region::Where(a), Region::Where(b)) if a == b => Some(Region::Where(a)),
            // What one arm does anyway must be within what the other does.
            (Region::Where(a), Region::Where(b)) if a.is_empty() => {
                implies(known(true)?, points, &b).then_some(Region::Where(b))
            }
            (Region::Where(a), Region::Where(b)) if b.is_empty() => {
                implies(known(false)?, points, &a).then_some(Region::Where(a))
            }
            _ => None,
        }
    }
}

/// Whether all points that fulfil something fulfil something else.
fn implies(mut known: Vec<Affine>, points: &[Affine], all: &[Affine]) -> bool {
    known.extend(points);
    all.iter().all(|one| follows(&known, *one))
}

/// The place of an expression among statements: for each list that it stands in, the statement and which of its lists.
pub fn place(function: &Function, stmts: &[Stmt], id: ExprId) -> Option<Vec<(usize, usize)>> {
    let is_it = &mut |part| part == id;
    let at = stmts
        .iter()
        .position(|stmt| stmt.any_expr(&function.exprs, is_it))?;
    let lists = stmts[at].lists().into_iter().enumerate();
    for (list, inside) in lists {
        if let Some(mut rest) = place(function, inside, id) {
            rest.insert(0, (at, list));
            return Some(rest);
        }
    }
    Some(vec![(at, usize::MAX)])
}

/// Whether what stands at a place is evaluated after what stands at another, in the same pass through all.
pub fn is_after(place: &[(usize, usize)], other: &[(usize, usize)]) -> bool {
    let apart = place.iter().zip(other).find(|(a, b)| a != b);
    apart.is_some_and(|(a, b)| a.0 > b.0)
}
