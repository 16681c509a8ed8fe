//! Pointers: what they point to, also where that is one of several locations or some element of an
//! array, and what is written through pointers to another type.

use std::collections::BTreeSet;

use super::lvalue::Target;
use super::{Code, Interp};
use crate::content::Content;
use crate::location::{MemoryLocation, Root, Step};
use crate::number::Num;
use crate::object::ObjectKind;
use crate::syntax::ast::{BIT_FIELD, ExprId, Type};
use crate::types::Kind;
use crate::value::{Val, one_root};

/// Why what a pointer may point to is not known.
pub(super) const REASON: &str = "a store through a pointer that is not followed";

impl<'a> Interp<'a> {
    /// What a pointer, moved by `to`, points to.
    pub(super) fn pointed_to(
        &self,
        code: &Code<'a>,
        id: ExprId,
        pointer: &Val,
        to: impl Fn(MemoryLocation) -> Option<MemoryLocation>,
    ) -> Target {
        if let Val::Pointer(location) = pointer
            && let Some(location) = to(location.clone())
        {
            return Target::Location(location);
        }
        // NULL and what is not set are not looked through.
        let real = pointer.alternatives().iter();
        let real: Vec<Val> = real
            .filter(|v| !matches!(v, Val::Null | Val::Zero | Val::Unset))
            .cloned()
            .collect();
        let location = |value: &Val| match value {
            Val::Pointer(location) => to(location.clone()),
            _ => None,
        };
        if !real.is_empty()
            && let Some(locations) = real.iter().map(location).collect()
        {
            return Target::OneOf(locations);
        }
        match one_root(&real) {
            Some(root) => Target::Into(root),
            None => Target::Lost(self.lost_reason(code, id, pointer)),
        }
    }

    /// Whether a location is a bit-field.
    pub(super) fn is_bits(&self, location: &MemoryLocation) -> bool {
        let ty = self.type_of(location);
        ty.is_some_and(|(ty, ..)| ty.base == BIT_FIELD)
    }

    /// A pointer is kept somewhere, and may be lost there.
    pub(super) fn note_pointed(&mut self, value: &Val) {
        for value in value.alternatives() {
            if let Val::Pointer(MemoryLocation { root, .. }) | Val::Into(root) = value {
                self.exposed.pointed.insert(*root);
            }
        }
    }

    /// Stores a value in one of several locations.
    pub(super) fn store_one_of(&mut self, locations: &[MemoryLocation], value: Val) {
        for location in locations {
            let before = self.state.get(location);
            match (&value, self.fits(location)) {
                (Val::Record(_), _) | (_, false) => {
                    self.escape_value(&value);
                    self.havoc_root(location.root, "it may be written through a pointer");
                }
                _ => {
                    self.assign(location, value.clone());
                    let joined = before.join(&self.state.get(location));
                    self.put(location, joined);
                }
            }
        }
    }

    /// The address of what a value points to may be kept by code that is not followed.
    pub(super) fn escape_value(&mut self, value: &Val) {
        self.give_function(value);
        let escaped = std::mem::take(&mut self.exposed.escaped);
        self.exposed.escaped = self.reached(value, escaped);
    }

    /// The variables and objects that a value leads to.
    pub(super) fn reachable(&self, value: &Val) -> BTreeSet<Root> {
        self.reached(value, BTreeSet::new())
    }

    /// What a value leads to, and what was found before.
    fn reached(&self, value: &Val, mut found: BTreeSet<Root>) -> BTreeSet<Root> {
        let mut work: Vec<Root> = Vec::new();
        leads_to(value, &mut |root| work.push(root));
        work.retain(|root| found.insert(*root));
        self.follow_roots(work, found)
    }

    /// Adds to variables and objects that were found what those of them lead to that are not looked
    /// at yet.
    pub(super) fn follow_roots(
        &self,
        mut work: Vec<Root>,
        mut found: BTreeSet<Root>,
    ) -> BTreeSet<Root> {
        while let Some(root) = work.pop() {
            for value in self.state.values(root) {
                leads_to(value, &mut |root| {
                    if found.insert(root) {
                        work.push(root);
                    }
                });
            }
        }
        found
    }

    /// Stores a value, of a type if that is known, where a pointer that is not followed points to:
    /// wherever a pointer ever pointed to.
    pub(super) fn store_anywhere(&mut self, value: Val, ty: Option<Num>) {
        self.escape_value(&value);
        self.havoc_escaped(REASON);
        let roots = self.exposed.pointed.iter();
        let roots: Vec<Root> = roots.filter(|root| self.may_hit(*root, ty)).collect();
        self.memo.note_stored(ty, self.walk.at, &roots);
        for root in roots {
            self.havoc_root(root, REASON);
        }
    }

    /// Whether a store of this type may change a variable or object of which something is known.
    /// (It is no look at it that a call depends on: what is stored so is noted by itself.)
    pub(super) fn may_hit(&self, root: Root, stored: Option<Num>) -> bool {
        let content = self.state.content_unwatched(root);
        content.is_some_and(|content| self.may_hold(root, content, stored))
    }

    /// Whether a store of this type may change a variable or object that holds this: C's rules on
    /// effective types.
    pub(super) fn may_hold(&self, root: Root, content: &Content, stored: Option<Num>) -> bool {
        if content.values().all(Val::is_unknown) {
            return false;
        }
        let Some(stored) = stored.filter(|num| !is_byte(*num)) else {
            return true;
        };
        match root {
            Root::Var(var) => match &self.variables.info(var).kind {
                Kind::Num(num) => same_layout(*num, stored),
                Kind::Pointer | Kind::String | Kind::FileStream | Kind::StringStream => false,
                _ => true,
            },
            Root::Object(_) => content.values().any(|value| match (value, stored) {
                (Val::Float(_), num) => num == Num::Float,
                (Val::Double(_), num) => num == Num::Double,
                (Val::Int(_, ty), num) => same_layout(Num::Int(*ty), num),
                (Val::Sym(sym), num) => sym.ty.is_none_or(|ty| same_layout(ty, num)),
                (Val::OneOf(_) | Val::Zero, _) => true,
                _ => false,
            }),
        }
    }

    /// Whether a location is what its variable's type says: not a pointer's step over the end of a
    /// struct, a number or a row of an array, and not an array where a value is.
    pub(super) fn fits(&self, location: &MemoryLocation) -> bool {
        let Root::Var(var) = location.root else {
            return true;
        };
        if location.path.is_empty() {
            return true;
        }
        let info = self.variables.info(var);
        if location.only_indices() && info.ty.dims.len() > 1 {
            let inside = |(at, dim): (&Step, &Option<u64>)| match (at, dim) {
                (Step::Index(at), Some(dim)) => u64::try_from(*at).is_ok_and(|at| at < *dim),
                _ => true,
            };
            return location.path.iter().zip(&info.dims).skip(1).all(inside);
        }
        match location.path.last() {
            Some(Step::Index(_)) => self.parent_type(location).unwrap_or(true),
            _ => true,
        }
    }

    /// Whether a number or pointer is stored where a whole array is.
    pub(super) fn is_row(&self, location: &MemoryLocation, value: &Val) -> bool {
        let whole = matches!(
            value,
            Val::Record(_) | Val::Text(_) | Val::Unknown(_) | Val::Zero | Val::Unset
        );
        !whole && !location.path.is_empty() && self.is_array(location)
    }

    /// Whether the location around an element is known to be an array or pointer, or known to be none.
    fn parent_type(&self, location: &MemoryLocation) -> Option<bool> {
        let parent = location.parent()?;
        let (ty, dims, host) = self.type_of(&parent)?;
        if dims > 0 || ty.pointers > 0 {
            return Some(true);
        }
        match self.program.kind(host, &ty) {
            Kind::Num(_) | Kind::Record(_) => Some(false),
            _ => None,
        }
    }

    /// A pointer as one to another type: what it points to is not followed as what it is then.
    pub(super) fn retyped(&self, value: Val, ty: &Type, host: usize) -> Val {
        if ty.pointers != 1
            || ty.base == "void"
            || !matches!(value, Val::Pointer(_) | Val::OneOf(_))
        {
            return value;
        }
        let pointee = Type {
            base: ty.base.clone(),
            ..Type::default()
        };
        let to = self.program.kind(host, &pointee);
        let one = |value: &Val| match value {
            Val::Pointer(location) if self.is_other(location, &to) => Val::Into(location.root),
            other => other.clone(),
        };
        let all = value.alternatives().iter().map(one);
        all.reduce(|a, b| a.join(&b)).unwrap_or(value)
    }

    /// New memory has the type of the first pointer to it that has one.
    pub(super) fn give_type(&mut self, value: &Val, ty: &Type, host: usize) {
        let Val::Pointer(location) = value else {
            return;
        };
        let (Root::Object(object), [Step::Index(0)]) = (location.root, &location.path[..]) else {
            return;
        };
        if ty.pointers != 1 || ty.function || self.variables.heap_types.contains_key(&object) {
            return;
        }
        let pointee = Type {
            base: ty.base.clone(),
            ..Type::default()
        };
        let known = match self.program.kind(host, &pointee) {
            Kind::Num(num) => !is_byte(num),
            Kind::Record(_) => true,
            _ => false,
        };
        let is_heap = matches!(self.objects.get(object).kind, ObjectKind::Heap);
        if known && is_heap {
            self.memo.invalidate();
            self.variables.heap_types.insert(object, (pointee, host));
        }
    }

    /// Whether a location is known to be of another kind.
    fn is_other(&self, location: &MemoryLocation, to: &Kind) -> bool {
        match (self.sort_of(location), to) {
            ((true, _), Kind::Num(_)) => true,
            ((_, Some(Kind::Num(from))), Kind::Num(to)) => !same_layout(from, *to),
            ((_, Some(Kind::Num(_))), Kind::Record(_) | Kind::Pointer) => true,
            ((_, Some(Kind::Record(_))), Kind::Num(_) | Kind::Pointer) => true,
            ((_, Some(Kind::Pointer)), Kind::Num(_) | Kind::Record(_)) => true,
            _ => false,
        }
    }
}

fn is_byte(num: Num) -> bool {
    matches!(num, Num::Int(ty) if ty.bits == 8)
}

/// Whether values of two types are the same bytes, signs aside.
fn same_layout(a: Num, b: Num) -> bool {
    match (a, b) {
        (Num::Int(a), Num::Int(b)) => a.bits == b.bits,
        (a, b) => a == b,
    }
}

/// The variables and objects that a value points to itself.
fn leads_to(value: &Val, found: &mut dyn FnMut(Root)) {
    for value in value.alternatives() {
        match value {
            Val::Pointer(location) | Val::Record(location) => found(location.root),
            Val::Closure(closure) => {
                let locations = closure.captures.iter().map(|(_, location)| location);
                locations.chain(&closure.this).for_each(|p| found(p.root));
            }
            Val::Into(root) => found(*root),
            Val::Tuple(all) => all.iter().for_each(|value| leads_to(value, found)),
            _ => {}
        }
    }
}
