//! Methods of the standard library's containers.

use super::code::Arg;
use super::containers::MOST_ELEMENTS;
use super::lvalue::Target;
use super::{Code, Interp};
use crate::location::{MemoryLocation, SIZE};
use crate::number::Num;
use crate::syntax::ast::{ExprId, ExprKind};
use crate::types::Container;
use crate::value::Val;

impl<'a> Interp<'a> {
    /// The number of elements between the first two of these arguments, if they are
    /// `v.begin(), v.end()` of a container, or pointers into one array.
    pub(super) fn bounds(&mut self, args: &[Arg<'a>]) -> Option<Val> {
        let [(first_code, first), (last_code, last), ..] = args else {
            return None;
        };
        if let (Some(from), Some(to)) = (
            self.method_base(first_code, *first, &["begin", "cbegin"]),
            self.method_base(last_code, *last, &["end", "cend"]),
        ) {
            return (from == to).then(|| self.size_of_container(&from));
        }
        None
    }

    /// The container whose method of one of these names a call calls.
    fn method_base(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        names: &[&str],
    ) -> Option<MemoryLocation> {
        let tree = code.clone();
        let (callee, argument) = match &tree.ast().expr(id).kind {
            ExprKind::Call { callee, args } => (*callee, args.first().copied()),
            _ => return None,
        };
        let (base, name) = match (&tree.ast().expr(callee).kind, argument) {
            (
                ExprKind::Member {
                    base,
                    name,
                    arrow: false,
                },
                None,
            ) => (*base, name.as_str()),
            (ExprKind::Name(name), Some(base)) => (base, crate::types::last_name(name)),
            _ => return None,
        };
        if !names.contains(&name) {
            return None;
        }
        match self.plain_target(code, base) {
            Target::Location(location) if self.is_container(&location) => Some(location),
            _ => None,
        }
    }

    /// A method of a container that gives one of its elements.
    pub(super) fn element_method(
        &mut self,
        location: &MemoryLocation,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Target> {
        let map = self.is_map(location);
        match (name, args) {
            ("at", [(code, index)]) => {
                let index = self.eval(code, *index);
                Some(match map {
                    true => self.entry(location, &index, false),
                    false => self.container_element(location, &index),
                })
            }
            ("front", []) if !map => Some(self.container_element(location, &Val::int(0))),
            ("back", []) if !map => {
                let last = match self.element_count(location) {
                    Some(count @ 1..) => Val::int(i128::from(count - 1)),
                    _ => Val::unknown("the last element"),
                };
                Some(self.container_element(location, &last))
            }
            _ => None,
        }
    }

    /// A method of a container; nothing if it is not known.
    pub(super) fn container_method(
        &mut self,
        code: &Code<'a>,
        location: &MemoryLocation,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Val> {
        let container = self.container(location)?;
        if let Some(target) = self.element_method(location, name, args) {
            return Some(self.load(&target));
        }
        match (name, args) {
            ("size" | "length", []) => return Some(self.size_of_container(location)),
            ("empty", []) => {
                let count = self.element_count(location);
                return Some(match count {
                    Some(count) => Val::bool(count == 0),
                    None => Val::unknown("whether a container is empty"),
                });
            }
            ("reserve" | "shrink_to_fit" | "capacity" | "max_size", _) => {
                self.values(args);
                return Some(Val::unknown("the room of a container"));
            }
            ("clear", []) => {
                self.empty_container(location);
                return Some(Val::Unset);
            }
            ("begin" | "cbegin" | "data", []) if !matches!(*container, Container::Map { .. }) => {
                let whole = self.state.get(location);
                if self.is_blurred(location) && !matches!(whole, Val::Text(_) | Val::Unknown(_)) {
                    // A single element is not known.
                    self.havoc_elements(location, "an element at an index that is not known");
                }
                return Some(Val::Pointer(location.index(0)));
            }
            ("end" | "cend", []) if !matches!(*container, Container::Map { .. }) => {
                return Some(match self.element_count(location) {
                    Some(count) => Val::Pointer(location.index(count)),
                    None => self.escaped_part(location, "the end of a container"),
                });
            }
            ("begin" | "end" | "cbegin" | "cend" | "rbegin" | "rend" | "crbegin" | "crend", []) => {
                return Some(self.escaped_part(location, "a location in a container"));
            }
            _ => {}
        }
        match &*container {
            Container::Map { .. } => self.map_method(location, name, args),
            Container::Sequence { fixed: None, .. } => {
                self.sequence_method(code, location, name, args)
            }
            Container::Sequence { .. } if name == "fill" && args.len() == 1 => {
                let value = self.eval(&args[0].0, args[0].1);
                let count = self.size_of_container(location);
                self.fill(location, &count, Some(value));
                Some(Val::Unset)
            }
            _ => None,
        }
    }

    fn escaped_part(&mut self, location: &MemoryLocation, reason: &str) -> Val {
        self.escape_value(&Val::Pointer(location.clone()));
        Val::unknown(reason)
    }

    fn map_method(
        &mut self,
        location: &MemoryLocation,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Val> {
        match (name, args) {
            ("find" | "count" | "contains", [(key_code, key)]) => {
                let key = self.eval(key_code, *key);
                let target = self.entry(location, &key, false);
                let found = match target {
                    Target::Location(value) => value.parent(),
                    _ => None,
                };
                Some(match (name, found) {
                    ("find", Some(entry)) => Val::Pointer(entry),
                    (_, Some(_)) => Val::int(1),
                    _ => self.escaped_part(location, "a key that may not be in the map"),
                })
            }
            ("insert", [(item_code, item)]) => {
                let tree = item_code.clone();
                let list = match &tree.ast().expr(*item).kind {
                    ExprKind::InitList(items) => Some(items),
                    _ => None,
                };
                self.insert_entry(item_code, location, *item, list);
                Some(self.escaped_part(location, "where an entry was put in"))
            }
            ("emplace" | "insert_or_assign", [(key_code, key), (value_code, value)]) => {
                let key = self.eval(key_code, *key);
                let value = self.eval(value_code, *value);
                let target = self.entry(location, &key, true);
                self.store(&target, value);
                Some(self.escaped_part(location, "where an entry was put in"))
            }
            _ => None,
        }
    }

    fn sequence_method(
        &mut self,
        code: &Code<'a>,
        location: &MemoryLocation,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Val> {
        match (name, args) {
            ("push_back" | "emplace_back", _) => {
                self.push(code, location, args);
                Some(Val::Unset)
            }
            ("pop_back", []) => {
                if let Some(count @ 1..) = self.element_count(location) {
                    let last = location.index(count - 1);
                    self.put(&last, Val::Unset);
                }
                self.add_to_size(location, -1);
                Some(Val::Unset)
            }
            ("resize", [(n_code, n), ..]) => {
                let count = self.eval(n_code, *n);
                let value = args.get(1).map(|(code, value)| self.eval(code, *value));
                self.resize(location, &count, value);
                Some(Val::Unset)
            }
            ("assign", [(n_code, n), (value_code, value)]) => {
                let count = self.eval(n_code, *n);
                let value = self.eval(value_code, *value);
                match count {
                    Val::Int(..) | Val::Sym(_) => self.fill(location, &count, Some(value)),
                    _ => self.set_unknown(location, "it is copied from elsewhere"),
                }
                Some(Val::Unset)
            }
            _ => None,
        }
    }

    fn resize(&mut self, location: &MemoryLocation, count: &Val, value: Option<Val>) {
        let before = self.element_count(location);
        if before == Some(0) {
            return self.fill(location, count, value);
        }
        let known = count.as_int().and_then(|n| i64::try_from(n).ok());
        match (before, known) {
            (Some(before), Some(after)) if after <= before + MOST_ELEMENTS => {
                for index in after..before.min(after + MOST_ELEMENTS) {
                    self.put(&location.index(index), Val::Unset);
                }
                for index in before..after {
                    let value = value.clone().unwrap_or(Val::Zero);
                    self.assign(&location.index(index), value);
                }
            }
            _ => {
                self.blur(location);
                self.store_part(location, &[], value.unwrap_or(Val::Unset));
            }
        }
        let count = count.convert(Num::Int(crate::number::IntType::SIZE));
        self.put(&location.field(SIZE), count);
    }

    /// Puts an element after the others.
    fn push(&mut self, code: &Code<'a>, location: &MemoryLocation, args: &[Arg<'a>]) {
        let count = self.element_count(location);
        if let Some(count) = count.filter(|n| *n < MOST_ELEMENTS) {
            let at = location.index(count);
            self.state.set(&at, Val::Unset);
            self.fill_element(&at, args);
            return self.add_to_size(location, 1);
        }
        let Some((ty, host)) = self.whole_type(&location.index(0)) else {
            self.values(args);
            return self.set_unknown(location, "it grows in a way that is not followed");
        };
        let _ = code;
        let element = MemoryLocation::var(self.hidden(ty, host));
        self.state.set(&element, Val::Unset);
        self.fill_element(&element, args);
        let value = self.read(&element);
        self.blur(location);
        self.store_part(location, &[], value);
        self.havoc_size(location, "it grows at times that are not known");
    }

    /// Gives an element the value that it is made of.
    fn fill_element(&mut self, at: &MemoryLocation, args: &[Arg<'a>]) {
        match args {
            [(code, only)] => self.initialise(code, at, *only),
            _ => self.construct_with(at, args),
        }
    }
}
