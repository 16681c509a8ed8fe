//! Accesses that go through memory in the same way.

use crate::profile::{Access, POINTS, Root};

/// How accesses go through memory, wherever they begin: copies of a piece of code that lie beside each other touch the same
/// lines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Walk {
    root: Option<Root>,
    scope: usize,
    /// Bytes to each point from the work-item's own place.
    pub strides: [i64; POINTS],
}

impl Walk {
    /// That of an access whose place is known.
    pub fn of(access: &Access) -> Self {
        let mut strides = [0; POINTS];
        for (point, stride) in strides.iter_mut().enumerate() {
            *stride = access.stride(point).unwrap_or(0);
        }
        Walk {
            root: access.root,
            scope: access.scope,
            strides,
        }
    }
}
