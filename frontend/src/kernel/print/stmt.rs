//! Statements.

use crate::ir::{Arm, Block, CaseLabel, ExprId, Function, LoopHints, Stmt, StmtKind};

use super::function::comment_line;
use super::printer::Printer;
use super::types::{AttrPosition, attributes, innermost};
use super::wrap::WIDTH;

impl Printer<'_> {
    /// Statements in order. C demands a statement after a label, and a declaration is none.
    pub(super) fn stmts(&mut self, function: &Function, stmts: &[Stmt]) {
        let mut index = 0;
        while let Some(stmt) = stmts.get(index) {
            match &stmt.kind {
                StmtKind::Decl { .. } => {
                    let (text, count) = self.declarations(function, &stmts[index..]);
                    self.lines.simple(stmt.span, &text);
                    index += count - 1;
                }
                StmtKind::Label(name) => {
                    self.lines.place(stmt.span, 0);
                    let stop = if needs_empty(stmts.get(index + 1)) {
                        " ;"
                    } else {
                        ""
                    };
                    self.lines.label_line(&format!("{name}:{stop}"));
                }
                _ => self.stmt(function, stmt),
            }
            index += 1;
        }
    }

    /// The first of `stmts`, which are declarations, together with those after it that share its
    /// line in the source and its specifiers: the text, and how many they are.
    fn declarations(&mut self, function: &Function, stmts: &[Stmt]) -> (String, usize) {
        let module = self.module;
        let parts = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Decl { var, init } => Some((&function.vars[*var], init.clone())),
            _ => None,
        };
        let Some((first, init)) = stmts.first().and_then(parts) else {
            return (String::new(), 1);
        };
        let declaration = self.declare_variable(first, AttrPosition::BeforeName);
        let text = declaration.text();
        let mut text = self.initialised(&function.exprs, text, init.as_ref());
        let line = self.lines.source_line(stmts[0].span);
        let base = innermost(&module.types, first.ty.ty);
        let mut count = 1;
        while let Some((variable, init)) = stmts.get(count).and_then(parts)
            && line.is_some()
            && self.lines.source_line(stmts[count].span) == line
            && first.attrs.is_empty()
            && variable.attrs.is_empty()
            && innermost(&module.types, variable.ty.ty) == base
        {
            let next = self.declare_variable(variable, AttrPosition::AfterDeclarator);
            let longer = self.initialised(&function.exprs, next.declarator, init.as_ref());
            let longer = format!("{text}, {longer}");
            let fits = self.lines.column() + longer.len() < WIDTH && !longer.contains('\n');
            if next.specifiers != declaration.specifiers || !fits {
                break;
            }
            text = longer;
            count += 1;
        }
        (text + ";", count)
    }

    fn stmt(&mut self, function: &Function, stmt: &Stmt) {
        let exprs = &function.exprs;
        match &stmt.kind {
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                self.lines.place(stmt.span, 0);
                self.if_chain(function, "", *cond, then, otherwise.as_ref());
            }
            StmtKind::For { hints, .. }
            | StmtKind::While { hints, .. }
            | StmtKind::DoWhile { hints, .. } => self.loop_stmt(function, stmt, hints),
            StmtKind::Switch { value, arms } => {
                self.lines.place(stmt.span, 0);
                let value = self.condition(exprs, *value);
                self.lines.line(&format!("switch ({value}) {{"));
                arms.iter().for_each(|arm| self.arm(function, arm));
                self.lines.line("}");
            }
            StmtKind::Block(block) => {
                self.lines.place(stmt.span, 0);
                self.body(function, "", block, "");
            }
            StmtKind::Pragma(text) => {
                self.lines.place(stmt.span, 0);
                self.lines.line(&format!("#pragma {text}"));
            }
            StmtKind::Comment(text) => {
                for line in text.lines() {
                    self.lines.line(&comment_line(line));
                }
            }
            _ => {
                let text = self.simple(function, stmt);
                self.lines.simple(stmt.span, &text);
            }
        }
    }

    /// A statement without statements inside, with its semicolon.
    fn simple(&mut self, function: &Function, stmt: &Stmt) -> String {
        let exprs = &function.exprs;
        match &stmt.kind {
            StmtKind::Decl { var, init } => {
                let variable = &function.vars[*var];
                let text = self
                    .declare_variable(variable, AttrPosition::BeforeName)
                    .text();
                self.initialised(exprs, text, init.as_ref()) + ";"
            }
            StmtKind::Expr(expr) => self.full_expr(exprs, *expr) + ";",
            StmtKind::Break => "break;".to_string(),
            StmtKind::Continue => "continue;".to_string(),
            StmtKind::Return(None) => "return;".to_string(),
            StmtKind::Return(Some(value)) => {
                format!("return {};", self.full_expr(exprs, *value))
            }
            StmtKind::Goto(label) => format!("goto {label};"),
            _ => String::new(),
        }
    }

    /// `head {`, the statements, `}tail`.
    fn body(&mut self, function: &Function, head: &str, block: &Block, tail: &str) {
        let gap = if head.is_empty() { "" } else { " " };
        if block.stmts.is_empty() {
            return self.lines.line(&format!("{head}{gap}{{}}{tail}"));
        }
        self.lines.line(&format!("{head}{gap}{{"));
        self.inner(function, &block.stmts);
        self.lines.line(&format!("}}{tail}"));
    }

    fn inner(&mut self, function: &Function, stmts: &[Stmt]) {
        self.lines.indent();
        self.stmts(function, stmts);
        self.lines.dedent();
    }

    /// `if .. else if .. else ..`; braces everywhere, so no `else` dangles.
    fn if_chain(
        &mut self,
        function: &Function,
        lead: &str,
        cond: ExprId,
        then: &Block,
        otherwise: Option<&Block>,
    ) {
        let cond = self.condition(&function.exprs, cond);
        let head = format!("{lead}if ({cond})");
        let Some(otherwise) = otherwise else {
            return self.body(function, &head, then, "");
        };
        self.lines.line(&format!("{head} {{"));
        self.inner(function, &then.stmts);
        if let [
            Stmt {
                kind:
                    StmtKind::If {
                        cond,
                        then,
                        otherwise,
                    },
                ..
            },
        ] = otherwise.stmts.as_slice()
        {
            return self.if_chain(function, "} else ", *cond, then, otherwise.as_ref());
        }
        self.body(function, "} else", otherwise, "");
    }

    fn loop_stmt(&mut self, function: &Function, stmt: &Stmt, hints: &LoopHints) {
        let exprs = &function.exprs;
        let before = hints.pragmas.len() + hints.attrs.len();
        match &stmt.kind {
            StmtKind::For {
                init,
                cond,
                step,
                body,
                ..
            } => {
                let Some(init) = self.for_init(function, init) else {
                    return self.for_in_block(function, stmt, init);
                };
                let cond = cond.map_or(String::new(), |cond| {
                    format!(" {}", self.condition(exprs, cond))
                });
                let step = step.map_or(String::new(), |step| {
                    format!(" {}", self.full_expr(exprs, step))
                });
                self.lines.place(stmt.span, before);
                self.hints(hints);
                self.body(function, &format!("for ({init};{cond};{step})"), body, "");
            }
            StmtKind::While { cond, body, .. } => {
                let cond = self.condition(exprs, *cond);
                self.lines.place(stmt.span, before);
                self.hints(hints);
                self.body(function, &format!("while ({cond})"), body, "");
            }
            StmtKind::DoWhile { body, cond, .. } => {
                let cond = self.condition(exprs, *cond);
                self.lines.place(stmt.span, before);
                self.hints(hints);
                self.body(function, "do", body, &format!(" while ({cond});"));
            }
            _ => {}
        }
    }

    /// Pragmas first: clang wants a loop directly after attributes.
    fn hints(&mut self, hints: &LoopHints) {
        for pragma in &hints.pragmas {
            self.lines.line(&format!("#pragma {pragma}"));
        }
        for attr in &hints.attrs {
            self.lines.line(&attributes(std::slice::from_ref(attr)));
        }
    }

    /// The first part of a `for`'s head, without its semicolon; `None` if C has no way to write it
    /// there.
    fn for_init(&mut self, function: &Function, init: &[Stmt]) -> Option<String> {
        let exprs = &function.exprs;
        match init {
            [] => return Some(String::new()),
            [stmt] => {
                return match &stmt.kind {
                    StmtKind::Decl { .. } | StmtKind::Expr(_) => {
                        let text = self.simple(function, stmt);
                        Some(text.trim_end_matches(';').to_string())
                    }
                    _ => None,
                };
            }
            _ => {}
        }
        let mut text = String::new();
        let mut shared = None;
        for stmt in init {
            let StmtKind::Decl { var, init } = &stmt.kind else {
                return None;
            };
            let place = AttrPosition::AfterDeclarator;
            let declaration = self.declare_variable(&function.vars[*var], place);
            let specifiers = shared.get_or_insert_with(|| {
                text.push_str(&declaration.specifiers);
                declaration.specifiers.clone()
            });
            if *specifiers != declaration.specifiers {
                return None;
            }
            let separator = if text.len() == specifiers.len() {
                " "
            } else {
                ", "
            };
            text.push_str(separator);
            text.push_str(&self.initialised(exprs, declaration.declarator, init.as_ref()));
        }
        Some(text)
    }

    /// A `for` whose first part does not fit into its head: a block with that part in front.
    fn for_in_block(&mut self, function: &Function, stmt: &Stmt, first: &[Stmt]) {
        let mut rest = stmt.clone();
        if let StmtKind::For { init, .. } = &mut rest.kind {
            init.clear();
        }
        self.lines.line("{");
        self.lines.indent();
        self.stmts(function, first);
        self.stmt(function, &rest);
        self.lines.dedent();
        self.lines.line("}");
    }

    fn arm(&mut self, function: &Function, arm: &Arm) {
        let exprs = &function.exprs;
        let (block, rest) = match arm.body.split_first() {
            Some((
                Stmt {
                    kind: StmtKind::Block(block),
                    ..
                },
                rest,
            )) if !block.stmts.is_empty() => (Some(block), rest),
            _ => (None, arm.body.as_slice()),
        };
        let stop = match block {
            Some(_) => " {",
            None if needs_empty(rest.first()) => " ;",
            None => "",
        };
        for (index, label) in arm.labels.iter().enumerate() {
            let label = match label {
                CaseLabel::Case(value) => format!("case {}:", self.full_expr(exprs, *value)),
                CaseLabel::Range(from, to) => {
                    let (from, to) = (self.full_expr(exprs, *from), self.full_expr(exprs, *to));
                    format!("case {from} ... {to}:")
                }
                CaseLabel::Default => "default:".to_string(),
            };
            let last = index + 1 == arm.labels.len();
            self.lines
                .line(&format!("{label}{}", if last { stop } else { "" }));
        }
        if let Some(block) = block {
            self.inner(function, &block.stmts);
            self.lines.line("}");
        }
        self.inner(function, rest);
    }
}

/// Whether a label before this statement needs an empty statement of its own.
fn needs_empty(next: Option<&Stmt>) -> bool {
    match next {
        None => true,
        Some(stmt) => matches!(
            stmt.kind,
            StmtKind::Decl { .. } | StmtKind::Pragma(_) | StmtKind::Comment(_)
        ),
    }
}
