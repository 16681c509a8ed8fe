//! What becomes of a value that work-items carry over a barrier.
//!
//! The loop over work-items is cut at each barrier, so a variable of one part is gone in the next. A
//! value that is the same for all work-items of a group is computed once, before the loops. One that
//! is cheap to compute from ids and parameters is computed again. All others are spilled, in an array
//! with an element for each work-item of a group.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Callee, Expr, ExprId, Function, Init, Module, Qualifiers, Scalar, Stmt,
    StmtKind, Type, TypeId, Types, UnaryOp, VarId, VarRef,
};
use fpgacc_kernel_analysis::calls;
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::liveness::{Flow, flow};
use fpgacc_kernel_analysis::variables::{Access, accesses_of_stmt};
use fpgacc_kernel_analysis::work_item::{self, Quantity};

use crate::pass::Note;
use crate::passes::ndrange_to_loop::control::alike::Alike;
use crate::passes::ndrange_to_loop::control::steps::{Region, Schedule};

/// The most operations that are done again in each part rather than spilled.
pub const CHEAP: u32 = 8;

/// The same where a kernel's own loops run outside of those over work-items: these may be far more than in a group, and
/// what is an index moves word by word through memory only if it is computed.
pub const INSTEAD_OF_ALL: u32 = 64;

/// What becomes of a variable that is used in several parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageClass {
    /// Declared outside the loops over work-items; `per_group` states that it differs between groups.
    Uniform {
        /// It depends on the group.
        per_group: bool,
    },
    /// Declared anew in each part that uses it.
    Recomputed,
    /// A variable of its own in each part, copied to and from an element of an array.
    Copied,
    /// An element of an array takes its place everywhere.
    Replaced,
}

impl StorageClass {
    /// Whether an array holds the value of each work-item.
    pub fn is_spilled(self) -> bool {
        matches!(self, StorageClass::Copied | StorageClass::Replaced)
    }
}

/// The class of every variable that is used in several parts, in the order of declaration.
pub struct Values {
    /// The storage classes, with the parts that use the variable.
    pub storage_classes: Vec<(VarId, StorageClass, BTreeSet<usize>)>,
}

/// A variable declared at the top level of a part.
struct Local {
    var: VarId,
    region: usize,
    init: Option<Init>,
    /// The parts that use it.
    uses: BTreeSet<usize>,
    /// It is changed after its declaration.
    written: bool,
    /// Its address goes somewhere.
    escapes: bool,
    /// Its value, the same for all work-items of a group; whether it differs between groups.
    uniform: Option<bool>,
    /// The cost of computing it again.
    cost: Option<u32>,
}

/// Decides for all variables that regions declare.
///
/// # Errors
/// If a value can be carried over a barrier in none of the ways.
pub fn decide(
    module: &Module,
    function: &Function,
    schedule: &Schedule,
    most_cost: u32,
) -> Result<Values, Vec<Note>> {
    let regions = &schedule.regions;
    let mut locals = declared(function, regions);
    note_uses(&module.types, function, regions, &mut locals);
    spread_escaping(&module.types, function, &mut locals, regions.len());
    classify(module, function, (schedule, most_cost), &mut locals);
    let storage_classes = choose(&module.types, function, &mut locals);
    let problems: Vec<Note> = storage_classes
        .iter()
        .filter(|(var, class, _)| {
            class.is_spilled() && !can_be_spilled(&module.types, function.vars[*var].ty.ty)
        })
        .map(|(var, ..)| {
            let variable = &function.vars[*var];
            Note::new(
                format!(
                    "'{}' lives across a barrier, and values of its type cannot be spilled",
                    variable.name
                ),
                variable.span,
            )
        })
        .collect();
    if problems.is_empty() {
        Ok(Values { storage_classes })
    } else {
        Err(problems)
    }
}

/// What each part does to the value that `var` has before it; and, for each part, whether the value
/// after it is needed later. Of each part only the statements that mention `var` are given; its
/// declaration counts as an assignment. `next` states which parts may follow each.
pub fn flows<'s>(
    types: &Types,
    function: &Function,
    parts: impl Iterator<Item = Vec<&'s Stmt>>,
    next: &[BTreeSet<usize>],
    var: VarId,
) -> (Vec<Flow>, Vec<bool>) {
    let flows: Vec<Flow> = parts
        .map(|stmts| flow(types, function, stmts, var))
        .collect();
    let mut live_after = vec![false; flows.len()];
    loop {
        let mut changed = false;
        for at in (0..flows.len()).rev() {
            let live = next[at].iter().any(|&next| {
                let flow = flows[next];
                let later = live_after[next] && !faults::is_on("liveness-of-next-only");
                flow.reads_first || later && !flow.overwrites
            });
            changed |= live != live_after[at];
            live_after[at] = live;
        }
        if !changed {
            return (flows, live_after);
        }
    }
}

fn declared(function: &Function, regions: &[Region]) -> IndexedLocals {
    let mut locals = IndexedLocals::default();
    for (region, part) in regions.iter().enumerate() {
        for stmt in &part.stmts {
            let StmtKind::Decl { var, init } = &stmt.kind else {
                continue;
            };
            if function.vars[*var].space != AddressSpace::Private {
                continue;
            }
            locals.at.insert(*var, locals.list.len());
            locals.list.push(Local {
                var: *var,
                region,
                init: init.clone(),
                uses: BTreeSet::new(),
                written: false,
                escapes: false,
                uniform: None,
                cost: None,
            });
        }
    }
    locals
}

/// The locals in the order of declaration, found by variable.
#[derive(Default)]
struct IndexedLocals {
    list: Vec<Local>,
    at: BTreeMap<VarId, usize>,
}

impl IndexedLocals {
    fn get(&self, var: VarId) -> Option<&Local> {
        self.at.get(&var).map(|&at| &self.list[at])
    }
}

fn note_uses(types: &Types, function: &Function, regions: &[Region], locals: &mut IndexedLocals) {
    for (region, part) in regions.iter().enumerate() {
        for stmt in &part.stmts {
            let declares = match &stmt.kind {
                StmtKind::Decl { var, .. } => Some(*var),
                _ => None,
            };
            accesses_of_stmt(types, function, stmt, &mut |var, access| {
                let Some(&at) = locals.at.get(&var) else {
                    return;
                };
                let local = &mut locals.list[at];
                local.uses.insert(region);
                let is_init = declares == Some(var) && access == Access::Write;
                local.written |= access.may_write() && access != Access::Address && !is_init;
                local.escapes |= access == Access::Address;
            });
        }
    }
}

/// Where a pointer to private memory crosses a barrier, what it points to may be used in any later
/// part.
fn spread_escaping(types: &Types, function: &Function, locals: &mut IndexedLocals, regions: usize) {
    let carries = locals
        .list
        .iter()
        .any(|local| crosses(local) && points_to_private(types, function.vars[local.var].ty.ty));
    if !carries {
        return;
    }
    for local in locals.list.iter_mut().filter(|local| local.escapes) {
        local.uses.extend(local.region..regions);
    }
}

fn crosses(local: &Local) -> bool {
    local.uses.iter().any(|region| *region != local.region)
}

/// Whether a value of this type may hold a pointer to a work-item's own memory. Records are not looked
/// into: they may.
fn points_to_private(types: &Types, ty: TypeId) -> bool {
    match types.resolve(ty) {
        Type::Pointer { space, .. } => {
            matches!(space, AddressSpace::Private | AddressSpace::Generic)
        }
        Type::Array { element, .. } => points_to_private(types, element.ty),
        Type::Record(_) => true,
        _ => false,
    }
}

fn can_be_spilled(types: &Types, ty: TypeId) -> bool {
    match types.resolve(ty) {
        Type::Scalar(_) | Type::Vector(..) | Type::Pointer { .. } => true,
        Type::Record(_) | Type::Enum(_) => true,
        Type::Array { element, len } => len.is_some() && can_be_spilled(types, element.ty),
        _ => false,
    }
}

fn classify(
    module: &Module,
    function: &Function,
    (schedule, most_cost): (&Schedule, u32),
    locals: &mut IndexedLocals,
) {
    for at in 0..locals.list.len() {
        let pure = Pure {
            module,
            function,
            locals,
            schedule,
            most_cost,
            list: schedule.regions[locals.list[at].region].list,
        };
        let (uniform, cost) = pure.classify(&locals.list[at]);
        locals.list[at].uniform = uniform;
        locals.list[at].cost = cost;
    }
}

/// Picks a class for every variable that crosses, and for those that the ones before need.
fn choose(
    types: &Types,
    function: &Function,
    locals: &mut IndexedLocals,
) -> Vec<(VarId, StorageClass, BTreeSet<usize>)> {
    // From the last to the first: a variable is needed where those that are made of it are.
    let mut storage_classes: BTreeMap<usize, StorageClass> = BTreeMap::new();
    let mut hoisted: BTreeSet<VarId> = BTreeSet::new();
    for at in (0..locals.list.len()).rev() {
        let local = &locals.list[at];
        let var = local.var;
        if !crosses(local) && !hoisted.contains(&var) {
            continue;
        }
        let class = match (local.uniform, local.cost) {
            _ if faults::is_on("varying-is-uniform") => StorageClass::Uniform { per_group: true },
            (Some(true), _) if faults::is_on("group-ids-differ-not") => {
                StorageClass::Uniform { per_group: false }
            }
            (Some(per_group), _) => StorageClass::Uniform { per_group },
            (None, Some(_)) => StorageClass::Recomputed,
            _ if local.escapes || is_replaced(types, function, var) => StorageClass::Replaced,
            _ => StorageClass::Copied,
        };
        storage_classes.insert(at, class);
        let (uses, init) = (local.uses.clone(), local.init.clone());
        for below in init_vars(function, init.as_ref()) {
            let Some(&below_at) = locals.at.get(&below) else {
                continue;
            };
            match class {
                StorageClass::Uniform { .. } => {
                    hoisted.insert(below);
                }
                StorageClass::Recomputed => locals.list[below_at].uses.extend(uses.iter()),
                StorageClass::Copied | StorageClass::Replaced => {}
            }
        }
    }
    storage_classes
        .into_iter()
        .map(|(at, class)| {
            let local = &locals.list[at];
            (local.var, class, local.uses.clone())
        })
        .collect()
}

fn is_replaced(types: &Types, function: &Function, var: VarId) -> bool {
    let ty = function.vars[var].ty;
    types.as_array(ty.ty).is_some() || ty.quals.contains(Qualifiers::VOLATILE)
}

fn init_vars(function: &Function, init: Option<&Init>) -> Vec<VarId> {
    let mut roots = Vec::new();
    if let Some(init) = init {
        init.exprs(&mut roots);
    }
    let uses = roots
        .into_iter()
        .flat_map(|root| function.exprs.local_uses(root));
    uses.map(|(_, var)| var).collect()
}

/// What an expression without effects depends on.
#[derive(Clone, Copy)]
struct Made {
    /// It may differ between the work-items of a group.
    per_item: bool,
    /// It may differ between groups.
    per_group: bool,
    /// It is made of a variable that the group changes elsewhere.
    of_shared: bool,
    /// Where it need not be computed it must not be: it may divide by 0.
    may_trap: bool,
    /// Operations; `None` if they should not be done again.
    cost: Option<u32>,
}

impl Made {
    const FIXED: Made = Made {
        per_item: false,
        per_group: false,
        of_shared: false,
        may_trap: false,
        cost: Some(0),
    };

    fn and(self, other: Made) -> Made {
        Made {
            per_item: self.per_item || other.per_item,
            per_group: self.per_group || other.per_group,
            of_shared: self.of_shared || other.of_shared,
            may_trap: self.may_trap || other.may_trap,
            cost: self.cost.zip(other.cost).map(|(a, b)| a + b),
        }
    }

    fn plus(self, cost: Option<u32>) -> Made {
        Made {
            cost: self.cost.zip(cost).map(|(a, b)| a + b),
            ..self
        }
    }
}

struct Pure<'a> {
    module: &'a Module,
    function: &'a Function,
    locals: &'a IndexedLocals,
    schedule: &'a Schedule,
    /// The most operations that are done again.
    most_cost: u32,
    /// The list of the declaration at hand.
    list: usize,
}

impl Pure<'_> {
    /// Whether a variable is uniform (and then whether it differs between groups), and what it costs
    /// to compute it again.
    fn classify(&self, local: &Local) -> (Option<bool>, Option<u32>) {
        let variable = &self.function.vars[local.var];
        let types = &self.module.types;
        let constant_elements = types
            .as_array(variable.ty.ty)
            .is_some_and(|(element, _)| element.quals.contains(Qualifiers::CONST));
        if local.written
            || local.escapes && !constant_elements
            || variable.ty.quals.contains(Qualifiers::VOLATILE)
        {
            return (None, None);
        }
        let Some(init) = &local.init else {
            return (None, None);
        };
        let mut roots = Vec::new();
        init.exprs(&mut roots);
        let mut made = Made::FIXED;
        for root in roots {
            match self.value(root) {
                Some(next) => made = made.and(next),
                None => return (None, None),
            }
        }
        if made.may_trap && self.schedule.has_control() {
            return (None, None);
        }
        let uniform = (!made.per_item && !made.of_shared).then_some(made.per_group);
        let scalar_like = matches!(
            types.resolve(variable.ty.ty),
            Type::Scalar(_) | Type::Vector(..) | Type::Pointer { .. } | Type::Enum(_)
        );
        let cost = made
            .cost
            .filter(|cost| *cost <= self.most_cost && scalar_like && matches!(init, Init::Expr(_)));
        (uniform, cost)
    }

    /// What the value of an expression depends on; `None` if evaluating it earlier, later or more
    /// often may make a difference.
    fn value(&self, id: ExprId) -> Option<Made> {
        let exprs = &self.function.exprs;
        match exprs.get(id) {
            Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Str(_)
            | Expr::EnumConst(..)
            | Expr::BuiltinConst(_)
            | Expr::SizeOf(_) => Some(Made::FIXED),
            Expr::Var(VarRef::Local(var)) => self.variable(*var),
            Expr::Var(VarRef::Global(global)) => {
                let variable = &self.module.globals[*global].variable;
                let is_array = self.module.types.as_array(variable.ty.ty).is_some();
                let fixed = is_array || variable.space == AddressSpace::Constant;
                fixed.then_some(Made::FIXED)
            }
            Expr::Unary { op, operand } => match op {
                UnaryOp::Deref => None,
                UnaryOp::AddressOf => self.address(*operand),
                _ => Some(self.value(*operand)?.plus(self.cost_of(id, 1))),
            },
            Expr::Binary { op, lhs, rhs } => {
                let operations = match op {
                    BinaryOp::Mul => 2,
                    BinaryOp::Div | BinaryOp::Rem => match exprs.get(*rhs) {
                        Expr::Int { .. } => 3,
                        _ => CHEAP + 1,
                    },
                    _ => 1,
                };
                let mut made = self.value(*lhs)?.and(self.value(*rhs)?);
                let by_literal = matches!(exprs.get(*rhs), Expr::Int { value, .. } if *value != 0);
                let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
                made.may_trap |= divides && !by_literal && !self.is_float(id);
                Some(made.plus(self.cost_of(*lhs, operations)))
            }
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => {
                let made = self.value(*cond)?.and(self.value(*then)?);
                Some(made.and(self.value(*otherwise)?).plus(Some(1)))
            }
            Expr::Index { base, index } => self.constant_element(*base, *index),
            Expr::Member {
                base, arrow: false, ..
            }
            | Expr::Swizzle { base, .. } => self.value(*base),
            Expr::Cast { operand, .. } => self.value(*operand),
            Expr::VectorLit { elements } => {
                let mut made = Made::FIXED;
                for element in elements {
                    made = made.and(self.value(*element)?);
                }
                Some(made)
            }
            Expr::Call {
                callee: Callee::Builtin(name),
                args,
            } => self.builtin(id, name, args),
            _ => None,
        }
    }

    fn variable(&self, var: VarId) -> Option<Made> {
        let variable = &self.function.vars[var];
        let is_array = self.module.types.as_array(variable.ty.ty).is_some();
        if variable.space != AddressSpace::Private {
            // An array's name is its address, which stays; a scalar's is its value.
            let fixed = is_array || variable.space == AddressSpace::Constant;
            return fixed.then(|| self.shared_variable(var));
        }
        if self.function.params.contains(&var) {
            // Parameters that are changed were replaced by copies.
            return Some(Made::FIXED);
        }
        if self.schedule.shared.contains(&var) {
            return self.schedule.is_steady(var, self.list).then_some(Made {
                per_group: true,
                of_shared: true,
                ..Made::FIXED
            });
        }
        let local = self.locals.get(var)?;
        if is_array {
            return None;
        }
        match (local.uniform, local.cost) {
            (Some(per_group), cost) => Some(Made {
                per_group,
                cost: cost.or(Some(0)),
                ..Made::FIXED
            }),
            (None, Some(cost)) => Some(Made {
                per_item: true,
                per_group: true,
                of_shared: true,
                cost: Some(cost),
                ..Made::FIXED
            }),
            (None, None) => None,
        }
    }

    /// The address of a variable that is not a work-item's own.
    fn shared_variable(&self, var: VarId) -> Made {
        let differs = !self.schedule.alike.share(self.function.vars[var].space);
        Made {
            per_item: differs,
            ..Made::FIXED
        }
    }

    /// `&location`, which reads nothing of the location itself.
    fn address(&self, location: ExprId) -> Option<Made> {
        let exprs = &self.function.exprs;
        match exprs.get(location) {
            Expr::Var(VarRef::Local(var)) => {
                let shared = self.function.vars[*var].space != AddressSpace::Private;
                shared.then(|| self.shared_variable(*var))
            }
            Expr::Var(VarRef::Global(_)) => Some(Made::FIXED),
            Expr::Index { base, index } => {
                let made = self.base(*base)?.and(self.value(*index)?);
                Some(made.plus(Some(1)))
            }
            Expr::Member { base, arrow, .. } => {
                if *arrow {
                    self.base(*base)
                } else {
                    self.address(*base)
                }
            }
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => self.base(*operand),
            _ => None,
        }
    }

    /// The address that `base` is, or decays to.
    fn base(&self, base: ExprId) -> Option<Made> {
        let is_array = self
            .module
            .types
            .as_array(self.function.exprs.ty(base))
            .is_some();
        if is_array {
            self.address(base)
        } else {
            self.value(base)
        }
    }

    /// `base[index]` in memory that never changes.
    fn constant_element(&self, base: ExprId, index: ExprId) -> Option<Made> {
        let exprs = &self.function.exprs;
        let is_constant = match exprs.get(base) {
            Expr::Var(VarRef::Global(global)) => {
                self.module.globals[*global].variable.space == AddressSpace::Constant
            }
            _ => self
                .module
                .types
                .as_pointer(exprs.ty(base))
                .is_some_and(|(_, space)| space == AddressSpace::Constant),
        };
        if !is_constant {
            return None;
        }
        let mut made = self.base(base)?.and(self.value(index)?);
        made.may_trap = true;
        Some(made.plus(None))
    }

    fn builtin(&self, id: ExprId, name: &str, args: &[ExprId]) -> Option<Made> {
        let mut made = Made::FIXED;
        for arg in args {
            made = made.and(self.value(*arg)?);
        }
        if let Some(query) = work_item::query(self.module, self.function, id) {
            let quantity: Quantity = query.quantity;
            made.per_item |= match self.schedule.alike {
                Alike::Group(_) => quantity.differs_in_group(),
                alike @ Alike::Lanes(..) => !alike.answers(query),
            };
            made.per_group |= quantity.differs_between_groups();
            return Some(made);
        }
        if !calls::builtin_computes(self.module, self.function, name, args) {
            return None;
        }
        let simple = matches!(name, "mul24" | "mad24" | "min" | "max" | "abs" | "clamp")
            || name.starts_with("convert_")
            || name.starts_with("as_");
        let cost = if simple { self.cost_of(id, 2) } else { None };
        Some(made.plus(cost))
    }

    fn is_float(&self, id: ExprId) -> bool {
        let scalar = self.module.types.component(self.function.exprs.ty(id));
        scalar.is_some_and(Scalar::is_float)
    }

    /// The cost of an operation on operands of the type of `operand`: floating-point ones are not
    /// done again.
    fn cost_of(&self, operand: ExprId, operations: u32) -> Option<u32> {
        (!self.is_float(operand)).then_some(operations)
    }
}
