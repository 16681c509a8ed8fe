//! What types are.

use std::rc::Rc;

use crate::number::Num;
use crate::syntax::ast::Type;

/// A resolved type, arrays aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Num(Num),
    /// A pointer, or a handle that is one.
    Pointer,
    /// `std::string`.
    String,
    /// A stream of characters that is read from a file.
    FileStream,
    /// A stream of characters in memory.
    StringStream,
    /// A struct, class or union of the user.
    Record(Rc<str>),
    /// A container of the standard library.
    Container(Rc<Container>),
    /// A class of OpenCL's C++ wrappers.
    Wrapper(Wrapper),
    Other,
}

/// What a container holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    /// Elements by index; how many, if that is part of the type.
    Sequence { element: Type, fixed: Option<u64> },
    /// Pairs of this type by their keys.
    Map { entry: Type },
    /// Two values.
    Pair { first: Type, second: Type },
}

/// What a class of OpenCL's C++ wrappers stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrapper {
    Kernel,
    /// `KernelFunctor`, `make_kernel`.
    Functor,
    Program,
    /// Buffers, images and pipes.
    Memory,
    Range,
    /// `EnqueueArgs`.
    Enqueue,
    /// `LocalSpaceArg`.
    Local,
    Queue,
    /// Contexts, devices, platforms, events, samplers, errors: nothing of them is followed.
    Other,
}
