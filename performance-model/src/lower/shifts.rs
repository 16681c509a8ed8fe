//! Shift registers: private arrays whose elements fully unrolled loops move on.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{
    AddressSpace, Block, Expr, ExprId, Init, Scalar, Stmt, StmtKind, VarId, VarRef,
};

use super::value::Pointer;
use super::{Lowering, VarKey};

/// A private array whose elements a loop moves on.
#[derive(Clone, Copy, PartialEq)]
struct Moved {
    key: VarKey,
    /// Of one that is in registers.
    bytes: Option<u64>,
}

/// What a loop that only moves elements on does so far.
#[derive(Default)]
struct Moves {
    /// The arrays that it writes.
    arrays: Vec<Moved>,
    /// The variables of an iteration: which array the element in it is of; `None`: an integer that is an index.
    of_iteration: BTreeMap<VarId, Option<Moved>>,
    /// An array has more than one dimension.
    is_deep: bool,
}

impl<'a> Lowering<'a> {
    /// Whether all that a loop does is to move elements of private arrays on, or to set them to constants: fully unrolled, that
    /// makes shift registers of them. Elements may go through variables of an iteration, and so may indices.
    pub(super) fn is_shift(&mut self, body: &'a Block) -> bool {
        let mut moves = Moves::default();
        if !self.only_moves(&body.stmts, &mut moves) || moves.arrays.is_empty() {
            return false;
        }
        // Of several dimensions, the others have to be constants.
        if !moves.is_deep {
            return true;
        }
        let keys = moves.arrays.iter().map(|moved| moved.key);
        let (is_dynamic, ..) = self.analyse(|this| {
            let before = std::mem::take(&mut this.at.dynamic);
            this.block(body);
            let dynamic = std::mem::replace(&mut this.at.dynamic, before);
            let mut keys = keys;
            keys.any(|key| dynamic.contains(&key))
        });
        !is_dynamic
    }

    /// Notes the shift registers that a loop moves on.
    pub(super) fn note_shift(&mut self, body: &Block) {
        let mut moves = Moves::default();
        self.only_moves(&body.stmts, &mut moves);
        for Moved { key, bytes } in moves.arrays {
            if let Some(bytes) = bytes {
                self.known.shifted.insert(key, bytes);
            }
        }
    }

    fn only_moves(&self, stmts: &[Stmt], moves: &mut Moves) -> bool {
        stmts.iter().all(|stmt| match &stmt.kind {
            StmtKind::Block(block) => self.only_moves(&block.stmts, moves),
            StmtKind::Decl {
                var,
                init: Some(Init::Expr(init)),
            } => {
                let of = self.element_of(*init, moves);
                moves.of_iteration.insert(*var, of);
                of.is_some() || self.is_index(*init)
            }
            StmtKind::Expr(expr) => self.moves_element(*expr, moves),
            StmtKind::Pragma(_) | StmtKind::Comment(_) => true,
            _ => false,
        })
    }

    /// Whether an expression moves an element on, sets one to a constant, or does nothing.
    fn moves_element(&self, expr: ExprId, moves: &mut Moves) -> bool {
        let exprs = &self.at.function.exprs;
        let (lhs, rhs) = match exprs.get(expr) {
            Expr::Assign { op: None, lhs, rhs } => (*lhs, *rhs),
            Expr::Cast { operand, .. } => return matches!(exprs.get(*operand), Expr::Var(_)),
            _ => return false,
        };
        let Some(to) = self.moved_on(lhs, moves) else {
            return false;
        };
        moves.arrays.push(to);
        let is_constant = matches!(exprs.get(rhs), Expr::Int { .. } | Expr::Float { .. });
        is_constant || self.element_of(rhs, moves) == Some(to)
    }

    /// The private array that a value is an element of.
    fn element_of(&self, value: ExprId, moves: &mut Moves) -> Option<Moved> {
        match self.at.function.exprs.get(value) {
            Expr::Var(VarRef::Local(var)) => moves.of_iteration.get(var).copied().flatten(),
            _ => self.moved_on(value, moves),
        }
    }

    /// Whether an expression has nothing but integers, which it changes none of.
    fn is_index(&self, expr: ExprId) -> bool {
        let exprs = &self.at.function.exprs;
        let is_integer = |id| {
            self.module
                .types
                .as_scalar(exprs.ty(id))
                .is_some_and(Scalar::is_integer)
        };
        let mut is_index = true;
        exprs.for_each(expr, &mut |id| {
            let is_pure = matches!(
                exprs.get(id),
                Expr::Int { .. }
                    | Expr::Var(_)
                    | Expr::Binary { .. }
                    | Expr::Cast { .. }
                    | Expr::Unary { .. }
            );
            is_index &= is_pure && is_integer(id);
        });
        is_index
    }

    /// The private array that an element is of: one of the function at hand, or one that it was called with.
    fn moved_on(&self, element: ExprId, moves: &mut Moves) -> Option<Moved> {
        let function = self.at.function;
        let mut base = element;
        let mut depth = 0;
        while let Expr::Index { base: of, .. } = function.exprs.get(base) {
            (base, depth) = (*of, depth + 1);
        }
        if depth == 0 {
            return None;
        }
        let Expr::Var(var @ VarRef::Local(local)) = function.exprs.get(base) else {
            return None;
        };
        let variable = &function.vars[*local];
        if self.module.types.as_array(variable.ty.ty).is_some() {
            moves.is_deep |= depth > 1;
            let is_memory = self.at.arrays.contains_key(&(self.frame(), *var));
            let layout = self.module.layout(variable.ty.ty);
            return (variable.space == AddressSpace::Private).then_some(Moved {
                key: (self.function_id(), *var),
                bytes: layout.map(|layout| layout.size).filter(|_| !is_memory),
            });
        }
        if depth > 1 {
            return None;
        }
        match &self.env.get(&self.slot(*var))?.pointer {
            Some(Pointer::Memory(array, offset)) if offset.as_constant() == Some(0) => {
                let key = self.at.array_keys.get(array)?;
                let is_private = self.at.private_arrays.contains(key);
                is_private.then_some(Moved {
                    key: *key,
                    bytes: None,
                })
            }
            Some(Pointer::Slot(slot)) if slot.path.is_empty() => {
                let call = self.at.calls.iter().find(|call| call.frame == slot.frame)?;
                let VarRef::Local(local) = slot.var else {
                    return None;
                };
                let owner = &self.module.functions[call.function];
                let layout = self.module.layout(owner.vars[local].ty.ty);
                Some(Moved {
                    key: (call.function, slot.var),
                    bytes: layout.map(|layout| layout.size),
                })
            }
            _ => None,
        }
    }
}
