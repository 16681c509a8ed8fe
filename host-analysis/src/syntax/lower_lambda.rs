//! Trees of tree-sitter to [`super::ast`]: lambdas, and names for the parts of a value.

use tree_sitter::Node;

use super::ast::*;
use super::grammar::{Field, kind_of};
use super::lower::{Lowerer, named};

impl<'t> Lowerer<'t> {
    /// A lambda; its body becomes a function without a name that can be called.
    pub(super) fn lambda(&mut self, node: Node<'_>) -> Option<Lambda> {
        let body = node.child_by_field_id(Field::Body.id())?;
        let mut lambda = Lambda {
            function: 0,
            by_value: false,
            captures: Vec::new(),
            names: self.names_in(node),
        };
        let captures = node.child_by_field_id(Field::Captures.id());
        for item in captures.map(named).unwrap_or_default() {
            self.capture(item, &mut lambda)?;
        }
        let mut result = Type {
            base: "auto".to_string(),
            ..Type::default()
        };
        let mut params = Vec::new();
        if let Some(declarator) = node.child_by_field_id(Field::Declarator.id()) {
            let shape = self.declarator(declarator, &mut Type::default());
            params = shape.params.unwrap_or_default();
            let trailing = named(declarator)
                .into_iter()
                .find(|n| kind_of(*n) == "trailing_return_type");
            if let Some(ty) = trailing.and_then(|n| named(n).first().copied()) {
                result = self.descriptor(ty);
            }
        }
        let span = self.span(node);
        let was_in_body = std::mem::replace(&mut self.in_body, true);
        let body = self.stmt(body);
        self.in_body = was_in_body;
        lambda.function = self.ast.functions.len();
        self.ast.functions.push(Function {
            name: format!("<lambda at {}>", span.start),
            class: None,
            params,
            is_variadic: false,
            is_static: true,
            result,
            initialisers: Vec::new(),
            body,
            span,
        });
        Some(lambda)
    }

    /// One item between `[` and `]`.
    fn capture(&mut self, item: Node<'_>, lambda: &mut Lambda) -> Option<()> {
        let before = &self.text[..item.start_byte()];
        let reference = before.trim_ascii_end().ends_with(b"&");
        let (name, init) = match kind_of(item) {
            "lambda_default_capture" => {
                lambda.by_value = self.word(item) == "=";
                return Some(());
            }
            "this" => return Some(()),
            "identifier" => (self.name(item), None),
            "lambda_capture_initializer" => {
                let name = item.child_by_field_id(Field::Left.id())?;
                let value = item.child_by_field_id(Field::Right.id())?;
                (self.name(name), Some(self.expr(value)))
            }
            _ => return None,
        };
        lambda.captures.push(Capture {
            name,
            reference,
            init,
        });
        Some(())
    }
}
