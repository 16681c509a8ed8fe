//! Operators of classes, which no call names: those that convert objects (`operator int()`), and whether code may use
//! any.

use super::Interp;
use super::code::{Code, FnId};
use super::lvalue::Target;
use super::mentions::Mentions;
use crate::location::MemoryLocation;
use crate::syntax::ast::{ExprId, Type};
use crate::syntax::lex;
use crate::types::{Kind, Types, class_name, without_arguments};
use crate::value::Val;

impl<'a> Interp<'a> {
    /// The value of an expression where no object is meant: a condition.
    pub(super) fn plain_value(&mut self, code: &Code<'a>, id: ExprId) -> Val {
        let value = self.eval(code, id);
        self.plain(code, id, value)
    }

    /// An operand of an operator, which classes may define.
    pub(super) fn operand_of(&mut self, code: &Code<'a>, operator: &str, id: ExprId) -> Val {
        let may_convert = !self.program.conversions.is_empty() && self.program.is_cpp(code);
        match may_convert
            && !self
                .program
                .named(&format!("operator{operator}"))
                .is_empty()
        {
            true => self.whole_operand(code, id),
            false => self.operand(code, id),
        }
    }

    /// A value that is stored somewhere: that of an object if no object is meant there.
    pub(super) fn fitted(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        target: &Target,
        value: Val,
    ) -> Val {
        match target {
            Target::Location(location)
                if matches!(self.kind_of(location), Some(Kind::Num(_) | Kind::Pointer)) =>
            {
                self.plain(code, id, value)
            }
            _ => value,
        }
    }

    /// What a value is where no object is meant.
    pub(super) fn plain(&mut self, code: &Code<'a>, id: ExprId, value: Val) -> Val {
        let Val::Record(object) = &value else {
            return value;
        };
        let object = object.clone();
        match self.conversions_of(&object)[..] {
            [] => value,
            [only] if !self.program.has_bases => {
                let result = self.one_of(code, id, &[only], Some(object), &[]);
                let function = self.program.function(only);
                let inside = self.program.file_code(only.host, only.part);
                self.cast(&inside, &function.result, result)
            }
            _ => self.converted_somewhere(&object),
        }
    }

    /// What an object becomes where no object is meant, by an operator that is not followed.
    pub(super) fn converted_somewhere(&mut self, object: &MemoryLocation) -> Val {
        let reason = "an object that its class converts";
        let operators = self.conversions_of(object);
        if !operators.iter().all(|id| self.does_nothing(*id)) {
            self.acts_on(operators, object, reason);
        }
        Val::unknown(reason)
    }

    /// Whether an object that its class converts becomes one of another class.
    pub(super) fn becomes_another(&self, object: &MemoryLocation, kind: Option<&Kind>) -> bool {
        matches!(kind, Some(Kind::Record(_) | Kind::Wrapper(_)))
            && kind != self.kind_of(object).as_ref()
            && !self.conversions_of(object).is_empty()
    }

    /// The operators that may convert an object: those of its class, and of all classes if classes
    /// have bases.
    fn conversions_of(&self, object: &MemoryLocation) -> Vec<FnId> {
        let all = &self.program.conversions;
        let Some(Kind::Record(class)) = self.kind_of(object).filter(|_| !all.is_empty()) else {
            return Vec::new();
        };
        let class = class_name(&class);
        let is_meant = |id: &&FnId| self.program.has_bases || self.is_method_of(**id, class);
        all.iter().filter(is_meant).copied().collect()
    }

    /// Operators that are not followed are called for an object.
    pub(super) fn acts_on(&mut self, operators: Vec<FnId>, object: &MemoryLocation, reason: &str) {
        self.memo.invalidate();
        self.trace.unfollowed.extend(operators);
        self.escape_value(&Val::Pointer(object.clone()));
        self.havoc_args(reason);
        self.havoc_escaped(reason);
        self.outside(reason);
    }

    /// Whether a function only computes what it returns.
    pub(super) fn does_nothing(&self, id: FnId) -> bool {
        let body = self.mentions(id);
        let macros = &self.program.hosts[id.host].macros;
        body.called.is_empty()
            && body.hidden.is_empty()
            && body.changed.is_empty()
            && !body.odd
            && !body.indirect
            && !body.keeps_state
            && !self.uses_own_operators(&body)
            && !body.names.iter().any(|name| macros.knows(name))
            && (self.program.conversions.is_empty() || !self.has_own_objects(id, &body))
    }

    /// Whether a method names a member that is an object.
    fn has_own_objects(&self, id: FnId, body: &Mentions) -> bool {
        let Some(class) = self.program.function(id).class.as_deref() else {
            return true;
        };
        let types = &self.program.types[id.host];
        body.names
            .iter()
            .any(|name| match types.member(class, name) {
                Some((_, member)) => {
                    matches!(self.program.kind(id.host, &member.ty), Kind::Record(_))
                }
                None => name != "this",
            })
    }

    /// Whether code may call what no call in it names: operators, constructors, destructors.
    pub(super) fn calls_unnamed(&self, code: &Mentions) -> bool {
        !self.program.conversions.is_empty()
            || self.uses_own_operators(code)
            || self.makes_objects(code)
    }

    /// Whether code has operators that classes define.
    fn uses_own_operators(&self, code: &Mentions) -> bool {
        let is_defined = |operator: &&str| {
            let names = [
                format!("operator{operator}"),
                format!("operator{operator}="),
            ];
            names
                .iter()
                .any(|name| !self.program.named(name).is_empty())
        };
        code.operators.iter().any(is_defined)
    }

    /// Whether code declares objects whose class says what happens then, or at their end.
    fn makes_objects(&self, code: &Mentions) -> bool {
        code.called.iter().any(|class| {
            let class = without_arguments(class);
            self.program.constructors.contains_key(class)
                || !self.program.named(&format!("~{class}")).is_empty()
                || self.has_inner_objects(class)
        })
    }

    /// Whether a class that says nothing of its objects' end has members or bases that may.
    fn has_inner_objects(&self, class: &str) -> bool {
        let holds = |types: &Types<'_>| {
            let Some((_, record)) = types.record(class) else {
                return false;
            };
            let is_object = |ty: &Type| ty.pointers == 0 && types.record(&ty.base).is_some();
            !record.bases.is_empty() || record.fields.iter().any(|field| is_object(&field.ty))
        };
        self.program.has_destructors && self.program.types.iter().any(holds)
    }

    /// Whether a loop may call what no call in it names. Of numbers alone there are no operators.
    pub(super) fn loop_calls_unnamed(&mut self, code: &Code<'a>, text: &Mentions) -> bool {
        if !self.program.is_cpp(code) || !self.calls_unnamed(text) {
            return false;
        }
        let types = &self.program.types[code.host];
        let has_objects = text.called.iter().any(|name| types.record(name).is_some());
        let mut others = text.names.difference(&text.declared);
        has_objects || self.makes_objects(text) || others.any(|name| !self.is_number(code, name))
    }

    /// Whether a name is that of numbers, or of what is no variable.
    fn is_number(&mut self, code: &Code<'a>, name: &str) -> bool {
        let macros = &self.program.hosts[code.host].macros;
        if let Some((_, definition)) = macros.at(name, macros.end()) {
            let mut inner = lex::names(&definition.body);
            return inner.all(|name| self.variable(code, name).is_none());
        }
        let Some(location) = self.variable(code, name) else {
            return self.binding(code, name).is_none();
        };
        let Some((ty, _, host)) = self.type_of(&location) else {
            return false;
        };
        let base = Type {
            base: ty.base.clone(),
            ..Type::default()
        };
        matches!(self.program.kind(host, &base), Kind::Num(_))
    }

    /// Whether a type is a class whose objects are followed.
    pub(super) fn is_object_type(&self, code: &Code<'a>, ty: &Type) -> bool {
        let kind = self.program.kind(code.host, ty);
        matches!(
            kind,
            Kind::Record(_) | Kind::Container(_) | Kind::Wrapper(_)
        )
    }
}
