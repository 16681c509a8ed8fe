//! Writing nests.

use fpgacc_frontend::ir::{
    BinaryOp, Block, Expr, ExprId, Function, FunctionId, Module, Stmt, StmtKind, Types, VarId,
};
use fpgacc_kernel_analysis::location::is_loop;
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::plan::{Condition, Piece, Rows};
use super::values::ROW;
use crate::around_loop::{Names, private_variable};

/// Makes a nest of a loop.
pub fn apply(module: &mut Module, id: FunctionId, rows: &Rows) {
    let mut names = Names::of(module, id);
    let (types, function) = (&mut module.types, &mut module.functions[id]);
    let Some(mut body) = function.body.take() else {
        return;
    };
    let int = types.int();
    let row = private_variable(function, names.fresh("row"), int);
    let column = private_variable(function, names.fresh("column"), int);
    let mut writer = Writer {
        function,
        types,
        rows,
        row,
        column,
    };
    if let Some(stmt) = find(&mut body.stmts, &mut 0, rows.at) {
        writer.rewrite(stmt);
    }
    function.body = Some(body);
}

/// The loop with this index.
fn find<'s>(stmts: &'s mut [Stmt], seen: &mut usize, at: usize) -> Option<&'s mut Stmt> {
    for stmt in stmts {
        if is_loop(stmt) {
            *seen += 1;
            if *seen == at + 1 {
                return Some(stmt);
            }
        }
        for list in stmt.lists_mut() {
            if let Some(found) = find(list, seen, at) {
                return Some(found);
            }
        }
    }
    None
}

struct Writer<'a> {
    function: &'a mut Function,
    types: &'a mut Types,
    rows: &'a Rows,
    row: VarId,
    column: VarId,
}

impl Writer<'_> {
    fn rewrite(&mut self, stmt: &mut Stmt) {
        let rows = self.rows;
        let mut stmts = body_of(stmt, rows.levels);
        for condition in &rows.conditions {
            take_out(&mut stmts, *condition);
        }
        let mut rest = stmts.split_off(rows.replaced);
        if rows.trips % rows.nest.width != 0 {
            let cond = self.is_inside();
            let kind = StmtKind::If {
                cond,
                then: Block::of(rest),
                otherwise: None,
            };
            rest = vec![Stmt::new(kind)];
        }
        let mut inner = Vec::new();
        if let Some(counter) = rows.counter {
            let value = self.sum(&rows.nest.flat());
            inner.push(self.declared(counter, value));
        }
        for (var, pieces) in &rows.values {
            inner.push(self.given(*var, pieces));
        }
        inner.append(&mut rest);
        let columns = self.counting(self.column, rows.nest.width, inner, stmt);
        stmt.kind = self
            .counting(self.row, rows.nest.rows, vec![columns], stmt)
            .kind;
    }

    /// Whether an element is one of the loop's: the last row may be cut.
    fn is_inside(&mut self) -> ExprId {
        let at = self.sum(&self.rows.nest.flat());
        let trips = self.function.exprs.int(self.types, self.rows.trips as i64);
        let exprs = &mut self.function.exprs;
        exprs.binary(self.types, BinaryOp::Lt, at, trips)
    }

    /// `for (int var = 0; var < count; var++)`
    fn counting(&mut self, var: VarId, count: i128, body: Vec<Stmt>, like: &Stmt) -> Stmt {
        let end = self.function.exprs.int(self.types, count as i64);
        let counted = self.function.count_to(self.types, var, end, body);
        let pragmas = self.rows.pragmas.iter();
        let counted = pragmas.fold(counted, |counted, pragma| counted.under(pragma));
        Stmt::at(counted.kind, like.span)
    }

    fn given(&mut self, var: VarId, pieces: &[Piece]) -> Stmt {
        let Some((last, others)) = pieces.split_last() else {
            return Stmt::declare(var);
        };
        let mut value = self.sum(&last.value);
        for piece in others.iter().rev() {
            let column = self.function.use_var(self.column);
            let end = self.function.exprs.int(self.types, piece.last as i64);
            let then = self.sum(&piece.value);
            let exprs = &mut self.function.exprs;
            let cond = exprs.binary(self.types, BinaryOp::Le, column, end);
            let ty = exprs.ty(then);
            let choice = Expr::Cond {
                cond,
                then,
                otherwise: value,
            };
            value = exprs.add(choice, ty, None);
        }
        self.declared(var, value)
    }

    fn declared(&mut self, var: VarId, value: ExprId) -> Stmt {
        let ty = self.function.vars[var].ty.ty;
        let exprs = &mut self.function.exprs;
        let value = match self.types.as_scalar(exprs.ty(value)) == self.types.as_scalar(ty) {
            true => value,
            false => exprs.cast(ty, value),
        };
        Stmt::define(var, value)
    }

    /// A sum of counters, those that move on slowly first.
    fn sum(&mut self, poly: &Poly) -> ExprId {
        let (terms, constant) = poly.split_constant();
        let mut terms: Vec<(Sym, i128)> = terms
            .terms()
            .filter_map(|(symbols, by)| Some((*symbols.first()?, by)))
            .collect();
        let order = |(_, by): &(Sym, i128)| (*by < 0, -by.abs());
        terms.sort_by_key(order);
        let mut sum: Option<ExprId> = None;
        for (sym, by) in terms {
            let term = self.term(sym, if sum.is_some() { by.abs() } else { by });
            sum = Some(self.joined(sum, by, term));
        }
        if constant != 0 || sum.is_none() {
            let number = if sum.is_some() {
                constant.abs()
            } else {
                constant
            };
            let term = self.function.exprs.int(self.types, number as i64);
            return self.joined(sum, constant, term);
        }
        sum.unwrap_or_else(|| self.function.exprs.int(self.types, 0))
    }

    fn joined(&mut self, sum: Option<ExprId>, by: i128, term: ExprId) -> ExprId {
        let Some(sum) = sum else { return term };
        let op = if by < 0 { BinaryOp::Sub } else { BinaryOp::Add };
        self.function.exprs.binary(self.types, op, sum, term)
    }

    fn term(&mut self, sym: Sym, by: i128) -> ExprId {
        let var = match sym {
            ROW => self.row,
            Sym::Opaque(at) => self.rows.nest.around[at].0,
            _ => self.column,
        };
        let var = self.function.use_var(var);
        if by == 1 {
            return var;
        }
        let by = self.function.exprs.int(self.types, by as i64);
        let exprs = &mut self.function.exprs;
        exprs.binary(self.types, BinaryOp::Mul, var, by)
    }
}

/// Takes the body of a loop, or of the one that is all of its body.
fn body_of(stmt: &mut Stmt, levels: usize) -> Vec<Stmt> {
    let StmtKind::For { body, .. } = &mut stmt.kind else {
        return Vec::new();
    };
    let stmts = std::mem::take(&mut body.stmts);
    match levels {
        1 => stmts,
        _ => only(stmts).map_or(Vec::new(), |mut inner| body_of(&mut inner, levels - 1)),
    }
}

/// The statement that is all of a list.
fn only(stmts: Vec<Stmt>) -> Option<Stmt> {
    let mut real = stmts.into_iter().filter(|stmt| !stmt.is_comment());
    let first = real.next()?;
    match first.kind {
        StmtKind::Block(block) => only(block.stmts),
        _ => Some(first),
    }
}

/// Takes a condition out of a list: what stands inside it takes its place.
fn take_out(stmts: &mut Vec<Stmt>, condition: Condition) {
    let stmt = stmts.remove(condition.at);
    if let StmtKind::If { then, .. } = stmt.kind
        && condition.holds_rest
    {
        stmts.splice(condition.at..condition.at, then.stmts);
    }
}
