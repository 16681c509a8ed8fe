//! Fields of structures that lie side by side: those that are read one by one share the sectors that the first of them
//! brought.

use std::collections::{BTreeMap, BTreeSet};

use crate::lanes::observed::{Access, LARGEST_RECORD, Observed};
use crate::lanes::value::Object;

/// Arrays of structures, by object and distance of lanes.
#[derive(Default)]
pub(crate) struct Fields {
    /// Bytes of an element that some lane's access uses.
    used: BTreeMap<(Object, i128), BTreeSet<i128>>,
    /// Sectors that are moved for each field, by where it starts; those of writes are their own.
    moved: BTreeMap<(Object, i128, bool), BTreeMap<i128, f64>>,
}

impl Fields {
    /// What all accesses use and move.
    pub fn of(seen: &Observed) -> Self {
        let mut fields = Fields::default();
        for (at, access) in &seen.accesses {
            if access.is_global() {
                fields.add(access, at.write);
            }
        }
        fields
    }

    fn add(&mut self, access: &Access, write: bool) {
        let stride = access
            .stride
            .bytes()
            .filter(|stride| stride.abs() <= LARGEST_RECORD);
        let Some(stride) = stride else { return };
        let each = access.sectors / access.anchors.len().max(1) as f64;
        for (object, from) in &access.anchors {
            let used = self.used.entry((*object, stride)).or_default();
            let own = 0..access.bytes as i128;
            used.extend(own.map(|byte| (from + byte).rem_euclid(stride.abs().max(1))));
            let moved = self.moved.entry((*object, stride, write)).or_default();
            *moved.entry(*from).or_default() += each;
        }
    }

    /// The sectors that would hold what an access and others use of those that it moves.
    pub fn with_neighbours(&self, access: &Access) -> f64 {
        let Some(stride) = access.stride.bytes().filter(|stride| *stride != 0) else {
            return access.ideal;
        };
        let own = access.anchors.iter();
        let own = own.filter_map(|(object, _)| self.used.get(&(*object, stride)));
        let part = own.map(|held| held.len() as f64 / stride.abs() as f64);
        let part = part.reduce(f64::max).unwrap_or_default();
        access.ideal.max(access.sectors * part)
    }

    /// The part of the sectors of an access that it moves, if others bring theirs: fields of a structure together move
    /// as many as the one for which most are.
    pub fn own_part(&self, access: &Access, write: bool) -> f64 {
        let Some(stride) = access.stride.bytes() else {
            return 1.0;
        };
        let own = access.anchors.iter();
        let own = own.filter_map(|(object, _)| self.moved.get(&(*object, stride, write)));
        let part = own.map(|fields| {
            let most = fields.values().copied().fold(0.0, f64::max);
            most / fields.values().sum::<f64>().max(f64::MIN_POSITIVE)
        });
        part.reduce(f64::max).unwrap_or(1.0)
    }
}
