//! Objects of the user's classes: their members' first values, their constructors, and what is
//! destructured or given a type by its value.

use std::collections::BTreeSet;

use super::code::Arg;
use super::scope::{Binding, Scope};
use super::wrappers::named_type;
use super::{Code, FnId, Interp};
use crate::arith::sole_rank;
use crate::location::{MemoryLocation, Root, VarId};
use crate::symbol::type_name;
use crate::syntax::Language;
use crate::syntax::ast::{ExprId, ExprKind, Record, Type, Variable};
use crate::text::Text;
use crate::types::{Container, Kind, class_name, last_name, without_arguments};
use crate::value::Val;

/// Deepest nesting of classes in classes.
const MOST_NESTED: usize = 8;

impl<'a> Interp<'a> {
    /// The constructors of a class that take so many arguments.
    fn constructors(&self, class: &str, args: usize) -> Vec<FnId> {
        let mut all = self.all_constructors(class);
        all.retain(|id| self.program.takes(id.host, *id, args));
        all
    }

    /// The constructor of a class that takes so many arguments, or one of them.
    pub(super) fn constructor(&self, class: &str, args: usize) -> Option<FnId> {
        self.constructors(class, args).first().copied()
    }

    /// The methods that a call on an object of a class may mean: that of the class, or else that of
    /// its nearest base which has one, or of a class that is derived of it. If none is found so, a
    /// base may not be given: those of all classes. Which arguments a class template has is not followed: those
    /// for some of them may be meant, too.
    pub(super) fn methods_of(&self, class: &str, name: &str, args: usize) -> Vec<FnId> {
        let name = without_arguments(name);
        let takes = |id: &FnId| self.program.takes(id.host, *id, args);
        let all = self.program.named(last_name(name)).iter();
        let all: Vec<FnId> = all.copied().filter(takes).collect();
        let short = class_name(class);
        let of = |id: &FnId| self.program.function(*id).class.as_deref().map(class_name);
        let mut spans = BTreeSet::new();
        let own = all.iter().filter(|id| of(id) == Some(short));
        // Overloads differ in types.
        let own: Vec<FnId> = own
            .filter(|id| spans.insert(self.program.function(**id).span))
            .copied()
            .collect();
        if !own.is_empty() {
            return own;
        }
        let mut all = all;
        all.retain(|id| of(id).is_some() && spans.insert(self.program.function(*id).span));
        self.inherited(class, &all).unwrap_or(all)
    }

    /// Of methods of one name, those of the nearest base of a class that has one, and those of
    /// classes that are derived of it; `None` if no base has any.
    fn inherited(&self, class: &str, all: &[FnId]) -> Option<Vec<FnId>> {
        let types = |id: &FnId| &self.program.types[id.host];
        let of = |id: &FnId| self.program.function(*id).class.as_deref();
        let up = |id: &FnId| types(id).steps_to_base(class, of(id)?);
        let down = |id: &FnId| types(id).steps_to_base(of(id)?, class);
        let nearest = all.iter().filter_map(up).min()?;
        let may_be_meant = |id: &&FnId| up(id) == Some(nearest) || down(id).is_some();
        Some(all.iter().filter(may_be_meant).copied().collect())
    }

    /// The methods that a call inside of a method may mean, if its object's class is another one
    /// than that where the method was found.
    pub(super) fn overriding(
        &self,
        found: FnId,
        this: &MemoryLocation,
        name: &str,
        args: usize,
    ) -> Option<Vec<FnId>> {
        let class = self.program.function(found).class.as_deref()?;
        let Some(Kind::Record(actual)) = self.kind_of(this) else {
            return None;
        };
        if name.contains("::") || last_name(&actual) == last_name(class) {
            return None;
        }
        let methods = self.methods_of(&actual, name, args);
        (methods != [found]).then_some(methods)
    }

    /// The method of this name of an object's class.
    pub(super) fn own_operator(&self, location: &MemoryLocation, name: &str) -> Option<FnId> {
        let Some(Kind::Record(class)) = self.kind_of(location) else {
            return None;
        };
        self.own_method(class_name(&class), name)
    }

    /// The method of this name of a class.
    pub(super) fn own_method(&self, class: &str, name: &str) -> Option<FnId> {
        let mut all = self.program.named(name).iter().copied();
        all.find(|id| self.is_method_of(*id, class))
    }

    /// Whether a function is a method of a class.
    pub(super) fn is_method_of(&self, id: FnId, class: &str) -> bool {
        self.program.function(id).class.as_deref().map(last_name) == Some(class)
    }

    /// Whether a class says how its objects are copied.
    pub(super) fn copies_otherwise(&self, location: &MemoryLocation) -> bool {
        if self.program.hosts.iter().all(|h| h.language == Language::C) {
            return false;
        }
        if self.own_operator(location, "operator=").is_some() {
            return true;
        }
        let Some(Kind::Record(class)) = self.kind_of(location) else {
            return false;
        };
        self.constructors(&class, 1).into_iter().any(|id| {
            let param = &self.program.function(id).params[0].ty;
            param.reference && last_name(&param.base) == last_name(&class)
        })
    }

    /// One of several methods is called.
    pub(super) fn any_method(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        methods: &[FnId],
        location: &MemoryLocation,
        args: &[Arg<'a>],
    ) -> Val {
        let result = self.one_of(code, id, methods, Some(location.clone()), args);
        // One that is not given may be meant.
        let reason = "a method that may be another one";
        self.havoc_escaped(reason);
        self.outside(reason);
        result
    }

    /// Functions of one name that take so many arguments, whose types would distinguish them.
    pub(super) fn overloads(&self, code: &Code<'a>, name: &str, args: &[Arg<'a>]) -> Vec<FnId> {
        if !self.program.is_cpp(code) {
            return Vec::new();
        }
        let (base, _) = name.split_once('<').unwrap_or((name, ""));
        let all = self.program.functions.get(base);
        let all = all.or_else(|| self.program.functions.get(last_name(base)));
        let mut spans = BTreeSet::new();
        let fits = |id: &FnId| {
            let function = self.program.function(*id);
            let visible = !function.is_static || id.host == code.host;
            let own = self.may_mean(code.host, name, function);
            let params = function.params.iter().zip(args);
            self.program.takes(code.host, *id, args.len())
                && params
                    .into_iter()
                    .all(|(param, arg)| may_take(&param.ty, arg))
                && own
                && visible
        };
        let all = all.into_iter().flatten().copied().filter(fits);
        all.filter(|id| spans.insert(self.program.function(*id).span))
            .collect()
    }

    /// A call of one of several functions.
    pub(super) fn one_of(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        functions: &[FnId],
        this: Option<MemoryLocation>,
        args: &[Arg<'a>],
    ) -> Val {
        if self.budget.flat {
            return self.none_followed(code, id, functions, this, args);
        }
        self.on_any(functions, |s, &function| {
            s.inline(code, id, function, this.clone(), args)
        })
    }

    /// A new object of a class.
    pub(super) fn make_object(
        &mut self,
        code: &Code<'a>,
        location: &MemoryLocation,
        args: &[ExprId],
    ) {
        match (self.kind_of(location), args) {
            (Some(Kind::Record(class)), _) => {
                let args: Vec<Arg<'a>> = args.iter().map(|a| (code.clone(), *a)).collect();
                self.construct_record(code, location, &class, &args);
            }
            (Some(Kind::Container(_)), []) => self.empty_container(location),
            (_, []) => self.assign(location, Val::Null),
            _ => self.construct(code, location, args),
        }
    }

    /// Gives an object of a class its first value.
    pub(super) fn construct_record(
        &mut self,
        code: &Code<'a>,
        location: &MemoryLocation,
        class: &str,
        args: &[Arg<'a>],
    ) {
        if let [(arg_code, only)] = args
            && self.constructor(class, 1).is_none()
        {
            // A copy.
            return match self.eval(arg_code, *only) {
                Val::Record(from) => self.copy_record(location, &from),
                _ => self.set_unknown(location, "a constructor that is not followed"),
            };
        }
        self.first_values(code.host, location, class);
        match (self.constructor(class, args.len()), args.first()) {
            (Some(_), Some((first_code, first)))
                if self.constructors(class, args.len()).len() > 1 =>
            {
                let all = self.constructors(class, args.len());
                self.any_method(first_code, *first, &all, location, args);
            }
            (Some(function), Some((first_code, first))) => {
                self.inline(first_code, *first, function, Some(location.clone()), args);
            }
            (Some(function), None) => self.default_construct(function, location),
            (None, None) => {}
            (None, Some(_)) => {
                self.values(args);
                self.set_unknown(location, "a constructor that is not followed");
            }
        }
    }

    /// An expression of a function's file, to stand for its call where there is none in the text.
    pub(super) fn some_expression(&self, function: FnId) -> Option<ExprId> {
        let ast = &self.program.hosts[function.host].parts[function.part].ast;
        ast.any_expr()
    }

    /// What the members of an object are before its constructor's body.
    fn first_values(&mut self, host: usize, location: &MemoryLocation, class: &str) {
        let Some((part, record)) = self.program.types[host].record(class) else {
            return;
        };
        if record.is_union {
            return;
        }
        // To make an object must not take another one of the same class: that would never end.
        let built = (host, class.to_string());
        if self.walk.building.len() >= MOST_NESTED
            || self.walk.building.contains(&built)
            || self.spent(1)
        {
            let reason = format!("members of `{class}` that are made with one another");
            self.set_unknown(location, &reason);
            self.havoc_escaped(&reason);
            return self.outside(&reason);
        }
        self.walk.building.push(built);
        self.members_first_values(host, part, location, class, record);
        self.walk.building.pop();
    }

    fn members_first_values(
        &mut self,
        host: usize,
        part: usize,
        location: &MemoryLocation,
        class: &str,
        record: &Record,
    ) {
        for base in &record.bases {
            self.base_first_values(host, location, class, base);
        }
        for field in record.fields.iter().filter(|f| !f.is_static) {
            let at = location.field(&field.name);
            if let Some(init) = field.init {
                let code = self.program.file_code(host, part);
                // Names in it are those of the class.
                let hidden = self.frame().map(|f| {
                    let scopes = vec![Scope::default()];
                    let scopes = std::mem::replace(&mut f.scopes, scopes);
                    let class = f.class.replace(class.to_string());
                    (scopes, class, f.this.replace(location.clone()))
                });
                self.initialise(&code, &at, init);
                if let (Some(frame), Some((scopes, class, this))) = (self.frame(), hidden) {
                    (frame.scopes, frame.class, frame.this) = (scopes, class, this);
                }
                continue;
            }
            match self.kind_of(&at) {
                Some(Kind::Container(_)) => self.empty_container(&at),
                Some(Kind::String) => self.put(&at, Val::text(Text::default())),
                Some(Kind::Wrapper(_)) => self.put(&at, Val::Null),
                Some(Kind::Record(inner)) => {
                    self.first_values(host, &at, &inner);
                    if let Some(function) = self.constructor(&inner, 0) {
                        self.default_construct(function, &at);
                    }
                }
                _ => {}
            }
        }
    }

    /// A variable of a class without an initialiser.
    pub(super) fn default_value(&mut self, code: &Code<'a>, location: &MemoryLocation) {
        if !self.program.is_cpp(code) {
            return;
        }
        match self.kind_of(location) {
            Some(Kind::Container(_)) => self.empty_container(location),
            Some(Kind::Record(class)) => self.construct_record(code, location, &class, &[]),
            _ => {}
        }
    }

    /// A variable declared `auto`, or with a type that is not known, gets that of its value.
    pub(super) fn adopt_type(&mut self, var: VarId, value: &Val) {
        let info = self.variables.info(var);
        if info.kind != Kind::Other || !info.ty.dims.is_empty() {
            return;
        }
        if info.ty.base == "auto"
            && info.ty.pointers == 0
            && let Some(number) = sole_rank(value)
        {
            let ty = named_type(type_name(number));
            let kind = Kind::Num(number);
            let info = self.variables.info_mut(var);
            (info.ty, info.kind) = (ty, kind);
            return;
        }
        let text = matches!(value, Val::Text(_)) && info.ty.base != "auto";
        if let (Some((mut ty, host)), false) = (self.value_type(value), text) {
            ty.reference = false;
            let kind = self.program.kind(host, &ty);
            let info = self.variables.info_mut(var);
            (info.ty, info.host, info.kind) = (ty, host, kind);
        }
    }

    /// `auto [a, b] = value`: each name stands for a part.
    pub(super) fn destructure(&mut self, variable: &Variable, whole: Option<MemoryLocation>) {
        let names = variable.name.trim_matches(['[', ']']).split(',');
        let fields = whole
            .as_ref()
            .and_then(|location| match self.container(location) {
                Some(container)
                    if matches!(*container, Container::Pair { .. })
                        || self.element_count(location).is_none() =>
                {
                    Some(vec!["first".to_string(), "second".to_string()])
                }
                _ => self.field_names(location),
            });
        for (index, name) in names.enumerate() {
            let part = whole.as_ref().map(|location| match &fields {
                Some(fields) => fields.get(index).map(|f| location.field(f)),
                None => Some(location.index(index as i64)),
            });
            let binding = match part.flatten() {
                Some(location) => Binding::Alias(location),
                None => Binding::Lost,
            };
            self.bind(name.trim(), binding);
        }
    }

    /// The value that a structured binding destructures, in a location of its own unless it is a
    /// reference.
    pub(super) fn parts_of(
        &mut self,
        code: &Code<'a>,
        variable: &Variable,
    ) -> Option<MemoryLocation> {
        let init = variable.init?;
        if variable.ty.reference {
            return self.reference(code, init);
        }
        match self.eval(code, init) {
            Val::Record(from) => match self.copy_out(from) {
                Val::Record(copy) => Some(copy),
                _ => None,
            },
            _ => None,
        }
    }

    /// The type of an object is that of the root itself.
    pub(super) fn is_root_var(location: &MemoryLocation) -> Option<VarId> {
        match (location.root, location.path.is_empty()) {
            (Root::Var(var), true) => Some(var),
            _ => None,
        }
    }

    /// What the members of an object that its class has from a base are before its constructor's
    /// own initialisers.
    fn base_first_values(
        &mut self,
        host: usize,
        location: &MemoryLocation,
        class: &str,
        base: &str,
    ) {
        if self.program.types[host].record(base).is_none() {
            return;
        }
        self.first_values(host, location, base);
        let own = self.all_constructors(class);
        let lists = |id: &&FnId| {
            let mut named = self.program.function(**id).initialisers.iter();
            named.any(|(name, _)| last_name(name) == last_name(base))
        };
        let listing = own.iter().filter(lists).count();
        let is_listed = !own.is_empty() && listing == own.len();
        if is_listed || self.all_constructors(base).is_empty() {
            return;
        }
        match self.constructor(base, 0) {
            Some(function) if listing == 0 => self.default_construct(function, location),
            _ => self.havoc_members(host, location, base),
        }
    }

    /// Follows a constructor without arguments, or those of its class that may be meant.
    fn default_construct(&mut self, function: FnId, location: &MemoryLocation) {
        let Some(id) = self.some_expression(function) else {
            return;
        };
        if self.walk.frames.is_empty() {
            return;
        }
        let code = self.program.file_code(function.host, function.part);
        let class = self.program.function(function).class.as_deref();
        let all = class.map_or_else(Vec::new, |class| self.constructors(class, 0));
        if all.len() > 1 {
            self.any_method(&code, id, &all, location, &[]);
            return;
        }
        self.inline(&code, id, function, Some(location.clone()), &[]);
    }

    /// The members that an object has from a base are not known.
    fn havoc_members(&mut self, host: usize, location: &MemoryLocation, base: &str) {
        for name in self.program.types[host].members(base) {
            self.set_unknown(
                &location.field(&name),
                "a constructor of a base that is not followed",
            );
        }
    }

    /// Whether a value that is no object may become one of a class, by a constructor that takes it.
    pub(super) fn converts(&self, class: &str, value: &Val) -> bool {
        let is_plain = |value: &Val| {
            matches!(
                value,
                Val::Text(_)
                    | Val::Pointer(_)
                    | Val::Function(_)
                    | Val::Closure(_)
                    | Val::Int(..)
                    | Val::Float(_)
                    | Val::Double(_)
                    | Val::Sym(_)
            )
        };
        value.alternatives().iter().any(is_plain) && !self.all_constructors(class).is_empty()
    }

    /// Constructors of a class with any arguments.
    fn all_constructors(&self, class: &str) -> Vec<FnId> {
        let short = class_name(class);
        let all = self
            .program
            .constructors
            .get(short)
            .into_iter()
            .flatten()
            .copied();
        let mut spans = BTreeSet::new();
        all.filter(|id| spans.insert(self.program.function(*id).span))
            .collect()
    }

    /// Member initialisers of a constructor.
    pub(super) fn member_initialisers(
        &mut self,
        code: &Code<'a>,
        initialisers: &[(String, Vec<ExprId>)],
    ) {
        for (field, args) in initialisers {
            if let Some(location) = self.field_of_this(field) {
                if self.type_of(&location).is_some_and(|(ty, ..)| ty.reference) {
                    // What it stands for may be changed by its name at any time.
                    for &arg in args {
                        if let super::lvalue::Target::Location(at) = self.target(code, arg) {
                            self.unsettle(&Val::Pointer(at));
                        }
                    }
                    continue;
                }
                let list = |id: &ExprId| matches!(code.ast().expr(*id).kind, ExprKind::InitList(_));
                match args[..] {
                    [only] if list(&only) => self.initialise(code, &location, only),
                    _ => self.make_object(code, &location, args),
                }
                continue;
            }
            // A base class, or another constructor of this one.
            let this = self.walk.frames.last().and_then(|f| f.this.clone());
            let args: Vec<Arg<'a>> = args.iter().map(|a| (code.clone(), *a)).collect();
            match (self.constructor(field, args.len()), this, args.first()) {
                (Some(function), Some(this), Some((first_code, first))) => {
                    self.inline(first_code, *first, function, Some(this), &args);
                }
                (Some(function), Some(this), None) => self.default_construct(function, &this),
                (_, this, _) => {
                    self.values(&args);
                    if let Some(this) = this.filter(|_| !self.all_constructors(field).is_empty()) {
                        self.havoc_members(code.host, &this, field);
                    }
                }
            }
        }
    }
}

/// Whether a parameter may take an argument, as far as its spelling shows.
fn may_take(ty: &Type, (code, arg): &Arg<'_>) -> bool {
    let ast = code.ast();
    let is_number = matches!(
        ty.base.trim_start_matches("unsigned "),
        "int" | "long" | "char" | "short" | "float" | "double" | "bool" | "size_t" | "unsigned"
    );
    match &ast.expr(ast.skip_parens(*arg)).kind {
        ExprKind::Str(_) => ty.pointers > 0 || !is_number,
        ExprKind::Int(word) => ty.pointers == 0 || word == "0",
        ExprKind::Float(_) | ExprKind::Char(_) | ExprKind::Bool(_) => ty.pointers == 0,
        _ => true,
    }
}
