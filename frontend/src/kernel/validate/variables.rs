//! Variables and parameters: types, address spaces, qualifiers, and the rules for kernels.

use crate::ir::{
    AddressSpace, Function, Init, Module, QualType, Qualifiers, StmtKind, Storage, Type, Variable,
};
use crate::source::Span;

use super::faults::Faults;

pub(super) fn check(module: &Module, faults: &mut Faults) {
    let mut check = Check { module, faults };
    for (_, global) in module.globals.iter() {
        check.variable(&global.variable, global.variable.span);
        check.length(&global.variable, global.init.as_ref(), None);
    }
    for (_, function) in module.functions.iter() {
        check.faults.enter(Some(function));
        check.function(function);
        check.faults.enter(None);
    }
}

struct Check<'a> {
    module: &'a Module,
    faults: &'a mut Faults,
}

impl Check<'_> {
    fn function(&mut self, function: &Function) {
        for &param in &function.params {
            let variable = &function.vars[param];
            self.variable(variable, variable.span);
            if function.is_kernel {
                self.kernel_param(variable);
            }
        }
        let void = *self.module.types.get(function.ret.ty) == Type::Void;
        if function.is_kernel && !void {
            self.faults.add("a kernel returns a value", function.span);
        }
        let Some(body) = &function.body else {
            return;
        };
        body.for_each_stmt(&mut |stmt| {
            if let StmtKind::Decl { var, init } = &stmt.kind {
                self.declared(&function.vars[*var], init.as_ref(), stmt.span);
            }
        });
    }

    fn kernel_param(&mut self, variable: &Variable) {
        let types = &self.module.types;
        if let Some((_, AddressSpace::Private | AddressSpace::Generic)) =
            types.as_pointer(variable.ty.ty)
        {
            let message = format!(
                "kernel parameter '{}' points to no address space that a host can fill",
                variable.name
            );
            self.faults.add(message, variable.span);
        }
        if types.as_array(variable.ty.ty).is_some() {
            let message = format!("kernel parameter '{}' is an array", variable.name);
            self.faults.add(message, variable.span);
        }
    }

    fn declared(&mut self, variable: &Variable, init: Option<&Init>, span: Option<Span>) {
        self.variable(variable, span);
        self.length(variable, init, span);
        if variable.space == AddressSpace::Local && init.is_some() {
            let message = format!("local variable '{}' has a first value", variable.name);
            self.faults.add(message, span);
        }
    }

    fn variable(&mut self, variable: &Variable, span: Option<Span>) {
        let name = &variable.name;
        if matches!(self.module.types.resolve(variable.ty.ty), Type::Void) {
            self.faults.add(format!("'{name}' is of type void"), span);
        }
        if variable.space == AddressSpace::Generic {
            let message = format!("'{name}' lies in the generic address space");
            self.faults.add(message, span);
        }
        self.restrict(name, variable.ty, span);
    }

    /// `restrict` is for pointers.
    fn restrict(&mut self, name: &str, ty: QualType, span: Option<Span>) {
        let types = &self.module.types;
        let is_pointer = types.as_pointer(ty.ty).is_some();
        if ty.quals.contains(Qualifiers::RESTRICT) && !is_pointer {
            let message = format!("'{name}' is restrict but no pointer");
            self.faults.add(message, span);
        }
        match types.get(ty.ty) {
            Type::Pointer { pointee, .. } => self.restrict(name, *pointee, span),
            Type::Array { element, .. } => self.restrict(name, *element, span),
            _ => {}
        }
    }

    /// Only a first value may leave an array's length open.
    fn length(&mut self, variable: &Variable, init: Option<&Init>, span: Option<Span>) {
        let open = matches!(self.module.types.as_array(variable.ty.ty), Some((_, None)));
        if open && init.is_none() && variable.storage != Storage::Extern {
            let message = format!("array '{}' has no length", variable.name);
            self.faults.add(message, span.or(variable.span));
        }
    }
}
