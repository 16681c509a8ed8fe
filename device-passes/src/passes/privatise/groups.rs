//! Counts of NDRange kernels: each work-group counts in `__local` memory, and adds what it counted to global
//! memory at its end.
//!
//! All work-items clear the counts, meet, count, meet, and add. Those that leave the kernel early in the
//! original skip what follows, but not the end.

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Block, Expr, ExprId, FileNames, Function, FunctionId, Module, QualType,
    Stmt, StmtKind, Type, Types, UnaryOp, VarId, Variable,
};
use fpgacc_kernel_analysis::faults;

use super::early_returns::leaves;
use super::legality::{Atomic, Counts};
use crate::around_loop::{Names, private_variable};

/// Lets the groups of a kernel count in memory of their own.
pub fn apply(module: &mut Module, id: FunctionId, counts: &[Counts], taken: &FileNames) {
    module.functions[id].make_names_unique(taken);
    let names = Names::of(module, id);
    let Module {
        functions, types, ..
    } = module;
    let Some(body) = functions[id].body.take() else {
        return;
    };
    let mut writer = Writer {
        function: &mut functions[id],
        types,
        names,
    };
    // `__local` memory is declared in no inner block.
    let is_local = |stmt: &Stmt| match stmt.kind {
        StmtKind::Decl { var, .. } => writer.function.vars[var].space == AddressSpace::Local,
        _ => false,
    };
    let (mut arrays, stmts): (Vec<Stmt>, Vec<Stmt>) = body.stmts.into_iter().partition(is_local);
    let mut stmts = writer.whole(stmts);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let (item, items) = writer.items(&mut before);
    for counts in counts {
        let array = writer.array(counts);
        arrays.push(Stmt::declare(array));
        for atomic in &counts.atomics {
            writer.count(atomic, array);
        }
        let cleared = writer.clear(array);
        before.push(writer.over(counts.elements, (item, items), cleared));
        let added = writer.merge(array, counts);
        after.push(writer.over(counts.elements, (item, items), added));
    }
    before.push(writer.barrier());
    if !faults::is_on("counts-unmet") {
        after.insert(0, writer.barrier());
    }
    let mut all = arrays;
    all.append(&mut before);
    all.append(&mut stmts);
    all.append(&mut after);
    functions[id].body = Some(Block::of(all));
}

struct Writer<'a> {
    function: &'a mut Function,
    types: &'a mut Types,
    names: Names,
}

impl Writer<'_> {
    /// The kernel's statements, of which none leaves it.
    fn whole(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::new();
        let mut stmts = stmts.into_iter();
        while let Some(stmt) = stmts.next() {
            let Some(cond) = leaves(&stmt) else {
                out.push(stmt);
                continue;
            };
            let rest = self.whole(stmts.collect());
            let StmtKind::If { mut then, .. } = stmt.kind else {
                return out;
            };
            then.stmts.pop();
            let kind = match then.stmts.is_empty() {
                true => StmtKind::If {
                    cond: self.function.exprs.not(self.types, cond),
                    then: Block::of(rest),
                    otherwise: None,
                },
                false => StmtKind::If {
                    cond,
                    then,
                    otherwise: Some(Block::of(rest)),
                },
            };
            out.push(Stmt::at(kind, stmt.span));
            return out;
        }
        out
    }

    fn int(&mut self, name: &str) -> VarId {
        let name = self.names.fresh(name);
        let ty = self.types.int();
        private_variable(self.function, name, ty)
    }

    fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.function.exprs.binary(self.types, op, lhs, rhs)
    }

    fn query(&mut self, name: &str, dim: usize) -> ExprId {
        let ret = self.types.size_t();
        let dim = self.function.exprs.int(self.types, dim as i64);
        self.function.exprs.call_builtin(name, ret, vec![dim])
    }

    /// The number of a work-item in its group, and of the group's work-items.
    fn items(&mut self, stmts: &mut Vec<Stmt>) -> (VarId, VarId) {
        let size = self.function.reqd_work_group_size();
        let dims: Vec<usize> = match size {
            Some(sizes) => (0..3).filter(|d| sizes[*d] > 1).collect(),
            None => (0..3).collect(),
        };
        let (mut number, mut all): (Option<ExprId>, Option<ExprId>) = (None, None);
        for d in dims.into_iter().rev() {
            let (id, size) = (
                self.query("get_local_id", d),
                self.query("get_local_size", d),
            );
            number = Some(match number {
                None => id,
                Some(outer) => {
                    let outer = self.binary(BinaryOp::Mul, outer, size);
                    self.binary(BinaryOp::Add, outer, id)
                }
            });
            let size = self.query("get_local_size", d);
            all = Some(match all {
                None => size,
                Some(all) => self.binary(BinaryOp::Mul, all, size),
            });
        }
        let (item, items) = (self.int("item"), self.int("items"));
        for (var, value, none) in [(item, number, 0), (items, all, 1)] {
            let value = value.unwrap_or_else(|| self.function.exprs.int(self.types, none));
            stmts.push(Stmt::define(var, value));
        }
        (item, items)
    }

    fn array(&mut self, counts: &Counts) -> VarId {
        let base = &self.function.vars[counts.base].name;
        let name = self.names.fresh(&format!("{base}_counts"));
        let element = QualType::plain(counts.ty);
        let len = Some(counts.elements);
        let ty = self.types.intern(Type::Array { element, len });
        self.function
            .vars
            .add(Variable::new(name, ty, AddressSpace::Local))
    }

    /// An atomic goes to the group's array.
    fn count(&mut self, atomic: &Atomic, array: VarId) {
        let index = match atomic.index {
            Some(index) => index,
            None => self.function.exprs.int(self.types, 0),
        };
        let element = self.function.use_var(array);
        let operand = self.function.exprs.index(self.types, element, index);
        let pointer = self.pointer(operand, AddressSpace::Local);
        self.function.exprs.replace_by(atomic.pointer, pointer);
    }

    fn pointer(&mut self, operand: ExprId, space: AddressSpace) -> ExprId {
        let pointee = QualType::plain(self.function.exprs.ty(operand));
        let ty = self.types.intern(Type::Pointer { pointee, space });
        let op = UnaryOp::AddressOf;
        self.function
            .exprs
            .add(Expr::Unary { op, operand }, ty, None)
    }

    fn clear(&mut self, array: VarId) -> (VarId, Stmt) {
        let counter = self.int("element");
        let element = self.element(array, counter);
        let zero = self.function.exprs.int(self.types, 0);
        let clear = self.function.exprs.assign(None, element, zero);
        (counter, Stmt::new(StmtKind::Expr(clear)))
    }

    /// Adds what was counted to memory; where nothing was, memory is not touched.
    fn merge(&mut self, array: VarId, counts: &Counts) -> (VarId, Stmt) {
        let counter = self.int("element");
        let count = self.element(array, counter);
        let zero = self.function.exprs.int(self.types, 0);
        let cond = self.binary(BinaryOp::Ne, count, zero);
        let target = self.element(counts.base, counter);
        let pointer = self.pointer(target, AddressSpace::Global);
        let count = self.element(array, counter);
        let function = match faults::is_on("old-counts-lost") {
            true => "atomic_xchg",
            false => counts.atomics[0].add,
        };
        let exprs = &mut self.function.exprs;
        let add = exprs.call_builtin(function, counts.ty, vec![pointer, count]);
        let body = Stmt::only_if(cond, vec![Stmt::new(StmtKind::Expr(add))]);
        (counter, body)
    }

    fn element(&mut self, array: VarId, counter: VarId) -> ExprId {
        let (array, index) = (self.function.use_var(array), self.function.use_var(counter));
        self.function.exprs.index(self.types, array, index)
    }

    /// A loop over all elements, of which each work-item takes some.
    fn over(
        &mut self,
        elements: u64,
        (item, items): (VarId, VarId),
        (counter, body): (VarId, Stmt),
    ) -> Stmt {
        let start = self.function.use_var(item);
        let at = self.function.use_var(counter);
        let end = self.function.exprs.int(self.types, elements as i64);
        let cond = self.binary(BinaryOp::Lt, at, end);
        let (at, by) = (self.function.use_var(counter), self.function.use_var(items));
        let step = self.function.exprs.assign(Some(BinaryOp::Add), at, by);
        Stmt::counting((counter, start), (cond, step), vec![body])
    }

    fn barrier(&mut self) -> Stmt {
        self.function.exprs.local_barrier(self.types)
    }
}
