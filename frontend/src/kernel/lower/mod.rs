//! From lang-c's syntax tree to the IR: names are resolved, everything gets a type.
//!
//! What is wrong is reported and skipped, so that one run reports several mistakes: a function that
//! returns [`Reported`] has left a diagnostic behind, and its caller goes on with the next statement
//! or declaration.

mod attributes;
mod calls;
mod constants;
mod conversions;
mod declarations;
mod declarators;
mod enumerations;
mod expressions;
mod functions;
mod initialisers;
mod literals;
mod members;
mod operators;
mod scope;
mod statements;
#[cfg(test)]
mod tests;
mod types;

use std::collections::{BTreeMap, BTreeSet};

use lang_c::ast::{ExternalDeclaration, TranslationUnit};
use lang_c::span::Span as SyntaxSpan;

use super::source_text::SourceText;
use crate::diag::Diagnostic;
use crate::ir::{
    AddressSpace, Arena, Dialect, Expr, ExprId, Exprs, FunctionId, Item, Module, QualType, TypeId,
    VarRef, Variable,
};
use crate::source::Span;
use scope::Scopes;

/// At most this many errors are reported.
const MAX_ERRORS: usize = 50;
/// Expressions nest at most this deep in the IR: passes and the printer recurse over them.
const MAX_EXPR_DEPTH: u32 = 1000;
/// Statements nest at most this deep in the IR.
const MAX_STMT_DEPTH: usize = 500;

/// A diagnostic was left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reported;

/// A value, or a diagnostic was left behind.
pub(super) type Lowered<T> = Result<T, Reported>;

/// What lowering found to be wrong.
pub(super) enum Failure {
    Invalid(Vec<Diagnostic>),
    Unsupported(Vec<Diagnostic>),
}

/// Lowers a translation unit.
pub(super) fn lower(
    source: &SourceText,
    unit: &TranslationUnit,
    dialect: Dialect,
) -> Result<Module, Failure> {
    let mut lowerer = Lowerer::new(source, dialect);
    for external in &unit.0 {
        let tokens = source.tokens(external.span);
        // The typedefs before the text are of no interest; the last one may take a `;` that the
        // text starts with.
        if external.span.start < source.starts.first().map_or(0, |&start| start as usize) {
            continue;
        }
        lowerer.file_pragmas(tokens.from);
        // An error is in the list already; the next declaration has a chance of its own.
        let _ = match &external.node {
            ExternalDeclaration::Declaration(declaration) => lowerer.file_declaration(declaration),
            ExternalDeclaration::StaticAssert(assertion) => lowerer.static_assert(assertion),
            ExternalDeclaration::FunctionDefinition(definition) => {
                lowerer.function_definition(definition)
            }
        };
        if lowerer.errors.len() >= MAX_ERRORS {
            break;
        }
    }
    lowerer.file_pragmas(source.prepass.tokens.len());
    lowerer.finish()
}

/// What is known about the function that is being lowered.
struct Current {
    ret: QualType,
    name: String,
    is_kernel: bool,
}

/// The labels of the function that is being lowered.
#[derive(Default)]
struct Labels {
    defined: BTreeSet<String>,
    /// Each `goto`'s label and position.
    used: Vec<(String, SyntaxSpan)>,
}

/// The state of lowering.
pub(super) struct Lowerer<'a> {
    source: &'a SourceText<'a>,
    module: Module,
    /// Expressions of the function at hand, or of file scope.
    exprs: Exprs,
    /// How deep each of them nests.
    depths: Vec<u32>,
    /// Variables of the function at hand.
    vars: Arena<Variable>,
    scopes: Scopes,
    current: Option<Current>,
    labels: Labels,
    /// The functions with each name: several if they are `overloadable`.
    overloads: BTreeMap<String, Vec<FunctionId>>,
    /// Values of `const` integers.
    constants: BTreeMap<VarRef, i128>,
    /// Names of types and constants of functions: they move to file scope.
    hoisted: BTreeSet<String>,
    /// The next pragma to hand out.
    next_pragma: usize,
    stmt_depth: usize,
    /// Loops, and switches, around the statement.
    loops: usize,
    switches: usize,
    errors: Vec<Diagnostic>,
    unsupported: Vec<Diagnostic>,
}

impl<'a> Lowerer<'a> {
    fn new(source: &'a SourceText<'a>, dialect: Dialect) -> Self {
        Lowerer {
            source,
            module: Module::new(dialect),
            exprs: Exprs::default(),
            depths: Vec::new(),
            vars: Arena::default(),
            scopes: Scopes::default(),
            current: None,
            labels: Labels::default(),
            overloads: BTreeMap::new(),
            constants: BTreeMap::new(),
            hoisted: BTreeSet::new(),
            next_pragma: 0,
            stmt_depth: 0,
            loops: 0,
            switches: 0,
            errors: Vec::new(),
            unsupported: Vec::new(),
        }
    }

    fn finish(mut self) -> Result<Module, Failure> {
        // First: what was not taken may be why later names are not known.
        if !self.unsupported.is_empty() {
            return Err(Failure::Unsupported(self.unsupported));
        }
        if !self.errors.is_empty() {
            return Err(Failure::Invalid(self.errors));
        }
        self.module.exprs = self.exprs;
        Ok(self.module)
    }

    /// Leaves an error behind.
    fn error(&mut self, at: SyntaxSpan, message: impl Into<String>) -> Reported {
        self.report(at, Diagnostic::error(message))
    }

    /// Leaves a diagnostic behind, positioned at a syntax node.
    fn report(&mut self, at: SyntaxSpan, diagnostic: Diagnostic) -> Reported {
        let span = self.source.span(at);
        self.report_at(span, diagnostic)
    }

    fn report_at(&mut self, span: Option<Span>, diagnostic: Diagnostic) -> Reported {
        let diagnostic = match span {
            Some(span) => diagnostic.at(span),
            None => diagnostic,
        };
        if self.errors.len() < MAX_ERRORS && !self.errors.contains(&diagnostic) {
            self.errors.push(diagnostic);
        }
        Reported
    }

    /// Leaves word that something may be right but is not taken.
    fn unsupported(&mut self, at: SyntaxSpan, what: &str) -> Reported {
        let message = format!("{what} not supported");
        let mut diagnostic = Diagnostic::error(message);
        if let Some(span) = self.source.span(at) {
            diagnostic = diagnostic.at(span);
        }
        if self.unsupported.len() < MAX_ERRORS {
            self.unsupported.push(diagnostic);
        }
        Reported
    }

    /// Adds an expression, unless it nests too deep.
    fn add(&mut self, expr: Expr, ty: TypeId, at: SyntaxSpan) -> Lowered<ExprId> {
        let id = self.exprs.add(expr, ty, self.source.span(at));
        let below = self
            .exprs
            .children(id)
            .into_iter()
            .map(|child| self.depths[child.index()])
            .max();
        let depth = below.unwrap_or(0) + 1;
        self.depths.push(depth);
        if depth > MAX_EXPR_DEPTH {
            let message = format!("this expression nests deeper than {MAX_EXPR_DEPTH} levels");
            return Err(self.error(at, message));
        }
        Ok(id)
    }

    /// The space of a pointer's target or of an object where the source names none.
    fn default_space(&self) -> AddressSpace {
        match self.module.dialect {
            Dialect::Cl12 => AddressSpace::Private,
            Dialect::Cl20 => AddressSpace::Generic,
        }
    }

    /// Hands out the pragmas before token `at` and those before them.
    fn take_pragmas(&mut self, at: usize) -> Vec<String> {
        let all = &self.source.prepass.pragmas;
        let from = self.next_pragma;
        while all.get(self.next_pragma).is_some_and(|p| p.at <= at) {
            self.next_pragma += 1;
        }
        all[from..self.next_pragma]
            .iter()
            .map(|pragma| pragma.text.clone())
            .collect()
    }

    fn file_pragmas(&mut self, at: usize) {
        for pragma in self.take_pragmas(at) {
            self.module.items.push(Item::Pragma(pragma));
        }
    }

    /// A type for people: `float4`, `__global int*`, `struct node`.
    fn type_name(&self, ty: TypeId) -> String {
        types::describe(&self.module, ty, 0)
    }
}
