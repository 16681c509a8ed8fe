//! Kernel parameters as the host knows them.

use fpgacc_frontend::ir::{
    AddressSpace, Function, Module, QualType, Qualifiers, Type, TypeId, Variable,
};
use fpgacc_runtime::manifest::{Param, ParamKind};

/// The parameters of a kernel.
pub fn params(module: &Module, kernel: &Function) -> Vec<Param> {
    let variables = kernel.params.iter().map(|&param| &kernel.vars[param]);
    variables.map(|variable| param(module, variable)).collect()
}

fn param(module: &Module, variable: &Variable) -> Param {
    let ty = variable.ty.ty;
    let pointer = module.types.as_pointer(ty);
    let pointee = pointer.map_or(Qualifiers::empty(), |(pointee, _)| pointee.quals);
    let kind = kind(&module.types.resolve(ty));
    Param {
        name: variable.name.clone(),
        type_name: type_name(module, ty),
        kind,
        size: match kind {
            ParamKind::Local => 0,
            ParamKind::Value => module.layout(ty).map_or(0, |layout| layout.size as u32),
            _ => 8,
        },
        is_const: pointee.contains(Qualifiers::CONST),
        is_volatile: pointee.contains(Qualifiers::VOLATILE),
        is_restrict: variable.ty.quals.contains(Qualifiers::RESTRICT),
    }
}

fn kind(ty: &Type) -> ParamKind {
    match ty {
        Type::Pointer { space, .. } => match space {
            AddressSpace::Local => ParamKind::Local,
            AddressSpace::Constant => ParamKind::Constant,
            _ => ParamKind::Global,
        },
        Type::Opaque(name) if name.contains("image") => ParamKind::Image,
        Type::Opaque(name) if name.contains("sampler") => ParamKind::Sampler,
        Type::Pipe { .. } => ParamKind::Pipe,
        _ => ParamKind::Value,
    }
}

/// A type as clGetKernelArgInfo spells it: without spaces before `*`, without qualifiers.
fn type_name(module: &Module, ty: TypeId) -> String {
    match module.types.get(ty) {
        Type::Void => "void".to_string(),
        Type::Scalar(scalar) => scalar.name().to_string(),
        Type::Vector(scalar, width) => format!("{}{width}", scalar.name()),
        Type::Pointer { pointee, .. } => format!("{}*", type_name(module, pointee.ty)),
        Type::Array {
            element: QualType { ty, .. },
            ..
        } => format!("{}*", type_name(module, *ty)),
        Type::Record(id) => {
            let record = &module.records[*id];
            let tag = record.tag.as_deref().unwrap_or("(anonymous)");
            match record.kind {
                fpgacc_frontend::ir::RecordKind::Struct => format!("struct {tag}"),
                fpgacc_frontend::ir::RecordKind::Union => format!("union {tag}"),
            }
        }
        Type::Enum(id) => {
            let tag = module.enums[*id].tag.as_deref().unwrap_or("(anonymous)");
            format!("enum {tag}")
        }
        Type::Typedef(id) => module.typedefs[*id].name.clone(),
        Type::Named(name, _) => (*name).to_string(),
        Type::Opaque(name) => name.clone(),
        Type::Pipe { packet, .. } => type_name(module, *packet),
        Type::Channel(element) => type_name(module, *element),
    }
}
