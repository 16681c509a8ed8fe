//! Plain loops: those that only compute. Following them tells nothing, so what they may change is
//! found by their syntax and forgotten, at a cost that grows with their text only.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::{Code, Interp};
use crate::place::{Place, Root};
use crate::syntax::HostFile;
use crate::syntax::ast::{Ast, ExprId, ExprKind, Loop, StmtId, StmtKind, Type};
use crate::syntax::lex::{Lexer, TokenKind};
use crate::types::{Kind, last_name};
use crate::value::Val;

/// Words that no expression has.
const JUMPS: &[&str] = &[
    "return", "goto", "break", "continue", "throw", "if", "else", "for", "while", "do", "switch",
    "case", "default", "try", "catch", "asm", "__asm__", "static",
];

/// What a piece of code does, by its syntax.
#[derive(Clone, Default)]
pub(super) struct Effects {
    /// Names that are called.
    calls: BTreeSet<String>,
    /// Names that are assigned, or whose address is taken.
    changed: BTreeSet<String>,
    /// Names that are counted up or down.
    counters: BTreeSet<String>,
    /// Names that are assigned as a whole.
    replaced: BTreeSet<String>,
    /// Names of arrays whose elements are set to zero.
    zeroed: BTreeSet<String>,
    /// All names in it.
    names: BTreeSet<String>,
    /// Names that it declares.
    declared: BTreeSet<String>,
    /// It has loops.
    loops: bool,
    /// It stores through pointers, or passes something to a function that may.
    indirect: bool,
    /// It cannot be summed up: it jumps, or is not understood.
    odd: bool,
}

impl Effects {
    /// What a function does that is called as a whole, where a return is no jump; nothing if it
    /// cannot be summed up.
    fn of_function(ast: &Ast, body: StmtId) -> Option<Effects> {
        let mut effects = Effects::default();
        let (mut stmts, mut exprs) = (vec![body], Vec::new());
        while !effects.odd {
            if let Some(id) = exprs.pop() {
                effects.expr(ast, id, &mut stmts);
                exprs.extend(ast.children(id));
            } else if let Some(id) = stmts.pop() {
                match &ast.stmt(id).kind {
                    StmtKind::Return(value) => exprs.extend(value),
                    _ => effects.stmt(ast, id, &mut stmts, &mut exprs),
                }
            } else {
                return Some(effects);
            }
        }
        None
    }

    fn of_loop(ast: &Ast, shape: &Loop) -> Effects {
        let mut effects = Effects::default();
        let exprs = shape.condition.iter().chain(&shape.step).copied();
        effects.walk(ast, vec![shape.body], exprs.collect());
        effects
    }

    fn walk(&mut self, ast: &Ast, mut stmts: Vec<StmtId>, mut exprs: Vec<ExprId>) {
        loop {
            if let Some(id) = exprs.pop() {
                self.expr(ast, id, &mut stmts);
                exprs.extend(ast.children(id));
            } else if let Some(id) = stmts.pop() {
                self.stmt(ast, id, &mut stmts, &mut exprs);
            } else {
                return;
            }
        }
    }

    fn stmt(&mut self, ast: &Ast, id: StmtId, stmts: &mut Vec<StmtId>, exprs: &mut Vec<ExprId>) {
        match &ast.stmt(id).kind {
            StmtKind::Declare(variables) => {
                for variable in variables {
                    self.odd |= variable.is_static || variable.ty.reference;
                    self.declared.insert(variable.name.clone());
                }
            }
            StmtKind::Loop(_) => self.loops = true,
            StmtKind::Return(_)
            | StmtKind::Throw(_)
            | StmtKind::RangeFor { .. }
            | StmtKind::Goto(_)
            | StmtKind::Label(_)
            | StmtKind::Try { .. }
            | StmtKind::Opaque { .. } => self.odd = true,
            // Its label is a constant.
            StmtKind::Case(_) => return,
            _ => {}
        }
        ast.parts(id, stmts, exprs);
    }

    fn expr(&mut self, ast: &Ast, id: ExprId, stmts: &mut Vec<StmtId>) {
        match &ast.expr(id).kind {
            ExprKind::Name(name) if self.names.contains(name) => {}
            ExprKind::Name(name) => {
                self.names.insert(name.clone());
            }
            ExprKind::Call { callee, args } => {
                match &ast.expr(ast.skip_parens(*callee)).kind {
                    ExprKind::Name(name) => {
                        self.calls.insert(name.clone());
                    }
                    _ => self.odd = true,
                }
                self.indirect |= !args.is_empty();
            }
            ExprKind::Assign(None, target, value)
                if matches!(&ast.expr(*value).kind, ExprKind::Char(0))
                    && self.zeroing(ast, *target) => {}
            ExprKind::Assign(None, target, _) => {
                if let ExprKind::Name(name) = &ast.expr(*target).kind {
                    self.replaced.insert(name.clone());
                }
                self.target(ast, *target)
            }
            ExprKind::Assign(Some(_), target, _) | ExprKind::Step { target, .. } => {
                if let ExprKind::Name(name) = &ast.expr(*target).kind {
                    self.counters.insert(name.clone());
                }
                self.target(ast, *target)
            }
            ExprKind::AddressOf(inner) => self.target(ast, *inner),
            ExprKind::Statement(stmt) => stmts.push(*stmt),
            ExprKind::Opaque { .. }
            | ExprKind::New { .. }
            | ExprKind::Construct(..)
            | ExprKind::Lambda(_) => self.odd = true,
            _ => {}
        }
    }

    /// `name[i] = 0`.
    fn zeroing(&mut self, ast: &Ast, target: ExprId) -> bool {
        if let ExprKind::Index(base, _) = ast.expr(target).kind
            && let ExprKind::Name(name) = &ast.expr(base).kind
        {
            self.zeroed.insert(name.clone());
            return true;
        }
        false
    }

    fn target(&mut self, ast: &Ast, id: ExprId) {
        let (name, indirect) = ast.changed_by_assigning(id);
        self.changed.extend(name.map(str::to_string));
        self.indirect |= indirect;
    }
}

/// Which functions of the given files only compute, and the file-scope names that they change.
pub(super) struct Plain {
    functions: BTreeMap<String, Option<Effects>>,
}

impl Plain {
    pub fn of(hosts: &[HostFile]) -> Plain {
        let mut functions: BTreeMap<String, Option<Effects>> = BTreeMap::new();
        for host in hosts {
            for part in &host.parts {
                for function in &part.ast.functions {
                    let mut known = Effects::of_function(&part.ast, function.body);
                    let params = function.params.iter().map(|p| p.name.clone());
                    known
                        .iter_mut()
                        .for_each(|k| k.declared.extend(params.clone()));
                    let short = last_name(&function.name);
                    let slot = functions.entry(short.to_string());
                    match slot {
                        std::collections::btree_map::Entry::Vacant(slot) => {
                            slot.insert(known);
                        }
                        std::collections::btree_map::Entry::Occupied(mut slot) => {
                            if let (Some(all), Some(more)) = (slot.get_mut(), known) {
                                all.calls.extend(more.calls);
                                all.changed.extend(more.changed);
                                all.replaced.extend(more.replaced);
                                all.names.extend(more.names);
                                all.declared.extend(more.declared);
                                all.zeroed.extend(more.zeroed);
                                all.indirect |= more.indirect;
                                all.loops |= more.loops;
                            } else {
                                slot.insert(None);
                            }
                        }
                    }
                }
            }
        }
        Plain { functions }
    }
}

/// What a loop's text tells of it.
pub(super) struct LoopText {
    /// Names that are counted up or down.
    counters: BTreeSet<String>,
    /// What it may change, if it is a plain loop.
    plain: Option<Effects>,
}

/// What a call of a function that only computes may do.
pub(super) struct Summary {
    /// Names of file-scope variables that it may change.
    pub changed: BTreeSet<String>,
    /// It calls functions that are not given.
    pub outside: bool,
}

impl<'a> Interp<'a> {
    /// Forgets what a loop may change, if it is a plain one; else nothing happens.
    pub(super) fn plain_loop(&mut self, code: &Code<'a>, shape: &Loop) -> bool {
        let text = self.loop_text(code, shape);
        let Some(plain) = &text.plain else {
            return false;
        };
        let reason = "changes in a loop";
        if plain.indirect {
            self.forget_reachable(code, &plain.names, reason);
            self.forget_anywhere(code, &plain.names);
            self.forget_escaped(reason);
        }
        for name in &plain.changed {
            if let Some(place) = self.variable(code, name) {
                match plain.replaced.contains(name) && self.is_container(&place) {
                    true => self.set_unknown(&place, reason),
                    false => self.forget_in_loop(&place, reason),
                }
            }
        }
        for name in &plain.zeroed {
            self.zero_in_loop(code, name, reason);
        }
        true
    }

    /// What a loop's text tells of it. It is read once, but for loops in macros.
    fn loop_text(&mut self, code: &Code<'a>, shape: &Loop) -> Rc<LoopText> {
        let key = (code.host, code.part, shape.body);
        if let (Some(known), None) = (self.summaries.loop_texts.get(&key), &code.env) {
            return known.clone();
        }
        let mut effects = Effects::of_loop(code.ast(), shape);
        let text = Rc::new(LoopText {
            counters: std::mem::take(&mut effects.counters),
            plain: match code.env {
                None => self.sum_up(code, effects),
                Some(_) => None,
            },
        });
        if code.env.is_none() {
            self.summaries.loop_texts.insert(key, text.clone());
        }
        text
    }

    /// What a loop may change with all that it calls, if it is a plain one.
    fn sum_up(&self, code: &Code<'a>, mut effects: Effects) -> Option<Effects> {
        if effects.odd {
            return None;
        }
        // Functions that are named may be called by what they are given to.
        let named = |effects: &Effects| {
            let names = effects.names.difference(&effects.declared);
            let functions = names.filter(|name| self.summaries.plain.functions.contains_key(*name));
            functions.cloned().collect::<Vec<_>>()
        };
        let mut waiting: Vec<String> = effects.calls.iter().cloned().collect();
        waiting.extend(named(&effects));
        let mut seen: BTreeSet<String> = BTreeSet::new();
        while let Some(name) = waiting.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            if let Some(known) = self.summaries.plain.functions.get(&name) {
                let inner = known.as_ref()?;
                effects.indirect |= inner.indirect || !inner.zeroed.is_empty();
                effects.changed.extend(inner.changed.iter().cloned());
                effects.replaced.extend(inner.changed.iter().cloned());
                waiting.extend(inner.calls.iter().cloned());
                waiting.extend(named(inner));
                continue;
            }
            if !self.only_computes(code, &name) {
                return None;
            }
        }
        (!self.uses_function_macros(code, &effects)).then_some(effects)
    }

    /// What is counted up or down in a loop: it is another number in each round.
    pub(super) fn counters(&mut self, code: &Code<'a>, shape: &Loop) -> Vec<Place> {
        let text = self.loop_text(code, shape);
        let places = text.counters.iter();
        let places = places.filter_map(|name| {
            let place = self.variable(code, name)?;
            let number = matches!(self.state.own(&place), Some(Val::Int(..) | Val::Sym(_)));
            number.then_some(place)
        });
        places.collect()
    }

    /// A call of a function that only computes, in loops: it is not followed.
    pub(super) fn plain_function(&mut self, code: &Code<'a>, name: &str) -> Option<Rc<Summary>> {
        let key = (code.host, name.to_string());
        if let Some(known) = self.summaries.plain_known.get(&key) {
            return known.clone();
        }
        let found = self.find_plain_function(code, name).map(Rc::new);
        self.summaries.plain_known.insert(key, found.clone());
        found
    }

    fn find_plain_function(&self, code: &Code<'a>, name: &str) -> Option<Summary> {
        let short = last_name(name);
        let mut waiting = vec![short.to_string()];
        let mut seen = BTreeSet::new();
        let mut changed = BTreeSet::new();
        let (mut loops, mut outside) = (false, false);
        while let Some(name) = waiting.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            if let Some(known) = self.summaries.plain.functions.get(&name) {
                let inner = known.as_ref()?;
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
                let named = named.filter(|name| self.summaries.plain.functions.contains_key(*name));
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
        !self.is_library(code, name)
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
        self.is_library(code, name)
            && !super::functions::has_effect(name)
            && !super::functions::calls_back(name)
            && !self.program.hosts[code.host].macros.knows(name)
            && !super::functions::is_opencl(name)
    }

    /// Names that stand for macros with assignments or calls in them.
    fn uses_function_macros(&self, code: &Code<'a>, effects: &Effects) -> bool {
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
    fn macro_effects(&self, code: &Code<'a>, name: &str) -> Option<Option<Effects>> {
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
        let mut effects = Effects::default();
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
            self.forget_root(array.root, reason);
        }
    }

    fn forget_in_loop(&mut self, place: &Place, reason: &str) {
        match self.is_aggregate(place) || self.state.has_parts(place) {
            true if self.is_container(place) => self.forget_elements(place, reason),
            true => self.set_unknown(place, reason),
            false => {
                let value = Val::unknown(reason);
                self.note_ever(place, &value);
                self.state.set(place, value);
            }
        }
    }

    /// Forgets everything that pointers in these variables lead to.
    fn forget_reachable(&mut self, code: &Code<'a>, names: &BTreeSet<String>, reason: &str) {
        let mut work = Vec::new();
        for name in names {
            if let Some(place) = self.variable(code, name) {
                work.push(place.root);
            }
        }
        self.forget_behind(Vec::new(), work, reason);
    }

    /// Forgets what pointers in these variables may point to if it is not known where they do.
    fn forget_anywhere(&mut self, code: &Code<'a>, names: &BTreeSet<String>) {
        for name in names {
            let Some(place) = self.variable(code, name) else {
                continue;
            };
            let lost = match self.kind_of(&place) {
                Some(Kind::Pointer) => self.state.get(&place).is_unknown(),
                _ => false,
            };
            if lost && let Some((ty, _, host)) = self.type_of(&place) {
                let pointee = Type {
                    base: ty.base.clone(),
                    ..Type::default()
                };
                let num = match self.program.types[host].kind(&pointee, &self.program.hosts[host]) {
                    Kind::Num(num) if ty.pointers == 1 => Some(num),
                    _ => None,
                };
                self.store_anywhere(Val::Unset, num);
            }
        }
    }

    /// Forgets everything that values and variables lead to.
    pub(super) fn forget_behind(&mut self, values: Vec<Val>, mut work: Vec<Root>, reason: &str) {
        let mut seen = BTreeSet::new();
        let mut pointees = BTreeSet::new();
        let add = |value: &Val, pointees: &mut BTreeSet<Root>, work: &mut Vec<Root>| {
            for value in value.alternatives() {
                match value {
                    Val::Pointer(place) => {
                        pointees.insert(place.root);
                        work.push(place.root);
                    }
                    Val::Into(root) => {
                        pointees.insert(*root);
                        work.push(*root);
                    }
                    Val::Record(place) => work.push(place.root),
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
            let whole = Place::of(root);
            let own = self.state.own(&whole).cloned();
            let parts = self.state.parts(&whole).into_iter().map(|(_, v)| v);
            for value in own.into_iter().chain(parts) {
                add(&value, &mut pointees, &mut work);
            }
        }
        for root in pointees {
            // What the loop's own variables hold was forgotten by name already.
            self.forget_root(root, reason);
        }
    }
}
