//! Names that the module's own declarations take from OpenCL C, and names for what has none.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{
    EnumId, Expr, Exprs, Function, Item, Module, QualType, RecordId, Scalar, SizeOfArg, Type,
    TypeId,
};

/// What the printer must know of all names before it starts.
pub(super) struct Names {
    /// Unsigned types whose short name the source uses for something else.
    hidden: Vec<Scalar>,
    /// Tags for records that need one but have none.
    record_tags: BTreeMap<RecordId, String>,
    /// Tags for enumerations that need one but have none.
    enum_tags: BTreeMap<EnumId, String>,
    /// Records whose definition is an item of the module.
    listed_records: BTreeSet<RecordId>,
    /// Enumerations whose definition is an item of the module.
    listed_enums: BTreeSet<EnumId>,
}

/// How often each untagged type is mentioned other than by a typedef's name.
#[derive(Default)]
struct Mentions {
    records: BTreeMap<RecordId, usize>,
    enums: BTreeMap<EnumId, usize>,
}

impl Names {
    pub(super) fn of(module: &Module) -> Self {
        let mentions = Mentions::of(module);
        let mut taken = tags(module);
        let mut fresh = |hint: &str| {
            let name = (1..)
                .map(|number| format!("{hint}_{number}"))
                .find(|name| !taken.contains(name))
                .expect("there are more numbers than names");
            taken.insert(name.clone());
            name
        };
        let aliased = |ty: &Type| {
            module
                .types
                .lookup(ty)
                .is_some_and(|ty| module.typedefs.iter().any(|(_, t)| is_plain(t.ty, ty)))
        };
        let record_tags = mentions
            .records
            .into_iter()
            .filter(|(id, count)| *count > 1 && !aliased(&Type::Record(*id)))
            .map(|(id, _)| (id, fresh("unnamed")))
            .collect();
        let enum_tags = mentions
            .enums
            .into_iter()
            .filter(|(id, count)| *count > 1 && !aliased(&Type::Enum(*id)))
            .map(|(id, _)| (id, fresh("unnamed")))
            .collect();
        Names {
            hidden: hidden_scalars(module),
            record_tags,
            enum_tags,
            listed_records: module.items.iter().filter_map(record_item).collect(),
            listed_enums: module.items.iter().filter_map(enum_item).collect(),
        }
    }

    /// Whether a record's definition is an item of the module.
    pub(super) fn is_listed_record(&self, id: RecordId) -> bool {
        self.listed_records.contains(&id)
    }

    /// Whether an enumeration's definition is an item of the module.
    pub(super) fn is_listed_enum(&self, id: EnumId) -> bool {
        self.listed_enums.contains(&id)
    }

    /// The name of a scalar type that surely means it.
    pub(super) fn scalar(&self, scalar: Scalar) -> &'static str {
        if !self.hidden.contains(&scalar) {
            return scalar.name();
        }
        match scalar {
            Scalar::UChar => "unsigned char",
            Scalar::UShort => "unsigned short",
            Scalar::UInt => "unsigned int",
            Scalar::ULong => "unsigned long",
            other => other.name(),
        }
    }

    /// The tag made for a record without one.
    pub(super) fn record_tag(&self, id: RecordId) -> Option<&str> {
        self.record_tags.get(&id).map(String::as_str)
    }

    /// The tag made for an enumeration without one.
    pub(super) fn enum_tag(&self, id: EnumId) -> Option<&str> {
        self.enum_tags.get(&id).map(String::as_str)
    }
}

fn record_item(item: &Item) -> Option<RecordId> {
    match item {
        Item::Record { id, defined: true } => Some(*id),
        _ => None,
    }
}

fn enum_item(item: &Item) -> Option<EnumId> {
    match item {
        Item::Enum(id) => Some(*id),
        _ => None,
    }
}

fn is_plain(ty: QualType, of: TypeId) -> bool {
    ty == QualType::plain(of)
}

fn tags(module: &Module) -> BTreeSet<String> {
    let records = module.records.iter().filter_map(|(_, r)| r.tag.clone());
    let enums = module.enums.iter().filter_map(|(_, e)| e.tag.clone());
    records.chain(enums).collect()
}

/// `uint` and its kin are typedefs, not keywords: a program may give them another meaning.
fn hidden_scalars(module: &Module) -> Vec<Scalar> {
    let mut names = module.global_names();
    for (_, function) in module.functions.iter() {
        names.extend(function.vars.iter().map(|(_, v)| v.name.clone()));
    }
    [Scalar::UChar, Scalar::UShort, Scalar::UInt, Scalar::ULong]
        .into_iter()
        .filter(|scalar| names.contains(scalar.name()))
        .collect()
}

impl Mentions {
    fn of(module: &Module) -> Self {
        let mut mentions = Mentions::default();
        for (_, record) in module.records.iter() {
            for field in record.fields.iter().flatten() {
                mentions.ty(module, field.ty.ty);
            }
        }
        for (_, typedef) in module.typedefs.iter() {
            mentions.ty(module, typedef.ty.ty);
        }
        for (_, global) in module.globals.iter() {
            mentions.ty(module, global.variable.ty.ty);
        }
        mentions.exprs(module, &module.exprs);
        for (_, function) in module.functions.iter() {
            mentions.function(module, function);
        }
        mentions
    }

    fn function(&mut self, module: &Module, function: &Function) {
        self.ty(module, function.ret.ty);
        for (_, variable) in function.vars.iter() {
            self.ty(module, variable.ty.ty);
        }
        self.exprs(module, &function.exprs);
    }

    fn exprs(&mut self, module: &Module, exprs: &Exprs) {
        for id in exprs.ids() {
            match exprs.get(id) {
                Expr::Cast { ty, .. }
                | Expr::Compound { ty, .. }
                | Expr::SizeOf(SizeOfArg::Type(ty)) => self.ty(module, ty.ty),
                _ => {}
            }
        }
    }

    fn ty(&mut self, module: &Module, ty: TypeId) {
        match module.types.get(ty) {
            Type::Pointer { pointee, .. } => self.ty(module, pointee.ty),
            Type::Array { element, .. } => self.ty(module, element.ty),
            Type::Pipe { packet, .. } => self.ty(module, *packet),
            Type::Channel(element) => self.ty(module, *element),
            Type::Record(id) if module.records[*id].tag.is_none() => {
                *self.records.entry(*id).or_default() += 1;
            }
            Type::Enum(id) if module.enums[*id].tag.is_none() => {
                *self.enums.entry(*id).or_default() += 1;
            }
            _ => {}
        }
    }
}
