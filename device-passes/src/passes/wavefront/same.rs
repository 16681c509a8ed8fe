//! Whether several loops compute the same where they store the same element.

use fpgacc_frontend::ir::{Expr, ExprId, Init, StmtKind};

use super::nest::Scope;
use super::phase::Phase;
use super::space::Affine;
use super::values::Values;

/// The body of a wave's first loops, to compare others with.
pub struct Bodies<'a> {
    scope: &'a Scope<'a>,
    value: Option<Value<'a>>,
}

/// What a lane stores.
struct Value<'a> {
    expr: ExprId,
    /// What its integers are at a point of the wave.
    values: Values<'a>,
}

impl<'a> Value<'a> {
    /// Of loops whose iterations are these at a point; `None`: it is not made by declarations alone.
    fn of(scope: &'a Scope<'a>, phase: &Phase, iterations: [Affine; 2]) -> Option<Self> {
        let (_, before) = phase.body.split_last()?;
        let is_plain = |init: &Option<Init>| matches!(init, None | Some(Init::Expr(_)));
        let declares = before
            .iter()
            .all(|stmt| matches!(&stmt.kind, StmtKind::Decl { init, .. } if is_plain(init)));
        let [table] = phase.tables.as_slice() else {
            return None;
        };
        if phase.unguarded.is_some() {
            return None;
        }
        let [store] = table.stores.as_slice() else {
            return None;
        };
        if table.rolling.is_some() || !table.held.is_empty() {
            return None;
        }
        let Expr::Assign { rhs, .. } = *scope.function.exprs.get(*store) else {
            return None;
        };
        declares.then(|| Value {
            expr: rhs,
            values: Values::new(scope, &phase.whole, phase.counts, iterations),
        })
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
        if let (Some(x), Some(y)) = (first.values.integer(x), other.values.integer(y)) {
            return Some(x == y);
        }
        let value = |of: &Value<'_>, id: ExprId| of.values.fixed(exprs.local_var(id)?);
        let (x, y) = (value(first, x)?, value(other, y)?);
        Some(are_alike(scope, (first, x), (other, y)))
    })
}
