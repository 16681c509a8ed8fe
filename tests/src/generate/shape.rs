//! The NDRange of a generated kernel.

use crate::job::Geometry;
use crate::random::Random;

/// Sizes, one a dimension; 1 beyond the last.
#[derive(Clone, Debug)]
pub struct Shape {
    /// 1 to 3.
    pub dims: usize,
    /// Work-items of a group.
    pub local: [u64; 3],
    /// Groups.
    pub groups: [u64; 3],
    /// Offset.
    pub offset: [u64; 3],
    /// The host passes NULL: the implementation chooses, and a result must not depend on it.
    pub null_local: bool,
}

impl Shape {
    /// A small one.
    pub fn new(random: &mut Random) -> Self {
        let dims = random.copy(&[1, 1, 1, 2, 2, 3]);
        let local = match dims {
            1 => random.copy(&[
                [8, 1, 1],
                [4, 1, 1],
                [16, 1, 1],
                [5, 1, 1],
                [1, 1, 1],
                [7, 1, 1],
            ]),
            2 => random.copy(&[[4, 2, 1], [2, 4, 1], [3, 3, 1], [1, 4, 1], [8, 1, 1]]),
            _ => random.copy(&[[2, 2, 2], [4, 2, 1], [1, 2, 3], [3, 1, 2]]),
        };
        let groups = match dims {
            1 => random.copy(&[[1, 1, 1], [2, 1, 1], [3, 1, 1]]),
            2 => random.copy(&[[1, 1, 1], [2, 1, 1], [1, 2, 1], [2, 2, 1]]),
            _ => random.copy(&[[1, 1, 1], [2, 1, 1], [1, 1, 2], [1, 2, 2]]),
        };
        let mut offset = [0; 3];
        if random.chance(30) {
            for value in &mut offset[..dims] {
                *value = random.copy(&[0, 3, 5, 16]);
            }
        }
        Shape {
            dims,
            local,
            groups,
            offset,
            null_local: random.chance(8),
        }
    }

    /// Work-items of a group.
    pub fn group_size(&self) -> u64 {
        self.local.iter().product()
    }

    /// Groups in all.
    pub fn group_count(&self) -> u64 {
        self.groups.iter().product()
    }

    /// Work-items in a dimension.
    pub fn global(&self, dim: usize) -> u64 {
        self.local[dim] * self.groups[dim]
    }

    /// Work-items in all.
    pub fn items(&self) -> u64 {
        self.group_size() * self.group_count()
    }

    /// As a launch has it.
    pub fn geometry(&self) -> Geometry {
        let global: Vec<u64> = (0..self.dims).map(|dim| self.global(dim)).collect();
        let has_offset = self.offset.iter().any(|value| *value != 0);
        Geometry::Range {
            offset: match has_offset {
                true => self.offset[..self.dims].to_vec(),
                false => Vec::new(),
            },
            global,
            local: match self.null_local {
                true => Vec::new(),
                false => self.local[..self.dims].to_vec(),
            },
        }
    }
}
