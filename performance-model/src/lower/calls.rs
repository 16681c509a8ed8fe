//! Calls: builtins, and functions of the module, which aoc inlines.

use fpgacc_frontend::ir::{Callee, ExprId, FunctionId, TypeId, VarRef};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use fpgacc_kernel_analysis::work_item::{self, Dim, Quantity, Query};

use super::channels::is_channel_call;
use super::value::{Pointer, Value};
use super::{Call, Lowering, MAX_CALLS, UNKNOWN_BYTES, ops};
use crate::graph::{Made, NodeId, Op};
use crate::prediction::{Form, Unpriced};

/// Elements that a `vload` or `vstore` moves whose name has no number: a guess.
const UNKNOWN_LANES: u64 = 4;

impl<'a> Lowering<'a> {
    pub(super) fn call(&mut self, id: ExprId, callee: &'a Callee, args: &'a [ExprId]) -> Value {
        match callee {
            Callee::Function(function) => self.inline(id, *function, args),
            Callee::Builtin(name) => self.builtin(id, name, args),
        }
    }

    fn inline(&mut self, site: ExprId, callee: FunctionId, args: &'a [ExprId]) -> Value {
        let values: Vec<Value> = args.iter().map(|arg| self.value(*arg)).collect();
        let function = &self.module.functions[callee];
        let calls = &self.at.calls;
        let too_deep = calls.len() >= MAX_CALLS || calls.iter().any(|call| call.function == callee);
        let Some(body) = function.body.as_ref().filter(|_| !too_deep) else {
            let span = self.at.function.exprs.span(site);
            self.unpriced(&function.name, "a choice", span);
            return self.joined(&values, None);
        };
        let caller = self.at.function;
        let returned = std::mem::take(&mut self.at.returned);
        self.at.function = function;
        self.at.calls.push(Call {
            function: callee,
            site: Some(site),
            frame: self.known.frames,
        });
        self.known.frames += 1;
        for (&param, value) in function.params.iter().zip(values) {
            let slot = self.slot(VarRef::Local(param));
            self.set(&slot, value, function.vars[param].ty.ty);
        }
        self.block(body);
        self.at.function = caller;
        self.at.calls.pop();
        let mut results = std::mem::replace(&mut self.at.returned, returned);
        match results.len() {
            0 => Value::default(),
            1 => results.swap_remove(0),
            _ => self.joined(&results, None),
        }
    }

    /// A value that one of several things makes.
    fn joined(&mut self, operands: &[Value], span: Option<Span>) -> Value {
        self.compute(self.table.select, "choice", operands, span)
    }

    /// Notes that the model knows nothing of what is called here.
    fn unpriced(&mut self, name: &str, as_what: &'static str, span: Option<Span>) {
        if self.builds() {
            self.graph.unpriced(Unpriced {
                span,
                name: name.to_string(),
                as_what,
            });
        }
    }

    fn barrier(&mut self) {
        self.known.loads.clear();
        if !self.builds() {
            return;
        }
        self.graph.region_mut(self.at.region).barriers += 1;
        for at in self.graph.regions[0].loops.clone() {
            if !self.graph.is_within(self.at.region, at) {
                self.graph.region_mut(at).meets = true;
            }
        }
    }

    fn builtin(&mut self, id: ExprId, name: &'a str, args: &'a [ExprId]) -> Value {
        let exprs = &self.at.function.exprs;
        let (span, ty) = (exprs.span(id), exprs.ty(id));
        if let Some(query) = work_item::query(self.module, self.at.function, id) {
            return match self.query_poly(query) {
                Some(poly) => Value::integer(poly),
                None => self.opaque(Default::default(), false),
            };
        }
        if name == "barrier" || name == "work_group_barrier" {
            self.barrier();
            return Value::default();
        }
        if name.starts_with("atomic_") || name.starts_with("atom_") {
            return self.atomic(args, span, ty);
        }
        if let Some(width) = name.strip_prefix("vload") {
            return self.vector_access(width, args, None, span);
        }
        if let Some(width) = name.strip_prefix("vstore") {
            let value = args.first().map(|arg| self.value(*arg));
            return self.vector_access(width, args.get(1..).unwrap_or(&[]), value, span);
        }
        let uses_channel = is_channel_call(name);
        // A channel is no memory that is loaded from.
        let args = &args[usize::from(uses_channel).min(args.len())..];
        let values: Vec<Value> = args.iter().map(|arg| self.value(*arg)).collect();
        let inputs: Vec<NodeId> = values.iter().filter_map(|value| value.node).collect();
        if uses_channel {
            if self.builds() {
                self.graph.uses_channels();
            }
            let node = self.node(Op::Channel, self.table.channel, "channel", inputs, span);
            let here = self.here();
            let poly = self.opaque(here, true).poly;
            return Value {
                node: Some(node),
                poly,
                ..Value::default()
            };
        }
        self.write_through(args, &values);
        if !ops::is_known(self.table, name) {
            self.unpriced(name, "a comparison", span);
        }
        let scalar = self.scalar(ty);
        let of_args = args.first().and_then(|arg| self.scalar(exprs.ty(*arg)));
        match ops::builtin(self.table, name, of_args, scalar) {
            Some((operator, what)) => {
                let operator = ops::times(operator, self.lanes(ty));
                let value = self.compute(operator, what, &values, span);
                let is_one_of_them = ["min", "max", "clamp"].contains(&name);
                let choices: Option<Vec<Poly>> = values.iter().map(|v| v.poly.clone()).collect();
                if let Some(choices) = choices.filter(|_| is_one_of_them) {
                    self.note_made(&value, Made::Near(choices));
                }
                value
            }
            None => self.compute(Default::default(), "", &values, span),
        }
    }

    /// What builtins such as `sincos` write through their pointer arguments.
    fn write_through(&mut self, args: &[ExprId], values: &[Value]) {
        for (arg, value) in args.iter().zip(values) {
            if let Some(Pointer::Slot(slot)) = &value.pointer
                && self.is_pointer(*arg)
            {
                let inputs = values.iter().filter_map(|value| value.node);
                let node = self.node(Op::Operator, Default::default(), "", inputs, None);
                let value = Value {
                    node: Some(node),
                    ..Value::default()
                };
                self.assign(slot.clone(), value);
            }
        }
    }

    /// What a work-item function returns.
    pub(super) fn query_poly(&self, query: Query) -> Option<Poly> {
        let dim = match query.dim {
            Dim::Of(dim) => dim,
            Dim::None => 0,
            Dim::Beyond => return Some(Poly::constant(i128::from(query.quantity.beyond()))),
            Dim::Computed(_) => return None,
        };
        if self.input.form == Form::SingleWorkItem {
            return Some(Poly::constant(match query.quantity {
                Quantity::LocalSize | Quantity::GlobalSize | Quantity::NumGroups => 1,
                Quantity::WorkDim => 1,
                _ => 0,
            }));
        }
        let required = self.at.function.reqd_work_group_size();
        let local_size = match required.map(|sizes| sizes[usize::from(dim)]) {
            Some(size) => Poly::constant(i128::from(size)),
            None => Poly::sym(Sym::LocalSize(dim)),
        };
        let sym = |sym| Some(Poly::sym(sym));
        match query.quantity {
            Quantity::LocalId => sym(Sym::LocalId(dim)),
            Quantity::GroupId => sym(Sym::GroupId(dim)),
            Quantity::LocalSize => Some(local_size),
            Quantity::NumGroups => sym(Sym::NumGroups(dim)),
            Quantity::GlobalSize => Poly::sym(Sym::NumGroups(dim)).times(&local_size),
            Quantity::GlobalId => {
                let first = Poly::sym(Sym::GroupId(dim)).times(&local_size)?;
                Some(first.plus(&Poly::sym(Sym::LocalId(dim)), 1))
            }
            Quantity::GlobalOffset => Some(Poly::default()),
            Quantity::WorkDim | Quantity::GlobalLinearId | Quantity::LocalLinearId => None,
        }
    }

    fn atomic(&mut self, args: &'a [ExprId], span: Option<Span>, ty: TypeId) -> Value {
        let values: Vec<Value> = args.iter().map(|arg| self.value(*arg)).collect();
        let inputs: Vec<NodeId> = values.iter().filter_map(|value| value.node).collect();
        let Some(Pointer::Memory(array, address)) = values.first().and_then(|v| v.pointer.clone())
        else {
            return self.joined(&values, span);
        };
        let depends = self.here();
        let bytes = self.size(ty);
        let op = Op::Atomic(self.graph.accesses.len());
        let node = self.access(op, array, address, inputs, span, bytes);
        let poly = self.opaque(depends, true).poly;
        Value {
            node: Some(node),
            poly,
            ..Value::default()
        }
    }

    fn vector_access(
        &mut self,
        width: &str,
        args: &'a [ExprId],
        stored: Option<Value>,
        span: Option<Span>,
    ) -> Value {
        let lanes: u64 = width
            .trim_start_matches('_')
            .parse()
            .unwrap_or(UNKNOWN_LANES);
        let [offset, pointer] = args else {
            return Value::default();
        };
        let (offset, pointer) = (self.value(*offset), self.value(*pointer));
        let Some(Pointer::Memory(array, address)) = pointer.pointer.clone() else {
            return self.joined(&[offset, pointer], span);
        };
        let pointer_ty = self.at.function.exprs.ty(args[1]);
        let element = self.module.types.as_pointer(pointer_ty);
        let bytes = lanes * element.map_or(UNKNOWN_BYTES, |(pointee, _)| self.size(pointee.ty));
        let index = offset.poly.clone().unwrap_or_default();
        let address = address.plus(&index, i128::from(bytes));
        let inputs = [
            offset.node,
            pointer.node,
            stored.as_ref().and_then(|s| s.node),
        ];
        let inputs: Vec<NodeId> = inputs.into_iter().flatten().collect();
        let at = self.graph.accesses.len();
        let op = if stored.is_some() {
            Op::Store(at)
        } else {
            Op::Load(at)
        };
        let node = self.access(op, array, address, inputs, span, bytes);
        Value {
            node: Some(node),
            ..Value::default()
        }
    }
}
