//! An abstract interpreter of hosts. It follows the program from `main` through all functions of
//! the given files, keeps what is known of every variable and OpenCL object, and notes each
//! launch with what is known there. Where paths meet, values are joined; what a loop changes is
//! not known at its head. Functions that nobody given calls start with unknown arguments, and with
//! file-scope variables that hold any value ever assigned to them.

mod bytes;
mod call;
mod closures;
mod conditional;
mod containers;
mod destructors;
mod doubtful;
mod expr;
mod launches;
mod library;
mod limit;
mod loops;
mod lvalue;
mod members;
mod methods;
mod modifies;
mod named;
mod opaque;
mod opencl;
mod plain;
mod pointers;
mod ranges;
mod recursion;
mod repeat;
mod reporters;
mod roots;
mod scope;
mod signatures;
mod stmt;
mod text;
mod threads;
mod tries;
mod uncalled;
mod unfollowed;
mod wrappers;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::rc::Rc;

use fpgacc_frontend::source::{SourceMap, Span};
use indexmap::IndexMap;
use scope::Scope;

use crate::content::Ever;
use crate::number::Num;
use crate::object::{Objects, Visit};
use crate::place::{ObjectId, Place, Root, RootSet, VarId};
use crate::state::{Delta, State};
use crate::syntax::ast::{Ast, ExprId, Function, StmtId, StmtKind, Type, Variable};
use crate::syntax::{HostFile, MacroBody, QuickHash};
use crate::types::{Types, last_name};
use crate::value::{Sym, Val};

/// Rounds in which values of file-scope variables may still grow.
const ROUNDS: u32 = 4;
/// Deepest chain of calls that is followed.
const MAX_CALLS: usize = 24;
/// Deepest nesting of evaluation.
const MAX_NESTING: u32 = 3000;

/// Syntax of a file or of a macro's replacement.
#[derive(Clone)]
enum Tree<'a> {
    File(&'a Ast),
    Macro(Rc<MacroBody>),
}

/// A piece of code: its syntax, the file it belongs to, and the macro that it comes from.
#[derive(Clone)]
struct Code<'a> {
    tree: Tree<'a>,
    host: usize,
    part: usize,
    env: Option<Rc<MacroEnv<'a>>>,
}

/// A macro's use.
struct MacroEnv<'a> {
    index: usize,
    params: Vec<(&'a str, (Code<'a>, ExprId))>,
    rest: Vec<(Code<'a>, ExprId)>,
    /// Where the outermost macro is used.
    site: Span,
    outer: Option<Rc<MacroEnv<'a>>>,
}

impl<'a> MacroEnv<'a> {
    /// The argument that a parameter stands for.
    fn argument(&self, name: &str) -> Option<&(Code<'a>, ExprId)> {
        let found = self.params.iter().find(|(param, _)| *param == name);
        found.map(|(_, argument)| argument)
    }
}

impl<'a> Code<'a> {
    fn ast(&self) -> &Ast {
        match &self.tree {
            Tree::File(ast) => ast,
            Tree::Macro(body) => &body.ast,
        }
    }

    /// The place in the user's text that an expression of this code belongs to.
    fn site(&self, span: Span) -> Span {
        match &self.env {
            Some(env) => env.site,
            None => span,
        }
    }
}

/// What is found by its name, all the time.
type ByName<K, V> = IndexMap<K, V, QuickHash>;

/// Parameters of declared member functions, by `Class::name`, and the part that declares them.
type Methods<'a> = ByName<&'a str, Vec<(usize, &'a [Variable])>>;

/// What is known of a variable.
#[derive(Clone)]
pub(crate) struct VarInfo {
    pub name: Rc<str>,
    /// Its function; empty at file scope.
    pub function: Rc<str>,
    pub ty: Type,
    pub dims: Vec<Option<u64>>,
    /// What its type is, without dimensions.
    pub kind: crate::types::Kind,
    pub host: usize,
    /// It lives as long as the program.
    pub lasting: bool,
}

/// A loop or switch that is being followed.
struct Breakable {
    mark: usize,
    breaks: Vec<Delta>,
    continues: Vec<Delta>,
    is_loop: bool,
    /// Scopes of its function around it.
    scopes: usize,
}

/// A function that is being followed.
struct Frame {
    function: Rc<str>,
    fn_id: FnId,
    class: Option<String>,
    this: Option<Place>,
    scopes: Vec<Scope>,
    mark: usize,
    is_root: bool,
    returns: Vec<Delta>,
    result: Val,
    gotos: BTreeMap<String, Vec<Delta>>,
    passed_labels: BTreeSet<String>,
    backward_labels: Rc<BTreeSet<String>>,
    breakables: Vec<Breakable>,
    own: Vec<VarId>,
}

/// A macro's replacement: host, index, and the place of its use if its nodes have no other.
type BodyKey = (usize, usize, Option<(u32, u32)>);

/// The variables of a declaration, by the way it was reached.
type ByWay = IndexMap<Vec<u32>, VarId, QuickHash>;

/// A loop: its host, the place of its body, and the way it was reached.
type LoopKey = (usize, Span, Vec<u32>);

/// A function of the given files: host, part, index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct FnId {
    host: usize,
    part: usize,
    index: usize,
}

pub(crate) struct Interp<'a> {
    hosts: &'a [HostFile],
    pub sources: &'a SourceMap,
    types: Vec<Types<'a>>,
    functions: ByName<&'a str, Vec<FnId>>,
    prototypes: Vec<ByName<&'a str, (usize, &'a [Variable])>>,
    /// Member functions that are declared in their class, by host and `Class::name`.
    methods: Vec<Methods<'a>>,
    /// Constructors, by the last part of their class's name.
    constructors: ByName<&'a str, Vec<FnId>>,
    /// With how many arguments a host may call a function, once somebody asked.
    argument_counts: RefCell<ByName<(usize, FnId), RangeInclusive<usize>>>,
    plain: plain::Plain,
    /// Answers of [`Interp::plain_function`], by host and name.
    plain_known: BTreeMap<(usize, String), Option<Rc<plain::Summary>>>,
    /// What is known of loops, by host, part and body.
    loop_texts: BTreeMap<(usize, usize, StmtId), Rc<plain::LoopText>>,
    /// Pieces of the host's text, shortened, as they stand in messages.
    quotes: RefCell<BTreeMap<Span, Rc<str>>>,
    reporters: BTreeMap<FnId, Option<Rc<reporters::Reporter>>>,
    outcomes: BTreeMap<FnId, reporters::Outcomes>,
    repeats: repeat::Repeats,
    /// Loops that took too long to be followed round by round, and the fewest rounds of each.
    too_long: BTreeMap<(usize, Span), i128>,
    labels: BTreeMap<FnId, Rc<BTreeSet<String>>>,
    bodies: BTreeMap<BodyKey, Rc<MacroBody>>,
    /// Those of macros that are not the user's, by host and index, at some use.
    bodies_elsewhere: BTreeMap<(usize, usize), Rc<MacroBody>>,
    /// Names in files, by host and part, that are no macros at any time.
    no_macros: RefCell<Vec<Vec<Vec<bool>>>>,
    /// Whether a macro, by host and index, is defined in the user's own files.
    own_macros: BTreeMap<(usize, usize), bool>,

    state: State,
    pub vars: Vec<VarInfo>,
    /// Those that live as long as the program.
    lasting: Vec<VarId>,
    /// The same declaration reached in the same way is one variable: values from another pass
    /// over a loop are values of it.
    vars_by_way: IndexMap<(usize, Span), ByWay, QuickHash>,
    /// Places that were found to change in a loop in ways that are not known: they need not be
    /// found again when the loop is reached again in the same way.
    changing: BTreeMap<LoopKey, BTreeMap<Place, Val>>,
    frames: Vec<Frame>,
    /// Variables at file scope, by their host, or none for those that all hosts share, and name.
    globals: BTreeMap<Option<usize>, ByName<String, VarId>>,
    statics: BTreeMap<(Span, Option<Span>), VarId>,
    class_objects: BTreeMap<String, VarId>,
    enumerators: Vec<BTreeMap<String, Val>>,
    /// Every value that was assigned to a place that outlives its function.
    ever: Ever,
    /// What was looked at of `ever` in this round, by `main` and by what follows it.
    seen_by_main: RootSet,
    looked_at: RootSet,
    /// `ever` grew behind what looked at it: another round is needed.
    stale_main: bool,
    stale_others: bool,
    escaped: BTreeSet<Root>,
    /// What pointers in variables ever pointed to.
    pointed: RootSet,
    /// What functions that are passed away have changed.
    called_back_on: BTreeSet<Root>,
    /// Calls of functions inside of themselves.
    inner_calls: BTreeMap<FnId, Vec<recursion::InnerCall>>,
    /// Variables of one name in several namespaces, which are not told apart.
    ambiguous: RootSet,
    /// Where variables at file scope are defined.
    defined_at: BTreeMap<VarId, Span>,
    /// What may change at any time.
    unsettled: RootSet,
    /// What several threads may use: any of it may hold any value that was ever assigned to it.
    shared: RootSet,
    /// Variables of functions that threads get: all that is assigned to them is noted too, from
    /// the next round on.
    threaded: BTreeSet<Root>,
    /// Those that were found in this round.
    newly_threaded: BTreeSet<Root>,
    /// This round is the last one.
    is_last_round: bool,
    /// Kernels are created of programs that are not followed.
    pub has_kernels_of_any: bool,
    /// The hosts have unions.
    has_unions: bool,
    /// Some class has a base.
    has_bases: bool,
    /// Some member of a class is `volatile`.
    has_volatile_fields: bool,
    /// Variables that are `volatile`.
    volatile: RootSet,
    /// The hosts have destructors.
    has_destructors: bool,
    /// Names of file-scope variables that files which are not given may name too.
    shared_names: BTreeSet<&'a str>,
    visited: BTreeSet<Span>,
    /// Functions that code which is not followed may call, whether or not they were visited.
    unfollowed: BTreeSet<FnId>,
    /// Functions whose address is taken somewhere, once somebody asked for them.
    taken: OnceCell<Rc<BTreeSet<FnId>>>,
    /// With how many arguments a function that may be any of those was called.
    taken_called_with: BTreeSet<usize>,
    /// Classes whose members get their first values, outermost first, each with its host.
    building: Vec<(usize, String)>,
    /// What objects in memory of `new` are, and the host whose types these are.
    heap_types: BTreeMap<ObjectId, (Type, usize)>,
    /// Answers of [`Interp::modified_by`].
    modified: BTreeMap<FnId, Rc<modifies::Modified>>,
    /// Answers of [`Interp::globals_modified_by`].
    modified_globals: BTreeMap<FnId, Rc<modifies::ModifiedGlobals>>,
    /// All variables at file scope have got their first values once.
    has_globals: bool,
    /// All names in a function of C; nothing if its variables outlive it.
    names_of: BTreeMap<FnId, Option<Rc<BTreeSet<&'a str>>>>,

    pub objects: Objects,
    pub visits: Vec<Visit>,
    context: Vec<u32>,
    /// The statement that is being followed.
    at: Option<Span>,
    /// The last reason that was written with its line, and both together.
    located: Option<(Span, String, Rc<str>)>,
    loop_depth: u32,
    /// Blocks of `try` that are being followed, innermost last.
    tries: Vec<tries::Tried>,
    /// The hosts have such blocks.
    has_tries: bool,
    /// The loops that are being followed, innermost last.
    loops: Vec<loops::LoopFrame>,
    activations: u32,
    unroll_factor: u64,
    atoms: u32,
    steps: u64,
    /// Changes of the store that were looked through.
    looked_through: u64,
    limit: u64,
    nesting: u32,
    /// The limit was reached: calls and loops are not followed any more.
    pub flat: bool,
}

impl<'a> Interp<'a> {
    pub fn new(hosts: &'a [HostFile], sources: &'a SourceMap) -> Self {
        let types: Vec<Types<'_>> = hosts.iter().map(Types::of).collect();
        let has_bases = types.iter().any(|t| t.has_bases);
        let has_volatile_fields = types.iter().any(|t| t.has_volatile);
        let mut interp = Interp {
            hosts,
            sources,
            types,
            functions: ByName::default(),
            prototypes: Vec::new(),
            methods: Vec::new(),
            constructors: ByName::default(),
            argument_counts: RefCell::default(),
            plain: plain::Plain::of(hosts),
            plain_known: BTreeMap::new(),
            loop_texts: BTreeMap::new(),
            quotes: RefCell::default(),
            reporters: BTreeMap::new(),
            outcomes: BTreeMap::new(),
            repeats: repeat::Repeats::default(),
            too_long: BTreeMap::new(),
            labels: BTreeMap::new(),
            bodies: BTreeMap::new(),
            bodies_elsewhere: BTreeMap::new(),
            no_macros: RefCell::new(hosts.iter().map(no_macros).collect()),
            own_macros: BTreeMap::new(),
            state: State::default(),
            vars: Vec::new(),
            lasting: Vec::new(),
            vars_by_way: IndexMap::default(),
            changing: BTreeMap::new(),
            frames: Vec::new(),
            globals: BTreeMap::new(),
            statics: BTreeMap::new(),
            class_objects: BTreeMap::new(),
            enumerators: Vec::new(),
            ever: Ever::default(),
            seen_by_main: RootSet::default(),
            looked_at: RootSet::default(),
            stale_main: true,
            stale_others: false,
            escaped: BTreeSet::new(),
            pointed: RootSet::default(),
            called_back_on: BTreeSet::new(),
            inner_calls: BTreeMap::new(),
            ambiguous: RootSet::default(),
            defined_at: BTreeMap::new(),
            unsettled: RootSet::default(),
            shared: RootSet::default(),
            threaded: BTreeSet::new(),
            newly_threaded: BTreeSet::new(),
            is_last_round: false,
            has_destructors: hosts
                .iter()
                .flat_map(|h| &h.parts)
                .any(|p| p.ast.functions.iter().any(|f| f.name.contains('~'))),
            has_kernels_of_any: false,
            has_unions: hosts
                .iter()
                .flat_map(|h| &h.parts)
                .any(|p| p.ast.records.iter().any(|r| r.is_union)),
            has_bases,
            has_volatile_fields,
            volatile: RootSet::default(),
            shared_names: BTreeSet::new(),
            visited: BTreeSet::new(),
            unfollowed: BTreeSet::new(),
            taken: OnceCell::new(),
            taken_called_with: BTreeSet::new(),
            heap_types: BTreeMap::new(),
            modified: BTreeMap::new(),
            modified_globals: BTreeMap::new(),
            has_globals: false,
            names_of: BTreeMap::new(),
            objects: Objects::default(),
            visits: Vec::new(),
            context: Vec::new(),
            at: None,
            located: None,
            building: Vec::new(),
            loop_depth: 0,
            tries: Vec::new(),
            has_tries: hosts
                .iter()
                .flat_map(|h| &h.parts)
                .any(|p| p.ast.has_tries()),
            loops: Vec::new(),
            activations: 0,
            unroll_factor: 1,
            atoms: 0,
            steps: 0,
            looked_through: 0,
            limit: limit::steps(hosts),
            nesting: 0,
            flat: false,
        };
        interp.index_functions();
        interp
    }

    fn index_functions(&mut self) {
        for (host, file) in self.hosts.iter().enumerate() {
            let mut prototypes = ByName::default();
            let mut methods = Methods::default();
            for (part, source) in file.parts.iter().enumerate() {
                for (index, function) in source.ast.functions.iter().enumerate() {
                    let id = FnId { host, part, index };
                    let short = last_name(&function.name);
                    self.functions.entry(&function.name).or_default().push(id);
                    if short != function.name {
                        self.functions.entry(short).or_default().push(id);
                    }
                }
                for &stmt in &source.ast.globals {
                    if let StmtKind::Declare(variables) = &source.ast.stmt(stmt).kind {
                        let shared = variables.iter().filter(|v| v.is_extern);
                        self.shared_names.extend(shared.map(|v| v.name.as_str()));
                    }
                }
                for prototype in &source.ast.prototypes {
                    prototypes.insert(prototype.name.as_str(), (part, &prototype.params[..]));
                }
                for method in &source.ast.methods {
                    let known = methods.entry(method.name.as_str()).or_default();
                    known.push((part, &method.params[..]));
                }
            }
            self.prototypes.push(prototypes);
            self.methods.push(methods);
        }
        for (&name, ids) in &self.functions {
            if let Some(class) = members::constructed(name) {
                self.constructors.entry(class).or_default().extend(ids);
            }
        }
    }

    fn function(&self, id: FnId) -> &'a Function {
        &self.hosts[id.host].parts[id.part].ast.functions[id.index]
    }

    fn file_code(&self, host: usize, part: usize) -> Code<'a> {
        Code {
            tree: Tree::File(&self.hosts[host].parts[part].ast),
            host,
            part,
            env: None,
        }
    }

    /// Follows the whole program.
    pub fn run(&mut self) {
        let main: Vec<_> = self.functions.get("main").cloned().unwrap_or_default();
        let mut after_main = (0, BTreeSet::new(), 0);
        for round in 0..=ROUNDS {
            self.is_last_round = round == ROUNDS;
            self.threaded.append(&mut self.newly_threaded);
            if std::mem::take(&mut self.stale_main) {
                self.follow_main(&main);
                after_main = (self.visits.len(), self.visited.clone(), self.steps);
            } else {
                self.visits.truncate(after_main.0);
                self.visited.clone_from(&after_main.1);
                self.steps = after_main.2;
            }
            self.stale_others = false;
            self.other_roots(round == ROUNDS);
            self.looked_at.clear();
            if self.at_limit() {
                // Start again without following calls and loops.
                self.flat = true;
                self.ever.clear();
                self.threaded.clear();
                self.newly_threaded.clear();
                self.objects.forget_all();
                self.changing.clear();
                // What is told of objects by their numbers.
                self.heap_types.clear();
                self.inner_calls.clear();
                self.called_back_on.clear();
                self.stale_main = true;
                continue;
            }
            if !(self.stale_main || self.stale_others) || self.flat {
                return;
            }
        }
    }

    /// Follows the program from its start.
    fn follow_main(&mut self, main: &[FnId]) {
        self.visits.clear();
        self.visited.clear();
        (self.steps, self.looked_through) = (0, 0);
        self.seen_by_main.clear();
        self.stale_others = false;
        for &root in main {
            self.root(root, true, 0);
            self.repeats.leave_main();
        }
        self.stale_main |= std::mem::take(&mut self.stale_others);
        std::mem::swap(&mut self.seen_by_main, &mut self.looked_at);
    }

    /// Whether a function, or its twin in another unit that includes the same header, was followed.
    fn is_visited(&self, id: FnId) -> bool {
        self.visited.contains(&self.function(id).span)
    }

    /// The state when the program starts.
    fn start(&mut self) {
        self.forget_marks();
        self.state = State::default();
        self.state.reachable = true;
        self.frames.clear();
        self.init_globals();
        self.has_globals = true;
    }

    /// What was found of variables and objects of another start.
    fn forget_marks(&mut self) {
        self.escaped.clear();
        self.pointed.clear();
        self.unsettled.clear();
        self.shared.clear();
        self.repeats.clear();
    }

    /// Follows the program from a function that nobody calls.
    /// Other functions than `main` start from the state that was marked at `start`.
    fn root(&mut self, id: FnId, is_main: bool, start: usize) {
        self.frames.clear();
        self.context.clear();
        self.tries.clear();
        self.loops.clear();
        (self.loop_depth, self.unroll_factor, self.nesting) = (0, 1, 0);
        self.forget_marks();
        if is_main {
            self.start();
            self.repeats.enter_main();
        } else {
            self.state.rollback(start);
            self.state.reachable = true;
        }
        let function = self.function(id);
        let code = self.file_code(id.host, id.part);
        self.enter(id, None, true);
        for param in &function.params {
            let reason = format!("parameter `{}` of `{}`", param.name, function.name);
            let var = self.declare(&code, param, false);
            let place = Place::var(var);
            self.set_unknown(&place, &reason);
        }
        self.run_body(&code, function);
        self.frames.clear();
    }

    /// File-scope variables as they are when the program starts.
    fn init_globals(&mut self) {
        self.enumerators.clear();
        for (host, file) in self.hosts.iter().enumerate() {
            self.enumerators.push(BTreeMap::new());
            for part in 0..file.parts.len() {
                self.init_enumerators(host, part);
            }
        }
        for (host, file) in self.hosts.iter().enumerate() {
            for (part, source) in file.parts.iter().enumerate() {
                let code = self.file_code(host, part);
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
        let code = self.file_code(host, part);
        for list in &self.hosts[host].parts[part].ast.enumerators {
            let mut next = Val::int(0);
            for (name, value) in list {
                if let Some(value) = value {
                    next = self.eval(&code, *value);
                }
                self.enumerators[host].insert(name.clone(), next.clone());
                next = crate::arith::binary(crate::syntax::ast::BinaryOp::Add, &next, &Val::int(1));
            }
        }
    }

    fn init_global(&mut self, code: &Code<'a>, variable: &Variable) {
        let internal = variable.is_static || (variable.ty.is_const && self.is_cpp(code));
        let owner = internal.then_some(code.host);
        let known = self.globals.get(&owner);
        let known = known.and_then(|g| g.get(&variable.name)).copied();
        if variable.is_extern {
            if known.is_none() {
                let var = self.new_global(code, variable, owner);
                let reason = format!("`{}` is not defined in the given files", variable.name);
                self.set_unknown(&Place::var(var), &reason);
            }
            return;
        }
        let var = known.unwrap_or_else(|| self.new_global(code, variable, owner));
        let place = Place::var(var);
        let first = *self.defined_at.entry(var).or_insert(variable.span);
        if first != variable.span && self.is_cpp(code) {
            self.ambiguous.insert(place.root);
        }
        // A tentative definition after the real one.
        if variable.init.is_none()
            && !matches!(
                self.state.own(&place),
                None | Some(Val::Sym(_) | Val::Unknown(_))
            )
        {
            return;
        }
        if variable.init.is_none() && self.state.has_parts(&place) {
            return;
        }
        // An `extern` declaration may not have told the dimensions.
        self.vars[var.0 as usize].ty = variable.ty.clone();
        self.vars[var.0 as usize].kind =
            self.types[code.host].kind(&variable.ty, &self.hosts[code.host]);
        self.vars[var.0 as usize].dims = self.dims(code, &variable.ty);
        self.state.set(&place, Val::Zero);
        match variable.init {
            Some(init) => self.initialise(code, &place, init),
            None => self.default_value(code, &place),
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
        let globals = self.globals.entry(owner).or_default();
        globals.insert(variable.name.clone(), var);
        var
    }

    fn new_var(&mut self, mut info: VarInfo) -> VarId {
        info.kind = self.types[info.host].kind(&info.ty, &self.hosts[info.host]);
        let var = VarId(self.vars.len() as u32);
        if info.lasting {
            self.lasting.push(var);
        }
        if doubtful::is_volatile(&info.ty) {
            self.volatile.insert(Root::Var(var));
        }
        self.vars.push(info);
        var
    }

    fn is_cpp(&self, code: &Code<'a>) -> bool {
        self.hosts[code.host].language == crate::syntax::Language::Cpp
    }

    /// File-scope variables at a time that is not known: any value that was ever assigned.
    fn widen_globals(&mut self, last: bool) {
        self.looked_at.insert_all();
        let ever = self
            .ever
            .iter()
            .map(|(place, value)| (place, value.clone()));
        let ever: Vec<_> = ever.collect();
        for (place, value) in ever {
            if last || self.flat {
                let reason = format!("`{}` is assigned elsewhere", self.spell(&place));
                self.state.set(&place, Val::unknown(reason));
                continue;
            }
            let now = self.state.get(&place);
            let is_number = matches!(self.kind_of(&place), Some(crate::types::Kind::Num(_)));
            let now = match now {
                // A handle or pointer that is still NULL is no use.
                Val::Null | Val::Zero if !is_number => Val::Unset,
                Val::Unknown(_) if !place.is_variable() => Val::Unset,
                now => now,
            };
            let value = tries::or_assigned(now.join(&value), &place, |whole| self.ever.get(whole));
            self.state.set(&place, value);
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
        self.atoms += 1;
        let mut symbol = Sym::atom(self.atoms, text, ty, why);
        symbol.unnamed = unnamed;
        symbol.at = self.at;
        Val::Sym(Rc::new(symbol))
    }

    /// How people call a place: `function::variable[1].field`, `::variable` at file scope.
    pub fn spell(&self, place: &Place) -> String {
        let mut text = match place.root {
            Root::Var(var) => {
                let info = &self.vars[var.0 as usize];
                format!("{}::{}", info.function, info.name)
            }
            Root::Object(_) => "<memory>".to_string(),
        };
        self.spell_path(&mut text, place);
        text
    }

    fn spell_path(&self, text: &mut String, place: &Place) {
        for step in &place.path {
            match step {
                crate::place::Step::Index(index) => text.push_str(&format!("[{index}]")),
                crate::place::Step::Field(name) => text.push_str(&format!(".{name}")),
            }
        }
    }

    /// The same without the function.
    fn short_name(&self, place: &Place) -> String {
        let mut text = match place.root {
            Root::Var(var) => self.vars[var.0 as usize].name.to_string(),
            Root::Object(_) => "<memory>".to_string(),
        };
        self.spell_path(&mut text, place);
        text
    }

    /// A function was reached.
    fn seen(&mut self, span: Span) {
        self.visited.insert(span);
    }
}

/// For each part of a host, that nothing is known of its names yet.
fn no_macros(host: &HostFile) -> Vec<Vec<bool>> {
    let parts = host.parts.iter();
    parts.map(|part| vec![false; part.ast.len()]).collect()
}
