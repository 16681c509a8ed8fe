//! What the host's launches fix of a kernel's NDRange, over all its launches.

use fpgacc_launch_facts::{Launch, LocalSize, Value};
use fpgacc_runtime::contract::Coarsened;

/// The launches of one kernel, taken together: a component is known if all launches agree on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Number of launches that may launch this kernel.
    pub launches: usize,
    /// `work_dim`, if it is the same constant at all launches.
    pub work_dim: Option<u32>,
    /// The largest `work_dim` that may occur: 1 to 3.
    pub max_dim: u32,
    /// The largest `work_dim` that some launch is known to have; 0 if none is known.
    pub known_dim: u32,
    /// Offsets; 0 beyond `work_dim`.
    pub offset: [Option<u64>; 3],
    /// Global sizes; 1 beyond `work_dim`.
    pub global: [Option<u64>; 3],
    /// Local size.
    pub local: LocalGeometry,
}

/// The local size over all launches of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalGeometry {
    /// Every launch passes NULL.
    Null,
    /// No launch passes NULL; a component is known if all agree on it; 1 beyond `work_dim`.
    Sizes([Option<u64>; 3]),
    /// Some launch passes NULL, or may.
    Unknown,
}

impl LocalGeometry {
    /// The local sizes of several launches, taken together.
    pub fn over(all: impl IntoIterator<Item = Self>) -> Self {
        let met = all.into_iter().reduce(Self::meet);
        met.unwrap_or(LocalGeometry::Unknown)
    }

    fn meet(self, other: Self) -> Self {
        match (self, other) {
            (LocalGeometry::Null, LocalGeometry::Null) => LocalGeometry::Null,
            (LocalGeometry::Sizes(a), LocalGeometry::Sizes(b)) => {
                LocalGeometry::Sizes(agree_all(a, b))
            }
            _ => LocalGeometry::Unknown,
        }
    }
}

impl Geometry {
    /// A kernel of whose launches nothing is known.
    pub fn unknown() -> Self {
        Geometry {
            launches: 0,
            work_dim: None,
            max_dim: 3,
            known_dim: 0,
            offset: [None; 3],
            global: [None; 3],
            local: LocalGeometry::Unknown,
        }
    }

    /// These launches, taken together.
    pub fn of<'l>(launches: impl IntoIterator<Item = &'l Launch>) -> Self {
        launches
            .into_iter()
            .map(Self::of_launch)
            .reduce(Self::meet)
            .unwrap_or_else(Self::unknown)
    }

    /// That of the smaller NDRange that a coarsened kernel is launched over in the place of this one.
    pub fn coarsened(mut self, by: Coarsened) -> Self {
        let divided = |size: u64, by: u64| size.is_multiple_of(by).then(|| size / by);
        for dim in 0..3 {
            let (global, local) = by.divides(dim);
            self.global[dim] = self.global[dim].and_then(|size| divided(size, global));
            if let LocalGeometry::Sizes(sizes) = &mut self.local {
                sizes[dim] = sizes[dim].and_then(|size| divided(size, local));
            }
        }
        self
    }

    fn of_launch(launch: &Launch) -> Self {
        let work_dim = launch
            .work_dim
            .constant()
            .and_then(|dim| u32::try_from(dim).ok())
            .filter(|dim| (1..=3).contains(dim));
        let component = |values: &[Value], dim: usize, beyond: u64| match work_dim {
            Some(count) if dim >= count as usize => Some(beyond),
            _ => values.get(dim).and_then(Value::constant),
        };
        let components =
            |values: &[Value], beyond| [0, 1, 2].map(|dim| component(values, dim, beyond));
        Geometry {
            launches: 1,
            work_dim,
            max_dim: work_dim.unwrap_or(3),
            known_dim: work_dim.unwrap_or(0),
            offset: components(&launch.offset, 0),
            global: components(&launch.global, 1),
            local: match &launch.local {
                LocalSize::Null => LocalGeometry::Null,
                LocalSize::Sizes(values) => LocalGeometry::Sizes(components(values, 1)),
                LocalSize::Unknown(_) => LocalGeometry::Unknown,
            },
        }
    }

    fn meet(self, other: Self) -> Self {
        Geometry {
            launches: self.launches + other.launches,
            work_dim: agree(self.work_dim, other.work_dim),
            max_dim: self.max_dim.max(other.max_dim),
            known_dim: self.known_dim.max(other.known_dim),
            offset: agree_all(self.offset, other.offset),
            global: agree_all(self.global, other.global),
            local: self.local.meet(other.local),
        }
    }
}

fn agree<T: PartialEq>(a: Option<T>, b: Option<T>) -> Option<T> {
    if a == b { a } else { None }
}

fn agree_all(a: [Option<u64>; 3], b: [Option<u64>; 3]) -> [Option<u64>; 3] {
    [0, 1, 2].map(|dim| agree(a[dim], b[dim]))
}
