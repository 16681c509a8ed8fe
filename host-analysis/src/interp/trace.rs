//! What is noted on the way.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::source::Span;
use fpgacc_launch_facts::Known;

use super::code::FnId;
use crate::location::ObjectId;
use crate::object::Visit;

/// Launches and functions that were reached.
#[derive(Default)]
pub(crate) struct Trace {
    pub visits: Vec<Visit>,
    pub visited: BTreeSet<Span>,
    /// Loops in which the host asks for events, or has its queues do more than launch, with a call that does.
    pub watched: BTreeMap<Span, String>,
    /// Loops in which it waits for its queues, likewise.
    pub waiting: BTreeMap<Span, String>,
    /// Launches by the loops that they are in.
    pub launched: BTreeMap<Span, BTreeSet<Span>>,
    /// Functions that code which is not followed may call, whether or not they were visited.
    pub unfollowed: BTreeSet<FnId>,
    /// With how many arguments a function that may be any of those was called.
    pub taken_called_with: BTreeSet<usize>,
    /// Kernels are created of programs that are not followed.
    pub has_kernels_of_any: bool,
    /// Options with which programs are built that are not followed.
    pub stray_builds: Vec<Known<String>>,
    /// Objects that functions which are not among the given files got. They may set a kernel's arguments.
    pub handed_out: BTreeSet<ObjectId>,
    /// Variables that were passed to kernels when they held memory that is not followed, or one of many that
    /// one call made.
    pub hold_any_memory: BTreeSet<String>,
}
