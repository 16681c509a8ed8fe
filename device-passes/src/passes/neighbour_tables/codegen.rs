//! Writing the look through tables, and the nest that needs none.

use fpgacc_frontend::ir::{
    BinaryOp, Block, Expr, ExprId, Function, FunctionId, Module, Stmt, StmtKind, Types, VarId,
};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::location::is_loop;

use super::legality::{Planned, Table};
use crate::around_loop::{Names, private_variable};
use crate::copy::copy;

/// Rewrites a nest.
pub fn apply(module: &mut Module, id: FunctionId, planned: &Planned) {
    let names = Names::of(module, id);
    let (types, function) = (&mut module.types, &mut module.functions[id]);
    let Some(mut body) = function.body.take() else {
        return;
    };
    let mut writer = Writer {
        function,
        types,
        names,
    };
    writer.list(&mut body.stmts, &mut 0, planned);
    function.body = Some(body);
}

/// A table, and whether its elements are the indices before and after their own.
struct Looked<'a> {
    table: &'a Table,
    is_before: VarId,
    is_after: VarId,
}

struct Writer<'a> {
    function: &'a mut Function,
    types: &'a mut Types,
    names: Names,
}

impl Writer<'_> {
    /// Finds the nest in a list. True: it was there.
    fn list(&mut self, stmts: &mut Vec<Stmt>, seen: &mut usize, planned: &Planned) -> bool {
        for at in 0..stmts.len() {
            if is_loop(&stmts[at]) {
                *seen += 1;
                if *seen == planned.at + 1 {
                    let nest = stmts.remove(at);
                    let made = self.nest(nest, planned);
                    stmts.insert(at, made);
                    return true;
                }
            }
            for list in stmts[at].lists_mut() {
                if self.list(list, seen, planned) {
                    return true;
                }
            }
        }
        false
    }

    /// What stands in place of a nest.
    fn nest(&mut self, nest: Stmt, planned: &Planned) -> Stmt {
        let span = nest.span;
        let as_it_is = copy(self.function, &nest);
        let mut stmts = Vec::new();
        let mut looked = Vec::new();
        for table in &planned.tables {
            let is_before = self.flag(table, "is_before", &mut stmts);
            let is_after = self.flag(table, "is_after", &mut stmts);
            looked.push(Looked {
                table,
                is_before,
                is_after,
            });
        }
        let mut counts: Vec<i128> = planned.tables.iter().map(|table| table.count).collect();
        counts.sort_unstable();
        counts.dedup();
        for count in counts {
            let alike = looked.iter().filter(|one| one.table.count == count);
            let alike: Vec<&Looked<'_>> = alike.collect();
            stmts.push(self.look_through(&alike, count));
        }
        for one in &looked {
            for &read in &one.table.reads {
                let value = self.neighbour(one);
                let expr = self.function.exprs.get(value).clone();
                let ty = self.function.exprs.ty(read);
                self.function.exprs.replace(read, expr, ty);
            }
        }
        let kind = StmtKind::If {
            cond: self.all(&looked),
            then: Block::of(vec![nest]),
            otherwise: Some(Block::of(vec![as_it_is])),
        };
        stmts.push(Stmt::new(kind));
        Stmt::at(StmtKind::Block(Block::of(stmts)), span)
    }

    /// Declares what is so of a table as long as no element says otherwise.
    fn flag(&mut self, table: &Table, what: &str, stmts: &mut Vec<Stmt>) -> VarId {
        let array = self.function.vars[table.array].name.clone();
        let name = self.names.fresh(&format!("{array}_{what}"));
        let int = self.types.int();
        let flag = private_variable(self.function, name, int);
        let one = self.int(1);
        stmts.push(Stmt::define(flag, one));
        flag
    }

    /// Looks through tables that have so many elements.
    fn look_through(&mut self, looked: &[&Looked<'_>], count: i128) -> Stmt {
        let int = self.types.int();
        let at = private_variable(self.function, self.names.fresh("at"), int);
        let mut body = Vec::new();
        for one in looked {
            for (flag, is_before) in [(one.is_before, true), (one.is_after, false)] {
                let array = self.function.use_var(one.table.array);
                let index = self.function.use_var(at);
                let element = self.function.exprs.index(self.types, array, index);
                let expected = self.beside(at, count, is_before);
                let same = self.binary(BinaryOp::Eq, element, expected);
                let known = self.function.use_var(flag);
                let still = self.binary(BinaryOp::BitAnd, known, same);
                body.push(self.function.assign_var(flag, still));
            }
        }
        let end = self.int(count);
        self.function.count_to(self.types, at, end, body)
    }

    /// Whether all tables hold neighbours.
    fn all(&mut self, looked: &[Looked<'_>]) -> ExprId {
        let mut all = None;
        for one in looked {
            let before = self.function.use_var(one.is_before);
            let after = self.function.use_var(one.is_after);
            let either = self.binary(BinaryOp::BitOr, before, after);
            all = Some(match all {
                Some(all) => self.binary(BinaryOp::BitAnd, all, either),
                None => either,
            });
        }
        match all.filter(|_| !faults::is_on("neighbours-unchecked")) {
            Some(all) => all,
            None => self.int(1),
        }
    }

    /// What a table holds for the value of its counter.
    fn neighbour(&mut self, one: &Looked<'_>) -> ExprId {
        let Table { counter, count, .. } = *one.table;
        // The borders are those of the table, unless a test asks for a mistake.
        let count = match faults::is_on("neighbours-border-lost") {
            true => count + 1,
            false => count,
        };
        let flag = self.function.use_var(one.is_before);
        let zero = self.int(0);
        let cond = self.binary(BinaryOp::Ne, flag, zero);
        let then = self.beside(counter, count, true);
        let otherwise = self.beside(counter, count, false);
        self.choice(cond, then, otherwise)
    }

    /// The index before or after one of so many, or itself where there is none. It is the counter in either
    /// case, not the number that it is there: so all addresses move on alike.
    fn beside(&mut self, var: VarId, count: i128, is_before: bool) -> ExprId {
        let (op, border, by) = match is_before {
            true => (BinaryOp::Gt, 0, BinaryOp::Sub),
            false => (BinaryOp::Lt, count - 1, BinaryOp::Add),
        };
        let (compared, limit) = (self.function.use_var(var), self.int(border));
        let cond = self.binary(op, compared, limit);
        let (index, one) = (self.function.use_var(var), self.int(1));
        let then = self.binary(by, index, one);
        let own = self.function.use_var(var);
        self.choice(cond, then, own)
    }

    fn choice(&mut self, cond: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        let ty = self.function.exprs.ty(then);
        let choice = Expr::Cond {
            cond,
            then,
            otherwise,
        };
        self.function.exprs.add(choice, ty, None)
    }

    fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.function.exprs.binary(self.types, op, lhs, rhs)
    }

    fn int(&mut self, value: i128) -> ExprId {
        self.function.exprs.int(self.types, value as i64)
    }
}
