//! Arguments of kernels: what a host sets, and what that is at a launch.

use std::collections::BTreeSet;

use fpgacc_frontend::source::Span;
use fpgacc_launch_facts::{ArgValue, Value};

use super::Interp;
use crate::location::{MemoryLocation, ObjectId, Root, Step};
use crate::number::{IntType, Num};
use crate::object::ObjectKind;
use crate::symbolic::newest_atom;
use crate::types::{Kind, Wrapper};
use crate::value::{Argument, Val};

impl Interp<'_> {
    pub(super) fn is_kernel(kind: &ObjectKind) -> bool {
        matches!(kind, ObjectKind::Kernel { .. })
    }

    pub(super) fn set_arg(&mut self, site: Span, kernel: &Val, [index, size, value]: [&Val; 3]) {
        let Ok(kernels) = self.handles(kernel, Self::is_kernel) else {
            // Any kernel's argument may be set here.
            return self.havoc_args("an argument of an unknown kernel is set");
        };
        let fact = self.arg_value(size, value);
        let bytes = size.as_int().and_then(|bytes| u64::try_from(bytes).ok());
        let argument = self.argument(site, fact, bytes, value);
        self.put_arg(kernels, index, &argument);
    }

    /// A pointer is set that the host has, too: to shared virtual memory, or to that of an extension.
    pub(super) fn set_shared(&mut self, site: Span, kernel: &Val, [index, pointer]: [&Val; 2]) {
        let Ok(kernels) = self.handles(kernel, Self::is_kernel) else {
            return self.havoc_args("an argument of an unknown kernel is set");
        };
        let fact = ArgValue::Unknown("a pointer to memory that the host shares".to_string());
        let argument = self.argument(site, fact, None, pointer);
        self.put_arg(kernels, index, &argument);
    }

    fn put_arg(&mut self, kernels: Vec<ObjectId>, index: &Val, argument: &Argument) {
        let index = index.as_int().and_then(|i| i64::try_from(i).ok());
        let weak = kernels.len() > 1;
        for id in kernels {
            let location = MemoryLocation::object(id);
            let Some(index) = index else {
                self.havoc_args_of(id, "an argument at an index that is not known is set");
                continue;
            };
            let location = location.index(index);
            let value = Val::Arg(std::rc::Rc::new(argument.clone()));
            let value = match weak {
                true => self.state.get(&location).join(&value),
                false => value,
            };
            self.put(&location, value);
        }
    }

    fn argument(
        &mut self,
        site: Span,
        fact: ArgValue,
        bytes: Option<u64>,
        value: &Val,
    ) -> Argument {
        let held = match value {
            Val::Pointer(location) => self.state.get(location),
            _ => Val::Null,
        };
        let differs_in = match value {
            Val::Pointer(location) => self.differs_in(location),
            _ => 0,
        };
        Argument {
            fact,
            newest_atom: newest_atom(&held),
            differs_in,
            bytes,
            site,
        }
    }

    pub(super) fn havoc_args(&mut self, reason: &str) {
        let objects = &self.objects;
        let kernel = |root| match root {
            Root::Object(id) if Self::is_kernel(&objects.get(id).kind) => Some(id),
            _ => None,
        };
        let kernels: Vec<_> = self.state.roots().filter_map(kernel).collect();
        for id in kernels {
            self.havoc_args_of(id, reason);
        }
    }

    /// All arguments of a kernel may be set.
    pub(super) fn havoc_args_of(&mut self, kernel: ObjectId, reason: &str) {
        let location = MemoryLocation::object(kernel);
        let value = Val::unknown(reason);
        self.note_flow_insensitive(&location, &value);
        self.state.set(&location, value);
    }

    /// What clSetKernelArg passes.
    fn arg_value(&mut self, size: &Val, value: &Val) -> ArgValue {
        match value {
            Val::Null | Val::Int(0, _) => {
                return ArgValue::Local(self.fact(&size.convert(Num::Int(IntType::SIZE))));
            }
            Val::Pointer(_) => {}
            Val::Unknown(reason) => return ArgValue::Unknown(reason.to_string()),
            other => {
                return ArgValue::Unknown(format!("its address is {}", other.describe()));
            }
        }
        let Val::Pointer(location) = value else {
            return ArgValue::Unknown("it is not followed".to_string());
        };
        let held = self.state.get(location);
        let is_memory = |k: &ObjectKind| matches!(k, ObjectKind::Memory { .. });
        if let Ok(memory) = self.handles(&held, is_memory) {
            return self.memory_value(location, &memory);
        }
        match self.kind_of(location) {
            Some(Kind::Num(num)) => {
                let bytes = match num {
                    Num::Int(ty) => i128::from(ty.bits.div_ceil(8)),
                    Num::Float => 4,
                    Num::Double => 8,
                };
                let now = match size.as_int() {
                    // A part of a number, or several elements of an array.
                    Some(size) if size != bytes => match low_part(num, size) {
                        Some(part) => self.read(location).convert(part),
                        None => {
                            return ArgValue::Unknown(format!(
                                "it is {size} bytes of other numbers"
                            ));
                        }
                    },
                    _ => self.read(location),
                };
                let held = match &held {
                    Val::Unset => Val::unknown("it is not set yet"),
                    _ => now,
                };
                ArgValue::Scalar(self.fact(&held))
            }
            Some(Kind::Pointer | Kind::Wrapper(_)) if self.is_memory_variable(location) => {
                let spelled = self.spell(location);
                self.any_memory_of(spelled)
            }
            Some(Kind::Record(name)) => {
                ArgValue::Scalar(Value::Unknown(format!("a `{name}` by value")))
            }
            _ => ArgValue::Unknown(match held {
                Val::Unknown(reason) => reason.to_string(),
                other => format!("it is {}", other.describe()),
            }),
        }
    }

    /// Memory is called by the variable that took it at its creation, so that the same memory has
    /// the same name everywhere; what was made in a loop by the variable that is passed.
    fn memory_value(&mut self, location: &MemoryLocation, memory: &[ObjectId]) -> ArgValue {
        let spelled = self.spell(location);
        let held = memory.iter().map(|id| self.holder(*id, &spelled));
        match held.collect::<Option<BTreeSet<String>>>() {
            Some(names) if names.len() > 1 => ArgValue::AnyOf(names.into_iter().collect()),
            Some(names) => ArgValue::Memory(names.into_iter().next().unwrap_or(spelled)),
            // It may be what another variable holds.
            None if memory.len() > 1 => {
                ArgValue::Unknown(format!("`{spelled}` is one of several memory objects"))
            }
            None => self.any_memory_of(spelled),
        }
    }

    /// Memory that is called by the variable that is passed, which did not take it at its creation.
    fn any_memory_of(&mut self, variable: String) -> ArgValue {
        self.trace.hold_any_memory.insert(variable.clone());
        ArgValue::Memory(variable)
    }

    /// The variable that took memory at its creation. Of memory that one call made many times it is not known
    /// which another variable holds.
    fn holder(&self, id: ObjectId, variable: &str) -> Option<String> {
        let object = self.objects.get(id);
        match &object.kind {
            ObjectKind::Memory {
                holder: Some(holder),
                ..
            } if !object.summary || holder == variable => Some(holder.clone()),
            _ => None,
        }
    }

    fn is_memory_variable(&self, location: &MemoryLocation) -> bool {
        let Root::Var(var) = location.root else {
            return false;
        };
        if self.kind_of(location) == Some(Kind::Wrapper(Wrapper::Memory)) {
            return true;
        }
        let ty = &self.variables.info(var).ty;
        location.path.iter().all(|s| matches!(s, Step::Index(_))) && ty.base == "cl_mem"
    }
}

/// The number that the first bytes of a whole number are: hosts pass four bytes of a `size_t` for a `uint`. Devices
/// and hosts keep the low bytes first.
fn low_part(num: Num, bytes: i128) -> Option<Num> {
    let Num::Int(ty) = num else {
        return None;
    };
    let bits = u8::try_from(bytes.checked_mul(8)?).ok()?;
    let is_part = matches!(bits, 8 | 16 | 32) && bits < ty.bits;
    is_part.then(|| Num::Int(IntType::new(bits, ty.signed)))
}
