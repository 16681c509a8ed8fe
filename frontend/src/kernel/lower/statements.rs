//! Statements.

use std::collections::BTreeSet;

use lang_c::ast::{
    BlockItem, Expression, ForInitializer, ForStatement, IfStatement, Label, LabeledStatement,
    Statement, SwitchStatement,
};
use lang_c::span::{Node, Span as SyntaxSpan};

use super::{Lowered, Lowerer, MAX_STMT_DEPTH, Reported};
use crate::diag::Diagnostic;
use crate::ir::{Arm, Block, CaseLabel, ExprId, LoopHints, Stmt, StmtKind, Type};

impl Lowerer<'_> {
    /// A function's body: its outermost scope is the parameters' own.
    pub(super) fn function_body(&mut self, node: &Node<Statement>) -> Lowered<Block> {
        let Statement::Compound(items) = &node.node else {
            return Err(self.error(node.span, "a function's body stands between braces"));
        };
        let tokens = self.source.tokens(node.span);
        // Pragmas between the head and the brace belong to nothing inside.
        self.file_pragmas(tokens.from);
        let stmts = self.items(items, node.span);
        Ok(Block { stmts })
    }

    /// The statements between braces. What is wrong is left out, and reported.
    fn items(&mut self, items: &[Node<BlockItem>], whole: SyntaxSpan) -> Vec<Stmt> {
        let mut out = Vec::new();
        for item in items {
            let tokens = self.source.tokens(item.span);
            // The statement takes its own pragmas if it is a loop.
            let _ = match &item.node {
                BlockItem::Declaration(declaration) => {
                    self.leave_pragmas(tokens.from, &mut out);
                    self.local_declaration(declaration, &mut out)
                }
                BlockItem::StaticAssert(assertion) => self.static_assert(assertion),
                BlockItem::Statement(statement) => self.statement(statement, &mut out),
            };
        }
        let end = self.source.tokens(whole).to.saturating_sub(1);
        self.leave_pragmas(end, &mut out);
        out
    }

    /// Pragmas that belong to no loop become statements.
    fn leave_pragmas(&mut self, at: usize, out: &mut Vec<Stmt>) {
        for pragma in self.take_pragmas(at) {
            out.push(Stmt::new(StmtKind::Pragma(pragma)));
        }
    }

    /// Lowers a statement; its parts are appended to `out`.
    fn statement(&mut self, node: &Node<Statement>, out: &mut Vec<Stmt>) -> Lowered<()> {
        self.stmt_depth += 1;
        let result = if self.stmt_depth > MAX_STMT_DEPTH {
            let message = format!("statements nest deeper than {MAX_STMT_DEPTH} levels");
            Err(self.error(node.span, message))
        } else {
            self.statement_inside(node, out)
        };
        self.stmt_depth -= 1;
        result
    }

    fn statement_inside(&mut self, node: &Node<Statement>, out: &mut Vec<Stmt>) -> Lowered<()> {
        let at = self.source.tokens(node.span).from;
        let hints = self.loop_hints(&node.node, at, out);
        let kind = match &node.node {
            Statement::Labeled(labeled) => return self.labeled(labeled, out),
            Statement::Compound(items) => {
                self.scopes.enter();
                let stmts = self.items(items, node.span);
                self.scopes.leave();
                StmtKind::Block(Block { stmts })
            }
            Statement::Expression(None) => return Ok(()),
            Statement::Expression(Some(expr)) if statement_expression(expr).is_some() => {
                // `({ .. });` as a whole statement is a block.
                let inner = statement_expression(expr).unwrap_or(node);
                return self.statement(inner, out);
            }
            Statement::Expression(Some(expr)) => StmtKind::Expr(self.expression(expr)?),
            Statement::If(branch) => self.branch(branch)?,
            Statement::Switch(switch) => self.switch(switch)?,
            Statement::While(node) => {
                let cond = self.condition(&node.node.expression);
                let body = self.loop_body(&node.node.statement)?;
                StmtKind::While {
                    cond: cond?,
                    body,
                    hints,
                }
            }
            Statement::DoWhile(node) => {
                let body = self.loop_body(&node.node.statement)?;
                let cond = self.condition(&node.node.expression)?;
                StmtKind::DoWhile { body, cond, hints }
            }
            Statement::For(node) => self.for_loop(node, hints)?,
            Statement::Goto(label) => {
                let name = label.node.name.clone();
                self.labels.used.push((name.clone(), label.span));
                StmtKind::Goto(name)
            }
            Statement::Continue if self.loops == 0 => {
                return Err(self.error(node.span, "`continue` outside of a loop"));
            }
            Statement::Continue => StmtKind::Continue,
            Statement::Break if self.loops + self.switches == 0 => {
                let message = "`break` outside of a loop or `switch`";
                return Err(self.error(node.span, message));
            }
            Statement::Break => StmtKind::Break,
            Statement::Return(value) => self.return_stmt(node.span, value.as_deref())?,
            Statement::Asm(_) => {
                return Err(self.unsupported(node.span, "inline assembly is"));
            }
        };
        out.push(Stmt::at(kind, self.source.span(node.span)));
        Ok(())
    }

    /// Takes the pragmas and attributes before a loop; before others, pragmas become
    /// statements of their own.
    fn loop_hints(&mut self, node: &Statement, at: usize, out: &mut Vec<Stmt>) -> LoopHints {
        let is_loop = matches!(
            node,
            Statement::For(_) | Statement::While(_) | Statement::DoWhile(_)
        );
        if matches!(node, Statement::Labeled(_)) {
            return LoopHints::default();
        }
        if !is_loop {
            self.leave_pragmas(at, out);
            return LoopHints::default();
        }
        let mut hints = LoopHints {
            pragmas: Vec::new(),
            attrs: self.attrs_in(at, at),
        };
        for pragma in self.take_pragmas(at) {
            if pragma.starts_with("OPENCL ") || pragma.starts_with("STDC ") {
                out.push(Stmt::new(StmtKind::Pragma(pragma)));
            } else {
                hints.pragmas.push(pragma);
            }
        }
        hints
    }

    fn labeled(&mut self, node: &Node<LabeledStatement>, out: &mut Vec<Stmt>) -> Lowered<()> {
        match &node.node.label.node {
            Label::Identifier(name) => {
                let at = self.source.tokens(node.span).from;
                self.leave_pragmas(at, out);
                self.name(name)?;
                if !self.labels.defined.insert(name.node.name.clone()) {
                    let message = format!("the label `{}` stands twice", name.node.name);
                    return Err(self.error(name.span, message));
                }
                out.push(Stmt::at(
                    StmtKind::Label(name.node.name.clone()),
                    self.source.span(node.node.label.span),
                ));
                self.statement(&node.node.statement, out)
            }
            _ => Err(self.unsupported(
                node.node.label.span,
                "a `case` label that is not directly inside its `switch` is",
            )),
        }
    }

    /// Refuses jumps to labels that are nowhere.
    pub(super) fn check_labels(&mut self) {
        for (name, at) in std::mem::take(&mut self.labels.used) {
            if !self.labels.defined.contains(&name) {
                self.error(at, format!("there is no label `{name}`"));
            }
        }
    }

    fn loop_body(&mut self, node: &Node<Statement>) -> Lowered<Block> {
        self.loops += 1;
        let body = self.body(node);
        self.loops -= 1;
        body
    }

    /// A loop's or branch's body as a block.
    fn body(&mut self, node: &Node<Statement>) -> Lowered<Block> {
        self.scopes.enter();
        let mut stmts = Vec::new();
        let result = match &node.node {
            Statement::Compound(items) => {
                let at = self.source.tokens(node.span).from;
                self.leave_pragmas(at, &mut stmts);
                self.stmt_depth += 1;
                let too_deep = self.stmt_depth > MAX_STMT_DEPTH;
                let result = if too_deep {
                    let message = format!("statements nest deeper than {MAX_STMT_DEPTH} levels");
                    Err(self.error(node.span, message))
                } else {
                    stmts.extend(self.items(items, node.span));
                    Ok(())
                };
                self.stmt_depth -= 1;
                result
            }
            _ => self.statement(node, &mut stmts),
        };
        self.scopes.leave();
        result.map(|()| Block { stmts })
    }

    fn branch(&mut self, node: &Node<IfStatement>) -> Lowered<StmtKind> {
        let cond = self.condition(&node.node.condition);
        let then = self.body(&node.node.then_statement);
        let otherwise = match &node.node.else_statement {
            Some(otherwise) => Some(self.body(otherwise)?),
            None => None,
        };
        Ok(StmtKind::If {
            cond: cond?,
            then: then?,
            otherwise,
        })
    }

    fn for_loop(&mut self, node: &Node<ForStatement>, hints: LoopHints) -> Lowered<StmtKind> {
        self.scopes.enter();
        let result = self.for_parts(node, hints);
        self.scopes.leave();
        result
    }

    fn for_parts(&mut self, node: &Node<ForStatement>, hints: LoopHints) -> Lowered<StmtKind> {
        let parts = &node.node;
        let mut init = Vec::new();
        let started = match &parts.initializer.node {
            ForInitializer::Empty => Ok(()),
            ForInitializer::Expression(expr) => self.expression(expr).map(|value| {
                let span = self.source.span(expr.span);
                init.push(Stmt::at(StmtKind::Expr(value), span));
            }),
            ForInitializer::Declaration(declaration) => {
                self.local_declaration(declaration, &mut init)
            }
            ForInitializer::StaticAssert(assertion) => self.static_assert(assertion),
        };
        let cond = match &parts.condition {
            Some(cond) => self.condition(cond).map(Some),
            None => Ok(None),
        };
        let step = match &parts.step {
            Some(step) => self.expression(step).map(Some),
            None => Ok(None),
        };
        let body = self.loop_body(&parts.statement);
        started?;
        Ok(StmtKind::For {
            init,
            cond: cond?,
            step: step?,
            body: body?,
            hints,
        })
    }

    fn condition(&mut self, node: &Node<Expression>) -> Lowered<ExprId> {
        let cond = self.expression(node)?;
        self.check_condition(cond, node.span)?;
        Ok(cond)
    }

    /// Refuses what is neither a number nor a pointer.
    pub(super) fn check_condition(&mut self, cond: ExprId, at: SyntaxSpan) -> Lowered<()> {
        let ty = self.value_type(cond);
        let types = &self.module.types;
        if types.as_scalar(ty).is_some() || types.as_pointer(ty).is_some() {
            return Ok(());
        }
        let message = format!("a condition cannot have type `{}`", self.type_name(ty));
        Err(self.error(at, message))
    }

    fn return_stmt(
        &mut self,
        at: SyntaxSpan,
        value: Option<&Node<Expression>>,
    ) -> Lowered<StmtKind> {
        let Some(current) = &self.current else {
            return Err(self.error(at, "`return` stands outside of a function"));
        };
        let (ret, name, is_kernel) = (current.ret, current.name.clone(), current.is_kernel);
        let is_void = matches!(self.module.types.resolve(ret.ty), Type::Void);
        let word = if is_kernel { "kernel" } else { "function" };
        match value {
            None if is_void => Ok(StmtKind::Return(None)),
            None => Err(self.error(at, format!("the function `{name}` must return a value"))),
            Some(node) => {
                let value = self.expression(node)?;
                let returned = self.value_type(value);
                if is_void {
                    if matches!(self.module.types.resolve(returned), Type::Void) {
                        return Ok(StmtKind::Return(Some(value)));
                    }
                    let message = format!("the {word} `{name}` returns `void`, so no value");
                    return Err(self.error(node.span, message));
                }
                self.check_convertible(value, ret.ty, "returned", node.span)?;
                Ok(StmtKind::Return(Some(value)))
            }
        }
    }

    fn switch(&mut self, node: &Node<SwitchStatement>) -> Lowered<StmtKind> {
        let value = self.expression(&node.node.expression)?;
        let ty = self.value_type(value);
        if !self
            .module
            .types
            .as_scalar(ty)
            .is_some_and(|scalar| scalar.is_integer())
        {
            let message = format!("`switch` needs an integer, not `{}`", self.type_name(ty));
            return Err(self.error(node.node.expression.span, message));
        }
        self.scopes.enter();
        self.switches += 1;
        let arms = self.arms(&node.node.statement);
        self.switches -= 1;
        self.scopes.leave();
        let arms = arms?;
        self.check_labels_once(&arms, node.span)?;
        Ok(StmtKind::Switch { value, arms })
    }

    /// Refuses a value or `default` that stands twice.
    fn check_labels_once(&mut self, arms: &[Arm], at: SyntaxSpan) -> Lowered<()> {
        let mut seen = BTreeSet::new();
        for label in arms.iter().flat_map(|arm| &arm.labels) {
            let (value, span) = match label {
                CaseLabel::Case(expr) => (self.constant(*expr), self.exprs.span(*expr)),
                CaseLabel::Default => (None, self.source.span(at)),
                CaseLabel::Range(..) => continue,
            };
            if !seen.insert(value) {
                let message = match value {
                    Some(value) => format!("`case {value}` stands twice in this `switch`"),
                    None => "this `switch` has two `default` labels".to_string(),
                };
                return Err(self.report_at(span, Diagnostic::error(message)));
            }
        }
        Ok(())
    }

    fn arms(&mut self, node: &Node<Statement>) -> Lowered<Vec<Arm>> {
        let mut arms: Vec<Arm> = Vec::new();
        let Statement::Compound(items) = &node.node else {
            self.arm_item(node, &mut arms)?;
            return Ok(arms);
        };
        let mut result = Ok(());
        for item in items {
            let tokens = self.source.tokens(item.span);
            let lowered = match &item.node {
                BlockItem::Statement(statement) => self.arm_item(statement, &mut arms),
                BlockItem::StaticAssert(assertion) => self.static_assert(assertion),
                BlockItem::Declaration(declaration) => match arms.last_mut() {
                    Some(arm) => {
                        let mut body = std::mem::take(&mut arm.body);
                        self.leave_pragmas(tokens.from, &mut body);
                        let lowered = self.local_declaration(declaration, &mut body);
                        if let Some(arm) = arms.last_mut() {
                            arm.body = body;
                        }
                        lowered
                    }
                    None => {
                        Err(self.unsupported(item.span, "a declaration before the first `case` is"))
                    }
                },
            };
            if lowered.is_err() {
                result = Err(Reported);
            }
        }
        let end = self.source.tokens(node.span).to.saturating_sub(1);
        if let Some(arm) = arms.last_mut() {
            let mut body = std::mem::take(&mut arm.body);
            self.leave_pragmas(end, &mut body);
            if let Some(arm) = arms.last_mut() {
                arm.body = body;
            }
        }
        result.map(|()| arms)
    }

    /// A statement directly inside a switch, perhaps with labels.
    fn arm_item(&mut self, node: &Node<Statement>, arms: &mut Vec<Arm>) -> Lowered<()> {
        let mut node = node;
        let mut labels = Vec::new();
        while let Statement::Labeled(labeled) = &node.node {
            match &labeled.node.label.node {
                Label::Identifier(_) => break,
                Label::Case(expr) => labels.push(CaseLabel::Case(self.case_value(expr)?)),
                Label::CaseRange(range) => {
                    let low = self.case_value(&range.node.low)?;
                    let high = self.case_value(&range.node.high)?;
                    labels.push(CaseLabel::Range(low, high));
                }
                Label::Default => labels.push(CaseLabel::Default),
            }
            node = &labeled.node.statement;
        }
        if !labels.is_empty() {
            arms.push(Arm {
                labels,
                body: Vec::new(),
            });
        }
        let Some(arm) = arms.last_mut() else {
            return Err(self.unsupported(node.span, "a statement before the first `case` is"));
        };
        let mut body = std::mem::take(&mut arm.body);
        let result = self.statement(node, &mut body);
        if let Some(arm) = arms.last_mut() {
            arm.body = body;
        }
        result
    }

    fn case_value(&mut self, node: &Node<Expression>) -> Lowered<ExprId> {
        let value = self.expression(node)?;
        if self.constant(value).is_none() {
            return Err(self.error(node.span, "a `case` needs a constant integer expression"));
        }
        Ok(value)
    }
}

/// The statement in `({ .. })`.
fn statement_expression(node: &Node<Expression>) -> Option<&Node<Statement>> {
    match &node.node {
        Expression::Statement(inner) => Some(inner),
        _ => None,
    }
}
