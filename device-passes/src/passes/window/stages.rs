//! Writing a nest that does several launches in a row.
//!
//! Each stage is a copy of the iteration with windows and counters of its own, so many elements behind. What a
//! stage writes is *passed* to the next; what reads of other arrays found in the first stage is kept for the
//! others. The last stage of the launch at hand writes to memory, and so does the one before it if launches read what
//! they write.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, LoopHints, QualType, Stmt, StmtKind, Type, TypeId, VarId, VarRef,
};
use fpgacc_kernel_analysis::faults;

use super::codegen::{At, Writer};
use super::collapse::Parts;
use super::row::Row;
use super::slots::Window;
use super::walk::Walk;
use super::when::Interval;
use crate::around_loop::private_variable;
use crate::copy::copy_all;

/// What all stages have in common.
struct Layout<'w> {
    walk: &'w Walk,
    row: &'w Row,
    /// The window of the first stage that others have in common with it, ..
    first: VarId,
    /// .. and that of the stage before the one that is being written.
    previous: VarId,
    /// Where the first stage is.
    at: At,
    /// The first and the last location that a stage comes by.
    positions: Interval,
    /// By how many elements a stage is behind the one before it: a multiple of the lanes.
    lag: i128,
    /// Elements that wait between two stages, beside those of the last iteration.
    waiting: i128,
    /// What is kept of each read of the first stage for the others.
    kept: BTreeMap<ExprId, VarId>,
    /// What the host left in the two arrays, where launches do not write: the one that the first stage reads, and
    /// the other, of which the second stage reads that. What one launch does not write none does.
    left: [Option<VarId>; 2],
}

/// What a stage hands to the next.
struct Passed {
    /// Values.
    values: VarId,
    /// Whether they were written; `None`: all are.
    written: Option<VarId>,
}

impl Layout<'_> {
    /// Elements between the first and the last stage.
    fn depth(&self) -> i128 {
        (self.row.stages - 1) * self.lag
    }

    /// The window that stages take from each other.
    fn window(&self) -> (usize, &Window) {
        let mut windows = self.walk.windows.iter().enumerate();
        let own = windows.find(|(_, window)| window.array == self.row.from);
        own.expect("a row has a window for what it reads")
    }

    /// The type of its elements.
    fn element(&self) -> TypeId {
        self.window().1.element
    }

    /// Whether a stage that is so many elements behind the loop is anywhere.
    fn is_somewhere(&self, writer: &mut Writer<'_>, position: VarId) -> Vec<ExprId> {
        let (first, last) = self.positions;
        let bounds = [(BinaryOp::Ge, first), (BinaryOp::Le, last)];
        // The loop itself begins with the first location.
        let bounds = bounds.map(|bound| {
            let is_sure = bound.0 == BinaryOp::Ge && position == self.at.position;
            Some(bound).filter(|_| self.depth() > 0 && !is_sure)
        });
        writer.conditions(position, None, &bounds)
    }
}

impl Writer<'_> {
    /// The body of a loop that does several launches in a row, and the last location that it comes by.
    pub fn in_a_row(
        &mut self,
        (walk, row, arrays): (&Walk, &Row, &[VarId]),
        (at, first, last): (At, i128, i128),
        parts: Parts,
        before: &mut Vec<Stmt>,
        hints: &mut LoopHints,
    ) -> (Vec<Stmt>, i128) {
        let lag = row.lag(walk.lanes);
        let own = walk.windows.iter().zip(arrays);
        let mut own = own.filter(|(window, _)| window.array == row.from);
        let window = own.next().map_or(arrays[0], |(_, array)| *array);
        let mut layout = Layout {
            walk,
            row,
            first: window,
            previous: window,
            at,
            positions: (first, last),
            lag,
            waiting: lag - row.behind,
            kept: BTreeMap::new(),
            left: [None; 2],
        };
        let own = before.clone();
        let mut body = Vec::new();
        self.keep(&mut layout, &parts, before, &mut body);
        let passed: Vec<Passed> = (0..row.stages)
            .map(|_| self.passed(&layout, before, &mut body))
            .collect();
        let mut later = Vec::new();
        for stage in 1..row.stages as usize {
            later.extend(self.stage(&mut layout, (stage, &own), &parts, &passed, before));
        }
        body.extend(self.first_stage(&layout, parts, &passed[0]));
        body.extend(later);
        body.extend(self.written_out(&layout, &passed, before));
        let is_both = !row.olds.is_empty();
        let arrays = [(row.to, is_both || !row.is_complete), (row.from, is_both)];
        for (array, _) in arrays
            .into_iter()
            .filter(|(_, is_read_before)| *is_read_before)
        {
            let pragma = format!("ivdep array({})", self.function.vars[array].name);
            if !hints.pragmas.contains(&pragma) {
                hints.pragmas.push(pragma);
            }
        }
        (body, last + layout.depth())
    }

    /// Declares a variable for so many elements: one, or an array.
    fn elements(&mut self, name: &str, ty: TypeId, len: i128, before: &mut Vec<Stmt>) -> VarId {
        let name = self.names.fresh(name);
        let ty = match len {
            1 => ty,
            _ => self.types.intern(Type::Array {
                element: QualType::plain(ty),
                len: Some(len as u64),
            }),
        };
        let var = private_variable(self.function, name, ty);
        self.declare(var, before);
        var
    }

    /// An element of such a variable, after a lane if there are several.
    fn nth(&mut self, var: VarId, at: i128, lane: Option<VarId>) -> ExprId {
        if self.types.as_array(self.function.vars[var].ty.ty).is_none() {
            return self.function.use_var(var);
        }
        let index = self.function.exprs.int(self.types, at as i64);
        let index = match lane {
            Some(lane) => self.after(index, lane),
            None => index,
        };
        self.indexed(var, index)
    }

    /// Makes room for what is passed from a stage to the next.
    fn passed(
        &mut self,
        layout: &Layout<'_>,
        before: &mut Vec<Stmt>,
        body: &mut Vec<Stmt>,
    ) -> Passed {
        let lanes = layout.walk.lanes;
        let len = lanes + layout.waiting;
        let element = layout.element();
        let values = self.elements("passed", element, len, before);
        let int = self.types.int();
        let written =
            (!layout.row.is_complete).then(|| self.elements("is_passed", int, len, before));
        for var in written.into_iter().chain([values]) {
            if layout.waiting > 0 {
                body.push(self.shift(layout.waiting, lanes, var));
            }
        }
        if let Some(written) = written {
            let no = self.function.exprs.int(self.types, 0);
            body.push(self.for_lanes(layout, |writer, lane| {
                let slot = writer.nth(written, layout.waiting, lane);
                let no = writer.function.exprs.assign(None, slot, no);
                vec![Stmt::new(StmtKind::Expr(no))]
            }));
        }
        Passed { values, written }
    }

    /// Statements for each lane.
    fn for_lanes(
        &mut self,
        layout: &Layout<'_>,
        write: impl FnOnce(&mut Self, Option<VarId>) -> Vec<Stmt>,
    ) -> Stmt {
        if layout.walk.lanes == 1 {
            let stmts = write(self, None);
            return self.only_if(Vec::new(), stmts);
        }
        let lane = self.counter();
        let stmts = write(self, Some(lane));
        self.unrolled(lane, layout.walk.lanes, stmts)
    }

    /// Finds reads whose values later stages take from the first, and makes room for them.
    fn keep(
        &mut self,
        layout: &mut Layout<'_>,
        parts: &Parts,
        before: &mut Vec<Stmt>,
        body: &mut Vec<Stmt>,
    ) {
        let mut reads = layout.row.handed_on.clone();
        for window in &layout.walk.windows {
            if window.array != layout.row.from {
                reads.extend(self.uses(&parts.enters, window.array));
            }
        }
        for read in reads {
            let Expr::Index { base, .. } = *self.function.exprs.get(read) else {
                continue;
            };
            let Some(array) = self.function.exprs.local_var(base) else {
                continue;
            };
            let ty = self.function.exprs.ty(read);
            let kept = self.line(layout, (array, ty), layout.depth(), before, body);
            layout.kept.insert(read, kept);
        }
        if layout.row.is_complete {
            return;
        }
        let arrays = [layout.row.from, layout.row.to];
        for (first, array) in arrays.into_iter().enumerate() {
            // Of the first stage, and of the second, for others that come after it.
            if layout.row.stages > 2 * first as i128 + 2 {
                let depth = layout.depth() - first as i128 * layout.lag;
                let element = (array, layout.element());
                layout.left[first] = Some(self.line(layout, element, depth, before, body));
            }
        }
    }

    /// Room for elements of an array on their way from a stage to others, so many behind.
    fn line(
        &mut self,
        layout: &Layout<'_>,
        (array, ty): (VarId, TypeId),
        depth: i128,
        before: &mut Vec<Stmt>,
        body: &mut Vec<Stmt>,
    ) -> VarId {
        let lanes = layout.walk.lanes;
        let name = format!("{}_kept", self.function.vars[array].name);
        let kept = self.elements(&name, ty, depth + lanes, before);
        if depth > 0 {
            body.push(self.shift(depth, lanes, kept));
        }
        kept
    }

    /// Has a read also keep what it finds.
    fn keep_read(&mut self, read: ExprId, slot: ExprId) {
        let exprs = &mut self.function.exprs;
        let ty = exprs.ty(read);
        let value = exprs.get(read).clone();
        let value = exprs.add(value, ty, None);
        let keep = Expr::Assign {
            op: None,
            lhs: slot,
            rhs: value,
        };
        exprs.replace(read, keep, ty);
    }

    /// The elements of an array that statements name.
    fn uses(&self, stmts: &[Stmt], array: VarId) -> Vec<ExprId> {
        let exprs = &self.function.exprs;
        let mut found = Vec::new();
        for stmt in stmts {
            stmt.for_each_expr(exprs, &mut |id| {
                if let Expr::Index { base, .. } = *exprs.get(id)
                    && *exprs.get(base) == Expr::Var(VarRef::Local(array))
                {
                    found.push(id);
                }
            });
        }
        found
    }

    /// The stage that reads from memory.
    fn first_stage(&mut self, layout: &Layout<'_>, parts: Parts, passed: &Passed) -> Vec<Stmt> {
        let Parts {
            counts,
            mut shifts,
            enters,
            rest,
        } = parts;
        for (read, kept) in &layout.kept {
            let lane = self.lane(layout, &enters, *read).or(layout.at.lane);
            let slot = self.nth(*kept, layout.depth(), lane);
            self.keep_read(*read, slot);
        }
        if let Some(left) = layout.left[0] {
            let (window, _) = layout.window();
            for head in self.uses(&enters[window..=window], layout.row.from) {
                let lane = self.lane(layout, &enters, head);
                let slot = self.nth(left, layout.depth(), lane);
                self.keep_read(head, slot);
            }
        }
        let rest = self.pass(layout, rest, passed, layout.at.lane);
        let conds = layout.is_somewhere(self, layout.at.position);
        let all = counts.into_iter().chain(enters).chain(rest).collect();
        shifts.push(self.only_if(conds, all));
        shifts
    }

    /// A stage that reads what the one before it passes.
    fn stage(
        &mut self,
        layout: &mut Layout<'_>,
        (stage, own): (usize, &[Stmt]),
        parts: &Parts,
        passed: &[Passed],
        before: &mut Vec<Stmt>,
    ) -> Vec<Stmt> {
        let first = layout.at.position;
        let ty = self.function.vars[first].ty.ty;
        let name = self.function.vars[first].name.clone();
        let name = self.names.fresh(&name);
        let position = private_variable(self.function, name, ty);
        let vars = self.declared_anew(own, before, (first, position));
        let window = vars[&layout.first];
        let [counts, shifts, enters, rest] =
            [&parts.counts, &parts.shifts, &parts.enters, &parts.rest];
        let mut all: Vec<Stmt> = [shifts, counts, enters, rest]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        let copied = copy_all(self.function, &mut all, vars);
        let mut active = all.split_off(shifts.len());
        let new_rest = active.split_off(counts.len() + enters.len());
        let new_enters = &active[counts.len()..];
        let lane = layout.at.lane.map(|lane| copied.vars[&lane]);

        let (at, _) = layout.window();
        for head in self.uses(&enters[at..=at], layout.row.from) {
            let head = copied.exprs[&head];
            let lane = self.lane(layout, new_enters, head);
            self.take_over(layout, stage, head, &passed[stage - 1], lane);
        }
        for old in &layout.row.olds {
            self.take_old(layout, copied.exprs[old], lane);
        }
        for (read, kept) in &layout.kept {
            let read = copied.exprs[read];
            let lane = self.lane(layout, new_enters, read).or(lane);
            let at = layout.depth() - stage as i128 * layout.lag;
            let value = self.nth(*kept, at, lane);
            let ty = self.function.exprs.ty(read);
            let value = self.function.exprs.get(value).clone();
            self.function.exprs.replace(read, value, ty);
        }
        let mut stores = BTreeSet::new();
        for store in self.stores(layout, rest) {
            stores.insert(copied.exprs[&store]);
        }
        active.extend(self.pass_from(layout, new_rest, &passed[stage], lane, &stores));

        let start = self.function.use_var(first);
        let start = self.plus(start, -(stage as i128) * layout.lag);
        let mut out = all;
        out.push(Stmt::define(position, start));
        let mut conds = layout.is_somewhere(self, position);
        // A launch that is for fewer must not divide by, or look up, what the host never comes to.
        if let Some(count) = layout.row.count {
            conds.push(self.compare(count, BinaryOp::Gt, stage as i128));
        }
        out.push(self.only_if(conds, active));
        layout.previous = window;
        out
    }

    /// Has a read of what is written find it in the window of the stage before, which took it from the one before
    /// that.
    fn take_old(&mut self, layout: &Layout<'_>, old: ExprId, lane: Option<VarId>) {
        let oldest = layout.row.ahead - layout.lag;
        let at = oldest - layout.window().1.hull.0 + i128::from(faults::is_on("stage-old-next"));
        let value = self.nth(layout.previous, at, lane);
        let ty = self.function.exprs.ty(old);
        let value = self.function.exprs.get(value).clone();
        self.function.exprs.replace(old, value, ty);
    }

    /// Declares windows and counters once more, under other names. `position`: a variable, and the one in its
    /// place.
    fn declared_anew(
        &mut self,
        own: &[Stmt],
        before: &mut Vec<Stmt>,
        position: (VarId, VarId),
    ) -> BTreeMap<VarId, VarId> {
        let mut own = own.to_vec();
        let vars = copy_all(self.function, &mut own, [position].into()).vars;
        for var in vars
            .iter()
            .filter(|vars| vars.0 != &position.0)
            .map(|(_, var)| *var)
        {
            let name = self.function.vars[var].name.clone();
            self.function.vars[var].name = self.names.fresh(&name);
        }
        before.extend(own);
        vars
    }

    /// The counter of the loop over lanes in which an element enters a window.
    fn lane(&self, layout: &Layout<'_>, enters: &[Stmt], read: ExprId) -> Option<VarId> {
        if layout.walk.lanes == 1 {
            return None;
        }
        let mut found = None;
        for stmt in enters {
            let mut counter = None;
            stmt.for_each(&mut |stmt| match stmt.kind {
                StmtKind::Decl { var, .. } => counter = Some(var),
                _ if stmt
                    .exprs()
                    .iter()
                    .any(|root| self.function.exprs.any(*root, &mut |id| id == read)) =>
                {
                    found = counter;
                }
                _ => {}
            });
        }
        found
    }

    /// Has an element of the window come from the stage before, or from where the launch would find it that the
    /// stage stands for.
    fn take_over(
        &mut self,
        layout: &Layout<'_>,
        stage: usize,
        head: ExprId,
        passed: &Passed,
        lane: Option<VarId>,
    ) {
        let mut value = self.nth(passed.values, 0, lane);
        let mut ty = self.function.exprs.ty(head);
        if let Some(written) = passed.written
            && let Expr::Index { index, .. } = *self.function.exprs.get(head)
            && !faults::is_on("stage-finds-nothing")
        {
            let found = self.left(layout, stage, index, lane);
            let cond = self.nth(written, 0, lane);
            ty = self.types.promoted(ty);
            let choice = Expr::Cond {
                cond,
                then: value,
                otherwise: found,
            };
            value = self.function.exprs.add(choice, ty, None);
        }
        let value = self.function.exprs.get(value).clone();
        self.function.exprs.replace(head, value, ty);
    }

    /// What a launch would find that the one before it did not write.
    fn left(
        &mut self,
        layout: &Layout<'_>,
        stage: usize,
        index: ExprId,
        lane: Option<VarId>,
    ) -> ExprId {
        let (first, arrays) = (stage % 2, [layout.row.from, layout.row.to]);
        let at = layout.depth() - stage as i128 * layout.lag;
        match layout.left[first] {
            Some(kept) if stage > 1 => self.nth(kept, at, lane),
            kept => {
                let base = self.function.use_var(arrays[first]);
                let found = self.function.exprs.index(self.types, base, index);
                if let Some(kept) = kept {
                    let slot = self.nth(kept, at, lane);
                    self.keep_read(found, slot);
                }
                found
            }
        }
    }

    /// The elements of the written array that statements name.
    fn stores(&self, layout: &Layout<'_>, stmts: &[Stmt]) -> BTreeSet<ExprId> {
        self.uses(stmts, layout.row.to).into_iter().collect()
    }

    /// Has the first stage pass what it wrote.
    fn pass(
        &mut self,
        layout: &Layout<'_>,
        stmts: Vec<Stmt>,
        passed: &Passed,
        lane: Option<VarId>,
    ) -> Vec<Stmt> {
        let stores = self.stores(layout, &stmts);
        self.pass_from(layout, stmts, passed, lane, &stores)
    }

    fn pass_from(
        &mut self,
        layout: &Layout<'_>,
        stmts: Vec<Stmt>,
        passed: &Passed,
        lane: Option<VarId>,
        stores: &BTreeSet<ExprId>,
    ) -> Vec<Stmt> {
        let mut out = Vec::new();
        for mut stmt in stmts {
            for list in stmt.lists_mut() {
                let inner = std::mem::take(list);
                *list = self.pass_from(layout, inner, passed, lane, stores);
            }
            let StmtKind::Expr(id) = stmt.kind else {
                out.push(stmt);
                continue;
            };
            out.push(stmt);
            let Expr::Assign { lhs, .. } = *self.function.exprs.get(id) else {
                continue;
            };
            if !stores.contains(&lhs) {
                continue;
            }
            let slot = self.nth(passed.values, layout.waiting, lane);
            let ty = self.function.exprs.ty(lhs);
            let slot = self.function.exprs.get(slot).clone();
            self.function.exprs.replace(lhs, slot, ty);
            if let Some(written) = passed.written {
                let slot = self.nth(written, layout.waiting, lane);
                let exprs = &mut self.function.exprs;
                let yes = exprs.int(self.types, 1);
                let yes = exprs.assign(None, slot, yes);
                out.push(Stmt::new(StmtKind::Expr(yes)));
            }
        }
        out
    }

    /// Writes what the last stage of the launch passes, and the one before it if the host would see that.
    fn written_out(
        &mut self,
        layout: &Layout<'_>,
        passed: &[Passed],
        before: &mut Vec<Stmt>,
    ) -> Vec<Stmt> {
        let row = layout.row;
        let Some(count) = row.count else {
            return Vec::new();
        };
        let mut out = self.writes(layout, (count, row.to, 0), passed, before);
        if !row.olds.is_empty() && !faults::is_on("stage-writes-one") {
            let second = self.writes(layout, (count, row.from, 1), passed, before);
            let are_several = self.compare(count, BinaryOp::Gt, 1);
            out.push(self.only_if(vec![are_several], second));
        }
        out
    }

    /// Writes what the stage passes that is so many before the last of the launch.
    fn writes(
        &mut self,
        layout: &Layout<'_>,
        (count, array, earlier): (VarId, VarId, usize),
        passed: &[Passed],
        before: &mut Vec<Stmt>,
    ) -> Vec<Stmt> {
        let Layout { walk, row, .. } = layout;
        let int = self.types.int();
        let name = self.names.fresh("behind");
        let behind = private_variable(self.function, name, int);
        let steps = self.function.use_var(count);
        let steps = self.plus(steps, -1 - earlier as i128);
        let exprs = &mut self.function.exprs;
        let lag = exprs.int(self.types, layout.lag as i64);
        let distance = exprs.binary(self.types, BinaryOp::Mul, steps, lag);
        before.push(Stmt::define(behind, distance));
        let name = self.names.fresh("out");
        let out = private_variable(self.function, name, int);
        let here = self.function.use_var(layout.at.position);
        let distance = self.function.use_var(behind);
        let exprs = &mut self.function.exprs;
        let location = exprs.binary(self.types, BinaryOp::Sub, here, distance);

        let (first, last) = walk.span.unwrap_or_default();
        let begin = layout.positions.0;
        let is_even = (first - begin).rem_euclid(walk.lanes) == 0
            && (last + 1 - begin).rem_euclid(walk.lanes) == 0;
        let bounds = [Some((BinaryOp::Ge, first)), Some((BinaryOp::Le, last))];
        let mut outer = Vec::new();
        if row.is_complete && is_even {
            outer = self.conditions(out, None, &bounds);
        }
        let stores = self.for_lanes(layout, |writer, lane| {
            let mut conds = Vec::new();
            if row.is_complete && !is_even {
                conds = writer.conditions(out, lane, &bounds);
            }
            if !row.is_complete {
                let flags = passed.iter().filter_map(|passed| passed.written);
                let flags: Vec<VarId> = flags.collect();
                conds = vec![writer.of_last(layout, (count, earlier), &flags, lane)];
            }
            let values: Vec<VarId> = passed.iter().map(|passed| passed.values).collect();
            let value = writer.of_last(layout, (count, earlier), &values, lane);
            let at = At {
                position: out,
                lane,
            };
            let index = writer.moving(walk, at, &row.target, layout.window().1.is_long);
            let slot = writer.indexed(array, index);
            let store = writer.function.exprs.assign(None, slot, value);
            vec![writer.only_if(conds, vec![Stmt::new(StmtKind::Expr(store))])]
        });
        vec![
            Stmt::define(out, location),
            self.only_if(outer, vec![stores]),
        ]
    }

    /// What the stage passes that is so many before the last of a launch: of every other.
    fn of_last(
        &mut self,
        layout: &Layout<'_>,
        (count, earlier): (VarId, usize),
        passed: &[VarId],
        lane: Option<VarId>,
    ) -> ExprId {
        let mut all = passed.iter().enumerate().skip(earlier).step_by(2).rev();
        let last = all.next().map_or(passed[0], |(_, last)| *last);
        let mut value = self.nth(last, layout.waiting, lane);
        for (stage, passed) in all {
            let too_few = 2 * i128::from(faults::is_on("stage-too-few"));
            let steps = (stage + 1 + earlier) as i128 + too_few;
            let cond = self.compare(count, BinaryOp::Eq, steps);
            let then = self.nth(*passed, layout.waiting, lane);
            let ty = self.function.exprs.ty(then);
            let ty = self.types.promoted(ty);
            let choice = Expr::Cond {
                cond,
                then,
                otherwise: value,
            };
            value = self.function.exprs.add(choice, ty, None);
        }
        value
    }
}
