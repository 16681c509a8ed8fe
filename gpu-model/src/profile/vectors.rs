//! Vectors of integers, component by component: kernels of which vectors were made keep the indices of several work-items in
//! them.

use fpgacc_frontend::ir::{BinaryOp, Scalar, TypeId};
use fpgacc_kernel_analysis::constant;

use super::probe::{Probe, low};
use super::value::Value;

/// The most components of all vectors that are kept: it only bounds the memory.
const MOST: usize = 1 << 16;

impl Probe<'_> {
    /// A vector of these components, of which scalars may stand for all.
    pub(super) fn vector(&mut self, parts: &[Value], ty: TypeId) -> Value {
        let varies = parts.iter().fold(0, |bits, part| bits | part.varies());
        let made = Value::unknown(varies).computed_from(parts, 0);
        if parts.len() > 1
            && parts
                .iter()
                .any(|part| part.varies() != 0 || part.at.is_none())
        {
            self.shuffle(parts.len());
        }
        let Some((scalar, width)) = self.module.types.as_vector(ty) else {
            return made;
        };
        let width = usize::from(width);
        let of_part = |part: &Value| match part.vector {
            Some(_) => self.components_of(part),
            None => vec![*part],
        };
        let mut all: Vec<Value> = parts.iter().flat_map(of_part).collect();
        if let [one] = all[..] {
            all = vec![one; width];
        }
        self.keep_vector(made, all, scalar, width)
    }

    /// What an operator makes of vectors, or of one and a scalar, if their components are followed.
    pub(super) fn of_vectors(
        &mut self,
        made: Value,
        op: BinaryOp,
        (a, b): (&Value, &Value),
        ty: TypeId,
    ) -> Value {
        let Some((scalar, width)) = self.module.types.as_vector(ty) else {
            return made;
        };
        if a.vector.is_none() && b.vector.is_none() || op.is_comparison() {
            return made;
        }
        let width = usize::from(width);
        let [a, b] = [a, b].map(|value| match value.vector {
            Some(_) => self.components_of(value),
            None => vec![*value; width],
        });
        let pairs = a.iter().zip(&b);
        let each = pairs.map(|(a, b)| {
            let made = a.combine(b, |x, y| constant::binary(op, x.into(), y.into()).map(low));
            match op {
                BinaryOp::Mul => made.as_product_of(a, b),
                _ => made,
            }
        });
        let all = each.collect();
        self.keep_vector(made, all, scalar, width)
    }

    /// A vector whose components are those of another one, as another type.
    pub(super) fn converted_vector(&mut self, made: Value, from: &Value, ty: TypeId) -> Value {
        match (self.module.types.as_vector(ty), from.vector) {
            (Some((scalar, width)), Some(_)) => {
                let all = self.components_of(from);
                self.keep_vector(made, all, scalar, usize::from(width))
            }
            _ => made,
        }
    }

    /// Some components of a vector.
    pub(super) fn swizzled(
        &mut self,
        made: Value,
        from: &Value,
        which: &[u8],
        ty: TypeId,
    ) -> Value {
        self.shuffle(usize::from(which.len() == 1));
        let all = self.components_of(from);
        let picked = which.iter().map(|at| all.get(usize::from(*at)).copied());
        let Some(picked) = picked.collect::<Option<Vec<Value>>>() else {
            return made;
        };
        match (&picked[..], self.module.types.as_vector(ty)) {
            ([one], None) => *one,
            (_, Some((scalar, width))) => {
                self.keep_vector(made, picked, scalar, usize::from(width))
            }
            _ => made,
        }
    }

    fn components_of(&self, value: &Value) -> Vec<Value> {
        let known = value.vector.and_then(|at| self.vectors.get(at as usize));
        known.cloned().unwrap_or_default()
    }

    fn keep_vector(&mut self, made: Value, all: Vec<Value>, scalar: Scalar, width: usize) -> Value {
        let is_known = scalar.is_integer() && all.len() == width;
        if !is_known || self.vectors.len() * width > MOST {
            return made;
        }
        let wrapped = all
            .iter()
            .map(|one| one.map(|value| low(constant::wrapped(value.into(), scalar))));
        let wrapped = wrapped.collect();
        self.vectors.push(wrapped);
        made.with_components(self.vectors.len() as u32 - 1)
    }
}
