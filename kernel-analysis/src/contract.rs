//! How a kernel is launched, and what it relies on then.

use std::collections::BTreeSet;

use fpgacc_runtime::guard::{Guard, ScalarFact};
use fpgacc_runtime::manifest::Form;

/// What the runtime must know of a kernel so far; passes change it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchContract {
    /// How the kernel is launched.
    pub form: Form,
    /// See [`fpgacc_runtime::manifest::Kernel::locked`].
    pub locked: bool,
    /// What the runtime has to check at each launch.
    pub guards: BTreeSet<Guard>,
}

impl Default for LaunchContract {
    fn default() -> Self {
        LaunchContract {
            form: Form::NdRange,
            locked: false,
            guards: BTreeSet::new(),
        }
    }
}

impl LaunchContract {
    /// Asks for a check at each launch.
    pub fn guard(&mut self, guard: Guard) {
        self.guards.insert(guard);
    }

    /// Whether there are launches that the kernel cannot take.
    pub fn may_refuse(&self) -> bool {
        matches!(self.form, Form::Task(_)) || !self.guards.is_empty()
    }

    /// Pairs of parameters that must not overlap.
    pub fn distinct_pairs(&self) -> Vec<(u32, u32)> {
        self.pick(|guard| match guard {
            Guard::Distinct(a, b) => Some((a, b)),
            _ => None,
        })
    }

    /// Parameters that became constant memory, and their bytes.
    pub fn constants(&self) -> Vec<(u32, u64)> {
        self.pick(|guard| match guard {
            Guard::Constant { param, bytes } => Some((param, bytes)),
            _ => None,
        })
    }

    /// Parameters whose alignment is stated, and the bytes.
    pub fn aligned(&self) -> Vec<(u32, u64)> {
        self.pick(|guard| match guard {
            Guard::Aligned { param, bytes } => Some((param, bytes)),
            _ => None,
        })
    }

    /// `__local` parameters whose size is stated, and the bytes.
    pub fn local_bytes(&self) -> Vec<(u32, u64)> {
        self.pick(|guard| match guard {
            Guard::LocalBytes { param, bytes } => Some((param, bytes)),
            _ => None,
        })
    }

    /// Values that became constants.
    pub fn scalars(&self) -> Vec<ScalarFact> {
        self.pick(|guard| match guard {
            Guard::Scalar(fact) => Some(fact),
            _ => None,
        })
    }

    /// The local size that an NDRange is compiled for.
    pub fn local_size(&self) -> Option<[u64; 3]> {
        let sizes = self.pick(|guard| match guard {
            Guard::LocalSize(sizes) => Some(sizes),
            _ => None,
        });
        sizes.first().copied()
    }

    fn pick<T>(&self, of_kind: impl Fn(Guard) -> Option<T>) -> Vec<T> {
        self.guards.iter().copied().filter_map(of_kind).collect()
    }
}
