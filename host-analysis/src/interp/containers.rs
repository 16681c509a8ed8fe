//! Containers of the standard library. Elements whose index or key is known are parts of the
//! container's location; what is put in at an index that is not known goes to one location that stands
//! for all elements, and then nothing is claimed of a single one.

use super::code::Arg;
use super::lvalue::Target;
use super::{Code, Interp};
use crate::location::{ANY, MemoryLocation, SIZE, Step};
use crate::number::Num;
use crate::syntax::ast::{Designator, ExprId, ExprKind};
use crate::text::Text;
use crate::types::{Container, Kind};
use crate::value::Val;

/// Most elements that are distinguished.
pub(super) const MOST_ELEMENTS: i64 = 256;

/// The step to the entry of a key.
fn key_step(chars: Option<String>, key: &Val) -> Option<Step> {
    let text = match (chars, key) {
        (Some(chars), _) => format!("[{chars}]"),
        (None, Val::Int(value, _)) => format!("[={value}]"),
        _ => return None,
    };
    Some(Step::Field(text.into()))
}

impl<'a> Interp<'a> {
    pub(super) fn container(&self, location: &MemoryLocation) -> Option<std::rc::Rc<Container>> {
        match self.kind_of(location)? {
            Kind::Container(container) => Some(container),
            _ => None,
        }
    }

    pub(super) fn is_container(&self, location: &MemoryLocation) -> bool {
        self.container(location).is_some()
    }

    pub(super) fn is_map(&self, location: &MemoryLocation) -> bool {
        matches!(
            self.container(location).as_deref(),
            Some(Container::Map { .. })
        )
    }

    /// Whether single elements are not distinguished any more.
    pub(super) fn is_blurred(&self, location: &MemoryLocation) -> bool {
        let any = location.field(ANY);
        self.state.own(&any).is_some()
            || self.state.has_parts(&any)
            || !matches!(self.state.get(location), Val::Unset | Val::Zero)
    }

    /// The number of elements, if it is known and each one is distinguished.
    pub(super) fn element_count(&self, location: &MemoryLocation) -> Option<i64> {
        if let Some(Container::Sequence {
            fixed: Some(count), ..
        }) = self.container(location).as_deref()
        {
            return i64::try_from(*count).ok();
        }
        if self.is_blurred(location) {
            return None;
        }
        match self.state.get(&location.field(SIZE)) {
            // Of static storage.
            Val::Zero => Some(0),
            size => i64::try_from(size.as_int()?).ok(),
        }
    }

    /// Whether a container's parts are elements: more than its number of elements.
    pub(super) fn has_elements(&self, location: &MemoryLocation) -> bool {
        !self.elements(location).is_empty()
    }

    /// The locations of elements that have values of their own, each once.
    pub(super) fn elements(&self, location: &MemoryLocation) -> Vec<MemoryLocation> {
        let is_size = |step: &Step| matches!(step, Step::Field(name) if **name == *SIZE);
        let steps = self.state.steps_inside(location).into_iter();
        let steps = steps.filter(|step| !is_size(step));
        steps.map(|step| location.step(step.clone())).collect()
    }

    /// The joined value of a part of all elements.
    pub(super) fn element_parts(&mut self, location: &MemoryLocation, path: &[Step]) -> Val {
        let extend = |element: &MemoryLocation| {
            let mut part = element.clone();
            part.path.extend_from_slice(path);
            part
        };
        let elements: Vec<MemoryLocation> = self.elements(location).iter().map(extend).collect();
        let sample = extend(&location.step(match self.is_map(location) {
            true => Step::Field(ANY.into()),
            false => Step::Index(0),
        }));
        if self.is_aggregate(&sample) {
            return self.joined_record(location, &sample, &elements);
        }
        let kind = self.kind_of(&sample);
        let mut result = match self.state.get(location) {
            Val::Zero => match kind {
                Some(Kind::Num(num)) => Val::int(0).convert(num),
                _ => Val::Unset,
            },
            Val::Unknown(reason) => return Val::Unknown(reason),
            _ => Val::Unset,
        };
        for element in elements {
            let value = self.read_scalar(&element, kind.as_ref());
            result = result.join(&value);
        }
        match result {
            Val::Unset => Val::unknown("an element of a container that has none here"),
            other => other,
        }
    }

    /// A copy of what any of some structs may be.
    fn joined_record(
        &mut self,
        location: &MemoryLocation,
        sample: &MemoryLocation,
        elements: &[MemoryLocation],
    ) -> Val {
        let Some((ty, host)) = self.whole_type(sample) else {
            return Val::unknown("an element of an array of structs");
        };
        let result = MemoryLocation::var(self.hidden(ty, host));
        let own = match self.state.get(location) {
            Val::Unknown(reason) => return Val::Unknown(reason),
            _ => Val::Unset,
        };
        self.state.set(&result, own);
        for element in elements {
            self.join_record(&result, element);
        }
        Val::Record(result)
    }

    /// Joins all that a struct holds into another location.
    fn join_record(&mut self, to: &MemoryLocation, from: &MemoryLocation) {
        let mut paths: Vec<Vec<Step>> = Vec::new();
        for whole in [to, from] {
            let parts = self.state.parts(whole).into_iter();
            paths.extend(parts.map(|(p, _)| p.path[whole.path.len()..].to_vec()));
        }
        paths.sort();
        paths.dedup();
        let own = self.state.get(to).join(&self.state.get(from));
        let values: Vec<(MemoryLocation, Val)> = paths
            .into_iter()
            .map(|path| {
                let part = |whole: &MemoryLocation| {
                    let mut part = whole.clone();
                    part.path.extend_from_slice(&path);
                    part
                };
                let value = self.state.get(&part(to)).join(&self.state.get(&part(from)));
                (part(to), value)
            })
            .collect();
        self.note_flow_insensitive(to, &own);
        self.state.set(to, own);
        for (part, value) in values {
            self.note_flow_insensitive(&part, &value);
            self.state.set(&part, value);
        }
    }

    /// Single elements are not distinguished from here on.
    pub(super) fn blur(&mut self, location: &MemoryLocation) {
        if self.is_blurred(location) {
            return;
        }
        let elements = self.elements(location);
        let all = self.element_parts(location, &[]);
        let size = self.state.get(&location.field(SIZE));
        let empty = elements.is_empty();
        let held = matches!(self.state.own(location), Some(Val::Zero));
        let copy = match all {
            Val::Record(from) => {
                let mut parts = vec![(from.clone(), self.state.get(&from))];
                parts.extend(self.state.parts(&from));
                let path = from.path.len();
                let parts = parts.into_iter();
                parts.map(|(p, v)| (p.path[path..].to_vec(), v)).collect()
            }
            other => vec![(Vec::new(), other)],
        };
        let own = match held {
            true => Val::Zero,
            false => Val::Unset,
        };
        self.put(location, own);
        let any = location.field(ANY);
        if empty && !held {
            self.put(&any, Val::Unset);
        } else {
            for (path, value) in copy {
                let mut part = any.clone();
                part.path.extend(path);
                self.put(&part, value);
            }
        }
        self.put(&location.field(SIZE), size);
    }

    /// Stores a value in a part of one of a container's elements.
    pub(super) fn store_part(&mut self, location: &MemoryLocation, path: &[Step], value: Val) {
        self.blur(location);
        self.escape_value(&value);
        for element in self.elements(location) {
            let mut part = element;
            part.path.extend_from_slice(path);
            match &value {
                Val::Record(from) => self.join_record(&part, &from.clone()),
                value => {
                    let value = match self.kind_of(&part) {
                        Some(Kind::Num(num)) => value.convert(num),
                        _ => value.clone(),
                    };
                    let joined = self.read(&part).join(&value);
                    self.put(&part, joined);
                }
            }
        }
    }

    /// Where `container[index]` is.
    pub(super) fn container_element(&mut self, location: &MemoryLocation, index: &Val) -> Target {
        if self.is_map(location) {
            return self.entry(location, index, true);
        }
        if self.is_blurred(location) {
            return Target::Element(location.clone());
        }
        match index.as_int().and_then(|i| i64::try_from(i).ok()) {
            Some(index) => Target::Location(location.index(index)),
            None => Target::Element(location.clone()),
        }
    }

    /// Where the value of a key is; `operator[]` puts it in if it is not there.
    pub(super) fn entry(&mut self, location: &MemoryLocation, key: &Val, insert: bool) -> Target {
        let second = vec![Step::Field("second".into())];
        let Some(step) = key_step(self.chars_of(key), key).filter(|_| !self.is_blurred(location))
        else {
            if insert {
                self.blur(location);
                self.havoc_size(location, "a key that is not known is put in");
            }
            return Target::Part(location.clone(), second);
        };
        let entry = location.step(step);
        let value = entry.field("second");
        let there = self.state.own(&value).is_some() || self.state.has_parts(&value);
        if !there && insert {
            self.put(&entry.field("first"), key.clone());
            self.put(&value, Val::Zero);
            self.add_to_size(location, 1);
        } else if !there {
            return Target::Lost("a key that is not in the map".to_string());
        }
        Target::Location(value)
    }

    pub(super) fn add_to_size(&mut self, location: &MemoryLocation, by: i128) {
        let size = location.field(SIZE);
        let now = match self.state.get(&size) {
            Val::Zero => Some(0),
            now => now.as_int(),
        };
        match now {
            Some(now) => self.put(&size, Val::size((now + by).max(0))),
            None => self.havoc_size(location, "it grows at times that are not known"),
        }
    }

    pub(super) fn havoc_size(&mut self, location: &MemoryLocation, reason: &str) {
        self.put(&location.field(SIZE), Val::unknown(reason));
    }

    /// A container without elements.
    pub(super) fn empty_container(&mut self, location: &MemoryLocation) {
        let fixed = match self.container(location).as_deref() {
            Some(Container::Pair { .. }) => return self.put(location, Val::Zero),
            Some(Container::Sequence { fixed, .. }) => *fixed,
            _ => None,
        };
        self.put(location, Val::Unset);
        let size = Val::size(i128::from(fixed.unwrap_or(0)));
        self.put(&location.field(SIZE), size);
    }

    /// Elements may have changed, but not how many there are.
    pub(super) fn havoc_elements(&mut self, location: &MemoryLocation, reason: &str) {
        let value = Val::unknown(reason);
        self.put(location, value);
    }

    /// All elements together hold this, and their number stays.
    pub(super) fn set_content(&mut self, location: &MemoryLocation, content: Val) {
        let size = self.state.get(&location.field(SIZE));
        self.put(location, content);
        self.put(&location.field(SIZE), size);
    }

    /// How many elements there are; a name for it if it is not known.
    pub(super) fn size_of_container(&mut self, location: &MemoryLocation) -> Val {
        if let Some(Container::Sequence {
            fixed: Some(count), ..
        }) = self.container(location).as_deref()
        {
            return Val::size(i128::from(*count));
        }
        let size = location.field(SIZE);
        match self.state.get(&size) {
            Val::Unknown(why) => {
                let text = format!("{}.size()", self.short(location));
                let ty = Num::Int(crate::number::IntType::SIZE);
                let atom = self.atom(text, Some(ty), why);
                // It has this size as long as nothing is put in or taken out.
                self.state.set(&size, atom.clone());
                atom
            }
            known => known,
        }
    }

    /// `n` elements of the same value; zeros if none is given.
    pub(super) fn fill(&mut self, location: &MemoryLocation, count: &Val, value: Option<Val>) {
        self.put(location, Val::Unset);
        let known = count.as_int().and_then(|n| i64::try_from(n).ok());
        match (value, known) {
            (None, _) => self.put(location, Val::Zero),
            (Some(Val::Record(from)), Some(n)) if n <= MOST_ELEMENTS => {
                for index in 0..n {
                    self.copy_record(&location.index(index), &from);
                }
            }
            (Some(Val::Record(_)), _) => self.put(location, Val::unknown("many structs")),
            (Some(value), Some(n)) if n <= MOST_ELEMENTS => {
                for index in 0..n {
                    self.assign(&location.index(index), value.clone());
                }
            }
            (Some(value), _) => {
                let reason = "its elements are not distinguished";
                self.put(location, Val::unknown(reason));
                self.assign(&location.field(ANY), value);
            }
        }
        let count = count.convert(Num::Int(crate::number::IntType::SIZE));
        let size = location.field(SIZE);
        self.put(&size, count);
    }

    /// `{a, b}` as a pair.
    pub(super) fn pair_list(
        &mut self,
        code: &Code<'a>,
        location: &MemoryLocation,
        items: &[(Option<Designator>, ExprId)],
    ) {
        self.put(location, Val::Zero);
        for ((_, item), name) in items.iter().zip(["first", "second"]) {
            self.initialise(code, &location.field(name), *item);
        }
    }

    /// `{a, b, c}` as a container.
    pub(super) fn container_list(
        &mut self,
        code: &Code<'a>,
        location: &MemoryLocation,
        items: &[(Option<Designator>, ExprId)],
    ) {
        let tree = code.clone();
        if items
            .iter()
            .any(|(of, _)| matches!(of, Some(Designator::Range(..))))
        {
            return self.set_unknown(location, "a long list of values");
        }
        let inner = |id: ExprId| match &tree.ast().expr(id).kind {
            ExprKind::InitList(items) => Some(items),
            _ => None,
        };
        match self.container(location).as_deref() {
            Some(Container::Pair { .. }) => self.pair_list(code, location, items),
            Some(Container::Map { .. }) => {
                self.empty_container(location);
                for (_, item) in items {
                    self.insert_entry(code, location, *item, inner(*item));
                }
            }
            Some(Container::Sequence { fixed, .. }) => {
                // `array<T, n> a = {{..}}`.
                if let (Some(_), [(None, only)]) = (fixed, items)
                    && !self.is_aggregate(&location.index(0))
                    && let Some(items) = inner(*only)
                {
                    return self.container_list(code, location, items);
                }
                self.empty_container(location);
                if fixed.is_some() {
                    self.put(location, Val::Zero);
                    self.put(&location.field(SIZE), Val::size(fixed.unwrap_or(0).into()));
                }
                let items: Vec<ExprId> = items.iter().map(|(_, item)| *item).collect();
                let items = self.spread(code, &items);
                for (index, (item_code, item)) in items.iter().enumerate() {
                    let at = location.index(index as i64);
                    self.state.set(&at, Val::Unset);
                    self.initialise(item_code, &at, *item);
                }
                if fixed.is_none() {
                    self.put(&location.field(SIZE), Val::size(items.len() as i128));
                }
            }
            None => {}
        }
    }

    pub(super) fn insert_entry(
        &mut self,
        code: &Code<'a>,
        location: &MemoryLocation,
        item: ExprId,
        list: Option<&Vec<(Option<Designator>, ExprId)>>,
    ) {
        if let Some([(_, key), (_, value)]) = list.map(|l| &l[..]) {
            let key = self.eval(code, *key);
            let target = self.entry(location, &key, true);
            if let (Target::Location(at), ExprKind::InitList(_)) =
                (&target, &code.clone().ast().expr(*value).kind)
            {
                return self.initialise(code, at, *value);
            }
            let value = self.eval(code, *value);
            return self.store(&target, value);
        }
        let Val::Record(pair) = self.eval(code, item) else {
            return self.set_unknown(location, "an entry that is not followed");
        };
        let (key, value) = (pair.field("first"), pair.field("second"));
        let (key, value) = (self.read(&key), self.read(&value));
        let target = self.entry(location, &key, true);
        self.store(&target, value);
    }

    /// The constructor of a container.
    pub(super) fn construct_container(&mut self, location: &MemoryLocation, args: &[Arg<'a>]) {
        if let [(code, only)] = args
            && let ExprKind::InitList(items) = &code.clone().ast().expr(*only).kind
        {
            return self.container_list(code, location, items);
        }
        let container = self.container(location);
        if let (Some(Container::Pair { .. }), [first, second]) = (container.as_deref(), args) {
            self.put(location, Val::Zero);
            for ((code, value), name) in [(first, "first"), (second, "second")] {
                self.initialise(code, &location.field(name), *value);
            }
            return;
        }
        let bounds = self.bounds(args);
        let values = self.values(args);
        match &values[..] {
            [] => self.empty_container(location),
            [Val::Record(from)] => self.copy_record(location, from),
            [Val::File(name), ..] => {
                self.put(location, Val::text(Text::file(name)));
                self.havoc_size(location, "the length of a file");
            }
            [Val::Unknown(reason)] => self.set_unknown(location, reason),
            [Val::Pointer(_), ..] | [_, Val::Pointer(_)] | [_, Val::Unknown(_)] => {
                self.set_unknown(location, "it is copied from elsewhere");
                if let Some(count) = bounds {
                    self.put(&location.field(SIZE), count);
                }
            }
            [count] => self.fill(location, count, None),
            [count, value] => self.fill(location, count, Some(value.clone())),
            _ => self.set_unknown(location, "a container that is not followed"),
        }
    }
}
