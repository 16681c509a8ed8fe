//! Type specifiers and records.

use lang_c::ast::{
    AlignmentSpecifier, DeclarationSpecifier, Expression, Extension, FunctionSpecifier,
    SpecifierQualifier, StorageClassSpecifier, StructDeclaration, StructField, StructKind,
    StructType, TS18661FloatFormat, TypeName, TypeOf, TypeQualifier, TypeSpecifier,
};
use lang_c::span::{Node, Span as SyntaxSpan};

use super::attributes::{Keyword, keywords};
use super::scope::{Symbol, Tag};
use super::{Lowered, Lowerer};
use crate::diag::Diagnostic;
use crate::ir::{
    AddressSpace, Attr, Expr, Field, Item, Module, QualType, Qualifiers, Record, RecordId,
    RecordKind, Scalar, Storage, Type, TypeId,
};
use crate::kernel::builtins::types::{builtin_type, nearest};

/// A specifier of a declaration, a field or a type name.
#[derive(Clone, Copy)]
pub(super) enum Spec<'s> {
    Storage(&'s Node<StorageClassSpecifier>),
    Type(&'s Node<TypeSpecifier>),
    Qualifier(&'s Node<TypeQualifier>),
    Function(&'s Node<FunctionSpecifier>),
    Alignment(&'s Node<AlignmentSpecifier>),
    Extension(&'s [Node<Extension>]),
}

/// The specifiers of a declaration.
pub(super) fn of_declaration(specs: &[Node<DeclarationSpecifier>]) -> Vec<Spec<'_>> {
    specs
        .iter()
        .map(|node| match &node.node {
            DeclarationSpecifier::StorageClass(storage) => Spec::Storage(storage),
            DeclarationSpecifier::TypeSpecifier(ty) => Spec::Type(ty),
            DeclarationSpecifier::TypeQualifier(qualifier) => Spec::Qualifier(qualifier),
            DeclarationSpecifier::Function(function) => Spec::Function(function),
            DeclarationSpecifier::Alignment(alignment) => Spec::Alignment(alignment),
            DeclarationSpecifier::Extension(extensions) => Spec::Extension(extensions),
        })
        .collect()
}

/// The specifiers of a field or a type name.
pub(super) fn of_field(specs: &[Node<SpecifierQualifier>]) -> Vec<Spec<'_>> {
    specs
        .iter()
        .map(|node| match &node.node {
            SpecifierQualifier::TypeSpecifier(ty) => Spec::Type(ty),
            SpecifierQualifier::TypeQualifier(qualifier) => Spec::Qualifier(qualifier),
            SpecifierQualifier::Extension(extensions) => Spec::Extension(extensions),
        })
        .collect()
}

/// What specifiers say.
#[derive(Clone, Debug)]
pub(super) struct Specs {
    pub ty: QualType,
    pub space: Option<AddressSpace>,
    pub storage: Storage,
    pub is_typedef: bool,
    pub is_inline: bool,
    pub is_kernel: bool,
    pub attrs: Vec<Attr>,
    /// The record that is defined here.
    pub defines: Option<RecordId>,
}

/// Counts of the keywords that make up arithmetic types.
#[derive(Default)]
struct Words {
    void: u32,
    boolean: u32,
    char_: u32,
    short: u32,
    int: u32,
    long: u32,
    half: u32,
    float: u32,
    double: u32,
    signed: u32,
    unsigned: u32,
}

impl Words {
    /// The counter of a keyword.
    fn count(&mut self, word: &TypeSpecifier) -> Option<&mut u32> {
        Some(match word {
            TypeSpecifier::Void => &mut self.void,
            TypeSpecifier::Bool => &mut self.boolean,
            TypeSpecifier::Char => &mut self.char_,
            TypeSpecifier::Short => &mut self.short,
            TypeSpecifier::Int => &mut self.int,
            TypeSpecifier::Long => &mut self.long,
            TypeSpecifier::Float => &mut self.float,
            TypeSpecifier::Double => &mut self.double,
            TypeSpecifier::Signed => &mut self.signed,
            TypeSpecifier::Unsigned => &mut self.unsigned,
            _ => return None,
        })
    }

    fn any(&self) -> bool {
        self.total() > 0
    }

    fn total(&self) -> u32 {
        self.void
            + self.boolean
            + self.char_
            + self.short
            + self.int
            + self.long
            + self.half
            + self.float
            + self.double
            + self.signed
            + self.unsigned
    }

    /// Reserved by OpenCL, and taken by some compilers.
    fn is_long_double(&self) -> bool {
        (self.long, self.double, self.total()) == (1, 1, 2)
    }

    /// The type, if the words go together.
    fn scalar(&self) -> Option<Scalar> {
        let signs = self.signed + self.unsigned;
        if signs > 1 || self.int > 1 || self.long > 2 || self.void > 0 {
            return None;
        }
        let unsigned = self.unsigned == 1;
        let pick = |s, u| Some(if unsigned { u } else { s });
        let lone = [
            (self.boolean, Scalar::Bool),
            (self.half, Scalar::Half),
            (self.float, Scalar::Float),
            (self.double, Scalar::Double),
        ];
        if let Some(&(_, scalar)) = lone.iter().find(|(count, _)| *count > 0) {
            return (self.total() == 1).then_some(scalar);
        }
        match (self.char_, self.short, self.long) {
            (1, 0, 0) if self.int == 0 => pick(Scalar::Char, Scalar::UChar),
            (0, 1, 0) => pick(Scalar::Short, Scalar::UShort),
            (0, 0, 1 | 2) => pick(Scalar::Long, Scalar::ULong),
            (0, 0, 0) => pick(Scalar::Int, Scalar::UInt),
            _ => None,
        }
    }
}

/// What collecting specifiers has found.
struct Collected {
    specs: Specs,
    words: Words,
    base: Option<(TypeId, Qualifiers)>,
    channel: bool,
    pipe: bool,
    access: Option<&'static str>,
}

impl Lowerer<'_> {
    /// Understands specifiers. `at` is the declaration, for messages.
    pub(super) fn specifiers(&mut self, specs: &[Spec<'_>], at: SyntaxSpan) -> Lowered<Specs> {
        let int = self.module.types.int();
        let mut found = Collected {
            specs: Specs {
                ty: QualType::plain(int),
                space: None,
                storage: Storage::None,
                is_typedef: false,
                is_inline: false,
                is_kernel: false,
                attrs: Vec::new(),
                defines: None,
            },
            words: Words::default(),
            base: None,
            channel: false,
            pipe: false,
            access: None,
        };
        for spec in specs {
            self.specifier(*spec, &mut found)?;
        }
        self.assemble(found, at)
    }

    fn specifier(&mut self, spec: Spec<'_>, found: &mut Collected) -> Lowered<()> {
        match spec {
            Spec::Storage(storage) => match storage.node {
                StorageClassSpecifier::Typedef => found.specs.is_typedef = true,
                StorageClassSpecifier::Extern => found.specs.storage = Storage::Extern,
                StorageClassSpecifier::Static => found.specs.storage = Storage::Static,
                StorageClassSpecifier::ThreadLocal => {
                    return Err(self.error(storage.span, "OpenCL C has no thread-local storage"));
                }
                StorageClassSpecifier::Auto | StorageClassSpecifier::Register => {}
            },
            Spec::Type(ty) => self.type_specifier(ty, found)?,
            Spec::Qualifier(qualifier) => match qualifier.node {
                TypeQualifier::Const => found.specs.ty.quals |= Qualifiers::CONST,
                TypeQualifier::Volatile => found.specs.ty.quals |= Qualifiers::VOLATILE,
                TypeQualifier::Restrict => found.specs.ty.quals |= Qualifiers::RESTRICT,
                TypeQualifier::Atomic => {
                    return Err(self.unsupported(qualifier.span, "`_Atomic` is"));
                }
                _ => {}
            },
            Spec::Function(function) => {
                if function.node == FunctionSpecifier::Inline {
                    found.specs.is_inline = true;
                }
            }
            Spec::Alignment(alignment) => self.alignment(alignment, found)?,
            Spec::Extension(extensions) => {
                for keyword in keywords(extensions) {
                    match keyword {
                        Keyword::Kernel => found.specs.is_kernel = true,
                        Keyword::Space(space) => found.specs.space = Some(space),
                        Keyword::Access(access) => found.access = Some(access),
                        Keyword::Channel => found.channel = true,
                        Keyword::Pipe => found.pipe = true,
                    }
                }
            }
        }
        Ok(())
    }

    fn alignment(
        &mut self,
        alignment: &Node<AlignmentSpecifier>,
        found: &mut Collected,
    ) -> Lowered<()> {
        let bytes = match &alignment.node {
            AlignmentSpecifier::Type(name) => {
                let ty = self.type_name_node(name)?;
                self.module.layout(ty.ty).map_or(1, |layout| layout.align)
            }
            AlignmentSpecifier::Constant(expr) => self.constant_size(expr, "an alignment")?,
        };
        found.specs.attrs.push(Attr {
            name: "aligned".to_string(),
            args: Some(bytes.to_string()),
        });
        Ok(())
    }

    fn type_specifier(&mut self, ty: &Node<TypeSpecifier>, found: &mut Collected) -> Lowered<()> {
        if let Some(count) = found.words.count(&ty.node) {
            *count += 1;
            return Ok(());
        }
        let base = match &ty.node {
            TypeSpecifier::TS18661Float(float)
                if float.width == 16 && float.format == TS18661FloatFormat::BinaryInterchange =>
            {
                found.words.half += 1;
                return Ok(());
            }
            TypeSpecifier::Atomic(_) => return Err(self.unsupported(ty.span, "`_Atomic` is")),
            TypeSpecifier::TypedefName(name) => self.named_type(&name.node.name, ty.span, found)?,
            TypeSpecifier::TypeOf(type_of) => match &type_of.node {
                TypeOf::Type(name) => self.type_name_node(name)?,
                TypeOf::Expression(expr) => {
                    let value = self.expression(expr)?;
                    QualType::plain(self.exprs.ty(value))
                }
            },
            TypeSpecifier::Struct(record) => {
                let (id, defined) = self.record(record)?;
                found.specs.defines = defined.then_some(id);
                QualType::plain(self.module.types.intern(Type::Record(id)))
            }
            TypeSpecifier::Enum(enumeration) => QualType::plain(self.enumeration(enumeration)?),
            TypeSpecifier::Complex => return Err(self.unsupported(ty.span, "complex numbers are")),
            _ => return Err(self.error(ty.span, "OpenCL C has no such type")),
        };
        if found.base.is_some() {
            return Err(self.error(ty.span, "two types stand in one declaration"));
        }
        found.base = Some((base.ty, base.quals));
        Ok(())
    }

    fn named_type(
        &mut self,
        name: &str,
        at: SyntaxSpan,
        found: &mut Collected,
    ) -> Lowered<QualType> {
        match self.scopes.find(name) {
            Some(Symbol::Typedef(id, space)) => {
                let ty = self.module.types.intern(Type::Typedef(id));
                found.specs.space = found.specs.space.or(space);
                return Ok(QualType {
                    ty,
                    quals: self.module.typedefs[id].ty.quals,
                });
            }
            Some(Symbol::Broken) => return Err(super::Reported),
            _ => {}
        }
        if let Some(ty) = builtin_type(name) {
            return Ok(QualType::plain(self.module.types.intern(ty)));
        }
        let diagnostic = Diagnostic::error(format!("`{name}` is not a type"));
        let diagnostic = match nearest(name) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        };
        Err(self.report(at, diagnostic))
    }

    /// Puts the parts together.
    fn assemble(&mut self, found: Collected, at: SyntaxSpan) -> Lowered<Specs> {
        let Collected {
            mut specs,
            words,
            base,
            channel,
            pipe,
            access,
        } = found;
        specs.ty.ty = match (base, words.any()) {
            (Some(_), true) => {
                return Err(self.error(at, "two types stand in one declaration"));
            }
            (Some((ty, quals)), false) => {
                specs.ty.quals |= quals;
                ty
            }
            (None, true) if words.void == 1 && words.total() == 1 => {
                self.module.types.intern(Type::Void)
            }
            (None, true) => match words.scalar() {
                Some(scalar) => self.module.types.scalar(scalar),
                None if words.is_long_double() => {
                    return Err(self.unsupported(at, "`long double` is"));
                }
                None => return Err(self.error(at, "these words do not make up a type")),
            },
            (None, false) => return Err(self.error(at, "this declaration has no type")),
        };
        if pipe {
            let write = access == Some("write_only");
            let packet = specs.ty.ty;
            specs.ty.ty = self.module.types.intern(Type::Pipe { packet, write });
        } else if channel {
            specs.ty.ty = self.module.types.intern(Type::Channel(specs.ty.ty));
        } else if let Some(access) = access {
            let Type::Opaque(name) = self.module.types.resolve(specs.ty.ty) else {
                let message = format!("`{access}` belongs to images and pipes only");
                return Err(self.error(at, message));
            };
            let name = format!("{access} {name}");
            specs.ty.ty = self.module.types.intern(Type::Opaque(name));
        }
        Ok(specs)
    }

    /// The type in a cast, `sizeof` or compound literal.
    pub(super) fn type_name_node(&mut self, name: &Node<TypeName>) -> Lowered<QualType> {
        let specs = self.specifiers(&of_field(&name.node.specifiers), name.span)?;
        let Some(declarator) = &name.node.declarator else {
            return Ok(specs.ty);
        };
        let declared = self.declarator(declarator, &specs)?;
        declared.object(self, name.span).map(|object| object.ty)
    }

    /// A struct or union, and whether it is defined here.
    fn record(&mut self, node: &Node<StructType>) -> Lowered<(RecordId, bool)> {
        let kind = match node.node.kind.node {
            StructKind::Struct => RecordKind::Struct,
            StructKind::Union => RecordKind::Union,
        };
        let tag = node.node.identifier.as_ref();
        let tag = tag.map(|id| self.name(id)).transpose()?;
        let Some(fields) = &node.node.declarations else {
            let Some(tag) = tag else {
                return Err(self.error(node.span, "a struct without a tag needs its fields"));
            };
            if let Some(Tag::Record(id)) = self.scopes.find_tag(tag) {
                return Ok((id, false));
            }
            let id = self.new_record(kind, Some(tag), node.span);
            self.module.items.push(Item::Record { id, defined: false });
            return Ok((id, false));
        };
        let id = match tag.and_then(|tag| self.scopes.find_tag_here(tag)) {
            Some(Tag::Record(id)) if self.module.records[id].fields.is_none() => id,
            Some(_) => {
                let message = format!("`{}` is defined twice", tag.unwrap_or_default());
                return Err(self.error(node.span, message));
            }
            None => self.new_record(kind, tag, node.span),
        };
        let attrs = self.record_attrs(node);
        self.module.records[id].attrs = attrs;
        self.module.records[id].span = self.source.span(node.span);
        let mut lowered = Vec::new();
        for field in fields {
            match &field.node {
                StructDeclaration::Field(field) => self.field(field, &mut lowered)?,
                StructDeclaration::StaticAssert(assertion) => self.static_assert(assertion)?,
            }
        }
        self.module.records[id].fields = Some(lowered);
        self.module.items.push(Item::Record { id, defined: true });
        Ok((id, true))
    }

    fn new_record(&mut self, kind: RecordKind, tag: Option<&str>, at: SyntaxSpan) -> RecordId {
        // Types of functions move to file scope: there a hidden tag must not meet the one it hides.
        let name = tag.map(|tag| {
            if self.scopes.at_file() || !self.tag_taken(tag) {
                tag.to_string()
            } else {
                self.fresh_tag(tag)
            }
        });
        let id = self.module.records.add(Record {
            kind,
            tag: name,
            fields: None,
            attrs: Vec::new(),
            span: self.source.span(at),
        });
        if let Some(tag) = tag {
            self.scopes.declare_tag(tag, Tag::Record(id));
        }
        id
    }

    pub(super) fn tag_taken(&self, tag: &str) -> bool {
        self.scopes.tag_in_outer(tag)
            || self
                .module
                .records
                .iter()
                .any(|(_, r)| r.tag.as_deref() == Some(tag))
            || self
                .module
                .enums
                .iter()
                .any(|(_, e)| e.tag.as_deref() == Some(tag))
    }

    pub(super) fn fresh_tag(&self, tag: &str) -> String {
        (2..)
            .map(|number| format!("{tag}_{number}"))
            .find(|name| !self.tag_taken(name))
            .unwrap_or_else(|| tag.to_string())
    }

    /// Attributes between `struct` and `{`, and directly after `}`.
    fn record_attrs(&self, node: &Node<StructType>) -> Vec<Attr> {
        let tokens = self.source.tokens(node.span);
        let mut open = tokens.from;
        while open < tokens.to && self.source.word(open) != "{" {
            open += 1;
        }
        let mut attrs = self.attrs_in(tokens.from + 1, open);
        attrs.extend(self.attrs_in(tokens.to, tokens.to));
        attrs
    }

    fn field(&mut self, node: &Node<StructField>, out: &mut Vec<Field>) -> Lowered<()> {
        let field = &node.node;
        let tokens = self.source.tokens(node.span);
        let specs = self.specifiers(&of_field(&field.specifiers), node.span)?;
        if field.declarators.is_empty() {
            if self.module.types.as_record(specs.ty.ty).is_none() {
                return Err(self.error(node.span, "this declaration names nothing"));
            }
            out.push(Field {
                name: None,
                ty: specs.ty,
                bits: None,
                attrs: Vec::new(),
            });
            return Ok(());
        }
        let mut attrs_from = tokens.from;
        let first = self.source.tokens(field.declarators[0].span).from;
        let own_attrs = self.specifier_attrs(tokens.from, first, &specs);
        for declarator in &field.declarators {
            let at = self.source.tokens(declarator.span);
            attrs_from = attrs_from.max(at.from + 1);
            let mut attrs = own_attrs.clone();
            attrs.extend(self.attrs_in(attrs_from, at.to));
            attrs_from = at.to + 1;
            let bits = match &declarator.node.bit_width {
                Some(width) => Some(self.constant_size(width, "a bit field's width")?),
                None => None,
            };
            let Some(inner) = &declarator.node.declarator else {
                out.push(Field {
                    name: None,
                    ty: specs.ty,
                    bits,
                    attrs,
                });
                continue;
            };
            let declared = self.declarator(inner, &specs)?;
            let name = declared.name.map(str::to_string);
            let object = declared.object(self, declarator.span)?;
            let ty = self.apply_vector_attribute(&mut attrs, object.ty.ty, declarator.span);
            if matches!(self.module.types.resolve(ty), Type::Void) || self.is_incomplete_record(ty)
            {
                return Err(self.error(declarator.span, "this field has an incomplete type"));
            }
            if let Some(name) = &name
                && out.iter().any(|field| field.name.as_ref() == Some(name))
            {
                let message = format!("the field `{name}` is declared twice");
                return Err(self.error(declarator.span, message));
            }
            out.push(Field {
                name,
                ty: QualType {
                    ty,
                    quals: object.ty.quals,
                },
                bits,
                attrs,
            });
        }
        Ok(())
    }

    pub(super) fn is_incomplete_record(&self, ty: TypeId) -> bool {
        self.module
            .types
            .as_record(ty)
            .is_some_and(|record| self.module.records[record].fields.is_none())
    }

    /// Attributes among specifiers that are not the attributes of a record defined there.
    pub(super) fn specifier_attrs(&self, from: usize, to: usize, specs: &Specs) -> Vec<Attr> {
        let mut attrs = specs.attrs.clone();
        if specs.defines.is_none() {
            attrs.extend(self.attrs_in(from, to));
            return attrs;
        }
        let mut word = from;
        while word < to && !matches!(self.source.word(word), "struct" | "union") {
            word += 1;
        }
        attrs.extend(self.attrs_in(from, word));
        attrs
    }

    /// The value of an array length and the like.
    pub(super) fn constant_size(&mut self, expr: &Node<Expression>, what: &str) -> Lowered<u64> {
        let value = self.expression(expr)?;
        let ty = self.exprs.ty(value);
        let is_integer = self
            .module
            .types
            .as_scalar(ty)
            .is_some_and(Scalar::is_integer);
        match self.constant(value) {
            Some(known) if is_integer => match u64::try_from(known) {
                Ok(size) if size <= 1 << 48 => Ok(size),
                Ok(_) => Err(self.error(expr.span, format!("{what} of {known} is too great"))),
                Err(_) => Err(self.error(expr.span, format!("{what} must not be negative"))),
            },
            _ => Err(self.error(
                expr.span,
                format!("{what} must be a constant integer expression"),
            )),
        }
    }

    /// Whether a literal expression is the integer 0 or `NULL`.
    pub(super) fn is_null(&self, expr: crate::ir::ExprId) -> bool {
        match self.exprs.get(expr) {
            Expr::Int { value, .. } => *value == 0,
            Expr::BuiltinConst(name) => name == "NULL",
            Expr::Cast { operand, .. } => self.is_null(*operand),
            _ => false,
        }
    }
}

/// A type for people.
pub(super) fn describe(module: &Module, ty: TypeId, depth: usize) -> String {
    if depth > 8 {
        return "..".to_string();
    }
    let below = |ty| describe(module, ty, depth + 1);
    match module.types.get(ty) {
        Type::Void => "void".to_string(),
        Type::Scalar(scalar) => scalar.name().to_string(),
        Type::Vector(scalar, width) => format!("{}{width}", scalar.name()),
        Type::Pointer { pointee, space } => {
            let space = match space {
                AddressSpace::Private => "",
                AddressSpace::Global => "__global ",
                AddressSpace::Constant => "__constant ",
                AddressSpace::Local => "__local ",
                AddressSpace::Generic => "__generic ",
            };
            let quals = if pointee.quals.contains(Qualifiers::CONST) {
                "const "
            } else {
                ""
            };
            format!("{space}{quals}{}*", below(pointee.ty))
        }
        Type::Array { element, len } => match len {
            Some(len) => format!("{}[{len}]", below(element.ty)),
            None => format!("{}[]", below(element.ty)),
        },
        Type::Record(id) => {
            let record = &module.records[*id];
            let word = match record.kind {
                RecordKind::Struct => "struct",
                RecordKind::Union => "union",
            };
            format!(
                "{word} {}",
                record.tag.as_deref().unwrap_or("without a tag")
            )
        }
        Type::Enum(id) => {
            format!(
                "enum {}",
                module.enums[*id].tag.as_deref().unwrap_or("without a tag")
            )
        }
        Type::Typedef(id) => module.typedefs[*id].name.clone(),
        Type::Named(name, _) => (*name).to_string(),
        Type::Opaque(name) => name.clone(),
        Type::Pipe { packet, .. } => format!("pipe {}", below(*packet)),
        Type::Channel(element) => format!("channel {}", below(*element)),
    }
}
