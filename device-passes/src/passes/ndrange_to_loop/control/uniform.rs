//! What is uniform: variables and conditions that are the same for all its work-items, and can
//! be computed without any of them.
//!
//! A loop or branch with a barrier inside becomes control around the loops over work-items. For that
//! its condition must be known to the group: made of parameters, constants, group ids, memory that all
//! work-items read at the same location, and variables that are only ever changed, by all work-items
//! alike, to such values. (A work-item that changes memory which others read races with them, unless a
//! barrier is between.) Everything here is by assuming that all candidates are uniform and taking
//! back what contradicts, until nothing does.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Callee, Expr, ExprId, Function, Init, Module, Qualifiers, Scalar, Stmt,
    StmtKind, Type, UnaryOp, VarId, VarRef,
};
use fpgacc_kernel_analysis::calls;
use fpgacc_kernel_analysis::variables::{Access, accesses};
use fpgacc_kernel_analysis::work_item;

use crate::passes::ndrange_to_loop::control::alike::Alike;
use crate::passes::ndrange_to_loop::control::callees::Callees;
use crate::passes::ndrange_to_loop::control::convergence::{Convergence, Surroundings};

/// What is uniform.
#[derive(Debug, Default)]
pub struct Uniform {
    /// Variables: declared and changed outside the loops over work-items.
    pub vars: BTreeSet<VarId>,
    /// Of the expressions that stand directly in statements, those that the group can evaluate once.
    evaluable: BTreeSet<ExprId>,
    /// Those of them that look at memory, or may trap.
    pub fragile: BTreeSet<ExprId>,
}

impl Uniform {
    /// Whether the group can evaluate an expression that stands directly in a statement.
    pub fn evaluates(&self, root: ExprId) -> bool {
        self.evaluable.contains(&root)
    }

    /// Whether the group can run a statement once: all its expressions are uniform, and it changes or
    /// declares uniform variables only.
    pub fn runs(&self, function: &Function, stmt: &Stmt) -> bool {
        let mut only = true;
        let mut does = false;
        stmt.for_each(&mut |inside| {
            only &= inside.exprs().iter().all(|root| self.evaluates(*root));
            match &inside.kind {
                StmtKind::Decl { var, .. } => {
                    only &= self.vars.contains(var);
                    does = true;
                }
                StmtKind::Expr(root) => does |= function.exprs.has_effects(*root),
                StmtKind::Return(_)
                | StmtKind::Goto(_)
                | StmtKind::Label(_)
                | StmtKind::Pragma(_) => only = false,
                _ => {}
            }
        });
        only && does
            && !crate::passes::ndrange_to_loop::control::convergence::has_exit(
                std::slice::from_ref(stmt),
                true,
                true,
                true,
            )
    }

    /// Whether what the group runs once must stay where it is among what work-items do.
    pub fn is_fragile(&self, stmt: &Stmt) -> bool {
        let mut found = false;
        stmt.for_each(&mut |inside| {
            found |= inside
                .exprs()
                .iter()
                .any(|root| self.fragile.contains(root));
        });
        found
    }
}

/// Finds what is uniform for a group, or for whichever work-items `alike` names.
pub fn find(module: &Module, function: &Function, stmts: &[Stmt], alike: Alike) -> Uniform {
    let callees = Callees::of(module, function, stmts, &|query| alike.answers(query));
    let mut finder = Finder::new(module, function, alike, callees);
    finder.collect(stmts);
    finder.shared = finder.wanted(stmts, false);
    finder.settle(stmts);
    // What no condition needs in the end stays with the work-items.
    let needed = finder.wanted(stmts, true);
    finder.shared.retain(|var| needed.contains(var));
    finder.settle(stmts);
    finder.finish(stmts)
}

/// The conditions under which a list is run: two lists of one number are run alike by all work-items
/// or by the same ones.
type Mask = usize;

struct Finder<'a> {
    module: &'a Module,
    function: &'a Function,
    alike: Alike,
    callees: Callees,
    shared: BTreeSet<VarId>,
    /// Variables that may become shared, and what their values are made of.
    candidates: BTreeMap<VarId, BTreeSet<VarId>>,
    /// Variables that are changed after their declaration.
    written: BTreeSet<VarId>,
    /// Parameters that nothing changes.
    constant_params: BTreeSet<VarId>,
    declared_under: BTreeMap<VarId, Mask>,
    masks: Mask,
    changed: bool,
}

impl<'a> Finder<'a> {
    fn new(module: &'a Module, function: &'a Function, alike: Alike, callees: Callees) -> Self {
        Finder {
            module,
            function,
            alike,
            callees,
            shared: BTreeSet::new(),
            candidates: BTreeMap::new(),
            written: BTreeSet::new(),
            constant_params: function.params.iter().copied().collect(),
            declared_under: BTreeMap::new(),
            masks: 0,
            changed: false,
        }
    }

    /// Finds the candidates.
    fn collect(&mut self, stmts: &[Stmt]) {
        let mut excluded = BTreeSet::new();
        let exprs = &self.function.exprs;
        for stmt in stmts {
            stmt.for_each(&mut |stmt| {
                if let StmtKind::Decl { var, init } = &stmt.kind
                    && self.may_be_shared(*var)
                    && matches!(init, None | Some(Init::Expr(_)))
                {
                    self.candidates.entry(*var).or_default();
                }
                for root in stmt.exprs() {
                    accesses(&self.module.types, exprs, root, &mut |var, access, _| {
                        if access.may_write() {
                            self.constant_params.remove(&var);
                            self.written.insert(var);
                        }
                        if matches!(access, Access::WritePart | Access::Address) {
                            excluded.insert(var);
                        }
                    });
                }
            });
        }
        self.candidates.retain(|var, _| !excluded.contains(var));
        for stmt in stmts {
            stmt.for_each(&mut |stmt| self.collect_operands(stmt));
        }
    }

    fn collect_operands(&mut self, stmt: &Stmt) {
        let exprs = &self.function.exprs;
        let vars_in = |root| exprs.local_uses(root).into_iter().map(|(_, var)| var);
        for root in stmt.exprs() {
            if let StmtKind::Decl { var, .. } = &stmt.kind
                && let Some(operands) = self.candidates.get_mut(var)
            {
                operands.extend(vars_in(root));
            }
            exprs.for_each(root, &mut |id| {
                if let Expr::Assign { lhs, rhs, .. } = exprs.get(id)
                    && let Expr::Var(VarRef::Local(var)) = exprs.get(*lhs)
                    && let Some(operands) = self.candidates.get_mut(var)
                {
                    operands.extend(vars_in(*rhs));
                }
            });
        }
    }

    fn may_be_shared(&self, var: VarId) -> bool {
        let variable = &self.function.vars[var];
        variable.space == AddressSpace::Private
            && !variable.ty.quals.contains(Qualifiers::VOLATILE)
            && matches!(
                self.module.types.resolve(variable.ty.ty),
                Type::Scalar(_) | Type::Vector(..) | Type::Pointer { .. } | Type::Enum(_)
            )
    }

    /// The candidates that conditions of the group's control are made of; and declarations in such
    /// loops and branches that cost less if made once. First all that may be so; once `settled`, those
    /// that are.
    fn wanted(&self, stmts: &[Stmt], settled: bool) -> BTreeSet<VarId> {
        let mut stack = Vec::new();
        self.needed_in(stmts, (Surroundings::default(), false, settled), &mut stack);
        let mut wanted = BTreeSet::new();
        while let Some(var) = stack.pop() {
            let Some(operands) = self.candidates.get(&var) else {
                continue;
            };
            if settled && !self.shared.contains(&var) {
                continue;
            }
            if wanted.insert(var) {
                stack.extend(operands);
            }
        }
        wanted
    }

    fn needed_in(
        &self,
        list: &[Stmt],
        (around, nested, settled): (Surroundings, bool, bool),
        out: &mut Vec<VarId>,
    ) {
        let convergence = Convergence {
            function: self.function,
            shared: &self.shared,
        };
        let exprs = &self.function.exprs;
        let surroundings = convergence.surroundings(list, around);
        for (stmt, around) in list.iter().zip(surroundings) {
            if !convergence.is_convergent(stmt, around) {
                if let StmtKind::Decl { var, init } = &stmt.kind
                    && let Some(Init::Expr(init)) = init
                    && nested
                    && !self.written.contains(var)
                    && !is_fragile(self.module, self.function, &self.callees, *init)
                    && (!settled || self.is_uniform(*init))
                {
                    out.push(*var);
                }
                continue;
            }
            let conditions = stmt.exprs().into_iter();
            // After settling, a condition that is not uniform needs nothing.
            for root in conditions.filter(|root| !settled || self.is_uniform(*root)) {
                out.extend(exprs.local_uses(root).into_iter().map(|(_, var)| var));
            }
            let inner = match stmt.kind {
                StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
                    Surroundings::LOOP
                }
                _ => around,
            };
            for list in stmt.lists() {
                self.needed_in(list, (inner, true, settled), out);
            }
        }
    }

    /// Takes back what contradicts.
    fn settle(&mut self, stmts: &[Stmt]) {
        loop {
            self.changed = false;
            self.declared_under.clear();
            self.masks = 1;
            self.list(stmts, Surroundings::default(), 0);
            if !self.changed {
                return;
            }
        }
    }

    fn new_mask(&mut self) -> Mask {
        self.masks += 1;
        self.masks
    }

    fn take_back(&mut self, var: VarId) {
        self.changed |= self.shared.remove(&var);
    }

    fn list(&mut self, list: &[Stmt], around: Surroundings, mask: Mask) {
        let shared = self.shared.clone();
        let convergence = Convergence {
            function: self.function,
            shared: &shared,
        };
        let surroundings = convergence.surroundings(list, around);
        for (stmt, around) in list.iter().zip(surroundings) {
            if convergence.is_convergent(stmt, around) {
                self.convergent(stmt, around, mask);
            } else {
                self.plain(stmt, mask);
            }
        }
    }

    fn convergent(&mut self, stmt: &Stmt, around: Surroundings, mask: Mask) {
        match &stmt.kind {
            StmtKind::Block(block) => self.list(&block.stmts, around, mask),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let uniform = self.root(*cond, mask);
                for block in std::iter::once(then).chain(otherwise) {
                    let inner = if uniform { mask } else { self.new_mask() };
                    self.list(&block.stmts, around, inner);
                }
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
                ..
            } => {
                for stmt in init {
                    self.plain(stmt, mask);
                }
                let uniform = cond.is_none_or(|cond| self.root(cond, mask));
                let inner = if uniform { mask } else { self.new_mask() };
                if let Some(step) = step {
                    self.root(*step, inner);
                }
                self.list(&body.stmts, Surroundings::LOOP, inner);
            }
            StmtKind::While { cond, body, .. } | StmtKind::DoWhile { body, cond, .. } => {
                let uniform = self.root(*cond, mask);
                let inner = if uniform { mask } else { self.new_mask() };
                self.list(&body.stmts, Surroundings::LOOP, inner);
            }
            StmtKind::Switch { value, arms } => {
                self.root(*value, mask);
                for arm in arms {
                    let inner = self.new_mask();
                    self.list(&arm.body, around, inner);
                }
            }
            _ => {}
        }
    }

    /// An expression that stands directly in a statement: whether it is uniform. What it changes must
    /// then belong to the same work-items as the expression.
    fn root(&mut self, root: ExprId, mask: Mask) -> bool {
        let uniform = self.is_uniform(root);
        for var in self.written_in(root) {
            if !uniform || self.declared_under.get(&var) != Some(&mask) {
                self.take_back(var);
            }
        }
        uniform
    }

    fn written_in(&self, root: ExprId) -> Vec<VarId> {
        let mut out = Vec::new();
        let exprs = &self.function.exprs;
        accesses(&self.module.types, exprs, root, &mut |var, access, _| {
            if access.may_write() {
                out.push(var);
            }
        });
        out
    }

    /// A statement that work-items need not go through together.
    fn plain(&mut self, stmt: &Stmt, mask: Mask) {
        if let StmtKind::Decl { var, init } = &stmt.kind {
            let uniform = match init {
                None => true,
                Some(Init::Expr(init)) => self.root(*init, mask),
                Some(Init::List(_)) => false,
            };
            self.declared_under.insert(*var, mask);
            if !uniform {
                self.take_back(*var);
            }
            if let Some(Init::List(_)) = init {
                for root in stmt.exprs() {
                    self.not_uniform(root);
                }
            }
            return;
        }
        if self.is_uniform_stmt(stmt) {
            let mut roots = Vec::new();
            stmt.for_each(&mut |inside| {
                if let StmtKind::Decl { var, .. } = inside.kind {
                    self.declared_under.insert(var, mask);
                }
                roots.extend(inside.exprs());
            });
            for root in roots {
                self.root(root, mask);
            }
            return;
        }
        let mut roots = Vec::new();
        let mut declared = Vec::new();
        stmt.for_each(&mut |inside| {
            roots.extend(inside.exprs());
            if let StmtKind::Decl { var, .. } = inside.kind {
                declared.push(var);
            }
        });
        for root in roots {
            self.not_uniform(root);
        }
        for var in declared {
            self.take_back(var);
        }
    }

    fn not_uniform(&mut self, root: ExprId) {
        for var in self.written_in(root) {
            self.take_back(var);
        }
    }

    /// Whether all of a statement is the same for all work-items.
    fn is_uniform_stmt(&self, stmt: &Stmt) -> bool {
        let mut uniform = !crate::passes::ndrange_to_loop::control::convergence::has_exit(
            std::slice::from_ref(stmt),
            true,
            true,
            true,
        );
        stmt.for_each(&mut |inside| {
            uniform &= inside.exprs().iter().all(|root| self.is_uniform(*root));
            uniform &= match &inside.kind {
                StmtKind::Decl { var, .. } => self.shared.contains(var),
                StmtKind::Pragma(_) | StmtKind::Label(_) | StmtKind::Goto(_) => false,
                _ => true,
            };
        });
        uniform
    }

    fn finish(self, stmts: &[Stmt]) -> Uniform {
        let mut evaluable = BTreeSet::new();
        let mut fragile = BTreeSet::new();
        for stmt in stmts {
            stmt.for_each(&mut |stmt| {
                for root in stmt.exprs() {
                    if !self.is_uniform(root) {
                        continue;
                    }
                    evaluable.insert(root);
                    if is_fragile(self.module, self.function, &self.callees, root) {
                        fragile.insert(root);
                    }
                }
            });
        }
        Uniform {
            vars: self.shared,
            evaluable,
            fragile,
        }
    }

    /// Whether the group can evaluate an expression, and all its work-items get the same.
    fn is_uniform(&self, id: ExprId) -> bool {
        let exprs = &self.function.exprs;
        match exprs.get(id) {
            Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Str(_)
            | Expr::EnumConst(..)
            | Expr::BuiltinConst(_)
            | Expr::SizeOf(_) => true,
            Expr::Var(VarRef::Local(var)) => self.is_uniform_variable(*var),
            Expr::Var(VarRef::Global(global)) => {
                let variable = &self.module.globals[*global].variable;
                let is_array = self.module.types.as_array(variable.ty.ty).is_some();
                is_array || variable.space == AddressSpace::Constant
            }
            Expr::Unary { op, operand } => match op {
                UnaryOp::Deref => self.is_uniform_load(id, *operand),
                UnaryOp::AddressOf => self.is_uniform_location(*operand),
                _ => self.is_uniform(*operand),
            },
            Expr::IncDec { operand, .. } => self.is_shared(*operand),
            Expr::Assign { lhs, rhs, .. } => self.is_shared(*lhs) && self.is_uniform(*rhs),
            Expr::Binary { lhs, rhs, .. } | Expr::Comma { lhs, rhs } => {
                self.is_uniform(*lhs) && self.is_uniform(*rhs)
            }
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => self.is_uniform(*cond) && self.is_uniform(*then) && self.is_uniform(*otherwise),
            Expr::Index { base, index } => {
                self.is_uniform(*index) && self.is_uniform_load(id, *base)
            }
            Expr::Member {
                base, arrow: true, ..
            } => self.is_uniform_load(id, *base),
            Expr::Member { base, .. }
            | Expr::Swizzle { base, .. }
            | Expr::Cast { operand: base, .. } => self.is_uniform(*base),
            Expr::VectorLit { elements } => elements.iter().all(|id| self.is_uniform(*id)),
            Expr::Call {
                callee: Callee::Builtin(name),
                args,
            } => self.is_uniform_call(id, name, args),
            Expr::Call {
                callee: Callee::Function(callee),
                args,
            } => self.callees.is_uniform(*callee) && args.iter().all(|arg| self.is_uniform(*arg)),
            Expr::Compound { .. } => false,
        }
    }

    fn is_shared(&self, location: ExprId) -> bool {
        matches!(self.function.exprs.get(location),
            Expr::Var(VarRef::Local(var)) if self.shared.contains(var))
    }

    fn is_uniform_variable(&self, var: VarId) -> bool {
        let variable = &self.function.vars[var];
        if variable.space != AddressSpace::Private {
            let is_array = self.module.types.as_array(variable.ty.ty).is_some();
            let steady = !variable.ty.quals.contains(Qualifiers::VOLATILE);
            return self.alike.share(variable.space) && (is_array || steady);
        }
        self.shared.contains(&var) || self.constant_params.contains(&var)
    }

    /// Memory that is the same for all work-items of a group, read through `base`.
    fn is_uniform_load(&self, id: ExprId, base: ExprId) -> bool {
        let exprs = &self.function.exprs;
        let types = &self.module.types;
        if types.as_array(exprs.ty(id)).is_some() {
            // Only an address so far.
            return self.is_uniform_location(id);
        }
        if types.as_array(exprs.ty(base)).is_some() {
            return self.is_uniform_location(base);
        }
        let steady = types.as_pointer(exprs.ty(base)).is_some_and(|(to, space)| {
            matches!(
                space,
                AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local
            ) && !to.quals.contains(Qualifiers::VOLATILE)
        });
        steady && self.is_uniform(base)
    }

    /// A location whose address is the same for all work-items of a group.
    fn is_uniform_location(&self, location: ExprId) -> bool {
        let exprs = &self.function.exprs;
        match exprs.get(location) {
            Expr::Var(VarRef::Local(var)) => self.alike.share(self.function.vars[*var].space),
            Expr::Var(VarRef::Global(_)) => true,
            Expr::Index { base, index } => self.is_uniform(*index) && self.is_uniform_base(*base),
            Expr::Member { base, arrow, .. } => match arrow {
                true => self.is_uniform_base(*base),
                false => self.is_uniform_location(*base),
            },
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => self.is_uniform_base(*operand),
            _ => false,
        }
    }

    fn is_uniform_base(&self, base: ExprId) -> bool {
        let ty = self.function.exprs.ty(base);
        match self.module.types.as_array(ty) {
            Some(_) => self.is_uniform_location(base),
            None => self.is_uniform(base),
        }
    }

    fn is_uniform_call(&self, id: ExprId, name: &str, args: &[ExprId]) -> bool {
        if let Some(query) = work_item::query(self.module, self.function, id) {
            return args.iter().all(|arg| self.is_uniform(*arg)) && self.alike.answers(query);
        }
        calls::builtin_computes(self.module, self.function, name, args)
            && args.iter().all(|arg| self.is_uniform(*arg))
    }
}

/// Whether evaluating an expression earlier, later or for nobody may make a difference: it looks at
/// memory, or divides.
fn is_fragile(module: &Module, function: &Function, callees: &Callees, root: ExprId) -> bool {
    let exprs = &function.exprs;
    exprs.any(root, &mut |id| match exprs.get(id) {
        Expr::Call {
            callee: Callee::Function(callee),
            ..
        } => !callees.is_harmless(*callee),
        Expr::Binary {
            op: BinaryOp::Div | BinaryOp::Rem,
            lhs,
            rhs,
        } => {
            let is_float = |id: &ExprId| {
                let scalar = module.types.component(exprs.ty(*id));
                scalar.is_some_and(Scalar::is_float)
            };
            let by_literal = matches!(exprs.get(*rhs), Expr::Int { value, .. } if *value != 0);
            !by_literal && !is_float(lhs) && !is_float(rhs)
        }
        Expr::Assign {
            op: Some(BinaryOp::Div | BinaryOp::Rem),
            ..
        } => true,
        Expr::Unary {
            op: UnaryOp::Deref, ..
        }
        | Expr::Index { .. }
        | Expr::Member { arrow: true, .. } => true,
        Expr::Var(VarRef::Local(var)) => {
            matches!(
                function.vars[*var].space,
                AddressSpace::Local | AddressSpace::Global
            ) && module.types.as_array(function.vars[*var].ty.ty).is_none()
        }
        _ => false,
    })
}
