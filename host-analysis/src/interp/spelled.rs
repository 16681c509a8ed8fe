//! Texts whose characters stand in arrays one by one, as tools such as `xxd -i` write files into hosts.

use super::{Code, Interp};
use crate::location::{MemoryLocation, Step};
use crate::number::Num;
use crate::syntax::ast::{Designator, ExprId};
use crate::text::Text;
use crate::types::Kind;

/// An element of an initialiser.
type Item = (Option<Designator>, ExprId);

impl<'a> Interp<'a> {
    /// The text that the numbers in an array of characters are, from one of them on. Elements that the initialiser
    /// leaves out are NULs.
    pub(super) fn spelled_text(&self, array: &MemoryLocation, from: usize) -> Option<Text> {
        match self.kind_of(&array.index(0))? {
            Kind::Num(Num::Int(int)) if int.bits == 8 => {}
            _ => return None,
        }
        let mut bytes: Vec<u8> = Vec::new();
        for (place, value) in self.state.parts(array) {
            let [Step::Index(at)] = place.path.get(array.path.len()..)? else {
                return None;
            };
            let at = usize::try_from(*at).ok()?;
            let byte = value.as_int()?;
            let byte = u8::try_from(byte).or_else(|_| i8::try_from(byte).map(|byte| byte as u8));
            if at > bytes.len() {
                self.nuls_before(array, at)?;
                bytes.resize(at, 0);
            }
            match bytes.get_mut(at) {
                Some(known) => *known = byte.ok()?,
                None => bytes.push(byte.ok()?),
            }
        }
        let text = String::from_utf8(bytes.split_off(from.min(bytes.len()))).ok()?;
        let site = self.texts.spelled.get(array).copied();
        Some(Text::literal(&text, site))
    }

    /// Remembers where an array is given its numbers.
    pub(super) fn note_spelled(&mut self, code: &Code<'a>, array: &MemoryLocation, items: &[Item]) {
        let kind = self.kind_of(&array.index(0));
        if let (Some((_, first)), Some(Kind::Num(Num::Int(int)))) = (items.first(), kind)
            && int.bits == 8
        {
            let site = code.site(code.ast().expr(*first).span);
            self.texts.spelled.insert(array.clone(), site);
        }
    }

    /// Whether an array holds nothing but NULs where no element has a value of its own.
    fn nuls_before(&self, array: &MemoryLocation, at: usize) -> Option<()> {
        let last = i64::try_from(at).ok()? - 1;
        let value = self.state.get(&array.index(last));
        (value.as_int() == Some(0)).then_some(())
    }
}
