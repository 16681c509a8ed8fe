//! Prototypes and definitions of functions.

use lang_c::ast::{
    Declarator, DerivedDeclarator, Ellipsis, FunctionDefinition, ParameterDeclaration,
    TypeQualifier,
};
use lang_c::span::{Node, Span as SyntaxSpan};

use super::attributes::macros_in_sizes;
use super::declarators::Params;
use super::scope::Symbol;
use super::types::{Specs, of_declaration};
use super::{Current, Labels, Lowered, Lowerer, Reported};
use crate::diag::Diagnostic;
use crate::ir::{
    AddressSpace, Arena, Attr, Block, Exprs, Function, FunctionId, Item, QualType, Qualifiers,
    Storage, Type, TypeId, VarId, VarRef, Variable,
};
use crate::kernel::builtins::constants;

/// A function's head.
struct Head<'s> {
    name: &'s str,
    at: SyntaxSpan,
    ret: QualType,
    params: Params<'s>,
    is_kernel: bool,
    is_inline: bool,
    storage: Storage,
    attrs: Vec<Attr>,
}

impl<'s> Head<'s> {
    fn new(
        name: &'s str,
        at: SyntaxSpan,
        (ret, params): (QualType, Params<'s>),
        specs: &Specs,
        attrs: Vec<Attr>,
    ) -> Self {
        Head {
            name,
            at,
            ret,
            params,
            is_kernel: specs.is_kernel,
            is_inline: specs.is_inline,
            storage: specs.storage,
            attrs,
        }
    }
}

impl Lowerer<'_> {
    /// A function that is only declared.
    pub(super) fn prototype(
        &mut self,
        name: &str,
        at: SyntaxSpan,
        ret: QualType,
        params: Params<'_>,
        specs: &Specs,
        attrs: Vec<Attr>,
    ) -> Lowered<()> {
        // A prototype in a function has file scope all the same, but C hides it behind the block.
        let head = Head::new(name, at, (ret, params), specs, attrs);
        let outer = std::mem::take(&mut self.vars);
        self.scopes.enter();
        let lowered = self.parameters(&head);
        self.scopes.leave();
        let vars = std::mem::replace(&mut self.vars, outer);
        let params = lowered?;
        let known = self.scopes.find(name);
        let hides = self.scopes.find_here(name).is_some() || self.scopes.at_file();
        let known = known.filter(|symbol| hides || !matches!(symbol, Symbol::Var(_)));
        let id = self.declare_function(&head, known, params, vars)?;
        self.module.items.push(Item::Prototype(id));
        Ok(())
    }

    /// A function with its body.
    pub(super) fn function_definition(&mut self, node: &Node<FunctionDefinition>) -> Lowered<()> {
        let definition = &node.node;
        if !definition.declarations.is_empty() {
            return Err(self.unsupported(node.span, "parameters in the style of K&R are"));
        }
        let specs = self.specifiers(&of_declaration(&definition.specifiers), node.span)?;
        let declared = self.declarator(&definition.declarator, &specs)?;
        let (Some(name), Some(function)) = (declared.name, declared.function()) else {
            return Err(self.error(node.span, "this has a body but is no function"));
        };
        let whole = self.source.tokens(node.span);
        let head_end = self.source.tokens(definition.declarator.span);
        let body = self.source.tokens(definition.statement.span);
        // Attributes stand before the name or after the parameters.
        let mut attrs = self.specifier_attrs(whole.from, head_end.from, &specs);
        attrs.extend(self.attrs_in(head_end.to, body.from));
        let head = Head::new(name, declared.at, function, &specs, attrs);

        self.scopes.enter();
        let lowered = self.definition(&head, definition);
        self.scopes.leave();
        self.current = None;
        self.vars = Arena::default();
        if lowered.is_err() && self.scopes.find_here(name).is_none() {
            self.scopes.declare(name, Symbol::Broken);
        }
        lowered
    }

    fn definition(&mut self, head: &Head<'_>, node: &FunctionDefinition) -> Lowered<()> {
        let params = self.parameters(head)?;
        self.name_parameters(&params);
        self.check_kernel(head, &params)?;
        let vars = self.vars.clone();
        // Not the parameters: one may have the function's own name.
        let known = self.scopes.find_at_file(head.name);
        let id = self.declare_function(head, known, params, vars)?;
        if self.module.functions[id].body.is_some() {
            let message = format!("the function `{}` has two bodies", head.name);
            let mut diagnostic = Diagnostic::error(message);
            if let Some(first) = self.module.functions[id].span {
                diagnostic = diagnostic.also(first, "the first one is here");
            }
            return Err(self.report(head.at, diagnostic));
        }
        self.current = Some(Current {
            ret: head.ret,
            name: head.name.to_string(),
            is_kernel: head.is_kernel,
        });
        // A body stands for itself before it is lowered, so that a second one is reported.
        self.module.functions[id].body = Some(Block::default());
        self.module.functions[id].span = self.source.span(head.at);
        let outer_exprs = std::mem::take(&mut self.exprs);
        let outer_depths = std::mem::take(&mut self.depths);
        self.labels = Labels::default();
        let body = self.function_body(&node.statement);
        self.check_labels();
        let exprs: Exprs = std::mem::replace(&mut self.exprs, outer_exprs);
        self.depths = outer_depths;
        let body = body?;
        let function = &mut self.module.functions[id];
        function.vars = std::mem::take(&mut self.vars);
        function.exprs = exprs;
        function.body = Some(body);
        self.module.items.push(Item::Function(id));
        Ok(())
    }

    /// Declares a function, or finds its earlier declaration, which this one completes. `known` is
    /// what the name means already.
    fn declare_function(
        &mut self,
        head: &Head<'_>,
        known: Option<Symbol>,
        params: Vec<VarId>,
        vars: Arena<Variable>,
    ) -> Lowered<FunctionId> {
        let function = Function {
            name: head.name.to_string(),
            is_kernel: head.is_kernel,
            is_inline: head.is_inline,
            storage: head.storage,
            ret: head.ret,
            params,
            attrs: head.attrs.clone(),
            vars,
            exprs: Exprs::default(),
            body: None,
            comments: Vec::new(),
            span: self.source.span(head.at),
        };
        match known {
            Some(Symbol::Function(first)) => {
                let Some(id) = self.overload(first, &function) else {
                    return Ok(self.add_overload(head.name, function));
                };
                self.redeclare(id, function, head)?;
                Ok(id)
            }
            Some(Symbol::Broken) => Err(Reported),
            Some(_) => {
                let message = format!("`{}` is declared as something else before", head.name);
                Err(self.error(head.at, message))
            }
            None => {
                let id = self.add_overload(head.name, function);
                self.scopes.declare_at_file(head.name, Symbol::Function(id));
                Ok(id)
            }
        }
    }

    fn add_overload(&mut self, name: &str, function: Function) -> FunctionId {
        let id = self.module.functions.add(function);
        self.overloads.entry(name.to_string()).or_default().push(id);
        id
    }

    /// The function that a declaration speaks of: the one with its name, or, for overloadable
    /// functions, the one that also has its parameters.
    fn overload(&mut self, first: FunctionId, new: &Function) -> Option<FunctionId> {
        let overloadable = |function: &Function| function.attr("overloadable").is_some();
        if !overloadable(new) && !overloadable(&self.module.functions[first]) {
            return Some(first);
        }
        let wanted = self.signature(new);
        let candidates = self.overloads.get(&new.name).cloned().unwrap_or_default();
        candidates.into_iter().find(|&id| {
            let old = self.module.functions[id].clone();
            self.signature(&old)[1..] == wanted[1..]
        })
    }

    fn redeclare(&mut self, id: FunctionId, new: Function, head: &Head<'_>) -> Lowered<()> {
        let old_types = self.signature(&self.module.functions[id].clone());
        let new_types = self.signature(&new);
        if old_types != new_types {
            let message = format!("`{}` is declared with other types before", head.name);
            let mut diagnostic = Diagnostic::error(message);
            if let Some(first) = self.module.functions[id].span {
                diagnostic = diagnostic.also(first, "declared here");
            }
            return Err(self.report(head.at, diagnostic));
        }
        if self.module.functions[id].body.is_some() {
            return Ok(());
        }
        let old = &mut self.module.functions[id];
        let mut attrs = std::mem::take(&mut old.attrs);
        attrs.retain(|attr| !new.attrs.contains(attr));
        attrs.extend(new.attrs);
        *old = Function {
            attrs,
            is_kernel: old.is_kernel || new.is_kernel,
            ..new
        };
        Ok(())
    }

    fn signature(&mut self, function: &Function) -> Vec<TypeId> {
        let types = function
            .params
            .iter()
            .map(|&param| function.vars[param].ty.ty);
        let all: Vec<TypeId> = std::iter::once(function.ret.ty).chain(types).collect();
        all.into_iter()
            .map(|ty| self.module.types.canonical(ty))
            .collect()
    }

    /// Parameters become variables of the scope at hand.
    fn parameters(&mut self, head: &Head<'_>) -> Lowered<Vec<VarId>> {
        let Params::List(list) = head.params else {
            return Ok(Vec::new());
        };
        if list.node.ellipsis == Ellipsis::Some {
            return Err(self.error(list.span, "OpenCL C has no functions with `...`"));
        }
        if let [only] = list.node.parameters.as_slice()
            && self.is_void_parameter(only)
        {
            return Ok(Vec::new());
        }
        let mut params = Vec::new();
        let mut broken = false;
        for parameter in &list.node.parameters {
            match self.parameter(parameter) {
                Ok(id) => params.push(id),
                Err(Reported) => broken = true,
            }
        }
        if broken { Err(Reported) } else { Ok(params) }
    }

    /// Gives names to the parameters of a definition that the source leaves without.
    fn name_parameters(&mut self, params: &[VarId]) {
        for (index, &param) in params.iter().enumerate() {
            if self.vars[param].name.is_empty() {
                let hint = format!("unnamed_{}", index + 1);
                let name = (0..)
                    .map(|number| match number {
                        0 => hint.clone(),
                        number => format!("{hint}_{number}"),
                    })
                    .find(|name| self.scopes.find(name).is_none())
                    .unwrap_or(hint.clone());
                self.scopes
                    .declare(&name, Symbol::Var(VarRef::Local(param)));
                self.vars[param].name = name;
            }
        }
    }

    fn is_void_parameter(&mut self, node: &Node<ParameterDeclaration>) -> bool {
        use lang_c::ast::{DeclarationSpecifier, TypeSpecifier};
        node.node.declarator.is_none()
            && matches!(
                node.node.specifiers.as_slice(),
                [Node { node: DeclarationSpecifier::TypeSpecifier(ty), .. }]
                    if ty.node == TypeSpecifier::Void
            )
    }

    fn parameter(&mut self, node: &Node<ParameterDeclaration>) -> Lowered<VarId> {
        let specs = self.specifiers(&of_declaration(&node.node.specifiers), node.span)?;
        let tokens = self.source.tokens(node.span);
        let mut attrs = specs.attrs.clone();
        attrs.extend(self.attrs_in(tokens.from, tokens.to));
        let (name, at, object) = match &node.node.declarator {
            Some(declarator) => {
                let declared = self.declarator(declarator, &specs)?;
                let object = declared.object(self, node.span)?;
                (declared.name.unwrap_or(""), declared.at, object)
            }
            None => {
                self.check_restrict(specs.ty, node.span)?;
                let object = super::declarators::Object {
                    ty: specs.ty,
                    space: specs.space,
                };
                ("", node.span, object)
            }
        };
        if matches!(self.module.types.resolve(object.ty.ty), Type::Void) {
            return Err(self.error(node.span, "a parameter cannot have type `void`"));
        }
        // An array as a parameter is a pointer to its first element.
        let ty = match self.module.types.as_array(object.ty.ty) {
            Some((element, _)) => {
                let space = object.space.unwrap_or(self.default_space());
                // Qualifiers before a typedef of an array are the element's.
                let pointee = QualType {
                    quals: element.quals | object.ty.quals,
                    ..element
                };
                let ty = self.module.types.intern(Type::Pointer { pointee, space });
                let declarator = node.node.declarator.as_ref();
                QualType {
                    ty,
                    quals: declarator.map_or(Qualifiers::empty(), array_qualifiers),
                }
            }
            None => object.ty,
        };
        if !name.is_empty() {
            self.redeclared(name, at)?;
        }
        let id = self.vars.add(Variable {
            name: name.to_string(),
            ty,
            space: AddressSpace::Private,
            storage: Storage::None,
            attrs,
            span: self.source.span(at),
        });
        if !name.is_empty() {
            self.scopes.declare(name, Symbol::Var(VarRef::Local(id)));
        }
        Ok(id)
    }

    /// What OpenCL C demands of kernels.
    fn check_kernel(&mut self, head: &Head<'_>, params: &[VarId]) -> Lowered<()> {
        if !head.is_kernel {
            return Ok(());
        }
        if !matches!(self.module.types.resolve(head.ret.ty), Type::Void) {
            let message = format!("the kernel `{}` must return `void`", head.name);
            return Err(self.error(head.at, message));
        }
        let mut result = self.check_sizes(head);
        for &param in params {
            let variable = &self.vars[param];
            let Some((_, space)) = self.module.types.as_pointer(variable.ty.ty) else {
                continue;
            };
            if matches!(space, AddressSpace::Private | AddressSpace::Generic) {
                let message = format!(
                    "the kernel's pointer parameter `{}` names no address space",
                    variable.name
                );
                let span = variable.span;
                let diagnostic = Diagnostic::error(message)
                    .help("write `__global`, `__constant` or `__local` before its type");
                result = Err(self.report_at(span, diagnostic));
            }
        }
        result
    }

    /// Names of macros in attributes that take numbers are declared.
    fn check_sizes(&mut self, head: &Head<'_>) -> Lowered<()> {
        let mut result = Ok(());
        for attr in &head.attrs {
            for name in macros_in_sizes(attr) {
                if self.scopes.find(&name).is_some() || constants::scalar_of(&name).is_some() {
                    continue;
                }
                let args = attr.args.as_deref().unwrap_or_default();
                let diagnostic = Diagnostic::error(format!("`{name}` is not declared"))
                    .note(format!("it stands in `{}({args})`", attr.name));
                result = Err(self.report(head.at, diagnostic));
            }
        }
        result
    }
}

/// The qualifiers in `a[restrict 16]`: those of the pointer that the parameter is.
fn array_qualifiers(declarator: &Node<Declarator>) -> Qualifiers {
    let outermost = declarator
        .node
        .derived
        .iter()
        .find_map(|part| match &part.node {
            DerivedDeclarator::Array(array) => Some(&array.node.qualifiers),
            _ => None,
        });
    let one = |qualifier: &Node<TypeQualifier>| match qualifier.node {
        TypeQualifier::Const => Qualifiers::CONST,
        TypeQualifier::Volatile => Qualifiers::VOLATILE,
        TypeQualifier::Restrict => Qualifiers::RESTRICT,
        _ => Qualifiers::empty(),
    };
    outermost.into_iter().flatten().map(one).collect()
}
