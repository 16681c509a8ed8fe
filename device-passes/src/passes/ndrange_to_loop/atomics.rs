//! Atomics on `__local` memory become plain operations: the one work-item that is left is the only one
//! that sees that memory. Those on global memory stay, since other kernels and the host may see it, and
//! so do those in the middle of expressions.

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Callee, Expr, ExprId, IncDecOp, Init, Stmt, StmtKind, TypeId, UnaryOp,
    VarId, VarRef,
};

use crate::passes::ndrange_to_loop::work_items::ids::Target;

/// Replaces the atomics on `__local` memory in `stmts` that are a statement, the value of an assignment
/// to a variable or of a declaration.
pub fn make_plain(target: &mut Target<'_>, stmts: &mut Vec<Stmt>) {
    let mut out = Vec::with_capacity(stmts.len());
    for mut stmt in std::mem::take(stmts) {
        if let Some(plain) = plain(target, &stmt) {
            out.extend(plain);
            continue;
        }
        match &mut stmt.kind {
            // What a `for` starts with is one statement.
            StmtKind::For { body, .. } => make_plain(target, &mut body.stmts),
            _ => {
                for list in stmt.lists_mut() {
                    make_plain(target, list);
                }
            }
        }
        out.push(stmt);
    }
    *stmts = out;
}

/// An atomic operation.
struct Atomic {
    op: Op,
    pointer: ExprId,
    operands: Vec<ExprId>,
    /// The type of what it changes.
    ty: TypeId,
}

#[derive(Clone, Copy)]
enum Op {
    Assign(Option<BinaryOp>),
    Step(IncDecOp),
    Call(&'static str),
    Exchange,
}

fn op_of(name: &str) -> Option<Op> {
    let name = name
        .strip_prefix("atomic_")
        .or_else(|| name.strip_prefix("atom_"))?;
    Some(match name {
        "add" => Op::Assign(Some(BinaryOp::Add)),
        "sub" => Op::Assign(Some(BinaryOp::Sub)),
        "and" => Op::Assign(Some(BinaryOp::BitAnd)),
        "or" => Op::Assign(Some(BinaryOp::BitOr)),
        "xor" => Op::Assign(Some(BinaryOp::BitXor)),
        "xchg" => Op::Assign(None),
        "inc" => Op::Step(IncDecOp::PostInc),
        "dec" => Op::Step(IncDecOp::PostDec),
        "min" => Op::Call("min"),
        "max" => Op::Call("max"),
        "cmpxchg" => Op::Exchange,
        _ => return None,
    })
}

fn plain(target: &mut Target<'_>, stmt: &Stmt) -> Option<Vec<Stmt>> {
    let exprs = &target.function.exprs;
    // What takes the old value, and the call.
    let (call, old) = match &stmt.kind {
        StmtKind::Expr(root) => match exprs.get(*root) {
            Expr::Assign { op: None, lhs, rhs } => match exprs.get(*lhs) {
                Expr::Var(VarRef::Local(var)) => (*rhs, Some(*var)),
                _ => return None,
            },
            Expr::Cast { operand, .. } => (*operand, None),
            _ => (*root, None),
        },
        StmtKind::Decl {
            var,
            init: Some(Init::Expr(value)),
        } => (*value, Some(*var)),
        _ => return None,
    };
    let atomic = atomic(target, call)?;
    if !may_be_plain(target, &atomic, old) {
        return None;
    }
    let mut out = Vec::new();
    if old.is_some() {
        let value = location(target, &atomic);
        let value = target.function.exprs.duplicate(value);
        let mut first = stmt.clone();
        match &mut first.kind {
            StmtKind::Decl { init, .. } => *init = Some(Init::Expr(value)),
            StmtKind::Expr(root) => {
                let exprs = &mut target.function.exprs;
                let ty = exprs.ty(*root);
                if let Expr::Assign { op, lhs, .. } = exprs.get(*root).clone() {
                    let rhs = value;
                    exprs.replace(*root, Expr::Assign { op, lhs, rhs }, ty);
                }
            }
            _ => return None,
        }
        out.push(first);
    }
    let mut second = change(target, &atomic);
    second.span = stmt.span;
    out.push(second);
    Some(out)
}

/// The atomic on `__local` memory that an expression is.
fn atomic(target: &Target<'_>, call: ExprId) -> Option<Atomic> {
    let exprs = &target.function.exprs;
    let Expr::Call {
        callee: Callee::Builtin(name),
        args,
    } = exprs.get(call)
    else {
        return None;
    };
    let op = op_of(name)?;
    let (&pointer, operands) = args.split_first()?;
    let (types, given) = (&target.types, exprs.ty(pointer));
    let ty = match (types.as_pointer(given), exprs.get(pointer)) {
        (Some((pointee, AddressSpace::Local)), _) => pointee.ty,
        (None, Expr::Var(VarRef::Local(var))) => {
            let (element, _) = types.as_array(given)?;
            let in_local = target.function.vars[*var].space == AddressSpace::Local;
            in_local.then_some(element.ty)?
        }
        _ => return None,
    };
    types.as_scalar(ty)?;
    let count = match op {
        Op::Step(_) => 0,
        Op::Exchange => 2,
        Op::Assign(_) | Op::Call(_) => 1,
    };
    (operands.len() == count).then_some(())?;
    Some(Atomic {
        op,
        pointer,
        operands: operands.to_vec(),
        ty,
    })
}

/// Whether nothing changes between what an atomic evaluates and does. The old value goes to `old`.
fn may_be_plain(target: &Target<'_>, atomic: &Atomic, old: Option<VarId>) -> bool {
    let exprs = &target.function.exprs;
    let names_place_twice = old.is_some() || matches!(atomic.op, Op::Call(_) | Op::Exchange);
    if names_place_twice && exprs.has_effects(atomic.pointer) {
        return false;
    }
    let mut all = atomic.operands.iter().chain([&atomic.pointer]);
    let uses_old = old.is_some_and(|var| all.any(|id| exprs.uses(*id, VarRef::Local(var))));
    !uses_old && !atomic.operands.iter().any(|id| exprs.has_effects(*id))
}

/// What the pointer of an atomic points to.
fn location(target: &mut Target<'_>, atomic: &Atomic) -> ExprId {
    let exprs = &mut target.function.exprs;
    let is_address =
        |ty| target.types.as_pointer(ty).is_some() || target.types.as_array(ty).is_some();
    match exprs.get(atomic.pointer).clone() {
        Expr::Unary {
            op: UnaryOp::AddressOf,
            operand,
        } => operand,
        Expr::Binary {
            op: BinaryOp::Add,
            lhs,
            rhs,
        } if is_address(exprs.ty(lhs)) => exprs.index(target.types, lhs, rhs),
        _ => {
            let op = UnaryOp::Deref;
            let operand = atomic.pointer;
            exprs.add(Expr::Unary { op, operand }, atomic.ty, None)
        }
    }
}

/// A value converted as the atomic converts its arguments.
fn converted(target: &mut Target<'_>, value: ExprId, ty: TypeId) -> ExprId {
    let exprs = &mut target.function.exprs;
    match target.types.resolve(exprs.ty(value)) == target.types.resolve(ty) {
        true => value,
        false => exprs.cast(ty, value),
    }
}

/// The statement that changes the location.
fn change(target: &mut Target<'_>, atomic: &Atomic) -> Stmt {
    let location = location(target, atomic);
    let ty = atomic.ty;
    let stmt = match (atomic.op, atomic.operands.as_slice()) {
        (Op::Step(op), _) => {
            let exprs = &mut target.function.exprs;
            exprs.add(
                Expr::IncDec {
                    op,
                    operand: location,
                },
                ty,
                None,
            )
        }
        (Op::Assign(op), &[value, ..]) => {
            // Arithmetic of integers modulo a power of two does not care when it is cut off.
            let given = target.function.exprs.ty(value);
            let is_integer = target.types.resolve(given).is_integer();
            let value = match op {
                Some(_) if !is_integer => converted(target, value, ty),
                _ => value,
            };
            target.function.exprs.assign(op, location, value)
        }
        (Op::Call(name), &[value, ..]) => {
            let value = converted(target, value, ty);
            let exprs = &mut target.function.exprs;
            let old = exprs.duplicate(location);
            let new = exprs.call_builtin(name, ty, vec![old, value]);
            exprs.assign(None, location, new)
        }
        (Op::Exchange, &[expected, value, ..]) => {
            let expected = converted(target, expected, ty);
            let old = target.function.exprs.duplicate(location);
            let cond = target.binary(BinaryOp::Eq, old, expected);
            let assign = target.function.exprs.assign(None, location, value);
            return Stmt::only_if(cond, vec![Stmt::new(StmtKind::Expr(assign))]);
        }
        _ => unreachable!("an atomic has its operands, see `atomic`"),
    };
    Stmt::new(StmtKind::Expr(stmt))
}
