//! Functions that only report, as those that programs check error codes with: they print, and
//! perhaps end the program. All that following one says is whether it returns, and that depends
//! on a few of its arguments only; so it is followed once for all calls that are alike.

use std::collections::BTreeSet;
use std::rc::Rc;

use fpgacc_frontend::source::Span;

use super::mentions::NamedCall;
use super::{Code, FnId, Interp, functions};
use crate::number::{IntType, Num};
use crate::syntax::lex::{Lexer, TokenKind};
use crate::value::Val;

/// Most kinds of calls of a function that are distinguished.
const MOST_OUTCOMES: usize = 64;

/// A function that only reports.
pub(super) struct ErrorCheck {
    /// Parameters that do more than being printed.
    relevant: Vec<usize>,
    /// It may end the program.
    ends: bool,
    /// The functions that it may call.
    calls: Vec<Span>,
}

/// An argument as far as it matters to an error-check helper.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Observed {
    Int(i128, IntType),
    Null,
    Unknown,
    /// A symbolic value, equal to nothing else.
    Symbol(Option<Num>),
}

/// Whether calls with such arguments return.
pub(super) type Outcomes = Vec<(Vec<Observed>, bool)>;

/// What a function calls its own.
struct Own<'f> {
    host: usize,
    params: Vec<&'f str>,
    /// Its parameters and variables.
    all: &'f BTreeSet<String>,
}

impl Own<'_> {
    fn is_param(&self, name: &str) -> bool {
        self.params.contains(&name)
    }
}

impl<'a> Interp<'a> {
    /// What a function reports, if that is all that it does.
    pub(super) fn error_check(&mut self, id: FnId) -> Option<Rc<ErrorCheck>> {
        if let Some(known) = self.summaries.error_checks.get(&id) {
            return known.clone();
        }
        // A function that calls itself is none.
        self.summaries.error_checks.insert(id, None);
        let found = self.find_error_check(id).map(Rc::new);
        self.summaries.error_checks.insert(id, found.clone());
        found
    }

    fn find_error_check(&mut self, id: FnId) -> Option<ErrorCheck> {
        let function = self.program.function(id);
        let result = &function.result;
        let void = result.base == "void" && result.pointers == 0 && !result.reference;
        let by_value = function.params.iter().all(|p| !p.ty.reference);
        if !void || !by_value || function.class.is_some() {
            return None;
        }
        let mentions = self.mentions(id);
        let reports = &mentions.reports;
        let own = Own {
            host: id.host,
            params: function.params.iter().map(|p| p.name.as_str()).collect(),
            all: &mentions.declared,
        };
        let hides = |name: &String| !own.is_param(name) && self.is_file_scope(id.host, name);
        if reports.acts || mentions.declared.iter().any(hides) {
            return None;
        }
        let mut computed: BTreeSet<&str> = reports.computed.iter().map(String::as_str).collect();
        let mut found = ErrorCheck {
            relevant: Vec::new(),
            ends: false,
            calls: vec![function.span],
        };
        let code = self.program.file_code(id.host, id.part);
        for call in &reports.calls {
            let printed = self.reports_call(&code, call, &own, &mut found)?;
            let names = call.names.iter().map(String::as_str);
            // What is only printed does not matter.
            computed.extend(names.filter(|name| !printed || !self.is_own_value(name, &own)));
        }
        let is_assigned = |name: &String| own.all.contains(name);
        if !reports.assigned.iter().all(is_assigned)
            || !computed.iter().all(|name| self.is_computable(name, &own))
        {
            return None;
        }
        let params = own.params.iter().enumerate();
        let relevant = params.filter(|(_, name)| computed.contains(*name));
        found.relevant = relevant.map(|(index, _)| index).collect();
        Some(found)
    }

    /// Whether a name is that of a parameter or variable of the function, and no macro.
    fn is_own_value(&self, name: &str, own: &Own<'_>) -> bool {
        own.all.contains(name) && !self.program.hosts[own.host].macros.knows(name)
    }

    /// Whether the value of a name is the function's own, or the same in each call.
    fn is_computable(&self, name: &str, own: &Own<'_>) -> bool {
        let macros = &self.program.hosts[own.host].macros;
        if !macros.knows(name) {
            return own.all.contains(name) || !self.is_file_scope(own.host, name);
        }
        let found = macros.at(name, macros.end());
        found.is_some_and(|(_, m)| {
            let body = m.body.as_bytes();
            let is_number = |kind| {
                matches!(
                    kind,
                    TokenKind::Number | TokenKind::Punct(b'-' | b'(' | b')')
                )
            };
            // A number, or a name that stands for itself, as `stderr`.
            m.params.is_none()
                && (m.body == name || Lexer::within(body, 0..body.len()).all(|t| is_number(t.kind)))
        })
    }

    fn is_file_scope(&self, host: usize, name: &str) -> bool {
        self.variables.global(host, name).is_some()
    }

    /// Whether a call only prints its arguments; nothing if it is not one of an error-check helper.
    fn reports_call(
        &mut self,
        code: &Code<'a>,
        call: &NamedCall,
        own: &Own<'_>,
        found: &mut ErrorCheck,
    ) -> Option<bool> {
        let name = call.name.as_str();
        if own.all.contains(name)
            || self.program.hosts[own.host].macros.knows(name)
            || self.is_file_scope(own.host, name)
        {
            return None;
        }
        if let Some(function) = self.find_function(code, name, call.count) {
            let inner = self.error_check(function)?;
            found.ends |= inner.ends;
            found.calls.extend(&inner.calls);
            return Some(false);
        }
        if self.program.functions.contains_key(name) {
            return None;
        }
        if functions::ends_program(name) {
            found.ends = true;
            return Some(false);
        }
        functions::reads_only(name).then_some(true)
    }

    /// Whether a call of an error-check helper returns, if that is known without following it.
    pub(super) fn reported(
        &mut self,
        id: FnId,
        error_check: &ErrorCheck,
        observed: &[Observed],
    ) -> Option<bool> {
        let returns = match error_check.ends {
            false => true,
            true => {
                let outcomes = self.summaries.outcomes.get(&id)?;
                outcomes.iter().find(|(known, _)| known == observed)?.1
            }
        };
        for &span in &error_check.calls {
            self.seen(span);
        }
        Some(returns)
    }

    /// Notes whether a call that was followed returned.
    pub(super) fn note_outcome(&mut self, id: FnId, observed: Vec<Observed>, returns: bool) {
        let outcomes = self.summaries.outcomes.entry(id).or_default();
        if outcomes.len() < MOST_OUTCOMES {
            outcomes.push((observed, returns));
        }
    }
}

impl ErrorCheck {
    /// The arguments that matter; nothing if calls with them cannot be distinguished.
    pub(super) fn observed(&self, values: &[Val]) -> Option<Vec<Observed>> {
        if !self.ends {
            return Some(Vec::new());
        }
        let mut observed = Vec::new();
        for &index in &self.relevant {
            observed.push(match values.get(index)? {
                Val::Int(value, ty) => Observed::Int(*value, *ty),
                Val::Null => Observed::Null,
                Val::Unknown(_) => Observed::Unknown,
                Val::Sym(sym) if sym.is_atom() => Observed::Symbol(sym.ty),
                _ => return None,
            });
        }
        // Two symbols may be the same one.
        let symbols = observed.iter().filter(|t| matches!(t, Observed::Symbol(_)));
        (symbols.count() <= 1).then_some(observed)
    }
}
