//! Calls: of the kernel's own functions, of work-item functions, and of the library.

use fpgacc_frontend::ir::{AddressSpace, Callee, ExprId, FunctionId, Scalar, VarRef};
use fpgacc_kernel_analysis::constant;
use fpgacc_kernel_analysis::work_item::{self, Dim};

use super::barriers::is_barrier;
use super::machine::{Frame, Machine, Values};
use super::ops;
use super::value::{Linear, Origin, Value};
use super::wide::{Mask, Wide};

/// Calls inside calls that are followed: it only bounds the time.
const MOST_CALLS: u32 = 12;

impl<'a> Machine<'a> {
    pub(super) fn call(
        &mut self,
        id: ExprId,
        callee: &'a Callee,
        args: &'a [ExprId],
        mask: Mask,
    ) -> Values {
        if let Some(query) = work_item::query(self.module, self.function(), id) {
            return match query.dim {
                Dim::None => vec![self.query(query.quantity, 0)],
                Dim::Of(dim) => vec![self.query(query.quantity, usize::from(dim))],
                Dim::Beyond => vec![self.query(query.quantity, 3)],
                Dim::Computed(arg) => {
                    self.values(arg, mask);
                    let sym = self.fresh(Origin::Computed);
                    vec![Wide::of_lanes(self.width, mask, |_| Value::Open(sym))]
                }
            };
        }
        match callee {
            Callee::Function(function) => self.own(*function, args, mask),
            Callee::Builtin(name) => self.builtin(id, name, args, mask),
        }
    }

    fn own(&mut self, callee: FunctionId, args: &'a [ExprId], mask: Mask) -> Values {
        let values: Vec<Values> = args.iter().map(|arg| self.values(*arg, mask)).collect();
        let function = &self.module.functions[callee];
        let Some(body) = function.body.as_ref().filter(|_| self.depth < MOST_CALLS) else {
            self.not_followed("a function without a body, or a recursive one");
            return vec![Wide::of_lanes(self.width, mask, |_| Value::Data)];
        };
        self.calls += 1;
        self.depth += 1;
        let frame = Frame {
            id: self.calls,
            function: callee,
        };
        let caller = std::mem::replace(&mut self.frame, frame);
        self.functions.push(callee);
        let flow = (self.returned, self.broken, self.skipped);
        let guess = self.guess;
        let result = self.result.take();
        for (param, value) in function.params.iter().zip(values) {
            self.env.insert((frame.id, VarRef::Local(*param)), value);
        }
        (self.returned, self.broken, self.skipped) = (0, 0, 0);
        let apart = self.apart.len();
        self.block(&body.stmts, mask);
        self.meet(apart, true);
        let returned = std::mem::replace(&mut self.result, result);
        (self.returned, self.broken, self.skipped) = flow;
        self.guess = guess;
        self.frame = caller;
        self.depth -= 1;
        // What only it named is not needed any more: joins of branches look at all variables.
        self.env.retain(|(call, _), _| *call != frame.id);
        returned.unwrap_or_else(|| vec![Wide::int(0); self.components(function.ret.ty)])
    }

    fn builtin(&mut self, id: ExprId, name: &str, args: &'a [ExprId], mask: Mask) -> Values {
        if is_barrier(name) {
            self.at_barrier(id, mask);
        }
        if let Some((width, write)) = whole_vector(name) {
            return self.vector_access(id, args, (width, write), mask);
        }
        let is_atomic = name.starts_with("atomic_") || name.starts_with("atom_");
        let values: Vec<Values> = args.iter().map(|arg| self.values(*arg, mask)).collect();
        let count = self.components(self.ty(id));
        if is_atomic && let Some(pointer) = values.first() {
            let (space, bytes) = self.pointed(args[0]);
            self.step();
            self.access(id, (space, bytes, true), &pointer[0], mask);
            return vec![Wide::of_lanes(self.width, mask, |_| Value::Data)];
        }
        let scalar = self.scalar(self.ty(id));
        (0..count)
            .map(|at| {
                let component = |values: &'_ Values| values.get(at).or(values.first()).cloned();
                let operands: Vec<Wide> = values.iter().filter_map(component).collect();
                if operands.is_empty() {
                    self.step();
                    return self.unknown(Origin::Computed);
                }
                let operands: Vec<&Wide> = operands.iter().collect();
                self.each(mask, &operands, |values| library(name, values, scalar))
            })
            .collect()
    }

    /// The space and the size of what a pointer argument points to.
    fn pointed(&self, arg: ExprId) -> (AddressSpace, u64) {
        let types = &self.module.types;
        match types.as_pointer(self.ty(arg)) {
            Some((pointee, space)) => (space, self.size(pointee.ty)),
            None => (AddressSpace::Global, 4),
        }
    }

    /// `vloadN(offset, p)` and `vstoreN(data, offset, p)`.
    fn vector_access(
        &mut self,
        id: ExprId,
        args: &'a [ExprId],
        (width, write): (u64, bool),
        mask: Mask,
    ) -> Values {
        let values: Vec<Values> = args.iter().map(|arg| self.values(*arg, mask)).collect();
        let at = usize::from(write);
        let (Some(offset), Some(pointer)) = (values.get(at), values.get(at + 1)) else {
            return vec![Wide::int(0)];
        };
        let (space, size) = self.pointed(args[at + 1]);
        let bytes = size * width;
        let moved = self.each(mask, &[&pointer[0], &offset[0]], |values| {
            match (values[0], values[1]) {
                (Value::Pointer(object, from), Value::Int(by)) => {
                    Some(Value::Pointer(*object, from.plus(by, i128::from(bytes))?))
                }
                _ => None,
            }
        });
        if space != AddressSpace::Private {
            self.access(id, (space, bytes, write), &moved, mask);
        }
        let count = self.components(self.ty(id));
        match moved.same() {
            Some(_) => (0..count).map(|_| self.unknown(Origin::Memory)).collect(),
            None => vec![Wide::of_lanes(self.width, mask, |_| Value::Data); count],
        }
    }
}

/// The width of `vloadN` and `vstoreN`, and whether it writes.
fn whole_vector(name: &str) -> Option<(u64, bool)> {
    let (width, write) = match (name.strip_prefix("vload"), name.strip_prefix("vstore")) {
        (Some(width), _) => (width, false),
        (_, Some(width)) => (width, true),
        _ => return None,
    };
    Some((width.parse().ok()?, write))
}

/// A library function of known numbers.
fn library(name: &str, values: &[&Value], ty: Option<Scalar>) -> Option<Value> {
    if let Some(doubt) = values.iter().find(|value| !value.is_one()) {
        return match values.iter().any(|value| matches!(value, Value::Data)) {
            true => Some(Value::Data),
            false => Some((*doubt).clone()),
        };
    }
    if name.starts_with("convert_") || name == "as_int" || name == "as_uint" {
        return ops::converted(values[0], ty);
    }
    let ints: Option<Vec<i128>> = values.iter().map(|value| value.known()).collect();
    if let Some(ints) = ints {
        return constant::builtin(name, &ints)
            .map(|value| Value::Int(ops::wrapped(Linear::constant(value), ty)));
    }
    let floats: Option<Vec<f64>> = values.iter().map(|value| float(value)).collect();
    let value = floats.and_then(|floats| floating(name, &floats))?;
    Some(Value::Float(ops::rounded(value, ty)))
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(*number),
        other => other.known().map(|number| number as f64),
    }
}

fn floating(name: &str, values: &[f64]) -> Option<f64> {
    let name = name
        .strip_prefix("native_")
        .or(name.strip_prefix("half_"))
        .unwrap_or(name);
    Some(match (name, values) {
        ("floor", [a]) => a.floor(),
        ("ceil", [a]) => a.ceil(),
        ("trunc", [a]) => a.trunc(),
        ("round", [a]) => a.round(),
        ("fabs", [a]) => a.abs(),
        ("sqrt", [a]) => a.sqrt(),
        ("min" | "fmin", [a, b]) => a.min(*b),
        ("max" | "fmax", [a, b]) => a.max(*b),
        ("clamp", [value, low, high]) => value.max(*low).min(*high),
        ("fma" | "mad", [a, b, c]) => a * b + c,
        _ => return None,
    })
}
