//! Trees of tree-sitter to [`super::ast`]: types and declarations.

use tree_sitter::Node;

use super::ast::*;
use super::grammar::{self, Field, kind_of};
use super::lower::{Lowerer, Specifiers, named};
use fpgacc_frontend::source::Span;

/// What a declarator declares, beside its type.
#[derive(Default)]
pub(super) struct Shape {
    /// The name and where it stands.
    pub name: Option<(String, Span)>,
    /// Parameters, if it is a function.
    pub params: Option<Vec<Variable>>,
    /// `...` stands after them.
    pub is_variadic: bool,
    /// The parameters' node.
    params_at: Option<(usize, usize)>,
}

impl<'t> Lowerer<'t> {
    /// The type of a declaration's specifiers, without declarators.
    pub(super) fn base_type(&mut self, node: Node<'_>) -> Type {
        self.specified(node).0
    }

    /// The same, and the other specifiers.
    pub(super) fn specified(&mut self, node: Node<'_>) -> (Type, Specifiers) {
        let base = match node.child_by_field_id(Field::Type.id()) {
            Some(ty) => self.type_specifier(ty),
            None => "int".to_string(),
        };
        let specifiers = Specifiers::of(node, self.text);
        let ty = Type {
            base,
            is_const: specifiers.is_const,
            is_volatile: specifiers.is_volatile,
            ..Type::default()
        };
        (ty, specifiers)
    }

    /// A type's name; registers what it defines on the way.
    pub(super) fn type_specifier(&mut self, node: Node<'_>) -> String {
        match kind_of(node) {
            "struct_specifier" | "class_specifier" | "union_specifier" => self.record(node),
            "enum_specifier" => {
                self.enumeration(node);
                "int".to_string()
            }
            "sized_type_specifier" => {
                let words = self.word(node);
                words.split_whitespace().collect::<Vec<_>>().join(" ")
            }
            "decltype" => "decltype".to_string(),
            _ => self.name(node),
        }
    }

    fn record(&mut self, node: Node<'_>) -> String {
        let name = match node.child_by_field_id(Field::Name.id()) {
            Some(name) => self.name(name),
            None => format!("<unnamed at {}>", self.span(node).start),
        };
        let Some(body) = node.child_by_field_id(Field::Body.id()) else {
            return name;
        };
        if self.too_deep() {
            return name;
        }
        self.depth += 1;
        let odd_layout = named(node)
            .iter()
            .any(|n| matches!(kind_of(*n), "base_class_clause" | "attribute_specifier"));
        let was_class = self.class.replace(
            self.scope
                .iter()
                .chain([&name])
                .cloned()
                .collect::<Vec<_>>()
                .join("::"),
        );
        self.scope.push(name.clone());
        let mut fields = Vec::new();
        for member in named(body) {
            match kind_of(member) {
                "field_declaration" => self.fields(member, &mut fields),
                "function_definition" => self.function(member),
                "template_declaration" => self.template(member),
                "type_definition" | "alias_declaration" => self.typedef(member),
                "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => {
                    self.type_specifier(member);
                }
                _ => {}
            }
        }
        self.scope.pop();
        self.class = was_class;
        self.depth -= 1;
        self.ast.records.push(Record {
            name: name.clone(),
            fields,
            is_union: kind_of(node) == "union_specifier",
            odd_layout,
            bases: self.bases(node),
        });
        name
    }

    /// The base classes of a class.
    fn bases(&self, node: Node<'_>) -> Vec<String> {
        let clauses = named(node).into_iter();
        let clauses = clauses.filter(|n| kind_of(*n) == "base_class_clause");
        let is_name = |n: &Node<'_>| {
            let kinds = ["type_identifier", "qualified_identifier", "template_type"];
            kinds.contains(&kind_of(*n))
        };
        let names = clauses.flat_map(named).filter(is_name);
        let plain = |name: String| match name.split_once('<') {
            Some((plain, _)) => plain.to_string(),
            None => name,
        };
        names.map(|n| plain(self.name(n))).collect()
    }

    fn fields(&mut self, node: Node<'_>, fields: &mut Vec<Variable>) {
        let (base, specifiers) = self.specified(node);
        let is_static = specifiers.is_static;
        let base = match named(node).iter().any(|n| kind_of(*n) == "bitfield_clause") {
            true => Type {
                base: BIT_FIELD.to_string(),
                ..Type::default()
            },
            false => base,
        };
        let mut cursor = node.walk();
        let declarators: Vec<_> = node
            .children_by_field_id(Field::Declarator.key(), &mut cursor)
            .collect();
        let inits: Vec<_> = node
            .children_by_field_id(Field::DefaultValue.key(), &mut cursor)
            .collect();
        for (index, &declarator) in declarators.iter().enumerate() {
            // What stands before the next one is its own.
            let next = declarators.get(index + 1);
            let own = inits.iter().find(|init| {
                init.start_byte() >= declarator.end_byte()
                    && next.is_none_or(|next| init.start_byte() < next.start_byte())
            });
            let init = own.map(|init| self.expr(*init));
            let mut ty = base.clone();
            let shape = self.declarator(declarator, &mut ty);
            if let Some(params) = shape.params {
                if let (Some((name, _)), Some(class)) = (shape.name, self.scope.last()) {
                    let name = format!("{class}::{name}");
                    self.ast.methods.push(Prototype { name, params });
                }
                continue;
            }
            if let Some((name, span)) = shape.name {
                fields.push(Variable {
                    name,
                    ty,
                    init,
                    is_static,
                    is_extern: false,
                    span,
                });
            }
        }
    }

    fn enumeration(&mut self, node: Node<'_>) {
        let Some(body) = node.child_by_field_id(Field::Body.id()) else {
            return;
        };
        let mut items = Vec::new();
        for item in named(body)
            .into_iter()
            .filter(|n| kind_of(*n) == "enumerator")
        {
            let Some(name) = item.child_by_field_id(Field::Name.id()) else {
                continue;
            };
            let value = item
                .child_by_field_id(Field::Value.id())
                .map(|n| self.expr(n));
            items.push((self.name(name), value));
        }
        self.ast.enumerators.push(items);
    }

    /// `typedef` and `using name = type`.
    pub(super) fn typedef(&mut self, node: Node<'_>) {
        if kind_of(node) == "alias_declaration" {
            let name = node
                .child_by_field_id(Field::Name.id())
                .map(|n| self.name(n));
            let ty = node
                .child_by_field_id(Field::Type.id())
                .map(|n| self.descriptor(n));
            self.ast.typedefs.extend(name.zip(ty));
            return;
        }
        let base = self.base_type(node);
        let mut cursor = node.walk();
        let declarators: Vec<_> = node
            .children_by_field_id(Field::Declarator.key(), &mut cursor)
            .collect();
        for declarator in declarators {
            let mut ty = base.clone();
            let shape = self.declarator(declarator, &mut ty);
            ty.function |= shape.params.is_some();
            if let Some((name, _)) = shape.name {
                self.ast.typedefs.push((name, ty));
            }
        }
    }

    /// A type as it stands in casts and `sizeof`.
    pub(super) fn descriptor(&mut self, node: Node<'_>) -> Type {
        if kind_of(node) != "type_descriptor" {
            return Type {
                base: self.type_specifier(node),
                ..Type::default()
            };
        }
        let mut ty = self.base_type(node);
        if let Some(declarator) = node.child_by_field_id(Field::Declarator.id()) {
            self.declarator(declarator, &mut ty);
        }
        ty
    }

    /// Goes through a declarator from outside to inside; its part of the type goes to `ty`.
    pub(super) fn declarator(&mut self, node: Node<'_>, ty: &mut Type) -> Shape {
        let mut shape = Shape::default();
        let mut next = Some(node);
        while let Some(node) = next.take() {
            let inner = node.child_by_field_id(Field::Declarator.id());
            match kind_of(node) {
                "pointer_declarator" | "abstract_pointer_declarator" => {
                    if !ty.dims.is_empty() || shape.params.is_some() {
                        // A pointer to an array or function.
                        ty.function |= shape.params.take().is_some();
                        ty.dims.clear();
                        ty.base = format!("{}[]", ty.base);
                    }
                    ty.pointers = ty.pointers.saturating_add(1);
                    ty.pointee_const = ty.is_const;
                    ty.is_const = Specifiers::of(node, self.text).is_const;
                    next = inner;
                }
                "reference_declarator" | "abstract_reference_declarator" => {
                    ty.reference = true;
                    next = named(node).into_iter().next_back();
                }
                "array_declarator" | "abstract_array_declarator" => {
                    let size = node
                        .child_by_field_id(Field::Size.id())
                        .map(|n| self.expr(n));
                    ty.dims.insert(0, size);
                    next = inner;
                }
                "function_declarator" | "abstract_function_declarator" => {
                    if let Some(params) = node.child_by_field_id(Field::Parameters.id()) {
                        shape.params_at = Some((params.start_byte(), params.end_byte()));
                        shape.params = Some(self.params(params));
                        let text = self.text[params.byte_range()].trim_ascii_end();
                        let last = text.strip_suffix(b")").map(<[u8]>::trim_ascii_end);
                        shape.is_variadic = last.is_some_and(|text| text.ends_with(b"..."));
                    }
                    next = inner;
                }
                "parenthesized_declarator"
                | "abstract_parenthesized_declarator"
                | "attributed_declarator"
                | "variadic_declarator" => {
                    next = named(node).into_iter().next();
                }
                "init_declarator" => next = inner,
                // `operator int() const`
                "operator_cast" => {
                    *ty = self.base_type(node);
                    shape.name = Some((self.conversion_name(node), self.name_span(node)));
                    next = inner;
                }
                "qualified_identifier" if Self::conversion_in(node).is_some() => {
                    let conversion = Self::conversion_in(node);
                    *ty = conversion.map_or_else(Type::default, |inner| self.base_type(inner));
                    shape.name = Some((self.conversion_name(node), self.name_span(node)));
                    next = conversion.and_then(|n| n.child_by_field_id(Field::Declarator.id()));
                }
                "identifier"
                | "field_identifier"
                | "type_identifier"
                | "qualified_identifier"
                | "operator_name"
                | "destructor_name"
                | "structured_binding_declarator"
                | "template_function" => {
                    shape.name = Some((self.name(node), self.name_span(node)));
                }
                _ => {}
            }
        }
        shape
    }

    /// The conversion that a name such as `Class::operator int() const` ends with.
    fn conversion_in<'n>(node: Node<'n>) -> Option<Node<'n>> {
        let mut last = node;
        while kind_of(last) == "qualified_identifier" {
            last = last.child_by_field_id(Field::Name.id())?;
        }
        (kind_of(last) == "operator_cast").then_some(last)
    }

    /// The name of an operator that converts objects, without its parameters.
    fn conversion_name(&self, node: Node<'_>) -> String {
        let name = self.name(node);
        let end = name.find('(').unwrap_or(name.len());
        name[..end].to_string()
    }

    /// The parameters in a list of them.
    pub(super) fn params(&mut self, node: Node<'_>) -> Vec<Variable> {
        if self.too_deep() {
            return Vec::new();
        }
        self.depth += 1;
        let mut params = Vec::new();
        for item in named(node) {
            if !matches!(
                kind_of(item),
                "parameter_declaration"
                    | "optional_parameter_declaration"
                    | "variadic_parameter_declaration"
            ) {
                continue;
            }
            let mut ty = self.base_type(item);
            let shape = match item.child_by_field_id(Field::Declarator.id()) {
                Some(declarator) => self.declarator(declarator, &mut ty),
                None => Shape::default(),
            };
            ty.is_pack = kind_of(item) == "variadic_parameter_declaration";
            let init = item
                .child_by_field_id(Field::DefaultValue.id())
                .map(|n| self.expr(n));
            if ty.base == "void" && ty.pointers == 0 {
                continue;
            }
            let (name, span) = shape.name.unwrap_or((String::new(), self.span(item)));
            // An array parameter is a pointer.
            if !ty.dims.is_empty() {
                ty.dims.remove(0);
                ty.pointers += 1;
            }
            ty.function |= shape.params.is_some();
            params.push(Variable {
                name,
                ty,
                init,
                is_static: false,
                is_extern: false,
                span,
            });
        }
        self.depth -= 1;
        params
    }

    /// A declaration of variables; `None` if it declares none.
    pub(super) fn declaration(&mut self, node: Node<'_>) -> Option<StmtId> {
        let (base, specifiers) = self.specified(node);
        let (is_static, is_extern) = (specifiers.is_static, specifiers.is_extern);
        let mut cursor = node.walk();
        let declarators: Vec<_> = node
            .children_by_field_id(Field::Declarator.key(), &mut cursor)
            .collect();
        let mut variables = Vec::new();
        for declarator in declarators {
            let mut ty = base.clone();
            let shape = self.declarator(declarator, &mut ty);
            let mut init = declarator
                .child_by_field_id(Field::Value.id())
                .map(|value| self.initialiser(value, &ty));
            let Some((name, span)) = shape.name else {
                continue;
            };
            if let Some(params) = shape.params
                && !ty.function
                && init.is_none()
            {
                let variable = self.in_body && ty.pointers == 0 && !ty.reference;
                let args = match variable {
                    true => self.constructor_args(&params, shape.params_at),
                    false => None,
                };
                match args {
                    Some(args) => {
                        let kind = ExprKind::Construct(ty.clone(), args);
                        init = Some(self.ast.add_expr(kind, span));
                    }
                    _ => {
                        self.ast.prototypes.push(Prototype { name, params });
                        continue;
                    }
                }
            }
            variables.push(Variable {
                name,
                ty,
                is_extern: is_extern && init.is_none(),
                init,
                is_static,
                span,
            });
        }
        if variables.is_empty() {
            return None;
        }
        let span = self.span(node);
        Some(self.ast.add_stmt(StmtKind::Declare(variables), span))
    }

    fn initialiser(&mut self, node: Node<'_>, ty: &Type) -> ExprId {
        if kind_of(node) != "argument_list" {
            return self.expr(node);
        }
        let args = named(node).into_iter().map(|n| self.expr(n)).collect();
        let span = self.span(node);
        self.ast
            .add_expr(ExprKind::Construct(ty.clone(), args), span)
    }

    /// `T v(a, b[0]);` reads like a function's declaration; in a body it is a variable, if what
    /// should be parameters are values too.
    fn constructor_args(
        &mut self,
        params: &[Variable],
        at: Option<(usize, usize)>,
    ) -> Option<Vec<ExprId>> {
        let value = |p: &Variable| {
            !p.ty.is_const
                && !p.ty.pointee_const
                && !p.ty.reference
                && !is_basic(&p.ty.base)
                && p.init.is_none()
        };
        if params.is_empty() || !params.iter().all(value) || self.too_deep() {
            return None;
        }
        self.depth += 1;
        let args = at.and_then(|(start, end)| self.as_arguments(start, end));
        self.depth -= 1;
        args
    }

    /// A piece of the text, in parentheses, as the arguments of a call.
    fn as_arguments(&mut self, start: usize, end: usize) -> Option<Vec<ExprId>> {
        const HEAD: &[u8] = b"void f(){x=g";
        let mut text = HEAD.to_vec();
        text.extend_from_slice(self.text.get(start..end)?);
        text.extend_from_slice(b";}");
        let tree = grammar::tree(&text)?;
        if tree.root_node().has_error() {
            return None;
        }
        let mut node = tree.root_node();
        while kind_of(node) != "call_expression" {
            node = named(node).into_iter().next_back()?;
        }
        let list = node.child_by_field_id(Field::Arguments.id())?;
        let mut inner = Lowerer {
            text: &text,
            file: self.file,
            positions: self.positions,
            shift: self.shift + start as i64 - HEAD.len() as i64,
            fixed: self.fixed,
            ast: std::mem::take(&mut self.ast),
            scope: Vec::new(),
            class: None,
            depth: self.depth,
            in_body: true,
            deduced: Vec::new(),
            templates: Vec::new(),
            declared: std::mem::take(&mut self.declared),
        };
        let args = named(list).into_iter().map(|n| inner.expr(n)).collect();
        self.ast = inner.ast;
        self.declared = inner.declared;
        Some(args)
    }
}

fn is_basic(base: &str) -> bool {
    base.split(' ').all(|word| {
        matches!(
            word,
            "void"
                | "char"
                | "short"
                | "int"
                | "long"
                | "float"
                | "double"
                | "bool"
                | "signed"
                | "unsigned"
                | "size_t"
        )
    })
}
