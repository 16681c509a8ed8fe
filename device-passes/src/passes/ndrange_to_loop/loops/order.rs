//! In which order the loops over dimensions are nested: the one whose ids move fastest through memory
//! innermost.
//!
//! Work-items between two barriers, and groups, may run in any order. `a[y * n + x]` is read word by
//! word where the loop over `x` is innermost, and with a stride where it is not.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Expr, ExprId, Function, Init, Stmt, StmtKind, Types, VarId, VarRef,
};

/// Dimensions, innermost first.
pub type Order = [u8; 3];

/// As OpenCL numbers work-items.
pub const PLAIN: Order = [0, 1, 2];

/// How often each dimension is the one that moves word by word.
pub type Score = [usize; 3];

/// Counts the accesses to global memory in `stmts` whose index grows by one with the loop variable of
/// a dimension.
pub fn score(
    types: &Types,
    function: &Function,
    stmts: &[Stmt],
    vars: [Option<VarId>; 3],
) -> Score {
    let mut first_values = BTreeMap::new();
    for stmt in stmts {
        stmt.for_each(&mut |stmt| {
            if let StmtKind::Decl {
                var,
                init: Some(Init::Expr(init)),
            } = stmt.kind
            {
                first_values.insert(var, init);
            }
        });
    }
    let mut linear = vars.map(|var| {
        var.map(|var| Linear {
            function,
            first_values: &first_values,
            known: BTreeMap::from([(var, Coefficient::One)]),
        })
    });
    let mut score = [0; 3];
    for stmt in stmts {
        stmt.for_each_expr(&function.exprs, &mut |id| {
            let Expr::Index { base, index } = *function.exprs.get(id) else {
                return;
            };
            let pointer = types.as_pointer(function.exprs.ty(base));
            if pointer.is_none_or(|(_, space)| space != AddressSpace::Global) {
                return;
            }
            for (d, linear) in linear.iter_mut().enumerate() {
                let moves = linear.as_mut().map(|linear| linear.coefficient(index));
                score[d] += usize::from(moves == Some(Coefficient::One));
            }
        });
    }
    score
}

/// The order for a score: the best dimension first, the plain order where nothing speaks against it.
pub fn best(score: Score) -> Order {
    let best = (1..3_u8)
        .rev()
        .max_by_key(|d| score[usize::from(*d)])
        .unwrap_or(1);
    match score[usize::from(best)] > score[0] {
        true => with_innermost(best),
        false => PLAIN,
    }
}

/// The plain order, but with this dimension innermost.
pub fn with_innermost(dim: u8) -> Order {
    let mut order = PLAIN;
    let at = usize::from(dim).min(order.len() - 1);
    order[..=at].rotate_right(1);
    order
}

/// How a value grows with a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coefficient {
    Zero,
    One,
    Other,
}

struct Linear<'a> {
    function: &'a Function,
    first_values: &'a BTreeMap<VarId, ExprId>,
    /// Of variables: the loop variable has one.
    known: BTreeMap<VarId, Coefficient>,
}

impl Linear<'_> {
    fn coefficient(&mut self, id: ExprId) -> Coefficient {
        let exprs = &self.function.exprs;
        match *exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => self.of_variable(var),
            Expr::Cast { operand, .. } => self.coefficient(operand),
            Expr::Binary { op, lhs, rhs } => {
                match (op, self.coefficient(lhs), self.coefficient(rhs)) {
                    (_, Coefficient::Zero, Coefficient::Zero) => Coefficient::Zero,
                    (BinaryOp::Add, Coefficient::Zero, other)
                    | (BinaryOp::Add | BinaryOp::Sub, other, Coefficient::Zero) => other,
                    _ => Coefficient::Other,
                }
            }
            _ => {
                let mut children = exprs.children(id).into_iter();
                match children.any(|child| self.coefficient(child) != Coefficient::Zero) {
                    true => Coefficient::Other,
                    false => Coefficient::Zero,
                }
            }
        }
    }

    fn of_variable(&mut self, var: VarId) -> Coefficient {
        if let Some(known) = self.known.get(&var) {
            return *known;
        }
        // A variable that is made of itself grows in a way that is not followed.
        self.known.insert(var, Coefficient::Zero);
        let first = self.first_values.get(&var).copied();
        let found = first.map_or(Coefficient::Zero, |init| self.coefficient(init));
        self.known.insert(var, found);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dimension_that_moves_word_by_word_is_innermost() {
        assert_eq!(best([0, 0, 0]), [0, 1, 2]);
        assert_eq!(best([2, 1, 0]), [0, 1, 2]);
        assert_eq!(best([1, 1, 1]), [0, 1, 2]);
        assert_eq!(best([0, 3, 1]), [1, 0, 2]);
        assert_eq!(best([1, 0, 2]), [2, 0, 1]);
        assert_eq!(
            [0, 1, 2].map(with_innermost),
            [[0, 1, 2], [1, 0, 2], [2, 0, 1]]
        );
    }
}
