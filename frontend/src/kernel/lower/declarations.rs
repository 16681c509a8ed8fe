//! Declarations of variables and typedefs, at file scope and in functions.

use lang_c::ast::{Declaration, Identifier, InitDeclarator, StaticAssert};
use lang_c::span::{Node, Span as SyntaxSpan};

use super::declarators::Object;
use super::scope::Symbol;
use super::types::{Specs, of_declaration};
use super::{Lowered, Lowerer, Reported};
use crate::diag::Diagnostic;
use crate::ir::{
    AddressSpace, Attr, Dialect, Global, Item, QualType, Qualifiers, Stmt, StmtKind, Storage, Type,
    TypeId, Typedef, VarRef, Variable,
};
use crate::kernel::validate::is_identifier;

/// A variable that is being declared.
struct NewVariable<'s> {
    name: &'s str,
    at: SyntaxSpan,
    object: Object,
    attrs: Vec<Attr>,
    storage: Storage,
}

impl Lowerer<'_> {
    /// A declaration at file scope.
    pub(super) fn file_declaration(&mut self, node: &Node<Declaration>) -> Lowered<()> {
        self.declaration(node, None)
    }

    /// A declaration in a function: its variables become statements.
    pub(super) fn local_declaration(
        &mut self,
        node: &Node<Declaration>,
        out: &mut Vec<Stmt>,
    ) -> Lowered<()> {
        self.declaration(node, Some(out))
    }

    fn declaration(
        &mut self,
        node: &Node<Declaration>,
        mut out: Option<&mut Vec<Stmt>>,
    ) -> Lowered<()> {
        let declaration = &node.node;
        let specs = match self.specifiers(&of_declaration(&declaration.specifiers), node.span) {
            Ok(specs) => specs,
            Err(Reported) => {
                self.declare_broken(declaration);
                return Err(Reported);
            }
        };
        let tokens = self.source.tokens(node.span);
        let first = declaration
            .declarators
            .first()
            .map_or(tokens.to, |d| self.source.tokens(d.span).from);
        let own_attrs = self.specifier_attrs(tokens.from, first, &specs);
        let mut attrs_from = first + 1;
        for declarator in &declaration.declarators {
            let at = self.source.tokens(declarator.span);
            let mut attrs = own_attrs.clone();
            attrs.extend(self.attrs_in(attrs_from, at.to));
            attrs_from = at.to + 1;
            let result = self.init_declarator(declarator, &specs, attrs, out.as_deref_mut());
            if result.is_err() {
                self.declare_broken_one(declarator);
            }
        }
        Ok(())
    }

    /// Names whose declaration is wrong are known, so that their uses are not reported as well.
    fn declare_broken(&mut self, declaration: &Declaration) {
        for declarator in &declaration.declarators {
            self.declare_broken_one(declarator);
        }
    }

    fn declare_broken_one(&mut self, declarator: &Node<InitDeclarator>) {
        let mut inner = &declarator.node.declarator;
        loop {
            match &inner.node.kind.node {
                lang_c::ast::DeclaratorKind::Declarator(below) => inner = below,
                lang_c::ast::DeclaratorKind::Identifier(name) => {
                    if self.scopes.find_here(&name.node.name).is_none() {
                        self.scopes.declare(&name.node.name, Symbol::Broken);
                    }
                    return;
                }
                lang_c::ast::DeclaratorKind::Abstract => return,
            }
        }
    }

    fn init_declarator(
        &mut self,
        node: &Node<InitDeclarator>,
        specs: &Specs,
        mut attrs: Vec<Attr>,
        out: Option<&mut Vec<Stmt>>,
    ) -> Lowered<()> {
        let declared = self.declarator(&node.node.declarator, specs)?;
        let Some(name) = declared.name else {
            return Err(self.error(node.span, "this declaration names nothing"));
        };
        if let Some((ret, params)) = declared.function() {
            if specs.is_typedef {
                return Err(self.unsupported(node.span, "typedefs of functions are"));
            }
            return self.prototype(name, declared.at, ret, params, specs, attrs);
        }
        let mut object = declared.object(self, node.span)?;
        object.ty.ty = self.apply_vector_attribute(&mut attrs, object.ty.ty, node.span);
        if specs.is_typedef {
            return self.typedef(name, declared.at, object, attrs);
        }
        let variable = NewVariable {
            name,
            at: declared.at,
            object,
            attrs,
            storage: specs.storage,
        };
        match out {
            None => self.global(variable, node),
            Some(out) => self.local(variable, node, out),
        }
    }

    fn typedef(
        &mut self,
        name: &str,
        at: SyntaxSpan,
        object: Object,
        attrs: Vec<Attr>,
    ) -> Lowered<()> {
        if let Some(Symbol::Typedef(old, _)) = self.scopes.find_here(name) {
            let old = self.module.typedefs[old].ty.ty;
            let same =
                self.module.types.canonical(old) == self.module.types.canonical(object.ty.ty);
            return if same {
                Ok(())
            } else {
                Err(self.error(at, format!("`{name}` is declared as another type before")))
            };
        }
        self.redeclared(name, at)?;
        let unique = self.hoisted_name(name);
        let (id, _) = self.module.add_typedef(Typedef {
            name: unique,
            ty: object.ty,
            attrs,
            span: self.source.span(at),
        });
        self.module.items.push(Item::Typedef(id));
        self.scopes.declare(name, Symbol::Typedef(id, object.space));
        Ok(())
    }

    /// The name that a type or constant has at file scope: its own, or a new one if it comes from a
    /// function and its own is taken.
    pub(super) fn hoisted_name(&mut self, name: &str) -> String {
        if self.scopes.at_file() {
            return name.to_string();
        }
        let taken = |name: &str| {
            self.hoisted.contains(name)
                || self.module.typedefs.iter().any(|(_, t)| t.name == name)
                || self.module.functions.iter().any(|(_, f)| f.name == name)
                || self
                    .module
                    .globals
                    .iter()
                    .any(|(_, g)| g.variable.name == name)
                || self
                    .module
                    .enums
                    .iter()
                    .any(|(_, e)| e.enumerators.iter().any(|c| c.name == name))
        };
        let unique = if taken(name) {
            (2..)
                .map(|number| format!("{name}_{number}"))
                .find(|name| !taken(name))
                .unwrap_or_else(|| name.to_string())
        } else {
            name.to_string()
        };
        self.hoisted.insert(unique.clone());
        unique
    }

    /// Refuses a name that the innermost scope has already.
    pub(super) fn redeclared(&mut self, name: &str, at: SyntaxSpan) -> Lowered<()> {
        if self.scopes.find_here(name).is_some() {
            let message = format!("`{name}` is declared twice in the same scope");
            return Err(self.error(at, message));
        }
        if self.scopes.at_file() && self.hoisted.contains(name) {
            return Err(self.unsupported(at, "a name that a type in a function has before is"));
        }
        Ok(())
    }

    /// A name that the text gives to something. lang-c takes `bool`, which C has as a typedef, for one.
    pub(super) fn name<'s>(&mut self, node: &'s Node<Identifier>) -> Lowered<&'s str> {
        let name = node.node.name.as_str();
        if is_identifier(name) {
            return Ok(name);
        }
        let message = format!("`{name}` is a keyword of OpenCL C and names nothing else");
        Err(self.error(node.span, message))
    }

    /// Refuses types that no variable may have.
    fn check_object(&mut self, object: &Object, name: &str, at: SyntaxSpan) -> Lowered<()> {
        if matches!(self.module.types.resolve(object.ty.ty), Type::Void) {
            let message = format!("the variable `{name}` has type `void`");
            return Err(self.error(at, message));
        }
        if self.is_incomplete_record(object.ty.ty) {
            let ty = self.type_name(object.ty.ty);
            let message = format!("`{name}` has the incomplete type `{ty}`");
            return Err(self.error(at, message));
        }
        Ok(())
    }

    fn global(&mut self, new: NewVariable<'_>, node: &Node<InitDeclarator>) -> Lowered<()> {
        self.check_object(&new.object, new.name, new.at)?;
        let space = self.global_space(&new)?;
        let existing = match self.scopes.find_here(new.name) {
            Some(Symbol::Var(VarRef::Global(id))) => Some(id),
            _ => None,
        };
        let variable = Variable {
            name: new.name.to_string(),
            ty: new.object.ty,
            space,
            storage: new.storage,
            attrs: new.attrs,
            span: self.source.span(new.at),
        };
        let id = match existing {
            Some(id)
                if self.module.globals[id].init.is_none()
                    && (self.module.globals[id].variable.storage == Storage::Extern
                        || new.storage == Storage::Extern) =>
            {
                // A second declaration of the same variable: the definition counts.
                if node.node.initializer.is_some() || new.storage != Storage::Extern {
                    self.module.globals[id].variable = variable;
                }
                id
            }
            Some(_) => return self.redeclared(new.name, new.at),
            None => {
                self.redeclared(new.name, new.at)?;
                let id = self.module.globals.add(Global {
                    variable,
                    init: None,
                });
                self.module.items.push(Item::Global(id));
                id
            }
        };
        let var = VarRef::Global(id);
        self.scopes.declare(new.name, Symbol::Var(var));
        let Some(initializer) = &node.node.initializer else {
            if new.storage != Storage::Extern {
                self.check_length(new.object.ty.ty, new.name, new.at)?;
            }
            return Ok(());
        };
        let (init, ty) = self.initialiser(initializer, new.object.ty)?;
        self.module.globals[id].variable.ty.ty = ty;
        self.remember_constant(var, new.object.ty, space, &init);
        self.module.globals[id].init = Some(init);
        Ok(())
    }

    /// The space of a program-scope variable.
    fn global_space(&mut self, new: &NewVariable<'_>) -> Lowered<AddressSpace> {
        if let Some(space) = new.object.space {
            return match space {
                AddressSpace::Constant => Ok(space),
                AddressSpace::Global if self.module.dialect == Dialect::Cl20 => Ok(space),
                AddressSpace::Global => Ok(space),
                _ => {
                    let message = format!(
                        "the program-scope variable `{}` must be `__constant`",
                        new.name
                    );
                    Err(self.error(new.at, message))
                }
            };
        }
        let element = self.innermost_element(new.object.ty);
        match self.module.types.resolve(element.ty) {
            Type::Channel(_) | Type::Pipe { .. } => Ok(AddressSpace::Global),
            Type::Opaque(name) if name == "sampler_t" => Ok(AddressSpace::Constant),
            _ if self.module.dialect == Dialect::Cl20 => Ok(AddressSpace::Global),
            _ => {
                let message = format!(
                    "the program-scope variable `{}` must be `__constant`",
                    new.name
                );
                let diagnostic = Diagnostic::error(message)
                    .help("write `__constant` before it, or move it into a function");
                Err(self.report(new.at, diagnostic))
            }
        }
    }

    fn innermost_element(&self, ty: QualType) -> QualType {
        let mut ty = ty;
        while let Some((element, _)) = self.module.types.as_array(ty.ty) {
            ty = element;
        }
        ty
    }

    fn local(
        &mut self,
        new: NewVariable<'_>,
        node: &Node<InitDeclarator>,
        out: &mut Vec<Stmt>,
    ) -> Lowered<()> {
        self.check_object(&new.object, new.name, new.at)?;
        self.redeclared(new.name, new.at)?;
        let space = new.object.space.unwrap_or(AddressSpace::Private);
        if new.storage == Storage::Extern {
            return Err(self.unsupported(new.at, "`extern` in a function is"));
        }
        if space == AddressSpace::Local && node.node.initializer.is_some() {
            let message = format!(
                "the `__local` variable `{}` cannot be initialised",
                new.name
            );
            return Err(self.error(new.at, message));
        }
        let id = self.vars.add(Variable {
            name: new.name.to_string(),
            ty: new.object.ty,
            space,
            storage: new.storage,
            attrs: new.attrs,
            span: self.source.span(new.at),
        });
        let var = VarRef::Local(id);
        self.scopes.declare(new.name, Symbol::Var(var));
        let init = match &node.node.initializer {
            Some(initializer) => {
                let (init, ty) = self.initialiser(initializer, new.object.ty)?;
                self.vars[id].ty.ty = ty;
                self.remember_constant(var, new.object.ty, space, &init);
                Some(init)
            }
            None => None,
        };
        self.check_length(self.vars[id].ty.ty, new.name, new.at)?;
        out.push(Stmt::at(
            StmtKind::Decl { var: id, init },
            self.source.span(node.span),
        ));
        Ok(())
    }

    /// Refuses an array whose length nothing gives.
    fn check_length(&mut self, ty: TypeId, name: &str, at: SyntaxSpan) -> Lowered<()> {
        let array = self.module.types.as_array(ty);
        if array.is_some_and(|(_, len)| len.is_none()) {
            return Err(self.error(at, format!("the array `{name}` has no length")));
        }
        Ok(())
    }

    /// Notes the value of a `const` integer.
    fn remember_constant(
        &mut self,
        var: VarRef,
        ty: QualType,
        space: AddressSpace,
        init: &crate::ir::Init,
    ) {
        let fixed = ty.quals.contains(Qualifiers::CONST) || space == AddressSpace::Constant;
        let scalar = self.module.types.as_scalar(ty.ty);
        if let (true, Some(scalar), crate::ir::Init::Expr(expr)) = (fixed, scalar, init)
            && scalar.is_integer()
            && let Some(value) = self.constant(*expr)
        {
            self.constants
                .insert(var, super::constants::wrap(value, scalar));
        }
    }

    /// `_Static_assert(condition, "text");`
    pub(super) fn static_assert(&mut self, node: &Node<StaticAssert>) -> Lowered<()> {
        let value = self.expression(&node.node.expression)?;
        match self.constant(value) {
            Some(0) => {
                let tokens = self.source.tokens(node.node.message.span);
                let text = self.source.word(tokens.from).trim_matches('"').to_string();
                Err(self.error(node.span, format!("static assertion failed: {text}")))
            }
            Some(_) => Ok(()),
            None => Err(self.error(
                node.node.expression.span,
                "a static assertion must be a constant integer expression",
            )),
        }
    }
}
