//! What hosts pass to kernels: for the question whether a call can succeed at all.

use fpgacc_frontend::source::Span;
use fpgacc_launch_facts::ArgValue;

/// What the calls on one way to a launch set.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    /// The launch.
    pub site: Span,
    /// Its kernel.
    pub kernel: String,
    /// The arguments that are set, by index.
    pub set: Vec<SetArgument>,
    /// Nothing else can be set: every call that has the kernel was followed.
    pub is_complete: bool,
}

/// A kernel that a host asks for by its name.
#[derive(Clone, Debug, PartialEq)]
pub struct AskedKernel {
    /// The call of clCreateKernel, or of a wrapper's constructor.
    pub site: Span,
    /// The name.
    pub name: String,
}

/// An argument that may be set when a kernel is launched.
#[derive(Clone, Debug, PartialEq)]
pub struct SetArgument {
    /// The call that sets it.
    pub site: Span,
    /// Its index, from 0.
    pub index: u32,
    /// The bytes that are passed, if they are a constant.
    pub bytes: Option<u64>,
    /// What is passed.
    pub value: ArgValue,
}
