//! First values: `= v`, `{a, b}`, `{.x = a, [2] = b, [3 ... 9] = c}`.

use super::lvalue::Target;
use super::{Code, Interp};
use crate::location::MemoryLocation;
use crate::syntax::ast::{Designator, ExprId, ExprKind};
use crate::text::Text;
use crate::types::Kind;
use crate::types::wrapper::SOURCE;
use crate::value::Val;

/// An element of an initialiser.
type Item = (Option<Designator>, ExprId);

/// Most elements of a range whose values are looked at one by one.
const LONGEST_RANGE: i64 = 4096;

impl<'a> Interp<'a> {
    /// Gives a variable its first value.
    pub(super) fn initialise(&mut self, code: &Code<'a>, location: &MemoryLocation, init: ExprId) {
        let tree = code.clone();
        let info = self.info_of(location).cloned();
        let is_array = info.as_ref().is_some_and(|i| !i.ty.dims.is_empty());
        match &tree.ast().expr(tree.ast().skip_parens(init)).kind {
            ExprKind::InitList(items) if !is_array => self.braced(code, location, items),
            ExprKind::InitList(items) => self.init_list(code, location, items),
            // Of another type, it is a value that is converted.
            ExprKind::Construct(ty, args)
                if !is_array
                    && self
                        .whole_type(location)
                        .is_none_or(|(t, _)| t.base == ty.base) =>
            {
                // `T v = T{..}`.
                if let [only] = args[..]
                    && matches!(tree.ast().expr(only).kind, ExprKind::InitList(_))
                {
                    return self.initialise(code, location, only);
                }
                let args = args.clone();
                self.construct(code, location, &args);
            }
            ExprKind::Str(text) if is_array => {
                let text = Text::literal(text, Some(code.site(tree.ast().expr(init).span)));
                self.assign_text(location, Val::text(text));
            }
            _ => {
                let value = self.eval(code, init);
                let value = self.fitted(code, init, &Target::Location(location.clone()), value);
                if let Some(var) = Self::is_root_var(location) {
                    self.adopt_type(var, &value);
                    self.adopt_text_type(code, var, init);
                }
                if is_array {
                    match self.text_of(&value) {
                        Some(text) => self.assign_text(location, Val::Text(text)),
                        None => self.set_unknown(location, "an array with an unusual initialiser"),
                    }
                    return;
                }
                self.assign(location, value);
            }
        }
    }

    /// `T v{a, b}`.
    fn braced(&mut self, code: &Code<'a>, location: &MemoryLocation, items: &[Item]) {
        let args = || items.iter().map(|(_, item)| *item).collect::<Vec<_>>();
        match self.kind_of(location) {
            Some(Kind::Container(_)) => self.container_list(code, location, items),
            Some(Kind::Wrapper(_)) => self.construct(code, location, &args()),
            Some(Kind::Other) if items.len() == 2 && self.is_source(location) => {
                self.pair_list(code, location, items);
            }
            Some(Kind::Record(class))
                if self.constructor(&class, items.len()).is_some() || items.is_empty() =>
            {
                self.make_object(code, location, &args())
            }
            _ => self.init_list(code, location, items),
        }
    }

    /// Whether a location is a source of a program of OpenCL's C++ wrappers.
    fn is_source(&self, location: &MemoryLocation) -> bool {
        let ty = self.type_of(location);
        ty.is_some_and(|(ty, dims, _)| dims == 0 && ty.base == SOURCE)
    }

    pub(super) fn init_list(&mut self, code: &Code<'a>, location: &MemoryLocation, items: &[Item]) {
        let fields = self.field_names(location);
        if let Some(text) = self.text_in_braces(code, location, items) {
            return self.assign_text(location, text);
        }
        let scalar = fields.is_none() && !self.is_aggregate(location);
        if let ([(None, only)], true) = (items, scalar) {
            let value = self.eval(code, *only);
            return self.assign(location, value);
        }
        if let (None, Some(Kind::Other)) = (&fields, self.kind_of(location)) {
            // A struct that is not given.
            for (_, item) in items {
                let value = self.eval(code, *item);
                self.note_pointed(&value);
            }
            return self.set_unknown(location, "a struct that is not declared in the given files");
        }
        match self.has_long_range(code, items) {
            true => self.set_unknown(location, "an array with a long initialiser"),
            false => self.state.set(location, Val::Zero),
        }
        self.note_spelled(code, location, items);
        let mut next = 0i64;
        for (designator, value) in items {
            if let ExprKind::Expansion { .. } = code.clone().ast().expr(*value).kind {
                for (element_code, element) in self.expanded(code, *value) {
                    self.init_element(&element_code, &location.index(next), element);
                    next = next.saturating_add(1);
                }
                continue;
            }
            let target = match designator {
                Some(Designator::Range(first, last)) => {
                    let Some(range) = self.range(code, *first, *last) else {
                        return self.set_unknown(location, "a designated initialiser");
                    };
                    self.init_range(code, location, range, *value);
                    next = range.1.saturating_add(1);
                    continue;
                }
                Some(Designator::Field(name)) => {
                    if let Some(fields) = &fields {
                        let at = fields.iter().position(|f| f == name);
                        next = at.map_or(next, |at| at as i64);
                    }
                    location.field(name)
                }
                Some(Designator::Index(index)) => {
                    match self.index_of(code, *index) {
                        Some(index) => next = index,
                        None => return self.set_unknown(location, "a designated initialiser"),
                    }
                    location.index(next)
                }
                None => match &fields {
                    Some(fields) => match usize::try_from(next).ok().and_then(|i| fields.get(i)) {
                        Some(name) => location.field(name),
                        None => return,
                    },
                    None => location.index(next),
                },
            };
            next = next.saturating_add(1);
            if !self.init_element(code, &target, *value) {
                return self.set_unknown(location, "an initialiser without inner braces");
            }
        }
    }

    /// Gives the elements of a range their first value. The whole array is unknown before if they are many.
    fn init_range(
        &mut self,
        code: &Code<'a>,
        array: &MemoryLocation,
        (first, last): (i64, i64),
        value: ExprId,
    ) {
        if is_long((first, last)) {
            let value = self.eval(code, value);
            return self.note_pointed(&value);
        }
        for at in first..=last {
            let element = array.index(at);
            if !self.init_element(code, &element, value) {
                self.set_unknown(&element, "an initialiser without inner braces");
            }
        }
    }

    /// Gives an element of an array or a structure its first value; false where braces are left out, as
    /// in `int m[2][2] = {1, 2, 3, 4}`.
    fn init_element(&mut self, code: &Code<'a>, target: &MemoryLocation, value: ExprId) -> bool {
        let tree = code.clone();
        match &tree.ast().expr(value).kind {
            ExprKind::InitList(inner) if self.is_array(target) => {
                self.init_list(code, target, inner);
                return true;
            }
            ExprKind::InitList(inner) => {
                self.braced(code, target, inner);
                return true;
            }
            _ => {}
        }
        let value = self.eval(code, value);
        match (self.is_aggregate(target), &value) {
            (false, _) | (_, Val::Record(_)) => self.assign(target, value),
            (true, Val::Text(_)) => self.assign_text(target, value),
            (true, _) => return false,
        }
        true
    }

    /// An index that is given in an initialiser.
    fn index_of(&mut self, code: &Code<'a>, index: ExprId) -> Option<i64> {
        let index = self.eval(code, index).as_int()?;
        i64::try_from(index).ok()
    }

    /// The first and the last index of a range.
    fn range(&mut self, code: &Code<'a>, first: ExprId, last: ExprId) -> Option<(i64, i64)> {
        Some((self.index_of(code, first)?, self.index_of(code, last)?))
    }

    /// Whether an element is for so many indices that they are not looked at one by one.
    fn has_long_range(&mut self, code: &Code<'a>, items: &[Item]) -> bool {
        items.iter().any(|(designator, _)| match designator {
            Some(Designator::Range(first, last)) => {
                self.range(code, *first, *last).is_none_or(is_long)
            }
            _ => false,
        })
    }
}

/// Whether a range is too long for its elements to be looked at one by one.
fn is_long((first, last): (i64, i64)) -> bool {
    last.saturating_sub(first) >= LONGEST_RANGE
}
