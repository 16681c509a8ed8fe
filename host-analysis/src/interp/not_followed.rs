//! Calls of functions that are not given or not followed: what they may change, and what they call back.

use super::code::Arg;
use super::functions;
use super::lvalue::Target;
use super::threads::Given;
use super::{Code, FnId, Interp, MAX_CALLS};
use crate::location::{MemoryLocation, ObjectId, Root};
use crate::object::ObjectKind;
use crate::syntax::ast::ExprId;
use crate::value::Val;

/// Times that a function is followed that is called any number of times, before all that it
/// changes is given up.
const MOST_CALLS_BACK: u32 = 3;

impl<'a> Interp<'a> {
    /// One of several functions is called, when calls are not followed any more.
    pub(super) fn none_followed(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        callees: &[FnId],
        this: Option<MemoryLocation>,
        args: &[Arg<'a>],
    ) -> Val {
        for &callee in callees {
            if !self.walk.frames.iter().any(|f| f.fn_id == callee) {
                self.trace.unfollowed.insert(callee);
            }
        }
        self.memo.invalidate();
        if let Some(this) = this {
            self.escape_value(&Val::Pointer(this));
        }
        self.not_followed(code, id, callees, args)
    }

    /// Functions of the given files, one of which is called and not followed: what they and all that
    /// they call may change is havocked.
    pub(super) fn not_followed(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        callees: &[FnId],
        args: &[Arg<'a>],
    ) -> Val {
        let name = callees
            .first()
            .map_or("", |id| &self.program.function(*id).name);
        let reason = format!("the call of `{name}` is not followed");
        let values = self.values(args);
        for &callee in callees {
            self.note_inner_call(callee, values.clone());
        }
        for (index, (arg_code, arg)) in args.iter().enumerate() {
            self.escape_value(&values[index]);
            let is_changed = |callee: &FnId| {
                let param = self.program.function(*callee).params.get(index);
                param.is_none_or(|p| p.ty.reference)
            };
            if callees.iter().any(is_changed)
                && let Target::Location(location) = self.plain_target(arg_code, *arg)
            {
                self.set_unknown(&location, &reason);
            }
        }
        self.havoc_escaped(&reason);
        if self.budget.flat {
            self.havoc_lasting(&reason);
        } else {
            for &callee in callees {
                self.havoc_modified(callee, &reason);
            }
        }
        for &callee in callees {
            self.returns_unknown(code, id, callee);
        }
        let text = self.source_text(code, id);
        self.unnamed_atom(text, reason)
    }

    /// Code that is not given may call any function that is: variables that outlive their function
    /// may then hold any value that was ever assigned to them. It may itself assign those that are
    /// declared `extern`.
    pub(super) fn outside(&mut self, reason: &str) {
        self.memo.invalidate();
        if let Some(tried) = self.walk.tries.last_mut() {
            tried.note_outside();
        }
        if self.budget.flat {
            return self.havoc_lasting(reason);
        }
        let objects = (0..self.objects.len() as u32).map(|id| Root::Object(ObjectId(id)));
        let lasting = self.variables.lasting.iter().map(|&var| Root::Var(var));
        for root in lasting.chain(objects) {
            if self.state.is_known(root) {
                self.rounds.looked_at.insert(root);
            }
        }
        for root in self.rounds.flow_insensitive.roots() {
            if !self.state.is_known(root) {
                continue;
            }
            for (location, value) in self.rounds.flow_insensitive.of(root) {
                let Some(now) = self.state.known(&location) else {
                    continue;
                };
                if *now == *value {
                    continue;
                }
                let joined = now.join(value);
                if joined != *now {
                    self.state.set(&location, joined);
                }
            }
        }
        let shared = self.variables.globals.get(&None).into_iter().flatten();
        let shared: Vec<_> = shared
            .filter(|(name, _)| self.program.shared_names.contains(&***name))
            .map(|(_, var)| *var)
            .collect();
        for &var in &shared {
            // And what they lead to.
            self.escape_value(&Val::Pointer(MemoryLocation::var(var)));
        }
        if !shared.is_empty() {
            self.havoc_escaped(reason);
        }
        for var in shared {
            self.havoc_root(Root::Var(var), reason);
        }
    }

    /// All variables that outlive their function, and all memory, may change.
    pub(super) fn havoc_lasting(&mut self, reason: &str) {
        let objects = (0..self.objects.len() as u32).map(|id| Root::Object(ObjectId(id)));
        let lasting = self.variables.lasting.iter().map(|&var| Root::Var(var));
        for root in self.state.holding(lasting.chain(objects)) {
            if let Root::Object(id) = root
                && let ObjectKind::Kernel { .. } = self.objects.get(id).kind
            {
                self.havoc_args_of(id, reason);
            }
            self.havoc_root(root, reason);
        }
    }

    /// Notes the objects that a value is or leads to.
    fn note_handed_out(&mut self, value: &Val) {
        let mut objects: Vec<ObjectId> = handles_of(value).collect();
        for root in self.reachable(value) {
            objects.extend(self.state.values(root).flat_map(handles_of));
        }
        self.trace.handed_out.extend(objects);
    }

    /// A function that is not among the given files.
    pub(super) fn unknown_call(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        name: Option<&str>,
        args: &[Arg<'a>],
    ) -> Val {
        let shown = name.unwrap_or("a function pointer");
        let reason = format!("`{shown}` is not among the given files");
        let library = name.is_some_and(|n| self.program.is_library(code, n));
        let prototype = name.and_then(|n| self.program.prototypes[code.host].get(n).copied());
        // Whether functions that it is given are called by it, and only now.
        let later = name.is_some_and(functions::calls_later);
        let known = name.is_some_and(|n| n.starts_with("std::") || functions::takes_values(n));
        let first_passed = functions::first_passed(name);
        let may_call = !known || name.is_some_and(functions::calls_back);
        let by_value = !self.program.is_cpp(code) || name.is_some_and(functions::takes_values);
        let mut callbacks = Vec::new();
        let mut values: Vec<Val> = Vec::new();
        for (index, (arg_code, arg)) in args.iter().enumerate() {
            let value = self.eval(arg_code, *arg);
            let param = prototype.and_then(|(_, params)| params.get(index));
            match may_call {
                true => callbacks.extend(self.functions_in(&value)),
                false if is_callable(&value) => callbacks.push(value.clone()),
                false => {}
            }
            self.note_handed_out(&value);
            values.push(value.clone());
            if first_passed.is_some_and(|first| index >= first) {
                continue;
            }
            let reads_only = param.is_some_and(|p| p.ty.pointee_const && p.ty.pointers == 1);
            if !reads_only {
                match library {
                    true => self.havoc_pointee(&value, &reason),
                    false => self.escape_value(&value),
                }
            }
            let by_reference = match param {
                Some(param) => param.ty.reference && !param.ty.is_const,
                None => !by_value,
            };
            if by_reference && let Target::Location(location) = self.plain_target(arg_code, *arg) {
                self.set_unknown(&location, &reason);
            }
        }
        let given = Given::to(name, &values, &callbacks);
        match later || library && !known {
            true => self.at_any_time(code, id, &given),
            false => self.called_back(code, id, &given),
        }
        if !library {
            self.havoc_escaped(&reason);
            self.outside(&reason);
        }
        let text = self.source_text(code, id);
        self.unnamed_atom(text, reason)
    }

    /// A function whose address is passed away may be called, or not.
    pub(super) fn call_back(&mut self, code: &Code<'a>, id: ExprId, name: &str, args: &[Val]) {
        let Some(&function) = self.program.named(name).first() else {
            return;
        };
        let recursive = self.walk.frames.iter().any(|f| f.fn_id == function);
        if self.budget.flat || recursive || self.walk.frames.len() >= MAX_CALLS {
            self.memo.invalidate();
            self.trace.unfollowed.insert(function);
            return self.havoc_lasting("a function that is passed as a pointer may change it");
        }
        // What it changes it finds changed when it is called again.
        for pass in 0..=MOST_CALLS_BACK {
            let mark = self.state.mark();
            self.run_called_back(code, id, function, args);
            let (delta, reached) = self.take_back(mark);
            let changes = delta.sorted();
            let changes = changes
                .into_iter()
                .filter_map(|(p, v)| Some((p, v.as_ref()?)));
            let is_change = |(location, value): &(&MemoryLocation, &Val)| {
                let now = self.state.known(location);
                now.is_some_and(|now| now.join(value) != *now)
            };
            let changed: Vec<MemoryLocation> =
                changes.filter(is_change).map(|(p, _)| p.clone()).collect();
            let touched: Vec<Root> = delta
                .sorted()
                .iter()
                .map(|(location, _)| location.root)
                .collect();
            self.exposed.called_back_on.extend(touched);
            if reached {
                self.state.merge(mark, delta);
            }
            if changed.is_empty() || !reached {
                return;
            }
            if pass + 1 == MOST_CALLS_BACK {
                for location in &changed {
                    self.set_unknown(
                        location,
                        "a function that is passed as a pointer changes it",
                    );
                }
            }
        }
    }

    /// Follows a function that something else calls, with arguments that are known in part.
    fn run_called_back(&mut self, code: &Code<'a>, id: ExprId, callee: FnId, args: &[Val]) {
        self.walk
            .context
            .push(code.site(code.ast().expr(id).span).start);
        let function = self.program.function(callee);
        // A method gets its object first.
        let (this, args) = match (&function.class, args) {
            (Some(_), [Val::Pointer(this), rest @ ..]) => (Some(this.clone()), rest),
            (Some(_), _) => (None, &[][..]),
            (None, args) => (None, args),
        };
        self.enter(callee, this, false);
        let callee_code = self.program.file_code(callee.host, callee.part);
        for (index, param) in function.params.iter().enumerate() {
            let var = self.declare(&callee_code, param, false);
            let location = MemoryLocation::var(var);
            if let (Some(value), false) = (args.get(index), param.ty.reference) {
                self.state.set(&location, Val::Unset);
                self.assign(&location, value.clone());
                continue;
            }
            let reason = format!("parameter `{}` of `{}`", param.name, function.name);
            self.set_unknown(&location, &reason);
        }
        self.run_body(&callee_code, function);
        self.walk.context.pop();
    }

    /// What a pointer points to is changed by a function that keeps no pointer.
    pub(super) fn havoc_pointee(&mut self, value: &Val, reason: &str) {
        for value in value.alternatives() {
            match value {
                Val::Pointer(location) => {
                    let parent = match location.path.last() {
                        Some(crate::location::Step::Index(_)) => location.parent(),
                        _ => None,
                    };
                    if let Some(array) = parent.filter(|array| self.is_container(array)) {
                        self.havoc_elements(&array, reason);
                        continue;
                    }
                    let mut location = location.clone();
                    while let Some(crate::location::Step::Index(_)) = location.path.last() {
                        location.path.pop();
                    }
                    match location.path.is_empty() {
                        true => self.havoc_root(location.root, reason),
                        false => self.set_unknown(&location, reason),
                    }
                }
                Val::Into(root) => self.havoc_root(*root, reason),
                Val::Tuple(all) => all.iter().for_each(|one| self.havoc_pointee(one, reason)),
                _ => {}
            }
        }
    }
}

/// Whether a call of a value can be followed, or cannot be made at all.
pub(super) fn is_callable(value: &Val) -> bool {
    matches!(value, Val::Function(_) | Val::Closure(_)) || is_nothing(value)
}

/// Whether a value is a pointer to nothing.
pub(super) fn is_nothing(value: &Val) -> bool {
    matches!(value, Val::Null | Val::Zero | Val::Unset)
}

/// The handles that a value may be.
fn handles_of(value: &Val) -> impl Iterator<Item = ObjectId> + '_ {
    let handles = value.alternatives().iter();
    handles.filter_map(|value| match value {
        Val::Handle(id) => Some(*id),
        _ => None,
    })
}
