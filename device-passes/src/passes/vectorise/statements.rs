//! Statements as all lanes do them together.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    BinaryOp, Block, Callee, Expr, ExprId, IncDecOp, Init, Scalar, Stmt, StmtKind, UnaryOp, VarId,
    VarRef,
};
use fpgacc_kernel_analysis::faults;

use crate::passes::ndrange_to_loop::statements::{branch, count, declaration};
use crate::passes::ndrange_to_loop::survey::{is_barrier, is_fence};
use crate::passes::vectorise::emitter::{Emitter, INSIDE, Lane, Own, map_exprs};
use crate::passes::vectorise::shapes::{Storage, decides, kept};
use crate::passes::vectorise::vectors::signed;

/// Branches of no more statements are computed by all lanes.
const MOST_SPECULATED: usize = 8;

impl Emitter<'_> {
    /// Statements that all lanes come to.
    pub fn list(&mut self, stmts: &[Stmt]) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            self.stmt(stmt, &mut out);
        }
        out
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        match &stmt.kind {
            StmtKind::Decl { var, init } => {
                let kind = self.decl(*var, init.as_ref());
                out.push(Stmt::at(kind, stmt.span));
            }
            StmtKind::Expr(root) => {
                let from = out.len();
                self.expression(*root, out);
                for made in &mut out[from..] {
                    made.span = stmt.span;
                }
            }
            StmtKind::If {
                cond,
                then,
                otherwise,
            } if !self.shapes.is_uniform(*cond) => {
                let otherwise = otherwise.as_ref().map(|block| &block.stmts[..]);
                self.divergent(stmt, *cond, (&then.stmts, otherwise), out);
            }
            StmtKind::Switch { value, .. } if !self.shapes.is_uniform(*value) => {
                let mut made = Vec::new();
                self.one_by_one(std::slice::from_ref(stmt), None, &mut made);
                out.append(&mut made);
            }
            _ => out.push(self.together(stmt)),
        }
    }

    /// Control that is the same for all lanes.
    fn together(&mut self, stmt: &Stmt) -> Stmt {
        if decides(stmt).is_some_and(|cond| !self.shapes.is_uniform(cond)) {
            self.problem("this loop has a non-uniform trip count", stmt.span);
        }
        let mut made = stmt.clone();
        let lists: Vec<Vec<Stmt>> = stmt
            .lists()
            .into_iter()
            .map(|list| self.inner(stmt, list))
            .collect();
        for (slot, list) in made.lists_mut().into_iter().zip(lists) {
            *slot = list;
        }
        // What steps, steps for all lanes.
        let step = match &stmt.kind {
            StmtKind::For {
                step: Some(step), ..
            } => Some(self.step(*step)),
            _ => None,
        };
        if let StmtKind::For { step: slot, .. } = &mut made.kind {
            *slot = None;
        }
        map_exprs(&mut made, &mut |id| self.of_first(id));
        if let StmtKind::For { step: slot, .. } = &mut made.kind {
            *slot = step;
        }
        made
    }

    /// A list in a statement. A `for`'s first expression stays one.
    fn inner(&mut self, stmt: &Stmt, list: &[Stmt]) -> Vec<Stmt> {
        let is_init =
            matches!(&stmt.kind, StmtKind::For { init, .. } if std::ptr::eq(&init[..], list));
        match list {
            [
                Stmt {
                    kind: StmtKind::Expr(root),
                    span,
                },
            ] if is_init => vec![Stmt::at(StmtKind::Expr(self.step(*root)), *span)],
            [_, _, ..] if is_init && list.iter().any(|stmt| self.declares_lanes(stmt)) => {
                self.problem("what a loop declares differs between lanes", stmt.span);
                Vec::new()
            }
            _ => self.list(list),
        }
    }

    fn declares_lanes(&self, stmt: &Stmt) -> bool {
        matches!(stmt.kind, StmtKind::Decl { var, .. } if self.shapes.storage(var) != Storage::Scalar)
    }

    fn decl(&mut self, var: VarId, init: Option<&Init>) -> StmtKind {
        let init = match (self.shapes.storage(var), init) {
            (_, None) => None,
            (Storage::Scalar, Some(init)) => {
                let mut init = init.clone();
                init.map_exprs(&mut |id| self.of_first(id));
                Some(init)
            }
            (Storage::Vector(_), Some(Init::Expr(value))) => {
                let to = self.original(var);
                Some(Init::Expr(self.vector_as(*value, to)))
            }
            (Storage::PerLane, Some(init)) => Some(self.init_of_lanes(init)),
            (Storage::Array | Storage::Vector(_), Some(init)) => {
                let mut init = init.clone();
                let to = self.original(var);
                init.map_exprs(&mut |id| self.vector_as(id, to));
                Some(init)
            }
        };
        StmtKind::Decl { var, init }
    }

    /// The scalars that a variable held.
    fn original(&self, var: VarId) -> Scalar {
        let types = &self.target.types;
        let mut ty = self.originals[var].ty.ty;
        while let Some((element, _)) = types.as_array(ty) {
            ty = element.ty;
        }
        types.as_scalar(ty).unwrap_or(Scalar::Int)
    }

    fn expression(&mut self, root: ExprId, out: &mut Vec<Stmt>) {
        match self.get(root) {
            Expr::Assign { op, lhs, rhs } => self.assignment(root, op, lhs, rhs, out),
            Expr::IncDec { op, operand } => self.increment(root, op, operand, out),
            Expr::Comma { lhs, rhs } => {
                self.expression(lhs, out);
                self.expression(rhs, out);
            }
            Expr::Cast { operand, .. } => self.expression(operand, out),
            Expr::Call {
                callee: Callee::Builtin(name),
                ..
            } if is_barrier(&name) || is_fence(&name) => {
                let made = self.of_first(root);
                out.push(Stmt::new(StmtKind::Expr(made)));
            }
            _ if self.target.function.exprs.has_effects(root) => self.lane_by_lane(root, out),
            // Nobody needs it.
            _ => {}
        }
    }

    /// A statement for each lane.
    fn lane_by_lane(&mut self, root: ExprId, out: &mut Vec<Stmt>) {
        let (lhs, inner) = match self.get(root) {
            Expr::Assign { lhs, rhs, .. } => (Some(lhs), rhs),
            Expr::IncDec { operand, .. } => (Some(operand), operand),
            _ => (None, root),
        };
        if self.assigns(inner) || lhs.is_some_and(|lhs| self.assigns(lhs)) {
            self.problem(INSIDE, self.span(root));
        }
        self.serial += 1;
        for number in 0..self.width {
            let made = self.lane(root, Lane::Of(number), &Own::new());
            out.push(Stmt::new(StmtKind::Expr(made)));
        }
    }

    /// What an lvalue is for lanes.
    fn location(&mut self, lhs: ExprId) -> Lvalue {
        if let Some(var) = self.array_of(lhs) {
            let to = self.original(var);
            return Lvalue::Vector(self.element(lhs, var, Lane::Of(0), &Own::new()), to);
        }
        match self.get(lhs) {
            Expr::Var(VarRef::Local(var)) => match self.shapes.storage(var) {
                Storage::Scalar => Lvalue::One,
                Storage::Vector(_) => {
                    Lvalue::Vector(self.target.function.use_var(var), self.original(var))
                }
                Storage::Array | Storage::PerLane => Lvalue::Lanes,
            },
            _ => match self.contiguous(lhs) {
                Some(address) => Lvalue::Memory(address),
                None if self.is_of_all(lhs) => Lvalue::One,
                None => Lvalue::Lanes,
            },
        }
    }

    /// Whether an lvalue is the same location for all lanes.
    fn is_of_all(&self, lhs: ExprId) -> bool {
        let exprs = &self.target.function.exprs;
        match exprs.get(lhs) {
            Expr::Var(VarRef::Local(var)) => self.shapes.storage(*var) == Storage::Scalar,
            Expr::Var(VarRef::Global(_)) => true,
            _ => self.shapes.is_uniform(lhs),
        }
    }

    fn assignment(
        &mut self,
        root: ExprId,
        op: Option<BinaryOp>,
        lhs: ExprId,
        rhs: ExprId,
        out: &mut Vec<Stmt>,
    ) {
        // `a = b = c;`
        if let Expr::Assign { lhs: inner, .. } = self.get(rhs)
            && !self.target.function.exprs.has_effects(inner)
            && !self.target.function.exprs.has_effects(lhs)
        {
            self.expression(rhs, out);
            self.assignment_of(root, op, lhs, inner, out);
            return;
        }
        self.assignment_of(root, op, lhs, rhs, out);
    }

    fn assignment_of(
        &mut self,
        root: ExprId,
        op: Option<BinaryOp>,
        lhs: ExprId,
        rhs: ExprId,
        out: &mut Vec<Stmt>,
    ) {
        let location = self.location(lhs);
        let is_same = matches!(self.get(root), Expr::Assign { rhs: own, .. } if own == rhs);
        let value_is_uniform = self.shapes.is_uniform(rhs);
        let is_number = self.scalar(lhs).is_some() && self.scalar(rhs).is_some();
        let differs =
            matches!(location, Lvalue::One) && self.is_in_memory(lhs) && !value_is_uniform;
        match location {
            Lvalue::One if !differs => {
                let made = self.assign_first(op, lhs, rhs, root);
                out.push(Stmt::new(StmtKind::Expr(made)));
            }
            Lvalue::Vector(location, to) if is_number => {
                self.check_plain(root, lhs, rhs);
                let value = self.value(op, (location, to), rhs);
                let target = self.target.function.exprs.duplicate(location);
                let made = self.target.function.exprs.assign(None, target, value);
                out.push(Stmt::new(StmtKind::Expr(made)));
            }
            Lvalue::Memory(address) if is_number => {
                self.check_plain(root, lhs, rhs);
                let Some(to) = self.scalar(lhs) else { return };
                let value = match op {
                    None => self.vector_as(rhs, to),
                    Some(op) => match self.load(lhs) {
                        Some(held) => self.combined(op, (held, to), rhs),
                        None => return,
                    },
                };
                out.push(self.store(value, address));
            }
            _ if !is_same => self.problem(
                "several assignments stand in one expression",
                self.span(root),
            ),
            _ if is_number && !value_is_uniform && self.computes(rhs) => {
                self.check_plain(root, lhs, rhs);
                self.scatter(op, lhs, rhs, out);
            }
            _ => self.lane_by_lane(root, out),
        }
    }

    fn assign_first(
        &mut self,
        op: Option<BinaryOp>,
        lhs: ExprId,
        rhs: ExprId,
        root: ExprId,
    ) -> ExprId {
        let ty = self.target.function.exprs.ty(root);
        let lhs = self.of_first(lhs);
        let rhs = self.of_first(rhs);
        self.target
            .function
            .exprs
            .add(Expr::Assign { op, lhs, rhs }, ty, None)
    }

    fn check_plain(&mut self, root: ExprId, lhs: ExprId, rhs: ExprId) {
        if self.assigns(lhs) || self.assigns(rhs) {
            self.problem(INSIDE, self.span(root));
        }
        if self.target.function.exprs.has_effects(lhs) {
            self.problem(
                "a location that differs between lanes has effects",
                self.span(root),
            );
        }
    }

    fn is_in_memory(&self, lhs: ExprId) -> bool {
        !matches!(self.target.function.exprs.get(lhs), Expr::Var(VarRef::Local(var))
            if self.originals[*var].space == fpgacc_frontend::ir::AddressSpace::Private)
    }

    /// Whether an expression is more than a location or a constant.
    fn computes(&self, id: ExprId) -> bool {
        let is_call = |name: &str| crate::passes::vectorise::builtins::kind(name).is_some();
        match self.target.function.exprs.get(id) {
            Expr::Binary { .. } | Expr::Unary { .. } | Expr::Cond { .. } => true,
            Expr::Cast { operand, .. } => self.computes(*operand),
            Expr::Call {
                callee: Callee::Builtin(name),
                ..
            } => is_call(name),
            _ => false,
        }
    }

    /// What a vector becomes by an assignment.
    fn value(
        &mut self,
        op: Option<BinaryOp>,
        (location, to): (ExprId, Scalar),
        rhs: ExprId,
    ) -> ExprId {
        match op {
            None => self.vector_as(rhs, to),
            Some(op) => {
                let held = self.target.function.exprs.duplicate(location);
                self.combined(op, (held, to), rhs)
            }
        }
    }

    fn store(&mut self, value: ExprId, address: ExprId) -> Stmt {
        let zero = self.target.int(0);
        let void = self.target.types.intern(fpgacc_frontend::ir::Type::Void);
        let name = format!("vstore{}", self.width);
        let call = self
            .target
            .function
            .exprs
            .call_builtin(&name, void, vec![value, zero, address]);
        self.vectors += 1;
        Stmt::new(StmtKind::Expr(call))
    }

    /// `T4 v = ..; a[..] = v.s0; a[..] = v.s1; ..`
    fn scatter(&mut self, op: Option<BinaryOp>, lhs: ExprId, rhs: ExprId, out: &mut Vec<Stmt>) {
        let Some(scalar) = self.scalar(rhs) else {
            return;
        };
        let ty = self.vector_type(kept(scalar));
        let value = self.vector(rhs);
        let held = self
            .target
            .function
            .add_var("values", ty, self.target.taken);
        let mut stmts = vec![declaration(held, Some(value))];
        self.serial += 1;
        for number in 0..self.width {
            let location = self.lane(lhs, Lane::Of(number), &Own::new());
            let held = self.target.function.use_var(held);
            let value = self.component(held, Lane::Of(number));
            let made = self.target.function.exprs.assign(op, location, value);
            stmts.push(Stmt::new(StmtKind::Expr(made)));
        }
        out.push(Stmt::new(StmtKind::Block(Block::of(stmts))));
    }

    fn increment(&mut self, root: ExprId, op: IncDecOp, operand: ExprId, out: &mut Vec<Stmt>) {
        let location = self.location(operand);
        let op = match op {
            IncDecOp::PreInc | IncDecOp::PostInc => BinaryOp::Add,
            IncDecOp::PreDec | IncDecOp::PostDec => BinaryOp::Sub,
        };
        match (location, self.scalar(operand)) {
            (Lvalue::One, _) => {
                let made = self.of_first(root);
                out.push(Stmt::new(StmtKind::Expr(made)));
            }
            (Lvalue::Vector(location, to), Some(_)) if to != Scalar::Bool => {
                let value = self.stepped(op, location, to);
                let target = self.target.function.exprs.duplicate(location);
                let made = self.target.function.exprs.assign(None, target, value);
                out.push(Stmt::new(StmtKind::Expr(made)));
            }
            (Lvalue::Memory(address), Some(to)) if to != Scalar::Bool => {
                if let Some(held) = self.load(operand) {
                    let value = self.stepped(op, held, to);
                    out.push(self.store(value, address));
                }
            }
            _ => self.lane_by_lane(root, out),
        }
    }

    /// `v + 1`
    fn stepped(&mut self, op: BinaryOp, held: ExprId, to: Scalar) -> ExprId {
        let held = self.target.function.exprs.duplicate(held);
        let one = self.target.int(1);
        let one = self.splat(one, to);
        self.vectors += 1;
        self.target.binary(op, held, one)
    }

    /// A `for`'s step.
    fn step(&mut self, id: ExprId) -> ExprId {
        if let Expr::Comma { lhs, rhs } = self.get(id) {
            let lhs = self.step(lhs);
            let rhs = self.step(rhs);
            let ty = self.target.function.exprs.ty(rhs);
            return self
                .target
                .function
                .exprs
                .add(Expr::Comma { lhs, rhs }, ty, None);
        }
        let mut made = Vec::new();
        self.expression(id, &mut made);
        match (made.pop().map(|stmt| stmt.kind), made.is_empty()) {
            (Some(StmtKind::Expr(made)), true) => made,
            (None, _) => self.of_first(id),
            _ => {
                self.problem("what a loop steps by differs between lanes", self.span(id));
                self.of_first(id)
            }
        }
    }

    /// A branch that only some lanes may take.
    fn divergent(
        &mut self,
        stmt: &Stmt,
        cond: ExprId,
        (then, otherwise): (&[Stmt], Option<&[Stmt]>),
        out: &mut Vec<Stmt>,
    ) {
        if self.assigns(cond) {
            self.problem(
                "an assignment stands in a condition that differs between lanes",
                stmt.span,
            );
            return;
        }
        let other = otherwise.unwrap_or(&[]);
        if self.scalar(cond).is_some() && self.is_selectable(then) && self.is_selectable(other) {
            self.selects(stmt, cond, then, other, out);
            return;
        }
        self.check_calls(std::slice::from_ref(stmt));
        let all = self.holds_for_all(cond);
        let vectors = self.list(then);
        let mut rest = Vec::new();
        self.one_by_one(std::slice::from_ref(stmt), stmt.span, &mut rest);
        let mut made = branch(all, vectors, Some(rest));
        made.span = stmt.span;
        out.push(made);
    }

    /// `for (int lane = 0; lane < 4; lane++) { .. }`
    fn one_by_one(
        &mut self,
        stmts: &[Stmt],
        span: Option<fpgacc_frontend::source::Span>,
        out: &mut Vec<Stmt>,
    ) {
        self.check_calls(stmts);
        self.serial += 1;
        let var = self.target.int_var("lane");
        let body = self.lane_list(stmts, Lane::At(var), &mut Own::new(), false);
        let lanes = match faults::is_on("vector-lane-lost") {
            true => self.width - 1,
            false => self.width,
        };
        let bound = self.target.int(i64::from(lanes));
        let mut made = count(&mut self.target, var, bound, body);
        made.span = span;
        out.push(made);
    }

    /// Whether all lanes may compute what a branch does, and those that take it keep it.
    fn is_selectable(&self, stmts: &[Stmt]) -> bool {
        let mut own = BTreeSet::new();
        let mut is_plain = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Decl { var, init } => {
                own.insert(*var);
                let is_kept = matches!(
                    self.shapes.storage(*var),
                    Storage::Scalar | Storage::Vector(_)
                );
                let is_scalar = self
                    .target
                    .types
                    .as_scalar(self.originals[*var].ty.ty)
                    .is_some();
                let is_plain = match init {
                    None => true,
                    Some(Init::Expr(value)) => self.is_speculable(*value),
                    Some(Init::List(_)) => false,
                };
                is_kept && is_scalar && is_plain
            }
            StmtKind::Expr(root) => {
                let exprs = &self.target.function.exprs;
                let (lhs, is_plain) = match exprs.get(*root) {
                    Expr::Assign { lhs, rhs, op } => {
                        let divides = matches!(op, Some(BinaryOp::Div | BinaryOp::Rem))
                            && self.scalar(*lhs).is_none_or(Scalar::is_integer);
                        (
                            *lhs,
                            self.is_speculable(*rhs) && self.scalar(*rhs).is_some() && !divides,
                        )
                    }
                    Expr::IncDec { operand, .. } => {
                        (*operand, self.scalar(*operand) != Some(Scalar::Bool))
                    }
                    _ => return false,
                };
                let Expr::Var(VarRef::Local(var)) = exprs.get(lhs) else {
                    return false;
                };
                let is_kept = match self.shapes.storage(*var) {
                    Storage::Vector(_) => true,
                    Storage::Scalar => own.contains(var),
                    Storage::Array | Storage::PerLane => false,
                };
                is_kept && is_plain
            }
            StmtKind::Comment(_) | StmtKind::Pragma(_) => true,
            _ => false,
        };
        stmts.len() <= MOST_SPECULATED && stmts.iter().all(&mut is_plain)
    }

    /// `int4 mask = ..; x = mask ? .. : x; ..`
    fn selects(
        &mut self,
        stmt: &Stmt,
        cond: ExprId,
        then: &[Stmt],
        otherwise: &[Stmt],
        out: &mut Vec<Stmt>,
    ) {
        let (value, elements) = self.mask(cond);
        let ty = self.vector_type(elements);
        let mask = self.target.function.add_var("mask", ty, self.target.taken);
        let mut made = vec![declaration(mask, Some(value))];
        for (list, holds) in [(then, true), (otherwise, false)] {
            let mut own = BTreeSet::new();
            let mut inner = Vec::new();
            for stmt in list {
                let from = inner.len();
                self.stmt(stmt, &mut inner);
                if let StmtKind::Decl { var, .. } = stmt.kind {
                    own.insert(var);
                }
                for stmt in &mut inner[from..] {
                    self.keep_where(stmt, (mask, holds), &own);
                }
            }
            if !inner.is_empty() {
                made.push(Stmt::new(StmtKind::Block(Block::of(inner))));
            }
        }
        out.push(Stmt::at(StmtKind::Block(Block::of(made)), stmt.span));
    }

    /// Makes `x = v` of vectors `x = mask ? v : x`.
    fn keep_where(&mut self, stmt: &mut Stmt, (mask, holds): (VarId, bool), own: &BTreeSet<VarId>) {
        let StmtKind::Expr(root) = stmt.kind else {
            return;
        };
        let Expr::Assign { lhs, rhs, .. } = self.get(root) else {
            return;
        };
        let Expr::Var(VarRef::Local(var)) = self.get(lhs) else {
            return;
        };
        let Storage::Vector(to) = self.shapes.storage(var) else {
            return;
        };
        if own.contains(&var) {
            return;
        }
        let mask = self.target.function.use_var(mask);
        let mask = self.converted_to(mask, signed(to));
        let old = self.target.function.use_var(var);
        let (yes, no) = match holds != faults::is_on("vector-select-swapped") {
            true => (rhs, old),
            false => (old, rhs),
        };
        let value = self.select(mask, yes, no);
        let target = self.target.function.use_var(var);
        let made = self.target.function.exprs.assign(None, target, value);
        stmt.kind = StmtKind::Expr(made);
    }

    /// `!cond`, by the rules of logic where that is exact.
    pub fn negated(
        target: &mut crate::passes::ndrange_to_loop::work_items::ids::Target<'_>,
        cond: ExprId,
    ) -> ExprId {
        let exprs = &target.function.exprs;
        let ints = |id: ExprId| {
            let scalar = target.types.as_scalar(exprs.ty(id));
            scalar.is_some_and(Scalar::is_integer)
        };
        match exprs.get(cond).clone() {
            Expr::Binary { op, lhs, rhs } if op.is_comparison() && ints(lhs) && ints(rhs) => {
                target.binary(op.negated().unwrap_or(op), lhs, rhs)
            }
            Expr::Binary {
                op: op @ (BinaryOp::And | BinaryOp::Or),
                lhs,
                rhs,
            } => {
                let (left, right) = (Self::negated(target, lhs), Self::negated(target, rhs));
                let op = match op {
                    BinaryOp::And => BinaryOp::Or,
                    _ => BinaryOp::And,
                };
                target.binary(op, left, right)
            }
            Expr::Unary {
                op: UnaryOp::Not,
                operand,
            } => operand,
            _ => target.not(cond),
        }
    }
}

/// What an lvalue is for lanes.
enum Lvalue {
    /// One location for all.
    One,
    /// A vector of these scalars.
    Vector(ExprId, Scalar),
    /// Neighbouring elements of memory, from this address on.
    Memory(ExprId),
    /// A location for each lane.
    Lanes,
}
