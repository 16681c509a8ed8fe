//! Methods of the standard library's containers.

use super::code::Arg;
use super::containers::MOST_ELEMENTS;
use super::lvalue::Target;
use super::{Code, Interp};
use crate::number::Num;
use crate::place::{Place, SIZE};
use crate::syntax::ast::{ExprId, ExprKind};
use crate::types::{Container, Kind};
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
    fn method_base(&mut self, code: &Code<'a>, id: ExprId, names: &[&str]) -> Option<Place> {
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
            Target::Place(place) if self.is_container(&place) => Some(place),
            _ => None,
        }
    }

    /// A method of a container that gives one of its elements.
    pub(super) fn element_method(
        &mut self,
        place: &Place,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Target> {
        let map = self.is_map(place);
        match (name, args) {
            ("at", [(code, index)]) => {
                let index = self.eval(code, *index);
                Some(match map {
                    true => self.entry(place, &index, false),
                    false => self.container_element(place, &index),
                })
            }
            ("front", []) if !map => Some(self.container_element(place, &Val::int(0))),
            ("back", []) if !map => {
                let last = match self.element_count(place) {
                    Some(count @ 1..) => Val::int(i128::from(count - 1)),
                    _ => Val::unknown("the last element"),
                };
                Some(self.container_element(place, &last))
            }
            _ => None,
        }
    }

    /// A method of a container; nothing if it is not known.
    pub(super) fn container_method(
        &mut self,
        code: &Code<'a>,
        place: &Place,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Val> {
        let container = self.container(place)?;
        if let Some(target) = self.element_method(place, name, args) {
            return Some(self.load(&target));
        }
        match (name, args) {
            ("size" | "length", []) => return Some(self.size_of_container(place)),
            ("empty", []) => {
                let count = self.element_count(place);
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
                self.empty_container(place);
                return Some(Val::Unset);
            }
            ("begin" | "cbegin" | "data", []) if !matches!(*container, Container::Map { .. }) => {
                let whole = self.state.get(place);
                if self.is_blurred(place) && !matches!(whole, Val::Text(_) | Val::Unknown(_)) {
                    // A single element is not known.
                    self.havoc_elements(place, "an element at an index that is not known");
                }
                return Some(Val::Pointer(place.index(0)));
            }
            ("end" | "cend", []) if !matches!(*container, Container::Map { .. }) => {
                return Some(match self.element_count(place) {
                    Some(count) => Val::Pointer(place.index(count)),
                    None => self.escaped_part(place, "the end of a container"),
                });
            }
            ("begin" | "end" | "cbegin" | "cend" | "rbegin" | "rend" | "crbegin" | "crend", []) => {
                return Some(self.escaped_part(place, "a place in a container"));
            }
            _ => {}
        }
        match &*container {
            Container::Map { .. } => self.map_method(code, place, name, args),
            Container::Sequence { fixed: None, .. } => {
                self.sequence_method(code, place, name, args)
            }
            Container::Sequence { .. } if name == "fill" && args.len() == 1 => {
                let value = self.eval(&args[0].0, args[0].1);
                let count = self.size_of_container(place);
                self.fill(place, &count, Some(value));
                Some(Val::Unset)
            }
            _ => None,
        }
    }

    fn escaped_part(&mut self, place: &Place, reason: &str) -> Val {
        self.escape_value(&Val::Pointer(place.clone()));
        Val::unknown(reason)
    }

    fn map_method(
        &mut self,
        code: &Code<'a>,
        place: &Place,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Val> {
        match (name, args) {
            ("find" | "count" | "contains", [(key_code, key)]) => {
                let key = self.eval(key_code, *key);
                let target = self.entry(place, &key, false);
                let found = match target {
                    Target::Place(value) => value.parent(),
                    _ => None,
                };
                Some(match (name, found) {
                    ("find", Some(entry)) => Val::Pointer(entry),
                    (_, Some(_)) => Val::int(1),
                    _ => self.escaped_part(place, "a key that may not be in the map"),
                })
            }
            ("insert", [(item_code, item)]) => {
                let tree = item_code.clone();
                let list = match &tree.ast().expr(*item).kind {
                    ExprKind::InitList(items) => Some(items),
                    _ => None,
                };
                self.insert_entry(item_code, place, *item, list);
                Some(self.escaped_part(place, "where an entry was put in"))
            }
            ("emplace" | "insert_or_assign", [(key_code, key), (value_code, value)]) => {
                let key = self.eval(key_code, *key);
                let value = self.eval(value_code, *value);
                let target = self.entry(place, &key, true);
                self.store(&target, value);
                Some(self.escaped_part(place, "where an entry was put in"))
            }
            _ => {
                let _ = code;
                None
            }
        }
    }

    fn sequence_method(
        &mut self,
        code: &Code<'a>,
        place: &Place,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Val> {
        match (name, args) {
            ("push_back" | "emplace_back", _) => {
                self.push(code, place, args);
                Some(Val::Unset)
            }
            ("pop_back", []) => {
                if let Some(count @ 1..) = self.element_count(place) {
                    let last = place.index(count - 1);
                    self.put(&last, Val::Unset);
                }
                self.add_to_size(place, -1);
                Some(Val::Unset)
            }
            ("resize", [(n_code, n), ..]) => {
                let count = self.eval(n_code, *n);
                let value = args.get(1).map(|(code, value)| self.eval(code, *value));
                self.resize(place, &count, value);
                Some(Val::Unset)
            }
            ("assign", [(n_code, n), (value_code, value)]) => {
                let count = self.eval(n_code, *n);
                let value = self.eval(value_code, *value);
                match count {
                    Val::Int(..) | Val::Sym(_) => self.fill(place, &count, Some(value)),
                    _ => self.set_unknown(place, "it is copied from elsewhere"),
                }
                Some(Val::Unset)
            }
            _ => None,
        }
    }

    fn resize(&mut self, place: &Place, count: &Val, value: Option<Val>) {
        let before = self.element_count(place);
        if before == Some(0) {
            return self.fill(place, count, value);
        }
        let known = count.as_int().and_then(|n| i64::try_from(n).ok());
        match (before, known) {
            (Some(before), Some(after)) if after <= before + MOST_ELEMENTS => {
                for index in after..before.min(after + MOST_ELEMENTS) {
                    self.put(&place.index(index), Val::Unset);
                }
                for index in before..after {
                    let value = value.clone().unwrap_or(Val::Zero);
                    self.assign(&place.index(index), value);
                }
            }
            _ => {
                self.blur(place);
                self.store_part(place, &[], value.unwrap_or(Val::Unset));
            }
        }
        let count = count.convert(Num::Int(crate::number::IntType::SIZE));
        self.put(&place.field(SIZE), count);
    }

    /// Puts an element after the others.
    fn push(&mut self, code: &Code<'a>, place: &Place, args: &[Arg<'a>]) {
        let count = self.element_count(place);
        if let Some(count) = count.filter(|n| *n < MOST_ELEMENTS) {
            let at = place.index(count);
            self.state.set(&at, Val::Unset);
            self.fill_element(&at, args);
            return self.add_to_size(place, 1);
        }
        let Some((ty, host)) = self.whole_type(&place.index(0)) else {
            self.values(args);
            return self.set_unknown(place, "it grows in a way that is not followed");
        };
        let _ = code;
        let element = Place::var(self.hidden(ty, host));
        self.state.set(&element, Val::Unset);
        self.fill_element(&element, args);
        let value = self.read(&element);
        self.blur(place);
        self.store_part(place, &[], value);
        self.havoc_size(place, "it grows at times that are not known");
    }

    /// Gives an element the value that it is made of.
    fn fill_element(&mut self, at: &Place, args: &[Arg<'a>]) {
        match args {
            [(code, only)] => self.initialise(code, at, *only),
            _ => self.construct_with(at, args),
        }
    }

    /// A call as a place: an element of a container.
    pub(super) fn call_target(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        callee: ExprId,
        args: &[ExprId],
    ) -> Target {
        let tree = code.clone();
        let callee = tree.ast().skip_parens(callee);
        match &tree.ast().expr(callee).kind {
            ExprKind::Member { base, name, arrow }
                if matches!(name.as_str(), "at" | "front" | "back") =>
            {
                let base = match arrow {
                    false => self.plain_target(code, *base),
                    true => match self.eval(code, *base) {
                        Val::Pointer(place) => Target::Place(place),
                        _ => Target::Lost(String::new()),
                    },
                };
                if let Target::Place(place) = base
                    && self.is_container(&place)
                {
                    let args: Vec<Arg<'a>> = args.iter().map(|a| (code.clone(), *a)).collect();
                    if let Some(target) = self.element_method(&place, name, &args) {
                        return target;
                    }
                }
            }
            // The handle in a wrapper: `buffer()`.
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Member { .. }
                if args.is_empty() =>
            {
                if let Target::Place(place) = self.plain_target(code, callee)
                    && matches!(self.kind_of(&place), Some(Kind::Wrapper(_)))
                {
                    return Target::Place(place);
                }
            }
            _ => {}
        }
        match self.eval(code, id) {
            Val::Record(place) => Target::Place(place),
            value => self.temporary_target(value),
        }
    }
}
