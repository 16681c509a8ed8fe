//! OpenCL-free loops: those that only compute. Following them says nothing, so what they may change is
//! found by their syntax and havocked, at a cost that grows with their text only.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::mentions::Mentions;
use super::{Code, FnId, Interp};
use crate::location::{MemoryLocation, Root};
use crate::syntax::Language;
use crate::syntax::ast::{ExprKind, Loop, Type};
use crate::syntax::lex::{Lexer, TokenKind};
use crate::types::{Kind, last_name};
use crate::value::Val;

/// Words that no expression has.
const JUMPS: &[&str] = &[
    "return", "goto", "break", "continue", "throw", "if", "else", "for", "while", "do", "switch",
    "case", "default", "try", "catch", "asm", "__asm__", "static",
];

/// What a loop's text says of it.
pub(super) struct LoopText {
    /// Names that are counted up or down.
    counters: BTreeSet<String>,
    /// What it may change, if it is an OpenCL-free loop.
    plain: Option<Mentions>,
}

/// What a call of a function that only computes may do.
pub(super) struct Summary {
    /// Names of file-scope variables that it may change.
    pub changed: BTreeSet<String>,
    /// It calls functions that are not given.
    pub outside: bool,
}

impl<'a> Interp<'a> {
    /// What a function's body mentions.
    pub(super) fn mentions(&self, id: FnId) -> Rc<Mentions> {
        let mut known = self.summaries.mentions.borrow_mut();
        let found = known.entry(id).or_insert_with(|| {
            let ast = &self.program.hosts[id.host].parts[id.part].ast;
            Rc::new(Mentions::of_function(ast, self.program.function(id)))
        });
        found.clone()
    }

    /// Whether functions of this name, without its scopes, are given.
    fn is_given(&self, name: &str) -> bool {
        last_name(name) == name && self.program.functions.contains_key(name)
    }

    /// What the functions of a name mention, all together; nothing if one of them cannot be summed
    /// up.
    fn summed(&self, name: &str) -> Option<Rc<Mentions>> {
        if let Some(known) = self.summaries.plain.borrow().get(name) {
            return known.clone();
        }
        let ids = self.program.named(name).iter();
        let mut each = ids.map(|id| self.mentions(*id));
        let first = each.next()?;
        let all = each.fold(first, |mut all, more| {
            Rc::make_mut(&mut all).add(&more);
            all
        });
        let is_cpp = |id: &FnId| self.program.hosts[id.host].language == Language::Cpp;
        let calls_unnamed = |id: &FnId| is_cpp(id) && self.calls_unnamed(&self.mentions(*id));
        let is_odd = all.odd || self.program.named(name).iter().any(calls_unnamed);
        let all = Some(all).filter(|_| !is_odd);
        let mut plain = self.summaries.plain.borrow_mut();
        plain.insert(name.to_string(), all.clone());
        all
    }

    /// Havocs what a loop may change, if it is an OpenCL-free one; else nothing happens.
    pub(super) fn opencl_free_loop(&mut self, code: &Code<'a>, shape: &Loop) -> bool {
        let text = self.loop_text(code, shape);
        let Some(plain) = &text.plain else {
            return false;
        };
        let reason = "changes in a loop";
        if plain.indirect {
            self.havoc_reachable(code, &plain.names, reason);
            self.havoc_anywhere(code, &plain.names);
            self.havoc_escaped(reason);
        }
        for name in &plain.changed {
            let Some(location) = self.variable(code, name) else {
                continue;
            };
            if let Some(value) = self.chosen_in_loop(code, plain, name, &location) {
                self.note_flow_insensitive(&location, &value);
                self.state.set(&location, value);
                continue;
            }
            match plain.replaced.contains(name) && self.is_container(&location) {
                true => self.set_unknown(&location, reason),
                false => self.havoc_in_loop(&location, reason),
            }
        }
        for name in &plain.zeroed {
            self.zero_in_loop(code, name, reason);
        }
        true
    }

    /// What a variable is behind a loop that assigns nothing but constants to it: one of these, or what it was.
    fn chosen_in_loop(
        &mut self,
        code: &Code<'a>,
        plain: &Mentions,
        name: &str,
        location: &MemoryLocation,
    ) -> Option<Val> {
        let others = [&plain.computed, &plain.passed, &plain.declared];
        if others.iter().any(|names| names.contains(name)) {
            return None;
        }
        let constants = plain.constants.get(name)?;
        let Some(Kind::Num(num)) = self.kind_of(location) else {
            return None;
        };
        let mut value = self.state.own(location)?.clone();
        for &id in constants {
            let tree = code.clone();
            let ast = tree.ast();
            if let ExprKind::Name(constant) = &ast.expr(ast.skip_parens(id)).kind
                && (self.variable(code, constant).is_some() || plain.declared.contains(constant))
            {
                return None;
            }
            value = value.join(&self.eval(code, id).convert(num));
        }
        value.is_choice().then_some(value)
    }

    /// What a loop's text says of it. It is read once, but for loops in macros.
    fn loop_text(&mut self, code: &Code<'a>, shape: &Loop) -> Rc<LoopText> {
        let key = (code.host, code.part, shape.body);
        if let (Some(known), None) = (self.summaries.loop_texts.get(&key), &code.env) {
            return known.clone();
        }
        let mut effects = Mentions::of_loop(code.ast(), shape);
        let summable = code.env.is_none() && !self.loop_calls_unnamed(code, &effects);
        let text = Rc::new(LoopText {
            counters: std::mem::take(&mut effects.counters),
            plain: match summable {
                true => self.sum_up(code, effects),
                false => None,
            },
        });
        if code.env.is_none() {
            self.summaries.loop_texts.insert(key, text.clone());
        }
        text
    }

    /// What a loop may change with all that it calls, if it is an OpenCL-free one.
    fn sum_up(&self, code: &Code<'a>, mut effects: Mentions) -> Option<Mentions> {
        if effects.odd || effects.returns {
            return None;
        }
        // Functions that are named may be called by what they are given to.
        let named = |effects: &Mentions| {
            let names = effects.names.difference(&effects.declared);
            let functions = names.filter(|name| self.is_given(name));
            functions.cloned().collect::<Vec<_>>()
        };
        let mut waiting: Vec<String> = effects.calls.iter().cloned().collect();
        waiting.extend(named(&effects));
        let mut seen: BTreeSet<String> = BTreeSet::new();
        while let Some(name) = waiting.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            if self.is_given(&name) {
                let inner = self.summed(&name)?;
                effects.indirect |= inner.indirect || !inner.zeroed.is_empty();
                effects.changed.extend(inner.changed.iter().cloned());
                effects.computed.extend(inner.changed.iter().cloned());
                effects.replaced.extend(inner.changed.iter().cloned());
                waiting.extend(inner.calls.iter().cloned());
                waiting.extend(named(&inner));
                continue;
            }
            if !self.only_computes(code, &name) {
                return None;
            }
        }
        (!self.uses_function_macros(code, &effects)).then_some(effects)
    }

    /// What is counted up or down in a loop: it is another number in each round.
    pub(super) fn counters(&mut self, code: &Code<'a>, shape: &Loop) -> Vec<MemoryLocation> {
        let text = self.loop_text(code, shape);
        let locations = text.counters.iter();
        let locations = locations.filter_map(|name| {
            let location = self.variable(code, name)?;
            let number = matches!(self.state.own(&location), Some(Val::Int(..) | Val::Sym(_)));
            number.then_some(location)
        });
        locations.collect()
    }

    /// A call of a function that only computes, in loops: it is not followed.
    pub(super) fn opencl_free_function(
        &mut self,
        code: &Code<'a>,
        name: &str,
    ) -> Option<Rc<Summary>> {
        let key = (code.host, name.to_string());
        if let Some(known) = self.summaries.plain_known.get(&key) {
            return known.clone();
        }
        let found = self.find_opencl_free_function(code, name).map(Rc::new);
        self.summaries.plain_known.insert(key, found.clone());
        found
    }

    fn find_opencl_free_function(&self, code: &Code<'a>, name: &str) -> Option<Summary> {
        let short = last_name(name);
        let mut waiting = vec![short.to_string()];
        let mut seen = BTreeSet::new();
        let mut changed = BTreeSet::new();
        let (mut loops, mut outside) = (false, false);
        while let Some(name) = waiting.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            if self.is_given(&name) {
                let inner = self.summed(&name)?;
                loops |= inner.loops;
                changed.extend(inner.changed.iter().chain(&inner.zeroed).cloned());
                // A pointer to a function, which may be any.
                if inner.calls.intersection(&inner.declared).next().is_some() {
                    return None;
                }
                for name in &inner.calls {
                    match self.macro_effects(code, name)? {
                        Some(replaced) => {
                            // Its arguments may be changed.
                            changed.extend(inner.names.iter().cloned());
                            changed.extend(replaced.names);
                            waiting.extend(replaced.calls);
                        }
                        None => waiting.push(name.clone()),
                    }
                }
                let named = inner.names.difference(&inner.declared);
                let named = named.filter(|name| self.is_given(name));
                waiting.extend(named.cloned());
                let mut others = inner.names.difference(&inner.calls);
                if others.any(|name| self.is_function_macro(code, name)) {
                    return None;
                }
                continue;
            }
            if self.only_computes(code, &name) {
                continue;
            }
            if !self.is_outside(code, &name) {
                return None;
            }
            outside = true;
        }
        loops.then_some(Summary { changed, outside })
    }

    /// Whether a name can only be that of a function that is not given.
    fn is_outside(&self, code: &Code<'a>, name: &str) -> bool {
        !self.program.is_library(code, name)
            && !super::functions::has_effect(name)
            && !name.contains("::")
            && !self.program.is_cpp(code)
            && !self.program.functions.contains_key(name)
            && !self.program.hosts[code.host].macros.knows(name)
            && !super::functions::is_opencl(name)
            && self.variables.global(code.host, name).is_none()
            && !self.program.types[code.host].is_type(name)
            && self.program.prototypes[code.host].contains_key(name)
    }

    /// Whether a function that is not given only computes.
    fn only_computes(&self, code: &Code<'a>, name: &str) -> bool {
        self.program.is_library(code, name)
            && !super::functions::has_effect(name)
            && !super::functions::calls_back(name)
            && !self.program.hosts[code.host].macros.knows(name)
            && !super::functions::is_opencl(name)
    }

    /// Names that stand for macros with assignments or calls in them.
    fn uses_function_macros(&self, code: &Code<'a>, effects: &Mentions) -> bool {
        let mut names = effects.names.iter();
        names.any(|name| self.is_function_macro(code, name))
    }

    fn is_function_macro(&self, code: &Code<'a>, name: &str) -> bool {
        let macros = &self.program.hosts[code.host].macros;
        let found = macros.at(name, macros.end());
        found.is_some_and(|(_, m)| !m.system && m.body.contains(['=', '{', ';']))
    }

    /// The names and calls in the replacement of a function-like macro that is an expression, if
    /// the name is that of a macro; nothing if it may do more than computing.
    fn macro_effects(&self, code: &Code<'a>, name: &str) -> Option<Option<Mentions>> {
        let macros = &self.program.hosts[code.host].macros;
        if !macros.knows(name) {
            return Some(None);
        }
        let (_, definition) = macros.at(name, macros.end())?;
        let params = definition.params.as_ref()?;
        let body = definition.body.as_bytes();
        if definition.system || definition.body.contains(['{', ';', '#', '"']) {
            return None;
        }
        let mut effects = Mentions::default();
        let tokens: Vec<_> = Lexer::within(body, 0..body.len()).collect();
        for (at, token) in tokens.iter().enumerate() {
            if token.kind != TokenKind::Ident {
                continue;
            }
            let word = String::from_utf8_lossy(token.bytes(body)).into_owned();
            let called = tokens.get(at + 1).map(|t| t.kind) == Some(TokenKind::Punct(b'('));
            let in_parens = at > 0
                && tokens[at - 1].kind == TokenKind::Punct(b'(')
                && tokens.get(at + 2).map(|t| t.kind) == Some(TokenKind::Punct(b'('));
            if params.contains(&word) {
                // A parameter that is called.
                if called || in_parens {
                    return None;
                }
                continue;
            }
            if macros.knows(&word) || JUMPS.contains(&word.as_str()) {
                return None;
            }
            match called && word != "sizeof" {
                true => effects.calls.insert(word),
                false => effects.names.insert(word),
            };
        }
        Some(Some(effects))
    }

    /// Characters set to zero change nothing in memory that has no content yet.
    fn zero_in_loop(&mut self, code: &Code<'a>, name: &str, reason: &str) {
        let Some(variable) = self.variable(code, name) else {
            return;
        };
        let array = match self.read(&variable) {
            Val::Pointer(first) => first.parent().unwrap_or(first),
            _ => variable,
        };
        let blank = matches!(self.state.own(&array), Some(Val::Zero | Val::Unset));
        if !blank || self.state.has_parts(&array) {
            self.havoc_root(array.root, reason);
        }
    }

    fn havoc_in_loop(&mut self, location: &MemoryLocation, reason: &str) {
        match self.is_aggregate(location) || self.state.has_parts(location) {
            true if self.is_container(location) => self.havoc_elements(location, reason),
            true => self.set_unknown(location, reason),
            false => {
                let value = Val::unknown(reason);
                self.note_flow_insensitive(location, &value);
                self.state.set(location, value);
            }
        }
    }

    /// Havocs everything that pointers in these variables lead to.
    fn havoc_reachable(&mut self, code: &Code<'a>, names: &BTreeSet<String>, reason: &str) {
        let mut work = Vec::new();
        for name in names {
            if let Some(location) = self.variable(code, name) {
                work.push(location.root);
            }
        }
        self.havoc_from(Vec::new(), work, reason);
    }

    /// Havocs what pointers in these variables may point to if it is not known where they do.
    fn havoc_anywhere(&mut self, code: &Code<'a>, names: &BTreeSet<String>) {
        for name in names {
            let Some(location) = self.variable(code, name) else {
                continue;
            };
            let lost = match self.kind_of(&location) {
                Some(Kind::Pointer) => self.state.get(&location).is_unknown(),
                _ => false,
            };
            if lost && let Some((ty, _, host)) = self.type_of(&location) {
                let pointee = Type {
                    base: ty.base.clone(),
                    ..Type::default()
                };
                let num = match self.program.kind(host, &pointee) {
                    Kind::Num(num) if ty.pointers == 1 => Some(num),
                    _ => None,
                };
                self.store_anywhere(Val::Unset, num);
            }
        }
    }

    /// Havocs everything that values and variables lead to.
    pub(super) fn havoc_from(&mut self, values: Vec<Val>, mut work: Vec<Root>, reason: &str) {
        let mut seen = BTreeSet::new();
        let mut pointees = BTreeSet::new();
        let add = |value: &Val, pointees: &mut BTreeSet<Root>, work: &mut Vec<Root>| {
            for value in value.alternatives() {
                match value {
                    Val::Pointer(location) => {
                        pointees.insert(location.root);
                        work.push(location.root);
                    }
                    Val::Into(root) => {
                        pointees.insert(*root);
                        work.push(*root);
                    }
                    Val::Record(location) => work.push(location.root),
                    _ => {}
                }
            }
        };
        for value in &values {
            add(value, &mut pointees, &mut work);
        }
        while let Some(root) = work.pop() {
            if !seen.insert(root) {
                continue;
            }
            let whole = MemoryLocation::of(root);
            let own = self.state.own(&whole).cloned();
            let parts = self.state.parts(&whole).into_iter().map(|(_, v)| v);
            for value in own.into_iter().chain(parts) {
                add(&value, &mut pointees, &mut work);
            }
        }
        for root in pointees {
            // What the loop's own variables hold was havocked by name already.
            self.havoc_root(root, reason);
        }
    }
}
