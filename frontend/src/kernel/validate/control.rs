//! Control flow: `break`, `continue`, `return`, switches and the heads of loops.

use crate::ir::{CaseLabel, Function, Module, Stmt, StmtKind, Type};
use crate::source::Span;

use super::faults::Faults;

pub(super) fn check(module: &Module, faults: &mut Faults) {
    for (_, function) in module.functions.iter() {
        let Some(body) = &function.body else {
            continue;
        };
        faults.enter(Some(function));
        let mut check = Check {
            returns_void: *module.types.get(function.ret.ty) == Type::Void,
            function,
            faults,
        };
        let around = Around {
            in_loop: false,
            in_switch: false,
        };
        check.stmts(&body.stmts, around);
        faults.enter(None);
    }
}

/// What stands around a statement.
#[derive(Clone, Copy)]
struct Around {
    in_loop: bool,
    in_switch: bool,
}

struct Check<'a> {
    returns_void: bool,
    function: &'a Function,
    faults: &'a mut Faults,
}

impl Check<'_> {
    fn stmts(&mut self, stmts: &[Stmt], around: Around) {
        stmts.iter().for_each(|stmt| self.stmt(stmt, around));
    }

    fn stmt(&mut self, stmt: &Stmt, around: Around) {
        let span = stmt.span;
        let mut inside = around;
        match &stmt.kind {
            StmtKind::Break => self.need(
                around.in_loop || around.in_switch,
                "'break' outside of a loop or switch",
                span,
            ),
            StmtKind::Continue => self.need(around.in_loop, "'continue' outside of a loop", span),
            // What a value of `return` must be is a matter of types.
            StmtKind::Return(None) => self.need(
                self.returns_void,
                "'return' gives no value in a function that returns one",
                span.or(self.function.span),
            ),
            StmtKind::For { init, .. } => {
                self.for_init(init, span);
                inside.in_loop = true;
            }
            StmtKind::While { .. } | StmtKind::DoWhile { .. } => inside.in_loop = true,
            StmtKind::Switch { arms, .. } => {
                let labels: Vec<&CaseLabel> = arms.iter().flat_map(|arm| &arm.labels).collect();
                let defaults = labels
                    .iter()
                    .filter(|l| matches!(l, CaseLabel::Default))
                    .count();
                self.need(defaults <= 1, "a switch has two defaults", span);
                let labelled = arms.iter().all(|arm| !arm.labels.is_empty());
                self.need(labelled, "an arm of a switch has no label", span);
                inside.in_switch = true;
            }
            _ => {}
        }
        for list in stmt.lists() {
            self.stmts(list, inside);
        }
    }

    /// Declarations, or one expression.
    fn for_init(&mut self, init: &[Stmt], span: Option<Span>) {
        let declarations = init
            .iter()
            .all(|stmt| matches!(stmt.kind, StmtKind::Decl { .. }));
        let expression = matches!(
            init,
            [Stmt {
                kind: StmtKind::Expr(_),
                ..
            }]
        );
        self.need(
            declarations || expression,
            "the first part of a 'for' is neither declarations nor one expression",
            span,
        );
    }

    fn need(&mut self, holds: bool, message: &str, span: Option<Span>) {
        if !holds {
            self.faults.add(message, span);
        }
    }
}
