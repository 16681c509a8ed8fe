//! Which nests may do several launches in a row.
//!
//! A host that launches a stencil again and again, with the buffers that it reads and writes exchanged each time,
//! has each launch read from memory what the one before it wrote there. As one launch of several *stages* it
//! need not: a stage works on the locations of the launch that it stands for, behind the stage before it by as many
//! elements as lie between what an iteration reads first and what it writes, and takes from that stage what it
//! would have read ("temporal blocking": Zohouri, Podobas and Matsuoka, "Combined spatial and temporal
//! blocking for high-performance stencil computation on FPGAs using OpenCL", FPGA 2018, with whole rows and
//! planes in place of overlapped blocks).
//!
//! Where a launch leaves locations of the written buffer as they were, the next one reads what was there: so does
//! the next stage. What is written between the first and the last stage reaches no memory. The runtime sees to it
//! that nobody misses that: the last launch before anything else looks at the buffers is one by itself, and
//! writes those locations again. Hence which locations a launch writes may not depend on what it reads there.
//!
//! A wave keeps its last two states in the two arrays, and its kernel also reads the element that it writes. Stages
//! find that in the window of the stage before them, and the last but one writes to memory, too: to where the first
//! reads, which is well ahead.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    Block, Callee, Expr, ExprId, FileNames, Function, FunctionId, Module, Qualifiers, Stmt,
    StmtKind, Type, TypeId, Types, VarId, VarRef, builtin_has_effects,
};
use fpgacc_kernel_analysis::accesses::{Access, Accesses, Summaries};
use fpgacc_kernel_analysis::alias::{Aliases, Root};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::poly::Poly;
use fpgacc_kernel_analysis::variables::declared;
use fpgacc_runtime::contract::{Form, Hidden, LaunchContract, Steps};
use fpgacc_runtime::guard::Guard;

use super::address::{Address, position};
use super::nests::Level;
use super::reads::{Read, Store};
use super::row::Row;
use super::slots::Window;
use super::walk::{LARGEST, Walk};
use super::when::Interval;

mod sources;

/// Functions that call each other are followed so far.
const MOST_CALLS: usize = 4;

/// Gives a kernel whose nest does several launches in a row the argument that says how many.
pub fn launched(
    module: &mut Module,
    kernel: FunctionId,
    walk: &mut Walk,
    contract: &mut LaunchContract,
    names: &FileNames,
) {
    let Some(row) = &mut walk.row else {
        return;
    };
    let function = &mut module.functions[kernel];
    let index = |var: VarId| {
        let at = function.params.iter().position(|param| *param == var);
        at.map(|at| at as u32)
    };
    let (Some(from), Some(to), Form::Task(task)) =
        (index(row.from), index(row.to), &mut contract.form)
    else {
        walk.row = None;
        return;
    };
    let others: Vec<u32> = row.others.iter().copied().filter_map(index).collect();
    task.hidden.push(Hidden::Steps(Steps {
        most: row.stages as u32,
        from,
        to,
        writes_both: !row.olds.is_empty(),
    }));
    for other in others.into_iter().chain([from]) {
        contract.guard(Guard::Distinct(other.min(to), other.max(to)));
    }
    if !row.olds.is_empty() {
        let ty = &mut function.vars[row.from].ty;
        ty.ty = writable(&mut module.types, ty.ty);
    }
    let int = module.types.int();
    let count = function.add_var("fpgacc_steps", int, names);
    function.params.push(count);
    row.count = Some(count);
}

/// A pointer to what may be written.
fn writable(types: &mut Types, ty: TypeId) -> TypeId {
    let Some((mut pointee, space)) = types.as_pointer(ty) else {
        return ty;
    };
    pointee.quals.remove(Qualifiers::CONST);
    types.intern(Type::Pointer { pointee, space })
}

/// What a nest is that is looked at.
pub struct Nest<'n, 'a> {
    /// What points where.
    pub aliases: &'n Aliases<'a>,
    /// What functions access.
    pub summaries: &'n Summaries,
    /// Its loops.
    pub levels: &'n [Level<'n>],
    /// The first and last value of each counter.
    pub values: &'n [Interval],
    /// All that it accesses.
    pub region: &'n Accesses,
    /// The numbers of its counters.
    pub numbers: &'n [usize],
}

impl Nest<'_, '_> {
    /// How the nest does so many launches in a row.
    ///
    /// # Errors
    /// It cannot, because ..
    pub fn in_a_row(
        &self,
        walk: &Walk,
        reads: &BTreeMap<ExprId, Read>,
        stores: &BTreeMap<ExprId, Store>,
        stages: i128,
    ) -> Result<Row, String> {
        if walk.positions.is_none() {
            return Err("its counter is seen after it".into());
        }
        self.is_all()?;
        let (to, target) = self.target(stores)?;
        let window = self.window_like(to, walk)?;
        let (strides, rest, ahead) = position(&target, self.numbers)
            .ok_or("what it writes does not move on with its loops")?;
        let is_aligned = walk.levels.iter().map(|step| step.stride).eq(strides);
        if !is_aligned || rest != window.rest {
            return Err("it does not write where it reads".into());
        }
        let stores: BTreeSet<ExprId> = stores.keys().copied().collect();
        let mut body = self.levels[self.levels.len() - 1].body().to_vec();
        if let Some(guard) = walk.guard {
            body = guard.removed(body);
        }
        self.is_in_window(window, reads)?;
        let olds = olds(reads, to, &target);
        let arrays = match olds.is_empty() {
            true => &[window.array][..],
            false => &[window.array, to],
        };
        let sources = sources::Sources::of(self.aliases, arrays, &body);
        sources.check(&body, &stores)?;
        let others = self.others(window, to, (&stores, &olds))?;
        let plain = without_continue(body).ok_or("an iteration may end in the middle")?;
        let (first, last) = walk.span.unwrap_or_default();
        let behind = window.hull.1 - ahead;
        if !olds.iter().all(|old| self.is_held(window, &reads[old])) {
            return Err("it also reads what it writes, beyond its window".into());
        }
        let end = walk.positions.map_or(last, |(_, last)| last);
        if end + stages * (behind.abs() + walk.lanes) >= LARGEST {
            return Err("its indices are too large".into());
        }
        let is_complete = self.is_without_gaps(walk)
            && always_writes(self.aliases.function, &plain, &stores)
            && window.sure.0 >= first + ahead
            && window.sure.1 <= last + ahead;
        let handed_on = reads.iter().filter(|(id, read)| {
            others.contains(&read.array)
                && self.moves_on(walk, (**id, read))
                && !sources.is_chosen(**id)
        });
        let handed_on = handed_on.map(|(id, _)| *id).collect();
        Ok(Row {
            stages,
            from: window.array,
            to,
            target,
            behind,
            ahead,
            is_complete,
            olds,
            handed_on,
            others,
            count: None,
        })
    }

    /// The only window of another array of a written one's type.
    fn window_like<'w>(&self, to: VarId, walk: &'w Walk) -> Result<&'w Window, String> {
        let types = &self.aliases.module.types;
        let own = types.as_pointer(self.aliases.function.vars[to].ty.ty);
        let own = own.map(|(element, _)| types.resolve(element.ty));
        let is_like = |window: &&Window| {
            window.array != to && own.as_ref() == Some(&types.resolve(window.element))
        };
        let mut like = walk.windows.iter().filter(is_like);
        match (like.next(), like.next()) {
            (Some(window), None) => Ok(window),
            _ => Err(
                "it is not one array of the written one's type that is read through one window"
                    .into(),
            ),
        }
    }

    /// Whether a read that no window has moves on with the nest's loops.
    fn moves_on(&self, walk: &Walk, (id, read): (ExprId, &Read)) -> bool {
        let moves = read.reaches.iter().all(|reach| {
            let location = position(&reach.poly, self.numbers);
            let is_moving =
                location.is_some_and(|(by, ..)| walk.levels.iter().map(|step| step.stride).eq(by));
            is_moving && reach.copies.is_empty()
        });
        let mut taken = walk.windows.iter().flat_map(|window| &window.reads);
        moves && read.address.choices() == 1 && !taken.any(|(taken, _)| *taken == id)
    }

    /// Whether the nest is all that the kernel does.
    fn is_all(&self) -> Result<(), String> {
        let body = self.aliases.function.body.as_ref();
        let stmts = body.map_or(&[][..], |body| &body.stmts[..]);
        match self.is_all_of(stmts) {
            true => Ok(()),
            false => Err("the kernel does more than this nest".into()),
        }
    }

    fn is_all_of(&self, stmts: &[Stmt]) -> bool {
        stmts.iter().all(|stmt| match &stmt.kind {
            _ if std::ptr::eq(stmt, self.levels[0].stmt) => true,
            StmtKind::Block(block) => self.is_all_of(&block.stmts),
            StmtKind::Comment(_) => true,
            StmtKind::Decl { .. } | StmtKind::Expr(_) => {
                let own =
                    Accesses::of_stmts(self.aliases, self.summaries, std::slice::from_ref(stmt));
                let is_private = |access: &Access| access.roots.iter().all(is_object);
                own.synchronises.is_none()
                    && own.list.iter().all(is_private)
                    && !self.has_effects(std::slice::from_ref(stmt))
            }
            _ => false,
        })
    }

    /// The array that is written, and where.
    fn target(&self, stores: &BTreeMap<ExprId, Store>) -> Result<(VarId, Poly), String> {
        let mut all = stores.values();
        let several = || "it writes more than one element of one array in an iteration".to_string();
        let Store { array, poly } = all.next().ok_or_else(several)?;
        match all.all(|store| store.array == *array && store.poly == *poly) {
            true => Ok((*array, poly.clone())),
            false => Err(several()),
        }
    }

    /// Whether reads of the window's array are of elements that it holds, whichever way they go.
    fn is_in_window(&self, window: &Window, reads: &BTreeMap<ExprId, Read>) -> Result<(), String> {
        let taken = window.reads.iter().filter_map(|(id, _)| reads.get(id));
        let mut reaches = taken.flat_map(|read| &read.reaches);
        let is_held = reaches.all(|reach| {
            let location = position(&reach.poly, self.numbers);
            location.is_some_and(|(.., offset)| (window.hull.0..=window.hull.1).contains(&offset))
        });
        match is_held {
            true => Ok(()),
            false => Err(format!(
                "'{}' is not only read through its window",
                self.aliases.function.vars[window.array].name
            )),
        }
    }

    /// Whether the window holds the elements that another array is read at, by the time that they are read.
    fn is_held(&self, window: &Window, read: &Read) -> bool {
        read.reaches.iter().all(|reach| {
            let Some((strides, _, offset)) = position(&reach.poly, self.numbers) else {
                return false;
            };
            let (first, last) = reach.when.span(&strides);
            (window.hull.0..=window.hull.1).contains(&offset)
                && first + offset >= window.sure.0
                && last + offset <= window.sure.1
        })
    }

    /// What is read beside the window. Nothing else happens in the nest.
    fn others(
        &self,
        window: &Window,
        to: VarId,
        (stores, olds): (&BTreeSet<ExprId>, &BTreeSet<ExprId>),
    ) -> Result<BTreeSet<VarId>, String> {
        let nest = self.levels[0].stmt;
        let own = declared(std::slice::from_ref(nest));
        let params = &self.aliases.function.params;
        if self.has_effects(std::slice::from_ref(nest)) {
            return Err("it calls what does more than compute".into());
        }
        let mut others = BTreeSet::new();
        for access in &self.region.list {
            let name = |var: &VarId| self.aliases.function.vars[*var].name.clone();
            for root in &access.roots {
                match root {
                    Root::Object(VarRef::Local(var)) if access.write && !own.contains(var) => {
                        return Err(format!(
                            "it changes '{}', which is declared outside",
                            name(var)
                        ));
                    }
                    Root::Object(VarRef::Local(_)) => {}
                    Root::Object(_) if !access.write => {}
                    Root::Param(var)
                        if access.write && *var == to && stores.contains(&access.at) => {}
                    Root::Param(var) if access.write => {
                        return Err(format!("it also writes '{}'", name(var)));
                    }
                    Root::Param(var) if *var == window.array => {
                        let mut taken = window.reads.iter().map(|(id, _)| *id);
                        if !taken.any(|id| id == access.at) {
                            return Err(format!(
                                "'{}' is not only read through its window",
                                name(var)
                            ));
                        }
                    }
                    Root::Param(var) if *var == to && olds.contains(&access.at) => {}
                    Root::Param(var) if *var == to => {
                        return Err(format!("it also reads '{}'", name(var)));
                    }
                    Root::Param(var) if params.contains(var) => {
                        others.insert(*var);
                    }
                    _ => return Err("it accesses memory that is not known".into()),
                }
            }
        }
        Ok(others)
    }

    /// Whether statements call anything that does more than compute a value.
    fn has_effects(&self, stmts: &[Stmt]) -> bool {
        let function = self.aliases.function;
        let mut has_effect = |id| match function.exprs.get(id) {
            Expr::Call {
                callee: Callee::Builtin(name),
                ..
            } => builtin_has_effects(name),
            Expr::Call {
                callee: Callee::Function(callee),
                ..
            } => !self.only_computes(*callee, MOST_CALLS),
            _ => false,
        };
        stmts
            .iter()
            .any(|stmt| stmt.any_expr(&function.exprs, &mut has_effect))
    }

    /// Whether a function only computes a value, calls in it counted to a depth.
    fn only_computes(&self, id: FunctionId, depth: usize) -> bool {
        let module = self.aliases.module;
        let Some(body) = module.functions[id].body.as_ref().filter(|_| depth > 0) else {
            return false;
        };
        let summary = self.summaries.get(module, id);
        let mut is_plain = !summary.synchronises
            && !summary.unknown.1
            && !summary.params.iter().any(|(_, writes)| *writes)
            && !summary.globals.values().any(|writes| *writes);
        let exprs = &module.functions[id].exprs;
        body.for_each_expr(exprs, &mut |expr| match exprs.get(expr) {
            Expr::Call {
                callee: Callee::Builtin(name),
                ..
            } => is_plain &= !builtin_has_effects(name),
            Expr::Call {
                callee: Callee::Function(callee),
                ..
            } => is_plain &= self.only_computes(*callee, depth - 1),
            _ => {}
        });
        is_plain
    }

    /// Whether the nest comes by all locations between its first and its last.
    fn is_without_gaps(&self, walk: &Walk) -> bool {
        let mut pairs = walk.levels.windows(2).zip(&self.values[1..]);
        pairs.all(|(pair, (first, last))| pair[0].stride == pair[1].stride * (last - first + 1))
    }
}

/// The reads of the element that is written.
fn olds(reads: &BTreeMap<ExprId, Read>, to: VarId, target: &Poly) -> BTreeSet<ExprId> {
    let is_old = |read: &Read| {
        // An index that may wrap where it is read is no read that is known.
        let is_there = matches!(&read.address, Address::At { poly, .. } if poly == target);
        read.array == to && is_there
    };
    let olds = reads.iter().filter(|(_, read)| is_old(read));
    olds.map(|(id, _)| *id).collect()
}

fn is_object(root: &Root) -> bool {
    matches!(root, Root::Object(VarRef::Local(_)))
}

/// Whether statements write one of these, whichever way they go.
fn always_writes(function: &Function, stmts: &[Stmt], stores: &BTreeSet<ExprId>) -> bool {
    for stmt in stmts {
        let writes = match &stmt.kind {
            StmtKind::Expr(id) => {
                matches!(function.exprs.get(*id), Expr::Assign { lhs, .. } if stores.contains(lhs))
            }
            StmtKind::Block(block) => always_writes(function, &block.stmts, stores),
            StmtKind::If {
                then,
                otherwise: Some(otherwise),
                ..
            } => {
                always_writes(function, &then.stmts, stores)
                    && always_writes(function, &otherwise.stmts, stores)
            }
            _ => false,
        };
        if writes || loops::leaves(stmt, true, true) {
            return writes;
        }
    }
    false
}

/// The same statements without `continue`: what it leaves out becomes another branch. `None`: it stands where that
/// is not known to be the same.
pub fn without_continue(mut stmts: Vec<Stmt>) -> Option<Vec<Stmt>> {
    let Some(at) = stmts
        .iter()
        .position(|stmt| loops::leaves(stmt, true, true))
    else {
        return Some(stmts);
    };
    let after = stmts.split_off(at + 1);
    let mut stmt = stmts.pop()?;
    if matches!(stmt.kind, StmtKind::Continue) {
        return Some(stmts);
    }
    if let StmtKind::Block(block) = &mut stmt.kind {
        // Its names are no others'.
        stmts.append(&mut block.stmts);
        stmts.extend(after);
        return without_continue(stmts);
    }
    let StmtKind::If {
        then, otherwise, ..
    } = &mut stmt.kind
    else {
        return None;
    };
    let ends = |list: &[Stmt]| matches!(list.last(), Some(last) if matches!(last.kind, StmtKind::Continue));
    let mut other = std::mem::take(otherwise).unwrap_or_default().stmts;
    match (ends(&then.stmts), ends(&other)) {
        (true, _) => other.extend(after),
        (false, true) => then.stmts.extend(after),
        (false, false) => return None,
    }
    then.stmts = without_continue(std::mem::take(&mut then.stmts))?;
    let other = without_continue(other)?;
    *otherwise = Some(Block::of(other)).filter(|block| !block.stmts.is_empty());
    stmts.push(stmt);
    Some(stmts)
}
