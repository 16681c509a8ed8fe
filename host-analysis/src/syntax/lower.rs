//! Trees of tree-sitter to [`super::ast`]: statements and functions.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::ast::*;
use super::grammar::{Field, kind_of};
use super::squeeze::Positions;
use fpgacc_frontend::source::{FileId, Span};

/// Deepest nesting that is lowered; what lies deeper becomes opaque.
pub(super) const MAX_DEPTH: u32 = 160;

/// State of lowering one text.
pub(super) struct Lowerer<'t> {
    /// The text that the tree was made of.
    pub text: &'t [u8],
    /// The file that spans name.
    pub file: FileId,
    /// What is added to offsets in `text`, ..
    pub shift: i64,
    /// .. which are looked up here then.
    pub positions: &'t Positions,
    /// The span of all nodes, if they have no positions of their own.
    pub fixed: Option<Span>,
    /// What is built.
    pub ast: Ast,
    /// Names of the enclosing namespaces and classes.
    pub scope: Vec<String>,
    /// The innermost enclosing class.
    pub class: Option<String>,
    /// Depth of recursion.
    pub depth: u32,
    /// Inside a function's body.
    pub in_body: bool,
    /// Types that calls of the function template that comes next say.
    pub deduced: Vec<String>,
    /// The parameters' names of the templates around, innermost last.
    pub templates: Vec<Vec<String>>,
    /// Where names stand that macros declare: each has a position of its own.
    pub declared: BTreeSet<Span>,
}

/// Named children without comments.
pub(super) fn named<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|n| kind_of(*n) != "comment")
        .collect()
}

/// Words among a declaration's specifiers.
#[derive(Clone, Copy, Default)]
pub(super) struct Specifiers {
    /// `const` or `constexpr`.
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_static: bool,
    pub is_extern: bool,
}

impl Specifiers {
    pub fn of(node: Node<'_>, text: &[u8]) -> Specifiers {
        let mut found = Specifiers::default();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match kind_of(child) {
                "type_qualifier" => {
                    let word = &text[child.byte_range()];
                    found.is_const |= matches!(word, b"const" | b"constexpr");
                    found.is_volatile |= word == b"volatile";
                }
                "storage_class_specifier" => {
                    let word = &text[child.byte_range()];
                    found.is_static |= word == b"static";
                    found.is_extern |= word == b"extern";
                }
                _ => {}
            }
        }
        found
    }
}

impl<'t> Lowerer<'t> {
    pub(super) fn span(&self, node: Node<'_>) -> Span {
        if let Some(span) = self.fixed {
            return span;
        }
        let at = |offset: usize| (offset as i64 + self.shift).max(0) as usize;
        let (start, end) = (at(node.start_byte()), at(node.end_byte()));
        let from = self.positions.start(start);
        Span {
            file: self.file,
            start: from as u32,
            end: match end > start {
                true => self.positions.end(end) as u32,
                false => from as u32,
            },
        }
    }

    /// Where a declared name stands. All that a macro declares stands where the macro is used, but
    /// what is declared is distinguished by its position.
    pub(super) fn name_span(&mut self, node: Node<'_>) -> Span {
        let mut span = self.span(node);
        if self.fixed.is_none() && self.positions.is_replaced(node.start_byte()) {
            while !self.declared.insert(span) {
                span.start += 1;
                span.end = span.end.max(span.start + 1);
            }
        }
        span
    }

    pub(super) fn word(&self, node: Node<'_>) -> String {
        String::from_utf8_lossy(&self.text[node.byte_range()]).into_owned()
    }

    /// A name as people write it: without blanks but for one between two words, as in
    /// `vector<unsigned int>`.
    pub(super) fn name(&self, node: Node<'_>) -> String {
        let word = self.word(node);
        if !word.contains(char::is_whitespace) {
            return word;
        }
        let in_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut name = String::new();
        for piece in word.split_whitespace() {
            if name.ends_with(in_word) && piece.starts_with(in_word) {
                name.push(' ');
            }
            name.push_str(piece);
        }
        name
    }

    /// All identifiers under a node, each once.
    pub(super) fn names_in(&self, node: Node<'_>) -> Vec<String> {
        let mut names = std::collections::BTreeSet::new();
        let mut cursor = node.walk();
        // The cursor's own depth costs time that grows with it.
        let mut depth = 0u32;
        loop {
            let here = cursor.node();
            if matches!(kind_of(here), "identifier" | "field_identifier") {
                names.insert(self.word(here));
            }
            if cursor.goto_first_child() {
                depth += 1;
                continue;
            }
            while depth > 0 && !cursor.goto_next_sibling() {
                cursor.goto_parent();
                depth -= 1;
            }
            if depth == 0 {
                return names.into_iter().collect();
            }
        }
    }

    /// Positions of errors, in order, the outermost ones only.
    pub(super) fn errors(&self, root: Node<'_>) -> Vec<Span> {
        let mut found = Vec::new();
        let mut cursor = root.walk();
        loop {
            let here = cursor.node();
            if here.is_error() || here.is_missing() {
                found.push(self.span(here));
            } else if here.has_error() && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return found;
                }
            }
        }
    }

    pub(super) fn too_deep(&self) -> bool {
        self.depth >= MAX_DEPTH
    }

    fn add(&mut self, kind: StmtKind, node: Node<'_>) -> StmtId {
        let span = self.span(node);
        self.ast.add_stmt(kind, span)
    }

    /// Everything at file, namespace or class scope.
    pub(super) fn items(&mut self, node: Node<'_>) {
        if self.too_deep() {
            return;
        }
        self.depth += 1;
        for child in named(node) {
            self.item(child);
        }
        self.depth -= 1;
    }

    fn item(&mut self, node: Node<'_>) {
        match kind_of(node) {
            "function_definition" => self.function(node),
            "declaration" => {
                if let Some(stmt) = self.declaration(node) {
                    self.ast.globals.push(stmt);
                }
            }
            "namespace_definition" => self.namespace(node),
            "linkage_specification" => {
                if let Some(body) = node.child_by_field_id(Field::Body.id()) {
                    match kind_of(body) {
                        "declaration_list" => self.items(body),
                        _ => self.item(body),
                    }
                }
            }
            "template_declaration" => self.template(node),
            "type_definition" | "alias_declaration" => self.typedef(node),
            "using_declaration" => self.using(node),
            "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => {
                self.type_specifier(node);
            }
            // Directives stay in the text only if the preprocessor's output is missing.
            "declaration_list" | "ERROR" => self.items(node),
            kind if kind.starts_with("preproc_") => self.items(node),
            "expression_statement" | "compound_statement" => {
                let stmt = self.stmt(node);
                self.ast.globals.push(stmt);
            }
            _ => {}
        }
    }

    /// A template.
    pub(super) fn template(&mut self, node: Node<'_>) {
        let names = self.template_parameters(node);
        self.templates.push(names);
        for child in named(node) {
            match kind_of(child) {
                "template_parameter_list" => {}
                "function_definition" => {
                    let names = self.template_types(node);
                    let outer = std::mem::replace(&mut self.deduced, names);
                    self.item(child);
                    self.deduced = outer;
                }
                _ => self.item(child),
            }
        }
        self.templates.pop();
    }

    /// The names of a template's parameters: types, numbers and packs.
    fn template_parameters(&self, node: Node<'_>) -> Vec<String> {
        let lists = named(node).into_iter();
        let list = lists.filter(|child| kind_of(*child) == "template_parameter_list");
        let name = |param: Node<'_>| {
            let declarator = param.child_by_field_id(Field::Declarator.id());
            let declared = declarator.or_else(|| param.child_by_field_id(Field::Name.id()));
            let found = declared.or_else(|| named(param).first().copied());
            found.map(|name| self.name(name).trim_start_matches('.').to_string())
        };
        list.flat_map(named).filter_map(name).collect()
    }

    /// `C::f` for `C<T>::f` where `T` is the parameter of a template around it: a member of a class template. What
    /// is for other arguments, as in `C<int>::f`, keeps its name.
    pub(super) fn of_any_arguments(&self, name: String) -> String {
        let Some((class, rest)) = name.split_once('<') else {
            return name;
        };
        let Some((args, member)) = rest.split_once('>') else {
            return name;
        };
        let args = args.split(',').map(|arg| arg.trim_end_matches('.'));
        let args: Vec<&str> = args.collect();
        let any = self.templates.iter().any(|params| *params == args);
        match any && member.starts_with("::") {
            true => format!("{class}{member}"),
            false => name,
        }
    }

    /// The names of types among a template's parameters.
    fn template_types(&self, node: Node<'_>) -> Vec<String> {
        let lists = named(node).into_iter();
        let list = lists.filter(|child| kind_of(*child) == "template_parameter_list");
        let types = list.flat_map(named).filter(|param| {
            matches!(
                kind_of(*param),
                "type_parameter_declaration" | "variadic_type_parameter_declaration"
            )
        });
        types
            .filter_map(|param| named(param).first().map(|name| self.name(*name)))
            .collect()
    }

    fn namespace(&mut self, node: Node<'_>) {
        let name = node
            .child_by_field_id(Field::Name.id())
            .map(|n| self.name(n));
        self.scope.extend(name.clone());
        if let Some(body) = node.child_by_field_id(Field::Body.id()) {
            self.items(body);
        }
        if name.is_some() {
            self.scope.pop();
        }
    }

    /// A name with the enclosing namespaces and classes in front.
    fn qualified(&self, name: &str) -> String {
        let mut parts = self.scope.clone();
        parts.push(name.to_string());
        parts.join("::")
    }

    /// A function with a body.
    pub(super) fn function(&mut self, node: Node<'_>) {
        let Some(body) = node.child_by_field_id(Field::Body.id()) else {
            return;
        };
        let Some(declarator) = node.child_by_field_id(Field::Declarator.id()) else {
            return;
        };
        let (mut result, specifiers) = self.specified(node);
        let mut shape = self.declarator(declarator, &mut result);
        let Some((short, span)) = shape.name else {
            return;
        };
        let short = self.of_any_arguments(short);
        let deduced = std::mem::take(&mut self.deduced);
        for param in shape.params.iter_mut().flatten() {
            if deduced.contains(&param.ty.base) {
                param.ty.base = "auto".to_string();
            }
        }
        let name = self.qualified(&short);
        let class = match short.rsplit_once("::") {
            Some((class, _)) => Some(self.qualified(class)),
            None => self.class.clone(),
        };
        let is_static = specifiers.is_static && self.class.is_none();
        let (was_in_body, was_class) = (self.in_body, self.class.take());
        self.in_body = true;
        let initialisers = self.field_initialisers(node);
        let body = self.stmt(body);
        (self.in_body, self.class) = (was_in_body, was_class);
        self.ast.functions.push(Function {
            name,
            class,
            params: shape.params.unwrap_or_default(),
            is_variadic: shape.is_variadic,
            is_static,
            result,
            initialisers,
            body,
            span,
        });
    }

    /// `using name;`, `using namespace name;`.
    fn using(&mut self, node: Node<'_>) {
        if let Some(name) = named(node).first().map(|n| self.name(*n)) {
            self.ast.usings.push(name);
        }
    }

    fn field_initialisers(&mut self, node: Node<'_>) -> Vec<(String, Vec<ExprId>)> {
        let Some(list) = named(node)
            .into_iter()
            .find(|n| kind_of(*n) == "field_initializer_list")
        else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for item in named(list) {
            let parts = named(item);
            if let [name, value] = parts[..] {
                let args = match kind_of(value) {
                    "initializer_list" if !named(value).is_empty() => vec![self.expr(value)],
                    _ => named(value).into_iter().map(|n| self.expr(n)).collect(),
                };
                found.push((self.name(name), args));
            }
        }
        found
    }

    /// A statement.
    pub(super) fn stmt(&mut self, node: Node<'_>) -> StmtId {
        if self.too_deep() {
            return self.opaque_stmt(node);
        }
        self.depth += 1;
        let id = self.stmt_inner(node);
        self.depth -= 1;
        id
    }

    fn opaque_stmt(&mut self, node: Node<'_>) -> StmtId {
        let names = self.names_in(node);
        let mut inner = Vec::new();
        if !self.too_deep() {
            for child in named(node) {
                match kind_of(child) {
                    "call_expression" | "assignment_expression" | "update_expression" => {
                        inner.push(self.expr(child))
                    }
                    "expression_statement"
                    | "declaration"
                    | "compound_statement"
                    | "if_statement"
                    | "for_statement"
                    | "while_statement"
                    | "return_statement" => {
                        let stmt = self.stmt(child);
                        let span = self.span(child);
                        inner.push(self.ast.add_expr(ExprKind::Statement(stmt), span));
                    }
                    _ => {}
                }
            }
        }
        self.add(StmtKind::Opaque { names, inner }, node)
    }

    fn field_expr(&mut self, node: Node<'_>, field: Field) -> Option<ExprId> {
        node.child_by_field_id(field.id()).map(|n| self.expr(n))
    }

    fn field_stmt(&mut self, node: Node<'_>, field: Field) -> StmtId {
        match node.child_by_field_id(field.id()) {
            Some(child) => self.stmt(child),
            None => self.add(StmtKind::Empty, node),
        }
    }

    fn handler(&mut self, node: Node<'_>) -> Handler {
        let params = node.child_by_field_id(Field::Parameters.id());
        let params = params.map(|list| self.params(list)).unwrap_or_default();
        Handler {
            param: params.into_iter().find(|param| !param.name.is_empty()),
            body: self.field_stmt(node, Field::Body),
        }
    }

    fn stmt_inner(&mut self, node: Node<'_>) -> StmtId {
        let kind = match kind_of(node) {
            "compound_statement" => StmtKind::Block(self.block(node)),
            "expression_statement" => match named(node)[..] {
                [] => StmtKind::Empty,
                [only] => StmtKind::Expr(self.expr(only)),
                _ => return self.opaque_stmt(node),
            },
            "declaration" => {
                return self
                    .declaration(node)
                    .unwrap_or_else(|| self.add(StmtKind::Empty, node));
            }
            "if_statement" => return self.if_chain(node),
            "while_statement" => match self.condition(node) {
                (None, condition) => StmtKind::Loop(Loop {
                    init: None,
                    condition,
                    step: None,
                    body: self.field_stmt(node, Field::Body),
                    body_first: false,
                }),
                // A declaration in the condition is made anew each round.
                (Some(_), _) => return self.opaque_stmt(node),
            },
            "do_statement" => StmtKind::Loop(Loop {
                init: None,
                condition: self.field_expr(node, Field::Condition),
                step: None,
                body: self.field_stmt(node, Field::Body),
                body_first: true,
            }),
            "for_statement" => self.for_loop(node),
            "for_range_loop" => return self.range_for(node),
            "switch_statement" => match self.condition(node) {
                (None, Some(value)) => StmtKind::Switch {
                    value,
                    body: self.field_stmt(node, Field::Body),
                },
                _ => return self.opaque_stmt(node),
            },
            "return_statement" | "co_return_statement" => {
                let value = named(node).first().copied();
                StmtKind::Return(value.map(|n| self.expr(n)))
            }
            "break_statement" => StmtKind::Break,
            "continue_statement" => StmtKind::Continue,
            "goto_statement" => StmtKind::Goto(
                node.child_by_field_id(Field::Label.id())
                    .map(|n| self.name(n))
                    .unwrap_or_default(),
            ),
            "labeled_statement" | "case_statement" => return self.labelled(node),
            "try_statement" => self.tried(node),
            "throw_statement" => {
                let value = named(node).first().copied();
                StmtKind::Throw(value.map(|n| self.expr(n)))
            }
            "type_definition" | "alias_declaration" => {
                self.typedef(node);
                StmtKind::Empty
            }
            "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => {
                self.type_specifier(node);
                StmtKind::Empty
            }
            "using_declaration" => {
                self.using(node);
                StmtKind::Empty
            }
            "static_assert_declaration"
            | "attribute_declaration"
            | "attributed_statement"
            | "preproc_def"
            | "preproc_include"
            | "preproc_call"
            | "preproc_function_def"
            | "namespace_alias_definition" => StmtKind::Empty,
            "function_definition" => {
                self.function(node);
                return self.opaque_stmt(node);
            }
            kind if kind.starts_with("preproc_") => StmtKind::Block(self.block(node)),
            _ => return self.opaque_stmt(node),
        };
        self.add(kind, node)
    }

    fn tried(&mut self, node: Node<'_>) -> StmtKind {
        let body = self.field_stmt(node, Field::Body);
        let catches = named(node).into_iter();
        let catches = catches.filter(|n| kind_of(*n) == "catch_clause");
        let handlers = catches.map(|n| self.handler(n)).collect();
        StmtKind::Try { body, handlers }
    }

    fn block(&mut self, node: Node<'_>) -> Vec<StmtId> {
        let mut stmts = Vec::new();
        for child in named(node) {
            match kind_of(child) {
                // Labels become positions in the block, so that a fall-through is plain order.
                "case_statement" | "labeled_statement" => self.labels(child, &mut stmts),
                _ => stmts.push(self.stmt(child)),
            }
        }
        stmts
    }

    fn labelled(&mut self, node: Node<'_>) -> StmtId {
        let mut stmts = Vec::new();
        self.labels(node, &mut stmts);
        self.add(StmtKind::Block(stmts), node)
    }

    /// `case v: s..` as `case v:` followed by its statements.
    fn labels(&mut self, node: Node<'_>, stmts: &mut Vec<StmtId>) {
        let mut next = Some(node);
        while let Some(node) = next.take() {
            let label = match kind_of(node) {
                "case_statement" => StmtKind::Case(self.field_expr(node, Field::Value)),
                _ => StmtKind::Label(
                    node.child_by_field_id(Field::Label.id())
                        .map(|n| self.name(n))
                        .unwrap_or_default(),
                ),
            };
            stmts.push(self.add(label, node));
            let skip = [Field::Value, Field::Label]
                .map(|f| node.child_by_field_id(f.id()).map(|n| n.id()));
            let rest: Vec<_> = named(node)
                .into_iter()
                .filter(|n| !skip.contains(&Some(n.id())))
                .collect();
            for (index, child) in rest.iter().enumerate() {
                match kind_of(*child) {
                    "case_statement" | "labeled_statement" if index + 1 == rest.len() => {
                        next = Some(*child)
                    }
                    "case_statement" | "labeled_statement" if !self.too_deep() => {
                        self.depth += 1;
                        self.labels(*child, stmts);
                        self.depth -= 1;
                    }
                    _ => stmts.push(self.stmt(*child)),
                }
            }
        }
    }

    /// `if .. else if .. else`, from its last part to its first, without recursion.
    fn if_chain(&mut self, node: Node<'_>) -> StmtId {
        let mut parts = Vec::new();
        let mut last = None;
        let mut next = Some(node);
        while let Some(node) = next.take() {
            let (init, condition) = self.condition(node);
            let then = self.field_stmt(node, Field::Consequence);
            parts.push((node, init, condition, then));
            let Some(alternative) = node.child_by_field_id(Field::Alternative.id()) else {
                break;
            };
            match named(alternative)[..] {
                [inner] if kind_of(inner) == "if_statement" => next = Some(inner),
                [inner] => last = Some(self.stmt(inner)),
                [] => {}
                _ => last = Some(self.opaque_stmt(alternative)),
            }
        }
        for (node, init, condition, then) in parts.into_iter().rev() {
            let condition = condition.unwrap_or_else(|| self.opaque_expr(node));
            let kind = StmtKind::If {
                init,
                condition,
                then,
                otherwise: last,
            };
            last = Some(self.add(kind, node));
        }
        last.unwrap_or_else(|| self.add(StmtKind::Empty, node))
    }

    /// The condition of an `if`, `while` or `switch`: a declaration in it, and the tested value.
    fn condition(&mut self, node: Node<'_>) -> (Option<StmtId>, Option<ExprId>) {
        let Some(clause) = node.child_by_field_id(Field::Condition.id()) else {
            return (None, None);
        };
        if kind_of(clause) != "condition_clause" {
            return (None, Some(self.expr(clause)));
        }
        let init = clause.child_by_field_id(Field::Initializer.id()).map(|n| {
            let inner = named(n).first().copied().unwrap_or(n);
            let declared = kind_of(inner) == "declaration";
            self.stmt(if declared { inner } else { n })
        });
        match clause.child_by_field_id(Field::Value.id()) {
            Some(value) if kind_of(value) == "declaration" => {
                let declared = self.condition_declaration(value);
                let name = match &self.ast.stmt(declared).kind {
                    StmtKind::Declare(vars) => vars.first().map(|v| (v.name.clone(), v.span)),
                    _ => None,
                };
                let test = name.map(|(name, span)| self.ast.add_expr(ExprKind::Name(name), span));
                (Some(declared), test)
            }
            Some(value) => (init, Some(self.expr(value))),
            None => (init, None),
        }
    }

    fn condition_declaration(&mut self, node: Node<'_>) -> StmtId {
        let mut ty = self.base_type(node);
        let shape = match node.child_by_field_id(Field::Declarator.id()) {
            Some(declarator) => self.declarator(declarator, &mut ty),
            None => Default::default(),
        };
        let init = self
            .field_expr(node, Field::Value)
            .or_else(|| self.field_expr(node, Field::DefaultValue));
        let Some((name, span)) = shape.name else {
            return self.opaque_stmt(node);
        };
        let variable = Variable {
            name,
            ty,
            init,
            is_static: false,
            is_extern: false,
            span,
        };
        self.add(StmtKind::Declare(vec![variable]), node)
    }

    fn for_loop(&mut self, node: Node<'_>) -> StmtKind {
        let init = node.child_by_field_id(Field::Initializer.id()).map(|n| {
            if kind_of(n) == "declaration" {
                return self.stmt(n);
            }
            let value = self.expr(n);
            self.add(StmtKind::Expr(value), n)
        });
        StmtKind::Loop(Loop {
            init,
            condition: self.field_expr(node, Field::Condition),
            step: self.field_expr(node, Field::Update),
            body: self.field_stmt(node, Field::Body),
            body_first: false,
        })
    }

    fn range_for(&mut self, node: Node<'_>) -> StmtId {
        let mut ty = self.base_type(node);
        let shape = match node.child_by_field_id(Field::Declarator.id()) {
            Some(declarator) => self.declarator(declarator, &mut ty),
            None => Default::default(),
        };
        let Some(range) = self.field_expr(node, Field::Right) else {
            return self.opaque_stmt(node);
        };
        let Some((name, span)) = shape.name else {
            return self.opaque_stmt(node);
        };
        let variable = Variable {
            name,
            ty,
            init: None,
            is_static: false,
            is_extern: false,
            span,
        };
        let body = self.field_stmt(node, Field::Body);
        let kind = StmtKind::RangeFor {
            variable,
            range,
            body,
        };
        self.add(kind, node)
    }
}
