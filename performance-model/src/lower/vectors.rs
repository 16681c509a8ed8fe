//! Vectors in registers whose components are written by themselves: each of them is a variable of its own.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{Expr, ExprId, Function, TypeId, VarRef};
use fpgacc_frontend::source::Span;

use super::value::{Slot, Value};
use super::{Lowering, ops};
use crate::board::Operator;

impl Lowering<'_> {
    /// An operator on 32 bits, for a value of a type: a vector takes one for each 32 bits of it.
    pub(super) fn widened(&self, operator: Operator, ty: TypeId) -> Operator {
        match self.module.types.as_vector(ty) {
            Some((scalar, width)) => {
                ops::times(operator, f64::from(width) * scalar.size() as f64 / 4.0)
            }
            None => operator,
        }
    }

    /// The type of a variable of a call under way, or of an element of one.
    pub(super) fn type_of(&self, slot: &Slot) -> Option<TypeId> {
        let VarRef::Local(var) = slot.var else {
            return None;
        };
        let call = self.at.calls.iter().find(|call| call.frame == slot.frame)?;
        let function = &self.module.functions[call.function];
        let mut ty = function.vars[var].ty.ty;
        for _ in &slot.path {
            ty = self.module.types.as_array(ty)?.0.ty;
        }
        Some(ty)
    }

    /// A component or a field: what is of a value that was loaded was loaded, too.
    pub(super) fn part_of(&mut self, whole: &Value, ty: TypeId) -> Value {
        let mut part = self.opaque_typed(ty, whole.node);
        let loaded = whole.poly.as_ref().filter(|poly| self.is_loaded(poly));
        if let Some(depends) = loaded.map(|poly| self.varies(poly))
            && part.poly.is_some()
        {
            part.poly = self.opaque(depends, true).poly;
        }
        part
    }

    /// A vector, some of whose components may have been written by themselves.
    pub(super) fn vector(&mut self, slot: &Slot, span: Option<Span>, ty: TypeId) -> Value {
        let parts = self.env.parts(slot);
        if parts.iter().all(|(key, _)| key == slot) {
            return self.variable(slot, ty);
        }
        let values: Vec<Value> = parts.into_iter().map(|(_, value)| value).collect();
        self.compute(Operator::default(), "vector", &values, span)
    }

    /// Sets the components of a vector that is set as a whole: loops are to see that they had values.
    pub(super) fn set_components(&mut self, to: &Slot, value: &Value, ty: TypeId) {
        let Some((_, width)) = self.module.types.as_vector(ty) else {
            return;
        };
        let key = self.function_id();
        let function = self.at.function;
        let written = self.known.components.entry(key);
        if !written
            .or_insert_with(|| written_ones(function))
            .contains(&to.var)
        {
            return;
        }
        for component in 0..u32::from(width) {
            let own = Value {
                is_zero: value.is_zero,
                ..self.part_of(value, ty)
            };
            self.assign(to.part(component), own);
        }
    }
}

/// The variables of which a function writes components.
fn written_ones(function: &Function) -> BTreeSet<VarRef> {
    let exprs = &function.exprs;
    let written = |id: ExprId| variable_of(function, exprs.written(id)?);
    exprs.ids().filter_map(written).collect()
}

/// The variable whose component this is.
fn variable_of(function: &Function, id: ExprId) -> Option<VarRef> {
    let Expr::Swizzle { base, .. } = function.exprs.get(id) else {
        return None;
    };
    let mut at = *base;
    loop {
        at = match function.exprs.get(at) {
            Expr::Var(var) => return Some(*var),
            Expr::Index { base, .. } | Expr::Member { base, .. } => *base,
            _ => return None,
        };
    }
}
