//! What calls return a reference to: the locations that `object.set(1).set(2)` goes on with, that
//! `element(2) = 3` stores in, and that `auto &x = instance()` names.

use fpgacc_frontend::source::Span;

use super::Interp;
use super::code::{Arg, Code, FnId};
use super::lvalue::Target;
use crate::location::{MemoryLocation, Root};
use crate::syntax::ast::{ExprId, ExprKind, Type};
use crate::types::{Kind, last_name, without_arguments};
use crate::value::Val;

/// The locations that functions return references to.
#[derive(Clone, Debug, Default)]
pub(super) struct Locations {
    known: Vec<Target>,
    /// It may be one that is not known, which has escaped.
    others: bool,
}

impl Locations {
    /// Any that has escaped.
    const ESCAPED: Self = Self {
        known: Vec::new(),
        others: true,
    };

    fn one(location: Target) -> Self {
        Self {
            known: vec![location],
            others: false,
        }
    }

    fn add(&mut self, other: &Self) {
        for location in &other.known {
            if !self.known.contains(location) {
                self.known.push(location.clone());
            }
        }
        self.others |= other.others;
    }
}

/// What the calls at a position of the text returned references to.
#[derive(Clone, Debug)]
pub(super) struct Returned {
    site: Span,
    locations: Locations,
}

impl<'a> Interp<'a> {
    /// What an expression names, and what is there; it is evaluated once.
    pub(super) fn named_object(&mut self, code: &Code<'a>, id: ExprId) -> (Target, Val) {
        let tree = code.clone();
        let inner = tree.ast().skip_parens(id);
        match &tree.ast().expr(inner).kind {
            ExprKind::Call { callee, args } => self.called_object(code, inner, *callee, args),
            ExprKind::Name(name) => match self.macro_expression(code, inner, name) {
                Some((code, inner)) => self.named_object(&code, inner),
                None => (self.target(code, inner), self.eval(code, inner)),
            },
            ExprKind::Member { .. } | ExprKind::Index(..) | ExprKind::Deref(_) => {
                let target = self.target(code, inner);
                let value = self.load(&target);
                (target, self.named_read(code, inner, value))
            }
            ExprKind::Conditional(..)
            | ExprKind::Comma(..)
            | ExprKind::Cast(..)
            | ExprKind::Assign(..)
            | ExprKind::Step { .. } => {
                let target = self.target(code, inner);
                let value = self.load(&target);
                (target, value)
            }
            _ => {
                let value = self.eval(code, inner);
                let target = match &value {
                    Val::Record(location) => Target::Location(location.clone()),
                    value => self.temporary_target(value.clone()),
                };
                (target, value)
            }
        }
    }

    /// What a call names, and what it returns.
    pub(super) fn called_object(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        callee: ExprId,
        args: &[ExprId],
    ) -> (Target, Val) {
        let tree = code.clone();
        let callee = tree.ast().skip_parens(callee);
        if let (ExprKind::Name(name), [only]) = (&tree.ast().expr(callee).kind, args)
            && matches!(name.strip_prefix("std::"), Some(name) if passes_on(name))
        {
            return self.named_object(code, *only);
        }
        if let ExprKind::Member { base, name, arrow } = &tree.ast().expr(callee).kind {
            let object = self.object(code, *base, *arrow);
            let name = name.strip_prefix("template ").unwrap_or(name);
            let args = self.spread(code, args);
            let only = object.only().cloned();
            if let Some(target) = only.and_then(|only| self.part(&only, name, &args)) {
                let value = self.load(&target);
                return (target, value);
            }
            self.walk.returned = None;
            let value = self.method_on(code, id, object, name, &args);
            return (self.referenced(code, id, &value), value);
        }
        // The handle in a wrapper: `buffer()`.
        if args.is_empty()
            && let ExprKind::Name(_) | ExprKind::Index(..) = &tree.ast().expr(callee).kind
            && let target @ Target::Location(_) = self.plain_target(code, callee)
            && let Target::Location(location) = &target
            && matches!(self.kind_of(location), Some(Kind::Wrapper(_)))
        {
            let value = self.load(&target);
            return (target, value);
        }
        self.walk.returned = None;
        let value = self.eval(code, id);
        (self.referenced(code, id, &value), value)
    }

    /// The element or handle that a method of an object gives.
    fn part(&mut self, of: &MemoryLocation, name: &str, args: &[Arg<'a>]) -> Option<Target> {
        if matches!(name, "at" | "front" | "back") && self.is_container(of) {
            return self.element_method(of, name, args);
        }
        let field = of.field(last_name(name));
        let is_handle = args.is_empty() && matches!(self.kind_of(&field), Some(Kind::Wrapper(_)));
        is_handle.then_some(Target::Location(field))
    }

    /// The pointer before `->`, by the operator of its class if it has one.
    pub(super) fn arrow(&mut self, code: &Code<'a>, base: ExprId) -> Val {
        let value = self.eval(code, base);
        match self.by_operator(code, base, &value, "operator->") {
            Some((_, pointer)) => pointer,
            None => value,
        }
    }

    /// What an operator without operands of a value's class names and returns, if there is one.
    pub(super) fn by_operator(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        value: &Val,
        operator: &str,
    ) -> Option<(Target, Val)> {
        let Val::Record(object) = value else {
            return None;
        };
        let method = self.own_operator(object, operator)?;
        self.walk.returned = None;
        let value = self.any_method(code, id, &[method], object, &[]);
        Some((self.referenced(code, id, &value), value))
    }

    /// What the call that was just evaluated names.
    fn referenced(&mut self, code: &Code<'a>, id: ExprId, value: &Val) -> Target {
        let site = code.site(code.ast().expr(id).span);
        let returned = self.walk.returned.take();
        match (returned.filter(|r| r.site == site), value) {
            (Some(returned), _) => self.one_location(returned.locations),
            (None, Val::Record(location)) => Target::Location(location.clone()),
            (None, value) => self.temporary_target(value.clone()),
        }
    }

    /// A call returned a reference to some locations.
    pub(super) fn returns(&mut self, code: &Code<'a>, id: ExprId, locations: &Locations) {
        let site = code.site(code.ast().expr(id).span);
        match &mut self.walk.returned {
            Some(before) if before.site == site => before.locations.add(locations),
            returned => {
                *returned = Some(Returned {
                    site,
                    locations: locations.clone(),
                });
            }
        }
    }

    /// A function that is not followed returned: if by reference, to what escaped, or to anything
    /// that outlives it.
    pub(super) fn returns_unknown(&mut self, code: &Code<'a>, id: ExprId, callee: FnId) {
        let result = &self.program.function(callee).result;
        if !result.reference {
            return;
        }
        if !is_read_only(result) && !self.budget.flat {
            let lasting = self.variables.lasting.iter().map(|var| Root::Var(*var));
            let kept: Vec<_> = lasting
                .filter(|root| !self.exposed.escaped.contains(root))
                .collect();
            for root in kept {
                self.escape_value(&Val::Into(root));
            }
        }
        self.returns(code, id, &Locations::ESCAPED);
    }

    /// One of these locations.
    fn one_location(&mut self, of: Locations) -> Target {
        if let ([location], false) = (&of.known[..], of.others) {
            return location.clone();
        }
        let mut locations = Vec::new();
        for location in &of.known {
            match location {
                Target::Location(location) => locations.push(location.clone()),
                Target::OneOf(all) => locations.extend(all.iter().cloned()),
                _ => {}
            }
        }
        let are_all = !of.known.iter().any(Target::is_within);
        if are_all && !of.others && !locations.is_empty() {
            return Target::OneOf(locations);
        }
        for location in &of.known {
            self.let_out(location);
        }
        Target::Lost("a reference that is not followed".to_string())
    }

    /// Anything may be stored in a location from now on.
    fn let_out(&mut self, location: &Target) {
        match location {
            Target::Location(location) => self.escape_value(&Val::Pointer(location.clone())),
            Target::Element(of) | Target::Part(of, _) => self.escape_value(&Val::Into(of.root)),
            Target::Into(root) => self.escape_value(&Val::Into(*root)),
            Target::OneOf(all) => {
                for location in all {
                    self.escape_value(&Val::Pointer(location.clone()));
                }
            }
            Target::Lost(_) => {}
        }
    }

    /// `return expression;` of a function that returns a reference: the value, noting the location.
    pub(super) fn refer(&mut self, code: &Code<'a>, id: ExprId) -> Val {
        let (target, value) = self.named_object(code, id);
        let Some(frame) = self.walk.frames.last() else {
            return value;
        };
        let locations = match target {
            Target::Lost(_) => {
                // It may lead to whatever the function was given.
                let scopes = frame.scopes.iter();
                let mut given: Vec<_> = scopes.flat_map(|s| s.references().cloned()).collect();
                given.extend(frame.this.clone());
                if !is_read_only(&self.program.function(frame.fn_id).result) {
                    for given in given {
                        self.escape_value(&Val::Pointer(given));
                    }
                }
                Locations::ESCAPED
            }
            location => Locations::one(location),
        };
        if let Some(frame) = self.frame() {
            frame.locations.add(&locations);
        }
        value
    }

    /// A method of a library's object that returns a reference to it, or to a new element.
    pub(super) fn library_returns(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        location: &MemoryLocation,
        name: &str,
    ) {
        match (name, self.kind_of(location)) {
            ("append" | "assign" | "operator+=", Some(Kind::String)) => {
                let location = Target::Location(location.clone());
                self.returns(code, id, &Locations::one(location));
            }
            ("emplace_back" | "emplace", _) => {
                let location = Target::Into(location.root);
                self.returns(code, id, &Locations::one(location));
            }
            _ => {}
        }
    }
}

/// Whether nothing can be stored through a reference.
fn is_read_only(reference: &Type) -> bool {
    reference.is_const && reference.pointers == 0
}

/// Whether a function of the standard library returns a reference to its argument.
fn passes_on(name: &str) -> bool {
    let bare = without_arguments(name);
    matches!(
        last_name(bare),
        "move" | "forward" | "ref" | "cref" | "as_const"
    )
}
