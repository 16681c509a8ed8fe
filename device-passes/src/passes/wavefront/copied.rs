//! Rows that are copied, as rows that are used by turns.
//!
//! `for i { for j { now[j] = f(before[j], now[j - 1]); } for j { before[j] = now[j]; } }` moves a whole row in each step, so
//! that the next one finds it elsewhere. Where each step stores all of a row before it reads it, the two are rows of one
//! array by turns, and nothing has to be moved.

use std::cmp::Ordering;

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, ExprId, Function, FunctionId, Module, QualType, Qualifiers, Stmt,
    StmtKind, Type, Types, VarId,
};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::location::{Refusal, refuse};
use fpgacc_kernel_analysis::trip_count::{Constants, Counting, counting};

use super::row_uses::{Stored, Uses};
use super::step::{Parts, RowCopy, copy_in};
use crate::pass::{Context, Note};
use crate::position::{Position, list, list_mut, outermost};

/// Loops that begin or end with a copy of a row: a look that takes no time.
pub fn nests(function: &Function) -> Vec<Position> {
    outermost(function, &|stmt| copy_in(function, stmt).is_some())
}

/// Two rows that may be used by turns.
struct Turns {
    copy: RowCopy,
    outer: Counting,
    /// Where both are declared in the list of the loop.
    declared: [usize; 2],
    /// An element's type, and how many there are in a row.
    element: QualType,
    len: u64,
}

/// Uses two rows of a loop by turns, in place of copying them: their array, and what is done.
///
/// # Errors
/// They stay as they are.
pub fn turn(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'_>,
    at: &Position,
) -> Result<(VarId, Note), Refusal> {
    let turns = look(module, kernel, context, at)?;
    let function = &module.functions[kernel];
    let name = |var: VarId| &function.vars[var].name;
    let RowCopy { now, before, .. } = turns.copy;
    let text = format!(
        "'{}' and '{}' are rows of one array by turns: none is copied",
        name(before),
        name(now)
    );
    let span = at.get(function).and_then(|stmt| stmt.span);
    let rows = turns.write(module, kernel, context, at);
    Ok((rows, Note::new(text, span)))
}

fn look(
    module: &Module,
    kernel: FunctionId,
    context: &Context<'_>,
    at: &Position,
) -> Result<Turns, Refusal> {
    let function = &module.functions[kernel];
    let stmts = list(function, &at.path).unwrap_or_default();
    let nest = stmts.get(at.index).ok_or_else(Refusal::default)?;
    let copy = copy_in(function, nest).ok_or_else(Refusal::default)?;
    let (declared, element, len) = declared(module, function, &stmts[..at.index], copy)
        .ok_or_else(|| refuse("a row that it copies is no array beside the loop"))?;
    let constants = Constants::new(module, function);
    let outer = counting(&constants, nest)
        .filter(|outer| outer.by == 1 && outer.trips > 0)
        .ok_or_else(|| refuse("its trip counts are not constants"))?;
    let parts = Parts::of(&constants, nest, copy)?;
    let rows = [copy.now, copy.before];
    let uses = Uses::of(module, kernel, context, rows)?;
    if !uses.are_within(&parts.range) {
        return Err(refuse("not all of a row is copied that is used"));
    }
    let writes = |stmts, row| !uses.stores(function, stmts, row).is_empty();
    if parts.others().any(|stmts| writes(stmts, copy.before)) {
        return Err(refuse("the row of the step before is written"));
    }
    if rows.iter().any(|row| writes(&stmts[at.index + 1..], *row)) {
        return Err(refuse("a row that it copies is written after it"));
    }
    let stored = Stored::of(function, &uses, &parts, copy.now)?;
    if !stored.is_whole() && !faults::is_on("wavefront-part-of-a-row") {
        return Err(refuse(
            "a step does not store all of the row that is copied",
        ));
    }
    if !stored.is_before_reads(function, &uses, copy.now) {
        return Err(refuse("a step reads its row before it is stored"));
    }
    Ok(Turns {
        copy,
        outer,
        declared,
        element,
        len,
    })
}

/// Where both rows are declared among the statements before the loop, with the type and number of their elements.
fn declared(
    module: &Module,
    function: &Function,
    stmts: &[Stmt],
    copy: RowCopy,
) -> Option<([usize; 2], QualType, u64)> {
    let row = |row: VarId| {
        let is_own =
            |stmt: &Stmt| matches!(stmt.kind, StmtKind::Decl { var, init: None } if var == row);
        let at = stmts.iter().position(is_own)?;
        let variable = &function.vars[row];
        let is_plain = variable.space == AddressSpace::Private
            && variable.attrs.is_empty()
            && !variable.ty.quals.contains(Qualifiers::VOLATILE);
        let (element, len) = module.types.as_array(variable.ty.ty).filter(|_| is_plain)?;
        let is_flat = module.types.as_array(element.ty).is_none();
        is_flat.then_some((at, element, len?))
    };
    let (now, element, len) = row(copy.now)?;
    let (before, other, other_len) = row(copy.before)?;
    let at = [now.min(before), now.max(before)];
    (element == other).then_some((at, element, len.max(other_len)))
}

/// Where a row is used.
#[derive(Clone, Copy)]
enum When {
    Before,
    Inside,
    After,
}

impl Turns {
    /// The row of the array that one of the two is.
    fn row(
        &self,
        function: &mut Function,
        types: &mut Types,
        (is_now, when): (bool, When),
    ) -> ExprId {
        let Counting {
            counter,
            start,
            trips,
            ..
        } = self.outer;
        let last = start + i128::from(trips) - 1;
        let step = match (when, self.copy.is_first) {
            (When::Inside, _) => {
                let mut step = function.use_var(counter);
                if !is_now {
                    let one = function.exprs.int(types, 1);
                    step = function.exprs.binary(types, BinaryOp::Add, step, one);
                }
                let one = function.exprs.int(types, 1);
                return function.exprs.binary(types, BinaryOp::BitAnd, step, one);
            }
            // The first step finds there what it copies.
            (When::Before, is_first) if is_now == is_first => start - 1,
            (When::Before, _) => start,
            (When::After, true) if !is_now => last - 1,
            (When::After, _) => last,
        };
        function.exprs.int(types, step.rem_euclid(2) as i64)
    }

    /// What names the rows, and which of them and where.
    fn slots(&self, function: &Function, at: &Position) -> Vec<(ExprId, bool, When)> {
        let stmts = list(function, &at.path).unwrap_or_default();
        let mut found = Vec::new();
        for (index, stmt) in stmts.iter().enumerate() {
            let when = match index.cmp(&at.index) {
                Ordering::Less => When::Before,
                Ordering::Equal => When::Inside,
                Ordering::Greater => When::After,
            };
            for (slot, var) in stmt.local_uses(&function.exprs) {
                if [self.copy.now, self.copy.before].contains(&var) {
                    found.push((slot, var == self.copy.now, when));
                }
            }
        }
        found
    }

    /// Whether another variable in the loop has its counter's name.
    fn is_hidden(&self, function: &Function, at: &Position) -> bool {
        let counter = self.outer.counter;
        let mut found = false;
        if let Some(nest) = at.get(function) {
            nest.for_each(&mut |stmt| {
                if let StmtKind::Decl { var, .. } = stmt.kind {
                    let name = |var: VarId| &function.vars[var].name;
                    found |= var != counter && name(var) == name(counter);
                }
            });
        }
        found
    }

    /// Declares the array, names it where the rows are named, and takes out the copy.
    fn write(
        self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        at: &Position,
    ) -> VarId {
        let function = &mut module.functions[kernel];
        let row = module.types.intern(Type::Array {
            element: self.element,
            len: Some(self.len),
        });
        let ty = module.types.intern(Type::Array {
            element: QualType::plain(row),
            len: Some(2),
        });
        let hint = format!("{}_rows", function.vars[self.copy.now].name);
        if self.is_hidden(function, at) {
            function.make_names_unique(context.names);
        }
        let rows = function.add_var(&hint, ty, context.names);
        for (slot, is_now, when) in self.slots(function, at) {
            let row = self.row(function, &mut module.types, (is_now, when));
            let base = function.use_var(rows);
            let named = function.exprs.index(&module.types, base, row);
            function.exprs.replace_by(slot, named);
        }
        if let Some(Stmt {
            kind: StmtKind::For { body, .. },
            ..
        }) = at.get_mut(function)
        {
            body.stmts.remove(self.copy.at);
        }
        let [first, second] = self.declared;
        if let Some(stmts) = list_mut(function, &at.path) {
            stmts[first].kind = StmtKind::Decl {
                var: rows,
                init: None,
            };
            stmts.remove(second);
        }
        rows
    }
}
