//! Calls: queries of ids and sizes, functions that are followed, and builtins.

use fpgacc_frontend::ir::{Callee, ExprId, FunctionId, Scalar};
use fpgacc_kernel_analysis::constant;
use fpgacc_kernel_analysis::work_item::{self, Dim, Quantity};

use super::arithmetic;
use super::probe::{Frame, Probe, low};
use super::value::{POINTS, Value};

/// Calls inside calls: it only bounds the time.
const MOST_CALLS: u32 = 16;

impl<'a> Probe<'a> {
    pub(super) fn call(
        &mut self,
        frame: &mut Frame<'a>,
        id: ExprId,
        callee: &'a Callee,
        args: &[ExprId],
    ) -> Value {
        if let Some(query) = work_item::query(self.module, frame.function, id) {
            return self.answer(query);
        }
        let values: Vec<Value> = args.iter().map(|arg| self.value(frame, *arg)).collect();
        match callee {
            Callee::Function(id) => self.follow(*id, &values),
            Callee::Builtin(name) => self.builtin(frame, name, &values, id, args),
        }
    }

    fn answer(&self, query: work_item::Query) -> Value {
        let Dim::Of(dim) = query.dim else {
            return Value::unknown(u8::MAX);
        };
        let dim = usize::from(dim);
        let global = self.sizes.global[dim] as i64;
        // The middle, where sizes that are multiples of a warp have a warp's first work-item.
        let mut id = [global / 2; POINTS];
        id[1 + dim] += 1;
        let local = self.sizes.local.map(|local| local[dim].max(1) as i64);
        match (query.quantity, local) {
            (Quantity::GlobalId, _) => Value::known(id),
            (Quantity::GlobalSize, _) => Value::constant(global),
            (Quantity::GlobalOffset, _) => Value::constant(0),
            (Quantity::LocalId, Some(local)) => Value::known(id.map(|id| id % local)),
            (Quantity::GroupId, Some(local)) => Value::known(id.map(|id| id / local)),
            (Quantity::LocalSize, Some(local)) => Value::constant(local),
            (Quantity::NumGroups, Some(local)) => Value::constant(global / local),
            _ => Value::unknown(u8::MAX),
        }
    }

    fn follow(&mut self, id: FunctionId, args: &[Value]) -> Value {
        let function = &self.module.functions[id];
        let varies = args.iter().fold(0, |bits, arg| bits | arg.varies());
        let unknown = Value::unknown(varies).computed_from(args, 0);
        let Some(body) = function.body.as_ref().filter(|_| self.calls < MOST_CALLS) else {
            return unknown;
        };
        let mut frame = Frame::new(function);
        for (param, value) in function.params.iter().zip(args) {
            let ty = function.vars[*param].ty.ty;
            frame.vars[param.index()] = self.converted(*value, ty);
        }
        let guard = self.guard;
        self.calls += 1;
        self.block(&mut frame, &body.stmts);
        self.calls -= 1;
        self.guard = guard;
        frame.returned.unwrap_or(unknown)
    }

    fn builtin(
        &mut self,
        frame: &Frame<'a>,
        name: &str,
        args: &[Value],
        id: ExprId,
        positions: &[ExprId],
    ) -> Value {
        let ty = frame.function.exprs.ty(id);
        let span = frame.function.exprs.span(id);
        let varies = args.iter().fold(0, |bits, arg| bits | arg.varies());
        if let [offset, pointer] | [_, offset, pointer] = args
            && (name.starts_with("vload") || name.starts_with("vstore"))
        {
            let is_write = name.starts_with("vstore");
            let vector = match is_write {
                true => frame.function.exprs.ty(positions[0]),
                false => ty,
            };
            let width = self.width(vector) as i64;
            let bytes = self.size(vector);
            let step = if width > 0 {
                bytes / width * width
            } else {
                bytes
            };
            let at = pointer.combine(offset, |p, o| Some(p.wrapping_add(o.wrapping_mul(step))));
            self.note(at, is_write, bytes, span);
            return Value::unknown(varies).computed_from([&at], arithmetic::LOAD_LATENCY);
        }
        if name.starts_with("atom") && !args.is_empty() {
            self.note(args[0], false, self.size(ty), span);
            self.note(args[0], true, self.size(ty), span);
            return Value::unknown(u8::MAX);
        }
        if matches!(name, "barrier" | "work_group_barrier") {
            self.work_on(1.0, ty);
            self.barrier();
            return Value::unknown(0);
        }
        let scalar = self.scalar(ty);
        let base = arithmetic::cost_of_builtin(name);
        let more = match scalar {
            Scalar::Double => arithmetic::DOUBLE_FUNCTION,
            _ => 1.0,
        };
        self.work_of_builtin(name, base * more, ty);
        let unknown =
            Value::unknown(varies).computed_from(args, arithmetic::latency_of_builtin(name));
        if name.starts_with("convert_")
            && let [vector] = args
            && vector.vector.is_some()
        {
            return self.converted_vector(unknown, vector, ty);
        }
        if !scalar.is_integer() || args.iter().any(|arg| arg.root.is_some()) {
            return unknown;
        }
        let mut at = [0; POINTS];
        for (point, to) in at.iter_mut().enumerate() {
            let all: Option<Vec<i128>> = (args.iter())
                .map(|arg| Some(i128::from(arg.at?[point])))
                .collect();
            match all.and_then(|all| constant::builtin(name, &all)).map(low) {
                Some(value) => *to = value,
                None => return unknown,
            }
        }
        self.converted(Value::known(at), ty)
    }
}
