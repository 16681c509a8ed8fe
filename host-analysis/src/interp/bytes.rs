//! Bytes of variables: memset and memcpy, and the members of unions.

use super::Interp;
use super::code::Arg;
use crate::location::{MemoryLocation, Root, Step};
use crate::text::Text;
use crate::types::Kind;
use crate::value::Val;

impl<'a> Interp<'a> {
    /// The whole variable, array or memory that starts where a pointer points to.
    fn whole(&self, pointer: &Val) -> Option<MemoryLocation> {
        let Val::Pointer(location) = pointer else {
            return None;
        };
        let mut whole = location.clone();
        while let Some(Step::Index(0)) = whole.path.last() {
            whole.path.pop();
        }
        match whole.path.last() {
            Some(Step::Index(_)) => None,
            _ => Some(whole),
        }
    }

    fn bytes_of(&mut self, location: &MemoryLocation) -> Option<i128> {
        self.size_of_location(location)?.as_int()
    }

    /// `memset(to, byte, count)`, `bzero(to, count)`.
    pub(super) fn set_bytes(&mut self, zero: bool, args: &[Arg<'a>]) -> Val {
        let values = self.values(args);
        let (to, byte, count) = match &values[..] {
            [to, count] if zero => (to, Some(0), count),
            [to, byte, count] => (to, byte.as_int(), count),
            _ => return Val::Unset,
        };
        let blank = match self.whole(to).filter(|_| byte == Some(0)) {
            Some(whole) => {
                let memory = matches!(whole.root, Root::Object(_)) && whole.path.is_empty();
                match memory && !self.state.has_parts(&whole) {
                    true => Some(whole),
                    false => {
                        let bytes = self.bytes_of(&whole);
                        let all = bytes.is_some() && bytes == count.as_int();
                        all.then_some(whole)
                    }
                }
            }
            None => None,
        };
        self.havoc_pointee(to, "memset");
        if let Some(whole) = blank {
            self.put(&whole, Val::Zero);
        }
        to.clone()
    }

    /// `memcpy(to, from, count)`.
    pub(super) fn copy_bytes(&mut self, args: &[Arg<'a>]) -> Val {
        let values = self.values(args);
        let [to, from, count] = &values[..] else {
            return Val::Unset;
        };
        if let Val::Pointer(_) = to
            && let Some(text) = self.copied_text(to, from, count)
        {
            self.write_text(to, Some(text));
            return to.clone();
        }
        if let (Some(target), Some(source)) = (self.whole(to), self.whole(from))
            && let (Some(bytes), Some(found)) = (self.bytes_of(&target), self.bytes_of(&source))
            && count.as_int() == Some(bytes)
            && found >= bytes
            && self.same_elements(&target, &source)
            && target.root != source.root
        {
            self.copy_record(&target, &source);
            return to.clone();
        }
        self.escape_value(from);
        match to {
            Val::Pointer(_) | Val::Into(_) => self.havoc_pointee(to, "memcpy"),
            _ => self.store_anywhere(Val::Unset, None),
        }
        to.clone()
    }

    /// What a location holds as a text after so many bytes of another were copied to it: all with its end, or bytes
    /// before those that stay there.
    fn copied_text(&self, to: &Val, from: &Val, count: &Val) -> Option<Text> {
        let text = self.text_of(from)?;
        let Some(chars) = text.chars() else {
            return Some((*text).clone());
        };
        let count = usize::try_from(count.as_int()?).ok()?;
        if count == chars.len() + 1 {
            return Some((*text).clone());
        }
        let head = text.prefix(count)?;
        match self.value_at_start(to)? {
            Val::Unset | Val::Zero => Some(head),
            _ => Some(head.followed_by(&self.text_of(to)?.suffix(count)?)),
        }
    }

    /// What an array holds as a whole whose start a pointer points to.
    fn value_at_start(&self, pointer: &Val) -> Option<Val> {
        let whole = self.whole(pointer)?;
        (!self.state.has_parts(&whole)).then(|| self.state.get(&whole))
    }

    /// Whether two arrays or variables have elements of one type.
    fn same_elements(&self, a: &MemoryLocation, b: &MemoryLocation) -> bool {
        let element = |location: &MemoryLocation| match self.type_of(location) {
            Some((ty, 0, _)) => Some((ty.base.clone(), ty.pointers, self.kind_of(location))),
            Some((ty, 1, _)) => Some((
                ty.base.clone(),
                ty.pointers,
                self.kind_of(&location.index(0)),
            )),
            _ => None,
        };
        match (element(a), element(b)) {
            (Some((base, pointers, kind)), Some(other)) => {
                let same = (base, pointers) == (other.0, other.1) && kind == other.2;
                same || kind == other.2 && matches!(kind, Some(Kind::Num(_)))
            }
            _ => false,
        }
    }

    /// A member of a union was assigned: nothing is known of the others.
    pub(super) fn invalidate_unions(&mut self, location: &MemoryLocation) {
        if !self.program.has_unions {
            return;
        }
        for (at, step) in location.path.iter().enumerate() {
            let Step::Field(name) = step else {
                continue;
            };
            let union = MemoryLocation {
                root: location.root,
                path: location.path[..at].to_vec(),
            };
            let Some((ty, 0, host)) = self.type_of(&union) else {
                continue;
            };
            let Kind::Record(class) = self.program.kind(host, &ty) else {
                continue;
            };
            let Some((_, record)) = self.program.types[host]
                .record(&class)
                .filter(|r| r.1.is_union)
            else {
                continue;
            };
            for field in record.fields.iter().filter(|f| f.name != **name) {
                let reason = "another member of its union is assigned";
                self.state
                    .set(&union.field(&field.name), Val::unknown(reason));
            }
        }
    }
}
