//! The reads of `__global` memory in a kernel: which elements they read, and when.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Block, Expr, ExprId, Init, Qualifiers, Scalar, Stmt, StmtKind, TypeId,
    UnaryOp, VarId, VarRef,
};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use fpgacc_kernel_analysis::trip_count::counting;

use super::terms::{Counter, Modulo, Terms, Value};

/// Something that must hold where a read stands.
#[derive(Clone, Debug)]
pub enum Atom {
    /// The same for all work-items of a group.
    Uniform {
        /// The condition.
        cond: ExprId,
        /// What it must be.
        want: bool,
    },
    /// A number that differs is compared with one that does not.
    Compare {
        /// How.
        op: BinaryOp,
        /// The number on the left.
        side: Value,
        /// Its type there.
        ty: TypeId,
        /// The uniform number on the right.
        other: ExprId,
        /// Both become signed numbers, or the left one is no negative one.
        keeps_order: bool,
    },
}

/// A read of an element of a buffer.
pub struct Read {
    /// The element: an index, or what a pointer points to.
    pub at: ExprId,
    /// The parameter.
    pub param: VarId,
    /// Which element.
    pub index: Poly,
    /// The index is one of 64 bits.
    pub is_wide: bool,
    /// The index's type.
    pub index_ty: TypeId,
    /// The element's type.
    pub element: TypeId,
    /// What holds where it is made; `None`: it is not known when it is.
    pub atoms: Option<Vec<Atom>>,
    /// The loops around it.
    pub scope: Vec<Counter>,
    /// The loop around it that is cut into strips, by its number among all loops.
    pub strip: Option<usize>,
}

/// A loop that can be cut into strips.
#[derive(Clone, Copy, Debug)]
pub struct Strip {
    /// Its number among all loops.
    pub number: usize,
    /// What counts.
    pub counter: VarId,
    /// Where it starts.
    pub start: ExprId,
    /// It counts while it is less than this.
    pub end: ExprId,
    /// The loop declares the counter.
    pub is_own: bool,
    /// All strips are as long as the first.
    pub is_even: bool,
}

/// Finds reads.
pub struct Walk<'t, 'a> {
    /// The kernel's integers.
    pub terms: &'t mut Terms<'a>,
    /// What was found.
    pub reads: Vec<Read>,
    /// Loops that are cut into strips.
    pub strips: Vec<Strip>,
    /// How long strips are; `None`: loops stay whole.
    strip_length: Option<u64>,
    atoms: Vec<Option<Atom>>,
    strip: Option<usize>,
    /// Loops that were met.
    seen: usize,
}

impl<'t, 'a> Walk<'t, 'a> {
    /// Through the whole kernel.
    pub fn through(terms: &'t mut Terms<'a>, body: &Block, strip_length: Option<u64>) -> Self {
        let mut walk = Walk {
            terms,
            reads: Vec::new(),
            strips: Vec::new(),
            strip_length,
            atoms: Vec::new(),
            strip: None,
            seen: 0,
        };
        walk.list(&body.stmts, true);
        walk
    }

    /// Walks through statements; whether control may leave them other than at their end. `is_open`: a loop here
    /// may be cut into strips.
    fn list(&mut self, stmts: &[Stmt], is_open: bool) -> bool {
        let held = self.atoms.len();
        let mut escapes = false;
        for stmt in stmts {
            if !self.stmt(stmt, is_open) {
                continue;
            }
            escapes = true;
            match guard(stmt) {
                Some(cond) => self.require(cond, false),
                None => self.atoms.push(None),
            }
        }
        self.atoms.truncate(held);
        escapes
    }

    fn stmt(&mut self, stmt: &Stmt, is_open: bool) -> bool {
        match &stmt.kind {
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                self.expr(*cond);
                let held = self.atoms.len();
                self.require(*cond, true);
                let is_plain = is_open && otherwise.is_none();
                let mut escapes = self.list(&then.stmts, is_plain);
                self.atoms.truncate(held);
                if let Some(otherwise) = otherwise {
                    self.require(*cond, false);
                    escapes |= self.list(&otherwise.stmts, false);
                    self.atoms.truncate(held);
                }
                escapes
            }
            StmtKind::Block(block) => self.list(&block.stmts, is_open),
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
                self.any_loop(stmt, is_open)
            }
            StmtKind::Switch { value, arms } => {
                self.expr(*value);
                self.atoms.push(None);
                let mut escapes = false;
                for arm in arms {
                    escapes |= self.list(&arm.body, false);
                }
                self.atoms.pop();
                escapes
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => true,
            _ => {
                for root in stmt.exprs() {
                    self.expr(root);
                }
                false
            }
        }
    }

    fn any_loop(&mut self, stmt: &Stmt, is_open: bool) -> bool {
        let number = self.seen;
        self.seen += 1;
        let (init, body) = match &stmt.kind {
            StmtKind::For { init, body, .. } => (init.as_slice(), body),
            StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } => (&[][..], body),
            _ => return false,
        };
        self.list(init, false);
        let held = self.atoms.len();
        let leaves = body
            .stmts
            .iter()
            .any(|stmt| loops::leaves(stmt, true, false));
        if leaves {
            self.atoms.push(None);
        }
        let is_strip = is_open && !leaves && self.enter_strip(number, stmt, body);
        let is_counter = is_strip || self.enter_counter(number, stmt, body);
        if !is_counter {
            self.atoms.push(None);
        }
        for root in stmt.exprs() {
            // Conditions and steps run once more, or once less, than the body.
            self.atoms.push(None);
            self.expr(root);
            self.atoms.pop();
        }
        self.list(&body.stmts, false);
        if is_counter {
            self.terms.scope.pop();
        }
        if is_strip {
            self.strip = None;
        }
        self.atoms.truncate(held);
        body.stmts.iter().any(loops::returns)
    }

    /// A loop that counts one by one from a constant to a constant.
    fn enter_counter(&mut self, number: usize, stmt: &Stmt, body: &Block) -> bool {
        let Some(counting) = counting(&self.terms.constants, stmt) else {
            return false;
        };
        let last = counting.start + counting.by * (i128::from(counting.trips) - 1);
        if counting.by.abs() != 1 || counting.trips == 0 {
            return false;
        }
        self.terms.scope.push(Counter {
            var: counting.counter,
            number,
            range: (counting.start.min(last), counting.start.max(last)),
            is_strip: false,
            declared: declared(stmt, body),
        });
        true
    }

    /// A loop over `for (k = start; k < end; k++)` that all work-items of a group can go through together.
    fn enter_strip(&mut self, number: usize, stmt: &Stmt, body: &Block) -> bool {
        let Some(length) = self.strip_length else {
            return false;
        };
        let Some(strip) = self.strip_of(number, stmt, body, length) else {
            return false;
        };
        self.terms.scope.push(Counter {
            var: strip.counter,
            number,
            range: (0, i128::from(length) - 1),
            is_strip: true,
            declared: declared(stmt, body),
        });
        self.strips.push(strip);
        self.strip = Some(number);
        if !strip.is_even {
            let at = Poly::sym(Sym::Iter(number)).plus(&self.terms.first_of_strip(), 1);
            self.atoms.push(Some(Atom::Compare {
                op: BinaryOp::Lt,
                side: Value::of_strip(at),
                ty: self.terms.long(),
                other: strip.end,
                keeps_order: true,
            }));
        }
        true
    }

    fn strip_of(&self, number: usize, stmt: &Stmt, body: &Block, length: u64) -> Option<Strip> {
        let StmtKind::For {
            init,
            cond: Some(cond),
            step: Some(step),
            hints,
            ..
        } = &stmt.kind
        else {
            return None;
        };
        let terms = &self.terms;
        let exprs = &terms.function.exprs;
        let [only] = init.as_slice() else { return None };
        let (counter, start, is_own) = match only.kind {
            StmtKind::Decl {
                var,
                init: Some(Init::Expr(value)),
            } => (var, value, true),
            StmtKind::Expr(root) => match *exprs.get(root) {
                Expr::Assign { op: None, lhs, rhs } => (variable(exprs.get(lhs))?, rhs, false),
                _ => return None,
            },
            _ => return None,
        };
        let Expr::Binary {
            op: BinaryOp::Lt,
            lhs,
            rhs: end,
        } = *exprs.get(*cond)
        else {
            return None;
        };
        let counts = variable(exprs.get(lhs)) == Some(counter)
            && terms.constants.one_by_one(*step, counter)
            && terms.constants.stays_in(counter, &body.stmts);
        let is_plain = hints.pragmas.is_empty() && hints.attrs.is_empty();
        let are_uniform = terms.is_uniform(start, 12) && terms.is_uniform(end, 12);
        if !counts || !is_plain || !are_uniform || synchronises(terms, body) {
            return None;
        }
        let [of_counter, of_end] = [lhs, end].map(|id| terms.scalar(id));
        let (of_counter, of_end) = (of_counter?, of_end?);
        let first = terms.constants.value(start);
        let is_natural = !of_counter.is_signed_integer() || first.is_some_and(|first| first >= 0);
        let are_signed = of_counter.is_signed_integer() && of_end.is_signed_integer();
        let are_short = of_counter.size() == 4 && of_end.size() == 4;
        let fits = are_signed && of_counter.size() >= 4
            || are_short && is_natural && !of_end.is_signed_integer();
        // What is counted in comes from the start unchanged.
        let same = terms.scalar(start) == Some(of_counter) || first.is_some();
        (fits && same).then_some(())?;
        let trips = counting(&terms.constants, stmt).map(|counting| counting.trips);
        Some(Strip {
            number,
            counter,
            start,
            end,
            is_own,
            is_even: trips.is_some_and(|trips| trips.is_multiple_of(length)),
        })
    }

    /// From here on a condition holds, or does not.
    fn require(&mut self, cond: ExprId, want: bool) {
        if self.terms.is_uniform(cond, 12) {
            self.atoms.push(Some(Atom::Uniform { cond, want }));
            return;
        }
        match *self.terms.function.exprs.get(cond) {
            Expr::Binary { op, lhs, rhs }
                if matches!(op, BinaryOp::And | BinaryOp::Or) && (op == BinaryOp::And) == want =>
            {
                self.require(lhs, want);
                self.require(rhs, want);
            }
            Expr::Unary {
                op: UnaryOp::Not,
                operand,
            } => self.require(operand, !want),
            Expr::Cast { operand, ty } if self.is_bool(ty.ty) => self.require(operand, want),
            Expr::Var(VarRef::Local(var)) => {
                let value = self.terms.constants.initialiser(var);
                match value.filter(|_| self.terms.scope.is_empty()) {
                    Some(value) => self.require(value, want),
                    None => self.atoms.push(None),
                }
            }
            Expr::Binary { op, lhs, rhs } if op.is_comparison() => {
                let atom = self.comparison(op, lhs, rhs, want);
                self.atoms.push(atom);
            }
            _ => self.atoms.push(None),
        }
    }

    fn is_bool(&self, ty: TypeId) -> bool {
        self.terms.module.types.as_scalar(ty) == Some(Scalar::Bool)
    }

    fn comparison(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId, want: bool) -> Option<Atom> {
        let op = if want { op } else { op.negated()? };
        let (op, left, other) = match self.terms.is_uniform(rhs, 12) {
            true => (op, lhs, rhs),
            false if self.terms.is_uniform(lhs, 12) => (op.mirrored(), rhs, lhs),
            false => return None,
        };
        let (own, beside) = (self.terms.scalar(left)?, self.terms.scalar(other)?);
        let side = self.terms.value(left)?;
        if own.size() < 4 {
            return None;
        }
        let common = own.max(beside).max(Scalar::Int);
        Some(Atom::Compare {
            op,
            keeps_order: side.modulo == Modulo::Exact
                && (side.natural || common.is_signed_integer()),
            side,
            ty: self.terms.function.exprs.ty(left),
            other,
        })
    }

    fn expr(&mut self, id: ExprId) {
        let exprs = &self.terms.function.exprs;
        let held = self.atoms.len();
        match *exprs.get(id) {
            Expr::SizeOf(_) => {}
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => {
                self.expr(cond);
                for (arm, want) in [(then, true), (otherwise, false)] {
                    self.require(cond, want);
                    self.expr(arm);
                    self.atoms.truncate(held);
                }
            }
            Expr::Binary {
                op: op @ (BinaryOp::And | BinaryOp::Or),
                lhs,
                rhs,
            } => {
                self.expr(lhs);
                self.require(lhs, op == BinaryOp::And);
                self.expr(rhs);
                self.atoms.truncate(held);
            }
            // An address only.
            Expr::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => self.below(operand),
            Expr::Assign { lhs, rhs, .. } => {
                self.below(lhs);
                self.expr(rhs);
            }
            Expr::IncDec { operand, .. } => self.below(operand),
            _ => {
                self.read(id);
                self.below(id);
            }
        }
    }

    fn below(&mut self, id: ExprId) {
        for child in self.terms.function.exprs.children(id) {
            self.expr(child);
        }
    }

    fn read(&mut self, id: ExprId) {
        let Some(found) = self.location(id) else {
            return;
        };
        let (param, value, index_ty) = found;
        let element = self.terms.function.exprs.ty(id);
        let types = &self.terms.module.types;
        let is_value = types.component(element).is_some();
        let is_wide = types
            .as_scalar(index_ty)
            .is_some_and(|scalar| scalar.size() == 8);
        if !is_value || is_wide && value.modulo == Modulo::Word {
            return;
        }
        self.reads.push(Read {
            at: id,
            param,
            index: value.poly,
            is_wide,
            index_ty,
            element,
            atoms: self.atoms.iter().cloned().collect(),
            scope: self.terms.scope.clone(),
            strip: self.strip,
        });
    }

    /// The parameter, the element and the type of its index.
    fn location(&mut self, id: ExprId) -> Option<(VarId, Value, TypeId)> {
        match *self.terms.function.exprs.get(id) {
            Expr::Index { base, index } => {
                if let Some(param) = self.buffer(base) {
                    let scalar = self.terms.scalar(index)?;
                    let value = self.terms.value(index)?;
                    let ty = match scalar.size() {
                        4 | 8 => self.terms.function.exprs.ty(index),
                        _ => self.terms.int(),
                    };
                    return Some((param, value, ty));
                }
                let (param, value) = self.pointer(base, 4)?;
                let value = self.terms.offset(value, index, BinaryOp::Add)?;
                Some((param, value, self.terms.long()))
            }
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => {
                let (param, value) = self.pointer(operand, 4)?;
                Some((param, value, self.terms.long()))
            }
            _ => None,
        }
    }

    /// A `__global` parameter that stays what it is.
    fn buffer(&self, id: ExprId) -> Option<VarId> {
        let function = self.terms.function;
        let var = variable(function.exprs.get(id))?;
        let (to, space) = self
            .terms
            .module
            .types
            .as_pointer(function.vars[var].ty.ty)?;
        let body = function.body.as_ref()?;
        let is_one = function.params.contains(&var)
            && space == AddressSpace::Global
            && !to.quals.contains(Qualifiers::VOLATILE)
            && self.terms.constants.stays_in(var, &body.stmts);
        is_one.then_some(var)
    }

    /// The parameter that a pointer points into, and how far.
    fn pointer(&mut self, id: ExprId, depth: u32) -> Option<(VarId, Value)> {
        if let Some(param) = self.buffer(id) {
            return Some((param, self.terms.none()));
        }
        let depth = depth.checked_sub(1)?;
        match *self.terms.function.exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => {
                let to = self.terms.constants.initialiser(var)?;
                let types = &self.terms.module.types;
                let function = self.terms.function;
                let pointee = |ty| types.as_pointer(ty).map(|(to, _)| types.resolve(to.ty));
                let is_same = pointee(function.vars[var].ty.ty) == pointee(function.exprs.ty(to));
                is_same.then_some(())?;
                let (param, value) = self.pointer(to, depth)?;
                self.terms.is_current(&value, var).then_some((param, value))
            }
            Expr::Binary {
                op: op @ (BinaryOp::Add | BinaryOp::Sub),
                lhs,
                rhs,
            } => {
                let (param, value) = self.pointer(lhs, depth)?;
                Some((param, self.terms.offset(value, rhs, op)?))
            }
            Expr::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => match *self.terms.function.exprs.get(operand) {
                Expr::Index { base, index } => {
                    let (param, value) = self.pointer(base, depth)?;
                    Some((param, self.terms.offset(value, index, BinaryOp::Add)?))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// The condition of `if (cond) { ..; return; }`: what follows runs where it does not hold.
pub fn guard(stmt: &Stmt) -> Option<ExprId> {
    let StmtKind::If {
        cond,
        then,
        otherwise: None,
    } = &stmt.kind
    else {
        return None;
    };
    let (last, before) = then.stmts.split_last()?;
    let jumps = matches!(last.kind, StmtKind::Return(_) | StmtKind::Continue);
    let is_plain = !before.iter().any(|stmt| loops::leaves(stmt, true, true));
    (jumps && is_plain).then_some(*cond)
}

fn synchronises(terms: &Terms<'_>, body: &Block) -> bool {
    let exprs = &terms.function.exprs;
    let mut found = false;
    body.for_each_expr(exprs, &mut |id| {
        if let Expr::Call {
            callee: fpgacc_frontend::ir::Callee::Builtin(name),
            ..
        } = exprs.get(id)
        {
            found |= name.contains("barrier") || name.contains("_group_");
        }
    });
    found
}

/// All that a loop declares.
fn declared(stmt: &Stmt, body: &Block) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    let mut note = |stmt: &Stmt| {
        if let StmtKind::Decl { var, .. } = stmt.kind {
            found.insert(var);
        }
    };
    if let StmtKind::For { init, .. } = &stmt.kind {
        init.iter().for_each(&mut note);
    }
    body.for_each_stmt(&mut note);
    found
}

/// A variable that is all of an expression.
pub fn variable(expr: &Expr) -> Option<VarId> {
    match expr {
        Expr::Var(VarRef::Local(var)) => Some(*var),
        _ => None,
    }
}
