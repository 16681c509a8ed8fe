//! Writing a wave: one loop over steps, its lanes unrolled, and registers between steps.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, Function, FunctionId, Module, Stmt, StmtKind, TypeId, VarId,
};
use fpgacc_kernel_analysis::faults;

use super::Found;
use super::extrema::{Better, Extremum};
use super::nest::counters;
use super::phase::{Phase, Table};
use super::space::{Affine, Vector};
use super::together::Found as Lanes;
use super::wave::Read;
use super::writer::{Writer, put};
use crate::around_loop::private_variable;
use crate::pass::Context;
use crate::position::list_mut;

/// Puts a wave in the place of its loops.
pub fn write(module: &mut Module, kernel: FunctionId, context: &Context<'_>, found: Found) {
    let Some(first) = found.phases.first() else {
        return;
    };
    if names_meet(&module.functions[kernel], first) {
        module.functions[kernel].make_names_unique(context.names);
    }
    let mut writer = Writer {
        function: &mut module.functions[kernel],
        types: &mut module.types,
        taken: context.names,
        wave: &found.wave,
    };
    let stmts = writer.all(first);
    if let Some(list) = list_mut(&mut module.functions[kernel], &found.path) {
        list.splice(found.at, stmts);
    }
}

/// Asks for whole rows at once, before any wave is written: that moves what comes after it.
pub fn widen(function: &mut Function, all: &[Found]) {
    for found in all {
        let Some(list) = list_mut(function, &found.path) else {
            continue;
        };
        for at in &found.rows {
            if let StmtKind::For { body, .. } = &mut list[*at].kind {
                unroll(&mut body.stmts);
            }
        }
    }
}

/// Unrolls the loop in a list.
fn unroll(stmts: &mut [Stmt]) {
    for stmt in stmts {
        match &mut stmt.kind {
            StmtKind::For { hints, .. } => hints.pragmas = vec!["unroll".to_string()],
            StmtKind::Block(block) => unroll(&mut block.stmts),
            _ => {}
        }
    }
}

/// Whether a table's element is named by what statements declare before all branches, so that each of these may name it.
fn is_everywhere(function: &Function, table: &Table, stmts: &[Stmt]) -> bool {
    let is_branch = |stmt: &&Stmt| matches!(stmt.kind, StmtKind::If { .. });
    let before = stmts.iter().take_while(|stmt| !is_branch(stmt));
    let declared = before.filter_map(|stmt| match stmt.kind {
        StmtKind::Decl { var, .. } => Some(var),
        _ => None,
    });
    let declared: BTreeSet<VarId> = declared.collect();
    let mut uses = function.exprs.local_uses(table.element).into_iter();
    uses.all(|(_, var)| declared.contains(&var) || var == table.array)
}

/// Whether variables that stood in blocks of their own would have the name of another.
fn names_meet(function: &Function, first: &Phase) -> bool {
    let counters = first.counts.iter().map(|count| count.counter);
    let declared = first.body.iter().filter_map(|stmt| match stmt.kind {
        StmtKind::Decl { var, .. } => Some(var),
        _ => None,
    });
    let mut seen = BTreeSet::new();
    let mut names = counters
        .chain(declared)
        .map(|var| function.vars[var].name.as_str());
    names.any(|name| !seen.insert(name))
}

/// Registers of all lanes.
struct Registers {
    /// What an array's elements, or a variable, have.
    element: TypeId,
    /// For a table by age: what is stored in this step, in the one before it, and so on.
    kept: Vec<VarId>,
    /// A lane begins with what was in memory.
    begins: bool,
}

impl Writer<'_> {
    fn all(&mut self, first: &Phase) -> Vec<Stmt> {
        let step = self.counter("step");
        let tables = first.tables.iter().enumerate();
        let tables: Vec<Registers> = tables
            .map(|(at, table)| self.of_table(at, table.array))
            .collect();
        let extrema: Vec<Registers> = first
            .extrema
            .iter()
            .map(|one| self.of_extremum(one))
            .collect();
        let before = tables.iter().flat_map(|table| &table.kept[1..]);
        let mut out: Vec<Stmt> = before.map(|var| Stmt::declare(*var)).collect();
        out.extend(extrema.iter().map(|one| Stmt::declare(one.kept[0])));
        let bests: Vec<Lanes> = first.bests.iter().map(|one| self.of_best(one)).collect();
        out.extend(bests.iter().flat_map(Lanes::registers).map(Stmt::declare));
        out.push(self.over_lanes(|own, lane| {
            let mut begun = Vec::new();
            for (table, registers) in first.tables.iter().zip(&tables) {
                // Of lanes: all steps are alike where rows are used by turns.
                let held = [&first.guards[..], &table.held].concat();
                begun.extend(own.begun(table, registers, (lane, &held)));
            }
            for (one, registers) in first.extrema.iter().zip(&extrema) {
                let value = own.function.use_var(one.var);
                begun.push(own.assigned(registers.kept[0], lane, value));
            }
            for (one, lanes) in first.bests.iter().zip(&bests) {
                begun.extend(own.begin_best(one, lanes, lane));
            }
            begun
        }));
        let steps = self.over_steps(first, step, ([&tables, &extrema], &bests));
        out.push(self.free(first, steps));
        if !extrema.is_empty() && !faults::is_on("wavefront-extremum-lost") {
            out.push(self.over_lanes(|own, lane| {
                let all = first.extrema.iter().zip(&extrema);
                all.map(|(one, registers)| own.combined(one, registers.kept[0], lane))
                    .collect()
            }));
        }
        for (one, lanes) in first.bests.iter().zip(&bests) {
            out.extend(self.best_of_all(one, lanes));
        }
        out
    }

    /// The loop over steps.
    fn over_steps(
        &mut self,
        first: &Phase,
        step: VarId,
        ([tables, extrema], bests): ([&[Registers]; 2], &[Lanes]),
    ) -> Stmt {
        let mut body: Vec<Stmt> = tables
            .iter()
            .map(|table| Stmt::declare(table.kept[0]))
            .collect();
        body.push(self.over_lanes(|own, lane| {
            for (one, registers) in first.extrema.iter().zip(extrema) {
                own.index_by(one, registers.kept[0], lane);
            }
            own.lane(first, (step, lane), (tables, bests))
        }));
        body.push(self.over_lanes(|own, lane| {
            let mut copied = Vec::new();
            for Registers { kept, .. } in tables {
                let oldest_first = (1..kept.len()).rev();
                copied.extend(oldest_first.map(|age| own.copied(kept[age], kept[age - 1], lane)));
            }
            copied
        }));
        let bound = self.int(self.wave.times);
        self.function.count_to(self.types, step, bound, body)
    }

    /// Says what no step waits for: what is read of a table's memory was there before, as no step stores it.
    fn free(&self, first: &Phase, steps: Stmt) -> Stmt {
        let tables = first.tables.iter().enumerate();
        let read = tables.filter(|(at, _)| {
            let mut reads = self.wave.reads.iter().filter(|read| read.table == *at);
            reads.any(|read| read.from.is_none() || !read.there.is_empty())
        });
        let read = read.map(|(_, table)| table.array);
        let free = read.chain(first.others.iter().copied());
        free.fold(steps, |steps, array| {
            let array = &self.function.vars[array].name;
            steps.under(&format!("ivdep array({array})"))
        })
    }

    /// The registers of a table.
    fn of_table(&mut self, at: usize, array: VarId) -> Registers {
        let mut element = self.function.vars[array].ty.ty;
        while let Some((inner, _)) = self.types.as_array(element) {
            element = inner.ty;
        }
        let reads = self.wave.reads.iter().filter(|read| read.table == at);
        let oldest = reads.filter_map(|read| read.from).map(|from| -from.time);
        let kept = (0..=oldest.max().unwrap_or(0)).map(|age| {
            let what = match age {
                0 => "now".to_string(),
                age => format!("before_{age}"),
            };
            let name = self.fresh(array, &what);
            self.registers(name, element)
        });
        let kept = kept.collect();
        let begins = self.wave.begun[at];
        Registers {
            element,
            kept,
            begins,
        }
    }

    /// What a lane's registers of a table begin with.
    fn begun(
        &mut self,
        table: &Table,
        registers: &Registers,
        (lane, held): (VarId, &[Affine]),
    ) -> Vec<Stmt> {
        let older = registers.kept[1..].iter();
        if !registers.begins || faults::is_on("wavefront-row-lost") {
            let older = older.map(|var| self.cleared((*var, registers.element), lane));
            return older.collect();
        }
        let mut copied: Vec<Stmt> = Vec::new();
        for var in older {
            let mut memory = self.function.use_var(table.array);
            for index in &table.before_first {
                let index = self.sum(*index, (lane, lane));
                memory = self.function.exprs.index(self.types, memory, index);
            }
            copied.push(self.assigned(*var, lane, memory));
        }
        match self.all_of(held, (lane, lane)) {
            None => copied,
            Some(cond) => {
                let none = registers.kept[1..].iter();
                let none = none.map(|var| self.cleared((*var, registers.element), lane));
                let mut all: Vec<Stmt> = none.collect();
                all.push(Stmt::only_if(cond, copied));
                all
            }
        }
    }

    /// The registers of a minimum or maximum.
    fn of_extremum(&mut self, one: &Extremum) -> Registers {
        let element = self.function.vars[one.var].ty.ty;
        let name = self.fresh(one.var, "lanes");
        let kept = vec![self.registers(name, element)];
        Registers {
            element,
            kept,
            begins: false,
        }
    }

    /// Lets each lane have one of its own.
    fn index_by(&mut self, one: &Extremum, registers: VarId, lane: VarId) {
        for slot in one.reads.iter().chain([&one.location]) {
            let register = self.register(registers, lane);
            self.function.exprs.replace_by(*slot, register);
        }
    }

    /// `best = max(best, lanes[lane]);`
    fn combined(&mut self, one: &Extremum, registers: VarId, lane: VarId) -> Stmt {
        let ty = self.function.vars[one.var].ty.ty;
        let [value, register] = [
            self.function.use_var(one.var),
            self.register(registers, lane),
        ];
        let best = match &one.better {
            Better::Select(op) => {
                let cond = self.function.exprs.binary(self.types, *op, register, value);
                let then = self.register(registers, lane);
                let otherwise = self.function.use_var(one.var);
                let choice = Expr::Cond {
                    cond,
                    then,
                    otherwise,
                };
                // Narrow integers become `int` there.
                let wide = self.types.binary(BinaryOp::Add, ty, ty);
                let choice = self.function.exprs.add(choice, wide, None);
                self.function.exprs.converted(self.types, choice, ty)
            }
            Better::Call(name) => {
                let args = vec![value, register];
                self.function.exprs.call_builtin(name, ty, args)
            }
        };
        self.function.assign_var(one.var, best)
    }

    /// What a lane does in a step.
    fn lane(
        &mut self,
        first: &Phase,
        (step, lane): (VarId, VarId),
        (tables, bests): (&[Registers], &[Lanes]),
    ) -> Vec<Stmt> {
        for read in &self.wave.reads {
            self.read(read, (step, lane), &tables[read.table]);
        }
        let iterations = [self.wave.iteration, Affine::LANE];
        let values = counters(&first.counts, iterations);
        let counters = first.counts.iter().zip(values).map(|(count, value)| {
            let value = self.sum(value, (step, lane));
            Stmt::define(count.counter, value)
        });
        let mut inside: Vec<Stmt> = counters.collect();
        let (body, guards) = match &first.unguarded {
            Some(all) => (all, &self.wave.run),
            None => (&first.body, &self.wave.guards),
        };
        inside.extend(body.iter().cloned());
        for (table, registers) in first.tables.iter().zip(tables) {
            for store in &table.stores {
                self.store((table, *store), (lane, registers), &mut inside);
            }
        }
        for found in first.bests.iter().zip(bests) {
            self.find_best(found, (step, lane), &mut inside);
        }
        let inside = match self.all_of(guards, (step, lane)) {
            Some(guard) => vec![Stmt::only_if(guard, inside)],
            None => inside,
        };
        let mut out = Vec::new();
        for registers in tables {
            out.push(match registers.begins {
                // What a lane begins with stays until it does.
                true => self.copied(registers.kept[0], registers.kept[1], lane),
                false => self.cleared((registers.kept[0], registers.element), lane),
            });
        }
        out.extend(inside);
        out
    }

    /// Reads registers in place of memory, where they have it.
    fn read(&mut self, read: &Read, (step, lane): (VarId, VarId), table: &Registers) {
        let Registers { element, kept, .. } = table;
        let Some(mut from) = read.from else {
            return;
        };
        if faults::is_on("wavefront-late") && kept.len() as i128 > 1 - from.time {
            from.time -= 1;
        }
        let at = self.sum(
            Affine::LANE.moved(Vector {
                time: 0,
                lane: from.lane,
            }),
            (step, lane),
        );
        let age = usize::try_from(-from.time).unwrap_or(0);
        let base = self.function.use_var(kept[age]);
        let register = self.function.exprs.index(self.types, base, at);
        let there = match faults::is_on("wavefront-border-lost") {
            true => None,
            false => self.all_of(&read.there, (step, lane)),
        };
        let value = match there {
            None => register,
            Some(cond) => {
                let memory = self.function.exprs.duplicate(read.expr);
                let choice = Expr::Cond {
                    cond,
                    then: register,
                    otherwise: memory,
                };
                // Narrow integers become `int` there.
                let ty = self.types.binary(BinaryOp::Add, *element, *element);
                let choice = self.function.exprs.add(choice, ty, None);
                self.function.exprs.converted(self.types, choice, *element)
            }
        };
        self.function.exprs.replace_by(read.expr, value);
    }

    /// Keeps what a lane stores.
    fn store(
        &mut self,
        (table, store): (&Table, ExprId),
        (lane, own): (VarId, &Registers),
        inside: &mut Vec<Stmt>,
    ) {
        let Expr::Assign { mut lhs, rhs, .. } = *self.function.exprs.get(store) else {
            return;
        };
        if lhs != table.element && is_everywhere(self.function, table, inside) {
            // All lanes in their own columns: `banks` sees that.
            lhs = self.function.exprs.duplicate(table.element);
        }
        let name = self.fresh(table.array, "new");
        let new = private_variable(self.function, name, own.element);
        let value = self.function.use_var(new);
        let stored = self.function.exprs.assign(None, lhs, value);
        let value = self.function.use_var(new);
        let keep = self.assigned(own.kept[0], lane, value);
        let stored = Stmt::new(StmtKind::Expr(stored));
        put(inside, store, &[Stmt::define(new, rhs), stored, keep]);
    }
}
