//! The variables that the walk has met.

use std::collections::BTreeMap;
use std::rc::Rc;

use fpgacc_frontend::source::Span;
use indexmap::IndexMap;

use super::program::ByName;
use crate::location::{ObjectId, RootSet, VarId};
use crate::syntax::QuickHash;
use crate::syntax::ast::Type;
use crate::types::Kind;
use crate::value::Val;

/// What is known of a variable.
#[derive(Clone)]
pub(crate) struct VarInfo {
    pub name: Rc<str>,
    /// Its function; empty at file scope.
    pub function: Rc<str>,
    pub ty: Type,
    pub dims: Vec<Option<u64>>,
    /// What its type is, without dimensions.
    pub kind: Kind,
    pub host: usize,
    /// It lives as long as the program.
    pub lasting: bool,
}

impl VarInfo {
    /// Of a variable that the host does not name.
    pub fn unnamed(ty: Type, host: usize) -> Self {
        VarInfo {
            name: Rc::from("<value>"),
            function: Rc::from(""),
            ty,
            dims: Vec::new(),
            kind: Kind::Other,
            host,
            lasting: false,
        }
    }
}

/// The variables of a declaration, by the way it was reached.
pub(super) type ByWay = IndexMap<Vec<u32>, VarId, QuickHash>;

/// All variables, and what is known of them but for their values.
#[derive(Default)]
pub(crate) struct Variables {
    list: Vec<VarInfo>,
    /// Those that live as long as the program.
    pub lasting: Vec<VarId>,
    /// The same declaration reached in the same way is one variable: values from another pass
    /// over a loop are values of it.
    pub by_way: IndexMap<(usize, Span), ByWay, QuickHash>,
    /// Variables at file scope, by their host, or none for those that all hosts share, and name.
    pub globals: BTreeMap<Option<usize>, ByName<String, VarId>>,
    pub statics: BTreeMap<(Span, Option<Span>), VarId>,
    pub class_objects: BTreeMap<String, VarId>,
    pub enumerators: Vec<BTreeMap<String, Val>>,
    /// Variables of one name in several namespaces, which are not distinguished.
    pub ambiguous: RootSet,
    /// Where variables at file scope are defined.
    pub defined_at: BTreeMap<VarId, Span>,
    /// Variables that are `volatile`.
    pub volatile: RootSet,
    /// What objects in memory of `new` are, and the host whose types these are.
    pub heap_types: BTreeMap<ObjectId, (Type, usize)>,
    /// All variables at file scope have got their first values once.
    pub has_globals: bool,
}

impl Variables {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Adds a variable.
    pub fn add(&mut self, info: VarInfo) -> VarId {
        let var = VarId(self.list.len() as u32);
        if info.lasting {
            self.lasting.push(var);
        }
        self.list.push(info);
        var
    }

    /// What is known of a variable.
    pub fn info(&self, var: VarId) -> &VarInfo {
        &self.list[var.0 as usize]
    }

    pub fn info_mut(&mut self, var: VarId) -> &mut VarInfo {
        &mut self.list[var.0 as usize]
    }

    /// The variable at file scope that a name stands for in a host.
    pub fn global(&self, host: usize, name: &str) -> Option<VarId> {
        let own = self.globals.get(&Some(host)).and_then(|g| g.get(name));
        let shared = || self.globals.get(&None).and_then(|g| g.get(name));
        own.or_else(shared).copied()
    }
}
