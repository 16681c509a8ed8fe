//! Writing shift registers, in the shape of Lloyd's figure 4.3.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, Function, FunctionId, IncDecOp, Module, QualType, Stmt, StmtKind, Type,
    TypeId, Types, UnaryOp, VarId,
};
use fpgacc_kernel_analysis::faults;

use super::legality::Register;
use super::matching::{Combine, Form};
use crate::around_loop::{self, Names, Plan, Rewrite, private_variable, store};

/// Carries out a plan.
pub fn apply(module: &mut Module, id: FunctionId, plan: &Plan<Register>) {
    around_loop::apply(module, id, plan, |function, types, mut names| Writer {
        counter: names.fresh("j"),
        types,
        function,
        names,
    });
}

struct Writer<'a> {
    types: &'a mut Types,
    function: &'a mut Function,
    names: Names,
    /// The name of the counters of all loops that are made; their scopes are apart.
    counter: String,
}

/// A register and the array that it became.
#[derive(Clone, Copy)]
struct Placed<'a> {
    register: &'a Register,
    array: VarId,
    ty: TypeId,
    /// Holds the value of a location in memory; all registers of a location share it.
    copy: Option<VarId>,
    /// Whether an iteration updated the location; likewise.
    updated: Option<VarId>,
}

impl Rewrite for Writer<'_> {
    type Kept = Register;

    const NESTED: bool = false;

    fn function(&mut self) -> &mut Function {
        self.function
    }

    fn rewrite(&mut self, stmt: &mut Stmt, registers: &[Register]) -> [Vec<Stmt>; 2] {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let placed = self.place_all(registers);
        let groups: Vec<_> = placed
            .chunk_by(|a, b| a.register.location == b.register.location)
            .collect();
        for group in &groups {
            self.declare(group, &mut before);
        }
        let by_key = placed.iter().map(|p| (p.register.key, *p)).collect();
        for list in stmt.lists_mut() {
            *list = self.body(std::mem::take(list), &by_key);
        }
        for group in &groups {
            self.finish(group, &mut after);
        }
        [before, after]
    }
}

impl Writer<'_> {
    fn place_all<'r>(&mut self, registers: &'r [Register]) -> Vec<Placed<'r>> {
        let mut all: Vec<Placed<'r>> = Vec::new();
        for register in registers {
            let ty = self.function.exprs.ty(register.location);
            let array_ty = self.types.intern(Type::Array {
                element: QualType::plain(ty),
                len: Some(u64::from(register.depth) + 1),
            });
            let array = self.variable("shift_reg", array_ty);
            let copy = match all.last() {
                _ if register.in_variable => None,
                Some(last) if last.register.location == register.location => last.copy,
                _ => Some(self.variable(register.combine.noun(), ty)),
            };
            let updated = match all.last() {
                _ if !register.if_updated => None,
                Some(last) if last.register.location == register.location => last.updated,
                _ => {
                    let int = self.types.int();
                    Some(self.variable("updated", int))
                }
            };
            all.push(Placed {
                register,
                array,
                ty,
                copy,
                updated,
            });
        }
        all
    }

    /// The arrays of one location and their first values.
    fn declare(&mut self, group: &[Placed<'_>], out: &mut Vec<Stmt>) {
        let first = group[0];
        if let Some(updated) = first.updated {
            let no = self.function.exprs.int(self.types, 0);
            out.push(Stmt::define(updated, no));
        }
        if first.register.combine.is_idempotent() {
            self.load(&first, out);
        }
        for placed in group {
            out.push(Stmt::new(StmtKind::Comment(comment(placed.register))));
            out.push(Stmt::new(StmtKind::Decl {
                var: placed.array,
                init: None,
            }));
            let fill = self.unrolled(placed.register.depth + 1, |writer, counter| {
                let slot = writer.slot(placed.array, counter);
                let value = writer.first_value(placed);
                writer.function.exprs.assign(None, slot, value)
            });
            out.push(fill);
        }
    }

    /// Copies a location in memory to a variable.
    fn load(&mut self, placed: &Placed<'_>, out: &mut Vec<Stmt>) {
        if let Some(copy) = placed.copy {
            let value = self.function.exprs.duplicate(placed.register.location);
            out.push(Stmt::define(copy, value));
        }
    }

    /// What a slot holds before the first iteration: a value that changes no result, whatever the
    /// location holds and however often the loop runs.
    fn first_value(&mut self, placed: &Placed<'_>) -> ExprId {
        match placed.register.combine {
            // Not 0.0: -0.0 + 0.0 is 0.0, but x + -0.0 is x for every x.
            Combine::Add => {
                let zero = self.function.exprs.float(placed.ty, 0.0);
                if faults::is_on("reduction-start-lost") {
                    return self.function.exprs.float(placed.ty, 1.0);
                }
                let minus = Expr::Unary {
                    op: UnaryOp::Minus,
                    operand: zero,
                };
                self.function.exprs.add(minus, placed.ty, None)
            }
            Combine::Mul => self.function.exprs.float(placed.ty, 1.0),
            // The location's own value: taking a minimum with it twice is taking it once, also of a NaN.
            Combine::Call(_) | Combine::Select(_) => self.current(placed),
        }
    }

    /// The location's value outside of the loop.
    fn current(&mut self, placed: &Placed<'_>) -> ExprId {
        match placed.copy {
            Some(copy) => self.function.use_var(copy),
            None => self.function.exprs.duplicate(placed.register.location),
        }
    }

    /// After the loop: all slots go into the location, if it was updated.
    fn finish(&mut self, group: &[Placed<'_>], out: &mut Vec<Stmt>) {
        let Some(updated) = group[0].updated else {
            return self.gather(group, out);
        };
        let mut gathered = Vec::new();
        self.gather(group, &mut gathered);
        out.push(Stmt::only_if(self.function.use_var(updated), gathered));
    }

    fn gather(&mut self, group: &[Placed<'_>], out: &mut Vec<Stmt>) {
        let first = group[0];
        if !first.register.combine.is_idempotent() {
            self.load(&first, out);
        }
        for placed in group {
            let lost = u32::from(faults::is_on("reduction-tail-lost"));
            let sum = self.unrolled(placed.register.depth - lost, |writer, counter| {
                writer.combine(placed, counter)
            });
            out.push(sum);
        }
        if let Some(copy) = first.copy
            && !faults::is_on("reduction-store-lost")
        {
            out.push(store(self.function, first.register.location, copy));
        }
    }

    fn combine(&mut self, placed: &Placed<'_>, counter: VarId) -> ExprId {
        let target = self.current(placed);
        let slot = self.slot(placed.array, counter);
        let op = match &placed.register.combine {
            Combine::Add => BinaryOp::Add,
            Combine::Mul => BinaryOp::Mul,
            Combine::Call(name) => {
                let value = self.current(placed);
                let args = vec![value, slot];
                let exprs = &mut self.function.exprs;
                let call = exprs.call_builtin(name, placed.ty, args);
                return exprs.assign(None, target, call);
            }
            Combine::Select(op) => {
                let value = self.current(placed);
                let kept = self.current(placed);
                let taken = self.slot(placed.array, counter);
                let exprs = &mut self.function.exprs;
                let cond = exprs.binary(self.types, *op, slot, value);
                let select = Expr::Cond {
                    cond,
                    then: taken,
                    otherwise: kept,
                };
                let select = exprs.add(select, placed.ty, None);
                return exprs.assign(None, target, select);
            }
        };
        self.function.exprs.assign(Some(op), target, slot)
    }

    fn body(&mut self, stmts: Vec<Stmt>, placed: &BTreeMap<ExprId, Placed<'_>>) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(stmts.len());
        for mut stmt in stmts {
            let key = match &stmt.kind {
                StmtKind::Expr(key) => Some(*key),
                StmtKind::If { cond, .. } => Some(*cond),
                _ => None,
            };
            match key.and_then(|key| placed.get(&key)) {
                Some(placed) => self.accumulate(placed, &stmt, &mut out),
                None => {
                    for list in stmt.lists_mut() {
                        *list = self.body(std::mem::take(list), placed);
                    }
                    out.push(stmt);
                }
            }
        }
        out
    }

    /// `shift_reg[depth] = shift_reg[0] + e;` and the shift after it.
    fn accumulate(&mut self, placed: &Placed<'_>, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let register = placed.register;
        let value = self.next_value(placed);
        let last = self.slot_at(placed.array, register.depth);
        let assign = self.function.exprs.assign(None, last, value);
        out.push(Stmt::at(StmtKind::Expr(assign), stmt.span));
        let shift = self.unrolled(register.depth, |writer, counter| {
            let to = writer.slot(placed.array, counter);
            let from = match faults::is_on("reduction-shift-wrong") {
                true => writer.slot(placed.array, counter),
                false => writer.slot_after(placed.array, counter),
            };
            writer.function.exprs.assign(None, to, from)
        });
        out.push(shift);
        if let Some(updated) = placed.updated {
            let variable = self.function.use_var(updated);
            let yes = self.function.exprs.int(self.types, 1);
            let note = self.function.exprs.assign(None, variable, yes);
            out.push(Stmt::new(StmtKind::Expr(note)));
        }
    }

    fn next_value(&mut self, placed: &Placed<'_>) -> ExprId {
        let register = placed.register;
        match register.form {
            Form::Compound { op, value } => {
                let first = self.slot_at(placed.array, 0);
                let exprs = &mut self.function.exprs;
                exprs.binary(self.types, op, first, value)
            }
            Form::InPlace { value } => {
                self.redirect_reads(placed);
                value
            }
            Form::Chain { value } => {
                let rest = self.without(value, register.reads[0]);
                let first = self.slot_at(placed.array, 0);
                let op = match register.combine {
                    Combine::Mul => BinaryOp::Mul,
                    _ => BinaryOp::Add,
                };
                let exprs = &mut self.function.exprs;
                exprs.binary(self.types, op, first, rest)
            }
            Form::Branch { cond, value } => {
                self.redirect_reads(placed);
                let kept = self.slot_at(placed.array, 0);
                let select = Expr::Cond {
                    cond,
                    then: value,
                    otherwise: kept,
                };
                self.function.exprs.add(select, placed.ty, None)
            }
        }
    }

    /// Makes the statement's reads of the location reads of the first slot.
    fn redirect_reads(&mut self, placed: &Placed<'_>) {
        for &read in &placed.register.reads {
            let first = self.slot_at(placed.array, 0);
            let expr = self.function.exprs.get(first).clone();
            self.function.exprs.replace(read, expr, placed.ty);
        }
    }

    /// A chain of operations without its operand `read`, so that only one operation remains between
    /// a slot and the next: `x + a - b` becomes `a - b`.
    fn without(&mut self, chain: ExprId, read: ExprId) -> ExprId {
        let Expr::Binary { op, lhs, rhs } = *self.function.exprs.get(chain) else {
            return chain;
        };
        if lhs == read && op == BinaryOp::Sub {
            let ty = self.function.exprs.ty(rhs);
            let ty = self.types.promoted(ty);
            let minus = Expr::Unary {
                op: UnaryOp::Minus,
                operand: rhs,
            };
            return self.function.exprs.add(minus, ty, None);
        }
        if lhs == read {
            return rhs;
        }
        if rhs == read {
            return lhs;
        }
        let exprs = &mut self.function.exprs;
        let is_left = exprs.any(lhs, &mut |node| node == read);
        let (lhs, rhs) = if is_left {
            (self.without(lhs, read), rhs)
        } else {
            (lhs, self.without(rhs, read))
        };
        let exprs = &mut self.function.exprs;
        exprs.binary(self.types, op, lhs, rhs)
    }

    /// `#pragma unroll for (int j = 0; j < count; ++j) ..`
    fn unrolled(&mut self, count: u32, body: impl FnOnce(&mut Self, VarId) -> ExprId) -> Stmt {
        let int = self.types.int();
        let counter = private_variable(self.function, self.counter.clone(), int);
        let body = body(self, counter);
        let start = self.function.exprs.int(self.types, 0);
        let bound = self.function.exprs.int(self.types, i64::from(count));
        let value = self.function.use_var(counter);
        let operand = self.function.use_var(counter);
        let exprs = &mut self.function.exprs;
        let cond = exprs.binary(self.types, BinaryOp::Lt, value, bound);
        let step = Expr::IncDec {
            op: IncDecOp::PreInc,
            operand,
        };
        let step = exprs.add(step, int, None);
        let body = vec![Stmt::new(StmtKind::Expr(body))];
        Stmt::counting((counter, start), (cond, step), body).under("unroll")
    }

    /// A private variable with a name of its own.
    fn variable(&mut self, hint: &str, ty: TypeId) -> VarId {
        let name = self.names.fresh(hint);
        private_variable(self.function, name, ty)
    }

    fn slot(&mut self, array: VarId, counter: VarId) -> ExprId {
        let index = self.function.use_var(counter);
        self.element(array, index)
    }

    fn slot_after(&mut self, array: VarId, counter: VarId) -> ExprId {
        let value = self.function.use_var(counter);
        let one = self.function.exprs.int(self.types, 1);
        let exprs = &mut self.function.exprs;
        let index = exprs.binary(self.types, BinaryOp::Add, value, one);
        self.element(array, index)
    }

    fn slot_at(&mut self, array: VarId, at: u32) -> ExprId {
        let index = self.function.exprs.int(self.types, i64::from(at));
        self.element(array, index)
    }

    fn element(&mut self, array: VarId, index: ExprId) -> ExprId {
        let base = self.function.use_var(array);
        self.function.exprs.index(self.types, base, index)
    }
}

fn comment(register: &Register) -> String {
    let name = &register.name;
    match &register.combine {
        Combine::Add => format!("partial sums of {name}; adding -0.0 to anything changes nothing"),
        other => format!("partial {} of {name}", other.plural()),
    }
}
