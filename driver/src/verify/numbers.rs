//! Which type names of kernels stand for floating-point numbers and nothing else.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{Module, RecordKind, Type, TypeId};

use crate::compiled::Compiled;
use crate::kernel_options::identifiers;
use crate::rounding;

/// Typedefs by name; `None`: kernels mean different things by it.
#[derive(Debug, Default)]
pub struct Numbers(BTreeMap<String, Option<&'static str>>);

impl Numbers {
    /// Those of all kernels.
    pub fn of(compiled: &[Compiled]) -> Self {
        let mut numbers = Numbers::default();
        let modules = compiled
            .iter()
            .filter_map(|one| one.rewritten.parsed.as_ref());
        for module in modules {
            for (_, typedef) in module.typedefs.iter() {
                let scalar = scalar(module, typedef.ty.ty);
                let known = numbers.0.entry(typedef.name.clone()).or_insert(scalar);
                if *known != scalar {
                    *known = None;
                }
            }
        }
        numbers
    }

    /// What a type's name stands for: `float` for a struct of floats under a typedef's name. Names
    /// that mean nothing here stay.
    pub fn resolve<'a>(&self, name: &'a str) -> &'a str {
        self.0.get(name).copied().flatten().unwrap_or(name)
    }
}

/// The one scalar that a type is made of.
fn scalar(module: &Module, ty: TypeId) -> Option<&'static str> {
    match module.types.resolve(ty) {
        Type::Scalar(scalar) | Type::Vector(scalar, _) => Some(scalar.name()),
        Type::Array { element, .. } => scalar(module, element.ty),
        Type::Record(id) => {
            let record = &module.records[id];
            let fields = record.fields.as_ref()?;
            let mut scalars = fields.iter().map(|field| self::scalar(module, field.ty.ty));
            let first = scalars.next()??;
            let is_one = record.kind == RecordKind::Struct && scalars.all(|one| one == Some(first));
            is_one.then_some(first)
        }
        _ => None,
    }
}

/// Whether kernels calculate with floating-point numbers.
pub fn has_floats(compiled: &[Compiled]) -> bool {
    names_any(compiled, |name| {
        let scalar = name.trim_end_matches(|c: char| c.is_ascii_digit());
        matches!(scalar, "float" | "double" | "half")
    })
}

/// Whether kernels call functions whose last bits are the implementation's choice.
pub fn calls_functions_within_bounds(compiled: &[Compiled]) -> bool {
    names_any(compiled, rounding::is_within_bounds)
}

fn names_any(compiled: &[Compiled], is_it: impl Fn(&str) -> bool) -> bool {
    let texts = compiled.iter().map(|one| &one.rewritten.text);
    texts
        .flat_map(|text| identifiers(text))
        .any(|name| is_it(&name))
}
