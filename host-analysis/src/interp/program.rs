//! What the given files say, which following them does not change.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use fpgacc_frontend::source::SourceMap;
use indexmap::IndexMap;

use super::code::{Code, FnId, Tree};
use super::functions;
use crate::syntax::ast::{Function, Record, StmtKind, Type, Variable};
use crate::syntax::{HostFile, Language, Part, QuickHash, REGIONS};
use crate::types::{Kind, Types, class_name, last_name};

/// What is found by its name, all the time.
pub(super) type ByName<K, V> = IndexMap<K, V, QuickHash>;

/// Parameters of declared member functions, by `Class::name`, and the part that declares them.
pub(super) type Methods<'a> = ByName<&'a str, Vec<(usize, &'a [Variable])>>;

/// The program: its files, and what they define and declare.
pub(crate) struct Program<'a> {
    /// The given files, each with its headers.
    pub hosts: &'a [HostFile],
    pub sources: &'a SourceMap,
    /// The types of each host.
    pub types: Vec<Types<'a>>,
    /// Functions, by their whole and by their last names.
    pub functions: ByName<&'a str, Vec<FnId>>,
    /// Parameters of declared functions, by host and name, and the part that declares them.
    pub prototypes: Vec<ByName<&'a str, (usize, &'a [Variable])>>,
    /// Member functions that are declared in their class, by host and `Class::name`.
    pub methods: Vec<Methods<'a>>,
    /// Constructors, by the last part of their class's name.
    pub constructors: ByName<&'a str, Vec<FnId>>,
    /// With how many arguments a host may call a function, once somebody asked.
    pub argument_counts: RefCell<ByName<(usize, FnId), RangeInclusive<usize>>>,
    /// Operators that convert objects, such as `operator int`.
    pub conversions: Vec<FnId>,
    /// See [`Program::uncalled`] and [`Program::called_names`].
    pub uncalled: OnceCell<BTreeSet<FnId>>,
    pub called_names: OnceCell<BTreeSet<&'a str>>,
    /// Names of file-scope variables that files which are not given may name too.
    pub shared_names: BTreeSet<&'a str>,
    /// The hosts have unions.
    pub has_unions: bool,
    /// Some class has a base.
    pub has_bases: bool,
    /// Some member of a class is `volatile`.
    pub has_volatile_fields: bool,
    /// The hosts have destructors.
    pub has_destructors: bool,
    /// The hosts have blocks of `try`.
    pub has_tries: bool,
}

impl<'a> Program<'a> {
    pub fn new(hosts: &'a [HostFile], sources: &'a SourceMap) -> Self {
        let types: Vec<Types<'_>> = hosts.iter().map(Types::of).collect();
        let parts = || hosts.iter().flat_map(|host| &host.parts);
        let any_function = |is: fn(&Function) -> bool| {
            parts().any(|part: &Part| part.ast.functions.iter().any(is))
        };
        let any_record =
            |is: fn(&Record) -> bool| parts().any(|part: &Part| part.ast.records.iter().any(is));
        let mut program = Program {
            hosts,
            sources,
            functions: ByName::default(),
            prototypes: Vec::new(),
            methods: Vec::new(),
            constructors: ByName::default(),
            conversions: Vec::new(),
            argument_counts: RefCell::default(),
            uncalled: OnceCell::new(),
            called_names: OnceCell::new(),
            shared_names: BTreeSet::new(),
            has_unions: any_record(|record| record.is_union),
            has_bases: types.iter().any(|t| t.has_bases),
            has_volatile_fields: types.iter().any(|t| t.has_volatile),
            has_destructors: any_function(|function| function.name.contains('~')),
            has_tries: parts().any(|part| part.ast.has_tries()),
            types,
        };
        program.index_functions();
        program
    }

    fn index_functions(&mut self) {
        for (host, file) in self.hosts.iter().enumerate() {
            let mut prototypes = ByName::default();
            let mut methods = Methods::default();
            for (part, source) in file.parts.iter().enumerate() {
                for (index, function) in source.ast.functions.iter().enumerate() {
                    let id = FnId { host, part, index };
                    let short = last_name(&function.name);
                    if function.class.is_some() && is_conversion(short) {
                        self.conversions.push(id);
                    }
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
            if let Some(class) = constructed(name) {
                self.constructors.entry(class).or_default().extend(ids);
            }
        }
    }

    pub fn function(&self, id: FnId) -> &'a Function {
        &self.hosts[id.host].parts[id.part].ast.functions[id.index]
    }

    pub fn file_code(&self, host: usize, part: usize) -> Code<'a> {
        Code {
            tree: Tree::File(&self.hosts[host].parts[part].ast),
            host,
            part,
            env: None,
        }
    }

    /// Whether a name is that of a function of a library.
    pub fn is_library(&self, code: &Code<'a>, name: &str) -> bool {
        name.starts_with("std::")
            || name.starts_with("__builtin_")
            || name == REGIONS
            || functions::takes_values(name)
            // A file of the user's that declares it means another one.
            || self.hosts[code.host].is_system_function(name)
                && !self.prototypes[code.host].contains_key(name)
    }

    /// Names that are called somewhere.
    pub fn called_names(&self) -> &BTreeSet<&'a str> {
        self.called_names.get_or_init(|| self.find_called_names())
    }

    fn find_called_names(&self) -> BTreeSet<&'a str> {
        let hosts = self.hosts;
        let mut called = BTreeSet::new();
        let mut asts = BTreeSet::new();
        for part in hosts.iter().flat_map(|host| &host.parts) {
            // Hosts share the syntax of headers.
            if asts.insert(Arc::as_ptr(&part.ast)) {
                called.extend(part.ast.called_names());
            }
        }
        called
    }

    /// The functions of a name.
    pub fn named(&self, name: &str) -> &[FnId] {
        self.functions.get(name).map_or(&[], Vec::as_slice)
    }

    /// What a type is in a host, without its array dimensions.
    pub fn kind(&self, host: usize, ty: &Type) -> Kind {
        self.types[host].kind(ty, &self.hosts[host])
    }

    /// Whether code is C++.
    pub fn is_cpp(&self, code: &Code<'a>) -> bool {
        self.hosts[code.host].language == Language::Cpp
    }
}

/// The class `c` that `a::c::c` constructs.
fn constructed(function: &str) -> Option<&str> {
    let (class, name) = function.rsplit_once("::")?;
    (class_name(class) == name).then_some(name)
}

/// Whether a name is that of an operator that converts an object.
fn is_conversion(name: &str) -> bool {
    let allocates = |name: &str| name.starts_with("new") || name.starts_with("delete");
    name.strip_prefix("operator ")
        .is_some_and(|ty| !allocates(ty))
}
