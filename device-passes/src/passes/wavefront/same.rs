//! Whether several loops compute the same where they store the same element.

use fpgacc_frontend::ir::{Expr, ExprId, Init, StmtKind};
use fpgacc_kernel_analysis::indices::Indices;

use super::phase::{Phase, Scope, counters};
use super::space::Affine;

/// The body of a wave's first loops, to compare others with.
pub struct Bodies<'a> {
    scope: &'a Scope<'a>,
    value: Option<Value<'a>>,
}

/// What a lane stores.
struct Value<'a> {
    expr: ExprId,
    indices: Indices<'a>,
    /// Its loops' counters, at a point of the wave.
    counters: [Affine; 2],
}

impl<'a> Value<'a> {
    /// Of loops whose iterations are these at a point; `None`: it is not made by declarations alone.
    fn of(scope: &'a Scope<'a>, phase: &Phase, iterations: [Affine; 2]) -> Option<Self> {
        let (_, before) = phase.body.split_last()?;
        let is_plain = |init: &Option<Init>| matches!(init, None | Some(Init::Expr(_)));
        let declares = before
            .iter()
            .all(|stmt| matches!(&stmt.kind, StmtKind::Decl { init, .. } if is_plain(init)));
        let Expr::Assign { rhs, .. } = *scope.function.exprs.get(phase.store) else {
            return None;
        };
        let mut indices = Indices::new(scope.aliases, scope.nests, &phase.whole);
        let follows = indices.follow(&phase.whole);
        (declares && follows).then_some(Value {
            expr: rhs,
            indices,
            counters: counters(&phase.counts, iterations),
        })
    }

    fn affine(&mut self, id: ExprId) -> Option<Affine> {
        let poly = self.indices.poly(id)?;
        Affine::of(&poly, self.counters)
    }
}

impl<'a> Bodies<'a> {
    /// Of the first loops of a wave.
    pub fn of(scope: &'a Scope<'a>, first: &Phase) -> Self {
        Bodies {
            scope,
            value: Value::of(scope, first, [Affine::TIME, Affine::LANE]),
        }
    }

    /// Whether other loops, whose iterations are these at a point of the wave, store the same there.
    pub fn are_same(&mut self, phase: &Phase, iterations: [Affine; 2]) -> bool {
        let other = Value::of(self.scope, phase, iterations);
        match (&mut self.value, other) {
            (Some(first), Some(mut other)) => {
                let (x, y) = (first.expr, other.expr);
                are_alike(self.scope, (first, x), (&mut other, y))
            }
            _ => false,
        }
    }
}

/// Whether expressions of two loops have the same value at each point.
fn are_alike(
    scope: &Scope<'_>,
    (first, x): (&mut Value<'_>, ExprId),
    (other, y): (&mut Value<'_>, ExprId),
) -> bool {
    let exprs = &scope.function.exprs;
    exprs.same_but(x, y, &mut |x, y| {
        if exprs.ty(x) != exprs.ty(y) {
            return None;
        }
        if let (Some(x), Some(y)) = (first.affine(x), other.affine(y)) {
            return Some(x == y);
        }
        let value = |of: &Value<'_>, id: ExprId| of.indices.fixed(exprs.local_var(id)?);
        let (x, y) = (value(first, x)?, value(other, y)?);
        Some(are_alike(scope, (first, x), (other, y)))
    })
}
