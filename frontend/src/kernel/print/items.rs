//! File scope: definitions of types, typedefs, program-scope variables, pragmas.

use crate::ir::{EnumId, GlobalId, Item, Module, QualType, RecordId, Type, TypedefId};

use super::printer::Printer;
use super::types::{AttrPosition, attributes, innermost, join, record_word};
use super::wrap::WIDTH;

impl Printer<'_> {
    /// Everything, in order.
    pub(super) fn items(&mut self) {
        let module = self.module;
        for (index, item) in module.items.iter().enumerate() {
            self.lines.end_item();
            self.item(item, module.items.get(index + 1));
        }
    }

    fn item(&mut self, item: &Item, next: Option<&Item>) {
        match item {
            Item::Record { id, defined } => self.record_item(*id, *defined, next),
            Item::Enum(id) => self.enum_item(*id, next),
            Item::Typedef(id) => self.typedef(*id),
            Item::Global(id) => self.global(*id),
            Item::Prototype(id) => self.prototype(*id),
            Item::Function(id) => self.function(*id),
            Item::Pragma(text) => {
                self.lines.place(None, 0);
                self.lines.line(&format!("#pragma {text}"));
            }
        }
    }

    fn record_item(&mut self, id: RecordId, defined: bool, next: Option<&Item>) {
        let record = &self.module.records[id];
        let tag = record.tag.as_deref().or(self.names.record_tag(id));
        if !defined {
            if let Some(tag) = tag {
                let text = format!("{} {tag};", record_word(record.kind));
                self.lines.place(None, 0);
                self.lines.line(&text);
            }
            return;
        }
        if names_directly(self.module, next, &Type::Record(id)) {
            self.inline_record = Some(id);
            return;
        }
        // Without a tag it is written where it is first used.
        if tag.is_none() || self.written_records.contains(&id) {
            return;
        }
        let text = self.record_definition(id);
        self.lines.place_apart(record.span, 0);
        self.lines.line(&format!("{text};"));
    }

    fn enum_item(&mut self, id: EnumId, next: Option<&Item>) {
        if names_directly(self.module, next, &Type::Enum(id)) {
            self.inline_enum = Some(id);
            return;
        }
        if self.written_enums.contains(&id) || mentions(self.module, next, &Type::Enum(id)) {
            return;
        }
        let text = self.enum_definition(id);
        self.lines.place_apart(self.module.enums[id].span, 0);
        self.lines.line(&format!("{text};"));
    }

    /// `struct tag { .. } attributes`
    pub(super) fn record_definition(&mut self, id: RecordId) -> String {
        self.written_records.insert(id);
        let record = &self.module.records[id];
        let tag = record.tag.as_deref().or(self.names.record_tag(id));
        let head = join(&[record_word(record.kind), tag.unwrap_or_default()]);
        let mut text = format!("{head} {{\n");
        for field in record.fields.iter().flatten() {
            let name = field.name.clone().unwrap_or_default();
            let declaration = self.declare(field.ty, "", name).text();
            let bits = field.bits.map_or(String::new(), |bits| format!(": {bits}"));
            let attrs = attributes(&field.attrs);
            let line = join(&[&declaration, &bits, &attrs]);
            text.push_str(&indented(&format!("{line};")));
        }
        text.push('}');
        join(&[&text, &attributes(&record.attrs)])
    }

    /// `enum tag { .. }`
    pub(super) fn enum_definition(&mut self, id: EnumId) -> String {
        self.written_enums.insert(id);
        let module = self.module;
        let enumeration = &module.enums[id];
        let tag = enumeration.tag.as_deref().or(self.names.enum_tag(id));
        let head = join(&["enum", tag.unwrap_or_default()]);
        let mut expected = 0;
        let mut constants = Vec::new();
        for constant in &enumeration.enumerators {
            let value = match constant.written {
                Some(written) => Some(self.argument(&module.exprs, written)),
                None if constant.value != expected => Some(constant.value.to_string()),
                None => None,
            };
            constants.push(match value {
                Some(value) => format!("{} = {value}", constant.name),
                None => constant.name.clone(),
            });
            expected = constant.value.wrapping_add(1);
        }
        let flat = format!("{head} {{ {} }}", constants.join(", "));
        if flat.len() < WIDTH {
            return flat;
        }
        let lines: String = constants
            .iter()
            .map(|constant| format!("    {constant},\n"))
            .collect();
        format!("{head} {{\n{}\n}}", lines.trim_end_matches(",\n"))
    }

    fn typedef(&mut self, id: TypedefId) {
        let typedef = &self.module.typedefs[id];
        let declaration = self.declare(typedef.ty, "", typedef.name.clone()).text();
        self.inline_record = None;
        self.inline_enum = None;
        self.written_typedefs.insert(id);
        let text = join(&["typedef", &declaration, &attributes(&typedef.attrs)]);
        self.place_definition(&text, typedef.span);
        self.lines.line(&format!("{text};"));
    }

    fn global(&mut self, id: GlobalId) {
        let module = self.module;
        let global = &module.globals[id];
        let text = self
            .declare_variable(&global.variable, AttrPosition::AfterDeclarator)
            .text();
        self.place_definition(&text, global.variable.span);
        let text = self.initialised(&module.exprs, text, global.init.as_ref());
        self.lines.line(&format!("{text};"));
    }

    /// Sets a definition of several lines apart, and makes its last line, where the name stands, the
    /// one of `span`.
    fn place_definition(&mut self, text: &str, span: Option<crate::source::Span>) {
        match text.matches('\n').count() {
            0 => self.lines.place(span, 0),
            lines => self.lines.place_apart(span, lines),
        }
    }
}

/// Whether `item` is a typedef of exactly this type.
fn names_directly(module: &Module, item: Option<&Item>, ty: &Type) -> bool {
    let Some(Item::Typedef(id)) = item else {
        return false;
    };
    let ty = module.types.lookup(ty).map(QualType::plain);
    Some(module.typedefs[*id].ty) == ty
}

/// Whether `item` declares something whose type is made of this one.
fn mentions(module: &Module, item: Option<&Item>, ty: &Type) -> bool {
    let declared = match item {
        Some(Item::Typedef(id)) => module.typedefs[*id].ty.ty,
        Some(Item::Global(id)) => module.globals[*id].variable.ty.ty,
        _ => return false,
    };
    module.types.get(innermost(&module.types, declared)) == ty
}

/// The text one step to the right, with a line end.
fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}
