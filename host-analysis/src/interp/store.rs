//! Storing into locations, and havocking what they hold.

use std::rc::Rc;

use super::lvalue::Target;
use super::{Interp, VarInfo};
use crate::location::{MemoryLocation, Root, SIZE, Step};
use crate::number::Num;
use crate::object::ObjectKind;
use crate::symbol::origin;
use crate::types::Kind;
use crate::value::Val;

impl<'a> Interp<'a> {
    /// Stores a value.
    pub(super) fn store(&mut self, target: &Target, value: Val) {
        match target {
            Target::Location(location) if !self.fits(location) || self.is_row(location, &value) => {
                self.escape_value(&value);
                self.havoc_root(location.root, "it is written as something else than it is");
            }
            Target::Location(location) => self.assign(location, value),
            Target::OneOf(locations) => self.store_one_of(locations, value),
            Target::Into(root) => {
                self.escape_value(&value);
                self.havoc_root(*root, "it is written through a pointer that moves");
            }
            Target::Element(location) if self.is_container(location) => {
                self.store_part(location, &[], value);
            }
            Target::Element(location) => {
                if value.as_int() == Some(0) && self.keeps_text(location, None) {
                    return;
                }
                let now = self.any_element(location);
                let kind = self.kind_of(&location.index(0));
                let value = match kind {
                    Some(Kind::Num(num)) => value.convert(num),
                    _ => value,
                };
                self.escape_value(&value);
                // All elements may be this one: what is the same in all stays.
                let numbers = matches!(kind, Some(Kind::Num(_)) | None);
                let joined = match now == value || now.is_unknown() || !numbers {
                    true => now.join(&value),
                    false => Val::unknown("an element at an index that is not known is assigned"),
                };
                let joined = match now.is_unknown() && !numbers {
                    // Elements that were not set yet.
                    true if matches!(self.state.own(location), Some(Val::Zero | Val::Unset)) => {
                        value
                    }
                    _ => joined,
                };
                self.note_flow_insensitive(location, &joined);
                self.state.set(location, joined);
            }
            Target::Part(location, path) => self.store_part(location, path, value),
            Target::Lost(_) => self.store_anywhere(value, None),
        }
    }

    /// Stores a value in a location, converted to its type.
    pub(super) fn assign(&mut self, location: &MemoryLocation, value: Val) {
        let kind = self.kind_of(location);
        if let Val::Record(from) = &value {
            if matches!(kind, Some(Kind::Num(_) | Kind::Pointer)) {
                let value = self.converted_somewhere(from);
                return self.put(location, value);
            }
            if self.becomes_another(from, kind.as_ref()) {
                self.converted_somewhere(from);
                return self.set_unknown(location, "an object of another class becomes it");
            }
            if let Some(Kind::String) = kind {
                self.escape_value(&value);
                return self
                    .set_unknown(location, "an object that becomes a string is not followed");
            }
            if self.copies_otherwise(location) {
                self.escape_value(&value);
                return self.set_unknown(location, "its class copies in its own way");
            }
            return self.copy_record(location, &from.clone());
        }
        if let (Some(Step::Index(index)), Some(array), Some(0)) =
            (location.path.last(), location.parent(), value.as_int())
            && matches!(self.state.own(&array), Some(Val::Text(_)))
            && self.keeps_text(&array, Some(*index))
        {
            return;
        }
        let value = match kind {
            Some(Kind::Num(num)) => self.named(location, value, num),
            Some(Kind::Record(class)) if self.converts(&class, &value) => {
                self.escape_value(&value);
                return self
                    .set_unknown(location, "a value that becomes an object is not followed");
            }
            Some(Kind::Container(_)) => {
                let reason = match value {
                    Val::Unknown(reason) => reason,
                    _ => Rc::from("a container that is not followed"),
                };
                return self.set_unknown(location, &reason);
            }
            Some(Kind::String) => match self.one_of_texts(&value) {
                Some(text) => text,
                None => match value {
                    Val::Unknown(_) => value,
                    _ => Val::unknown("a string that is not followed"),
                },
            },
            Some(Kind::Pointer) => match value {
                Val::Int(0, _) => Val::Null,
                Val::Pointer(_) | Val::OneOf(_) => match self.type_of(location) {
                    Some((ty, _, host)) => {
                        let ty = ty.into_owned();
                        self.give_type(&value, &ty, host);
                        self.retyped(value, &ty, host)
                    }
                    None => value,
                },
                other => other,
            },
            Some(Kind::Other) if self.is_bits(location) => Val::unknown("a bit-field"),
            _ => value,
        };
        self.hold(location, &value);
        self.put(location, value);
    }

    /// Whether a terminator that is stored in an array of characters changes nothing: after the
    /// end of a text, after what was read from a file, or in memory without content.
    fn keeps_text(&self, array: &MemoryLocation, index: Option<i64>) -> bool {
        match self.state.own(array) {
            Some(Val::Zero | Val::Unset) => index.is_none(),
            Some(Val::Text(text)) => match (text.chars(), index) {
                (Some(chars), Some(index)) => {
                    usize::try_from(index).is_ok_and(|i| i >= chars.len())
                }
                (Some(_), None) => false,
                (None, index) => index != Some(0),
            },
            _ => false,
        }
    }

    /// Sets a location whose value has its type already.
    pub(super) fn put(&mut self, location: &MemoryLocation, value: Val) {
        let value = self.settled(location, value);
        self.invalidate_unions(location);
        self.note_flow_insensitive(location, &value);
        self.note_pointed(&value);
        let weak = match location.root {
            Root::Object(id) => self.objects.get(id).summary,
            Root::Var(_) => false,
        };
        match weak {
            true => {
                let now = self.state.get(location);
                let fresh = now.is_unknown() && self.state.own(location).is_none()
                    || matches!((&now, &value), (Val::Zero, Val::Text(_)));
                let now = if fresh { Val::Unset } else { now };
                let joined = now.join(&value);
                self.state.set(location, joined);
            }
            false => self.state.set(location, value),
        }
    }

    /// Stores a text in an array of characters or a string.
    pub(super) fn assign_text(&mut self, location: &MemoryLocation, text: Val) {
        self.put(location, text);
    }

    /// A number as it is stored in a variable: a value that has no name yet gets the variable's.
    fn named(&mut self, location: &MemoryLocation, value: Val, num: Num) -> Val {
        match value {
            // One of several, on one of the paths.
            Val::OneOf(mut all) => {
                let unnamed = |v: &Val| matches!(v, Val::Sym(sym) if sym.unnamed);
                if all.iter().filter(|v| unnamed(v)).count() == 1
                    && let Some(at) = all.iter().position(unnamed)
                {
                    all[at] = self.named(location, all[at].clone(), num);
                }
                Val::OneOf(all).convert(num)
            }
            Val::Sym(sym) if sym.unnamed => {
                let sym = sym.named(&self.short_name(location), num);
                Val::Sym(Rc::new(sym))
            }
            Val::Text(_) | Val::Pointer(_) | Val::Handle(_) | Val::File(_) | Val::Function(_) => {
                Val::unknown("a pointer as a number")
            }
            other => other.convert(num),
        }
    }

    /// A location whose value comes from outside.
    pub(super) fn set_unknown(&mut self, location: &MemoryLocation, reason: &str) {
        let value = match self.kind_of(location) {
            Some(Kind::Num(num)) => {
                let name = self.short_name(location);
                self.atom(name, Some(num), reason)
            }
            Some(Kind::Container(_)) => {
                let size = location.field(SIZE);
                let value = Val::Unknown(self.located(reason));
                self.note_flow_insensitive(&size, &value);
                self.state.set(&size, value.clone());
                value
            }
            _ => Val::Unknown(self.located(reason)),
        };
        self.note_flow_insensitive(location, &value);
        self.invalidate_unions(location);
        self.state.set(location, value);
    }

    /// A reason with the line of the statement that is being followed.
    fn located(&mut self, reason: &str) -> Rc<str> {
        let Some(at) = self.walk.at else {
            return Rc::from(reason);
        };
        // One statement makes many values unknown for one reason.
        if let Some((known_at, known, text)) = &self.walk.located
            && *known_at == at
            && known == reason
        {
            return text.clone();
        }
        let text: Rc<str> = Rc::from(origin(reason, Some(at), self.program.sources));
        self.walk.located = Some((at, reason.to_string(), text.clone()));
        text
    }

    pub(super) fn copy_record(&mut self, to: &MemoryLocation, from: &MemoryLocation) {
        if to == from {
            return;
        }
        let whole = self.state.own(from).cloned();
        let parts = self.state.parts(from);
        let whole = whole.unwrap_or_else(|| self.state.get(from));
        self.note_flow_insensitive(to, &whole);
        self.state.set(to, whole);
        for (part, value) in parts {
            let mut target = to.clone();
            target
                .path
                .extend(part.path[from.path.len()..].iter().cloned());
            self.hold(&target, &value);
            self.put(&target, value);
        }
        if self.is_container(to) {
            let size = self.state.get(&from.field(SIZE));
            self.put(&to.field(SIZE), size);
        }
    }

    /// A struct as a value that outlives its variable.
    pub(super) fn copy_out(&mut self, from: MemoryLocation) -> Val {
        let Some((ty, _, host)) = self.type_of(&from) else {
            return Val::unknown("a struct that is not followed");
        };
        let var = self.new_var(VarInfo::unnamed(ty.into_owned(), host));
        self.copy_record(&MemoryLocation::var(var), &from);
        Val::Record(MemoryLocation::var(var))
    }

    /// Whether a variable or object outlives its function.
    pub(super) fn lasts(&self, root: Root) -> bool {
        match root {
            Root::Var(var) => self.variables.info(var).lasting,
            Root::Object(_) => true,
        }
    }

    /// Notes a value that was assigned to a location that outlives its function.
    pub(super) fn note_flow_insensitive(&mut self, location: &MemoryLocation, value: &Val) {
        if !(self.lasts(location.root) || self.exposed.threaded.contains(&location.root))
            || self.walk.frames.is_empty()
            || matches!(value, Val::Unset | Val::Zero)
        {
            return;
        }
        let is_any = self
            .rounds
            .flow_insensitive
            .get(location)
            .is_some_and(Val::is_unknown);
        if is_any && !self.program.has_tries {
            return;
        }
        let value = value.at_other_times();
        if self.program.has_tries {
            self.note_tried(location, &value);
        }
        if !is_any {
            self.grow_flow_insensitive(location, value);
        }
    }

    /// Adds to what a location may hold, flow-insensitively.
    pub(super) fn grow_flow_insensitive(&mut self, location: &MemoryLocation, value: Val) {
        if !self.rounds.flow_insensitive.grow(location, value) {
            return;
        }
        self.rounds.stale_main |= self.rounds.seen_by_main.has(location.root);
        self.rounds.stale_others |= self.rounds.looked_at.has(location.root);
    }

    /// A variable that holds memory's handle gives it its name.
    fn hold(&mut self, location: &MemoryLocation, value: &Val) {
        if let Val::Handle(id) = value
            && self.objects.lacks_holder(*id)
        {
            let name = self.spell(location);
            self.objects.hold(*id, name);
        }
    }

    /// Everything whose address is known elsewhere may change.
    pub(super) fn havoc_escaped(&mut self, reason: &str) {
        self.memo.note_havoc(reason);
        // What they lead to by now.
        let escaped = std::mem::take(&mut self.exposed.escaped);
        self.exposed.escaped = self.follow_roots(escaped.iter().copied().collect(), escaped);
        let roots: Vec<Root> = self.exposed.escaped.iter().copied().collect();
        self.give_kept_functions(&roots);
        for root in roots {
            self.havoc_root(root, reason);
        }
    }

    pub(super) fn havoc_root(&mut self, root: Root, reason: &str) {
        let location = MemoryLocation::of(root);
        if let Root::Var(var) = root
            && self.variables.info(var).ty.is_const
        {
            return;
        }
        if let Root::Object(id) = root
            && !matches!(self.objects.get(id).kind, ObjectKind::Heap)
        {
            return;
        }
        self.set_unknown(&location, reason);
    }
}
