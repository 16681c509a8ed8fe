//! Which reads find what an iteration before stored.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Expr, ExprId, FunctionId, Module, Scalar, Stmt, StmtKind, TypeId,
    UnaryOp, VarId, VarRef,
};
use fpgacc_kernel_analysis::accesses::{Access, Accesses, Summaries};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::indices::Indices;
use fpgacc_kernel_analysis::location::{Around, Locations};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::{Header, Nests};
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use fpgacc_kernel_analysis::sure::Sure;
use fpgacc_kernel_analysis::trip_count::trip_count;

use crate::around_loop::Plan;
use crate::pass::Note;

/// Iterations that a value is kept for at most. Each takes a register.
const DEEPEST: usize = 16;

/// A value that goes from one iteration to the next.
#[derive(Clone, Debug)]
pub struct Forwarded {
    /// The array's name is the register's.
    pub array: VarId,
    /// The assignment that stores the value: a statement of the loop's body.
    pub store: ExprId,
    /// The reads that find it in a later iteration, and by how many iterations it is later.
    pub reads: Vec<(ExprId, usize)>,
    /// The iterations that a value is kept for: the latest read's.
    pub depth: usize,
    /// A read as late as that, which the first iteration is sure to make.
    pub first: ExprId,
    /// By how many elements the store moves on in an iteration.
    pub moves: i128,
    /// The type that the read's index must become before anything is added to it.
    pub index: Option<TypeId>,
    /// The counter, and its first value.
    pub start: (VarId, ExprId),
    /// Variables of the body that the read's index is made of, and what they are.
    pub fixed: Vec<(VarId, ExprId)>,
}

/// What a function's loops forward.
pub fn plan(
    module: &Module,
    id: FunctionId,
    summaries: &Summaries,
    called: &BTreeSet<FunctionId>,
) -> Plan<Forwarded> {
    let function = &module.functions[id];
    let mut plan = Plan::default();
    let Some(body) = loops::structured_body(function) else {
        return plan;
    };
    let judge = Judge {
        locations: Locations::of(module, id, called, summaries),
        nests: Nests::of(module, function),
    };
    // A loop inside of one with a register, or around one, is left: their reads may be the same.
    let mut taken: Vec<(usize, usize)> = Vec::new();
    loops::for_each(body, &mut |at, stmt| {
        let range = (at, at + loops::count(stmt));
        let meets = |known: &(usize, usize)| known.0 < range.1 && range.0 < known.1;
        if taken.iter().any(meets) {
            return;
        }
        let found = judge.of_loop(stmt, &mut plan.missed);
        if found.is_empty() {
            return;
        }
        taken.push(range);
        let runs = trip_count(&judge.locations.constants, stmt).is_some_and(|trips| trips > 0);
        let around = Around {
            hoist_init: false,
            guard: !runs && !faults::is_on("forward-guard-lost"),
        };
        for forwarded in &found {
            let name = &function.vars[forwarded.array].name;
            let text = match forwarded.depth {
                1 => format!(
                    "what an iteration stores into '{name}' goes to the next one in a register"
                ),
                depth => format!(
                    "what an iteration stores into '{name}' goes to the next {depth} in registers"
                ),
            };
            plan.done
                .push(Note::new(text, function.exprs.span(forwarded.first)));
        }
        plan.keep(at, found, around);
    });
    plan
}

struct Judge<'a> {
    locations: Locations<'a>,
    nests: Nests<'a>,
}

impl Judge<'_> {
    fn of_loop(&self, stmt: &Stmt, missed: &mut Vec<Note>) -> Vec<Forwarded> {
        let aliases = &self.locations.aliases;
        let exprs = &aliases.function.exprs;
        let (
            Some(header),
            StmtKind::For {
                cond, body, hints, ..
            },
        ) = (Header::of(aliases.function, stmt), &stmt.kind)
        else {
            return Vec::new();
        };
        let says_all = |text: &String| text.starts_with("ivdep") && !text.contains("array");
        let is_told = !hints.attrs.is_empty() || hints.pragmas.iter().any(says_all);
        let is_plain = |id: &ExprId| !exprs.has_effects(*id) && !exprs.touches_memory(*id);
        let leaves = body
            .stmts
            .iter()
            .any(|stmt| loops::leaves(stmt, true, true));
        let restarts = exprs.uses(header.start, VarRef::Local(header.counter));
        if is_told || leaves || restarts || !cond.iter().all(is_plain) || !is_plain(&header.start) {
            return Vec::new();
        }
        let region = Accesses::of_loop(aliases, self.locations.summaries, stmt);
        if region.synchronises.is_some() {
            return Vec::new();
        }
        let mut indices = Indices::new(aliases, &self.nests, stmt);
        let mut sure: Option<Sure> = None;
        let mut found = Vec::new();
        for stmt_in in &body.stmts {
            let Some((store, location)) = self.store(stmt_in) else {
                continue;
            };
            if indices.counting.is_empty() && !indices.follow(stmt) {
                return Vec::new();
            }
            let sure = sure.get_or_insert_with(|| Sure::of(&self.locations, stmt));
            match self.forwarded((store, location), header, &region, &mut indices, sure) {
                Ok(Some(forwarded)) => {
                    let name = &aliases.function.vars[forwarded.array].name;
                    let array = format!("array({name})");
                    if !hints.pragmas.iter().any(|text| text.contains(&array)) {
                        found.push(forwarded);
                    }
                }
                Ok(None) => {}
                Err(reason) => {
                    let text = format!("what the loop stores is not forwarded: {reason}");
                    missed.push(Note::new(text, exprs.span(store)));
                }
            }
        }
        found
    }

    /// An assignment to an element of an array, and the element.
    fn store(&self, stmt: &Stmt) -> Option<(ExprId, ExprId)> {
        let aliases = &self.locations.aliases;
        let exprs = &aliases.function.exprs;
        let StmtKind::Expr(store) = stmt.kind else {
            return None;
        };
        match *exprs.get(store) {
            Expr::Assign { op: None, lhs, .. } => self.array(lhs).map(|_| (store, lhs)),
            _ => None,
        }
    }

    /// The pointer or array in memory that an element belongs to, and the element's index.
    fn array(&self, location: ExprId) -> Option<(VarId, ExprId)> {
        let aliases = &self.locations.aliases;
        let (exprs, types) = (&aliases.function.exprs, &aliases.module.types);
        let Expr::Index { base, index } = *exprs.get(location) else {
            return None;
        };
        let array = exprs.local_var(base)?;
        let ty = exprs.ty(location);
        let is_value = types.component(ty).is_some();
        let space = aliases.lvalue_space(location);
        let is_memory = matches!(space, Some(AddressSpace::Global | AddressSpace::Local));
        (is_value && is_memory && !aliases.is_volatile(location)).then_some((array, index))
    }

    /// What becomes of a store; `None`: no read finds it in the next iteration.
    ///
    /// # Errors
    /// Some do, but the value must be read from memory.
    fn forwarded(
        &self,
        (store, location): (ExprId, ExprId),
        header: Header,
        region: &Accesses,
        indices: &mut Indices<'_>,
        sure: &Sure,
    ) -> Result<Option<Forwarded>, &'static str> {
        let Some((array, index)) = self.array(location) else {
            return Ok(None);
        };
        let aliases = &self.locations.aliases;
        let exprs = &aliases.function.exprs;
        let stays = |times: Option<&usize>| times.is_none_or(|times| *times == 0);
        let Some(step) = indices.counting.first().and_then(|own| own.step) else {
            return Ok(None);
        };
        if !stays(indices.writes.get(&array)) || aliases.is_exposed(VarRef::Local(array)) {
            return Ok(None);
        }
        let index = indices.widened(index);
        let Some(stored) = indices.poly(index) else {
            return Ok(None);
        };
        let Some(moves) = moves(&stored) else {
            return Ok(None);
        };
        let moves = moves * step;
        let mut reads = self.later_reads(array, (&stored, moves), region, indices);
        if reads.is_empty() {
            return Ok(None);
        }
        reads.retain(|(.., distance)| *distance <= DEEPEST);
        if reads.is_empty() {
            return Err("it is read more than 16 iterations later");
        }
        if self.others_write(location, region) {
            return Err("another access in the loop may write the same memory");
        }
        if exprs.has_effects(index) {
            return Err("its address changes something");
        }
        // The oldest value that is read for sure: those after it are read where others are.
        let first = reads.iter().filter(|(at, ..)| sure.in_body.contains(at));
        let followed = first.filter_map(|(at, index, depth)| {
            let mut fixed = Vec::new();
            self.is_followed(*index, header, indices, &mut fixed)
                .then_some((*at, *index, *depth, fixed))
        });
        let Some((first, read, depth, fixed)) = followed.max_by_key(|(.., depth, _)| *depth) else {
            return Err("the first iteration may not read what would be read before the loop");
        };
        let of_chain = reads.iter().filter(|(.., distance)| *distance <= depth);
        let mut all: Vec<(ExprId, usize)> = of_chain.map(|(at, _, by)| (*at, *by)).collect();
        all.dedup();
        let is_narrower = self.size(read) < self.size(index);
        Ok(Some(Forwarded {
            array,
            store,
            reads: all,
            depth,
            first,
            moves,
            index: is_narrower.then(|| exprs.ty(index)),
            start: (header.counter, header.start),
            fixed,
        }))
    }

    /// The reads of an array, each with its index, that find what the loop stored so many iterations before;
    /// the store is at `stored` and moves on by `moves` elements in an iteration.
    fn later_reads(
        &self,
        array: VarId,
        (stored, moves): (&Poly, i128),
        region: &Accesses,
        indices: &mut Indices<'_>,
    ) -> Vec<(ExprId, ExprId, usize)> {
        let mut reads = Vec::new();
        let all = region.list.iter();
        for access in all.filter(|access| !access.write && access.exact) {
            let Some((_, index)) = self.array(access.at).filter(|(read, _)| *read == array) else {
                continue;
            };
            let is_inside = indices.around(access.at).and_then(|around| around.first()) == Some(&0);
            let index = indices.widened(index);
            let difference = indices.poly(index).map(|index| stored.plus(&index, -1));
            let apart = difference.and_then(|difference| difference.as_constant());
            if let Some(distance) = apart.and_then(|apart| iterations(apart, moves))
                && is_inside
            {
                reads.push((access.at, index, distance));
            }
        }
        reads
    }

    /// The size of an integer, in bytes.
    fn size(&self, id: ExprId) -> Option<u64> {
        let aliases = &self.locations.aliases;
        let scalar = aliases
            .module
            .types
            .as_scalar(aliases.function.exprs.ty(id));
        scalar.map(Scalar::size)
    }

    /// Whether anything but a store may write the array that it stores to.
    fn others_write(&self, location: ExprId, region: &Accesses) -> bool {
        let aliases = &self.locations.aliases;
        let own = Access {
            exact: false,
            ..self.locations.as_access(location)
        };
        let mut others = region
            .writes()
            .filter(|write| write.at != location || !write.exact);
        others.any(|write| aliases.may_overlap(write, &own))
            && !faults::is_on("forward-over-writes")
    }

    /// Whether an index can be computed before the loop; notes the variables of the body in it.
    fn is_followed(
        &self,
        id: ExprId,
        header: Header,
        indices: &Indices<'_>,
        fixed: &mut Vec<(VarId, ExprId)>,
    ) -> bool {
        let aliases = &self.locations.aliases;
        let (exprs, types) = (&aliases.function.exprs, &aliases.module.types);
        match *exprs.get(id) {
            Expr::Int { .. } => true,
            Expr::Var(VarRef::Local(var)) if var == header.counter => true,
            Expr::Var(VarRef::Local(var)) => match indices.fixed(var) {
                Some(value) => {
                    let scalar = |ty| types.as_scalar(ty);
                    let is_same = scalar(exprs.ty(value)) == scalar(exprs.ty(id));
                    fixed.push((var, value));
                    is_same && self.is_followed(value, header, indices, fixed)
                }
                None => {
                    let is_unwritten = indices.writes.get(&var).is_none_or(|times| *times == 0);
                    is_unwritten && !aliases.is_exposed(VarRef::Local(var))
                }
            },
            Expr::Unary {
                op: UnaryOp::Plus | UnaryOp::Minus,
                operand,
            }
            | Expr::Cast { operand, .. } => self.is_followed(operand, header, indices, fixed),
            Expr::Binary {
                op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul,
                lhs,
                rhs,
            } => {
                self.is_followed(lhs, header, indices, fixed)
                    && self.is_followed(rhs, header, indices, fixed)
            }
            _ => false,
        }
    }
}

/// How many iterations later an element is read that far before what is stored, if any.
fn iterations(apart: i128, moves: i128) -> Option<usize> {
    let is_later = apart % moves == 0 && apart / moves > 0;
    is_later.then(|| usize::try_from(apart / moves).ok())?
}

/// By how many elements an index moves on where the counter grows by one, if that is constant and not 0, and
/// nothing else in the loop moves it.
fn moves(index: &Poly) -> Option<i128> {
    let symbols = index.symbols();
    let is_inner = |sym: &Sym| matches!(sym, Sym::Iter(at) if *at != 0);
    let by = index.coefficient(Sym::Iter(0))?.as_constant()?;
    (by != 0 && !symbols.iter().any(is_inner)).then_some(by)
}
