//! Walking, copying and asking about expressions and statements.

use super::expr::{Callee, Expr, ExprId, Exprs, Init, InitItem, SizeOfArg};
use super::module::{VarId, VarRef};
use super::stmt::{Arm, Block, CaseLabel, Stmt, StmtKind};

impl Exprs {
    /// The direct operands of an expression, in the order of the source. The operand of `sizeof` is
    /// one of them, although it is not evaluated.
    pub fn children(&self, id: ExprId) -> Vec<ExprId> {
        let mut all = Vec::new();
        self.push_children(id, &mut all);
        all
    }

    /// Appends the direct operands of an expression: walks ask for millions, and few have any.
    fn push_children(&self, id: ExprId, out: &mut Vec<ExprId>) {
        match self.get(id) {
            Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Str(_)
            | Expr::Var(_)
            | Expr::EnumConst(..)
            | Expr::BuiltinConst(_)
            | Expr::SizeOf(SizeOfArg::Type(_)) => {}
            Expr::SizeOf(SizeOfArg::Expr(operand))
            | Expr::Unary { operand, .. }
            | Expr::IncDec { operand, .. }
            | Expr::Cast { operand, .. } => out.push(*operand),
            Expr::Member { base, .. } | Expr::Swizzle { base, .. } => out.push(*base),
            Expr::Binary { lhs, rhs, .. }
            | Expr::Assign { lhs, rhs, .. }
            | Expr::Comma { lhs, rhs } => out.extend([*lhs, *rhs]),
            Expr::Index { base, index } => out.extend([*base, *index]),
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => out.extend([*cond, *then, *otherwise]),
            Expr::VectorLit { elements } => out.extend(elements),
            Expr::Call { args, .. } => out.extend(args),
            Expr::Compound { items, .. } => items_exprs(items, out),
        }
    }

    /// Calls `visit` for an expression and all below it, parents first.
    pub fn for_each(&self, root: ExprId, visit: &mut dyn FnMut(ExprId)) {
        self.any(root, &mut |id| {
            visit(id);
            false
        });
    }

    /// Whether `test` holds for an expression or any below it, parents first.
    pub fn any(&self, root: ExprId, test: &mut dyn FnMut(ExprId) -> bool) -> bool {
        let mut waiting = Vec::new();
        let mut next = Some(root);
        while let Some(id) = next {
            if test(id) {
                return true;
            }
            let from = waiting.len();
            self.push_children(id, &mut waiting);
            waiting[from..].reverse();
            next = waiting.pop();
        }
        false
    }

    /// The uses of local variables in an expression, evaluated or not.
    pub fn local_uses(&self, root: ExprId) -> Vec<(ExprId, VarId)> {
        let mut uses = Vec::new();
        self.for_each(root, &mut |id| uses.extend(self.local_use(id)));
        uses
    }

    fn local_use(&self, id: ExprId) -> Option<(ExprId, VarId)> {
        self.local_var(id).map(|var| (id, var))
    }

    /// Whether evaluating an expression can change anything or depend on anything but the values of
    /// variables and memory: assignments, increments, calls of functions, builtins with effects.
    pub fn has_effects(&self, root: ExprId) -> bool {
        if matches!(self.get(root), Expr::SizeOf(_)) {
            return false;
        }
        let own = match self.get(root) {
            Expr::Assign { .. } | Expr::IncDec { .. } => true,
            Expr::Call { callee, .. } => match callee {
                Callee::Function(_) => true,
                Callee::Builtin(name) => builtin_has_effects(name),
            },
            _ => false,
        };
        own || self
            .children(root)
            .into_iter()
            .any(|child| self.has_effects(child))
    }

    /// Whether an expression reads or writes memory through a pointer or array, or a global.
    pub fn touches_memory(&self, root: ExprId) -> bool {
        self.any(root, &mut |id| match self.get(id) {
            Expr::Index { .. } | Expr::Var(VarRef::Global(_)) => true,
            Expr::Unary {
                op: super::UnaryOp::Deref,
                ..
            } => true,
            Expr::Member { arrow, .. } => *arrow,
            Expr::Call { callee, .. } => match callee {
                Callee::Function(_) => true,
                Callee::Builtin(name) => {
                    builtin_has_effects(name)
                        || name.starts_with("vload")
                        || name.starts_with("read_")
                }
            },
            _ => false,
        })
    }

    /// A copy of an expression and all below it, with the same types and spans.
    pub fn duplicate(&mut self, root: ExprId) -> ExprId {
        let mut copy = self.get(root).clone();
        map_children(&mut copy, &mut |child| self.duplicate(child));
        self.add(copy, self.ty(root), self.span(root))
    }

    /// Whether an expression uses a variable.
    pub fn uses(&self, root: ExprId, var: VarRef) -> bool {
        self.any(root, &mut |id| *self.get(id) == Expr::Var(var))
    }

    /// Whether two expressions are the same text over the same variables.
    pub fn same(&self, a: ExprId, b: ExprId) -> bool {
        self.same_but(a, b, &mut |_, _| None)
    }

    /// The same, where `known` may say of parts whether they are.
    pub fn same_but(
        &self,
        a: ExprId,
        b: ExprId,
        known: &mut dyn FnMut(ExprId, ExprId) -> Option<bool>,
    ) -> bool {
        if let Some(same) = known(a, b) {
            return same;
        }
        let (left, right) = (self.get(a), self.get(b));
        let (below_a, below_b) = (self.children(a), self.children(b));
        if below_a.len() != below_b.len() {
            return false;
        }
        let shallow = match (left, right) {
            (Expr::Int { value: x, .. }, Expr::Int { value: y, .. }) => {
                x == y && self.ty(a) == self.ty(b)
            }
            (Expr::Float { value: x, .. }, Expr::Float { value: y, .. }) => {
                x.to_bits() == y.to_bits() && self.ty(a) == self.ty(b)
            }
            (Expr::Unary { op: x, .. }, Expr::Unary { op: y, .. }) => x == y,
            (Expr::IncDec { op: x, .. }, Expr::IncDec { op: y, .. }) => x == y,
            (Expr::Binary { op: x, .. }, Expr::Binary { op: y, .. }) => x == y,
            (Expr::Assign { op: x, .. }, Expr::Assign { op: y, .. }) => x == y,
            (Expr::Cast { ty: x, .. }, Expr::Cast { ty: y, .. }) => x == y,
            (Expr::Call { callee: x, .. }, Expr::Call { callee: y, .. }) => x == y,
            (
                Expr::Member {
                    record: r,
                    field: f,
                    arrow: x,
                    ..
                },
                Expr::Member {
                    record: s,
                    field: g,
                    arrow: y,
                    ..
                },
            ) => r == s && f == g && x == y,
            (Expr::Swizzle { components: x, .. }, Expr::Swizzle { components: y, .. }) => x == y,
            (Expr::Index { .. }, Expr::Index { .. })
            | (Expr::Cond { .. }, Expr::Cond { .. })
            | (Expr::Comma { .. }, Expr::Comma { .. }) => true,
            (Expr::VectorLit { .. }, Expr::VectorLit { .. }) => self.ty(a) == self.ty(b),
            (Expr::Compound { .. } | Expr::SizeOf(_), _) => false,
            _ => left == right,
        };
        shallow
            && below_a
                .into_iter()
                .zip(below_b)
                .all(|(x, y)| self.same_but(x, y, known))
    }
}

/// Overwrites each direct operand of `expr` by what `map` gives for it.
pub(super) fn map_children(expr: &mut Expr, map: &mut dyn FnMut(ExprId) -> ExprId) {
    match expr {
        Expr::Int { .. }
        | Expr::Float { .. }
        | Expr::Str(_)
        | Expr::Var(_)
        | Expr::EnumConst(..)
        | Expr::BuiltinConst(_)
        | Expr::SizeOf(SizeOfArg::Type(_)) => {}
        Expr::SizeOf(SizeOfArg::Expr(operand))
        | Expr::Unary { operand, .. }
        | Expr::IncDec { operand, .. }
        | Expr::Cast { operand, .. } => *operand = map(*operand),
        Expr::Member { base, .. } | Expr::Swizzle { base, .. } => *base = map(*base),
        Expr::Binary { lhs, rhs, .. }
        | Expr::Assign { lhs, rhs, .. }
        | Expr::Comma { lhs, rhs } => {
            *lhs = map(*lhs);
            *rhs = map(*rhs);
        }
        Expr::Index { base, index } => {
            *base = map(*base);
            *index = map(*index);
        }
        Expr::Cond {
            cond,
            then,
            otherwise,
        } => {
            *cond = map(*cond);
            *then = map(*then);
            *otherwise = map(*otherwise);
        }
        Expr::VectorLit { elements } => elements.iter_mut().for_each(|e| *e = map(*e)),
        Expr::Call { args, .. } => args.iter_mut().for_each(|e| *e = map(*e)),
        Expr::Compound { items, .. } => map_items(items, map),
    }
}

fn map_items(items: &mut [InitItem], map: &mut dyn FnMut(ExprId) -> ExprId) {
    for item in items {
        match &mut item.value {
            Init::Expr(expr) => *expr = map(*expr),
            Init::List(below) => map_items(below, map),
        }
    }
}

fn items_exprs(items: &[InitItem], out: &mut Vec<ExprId>) {
    for item in items {
        item.value.exprs(out);
    }
}

impl Expr {
    /// Overwrites each direct operand (those of [`Exprs::children`]) by what `map` gives for it.
    pub fn map_operands(&mut self, map: &mut dyn FnMut(ExprId) -> ExprId) {
        map_children(self, map);
    }
}

impl Init {
    /// Overwrites each expression by what `map` gives for it, in order.
    pub fn map_exprs(&mut self, map: &mut dyn FnMut(ExprId) -> ExprId) {
        match self {
            Init::Expr(expr) => *expr = map(*expr),
            Init::List(items) => map_items(items, map),
        }
    }

    /// Appends the expressions of an initialiser, in order.
    pub fn exprs(&self, out: &mut Vec<ExprId>) {
        match self {
            Init::Expr(expr) => out.push(*expr),
            Init::List(items) => items_exprs(items, out),
        }
    }

    /// A copy whose expressions are copies.
    pub fn duplicate(&self, exprs: &mut Exprs) -> Init {
        let mut copy = self.clone();
        copy.map_exprs(&mut |expr| exprs.duplicate(expr));
        copy
    }
}

impl Stmt {
    /// The expressions that stand directly in a statement (not those of statements inside it), in the
    /// order of the source.
    pub fn exprs(&self) -> Vec<ExprId> {
        let mut out = Vec::new();
        self.any_own_expr(&mut |expr| {
            out.push(expr);
            false
        });
        out
    }

    /// Whether `test` holds for an expression that stands directly in a statement, in the order of the source.
    fn any_own_expr(&self, test: &mut dyn FnMut(ExprId) -> bool) -> bool {
        match &self.kind {
            StmtKind::Decl { init, .. } => match init {
                Some(Init::Expr(expr)) => test(*expr),
                Some(init) => {
                    let mut all = Vec::new();
                    init.exprs(&mut all);
                    all.into_iter().any(test)
                }
                None => false,
            },
            StmtKind::Expr(expr) => test(*expr),
            StmtKind::If { cond, .. }
            | StmtKind::While { cond, .. }
            | StmtKind::DoWhile { cond, .. } => test(*cond),
            StmtKind::For { cond, step, .. } => cond.iter().chain(step).copied().any(test),
            StmtKind::Switch { value, arms } => {
                let labels = arms.iter().flat_map(|arm| &arm.labels);
                let of_label = |label: &CaseLabel| match label {
                    CaseLabel::Case(expr) => [Some(*expr), None],
                    CaseLabel::Range(from, to) => [Some(*from), Some(*to)],
                    CaseLabel::Default => [None, None],
                };
                let all = std::iter::once(*value).chain(labels.flat_map(of_label).flatten());
                all.into_iter().any(test)
            }
            StmtKind::Return(value) => value.iter().copied().any(test),
            StmtKind::Block(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Label(_)
            | StmtKind::Pragma(_)
            | StmtKind::Comment(_) => false,
        }
    }

    /// The statement lists that stand directly in a statement, in the order of the source.
    pub fn lists(&self) -> Vec<&[Stmt]> {
        self.own_lists().collect()
    }

    fn own_lists(&self) -> impl Iterator<Item = &[Stmt]> {
        let (lists, arms): ([Option<&[Stmt]>; 2], &[Arm]) = match &self.kind {
            StmtKind::Block(block)
            | StmtKind::While { body: block, .. }
            | StmtKind::DoWhile { body: block, .. } => ([Some(&block.stmts), None], &[]),
            StmtKind::If {
                then, otherwise, ..
            } => {
                let otherwise = otherwise.as_ref().map(|block| block.stmts.as_slice());
                ([Some(&then.stmts), otherwise], &[])
            }
            StmtKind::For { init, body, .. } => ([Some(init), Some(&body.stmts)], &[]),
            StmtKind::Switch { arms, .. } => ([None, None], arms),
            _ => ([None, None], &[]),
        };
        let arms = arms.iter().map(|arm| arm.body.as_slice());
        lists.into_iter().flatten().chain(arms)
    }

    /// [`Self::lists`], to change.
    pub fn lists_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match &mut self.kind {
            StmtKind::Block(block)
            | StmtKind::While { body: block, .. }
            | StmtKind::DoWhile { body: block, .. } => vec![&mut block.stmts],
            StmtKind::If {
                then, otherwise, ..
            } => std::iter::once(then)
                .chain(otherwise)
                .map(|block| &mut block.stmts)
                .collect(),
            StmtKind::For { init, body, .. } => vec![init, &mut body.stmts],
            StmtKind::Switch { arms, .. } => arms.iter_mut().map(|arm| &mut arm.body).collect(),
            _ => Vec::new(),
        }
    }

    /// Calls `visit` for a statement and all inside it, outer ones first.
    pub fn for_each(&self, visit: &mut dyn FnMut(&Stmt)) {
        visit(self);
        for stmt in self.own_lists().flatten() {
            stmt.for_each(visit);
        }
    }

    /// Calls `visit` for every expression of a statement and inside it, with all below it, parents first.
    pub fn for_each_expr(&self, exprs: &Exprs, visit: &mut dyn FnMut(ExprId)) {
        self.for_each(&mut |stmt| {
            stmt.any_own_expr(&mut |root| {
                exprs.for_each(root, visit);
                false
            });
        });
    }

    /// The uses of local variables in a statement and inside it, evaluated or not.
    pub fn local_uses(&self, exprs: &Exprs) -> Vec<(ExprId, VarId)> {
        let mut uses = Vec::new();
        self.for_each_expr(exprs, &mut |id| uses.extend(exprs.local_use(id)));
        uses
    }

    /// Whether `test` holds for an expression of a statement or of one inside it, or for any below these.
    pub fn any_expr(&self, exprs: &Exprs, test: &mut dyn FnMut(ExprId) -> bool) -> bool {
        self.any_own_expr(&mut |root| exprs.any(root, test))
            || self
                .own_lists()
                .flatten()
                .any(|stmt| stmt.any_expr(exprs, test))
    }
}

impl Block {
    /// A block of these statements.
    pub fn of(stmts: Vec<Stmt>) -> Self {
        Block { stmts }
    }

    /// Calls `visit` for every statement inside, outer ones first.
    pub fn for_each_stmt(&self, visit: &mut dyn FnMut(&Stmt)) {
        for stmt in &self.stmts {
            stmt.for_each(visit);
        }
    }

    /// Calls `visit` for every expression inside, with all below it, parents first.
    pub fn for_each_expr(&self, exprs: &Exprs, visit: &mut dyn FnMut(ExprId)) {
        for stmt in &self.stmts {
            stmt.for_each_expr(exprs, visit);
        }
    }
}

/// Whether a builtin function does more than compute a value of its arguments: it synchronises,
/// writes memory (also through pointer arguments), communicates, or prints.
pub fn builtin_has_effects(name: &str) -> bool {
    const PREFIXES: [&str; 22] = [
        "atomic_",
        "atom_",
        "async_",
        "barrier",
        "capture_",
        "commit_",
        "create_user_event",
        "enqueue_",
        "mem_fence",
        "prefetch",
        "printf",
        "read_channel",
        "read_mem_fence",
        "read_pipe",
        "release_",
        "reserve_",
        "retain_",
        "set_user_event",
        "sub_group_",
        "vstore",
        "wait_group_events",
        "write_",
    ];
    const NAMES: [&str; 10] = [
        "fract",
        "frexp",
        "lgamma_r",
        "modf",
        "remquo",
        "sincos",
        "work_group_reserve_read_pipe",
        "work_group_reserve_write_pipe",
        "work_group_commit_read_pipe",
        "work_group_commit_write_pipe",
    ];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || NAMES.contains(&name)
        || name.starts_with("work_group_")
        || name.contains("_channel_")
}
