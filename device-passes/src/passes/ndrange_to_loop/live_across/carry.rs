//! Carries values over barriers: rewrites the parts of a kernel as [`crate::passes::ndrange_to_loop::live_across::values`] decides.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{ExprId, FileNames, Function, Init, Module, Stmt, StmtKind, VarId};
use fpgacc_kernel_analysis::faults;

use crate::copy::redirect_all;
use crate::passes::ndrange_to_loop::control::steps::Schedule;
use crate::passes::ndrange_to_loop::live_across::spill::{self, Layout};
use crate::passes::ndrange_to_loop::live_across::values::{self, StorageClass, Values};
use crate::passes::ndrange_to_loop::statements::declaration;
use crate::passes::ndrange_to_loop::work_items::ids::{Ids, Target};

/// What stands outside the loops over work-items.
#[derive(Default)]
pub struct Outside {
    /// Declarations that are the same for all groups.
    pub kernel: Vec<Stmt>,
    /// Declarations for each group.
    pub group: Vec<Stmt>,
    /// The variables with an array for their values.
    pub spilled: BTreeSet<VarId>,
}

/// Rewrites the parts. `items` are the loop variables of each part.
pub fn carry(
    module: &mut Module,
    function: &mut Function,
    taken: &FileNames,
    schedule: &mut Schedule,
    values: &Values,
    (ids, items, layout): (&mut Ids, &[[Option<VarId>; 3]], &Layout),
) -> Outside {
    let carried: BTreeSet<VarId> = values
        .storage_classes
        .iter()
        .map(|(var, ..)| *var)
        .collect();
    let next = schedule.successors();
    let parts = schedule
        .regions
        .iter_mut()
        .map(|region| Part::of(function, std::mem::take(&mut region.stmts), &carried))
        .collect();
    let mut carrier = Carrier {
        module,
        function,
        taken,
        parts,
        next,
        ids,
        items,
        layout,
        outside: Outside::default(),
    };
    let recipes = carrier.recipes(values);
    for (var, class, uses) in &values.storage_classes {
        let var = *var;
        match *class {
            StorageClass::Uniform { per_group } => carrier.hoist(var, per_group),
            StorageClass::Recomputed => carrier.recompute(var, uses, &recipes),
            StorageClass::Copied => carrier.copy(var),
            StorageClass::Replaced => carrier.replace(var),
        }
    }
    let Carrier { parts, outside, .. } = carrier;
    for (region, part) in schedule.regions.iter_mut().zip(parts) {
        region.stmts = part.join();
        drop_unused(function, &mut region.stmts, &carried);
    }
    outside
}

/// A part of the kernel under change.
struct Part {
    /// Its statements; where one was replaced, what stands for it.
    stmts: Vec<Vec<Stmt>>,
    /// Where the carried variables that are declared here are.
    declared: BTreeMap<VarId, usize>,
    /// Where carried variables are used: the expressions, and the statements that hold them.
    uses: BTreeMap<VarId, (Vec<ExprId>, BTreeSet<usize>)>,
    /// What stands in for variables of earlier parts.
    twins: BTreeMap<VarId, VarId>,
    begin: Vec<Stmt>,
    end: Vec<Stmt>,
}

impl Part {
    fn of(function: &Function, stmts: Vec<Stmt>, carried: &BTreeSet<VarId>) -> Self {
        let mut declared = BTreeMap::new();
        let mut uses: BTreeMap<VarId, (Vec<ExprId>, BTreeSet<usize>)> = BTreeMap::new();
        for (at, stmt) in stmts.iter().enumerate() {
            if let StmtKind::Decl { var, .. } = stmt.kind
                && carried.contains(&var)
            {
                declared.insert(var, at);
            }
            for (id, var) in stmt.local_uses(&function.exprs) {
                if carried.contains(&var) {
                    let (slots, at_stmts) = uses.entry(var).or_default();
                    slots.push(id);
                    at_stmts.insert(at);
                }
            }
        }
        Part {
            stmts: stmts.into_iter().map(|stmt| vec![stmt]).collect(),
            declared,
            uses,
            twins: BTreeMap::new(),
            begin: Vec::new(),
            end: Vec::new(),
        }
    }

    /// The statements that declare or use a variable.
    fn mentions(&self, var: VarId) -> Vec<&Stmt> {
        let mut at: BTreeSet<usize> = self.declared.get(&var).copied().into_iter().collect();
        if let Some((_, stmts)) = self.uses.get(&var) {
            at.extend(stmts);
        }
        at.into_iter().flat_map(|at| &self.stmts[at]).collect()
    }

    fn is_used(&self, var: VarId) -> bool {
        self.uses.contains_key(&var)
    }

    fn join(mut self) -> Vec<Stmt> {
        let mut out = self.begin;
        out.extend(self.stmts.into_iter().flatten());
        out.append(&mut self.end);
        out
    }
}

struct Carrier<'a> {
    module: &'a mut Module,
    function: &'a mut Function,
    taken: &'a FileNames,
    parts: Vec<Part>,
    /// The parts that may follow each.
    next: Vec<BTreeSet<usize>>,
    ids: &'a mut Ids,
    items: &'a [[Option<VarId>; 3]],
    layout: &'a Layout,
    outside: Outside,
}

impl Carrier<'_> {
    /// Where a variable is declared: part and statement.
    fn declared_at(&self, var: VarId) -> Option<(usize, usize)> {
        let mut parts = self.parts.iter().enumerate();
        parts.find_map(|(region, part)| Some((region, *part.declared.get(&var)?)))
    }

    fn hoist(&mut self, var: VarId, per_group: bool) {
        let Some((region, at)) = self.declared_at(var) else {
            return;
        };
        let stmts = std::mem::take(&mut self.parts[region].stmts[at]);
        if per_group {
            self.outside.group.extend(stmts);
        } else {
            self.outside.kernel.extend(stmts);
        }
    }

    /// Declares a twin of `var` at the head of a part, to which the part's uses go.
    fn twin(&mut self, region: usize, var: VarId, init: Option<ExprId>) -> VarId {
        let twin = self.function.vars.add(self.function.vars[var].clone());
        let part = &mut self.parts[region];
        if let Some((slots, _)) = part.uses.get(&var) {
            for &slot in slots {
                self.function.point_to(slot, twin);
            }
        }
        part.begin.push(declaration(twin, init));
        part.twins.insert(var, twin);
        twin
    }

    /// The expressions that variables are recomputed by, as they are before anything changes.
    fn recipes(&mut self, values: &Values) -> BTreeMap<VarId, ExprId> {
        let mut out = BTreeMap::new();
        for (var, class, _) in &values.storage_classes {
            if *class == StorageClass::Recomputed
                && let Some((home, at)) = self.declared_at(*var)
                && let Some(StmtKind::Decl {
                    init: Some(Init::Expr(init)),
                    ..
                }) = self.parts[home].stmts[at].first().map(|stmt| &stmt.kind)
            {
                out.insert(*var, self.function.exprs.duplicate(*init));
            }
        }
        out
    }

    fn recompute(&mut self, var: VarId, uses: &BTreeSet<usize>, recipes: &BTreeMap<VarId, ExprId>) {
        let (Some((home, _)), Some(recipe)) = (self.declared_at(var), recipes.get(&var)) else {
            return;
        };
        for &region in uses.iter().filter(|region| **region != home) {
            let value = self.function.exprs.duplicate(*recipe);
            let uses = self.function.exprs.local_uses(value);
            redirect_all(self.function, uses, &self.parts[region].twins);
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
        self.outside.spilled.insert(var);
        array
    }

    /// A variable in each part, spilled and reloaded where its value is needed.
    fn copy(&mut self, var: VarId) {
        let Some((home, _)) = self.declared_at(var) else {
            return;
        };
        let mentions = self.parts.iter().map(|part| part.mentions(var));
        let (flows, live_after) =
            values::flows(&self.module.types, self.function, mentions, &self.next, var);
        let spills: Vec<bool> = (0..flows.len())
            .map(|at| live_after[at] && flows[at].may_write)
            .collect();
        let loads: Vec<bool> = (0..flows.len())
            .map(|at| at != home && (flows[at].reads_first || spills[at] && !flows[at].overwrites))
            .collect();
        let array = loads.contains(&true).then(|| self.array(var));
        for region in 0..flows.len() {
            let mut local = var;
            if region != home {
                if !self.parts[region].is_used(var) {
                    continue;
                }
                let init = match array {
                    Some(array) if loads[region] && !faults::is_on("reload-dropped") => {
                        Some(self.element(array, region))
                    }
                    _ => None,
                };
                local = self.twin(region, var, init);
            }
            if let (Some(array), true) = (array, spills[region])
                && !faults::is_on("spill-dropped")
            {
                let location = self.element(array, region);
                let value = self.function.use_var(local);
                let assign = self.function.exprs.assign(None, location, value);
                let spill = Stmt::new(StmtKind::Expr(assign));
                self.parts[region].end.push(spill);
            }
        }
    }

    /// An array element in place of the variable, everywhere.
    fn replace(&mut self, var: VarId) {
        let Some((home, at)) = self.declared_at(var) else {
            return;
        };
        let array = self.array(var);
        for region in 0..self.parts.len() {
            let slots = match self.parts[region].uses.get(&var) {
                Some((slots, _)) => slots.clone(),
                None => continue,
            };
            for slot in slots {
                let element = self.element(array, region);
                let exprs = &mut self.function.exprs;
                exprs.replace(slot, exprs.get(element).clone(), exprs.ty(element));
            }
        }
        let Some(decl) = self.parts[home].stmts[at].pop() else {
            return;
        };
        let StmtKind::Decl {
            init: Some(init), ..
        } = &decl.kind
        else {
            return;
        };
        if faults::is_on("initialiser-lost") {
            return;
        }
        let location = self.element(array, home);
        let location_ty = self.function.exprs.ty(location);
        let stmts = match init {
            Init::Expr(value) if self.module.types.as_array(location_ty).is_none() => {
                let assign = self.function.exprs.assign(None, location, *value);
                vec![Stmt::at(StmtKind::Expr(assign), decl.span)]
            }
            _ => {
                // Only a declaration takes a list: it fills a temporary.
                let value = self.function.use_var(var);
                let mut stmts = vec![decl];
                stmts.extend(spill::copy(&mut self.target(), location, value));
                stmts
            }
        };
        self.parts[home].stmts[at] = stmts;
    }
}

/// Drops the declarations of carried variables in a part that does not use them.
fn drop_unused(function: &Function, region: &mut Vec<Stmt>, carried: &BTreeSet<VarId>) {
    let mut uses: BTreeMap<VarId, usize> = BTreeMap::new();
    for stmt in region.iter() {
        for (_, var) in stmt.local_uses(&function.exprs) {
            *uses.entry(var).or_default() += 1;
        }
    }
    // From the last to the first: what a dropped declaration used may be unused then.
    let mut kept = Vec::with_capacity(region.len());
    for stmt in std::mem::take(region).into_iter().rev() {
        let droppable = match stmt.kind {
            StmtKind::Decl { var, .. } => {
                carried.contains(&var)
                    && uses.get(&var).is_none_or(|count| *count == 0)
                    && !stmt
                        .exprs()
                        .iter()
                        .any(|id| function.exprs.has_effects(*id))
            }
            _ => false,
        };
        if !droppable {
            kept.push(stmt);
            continue;
        }
        for (_, var) in stmt.local_uses(&function.exprs) {
            if let Some(count) = uses.get_mut(&var) {
                *count -= 1;
            }
        }
    }
    kept.reverse();
    *region = kept;
}
