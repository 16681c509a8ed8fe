//! Functions that code which is not followed may call: through pointers that are not known, or
//! since their address was given to it. Whatever else is known of their calls, they are followed
//! from their start too, with arguments that are not known: what is not followed never counts as
//! absent.

use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

use super::lvalue::Target;
use super::{Code, FnId, Interp, functions};
use crate::location::Root;
use crate::syntax::ast::{ExprId, Lambda};
use crate::syntax::lex;
use crate::types::last_name;
use crate::value::{Closure, Val};

impl<'a> Interp<'a> {
    /// Code that is not followed may call what a value is.
    pub(super) fn give_function(&mut self, value: &Val) {
        for value in value.alternatives() {
            self.may_be_called(value);
        }
    }

    /// Code that is not followed may call what is kept in variables and objects.
    pub(super) fn give_kept_functions(&mut self, roots: &[Root]) {
        let mut found = Vec::new();
        for root in roots {
            let values = self.state.values(*root).flat_map(Val::alternatives);
            found.extend(values.filter(|value| value.is_function()).cloned());
        }
        for function in found {
            self.may_be_called(&function);
        }
    }

    /// The functions and lambdas that a value is or leads to.
    pub(super) fn functions_in(&self, value: &Val) -> Vec<Val> {
        let mut found: Vec<Val> = Vec::new();
        let mut add = |value: &Val| {
            for value in value.alternatives() {
                if value.is_function() && !found.contains(value) {
                    found.push(value.clone());
                }
            }
        };
        add(value);
        for root in self.reachable(value) {
            self.state.values(root).for_each(&mut add);
        }
        found
    }

    fn may_be_called(&mut self, function: &Val) {
        match function {
            Val::Function(name) => {
                let named = self.program.named(last_name(name));
                self.trace.unfollowed.extend(named);
                if let (true, Some(site)) = (functions::is_opencl(name), self.walk.at) {
                    self.called_somehow(site, last_name(name));
                }
            }
            Val::Closure(closure) => self.closure_may_be_called(closure),
            _ => {}
        }
    }

    pub(super) fn closure_may_be_called(&mut self, closure: &Closure) {
        let (host, part, index) = closure.function;
        self.trace.unfollowed.insert(FnId { host, part, index });
    }

    /// A call of a function that is not known: any function whose address is taken somewhere may
    /// be meant, and any method of this name.
    pub(super) fn any_may_be_called(&mut self, method: Option<&str>, args: usize) {
        if let Some(name) = method {
            let named = self.program.named(last_name(name)).iter();
            let is_method = |id: &&FnId| {
                self.program.function(**id).class.is_some()
                    && self.program.takes(id.host, **id, args)
            };
            let mut methods = named.filter(is_method).peekable();
            if methods.peek().is_some() {
                return self.trace.unfollowed.extend(methods);
            }
        }
        if !self.trace.taken_called_with.insert(args) {
            return;
        }
        let taken = self
            .summaries
            .taken
            .get_or_init(|| Rc::new(self.find_taken()))
            .clone();
        let fitting = taken
            .iter()
            .copied()
            .filter(|id| self.program.takes(id.host, *id, args));
        let fitting: Vec<FnId> = fitting.collect();
        self.trace.unfollowed.extend(fitting);
    }

    /// Where an operator of the given files may be meant that calls OpenCL, what it does is not known.
    pub(super) fn overloaded(
        &mut self,
        code: &Code<'a>,
        operator: fmt::Arguments<'_>,
        operands: &[ExprId],
    ) {
        if !self.program.is_cpp(code) {
            return;
        }
        let operator = operator.to_string();
        let named = self.program.named(&operator).to_vec();
        if named.is_empty() {
            return;
        }
        let all = operands;
        let mut operands = operands.iter();
        if operands.all(|operand| self.number_type(code, *operand).is_some())
            || self.opencl_free_function(code, &operator).is_some()
        {
            return;
        }
        let reason = format!("`{operator}` of a class");
        self.memo.invalidate();
        self.trace.unfollowed.extend(named);
        for operand in all {
            if let Target::Location(location) = self.quiet_target(code, *operand) {
                self.escape_value(&Val::Pointer(location));
            }
        }
        self.havoc_args(&reason);
        self.havoc_escaped(&reason);
        self.outside(&reason);
    }

    /// Functions whose address is taken: those that are named where they are not called, in the
    /// text or in macros, and lambdas. All of them, if functions are found by their names.
    fn find_taken(&self) -> BTreeSet<FnId> {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        let mut found = BTreeSet::new();
        for (host, file) in self.program.hosts.iter().enumerate() {
            for (part, source) in file.parts.iter().enumerate() {
                let calls = source.ast.called_names();
                if calls.iter().any(|name| functions::finds_by_name(name)) {
                    return self.program.functions.values().flatten().copied().collect();
                }
                names.extend(source.ast.named_uncalled());
                found.extend(source.ast.lambdas().map(|lambda: &Lambda| FnId {
                    host,
                    part,
                    index: lambda.function,
                }));
            }
            for definition in file.macros.of_user() {
                names.extend(lex::names(&definition.body));
            }
        }
        let named = names.iter().map(|name| self.program.named(last_name(name)));
        found.extend(named.flatten());
        found
    }
}
