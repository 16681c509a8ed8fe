//! What is known of a value while a kernel is lowered.

use fpgacc_frontend::ir::{BinaryOp, VarRef};
use fpgacc_kernel_analysis::poly::Poly;

use crate::graph::{ArrayId, NodeId};

/// A variable of one call of a function, or a part of it: fields and elements by index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    /// The call.
    pub frame: usize,
    /// The variable.
    pub var: VarRef,
    /// Fields and elements.
    pub path: Vec<u32>,
}

impl Slot {
    /// A part of it.
    pub fn part(&self, index: u32) -> Slot {
        let mut part = self.clone();
        part.path.push(index);
        part
    }

    /// Whether this is `other` or a part of it.
    pub fn is_within(&self, other: &Slot) -> bool {
        self.frame == other.frame && self.var == other.var && self.path.starts_with(&other.path)
    }
}

/// Where a pointer points.
#[derive(Clone, Debug, PartialEq)]
pub enum Pointer {
    /// Into an array, so many bytes after its start.
    Memory(ArrayId, Poly),
    /// To a variable that is kept in registers.
    Slot(Slot),
}

/// A value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Value {
    /// What computes it; `None`: it is there from the start.
    pub node: Option<NodeId>,
    /// Of an integer, what it is.
    pub poly: Option<Poly>,
    /// Of a pointer.
    pub pointer: Option<Pointer>,
    /// Of a float: it is the constant 0.
    pub is_zero: bool,
    /// Of a comparison of integers: what is compared.
    pub compared: Option<(BinaryOp, Poly, Poly)>,
    /// Of a condition made of conditions: whether it usually holds, if they say.
    pub usual: Option<bool>,
}

impl Value {
    /// An integer that needs no operation.
    pub fn integer(poly: Poly) -> Self {
        Value {
            poly: Some(poly),
            ..Value::default()
        }
    }

    /// Its constant, if it is one.
    pub fn constant(&self) -> Option<i128> {
        self.poly.as_ref().and_then(Poly::as_constant)
    }

    /// Where it stands: the offset of a pointer into memory, else the integer that it is.
    pub fn position(&self) -> Option<Poly> {
        match &self.pointer {
            Some(Pointer::Memory(_, offset)) => Some(offset.clone()),
            _ => self.poly.clone(),
        }
    }

    /// What it is once it stands elsewhere, `node` computing it: a pointer stays in its array.
    pub fn moved_to(&self, position: Option<Poly>, node: NodeId) -> Value {
        let mut value = Value {
            node: Some(node),
            ..Value::default()
        };
        match &self.pointer {
            Some(Pointer::Memory(array, _)) => {
                value.pointer = Some(Pointer::Memory(*array, position.unwrap_or_default()));
            }
            Some(slot) => value.pointer = Some(slot.clone()),
            None => value.poly = position,
        }
        value
    }

    /// Whether it is the constant 0, of any type.
    pub fn is_nought(&self) -> bool {
        self.is_zero || self.constant() == Some(0)
    }
}

/// What an lvalue names.
#[derive(Clone, Debug)]
pub enum Target {
    /// A variable in registers, or a part of it.
    Slot(Slot),
    /// An element, known only at run time, of an array in registers.
    Element(Slot, Value),
    /// Memory.
    Memory {
        /// The array.
        array: ArrayId,
        /// Byte offset.
        address: Poly,
        /// What computes the address.
        inputs: Vec<NodeId>,
    },
    /// Some components of a vector.
    Components(Box<Target>),
    /// Nothing that is followed.
    Nowhere,
}

impl Target {
    /// So many bytes further on, if it is memory.
    pub fn moved(self, bytes: i128) -> Self {
        match self {
            Target::Memory {
                array,
                address,
                inputs,
            } => Target::Memory {
                array,
                address: address.plus(&Poly::constant(bytes), 1),
                inputs,
            },
            other => other,
        }
    }
}
