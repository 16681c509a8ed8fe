//! The NDRange of a kernel as far as it is fixed, and which of it the rewritten kernel uses.

use std::collections::BTreeSet;

use fpgacc_kernel_analysis::geometry::{Geometry, LocalGeometry};
use fpgacc_runtime::guard::Fact;
use fpgacc_runtime::manifest::Hidden;

/// The largest id or size that the runtime lets through: ids are computed in `int`.
pub const INT_MAX: i64 = i32::MAX as i64;

/// A part of the geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The same at all launches.
    Const(i64),
    /// A hidden parameter.
    Hidden(Hidden),
}

impl Extent {
    /// The constant.
    pub fn constant(self) -> Option<i64> {
        match self {
            Extent::Const(value) => Some(value),
            Extent::Hidden(_) => None,
        }
    }
}

/// What the body of a kernel demands of its groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// It has barriers or `__local` memory: which work-items form a group matters.
    pub groups: bool,
    /// It asks for ids in groups, or for sizes or numbers of groups.
    pub parts: bool,
    /// The dimensions that work-item functions ask about.
    pub dims: [bool; 3],
}

/// The NDRange over which the loops of a kernel run.
#[derive(Clone, Debug)]
pub struct Grid {
    global: [Extent; 3],
    local: [Extent; 3],
    offset: [Extent; 3],
    work_dim: Extent,
    /// All work-items are one group in this dimension, by the runtime's choice.
    one_group: [bool; 3],
    /// Nothing shows which work-items form a group: all are as one.
    is_ungrouped: bool,
    /// The host leaves the local size open, and the groups have been chosen here.
    pub local_is_chosen: bool,
    facts: BTreeSet<Fact>,
}

impl Grid {
    /// Takes from the launches what all of them agree on.
    ///
    /// # Errors
    /// If the launches contradict themselves, or exceed what ids in `int` can number.
    pub fn decide(
        geometry: &Geometry,
        required: Option<[u64; 3]>,
        needs: Needs,
    ) -> Result<Grid, String> {
        let mut grid = Grid {
            global: dims(|d| Extent::Hidden(Hidden::Global(d))),
            local: dims(|d| Extent::Hidden(Hidden::Local(d))),
            offset: dims(|d| Extent::Hidden(Hidden::Offset(d))),
            work_dim: Extent::Hidden(Hidden::WorkDim),
            one_group: [false; 3],
            is_ungrouped: false,
            local_is_chosen: false,
            facts: BTreeSet::new(),
        };
        if let Some(dim) = geometry.work_dim {
            grid.work_dim = Extent::Const(i64::from(dim));
        }
        for d in 0..3 {
            grid.decide_dim(d, geometry, required, needs)?;
        }
        grid.check()?;
        Ok(grid)
    }

    fn decide_dim(
        &mut self,
        d: usize,
        geometry: &Geometry,
        required: Option<[u64; 3]>,
        needs: Needs,
    ) -> Result<(), String> {
        if let Some(offset) = geometry.offset[d] {
            self.offset[d] = Extent::Const(fits(offset, "global offset", d)?);
        }
        if let Some(global) = geometry.global[d] {
            self.global[d] = Extent::Const(fits(global, "global size", d)?);
        } else if geometry.known_dim <= d as u32
            && d > 0
            && !needs.dims[d]
            && required.is_none_or(|sizes| sizes[d] == 1)
        {
            // Nothing says that launches use this dimension, and the kernel does not: a launch that
            // does is refused by the runtime.
            self.global[d] = Extent::Const(1);
        }
        if self.global[d] == Extent::Const(1) {
            self.local[d] = Extent::Const(1);
            return Ok(());
        }
        if let Some(required) = required {
            self.local[d] = Extent::Const(fits(required[d], "work-group size", d)?);
            return Ok(());
        }
        match geometry.local {
            LocalGeometry::Sizes(sizes) => {
                if let Some(size) = sizes[d] {
                    self.local[d] = Extent::Const(fits(size, "local size", d)?);
                }
            }
            LocalGeometry::Null => {
                self.local_is_chosen = true;
                if needs.groups {
                    self.local[d] = Extent::Const(1);
                } else {
                    self.local[d] = self.global[d];
                    self.one_group[d] = true;
                }
            }
            LocalGeometry::Unknown => {}
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        for d in 0..3 {
            let (Extent::Const(global), Extent::Const(local)) = (self.global[d], self.local[d])
            else {
                continue;
            };
            if local == 0 || global % local != 0 {
                return Err(format!(
                    "its launches are invalid: the global size {global} in dimension {d} is not a \
                     multiple of the local size {local}"
                ));
            }
        }
        Ok(())
    }

    /// The same with all work-items in one group, if that makes no difference.
    #[must_use]
    pub fn ungrouped(mut self, needs: Needs, required: Option<[u64; 3]>) -> Self {
        if needs.groups || needs.parts {
            return self;
        }
        for d in 0..3 {
            // Launches of other groups fail, as they do in the original.
            if let Some(sizes) = required {
                self.rely(Fact::Local(d as u8, sizes[d]));
            }
            self.local[d] = self.global[d];
        }
        self.is_ungrouped = true;
        self
    }

    /// The global size.
    pub fn global(&mut self, d: u8) -> Extent {
        let extent = self.global[d as usize];
        if let Extent::Const(size) = extent {
            self.rely(Fact::Global(d, size as u64));
        }
        extent
    }

    /// The local size.
    pub fn local(&mut self, d: u8) -> Extent {
        if self.is_ungrouped {
            return self.global(d);
        }
        if self.one_group[d as usize] {
            self.rely(Fact::OneGroup(d));
            return self.global(d);
        }
        if self.global[d as usize] == Extent::Const(1) {
            return self.global(d);
        }
        let extent = self.local[d as usize];
        if let Extent::Const(size) = extent {
            self.rely(Fact::Local(d, size as u64));
        }
        extent
    }

    /// The offset.
    pub fn offset(&mut self, d: u8) -> Extent {
        let extent = self.offset[d as usize];
        if let Extent::Const(offset) = extent {
            self.rely(Fact::Offset(d, offset as u64));
        }
        extent
    }

    /// `work_dim`.
    pub fn work_dim(&mut self) -> Extent {
        if let Extent::Const(dim) = self.work_dim {
            self.rely(Fact::WorkDim(dim as u32));
        }
        self.work_dim
    }

    /// The number of groups, if it is the same at all launches.
    pub fn groups(&mut self, d: u8) -> Option<i64> {
        if self.is_ungrouped {
            return Some(1);
        }
        if self.one_group[d as usize] {
            self.rely(Fact::OneGroup(d));
            return Some(1);
        }
        let at = d as usize;
        let (Extent::Const(global), Extent::Const(local)) = (self.global[at], self.local[at])
        else {
            return None;
        };
        self.global(d);
        self.local(d);
        Some(global / local)
    }

    /// Whether there is more than one work-item of a group in a dimension, or may be.
    pub fn has_item_loop(&mut self, d: u8) -> bool {
        let at = d as usize;
        if self.local[at] == Extent::Const(1) {
            self.local(d);
            return false;
        }
        true
    }

    /// Whether every group is a single work-item.
    pub fn groups_of_one(&self) -> bool {
        (0..3).all(|d| self.local[d] == Extent::Const(1))
    }

    /// The number of work-items in a group, if it is known: nothing is relied on.
    pub fn group_size(&self) -> Option<u64> {
        self.local.iter().try_fold(1u64, |size, local| {
            size.checked_mul(local.constant()? as u64)
        })
    }

    /// The local size as far as it is known, for messages: nothing is relied on.
    pub fn known_local(&self, d: u8) -> Option<i64> {
        self.local[d as usize].constant()
    }

    fn rely(&mut self, fact: Fact) {
        self.facts.insert(fact);
    }

    /// What the kernel relies on, in order.
    pub fn facts(&self) -> impl Iterator<Item = Fact> {
        self.facts.iter().copied()
    }

    /// Whether all work-items may form one group where the host leaves the local size open.
    pub fn whole_group_is_fine(&self) -> bool {
        !self
            .facts
            .iter()
            .any(|fact| matches!(fact, Fact::Local(..)))
    }
}

fn dims(make: impl Fn(u8) -> Extent) -> [Extent; 3] {
    [make(0), make(1), make(2)]
}

fn fits(value: u64, what: &str, d: usize) -> Result<i64, String> {
    i64::try_from(value)
        .ok()
        .filter(|value| *value <= INT_MAX)
        .ok_or_else(|| format!("the {what} {value} in dimension {d} exceeds what an int can hold"))
}

/// The letter of a dimension in names.
pub fn letter(d: u8) -> char {
    ['x', 'y', 'z'][d as usize]
}
