//! What a kernel relies on, which the runtime has to check at each launch.

use fpgacc_runtime::manifest::{Form, ScalarFact};

/// What the runtime must know of a kernel so far; passes add to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchContract {
    /// How the kernel is launched.
    pub form: Form,
    /// See [`fpgacc_runtime::manifest::Kernel::locked`].
    pub locked: bool,
    /// Pairs of parameter indices that must not overlap (see
    /// [`fpgacc_runtime::manifest::Kernel::distinct`]).
    pub distinct: Vec<(u32, u32)>,
    /// See [`fpgacc_runtime::manifest::Kernel::constants`].
    pub constants: Vec<(u32, u64)>,
    /// See [`fpgacc_runtime::manifest::Kernel::aligned`].
    pub aligned: Vec<(u32, u64)>,
    /// See [`fpgacc_runtime::manifest::Kernel::local_bytes`].
    pub local_bytes: Vec<(u32, u64)>,
    /// See [`fpgacc_runtime::manifest::Kernel::local_size`].
    pub local_size: Option<[u64; 3]>,
    /// See [`fpgacc_runtime::manifest::Kernel::scalars`].
    pub scalars: Vec<ScalarFact>,
}

impl Default for LaunchContract {
    fn default() -> Self {
        LaunchContract {
            form: Form::NdRange,
            locked: false,
            distinct: Vec::new(),
            constants: Vec::new(),
            aligned: Vec::new(),
            local_bytes: Vec::new(),
            local_size: None,
            scalars: Vec::new(),
        }
    }
}
