//! Two rows of a loop, made rows of one array that it uses by turns.

use std::cmp::Ordering;

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, ExprId, Function, FunctionId, Module, QualType, Qualifiers, Stmt,
    StmtKind, Type, Types, VarId,
};
use fpgacc_kernel_analysis::trip_count::Counting;

use crate::pass::Context;
use crate::position::{Position, list, list_mut};

/// Where a row is named: before the loop, in it or after it.
#[derive(Clone, Copy)]
pub enum When {
    Before,
    Inside,
    After,
}

/// The row that a variable is somewhere.
pub enum Row {
    /// Always the same.
    Always(i128),
    /// Another one in each step: that of the counter and so much more.
    Turn(i128),
}

/// Two arrays that are declared beside a loop.
pub struct Pair {
    /// Where both are declared in the list of the loop, in order.
    pub declared: [usize; 2],
    element: QualType,
    len: u64,
}

impl Pair {
    /// Two arrays with elements of one type, among the statements before the loop.
    pub fn of(
        module: &Module,
        function: &Function,
        stmts: &[Stmt],
        arrays: [VarId; 2],
    ) -> Option<Self> {
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
        let (first, element, len) = row(arrays[0])?;
        let (second, other, other_len) = row(arrays[1])?;
        (element == other).then_some(Pair {
            declared: [first.min(second), first.max(second)],
            element,
            len: len.max(other_len),
        })
    }
}

/// What is made of two rows.
pub struct Turns<'a> {
    pub pair: &'a Pair,
    /// What the array's name is made of.
    pub named_as: VarId,
    /// Statements in the loop's body, and in its list, that are left out.
    pub left_out: (&'a [usize], &'a [usize]),
    pub outer: &'a Counting,
}

impl Turns<'_> {
    /// Declares the array, and names it where variables are named that are one of its rows.
    pub fn write(
        self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        at: &Position,
        row: &dyn Fn(VarId, When) -> Option<Row>,
    ) -> VarId {
        let Pair {
            declared: [first, second],
            element,
            len,
        } = *self.pair;
        let of_row = module.types.intern(Type::Array {
            element,
            len: Some(len),
        });
        let ty = module.types.intern(Type::Array {
            element: QualType::plain(of_row),
            len: Some(2),
        });
        let function = &mut module.functions[kernel];
        self.leave_out(function, at);
        let hint = format!("{}_rows", function.vars[self.named_as].name);
        if is_hidden(function, at, self.outer.counter) {
            function.make_names_unique(context.names);
        }
        let rows = function.add_var(&hint, ty, context.names);
        for (slot, row) in slots(function, at, row) {
            let row = self.index(function, &mut module.types, &row);
            let base = function.use_var(rows);
            let named = function.exprs.index(&module.types, base, row);
            function.exprs.replace_by(slot, named);
        }
        if let Some(stmts) = list_mut(function, &at.path) {
            stmts[first].kind = StmtKind::Decl {
                var: rows,
                init: None,
            };
            let mut gone: Vec<usize> = self.left_out.1.iter().copied().chain([second]).collect();
            gone.sort_unstable();
            for at in gone.into_iter().rev() {
                stmts.remove(at);
            }
        }
        rows
    }

    fn leave_out(&self, function: &mut Function, at: &Position) {
        let Some(Stmt {
            kind: StmtKind::For { body, .. },
            ..
        }) = at.get_mut(function)
        else {
            return;
        };
        let mut index = 0;
        body.stmts.retain(|_| {
            index += 1;
            !self.left_out.0.contains(&(index - 1))
        });
    }

    fn index(&self, function: &mut Function, types: &mut Types, row: &Row) -> ExprId {
        match row {
            Row::Always(row) => function.exprs.int(types, row.rem_euclid(2) as i64),
            Row::Turn(more) => {
                let mut step = function.use_var(self.outer.counter);
                if more.rem_euclid(2) == 1 {
                    let one = function.exprs.int(types, 1);
                    step = function.exprs.binary(types, BinaryOp::Add, step, one);
                }
                let one = function.exprs.int(types, 1);
                function.exprs.binary(types, BinaryOp::BitAnd, step, one)
            }
        }
    }
}

/// What names rows, and which of them.
fn slots(
    function: &Function,
    at: &Position,
    row: &dyn Fn(VarId, When) -> Option<Row>,
) -> Vec<(ExprId, Row)> {
    let stmts = list(function, &at.path).unwrap_or_default();
    let mut found = Vec::new();
    for (index, stmt) in stmts.iter().enumerate() {
        let when = match index.cmp(&at.index) {
            Ordering::Less => When::Before,
            Ordering::Equal => When::Inside,
            Ordering::Greater => When::After,
        };
        let uses = stmt.local_uses(&function.exprs).into_iter();
        found.extend(uses.filter_map(|(slot, var)| Some((slot, row(var, when)?))));
    }
    found
}

/// Whether another variable in the loop has its counter's name.
fn is_hidden(function: &Function, at: &Position, counter: VarId) -> bool {
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
