//! Carries values over barriers: rewrites the parts of a kernel as [`super::values`] decides.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    Expr, ExprId, Function, Init, Module, Qualifiers, Stmt, StmtKind, VarId, VarRef,
};

use super::ids::{Ids, Target};
use super::save::{self, Layout, declaration};
use super::values::{self, Fate, Values};
use crate::analysis::variables::{Access, accesses_of_stmt};

/// What stands outside the loops over work-items.
#[derive(Default)]
pub struct Outside {
    /// Declarations that are the same for all groups.
    pub kernel: Vec<Stmt>,
    /// Declarations for each group.
    pub group: Vec<Stmt>,
    /// There are saved values.
    pub saves: bool,
}

/// Gives each work-item its own copy of the parameters that the kernel changes.
pub fn copy_changed_params(
    module: &Module,
    function: &mut Function,
    taken: &BTreeSet<String>,
    regions: &mut [Vec<Stmt>],
) {
    let mut changed = BTreeSet::new();
    for stmt in regions.iter().flatten() {
        accesses_of_stmt(&module.types, function, stmt, &mut |var, access| {
            if access.may_write() && function.params.contains(&var) {
                changed.insert(var);
            }
        });
    }
    for param in changed.into_iter().rev() {
        let mut copy = function.vars[param].clone();
        copy.ty.quals.remove(Qualifiers::RESTRICT);
        copy.attrs.clear();
        copy.name = function.fresh_name(&format!("item_{}", copy.name), taken);
        let copy = function.vars.add(copy);
        for stmt in regions.iter().flatten() {
            redirect_var(function, std::slice::from_ref(stmt), param, copy);
        }
        let value = function.use_var(param);
        if let Some(first) = regions.first_mut() {
            first.insert(0, declaration(copy, Some(value)));
        }
    }
}

/// Moves a declaration without a value to the assignment that gives the variable its only one, where
/// that stands at the top level and in front of every use: `int t; .. t = x;` is `int t = x;`.
pub fn join_declarations(module: &Module, function: &Function, regions: &mut [Vec<Stmt>]) {
    let mut bare: Vec<VarId> = Vec::new();
    for stmt in regions.iter().flatten() {
        if let StmtKind::Decl { var, init: None } = stmt.kind {
            bare.push(var);
        }
    }
    for var in bare {
        if let Some((region, at, value)) = only_assignment(module, function, regions, var) {
            for stmts in regions.iter_mut() {
                // The declaration becomes a hole, so that indices hold until the end.
                for stmt in stmts.iter_mut() {
                    if matches!(stmt.kind, StmtKind::Decl { var: of, init: None } if of == var) {
                        stmt.kind = StmtKind::Block(fpgacc_frontend::ir::Block::default());
                    }
                }
            }
            regions[region][at].kind = StmtKind::Decl {
                var,
                init: Some(Init::Expr(value)),
            };
            for stmts in regions.iter_mut() {
                stmts.retain(
                    |stmt| !matches!(&stmt.kind, StmtKind::Block(block) if block.stmts.is_empty()),
                );
            }
        }
    }
}

/// The only assignment to `var`, if no use stands in front of it: part, statement and value.
fn only_assignment(
    module: &Module,
    function: &Function,
    regions: &[Vec<Stmt>],
    var: VarId,
) -> Option<(usize, usize, ExprId)> {
    let mut found = None;
    for (region, stmts) in regions.iter().enumerate() {
        for (at, stmt) in stmts.iter().enumerate() {
            let mut accesses = Vec::new();
            accesses_of_stmt(&module.types, function, stmt, &mut |used, access| {
                if used == var {
                    accesses.push(access);
                }
            });
            if found.is_some() {
                if accesses.iter().any(|access| access.may_write()) {
                    return None;
                }
                continue;
            }
            if accesses.is_empty() {
                continue;
            }
            let StmtKind::Expr(expr) = stmt.kind else {
                return None;
            };
            match function.exprs.get(expr) {
                Expr::Assign { op: None, lhs, rhs }
                    if *function.exprs.get(*lhs) == Expr::Var(VarRef::Local(var))
                        && accesses == [Access::Write] =>
                {
                    found = Some((region, at, *rhs));
                }
                _ => return None,
            }
        }
    }
    found
}

/// Rewrites the parts. `items` are the loop variables of each part.
pub fn carry(
    module: &mut Module,
    function: &mut Function,
    taken: &BTreeSet<String>,
    regions: &mut [Vec<Stmt>],
    values: &Values,
    (ids, items, layout): (&mut Ids, &[[Option<VarId>; 3]], &Layout),
) -> Outside {
    let mut carrier = Carrier {
        module,
        function,
        taken,
        regions,
        ids,
        items,
        layout,
        outside: Outside::default(),
        twins: vec![Vec::new(); items.len()],
        begins: vec![Vec::new(); items.len()],
        ends: vec![Vec::new(); items.len()],
    };
    for (var, fate, uses) in &values.fates {
        let var = *var;
        match *fate {
            Fate::Uniform { per_group } => carrier.hoist(var, per_group),
            Fate::Recomputed => carrier.recompute(var, uses),
            Fate::Copied => carrier.copy(var),
            Fate::Replaced => carrier.replace(var),
        }
    }
    carrier.finish(values)
}

struct Carrier<'a> {
    module: &'a mut Module,
    function: &'a mut Function,
    taken: &'a BTreeSet<String>,
    regions: &'a mut [Vec<Stmt>],
    ids: &'a mut Ids,
    items: &'a [[Option<VarId>; 3]],
    layout: &'a Layout,
    outside: Outside,
    /// For each part, variables and what stands for them there.
    twins: Vec<Vec<(VarId, VarId)>>,
    begins: Vec<Vec<Stmt>>,
    ends: Vec<Vec<Stmt>>,
}

impl Carrier<'_> {
    /// Where a variable is declared: part and statement.
    fn place(&self, var: VarId) -> Option<(usize, usize)> {
        for (region, stmts) in self.regions.iter().enumerate() {
            let at = stmts
                .iter()
                .position(|stmt| matches!(stmt.kind, StmtKind::Decl { var: of, .. } if of == var));
            if let Some(at) = at {
                return Some((region, at));
            }
        }
        None
    }

    fn hoist(&mut self, var: VarId, per_group: bool) {
        let Some((region, at)) = self.place(var) else {
            return;
        };
        let stmt = self.regions[region].remove(at);
        if per_group {
            self.outside.group.push(stmt);
        } else {
            self.outside.kernel.push(stmt);
        }
    }

    fn is_used(&self, region: usize, var: VarId) -> bool {
        let wanted = Expr::Var(VarRef::Local(var));
        let mut found = false;
        let stmts = self.begins[region].iter().chain(&self.regions[region]);
        for stmt in stmts.chain(&self.ends[region]) {
            stmt.for_each(&mut |stmt| {
                for root in stmt.exprs() {
                    let exprs = &self.function.exprs;
                    found |= exprs.any(root, &mut |id| *exprs.get(id) == wanted);
                }
            });
        }
        found
    }

    /// Declares a twin of `var` at the head of a part, to which the part's uses go.
    fn twin(&mut self, region: usize, var: VarId, init: Option<ExprId>) -> VarId {
        let twin = self.function.vars.add(self.function.vars[var].clone());
        redirect_var(self.function, &self.regions[region], var, twin);
        self.begins[region].push(declaration(twin, init));
        self.twins[region].push((var, twin));
        twin
    }

    fn recompute(&mut self, var: VarId, uses: &BTreeSet<usize>) {
        let Some((home, at)) = self.place(var) else {
            return;
        };
        let StmtKind::Decl {
            init: Some(Init::Expr(init)),
            ..
        } = self.regions[home][at].kind
        else {
            return;
        };
        for &region in uses.range(home + 1..) {
            let value = self.function.exprs.duplicate(init);
            redirect_expr(self.function, value, &self.twins[region]);
            self.twin(region, var, Some(value));
        }
    }

    fn target(&mut self) -> Target<'_> {
        Target {
            function: self.function,
            types: &mut self.module.types,
            taken: self.taken,
        }
    }

    fn element(&mut self, array: VarId, region: usize) -> ExprId {
        let (layout, items) = (self.layout, &self.items[region]);
        let mut target = Target {
            function: self.function,
            types: &mut self.module.types,
            taken: self.taken,
        };
        layout.element(&mut target, self.ids, array, items)
    }

    fn array(&mut self, var: VarId) -> VarId {
        let layout = self.layout;
        let array = layout.array_for(&mut self.target(), var);
        self.outside.group.push(declaration(array, None));
        self.outside.saves = true;
        array
    }

    /// A variable in each part, loaded and saved where its value is needed.
    fn copy(&mut self, var: VarId) {
        let Some((home, _)) = self.place(var) else {
            return;
        };
        let (flows, live_behind) =
            values::flows(&self.module.types, self.function, self.regions, var);
        let saves: Vec<bool> = (0..flows.len())
            .map(|at| live_behind[at] && flows[at].may_write)
            .collect();
        let loads: Vec<bool> = (0..flows.len())
            .map(|at| at > home && (flows[at].reads_first || saves[at] && !flows[at].overwrites))
            .collect();
        let array = loads.contains(&true).then(|| self.array(var));
        for region in home..flows.len() {
            let mut local = var;
            if region != home {
                if !self.is_used(region, var) {
                    continue;
                }
                let init = match array {
                    Some(array) if loads[region] => Some(self.element(array, region)),
                    _ => None,
                };
                local = self.twin(region, var, init);
            }
            if let (Some(array), true) = (array, saves[region]) {
                let place = self.element(array, region);
                let value = self.function.use_var(local);
                let assign = self.function.exprs.assign(None, place, value);
                self.ends[region].push(Stmt::new(StmtKind::Expr(assign)));
            }
        }
    }

    /// An array element in place of the variable, everywhere.
    fn replace(&mut self, var: VarId) {
        let Some((home, at)) = self.place(var) else {
            return;
        };
        let array = self.array(var);
        let decl = self.regions[home].remove(at);
        for region in home..self.regions.len() {
            let slots = save::uses(&self.function.exprs, &self.regions[region], var);
            for slot in slots {
                let element = self.element(array, region);
                save::redirect(&mut self.target(), slot, element);
            }
        }
        let StmtKind::Decl {
            init: Some(init), ..
        } = &decl.kind
        else {
            return;
        };
        let place = self.element(array, home);
        let first = match init {
            Init::Expr(value)
                if self
                    .module
                    .types
                    .as_array(self.function.exprs.ty(place))
                    .is_none() =>
            {
                let assign = self.function.exprs.assign(None, place, *value);
                vec![Stmt::at(StmtKind::Expr(assign), decl.span)]
            }
            _ => {
                let value = self.function.use_var(var);
                let mut stmts = vec![decl];
                stmts.extend(save::copy(&mut self.target(), place, value));
                stmts
            }
        };
        self.regions[home].splice(at..at, first);
    }

    /// Joins what was collected, and drops declarations that nothing uses any more.
    fn finish(mut self, values: &Values) -> Outside {
        for region in 0..self.regions.len() {
            let begin = std::mem::take(&mut self.begins[region]);
            self.regions[region].splice(0..0, begin);
            let end = std::mem::take(&mut self.ends[region]);
            self.regions[region].extend(end);
        }
        for region in 0..self.regions.len() {
            self.drop_unused(region, values);
        }
        self.outside
    }

    /// Drops the declarations of carried variables in a part that does not use them.
    fn drop_unused(&mut self, region: usize, values: &Values) {
        loop {
            let unused = self.regions[region].iter().position(|stmt| {
                let StmtKind::Decl { var, init } = &stmt.kind else {
                    return false;
                };
                let carried = values.fates.iter().any(|(of, ..)| of == var);
                let mut roots = Vec::new();
                if let Some(init) = init {
                    init.exprs(&mut roots);
                }
                carried
                    && !roots.iter().any(|id| self.function.exprs.has_effects(*id))
                    && !self.is_used(region, *var)
            });
            match unused {
                Some(at) => {
                    self.regions[region].remove(at);
                }
                None => return,
            }
        }
    }
}

/// Points the uses of a variable in `stmts` at another.
pub fn redirect_var(function: &mut Function, stmts: &[Stmt], from: VarId, to: VarId) {
    for stmt in stmts {
        stmt.for_each(&mut |stmt| {
            for root in stmt.exprs() {
                redirect_expr(function, root, &[(from, to)]);
            }
        });
    }
}

fn redirect_expr(function: &mut Function, root: ExprId, map: &[(VarId, VarId)]) {
    let mut slots = Vec::new();
    function.exprs.for_each(root, &mut |id| {
        if let Expr::Var(VarRef::Local(var)) = function.exprs.get(id)
            && let Some((_, to)) = map.iter().find(|(from, _)| from == var)
        {
            slots.push((id, *to));
        }
    });
    for (slot, to) in slots {
        let ty = function.vars[to].ty.ty;
        function
            .exprs
            .replace(slot, Expr::Var(VarRef::Local(to)), ty);
    }
}
