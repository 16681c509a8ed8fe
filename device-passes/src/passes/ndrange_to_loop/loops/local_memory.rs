//! `__local` memory of a group becomes arrays inside the loop over groups, so that one group does not
//! wait for the memory of the one before.
//!
//! OpenCL allows `__local` variables at the head of a kernel only, where all iterations of a loop share
//! them. An array that is only ever indexed needs no address space: it becomes a private one. One that
//! a pointer may reach stays. A `__local` parameter becomes an array too, where the host gives the same
//! size at all launches; the runtime refuses launches with more.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, Expr, ExprId, FileNames, Function, Module, QualType, Qualifiers, Stmt, StmtKind,
    Type, TypeId, UnaryOp, VarId, VarRef,
};
use fpgacc_launch_facts::{ArgValue, Launch, Value};
use fpgacc_runtime::guard::Guard;

use crate::pass::Context;
use crate::passes::ndrange_to_loop::statements::declaration;

/// The most bytes of one kernel's arrays: emulators keep them on the stack of a thread, beside up to a MiB of values that
/// live across barriers. PoCL 3.1 takes 6 MiB of them with the usual stack of 8 MiB, Intel's emulator and Oclgrind more.
const MOST: u64 = 256 << 10;

/// What became of `__local` memory.
#[derive(Default)]
pub struct Moved {
    /// Declarations for the body of the loop over groups.
    pub declarations: Vec<Stmt>,
    /// What launches may give at most.
    pub guards: Vec<Guard>,
}

/// Makes private arrays of `__local` memory. `shared` are the declarations at the head of the kernel,
/// from which it takes what moves; `stmts` is everything else.
pub fn move_into_groups(
    module: &mut Module,
    function: &mut Function,
    context: &Context<'_>,
    stmts: &[&Stmt],
    shared: &mut Vec<Stmt>,
) -> Moved {
    let uses = Uses::of(module, function, stmts);
    let mut moved = Moved::default();
    let mut room = MOST;
    shared.retain(|stmt| {
        let StmtKind::Decl { var, init: None } = stmt.kind else {
            return true;
        };
        let variable = &function.vars[var];
        let is_plain = variable.space == AddressSpace::Local
            && variable.attrs.is_empty()
            && !variable.ty.quals.contains(Qualifiers::VOLATILE)
            && module.types.as_array(variable.ty.ty).is_some();
        if !is_plain || uses.reached.contains(&var) || !takes(module, variable.ty.ty, &mut room) {
            return true;
        }
        function.vars[var].space = AddressSpace::Private;
        moved.declarations.push(stmt.clone());
        false
    });
    for (index, param) in function.params.clone().into_iter().enumerate() {
        if uses.reached.contains(&param) {
            continue;
        }
        let Some((bytes, ty)) = array_for(module, function, context.launches, (index, param))
        else {
            continue;
        };
        if !takes(module, ty, &mut room) {
            continue;
        }
        let array = array_of(function, context.names, param, ty);
        for &slot in uses.of.get(&param).into_iter().flatten() {
            let var = Expr::Var(VarRef::Local(array));
            function.exprs.replace(slot, var, ty);
        }
        moved.declarations.push(declaration(array, None));
        moved.guards.push(Guard::LocalBytes {
            param: index as u32,
            bytes,
        });
    }
    moved
}

/// Takes the room of a type, if there is so much.
fn takes(module: &Module, ty: TypeId, room: &mut u64) -> bool {
    let size = module.layout(ty).map(|layout| layout.size);
    match size.and_then(|size| room.checked_sub(size)) {
        Some(left) => {
            *room = left;
            true
        }
        None => false,
    }
}

/// The bytes that the host gives for a `__local` parameter at all launches, and the array that they
/// make.
fn array_for(
    module: &mut Module,
    function: &Function,
    launches: &[&Launch],
    (index, param): (usize, VarId),
) -> Option<(u64, TypeId)> {
    let (element, space) = module.types.as_pointer(function.vars[param].ty.ty)?;
    let is_plain = space == AddressSpace::Local && element.quals == Qualifiers::empty();
    if !is_plain || launches.is_empty() {
        return None;
    }
    let mut most = 0;
    for launch in launches {
        let given = launch.args.iter().find(|arg| arg.index as usize == index)?;
        match given.value {
            ArgValue::Local(Value::Const(bytes)) => most = most.max(bytes),
            _ => return None,
        }
    }
    let size = module.layout(element.ty)?.size;
    let len = most / size;
    if len == 0 || !most.is_multiple_of(size) {
        return None;
    }
    let array = Type::Array {
        element,
        len: Some(len),
    };
    Some((most, module.types.intern(array)))
}

fn array_of(function: &mut Function, taken: &FileNames, param: VarId, ty: TypeId) -> VarId {
    let mut variable = function.vars[param].clone();
    variable.ty = QualType::plain(ty);
    variable.attrs.clear();
    variable.name = function.fresh_name(&format!("group_{}", variable.name), taken);
    function.vars.add(variable)
}

/// How variables are used.
#[derive(Default)]
struct Uses {
    /// The expressions that name each.
    of: BTreeMap<VarId, Vec<ExprId>>,
    /// Those that are not only indexed: a pointer may reach them.
    reached: BTreeSet<VarId>,
}

impl Moved {
    /// The arrays.
    pub fn arrays(&self) -> BTreeSet<VarId> {
        let vars = self.declarations.iter().filter_map(|stmt| match stmt.kind {
            StmtKind::Decl { var, .. } => Some(var),
            _ => None,
        });
        vars.collect()
    }
}

impl Uses {
    fn of(module: &Module, function: &Function, stmts: &[&Stmt]) -> Self {
        let mut uses = Uses::default();
        for stmt in stmts {
            stmt.for_each(&mut |stmt| {
                for root in stmt.exprs() {
                    uses.check(module, function, root, false);
                    function
                        .exprs
                        .for_each(root, &mut |id| uses.look(module, function, id));
                }
            });
        }
        uses
    }

    fn look(&mut self, module: &Module, function: &Function, id: ExprId) {
        let exprs = &function.exprs;
        if let Expr::Var(VarRef::Local(var)) = exprs.get(id) {
            self.of.entry(*var).or_default().push(id);
        }
        if let Expr::Unary {
            op: UnaryOp::AddressOf,
            operand,
        } = exprs.get(id)
        {
            self.reached.extend(root_of(function, *operand));
        }
        for child in exprs.children(id) {
            let indexed = matches!(exprs.get(id), Expr::Index { base, .. } if *base == child);
            self.check(module, function, child, indexed);
        }
    }

    /// An array, or the name of a pointer, that is used as a value.
    fn check(&mut self, module: &Module, function: &Function, id: ExprId, indexed: bool) {
        let exprs = &function.exprs;
        let is_name = matches!(exprs.get(id), Expr::Var(_))
            && module.types.as_pointer(exprs.ty(id)).is_some();
        let is_array = module.types.as_array(exprs.ty(id)).is_some();
        if !indexed && (is_name || is_array) {
            self.reached.extend(root_of(function, id));
        }
    }
}

/// The variable that a location is in.
fn root_of(function: &Function, id: ExprId) -> Option<VarId> {
    match function.exprs.get(id) {
        Expr::Var(VarRef::Local(var)) => Some(*var),
        Expr::Index { base, .. } | Expr::Swizzle { base, .. } => root_of(function, *base),
        Expr::Member {
            base, arrow: false, ..
        } => root_of(function, *base),
        _ => None,
    }
}
