//! Locations that may hold something else than what was last stored in them under their name: `volatile`
//! ones, members that a class and a base of it both have, and members of OpenCL's vectors, which share
//! their bytes.

use super::Interp;
use crate::location::{MemoryLocation, Root, Step};
use crate::syntax::ast::Type;
use crate::types::Kind;

/// Whether what is read of a location of this type may be what nobody stored.
pub(super) fn is_volatile(ty: &Type) -> bool {
    ty.is_volatile && ty.pointers == 0
}

impl<'a> Interp<'a> {
    /// Why nothing is known of what a location holds, whatever was stored there.
    pub(super) fn doubt(&self, location: &MemoryLocation) -> Option<&'static str> {
        if self.variables.volatile.has(location.root) {
            return Some("it is volatile");
        }
        let is_field = |step: &Step| matches!(step, Step::Field(_));
        if !location.path.iter().any(is_field) {
            return None;
        }
        if self.program.has_volatile_fields && self.is_volatile_field(location) {
            return Some("it is volatile");
        }
        (0..location.path.len()).find_map(|at| self.doubt_of_member(location, at))
    }

    fn is_volatile_field(&self, location: &MemoryLocation) -> bool {
        let ty = self.type_of(location);
        ty.is_some_and(|(ty, ..)| is_volatile(&ty))
    }

    fn doubt_of_member(&self, location: &MemoryLocation, at: usize) -> Option<&'static str> {
        let Step::Field(name) = &location.path[at] else {
            return None;
        };
        let may_be_lane = crate::types::is_lane_name(name);
        if !may_be_lane && !self.program.has_bases {
            return None;
        }
        let whole = MemoryLocation {
            root: location.root,
            path: location.path[..at].to_vec(),
        };
        let (ty, dims, host) = self.type_of(&whole)?;
        if dims > 0 && !matches!(whole.root, Root::Object(_)) {
            return None;
        }
        match self.program.kind(host, &ty) {
            Kind::Record(class) if self.program.types[host].is_in_several(&class, name) => {
                Some("a class and a base of it have a member of this name")
            }
            Kind::Other if may_be_lane && crate::types::is_vector(&ty) => {
                Some("members of a vector share their bytes")
            }
            _ => None,
        }
    }
}
