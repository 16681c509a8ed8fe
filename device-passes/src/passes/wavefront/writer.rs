//! What waves are written with.

use fpgacc_frontend::ir::{
    BinaryOp, ExprId, FileNames, Function, QualType, Stmt, StmtKind, Type, TypeId, Types, VarId,
};

use super::space::Affine;
use super::wave::Wave;
use crate::around_loop::private_variable;

/// What a wave is written with.
pub struct Writer<'a> {
    pub function: &'a mut Function,
    pub types: &'a mut Types,
    pub taken: &'a FileNames,
    pub wave: &'a Wave,
}

impl Writer<'_> {
    /// A loop over all lanes, unrolled.
    pub fn over_lanes(&mut self, body: impl FnOnce(&mut Self, VarId) -> Vec<Stmt>) -> Stmt {
        let lane = self.counter("lane");
        let body = body(self, lane);
        let bound = self.int(self.wave.lanes);
        self.function
            .count_to(self.types, lane, bound, body)
            .under("unroll")
    }

    pub fn cleared(&mut self, (registers, element): (VarId, TypeId), lane: VarId) -> Stmt {
        let zero = self.int(0);
        let zero = self.function.exprs.converted(self.types, zero, element);
        self.assigned(registers, lane, zero)
    }

    pub fn copied(&mut self, to: VarId, from: VarId, lane: VarId) -> Stmt {
        let from = self.register(from, lane);
        self.assigned(to, lane, from)
    }

    pub fn assigned(&mut self, registers: VarId, lane: VarId, value: ExprId) -> Stmt {
        let register = self.register(registers, lane);
        let assign = self.function.exprs.assign(None, register, value);
        Stmt::new(StmtKind::Expr(assign))
    }

    pub fn register(&mut self, registers: VarId, lane: VarId) -> ExprId {
        let (base, lane) = (
            self.function.use_var(registers),
            self.function.use_var(lane),
        );
        self.function.exprs.index(self.types, base, lane)
    }

    /// A register for each lane.
    pub fn registers(&mut self, name: String, element: TypeId) -> VarId {
        let len = u64::try_from(self.wave.lanes).ok();
        let element = QualType::plain(element);
        let ty = self.types.intern(Type::Array { element, len });
        private_variable(self.function, name, ty)
    }

    pub fn counter(&mut self, name: &str) -> VarId {
        let name = self.function.fresh_name(name, self.taken);
        let ty = self.types.int();
        private_variable(self.function, name, ty)
    }

    pub fn fresh(&mut self, of: VarId, what: &str) -> String {
        let hint = format!("{}_{what}", self.function.vars[of].name);
        self.function.fresh_name(&hint, self.taken)
    }

    pub fn int(&mut self, value: i128) -> ExprId {
        self.function.exprs.int(self.types, value as i64)
    }

    /// All inequalities as a condition; `None`: there are none.
    pub fn all_of(&mut self, all: &[Affine], at: (VarId, VarId)) -> Option<ExprId> {
        let mut conds = Vec::new();
        for one in all {
            conds.push(self.holds(*one, at));
        }
        let both = |x, y| self.function.exprs.binary(self.types, BinaryOp::And, x, y);
        conds.into_iter().reduce(both)
    }

    /// An inequality, with no minus in it.
    pub fn holds(&mut self, one: Affine, at: (VarId, VarId)) -> ExprId {
        let part = |sign: i128| Affine {
            time: (sign * one.time).max(0),
            lane: (sign * one.lane).max(0),
            constant: (sign * one.constant).max(0),
        };
        let more = self.sum(part(1), at);
        let less = self.sum(part(-1), at);
        self.function
            .exprs
            .binary(self.types, BinaryOp::Ge, more, less)
    }

    /// A sum of multiples of step and lane.
    pub fn sum(&mut self, sum: Affine, (step, lane): (VarId, VarId)) -> ExprId {
        let mut out = None;
        let terms = [
            (sum.time, Some(step)),
            (sum.lane, Some(lane)),
            (sum.constant, None),
        ];
        // What is added goes first.
        let (more, less): (Vec<_>, Vec<_>) = terms
            .into_iter()
            .filter(|(by, _)| *by != 0)
            .partition(|(by, _)| *by > 0);
        for (by, var) in more.into_iter().chain(less) {
            let size = match var {
                None => self.int(by.abs()),
                Some(var) => {
                    let value = self.function.use_var(var);
                    self.times(by.abs(), value)
                }
            };
            let (left, op) = match (out, by > 0) {
                (None, true) => {
                    out = Some(size);
                    continue;
                }
                (None, false) => (self.int(0), BinaryOp::Sub),
                (Some(left), true) => (left, BinaryOp::Add),
                (Some(left), false) => (left, BinaryOp::Sub),
            };
            out = Some(self.function.exprs.binary(self.types, op, left, size));
        }
        out.unwrap_or_else(|| self.int(0))
    }

    pub fn times(&mut self, by: i128, value: ExprId) -> ExprId {
        if by == 1 {
            return value;
        }
        let by = self.int(by);
        self.function
            .exprs
            .binary(self.types, BinaryOp::Mul, value, by)
    }
}

/// Puts statements in the place of an assignment.
pub fn put(stmts: &mut Vec<Stmt>, assignment: ExprId, own: &[Stmt]) {
    let is_it = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Expr(id) if id == assignment);
    if let Some(at) = stmts.iter().position(is_it) {
        let span = stmts[at].span;
        let spanned = own.iter().map(|stmt| Stmt::at(stmt.kind.clone(), span));
        stmts.splice(at..=at, spanned.collect::<Vec<_>>());
        return;
    }
    for list in stmts.iter_mut().flat_map(Stmt::lists_mut) {
        put(list, assignment, own);
    }
}
