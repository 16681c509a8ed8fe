//! Pieces of the hosts' texts that were looked up once: replacements of macros, and quotes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use fpgacc_frontend::source::Span;

use crate::location::MemoryLocation;
use crate::syntax::{HostFile, MacroBody};

/// A macro's replacement: host, index, and the location of its use if its nodes have no other.
pub(super) type BodyKey = (usize, usize, Option<(u32, u32)>);

/// Replacements of macros as syntax, and texts as they stand in messages.
pub(crate) struct Texts {
    /// Pieces of the host's text, shortened, as they stand in messages.
    pub quotes: RefCell<BTreeMap<Span, Rc<str>>>,
    /// Where the first of the numbers stands that an array of characters is given one by one.
    pub spelled: BTreeMap<MemoryLocation, Span>,
    pub bodies: BTreeMap<BodyKey, Rc<MacroBody>>,
    /// Those of macros that are not the user's, by host and index, at some use.
    pub bodies_elsewhere: BTreeMap<(usize, usize), Rc<MacroBody>>,
    /// Names in files, by host and part, that are no macros at any time.
    pub no_macros: RefCell<Vec<Vec<Vec<bool>>>>,
    /// Whether a macro, by host and index, is defined in the user's own files.
    pub own_macros: BTreeMap<(usize, usize), bool>,
}

impl Texts {
    pub fn of(hosts: &[HostFile]) -> Texts {
        Texts {
            quotes: RefCell::default(),
            spelled: BTreeMap::new(),
            bodies: BTreeMap::new(),
            bodies_elsewhere: BTreeMap::new(),
            no_macros: RefCell::new(hosts.iter().map(no_macros).collect()),
            own_macros: BTreeMap::new(),
        }
    }
}

/// For each part of a host, that nothing is known of its names yet.
fn no_macros(host: &HostFile) -> Vec<Vec<bool>> {
    let parts = host.parts.iter();
    parts.map(|part| vec![false; part.ast.len()]).collect()
}
