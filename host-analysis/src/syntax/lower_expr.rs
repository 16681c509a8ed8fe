//! Trees of tree-sitter to [`super::ast`]: expressions.

use tree_sitter::Node;

use super::ast::*;
use super::grammar::{Field, kind_of};
use super::lower::{Lowerer, named};
use super::strings::{char_value, string_value};

impl<'t> Lowerer<'t> {
    fn make(&mut self, kind: ExprKind, node: Node<'_>) -> ExprId {
        let span = self.span(node);
        self.ast.add_expr(kind, span)
    }

    /// An expression that is not understood.
    pub(super) fn opaque_expr(&mut self, node: Node<'_>) -> ExprId {
        let names = self.names_in(node);
        let mut inner = Vec::new();
        if !self.too_deep() {
            for child in named(node) {
                match kind_of(child) {
                    "call_expression"
                    | "assignment_expression"
                    | "update_expression"
                    | "parenthesized_expression"
                    | "binary_expression"
                    | "argument_list" => inner.push(self.expr(child)),
                    _ => {}
                }
            }
        }
        self.make(ExprKind::Opaque { names, inner }, node)
    }

    /// An expression.
    pub(super) fn expr(&mut self, node: Node<'_>) -> ExprId {
        if self.too_deep() {
            return self.opaque_expr(node);
        }
        self.depth += 1;
        let id = match kind_of(node) {
            "binary_expression" | "comma_expression" => self.left_spine(node),
            _ => self.expr_inner(node),
        };
        self.depth -= 1;
        id
    }

    fn field(&mut self, node: Node<'_>, field: Field) -> ExprId {
        match node.child_by_field_id(field.id()) {
            Some(child) => self.expr(child),
            None => self.opaque_expr(node),
        }
    }

    fn operator(&self, node: Node<'_>) -> String {
        node.child_by_field_id(Field::Operator.id())
            .map(|n| self.word(n))
            .unwrap_or_default()
    }

    /// `a + b + c + ..` without recursion on its left side.
    fn left_spine(&mut self, node: Node<'_>) -> ExprId {
        let mut spine = Vec::new();
        let mut leftmost = node;
        while matches!(kind_of(leftmost), "binary_expression" | "comma_expression") {
            spine.push(leftmost);
            match leftmost.child_by_field_id(Field::Left.id()) {
                Some(left) => leftmost = left,
                None => return self.opaque_expr(node),
            }
        }
        let mut value = self.expr(leftmost);
        for node in spine.into_iter().rev() {
            let right = self.field(node, Field::Right);
            let kind = if kind_of(node) == "comma_expression" {
                ExprKind::Comma(value, right)
            } else if let Some(op) = BinaryOp::from_spelling(&self.operator(node)) {
                self.template_call(op, value, right)
                    .unwrap_or(ExprKind::Binary(op, value, right))
            } else {
                ExprKind::Opaque {
                    names: self.names_in(node),
                    inner: vec![value, right],
                }
            };
            value = self.make(kind, node);
        }
        value
    }

    /// `a.f < 3 > (x, y)` calls a template: nobody compares so.
    fn template_call(&self, op: BinaryOp, left: ExprId, right: ExprId) -> Option<ExprKind> {
        let ExprKind::Binary(BinaryOp::Lt, callee, _) = self.ast.expr(left).kind else {
            return None;
        };
        let ExprKind::Paren(inside) = self.ast.expr(right).kind else {
            return None;
        };
        let is_member = matches!(self.ast.expr(callee).kind, ExprKind::Member { .. });
        if op != BinaryOp::Gt || !is_member {
            return None;
        }
        let (mut args, mut first) = (Vec::new(), inside);
        while let ExprKind::Comma(before, last) = self.ast.expr(first).kind {
            args.push(last);
            first = before;
        }
        args.push(first);
        args.reverse();
        Some(ExprKind::Call { callee, args })
    }

    fn expr_inner(&mut self, node: Node<'_>) -> ExprId {
        match kind_of(node) {
            "string_literal" | "raw_string_literal" | "concatenated_string" => self.string(node),
            "subscript_expression" => self.subscript(node),
            "call_expression" => self.call(node),
            "condition_clause" => self.field(node, Field::Value),
            "argument_list" => match named(node)[..] {
                [only] => self.expr(only),
                _ => self.opaque_expr(node),
            },
            _ => match self.expr_kind(node) {
                Some(kind) => self.make(kind, node),
                None => self.opaque_expr(node),
            },
        }
    }

    /// What an expression is; `None`: it is not understood.
    fn expr_kind(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let kind = match kind_of(node) {
            "number_literal" => self.number(node),
            "char_literal" => ExprKind::Char(char_value(&self.text[node.byte_range()])?),
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "null" | "nullptr" => ExprKind::Null,
            "identifier"
            | "qualified_identifier"
            | "field_identifier"
            | "this"
            | "type_identifier"
            | "primitive_type"
            | "template_function" => ExprKind::Name(self.name(node)),
            "parenthesized_expression" => match named(node)[..] {
                [inner] => ExprKind::Paren(self.expr(inner)),
                _ => return None,
            },
            "assignment_expression" => self.assignment(node)?,
            "update_expression" => self.update(node),
            "unary_expression" => self.unary(node)?,
            "pointer_expression" => self.pointer(node),
            "conditional_expression" => self.conditional(node)?,
            "cast_expression" => {
                let ty = node.child_by_field_id(Field::Type.id())?;
                let ty = self.descriptor(ty);
                ExprKind::Cast(ty, self.field(node, Field::Value))
            }
            "sizeof_expression" if self.text[node.byte_range()].starts_with(b"sizeof...") => {
                ExprKind::SizeofPack
            }
            "parameter_pack_expansion" => {
                let pattern = node.child_by_field_name("pattern")?;
                self.expansion(node, pattern)
            }
            "fold_expression" => {
                let pattern = self.each_of_fold(node)?;
                self.expansion(node, pattern)
            }
            "sizeof_expression" => match node.child_by_field_id(Field::Type.id()) {
                Some(ty) => ExprKind::SizeofType(self.descriptor(ty)),
                None => ExprKind::SizeofExpr(self.field(node, Field::Value)),
            },
            "field_expression" => {
                let field = node.child_by_field_id(Field::Selected.id())?;
                ExprKind::Member {
                    base: self.field(node, Field::Argument),
                    name: self.name(field),
                    arrow: self.operator(node) == "->",
                }
            }
            "delete_expression" => {
                let args = named(node).into_iter().map(|n| self.expr(n)).collect();
                let callee = self.make(ExprKind::Name("delete".to_string()), node);
                ExprKind::Call { callee, args }
            }
            "lambda_expression" => ExprKind::Lambda(self.lambda(node)?),
            "initializer_list" => ExprKind::InitList(self.init_list(node)),
            "compound_literal_expression" => self.compound_literal(node),
            "user_defined_literal" => self.suffixed_literal(node)?,
            "new_expression" => self.new_expression(node),
            "compound_statement" | "declaration" | "expression_statement" => {
                ExprKind::Statement(self.stmt(node))
            }
            _ => return None,
        };
        Some(kind)
    }

    fn expansion(&mut self, node: Node<'_>, pattern: Node<'_>) -> ExprKind {
        ExprKind::Expansion {
            pattern: self.expr(pattern),
            whole: self.opaque_expr(node),
        }
    }

    /// What is evaluated for each element in `(pattern, ...)` and `(..., pattern)`; of other operators nothing.
    fn each_of_fold<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        let [left, right] = [Field::Left, Field::Right].map(|field| {
            node.child_by_field_id(field.id())
                .filter(|side| kind_of(*side) != "...")
        });
        match (left, right) {
            (Some(only), None) | (None, Some(only)) if self.operator(node) == "," => Some(only),
            _ => None,
        }
    }

    fn number(&mut self, node: Node<'_>) -> ExprKind {
        let word = self.word(node).replace('\'', "");
        match is_float(&word) {
            true => ExprKind::Float(word),
            false => ExprKind::Int(word),
        }
    }

    fn assignment(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let word = self.operator(node);
        let op = match word.strip_suffix('=').unwrap_or_default() {
            "" => None,
            op => Some(BinaryOp::from_spelling(op)?),
        };
        let target = self.field(node, Field::Left);
        Some(ExprKind::Assign(op, target, self.field(node, Field::Right)))
    }

    /// `++` or `--`.
    fn update(&mut self, node: Node<'_>) -> ExprKind {
        let operator = node.child_by_field_id(Field::Operator.id());
        let argument = node.child_by_field_id(Field::Argument.id());
        let before = operator.map(|n| n.start_byte()) < argument.map(|n| n.start_byte());
        ExprKind::Step {
            target: self.field(node, Field::Argument),
            by: if self.operator(node) == "--" { -1 } else { 1 },
            prefix: before,
        }
    }

    fn unary(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let op = match self.operator(node).as_str() {
            "+" => UnaryOp::Plus,
            "-" => UnaryOp::Minus,
            "!" | "not" => UnaryOp::Not,
            "~" => UnaryOp::BitNot,
            _ => return None,
        };
        Some(ExprKind::Unary(op, self.field(node, Field::Argument)))
    }

    /// `&` or `*`.
    fn pointer(&mut self, node: Node<'_>) -> ExprKind {
        let inner = self.field(node, Field::Argument);
        match self.operator(node).as_str() {
            "&" => ExprKind::AddressOf(inner),
            _ => ExprKind::Deref(inner),
        }
    }

    fn conditional(&mut self, node: Node<'_>) -> Option<ExprKind> {
        node.child_by_field_id(Field::Consequence.id())?;
        let condition = self.field(node, Field::Condition);
        let then = self.field(node, Field::Consequence);
        let otherwise = self.field(node, Field::Alternative);
        Some(ExprKind::Conditional(condition, then, otherwise))
    }

    fn compound_literal(&mut self, node: Node<'_>) -> ExprKind {
        let ty = node.child_by_field_id(Field::Type.id());
        let ty = ty.map(|n| self.descriptor(n)).unwrap_or_default();
        let args = match node.child_by_field_id(Field::Value.id()) {
            Some(list) => {
                let items = self.init_list(list);
                vec![self.make(ExprKind::InitList(items), list)]
            }
            None => Vec::new(),
        };
        ExprKind::Construct(ty, args)
    }

    /// `"text"s` and `"text"sv` of the standard library, which are objects.
    fn suffixed_literal(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let [literal, suffix] = named(node)[..] else {
            return None;
        };
        let class = match &self.text[suffix.byte_range()] {
            b"s" => "std::string",
            b"sv" => "std::string_view",
            _ => return None,
        };
        let is_text = matches!(kind_of(literal), "string_literal" | "raw_string_literal");
        let ty = Type {
            base: class.to_string(),
            ..Type::default()
        };
        is_text.then(|| ExprKind::Construct(ty, vec![self.string(literal)]))
    }

    fn subscript(&mut self, node: Node<'_>) -> ExprId {
        let base = self.field(node, Field::Argument);
        let indices: Vec<_> = node
            .child_by_field_id(Field::Indices.id())
            .map(named)
            .unwrap_or_default();
        match indices[..] {
            [index] => {
                let index = self.expr(index);
                self.make(ExprKind::Index(base, index), node)
            }
            _ => self.opaque_expr(node),
        }
    }

    fn call(&mut self, node: Node<'_>) -> ExprId {
        let Some(function) = node.child_by_field_id(Field::Function.id()) else {
            return self.opaque_expr(node);
        };
        let mut args = Vec::new();
        if let Some(list) = node.child_by_field_id(Field::Arguments.id()) {
            for item in named(list) {
                args.push(self.expr(item));
            }
        }
        if kind_of(function) == "template_function" {
            let name = function
                .child_by_field_id(Field::Name.id())
                .map(|n| self.name(n))
                .unwrap_or_default();
            let is_cast = matches!(
                name.as_str(),
                "static_cast" | "reinterpret_cast" | "const_cast" | "dynamic_cast"
            );
            let ty = function
                .child_by_field_id(Field::Arguments.id())
                .and_then(|list| named(list).first().copied());
            if let (true, Some(ty), [value]) = (is_cast, ty, &args[..]) {
                let value = *value;
                let ty = self.descriptor(ty);
                return self.make(ExprKind::Cast(ty, value), node);
            }
        }
        let callee = self.expr(function);
        self.make(ExprKind::Call { callee, args }, node)
    }

    fn init_list(&mut self, node: Node<'_>) -> Vec<(Option<Designator>, ExprId)> {
        let mut items = Vec::new();
        for item in named(node) {
            if kind_of(item) != "initializer_pair" {
                items.push((None, self.expr(item)));
                continue;
            }
            let mut cursor = item.walk();
            let designators: Vec<_> = item
                .children_by_field_id(Field::Designator.key(), &mut cursor)
                .collect();
            let value = self.field(item, Field::Value);
            let designator = match designators[..] {
                [only] => self.designator(only),
                _ => None,
            };
            match designator {
                Some(designator) => items.push((Some(designator), value)),
                // `.a.b = v`: some part of the object that is not known.
                None => {
                    let opaque = self.opaque_expr(item);
                    items.push((None, opaque));
                }
            }
        }
        items
    }

    fn designator(&mut self, node: Node<'_>) -> Option<Designator> {
        let inner = named(node).first().copied()?;
        match kind_of(node) {
            "subscript_range_designator" => {
                let last = named(node).last().copied()?;
                Some(Designator::Range(self.expr(inner), self.expr(last)))
            }
            "subscript_designator" => Some(Designator::Index(self.expr(inner))),
            "field_designator" => Some(Designator::Field(self.name(inner))),
            _ => None,
        }
    }

    fn new_expression(&mut self, node: Node<'_>) -> ExprKind {
        let base = node
            .child_by_field_id(Field::Type.id())
            .map(|n| self.type_specifier(n));
        let mut ty = Type {
            base: base.unwrap_or_default(),
            ..Type::default()
        };
        let mut count = None;
        let mut next = node.child_by_field_id(Field::Declarator.id());
        while let Some(declarator) = next {
            if let Some(length) = declarator.child_by_field_id(Field::Length.id()) {
                count = count.or(Some(self.expr(length)));
            } else {
                ty.pointers = ty.pointers.saturating_add(1);
            }
            next = declarator
                .child_by_field_id(Field::Declarator.id())
                .or_else(|| {
                    named(declarator)
                        .into_iter()
                        .find(|n| kind_of(*n) == "new_declarator")
                });
        }
        let args = node
            .child_by_field_id(Field::Arguments.id())
            .map(named)
            .unwrap_or_default();
        let args = args.into_iter().map(|n| self.expr(n)).collect();
        ExprKind::New { ty, count, args }
    }

    fn string(&mut self, node: Node<'_>) -> ExprId {
        let mut value = String::new();
        let mut inner = Vec::new();
        let parts = match kind_of(node) {
            "concatenated_string" => named(node),
            _ => vec![node],
        };
        let mut known = true;
        for part in parts {
            match kind_of(part) {
                "string_literal" | "raw_string_literal" => {
                    let bytes = &self.text[part.byte_range()];
                    match string_value(bytes) {
                        Some(text) => value.push_str(&text),
                        None => known = false,
                    }
                }
                // A macro between literals.
                _ => known = false,
            }
        }
        if known {
            return self.make(ExprKind::Str(value), node);
        }
        // `"a" MACRO "b"`: a sum of its parts.
        for part in named(node) {
            let piece = match kind_of(part) {
                "string_literal" | "raw_string_literal" => {
                    match string_value(&self.text[part.byte_range()]) {
                        Some(text) => self.make(ExprKind::Str(text), part),
                        None => return self.opaque_expr(node),
                    }
                }
                "identifier" => self.expr(part),
                _ => return self.opaque_expr(node),
            };
            inner.push(piece);
        }
        self.make(ExprKind::Juxtaposed(inner), node)
    }
}

fn is_float(word: &str) -> bool {
    let hex = word.starts_with("0x") || word.starts_with("0X");
    match hex {
        true => word.contains(['.', 'p', 'P']),
        false => word.contains(['.', 'e', 'E']),
    }
}
