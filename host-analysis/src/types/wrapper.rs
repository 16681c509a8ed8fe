//! Classes of OpenCL's C++ wrappers (`cl.hpp`, `cl2.hpp`, `opencl.hpp`), by their names: their
//! headers are the system's and not read.

use std::rc::Rc;

use super::kind::{Container, Kind, Wrapper};
use super::without_arguments;
use crate::syntax::ast::Type;

/// What `cl::Program::Sources` holds: texts, or pairs of a text and its length.
pub(crate) const SOURCE: &str = "cl::Program::Source";

pub(super) fn is_namespace(name: &str) -> bool {
    matches!(name, "cl" | "::cl")
}

/// Whether a name without `cl::` may be one of its classes.
fn is_inside(name: &str) -> bool {
    let inner = ["Program::", "compatibility::"];
    !name.contains("::") || inner.iter().any(|outer| name.starts_with(outer))
}

/// The class that a name stands for; names without `cl::` only where the namespace is used.
pub(super) fn kind(name: &str, used: bool) -> Option<Kind> {
    let name = name.strip_prefix("::").unwrap_or(name);
    let short = match name.strip_prefix("cl::") {
        Some(short) => short,
        None if used && is_inside(name) => name,
        None => return None,
    };
    let base = without_arguments(short);
    Some(Kind::Wrapper(match base {
        "Kernel" => Wrapper::Kernel,
        "KernelFunctor" | "make_kernel" | "compatibility::make_kernel" | "KernelFunctorGlobal" => {
            Wrapper::Functor
        }
        "Program" => Wrapper::Program,
        "Buffer" | "Memory" | "Image" | "Image1D" | "Image2D" | "Image3D" | "Image1DArray"
        | "Image2DArray" | "Image1DBuffer" | "BufferGL" | "Pipe" => Wrapper::Memory,
        "NDRange" => Wrapper::Range,
        "EnqueueArgs" => Wrapper::Enqueue,
        "LocalSpaceArg" => Wrapper::Local,
        "CommandQueue" | "DeviceCommandQueue" => Wrapper::Queue,
        "Context" | "Device" | "Platform" | "Event" | "UserEvent" | "Sampler" | "Error"
        | "BuildError" => Wrapper::Other,
        "Program::Sources" | "Program::Binaries" => {
            return Some(Kind::Container(Rc::new(Container::Sequence {
                element: Type {
                    base: SOURCE.to_string(),
                    ..Type::default()
                },
                fixed: None,
            })));
        }
        "string" | "STRING_CLASS" => return Some(Kind::String),
        _ => return None,
    }))
}
