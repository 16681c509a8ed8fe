//! Expressions: names, literals, casts, vector literals, `sizeof`.

use lang_c::ast::{
    BinaryOperator, CastExpression, CompoundLiteral, Constant, Expression, GenericAssociation,
    GenericSelection, OffsetMember, OffsetOfExpression, UnaryOperator,
};
use lang_c::span::{Node, Span as SyntaxSpan};

use super::literals::{self, Literal};
use super::scope::Symbol;
use super::{Lowered, Lowerer, Reported};
use crate::diag::Diagnostic;
use crate::ir::{
    AddressSpace, Expr, ExprId, IncDecOp, Init, InitItem, InitStep, QualType, Qualifiers,
    RecordKind, Scalar, SizeOfArg, Type, TypeId,
};
use crate::kernel::builtins::constants;
use crate::kernel::builtins::nearest;

impl Lowerer<'_> {
    /// Lowers an expression.
    pub(super) fn expression(&mut self, node: &Node<Expression>) -> Lowered<ExprId> {
        match &node.node {
            Expression::Identifier(name) => self.identifier(&name.node.name, name.span),
            Expression::Constant(constant) => self.literal(constant),
            Expression::StringLiteral(string) => self.string(string.span),
            Expression::GenericSelection(selection) => self.generic_selection(selection),
            Expression::Member(member) => self.member(member),
            Expression::Call(call) => self.call(call),
            Expression::CompoundLiteral(literal) => self.compound(literal),
            Expression::SizeOfTy(size) => {
                let ty = self.type_name_node(&size.node.0)?;
                self.size_of_type(ty, size.span)
            }
            Expression::SizeOfVal(size) => {
                let value = self.expression(&size.node.0)?;
                self.size_of_value(value, size.span)
            }
            Expression::AlignOf(align) => {
                let ty = self.type_name_node(&align.node.0)?;
                match self.module.layout(ty.ty) {
                    Some(layout) => self.size_constant(layout.align, align.span),
                    None => Err(self.error(align.span, "this type has no alignment")),
                }
            }
            Expression::UnaryOperator(unary) => self.unary(unary),
            Expression::Cast(cast) => self.cast(cast),
            Expression::BinaryOperator(binary) => self.binary(binary),
            Expression::Conditional(conditional) => self.conditional(conditional),
            Expression::Comma(nodes) => self.comma(nodes, node.span),
            Expression::OffsetOf(offset) => self.offset_of(offset),
            Expression::VaArg(_) => Err(self.unsupported(node.span, "`va_arg` is")),
            Expression::Statement(_) => {
                Err(self.unsupported(node.span, "statement expressions are"))
            }
        }
    }

    fn identifier(&mut self, name: &str, at: SyntaxSpan) -> Lowered<ExprId> {
        match self.scopes.find(name) {
            Some(Symbol::Var(var)) => {
                let ty = self.variable(var).ty.ty;
                self.add(Expr::Var(var), ty, at)
            }
            Some(Symbol::EnumConst(id, index)) => {
                let ty = self.module.types.int();
                self.add(Expr::EnumConst(id, index), ty, at)
            }
            Some(Symbol::WideConst(value, scalar)) => {
                let ty = self.module.types.scalar(scalar);
                let spelling = None;
                self.add(Expr::Int { value, spelling }, ty, at)
            }
            Some(Symbol::Function(_)) => {
                let message = format!("`{name}` is a function and can only be called");
                Err(self.error(at, message))
            }
            Some(Symbol::Typedef(..)) => {
                Err(self.error(at, format!("`{name}` is a type, not a value")))
            }
            Some(Symbol::Broken) => Err(Reported),
            None => self.builtin_constant(name, at),
        }
    }

    fn builtin_constant(&mut self, name: &str, at: SyntaxSpan) -> Lowered<ExprId> {
        if let Some(value) = match name {
            "true" => Some(1),
            "false" => Some(0),
            _ => None,
        } {
            let ty = self.module.types.scalar(Scalar::Bool);
            let spelling = Some(name.to_string());
            return self.add(Expr::Int { value, spelling }, ty, at);
        }
        if matches!(name, "__func__" | "__FUNCTION__")
            && let Some(literal) = self.function_name(at)
        {
            return literal;
        }
        let ty = match name {
            "NULL" => {
                let void = self.module.types.intern(Type::Void);
                Some(self.module.types.intern(Type::Pointer {
                    pointee: QualType::plain(void),
                    space: self.default_space(),
                }))
            }
            "CLK_NULL_QUEUE" => Some(self.opaque("queue_t")),
            "CLK_NULL_EVENT" => Some(self.opaque("clk_event_t")),
            "CLK_NULL_RESERVE_ID" => Some(self.opaque("reserve_id_t")),
            _ => constants::scalar_of(name).map(|scalar| self.module.types.scalar(scalar)),
        };
        if let Some(ty) = ty {
            return self.add(Expr::BuiltinConst(name.to_string()), ty, at);
        }
        let diagnostic = Diagnostic::error(format!("`{name}` is not declared"));
        let near = {
            let mut known = self.scopes.names();
            for constant in constants::kept_names() {
                known.push(constant);
            }
            nearest(name, known.into_iter()).map(str::to_string)
        };
        let diagnostic = match near {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        };
        Err(self.report(at, diagnostic))
    }

    fn opaque(&mut self, name: &str) -> TypeId {
        self.module.types.intern(Type::Opaque(name.to_string()))
    }

    fn literal(&mut self, node: &Node<Constant>) -> Lowered<ExprId> {
        let token = self.source.tokens(node.span).from;
        let text = self.source.word(token).to_string();
        let literal = if text.starts_with('\'') {
            literals::character(&text).map(|value| Literal::Int(value, Scalar::Int))
        } else {
            literals::number(&text)
        };
        match literal {
            Ok(Literal::Int(value, scalar)) => {
                let ty = self.module.types.scalar(scalar);
                let spelling = Some(text);
                self.add(Expr::Int { value, spelling }, ty, node.span)
            }
            Ok(Literal::Float(value, scalar)) => {
                let ty = self.module.types.scalar(scalar);
                let spelling = Some(text);
                self.add(Expr::Float { value, spelling }, ty, node.span)
            }
            Err(message) => Err(self.error(node.span, message)),
        }
    }

    fn string(&mut self, at: SyntaxSpan) -> Lowered<ExprId> {
        let tokens = self.source.tokens(at);
        // A backslash joins two lines, also inside a string.
        let words: Vec<String> = (tokens.from..tokens.to)
            .map(|token| self.source.word(token))
            .filter(|word| word.starts_with('"'))
            .map(|word| word.replace("\\\r\n", "").replace("\\\n", ""))
            .collect();
        let len = words.iter().map(|word| string_len(word)).sum::<u64>() + 1;
        self.characters(words.join(" "), len, at)
    }

    /// The name of the function at hand, where C has a variable for it: as a literal it stays the
    /// same in a kernel that becomes several, and in those that the function becomes part of.
    fn function_name(&mut self, at: SyntaxSpan) -> Option<Lowered<ExprId>> {
        let name = self.current.as_ref()?.name.clone();
        let len = name.len() as u64 + 1;
        Some(self.characters(format!("\"{name}\""), len, at))
    }

    /// A string literal of `len` characters with its end.
    fn characters(&mut self, text: String, len: u64, at: SyntaxSpan) -> Lowered<ExprId> {
        let char_ = self.module.types.scalar(Scalar::Char);
        let ty = self.module.types.intern(Type::Array {
            element: QualType {
                ty: char_,
                quals: Qualifiers::CONST,
            },
            len: Some(len),
        });
        self.add(Expr::Str(text), ty, at)
    }

    fn size_constant(&mut self, size: u64, at: SyntaxSpan) -> Lowered<ExprId> {
        let ty = self.module.types.scalar(Scalar::ULong);
        let expr = Expr::Int {
            value: i128::from(size),
            spelling: None,
        };
        self.add(expr, ty, at)
    }

    /// Whether a `sizeof` in the tree was `vec_step` in the source.
    fn is_vec_step(&self, at: SyntaxSpan) -> bool {
        self.source.word(self.source.tokens(at).from) == "vec_step"
    }

    fn vec_step(&mut self, ty: TypeId, at: SyntaxSpan) -> Lowered<ExprId> {
        let types = &self.module.types;
        let step = match types.as_vector(ty) {
            // The specification gives a vector of three the step of four.
            Some((_, 3)) => 4,
            Some((_, width)) => u64::from(width),
            None if types.as_scalar(ty).is_some() => 1,
            None => {
                let message = format!("`vec_step` does not take `{}`", self.type_name(ty));
                return Err(self.error(at, message));
            }
        };
        let ty = self.module.types.int();
        let expr = Expr::Int {
            value: i128::from(step),
            spelling: None,
        };
        self.add(expr, ty, at)
    }

    fn size_of_type(&mut self, ty: QualType, at: SyntaxSpan) -> Lowered<ExprId> {
        if self.is_vec_step(at) {
            return self.vec_step(ty.ty, at);
        }
        self.check_sized(ty.ty, at)?;
        let size_t = self.module.types.size_t();
        self.add(Expr::SizeOf(SizeOfArg::Type(ty)), size_t, at)
    }

    fn size_of_value(&mut self, value: ExprId, at: SyntaxSpan) -> Lowered<ExprId> {
        if self.is_vec_step(at) {
            let ty = self.exprs.ty(value);
            return self.vec_step(ty, at);
        }
        self.check_sized(self.exprs.ty(value), at)?;
        let size_t = self.module.types.size_t();
        self.add(Expr::SizeOf(SizeOfArg::Expr(value)), size_t, at)
    }

    fn check_sized(&mut self, ty: TypeId, at: SyntaxSpan) -> Lowered<()> {
        let open_array = self
            .module
            .types
            .as_array(ty)
            .is_some_and(|(_, len)| len.is_none());
        if open_array || self.is_incomplete_record(ty) {
            let message = format!("the size of `{}` is not known", self.type_name(ty));
            return Err(self.error(at, message));
        }
        Ok(())
    }

    fn compound(&mut self, node: &Node<CompoundLiteral>) -> Lowered<ExprId> {
        let ty = self.type_name_node(&node.node.type_name)?;
        let items = self.init_list(&node.node.initializer_list, Some(ty.ty), node.span)?;
        let expr = match self.components(ty.ty, &items) {
            Some(elements) => Expr::VectorLit { elements },
            None => Expr::Compound { ty, items },
        };
        self.add(expr, ty.ty, node.span)
    }

    /// A cast or a vector literal. In `(float4)(1, 2, 3, 4).y` C binds `.y` to the parentheses;
    /// OpenCL C means the literal first, so what follows the parentheses is taken off and put
    /// after the literal.
    fn cast(&mut self, node: &Node<CastExpression>) -> Lowered<ExprId> {
        let ty = self.type_name_node(&node.node.type_name)?;
        let operand = &node.node.expression;
        let Some((_, width)) = self.module.types.as_vector(ty.ty) else {
            let value = self.expression(operand)?;
            return self.plain_cast(ty, value, node.span);
        };
        // The token after the type's parenthesis.
        let open = self.source.tokens(node.node.type_name.span).to + 1;
        if self.source.word(open) != "(" {
            let value = self.expression(operand)?;
            return self.plain_cast(ty, value, node.span);
        }
        let close = self.source.prepass.close[open] as usize;
        let mut after: Vec<&Node<Expression>> = Vec::new();
        let mut inner = &**operand;
        while self.source.tokens(inner.span).to > close + 1 {
            // The parentheses hold another type: `(float4)(float)(x)`.
            if matches!(
                inner.node,
                Expression::Cast(_) | Expression::CompoundLiteral(_)
            ) {
                let value = self.expression(operand)?;
                return self.plain_cast(ty, value, node.span);
            }
            let Some(below) = postfix_base(&inner.node) else {
                return Err(self.error(inner.span, "this does not belong after a vector literal"));
            };
            after.push(inner);
            inner = below;
        }
        let mut value = self.vector_literal(ty.ty, width, inner, node.span)?;
        for suffix in after.into_iter().rev() {
            value = self.apply_suffix(value, suffix)?;
        }
        Ok(value)
    }

    fn vector_literal(
        &mut self,
        ty: TypeId,
        width: u8,
        inner: &Node<Expression>,
        at: SyntaxSpan,
    ) -> Lowered<ExprId> {
        let nodes = match &inner.node {
            // More parentheses make it one operand again.
            Expression::Comma(nodes) if !self.doubly_parenthesised(inner) => nodes.as_slice(),
            _ => std::slice::from_ref(inner),
        };
        let mut elements = Vec::with_capacity(nodes.len());
        let mut components = 0u32;
        for node in nodes {
            let value = self.expression(node)?;
            let own = self.value_type(value);
            let types = &self.module.types;
            components += match (types.as_vector(own), types.as_scalar(own)) {
                (Some((_, width)), _) => u32::from(width),
                (None, Some(_)) => 1,
                (None, None) => {
                    let message =
                        format!("a vector literal does not take a `{}`", self.type_name(own));
                    return Err(self.error(node.span, message));
                }
            };
            elements.push(value);
        }
        let splat = elements.len() == 1 && components == 1;
        if !splat && components != u32::from(width) {
            let message = format!(
                "a `{}` needs {width} components, here are {components}",
                self.type_name(ty)
            );
            return Err(self.error(at, message));
        }
        self.add(Expr::VectorLit { elements }, ty, at)
    }

    fn doubly_parenthesised(&self, node: &Node<Expression>) -> bool {
        let tokens = self.source.tokens(node.span);
        self.source.word(tokens.from) == "("
            && self.source.word(tokens.from + 1) == "("
            && self.source.prepass.close[tokens.from + 1] as usize + 1
                == self.source.prepass.close[tokens.from] as usize
    }

    /// Applies the outermost operation of `node` to `base` in place of its own base.
    fn apply_suffix(&mut self, base: ExprId, node: &Node<Expression>) -> Lowered<ExprId> {
        match &node.node {
            Expression::Member(member) => {
                let name = member.node.identifier.node.name.clone();
                let arrow = member.node.operator.node == lang_c::ast::MemberOperator::Indirect;
                let name_at = member.node.identifier.span;
                self.member_of(base, &name, arrow, node.span, name_at)
            }
            Expression::BinaryOperator(binary) => {
                let index = self.expression(&binary.node.rhs)?;
                self.index(base, index, node.span)
            }
            Expression::UnaryOperator(unary) => {
                let op = match unary.node.operator.node {
                    UnaryOperator::PostDecrement => IncDecOp::PostDec,
                    _ => IncDecOp::PostInc,
                };
                self.inc_dec(op, base, node.span)
            }
            _ => Err(self.error(node.span, "this is not a function")),
        }
    }

    /// A value that is cast to a union which has a member of its type stands for that member: GNU C, as aoc takes it.
    fn as_member(&mut self, ty: TypeId, operand: ExprId, from: TypeId) -> Option<Vec<InitItem>> {
        let record = self.module.types.as_record(ty)?;
        let record = &self.module.records[record];
        if record.kind != RecordKind::Union {
            return None;
        }
        let types = &mut self.module.types;
        let from = types.canonical(from);
        let mut fields = record.fields.iter().flatten();
        let field = fields.find(|field| types.canonical(field.ty.ty) == from)?;
        Some(vec![InitItem {
            path: vec![InitStep::Field(field.name.clone()?)],
            value: Init::Expr(operand),
        }])
    }

    fn plain_cast(&mut self, ty: QualType, operand: ExprId, at: SyntaxSpan) -> Lowered<ExprId> {
        let from = self.value_type(operand);
        if let Some(items) = self.as_member(ty.ty, operand, from) {
            return self.add(Expr::Compound { ty, items }, ty.ty, at);
        }
        if !self.castable(operand, from, ty.ty) {
            let message = format!(
                "a `{}` cannot be cast to `{}`",
                self.type_name(from),
                self.type_name(ty.ty)
            );
            let mut diagnostic = Diagnostic::error(message);
            let types = &self.module.types;
            if types.as_vector(from).is_some() && types.as_vector(ty.ty).is_some() {
                let name = self.type_name(ty.ty);
                diagnostic = diagnostic.help(format!(
                    "write `convert_{name}(..)` to convert its values, or `as_{name}(..)` to keep its bits"
                ));
            }
            return Err(self.report(at, diagnostic));
        }
        self.add(Expr::Cast { ty, operand }, ty.ty, at)
    }

    fn castable(&self, operand: ExprId, from: TypeId, to: TypeId) -> bool {
        let types = &self.module.types;
        let (source, target) = (types.resolve(from), types.resolve(to));
        if source == target || target == Type::Void {
            return true;
        }
        match (&source, &target) {
            (
                Type::Scalar(_) | Type::Enum(_),
                Type::Scalar(_) | Type::Enum(_) | Type::Vector(..),
            ) => true,
            (Type::Pointer { .. }, Type::Scalar(scalar)) => scalar.is_integer(),
            (Type::Scalar(scalar), Type::Pointer { .. }) => scalar.is_integer(),
            (Type::Enum(_), Type::Pointer { .. }) => true,
            (Type::Pointer { space: a, .. }, Type::Pointer { space: b, .. }) => {
                a == b
                    || self.is_null(operand)
                    || (*a == AddressSpace::Generic && *b != AddressSpace::Constant)
                    || (*b == AddressSpace::Generic && *a != AddressSpace::Constant)
            }
            (Type::Scalar(_), Type::Opaque(_)) => true,
            _ => false,
        }
    }

    fn generic_selection(&mut self, node: &Node<GenericSelection>) -> Lowered<ExprId> {
        let value = self.expression(&node.node.expression)?;
        let wanted = self.value_type(value);
        let mut default = None;
        for association in &node.node.associations {
            match &association.node {
                GenericAssociation::Type(case) => {
                    let ty = self.type_name_node(&case.node.type_name)?;
                    if self.module.types.canonical(ty.ty) == wanted {
                        return self.expression(&case.node.expression);
                    }
                }
                GenericAssociation::Default(expr) => default = Some(expr),
            }
        }
        match default {
            Some(expr) => self.expression(expr),
            None => {
                let message = format!("`_Generic` has no case for `{}`", self.type_name(wanted));
                Err(self.error(node.span, message))
            }
        }
    }

    fn offset_of(&mut self, node: &Node<OffsetOfExpression>) -> Lowered<ExprId> {
        let mut ty = self.type_name_node(&node.node.type_name)?.ty;
        let designator = &node.node.designator;
        let mut offset = self.add_field(&mut ty, &designator.node.base.node.name, node.span)?;
        for member in &designator.node.members {
            offset += match &member.node {
                OffsetMember::Member(name) | OffsetMember::IndirectMember(name) => {
                    self.add_field(&mut ty, &name.node.name, member.span)?
                }
                OffsetMember::Index(index) => {
                    let index = self.constant_size(index, "an index")?;
                    let Some((element, _)) = self.module.types.as_array(ty) else {
                        return Err(self.error(member.span, "only arrays have elements"));
                    };
                    ty = element.ty;
                    let size = self.module.layout(ty).map_or(0, |layout| layout.size);
                    index.saturating_mul(size)
                }
            };
        }
        self.size_constant(offset, node.span)
    }

    /// The offset of a field; `ty` becomes the field's type.
    fn add_field(&mut self, ty: &mut TypeId, name: &str, at: SyntaxSpan) -> Lowered<u64> {
        let found = self
            .module
            .types
            .as_record(*ty)
            .and_then(|record| self.find_field(record, name));
        let Some(found) = found else {
            let message = format!("`{}` has no field `{name}`", self.type_name(*ty));
            return Err(self.error(at, message));
        };
        *ty = found.ty.ty;
        Ok(found
            .path
            .iter()
            .filter_map(|&(record, field)| {
                let offsets = self.module.field_offsets(record)?;
                offsets.get(field as usize).copied()
            })
            .sum())
    }
}

/// The base of a postfix expression.
fn postfix_base(node: &Expression) -> Option<&Node<Expression>> {
    match node {
        Expression::Member(member) => Some(&member.node.expression),
        Expression::BinaryOperator(binary)
            if binary.node.operator.node == BinaryOperator::Index =>
        {
            Some(&binary.node.lhs)
        }
        Expression::UnaryOperator(unary)
            if matches!(
                unary.node.operator.node,
                UnaryOperator::PostIncrement | UnaryOperator::PostDecrement
            ) =>
        {
            Some(&unary.node.operand)
        }
        _ => None,
    }
}

/// The number of bytes in a string literal.
fn string_len(word: &str) -> u64 {
    let inner = word.trim_start_matches('"').trim_end_matches('"');
    let mut bytes = inner.bytes().peekable();
    let mut len = 0;
    while let Some(byte) = bytes.next() {
        len += 1;
        if byte != b'\\' {
            continue;
        }
        match bytes.next() {
            Some(b'x') => while bytes.next_if(u8::is_ascii_hexdigit).is_some() {},
            Some(b'0'..=b'7') => {
                let mut digits = 1;
                while digits < 3 && bytes.next_if(|b| (b'0'..=b'7').contains(b)).is_some() {
                    digits += 1;
                }
            }
            _ => {}
        }
    }
    len
}
