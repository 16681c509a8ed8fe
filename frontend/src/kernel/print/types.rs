//! Types, declarators and attributes.

use crate::ir::{
    AddressSpace, Attr, Dialect, EnumId, QualType, Qualifiers, RecordId, RecordKind, Storage, Type,
    TypeId, Types, Variable,
};

use super::printer::Printer;

/// Where a variable's attributes stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AttrPosition {
    /// `int __attribute__((x)) a[4]`, as Intel documents its memory attributes.
    BeforeName,
    /// `channel int c __attribute__((x))`; also where several declarators share specifiers.
    AfterDeclarator,
}

/// A declaration in its two parts: `__local float` and `*p[4]`.
pub(super) struct Declaration {
    pub(super) specifiers: String,
    pub(super) declarator: String,
}

impl Declaration {
    /// Both, with a blank between them if there is a declarator.
    pub(super) fn text(&self) -> String {
        // `int[3]` is a type, `int a[3]` a declaration.
        let gap = match self.declarator.as_bytes().first() {
            None | Some(b'[') => "",
            Some(_) => " ",
        };
        format!("{}{gap}{}", self.specifiers, self.declarator)
    }
}

impl Printer<'_> {
    /// A type as in a cast.
    pub(super) fn type_name(&mut self, ty: QualType) -> String {
        self.declare(ty, "", "".to_string()).text()
    }

    /// The declaration of a variable, without its first value.
    pub(super) fn declare_variable(
        &mut self,
        variable: &Variable,
        position: AttrPosition,
    ) -> Declaration {
        let attrs = attributes(&variable.attrs);
        let name = match position {
            AttrPosition::BeforeName if !attrs.is_empty() => join(&[&attrs, &variable.name]),
            _ => variable.name.clone(),
        };
        let types = &self.module.types;
        let space = match (variable.space, types.get(innermost(types, variable.ty.ty))) {
            // Channels lie in no memory.
            (AddressSpace::Private, _) | (_, Type::Channel(_) | Type::Pipe { .. }) => "",
            (space, _) => space_word(space),
        };
        let mut declaration = self.declare(variable.ty, space, name);
        let storage = storage_word(variable.storage);
        declaration.specifiers = join(&[storage, &declaration.specifiers]);
        if position == AttrPosition::AfterDeclarator {
            declaration.declarator = join(&[&declaration.declarator, &attrs]);
        }
        declaration
    }

    /// The declaration of something of type `ty` that lies in the address space `space` (a keyword or
    /// empty). `inner` is its name, or what stands in its place: C's declarators are written from
    /// the inside outwards.
    pub(super) fn declare(&mut self, ty: QualType, space: &str, inner: String) -> Declaration {
        let (mut ty, mut space, mut inner) = (ty, space.to_string(), inner);
        loop {
            match self.module.types.get(ty.ty) {
                Type::Pointer {
                    pointee,
                    space: pointee_space,
                } => {
                    let words = join(&[&space, qualifiers(ty.quals)]);
                    let gap = if words.is_empty() || inner.is_empty() {
                        ""
                    } else {
                        " "
                    };
                    inner = format!("*{words}{gap}{inner}");
                    space = self.pointee_space(*pointee_space).to_string();
                    ty = *pointee;
                }
                Type::Array { element, len } => {
                    if inner.starts_with('*') {
                        inner = format!("({inner})");
                    }
                    let len = len.map_or(String::new(), |len| len.to_string());
                    inner = format!("{inner}[{len}]");
                    ty = QualType {
                        ty: element.ty,
                        quals: element.quals | ty.quals,
                    };
                }
                _ => break,
            }
        }
        let base = self.base_type(ty.ty);
        Declaration {
            specifiers: join(&[&space, qualifiers(ty.quals), &base]),
            declarator: inner,
        }
    }

    /// The address space that a pointer's target is written with.
    fn pointee_space(&self, space: AddressSpace) -> &'static str {
        match (self.module.dialect, space) {
            (Dialect::Cl12, AddressSpace::Private) | (Dialect::Cl20, AddressSpace::Generic) => "",
            (_, space) => space_word(space),
        }
    }

    /// A type that is not derived from others.
    fn base_type(&mut self, ty: TypeId) -> String {
        match self.module.types.get(ty) {
            Type::Void => "void".to_string(),
            Type::Scalar(scalar) => self.names.scalar(*scalar).to_string(),
            Type::Vector(scalar, width) => format!("{}{width}", scalar.name()),
            Type::Record(id) => self.record_name(*id),
            Type::Enum(id) => self.enum_name(*id),
            Type::Typedef(id) => self.module.typedefs[*id].name.clone(),
            Type::Named(name, _) => (*name).to_string(),
            Type::Opaque(name) => name.clone(),
            Type::Pipe { packet, write } => {
                let access = if *write { "write_only" } else { "read_only" };
                format!("{access} pipe {}", self.base_type(*packet))
            }
            Type::Channel(element) => format!("channel {}", self.base_type(*element)),
            Type::Pointer { .. } | Type::Array { .. } => self.type_name(QualType::plain(ty)),
        }
    }

    fn record_name(&mut self, id: RecordId) -> String {
        let record = &self.module.records[id];
        let tag = record.tag.as_deref().or(self.names.record_tag(id));
        let tag = tag.map(str::to_string);
        let written = self.written_records.contains(&id);
        let inline =
            tag.is_none() || self.inline_record == Some(id) || !self.names.is_listed_record(id);
        if !written && inline && record.fields.is_some() {
            return self.record_definition(id);
        }
        match (tag, self.alias(&Type::Record(id))) {
            (Some(tag), _) => format!("{} {tag}", record_word(record.kind)),
            (None, Some(alias)) => alias,
            (None, None) => self.record_definition(id),
        }
    }

    fn enum_name(&mut self, id: EnumId) -> String {
        let enumeration = &self.module.enums[id];
        let tag = enumeration.tag.as_deref().or(self.names.enum_tag(id));
        let tag = tag.map(str::to_string);
        let written = self.written_enums.contains(&id);
        let inline =
            tag.is_none() || self.inline_enum == Some(id) || !self.names.is_listed_enum(id);
        if !written && inline {
            return self.enum_definition(id);
        }
        match (tag, self.alias(&Type::Enum(id))) {
            (Some(tag), _) => format!("enum {tag}"),
            (None, Some(alias)) => alias,
            // An enumeration without any name: its values are of type int.
            (None, None) => "int".to_string(),
        }
    }

    /// A typedef already written that names exactly this type.
    fn alias(&self, ty: &Type) -> Option<String> {
        let ty = self.module.types.lookup(ty)?;
        self.module
            .typedefs
            .iter()
            .filter(|(id, _)| self.written_typedefs.contains(id))
            .find(|(_, typedef)| typedef.ty == QualType::plain(ty))
            .map(|(_, typedef)| typedef.name.clone())
    }
}

/// `__attribute__((a, b(1)))`, or nothing.
pub(super) fn attributes(attrs: &[Attr]) -> String {
    if attrs.is_empty() {
        return String::new();
    }
    let all: Vec<String> = attrs.iter().map(attribute_text).collect();
    format!("__attribute__(({}))", all.join(", "))
}

/// `a` or `b(1)`.
fn attribute_text(attr: &Attr) -> String {
    match &attr.args {
        Some(args) => format!("{}({args})", attr.name),
        None => attr.name.clone(),
    }
}

/// Joins words with blanks, leaving out empty ones.
pub(super) fn join(words: &[&str]) -> String {
    let words: Vec<&str> = words.iter().copied().filter(|w| !w.is_empty()).collect();
    words.join(" ")
}

fn qualifiers(quals: Qualifiers) -> &'static str {
    const WORDS: [&str; 8] = [
        "",
        "const",
        "volatile",
        "const volatile",
        "restrict",
        "const restrict",
        "volatile restrict",
        "const volatile restrict",
    ];
    WORDS[usize::from(quals.bits() & 7)]
}

fn space_word(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Private => "__private",
        AddressSpace::Global => "__global",
        AddressSpace::Constant => "__constant",
        AddressSpace::Local => "__local",
        AddressSpace::Generic => "__generic",
    }
}

pub(super) fn storage_word(storage: Storage) -> &'static str {
    match storage {
        Storage::None => "",
        Storage::Static => "static",
        Storage::Extern => "extern",
    }
}

pub(super) fn record_word(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Struct => "struct",
        RecordKind::Union => "union",
    }
}

/// What pointers and arrays of this type lead to.
pub(super) fn innermost(types: &Types, ty: TypeId) -> TypeId {
    match types.get(ty) {
        Type::Pointer { pointee, .. } => innermost(types, pointee.ty),
        Type::Array { element, .. } => innermost(types, element.ty),
        _ => ty,
    }
}
