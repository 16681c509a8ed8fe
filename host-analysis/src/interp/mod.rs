//! An abstract interpreter of hosts. It follows the program from `main` through all functions of
//! the given files, keeps what is known of every variable and OpenCL object, and notes each
//! launch with what is known there. Where paths meet, values are joined; what a loop changes is
//! not known at its head. Functions that nobody given calls start with unknown arguments, and with
//! file-scope variables that hold any value assigned to them, flow-insensitively.

mod arguments;
mod bytes;
mod call;
mod closures;
mod code;
mod conditional;
mod container_methods;
mod containers;
mod conversions;
mod counter;
mod destructors;
mod doubtful;
mod error_checks;
mod exposed;
mod expr;
mod functions;
mod initialisers;
mod launches;
mod library;
mod limit;
mod loops;
mod lvalue;
mod macros;
mod members;
mod memo;
mod mentions;
mod methods;
mod modifies;
mod named;
mod not_followed;
mod opaque;
mod opencl;
mod opencl_free;
mod orbit;
mod packs;
mod parity;
mod pointers;
mod program;
mod ranges;
mod recursion;
mod returned;
mod roots;
mod rounds;
mod scope;
mod signatures;
mod spelled;
mod stmt;
mod store;
mod summaries;
mod templates;
mod text;
mod texts;
mod threads;
mod trace;
mod tries;
mod uncalled;
mod unfollowed;
mod variables;
mod variadic;
mod walk;
mod wrapper_launches;
mod wrappers;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use code::{Code, FnId};
use exposed::Exposed;
use fpgacc_frontend::source::{SourceMap, Span};
use program::Program;
use rounds::Rounds;
use texts::Texts;
use trace::Trace;
use variables::{VarInfo, Variables};

use crate::location::{MemoryLocation, Root, VarId};
use crate::number::Num;
use crate::object::Objects;
use crate::state::State;
use crate::syntax::HostFile;
use crate::syntax::ast::{StmtKind, Variable};
use crate::value::{Sym, Val};

/// Rounds in which values of file-scope variables may still grow.
const ROUNDS: u32 = 4;
/// Deepest chain of calls that is followed.
const MAX_CALLS: usize = 24;
/// Deepest nesting of evaluation.
const MAX_NESTING: u32 = 3000;

/// The interpreter, in parts with one job each.
pub(crate) struct Interp<'a> {
    /// What the given files say.
    program: Program<'a>,
    /// Pieces of their texts that were looked up.
    texts: Texts,
    /// What is kept of functions and loops.
    summaries: summaries::Summaries,
    /// Calls that may be repeated.
    memo: memo::Memo,
    /// What variables and objects hold at the location that is followed.
    state: State,
    /// All else that is known of variables ..
    variables: Variables,
    /// .. and of objects.
    pub objects: Objects,
    /// What more than a name leads to.
    exposed: Exposed,
    /// What all rounds over the program found.
    rounds: Rounds,
    /// Where the walk is.
    walk: walk::Walk,
    /// What was noted on the way.
    pub trace: Trace,
    /// How much was followed, and how much may be.
    pub budget: limit::Budget,
}

impl<'a> Interp<'a> {
    pub fn new(hosts: &'a [HostFile], sources: &'a SourceMap) -> Self {
        Interp {
            program: Program::new(hosts, sources),
            texts: Texts::of(hosts),
            summaries: summaries::Summaries::default(),
            memo: memo::Memo::default(),
            state: State::default(),
            variables: Variables::default(),
            objects: Objects::default(),
            exposed: Exposed::default(),
            rounds: Rounds::default(),
            walk: walk::Walk::default(),
            trace: Trace::default(),
            budget: limit::Budget::of(hosts),
        }
    }

    /// Follows the whole program.
    pub fn run(&mut self) {
        let main = self.program.named("main").to_vec();
        let mut after_main = (0, BTreeSet::new(), 0);
        for round in 0..=ROUNDS {
            self.rounds.is_last_round = round == ROUNDS;
            self.exposed
                .threaded
                .append(&mut self.exposed.newly_threaded);
            if std::mem::take(&mut self.rounds.stale_main) {
                self.follow_main(&main);
                after_main = (
                    self.trace.visits.len(),
                    self.trace.visited.clone(),
                    self.budget.steps,
                );
            } else {
                self.trace.visits.truncate(after_main.0);
                self.trace.visited.clone_from(&after_main.1);
                self.budget.steps = after_main.2;
            }
            self.rounds.stale_others = false;
            self.other_roots(round == ROUNDS);
            self.rounds.looked_at.clear();
            if self.at_limit() {
                // Start again without following calls and loops.
                self.budget.flat = true;
                self.rounds.flow_insensitive.clear();
                self.exposed.threaded.clear();
                self.exposed.newly_threaded.clear();
                self.objects.havoc_all();
                self.walk.changing.clear();
                // What is reported of objects by their numbers.
                self.variables.heap_types.clear();
                self.walk.inner_calls.clear();
                self.exposed.called_back_on.clear();
                self.rounds.stale_main = true;
                continue;
            }
            if !(self.rounds.stale_main || self.rounds.stale_others) || self.budget.flat {
                return;
            }
        }
    }

    /// Follows the program from its start.
    fn follow_main(&mut self, main: &[FnId]) {
        self.trace.visits.clear();
        self.trace.visited.clear();
        (self.budget.steps, self.budget.looked_through) = (0, 0);
        self.rounds.seen_by_main.clear();
        self.rounds.stale_others = false;
        for &root in main {
            self.root(root, true, 0);
            self.memo.leave_main();
        }
        self.rounds.stale_main |= std::mem::take(&mut self.rounds.stale_others);
        std::mem::swap(&mut self.rounds.seen_by_main, &mut self.rounds.looked_at);
    }

    /// Whether a function, or its twin in another unit that includes the same header, was followed.
    fn is_visited(&self, id: FnId) -> bool {
        self.trace.visited.contains(&self.program.function(id).span)
    }

    /// The state when the program starts.
    fn start(&mut self) {
        self.clear_marks();
        self.state = State::default();
        self.state.reachable = true;
        self.walk.frames.clear();
        self.init_globals();
        self.variables.has_globals = true;
    }

    /// What was found of variables and objects of another start.
    fn clear_marks(&mut self) {
        self.exposed.clear();
        self.memo.clear();
    }

    /// Follows the program from a function that nobody calls.
    /// Other functions than `main` start from the state that was marked at `start`.
    fn root(&mut self, id: FnId, is_main: bool, start: usize) {
        self.walk.restart();
        self.budget.nesting = 0;
        self.clear_marks();
        if is_main {
            self.start();
            self.memo.enter_main();
        } else {
            self.state.rollback(start);
            self.state.reachable = true;
        }
        let function = self.program.function(id);
        let code = self.program.file_code(id.host, id.part);
        self.enter(id, None, true);
        for param in &function.params {
            let reason = format!("parameter `{}` of `{}`", param.name, function.name);
            let var = self.declare(&code, param, false);
            let location = MemoryLocation::var(var);
            self.set_unknown(&location, &reason);
        }
        self.run_body(&code, function);
        self.walk.frames.clear();
    }

    /// File-scope variables as they are when the program starts.
    fn init_globals(&mut self) {
        self.variables.enumerators.clear();
        for (host, file) in self.program.hosts.iter().enumerate() {
            self.variables.enumerators.push(BTreeMap::new());
            for part in 0..file.parts.len() {
                self.init_enumerators(host, part);
            }
        }
        for (host, file) in self.program.hosts.iter().enumerate() {
            for (part, source) in file.parts.iter().enumerate() {
                let code = self.program.file_code(host, part);
                for &stmt in &source.ast.globals {
                    let StmtKind::Declare(variables) = &source.ast.stmt(stmt).kind else {
                        continue;
                    };
                    for variable in variables {
                        self.init_global(&code, variable);
                    }
                }
            }
        }
    }

    fn init_enumerators(&mut self, host: usize, part: usize) {
        let code = self.program.file_code(host, part);
        for list in &self.program.hosts[host].parts[part].ast.enumerators {
            let mut next = Val::int(0);
            for (name, value) in list {
                if let Some(value) = value {
                    next = self.eval(&code, *value);
                }
                self.variables.enumerators[host].insert(name.clone(), next.clone());
                next = crate::arith::binary(crate::syntax::ast::BinaryOp::Add, &next, &Val::int(1));
            }
        }
    }

    fn init_global(&mut self, code: &Code<'a>, variable: &Variable) {
        let internal = variable.is_static || (variable.ty.is_const && self.program.is_cpp(code));
        let owner = internal.then_some(code.host);
        let known = self.variables.globals.get(&owner);
        let known = known.and_then(|g| g.get(&variable.name)).copied();
        if variable.is_extern {
            if known.is_none() {
                let var = self.new_global(code, variable, owner);
                let reason = format!("`{}` is not defined in the given files", variable.name);
                self.set_unknown(&MemoryLocation::var(var), &reason);
            }
            return;
        }
        let var = known.unwrap_or_else(|| self.new_global(code, variable, owner));
        let location = MemoryLocation::var(var);
        let first = *self
            .variables
            .defined_at
            .entry(var)
            .or_insert(variable.span);
        if first != variable.span && self.program.is_cpp(code) {
            self.variables.ambiguous.insert(location.root);
        }
        // A tentative definition after the real one.
        if variable.init.is_none()
            && !matches!(
                self.state.own(&location),
                None | Some(Val::Sym(_) | Val::Unknown(_))
            )
        {
            return;
        }
        if variable.init.is_none() && self.state.has_parts(&location) {
            return;
        }
        // An `extern` declaration may not have given the dimensions.
        self.variables.info_mut(var).ty = variable.ty.clone();
        self.variables.info_mut(var).kind = self.program.kind(code.host, &variable.ty);
        self.variables.info_mut(var).dims = self.dims(code, &variable.ty);
        self.state.set(&location, Val::Zero);
        match variable.init {
            Some(init) => self.initialise(code, &location, init),
            None => self.default_value(code, &location),
        }
    }

    fn new_global(&mut self, code: &Code<'a>, variable: &Variable, owner: Option<usize>) -> VarId {
        let dims = self.dims(code, &variable.ty);
        let var = self.new_var(VarInfo {
            name: Rc::from(variable.name.as_str()),
            function: Rc::from(""),
            ty: variable.ty.clone(),
            dims,
            kind: crate::types::Kind::Other,
            host: code.host,
            lasting: true,
        });
        let globals = self.variables.globals.entry(owner).or_default();
        globals.insert(variable.name.clone(), var);
        var
    }

    fn new_var(&mut self, mut info: VarInfo) -> VarId {
        info.kind = self.program.kind(info.host, &info.ty);
        let is_volatile = doubtful::is_volatile(&info.ty);
        let var = self.variables.add(info);
        if is_volatile {
            self.variables.volatile.insert(Root::Var(var));
        }
        var
    }

    /// File-scope variables at a time that is not known: any value that is assigned, flow-insensitively.
    fn widen_globals(&mut self, last: bool) {
        self.rounds.looked_at.insert_all();
        let assigned = self
            .rounds
            .flow_insensitive
            .iter()
            .map(|(location, value)| (location, value.clone()));
        let assigned: Vec<_> = assigned.collect();
        for (location, value) in assigned {
            if last || self.budget.flat {
                let reason = format!("`{}` is assigned elsewhere", self.spell(&location));
                self.state.set(&location, Val::unknown(reason));
                continue;
            }
            let now = self.state.get(&location);
            let is_number = matches!(self.kind_of(&location), Some(crate::types::Kind::Num(_)));
            let now = match now {
                // A handle or pointer that is still NULL is no use.
                Val::Null | Val::Zero if !is_number => Val::Unset,
                Val::Unknown(_) if !location.is_variable() => Val::Unset,
                now => now,
            };
            let value = tries::or_assigned(now.join(&value), &location, |whole| {
                self.rounds.flow_insensitive.get(whole)
            });
            self.state.set(&location, value);
        }
    }

    /// A symbolic value that is equal to nothing else.
    fn atom(&mut self, text: impl Into<Rc<str>>, ty: Option<Num>, why: impl Into<Rc<str>>) -> Val {
        self.new_symbol(text.into(), false, ty, why.into())
    }

    /// The value of a call or another expression that is not followed: it gets the name of the
    /// variable that it is first stored in.
    fn unnamed_atom(&mut self, text: impl Into<Rc<str>>, why: impl Into<Rc<str>>) -> Val {
        self.new_symbol(text.into(), true, None, why.into())
    }

    fn new_symbol(&mut self, text: Rc<str>, unnamed: bool, ty: Option<Num>, why: Rc<str>) -> Val {
        self.walk.atoms += 1;
        let mut symbol = Sym::atom(self.walk.atoms, text, ty, why);
        symbol.unnamed = unnamed;
        symbol.at = self.walk.at;
        Val::Sym(Rc::new(symbol))
    }

    /// How people call a location: `function::variable[1].field`, `::variable` at file scope.
    pub fn spell(&self, location: &MemoryLocation) -> String {
        let mut text = match location.root {
            Root::Var(var) => {
                let info = self.variables.info(var);
                format!("{}::{}", info.function, info.name)
            }
            Root::Object(_) => "<memory>".to_string(),
        };
        self.spell_path(&mut text, location);
        text
    }

    fn spell_path(&self, text: &mut String, location: &MemoryLocation) {
        for step in &location.path {
            match step {
                crate::location::Step::Index(index) => text.push_str(&format!("[{index}]")),
                crate::location::Step::Field(name) if **name == *crate::location::SIZE => {
                    text.push_str(".size()");
                }
                crate::location::Step::Field(name) => text.push_str(&format!(".{name}")),
            }
        }
    }

    /// The same without the function.
    fn short_name(&self, location: &MemoryLocation) -> String {
        let mut text = match location.root {
            Root::Var(var) => self.variables.info(var).name.to_string(),
            Root::Object(_) => "<memory>".to_string(),
        };
        self.spell_path(&mut text, location);
        text
    }

    /// A function was reached.
    fn seen(&mut self, span: Span) {
        self.trace.visited.insert(span);
    }
}
